//! The reaction of a job of `examples/parallel_archive.sh` when its machine or the file is at fault. A fake histoscope
//! fails as instructed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::root;

/// A dataset in progress, with a fake program that prints and returns what it is told to.
struct Job {
    folder: tempfile::TempDir,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["bin", "dataset/frames", "dataset/work"] {
            fs::create_dir_all(folder.path().join(part)).unwrap();
        }
        let program = folder.path().join("bin/histoscope");
        let text = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo histoscope 1; exit; fi\n[ -z \"$SAYS\" ] || echo \"histoscope: $SAYS\" >&2\nexit $CODE\n";
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// Runs a job whose program prints and returns this. Returns the job's exit code.
    fn run(&self, arguments: &[&str], (says, code): (&str, u8)) -> Option<i32> {
        let path = format!("{}:{}", self.folder.path().join("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.arg(root().join("examples/parallel_archive.sh")).args(arguments).env("PATH", path);
        command.env("DATASET", self.folder.path().join("dataset")).env("VERSION", "histoscope 1");
        let output = command.env("SAYS", says).env("CODE", code.to_string()).output().unwrap();
        output.status.code()
    }

    /// Makes a share of a file, counted earlier.
    fn share(&self, file: &str, number: u32) -> PathBuf {
        let key = Command::new("sh").args(["-c", "printf %s \"$0\" | sha1sum | cut -c -12", file]).output().unwrap();
        let key = String::from_utf8(key.stdout).unwrap();
        let share = self.folder.path().join("dataset/work").join(format!("{}-{number}.parquet", key.trim()));
        fs::write(&share, "rows").unwrap();
        share
    }

    fn failures(&self) -> usize {
        let entries = fs::read_dir(self.folder.path().join("dataset/work")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("failed-")).count()
    }
}

/// Output and exit codes when the machine is at fault: a full disk, and a killed program.
const TO_BLAME: [(&str, u8); 2] = [("x.parquet cannot be written (No space left on device)", 1), ("", 137)];

#[test]
fn shares_stay_where_the_machine_is_to_blame_that_they_were_not_joined() {
    let job = Job::new();
    let shares = [0, 1].map(|number| job.share("/films/a.mp4", number));
    let are_there = || shares.each_ref().map(|share: &PathBuf| Path::exists(share));
    for to_blame in TO_BLAME {
        assert_eq!(job.run(&["--join", "/films/a.mp4", "2"], to_blame), Some(1), "{to_blame:?}: it is tried again");
        assert_eq!((are_there(), job.failures()), ([true; 2], 0), "{to_blame:?}");
    }
    assert_eq!(job.run(&["--join", "/films/a.mp4", "2"], ("", 0)), Some(0));
    assert_eq!((are_there(), job.failures()), ([false; 2], 0), "they are joined");
}

#[test]
fn a_share_is_tried_again_where_the_machine_is_to_blame_and_given_up_where_the_file_is() {
    let job = Job::new();
    let share = job.share("/films/a.mp4", 0);
    let unit = ["--unit", "/films/a.mp4", "0", "0", "600"];
    for to_blame in TO_BLAME {
        assert_eq!(job.run(&unit, to_blame), Some(1), "{to_blame:?}");
        assert!(share.exists(), "{to_blame:?}: it goes on from what is there");
    }
    assert_eq!(job.run(&unit, ("a.mp4 is damaged", 1)), Some(0), "its file is counted in one run");
    assert!(!share.exists());
    // The whole file is recorded as failed, with the reason.
    assert_eq!(job.run(&["--unit", "/films/a.mp4", "-", "0", "end"], ("a.mp4 is damaged", 1)), Some(0));
    assert_eq!(job.failures(), 1);
}
