//! Cameras, screens and generators, through FFmpeg's library of devices.

use std::process::Command;

use crate::command::{finish, program};

/// A moving pattern, in RGB.
const PATTERN: &str = "testsrc=size=322x182:rate=25";

#[test]
fn a_device_s_first_frame_is_counted_as_the_same_frame_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pattern.png");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-f", "lavfi", "-i", PATTERN, "-frames:v", "1", "-pix_fmt", "rgb24"])
        .arg(&file)
        .status()
        .expect("ffmpeg runs");
    assert!(made.success());
    let device = format!("av://lavfi:{PATTERN}");
    let channels = |input: &str| {
        let run = finish(program().arg("snapshot").arg(input).args(["--json", "--bins", "--engine", "cpu"]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{input}");
        run.stdout[run.stdout.find("\"channels\"").expect("channels")..].to_owned()
    };
    let counted = channels(&device);
    assert_eq!(counted.matches("\"count\":58604").count(), 4, "{}", &counted[..200]);
    assert!(counted == channels(file.to_str().unwrap()), "the device's frame has other counts");
}

#[test]
fn analyze_counts_a_device_with_the_time_of_day() {
    let run = finish(program().args(["analyze", "av://lavfi:testsrc=size=64x48:rate=25", "--to", "0.4"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let frames = run.stdout.lines().filter(|line| line.contains("\"type\":\"frame\"")).count();
    assert!((1..=10).contains(&frames), "{frames} frames");
    assert_eq!(run.stdout.matches("\"wall_time\":\"20").count(), frames);
}

#[test]
fn what_is_no_device_is_told_at_once_and_never_taken_for_a_file() {
    let clip = format!("av://mov:{}", crate::command::sample().display());
    for (input, words) in [
        ("av://nonsense:x", &["name a device as av://KIND:NAME", "lavfi"][..]),
        ("av://lavfi", &["name a device as av://KIND:NAME"]),
        ("av://", &["name a device as av://KIND:NAME"]),
        (&clip, &["name a device as av://KIND:NAME"]),
        ("av://lavfi:no_such_filter", &["the device cannot be opened"]),
    ] {
        for command in [&["snapshot"][..], &["analyze"]] {
            finish(program().args(command).arg(input)).fails_with(words);
        }
    }
    #[cfg(target_os = "linux")]
    for input in ["/dev/video4321", "av://v4l2:/dev/null"] {
        finish(program().arg("snapshot").arg(input)).fails_with(&["the device cannot be opened", "ls /dev/video*"]);
    }
}
