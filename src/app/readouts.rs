//! What the display over the picture is told for a drawing: gathered here from everything that knows something.

use std::time::{Duration, Instant};

use egui::Rect;
use glam::DVec2;

use super::adjusting::counted_text;
use super::graphics::Graphics;
use super::hud::{Command, Fact, Machine, Model, Numbers, Panel, ProbeText, Readout, TimingFigures, facts};
use super::viewer::Viewer;
use crate::gpu::FrameTag;
use crate::gpu::draw::Shapes;
use crate::histogram::Cumulative;
use crate::view::overlay::{self, PanelRect};
use crate::view::placement::{Placement, Shape};
use crate::view::probe::{Probe, probe};
use crate::view::scene::Counted;

/// While bins are under way they are looked for this often.
const BINS_INTERVAL: Duration = Duration::from_millis(5);

/// The bins of a frame as numbers, summed up, as far as they were asked for.
#[derive(Debug, Default)]
pub struct Bins {
    /// The newest that have come, and whose they are.
    pub known: Option<(FrameTag, Cumulative)>,
    /// Whether they are those of the frame that is loaded.
    pub is_current: bool,
}

/// What is gathered for one drawing.
#[derive(Debug, Default)]
struct Told {
    panels: Vec<Panel>,
    timing: Option<TimingFigures>,
    facts: Option<Vec<Fact>>,
    numbers: Option<Numbers>,
    probe: Option<ProbeText>,
    readouts: Vec<Readout>,
}

impl Viewer {
    /// Lays out the display over the picture for a view of `size` pixels. Nothing is gathered while nothing is to be seen.
    pub(super) fn lay_out(&mut self, size: (u32, u32), now: Instant) -> (Shapes, Vec<Command>) {
        // Where there are two pictures, it must be said which is which.
        self.hud.lasting = self.scene.brush.is_some() || !self.scene.adjustments.is_off() && self.session.is_some();
        let scale_factor = self.window.scale_factor();
        let points = self.hud.set_scale(size, scale_factor);
        let told = if self.hud.is_visible(now) { self.gather(size, points, now) } else { Told::default() };
        if !self.hud.shows_controls(now) {
            self.scene.marks = None;
        }
        let counted = counted_text(self.scene.counted_in(self.components), &self.scene.adjustments);
        let play = self.session.as_ref().map(|session| session.play_state(now)).unwrap_or_default();
        let model = Model {
            name: self.session.as_ref().map(|session| session.name.as_str()),
            opening: self.opening.as_ref().map(|opening| opening.name.as_str()),
            place: self.files.place(),
            play,
            components: self.components,
            bits: self.bits().unwrap_or(8),
            channels: self.scene.channels,
            panels: &told.panels,
            pointer: self.pointer.at.map(|at| self.in_points(at)),
            timing: told.timing.as_ref(),
            facts: told.facts.as_deref(),
            numbers: told.numbers.as_ref(),
            adjusting: self.adjusting(),
            counted: counted.as_deref(),
            probe: told.probe.as_ref(),
            readouts: &told.readouts,
        };
        self.hud.lay_out(Some(&self.window), (size, scale_factor), &model, now)
    }

    fn gather(&mut self, size: (u32, u32), points: f32, now: Instant) -> Told {
        let sheets = self.hud.sheets.within(f64::from(size.0) / f64::from(points));
        let panels = overlay::panels(&self.scene, self.components, size)
            .map(|(_, rect, channels)| Panel { rect: in_points(&rect, points), channels })
            .collect();
        let mut told = Told {
            panels,
            timing: sheets.timing.then(|| self.timing_figures()).flatten(),
            facts: sheets.trust.then(|| self.facts()).flatten(),
            numbers: sheets.numbers.then(|| self.numbers()).flatten(),
            ..Told::default()
        };
        told.readouts.extend(self.brush_readout(size, points));
        if self.hud.shows_controls(now) {
            self.point_at(&mut told, points);
        }
        told
    }

    fn numbers(&self) -> Option<Numbers> {
        let (tag, sums) = self.bins.known.as_ref()?;
        Some(Numbers::new(tag, sums, &self.scene.adjustments))
    }

    fn timing_figures(&self) -> Option<TimingFigures> {
        let counts = self.session.as_ref()?.player.counts();
        let (times, has_timestamps) = self.graphics.renderer.pass_times()?;
        Some(TimingFigures {
            engine: self.graphics.engine.name(),
            adapter: self.graphics.gpu.info.name.clone(),
            times,
            has_timestamps,
            counted: counts.shown,
            dropped: counts.dropped,
            damaged: counts.damaged,
        })
    }

    fn facts(&self) -> Option<Vec<Fact>> {
        let session = self.session.as_ref()?;
        let frame = session.frame.as_ref()?;
        let info = &self.graphics.gpu.info;
        let driver = format!("{} {:?}", info.driver, info.backend);
        let machine = Machine { adapter: &info.name, driver: driver.trim(), engine: self.graphics.engine.name() };
        Some(facts(&session.info, &session.read(frame), machine))
    }

    /// The card of what a brush has selected.
    fn brush_readout(&self, size: (u32, u32), points: f32) -> Option<Readout> {
        let brush = self.scene.brush?;
        let bits = self.bits()?;
        let (_, rect, _) = overlay::panels(&self.scene, self.components, size)
            .find(|(_, _, channels)| channels.contains(brush.channel))?;
        let sums = self.known_bins()?;
        let card = Readout::of_range(sums, &brush).of_picture(self.counted_name());
        log::trace!("brush: {}", card.as_text());
        let left = rect.left + rect.columns_of_bin(brush.low, bits).0;
        let right = rect.left + rect.columns_of_bin(brush.high, bits).1 + 1;
        let columns = [left as f32 / points, right as f32 / points];
        Some(Readout { card, panel: in_points(&rect, points), columns, lasts: true })
    }

    /// What lies under the pointer: a bin of a histogram, or a pixel of the picture.
    fn point_at(&mut self, told: &mut Told, points: f32) {
        self.scene.marks = None;
        let Some(at) = self.pointer.at else { return };
        let pointer = self.in_points(at);
        if self.hud.covers(pointer) || self.pointer.is_dragging() {
            return;
        }
        if let Some(hit) = self.hit(at) {
            let Some(sums) = self.known_bins() else { return };
            let x = hit.rect.x_of_bin(hit.bin, sums.bits) / points;
            let card = Readout::of_bin(sums, hit.channels, hit.bin).of_picture(self.counted_name());
            log::trace!("bin: {}", card.as_text());
            let panel = in_points(&hit.rect, points);
            told.readouts.push(Readout { card, panel, columns: [x, x], lasts: false });
            return;
        }
        let Some(probe) = self.probe(at) else { return };
        let is_adjusted = !self.scene.adjustments.is_off();
        // The pixel's own codes have their place in the source's histograms only.
        let counts_source = self.scene.counted_in(self.components) != Counted::Result;
        self.scene.marks = counts_source.then_some(probe.bins);
        let Some(frame) = self.session.as_ref().and_then(|session| session.frame.as_ref()) else { return };
        let card = ProbeText::card(&probe, &frame.picture).of_picture(is_adjusted.then_some("source"));
        log::trace!("probe: {}", card.as_text());
        told.probe = Some(ProbeText { card, at: pointer });
    }

    /// The newest bins, if they are of what is counted now.
    fn known_bins(&self) -> Option<&Cumulative> {
        let (tag, sums) = self.bins.known.as_ref()?;
        let is_alike = sums.components == self.components && Some(sums.bits) == self.bits();
        let is_adjusted = self.scene.counted_in(self.components) != Counted::Source;
        (is_alike && tag.adjusted == is_adjusted).then_some(sums)
    }

    /// The name of the picture whose bins are told, where there is more than one.
    fn counted_name(&self) -> Option<&'static str> {
        let is_source = self.scene.counted_in(self.components) == Counted::Source;
        (!self.scene.adjustments.is_off()).then_some(if is_source { "source" } else { "result" })
    }

    /// The pixel of the picture under a point of the view.
    fn probe(&self, at: DVec2) -> Option<Probe> {
        let session = self.session.as_ref()?;
        let frame = session.read(session.frame.as_ref()?);
        let placement = Placement::new(&Shape::of(&frame), &self.scene.view, self.graphics.screen.size());
        let (x, y) = placement.pixel_at(at)?;
        Some(probe(&frame.picture, x, y, self.components))
    }

    /// Asks for bins where something that is to be seen tells of them, and takes those that have come; when to look
    /// again.
    pub(super) fn advance_bins(&mut self, now: Instant) -> Option<Instant> {
        let Graphics { renderer, gpu, .. } = &mut self.graphics;
        let points_at_bins = self.hud.shows_controls(now) && self.pointer.at.is_some();
        let is_wanted = self.hud.sheets.numbers || self.scene.brush.is_some() || points_at_bins;
        let has_frame = self.session.as_ref().is_some_and(|session| session.frame.is_some());
        if is_wanted && has_frame && !self.bins.is_current {
            self.bins.is_current = true;
            renderer.request_histogram(gpu);
        }
        if let Some(come) = renderer.poll_histogram(gpu) {
            self.bins.known = Some(come);
            // While it plays the next frame's drawing tells them.
            if self.stands() {
                self.window.request_redraw();
            }
        }
        self.graphics.renderer.is_histogram_pending().then(|| now + BINS_INTERVAL)
    }
}

/// A histogram's place in points.
fn in_points(rect: &PanelRect, points: f32) -> Rect {
    let corner = |x: u32, y: u32| egui::Pos2::new(x as f32 / points, y as f32 / points);
    Rect::from_min_max(corner(rect.left, rect.top), corner(rect.left + rect.width, rect.top + rect.height))
}
