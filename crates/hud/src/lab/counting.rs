//! The panel about a method of counting: what it does, whether it is correct, and what it costs.

use egui::{Rect, Ui};

use super::block::{
    BUTTONS, CONSTANTS, COSTS, LabBlock, PARAMETERS, WHAT, WHY, layout, named, numbers, outcome, trace_button, values,
};
use super::pixels::diagram;
use super::words::{added_up, grouped, micros, number, short, why};
use crate::controls::{self, LETTERS};
use crate::entry::EntryKind;
use crate::lab_view::{ChoiceOutcome, CountingView, Cut, Figures, LabCommand, PassFigures};
use crate::model::Command;
use crate::theme;
use histoscope_lab::{ChannelSet, Method, Shape, Step};

/// Buttons of methods per row of a narrow panel. A wide one has them all in one.
const IN_A_ROW: usize = 5;
const WIDE: f32 = 560.0;
/// Chunks with a button.
pub const CHUNKS: [(u32, u32); 4] = [(1, 1), (16, 16), (32, 8), (256, 1)];
/// Numbers of bins with a button.
pub const BINS: [u32; 6] = [3, 16, 64, 256, 1024, 4096];
/// Below this width, in points, diagrams are smaller: this one shows only `FEW` pixels.
pub const NARROW: f32 = 380.0;
const FEW: usize = 4;

/// Returns all blocks about the method.
pub fn blocks<'a>(ui: &Ui, view: &'a CountingView<'_>, moment: i64, width: f32) -> Vec<LabBlock<'a>> {
    let words = |text: &str, size, color, rank| LabBlock::words(layout(ui, text, size, color, width), rank);
    let method = view.method;
    let names = |method: Method| [method.name(), short(method)];
    let in_a_row = if width < WIDE { IN_A_ROW } else { Method::ladder().len() };
    let mut blocks = vec![
        LabBlock::buttons(Method::ladder(), in_a_row, 2, (method, names, LabCommand::Method)),
        words(
            &view.own.as_ref().map_or(method.explanation().to_owned(), |_| in_place_of(method)),
            LETTERS,
            theme::LIGHT,
            WHAT,
        ),
        words(why(method), LETTERS, theme::DIM, WHY),
    ];
    let judge = |figures: &_| (verdict(figures), figures.is_exact, figures.reduction.clone());
    blocks.extend(outcome(words, &view.outcome, "counting …", judge));
    // A narrow panel has room for fewer pixels.
    let pixels = if width < NARROW { FEW } else { usize::MAX }.min(view.samples.len());
    blocks.extend(
        diagram(method, (&view.samples[..pixels], view.samples_at), moment)
            .map(|diagram| LabBlock::diagram(ui, width, diagram)),
    );
    if let ChoiceOutcome::Done(figures) = view.outcome {
        blocks.push(words(&times(figures), LETTERS, theme::LIGHT, 1));
        blocks.extend(costs(figures).map(|text| words(&text, LETTERS, theme::LIGHT, COSTS)));
    }
    blocks.extend(measured(view).map(|text| words(&text, LETTERS, theme::DIM, COSTS)));
    let count = view.bins;
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| chunks(ui, rect, view, commands)));
    let chosen = view.channels;
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| {
        let mut rect = rect;
        if rect.width() >= NARROW {
            let right = Rect::from_min_max(egui::pos2(rect.max.x - CHANNELS, rect.min.y), rect.max);
            rect.max.x = right.min.x - 4.0;
            channels(ui, right, chosen, commands);
        }
        bins(ui, rect, count, commands);
    }));
    if let ChoiceOutcome::Done(figures) = view.outcome {
        let text: Vec<_> = figures.passes.iter().filter_map(constants).collect();
        if !text.is_empty() {
            blocks.push(words(&text.join("\n"), theme::SMALL, theme::DIM, CONSTANTS));
        }
    }
    blocks
}

fn chunks(ui: &mut Ui, rect: Rect, view: &CountingView<'_>, commands: &mut Vec<Command>) {
    let method = view.method;
    let line = named(ui, rect, if method.has_chunks() { "chunk" } else { "group" });
    let sizes = CHUNKS.map(|(width, height)| format!("{width}×{height}"));
    let names: Vec<_> = std::iter::once("usual".to_owned()).chain(sizes).collect();
    let preset = CHUNKS.iter().position(|&chunk| chunk == view.chunk).map(|place| place + 1);
    let chosen = if view.is_usual { Some(0) } else { preset };
    let other =
        if chosen.is_some() { "w×h …".to_owned() } else { format!("{}×{} …", view.chunk.0, view.chunk.1) };
    // The chunk does not apply to a single invocation, nor to methods that are not the tutorial's.
    let is_used = method.reads_texture() && method != Method::Single;
    if let Some(to) = values(ui, line, "pixels across and down", &names, chosen, &other, !is_used) {
        let chunk = to.checked_sub(1).map(|place| CHUNKS.get(place).copied());
        commands.push(match chunk {
            None => Command::Lab(LabCommand::Chunk(None)),
            Some(None) => Command::Type(EntryKind::Chunk),
            Some(chunk) => Command::Lab(LabCommand::Chunk(chunk)),
        });
    }
}

/// Width of the buttons for the channels.
const CHANNELS: f32 = 66.0;

/// Adds buttons for the counted channels: all four, or luminance alone as in the first part of the lesson.
fn channels(ui: &mut Ui, rect: Rect, chosen: ChannelSet, commands: &mut Vec<Command>) {
    let all = [ChannelSet::Four, ChannelSet::One];
    trace_button(ui, "channels", rect.with_min_x(rect.center().x));
    let place = usize::from(chosen == ChannelSet::One);
    if let Some(to) = controls::choice(ui, rect, "channels", &["RGBL", "L"], place, false) {
        commands.push(Command::Lab(LabCommand::Channels(all[to])));
    }
}

/// Adds buttons for the number of bins.
pub fn bins(ui: &mut Ui, rect: Rect, count: u32, commands: &mut Vec<Command>) {
    let id = format!("bins, {} to {}", Shape::BINS.start(), Shape::BINS.end());
    let text = |bins: u32| bins.to_string();
    numbers(ui, rect, ("bins", &id), (&BINS, count, &text), (LabCommand::Bins, EntryKind::Bins), commands);
}

/// Returns what the user's own shader stands for.
fn in_place_of(method: Method) -> String {
    format!(
        "Your shader counts in place of “{}”, whose diagram this is, and again whenever you save it. Its counts are checked \
         like the method’s.",
        method.title()
    )
}

/// Returns the times that were measured with as many bins, method by method, if there are several.
fn measured(view: &CountingView<'_>) -> Option<String> {
    let bins = view.bins.to_string();
    let own = view.own.iter().map(|own| own.name.as_str());
    let has_chunk = |method: &Method| method.reads_texture() && *method != Method::Single;
    let names = Method::ladder().iter().map(|method| (method.name(), has_chunk(method)));
    let names = names.chain(own.map(|name| (name, true)));
    let of_name = |(name, has_chunk): (&str, bool)| {
        let times = view.measured.iter().filter_map(|(run, time)| {
            let (chunk, count) = run.strip_prefix(name)?.strip_prefix(' ')?.split_once(' ')?;
            let chunk = if has_chunk { format!("{chunk} ") } else { String::new() };
            let lossy = if name == Method::Race.name() { " (loses counts)" } else { "" };
            (count == bins).then(|| format!("{name} {chunk}{}{lossy}", micros(time * 1e6)))
        });
        times.collect::<Vec<_>>()
    };
    let all: Vec<_> = names.flat_map(of_name).collect();
    (all.len() > 1).then(|| format!("measured here, for a whole picture: {}", all.join(", ")))
}

/// Returns whether the counts are correct, and if not, how many are lost or in excess.
pub fn verdict(figures: &Figures) -> String {
    let wanted = grouped(figures.wanted);
    match (figures.is_exact, u64::try_from(figures.lost)) {
        (true, _) => match figures.right.iter().filter(|bins| !bins.is_empty()).count() {
            1 => format!("equals the reference: all {wanted} counts of luminance"),
            channels => format!("equals the reference: all {wanted} counts in {channels} channels"),
        },
        (false, Ok(lost @ 1..)) => {
            format!("lost {} of {wanted} counts, {}", grouped(lost), share(lost as f64 / figures.wanted as f64))
        }
        (false, Ok(_)) => "differs from the reference: none is lost, but some are in wrong bins".to_owned(),
        (false, Err(_)) => {
            format!("differs from the reference: {} counts too many", grouped(figures.lost.unsigned_abs()))
        }
    }
}

/// Returns the constants of a pass, and how its work is divided; `None` on the CPU.
fn constants(pass: &PassFigures) -> Option<String> {
    Some(cut_text(pass.name, &pass.constants, pass.cut?))
}

/// Returns the constants of the steps of another topic, and how their work is divided.
pub fn steps_text(steps: &[Step]) -> String {
    let text = |&Step { name, ref constants, workgroup, workgroups, dispatches, .. }: &Step| {
        cut_text(name, constants, Cut { workgroup, workgroups, dispatches })
    };
    steps.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn cut_text(name: &str, constants: &[(&'static str, u32)], cut: Cut) -> String {
    let Cut { workgroup: (width, height), workgroups: (across, down), dispatches } = cut;
    let values: Vec<_> = constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let times = if dispatches > 1 { format!(", {dispatches} dispatches") } else { String::new() };
    format!("{name}: {}; {across}×{down} workgroups of {width}×{height}{times}", values.join(", "))
}

/// Formats a share in percent, with only meaningful decimals.
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

/// Returns the durations of the passes, and how they compare with the floor's.
fn times(figures: &Figures) -> String {
    let passes: Vec<_> = figures.passes.iter().filter_map(|pass| Some((pass.name, pass.micros?))).collect();
    let Some(total) = figures.total_us else { return "this adapter does not measure its passes".to_owned() };
    let taken = match passes.len() {
        // Each duration is a median of several runs, so their sum is not the median of the total.
        2.. => added_up(&passes, passes.iter().map(|(_, time)| time).sum()),
        _ => format!("takes {}", micros(total)),
    };
    let Some(floor) = figures.floor_us else { return taken };
    // The floor reads all pixels, so if only a part was counted, compare per pixel.
    let times = total / floor.max(1e-9) / figures.part;
    let times = if times >= 10.0 { format!("{times:.0}") } else { format!("{times:.1}") };
    let by = if figures.part < 1.0 { "per pixel " } else { "" };
    format!("{taken}, {by}{times} × the floor ({})", micros(floor))
}

/// Returns the memory accesses per pixel, if known.
fn costs(figures: &Figures) -> Option<String> {
    let parts: Vec<_> = figures.costs.iter().map(|(name, count)| format!("{name} {}", number(*count))).collect();
    (!parts.is_empty()).then(|| format!("per pixel: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures {
        Figures {
            counted: Default::default(),
            right: std::array::from_fn(|_| vec![0; 3]),
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
    fn verdicts_report_lost_excess_and_misplaced_counts() {
        assert_eq!(plain(&verdict(&figures())), "lost 12 345 of 8 294 400 counts, 0.1 %");
        let exact = Figures { is_exact: true, lost: 0, ..figures() };
        assert_eq!(plain(&verdict(&exact)), "equals the reference: all 8 294 400 counts in 4 channels");
        let alone = Figures { right: [vec![], vec![], vec![], vec![0; 3]], ..exact };
        assert_eq!(plain(&verdict(&alone)), "equals the reference: all 8 294 400 counts of luminance");
        for (lost, text) in [(0, "in wrong bins"), (-7, "7 counts too many")] {
            assert!(verdict(&Figures { lost, ..figures() }).ends_with(text));
        }
    }

    #[test]
    fn durations_are_listed_by_pass_and_compared_with_the_floor() {
        assert_eq!(times(&figures()), "count 100 µs + sum 1.50 ms = 1.60 ms, 20 × the floor (80.0 µs)");
        let single = Figures { passes: vec![pass("count", Some(1600.0))], floor_us: None, ..figures() };
        assert_eq!(times(&single), "takes 1.60 ms");
        let part = Figures { part: 0.25, ..figures() };
        assert_eq!(times(&part), "count 100 µs + sum 1.50 ms = 1.60 ms, per pixel 80 × the floor (80.0 µs)");
        let silent = Figures { total_us: None, passes: vec![pass("count", None)], ..figures() };
        assert_eq!(times(&silent), "this adapter does not measure its passes");
    }

    #[test]
    fn costs_and_the_division_of_work_are_reported() {
        assert_eq!(costs(&figures()).as_deref(), Some("per pixel: loads 1, atomics in memory 0.06, bytes 4"));
        let told = constants(&pass("count", None));
        assert_eq!(told.as_deref(), Some("count: BINS = 256, CHUNK = 16; 80×45 workgroups of 16×16"));
        assert_eq!(constants(&PassFigures { cut: None, ..pass("CPU", None) }), None);
    }
}
