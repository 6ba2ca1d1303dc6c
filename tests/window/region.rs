//! The region: drawn, moved, resized, proposed and cleared with keys and pointer. The counts equal those of a scalar
//! loop over its pixels.

use std::path::Path;

use histoscope_core::histogram::{Components, Histogram, reference};
use histoscope_core::picture::Picture as Planes;
use histoscope_core::picture::region::{Rect, parts};
use histoscope_media::{Decoder, OpenOptions};

use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{pause, paused_sample, sample};

const fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
    Rect { x, y, width, height }
}

/// Returns the first frame of a file.
fn planes_of(file: &str) -> Planes {
    let mut decoder = Decoder::open(file, &OpenOptions::default()).expect("the file opens");
    decoder.next_frame().expect("the file can be read").expect("a frame").picture
}

/// Returns the reference's bins of a rectangle.
fn bins_of(planes: &Planes, rect: Rect, components: Components) -> Histogram {
    let mut sum = Histogram::empty(planes.layout().bin_bits(), components);
    parts(planes, rect)
        .expect("it lies in the picture")
        .iter()
        .for_each(|p| sum.add(&reference::histogram(p, components)));
    sum
}

/// Drags from one point of the window to another, with or without Shift.
fn drag(program: &Program, shift: bool, from: (i32, i32), to: (i32, i32)) {
    program.point(from.0, from.1);
    if shift {
        program.hold("keydown", "shift");
    }
    program.button("mousedown", "1");
    program.move_pointer((from.0 + to.0) / 2, (from.1 + to.1) / 2);
    program.move_pointer(to.0, to.1);
    program.button("mouseup", "1");
    if shift {
        program.hold("keyup", "shift");
    }
}

/// Checks the reported region after an action.
fn region_after(program: &Program, wanted: Rect, what: impl FnOnce()) {
    let Rect { x, y, width, height } = wanted;
    program.after(what, &format!("region {width}×{height} at {x},{y}"));
}

/// Saves, and compares the reported bins and region with the reference.
fn assert_counted(program: &Program, planes: &Planes, rect: Option<Rect>, components: Components) {
    let line = program.after(|| program.key("s"), "note: saved ");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).expect("a path");
    let text = std::fs::read_to_string(Path::new(path).with_extension("json")).expect("the bins are saved");
    let json: serde_json::Value = serde_json::from_str(&text).expect("they are JSON");
    let whole = Rect::whole(planes.width(), planes.height());
    let expected = bins_of(planes, rect.unwrap_or(whole), components);
    for (index, name) in components.channel_names().iter().enumerate() {
        assert_eq!(json["channels"][name]["bins"], serde_json::json!(expected.bins(index)), "{name}, {rect:?}");
    }
    let region = rect.map(|rect| serde_json::json!([rect.x, rect.y, rect.width, rect.height]));
    assert_eq!(json.get("region"), region.as_ref());
}

#[test]
fn a_dragged_region_is_counted_alone_by_both_engines() {
    let planes = planes_of(sample());
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        let plain = program.settled();
        // The window has the picture's size, so that pixels are pixels; it begins between two that share chroma.
        let drawn = rect(301, 151, 399, 200);
        region_after(&program, drawn, || drag(&program, true, (301, 151), (699, 350)));
        assert_counted(&program, &planes, Some(drawn), Components::Rgbl);
        // The bin under the pointer, and the pixels selected by a brush.
        let bin = 100_u32;
        let count = bins_of(&planes, drawn, Components::Rgbl).bins(3)[bin as usize];
        let column = 672 + (bin * 576 + 288) / 256;
        let line = program.after(|| program.point(column as i32, 650), &format!("bin: code {bin} of 255"));
        assert!(line.contains("region") && line.contains(&format!("L {count} ")), "{line}: {count}");
        program.key("y");
        assert_counted(&program, &planes, Some(drawn), Components::YCbCr);
        program.key("y");
        program.take_pointer_away();
        program.until_other("the histograms and what surrounds the region", &plain, Area::Outside, 10_000);
        program.after(|| program.key("Escape"), "note: region cleared");
        program.until_same("all to be as it was", &plain, Area::Below);
        assert_counted(&program, &planes, None, Components::Rgbl);
        program.quit_with("q");
    }
}

#[test]
fn a_region_is_moved_and_resized_and_stays_while_zooming() {
    let planes = planes_of(sample());
    let program = paused_sample(&[]);
    region_after(&program, rect(400, 200, 200, 100), || drag(&program, true, (400, 200), (599, 299)));
    // The right edge by its handle, the upper left corner, beyond the picture's edge, and the whole region by its
    // border and its middle.
    region_after(&program, rect(400, 200, 260, 100), || drag(&program, false, (600, 250), (660, 290)));
    region_after(&program, rect(390, 180, 270, 120), || drag(&program, false, (400, 200), (390, 180)));
    region_after(&program, rect(410, 190, 270, 120), || drag(&program, false, (420, 180), (440, 190)));
    region_after(&program, rect(0, 190, 270, 120), || drag(&program, false, (545, 250), (20, 250)));
    assert_counted(&program, &planes, Some(rect(0, 190, 270, 120)), Components::Rgbl);
    // A trembling click chooses the row, which moves by keys and by the wheel; with Alt, the column.
    region_after(&program, rect(0, 301, 1280, 1), || drag(&program, true, (700, 300), (702, 301)));
    assert_counted(&program, &planes, Some(rect(0, 301, 1280, 1)), Components::Rgbl);
    program.after(|| program.key("ctrl+Right"), "note: counting row 302");
    program.hold("keydown", "shift");
    program.after(|| program.button("click", "4"), "note: counting row 301");
    program.hold("keyup", "shift");
    program.hold("keydown", "alt");
    region_after(&program, rect(702, 0, 1, 720), || drag(&program, true, (701, 300), (702, 301)));
    program.hold("keyup", "alt");
    program.after(|| program.key("ctrl+Left"), "note: counting column 701");
    assert_counted(&program, &planes, Some(rect(701, 0, 1, 720)), Components::Rgbl);
    // It has no edges to resize; its border moves it.
    region_after(&program, rect(650, 0, 1, 720), || drag(&program, false, (701, 100), (650, 140)));
    // A new region may begin anywhere.
    region_after(&program, rect(100, 200, 11, 21), || drag(&program, true, (100, 200), (110, 220)));
    // It belongs to the picture, not to the window.
    program.point(640, 360);
    program.button("click", "4");
    program.key("space");
    program.key("space");
    program.key("Home");
    program.settled();
    assert_counted(&program, &planes, Some(rect(100, 200, 11, 21)), Components::Rgbl);
    program.key("shift+c");
    // Dragging elsewhere still moves the picture, and does not draw a region.
    drag(&program, true, (1200, 100), (1279, 10));
    program.after(|| program.key("Escape"), "note: region cleared");
    program.quit_with("q");
}

#[test]
fn bars_are_proposed_taken_and_dropped() {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let filter = "testsrc2=s=640x272:r=25:d=2,format=yuv420p,pad=640:360:0:44:black";
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", filter, "-c:v", "ffv1"]).arg(clip.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    let file = clip.path().to_str().expect("a path");
    let planes = planes_of(file);
    let bars = rect(0, 44, 640, 272);
    let program = Program::start_with(file, &["--paused"]);
    program.take_pointer_away();
    let plain = program.settled();
    program.after(|| program.key("shift+r"), "note: black bars around 640×272 at 0,44");
    assert_counted(&program, &planes, None, Components::Rgbl);
    program.after(|| program.key("Escape"), "note: proposed region discarded");
    until("the proposal to vanish", PATIENCE, || (program.picture().differing(&plain, Area::Below) == 0).then_some(()));
    for take in ["Return", "shift+r"] {
        program.after(|| program.key("shift+r"), "note: black bars around");
        program.after(|| program.key(take), "note: counting region 640×272 at 0,44");
        assert_counted(&program, &planes, Some(bars), Components::Rgbl);
        program.after(|| program.key("shift+r"), "note: the region already leaves the bars out");
        program.after(|| program.key("Escape"), "note: region cleared");
    }
    program.quit_with("q");
}

#[test]
fn a_region_goes_with_the_next_file_only_where_that_has_its_size() {
    let clip = crate::long_clip();
    let other = clip.path().to_str().expect("a path");
    let program = Program::start_on(&[sample(), sample(), other]);
    program.take_pointer_away();
    pause(&program);
    region_after(&program, rect(400, 200, 200, 100), || drag(&program, true, (400, 200), (599, 299)));
    program.after(|| program.key("Next"), "note: sample.mp4  (2 of 3)");
    // A paused video stays paused.
    until("the title to say so", PATIENCE, || program.title().paused.then_some(()));
    program.key("Home");
    crate::position_where(&program, "at the beginning", |position| crate::near(position, 0.0, crate::FRAME_SECONDS));
    program.settled();
    assert_counted(&program, &planes_of(sample()), Some(rect(400, 200, 200, 100)), Components::Rgbl);
    program.after(|| program.key("Next"), "note: region cleared: the picture's size has changed");
    program.quit_with("q");
}
