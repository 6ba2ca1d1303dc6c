//! What the codec leaves out at the edges, to the pixel: FFmpeg's own filter says what has to remain.

use histoscope::CroppingChoice;
use histoscope::media::{Decoder, OpenOptions};
use histoscope::picture::Frame;
use histoscope::picture::color::{Matrix, Sourced};
use histoscope::picture::crop::{Crop, CropUse};

use crate::common::{Clip, open, picture_bytes, raw_frames, rest};

/// A clip of two frames and the same with other numbers of columns and lines left out by its headers.
struct Cropped {
    whole: Clip,
    cropped: std::path::PathBuf,
}

impl Cropped {
    fn new(size: &str, coding: &str, metadata: &str) -> Self {
        let whole = Clip::moving("whole.mkv", size, 0.08, coding);
        let cropped = whole.make("cropped.mkv", &format!("-i @ -c copy -bsf:v {metadata}"));
        Self { whole, cropped }
    }

    /// What FFmpeg cuts out of the whole pictures.
    fn expected(&self, format: &str, size: (u32, u32), place: (u32, u32)) -> Vec<u8> {
        let ((width, height), (x, y)) = (size, place);
        let filter = format!("crop={width}:{height}:{x}:{y}:exact=1");
        let cut = self.whole.make("cut.mkv", &format!("-i @ -vf {filter} -c:v ffv1 -pix_fmt {format}"));
        raw_frames(&cut, format)
    }
}

fn bytes(frames: &[Frame]) -> Vec<u8> {
    frames.iter().flat_map(|frame| picture_bytes(&frame.picture)).collect()
}

fn open_with(path: &std::path::Path, cropping: CroppingChoice) -> Decoder {
    Decoder::open(path, &OpenOptions { cropping, ..OpenOptions::default() }).unwrap()
}

#[test]
fn a_left_crop_of_any_width_is_exact() {
    let coding = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";
    for (left, right, top) in [(240, 240, 0), (2, 0, 0), (50, 6, 2), (30, 0, 18)] {
        let metadata = format!("h264_metadata=crop_left={left}:crop_right={right}:crop_top={top}");
        let clip = Cropped::new("1920x1080", coding, &metadata);
        let mut decoder = open(&clip.cropped);
        let size = (1920 - left - right, 1080 - top);
        assert_eq!((decoder.info().coded_size, decoder.info().stated_size), (size, size), "left {left}");
        let frames = rest(&mut decoder);
        assert!(frames.len() == 2 && bytes(&frames) == clip.expected("yuv420p", size, (left, top)), "left {left}");
        let cropping = frames[0].source.cropping;
        assert_eq!(cropping.decoded_size, (1920, 1088));
        assert_eq!(cropping.codec.crop, Crop { left, right, top, bottom: 8 });
    }
}

#[test]
fn deep_hevc_is_cropped_to_the_pixel_too() {
    for (format, left) in [("yuv420p", 14), ("yuv420p10le", 6), ("yuv422p10le", 22), ("yuv444p12le", 3)] {
        let coding = format!("-c:v libx265 -preset ultrafast -x265-params log-level=error -pix_fmt {format}");
        let metadata = format!("hevc_metadata=crop_left={left}:crop_top=2");
        let clip = Cropped::new("256x144", &coding, &metadata);
        let frames = rest(&mut open(&clip.cropped));
        let size = (256 - left, 142);
        assert_eq!((frames[0].picture.width(), frames[0].picture.height()), size, "{format}");
        assert!(bytes(&frames) == clip.expected(format, size, (left, 2)), "{format}");
    }
}

#[test]
fn without_cropping_all_that_is_decoded_is_there() {
    let clip = Cropped::new("320x184", "-c:v libx264 -preset ultrafast", "h264_metadata=crop_left=32:crop_bottom=40");
    let frames = rest(&mut open_with(&clip.cropped, CroppingChoice::None));
    assert_eq!((frames[0].picture.width(), frames[0].picture.height()), (320, 192));
    assert_eq!(frames[0].source.cropping.codec.used, CropUse::Declined);
    let codec = rest(&mut open_with(&clip.cropped, CroppingChoice::Codec));
    assert_eq!((codec[0].picture.width(), codec[0].picture.height()), (288, 152));
    // What is left out is what was coded there.
    let whole = rest(&mut open_with(clip.whole.path(), CroppingChoice::None));
    assert!(bytes(&frames) == bytes(&whole));
    assert!(bytes(&codec) == clip.expected("yuv420p", (288, 152), (32, 0)));
}

#[test]
fn a_picture_of_odd_height_has_all_its_lines() {
    for (size, height) in [("64x47", 47), ("63x33", 33)] {
        let clip = Clip::noisy("odd.mkv", size, "yuv420p", 2, "-c:v libvpx-vp9 -lossless 1");
        let frames = rest(&mut open(clip.path()));
        assert_eq!(frames[0].picture.height(), height);
        assert!(bytes(&frames) == raw_frames(clip.path(), "yuv420p"), "{size}");
    }
}

#[test]
fn d10_is_read_by_its_active_lines() {
    for (size, matrix) in [("720x608", Matrix::Bt601), ("720x512", Matrix::Bt601), ("704x608", Matrix::Bt709)] {
        let clip = Clip::moving("imx.mxf", size, 0.08, "-c:v mpeg2video -pix_fmt yuv422p -intra_vlc 1 -g 1 -b:v 50M");
        let frames = rest(&mut open(clip.path()));
        assert_eq!(frames[0].picture.colorimetry().matrix, Sourced::guessed(matrix), "{size}");
    }
}
