//! The cropping of the codec and the container, to the pixel. FFmpeg's own filter gives the expected picture.

use std::path::{Path, PathBuf};

use histoscope_core::picture::Frame;
use histoscope_core::picture::color::{Matrix, Sourced};
use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::picture::crop::{Crop, CropUse, Cropping, StatedCrop};
use histoscope_media::{Decoder, OpenOptions};

use crate::common::odd::with_clean_aperture;
use crate::common::{Clip, is_ffmpeg_7_1, open, open_error, picture_bytes, raw_frames, rest};

/// A clip of two frames, and the same clip with headers that crop other numbers of columns and lines.
struct Cropped {
    whole: Clip,
    cropped: PathBuf,
}

impl Cropped {
    fn new(size: &str, coding: &str, metadata: &str) -> Self {
        let whole = Clip::moving("whole.mkv", size, 0.08, coding);
        let cropped = whole.make("cropped.mkv", &format!("-i @ -c copy -bsf:v {metadata}"));
        Self { whole, cropped }
    }

    /// Returns the part of the whole pictures that FFmpeg crops them to.
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

fn open_with(path: &Path, cropping: CroppingChoice) -> Decoder {
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
    // Without cropping, the coded edges are shown.
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

/// Returns true if FFmpeg reports the cropping of containers. Prints a note if it does not.
fn containers_tell() -> bool {
    if !is_ffmpeg_7_1() {
        eprintln!("NOT TESTED: FFmpeg tells what containers crop from 7.1 on");
    }
    is_ffmpeg_7_1()
}

/// Makes an H.264 clip, which codes 192 lines and crops 8.
fn whole() -> Clip {
    Clip::moving("whole.mp4", "320x184", 0.08, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p")
}

/// The same clip in MP4, MOV and Matroska, with further cropping by the container.
struct InContainers {
    whole: Clip,
    mp4: Clip,
    others: [PathBuf; 2],
}

impl InContainers {
    fn new(crop: Crop) -> Self {
        let whole = whole();
        let mp4 = with_clean_aperture(&whole, "cropped.mp4", crop);
        let others = ["cropped.mov", "cropped.mkv"].map(|name| mp4.make(name, "-i @ -c copy"));
        Self { whole, mp4, others }
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.mp4.path()).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Returns FFmpeg's crop of the whole pictures, after repeating each chroma sample this many times to the right and
    /// down.
    fn expected(&self, crop: Crop, format: &str, (right, down): (u32, u32)) -> Vec<u8> {
        let scale = format!("scale=iw*{right}:ih*{down}:flags=neighbor,setsar=1");
        let planes = format!("extractplanes=y+u+v[y][u][v];[u]{scale}[cb];[v]{scale}[cr]");
        let (width, height) = crop.leaves((320, 184)).unwrap();
        let cut = format!("crop={width}:{height}:{}:{}:exact=1", crop.left, crop.top);
        let filter = format!("{planes};[y][cb][cr]mergeplanes=0x001020:{format},{cut}");
        let cut = self.whole.make("cut.mkv", &format!("-i @ -lavfi {filter} -c:v ffv1 -pix_fmt {format}"));
        raw_frames(&cut, format)
    }
}

#[test]
fn what_the_container_crops_is_left_out() {
    if !containers_tell() {
        return;
    }
    let crop = Crop { left: 32, right: 10, top: 4, bottom: 6 };
    let clips = InContainers::new(crop);
    for path in clips.paths() {
        let name = path.display();
        for (choice, size, codec, container) in [
            (CroppingChoice::All, (278, 174), CropUse::Applied, CropUse::Applied),
            (CroppingChoice::Codec, (320, 184), CropUse::Applied, CropUse::Declined),
            (CroppingChoice::None, (320, 192), CropUse::Declined, CropUse::Declined),
        ] {
            let mut decoder = open_with(path, choice);
            let info = decoder.info();
            assert_eq!((info.coded_size, info.stated_size), (size, size), "{name}: {choice:?}");
            let frames = rest(&mut decoder);
            let expected = Cropping {
                decoded_size: (320, 192),
                codec: StatedCrop { crop: Crop { bottom: 8, ..Crop::default() }, used: codec },
                container: StatedCrop { crop, used: container },
            };
            assert_eq!(frames[0].source.cropping, expected, "{name}: {choice:?}");
            assert_eq!((frames[0].picture.width(), frames[0].picture.height()), size, "{name}: {choice:?}");
            let pictures = match choice {
                CroppingChoice::All => clips.expected(crop, "yuv420p", (1, 1)),
                CroppingChoice::Codec => raw_frames(clips.whole.path(), "yuv420p"),
                CroppingChoice::None => bytes(&rest(&mut open_with(clips.whole.path(), choice))),
            };
            assert!(frames.len() == 2 && bytes(&frames) == pictures, "{name}: {choice:?}");
        }
        // FFmpeg's own program agrees.
        assert!(raw_frames(path, "yuv420p") == clips.expected(crop, "yuv420p", (1, 1)), "{name}");
    }
}

#[test]
fn a_container_crops_between_pixels_that_share_chroma() {
    if !containers_tell() {
        return;
    }
    for ([left, right, top, bottom], format, repeated) in [
        ([5, 0, 3, 0], "yuv444p", (2, 2)),
        ([3, 2, 2, 1], "yuv440p", (2, 1)),
        ([2, 3, 1, 2], "yuv422p", (1, 2)),
        ([2, 3, 4, 1], "yuv420p", (1, 1)),
    ] {
        let crop = Crop { left, right, top, bottom };
        let clips = InContainers::new(crop);
        for path in clips.paths() {
            let frames = rest(&mut open(path));
            assert_eq!(frames[0].source.cropping.container, StatedCrop { crop, used: CropUse::Applied });
            assert!(bytes(&frames) == clips.expected(crop, format, repeated), "{}: {crop:?}", path.display());
        }
    }
}

/// Replaces the last occurrence of some bytes in the file.
fn changed(name: &str, mut file: Vec<u8>, old: &[u8], new: &[u8]) -> Clip {
    let at = file.windows(old.len()).rposition(|bytes| bytes == old).expect("the bytes are there");
    file[at..at + new.len()].copy_from_slice(new);
    Clip::from_bytes(name, &file)
}

#[test]
fn a_cropping_beyond_what_the_codec_leaves_is_ignored() {
    if !containers_tell() {
        return;
    }
    // The rectangle is inside the picture of the size that the container states, but beyond the coded one.
    let whole = whole();
    let [stated, coded] = [[640_u16, 480], [320, 184]].map(|size| size.map(u16::to_be_bytes).concat());
    let larger = changed("larger.mp4", whole.bytes(), &coded, &stated);
    let crop = Crop { left: 400, ..Crop::default() };
    let mut decoder = open(with_clean_aperture(&larger, "cropped.mp4", crop).path());
    let notes = decoder.info().notes.join("; ");
    assert!(notes.contains("the container's cropping (400 columns at the left) would leave nothing"), "{notes}");
    let frames = rest(&mut decoder);
    assert_eq!(frames[0].source.cropping.container, StatedCrop { crop, used: CropUse::Impossible });
    assert!(bytes(&frames) == raw_frames(whole.path(), "yuv420p"));
}

#[test]
fn a_cropping_beyond_what_the_container_states_is_for_ffmpeg_to_judge() {
    if !containers_tell() {
        return;
    }
    let clips = InContainers::new(Crop { left: 100, right: 100, ..Crop::default() });
    let wide = changed("wide.mp4", clips.mp4.bytes(), b"clap\0\0\0\x78", b"clap\0\0\x01\x90");
    let matroska = std::fs::read(&clips.others[1]).unwrap();
    let all = changed("all.mkv", matroska, b"\x54\xcc\x81\x64", b"\x54\xcc\x81\xdc");
    for clip in [wide, all] {
        // Some versions refuse the file, others ignore the cropping.
        let shown = raw_frames(clip.path(), "yuv420p");
        if shown.is_empty() {
            let error = open_error(clip.path());
            assert!(error.contains("not a video that FFmpeg recognises"), "{error}");
        } else {
            let frames = rest(&mut open(clip.path()));
            assert_eq!(frames[0].source.cropping.container, StatedCrop::default());
            assert!(bytes(&frames) == shown);
        }
    }
}
