//! The opening of the window, and events from the display.

use std::time::Duration;

use crate::display::Display;
use crate::picture::Area;
use crate::program::{self, Program};
use crate::wait::{PATIENCE, until};
use crate::{alone, sample, turn};

#[test]
fn a_window_without_a_video_says_what_to_do_and_waits_for_nothing() {
    let _turn = alone();
    let display = Display::start();
    let program = Program::start_on(&display, &[]);
    let empty = program.settled();
    assert_eq!(program.title().text, "Histoscope");
    // Desktops find the program's entry and icon by the window's class.
    let entry = include_str!("../../assets/desktop/org.histoscope.Histoscope.desktop");
    let class = entry.lines().find_map(|line| line.strip_prefix("StartupWMClass=")).expect("a class");
    let found = display.xdotool(&["search", "--onlyvisible", "--class", &format!("^{class}$")]);
    assert_eq!(found.map(|windows| windows.lines().count()), Ok(1), "windows of the class {class}");
    // Keys that need a video say so, and the others work.
    program.after(|| program.key("space"), "note: nothing is open yet");
    program.key("question");
    program.until_other("the help sheet to open", &empty, Area::Everywhere, 20_000);
    program.key("Escape");
    program.until_same("everything to be as before", &empty, Area::Everywhere);
    program.take_pointer_away();
    let before = program.processor_seconds();
    std::thread::sleep(Duration::from_secs(3));
    let used = program.processor_seconds() - before;
    assert!(used <= 0.03, "an empty window uses {used} s of processor time in 3 s");
    program.quit_with("q");
}

#[test]
fn a_display_without_an_adapter_is_told_in_one_line() {
    let _turn = turn();
    let display = Display::start();
    let runtime = tempfile::tempdir().expect("a folder");
    let ended = |arguments: &[&str]| {
        let mut command = program::command(&display, &runtime);
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.env(name, "/nonexistent");
        }
        let output = command.arg(sample()).args(arguments).env("RUST_LOG", "error").output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for arguments in [&[][..], &["--adapter", "llvmpipe"], &["--engine", "cpu"]] {
        let (code, text) = ended(arguments);
        let is_told = text.starts_with("histoscope: no graphics adapter was found; install a Vulkan driver");
        assert!(code == Some(1) && is_told && text.lines().count() == 1, "{arguments:?}: {code:?} {text}");
    }
}

#[test]
fn a_screen_is_shown_as_it_changes_and_its_end_is_told() {
    let _turn = alone();
    let [watched, display] = [Display::start(), Display::start()];
    let playing = Program::start(&watched, sample());
    let program = Program::start(&display, &format!("av://x11grab:{}", watched.name()));
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    let now = program.picture();
    program.until_other("what plays on the other screen", &now, Area::Outside, 100);
    program.after(|| program.key("ctrl+g"), "note: live: ");
    program.after(|| program.key("Left"), "note: −5 s");
    program.after(|| program.key("End"), "note: to the newest picture");
    playing.quit_with("q");
    drop(playing);
    drop(watched);
    until("the loss to be told", PATIENCE, || program.log().contains("no signal since").then_some(()));
    program.after(|| program.key("g"), "note: green off");
    program.quit_with("q");
}
