//! Synthetic pictures, for tests and benchmarks.
//!
//! Each test binary uses only some of these helpers, hence the lint exception.
#![allow(dead_code)]

pub mod image;
pub mod pool;

use std::sync::Arc;

use histoscope_core::adjust::Lut;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::{ChromaLines, PixelLayout};
use histoscope_core::picture::{OwnedPlanes, Picture};
use histoscope_render::gpu::{AdapterChoice, Gpu};

use pool::{Lent, Pool};

/// Returns a device for exclusive use.
pub fn gpu() -> Lent<Gpu> {
    static DEVICES: Pool<Gpu> = Pool::new();
    DEVICES.lend(|| Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one"))
}

/// A small generator of pseudo-random numbers (SplitMix64), the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Returns random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend(self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

/// Returns a lookup table of random values: a curve if `side` is 0, or a cube with this many nodes along each edge,
/// after a curve if the seed is even. With odd seeds, values go beyond black and white.
pub fn lut(side: usize, seed: u64) -> Lut {
    let mut random = Random(seed);
    let is_wide = seed % 2 == 1;
    let mut line = || {
        let mut value = || {
            let value = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
            if is_wide { value * 5.0 - 1.5 } else { value }
        };
        format!("{} {} {}\n", value(), value(), value())
    };
    let curve = if side == 0 || !is_wide { 7 } else { 0 };
    let mut text = String::new();
    for (keyword, size) in [("LUT_1D_SIZE", curve), ("LUT_3D_SIZE", side)] {
        if size > 0 {
            text += &format!("{keyword} {size}\n");
        }
    }
    (0..curve + side.pow(3)).for_each(|_| text += &line());
    Lut::parse("random.cube".as_ref(), text.as_bytes()).expect("the file is well formed")
}

/// Returns a colorimetry as if stated by a file.
pub fn colorimetry(matrix: Matrix, range: Range) -> Colorimetry {
    Colorimetry::tagged(matrix, range)
}

/// Returns every layout that is counted natively, with a name.
pub fn native_layouts() -> Vec<(String, PixelLayout)> {
    let subsamplings =
        [("444", (0, 0)), ("422", (1, 0)), ("420", (1, 1)), ("440", (0, 1)), ("411", (2, 0)), ("410", (2, 2))];
    let mut layouts =
        vec![("yuyv422".into(), PixelLayout::packed_422(false)), ("uyvy422".into(), PixelLayout::packed_422(true))];
    for depth in [8, 10, 12, 14, 16] {
        layouts.push((format!("gray{depth}"), PixelLayout::gray(depth)));
        layouts.push((format!("gbrp{depth}"), PixelLayout::planar_gbr(depth)));
        for (name, shift) in subsamplings {
            layouts.push((format!("yuv{name}p{depth}"), PixelLayout::planar_ycbcr(depth, shift)));
        }
    }
    for (name, shift) in [("nv24", (0, 0)), ("nv16", (1, 0)), ("nv12", (1, 1))] {
        layouts.push((name.into(), PixelLayout::semi_planar(8, shift, false)));
        layouts.push((format!("{name} with Cr first"), PixelLayout::semi_planar(8, shift, true)));
    }
    for depth in [10, 12, 16] {
        for (name, shift) in [("p4", (0, 0)), ("p2", (1, 0)), ("p0", (1, 1))] {
            layouts.push((format!("{name}{depth}"), PixelLayout::semi_planar(depth, shift, false)));
        }
    }
    for (depth, suffix) in [(8, ""), (16, " 16 bits")] {
        for (name, order, count) in [
            ("rgb", [0, 1, 2], 3),
            ("bgr", [2, 1, 0], 3),
            ("rgba", [0, 1, 2], 4),
            ("bgra", [2, 1, 0], 4),
            ("argb", [1, 2, 3], 4),
            ("abgr", [3, 2, 1], 4),
        ] {
            layouts.push((format!("{name}{suffix}"), PixelLayout::packed_rgb(depth, order, count)));
        }
    }
    let interlaced = ["yuv420p8", "yuv440p8", "yuv420p10", "yuv420p12", "nv12", "p010"];
    for name in interlaced {
        let found = layouts.iter().find(|(found, _)| found == name).expect("one of the above");
        layouts.push((format!("{name} by field"), found.1.with_chroma_lines(ChromaLines::Field)));
    }
    layouts
}

/// Returns planes for this picture size, with `padding` unused bytes after each row except the last, and every byte
/// from `fill`.
pub fn planes(
    layout: &PixelLayout,
    (width, height): (u32, u32),
    padding: usize,
    mut fill: impl FnMut(usize) -> Vec<u8>,
) -> OwnedPlanes {
    let plane = |index| {
        let (row_bytes, rows) = layout.plane_size(index, width, height);
        let stride = row_bytes + padding;
        (fill(stride * (rows.max(1) - 1) + row_bytes), stride)
    };
    OwnedPlanes { planes: (0..layout.plane_count()).map(plane).collect() }
}

/// Makes a picture of random bytes: every code value, legal or not, and garbage in unused bits and bytes.
pub fn noise(layout: PixelLayout, size: (u32, u32), colorimetry: Colorimetry, padding: usize, seed: u64) -> Picture {
    let mut random = Random(seed);
    let planes = planes(&layout, size, padding, |count| random.bytes(count));
    Picture::new(layout, size, colorimetry, Arc::new(planes)).expect("the planes fit the layout")
}

/// Makes a picture whose component `i` has the code `code(i, x, y)` at sample (x, y). Codes have the layout's full
/// depth.
pub fn drawn(
    layout: PixelLayout,
    size: (u32, u32),
    colorimetry: Colorimetry,
    mut code: impl FnMut(usize, u32, u32) -> u16,
) -> Picture {
    let mut planes = planes(&layout, size, 0, |count| vec![0; count]);
    for index in 0..layout.component_count() {
        let component = layout.components[index];
        let (width, height) = layout.component_size(index, size.0, size.1);
        let (bytes, stride) = &mut planes.planes[usize::from(component.plane)];
        for y in 0..height {
            for x in 0..width {
                let at =
                    y as usize * *stride + usize::from(component.offset) + x as usize * usize::from(component.step);
                let word = (code(index, x, y) << component.shift).to_le_bytes();
                bytes[at..at + usize::from(layout.sample_bytes)].copy_from_slice(&word[..layout.sample_bytes.into()]);
            }
        }
    }
    Picture::new(layout, size, colorimetry, Arc::new(planes)).expect("the planes fit the layout")
}

/// Makes a picture of one colour: every component has the code of mid-gray.
pub fn constant(layout: PixelLayout, size: (u32, u32), colorimetry: Colorimetry) -> Picture {
    drawn(layout, size, colorimetry, |_, _, _| 1 << (layout.depth - 1))
}

/// Makes a picture with the statistics of a photograph: smooth gradients, edges, flat areas and a little sensor noise.
/// All codes are legal in limited range.
pub fn natural(layout: PixelLayout, size: (u32, u32), colorimetry: Colorimetry, seed: u64) -> Picture {
    let mut random = Random(seed);
    let top = f64::from((1_u32 << layout.depth) - 1);
    drawn(layout, size, colorimetry, |index, x, y| {
        let (width, height) = layout.component_size(index, size.0, size.1);
        let (u, v) = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
        let noise = (random.next() & 0xff) as f64 / 255.0 - 0.5;
        let phase = index as f64 * 1.7;
        // Sky above, texture below, and a disc with a sharp edge.
        let base = if v < 0.4 {
            0.75 - 0.3 * v
        } else {
            0.35 + 0.2 * (u * 31.0 + phase).sin() * (v * 23.0).cos() + 0.1 * (u * 7.0 + v * 5.0 + phase).sin()
        };
        let disc = (u - 0.6).powi(2) + (v - 0.5).powi(2) < 0.02;
        let value = if disc { 0.9 - 0.2 * phase.fract() } else { base };
        let centred = if index > 0 { 0.5 + (value - 0.5) * 0.4 } else { value };
        ((centred + 0.02 * noise).clamp(0.0, 1.0) * top * 0.85 + top * 0.07).round() as u16
    })
}
