//! Frames come out whole, once, in order and with the decoder's own pixels.

mod common;

use common::{Clip, ffprobe_frames, raw_frames};
use histoscope::frame::{Frame, Picture};
use histoscope::media::{Decoder, OpenOptions};

fn decode_all(clip: &Clip) -> Vec<Frame> {
    let mut decoder = Decoder::open(clip.path(), &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut frames = Vec::new();
    while let Some(frame) = decoder.next_frame().expect("reading goes on") {
        frames.push(frame);
    }
    frames
}

/// The bytes in use of all planes, as `ffmpeg -f rawvideo` writes them for formats without alpha.
fn raw_bytes(picture: &Picture) -> Vec<u8> {
    let mut bytes = Vec::new();
    for plane in 0..picture.layout().plane_count() {
        let (row_bytes, rows) = picture.layout().plane_size(plane, picture.width(), picture.height());
        for y in 0..rows {
            bytes.extend_from_slice(picture.plane(plane).row(y, row_bytes));
        }
    }
    bytes
}

#[test]
fn every_frame_comes_once_and_in_order() {
    let clip = Clip::moving("clip.mp4", "160x120", 2.0, "-c:v libx264 -bf 3 -g 20 -pix_fmt yuv420p");
    let frames = decode_all(&clip);
    assert_eq!(frames.len() as u64, ffprobe_frames(clip.path()));
    assert_eq!(frames.len(), 50);
    for (index, frame) in frames.iter().enumerate() {
        assert_eq!(frame.index, Some(index as u64));
        assert!((frame.time_secs - index as f64 / 25.0).abs() < 1e-9, "{}", frame.time_secs);
        assert!((frame.duration_secs - 0.04).abs() < 1e-9);
    }
    let bytes: Vec<u8> = frames.iter().flat_map(|frame| raw_bytes(&frame.picture)).collect();
    assert!(bytes == raw_frames(clip.path(), "yuv420p"), "the pixels differ");
}
