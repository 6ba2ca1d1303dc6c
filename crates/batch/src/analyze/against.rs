//! Frame-by-frame comparison of two files. Each frame of a run is compared with its partner: the frame of the other
//! file whose number is greater by the offset, which may be zero.
//!
//! Each file is decoded on its own thread. The first frame of the run determines its partner's number, and the other
//! file is then positioned at that frame.

pub mod align;
mod partners;
pub mod sound;

use std::collections::VecDeque;
use std::ops::ControlFlow;

pub use partners::Other;
use partners::{Partner, PartnerSupply, Partners};

use super::comparison::ComparisonTally;
use super::comparison::{Compared, ComparedPlane, Comparison, plane_names};
use super::counting::{Context, CountedFrame, CountingWork, RunOutcome, SelectedFrames};
use super::error::AnalyzeError;
use super::frames::{Bound, NumberedFrames};
use histoscope_core::compare::{PlaneDifference, Unlike, planes, reference, ssim};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture, PictureError};
use histoscope_media::MediaFault;

/// Maximum difference between a structural similarity and that of the reference.
const SSIM_TOLERANCE: f64 = 1e-9;

/// Compares and counts frames up to the end of the span. If the span ends with the file, the remaining frames of the
/// other file are tallied too.
pub(super) fn compare_all(
    context: &Context<'_>,
    other: Other,
    frames: impl NumberedFrames,
    end: Option<Bound>,
    sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
) -> Result<RunOutcome, AnalyzeError> {
    let (other, decoder) = other.parts();
    let theirs = other.context(context.engine);
    let mut partners = Partners::new(&other, decoder);
    let mut taken = SelectedFrames::new(context, frames, end);
    let mut pairs = FramePairs::new(context, &theirs);
    let mut stopped = false;
    while let Some((number, frame)) = taken.next() {
        // Frames whose partner would precede the other file's first frame are skipped.
        let Some(wanted) = number.checked_add_signed(other.offset) else { continue };
        match partners.find(wanted)? {
            Partner::Frame(partner) => {
                let added = pairs.add((number, frame), (wanted, *partner));
                if added.is_err() {
                    // Hand out the frames compared so far before returning the error.
                    let _ = pairs.finish(sink)?;
                    added?;
                }
                if pairs.hand_out_if_full(sink)?.is_break() {
                    return Ok(RunOutcome { comparison: Some(pairs.tally), ..taken.broken_off() });
                }
            }
            // Frames without a partner are tallied together at the end.
            Partner::PastEnd => {}
            Partner::Lost => break,
            Partner::Stopped => {
                stopped = true;
                break;
            }
        }
    }
    let _ = pairs.finish(sink)?;
    let mut outcome = taken.ended();
    if outcome.reached_end {
        stopped |= matches!(partners.find_end()?, Partner::Stopped);
    }
    outcome.stopped |= stopped;
    let mut tally = pairs.tally;
    match partners.supply() {
        PartnerSupply::Opened(_) | PartnerSupply::Running(_) => {}
        PartnerSupply::Lost(reason) => tally.other_ended_early = Some(reason),
        PartnerSupply::Ended { end, refused_packets } => {
            let (only_in_input, only_in_against) = surplus(&outcome, other.offset, end);
            tally.add_surplus(only_in_input, only_in_against);
            tally.other_refused_packets = refused_packets;
        }
    }
    Ok(RunOutcome { comparison: Some(tally), ..outcome })
}

/// Returns the number of input frames without a partner because the other file ends before frame `their_end`, and the
/// number of frames of the other file after the input's last one, if that was reached.
fn surplus(outcome: &RunOutcome, offset: i64, their_end: u64) -> (u64, u64) {
    let as_theirs = |number: u64| i128::from(number) + i128::from(offset);
    let (first, end) = (as_theirs(outcome.frames.start), as_theirs(outcome.frames.end));
    let their_end = i128::from(their_end);
    let count = |frames: i128| u64::try_from(frames).unwrap_or(0);
    let only_there = if outcome.reached_end { count(their_end - end) } else { 0 };
    (count(end - their_end.max(first)), only_there)
}

/// Pairs of frames whose counts are pending.
struct FramePairs<'a> {
    context: &'a Context<'a>,
    ours: CountingWork<'a>,
    theirs: CountingWork<'a>,
    compared: VecDeque<Comparison>,
    tally: ComparisonTally,
}

impl<'a> FramePairs<'a> {
    fn new(ours: &'a Context<'a>, theirs: &'a Context<'a>) -> Self {
        Self {
            context: ours,
            ours: CountingWork::new(ours),
            theirs: CountingWork::new(theirs),
            compared: VecDeque::new(),
            tally: ComparisonTally::default(),
        }
    }

    /// Submits a frame and its partner.
    fn add(&mut self, ours: (u64, Frame), theirs: (u64, Frame)) -> Result<(), AnalyzeError> {
        let pictures = [ours.1.picture.decoded(), theirs.1.picture.decoded()];
        let region = self.ours.region(ours.0, pictures[0])?;
        let compared = match Unlike::of(pictures[0], pictures[1]) {
            Some(unlike) => Compared::Pictures(unlike),
            None => Compared::Codes(self.compare(ours.0, pictures, region)?),
        };
        let comparison = Comparison::new(pictures[0], (theirs.0, theirs.1.time_secs), compared);
        self.ours.add(ours.0, ours.1)?;
        self.theirs.add(theirs.0, theirs.1)?;
        self.compared.push_back(comparison);
        Ok(())
    }

    /// Compares the planes. If counts are verified, also checks the differences against the reference.
    fn compare(
        &self,
        number: u64,
        pictures: [&Picture; 2],
        region: Option<Rect>,
    ) -> Result<Vec<ComparedPlane>, AnalyzeError> {
        let failed = |error: PictureError| {
            MediaFault::Failed { action: "cropping the region", reason: error.to_string() }.of(self
                .context
                .request
                .input
                .clone())
        };
        let differences = planes::differences(pictures, region).map_err(failed)?;
        let similarities = ssim::similarities(pictures, region).map_err(failed)?;
        if self.context.request.verify {
            let [ours, theirs] = pictures;
            let part = region.unwrap_or(Rect::whole(ours.width(), ours.height()));
            let names = plane_names(ours.layout().model);
            for ((found, expected), name) in
                differences.iter().zip(reference::plane_differences(ours, theirs, part)).zip(names)
            {
                check(number, name, found, &expected)?;
            }
            let expected = reference::plane_similarities(ours, theirs, part);
            for ((found, expected), name) in similarities.iter().zip(expected).zip(names) {
                check_similarity(number, name, found.mean(), expected)?;
            }
        }
        let planes = differences.into_iter().zip(similarities);
        Ok(planes.map(|(difference, ssim)| ComparedPlane { difference, ssim }).collect())
    }

    /// Waits for the counts of the oldest pair. Returns `None` if none is pending.
    fn take(&mut self) -> Result<Option<CountedFrame>, AnalyzeError> {
        let (Some(ours), Some(theirs)) = (self.ours.take()?, self.theirs.take()?) else { return Ok(None) };
        let Some(mut comparison) = self.compared.pop_front() else { return Ok(None) };
        comparison.add_distances(ours.counts.rgbl.as_ref(), theirs.counts.rgbl.as_ref());
        comparison.add_distances(ours.counts.coded.as_ref(), theirs.counts.coded.as_ref());
        self.tally.add((ours.number, ours.frame.facts.time_secs), &comparison);
        Ok(Some(CountedFrame { comparison: Some(comparison), ..ours }))
    }

    fn hand_out_if_full(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        while self.ours.is_full() || self.theirs.is_full() {
            let Some(counted) = self.take()? else { break };
            if sink(counted).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        while let Some(counted) = self.take()? {
            if sink(counted).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Checks a plane's difference against the reference.
fn check(frame: u64, plane: &str, found: &PlaneDifference, expected: &PlaneDifference) -> Result<(), AnalyzeError> {
    for (what, found, expected) in [
        ("number of samples", found.samples, expected.samples),
        ("largest difference", found.largest.into(), expected.largest.into()),
        ("sum of differences", found.sum, expected.sum),
        ("sum of their squares", found.squares, expected.squares),
    ] {
        if found != expected {
            let place = format!("the {what} of plane {plane}");
            let [counted, expected] = [found, expected].map(|figure| figure.to_string());
            return Err(AnalyzeError::Miscounted { frame, place, counted, expected });
        }
    }
    Ok(())
}

/// Checks a plane's structural similarity against the reference. The two add up their windows in different orders, so
/// the last digits may differ.
fn check_similarity(frame: u64, plane: &str, found: Option<f64>, expected: Option<f64>) -> Result<(), AnalyzeError> {
    let is_equal = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= SSIM_TOLERANCE,
        (found, expected) => found == expected,
    };
    if is_equal {
        return Ok(());
    }
    let [counted, expected] =
        [found, expected].map(|figure| figure.map_or_else(|| "none".to_owned(), |figure| format!("{figure:.9}")));
    let place = format!("the structural similarity of plane {plane}");
    Err(AnalyzeError::Miscounted { frame, place, counted, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_after_the_shorter_file_are_counted() {
        let of = |frames, reached_end, offset, end| {
            surplus(&RunOutcome { frames, reached_end, ..RunOutcome::default() }, offset, end)
        };
        assert_eq!(of(0..50, true, 0, 50), (0, 0));
        assert_eq!(of(0..50, true, 0, 47), (3, 0));
        assert_eq!(of(0..50, true, 0, 52), (0, 2));
        // The other file begins ten frames earlier, or ten frames later.
        assert_eq!(of(0..50, true, 10, 60), (0, 0));
        assert_eq!(of(0..50, true, 10, 55), (5, 0));
        assert_eq!(of(0..50, true, -10, 41), (0, 1));
        // A share of a file: the other shares count the remaining frames.
        assert_eq!(of(10..20, false, 0, 50), (0, 0));
        assert_eq!(of(10..20, false, 0, 15), (5, 0));
        assert_eq!(of(20..50, true, 0, 15), (30, 0));
        let whole = of(0..50, true, 0, 15);
        let shares = [of(0..10, false, 0, 15), of(10..20, false, 0, 15), of(20..50, true, 0, 15)];
        assert_eq!(whole.0, shares.iter().map(|share| share.0).sum::<u64>());
    }

    #[test]
    fn a_wrongly_compared_plane_is_named() {
        let expected = PlaneDifference { samples: 64, largest: 9, sum: 12, squares: 90 };
        assert!(check(3, "u", &expected, &expected).is_ok());
        let found = PlaneDifference { squares: 91, ..expected };
        let text = check(3, "u", &found, &expected).unwrap_err().to_string();
        assert!(text.contains("frame 3: the sum of their squares of plane u is 91"), "{text}");
        assert!(check_similarity(3, "u", Some(0.9), Some(0.9)).is_ok() && check_similarity(3, "u", None, None).is_ok());
        for (found, expected) in [(Some(0.9), Some(0.900_001)), (None, Some(1.0))] {
            let text = check_similarity(3, "u", found, expected).unwrap_err().to_string();
            assert!(text.contains("frame 3: the structural similarity of plane u is "), "{text}");
        }
    }
}
