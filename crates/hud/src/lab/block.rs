//! The blocks of the panel: text, buttons and diagrams.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Rect, Ui, pos2, vec2};

use super::diagram::{BELOW, Diagram};
use super::drawing;
use crate::controls::{self, LETTERS};
use crate::entry::EntryKind;
use crate::lab_view::{ChoiceOutcome, LabCommand};
use crate::model::Command;
use crate::theme;

/// Height of a row of buttons.
pub const BUTTONS: f32 = 19.0;
/// Width of the name before a row of buttons.
const NAME: f32 = 40.0;
/// The rank of what a method does.
pub const WHAT: u8 = 3;
/// The rank of the diagram.
pub const DIAGRAM: u8 = 4;
/// The rank of why the method before was not enough, and of what the diagram is drawn from.
pub const WHY: u8 = 5;
/// The rank of the buttons for parameters.
pub const PARAMETERS: u8 = 6;
/// The rank of what the method costs.
pub const COSTS: u8 = 7;
/// The rank of the constants.
pub const CONSTANTS: u8 = 8;

/// A part of the panel.
pub struct LabBlock<'a> {
    /// Height in points.
    pub height: f32,
    /// Blocks with a higher rank are dropped first; those with rank 0 are always shown.
    pub rank: u8,
    /// Draws the block.
    pub draw: Draw<'a>,
    /// A lower block, for a panel that is too low for this one.
    pub lower: Option<Box<Self>>,
    /// For a diagram: a part of the line in the shader that its step stands for.
    pub code: &'static str,
}

/// Draws a block in a rectangle and collects the commands of its buttons.
pub type Draw<'a> = Box<dyn FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a>;

impl<'a> LabBlock<'a> {
    pub fn new(height: f32, rank: u8, draw: impl FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a) -> Self {
        Self { height, rank, draw: Box::new(draw), lower: None, code: "" }
    }

    /// Creates a block with a diagram, whose height may grow into the spare room. A low panel leaves out rows of tall
    /// ones.
    pub fn diagram(ui: &Ui, width: f32, diagram: Diagram) -> Self {
        let open = diagram.rows.iter().filter(|row| !row.name.starts_with(BELOW)).count();
        let fewest = if open > drawing::MANY { 2 } else { diagram.rows.len() };
        Self::diagram_down_to(ui, width, fewest, diagram)
    }

    fn diagram_down_to(ui: &Ui, width: f32, fewest: usize, diagram: Diagram) -> Self {
        let lower = (diagram.rows.len() > fewest).then(|| Self::diagram_down_to(ui, width, fewest, diagram.lower()));
        let height = drawing::least_height(ui.painter(), width, &diagram);
        let code = diagram.code;
        let block = Self::new(height, DIAGRAM, move |ui, rect, _| drawing::show(ui.painter(), rect, &diagram));
        Self { lower: lower.map(Box::new), code, ..block }
    }

    /// Creates rows of buttons, one per value. `words` returns a value's name and the text on its button, `command`
    /// what a click on it requests.
    pub fn buttons<T: Copy + PartialEq + 'a>(
        all: &'a [T],
        in_a_row: usize,
        rank: u8,
        (chosen, words, command): (T, impl Fn(T) -> [&'static str; 2] + 'a, impl Fn(T) -> LabCommand + 'a),
    ) -> Self {
        let rows = all.len().div_ceil(in_a_row) as f32;
        Self::new(rows * (BUTTONS + 3.0) - 3.0, rank, move |ui, rect, commands| {
            // Several rows align in columns. In a single one, each name gets its width and a share of the spare room.
            let own = |text: &str| {
                let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::words(LETTERS), theme::DIM);
                if rows > 1.0 { 0.0 } else { galley.size().x }
            };
            let widths: Vec<f32> = all.iter().map(|&value| own(words(value)[1])).collect();
            let spare = (rect.width() - widths.iter().sum::<f32>()) / in_a_row as f32;
            let mut left = rect.min.x;
            for (place, &other) in all.iter().enumerate() {
                if place % in_a_row == 0 {
                    left = rect.min.x;
                }
                let at = pos2(left, rect.min.y + (place / in_a_row) as f32 * (BUTTONS + 3.0));
                let part = Rect::from_min_size(at, vec2(widths[place] + spare, BUTTONS));
                left = part.max.x;
                let [name, short] = words(other);
                let is_chosen = if other == chosen { 0 } else { usize::MAX };
                trace_button(ui, name, part);
                if controls::choice(ui, part, name, &[short], is_chosen, false).is_some() {
                    commands.push(Command::Lab(command(other)));
                }
            }
        })
    }

    /// Creates a block of wrapped text.
    pub fn words(galley: Arc<Galley>, rank: u8) -> Self {
        Self::new(galley.size().y, rank, move |ui, rect, _| {
            ui.painter().galley(rect.min, galley, theme::LIGHT);
        })
    }
}

/// Returns the blocks about an outcome: the text while it is pending, the reason why there is none, or the verdict,
/// whether it is good, and a note.
pub fn outcome<'a, T>(
    words: impl Fn(&str, f32, Color32, u8) -> LabBlock<'a>,
    outcome: &ChoiceOutcome<'_, T>,
    pending: &str,
    judge: impl Fn(&T) -> (String, bool, Option<String>),
) -> Vec<LabBlock<'a>> {
    let (text, color, note) = match outcome {
        ChoiceOutcome::Pending => (pending.to_owned(), theme::DIM, None),
        ChoiceOutcome::Impossible(reason) => ((*reason).to_owned(), theme::ACCENT, None),
        ChoiceOutcome::Done(done) => {
            let (verdict, is_good, note) = judge(done);
            (verdict, if is_good { theme::RIGHT } else { theme::WRONG }, note)
        }
    };
    let note = note.map(|text| words(&text, LETTERS, theme::ACCENT, 0));
    std::iter::once(words(&text, LETTERS + 1.0, color, 0)).chain(note).collect()
}

/// Wraps text to a width.
pub fn layout(ui: &Ui, text: &str, size: f32, color: Color32, width: f32) -> Arc<Galley> {
    ui.painter().layout(text.to_owned(), theme::words(size), color, width)
}

/// Logs the position of a button, in pixels of the view.
pub fn trace_button(ui: &Ui, name: &str, rect: Rect) {
    let at = rect.center() * ui.ctx().pixels_per_point();
    log::trace!("lab: button {name} at {:.0},{:.0}", at.x, at.y);
}

/// Draws a name. Returns the room to the right of it.
pub fn named(ui: &Ui, rect: Rect, name: &str) -> Rect {
    ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, name, theme::words(LETTERS), theme::DIM);
    Rect::from_min_max(pos2(rect.min.x + NAME, rect.min.y), rect.max)
}

/// Adds buttons for six numbers after a name, and one for typing another.
pub fn numbers(
    ui: &mut Ui,
    rect: Rect,
    (name, id): (&str, &str),
    (all, now, text): (&[u32; 6], u32, &dyn Fn(u32) -> String),
    (command, entry): (fn(u32) -> LabCommand, EntryKind),
    commands: &mut Vec<Command>,
) {
    let line = named(ui, rect, name);
    let chosen = all.iter().position(|&number| number == now);
    let other = if chosen.is_some() { "n …".to_owned() } else { format!("{} …", text(now)) };
    if let Some(to) = values(ui, line, id, &all.map(text), chosen, &other, false) {
        commands.push(all.get(to).map_or(Command::Type(entry), |&number| Command::Lab(command(number))));
    }
}

/// Width of the button for typing another value.
const TYPED: f32 = 62.0;

/// Adds buttons for some values, of which at most one is chosen, and a last one for typing another. Returns the index
/// of the clicked one. `dim` means that the choice has no effect.
pub fn values(
    ui: &mut Ui,
    line: Rect,
    id: &str,
    names: &[String],
    chosen: Option<usize>,
    other: &str,
    dim: bool,
) -> Option<usize> {
    let left = Rect::from_min_max(line.min, pos2(line.max.x - TYPED - 4.0, line.max.y));
    let right = Rect::from_min_max(pos2(line.max.x - TYPED, line.min.y), line.max);
    let shown: Vec<_> = names.iter().map(String::as_str).collect();
    let clicked = controls::choice(ui, left, id, &shown, chosen.unwrap_or(usize::MAX), dim);
    let help = format!("Type another: {id}");
    trace_button(ui, id, right);
    let typed = controls::switch(ui, right, (chosen.is_none() && !dim, other), &help).clicked();
    clicked.or_else(|| typed.then_some(names.len()))
}
