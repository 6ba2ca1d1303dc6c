//! Joined streams and odd rates: each frame once, and seeks by number or time to the same frames as linear decoding.

use std::path::Path;

use histoscope_media::{Seek, SeekTarget};

use crate::common::{self, Clip, open};
use crate::seek::{Linear, go, take};

/// Seeks with a new decoder for each, then with one decoder for all.
fn check(path: &Path, positions: &[usize]) -> Linear {
    let name = path.display();
    let linear = Linear::new(path);
    assert_eq!(linear.frames.len() as u64, common::ffprobe_frames(path), "{name}: frames");
    assert!(linear.frames.windows(2).all(|pair| pair[0].pts_ticks < pair[1].pts_ticks), "{name}: times rise");
    let mut used = open(path);
    for &position in positions {
        let number = Seek::Exact(SeekTarget::Number(position as u64));
        let time = Seek::to(linear.frames[position].time_secs);
        for (way, seek) in [("number", number), ("time", time)] {
            for (state, decoder) in [("fresh", &mut open(path)), ("used", &mut used)] {
                let what = format!("{name}, {state}, {way} of {position}");
                go(decoder, seek, &what);
                linear.check(&take(decoder, &what), position, &what);
                if position + 1 < linear.frames.len() {
                    linear.check(&take(decoder, &what), position + 1, &format!("{what}, next"));
                }
            }
        }
    }
    linear
}

fn part(name: &str, size: &str, rate: &str, codec: &str) -> Clip {
    Clip::new(name, &format!("-f lavfi -i testsrc2=size={size}:rate={rate}:duration=3 -pix_fmt yuv420p {codec}"))
}

const H264: &str = "-c:v libx264 -preset veryfast -g 25 -bf 2";
const MPEG2: &str = "-c:v mpeg2video -g 12 -bf 2 -f vob";

#[test]
fn transport_and_program_streams_that_were_joined() {
    for (name, codec) in [("joined.ts", H264), ("joined.vob", MPEG2)] {
        let parts = ["96x64", "64x48"].map(|size| part(name, size, "25", codec).bytes());
        let clip = Clip::from_bytes(name, &parts.concat());
        let linear = check(clip.path(), &[110, 20, 74, 75, 1, 0]);
        let sizes = [&linear.frames[0], &linear.frames[140]].map(|frame| frame.picture.width());
        assert_eq!(sizes, [96, 64], "{name}");
    }
}

#[test]
fn a_stream_whose_rate_changes_where_it_was_joined() {
    let parts = ["24000/1001", "30000/1001"].map(|rate| part("part.ts", "64x48", rate, H264).bytes());
    let clip = Clip::from_bytes("joined.ts", &parts.concat());
    check(clip.path(), &[100, 10, 71, 72, 73, 0]);
}

#[test]
fn hls_with_discontinuities_and_changes_of_size() {
    let folder = part("a.ts", "96x64", "25", H264);
    std::fs::write(folder.folder().join("b.ts"), part("b.ts", "64x48", "25", H264).bytes()).unwrap();
    let list = folder.folder().join("list.m3u8");
    let text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:3.0,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:3.0,\nb.ts\n\
        #EXT-X-DISCONTINUITY\n#EXTINF:3.0,\na.ts\n#EXT-X-ENDLIST\n";
    std::fs::write(&list, text).unwrap();
    let linear = check(&list, &[120, 20, 75, 160, 1]);
    let widths: Vec<_> = [10, 100, 200].map(|at| linear.frames[at].picture.width()).into();
    assert_eq!(widths, [96, 64, 96]);
}

/// In almost every group, leading frames refer to the group before.
#[test]
fn hevc_with_a_keyframe_at_every_third_frame() {
    let x265 = "-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params log-level=none:keyint=3";
    for name in ["short.mp4", "short.mkv", "short.ts"] {
        let clip = Clip::moving(name, "64x48", 8.0, x265);
        check(clip.path(), &[159, 35, 36, 199, 1]);
    }
}

#[test]
fn two_thousand_frames_a_second() {
    // Matroska's ticks are milliseconds, so two frames share a time.
    for (name, codec) in [("fast.mp4", "-c:v libx264 -g 50 -bf 2 -pix_fmt yuv420p"), ("fast.mkv", "-c:v ffv1")] {
        let source = "-f lavfi -i testsrc2=size=64x48:rate=2000:duration=0.2";
        check(Clip::new(name, &format!("{source} {codec}")).path(), &[300, 17, 18, 399, 1, 0]);
    }
}
