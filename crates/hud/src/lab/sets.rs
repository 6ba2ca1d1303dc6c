//! The diagrams of the counting methods in which workgroups or cores have their own bins.

use super::diagram::{CellAppearance, CellContent, Diagram, DiagramCell, DiagramRow, Link, link};
use super::pixels::{Pixels, SMALL_CHUNK};

impl Pixels<'_> {
    /// Creates a row of sets of bins.
    fn sets(name: &'static str, sets: impl IntoIterator<Item = (CellAppearance, Vec<u32>)>) -> DiagramRow {
        let cells = sets.into_iter().map(|(look, counts)| DiagramCell { look, content: CellContent::Bins(counts) });
        DiagramRow { name: name.into(), cells: cells.collect(), together: 1 }
    }

    /// Links every pixel to its chunk.
    fn to_chunks(&self, size: usize) -> Vec<Link> {
        (0..self.len()).map(|index| link((0, index), (1, index / size))).collect()
    }

    pub(super) fn summed(&self, step: usize) -> Diagram {
        let chunks = self.chunks(self.chunk());
        let added = step.min(chunks.len());
        let look = |index: usize| match step {
            0 => CellAppearance::Written,
            _ if index + 1 == step => CellAppearance::Busy,
            _ => CellAppearance::Memory,
        };
        let sets = chunks.iter().enumerate().map(|(index, chunk)| (look(index), self.counts(chunk.iter().copied())));
        let sum = self.counts(chunks[..added].concat());
        let written: Vec<_> = if step == 0 { Vec::new() } else { (0..self.bins.len()).collect() };
        let (links, caption) = match step {
            0 => (
                self.to_chunks(self.chunk()),
                "a workgroup counts each chunk in its own memory and writes it out".to_owned(),
            ),
            step => {
                let links = (0..self.bins.len()).map(|place| link((1, step - 1), (2, place)));
                (links.collect(), format!("then one invocation per bin walks over all chunks: chunk {}", step - 1))
            }
        };
        Diagram {
            rows: vec![
                self.pixels(|_| step == 0, self.chunk()),
                Self::sets("chunks", sets),
                self.bins_with(&sum, &written),
            ],
            links,
            caption,
        }
    }

    pub(super) fn pairwise(&self, step: usize) -> Diagram {
        let chunks = self.chunks(SMALL_CHUNK);
        let mut counts: Vec<Vec<u32>> = chunks.iter().map(|chunk| self.counts(chunk.iter().copied())).collect();
        let mut rows = vec![
            self.pixels(|_| step == 0, SMALL_CHUNK),
            Self::sets("chunks", counts.iter().map(|c| (CellAppearance::Memory, c.clone()))),
        ];
        let mut links = if step == 0 { self.to_chunks(SMALL_CHUNK) } else { Vec::new() };
        let mut stride = 1;
        for round in 1..=step {
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
        let in_play = |index: usize| index.is_multiple_of(stride);
        let look = |index: usize| match (in_play(index), step) {
            (true, 0) => CellAppearance::Written,
            (true, _) => CellAppearance::Busy,
            (false, _) => CellAppearance::Idle,
        };
        rows[1] = Self::sets("chunks", counts.iter().cloned().enumerate().map(|(index, c)| (look(index), c)));
        let is_done = stride >= counts.len();
        let shown = if is_done { counts[0].clone() } else { vec![0; self.bins.len()] };
        let written: Vec<_> = if is_done { (0..self.bins.len()).collect() } else { Vec::new() };
        rows.push(self.bins_with(&shown, &written));
        let caption = match step {
            0 => "a workgroup counts each chunk".to_owned(),
            _ if is_done => format!("dispatch {step}: the last pair; chunk 0 holds the histogram"),
            step => format!("dispatch {step}: pairs {} apart are added, half as many are left", stride / 2),
        };
        Diagram { rows, links, caption }
    }

    pub(super) fn shared(&self, step: usize) -> Diagram {
        let chunks = self.chunks(self.chunk());
        let look = |index: usize| match step {
            0 => CellAppearance::Written,
            _ if index + 1 == step => CellAppearance::Busy,
            _ => CellAppearance::Memory,
        };
        let counted: Vec<_> = chunks.iter().map(|chunk| self.counts(chunk.iter().copied())).collect();
        let sum = self.counts(chunks[..step.min(chunks.len())].concat());
        let full = |group: usize| (0..self.bins.len()).filter(|&place| counted[group][place] > 0).collect::<Vec<_>>();
        let written = if step == 0 { Vec::new() } else { full(step - 1) };
        let additions: usize = (0..chunks.len()).map(|group| full(group).len()).sum();
        let (links, caption) = match step {
            0 => (
                self.to_chunks(self.chunk()),
                "atomic additions in the workgroup's own memory, next to its processor".to_owned(),
            ),
            step => (
                written.iter().map(|&place| link((1, step - 1), (2, place))).collect(),
                format!("then one addition for each bin that is not empty: {additions} instead of {}", self.len()),
            ),
        };
        let sets = counted.iter().cloned().enumerate().map(|(index, counts)| (look(index), counts));
        Diagram {
            rows: vec![
                self.pixels(|_| step == 0, self.chunk()),
                Self::sets("workgroups", sets),
                self.bins_with(&sum, &written),
            ],
            links,
            caption,
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
            1 => "it walks on, and its bins stay: hundreds of chunks, not a hundred thousand",
            2 => "reduce: the few chunks are summed, all bins at once",
            _ => "scale: the heights are computed, and the bars are drawn straight from the bins",
        };
        Diagram {
            rows: vec![
                self.pixels(is_lit, span),
                Self::sets("workgroups", [(look, counts(0)), (look, counts(1))]),
                self.bins_with(&sum, if step < 2 { &[] } else { &all }),
            ],
            links,
            caption: caption.to_owned(),
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
                Self::sets("cores", sets),
                self.bins_with(&sum, if step == 0 { &[] } else { &all }),
            ],
            links,
            caption: caption.to_owned(),
        }
    }
}
