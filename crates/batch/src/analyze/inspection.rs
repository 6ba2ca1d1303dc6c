//! Properties of pictures besides their counts, for findings.

use std::sync::{Arc, OnceLock};

use histoscope_core::flash::FlashCounts;
use histoscope_core::histogram::CLAMPED_CHANNELS;
use histoscope_core::histogram::limits::R103_NEIGHBOURS;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::unpack::Source;
use histoscope_core::picture::{Frame, Picture};
use histoscope_render::cpu::count_outside_r103;
use histoscope_render::engine::ActivePart;

use super::counter::FrameCounts;
use super::light::LightUse;
use super::selection::black_level;

/// A choice of properties of pictures to find besides their counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Inspection {
    /// How much each frame differs from the previous one, if it is at most this share of the scale.
    pub differences: Option<f64>,
    /// The pixels outside the limits of EBU R 103, of which this share need not be counted exactly.
    pub r103: Option<f64>,
    /// The active picture.
    pub active: bool,
    /// Whether each frame shows the same as the previous one.
    pub likeness: bool,
    /// Flashes, and how their light is measured.
    pub flashes: Option<LightUse>,
}

/// Properties of a picture besides its counts, as far as they were requested.
#[derive(Debug, Clone, Default)]
pub struct Inspected {
    /// The difference from the previous frame; see [`Differences::push`](histoscope_core::strip::Differences::push).
    pub difference: Option<f64>,
    /// Share of the active picture outside the limits of EBU R 103; 0 if it is tolerated.
    pub outside_r103: Option<f64>,
    /// The active picture, or `None` if the whole picture is black.
    pub active: Option<Active>,
    /// The pixels whose light has changed, if flashes are looked for and light is known.
    pub flash: Option<FlashCounts>,
    /// `true` if the picture shows the same as the previous one, perhaps brighter or darker.
    pub resembles: bool,
    /// `true` if a finding may begin with the frame. Known if thumbnails are made.
    pub begins: bool,
}

/// A share that another thread may still be counting.
pub(super) struct PendingShare(Arc<OnceLock<Option<f64>>>);

impl PendingShare {
    /// Waits for the share.
    pub(super) fn get(&self) -> Option<f64> {
        *self.0.wait()
    }
}

/// Returns the part of a picture in which pixels outside the limits of EBU R 103 are counted.
pub(super) fn active_part(frame: &Frame, active: Option<Active>) -> ActivePart {
    let whole = Rect::whole(frame.picture.width(), frame.picture.height());
    let rect = active.map_or(whole, |active| active.picture);
    ActivePart { rect, is_interlaced: frame.facts.scan.is_interlaced() }
}

/// Begins to count the share of the active picture that is outside the limits of EBU R 103, which is `None` without
/// R'G'B', unless an adapter has counted the pixels. These limits lie beyond black and white, so pixels are examined only
/// if more than the `tolerated` share can be outside.
pub(super) fn outside_r103(
    frame: &Frame,
    active: Option<Active>,
    counts: &FrameCounts,
    tolerated: f64,
) -> PendingShare {
    let known = |share| PendingShare(Arc::new(OnceLock::from(share)));
    let Some(histogram) = &counts.rgbl else { return known(None) };
    let ActivePart { rect, is_interlaced } = active_part(frame, active);
    let pixels = rect.pixel_count();
    let share = move |outside: u32| Some(f64::from(outside) / pixels as f64).filter(|&share| share > tolerated);
    if let Some(outside) = counts.outside_r103 {
        return known(share(outside).or(Some(0.0)));
    }
    let beyond = (0..CLAMPED_CHANNELS).flat_map(|channel| histogram.out_of_range(channel)).map(u64::from).sum::<u64>();
    let tolerated = (tolerated * pixels as f64) as u64;
    // A filtered pixel is outside only if one in its neighbourhood is.
    if (R103_NEIGHBOURS * beyond).min(pixels) <= tolerated {
        return known(Some(0.0));
    }
    let pending = PendingShare(Arc::default());
    let (counted, picture) = (Arc::clone(&pending.0), frame.picture.clone());
    rayon::spawn(move || {
        let outside = picture.as_rgb().map(|picture| count_outside_r103(picture, rect, is_interlaced, tolerated));
        let _ = counted.set(outside.map(|outside| share(outside).unwrap_or(0.0)));
    });
    pending
}

/// The picture between black bars at the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Active {
    /// Width and height of the whole picture.
    pub size: (u32, u32),
    /// The rectangle between the bars.
    pub picture: Rect,
    /// For each of the sides above, below, left and right: `true` if at least half of the outermost line of the active
    /// picture is brighter than black, so that the bar beside it has a straight edge.
    pub straight: [bool; 4],
}

impl Active {
    /// Returns the lines of the bars above, below, left and right.
    #[must_use]
    pub const fn bars(&self) -> [u32; 4] {
        let Rect { x, y, width, height } = self.picture;
        [y, self.size.1 - y - height, x, self.size.0 - x - width]
    }

    /// Returns `true` if there is a bar with a straight edge.
    #[must_use]
    pub fn has_straight_bar(&self) -> bool {
        self.bars().into_iter().zip(self.straight).any(|(lines, is_straight)| lines > 0 && is_straight)
    }

    /// Finds the active picture, from the edges inwards to the first line whose mean level is above black.
    pub(super) fn of(picture: &Picture) -> Option<Self> {
        let picture = picture.decoded();
        let components = if picture.layout().model == ColorModel::Rgb { 3 } else { 1 };
        let lines = Lines {
            sources: (0..components).map(|component| Source::new(picture, component)).collect(),
            most: black_level(picture),
        };
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let mut codes = vec![0; width];
        let mut row = |y: usize| lines.sum(0, y, &mut codes) > lines.most * width as u64;
        let top = (0..height).find(|&y| row(y))?;
        let bottom = (top..height).rfind(|&y| row(y))?;
        let rows = top..bottom + 1;
        let is_used = |sum: u64| sum > lines.most * rows.len() as u64;
        // Columns are summed in blocks, since rows lie together in memory.
        let block = |from: usize| lines.columns(from..(from + BLOCK).min(width), rows.clone());
        let left = (0..width)
            .step_by(BLOCK)
            .find_map(|from| Some(from + block(from).iter().position(|&sum| is_used(sum))?))?;
        let right = (0..width)
            .step_by(BLOCK)
            .rev()
            .find_map(|from| Some(from + block(from).iter().rposition(|&sum| is_used(sum))?))?;
        let is_bright_row = |y: usize| {
            let bright = (left..=right).filter(|&x| lines.level(x, y) > lines.most).count();
            2 * bright > right - left
        };
        let is_bright_column =
            |x: usize| 2 * rows.clone().filter(|&y| lines.level(x, y) > lines.most).count() >= rows.len();
        let straight = [is_bright_row(top), is_bright_row(bottom), is_bright_column(left), is_bright_column(right)];
        let (x, y) = (left as u32, top as u32);
        let picture_rect = Rect { x, y, width: (right + 1 - left) as u32, height: rows.len() as u32 };
        Some(Self { size: (picture.width(), picture.height()), picture: picture_rect, straight })
    }
}

/// Number of columns that are summed at a time.
const BLOCK: usize = 32;

/// The levels of a picture: luma, or the sum of R', G' and B'.
struct Lines<'a> {
    sources: Vec<Source<'a>>,
    /// The highest level of black.
    most: u64,
}

impl Lines<'_> {
    fn level(&self, x: usize, y: usize) -> u64 {
        let mut code = [0];
        self.sources
            .iter()
            .map(|source| {
                source.unpack(x, y, &mut code);
                u64::from(code[0])
            })
            .sum()
    }

    /// Returns the sum of the levels in row `y`, as many as `codes` holds, starting at column `x`.
    fn sum(&self, x: usize, y: usize, codes: &mut [u16]) -> u64 {
        let mut sum = 0;
        for source in &self.sources {
            source.unpack(x, y, codes);
            sum += codes.iter().map(|&code| u64::from(code)).sum::<u64>();
        }
        sum
    }

    /// Returns the sums of the levels in these rows of each of at most [`BLOCK`] columns.
    fn columns(&self, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> Vec<u64> {
        let mut sums = vec![0; columns.len()];
        let mut codes = [0; BLOCK];
        let codes = &mut codes[..columns.len()];
        for y in rows {
            for source in &self.sources {
                source.unpack(columns.start, y, codes);
                sums.iter_mut().zip(&*codes).for_each(|(sum, &code)| *sum += u64::from(code));
            }
        }
        sums
    }
}

/// Number of points at which pictures are compared, across and down.
const GRID: (u32, u32) = (64, 36);
/// The correlation of the levels at these points from which pictures resemble each other.
const LIKENESS: f64 = 0.9;

/// The levels of a picture at the points of a grid.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline(Vec<f64>);

impl Outline {
    pub(super) fn of(picture: &Picture) -> Self {
        let picture = picture.decoded();
        // Green has most of the luminance.
        let component = usize::from(picture.layout().model == ColorModel::Rgb);
        let at = |index: u32, points: u32, length: u32| (2 * index + 1) * length / (2 * points);
        let points = (0..GRID.1).flat_map(|y| (0..GRID.0).map(move |x| (x, y)));
        let level = |(x, y)| picture.code(component, at(x, GRID.0, picture.width()), at(y, GRID.1, picture.height()));
        Self(points.map(|point| f64::from(level(point))).collect())
    }

    /// Returns `true` if the levels of both are correlated. A picture of a single level resembles none.
    pub(super) fn resembles(&self, other: &Self) -> bool {
        let count = self.0.len() as f64;
        let means = [self, other].map(|outline| outline.0.iter().sum::<f64>() / count);
        let (mut squares, mut product) = ([0.0; 2], 0.0);
        for (a, b) in self.0.iter().zip(&other.0) {
            let (a, b) = (a - means[0], b - means[1]);
            squares[0] += a * a;
            squares[1] += b * b;
            product += a * b;
        }
        product > 0.0 && product >= LIKENESS * (squares[0] * squares[1]).sqrt()
    }
}
