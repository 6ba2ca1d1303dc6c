//! The ways of opening videos in the window, and the window without a video.

use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{pause, sample};

#[test]
fn files_follow_each_other_and_a_broken_one_is_told_and_passed_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [second, letter] = ["second.mp4", "letter.txt"].map(|name| folder.path().join(name));
    std::fs::copy(sample(), &second).expect("the sample can be copied");
    std::fs::write(&letter, "Dear reader, this is no video.").expect("a file can be written");
    let names = [sample(), letter.to_str().expect("plain"), second.to_str().expect("plain")];
    let program = Program::start_on(&names);

    let line = program.after(|| program.key("Next"), "note: ");
    assert!(line.contains("letter.txt: not a video"), "{line}");
    assert!(program.title().text.contains("sample.mp4"), "{:?}", program.title().text);
    // The old video plays on.
    let now = program.picture();
    program.until_other("the old video to play on", &now, Area::Outside, 100);
    program.after(|| program.key("Next"), "note: second.mp4  (3 of 3)");
    until("the title to name the next file", PATIENCE, || program.title().text.contains("second.mp4").then_some(()));
    program.after(|| program.key("Next"), "note: this is the last file");

    // A file that is deleted while it is open stays on screen.
    std::fs::remove_file(&second).expect("the file can be removed");
    let standing = pause(&program);
    program.key("Home");
    program.until_other("the picture to change", &standing, Area::Outside, 100);
    // After leaving it, it cannot be opened again, and a note says so.
    program.after(|| program.key("Prior"), "note: ");
    program.after(|| program.key("Prior"), "note: sample.mp4  (1 of 3)");
    program.key("Next");
    let line = program.after(|| program.key("Next"), "second.mp4: no such file");
    assert!(line.contains("check the spelling"), "{line}");
    program.quit_with("q");
}

#[test]
fn choices_last_unless_they_are_not_to() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = Program::start_at_home(&[sample()], home.path());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.after(|| program.key("g"), "note: green off");
    program.quit_with("q");
    let program = Program::start_at_home(&[sample()], home.path());
    program.after(|| program.key("g"), "note: green on");
    program.after(|| program.key("shift+v"), "note: arrangement: parade");
    program.quit_with("q");
    let program = Program::start_at_home(&[sample(), "--no-config"], home.path());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.quit_with("q");

    // Invalid settings are reported, moved aside and replaced by defaults.
    let file = home.path().join("histoscope/settings.json");
    std::fs::write(&file, "{ nonsense").expect("the settings can be written");
    let program = Program::start_at_home(&[sample()], home.path());
    assert!(program.log().contains("is malformed"), "{}", program.log());
    program.after(|| program.key("shift+v"), "note: arrangement: combined");
    program.quit_with("q");
    let aside = std::fs::read_to_string(file.with_file_name("settings.unreadable.json"));
    assert_eq!(aside.expect("the file was kept"), "{ nonsense");
}

#[test]
fn a_first_file_that_cannot_be_opened_is_told_and_the_next_one_is_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let letter = folder.path().join("letter.txt");
    std::fs::write(&letter, "Dear reader, this is no video.").expect("a file can be written");
    let letter = letter.to_str().expect("plain");
    let program = Program::start_on(&[letter, "nowhere.mp4", sample(), letter]);
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
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cut = folder.path().join("cut.mp4");
    let bytes = std::fs::read(sample()).expect("the sample is there");
    std::fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).expect("a file can be written");
    let program = Program::start_on(&[cut.to_str().expect("plain"), sample(), "--paused"]);
    until("the fault", PATIENCE, || program.log().contains("note: the file is incomplete").then_some(()));
    program.after(|| program.key("Next"), "note no longer: the file is incomplete");
    program.quit_with("q");
}
