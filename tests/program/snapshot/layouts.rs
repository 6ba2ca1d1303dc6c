//! Every pixel layout, range and matrix tag is counted as the plain definition does.

use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;

use crate::common::{Clip, noise};
use crate::snapshot::expected::{Kind, check};

const SIZE: (u32, u32) = (19, 7);

/// Returns each format with the layout and range that its name implies. P010 and similar formats are missing: only
/// hardware decoders output them, and no file that FFmpeg decodes in software contains them.
fn formats() -> Vec<(&'static str, PixelLayout, Range)> {
    let planar = PixelLayout::planar_ycbcr;
    let packed = PixelLayout::packed_rgb;
    let limited = [
        ("yuv420p", planar(8, (1, 1))),
        ("yuv422p", planar(8, (1, 0))),
        ("yuv444p", planar(8, (0, 0))),
        ("nv12", PixelLayout::semi_planar(8, (1, 1), false)),
        ("yuv411p", planar(8, (2, 0))),
        ("yuv440p", planar(8, (0, 1))),
        ("yuyv422", PixelLayout::packed_422(false)),
        ("yuv420p10le", planar(10, (1, 1))),
        ("yuv444p12le", planar(12, (0, 0))),
    ];
    let full = [
        ("gray", PixelLayout::gray(8)),
        ("gray10le", PixelLayout::gray(10)),
        ("rgb24", packed(8, [0, 1, 2], 3)),
        ("bgr24", packed(8, [2, 1, 0], 3)),
        ("rgba", packed(8, [0, 1, 2], 4)),
        ("bgra", packed(8, [2, 1, 0], 4)),
        ("argb", packed(8, [1, 2, 3], 4)),
        ("abgr", packed(8, [3, 2, 1], 4)),
        ("gbrp", PixelLayout::planar_gbr(8)),
        ("gbrp10le", PixelLayout::planar_gbr(10)),
        ("rgb48le", packed(16, [0, 1, 2], 3)),
    ];
    let ranged = |range| move |(name, layout)| (name, layout, range);
    limited.into_iter().map(ranged(Range::Limited)).chain(full.into_iter().map(ranged(Range::Full))).collect()
}

/// Returns the matrix of an untagged small clip. R'G'B' has none; everything else is treated as BT.601.
fn matrix(format: &str) -> Matrix {
    if ["rgb", "bgr", "gbr", "arg"].iter().any(|start| format.contains(start)) {
        Matrix::Identity
    } else {
        Matrix::Bt601
    }
}

#[test]
fn every_layout() {
    // Alpha takes bytes that are not counted. Formats with alpha have a single plane.
    let clip = Clip::from_bytes("noise.bin", &noise(16 * 1024, 5));
    let (mut inputs, mut outputs) = (String::new(), String::new());
    for (index, (format, ..)) in formats().iter().enumerate() {
        inputs.push_str(&format!("-f rawvideo -pixel_format {format} -video_size {}x{} -i @ ", SIZE.0, SIZE.1));
        outputs.push_str(&format!("-map {index} -c copy -frames:v 1 @/{format}.nut "));
    }
    clip.make("last.nut", &format!("{inputs}{outputs} -map 0 -c copy -frames:v 1"));
    for (format, layout, range) in formats() {
        let kind = Kind { format, layout, size: SIZE, matrix: matrix(format), range };
        check(&clip.folder().join(format!("{format}.nut")), &kind, &["gpu", "cpu"]);
    }
}

#[test]
fn full_range_twins() {
    for (format, shift) in [("yuvj420p", (1, 1)), ("yuvj422p", (1, 0)), ("yuvj444p", (0, 0))] {
        let clip = Clip::noisy("clip.mjpeg", "38x22", format, 1, "-c:v mjpeg -q:v 2");
        let layout = PixelLayout::planar_ycbcr(8, shift);
        let kind = Kind { format, layout, size: (38, 22), matrix: Matrix::Bt601, range: Range::Full };
        check(clip.path(), &kind, &["gpu", "cpu"]);
    }
}

#[test]
fn tagged_matrices_and_ranges() {
    let tags = [
        ("bt470bg", Matrix::Bt601),
        ("smpte170m", Matrix::Bt601),
        ("bt709", Matrix::Bt709),
        ("bt2020nc", Matrix::Bt2020),
    ];
    for (tag, matrix) in tags {
        for (tagged_range, range) in [("tv", Range::Limited), ("pc", Range::Full)] {
            for (format, depth, shift) in [("yuv420p", 8, (1, 1)), ("yuv444p10le", 10, (0, 0))] {
                let filter = format!(
                    "-vf setparams=range={tagged_range}:colorspace={tag} -color_range {tagged_range} -c:v ffv1"
                );
                let clip = Clip::noisy("clip.mkv", "34x20", format, 1, &filter);
                let layout = PixelLayout::planar_ycbcr(depth, shift);
                check(clip.path(), &Kind { format, layout, size: (34, 20), matrix, range }, &["cpu"]);
            }
        }
    }
}

#[test]
fn tags_reach_the_adapter_too() {
    let filter = "-vf setparams=range=pc:colorspace=bt2020nc -color_range pc -c:v ffv1";
    let clip = Clip::noisy("clip.mkv", "34x20", "yuv422p10le", 1, filter);
    let layout = PixelLayout::planar_ycbcr(10, (1, 0));
    let kind = Kind { format: "yuv422p10le", layout, size: (34, 20), matrix: Matrix::Bt2020, range: Range::Full };
    check(clip.path(), &kind, &["gpu", "cpu"]);
}

#[test]
fn lossless_encoders() {
    let noise = "-c:v libx264 -preset ultrafast -qp 0";
    let clip = Clip::noisy("clip.mp4", "36x26", "yuv444p", 1, noise);
    let layout = PixelLayout::planar_ycbcr(8, (0, 0));
    let kind = Kind { format: "yuv444p", layout, size: (36, 26), matrix: Matrix::Bt601, range: Range::Limited };
    check(clip.path(), &kind, &["cpu"]);
    // R'G'B' in H.264 has G, B and R planes.
    let clip = Clip::noisy("clip.mkv", "36x26", "rgb24", 1, "-c:v libx264rgb -preset ultrafast -qp 0");
    let layout = PixelLayout::planar_gbr(8);
    let kind = Kind { format: "gbrp", layout, size: (36, 26), matrix: Matrix::Identity, range: Range::Full };
    check(clip.path(), &kind, &["cpu"]);
}
