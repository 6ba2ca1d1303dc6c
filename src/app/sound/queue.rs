//! Sound on its way to the device: decoded ahead, and aligned to the pictures' clock when it starts.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use histoscope_media::SoundBlock;

/// Channels that are played.
pub const CHANNELS: usize = 2;
/// How much is decoded ahead, in seconds.
const AHEAD_SECS: f64 = 0.5;
/// The most silence that is put into a gap at a time, in seconds.
const SILENCE_SECS: f64 = 0.25;
/// Differences from the place that is wanted that are waited out or skipped, in seconds.
const REACH_SECS: f64 = 0.25;
/// How much earlier sound should come that has come too late, besides what it was late, in seconds.
const MARGIN_SECS: f64 = 0.04;
/// The most seconds that the decoder may be behind, and still is waited for.
const SLOW_SECS: f64 = 5.0;

/// Stereo samples, and when they are heard.
#[derive(Debug)]
pub struct SoundQueue {
    /// Samples per second and channel.
    rate: u32,
    samples: VecDeque<f32>,
    /// Time of the first of them, in seconds.
    head_secs: f64,
    /// Sound that comes after silence.
    pending: Option<SoundBlock>,
    /// `true` if the track has no more.
    is_over: bool,
    /// When the pictures' clock shows which time; `None` for silence.
    target: Option<(Instant, f64)>,
    /// When which time is heard, while the device plays without a gap.
    heard: Option<(Instant, f64)>,
    /// The volume that is wanted, and the one that was reached.
    gain: (f32, f32),
    /// How much earlier the sound should have come, in seconds.
    late_secs: f64,
    /// Number of times that the device needed sound that had not been decoded.
    underruns: u64,
}

impl SoundQueue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(gain: f32) -> Self {
        Self {
            rate: 48_000,
            samples: VecDeque::new(),
            head_secs: 0.0,
            pending: None,
            is_over: false,
            target: None,
            heard: None,
            gain: (gain, gain),
            late_secs: 0.0,
            underruns: 0,
        }
    }

    /// Empties the queue. What comes next begins at this time.
    pub fn restart(&mut self, secs: f64) {
        self.samples.clear();
        (self.pending, self.heard, self.is_over) = (None, None, false);
        self.head_secs = secs;
    }

    /// Sets the samples per second, and returns the time at which the sound goes on.
    pub fn set_rate(&mut self, rate: u32, now: Instant) -> f64 {
        self.rate = rate;
        self.target.map_or(self.head_secs, |(since, secs)| secs + signed_secs(since, now))
    }

    /// Returns `true` if nothing is to be heard now.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.target.is_none()
    }

    fn tail_secs(&self) -> f64 {
        self.head_secs + (self.samples.len() / CHANNELS) as f64 / f64::from(self.rate)
    }

    /// Returns `true` if more sound is of use.
    #[must_use]
    pub fn wants_sound(&self) -> bool {
        !self.is_over && self.tail_secs() - self.head_secs < AHEAD_SECS
    }

    /// Returns `true` if the next sound is here already, behind silence.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Returns `true` if the sound at this time is here, will come, or does not exist.
    #[must_use]
    pub fn reaches(&self, secs: f64) -> bool {
        let reach = if self.samples.is_empty() { SLOW_SECS } else { REACH_SECS };
        self.head_secs <= secs + REACH_SECS && (self.is_over || secs <= self.tail_secs() + reach)
    }

    /// Adds sound, with silence before it if it leaves a gap, and without what is here already. `None` is the end.
    pub fn push(&mut self, block: Option<SoundBlock>) {
        let Some(mut block) = block.or_else(|| self.pending.take()) else {
            self.is_over = true;
            return;
        };
        let rate = f64::from(self.rate);
        let gap = ((block.start_secs - self.tail_secs()) * rate).round();
        if gap > 0.0 {
            let silence = gap.min(SILENCE_SECS * rate);
            self.samples.extend(std::iter::repeat_n(0.0, CHANNELS * silence as usize));
            if silence < gap {
                self.pending = Some(block);
                return;
            }
        } else {
            let known = ((-gap) as usize).min(block.frames());
            block.samples.drain(..CHANNELS * known);
        }
        self.samples.extend(block.samples);
    }

    /// Continues with sound behind silence.
    pub fn push_waiting(&mut self) {
        if self.pending.is_some() {
            self.push(None);
        }
    }

    /// Says when the pictures' clock shows which time, in seconds; `None` for silence.
    pub const fn aim(&mut self, target: Option<(Instant, f64)>) {
        self.target = target;
    }

    /// Sets the volume, as a factor.
    pub const fn set_gain(&mut self, gain: f32) {
        self.gain.0 = gain;
    }

    /// Returns the time that is heard at `now`, in seconds; `None` if nothing is.
    #[must_use]
    pub fn heard_secs(&self, now: Instant) -> Option<f64> {
        self.heard.map(|(at, secs)| secs + signed_secs(at, now))
    }

    /// Returns how much earlier the sound since the last call should have come, in seconds.
    pub const fn take_late_secs(&mut self) -> f64 {
        std::mem::replace(&mut self.late_secs, 0.0)
    }

    /// Returns how often the device had to wait.
    #[must_use]
    pub const fn underruns(&self) -> u64 {
        self.underruns
    }

    /// Takes the samples that are heard from this moment on; silence where there are none.
    pub fn fill(&mut self, out: &mut [f32], at: Instant) {
        out.fill(0.0);
        let Some((since, secs)) = self.target else {
            self.heard = None;
            return;
        };
        let (rate, room) = (f64::from(self.rate), out.len() / CHANNELS);
        let mut silent = 0;
        if self.heard.is_none() {
            // It starts with what the pictures show at that moment.
            let early = ((self.head_secs - secs - signed_secs(since, at)) * rate).round();
            let here = self.samples.len() / CHANNELS;
            let skipped = ((-early).max(0.0) as usize).min(here);
            silent = (early.max(0.0) as usize).min(room);
            self.drop_frames(skipped);
            if here > 0 && skipped == here {
                self.late_secs = self.late_secs.max((-early - here as f64) / rate + MARGIN_SECS);
            }
            if silent == room || skipped == here {
                return;
            }
        }
        let frames = (room - silent).min(self.samples.len() / CHANNELS);
        let begin = at + Duration::from_secs_f64(silent as f64 / rate);
        self.heard = Some((begin, self.head_secs));
        let (wanted, before) = self.gain;
        let places = out.chunks_exact_mut(CHANNELS).skip(silent);
        for (place, number) in places.take(frames).zip(1..) {
            let gain = before + (wanted - before) * (number as f32 / frames as f32);
            for (sample, decoded) in place.iter_mut().zip(self.samples.drain(..CHANNELS)) {
                *sample = (decoded * gain).clamp(-1.0, 1.0);
            }
        }
        self.gain.1 = wanted;
        self.head_secs += frames as f64 / rate;
        if frames < room - silent {
            self.underruns += u64::from(!self.is_over);
            self.heard = None;
            self.late_secs = self.late_secs.max(MARGIN_SECS);
        }
    }

    fn drop_frames(&mut self, frames: usize) {
        self.samples.drain(..CHANNELS * frames);
        self.head_secs += frames as f64 / f64::from(self.rate);
    }
}

/// Returns the seconds from one moment to another, negative if that is before.
fn signed_secs(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 1000;

    /// A queue of samples that name their time in milliseconds, in millionths.
    fn queue() -> SoundQueue {
        let mut queue = SoundQueue::new(1.0);
        queue.set_rate(RATE, Instant::now());
        queue
    }

    fn block(begin: i64, count: i64) -> SoundBlock {
        let samples = (begin..begin + count).flat_map(|ms| [ms as f32 * 1e-6; CHANNELS]).collect();
        SoundBlock { start_secs: begin as f64 / 1000.0, rate: RATE, channels: CHANNELS, samples }
    }

    /// Returns what is heard, one number for each millisecond; 0 is silence.
    fn heard(queue: &mut SoundQueue, count: usize, at: Instant) -> Vec<i64> {
        let mut out = vec![0.5; CHANNELS * count];
        queue.fill(&mut out, at);
        assert!(out.chunks(CHANNELS).all(|pair| pair[0] == pair[1]));
        out.chunks(CHANNELS).map(|pair| (f64::from(pair[0]) * 1e6).round() as i64).collect()
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn sound_starts_with_what_the_pictures_show_and_then_sets_the_pace() {
        let (mut queue, now) = (queue(), Instant::now());
        queue.push(Some(block(0, 100)));
        assert_eq!(heard(&mut queue, 3, now), [0; 3], "nothing is asked for");
        // The pictures are at 10 ms; the device plays this 5 ms later.
        queue.aim(Some((now, 0.010)));
        assert_eq!(heard(&mut queue, 4, now + ms(5)), [15, 16, 17, 18]);
        assert!((queue.heard_secs(now + ms(7)).expect("it plays") - 0.017).abs() < 1e-9);
        // From here on, the device is the clock, whatever the pictures do.
        queue.aim(Some((now, 0.050)));
        assert_eq!(heard(&mut queue, 3, now + ms(12)), [19, 20, 21]);
        assert!((queue.heard_secs(now + ms(12)).expect("it plays") - 0.019).abs() < 1e-9);
        // A pause keeps what has been decoded.
        queue.aim(None);
        assert_eq!((heard(&mut queue, 2, now + ms(15)), queue.heard_secs(now)), (vec![0; 2], None));
        queue.aim(Some((now + ms(100), 0.020)));
        assert_eq!(heard(&mut queue, 4, now + ms(100)), [0, 0, 22, 23], "two of them have been heard already");
    }

    #[test]
    fn sound_that_is_missing_is_silent_and_comes_back_in_time() {
        let (mut queue, now) = (queue(), Instant::now());
        queue.aim(Some((now, 0.0)));
        queue.push(Some(block(1, 4)));
        assert_eq!(heard(&mut queue, 8, now), [0, 1, 2, 3, 4, 0, 0, 0]);
        assert_eq!((queue.underruns(), queue.heard_secs(now)), (1, None));
        queue.push(Some(block(5, 20)));
        assert_eq!(heard(&mut queue, 3, now + ms(8)), [8, 9, 10], "what came too late is left out");
        queue.push(None);
        assert_eq!(heard(&mut queue, 16, now + ms(11))[13..], [24, 0, 0]);
        assert_eq!(queue.underruns(), 1, "the end is no fault");
        assert!(queue.reaches(700.0) && !queue.wants_sound());
    }

    #[test]
    fn sound_that_only_comes_too_late_says_by_how_much() {
        let (mut queue, now) = (queue(), Instant::now());
        queue.aim(Some((now, 0.100)));
        assert_eq!((heard(&mut queue, 4, now), queue.take_late_secs()), (vec![0; 4], 0.0), "none has come");
        queue.push(Some(block(0, 60)));
        assert_eq!(heard(&mut queue, 4, now + ms(10)), [0; 4]);
        assert!((queue.take_late_secs() - (0.050 + MARGIN_SECS)).abs() < 1e-9, "110 are wanted, 60 have come");
        assert_eq!(queue.take_late_secs(), 0.0);
        // With the pictures that much later, there is time.
        queue.aim(Some((now + ms(10), 0.020)));
        queue.push(Some(block(60, 60)));
        assert_eq!(heard(&mut queue, 4, now + ms(50)), [60, 61, 62, 63]);
    }

    #[test]
    fn gaps_are_silent_and_repetitions_are_left_out() {
        let (mut queue, now) = (queue(), Instant::now());
        queue.aim(Some((now, 0.0)));
        for part in [block(0, 3), block(5, 2), block(6, 3), block(2, 1), block(9, 1)] {
            queue.push(Some(part));
        }
        assert_eq!(heard(&mut queue, 10, now), [0, 1, 2, 0, 0, 5, 6, 7, 8, 9]);
        // A long gap is filled bit by bit.
        queue.push(Some(block(600, 5)));
        assert!(queue.is_waiting());
        let mut rounds = 0;
        while queue.is_waiting() {
            queue.push_waiting();
            rounds += 1;
        }
        assert_eq!(rounds, 2);
        assert_eq!(heard(&mut queue, 595, now + ms(10))[588..], [0, 0, 600, 601, 602, 603, 604]);
    }

    #[test]
    fn a_place_is_reached_only_if_its_sound_is_here_or_on_its_way() {
        let mut queue = queue();
        queue.restart(10.0);
        assert!(queue.reaches(10.0) && queue.reaches(12.0) && !queue.reaches(9.0) && !queue.reaches(20.0));
        queue.push(Some(block(10_000, 500)));
        assert!(queue.reaches(10.6) && !queue.reaches(11.0) && !queue.wants_sound());
    }

    #[test]
    fn the_volume_changes_without_a_click() {
        let (mut queue, now) = (queue(), Instant::now());
        queue.aim(Some((now, 0.0)));
        queue.push(Some(SoundBlock { samples: vec![0.8; 40], ..block(0, 20) }));
        queue.set_gain(0.5);
        let mut out = vec![0.0; 2 * 10];
        queue.fill(&mut out, now);
        assert!(out.windows(2).all(|two| two[1] <= two[0] && two[0] - two[1] < 0.05), "{out:?}");
        assert_eq!(out[19], 0.4);
        queue.set_gain(2.0);
        queue.fill(&mut out, now + ms(10));
        assert_eq!(out[19], 1.0, "no more than full scale");
    }
}
