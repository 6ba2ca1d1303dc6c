//! Gathers the data for the HUD from all parts of the window.

use std::time::Instant;

use glam::DVec2;
use histoscope_hud::{CursorIcon, Pos2, Rect};

use super::scope_readings::ScopeReadings;
use crate::app::adjuster::Adjuster;
use crate::app::comparison::{ComparedFrame, Comparison, QualityMeter};
use crate::app::lab::Lab;
use crate::app::measure::bins::Bins;
use crate::app::measure::frame_light::FrameLight;
use crate::app::pointer::Pointer;
use crate::app::pointer::geometry::{Geometry, Pixel};
use crate::app::pointer::regions;
use crate::app::screen::graphics::Graphics;
use crate::app::session::Session;
use crate::app::session::info::{Machine, info_lines};
use crate::app::sound::Meters;
use histoscope_core::histogram::LightScale;
use histoscope_core::picture::color::Range;
use histoscope_core::tone_map::ToneMapping;
use histoscope_hud::{
    AdjustmentView, HistogramArea, Hud, InfoLine, LightMarks, MarkedView, ProbeText, Readout, RegionView, SoundTable,
    StatsTable, Tables, TimingTable, left_for_others,
};
use histoscope_render::gpu::output::Encoding;
use histoscope_render::labels::rings::{self, Ring};
use histoscope_render::labels::scale_of;
use histoscope_render::view::clip_indicators::{self, End};
use histoscope_render::view::overlay::line_pixels;
use histoscope_render::view::panel;
use histoscope_render::view::panel::PanelRect;
use histoscope_render::view::placement::{Placement, Shape};
use histoscope_render::view::probe::probe;
use histoscope_render::view::probe_table::ProbeTable;
use histoscope_render::view::region::{self, Grip, RegionFrame};
use histoscope_render::view::scene::{Counted, Other, Sharing};

/// The data that the HUD shows in one draw.
#[derive(Debug, Default)]
pub struct Readings {
    /// The histograms.
    pub histograms: Vec<HistogramArea>,
    /// The times of the passes.
    pub timing: Option<TimingTable>,
    /// The sound meters.
    pub sound: Option<SoundTable>,
    /// The lines of the panel about the video.
    pub info: Option<Vec<InfoLine>>,
    /// The frame's numbers.
    pub stats: Option<StatsTable>,
    /// The pixel under the pointer.
    pub probe: Option<ProbeText>,
    /// The probes, if any lies in the picture.
    pub probes: Option<ProbeTable>,
    /// The rings of the probes, on the picture and in the scopes.
    pub probe_rings: Vec<Ring>,
    /// The bin under the pointer, and the selection of a brush.
    pub readouts: Vec<Readout>,
    /// The bins of the pixel under the pointer, to be marked in the histograms.
    pub marks: Option<[u32; 4]>,
    /// The region that is counted or proposed.
    pub region: Option<RegionView>,
    /// Centres of the marked pixels, if there are few.
    pub rings: Vec<Pos2>,
    /// The scopes other than the histograms.
    pub scopes: ScopeReadings,
    /// The range of the counted codes; `None` without a frame.
    pub range: Option<Range>,
    /// The light of grays, if it is known.
    pub light: Option<LightScale>,
    /// The measured light of the frame on screen, if its own picture is counted.
    pub light_marks: Option<LightMarks>,
}

impl Readings {
    /// Returns the contents of the open panels.
    #[must_use]
    pub fn tables(&self) -> Tables<'_> {
        Tables {
            timing: self.timing.as_ref(),
            sound: self.sound.as_ref(),
            info: self.info.as_deref(),
            stats: self.stats.as_ref(),
            probes: self.probes.as_ref(),
            findings: None,
        }
    }
}

/// Everything that the data is gathered from.
pub struct Sources<'a> {
    /// The layout of the view.
    pub geometry: Geometry<'a>,
    /// The lab. While it is open, its bars replace the histograms.
    pub lab: &'a Lab,
    /// The video, if one is open.
    pub session: Option<&'a Session>,
    /// The bins of the video.
    pub bins: &'a Bins,
    /// The engine and the renderer.
    pub graphics: &'a Graphics,
    /// The frames and the clip that the video is compared with.
    pub comparison: &'a Comparison,
    /// The HUD.
    pub hud: &'a Hud,
    /// The pointer.
    pub pointer: &'a Pointer,
    /// The marked pixels of a still picture.
    pub marked: MarkedView<'a>,
    /// PSNR and SSIM of the compared frame.
    pub quality: &'a QualityMeter,
    /// The measured light of the frames on screen.
    pub light: &'a FrameLight,
    /// The sound meters.
    pub meters: &'a Meters,
}

impl Sources<'_> {
    /// Gathers the visible data.
    #[must_use]
    pub fn read(&self, now: Instant) -> Readings {
        let Geometry { scene, components, size, .. } = self.geometry;
        let open = self.hud.panels.within(left_for_others(self.geometry.width_in_points(), self.lab.is_open()));
        let area = |(_, rect, channels)| HistogramArea { rect: self.geometry.rect_in_points(&rect), channels };
        let mut readings = Readings {
            histograms: panel::panels(scene, components, size)
                .map(area)
                .filter(|area| self.lab.shows(area.channels))
                .collect(),
            timing: open.timing.then(|| self.timing()).flatten(),
            sound: open.sound.then(|| self.sound()).flatten(),
            info: open.info.then(|| self.info()).flatten(),
            stats: open.numbers.then(|| self.stats()).flatten(),
            ..Readings::default()
        };
        readings.region = self.region();
        readings.rings = self.rings();
        let frame = self.geometry.frame;
        let at = self.pointer.at.filter(|&at| !self.hud.covers(self.geometry.in_points(at)));
        readings.range = frame.map(|frame| frame.picture.colorimetry().range.value);
        readings.light = frame.and_then(|frame| scene.look.counted_light(components, &frame.source).scale());
        readings.light_marks = self.session.and_then(|session| self.light.marks(&session.info.stated_light));
        readings.light_marks = readings.light_marks.filter(|_| scene.look.counted_in(components) == Counted::Source);
        readings.probes = frame.and_then(|frame| ProbeTable::of(&scene.look.probes, frame, components));
        if let (Some(table), Some(frame)) = (&readings.probes, frame) {
            log::trace!("probes: {}", table.lines(" ").join("; "));
            let counted = (frame, components, self.geometry.region.counted());
            readings.probe_rings = rings::of_probes(table, scene, counted, (size, self.geometry.points));
            log::trace!("ringed: {:?}", readings.probe_rings);
        }
        readings.scopes = ScopeReadings::of(&self.geometry, at);
        readings.readouts.extend(self.brush());
        if self.hud.shows_controls(now) {
            self.point_at(&mut readings);
        }
        readings
    }

    /// Returns the corners of the picture as coded, in points: the upper two, then the lower two.
    #[must_use]
    pub fn picture_corners(&self) -> Option<[Pos2; 4]> {
        let placement = self.geometry.placement()?;
        let (width, height) = (f64::from(placement.picture.0), f64::from(placement.picture.1));
        let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
        Some(corners.map(|(x, y)| self.geometry.in_points(placement.point_of(DVec2::new(x, y)))))
    }

    /// Returns the rectangles of two pictures side by side, in points; `None` if there are not two.
    #[must_use]
    pub fn pictures_beside(&self) -> Option<[Rect; 2]> {
        let Geometry { scene, frame, other, size, .. } = self.geometry;
        scene.paired().filter(|pair| pair.sharing == Sharing::SideBySide)?;
        let live = frame?;
        let other = other.filter(|_| scene.other != Other::Source).map_or(live, |compared| &compared.frame);
        let [live, other] = [live, other].map(Shape::of);
        let placed = [scene.placement(&live, size), scene.placement_of_other(&other, size)];
        Some(placed.map(|placement| {
            let (columns, rows) = placement.covered();
            let PanelRect { left, top, width, height } = placement.area;
            let (first, end) = (columns.start.max(left), columns.end.min(left + width));
            let (upper, lower) = (rows.start.max(top), rows.end.min(top + height));
            self.geometry.rect_in_points(&PanelRect {
                left: first,
                top: upper,
                width: end.saturating_sub(first),
                height: lower.saturating_sub(upper),
            })
        }))
    }

    /// Returns the adjustments as the HUD shows them.
    #[must_use]
    pub fn adjusting(&self, adjuster: &Adjuster) -> AdjustmentView {
        let scene = self.geometry.scene;
        AdjustmentView {
            choices: adjuster.choices,
            pair: scene.paired(),
            seam: scene.seam(self.geometry.size).map(|seam| (seam, self.geometry.size.0)),
            is_at_divider: self.pointer.is_at_divider(&self.geometry, self.hud),
            thresholds: self.graphics.renderer.thresholds(),
        }
    }

    /// Returns the region on the view.
    fn region(&self) -> Option<RegionView> {
        let Geometry { points, .. } = self.geometry;
        let (shown, placement) = (self.geometry.region.shown()?, self.geometry.placement()?);
        let (low, high) = region::on_view(shown.rect(), &placement);
        let is_line = self.geometry.region.line().is_some();
        let handles = if is_line { Vec::new() } else { region::handles(shown.rect(), &placement, points.into()) };
        let grip = self.pointer.grip(&self.geometry, self.hud);
        let words = regions::words_in(shown.rect(), self.geometry.frame?);
        let is_proposed = matches!(shown, RegionFrame::Proposed(_));
        Some(RegionView {
            rect: Rect::from_min_max(self.geometry.in_points(low), self.geometry.in_points(high)),
            is_proposed,
            is_line,
            text: if is_proposed { format!("{words}: Enter uses it, Esc discards it") } else { words },
            handles: handles.iter().map(|h| (self.geometry.in_points(h.at), h.grip == Grip::Move)).collect(),
            cursor: grip.map(|grip| cursor(grip, &placement)),
        })
    }

    /// Returns the centres of the marked pixels, in points, if there are few.
    fn rings(&self) -> Vec<Pos2> {
        let MarkedView::Found(marked) = self.marked else { return Vec::new() };
        let Some(placement) = self.geometry.placement() else { return Vec::new() };
        let middle = |&[x, y]: &[u32; 2]| placement.point_of(DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
        // On the other side of a seam is a different picture; only the live one was searched.
        let seam = self.geometry.scene.seam(self.geometry.size);
        let places = marked.few().iter().map(middle).filter(|at| seam.is_none_or(|seam| seam.is_live(at.x)));
        places.map(|at| self.geometry.in_points(at)).collect()
    }

    fn stats(&self) -> Option<StatsTable> {
        let (tag, sums) = self.bins.newest(self.geometry.frame?)?;
        let held = self.comparison.numbers(sums.components, tag.time_secs);
        let numbers = StatsTable::new(tag, sums, &self.geometry.scene.look.adjustments);
        let numbers = numbers.beside(sums, tag.range, held, self.quality.lines());
        log::trace!("numbers: {}", numbers.as_text());
        Some(numbers)
    }

    fn timing(&self) -> Option<TimingTable> {
        let counts = self.session?.player.counts();
        let (times, has_timestamps) = self.graphics.renderer.pass_times()?;
        Some(TimingTable {
            engine: self.graphics.engine.name(),
            adapter: self.graphics.gpu.info.name.clone(),
            times,
            has_timestamps,
            counted: counts.shown,
            dropped: counts.dropped,
            damaged: counts.damaged,
        })
    }

    fn sound(&self) -> Option<SoundTable> {
        let table = self.meters.table(self.session?.frame.as_ref())?;
        log::trace!("sound meters: {}", table.as_text());
        Some(table)
    }

    fn info(&self) -> Option<Vec<InfoLine>> {
        let session = self.session?;
        if let Some(held) = self.comparison.chosen().filter(|_| self.comparison.is_shown()) {
            // Facts about the video need not be true of this picture.
            let what = if self.comparison.has_held() { "held frame" } else { "second clip" };
            return Some(vec![InfoLine { name: what, value: held.name.clone(), origin: None }]);
        }
        let frame = session.frame.as_ref()?;
        let info = &self.graphics.gpu.info;
        let output = self.graphics.screen.target.output();
        let light = if output.encoding == Encoding::Codes { String::new() } else { format!("; {output}") };
        let driver = format!("{} {:?}{light}", info.driver, info.backend);
        let (engine, look) = (self.graphics.engine.name(), &self.geometry.scene.look);
        let tone_mapping = if look.adjustments.lut.is_some() { ToneMapping::None } else { look.tone_mapping };
        let (stops, display) = (look.stops, self.graphics.renderer.display());
        let machine = Machine { adapter: &info.name, driver: driver.trim(), engine, tone_mapping, stops, display };
        // Faults come first, so that they are visible without scrolling.
        let mut lines = session.faults().lines();
        for line in &lines {
            log::trace!("file: {} {}", line.name, line.value);
        }
        lines.extend(info_lines(&session.info, frame, machine));
        // Beside what the file states about it.
        let after = lines.iter().position(|line| line.name == "HDR metadata").map_or(lines.len(), |at| at + 1);
        lines.splice(after..after, self.light.lines(&session.info.stated_light));
        Some(lines)
    }

    /// Returns the card on the selection of a brush.
    fn brush(&self) -> Option<Readout> {
        let Geometry { scene, components, size, points, .. } = self.geometry;
        let brush = scene.brushes.histogram?;
        let bits = self.geometry.bits()?;
        let (_, rect, _) = panel::panels(scene, components, size)
            .find(|(_, _, channels)| !channels.intersection(brush.channels).is_empty())?;
        let (tag, sums) = self.bins.counted_now(scene, self.geometry.frame?)?;
        let selected = sums.selected.filter(|_| tag.brush == Some(brush));
        let card = Readout::of_range(sums, &brush, selected).of_picture(self.counted_name().as_deref());
        log::trace!("brush: {}", card.as_text());
        let (first, last) = rect.columns_of_codes((brush.low, brush.high), scene.look.histograms.binning(bits));
        let columns = [rect.left + first, rect.left + last + 1].map(|x| x as f32 / points);
        Some(Readout { card, panel: self.geometry.rect_in_points(&rect), columns, lasts: true })
    }

    /// Reads the bin of a histogram, or the pixel of the picture, under the pointer.
    fn point_at(&self, readings: &mut Readings) {
        let Geometry { scene, components, points, .. } = self.geometry;
        let Some(at) = self.pointer.at else { return };
        let pointer = self.geometry.in_points(at);
        if self.hud.covers(pointer) || self.pointer.is_dragging() || self.geometry.arranged().panel_at(at).is_some() {
            return;
        }
        if let Some(hit) = self.geometry.hit(at) {
            if self.lab.is_open() {
                readings.readouts.extend(self.bin_of_lab(&hit, at));
                return;
            }
            let counted = self.geometry.frame.and_then(|frame| self.bins.counted_now(scene, frame));
            let Some((_, sums)) = counted else { return };
            let end = clip_indicators::end_at(&hit.rect, hit.channels, line_pixels(self.geometry.size), at);
            let binning = scene.look.histograms.binning(sums.bits);
            let (bin, card) = match end {
                None => {
                    let range = readings.range.unwrap_or(Range::Full);
                    let scale = scale_of(components, hit.channels, range, sums.bits).with_light(readings.light);
                    let card = Readout::of_bin(sums, hit.channels, (hit.bin, binning));
                    (hit.bin, Readout::with_light(card, scale, binning.codes_of(hit.bin)))
                }
                Some(End::Lowest) => (0, Readout::of_end(sums, hit.channels, 0)),
                Some(End::Highest) => (binning.count() - 1, Readout::of_end(sums, hit.channels, binning.top_code())),
            };
            let x = hit.rect.x_of_bin(bin, binning.count()) / points;
            let card = card.of_picture(self.counted_name().as_deref());
            log::trace!("{}: {}", if end.is_some() { "indicators" } else { "bin" }, card.as_text());
            let panel = self.geometry.rect_in_points(&hit.rect);
            readings.readouts.push(Readout { card, panel, columns: [x, x], lasts: false });
            return;
        }
        let Some(pixel) = self.geometry.pixel_at(at) else { return };
        let (x, y) = match pixel {
            Pixel::Live(place) => place,
            Pixel::Other(ComparedFrame { frame, .. }, (x, y)) => {
                let name = if self.comparison.has_held() { "held" } else { "second" };
                // This pixel cannot be marked in the scopes of the live picture.
                let probe = probe(&frame.picture, x, y, components);
                let card = ProbeText::card(&probe, frame).of_picture(Some(name));
                log::trace!("probe: {}", card.as_text());
                readings.probe = Some(ProbeText { card, at: pointer });
                return;
            }
        };
        let Some(live) = self.session.and_then(|session| session.frame.as_ref()) else { return };
        let probe = probe(&live.picture, x, y, components);
        readings.scopes.mark(&self.geometry, &probe);
        let is_adjusted = !scene.look.adjustments.is_off();
        // The pixel's own codes can be marked only in histograms of the source.
        let counts_source = scene.look.counted_in(components) != Counted::Result;
        readings.marks = counts_source.then_some(probe.bins);
        let card = ProbeText::card(&probe, live).of_picture(is_adjusted.then_some("source"));
        log::trace!("probe: {}", card.as_text());
        readings.probe = Some(ProbeText { card, at: pointer });
    }

    /// Returns the card on the lab's bin under the pointer.
    fn bin_of_lab(&self, hit: &panel::Hit, at: DVec2) -> Option<Readout> {
        let figures = self.lab.figures()?;
        let (left, width) = (f64::from(hit.rect.left), f64::from(hit.rect.width));
        let bin = figures.bin_at((at.x - left) / width);
        let card = figures.card(hit.channels, bin);
        if card.lines.is_empty() {
            return None;
        }
        log::trace!("lab's bin: {}", card.as_text());
        let x = |bin: usize| left + width * bin as f64 / figures.bin_count().max(1) as f64;
        let columns = [x(bin), x(bin + 1)].map(|x| x as f32 / self.geometry.points);
        Some(Readout { card, panel: self.geometry.rect_in_points(&hit.rect), columns, lasts: false })
    }

    /// Names the picture and region of the shown bins; `None` if the whole picture is counted without adjustments.
    fn counted_name(&self) -> Option<String> {
        let scene = self.geometry.scene;
        let is_source = scene.look.counted_in(self.geometry.components) == Counted::Source;
        let picture = (!scene.look.adjustments.is_off()).then_some(if is_source { "source" } else { "result" });
        let region = self.geometry.region.counted().map(|_| "region");
        let names: Vec<_> = picture.into_iter().chain(region).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Returns the cursor for a grip on the region: arrows in the direction in which the edge moves on screen.
fn cursor(grip: Grip, placement: &Placement) -> CursorIcon {
    let Grip::Edges { x, y } = grip else { return CursorIcon::Move };
    let origin = placement.point_of(DVec2::ZERO);
    let way = placement.point_of(DVec2::new(x.into(), y.into())) - origin;
    match (way.x.abs() > 1e-9, way.y.abs() > 1e-9) {
        (true, false) => CursorIcon::ResizeHorizontal,
        (false, _) => CursorIcon::ResizeVertical,
        (true, true) if (way.x > 0.0) == (way.y > 0.0) => CursorIcon::ResizeNwSe,
        (true, true) => CursorIcon::ResizeNeSw,
    }
}
