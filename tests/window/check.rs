//! The panel of a check: its list against the command's, going to findings, profiles, and what cannot be checked.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Program, Time};
use crate::sender::{Sender, free_port};
use crate::wait::{PATIENCE, output_of, until};
use crate::{near, position_where};

/// Four seconds of a moving gray picture, with a white frame at 25 and black frames from 60 to 79.
fn faulty(folder: &TempDir) -> String {
    let path = folder.path().join("faulty.mkv");
    let boxes = "hue=s=0,drawbox=c=white:t=fill:enable=eq(n\\,25),drawbox=c=black:t=fill:enable=between(n\\,60\\,79)";
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=4"]);
    command.args(["-vf", &format!("{boxes},format=yuv420p"), "-c:v", "ffv1"]).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// Returns the output of `histoscope check` as JSON, and its findings in the words of the panel's log.
fn checked(clip: &str, profile: &str, folder: &Path) -> (String, Vec<String>) {
    let output = folder.join(format!("{profile}.json"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    command.args(["check", clip, "--quiet", "--profile", profile, "-o"]).arg(&output);
    // The exit code is 4 for a file with errors.
    let _ = output_of(&mut command, PATIENCE);
    let text = fs::read_to_string(output).expect("the findings");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let findings = json["files"][0]["findings"].as_array().expect("findings").iter().map(|finding| {
        let word = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let span = finding["frame"].as_u64().zip(finding["last_frame"].as_u64());
        let at = finding["start_secs"].as_f64().map_or("whole file".to_owned(), |secs| format!("0:{secs:06.3}"));
        let length = span.map_or(String::new(), |(first, last)| match last - first + 1 {
            1 => "1 frame".to_owned(),
            frames => format!("{frames} frames"),
        });
        let number = |name: &str| finding[name].as_f64();
        let value = match (number("value"), word("unit").as_str()) {
            (None, _) => word("finding"),
            (Some(secs), "s") => format!("{secs:.3} s"),
            (Some(_), "frames") => length.clone(),
            (Some(value), unit) => panic!("{value} {unit}: how the panel writes it is not known here"),
        };
        let limit = number("threshold").map(|limit| format!(" (limit {limit} {})", word("threshold_unit")));
        let value = value + &limit.unwrap_or_default();
        let frame = span.map_or(String::new(), |(first, _)| format!(", frame {first}"));
        let cells = [word("severity"), word("check"), at, length, value].join(", ");
        format!("{cells}{frame}, {}", word("finding"))
    });
    (text, findings.collect())
}

/// Returns the findings that the program has logged since `before`.
fn listed(program: &Program, before: usize) -> Vec<String> {
    let log = program.log();
    log[before..].lines().filter_map(|line| Some(line.split_once("check: finding ")?.1.to_owned())).collect()
}

fn open(clip: &str, arguments: &[&str]) -> Program {
    let program = Program::start_with(clip, &[&["--paused"], arguments].concat());
    program.resize(1280, 720);
    program.take_pointer_away();
    program
}

/// Clicks a part of the panel, `along` of the way from its left to its right end.
fn click(program: &Program, name: &str, along: f64) {
    let text = format!("check: {name} from ");
    let place = || {
        let log = program.log();
        let line = log.lines().rev().find_map(|line| line.split_once(&text))?.1.to_owned();
        let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [left, right, middle] = numbers[..] else { return None };
        Some(((left + along * (right - left)) as i32, middle as i32))
    };
    // The controls, which come up with the pointer, move the panel down.
    for _ in 0..3 {
        let (x, y) = until(name, PATIENCE, place);
        program.point(x, y);
        program.pass(std::time::Duration::from_millis(300));
    }
    program.button("mousedown", "1");
    program.button("mouseup", "1");
}

#[test]
fn the_panel_lists_what_the_command_finds_and_leads_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clip = faulty(&folder);
    let program = open(&clip, &[]);
    program.key("space");
    program.after(|| program.key("shift+k"), "not passed by ebu");
    let (json, expected) = checked(&clip, "ebu", folder.path());
    assert_eq!(listed(&program, 0), expected);
    let place = |check: &str| expected.iter().position(|row| row.contains(check)).expect("it is found");
    // By keys: to the flash, then to the black frames, both from the top.
    for (check, secs) in [("flash", 1.0), ("black, ", 2.4)] {
        program.keys(&["Up"; 12]);
        program.keys(&vec!["Down"; place(check)]);
        program.after(|| program.key("Return"), &format!("note: {}", check.trim_end_matches(", ")));
        position_where(&program, &format!("at {secs}"), |at| near(at, secs, 0.002));
        assert!(program.title().paused, "it plays on");
    }
    program.after(|| click(&program, "flash, 1 frame", 0.5), "note: flash, 1 frame");
    position_where(&program, "at the flash", |at| near(at, 1.0, 0.002));
    // The button saves the same file as the command.
    program.after(|| click(&program, "json", 0.5), "faulty-check.json");
    assert_eq!(fs::read_to_string(program.folder().join("faulty-check.json")).expect("the findings"), json);
    // Esc closes the panel; up and down are a minute again.
    program.key("Escape");
    program.after(|| program.key("Up"), "note: +60 s");
    program.quit_with("q");
}

#[test]
fn a_profile_is_given_or_chosen_and_kept() {
    let (folder, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let clip = faulty(&folder);
    let own = folder.path().join("own.toml");
    fs::write(&own, "[flash]\nseverity = \"info\"\n").expect("a profile");
    let program = Program::start_at_home(&[&clip, "--paused", "--profile", own.to_str().expect("UTF-8")], home.path());
    program.after(|| program.key("shift+k"), "own.toml: 0 errors, 0 warnings, 1 note in 100 frames");
    assert_eq!(listed(&program, 0), ["info, flash, 0:01.000, 1 frame, 1 frame, frame 25, flash, 1 frame"]);
    program.resize(1280, 720);
    let before = program.log().len();
    // The second of six.
    program.after(|| click(&program, "profiles", 0.3), "passed by streaming-sdr");
    assert_eq!(listed(&program, before), checked(&clip, "streaming-sdr", folder.path()).1);
    program.quit_with("q");
    let program = Program::start_at_home(&[&clip, "--paused"], home.path());
    program.after(|| program.key("shift+k"), "passed by streaming-sdr");
    program.quit_with("q");
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    fs::write(&own, "[flahs]\nseverity = \"info\"\n").expect("a profile");
    command.arg(&clip).arg("--profile").arg(&own);
    let error = output_of(&mut command, PATIENCE).expect_err("it is refused");
    assert!(error.contains("exit status: 1") && error.contains("own.toml, line 1: unknown check 'flahs'"), "{error}");
}

#[test]
fn closing_the_panel_ends_the_check_and_another_file_begins_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (long, faulty) = (crate::long_clip(), faulty(&folder));
    let long = long.path().to_str().expect("UTF-8");
    // In real time, because driven time waits for the check to end.
    let program = Program::start_in_time(Time::Real, &[long, &faulty, "--paused"]);
    program.key("shift+k");
    program.after(|| program.key("shift+k"), "check: stopped");
    program.key("shift+k");
    program.after(|| program.key("Next"), "not passed by ebu");
    assert!(listed(&program, 0).iter().any(|row| row.contains("flash, 1 frame")), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn a_live_source_is_refused_in_a_sentence() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let _sender =
        Sender::moving("320x180", "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts", &address);
    let program = Program::start_in_time(Time::Real, &[&address]);
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    program.after(|| program.key("shift+k"), "check needs a file that can be read more than once");
    program.quit_with("q");
}
