//! Habits from other players: Esc, double-clicks, full screen, quick clicks, and keys of every keyboard.

use std::time::Duration;

use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{FRAME_SECONDS, SAMPLE_SECONDS, near, paused_sample, position_where, sample};

/// A point of the picture, away from the controls and the histograms.
const PICTURE: (i32, i32) = (640, 330);

/// Presses and releases the left button twice, as fast as xdotool can.
fn double_click(program: &Program, (x, y): (i32, i32)) {
    program.point(x, y);
    program.clicks(2);
}

#[test]
fn esc_leaves_the_full_screen_then_clears_the_selection_then_closes_panels_and_never_quits() {
    let program = paused_sample(&[]);
    let bare = program.settled();
    // A range of the luminance histogram, a panel, and the full screen.
    program.point(800, 670);
    program.button("mousedown", "1");
    program.move_pointer(850, 670);
    program.move_pointer(900, 670);
    program.button("mouseup", "1");
    program.take_pointer_away();
    let brushed = program.until_other("the brush to light up pixels", &bare, Area::Outside, 5_000);
    program.key("n");
    program.until_other("the numbers to open", &brushed, Area::Everywhere, 5_000);
    program.after(|| program.key("f"), "note: full screen");
    let note = |text: &str| program.after(|| program.key("Escape"), text);
    note("note: full screen off");
    note("note: selection cleared");
    let panel = program.settled();
    assert!(panel.differing(&bare, Area::Outside) > 5_000, "the panel went with the selection");
    program.key("Escape");
    program.until_same("everything to be as at first", &bare, Area::Below);
    for _ in 0..3 {
        note("note: nothing left to close: q quits");
    }
    assert!(program.is_running());
    program.quit_with("q");
}

#[test]
fn a_double_click_fills_the_screen_and_moves_nothing() {
    let program = paused_sample(&[]);
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
    program.pass(Duration::from_millis(800));
    program.clicks(1);
    program.settled();
    assert!(!program.log()[log..].contains("ToggleFullscreen"), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn a_click_on_the_timeline_counts_however_quick_it_is() {
    let program = paused_sample(&[]);
    for (x, part) in [(640, 0.5), (333, 0.25)] {
        program.point(600, 300);
        program.settled();
        program.point(x, 26);
        program.settled();
        // Both events come between two drawings.
        program.clicks(1);
        let wanted = f64::from(x - 26) / f64::from(1254 - 26) * SAMPLE_SECONDS;
        assert!(near(wanted, part * SAMPLE_SECONDS, 0.1));
        position_where(&program, &format!("exactly {wanted:.3} s"), |position| {
            position <= wanted + 0.0015 && wanted < position + FRAME_SECONDS + 0.0015
        });
    }
    program.quit_with("q");
}

#[test]
fn a_click_on_the_timeline_counts_while_the_controls_appear() {
    let program = paused_sample(&[]);
    for (x, part) in [(640, 0.5), (333, 0.25)] {
        program.take_pointer_away();
        program.pass(Duration::from_secs(4));
        // The pointer comes into the window and clicks before anything is drawn.
        for line in [&format!("move {} 26", x + 4), &format!("move {x} 26"), "press 1", "release 1"] {
            program.command(line);
        }
        position_where(&program, "where the click was", |position| near(position, part * SAMPLE_SECONDS, 0.1));
    }
    program.quit_with("q");
}

#[test]
fn a_file_that_is_dragged_over_the_window_is_expected() {
    let program = paused_sample(&[]);
    let bare = program.settled();
    program.after(|| program.command(&format!("hover {}", sample())), "hint: drop to open");
    program.until_other("a frame around the window", &bare, Area::Everywhere, 5_000);
    program.command("hover");
    program.until_same("nothing, once it has left", &bare, Area::Everywhere);
    program.after(|| program.command("hover look.cube"), "hint: drop to apply this LUT");
    program.after(|| program.command(&format!("drop {}", sample())), "note: sample.mp4");
    let log = program.log().len();
    program.settled();
    assert!(!program.log()[log..].contains("hint: "), "it was dropped");
    program.quit_with("q");
}

#[test]
fn a_double_click_on_a_slider_or_its_value_brings_the_first_value_back() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+a"), "key: TogglePanel(Adjusting)");
    program.settled();
    program.after(|| program.key("u"), "note: low-pass 9×9");
    // The size of the low-pass: the slider, and the value at its right.
    let (rail, value) = ((250, 132), (325, 132));
    for place in [rail, value] {
        for _ in 0..4 {
            program.after(|| program.key("alt+Right"), "note: low-pass");
        }
        program.settled();
        program.point(place.0, place.1);
        program.settled();
        program.after(|| program.clicks(2), "chosen: low-pass 9×9");
        program.take_pointer_away();
        program.after(|| program.key("alt+Right"), "note: low-pass 11×11");
        program.after(|| program.key("alt+Left"), "note: low-pass 9×9");
    }
    program.quit_with("q");
}

#[test]
fn a_start_time_is_where_the_first_video_begins() {
    let program = Program::start_with(sample(), &["--start", "0:03.5", "--paused"]);
    position_where(&program, "at 3.5 s", |position| near(position, 3.5, 0.002));
    program.take_pointer_away();
    let there = program.settled();
    let snapshot = program.snapshot(sample(), "3.5", there.width, there.height);
    program.until_same("the frame of that time", &snapshot, Area::Below);
    program.key("Home");
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.quit_with("q");
    let program = Program::start_with(sample(), &["--start", "99", "--paused"]);
    assert!(program.log().contains("note: to the end: the video is 0:10.000 long"), "{}", program.log());
    program.quit_with("q");
}

#[test]
fn a_folder_plays_its_videos_in_natural_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["clip 10.mp4", "clip 9.mp4", "Clip 1.mp4"] {
        std::fs::copy(sample(), folder.path().join(name)).expect("the sample can be copied");
    }
    std::fs::write(folder.path().join("clip 2.txt"), "Dear reader, this is no video.").expect("a file can be written");
    let program = Program::start_on(&[folder.path().to_str().expect("plain")]);
    assert!(program.title().text.contains("Clip 1.mp4"), "{:?}", program.title().text);
    program.after(|| program.key("Next"), "note: clip 9.mp4  (2 of 3)");
    until("the second to be open", PATIENCE, || program.title().text.contains("clip 9.mp4").then_some(()));
    program.after(|| program.key("Next"), "note: clip 10.mp4  (3 of 3)");
    program.quit_with("q");
}

/// Returns the position of an entry in the open menu, as logged by the program.
pub fn entry(program: &Program, words: &str) -> (i32, i32) {
    let line = format!("menu: {words} at ");
    let place = until(&format!("the menu to have '{words}'"), PATIENCE, || {
        let log = program.log();
        log.lines().rfind(|text| text.contains(&line)).and_then(|text| text.split(&line).nth(1)).map(str::to_owned)
    });
    let (x, y) = place.split_once(',').expect("a place");
    (x.parse().expect("a column"), y.parse().expect("a row"))
}

/// Opens the menu and clicks on its entries. The last one is an action.
pub fn choose(program: &Program, entries: &[&str]) {
    program.point(PICTURE.0, PICTURE.1 - 100);
    program.after(|| program.button("click", "3"), "menu: All keys at");
    for words in entries {
        program.settled();
        let (x, y) = entry(program, words);
        program.point(x, y);
        program.settled();
        program.clicks(1);
    }
}

#[test]
fn a_right_click_opens_a_menu_whose_entries_do_what_their_keys_do() {
    let program = paused_sample(&[]);
    let bare = program.settled();
    program.after(|| choose(&program, &["Full screen"]), "key: ToggleFullscreen");
    // Esc closes the menu before it leaves full screen. So does a click outside the menu, which does nothing else.
    choose(&program, &[]);
    entry(&program, "Leave full screen");
    program.key("Escape");
    choose(&program, &[]);
    let log = program.log().len();
    program.point(200, 600);
    program.settled();
    program.clicks(1);
    program.settled();
    assert!(!program.log()[log..].contains("key: "), "{}", program.log());
    program.after(|| program.key("Escape"), "note: full screen off");
    program.take_pointer_away();
    program.until_same("no menu, and nothing selected", &bare, Area::Below);

    program.after(|| choose(&program, &["Channels", "Hide red"]), "note: red off");
    program.after(|| choose(&program, &["Undo"]), "note: undone: red off");
    program.after(|| choose(&program, &["Hide histograms"]), "note: histograms off");
    program.after(|| choose(&program, &["Show histograms"]), "note: histograms on");
    program.after(|| choose(&program, &["Save a labelled picture"]), "note: saved");
    // The pixel where the menu was opened, not one below the menu, nor the whole frame.
    program.after(|| choose(&program, &["Copy the values"]), "note: copied x ");
    choose(&program, &["Play"]);
    until("the menu to play", PATIENCE, || (!program.title().paused).then_some(()));
    program.quit_with("q");
}

#[test]
fn recent_files_are_offered_with_the_place_where_they_were_left() {
    let (home, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let [first, second] = ["first.mp4", "second.mp4"].map(|name| folder.path().join(name));
    for path in [&first, &second] {
        std::fs::copy(sample(), path).expect("the sample can be copied");
    }
    let [one, other] = [&first, &second].map(|path| path.to_str().expect("plain"));
    let start = |arguments: &[&str]| Program::start_at_home(arguments, home.path());
    let program = start(&[one, "--paused", "--start", "5"]);
    position_where(&program, "at 5 s", |position| near(position, 5.0, 0.002));
    program.quit_with("q");

    // The other file, and from its menu the first one. It starts at its beginning, and a note says where it was left.
    let program = start(&[other, "--paused"]);
    let line = program.after(|| choose(&program, &["Recent files", "first.mp4"]), "note: left at");
    assert!(line.contains("left at 0:05: Shift+Home continues there"), "{line}");
    until("the first file to be open", PATIENCE, || program.title().text.contains("first.mp4").then_some(()));
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.after(|| program.key("shift+Home"), "note: to 0:05.000");
    position_where(&program, "at 5 s", |position| near(position, 5.0, 0.002));
    program.after(|| program.key("ctrl+r"), "menu: second.mp4 at");
    program.key("Escape");
    program.quit_with("q");

    // A window without a video offers them too. A missing file is reported, and stays in the list.
    std::fs::remove_file(&first).expect("the file can be removed");
    let program = start(&[]);
    program.settled();
    let (x, y) = entry(&program, "first.mp4");
    program.point(x, y);
    program.settled();
    let line = program.after(|| program.clicks(1), "note: ");
    assert!(line.contains("first.mp4: no such file"), "{line}");
    program.settled();
    let (x, y) = entry(&program, "second.mp4");
    program.point(x, y);
    program.settled();
    program.clicks(1);
    until("the second file to be open", PATIENCE, || program.title().text.contains("second.mp4").then_some(()));
    program.after(|| program.key("ctrl+r"), "menu: first.mp4 at");
    program.key("Escape");
    program.quit_with("q");

    let program = start(&[other, "--no-config"]);
    program.after(|| program.key("ctrl+r"), "note: no other recent files");
    program.quit_with("q");
}

/// Checks the newest text of the label of the visible part.
fn seen(program: &Program, text: &str) {
    let wanted = format!("seen: {text}");
    until(&format!("the label to say '{text}'"), PATIENCE, || {
        let log = program.log();
        log.lines().rfind(|line| line.contains("seen: ")).is_some_and(|line| line.contains(&wanted)).then_some(())
    });
}

#[test]
fn what_is_cut_off_says_so_and_names_the_key() {
    let program = paused_sample(&[]);
    assert!(!program.log().contains("seen: "), "all of the picture is in view: {}", program.log());
    // The window is 4:3, the picture 16:9.
    program.resize(960, 720);
    seen(&program, "75 % of the picture in view · c shows all");
    let cut = program.settled();
    program.after(|| program.key("c"), "note: fit: contain");
    let whole = program.settled();
    let log = program.log().len();
    program.after(|| program.key("r"), "note: red off");
    program.after(|| program.key("r"), "note: red on");
    program.settled();
    assert!(!program.log()[log..].contains("seen: "), "the label stays while all is seen");
    assert!(whole.differing(&cut, Area::Outside) > 5_000);
    // The wheel crops more, and the label follows.
    program.after(|| program.key("shift+c"), "note: view reset");
    seen(&program, "75 % of the picture in view · c shows all");
    program.point(480, 200);
    program.turn_wheel(5);
    until("the zoom to cut off more", PATIENCE, || {
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains("seen: "))?;
        let percent: u32 = line.split("seen: ").nth(1)?.split(' ').next()?.parse().ok()?;
        (percent < 60).then_some(())
    });
    program.quit_with("q");
}

#[test]
fn the_choice_of_fit_is_kept_for_each_shape_of_picture() {
    let (home, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let square = folder.path().join("square.mp4");
    let mut command = std::process::Command::new("ffmpeg");
    command.args("-v error -y -f lavfi -i testsrc2=s=480x360:r=10:d=5 -pix_fmt yuv420p".split(' ')).arg(&square);
    crate::wait::output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    let square = square.to_str().expect("plain");
    let start = |file: &str| Program::start_at_home(&[file, "--paused"], home.path());
    let program = start(square);
    program.resize(960, 540);
    seen(&program, "75 % of the picture in view · c shows all");
    program.after(|| program.key("c"), "note: fit: contain");
    program.quit_with("q");
    // Covers a different shape; the next run fits it again.
    let program = start(sample());
    program.resize(960, 720);
    seen(&program, "75 % of the picture in view · c shows all");
    program.after(|| program.key("Next"), "note: there is only one file");
    program.quit_with("q");
    let program = start(square);
    program.resize(960, 540);
    program.settled();
    assert!(!program.log().contains("seen: "), "the choice was not kept: {}", program.log());
    program.after(|| program.key("c"), "note: fit: 1:1");
    program.quit_with("q");
}
