//! The panel: blocks one below the other, of which as many are shown as have room.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Rect, Sense, Ui, pos2, vec2};

use super::diagram::diagram;
use super::drawing;
use super::view::{Cut, Figures, LabCommand, LabView, MOMENT, Outcome, PassFigures};
use super::words::{grouped, short, why};
use crate::app::hud::controls::{self, LETTERS};
use crate::app::hud::model::Command;
use crate::app::hud::theme;
use crate::keys::{self, Action};
use crate::lab::{Method, Shape};

/// Room around the blocks.
const PADDING: (i8, i8) = (11, 8);
/// Between two of them.
const GAP: f32 = 4.0;
/// Height of a row of buttons.
const BUTTONS: f32 = 19.0;
/// Buttons of methods in a row.
const IN_A_ROW: usize = 5;
/// Width of the names before the buttons of chunks and bins.
const NAME: f32 = 40.0;
/// The highest that a diagram becomes.
const MOST_DIAGRAM: f32 = 190.0;
/// Chunks that have a button.
const CHUNKS: [(u32, u32); 3] = [(256, 1), (16, 16), (32, 8)];
/// Numbers of bins that have a button.
const BINS: [u32; 6] = [3, 16, 64, 256, 1024, 4096];

/// Width of the panel in a window of this width, both in points: about a third, so that most of the picture is seen.
#[must_use]
pub fn width(window: f32) -> f32 {
    (window * 0.34).clamp(300.0, 470.0)
}

/// A part of the panel.
struct Block<'a> {
    height: f32,
    /// The smaller, the longer it is shown; those of 0 always are.
    rank: u8,
    draw: Draw<'a>,
}

/// Draws a block in its place and gathers what its buttons ask for.
type Draw<'a> = Box<dyn FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a>;

impl<'a> Block<'a> {
    fn new(height: f32, rank: u8, draw: impl FnOnce(&mut Ui, Rect, &mut Vec<Command>) + 'a) -> Self {
        Self { height, rank, draw: Box::new(draw) }
    }

    /// Words in as many lines as they take.
    fn words(galley: Arc<Galley>, rank: u8) -> Self {
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
    if let Some(diagram) = blocks.iter_mut().find(|block| block.rank == DIAGRAM) {
        diagram.height = (diagram.height + spare.max(0.0)).min(MOST_DIAGRAM);
    }
    blocks
}

/// Below this width, in points, only so many pixels are drawn in the diagram.
const NARROW: f32 = 380.0;
const FEW: usize = 4;
/// The rank of the diagram.
const DIAGRAM: u8 = 4;

fn layout(ui: &Ui, text: &str, size: f32, color: Color32, width: f32) -> Arc<Galley> {
    ui.painter().layout(text.to_owned(), theme::words(size), color, width)
}

/// All blocks from the top.
fn blocks<'a>(ui: &Ui, view: &'a LabView<'_>, width: f32) -> Vec<Block<'a>> {
    let words = |text: &str, size, color, rank| Block::words(layout(ui, text, size, color, width), rank);
    let method = view.method;
    let rows = Method::ladder().len().div_ceil(IN_A_ROW) as f32;
    let mut blocks = vec![
        Block::new(19.0, 0, move |ui, rect, commands| title(ui, rect, method, commands)),
        Block::new(rows * (BUTTONS + 3.0) - 3.0, 2, move |ui, rect, commands| methods(ui, rect, method, commands)),
        words(method.explanation(), LETTERS, theme::LIGHT, 3),
        words(why(method), LETTERS, theme::DIM, 6),
    ];
    match view.outcome {
        Outcome::UnderWay => blocks.push(words("counting …", LETTERS + 1.0, theme::DIM, 0)),
        Outcome::Impossible(reason) => blocks.push(words(reason, LETTERS + 1.0, theme::WRONG, 0)),
        Outcome::Counted(figures) => {
            let color = if figures.is_exact { theme::RIGHT } else { theme::WRONG };
            blocks.push(words(&verdict(figures), LETTERS + 1.0, color, 0));
            blocks.extend(figures.reduction.as_ref().map(|text| words(text, LETTERS, theme::ACCENT, 0)));
        }
    }
    // A narrow panel has room for fewer.
    let count = if width < NARROW { FEW } else { usize::MAX }.min(view.samples.len());
    if let Some(diagram) = diagram(method, (&view.samples[..count], view.samples_at), view.moment) {
        blocks.push(Block::new(drawing::LEAST_HEIGHT, DIAGRAM, move |ui, rect, _| {
            drawing::show(ui.painter(), rect, &diagram);
        }));
    }
    if let Outcome::Counted(figures) = view.outcome {
        blocks.push(words(&times(figures), LETTERS, theme::LIGHT, 1));
        blocks.extend(costs(figures).map(|text| words(&text, LETTERS, theme::LIGHT, 5)));
    }
    blocks.push(Block::new(BUTTONS, 7, move |ui, rect, commands| chunks(ui, rect, view, commands)));
    blocks.push(Block::new(BUTTONS, 7, move |ui, rect, commands| bins(ui, rect, view, commands)));
    if let Outcome::Counted(figures) = view.outcome {
        let text: Vec<_> = figures.passes.iter().filter_map(constants).collect();
        if !text.is_empty() {
            blocks.push(words(&text.join("\n"), theme::SMALL, theme::DIM, 8));
        }
    }
    blocks
}

/// Which of the methods it is, how one goes to the next, and how one leaves.
fn title(ui: &mut Ui, rect: Rect, method: Method, commands: &mut Vec<Command>) {
    let close = Rect::from_min_max(pos2(rect.max.x - BUTTONS, rect.min.y), rect.max);
    let key = keys::label_of(Action::ToggleLab).unwrap_or_default();
    if controls::switch(ui, close, (false, "×"), &format!("Close the lab  ({key})")).clicked() {
        commands.push(Command::Do(Action::ToggleLab));
    }
    let place = Method::ladder().iter().position(|&other| other == method).map_or(0, |place| place + 1);
    let painter = ui.painter();
    let number = format!("{place}/{}", Method::ladder().len());
    let number = painter.text(rect.left_center(), Align2::LEFT_CENTER, number, theme::mono(theme::TEXT), theme::ACCENT);
    let at = pos2(number.max.x + 8.0, rect.center().y);
    let name = painter.text(at, Align2::LEFT_CENTER, method.title(), theme::words(theme::TEXT + 1.0), theme::LIGHT);
    let step = [false, true].map(|forward| keys::label_of(Action::StepLab { forward }).unwrap_or_default()).join(" ");
    let step = painter.layout_no_wrap(step, theme::mono(theme::SMALL), theme::DIM);
    let at = pos2(close.min.x - 8.0 - step.size().x, rect.center().y - step.size().y / 2.0);
    if at.x > name.max.x + 8.0 {
        painter.galley(at, step, theme::DIM);
    }
}

fn methods(ui: &mut Ui, rect: Rect, method: Method, commands: &mut Vec<Command>) {
    for (row, methods) in Method::ladder().chunks(IN_A_ROW).enumerate() {
        let top = rect.min.y + row as f32 * (BUTTONS + 3.0);
        let line = Rect::from_min_size(pos2(rect.min.x, top), vec2(rect.width(), BUTTONS));
        // All as wide as each other, so that rows stand in columns.
        let width = line.width() / IN_A_ROW as f32;
        for (column, &other) in methods.iter().enumerate() {
            let at = pos2(line.min.x + column as f32 * width, line.min.y);
            let part = Rect::from_min_size(at, vec2(width, BUTTONS));
            let chosen = if other == method { 0 } else { usize::MAX };
            trace_button(ui, other.name(), part);
            if controls::choice(ui, part, other.name(), &[short(other)], chosen, false).is_some() {
                commands.push(Command::Lab(LabCommand::Method(other)));
            }
        }
    }
}

/// Tells the log where a button is, in pixels of the view.
fn trace_button(ui: &Ui, name: &str, rect: Rect) {
    let at = rect.center() * ui.ctx().pixels_per_point();
    log::trace!("lab: button {name} at {:.0},{:.0}", at.x, at.y);
}

/// A name, and what is right of it.
fn named(ui: &Ui, rect: Rect, name: &str) -> Rect {
    ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, name, theme::words(LETTERS), theme::DIM);
    Rect::from_min_max(pos2(rect.min.x + NAME, rect.min.y), rect.max)
}

/// Width of the button behind which another value is typed.
const TYPED: f32 = 62.0;

/// Buttons of some values of which one is chosen, or none, and one more for any other; the place of the one that was clicked, that of
/// the last for the other. `dim` where nothing comes of it.
fn values(
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

fn chunks(ui: &mut Ui, rect: Rect, view: &LabView<'_>, commands: &mut Vec<Command>) {
    let method = view.method;
    let line = named(ui, rect, if method.has_chunks() { "chunk" } else { "group" });
    let sizes = CHUNKS.map(|(width, height)| format!("{width}×{height}"));
    let names: Vec<_> = std::iter::once("usual".to_owned()).chain(sizes).collect();
    let preset = CHUNKS.iter().position(|&chunk| chunk == view.chunk).map(|place| place + 1);
    let chosen = if view.is_usual { Some(0) } else { preset };
    let other =
        if chosen.is_some() { "w×h …".to_owned() } else { format!("{}×{} …", view.chunk.0, view.chunk.1) };
    // A single invocation, and what is not the tutorial's, is not cut up by it.
    let is_used = method.reads_texture() && method != Method::Single;
    if let Some(to) = values(ui, line, "pixels across and down", &names, chosen, &other, !is_used) {
        commands.push(Command::Lab(match to {
            0 => LabCommand::Chunk(None),
            to => CHUNKS.get(to - 1).map_or(LabCommand::TypeChunk, |&chunk| LabCommand::Chunk(Some(chunk))),
        }));
    }
}

fn bins(ui: &mut Ui, rect: Rect, view: &LabView<'_>, commands: &mut Vec<Command>) {
    let line = named(ui, rect, "bins");
    let names = BINS.map(|bins| bins.to_string());
    let chosen = BINS.iter().position(|&bins| bins == view.bins);
    let other = if chosen.is_some() { "n …".to_owned() } else { format!("{} …", view.bins) };
    let id = format!("bins, {} to {}", Shape::BINS.start(), Shape::BINS.end());
    if let Some(to) = values(ui, line, &id, &names, chosen, &other, false) {
        commands.push(Command::Lab(BINS.get(to).map_or(LabCommand::TypeBins, |&bins| LabCommand::Bins(bins))));
    }
}

/// Whether the counts are right, and how many are not.
pub fn verdict(figures: &Figures) -> String {
    let wanted = grouped(figures.wanted);
    match (figures.is_exact, u64::try_from(figures.lost)) {
        (true, _) => format!("equals the reference: all {wanted} counts in 4 channels"),
        (false, Ok(lost @ 1..)) => {
            format!("lost {} of {wanted} counts, {}", grouped(lost), share(lost as f64 / figures.wanted as f64))
        }
        (false, Ok(_)) => "differs from the reference: none is lost, but some are in wrong bins".to_owned(),
        (false, Err(_)) => {
            format!("differs from the reference: {} counts too many", grouped(figures.lost.unsigned_abs()))
        }
    }
}

/// What a pass puts into its shader, and how its work is cut up.
fn constants(pass: &PassFigures) -> Option<String> {
    let Cut { workgroup: (width, height), workgroups: (across, down), dispatches } = pass.cut?;
    let values: Vec<_> = pass.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let times = if dispatches > 1 { format!(", {dispatches} dispatches") } else { String::new() };
    Some(format!("{}: {}; {across}×{down} workgroups of {width}×{height}{times}", pass.name, values.join(", ")))
}

/// A share in percent, with as many places as tell something.
fn share(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 10.0 {
        format!("{percent:.0} %")
    } else if percent >= 0.1 {
        format!("{percent:.1} %")
    } else {
        "less than 0.1 %".to_owned()
    }
}

/// The times of the passes, and beside the floor's.
fn times(figures: &Figures) -> String {
    let told = |pass: &PassFigures| pass.micros.map(|time| format!("{} {}", pass.name, micros(time)));
    let passes: Vec<_> = figures.passes.iter().filter_map(told).collect();
    let Some(total) = figures.total_us else { return "this adapter tells no times of its passes".to_owned() };
    let taken = match passes.len() {
        2.. => format!("{} = {}", passes.join(" + "), micros(total)),
        _ => format!("takes {}", micros(total)),
    };
    let Some(floor) = figures.floor_us else { return taken };
    // The floor reads all pixels, so that of a part of them it is the pixel that is compared.
    let times = total / floor.max(1e-9) / figures.part;
    let times = if times >= 10.0 { format!("{times:.0}") } else { format!("{times:.1}") };
    let by = if figures.part < 1.0 { "by the pixel " } else { "" };
    format!("{taken}, {by}{times} × the floor ({})", micros(floor))
}

/// What is asked of the memory for a pixel.
fn costs(figures: &Figures) -> Option<String> {
    let number = |number: f64| {
        let text = if number >= 100.0 { format!("{number:.0}") } else { format!("{number:.2}") };
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    let parts: Vec<_> = figures.costs.iter().map(|(name, count)| format!("{name} {}", number(*count))).collect();
    (!parts.is_empty()).then(|| format!("a pixel takes: {}", parts.join(", ")))
}

fn micros(micros: f64) -> String {
    if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        Figures {
            counted: Default::default(),
            right: Default::default(),
            wanted: 8_294_400,
            is_exact: false,
            lost: 12_345,
            reduction: None,
            part: 1.0,
            passes: vec![pass("count", Some(100.0)), pass("sum", Some(1500.0))],
            total_us: Some(1600.0),
            floor_us: Some(80.0),
            costs: vec![("loads", 1.0), ("atomics in memory", 0.0625), ("bytes", 4.0)],
        }
    }

    fn pass(name: &'static str, micros: Option<f64>) -> PassFigures {
        PassFigures {
            name,
            micros,
            constants: vec![("BINS", 256), ("CHUNK", 16)],
            cut: Some(Cut { workgroup: (16, 16), workgroups: (80, 45), dispatches: 1 }),
        }
    }

    fn plain(text: &str) -> String {
        text.replace('\u{202f}', " ")
    }

    #[test]
    fn what_was_lost_is_told_and_what_was_not_too() {
        assert_eq!(plain(&verdict(&figures())), "lost 12 345 of 8 294 400 counts, 0.1 %");
        let exact = Figures { is_exact: true, lost: 0, ..figures() };
        assert_eq!(plain(&verdict(&exact)), "equals the reference: all 8 294 400 counts in 4 channels");
        for (lost, text) in [(0, "in wrong bins"), (-7, "7 counts too many")] {
            assert!(verdict(&Figures { lost, ..figures() }).ends_with(text));
        }
    }

    #[test]
    fn times_are_told_pass_by_pass_and_beside_the_floor() {
        assert_eq!(times(&figures()), "count 100.0 µs + sum 1.50 ms = 1.60 ms, 20 × the floor (80.0 µs)");
        let single = Figures { passes: vec![pass("count", Some(1600.0))], floor_us: None, ..figures() };
        assert_eq!(times(&single), "takes 1.60 ms");
        let part = Figures { part: 0.25, ..figures() };
        assert_eq!(times(&part), "count 100.0 µs + sum 1.50 ms = 1.60 ms, by the pixel 80 × the floor (80.0 µs)");
        let silent = Figures { total_us: None, passes: vec![pass("count", None)], ..figures() };
        assert_eq!(times(&silent), "this adapter tells no times of its passes");
    }

    #[test]
    fn what_it_costs_and_how_it_is_cut_up_is_told() {
        assert_eq!(costs(&figures()).as_deref(), Some("a pixel takes: loads 1, atomics in memory 0.06, bytes 4"));
        let told = constants(&pass("count", None));
        assert_eq!(told.as_deref(), Some("count: BINS = 256, CHUNK = 16; 80×45 workgroups of 16×16"));
        assert_eq!(constants(&PassFigures { cut: None, ..pass("CPU", None) }), None);
    }
}
