//! The display of a run on a terminal: its progress, and figures of the whole clip instead of one record per frame.

use std::fmt;
use std::io::{IsTerminal, Write as _};
use std::iter;
use std::ops::Range;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::light::LightSummary;
use super::pipeline::{CountedFrame, RunOutcome};
use super::stated_light::StatedLightSummary;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{ClipHistogram, Components};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::scopes::Saturation;
use histoscope_core::sound::SoundSummary;
use histoscope_core::strip::{ChannelShare, WorstFrame, shares};
use histoscope_core::text::{counted, sanitized, shown};
use histoscope_media::StreamInfo;

/// Interval between updates of the progress bar.
const INTERVAL: Duration = Duration::from_millis(100);

/// A progress bar with the number of frames, frames per second, speed relative to real time, and remaining time.
pub struct Progress {
    bar: ProgressBar,
    span: Range<f64>,
    begun: Instant,
    reported_at: Option<Instant>,
    frames: u64,
}

impl Progress {
    /// Creates a bar for this span of the video, in seconds. It is shown on standard error if that is a terminal and
    /// `quiet` is not set.
    #[must_use]
    pub fn new(name: &str, span: Range<f64>, quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let length = (span.end - span.start) * 1000.0;
        let bar = if length.is_finite() && length > 0.0 {
            let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %  {msg}  {eta} left");
            let bar = ProgressBar::with_draw_target(Some(length as u64), target);
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        } else {
            let style = ProgressStyle::with_template("{prefix} {spinner} {msg}");
            let bar = ProgressBar::with_draw_target(None, target);
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        };
        bar.set_prefix(sanitized(name));
        Self { bar, span, begun: Instant::now(), reported_at: None, frames: 0 }
    }

    /// Advances by one frame, which is at this time in the video.
    pub fn frame(&mut self, time_secs: f64) {
        self.frames += 1;
        if self.bar.is_hidden() || self.reported_at.is_some_and(|told| told.elapsed() < INTERVAL) {
            return;
        }
        self.reported_at = Some(Instant::now());
        let elapsed = self.begun.elapsed().as_secs_f64().max(1e-9);
        let done = time_secs - self.span.start;
        self.bar.set_position((done * 1000.0).max(0.0) as u64);
        let rate = self.frames as f64 / elapsed;
        self.bar.set_message(format!(
            "{}  {rate:.0}/s  {:.1}× real time",
            counted(self.frames, "frame"),
            done / elapsed
        ));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Prints a line about what was written to standard error, if that is a terminal and `quiet` is not set.
pub fn announce(text: &str, quiet: bool) {
    if !quiet && std::io::stderr().is_terminal() {
        // The output is complete, whether or not the line can be printed.
        let _ = writeln!(std::io::stderr(), "{}", sanitized(text));
    }
}

/// Figures of a whole clip.
#[derive(Debug, Default)]
pub struct Overview {
    lines: Vec<String>,
    adjustments: String,
    histogram: ClipHistogram,
    first: Option<String>,
    /// The weights of luminance in the first frame; `None` if it was not counted.
    luminance: Option<LuminanceWeights>,
    frames: u64,
    keys: u64,
    damaged: u64,
    left_out: u64,
    /// The frame with the largest share of a channel out of range.
    worst: Option<WorstFrame>,
    saturation: Option<ClipSaturation>,
    /// What is known of the sound.
    audio: Vec<String>,
    /// The light of the frames, and what the file states about it.
    light: Option<(LightSummary, StatedLightSummary)>,
}

/// Figures of all vectorscopes of a clip.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ClipSaturation {
    samples: u64,
    sum: f64,
    /// The largest saturation, with its frame's number and time in seconds.
    most: (f64, u64, f64),
    outside: Option<u64>,
}

impl ClipSaturation {
    fn add(&mut self, figures: &Saturation, (number, time_secs): (u64, f64)) {
        self.samples += figures.samples;
        self.sum += figures.saturation_mean * figures.samples as f64;
        if figures.saturation_max > self.most.0 {
            self.most = (figures.saturation_max, number, time_secs);
        }
        self.outside = self.outside.zip(figures.outside_targets).map(|(sum, outside)| sum + outside);
    }
}

impl fmt::Display for ClipSaturation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = self.samples.max(1) as f64;
        let (most, number, secs) = self.most;
        write!(
            f,
            "saturation in codes: mean {:.2}, largest {most:.2} in frame {number}, at {secs:.3} s",
            self.sum / samples
        )?;
        if let Some(outside) = self.outside {
            write!(f, "; {:.4} % of the samples outside the targets of 100 %", 100.0 * outside as f64 / samples)?;
        }
        Ok(())
    }
}

impl Overview {
    /// Creates the overview of a video.
    #[must_use]
    pub fn new(info: &StreamInfo, adjustments: &Adjustments) -> Self {
        let rate =
            info.average_rate.map_or_else(String::new, |rate| format!(", {:.3} frames per second", rate.value()));
        let decoder = info.hardware.map_or_else(|| counted(info.threads as u64, "thread"), str::to_owned);
        let head = format!("{}: {}{rate}, decoded with {decoder}", shown(&info.path), info.codec);
        let reason = info.software_reason.as_ref().map(|reason| format!("no hardware decoder is used: {reason}"));
        Self {
            lines: iter::once(head).chain(reason).collect(),
            adjustments: adjustments.to_string(),
            ..Self::default()
        }
    }

    /// Adds lines about the light of this video's frames.
    pub fn measure_light(&mut self, info: &StreamInfo) {
        self.light = Some((LightSummary::default(), StatedLightSummary::of(&info.stated_light)));
    }

    /// Adds a frame.
    pub fn add(&mut self, counted: &CountedFrame) {
        let (frame, facts) = (&counted.frame, &counted.frame.facts);
        self.frames += 1;
        self.keys += u64::from(facts.key);
        self.damaged += u64::from(facts.damaged);
        self.first.get_or_insert_with(|| {
            format!(
                "{}×{}, {} bits, {}, {}",
                frame.size.0, frame.size.1, frame.depth, facts.source.pixel_format, frame.interpretation
            )
        });
        if counted.counts.rgbl.is_some() {
            self.luminance.get_or_insert(frame.interpretation.colorimetry.luminance);
        }
        for histogram in [&counted.counts.rgbl, &counted.counts.coded].into_iter().flatten() {
            self.left_out += u64::from(!self.histogram.add(histogram));
        }
        if let Some((light, _)) = &mut self.light {
            light.add_frame(counted.number, counted.counts.light.as_ref());
        }
        if let Some(figures) = &counted.counts.saturation {
            let place = (counted.number, facts.time_secs);
            let nothing = ClipSaturation { samples: 0, sum: 0.0, most: (0.0, place.0, place.1), outside: Some(0) };
            self.saturation.get_or_insert(nothing).add(figures, place);
        }
        if let Some(histogram) = &counted.counts.rgbl {
            let [_, _, share] = shares(histogram, frame.interpretation.colorimetry.range.value);
            if share.share > self.worst.map_or(0.0, |worst| worst.share.share) {
                self.worst = Some(WorstFrame { frame: counted.number, time_secs: facts.time_secs, share });
            }
        }
    }

    /// Adds the outcome of the run to the overview.
    pub fn end(&mut self, outcome: &RunOutcome) {
        self.lines.extend(self.first.take());
        self.lines.extend(self.luminance.map(|weights| format!("luminance is {weights}")));
        if !self.adjustments.is_empty() {
            self.lines.push(format!("counted as adjusted: {}", self.adjustments));
        }
        if outcome.decoder.hardware_failures > 0 {
            self.lines.push("the hardware decoder failed; software continued".to_owned());
        }
        if let Some((light, stated)) = &mut self.light {
            stated.judge(light);
        }
        self.audio = outcome.audio.iter().flat_map(SoundSummary::in_words).collect();
        let seconds = outcome.end_secs;
        self.lines.push(format!(
            "{} counted, {}, {} damaged; frames {} to {}, up to {seconds:.3} s",
            counted(self.frames, "frame"),
            counted(self.keys, "key frame"),
            self.damaged,
            outcome.frames.start,
            outcome.frames.end.saturating_sub(1).max(outcome.frames.start),
        ));
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        write!(
            f,
            "{:<10} {:>6} {:>6} {:>9} {:>9} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9}",
            "channel", "min", "max", "mean", "std dev", "p1", "median", "p99", "lowest", "highest", "outside"
        )?;
        for (name, figures) in self.histogram.stats() {
            let percent = |share: f64| format!("{:.4} %", share * 100.0);
            write!(
                f,
                "\n{name:<10} {:>6} {:>6} {:>9.2} {:>9.2} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9}",
                figures.min,
                figures.max,
                figures.mean,
                figures.std_dev,
                figures.p1,
                figures.median,
                figures.p99,
                percent(figures.share_lowest),
                percent(figures.share_highest),
                percent(figures.share_out_of_range),
            )?;
        }
        if let Some(WorstFrame { frame, time_secs, share: ChannelShare { share, channel } }) = self.worst {
            let name = Components::Rgbl.channel_names().get(channel).copied().unwrap_or_default();
            write!(f, "\nmost out of range: {:.4} % of {name} in frame {frame}, at {time_secs:.3} s", share * 100.0)?;
        }
        if let Some(saturation) = &self.saturation {
            write!(f, "\n{saturation}")?;
        }
        for line in &self.audio {
            write!(f, "\n{line}")?;
        }
        if let Some((light, stated)) = &self.light {
            for line in light.in_words().iter().chain(&stated.in_words(light)) {
                write!(f, "\n{line}")?;
            }
        }
        if self.left_out > 0 {
            write!(
                f,
                "\n{} histograms with a bit depth different from the first frame's are not included",
                self.left_out
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_media::{Decoder, OpenOptions};

    #[test]
    fn saturation_is_weighted_by_samples() {
        let figures = |samples, saturation_mean, saturation_max, outside| Saturation {
            samples,
            saturation_mean,
            saturation_max,
            outside_targets: outside,
            share_outside_targets: None,
        };
        let mut sum = ClipSaturation { samples: 0, sum: 0.0, most: (0.0, 0, 0.0), outside: Some(0) };
        sum.add(&figures(100, 10.0, 30.0, Some(0)), (0, 0.0));
        sum.add(&figures(300, 20.0, 90.5, Some(2)), (1, 0.5));
        let text = sum.to_string();
        assert!(text.contains("mean 17.50, largest 90.50 in frame 1, at 0.500 s; 0.5000 % of the samples"), "{text}");
        sum.add(&figures(1, 0.0, 0.0, None), (2, 1.0));
        assert!(!sum.to_string().contains("outside"), "a matrix without targets");
    }

    #[test]
    fn the_worst_frame_is_reported_with_its_channel() {
        let share = ChannelShare { share: 0.839, channel: 1 };
        let worst = Some(WorstFrame { frame: 47, time_secs: 1.88, share });
        let text = Overview { worst, ..Overview::default() }.to_string();
        assert!(text.ends_with("\nmost out of range: 83.9000 % of green in frame 47, at 1.880 s"), "{text}");
    }

    #[test]
    fn the_thread_count_is_reported() {
        let decoder =
            Decoder::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4"), &OpenOptions::default())
                .expect("the sample");
        let text = Overview::new(decoder.info(), &Adjustments::default()).to_string();
        let wanted = format!(", decoded with {}", counted(decoder.info().threads as u64, "thread"));
        assert!(text.lines().next().is_some_and(|head| head.ends_with(&wanted)), "{text}");
    }
}
