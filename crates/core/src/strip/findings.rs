//! Findings for quality control of a clip: segments of black, frozen and clipped frames, flashes, timecode breaks, and
//! the worst frames.

use serde::{Deserialize, Serialize};

use super::cells::{BLANK_SHARE, is_black};
use super::cuts::{Cut, CutFinder, DEFAULT_THRESHOLD, MAX_LISTED};
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
    /// The minimum duration of frozen frames in seconds.
    pub frozen_secs: f64,
    /// The minimum share of red, green or blue at the highest code in a clipped frame.
    pub clipped_share: f64,
}

impl Default for FindingLimits {
    fn default() -> Self {
        // Still parts of a film and repeated frames are shorter than half a second.
        Self { black_share: BLANK_SHARE, frozen_secs: 0.5, clipped_share: 0.01 }
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
    /// Frozen frames: identical codes for at least half a second. Segments are joined over a slight, short change.
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
    /// `true` if all codes equal those of the previous frame.
    pub repeats: bool,
    /// The timecode and the rate at which it counts.
    pub timecode: Option<(Timecode, TimecodeRate)>,
}

/// The maximum gap in seconds between frozen segments that are joined: an encoder changes a still picture slightly with
/// a key frame.
const FROZEN_GAP_SECS: f64 = 0.2;
/// The maximum change of a frame between them, as a fraction of the scale.
const FROZEN_CHANGE: f64 = 0.01;

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
    fn push(&mut self, belongs: bool, first: Finding, limits: (f64, f64)) {
        let now_secs = first.end_secs;
        self.close_before(now_secs, limits);
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
        self.close_before(now_secs, limits);
    }

    /// Closes the open segment if it ended at least `gap_secs` ago.
    fn close_before(&mut self, now_secs: f64, (gap_secs, least_secs): (f64, f64)) {
        if self.open.is_some_and(|open| open.end_secs + gap_secs <= now_secs + SLACK_SECS) {
            self.close(now_secs, least_secs);
        }
    }

    /// Closes the open segment and lists it if it lasts at least `least_secs`.
    fn close(&mut self, now_secs: f64, least_secs: f64) {
        let Some(open) = self.open.take() else { return };
        let finding = Finding { end_secs: open.end_secs.min(now_secs), ..open };
        let is_long = finding.end_secs - finding.start_secs >= least_secs - SLACK_SECS;
        if is_long && self.done.len() < MAX_LISTED {
            self.done.push(finding);
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
    frozen: Segments,
    /// The largest change since the last frozen segment ended.
    thawed: f64,
    /// The number of frozen segments that were joined to the one before them.
    joined: usize,
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
            frozen: Segments::default(),
            thawed: 0.0,
            joined: 0,
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
        let FindingLimits { black_share, frozen_secs, clipped_share } = self.limits;
        self.black.push(is_black(cells, black_share), finding(FindingKind::Black, here, None), (0.0, 0.0));
        // The first frozen frame is the one that is repeated.
        let first = self.before.map_or(here, |(frame, start_secs, _)| (frame, start_secs));
        let listed = self.frozen.done.len();
        self.frozen.push(seen.repeats, finding(FindingKind::Frozen, first, None), (0.0, frozen_secs));
        if self.frozen.done.len() > listed {
            self.join_frozen();
            self.thawed = 0.0;
        }
        self.thawed = self.thawed.max(change);
        let is_clipped = highest.share >= clipped_share;
        let clipped = finding(FindingKind::Clipped, here, Some(WorstFrame { frame, time_secs, share: highest }));
        self.clipped.push(is_clipped, clipped, (CLIPPED_GAP_SECS, 0.0));
        self.timecodes.push((frame, time_secs, seen.end_secs), seen.timecode);
        self.worst.push(here, shares, cells);
        self.before = Some((frame, time_secs, seen.end_secs.max(time_secs)));
        ExaminedFigures { change, shares }
    }

    /// Joins the last frozen segment to the one before it if the picture hardly changed between them.
    fn join_frozen(&mut self) {
        let [.., before, last] = &mut self.frozen.done[..] else { return };
        let is_near = last.start_secs - before.end_secs <= FROZEN_GAP_SECS + SLACK_SECS;
        if is_near && self.thawed <= FROZEN_CHANGE {
            (before.last, before.end_secs) = (last.last, last.end_secs);
            self.frozen.done.pop();
            self.joined += 1;
        }
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
        let segments = [&self.black, &self.frozen, &self.clipped].map(|segments| segments.done.len());
        let found =
            segments.iter().sum::<usize>() + self.joined + self.cuts.flashes().len() + self.timecodes.listed().len();
        let known = (found, self.worst.changes());
        let is_new = std::mem::replace(&mut self.reported, known) != known;
        is_new.then(|| listed(self.segments(), &self.worst.listed(), &self.timecodes))
    }

    /// Returns the black, frozen and clipped segments that have ended, and the flashes, in order of time.
    fn segments(&self) -> Vec<Finding> {
        let segments = [&self.black, &self.frozen, &self.clipped];
        let mut findings: Vec<_> = segments.iter().flat_map(|segments| segments.done.iter().copied()).collect();
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
        self.black.close(end_secs, 0.0);
        let listed = self.frozen.done.len();
        self.frozen.close(end_secs, self.limits.frozen_secs);
        if self.frozen.done.len() > listed {
            self.join_frozen();
        }
        self.clipped.close(end_secs, 0.0);
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
        repeats: bool,
    }

    const PLAIN: Shot = Shot { black: 0, clipped: 0, repeats: false };

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
            let (time_secs, repeats) = (frame as f64 / RATE, shot.repeats);
            let end_secs = (frame + 1) as f64 / RATE;
            let range = Range::Limited;
            finder.push(
                frame,
                &cells,
                &ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, repeats, timecode: None },
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
    fn frozen_segments_start_with_the_repeated_frame_and_last_half_a_second() {
        let same = Shot { repeats: true, ..PLAIN };
        // With 11 repeats, a frame lasts 12 frames, less than half a second; with 12 repeats, it lasts 13.
        let found = findings(&clip(&[(PLAIN, 5), (same, 11), (PLAIN, 5), (same, 12), (PLAIN, 2)]));
        assert_eq!(found, [(FindingKind::Frozen, 20, 20.0, 33.0)]);
        assert_eq!(findings(&clip(&[(PLAIN, 1), (same, 30)])), [(FindingKind::Frozen, 0, 0.0, 31.0)]);
    }

    #[test]
    fn half_a_second_is_recognized_at_any_start_time() {
        for frames_before in 0..500 {
            let mut finder = Examiner::default();
            let histogram = Histogram::empty(8, Components::Rgbl);
            let cells = fold(&histogram);
            for frame in 0..frames_before + 31 {
                let [time_secs, end_secs] = [frame, frame + 1].map(|frame| frame as f64 / 60.0);
                // Thirty frames of 1/60 s each.
                let repeats = (frames_before + 1..frames_before + 30).contains(&frame);
                finder.push(
                    frame,
                    &cells,
                    &ExaminedFrame {
                        time_secs,
                        end_secs,
                        histogram: &histogram,
                        range: Range::Limited,
                        repeats,
                        timecode: None,
                    },
                );
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
            let (range, repeats) = (Range::Limited, false);
            finder.push(
                frame,
                &cells,
                &ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, repeats, timecode },
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
            let (range, repeats, timecode) = (Range::Limited, false, None);
            let seen = ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, repeats, timecode };
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
        for (frame, clipped) in [(0, 20), (1, 300), (2, 40)] {
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
                    repeats: false,
                    timecode: None,
                },
            );
        }
        let found = finder.finish().findings();
        let clipped = found.iter().find(|finding| finding.kind == FindingKind::Clipped).expect("they are clipped");
        let share = ChannelShare { share: 0.3, channel: 1 };
        assert_eq!(clipped.worst, Some(WorstFrame { frame: 1, time_secs: 1.0, share }));
    }

    #[test]
    fn frozen_segments_parted_by_a_slight_change_are_one() {
        let same = Shot { repeats: true, ..PLAIN };
        let frozen = |change: Shot, between: usize| {
            let mut found = findings(&clip(&[(PLAIN, 3), (same, 20), (change, between), (same, 20), (PLAIN, 2)]));
            found.retain(|finding| finding.0 == FindingKind::Frozen);
            found.iter().map(|&(_, first, _, end)| (first, end)).collect::<Vec<_>>()
        };
        // The frame of a key frame differs in a few codes, and is then repeated.
        assert_eq!(frozen(Shot { black: 5, ..PLAIN }, 1), [(2, 44.0)]);
        assert_eq!(frozen(PLAIN, 5), [(2, 48.0)]);
        assert_eq!(frozen(PLAIN, 7), [(2, 23.0), (29, 50.0)], "longer than 0.2 s");
        assert_eq!(frozen(Shot { clipped: 900, ..PLAIN }, 1), [(2, 23.0), (23, 44.0)], "a cut");
    }
}
