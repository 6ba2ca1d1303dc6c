//! The pages before the methods: a histogram by hand, ids, the barrier, and the colours of the diagrams.

use egui::{Align2, Color32, Painter, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

use super::block::{DIAGRAM, LabBlock, layout};
use super::diagram::{CellAppearance, Diagram, DiagramCell, DiagramRow, cell, link, step_at};
use super::{drawing, tasks};
use crate::controls::LETTERS;
use crate::lab_view::{BasicsView, LabCommand, LabPage};
use crate::theme;
use histoscope_lab::bench::scene;

/// Pixels of a workgroup on the page about ids.
const GROUP: usize = 3;
/// Minimum height of a row of the picture, in points.
const ROW: f32 = 13.0;
/// Height of the text below a picture, in points.
const BELOW: f32 = 30.0;
/// The grays of the three bins, as in docs/learn.
const GRAYS: [u8; scene::BINS] = [43, 128, 213];

/// Returns all blocks of the page.
pub fn blocks<'a>(ui: &Ui, view: &'a BasicsView<'_>, moment: i64, width: f32) -> Vec<LabBlock<'a>> {
    let names = |page: LabPage| [page.name(), page.name()];
    let mut blocks = vec![
        LabBlock::buttons(&LabPage::ALL, LabPage::ALL.len(), 2, (view.page, names, LabCommand::Page)),
        LabBlock::words(layout(ui, text(view.page), LETTERS, theme::LIGHT, width), DIAGRAM + 1),
    ];
    let block = match view.page {
        LabPage::ByHand => grid_block(by_hand(view.pixels, moment)),
        LabPage::Ids => grid_block(ids(view.pixels, moment)),
        LabPage::Barrier => LabBlock::diagram(ui, width, barrier(moment)),
        LabPage::Colours => {
            LabBlock::new(KEY.len() as f32 * KEY_ROW, DIAGRAM - 1, |ui, rect, _| key(ui.painter(), rect))
        }
        LabPage::Predict => {
            blocks.extend(tasks::blocks(ui, view.measured, width));
            return blocks;
        }
    };
    blocks.push(block);
    blocks
}

/// Returns the text about a page.
const fn text(page: LabPage) -> &'static str {
    match page {
        LabPage::ByHand => {
            "A pixel of luminance v goes to bin min(n − 1, ⌊v·n⌋) of n. Here n is 3. The tab “counting” counts all pixels \
             of the frame, with 3 bins if you choose them there."
        }
        LabPage::Ids => {
            "A dispatch is a grid of workgroups, a workgroup a grid of invocations. Here workgroups of 3×1, \
             then of 4×4, cover 6×7 pixels."
        }
        LabPage::Barrier => {
            "At workgroupBarrier(), each invocation of a workgroup waits for all others of it. It keeps two phases apart: \
             counting any bin, and writing one’s own. storageBarrier() does the same for buffers. Neither reaches other \
             workgroups: only another pass waits for all of them."
        }
        LabPage::Predict => {
            "Predict first, then run it on a paused frame, and come back to see whether it held on this machine."
        }
        LabPage::Colours => {
            "The diagrams of counting use one colour for each role. In sums and blurs, amber is also a word that is read or \
             written. A line leads from what is read to what is written; a dashed one takes a pixel out of a running sum."
        }
    }
}

/// A picture of 6×7 pixels, with a text in each, and three bars next to it if they have been counted.
#[derive(Debug, PartialEq, Eq)]
struct Grid {
    cells: Vec<(scene::Rgb, String)>,
    /// The pixels in their own colours.
    pixels: Vec<scene::Rgb>,
    /// Columns of cells. Those beyond the picture have no pixel.
    columns: usize,
    /// Columns and rows without a gap.
    together: (usize, usize),
    bars: Option<[u32; scene::BINS]>,
    caption: String,
}

/// The pixels of the lesson's picture.
fn lesson() -> Vec<scene::Rgb> {
    scene::PIXELS.iter().flatten().copied().collect()
}

/// Returns the lesson's picture being counted, then as many pixels of the frame.
fn by_hand(frame: &[scene::Rgb], moment: i64) -> Grid {
    const STEPS: usize = 4;
    let is_known = frame.len() == scene::WIDTH * scene::HEIGHT;
    let step = step_at(moment, if is_known { 2 * STEPS } else { STEPS });
    let (pixels, of) =
        if step < STEPS { (lesson(), "the picture") } else { (frame.to_vec(), "42 pixels of the frame on screen") };
    let mut counts = [0; scene::BINS];
    pixels.iter().for_each(|&rgb| counts[scene::bin(rgb)] += 1);
    let hundredths = |rgb| scene::hundredths(rgb);
    let luminance = |rgb| match hundredths(rgb) {
        100 => "1.0".to_owned(),
        part => format!(".{part:02}"),
    };
    let shown = |&rgb: &scene::Rgb| match step % STEPS {
        0 => (rgb, String::new()),
        1 => ([(hundredths(rgb) * 255 / 100) as u8; 3], luminance(rgb)),
        _ => ([GRAYS[scene::bin(rgb)]; 3], scene::bin(rgb).to_string()),
    };
    let [dark, middle, bright] = counts;
    let caption = match step % STEPS {
        0 => format!("{of}: 6×7 colours"),
        1 => format!("{of}: luminance v = 0.2126 R + 0.7152 G + 0.0722 B"),
        2 => format!("{of}: the bins, min(2, ⌊v·3⌋)"),
        _ => format!("{of}: {dark} pixels in bin 0, {middle} in bin 1, {bright} in bin 2"),
    };
    Grid {
        cells: pixels.iter().map(shown).collect(),
        pixels,
        columns: scene::WIDTH,
        together: (scene::WIDTH, scene::HEIGHT),
        bars: (step % STEPS == STEPS - 1).then_some(counts),
        caption,
    }
}

/// Returns the picture with one of the ids of its invocations in each pixel.
fn ids(frame: &[scene::Rgb], moment: i64) -> Grid {
    let pixels = if frame.len() == scene::WIDTH * scene::HEIGHT { frame.to_vec() } else { lesson() };
    let step = step_at(moment, 5);
    if step == 4 {
        return beyond_the_edge(&pixels);
    }
    let id = |place: usize| {
        let (x, y) = (place % scene::WIDTH, place / scene::WIDTH);
        match step {
            0 => format!("{},{y}", x / GROUP),
            1 => format!("{},0", x % GROUP),
            2 => format!("{x},{y}"),
            _ => (y * (scene::WIDTH / GROUP) + x / GROUP).to_string(),
        }
    };
    let caption = match step {
        0 => "workgroup_id: which workgroup. Each counts a chunk of three pixels",
        1 => "local_invocation_id: which invocation of its workgroup",
        2 => "global_invocation_id = workgroup_id · (3, 1) + local_invocation_id: the pixel",
        _ => "the chunk’s number: workgroup_id.y · num_workgroups.x + workgroup_id.x",
    };
    Grid {
        cells: pixels.iter().enumerate().map(|(place, &rgb)| (rgb, id(place))).collect(),
        pixels,
        columns: scene::WIDTH,
        together: (GROUP, scene::HEIGHT),
        bars: None,
        caption: caption.to_owned(),
    }
}

/// Returns the picture covered by workgroups of 4×4, some of whose invocations are beyond its edge.
fn beyond_the_edge(pixels: &[scene::Rgb]) -> Grid {
    const SIDE: usize = 4;
    let [columns, rows] = [scene::WIDTH, scene::HEIGHT].map(|length| length.next_multiple_of(SIDE));
    let lane = |place: usize| {
        let (x, y) = (place % columns, place / columns);
        let is_inside = x < scene::WIDTH && y < scene::HEIGHT;
        let rgb = if is_inside { pixels[y * scene::WIDTH + x] } else { [0; 3] };
        (rgb, if is_inside { format!("{x},{y}") } else { "out".to_owned() })
    };
    Grid {
        cells: (0..columns * rows).map(lane).collect(),
        pixels: pixels.to_vec(),
        columns,
        together: (SIDE, SIDE),
        bars: None,
        caption: format!(
            "workgroups of 4×4: {} of {} invocations are beyond the edge. Each compares its id with the size, and does \
             nothing",
            columns * rows - pixels.len(),
            columns * rows
        ),
    }
}

fn grid_block(grid: Grid) -> LabBlock<'static> {
    let height = scene::HEIGHT as f32 * ROW + BELOW;
    LabBlock::new(height, DIAGRAM, move |ui, rect, _| show_grid(ui.painter(), rect, &grid))
}

/// Draws a picture on the left, and its three bars on the right.
fn show_grid(painter: &Painter, rect: Rect, grid: &Grid) {
    let caption = painter.layout(grid.caption.clone(), theme::words(theme::SMALL), theme::LIGHT, rect.width());
    let room = Rect::from_min_max(rect.min, rect.max - vec2(0.0, BELOW));
    // Pixels without workgroups leave room for the bars.
    let share = if grid.together.0 == scene::WIDTH { 0.62 } else { 1.0 };
    let rows = grid.cells.len() / grid.columns;
    let gaps = vec2(((grid.columns - 1) / grid.together.0) as f32, ((rows - 1) / grid.together.1) as f32) * 9.0;
    let (row, column) = ((room.height() - gaps.y) / rows as f32, (room.width() * share - gaps.x) / grid.columns as f32);
    for (place, (rgb, text)) in grid.cells.iter().enumerate() {
        let (x, y) = (place % grid.columns, place / grid.columns);
        let gap = vec2((x / grid.together.0) as f32, (y / grid.together.1) as f32) * 9.0;
        let at = room.min + vec2(x as f32 * column, y as f32 * row) + gap;
        let is_outside = x >= scene::WIDTH || y >= scene::HEIGHT;
        let shown = cell(if is_outside { CellAppearance::Idle } else { CellAppearance::Pixel(*rgb) }, text.clone());
        drawing::draw_cell(painter, Rect::from_min_size(at, vec2(column - 1.0, row - 1.0)), (&shown, 10.5));
    }
    let graph = Rect::from_min_max(pos2(room.min.x + room.width() * 0.68, room.min.y), room.max);
    if grid.bars.is_none() && grid.together.0 == scene::WIDTH {
        colors_beside(painter, graph, grid);
    }
    if let Some(bars) = grid.bars {
        let most = bars.iter().copied().max().unwrap_or(0).max(1) as f32;
        let width = graph.width() / bars.len() as f32;
        for (bin, &count) in bars.iter().enumerate() {
            let height = (graph.height() - 15.0) * count as f32 / most;
            let left = graph.min.x + width * bin as f32;
            let bar = Rect::from_min_max(pos2(left, graph.max.y - height), pos2(left + width - 3.0, graph.max.y));
            let outline = Stroke::new(1.0, theme::LIGHT);
            painter.rect(bar, 0, Color32::from_gray(GRAYS[bin]), outline, StrokeKind::Inside);
            let at = pos2(bar.center().x, bar.min.y - 1.0);
            painter.text(at, Align2::CENTER_BOTTOM, count.to_string(), theme::mono(theme::SMALL), theme::LIGHT);
        }
    }
    painter.galley(pos2(rect.min.x, rect.max.y - caption.size().y), caption, theme::LIGHT);
}

/// Lists the first colours of the picture in a column, with their red, green and blue.
fn colors_beside(painter: &Painter, rect: Rect, grid: &Grid) {
    let mut listed: Vec<scene::Rgb> = Vec::new();
    grid.pixels.iter().for_each(|&rgb| {
        if !listed.contains(&rgb) {
            listed.push(rgb)
        }
    });
    let row = rect.height() / scene::HEIGHT as f32;
    for (place, &rgb) in listed.iter().take(scene::HEIGHT).enumerate() {
        let at = rect.min + vec2(0.0, row * place as f32);
        let swatch = Rect::from_min_size(at, vec2(14.0, row - 2.0));
        painter.rect_filled(swatch, 2, Color32::from_rgb(rgb[0], rgb[1], rgb[2]));
        let text = format!("{:3} {:3} {:3}", rgb[0], rgb[1], rgb[2]);
        let at = pos2(swatch.max.x + 6.0, swatch.center().y);
        painter.text(at, Align2::LEFT_CENTER, text, theme::mono(10.5), theme::LIGHT);
    }
}

/// Returns the diagram of a workgroup of three invocations at a barrier, over the second row of the lesson's picture.
fn barrier(moment: i64) -> Diagram {
    let step = step_at(moment, GROUP + 2);
    let pixels = &scene::PIXELS[1][..GROUP];
    let is_copied = step > GROUP;
    let mut counts = [0_u32; scene::BINS];
    // Each step shows the counts after its write.
    pixels.iter().take(step + 1).for_each(|&rgb| counts[scene::bin(rgb)] += 1);
    let invocation = |index: usize| match (step, index.cmp(&step)) {
        _ if is_copied => cell(CellAppearance::Busy, format!("copies bin {index}")),
        (GROUP, _) => cell(CellAppearance::Busy, "goes on".to_owned()),
        (_, std::cmp::Ordering::Less) => cell(CellAppearance::Idle, "waits".to_owned()),
        (_, std::cmp::Ordering::Equal) => cell(CellAppearance::Busy, "counts".to_owned()),
        (_, std::cmp::Ordering::Greater) => cell(CellAppearance::Busy, "loads".to_owned()),
    };
    let bins = counts.iter().enumerate().map(|(bin, count)| {
        let is_written = step < GROUP && scene::bin(pixels[step]) == bin;
        let look = if is_written { CellAppearance::Written } else { CellAppearance::Memory };
        cell(look, format!("{bin}: {count}"))
    });
    let written = |(bin, count): (usize, &u32)| cell(CellAppearance::Written, format!("{bin}: {count}"));
    let chunk = counts.iter().enumerate().map(written);
    let pixel = |(index, &rgb): (usize, &scene::Rgb)| {
        let look = if index == step { CellAppearance::Pixel(rgb) } else { CellAppearance::FaintPixel(rgb) };
        cell(look, scene::bin(rgb).to_string())
    };
    let row = |name: &'static str, cells: Vec<DiagramCell>| DiagramRow { name: name.into(), cells, together: GROUP };
    let (links, caption) = match step {
        0..GROUP => (
            vec![link((0, step), (1, step)), link((1, step), (2, scene::bin(pixels[step])))],
            match step {
                0 => "invocation 0 counts its pixel, into any bin of the workgroup".to_owned(),
                _ => format!("at workgroupBarrier, {step} of 3 wait: invocation {step} may yet count into their bins"),
            },
        ),
        GROUP => (Vec::new(), "all have reached the barrier, and what they wrote is visible to all".to_owned()),
        _ => (
            (0..GROUP).flat_map(|index| [link((0, index), (1, index)), link((1, index), (2, index))]).collect(),
            "each copies the bin that it owns to the chunk; without the barrier, pixels could be missing".to_owned(),
        ),
    };
    let (pixels, own) = (pixels.iter().enumerate().map(pixel).collect(), row("own bins", bins.collect()));
    let invocations = row("invocations", (0..GROUP).map(invocation).collect());
    let rows = match is_copied {
        true => vec![invocations, own, row("chunk", chunk.collect())],
        false => vec![row("pixels", pixels), invocations, own],
    };
    Diagram { rows, links, caption, code: "" }
}

/// Height of a line of the key, in points.
const KEY_ROW: f32 = 22.0;
/// Each colour of a cell, with its meaning.
const KEY: [(CellAppearance, &str); 8] = [
    (CellAppearance::Pixel([200, 90, 40]), "a pixel being counted, in its own colour"),
    (CellAppearance::FaintPixel([200, 90, 40]), "a pixel before or after its turn"),
    (CellAppearance::Busy, "an invocation, a workgroup or a chunk at work"),
    (CellAppearance::Idle, "an invocation that waits or has nothing to do"),
    (CellAppearance::Memory, "memory that is not written in this step"),
    (CellAppearance::Written, "memory written in this step"),
    (CellAppearance::Lost, "memory, or an invocation, whose counts are lost; red lines carry them"),
    (CellAppearance::Conflict, "a memory bank that two lanes want at once, so that one waits"),
];

/// Draws the key.
fn key(painter: &Painter, rect: Rect) {
    let height = rect.height() / KEY.len() as f32;
    for (place, (look, meaning)) in KEY.into_iter().enumerate() {
        let at = pos2(rect.min.x, rect.min.y + height * place as f32);
        let sample = Rect::from_min_size(at, vec2(36.0, height - 3.0));
        drawing::draw_cell(painter, sample, (&cell(look, "17".to_owned()), 10.5));
        let at = pos2(sample.max.x + 8.0, sample.center().y);
        painter.text(at, Align2::LEFT_CENTER, meaning, theme::words(theme::SMALL), theme::LIGHT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesson_s_picture_has_18_16_and_8_pixels_and_then_the_frame_s_are_counted() {
        let frame =
            [[255; 3], [0; 3]].concat().chunks(3).cycle().take(42).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>();
        let told = by_hand(&frame, 3);
        assert_eq!(told.bars, Some([18, 16, 8]));
        assert_eq!(told.caption, "the picture: 18 pixels in bin 0, 16 in bin 1, 8 in bin 2");
        assert_eq!(by_hand(&frame, 1).cells[0], ([58; 3], ".23".to_owned()));
        assert!(by_hand(&frame, 0).bars.is_none() && by_hand(&frame, 2).cells[8].1 == "2");
        let told = by_hand(&frame, 7);
        assert_eq!(told.bars, Some([21, 0, 21]));
        assert!(told.caption.starts_with("42 pixels of the frame") && by_hand(&frame, 5).cells[0].1 == "1.0");
        assert_eq!(by_hand(&[], 4), by_hand(&[], 0), "without a frame it starts over");
    }

    #[test]
    fn ids_are_those_of_workgroups_of_three_pixels() {
        let at = |moment, place: usize| ids(&[], moment).cells[place].1.clone();
        // Pixel (5, 3) is the third of workgroup (1, 3), which is chunk 7.
        let place = 3 * scene::WIDTH + 5;
        assert_eq!([0, 1, 2, 3].map(|moment| at(moment, place)), ["1,3", "2,0", "5,3", "7"]);
        // Of two by two workgroups of 4×4, two columns and a row are beyond the edge: 64 − 42 invocations.
        let edge = ids(&[], 4);
        assert_eq!(edge.cells.iter().filter(|(_, text)| text == "out").count(), 22);
        assert!(edge.caption.contains("22 of 64") && edge.cells[6].1 == "out" && edge.cells[5].1 == "5,0");
    }

    #[test]
    fn all_wait_at_the_barrier_until_the_last_has_counted() {
        let words = |moment| {
            let cells = barrier(moment).rows[1].cells.clone();
            cells.into_iter().map(|cell| format!("{:?}", cell.content)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!([0, 1, 2, 3].map(|moment| words(moment).matches("waits").count()), [0, 1, 2, 0]);
        assert_eq!(words(3).matches("goes on").count(), 3);
        // The row's bins are 1, 1 and 2. Each count is that after the write.
        let counts = |moment, row: usize| {
            let cells = barrier(moment).rows[row].cells.clone();
            cells.into_iter().map(|cell| format!("{:?}", cell.content)).collect::<Vec<_>>().join(" ")
        };
        assert!(counts(0, 2).contains("1: 1") && counts(1, 2).contains("1: 2") && counts(2, 2).contains("2: 1"));
        let copied = barrier(4);
        assert!(copied.rows[2].name == "chunk" && counts(4, 2).contains("1: 2"), "the chunk is written last");
        assert!(copied.rows[2].cells.iter().all(|cell| cell.look == CellAppearance::Written));
        assert_eq!(copied.links.iter().filter(|link| link.to.0 == 2).count(), 3);
        let bins = format!("{:?}", barrier(4).rows[2].cells);
        assert!(["0: 0", "1: 2", "2: 1"].iter().all(|text| bins.contains(text)), "{bins}");
    }
}
