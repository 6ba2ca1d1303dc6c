//! The built program in an invisible window, with Mesa's software adapter. Keys and the pointer go in; pixels and the
//! window's title come out. Nothing here depends on the inside of the program. Time passes in it as fast as possible,
//! so no test waits for a clock. Only what needs a desktop has a real window, in `desktop`.
//!
//! scripts/setup installs everything that the tests need. They fail if anything is missing, and never skip.
#![cfg(target_os = "linux")]

mod adjusting;
mod brushes;
mod check;
mod compare;
mod controls;
mod datascope;
mod desktop;
mod entry;
mod every_key;
mod exposure;
mod guides;
mod hands;
mod held;
mod ipc;
mod lab;
mod live;
mod looks;
mod lost;
mod menu;
mod notes;
mod picture;
mod presets;
mod probes;
mod program;
mod random_hands;
mod reading;
mod region;
mod results;
mod scopes;
#[path = "../common/sender.rs"]
mod sender;
mod sound;
mod stalled;
mod strip;
mod title;
mod tone_map;
mod undo;
mod wait;
mod ways_in;

use std::time::{Duration, Instant};

use picture::{Area, Picture};
use program::Program;
use wait::{PATIENCE, until};

/// The sample's length and the time between its frames.
const SAMPLE_SECONDS: f64 = 10.0;
const FRAME_SECONDS: f64 = 1.0 / 30.0;

fn sample() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.mp4")
}

/// Two minutes of a moving pattern, ten frames a second, a keyframe every three seconds.
fn long_clip() -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mp4").tempfile().expect("a temporary file");
    let arguments = "-v error -y -f lavfi -i testsrc2=s=320x180:r=10:d=120 -pix_fmt yuv420p -g 30";
    let mut command = std::process::Command::new("ffmpeg");
    command.args(arguments.split(' ')).arg(clip.path());
    wait::output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

/// Pauses. Returns the picture that remains.
fn pause(program: &Program) -> Picture {
    program.key("space");
    until("the title to say that playback is paused", PATIENCE, || program.title().paused.then_some(()));
    program.settled()
}

/// Opens the sample with these arguments, paused on its first frame, with nothing under the pointer.
fn paused_sample(arguments: &[&str]) -> Program {
    let program = Program::start_with(sample(), &[&["--paused"], arguments].concat());
    program.take_pointer_away();
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.settled();
    program
}

/// Returns the position in the title once `wanted` holds for it.
fn position_where(program: &Program, what: &str, wanted: impl Fn(f64) -> bool) -> f64 {
    let begin = Instant::now();
    loop {
        let title = program.title();
        if let Some(position) = title.position.filter(|&position| wanted(position)) {
            return position;
        }
        assert!(begin.elapsed() < PATIENCE, "the position is not {what}: {:?}\n{}", title.text, program.log());
        program.pass(Duration::from_millis(20));
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn toggling_a_channel_changes_its_overlay_and_nothing_else() {
    toggle_each_channel(&Program::start(sample()));
}

/// The adapter here is software, so the CPU counts unless the GPU is requested.
#[test]
fn toggling_works_alike_when_the_adapter_counts() {
    toggle_each_channel(&Program::start_with(sample(), &["--engine", "gpu"]));
}

#[test]
fn t_shows_the_times_and_leaves_the_histograms_alone() {
    for engine in ["cpu", "gpu"] {
        let program = Program::start_with(sample(), &["--engine", engine]);
        let bare = pause(&program);
        program.key("t");
        program.until_other("the panel of times to appear", &bare, Area::Outside, 1000);
        let panel = program.settled();
        for histogram in [Area::Left, Area::Right] {
            assert_eq!(panel.differing(&bare, histogram), 0, "the panel touches {histogram:?} with {engine}");
        }
        program.key("t");
        program.until_same("the panel to vanish without a trace", &bare, Area::Below);
        program.quit_with("q");
    }
}

#[test]
fn y_counts_code_values_and_back() {
    let program = Program::start(sample());
    let light = pause(&program);
    program.key("y");
    until("both overlays to change", PATIENCE, || {
        let now = program.picture();
        (now.differing(&light, Area::Left) > 100 && now.differing(&light, Area::Right) > 100).then_some(())
    });
    let coded = program.settled();
    assert_eq!(coded.differing(&light, Area::Outside), 0, "only the histograms change");
    program.key("y");
    program.until_same("red, green, blue and luminance to come back", &light, Area::Below);
    program.quit_with("q");
}

fn toggle_each_channel(program: &Program) {
    let all = pause(program);

    let colours = [Area::Left].as_slice();
    let luminance = [Area::Right].as_slice();
    let both = [Area::Left, Area::Right].as_slice();
    for (key, changed) in [("r", colours), ("g", colours), ("b", colours), ("l", luminance), ("h", both)] {
        program.key(key);
        let without = until(&format!("{key} to change the picture"), PATIENCE, || {
            let now = program.picture();
            (now.differing(&all, Area::Below) > 0).then(|| program.settled())
        });
        for area in [Area::Outside, Area::Left, Area::Right] {
            let count = without.differing(&all, area);
            if changed.contains(&area) {
                assert!(count > 100, "{key} changed only {count} pixels in {area:?}");
            } else if count != 0 {
                let files = [all.save(&format!("toggle-{key}-before")), without.save(&format!("toggle-{key}-after"))];
                panic!("{key} changed {count} pixels in {area:?}; see {files:?}");
            }
        }

        program.key(key);
        program.until_same(&format!("{key} to bring everything back"), &all, Area::Below);
    }

    // Toggles are independent: without all four channels nothing of the overlays remains, as with `h`.
    program.key("h");
    let bare = until("h to hide both overlays", PATIENCE, || {
        let now = program.picture();
        (now.differing(&all, Area::Left) > 100 && now.differing(&all, Area::Right) > 100).then(|| program.settled())
    });
    program.key("h");
    for key in ["r", "g", "b", "l"] {
        program.key(key);
    }
    program.until_same("all four channels to vanish", &bare, Area::Below);
    program.quit_with("q");
}

#[test]
fn the_window_shows_what_the_snapshot_shows() {
    let program = Program::start(sample());
    pause(&program);
    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    let shown = program.picture();
    let snapshot = program.snapshot(sample(), "0", shown.width, shown.height);
    // The note on the key's effect fades after a while.
    program.until_same("the window to show what the snapshot shows", &snapshot, Area::Everywhere);
    program.quit_with("q");
}

#[test]
fn keys_move_the_position() {
    let program = Program::start(sample());
    pause(&program);

    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    let first = program.settled();

    // A step forward shows another frame. A step back shows the same one again, to the pixel.
    program.key("period");
    let second = until("a step to show the next frame", PATIENCE, || {
        let now = program.picture();
        (now.differing(&first, Area::Outside) > 0).then(|| program.settled())
    });
    position_where(&program, "one frame after the beginning", |position| position <= 2.0 * FRAME_SECONDS);
    program.key("comma");
    program.until_same("a step back to show the first frame", &first, Area::Below);
    program.key("period");
    program.until_same("a second step to show the second frame", &second, Area::Below);
    program.key("Home");
    program.until_same("Home to show the first frame", &first, Area::Below);

    // By seconds: exactly with Shift, else to a keyframe or to the exact frame. The sample has a keyframe at least
    // every 2 s.
    program.key("shift+Right");
    position_where(&program, "1 s", |position| near(position, 1.0, 1.5 * FRAME_SECONDS));
    program.until_other("the picture at 1 s", &first, Area::Outside, 100);
    program.key("Right");
    let later = position_where(&program, "about 6 s", |position| near(position, 6.0, 2.1));
    program.key("Left");
    position_where(&program, "about 5 s less", |position| near(position, later - 5.0, 2.1));

    // End shows the last frame and stays there, as do a step beyond it and a minute forward.
    program.key("End");
    position_where(&program, "at the end", |position| near(position, SAMPLE_SECONDS, 1.5 * FRAME_SECONDS));
    let last = program.settled();
    assert!(last.differing(&first, Area::Outside) > 100, "End shows the first frame");
    program.key("Up");
    program.key("period");
    let still = program.settled();
    assert_eq!(still.differing(&last, Area::Below), 0, "the last frame did not stay");
    program.key("Down");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.quit_with("q");
}

#[test]
fn the_last_frame_waits_and_space_starts_again() {
    let program = Program::start(sample());
    pause(&program);
    program.key("End");
    position_where(&program, "at the end", |position| near(position, SAMPLE_SECONDS, 1.5 * FRAME_SECONDS));
    let last = program.settled();
    program.key("shift+Left");
    let before = position_where(&program, "1 s before the end", |position| {
        near(position, SAMPLE_SECONDS - 1.0, 2.5 * FRAME_SECONDS)
    });

    program.key("space");
    position_where(&program, "at the end again", |position| position > before + 0.8);
    let end = program.settled();
    if end.differing(&last, Area::Below) != 0 {
        let files = [last.save("end-by-key"), end.save("end-by-playing")];
        panic!("playing ends on another picture than End shows; see {files:?}");
    }

    program.key("space");
    position_where(&program, "near the beginning", |position| position < 5.0);
    let again = program.picture();
    program.until_other("the picture to move again", &again, Area::Outside, 100);
    program.quit_with("q");
}
