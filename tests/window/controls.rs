//! The controls over the picture: they appear and fade, cost nothing while nothing happens, and move the position.

use std::time::Duration;

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{FRAME_SECONDS, SAMPLE_SECONDS, near, pause, paused_sample, position_where, sample};

/// The timeline's line in a window of the sample's size, in pixels.
const LINE: (i32, i32) = (26, 1254);
/// A row of pixels on the line.
const LINE_ROW: i32 = 26;

/// Returns the column at a fraction of the timeline.
fn column(part: f64) -> i32 {
    LINE.0 + (f64::from(LINE.1 - LINE.0) * part).round() as i32
}

#[test]
fn dragging_the_timeline_scrubs_and_settles_on_the_exact_frame() {
    let program = Program::start(sample());
    pause(&program);
    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.point(600, 300);
    program.settled();
    program.point(column(0.1), LINE_ROW);
    program.button("mousedown", "1");
    let mut seen = Vec::new();
    for part in [0.2, 0.4, 0.6, 0.8] {
        program.move_pointer(column(part), LINE_ROW);
        let wanted = part * SAMPLE_SECONDS;
        // Quick pictures are near the target: the sample has a keyframe at least every 2 s.
        seen.push(position_where(&program, &format!("near {wanted} s"), |at| near(at, wanted, 2.1)));
    }
    program.move_pointer(column(0.33), LINE_ROW + 40);
    program.button("mouseup", "1");
    let wanted = f64::from(column(0.33) - LINE.0) / f64::from(LINE.1 - LINE.0) * SAMPLE_SECONDS;
    position_where(&program, &format!("exactly {wanted:.3} s"), |position| {
        position <= wanted + 0.0015 && wanted < position + FRAME_SECONDS + 0.0015
    });
    assert!(seen.windows(2).all(|two| two[0] <= two[1]) && seen[0] + 3.0 < seen[3], "the drag led to {seen:?}");
    program.quit_with("q");
}

#[test]
fn buttons_do_what_their_keys_do() {
    let program = Program::start(sample());
    pause(&program);
    program.point(600, 300);
    program.settled();
    let click = |x: i32, y: i32| {
        program.point(x, y);
        program.settled();
        program.button("click", "1");
    };
    click(64, 50);
    until("the button to play", PATIENCE, || (!program.title().paused).then_some(()));
    program.key("space");
    until("Space to pause", PATIENCE, || program.title().paused.then_some(()));
    // From the right: help, pin, luminance, blue, green, red.
    program.after(|| click(1193, 50), "note: luminance off");
    program.after(|| click(1115, 50), "note: red off");
    program.after(|| click(1083, 50), "note: loop on");
    program.after(|| click(1057, 50), "note: speed 1.10×");
    program.after(|| click(1021, 50), "note: speed 1.00×");
    program.quit_with("q");
}

/// Presses a key that opens a panel. Returns the window's picture.
fn shows(program: &Program, key: &str, before: &Picture) -> Picture {
    program.key(key);
    program.until_other(&format!("{key} to show a panel"), before, Area::Everywhere, 1_000);
    program.settled()
}

#[test]
fn panels_close_each_other_and_grow_back_in_a_small_window() {
    let program = Program::start(sample());
    program.take_pointer_away();
    let bare = pause(&program);
    let shows = |key: &str, before: &Picture| shows(&program, key, before);
    let large = shows("shift+a", &bare);
    program.key("shift+a");
    program.resize(480, 270);
    let bare = program.settled();
    // The times would overlap the numbers.
    let numbers = shows("n", &bare);
    shows("t", &bare);
    program.key("n");
    program.until_same("the numbers to take the place of the times", &numbers, Area::Everywhere);
    program.key("n");
    program.until_same("the numbers to close", &bare, Area::Everywhere);
    // The adjustments are below the times, and move up when those are closed.
    let small = shows("shift+a", &bare);
    shows("t", &small);
    program.key("t");
    program.until_same("the adjustments to have all their lines again", &small, Area::Everywhere);
    // They use the space of a larger window.
    program.resize(1280, 720);
    program.until_same("the adjustments to be there as a whole", &large, Area::Everywhere);
    program.quit_with("q");
}

#[test]
fn panels_survive_windows_that_have_no_room_for_them() {
    for keys in [&["shift+a", "n"][..], &["shift+l"], &["F1"]] {
        let program = paused_sample(&[]);
        keys.iter().for_each(|key| program.key(key));
        for size in [(64, 48), (1, 1), (333, 777), (120, 700), (240, 400), (700, 30), (1280, 720)] {
            program.resize(size.0, size.1);
            assert_eq!(program.settled().size(), size, "{keys:?}");
        }
        program.quit_with("q");
    }
}

#[test]
fn a_drag_let_go_outside_the_window_goes_to_where_the_pointer_was() {
    let program = paused_sample(&[]);
    for (outside, wanted) in [(2000, SAMPLE_SECONDS - FRAME_SECONDS), (-300, 0.0)] {
        program.point(600, 300);
        program.settled();
        program.point(600, 26);
        program.settled();
        program.button("mousedown", "1");
        program.move_pointer(700, 40);
        program.take_pointer_away();
        // Longer than the controls take to fade.
        program.pass(Duration::from_secs(4));
        program.move_pointer(outside, 300);
        program.button("mouseup", "1");
        position_where(&program, &format!("{wanted:.3} s"), |position| near(position, wanted, 0.002));
    }
    program.quit_with("q");
}

#[test]
fn only_the_left_button_scrubs() {
    let program = paused_sample(&[]);
    program.point(column(0.5), LINE_ROW);
    program.settled();
    program.button("click", "3");
    program.settled();
    position_where(&program, "still at the beginning", |position| near(position, 0.0, 0.002));
    program.key("Escape");
    program.point(column(0.5), LINE_ROW);
    program.button("click", "1");
    position_where(&program, "half way", |position| near(position, 0.5 * SAMPLE_SECONDS, 2.1));
    program.quit_with("q");
}

#[test]
fn the_wheel_seeks_on_the_timeline_and_zooms_elsewhere() {
    let program = paused_sample(&[]);
    program.point(640, 26);
    program.settled();
    program.after(|| program.button("click", "4"), "note: +1 s");
    position_where(&program, "at 1 s", |position| near(position, 1.0, 0.002));
    program.after(|| program.button("click", "5"), "note: −1 s");
    position_where(&program, "at the beginning", |position| near(position, 0.0, 0.002));
    program.point(640, 330);
    program.after(|| program.button("click", "4"), "note: zoom");
    program.quit_with("q");
}

#[test]
fn a_hint_says_once_that_most_of_the_bars_is_cut_off() {
    let clip = clip_of("smptebars=s=640x360:r=10:d=1");
    let program = Program::start_with(clip.path().to_str().expect("plain"), &["--paused"]);
    let hint = "most of the bars are cut off · v changes the scale";
    program.after(|| program.point(320, 150), &format!("note: {hint}"));
    for _ in 0..3 {
        program.key("v");
    }
    program.point(300, 150);
    program.settled();
    assert_eq!(program.log().matches(hint).count(), 1);
    program.quit_with("q");
}

#[test]
fn a_video_of_another_shape_gets_a_window_of_its_own_shape() {
    let clip = clip_of("testsrc2=s=360x640:r=10:d=1");
    let program = Program::start_on(&[sample(), clip.path().to_str().expect("plain"), "--paused"]);
    let size = program.picture().size();
    let becomes = |size| until("the window's size", PATIENCE, || (program.picture().size() == size).then_some(()));
    program.key("Next");
    becomes((480, 853));
    program.key("Prior");
    becomes(size);
    program.resize(800, 450);
    program.after(|| program.key("Next"), "(2 of 2)");
    program.settled();
    assert_eq!(program.picture().size(), (800, 450), "the user has chosen it");
    program.quit_with("q");
}

/// Makes a clip from one of FFmpeg's sources.
fn clip_of(source: &str) -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mp4").tempfile().expect("a temporary file");
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p"]).arg(clip.path());
    crate::wait::output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

#[test]
fn panels_without_room_come_back_with_it_and_esc_closes_them_all() {
    let program = Program::start(sample());
    program.take_pointer_away();
    let bare = pause(&program);
    let shows = |key: &str, before: &Picture| shows(&program, key, before);
    program.resize(480, 270);
    let small = shows("n", &program.settled());
    program.resize(1280, 720);
    let both = shows("shift+a", &program.settled());
    program.resize(480, 270);
    program.until_same("the numbers alone to stay", &small, Area::Everywhere);
    program.resize(1280, 720);
    program.until_same("the adjustments to come back", &both, Area::Everywhere);
    shows("t", &both);
    program.key("Escape");
    program.until_same("all panels to close", &bare, Area::Everywhere);
    shows("t", &bare);
    program.key("Escape");
    program.until_same("the times to close", &bare, Area::Everywhere);
    program.quit_with("q");
}

#[test]
fn what_has_room_is_told_by_the_layouts_own_points() {
    let program = Program::start(sample());
    program.take_pointer_away();
    pause(&program);
    // Such a low window is scaled down: it is 844 points wide, enough for two panels.
    program.resize(760, 300);
    let numbers = shows(&program, "n", &program.settled());
    shows(&program, "t", &numbers);
    program.key("t");
    program.until_same("the numbers to have stayed", &numbers, Area::Everywhere);
    program.quit_with("q");
}

#[test]
fn the_controls_follow_the_size_of_a_window_that_stands() {
    let program = Program::start(sample());
    program.take_pointer_away();
    pause(&program);
    program.after(|| program.key("Tab"), "note: controls stay");
    // After the note has faded, only the window's size causes drawing.
    program.pass(Duration::from_secs(3));
    let large = program.settled();
    for _ in 0..3 {
        program.resize(480, 270);
        let small = program.settled();
        program.resize(960, 540);
        program.settled();
        program.resize(480, 270);
        program.until_same("the controls to fit a small window", &small, Area::Everywhere);
        program.resize(1280, 720);
        program.until_same("the controls to fit a large window", &large, Area::Everywhere);
    }
    program.quit_with("q");
}

#[test]
fn playing_without_the_controls_lays_nothing_out() {
    let program = Program::start_with(sample(), &["--loop"]);
    program.take_pointer_away();
    program.pass(Duration::from_secs(4));
    program.quit_with("q");
    let log = program.log();
    // Returns the number before these words in the log.
    let count = |words: &str| -> u64 {
        let line = log.lines().rfind(|line| line.contains(words)).unwrap_or_else(|| panic!("no '{words}' in {log}"));
        let before = line.split(words).next().unwrap_or_default();
        before.split_whitespace().next_back().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{line}"))
    };
    let (shown, laid_out) = (count("frames shown"), count("times"));
    assert!(shown > 20, "{shown} frames were shown");
    assert_eq!(laid_out, 0, "of {shown} frames");
}
