//! The information on a video before it is shown.

use histoscope_core::picture::color::Sourced;
use histoscope_core::picture::{Orientation, Ratio, Scan};
use histoscope_media::{Decoder, OpenOptions};

use crate::common::{Clip, TURNS, decode_all, ffprobe, open};

const X264: &str = "-c:v libx264 -preset ultrafast -g 25";

fn stated(clip: &Clip, entry: &str) -> String {
    let text = ffprobe(clip.path(), &["-select_streams", "v:0", "-show_entries", entry]);
    text.trim().trim_end_matches(',').to_owned()
}

#[test]
fn a_plain_file_states_all_of_it() {
    let clip = Clip::moving("clip.mp4", "160x120", 2.0, &format!("{X264} -vf setsar=4/3,setparams=color_trc=bt709"));
    let decoder = open(clip.path());
    let info = decoder.info();
    assert_eq!(info.bit_rate.map(|rate| rate.to_string()), Some(stated(&clip, "stream=bit_rate")));
    assert_eq!(info.average_rate, Some(Ratio { num: 25, den: 1 }));
    assert_eq!((info.is_variable_rate(), info.constant_rate()), (Some(false), info.nominal_rate));
    assert_eq!(info.sample_aspect, Sourced::tagged(Ratio { num: 4, den: 3 }));
    assert_eq!(info.orientation, Orientation::default());
    assert_eq!((info.transfer, info.primaries), (Some("bt709"), None));
    assert_eq!((info.stated_frames, info.seekable), (Some(50), true));
    assert!(info.profile.is_some() && info.decoder == "h264" && info.threads > 0);
}

#[test]
fn a_raw_stream_has_the_rate_of_its_headers() {
    let rate = Ratio { num: 30000, den: 1001 };
    let x265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none";
    let dv = "-vf scale=720:480 -pix_fmt yuv411p -c:v dvvideo";
    for (name, coding) in
        [("raw.h264", X264), ("raw.hevc", x265), ("raw.m2v", "-c:v mpeg2video -bf 2 -g 12"), ("tape.dv", dv)]
    {
        let source = "-f lavfi -i testsrc2=size=160x120:rate=30000/1001 -frames:v 40";
        let clip = Clip::new(name, &format!("{source} -pix_fmt yuv420p {coding}"));
        let info = open(clip.path()).info().clone();
        assert_eq!((info.average_rate, info.nominal_rate), (Some(rate), Some(rate)), "{name}");
        for (number, frame) in decode_all(clip.path()).iter().enumerate() {
            let expected = number as f64 * 1001.0 / 30000.0;
            assert!((frame.time_secs - expected).abs() < 1e-3, "{name}: frame {number} at {}", frame.time_secs);
        }
    }
}

#[test]
fn the_order_of_fields_is_told() {
    let mpeg2 = "-c:v mpeg2video -flags +ildct+ilme -b:v 2M";
    for (name, arguments, expected) in [
        ("plain.mp4", X264.to_owned(), Some(Scan::Progressive)),
        ("top.ts", format!("{mpeg2} -vf setfield=tff"), Some(Scan::TopFirst)),
        ("bottom.mpg", format!("{mpeg2} -vf setfield=bff"), Some(Scan::BottomFirst)),
        ("lossless.mkv", "-c:v ffv1".to_owned(), Some(Scan::Progressive)),
        ("pictures.avi", "-c:v rawvideo".to_owned(), None),
    ] {
        let clip = Clip::moving(name, "160x120", 1.0, &arguments);
        assert_eq!(open(clip.path()).info().scan, expected, "{name}: {}", stated(&clip, "stream=field_order"));
    }
    assert_eq!(Scan::TopFirst.to_string(), "interlaced, top field first");
}

#[test]
fn what_is_not_stated_is_guessed_or_left_open() {
    let clip = Clip::moving("clip.mkv", "160x120", 2.0, X264);
    let decoder = open(clip.path());
    let info = decoder.info();
    assert_eq!(info.stated_frames, None);
    assert_eq!(info.constant_rate(), None, "the rate alone proves nothing");
    assert_eq!(info.transfer, None);
    let size = clip.bytes().len() as f64;
    let rate = info.bit_rate.expect("size and duration tell it") as f64;
    assert!((rate * info.duration_secs.expect("a duration") / 8.0 / size - 1.0).abs() < 0.01, "{rate}");
    let gray = Clip::new("clip.y4m", "-f lavfi -i color=gray:size=64x48:rate=10:duration=0.5");
    let stated = open(gray.path()).info().sample_aspect;
    assert_eq!(stated.value, Ratio::ONE);
}

#[test]
fn uneven_frames_and_turned_pictures_show() {
    let select = "-vf select='lt(n,20)+gt(n,80)' -fps_mode vfr";
    let uneven = Clip::moving("pause.mp4", "160x120", 5.0, &format!("{select} {X264}"));
    assert_eq!(open(uneven.path()).info().constant_rate(), None);
    let clip = Clip::moving("clip.mp4", "160x120", 1.0, X264);
    let (_, quarter) = TURNS[0];
    let turned = clip.with_matrix("turned.mp4", quarter);
    let orientation = open(turned.path()).info().orientation;
    // Another test compares the direction of rotation with the ffmpeg command.
    assert_eq!((orientation.quarter_turns % 2, orientation.mirrored), (1, false));
    assert_eq!(orientation, decode_all(turned.path())[0].orientation);
}

#[test]
fn one_thread_more_than_there_are_cores_decodes() {
    let clip = Clip::moving("clip.mp4", "160x120", 0.4, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    let threads = |threads| {
        let options = OpenOptions { threads, ..OpenOptions::default() };
        Decoder::open(clip.path(), &options).unwrap().info().threads
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!((threads(None), threads(Some(1))), ((cores + 1).min(17), 1));
}
