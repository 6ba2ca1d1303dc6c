//! The panel about a method of drawing bars, and the drawing in place of the histograms.

use std::time::Duration;

use egui::{Color32, Context, LayerId, Rect, TextureOptions, Ui, pos2};

use super::block::{BUTTONS, CONSTANTS, COSTS, LabBlock, PARAMETERS, WHAT, WHY, layout, outcome};
use super::counting::{bins, steps_text};
use super::diagram::{BELOW, CellAppearance, Diagram, DiagramRow, cell, link, step_at};
use super::picture;
use super::words::{added_up, grouped};
use crate::controls::LETTERS;
use crate::lab_view::{ChoiceOutcome, DrawView, LabCommand};
use crate::model::HistogramArea;
use crate::theme;
use histoscope_core::histogram::CHANNELS;
use histoscope_lab::{DrawMethod, Drawn, LabDrawing};
use histoscope_render::view::overlay::OverlapTable;

/// The name of the drawing's texture.
const TEXTURE: &str = "lab's drawing";

/// Releases the drawing's texture.
pub fn forget(context: &Context) {
    picture::forget(context, TEXTURE);
}

/// Returns all blocks about the method.
pub fn blocks<'a>(ui: &Ui, view: &'a DrawView<'_>, moment: i64, width: f32) -> Vec<LabBlock<'a>> {
    let words = |text: &str, size, color, rank| LabBlock::words(layout(ui, text, size, color, width), rank);
    let names = |method: DrawMethod| [method.name(), short(method)];
    let mut blocks = vec![
        LabBlock::buttons(&DrawMethod::ALL, DrawMethod::ALL.len(), 2, (view.method, names, LabCommand::Drawing)),
        words(view.method.explanation(), LETTERS, theme::LIGHT, WHAT),
        words(why(view.method), LETTERS, theme::DIM, WHY),
    ];
    let judge = |drawn: &_| (verdict(drawn), drawn.wrong == 0, drawn.reduction.clone());
    blocks.extend(outcome(words, &view.outcome, "drawing …", judge));
    if let Some((drawn, _)) = view.newest {
        blocks.push(LabBlock::diagram(ui, width, steps(view.method, drawn, moment)));
    }
    if let ChoiceOutcome::Done(drawn) = view.outcome {
        blocks.push(words(&times(drawn.setup.method, &drawn.passes), LETTERS, theme::LIGHT, 1));
        blocks.push(words(&times(drawn.other.0, &drawn.other.1), LETTERS, theme::LIGHT, 1));
    }
    blocks.push(words(&costs(view), LETTERS, theme::LIGHT, COSTS));
    let count = view.bins;
    blocks.push(LabBlock::new(BUTTONS, PARAMETERS, move |ui, rect, commands| bins(ui, rect, count, commands)));
    if let ChoiceOutcome::Done(drawn) = view.outcome {
        blocks.push(words(&steps_text(&drawn.steps), theme::SMALL, theme::DIM, CONSTANTS));
    }
    blocks
}

/// Draws the graphs in place of the histograms, below everything else. Without a drawing, releases the texture of the
/// last one.
pub fn show_graphs(ui: &Ui, newest: Option<(&Drawn, u64)>, areas: &[HistogramArea]) {
    let Some((drawn, number)) = newest else { return forget(ui.ctx()) };
    let picture = (number, LabDrawing::SIZE, &drawn.pixels[..]);
    let texture = picture::texture(ui.ctx(), TEXTURE, picture, TextureOptions::LINEAR);
    let painter = ui.ctx().layer_painter(LayerId::background());
    for area in areas {
        // Colours are on the left of the drawing, luminance on the right.
        let left = if area.channels.iter().any(|channel| channel < 3) { 0.0 } else { 0.5 };
        let part = Rect::from_min_max(pos2(left, 0.0), pos2(left + 0.5, 1.0));
        painter.image(texture, area.rect, part, Color32::WHITE);
    }
}

/// Returns the text on the method's button.
const fn short(method: DrawMethod) -> &'static str {
    match method {
        DrawMethod::PerPixel => "per pixel",
        DrawMethod::PerColumn => "per column",
    }
}

/// Returns why the previous method was not enough.
pub const fn why(method: DrawMethod) -> &'static str {
    match method {
        DrawMethod::PerPixel => {
            "The lesson’s way. The bins stay on the GPU: reading them back would take longer than counting."
        }
        DrawMethod::PerColumn => {
            "All pixels of a column asked the same bins. Histoscope draws this way, with more passes and lines."
        }
    }
}

/// Returns whether the drawing is correct.
#[must_use]
pub fn verdict(drawn: &Drawn) -> String {
    let all = grouped(drawn.pixels.len() as u64 / 4);
    match drawn.wrong {
        0 => format!("equals the CPU’s drawing: all {all} pixels"),
        wrong => format!("differs from the CPU’s drawing in {} of {all} pixels", grouped(wrong)),
    }
}

/// Returns the durations of a method's passes, and their sum.
fn times(method: DrawMethod, passes: &[(&'static str, Option<Duration>)]) -> String {
    let parts: Vec<_> = passes.iter().filter_map(|(name, time)| Some((*name, (*time)?.as_secs_f64() * 1e6))).collect();
    if parts.len() < passes.len() {
        return "this adapter does not measure its passes".to_owned();
    }
    let total = parts.iter().map(|(_, time)| time).sum();
    format!("{}: {}", short(method), added_up(&parts, total))
}

/// Returns how often bins are loaded.
fn costs(view: &DrawView<'_>) -> String {
    let [pixels, columns] = DrawMethod::ALL.map(|method| grouped(method.bin_loads(view.bins).into()));
    format!("bins loaded for a whole drawing: {pixels} if every pixel asks, {columns} if every column does")
}

/// Returns the fullest bin of luminance and the next one, each with its count, and the fullest one's count.
fn two_bins(drawn: &Drawn) -> [(usize, u32); 2] {
    let counts: Vec<u32> = drawn.bins.chunks_exact(CHANNELS).map(|bin| bin[3]).collect();
    let fullest = (0..counts.len()).max_by_key(|&bin| counts[bin]).unwrap_or(0);
    let first = fullest.min(counts.len().saturating_sub(2));
    [first, first + 1].map(|bin| (bin, counts.get(bin).copied().unwrap_or(0)))
}

/// Rows of pixels in the diagram.
const ROWS: usize = 4;

/// Returns a step of the diagram: of the method over two columns, then of a pixel that all four channels decide.
fn steps(method: DrawMethod, drawn: &Drawn, moment: i64) -> Diagram {
    let own = if method == DrawMethod::PerPixel { ROWS } else { 2 };
    match step_at(moment, own + MASKS.len()) {
        step if step < own => diagram(method, two_bins(drawn), step as i64),
        step => overlap(drawn, step - own),
    }
}

/// The factor of each channel's bit.
const FACTORS: [usize; CHANNELS] = [1, 2, 4, 8];
/// The channels in each graph. The others have no height there.
const MASKS: [(&str, [bool; CHANNELS]); 2] =
    [("colours", [true, true, true, false]), ("luminance", [false, false, false, true])];

/// Returns the diagram of a pixel of one of the graphs: which of the bars reach it, and the colour that they select.
fn overlap(drawn: &Drawn, graph: usize) -> Diagram {
    let [(bin, _), _] = two_bins(drawn);
    let tallest = |channel: usize| drawn.bins.iter().skip(channel).step_by(CHANNELS).copied().max().unwrap_or(0).max(1);
    let count = |channel: usize| drawn.bins.get(bin * CHANNELS + channel).copied().unwrap_or(0);
    let heights: [u64; CHANNELS] =
        std::array::from_fn(|channel| 100 * u64::from(count(channel)) / u64::from(tallest(channel)));
    let (name, mask) = MASKS[graph];
    // As high as the second of the three bars, so that usually some reach it and some do not.
    let mut order = [heights[0], heights[1], heights[2]];
    order.sort_unstable();
    let at = order[1].max(1);
    let reached: [usize; CHANNELS] =
        std::array::from_fn(|channel| usize::from(mask[channel] && heights[channel] >= at));
    let index: usize = reached.iter().zip(FACTORS).map(|(bit, factor)| bit * factor).sum();
    let row = |name: &'static str, text: &dyn Fn(usize) -> (CellAppearance, String)| {
        let cells = (0..CHANNELS).map(text).map(|(look, text)| cell(look, text)).collect();
        DiagramRow { name: name.into(), cells, together: CHANNELS }
    };
    let lit = |channel: usize| if reached[channel] == 1 { CellAppearance::Busy } else { CellAppearance::Idle };
    let color = CellAppearance::Pixel(OverlapTable::default().0[index]);
    let parts = [0, 1, 2, 3].map(|channel| (reached[channel] * FACTORS[channel]).to_string()).join(" + ");
    Diagram {
        rows: vec![
            row("bars", &|channel| {
                let letter = ["R", "G", "B", "L"][channel];
                (CellAppearance::Memory, format!("{letter} {} %", heights[channel]))
            }),
            row("bit × factor", &|channel| (lit(channel), format!("{} × {}", reached[channel], FACTORS[channel]))),
            DiagramRow { name: "pixel".into(), cells: vec![cell(color, format!("colour {index} of 16"))], together: 1 },
        ],
        links: (0..CHANNELS)
            .flat_map(|channel| [link((0, channel), (1, channel)), link((1, channel), (2, 0))])
            .filter(|link| mask[link.from.1])
            .collect(),
        caption: format!(
            "graph of {name}, bin {bin}, a pixel {at} % high: a bit for each bar of this graph that reaches it, {parts} = \
             {index}"
        ),
        code: "let parts = select",
    }
}

/// Returns the diagram of a method drawing two columns of four pixels. It advances with `moment` and starts over after
/// its last step.
fn diagram(method: DrawMethod, bins: [(usize, u32); 2], moment: i64) -> Diagram {
    let tallest = bins.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let height = |column: usize| (u64::from(bins[column].1) * ROWS as u64 / u64::from(tallest)) as usize;
    // Rows of pixels, from the top.
    let bars = |is_done: &dyn Fn(usize) -> bool, is_busy: &dyn Fn(usize) -> bool| -> Vec<DiagramRow> {
        let pixel = |row: usize, column: usize| match (is_busy(row), is_done(row)) {
            (true, _) => cell(CellAppearance::Busy, format!("{row} < {}?", height(column))),
            (false, true) if row < height(column) => cell(CellAppearance::Written, "bar".to_owned()),
            (false, true) => cell(CellAppearance::Memory, "background".to_owned()),
            (false, false) => cell(CellAppearance::Idle, "pixel".to_owned()),
        };
        let row = |row: usize| {
            let name = if row + 1 == ROWS { format!("row {row} (top)") } else { format!("{BELOW}{row}") };
            DiagramRow { name: name.into(), cells: (0..2).map(|column| pixel(row, column)).collect(), together: 1 }
        };
        (0..ROWS).rev().map(row).collect()
    };
    let cells = |look| bins.iter().map(move |(bin, count)| cell(look, format!("{bin}: {}", grouped((*count).into()))));
    let bin_row = DiagramRow { name: "bins".into(), cells: cells(CellAppearance::Memory).collect(), together: 1 };
    match method {
        DrawMethod::PerPixel => {
            let row = step_at(moment, ROWS);
            let links = (0..2).map(|column| link((0, column), (ROWS - row, column)));
            Diagram {
                rows: std::iter::once(bin_row).chain(bars(&|other| other < row, &|other| other == row)).collect(),
                links: links.collect(),
                caption: format!(
                    "each pixel of row {row} loads its bin, compares, and picks a colour: {} loads so far",
                    2 * (row + 1)
                ),
                code: "heights_of(u32(at.x))",
            }
        }
        DrawMethod::PerColumn => {
            let step = step_at(moment, 2);
            let ends = |column| {
                cell(
                    if step == 0 { CellAppearance::Written } else { CellAppearance::Memory },
                    format!("height {}", height(column)),
                )
            };
            let links: Vec<_> = match step {
                0 => (0..2).map(|column| link((0, column), (1, column))).collect(),
                _ => (0..2).map(|column| link((1, column), (2, column))).collect(),
            };
            let caption = match step {
                0 => "a compute pass loads each column’s bin once: 2 loads, and sorts its heights",
                _ => "each pixel compares its row with the column’s heights; no bin is loaded",
            };
            Diagram {
                rows: [bin_row, DiagramRow { name: "columns".into(), cells: (0..2).map(ends).collect(), together: 1 }]
                    .into_iter()
                    .chain(bars(&|_| step == 1, &|_| false))
                    .collect(),
                links,
                caption: caption.to_owned(),
                code: if step == 0 { "let heights = heights_of" } else { "let passed = select" },
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use histoscope_lab::DrawSetup;

    pub fn drawn(method: DrawMethod) -> Drawn {
        let micros = |micros| Some(Duration::from_micros(micros));
        let (width, height) = LabDrawing::SIZE;
        let per_pixel = vec![("scale", micros(123)), ("draw", micros(2345))];
        let per_column = vec![("scale", micros(123)), ("columns", micros(45)), ("draw", micros(678))];
        let (passes, other) = match method {
            DrawMethod::PerPixel => (per_pixel, (DrawMethod::PerColumn, per_column)),
            DrawMethod::PerColumn => (per_column, (DrawMethod::PerPixel, per_pixel)),
        };
        Drawn {
            setup: DrawSetup { method, bins: 256, is_playing: true },
            bins: (0..1024).map(|word| word * 997).collect(),
            pixels: vec![255; (width * height * 4) as usize],
            wrong: 0,
            passes,
            other,
            reduction: Some("draws 427×240 of 3840×2160 pixels, to keep the video playing".to_owned()),
            steps: Vec::new(),
        }
    }

    #[test]
    fn both_methods_have_their_times_and_loads() {
        let told = drawn(DrawMethod::PerPixel);
        assert_eq!(verdict(&told).replace('\u{202f}', " "), "equals the CPU’s drawing: all 207 360 pixels");
        assert!(verdict(&Drawn { wrong: 12, ..told.clone() }).contains("in 12 of"));
        assert_eq!(times(told.setup.method, &told.passes), "per pixel: scale 120 µs + draw 2.35 ms = 2.47 ms");
        assert!(times(told.other.0, &told.other.1).ends_with("= 846.0 µs"));
        assert!(times(told.other.0, &[("draw", None)]).starts_with("this adapter does not measure"));
        let view = DrawView { method: told.setup.method, bins: 256, outcome: ChoiceOutcome::Pending, newest: None };
        let told = costs(&view).replace('\u{202f}', " ");
        assert_eq!(told, "bins loaded for a whole drawing: 207 360 if every pixel asks, 1 152 if every column does");
    }

    #[test]
    fn bits_and_mask_select_one_of_sixteen_colours() {
        let mut drawn = drawn(DrawMethod::PerPixel);
        // Red is half as high as its tallest bar, green as high, and blue lower.
        drawn.bins = [[5, 9, 1, 8], [10, 3, 9, 4]].concat();
        for (method, own) in [(DrawMethod::PerPixel, 4), (DrawMethod::PerColumn, 2)] {
            let shown = steps(method, &drawn, own);
            assert!(shown.caption.contains("graph of colours, bin 0, a pixel 50 % high"), "{}", shown.caption);
            assert!(shown.caption.contains("1 + 2 + 0 + 0 = 3"), "{}", shown.caption);
            assert_eq!(shown.rows[2].cells[0].look, CellAppearance::Pixel(OverlapTable::default().0[3]));
            let gray = steps(method, &drawn, own + 1);
            assert!(gray.caption.contains("0 + 0 + 0 + 8 = 8") && gray.links.len() == 2, "{}", gray.caption);
        }
    }

    #[test]
    fn the_diagram_shows_the_fullest_bin_and_its_bar() {
        let mut drawn = drawn(DrawMethod::PerPixel);
        drawn.bins = [[0, 0, 0, 8], [0, 0, 0, 4], [0, 0, 0, 1]].concat();
        assert_eq!(two_bins(&drawn), [(0, 8), (1, 4)]);
        for (method, last) in [(DrawMethod::PerPixel, 3), (DrawMethod::PerColumn, 1)] {
            let shown = diagram(method, two_bins(&drawn), last);
            let pixels = shown.rows[shown.rows.len() - ROWS..].iter().flat_map(|row| &row.cells);
            let looks: Vec<_> = pixels.map(|cell| cell.look).collect();
            let (bar, none) = (CellAppearance::Written, CellAppearance::Memory);
            // The fullest bin's bar reaches the top, the other the middle. The top row is still being drawn when each
            // pixel asks.
            let top = if method == DrawMethod::PerPixel { [CellAppearance::Busy; 2] } else { [bar, none] };
            assert_eq!(looks, [top, [bar, none], [bar, bar], [bar, bar]].concat(), "{method:?}");
            for (row, place) in shown.links.iter().flat_map(|link| [link.from, link.to]) {
                assert!(shown.rows[row].cells.len() > place, "{method:?}: {row}, {place}");
            }
        }
        let loads = |moment| diagram(DrawMethod::PerPixel, two_bins(&drawn), moment).caption;
        assert!(loads(0).ends_with("2 loads so far") && loads(3).ends_with("8 loads so far"));
    }
}
