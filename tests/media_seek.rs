//! A seek leads to the frame that decoding from the start would show at that time.

mod common;

use common::Clip;
use histoscope::media::{Decoder, OpenOptions, SeekTarget};

#[test]
fn exact_seeks_find_the_frame() {
    let clip = Clip::moving("clip.mp4", "160x120", 4.0, "-c:v libx264 -bf 3 -g 30 -pix_fmt yuv420p");
    let mut decoder = Decoder::open(clip.path(), &OpenOptions::default()).unwrap();
    for (secs, expected) in [(1.99, 49), (0.0, 0), (3.97, 99), (2.0, 50), (0.05, 1), (99.0, 99), (-1.0, 0)] {
        decoder.seek(SeekTarget::Exact(secs)).unwrap();
        let frame = decoder.next_frame().unwrap().unwrap();
        assert_eq!((frame.time_secs * 25.0).round() as i64, expected, "{secs}");
    }
}
