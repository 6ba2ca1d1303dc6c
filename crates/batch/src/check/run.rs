//! Checking a file.

use std::ops::{ControlFlow, Range};

use super::checks::{bars, cadence, clip, exposure, flash, hdr, range, sound, tape};
use super::finding::{CheckFinding, Span};
use super::profile::{Profile, Rule, Severity};
use super::row::{CountedFile, Found};
use super::waivers::Waiver;
use crate::analyze::AnalyzeError;
use crate::analyze::inspection::Inspection;
use crate::analyze::light::LightUse;
use crate::analyze::overview::Progress;
use crate::analyze::pipeline::{AudioUse, Pipeline, Request};
use crate::analyze::signal::SignalUse;
use crate::analyze::thumbnails::ThumbnailUse;
use crate::editors::SourceClip;
use crate::report::clip::ClipBuilder;
use crate::report::content::Report;
use crate::report::gather::{components_of, gather};
use histoscope_core::histogram::pixel_light::USUAL_HLG_PEAK;
use histoscope_core::picture::FrameFacts;
use histoscope_core::strip::{DEFAULT_THRESHOLD, FindingLimits};
use histoscope_core::text::shown;

/// A file that was checked.
#[derive(Debug)]
pub struct CheckedFile {
    /// The file as named by the user, sanitized.
    pub name: String,
    /// Its name without its folder, as waivers have it.
    pub file: String,
    /// Name of the profile.
    pub profile: String,
    /// The findings, in order of time; those about the whole file come first.
    pub findings: Vec<CheckFinding>,
    /// Number of frames that were examined.
    pub frames: u64,
    /// The file as editing programs see it.
    pub source: SourceClip,
    /// The content of the page, if one is written.
    pub report: Option<Report>,
    /// `true` if the run was asked to stop before the end.
    pub stopped: bool,
}

impl CheckedFile {
    /// Returns `true` if there is no error.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Returns the number of findings of this severity that nobody has waived.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity && finding.waived.is_none()).count()
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
    request.inspection = inspection(profile);
    request.thumbnails = with_page.then(|| ThumbnailUse { cut_threshold: DEFAULT_THRESHOLD, limits: limits(profile) });
    let input = request.input.clone();
    let file = input.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let gamut = profile.rule(&hdr::GAMUT).is_some();
    if gamut || profile.rule(&hdr::LIGHT).is_some() || profile.rule(&hdr::MASTERING).is_some() {
        let hlg_peak = USUAL_HLG_PEAK;
        request.counting.light = Some(LightUse { transfer: None, hlg_peak, sdr_white: None, gamut });
    }
    if tape::TAPE.iter().any(|check| profile.rule(check).is_some()) {
        request.counting.signal = SignalUse::Defects;
    }
    if sound::SOUND.iter().any(|check| profile.rule(check).is_some()) {
        request.audio = AudioUse::IfPossible;
    }
    let pipeline = match Pipeline::open(request.clone()) {
        // The tags do not say what light the codes have, and that is a finding of its own.
        Err(AnalyzeError::NoLight { .. } | AnalyzeError::NoRgb { .. }) => {
            request.counting.light = None;
            Pipeline::open(request)?
        }
        opened => opened?,
    };
    let info = pipeline.info().clone();
    if info.live {
        return Err(AnalyzeError::NeedsFile { input, what: "check" });
    }
    let span = pipeline.span_secs();
    let clip = ClipBuilder::new(components_of(&pipeline), DEFAULT_THRESHOLD).with_limits(limits(profile));
    let mut finders: Vec<_> = profile.checks().map(|(check, rule)| (check, rule, (check.start)(rule))).collect();
    let mut all: Option<Span> = None;
    let gathered = gather(pipeline, clip, &mut |counted| {
        let FrameFacts { time_secs, duration_secs, .. } = counted.frame.facts;
        let (frame, end_secs) = (counted.number, time_secs + duration_secs.max(0.0));
        let here = Span { frame, last: frame, start_secs: time_secs, end_secs };
        all = Some(all.map_or(here, |all| Span { frame: all.frame, start_secs: all.start_secs, ..here }));
        finders.iter_mut().for_each(|(.., finder)| finder.add(here, counted));
        observer(&span, time_secs)
    })?;
    let (Some(gathered), Some(all)) = (gathered, all) else {
        return Err(AnalyzeError::NothingCounted(shown(&input)));
    };
    let timecode = |frame| gathered.clip.timecodes.timecode_of(frame);
    let mut findings = Vec::new();
    finders.sort_by_key(|(check, ..)| check.place);
    for (check, rule, finder) in finders {
        for Found { span, text, value, worst, may_be_short } in finder.finish(&CountedFile { counted: &gathered, all })
        {
            // Times have rounding errors.
            let is_long = |span: Span| span.end_secs - span.start_secs >= rule.shortest_secs - 1e-6;
            if !may_be_short && !span.is_none_or(is_long) {
                continue;
            }
            let worst = worst.filter(|_| span.is_some_and(|span| span.frames() > 1));
            findings.push(CheckFinding {
                check: check.name,
                severity: rule.severity,
                span,
                timecodes: span.map_or([None; 2], |span| [timecode(span.frame), timecode(span.last)]),
                text,
                value,
                worst,
                worst_timecode: worst.and_then(|worst| timecode(worst.frame)),
                limit: (check.limit)(rule),
                waived: profile.waived(&file, check.name, span),
            });
        }
    }
    findings.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let (frames, stopped) = (gathered.clip.frames, gathered.outcome.stopped);
    let source = SourceClip::of(&info, &shown(&input), gathered.first.size, gathered.clip.end_secs);
    let report = with_page.then(|| gathered.into_report(Vec::new()));
    let (name, profile) = (shown(&input), profile.name.clone());
    Ok(CheckedFile { name, file, profile, findings, frames, source, report, stopped })
}

/// Returns the file and line of each waiver of the profile that is about none of the findings in these files.
#[must_use]
pub fn idle_waivers<'a>(profile: &'a Profile, files: &[CheckedFile]) -> Vec<&'a str> {
    let findings = || files.iter().flat_map(|checked| checked.findings.iter().map(|finding| (&checked.file, finding)));
    let is_idle =
        |waiver: &&Waiver| !findings().any(|(file, finding)| waiver.covers(file, finding.check, finding.span));
    profile.waivers().iter().filter(is_idle).map(|waiver| waiver.place.as_str()).collect()
}

/// Returns the time at which a finding begins; those about the whole file come first.
fn start(finding: &CheckFinding) -> f64 {
    finding.span.map_or(f64::NEG_INFINITY, |span| span.start_secs)
}

/// Returns the limits that the profile sets for the findings of a clip. A check that is off keeps the usual limit, and
/// its findings are left out.
fn limits(profile: &Profile) -> FindingLimits {
    let usual = FindingLimits::default();
    let rule = |check| profile.rule(check);
    FindingLimits {
        black_share: rule(&clip::BLACK).map_or(usual.black_share, Rule::share),
        frozen_difference: rule(&clip::FROZEN).map_or(usual.frozen_difference, Rule::amplitude),
        frozen_secs: rule(&clip::FROZEN).map_or(usual.frozen_secs, |rule| rule.shortest_secs),
        clipped_share: rule(&clip::CLIPPED).map_or(usual.clipped_share, |rule| rule.share().max(1e-12)),
    }
}

/// Returns what the profile's checks need besides counts.
fn inspection(profile: &Profile) -> Inspection {
    let has = |check| profile.rule(check).is_some();
    Inspection {
        differences: (has(&clip::FROZEN) || has(&cadence::CADENCE)).then(|| limits(profile).frozen_difference),
        r103: profile.rule(&range::RANGE).map(Rule::share),
        active: has(&range::RANGE) || has(&bars::BARS) || has(&exposure::EXPOSURE),
        likeness: has(&exposure::EXPOSURE),
        flashes: profile.rule(&flash::FLASH_SAFETY).map(|rule| {
            let sdr_white = Some(rule.threshold as u32);
            LightUse { transfer: None, hlg_peak: USUAL_HLG_PEAK, sdr_white, gamut: false }
        }),
    }
}
