//! Cut files, in every container whose structure or last frame shows the cut, and complete files that look as if they
//! were cut.

use std::path::Path;

use crate::analyze::program::{analyze, read_records};
use crate::common::Clip;

const H264: &str = "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p";
const MPEG2: &str = "-c:v mpeg2video -g 12 -bf 2";

fn moving(name: &str, arguments: &str) -> Clip {
    Clip::moving(name, "160x96", 2.0, arguments)
}

/// Returns the message on the end of these bytes, and the number of frames.
fn ending(name: &str, bytes: &[u8], arguments: &[&str]) -> (Option<String>, usize) {
    let clip = Clip::from_bytes(name, bytes);
    let run = analyze(clip.path(), arguments);
    let (records, summary) = read_records(&run.stdout);
    let reason = summary["reason"].as_str().map(str::to_owned);
    assert_eq!(summary["complete"], reason.is_none(), "{name}: {summary}");
    assert_eq!(run.code, Some(i32::from(reason.is_some())), "{name}: {run:?}");
    assert!(reason.as_ref().is_none_or(|reason| run.stderr.contains(reason)), "{name}: {run:?}");
    (reason, records.len())
}

fn is_whole(path: &Path) {
    let run = analyze(path, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", path.display());
    assert_eq!(read_records(&run.stdout).1["complete"], true, "{}", path.display());
}

#[test]
fn a_cut_is_noticed_whatever_the_container() {
    for (name, arguments, words) in [
        ("a.ts", H264, "a transport packet"),
        ("b.ts", MPEG2, "a transport packet"),
        ("a.m2ts", &format!("{H264} -mpegts_m2ts_mode 1"), "a transport packet"),
        ("a.mpg", MPEG2, "a packet"),
        ("a.mp4", &format!("{H264} -movflags faststart"), "it ends after"),
        ("b.mp4", &format!("{H264} -movflags empty_moov+frag_keyframe"), "a fragment"),
        ("a.mkv", H264, "it ends after"),
        ("a.avi", "-c:v mpeg4 -bf 0", "a RIFF chunk"),
        ("a.flv", "-c:v flv", "an FLV tag"),
        ("a.wmv", "-c:v wmv2", "judging by the stated size"),
        ("a.ogv", "-c:v libtheora", "an Ogg page"),
        ("a.ivf", "-c:v libvpx", "it ends after"),
        ("a.y4m", "-pix_fmt yuv420p", "a frame"),
        ("b.y4m", "-pix_fmt yuv422p10 -strict -1", "a frame"),
        ("a.m2v", MPEG2, "its last frame is damaged"),
    ] {
        let clip = moving(name, arguments);
        is_whole(clip.path());
        let whole = clip.bytes();
        // Cut in the middle, and within the last frame.
        let length = whole.len();
        let cuts = [length * 11 / 20 + 1, length * 7 / 10 + 3, length * 9 / 10 + 1];
        let found = cuts.map(|cut| ending(name, &whole[..cut], &[]));
        for (reason, frames) in &found {
            assert!(reason.is_some() && (5..50).contains(frames), "{name}: {found:?}");
        }
        assert!(found.iter().any(|(reason, _)| reason.as_ref().is_some_and(|said| said.contains(words))), "{found:?}");
    }
}

#[test]
fn one_frame_less_is_noticed() {
    for (name, arguments) in [("a.mp4", "-movflags faststart"), ("a.mkv", ""), ("a.ts", "")] {
        let whole = moving(name, &format!("{H264} {arguments}")).bytes();
        let (index, step) = (whole.len() - if name == "a.mkv" { 400 } else { 0 }, 150);
        let (reason, frames) = (1..40)
            .map(|n| ending(name, &whole[..index - n * step], &[]))
            .find(|(_, frames)| *frames < 50)
            .expect("a cut that costs a frame");
        assert!(
            frames >= 48 && reason.as_ref().is_some_and(|said| said.contains("cut off in the middle of")),
            "{name} {reason:?}"
        );
        // Data without a frame may be lost.
        if name == "a.mkv" {
            assert_eq!(ending(name, &whole[..whole.len() - 10], &[]), (None, 50), "the index is lost, and no frame");
        }
    }
}

#[test]
fn between_two_packets_the_last_frame_tells() {
    let whole = moving("a.ts", MPEG2).bytes();
    let packets = whole.len() / 188;
    let found: Vec<_> = (packets / 2..packets / 2 + 6).map(|n| ending("a.ts", &whole[..n * 188], &[]).0).collect();
    let damaged =
        |reason: &&Option<String>| reason.as_ref().is_some_and(|said| said.contains("its last frame is damaged"));
    assert!(found.iter().filter(damaged).count() >= 4, "{found:?}");
    // Damage elsewhere is not an early end.
    let mut hurt = whole.clone();
    hurt[94 * packets..94 * packets + 90].fill(0x55);
    assert_eq!(ending("hurt.ts", &hurt, &[]).0, None);
}

/// The end is found even if the frames of a part were all counted before, or if there are none.
#[test]
fn the_end_is_the_same_wherever_a_run_begins() {
    let whole = moving("a.mkv", H264).bytes();
    let clip = Clip::from_bytes("cut.mkv", &whole[..whole.len() * 4 / 5]);
    let path = clip.folder().join("out.jsonl");
    let arguments = ["-o", path.to_str().unwrap()];
    let first = analyze(clip.path(), &arguments);
    assert!(first.stderr.contains("it ends after 1."), "{first:?}");
    let text = std::fs::read(&path).unwrap();
    for more in [&["--resume"][..], &["--resume", "--jobs", "2"]] {
        let again = analyze(clip.path(), &[&arguments, more].concat());
        assert_eq!((again.code, &again.stderr), (Some(1), &first.stderr));
        assert!(std::fs::read(&path).unwrap() == text, "{more:?}");
    }
    for from in ["1.95", "49f", "1:00"] {
        assert_eq!(analyze(clip.path(), &["--from", from]).stderr, first.stderr, "{from}");
    }
}

#[test]
fn several_decoders_notice_a_cut_too() {
    let whole = Clip::moving("a.ts", "96x64", 9.0, MPEG2).bytes();
    let packets = whole.len() / 188 * 9 / 10;
    let between = (packets..packets + 9).map(|n| n * 188).find(|cut| ending("cut.ts", &whole[..*cut], &[]).0.is_some());
    for cut in [packets * 188 + 5, between.expect("a cut within a frame")] {
        let alone = ending("cut.ts", &whole[..cut], &[]);
        assert!(alone.0.is_some() && alone.1 > 100, "{alone:?}");
        assert_eq!(ending("cut.ts", &whole[..cut], &["--jobs", "3"]), alone);
    }
    // A share that ends before the cut is complete.
    let cut = &whole[..whole.len() - 100];
    assert_eq!(ending("cut.ts", cut, &["--to", "20f"]), (None, 20));
    assert!(ending("cut.ts", cut, &["--from", "20f"]).0.is_some());
}

#[test]
fn whole_files_of_every_make_are_whole() {
    let clip = moving("a.ts", MPEG2);
    let bytes = clip.bytes();
    // Beginning anywhere, after foreign bytes, padded, twice.
    let from = |at: usize| bytes[bytes.len() / 3 / 188 * 188 + at..].to_vec();
    for bytes in [
        from(0),
        from(77),
        [&[0x20; 1001], &bytes[..]].concat(),
        [&bytes[..], &[0; 700]].concat(),
        [&bytes[..], &[0xff; 5000]].concat(),
        [&bytes[..], &bytes[..]].concat(),
    ] {
        assert_eq!(ending("good.ts", &bytes, &[]).0, None);
    }
    let h264 = clip.make("b.ts", "-i @ -c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3 -pix_fmt yuv420p");
    let source = h264.to_str().expect("a path in text");
    for (name, arguments) in [
        ("copied.ts", "-ss 0.7 -i SOURCE -t 0.9 -c copy"),
        ("copied.mkv", "-i SOURCE -t 0.96 -c copy"),
        ("copied.mp4", "-ss 0.7 -i SOURCE -c copy"),
        // The video begins after ten seconds, and ends before its sound or together with it.
        ("late.mkv", "-itsoffset 10 -i SOURCE -f lavfi -i sine=d=12 -c:v copy"),
        ("late.ts", "-itsoffset 10 -i SOURCE -f lavfi -i sine=d=20 -c:v copy"),
        ("late.avi", "-itsoffset 10 -i SOURCE -f lavfi -i sine=d=20 -c:v mpeg4"),
        ("long.mkv", "-i SOURCE -f lavfi -i sine=d=9 -c:v copy"),
        ("long.wmv", "-i SOURCE -f lavfi -i sine=d=9 -c:v wmv2"),
        ("long.flv", "-i SOURCE -f lavfi -i sine=d=9 -c:v flv -ar 44100"),
        ("short.mpg", "-i SOURCE -t 1.04 -c:v mpeg2video"),
    ] {
        is_whole(&clip.make(name, &arguments.replace("SOURCE", source)));
    }
    // Files written to a pipe state no sizes.
    for (name, arguments) in
        [("a.avi", "-c:v mpeg4 -f avi"), ("a.mkv", "-c copy -f matroska"), ("a.flv", "-c:v flv -f flv")]
    {
        let pipe = std::process::Command::new("ffmpeg")
            .args(["-v", "error", "-i", source])
            .args(arguments.split(' '))
            .arg("-")
            .output()
            .expect("the ffmpeg command is installed");
        assert_eq!(ending(name, &pipe.stdout, &[]), (None, 50), "{name}");
    }
}

/// Returns a second of video in a transport stream: its number in time, the first PID of its streams, and the version
/// of its tables.
fn second(number: u32, pid: u32, version: u32) -> Vec<u8> {
    let tables = format!("-mpegts_start_pid {pid} -tables_version {version} -output_ts_offset {number}");
    Clip::moving("part.ts", "96x64", 1.0, &format!("{H264} -muxdelay 0 {tables}")).bytes()
}

#[test]
fn video_with_another_pid_is_told() {
    let plain: fn(Vec<u8>) -> Vec<u8> = |bytes| bytes;
    // Each packet is preceded by a timestamp.
    let stamped: fn(Vec<u8>) -> Vec<u8> =
        |bytes| bytes.chunks(188).flat_map(|packet| [&[0; 4], packet].concat()).collect();
    for (kind, packed) in [("plain", plain), ("stamped", stamped)] {
        let part = |number, pid, version| packed(second(number, pid, version));
        let [first, other, last] = [part(0, 256, 0), part(1, 300, 1), part(2, 256, 2)];
        let told =
            |read, pid| Some(format!("part of its video has another PID ({pid} instead of {read}) and is not counted"));
        for arguments in [&[][..], &["--jobs", "2"], &["--from", "0.52"]] {
            let frames = |all: usize| if arguments.contains(&"--from") { all - 13 } else { all };
            let joined = [&first[..], &other].concat();
            assert_eq!(ending("changed.ts", &joined, arguments), (told(256, 300), frames(25)), "{kind} {arguments:?}");
            let joined = [&first[..], &other, &last].concat();
            assert_eq!(ending("back.ts", &joined, arguments), (told(256, 300), frames(50)), "{kind} {arguments:?}");
        }
        // The part before the track that is read is told, too.
        let joined = [&first[..], &other].concat();
        assert_eq!(ending("before.ts", &joined, &["--track", "2"]), (told(300, 256), 25), "{kind}");
        assert_eq!(ending("whole.ts", &[&first[..], &part(1, 256, 0)].concat(), &[]), (None, 50), "{kind}");
    }
}

#[test]
fn scrambled_parts_are_told() {
    let whole = Clip::moving("clear.ts", "96x64", 3.0, &format!("{H264} -mpegts_start_pid 256")).bytes();
    let packets = whole.len() / 188;
    let scrambled = |range: std::ops::Range<usize>| {
        let mut bytes = whole.clone();
        for packet in bytes.chunks_mut(188).take(range.end).skip(range.start) {
            if packet[1] & 0x1f == 1 && packet[2] == 0 {
                let payload = if packet[3] & 0x20 == 0 { 4 } else { 5 + usize::from(packet[4]) };
                packet[3] |= 0x80;
                packet[payload..].iter_mut().for_each(|byte| *byte ^= 0x5a);
            }
        }
        bytes
    };
    let told = Some("part of its video is scrambled and not counted".to_owned());
    for range in [packets / 2..packets, packets / 3..packets / 3 * 2, 0..packets / 2] {
        for arguments in [&[][..], &["--jobs", "2"]] {
            let (reason, frames) = ending("scrambled.ts", &scrambled(range.clone()), arguments);
            assert!(
                reason == told && (10..70).contains(&frames),
                "{range:?} {arguments:?}: {reason:?}, {frames} frames"
            );
        }
    }
    // A descrambler may leave the marks.
    let mut marked = whole.clone();
    marked
        .chunks_mut(188)
        .skip(packets / 2)
        .filter(|packet| packet[1] & 0x1f == 1)
        .for_each(|packet| packet[3] |= 0x80);
    assert_eq!(ending("marked.ts", &marked, &[]), (None, 75));
    assert_eq!(ending("clear.ts", &whole, &[]), (None, 75));
}

/// A second programme, or a second camera, is no part of the video that is counted.
#[test]
fn video_beside_the_counted_one_is_no_part_of_it() {
    let source = |size: &str, seconds: u32| format!("-f lavfi -i testsrc2=size={size}:rate=25:duration={seconds}");
    for (large, small) in [(2, 4), (4, 2)] {
        let inputs = [source("96x64", large), source("48x32", small)].join(" ");
        for programs in ["", "-program st=0 -program st=1"] {
            let clip = Clip::new("two.ts", &format!("{inputs} -map 0:v -map 1:v {H264} {programs}"));
            assert_eq!(ending("two.ts", &clip.bytes(), &[]), (None, 25 * large as usize), "{programs}");
        }
    }
    // A slow show of pictures leaves gaps.
    let slow = "-f lavfi -i testsrc2=size=96x64:rate=2:duration=5 -c:v mpeg2video -r 2 -strict unofficial";
    assert_eq!(ending("slow.ts", &Clip::new("slow.ts", slow).bytes(), &[]).0, None);
}

#[test]
fn frames_that_cannot_be_read_are_told() {
    let clip = Clip::noisy("packed.nut", "66x34", "rgb4", 5, "-c copy");
    let run = analyze(clip.path(), &[]);
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{run:?}");
    assert!(run.stderr.contains("packed.nut: pixel format rgb4 cannot be read"), "{run:?}");
}
