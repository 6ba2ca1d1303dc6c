//! Checking a file.

use std::ops::{ControlFlow, Range};

use super::exposure::Jump;
use super::finding::{CheckFinding, FramePoint, Span};
use super::profile::{Check, Profile, Rule, Severity};
use super::tags;
use super::tally::{Stretch, Tallied, Tally};
use crate::analyze::AnalyzeError;
use crate::analyze::inspection::Inspection;
use crate::analyze::overview::Progress;
use crate::analyze::pipeline::{Pipeline, Request};
use crate::analyze::thumbnails::ThumbnailUse;
use crate::report::clip::{Clip, ClipBuilder};
use crate::report::content::Report;
use crate::report::gather::{Gathered, components_of, gather};
use crate::report::times::percent;
use histoscope_core::picture::{Ratio, Timecode, TimecodeRate, Timecodes};
use histoscope_core::strip::{DEFAULT_THRESHOLD, Finding, FindingKind, FindingLimits, WorstFrame};
use histoscope_core::text::{counted, shown};
use histoscope_media::StreamInfo;

/// A file that was checked.
#[derive(Debug)]
pub struct CheckedFile {
    /// The file as named by the user, sanitized.
    pub name: String,
    /// Name of the profile.
    pub profile: String,
    /// The findings, in order of time; those about the whole file come first.
    pub findings: Vec<CheckFinding>,
    /// Number of frames that were examined.
    pub frames: u64,
    /// The rate and start of timecodes for an edit decision list: the file's own, or counted from one hour.
    pub labels: Option<Labels>,
    /// The content of the page, if one is written.
    pub report: Option<Report>,
    /// `true` if the run was asked to stop before the end.
    pub stopped: bool,
}

/// Timecodes for a list of edits.
#[derive(Debug, Clone, Copy)]
pub struct Labels {
    /// Timecode of the file's first frame.
    pub first: Timecode,
    /// Rate of the timecodes.
    pub rate: TimecodeRate,
}

impl CheckedFile {
    /// Returns `true` if there is no error.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Returns the number of findings of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Checks a file by a profile, with a progress bar on standard error unless `quiet`. `with_page` also collects the
/// content of a report.
///
/// # Errors
/// [`AnalyzeError`] if the video cannot be read or counted, or is live.
pub fn run(request: Request, profile: &Profile, with_page: bool, quiet: bool) -> Result<CheckedFile, AnalyzeError> {
    let name = shown(&request.input);
    let mut bar: Option<Progress> = None;
    let checked = run_observed(request, profile, with_page, &mut |span, time_secs| {
        bar.get_or_insert_with(|| Progress::new(&name, span.clone(), quiet)).frame(time_secs);
        ControlFlow::Continue(())
    });
    bar.iter().for_each(Progress::finish);
    checked
}

/// Receives the span of the file in seconds and the time of the frame just examined. Breaking ends the check there.
pub type Observer<'a> = dyn FnMut(&Range<f64>, f64) -> ControlFlow<()> + 'a;

/// Like [`run`], but reports every frame to `observer`.
///
/// # Errors
/// Like [`run`].
pub fn run_observed(
    mut request: Request,
    profile: &Profile,
    with_page: bool,
    observer: &mut Observer<'_>,
) -> Result<CheckedFile, AnalyzeError> {
    request.inspection = Inspection::All { tolerated: tolerated(profile) };
    request.thumbnails = with_page
        .then_some(ThumbnailUse { cut_threshold: DEFAULT_THRESHOLD, clipped_share: limits(profile).clipped_share });
    let input = request.input.clone();
    let pipeline = Pipeline::open(request)?;
    let info = pipeline.info().clone();
    if info.live {
        return Err(AnalyzeError::NeedsFile { input, what: "check" });
    }
    let span = pipeline.span_secs();
    let clip = ClipBuilder::new(components_of(&pipeline), DEFAULT_THRESHOLD).with_limits(limits(profile));
    let mut tally = Tally::new(profile, !info.frames_adjoin());
    let gathered = gather(pipeline, clip, &mut |counted| {
        tally.add(counted);
        observer(&span, counted.frame.facts.time_secs)
    })?;
    let (Some(gathered), Some(all)) = (gathered, tally.all) else {
        return Err(AnalyzeError::NothingCounted(shown(&input)));
    };
    let Gathered { clip, first, outcome, .. } = &gathered;
    let mut collected = Collected { profile, clip, all, findings: Vec::new() };
    let decoder = &outcome.decoder;
    for (count, what) in
        [(decoder.refused_packets, "packets refused by the decoder"), (decoder.unusable, "frames that cannot be read")]
    {
        if count > 0 {
            collected.add(Check::Damaged, None, format!("{count} {what}"), Measured::default());
        }
    }
    if let Some(reason) = &outcome.ended_early {
        collected.add(Check::Damaged, None, reason.clone(), Measured::default());
    }
    let frames = outcome.reached_end.then_some(outcome.frames.end);
    for fault in tags::faults(&info, first, frames) {
        collected.add(Check::Tags, None, fault, Measured::default());
    }
    collected.of_clip();
    collected.of_tally(&tally.finish(&clip.cuts));
    let mut findings = collected.findings;
    findings.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let (frames, stopped) = (clip.frames, outcome.stopped);
    let report = with_page.then(|| gathered.into_report(Vec::new()));
    let (name, profile) = (shown(&input), profile.name.clone());
    Ok(CheckedFile { name, profile, findings, frames, labels: labels(&info), report, stopped })
}

/// Returns the time at which a finding begins; those about the whole file come first.
fn start(finding: &CheckFinding) -> f64 {
    finding.span.map_or(f64::NEG_INFINITY, |span| span.start_secs)
}

/// Returns the limits that the profile sets for the findings of a clip. A check that is off keeps the usual limit, and
/// its findings are left out.
fn limits(profile: &Profile) -> FindingLimits {
    let usual = FindingLimits::default();
    let rule = |check| Some(profile.rule(check)).filter(|rule| rule.severity != Severity::Off);
    FindingLimits {
        black_share: rule(Check::Black).map_or(usual.black_share, |rule| rule.threshold / 100.0),
        frozen_secs: rule(Check::Frozen).map_or(usual.frozen_secs, |rule| rule.shortest_secs),
        clipped_share: rule(Check::Clipped).map_or(usual.clipped_share, |rule| (rule.threshold / 100.0).max(1e-12)),
    }
}

/// Returns the share of pixels outside EBU R 103 that is no finding.
fn tolerated(profile: &Profile) -> f64 {
    let Rule { severity, threshold, .. } = *profile.rule(Check::Range);
    if severity == Severity::Off { 1.0 } else { threshold / 100.0 }
}

/// Returns the timecodes for an edit decision list, or `None` without a frame rate.
fn labels(info: &StreamInfo) -> Option<Labels> {
    let hour = Timecode { hours: 1, minutes: 0, seconds: 0, frames: 0, drop: false };
    match (info.timecodes, info.average_rate) {
        (Some(Timecodes { first, rate, .. }), _) => Some(Labels { first, rate }),
        (None, Some(Ratio { num, den })) => Some(Labels { first: hour, rate: TimecodeRate::of(num, den)? }),
        (None, None) => None,
    }
}

/// The findings of a file so far.
struct Collected<'a> {
    profile: &'a Profile,
    clip: &'a Clip,
    all: Span,
    findings: Vec<CheckFinding>,
}

/// The value of a finding.
#[derive(Debug, Default)]
struct Measured {
    /// The value with its unit; empty if there is none.
    value: String,
    /// The frame with it, if it varies.
    worst: Option<FramePoint>,
}

impl Measured {
    const fn constant(value: String) -> Self {
        Self { value, worst: None }
    }

    /// Returns the largest share of a stretch.
    fn share(share: f64, worst: FramePoint) -> Self {
        Self { value: percent(share), worst: Some(worst) }
    }
}

impl Collected<'_> {
    fn add(&mut self, check: Check, span: Option<Span>, text: String, Measured { value, worst }: Measured) {
        let Rule { severity, threshold, shortest_secs } = *self.profile.rule(check);
        // Times have rounding errors. A clip may be shorter than a finding of all its frames has to be.
        let is_long = |span: Span| {
            let is_whole = check == Check::Bars && span.frames() >= self.all.frames();
            is_whole || span.end_secs - span.start_secs >= shortest_secs - 1e-6
        };
        if severity == Severity::Off || !span.is_none_or(is_long) {
            return;
        }
        let limit = match check {
            Check::Clipped | Check::Range | Check::Peak | Check::BlackLevel | Check::Exposure => {
                percent(threshold / 100.0)
            }
            Check::Bars => counted(threshold as u64, "line"),
            Check::Cadence => counted(threshold as u64, "period"),
            Check::Gaps => format!("{threshold} frames"),
            Check::Black | Check::Frozen => format!("{shortest_secs} s"),
            Check::Flash | Check::Damaged | Check::Timecode | Check::Tags => String::new(),
        };
        let timecode = |frame| self.clip.timecodes.timecode_of(frame);
        let timecodes = span.map_or([None; 2], |span| [timecode(span.frame), timecode(span.last)]);
        let worst = worst.filter(|_| span.is_some_and(|span| span.frames() > 1));
        self.findings.push(CheckFinding { check, severity, span, timecodes, text, value, worst, limit });
    }

    /// Adds the findings that the window and reports show too.
    fn of_clip(&mut self) {
        for &Finding { kind, frame, last, start_secs, end_secs, worst } in &self.clip.segments {
            let span = Span { frame, last, start_secs, end_secs };
            let frames = counted(span.frames(), "frame");
            let length = || Measured::constant(format!("{:.3} s", end_secs - start_secs));
            let (check, text, measured) = match kind {
                FindingKind::Black => (Check::Black, format!("black, {frames}"), length()),
                FindingKind::Flash => (Check::Flash, format!("flash, {frames}"), Measured::constant(frames)),
                FindingKind::Frozen => (Check::Frozen, format!("frozen, {frames}"), length()),
                FindingKind::Clipped => {
                    let Some(WorstFrame { frame, time_secs, share }) = worst else { continue };
                    let channel = self.clip.components.channel_names().get(share.channel).copied().unwrap_or_default();
                    let measured = Measured::share(share.share, FramePoint { frame, time_secs });
                    (Check::Clipped, format!("clipped {channel}, {frames}"), measured)
                }
                FindingKind::Timecode(_) | FindingKind::Worst(_) => continue,
            };
            self.add(check, Some(span), text, measured);
        }
        for run in self.clip.timecodes.listed() {
            let Some(broken) = run.broken else { continue };
            let (frame, start_secs) = (run.frame, run.time_secs);
            let span = Span { frame, last: frame, start_secs, end_secs: start_secs };
            let text = format!("timecode {} instead of {}", broken.found, broken.expected);
            self.add(Check::Timecode, Some(span), text, Measured::default());
        }
    }

    fn of_tally(&mut self, tallied: &Tallied) {
        let frames = |stretch: &Stretch| counted(stretch.span.frames(), "frame");
        let share = |stretch: &Stretch| Measured::share(stretch.value, stretch.worst);
        for stretch in &tallied.range {
            let text = format!("outside EBU R 103, {}", frames(stretch));
            self.add(Check::Range, Some(stretch.span), text, share(stretch));
        }
        for stretch in &tallied.peak {
            self.add(Check::Peak, Some(stretch.span), format!("peak, {}", frames(stretch)), share(stretch));
        }
        for stretch in &tallied.damaged {
            let text = format!("damaged, {}", frames(stretch));
            self.add(Check::Damaged, Some(stretch.span), text, Measured::default());
        }
        for stretch in &tallied.gaps {
            let value = Measured::constant(format!("{:.1} frames", stretch.value));
            self.add(Check::Gaps, Some(stretch.span), "gap of the time stamps".to_owned(), value);
        }
        for stretch in &tallied.cadence {
            let value = Measured::constant(percent(stretch.value));
            self.add(Check::Cadence, Some(stretch.span), "repeated in a pattern".to_owned(), value);
        }
        for Jump { span, levels: [before, after], returns } in &tallied.jumps {
            let frames = if *returns { format!(", {}", counted(span.frames(), "frame")) } else { String::new() };
            let text = format!("exposure jumps from {} to {}{frames}", percent(*before), percent(*after));
            let value = Measured::constant(percent((after - before).abs()));
            self.add(Check::Exposure, Some(*span), text, value);
        }
        let lifted = self.profile.rule(Check::BlackLevel).threshold / 100.0;
        if let Some(levels) = tallied.levels.filter(|levels| levels.black > lifted) {
            let text = "the darkest level of the clip".to_owned();
            self.add(Check::BlackLevel, Some(self.all), text, Measured::constant(percent(levels.black)));
        }
        let least = self.profile.rule(Check::Bars).threshold;
        for stretch in tallied.bars.iter().filter(|stretch| f64::from(stretch.lines()) >= least) {
            let lines = Measured::constant(counted(stretch.lines().into(), "line"));
            self.add(Check::Bars, Some(stretch.span), stretch.text(), lines);
        }
    }
}
