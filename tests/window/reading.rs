//! Values under the pointer, and brushes, compared with the reference pixel by pixel.

use histoscope_core::histogram::reference;
use histoscope_core::picture::Picture as Planes;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_media::{Decoder, OpenOptions, Seek};

use crate::hands::choose;
use crate::picture::Area;
use crate::program::Program;
use crate::{paused_sample, sample};

/// Returns the sample's frame at a time.
fn planes_at(secs: f64) -> Planes {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    decoder.seek(Seek::to(secs)).expect("the sample can be positioned");
    decoder.next_frame().expect("the sample can be read").expect("a frame").picture
}

#[test]
fn the_probe_tells_what_the_reference_tells() {
    let program = paused_sample(&[]);
    let planes = planes_at(0.0);
    for (x, y) in [(100_u32, 100_u32), (733, 219), (851, 177), (1, 450), (1278, 300), (400, 430)] {
        // The window has the picture's size, so that pixels are pixels.
        let place = format!("probe: x {x}  y {y};");
        let line = program.after(|| program.point(x as i32, y as i32), &place);
        let before = reference::unclamped_rgb(&planes, x, y);
        let codes = before.map(|code| code.clamp(0, 255) as u32);
        let list = |codes: &[u32]| codes.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        assert!(line.contains(&format!("R'G'B' {};", list(&codes))), "{line}: {codes:?}");
        assert!(line.contains(&format!("luminance {};", LuminanceWeights::Bt709.bin(codes, 8))), "{line}");
        let coded = [planes.code(0, x, y), planes.code(1, x / 2, y / 2), planes.code(2, x / 2, y / 2)];
        assert!(line.ends_with(&format!("Y'CbCr {}", list(&coded))), "{line}: {coded:?}");
        let is_clamped = before.iter().any(|code| !(0..=255).contains(code));
        assert_eq!(line.contains("unclamped"), is_clamped, "{line}: {before:?}");
    }
    program.quit_with("q");
}

#[test]
fn a_bin_under_the_pointer_tells_its_count() {
    let program = paused_sample(&[]);
    let histogram = reference::histogram(&planes_at(0.0), histoscope_core::histogram::Components::Rgbl);
    // The luminance overlay: 576 columns from column 672, 256 bins.
    for column in [0_u32, 100, 287, 575] {
        let bin = column * 256 / 576;
        let count = histogram.bins(3)[bin as usize];
        let line = program.after(|| program.point(672 + column as i32, 650), &format!("bin: code {bin} of 255"));
        assert!(line.contains(&format!("L {count} ")), "{line}: {count}");
    }
    program.quit_with("q");
}

#[test]
fn a_bin_of_several_codes_is_read_brushed_and_chosen_in_the_menu() {
    let program = paused_sample(&["--bin-count", "16"]);
    let few = program.settled();
    let histogram = reference::histogram(&planes_at(0.0), histoscope_core::histogram::Components::Rgbl);
    let count = |codes: std::ops::RangeInclusive<usize>| histogram.bins(3)[codes].iter().sum::<u32>();
    // The luminance overlay: 576 columns from column 672, 36 per bin.
    for bin in [0_usize, 5, 15] {
        let codes = 16 * bin..=16 * bin + 15;
        let told = format!("bin: codes {} to {} of 255  bin {bin} of 15", codes.start(), codes.end());
        let line = program.after(|| program.point(672 + 36 * bin as i32 + 30, 630), &told);
        assert!(line.contains(&format!("L {} ", count(codes))), "{line}");
    }
    // A brush takes whole bins.
    program.point(672 + 36 * 5 + 20, 650);
    program.button("mousedown", "1");
    program.move_pointer(672 + 36 * 6 + 10, 640);
    let line = program.after(|| program.move_pointer(672 + 36 * 6 + 11, 641), "brush: codes 80 to 111; L ");
    program.button("mouseup", "1");
    assert!(line.contains(&format!("L {} ", count(80..=111))), "{line}");
    program.after(|| program.key("Escape"), "note: selection cleared");

    program.after(|| choose(&program, &["Bins", "Bins: one per code"]), "note: bins: one per code");
    program.take_pointer_away();
    program.until_other("the histograms to change", &few, Area::Right, 5_000);
    let all = program.settled();
    program.after(|| choose(&program, &["Bins", "Bins: 16"]), "note: bins: 16");
    program.take_pointer_away();
    program.until_same("the bins of the start", &few, Area::Right);
    program.after(|| program.key("ctrl+z"), "note: undone: bins: 16");
    program.until_same("a bin for each code", &all, Area::Right);
    program.quit_with("q");
}

#[test]
fn a_brush_lights_exactly_the_pixels_of_its_range() {
    let program = paused_sample(&[]);
    let plain = program.settled();
    let planes = planes_at(0.0);
    // Codes 80 to 120 of luminance. Each has at least two columns.
    let column = |bin: i32| 672 + (bin * 576 + 288) / 256;
    program.point(column(80), 650);
    program.button("mousedown", "1");
    program.move_pointer(column(100), 640);
    program.move_pointer(column(120), 640);
    let line = program.after(|| program.move_pointer(column(120), 641), "brush: codes 80 to 120; L ");
    program.button("mouseup", "1");
    program.take_pointer_away();
    let histogram = reference::histogram(&planes, histoscope_core::histogram::Components::Rgbl);
    let count = histogram.bins(3)[80..=120].iter().sum::<u32>();
    assert!(line.contains(&format!("L {count} ")), "{line}: {count}");

    program.until_other("the rest to dim", &plain, Area::Outside, 100_000);
    // The controls fade meanwhile.
    program.pass(std::time::Duration::from_millis(2700));
    let brushed = program.settled();
    let (mut lit, mut dim) = (0, 0);
    // Above the histograms' labels and the text on the brush, and below the controls.
    for (x, y) in (110..400).flat_map(|y| (0..1280).map(move |x| (x, y))) {
        let codes = reference::unclamped_rgb(&planes, x, y).map(|code| code.clamp(0, 255) as u32);
        let (before, after) = (plain.pixel(x, y), brushed.pixel(x, y));
        if (80..=120).contains(&LuminanceWeights::Bt709.bin(codes, 8)) {
            assert_eq!(before, after, "({x}, {y}) is in the range and has changed");
            lit += 1;
        } else if before.iter().max() > Some(&24) {
            assert_ne!(before, after, "({x}, {y}) is outside the range and has kept its light");
            dim += 1;
        }
    }
    assert!(lit > 10_000 && dim > 10_000, "{lit} lit, {dim} dim: the test sees nothing");

    program.after(|| program.key("Escape"), "note: selection cleared");
    program.until_same("the picture to come back", &plain, Area::Everywhere);
    program.quit_with("q");
}

/// Returns the number of pixels in the sample's first frame with any, and with all, of these channels in a range.
fn selected(planes: &Planes, channels: &[usize], (low, high): (u32, u32)) -> [usize; 2] {
    let mut counts = [0; 2];
    for (x, y) in (0..planes.height()).flat_map(|y| (0..planes.width()).map(move |x| (x, y))) {
        let rgb = reference::unclamped_rgb(planes, x, y).map(|code| code.clamp(0, 255) as u32);
        let bins = [rgb[0], rgb[1], rgb[2], LuminanceWeights::Bt709.bin(rgb, 8)];
        let is_in = |&channel: &usize| (low..=high).contains(&bins[channel]);
        counts[0] += usize::from(channels.iter().any(is_in));
        counts[1] += usize::from(channels.iter().all(is_in));
    }
    counts
}

#[test]
fn a_brush_takes_all_channels_of_a_histogram_or_the_one_whose_letter_is_held() {
    let planes = planes_at(0.0);
    let histogram = reference::histogram(&planes, histoscope_core::histogram::Components::Rgbl);
    let count = |channel: usize| histogram.bins(channel)[40..=90].iter().sum::<u32>();
    let [any, all] = selected(&planes, &[0, 1, 2], (40, 90));
    assert!(all > 0 && all < any, "the test sees a difference");
    // The overlay of red, green and blue: 576 columns from column 32.
    let column = |bin: i32| 32 + (bin * 576 + 288) / 256;
    let drag = |program: &Program| {
        program.point(column(40), 650);
        program.button("mousedown", "1");
        program.move_pointer(column(60), 640);
        program.move_pointer(column(90), 640);
        program.button("mouseup", "1");
    };
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        let line = program.after(|| drag(&program), &format!("brush: codes 40 to 90; R {} ", count(0)));
        assert!(line.contains(&format!("G {} ", count(1))) && line.contains(&format!("B {} ", count(2))), "{line}");
        // Counts made pixel by pixel arrive with the bins requested then.
        program.after(|| program.move_pointer(640, 300), &format!("any {any} "));
        program.after(|| program.move_pointer(650, 300), &format!("all {all} "));
        program.after(|| program.key("Escape"), "note: selection cleared");
        // Its letter toggles green. If the letter is held while brushing, green is shown and brushed alone.
        program.hold("keydown", "g");
        let line = program.after(|| drag(&program), "brush: codes 40 to 90; G ");
        program.hold("keyup", "g");
        assert!(line.contains(&format!("G {} ", count(1))) && !line.contains("R ") && !line.contains("any"), "{line}");
        let line = program.after(|| program.key("g"), "note: green ");
        assert!(line.contains("green off"), "the brush has shown it again: {line}");
        program.key("g");
        // Or its letter is clicked: the second of three at the right end above the histogram.
        drag(&program);
        program.point(578, 485);
        let line = program.after(|| program.button("click", "1"), "brush: codes 40 to 90; G ");
        assert!(!line.contains("any"), "{line}");
        program.after(|| drag(&program), "brush: codes 40 to 90; G ");
        program.point(578, 485);
        program.after(|| program.button("click", "1"), "brush: codes 40 to 90; R ");
        program.quit_with("q");
    }
}

#[test]
fn the_wheel_zooms_and_a_drag_pans() {
    let program = paused_sample(&[]);
    let place = |x: i32, y: i32| -> (i32, i32) {
        program.point(x, y);
        program.settled();
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains("probe: x ")).expect("a probe");
        let words: Vec<_> = line.split([' ', ';']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| *word == "x").expect("a place");
        (words[at + 1].parse().expect("a column"), words[at + 3].parse().expect("a row"))
    };
    assert_eq!(place(640, 360), (640, 360));
    for _ in 0..6 {
        program.button("click", "4");
    }
    // The pixel under the pointer stays there; others move away from it.
    let (x, y) = place(640, 360);
    assert!((x - 640).abs() <= 1 && (y - 360).abs() <= 1, "({x}, {y})");
    let (x, _) = place(940, 360);
    let expected = 640.0 + 300.0 / 1.15_f64.powi(6);
    assert!((f64::from(x) - expected).abs() <= 2.0, "the pixel 300 to the right is {x}, not {expected:.0}");
    program.button("mousedown", "1");
    program.move_pointer(900, 360);
    program.move_pointer(840, 360);
    program.button("mouseup", "1");
    let (moved, _) = place(840, 350);
    // From column 940 to column 840; the drag began slightly to the side.
    assert!((moved - x).abs() <= 4, "the pixel under the pointer has not moved along: {moved} for {x}");
    program.after(|| program.key("shift+c"), "note: view reset");
    assert_eq!(place(640, 360), (640, 360));
    program.quit_with("q");
}
