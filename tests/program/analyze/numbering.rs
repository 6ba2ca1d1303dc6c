//! Frame numbers after seeks: decoders that begin in the middle of a file number frames like one that begins at its
//! start.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::analyze::program::{numbers, output, records};
use crate::command::{finish, program};
use crate::common::{self, Clip, is_ffmpeg_7_1};

/// Every run that begins in the middle gives the same as a run from the start, with as many frames as FFmpeg shows.
fn check(clip: &Path, points: &[usize]) {
    let (all, _) = records(clip, &["--bins"]);
    let count = all.len();
    assert_eq!(count as u64, common::ffprobe_frames(clip), "{}: frames", clip.display());
    assert_eq!(numbers(&all), (0..count as u64).collect::<Vec<_>>());
    for jobs in ["2", "3"] {
        let (found, _) = records(clip, &["--bins", "--jobs", jobs]);
        assert!(found == all, "{}: --jobs {jobs}: {} frames, not {count}", clip.display(), found.len());
    }
    for &at in points {
        let number = format!("{at}f");
        let (found, _) = records(clip, &["--bins", "--from", &number]);
        assert!(found == all[at..], "{}: --from {number}: {:?}", clip.display(), found.first());
        let secs = all[at]["time_seconds"].as_f64().unwrap().to_string();
        let (found, _) = records(clip, &["--bins", "--from", &secs, "--to", &format!("{}f", at + 2)]);
        assert!(found == all[at..(at + 2).min(count)], "{}: --from {secs}: {:?}", clip.display(), found.first());
        let mut snapshot = program();
        snapshot.arg("snapshot").arg(clip).args(["--at", &number, "--json", "--engine", "cpu", "-o"]);
        let run = finish(snapshot.arg(clip.with_extension("png")));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(told["frame"], at, "{}: --at {number}", clip.display());
        assert_eq!(told["time_seconds"], all[at]["time_seconds"], "{}: --at {number}", clip.display());
    }
    let places = [points[0], points[points.len() / 2]].map(|at| format!("{at}f"));
    let spans = [vec!["--to", &places[0]], vec!["--from", &places[0], "--to", &places[1]], vec!["--from", &places[1]]];
    let shares: Vec<PathBuf> = (0..).map(|at| clip.with_extension(format!("{at}.jsonl"))).take(spans.len()).collect();
    for (span, share) in spans.iter().zip(&shares) {
        output(clip, &[&span[..], &["--bins", "-o", share.to_str().unwrap()]].concat());
    }
    let merged = finish(program().arg("merge").args(&shares));
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""), "{}: shares", clip.display());
    assert!(merged.stdout == output(clip, &["--bins"]), "{}: shares", clip.display());
}

/// The name for clips that begin in the middle. From 7.1 on, FFmpeg reports HEVC pictures with missing references as
/// damaged.
fn cut_name() -> &'static str {
    if is_ffmpeg_7_1() { "damaged" } else { "cut" }
}

/// Returns the clip without its first `count` packets of video, but with the tables at its beginning.
fn cut(clip: &Clip, count: usize) -> Clip {
    let arguments = ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pos", "-of", "csv=p=0"];
    let told = Command::new("ffprobe").args(arguments).arg(clip.path()).output().expect("ffprobe runs").stdout;
    let told = String::from_utf8(told).unwrap();
    let position = told.split_whitespace().nth(count).and_then(|row| row.trim_end_matches(',').parse::<usize>().ok());
    let bytes = clip.bytes();
    Clip::from_bytes(
        &format!("{}.ts", cut_name()),
        &[&bytes[..3 * 188], &bytes[position.expect("so many packets")..]].concat(),
    )
}

/// The leading pictures of the first complete group are never shown, although their packets are present.
#[test]
fn hevc_that_begins_in_the_middle_of_an_open_group() {
    let x265 = "-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params \
        log-level=none:open-gop=1:keyint=25:min-keyint=25:scenecut=0:bframes=3:b-adapt=0";
    let whole = Clip::moving("whole.ts", "64x48", 9.0, x265);
    for (count, container) in [(5, None), (20, Some("mkv")), (20, Some("mp4"))] {
        let clip = cut(&whole, count);
        match container {
            None => check(clip.path(), &[3, 17, 21, 120]),
            Some(container) => {
                check(&clip.make(&format!("{}.{container}", cut_name()), "-i @ -c copy -copyinkf"), &[3, 6, 120]);
            }
        }
    }
}

/// Hidden frames of VP9 need not be packed with the next shown frame.
#[test]
fn vp9_with_hidden_frames_in_blocks_of_their_own() {
    // The encoder hides frames only after a first pass over all of them.
    let source = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=8 -c:v libvpx-vp9 -deadline good -cpu-used 4 -g 50 \
        -lag-in-frames 25 -auto-alt-ref 1 -b:v 300k -pass";
    let first = Clip::blank("first.webm");
    let log = first.folder().join("log");
    let pass = |pass: u32| format!("{source} {pass} -passlogfile {}", log.display());
    first.make("first.webm", &pass(1));
    let packed = Clip::new("packed.webm", &pass(2));
    let split = "-i @ -c copy -fflags -autobsf -bsf:v vp9_superframe_split,setts=ts=N*40";
    let hidden = packed.make("hidden.webm", split);
    let packets = common::ffprobe(&hidden, &["-count_packets", "-show_entries", "stream=nb_read_packets"]);
    assert!(packets.trim().trim_end_matches(',').parse::<u64>().unwrap() > 200, "no frame is hidden: {packets}");
    check(&hidden, &[1, 8, 20, 60, 150]);
}

/// Without DefaultDuration, and in simple blocks, frames have no stated duration.
#[test]
fn frames_of_which_no_duration_is_stated() {
    let encoded = Clip::new(
        "encoded.webm",
        "-f lavfi -i testsrc2=size=64x48:rate=15:duration=15 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30",
    );
    let mut bytes = encoded.bytes();
    let at = bytes.windows(3).position(|found| found == [0x23, 0xe3, 0x83]).expect("a DefaultDuration");
    let length = bytes[at + 3] & 0x7f;
    // A void element, as long as the one that it replaces.
    bytes[at..at + 2].copy_from_slice(&[0xec, 0x82 + length]);
    let clip = Clip::from_bytes("silent.webm", &bytes);
    let (all, _) = records(clip.path(), &[]);
    for pair in all.windows(2) {
        let [time, next] = [&pair[0], &pair[1]].map(|record| record["time_seconds"].as_f64().unwrap());
        assert!((pair[0]["duration_seconds"].as_f64().unwrap() - (next - time)).abs() < 1e-9, "{:?}", pair[0]);
    }
    check(clip.path(), &[1, 31, 34, 61, 150]);
}

/// A decoder outputs a picture in the order of its codec, whatever its timestamp.
#[test]
fn a_frame_whose_timestamp_lies_before_those_that_are_shown_earlier() {
    let clip = Clip::moving("clip.mkv", "64x48", 9.0, "-c:v libx264 -preset veryfast -g 50 -bf 3 -pix_fmt yuv420p");
    for at in [1, 111] {
        let stamp = format!("-i @ -c copy -bsf:v setts=pts=if(eq(N\\,{at})\\,PTS-46\\,PTS):dts=DTS");
        check(&clip.make(&format!("stray{at}.mkv"), &stamp), &[1, 3, 4, 5, 110, 114]);
    }
}
