//! The panel about a method of prefix sums: what it does, whether it is correct, and what it costs.

use std::time::Duration;

use egui::{Rect, Ui};

use super::block::{BUTTONS, CONSTANTS, COSTS, LabBlock, PARAMETERS, WHAT, WHY, layout, named, numbers, outcome};
use super::counting::steps_text;
use super::tree;
use super::words::{added_up, grouped, micros, number};
use crate::controls::{self, LETTERS};
use crate::entry::EntryKind;
use crate::lab_view::{ChoiceOutcome, LabCommand, SumView};
use crate::model::Command;
use crate::theme;
use histoscope_lab::{ScanKind, ScanMethod, ScannedWords, SumSetup, Summed};

/// Lengths with a button, as powers of two.
const LENGTHS: [u32; 6] = [9, 12, 16, 20, 24, 26];
/// The least width for sixteen numbers side by side, in points.
const SIXTEEN: f32 = 500.0;
const KINDS: [ScanKind; 2] = [ScanKind::Exclusive, ScanKind::Inclusive];

/// Returns the name of a kind of prefix sum.
#[must_use]
pub const fn kind(kind: ScanKind) -> &'static str {
    match kind {
        ScanKind::Exclusive => "exclusive",
        ScanKind::Inclusive => "inclusive",
    }
}

/// Returns all blocks about the method.
pub fn blocks<'a>(ui: &Ui, view: &'a SumView<'_>, moment: i64, width: f32) -> Vec<LabBlock<'a>> {
    let words = |text: &str, size, color, rank| LabBlock::words(layout(ui, text, size, color, width), rank);
    let setup = view.setup;
    let choose = move |method| LabCommand::Sums(SumSetup { method, ..setup });
    let names = |method: ScanMethod| [method.name(), short(method)];
    let mut blocks = vec![
        LabBlock::buttons(&ScanMethod::ALL, ScanMethod::ALL.len(), 2, (setup.method, names, choose)),
        words(setup.method.explanation(), LETTERS, theme::LIGHT, WHAT),
        words(why(setup.method), LETTERS, theme::DIM, WHY),
    ];
    let judge = |summed: &_| (verdict(summed), summed.wrong == 0, reduction(summed, setup.length));
    blocks.extend(outcome(words, &view.outcome, "summing up …", judge));
    if let Some(groups) = view.groups {
        // A narrow panel has no room for sixteen groups.
        let shown: Vec<u32> =
            if width < SIXTEEN { groups.chunks(2).map(|pair| pair.iter().sum()).collect() } else { groups.to_vec() };
        let text = format!("drawn: the frame’s luminance in {} groups of bins, step by step", shown.len());
        blocks.push(words(&text, theme::SMALL, theme::DIM, WHY));
        blocks.push(LabBlock::diagram(ui, width, tree::diagram((setup.method, setup.kind), &shown, moment)));
    }
    if let ChoiceOutcome::Done(summed) = view.outcome {
        blocks.push(words(&times(summed), LETTERS, theme::LIGHT, 1));
        blocks.push(words(&costs(summed), LETTERS, theme::LIGHT, COSTS));
    }
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| lengths(ui, rect, setup, commands)));
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| kinds(ui, rect, setup, commands)));
    if let ChoiceOutcome::Done(summed) = view.outcome {
        blocks.push(words(&steps_text(&summed.steps), theme::SMALL, theme::DIM, CONSTANTS));
    }
    blocks
}

/// Returns the text on the method's button.
const fn short(method: ScanMethod) -> &'static str {
    match method {
        ScanMethod::Naive => "naive",
        ScanMethod::HillisSteele => "Hillis–Steele",
        ScanMethod::Blelloch => "Blelloch",
        ScanMethod::ConflictFree => "conflict-free",
    }
}

/// Returns why the previous method was not enough.
pub const fn why(method: ScanMethod) -> &'static str {
    match method {
        ScanMethod::Naive => {
            "The CPU’s loop needs the previous sum for each. Here none waits, but nearly all is summed again."
        }
        ScanMethod::HillisSteele => "Each word added the same words again and again. Now sums are added.",
        ScanMethod::Blelloch => {
            "Hillis and Steele make one addition per word in every step. The tree makes two in total."
        }
        ScanMethod::ConflictFree => "Neighbours in the tree waited for the same memory bank. Padding moves them apart.",
    }
}

/// Returns whether the sums are correct, and if not, how many are wrong.
#[must_use]
pub fn verdict(summed: &Summed) -> String {
    let all = grouped(summed.setup.length.into());
    match summed.first_wrong {
        None => format!("equals the CPU’s loop: all {all} sums"),
        Some(first) => {
            format!("wrong: {} of {all} sums, the first at word {}", grouped(summed.wrong), grouped(first.into()))
        }
    }
}

/// Returns a note if fewer words were summed than chosen.
fn reduction(summed: &Summed, chosen: u32) -> Option<String> {
    let length = summed.setup.length;
    (length < chosen).then(|| {
        format!("sums {} of {} words, to keep the video playing", grouped(length.into()), grouped(chosen.into()))
    })
}

fn duration(time: Duration) -> String {
    micros(time.as_secs_f64() * 1e6)
}

/// Returns the durations of the passes, and how they compare with the CPU's.
fn times(summed: &Summed) -> String {
    let cpu = duration(summed.on_cpu);
    let Some(total) = summed.total() else {
        return format!("this adapter does not measure its passes; the CPU’s loop takes {cpu}");
    };
    let parts: Vec<_> =
        summed.passes.iter().filter_map(|(name, time)| Some((name.as_str(), (*time)?.as_secs_f64() * 1e6))).collect();
    let share = summed.on_cpu.as_secs_f64() / total.as_secs_f64().max(1e-9);
    let compared = if share >= 1.0 {
        format!("{share:.1} × as fast as the CPU’s loop ({cpu})")
    } else {
        format!("{:.1} × the time of the CPU’s loop ({cpu})", 1.0 / share.max(1e-9))
    };
    format!("{}, {compared}", added_up(&parts, total.as_secs_f64() * 1e6))
}

/// Returns the costs per word, and the number of levels.
fn costs(summed: &Summed) -> String {
    let (memory, own) = summed.loads;
    let own = if own > 0.0 { format!(", from workgroup memory {}", number(own)) } else { String::new() };
    let lengths: Vec<_> = summed.levels.iter().map(|&words| grouped(words.into())).collect();
    let levels = match summed.levels.len() {
        1 => format!("one block of {} words", summed.block),
        levels => format!("{levels} levels of blocks of {}: {} words", summed.block, lengths.join(", ")),
    };
    format!("per word: additions {}, loads {}{own}; {levels}", number(summed.additions), number(memory))
}

fn lengths(ui: &mut Ui, rect: Rect, setup: SumSetup, commands: &mut Vec<Command>) {
    let all = LENGTHS.map(|power| 1 << power);
    let shown = (&all, setup.length, &shortened as &dyn Fn(u32) -> String);
    let request = (LabCommand::Length as fn(u32) -> LabCommand, EntryKind::Length);
    numbers(ui, rect, ("words", "words, 512 to 2^26"), shown, request, commands);
}

/// Formats a length in a few characters.
fn shortened(length: u32) -> String {
    match length {
        length if length > 4096 && length.is_power_of_two() => format!("2^{}", length.ilog2()),
        0..=99_999 => length.to_string(),
        length => format!("{:.1}M", f64::from(length) / 1e6),
    }
}

/// Adds the choices of what the words are, and of whether a word's own value is part of its sum.
fn kinds(ui: &mut Ui, rect: Rect, setup: SumSetup, commands: &mut Vec<Command>) {
    let line = named(ui, rect, "of the");
    let half = (line.width() - 6.0) / 2.0;
    let left = Rect::from_min_size(line.min, egui::vec2(half, line.height()));
    let right = left.translate(egui::vec2(half + 6.0, 0.0));
    let chosen = ScannedWords::ALL.iter().position(|&words| words == setup.words).unwrap_or(0);
    let names = ScannedWords::ALL.map(ScannedWords::name);
    super::block::trace_button(ui, "what is summed", left);
    if let Some(to) = controls::choice(ui, left, "what is summed", &names, chosen, false) {
        commands.push(Command::Lab(LabCommand::Sums(SumSetup { words: ScannedWords::ALL[to], ..setup })));
    }
    let chosen = KINDS.iter().position(|&kind| kind == setup.kind).unwrap_or(0);
    super::block::trace_button(ui, "own word", right);
    if let Some(to) = controls::choice(ui, right, "own word", &KINDS.map(kind), chosen, false) {
        commands.push(Command::Lab(LabCommand::Sums(SumSetup { kind: KINDS[to], ..setup })));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn summed(setup: SumSetup) -> Summed {
        let micros = |micros| Some(Duration::from_micros(micros));
        Summed {
            setup,
            note: None,
            block: 512,
            levels: vec![setup.length, 131_072, 256],
            wrong: 0,
            first_wrong: None,
            passes: ["level 1", "level 2", "level 3", "add to level 2", "add to level 1"]
                .map(|name| (name.to_owned(), micros(1234)))
                .into(),
            on_cpu: Duration::from_micros(12_340),
            additions: 3.01,
            loads: (3.0, 6.0),
            steps: Vec::new(),
            groups: std::array::from_fn(|group| group as u32 * 54_321),
        }
    }

    fn plain(text: &str) -> String {
        text.replace('\u{202f}', " ")
    }

    #[test]
    fn verdicts_and_reductions_are_reported() {
        let right = summed(SumSetup { length: 1 << 26, ..SumSetup::default() });
        assert_eq!(plain(&verdict(&right)), "equals the CPU’s loop: all 67 108 864 sums");
        let wrong = Summed { wrong: 12, first_wrong: Some(4096), ..right.clone() };
        assert_eq!(plain(&verdict(&wrong)), "wrong: 12 of 67 108 864 sums, the first at word 4 096");
        assert_eq!(reduction(&right, 1 << 26), None);
        let told = reduction(&Summed { setup: SumSetup { length: 512, ..right.setup }, ..right }, 1024);
        assert_eq!(told.as_deref().map(plain), Some("sums 512 of 1 024 words, to keep the video playing".to_owned()));
    }

    #[test]
    fn each_level_has_its_duration_and_is_compared_with_the_cpu() {
        let summed = summed(SumSetup::default());
        let told = times(&summed);
        assert!(
            told.starts_with("level 1 1.24 ms + level 2 1.24 ms + level 3 1.23 ms + ")
                && told.ends_with("= 6.17 ms, 2.0 × as fast as the CPU’s loop (12.34 ms)"),
            "{told}"
        );
        let slow = Summed { on_cpu: Duration::from_micros(617), ..summed.clone() };
        assert!(times(&slow).ends_with("10.0 × the time of the CPU’s loop (617.0 µs)"), "{}", times(&slow));
        let silent = Summed { passes: vec![("scan".to_owned(), None)], ..summed };
        assert!(times(&silent).starts_with("this adapter does not measure"));
        assert!(
            plain(&costs(&silent)).contains("3 levels of blocks of 512: 65 536, 131 072, 256 words"),
            "{}",
            costs(&silent)
        );
    }
}
