//! A frame's record does not depend on how the frame was reached.
//!
//! The clips are joined of three parts that state different things in their headers. Some have packets that no decoder
//! accepts, or odd timestamps. `HISTOSCOPE_REACHED=0-299` checks all of them, and `HISTOSCOPE_REACHED=7` one.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::{Duration, Instant};

use histoscope_core::picture::{Frame, FrameFacts};
use histoscope_media::{Seek, SeekTarget};
use serde_json::Value;

use crate::analyze::program::analyze;
use crate::command::{finish, program};
use crate::common::damage::Dice;
use crate::common::session::Session;
use crate::common::{Clip, decode_all, ffprobe, open, picture_bytes};

/// Of all clips, every fifth is checked by default.
const STEP: u64 = 5;
const ALL: std::ops::Range<u64> = 0..300;
/// Longer than the window takes to correct a number.
const SOON: Duration = Duration::from_secs(20);

/// How the parts are coded.
struct Coding {
    name: &'static str,
    arguments: &'static str,
    /// The format of a part.
    part: &'static str,
    /// The containers of the whole.
    containers: &'static [&'static str],
}

const CODINGS: [Coding; 13] = [
    Coding {
        name: "h264",
        arguments: "-c:v libx264 -preset veryfast -bf 2",
        part: "h264",
        containers: &["mp4", "mkv", "ts", "mov", "flv"],
    },
    Coding {
        name: "h264 with open groups",
        arguments: "-c:v libx264 -preset veryfast -bf 3 -x264-params open-gop=1",
        part: "h264",
        containers: &["mp4", "mkv", "ts", "mov"],
    },
    Coding {
        name: "interlaced h264",
        arguments: "-c:v libx264 -preset veryfast -bf 2 -flags +ildct+ilme",
        part: "h264",
        containers: &["mp4", "mkv", "ts"],
    },
    Coding {
        name: "mpeg2",
        arguments: "-c:v mpeg2video -bf 2 -q:v 5",
        part: "m2v",
        containers: &["ts", "mpg", "mkv", "mp4"],
    },
    Coding {
        name: "interlaced mpeg2",
        arguments: "-c:v mpeg2video -bf 2 -q:v 5 -flags +ildct+ilme -top 1",
        part: "m2v",
        containers: &["ts", "mpg", "mkv"],
    },
    Coding {
        name: "hevc",
        arguments: "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=2",
        part: "hevc",
        containers: &["mp4", "mkv", "ts"],
    },
    Coding {
        name: "vp9",
        arguments: "-c:v libvpx-vp9 -deadline realtime -cpu-used 8",
        part: "webm",
        containers: &["webm", "mkv", "mp4"],
    },
    Coding {
        name: "vp8",
        arguments: "-c:v libvpx -deadline realtime -cpu-used 8",
        part: "webm",
        containers: &["webm", "mkv"],
    },
    Coding {
        name: "av1",
        arguments: "-c:v libaom-av1 -cpu-used 8 -usage realtime",
        part: "mkv",
        containers: &["mkv", "mp4"],
    },
    Coding { name: "mpeg4", arguments: "-c:v mpeg4 -bf 2 -q:v 5", part: "mp4", containers: &["avi", "mp4", "mkv"] },
    Coding {
        name: "mjpeg",
        arguments: "-c:v mjpeg -strict unofficial",
        part: "avi",
        containers: &["avi", "mkv", "mov"],
    },
    Coding {
        name: "prores",
        arguments: "-c:v prores_ks -pix_fmt yuv422p10le",
        part: "mov",
        containers: &["mov", "mkv"],
    },
    Coding { name: "ffv1", arguments: "-c:v ffv1", part: "mkv", containers: &["mkv", "avi"] },
];

/// What a part states about its colours.
const COLORS: [&str; 5] = [
    "",
    "-color_primaries bt709 -color_trc bt709 -colorspace bt709",
    "-color_primaries smpte170m -color_trc smpte170m -colorspace smpte170m -color_range tv",
    "-color_range pc",
    "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range pc",
];

/// What is odd about the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Oddity {
    None,
    TimestampGoesBack,
    TimestampIsRepeated,
    PacketIsRefused,
}

/// Returns the clip with that number, and what it is.
fn made(number: u64) -> (Clip, String) {
    let mut dice = Dice::new(number + 1000);
    let coding = &CODINGS[dice.below(CODINGS.len())];
    let group = [5, 12, 25][dice.below(3)];
    let container = coding.containers[dice.below(coding.containers.len())];
    let is_raw = ["h264", "m2v", "hevc"].contains(&coding.part);
    let oddity = match dice.below(8) {
        0 => Oddity::TimestampGoesBack,
        1 => Oddity::TimestampIsRepeated,
        // VP8 and FFV1 have too little at the start of a picture to tell what a decoder refuses.
        2 if !["vp8", "ffv1"].contains(&coding.name) => Oddity::PacketIsRefused,
        _ => Oddity::None,
    };
    let mut what = format!("{number}: {} in groups of {group} in {container}, {oddity:?}", coding.name);
    let clip = Clip::blank(&format!("reached.{container}"));
    let mut parts = Vec::new();
    let mut begin = 0;
    for part in 0..3 {
        let frames = 8 + dice.below(24);
        let colors = COLORS[dice.below(COLORS.len())];
        let aspect = if dice.below(3) == 0 { ",setsar=16/15" } else { "" };
        let mut more = String::new();
        if coding.name.starts_with("interlaced") && dice.below(2) == 0 {
            more += " -flags -ildct-ilme";
        }
        if coding.part == "h264" && dice.below(4) == 0 {
            _ = write!(
                more,
                " -bsf:v h264_metadata=display_orientation=insert:rotate={}",
                [90, 180, 270][dice.below(3)]
            );
        }
        let keys = if coding.part == "hevc" { String::new() } else { format!("-g {group}") };
        let source = format!(
            "testsrc2=s=64x36:r=25,trim=start_frame={begin}:end_frame={},setpts=PTS-STARTPTS{aspect}",
            begin + frames
        );
        let name = format!("part{part}.{}", coding.part);
        let arguments = format!("-f lavfi -i {source} -pix_fmt yuv420p {} {keys} {colors} {more}", coding.arguments);
        parts.push(clip.make(&name, &arguments));
        begin += frames;
        _ = write!(what, "; {frames} frames {colors}{aspect}{more}");
    }
    let steps = match oddity {
        Oddity::TimestampGoesBack => format!("-bsf:v setts=pts=if(eq(N\\,{})\\,PTS-50\\,PTS)", 1 + dice.below(18)),
        Oddity::TimestampIsRepeated => {
            format!("-bsf:v setts=pts=if(eq(N\\,{})\\,PREV_OUTPTS\\,PTS)", 2 + dice.below(18))
        }
        Oddity::None | Oddity::PacketIsRefused => String::new(),
    };
    let name = format!("reached.{container}");
    if is_raw {
        let joined: Vec<u8> = parts.iter().flat_map(|part| std::fs::read(part).expect("a part")).collect();
        let joined_name = format!("joined.{}", coding.part);
        std::fs::write(clip.folder().join(&joined_name), joined).expect("the folder takes a file");
        // Matroska takes no frames without a timestamp, which the others make up.
        clip.make("timed.mp4", &format!("-fflags +genpts -r 25 -i @/{joined_name} -c copy"));
        clip.make(&name, &format!("-i @/timed.mp4 -c copy {steps}"));
    } else {
        let list: String = parts.iter().map(|part| format!("file '{}'\n", part.display())).collect();
        std::fs::write(clip.folder().join("list.txt"), list).expect("the folder takes a file");
        clip.make(&name, &format!("-f concat -safe 0 -i @/list.txt -c copy {steps}"));
    }
    let is_packed = ["ts", "mpg", "flv"].contains(&container);
    if oddity == Oddity::PacketIsRefused && !is_packed {
        refuse_packet(clip.path(), &mut dice);
    }
    (clip, what)
}

/// Overwrites one packet, all but the length that precedes its first unit in some codecs.
fn refuse_packet(path: &Path, dice: &mut Dice) {
    let text = ffprobe(path, &["-select_streams", "v", "-show_entries", "packet=pos,size"]);
    let numbers = |line: &str| line.split(',').filter_map(|number| number.trim().parse().ok()).collect::<Vec<usize>>();
    // ffprobe writes the size first.
    let packets: Vec<_> = text.lines().map(numbers).filter(|numbers| numbers.len() == 2).collect();
    let [size, position] = packets[1 + dice.below(packets.len() - 1)][..] else { unreachable!("two numbers") };
    let mut bytes = std::fs::read(path).expect("the clip");
    bytes[position + 4..position + size].fill(0xff);
    std::fs::write(path, bytes).expect("the clip can be written");
}

/// Everything about a frame, in one text.
fn described(frame: &Frame, index: Option<u64>) -> String {
    let mut hasher = DefaultHasher::new();
    picture_bytes(&frame.picture).hash(&mut hasher);
    let facts = FrameFacts { index, ..frame.facts.clone() };
    format!("{facts:?} {:?} {:x}", frame.picture.colorimetry(), hasher.finish())
}

/// Compares frames that the library reaches in different ways.
fn check_frames(path: &Path, dice: &mut Dice, wrong: &mut Vec<String>) {
    let frames = decode_all(path);
    let mut session = Session::paused(path);
    let mut decoder = open(path);
    for _ in 0..6 {
        let at = dice.below(frames.len());
        let targets = [SeekTarget::Time(frames[at].time_secs), SeekTarget::Number(at as u64)];
        for (is_fresh, target) in targets.into_iter().flat_map(|target| [(true, target), (false, target)]) {
            let mut fresh = open(path);
            let decoder = if is_fresh { &mut fresh } else { &mut decoder };
            decoder.seek(Seek::Exact(target)).expect("the clip can be positioned");
            for expected in frames[at..].iter().take(2) {
                let found = decoder.next_frame().expect("the clip can be read");
                // A number may be unknown, but not wrong.
                let found = found.map(|frame| described(&frame, frame.index.or(expected.index)));
                let expected = described(expected, expected.index);
                if found.as_ref() != Some(&expected) {
                    wrong.push(format!("{target:?}, fresh: {is_fresh}:\n  {found:?}\n  {expected}"));
                }
            }
        }
        // At the end, as the headers state it, the window goes to the last frame.
        let is_end = session.player.duration_secs().is_some_and(|duration| frames[at].time_secs >= duration);
        let at = if is_end { frames.len() - 1 } else { at };
        session.seek(frames[at].time_secs);
        let begun = Instant::now();
        let expected = described(&frames[at], frames[at].index);
        let shown = |session: &Session| described(session.frame(), session.player.frame_index().or(frames[at].index));
        while shown(&session) != expected && begun.elapsed() < SOON {
            session.wait(Duration::from_millis(2));
            session.tick(Instant::now());
        }
        let found = shown(&session);
        if found != expected {
            wrong.push(format!("window to frame {at}:\n  {found}\n  {expected}"));
        }
    }
}

/// Returns the records of frames, line by line.
fn records(path: &Path, arguments: &[&str]) -> Vec<String> {
    let run = analyze(path, arguments);
    run.stdout.lines().filter(|line| line.contains("\"type\":\"frame\"")).map(str::to_owned).collect()
}

/// Compares records that the program writes in different ways.
fn check_records(path: &Path, dice: &mut Dice, wrong: &mut Vec<String>) {
    let full = records(path, &[]);
    let mut check = |way: &str, found: &[String], expected: &[String]| {
        if found != expected {
            let at = found.iter().zip(expected).position(|(found, expected)| found != expected);
            let (found, expected) = (found.get(at.unwrap_or(0)), expected.get(at.unwrap_or(0)));
            wrong.push(format!("{way}, frame {at:?} of it:\n  {found:?}\n  {expected:?}"));
        }
    };
    let at = dice.below(full.len());
    check("--from", &records(path, &["--from", &format!("{at}f")]), &full[at..]);
    check("--jobs", &records(path, &["--jobs", "3"]), &full);
    let share = |name: &str, span: &[&str]| {
        let share = path.with_file_name(name);
        analyze(path, &[span, &["-o", share.to_str().expect("a path of text")]].concat());
        share
    };
    let middle = format!("{}f", 1 + dice.below(full.len() - 1));
    let shares = [share("a.jsonl", &["--to", &middle]), share("b.jsonl", &["--from", &middle])];
    let merged = finish(program().arg("merge").args(shares)).stdout;
    let merged: Vec<_> = merged.lines().filter(|line| line.contains("\"type\":\"frame\"")).map(str::to_owned).collect();
    check("merge", &merged, &full);
    let at = dice.below(full.len());
    let record: Value = serde_json::from_str(&full[at]).expect("a record");
    for point in [format!("{at}f"), record["time_seconds"].to_string()] {
        let mut snapshot = program();
        let run = finish(snapshot.arg("snapshot").arg(path).args(["--json", "--engine", "cpu", "--at", &point]));
        let found: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let differs = |name: &&String| found.get(name).is_some_and(|value| *value != record[name.as_str()]);
        let mut names: Vec<_> = record.as_object().expect("a record").keys().filter(differs).collect();
        names.retain(|name| *name != "frame" || !found["frame"].is_null());
        if !names.is_empty() || found["pts_ticks"] != record["pts_ticks"] {
            wrong.push(format!("snapshot --at {point}: {names:?} of frame {at}"));
        }
    }
}

#[test]
fn a_record_does_not_depend_on_how_its_frame_was_reached() {
    let requested = std::env::var("HISTOSCOPE_REACHED").ok().map(|text| {
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        (first.parse::<u64>().expect("a number"), last.parse::<u64>().expect("a number"))
    });
    let (numbers, step) = requested.map_or((ALL, STEP), |(first, last)| (first..last + 1, 1));
    let mut wrong = Vec::new();
    for number in numbers.step_by(step as usize) {
        let (clip, what) = made(number);
        let mut found = Vec::new();
        let mut dice = Dice::new(number + 2000);
        check_frames(clip.path(), &mut dice, &mut found);
        check_records(clip.path(), &mut dice, &mut found);
        if !found.is_empty() {
            found.truncate(3);
            wrong.push(format!("{what}\n{}", found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} clips:\n{}", wrong.len(), wrong.join("\n\n"));
}
