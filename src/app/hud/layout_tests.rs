//! What the display lays out at four sizes of the window, with every set of panels, over black, white and saturated pictures:
//! no text on another, none cut off, none too faint to be read.

use egui::Color32;
use egui::epaint::{ClippedShape, Shape};

use super::tests::{adjusted_model, figures, many_lines, model, pair};
use super::*;
use crate::gpu::live::PassTimes;
use crate::playback::SeekGoal;

const SIZES: [(u32, u32); 4] = [(480, 270), (960, 540), (1600, 900), (2560, 1440)];

/// Pictures behind everything.
const PICTURES: [Color32; 8] = [
    Color32::BLACK,
    Color32::WHITE,
    Color32::from_rgb(255, 0, 0),
    Color32::from_rgb(0, 255, 0),
    Color32::from_rgb(0, 0, 255),
    Color32::from_rgb(255, 255, 0),
    Color32::from_rgb(255, 0, 255),
    Color32::from_rgb(0, 255, 255),
];

/// The least contrast of text with what is behind it: WCAG 2, success criterion 1.4.3.
const LEAST_CONTRAST: f64 = 4.5;

/// The relative luminance that WCAG defines.
fn luminance(color: Color32) -> f64 {
    let linear = |code: u8| match f64::from(code) / 255.0 {
        code if code <= 0.040_45 => code / 12.92,
        code => ((code + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

fn contrast(a: Color32, b: Color32) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A premultiplied colour over an opaque one, as they are blended on the view.
fn over(top: Color32, below: Color32) -> Color32 {
    let left = 1.0 - f64::from(top.a()) / 255.0;
    let mix = |top: u8, below: u8| (f64::from(top) + f64::from(below) * left).round().min(255.0) as u8;
    Color32::from_rgb(mix(top.r(), below.r()), mix(top.g(), below.g()), mix(top.b(), below.b()))
}

/// A text as it is drawn.
pub(super) struct Text {
    words: String,
    rect: Rect,
    /// The part of the view that it is shown in.
    clip: Rect,
    colors: Vec<Color32>,
    /// Whether some of its letters are left out though it was not made to be shortened.
    is_cut: bool,
}

/// What is drawn, in its order.
pub(super) enum Item {
    Text(Text),
    Fill(Rect, Color32),
}

pub(super) fn items(shapes: &[ClippedShape]) -> Vec<Item> {
    fn gather(shape: &Shape, clip: Rect, items: &mut Vec<Item>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| gather(shape, clip, items)),
            Shape::Rect(rect) => items.push(Item::Fill(rect.rect.intersect(clip), rect.fill)),
            Shape::Text(text) => {
                let own = |color: Color32| match (text.override_text_color, color) {
                    (Some(color), _) => color,
                    (None, Color32::PLACEHOLDER) => text.fallback_color,
                    (None, color) => color,
                };
                let job = &text.galley.job;
                let colors = job.sections.iter().map(|section| own(section.format.color));
                let colors = colors.map(|color| color.gamma_multiply(text.opacity_factor)).collect();
                let is_cut = text.galley.elided && job.wrap.max_rows != 1;
                let rect = text.visual_bounding_rect();
                if !job.text.trim().is_empty() {
                    items.push(Item::Text(Text { words: job.text.clone(), rect, clip, colors, is_cut }));
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    shapes.iter().for_each(|clipped| gather(&clipped.shape, clipped.clip_rect, &mut all));
    all
}

/// Everything that is wrong with what is drawn on a view of that size in points.
pub(super) fn faults(items: &[Item], view: Rect) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let Item::Text(text) = item else { continue };
        let seen = text.rect.intersect(text.clip).intersect(view);
        if !seen.is_positive() {
            continue;
        }
        // What scrolls is cut at the edge of its panel, above or below, and nowhere else.
        let scrolls = text.clip.height() < view.height() - 1.0;
        let room = text.clip.intersect(view).expand(0.6);
        let is_inside = room.x_range().contains(text.rect.min.x)
            && room.x_range().contains(text.rect.max.x)
            && (scrolls || room.y_range().contains(text.rect.min.y) && room.y_range().contains(text.rect.max.y));
        if !is_inside || text.is_cut {
            faults.push(format!("‘{}’ is cut off: {:?} in {room:?}", text.words, text.rect));
        }
        let is_hidden = |later: &Item, part: Rect| matches!(later, Item::Fill(rect, color) if color.a() == 255 && rect.expand(0.6).contains_rect(part));
        if items[place + 1..].iter().any(|later| is_hidden(later, seen)) {
            continue;
        }
        for (aside, other) in items[place + 1..].iter().enumerate() {
            match other {
                Item::Text(other) => {
                    let common = seen.shrink(0.8).intersect(other.rect.shrink(0.8).intersect(other.clip));
                    let between = &items[place + 1..place + 1 + aside];
                    if common.is_positive() && !between.iter().any(|later| is_hidden(later, common)) {
                        faults.push(format!("‘{}’ lies on ‘{}’: {common:?}", other.words, text.words));
                    }
                }
                Item::Fill(rect, color) => {
                    let common = seen.shrink(0.8).intersect(*rect);
                    let between = &items[place + 1..place + 1 + aside];
                    let is_bare = common.is_positive() && !between.iter().any(|later| is_hidden(later, common));
                    if color.a() > 8 && color.a() < 255 && is_bare {
                        faults.push(format!("a box at {rect:?} lies on ‘{}’", text.words));
                    }
                }
            }
        }
        for picture in PICTURES {
            let mut behind = picture;
            for below in &items[..place] {
                if let Item::Fill(rect, color) = below
                    && rect.expand(0.6).contains_rect(seen.shrink(0.8))
                {
                    behind = over(*color, behind);
                }
            }
            for color in &text.colors {
                let found = contrast(over(*color, behind), behind);
                if found < LEAST_CONTRAST {
                    faults.push(format!("‘{}’ has a contrast of {found:.2} over {picture:?}", text.words));
                }
            }
        }
    }
    faults
}

/// What is shown besides the controls.
#[derive(Debug, Clone, Copy)]
struct Case {
    size: (u32, u32),
    open: OpenPanels,
    is_adjusted: bool,
    has_entry: bool,
    /// Where the pointer is, as parts of the view.
    pointer: (f32, f32),
}

fn all_panels() -> impl Iterator<Item = OpenPanels> {
    (0..32_u8).map(|bits| {
        let bit = |bit: u8| bits >> bit & 1 == 1;
        OpenPanels { help: bit(4), info: bit(0), numbers: bit(1), timing: bit(2), adjusting: bit(3) }
    })
}

/// Lays a case out until it stands, and gives what is drawn and the view in points.
fn laid_out(case: Case) -> (Vec<Item>, Rect) {
    let Case { size, open, is_adjusted, has_entry, pointer } = case;
    let mut hud = Hud::without_window();
    let zoom = hud.set_scale(size, 1.0);
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(size.0 as f32, size.1 as f32) / zoom);
    let panels = pair(view.width(), view.height());
    hud.panels = open;
    let shown = open.within(f64::from(view.width()));
    let (lines, numbers) = (many_lines(), figures(4));
    let times = TimingTable {
        engine: "cpu",
        adapter: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
        times: PassTimes { cpu_count: Some(Duration::from_micros(2500)), ..PassTimes::default() },
        has_timestamps: true,
        counted: 1234,
        dropped: 56,
        damaged: 7,
    };
    let pos = |x: f32, y: f32| Pos2::new(view.width() * x, view.height() * y);
    let at = pos(pointer.0, pointer.1);
    let cells = |count: usize| vec![("1023".to_owned(), theme::LIGHT); count];
    let line = |count| card::Line { name: "luminance".to_owned(), color: theme::DIM, cells: cells(count) };
    let probe = ProbeText {
        card: Card { title: "x 1234  y 567".to_owned(), swatch: None, lines: vec![line(3), line(1), line(3)] },
        at,
    };
    let brush = Readout {
        card: Card { title: "codes 16 to 235".to_owned(), swatch: None, lines: vec![line(2)] },
        panel: panels[0].rect,
        columns: [view.width() * 0.1, view.width() * 0.2],
        lasts: true,
    };
    let readouts = [brush];
    let mut base = if is_adjusted { adjusted_model(&panels) } else { model(&panels) };
    if is_adjusted {
        base.scopes.channels = crate::gpu::draw::Channels::one(3);
    }
    let region = RegionView {
        rect: Rect::from_min_max(pos(0.2, 0.1), pos(0.8, 0.9)),
        is_proposed: has_entry,
        text: "region 1920×800 at 0, 140  74.1 % of the picture".to_owned(),
        handles: vec![(pos(0.2, 0.1), false), (pos(0.5, 0.5), true)],
        cursor: None,
    };
    let model = Model {
        region: is_adjusted.then_some(&region),
        exposure: (!has_entry).then_some(crate::view::exposure::Exposure { zebra: true, ..Default::default() }),
        tables: Tables {
            timing: shown.timing.then_some(&times),
            info: shown.info.then_some(&lines[..]),
            stats: shown.numbers.then_some(&numbers),
        },
        pointer: PointerView { at: Some(at), probe: Some(&probe), readouts: &readouts },
        file: FileView { faulty: true, ..base.file },
        play: PlayState { waiting: Waiting::Seeking(SeekGoal::Time(3723.5)), frame_rate: Some(30.0), ..base.play },
        ..base
    };
    let now = Instant::now();
    if has_entry {
        hud.open_entry();
    }
    hud.note(Note::done("+5 s  ·  1:02:03.500  frame 111705"), now);
    hud.note(Note::warning("the file is damaged: 12 packets refused by the decoder, 3 frames damaged"), now);
    hud.wake(now);
    let input = || egui::RawInput {
        screen_rect: Some(view),
        events: vec![egui::Event::PointerMoved(at)],
        ..egui::RawInput::default()
    };
    let context = hud.context.clone();
    let run = |hud: &mut Hud| {
        let mut output = context.run_ui(input(), |ui| hud.show(ui, &model, now, &mut Vec::new()));
        output.textures_delta.clear();
        output.shapes
    };
    // Areas and tables find their sizes in the first of them.
    let shapes = (0..3).map(|_| run(&mut hud)).last().unwrap_or_default();
    (items(&shapes), view)
}

#[test]
fn nothing_lies_on_text_or_cuts_it_off_and_all_of_it_can_be_read() {
    let mut found = std::collections::BTreeMap::<String, (usize, String)>::new();
    let pointers = [(0.5, 0.5), (0.1, 0.4), (0.9, 0.3), (0.3, 0.06)];
    for (size, open) in SIZES.into_iter().flat_map(|size| all_panels().map(move |open| (size, open))) {
        for (index, pointer) in pointers.into_iter().enumerate() {
            let case = Case { size, open, is_adjusted: index % 2 == 1, has_entry: index >= 2, pointer };
            let (items, view) = laid_out(case);
            for fault in faults(&items, view) {
                let kind = fault.split(':').next().unwrap_or_default().to_owned();
                found.entry(kind).or_insert((0, format!("{fault} with {case:?}"))).0 += 1;
            }
        }
    }
    let lines: Vec<_> = found.values().map(|(count, fault)| format!("{count} times {fault}")).collect();
    assert!(lines.is_empty(), "{} kinds of faults:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn what_is_wrong_is_found() {
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(300.0, 200.0));
    let text = |at: f32, color| {
        Item::Text(Text {
            words: "words".to_owned(),
            rect: Rect::from_min_size(Pos2::new(at, 20.0), Vec2::new(50.0, 14.0)),
            clip: view,
            colors: vec![color],
            is_cut: false,
        })
    };
    let plate = |fill| Item::Fill(Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 40.0)), fill);
    let count = |items: &[Item]| faults(items, view).len();
    assert_eq!(count(&[plate(theme::PLATE), text(10.0, theme::LIGHT), text(100.0, theme::DIM)]), 0);
    assert_eq!(count(&[plate(theme::PLATE), text(10.0, theme::LIGHT), text(40.0, theme::LIGHT)]), 1, "on each other");
    assert_eq!(count(&[plate(theme::PLATE), text(270.0, theme::LIGHT)]), 1, "cut off");
    assert!(count(&[text(10.0, theme::LIGHT)]) > 0, "no plate");
    assert!(count(&[plate(theme::PLATE), text(10.0, theme::OFF)]) > 0, "too faint");
    assert!(count(&[plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::PLATE)]) > 0, "a box over it");
    assert_eq!(count(&[plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::SOLID)]), 0, "hidden as a whole");
}

#[test]
fn boxes_shrink_again_when_their_text_gets_shorter() {
    let plates = |hud: &mut Hud, is_long: bool, now: Instant| {
        let panels = pair(1600.0, 900.0);
        let mut numbers = figures(4);
        let mut lines = many_lines();
        let note = if is_long { "a note that says a good deal more than the one that follows it" } else { "short" };
        if !is_long {
            numbers.columns.iter_mut().flatten().for_each(|cell| "7".clone_into(cell));
            lines.truncate(2);
            lines.iter_mut().for_each(|line| "short".clone_into(&mut line.value));
        }
        hud.note(Note::done(note), now);
        hud.panels = OpenPanels { info: true, numbers: true, ..OpenPanels::default() };
        let tables = Tables { info: Some(&lines), stats: Some(&numbers), ..Tables::default() };
        let model = Model { tables, ..model(&panels) };
        let context = hud.context.clone();
        let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(1600.0, 900.0));
        let run = |hud: &mut Hud| {
            let input = egui::RawInput { screen_rect: Some(view), ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| hud.show(ui, &model, now, &mut Vec::new()));
            output.textures_delta.clear();
            output.shapes
        };
        let shapes = (0..4).map(|_| run(hud)).last().unwrap_or_default();
        let fills = items(&shapes).into_iter().filter_map(|item| match item {
            Item::Fill(rect, color) if color == theme::PLATE || color == theme::SOLID => Some(rect),
            _ => None,
        });
        fills.collect::<Vec<_>>()
    };
    let now = Instant::now();
    let fresh = plates(&mut Hud::without_window(), false, now);
    assert!(fresh.len() >= 3, "{fresh:?}");
    let mut hud = Hud::without_window();
    assert_ne!(plates(&mut hud, true, now), fresh);
    assert_eq!(plates(&mut hud, false, now), fresh, "boxes keep the size of a longer text");
}
