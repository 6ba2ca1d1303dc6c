//! The panel of durations: how long each pass takes, and how many frames were counted or dropped.

use std::time::Duration;

use egui::{Rect, RichText, Ui};

use super::theme;
use histoscope_core::scopes::{PerScope, Scope};
use histoscope_render::gpu::live::PassTimes;

/// The contents of the panel of durations.
#[derive(Debug, Clone)]
pub struct TimingTable {
    /// The engine that counts.
    pub engine: &'static str,
    /// The adapter's name.
    pub adapter: String,
    /// The latest durations.
    pub times: PassTimes,
    /// `true` if the adapter measures its passes.
    pub has_timestamps: bool,
    /// Frames shown; these are the frames counted.
    pub counted: u64,
    /// Frames dropped because a later one was already due.
    pub dropped: u64,
    /// Frames that the decoder reported as damaged.
    pub damaged: u64,
}

impl TimingTable {
    /// Returns the panel's lines: name and value.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let times = &self.times;
        let gpu = |time| match (time, self.has_timestamps) {
            (Some(time), _) => micros(time),
            (None, true) => "not run".to_owned(),
            (None, false) => "not measured by this adapter".to_owned(),
        };
        let mut lines = vec![("engine", format!("{} on {}", self.engine, self.adapter))];
        lines.extend(times.cpu_count.map(|time| ("count (CPU)", micros(time))));
        lines.extend(times.upload.map(|time| ("upload (CPU)", micros(time))));
        if times.cpu_count.is_none() {
            // Without a chunk pass, the chunks were written by the adjusting pass, which also counted its picture.
            let within_adjust = times.chunk.is_none() && times.reduce.is_some();
            lines.push(("chunk", if within_adjust { "within adjust".to_owned() } else { gpu(times.chunk) }));
            lines.push(("reduce", gpu(times.reduce)));
        }
        lines.push(("scale", gpu(times.scale)));
        lines.extend(times.cpu_scopes.map(|time| ("scopes (CPU)", micros(time))));
        let scopes = PerScope::from_fn(Scope::name).zip(times.scopes).each();
        lines.extend(scopes.filter_map(|(name, time)| Some((name, micros(time?)))));
        lines.extend(times.cpu_adjust.map(|time| ("adjust (CPU)", micros(time))));
        lines.extend(times.adjust.map(|time| ("adjust", micros(time))));
        lines.extend(times.cpu_paint.map(|time| ("paint (CPU)", micros(time))));
        lines.push(("draw", gpu(times.draw)));
        lines.push(("frames", format!("{} counted, {} dropped", self.counted, self.dropped)));
        if self.damaged > 0 {
            lines.push(("damaged", self.damaged.to_string()));
        }
        lines
    }
}

fn micros(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1000.0) }
}

/// Space between names and values, in points.
const GAP: f32 = 14.0;

/// Shows the panel at the top left of `room`, scrolling if that is too low. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, timing: &TimingTable) -> Rect {
    let area = egui::Area::new(egui::Id::unique("times")).fixed_pos(room.min).fade_in(false);
    let shown = area.show(ui.ctx(), |ui| {
        theme::plate().show(ui, |ui| {
            // A long adapter name wraps if another panel limits the width.
            let inside = room.width() - 24.0 - theme::BAR;
            let width = |name: &str| {
                ui.painter().layout_no_wrap(name.to_owned(), theme::mono(theme::TEXT), theme::DIM).size().x
            };
            let lines = timing.lines();
            let names = lines.iter().map(|(name, _)| width(name)).fold(0.0, f32::max);
            theme::scrolled(ui, room.height() - 20.0, |ui| {
                let grid = egui::Grid::new("times").num_columns(2).spacing(egui::vec2(GAP, 3.0)).min_row_height(0.0);
                grid.show(ui, |ui| {
                    for (name, figure) in lines {
                        let text = |text: String| RichText::new(text).font(theme::mono(theme::TEXT));
                        ui.label(text(name.to_owned()).color(theme::DIM));
                        let galley = ui.painter().layout(
                            figure,
                            theme::mono(theme::TEXT),
                            theme::LIGHT,
                            (inside - names - GAP).max(40.0),
                        );
                        let (place, _) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
                        ui.painter().galley(place.min, galley, theme::LIGHT);
                        ui.end_row();
                    }
                });
            })
        });
    });
    shown.response.rect
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> TimingTable {
        TimingTable {
            engine: "gpu",
            adapter: "an adapter".into(),
            times: PassTimes { chunk: Some(Duration::from_micros(12)), ..PassTimes::default() },
            has_timestamps: true,
            counted: 7,
            dropped: 2,
            damaged: 0,
        }
    }

    fn line(figures: &TimingTable, name: &str) -> Option<String> {
        figures.lines().into_iter().find(|(n, _)| *n == name).map(|(_, figure)| figure)
    }

    #[test]
    fn every_pass_has_its_line() {
        let figures = figures();
        assert_eq!(line(&figures, "chunk").as_deref(), Some("12.0 µs"));
        for pass in ["reduce", "scale", "draw"] {
            assert_eq!(line(&figures, pass).as_deref(), Some("not run"), "{pass}");
        }
        assert_eq!(line(&figures, "frames").as_deref(), Some("7 counted, 2 dropped"));
        let reduce = figures.times.chunk;
        let fused = TimingTable { times: PassTimes { reduce, ..PassTimes::default() }, ..figures.clone() };
        assert_eq!(line(&fused, "chunk").as_deref(), Some("within adjust"));
        assert_eq!(line(&figures, "adjust"), None, "nothing is adjusted");
        let times = PassTimes { adjust: Some(Duration::from_micros(40)), ..PassTimes::default() };
        let adjusted = TimingTable { times, ..figures.clone() };
        assert_eq!(line(&adjusted, "adjust").as_deref(), Some("40.0 µs"));
        let silent = TimingTable { has_timestamps: false, ..figures };
        assert_eq!(line(&silent, "draw").as_deref(), Some("not measured by this adapter"));
    }

    #[test]
    fn the_cpu_engine_has_one_line_instead_of_two_passes() {
        let times = PassTimes { cpu_count: Some(Duration::from_micros(2500)), ..PassTimes::default() };
        let figures = TimingTable { times, ..figures() };
        assert_eq!(line(&figures, "count (CPU)").as_deref(), Some("2.50 ms"));
        assert_eq!(line(&figures, "chunk"), None);
    }
}
