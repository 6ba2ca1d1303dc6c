//! Tests the layout at five window sizes, with every set of panels, every note and the menus, over black, white and
//! saturated pictures: no box overlaps another, and no text is covered, cut off or too faint to read.

mod faults;

use egui::epaint::ClippedShape;

use faults::{Item, Laid, faults_of};
pub(super) use faults::{MIN_CONTRAST, contrast, faults, items, over, texts, texts_before_all};

use super::tests::{adjusted_model, figures, many_lines, model, pair};
use super::*;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::sound::{Loudness, MeterLevels};
use histoscope_core::strip::{CELLS, Strip};
use histoscope_keys as keys;
use histoscope_render::gpu::draw::FontTextures;
use histoscope_render::gpu::live::PassTimes;
use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Unit};
use histoscope_render::view::marked::Marked;
use histoscope_render::view::probe_table::ProbeTable;
use histoscope_render::view::probes::Probes;

pub(super) const SIZES: [(u32, u32); 5] = [(480, 270), (800, 500), (960, 540), (1600, 900), (2560, 1440)];

/// Content in addition to the controls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub size: (u32, u32),
    pub open: OpenPanels,
    pub is_adjusted: bool,
    pub has_entry: bool,
    /// Index into [`NOTES`].
    pub note: usize,
    pub menu: Option<fn(Pos2) -> Menu>,
    /// Position of the pointer, as fractions of the view.
    pub pointer: (f32, f32),
}

/// Returns the values of eight probes, in the widest columns.
pub(super) fn probe_table() -> ProbeTable {
    let frame = histoscope_core::test_data::gray((16, 9), |_, _| 128);
    let probes = (0..8).fold(Probes::default(), |probes, at| probes.with((at, at)).expect("there is room").0);
    let mut table = ProbeTable::of(&probes, &frame, Components::Rgbl).expect("they lie in the picture");
    table.columns.iter_mut().flat_map(|column| &mut column.cells).for_each(|cell| "12345".clone_into(cell));
    table
}

/// Notes of every kind, each the longest of its kind: on what keys did, on what takes longer to read, and on what went
/// wrong.
const NOTES: [fn() -> [Note; 2]; 5] = [
    || [Note::done("+5 s  ·  1:02:03.500  frame 111705"), Note::warning(DAMAGED)],
    || {
        [
            Note::warning("the file is incomplete: it was cut off in the middle of its data"),
            Note::done("marks: at or below 2 %, at or above 98 %"),
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
        let graphics = "the graphics device was lost; everything on it was recreated";
        let dialog = "this desktop has no file dialog; drop a file on the window, or name it on the command line";
        [Note::warning(graphics), Note::warning(dialog)]
    },
];
const DAMAGED: &str = "the file is damaged: 12 packets refused by the decoder, 3 frames damaged";

pub(super) fn all_panels() -> impl Iterator<Item = OpenPanels> {
    // The findings and the facts share a position, and so do the durations and the sound meters.
    (0..128_u8).filter(|bits| bits & 33 != 33 && bits & 68 != 68).map(|bits| {
        let bit = |bit: u8| bits >> bit & 1 == 1;
        OpenPanels {
            help: bit(4),
            info: bit(0),
            checks: bit(5),
            numbers: bit(1),
            timing: bit(2),
            sound: bit(6),
            adjusting: bit(3),
        }
    })
}

/// Lays out a case repeatedly until the layout is stable.
fn laid_out(case: Case) -> Laid {
    let mut hud = Hud::without_window();
    let (shapes, _) = shapes_of(&mut hud, case);
    let view = hud.context.content_rect();
    let menus = hud.menu.take().map_or_else(Vec::new, |menu| menu.places);
    Laid { items: items(&shapes), view, menus }
}

/// Returns the shapes of a case once its layout is stable, and the textures of their text.
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
    let levels = MeterLevels { rms: Some(-60.0), peak: Some(-10.0), held: Some(-0.1) };
    let meters = SoundTable {
        channels: ["L", "R", "C", "LFE", "Ls", "Rs"].map(|name| (name.to_owned(), levels)).to_vec(),
        held: Loudness { true_peak: Some(-0.1), ..Loudness::default() },
        missing: Some("measuring 43 %".to_owned()),
        ..SoundTable::default()
    };
    let found: Vec<_> = (0..300).map(finding_row).collect();
    let verdict = "not passed by streaming-sdr: 103 errors, 97 warnings, 100 notes in 123456 frames";
    let findings = FindingsView {
        profiles: ["ebu", "streaming-sdr", "camera", "the house's own.toml"].map(str::to_owned).to_vec(),
        chosen: 1,
        formats: &["edl", "json", "csv"],
        outcome: match note % 3 {
            0 => FindingsOutcome::Running(37),
            1 => FindingsOutcome::Refused("udp://127.0.0.1:1234: check needs a file that can be read more than once"),
            _ => FindingsOutcome::Found { verdict, rows: &found },
        },
        selected: Some(7),
    };
    let probes = probe_table();
    let pos = |x: f32, y: f32| Pos2::new(view.width() * x, view.height() * y);
    let at = pos(pointer.0, pointer.1);
    let cells = |count: usize| vec![("1023".to_owned(), theme::LIGHT); count];
    let line = |count| card::CardLine { name: "luminance".to_owned(), color: theme::DIM, cells: cells(count) };
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
    // The text of a clip indicator is long.
    let indicator = card::CardLine { name: "L".to_owned(), color: theme::DIM, cells: cells(3) };
    let indicators = Readout {
        card: Card {
            title: "clipped? at the highest code, 1023  result, region".to_owned(),
            swatch: None,
            lines: vec![indicator; 4],
        },
        panel: panels[1].rect,
        columns: [panels[1].rect.max.x; 2],
        lasts: false,
    };
    let readouts = [brush, indicators];
    let readouts = &readouts[..if note % 2 == 0 { 1 } else { 2 }];
    let marked = Marked { looked_at: 8_294_400, pixels: 1_234_567, places: vec![[3839, 2159]], ..Marked::default() };
    let rings = [pos(0.4, 0.4), pos(0.6, 0.2)];
    let recent: Vec<_> = (0..20).map(recent_file).collect();
    let mut strip = Strip::new(10.0);
    for secs in 0..10 {
        strip.iter_mut().for_each(|strip| strip.glimpse(f64::from(secs), &[u64::from(secs as u32); CELLS]));
    }
    let mut base = if is_adjusted { adjusted_model(&panels) } else { model(&panels) };
    if is_adjusted {
        base.look.channels = histoscope_render::gpu::draw::Channels::one(3);
    }
    let region = RegionView {
        is_line: false,
        rect: Rect::from_min_max(pos(0.2, 0.1), pos(0.8, 0.9)),
        is_proposed: has_entry,
        text: "region 1920×800 at 0, 140  74.1 % of the picture".to_owned(),
        handles: vec![(pos(0.2, 0.1), false), (pos(0.5, 0.5), true)],
        cursor: None,
    };
    let tables = [
        (FalseColorTable::Camera, Unit::Codes),
        (FalseColorTable::Steps, Unit::Percent),
        (FalseColorTable::Steps, Unit::Codes),
    ];
    let (table, unit) = tables[note % 3];
    base.look.exposure = Exposure {
        zebra: !has_entry,
        marks: note % 2 == 0,
        false_color: FalseColor { shown: note % 4 > 0, table, unit },
        ..Exposure::default()
    };
    // The deepest codes, for the most digits.
    let layout = PixelLayout::planar_ycbcr(12, (1, 1));
    let color = Colorimetry::tagged(Matrix::Bt709, Range::Limited);
    let model = Model {
        region: is_adjusted.then_some(&region),
        exposure: ExposureView {
            tint: base.look.exposure.tint(&layout, &color, None),
            is_adjustable: note % 3 > 0,
            marked: MarkedView::Found(&marked),
            rings: &rings,
        },
        tables: Tables {
            timing: shown.timing.then_some(&times),
            sound: shown.sound.then_some(&meters),
            info: shown.info.then_some(&lines[..]),
            stats: shown.numbers.then_some(&numbers),
            findings: shown.checks.then_some(&findings),
            probes: (note % 4 == 1).then_some(&probes),
        },
        pointer: PointerView { at: Some(at), probe: (note % 2 == 0).then_some(&probe), readouts },
        file: FileView {
            faulty: true,
            recent: &recent,
            left_at: Some(3723.0),
            strip: strip.as_ref().filter(|_| note % 3 > 0),
            strip_size: if note % 3 > 1 { StripSize::Tall } else { StripSize::Small },
            ..base.file
        },
        picture: PictureView { seen: Some("75 % of the picture in view · c shows all"), ..base.picture },
        play: PlayState {
            waiting: Waiting::Seeking("seeking to 1:02:03.500 …".to_owned()),
            frame_rate: Some(30.0),
            ..base.play
        },
        ..base
    };
    let now = Instant::now();
    if has_entry {
        hud.open_entry(EntryKind::Place);
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
    // Areas and tables determine their sizes in the first run.
    run(hud);
    // The menu opens over what is already there.
    hud.menu = menu.map(|menu| menu(at));
    let shapes = (0..6).map(|_| run(hud)).last().unwrap_or_default();
    (shapes, textures)
}

fn finding_row(number: u64) -> FindingRow {
    let (weight, severity) =
        [(FindingWeight::Error, "error"), (FindingWeight::Warning, "warning"), (FindingWeight::Info, "info")]
            [number as usize % 3];
    let text = "size in the header 1920×1080, frames are 1440×1080".to_owned();
    let value = if number.is_multiple_of(2) { "98.7 %, limit 1.00 %".to_owned() } else { text.clone() };
    let length = format!("{} frames", 457 - number);
    let cells = [severity.to_owned(), "black-level".to_owned(), "1:30:32.100".to_owned(), length, value];
    FindingRow { frame: Some(123_000 + number), text, weight, cells }
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

/// Fails with every kind of fault in these cases, each with the first case that has it.
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
fn text_is_never_covered_cut_off_or_unreadable() {
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

fn menu_cases() -> impl Iterator<Item = Case> {
    let menus: [fn(Pos2) -> Menu; 2] = [Menu::everything, Menu::recent];
    let all = SIZES.into_iter().flat_map(|size| all_panels().step_by(5).map(move |open| (size, open)));
    let all = all.flat_map(move |(size, open)| menus.map(|menu| (size, open, menu)));
    all.enumerate().map(|(number, (size, open, menu))| Case {
        size,
        open,
        is_adjusted: number % 3 == 0,
        has_entry: false,
        note: number,
        menu: Some(menu),
        pointer: POINTERS[number % 4],
    })
}

#[test]
fn menus_and_recent_files_are_never_covered_or_cut_off() {
    check(menu_cases());
}

#[test]
fn every_entry_of_a_menu_is_one_line() {
    let mut entries = 0;
    for case in menu_cases().step_by(7) {
        let Laid { items, menus, .. } = laid_out(case);
        let is_in_menu = |rect: Rect| menus.iter().any(|menu| menu.expand(1.0).contains_rect(rect));
        // Items beneath the menu are drawn before its plate.
        let is_plate =
            |item: &Item| matches!(item, Item::Fill(rect, color) if *color == theme::SOLID && is_in_menu(*rect));
        let plate = items.iter().rposition(is_plate).expect("the menu has a plate");
        for (words, rect, _) in texts(&items[plate..]).into_iter().filter(|&(_, rect, _)| is_in_menu(rect)) {
            entries += 1;
            assert!(rect.height() < 20.0, "‘{words}’ takes two lines with {case:?}");
        }
    }
    assert!(entries > 100, "{entries}");
}

/// A missing button would suggest that the video lacks the channel.
#[test]
fn a_narrow_bar_has_the_buttons_of_all_channels_or_of_none() {
    let mut counts = std::collections::BTreeSet::new();
    for width in (100..700).step_by(7) {
        let (open, pointer) = (OpenPanels::default(), POINTERS[0]);
        let case =
            Case { size: (width, 300), open, is_adjusted: false, has_entry: false, note: 0, menu: None, pointer };
        let is_button = |(words, place, _): &(String, Rect, Vec<_>)| {
            ["R", "G", "B", "L"].contains(&words.as_str()) && place.center().y < 60.0
        };
        let buttons = texts(&laid_out(case).items).iter().filter(|text| is_button(text)).count();
        assert!([0, 4].contains(&buttons), "{width} points: {buttons} buttons");
        counts.insert(buttons);
    }
    assert_eq!(counts.len(), 2, "with room, and without");
}

#[test]
fn a_slow_seek_names_its_target() {
    let panels = [
        OpenPanels::default(),
        OpenPanels { numbers: true, ..OpenPanels::default() },
        OpenPanels { help: true, ..OpenPanels::default() },
    ];
    for (size, open) in SIZES.into_iter().flat_map(|size| panels.map(|open| (size, open))) {
        for note in 0..NOTES.len() {
            let case =
                Case { size, open, is_adjusted: false, has_entry: false, note, menu: None, pointer: POINTERS[0] };
            let laid = laid_out(case);
            let told: Vec<_> = texts(&laid.items).into_iter().map(|(words, ..)| words).collect();
            assert!(told.iter().any(|words| words == "seeking to 1:02:03.500 …"), "{case:?}: {told:?}");
            let newest = &NOTES[note]()[1].text;
            assert!(told.contains(newest), "{case:?}: {told:?}");
            assert!(faults_of(&laid).is_empty(), "{case:?}: {:?}", faults_of(&laid));
        }
    }
}

/// Tests the help: the words of each column are aligned, all of it is visible if there is room, and then it has no
/// scroll bar.
#[test]
fn the_help_is_aligned_and_scrolls_only_if_it_must() {
    let open = OpenPanels { help: true, ..OpenPanels::default() };
    for size in SIZES {
        let case = Case { size, open, is_adjusted: false, has_entry: false, note: 0, menu: None, pointer: POINTERS[0] };
        let Laid { items, view, .. } = laid_out(case);
        let is_help = |words: &str| {
            keys::TABLE.iter().any(|row| row.help() == words) || keys::GESTURES.iter().any(|(_, help)| *help == words)
        };
        let told: Vec<_> = texts(&items).into_iter().filter(|(words, ..)| is_help(words)).collect();
        // Glyphs have a little space before them.
        let mut begins: Vec<f32> = told.iter().map(|(_, rect, _)| rect.min.x).collect();
        begins.sort_by(f32::total_cmp);
        begins.dedup_by(|next, last| *next - *last < 4.0);
        let columns = ((view.width() - 24.0) / help::COLUMN).floor().clamp(1.0, 4.0) as usize;
        assert!(!told.is_empty() && begins.len() <= columns, "{size:?}: words begin at {begins:?}");
        let is_whole = told.len() == keys::TABLE.len() + keys::GESTURES.len();
        // The notes below it leave little room in 1600×900; the lowest window cannot fit all of it.
        assert!(is_whole || size.1 <= 900, "{size:?}: {} rows", told.len());
        assert!(!is_whole || size.1 > 270, "{size:?}: rows that are not seen are counted");
        // A scroll bar is narrow and high, and to the right of the words.
        let is_bar = |item: &&Item| matches!(item, Item::Fill(rect, _) if rect.width() < 12.0 && rect.height() > 20.0);
        let sheet = told.iter().map(|(_, rect, _)| *rect).reduce(Rect::union).unwrap_or(Rect::NOTHING);
        let has_bar = items.iter().filter(is_bar).any(|item| {
            matches!(item, Item::Fill(bar, _) if bar.min.x >= sheet.max.x - 20.0 && sheet.y_range().intersects(bar.y_range()))
        });
        assert_eq!(has_bar, !is_whole, "{size:?}");
    }
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
