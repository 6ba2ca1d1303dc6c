//! The offset between two files, found by comparing histograms.
//!
//! The first frames of the selection are compared with the other file at every candidate offset. The best offset is the
//! one with the smallest mean distance between partners' histograms over all channels. Among equals, the one nearest to
//! the stated offset wins.
//!
//! If the histograms differ more at that offset than encoding could cause, the other file may be a graded copy. Grading
//! maps each level to a different one, identically in all frames. So the offset is chosen for which the rank-based
//! mapping of luminance levels from a frame to its partner varies least across all frames.
//!
//! All sums are integers, so that every machine finds the same offset.

use std::fmt;
use std::ops::ControlFlow;

use super::super::comparison::Against;
use super::super::counter::{RunComponents, ScopeUse};
use super::super::counting::{Context, Cropping, Request, count_all};
use super::super::error::AnalyzeError;
use super::super::frames::{self, Bound, Frames};
use super::super::selection::{Point, Selection};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_media::Decoder;
use histoscope_render::engine::Engine;

/// Number of input frames to compare.
const WINDOW: u64 = 256;
/// At least one frame in this many must have a partner.
const MIN_PART: usize = 2;
/// Histogram distance, in percent of the scale, that encoding does not exceed but grading does.
const GRADED_PERCENT: f64 = 0.5;
/// Minimum number of frames for detecting a grade. Fewer frames may vary alike by chance.
const MIN_GRADED: usize = 8;
/// Number of levels in a signature.
const LEVELS: usize = 256;
/// Fractional bits of a share.
const SHARE_BITS: u32 = 16;

/// The offset found, and how well the files match at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundOffset {
    /// The offset.
    pub offset: i64,
    /// Number of frame pairs compared at this offset.
    pub frames: usize,
    /// Mean distance of their histograms, in percent of the scale.
    pub percent: f64,
}

impl fmt::Display for FoundOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, frames, percent } = self;
        write!(f, "best match: offset {offset} (mean histogram distance {percent:.3} % of the scale, {frames} frames)")
    }
}

/// The share of a frame's samples at or below each level, channel by channel.
struct Signature(Vec<u32>);

impl Signature {
    fn of(histogram: &Histogram) -> Self {
        let channels = histogram.components.channel_names().len();
        let mut shares = Vec::with_capacity(channels * LEVELS);
        for bins in (0..channels).map(|channel| histogram.bins(channel)) {
            let samples = bins.iter().map(|&count| u64::from(count)).sum::<u64>().max(1);
            let mut below = 0;
            shares.extend(bins.chunks(bins.len() / LEVELS).map(|codes| {
                below += codes.iter().map(|&count| u64::from(count)).sum::<u64>();
                // At most 2^16.
                ((below << SHARE_BITS) / samples) as u32
            }));
        }
        Self(shares)
    }

    /// Returns, for each luminance level, the share of samples at that level, and the level that the median of those
    /// samples has in the other frame by rank, in 256ths of a level.
    fn level_mapping(&self, other: &Self) -> Vec<(u64, u64)> {
        let [ours, theirs] = [self, other].map(|signature| &signature.0[signature.0.len() - LEVELS..]);
        let (mut before, mut level, mut below) = (0, 0, 0);
        let way = |&share: &u32| {
            let rank = before + (share - before) / 2;
            while level + 1 < theirs.len() && theirs[level] <= rank {
                below = theirs[level];
                level += 1;
            }
            let width = theirs[level].saturating_sub(below).max(1);
            let part = (u64::from(rank.saturating_sub(below)) << 8) / u64::from(width);
            let samples = u64::from(share - before);
            before = share;
            (samples, ((level as u64) << 8) + part.min(255))
        };
        ours.iter().map(way).collect()
    }

    fn distance(&self, other: &Self) -> u64 {
        let off: u32 = self.0.iter().zip(&other.0).map(|(a, b)| a.abs_diff(*b)).sum();
        off.into()
    }
}

/// Finds the best offset within this many frames of the stated one.
///
/// # Errors
/// [`AnalyzeError`] if a file cannot be read, or cannot be read more than once; [`AnalyzeError::NotAligned`] if too few
/// frames have partners at every offset.
pub fn find(request: &Request, against: &Against, within: u32) -> Result<FoundOffset, AnalyzeError> {
    let start = request.selection.from.unwrap_or(Point::Frame(0));
    let only = Selection { region: request.selection.region, ..Selection::default() };
    let counting = RunComponents { rgbl: true, coded: false, scopes: ScopeUse::None, ..RunComponents::default() };
    let request = Request { selection: only, counting, against: None, jobs: 1, ..request.clone() };
    let mut engine = Engine::start(request.engine, &request.adapter);
    engine.wait_if_wanted()?;
    let (first, ours) = signatures(&request, &engine, start, |first| first.saturating_add(WINDOW))?;
    let reach = i128::from(within);
    let place = |distance: i128| u64::try_from(i128::from(first) + i128::from(against.offset) + distance).unwrap_or(0);
    let theirs = Request { input: against.input.clone(), ..request.clone() };
    let end = place(reach + ours.len() as i128);
    let (their_first, theirs) = signatures(&theirs, &engine, Point::Frame(place(-reach)), |_| end)?;
    let offsets = (0..=i64::from(within)).flat_map(|off| if off == 0 { vec![0] } else { vec![off, -off] });
    let offsets: Vec<i64> = offsets.map(|off| against.offset.saturating_add(off)).collect();
    let pairs = |offset| partners((first, &ours), (their_first, &theirs), offset);
    let Some(nearest) = least(&offsets, |offset| pairs(offset).map(|pairs| (distances(&pairs), pairs.len()))) else {
        return Err(AnalyzeError::NotAligned { input: request.input, other: against.input.clone() });
    };
    let found = |offset| {
        let pairs = pairs(offset).unwrap_or_default();
        let whole =
            (Components::Rgbl.channel_names().len() * (LEVELS - 1) * pairs.len()) as f64 * f64::from(1 << SHARE_BITS);
        FoundOffset { offset, frames: pairs.len(), percent: 100.0 * distances(&pairs) as f64 / whole }
    };
    if found(nearest).percent <= GRADED_PERCENT || ours.len() < MIN_GRADED {
        return Ok(found(nearest));
    }
    let graded = least(&offsets, |offset| pairs(offset).map(|pairs| (mapping_deviation(&pairs), pairs.len())));
    Ok(found(graded.unwrap_or(nearest)))
}

/// Returns the first of the offsets with the smallest mean. `mean` returns a sum and the number of its terms.
fn least(offsets: &[i64], mean: impl Fn(i64) -> Option<(u64, usize)>) -> Option<i64> {
    let mut best: Option<(u64, usize, i64)> = None;
    for &offset in offsets {
        let Some((sum, count)) = mean(offset) else { continue };
        // Means are compared as fractions, without rounding.
        let is_less =
            |(of, many, _): (u64, usize, i64)| u128::from(sum) * (many as u128) < u128::from(of) * (count as u128);
        if best.is_none_or(is_less) {
            best = Some((sum, count, offset));
        }
    }
    best.map(|(_, _, offset)| offset)
}

/// A frame and its partner.
type Pair<'a> = (&'a Signature, &'a Signature);

/// Returns the pairs of frames at this offset, or `None` if there are too few. Each file's frames are given with the
/// number of the first one.
fn partners<'a>(ours: (u64, &'a [Signature]), theirs: (u64, &'a [Signature]), offset: i64) -> Option<Vec<Pair<'a>>> {
    let shift = i128::from(ours.0) + i128::from(offset) - i128::from(theirs.0);
    let partner = |index: usize| theirs.1.get(usize::try_from(index as i128 + shift).ok()?);
    let pairs: Vec<_> = ours.1.iter().enumerate().filter_map(|(index, frame)| Some((frame, partner(index)?))).collect();
    (!pairs.is_empty() && pairs.len() * MIN_PART >= ours.1.len()).then_some(pairs)
}

/// Returns the summed distance between partners.
fn distances(pairs: &[Pair<'_>]) -> u64 {
    pairs.iter().map(|(frame, partner)| frame.distance(partner)).sum()
}

/// Returns how far the mapping of levels deviates from its mean over all pairs, summed over the samples.
fn mapping_deviation(pairs: &[Pair<'_>]) -> u64 {
    let ways: Vec<_> = pairs.iter().map(|(frame, partner)| frame.level_mapping(partner)).collect();
    let mut sums = [(0, 0); LEVELS];
    for frame in &ways {
        for ((samples, levels), &(more, level)) in sums.iter_mut().zip(frame) {
            *samples += more;
            *levels += more * level;
        }
    }
    let means = sums.map(|(samples, levels): (u64, u64)| levels / samples.max(1));
    let of_frame = |frame: &Vec<(u64, u64)>| {
        frame.iter().zip(&means).map(|((samples, level), mean)| samples * level.abs_diff(*mean)).sum::<u64>()
    };
    ways.iter().map(of_frame).sum()
}

/// Returns the number of the first frame at or after `from`, and the signatures of the frames from there on. `end` maps
/// the first frame's number to the number at which to stop.
fn signatures(
    request: &Request,
    engine: &Engine,
    from: Point,
    end: impl FnOnce(u64) -> u64,
) -> Result<(u64, Vec<Signature>), AnalyzeError> {
    let mut decoder = Decoder::open(&request.input, &request.open)?;
    let info = decoder.info().clone();
    if !info.seekable {
        return Err(AnalyzeError::NeedsFile { input: request.input.clone(), what: "--align" });
    }
    let from = Bound::of(&mut decoder, from)?;
    let positioned = frames::position(&mut decoder, (Some(from), 0), false, &request.stop)?;
    let cropping = Cropping { input: request.input.clone(), region: request.selection.region, bars: None };
    let context = Context { request, info: &info, cropping: &cropping, engine };
    let frames = Frames::start(decoder, positioned, 0, (&request.open, &request.stop))?;
    let mut end = Some(end);
    let (mut first, mut last) = (0, u64::MAX);
    let mut found = Vec::new();
    count_all(&context, frames, None::<Bound>, &mut None, &mut |counted| {
        if let Some(end) = end.take() {
            first = counted.number;
            last = end(first);
        }
        if counted.number >= last {
            return ControlFlow::Break(());
        }
        found.extend(counted.counts.rgbl.as_ref().map(Signature::of));
        ControlFlow::Continue(())
    })?;
    Ok((first, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns frames, each with all samples at one of these levels.
    fn flat(levels: impl IntoIterator<Item = usize>) -> Vec<Signature> {
        let frame = |level: usize| {
            let mut histogram = Histogram::empty(10, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[4 * level] = 77);
            Signature::of(&histogram)
        };
        levels.into_iter().map(frame).collect()
    }

    #[test]
    fn distance_is_the_number_of_levels_between() {
        let [a, b] = [flat([10]), flat([13])];
        assert_eq!(a[0].distance(&b[0]), (4 * 3) << SHARE_BITS);
        let [black, white] = [flat([0]), flat([255])];
        assert_eq!(black[0].distance(&white[0]), (4 * 255) << SHARE_BITS);
    }

    #[test]
    fn partners_follow_the_offset_and_half_must_have_one() {
        let (ours, theirs) = (flat(20..30), flat(10..35));
        let at = |offset| partners((100, &ours), (95, &theirs), offset).map(|pairs| (distances(&pairs), pairs.len()));
        // Frame 100 is at level 20, like frame 105 of the other file.
        assert_eq!(at(5), Some((0, 10)));
        assert_eq!(at(6), Some(((10 * 4) << SHARE_BITS, 10)));
        assert_eq!(at(15), Some(((5 * 10 * 4) << SHARE_BITS, 5)));
        assert_eq!(at(16), None);
        assert_eq!(at(-10).map(|(_, frames)| frames), Some(5));
        assert_eq!(at(-11), None);
    }

    #[test]
    fn the_first_of_equal_means_wins() {
        let means = |offset| [None, Some((6, 3)), Some((4, 4)), Some((3, 3)), Some((9, 8))][offset as usize];
        assert_eq!(least(&[0, 1, 2, 3, 4], means), Some(2));
        assert_eq!(least(&[0, 4, 3, 2, 1], means), Some(3));
        assert_eq!(least(&[0, 1, 4], means), Some(4));
        assert_eq!(least(&[0], means), None);
    }

    /// Returns frames in which this many of ten samples are at the second of two levels, and the others at the first.
    fn changing(shares: [u32; 8], [low, high]: [usize; 2]) -> Vec<Signature> {
        let frame = |share: u32| {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                (histogram.bins_mut(channel)[low], histogram.bins_mut(channel)[high]) = (10 - share, share);
            }
            Signature::of(&histogram)
        };
        shares.map(frame).into()
    }

    #[test]
    fn a_grade_is_steady_and_other_changes_are_not() {
        let shares = [3, 9, 1, 7, 5, 2, 8, 4];
        let ours = changing(shares, [50, 200]);
        let apart = |theirs: &[Signature]| mapping_deviation(&partners((0, &ours), (0, theirs), 0).expect("partners"));
        // Rounding of ranks: half of 1/256 of a level per sample.
        let rounding = 8 << SHARE_BITS;
        assert!(apart(&changing(shares, [50, 200])) <= rounding);
        assert!(apart(&changing(shares, [90, 220])) <= rounding);
        let (mut later, mut other) = (shares, shares);
        later.rotate_left(1);
        other[2] = 7;
        // In one of the eight frames, the level of nine tenths of the samples maps 150 levels higher; in the others, to
        // itself.
        assert!(apart(&changing(other, [50, 200])) > 2000 * 256 * ((1 << SHARE_BITS) / 10));
        assert!(apart(&changing(later, [50, 200])) > apart(&changing(other, [50, 200])));
    }
}
