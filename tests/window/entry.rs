//! The field for a time or a frame number: it is edited like any text field, and keys in it are not shortcuts.

use crate::picture::Area;
use crate::program::Program;
use crate::{FRAME_SECONDS, near, paused_sample, position_where};

#[test]
fn a_typed_timecode_leads_to_its_frame() {
    let clip = tempfile::Builder::new().suffix(".mov").tempfile().expect("a temporary file");
    let arguments = "-v error -y -f lavfi -i testsrc2=s=320x180:r=25:d=4 -timecode 09:59:59:00 -pix_fmt yuv420p -g 12";
    let mut command = std::process::Command::new("ffmpeg");
    let made = command.args(arguments.split(' ')).arg(clip.path()).status().expect("the ffmpeg command is installed");
    assert!(made.success());
    let file = clip.path().to_str().expect("a plain name");
    let program = Program::start_with(file, &["--start", "10:00:00:10", "--paused"]);
    position_where(&program, "at frame 35", |position| near(position, 1.4, 0.002));
    for (typed, note, frame) in [
        ("09:59:59:05", "note: to 09:59:59:05", 5_u32),
        ("10:00:02:00", "note: to 10:00:02:00", 75),
        ("09:59:58:24", "note: no frame has the timecode 09:59:58:24; the first one has 09:59:59:00", 75),
        ("10:00:00;00", "note: no frame has the timecode 10:00:00;00", 75),
        ("10:00:09:00", "note: to the last frame, 99: there is no frame 250", 99),
    ] {
        program.after(|| program.key("ctrl+g"), "key: EnterTime");
        program.type_text(typed);
        program.after(|| program.key("Return"), note);
        position_where(&program, note, |position| near(position, f64::from(frame) / 25.0, 0.002));
    }
    for (key, note) in [
        ("Home", "note: to the first frame  ·  0:00.000  frame 0  09:59:59:00"),
        ("shift+Right", "note: +1 s  ·  0:01.000  frame 25  10:00:00:00"),
        ("End", "note: to the last frame  ·  0:03.960  frame 99  10:00:02:24"),
    ] {
        let told = program.after(|| program.key(key), note);
        assert!(told.ends_with(note), "the note names another frame too: {told}");
    }
    program.quit_with("q");
}

/// Opens the field, does something in it, and presses Enter. It must lead to this frame.
fn leads_to(program: &Program, what: impl FnOnce(), frame: u32) {
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    what();
    program.after(|| program.key("Return"), &format!("note: to frame {frame}"));
    let wanted = f64::from(frame) * FRAME_SECONDS;
    position_where(program, &format!("at frame {frame}"), |position| near(position, wanted, 0.002));
}

#[test]
fn letters_go_to_the_cursor_and_take_the_place_of_a_selection() {
    let program = paused_sample(&[]);
    let typed = |text: &str, keys: &[&str], more: &str| {
        program.type_text(text);
        keys.iter().for_each(|key| program.key(key));
        program.type_text(more);
    };
    leads_to(&program, || typed("15", &["Left"], "2"), 125);
    leads_to(&program, || typed("29", &["Home", "Delete"], "1"), 19);
    leads_to(&program, || typed("999", &["shift+Left", "shift+Left", "BackSpace", "Home", "shift+End"], "60"), 60);
    leads_to(&program, || typed("777", &["ctrl+a"], "31"), 31);
    program.quit_with("q");
}

#[test]
fn what_is_cut_is_pasted() {
    let program = paused_sample(&[]);
    let what = || {
        program.type_text("41");
        program.key("shift+Home");
        program.key("ctrl+x");
        // Cut text can be pasted once the field has been drawn without it.
        program.settled();
        program.type_text("1");
        program.key("ctrl+v");
    };
    leads_to(&program, what, 141);
    program.quit_with("q");
}

#[test]
fn keys_that_the_field_takes_are_no_shortcuts_and_those_after_it_are() {
    let program = paused_sample(&[]);
    let before = program.settled();
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    let open = program.settled();
    assert!(open.differing(&before, Area::Everywhere) > 1_000, "no field is to be seen");
    for key in ["q", "space", "Tab", "Right", "r", "ctrl+o", "alt+Up", "Home"] {
        program.key(key);
    }
    program.key("Return");
    // An invalid text keeps the field open.
    program.after(|| program.key("Return"), "is neither a time, a timecode nor a frame");
    assert!(!program.log().contains("key: Change"), "{}", program.log());
    assert!(program.is_running() && program.title().paused);
    program.key("Escape");
    program.until_same("the field to close without a trace", &before, Area::Everywhere);
    // Keys right after Enter no longer go to the field.
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.type_text("8");
    program.after(
        || {
            program.key("Return");
            program.key("r");
        },
        "note: red off",
    );
    // Esc in the same moment goes to the field.
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.type_text("9");
    program.after(|| program.keys(&["Return", "Escape"]), "note: nothing left to close: q quits");
    program.quit_with("q");
}
