//! The outputs, and the messages if they cannot be written.

use std::fs;

use crate::command::{run, sample};
use crate::common::{Clip, noise};
use crate::report::{report, shots};

#[test]
fn one_run_writes_two_pages() {
    let clip = shots();
    let folder = tempfile::tempdir().unwrap();
    let (page, second) = (folder.path().join("report.HTML"), folder.path().join("second.htm"));
    let run = report(clip.path(), &page, &["-o", second.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    let page = fs::read_to_string(page).unwrap();
    assert!(page == fs::read_to_string(second).unwrap());
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for text in ["shots.mp4", "192×108", "100 frames", "0:04.000", "h264", "the CPU"] {
        assert!(page.contains(text), "no '{text}' in the page");
    }
    for (name, value) in [("matrix", "bt601"), ("range", "limited")] {
        let fact = format!("<dt>{name}</dt><dd>{value} <em class=\"guessed\">guessed</em></dd>");
        assert!(page.contains(&fact), "no '{fact}' in the page");
    }
    let again = folder.path().join("again.html");
    assert_eq!(report(clip.path(), &again, &["--jobs", "2"]).code, Some(0));
    assert!(fs::read_to_string(again).unwrap() == page, "the same whoever decoded");
}

#[test]
fn a_damaged_clip_is_reported_as_such_by_any_number_of_jobs() {
    let clip = Clip::new("damaged.mkv", "-f lavfi -i testsrc2=s=192x108:r=25:d=16 -c:v mpeg2video -g 12 -bf 0 -b:v 2M");
    let mut bytes = fs::read(clip.path()).unwrap();
    let middle = bytes.len() * 2 / 3;
    bytes[middle..middle + 2000].copy_from_slice(&noise(2000, 45));
    fs::write(clip.path(), bytes).unwrap();
    let note = |jobs: &str| {
        let page = clip.path().with_extension("html");
        assert_eq!(report(clip.path(), &page, &["--jobs", jobs]).code, Some(0));
        let page = fs::read_to_string(page).unwrap();
        let at = page.find("Damaged frames, counted as decoded: ").expect("a note on damage");
        page[at..at + page[at..].find('<').unwrap()].to_owned()
    };
    assert_eq!(note("3"), note("1"));
}

#[test]
fn wrong_calls_are_usage_errors() {
    let clip = sample().to_str().unwrap();
    let calls: [&[&str]; 6] = [
        &["report", clip],
        &["report", "-o", "a.html"],
        &["report", clip, "-o", "a.jpg"],
        &["report", clip, "-o", "a"],
        &["report", clip, "-o", "a.html", "--cut-threshold", "0"],
        &["report", clip, "-o", "a.html", "--cut-threshold", "many"],
    ];
    for call in calls {
        let run = run(call);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{call:?}: {run:?}");
        assert!(run.stderr.contains("Usage") || run.stderr.contains("--help"), "{call:?}: {run:?}");
    }
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let clip = shots();
    let folder = tempfile::tempdir().unwrap();
    let as_folder = folder.path().join("folder.html");
    fs::create_dir(&as_folder).unwrap();
    report(clip.path(), &as_folder, &[]).fails_with(&["folder.html", "is a folder"]);
    report(clip.path(), &folder.path().join("no/report.html"), &[]).fails_with(&["does not exist"]);
    if fs::metadata("/dev/full").is_ok() {
        let full = folder.path().join("full.html");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        report(clip.path(), &full, &[]).fails_with(&["full.html", "cannot be written", "space"]);
    }
}

#[test]
fn inputs_that_cannot_be_read_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("report.html");
    report("no such clip.mp4".as_ref(), &output, &[]).fails_with(&["no such clip.mp4", "no such file"]);
    let text = Clip::from_bytes("letter.mp4", &b"This is a letter and no video.\n".repeat(99));
    report(text.path(), &output, &[]).fails_with(&["letter.mp4", "not a video"]);
    report(shots().path(), &output, &["--from", "1:00:00"])
        .fails_with(&["shots.mp4", "--from 3600 s is beyond the end: the video has 100 frames, up to 4.000 s"]);
    report(shots().path(), &output, &["--region", "0,0,9999,9"]).fails_with(&["region", "192×108"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something was written");
}

#[test]
fn a_file_that_ends_early_gives_a_report_that_says_so() {
    let whole = Clip::moving("whole.mkv", "192x108", 4.0, "-c:v libx264 -g 10 -b:v 400k");
    let bytes = whole.bytes();
    let cut_off = Clip::from_bytes("short.mkv", &bytes[..bytes.len() * 6 / 10]);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("report.html");
    let run = report(cut_off.path(), &output, &[]);
    run.fails_with(&["short.mkv", "ends after", "the report shows the readable part"]);
    let page = fs::read_to_string(&output).unwrap();
    assert!(page.contains("<p class=\"note\">Incomplete: it ends after"), "the page says so");
}

#[test]
fn an_older_report_is_replaced_only_by_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("report.html");
    fs::write(&output, "an older report").unwrap();
    report("no such clip.mp4".as_ref(), &output, &[]).fails_with(&["no such file"]);
    assert_eq!(fs::read_to_string(&output).unwrap(), "an older report");
    assert_eq!(report(shots().path(), &output, &[]).code, Some(0));
    assert!(fs::read_to_string(&output).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn the_video_is_not_written_over() {
    let video = Clip::moving("video.mkv", "64x48", 0.04, "");
    let named_page = Clip::from_bytes("one.html", &video.bytes());
    report(named_page.path(), named_page.path(), &[]).fails_with(&["one.html", "is the input", "-o"]);
    assert!(named_page.bytes() == video.bytes(), "the video is as it was");
    // A picture counts as a video of one frame.
    let clip = Clip::moving("one.png", "64x48", 0.04, "");
    let bytes = clip.bytes();
    let snapshot = ["snapshot".as_ref(), clip.path().as_os_str(), "-o".as_ref(), clip.path().as_os_str()];
    run(snapshot).fails_with(&["one.png", "is the input", "-o"]);
    assert!(clip.bytes() == bytes, "the picture is as it was");
}
