//! The panel of findings. A click goes to a finding.

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Color32, Rect, Sense, StrokeKind, Ui, pos2, vec2};

use super::findings::{COLUMNS, FindingRow, FindingWeight, FindingsCommand, FindingsOutcome, FindingsView};
use super::model::Command;
use super::{controls, theme};

/// Width of the panel, if there is room, in points.
const WIDTH: f32 = 760.0;
/// Share of the view that the panel covers, if it is not too small for that.
const PART: f32 = 0.25;
/// Space between columns, in points.
const GAP: f32 = 10.0;
/// Least height of the list, in points.
const MIN_LIST: f32 = 26.0;
/// Height of the lines above and below the list, in points.
const LINE: f32 = 19.0;
/// Least height of the list for which there is a line below it.
const MIN_WORDS: f32 = 90.0;
/// Width of the button for a format.
const BUTTON: f32 = 38.0;

/// Shows the panel at the upper left of `room`. Its list scrolls. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, view: &FindingsView<'_>, commands: &mut Vec<Command>) -> Rect {
    let window = ui.ctx().content_rect();
    let is_small = window.height() < 400.0 || window.width() < 540.0;
    let (size, padding) = if is_small { (theme::TEXT - 2.5, (8, 5)) } else { (theme::TEXT - 1.0, (11, 8)) };
    let width = WIDTH.min(room.width()) - 2.0 * f32::from(padding.0);
    let height = room.height().min(PART * window.area() / (width + 2.0 * f32::from(padding.0)));
    let area = egui::Area::new(egui::Id::unique("findings")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(padding.0, padding.1).show(ui, |ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing = vec2(0.0, 3.0);
            let mut panel = Panel { ui, view, size, commands };
            let inside = |lines: f32, height: f32| height - lines * (LINE + 3.0) - 2.0 * f32::from(padding.1);
            // In a low room, the list takes precedence over the choice of the profile.
            let has_profiles = inside(2.0, room.height()) >= MIN_LIST;
            let has_title = inside(3.0, height) >= MIN_WORDS;
            if has_title {
                panel.title();
            }
            if has_profiles {
                panel.profiles();
            }
            let lines = 1.0 + f32::from(u8::from(has_profiles)) + f32::from(u8::from(has_title));
            let rows = panel.state();
            panel.list(rows, inside(lines, height).max(MIN_LIST).min(inside(lines, room.height())));
        });
    });
    shown.response.rect
}

struct Panel<'a, 'b> {
    ui: &'a mut Ui,
    view: &'a FindingsView<'b>,
    /// Size of the letters.
    size: f32,
    commands: &'a mut Vec<Command>,
}

impl<'b> Panel<'_, 'b> {
    fn line(&mut self) -> Rect {
        self.ui.allocate_exact_size(vec2(self.ui.available_width(), LINE), Sense::hover()).0
    }

    fn title(&mut self) {
        let line = self.line();
        let at = pos2(line.min.x, line.center().y);
        let font = theme::words(self.size + 1.0);
        self.ui.painter().text(at, egui::Align2::LEFT_CENTER, "Check of the file", font, theme::LIGHT);
    }

    /// Adds the choice of the profile.
    fn profiles(&mut self) {
        let line = self.line();
        let names: Vec<_> = self.view.profiles.iter().map(String::as_str).collect();
        trace_place(self.ui, "profiles", line);
        if let Some(to) = controls::choice(self.ui, line, "profile", &names, self.view.chosen, false) {
            self.commands.push(Command::Findings(FindingsCommand::Profile(to)));
        }
    }

    /// Adds the progress, the reason without a result, or the verdict with the buttons to save. Returns the findings.
    fn state(&mut self) -> &'b [FindingRow] {
        match self.view.outcome {
            FindingsOutcome::Running(percent) => {
                let line = self.line();
                self.text(line, &format!("checking … {percent} %"), theme::LIGHT);
                &[]
            }
            FindingsOutcome::Refused(reason) => {
                let font = theme::words(self.size);
                let galley = self.ui.painter().layout(reason.to_owned(), font, theme::WRONG, self.ui.available_width());
                let (rect, _) = self.ui.allocate_exact_size(galley.size(), Sense::hover());
                self.ui.painter().galley(rect.min, galley, theme::WRONG);
                &[]
            }
            FindingsOutcome::Found { verdict, rows } => {
                let mut line = self.line();
                for (format, name) in self.view.formats.iter().enumerate() {
                    let button = Rect { min: pos2(line.max.x - BUTTON, line.min.y), max: line.max };
                    trace_place(self.ui, name, button);
                    let help = format!("Save the findings as .{name}");
                    if controls::switch(self.ui, button, (false, name), &help).clicked() {
                        self.commands.push(Command::Findings(FindingsCommand::Save(format)));
                    }
                    line.max.x = button.min.x - 4.0;
                }
                let has_passed = !rows.iter().any(|row| row.weight == FindingWeight::Error);
                self.text(line, verdict, if has_passed { theme::RIGHT } else { theme::WRONG });
                rows
            }
        }
    }

    /// Draws a line of text, shortened if it is too long.
    fn text(&self, rect: Rect, text: &str, color: Color32) {
        let font = theme::mono(self.size);
        let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
        job.wrap = TextWrapping::truncate_at_width(rect.width());
        let galley = self.ui.painter().layout_job(job);
        let at = pos2(rect.min.x, rect.center().y - galley.size().y / 2.0);
        self.ui.painter().galley(at, galley, color);
    }

    /// Adds the findings in a list no higher than `height`.
    fn list(&mut self, rows: &[FindingRow], height: f32) {
        if rows.is_empty() {
            return;
        }
        let line = (self.size + 5.0).round();
        let letter = self.ui.painter().layout_no_wrap("0".to_owned(), theme::mono(self.size), theme::LIGHT).size().x;
        let columns = columns(rows, letter, self.ui.available_width() - theme::BAR);
        let selected_id = self.ui.scope_id().with("selected");
        let before: Option<usize> = self.ui.data(|data| data.get_temp(selected_id)).flatten();
        let selected = self.view.selected;
        self.ui.data_mut(|data| data.insert_temp(selected_id, selected));
        let revealed = selected.filter(|_| selected != before);
        self.ui.spacing_mut().item_spacing.y = 0.0;
        self.ui.spacing_mut().scroll.floating_allocated_width = theme::BAR;
        // The words of the finding under the pointer, or of the selected one, are below the list, if there is room.
        let has_words = height >= MIN_WORDS;
        let height = (height - if has_words { LINE } else { 0.0 }).min(line * rows.len() as f32);
        let mut named = selected;
        let area = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height);
        let area = area.auto_shrink([false, true]);
        let (size, commands) = (self.size, &mut *self.commands);
        area.show_rows(self.ui, line, rows.len(), |ui, range| {
            let top = ui.max_rect().min - vec2(0.0, line * range.start as f32);
            if let Some(index) = revealed {
                let at = top + vec2(0.0, line * index as f32);
                ui.scroll_to_rect(Rect::from_min_size(at, vec2(1.0, line)), None);
            }
            for (index, row) in rows.iter().enumerate().take(range.end).skip(range.start) {
                let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), line), Sense::click());
                trace_place(ui, &row.text, rect);
                // Darker, because lighter would leave red letters too little contrast over a white picture.
                if selected == Some(index) {
                    ui.painter().rect(rect, 3, Color32::from_black_alpha(160), theme::EDGE, StrokeKind::Inside);
                } else if response.hovered() {
                    ui.painter().rect_filled(rect, 3, Color32::from_black_alpha(110));
                }
                if response.hovered() {
                    named = Some(index);
                }
                if response.clicked() {
                    commands.push(Command::Findings(FindingsCommand::GoTo(index)));
                }
                let mut panel = Panel { ui, view: self.view, size, commands: &mut Vec::new() };
                panel.row(rect, row, &columns);
            }
        });
        if has_words {
            let rest = self.line();
            let text = named.and_then(|index| rows.get(index)).map_or("", |row| &row.text);
            self.text(rest, text, theme::DIM);
        }
    }

    fn row(&mut self, rect: Rect, row: &FindingRow, columns: &[(usize, f32)]) {
        let mut left = rect.min.x;
        for &(column, width) in columns {
            let color = if column == 0 { color_of(row.weight) } else { theme::LIGHT };
            let cell = Rect::from_min_max(pos2(left, rect.min.y), pos2(left + width, rect.max.y));
            self.text(cell, &row.cells[column], color);
            left += width + GAP;
        }
    }
}

/// Logs the left end, the right end and the middle of a part of the panel, in pixels of the view.
fn trace_place(ui: &Ui, name: &str, rect: Rect) {
    let scale = ui.ctx().pixels_per_point();
    let [left, right, middle] = [rect.min.x, rect.max.x, rect.center().y].map(|at| at * scale);
    log::trace!("check: {name} from {left:.0} to {right:.0} at {middle:.0}");
}

/// Returns the columns to show, each with its width. The last one takes the remaining room; in a narrow panel, the
/// length of the finding gives way to it.
fn columns(rows: &[FindingRow], letter: f32, room: f32) -> Vec<(usize, f32)> {
    let longest = |column: usize| rows.iter().map(|row| row.cells[column].chars().count()).max().unwrap_or(0);
    let mut shown: Vec<_> = (0..COLUMNS - 1).map(|column| (column, longest(column) as f32 * letter + 1.0)).collect();
    let left = |shown: &[(usize, f32)]| room - shown.iter().map(|(_, width)| width + GAP).sum::<f32>();
    if left(&shown) < 16.0 * letter {
        shown.pop();
    }
    let rest = left(&shown).max(4.0 * letter);
    shown.push((COLUMNS - 1, rest));
    shown
}

const fn color_of(weight: FindingWeight) -> Color32 {
    match weight {
        FindingWeight::Error => theme::WRONG,
        FindingWeight::Warning => theme::ACCENT,
        FindingWeight::Info => theme::LIGHT,
    }
}
