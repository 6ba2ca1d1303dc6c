//! A picture of a window, and the differences between two.

use std::collections::HashSet;
use std::path::PathBuf;

/// A part of the window, relative to the overlays. Each overlay has 0.9 of half the width, centred in its half, and a
/// quarter of the height, at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    Everywhere,
    /// Everything except the upper edge, where controls and notes appear.
    Below,
    /// Everything except the overlays and the upper edge.
    Outside,
    /// The overlay of red, green and blue.
    Left,
    /// The overlay of luminance.
    Right,
}

impl Area {
    fn contains(self, x: u32, y: u32, width: u32, height: u32) -> bool {
        // In thousandths of the size, at the pixel's centre, where the rasteriser samples.
        let across = (2 * u64::from(x) + 1) * 1000;
        let within = |from: u64, to: u64| across >= from * 2 * u64::from(width) && across < to * 2 * u64::from(width);
        // A quarter of the height, and as far from the lower edge as from the sides, unless the window is low.
        let (row, margin) = (f64::from(y) + 0.5, if height < 360 { 0.0 } else { 0.025 * f64::from(width) });
        let (top, bottom) = (0.75 * f64::from(height) - margin, f64::from(height) - margin);
        let low = row >= top && row < bottom;
        let left = low && within(25, 475);
        let right = low && within(525, 975);
        // Each has a dark frame of a pixel or two around it.
        let framed = row + 2.0 >= top && row - 2.0 < bottom && (within(23, 477) || within(523, 977));
        // The upper 16 % have room for two notes, which is the most.
        let is_below = (2 * u64::from(y) + 1) * 25 >= 8 * u64::from(height);
        match self {
            Self::Everywhere => true,
            Self::Below => is_below,
            Self::Outside => is_below && !left && !right && !framed,
            Self::Left => left,
            Self::Right => right,
        }
    }
}

/// Red, green and blue of each pixel, row by row from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Parses a binary portable pixmap with 8 bits per sample.
    pub fn from_pixmap(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut word = || {
            let begin = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let length = rest[begin..].iter().position(u8::is_ascii_whitespace)?;
            let word = std::str::from_utf8(&rest[begin..begin + length]).ok()?;
            // Exactly one white space ends a word. The pixels follow the last one.
            rest = &rest[begin + length + 1..];
            Some(word)
        };
        if word()? != "P6" {
            return None;
        }
        let width = word()?.parse().ok()?;
        let height = word()?.parse().ok()?;
        if word()? != "255" {
            return None;
        }
        Self::from_samples(width, height, rest, 3)
    }

    /// Reads a PNG with 8 bits per sample.
    pub fn from_png(path: &std::path::Path) -> Option<Self> {
        let file = std::io::BufReader::new(std::fs::File::open(path).ok()?);
        let mut reader = png::Decoder::new(file).read_info().ok()?;
        let mut samples = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut samples).ok()?;
        let step = match (info.color_type, info.bit_depth) {
            (png::ColorType::Rgb, png::BitDepth::Eight) => 3,
            (png::ColorType::Rgba, png::BitDepth::Eight) => 4,
            _ => return None,
        };
        Self::from_samples(info.width, info.height, &samples[..info.buffer_size()], step)
    }

    /// Takes pixels of so many bytes, of which the first three are red, green and blue.
    pub fn from_samples(width: u32, height: u32, samples: &[u8], step: usize) -> Option<Self> {
        let pixels: Vec<_> = samples.chunks_exact(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        (pixels.len() == width as usize * height as usize).then_some(Self { width, height, pixels })
    }

    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Returns the number of pixels in the area that differ; all of them if the sizes differ.
    pub fn differing(&self, other: &Self, area: Area) -> usize {
        self.differing_by(other, area, 0)
    }

    /// Returns the number of pixels in the area that differ by more than `tolerance` codes.
    pub fn differing_by(&self, other: &Self, area: Area, tolerance: u8) -> usize {
        let (same_size, width) = (self.size() == other.size(), self.width as usize);
        let mut count = 0;
        for y in 0..self.height {
            let row = y as usize * width..(y as usize + 1) * width;
            // In most pictures, most rows are unchanged.
            if same_size && self.pixels[row.clone()] == other.pixels[row.clone()] {
                continue;
            }
            for (x, at) in (0..self.width).zip(row) {
                let is_far = || {
                    let pairs = self.pixels[at].into_iter().zip(other.pixels[at]);
                    pairs.into_iter().any(|(a, b)| a.abs_diff(b) > tolerance)
                };
                let differs = !same_size || is_far();
                count += usize::from(differs && area.contains(x, y, self.width, self.height));
            }
        }
        count
    }

    /// Returns red, green and blue of a pixel.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        self.pixels[(y * self.width + x) as usize]
    }

    /// Returns the number of different colours. An empty window has one.
    pub fn colours(&self) -> usize {
        // Neighbours are often equal.
        self.pixels.chunk_by(|a, b| a == b).map(|alike| alike[0]).collect::<HashSet<_>>().len()
    }

    /// Saves the picture for examining a failure. Returns the path.
    pub fn save(&self, name: &str) -> PathBuf {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.ppm"));
        let mut bytes = format!("P6\n{} {}\n255\n", self.width, self.height).into_bytes();
        bytes.extend(self.pixels.iter().flatten());
        // The test fails anyway when this is called, and a full disk must not hide the reason.
        let _ = std::fs::write(&path, bytes);
        path
    }
}

/// Makes a picture of one colour with the given pixels changed.
#[cfg(test)]
fn plain(width: u32, height: u32, changed: &[(u32, u32)]) -> Picture {
    let mut pixels = vec![[9, 9, 9]; (width * height) as usize];
    for &(x, y) in changed {
        pixels[(y * width + x) as usize] = [200, 0, 0];
    }
    Picture { width, height, pixels }
}

#[test]
fn a_changed_pixel_is_found_in_its_area_and_in_no_other() {
    let before = plain(80, 40, &[]);
    // In an 80x40 window, the overlays cover columns 2 to 37 and 42 to 77 of rows 30 to 39. Rows 28 and 29 may contain
    // their frames.
    let cases = [
        ((0, 6), Area::Outside),
        ((2, 27), Area::Outside),
        ((1, 30), Area::Outside),
        ((2, 30), Area::Left),
        ((37, 39), Area::Left),
        ((38, 39), Area::Outside),
        ((41, 35), Area::Outside),
        ((42, 35), Area::Right),
        ((77, 30), Area::Right),
        ((78, 30), Area::Outside),
    ];
    for (pixel, home) in cases {
        let after = plain(80, 40, &[pixel]);
        for area in [Area::Outside, Area::Left, Area::Right] {
            assert_eq!(after.differing(&before, area), usize::from(area == home), "{pixel:?} in {area:?}");
        }
        assert_eq!(after.differing(&before, Area::Everywhere), 1);
        assert_eq!(after.differing(&before, Area::Below), 1);
    }
    let note = plain(80, 40, &[(40, 5)]);
    assert_eq!((note.differing(&before, Area::Below), note.differing(&before, Area::Everywhere)), (0, 1));
    assert_eq!(before.differing(&plain(40, 80, &[]), Area::Everywhere), 80 * 40);
}

#[test]
fn a_pixmap_is_read_as_it_was_written() {
    let picture = plain(5, 3, &[(4, 2), (0, 1)]);
    let path = picture.save("round-trip");
    let read = Picture::from_pixmap(&std::fs::read(&path).expect("the picture was saved")).expect("a pixmap");
    assert!(read == picture);
    assert!(Picture::from_pixmap(b"P6\n5 3\n255\n too short").is_none());
    assert_eq!(picture.colours(), 2);
}
