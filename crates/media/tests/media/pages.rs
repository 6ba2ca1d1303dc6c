//! Decoded pictures are in whole pages, one picture per block, and blocks are reused.

use std::collections::{HashSet, VecDeque};

use histoscope_core::picture::{Pages, Picture};
use histoscope_media::{Decoder, OpenOptions};

use crate::common::{Clip, decode_all, picture_bytes, raw_frames};

const H264: &str = "-c:v libx264 -preset ultrafast -bf 3 -g 25 -pix_fmt yuv420p";

/// Returns the address of the picture's pages. Asserts that they contain all its rows.
fn block_of(picture: &Picture) -> usize {
    let pages = picture.pages().expect("this decoder takes memory from us");
    let (start, length) = (pages.memory().start().addr().get(), pages.memory().length());
    assert_eq!((start % Pages::SIZE, length % Pages::SIZE), (0, 0), "whole pages");
    for plane in 0..picture.layout().plane_count() {
        let (_, rows) = picture.layout().plane_size(plane, picture.width(), picture.height());
        let view = picture.plane(plane);
        let first = view.bytes.as_ptr().addr();
        assert!(first >= start && first + view.stride * rows <= start + length, "plane {plane}");
    }
    start
}

#[test]
fn pictures_that_live_at_once_lie_apart_and_blocks_are_used_again() {
    let clip = Clip::moving("clip.mp4", "322x180", 8.0, H264);
    let options = OpenOptions { threads: Some(4), ..OpenOptions::default() };
    let mut decoder = Decoder::open(clip.path(), &options).unwrap();
    let (mut alive, mut blocks, mut frames) = (VecDeque::new(), HashSet::new(), 0);
    while let Some(frame) = decoder.next_frame().unwrap() {
        let block = block_of(&frame.picture);
        assert!(alive.iter().all(|(other, _)| *other != block), "frame {frames} lies where a living one does");
        blocks.insert(block);
        alive.push_back((block, frame));
        if alive.len() > 5 {
            alive.pop_front();
        }
        frames += 1;
    }
    assert_eq!(frames, 200);
    assert!(blocks.len() < 50, "{} blocks for 200 frames", blocks.len());
}

#[test]
fn pictures_outlive_their_decoder() {
    let clip = Clip::moving("clip.mp4", "322x180", 1.0, H264);
    // Every frame is kept until the decoder is gone.
    let frames = decode_all(clip.path());
    let blocks: HashSet<_> = frames.iter().map(|frame| block_of(&frame.picture)).collect();
    assert_eq!(blocks.len(), frames.len());
    let found: Vec<u8> = frames.iter().flat_map(|frame| picture_bytes(&frame.picture)).collect();
    assert!(found == raw_frames(clip.path(), "yuv420p"), "the pixels differ");
}

#[test]
fn pictures_of_the_old_size_stay_whole_when_the_size_changes() {
    let clip = Clip::moving("small.h264", "160x120", 1.0, H264);
    let large = clip.make("large.h264", &format!("-f lavfi -i testsrc2=size=320x240:rate=25:duration=1 {H264}"));
    let both = Clip::from_bytes("both.h264", &[clip.bytes(), std::fs::read(&large).unwrap()].concat());
    let frames = decode_all(both.path());
    let sizes: Vec<_> = frames.iter().map(|frame| frame.picture.width()).collect();
    assert_eq!((sizes.iter().filter(|w| **w == 160).count(), sizes.iter().filter(|w| **w == 320).count()), (25, 25));
    let found: Vec<u8> = frames.iter().flat_map(|frame| picture_bytes(&frame.picture)).collect();
    let expected = [raw_frames(clip.path(), "yuv420p"), raw_frames(&large, "yuv420p")].concat();
    assert!(found == expected, "the pixels differ");
}

#[test]
fn converted_pictures_lie_elsewhere() {
    let clip = Clip::moving("clip.nut", "64x48", 0.2, "-c:v rawvideo -pix_fmt rgb555le");
    let frames = decode_all(clip.path());
    assert!(!frames.is_empty() && frames.iter().all(|frame| frame.picture.pages().is_none()));
}
