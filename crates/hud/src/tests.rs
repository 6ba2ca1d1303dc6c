use egui::{Color32, pos2};

use super::*;
use histoscope_core::adjust::Adjustment;
use histoscope_core::histogram::{Components, LightScale};
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::gpu::draw::Channels;
use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Level, MarkLimits};
use histoscope_render::view::scene::{Look, Scene, Sharing};

fn play() -> PlayState {
    PlayState { duration_secs: Some(10.0), speed: 1.0, seekable: true, frame_index: Some(7), ..PlayState::default() }
}

pub(super) fn model(panels: &[HistogramArea]) -> Model<'_> {
    Model {
        file: FileView { name: Some("clip.mp4"), place: (1, 1), ..FileView::default() },
        look: Look::default(),
        picture: PictureView::default(),
        play: play(),
        scopes: ScopesView {
            light_marks: None,
            stops: None,
            components: Components::Rgbl,
            bits: 8,
            range: Range::Limited,
            light: None,
            sums: None,
            histograms: panels,
            counted: None,
            brush_channel: None,
        },
        other_scopes: OtherScopesView::default(),
        tables: Tables::default(),
        adjusting: AdjustmentView::default(),
        region: None,
        lab: None,
        exposure: ExposureView::default(),
        comparison: ComparisonView::default(),
        presets: &[],
        steps: Steps::default(),
        pointer: PointerView::default(),
    }
}

/// Returns two histograms at the bottom edge of a view of this size.
pub(super) fn pair(width: f32, height: f32) -> Vec<HistogramArea> {
    let rect = |left: f32| Rect::from_min_max(pos2(width * left, height * 0.75), pos2(width * (left + 0.45), height));
    vec![
        HistogramArea { rect: rect(0.025), channels: Channels::ALL },
        HistogramArea { rect: rect(0.525), channels: Channels::one(3) },
    ]
}

#[test]
fn nothing_is_laid_out_while_nothing_is_visible() {
    let mut hud = Hud::without_window();
    let now = Instant::now();
    let (shapes, commands) = hud.lay_out(None, ((640, 360), 1.0), &model(&[]), now);
    assert!(shapes.primitives.is_empty() && commands.is_empty());
    assert_eq!(hud.layouts(), 0);
    assert!(hud.wake_at(now).is_none() && !hud.is_due(now), "a still window is drawn again");
    hud.wake(now);
    // The first pass of a new area only measures it.
    hud.lay_out(None, ((640, 360), 1.0), &model(&[]), now);
    let (shapes, _) = hud.lay_out(None, ((640, 360), 1.0), &model(&[]), now);
    assert!(!shapes.primitives.is_empty());
    let later = now + visibility::STAY + visibility::FADE;
    assert!(hud.is_due(later), "the last trace is to be drawn away");
    let (shapes, _) = hud.lay_out(None, ((640, 360), 1.0), &model(&[]), later);
    assert!(shapes.primitives.is_empty());
    assert_eq!(hud.layouts(), 2);
    assert!(hud.wake_at(later).is_none() && !hud.is_due(later));
}

/// A note outlasts the controls: their last trace must not remain until the note disappears.
#[test]
fn faded_controls_leave_no_trace_next_to_a_note() {
    let mut hud = Hud::without_window();
    let now = Instant::now();
    hud.wake(now);
    let fading = now + visibility::STAY + visibility::FADE * 19 / 20;
    hud.note(Note::done("loop on"), fading);
    // The first pass of a new area only measures it.
    hud.lay_out(None, ((640, 360), 1.0), &model(&[]), fading);
    hud.lay_out(None, ((640, 360), 1.0), &model(&[]), fading);
    let gone = now + visibility::STAY + visibility::FADE;
    assert_eq!(hud.visibility.next_change(fading), Some(gone));
    assert!(hud.wake_at(fading).is_some_and(|at| at <= gone), "nobody looks again in time");
    assert!(hud.is_due(gone), "the last trace is to be drawn away");
    hud.lay_out(None, ((640, 360), 1.0), &model(&[]), gone);
    assert!(!hud.is_due(gone), "the note alone is drawn once");
}

/// egui accumulates repaint causes until its next pass.
#[test]
fn requests_do_not_accumulate_while_nothing_is_visible() {
    let mut hud = Hud::without_window();
    let now = Instant::now();
    // Small enough for a zoom other than 1.
    for _ in 0..50 {
        hud.lay_out(None, ((320, 180), 1.0), &model(&[]), now);
    }
    assert_eq!(hud.layouts(), 0);
    hud.wake(now);
    hud.lay_out(None, ((320, 180), 1.0), &model(&[]), now);
    let causes = hud.context.repaint_causes();
    assert!(causes.len() < 10, "{} causes to lay out", causes.len());
}

fn mesh_bounds(primitive: &egui::ClippedPrimitive) -> Rect {
    match &primitive.primitive {
        egui::epaint::Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(primitive.clip_rect),
        egui::epaint::Primitive::Callback(_) => Rect::NOTHING,
    }
}

/// Lays everything out twice, so that areas know their sizes, and returns the bounds of each primitive.
fn drawn(hud: &mut Hud, size: (u32, u32), scale: f64, model: &Model<'_>) -> Vec<Rect> {
    let now = Instant::now();
    hud.wake(now);
    hud.lay_out(None, (size, scale), model, now);
    let (shapes, _) = hud.lay_out(None, (size, scale), model, now);
    shapes.primitives.iter().map(mesh_bounds).collect()
}

#[test]
fn the_controls_never_cover_the_histograms() {
    for (width, height) in [(300, 200), (480, 270), (640, 480), (1280, 720), (1920, 1080), (3840, 2160)] {
        for scale in [1.0, 2.0] {
            let mut hud = Hud::without_window();
            let zoom = hud.set_scale((width, height), scale);
            let (across, down) = (width as f32 / zoom, height as f32 / zoom);
            let panels = pair(across, down);
            for bounds in drawn(&mut hud, (width, height), scale, &model(&panels)) {
                for panel in &panels {
                    // Edges are antialiased by a pixel.
                    let common = bounds.intersect(panel.rect.shrink(1.5));
                    assert!(!common.is_positive(), "{width}×{height} at {scale}: {bounds:?} covers {:?}", panel.rect);
                }
            }
        }
    }
}

/// Returns a model with everything that adjustments add: the panel, a divider, a legend, the name of the counted
/// picture.
pub(super) fn adjusted_model(panels: &[HistogramArea]) -> Model<'_> {
    let mut adjusting = AdjustmentView { thresholds: Some([60, 120, 180, u32::MAX]), ..model(&[]).adjusting };
    let mut look = Look { sharing: Sharing::Divider(0.3), ..Look::default() };
    adjusting.choices.otsu.classes = 4;
    Adjustment::Blur.switch_on(&mut look.adjustments, &adjusting.choices);
    Adjustment::Otsu.switch_on(&mut look.adjustments, &adjusting.choices);
    let scene = Scene::from(look);
    (adjusting.pair, adjusting.seam) = (scene.paired(), scene.seam((1280, 720)).map(|seam| (seam, 1280)));
    let model = model(panels);
    let counted = Some("result: low-pass 9×9, 4 classes; outline: source");
    Model { look, adjusting, scopes: ScopesView { counted, ..model.scopes }, ..model }
}

#[test]
fn adjustments_never_cover_the_histograms() {
    for (width, height) in [(480, 270), (640, 480), (1280, 720), (1920, 1080), (3840, 2160)] {
        let mut hud = Hud::without_window();
        hud.panels.adjusting = true;
        let zoom = hud.set_scale((width, height), 1.0);
        let panels = pair(width as f32 / zoom, height as f32 / zoom);
        let all = drawn(&mut hud, (width, height), 1.0, &adjusted_model(&panels));
        for (bounds, panel) in all.iter().flat_map(|bounds| panels.iter().map(move |panel| (bounds, panel))) {
            // Edges are antialiased by a pixel.
            let common = bounds.intersect(panel.rect.shrink(1.5));
            assert!(!common.is_positive(), "{width}×{height}: {bounds:?} covers {:?}", panel.rect);
        }
    }
}

#[test]
fn sliders_do_not_move_while_controls_appear_and_fade() {
    let panels = pair(1280.0, 720.0);
    let mut hud = Hud::without_window();
    hud.panels.adjusting = true;
    hud.persistent = Persistent::Readouts;
    let now = Instant::now();
    hud.wake(now);
    let mut heights = [0, 0, 10, 10].map(|secs| {
        let now = now + Duration::from_secs(secs);
        drop(hud.lay_out(None, ((1280, 720), 1.0), &adjusted_model(&panels), now));
        (hud.shows_controls(now), hud.height_for_adjusting)
    });
    heights.sort_by_key(|(shows, _)| *shows);
    let [(false, hidden), _, _, (true, beside)] = heights else { panic!("the controls do not go: {heights:?}") };
    assert!(hidden == beside && hidden > 100.0, "{heights:?}");
}

#[test]
fn the_exposure_panel_covers_neither_histograms_nor_other_panels() {
    let own = MarkLimits::Own(Level::Permille(0), Level::Code(240));
    let false_color = FalseColor { shown: true, ..FalseColor::default() };
    let exposure = Exposure { zebra: true, marks: true, limits: own, false_color, ..Exposure::default() };
    let mut shown = 0;
    for (width, height) in [(480, 270), (640, 480), (960, 540), (1600, 900), (2560, 1440)] {
        let mut hud = Hud::without_window();
        hud.panels.adjusting = true;
        let zoom = hud.set_scale((width, height), 1.0);
        let panels = pair(width as f32 / zoom, height as f32 / zoom);
        let model = Model {
            exposure: ExposureView { is_adjustable: true, ..ExposureView::default() },
            ..adjusted_model(&panels)
        };
        let model = Model { look: Look { exposure, ..model.look }, ..model };
        let all = drawn(&mut hud, (width, height), 1.0, &model);
        for (bounds, panel) in all.iter().flat_map(|bounds| panels.iter().map(move |panel| (bounds, panel))) {
            let common = bounds.intersect(panel.rect.shrink(1.5));
            assert!(!common.is_positive(), "{width}×{height}: {bounds:?} covers {:?}", panel.rect);
        }
        let place = |name: &str| hud.context.memory(|memory| memory.area_rect(egui::Id::unique(name)));
        let [controls, exposure, adjustments] = ["controls", "exposure", "adjustments"].map(place);
        let Some(exposure) = exposure else { continue };
        shown += 1;
        for (name, other) in [("controls", controls), ("adjustments", adjustments)] {
            let common = other.map_or(Rect::NOTHING, |other| other.intersect(exposure));
            assert!(!common.is_positive(), "{width}×{height}: it covers the {name}: {exposure:?} {other:?}");
        }
    }
    assert!(shown >= 3, "it is shown in {shown} of five windows");
}

/// SDR has no light, so that the camera scale is shown instead, whose unit is chosen.
#[test]
fn the_unit_of_false_colour_is_offered_unless_light_is_shown() {
    let false_color = FalseColor { shown: true, table: FalseColorTable::Light, ..FalseColor::default() };
    let exposure = Exposure { false_color, ..Exposure::default() };
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let color = Colorimetry::tagged(Matrix::Bt709, Range::Limited);
    let [offered, not_offered] = [None, Some(LightScale::Pq)].map(|light| {
        let tint = exposure.tint(&layout, &color, light);
        let model = Model {
            exposure: ExposureView { tint, is_adjustable: true, ..ExposureView::default() },
            look: Look { exposure, ..Look::default() },
            ..model(&[])
        };
        let mut hud = Hud::without_window();
        hud.wake(Instant::now());
        let (shapes, _) = drawn_twice(&mut hud, &model);
        let vertices = shapes.primitives.iter().flat_map(|primitive| match &primitive.primitive {
            egui::epaint::Primitive::Mesh(mesh) => &mesh.vertices[..],
            egui::epaint::Primitive::Callback(_) => &[],
        });
        // The chosen one of several that take effect.
        vertices.filter(|vertex| vertex.color == Color32::from_gray(210)).count()
    });
    assert_eq!((offered, not_offered > 0), (2 * not_offered, true), "the table, and the unit");
}

pub(super) fn figures(columns: usize) -> StatsTable {
    let column = || std::array::from_fn(|_| "100.00 %".to_owned());
    StatsTable {
        frame: "frame 7, 0:00.233".to_owned(),
        picture: "source".to_owned(),
        components: Components::Rgbl,
        columns: (0..columns).map(|_| column()).collect(),
        r103: Some(stats::R103Line::new(123_456, 921_600)),
        compared: None,
    }
}

fn times() -> TimingTable {
    TimingTable {
        engine: "cpu",
        adapter: "an adapter".to_owned(),
        times: histoscope_render::gpu::live::PassTimes::default(),
        has_timestamps: true,
        counted: 7,
        dropped: 0,
        damaged: 0,
    }
}

pub(super) fn many_lines() -> Vec<InfoLine> {
    let value = "as long a value as they come, which takes more than a single line of the panel";
    vec![InfoLine { name: "something", value: value.to_owned(), origin: None }; 8]
}

#[test]
fn panels_grow_back_with_their_window() {
    let (small, large) = ((480, 270), (1280, 720));
    let (lines, numbers) = (many_lines(), figures(4));
    let none = OpenPanels::default();
    let cases = [
        OpenPanels { adjusting: true, ..none },
        OpenPanels { info: true, ..none },
        OpenPanels { numbers: true, ..none },
        OpenPanels { help: true, ..none },
    ];
    for open in cases {
        let shown = |hud: &mut Hud, size: (u32, u32)| {
            hud.panels = open;
            let zoom = hud.set_scale(size, 1.0);
            let panels = pair(size.0 as f32 / zoom, size.1 as f32 / zoom);
            let tables = Tables {
                info: open.info.then_some(&lines[..]),
                stats: open.numbers.then_some(&numbers),
                ..Tables::default()
            };
            let model = Model { tables, ..model(&panels) };
            // A table needs more than two draws to determine the widths of its columns.
            drawn(hud, size, 1.0, &model);
            drawn(hud, size, 1.0, &model)
        };
        let mut hud = Hud::without_window();
        shown(&mut hud, small);
        assert_eq!(shown(&mut hud, large), shown(&mut Hud::without_window(), large), "{open:?}");
    }
}

#[test]
fn the_field_is_closed_only_once() {
    let mut hud = Hud::without_window();
    hud.open_entry(EntryKind::Place);
    assert!(hud.has_entry() && hud.close_something());
    assert!(!hud.has_entry() && !hud.close_something(), "it is closed already");
}

#[test]
fn the_scroll_bar_does_not_cover_the_statistics() {
    let numbers = figures(4);
    let width = |size: (u32, u32)| {
        let mut hud = Hud::without_window();
        hud.panels.numbers = true;
        let zoom = hud.set_scale(size, 1.0);
        let panels = pair(size.0 as f32 / zoom, size.1 as f32 / zoom);
        let tables = Tables { stats: Some(&numbers), ..Tables::default() };
        let model = Model { tables, ..model(&panels) };
        let now = Instant::now();
        let all = (0..3).map(|_| hud.lay_out(None, (size, 1.0), &model, now).0.primitives).last().unwrap();
        all.iter().map(mesh_bounds).fold(Rect::NOTHING, Rect::union).width()
    };
    let (scrolled, whole) = (width((480, 220)), width((480, 500)));
    assert!(scrolled >= whole + 10.0, "{scrolled} points wide with the bar, {whole} without");
}

#[test]
fn statistics_are_not_cut_off_in_a_small_window() {
    let numbers = StatsTable { r103: Some(stats::R103Line::new(2_073_600, 2_073_600)), ..figures(4) };
    let height = |size: (u32, u32)| {
        let mut hud = Hud::without_window();
        hud.panels.numbers = true;
        let zoom = hud.set_scale(size, 1.0);
        let panels = pair(size.0 as f32 / zoom, size.1 as f32 / zoom);
        let tables = Tables { stats: Some(&numbers), ..Tables::default() };
        let model = Model { tables, ..model(&panels) };
        let now = Instant::now();
        let all = (0..3).map(|_| hud.lay_out(None, (size, 1.0), &model, now).0.primitives).last().unwrap();
        all.iter().map(mesh_bounds).fold(Rect::NOTHING, Rect::union).size()
    };
    let (small, roomy) = (height((480, 270)), height((480, 350)));
    assert!((small - roomy).length() < 1.0, "{small:?} where {roomy:?} are needed");
}

#[test]
fn adjustments_open_by_themselves_only_if_all_of_them_fit() {
    for (size, expected) in [((1280, 720), true), ((1280, 400), false), ((480, 720), false)] {
        let mut hud = Hud::without_window();
        let panels = pair(size.0 as f32, size.1 as f32);
        drawn(&mut hud, size, 1.0, &model(&panels));
        assert_eq!(hud.fits_adjustments(f64::from(size.0)), expected, "{size:?}");
    }
}

#[test]
fn adjustments_grow_back_when_the_durations_above_them_close() {
    let times = times();
    let mut hud = Hud::without_window();
    hud.panels.adjusting = true;
    let panels = pair(533.0, 300.0);
    let before = drawn(&mut hud, (480, 270), 1.0, &model(&panels));
    let tables = Tables { timing: Some(&times), ..Tables::default() };
    let with_times = drawn(&mut hud, (480, 270), 1.0, &Model { tables, ..model(&panels) });
    assert_ne!(before, with_times);
    assert_eq!(before, drawn(&mut hud, (480, 270), 1.0, &model(&panels)));
}

#[test]
fn adjustments_are_named_after_the_controls_have_faded() {
    let mut hud = Hud::without_window();
    let panels = pair(1280.0, 720.0);
    let shown = |hud: &mut Hud| {
        let now = Instant::now();
        hud.lay_out(None, ((1280, 720), 1.0), &adjusted_model(&panels), now);
        hud.lay_out(None, ((1280, 720), 1.0), &adjusted_model(&panels), now).0.primitives.len()
    };
    assert_eq!(shown(&mut hud), 0, "nothing is laid out unless it is to last");
    hud.persistent = Persistent::Readouts;
    assert!(shown(&mut hud) > 0);
}

#[test]
fn cards_of_a_brush_and_the_pointer_never_overlap() {
    let line = |name: &str| card::CardLine {
        name: name.to_owned(),
        color: theme::LIGHT,
        cells: vec![("1234567".to_owned(), theme::LIGHT), ("12.34 %".to_owned(), theme::LIGHT)],
    };
    let card = |lines: usize| Card {
        title: "codes 16 to 235".to_owned(),
        swatch: None,
        lines: (0..lines).map(|_| line("R")).collect(),
    };
    for (width, height) in [(480_u32, 270_u32), (960, 540)] {
        let mut hud = Hud::without_window();
        let zoom = hud.set_scale((width, height), 1.0);
        let (across, down) = (width as f32 / zoom, height as f32 / zoom);
        let panels = pair(across, down);
        let brush =
            Readout { card: card(1), panel: panels[0].rect, columns: [across * 0.1, across * 0.2], lasts: true };
        let mut both = 0;
        for step in 0..24 {
            let at = pos2(across * (0.02 + 0.04 * step as f32), down * (0.3 + 0.018 * step as f32));
            let probe = ProbeText { card: card(4), at };
            let readouts = [brush.clone()];
            let pointer = PointerView { at: Some(at), probe: Some(&probe), readouts: &readouts };
            let model = Model { pointer, ..model(&panels) };
            drawn(&mut hud, (width, height), 1.0, &model);
            assert!(!hud.cards.is_empty(), "the brush's card is always there");
            if let [one, other] = hud.cards[..] {
                both += 1;
                assert!(!one.intersects(other), "{width}×{height}: {one:?} and {other:?} with the pointer at {at:?}");
            }
        }
        assert!(both > 12, "{width}×{height}: both cards are there {both} times of 24");
    }
}

/// Measures a frame while nothing is visible: `cargo test --release --lib hidden_cost -- --ignored --nocapture`.
#[test]
#[ignore = "measures time"]
#[allow(clippy::print_stdout, reason = "the time is the result")]
fn hidden_cost() {
    let mut hud = Hud::without_window();
    let panels = pair(1920.0, 1080.0);
    let begin = Instant::now();
    let frames = 1_000_000;
    for _ in 0..frames {
        let now = Instant::now();
        let (shapes, _) = hud.lay_out(None, ((1920, 1080), 1.0), &model(&panels), now);
        assert!(shapes.primitives.is_empty() && hud.wake_at(now).is_none() && !hud.is_due(now));
    }
    println!("{:.3} µs a frame while hidden", begin.elapsed().as_secs_f64() * 1e6 / f64::from(frames));
}

#[test]
fn the_line_above_the_histograms_has_a_tooltip_on_linear_light() {
    let panels = pair(1280.0, 720.0);
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(1280.0, 720.0));
    let explains = |linear: bool| {
        let (mut hud, now) = (Hud::without_window(), Instant::now());
        let base = model(&panels);
        let scopes = ScopesView { counted: Some("linear light: BT.1886"), ..base.scopes };
        let mut model = Model { scopes, ..base };
        model.look.histograms.linear_luminance = linear;
        hud.set_scale((1280, 720), 1.0);
        hud.wake(now);
        let at = pos2(panels[0].rect.min.x + 30.0, panels[0].rect.min.y - AXIS - 8.0);
        let context = hud.context.clone();
        // The tooltip appears once the pointer has rested.
        let shapes = (0..30_u8).map(|step| {
            let events = if step == 0 { vec![egui::Event::PointerMoved(at)] } else { Vec::new() };
            let time = Some(0.1 * f64::from(step));
            let input = egui::RawInput { screen_rect: Some(view), time, events, ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| hud.show(ui, &model, now, &mut Vec::new()));
            output.textures_delta.clear();
            output.shapes
        });
        let shapes = shapes.last().unwrap_or_default();
        layout_tests::texts(&layout_tests::items(&shapes)).iter().any(|(words, ..)| words == meanings::LINEAR)
    };
    assert_eq!([true, false].map(explains), [true, false]);
}

#[test]
fn scopes_may_leave_any_room_without_a_panic() {
    let times = times();
    let (lines, numbers) = (many_lines(), figures(4));
    let panels = pair(1280.0, 720.0);
    for (width, height) in (0..=16).flat_map(|step| [20.0, 90.0, 700.0].map(|height| (step as f32 * 80.0, height))) {
        let mut hud = Hud::without_window();
        hud.panels = OpenPanels { info: true, numbers: true, timing: true, adjusting: true, ..OpenPanels::default() };
        hud.wake(Instant::now());
        let probes = layout_tests::probe_table();
        let probes = Some(&probes);
        let (timing, info, stats) = (Some(&times), Some(&lines[..]), Some(&numbers));
        let tables = Tables { timing, info, stats, probes, ..Tables::default() };
        let free = Some(Rect::from_min_size(Pos2::ZERO, Vec2::new(width, height)));
        let model =
            Model { tables, other_scopes: OtherScopesView { free, ..OtherScopesView::default() }, ..model(&panels) };
        let (shapes, _) = drawn_twice(&mut hud, &model);
        assert!(!shapes.primitives.is_empty(), "{width}×{height}");
    }
}

fn drawn_twice(hud: &mut Hud, model: &Model<'_>) -> (Shapes, Vec<Command>) {
    let now = Instant::now();
    drop(hud.lay_out(None, ((1280, 720), 1.0), model, now));
    hud.lay_out(None, ((1280, 720), 1.0), model, now)
}
