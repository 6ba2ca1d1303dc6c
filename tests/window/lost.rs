//! The loss of the graphics device. The program loses it on request.

use crate::picture::Area;
use crate::program::Program;
use crate::sample;
use crate::wait::{PATIENCE, until};

const LOSE_AFTER: &str = "HISTOSCOPE_LOSE_AFTER";

/// Waits until the window equals a snapshot of the first frame with its histograms. The note on the loss fades.
fn shows_the_first_frame(program: &Program) {
    let (width, height) = program.picture().size();
    let snapshot = program.snapshot(sample(), "0", width, height);
    program.until_same("the picture that a snapshot shows", &snapshot, Area::Everywhere);
}

/// Quits the program, which has logged the loss as an error.
fn quit(program: &Program) {
    program.key("q");
    let status = until("q to end the program", PATIENCE, || program.status());
    assert!(status.success(), "{status}: {}", program.log());
    assert!(!program.log().contains("panicked"), "{}", program.log());
}

#[test]
fn a_paused_picture_and_its_counts_come_back() {
    for engine in ["cpu", "gpu"] {
        let arguments = [sample(), "--paused", "--engine", engine];
        let program = Program::start_where(&arguments, (LOSE_AFTER, "8"));
        program.take_pointer_away();
        // The loss happens at a drawing. In the end, every channel is shown again.
        until("the device to be lost", PATIENCE, || {
            for note in ["note: green off", "note: green on"] {
                program.after(|| program.key("g"), note);
            }
            program.log().contains("recreated").then_some(())
        });
        shows_the_first_frame(&program);
        quit(&program);
    }
}

#[test]
fn a_device_that_is_lost_again_ends_the_program_with_a_clear_message() {
    let program = Program::start_where(&[sample(), "--loop"], (LOSE_AFTER, "12,150"));
    let status = until("the program to end", PATIENCE, || program.status());
    let log = program.log();
    assert_eq!(status.code(), Some(1), "{log}");
    let last =
        log.lines().rfind(|line| line.starts_with("histoscope: ")).unwrap_or_else(|| panic!("no message: {log}"));
    assert!(last.contains("graphics device") && last.contains("lost again"), "{last}");
    assert!(last.contains("--adapter"), "no advice: {last}");
    assert!(!log.contains("panicked"), "{log}");
}
