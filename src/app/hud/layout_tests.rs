//! What the display lays out at five sizes of the window, with every set of panels, every note and the menus, over black, white and
//! saturated pictures: no box on another, no text on another, none cut off, none too faint to be read.

use egui::Color32;
use egui::epaint::{ClippedShape, Shape};

use super::tests::{adjusted_model, figures, many_lines, model, pair};
use super::*;
use crate::app::recent::RecentFile;
use crate::gpu::draw::FontTextures;
use crate::gpu::live::PassTimes;
use crate::playback::SeekGoal;
use crate::view::marked::Marked;

pub(super) const SIZES: [(u32, u32); 5] = [(480, 270), (800, 500), (960, 540), (1600, 900), (2560, 1440)];

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
pub(super) const LEAST_CONTRAST: f64 = 4.5;

/// The relative luminance that WCAG defines.
fn luminance(color: Color32) -> f64 {
    let linear = |code: u8| match f64::from(code) / 255.0 {
        code if code <= 0.040_45 => code / 12.92,
        code => ((code + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

pub(super) fn contrast(a: Color32, b: Color32) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A premultiplied colour over an opaque one, as they are blended on the view.
pub(super) fn over(top: Color32, below: Color32) -> Color32 {
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

/// What a case draws, and where.
struct Laid {
    items: Vec<Item>,
    /// The view in points.
    view: Rect,
    /// Whether boxes may not even lie on each other.
    is_strict: bool,
    /// Where menus are, which cover what is below them for as long as they are open, and nothing covers them.
    menus: Vec<Rect>,
}

impl Laid {
    fn is_of_menu(&self, rect: Rect) -> bool {
        self.menus.iter().any(|menu| menu.expand(1.0).contains_rect(rect))
    }
}

/// Boxes that lie on each other.
fn overlaps(laid: &Laid) -> Vec<String> {
    let boxes = laid.items.iter().filter_map(|item| match item {
        Item::Fill(rect, color) if *color == theme::PLATE || *color == theme::SOLID => Some(rect.intersect(laid.view)),
        _ => None,
    });
    let boxes: Vec<Rect> = boxes.filter(Rect::is_positive).collect();
    let mut faults = Vec::new();
    for (place, upper) in boxes.iter().enumerate().filter(|&(_, upper)| !laid.is_of_menu(*upper)) {
        for lower in &boxes[..place] {
            let common = upper.intersect(*lower);
            if common.shrink(0.8).is_positive() {
                faults.push(format!("a box lies on another: {upper:?} on {lower:?}"));
            }
        }
    }
    faults
}

/// What is wrong with text that is drawn on a view of that size in points, where no menu is open.
pub(super) fn faults(items: Vec<Item>, view: Rect) -> Vec<String> {
    faults_of(&Laid { items, view, is_strict: false, menus: Vec::new() })
}

/// Everything that is wrong with what is drawn.
fn faults_of(laid: &Laid) -> Vec<String> {
    let Laid { items, view, .. } = laid;
    let view = *view;
    let mut faults = if laid.is_strict { overlaps(laid) } else { Vec::new() };
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
                    if color.a() > 8 && (laid.is_strict || color.a() < 255) && is_bare && !laid.is_of_menu(*rect) {
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
pub(super) struct Case {
    pub size: (u32, u32),
    pub open: OpenPanels,
    pub is_adjusted: bool,
    pub has_entry: bool,
    /// Which of [`NOTES`].
    pub note: usize,
    pub menu: Option<fn(Pos2) -> Menu>,
    /// Where the pointer is, as parts of the view.
    pub pointer: (f32, f32),
}

/// Notes of every kind, each the longest of its kind: what keys say, what is told at more length, what went wrong.
const NOTES: [fn() -> [Note; 2]; 5] = [
    || [Note::done("+5 s  ·  1:02:03.500  frame 111705"), Note::warning(DAMAGED)],
    || {
        [
            Note::warning("the file is not whole: it was cut off in the middle of its data"),
            Note::done("marked: what is up to 2 % and from 98 %"),
        ]
    },
    || {
        [
            Note::info("left at 1:02:03: Shift+Home continues there"),
            Note::done("no black bars at the edges of this frame"),
        ]
    },
    || {
        let path = "/mnt/storage/a/Videos/rushes of the second day/a file with quite a long name-frame-111705-2.png";
        [
            Note::done("undone: result: low-pass 9×9, 4 classes"),
            Note::info(format!("saved {path} and its bins as .json")),
        ]
    },
    || {
        let graphics = "the graphics device was lost; everything on it has been made again";
        let dialog = "this desktop has no file dialog; drop a file on the window, or name it on the command line";
        [Note::warning(graphics), Note::warning(dialog)]
    },
];
const DAMAGED: &str = "the file is damaged: 12 packets refused by the decoder, 3 frames damaged";

pub(super) fn all_panels() -> impl Iterator<Item = OpenPanels> {
    (0..32_u8).map(|bits| {
        let bit = |bit: u8| bits >> bit & 1 == 1;
        OpenPanels { help: bit(4), info: bit(0), numbers: bit(1), timing: bit(2), adjusting: bit(3) }
    })
}

/// Lays a case out until it stands.
fn laid_out(case: Case) -> Laid {
    let mut hud = Hud::without_window();
    let (shapes, _) = shapes_of(&mut hud, case);
    let view = hud.context.content_rect();
    let menus = hud.menu.take().map_or_else(Vec::new, |menu| menu.places);
    Laid { items: items(&shapes), view, is_strict: true, menus }
}

/// What is seen of each text, with its colours.
pub(super) fn texts(items: &[Item]) -> Vec<(String, Rect, Vec<Color32>)> {
    let seen = items.iter().filter_map(|item| match item {
        Item::Text(text) => Some((text.words.clone(), text.rect.intersect(text.clip), text.colors.clone())),
        Item::Fill(..) => None,
    });
    seen.filter(|(_, rect, _)| rect.is_positive()).collect()
}

/// The shapes of a case once it stands, and the letters that they need.
pub(super) fn shapes_of(hud: &mut Hud, case: Case) -> (Vec<ClippedShape>, FontTextures) {
    let Case { size, open, is_adjusted, has_entry, note, menu, pointer } = case;
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
    // What a lamp tells is long.
    let lamp = card::Line { name: "L".to_owned(), color: theme::DIM, cells: cells(3) };
    let lamps = Readout {
        card: Card {
            title: "clipped? at the highest code, 1023  result, region".to_owned(),
            swatch: None,
            lines: vec![lamp; 4],
        },
        panel: panels[1].rect,
        columns: [panels[1].rect.max.x; 2],
        lasts: false,
    };
    let readouts = [brush, lamps];
    let readouts = &readouts[..if note % 2 == 0 { 1 } else { 2 }];
    let marked = Marked { looked_at: 8_294_400, pixels: 1_234_567, places: vec![[3839, 2159]], ..Marked::default() };
    let rings = [pos(0.4, 0.4), pos(0.6, 0.2)];
    let recent: Vec<_> = (0..20).map(recent_file).collect();
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
        exposure: ExposureView {
            chosen: crate::view::exposure::Exposure { zebra: !has_entry, marks: note % 2 == 0, ..Default::default() },
            is_adjustable: note % 3 > 0,
            marked: Some(&marked),
            rings: &rings,
        },
        tables: Tables {
            timing: shown.timing.then_some(&times),
            info: shown.info.then_some(&lines[..]),
            stats: shown.numbers.then_some(&numbers),
        },
        pointer: PointerView { at: Some(at), probe: (note % 2 == 0).then_some(&probe), readouts },
        file: FileView { faulty: true, recent: &recent, left_at: Some(3723.0), ..base.file },
        picture: PictureView { seen: Some("75 % of the picture in view · c shows all"), ..base.picture },
        play: PlayState { waiting: Waiting::Seeking(SeekGoal::Time(3723.5)), frame_rate: Some(30.0), ..base.play },
        ..base
    };
    let now = Instant::now();
    if has_entry {
        hud.open_entry();
    }
    for note in NOTES[note % NOTES.len()]() {
        hud.note(note, now);
    }
    hud.wake(now);
    let input = || egui::RawInput {
        screen_rect: Some(view),
        events: vec![egui::Event::PointerMoved(at)],
        ..egui::RawInput::default()
    };
    let context = hud.context.clone();
    let mut textures = FontTextures::default();
    let mut run = |hud: &mut Hud| {
        let output = context.run_ui(input(), |ui| hud.show(ui, &model, now, &mut Vec::new()));
        textures.0.append(output.textures_delta);
        output.shapes
    };
    // Areas and tables find their sizes in the first of them.
    run(hud);
    // It is opened over what is there already.
    hud.menu = menu.map(|menu| menu(at));
    let shapes = (0..6).map(|_| run(hud)).last().unwrap_or_default();
    (shapes, textures)
}

fn recent_file(number: usize) -> RecentFile {
    let name = if number.is_multiple_of(3) {
        "a file with quite a long name, of the second day's rushes, take"
    } else {
        "clip"
    };
    let left_at_secs = (!number.is_multiple_of(4)).then_some(60.0 * number as f64);
    RecentFile { path: format!("/mnt/storage/a/Videos/{name} {number}.mp4").into(), left_at_secs }
}

/// Fails with every kind of fault of these cases, each with the first case that has it.
fn check(cases: impl Iterator<Item = Case>) {
    let mut found = std::collections::BTreeMap::<String, (usize, String)>::new();
    for case in cases {
        for fault in faults_of(&laid_out(case)) {
            let kind = fault.split(':').next().unwrap_or_default().to_owned();
            found.entry(kind).or_insert((0, format!("{fault} with {case:?}"))).0 += 1;
        }
    }
    let lines: Vec<_> = found.values().map(|(count, fault)| format!("{count} times {fault}")).collect();
    assert!(lines.is_empty(), "{} kinds of faults:\n{}", lines.len(), lines.join("\n"));
}

const POINTERS: [(f32, f32); 4] = [(0.5, 0.5), (0.1, 0.4), (0.9, 0.3), (0.3, 0.06)];

#[test]
fn nothing_lies_on_text_or_cuts_it_off_and_all_of_it_can_be_read() {
    let all =
        SIZES.into_iter().flat_map(|size| all_panels().enumerate().map(move |(number, open)| (size, number, open)));
    check(all.flat_map(|(size, number, open)| {
        POINTERS.into_iter().enumerate().map(move |(index, pointer)| Case {
            size,
            open,
            is_adjusted: index % 2 == 1,
            has_entry: index >= 2,
            note: number + index,
            menu: None,
            pointer,
        })
    }));
}

#[test]
fn nothing_lies_on_a_menu_or_on_the_recent_files_and_they_are_whole() {
    let menus: [fn(Pos2) -> Menu; 2] = [Menu::everything, Menu::recent];
    let all = SIZES.into_iter().flat_map(|size| all_panels().step_by(5).map(move |open| (size, open)));
    let all = all.flat_map(|(size, open)| menus.map(|menu| (size, open, menu)));
    check(all.enumerate().map(|(number, (size, open, menu))| Case {
        size,
        open,
        is_adjusted: number % 3 == 0,
        has_entry: false,
        note: number,
        menu: Some(menu),
        pointer: POINTERS[number % 4],
    }));
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
    let count = |items: Vec<Item>| faults_of(&Laid { items, view, is_strict: true, menus: Vec::new() }).len();
    assert_eq!(count(vec![plate(theme::PLATE), text(10.0, theme::LIGHT), text(100.0, theme::DIM)]), 0);
    assert_eq!(
        count(vec![plate(theme::PLATE), text(10.0, theme::LIGHT), text(40.0, theme::LIGHT)]),
        1,
        "on each other"
    );
    assert_eq!(count(vec![plate(theme::PLATE), text(270.0, theme::LIGHT)]), 1, "cut off");
    assert!(count(vec![text(10.0, theme::LIGHT)]) > 0, "no plate");
    assert!(count(vec![plate(theme::PLATE), text(10.0, theme::OFF)]) > 0, "too faint");
    assert!(count(vec![plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::PLATE)]) > 0, "a box over it");
    let boxes = || vec![plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::SOLID)];
    assert_eq!(count(boxes()), 1, "a box on a box, which hides its text");
    let upper = Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 40.0));
    assert_eq!(
        faults_of(&Laid { items: boxes(), view, is_strict: true, menus: vec![upper] }).len(),
        0,
        "a menu may do so"
    );
    let half = Item::Fill(Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 18.0)), Color32::BLACK);
    assert_eq!(count(vec![plate(theme::SOLID), text(10.0, theme::LIGHT), half]), 1, "half of the text is covered");
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
