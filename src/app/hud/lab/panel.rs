//! The panel: what the lab is about, and blocks one below the other, of which as many are shown as have room.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Rect, Sense, Ui, pos2, vec2};

use super::diagram::Diagram;
use super::view::{LabCommand, LabView, MOMENT, TopicView};
use super::{blurs, counting, drawing, sums};
use crate::app::hud::controls::{self, LETTERS};
use crate::app::hud::model::Command;
use crate::app::hud::theme;
use crate::keys::{self, Action};
use crate::lab::Topic;

/// Room around the blocks.
const PADDING: (i8, i8) = (11, 8);
/// Between two of them.
const GAP: f32 = 4.0;
/// Height of a row of buttons.
pub const BUTTONS: f32 = 19.0;
/// Width of the names before the buttons of values.
const NAME: f32 = 40.0;
/// The highest that a diagram becomes, where it does not need more.
const MOST_DIAGRAM: f32 = 190.0;

/// Width of the panel in a window of this width, both in points: about a third, so that most of the picture is seen.
#[must_use]
pub fn width(window: f32) -> f32 {
    (window * 0.34).clamp(300.0, 470.0)
}

/// A part of the panel.
pub struct Block<'a> {
    height: f32,
    /// The smaller, the longer it is shown; those of 0 always are.
    rank: u8,
    draw: Draw<'a>,
}

/// Draws a block in its place and gathers what its buttons ask for.
type Draw<'a> = Box<dyn FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a>;

impl<'a> Block<'a> {
    pub fn new(height: f32, rank: u8, draw: impl FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a) -> Self {
        Self { height, rank, draw: Box::new(draw) }
    }

    /// A diagram, of which the height is given what room is left.
    pub fn diagram(diagram: Diagram) -> Self {
        Self::new(drawing::least_height(&diagram), DIAGRAM, move |ui, rect, _| {
            drawing::show(ui.painter(), rect, &diagram);
        })
    }

    /// Buttons of which each has a word: the name of the one that is chosen, and what a click on another asks for.
    pub fn buttons<T: Copy + PartialEq + 'a>(
        all: &'a [T],
        in_a_row: usize,
        rank: u8,
        (chosen, words, command): (T, impl Fn(T) -> [&'static str; 2] + 'a, impl Fn(T) -> LabCommand + 'a),
    ) -> Self {
        let rows = all.len().div_ceil(in_a_row) as f32;
        Self::new(rows * (BUTTONS + 3.0) - 3.0, rank, move |ui, rect, commands| {
            // All as wide as each other, so that rows stand in columns.
            let width = rect.width() / in_a_row as f32;
            for (place, &other) in all.iter().enumerate() {
                let (column, row) = ((place % in_a_row) as f32, (place / in_a_row) as f32);
                let at = pos2(rect.min.x + column * width, rect.min.y + row * (BUTTONS + 3.0));
                let part = Rect::from_min_size(at, vec2(width, BUTTONS));
                let [name, short] = words(other);
                let is_chosen = if other == chosen { 0 } else { usize::MAX };
                trace_button(ui, name, part);
                if controls::choice(ui, part, name, &[short], is_chosen, false).is_some() {
                    commands.push(Command::Lab(command(other)));
                }
            }
        })
    }

    /// Words in as many lines as they take.
    pub fn words(galley: Arc<Galley>, rank: u8) -> Self {
        Self::new(galley.size().y, rank, move |ui, rect, _| {
            ui.painter().galley(rect.min, galley, theme::LIGHT);
        })
    }
}

/// Shows the panel at the upper right of `room`; where it is.
pub fn show(ui: &Ui, room: Rect, view: &LabView<'_>, commands: &mut Vec<Command>) -> Rect {
    let across = f32::from(PADDING.0) * 2.0;
    let outer = width(ui.ctx().content_rect().width()).min(room.width());
    let inside = outer - across;
    // The diagram goes on, also over a video that stands.
    ui.ctx().request_repaint_after(MOMENT);
    let area = egui::Area::new(egui::Id::unique("lab")).fade_in(false).fixed_pos(pos2(room.max.x - outer, room.min.y));
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(PADDING.0, PADDING.1).show(ui, |ui| {
            ui.set_width(inside);
            ui.spacing_mut().item_spacing = vec2(0.0, GAP);
            let most = room.height() - 2.0 * f32::from(PADDING.1);
            for block in fitting(ui, blocks(ui, view, inside), inside, most) {
                let (rect, _) = ui.allocate_exact_size(vec2(inside, block.height), Sense::hover());
                (block.draw)(ui, rect, commands);
            }
        });
    });
    shown.response.rect
}

/// Those of the blocks that have room together, in their order; where that is not all, with words that say so. The diagram takes
/// what room is left.
fn fitting<'a>(ui: &Ui, mut blocks: Vec<Block<'a>>, width: f32, room: f32) -> Vec<Block<'a>> {
    let height = |blocks: &[Block<'_>]| blocks.iter().map(|block| block.height + GAP).sum::<f32>() - GAP;
    if height(&blocks) > room {
        let more = layout(ui, "a larger window shows more of the lab", theme::SMALL, theme::DIM, width);
        blocks.push(Block::words(more, 0));
        while height(&blocks) > room {
            let last = blocks.iter().map(|block| block.rank).max().unwrap_or(0);
            if last == 0 {
                break;
            }
            blocks.retain(|block| block.rank != last);
        }
    }
    let spare = room - height(&blocks);
    // What is said of the diagram stands before it, and goes with it.
    if let Some(diagram) = blocks.iter_mut().rfind(|block| block.rank == DIAGRAM) {
        diagram.height = (diagram.height + spare.max(0.0)).min(MOST_DIAGRAM.max(diagram.height));
    }
    blocks
}

/// The highest rank of what is told while a video plays that would not play on else.
const BRIEF: u8 = 2;
/// The rank of the diagram.
const DIAGRAM: u8 = 4;

/// Words in as many lines as they take in a width.
pub fn layout(ui: &Ui, text: &str, size: f32, color: Color32, width: f32) -> Arc<Galley> {
    ui.painter().layout(text.to_owned(), theme::words(size), color, width)
}

/// All blocks from the top.
fn blocks<'a>(ui: &Ui, view: &'a LabView<'_>, width: f32) -> Vec<Block<'a>> {
    let (topic, place) = match &view.topic {
        TopicView::Counting(counting) => (Topic::Counting, counting::place(counting)),
        TopicView::Sums(sums) => (Topic::PrefixSum, sums::place(sums)),
        TopicView::Blur(blur) => (Topic::Blur, blurs::place(blur)),
    };
    let tabs = (topic, |topic: Topic| [topic.name(), topic.title()], LabCommand::Topic);
    let mut blocks = vec![
        Block::buttons(&Topic::ALL, Topic::ALL.len(), 2, tabs),
        Block::new(19.0, 0, move |ui, rect, commands| title(ui, rect, place, commands)),
    ];
    blocks.extend(match &view.topic {
        TopicView::Counting(counting) => counting::blocks(ui, counting, view.moment, width),
        TopicView::Sums(sums) => sums::blocks(ui, sums, view.moment, width),
        TopicView::Blur(blur) => blurs::blocks(ui, blur, view.moment, width),
    });
    if view.is_brief {
        blocks.retain(|block| block.rank <= BRIEF);
        let text = "more of it while the video stands: this adapter is software, and the video plays on";
        blocks.push(Block::words(layout(ui, text, theme::SMALL, theme::DIM, width), 1));
    }
    blocks
}

/// Which of the methods it is, how one goes to the next, and how one leaves.
fn title(ui: &mut Ui, rect: Rect, (place, count, name): (usize, usize, &str), commands: &mut Vec<Command>) {
    let close = Rect::from_min_max(pos2(rect.max.x - BUTTONS, rect.min.y), rect.max);
    let key = keys::label_of(Action::ToggleLab).unwrap_or_default();
    if controls::switch(ui, close, (false, "×"), &format!("Close the lab  ({key})")).clicked() {
        commands.push(Command::Do(Action::ToggleLab));
    }
    let painter = ui.painter();
    let number = format!("{}/{count}", place + 1);
    let number = painter.text(rect.left_center(), Align2::LEFT_CENTER, number, theme::mono(theme::TEXT), theme::ACCENT);
    let at = pos2(number.max.x + 8.0, rect.center().y);
    let name = painter.text(at, Align2::LEFT_CENTER, name, theme::words(theme::TEXT + 1.0), theme::LIGHT);
    let step = [false, true].map(|forward| keys::label_of(Action::StepLab { forward }).unwrap_or_default()).join(" ");
    let step = painter.layout_no_wrap(step, theme::mono(theme::SMALL), theme::DIM);
    let at = pos2(close.min.x - 8.0 - step.size().x, rect.center().y - step.size().y / 2.0);
    if at.x > name.max.x + 8.0 {
        painter.galley(at, step, theme::DIM);
    }
}

/// Tells the log where a button is, in pixels of the view.
pub fn trace_button(ui: &Ui, name: &str, rect: Rect) {
    let at = rect.center() * ui.ctx().pixels_per_point();
    log::trace!("lab: button {name} at {:.0},{:.0}", at.x, at.y);
}

/// A name, and what is right of it.
pub fn named(ui: &Ui, rect: Rect, name: &str) -> Rect {
    ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, name, theme::words(LETTERS), theme::DIM);
    Rect::from_min_max(pos2(rect.min.x + NAME, rect.min.y), rect.max)
}

/// Width of the button behind which another value is typed.
const TYPED: f32 = 62.0;

/// Buttons of some values of which one is chosen, or none, and one more for any other; the place of the one that was clicked, that of
/// the last for the other. `dim` where nothing comes of it.
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
