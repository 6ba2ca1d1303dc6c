//! Tests how much of the window the lab covers, and that its text is legible.

use egui::{Pos2, Rect, Vec2};

use super::blurs::tests::blurred;
use super::code::StepCode;
use super::drawings::tests::drawn;
use super::sums::tests::summed;
use super::*;
use crate::layout_tests::{faults, items};
use crate::tests::{model, pair};
use crate::{Hud, OpenPanels, Tables};
use histoscope_lab::{
    BlurMethod, BlurSetup, Blurred, ChannelSet, DrawMethod, Drawn, Method, ScanKind, ScanMethod, ScannedWords, Step,
    SumSetup, Summed,
};
use histoscope_render::view::overlay::BarScale;

fn figures(method: Method) -> Figures {
    let bins: ChannelBins = std::array::from_fn(|_| (0..256).map(|bin| bin * 3).collect());
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
            .then(|| "counts 64×36 of 3840×2160 pixels, to keep the GPU from hanging".to_owned()),
        part: if method == Method::Single { 0.000_1 } else { 1.0 },
        passes: vec![pass("chunks"), pass("sum")],
        total_us: Some(2469.0),
        floor_us: Some(78.9),
        costs: vec![("loads", 5.0), ("stores", 4.0), ("atomics in a workgroup", 4.0), ("bytes", 36.0)],
    }
}

/// The first pixels of a frame, some of which share a bin.
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

/// One prediction that held, one that did not, and others that were not measured.
static MEASURED: std::sync::LazyLock<Measured> = std::sync::LazyLock::new(|| {
    let runs = ["race 16×16 256", "race 1×1 256", "blelloch 1048576", "hillis-steele 1048576"];
    runs.into_iter().zip([1.0, 12.34, 5.0, 4.0]).map(|(run, time)| (run.to_owned(), time)).collect()
});

/// The topic of the lab.
#[derive(Debug, Clone, Copy)]
enum Case {
    Basics(LabPage),
    Counting(Method),
    Sums(ScanMethod, ScanKind),
    Blur(BlurMethod),
    Drawing(DrawMethod),
}

/// Returns all topics and methods.
fn cases() -> impl Iterator<Item = Case> {
    let kinds = [ScanKind::Exclusive, ScanKind::Inclusive];
    let sums = ScanMethod::ALL.into_iter().flat_map(move |method| kinds.map(|kind| Case::Sums(method, kind)));
    let counting = Method::ladder().iter().map(|&method| Case::Counting(method));
    LabPage::ALL
        .map(Case::Basics)
        .into_iter()
        .chain(counting)
        .chain(sums)
        .chain(BlurMethod::ALL.map(Case::Blur))
        .chain(DrawMethod::ALL.map(Case::Drawing))
}

/// The longest outcome of each topic.
struct Came {
    figures: Figures,
    summed: Summed,
    blurred: Blurred,
    drawn: Drawn,
    block: Vec<Vec<Sample>>,
}

fn came(case: Case) -> Came {
    let step = |name| Step {
        name,
        texts: &[],
        constants: vec![("WORKGROUP", 256), ("BLOCK_WORDS", 528), ("CONFLICT_FREE", 1), ("INCLUSIVE", 1)],
        workgroup: (256, 1),
        workgroups: (65_535, 3),
        dispatches: 3,
    };
    let (method, kind) = match case {
        Case::Sums(method, kind) => (method, kind),
        _ => (ScanMethod::Naive, ScanKind::Exclusive),
    };
    let sums = SumSetup { method, kind, words: ScannedWords::Pixels, length: 67_108_863 };
    let blur = BlurSetup {
        method: if let Case::Blur(method) = case { method } else { BlurMethod::Square },
        size: 125,
        runs: 5,
        is_playing: true,
    };
    Came {
        figures: figures(if let Case::Counting(method) = case { method } else { Method::Race }),
        summed: Summed { steps: vec![step("blocks"), step("add")], ..summed(sums) },
        blurred: Blurred { steps: vec![step("across"), step("down")], ..blurred(blur) },
        drawn: Drawn {
            steps: vec![step("scale"), step("columns")],
            ..drawn(if let Case::Drawing(method) = case { method } else { DrawMethod::PerPixel })
        },
        block: vec![SAMPLES.map(|sample| Sample { bin: sample.bin % 256, ..sample }).to_vec(); 3],
    }
}

/// Returns the contents of the panel for a case.
fn topic(case: Case, came: &Came) -> TopicView<'_> {
    match case {
        Case::Basics(page) => TopicView::Basics(BasicsView { page, pixels: &[[255; 3]; 42], measured: &MEASURED }),
        Case::Counting(method) => TopicView::Counting(CountingView {
            method,
            own: None,
            measured: &MEASURED,
            chunk: (24, 10),
            is_usual: false,
            channels: ChannelSet::Four,
            bins: 1000,
            bars: Some(&came.figures),
            outcome: if method == Method::Subgroup {
                ChoiceOutcome::Impossible("llvmpipe (LLVM 15.0.6, 256 bits) does not support subgroups in shaders")
            } else {
                ChoiceOutcome::Done(&came.figures)
            },
            samples: &SAMPLES,
            samples_at: (3840, 2160),
        }),
        Case::Sums(..) => TopicView::Sums(SumView {
            setup: SumSetup { length: 1 << 26, ..came.summed.setup },
            outcome: ChoiceOutcome::Done(&came.summed),
            groups: Some(&came.summed.groups),
        }),
        Case::Blur(_) => TopicView::Blur(BlurView {
            setup: came.blurred.setup,
            outcome: ChoiceOutcome::Done(&came.blurred),
            newest: Some((&came.blurred, 1)),
            corners: Some([Pos2::ZERO, Pos2::new(1280.0, 0.0), Pos2::new(0.0, 720.0), Pos2::new(1280.0, 720.0)]),
            block: &came.block,
            block_at: (3840, 2160),
        }),
        Case::Drawing(method) => TopicView::Drawing(DrawView {
            method,
            bins: 1000,
            outcome: ChoiceOutcome::Done(&came.drawn),
            newest: Some((&came.drawn, 1)),
        }),
    }
}

/// Lays out a window with the lab open. Returns the panel's rectangle, the shapes drawn and the view.
fn laid_out(
    size: (u32, u32),
    case: Case,
    moment: i64,
    open: OpenPanels,
) -> (Rect, Vec<egui::epaint::ClippedShape>, Rect) {
    laid_out_as((size, false), case, moment, open)
}

/// Like [`laid_out`], but the panel may be brief.
fn laid_out_as(
    (size, is_brief): ((u32, u32), bool),
    case: Case,
    moment: i64,
    open: OpenPanels,
) -> (Rect, Vec<egui::epaint::ClippedShape>, Rect) {
    laid_out_in((size, (is_brief, None)), case, moment, open)
}

/// Like [`laid_out_as`], but the panel may also be large, without or with the code.
fn laid_out_in(
    (size, (is_brief, large)): ((u32, u32), (bool, Option<bool>)),
    case: Case,
    moment: i64,
    open: OpenPanels,
) -> (Rect, Vec<egui::epaint::ClippedShape>, Rect) {
    let mut hud = Hud::without_window();
    let (is_large, has_code) = (large.is_some(), large == Some(true));
    (hud.is_large, hud.has_code) = (is_large, has_code);
    let zoom = hud.set_scale(size, 1.0);
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(size.0 as f32, size.1 as f32) / zoom);
    let panels = pair(view.width(), view.height());
    let came = came(case);
    let lab = LabView {
        topic: topic(case, &came),
        scale: BarScale::Tutorial,
        tick: moment,
        is_paused: false,
        is_brief,
        measured: &MEASURED,
        input: None,
        is_large,
        has_code,
    };
    hud.panels = open;
    let numbers = crate::tests::figures(4);
    let lines = crate::tests::many_lines();
    let shown = open.within(left_for_others(f64::from(view.width()), true));
    let tables = Tables {
        info: shown.info.then_some(&lines[..]),
        stats: shown.numbers.then_some(&numbers),
        ..Tables::default()
    };
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
fn the_panel_covers_no_histogram_and_at_most_a_third_of_the_picture() {
    for size in SIZES {
        for method in cases() {
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
fn text_of_the_lab_is_never_covered_or_unreadable() {
    let open = [
        OpenPanels::default(),
        OpenPanels { numbers: true, ..OpenPanels::default() },
        OpenPanels { info: true, adjusting: true, ..OpenPanels::default() },
    ];
    let mut found = std::collections::BTreeSet::new();
    for size in SIZES {
        for method in cases() {
            for (moment, open) in open.into_iter().enumerate() {
                let (_, shapes, view) = laid_out(size, method, moment as i64 * 3, open);
                let told = faults(items(&shapes), view);
                found.extend(told.into_iter().map(|fault| format!("{fault} at {size:?}, {method:?}, {open:?}")));
            }
        }
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.into_iter().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_lab_in_the_whole_window_has_whole_texts_in_letters_that_grow_with_it() {
    let mut found = std::collections::BTreeSet::new();
    for size in SIZES {
        for case in cases() {
            for (moment, has_code) in [(0, false), (3, false), (1, true)] {
                let large = |open| laid_out_in((size, (false, Some(has_code))), case, moment, open);
                let (panel, shapes, view) = large(OpenPanels { numbers: true, info: true, ..OpenPanels::default() });
                assert!(
                    panel.width() > view.width() - 40.0 && view.contains_rect(panel),
                    "{case:?} at {size:?}: {panel:?}"
                );
                found.extend(faults(items(&shapes), view).into_iter().map(|f| format!("{f} at {size:?}, {case:?}")));
                // At least a sixtieth of the height is the size of a word's letters, or a ninetieth beside the code.
                let most = if has_code { 90.0 } else { 60.0 };
                assert!(view.height() / crate::theme::SMALL < most, "{view:?} at {size:?}");
                let told = words(&shapes);
                let is_roomy = size.0 >= 960;
                assert!(
                    !is_roomy
                        || told.contains("\n||\n")
                        || matches!(case, Case::Basics(LabPage::Colours | LabPage::Predict))
                );
                assert!(!told.contains("R G B"), "{case:?}: a histogram’s label over the lab");
            }
        }
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.into_iter().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_and_why_stand_before_times_and_buttons_at_the_sample_s_own_size() {
    for case in cases() {
        let (what, why) = match case {
            Case::Basics(_) => continue,
            Case::Counting(method) => (method.explanation(), words::why(method)),
            Case::Sums(method, _) => (method.explanation(), sums::why(method)),
            Case::Blur(method) => (method.explanation(), blurs::why(method)),
            Case::Drawing(method) => (method.explanation(), drawings::why(method)),
        };
        for moment in 0..4 {
            let all = words(&laid_out((1280, 720), case, moment, OpenPanels::default()).1);
            let told = all.split_once("\nprefix sum\n").expect("the tabs").1;
            let place = |text: &str| told.find(text).unwrap_or_else(|| panic!("{case:?}: no {text:?} in {told}"));
            assert!(place(what) < place(why), "{case:?}");
            for later in [" ms", " µs"].into_iter().filter_map(|unit| told.find(unit)) {
                assert!(place(why) < later, "{case:?}: {told}");
            }
        }
    }
    // In a smaller window, the tree of a prefix sum has its text and its diagram too.
    for method in ScanMethod::ALL {
        let case = Case::Sums(method, ScanKind::Exclusive);
        for moment in 0..9 {
            let [told, roomier] =
                [(960, 540), (1024, 600)].map(|size| words(&laid_out(size, case, moment, OpenPanels::default()).1));
            assert!(told.contains(method.explanation()), "{method:?} at {moment}: {told}");
            assert!(roomier.contains(method.explanation()) && roomier.contains("||"), "{method:?}: {roomier}");
        }
    }
}

#[test]
fn links_have_room_between_rows_and_numbers_do_not_touch() {
    fn gather(shape: &egui::Shape, links: &mut Vec<(Pos2, f32)>, numbers: &mut Vec<Rect>) {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| gather(shape, links, numbers)),
            // Dashes are shorter.
            egui::Shape::LineSegment { points: [a, b], stroke } if stroke.width == 1.2 && a.distance(*b) > 5.0 => {
                links.push((*a, (a.y - b.y).abs()));
            }
            egui::Shape::Text(text) => {
                let is_number = |c: char| c.is_ascii_digit() || "kMG()".contains(c);
                if text.galley.job.text.chars().all(is_number) {
                    numbers.push(text.visual_bounding_rect());
                }
            }
            _ => {}
        }
    }
    for (size, large) in [((1280, 720), None), ((1920, 1080), None), ((960, 540), None), ((1280, 720), Some(false))] {
        for case in cases() {
            for moment in 0..12 {
                let (panel, shapes, _) = laid_out_in((size, (false, large)), case, moment, OpenPanels::default());
                let (mut links, mut numbers) = (Vec::new(), Vec::new());
                shapes.iter().for_each(|clipped| gather(&clipped.shape, &mut links, &mut numbers));
                links.retain(|(at, _)| panel.contains(*at));
                let least = links.into_iter().map(|(_, down)| down).fold(f32::INFINITY, f32::min);
                assert!(least >= 28.0 - 0.01, "{case:?} at {size:?}, moment {moment}: {least}");
                numbers.retain(|number| panel.contains_rect(*number));
                for (place, a) in numbers.iter().enumerate() {
                    let near = numbers[..place].iter().find(|b| a.intersects(b.expand2(Vec2::new(2.5, -2.0))));
                    assert_eq!(near, None, "{case:?} at {size:?}, moment {moment}: {a:?}");
                }
            }
        }
    }
}

/// Returns all text that is drawn.
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
fn a_panel_without_room_for_everything_says_that_there_is_more() {
    for (size, has_all) in [((1600, 900), true), ((1280, 720), true), ((480, 270), false)] {
        let (_, shapes, _) = laid_out(size, Case::Counting(Method::Pairwise), 2, OpenPanels::default());
        let told = words(&shapes);
        let parts = ["dispatch", "per pixel:", "CHUNK_HEIGHT = 16", "256×1", "Pairs keep many"];
        for part in parts {
            assert_eq!(told.contains(part), has_all, "{part} at {size:?}: {told}");
        }
        assert_eq!(told.contains("a larger window shows more"), !has_all, "{size:?}");
        let kept = ["equals the reference", "× the floor", "6/10", "chunks, reduced pair by pair"];
        assert!(kept.into_iter().all(|part| told.contains(part)), "{size:?}: {told}");
    }
}

#[test]
fn a_brief_panel_keeps_the_essentials_and_covers_little_of_the_picture() {
    for case in cases() {
        let (whole, _, _) = laid_out((1280, 720), case, 0, OpenPanels::default());
        let (brief, shapes, view) = laid_out_as(((1280, 720), true), case, 0, OpenPanels::default());
        assert!(brief.area() < 0.5 * whole.area(), "{case:?}: {} of {}", brief.area(), whole.area());
        let told = words(&shapes);
        let kept = ["prefix sum", "pause for details"];
        assert!(kept.into_iter().all(|part| told.contains(part)), "{case:?}: {told}");
        let faults = faults(items(&shapes), view);
        assert!(faults.is_empty(), "{case:?}: {faults:?}");
    }
}

#[test]
fn a_window_of_1280_by_720_shows_all_about_the_first_methods() {
    for method in [Method::Scalar, Method::Race, Method::Atomics] {
        let (_, shapes, _) = laid_out((1280, 720), Case::Counting(method), 2, OpenPanels::default());
        let told = words(&shapes);
        assert!(told.contains("CHUNK_HEIGHT") && !told.contains("a larger window"), "{method:?}: {told}");
    }
}

#[test]
fn a_low_window_leaves_out_the_text_of_a_page_before_its_picture() {
    for (page, text, picture) in [
        (LabPage::ByHand, "⌊v·n⌋", "6×7 colours"),
        (LabPage::Ids, "a workgroup a grid", "workgroup_id"),
        (LabPage::Barrier, "storageBarrier", "own bins"),
    ] {
        let shown = [270, 320, 360, 400, 440, 480, 540].map(|height| {
            let (_, shapes, _) = laid_out((height * 16 / 9, height), Case::Basics(page), 0, OpenPanels::default());
            let told = words(&shapes);
            (told.contains(text), told.contains(picture))
        });
        assert!(shown.into_iter().all(|(text, picture)| picture || !text), "{page:?}: {shown:?}");
        assert!(shown[5].1, "{page:?} at 854×480: {shown:?}");
    }
}

#[test]
fn the_diagram_has_its_buttons_without_taking_room_from_anything() {
    // The key to the colours and the predictions have no steps.
    for case in cases().filter(|case| !matches!(case, Case::Basics(LabPage::Colours | LabPage::Predict))) {
        let (_, shapes, _) = laid_out((1280, 720), case, 0, OpenPanels::default());
        let told = words(&shapes);
        assert!(["\n<\n", "\n||\n", "\n>\n"].iter().all(|button| told.contains(button)), "{case:?}: {told}");
    }
}

#[test]
fn a_diagram_s_buttons_are_shown_only_with_the_diagram() {
    for case in cases() {
        for (size, is_brief) in [((480, 270), false), ((640, 480), false), ((1280, 720), true)] {
            let open = OpenPanels::default();
            // The next step changes only what is drawn of the diagram.
            let [told, next] = [0, 1].map(|moment| words(&laid_out_as((size, is_brief), case, moment, open).1));
            let has_buttons = told.contains("\n||\n");
            assert!(!has_buttons || told != next, "{case:?} at {size:?}, brief: {is_brief}: {told}");
        }
    }
}

#[test]
fn letters_in_the_cells_of_a_blur_s_diagram_are_not_reduced() {
    fn smallest(shape: &egui::Shape) -> f32 {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().map(smallest).fold(f32::INFINITY, f32::min),
            egui::Shape::Text(text) => {
                let fonts = text.galley.job.sections.iter().map(|section| &section.format.font_id);
                fonts.map(|font| font.size).fold(f32::INFINITY, f32::min)
            }
            _ => f32::INFINITY,
        }
    }
    for method in BlurMethod::ALL {
        for moment in 0..6 {
            let (_, shapes, _) = laid_out((1280, 720), Case::Blur(method), moment, OpenPanels::default());
            let least = shapes.iter().map(|clipped| smallest(&clipped.shape)).fold(f32::INFINITY, f32::min);
            assert!(least >= 10.5, "{method:?} at {moment}: {least}");
        }
    }
}

#[test]
fn each_topic_has_its_own_contents() {
    for (case, parts) in [
        (
            Case::Sums(ScanMethod::Blelloch, ScanKind::Exclusive),
            ["luminance in 16 groups", "bank", "CPU’s loop", "2^20"],
        ),
        (Case::Sums(ScanMethod::HillisSteele, ScanKind::Inclusive), ["8 apart", "inclusive", "per word:", "level 3"]),
        (Case::Basics(LabPage::ByHand), ["by hand", "⌊v·n⌋", "6×7 colours", "1/5"]),
        (Case::Basics(LabPage::Ids), ["workgroup_id", "1,6", "ids", "2/5"]),
        (Case::Basics(LabPage::Barrier), ["storageBarrier", "own bins", "counts", "3/5"]),
        (Case::Basics(LabPage::Colours), ["lost", "waits", "written", "4/5"]),
        (Case::Basics(LabPage::Predict), ["held on this machine: 12.34 ×", "did not hold", "to run", "5/5"]),
        (Case::Blur(BlurMethod::Tiled), ["halo", "tile", "ns per result", "runs"]),
        (Case::Blur(BlurMethod::Square), ["result", "N = 3", "loads from the image", "127"]),
        (Case::Drawing(DrawMethod::PerPixel), ["per pixel: scale", "per column: scale", "loaded", "4096"]),
        (Case::Drawing(DrawMethod::PerColumn), ["heights", "loaded", "columns", "bins"]),
    ] {
        for size in [(1280, 720), (1600, 900), (2560, 1440)] {
            let (_, shapes, _) = laid_out(size, case, 0, OpenPanels::default());
            let told = words(&shapes);
            assert!(parts.into_iter().all(|part| told.contains(part)), "{case:?} at {size:?}: {told}");
        }
    }
}

#[test]
fn textures_are_released_with_the_lab_whether_or_not_anything_else_is_visible() {
    for (case, count) in [
        (Case::Counting(Method::Race), 2),
        (Case::Blur(BlurMethod::Tiled), 3),
        (Case::Drawing(DrawMethod::PerPixel), 1),
    ] {
        for stays_visible in [true, false] {
            let mut hud = Hud::without_window();
            let panels = pair(1280.0, 720.0);
            let came = came(case);
            let lab = LabView {
                topic: topic(case, &came),
                scale: BarScale::Tutorial,
                tick: 0,
                is_paused: false,
                is_brief: false,
                measured: &MEASURED,
                input: None,
                is_large: false,
                has_code: false,
            };
            let open = Model { lab: Some(&lab), ..model(&panels) };
            // Track textures as the renderer does: those set are created, those freed are dropped. The font's own is
            // not counted.
            let mut held = std::collections::BTreeSet::new();
            let mut drawn = |hud: &mut Hud, model: &Model<'_>, now| {
                let (mut shapes, _) = hud.lay_out(None, ((1280, 720), 1.0), model, now);
                let textures = &mut shapes.textures.0;
                held.extend(textures.set.keys().map(|id| format!("{id:?}")));
                textures.free.iter().for_each(|id| assert!(held.remove(&format!("{id:?}")), "{id:?} was not there"));
                textures.clear();
                held.len() - 1
            };
            let begin = std::time::Instant::now();
            hud.wake(begin);
            assert_eq!((0..3).map(|_| drawn(&mut hud, &open, begin)).last(), Some(count), "{case:?}");
            let end = if stays_visible { begin } else { begin + std::time::Duration::from_mins(1) };
            let left = (0..2).map(|_| drawn(&mut hud, &model(&panels), end)).last();
            assert_eq!(left, Some(0), "{case:?}, {stays_visible}");
            assert_eq!(hud.is_visible(end), stays_visible);
        }
    }
}

#[test]
fn each_step_of_a_diagram_lights_one_line_of_its_shader() {
    let context = egui::Context::default();
    let mut lit = std::collections::BTreeSet::new();
    let mut output = context.run_ui(egui::RawInput::default(), |ui| {
        for case in cases() {
            let came = came(case);
            for tick in 0..30 {
                let topic = topic(case, &came);
                let scale = BarScale::Tutorial;
                let (is_paused, is_brief, input, is_large, has_code) = (true, false, None, true, true);
                let measured = &MEASURED;
                let view = LabView { topic, scale, tick, is_paused, is_brief, measured, input, is_large, has_code };
                let blocks = panel::blocks(ui, &view, 600.0);
                let part = blocks.iter().find(|block| block.rank == block::DIAGRAM).map_or("", |block| block.code);
                let runs_on_cpu = matches!(case, Case::Basics(_) | Case::Counting(Method::Scalar | Method::OursCpu));
                let code = StepCode::of(&view.topic, part);
                assert_eq!((code.is_none(), StepCode::is_for(&view.topic)), (runs_on_cpu, !runs_on_cpu), "{case:?}");
                let Some(code) = code else { continue };
                let lines = code.lines.iter().filter(|line| line.text.contains(part)).count();
                assert!(!part.is_empty() && lines == 1, "{case:?} at {tick}: {lines} lines with {part:?}");
                lit.insert((format!("{case:?}"), part));
            }
        }
    });
    output.textures_delta.clear();
    assert!(lit.len() > 30, "{lit:?}");
}

#[test]
fn new_lines_and_a_fault_are_marked_in_the_code() {
    let came = came(Case::Counting(Method::Atomics));
    let TopicView::Counting(view) = topic(Case::Counting(Method::Atomics), &came) else { panic!("not counting") };
    let new = |code: &StepCode| {
        let lines = code.lines.iter().filter(|line| line.is_new).map(|line| line.text.trim().to_owned());
        lines.collect::<Vec<_>>()
    };
    let code = StepCode::of(&TopicView::Counting(view.clone()), "atomicAdd").expect("it has a shader");
    let atomic = "atomicAdd(&bins[word_of(own[channel], channel)], 1u);";
    assert_eq!(new(&code), ["@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;", atomic]);
    let text = Method::Atomics.shader().expect("WGSL").source().replace("], 1u)", "], 2u)");
    let own = Some(OwnView { name: "my.wgsl".to_owned(), text: &text, fault: Some(51) });
    let code = StepCode::of(&TopicView::Counting(CountingView { own, ..view }), "atomicAdd").expect("it has a shader");
    assert_eq!(new(&code), [atomic.replace("1u", "2u")]);
    assert_eq!((code.lit, code.fault), (Some(50), Some(50)));
}
