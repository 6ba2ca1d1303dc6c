//! The offset between two files, found by comparing small pictures in gray.
//!
//! The first frames of the selection are compared with the other file's at every candidate offset. Brightness and
//! contrast of the other file are matched first, by one linear mapping for all frames, so that a graded copy is found
//! too and a fade is not mistaken for a grade. The best offset is the one with the smallest mean squared difference.
//! Among equals, the one nearest to the stated offset wins.
//!
//! An offset counts as found only if it clearly beats every other one. A still picture, a loop or a change too slow for
//! the quality of the encodes has no such offset.
//!
//! All sums are integers, so that every machine finds the same offset.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::super::comparison::Against;
use super::super::counting::Cropping;
use super::super::error::{AnalyzeError, Stop};
use super::super::frames::{self, Bound, Frames, Next, NumberedFrames};
use super::super::selection::Selection;
use histoscope_core::compare::SmallPicture;
use histoscope_core::compare::small::PIXELS;
use histoscope_core::picture::Point;
use histoscope_media::{Decoder, MediaFault, OpenOptions};

/// Number of input frames to compare.
const WINDOW: u64 = 256;
/// At least one frame in this many must have a partner.
const MIN_PART: usize = 2;
/// Minimum number of frames for a clear result. Fewer may agree by chance.
const MIN_FRAMES: usize = 8;
/// The squared difference at any other offset must be at least this many times as large as at the best one.
const MIN_RATIO: f64 = 1.1;
/// Minimum share of the preferences, weighted by their size, that must favour the best offset.
const MIN_AGREEMENT: f64 = 0.9;
/// Minimum mean preference, in squared codes of 255. An encoder alone changes a still picture by less.
const MIN_PREFERENCE: f64 = 0.25;
/// Minimum preference of a frame at a cut, in squared codes of 255: more than any encoder causes. If at least so many
/// frames have it, they decide alone, as between still pictures.
const CUT_PREFERENCE: f64 = 50.0;
const MIN_CUTS: usize = 3;
/// Maximum distance of the best offset from the vertex of the parabola through it and its neighbours, in frames. The
/// pictures of an encode may lag behind the movement, so neither of two offsets is taken if the vertex lies between
/// them.
const MAX_OFF_VERTEX: f64 = 0.25;

/// The file whose offset is searched for, and how to read it.
#[derive(Debug, Clone, Copy)]
pub struct AlignInput<'a> {
    /// The file.
    pub input: &'a Path,
    /// Options for reading it and the other file.
    pub open: &'a OpenOptions,
    /// The frames to compare begin at its start; its region applies to both files.
    pub selection: &'a Selection,
    /// Flag that ends the search.
    pub stop: &'a Stop,
}

/// The offset found, and how well the files match at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundOffset {
    /// The offset.
    pub offset: i64,
    /// Number of frame pairs compared at this offset.
    pub frames: usize,
    /// The difference of their small pictures: the root of the mean square, in codes of 255.
    pub codes: f64,
    /// The second best offset, and the difference there.
    pub runner_up: (i64, f64),
    /// Times of the first frame that was compared and of its partner, in seconds.
    pub secs: [f64; 2],
}

impl fmt::Display for FoundOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, frames, codes, runner_up: (second, more), .. } = self;
        write!(
            f,
            "best match: offset {offset} (pictures differ by {codes:.2} codes of 255 in {frames} frames; the runner-up is \
             {second}, {more:.2} codes)"
        )
    }
}

/// Finds the best offset within this many frames of the stated one.
///
/// # Errors
/// [`AnalyzeError`] if a file cannot be read, or cannot be read more than once; [`AnalyzeError::NotAligned`] if too few
/// frames have partners; [`AnalyzeError::NotSure`] if no offset is clearly better than all others.
pub fn find(ours: AlignInput<'_>, against: &Against, within: u32) -> Result<FoundOffset, AnalyzeError> {
    let start = ours.selection.from.unwrap_or(Point::Frame(0));
    let (first, times, pictures) = small_pictures(ours, start, |first| first.saturating_add(WINDOW))?;
    // The neighbours of the outermost offsets are compared too.
    let reach = i128::from(within) + 1;
    let place = |distance: i128| u64::try_from(i128::from(first) + i128::from(against.offset) + distance).unwrap_or(0);
    let theirs = AlignInput { input: &against.input, ..ours };
    let end = place(reach + pictures.len() as i128);
    let (their_first, their_times, partners) = small_pictures(theirs, Point::Frame(place(-reach)), |_| end)?;
    let distances = (0..=i64::from(within) + 1).flat_map(|off| if off == 0 { vec![0] } else { vec![off, -off] });
    let offsets: Vec<i64> = distances.map(|off| against.offset.saturating_add(off)).collect();
    let matches: Vec<OffsetMatch> = offsets
        .into_par_iter()
        .filter_map(|offset| OffsetMatch::at(offset, (first, &pictures), (their_first, &partners)))
        .collect();
    let files = || (ours.input.to_owned(), against.input.clone());
    let Some((best, second)) = two_least(&matches) else {
        let (input, other) = files();
        return Err(AnalyzeError::NotAligned { input, other });
    };
    if !is_clear(best, &matches) {
        let (input, other) = files();
        return Err(AnalyzeError::NotSure { input, other, candidates: [best.offset, second.offset] });
    }
    let partner = (first as i64 + best.first as i64).saturating_add(best.offset).saturating_sub(their_first as i64);
    let secs = [times[best.first], usize::try_from(partner).map_or(0.0, |partner| their_times[partner])];
    Ok(FoundOffset {
        secs,
        offset: best.offset,
        frames: best.errors.len(),
        codes: best.mean().sqrt(),
        runner_up: (second.offset, second.mean().sqrt()),
    })
}

/// The comparison of two files at an offset.
struct OffsetMatch {
    offset: i64,
    /// Index of the first frame that has a partner.
    first: usize,
    /// Each frame's mean squared difference from its partner, in codes of 255.
    errors: Vec<f64>,
}

impl OffsetMatch {
    /// Compares all frames that have partners at this offset. Returns `None` if there are too few. Each file's frames
    /// are given with the number of the first one.
    fn at(offset: i64, ours: (u64, &[SmallPicture]), theirs: (u64, &[SmallPicture])) -> Option<Self> {
        let shift = i128::from(ours.0) + i128::from(offset) - i128::from(theirs.0);
        let partner = |index: usize| theirs.1.get(usize::try_from(index as i128 + shift).ok()?);
        let first = (0..ours.1.len()).find(|&index| partner(index).is_some())?;
        let pairs = (first..ours.1.len()).map_while(|index| Some((&ours.1[index], partner(index)?)));
        let sums: Vec<Sums> = pairs.map(|(a, b)| Sums::of(a, b)).collect();
        if sums.len() * MIN_PART < ours.1.len() {
            return None;
        }
        let mapping = Mapping::of(sums.iter().copied().reduce(Sums::and)?);
        Some(Self { offset, first, errors: sums.iter().map(|sums| mapping.error(sums)).collect() })
    }

    fn mean(&self) -> f64 {
        mean(&self.errors)
    }

    fn frames(&self) -> Range<usize> {
        self.first..self.first + self.errors.len()
    }

    /// Returns the errors of these frames, all of which have partners.
    fn of(&self, frames: &Range<usize>) -> &[f64] {
        &self.errors[frames.start - self.first..frames.end - self.first]
    }

    /// Returns `true` if the frames that have partners at both offsets clearly match better at this one.
    fn beats(&self, other: &Self) -> bool {
        let frames = common([self.frames(), other.frames()]);
        if frames.len() < MIN_FRAMES {
            return false;
        }
        let (own, others) = (self.of(&frames), other.of(&frames));
        let preferences: Vec<f64> = others.iter().zip(own).map(|(other, own)| other - own).collect();
        // No frame counts for more than the upper quartile. A few must not decide for all: an encoder changes a still
        // picture at every key frame.
        let mut sizes: Vec<f64> = preferences.iter().map(|preference| preference.abs()).collect();
        let (_, &mut most, _) = sizes.select_nth_unstable_by(frames.len() * 3 / 4, f64::total_cmp);
        let all: Vec<f64> = preferences.iter().map(|preference| preference.clamp(-most, most)).collect();
        let cuts: Vec<f64> = preferences.into_iter().filter(|preference| preference.abs() >= CUT_PREFERENCE).collect();
        mean(others) >= MIN_RATIO * mean(own)
            && ((mean(&all) >= MIN_PREFERENCE && agree(&all)) || (cuts.len() >= MIN_CUTS && agree(&cuts)))
    }
}

/// Returns `true` if nearly all preferences, by their size, are for the same offset: the positive ones.
fn agree(preferences: &[f64]) -> bool {
    let size = |preferences: &mut dyn Iterator<Item = f64>| preferences.map(f64::abs).sum::<f64>();
    let for_it = size(&mut preferences.iter().copied().filter(|&preference| preference > 0.0));
    for_it >= MIN_AGREEMENT * size(&mut preferences.iter().copied())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn common<const N: usize>(spans: [Range<usize>; N]) -> Range<usize> {
    spans.into_iter().reduce(|a, b| a.start.max(b.start)..a.end.min(b.end)).unwrap_or_default()
}

/// Returns the matches with the smallest and the second smallest mean error. Among equals, the first one wins.
fn two_least(matches: &[OffsetMatch]) -> Option<(&OffsetMatch, &OffsetMatch)> {
    let least = |not: Option<i64>| {
        let others = matches.iter().filter(|found| Some(found.offset) != not);
        others.min_by(|a, b| a.mean().total_cmp(&b.mean()))
    };
    let best = least(None)?;
    Some((best, least(Some(best.offset))?))
}

/// Returns `true` if a match clearly beats all others, and lies between two neighbours that do not pull it to one side.
fn is_clear(best: &OffsetMatch, matches: &[OffsetMatch]) -> bool {
    let neighbour = |off| matches.iter().find(|found| found.offset == best.offset.saturating_add(off));
    // A better match may lie beyond the outermost offset.
    let (Some(before), Some(after)) = (neighbour(-1), neighbour(1)) else { return false };
    let frames = common([best.frames(), before.frames(), after.frames()]);
    let [before, own, after] = [before, best, after].map(|found| mean(found.of(&frames)));
    let curvature = before + after - 2.0 * own;
    (before - after).abs() <= MAX_OFF_VERTEX * 2.0 * curvature
        && matches.iter().filter(|other| other.offset != best.offset).all(|other| best.beats(other))
}

/// Sums over the pixels of pairs of pictures.
#[derive(Clone, Copy)]
struct Sums {
    pixels: u64,
    ours: u64,
    theirs: u64,
    our_squares: u64,
    their_squares: u64,
    products: u64,
}

impl Sums {
    fn of(ours: &SmallPicture, theirs: &SmallPicture) -> Self {
        Self {
            pixels: PIXELS,
            ours: ours.sum,
            theirs: theirs.sum,
            our_squares: ours.squares,
            their_squares: theirs.squares,
            products: ours.products(theirs),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            pixels: self.pixels + other.pixels,
            ours: self.ours + other.ours,
            theirs: self.theirs + other.theirs,
            our_squares: self.our_squares + other.our_squares,
            their_squares: self.their_squares + other.their_squares,
            products: self.products + other.products,
        }
    }
}

/// The linear mapping from our codes to theirs with the smallest squared error. It never inverts.
struct Mapping {
    factor: f64,
    shift: f64,
}

impl Mapping {
    fn of(sums: Sums) -> Self {
        let scaled = |product: u64, a: u64, b: u64| {
            (i128::from(product) * i128::from(sums.pixels) - i128::from(a) * i128::from(b)) as f64
        };
        let covariance = scaled(sums.products, sums.ours, sums.theirs);
        let variance = scaled(sums.our_squares, sums.ours, sums.ours);
        let factor = if variance > 0.0 { (covariance / variance).max(0.0) } else { 0.0 };
        Self { factor, shift: (sums.theirs as f64 - factor * sums.ours as f64) / sums.pixels as f64 }
    }

    /// Returns the mean squared error of a pair of pictures.
    fn error(&self, sums: &Sums) -> f64 {
        let Self { factor, shift } = *self;
        let [pixels, ours, theirs] = [sums.pixels, sums.ours, sums.theirs].map(|sum| sum as f64);
        let squares = sums.their_squares as f64 + factor * factor * sums.our_squares as f64 + shift * shift * pixels;
        let products = factor * sums.products as f64 + shift * theirs - factor * shift * ours;
        ((squares - 2.0 * products) / pixels).max(0.0)
    }
}

/// Returns the number of the first frame at or after `from`, and the small pictures of the frames from there on. `end`
/// maps the first frame's number to the number at which to stop.
fn small_pictures(
    clip: AlignInput<'_>,
    from: Point,
    end: impl FnOnce(u64) -> u64,
) -> Result<(u64, Vec<f64>, Vec<SmallPicture>), AnalyzeError> {
    let AlignInput { input, open, selection, stop } = clip;
    let mut decoder = Decoder::open(input, open)?;
    if !decoder.info().seekable {
        return Err(AnalyzeError::NeedsFile { input: input.to_owned(), what: "--align" });
    }
    let from = Bound::of(&mut decoder, from)?;
    let positioned = frames::position(&mut decoder, (Some(from), 0), false, stop)?;
    let cropping = Cropping { input: input.to_owned(), region: selection.region, bars: None };
    let mut frames = Frames::start(decoder, positioned, 0, (open, stop))?;
    let mut end = Some(end);
    let (mut first, mut last) = (0, u64::MAX);
    let (mut times, mut found) = (Vec::new(), Vec::new());
    // A damaged file is compared as far as it can be read.
    while let Next::Frame(number, frame) = frames.next() {
        if let Some(end) = end.take() {
            (first, last) = (number, end(number));
        }
        if number >= last {
            break;
        }
        let picture = frame.picture.decoded();
        let small = SmallPicture::of(picture, cropping.of(number, picture)?).map_err(|error| {
            MediaFault::Failed { action: "cutting out the region", reason: error.to_string() }.of(input.to_owned())
        })?;
        times.push(frame.facts.time_secs);
        found.push(small);
    }
    Ok((first, times, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::test_data;

    /// Returns small pictures in which a bar has moved to these columns.
    fn bars(columns: impl IntoIterator<Item = u32>) -> Vec<SmallPicture> {
        let bar = |column: u32| {
            let picture = test_data::gray((160, 90), |x, _| if x.abs_diff(column) < 8 { 200 } else { 40 });
            SmallPicture::of(&picture.picture, None).expect("the whole picture")
        };
        columns.into_iter().map(bar).collect()
    }

    fn matches(ours: &[SmallPicture], theirs: &[SmallPicture], offsets: Range<i64>) -> Vec<OffsetMatch> {
        offsets.filter_map(|offset| OffsetMatch::at(offset, (100, ours), (95, theirs))).collect()
    }

    fn clear(matches: &[OffsetMatch]) -> Option<i64> {
        let (best, _) = two_least(matches)?;
        is_clear(best, matches).then_some(best.offset)
    }

    #[test]
    fn partners_follow_the_offset_and_half_must_have_one() {
        let (ours, theirs) = (bars(20..40), bars(10..45));
        let at = |offset| {
            let found = OffsetMatch::at(offset, (100, &ours), (95, &theirs))?;
            Some((found.mean() < 1e-6, found.frames()))
        };
        // Frame 100 shows column 20, like frame 105 of the other file.
        assert_eq!(at(5), Some((true, 0..20)));
        assert_eq!(at(6), Some((false, 0..20)));
        assert_eq!(at(20), Some((false, 0..10)));
        assert_eq!(at(21), None);
        assert_eq!(at(-15), Some((false, 10..20)));
        assert_eq!(at(-16), None);
        assert_eq!(clear(&matches(&ours, &theirs, -20..30)), Some(5));
    }

    #[test]
    fn an_offset_without_neighbours_is_not_clear() {
        let (ours, theirs) = (bars(20..40), bars(10..45));
        assert_eq!(clear(&matches(&ours, &theirs, 5..30)), None);
        assert_eq!(clear(&matches(&ours, &theirs, -20..6)), None);
        assert_eq!(clear(&matches(&ours, &theirs, 4..7)), Some(5));
    }

    #[test]
    fn still_pictures_loops_and_few_frames_are_not_clear() {
        let still = bars([30; 40]);
        assert_eq!(clear(&matches(&still, &still, -10..10)), None);
        let repeated = bars((0..60).map(|n| 20 + 3 * (n % 6)));
        assert_eq!(clear(&matches(&repeated[..40], &repeated, -10..10)), None);
        let few = bars(20..27);
        assert_eq!(clear(&matches(&few, &few, -8..3)), None);
    }

    #[test]
    fn a_few_frames_do_not_decide_for_all() {
        let (mut ours, mut theirs) = (bars([30; 40]), bars([30; 40]));
        // An encoder's key frames, at the same numbers in both files.
        for frame in [7, 19, 31] {
            let brighter = test_data::gray((160, 90), |x, _| if x.abs_diff(30) < 8 { 204 } else { 40 });
            let brighter = SmallPicture::of(&brighter.picture, None).expect("the whole picture");
            (ours[frame], theirs[frame]) = (brighter.clone(), brighter);
        }
        assert_eq!(clear(&matches(&ours, &theirs, -12..3)), None);
    }

    #[test]
    fn several_cuts_decide_between_still_pictures() {
        let still =
            |changes: &[u32]| bars((0..60_u32).map(|n| 20 + 9 * changes.iter().filter(|&&at| at <= n).count() as u32));
        let cut = |changes: &[u32]| clear(&matches(&still(changes)[8..48], &still(changes), -5..20));
        assert_eq!(cut(&[15, 20, 33, 40]), Some(3));
    }

    #[test]
    fn a_match_between_two_offsets_is_not_clear() {
        // Every frame lies between two of the other file, 2 columns from one and 3 from the other.
        let (ours, theirs) = (bars((0..20).map(|n| 20 + 5 * n)), bars((0..25).map(|n| 2 + 5 * n)));
        assert_eq!(clear(&matches(&ours, &theirs, -10..10)), None);
    }
}
