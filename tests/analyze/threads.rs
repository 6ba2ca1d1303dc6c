//! How many threads decode: what FFmpeg puts in place of damaged parts may depend on it.

use std::collections::BTreeSet;

use crate::command::run;
use crate::common::Clip;

/// What `-v` says of each decoder that the command opens.
fn told(command: &[&str]) -> Vec<String> {
    let run = run([command, &["-v"]].concat());
    assert_eq!(run.code, Some(0), "{command:?}: {run:?}");
    run.stderr.lines().filter(|line| line.contains(" decodes with ")).map(str::to_owned).collect()
}

#[test]
fn every_command_decodes_with_as_many_threads() {
    let clip = Clip::moving("clip.mp4", "96x64", 9.0, "-c:v libx264 -preset ultrafast -g 12 -pix_fmt yuv420p");
    let (path, picture) = (clip.path().to_str().unwrap(), clip.folder().join("out.png"));
    let picture = picture.to_str().unwrap();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = format!("h264 decodes with {} threads", (cores + 1).min(17));
    for (command, decoders) in [
        (&["analyze", path, "--engine", "cpu"][..], 1),
        (&["analyze", path, "--engine", "cpu", "--jobs", "2"], 2),
        (&["report", path, "-o", picture, "--engine", "cpu"], 1),
        (&["report", path, "-o", picture, "--engine", "cpu", "--jobs", "2"], 2),
        (&["snapshot", path, "-o", picture, "--at", "1"], 1),
    ] {
        let lines = told(command);
        assert!(lines.len() >= decoders, "{command:?}: {lines:?}");
        let other: BTreeSet<_> = lines.iter().filter(|line| !line.contains(&wanted)).collect();
        assert!(other.is_empty(), "{command:?} has not \"{wanted}\": {other:?}");
    }
}
