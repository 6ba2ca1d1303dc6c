//! Undo and redo.

use std::time::Duration;

use crate::paused_sample;
use crate::picture::Area;
use crate::wait::{PATIENCE, until};
#[test]
fn ctrl_z_takes_back_a_change_at_a_time_and_ctrl_shift_z_makes_it_again() {
    let program = paused_sample(&[]);
    let first = program.settled();
    let undo = |text: &str| program.after(|| program.key("ctrl+z"), &format!("note: undone: {text}"));
    let redo = |text: &str| program.after(|| program.key("ctrl+shift+z"), &format!("note: redone: {text}"));
    program.after(|| program.key("ctrl+z"), "note: nothing to undo");
    // A channel, a fit, several notches of the wheel, a drag of the picture, and an adjustment.
    program.after(|| program.key("r"), "note: red off");
    program.after(|| program.key("c"), "note: fit: contain");
    program.point(640, 200);
    program.turn_wheel(6);
    program.settled();
    program.button("mousedown", "1");
    for x in [620, 600, 580, 560] {
        program.move_pointer(x, 220);
        program.pass(Duration::from_millis(40));
    }
    program.button("mouseup", "1");
    // With the controls, the panel of adjustments would appear too.
    program.take_pointer_away();
    program.settled();
    program.after(|| program.key("z"), "note: 5 levels");
    let last = program.settled();
    undo("5 levels");
    undo("position of the picture");
    undo("zoom");
    undo("fit: contain");
    undo("red off");
    program.after(|| program.key("ctrl+z"), "note: nothing to undo");
    program.until_same("everything to be as at first", &first, Area::Below);
    for text in ["red off", "fit: contain", "zoom", "position of the picture", "5 levels"] {
        redo(text);
    }
    program.after(|| program.key("ctrl+shift+z"), "note: nothing to redo");
    program.until_same("everything to be as at last", &last, Area::Below);
    // A new choice replaces the undone one.
    undo("5 levels");
    program.after(|| program.key("b"), "note: blue off");
    program.after(|| program.key("ctrl+shift+z"), "note: nothing to redo");
    undo("blue off");
    let own = program.settled();
    program.after(|| program.key("m"), "note: matrix bt601 instead of bt709");
    program.after(|| program.key("shift+m"), "note: range full instead of limited");
    program.after(|| program.key("shift+y"), "note: 4:2:0 chroma by field instead of by frame");
    program.after(|| program.key("shift+f"), "note: top field only");
    let read_otherwise = program.settled();
    undo("top field only");
    undo("4:2:0 chroma by field");
    undo("range full");
    undo("matrix bt601");
    program.until_same("the video to be read as it says", &own, Area::Below);
    redo("matrix bt601");
    redo("range full");
    redo("4:2:0 chroma by field");
    redo("top field only");
    program.until_same("it to be read otherwise again", &read_otherwise, Area::Below);
    program.quit_with("q");
}

#[test]
fn a_held_key_and_a_drag_of_a_slider_are_one_step_each() {
    let program = paused_sample(&[]);
    program.hold("keydown", "plus");
    until("the histograms to grow several times", PATIENCE, || {
        (program.log().matches("note: histogram height").count() >= 4).then_some(())
    });
    program.hold("keyup", "plus");
    program.settled();
    program.after(|| program.key("ctrl+z"), "note: undone: histogram height: ");
    program.after(|| program.key("ctrl+z"), "note: nothing to undo");
    program.after(|| program.key("minus"), "note: histogram height: 20 %");
    program.after(|| program.key("ctrl+z"), "note: undone: histogram height: 20 %");

    program.after(|| program.key("u"), "note: low-pass 9×9");
    program.after(|| program.key("shift+a"), "key: TogglePanel(Adjusting)");
    program.point(192, 132);
    program.settled();
    program.button("mousedown", "1");
    for x in [210, 230, 250, 270] {
        program.move_pointer(x, 132);
        program.pass(Duration::from_millis(60));
    }
    program.settled();
    assert!(program.log().matches("chosen: low-pass").count() >= 2, "the drag made one step only");
    // The key arrives before any drawing has processed the rest of the drag.
    program.after(|| program.let_go_and_press((310, 132), "ctrl+z"), "note: undone: low-pass");
    program.take_pointer_away();
    program.settled();
    program.after(|| program.key("ctrl+z"), "note: undone: low-pass 9×9");
    program.after(|| program.key("ctrl+z"), "note: nothing to undo");
    program.quit_with("q");
}
