//! The sound: its loudness and peaks, what is silent or inverted, and where it begins and ends.

use super::stretches::{Stretch, Stretches};
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_secs};
use crate::check::rule::Rule;
use histoscope_core::sound::{SoundFigures, SoundSummary, decibels};

/// The integrated loudness.
pub static LOUDNESS: Check = Check {
    name: "loudness",
    place: 30,
    threshold: Some(Threshold::new("LUFS", -70.0, 0.0).with_tolerance()),
    has_length: false,
    limit: |rule| {
        let (target, tolerance) = (rule.threshold, rule.tolerance);
        Quantity::of(target, "LUFS", format!("{target} ± {tolerance} LUFS"))
    },
    start: |&rule| Box::new(InFile(rule, loudness)),
};
/// The true peak.
pub static TRUE_PEAK: Check = of_stretches(
    "true-peak",
    31,
    Threshold::new("dBTP", -60.0, 20.0),
    |rule| Quantity::of(rule.threshold, "dBTP", format!("{} dBTP", rule.threshold)),
    |&rule| Box::new(Beyond { limit: rule.threshold, kind: &PEAKS, stretches: Stretches::flickering() }),
);
/// Clipped samples.
pub static SOUND_CLIPPED: Check = of_stretches(
    "sound-clipped",
    32,
    Threshold::new("samples", 0.0, 1e6),
    |rule| Quantity::count(rule.threshold as u64, "sample", "samples"),
    |&rule| Box::new(Beyond { limit: rule.threshold, kind: &CLIPPING, stretches: Stretches::flickering() }),
);
/// Silence.
pub static SILENCE: Check = of_stretches("silence", 33, Threshold::new("dBFS", -120.0, 0.0), limit_in_secs, |&rule| {
    Box::new(Beyond { limit: -rule.threshold, kind: &QUIET, stretches: Stretches::default() })
});
/// Channels of opposite phase.
pub static PHASE: Check = of_stretches(
    "phase",
    34,
    Threshold::new("correlation", -1.0, 1.0),
    |rule| Quantity::of(rule.threshold, "", format!("{}", rule.threshold)),
    |&rule| Box::new(Beyond { limit: -rule.threshold, kind: &INVERTED, stretches: Stretches::flickering() }),
);
/// Channels without sound beside others that have some.
pub static SILENT_CHANNEL: Check = Check {
    name: "silent-channel",
    place: 35,
    threshold: Some(Threshold::new("dBFS", -120.0, 0.0)),
    has_length: false,
    limit: |rule| Quantity::of(rule.threshold, "dBFS", format!("{} dBFS", rule.threshold)),
    start: |&rule| Box::new(InFile(rule, silent_channels)),
};
/// Sound that begins after the picture.
pub static SOUND_START: Check = Check {
    name: "sound-start",
    place: 36,
    threshold: Some(Threshold::new("seconds", 0.0, 3600.0)),
    has_length: false,
    limit: |rule| secs(rule.threshold),
    start: |&rule| Box::new(InFile(rule, start)),
};
/// Sound that ends before or after the picture.
pub static SOUND_LENGTH: Check = Check {
    name: "sound-length",
    place: 37,
    threshold: Some(Threshold::new("seconds", 0.0, 3600.0)),
    has_length: false,
    limit: |rule| secs(rule.threshold),
    start: |&rule| Box::new(InFile(rule, length)),
};

/// All of them.
pub static SOUND: [&Check; 8] =
    [&LOUDNESS, &TRUE_PEAK, &SOUND_CLIPPED, &SILENCE, &PHASE, &SILENT_CHANNEL, &SOUND_START, &SOUND_LENGTH];

const fn of_stretches(
    name: &'static str,
    place: u32,
    threshold: Threshold,
    limit: fn(&Rule) -> Quantity,
    start: fn(&Rule) -> Box<dyn Finder>,
) -> Check {
    Check { name, place, threshold: Some(threshold), has_length: true, limit, start }
}

fn secs(secs: f64) -> Quantity {
    Quantity::of(secs, "s", format!("{secs:.3} s"))
}

/// What a stretch of frames is about.
struct Kind {
    what: &'static str,
    /// The figure that is compared with the limit: the larger, the worse.
    value: fn(&SoundFigures) -> Option<f64>,
    /// The value of a finding.
    quantity: fn(&Stretch) -> Quantity,
}

static PEAKS: Kind = Kind {
    what: "true peak",
    value: |sound| decibels(sound.true_peak),
    quantity: |stretch| Quantity::of(stretch.value, "dBTP", format!("{:.1} dBTP", stretch.value)),
};
static CLIPPING: Kind = Kind {
    what: "clipped sound",
    value: |sound| Some(sound.clipped as f64),
    quantity: |stretch| Quantity::count(stretch.value as u64, "sample", "samples"),
};
static QUIET: Kind = Kind {
    what: "silence",
    value: |sound| Some(-decibels(sound.sample_peak).unwrap_or(f64::NEG_INFINITY)),
    quantity: |stretch| secs(stretch.span.end_secs - stretch.span.start_secs),
};
static INVERTED: Kind = Kind {
    what: "channels 1 and 2 of opposite phase",
    // What is almost silent has no phase that could be heard.
    value: |sound| sound.correlation.filter(|_| sound.rms > 0.001).map(|correlation| -correlation),
    quantity: |stretch| Quantity::of(-stretch.value, "", format!("{:.2}", -stretch.value)),
};

/// Finds stretches of frames whose sound is beyond a limit.
struct Beyond {
    limit: f64,
    kind: &'static Kind,
    stretches: Stretches,
}

impl Finder for Beyond {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let value = frame.audio.as_ref().and_then(self.kind.value);
        self.stretches.push(here, value.filter(|value| *value > self.limit));
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        let Self { kind, stretches, .. } = *self;
        let found = |stretch: &Stretch| Found { value: (kind.quantity)(stretch), ..stretch.found(kind.what) };
        stretches.finish().iter().map(found).collect()
    }
}

/// Looks at the sound of a whole file, once its end was reached.
struct InFile(Rule, fn(&Rule, &SoundSummary, Span) -> Vec<Found>);

impl Finder for InFile {
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let outcome = &file.counted.outcome;
        let sound = outcome.audio.as_ref().filter(|_| outcome.reached_end);
        sound.map_or_else(Vec::new, |sound| (self.1)(&self.0, sound, file.all))
    }
}

fn in_file(text: String, value: Quantity) -> Found {
    Found { value, ..Found::in_file(text) }
}

fn loudness(rule: &Rule, sound: &SoundSummary, _: Span) -> Vec<Found> {
    // Loudness is stated with one digit; values have rounding errors.
    let is_off = |loudness: &f64| (loudness - rule.threshold).abs() > rule.tolerance + 1e-9;
    let found = |loudness: f64| {
        let what = if loudness > rule.threshold { "too loud" } else { "not loud enough" };
        in_file(format!("integrated loudness: {what}"), Quantity::of(loudness, "LUFS", format!("{loudness:.1} LUFS")))
    };
    sound.integrated_lufs.filter(is_off).map(found).into_iter().collect()
}

fn silent_channels(rule: &Rule, sound: &SoundSummary, _: Span) -> Vec<Found> {
    let is_silent = |peak: Option<f64>| peak.is_none_or(|peak| peak <= rule.threshold);
    let (silent, heard): (Vec<_>, Vec<_>) =
        (1..).zip(&sound.channels).partition(|(_, channel)| is_silent(channel.sample_peak_dbfs));
    let found = |(number, channel): &(u32, &_)| {
        let channel: &histoscope_core::sound::ChannelSound = channel;
        let value = channel.sample_peak_dbfs;
        let value = value.map_or(Quantity::NONE, |peak| Quantity::of(peak, "dBFS", format!("{peak:.1} dBFS")));
        in_file(format!("channel {number} of {} is silent", sound.channels.len()), value)
    };
    if heard.is_empty() { Vec::new() } else { silent.iter().map(found).collect() }
}

fn start(rule: &Rule, sound: &SoundSummary, all: Span) -> Vec<Found> {
    let late = sound.begin_secs - all.start_secs;
    let found = || in_file("the sound begins after the picture".to_owned(), secs(late));
    (late > rule.threshold).then(found).into_iter().collect()
}

fn length(rule: &Rule, sound: &SoundSummary, all: Span) -> Vec<Found> {
    let longer = sound.end_secs - all.end_secs;
    let when = if longer > 0.0 { "after" } else { "before" };
    let found = || in_file(format!("the sound ends {when} the picture"), secs(longer.abs()));
    (longer.abs() > rule.threshold).then(found).into_iter().collect()
}
