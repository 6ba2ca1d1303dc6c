//! Pixel layouts by FFmpeg's names.

use histoscope_core::picture::layout::PixelLayout;

/// Returns the layout with this FFmpeg name. The ending `le` may be left out. `None` if the layout is not counted
/// natively.
#[must_use]
pub fn parse(name: &str) -> Option<PixelLayout> {
    let name = name.strip_suffix("le").unwrap_or(name);
    let layout = packed(name).or_else(|| semi_planar(name)).or_else(|| planar(name))?;
    layout.validate().is_ok().then_some(layout)
}

/// Every name that [`parse`] knows. Alternative spellings are left out.
#[rustfmt::skip]
pub const NAMES: [&str; 66] = [
    "gray", "gray10", "gray12", "gray14", "gray16", "gbrp", "gbrp10", "gbrp12", "gbrp14", "gbrp16", "yuv420p",
    "yuv420p10", "yuv420p12", "yuv420p14", "yuv420p16", "yuv422p", "yuv422p10", "yuv422p12", "yuv422p14", "yuv422p16",
    "yuv444p", "yuv444p10", "yuv444p12", "yuv444p14", "yuv444p16", "yuv440p", "yuv440p10", "yuv440p12", "yuv440p14",
    "yuv440p16", "yuv411p", "yuv411p10", "yuv411p12", "yuv411p14", "yuv411p16", "yuv410p", "yuv410p10", "yuv410p12",
    "yuv410p14", "yuv410p16", "nv12", "nv21", "nv16", "nv24", "nv42", "p010", "p012", "p016", "p210", "p212", "p216",
    "p410", "p412", "p416", "rgb24", "bgr24", "rgba", "bgra", "argb", "abgr", "rgb48", "bgr48", "rgba64", "bgra64",
    "yuyv422", "uyvy422",
];

/// Returns the name of a layout that [`parse`] knows, or a description of any other layout.
#[must_use]
pub fn name(layout: &PixelLayout) -> String {
    match NAMES.iter().find(|name| parse(name).as_ref() == Some(layout)) {
        Some(name) => (*name).into(),
        None => format!("{:?} of {} bits", layout.model, layout.depth),
    }
}

fn packed(name: &str) -> Option<PixelLayout> {
    let (depth, order, count) = match name {
        "yuyv422" => return Some(PixelLayout::packed_422(false)),
        "uyvy422" => return Some(PixelLayout::packed_422(true)),
        "rgb24" => (8, [0, 1, 2], 3),
        "bgr24" => (8, [2, 1, 0], 3),
        "rgba" | "rgb0" => (8, [0, 1, 2], 4),
        "bgra" | "bgr0" => (8, [2, 1, 0], 4),
        "argb" | "0rgb" => (8, [1, 2, 3], 4),
        "abgr" | "0bgr" => (8, [3, 2, 1], 4),
        "rgb48" => (16, [0, 1, 2], 3),
        "bgr48" => (16, [2, 1, 0], 3),
        "rgba64" => (16, [0, 1, 2], 4),
        "bgra64" => (16, [2, 1, 0], 4),
        _ => return None,
    };
    Some(PixelLayout::packed_rgb(depth, order, count))
}

fn semi_planar(name: &str) -> Option<PixelLayout> {
    let (depth, shift, cr_first) = match name {
        "nv12" => (8, (1, 1), false),
        "nv21" => (8, (1, 1), true),
        "nv16" => (8, (1, 0), false),
        "nv24" => (8, (0, 0), false),
        "nv42" => (8, (0, 0), true),
        _ => {
            let (shift, depth) = [("p0", (1, 1)), ("p2", (1, 0)), ("p4", (0, 0))]
                .into_iter()
                .find_map(|(prefix, shift)| Some((shift, name.strip_prefix(prefix)?)))?;
            (deep(depth).filter(|depth| matches!(depth, 10 | 12 | 16))?, shift, false)
        }
    };
    Some(PixelLayout::semi_planar(depth, shift, cr_first))
}

fn planar(name: &str) -> Option<PixelLayout> {
    let depth = |rest: &str| if rest.is_empty() { Some(8) } else { deep(rest) };
    if let Some(rest) = name.strip_prefix("gray") {
        return Some(PixelLayout::gray(depth(rest)?));
    }
    if let Some(rest) = name.strip_prefix("gbrp") {
        return Some(PixelLayout::planar_gbr(depth(rest)?));
    }
    let (subsampling, rest) = name.strip_prefix("yuv")?.split_once('p')?;
    let shift = match subsampling {
        "444" => (0, 0),
        "422" => (1, 0),
        "420" => (1, 1),
        "440" => (0, 1),
        "411" => (2, 0),
        "410" => (2, 2),
        _ => return None,
    };
    Some(PixelLayout::planar_ycbcr(depth(rest)?, shift))
}

fn deep(digits: &str) -> Option<u8> {
    digits.parse().ok().filter(|depth| matches!(depth, 10 | 12 | 14 | 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_is_the_name_of_its_layout() {
        for known in NAMES {
            let layout = parse(known).unwrap_or_else(|| panic!("{known}"));
            assert_eq!(name(&layout), known);
        }
    }

    #[test]
    fn names_mean_what_they_mean_to_ffmpeg() {
        assert_eq!(parse("yuv420p"), Some(PixelLayout::planar_ycbcr(8, (1, 1))));
        assert_eq!(parse("yuv444p12le"), Some(PixelLayout::planar_ycbcr(12, (0, 0))));
        assert_eq!(parse("p010le"), Some(PixelLayout::semi_planar(10, (1, 1), false)));
        assert_eq!(parse("gray16"), Some(PixelLayout::gray(16)));
        assert_eq!(parse("gbrp14"), Some(PixelLayout::planar_gbr(14)));
        assert_eq!(parse("bgr24"), Some(PixelLayout::packed_rgb(8, [2, 1, 0], 3)));
    }

    #[test]
    fn other_names_are_unknown() {
        for name in
            ["", "p", "p0", "p014", "yuv", "yuv420", "yuv420p9", "yuv420p10be", "gray9", "pal8", "yuv421p", "nv"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
