//! Outputs: their formats, and that they appear whole or not at all.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::analyze::program::{analyze, output, records};
use crate::command::{figures, finish, program};
use crate::common::Clip;

fn clip() -> Clip {
    Clip::moving("clip.mp4", "64x48", 1.0, "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

#[test]
fn channels_are_those_of_a_snapshot() {
    let clip = clip();
    for arguments in [&["--bins"][..], &[]] {
        let snapshot = figures(clip.path(), &[&["--engine", "cpu"], arguments].concat());
        let (records, _) = records(clip.path(), arguments);
        assert_eq!(records[0]["channels"], snapshot["channels"]);
        for key in ["schema", "input", "frame", "pts_seconds", "pts_ticks", "time_seconds", "width", "height", "depth"]
        {
            assert_eq!(records[0][key], snapshot[key], "{key}");
        }
    }
}

#[test]
fn all_formats_say_the_same() {
    let clip = clip();
    let arguments = ["--bins", "--components", "ycbcr", "--region", "1,1,40,40"];
    let with = |format| output(clip.path(), &[&arguments[..], &["--format", format]].concat());
    let (lines, summary) = crate::analyze::program::read_records(&with("jsonl"));
    let json: Value = serde_json::from_str(&with("json")).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["frames"].as_array(), Some(&lines));
    assert_eq!(json["summary"], summary);
    let table = with("csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), lines.len());
    let plain = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    let mut cells = 0;
    for (row, line) in rows.iter().zip(&lines) {
        for (name, cell) in header.iter().zip(row) {
            let channel = name.split_once('_').filter(|(channel, _)| line["channels"].get(*channel).is_some());
            let value = match channel {
                Some((channel, field)) => &line["channels"][channel][field],
                None => &line[name],
            };
            let same_number =
                || value.as_f64().zip(cell.parse::<f64>().ok()).is_some_and(|(a, b)| (a - b).abs() < 1e-12);
            assert!(plain(value) == cell || same_number(), "{name}: {cell} in the table, {value}");
            cells += 1;
        }
    }
    assert_eq!(cells, 25 * (25 + 7 * 20));
    let mut fields: Vec<_> =
        lines[0].as_object().unwrap().keys().filter(|key| !["channels", "type"].contains(&key.as_str())).collect();
    fields.retain(|field| !header.iter().any(|name| name == field.as_str()));
    assert!(fields.is_empty(), "not in the table: {fields:?}");
}

#[test]
fn the_ending_chooses_the_format_and_devices_take_it_as_it_comes() {
    let clip = clip();
    for (name, begin) in [
        ("a.csv", "schema,input,"),
        ("a.json", "{\"schema\":1,\"frames\":["),
        ("a.ffprobe.json", "{\"frames\":[\n{\"media_type\""),
        ("a.jsonl", "{\"schema\":1,\"type\""),
    ] {
        let path = clip.folder().join(name);
        output(clip.path(), &["-o", path.to_str().unwrap()]);
        assert!(fs::read_to_string(path).unwrap().starts_with(begin), "{name}");
    }
    // Without an ending, or with one that --format overrides.
    let bare = clip.folder().join("bare");
    output(clip.path(), &["-o", bare.to_str().unwrap()]);
    assert!(fs::read_to_string(bare).unwrap().starts_with("{\"schema\":1,\"type\""));
    let table = clip.folder().join("a.xlsx");
    output(clip.path(), &["-o", table.to_str().unwrap(), "--format", "csv"]);
    assert!(fs::read_to_string(&table).unwrap().starts_with("schema,input,"));
    fs::remove_file(&table).unwrap();
    let share = clip.folder().join("a.csv");
    let refused = [
        analyze(clip.path(), &["-o", table.to_str().unwrap()]),
        finish(program().arg("merge").arg(share).arg("-o").arg(&table)),
    ];
    for run in refused {
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        let known = "a.xlsx ends in none of .jsonl, .csv, .ffprobe.json, .json, .qctools.xml.gz, .parquet";
        assert!(run.stderr.contains(known), "{run:?}");
        assert!(!table.exists());
    }
    assert_eq!(output(clip.path(), &["-o", "-"]), output(clip.path(), &[]));
    assert_eq!(output(clip.path(), &["-o", "/dev/stdout"]), output(clip.path(), &[]));
    assert!(fs::metadata("/dev/null").is_ok_and(|null| !null.is_file()));
    output(clip.path(), &["-o", "/dev/null"]);
    assert!(fs::metadata("/dev/null").is_ok_and(|null| !null.is_file()), "it is still a device");
}

#[test]
fn places_that_cannot_be_written_are_named_and_nothing_is_lost() {
    let clip = clip();
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &Path| analyze(clip.path(), &["-o", path.to_str().unwrap()]);
    write(Path::new("/dev/full")).fails_with(&["/dev/full", "No space left"]);
    write(folder.path()).fails_with(&["is a folder"]);
    write(&folder.path().join("no/x.csv")).fails_with(&["does not exist"]);
    assert_eq!(names(folder.path()), [""; 0], "nothing is left behind");
    let older = folder.path().join("older.csv");
    fs::write(&older, "an older output").unwrap();
    let run = analyze(clip.path(), &["-o", older.to_str().unwrap(), "--region", "60,0,60,4"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(fs::read_to_string(&older).unwrap(), "an older output");
    assert_eq!(names(folder.path()), ["older.csv"]);
    // A program that has the older file open keeps reading it.
    let reader = fs::File::open(&older).unwrap();
    assert_eq!(write(&older).code, Some(0));
    assert_eq!(std::io::read_to_string(reader).unwrap(), "an older output");
    assert_eq!(names(folder.path()), ["older.csv"]);
    let full =
        finish(program().arg("analyze").arg(clip.path()).args(["--engine", "cpu", "-o", "-"]).stdin(Stdio::null()));
    assert_eq!(full.code, Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_the_run_in_silence() {
    // More than any pipe buffers.
    let clip = Clip::moving("clip.mkv", "32x32", 20.0, "-c:v ffv1 -pix_fmt yuv420p");
    let mut command = program();
    command.arg("analyze").arg(clip.path()).args(["--engine", "cpu", "--bins"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"frame\":0"));
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""));
}

#[test]
fn the_video_is_not_written_over() {
    let clip = clip();
    let bytes = clip.bytes();
    let around = clip.folder().join("..").join(clip.folder().file_name().unwrap()).join("clip.mp4");
    // On systems with links, a link as well.
    let link = clip.folder().join("link.csv");
    #[cfg(unix)]
    std::os::unix::fs::symlink(clip.path(), &link).unwrap();
    let names: Vec<_> = [clip.path().to_path_buf(), around, link].into_iter().filter(|path| path.exists()).collect();
    assert_eq!(names.len(), if cfg!(unix) { 3 } else { 2 });
    let other = names.last().expect("there are some").clone();
    for path in &names {
        let path = path.to_str().unwrap();
        // Without a format, the ending of a video is refused before that.
        analyze(clip.path(), &["--format", "csv", "-o", path]).fails_with(&["is the input", "-o"]);
        analyze(&other, &["--format", "csv", "--resume", "-o", path]).fails_with(&["is the input"]);
        assert!(clip.bytes() == bytes, "{path}");
    }
}

#[test]
fn nothing_is_left_in_the_driver_s_hands_when_the_program_ends() {
    // If only a part was requested, the decoding thread ends later than counting.
    let clip = Clip::moving("long.mp4", "704x480", 4.0, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    for part in [&["--every", "1"][..], &["--to", "0.2"]] {
        let arguments = [&["--engine", "gpu", "--format", "csv", "-vv"], part].concat();
        let run = analyze(clip.path(), &arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("the GPU no longer uses any decoded pictures"), "{}", run.stderr);
    }
}

#[test]
fn a_terminal_is_told_what_was_written() {
    let clip = clip();
    let folder = clip.folder();
    let on_terminal = |arguments: &str| {
        let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_histoscope"));
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(folder).stdin(Stdio::null());
        let output = command.output().expect("the script command is installed");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let name = clip.path().file_name().unwrap().to_str().unwrap();
    let frames = records(clip.path(), &[]).0.len();
    let said = on_terminal(&format!("analyze {name} -o told.csv"));
    assert!(said.contains(&format!("wrote {frames} records to told.csv")), "{said}");
    let said = on_terminal(&format!("report {name} -o told.html --shots told-shots.csv"));
    assert!(said.contains("wrote told.html and told-shots.csv"), "{said}");
    let said = on_terminal(&format!("analyze {name} -o told.jsonl")) + &on_terminal("merge told.jsonl -o merged.jsonl");
    assert!(said.contains(&format!("wrote {frames} records to merged.jsonl")), "{said}");
    let said = on_terminal(&format!("check {name} -o checked.csv -o checked.html"));
    assert!(said.contains("wrote checked.csv and checked.html"), "{said}");
    for quiet in [
        "analyze NAME -q -o quiet.csv",
        "report NAME -q --shots quiet-shots.csv",
        "check NAME -q -o quiet.json",
        "merge told.jsonl -q -o quiet-merged.jsonl",
    ] {
        let said = on_terminal(&quiet.replace("NAME", name));
        assert!(!said.contains("wrote"), "{said}");
    }
    // What is not text does not reach a terminal.
    for format in ["parquet", "madvr", "qctools"] {
        for output in ["", "-o -"] {
            let said = on_terminal(&format!("analyze {name} --format {format} {output}"));
            assert!(said.contains(&format!("--format {format} is ")), "{format} {output}: {said}");
        }
    }
    // A pipe is told nothing.
    assert_eq!(analyze(clip.path(), &["-o", folder.join("piped.csv").to_str().unwrap()]).stderr, "");
}
