//! Samples reach the program as they are in the file, whatever the pixel format.

use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ColorModel;

use crate::common::{Clip, decode_all, noise, picture_bytes};

const WIDTH: u32 = 19;
const HEIGHT: u32 = 7;

/// Makes two frames of noise in each pixel format, as files `FORMAT.nut` beside `noise.bin`.
fn noise_clips(formats: &[&str]) -> (Clip, Vec<u8>) {
    let bytes = noise(64 * 1024, 5);
    let clip = Clip::from_bytes("noise.bin", &bytes);
    let (mut inputs, mut outputs) = (String::new(), String::new());
    for (index, format) in formats.iter().enumerate() {
        inputs.push_str(&format!("-f rawvideo -pixel_format {format} -video_size {WIDTH}x{HEIGHT} -i @ "));
        outputs.push_str(&format!("-map {index} -c copy -frames:v 2 @/{format}.nut "));
    }
    clip.make("last.nut", &format!("{inputs}{outputs} -map 0 -c copy -frames:v 1"));
    (clip, bytes)
}

/// Returns the two pictures of a format's clip.
fn pictures(clip: &Clip, format: &str) -> [Picture; 2] {
    let frames = decode_all(&clip.folder().join(format!("{format}.nut")));
    assert_eq!(frames.len(), 2, "{format}");
    assert_eq!(frames[0].source.pixel_format, format);
    [frames[0].picture.clone(), frames[1].picture.clone()]
}

#[test]
fn native_formats_are_not_touched() {
    // For formats with a separate alpha plane: bytes of alpha per pixel after the picture's planes.
    let mut formats: Vec<(&str, usize)> = "yuv420p yuv422p yuv444p yuv410p yuv411p yuv440p yuv420p10le yuv422p10le \
        yuv444p10le yuv420p12le yuv422p12le yuv444p12le yuv420p14le yuv422p14le yuv444p14le \
        yuv420p16le yuv422p16le yuv444p16le nv12 nv21 \
        yuyv422 uyvy422 gray gray10le gray12le gray14le gray16le ya8 gbrp gbrp10le gbrp12le gbrp14le gbrp16le \
        rgb24 bgr24 rgba bgra argb abgr rgb0 bgr0 0rgb 0bgr rgb48le bgr48le rgba64le bgra64le"
        .split_whitespace()
        .map(|format| (format, 0))
        .collect();
    formats.extend(["yuva420p", "yuva422p", "yuva444p", "gbrap"].map(|format| (format, 1)));
    formats.extend(["yuva420p10le", "yuva422p10le", "yuva444p10le", "gbrap10le"].map(|format| (format, 2)));
    formats.extend(["yuva422p12le", "yuva444p12le", "gbrap12le", "yuva444p16le", "gbrap16le"].map(|f| (f, 2)));
    let names: Vec<_> = formats.iter().map(|(name, _)| *name).collect();
    let (clip, bytes) = noise_clips(&names);
    for (format, alpha) in formats {
        let mut at = 0;
        for picture in pictures(&clip, format) {
            let found = picture_bytes(&picture);
            assert!(found == bytes[at..][..found.len()], "{format}: the samples differ");
            at += found.len() + alpha * (WIDTH * HEIGHT) as usize;
        }
    }
}

#[test]
fn nine_bits_reach_the_highest_code() {
    for (format, planes, range, is_stretched) in [
        ("gbrp9le", 3, "", true),
        ("gbrp9be", 3, "", true),
        ("gray9le", 1, "", true),
        ("gbrp9le", 3, "-color_range tv", false),
        ("gray9le", 1, "-color_range tv", false),
        ("yuv444p9le", 3, "", false),
    ] {
        let code_bytes = |code: u16| if format.ends_with("be") { code.to_be_bytes() } else { code.to_le_bytes() };
        let plane: Vec<u8> = (0..512).flat_map(code_bytes).collect();
        let ramp = Clip::from_bytes("ramp.bin", &plane.repeat(planes));
        let input = format!("-f rawvideo -pixel_format {format} -video_size 512x1 {range} -i @");
        let path = ramp.make(
            "ramp.mkv",
            &format!("{input} -c:v ffv1 -strict experimental -pix_fmt {} {range}", format.replace("be", "le")),
        );
        let frames = decode_all(&path);
        let picture = &frames[0].picture;
        assert_eq!(picture.layout().depth, 10);
        let expected: Vec<u8> = (0..512_u16)
            .map(|code| if is_stretched { (f64::from(code) * 1023.0 / 511.0).round() as u16 } else { 2 * code })
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(picture_bytes(picture) == expected.repeat(planes), "{format} {range}");
    }
}

#[test]
fn full_range_formats_say_so() {
    let clip = Clip::moving("clip.mjpeg", "40x30", 0.2, "-c:v mjpeg -pix_fmt yuvj422p");
    let frames = decode_all(clip.path());
    let range = frames[0].picture.colorimetry().range;
    assert_eq!(range.to_string(), "full (tagged)");
    assert_eq!(frames[0].picture.layout().model, ColorModel::YCbCr);
}
