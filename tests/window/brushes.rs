//! Brushes in the waveform and the vectorscope, drawn by hand.

use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::Picture;
use histoscope_hud::share_text;
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::panel::panels;
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Brush, Look, Scene};
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};

use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{paused_sample, sample};

const SIZE: (u32, u32) = (1280, 720);

/// Returns the middle of a scope, and its width and height.
fn place(kind: ScopeKind) -> ((i32, i32), (i32, i32)) {
    let scopes = ScopeStyle { waveform: true, vectorscope: true, layout: Layout::Split, ..ScopeStyle::default() };
    let scene = Scene::from(Look { scopes, ..Look::default() });
    let rect = scene.arranged(SIZE).panels.iter().find(|panel| panel.kind == kind).expect("it is shown").rect;
    let middle = ((rect.left + rect.width / 2) as i32, (rect.top + rect.height / 2) as i32);
    (middle, (rect.width as i32, rect.height as i32))
}

fn drag(program: &Program, points: &[(i32, i32)]) {
    program.point(points[0].0, points[0].1);
    program.button("mousedown", "1");
    for &(x, y) in &points[1..] {
        program.move_pointer(x, y);
    }
    program.button("mouseup", "1");
}

/// Returns the newest message on a scope's brush, without its beginning, once it shows the number of pixels and differs
/// from `before`.
fn told(program: &Program, kind: ScopeKind, before: &str) -> String {
    let begin = format!("brushed in the {}: ", kind.name());
    until("what is brushed", PATIENCE, || {
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains(&begin))?;
        let words = line.split_once(&begin)?.1.to_owned();
        (words.contains("pixel") && words != before).then_some(words)
    })
}

/// Returns the numbers in a text.
fn numbers(text: &str) -> Vec<u32> {
    let digits = |word: &str| word.trim_start_matches('\u{b1}').parse().ok();
    text.split([' ', '\u{2013}']).filter_map(digits).collect()
}

/// Returns the pixels of the sample's first frame selected by a rectangle of the waveform, given by first and last
/// column and lowest and highest code.
fn in_rectangle(picture: &Picture, [first, last, low, high]: [u32; 4]) -> Vec<bool> {
    let brush = Brush { channels: Channels::ALL, low, high };
    let is_in = |x, y| (first..=last).contains(&x) && probe(picture, x, y, Components::Rgbl).is_lit_by(&brush);
    pixels(picture).map(|(x, y)| is_in(x, y)).collect()
}

/// Returns the pixels selected by a circle of the vectorscope, given by Cb and Cr of its centre and its radius.
fn in_circle(picture: &Picture, [cb, cr, radius]: [u32; 3]) -> Vec<bool> {
    let way = |x: u32, y: u32, component, middle: u32| picture.code(component, x >> 1, y >> 1).abs_diff(middle).pow(2);
    pixels(picture).map(|(x, y)| way(x, y, 1, cb) + way(x, y, 2, cr) <= radius * radius).collect()
}

fn pixels(picture: &Picture) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (width, height) = (picture.width(), picture.height());
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

fn count(selected: &[bool]) -> u32 {
    selected.iter().map(|&is_in| u32::from(is_in)).sum()
}

/// Returns the text of the share of the luminance of the sample's first frame in a band of codes.
fn share_of_band(picture: &Picture, [low, high]: [u32; 2]) -> String {
    let bins = reference::histogram(picture, Components::Rgbl).bins(3).to_vec();
    let inside: u32 = bins[low as usize..=high as usize].iter().sum();
    share_text(f64::from(inside) / f64::from(picture.pixel_count()))
}

#[test]
fn reference_lines_come_from_the_axes_and_their_bands_have_exact_shares() {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let picture = decoder.next_frame().expect("it can be read").expect("a frame").picture;
    let program = paused_sample(&[]);
    let (_, rect, _) = panels(&Scene::default(), Components::Rgbl, SIZE).last().expect("luminance");
    let (left, top, width) = (rect.left as i32, rect.top as i32, rect.width as i32);
    let x_of = |code: u32| left + (code as i32 * width + width / 2) / 256;
    let line_at = |code: u32| drag(&program, &[(x_of(code), top - 5), (x_of(code), top + 20), (x_of(code), top + 40)]);
    line_at(60);
    program.after(|| line_at(180), &format!("band: 60 to 180: {}", share_of_band(&picture, [60, 180])));
    // Drag one to another code, at its end on the axis, and out of the histogram.
    let moved = [(x_of(180), top - 5), (x_of(150), top + 30)];
    program.after(|| drag(&program, &moved), &format!("band: 60 to 150: {}", share_of_band(&picture, [60, 150])));
    // Or anywhere on it.
    let back = |from, to| [(x_of(from), top + 30), (x_of(to), top + 40)];
    program
        .after(|| drag(&program, &back(150, 170)), &format!("band: 60 to 170: {}", share_of_band(&picture, [60, 170])));
    program
        .after(|| drag(&program, &back(170, 150)), &format!("band: 60 to 150: {}", share_of_band(&picture, [60, 150])));
    program.after(|| line_at(220), &format!("band: 150 to 220: {}", share_of_band(&picture, [150, 220])));
    let out = [(x_of(150), top - 5), (x_of(150), top + 30), (x_of(150), top - 100)];
    program.after(|| drag(&program, &out), &format!("band: 60 to 220: {}", share_of_band(&picture, [60, 220])));
    program.after(|| program.key("ctrl+z"), "note: undone: reference lines");
    for code in [20, 30, 40, 90, 110] {
        line_at(code);
    }
    program.after(|| line_at(250), "note: there are eight reference lines already");
    program.after(|| program.key("ctrl+l"), "note: no reference lines");
    // In a waveform, they come from the left.
    program.keys(&["1", "2"]);
    program.settled();
    let scopes = ScopeStyle { waveform: true, ..ScopeStyle::default() };
    let scene = Scene::from(Look { scopes, overlays: false, ..Look::default() });
    let panel = scene.arranged(SIZE).panels[0].rect;
    let at = |share: f64| (panel.left as i32 + 8, panel.top as i32 + (f64::from(panel.height) * share) as i32);
    drag(&program, &[at(0.2), (400, at(0.5).1), (400, at(0.3).1)]);
    program.after(|| program.key("ctrl+z"), "note: undone: reference lines");
    program.quit_with("q");
}

#[test]
fn brushes_of_waveform_and_vectorscope_tell_the_pixels_that_both_select() {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let picture = decoder.next_frame().expect("it can be read").expect("a frame").picture;
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        for key in ["2", "4", "shift+0"] {
            program.key(key);
        }
        program.settled();
        let ((x, y), (width, height)) = place(ScopeKind::Waveform);
        drag(&program, &[(x - width / 4, y), (x, y - 9), (x + width / 5, y - height / 4)]);
        let waveform = told(&program, ScopeKind::Waveform, "");
        let [first, last, low, high, pixels] = numbers(&waveform)[..5] else { panic!("{waveform}") };
        let rectangle = in_rectangle(&picture, [first, last, low, high]);
        assert!(last - first > picture.width() / 3 && high - low > 40, "{engine}: {waveform}");
        assert_eq!(pixels, count(&rectangle), "{engine}: {waveform}");

        // A circle from a little beside the middle.
        let ((x, y), (width, _)) = place(ScopeKind::Vectorscope);
        drag(&program, &[(x + 20, y - 10), (x + 40, y), (x + 20 + width / 9, y)]);
        let both = told(&program, ScopeKind::Vectorscope, "");
        let [cb, cr, radius, pixels] = numbers(&both)[..4] else { panic!("{both}") };
        let circle = in_circle(&picture, [cb, cr, radius]);
        let in_both: Vec<_> = rectangle.iter().zip(&circle).map(|(one, other)| *one && *other).collect();
        assert!(radius > 10, "{engine}: {both}");
        assert_eq!(pixels, count(&in_both), "{engine}: {both}");
        assert!(pixels > 0 && pixels < count(&rectangle) && pixels < count(&circle), "{engine}: {both}");

        // A click in the waveform removes only its own brush.
        let ((x, y), (width, _)) = place(ScopeKind::Waveform);
        drag(&program, &[(x + width / 3, y)]);
        let alone = told(&program, ScopeKind::Vectorscope, &both);
        assert_eq!(numbers(&alone)[3], count(&circle), "{engine}: {alone}");

        // Drawn by hand it is a polygon.
        let ((x, y), (width, _)) = place(ScopeKind::Vectorscope);
        let side = width / 8;
        program.hold("keydown", "shift");
        drag(&program, &[(x - side, y - side), (x + side, y - side), (x + side, y + side), (x - side, y + side)]);
        program.hold("keyup", "shift");
        let lasso = told(&program, ScopeKind::Vectorscope, &alone);
        assert!(lasso.starts_with("4 corners") && numbers(&lasso)[1] > 0, "{engine}: {lasso}");

        program.take_pointer_away();
        let brushed = program.settled();
        program.after(|| program.key("Escape"), "note: selection cleared");
        program.until_other("the light to come back", &brushed, crate::picture::Area::Below, 5000);
        program.quit_with("q");
    }
}
