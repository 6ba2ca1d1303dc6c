//! The panel: a title and as many blocks as there is room for.

use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

use super::block::{BUTTONS, COSTS, DIAGRAM, LabBlock, WHY, layout, trace_button};
use super::code::{self, StepCode};
use super::{basics, blurs, counting, drawings, sums, tasks};
use crate::controls;
use crate::lab_view::{LabCommand, LabPage, LabView, TICK, TopicView};
use crate::model::Command;
use crate::theme;
use histoscope_keys::{self as keys, Action};
use histoscope_lab::bench::BenchContent;
use histoscope_lab::{BlurMethod, DrawMethod, Method, ScanMethod, Topic};

/// Padding around the blocks.
const PADDING: (i8, i8) = (11, 6);
/// Space between blocks.
const GAP: f32 = 3.0;
/// Maximum height of a diagram that does not need more, beside the picture and in the whole window.
const MAX_DIAGRAM: [f32; 2] = [240.0, 400.0];
/// The part of a window's area that the panel takes beside the picture.
const MAX_AREA: f32 = 1.0 / 3.0;

/// Returns the width of the panel in a window of this width, both in points: half, if that is enough for the text.
#[must_use]
pub fn width(window: f32) -> f32 {
    (window * 0.5).clamp(300.0, 760.0)
}

/// Shows the panel at the upper right of `room`, or in all of it if the panel is large. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, view: &LabView<'_>, commands: &mut Vec<Command>) -> Rect {
    let across = f32::from(PADDING.0) * 2.0;
    let window = ui.ctx().content_rect();
    let outer = if view.is_large { room.width() } else { width(window.width()).min(room.width()) };
    let inside = outer - across;
    if view.is_large {
        ui.ctx().layer_painter(egui::LayerId::background()).rect_filled(window, 0, egui::Color32::BLACK);
    }
    // The diagram keeps moving, even over a paused video.
    if !view.is_paused {
        ui.ctx().request_repaint_after(TICK);
    }
    let area = egui::Area::new(egui::Id::unique("lab")).fade_in(false).fixed_pos(pos2(room.max.x - outer, room.min.y));
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(PADDING.0, PADDING.1).show(ui, |ui| {
            ui.set_width(inside);
            ui.spacing_mut().item_spacing = vec2(0.0, GAP);
            let height =
                if view.is_large { room.height() } else { room.height().min(window.area() * MAX_AREA / outer) };
            let most = height - 2.0 * f32::from(PADDING.1);
            // In the whole window, the code stands beside the blocks.
            let beside = if view.has_code && StepCode::is_for(&view.topic) { code::width(inside) } else { 0.0 };
            let left = inside - beside;
            let top = ui.cursor().min;
            let blocks = fitting(ui, blocks(ui, view, left), (left, view.is_large), most - BUTTONS - GAP);
            let part = blocks.iter().find(|block| block.rank == DIAGRAM).map_or("", |block| block.code);
            for block in with_title(view, blocks) {
                let (rect, _) = ui.allocate_exact_size(vec2(left, block.height), Sense::hover());
                (block.draw)(ui, rect, commands);
            }
            if let Some(code) = StepCode::of(&view.topic, part).filter(|_| beside > 0.0) {
                let room = Rect::from_min_size(pos2(top.x + left + 12.0, top.y), vec2(beside - 12.0, most));
                code.show(ui, room);
            }
        });
    });
    shown.response.rect
}

/// Drops blocks until the others fit, in their order, and if any are dropped, adds a text saying so. A diagram becomes
/// lower before it is dropped, and takes up the spare room.
fn fitting<'a>(ui: &Ui, mut blocks: Vec<LabBlock<'a>>, (width, is_large): (f32, bool), room: f32) -> Vec<LabBlock<'a>> {
    let height = |blocks: &[LabBlock<'_>]| blocks.iter().map(|block| block.height + GAP).sum::<f32>() - GAP;
    if height(&blocks) > room {
        let key = keys::label_of(Action::EnlargeLab).filter(|_| !is_large);
        let more = key.map_or(String::new(), |key| format!(", as does {key}"));
        let more = format!("a larger window shows more of the lab{more}");
        let more = layout(ui, &more, theme::SMALL, theme::DIM, width);
        blocks.push(LabBlock::words(more, 0));
        // In the whole window, a diagram matters more than buttons.
        let lowered = if is_large { WHY } else { COSTS };
        while height(&blocks) > room {
            let last = blocks.iter().map(|block| block.rank).max().unwrap_or(0);
            if last == 0 {
                break;
            }
            let lower = blocks.iter_mut().find(|block| last <= lowered && block.lower.is_some());
            if let Some((block, lower)) = lower.and_then(|block| Some((block.lower.take()?, block))) {
                *lower = *block;
                continue;
            }
            blocks.retain(|block| block.rank != last);
        }
    }
    let spare = room - height(&blocks);
    if let Some(diagram) = blocks.iter_mut().find(|block| block.rank == DIAGRAM) {
        let most = MAX_DIAGRAM[usize::from(is_large)];
        diagram.height = (diagram.height + spare.max(0.0)).min(most.max(diagram.height));
    }
    blocks
}

/// Returns a method's position, the number of methods, and its title.
fn place<'a, T: PartialEq>(all: &[T], method: T, title: &'a str) -> (usize, usize, &'a str) {
    (all.iter().position(|other| *other == method).unwrap_or(0), all.len(), title)
}

/// Adds the title below the tabs, if those are among the blocks, with the buttons of the diagram if that is among them.
fn with_title<'a>(view: &'a LabView<'_>, mut blocks: Vec<LabBlock<'a>>) -> Vec<LabBlock<'a>> {
    let place = match &view.topic {
        TopicView::Basics(basics) => place(&LabPage::ALL, basics.page, basics.page.title()),
        TopicView::Counting(counting) => place(Method::ladder(), counting.method, counting.title()),
        TopicView::Sums(sums) => place(&ScanMethod::ALL, sums.setup.method, sums.setup.method.title()),
        TopicView::Blur(blur) => place(&BlurMethod::ALL, blur.setup.method, blur.setup.method.title()),
        TopicView::Drawing(drawing) => place(&DrawMethod::ALL, drawing.method, drawing.method.title()),
    };
    let is_paused = blocks.iter().any(|block| block.rank == DIAGRAM).then_some(view.is_paused);
    let below_tabs = usize::from(blocks.first().is_some_and(|block| block.rank == TABS));
    let shown = (view.is_large, view.has_code, is_paused, view.input);
    let title = LabBlock::new(BUTTONS, 0, move |ui, rect, commands| title(ui, rect, place, shown, commands));
    blocks.insert(below_tabs, title);
    blocks
}

/// Width of the button that enlarges the lab.
const LARGE: f32 = 40.0;
/// Width of the button for the picture that the lab works on.
const INPUT: f32 = 62.0;
/// Width of a button that pauses or steps the diagram.
const STEP: f32 = 22.0;

/// Adds the buttons that pause and step the diagram. `right` is their upper right corner.
fn steps(ui: &mut Ui, right: egui::Pos2, is_paused: bool, commands: &mut Vec<Command>) {
    let buttons = [
        ("back", "<", "The previous step", Action::StepLabDiagram { forward: false }, LabCommand::Step(false)),
        (
            if is_paused { "run" } else { "pause" },
            "||",
            "Pause the diagram, or let it run",
            Action::PauseLab,
            LabCommand::PauseSteps,
        ),
        ("forward", ">", "The next step", Action::StepLabDiagram { forward: true }, LabCommand::Step(true)),
    ];
    let left = right.x - STEP * buttons.len() as f32;
    for (index, (name, text, help, action, command)) in buttons.into_iter().enumerate() {
        let at = pos2(left + STEP * index as f32, right.y);
        let button = Rect::from_min_size(at, vec2(STEP - 3.0, BUTTONS));
        trace_button(ui, name, button);
        let key = keys::label_of(action).unwrap_or_default();
        let is_on = is_paused && action == Action::PauseLab;
        if controls::switch(ui, button, (is_on, text), &format!("{help}  ({key})")).clicked() {
            commands.push(Command::Lab(command));
        }
    }
}

/// The highest rank that a brief panel shows, so that a video can play on.
const BRIEF: u8 = 2;
/// The rank of the tabs.
const TABS: u8 = 2;
/// Returns all blocks but the title, from the top.
pub fn blocks<'a>(ui: &Ui, view: &'a LabView<'_>, width: f32) -> Vec<LabBlock<'a>> {
    let (topic, further) = match &view.topic {
        TopicView::Basics(basics) => (Topic::Basics, basics::blocks(ui, basics, view.tick, width)),
        TopicView::Counting(counting) => (Topic::Counting, counting::blocks(ui, counting, view.tick, width)),
        TopicView::Sums(sums) => (Topic::PrefixSum, sums::blocks(ui, sums, view.tick, width)),
        TopicView::Blur(blur) => (Topic::Blur, blurs::blocks(ui, blur, view.tick, width)),
        TopicView::Drawing(drawing) => (Topic::Drawing, drawings::blocks(ui, drawing, view.tick, width)),
    };
    let method = match &view.topic {
        TopicView::Basics(_) => None,
        TopicView::Counting(counting) => Some(counting.method.name()),
        TopicView::Sums(sums) => Some(sums.setup.method.name()),
        TopicView::Blur(blur) => Some(blur.setup.method.name()),
        TopicView::Drawing(drawing) => Some(drawing.method.name()),
    };
    // Beside the picture, there is no room for them.
    let tasks = method.filter(|_| view.is_large).map(|method| tasks::about(ui, view.measured, method, width));
    let tabs = (topic, |topic: Topic| [topic.name(), topic.title()], LabCommand::Topic);
    let mut blocks = vec![LabBlock::buttons(&Topic::ALL, Topic::ALL.len(), TABS, tabs)];
    blocks.extend(further);
    blocks.extend(tasks.into_iter().flatten());
    if view.is_brief {
        blocks.retain(|block| block.rank <= BRIEF);
        let text = "pause for details: this software adapter keeps the video playing";
        blocks.push(LabBlock::words(layout(ui, text, theme::SMALL, theme::DIM, width), 1));
    }
    blocks
}

/// Adds the title: which method it is, the keys to step through the methods, the buttons of the diagram if there is one
/// (`is_paused`) and there is room for them, and the buttons to enlarge and close the lab.
fn title(
    ui: &mut Ui,
    rect: Rect,
    (place, count, name): (usize, usize, &str),
    (is_large, has_code, is_paused, input): (bool, bool, Option<bool>, Option<BenchContent>),
    commands: &mut Vec<Command>,
) {
    let close = Rect::from_min_max(pos2(rect.max.x - BUTTONS, rect.min.y), rect.max);
    let key = keys::label_of(Action::ToggleLab).unwrap_or_default();
    if controls::switch(ui, close, (false, "×"), &format!("Close the lab  ({key})")).clicked() {
        commands.push(Command::Do(Action::ToggleLab));
    }
    let painter = ui.painter().clone();
    let number = format!("{}/{count}", place + 1);
    let number = painter.text(rect.left_center(), Align2::LEFT_CENTER, number, theme::mono(theme::TEXT), theme::ACCENT);
    let at = pos2(number.max.x + 8.0, rect.center().y);
    let name = painter.text(at, Align2::LEFT_CENTER, name, theme::words(theme::TEXT + 1.0), theme::LIGHT);
    let mut end = close.min.x - 3.0;
    let large = Rect::from_min_max(pos2(end - LARGE, rect.min.y), pos2(end, rect.max.y));
    if large.min.x > name.max.x + 8.0 {
        let key = keys::label_of(Action::EnlargeLab).unwrap_or_default();
        let help = format!("The lab in the whole window, in large letters, then with its code  ({key})");
        trace_button(ui, "large", large);
        if controls::switch(ui, large, (is_large, if has_code { "code" } else { "large" }), &help).clicked() {
            commands.push(Command::Do(Action::EnlargeLab));
        }
        end = large.min.x - 5.0;
    }
    let button = Rect::from_min_max(pos2(end - INPUT, rect.min.y), pos2(end, rect.max.y));
    if button.min.x > name.max.x + 8.0 {
        let place = BenchContent::ALL.iter().position(|&other| Some(other) == input).map_or(0, |place| place + 1);
        trace_button(ui, "input", button);
        let help = "The picture to work on: the video’s, one like a photograph, noise, one colour, an even ramp";
        if controls::switch(ui, button, (input.is_some(), input.map_or("video", BenchContent::name)), help).clicked() {
            commands.push(Command::Lab(LabCommand::Input(BenchContent::ALL.get(place).copied())));
        }
        end = button.min.x - 5.0;
    }
    if let Some(is_paused) = is_paused
        && end - 3.0 * STEP > name.max.x
    {
        steps(ui, pos2(end, rect.min.y), is_paused, commands);
        end -= 3.0 * STEP + 8.0;
    }
    let step = [false, true].map(|forward| keys::label_of(Action::StepLab { forward }).unwrap_or_default()).join(" ");
    let step = painter.layout_no_wrap(step, theme::mono(theme::SMALL), theme::DIM);
    let at = pos2(end - step.size().x, rect.center().y - step.size().y / 2.0);
    if at.x > name.max.x + 8.0 {
        painter.galley(at, step, theme::DIM);
    }
}
