//! The clip behind the timeline: counted, cached, shown, and its cuts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use histoscope_batch::analyze::summary::hash;

use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{FRAME_SECONDS, near, position_where, sample};

/// Returns the expected log on the sample's strip, computed from the bins of `histoscope analyze`, frame by frame.
fn analyzed() -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let records = folder.path().join("records.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    command.args(["analyze", sample(), "--engine", "cpu", "--bins", "--quiet", "-o"]).arg(&records);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("nothing was analyzed: {error}"));
    let mut cells = vec![0_u64; 4 * 256];
    let mut frames = 0;
    for line in fs::read_to_string(records).expect("records").lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let Some(channels) = record.get("channels").filter(|_| record["type"] == "frame") else { continue };
        frames += 1;
        for (channel, name) in ["red", "green", "blue", "luminance"].iter().enumerate() {
            let bins = channels[name]["bins"].as_array().expect("bins");
            assert_eq!(bins.len(), 256);
            for (code, bin) in bins.iter().enumerate() {
                cells[channel * 256 + code] += bin.as_u64().expect("a count");
            }
        }
    }
    let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    format!("{frames} frames, 0 cuts, sum {:016x}", hash(&bytes))
}

/// Opens a file, paused, with settings and cached strips in this folder.
fn open(file: &str, home: &Path) -> Program {
    let program = Program::start_at_home(&[file, "--paused"], home);
    program.take_pointer_away();
    program
}

/// Waits until the strip is complete. Returns the log's line on it.
fn complete(program: &Program) -> String {
    complete_since(program, 0)
}

/// Waits until a strip is complete that the log mentions after this many bytes. Returns the line.
fn complete_since(program: &Program, before: usize) -> String {
    until("the strip to be complete", PATIENCE, || {
        let log = program.log();
        let log = log.get(before..)?;
        let whole = &log[..log.rfind('\n')? + 1];
        let line = whole.lines().rfind(|line| line.contains("strip: complete"))?;
        line.split_once("strip: complete, ").map(|(_, how)| how.to_owned())
    })
}

/// Returns the files of cached strips.
fn kept(home: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(home.join("cache/histoscope/strips")).expect("the folder is there");
    files.map(|file| file.expect("a file").path()).collect()
}

#[test]
fn a_finished_strip_is_what_analyze_counts_and_is_kept() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let expected = analyzed();
    let program = open(sample(), home.path());
    assert_eq!(complete(&program), format!("counted: {expected}"));
    program.quit_with("q");
    let program = open(sample(), home.path());
    assert_eq!(complete(&program), format!("loaded from the cache: {expected}"));
    program.quit_with("q");
    // A damaged one is reported, and counted again.
    let [file] = &kept(home.path())[..] else { panic!("{:?}", kept(home.path())) };
    let mut bytes = fs::read(file).expect("the strip");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file, bytes).expect("it can be written");
    let program = open(sample(), home.path());
    assert_eq!(complete(&program), format!("counted: {expected}"));
    assert!(program.log().contains("is not a strip of this file"), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn a_cache_that_cannot_be_written_is_told_and_survived() {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::write(home.path().join("cache"), "a file where the folder should be").expect("a file");
    let program = open(sample(), home.path());
    assert!(complete(&program).starts_with("counted: "));
    assert!(program.log().contains("sample.mp4 could not be saved: "), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn its_key_shows_it_tall_and_takes_it_away() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = open(sample(), home.path());
    complete(&program);
    program.after(|| program.key("Tab"), "note: controls stay");
    let small = program.settled();
    // Returns how many pixels in some rows, away from notes, differ from those with a small strip.
    let others = |rows: std::ops::Range<u32>| {
        let picture = program.picture();
        let columns = small.width / 10..small.width * 9 / 10;
        let differ = |y: u32| columns.clone().filter(|&x| picture.pixel(x, y) != small.pixel(x, y)).count();
        rows.map(differ).sum::<usize>()
    };
    program.after(|| program.key("shift+t"), "note: timeline strip: tall");
    until("a tall strip", PATIENCE, || (others(80..110) > 10_000).then_some(()));
    program.after(|| program.key("shift+t"), "note: timeline strip: off");
    until("no strip", PATIENCE, || (others(16..30) > 5000).then_some(()));
    let before = program.log().len();
    program.after(|| program.key("shift+t"), "note: timeline strip: small");
    complete_since(&program, before);
    until("the small strip again", PATIENCE, || (others(16..30) < 500).then_some(()));
    program.key("shift+t");
    program.after(|| program.key("shift+t"), "note: timeline strip: off");
    // A line shows the strip.
    program.after(|| program.key("ctrl+shift+t"), "note: line over the strip: mean luminance");
    until("a tall strip", PATIENCE, || (others(80..110) > 10_000).then_some(()));
    program.after(|| program.key("shift+t"), "note: timeline strip: off");
    program.quit_with("q");
    // The next run shows the same without counting.
    let program = open(sample(), home.path());
    program.settled();
    assert!(!program.log().contains("strip: "), "it is counted though nobody sees it: {}", program.log());
    program.after(|| program.key("shift+t"), "note: timeline strip: small");
    assert!(complete(&program).starts_with("loaded from the cache: "));
    program.quit_with("q");
}

/// Makes a clip of these scenes at 25 frames per second, with a single key frame.
fn clip_of(scenes: &str) -> tempfile::NamedTempFile {
    clip_with_keys(scenes, 500)
}

/// Makes a clip of these scenes with a key frame every `distance` frames.
fn clip_with_keys(scenes: &str, distance: u32) -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mp4").tempfile().expect("a temporary file");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-filter_complex", scenes, "-pix_fmt", "yuv420p", "-g", &distance.to_string()]);
    // Lossless, so that still scenes are the same in every frame.
    command.args(["-sc_threshold", "0", "-qp", "0"]).arg(clip.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

/// Makes three seconds of one pattern, two of another and four of a third.
fn clip_with_cuts() -> tempfile::NamedTempFile {
    clip_of(
        "testsrc2=s=320x180:r=25:d=3[a];smptebars=s=320x180:r=25:d=2[b];rgbtestsrc=s=320x180:r=25:d=4[c];\
         [a][b][c]concat=n=3",
    )
}

/// Makes two seconds of flickering gray, two of black, two of gray again, two of still bars that are partly white.
fn clip_with_findings() -> tempfile::NamedTempFile {
    let gray = "color=gray:s=320x180:r=25:d=2,noise=alls=20:allf=t";
    let still = ["color=black:s=320x180:r=25:d=1", "smptebars=s=320x180:r=25:d=2"];
    clip_of(&format!("{gray}[a];{}[b];{gray}[c];{}[d];[a][b][c][d]concat=n=4", still[0], still[1]))
}

#[test]
fn keys_lead_to_black_frozen_and_clipped_frames() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let clip = clip_with_findings();
    // A cached strip contains everything that was counted.
    for how in ["counted: 175 frames", "loaded from the cache: 175 frames"] {
        let program = open(clip.path().to_str().expect("plain"), home.path());
        assert!(complete(&program).starts_with(how), "{}", program.log());
        let is_at = |wanted: f64| {
            position_where(&program, "at the finding", |position| near(position, wanted, 0.4 * FRAME_SECONDS));
        };
        let says = |key: &str, note: &str| drop(program.after(|| program.key(key), &format!("note: {note}")));
        says("ctrl+shift+Next", "looking for black frames: 1");
        says("ctrl+Next", "1 of 1: black from 0:02.000 to 0:03.000");
        is_at(2.0);
        says("ctrl+Next", "no black frame after this");
        says("ctrl+shift+Next", "looking for flashes: 0");
        says("ctrl+shift+Next", "looking for frozen frames: 1");
        says("ctrl+Next", "1 of 1: frozen from 0:05.000 to 0:07.000");
        is_at(5.0);
        says("ctrl+Prior", "no frozen frame before this");
        program.key("Home");
        is_at(0.0);
        says("ctrl+shift+Next", "looking for clipped frames: 1");
        says("ctrl+Next", "1 of 1: clipped from 0:05.000 to 0:07.000, up to 4.4 % of luminance");
        is_at(5.0);
        says("ctrl+shift+Next", "looking for timecode breaks: 0");
        // The bars are one stretch, and black is left out.
        says("ctrl+shift+Next", "looking for worst frames: 3");
        says("ctrl+Prior", "no worst frame before this");
        says("ctrl+shift+Next", "looking for all findings: 6");
        // Black is black, however still it is.
        says("ctrl+Prior", "1 of 6: black from 0:02.000 to 0:03.000");
        is_at(2.0);
        // Frozen and clipped begin with the same frame.
        says("ctrl+Next", "2 of 6: ");
        is_at(5.0);
        program.quit_with("q");
    }
}

#[test]
fn keys_lead_from_cut_to_cut() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let clip = clip_with_cuts();
    let program = open(clip.path().to_str().expect("plain"), home.path());
    assert!(complete(&program).contains(": 225 frames, 2 cuts, "), "{}", program.log());
    let is_at = |wanted: f64| {
        position_where(&program, "at the cut", |position| near(position, wanted, 0.4 * FRAME_SECONDS));
    };
    program.after(|| program.key("shift+Next"), "note: cut 1 of 2: 0:03.000");
    is_at(3.0);
    program.after(|| program.key("shift+Next"), "note: cut 2 of 2: 0:05.000");
    is_at(5.0);
    program.after(|| program.key("shift+Next"), "note: no cut after this");
    program.after(|| program.key("shift+Prior"), "note: cut 1 of 2: 0:03.000");
    is_at(3.0);
    program.key("period");
    is_at(3.04);
    program.after(|| program.key("shift+Prior"), "note: cut 1 of 2: 0:03.000");
    program.after(|| program.key("shift+Prior"), "note: no cut before this");
    program.quit_with("q");
}

#[test]
fn the_key_frame_under_the_pointer_is_shown_with_its_time() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let [red, green, blue] = ["red", "lime", "blue"].map(|colour| format!("color={colour}:s=1280x720:r=25:d=2"));
    // A window of one colour would count as empty.
    let pattern = "testsrc2=s=320x180:r=25:d=2";
    let clip = clip_with_keys(
        &format!("{red}[r];{pattern}[p];[r][p]overlay=40:520[a];{green}[b];{blue}[c];[a][b][c]concat=n=3"),
        25,
    );
    let program = open(clip.path().to_str().expect("plain"), home.path());
    // Below the bar, in the middle of the card's picture.
    let seen = |x: i32| program.picture().pixel(x as u32, 130);
    let is = |pixel: [u8; 3], main: usize| pixel[main] > 200 && pixel.iter().filter(|&&byte| byte < 60).count() == 2;
    program.point(600, 300);
    program.settled();
    for (part, main) in [(0.5, 1), (0.9, 2), (0.1, 0), (0.6, 1)] {
        let x = 26 + (part * f64::from(1254 - 26)) as i32;
        program.point(x, 26);
        until("the key frame there", PATIENCE, || is(seen(x), main).then_some(()));
    }
    // Pictures that were shown are cached, and follow the pointer.
    let x = 26 + (0.5 * f64::from(1254 - 26)) as i32;
    program.point(600, 300);
    until("the card to go", PATIENCE, || is(seen(x), 0).then_some(()));
    assert!(position_where(&program, "where it was", |position| position < FRAME_SECONDS) < FRAME_SECONDS);
    // A drag shows the picture in the window.
    program.point(x, 26);
    until("the key frame there", PATIENCE, || is(seen(x), 1).then_some(()));
    program.button("mousedown", "1");
    program.move_pointer(x + 300, 26);
    until("the picture of the drag", PATIENCE, || is(program.picture().pixel(600, 300), 2).then_some(()));
    assert!(is(seen(x + 300), 2) && is(program.picture().pixel(x as u32 + 215, 75), 2), "a card is in the way");
    program.button("mouseup", "1");
    program.quit_with("q");
}
