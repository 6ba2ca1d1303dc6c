//! `examples/dask_archive.py` on a cluster of real processes. Its results are compared with a single machine's, while
//! workers die, lack the program or its version, or run out of disk space.
#![cfg(unix)]

mod cluster;
mod files;
mod parallel;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::command::packages::{program_of_package, python_with_packages};
use crate::command::{Run, finish, program};
use cluster::{Cluster, Kind};
use files::Archive;

/// The most time to wait for an event on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn example() -> PathBuf {
    root().join("examples/dask_archive.py")
}

/// Waits until the condition holds.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn frames_in(dataset: &Path) -> usize {
    fs::read_dir(dataset.join("frames")).map_or(0, Iterator::count)
}

/// Returns the table of failures: each file's reason, and the number of frames kept.
fn failures(dataset: &Path) -> BTreeMap<String, (String, u64)> {
    let mut table = csv::Reader::from_path(dataset.join("failures.csv")).expect("a table of failures");
    let mut found = BTreeMap::new();
    for row in table.records() {
        let row = row.expect("a row");
        let name = Path::new(&row[0]).file_name().unwrap().to_string_lossy().into_owned();
        let kept = row[2].parse().expect("a number of frames");
        assert!(found.insert(name, (row[1].to_owned(), kept)).is_none(), "named twice: {row:?}");
    }
    found
}

/// Compares the rows in two folders of Parquet files.
fn assert_same_rows(dataset: &Path, one: &Path) {
    let script = root().join("tests/program/archive/same_rows.py");
    let run = finish(python_with_packages().arg(script).arg(dataset.join("frames")).arg(one));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("the same rows"), "{}", run.stdout);
}

/// Counts these files on a single machine.
fn count_on_one_machine(paths: &[PathBuf], folder: &Path) {
    let run = finish(
        program()
            .arg("analyze")
            .args(paths)
            .args(["--engine", "cpu", "--format", "parquet", "-q", "--out-dir"])
            .arg(folder),
    );
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
}

#[test]
fn a_cluster_counts_what_one_machine_counts_whatever_becomes_of_its_workers() {
    let archive = Archive::new();
    let folder = archive.folder();
    let dataset = folder.join("dataset");
    let mut cluster = Cluster::start(&folder.join("cluster"), &archive);
    let mut workers: Vec<_> = (0..3).map(|_| cluster.worker(Kind::Good)).collect();
    for kind in [Kind::WithoutProgram, Kind::OtherVersion, Kind::FullDisk] {
        cluster.worker(kind);
    }
    cluster.wait_for_workers(6);

    // An earlier start ran out of disk space.
    fs::create_dir(folder.join("dataset.new")).unwrap();
    fs::write(folder.join("dataset.new/run.json"), "{").unwrap();

    // A worker is killed while files are being counted.
    let mut client = cluster.client(&archive.films(), &dataset, &["--share-minutes", "0.05"]);
    let client = client.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the client starts");
    wait_for("some files are counted", || frames_in(&dataset) >= 8);
    workers.remove(0).kill().expect("the worker can be ended");
    let counted = frames_in(&dataset);
    let run = ended(client);
    assert!(counted < archive.good() / 2, "the worker was to be killed in the middle, not after {counted} files");
    assert_eq!(run.code, Some(1), "some files failed, so the code is 1: {run:?}");
    assert!(run.stdout.contains("60 of 60 files") && run.stdout.contains("h an hour"), "{run:?}");
    assert!(run.stdout.lines().filter(|line| line.starts_with("slow: ")).count() == 5, "{run:?}");
    for words in ["No such file or directory|not found", "histoscope 9.9.9", "No space left on device"] {
        let is_told = |line: &str| line.contains("is left out") && words.split('|').any(|word| line.contains(word));
        assert_eq!(run.stderr.lines().filter(|line| is_told(line)).count(), 1, "{words}: {run:?}");
    }
    assert!(!run.stderr.contains("--resume"), "what a worker without room has left is gone: {run:?}");
    assert!(!dataset.join("work").exists(), "nothing is left of the work");

    let one = folder.join("one");
    count_on_one_machine(&archive.paths(), &one);
    assert_same_rows(&dataset, &one);
    assert_eq!(frames_in(&dataset), archive.good() + archive.cut().len());
    let failed = failures(&dataset);
    let expected: Vec<_> = archive.unreadable().iter().chain(archive.cut()).map(|name| (*name).to_owned()).collect();
    let names: Vec<_> = failed.keys().cloned().collect();
    assert_eq!(names, sorted(expected));
    assert!(failed.iter().all(|(name, (_, kept))| (*kept > 0) == archive.cut().contains(&&**name)), "{failed:?}");
    assert!(failed["audio0.mp4"].0.contains("contains no video"), "{failed:?}");
    assert!(failed["cut0.mkv"].0.contains("it ends after"), "{failed:?}");

    // One file is replaced with a different version, and one is repaired. Only these are counted again.
    let times = modified(&dataset);
    archive.change("short03.mp4");
    archive.mend("letter.mp4");
    let mut client = cluster.client(&archive.films(), &dataset, &["--share-minutes", "0.05"]);
    let run = finish(&mut client);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run:?}");
    let now = modified(&dataset);
    let anew: Vec<_> =
        now.iter().filter(|(name, time)| times.get(*name) != Some(time)).map(|(name, _)| &**name).collect();
    assert_eq!(anew.iter().map(|name| name.split('-').next().unwrap()).collect::<Vec<_>>(), ["letter", "short03"]);
    count_on_one_machine(&["short03.mp4", "letter.mp4"].map(|name| archive.film(name)), &one);
    assert_same_rows(&dataset, &one);
    assert!(!failures(&dataset).contains_key("letter.mp4"));

    // A run with other options does not mix with this one.
    let run = finish(&mut cluster.client(&archive.films(), &dataset, &["--share-minutes", "3"]));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("exists and belongs to another run"), "{run:?}");
    let run = finish(&mut cluster.client(&archive.films(), &archive.films(), &[]));
    assert!(run.stderr.contains("exists and belongs to another run"), "{run:?}");
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// Returns the time at which each file of a dataset was written.
fn modified(dataset: &Path) -> BTreeMap<String, std::time::SystemTime> {
    let entries = fs::read_dir(dataset.join("frames")).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().modified().unwrap()))
        .collect()
}

/// Returns the output of a started program after it has ended.
fn ended(child: std::process::Child) -> Run {
    let output = child.wait_with_output().expect("the program can be waited for");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn the_examples_are_short_and_their_python_is_in_order() {
    let text = fs::read_to_string(example()).unwrap();
    assert!(text.lines().count() <= 200, "{} lines", text.lines().count());
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let rules = ["--select", "E,F,W,I,B,UP", "--line-length", "132"];
    let run = finish(
        program_of_package("ruff").arg("check").arg(example()).args(rules).arg("--cache-dir").arg(cache.join("ruff")),
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    let mypy = ["-I", "-m", "mypy", "--disallow-untyped-defs", "--warn-unused-ignores"];
    let run = finish(python_with_packages().args(&mypy[1..]).arg("--cache-dir").arg(cache.join("mypy")).arg(example()));
    assert_eq!(run.code, Some(0), "{run:?}");
    let script = root().join("examples/parallel_archive.sh");
    let run = finish(std::process::Command::new("bash").arg("-n").arg(script));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}
