//! The counts against independent software: FFmpeg's `zscale` filter, which uses the zimg library.
//!
//! It converts 4:4:4 and gray pictures to planar R'G'B' of the same depth with its own arithmetic, in floating point.
//! The red, green and blue histograms must be within 0.02 codes of its result in earth mover's distance: the mean
//! distance by which a sample would have to be moved.
//!
//! Two traps of FFmpeg 5.1 shape this test. `zscale` does not accept gray, so FFmpeg silently inserts its other scaler,
//! which ignores limited range. So gray is passed as 4:4:4 with neutral chroma, and the test fails if any scaler is
//! inserted. Subsampled pictures are not tested: zimg interpolates chroma, while the histograms use the nearest sample.
//!
//! Helpers of a test may unwrap and print, as the tests themselves may.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::Write;
use std::process::Command;
use std::sync::Arc;

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::{OwnedPlanes, Picture};
use histoscope_render::cpu::Engine;

use crate::support::{colorimetry, natural};

const SIZE: (u32, u32) = (322, 182);
const MAX_CODES: f64 = 0.02;

/// Runs FFmpeg and returns its standard output.
fn ffmpeg(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-nostdin", "-loglevel", "verbose"])
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("ffmpeg cannot be run ({error}); scripts/setup installs it"));
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(
        !log.contains("No such filter: 'zscale'"),
        "ffmpeg lacks the zscale filter; scripts/setup installs one with it"
    );
    assert!(output.status.success(), "ffmpeg {arguments:?} failed:\n{log}");
    assert!(!log.contains("auto-inserting filter"), "ffmpeg converted behind our back:\n{log}");
    output.stdout
}

/// Makes a picture of three planes of this depth, one after the other.
fn three_planes(layout: PixelLayout, matrix: Matrix, range: Range, bytes: &[u8]) -> Picture {
    let stride = SIZE.0 as usize * usize::from(layout.sample_bytes);
    assert_eq!(bytes.len(), 3 * stride * SIZE.1 as usize, "three whole planes");
    let planes = bytes.chunks_exact(stride * SIZE.1 as usize).map(|plane| (plane.to_vec(), stride)).collect();
    Picture::new(layout, SIZE, colorimetry(matrix, range), Arc::new(OwnedPlanes { planes })).unwrap()
}

/// Returns the picture's planes as 4:4:4, one after the other. Gray gets neutral chroma.
fn as_444(picture: &Picture) -> Vec<u8> {
    let layout = picture.layout();
    let mut bytes = picture.plane(0).bytes.to_vec();
    if layout.model == ColorModel::Gray {
        let neutral = (1_u16 << (layout.depth - 1)).to_le_bytes();
        let samples = 2 * picture.pixel_count() as usize;
        bytes.extend(neutral[..layout.sample_bytes.into()].repeat(samples));
    } else {
        bytes.extend(picture.plane(1).bytes);
        bytes.extend(picture.plane(2).bytes);
    }
    bytes
}

/// Returns the picture as converted by zimg: planar R'G'B' of the same depth.
fn converted_by_zimg(picture: &Picture) -> Picture {
    let depth = picture.layout().depth;
    let (source, target) = if depth == 8 { ("yuv444p", "gbrp") } else { ("yuv444p10le", "gbrp10le") };
    let matrix = match picture.colorimetry().matrix.value {
        Matrix::Bt709 => "709",
        Matrix::Bt601 => "170m",
        Matrix::Bt2020 => "2020_ncl",
        matrix => panic!("no name for {matrix}"),
    };
    let range = picture.colorimetry().range.value.name();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&as_444(picture)).unwrap();
    let size = format!("{}x{}", SIZE.0, SIZE.1);
    let filter = format!("zscale=matrixin={matrix}:rangein={range}:matrix=gbr:range=full:dither=none,format={target}");
    let path = file.path().to_str().unwrap();
    let input = ["-f", "rawvideo", "-pixel_format", source, "-video_size", &size, "-i", path];
    let output = ["-vf", &filter, "-f", "rawvideo", "pipe:1"];
    let bytes = ffmpeg(&[input.as_slice(), &output].concat());
    three_planes(PixelLayout::planar_gbr(depth), Matrix::Identity, Range::Full, &bytes)
}

/// Returns the largest earth mover's distance of the red, green and blue bins, in codes.
fn distance(a: &Histogram, b: &Histogram) -> f64 {
    assert_eq!(a.bits, b.bits);
    let of_channel = |channel| {
        let (mut carried, mut moved, mut samples) = (0_i64, 0_i64, 0_i64);
        for (&x, &y) in a.bins(channel).iter().zip(b.bins(channel)) {
            carried += i64::from(x) - i64::from(y);
            moved += carried.abs();
            samples += i64::from(x);
        }
        assert_eq!(carried, 0, "both hold the same number of samples");
        moved as f64 / samples as f64
    };
    (0..3).map(of_channel).fold(0.0, f64::max)
}

/// Returns FFmpeg's test chart as legal 4:4:4 codes: saturated colours, ramps and edges.
fn chart(depth: u8, matrix: Matrix, range: Range) -> Picture {
    let format = if depth == 8 { "yuv444p" } else { "yuv444p10le" };
    let source = format!("testsrc2=size={}x{}:rate=1", SIZE.0, SIZE.1);
    // The chart is drawn in 4:2:0. Its exact samples do not matter, so any conversion will do here.
    let filter = format!("scale=flags=neighbor,format={format}");
    let output = ["-vf", &filter, "-frames:v", "1", "-f", "rawvideo", "pipe:1"];
    let bytes = ffmpeg(&[["-f", "lavfi", "-i", &source].as_slice(), &output].concat());
    three_planes(PixelLayout::planar_ycbcr(depth, (0, 0)), matrix, range, &bytes)
}

/// Fails unless reference and CPU engine agree with zimg.
fn check(picture: &Picture, what: &str) {
    let zimg = reference::histogram(&converted_by_zimg(picture), Components::Rgbl);
    let ours = reference::histogram(picture, Components::Rgbl);
    let codes = distance(&ours, &zimg);
    println!("{what}: {codes:.5} codes");
    assert!(codes <= MAX_CODES, "{what}: {codes} codes from zimg");
    assert_eq!(*Engine::new().count(picture, Components::Rgbl), ours, "{what}: the CPU engine");
}

const MATRICES: [Matrix; 3] = [Matrix::Bt709, Matrix::Bt601, Matrix::Bt2020];

#[test]
fn full_chroma_pictures_agree_with_zimg() {
    for depth in [8, 10] {
        for range in [Range::Limited, Range::Full] {
            for matrix in MATRICES {
                let layout = PixelLayout::planar_ycbcr(depth, (0, 0));
                let picture = natural(layout, SIZE, colorimetry(matrix, range), 7);
                check(&picture, &format!("natural 4:4:4 {depth} bits {matrix} {range}"));
                check(&chart(depth, matrix, range), &format!("chart 4:4:4 {depth} bits {matrix} {range}"));
            }
        }
    }
}

#[test]
fn gray_pictures_agree_with_zimg() {
    for depth in [8, 10] {
        for range in [Range::Limited, Range::Full] {
            let picture = natural(PixelLayout::gray(depth), SIZE, colorimetry(Matrix::Bt709, range), 7);
            check(&picture, &format!("natural gray {depth} bits {range}"));
        }
    }
}

/// Guards against a comparison that never fails: a wrong matrix and a wrong range are far outside the tolerance.
#[test]
fn a_wrong_matrix_or_range_is_noticed() {
    let right = colorimetry(Matrix::Bt709, Range::Limited);
    let chart = chart(8, Matrix::Bt709, Range::Limited);
    let gray = natural(PixelLayout::gray(10), SIZE, right, 7);
    for (picture, wrong) in [
        (&chart, colorimetry(Matrix::Bt601, Range::Limited)),
        (&chart, colorimetry(Matrix::Bt709, Range::Full)),
        (&gray, colorimetry(Matrix::Bt709, Range::Full)),
    ] {
        let zimg = reference::histogram(&converted_by_zimg(picture), Components::Rgbl);
        let ours = reference::histogram(&picture.with_colorimetry(wrong), Components::Rgbl);
        let codes = distance(&ours, &zimg);
        println!("read as {} {}: {codes:.3} codes", wrong.matrix, wrong.range);
        assert!(codes > 50.0 * MAX_CODES, "{codes} codes");
    }
}
