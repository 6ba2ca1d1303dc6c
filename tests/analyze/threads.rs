//! How many threads decode, and that damaged frames do not depend on it.

use std::collections::BTreeSet;

use crate::command::run;
use crate::common::{Clip, odd};

/// Returns the messages of `-v` on each decoder that the command opens.
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

#[test]
fn damaged_files_are_counted_alike_each_time_and_with_several_decoders() {
    let x264 = "-c:v libx264 -preset fast -pix_fmt yuv420p -b:v 1M";
    let x265 = "-c:v libx265 -preset ultrafast -b:v 1M -x265-params log-level=error";
    for (name, arguments) in [
        ("open.ts", format!("{x264} -g 50 -bf 3 -x264-params open-gop=1")),
        ("short.mkv", format!("{x264} -g 24 -bf 2")),
        ("long.mkv", format!("{x264} -g 120 -bf 2")),
        ("part2.avi", "-c:v mpeg4 -g 50 -bf 2 -b:v 1M".to_owned()),
        ("hevc.ts", format!("{x265}:keyint=50:open-gop=1:bframes=3 -pix_fmt yuv420p")),
    ] {
        let arguments = format!("-vf noise=alls=12:allf=t {arguments}");
        let places = if arguments.contains(x265) { 40 } else { 12 };
        let clip = odd::with_damage_in(&Clip::moving(name, "256x144", 16.0, &arguments), name, places);
        let path = clip.path().to_str().unwrap();
        let mut told = Vec::new();
        let counted = ["1", "1", "2", "3"].map(|jobs| {
            let run = run(["analyze", path, "--engine", "cpu", "--jobs", jobs]);
            assert_eq!(run.code, Some(0), "{name}: {run:?}");
            told.push(run.stderr);
            run.stdout
        });
        let damaged = counted[0].matches("\"damaged\":true").count();
        assert!(damaged > 1, "{name} is not damaged");
        assert!(told.iter().all(|told| told.contains(&format!(": {damaged} frames damaged, "))), "{name}: {told:?}");
        for (counts, jobs) in counted[1..].iter().zip(["1", "2", "3"]) {
            let differing = counted[0].lines().zip(counts.lines()).position(|(one, other)| one != other);
            assert_eq!(differing, None, "{name} with --jobs {jobs}: the line differs");
            assert_eq!(counts.len(), counted[0].len(), "{name} with --jobs {jobs}");
        }
    }
}
