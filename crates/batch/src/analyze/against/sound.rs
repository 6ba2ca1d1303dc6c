//! The offset between the sound of two files, found by cross-correlation.

use std::fmt;
use std::path::Path;

use histoscope_media::{AudioTrack, Decoder, MediaError, SoundForm, SoundReader};
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use super::align::AlignInput;

/// Samples per second that are compared, all channels mixed down to one.
const RATE: u32 = 8000;
/// Length of the sound that is compared, in seconds.
const LENGTH_SECS: f64 = 30.0;
/// The largest distance from the pictures' offset, in seconds.
const REACH_SECS: f64 = 5.0;
/// The smallest correlation of sound that is the same.
const MIN_CORRELATION: f64 = 0.5;
/// The correlation anywhere else must be below this part of the best one.
const MAX_ELSEWHERE: f64 = 0.8;
/// What is nearer to the best place is the same peak, in seconds.
const PEAK_SECS: f64 = 0.02;

/// The offset of two files' sound, beside that of their pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SoundOffset {
    /// The other file has the same sound later than the same pictures, by this many seconds more; with the correlation
    /// there.
    Found(f64, f64),
    /// No offset is clearly better than all others.
    NotSure,
}

impl fmt::Display for SoundOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(secs, correlation) => {
                let (ms, when) = (1000.0 * secs.abs(), if *secs < 0.0 { "earlier" } else { "later" });
                write!(f, "its sound is {ms:.1} ms {when} than its pictures (correlation {correlation:.2})")
            }
            Self::NotSure => write!(f, "not sure of the offset of the sound"),
        }
    }
}

/// Finds the offset of the sound. `secs` are the times of a frame and of its partner. Returns `None` if one of the files
/// has no sound.
///
/// # Errors
/// [`MediaError`] if a file cannot be read.
pub fn find(ours: AlignInput<'_>, other: &Path, secs: [f64; 2]) -> Result<Option<SoundOffset>, MediaError> {
    let begin = secs[1] - REACH_SECS;
    let Some(sound) = samples(ours, ours.input, secs[0], LENGTH_SECS)? else { return Ok(None) };
    let Some(others) = samples(ours, other, begin, LENGTH_SECS + 2.0 * REACH_SECS)? else { return Ok(None) };
    Ok(Some(best(&sound, &others)))
}

/// Reads sound from this time on; silence where there is none. Returns `None` if the file has no sound.
fn samples(how: AlignInput<'_>, file: &Path, begin: f64, length: f64) -> Result<Option<Vec<f64>>, MediaError> {
    let info = Decoder::open(file, how.open)?.info().clone();
    let Some(track) = AudioTrack::usual(&info.audio) else { return Ok(None) };
    let form = SoundForm { rate: Some(RATE), channels: Some(1) };
    let mut reader = SoundReader::open(&info, how.open, track, form)?;
    if begin > 0.0 {
        reader.seek(begin)?;
    }
    let mut samples = vec![0.0; (length * f64::from(RATE)) as usize];
    while let Some(block) = reader.read()? {
        let first = ((block.start_secs - begin) * f64::from(RATE)).round() as i64;
        for (at, &sample) in (first..).zip(&block.samples) {
            if let Some(place) = usize::try_from(at).ok().and_then(|at| samples.get_mut(at)) {
                *place = f64::from(sample);
            }
        }
        if first >= samples.len() as i64 || how.stop.is_stopped() {
            break;
        }
    }
    Ok(Some(samples))
}

/// Finds where the sound is in the other one, of which [`REACH_SECS`] are before its place and behind it.
fn best(sound: &[f64], others: &[f64]) -> SoundOffset {
    let correlations = correlations(&rises(sound), &rises(others));
    let largest = |values: &mut dyn Iterator<Item = (usize, f64)>| values.max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((at, correlation)) = largest(&mut correlations.iter().copied().enumerate()) else {
        return SoundOffset::NotSure;
    };
    let peak = (PEAK_SECS * f64::from(RATE)) as usize;
    let elsewhere =
        largest(&mut correlations.iter().copied().enumerate().filter(|(other, _)| other.abs_diff(at) > peak));
    let is_clear = elsewhere.is_none_or(|(_, other)| other <= MAX_ELSEWHERE * correlation);
    // A better one may lie beyond the ends.
    let is_inside = at > peak && at + peak < correlations.len();
    if correlation < MIN_CORRELATION || !is_clear || !is_inside {
        return SoundOffset::NotSure;
    }
    SoundOffset::Found(at as f64 / f64::from(RATE) - REACH_SECS, correlation)
}

/// Returns the difference of each sample from the one before, in which low tones do not hide when something sounds.
fn rises(samples: &[f64]) -> Vec<f64> {
    samples.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Returns the correlation of the sound with the other one at each place in it; 0 where one of them is silent.
fn correlations(sound: &[f64], others: &[f64]) -> Vec<f64> {
    let length = (sound.len() + others.len()).next_power_of_two();
    let mut planner = FftPlanner::new();
    let (forward, inverse) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let [mut ours, mut theirs] = [sound, others].map(|samples| {
        let mut values: Vec<_> = samples.iter().map(|&sample| Complex::new(sample, 0.0)).collect();
        values.resize(length, Complex::default());
        forward.process(&mut values);
        values
    });
    for (a, b) in ours.iter_mut().zip(&theirs) {
        *a = a.conj() * b;
    }
    inverse.process(&mut ours);
    theirs.clear();
    let own: f64 = sound.iter().map(|sample| sample * sample).sum();
    let mut squares: f64 = others.iter().take(sound.len()).map(|sample| sample * sample).sum();
    let mut found = Vec::new();
    for at in 0..=others.len().saturating_sub(sound.len()) {
        let power = (own * squares.max(0.0)).sqrt();
        found.push(if power > 1e-9 { ours[at].re / length as f64 / power } else { 0.0 });
        let (leaving, coming) = (others[at], others.get(at + sound.len()).copied().unwrap_or(0.0));
        squares += coming * coming - leaving * leaving;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sound without any repetition, of so many seconds.
    fn noise(secs: f64) -> Vec<f64> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1_u32 << 24) - 0.5
        };
        (0..(secs * f64::from(RATE)) as usize).map(|_| next()).collect()
    }

    /// What is found of a sound from 5 s on, in all of which this was made.
    fn found(all: &[f64], moved: usize, change: impl Fn(f64) -> f64) -> SoundOffset {
        let reach = (REACH_SECS * f64::from(RATE)) as usize;
        let others: Vec<f64> =
            std::iter::repeat_n(0.0, moved).chain(all.iter().map(|&sample| change(sample))).collect();
        best(&all[reach..all.len() - reach], &others[..all.len()])
    }

    #[test]
    fn the_offset_is_found_to_a_sample_or_not_at_all() {
        let all = noise(15.0);
        for (moved, secs) in [(0, 0.0), (320, 0.04), (8001, 1.000_125)] {
            let SoundOffset::Found(offset, correlation) = found(&all, moved, |sample| 0.2 * sample) else {
                panic!("not sure");
            };
            assert!((offset - secs).abs() < 1e-9 && correlation > 0.8, "{offset} {correlation}");
        }
        // A tone is the same after each of its periods, and silence is everywhere.
        let tone: Vec<f64> = (0..120_000).map(|at| (f64::from(at) * 0.3).sin()).collect();
        assert_eq!(found(&tone, 320, |sample| sample), SoundOffset::NotSure);
        assert_eq!(found(&all, 0, |_| 0.0), SoundOffset::NotSure);
        let other: Vec<f64> = noise(30.0).split_off(120_000);
        assert_eq!(best(&all[40_000..80_000], &other), SoundOffset::NotSure);
    }
}
