//! Guides: by key and menu, as `snapshot` draws them, in saved views, and for the next run.

use std::process::Command;

use crate::hands::choose;
use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::sample;
use crate::wait::{PATIENCE, output_of};

fn paused_at_home(home: &tempfile::TempDir) -> Program {
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    program.take_pointer_away();
    program
}

#[test]
fn guides_are_alike_in_the_window_and_wherever_it_is_saved_and_are_kept() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = paused_at_home(&home);
    let bare = program.settled();
    program.after(|| program.key("shift+o"), "note: guides: safe areas");
    program.after(|| choose(&program, &["Guides", "Aspect mask: 1:1"]), "note: aspect mask: 1:1");
    program.after(|| choose(&program, &["Guides", "Show 4:3 caption"]), "note: 4:3 caption on");
    program.after(|| choose(&program, &["Guides", "Show centre cross"]), "note: centre cross on");
    program.take_pointer_away();
    let expected = program.snapshot_with(sample(), "0", bare.size(), &["--guides", "safe,caption,cross,1:1"]);
    program.until_same("what snapshot draws", &expected, Area::Below);
    let saved = program.after(|| program.key("shift+s"), "note: saved ");
    let name = saved.split("saved ").nth(1).and_then(|rest| rest.split(" and ").next()).expect("a name");
    let saved = Picture::from_png(&program.folder().join(name)).expect("a picture");
    assert_eq!(saved.differing(&expected, Area::Everywhere), 0, "the saved view has other guides");
    program.after(|| program.key("shift+o"), "note: guides off");
    program.until_same("no guides", &bare, Area::Below);
    for (width, height) in [(480, 270), (2560, 1440), (1280, 720)] {
        program.resize(width, height);
        let bare = program.settled();
        program.after(|| program.key("shift+o"), "note: guides: safe areas, 4:3 caption, cross, mask 1:1");
        let shown = program.settled();
        assert!(shown.differing(&bare, Area::Outside) > 2_000, "{width}×{height} has no guides");
        assert_eq!(shown.differing(&bare, Area::Left) + shown.differing(&bare, Area::Right), 0, "over histograms");
        program.after(|| program.key("shift+o"), "note: guides off");
        program.until_same("no guides", &bare, Area::Below);
    }
    program.after(|| choose(&program, &["Guides", "Another aspect …"]), "entry: open for an aspect");
    program.type_text("wide");
    program.after(|| program.key("Return"), "entry: ‘wide’ is not an aspect from 0.1 to 10");
    program.key("ctrl+a");
    program.type_text("3:2");
    program.after(|| program.key("Return"), "note: aspect mask: 1.5:1");
    program.after(|| program.key("ctrl+z"), "note: undone: aspect mask: 1.5:1");
    program.after(|| program.key("ctrl+shift+z"), "note: redone: aspect mask: 1.5:1");
    program.quit_with("q");

    let program = paused_at_home(&home);
    program.after(|| program.key("shift+o"), "note: guides off");
    program.after(|| program.key("shift+o"), "note: guides: mask 1.5:1");
    program.quit_with("q");
}

#[test]
fn a_picture_of_three_by_three_has_none_and_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clip = folder.path().join("tiny.nut");
    let arguments = "-v error -y -f lavfi -i testsrc2=s=64x36:d=1,crop=3:3 -c:v ffv1";
    output_of(Command::new("ffmpeg").args(arguments.split(' ')).arg(&clip), PATIENCE).expect("a clip");
    let program = Program::start_with(sample(), &["--paused"]);
    program.after(|| program.command(&format!("drop {}", clip.display())), "note: tiny.nut");
    program.after(|| program.key("shift+o"), "note: guides: safe areas; this picture has no room for them");
    program.after(|| program.key("shift+7"), "note: aspect mask: 2.39:1; this picture has no room for them");
    for side in [1, 3, 40] {
        program.resize(side, side);
        program.settled();
    }
    program.quit_with("q");
}
