//! The number of decoding threads, and equal counts of a damaged file with a single one.

use std::collections::BTreeSet;

use crate::command::run;
use crate::common::{Clip, odd};

/// The lines about threads that `-v` adds for each decoder that the command opens.
fn thread_lines(command: &[&str]) -> Vec<String> {
    let run = run([command, &["-v"]].concat());
    assert_eq!(run.code, Some(0), "{command:?}: {run:?}");
    run.stderr.lines().filter(|line| line.contains(" decodes with ")).map(str::to_owned).collect()
}

#[test]
fn every_command_decodes_with_as_many_threads_or_with_those_that_are_asked_for() {
    let clip = Clip::moving("clip.mp4", "96x64", 9.0, "-c:v libx264 -preset ultrafast -g 12 -pix_fmt yuv420p");
    let path = clip.path().to_str().unwrap();
    let [page, picture] = ["out.html", "out.png"].map(|name| clip.folder().join(name).display().to_string());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let check = |command: &[&str], threads: usize, decoders: usize| {
        let wanted = format!("h264 decodes with {threads} threads");
        let lines = thread_lines(command);
        assert!(lines.len() >= decoders, "{command:?}: {lines:?}");
        let other: BTreeSet<_> = lines.iter().filter(|line| !line.contains(&wanted)).collect();
        assert!(other.is_empty(), "{command:?} has not \"{wanted}\": {other:?}");
    };
    let all = (cores + 1).min(17);
    check(&["analyze", path, "--engine", "cpu"], all, 1);
    check(&["analyze", path, "--engine", "cpu", "--jobs", "2", "--threads", "5"], 5, 2);
    check(&["report", path, "-o", &page, "--engine", "cpu", "--jobs", "2"], all, 2);
    check(&["report", path, "-o", &page, "--engine", "cpu", "--threads", "5"], 5, 1);
    check(&["snapshot", path, "-o", &picture, "--at", "1"], all, 1);
    check(&["snapshot", path, "-o", &picture, "--at", "1", "--threads", "5"], 5, 1);
    for number in ["0", "65", "all", "-1"] {
        let run = run(["analyze", path, &format!("--threads={number}")]);
        assert!(run.code == Some(2) && run.stderr.contains("whole number from 1 to 64"), "{number}: {run:?}");
    }
}

#[test]
fn one_thread_counts_damaged_files_alike_and_says_how_many_frames_are_damaged() {
    let x264 = "-c:v libx264 -preset fast -pix_fmt yuv420p -b:v 1M";
    let x265 = "-c:v libx265 -preset ultrafast -b:v 1M -x265-params log-level=error";
    for (name, arguments, is_told) in [
        ("open.ts", format!("{x264} -g 50 -bf 3 -x264-params open-gop=1"), true),
        ("part2.avi", "-c:v mpeg4 -g 50 -bf 2 -b:v 1M".to_owned(), true),
        ("hevc.ts", format!("{x265}:keyint=50:open-gop=1:bframes=3 -pix_fmt yuv420p"), false),
    ] {
        let clip = Clip::moving(name, "256x144", 8.0, &format!("-vf noise=alls=12:allf=t {arguments}"));
        let clip = odd::with_damage_in(&clip, name, if is_told { 12 } else { 40 });
        let path = clip.path().to_str().unwrap();
        let [first, second] = [(); 2].map(|()| run(["analyze", path, "--engine", "cpu", "--threads", "1"]));
        assert_eq!((first.code, second.code), (Some(0), Some(0)), "{name}: {first:?}");
        let differing = first.stdout.lines().zip(second.stdout.lines()).position(|(one, other)| one != other);
        assert_eq!((differing, first.stdout.len()), (None, second.stdout.len()), "{name}");
        assert_eq!(first.stderr, second.stderr, "{name}");
        let damaged = first.stdout.matches("\"damaged\":true").count();
        let is_as_told = first.stderr.contains(&format!(": {damaged} frames damaged, "));
        assert!(!is_told || damaged > 1 && is_as_told, "{name}: {damaged}, {}", first.stderr);
    }
}
