//! The diagrams of the blurring methods: over a few pixels of the frame, by the mean of 3×3 pixels.

use super::diagram::{CellAppearance, Diagram, DiagramCell, DiagramRow, Link, cell, link, step_at};
use crate::lab_view::Sample;
use histoscope_lab::BlurMethod;

/// Width and height of the blur in the diagrams, in pixels.
const SIZE: usize = 3;

/// Returns the diagram of a method blurring three rows of pixels. It advances with `moment` and starts over after its
/// last step. `None` without three rows of at least four pixels.
#[must_use]
pub fn diagram(method: BlurMethod, (rows, at): (&[Vec<Sample>], (u32, u32)), moment: i64) -> Option<Diagram> {
    let width = rows.first().map_or(0, Vec::len);
    if rows.len() != SIZE || width <= SIZE || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let pixels = Pixels { rows, width, at };
    let results = width - 2;
    Some(match method {
        BlurMethod::Square => pixels.square(step_at(moment, results)),
        BlurMethod::Separable => pixels.separable(step_at(moment, SIZE + results)),
        BlurMethod::Tiled => pixels.tiled(step_at(moment, 2 + results)),
        BlurMethod::Running => pixels.running(step_at(moment, results)),
    })
}

struct Pixels<'a> {
    rows: &'a [Vec<Sample>],
    width: usize,
    /// Position of the first pixel in the frame.
    at: (u32, u32),
}

impl Pixels<'_> {
    fn code(&self, row: usize, column: usize) -> u32 {
        self.rows[row][column].bin
    }

    /// Returns the rounded mean of three pixels in a row.
    fn mean_across(&self, row: usize, column: usize) -> u32 {
        mean((column - 1..=column + 1).map(|column| self.code(row, column)))
    }

    /// Returns a row of the frame, with the pixels that are being loaded lit.
    fn image(&self, row: usize, is_lit: impl Fn(usize) -> bool) -> DiagramRow {
        let cells = self.rows[row].iter().enumerate().map(|(column, sample)| {
            let look =
                if is_lit(column) { CellAppearance::Pixel(sample.rgb) } else { CellAppearance::FaintPixel(sample.rgb) };
            cell(look, sample.bin.to_string())
        });
        let name = format!("at {}, {}", self.at.0, self.at.1 + row as u32);
        DiagramRow { name: name.into(), cells: cells.collect(), together: self.width }
    }

    /// Returns a row of results. The pixels at its ends have none.
    fn results(&self, name: &'static str, cell_at: impl Fn(usize) -> Option<DiagramCell>) -> DiagramRow {
        let inside = |column: &usize| (1..self.width - 1).contains(column);
        let of = |column: usize| Some(column).filter(inside).and_then(&cell_at).unwrap_or_else(nothing);
        DiagramRow { name: name.into(), cells: (0..self.width).map(of).collect(), together: self.width }
    }

    /// Returns the row of results up to a column, the last of which is new.
    fn done(&self, name: &'static str, last: usize, value: impl Fn(usize) -> u32) -> DiagramRow {
        self.results(name, |column| {
            let look = if column == last { CellAppearance::Written } else { CellAppearance::Memory };
            (column <= last).then(|| cell(look, value(column).to_string()))
        })
    }

    fn square(&self, step: usize) -> Diagram {
        let column = step + 1;
        let near = |other: usize| other.abs_diff(column) <= 1;
        let all = |column: usize| {
            mean(
                (0..SIZE)
                    .flat_map(|row| (column - 1..=column + 1).map(move |at| (row, at)))
                    .map(|(row, at)| self.code(row, at)),
            )
        };
        let mut rows: Vec<DiagramRow> = (0..SIZE).map(|row| self.image(row, near)).collect();
        rows.push(self.done("result", column, all));
        let links = (0..SIZE).flat_map(|row| (column - 1..=column + 1).map(move |at| link((row, at), (SIZE, column))));
        Diagram {
            rows,
            links: links.collect(),
            caption: format!("N = 3: nine loads for this result, {} so far; neighbours share six of them", 9 * column),
            code: "sum += parts(pixel(at",
        }
    }

    fn separable(&self, step: usize) -> Diagram {
        // First each row becomes means, one row after the other, then their columns are averaged.
        let is_across = step < SIZE;
        let column = if is_across { 0 } else { step - SIZE + 1 };
        let mut rows: Vec<DiagramRow> = (0..SIZE)
            .map(|row| match row.cmp(&step) {
                std::cmp::Ordering::Greater => self.image(row, |_| false),
                order => {
                    let look = |at: usize| match () {
                        () if is_across && order == std::cmp::Ordering::Equal => CellAppearance::Written,
                        () if !is_across && at == column => CellAppearance::Busy,
                        () => CellAppearance::Memory,
                    };
                    DiagramRow {
                        name: "row means".into(),
                        ..self.results("", |at| Some(cell(look(at), self.mean_across(row, at).to_string())))
                    }
                }
            })
            .collect();
        let down = |column: usize| mean((0..SIZE).map(|row| self.mean_across(row, column)));
        rows.push(self.done("result", column, down));
        let links: Vec<Link> =
            if is_across { Vec::new() } else { (0..SIZE).map(|row| link((row, column), (SIZE, column))).collect() };
        let caption = if is_across {
            "first pass: each pixel of a row becomes the mean of three in it, with three loads".to_owned()
        } else {
            "second pass: three of those means, one below the other: 2 × 3 loads instead of 3 × 3".to_owned()
        };
        Diagram { rows, links, caption, code: "sum += parts(pixel_on(at.y, place + i))" }
    }

    fn tiled(&self, step: usize) -> Diagram {
        let (column, last, lanes) = (step.saturating_sub(1), self.width - 1, self.width - 2);
        let is_near = |at: usize| step > 1 && at.abs_diff(column) <= 1;
        let memory = (0..self.width).map(|at| {
            let look = match () {
                () if is_near(at) => CellAppearance::Busy,
                () if at == 0 || at == last => CellAppearance::Idle,
                () if step == 0 => CellAppearance::Written,
                () => CellAppearance::Memory,
            };
            let code = self.code(1, at);
            cell(look, if at == 0 || at == last { format!("({code})") } else { code.to_string() })
        });
        let memory = DiagramRow { name: "tile (halo)".into(), cells: memory.collect(), together: self.width };
        let (links, caption): (Vec<Link>, _) = match step {
            0 => (
                (0..self.width).map(|at| link((0, at), (1, at))).collect(),
                format!(
                    "{lanes} lanes load their pixels and the halo, one beyond each end, once: {} loads, not {}. Lane i loads \
                     word i, then word i + {lanes}",
                    self.width,
                    SIZE * lanes
                ),
            ),
            1 => (Vec::new(), "workgroupBarrier(): no lane reads the tile before all have filled it".to_owned()),
            _ => (
                (column - 1..=column + 1).map(|at| link((1, at), (2, column))).collect(),
                "each takes its three from workgroup memory; then the same down the columns".to_owned(),
            ),
        };
        let third = match step {
            0 => {
                let lane = |at: usize| cell(CellAppearance::Busy, format!("lane {}", at % lanes));
                let cells = (0..self.width).map(lane).collect();
                DiagramRow { name: "loaded by".into(), cells, together: self.width }
            }
            1 => self.results("lanes", |_| Some(cell(CellAppearance::Idle, "waits".to_owned()))),
            _ => self.done("row means", column, |at| self.mean_across(1, at)),
        };
        let code = ["tile[i] = pixel_on", "workgroupBarrier();", "sum += parts(tile[local + i])"][step.min(2)];
        Diagram { rows: vec![self.image(1, |_| step == 0), memory, third], links, caption, code }
    }

    fn running(&self, step: usize) -> Diagram {
        let column = step + 1;
        let sum = |column: usize| (column - 1..=column + 1).map(|at| self.code(1, at)).sum::<u32>();
        let mut links = vec![link((1, column), (2, column))];
        let (enters, caption) = if step == 0 {
            let caption =
                format!("an invocation begins its run with the sum of N = 3: {}; a third of it is the mean", sum(1));
            (0..=2, caption)
        } else {
            links.push(Link { leaves: true, ..link((0, column - 2), (1, column)) });
            let (sum, into, out) = (sum(column - 1), self.code(1, column + 1), self.code(1, column - 2));
            let caption = format!(
                "{sum} + {into} − {out} = {}: two loads for each result after the first, in each pass, however wide the blur is",
                sum + into - out
            );
            (column + 1..=column + 1, caption)
        };
        links.extend(enters.clone().map(|at| link((0, at), (1, column))));
        let is_lit = |at: usize| enters.contains(&at) || step > 0 && at == column - 2;
        Diagram {
            rows: vec![
                self.image(1, is_lit),
                self.results("sum", |at| {
                    let look = if at == column { CellAppearance::Busy } else { CellAppearance::Memory };
                    (at <= column).then(|| cell(look, sum(at).to_string()))
                }),
                self.done("row means", column, |at| self.mean_across(1, at)),
            ],
            links,
            caption,
            code: if step == 0 { "sum += parts(pixel_on(at.y, begin + i))" } else { "place + reach()" },
        }
    }
}

fn nothing() -> DiagramCell {
    cell(CellAppearance::Nothing, String::new())
}

/// Returns the mean, with halves rounded up.
fn mean(codes: impl Iterator<Item = u32>) -> u32 {
    let (sum, count) = codes.fold((0, 0), |(sum, count), code| (sum + code, count + 1));
    (2 * sum + count) / (2 * count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::diagram::CellContent;

    fn rows() -> Vec<Vec<Sample>> {
        let sample = |at: u32| Sample { rgb: [at as u8; 3], bin: at * 7 % 256 };
        (0..3).map(|row| (0..8).map(|column| sample(row * 50 + column * column)).collect()).collect()
    }

    fn text(cell: &DiagramCell) -> &str {
        match &cell.content {
            CellContent::Text(text) => text,
            CellContent::Bins(_) => panic!("not in a blur"),
        }
    }

    #[test]
    fn all_methods_arrive_at_the_means_of_the_pixels() {
        let rows = rows();
        let pixels = Pixels { rows: &rows, width: 8, at: (0, 0) };
        for method in BlurMethod::ALL {
            let last_moment = match method {
                BlurMethod::Separable => 8,
                BlurMethod::Tiled => 7,
                BlurMethod::Square | BlurMethod::Running => 5,
            };
            let last = diagram(method, (&rows, (4, 2)), last_moment).expect("pixels");
            let results: Vec<_> = last.rows[last.rows.len() - 1].cells[1..7].iter().map(text).collect();
            let expected = |column: usize| match method {
                BlurMethod::Square => mean(
                    (0..3)
                        .flat_map(|row| (column - 1..=column + 1).map(move |at| (row, at)))
                        .map(|(row, at)| rows[row][at].bin),
                ),
                BlurMethod::Separable => mean((0..3).map(|row| pixels.mean_across(row, column))),
                _ => pixels.mean_across(1, column),
            };
            let expected: Vec<_> = (1..7).map(|column| expected(column).to_string()).collect();
            assert_eq!(results, expected, "{method:?}");
        }
    }

    #[test]
    fn every_link_connects_two_cells() {
        let rows = rows();
        for method in BlurMethod::ALL {
            for moment in 0..30 {
                let Diagram { rows, links, caption, .. } = diagram(method, (&rows, (0, 0)), moment).expect("pixels");
                assert!(!caption.is_empty());
                for (row, place) in links.iter().flat_map(|link| [link.from, link.to]) {
                    assert_ne!(
                        rows[row].cells[place].look,
                        CellAppearance::Nothing,
                        "{method:?} at {moment}: {row}, {place}"
                    );
                }
            }
        }
        assert_eq!(diagram(BlurMethod::Tiled, (&[], (0, 0)), 0), None);
    }

    #[test]
    fn a_tile_has_a_halo_that_is_loaded_once() {
        let rows = rows();
        let first = diagram(BlurMethod::Tiled, (&rows, (0, 0)), 0).expect("pixels");
        assert_eq!(first.links.len(), 8, "each pixel is loaded once");
        let tile = &first.rows[1].cells;
        assert_eq!((text(&tile[0]), text(&tile[7]), first.rows[1].name.as_ref()), ("(94)", "(181)", "tile (halo)"));
        assert!(first.caption.contains("8 loads, not 18"), "{}", first.caption);
        // Six lanes load eight words, so two of them load a second one. Then all wait.
        let lanes: Vec<_> = first.rows[2].cells.iter().map(text).collect();
        assert_eq!((lanes[5], lanes[6], lanes[7]), ("lane 5", "lane 0", "lane 1"));
        let barrier = diagram(BlurMethod::Tiled, (&rows, (0, 0)), 1).expect("pixels");
        assert_eq!(barrier.rows[2].cells.iter().filter(|cell| text(cell) == "waits").count(), 6);
    }
}
