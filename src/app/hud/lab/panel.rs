//! The panel: a title and as many blocks as there is room for.

use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

use super::block::{BUTTONS, DIAGRAM, LabBlock, layout, named, trace_button};
use super::view::{LabCommand, LabView, TICK, TopicView};
use super::{blurs, counting, drawings, sums};
use crate::app::hud::controls;
use crate::app::hud::model::Command;
use crate::app::hud::theme;
use crate::keys::{self, Action};
use histoscope_lab::Topic;

/// Padding around the blocks.
const PADDING: (i8, i8) = (11, 8);
/// Space between blocks.
const GAP: f32 = 4.0;
/// Maximum height of a diagram that does not need more.
const MAX_DIAGRAM: f32 = 190.0;

/// Returns the width of the panel in a window of this width, both in points: about a third, so that most of the picture
/// is visible.
#[must_use]
pub fn width(window: f32) -> f32 {
    (window * 0.34).clamp(300.0, 470.0)
}

/// Shows the panel at the upper right of `room`. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, view: &LabView<'_>, commands: &mut Vec<Command>) -> Rect {
    let across = f32::from(PADDING.0) * 2.0;
    let outer = width(ui.ctx().content_rect().width()).min(room.width());
    let inside = outer - across;
    // The diagram keeps moving, even over a paused video.
    if !view.is_paused {
        ui.ctx().request_repaint_after(TICK);
    }
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

/// Drops blocks until the others fit, in their order, and if any are dropped, adds a text saying so. The diagram takes
/// up the spare room.
fn fitting<'a>(ui: &Ui, mut blocks: Vec<LabBlock<'a>>, width: f32, room: f32) -> Vec<LabBlock<'a>> {
    let height = |blocks: &[LabBlock<'_>]| blocks.iter().map(|block| block.height + GAP).sum::<f32>() - GAP;
    // There are keys for the steps of the diagram.
    if height(&blocks) > room {
        blocks.retain(|block| block.rank != STEPS);
    }
    if height(&blocks) > room {
        let more = layout(ui, "a larger window shows more of the lab", theme::SMALL, theme::DIM, width);
        blocks.push(LabBlock::words(more, 0));
        while height(&blocks) > room {
            let last = blocks.iter().map(|block| block.rank).max().unwrap_or(0);
            if last == 0 {
                break;
            }
            blocks.retain(|block| block.rank != last);
        }
    }
    let spare = room - height(&blocks);
    // The text about the diagram has the same rank, but comes before it.
    if let Some(diagram) = blocks.iter_mut().rfind(|block| block.rank == DIAGRAM) {
        diagram.height = (diagram.height + spare.max(0.0)).min(MAX_DIAGRAM.max(diagram.height));
    }
    blocks
}

/// The rank of the buttons that pause and step the diagram, which give way to everything else.
const STEPS: u8 = 9;

/// Adds the buttons that pause and step the diagram.
fn steps(ui: &mut Ui, rect: Rect, is_paused: bool, commands: &mut Vec<Command>) {
    let line = named(ui, rect, "steps");
    let width = line.width() / 3.0;
    let buttons = [
        ("back", "The previous step", Action::StepLabDiagram { forward: false }, LabCommand::Step(false)),
        (if is_paused { "run" } else { "pause" }, "One step after the other", Action::PauseLab, LabCommand::PauseSteps),
        ("forward", "The next step", Action::StepLabDiagram { forward: true }, LabCommand::Step(true)),
    ];
    for (index, (name, help, action, command)) in buttons.into_iter().enumerate() {
        let at = pos2(line.min.x + width * index as f32, line.min.y);
        let button = Rect::from_min_size(at, vec2(width - 4.0, line.height()));
        trace_button(ui, name, button);
        let key = keys::label_of(action).unwrap_or_default();
        let is_on = is_paused && action == Action::PauseLab;
        if controls::switch(ui, button, (is_on, name), &format!("{help}  ({key})")).clicked() {
            commands.push(Command::Lab(command));
        }
    }
}

/// The highest rank that a brief panel shows, so that a video can play on.
const BRIEF: u8 = 2;
/// Returns all blocks, from the top.
fn blocks<'a>(ui: &Ui, view: &'a LabView<'_>, width: f32) -> Vec<LabBlock<'a>> {
    let (topic, place) = match &view.topic {
        TopicView::Counting(counting) => (Topic::Counting, counting::place(counting)),
        TopicView::Sums(sums) => (Topic::PrefixSum, sums::place(sums)),
        TopicView::Blur(blur) => (Topic::Blur, blurs::place(blur)),
        TopicView::Drawing(drawing) => (Topic::Drawing, drawings::place(drawing)),
    };
    let tabs = (topic, |topic: Topic| [topic.name(), topic.title()], LabCommand::Topic);
    let mut blocks = vec![
        LabBlock::buttons(&Topic::ALL, Topic::ALL.len(), 2, tabs),
        LabBlock::new(19.0, 0, move |ui, rect, commands| title(ui, rect, place, commands)),
    ];
    blocks.extend(match &view.topic {
        TopicView::Counting(counting) => counting::blocks(ui, counting, view.tick, width),
        TopicView::Sums(sums) => sums::blocks(ui, sums, view.tick, width),
        TopicView::Blur(blur) => blurs::blocks(ui, blur, view.tick, width),
        TopicView::Drawing(drawing) => drawings::blocks(ui, drawing, view.tick, width),
    });
    // The diagram is the last block of its rank.
    if let Some(diagram) = blocks.iter().rposition(|block| block.rank == DIAGRAM) {
        let is_paused = view.is_paused;
        blocks.insert(
            diagram,
            LabBlock::new(BUTTONS, STEPS, move |ui, rect, commands| steps(ui, rect, is_paused, commands)),
        );
    }
    if view.is_brief {
        blocks.retain(|block| block.rank <= BRIEF);
        let text = "pause for details: this software adapter keeps the video playing";
        blocks.push(LabBlock::words(layout(ui, text, theme::SMALL, theme::DIM, width), 1));
    }
    blocks
}

/// Adds the title: which method it is, the keys to step through the methods, and the button to close the lab.
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
