//! The diagrams of the counting methods: over the first pixels of the frame, with every count computed from them.

use super::diagram::{CellAppearance, CellContent, Diagram, DiagramCell, DiagramRow, Link, cell, link, step_at};
use crate::lab_view::Sample;
use histoscope_lab::Method;

/// Returns the diagram of a method over some pixels. It advances with `moment` and starts over after its last step.
/// `None` without pixels, or for the floor, which does not count.
#[must_use]
pub fn diagram(method: Method, (samples, at): (&[Sample], (u32, u32)), moment: i64) -> Option<Diagram> {
    if samples.is_empty() {
        return None;
    }
    let pixels = Pixels::new(samples, at);
    let steps = pixels.steps(method);
    if steps == 0 {
        return None;
    }
    Some(pixels.at(method, step_at(moment, steps)))
}

/// The pixels, and the bins that they go to.
pub(super) struct Pixels<'a> {
    pub(super) samples: &'a [Sample],
    /// Position of the first one in the frame.
    at: (u32, u32),
    /// Each of their bins once, in ascending order.
    pub(super) bins: Vec<u32>,
    /// For each pixel, the index of its bin in `bins`.
    pub(super) places: Vec<usize>,
}

/// Most pixels per chunk of the diagram, for most methods with chunks.
const CHUNK: usize = 4;
/// The line that adds one without an atomic.
const ADDS: &str = "] += 1u;";
/// Pixels per chunk for pairwise sums, which need more chunks.
pub(super) const SMALL_CHUNK: usize = 2;

impl<'a> Pixels<'a> {
    fn new(samples: &'a [Sample], at: (u32, u32)) -> Self {
        let mut bins: Vec<u32> = samples.iter().map(|sample| sample.bin).collect();
        bins.sort_unstable();
        bins.dedup();
        // Every sample's bin is in the list.
        let places = samples.iter().map(|sample| bins.binary_search(&sample.bin).unwrap_or(0)).collect();
        Self { samples, at, bins, places }
    }

    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Counts how often each bin occurs among the given pixels.
    pub(super) fn counts(&self, of: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let mut counts = vec![0; self.bins.len()];
        for pixel in of {
            counts[self.places[pixel]] += 1;
        }
        counts
    }

    /// Returns how many of the given pixels are in their fullest bin.
    pub(super) fn longest_queue(&self, pixels: impl IntoIterator<Item = usize>) -> usize {
        self.counts(pixels).into_iter().max().unwrap_or(0) as usize
    }

    /// Returns the pixels per chunk, for most methods with chunks: few enough for two chunks.
    pub(super) fn chunk(&self) -> usize {
        self.len().div_ceil(2).clamp(1, CHUNK)
    }

    /// Splits the pixels into chunks of this size.
    pub(super) fn chunks(&self, size: usize) -> Vec<Vec<usize>> {
        (0..self.len()).collect::<Vec<_>>().chunks(size).map(<[usize]>::to_vec).collect()
    }

    /// Returns the number of steps of a method.
    fn steps(&self, method: Method) -> usize {
        match method {
            Method::Scalar | Method::Single => self.len(),
            Method::Race => 3,
            Method::Atomics => self.longest_queue(0..self.len()),
            Method::Sum | Method::Shared => self.inside_steps(method) + self.chunks(self.chunk()).len(),
            Method::Pairwise => {
                self.inside_steps(method) + self.chunks(SMALL_CHUNK).len().next_power_of_two().ilog2().max(1) as usize
            }
            Method::Subgroup => self.bins.len(),
            Method::OursGpu => 4,
            Method::OursCpu => 2,
            Method::Floor => 0,
        }
    }

    fn at(&self, method: Method, step: usize) -> Diagram {
        let inside = self.inside_steps(method);
        match method {
            Method::Sum | Method::Pairwise | Method::Shared if step < inside => self.inside(method, step),
            Method::Scalar => self.one_after_the_other(step, "CPU", &["one thread"]),
            Method::Single => self.one_after_the_other(step, "GPU", &["works", "idle", "idle", "idle", "idle"]),
            Method::Race => self.race(step),
            Method::Atomics => self.atomics(step),
            Method::Sum | Method::Shared => self.merged(method, step - inside),
            Method::Pairwise => self.pairwise(step - inside),
            Method::Subgroup => self.subgroup(step),
            Method::OursGpu => self.ours(step),
            Method::OursCpu | Method::Floor => self.cores(step),
        }
    }

    /// Returns the row of pixels, in which those whose turn it is are lit.
    pub(super) fn pixels(&self, is_lit: impl Fn(usize) -> bool, together: usize) -> DiagramRow {
        let cell = |(index, sample): (usize, &Sample)| DiagramCell {
            look: if is_lit(index) {
                CellAppearance::Pixel(sample.rgb)
            } else {
                CellAppearance::FaintPixel(sample.rgb)
            },
            content: CellContent::Text(sample.bin.to_string()),
        };
        let name = format!("at {}, {}", self.at.0, self.at.1);
        DiagramRow { name: name.into(), cells: self.samples.iter().enumerate().map(cell).collect(), together }
    }

    /// Returns the row of bins in the memory shared by all.
    fn bins(&self, counts: &[u32], look: impl Fn(usize) -> CellAppearance) -> DiagramRow {
        let cells = self.bins.iter().zip(counts).enumerate();
        let cells = cells.map(|(place, (bin, count))| cell(look(place), format!("{bin}: {count}")));
        DiagramRow { name: "bins".into(), cells: cells.collect(), together: self.bins.len() }
    }

    /// Returns the row of bins, some of which are being written.
    pub(super) fn bins_with(&self, counts: &[u32], written: &[usize]) -> DiagramRow {
        let look = |place| if written.contains(&place) { CellAppearance::Written } else { CellAppearance::Memory };
        self.bins(counts, look)
    }

    fn one_after_the_other(&self, step: usize, name: &'static str, workers: &[&str]) -> Diagram {
        let look = |index| if index == 0 { CellAppearance::Busy } else { CellAppearance::Idle };
        let workers = workers.iter().enumerate().map(|(index, name)| cell(look(index), (*name).to_owned())).collect();
        let (bin, place) = (self.samples[step].bin, self.places[step]);
        Diagram {
            rows: vec![
                self.pixels(|index| index == step, 1),
                DiagramRow { name: name.into(), cells: workers, together: 1 },
                self.bins_with(&self.counts(0..=step), &[place]),
            ],
            links: vec![link((0, step), (1, 0)), link((1, 0), (2, place))],
            caption: format!("pixel {step}: bin {bin} + 1, then the next pixel"),
            code: ADDS,
        }
    }

    /// Returns a row with one invocation per pixel, with these texts.
    pub(super) fn invocations(&self, text: impl Fn(usize) -> (CellAppearance, String), together: usize) -> DiagramRow {
        let cells = (0..self.len()).map(|index| {
            let (look, text) = text(index);
            cell(look, text)
        });
        DiagramRow { name: "invocations".into(), cells: cells.collect(), together }
    }

    fn race(&self, step: usize) -> Diagram {
        let said = ["0", "0 + 1", "1"][step];
        // Invocations that store the same value are equal: let the last one win.
        let last = |place| self.places.iter().rposition(|&other| other == place);
        let is_lost = |index: usize| step == 2 && last(self.places[index]) != Some(index);
        let wanted = self.counts(0..self.len());
        let counts = vec![u32::from(step == 2); self.bins.len()];
        let look = |place: usize| match (step, wanted[place]) {
            (2, 1) => CellAppearance::Written,
            (2, _) => CellAppearance::Lost,
            _ => CellAppearance::Memory,
        };
        let to_pixel = (0..self.len()).map(|index| link((0, index), (1, index)));
        let to_bin = self.places.iter().enumerate().map(|(index, &place)| match step {
            0 => link((2, place), (1, index)),
            _ => Link { lost: is_lost(index), ..link((1, index), (2, place)) },
        });
        let links: Vec<_> = match step {
            0 => to_pixel.chain(to_bin).collect(),
            1 => Vec::new(),
            _ => to_bin.collect(),
        };
        let lost = self.len() - self.bins.len();
        let caption = match (step, lost) {
            (0, _) => "each loads the count of its bin: 0".to_owned(),
            (1, _) => "each adds one to what it has loaded".to_owned(),
            (_, 0) => "each stores its 1: no two had the same bin, this time".to_owned(),
            (_, lost) => format!("each stores its 1 over the others': {lost} of {} are lost", self.len()),
        };
        let lost_look = |index| if is_lost(index) { CellAppearance::Lost } else { CellAppearance::Busy };
        let invocations = self.invocations(|index| (lost_look(index), said.to_owned()), 1);
        let rows = vec![self.pixels(|_| true, 1), invocations, self.bins(&counts, look)];
        Diagram { rows, links, caption, code: ADDS }
    }

    /// Returns how many pixels from `first` on are counted into the same bin before this one.
    pub(super) fn turn(&self, first: usize, index: usize) -> usize {
        self.places[first..index].iter().filter(|&&place| place == self.places[index]).count()
    }

    fn atomics(&self, step: usize) -> Diagram {
        let turn = |index: usize| self.turn(0, index);
        let served: Vec<_> = (0..self.len()).filter(|&index| turn(index) == step).collect();
        let done = (0..self.len()).filter(|&index| turn(index) <= step);
        let written: Vec<_> = served.iter().map(|&index| self.places[index]).collect();
        let text = |index: usize| match turn(index).cmp(&step) {
            std::cmp::Ordering::Less => (CellAppearance::Idle, "done".to_owned()),
            std::cmp::Ordering::Equal => (CellAppearance::Busy, "+ 1".to_owned()),
            std::cmp::Ordering::Greater => (CellAppearance::Idle, "waits".to_owned()),
        };
        let waiting = (0..self.len()).filter(|&index| turn(index) > step).count();
        let caption = match waiting {
            0 => "the last additions: then all are counted".to_owned(),
            waiting => format!("one addition to a bin at a time: {waiting} of {} wait", self.len()),
        };
        let links = served.iter().flat_map(|&index| {
            let place = self.places[index];
            [link((0, index), (1, index)), link((1, index), (2, place))]
        });
        Diagram {
            links: links.collect(),
            rows: vec![
                self.pixels(|index| served.contains(&index), 1),
                self.invocations(text, 1),
                self.bins_with(&self.counts(done), &written),
            ],
            caption,
            code: "atomicAdd(&bins[word_of(own[channel]",
        }
    }

    fn subgroup(&self, step: usize) -> Diagram {
        // The first lane that is not counted yet asks which others have the same bin.
        let mut order: Vec<usize> = Vec::new();
        self.places.iter().for_each(|place| {
            if !order.contains(place) {
                order.push(*place);
            }
        });
        let round = |index: usize| order.iter().position(|&place| place == self.places[index]).unwrap_or(0);
        let lanes: Vec<_> = (0..self.len()).filter(|&index| round(index) == step).collect();
        let leader = lanes[0];
        let place = order[step];
        let text = |index: usize| match () {
            () if index == leader => (CellAppearance::Busy, format!("+ {}", lanes.len())),
            () if lanes.contains(&index) => (CellAppearance::Written, "same".to_owned()),
            () if round(index) < step => (CellAppearance::Idle, "done".to_owned()),
            () => (CellAppearance::Idle, "–".to_owned()),
        };
        let others = lanes[1..].iter().map(|&index| link((1, index), (1, leader)));
        let links = std::iter::once(link((1, leader), (2, place))).chain(others).collect();
        let bin = self.bins[place];
        Diagram {
            rows: vec![
                self.pixels(|index| lanes.contains(&index), self.len()),
                self.invocations(text, self.len()),
                self.bins_with(&self.counts((0..self.len()).filter(|&index| round(index) <= step)), &[place]),
            ],
            links,
            caption: format!("lanes with bin {bin} vote: one adds {} for all of them", lanes.len()),
            code: "atomicAdd(&bins[word], count.x",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(bins: &[u32]) -> Vec<Sample> {
        bins.iter().map(|&bin| Sample { rgb: [bin as u8; 3], bin }).collect()
    }

    /// Returns the sum of all bins after the last step.
    fn counted(method: Method, samples: &[Sample]) -> u32 {
        let steps = Pixels::new(samples, (0, 0)).steps(method);
        let last = diagram(method, (samples, (0, 0)), steps as i64 - 1).expect("there are pixels");
        let bins = last.rows.last().expect("rows");
        let count = |cell: &DiagramCell| match &cell.content {
            CellContent::Text(text) => text.split_once(": ").and_then(|(_, count)| count.parse::<u32>().ok()),
            CellContent::Bins(_) => None,
        };
        bins.cells.iter().map(|cell| count(cell).expect("a bin and its count")).sum()
    }

    #[test]
    fn every_method_except_the_race_counts_all_pixels() {
        for bins in [&[16, 16, 17, 16, 18, 17, 16, 40][..], &[1, 2, 3, 4, 5, 6, 7, 8], &[5; 8], &[3], &[9, 9, 8, 7, 9]]
        {
            let samples = samples(bins);
            let mut different = bins.to_vec();
            different.sort_unstable();
            different.dedup();
            for &method in Method::ladder() {
                let expected = if method == Method::Race { different.len() } else { bins.len() };
                assert_eq!(counted(method, &samples) as usize, expected, "{method:?} of {bins:?}");
            }
        }
    }

    #[test]
    fn three_pixels_or_more_make_at_least_two_chunks() {
        for count in 3..=8 {
            let samples = samples(&vec![7; count]);
            for method in [Method::Sum, Method::Pairwise, Method::Shared] {
                let first = diagram(method, (&samples, (0, 0)), 0).expect("there are pixels");
                assert!(first.rows[1].cells.len() >= 2, "{method:?} of {count} pixels");
                assert!(first.rows[2].cells.len() >= 2, "{method:?} of {count} pixels");
            }
        }
    }

    #[test]
    fn every_link_connects_two_cells() {
        let samples = samples(&[16, 16, 17, 16, 18, 17, 16]);
        for &method in Method::ladder() {
            for moment in 0..40 {
                let Diagram { rows, links, caption, .. } =
                    diagram(method, (&samples, (0, 0)), moment).expect("there are pixels");
                assert!(!caption.is_empty());
                for (row, place) in links.iter().flat_map(|link| [link.from, link.to]) {
                    assert!(rows[row].cells.len() > place, "{method:?} at {moment}: {row}, {place}");
                }
            }
        }
    }

    #[test]
    fn the_last_step_rests_before_the_diagram_starts_over() {
        let samples = samples(&[1, 1, 2, 3]);
        let at = |moment| diagram(Method::Race, (&samples, (0, 0)), moment).expect("there are pixels");
        assert_eq!(at(2), at(5));
        assert_eq!(at(0), at(6));
        assert_ne!(at(0), at(1));
        assert!(at(2).caption.contains("1 of 4 are lost") && at(2).links.iter().filter(|link| link.lost).count() == 1);
        assert_eq!(diagram(Method::Race, (&[], (0, 0)), 0), None);
    }
}
