//! What is written over the picture: the panel of times.

use std::time::Duration;

use crate::gpu::draw::{FontTextures, Shapes};
use crate::gpu::live::PassTimes;

/// The size of the panel's text in points.
const TEXT_POINTS: f32 = 13.0;

/// Lays out text with egui.
pub struct Hud {
    context: egui::Context,
}

/// What the panel of times tells.
#[derive(Debug, Clone)]
pub struct TimingFigures {
    /// The engine that counts.
    pub engine: &'static str,
    /// The adapter's name.
    pub adapter: String,
    /// The newest times.
    pub times: PassTimes,
    /// Whether the adapter tells its passes' times.
    pub has_timestamps: bool,
    /// Frames shown, which are those counted.
    pub counted: u64,
    /// Frames dropped because a later one was due as well.
    pub dropped: u64,
    /// Frames that the decoder reported as damaged.
    pub damaged: u64,
}

impl TimingFigures {
    /// The panel's lines: a name and its figure.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let times = &self.times;
        let gpu = |time| match (time, self.has_timestamps) {
            (Some(time), _) => micros(time),
            (None, true) => "not run".to_owned(),
            (None, false) => "not told by this adapter".to_owned(),
        };
        let mut lines = vec![("engine", format!("{} on {}", self.engine, self.adapter))];
        lines.extend(times.cpu_count.map(|time| ("count (CPU)", micros(time))));
        lines.extend(times.upload.map(|time| ("upload (CPU)", micros(time))));
        if times.cpu_count.is_none() {
            lines.push(("chunk", gpu(times.chunk)));
            lines.push(("reduce", gpu(times.reduce)));
        }
        lines.push(("scale", gpu(times.scale)));
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

impl Hud {
    /// A HUD without anything on it.
    #[must_use]
    pub fn new() -> Self {
        Self { context: egui::Context::default() }
    }

    /// Lays the panel of times out for a view of `size` pixels; nothing where there is nothing to tell.
    pub fn lay_out(&self, size: (u32, u32), scale_factor: f64, timing: Option<&TimingFigures>) -> Shapes {
        let pixels_per_point = scale_factor as f32;
        let Some(timing) = timing else { return Shapes { pixels_per_point, ..Shapes::default() } };
        let extent = egui::vec2(size.0 as f32, size.1 as f32) / pixels_per_point;
        let mut input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, extent)),
            ..egui::RawInput::default()
        };
        input.viewports.entry(egui::ViewportId::ROOT).or_default().native_pixels_per_point = Some(pixels_per_point);
        let output = self.context.run_ui(input, |ui| timing_panel(ui, timing));
        let primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        Shapes { primitives, textures: FontTextures(output.textures_delta), pixels_per_point: output.pixels_per_point }
    }
}

fn timing_panel(ui: &mut egui::Ui, timing: &TimingFigures) {
    let frame = egui::Frame::new()
        .fill(egui::Color32::from_black_alpha(170))
        .corner_radius(6)
        .inner_margin(egui::Margin::symmetric(10, 8));
    egui::Area::new(egui::Id::unique("times")).fixed_pos(egui::pos2(12.0, 12.0)).interactable(false).show(
        ui.ctx(),
        |ui| {
            frame.show(ui, |ui| {
                egui::Grid::new("times").num_columns(2).spacing(egui::vec2(14.0, 3.0)).show(ui, |ui| {
                    for (name, figure) in timing.lines() {
                        let text = |text: String| egui::RichText::new(text).size(TEXT_POINTS).monospace();
                        ui.label(text(name.to_owned()).color(egui::Color32::from_gray(165)));
                        ui.add(egui::Label::new(text(figure).color(egui::Color32::from_gray(240))).extend());
                        ui.end_row();
                    }
                });
            });
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> TimingFigures {
        TimingFigures {
            engine: "gpu",
            adapter: "an adapter".into(),
            times: PassTimes { chunk: Some(Duration::from_micros(12)), ..PassTimes::default() },
            has_timestamps: true,
            counted: 7,
            dropped: 2,
            damaged: 0,
        }
    }

    fn line(figures: &TimingFigures, name: &str) -> Option<String> {
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
        let silent = TimingFigures { has_timestamps: false, ..figures };
        assert_eq!(line(&silent, "draw").as_deref(), Some("not told by this adapter"));
    }

    #[test]
    fn the_cpu_engine_has_its_own_line_in_place_of_two_passes() {
        let times = PassTimes { cpu_count: Some(Duration::from_micros(2500)), ..PassTimes::default() };
        let figures = TimingFigures { times, ..figures() };
        assert_eq!(line(&figures, "count (CPU)").as_deref(), Some("2.50 ms"));
        assert_eq!(line(&figures, "chunk"), None);
    }

    #[test]
    fn a_panel_is_laid_out_inside_the_view_and_nothing_without_one() {
        let hud = Hud::new();
        assert!(hud.lay_out((640, 360), 1.0, None).primitives.is_empty());
        // The first pass only measures; a second one draws.
        hud.lay_out((640, 360), 1.0, Some(&figures()));
        let shapes = hud.lay_out((640, 360), 1.0, Some(&figures()));
        assert!(!shapes.primitives.is_empty());
    }
}
