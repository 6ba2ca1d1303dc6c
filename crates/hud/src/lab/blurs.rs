//! The panel about a method of blurring, and the blurred picture.

use egui::epaint::{Mesh, Vertex};
use egui::{Color32, Context, LayerId, Pos2, Rect, TextureOptions, Ui, pos2};

use super::block::{BUTTONS, CONSTANTS, COSTS, LabBlock, PARAMETERS, WHAT, WHY, layout, named, numbers, outcome};
use super::counting::steps_text;
use super::picture;
use super::tile;
use super::words::{added_up, grouped, number};
use crate::controls::LETTERS;
use crate::entry::EntryKind;
use crate::lab_view::{BlurView, ChoiceOutcome, LabCommand};
use crate::model::Command;
use crate::theme;
use histoscope_lab::{BlurMethod, BlurSetup, Blurred};

/// Widths with a button.
const WIDTHS: [u32; 6] = [3, 7, 15, 31, 63, 127];
/// Numbers of runs with a button.
const RUNS: [u32; 6] = [1, 2, 3, 4, 6, 8];

/// Returns all blocks about the method.
pub fn blocks<'a>(ui: &Ui, view: &'a BlurView<'_>, moment: i64, width: f32) -> Vec<LabBlock<'a>> {
    let words = |text: &str, size, color, rank| LabBlock::words(layout(ui, text, size, color, width), rank);
    let setup = view.setup;
    let choose = move |method| LabCommand::Blur(BlurSetup { method, ..setup });
    let names = |method: BlurMethod| [method.name(), short(method)];
    let mut blocks = vec![
        LabBlock::buttons(&BlurMethod::ALL, BlurMethod::ALL.len(), 2, (setup.method, names, choose)),
        words(setup.method.explanation(), LETTERS, theme::LIGHT, WHAT),
        words(why(setup.method), LETTERS, theme::DIM, WHY),
    ];
    let judge = |blurred: &_| (verdict(blurred), blurred.is_right(), blurred.reduction.clone());
    blocks.extend(outcome(words, &view.outcome, "blurring …", judge));
    if let Some(diagram) = tile::diagram(setup.method, (view.block, view.block_at), moment) {
        let text = "drawn: the luminance of pixels of the frame, with N = 3";
        blocks.push(words(text, theme::SMALL, theme::DIM, WHY));
        blocks.push(LabBlock::diagram(ui, width, diagram));
    }
    if let ChoiceOutcome::Done(blurred) = view.outcome {
        blocks.push(words(&times(blurred), LETTERS, theme::LIGHT, 1));
    }
    blocks.push(words(&costs(setup), LETTERS, theme::LIGHT, COSTS));
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| widths(ui, rect, setup, commands)));
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| runs(ui, rect, setup, commands)));
    if let ChoiceOutcome::Done(blurred) = view.outcome {
        blocks.push(words(&steps_text(&blurred.steps), theme::SMALL, theme::DIM, CONSTANTS));
    }
    blocks
}

/// Returns the text on the method's button.
const fn short(method: BlurMethod) -> &'static str {
    match method {
        BlurMethod::Square => "N²",
        BlurMethod::Separable => "2N",
        BlurMethod::Tiled => "tiles",
        BlurMethod::Running => "running",
    }
}

/// Returns why the previous method was not enough.
pub const fn why(method: BlurMethod) -> &'static str {
    match method {
        BlurMethod::Square => {
            "The first method: the definition as it stands. Twice the width takes four times the loads."
        }
        BlurMethod::Separable => "The square loaded N² pixels for each result, nearly the same ones as its neighbours.",
        BlurMethod::Tiled => "Each pixel was still loaded by all N results around it. Now a workgroup loads it once.",
        BlurMethod::Running => {
            "A result still summed N pixels, though from fast memory. Now it changes the last sum by two."
        }
    }
}

/// Returns how the picture compares with the mean of the square around each pixel.
#[must_use]
pub fn verdict(blurred: &Blurred) -> String {
    let (off, all) = blurred.off;
    if off == 0 {
        return format!("equals the mean by definition: all {} codes", grouped(all));
    }
    let share = 100.0 * off as f64 / all.max(1) as f64;
    let codes = if blurred.distance == 1 { "1 code".to_owned() } else { format!("{} codes", blurred.distance) };
    format!("at most {codes} off the mean by definition, in {share:.0} % of all: each row’s mean is rounded")
}

/// Returns the durations of the passes, their sum and the time per result.
fn times(blurred: &Blurred) -> String {
    let Some(total) = blurred.total() else { return "this adapter does not measure its passes".to_owned() };
    let parts: Vec<_> =
        blurred.passes.iter().filter_map(|(name, time)| Some((*name, (*time)?.as_secs_f64() * 1e6))).collect();
    let results = f64::from(blurred.size.0) * f64::from(blurred.size.1);
    let nanos = total.as_secs_f64() * 1e9 / results.max(1.0);
    format!("{}, {} ns per result", added_up(&parts, total.as_secs_f64() * 1e6), number(nanos))
}

/// Returns the loads per result.
fn costs(setup: BlurSetup) -> String {
    let (memory, own) = setup.loads();
    let own = if own > 0.0 { format!(", and from workgroup memory {}", number(own)) } else { String::new() };
    format!("per result, the kept byte’s pixel included: loads from the image {}{own}", number(memory))
}

fn widths(ui: &mut Ui, rect: Rect, setup: BlurSetup, commands: &mut Vec<Command>) {
    let text = |width: u32| width.to_string();
    let shown = (&WIDTHS, setup.size, &text as &dyn Fn(u32) -> String);
    numbers(ui, rect, ("N", "pixels, odd"), shown, (LabCommand::Width, EntryKind::Width), commands);
}

fn runs(ui: &mut Ui, rect: Rect, setup: BlurSetup, commands: &mut Vec<Command>) {
    let line = named(ui, rect, "runs");
    let chosen = RUNS.iter().position(|&runs| runs == setup.runs).unwrap_or(usize::MAX);
    let names = RUNS.map(|runs| runs.to_string());
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    super::block::trace_button(ui, "runs", line);
    if let Some(to) = crate::controls::choice(ui, line, "runs", &names, chosen, false) {
        commands.push(Command::Lab(LabCommand::Blur(BlurSetup { runs: RUNS[to], ..setup })));
    }
}

/// The name of the blurred picture's texture.
const TEXTURE: &str = "blurred picture";

/// Releases the texture of the blurred picture.
pub fn forget(context: &Context) {
    picture::forget(context, TEXTURE);
}

/// Draws a blurred picture in place of the video's, below everything else. Without one, releases the texture of the
/// last one.
pub fn show_picture(ui: &Ui, picture: Option<((&Blurred, u64), [Pos2; 4])>) {
    let Some(((blurred, number), corners)) = picture else { return forget(ui.ctx()) };
    let shown = (number, blurred.size, &blurred.pixels[..]);
    let texture_id = picture::texture(ui.ctx(), TEXTURE, shown, TextureOptions::LINEAR);
    let uvs = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    let vertex = |(pos, (u, v))| Vertex { pos, uv: pos2(u, v), color: Color32::WHITE };
    let mesh = Mesh {
        indices: vec![0, 1, 2, 2, 1, 3],
        vertices: corners.into_iter().zip(uvs).map(vertex).collect(),
        texture_id,
    };
    ui.ctx().layer_painter(LayerId::background()).add(mesh);
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    pub fn blurred(setup: BlurSetup) -> Blurred {
        let bins: [Vec<u32>; 4] = std::array::from_fn(|_| (0..256).map(|bin| bin * 3).collect());
        Blurred {
            setup,
            size: (427, 240),
            pixels: vec![128; 427 * 240 * 4],
            bins: [bins.clone(), bins],
            distance: 1,
            off: (100_000, 307_440),
            passes: vec![
                ("across", Some(Duration::from_micros(12_345))),
                ("down", Some(Duration::from_micros(23_456))),
            ],
            reduction: Some("blurs 427×240 of 3840×2160 pixels, to keep the video playing".to_owned()),
            steps: Vec::new(),
        }
    }

    #[test]
    fn agreement_time_and_loads_are_reported() {
        let told = blurred(BlurSetup::default());
        assert!(
            verdict(&told).starts_with("at most 1 code off the mean by definition, in 33 % of all"),
            "{}",
            verdict(&told)
        );
        assert!(told.is_right() && !Blurred { distance: 2, ..told.clone() }.is_right());
        let square = BlurSetup { method: BlurMethod::Square, ..told.setup };
        assert!(!Blurred { setup: square, ..told.clone() }.is_right(), "the whole square rounds once");
        let exact = Blurred { off: (0, 307_440), distance: 0, ..told.clone() };
        assert!(verdict(&exact).starts_with("equals the mean by definition: all 307"));
        assert_eq!(times(&told), "across 12.34 ms + down 23.46 ms = 35.80 ms, 349 ns per result");
        assert_eq!(costs(told.setup), "per result, the kept byte’s pixel included: loads from the image 32");
        let tiled = BlurSetup { method: BlurMethod::Tiled, runs: 2, ..told.setup };
        assert_eq!(
            costs(tiled),
            "per result, the kept byte’s pixel included: loads from the image 4.22, and from workgroup memory 64"
        );
    }
}
