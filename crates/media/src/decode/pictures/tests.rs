use std::ffi::CString;

use super::*;

const WIDTH: u32 = 19;
const HEIGHT: u32 = 7;

fn maker() -> PictureMaker {
    let tags = tags::TagNumbers { matrix: 2, range: 0, primaries: 2, transfer: 2 };
    PictureMaker::new(
        &OpenOptions::default(),
        StreamDefaults {
            overrides_tags: false,
            is_dolby_ipt: false,
            tags,
            sample_aspect: None,
            coded_sample_aspect: None,
            orientation: None,
            codes_fields: false,
            states_scan: false,
            crop: Crop::default(),
            stated_light: StatedLight::default(),
        },
    )
}

fn format(name: &str) -> PixelFormat {
    PixelFormat::by_name(&CString::new(name).unwrap()).unwrap_or_else(|| panic!("FFmpeg has no {name}"))
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn bytes_in_use(picture: &Picture) -> Vec<u8> {
    let mut bytes = Vec::new();
    for plane in 0..picture.layout().plane_count() {
        let (row_bytes, rows) = picture.layout().plane_size(plane, picture.width(), picture.height());
        (0..rows).for_each(|y| bytes.extend_from_slice(picture.plane(plane).row(y, row_bytes)));
    }
    bytes
}

#[test]
fn native_planes_are_not_copied() {
    let bytes = noise(8 * (WIDTH * HEIGHT) as usize + 64);
    let mut count = 0;
    for format in PixelFormat::all() {
        let descriptor = format.descriptor().unwrap();
        if native_layout(&descriptor).is_none() {
            continue;
        }
        let (frame, size) = AvFrame::from_bytes(format, (WIDTH, HEIGHT), &bytes);
        let address = frame.plane(0, 1).unwrap().as_ptr();
        let shown = maker().make(frame).unwrap();
        assert_eq!(shown.picture.plane(0).bytes.as_ptr(), address, "{} was copied", descriptor.name);
        assert_eq!(shown.source.converted_to, None);
        let found = bytes_in_use(&shown.picture);
        // A plane of alpha, if any, follows the picture's planes.
        assert!(found.len() <= size && found == bytes[..found.len()], "{}: the samples differ", descriptor.name);
        count += 1;
    }
    assert!(count >= 80, "only {count} formats were native");
}

#[test]
fn rows_stored_bottom_up_are_flipped() {
    let bytes = noise(8 * (WIDTH * HEIGHT) as usize);
    let (mut frame, _) = AvFrame::from_bytes(format("bgr24"), (WIDTH, HEIGHT), &bytes);
    frame.flip_rows(0, HEIGHT as usize);
    let picture = maker().make(frame).unwrap().picture;
    let row_bytes = 3 * WIDTH as usize;
    let expected: Vec<u8> = bytes[..row_bytes * HEIGHT as usize].rchunks(row_bytes).flatten().copied().collect();
    assert!(bytes_in_use(&picture) == expected);
}

/// The code of a sample by the format's definition, from a frame's bytes, the component, x and y.
type Expected = fn(&Bytes<'_>, usize, usize, usize) -> u32;

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    const WIDTH: usize = WIDTH as usize;
    const PIXELS: usize = (WIDTH * HEIGHT) as usize;

    fn byte(&self, at: usize) -> u32 {
        u32::from(self.0[at])
    }

    fn little(&self, at: usize) -> u32 {
        self.byte(at) | self.byte(at + 1) << 8
    }

    fn big(&self, at: usize) -> u32 {
        self.byte(at) << 8 | self.byte(at + 1)
    }

    /// Returns a big-endian sample of a plane without subsampling.
    fn big_planar(&self, plane: usize, x: usize, y: usize) -> u32 {
        self.big(2 * (plane * Self::PIXELS + y * Self::WIDTH + x))
    }

    fn pixel(x: usize, y: usize) -> usize {
        y * Self::WIDTH + x
    }

    /// Returns the number of pixel pairs before this row.
    fn pairs(y: usize) -> usize {
        y * Self::WIDTH.div_ceil(2)
    }
}

/// The planes of the components red, green and blue when they are stored as green, blue, red.
const GBR: [usize; 3] = [2, 0, 1];

const CONVERSIONS: [(&str, &str, Expected); 16] = [
    ("gray10be", "gray10le", |b, _, x, y| b.big(2 * Bytes::pixel(x, y)) & 1023),
    ("gray16be", "gray16le", |b, _, x, y| b.big(2 * Bytes::pixel(x, y)) >> 4),
    ("gray9le", "gray10le", |b, _, x, y| (2 * 1023 * b.little(2 * Bytes::pixel(x, y)) + 511) / (2 * 511)),
    ("monob", "gray", |b, _, x, y| 255 * (b.byte(y * 3 + x / 8) >> (7 - x % 8) & 1)),
    ("yuv444p10be", "yuv444p10le", |b, c, x, y| b.big_planar(c, x, y) & 1023),
    ("yuv444p12be", "yuv444p12le", |b, c, x, y| b.big_planar(c, x, y) & 4095),
    ("yuv444p16be", "yuv444p16le", |b, c, x, y| b.big_planar(c, x, y) >> 4),
    ("gbrp10be", "gbrp10le", |b, c, x, y| b.big_planar(GBR[c], x, y) & 1023),
    ("gbrp12be", "gbrp12le", |b, c, x, y| b.big_planar(GBR[c], x, y) & 4095),
    ("rgb48be", "gbrp16le", |b, c, x, y| b.big(6 * Bytes::pixel(x, y) + 2 * c) >> 4),
    ("x2rgb10le", "gbrp10le", |b, c, x, y| {
        let at = 4 * Bytes::pixel(x, y);
        (b.little(at) | b.little(at + 2) << 16) >> (20 - 10 * c) & 1023
    }),
    ("yvyu422", "yuv422p", |b, c, x, y| match c {
        0 => b.byte(4 * Bytes::pairs(y) + 2 * x),
        1 => b.byte(4 * (Bytes::pairs(y) + x) + 3),
        _ => b.byte(4 * (Bytes::pairs(y) + x) + 1),
    }),
    ("y210le", "yuv422p10le", |b, c, x, y| match c {
        0 => b.little(8 * Bytes::pairs(y) + 4 * x) >> 6,
        1 => b.little(8 * (Bytes::pairs(y) + x) + 2) >> 6,
        _ => b.little(8 * (Bytes::pairs(y) + x) + 6) >> 6,
    }),
    ("ayuv64le", "yuv444p16le", |b, c, x, y| b.little(8 * Bytes::pixel(x, y) + 2 + 2 * c) >> 4),
    ("rgb565le", "rgb24", |b, c, x, y| {
        let pixel = b.little(2 * Bytes::pixel(x, y));
        match c {
            0 => pixel >> 11 << 3 | pixel >> 13,
            1 => (pixel >> 5 & 63) << 2 | (pixel >> 9 & 3),
            _ => (pixel & 31) << 3 | (pixel >> 2 & 7),
        }
    }),
    ("pal8", "rgb24", |b, c, x, y| b.byte(Bytes::PIXELS + 4 * b.byte(Bytes::pixel(x, y)) as usize + 2 - c)),
];

#[test]
fn conversions_keep_the_samples() {
    let noise = noise(8 * (WIDTH * HEIGHT) as usize + 2048);
    let mut failures = Vec::new();
    for (name, target, expected) in CONVERSIONS {
        let mut bytes = noise.clone();
        // The scaler has its own way of reading words with bits set above the sample depth, which no decoder produces.
        match name {
            "gray10be" => bytes.iter_mut().step_by(2).for_each(|high| *high &= 3),
            "gray9le" => bytes.iter_mut().skip(1).step_by(2).for_each(|high| *high &= 1),
            _ => {}
        }
        let (frame, _) = AvFrame::from_bytes(format(name), (WIDTH, HEIGHT), &bytes);
        let shown = maker().make(frame).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(shown.source.converted_to.as_deref(), Some(target), "{name}");
        let picture = shown.picture;
        let (mut wrong, mut total, mut worst) = (0, 0, 0);
        for component in 0..picture.layout().component_count() {
            let (width, height) = picture.layout().component_size(component, WIDTH, HEIGHT);
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let expected = expected(&Bytes(&bytes), component, x as usize, y as usize);
                let difference = picture.code(component, x, y).abs_diff(expected);
                total += 1;
                wrong += u32::from(difference > 0);
                worst = worst.max(difference);
            }
        }
        if wrong > 0 {
            failures.push(format!("{name} to {target}: {wrong} of {total} samples differ, by up to {worst}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("; "));
}

#[test]
fn every_format_that_ffmpeg_can_convert_becomes_a_picture() {
    let bytes = noise(16 * (WIDTH * HEIGHT) as usize + 2048);
    let mut unreadable = Vec::new();
    for format in PixelFormat::all() {
        let descriptor = format.descriptor().unwrap();
        if descriptor.is_hardware() {
            continue;
        }
        let (frame, _) = AvFrame::from_bytes(format, (WIDTH, HEIGHT), &bytes);
        if let Err(error) = maker().make(frame) {
            assert!(!Scaler::reads(format), "{error}, which FFmpeg's scaler reads");
            unreadable.push(descriptor.name);
        }
    }
    // Their number grows from version to version, but all are rare: 4-bit RGB, packed 4:1:1, big-endian twins, floating
    // point, 32-bit integers.
    let is_rare = |name: &str| {
        ["bgr4", "rgb4", "uyyvyy411"].contains(&name)
            || name.ends_with("be")
            || name.contains("f32")
            || name.contains("f16")
            || ["gray32le", "gbrap32le", "rgb96le", "rgba128le"].contains(&name)
    };
    unreadable.retain(|name| !is_rare(name));
    assert!(unreadable.is_empty(), "{unreadable:?}");
}

#[test]
fn tags_and_overrides_are_told_apart() {
    let bytes = noise(4 * (WIDTH * HEIGHT) as usize);
    let frame = || AvFrame::from_bytes(format("yuv420p"), (WIDTH, HEIGHT), &bytes).0;
    let colorimetry = |matrix: i32, range: i32, options: OpenOptions| {
        let tags = tags::TagNumbers { matrix, range, primaries: 2, transfer: 2 };
        let defaults = StreamDefaults {
            overrides_tags: false,
            is_dolby_ipt: false,
            tags,
            sample_aspect: None,
            coded_sample_aspect: None,
            orientation: None,
            codes_fields: false,
            states_scan: false,
            crop: Crop::default(),
            stated_light: StatedLight::default(),
        };
        let mut maker = PictureMaker::new(&options, defaults);
        let shown = maker.make(frame()).unwrap();
        let colors = *shown.picture.decoded().colorimetry();
        (colors.matrix.to_string(), colors.range.to_string(), maker.notes().len())
    };
    let plain = OpenOptions::default;
    assert_eq!(colorimetry(2, 0, plain()), ("bt601 (guessed)".into(), "limited (guessed)".into(), 0));
    assert_eq!(colorimetry(1, 2, plain()), ("bt709 (tagged)".into(), "full (tagged)".into(), 0));
    // Matrices that are complete by themselves, and ones that lack further information.
    for (matrix, name, notes) in [
        (10, "bt2020c", 0),
        (11, "smpte2085", 0),
        (12, "chroma-derived-nc", 1),
        (13, "chroma-derived-c", 1),
        (14, "ictcp", 1),
        (99, "unknown", 1),
    ] {
        assert_eq!(colorimetry(matrix, 1, plain()), (format!("{name} (tagged)"), "limited (tagged)".into(), notes));
    }
    // Identity on subsampled planes is nonsense.
    assert_eq!(colorimetry(0, 1, plain()), ("bt601 (guessed)".into(), "limited (tagged)".into(), 1));
    let options = OpenOptions { matrix: Some(Matrix::Bt2020), range: Some(Range::Full), ..OpenOptions::default() };
    assert_eq!(colorimetry(1, 1, options), ("bt2020nc (overridden)".into(), "full (overridden)".into(), 0));
}

#[test]
fn half_floats_are_read_as_ieee_754_defines_them() {
    let values = [0x3c00_u16, 0x3c01, 0xbc00, 0x0001, 0x8000, 0x7bff, 0x7c00, 0x3800].map(half);
    let expected = [1.0, 1.0 + 1.0 / 1024.0, -1.0, 2.0_f32.powi(-24), -0.0, 65_504.0, f32::INFINITY, 0.5];
    assert_eq!(values, expected);
    assert!(half(0x7e00).is_nan());
}

#[test]
fn clamped_floats_are_counted_for_every_format() {
    let formats = PixelFormat::all().into_iter().filter(|format| {
        let descriptor = format.descriptor().unwrap();
        descriptor.is_float() && Scaler::reads(*format) && conversion_target(&descriptor).is_some()
    });
    let mut count = 0;
    for format in formats {
        let descriptor = format.descriptor().unwrap();
        let is_half = descriptor.components[0].depth == 16;
        // All samples are 2, then 1.
        for (value, is_above) in [(2.0_f32, true), (1.0, false)] {
            let bits = if value > 1.0 { 0x4000_u16 } else { 0x3c00 };
            let sample = if is_half { bits.to_le_bytes().to_vec() } else { value.to_le_bytes().to_vec() };
            let (frame, _) =
                AvFrame::from_bytes(format, (WIDTH, HEIGHT), &sample.repeat((WIDTH * HEIGHT) as usize * 4));
            let picture = maker().make(frame).unwrap_or_else(|error| panic!("{}: {error}", descriptor.name)).picture;
            let clamped = picture.clamped().map(ClampedSamples::counts);
            let all = WIDTH * HEIGHT;
            assert_eq!(clamped, is_above.then_some([[0, all]; 3]), "{}", descriptor.name);
        }
        count += 1;
    }
    assert!(count >= 3, "{count}");
}
