//! Live input: counted until interrupted, across interruptions of its sender, with the time of day.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::analyze::program::{analyze, read_records};
use crate::command::program;
use crate::common::sender::{Sender, free_port};
use crate::common::{self, Clip};

/// Longer than anything here takes, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);
const SENT: &str = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts";

fn start(address: &str, arguments: &[&str]) -> Child {
    let mut command = program();
    command.args(["analyze", address, "--engine", "cpu"]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Waits until the preliminary file has grown by this many bytes. Returns its length.
fn wait_for_growth(folder: &Path, by: u64) -> u64 {
    let length = || {
        let entries = fs::read_dir(folder).unwrap().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum::<u64>()
    };
    let (begin, before) = (Instant::now(), length());
    while length() < before + by {
        assert!(begin.elapsed() < SOON, "no records come");
        std::thread::sleep(Duration::from_millis(20));
    }
    length()
}

/// Returns the digits of `2026-03-01T12:00:00.250Z` as a number that rises with time.
fn digits(stamp: &Value) -> u64 {
    let text = stamp.as_str().expect("a text");
    assert!(text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T', "{text}");
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn what_is_live_is_counted_until_it_is_interrupted_with_the_time_of_day() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    let child = start(&address, &["-o", path.to_str().unwrap()]);
    let sender = Sender::moving("64x48", SENT, &address);
    wait_for_growth(folder.path(), 100_000);
    drop(sender);
    // Long enough for the loss to be noticed.
    std::thread::sleep(Duration::from_secs(3));
    let _sender = Sender::moving("96x64", SENT, &address);
    wait_for_growth(folder.path(), 100_000);
    assert!(!path.exists(), "it appears when it is finished");
    interrupt(&child);
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("no signal since") && said.contains("the signal is back"), "{said}");

    let (records, summary) = read_records(&fs::read_to_string(&path).unwrap());
    assert_eq!((&summary["complete"], &summary["reason"]), (&false.into(), &"it was stopped".into()));
    assert_eq!(summary["frames"], records.len());
    let sizes = |width: u64| records.iter().filter(|record| record["width"] == width).count();
    assert!(sizes(64) > 10 && sizes(96) > 10 && sizes(64) + sizes(96) == records.len());
    for pair in records.windows(2) {
        let [first, second] = pair else { unreachable!("windows of two") };
        assert!(first["frame"].as_u64() < second["frame"].as_u64(), "{first} {second}");
        assert!(first["time_seconds"].as_f64() < second["time_seconds"].as_f64(), "{first} {second}");
        assert!(digits(&first["wall_time"]) <= digits(&second["wall_time"]), "{first} {second}");
    }
    let (first, last) = (&records[0], &records[records.len() - 1]);
    assert!(digits(&last["wall_time"]) > digits(&first["wall_time"]) + 3000, "the pause is in it");
    assert!(last["time_seconds"].as_f64() > first["time_seconds"].as_f64().map(|secs| secs + 3.0));
    let now = histoscope_core::text::rfc3339(SystemTime::now());
    assert!(digits(&last["wall_time"]) <= digits(&now.into()));
}

/// Returns true if a program listens on this port.
#[cfg(target_os = "linux")]
fn is_listened_to(port: u16) -> bool {
    let sockets = fs::read_to_string("/proc/net/udp").unwrap();
    sockets.lines().filter_map(|line| line.split_whitespace().nth(1)).any(|own| own.ends_with(&format!(":{port:04X}")))
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_before_anything_came_writes_nothing_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for destination in [&["-o", "live.jsonl"][..], &["-o", "live.parquet"], &[]] {
        let port = free_port();
        let mut command = program();
        command.args(["analyze", &format!("udp://127.0.0.1:{port}")]).args(destination).current_dir(folder.path());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begin = Instant::now();
        while !is_listened_to(port) {
            assert!(begin.elapsed() < SOON, "nobody listens");
            std::thread::sleep(Duration::from_millis(20));
        }
        interrupt(&child);
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(130), 0), "{said}");
        assert!(said.contains("stopped before a frame was counted; nothing was written"), "{said}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a file is left");
    }
}

#[test]
fn a_live_source_is_divided_into_files_that_are_named_by_the_time_of_day() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    let _sender = Sender::moving("64x48", SENT, &address);
    let before = histoscope_core::text::file_stamp(SystemTime::now());
    let child = start(&address, &["-o", path.to_str().unwrap(), "--segment", "1"]);
    let finished = || {
        let mut files: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        files.sort();
        files
    };
    let begin = Instant::now();
    while finished().len() < 3 {
        assert!(begin.elapsed() < SOON, "no file is finished");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let (files, after) = (finished(), histoscope_core::text::file_stamp(SystemTime::now()));
    let mut next = 0;
    for (at, file) in files.iter().enumerate() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let stamp = name.strip_prefix("live-").and_then(|rest| rest.split_once('-')).unwrap().0;
        assert!((&*before..=&*after).contains(&stamp), "{before} {name} {after}");
        assert!(name.ends_with(&format!("-{:04}.jsonl", at + 1)), "{name}");
        let (records, summary) = read_records(&fs::read_to_string(file).unwrap());
        assert_eq!(summary["first_frame"], next, "none is missing between two files");
        next = summary["end_frame"].as_u64().unwrap();
        let wall: String = records[0]["wall_time"].as_str().unwrap().replace(['-', ':'], "");
        assert_eq!(wall.split_once('.').unwrap().0, stamp.trim_end_matches('Z'));
        assert_eq!(summary["complete"], at + 1 < files.len(), "{name}");
    }
}

#[test]
fn waiting_for_a_sender_can_be_interrupted_and_a_span_ends_by_itself() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let child = start(&address, &[]);
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(130), 0));

    let _sender = Sender::moving("64x48", SENT, &address);
    let child = start(&address, &["--to", "0.5", "--format", "csv"]);
    let ended = child.wait_with_output().unwrap();
    let table = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(table.lines().next().unwrap().contains(",duration_seconds,wall_time,key_frame,"), "{table}");
    assert!(table.lines().count() > 5, "{table}");
    for (option, value) in [("--from", "1"), ("--jobs", "2")] {
        let run = analyze(Path::new(&address), &[option, value]);
        run.fails_with(&[&address, option, "needs a file"]);
    }
}

/// Timestamps of transport streams wrap after 2^33 ticks. That is not a gap, even for a run that ends right after it.
#[test]
fn times_go_on_where_the_sender_s_time_stamps_wrap() {
    const WRAP_SECS: f64 = (1_u64 << 33) as f64 / 90_000.0;
    let sent = format!("-output_ts_offset 95440 {SENT}");
    let file = Clip::new("sent.ts", &format!("-f lavfi -i testsrc2=size=64x48:rate=30:duration=1 {sent}"));
    let told = common::ffprobe(file.path(), &["-show_entries", "stream=start_time"]);
    // A receiver that starts at the beginning is at most this far from it.
    let first = told.split(['\n', ',']).next().and_then(|secs| secs.trim().parse::<f64>().ok());
    // FFmpeg counts from the wrap if it comes soon.
    let first = first.expect("a time");
    let wrap_secs = if first < 0.0 { -first } else { WRAP_SECS - first };
    assert!((1.0..4.0).contains(&wrap_secs), "{told}");
    for more in [0.0, 0.2, 0.6] {
        let address = format!("udp://127.0.0.1:{}", free_port());
        let mut child = start(&address, &[]);
        std::thread::sleep(Duration::from_millis(500));
        let _sender = Sender::moving("64x48", &sent, &address);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
        let mut records: Vec<Value> = Vec::new();
        let begin = Instant::now();
        while records.last().is_none_or(|record| record["time_seconds"].as_f64().unwrap() < wrap_secs + more) {
            assert!(begin.elapsed() < SOON, "the wrap never came");
            records.push(serde_json::from_str(&lines.next().expect("records come")).unwrap());
        }
        interrupt(&child);
        let rest: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let (summary, rest) = rest.split_last().expect("a summary");
        records.extend_from_slice(rest);
        assert_eq!((&summary["type"], &summary["frames"]), (&"summary".into(), &records.len().into()));
        for pair in records.windows(2) {
            let [first, second] = [&pair[0], &pair[1]].map(|record| record["time_seconds"].as_f64().unwrap());
            let frames = pair[1]["frame"].as_u64().unwrap() - pair[0]["frame"].as_u64().unwrap();
            assert!((second - first - frames as f64 / 30.0).abs() < 0.01, "{} {}", pair[0], pair[1]);
        }
    }
}

#[test]
fn the_sound_of_a_live_source_is_not_measured_and_that_is_said() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    let child = start(&address, &["-o", path.to_str().unwrap(), "--audio", "--to", "30f"]);
    let sound = "-re -f lavfi -i sine=r=48000 -c:a mp2";
    let _sender = Sender::raw(&format!("-re -f lavfi -i testsrc2=s=64x48:r=30 {sound} {SENT}"), &address);
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("this source can be read only once"), "{said}");
}
