//! The picture's file appears whole or not at all.

use std::fs;
use std::path::Path;

use crate::command::{Run, finish, program, sample};
use crate::snapshot::png_file::Png;

fn write_to(output: &Path) -> Run {
    finish(program().arg("snapshot").arg(sample()).args(["--size", "64x36", "-o"]).arg(output))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn no_picture_without_a_name_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = finish(program().arg("snapshot").arg(sample()).args(["--engine", "cpu"]).current_dir(folder.path()));
    assert_eq!(run.code, Some(0));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_picture_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.png");
    fs::write(&path, "an older file").unwrap();
    // A program that has the older file open keeps reading it.
    let older = fs::File::open(&path).unwrap();
    assert_eq!(write_to(&path).code, Some(0));
    assert_eq!(std::io::read_to_string(older).unwrap(), "an older file");
    assert_eq!(Png::read(&path).size, (64, 36));
    assert_eq!(names(folder.path()), ["view.png"]);
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.png");
    fs::write(&path, "an older file").unwrap();
    let run = finish(program().args(["snapshot", "no such file.mp4", "-o"]).arg(&path));
    run.fails_with(&["no such file.mp4"]);
    let run = finish(program().arg("snapshot").arg(sample()).args(["--size", "60000x60000", "-o"]).arg(&path));
    run.fails_with(&["60000×60000", "--size"]);
    assert_eq!(fs::read(&path).unwrap(), b"an older file");
    assert_eq!(names(folder.path()), ["view.png"]);
}

#[test]
fn places_that_take_no_file_are_named() {
    let folder = tempfile::tempdir().unwrap();
    write_to(folder.path()).fails_with(&[folder.path().to_str().unwrap(), "is a folder"]);
    write_to(&folder.path().join("no/view.png")).fails_with(&["no/view.png", "does not exist", "-o"]);
    assert_eq!(names(folder.path()), [""; 0]);
    // Nobody may write there, not even root.
    if cfg!(target_os = "linux") {
        write_to(Path::new("/proc/view.png")).fails_with(&["/proc/view.png", "cannot be written", "-o"]);
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target.png"), folder.path().join("link.png"));
    fs::write(&target, "an older file").unwrap();
    symlink(&target, &link).unwrap();
    assert_eq!(write_to(&link).code, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Png::read(&target).size, (64, 36));

    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe)
    });
    assert_eq!(write_to(&pipe).code, Some(0));
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "a file has taken the pipe's place");
    assert_eq!(reader.join().unwrap().unwrap(), fs::read(&target).unwrap());
}
