//! Wherever a seek leads, the frame, its number, its time and its picture equal those of linear decoding.
//!
//! Twenty random times are sought in every clip, the same in every run, in the two ways of users: in a newly opened
//! file, as for a snapshot, and in the window's player with its decoding thread. A number may be missing if it cannot
//! be known. The test prints how many were missing. If the container is sure to give numbers, none may be missing.

#![allow(clippy::print_stdout, reason = "how many numbers were missing is a result")]

use std::path::Path;
use std::time::{Duration, Instant};

use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, OpenOptions, Seek};

/// Times for each clip.
const TIMES: usize = 20;
/// Longer than anything in the window takes.
const SOON: Duration = Duration::from_secs(20);

/// The numbers of frames that must be known after a seek.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// The number after every seek.
    Always,
    /// The number in the window, once the packets are indexed.
    InWindow,
    /// Not all numbers.
    Maybe,
}

/// The result of linear decoding: timestamp, time and picture of each frame.
struct Linear(Vec<(i64, f64, Vec<u8>)>, Pictures);

/// The comparison of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pictures {
    /// Pictures must be equal bit for bit.
    All,
    /// Pictures are not compared: what FFmpeg's decoders conceal damage with depends on the timing of their threads.
    None,
}

impl Linear {
    fn new(path: &Path) -> Self {
        let entry = |frame: Frame| (frame.pts_ticks, frame.time_secs, picture_bytes(&frame.picture));
        Self(decode_all(path).into_iter().map(entry).collect(), Pictures::All)
    }

    /// Returns the position of the frame whose presentation interval contains the time.
    fn at(&self, secs: f64) -> usize {
        self.0.partition_point(|(_, time, _)| *time <= secs + 1e-6).saturating_sub(1)
    }

    /// Returns a description of the differences from the frame at this position.
    fn difference(&self, position: usize, found: &Frame, number: Option<u64>) -> Option<String> {
        let (ticks, secs, bytes) = &self.0[position];
        if found.pts_ticks != *ticks || (found.time_secs - secs).abs() > 1e-9 {
            return Some(format!("timestamp {} in place of {ticks}", found.pts_ticks));
        }
        if let Some(wrong) = number.filter(|number| *number != position as u64) {
            return Some(format!("number {wrong} in place of {position}"));
        }
        (self.1 == Pictures::All && picture_bytes(&found.picture) != *bytes).then(|| {
            let bytes = picture_bytes(&found.picture);
            let alike = self.0.iter().position(|(_, _, other)| *other == bytes);
            format!("another picture than frame {position}: that of {alike:?}")
        })
    }
}

fn times(linear: &Linear, seed: u64) -> Vec<f64> {
    let end = linear.0.last().map_or(0.0, |(_, secs, _)| secs + 0.04);
    let shares = noise(TIMES * 2, seed)
        .chunks(2)
        .map(|two| f64::from(u16::from_be_bytes([two[0], two[1]])) / 65_535.0)
        .collect::<Vec<_>>();
    shares.into_iter().map(|share| share * end).collect()
}

/// Seeks in a newly opened decoder, as for a snapshot. Returns the number of missing numbers.
fn check_decoder(path: &Path, linear: &Linear, wrong: &mut Vec<String>) -> usize {
    let mut missing = 0;
    let mut used = open(path);
    for secs in times(linear, 5) {
        let position = linear.at(secs);
        let mut fresh = open(path);
        for (who, decoder) in [("fresh", &mut fresh), ("used", &mut used)] {
            let first = take(decoder, secs);
            let Some(first) = first else {
                wrong.push(format!("{who} decoder to {secs:.4}: no frame"));
                continue;
            };
            missing += usize::from(who == "fresh" && first.index.is_none());
            wrong.extend(
                linear
                    .difference(position, &first, first.index)
                    .map(|what| format!("{who} decoder to {secs:.4}: {what}")),
            );
            let next = decoder.next_frame().expect("the clip can be read");
            let what = match next {
                Some(next) if position + 1 < linear.0.len() => linear.difference(position + 1, &next, next.index),
                None if position + 1 == linear.0.len() => None,
                other => Some(format!(
                    "{} in place of the end or a frame",
                    if other.is_some() { "a frame" } else { "the end" }
                )),
            };
            wrong.extend(what.map(|what| format!("{who} decoder, after {secs:.4}: {what}")));
        }
    }
    missing
}

fn take(decoder: &mut Decoder, secs: f64) -> Option<Frame> {
    decoder.seek(Seek::to(secs)).expect("the clip can be positioned");
    decoder.next_frame().expect("the clip can be read")
}

/// Seeks in the window's player. Returns the number of numbers still missing at the end.
fn check_window(path: &Path, linear: &Linear, numbers: Numbers, wrong: &mut Vec<String>) -> usize {
    let mut missing = 0;
    let mut session = Session::paused(path);
    for secs in times(linear, 11) {
        // At the end, as stated by the headers or already seen, the window goes to the last frame.
        let is_end = session.player.duration_secs().is_some_and(|duration| secs >= duration);
        let position = if is_end { linear.0.len() - 1 } else { linear.at(secs) };
        session.seek(secs);
        // A quick picture may come first, so only the final picture is checked. But a number must never be wrong.
        let begun = Instant::now();
        let difference = loop {
            let number = session.player.frame_index();
            let difference = linear.difference(position, session.frame(), number);
            let is_numbered = number.is_some() || numbers == Maybe;
            let limit = if difference.is_some() { SOON / 10 } else { SOON };
            if (difference.is_none() && is_numbered) || begun.elapsed() > limit {
                break difference;
            }
            session.wait(Duration::from_millis(2));
            session.tick(Instant::now());
        };
        let is_missing = session.player.frame_index().is_none();
        let missed = (is_missing && numbers == Always).then(|| "no number".to_owned());
        wrong.extend(difference.or(missed).map(|what| format!("window to {secs:.4}: {what}")));
        missing += usize::from(is_missing);
        if position + 1 < linear.0.len() {
            session.step(true);
            let number = session.player.frame_index();
            let difference = linear.difference(position + 1, session.frame(), number);
            wrong.extend(difference.map(|what| format!("window, step after {secs:.4}: {what}")));
        }
    }
    missing
}

fn check(path: &Path, numbers: Numbers, pictures: Pictures) -> Vec<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let linear = Linear(Linear::new(path).0, pictures);
    assert!(linear.0.len() > 1, "{name}: one frame is no clip to seek in");
    let mut wrong = Vec::new();
    let begun = Instant::now();
    let missing = check_decoder(path, &linear, &mut wrong);
    let missing_in_window = check_window(path, &linear, numbers, &mut wrong);
    println!(
        "{name}: {} frames; numbers missing: {missing} of {TIMES} in a decoder, {missing_in_window} in the window; {} wrong; {:.1} s",
        linear.0.len(),
        wrong.len(),
        begun.elapsed().as_secs_f64()
    );
    if numbers == Always && missing > 0 {
        wrong.push(format!("{missing} numbers are missing"));
    }
    if numbers != Maybe && missing_in_window > 0 {
        wrong.push(format!("{missing_in_window} numbers are missing in the window"));
    }
    wrong.into_iter().map(|what| format!("{name}: {what}")).collect()
}

/// Checks all clips before it fails, so that one wrong seek does not hide others.
fn check_all(clips: impl IntoIterator<Item = (Clip, Numbers)>) {
    check_with(Pictures::All, clips);
}

fn check_with(pictures: Pictures, clips: impl IntoIterator<Item = (Clip, Numbers)>) {
    let mut wrong = Vec::new();
    for (clip, numbers) in clips {
        wrong.append(&mut check(clip.path(), numbers, pictures));
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks clips of the moving test picture: file name, encoding, and the numbers that must be known.
fn check_moving(clips: &[(&str, &str, Numbers)]) {
    check_all(clips.iter().map(|(name, arguments, numbers)| (Clip::moving(name, "96x64", 2.6, arguments), *numbers)));
}

use Numbers::{Always, InWindow, Maybe};

use crate::common::odd;
use crate::common::session::Session;
use crate::common::{self, Clip, decode_all, noise, open, picture_bytes};

const X264: &str = "-c:v libx264 -preset veryfast";

#[test]
fn h264_in_each_container() {
    let b_frames = format!("{X264} -bf 3 -b_strategy 0 -g 15");
    let long = format!("{X264} -bf 2 -g 600");
    let open = format!("{X264} -bf 3 -b_strategy 0 -flags -cgop -x264-params open-gop=1:keyint=12:scenecut=0");
    let refresh = format!("{X264} -bf 0 -x264-params intra-refresh=1:keyint=20");
    check_moving(&[
        ("short.mp4", &b_frames, Always),
        ("long.mp4", &long, Always),
        ("open.mp4", &open, Always),
        ("refresh.mp4", &refresh, Maybe),
        ("short.mov", &b_frames, Always),
        ("fragments.mp4", &format!("{b_frames} -movflags frag_keyframe+empty_moov"), InWindow),
        ("pauses.mp4", &format!("-vf select='lt(n,12)+gt(n,40)+not(mod(n,7))' -fps_mode vfr {b_frames}"), Always),
        ("short.mkv", &b_frames, InWindow),
        ("open.mkv", &open, InWindow),
        ("short.flv", &b_frames, InWindow),
        ("short.nut", &b_frames, InWindow),
    ]);
}

#[test]
fn h264_in_containers_that_promise_less() {
    let b_frames = format!("{X264} -bf 3 -b_strategy 0 -g 15");
    let open = format!("{X264} -bf 3 -b_strategy 0 -flags -cgop -x264-params open-gop=1:keyint=12:scenecut=0");
    check_moving(&[
        ("short.ts", &b_frames, InWindow),
        ("open.ts", &open, InWindow),
        ("long.ts", &format!("{X264} -bf 2 -g 600"), InWindow),
        ("late.ts", &format!("{b_frames} -output_ts_offset 40000"), InWindow),
        ("short.m2ts", &b_frames, InWindow),
        ("short.avi", &b_frames, Maybe),
        ("short.mxf", &b_frames, Maybe),
        ("short.h264", &b_frames, Always),
        ("open.h264", &open, Always),
    ]);
}

#[test]
fn hevc_and_av1() {
    let x265 = |params: &str| format!("-c:v libx265 -preset ultrafast -x265-params log-level=none:{params}");
    let open = x265("keyint=12:bframes=3:open-gop=1");
    let closed = x265("keyint=12:bframes=3:open-gop=0");
    check_moving(&[
        ("open_hevc.mp4", &open, Always),
        ("closed_hevc.mp4", &closed, Always),
        ("open_hevc.mkv", &open, InWindow),
        ("open_hevc.ts", &open, InWindow),
        ("open.h265", &open, Always),
        ("av1.mp4", "-c:v libaom-av1 -cpu-used 8 -usage realtime -g 20", Always),
        ("av1.mkv", "-c:v libaom-av1 -cpu-used 8 -g 20 -lag-in-frames 12", InWindow),
        ("av1.ivf", "-c:v libaom-av1 -cpu-used 8 -usage realtime -g 20", Maybe),
    ]);
}

#[test]
fn vp8_vp9_and_theora() {
    check_moving(&[
        ("vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 20", InWindow),
        (
            "vp9_alt.webm",
            "-c:v libvpx-vp9 -deadline good -cpu-used 8 -g 30 -lag-in-frames 16 -auto-alt-ref 1",
            InWindow,
        ),
        ("vp8.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 20", Maybe),
        ("vp8.ivf", "-c:v libvpx -deadline realtime -cpu-used 8 -g 20", Maybe),
        ("vp9.mp4", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 20", Always),
        ("theora.ogv", "-c:v libtheora -g 16", Maybe),
        ("theora.mkv", "-c:v libtheora -g 16", Always),
    ]);
}

#[test]
fn mpeg_1_2_and_4() {
    let mpeg2 = "-c:v mpeg2video -bf 2 -g 12 -b:v 2M";
    check_moving(&[
        ("two.mov", "-c:v mpeg2video -bf 2", Always),
        ("two.mp4", mpeg2, Always),
        ("two.mxf", mpeg2, Maybe),
        ("two.ts", mpeg2, InWindow),
        ("two.mpg", mpeg2, Maybe),
        ("two.vob", mpeg2, Maybe),
        ("two.mkv", mpeg2, InWindow),
        ("two.m2v", mpeg2, Always),
        ("fields.ts", "-c:v mpeg2video -bf 2 -g 12 -b:v 2M -flags +ilme+ildct -vf interlace", Maybe),
        ("one.mpg", "-c:v mpeg1video -bf 2 -g 12", Maybe),
        ("four.mp4", "-c:v mpeg4 -bf 2 -g 12", Always),
        ("four.avi", "-c:v mpeg4 -bf 2 -g 12", Maybe),
        ("xvid.avi", "-c:v libxvid -bf 2 -g 12", Maybe),
        ("four.m4v", "-c:v mpeg4 -bf 2 -g 12", Always),
    ]);
}

#[test]
fn every_frame_of_open_groups() {
    let mpeg2 = "-c:v mpeg2video -bf 2";
    let mut wrong = Vec::new();
    for name in ["two.mov", "two.mxf", "two.ts", "two.mkv", "two.mpg"] {
        let clip = Clip::moving(name, "96x64", 1.2, mpeg2);
        let linear = Linear::new(clip.path());
        for position in 0..linear.0.len() {
            let secs = linear.0[position].1 + 0.02;
            let mut decoder = open(clip.path());
            let first = take(&mut decoder, secs).expect("a frame");
            wrong.extend(
                linear.difference(position, &first, first.index).map(|what| format!("{name} to {secs:.2}: {what}")),
            );
            for (next, frame) in (position + 1..linear.0.len()).zip(common::rest(&mut decoder)) {
                let what = linear.difference(next, &frame, frame.index);
                wrong.extend(what.map(|what| format!("{name}, {} after {secs:.2}: {what}", next - position)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn codecs_of_which_not_all_begin_anew_at_a_keyframe() {
    check_moving(&[
        ("cinepak.mov", "-c:v cinepak -g 12 -q:v 10", Maybe),
        ("cinepak.avi", "-c:v cinepak -g 12 -q:v 10", Maybe),
        ("wmv2.asf", "-c:v wmv2 -g 12 -b:v 300k", Maybe),
        ("wmv2.avi", "-c:v wmv2 -g 12 -b:v 300k", Maybe),
        ("wmv1.wmv", "-c:v wmv1 -g 12 -b:v 300k", Maybe),
        ("msmpeg4.avi", "-c:v msmpeg4 -g 12", Maybe),
        ("sorenson.flv", "-c:v flv -g 12", Maybe),
        ("rv20.rm", "-c:v rv20 -g 12", Maybe),
        ("svq1.mov", "-c:v svq1 -g 12 -pix_fmt yuv410p", Maybe),
        ("qtrle.mov", "-c:v qtrle -g 12", Maybe),
        ("msvideo1.avi", "-c:v msvideo1 -g 12", Maybe),
        ("zmbv.avi", "-c:v zmbv -g 12", Maybe),
        ("flashsv.flv", "-c:v flashsv -g 12", Maybe),
        ("snow.nut", "-c:v snow -g 12 -strict -2", Maybe),
        ("moving.gif", "-r 25", Maybe),
        ("moving.apng", "-plays 0", Maybe),
    ]);
}

#[test]
fn keyframes_that_do_not_begin_anew() {
    let clips =
        [("cinepak.avi", "-c:v cinepak -g 60"), ("wmv2.avi", "-c:v wmv2 -g 60"), ("msmpeg4.avi", "-c:v msmpeg4 -g 60")];
    check_all(clips.map(|(name, arguments)| {
        (odd::with_keys_only(&Clip::moving("whole.avi", "96x64", 2.6, arguments), name), Maybe)
    }));
}

#[test]
fn codecs_of_whole_pictures() {
    check_moving(&[
        ("moving.mjpeg", "-c:v mjpeg", Always),
        ("mjpeg.mov", "-c:v mjpeg", Always),
        ("mjpeg.avi", "-c:v mjpeg", Maybe),
        ("prores.mov", "-c:v prores", Always),
        ("ffv1.mkv", "-c:v ffv1 -g 12", InWindow),
        ("huffyuv.avi", "-c:v huffyuv", Maybe),
        ("utvideo.nut", "-c:v utvideo", InWindow),
        ("raw.avi", "-c:v rawvideo", Maybe),
        ("raw.nut", "-c:v rawvideo", InWindow),
        ("moving.y4m", "-pix_fmt yuv420p", Maybe),
        ("intra.mxf", "-c:v mpeg2video -g 1 -b:v 5M", Maybe),
        ("jpeg2000.mxf", "-c:v jpeg2000", Maybe),
    ]);
}

#[test]
fn edit_lists_that_drop_frames_in_the_middle() {
    let clip = Clip::moving("whole.mp4", "96x64", 3.6, &format!("{X264} -bf 2 -g 20 -video_track_timescale 12800"));
    // Two parts, then five, in units of 1/12800 s, 512 per frame. Some begin between keyframes, and one repeats earlier
    // frames.
    let two = odd::with_edits(&clip, "two.mp4", &[(0, 25), (45, 30)]);
    let five = odd::with_edits(&clip, "five.mp4", &[(3, 10), (20, 13), (41, 9), (60, 5), (72, 15)]);
    let again = odd::with_edits(&clip, "again.mp4", &[(0, 40), (20, 30)]);
    let pause = odd::with_edits(&clip, "pause.mp4", &[(0, 20), (-1, 25), (20, 60)]);
    check_all([(two, Maybe), (five, Maybe), (again, Maybe), (pause, Maybe)]);
}

#[test]
fn timestamps_that_do_not_rise() {
    let h264 = format!("{X264} -bf 0 -g 15");
    let clip = Clip::moving("whole.flv", "96x64", 2.6, &h264);
    let flv = |name: &str, stamp: &dyn Fn(usize, u32) -> u32| odd::with_flv_times(&clip, name, stamp);
    let clips = [
        flv("zero.flv", &|_, _| 0),
        flv("repeated.flv", &|position, time| if position % 7 == 3 { time - 40 } else { time }),
        flv("back.flv", &|position, time| if position >= 33 { time - 1000 } else { time }),
        flv("astray.flv", &|position, time| if position == 33 { time - 1000 } else { time }),
        flv("ahead.flv", &|position, time| if position == 33 { time + 600 } else { time }),
    ];
    check_all(clips.into_iter().map(|clip| (clip, Maybe)));
    let clip = Clip::moving("whole.mov", "96x64", 2.6, "-c:v mjpeg");
    check_all([
        (odd::with_mov_durations(&clip, "zero.mov", &[(65, 0)]), Maybe),
        (odd::with_mov_durations(&clip, "partly.mov", &[(20, 512), (10, 0), (35, 512)]), Maybe),
    ]);
}

#[test]
fn joined_streams() {
    let joined = |name: &str, arguments: &str| {
        let clip =
            Clip::moving(&format!("part.{}", name.rsplit('.').next().unwrap_or_default()), "96x64", 1.4, arguments);
        (Clip::from_bytes(name, &[clip.bytes(), clip.bytes()].concat()), Maybe)
    };
    let later = |seconds: f64, arguments: &str| {
        let first = Clip::moving("first.ts", "96x64", 1.4, arguments);
        let second = Clip::moving("second.ts", "96x64", 1.4, &format!("{arguments} -output_ts_offset {seconds}"));
        (Clip::from_bytes(&format!("after_{seconds}.ts"), &[first.bytes(), second.bytes()].concat()), Maybe)
    };
    let h264 = format!("{X264} -bf 2 -g 15");
    let mpeg2 = "-c:v mpeg2video -bf 2 -g 12";
    check_all([
        joined("h264.ts", &h264),
        joined("mpeg2.ts", mpeg2),
        joined("mpeg2.mpg", mpeg2),
        joined("mpeg2.m2v", mpeg2),
        later(0.8, &h264),
        later(1.2, mpeg2),
        later(60.0, &h264),
        joined("hevc.ts", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=12:bframes=3:open-gop=1"),
        joined(
            "hevc.h265",
            "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=12:bframes=3:open-gop=1",
        ),
    ]);
}

/// Makes streams with wrong bytes in some places.
fn damaged() -> [Clip; 5] {
    let mpeg2 = "-c:v mpeg2video -bf 2 -g 12 -b:v 2M";
    let h264 = format!("{X264} -bf 2 -g 15 -b:v 1M");
    [
        ("damaged.m2v", mpeg2),
        ("damaged.mpg", mpeg2),
        ("damaged.ts", mpeg2),
        ("damaged_h264.ts", &*h264),
        ("damaged.h264", &*h264),
    ]
    .map(|(name, arguments)| odd::with_damage(&Clip::moving(name, "96x64", 2.6, arguments), name))
}

#[test]
fn damaged_streams() {
    check_with(Pictures::None, damaged().map(|clip| (clip, Maybe)));
}

#[test]
fn pictures_of_damaged_streams_on_one_thread() {
    let options = OpenOptions { threads: Some(1), ..OpenOptions::default() };
    let open = |path: &Path| Decoder::open(path, &options).expect("a video");
    let mut wrong = Vec::new();
    for clip in damaged() {
        let entry = |frame: Frame| (frame.pts_ticks, frame.time_secs, picture_bytes(&frame.picture));
        let linear = common::rest(&mut open(clip.path())).into_iter().map(entry).collect();
        let linear = Linear(linear, Pictures::All);
        let mut used = open(clip.path());
        for secs in times(&linear, 5) {
            for decoder in [&mut open(clip.path()), &mut used] {
                let first = take(decoder, secs).expect("a frame");
                let difference = linear.difference(linear.at(secs), &first, first.index);
                wrong.extend(difference.map(|what| format!("{} to {secs:.4}: {what}", clip.path().display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
