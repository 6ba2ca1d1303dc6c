//! The panel of a frame's statistics: for each channel the extremes, percentiles, the mean and the clipped shares.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Pos2, Rect, RichText, Sense, Ui, Vec2, vec2};

use super::compared::{Compared, NAMES};
use super::readout::share_text;
use super::{meanings, theme};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::limits::{R103_TOLERATED_PERCENT, is_within_r103};
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::color::Range;
use histoscope_core::text::time_text;
use histoscope_render::gpu::FrameTag;
use histoscope_render::view::region;

/// Share of the view that the statistics of two pictures may cover.
const PART: f32 = 0.25;

/// The statistics of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct StatsTable {
    /// The frame, in words.
    pub frame: String,
    /// The picture that was counted, in words.
    pub picture: String,
    /// The components that were counted.
    pub components: Components,
    /// The statistics of each channel, in the order of `NAMES`.
    pub columns: Vec<[String; NAMES.len()]>,
    /// The share outside EBU R 103, if it was counted.
    pub r103: Option<R103Line>,
    /// The statistics of the compared frame, if there is one.
    pub compared: Option<Compared>,
}

/// The share of pixels outside EBU R 103.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct R103Line {
    /// The share and the verdict, in words.
    pub text: String,
    /// `true` if the share is no more than R 103 tolerates.
    pub is_within: bool,
}

impl R103Line {
    /// Creates the line for `outside` out of `pixels` pixels.
    pub fn new(outside: u64, pixels: u64) -> Self {
        let is_within = is_within_r103(outside, pixels);
        let share = share_text(outside as f64 / pixels.max(1) as f64);
        let verdict = if is_within { "within" } else { "more than" };
        let text = format!("EBU R 103: {share} outside ({outside} pixels), {verdict} {R103_TOLERATED_PERCENT} %");
        Self { text, is_within }
    }
}

impl StatsTable {
    /// Computes the statistics from cumulative histograms.
    #[must_use]
    pub fn new(tag: &FrameTag, sums: &Cumulative, adjustments: &Adjustments) -> Self {
        let time = time_text(tag.time_secs);
        let frame = tag.index.map_or_else(|| time.clone(), |index| format!("frame {index}, {time}"));
        let count = sums.components.channel_names().len();
        let mut picture = if tag.adjusted { format!("result: {adjustments}") } else { "source".to_owned() };
        if let Some(rect) = tag.region {
            picture = format!("region {}, {picture}", region::text(rect));
        }
        Self {
            frame,
            picture,
            components: sums.components,
            columns: (0..count).map(|channel| column(sums, channel, tag.range)).collect(),
            r103: sums.outside_r103.map(|outside| R103Line::new(outside.into(), sums.channel(0).samples())),
            compared: None,
        }
    }

    /// Adds the statistics of the compared frame, if there is one: its name, its sums of the same components and its
    /// range; and the lines on PSNR and SSIM.
    #[must_use]
    pub fn beside(
        self,
        sums: &Cumulative,
        range: Option<Range>,
        other: Option<(&str, &Cumulative, Range)>,
        quality: Vec<String>,
    ) -> Self {
        let compared = |(name, other, own)| Compared::new(name, (other, Some(own)), (sums, range), quality);
        Self { compared: other.map(compared), ..self }
    }
}

impl StatsTable {
    /// Returns the table as one line of text: the frame, then a row for each name.
    #[must_use]
    pub fn as_text(&self) -> String {
        let signs = (0..self.columns.len()).map(|channel| self.components.short_name(channel));
        let mut rows = vec![self.frame.clone(), signs.collect::<Vec<_>>().join(" ")];
        rows.extend(self.r103.as_ref().map(|line| line.text.clone()));
        rows.extend(NAMES.into_iter().enumerate().map(|(row, name)| {
            let cells: Vec<_> = self.columns.iter().map(|column| column[row].as_str()).collect();
            format!("{name} {}", cells.join(" "))
        }));
        for (name, cells) in self.compared_rows() {
            rows.push(format!("{name} {}", cells.join(", ")));
        }
        rows.join("; ")
    }

    /// Returns the statistics as lines of tab-separated cells, one column per channel.
    #[must_use]
    pub fn as_table(&self) -> String {
        let row = |name: &str, cells: Vec<&str>| [vec![name], cells].concat().join("\t");
        let signs = (0..self.columns.len()).map(|channel| self.components.short_name(channel)).collect();
        let figures = NAMES.iter().enumerate().map(|(index, name)| {
            let cells = self.columns.iter().map(|column| column[index].as_str()).collect();
            row(name, cells)
        });
        let r103 = self.r103.iter().map(|line| line.text.clone());
        let compared = self.compared_rows().into_iter().map(|(name, cells)| row(&name, cells));
        let head = [self.picture.clone(), row("", signs)];
        head.into_iter().chain(figures).chain(r103).chain(compared).collect::<Vec<_>>().join("\n")
    }
}

impl StatsTable {
    /// Returns the rows of the compared frame: its name, its statistics with their differences, and the distances.
    fn compared_rows(&self) -> Vec<(String, Vec<&str>)> {
        let Some(compared) = &self.compared else { return Vec::new() };
        let figures = NAMES.iter().enumerate().map(|(index, name)| {
            (format!("held {name}"), compared.columns.iter().map(|column| column[index].as_str()).collect())
        });
        let distances = (compared.distance.to_owned(), compared.distances.iter().map(String::as_str).collect());
        let quality = compared.quality.iter().map(|line| (line.clone(), Vec::new()));
        let name = std::iter::once((compared.name.clone(), Vec::new()));
        name.chain(figures).chain([distances]).chain(quality).collect()
    }
}

fn column(sums: &Cumulative, channel: usize, range: Option<Range>) -> [String; NAMES.len()] {
    // Luminance is never out of a range.
    let stats = sums.stats(channel, range);
    let outside = stats.below_range.map_or_else(|| "–".to_owned(), |_| share_text(stats.share_out_of_range));
    [
        stats.min.to_string(),
        stats.p1.to_string(),
        stats.median.to_string(),
        format!("{:.2}", stats.mean),
        stats.p99.to_string(),
        stats.max.to_string(),
        share_text(stats.share_lowest),
        share_text(stats.share_highest),
        outside,
    ]
}

/// Shows the panel at the right of `room`, or wherever in the view the user has dragged it. Returns its rectangle. With
/// the statistics of two pictures, it covers no more than a quarter of the view; the rest scrolls.
pub fn show(ui: &Ui, room: Rect, numbers: &StatsTable) -> Rect {
    // Choose by the view rather than by the remaining room, so that the letters do not change size while a note is
    // shown.
    let view = ui.ctx().content_rect();
    let is_small = view.height() < 400.0 || view.width() < 540.0 || numbers.compared.is_some();
    // In a small window every line counts: the last ones report what is wrong.
    let (size, between) = if is_small { (theme::TEXT - 2.5, 0.0) } else { (theme::TEXT, 2.0) };
    let (id, moved_id) = (egui::Id::unique("numbers"), egui::Id::unique("numbers, moved"));
    let moved: Vec2 = ui.ctx().data(|data| data.get_temp(moved_id)).unwrap_or_default();
    let width = ui.ctx().memory(|memory| memory.area_rect(id)).map_or(room.width(), |before| before.width());
    let quarter = if numbers.compared.is_some() { PART * view.area() / width.max(1.0) } else { f32::INFINITY };
    let area = egui::Area::new(id)
        .fade_in(false)
        .pivot(Align2::RIGHT_TOP)
        .fixed_pos(room.right_top() + moved)
        .constrain_to(view)
        .sense(Sense::drag());
    let line = is_small.then_some(size + 1.5);
    let text = |text: &str, color| RichText::new(text).font(theme::mono(size)).line_height(line).color(color);
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(10, 7).show(ui, |ui| {
            theme::scrolled(ui, room.height().min(quarter) - 16.0, |ui| {
                ui.spacing_mut().item_spacing.y = between;
                ui.spacing_mut().interact_size.y = 0.0;
                let frame = ui.label(text(&numbers.frame, theme::DIM)).rect;
                // The list of adjustments may need more than a line. It must not make the panel wider than the table.
                let aside = frame.width() + 12.0;
                let (place, taken) = match is_small {
                    true => (frame.left_top() + vec2(aside, 0.0), aside),
                    false => (ui.allocate_space(vec2(0.0, size + 3.0)).1.min, 0.0),
                };
                let header = numbers.compared.as_ref().map(|compared| {
                    let text = format!("second lines: {}, and the difference", compared.name);
                    (ui.allocate_space(vec2(0.0, size + 3.0)).1.min, text)
                });
                let grid =
                    egui::Grid::new("numbers").spacing(vec2(12.0, between)).min_col_width(10.0).min_row_height(0.0);
                let width = grid.show(ui, |ui| table(ui, numbers, (size, line))).response.rect.width();
                let write = |ui: &Ui, at: Pos2, text: &str, color, width: f32| {
                    let mut job = LayoutJob::simple_singleline(text.to_owned(), theme::words(size - 1.0), color);
                    job.wrap = egui::text::TextWrapping::truncate_at_width(width);
                    ui.painter().galley(at, ui.painter().layout_job(job), color);
                };
                write(ui, place, &numbers.picture, theme::LIGHT, width - taken);
                if let Some((place, text)) = &header {
                    write(ui, *place, text, theme::ACCENT, width);
                    ui.set_max_width(width);
                }
                for line in numbers.compared.iter().flat_map(|compared| &compared.quality) {
                    let text = RichText::new(line).font(theme::words(size - 1.0)).color(theme::ACCENT);
                    ui.add(egui::Label::new(text).truncate()).on_hover_text(meanings::QUALITY);
                }
                if let Some(line) = &numbers.r103 {
                    let color = if line.is_within { theme::RIGHT } else { theme::WRONG };
                    ui.set_max_width(width);
                    let text = RichText::new(&line.text).font(theme::words(size - 1.0)).color(color);
                    ui.label(text).on_hover_text(meanings::R103);
                }
            });
        });
    });
    let rect = shown.response.rect;
    if shown.response.dragged() {
        let moved = rect.right_top() + shown.response.drag_delta() - room.right_top();
        ui.ctx().data_mut(|data| data.insert_temp(moved_id, moved));
        ui.ctx().request_repaint();
    } else if moved == Vec2::ZERO && (rect.max.x - room.max.x).abs() > 0.5 {
        // It was positioned by its previous width.
        ui.ctx().request_repaint();
    }
    rect
}

/// Returns the meaning of a statistic's name, unless it is obvious.
fn explained(name: &str, components: Components) -> Option<&'static str> {
    match (name, components) {
        ("out of range", Components::Rgbl) => Some(meanings::OUT_OF_RANGE),
        ("out of range", Components::YCbCr) => Some(meanings::OUT_OF_RANGE_CODED),
        ("distance, codes" | "distance, %", _) => Some(meanings::DISTANCE),
        ("at lowest", _) => Some("Samples at the lowest code, 0: clipped, or just that dark."),
        ("at highest", _) => Some("Samples at the highest code: clipped, or just that bright."),
        _ => None,
    }
}

/// Shows the table in letters of this size, in lines of this height or the letters' own. Below each value is that of
/// the compared frame, if there is one. A column fits its current values rather than the widest ever, but has room for
/// any share, so that it does not jitter as they change.
fn table(ui: &mut Ui, numbers: &StatsTable, (size, line): (f32, Option<f32>)) {
    let layout = |ui: &Ui, text: &str, size, color| {
        let format = TextFormat { line_height: line, ..TextFormat::simple(theme::mono(size), color) };
        ui.painter().layout_job(LayoutJob::single_section(text.to_owned(), format))
    };
    let signs = (0..numbers.columns.len()).map(|channel| {
        let sign = numbers.components.short_name(channel);
        layout(ui, sign, size, theme::channel_color(numbers.components, channel))
    });
    let mut rows = vec![("", signs.collect::<Vec<_>>())];
    for (index, name) in NAMES.into_iter().enumerate() {
        let live = numbers.columns.iter().map(|column| layout(ui, &column[index], size, theme::LIGHT));
        rows.push((name, live.collect()));
        if let Some(compared) = &numbers.compared {
            let cells = compared.columns.iter().map(|column| layout(ui, &column[index], size - 2.0, theme::ACCENT));
            rows.push(("", cells.collect()));
        }
    }
    if let Some(compared) = &numbers.compared {
        let distances = compared.distances.iter().map(|distance| layout(ui, distance, size, theme::ACCENT));
        rows.push((compared.distance, distances.collect()));
    }
    let least = layout(ui, "99.99 %", size, theme::LIGHT).size().x;
    let width = |channel: usize| rows.iter().map(|(_, cells)| cells[channel].size().x).fold(least, f32::max);
    let widths: Vec<f32> = (0..numbers.columns.len()).map(width).collect();
    for (name, cells) in rows {
        let label = ui.label(RichText::new(name).font(theme::mono(size)).line_height(line).color(theme::DIM));
        if let Some(told) = explained(name, numbers.components) {
            label.on_hover_text(told);
        }
        for (cell, width) in cells.into_iter().zip(&widths) {
            let (place, _) = ui.allocate_exact_size(vec2(*width, cell.size().y), Sense::hover());
            ui.painter().galley(egui::pos2(place.max.x - cell.size().x, place.min.y), cell, theme::LIGHT);
        }
        ui.end_row();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Histogram;

    #[test]
    fn statistics_match_the_bins() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(0)[0] = 10;
        histogram.bins_mut(0)[100] = 80;
        histogram.bins_mut(0)[255] = 10;
        histogram.out_of_range_mut(0)[0] = 3;
        histogram.out_of_range_mut(0)[1] = 4;
        let numbers = StatsTable::new(
            &FrameTag { index: Some(7), ..FrameTag::default() },
            &histogram.cumulative(),
            &Adjustments::default(),
        );
        assert_eq!((numbers.frame.as_str(), numbers.picture.as_str()), ("frame 7, 0:00.000", "source"));
        assert_eq!(numbers.columns.len(), 4);
        let red = &numbers.columns[0];
        assert_eq!(red, &["0", "0", "100", "105.50", "255", "255", "10.00 %", "10.00 %", "7.00 %"]);
        assert_eq!(numbers.columns[3][8], "–", "luminance is never out of range");
        assert_eq!(numbers.r103, None, "it was not counted");
    }

    #[test]
    fn coded_components_report_the_share_outside_their_nominal_range() {
        let mut histogram = Histogram::empty(10, Components::YCbCr);
        for (channel, codes) in [(0, [63, 64, 940, 941]), (1, [0, 960, 961, 1023]), (2, [64, 500, 600, 960])] {
            for code in codes {
                histogram.bins_mut(channel)[code] = 1;
            }
        }
        let outside = |range| {
            let tag = FrameTag { range: Some(range), ..FrameTag::default() };
            let numbers = StatsTable::new(&tag, &histogram.cumulative(), &Adjustments::default());
            numbers.columns.iter().map(|column| column[8].clone()).collect::<Vec<_>>()
        };
        assert_eq!(outside(Range::Limited), ["50.00 %", "75.00 %", "0 %"]);
        assert_eq!(outside(Range::Full), ["0 %"; 3], "in full range every code is in range");
    }

    #[test]
    fn r103_tolerates_one_percent_and_not_one_pixel_more() {
        let line = |outside, pixels| R103Line::new(outside, pixels);
        assert_eq!(line(0, 100).text, "EBU R 103: 0 % outside (0 pixels), within 1 %");
        assert!(line(20_736, 2_073_600).is_within);
        let more = line(20_737, 2_073_600);
        assert_eq!(more.text, "EBU R 103: 1.00 % outside (20737 pixels), more than 1 %");
        assert!(!more.is_within);
        assert_eq!(line(8294, 2_073_600).text, "EBU R 103: 0.400 % outside (8294 pixels), within 1 %");
    }

    #[test]
    fn statistics_name_the_counted_picture() {
        let blur = Some(histoscope_core::adjust::Blur { size: 9, runs: 3 });
        let adjustments = Adjustments { blur, ..Adjustments::default() };
        let picture = |adjusted| {
            let tag = FrameTag { adjusted, ..FrameTag::default() };
            StatsTable::new(&tag, &Histogram::empty(8, Components::Rgbl).cumulative(), &adjustments).picture
        };
        assert_eq!((picture(true).as_str(), picture(false).as_str()), ("result: low-pass 9×9 ×3", "source"));
    }
}
