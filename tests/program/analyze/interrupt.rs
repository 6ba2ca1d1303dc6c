//! Interrupts, kills, and resuming after them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::analyze::program::{analyze, output};
use crate::command::program;
use crate::common::Clip;

/// Makes a clip that takes a while to count with the reference.
fn clip() -> Clip {
    Clip::moving("clip.mp4", "320x240", 8.0, "-c:v libx264 -preset veryfast -g 25 -bf 2 -pix_fmt yuv420p")
}

const SLOW: [&str; 3] = ["--engine", "cpu", "--verify"];

fn start(clip: &Clip, path: &Path, arguments: &[&str]) -> Child {
    let mut command = program();
    command.arg("analyze").arg(clip.path()).args(SLOW).args(arguments).arg("-o").arg(path);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the preliminary file, once it contains some records.
fn wait_for_records(folder: &Path) -> PathBuf {
    let begin = Instant::now();
    loop {
        let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| {
            path.extension().is_some_and(|ending| ending == "part")
                && fs::metadata(path).is_ok_and(|file| file.len() > 100_000)
        });
        if let Some(found) = found {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no records come");
        thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Resumes, and checks that the result equals the output of a single run.
fn resume(clip: &Clip, path: &Path, arguments: &[&str]) {
    let again = analyze(clip.path(), &[arguments, &["--resume", "-o", path.to_str().unwrap()]].concat());
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    let whole = clip.folder().join("whole");
    output(clip.path(), &[arguments, &["-o", whole.to_str().unwrap()]].concat());
    assert!(fs::read(path).unwrap() == fs::read(&whole).unwrap(), "{arguments:?}");
    let parts = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "part"));
    assert_eq!(parts.count(), 0, "nothing else is left");
}

#[test]
fn an_interrupt_leaves_complete_records_that_say_so() {
    let clip = clip();
    for (format, more) in [
        ("jsonl", &["--bins"][..]),
        ("csv", &["--bins", "--from", "0.5", "--to", "170f"]),
        ("json", &["--bins", "--every", "2"]),
        ("csv", &["--bins", "--equalize", "--otsu", "3"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.data");
        let arguments = [&["--format", format], more].concat();
        let child = start(&clip, &path, &arguments);
        wait_for_records(folder.path());
        assert!(!path.exists(), "it appears when it is finished");
        interrupt(&child);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains("stopped") && said.contains("partial"), "{said}");
        let text = fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap();
        assert!(last.contains("\"complete\":false") && last.contains("it was stopped"), "{last}");
        let records = match format {
            "json" => serde_json::from_str::<Value>(&text).unwrap()["frames"].as_array().unwrap().len(),
            "csv" => text.lines().count() - 2,
            _ => text.lines().count() - 1,
        };
        assert!((1..190).contains(&records), "{records}");
        assert!(last.contains(&format!("\"frames\":{records},")), "{last}");
        // Different options make a different run.
        let other = analyze(clip.path(), &["--format", format, "--resume", "-o", path.to_str().unwrap()]);
        other.fails_with(&["other options", "--resume"]);
        resume(&clip, &path, &arguments);
    }
}

#[test]
fn a_killed_run_is_continued_after_its_last_complete_record() {
    let clip = clip();
    for (format, more) in
        [("csv", &["--bins"][..]), ("ffprobe", &[]), ("jsonl", &["--bins", "--from", "10f", "--jobs", "2"])]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.data");
        let arguments = [&["--format", format], more].concat();
        let mut child = start(&clip, &path, &arguments);
        let part = wait_for_records(folder.path());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!path.exists());
        // The kill may have come within a record. This cut certainly does.
        let text = fs::read(&part).unwrap();
        fs::write(&part, &text[..text.len() - 17]).unwrap();
        resume(&clip, &path, &arguments);
        let finished = analyze(clip.path(), &[&arguments[..], &["--resume", "-o", path.to_str().unwrap()]].concat());
        assert_eq!(finished.code, Some(0));
        assert!(finished.stderr.contains("already complete"), "{}", finished.stderr);
        // Only the summary of this format tells of options, since the whole file was counted.
        if format == "jsonl" {
            let weighed = ["--luminance-weights", "bt2020", "--resume", "-o", path.to_str().unwrap()];
            analyze(clip.path(), &[&arguments[..], &weighed].concat()).fails_with(&["other options", "--resume"]);
        }
    }
}

#[test]
fn nothing_to_go_on_with_is_a_run_from_the_start() {
    let clip = Clip::moving("clip.mkv", "32x32", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    resume(&clip, &clip.folder().join("new.csv"), &["--format", "csv"]);
    let foreign = clip.folder().join("foreign.csv");
    fs::write(&foreign, "my own notes\n").unwrap();
    let run = analyze(clip.path(), &["--resume", "-o", foreign.to_str().unwrap()]);
    run.fails_with(&["foreign.csv", "not csv output"]);
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "my own notes\n");
}

#[test]
fn two_runs_do_not_write_one_output() {
    let clip = clip();
    let path = clip.folder().join("out.jsonl");
    let mut child = start(&clip, &path, &["--bins"]);
    wait_for_records(clip.folder());
    let second = analyze(clip.path(), &["--verify", "--bins", "-o", path.to_str().unwrap()]);
    second.fails_with(&["another histoscope is writing it"]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_second_interrupt_ends_at_once_what_the_first_cannot() {
    let clip = clip();
    let mut command = program();
    command.arg("analyze").arg(clip.path()).args(["--engine", "cpu", "--format", "jsonl", "--bins"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // Nothing reads the output, so it soon blocks in the middle of a record.
    thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None, "it still waits for a reader");
    interrupt(&child);
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it did not end");
        }
        thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(130));
}
