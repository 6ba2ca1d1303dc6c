//! The notes on seeks, steps, zoom, single pictures and rotated ones.

use std::process::Command;

use crate::program::{Program, Time};
use crate::wait::{PATIENCE, output_of, until};
use crate::{FRAME_SECONDS, near, pause, paused_sample, position_where, sample};

/// Makes a file with FFmpeg and these arguments.
fn made(suffix: &str, arguments: &[&str]) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y"]).args(arguments).arg(file.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no file: {error}"));
    file
}

fn path(file: &tempfile::NamedTempFile) -> &str {
    file.path().to_str().expect("a plain path")
}

/// Returns an MP4 whose track is rotated clockwise by a quarter for display.
fn turned_clockwise(mut mp4: Vec<u8>) -> Vec<u8> {
    let header = mp4.windows(4).position(|bytes| bytes == b"tkhd").expect("a track");
    // The name of the box is followed by 40 bytes of other fields.
    let matrix = header + 44;
    let numbers = [0_u32, 1 << 16, 0, 0xffff_0000, 0, 0, 0, 0, 1 << 30];
    for (place, number) in mp4[matrix..].chunks_exact_mut(4).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    mp4
}

#[test]
fn a_seek_tells_where_it_has_led_and_a_step_at_either_end_says_so() {
    let program = paused_sample(&[]);
    program.after(|| program.key("Right"), "note: +5 s");
    let note = until("the position", PATIENCE, || {
        program.log().lines().rfind(|line| line.contains("note: +5 s  ·  ")).map(str::to_owned)
    });
    assert!(note.ends_with("0:05.000  frame 150"), "{note}");
    position_where(&program, "there", |position| near(position, 5.0, FRAME_SECONDS / 2.0));
    program.after(|| program.key("Home"), "note: to the first frame  ·  0:00.000  frame 0");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS / 2.0));
    program.after(|| program.key("comma"), "note: first frame");
    program.after(|| program.key("End"), "note: to the last frame  ·  0:09.967  frame 299");
    position_where(&program, "at the end", |position| position > 9.9);
    program.after(|| program.key("period"), "note: last frame");
    program.quit_with("q");
}

#[test]
fn a_seek_that_takes_long_says_where_it_leads() {
    // One group of pictures: the last frame depends on all of them.
    let arguments =
        ["-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30:d=30", "-g", "9999", "-bf", "0", "-preset", "ultrafast"];
    let clip = made(".mp4", &arguments);
    // Where time is driven, no seek takes any.
    let program = Program::start_in_time(Time::Real, &[path(&clip), "--cache-mb", "16"]);
    program.take_pointer_away();
    let before = pause(&program);
    program.after(|| program.key("End"), "a seek takes long: LastFrame");
    program.until_other("the words", &before, crate::picture::Area::Everywhere, 500);
    let there = || program.title().position.is_some_and(|position| position > 29.0).then_some(());
    until("the last frame", PATIENCE, there);
    program.quit_with("q");
}

#[test]
fn a_single_picture_is_called_that_and_not_played() {
    let picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360", "-frames:v", "1"];
    for suffix in [".png", ".jpg", ".mp4"] {
        let file = made(suffix, &picture);
        let program = Program::start(path(&file));
        until("the title to say so", PATIENCE, || program.title().text.contains("— a single picture —").then_some(()));
        for key in ["space", "period", "Right", "o", "bracketright", "ctrl+g"] {
            let note = program.after(|| program.key(key), "note: ");
            assert!(note.contains("a single picture: there is nothing to play"), "{key}: {note}");
        }
        program.quit_with("q");
    }
    let program = Program::start(sample());
    assert!(!program.title().text.contains("single"), "{:?}", program.title().text);
    program.quit_with("q");
}

#[test]
fn the_place_of_a_pixel_is_told_both_as_coded_and_as_displayed_where_these_differ() {
    let upright = made(".mp4", &["-f", "lavfi", "-i", "testsrc2=s=320x240:d=1", "-pix_fmt", "yuv420p"]);
    let turned = tempfile::Builder::new().suffix(".mp4").tempfile().expect("a temporary file");
    std::fs::write(turned.path(), turned_clockwise(std::fs::read(upright.path()).expect("the clip was written")))
        .expect("a temporary file");
    let program = Program::start_with(path(&turned), &["--paused"]);
    program.resize(480, 640);
    let line = program.after(|| program.point(241, 101), "probe: x 50  y 119  coded;");
    // Twice the size, rotated clockwise by a quarter.
    assert!(line.contains("displayed x 120 y 50;"), "{line}");
    program.quit_with("q");
}

/// Returns the sample with its index at the start, changed by `change`.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> tempfile::NamedTempFile {
    let clip = made(".mp4", &["-i", sample(), "-c", "copy", "-movflags", "+faststart"]);
    let mut bytes = std::fs::read(clip.path()).expect("the clip was written");
    change(&mut bytes);
    std::fs::write(clip.path(), bytes).expect("the clip can be written again");
    clip
}

#[test]
fn damage_is_told_while_it_plays_and_stays_in_the_panel() {
    let clip = changed(|bytes| {
        let middle = bytes.len() / 2;
        bytes[middle..middle + 3000].fill(0x55);
    });
    let program = Program::start_with(path(&clip), &["--paused"]);
    program.after(|| program.key("space"), "note: the file is damaged: ");
    assert!(!program.title().paused, "it is told while it plays: {:?}", program.title().text);
    let line = program.after(|| program.key("i"), "file: damage ");
    assert!(line.contains("damaged") || line.contains("refused"), "{line}");
    program.quit_with("q");
    let program = Program::start(sample());
    program.key("End");
    position_where(&program, "at the end", |position| position > 9.9);
    assert!(!program.log().contains("the file is "), "the sample is whole: {}", program.log());
    program.quit_with("q");
}

#[test]
fn a_partial_file_is_told_at_once_and_what_it_lacks_once_that_is_known() {
    let clip = changed(|bytes| bytes.truncate(bytes.len() * 6 / 10));
    let program = Program::start_with(path(&clip), &["--paused"]);
    let cut = "it was cut off in the middle of its data";
    until("the note", PATIENCE, || {
        program.log().contains(&format!("note: the file is incomplete: {cut}")).then_some(())
    });
    program.after(|| program.key("i"), &format!("file: partial {cut}"));
    let note = program.after(|| program.key("End"), "note: the file is incomplete: it ends after ");
    assert!(note.ends_with(" s of 10.000 s"), "{note}");
    program.after(|| program.key("i"), "key: ");
    program.after(|| program.key("i"), "file: partial it ends after ");
    program.quit_with("q");
}
