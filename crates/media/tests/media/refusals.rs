//! Files without frames: each is refused with the right reason.

use histoscope_media::{Decoder, MediaError, MediaFault, OpenOptions};

use crate::common::{Clip, decode_all, open_error, picture_bytes};

/// A short MP4.
fn clip() -> Clip {
    Clip::moving("clip.mp4", "64x48", 0.4, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags +faststart")
}

/// Changes bytes of the clip at an offset after the name of a box.
fn changed(clip: &Clip, kind: &[u8; 4], behind: usize, bytes: &[u8]) -> Clip {
    let mut all = clip.bytes();
    let at = all.windows(4).position(|four| four == kind).expect("the box is there") + 4 + behind;
    all[at..at + bytes.len()].copy_from_slice(bytes);
    Clip::from_bytes("changed.mp4", &all)
}

#[test]
fn an_edit_list_that_leaves_out_all() {
    // The only edit begins long after the last frame.
    let clip = changed(&clip(), b"elst", 12, &100_000_u32.to_be_bytes());
    let error = open_error(clip.path());
    assert!(error.contains("its edit list leaves out every frame") && error.contains("-ignore_editlist"), "{error}");
    let made = clip.make("shown.mkv", "-ignore_editlist 1 -i @ -c copy");
    assert_eq!(decode_all(&made).len(), 10, "the advice helps");
}

#[test]
fn a_track_without_a_packet() {
    // The only edit is empty.
    let nothing = changed(&clip(), b"elst", 12, &u32::MAX.to_be_bytes());
    let avi = Clip::moving("clip.avi", "64x48", 0.4, "-c:v mjpeg -bsf:v noise=drop=1");
    for clip in [nothing, avi] {
        let error = open_error(clip.path());
        assert!(error.contains("its video track") && error.contains("is empty"), "{error}");
        assert!(!error.contains("encrypted"), "{error}");
    }
}

#[test]
fn an_index_behind_a_box_of_a_wrong_size() {
    let whole = Clip::moving("clip.mp4", "64x48", 0.4, "-c:v libx264 -pix_fmt yuv420p -movflags +faststart");
    let bytes = whole.bytes();
    let (start, rest) = bytes.split_at(32);
    for size in [3_u32, 1 << 30, 77] {
        let free = [&size.to_be_bytes()[..], b"free"].concat();
        let clip = Clip::from_bytes("clip.mp4", &[start, &free, rest].concat());
        let error = open_error(clip.path());
        assert!(error.contains("the box \"free\" at byte 32 states a wrong size"), "{size}: {error}");
        assert!(!error.contains("missing"), "{error}");
    }
    let cut = Clip::moving("clip.mp4", "64x48", 0.4, "-c:v libx264 -pix_fmt yuv420p");
    let bytes = cut.bytes();
    let index = bytes.windows(4).position(|four| four == b"moov").expect("an index") - 4;
    let error = open_error(Clip::from_bytes("cut.mp4", &bytes[..index]).path());
    assert!(error.contains("is missing"), "{error}");
}

#[test]
fn a_picture_beyond_the_limit_of_ffmpeg() {
    // The header of a PNG is enough for its size; the rest is not needed.
    let small = Clip::new("small.png", "-f lavfi -i color=size=16x16 -frames:v 1 -update 1");
    let mut bytes = small.bytes();
    for (at, side) in [(16, 30_000_u32), (20, 40_000)] {
        bytes[at..at + 4].copy_from_slice(&side.to_be_bytes());
    }
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    let error = open_error(Clip::from_bytes("large.png", &bytes).path());
    assert!(error.contains("30000×40000 pixels, more than FFmpeg can decode"), "{error}");
    assert!(Decoder::open(small.path(), &OpenOptions::default()).is_ok(), "the one before is forgotten");
}

/// Returns the checksum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

fn webp(name: &str, encoder: &str, frames: u32) -> Clip {
    let alpha = "format=yuva420p,geq=lum=lum(X\\,Y):cb=cb(X\\,Y):cr=cr(X\\,Y):a=2*X+Y";
    let source = "-f lavfi -i testsrc2=size=96x64:rate=5";
    Clip::new(name, &format!("{source} -frames:v {frames} -vf {alpha} -c:v {encoder}"))
}

#[test]
fn an_animated_webp() {
    let clip = webp("moving.webp", "libwebp_anim", 5);
    match Decoder::open(clip.path(), &OpenOptions::default()) {
        // Newer versions of FFmpeg read them.
        Ok(_) => {}
        Err(error) => assert!(matches!(error, MediaError { fault: MediaFault::AnimatedWebp, .. }), "{error}"),
    }
}

#[test]
fn damaged_alpha_of_a_webp_harms_nothing() {
    let clip = webp("still.webp", "libwebp", 1);
    let whole = decode_all(clip.path());
    let bytes = clip.bytes();
    let alpha = bytes.windows(4).position(|four| four == b"ALPH").expect("the picture has alpha");
    let colour = bytes.windows(4).position(|four| four == b"VP8 ").expect("the picture is lossy");
    let mut damaged = bytes;
    for at in alpha + 9..colour {
        damaged[at] = 0xa5 ^ (at * 7) as u8;
    }
    let clip = Clip::from_bytes("damaged.webp", &damaged);
    let frames = decode_all(clip.path());
    assert_eq!(frames.len(), 1);
    assert!(picture_bytes(&frames[0].picture) == picture_bytes(&whole[0].picture), "colour is as it was");
    // FFmpeg's own result for the whole file.
    let raw = crate::common::raw_frames(webp("still.webp", "libwebp", 1).path(), "yuv420p");
    assert!(picture_bytes(&whole[0].picture) == raw);
}
