//! The usage of the program.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::command::{program, run, sample};

#[test]
fn wrong_calls_are_usage_errors() {
    let clip = sample().to_str().unwrap();
    let calls: [&[&str]; 32] = [
        &[clip, "--cache-mb", "much"],
        &["snapshot"],
        &["snapshot", clip, "--size", "0x5"],
        &["snapshot", clip, "--size", "big"],
        &["snapshot", clip, "--channels", "rgx"],
        &["snapshot", clip, "--at", "noon"],
        &["snapshot", clip, "--at", "-5"],
        &["snapshot", clip, "-o", "view.jpg"],
        &["snapshot", clip, "-o", "png.d/view.1"],
        &["snapshot", clip, "--bins"],
        &["snapshot", clip, "--engine", "steam"],
        &["snapshot", clip, "--matrix", "bt1886"],
        &["snapshot", clip, "--hwdec", "opencl"],
        &["snapshot", clip, "another.mp4"],
        &["--no-such-option", clip],
        &["bench", "--repeats", "0"],
        &["bench", "--only", "no-such-method"],
        &["bench", "--size", "16x16", "--only", "scalar,no-such-method"],
        &["bench", "--layout", "yuv999p"],
        &["bench", "--bin-count", "2"],
        &["bench", "--bin-count", "5000"],
        &["bench", "--bin-count", "many"],
        &["bench", "--chunk", "0x4"],
        &["bench", "--chunk", "60000x60000", "--only", "shared", "--size", "32x32"],
        &["bench", "--sweep"],
        // A command refuses options that it would ignore.
        &["bench", "--engine", "cpu"],
        &["bench", "--components", "ycbcr"],
        &["merge", "share.jsonl", "--adapter", "llvmpipe"],
        &["adapters", "--matrix", "bt709"],
        &["snapshot", clip, "--counted", "both"],
        &["snapshot", clip, "--false-colour=rainbow"],
        &[clip, "--false-color=camera,steps"],
    ];
    for call in calls {
        let run = run(call);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{call:?}: {run:?}");
        assert!(!run.stderr.contains("to pass '-5'"), "{call:?}: {run:?}");
        assert!(run.stderr.contains("Usage") || run.stderr.contains("--help"), "{call:?}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "{call:?}: {run:?}");
    }
}

#[test]
fn a_wrong_value_is_told_with_what_would_be_right() {
    let clip = sample().to_str().unwrap();
    let calls: [(&[&str], &str); 14] = [
        (&["snapshot", clip, "--matrix", "709"], "a similar value exists: 'bt709'"),
        (&["analyze", clip, "--matrix", "601"], "a similar value exists: 'bt601'"),
        (&["check", "udp://127.0.0.1:9"], "udp://127.0.0.1:9 is a live source"),
        (&["check", clip, "rtsp://user:secret@127.0.0.1/a"], "rtsp://127.0.0.1/a is a live source"),
        (&["analyze", clip, "--every", "0"], "'0' is not a whole number of at least 1"),
        (&["analyze", clip, "--jobs", "many"], "'many' is not a whole number of at least 1"),
        (&["report", clip, "-o", "x.html", "--jobs", "0"], "'0' is not a whole number of at least 1"),
        (&["analyze", clip, "--against", clip, "--align", "0"], "'0' is not a whole number from 1 to 1000"),
        (&["bench", "--repeats", "10001"], "'10001' is not a whole number from 1 to 10000"),
        (&["analyze", clip, "--from", "-1"], "'-1' is neither a time, a timecode nor a frame number"),
        (&["snapshot", clip, "--at", "noon"], "'noon' is neither a time, a timecode nor a frame number"),
        (&["snapshot", clip, "--size", "99999x9"], "'99999x9' is too large; a picture has at most 65536 pixels across"),
        (&["snapshot", clip, "--clip-marks=98%,2%"], "'98%,2%' marks everything"),
        (&["snapshot", clip, "--clip-marks=20c,20c"], "'20c,20c' marks everything"),
    ];
    for (call, words) in calls {
        let run = run(call);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{call:?}: {run:?}");
        assert!(run.stderr.contains(words), "{call:?}: {run:?}");
    }
}

#[test]
fn a_misspelt_command_is_told_from_a_file() {
    for (word, meant) in [("analyse", "analyze"), ("snapshto", "snapshot")] {
        let run = run([word, sample().to_str().unwrap()]);
        assert_eq!(run.code, Some(2), "{run:?}");
        let told = format!("'{word}' is neither a file nor a command; did you mean 'histoscope {meant}'?");
        assert!(run.stderr.contains(&told) && run.stderr.contains("Usage"), "{run:?}");
    }
    let run = run(["analyze.mp4"]);
    assert!(run.code == Some(1) && run.stderr.contains("no such file"), "{run:?}");
}

#[test]
fn help_and_version_are_no_errors() {
    for call in [&["--help"][..], &["snapshot", "--help"], &["--version"], &["help"]] {
        let run = run(call);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{call:?}");
        assert!(run.stdout.contains("histoscope"), "{call:?}");
    }
}

#[test]
fn the_version_tells_the_shape_of_the_records_the_commit_and_ffmpeg() {
    let version = concat!("histoscope ", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(["-V"]).stdout, format!("{version}\n"));
    let schema = histoscope::analysis::SCHEMA;
    let told = run(["--version"]).stdout;
    let rest =
        told.strip_prefix(&format!("{version}\nrecords: schema {schema}\ncommit: ")).expect("the shape of the records");
    let [commit, ffmpeg] = rest.lines().collect::<Vec<_>>().try_into().expect("two lines more");
    assert!(!cfg!(debug_assertions) || commit == "unknown in a debug build", "{told}");
    // Both report the library that they loaded.
    let ffprobe =
        Command::new("ffprobe").args(["-v", "error", "-show_library_versions", "-of", "csv=p=0"]).output().unwrap();
    let libraries = String::from_utf8(ffprobe.stdout).unwrap();
    let libavcodec = libraries.lines().find_map(|line| line.strip_prefix("libavcodec,")).expect("a line of libavcodec");
    let [major, minor, micro] = libavcodec.split(',').take(3).collect::<Vec<_>>().try_into().expect("three numbers");
    assert!(ffmpeg.starts_with("FFmpeg: "), "{told}");
    assert!(ffmpeg.ends_with(&format!("(libavcodec {major}.{minor}.{micro})")), "{told}{libavcodec}");
}

#[test]
fn help_shows_each_option_under_the_heading_that_it_belongs_to() {
    let adjustments =
        ["--lut", "--camera-log", "--low-pass", "--equalize", "--clahe", "--posterize", "--otsu", "--counted"];
    let reading = [
        "--matrix",
        "--range",
        "--luminance-weights",
        "--chroma-lines",
        "--field",
        "--cropping",
        "--track",
        "--layer",
        "--threads",
        "--hwdec",
        "--sequence",
        "--frame-rate",
    ];
    let adapter = ["--adapter", "--engine"];
    for (command, adjusts, reads, counts) in [
        (None, true, true, true),
        (Some("snapshot"), true, true, true),
        (Some("analyze"), true, true, true),
        (Some("report"), false, true, true),
        (Some("check"), false, true, false),
        (Some("bench"), false, true, false),
        (Some("merge"), false, false, false),
        (Some("adapters"), false, false, false),
    ] {
        let help = run(command.into_iter().chain(["--help"])).stdout;
        let under = |heading: &str| -> Vec<&str> {
            let mut lines = help.lines().skip_while(|line| *line != heading).skip(1);
            let part = std::iter::from_fn(|| lines.next().filter(|line| line.is_empty() || line.starts_with(' ')));
            part.flat_map(|line| line.split([' ', '[']).find(|word| word.starts_with("--"))).collect()
        };
        let expected = |there: bool, options: &[&'static str]| if there { options.to_vec() } else { Vec::new() };
        assert_eq!(under("Adjustments (in order of application):"), expected(adjusts, &adjustments), "{command:?}");
        assert_eq!(under("Reading the video:"), expected(reads, &reading), "{command:?}");
        let counting: Vec<_> = under("Counting:").into_iter().rev().collect();
        assert_eq!(counting, expected(counts, &[&adapter[..], &["--components"]].concat()), "{command:?}");
        assert!(under("Options:").contains(&"--verbose..."), "{command:?}: {help}");
        let is_there = matches!(command, Some("bench" | "check"));
        assert_eq!(under("Options:").contains(&"--adapter"), is_there, "{command:?}");
    }
}

#[test]
fn the_rows_of_bench_are_listed_in_its_help() {
    let run = run(["bench", "--help"]);
    let (_, listed) = run.stdout.split_once("\nRows:\n").expect("the list");
    let lines: Vec<_> = listed.lines().filter_map(|line| line.trim().split_once("  ")).collect();
    let rows: Vec<_> = lines.iter().map(|(name, title)| (*name, title.trim())).collect();
    assert_eq!(rows, histoscope_lab::bench::rows());
}

#[test]
fn bins_and_chunks_that_cannot_be_are_refused_with_the_nearest_that_can() {
    let refused = |arguments: &[&str]| {
        let run = run(["bench", "--size", "32x32", "--only", "shared"].into_iter().chain(arguments.iter().copied()));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        run.stderr
    };
    for (bins, nearest) in [("2", "the nearest is 3"), ("5000", "the nearest is 4096")] {
        assert!(refused(&["--bin-count", bins]).contains(nearest), "{bins}");
    }
    let told = refused(&["--chunk", "60000x60000"]);
    assert!(told.contains("a chunk of 60000x60000 pixels") && told.contains("the nearest is "), "{told}");
    // The suggested value works.
    let nearest = told
        .split("the nearest is ")
        .nth(1)
        .and_then(|rest| rest.split(|c: char| c.is_whitespace() || c == ';').next());
    let nearest = nearest.expect("a chunk").trim_end_matches(['.', '\n']);
    let worked = run(["bench", "--size", "32x32", "--only", "shared", "--repeats", "1", "--chunk", nearest]);
    assert_eq!(worked.code, Some(0), "{nearest}: {}", worked.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for more in [&["--json", "--bins"][..], &[]] {
        let mut command = program();
        command.arg("snapshot").arg(sample()).args(["--engine", "cpu"]).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_full_disk_is_an_error() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program();
    command.arg("snapshot").arg(sample()).args(["--engine", "cpu"]).stdout(full);
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.lines().count() == 1 && stderr.contains("could not be written"), "{stderr}");
}

#[test]
fn the_lab_prints_a_method_s_shader_and_takes_another_in_its_place() {
    for &method in histoscope_lab::Method::ladder() {
        let run = run(["lab", "--print-shader", method.name()]);
        match method.shader() {
            Some(shader) => assert_eq!((run.code, run.stdout.trim_end()), (Some(0), shader.source().trim_end())),
            None => assert!(run.code == Some(2) && run.stderr.contains("choose from single, race, atomics"), "{run:?}"),
        }
    }
    let sample = sample().to_str().expect("a name");
    let missing = run(["lab", sample, "--shader", "missing.wgsl"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.contains("the shader missing.wgsl cannot be opened"), "{missing:?}");
    let other = run(["lab", sample, "--shader", "missing.wgsl", "--method", "scalar"]);
    assert!(other.code == Some(2) && other.stderr.contains("one of single, race, atomics"), "{other:?}");
}
