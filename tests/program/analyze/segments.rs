//! `--segment`: one file for each period, which together contain the records of a single file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::analyze::program::{analyze, output, read_records};
use crate::command::{finish, program};
use crate::common::Clip;

/// Returns the files in a folder that are not videos, in order.
fn written(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_none_or(|ending| ending != "mp4"));
    files.sort();
    files
}

#[test]
fn segments_hold_their_own_seconds_and_merge_to_what_one_file_would_be() {
    for (arguments, format) in [
        (&[][..], "jsonl"),
        (&["--light", "--transfer", "pq"], "jsonl"),
        (&["--bins"], "csv"),
        (&["--every", "7"], "json"),
        (&["--from", "10f", "--to", "2.5"], "jsonl"),
        (&["--jobs", "2"], "parquet"),
    ] {
        let clip = Clip::moving("clip.mp4", "64x48", 3.3, "-c:v libx264 -g 10 -pix_fmt yuv420p");
        let base = clip.folder().join(format!("a.{format}"));
        let divided = [arguments, &["--segment", "1", "-o", base.to_str().unwrap()]].concat();
        assert_eq!(output(clip.path(), &divided), "");
        let files = written(clip.folder());
        let names: Vec<_> = files.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        let count = if arguments.contains(&"--to") { 3 } else { 4 };
        assert_eq!(names, (1..=count).map(|at| format!("a-{at:04}.{format}")).collect::<Vec<_>>());

        if format == "jsonl" {
            for (at, file) in files.iter().enumerate() {
                let (records, summary) = read_records(&fs::read_to_string(file).unwrap());
                let is_inside = |secs: f64| (at as f64..at as f64 + 1.0).contains(&secs);
                assert!(records.iter().all(|record| is_inside(record["time_seconds"].as_f64().unwrap())), "{file:?}");
                assert_eq!((&summary["frames"], &summary["complete"]), (&records.len().into(), &true.into()));
                assert_eq!(summary["first_frame"], records[0]["frame"]);
                if arguments.contains(&"--light") {
                    let most =
                        records.iter().filter_map(|record| record["light"]["max_cd_m2"].as_f64()).fold(0.0, f64::max);
                    assert_eq!(
                        (&summary["light"]["max_cll"], &summary["light"]["frames"]),
                        (&most.into(), &records.len().into())
                    );
                    assert_eq!(summary["stated_light"]["max_cll_verdict"], "absent");
                }
            }
        }
        let one = clip.folder().join(format!("one.{format}"));
        output(clip.path(), &[arguments, &["-o", one.to_str().unwrap()]].concat());
        let merged = clip.folder().join(format!("merged.{format}"));
        let run = finish(program().arg("merge").args(&files).arg("-o").arg(&merged));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(fs::read(&merged).unwrap() == fs::read(&one).unwrap(), "{arguments:?} as {format}");
    }
}

#[test]
fn segments_of_several_inputs_lie_in_their_folder_and_none_is_made_of_nothing() {
    let clip = Clip::moving("clip.mp4", "64x48", 1.5, "-c:v libx264 -pix_fmt yuv420p");
    let folder = clip.folder().join("out");
    output(clip.path(), &["--segment", "1", "--out-dir", folder.to_str().unwrap()]);
    let names = written(&folder).iter().map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names, ["clip.mp4-0001.jsonl", "clip.mp4-0002.jsonl"]);

    let none = clip.folder().join("none.csv");
    let run = analyze(clip.path(), &["--segment", "1", "-o", none.to_str().unwrap(), "--every", "99", "--from", "1f"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("no frame was counted"), "{run:?}");
    assert_eq!(written(clip.folder()), [folder]);
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let clip = Clip::moving("clip.mp4", "64x48", 1.0, "-c:v libx264 -pix_fmt yuv420p");
    for (arguments, words) in [
        (&["--segment", "1"][..], "name them with -o or --out-dir"),
        (&["--segment", "1", "-o", "/dev/null"], "name them with -o or --out-dir"),
        (&["--segment", "1", "-o", "-"], "name them with -o or --out-dir"),
        (&["--segment", "1", "-o", "a.csv", "--resume"], "leave out --resume or --segment"),
        (&["--segment", "1", "-o", "a.qctools.xml.gz"], "leave out --segment"),
        (&["--segment", "1", "-o", "a.csv", "--against", "b.mp4"], "--segment cannot be used with --against"),
        (&["--segment", "0", "-o", "a.csv"], "--segment"),
        (&["--segment", "0.5", "-o", "a.csv"], "--segment"),
    ] {
        let run = analyze(clip.path(), arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(words), "{run:?}");
    }
    // The output would overwrite the video.
    let base = clip.path().with_file_name("clip");
    let same = clip.path().with_file_name("clip-0001");
    fs::rename(clip.path(), &same).unwrap();
    let run = analyze(&same, &["--segment", "1", "-o", base.to_str().unwrap()]);
    run.fails_with(&["clip-0001", "is the input"]);
}
