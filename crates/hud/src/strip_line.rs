//! The line over the strip: a figure of every frame, as high as its scale says, with the range of each column's frames
//! and the light that they state.

use std::sync::LazyLock;

use egui::{Align2, Color32, Painter, Rect, Shape, Stroke, pos2};

use super::sound_meters::level_text;
use super::theme;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::sound::SoundTrace;
use histoscope_core::strip::{COLUMNS, FigureSpan, LineScale, ROWS, Strip, StripColumn, StripLine};

/// Colours of the line as measured and as stated.
const COLORS: [Color32; 2] = [Color32::WHITE, theme::ACCENT];
/// The lowest top of a scale of shares.
const MIN_TOP: f64 = 0.001;
/// The highest light of the scale, that of PQ, in cd/m².
const MAX_LIGHT: f64 = 10_000.0;

/// The lowest loudness of the scale, in LUFS.
const MIN_LOUDNESS: f64 = -60.0;

/// What the line shows.
#[derive(Debug, Clone, Copy)]
pub struct LineFigure<'a> {
    /// The figure.
    pub line: StripLine,
    /// Bits of the codes.
    pub bits: u32,
    /// The sound, as far as it has been measured.
    pub sound: Option<&'a SoundTrace>,
}

impl LineFigure<'_> {
    /// Returns the figures of each column, or those of the last frame before it if none begins there.
    fn in_order(self, strip: &Strip) -> impl Iterator<Item = [Option<FigureSpan>; 2]> {
        let mut last = [None; 2];
        let width = strip.span_secs() / COLUMNS as f64;
        strip.columns().iter().enumerate().map(move |(at, column)| {
            match column {
                _ if self.line == StripLine::Loudness => {
                    let begin = strip.begin_secs() + width * at as f64;
                    last = [self.loudness(begin, begin + width), None];
                }
                StripColumn::Counted(cells) if cells.frames() > 0 => last = cells.figures.of(self.line),
                StripColumn::Counted(_) => {}
                _ => last = [None; 2],
            }
            last
        })
    }

    /// Returns the short-term loudness from one time to another.
    fn loudness(self, begin: f64, end: f64) -> Option<FigureSpan> {
        let sound = self.sound?;
        let mut span = FigureSpan::default();
        let steps = sound.steps_in(begin, end)?;
        steps.filter_map(|step| sound.short_term(step)).for_each(|loudness| span.add(loudness));
        (span.frames > 0).then_some(span)
    }
}

/// The scale of a line over a strip, whose top is the largest known value if it is one of shares.
#[derive(Debug, Clone, Copy)]
struct Scale {
    kind: LineScale,
    top: f64,
    /// Bits of the codes.
    bits: u32,
}

impl Scale {
    fn of(strip: &Strip, figure: LineFigure<'_>) -> Self {
        let LineFigure { line, bits, .. } = figure;
        let highs = || figure.in_order(strip).flatten().flatten().map(|span| span.high);
        let top = match line.scale() {
            LineScale::Code | LineScale::Loudness => 1.0,
            LineScale::Share => round_up(highs().fold(MIN_TOP, f64::max)),
            LineScale::Light => MAX_LIGHT,
        };
        Self { kind: line.scale(), top, bits }
    }

    /// Returns the height of a value, from 0 to 1.
    fn height(self, value: f64) -> f32 {
        static LIGHT: LazyLock<Vec<f64>> = LazyLock::new(|| {
            (0..ROWS).map(|row| MAX_LIGHT * Transfer::Pq.light(row as f64 / (ROWS - 1) as f64)).collect()
        });
        match self.kind {
            LineScale::Code | LineScale::Share => (value / self.top).clamp(0.0, 1.0) as f32,
            LineScale::Loudness => (1.0 - value / MIN_LOUDNESS).clamp(0.0, 1.0) as f32,
            LineScale::Light => LIGHT.partition_point(|light| *light < value).min(ROWS - 1) as f32 / (ROWS - 1) as f32,
        }
    }

    fn text(self, value: f64) -> String {
        match self.kind {
            LineScale::Code => {
                let text = format!("{:.1}", value * f64::from((1_u32 << self.bits) - 1));
                text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
            }
            LineScale::Share => format!("{} %", significant(value * 100.0)),
            LineScale::Light => light_text(value),
            LineScale::Loudness => format!("{} LUFS", level_text(Some(value))),
        }
    }

    fn range_text(self, line: StripLine) -> String {
        match self.kind {
            LineScale::Light => format!("{}: 0 to 10 000 cd/m², as high as PQ", line.name()),
            LineScale::Loudness => format!("{}: −60 to 0 LUFS", line.name()),
            _ => format!("{}: 0 to {}", line.name(), self.text(self.top)),
        }
    }
}

/// Returns a number with three significant digits, without zeros at its end.
fn significant(value: f64) -> String {
    let digits = (2 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powi(value.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|top| *top >= value * (1.0 - 1e-9)).unwrap_or(value)
}

/// Draws the line over the strip in `rect`, and the name of its scale if there is room.
pub fn draw(painter: &Painter, rect: Rect, strip: &Strip, figure: LineFigure<'_>, column: impl Fn(f64) -> f32) {
    let line = figure.line;
    if line == StripLine::Off {
        return;
    }
    let scale = Scale::of(strip, figure);
    let y = |value: f64| rect.max.y - 1.0 - (rect.height() - 2.0) * scale.height(value);
    let width = strip.span_secs() / COLUMNS as f64;
    let figures: Vec<_> = figure.in_order(strip).collect();
    for (which, color) in COLORS.into_iter().enumerate().rev() {
        let mut points = Vec::new();
        let mut ranges = Vec::new();
        for (at, figures) in figures.iter().enumerate() {
            let Some((span, mean)) = figures[which].and_then(|span| Some((span, span.mean()?))) else {
                stroke(painter, std::mem::take(&mut points), color);
                continue;
            };
            let x = column(strip.begin_secs() + width * (at as f64 + 0.5));
            points.push(pos2(x, y(mean)));
            if span.high > span.low {
                let ends = [pos2(x, y(span.high)), pos2(x, y(span.low))];
                ranges.push(Shape::line_segment(ends, Stroke::new(1.0, color.gamma_multiply(0.35))));
            }
        }
        painter.extend(ranges);
        stroke(painter, points, color);
    }
    let is_known = figures.iter().any(|figures| figures[0].is_some());
    let mut text = scale.range_text(line);
    if figures.iter().any(|figures| figures[1].is_some()) {
        text += " · as stated in amber";
    } else if !is_known && strip.is_complete() && scale.kind == LineScale::Light {
        text = format!("{}: only PQ and HLG have light", line.name());
    } else if !is_known && scale.kind == LineScale::Loudness && figure.sound.is_none_or(SoundTrace::is_complete) {
        text = format!("{}: silent, or not measured", line.name());
    }
    let size = theme::label_size(painter, &text, theme::SMALL);
    // In a small strip it would cover the pictures.
    if 2.0 * size.y <= rect.height() && size.x <= rect.width() {
        theme::label(painter, rect, rect.left_top(), Align2::LEFT_TOP, &text, theme::SMALL, theme::LIGHT);
    }
}

/// Draws a line with a dark edge.
fn stroke(painter: &Painter, points: Vec<egui::Pos2>, color: Color32) {
    if points.len() > 1 {
        painter.add(Shape::line(points.clone(), Stroke::new(3.0, Color32::from_black_alpha(150))));
        painter.add(Shape::line(points, Stroke::new(1.5, color)));
    }
}

/// Returns what to say about the figure at a time in seconds, if it is known there.
pub fn text_at(strip: &Strip, figure: LineFigure<'_>, secs: f64) -> Option<String> {
    let figures = figure.in_order(strip).nth(strip.column_at(secs))?;
    let (scale, line) = (Scale::of(strip, figure), figure.line);
    let text = |span: FigureSpan| match [span.low, span.high].map(|value| scale.text(value)) {
        [low, high] if low == high => low,
        [low, high] => format!("{low} to {high}"),
    };
    let stated = figures[1].map(|span| format!("{} stated", text(span)));
    let known: Vec<_> = figures[0].map(text).into_iter().chain(stated).collect();
    (!known.is_empty()).then(|| format!("{} {}", line.name(), known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};
    use histoscope_core::picture::color::Range;
    use histoscope_core::picture::stated_light::FrameStatedLight;
    use histoscope_core::sound::SoundFigures;
    use histoscope_core::strip::{ExaminedFrame, FrameFigures, Sweep};

    /// Returns a strip of ten frames in ten seconds, each gray at a code of ten bits that rises by 50 from 100 on, with
    /// a difference of 3 %, the last eight of which state light.
    fn strip() -> Strip {
        let (mut strip, mut sweep) = (Strip::new(10.0).unwrap(), Sweep::new(10.0));
        for number in 0..10_u32 {
            let mut histogram = Histogram::empty(10, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[100 + 50 * number as usize] = 99);
            let stated = (number > 1).then_some(FrameStatedLight { max: 203.0, average: 50.0 });
            let figures = FrameFigures::new(&histogram, (number > 0).then_some(0.03), None, stated);
            let (time_secs, end_secs) = (f64::from(number), f64::from(number) + 1.0);
            let (range, difference, timecode) = (Range::Limited, None, None);
            let seen = ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, difference, timecode };
            sweep.add(&seen, &figures).into_iter().for_each(|progress| strip.advance(progress));
        }
        strip.advance(sweep.finish());
        strip
    }

    #[test]
    fn the_figure_under_the_pointer_is_named() {
        let strip = strip();
        let text = |line, secs| text_at(&strip, LineFigure { line, bits: 10, sound: None }, secs);
        assert_eq!(text(StripLine::Off, 2.0), None);
        assert_eq!(text(StripLine::Mean, 2.0).as_deref(), Some("mean luminance 200"));
        assert_eq!(text(StripLine::Mean, 2.9).as_deref(), Some("mean luminance 200"), "it is still on screen");
        assert_eq!(text(StripLine::Difference, 0.5), None, "no frame is before it");
        assert_eq!(text(StripLine::Difference, 1.5).as_deref(), Some("frame difference 3 %"));
        assert_eq!(text(StripLine::PeakLight, 0.5), None);
        assert_eq!(text(StripLine::PeakLight, 5.0).as_deref(), Some("brightest pixel 203 cd/m² stated"));
        assert_eq!(text(StripLine::AverageLight, 5.0).as_deref(), Some("average light 50.0 cd/m² stated"));
        let begun = Strip::new(10.0).unwrap();
        let figure = LineFigure { line: StripLine::Mean, bits: 10, sound: None };
        assert_eq!(text_at(&begun, figure, 2.0), None, "it is not exact yet");
    }

    #[test]
    fn loudness_is_that_of_the_sound_however_far_the_strip_is() {
        let mut sound = SoundTrace::new(0.0, 2);
        for step in 0..60 {
            let short_term = (step < 50).then_some(-23.04);
            sound.push(&SoundFigures { short_term, samples: 1, ..SoundFigures::default() });
        }
        let figure = LineFigure { line: StripLine::Loudness, bits: 8, sound: Some(&sound) };
        let begun = Strip::new(10.0).unwrap();
        let text = |secs| text_at(&begun, figure, secs);
        assert_eq!(text(2.0).as_deref(), Some("short-term loudness −23.0 LUFS"));
        assert_eq!([0.05, 5.5, 8.0].map(text), [None, None, None], "none has ended, silence, and not yet measured");
        let scale = Scale::of(&begun, figure);
        assert_eq!([-70.0, -60.0, -30.0, 0.0].map(|value| scale.height(value)), [0.0, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn heights_follow_the_scale() {
        let strip = strip();
        let height = |line, value| Scale::of(&strip, LineFigure { line, bits: 10, sound: None }).height(value);
        assert_eq!([0.0, 0.25, 1.0].map(|value| height(StripLine::Mean, value)), [0.0, 0.25, 1.0]);
        // The largest difference is 3 %, so the scale ends at 5 %.
        assert!((height(StripLine::Difference, 0.025) - 0.5).abs() < 1e-6);
        // By SMPTE ST 2084, 100 cd/m² are at 50.8 % of the signal, and 1000 at 75.2 %.
        for (light, expected) in [(0.0, 0.0), (100.0, 0.508), (1000.0, 0.752), (10_000.0, 1.0)] {
            let height = height(StripLine::PeakLight, light);
            assert!((height - expected).abs() < 0.005, "{light}: {height}");
        }
        assert_eq!([0.03, 0.05, 0.002, 0.7].map(round_up), [0.05, 0.05, 0.002, 1.0]);
        assert_eq!([0.0, 3.0, 0.123_456, 12.34, 100.0].map(significant), ["0", "3", "0.123", "12.3", "100"]);
    }
}
