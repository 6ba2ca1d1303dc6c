//! Frozen pictures: consecutive frames that hardly differ.
//!
//! A frame is still if it differs from the one before by at most the limit. An encoder renews a still picture from time
//! to time, with a key frame, by more than that. So runs of still frames are one stretch if such a slight renewal of at
//! most [`RENEWAL_SECS`] lies between them. Where little moves, as in a pan at half the frame rate, runs of still frames
//! are shorter than [`RUN_SECS`] and are left out. What changes slowly, as a fade does, is not frozen either: a stretch ends
//! where its histogram has moved away from that of its first frame.

use super::cuts::Signature;
use crate::picture::Picture;

/// The largest difference of a renewal from the picture before, and the largest distance between the histograms of a
/// stretch, as a fraction of the scale: −40 dB.
pub const RENEWAL: f64 = 0.01;
/// The maximum length of a renewal in seconds.
const RENEWAL_SECS: f64 = 0.2;
/// The minimum length of the still frames before or after a renewal in seconds.
const RUN_SECS: f64 = 0.3;
/// The minimum length of the first still frames, if longer ones follow after a renewal.
const SHORT_RUN_SECS: f64 = 0.1;
/// Tolerance for comparing times, which accumulate rounding errors.
const SLACK_SECS: f64 = 1e-6;

/// Compares each picture with the one before, as closely as [`Examiner`](super::Examiner) asks.
#[derive(Debug)]
pub struct Differences {
    before: Option<Picture>,
    /// The largest difference of a still frame.
    still: f64,
    /// Up to here, a frame may be a renewal: infinite after a still one.
    renewed_until_secs: f64,
}

impl Differences {
    /// Begins in the middle of a clip, perhaps behind a still frame. `still` is the largest difference of a still frame,
    /// as a fraction of the scale.
    #[must_use]
    pub const fn new(still: f64) -> Self {
        Self { before: None, still, renewed_until_secs: f64::INFINITY }
    }

    /// Takes the next picture. Returns the mean absolute difference of its samples from those of the one before, as a
    /// fraction of the scale, if the frame is still or may be a renewal. Most pictures move: a part of them tells.
    pub fn push(&mut self, time_secs: f64, picture: &Picture) -> Option<f64> {
        let most = self.most(time_secs);
        let difference = self.before.as_ref().and_then(|before| before.difference(picture, most));
        self.take(time_secs, picture, difference)
    }

    /// Takes the next picture. Returns what [`push`](Self::push) does, and the difference of any frame but the first.
    pub fn push_measured(&mut self, time_secs: f64, picture: &Picture) -> [Option<f64>; 2] {
        let measured = self.before.as_ref().and_then(|before| before.difference(picture, f64::INFINITY));
        let most = self.most(time_secs);
        [self.take(time_secs, picture, measured.filter(|difference| *difference <= most)), measured]
    }

    /// Returns the largest difference of a still frame, or of one that may be a renewal.
    fn most(&self, time_secs: f64) -> f64 {
        if time_secs < self.renewed_until_secs { RENEWAL } else { self.still }
    }

    fn take(&mut self, time_secs: f64, picture: &Picture, difference: Option<f64>) -> Option<f64> {
        self.before = Some(picture.clone());
        if difference.is_some_and(|difference| difference <= self.still) {
            self.renewed_until_secs = f64::INFINITY;
        } else if self.renewed_until_secs.is_infinite() {
            self.renewed_until_secs = time_secs + RENEWAL_SECS;
        }
        difference
    }
}

/// What frozen frames are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// The largest difference from the frame before, as a fraction of the scale.
    pub(super) difference: f64,
    /// The minimum length in seconds.
    pub(super) secs: f64,
}

/// Frozen frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    /// Number and start time of the first frame, which the others repeat.
    pub(super) first: (u64, f64),
    /// Number of the last frame.
    pub(super) last: u64,
    /// Time at which the frame after the last one begins, in seconds.
    pub(super) end_secs: f64,
}

impl Stretch {
    fn secs(&self) -> f64 {
        self.end_secs - self.first.1 + SLACK_SECS
    }
}

/// Looks for frozen frames. The frames of a clip are pushed in order.
#[derive(Debug, Default)]
pub(super) struct Stills {
    /// Number and start time of the previous frame, unless a stretch cannot begin with it.
    before: Option<(u64, f64)>,
    /// The current run of still frames.
    run: Option<Stretch>,
    /// The stretch to which it may belong.
    kept: Option<Stretch>,
    /// A run too short for a stretch, to which the next one may belong.
    short: Option<Stretch>,
    /// The histogram of the first still frame of both.
    reference: Option<Signature>,
}

impl Stills {
    /// Takes the next frame: its number and start time, its difference from the one before if that is at most
    /// [`RENEWAL`], and its cells. Returns a stretch that has ended.
    pub(super) fn push(
        &mut self,
        here: (u64, f64),
        difference: Option<f64>,
        cells: &[u64],
        limits: Limits,
    ) -> Option<Stretch> {
        let is_still = difference.is_some_and(|difference| difference <= limits.difference);
        let first = self.before.replace(here).filter(|_| is_still);
        let Some(first) = first else {
            self.end_run(here.1, limits, difference.is_none());
            self.short = self.short.take().filter(|_| difference.is_some());
            let goes_on = |kept: &Stretch| here.1 - kept.end_secs < RENEWAL_SECS - SLACK_SECS;
            return if difference.is_some() && self.kept.as_ref().is_some_and(goes_on) {
                None
            } else {
                self.take(limits)
            };
        };
        let signature = Signature::new(cells);
        let reference = self.reference.get_or_insert_with(|| signature.clone());
        if reference.distance(&signature) > RENEWAL {
            // The next stretch begins with this frame at the earliest.
            self.end_run(here.1, limits, true);
            return self.take(limits);
        }
        let run = self.run.get_or_insert(Stretch { first, last: here.0, end_secs: f64::INFINITY });
        run.last = here.0;
        None
    }

    /// Ends the run of still frames, and joins it to the stretch before if it is long enough or the stretch ends with it.
    fn end_run(&mut self, now_secs: f64, limits: Limits, is_last: bool) {
        let Some(mut run) = self.run.take() else { return };
        run.end_secs = now_secs;
        let is_long = run.secs() >= RUN_SECS.min(limits.secs);
        let short = self.short.take().filter(|short| run.first.1 - short.end_secs < RENEWAL_SECS - SLACK_SECS);
        match &mut self.kept {
            Some(kept) if is_long || is_last => (kept.last, kept.end_secs) = (run.last, run.end_secs),
            None if is_long => self.kept = Some(Stretch { first: short.map_or(run.first, |short| short.first), ..run }),
            None => {
                self.reference = None;
                self.short = Some(run).filter(|run| !is_last && run.secs() >= SHORT_RUN_SECS);
            }
            Some(_) => {}
        }
    }

    /// Removes and returns the stretch, if it is long enough.
    fn take(&mut self, limits: Limits) -> Option<Stretch> {
        self.reference = None;
        self.kept.take().filter(|kept| kept.secs() >= limits.secs)
    }

    /// Ends the clip. Returns the last stretch.
    pub(super) fn finish(&mut self, end_secs: f64, limits: Limits) -> Option<Stretch> {
        self.end_run(end_secs, limits, true);
        self.take(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::ROWS;
    use crate::test_data;

    const LIMITS: Limits = Limits { difference: 0.001, secs: 2.0 };
    /// A renewal, and a movement.
    const SLIGHT: Option<f64> = Some(0.004);
    const MOVED: Option<f64> = None;
    const STILL: Option<f64> = Some(0.0009);

    /// Returns the first and last frames of the stretches at 25 frames per second, all of a level.
    fn stretches(frames: impl IntoIterator<Item = (Option<f64>, usize)>) -> Vec<(u64, u64)> {
        let mut stills = Stills::default();
        let (mut found, mut end_secs) = (Vec::new(), 0.0);
        for ((difference, level), number) in frames.into_iter().zip(0_u64..) {
            let mut cells = vec![0; 4 * ROWS];
            (0..4).for_each(|channel| cells[channel * ROWS + level] = 100);
            let here = (number, number as f64 / 25.0);
            end_secs = (number + 1) as f64 / 25.0;
            found.extend(stills.push(here, difference, &cells, LIMITS));
        }
        found.extend(stills.finish(end_secs, LIMITS));
        found.iter().map(|found| (found.first.0, found.last)).collect()
    }

    fn at_one_level(parts: &[(Option<f64>, usize)]) -> Vec<(u64, u64)> {
        stretches(parts.iter().flat_map(|&(difference, frames)| vec![(difference, 100); frames]))
    }

    #[test]
    fn a_stretch_begins_before_an_early_renewal() {
        let begun = |first: (Option<f64>, usize), then: (Option<f64>, usize)| {
            at_one_level(&[(MOVED, 10), first, then, (STILL, 60), (MOVED, 5)])
        };
        assert_eq!(begun((STILL, 4), (SLIGHT, 1)), [(9, 74)]);
        assert_eq!(begun((STILL, 1), (SLIGHT, 1)), [(11, 71)], "too short");
        assert_eq!(begun((STILL, 4), (MOVED, 1)), [(14, 74)], "it moved");
    }

    #[test]
    fn a_stretch_begins_with_the_frame_that_is_repeated() {
        assert_eq!(at_one_level(&[(MOVED, 10), (STILL, 48), (MOVED, 5)]), [], "49 frames");
        assert_eq!(at_one_level(&[(MOVED, 10), (STILL, 49), (MOVED, 5)]), [(9, 58)]);
        assert_eq!(at_one_level(&[(MOVED, 10), (STILL, 60)]), [(9, 69)], "to the end of the clip");
        assert_eq!(at_one_level(&[(MOVED, 1), (STILL, 60), (MOVED, 1), (STILL, 60)]), [(0, 60), (61, 121)], "a cut");
    }

    #[test]
    fn renewals_do_not_end_it_and_slow_movement_does_not_make_it() {
        // Key frames every 12 frames, as in MPEG-2, with a frame that refines each; the first after 7 frames.
        let renewed = [(SLIGHT, 2), (STILL, 10)].repeat(8);
        let frames = [vec![(MOVED, 10), (STILL, 7)], renewed, vec![(MOVED, 5)]].concat();
        assert_eq!(at_one_level(&frames), [(9, 112)]);
        assert_eq!(at_one_level(&[(MOVED, 3), (STILL, 50), (SLIGHT, 6), (STILL, 50)]), [(2, 52), (58, 108)], "0.24 s");
        assert_eq!(
            at_one_level(&[(MOVED, 10), (STILL, 60), (SLIGHT, 1), (STILL, 3), (MOVED, 5)]),
            [(9, 73)],
            "at its end"
        );
        // A pan at half the rate, and one at a third.
        assert_eq!(at_one_level(&[(SLIGHT, 1), (STILL, 1)].repeat(100)), []);
        assert_eq!(at_one_level(&[(SLIGHT, 1), (STILL, 2)].repeat(100)), []);
    }

    #[test]
    fn a_slow_fade_is_not_frozen() {
        let fade = (0..250).map(|number| (STILL, 100 + number / 10));
        assert_eq!(stretches(fade), []);
        let flicker = (0..100).map(|number| (STILL, 100 + number % 2));
        assert_eq!(stretches(flicker), [(0, 99)], "one level of 256");
    }

    #[test]
    fn comparing_in_part_finds_the_same_stretches() {
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut found, mut skipped) = (0, 0);
        for _ in 0..40 {
            let mut differences = Differences::new(LIMITS.difference);
            let mut stills = [Stills::default(), Stills::default()];
            let mut stretches = [Vec::new(), Vec::new()];
            let (mut code, mut is_moving, mut renewal) = (0_u8, false, 0);
            let mut before: Option<Picture> = None;
            let mut cells = vec![0; 4 * ROWS];
            (0..4).for_each(|channel| cells[channel * ROWS + 100] = 100);
            for number in 0..400_u64 {
                // Still with renewals of a few frames in some stretches, moving in others.
                is_moving ^= random(60) == 0;
                renewal = if renewal == 0 && random(16) == 0 { 1 + random(6) } else { renewal.saturating_sub(1) };
                code ^= [0, 1, 2, 8][random(4) as usize * usize::from(is_moving)] ^ u8::from(renewal > 0);
                let picture = test_data::gray((50, 40), |_, _| code).picture;
                let here = (number, number as f64 / 25.0);
                let whole = before.replace(picture.clone()).and_then(|before| before.difference(&picture, RENEWAL));
                let part = differences.push(here.1, &picture);
                skipped += u32::from(whole.is_some() && part.is_none());
                for ((stills, stretches), difference) in stills.iter_mut().zip(&mut stretches).zip([whole, part]) {
                    stretches.extend(stills.push(here, difference, &cells, LIMITS));
                }
            }
            found += stretches[0].len();
            assert_eq!(stretches[0], stretches[1]);
        }
        assert!(found > 40 && skipped > 40, "{found} {skipped}");
    }
}
