//! Live sources in the window: a sender that has not started, one that stops, and one that resumes.

use crate::picture::Area;
use crate::program::{Program, Time};
use crate::sender::{Sender, free_port};
use crate::wait::{PATIENCE, until};

const SENT: &str = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts";

#[test]
fn a_sender_that_comes_late_and_stops_and_comes_back_is_told_and_the_window_goes_on_answering() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let program = Program::start_in_time(Time::Real, &[&address]);
    // There is no sender: the window opens, finally says so, and reacts to input.
    let before = program.settled();
    program.after(|| program.key("space"), "note: nothing is open yet");
    // It may already have been shown.
    until("the sentence", PATIENCE, || program.log().contains("nothing received from 127.0.0.1:").then_some(()));
    program.until_other("the sentence to be seen", &before, Area::Everywhere, 500);

    let sender = Sender::moving("320x180", SENT, &address);
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    // The window's size was not set, so it takes the picture's, as far as that can be read.
    until("the window to fit", PATIENCE, || (program.picture().size() == (480, 270)).then_some(()));
    let now = program.picture();
    program.until_other("the picture to move", &now, Area::Outside, 100);
    program.after(|| program.key("bracketright"), "note: live: ");
    program.after(|| program.key("ctrl+g"), "note: live: ");
    program.after(|| program.key("BackSpace"), "note: live: ");

    drop(sender);
    until("the loss to be told", PATIENCE, || program.log().contains("no signal since").then_some(()));
    let lost = program.settled();
    assert!(lost.colours() > 30, "the last picture is gone");
    program.after(|| program.key("g"), "note: green off");
    program.after(|| program.key("g"), "note: green on");
    let _sender = Sender::moving(
        "480x270",
        &SENT.replace("libx264", "mpeg2video").replace("-preset ultrafast -tune zerolatency", ""),
        &address,
    );
    program.then("note: the signal is back, now mpeg2video instead of h264, 480×270 instead of 320×180");
    let now = program.picture();
    program.until_other("the picture to move again", &now, Area::Outside, 100);
    program.quit_with("q");
}

#[test]
fn a_window_keeps_the_size_that_it_was_given_while_it_waited_and_what_it_has_kept_when_q_is_pressed_once() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let program = Program::start_in_time(Time::Real, &[&address]);
    program.resize(800, 600);
    until("the size", PATIENCE, || (program.picture().size() == (800, 600)).then_some(()));
    let _sender = Sender::moving("320x180", SENT, &address);
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    let now = program.picture();
    program.until_other("the picture to move", &now, Area::Outside, 100);
    assert_eq!(program.picture().size(), (800, 600));
    until("half a minute", PATIENCE, || (position_secs(&program) > 31.0).then_some(()));
    program.after(|| program.key("Escape"), "note: nothing left to close: q quits");
    program.after(|| program.key("q"), "note: press q again to quit and lose 3");
    program.quit_with("q");
}

#[test]
fn keys_and_the_timeline_lead_back_in_what_is_kept_and_on_with_the_newest_picture() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let _sender = Sender::moving("320x180", SENT, &address);
    let program = Program::start_in_time(Time::Real, &[&address]);
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    // Some packets have to be kept first.
    program.pass(std::time::Duration::from_secs(3));
    program.after(|| program.key("Left"), "note: −5 s");
    until("the hold", PATIENCE, || program.title().text.contains("[paused]").then_some(()));
    let oldest = program.settled();
    program.after(|| program.key("End"), "note: to the newest picture");
    until("the picture to go on", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    program.until_other("the picture to move", &oldest, Area::Outside, 100);
    program.after(|| program.key("Home"), "note: to the oldest stored picture");
    until("the hold", PATIENCE, || program.title().text.contains("[paused]").then_some(()));
    program.key("space");
    until("the picture to go on", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    // A click in the middle of the timeline, and one at its end.
    program.resize(1280, 720);
    program.point(600, 300);
    program.move_pointer(640, 26);
    program.clicks(1);
    until("the hold", PATIENCE, || program.title().text.contains("[paused]").then_some(()));
    program.move_pointer(1254, 26);
    program.clicks(1);
    until("the picture to go on", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    program.quit_with("q");
}

/// Returns the position of the picture on screen, in seconds from the first one received.
fn position_secs(program: &Program) -> f64 {
    let title = program.title().text;
    let time =
        title.split_once(" — ").and_then(|(_, rest)| rest.split([' ', '[']).next()).expect("a time in the title");
    time.split(':').fold(0.0, |secs, part| secs * 60.0 + part.parse::<f64>().expect("a number"))
}

#[test]
fn pictures_that_memory_has_no_room_for_are_decoded_again_from_what_was_received() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let _sender = Sender::moving("640x360", SENT, &address);
    // Six pictures fill the half of the memory for pictures.
    let program = Program::start_in_time(Time::Real, &[&address, "--cache-mb", "4"]);
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    until("some seconds", PATIENCE, || (position_secs(&program) > 6.0).then_some(()));
    program.after(|| program.key("Left"), "note: −5 s");
    let held = || program.title().text.contains("[paused]");
    let there = until("the picture of then", PATIENCE, || {
        let at = position_secs(&program);
        (held() && at < 5.0).then_some(at)
    });
    let shown = program.settled();
    // One frame forward and back gives the same picture, and Space continues with the newest.
    program.key("period");
    until("the next one", PATIENCE, || (position_secs(&program) > there).then_some(()));
    program.key("comma");
    until("the same one", PATIENCE, || (position_secs(&program) == there).then_some(()));
    assert!(held() && program.settled().differing(&shown, Area::Below) == 0, "it is another picture");
    program.key("space");
    let now = until("the newest", PATIENCE, || {
        let at = position_secs(&program);
        (!held() && at > there + 5.0).then_some(at)
    });
    until("it to go on", PATIENCE, || (position_secs(&program) > now + 0.5).then_some(()));
    program.quit_with("q");
}

#[test]
fn what_is_seen_of_a_live_source_stands_behind_its_timeline() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let _sender = Sender::moving("320x180", SENT, &address);
    // Other windows in these tests have no strip.
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = Program::start_at_home_in_time(Time::Real, &[&address], home.path());
    until("the picture", PATIENCE, || program.title().text.contains("[live]").then_some(()));
    // The number of exact columns depends on the frames that a slow machine drops.
    until("frames to be counted", PATIENCE, || {
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains("columns exact"))?;
        let frames = line.split_once("strip: ")?.1.split(' ').next()?.parse::<u64>().ok()?;
        (frames > 20).then_some(())
    });
    program.resize(1280, 720);
    program.point(600, 300);
    program.after(|| program.key("shift+Next"), "note: no cuts are known: this input cannot be read ahead");
    // It continues while the strip is shown, and ends when it is hidden.
    program.after(|| program.key("shift+t"), "note: timeline strip: tall");
    let before = program.log().len();
    until("more of it", PATIENCE, || program.log()[before..].contains("columns exact").then_some(()));
    program.after(|| program.key("shift+t"), "note: timeline strip: off");
    // A thread of the lowest priority takes its time to notice.
    until("counting to end", PATIENCE, || {
        let before = program.log().len();
        program.pass(std::time::Duration::from_secs(2));
        (!program.log()[before..].contains("columns exact")).then_some(())
    });
    program.quit_with("q");
}

#[test]
fn q_ends_a_window_whose_sender_never_comes() {
    let program = Program::start(&format!("udp://127.0.0.1:{}", free_port()));
    program.quit_with("q");
}
