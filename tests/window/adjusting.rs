//! Adjustments in the window: saved pictures and bins equal the definition on the CPU, pixel by pixel and bin by bin.

use histoscope_core::adjust::{
    Adjustments, Blur, Clahe, ClassDisplay, Equalize, Lut, Otsu, Placing, Posterize, Processor, Reduction, Tone,
};
use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture as Planes;
use histoscope_media::{Decoder, OpenOptions};
use serde_json::Value;

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{paused_sample, sample};

fn first_planes() -> Planes {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    decoder.next_frame().expect("the sample can be read").expect("a frame").picture
}

fn adjusted(planes: &Planes, adjustments: &Adjustments) -> Planes {
    Processor::default().apply(planes, adjustments, None).expect("the picture can be adjusted")
}

/// Saves from the window. Returns the view and the frame's figures.
fn save(program: &Program) -> (Picture, Value) {
    let line = program.after(|| program.key("shift+s"), "note: saved");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).expect("a path");
    let picture = Picture::from_png(path.as_ref()).expect("a PNG");
    let figures = std::fs::read(path.replace(".png", ".json")).expect("the bins");
    (picture, serde_json::from_slice(&figures).expect("JSON"))
}

fn assert_bins(channels: &Value, expected: &Histogram, what: &str) {
    for (channel, name) in expected.components.channel_names().iter().enumerate() {
        let bins = channels[name]["bins"].as_array().unwrap_or_else(|| panic!("{what}: no bins of {name}"));
        let bins: Vec<u32> =
            bins.iter().map(|bin| bin.as_u64().and_then(|n| u32::try_from(n).ok()).expect("a count")).collect();
        assert_eq!(bins, expected.bins(channel), "{what}: {name}");
    }
}

/// Above the histograms, the columns must show these codes, pixel by pixel, since the window has the picture's size.
fn assert_shows(picture: &Picture, planes: &Planes, columns: std::ops::Range<u32>, what: &str) {
    for (x, y) in (0..500).step_by(3).flat_map(|y| columns.clone().map(move |x| (x, y))) {
        let codes = reference::unclamped_rgb(planes, x, y).map(|code| code.clamp(0, 255) as u8);
        assert_eq!(picture.pixel(x, y), codes, "{what}: ({x}, {y})");
    }
}

#[test]
fn what_is_saved_is_what_the_definition_says() {
    let program = paused_sample(&[]);
    let planes = first_planes();
    let equalize = |per_channel| Some(Tone::Equalize(Equalize { per_channel, ..Equalize::default() }));
    let posterize = Some(Reduction::Posterize(Posterize { levels: 5, placing: Placing::Width }));
    let otsu = Some(Reduction::Otsu(Otsu { classes: 2, shown: ClassDisplay::Tones }));
    let clahe = Some(Tone::Clahe(Clahe { tiles: (8, 8), clip_limit: 2.0 }));
    let blur = Some(Blur { size: 9, runs: 1 });
    let off = Adjustments::default();
    let cases: [(&[&str], Adjustments); 7] = [
        (&["e"], Adjustments { tone: equalize(false), ..off }),
        (&["shift+e"], Adjustments { tone: equalize(true), ..off }),
        (&["k"], Adjustments { tone: clahe, ..off }),
        (&["x"], Adjustments { reduction: otsu, ..off }),
        (&["z"], Adjustments { reduction: posterize, ..off }),
        (&["u"], Adjustments { blur, ..off }),
        (&["z", "u", "k"], Adjustments { blur, tone: clahe, reduction: posterize, ..off }),
    ];
    for (keys, adjustments) in cases {
        for key in keys {
            program.after(|| program.key(key), "key: ToggleAdjustment");
        }
        let (picture, figures) = save(&program);
        let what = adjustments.to_string();
        assert_eq!((figures["picture"].as_str(), figures["adjustments"].as_str()), (Some("result"), Some(&*what)));
        let expected = adjusted(&planes, &adjustments);
        assert_bins(&figures["channels"], &reference::histogram(&expected, Components::Rgbl), &what);
        assert_shows(&picture, &expected, 0..1280, &what);
        for key in keys {
            program.after(|| program.key(key), "note: ");
        }
    }
    let (_, figures) = save(&program);
    assert!(figures.get("adjustments").is_none(), "{figures}");
    assert_bins(&figures["channels"], &reference::histogram(&planes, Components::Rgbl), "nothing adjusted");
    program.quit_with("q");
}

#[test]
fn the_divider_has_the_source_at_its_left_and_is_dragged() {
    let program = paused_sample(&["--posterize", "3"]);
    let source = first_planes();
    let reduction = Some(Reduction::Posterize(Posterize { levels: 3, placing: Placing::Width }));
    let result = adjusted(&source, &Adjustments { reduction, ..Adjustments::default() });
    program.after(|| program.key("w"), "note: divider on");
    // The source as shown in the window. Its chroma is drawn more finely than it is counted.
    let plain = program.snapshot(sample(), "0", 1280, 720);
    let check = |at: u32, what: &str| {
        let (picture, _) = save(&program);
        // The line between them covers some columns of both.
        assert_eq!(picture.pixel(at, 200), [255; 3], "{what}: no line");
        assert_shows(&picture, &result, at + 6..1280, what);
        for (x, y) in (0..500).flat_map(|y| (0..at - 6).map(move |x| (x, y))) {
            assert_eq!(picture.pixel(x, y), plain.pixel(x, y), "{what}: ({x}, {y}) of the source");
        }
    };
    check(640, "in the middle");
    // It can be grabbed four pixels to the side, and keeps that distance.
    program.point(644, 300);
    program.button("mousedown", "1");
    program.move_pointer(500, 320);
    program.move_pointer(324, 340);
    program.settled();
    program.button("mouseup", "1");
    check(320, "dragged");
    // Anywhere else a drag moves the picture, and the divider stays.
    program.point(900, 300);
    program.button("mousedown", "1");
    program.move_pointer(880, 300);
    program.move_pointer(860, 300);
    program.settled();
    program.button("mouseup", "1");
    program.after(|| program.key("shift+c"), "note: view reset");
    check(320, "after a drag elsewhere");
    program.after(|| program.key("w"), "note: divider off");
    assert_shows(&save(&program).0, &result, 0..1280, "without a divider");
    program.quit_with("q");
}

#[test]
fn j_counts_the_source_the_result_or_both() {
    let program = paused_sample(&["--low-pass", "15x3"]);
    let source = first_planes();
    let blur = Some(Blur { size: 15, runs: 3 });
    let result = adjusted(&source, &Adjustments { blur, ..Adjustments::default() });
    let [source, result] = [source, result].map(|planes| reference::histogram(&planes, Components::Rgbl));
    let mut shown = Vec::new();
    for (name, counted, has_source) in
        [("both", "result", true), ("source", "source", false), ("result", "result", false)]
    {
        program.after(|| program.key("j"), &format!("note: counted: {name}"));
        let (picture, figures) = save(&program);
        assert_eq!(figures["picture"].as_str(), Some(counted));
        assert_bins(&figures["channels"], if counted == "source" { &source } else { &result }, name);
        match has_source {
            true => assert_bins(&figures["source_channels"], &source, "the source beside the result"),
            false => assert!(figures.get("source_channels").is_none()),
        }
        for (before, earlier) in &shown {
            let earlier: &Picture = earlier;
            assert!(picture.differing(earlier, Area::Left) > 100, "{name} looks like {before} on the left");
            assert!(picture.differing(earlier, Area::Right) > 100, "{name} looks like {before} on the right");
            assert_eq!(picture.differing(earlier, Area::Outside), 0, "{name} changes the picture");
        }
        shown.push((name, picture));
    }
    program.quit_with("q");
}

#[test]
fn figures_under_the_pointer_say_of_which_picture_they_are() {
    let program = paused_sample(&["--otsu", "2"]);
    let reduction = Some(Reduction::Otsu(Otsu { classes: 2, shown: ClassDisplay::Tones }));
    let result = adjusted(&first_planes(), &Adjustments { reduction, ..Adjustments::default() });
    let white = reference::histogram(&result, Components::Rgbl).bins(3)[255];
    // Two classes: only black and white are counted, while the pixel under the pointer has the source's codes.
    let line = program.after(|| program.point(672 + 575, 650), "bin: code 255 of 255");
    assert!(line.contains("100.0 %  result; ") && line.contains(&format!("L {white} ")), "{line}: {white}");
    let line = program.after(|| program.point(733, 219), "probe: x 733  y 219");
    assert!(line.contains("y 219  source;"), "{line}");
    program.after(|| program.key("j"), "note: counted: both");
    program.after(|| program.key("j"), "note: counted: source");
    let line = program.after(|| program.point(672 + 287, 650), "bin: code 127 of 255");
    assert!(line.contains("%  source; "), "{line}");
    program.quit_with("q");
}

#[test]
fn curves_and_the_backdrop_are_drawn_at_the_histograms_only() {
    let program = paused_sample(&[]);
    let (bare, _) = save(&program);
    for key in ["shift+h", "shift+u"] {
        program.after(|| program.key(key), " on");
        let (with, _) = save(&program);
        for area in [Area::Left, Area::Right] {
            assert!(with.differing(&bare, area) > 500, "{key} changes nothing in {area:?}");
        }
        assert_eq!(with.differing(&bare, Area::Outside), 0, "{key} changes the picture");
        program.after(|| program.key(key), " off");
    }
    program.quit_with("q");
}

#[test]
fn the_panel_switches_and_slides() {
    let program = paused_sample(&[]);
    program.key("shift+a");
    program.point(600, 300);
    program.settled();
    // With the controls on screen the panel begins below them.
    let click = |x: i32, y: i32| {
        program.point(x, y);
        program.settled();
        program.button("click", "1");
    };
    program.after(|| click(60, 262), "note: 5 levels");
    program.after(|| click(60, 132), "note: low-pass 9×9");
    // The slider of levels, from its place to its right end; then back to the left end.
    program.point(201, 262);
    program.settled();
    program.button("mousedown", "1");
    // A slow drawing may receive the press and the movement at once, with the press at the end.
    program.settled();
    program.move_pointer(230, 262);
    program.after(|| program.move_pointer(320, 269), "chosen: 16 levels");
    program.after(|| program.move_pointer(100, 269), "chosen: 2 levels");
    program.button("mouseup", "1");
    // Waits before the pointer moves on, since a slow drawing may receive both at once.
    program.settled();
    program.after(|| click(288, 282), "chosen: 2 levels by population");
    // Changing a parameter switches its adjustment on.
    program.after(|| click(288, 322), "chosen: 2 classes in false colours");
    let (_, figures) = save(&program);
    assert_eq!(figures["adjustments"].as_str(), Some("low-pass 9×9, 2 classes in false colours"));
    program.after(|| click(71, 367), "note: divider on");
    until("the divider to come", PATIENCE, || (program.picture().pixel(640, 450) == [255; 3]).then_some(()));
    // The button in the bar closes it.
    program.after(|| click(963, 50), "key: TogglePanel(Adjusting)");
    program.quit_with("q");
}

#[test]
fn the_panel_opens_by_itself_once_and_only_where_it_is_in_nothing_s_way() {
    let opens = "the panel of adjustments opens by itself";
    let program = paused_sample(&[]);
    program.resize(480, 270);
    program.key("n");
    program.point(200, 150);
    program.after(|| program.key("u"), "note: low-pass 9×9");
    assert!(!program.log().contains(opens), "it covers a small picture");
    program.resize(1280, 720);
    program.settled();
    program.point(600, 300);
    program.settled();
    program.point(610, 300);
    program.after(|| program.key("z"), opens);
    program.quit_with("q");

    // After it has been opened and closed, it does not open again.
    let program = paused_sample(&[]);
    let bare = program.settled();
    program.key("shift+a");
    program.until_other("the panel to open", &bare, Area::Outside, 1_000);
    program.key("shift+a");
    program.until_same("the panel to close", &bare, Area::Below);
    program.point(600, 300);
    program.settled();
    program.point(610, 300);
    program.after(|| program.key("z"), "note: 5 levels");
    assert!(!program.log().contains(opens), "it opens again");
    program.quit_with("q");
}

#[test]
fn parameters_last_but_a_video_opens_as_it_is() {
    let home = tempfile::tempdir().expect("a folder");
    let program = Program::start_at_home(&[sample()], home.path());
    program.after(|| program.key("k"), "note: CLAHE 8×8 clip 2");
    program.after(|| program.key("alt+Right"), "note: CLAHE 8×8 clip 2.5");
    program.after(|| program.key("alt+Down"), "note: CLAHE 7×7 clip 2.5");
    program.after(|| program.key("shift+h"), "note: cumulative curves on");
    program.quit_with("q");
    let program = Program::start_at_home(&[sample()], home.path());
    let (_, figures) = save(&program);
    assert!(figures.get("adjustments").is_none(), "a video opens adjusted: {}", figures["adjustments"]);
    program.after(|| program.key("shift+h"), "note: cumulative curves off");
    program.after(|| program.key("k"), "note: CLAHE 7×7 clip 2.5");
    program.quit_with("q");
}

/// A LUT is dropped on the window, switched off, and offered again for another video of the same folder.
#[test]
fn a_lut_is_dropped_and_kept_for_the_folder() {
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/look.cube");
    let home = tempfile::tempdir().expect("a folder");
    let lut = Some(Lut::open(look.as_ref()).expect("it is well formed"));
    let expected = adjusted(&first_planes(), &Adjustments { lut, ..Adjustments::default() });
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    program.after(|| program.key("shift+x"), "note: no LUT: drop a .cube file on the window");
    program.after(|| program.key("ctrl+c"), "note: copied the frame's numbers  ·  source");
    program.after(|| program.command(&format!("drop {look}")), "note: LUT look.cube 3³");
    program.after(|| program.key("ctrl+c"), "note: copied the frame's numbers  ·  result: LUT look.cube 3³");
    let (picture, figures) = save(&program);
    assert_eq!(figures["adjustments"], "LUT look.cube 3³");
    assert_bins(&figures["channels"], &reference::histogram(&expected, Components::Rgbl), "LUT");
    assert_shows(&picture, &expected, 0..1280, "LUT");
    program.after(|| program.key("alt+Right"), "note: LUT look.cube 3³ has no parameters to change");
    program.after(|| program.key("ctrl+z"), "note: undone: LUT look.cube 3³");
    program.after(|| program.key("ctrl+shift+z"), "note: redone: LUT look.cube 3³");
    program.after(|| program.key("shift+x"), "note: LUT off");
    program.after(|| program.key("shift+x"), "note: LUT look.cube 3³");
    let bad = home.path().join("bad.cube");
    std::fs::write(&bad, "LUT_3D_SIZE 2\n").expect("a file");
    program
        .after(|| program.command(&format!("drop {}", bad.display())), "bad.cube, line 1: the file ends after 0 of 8");
    program.quit_with("q");
    let again = Program::start_at_home(&[sample(), "--paused"], home.path());
    again.then("note: LUT look.cube 3³ was used in this folder: Shift+X applies it");
    again.after(|| again.key("shift+x"), "note: LUT look.cube 3³");
}

/// Makes a clip with these arguments of FFmpeg.
fn made(name: &str, arguments: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name).to_str().expect("a plain name").to_owned();
    let source = "testsrc2=s=320x180:r=10:d=1,format=yuv420p";
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-c:v", "libx264"]).args(arguments).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    (folder, path)
}

#[test]
fn a_camera_log_that_the_file_names_is_offered_and_not_applied() {
    let tag = "com.arri.camera.ColorGammaSxS=LOG-C";
    let (_arri, mov) = made("arri.mov", &["-movflags", "use_metadata_tags", "-metadata", tag]);
    let (_sony, mp4) = made("sony.mp4", &[]);
    // The XML that Sony's cameras put into a box of its own.
    let item = |name: &str, value: &str| format!("<Item name=\"{name}\" value=\"{value}\"/>");
    let document = item("CaptureGammaEquation", "s-log3-cine") + &item("CaptureColorPrimaries", "s-gamut3-cine");
    let boxed =
        |kind: &[u8], contents: &[u8]| [&(contents.len() as u32 + 12).to_be_bytes(), kind, &[0; 4], contents].concat();
    let mut bytes = std::fs::read(&mp4).expect("the clip");
    bytes.extend(boxed(b"meta", &boxed(b"xml ", document.as_bytes())));
    std::fs::write(&mp4, bytes).expect("the clip takes more");
    let (_plain, plain) = made("plain.mp4", &[]);
    let program = Program::start_on(&[&mov, &mp4, &plain, "--paused"]);
    program.then("note: camera log LogC3 EI 800, ARRI Wide Gamut 3 by the file's tags: Shift+Z applies it");
    program
        .after(|| program.key("Next"), "note: camera log S-Log3, S-Gamut3.Cine by the file's tags: Shift+Z applies it");
    program.after(|| program.key("Next"), "note: plain.mp4");
    program.settled();
    assert!(!program.log().split("note: plain.mp4").nth(1).expect("the note").contains("by the file's tags"));
    program.after(|| program.key("Prior"), "note: sony.mp4");
    program.after(|| program.key("Prior"), "note: arri.mov");
    program.after(|| program.key("shift+z"), "note: LogC3 EI 800, ARRI Wide Gamut 3");
    // A log that is on stays as it is.
    program.after(|| program.key("Next"), "note: sony.mp4");
    program.settled();
    assert!(!program.log().rsplit("note: sony.mp4").next().expect("the note").contains("by the file's tags"));
    program.quit_with("q");
}
