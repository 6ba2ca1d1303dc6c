//! Figures of sound: loudness by EBU R 128 and Tech 3341, true peak by Rec. ITU-R BS.1770, peaks, level and correlation.

mod trace;

use ebur128::{Channel, EbuR128, Mode};
use serde::{Deserialize, Serialize};

pub use trace::{HeldLoudness, Loudness, MeterLevels, STEP_SECS, SoundTrace};

/// The lowest absolute value of a clipped sample: the highest positive code of 16 bits.
const CLIPPED: f32 = 32_767.0 / 32_768.0;

/// The levels of a channel in a piece of sound, as factors of full scale.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ChannelLevel {
    /// The highest absolute value of a sample.
    pub sample_peak: f64,
    /// The true peak.
    pub true_peak: f64,
    /// The root mean square.
    pub rms: f64,
}

/// The figures of a piece of sound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundFigures {
    /// Loudness of the 400 ms up to its end, in LUFS; `None` if they are silent.
    pub momentary: Option<f64>,
    /// Loudness of the 3 s up to its end, in LUFS; `None` if they are silent.
    pub short_term: Option<f64>,
    /// The highest true peak of any channel, as a factor of full scale.
    pub true_peak: f64,
    /// The highest absolute value of a sample.
    pub sample_peak: f64,
    /// The root mean square of all samples.
    pub rms: f64,
    /// Correlation of the first two channels, from −1 to 1; `None` without two, or if one is silent.
    pub correlation: Option<f64>,
    /// Number of clipped samples, in all channels.
    pub clipped: u64,
    /// Number of samples, in all channels.
    pub samples: u64,
    /// The channels.
    pub channels: Vec<ChannelLevel>,
}

/// Returns the level of a factor of full scale in decibels; `None` for silence.
#[must_use]
pub fn decibels(factor: f64) -> Option<f64> {
    (factor > 0.0).then(|| 20.0 * factor.log10())
}

/// The figures of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChannelSound {
    /// The highest absolute value of a sample in dBFS; null for silence.
    pub sample_peak_dbfs: Option<f64>,
    /// The true peak in dBTP; null for silence.
    pub true_peak_dbtp: Option<f64>,
    /// The root mean square in dBFS; null for silence.
    pub rms_dbfs: Option<f64>,
    /// The mean, as a part of full scale.
    pub dc: f64,
    /// Number of clipped samples.
    pub clipped: u64,
}

/// The figures of all sound that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoundSummary {
    /// The track's number, from 1.
    pub track: u32,
    /// Samples per second and channel.
    pub rate: u32,
    /// When the sound begins, in seconds from the first picture.
    pub begin_secs: f64,
    /// When it ends.
    pub end_secs: f64,
    /// Integrated loudness in LUFS; null if all is below the gate.
    pub integrated_lufs: Option<f64>,
    /// Loudness range in LU (Tech 3342).
    pub range_lu: Option<f64>,
    /// The highest momentary loudness at the end of a record, in LUFS.
    pub max_momentary_lufs: Option<f64>,
    /// The highest short-term loudness at the end of a record, in LUFS.
    pub max_short_term_lufs: Option<f64>,
    /// The highest true peak of any channel, in dBTP.
    pub true_peak_dbtp: Option<f64>,
    /// Correlation of the first two channels.
    pub correlation: Option<f64>,
    /// Number of packets that the decoder refused.
    pub refused_packets: u64,
    /// The channels.
    pub channels: Vec<ChannelSound>,
}

/// Sums of a channel.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sum: f64,
    squares: f64,
    peak: f32,
    true_peak: f64,
    clipped: u64,
}

/// Sums of several channels.
#[derive(Debug, Clone, Default)]
struct Totals {
    channels: Vec<Sums>,
    /// Sum of the products of the first two.
    products: f64,
    /// Samples of each channel.
    frames: u64,
}

impl Totals {
    fn new(channels: usize) -> Self {
        Self { channels: vec![Sums::default(); channels], ..Self::default() }
    }

    fn add(&mut self, samples: &[f32]) {
        for frame in samples.chunks_exact(self.channels.len().max(1)) {
            for (sums, &sample) in self.channels.iter_mut().zip(frame) {
                sums.sum += f64::from(sample);
                sums.squares += f64::from(sample) * f64::from(sample);
                sums.peak = sums.peak.max(sample.abs());
                sums.clipped += u64::from(sample.abs() >= CLIPPED);
            }
            if let [first, second, ..] = frame {
                self.products += f64::from(*first) * f64::from(*second);
            }
            self.frames += 1;
        }
    }

    fn correlation(&self) -> Option<f64> {
        let [first, second, ..] = self.channels[..] else { return None };
        let power = (first.squares * second.squares).sqrt();
        (power > 0.0).then(|| (self.products / power).clamp(-1.0, 1.0))
    }
}

/// Measures sound.
pub struct SoundMeter {
    loudness: EbuR128,
    rate: u32,
    piece: Totals,
    whole: Totals,
    max_momentary: Option<f64>,
    max_short_term: Option<f64>,
}

impl SoundMeter {
    /// Creates a meter for sound of this many samples per second and channel; `None` if such sound cannot be measured.
    #[must_use]
    pub fn new(rate: u32, channels: usize) -> Option<Self> {
        let mut loudness =
            EbuR128::new(u32::try_from(channels).ok()?, rate, Mode::I | Mode::LRA | Mode::TRUE_PEAK).ok()?;
        if channels == 8 {
            // 7.1: behind the listener, the weight is 1; at the sides, it is 1.41 (BS.1770, table 4).
            let places = [Channel::Mp135, Channel::Mm135, Channel::Mp090, Channel::Mm090];
            for (channel, place) in (4..).zip(places) {
                loudness.set_channel(channel, place).ok()?;
            }
        }
        let (piece, whole) = (Totals::new(channels), Totals::new(channels));
        Some(Self { loudness, rate, piece, whole, max_momentary: None, max_short_term: None })
    }

    /// Adds samples, those of all channels side by side.
    pub fn add(&mut self, samples: &[f32]) {
        let channels = self.piece.channels.len().max(1);
        // Each call gives the true peak of what it was given.
        if samples.len() < channels || self.loudness.add_frames_f32(samples).is_err() {
            return;
        }
        for (channel, sums) in (0..).zip(&mut self.piece.channels) {
            sums.true_peak = self.loudness.prev_true_peak(channel).unwrap_or(0.0).max(sums.true_peak);
        }
        self.piece.add(samples);
        self.whole.add(samples);
    }

    /// Returns the figures of what was added since this was called last.
    pub fn take(&mut self) -> SoundFigures {
        let count = self.piece.channels.len();
        let piece = std::mem::replace(&mut self.piece, Totals::new(count));
        let known = |loudness: f64| loudness.is_finite().then_some(loudness);
        let momentary = self.loudness.loudness_momentary().ok().and_then(known);
        let short_term = self.loudness.loudness_shortterm().ok().and_then(known);
        let highest = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        self.max_momentary = highest(self.max_momentary, momentary);
        self.max_short_term = highest(self.max_short_term, short_term);
        let samples = piece.frames * count as u64;
        let squares: f64 = piece.channels.iter().map(|sums| sums.squares).sum();
        let level = |sums: &Sums| ChannelLevel {
            sample_peak: sums.peak.into(),
            true_peak: sums.true_peak,
            rms: (sums.squares / piece.frames.max(1) as f64).sqrt(),
        };
        let channels: Vec<_> = piece.channels.iter().map(level).collect();
        SoundFigures {
            momentary,
            short_term,
            true_peak: channels.iter().map(|level| level.true_peak).fold(0.0, f64::max),
            sample_peak: channels.iter().map(|level| level.sample_peak).fold(0.0, f64::max),
            rms: (squares / samples.max(1) as f64).sqrt(),
            correlation: piece.correlation(),
            clipped: piece.channels.iter().map(|sums| sums.clipped).sum(),
            samples,
            channels,
        }
    }

    /// Returns the figures of all that was added: those of this track, from this time to that.
    #[must_use]
    pub fn summary(&self, track: u32, (begin_secs, end_secs): (f64, f64)) -> SoundSummary {
        let known = |loudness: f64| loudness.is_finite().then_some(loudness);
        let frames = self.whole.frames.max(1) as f64;
        let true_peak = |channel: usize| self.loudness.true_peak(channel as u32).unwrap_or(0.0);
        let channel = |(channel, sums): (usize, &Sums)| ChannelSound {
            sample_peak_dbfs: decibels(sums.peak.into()),
            true_peak_dbtp: decibels(true_peak(channel)),
            rms_dbfs: decibels((sums.squares / frames).sqrt()),
            dc: sums.sum / frames,
            clipped: sums.clipped,
        };
        SoundSummary {
            track,
            rate: self.rate,
            begin_secs,
            end_secs,
            integrated_lufs: self.loudness.loudness_global().ok().and_then(known),
            range_lu: self.loudness.loudness_range().ok().and_then(known),
            max_momentary_lufs: self.max_momentary,
            max_short_term_lufs: self.max_short_term,
            true_peak_dbtp: decibels((0..self.whole.channels.len()).map(true_peak).fold(0.0, f64::max)),
            correlation: self.whole.correlation(),
            refused_packets: 0,
            channels: self.whole.channels.iter().enumerate().map(channel).collect(),
        }
    }
}

impl SoundSummary {
    /// Returns the figures as lines for people.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        if self.integrated_lufs.is_none() {
            return vec!["sound: silent, or too quiet to have a loudness".to_owned()];
        }
        let number = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.1}"));
        let clipped: u64 = self.channels.iter().map(|channel| channel.clipped).sum();
        let clipped = if clipped == 0 { String::new() } else { format!("; {clipped} clipped samples") };
        vec![format!(
            "sound: integrated {} LUFS, range {} LU, true peak {} dBTP, at most {} LUFS momentary and {} short-term{clipped}",
            number(self.integrated_lufs),
            number(self.range_lu),
            number(self.true_peak_dbtp),
            number(self.max_momentary_lufs),
            number(self.max_short_term_lufs),
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 48_000;

    /// A stereo tone of 1 kHz (997 Hz would be the same to these tolerances) for so many seconds at this level in dBFS.
    fn tone(secs: f64, level: f64) -> impl Iterator<Item = f32> {
        let amplitude = 10_f64.powf(level / 20.0);
        let sample =
            move |at: usize| (amplitude * (std::f64::consts::TAU * 1000.0 * at as f64 / f64::from(RATE)).sin()) as f32;
        (0..(secs * f64::from(RATE)) as usize).flat_map(move |at| [sample(at); 2])
    }

    fn measured(parts: &[(f64, f64)]) -> SoundSummary {
        let mut meter = SoundMeter::new(RATE, 2).expect("it can be measured");
        for &(secs, level) in parts {
            let samples: Vec<_> = tone(secs, level).collect();
            for piece in samples.chunks(2 * 1920) {
                meter.add(piece);
                meter.take();
            }
        }
        meter.summary(1, (0.0, 0.0))
    }

    fn near(found: Option<f64>, wanted: f64, tolerance: f64) {
        assert!(
            found.is_some_and(|found| (found - wanted).abs() <= tolerance),
            "{found:?}, not {wanted} ± {tolerance}"
        );
    }

    #[test]
    fn the_minimum_requirements_of_tech_3341_are_met() {
        // Cases 1 to 5: stereo tones of 1 kHz, 20 s or as stated, with these levels; ±0.1 LU.
        let one = measured(&[(20.0, -23.0)]);
        near(one.integrated_lufs, -23.0, 0.1);
        near(one.max_momentary_lufs, -23.0, 0.1);
        near(one.max_short_term_lufs, -23.0, 0.1);
        near(measured(&[(20.0, -33.0)]).integrated_lufs, -33.0, 0.1);
        near(measured(&[(10.0, -36.0), (60.0, -23.0), (10.0, -36.0)]).integrated_lufs, -23.0, 0.1);
        let four = [(10.0, -72.0), (10.0, -36.0), (60.0, -23.0), (10.0, -36.0), (10.0, -72.0)];
        near(measured(&four).integrated_lufs, -23.0, 0.1);
        near(measured(&[(20.0, -26.0), (20.1, -20.0), (20.0, -26.0)]).integrated_lufs, -23.0, 0.1);
    }

    #[test]
    fn the_minimum_requirements_of_tech_3342_are_met() {
        // Cases 1 to 4: ±1 LU.
        near(measured(&[(20.0, -20.0), (20.0, -30.0)]).range_lu, 10.0, 1.0);
        near(measured(&[(20.0, -20.0), (20.0, -15.0)]).range_lu, 5.0, 1.0);
        near(measured(&[(20.0, -40.0), (20.0, -20.0)]).range_lu, 20.0, 1.0);
        let four = [(20.0, -50.0), (20.0, -35.0), (20.0, -20.0), (20.0, -35.0), (20.0, -50.0)];
        near(measured(&four).range_lu, 15.0, 1.0);
    }

    #[test]
    fn the_true_peak_lies_between_samples() {
        // Tech 3341, case 16: a quarter of the sampling rate at 45°, whose samples are 3 dB below its peaks.
        let mut meter = SoundMeter::new(RATE, 1).expect("it can be measured");
        let sample = |at: usize| 0.5 * (std::f64::consts::TAU * (at as f64 / 4.0 + 0.125)).sin();
        meter.add(&(0..RATE as usize).map(|at| sample(at) as f32).collect::<Vec<_>>());
        let figures = meter.take();
        near(decibels(figures.true_peak), -6.0, 0.4);
        near(decibels(figures.sample_peak), -9.03, 0.01);
        assert_eq!((figures.correlation, figures.samples), (None, 48_000));
        near(meter.summary(1, (0.0, 1.0)).channels[0].true_peak_dbtp, -6.0, 0.4);
    }

    #[test]
    fn pieces_have_their_own_figures_and_the_summary_those_of_all() {
        let mut meter = SoundMeter::new(RATE, 2).expect("it can be measured");
        meter.add(&[0.5, -0.5, 0.25, -0.25]);
        let first = meter.take();
        assert_eq!((first.correlation, first.sample_peak, first.clipped, first.samples), (Some(-1.0), 0.5, 0, 4));
        assert!((first.rms - (0.625_f64 / 4.0).sqrt()).abs() < 1e-12);
        let levels: Vec<_> = first.channels.iter().map(|level| (level.sample_peak, level.rms)).collect();
        assert_eq!(levels, [(0.5, (0.3125_f64 / 2.0).sqrt()); 2]);
        assert_eq!(first.channels.iter().map(|level| level.true_peak).fold(0.0, f64::max), first.true_peak);
        meter.add(&[1.0, 0.0, -1.0, 0.0, 0.9999, 0.0]);
        let second = meter.take();
        assert_eq!((second.correlation, second.sample_peak, second.clipped), (None, 1.0, 2), "one channel is silent");
        let silent = meter.take();
        assert_eq!((silent.samples, silent.rms, silent.sample_peak), (0, 0.0, 0.0));
        let all = meter.summary(2, (0.5, 1.0));
        assert_eq!((all.track, all.channels[0].clipped, all.channels[1].clipped), (2, 2, 0));
        assert!((all.channels[0].dc - (0.75 + 0.9999) / 5.0).abs() < 1e-6 && (all.channels[1].dc + 0.15).abs() < 1e-9);
        assert_eq!(
            (all.integrated_lufs, meter.summary(1, (0.0, 0.0)).channels[1].sample_peak_dbfs),
            (None, decibels(0.5))
        );
        assert!(SoundMeter::new(RATE, 0).is_none() && SoundMeter::new(0, 2).is_none());
    }
}
