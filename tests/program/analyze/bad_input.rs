//! Bad inputs and arguments: the messages, and the output that is kept.

use crate::analyze::program::{analyze, output, read_records};
use crate::command::{finish, program, run};
use crate::common::Clip;

fn clip() -> Clip {
    Clip::moving("clip.mp4", "64x48", 2.0, "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p -movflags faststart")
}

/// Returns the first part of a clip's bytes.
fn truncated(clip: &Clip, name: &str) -> Clip {
    let bytes = clip.bytes();
    Clip::from_bytes(name, &bytes[..bytes.len() * 6 / 10])
}

#[test]
fn a_file_that_ends_early_gives_what_is_good() {
    let whole = clip();
    let made = whole.make("clip.mkv", "-i @ -c copy");
    let matroska = Clip::from_bytes("clip.mkv", &std::fs::read(made).unwrap());
    for clip in [truncated(&whole, "cut.mp4"), truncated(&matroska, "cut.mkv")] {
        let all: Vec<_> = output(whole.path(), &[]).lines().map(str::to_owned).collect();
        let path = clip.folder().join("out.jsonl");
        let run = analyze(clip.path(), &["-o", path.to_str().unwrap()]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("it ends after") && run.stderr.contains("of 2.000 s"), "{}", run.stderr);
        let text = std::fs::read_to_string(&path).unwrap();
        let (records, summary) = read_records(&text);
        assert!((10..45).contains(&records.len()), "{}", records.len());
        assert_eq!(summary["complete"], false);
        assert_eq!(summary["frames"], records.len());
        let good = text
            .lines()
            .zip(&all)
            .filter(|(found, all)| found.split("\"channels\"").nth(1) == all.split("\"channels\"").nth(1));
        assert!(good.count() + 3 >= records.len(), "all but the last ones, which refer to lost frames");
        for format in ["csv", "json", "ffprobe"] {
            let run = analyze(clip.path(), &["--format", format, "--quiet"]);
            assert_eq!(run.code, Some(1));
            assert!(run.stdout.contains("\"complete\":false"), "{format}");
        }
        let jobs = analyze(clip.path(), &["--jobs", "2"]);
        assert_eq!((jobs.code, jobs.stdout == text), (Some(1), true), "several decoders find the same");
    }
    assert!(output(whole.path(), &[]).contains("\"complete\":true"));
    // A video that is shorter than its sound is complete.
    let sound = "-f lavfi -i sine=duration=4 -i @ -c:v copy -c:a aac -map 1:v -map 0:a";
    for name in ["sound.mp4", "sound.mkv"] {
        let path = whole.make(name, sound);
        assert!(output(&path, &[]).contains("\"complete\":true"), "{name}");
    }
}

#[test]
fn selections_that_are_not_there_are_named() {
    let clip = clip();
    for region in ["10,0,60,4", "0,48,1,1", "90%,0,20%,4", "4294967295,0,4294967295,1"] {
        analyze(clip.path(), &["--region", region]).fails_with(&["clip.mp4", region, "64×48"]);
    }
    analyze(clip.path(), &["--from", "1", "--to", "3f"]).fails_with(&["--to frame 3 is not after --from 1 s"]);
    for arguments in [
        &["--from", "2", "--to", "1"][..],
        &["--from", "7f", "--to", "7f"],
        &["--region", "0,0,0,4"],
        &["--region", "1,2,3"],
        &["--from", "x"],
        &["--every", "0"],
        &["--jobs", "0"],
        &["--resume"],
        &["--format", "xml"],
        &["--crop-bars", "--region", "0,0,4,4"],
    ] {
        let run = analyze(clip.path(), arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains("error:"), "{arguments:?}: {}", run.stderr);
    }
    for (from, said) in [("1:00", "--from 60 s"), ("50f", "--from frame 50"), ("2", "--from 2 s")] {
        let length = "is beyond the end: the video has 50 frames, up to 2.000 s";
        analyze(clip.path(), &["--from", from]).fails_with(&[&format!("{said} {length}")]);
    }
    let empty = analyze(clip.path(), &["--from", "49f", "--every", "4"]);
    assert_eq!(empty.code, Some(0), "a share may be empty");
    assert!(empty.stderr.contains("no frame was counted"), "{}", empty.stderr);
    assert_eq!(read_records(&empty.stdout).1["first_frame"], 49);
}

#[test]
fn rgb_has_no_coded_components() {
    let rgb = Clip::noisy("rgb.mkv", "16x16", "gbrp", 1, "-c:v ffv1");
    analyze(rgb.path(), &["--components", "ycbcr"]).fails_with(&["rgb.mkv", "R'G'B'", "leave --components out"]);
}

#[test]
fn one_bad_input_does_not_cost_the_others() {
    let clip = clip();
    let folder = clip.folder().join("made/here");
    let missing = clip.folder().join("missing.mp4");
    let second = clip.make("second.mp4", "-i @ -c copy");
    let mut command = program();
    command.arg("analyze").args([clip.path(), &missing, &second]).arg("--out-dir").arg(&folder);
    let run = finish(command.args(["--engine", "cpu", "--format", "csv"]));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("missing.mp4: no such file"), "{}", run.stderr);
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["clip.mp4.csv", "second.mp4.csv"]);
    let texts = names.iter().map(|name| std::fs::read_to_string(folder.join(name)).unwrap().lines().count());
    assert_eq!(texts.collect::<Vec<_>>(), [51, 51]);
}

#[test]
fn several_inputs_need_places_of_their_own() {
    let clip = clip();
    let path = clip.path().to_str().unwrap();
    let twice = |arguments: &[&str]| run([&["analyze", path, path, "--engine", "cpu"], arguments].concat());
    assert_eq!(twice(&["-o", "x.csv"]).code, Some(2));
    assert_eq!(twice(&["--format", "json"]).code, Some(2));
    assert_eq!(twice(&["--out-dir", "x"]).code, Some(2));
    let both = twice(&["--format", "jsonl"]);
    assert_eq!((both.code, both.stdout.lines().count()), (Some(0), 102));
}

#[test]
fn a_directory_or_text_is_no_video() {
    let clip = Clip::from_bytes("notes.txt", b"no video at all, just words");
    assert_eq!(analyze(clip.path(), &[]).code, Some(1));
    analyze(clip.folder(), &[]).fails_with(&["this is a folder without numbered pictures"]);
}
