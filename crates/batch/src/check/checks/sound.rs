//! The sound: its loudness and peaks, what is silent or inverted, and where it begins and ends.

use super::stretches::Beyond;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_secs};
use crate::check::rule::Rule;
use histoscope_core::sound::{ChannelSound, SoundSummary, decibels};

/// The integrated loudness.
pub static LOUDNESS: Check = in_file(
    "loudness",
    30,
    Threshold::new("LUFS", -70.0, 0.0).with_tolerance(),
    |rule| {
        let (target, tolerance) = (rule.threshold, rule.tolerance);
        Quantity::of(target, "LUFS", format!("{target} ± {tolerance} LUFS"))
    },
    |&rule| Box::new(InFile(rule, loudness)),
);
/// The true peak.
pub static TRUE_PEAK: Check = Check {
    has_length: true,
    ..in_file(
        "true-peak",
        31,
        Threshold::new("dBTP", -60.0, 20.0),
        |rule| Quantity::of(rule.threshold, "dBTP", format!("{} dBTP", rule.threshold)),
        |rule| {
            Box::new(Beyond::of(
                rule.threshold,
                "true peak",
                |frame| decibels(frame.audio.as_ref()?.true_peak),
                |stretch| Quantity::of(stretch.value, "dBTP", format!("{:.1} dBTP", stretch.value)),
            ))
        },
    )
};
/// Clipped samples.
pub static SOUND_CLIPPED: Check = Check {
    has_length: true,
    ..in_file(
        "sound-clipped",
        32,
        Threshold::new("samples", 0.0, 1e6),
        |rule| Quantity::count(rule.threshold as u64, "sample", "samples"),
        |rule| {
            Box::new(Beyond::of(
                rule.threshold,
                "clipped sound",
                |frame| Some(frame.audio.as_ref()?.clipped as f64),
                |stretch| Quantity::count(stretch.value as u64, "sample", "samples"),
            ))
        },
    )
};
/// Silence.
pub static SILENCE: Check = Check {
    has_length: true,
    ..in_file("silence", 33, Threshold::new("dBFS", -120.0, 0.0), limit_in_secs, |rule| {
        let beyond = Beyond::of(
            -rule.threshold,
            "silence",
            |frame| Some(-decibels(frame.audio.as_ref()?.sample_peak).unwrap_or(f64::NEG_INFINITY)),
            |stretch| secs(stretch.span.end_secs - stretch.span.start_secs),
        );
        Box::new(beyond.unbroken())
    })
};
/// Channels of opposite phase.
pub static PHASE: Check = Check {
    has_length: true,
    ..in_file(
        "phase",
        34,
        Threshold::new("correlation", -1.0, 1.0),
        |rule| Quantity::of(rule.threshold, "", format!("{}", rule.threshold)),
        |rule| {
            Box::new(Beyond::of(
                -rule.threshold,
                "channels 1 and 2 of opposite phase",
                // What is almost silent has no phase that could be heard.
                |frame| Some(-frame.audio.as_ref().filter(|sound| sound.rms > 0.001)?.correlation?),
                |stretch| Quantity::of(-stretch.value, "", format!("{:.2}", -stretch.value)),
            ))
        },
    )
};
/// Channels without sound beside others that have some.
pub static SILENT_CHANNEL: Check = in_file(
    "silent-channel",
    35,
    Threshold::new("dBFS", -120.0, 0.0),
    |rule| Quantity::of(rule.threshold, "dBFS", format!("{} dBFS", rule.threshold)),
    |&rule| Box::new(InFile(rule, silent_channels)),
);
/// Sound that begins after the picture.
pub static SOUND_START: Check =
    in_file("sound-start", 36, SECONDS, |rule| secs(rule.threshold), |&rule| Box::new(InFile(rule, start)));
/// Sound that ends before or after the picture.
pub static SOUND_LENGTH: Check =
    in_file("sound-length", 37, SECONDS, |rule| secs(rule.threshold), |&rule| Box::new(InFile(rule, length)));

/// All of them.
pub static SOUND: [&Check; 8] =
    [&LOUDNESS, &TRUE_PEAK, &SOUND_CLIPPED, &SILENCE, &PHASE, &SILENT_CHANNEL, &SOUND_START, &SOUND_LENGTH];

const SECONDS: Threshold = Threshold::new("seconds", 0.0, 3600.0);

const fn in_file(
    name: &'static str,
    place: u32,
    threshold: Threshold,
    limit: fn(&Rule) -> Quantity,
    start: fn(&Rule) -> Box<dyn Finder>,
) -> Check {
    Check { name, place, threshold: Some(threshold), has_length: false, limit, start }
}

fn secs(secs: f64) -> Quantity {
    Quantity::of(secs, "s", format!("{secs:.3} s"))
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

fn found(text: String, value: Quantity) -> Found {
    Found { value, ..Found::in_file(text) }
}

fn loudness(rule: &Rule, sound: &SoundSummary, _: Span) -> Vec<Found> {
    // Loudness is stated with one digit, and judged by it.
    let stated = |loudness: f64| (10.0 * loudness).round() / 10.0;
    let is_off = |loudness: &f64| (stated(*loudness) - rule.threshold).abs() > rule.tolerance + 1e-9;
    let told = |loudness: f64| {
        let what = if loudness > rule.threshold { "too loud" } else { "not loud enough" };
        found(format!("integrated loudness: {what}"), Quantity::of(loudness, "LUFS", format!("{loudness:.1} LUFS")))
    };
    sound.integrated_lufs.filter(is_off).map(told).into_iter().collect()
}

fn silent_channels(rule: &Rule, sound: &SoundSummary, _: Span) -> Vec<Found> {
    let is_silent = |peak: Option<f64>| peak.is_none_or(|peak| peak <= rule.threshold);
    let (silent, heard): (Vec<_>, Vec<_>) =
        (1..).zip(&sound.channels).partition(|(_, channel)| is_silent(channel.sample_peak_dbfs));
    let told = |(number, channel): &(u32, &ChannelSound)| {
        let value = channel.sample_peak_dbfs;
        let value = value.map_or(Quantity::NONE, |peak| Quantity::of(peak, "dBFS", format!("{peak:.1} dBFS")));
        found(format!("channel {number} of {} is silent", sound.channels.len()), value)
    };
    if heard.is_empty() { Vec::new() } else { silent.iter().map(told).collect() }
}

fn start(rule: &Rule, sound: &SoundSummary, all: Span) -> Vec<Found> {
    let late = sound.begin_secs - all.start_secs;
    let told = || found("the sound begins after the picture".to_owned(), secs(late));
    (late > rule.threshold).then(told).into_iter().collect()
}

fn length(rule: &Rule, sound: &SoundSummary, all: Span) -> Vec<Found> {
    let longer = sound.end_secs - all.end_secs;
    let when = if longer > 0.0 { "after" } else { "before" };
    let told = || found(format!("the sound ends {when} the picture"), secs(longer.abs()));
    (longer.abs() > rule.threshold).then(told).into_iter().collect()
}
