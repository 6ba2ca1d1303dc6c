//! The built program in a real window, on a separate display (Xvfb) with Mesa's software adapter: tests that need a
//! desktop. Keys go in; pixels and the window's title come out. All other tests use an invisible window, in
//! `tests/window`.
//!
//! scripts/setup installs everything that the tests need. They fail if anything is missing, and never skip.
#![cfg(target_os = "linux")]

mod clipboard;
mod display;
mod hands;
#[path = "../window/picture.rs"]
mod picture;
mod program;
mod start;
#[path = "../window/title.rs"]
mod title;
mod turn;
#[path = "../window/wait.rs"]
mod wait;
mod x11;

use std::time::{Duration, Instant};

use display::Display;
use picture::{Area, Picture};
use program::Program;
use turn::{alone, turn};
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
fn paused_sample<'display>(display: &'display Display, arguments: &[&str]) -> Program<'display> {
    let program = Program::start_with(display, sample(), &[&["--paused"], arguments].concat());
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
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn the_picture_moves_while_playing_and_stands_while_paused() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start(&display, sample());

    let title = program.title();
    assert!(title.text.contains("sample.mp4"), "the title does not name the file: {:?}", title.text);
    assert!(!title.paused, "the program starts paused: {:?}", title.text);
    let duration = title.duration.expect("no duration in the title");
    assert!(near(duration, SAMPLE_SECONDS, 1.0), "the duration in the title is {duration}: {:?}", title.text);

    // The video and both histograms move, more than once.
    let mut last = program.picture();
    for _ in 0..3 {
        last = until("the picture and both histograms to move", PATIENCE, || {
            let now = program.picture();
            let moved =
                [Area::Outside, Area::Left, Area::Right].into_iter().all(|area| now.differing(&last, area) > 100);
            moved.then_some(now)
        });
    }

    let standing = pause(&program);
    let position = program.title().position;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        let now = program.picture();
        assert_eq!(now.differing(&standing, Area::Below), 0, "the picture moved while paused");
    }
    assert_eq!(program.title().position, position, "the position moved while paused");

    program.key("space");
    until("the title to say that playback goes on", PATIENCE, || (!program.title().paused).then_some(()));
    program.until_other("the picture to move again", &standing, Area::Outside, 100);
    program.quit_with("q");
}

#[test]
fn the_window_shows_what_the_snapshot_shows() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start(&display, sample());
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
fn the_window_survives_every_size() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start(&display, sample());
    let standing = pause(&program);
    let (width, height) = (standing.width, standing.height);

    program.resize(300, 200);
    let small = program.settled();
    assert_eq!((small.width, small.height), (300, 200));
    assert!(small.colours() > 100, "nothing but {} colours at 300x200", small.colours());

    // Extreme sizes, which may trouble the layout or the surface, then back to the first size, to the pixel.
    for (width, height) in [(1, 1), (1700, 40), (40, 1100)] {
        program.resize(width, height);
        program.settled();
    }
    program.resize(width, height);
    until("the first size to show the first picture", PATIENCE, || {
        let now = program.picture();
        (now.differing(&standing, Area::Below) == 0).then_some(())
    });

    // Hidden and shown again, as when minimised.
    program.hide();
    program.show();
    until("the picture to come back after hiding", PATIENCE, || {
        let now = program.picture();
        (now.differing(&standing, Area::Below) == 0).then_some(())
    });

    // Without a window manager, the window may or may not fill the screen. It must keep working either way.
    program.key("f");
    program.settled();
    program.key("f");
    program.settled();
    program.key("space");
    let now = program.picture();
    until("the picture to move after all that", PATIENCE, || {
        let later = program.picture();
        (later.size() != now.size() || later.differing(&now, Area::Outside) > 100).then_some(())
    });

    // While playing, with frames under way.
    for (width, height) in [(300, 200), (width, height), (641, 359), (width, height)] {
        program.resize(width, height);
        let now = program.picture();
        until("the picture to move at the new size", PATIENCE, || {
            let later = program.picture();
            (later.size() != now.size() || later.differing(&now, Area::Outside) > 20).then_some(())
        });
    }
    program.quit_with("q");
}

#[test]
fn the_controls_come_with_the_pointer_and_go_without_a_trace() {
    let _turn = alone();
    let display = Display::start();
    let program = Program::start(&display, sample());
    program.take_pointer_away();
    let bare = pause(&program);
    program.point(600, 300);
    let shown = until("the controls to come", PATIENCE, || {
        let now = program.picture();
        (now.differing(&bare, Area::Everywhere) > 10_000).then_some(now)
    });
    for histogram in [Area::Left, Area::Right] {
        // The pixel under the pointer is marked with a line for each channel. Nothing is covered.
        assert!(shown.differing(&bare, histogram) < 5_000, "the controls cover {histogram:?}");
    }
    program.until_same("the controls to fade without a trace", &bare, Area::Everywhere);

    // They are still there after more than two seconds while they are pinned.
    program.after(|| program.key("Tab"), "note: controls stay");
    program.take_pointer_away();
    std::thread::sleep(Duration::from_secs(4));
    assert!(program.picture().differing(&bare, Area::Everywhere) > 10_000, "pinned controls have gone");
    program.after(|| program.key("Tab"), "note: controls fade");
    program.until_same("the controls to go", &bare, Area::Everywhere);

    // No pictures are taken meanwhile, since they cause work for the display. This measures the program alone.
    let before = program.processor_seconds();
    let begin = Instant::now();
    std::thread::sleep(Duration::from_secs(10));
    let share = (program.processor_seconds() - before) / begin.elapsed().as_secs_f64();
    assert!(share < 0.01, "a paused and untouched window uses {:.1} % of a processor", share * 100.0);
    program.quit_with("q");
}

#[test]
fn an_edge_that_is_dragged_while_playing_leaves_everything_alive() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start_with(&display, sample(), &["--loop"]);
    for step in 0..40_u32 {
        // Sizes follow each other without waiting, as when an edge is dragged.
        program.resize_soon(900 + 9 * (step % 20), 500 + 7 * (step % 20));
        std::thread::sleep(Duration::from_millis(16));
    }
    program.resize(1100, 620);
    let now = until("a picture of the last size", PATIENCE, || {
        let picture = program.picture();
        (picture.size() == (1100, 620)).then_some(picture)
    });
    program.until_other("the picture to move at the last size", &now, Area::Outside, 100);
    program.quit_with("q");
}

/// Waits until the window equals a snapshot of the first frame with its histograms. The note on the loss fades.
fn shows_the_first_frame(program: &Program) {
    until("the picture that a snapshot shows", PATIENCE, || {
        let shown = program.picture();
        let snapshot = program.snapshot(sample(), "0", shown.width, shown.height);
        (shown.differing(&snapshot, Area::Everywhere) == 0).then_some(())
    });
}

/// Quits the program, which has logged the loss as an error.
fn quit_after_loss(program: &Program) {
    program.key("q");
    let status = until("q to end the program", PATIENCE, || program.status());
    assert!(status.success(), "{status}: {}", program.log());
    assert!(!program.log().contains("panicked"), "{}", program.log());
}

#[test]
fn everything_is_made_again_once_and_the_picture_comes_back() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start_where(&display, &[sample(), "--loop"], ("HISTOSCOPE_LOSE_AFTER", "12"));
    until("the device to be lost", PATIENCE, || program.log().contains("recreated").then_some(()));
    let now = program.picture();
    program.until_other("the picture to move again", &now, Area::Outside, 100);
    pause(&program);
    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, 0.001));
    shows_the_first_frame(&program);
    quit_after_loss(&program);
}
