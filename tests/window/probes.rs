//! Probes: pinned, dragged, measured in each frame, ringed in the scopes, undone, kept and removed.

use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::Picture as Planes;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_hud::{Color32, Rect, pos2, vec2};
use histoscope_media::{Decoder, OpenOptions, Seek};
use histoscope_render::labels::graticule::{color_of, y_of_level};
use histoscope_render::view::panel::panels;
use histoscope_render::view::scene::{Look, Scene};
use histoscope_render::view::scopes::ScopeStyle;

use crate::hands::choose;
use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::{FRAME_SECONDS, paused_sample, sample};

/// Returns the sample's frame with this number.
fn planes(frame: u32) -> Planes {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    decoder.seek(Seek::to(f64::from(frame) * FRAME_SECONDS)).expect("the sample can be positioned");
    decoder.next_frame().expect("the sample can be read").expect("a frame").picture
}

/// Returns the beginning of a probe's row: its name, position, R'G'B' and Y'CbCr.
fn row(planes: &Planes, name: &str, (x, y): (u32, u32)) -> String {
    let [red, green, blue] = reference::unclamped_rgb(planes, x, y).map(|code| code.clamp(0, 255));
    let [luma, cb, cr] = [planes.code(0, x, y), planes.code(1, x / 2, y / 2), planes.code(2, x / 2, y / 2)];
    format!("{name} {x} {y} {red} {green} {blue} {luma} {cb} {cr}")
}

fn pin(program: &Program, (x, y): (u32, u32), note: &str) {
    program.point(x as i32, y as i32);
    program.after(|| program.key("shift+i"), &format!("note: {note}"));
}

#[test]
fn probes_are_measured_in_every_frame() {
    let program = paused_sample(&[]);
    let (first, second, moved) = ((100, 300), (851, 177), (640, 200));
    // The window has the picture's size, so that pixels are pixels.
    pin(&program, first, "probe P1 at x 100  y 300: drag it; Shift+I on it removes it");
    pin(&program, second, "probe P2 at x 851  y 177");
    for frame in [1, 2] {
        let planes = planes(frame);
        let line = program.after(|| program.key("period"), &format!("; {} ", row(&planes, "P2", second)));
        assert!(line.contains(&format!("{} ref ref; ", row(&planes, "P1", first))), "{line}");
    }
    assert_ne!(row(&planes(0), "P2", second), row(&planes(2), "P2", second), "the picture moves");
    // Drag the second one. It is one step of undo.
    let planes = planes(2);
    program.point(second.0 as i32 + 3, second.1 as i32);
    program.button("mousedown", "1");
    program.move_pointer(700, 190);
    program.after(|| program.move_pointer(moved.0, moved.1), &row(&planes, "P2", (640, 200)));
    program.button("mouseup", "1");
    program.after(|| program.key("ctrl+z"), "note: undone: probes");
    program.after(|| program.point(300, 200), &row(&planes, "P2", second));
    program.after(|| program.key("ctrl+shift+z"), "note: redone: probes");
    // The key removes the one under the pointer, whose number is free again.
    pin(&program, first, "probe P1 removed");
    pin(&program, (300, 150), "probe P1 at x 300  y 150");
    program.quit_with("q");
}

#[test]
fn pixels_of_a_single_field_are_those_of_its_lines() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+f"), "note: top field only");
    program.after(|| program.key("shift+f"), "note: bottom field only");
    let (first, second) = (planes(0), planes(1));
    // A line of the field is two of the window. Take a place at which the other field, and a line of the frame with the
    // same number, have other codes.
    let luma = |planes: &Planes, x, y| planes.code(0, x, y);
    let differs =
        |&(x, y): &(u32, u32)| [2 * y, y].iter().all(|other| luma(&first, x, *other) != luma(&first, x, 2 * y + 1));
    let place = (60..200).flat_map(|y| (50..1200).map(move |x| (x, y))).find(differs);
    let (x, y) = place.expect("the fields differ");
    // Every second line of chroma belongs to the field, too.
    let codes = |planes: &Planes| {
        let chroma = [1, 2].map(|plane| planes.code(plane, x / 2, y / 2 * 2 + 1).to_string());
        format!("{} {}", luma(planes, x, 2 * y + 1), chroma.join(" "))
    };
    let place = (x as i32, 2 * y as i32);
    let card = program.after(|| program.point(place.0, place.1), &format!("probe: x {x}  y {y};"));
    assert!(card.ends_with(&format!("Y'CbCr {}", codes(&first))), "{card}: {}", codes(&first));
    pin(&program, (x, 2 * y), &format!("probe P1 at x {x}  y {y}"));
    let table = program.after(|| program.key("period"), &format!("; P1 {x} {y} "));
    assert!(table.ends_with(&format!(" {}", codes(&second))), "{table}: {}", codes(&second));
    program.quit_with("q");
}

#[test]
fn a_ninth_probe_is_refused_and_all_are_removed_and_kept_together() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let start = || {
        let program = Program::start_at_home(&[sample(), "--paused"], home.path());
        program.take_pointer_away();
        (program.settled(), program)
    };
    let (bare, program) = start();
    for probe in 0..8 {
        pin(&program, (100 + 90 * probe, 300), &format!("probe P{} at x {}  y 300", probe + 1, 100 + 90 * probe));
    }
    pin(&program, (1000, 250), "there are eight probes already: Shift+I on one removes it");
    pin(&program, (300, 650), "point at the picture: Shift+I pins a probe there");
    program.take_pointer_away();
    let pinned = program.settled();
    program.after(|| program.key("ctrl+p"), "key: OpenPresets");
    program.key("Escape");
    program.after(|| choose(&program, &["Presets", "Save layout and settings as …"]), "entry: open for a preset");
    program.type_text("chart");
    program.after(|| program.key("Return"), "note: saved the preset chart");
    program.after(|| program.key("ctrl+i"), "note: no probes: Shift+I pins one under the pointer");
    program.take_pointer_away();
    program.until_same("no probes", &bare, Area::Below);
    program.after(|| choose(&program, &["Presets", "chart"]), "note: preset chart: probes");
    program.take_pointer_away();
    program.until_same("the probes of the preset", &pinned, Area::Below);
    program.after(|| choose(&program, &["Remove the probes"]), "note: no probes");
    program.after(|| program.key("ctrl+z"), "note: undone: probes");
    program.quit_with("q");
    let (_, again) = start();
    again.until_same("the probes of the run before", &pinned, Area::Below);
    again.quit_with("q");
}

/// Returns `true` if a pixel next to this point has about this colour.
fn shows(picture: &Picture, (x, y): (f32, f32), light: Color32) -> bool {
    let near = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| ((x as i32 + dx) as u32, (y as i32 + dy) as u32)));
    let is_alike = |(own, light): (&u8, &u8)| own.abs_diff(*light) < 40;
    near.into_iter().any(|(x, y)| picture.pixel(x, y).iter().zip(&light.to_array()[..3]).all(is_alike))
}

#[test]
fn each_probe_is_ringed_on_the_picture_in_the_waveform_and_in_the_histogram() {
    let planes = planes(0);
    let (x, y) = (733, 219);
    let codes = reference::unclamped_rgb(&planes, x, y).map(|code| code.clamp(0, 255) as u32);
    let luminance = LuminanceWeights::Bt709.bin(codes, 8);
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        program.after(|| program.key("2"), "note: waveform on");
        pin(&program, (x, y), "probe P1 at x 733  y 219");
        program.take_pointer_away();
        program.pass(std::time::Duration::from_millis(5000));
        let picture = program.settled();
        let pin = Color32::from_rgb(255, 226, 92);
        assert!(shows(&picture, (x as f32, y as f32 - 4.5), pin), "{engine}: see {:?}", picture.save("pin"));
        let scopes = ScopeStyle { waveform: true, ..ScopeStyle::default() };
        let scene = Scene::from(Look { scopes, ..Look::default() });
        let white = color_of(Components::Rgbl, 3);
        let rect = scene.arranged((1280, 720)).panels[0].rect;
        let corner = pos2(rect.left as f32, rect.top as f32);
        let in_points = Rect::from_min_size(corner, vec2(rect.width as f32, rect.height as f32));
        let level = y_of_level(in_points, luminance.into(), 8);
        let column = corner.x + (x as f32 + 0.5) / 1280.0 * rect.width as f32;
        assert!(shows(&picture, (column, level - 4.5), white), "{engine}: see {:?}", picture.save("waveform"));
        let (_, rect, _) = panels(&scene, Components::Rgbl, (1280, 720)).last().expect("luminance");
        let column = rect.left as f32 + (luminance as f32 + 0.5) / 256.0 * rect.width as f32;
        let lowest = (rect.top + rect.height) as f32 - 5.5;
        assert!(shows(&picture, (column - 4.5, lowest), white), "{engine}: see {:?}", picture.save("histogram"));
        program.quit_with("q");
    }
}
