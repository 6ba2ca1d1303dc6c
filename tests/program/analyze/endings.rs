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
