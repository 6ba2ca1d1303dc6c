//! Findings for quality control of a clip: segments of black, frozen and clipped frames, flashes, timecode breaks, and
//! the worst frames.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::cells::{BLANK_SHARE, is_black};
use super::cuts::{CUT_DELAY, Cut, CutFinder, DEFAULT_THRESHOLD, MAX_LISTED};
use super::frozen::{self, Stills, Stretch};
use super::timecodes::{TimecodeBreak, TimecodeRuns};
use super::worst::{ChannelShare, Flaw, WorstFrame, WorstOfClip, shares};
use crate::histogram::Histogram;
use crate::picture::color::Range;
use crate::picture::{Timecode, TimecodeRate};

/// The maximum gap in seconds between clipped frames of one segment, so that brightness that flickers around the limit
/// is a single finding.
const CLIPPED_GAP_SECS: f64 = 0.5;

/// The limits beyond which frames are findings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FindingLimits {
    /// The minimum share of a black frame's luminance in the lowest tenth of the scale.
    pub black_share: f64,
    /// The largest mean difference of a frozen frame from the one before, as a fraction of the scale.
    pub frozen_difference: f64,
    /// The minimum duration of frozen frames in seconds.
    pub frozen_secs: f64,
    /// The minimum share of red, green or blue at the highest code in a clipped frame.
    pub clipped_share: f64,
}

impl Default for FindingLimits {
    fn default() -> Self {
        // Frozen frames as in FFmpeg's freezedetect: −60 dB, for two seconds.
        Self { black_share: BLANK_SHARE, frozen_difference: 0.001, frozen_secs: 2.0, clipped_share: 0.01 }
    }
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Black frames: at least 98 % of the luminance is at or below a tenth of the scale.
    Black,
    /// A flash: up to four frames that differ abruptly from those before and after.
    Flash,
    /// Frozen frames: each hardly differs from the one before, for at least two seconds. Black frames are not frozen.
    Frozen,
    /// Clipped frames: at least 1 % of red, green or blue is at the highest code.
    Clipped,
    /// A frame whose timecode does not follow from the frames before it.
    Timecode(TimecodeBreak),
    /// One of the worst frames for a flaw.
    Worst(Flaw),
}

impl FindingKind {
    /// Returns the name of the kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::Flash => "flash",
            Self::Frozen => "frozen",
            Self::Clipped => "clipped",
            Self::Timecode(_) => "timecode",
            Self::Worst(flaw) => flaw.name(),
        }
    }
}

/// A choice of the findings to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindingFilter {
    /// All findings.
    #[default]
    All,
    /// Black frames.
    Black,
    /// Flashes.
    Flash,
    /// Frozen frames.
    Frozen,
    /// Clipped frames.
    Clipped,
    /// Timecode breaks.
    Timecode,
    /// The worst frames.
    Worst,
}

impl FindingFilter {
    /// All choices.
    pub const ALL: [Self; 7] =
        [Self::All, Self::Black, Self::Flash, Self::Frozen, Self::Clipped, Self::Timecode, Self::Worst];

    /// Returns the name of the choice.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all findings",
            Self::Black => "black frames",
            Self::Flash => "flashes",
            Self::Frozen => "frozen frames",
            Self::Clipped => "clipped frames",
            Self::Timecode => "timecode breaks",
            Self::Worst => "worst frames",
        }
    }

    /// Returns the plural noun for such findings.
    #[must_use]
    pub const fn several(self) -> &'static str {
        match self {
            Self::All => "findings",
            one_kind => one_kind.name(),
        }
    }

    /// Returns the singular noun for such a finding.
    #[must_use]
    pub const fn one(self) -> &'static str {
        match self {
            Self::All => "finding",
            Self::Black => "black frame",
            Self::Flash => "flash",
            Self::Frozen => "frozen frame",
            Self::Clipped => "clipped frame",
            Self::Timecode => "timecode break",
            Self::Worst => "worst frame",
        }
    }

    /// Returns the next or previous choice, wrapping around at the ends.
    #[must_use]
    pub fn next(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|&sought| sought == self).unwrap_or(0);
        Self::ALL[(at + if forward { 1 } else { Self::ALL.len() - 1 }) % Self::ALL.len()]
    }

    /// Returns `true` if findings of this kind are included.
    #[must_use]
    pub const fn has(self, kind: FindingKind) -> bool {
        match self {
            Self::All => true,
            Self::Black => matches!(kind, FindingKind::Black),
            Self::Flash => matches!(kind, FindingKind::Flash),
            Self::Frozen => matches!(kind, FindingKind::Frozen),
            Self::Clipped => matches!(kind, FindingKind::Clipped),
            Self::Timecode => matches!(kind, FindingKind::Timecode(_)),
            Self::Worst => matches!(kind, FindingKind::Worst(_)),
        }
    }
}

/// A finding: a frame, or several consecutive ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// Number of the first frame.
    pub frame: u64,
    /// Number of the last frame.
    pub last: u64,
    /// Time at which the first frame begins, in seconds.
    pub start_secs: f64,
    /// Time at which the frame after the last one begins, in seconds. For a worst frame or a timecode break, equal to
    /// `start_secs`.
    pub end_secs: f64,
    /// The frame with the largest share, for clipped and worst frames.
    pub worst: Option<WorstFrame>,
}

impl Finding {
    /// Returns the number of frames.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.last - self.frame + 1
    }
}

/// A frame's properties that are examined.
#[derive(Debug, Clone, Copy)]
pub struct ExaminedFrame<'a> {
    /// Time at which the frame begins, in seconds.
    pub time_secs: f64,
    /// Time at which the frame ends, in seconds.
    pub end_secs: f64,
    /// The histogram.
    pub histogram: &'a Histogram,
    /// The range of the codes.
    pub range: Range,
    /// The difference from the previous frame; see [`Differences::push`](super::Differences::push).
    pub difference: Option<f64>,
    /// The timecode and the rate at which it counts.
    pub timecode: Option<(Timecode, TimecodeRate)>,
}

/// Tolerance for comparing times, which accumulate rounding errors.
const SLACK_SECS: f64 = 1e-6;

/// The segments of one kind found so far.
#[derive(Debug, Default)]
struct Segments {
    /// The open segment. Its `end_secs` is infinite while its last frame is the latest one.
    open: Option<Finding>,
    done: Vec<Finding>,
}

impl Segments {
    /// Takes the next frame; `belongs` is `true` if it is part of a segment. If no segment is open, one starts as
    /// `first`, whose `end_secs` is the frame's start time and whose `last` is the frame.
    fn push(&mut self, belongs: bool, first: Finding, gap_secs: f64) {
        let now_secs = first.end_secs;
        self.close_before(now_secs, gap_secs);
        match &mut self.open {
            Some(open) if belongs => {
                (open.last, open.end_secs) = (first.last, f64::INFINITY);
                if let (Some(known), Some(more)) = (&mut open.worst, first.worst)
                    && more.share.share > known.share.share
                {
                    *known = more;
                }
            }
            None if belongs => self.open = Some(Finding { end_secs: f64::INFINITY, ..first }),
            Some(open) if open.end_secs.is_infinite() => open.end_secs = now_secs,
            _ => {}
        }
        self.close_before(now_secs, gap_secs);
    }

    /// Closes the open segment if it ended at least `gap_secs` ago.
    fn close_before(&mut self, now_secs: f64, gap_secs: f64) {
        if self.open.is_some_and(|open| open.end_secs + gap_secs <= now_secs + SLACK_SECS) {
            self.close(now_secs);
        }
    }

    /// Closes the open segment and lists it.
    fn close(&mut self, now_secs: f64) {
        let Some(open) = self.open.take() else { return };
        if self.done.len() < MAX_LISTED {
            self.done.push(Finding { end_secs: open.end_secs.min(now_secs), ..open });
        }
    }
}

/// A detector of cuts and findings. The frames of a clip are pushed in order.
#[derive(Debug)]
pub struct Examiner {
    limits: FindingLimits,
    /// The previous frame: its number, start time and end time.
    before: Option<(u64, f64, f64)>,
    /// The number of segments, flashes and timecode runs, and the number of changes of the worst frames, at the last
    /// report.
    reported: (usize, u64),
    cuts: CutFinder,
    black: Segments,
    stills: Stills,
    frozen: Vec<Finding>,
    /// The latest frames, each as a clipped segment, and whether it is one: they may turn out to be a flash.
    lately: VecDeque<(Finding, bool)>,
    clipped: Segments,
    timecodes: TimecodeRuns,
    worst: WorstOfClip,
}

impl Default for Examiner {
    fn default() -> Self {
        Self::new(CutFinder::new(DEFAULT_THRESHOLD), FindingLimits::default())
    }
}

/// The figures of a frame that was examined.
#[derive(Debug, Clone, Copy)]
pub struct ExaminedFigures {
    /// Distance from the previous frame, as a fraction of the scale; 0 for the first frame.
    pub change: f64,
    /// Share of samples with each flaw, in the order of [`Flaw::ALL`].
    pub shares: [ChannelShare; 3],
}

/// Everything found in a clip.
#[derive(Debug)]
pub struct ExaminedClip {
    /// The cuts that were kept.
    pub cuts: Vec<Cut>,
    /// Total number of cuts.
    pub cuts_found: u64,
    /// Black, frozen and clipped segments and flashes, in order of time.
    pub segments: Vec<Finding>,
    /// The worst frames for each flaw, worst first.
    pub worst: [Vec<WorstFrame>; 3],
    /// The timecodes and their breaks.
    pub timecodes: TimecodeRuns,
}

impl Examiner {
    /// Creates an examiner with these limits.
    #[must_use]
    pub fn new(cuts: CutFinder, limits: FindingLimits) -> Self {
        Self {
            limits,
            before: None,
            reported: (0, 0),
            cuts,
            black: Segments::default(),
            stills: Stills::default(),
            frozen: Vec::new(),
            lately: VecDeque::new(),
            clipped: Segments::default(),
            timecodes: TimecodeRuns::default(),
            worst: WorstOfClip::default(),
        }
    }

    /// Makes the examiner keep every cut; see [`CutFinder::keeping_all`].
    #[must_use]
    pub fn keeping_all_cuts(self) -> Self {
        Self { cuts: self.cuts.keeping_all(), ..self }
    }

    /// Takes the next frame and its cells; see [`fold`](super::fold).
    pub fn push(&mut self, frame: u64, cells: &[u64], seen: &ExaminedFrame<'_>) -> ExaminedFigures {
        let time_secs = seen.time_secs;
        let change = self.cuts.push(frame, time_secs, cells);
        let shares = shares(seen.histogram, seen.range);
        let highest = shares[1];
        let finding = |kind, (first, start_secs), worst| Finding {
            kind,
            frame: first,
            last: frame,
            start_secs,
            end_secs: time_secs,
            worst,
        };
        let here = (frame, time_secs);
        let FindingLimits { black_share, clipped_share, .. } = self.limits;
        let black = is_black(cells, black_share);
        self.black.push(black, finding(FindingKind::Black, here, None), 0.0);
        let frozen = self.stills.push(here, seen.difference.filter(|_| !black), cells, self.frozen_limits());
        self.list_frozen(frozen);
        let clipped = finding(FindingKind::Clipped, here, Some(WorstFrame { frame, time_secs, share: highest }));
        self.lately.push_back((clipped, highest.share >= clipped_share));
        if self.lately.len() > CUT_DELAY {
            self.take_clipped();
        }
        self.timecodes.push((frame, time_secs, seen.end_secs), seen.timecode);
        self.worst.push(here, shares, cells);
        self.before = Some((frame, time_secs, seen.end_secs.max(time_secs)));
        ExaminedFigures { change, shares }
    }

    const fn frozen_limits(&self) -> frozen::Limits {
        frozen::Limits { difference: self.limits.frozen_difference, secs: self.limits.frozen_secs }
    }

    fn list_frozen(&mut self, stretch: Option<Stretch>) {
        let Some(Stretch { first: (frame, start_secs), last, end_secs }) = stretch else { return };
        if self.frozen.len() < MAX_LISTED {
            self.frozen.push(Finding { kind: FindingKind::Frozen, frame, last, start_secs, end_secs, worst: None });
        }
    }

    /// Takes the earliest of the latest frames, of which it is known by now whether it is a flash, for the clipped
    /// segments. A flash is none of them.
    fn take_clipped(&mut self) {
        let Some((frame, is_clipped)) = self.lately.pop_front() else { return };
        let mut flashes = self.cuts.flashes().iter().rev().take_while(|flash| flash.last >= frame.frame);
        let is_flash = flashes.any(|flash| flash.frame <= frame.frame);
        self.clipped.push(is_clipped && !is_flash, frame, CLIPPED_GAP_SECS);
    }

    /// Returns the cuts found so far, as far as they are kept.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        self.cuts.found()
    }

    /// Returns `true` if a frame is among the worst so far, or is the worst of the current stretch or second.
    #[must_use]
    pub fn has_among_worst(&self, frame: u64) -> bool {
        self.worst.has(frame)
    }

    /// Returns the segments that have ended and the worst frames of past stretches, in order of time, or `None` if
    /// there are no new ones.
    #[must_use]
    pub fn take_new(&mut self) -> Option<Vec<Finding>> {
        let segments = [&self.black.done, &self.frozen, &self.clipped.done].map(Vec::len);
        let found = segments.iter().sum::<usize>() + self.cuts.flashes().len() + self.timecodes.listed().len();
        let known = (found, self.worst.changes());
        let is_new = std::mem::replace(&mut self.reported, known) != known;
        is_new.then(|| listed(self.segments(), &self.worst.listed(), &self.timecodes))
    }

    /// Returns the black, frozen and clipped segments that have ended, and the flashes, in order of time.
    fn segments(&self) -> Vec<Finding> {
        let segments = [&self.black.done, &self.frozen, &self.clipped.done];
        let mut findings: Vec<_> = segments.into_iter().flatten().copied().collect();
        findings.extend(self.cuts.flashes().iter().map(|flash| Finding {
            kind: FindingKind::Flash,
            frame: flash.frame,
            last: flash.last,
            start_secs: flash.start_secs,
            end_secs: flash.end_secs,
            worst: None,
        }));
        findings.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs));
        findings
    }

    /// Ends the clip and returns everything that was found.
    #[must_use]
    pub fn finish(mut self) -> ExaminedClip {
        let end_secs = self.before.map_or(0.0, |(_, _, end_secs)| end_secs);
        self.cuts.end();
        self.black.close(end_secs);
        let frozen = self.stills.finish(end_secs, self.frozen_limits());
        self.list_frozen(frozen);
        while !self.lately.is_empty() {
            self.take_clipped();
        }
        self.clipped.close(end_secs);
        let segments = self.segments();
        let (cuts, cuts_found) = self.cuts.finish();
        ExaminedClip { cuts, cuts_found, segments, worst: self.worst.finish(), timecodes: self.timecodes }
    }
}

impl ExaminedClip {
    /// Returns all findings, in order of time.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        listed(self.segments.clone(), &self.worst, &self.timecodes)
    }
}

/// Returns these segments with the timecode breaks and the worst frames, in order of time.
fn listed(mut findings: Vec<Finding>, worst: &[Vec<WorstFrame>; 3], timecodes: &TimecodeRuns) -> Vec<Finding> {
    let single =
        |kind, frame, start_secs, worst| Finding { kind, frame, last: frame, start_secs, end_secs: start_secs, worst };
    let breaks = timecodes.listed().iter().filter_map(|run| Some((run, run.broken?)));
    findings.extend(breaks.map(|(run, broken)| single(FindingKind::Timecode(broken), run.frame, run.time_secs, None)));
    for (flaw, worst) in Flaw::ALL.into_iter().zip(worst) {
        let frames = worst.iter();
        findings
            .extend(frames.map(|&worst| single(FindingKind::Worst(flaw), worst.frame, worst.time_secs, Some(worst))));
    }
    findings.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Components;
    use crate::strip::cells::BLACK_ROW;
    use crate::strip::fold;

    const RATE: f64 = 25.0;

    /// A frame with 1000 samples per channel: some of its luminance is black, and some of its blue is at the highest
    /// code.
    #[derive(Clone, Copy)]
    struct Shot {
        black: u32,
        clipped: u32,
        difference: Option<f64>,
    }

    const PLAIN: Shot = Shot { black: 0, clipped: 0, difference: None };

    /// Returns the findings in these frames, at 25 frames per second: the kind, the first frame, and the start and end
    /// of the segment in frames.
    fn findings(frames: &[Shot]) -> Vec<(FindingKind, u64, f64, f64)> {
        let mut finder = Examiner::default();
        for (frame, shot) in (0..).zip(frames) {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                let black = if channel == 3 { shot.black } else { 0 };
                let clipped = if channel == 2 { shot.clipped } else { 0 };
                let bins = histogram.bins_mut(channel);
                bins[BLACK_ROW] += black;
                bins[255] += clipped;
                bins[BLACK_ROW + 1] += 1000 - black - clipped;
            }
            let cells = fold(&histogram);
            let (time_secs, difference) = (frame as f64 / RATE, shot.difference);
            let end_secs = (frame + 1) as f64 / RATE;
            let range = Range::Limited;
            finder.push(
                frame,
                &cells,
                &ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, difference, timecode: None },
            );
        }
        let found = finder.finish().findings();
        found
            .iter()
            .map(|finding| {
                (finding.kind, finding.frame, (finding.start_secs * RATE).round(), (finding.end_secs * RATE).round())
            })
            .collect()
    }

    fn clip(parts: &[(Shot, usize)]) -> Vec<Shot> {
        parts.iter().flat_map(|&(shot, frames)| vec![shot; frames]).collect()
    }

    #[test]
    fn black_segments_may_be_short_and_may_extend_to_the_end() {
        let (black, nearly) = (Shot { black: 980, ..PLAIN }, Shot { black: 979, ..PLAIN });
        let found = findings(&clip(&[(PLAIN, 3), (black, 1), (nearly, 4), (black, 2), (PLAIN, 5), (black, 4)]));
        let black = |first: u64, end: f64| (FindingKind::Black, first, first as f64, end);
        assert_eq!(found, [black(3, 4.0), black(8, 10.0), black(15, 19.0)]);
    }

    #[test]
    fn frozen_frames_last_two_seconds_and_are_not_black() {
        let same = Shot { difference: Some(0.001), ..PLAIN };
        let found = findings(&clip(&[(PLAIN, 5), (same, 48), (PLAIN, 5), (same, 49), (PLAIN, 2)]));
        assert_eq!(found, [(FindingKind::Frozen, 57, 57.0, 107.0)]);
        assert_eq!(findings(&clip(&[(PLAIN, 1), (same, 60)])), [(FindingKind::Frozen, 0, 0.0, 61.0)]);
        let black = Shot { black: 990, difference: Some(0.0), ..PLAIN };
        assert_eq!(findings(&clip(&[(PLAIN, 1), (black, 60)])), [(FindingKind::Black, 1, 1.0, 61.0)]);
    }

    #[test]
    fn two_seconds_are_recognized_at_any_start_time() {
        for frames_before in 0..500 {
            let mut finder = Examiner::default();
            let histogram = Histogram::empty(8, Components::Rgbl);
            let cells = fold(&histogram);
            for frame in 0..frames_before + 121 {
                let [time_secs, end_secs] = [frame, frame + 1].map(|frame| frame as f64 / 60.0);
                // 120 frames of 1/60 s each.
                let difference = (frames_before + 1..frames_before + 120).contains(&frame).then_some(0.0);
                let (histogram, range, timecode) = (&histogram, Range::Limited, None);
                let seen = ExaminedFrame { time_secs, end_secs, histogram, range, difference, timecode };
                finder.push(frame, &cells, &seen);
            }
            let found = finder.finish().findings();
            assert_eq!(found.iter().map(|frozen| frozen.frame).collect::<Vec<_>>(), [frames_before]);
        }
    }

    #[test]
    fn clipped_frames_close_to_each_other_are_one_segment() {
        let (clipped, nearly) = (Shot { clipped: 10, ..PLAIN }, Shot { clipped: 9, ..PLAIN });
        let segments = |frames: &[Shot]| {
            let mut found = findings(frames);
            found.retain(|finding| finding.0 == FindingKind::Clipped);
            found.iter().map(|&(_, first, _, end)| (first, end)).collect::<Vec<_>>()
        };
        let near = clip(&[(clipped, 2), (nearly, 12), (clipped, 2), (nearly, 20)]);
        assert_eq!(segments(&near), [(0, 16.0)]);
        let apart = clip(&[(clipped, 2), (nearly, 14), (clipped, 2), (nearly, 3)]);
        assert_eq!(segments(&apart), [(0, 2.0), (16, 18.0)]);
    }

    #[test]
    fn a_timecode_that_does_not_follow_is_found() {
        let rate = TimecodeRate::of(25, 1).unwrap();
        let timecodes = ["23:59:59:24", "00:00:00:00", "00:00:00:01", "00:00:00:03", "00:00:00:04"];
        let histogram = Histogram::empty(8, Components::Rgbl);
        let cells = fold(&histogram);
        let mut finder = Examiner::default();
        for (frame, text) in (0..).zip(timecodes) {
            let (time_secs, end_secs) = (frame as f64 / RATE, (frame + 1) as f64 / RATE);
            let timecode = Timecode::parse(text).map(|timecode| (timecode, rate));
            let (range, difference) = (Range::Limited, None);
            finder.push(
                frame,
                &cells,
                &ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, difference, timecode },
            );
        }
        let [expected, found] = ["00:00:00:02", "00:00:00:03"].map(|text| Timecode::parse(text).unwrap());
        let kind = FindingKind::Timecode(TimecodeBreak { expected, found });
        let at_secs = 3.0 / RATE;
        let broken = Finding { kind, frame: 3, last: 3, start_secs: at_secs, end_secs: at_secs, worst: None };
        assert_eq!(finder.finish().findings(), [broken]);
        let text = serde_json::to_string(&broken).unwrap();
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), broken, "{text}");
    }

    #[test]
    fn the_worst_frames_are_reported_for_separate_seconds() {
        let mut frames = vec![PLAIN; 60];
        for (frame, clipped) in [(10, 20), (11, 300), (12, 40), (55, 5)] {
            frames[frame].clipped = clipped;
        }
        let mut found = findings(&frames);
        // One bright frame is a flash, too.
        found.retain(|finding| finding.0 != FindingKind::Flash);
        let highest = FindingKind::Worst(Flaw::Highest);
        assert_eq!(
            found,
            [(FindingKind::Clipped, 10, 10.0, 13.0), (highest, 11, 11.0, 11.0), (highest, 55, 55.0, 55.0)]
        );
    }

    #[test]
    fn a_flash_is_a_finding_with_its_frames() {
        let mut finder = Examiner::default();
        for frame in 0..20_u64 {
            let level = if frame == 9 { 255 } else { 90 };
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[level] = 1000);
            let (time_secs, end_secs) = (frame as f64 / RATE, (frame + 1) as f64 / RATE);
            let (range, difference, timecode) = (Range::Limited, None, None);
            let seen = ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, difference, timecode };
            finder.push(frame, &fold(&histogram), &seen);
        }
        let found = finder.finish();
        let flash = found.segments.iter().find(|finding| finding.kind == FindingKind::Flash).expect("a flash");
        assert_eq!((flash.frame, flash.last, flash.frames()), (9, 9, 1));
        assert_eq!((flash.start_secs, flash.end_secs), (9.0 / RATE, 10.0 / RATE));
        assert_eq!(found.cuts, []);
    }

    #[test]
    fn the_share_of_a_segment_is_its_largest() {
        let mut finder = Examiner::default();
        for (frame, clipped) in [(0, 20), (1, 60), (2, 40)] {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[100] = 1000);
            histogram.bins_mut(1)[255] = clipped;
            histogram.bins_mut(1)[100] -= clipped;
            let cells = fold(&histogram);
            let (range, time_secs) = (Range::Limited, frame as f64);
            finder.push(
                frame,
                &cells,
                &ExaminedFrame {
                    time_secs,
                    end_secs: time_secs + 1.0,
                    histogram: &histogram,
                    range,
                    difference: None,
                    timecode: None,
                },
            );
        }
        let found = finder.finish().findings();
        let clipped = found.iter().find(|finding| finding.kind == FindingKind::Clipped).expect("they are clipped");
        let share = ChannelShare { share: 0.06, channel: 1 };
        assert_eq!(clipped.worst, Some(WorstFrame { frame: 1, time_secs: 1.0, share }));
    }

    #[test]
    fn a_flash_is_no_part_of_the_clipped_frames_behind_it() {
        let levels = |parts: &[(usize, usize)]| {
            let mut finder = Examiner::default();
            let levels = parts.iter().flat_map(|&(level, frames)| vec![level; frames]);
            for (frame, level) in (0..).zip(levels) {
                // A fiftieth of the samples may be clipped; of a white frame, all are.
                let mut histogram = Histogram::empty(8, Components::Rgbl);
                for channel in 0..4 {
                    histogram.bins_mut(channel)[level.min(255)] = 980;
                    histogram.bins_mut(channel)[if level == 100 { 255 } else { level.min(255) }] += 20;
                }
                let (time_secs, end_secs) = (frame as f64 / RATE, (frame + 1) as f64 / RATE);
                let (histogram, range, difference, timecode) = (&histogram, Range::Limited, None, None);
                let seen = ExaminedFrame { time_secs, end_secs, histogram, range, difference, timecode };
                finder.push(frame, &fold(histogram), &seen);
            }
            let found = finder.finish().segments;
            found.iter().map(|found| (found.kind.name(), found.frame, found.last)).collect::<Vec<_>>()
        };
        let white = (255, 2);
        assert_eq!(levels(&[(90, 20), white, (90, 20)]), [("flash", 20, 21)]);
        assert_eq!(levels(&[(90, 20), white, (90, 5), (100, 30)]), [("flash", 20, 21), ("clipped", 27, 56)]);
        assert_eq!(levels(&[(100, 20), white, (100, 20)]), [("clipped", 0, 41), ("flash", 20, 21)]);
        assert_eq!(levels(&[(90, 20), (255, 20), (90, 20)]), [("clipped", 20, 39)], "as long as a shot");
    }
}
