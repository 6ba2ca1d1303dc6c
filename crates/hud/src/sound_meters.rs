//! The sound meters: levels of each channel, and loudness now, held and of the whole clip.

use egui::{Align2, Color32, FontId, Pos2, Rect, Response, Ui, pos2, vec2};

use super::theme;
use histoscope_core::sound::{Loudness, MeterLevels, SoundSummary};
use histoscope_keys::{self as keys, Action};

/// Least width of the panel, in points.
pub const MIN_WIDTH: f32 = 350.0;
/// The lowest level of the bars, in dBFS.
const LOWEST: f64 = -60.0;
/// True peaks above this level, in dBTP, are red (EBU R 128).
const MOST_PEAK: f64 = -1.0;
/// Height of a line, in points.
const LINE: f32 = 17.0;
/// Height of a bar, in points.
const BAR: f32 = 9.0;
/// Numbers of letters in a line: its name, each of its three figures, and their unit.
const LETTERS: [usize; 3] = [11, 8, 5];
/// Number of letters before the bars of channels.
const CHANNEL_LETTERS: usize = 4;
/// Colours of a bar's ground, its peak and its root mean square.
const GROUND: Color32 = Color32::from_gray(48);
const PEAK: Color32 = Color32::from_gray(120);
const RMS: Color32 = Color32::from_gray(205);

/// The contents of the panel of sound meters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundTable {
    /// Names and levels of the channels.
    pub channels: Vec<(String, MeterLevels)>,
    /// The figures at the end of the frame on screen.
    pub now: Loudness,
    /// The highest of what was shown since the last reset.
    pub held: Loudness,
    /// Correlation of the first two channels.
    pub correlation: Option<f64>,
    /// The figures of the whole clip, once they are known.
    pub clip: Option<SoundSummary>,
    /// Why figures are missing, if some are.
    pub missing: Option<String>,
}

/// A line of figures: its name, the figures now, held and of the clip, their unit, and whether they are true peaks.
type Line = (&'static str, [String; 3], &'static str, [bool; 3]);

/// Returns a level with one decimal; a dash for silence.
pub fn level_text(level: Option<f64>) -> String {
    level.map_or_else(|| "–".to_owned(), |level| format!("{:.1}", rounded(level, 10.0)).replace('-', "−"))
}

/// Returns a number rounded to a part of one. Zero has no sign.
fn rounded(number: f64, part: f64) -> f64 {
    (number * part).round() / part + 0.0
}

impl SoundTable {
    /// Returns the lines of figures.
    fn lines(&self) -> Vec<Line> {
        let clip = self.clip.as_ref();
        let whole = |figure: fn(&SoundSummary) -> Option<f64>| clip.and_then(figure);
        let line = |name, figures: [Option<f64>; 3], unit| {
            let is_over = figures.map(|figure| unit == "dBTP" && figure.is_some_and(|level| level > MOST_PEAK));
            (name, figures.map(level_text), unit, is_over)
        };
        let alone = |name, text: String, unit| (name, [String::new(), String::new(), text], unit, [false; 3]);
        let level = |figure| level_text(whole(figure));
        let clipped = clip.map(|clip| clip.channels.iter().map(|channel| channel.clipped).sum::<u64>());
        let (now, held) = (self.now, self.held);
        vec![
            line("momentary", [now.momentary, held.momentary, whole(|clip| clip.max_momentary_lufs)], "LUFS"),
            line("short-term", [now.short_term, held.short_term, whole(|clip| clip.max_short_term_lufs)], "LUFS"),
            line("true peak", [now.true_peak, held.true_peak, whole(|clip| clip.true_peak_dbtp)], "dBTP"),
            alone("integrated", level(|clip| clip.integrated_lufs), "LUFS"),
            alone("range", level(|clip| clip.range_lu), "LU"),
            alone("clipped", clipped.map_or_else(|| level_text(None), |clipped| clipped.to_string()), ""),
        ]
    }

    /// Returns everything on one line.
    #[must_use]
    pub fn as_text(&self) -> String {
        let channels = self.channels.iter().map(|(name, levels)| {
            format!("{name} {}", [levels.rms, levels.peak, levels.held].map(level_text).join(" "))
        });
        let lines = self.lines().into_iter().map(|(name, figures, ..)| format!("{name} {}", figures.join(" ").trim()));
        let correlation = self.correlation.map(|correlation| format!("correlation {correlation:.2}"));
        let missing = self.missing.clone();
        let figures = channels.chain(lines).chain(correlation).filter(|_| !self.channels.is_empty());
        figures.chain(missing).collect::<Vec<_>>().join("; ")
    }
}

/// Shows the panel at the top left of `room`, scrolling if that is too low. A click is to forget what is held.
pub fn show(ui: &Ui, room: Rect, table: &SoundTable) -> Response {
    let area = egui::Area::new(egui::Id::unique("sound meters")).fixed_pos(room.min).fade_in(false);
    let shown = area.show(ui.ctx(), |ui| {
        theme::plate().show(ui, |ui| {
            theme::scrolled(ui, room.height() - 20.0, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                if !table.channels.is_empty() {
                    Drawing::new(ui).all(ui, table);
                }
                if let Some(missing) = &table.missing {
                    ui.label(egui::RichText::new(missing).font(theme::words(theme::TEXT)).color(theme::DIM));
                }
            });
        });
    });
    let key = keys::label_of(Action::ResetMeters).unwrap_or_default();
    let hint = format!("held: the highest of what was shown since the last click here, or {key}");
    shown.response.on_hover_text(hint)
}

/// Draws the lines of the panel.
struct Drawing {
    font: FontId,
    /// Width of a letter.
    letter: f32,
}

impl Drawing {
    fn new(ui: &Ui) -> Self {
        let font = theme::mono(theme::TEXT);
        let letter = ui.painter().layout_no_wrap("0".repeat(10), font.clone(), theme::LIGHT).size().x / 10.0;
        Self { font, letter }
    }

    fn all(&self, ui: &mut Ui, table: &SoundTable) {
        for (name, levels) in &table.channels {
            let (line, bar) = self.bar_line(ui, (name, CHANNEL_LETTERS), (levels.held, level_text(levels.held)));
            let x = |level: f64| bar.min.x + bar.width() * (1.0 - level / LOWEST).clamp(0.0, 1.0) as f32;
            let part = |from: f32, to: f32| Rect::from_x_y_ranges(from..=to.max(from), bar.y_range());
            let painter = ui.painter();
            painter.rect_filled(bar, 0, GROUND);
            for (level, color) in [(levels.peak, PEAK), (levels.rms, RMS)] {
                let end = level.map_or(bar.min.x, x);
                painter.rect_filled(part(bar.min.x, end), 0, color);
                painter.rect_filled(part(x(MOST_PEAK), end), 0, theme::WRONG);
            }
            let held = levels.held.filter(|&held| held > LOWEST);
            if let Some(held) = held {
                let color = if held > MOST_PEAK { theme::WRONG } else { theme::LIGHT };
                painter.vline(x(held).min(bar.max.x - 1.0), line.y_range().shrink(2.0), egui::Stroke::new(2.0, color));
            }
        }
        let (line, bar) = self.line(ui, CHANNEL_LETTERS);
        for level in [-60, -50, -40, -30, -20, -10, 0] {
            let x = bar.min.x + bar.width() * (1.0 + level as f32 / 60.0);
            ui.painter().vline(x, line.min.y..=line.min.y + 3.0, egui::Stroke::new(1.0, theme::OFF));
            let (text, font) = (level_text(Some(level.into())).replace(".0", ""), theme::mono(theme::SMALL - 1.0));
            ui.painter().text(pos2(x, line.min.y + 3.0), Align2::CENTER_TOP, text, font, theme::DIM);
        }
        if table.channels.len() > 1 {
            let number = |number: f64| format!("{:+.2}", rounded(number, 100.0)).replace('-', "−");
            let text = table.correlation.map_or_else(|| level_text(None), number);
            let (line, bar) = self.bar_line(ui, ("correlation", LETTERS[0] + 1), (None, text));
            let color = if table.correlation.is_some_and(|correlation| correlation < 0.0) { theme::WRONG } else { RMS };
            let x = bar.center().x + 0.5 * bar.width() * table.correlation.unwrap_or(0.0) as f32;
            ui.painter().rect_filled(bar, 0, GROUND);
            ui.painter().rect_filled(Rect::from_two_pos(bar.center_top(), pos2(x, bar.max.y)), 0, color);
            ui.painter().vline(bar.center().x, line.y_range().shrink(2.0), egui::Stroke::new(1.0, theme::DIM));
        }
        ui.add_space(4.0);
        let header = ("", ["now", "held", "clip"].map(str::to_owned), "", [false; 3]);
        for (index, line) in std::iter::once(header).chain(table.lines()).enumerate() {
            self.figures(ui, &line, index == 0);
        }
    }

    /// Adds a line. Returns its rectangle, and that of the bar in it, which begins after some letters.
    fn line(&self, ui: &mut Ui, letters: usize) -> (Rect, Rect) {
        let [name, figure, unit] = LETTERS.map(|letters| self.letter * letters as f32);
        let (line, _) = ui.allocate_exact_size(vec2(name + 3.0 * figure + unit, LINE), egui::Sense::hover());
        let ends = (line.min.x + self.letter * letters as f32, line.max.x - unit - 0.75 * figure);
        let middle = line.center().y;
        (line, Rect::from_x_y_ranges(ends.0..=ends.1, middle - BAR / 2.0..=middle + BAR / 2.0))
    }

    /// Adds a line with a name and a value. Returns its rectangle, and that of the bar between them.
    fn bar_line(
        &self,
        ui: &mut Ui,
        (name, letters): (&str, usize),
        (level, value): (Option<f64>, String),
    ) -> (Rect, Rect) {
        let (line, bar) = self.line(ui, letters);
        let color = if level.is_some_and(|level| level > MOST_PEAK) { theme::WRONG } else { theme::LIGHT };
        self.text(ui, line.left_center(), Align2::LEFT_CENTER, name, theme::DIM);
        let end = line.max.x - self.letter * LETTERS[2] as f32;
        self.text(ui, pos2(end, line.center().y), Align2::RIGHT_CENTER, &value, color);
        (line, bar)
    }

    fn figures(&self, ui: &mut Ui, (name, figures, unit, is_over): &Line, is_header: bool) {
        let (line, _) = self.line(ui, 0);
        self.text(ui, line.left_center(), Align2::LEFT_CENTER, name, theme::DIM);
        for ((column, figure), is_over) in (1..).zip(figures).zip(is_over) {
            let color = match (is_header, is_over) {
                (true, _) => theme::DIM,
                (_, true) => theme::WRONG,
                (_, false) => theme::LIGHT,
            };
            let end = line.min.x + self.letter * (LETTERS[0] + column * LETTERS[1]) as f32;
            self.text(ui, pos2(end, line.center().y), Align2::RIGHT_CENTER, figure, color);
        }
        let begin = line.max.x - self.letter * (LETTERS[2] - 1) as f32;
        self.text(ui, pos2(begin, line.center().y), Align2::LEFT_CENTER, unit, theme::DIM);
    }

    fn text(&self, ui: &Ui, at: Pos2, anchor: Align2, text: &str, color: Color32) {
        ui.painter().text(at, anchor, text, self.font.clone(), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_one_decimal_and_their_places() {
        assert_eq!([Some(-23.04), Some(-0.04), Some(3.0), None].map(level_text), ["−23.0", "0.0", "3.0", "–"]);
        let levels = MeterLevels { rms: Some(-23.0), peak: Some(-20.0), held: Some(-0.5) };
        let table = SoundTable {
            channels: vec![("L".to_owned(), levels), ("R".to_owned(), MeterLevels::default())],
            now: Loudness { momentary: Some(-20.0), short_term: Some(-21.0), true_peak: Some(-20.0) },
            held: Loudness { true_peak: Some(-0.5), ..Loudness::default() },
            correlation: Some(-0.5),
            clip: None,
            missing: Some("measuring 43 %".to_owned()),
        };
        assert_eq!(
            table.as_text(),
            "L −23.0 −20.0 −0.5; R – – –; momentary −20.0 – –; short-term −21.0 – –; true peak −20.0 −0.5 –; \
             integrated –; range –; clipped –; correlation -0.50; measuring 43 %"
        );
        let [.., (_, _, _, is_over), _, _, _] = &table.lines()[..] else { panic!("six lines") };
        assert_eq!(*is_over, [false, true, false], "only true peaks above −1 dBTP are red");
        let nothing = SoundTable { missing: Some("the video has no sound".to_owned()), ..SoundTable::default() };
        assert_eq!(nothing.as_text(), "the video has no sound");
    }
}
