//! The menu by keys: arrows, first letters, Enter and Esc, and entries that are disabled when they would have no
//! effect.

use crate::hands::{choose, entry};
use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{paused_sample, sample};

/// Presses a key. It must select this line of the menu.
fn leads_to(program: &Program, key: &str, words: &str) {
    program.after(|| program.key(key), &format!("menu: {words} is chosen"));
}

#[test]
fn arrows_letters_enter_and_esc_lead_through_the_menu() {
    let program = paused_sample(&[]);
    let bare = program.settled();
    choose(&program, &[]);
    leads_to(&program, "Down", "Open a file …");
    leads_to(&program, "Down", "Play");
    leads_to(&program, "f", "Full screen");
    leads_to(&program, "Down", "Change fit (now: cover)");
    leads_to(&program, "Up", "Full screen");
    program.after(|| program.key("Return"), "key: ToggleFullscreen");
    program.after(|| program.key("Escape"), "note: full screen off");
    // Nothing can be undone yet. The up arrow at the top leads to the end, skipping disabled lines.
    choose(&program, &[]);
    leads_to(&program, "Up", "All keys");
    leads_to(&program, "s", "Scopes");
    leads_to(&program, "s", "Show numbers");
    leads_to(&program, "s", "Show the lab");
    leads_to(&program, "s", "Show zebra");
    leads_to(&program, "c", "Change focus peaking (now: off)");
    leads_to(&program, "c", "Change codes in pixels (now: decimal)");
    leads_to(&program, "c", "Change tone map (now: BT.2390)");
    leads_to(&program, "c", "Copy the values");
    leads_to(&program, "c", "Copy the picture");
    leads_to(&program, "c", "Change fit (now: cover)");
    leads_to(&program, "c", "Channels");
    leads_to(&program, "Right", "Hide red");
    leads_to(&program, "Down", "Hide green");
    program.after(|| program.key("Return"), "note: green off");
    program.after(|| program.key("ctrl+z"), "note: undone: green off");
    // Esc only closes it. Letters are shortcuts again.
    choose(&program, &[]);
    leads_to(&program, "Down", "Open a file …");
    let log = program.log().len();
    program.key("Escape");
    program.take_pointer_away();
    program.until_same("no menu", &bare, Area::Below);
    assert!(!program.log()[log..].contains("note: "), "{}", &program.log()[log..]);
    program.after(|| program.key("f"), "key: ToggleFullscreen");
    program.after(|| program.key("Escape"), "note: full screen off");
    program.quit_with("q");
}

#[test]
fn the_menu_opens_by_its_keys_and_closes_by_them() {
    let program = paused_sample(&[]);
    program.take_pointer_away();
    let bare = program.settled();
    for key in ["Menu", "shift+F10"] {
        program.after(|| program.key(key), "menu: All keys at");
        leads_to(&program, "Down", "Open a file …");
        leads_to(&program, "c", "Change fit (now: cover)");
        leads_to(&program, "c", "Channels");
        leads_to(&program, "Right", "Hide red");
        program.after(|| program.key("Return"), "note: red off");
        program.after(|| program.key("ctrl+z"), "note: undone: red off");
        program.after(|| program.key(key), "menu: All keys at");
        program.key(key);
        program.until_same("no menu", &bare, Area::Below);
    }
    program.quit_with("q");
}

#[test]
fn esc_closes_what_has_opened_beside_the_menu_then_the_menu_and_does_not_quit() {
    let program = paused_sample(&[]);
    let has_further = |log: usize| program.log()[log..].contains("menu: Levels: codes at");
    // The pointer selects the line that it rests on.
    choose(&program, &[]);
    let (x, y) = entry(&program, "Scopes");
    program.after(|| program.point(x, y), "menu: Levels: codes at");
    program.after(|| program.key("Escape"), "menu: Scopes is chosen");
    program.settled();
    let log = program.log().len();
    // Keys continue from there, and lead into the submenu again.
    leads_to(&program, "Down", "Bins");
    leads_to(&program, "Up", "Scopes");
    leads_to(&program, "Right", "Hide histograms");
    assert!(has_further(log));
    leads_to(&program, "Escape", "Scopes");
    let log = program.log().len();
    leads_to(&program, "Up", "Channels");
    assert!(!has_further(log), "it opens though the pointer only rests there");
    program.after(|| program.point(x + 60, y), "menu: Levels: codes at");
    program.key("Escape");
    program.key("Escape");
    let log = program.log().len();
    program.after(|| program.key("Escape"), "note: nothing left to close: q quits");
    assert!(!program.log()[log..].contains("menu: "), "the menu is closed");
    program.quit_with("q");
}

#[test]
fn a_further_menu_waits_for_the_pointer_that_crosses_other_lines_on_its_way() {
    let program = paused_sample(&[]);
    choose(&program, &[]);
    let (from_x, from_y) = entry(&program, "Scopes");
    program.after(|| program.point(from_x - 60, from_y), "menu: Levels: codes at");
    program.settled();
    let (to_x, to_y) = entry(&program, "Levels: codes");
    // Moves across the lines below, as by a hand that stops now and then.
    for step in 1..=8 {
        let part = |from: i32, to: i32| from + (to - from) * step / 8;
        program.move_pointer(part(from_x - 60, to_x), part(from_y, to_y));
        program.pass(std::time::Duration::from_millis(130));
    }
    program.after(|| program.clicks(1), "note: levels: codes");
    // When the pointer rests on another line, its submenu replaces the open one.
    choose(&program, &[]);
    program.after(|| program.point(from_x, from_y), "menu: Levels: codes at");
    let (x, y) = entry(&program, "Bins");
    program.after(|| program.point(x, y), "menu: Bins: 100 at");
    // The earlier submenu stays for a third of a second. Then the picture may not change for as long.
    program.pass(std::time::Duration::from_millis(600));
    program.settled();
    let log = program.log().len();
    program.point(x + 20, y);
    program.settled();
    assert!(!program.log()[log..].contains("menu: Levels: codes at"), "the one before has closed");
    program.key("Escape");
    program.key("Escape");
    program.quit_with("q");
}

#[test]
fn what_cannot_be_done_is_gray_and_what_can_is_offered() {
    let program = paused_sample(&[]);
    let opened = |lines: &[&str]| {
        let log = program.log().len();
        choose(&program, &[]);
        program.settled();
        let told = program.log()[log..].to_owned();
        program.key("Escape");
        program.settled();
        lines.iter().map(|line| told.contains(&format!("menu: {line}"))).collect::<Vec<_>>()
    };
    let lines = ["Undo is gray", "Undo at", "Redo is gray", "Redo at", "Clear the region"];
    assert_eq!(opened(&lines), [true, false, true, false, false], "nothing is chosen yet");
    program.after(|| program.key("r"), "note: red off");
    assert_eq!(opened(&lines), [false, true, true, false, false]);
    program.after(|| choose(&program, &["Undo"]), "note: undone: red off");
    assert_eq!(opened(&lines), [true, false, false, true, false]);
    program.after(|| choose(&program, &["Redo"]), "note: redone: red off");

    program.after(|| choose(&program, &["Show zebra"]), "note: zebra: 95 % and above");
    program.after(|| choose(&program, &["Hide zebra"]), "note: zebra off");
    program.after(|| choose(&program, &["Show marks"]), "note: marks: clipped");
    program.after(|| choose(&program, &["Hide marks"]), "note: marks off");

    program.point(300, 200);
    program.hold("keydown", "shift");
    program.button("mousedown", "1");
    for x in [400, 500, 600] {
        program.move_pointer(x, 300);
    }
    program.button("mouseup", "1");
    program.hold("keyup", "shift");
    program.settled();
    program.after(|| choose(&program, &["Clear the region"]), "note: region cleared: the whole picture is counted");
    assert!(!opened(&lines)[4], "there is no region any more");
    program.after(|| program.key("ctrl+d"), "note: there is no region");
    program.quit_with("q");
}

#[test]
fn the_recent_files_are_led_through_alike() {
    let (home, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for name in ["first.mp4", "second.mp4", "third.mp4"] {
        let path = folder.path().join(name);
        std::fs::copy(sample(), &path).expect("the sample can be copied");
        Program::start_at_home(&[path.to_str().expect("plain"), "--paused"], home.path()).quit_with("q");
    }
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    program.after(|| program.key("ctrl+r"), "menu: third.mp4 at");
    entry(&program, "first.mp4");
    leads_to(&program, "Down", "third.mp4");
    leads_to(&program, "f", "first.mp4");
    leads_to(&program, "Up", "second.mp4");
    program.key("Return");
    until("the second file to be open", PATIENCE, || program.title().text.contains("second.mp4").then_some(()));
    program.after(|| program.key("ctrl+r"), "menu: sample.mp4 at");
    program.key("Escape");
    program.after(|| program.key("r"), "note: red off");
    program.quit_with("q");
}
