//! FFmpeg's pixel formats: the sample layouts of the native ones, and the conversion targets of the others.

use std::ffi::CString;

use crate::av::{PixelDescriptor, PixelFormat};
use histoscope_core::picture::layout::{ChromaLines, ColorModel, Component, PixelLayout};

/// Returns the layout of a pixel format that needs no conversion; `None` for other formats.
pub(crate) fn native_layout(descriptor: &PixelDescriptor) -> Option<PixelLayout> {
    if !descriptor.is_plain() || descriptor.is_xyz() {
        return None;
    }
    let model = color_model(descriptor)?;
    let used = if model == ColorModel::Gray { 1 } else { 3 };
    let first = descriptor.components.first()?;
    let depth = u8::try_from(first.depth).ok()?;
    if descriptor.components[..used].iter().any(|c| c.depth != first.depth) {
        return None;
    }
    let sample_bytes = if first.depth + first.shift > 8 { 2 } else { 1 };
    let mut components = [Component { plane: 0, offset: 0, step: 0, shift: 0 }; 3];
    for (index, component) in components.iter_mut().enumerate() {
        let source = &descriptor.components[if used == 1 { 0 } else { index }];
        *component = Component {
            plane: u8::try_from(source.plane).ok()?,
            offset: u8::try_from(source.offset).ok()?,
            step: u8::try_from(source.step).ok()?,
            shift: u8::try_from(source.shift).ok()?,
        };
    }
    let chroma_shift = if model == ColorModel::YCbCr { descriptor.chroma_shift } else { (0, 0) };
    let layout = PixelLayout { model, depth, sample_bytes, chroma_shift, chroma_lines: ChromaLines::Frame, components };
    (has_known_packing(&layout) && layout.validate().is_ok()).then_some(layout)
}

/// Returns the layout of planes that hardware has decoded, whose format may differ from the `coded` one in which
/// software decodes the stream; `None` if the planes cannot be read as they are.
pub(crate) fn downloaded_layout(planes: &PixelDescriptor, coded: &PixelDescriptor) -> Option<PixelLayout> {
    let (planes, coded) = (native_layout(planes)?, native_layout(coded)?);
    let is_alike = (planes.model, planes.chroma_shift) == (coded.model, coded.chroma_shift);
    // FFmpeg had no name for twelve bits in the upper part of a word before version 6.
    let has_upper_twelve = (planes.depth, coded.depth) == (16, 12);
    if !is_alike || !(planes.depth == coded.depth || has_upper_twelve) {
        return None;
    }
    let shift = planes.depth - coded.depth;
    let components = planes.components.map(|component| Component { shift: component.shift + shift, ..component });
    let layout = PixelLayout { depth: coded.depth, components, ..planes };
    (has_known_packing(&layout) && layout.validate().is_ok()).then_some(layout)
}

/// Returns the colour model of the components; `None` if there are none.
fn color_model(descriptor: &PixelDescriptor) -> Option<ColorModel> {
    let colors = descriptor.components.len() - usize::from(descriptor.has_alpha() && !descriptor.components.is_empty());
    match colors {
        0 => None,
        1 | 2 => Some(ColorModel::Gray),
        _ if descriptor.is_rgb() => Some(ColorModel::Rgb),
        _ => Some(ColorModel::YCbCr),
    }
}

/// Returns `true` if the engines support this packing of the samples. Other layouts, even readable ones, have no upload
/// path and are converted.
fn has_known_packing(layout: &PixelLayout) -> bool {
    let bytes = layout.sample_bytes;
    let [first, second, third] = layout.components;
    let alone = |c: Component, plane: u8| c.plane == plane && c.offset == 0 && c.step == bytes && c.shift == 0;
    let planar = alone(first, first.plane)
        && alone(second, second.plane)
        && alone(third, third.plane)
        && first.plane != second.plane
        && second.plane != third.plane
        && first.plane != third.plane;
    match layout.model {
        // Gray only, or with alpha next to each sample.
        ColorModel::Gray => first.plane == 0 && first.offset == 0 && first.shift == 0 && first.step <= 2 * bytes,
        ColorModel::Rgb => {
            let one_plane = layout.components.iter().all(|c| c.plane == 0 && c.step == first.step && c.shift == 0);
            let whole = matches!(layout.depth, 8 | 16) && (first.step == 3 * bytes || first.step == 4 * bytes);
            planar || (one_plane && whole)
        }
        ColorModel::YCbCr => planar || is_semi_planar(layout) || is_packed_422(layout),
    }
}

fn is_semi_planar(layout: &PixelLayout) -> bool {
    let bytes = layout.sample_bytes;
    let [luma, cb, cr] = layout.components;
    let pair = |c: Component| c.plane == 1 && c.step == 2 * bytes && c.shift == luma.shift;
    let halves = (cb.offset == 0 && cr.offset == bytes) || (cb.offset == bytes && cr.offset == 0);
    luma.plane == 0 && luma.offset == 0 && luma.step == bytes && pair(cb) && pair(cr) && halves
}

fn is_packed_422(layout: &PixelLayout) -> bool {
    *layout == PixelLayout::packed_422(false) || *layout == PixelLayout::packed_422(true)
}

/// Returns the native format to which a format without a native layout is converted. It has the same model, the same
/// chroma grid if possible, and at least as many bits.
pub(crate) fn conversion_target(descriptor: &PixelDescriptor) -> Option<PixelFormat> {
    if descriptor.is_hardware() {
        return None;
    }
    let bits = descriptor.components.iter().map(|c| c.depth).max()?;
    let name = if descriptor.is_palette() {
        // Palette entries have eight bits each of red, green and blue.
        "rgb24".to_owned()
    } else if descriptor.is_bayer() {
        // Each component of a mosaic states only its share of a sample's bits.
        let sample_bits: i32 = descriptor.components.iter().map(|c| c.depth).sum();
        (if sample_bits > 8 { "rgb48le" } else { "rgb24" }).to_owned()
    } else if descriptor.is_xyz() {
        "rgb48le".to_owned()
    } else {
        match color_model(descriptor)? {
            ColorModel::Gray => format!("gray{}", depth_suffix(bits, "8")),
            ColorModel::Rgb if bits <= 8 => "rgb24".to_owned(),
            ColorModel::Rgb => format!("gbrp{}", depth_suffix(bits, "")),
            ColorModel::YCbCr => {
                let grid = chroma_grid(descriptor.chroma_shift);
                let depth = depth_suffix(bits, "");
                return by_name(&format!("yuv{grid}p{depth}")).or_else(|| by_name(&format!("yuv444p{depth}")));
            }
        }
    };
    by_name(&name)
}

/// Returns FFmpeg's digits for a chroma grid.
const fn chroma_grid(shift: (u8, u8)) -> &'static str {
    match shift {
        (1, 1) => "420",
        (1, 0) => "422",
        (0, 1) => "440",
        (2, 0) => "411",
        (2, 2) => "410",
        _ => "444",
    }
}

/// Returns the end of the name of a pixel format with the smallest native depth of at least `bits` bits.
fn depth_suffix(bits: i32, eight: &str) -> String {
    match bits {
        ..=8 => eight.to_owned(),
        9..=10 => "10le".to_owned(),
        11..=12 => "12le".to_owned(),
        13..=14 => "14le".to_owned(),
        _ => "16le".to_owned(),
    }
}

/// Returns the format of that name if this FFmpeg has it and it is native.
fn by_name(name: &str) -> Option<PixelFormat> {
    let format = PixelFormat::by_name(&CString::new(name).ok()?)?;
    native_layout(&format.descriptor()?).map(|_| format)
}

/// Returns `true` if the name of the format implies full range.
pub(crate) fn is_full_range(descriptor: &PixelDescriptor) -> bool {
    descriptor.name.starts_with("yuvj")
}

#[cfg(test)]
mod tests;
