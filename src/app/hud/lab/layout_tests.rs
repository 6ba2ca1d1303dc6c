//! What the lab covers of the window, and whether what it writes can be read.

use egui::{Pos2, Rect, Vec2};

use super::*;
use crate::app::hud::layout_tests::{faults, items};
use crate::app::hud::tests::{model, pair};
use crate::app::hud::{Hud, OpenPanels, Tables};
use crate::lab::Method;

fn figures(method: Method) -> Figures {
    let bins: Bins = std::array::from_fn(|_| (0..256).map(|bin| bin * 3).collect());
    let pass = |name| PassFigures {
        name,
        micros: Some(1234.5),
        constants: vec![("BINS", 256), ("CHANNELS", 4), ("CHUNK_WIDTH", 256), ("CHUNK_HEIGHT", 16), ("WORDS", 1024)],
        cut: Some(Cut { workgroup: (256, 1), workgroups: (640, 2160), dispatches: 14 }),
    };
    Figures {
        counted: bins.clone(),
        right: bins,
        wanted: 33_177_600,
        is_exact: !method.races(),
        lost: if method.races() { 12_345_678 } else { 0 },
        reduction: (method == Method::Single)
            .then(|| "counts 64×36 of 3840×2160 pixels, lest the GPU seem to hang".to_owned()),
        part: if method == Method::Single { 0.000_1 } else { 1.0 },
        passes: vec![pass("chunks"), pass("sum")],
        total_us: Some(2469.0),
        floor_us: Some(78.9),
        costs: vec![("loads", 5.0), ("stores", 4.0), ("atomics in a workgroup", 4.0), ("bytes", 36.0)],
    }
}

/// The first pixels of a frame, of which some share a bin.
const SAMPLES: [Sample; 8] = {
    let bins = [4095, 4090, 4090, 128, 16, 16, 16, 255];
    let mut samples = [Sample { rgb: [0; 3], bin: 0 }; 8];
    let mut at = 0;
    while at < 8 {
        samples[at] = Sample { rgb: [(at * 36) as u8, 255 - (at * 30) as u8, 128], bin: bins[at] };
        at += 1;
    }
    samples
};

/// A window with the lab open: where its panel is, what is drawn, and the view.
fn laid_out(
    size: (u32, u32),
    method: Method,
    moment: u64,
    open: OpenPanels,
) -> (Rect, Vec<egui::epaint::ClippedShape>, Rect) {
    let mut hud = Hud::without_window();
    let zoom = hud.set_scale(size, 1.0);
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(size.0 as f32, size.1 as f32) / zoom);
    let panels = pair(view.width(), view.height());
    let figures = figures(method);
    let lab = LabView {
        method,
        chunk: (24, 10),
        is_usual: false,
        bins: 1000,
        bars: Some(&figures),
        outcome: if method == Method::Subgroup {
            Outcome::Impossible("llvmpipe (LLVM 15.0.6, 256 bits) has no subgroups for shaders")
        } else {
            Outcome::Counted(&figures)
        },
        logarithmic: false,
        samples: &SAMPLES,
        samples_at: (3840, 2160),
        moment,
    };
    hud.panels = open;
    let numbers = crate::app::hud::tests::figures(4);
    let lines = crate::app::hud::tests::many_lines();
    let shown = open.within(left_for_others(f64::from(view.width()), true));
    let tables =
        Tables { timing: None, info: shown.info.then_some(&lines[..]), stats: shown.numbers.then_some(&numbers) };
    let model = Model { lab: Some(&lab), tables, ..model(&panels) };
    let now = std::time::Instant::now();
    hud.wake(now);
    let context = hud.context.clone();
    let run = |hud: &mut Hud| {
        let input = egui::RawInput { screen_rect: Some(view), ..egui::RawInput::default() };
        let mut output = context.run_ui(input, |ui| hud.show(ui, &model, now, &mut Vec::new()));
        output.textures_delta.clear();
        output.shapes
    };
    let shapes = (0..3).map(|_| run(&mut hud)).last().unwrap_or_default();
    let panel = context.memory(|memory| memory.area_rect(egui::Id::unique("lab"))).expect("the panel is there");
    (panel, shapes, view)
}

const SIZES: [(u32, u32); 7] =
    [(480, 270), (640, 480), (960, 540), (1280, 720), (1600, 900), (1920, 1080), (2560, 1440)];

#[test]
fn the_panel_leaves_the_histograms_and_two_thirds_of_the_picture() {
    for size in SIZES {
        for &method in Method::ladder() {
            let (panel, _, view) = laid_out(size, method, 0, OpenPanels::default());
            assert!(view.contains_rect(panel), "{panel:?} in {size:?}");
            for histogram in pair(view.width(), view.height()) {
                assert!(!panel.intersects(histogram.rect.expand(1.0)), "{method:?} at {size:?}: {panel:?}");
            }
            let share = panel.area() / view.area();
            assert!(share <= 1.0 / 3.0, "{method:?} at {size:?} takes {share:.2} of the picture");
        }
    }
}

#[test]
fn nothing_of_the_lab_lies_on_text_and_all_of_it_can_be_read() {
    let open = [
        OpenPanels::default(),
        OpenPanels { numbers: true, ..OpenPanels::default() },
        OpenPanels { info: true, adjusting: true, ..OpenPanels::default() },
    ];
    let mut found = std::collections::BTreeSet::new();
    for size in SIZES {
        for &method in Method::ladder() {
            for (moment, open) in open.into_iter().enumerate() {
                let (_, shapes, view) = laid_out(size, method, moment as u64 * 3, open);
                let told = faults(items(&shapes), view);
                found.extend(told.into_iter().map(|fault| format!("{fault} at {size:?}, {method:?}, {open:?}")));
            }
        }
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.into_iter().take(12).collect::<Vec<_>>().join("\n"));
}

/// All words that are written.
fn words(shapes: &[egui::epaint::ClippedShape]) -> String {
    fn gather(shape: &egui::Shape, words: &mut String) {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| gather(shape, words)),
            egui::Shape::Text(text) => {
                words.push_str(&text.galley.job.text);
                words.push('\n');
            }
            _ => {}
        }
    }
    let mut all = String::new();
    shapes.iter().for_each(|clipped| gather(&clipped.shape, &mut all));
    all
}

#[test]
fn everything_is_told_where_there_is_room_and_elsewhere_that_there_is_more() {
    for (size, has_all) in [((1600, 900), true), ((1280, 720), true), ((480, 270), false)] {
        let (_, shapes, _) = laid_out(size, Method::Pairwise, 2, OpenPanels::default());
        let told = words(&shapes);
        let parts = ["dispatch", "a pixel takes", "CHUNK_HEIGHT = 16", "256×1", "Pairs keep many"];
        for part in parts {
            assert_eq!(told.contains(part), has_all, "{part} at {size:?}: {told}");
        }
        assert_eq!(told.contains("a larger window shows more"), !has_all, "{size:?}");
        let kept = ["equals the reference", "× the floor", "6/10", "chunks, reduced pair by pair"];
        assert!(kept.into_iter().all(|part| told.contains(part)), "{size:?}: {told}");
    }
}
