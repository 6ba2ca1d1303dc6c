//! The diagrams of the counting methods in which workgroups or cores have their own bins.

use super::diagram::{CellAppearance, CellContent, Diagram, DiagramCell, DiagramRow, Link, link};
use super::pixels::{Pixels, SMALL_CHUNK};
use histoscope_lab::Method;

impl Pixels<'_> {
    /// Creates a row of sets of bins.
    fn sets(&self, name: &'static str, sets: impl IntoIterator<Item = (CellAppearance, Vec<u32>)>) -> DiagramRow {
        let bins = |counts: Vec<u32>| CellContent::Bins(self.bins.iter().copied().zip(counts).collect());
        let cells = sets.into_iter().map(|(look, counts)| DiagramCell { look, content: bins(counts) });
        DiagramRow { name: name.into(), cells: cells.collect(), together: 1 }
    }

    /// Links every pixel to its chunk.
    fn to_chunks(&self, size: usize) -> Vec<Link> {
        (0..self.len()).map(|index| link((0, index), (1, index / size))).collect()
    }

    /// Returns the pixels of each chunk of a method, in which workgroups count into bins of their own.
    fn chunks_of(&self, method: Method) -> Vec<Vec<usize>> {
        self.chunks(if method == Method::Pairwise { SMALL_CHUNK } else { self.chunk() })
    }

    /// Returns the turns that the fullest bin of a chunk takes.
    fn turns(&self, method: Method) -> usize {
        let queue = |chunk: Vec<usize>| self.longest_queue(chunk);
        self.chunks_of(method).into_iter().map(queue).max().unwrap_or(0)
    }

    /// Returns the number of steps inside the chunks: one per turn, the barrier and, if chunks are written out, the
    /// copy.
    pub(super) fn inside_steps(&self, method: Method) -> usize {
        match method {
            Method::Sum | Method::Pairwise => self.turns(method) + 2,
            Method::Shared => self.turns(method) + 1,
            _ => 0,
        }
    }

    /// Returns a step inside the chunks: pixels of one bin take turns, all wait at the barrier, each copies its bins.
    pub(super) fn inside(&self, method: Method, step: usize) -> Diagram {
        let (chunks, turns) = (self.chunks_of(method), self.turns(method));
        let size = chunks[0].len();
        let turn = |index: usize| self.turn(index / size * size, index);
        let counted = |chunk: &Vec<usize>| self.counts(chunk.iter().copied().filter(|&index| turn(index) <= step));
        let own = |look| self.sets("own bins", chunks.iter().map(|chunk| (look, counted(chunk))));
        if step > turns {
            let copied = chunks.iter().map(|chunk| (CellAppearance::Written, counted(chunk)));
            return Diagram {
                rows: vec![
                    self.invocations(|_| (CellAppearance::Busy, "copies".to_owned()), size),
                    own(CellAppearance::Memory),
                    self.sets("chunks", copied),
                ],
                links: (0..chunks.len()).map(|chunk| link((1, chunk), (2, chunk))).collect(),
                caption: "each invocation copies bins that it owns to the workgroup’s chunk, in the memory of the GPU"
                    .to_owned(),
                code: "chunks[chunk * BINS",
            };
        }
        let text = |index: usize| match turn(index).cmp(&step) {
            std::cmp::Ordering::Equal => (CellAppearance::Busy, "+ 1".to_owned()),
            _ => (CellAppearance::Idle, "waits".to_owned()),
        };
        let served = |index: &usize| turn(*index) == step;
        let look = if step < turns { CellAppearance::Written } else { CellAppearance::Memory };
        let caption = match step {
            step if step == turns => "workgroupBarrier(): none goes on before all have counted".to_owned(),
            step => format!(
                "turn {} of {turns}, in fast memory: only pixels of one bin in one chunk wait for each other",
                step + 1
            ),
        };
        Diagram {
            links: (0..self.len())
                .filter(served)
                .flat_map(|at| [link((0, at), (1, at)), link((1, at), (2, at / size))])
                .collect(),
            rows: vec![self.pixels(|index| served(&index), size), self.invocations(text, size), own(look)],
            caption,
            code: if step == turns { "workgroupBarrier();" } else { "atomicAdd(&own_bins[" },
        }
    }

    /// Returns the step in which a chunk comes to the bins: all of its bins, or those that are not empty if it adds
    /// itself.
    pub(super) fn merged(&self, method: Method, step: usize) -> Diagram {
        let (chunks, is_summed) = (self.chunks(self.chunk()), method == Method::Sum);
        let counted: Vec<_> = chunks.iter().map(|chunk| self.counts(chunk.iter().copied())).collect();
        let full =
            |chunk: &Vec<u32>| (0..chunk.len()).filter(|&place| is_summed || chunk[place] > 0).collect::<Vec<_>>();
        let written = full(&counted[step]);
        let look = |index: usize| if index == step { CellAppearance::Busy } else { CellAppearance::Memory };
        let sets = counted.iter().cloned().enumerate().map(|(index, counts)| (look(index), counts));
        let additions = counted.iter().map(|chunk| full(chunk).len()).sum::<usize>();
        Diagram {
            links: written.iter().map(|&place| link((1, step), (2, place))).collect(),
            rows: vec![
                self.pixels(|_| false, self.chunk()),
                self.sets(if is_summed { "chunks" } else { "own bins" }, sets),
                self.bins_with(&self.counts(chunks[..=step].concat()), &written),
            ],
            caption: match is_summed {
                true => format!("then one invocation per bin walks over all chunks: chunk {step}"),
                false => format!(
                    "then one atomic addition for each bin that is not empty: {additions} instead of {}",
                    self.len()
                ),
            },
            code: if is_summed { "sum += chunks_of_" } else { "atomicAdd(&bins[place_of(word)]" },
        }
    }

    /// Returns a step of the sum in pairs, from 0.
    pub(super) fn pairwise(&self, step: usize) -> Diagram {
        let chunks = self.chunks(SMALL_CHUNK);
        let mut counts: Vec<Vec<u32>> = chunks.iter().map(|chunk| self.counts(chunk.iter().copied())).collect();
        let (mut links, mut stride) = (Vec::new(), 1);
        for round in 0..=step {
            let pairs: Vec<_> =
                (0..counts.len()).step_by(2 * stride).filter(|first| first + stride < counts.len()).collect();
            for &first in &pairs {
                let second = counts[first + stride].clone();
                counts[first].iter_mut().zip(second).for_each(|(sum, count)| *sum += count);
                if round == step {
                    links.push(link((1, first + stride), (1, first)));
                }
            }
            stride *= 2;
        }
        let look =
            |index: usize| if index.is_multiple_of(stride) { CellAppearance::Busy } else { CellAppearance::Idle };
        let sets = self.sets("chunks", counts.iter().cloned().enumerate().map(|(index, c)| (look(index), c)));
        let is_done = stride >= counts.len();
        let shown = if is_done { counts[0].clone() } else { vec![0; self.bins.len()] };
        let written: Vec<_> = if is_done { (0..self.bins.len()).collect() } else { Vec::new() };
        let number = step + 1;
        let caption = match is_done {
            true => format!("dispatch {number}: the last pair; chunk 0 holds the histogram"),
            false => format!("dispatch {number}: pairs {} apart are added, half as many are left", stride / 2),
        };
        Diagram {
            rows: vec![self.pixels(|_| false, SMALL_CHUNK), sets, self.bins_with(&shown, &written)],
            links,
            caption,
            code: "[first * BINS + bin] +=",
        }
    }

    pub(super) fn ours(&self, step: usize) -> Diagram {
        // Two workgroups walk across the pixels, two spans each.
        let span = self.len().div_ceil(4).max(1);
        let owner = |index: usize| (index / span) % 2;
        let walked = |index: usize| index / (2 * span) <= step;
        let counts =
            |group: usize| self.counts((0..self.len()).filter(|&index| owner(index) == group && walked(index)));
        let look = if step < 2 { CellAppearance::Written } else { CellAppearance::Busy };
        let is_lit = |index: usize| step < 2 && index / (2 * span) == step;
        let all: Vec<_> = (0..self.bins.len()).collect();
        let sum = if step < 2 { vec![0; self.bins.len()] } else { self.counts(0..self.len()) };
        let links = match step {
            0 | 1 => (0..self.len())
                .filter(|&index| is_lit(index))
                .map(|index| link((0, index), (1, owner(index))))
                .collect(),
            2 => all.iter().flat_map(|&place| [link((1, 0), (2, place)), link((1, 1), (2, place))]).collect(),
            _ => Vec::new(),
        };
        let caption = match step {
            0 => "a workgroup loads 16 bytes at a time and counts in its own memory",
            1 => "it walks on, and its bins stay: however large the picture is, few chunks are left to sum",
            2 => "reduce: the few chunks are summed, all bins at once",
            _ => "scale: the heights are computed, and the bars are drawn straight from the bins",
        };
        Diagram {
            rows: vec![
                self.pixels(is_lit, span),
                self.sets("workgroups", [(look, counts(0)), (look, counts(1))]),
                self.bins_with(&sum, if step < 2 { &[] } else { &all }),
            ],
            links,
            caption: caption.to_owned(),
            code: ["count_block(block.x", "block = next", "sum += ((a + b)", "height = max("][step],
        }
    }

    pub(super) fn cores(&self, step: usize) -> Diagram {
        let bands = self.chunks(self.len().div_ceil(2).max(1));
        let size = bands[0].len();
        let look = if step == 0 { CellAppearance::Written } else { CellAppearance::Busy };
        let sets = bands.iter().map(|band| (look, self.counts(band.iter().copied())));
        let all: Vec<_> = (0..self.bins.len()).collect();
        let sum = if step == 0 { vec![0; self.bins.len()] } else { self.counts(0..self.len()) };
        let (links, caption) = match step {
            0 => {
                (self.to_chunks(size), "each core converts a band of rows with vector instructions, into its own bins")
            }
            _ => {
                let links = all.iter().flat_map(|&place| (0..bands.len()).map(move |band| link((1, band), (2, place))));
                (links.collect(), "then the cores' bins are summed: no addition had to be atomic")
            }
        };
        Diagram {
            rows: vec![
                self.pixels(|_| step == 0, size),
                self.sets("cores", sets),
                self.bins_with(&sum, if step == 0 { &[] } else { &all }),
            ],
            links,
            caption: caption.to_owned(),
            code: "",
        }
    }
}
