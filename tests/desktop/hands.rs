//! Real keys, buttons and wheels, on keyboards of several countries.

use std::time::Duration;

use crate::display::Display;
use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{near, pause, paused_sample, position_where, sample, turn};

/// A point of the picture, away from the controls and the histograms.
const PICTURE: (i32, i32) = (640, 330);

/// Presses and releases the left button twice, as fast as xdotool can.
fn double_click(program: &Program, (x, y): (i32, i32)) {
    program.point(x, y);
    program.clicks(2);
}

#[test]
fn plus_enlarges_on_every_keyboard() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    // By place: 21 is right of the zero's right neighbour, 35 right of P's, 20 right of the zero, 15 and 17 bear 6 and 8.
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("us", &["21", "shift+21"], &["20"]),
        ("de", &["35"], &["61"]),
        ("fr", &["shift+21", "21"], &["15"]),
        ("ru", &["21", "shift+21"], &["20"]),
    ];
    for (layout, larger, smaller) in cases {
        program.set_layout(layout);
        for key in larger {
            program.after(|| program.key(key), "note: histogram height: 30 %");
            program.after(|| program.key(smaller[0]), "note: histogram height: 25 %");
            let line = program.after(|| program.key(&format!("alt+{key}")), "note: histogram opacity");
            assert!(line.contains("100 %"), "{layout} alt+{key}: {line}");
        }
        program.after(|| program.key(&format!("alt+{}", smaller[0])), "note: histogram opacity: 90 %");
        program.after(|| program.key(&format!("alt+{}", larger[0])), "note: histogram opacity: 100 %");
    }
    program.set_layout("us");
    program.quit_with("q");
}

#[test]
fn the_keys_of_digits_are_the_same_on_every_keyboard() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &["--zebra", "60"]);
    program.after(|| program.key("9"), "note: zebra off");
    // By place: 14, 16, 17 and 18 bear 5, 7, 8 and 9. French, Belgian and Czech keyboards type those with Shift.
    for layout in ["us", "de", "fr", "be", "cz"] {
        program.set_layout(layout);
        program.after(|| program.key("18"), "note: zebra: 60 % and above");
        program.after(|| program.key("16"), "note: zebra: 59 % and above");
        program.after(|| program.key("17"), "note: zebra: 60 % and above");
        program.after(|| program.key("18"), "note: zebra off");
        program.after(|| program.key("14"), "note: false colour: ");
        program.after(|| program.key("shift+14"), "note: false colour: ");
        program.after(|| program.key("14"), "note: false colour off");
        program.after(|| program.key("shift+18"), "note: marks: clipped");
        program.after(|| program.key("shift+17"), "note: marks: outside EBU R 103");
        program.after(|| program.key("shift+17"), "note: marks: at or below");
        program.after(|| program.key("shift+17"), "note: marks: clipped");
        program.after(|| program.key("shift+18"), "note: marks off");
    }
    // Bépo has + and - where 7 and 8 are: the signs are what they say, and the digits come with Shift.
    program.set_layout("fr(bepo)");
    program.after(|| program.key("16"), "note: histogram height: 30 %");
    program.after(|| program.key("17"), "note: histogram height: 25 %");
    program.after(|| program.key("18"), "note: zebra: 60 % and above");
    program.after(|| program.key("shift+16"), "note: zebra: 59 % and above");
    program.after(|| program.key("shift+17"), "note: zebra: 60 % and above");
    program.after(|| program.key("18"), "note: zebra off");
    program.after(|| program.key("shift+18"), "note: marks: clipped");
    program.set_layout("us");
    program.quit_with("q");
}

#[test]
fn esc_never_quits_from_the_full_screen() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start_with(&display, sample(), &["--fullscreen", "--paused"]);
    program.after(|| program.key("Escape"), "note: full screen off");
    assert!(program.is_running());
    program.quit_with("q");
}

#[test]
fn a_double_click_fills_the_screen_and_moves_nothing() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    let before = program.settled();
    program.after(|| double_click(&program, PICTURE), "key: ToggleFullscreen");
    program.after(|| program.key("Escape"), "note: full screen off");
    // A hand that trembles while clicking, and one that moves before it releases.
    program.point(PICTURE.0, PICTURE.1);
    program.clicks(1);
    program.move_pointer(PICTURE.0 + 2, PICTURE.1 + 1);
    let line = program.after(|| program.button("mousedown", "1"), "note: full screen");
    assert!(line.contains("Esc"), "{line}");
    program.move_pointer(PICTURE.0 + 40, PICTURE.1 + 60);
    program.button("mouseup", "1");
    program.after(|| double_click(&program, (500, 200)), "note: full screen off");
    program.take_pointer_away();
    assert!(program.title().paused, "a double-click plays");
    program.until_same("the picture to be where it was", &before, Area::Below);
    // Two clicks at different places, or with a long pause, are not a double-click.
    let log = program.log().len();
    program.point(300, 250);
    program.clicks(1);
    program.move_pointer(420, 300);
    program.clicks(1);
    std::thread::sleep(Duration::from_millis(800));
    program.clicks(1);
    program.settled();
    assert!(!program.log()[log..].contains("ToggleFullscreen"), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn a_held_arrow_scrubs_and_settles_when_it_is_let_go() {
    let _turn = turn();
    let display = Display::start();
    let clip = crate::long_clip();
    let program = Program::start(&display, clip.path().to_str().expect("a plain name"));
    pause(&program);
    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, 0.01));
    program.hold("keydown", "Right");
    let mut seen: Vec<f64> = Vec::new();
    until("several pictures while the key is held", PATIENCE, || {
        let position = program.title().position?;
        if seen.last().is_none_or(|&last| position > last) {
            seen.push(position);
        }
        (seen.len() >= 5).then_some(())
    });
    program.hold("keyup", "Right");
    program.settled();
    let position = program.title().position.expect("a position");
    // Five seconds each time, from the beginning, and frames every tenth of a second.
    let rest = position.rem_euclid(5.0);
    assert!(!(0.01..=4.99).contains(&rest), "the key led to {position}, which is no exact frame of it");
    assert!(position >= *seen.last().expect("positions") - 0.11, "it has settled behind: {position}, {seen:?}");
    program.quit_with("q");
}

#[test]
fn buttons_do_what_their_keys_do() {
    let _turn = turn();
    let display = Display::start();
    let program = Program::start(&display, sample());
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

#[test]
fn the_wheel_tells_how_large_the_picture_is_shown() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    program.point(640, 360);
    let note = program.after(|| program.button("click", "4"), "note: zoom 1");
    assert!(note.ends_with("note: zoom 115 %"), "{note}");
    program.after(|| program.key("c"), "note: fit: contain  ·  100 %");
    program.quit_with("q");
}

#[test]
fn keys_of_each_kind_are_what_they_are_called() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    for (key, action) in [
        ("o", "ToggleLoop"),
        ("o", "ToggleLoop"),
        ("shift+v", "NextArrangement"),
        ("bracketright", "Speed(By("),
        ("BackSpace", "Speed(Normal)"),
        ("End", "ToEnd"),
        ("Home", "ToStart"),
        ("period", "Step { forward: true }"),
        ("comma", "Step { forward: false }"),
        ("Next", "OtherFile { forward: true }"),
        ("Prior", "OtherFile { forward: false }"),
        ("Tab", "TogglePinned"),
        ("Left", "SeekBy { secs: -5.0, exact: false }"),
        ("shift+Right", "SeekBy { secs: 1.0, exact: true }"),
        ("alt+Up", "Parameter"),
        ("ctrl+z", "Undo"),
    ] {
        program.after(|| program.key(key), &format!("key: {action}"));
    }
    // By key code, since with newer keyboard maps xdotool adds Shift to the name.
    program.after(|| program.key("67"), "key: ToggleHelp");
    program.key("Escape");
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.type_text("0:02");
    program.after(|| program.key("Return"), "note: to 0:02.000");
    program.after(|| program.key("space"), "key: TogglePause");
    program.quit_with("q");
}
