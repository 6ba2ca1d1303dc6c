//! The page of tasks: predictions to be checked on this machine, by the times and counts that the lab has measured.

use egui::{Color32, Ui};

use super::block::{CONSTANTS, LabBlock, WHY, layout};
use crate::controls::LETTERS;
use crate::lab_view::{LOST, Measured};
use crate::theme;

/// A prediction: the claim, and the two runs of which the first takes less time. A single run has a number of its own
/// instead.
struct Task(&'static str, [&'static str; 2]);

const TASKS: [Task; 19] = [
    Task(
        "race: in a picture of one colour, of eight lanes that store together seven lose: about 7/8 or more",
        [LOST, ""],
    ),
    Task(
        "race: workgroups of 16×16 beat those of 1×1, which leave most lanes idle",
        ["race 16×16 256", "race 1×1 256"],
    ),
    Task("atomics: 256 bins beat 3, for which more pixels queue up", ["atomics 16×16 256", "atomics 16×16 3"]),
    Task(
        "atomics: one colour beats noise, as a GPU combines additions to the same bin",
        ["atomics 16×16 256 on constant", "atomics 16×16 256 on noise"],
    ),
    Task("pairs beat the sum, whose one workgroup walks over all chunks", ["pairwise 256×1 256", "sum 256×1 256"]),
    Task("shared beats the atomics with 3 bins: only chunks meet", ["shared 256×1 3", "atomics 16×16 3"]),
    Task("the tree beats Hillis and Steele, with fewer additions", ["blelloch 1048576", "hillis-steele 1048576"]),
    Task("padding beats the plain tree, whose lanes wait for banks", ["conflict-free 1048576", "blelloch 1048576"]),
    Task("tiles beat 2N loads for N = 63; for N = 3 they need not", ["tiled 63", "separable 63"]),
    Task("every column asking once beats every pixel asking", ["per-column 256", "per-pixel 256"]),
    Task(
        "shared beats the pairs in one colour, with one addition for each chunk",
        ["shared 256×1 256 on constant", "pairwise 256×1 256 on constant"],
    ),
    Task("a loop on the CPU beats a single invocation", ["scalar 256×1 256", "single 256×1 256"]),
    Task("a lossy race beats a single invocation on the GPU", ["race 16×16 256", "single 256×1 256"]),
    Task(
        "subgroups: one colour beats noise, with one turn for all lanes",
        ["subgroup 16×16 256 on constant", "subgroup 16×16 256 on noise"],
    ),
    Task("ours on the GPU beats the pairs: few chunks", ["ours-gpu 256×1 256", "pairwise 256×1 256"]),
    Task("ours on the CPU beats its plain loop: vectors, all cores", ["ours-cpu 256×1 256", "scalar 256×1 256"]),
    Task("Hillis and Steele beat the naive way: log n steps", ["hillis-steele 65536", "naive 65536"]),
    Task("two lines beat the square, 30 loads 225", ["separable 15", "square 15"]),
    Task("running sums beat tiles for N = 63", ["running 63", "tiled 63"]),
];

/// Returns what came of a prediction: `None` before it was measured, or whether it held and the figures.
fn judged(measured: &Measured, [first, second]: [&str; 2]) -> Option<(bool, String)> {
    let figure = *measured.get(first)?;
    if second.is_empty() {
        return Some((figure >= 0.85, format!("{:.1} % were lost", 100.0 * figure)));
    }
    let times = measured.get(second)? / figure.max(1e-12);
    Some((times > 1.0, format!("{times:.2} × as fast")))
}

/// Returns what came of a prediction in words, or what is to be run, and the colour of the words.
fn told(measured: &Measured, runs: [&str; 2]) -> (Color32, String) {
    match judged(measured, runs) {
        Some((true, figures)) => (theme::RIGHT, format!("held on this machine: {figures}")),
        Some((false, figures)) => (theme::ACCENT, format!("did not hold on this machine: {figures}")),
        None => {
            let missing = runs.iter().filter(|run| !run.is_empty() && !measured.contains_key(**run));
            (theme::DIM, format!("to run: {}", missing.copied().collect::<Vec<_>>().join(", ")))
        }
    }
}

/// Returns a block for each task about a method.
pub fn about<'a>(ui: &Ui, measured: &Measured, method: &str, width: f32) -> Vec<LabBlock<'a>> {
    let is_about = |run: &&str| run.split(' ').next() == Some(method);
    let tasks = TASKS.iter().filter(|Task(_, runs)| runs.iter().any(is_about));
    let words = |Task(claim, runs): &Task| {
        let (color, told) = told(measured, *runs);
        LabBlock::words(layout(ui, &format!("predict: {claim} · {told}"), theme::SMALL, color, width), CONSTANTS + 1)
    };
    tasks.map(words).collect()
}

/// Returns a block for each task.
pub fn blocks<'a>(ui: &Ui, measured: &Measured, width: f32) -> Vec<LabBlock<'a>> {
    let words = |(place, Task(claim, runs)): (usize, &Task)| {
        let rank = WHY + place as u8;
        let (color, told) = told(measured, *runs);
        [
            LabBlock::words(layout(ui, claim, LETTERS, theme::LIGHT, width), rank),
            LabBlock::words(layout(ui, &told, theme::SMALL, color, width), rank),
        ]
    };
    TASKS.iter().enumerate().flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_lab::{BlurMethod, DrawMethod, Method, ScanMethod};

    #[test]
    fn every_method_has_predictions() {
        let methods = Method::ladder().iter().map(|method| method.name());
        let methods = methods.chain(ScanMethod::ALL.map(ScanMethod::name)).chain(BlurMethod::ALL.map(BlurMethod::name));
        let methods: Vec<_> = methods.chain(DrawMethod::ALL.map(DrawMethod::name)).collect();
        let of_run = |run: &str| run.split(' ').next().unwrap_or_default().to_owned();
        for method in &methods {
            assert!(TASKS.iter().any(|Task(_, runs)| runs.iter().any(|run| of_run(run) == *method)), "{method}");
        }
        for Task(claim, runs) in TASKS {
            let is_known = |run: &str| run.is_empty() || methods.contains(&of_run(run).as_str());
            assert!(runs.iter().all(|run| is_known(run)), "{claim}: {runs:?}");
        }
    }

    #[test]
    fn a_prediction_is_judged_once_both_runs_are_measured() {
        let runs = TASKS[1].1;
        let mut measured = Measured::from([("race 16×16 256".to_owned(), 100.0)]);
        assert_eq!(judged(&measured, runs), None);
        for (slow, holds, text) in [(250.0, true, "2.50 × as fast"), (50.0, false, "0.50 × as fast")] {
            measured.insert("race 1×1 256".to_owned(), slow);
            assert_eq!(judged(&measured, runs), Some((holds, text.to_owned())));
        }
        for (lost, holds) in [(0.875, true), (0.84, false)] {
            measured.insert(LOST.to_owned(), lost);
            assert_eq!(judged(&measured, TASKS[0].1).map(|(held, _)| held), Some(holds));
        }
    }
}
