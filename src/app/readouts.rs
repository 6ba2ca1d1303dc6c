//! What the display over the picture is told for a drawing: gathered here from everything that knows something.

use std::time::Instant;

use egui::Rect;

use super::hud::{Command, Fact, Machine, Model, Numbers, Panel, ProbeText, Readout, TimingFigures, facts};
use super::viewer::Viewer;
use crate::gpu::draw::Shapes;
use crate::overlay::{self, PanelRect};

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
        self.hud.lasting = self.scene.brush.is_some();
        let scale_factor = self.window.scale_factor();
        let points = self.hud.set_scale(size, scale_factor);
        let told = if self.hud.is_visible(now) { self.gather(size, points, now) } else { Told::default() };
        if !self.hud.shows_controls(now) {
            self.scene.marks = None;
        }
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
            probe: told.probe.as_ref(),
            readouts: &told.readouts,
        };
        self.hud.lay_out(Some(&self.window), (size, scale_factor), &model, now)
    }

    fn gather(&mut self, size: (u32, u32), points: f32, now: Instant) -> Told {
        let sheets = self.hud.sheets;
        let panels = overlay::panels(&self.scene, self.components, size)
            .map(|(_, rect, channels)| Panel { rect: in_points(&rect, points), channels })
            .collect();
        let mut told = Told {
            panels,
            timing: sheets.timing.then(|| self.timing_figures()).flatten(),
            facts: sheets.trust.then(|| self.facts()).flatten(),
            numbers: sheets
                .numbers
                .then(|| self.counted.as_ref().map(|counted| Numbers::new(counted.frame.clone(), &counted.histogram)))
                .flatten(),
            ..Told::default()
        };
        told.readouts.extend(self.brush_readout(size, points));
        if self.hud.shows_controls(now) {
            self.point_at(&mut told, points);
        }
        told
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
        let read = crate::frame::Frame { picture: session.picture(frame), ..frame.clone() };
        Some(facts(&session.info, &read, machine))
    }

    /// The card of what a brush has selected.
    fn brush_readout(&self, size: (u32, u32), points: f32) -> Option<Readout> {
        let brush = self.scene.brush?;
        let bits = self.bits()?;
        let (_, rect, _) = overlay::panels(&self.scene, self.components, size)
            .find(|(_, _, channels)| channels.contains(brush.channel))?;
        let card = match &self.counted {
            Some(counted) => Readout::of_range(&counted.histogram, brush.channel, brush.low, brush.high),
            None => return None,
        };
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
        match self.hit(at) {
            Some(hit) => {
                let Some(counted) = &self.counted else { return };
                let bits = counted.histogram.bits;
                let x = hit.rect.x_of_bin(hit.bin, bits) / points;
                told.readouts.push(Readout {
                    card: Readout::of_bin(&counted.histogram, hit.channels, hit.bin),
                    panel: in_points(&hit.rect, points),
                    columns: [x, x],
                    lasts: false,
                });
            }
            None => {}
        }
    }
}

/// A histogram's place in points.
fn in_points(rect: &PanelRect, points: f32) -> Rect {
    let corner = |x: u32, y: u32| egui::Pos2::new(x as f32 / points, y as f32 / points);
    Rect::from_min_max(corner(rect.left, rect.top), corner(rect.left + rect.width, rect.top + rect.height))
}
