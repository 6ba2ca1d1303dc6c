//! How videos come into the window, and how a window without one looks.

use std::time::Duration;

use crate::display::Display;
use crate::picture::Area;
use crate::program::{self, Program};
use crate::wait::{PATIENCE, until};
use crate::{alone, pause, sample, turn};

#[test]
fn files_follow_each_other_and_a_broken_one_is_told_and_passed_over() {
    let _turn = turn();
    let display = Display::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [second, letter] = ["second.mp4", "letter.txt"].map(|name| folder.path().join(name));
    std::fs::copy(sample(), &second).expect("the sample can be copied");
    std::fs::write(&letter, "Dear reader, this is no video.").expect("a file can be written");
    let names = [sample(), letter.to_str().expect("plain"), second.to_str().expect("plain")];
    let program = Program::start_on(&display, &names);

    let line = program.after(|| program.key("Next"), "note: ");
    assert!(line.contains("letter.txt: not a video"), "{line}");
    assert!(program.title().text.contains("sample.mp4"), "{:?}", program.title().text);
    // The old video plays on.
    let now = program.picture();
    program.until_other("the old video to play on", &now, Area::Outside, 100);
    program.after(|| program.key("Next"), "note: second.mp4  (3 of 3)");
    until("the title to name the next file", PATIENCE, || program.title().text.contains("second.mp4").then_some(()));
    program.after(|| program.key("Next"), "note: this is the last file");

    // A file that goes away while it is open stays on screen.
    std::fs::remove_file(&second).expect("the file can be removed");
    let standing = pause(&program);
    program.key("Home");
    program.until_other("the picture to change", &standing, Area::Outside, 100);
    // Once left, it cannot be opened again, and that is said.
    program.after(|| program.key("Prior"), "note: ");
    program.after(|| program.key("Prior"), "note: sample.mp4  (1 of 3)");
    program.key("Next");
    let line = program.after(|| program.key("Next"), "second.mp4: no such file");
    assert!(line.contains("check the spelling"), "{line}");
    program.quit_with("q");
}

#[test]
fn a_window_without_a_video_says_what_to_do_and_waits_for_nothing() {
    let _turn = alone();
    let display = Display::start();
    let program = Program::start_on(&display, &[]);
    let empty = program.settled();
    assert_eq!(program.title().text, "Histoscope");
    // Desktops find the program's entry, with its icon, by the window's class.
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
fn choices_last_unless_they_are_not_to() {
    let _turn = turn();
    let display = Display::start();
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = Program::start_at_home(&display, &[sample()], home.path());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.after(|| program.key("g"), "note: green off");
    program.quit_with("q");
    let program = Program::start_at_home(&display, &[sample()], home.path());
    program.after(|| program.key("g"), "note: green on");
    program.after(|| program.key("shift+v"), "note: arrangement: parade");
    program.quit_with("q");
    let program = Program::start_at_home(&display, &[sample(), "--no-config"], home.path());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.quit_with("q");

    // What makes no sense is told, kept aside and done without.
    let file = home.path().join("histoscope/settings.json");
    std::fs::write(&file, "{ nonsense").expect("the settings can be written");
    let program = Program::start_at_home(&display, &[sample()], home.path());
    assert!(program.log().contains("makes no sense"), "{}", program.log());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.quit_with("q");
    let aside = std::fs::read_to_string(file.with_file_name("settings.unreadable.json"));
    assert_eq!(aside.expect("the file was kept"), "{ nonsense");
}

#[test]
fn a_first_file_that_cannot_be_opened_is_told_and_the_next_one_is_shown() {
    let _turn = turn();
    let display = Display::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let letter = folder.path().join("letter.txt");
    std::fs::write(&letter, "Dear reader, this is no video.").expect("a file can be written");
    let letter = letter.to_str().expect("plain");
    let program = Program::start_on(&display, &[letter, "nowhere.mp4", sample(), letter]);
    assert!(program.title().text.contains("sample.mp4"), "{:?}", program.title().text);
    let log = program.log();
    for reason in ["note: ", "letter.txt: not a video", "nowhere.mp4: no such file"] {
        assert!(log.contains(reason), "no '{reason}' in {log}");
    }
    // The files before it are still in the list.
    let line = program.after(|| program.key("Prior"), "note: ");
    assert!(line.contains("nowhere.mp4: no such file"), "{line}");
    program.quit_with("q");
}

#[test]
fn what_is_wrong_with_a_file_is_not_said_of_the_next_one() {
    let _turn = turn();
    let display = Display::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cut = folder.path().join("cut.mp4");
    let bytes = std::fs::read(sample()).expect("the sample is there");
    std::fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).expect("a file can be written");
    let program = Program::start_on(&display, &[cut.to_str().expect("plain"), sample(), "--paused"]);
    until("the fault", PATIENCE, || program.log().contains("note: the file is not whole").then_some(()));
    program.after(|| program.key("Next"), "note no longer: the file is not whole");
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
