//! Presentation times of frames: turns timestamps that may be missing, repeated, backward or absurd into rising ones.

use histoscope_core::picture::Ratio;

/// Seconds by which a timestamp may fall behind before it counts as a new start rather than a stray, or
/// `BACKWARD_JUMP_FRAMES` frames if that is longer, as it is at low rates.
const BACKWARD_JUMP_SECS: f64 = 0.3;
const BACKWARD_JUMP_FRAMES: f64 = 5.0;
/// Seconds by which a timestamp may run ahead before it counts as a jump, in a format that may jump (transport
/// streams).
const FORWARD_JUMP_SECS: f64 = 10.0;
/// The same limit for other formats, in which long pauses are legitimate: slide shows, surveillance.
const ABSURD_JUMP_SECS: f64 = 6.0 * 3600.0;

/// Assigns a timestamp to each frame. Never drops a frame, and returns rising timestamps.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    /// Ticks between frames at the stated rate, at least 1.
    frame_ticks: f64,
    backward_jump: i64,
    forward_jump: i64,
    last: Option<i64>,
    /// Ticks added to the file's timestamps since the last jump.
    offset: i64,
    /// The offset before the last frame's jump, if that frame jumped: it may have been a lone outlier.
    offset_before_jump: Option<i64>,
    /// The timestamp before a run of frames without one, and the run's length. The run's timestamps are computed from
    /// both, so that rounding errors do not add up.
    run: (i64, u64),
    jumped: bool,
    /// `true` if a frame since the start or the last seek was given a timestamp other than the file's.
    strayed: bool,
}

impl Timeline {
    /// Creates a timeline for a stream with this time base and frame rate; assumes 25 frames per second if the rate is
    /// unknown.
    pub(crate) fn new(time_base: Ratio, rate: Option<Ratio>, may_jump: bool) -> Self {
        let tick_secs = time_base.value();
        let rate = rate.map_or(25.0, Ratio::value);
        let ticks = |secs: f64| (secs / tick_secs).ceil() as i64;
        let backward_secs = BACKWARD_JUMP_SECS.max(BACKWARD_JUMP_FRAMES / rate);
        Self {
            frame_ticks: (1.0 / (rate * tick_secs)).max(1.0),
            backward_jump: ticks(backward_secs),
            forward_jump: ticks(if may_jump { FORWARD_JUMP_SECS } else { ABSURD_JUMP_SECS }),
            last: None,
            offset: 0,
            offset_before_jump: None,
            run: (0, 0),
            jumped: false,
            strayed: false,
        }
    }

    /// Returns the ticks between frames at the stated rate.
    pub(crate) fn frame_ticks(&self) -> i64 {
        self.frame_ticks.round() as i64
    }

    /// Returns the file's own timestamp of a frame that was placed at that time since the last jump.
    pub(crate) const fn stated(&self, placed: i64) -> i64 {
        placed.saturating_sub(self.offset)
    }

    /// Returns `true` if the file's timestamps have ever jumped, so that they do not identify positions in the whole
    /// file.
    pub(crate) const fn has_jumped(&self) -> bool {
        self.jumped
    }

    /// Returns `true` if a frame since the start or the last seek was given a timestamp other than the file's.
    pub(crate) const fn has_strayed(&self) -> bool {
        self.strayed
    }

    /// Resets the position, as after a seek.
    pub(crate) const fn restart(&mut self) {
        self.last = None;
        self.offset = 0;
        self.offset_before_jump = None;
        self.run = (0, 0);
        self.strayed = false;
    }

    /// Returns the timestamp of the next frame, whose own is `stated`.
    pub(crate) fn place(&mut self, stated: Option<i64>) -> i64 {
        let pts = match (stated, self.last) {
            (Some(stated), None) => self.begin(stated),
            (None, None) => self.begin(0),
            (Some(stated), Some(last)) => self.follow(stated, last),
            (None, Some(last)) => self.synthesise(last),
        };
        self.strayed |= stated != Some(pts);
        self.last = Some(pts);
        pts
    }

    /// Returns the first timestamp, limited so that there is room for the jumps and runs that may follow: timestamps
    /// near the limits of the integer type are absurd anyway.
    fn begin(&mut self, stated: i64) -> i64 {
        let pts = stated.clamp(i64::MIN / 4, i64::MAX / 4);
        self.offset = pts.saturating_sub(stated);
        self.run = (pts, 0);
        pts
    }

    fn follow(&mut self, stated: i64, last: i64) -> i64 {
        if let Some(before) = self.offset_before_jump.take() {
            let step = stated.saturating_add(before).saturating_sub(last);
            if (-self.backward_jump..=self.backward_jump).contains(&step) {
                self.offset = before;
            }
        }
        let mut pts = stated.saturating_add(self.offset);
        let step = pts.saturating_sub(last);
        if step < -self.backward_jump || step > self.forward_jump {
            pts = last.saturating_add(self.frame_ticks());
            self.offset_before_jump = Some(self.offset);
            self.offset = pts.saturating_sub(stated);
            self.jumped = true;
        } else if step <= 0 {
            pts = last.saturating_add(1);
        }
        self.run = (pts, 0);
        pts
    }

    fn synthesise(&mut self, last: i64) -> i64 {
        let (base, length) = self.run;
        self.run.1 = length + 1;
        let pts = base.saturating_add((self.run.1 as f64 * self.frame_ticks).round() as i64);
        pts.max(last.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(may_jump: bool) -> Timeline {
        Timeline::new(Ratio { num: 1, den: 1000 }, Some(Ratio { num: 24_000, den: 1001 }), may_jump)
    }

    fn place(timeline: &mut Timeline, stated: &[Option<i64>]) -> Vec<i64> {
        stated.iter().map(|s| timeline.place(*s)).collect()
    }

    #[test]
    fn good_timestamps_stay() {
        let mut t = timeline(true);
        assert_eq!(place(&mut t, &[Some(-40), Some(0), Some(41), Some(9000)]), [-40, 0, 41, 9000]);
        assert!(!t.has_jumped());
    }

    #[test]
    fn missing_ones_follow_the_rate_without_drift() {
        let mut t = timeline(false);
        let made = place(&mut t, &vec![None; 24_001]);
        assert_eq!(made[..4], [0, 42, 83, 125]);
        assert_eq!(made[24_000], 1_001_000);
        let mut t = timeline(false);
        assert_eq!(place(&mut t, &[Some(500), None, None, Some(700)]), [500, 542, 583, 700]);
    }

    #[test]
    fn repeated_and_stray_ones_rise() {
        let mut t = timeline(false);
        let made = place(&mut t, &[Some(0), Some(0), Some(0), Some(40), Some(30), Some(80)]);
        assert_eq!(made, [0, 1, 2, 40, 41, 80]);
        assert!(!t.has_jumped());
    }

    #[test]
    fn a_new_start_goes_on_from_the_last_frame() {
        let mut t = timeline(true);
        assert_eq!(place(&mut t, &[Some(90_000), Some(90_040), Some(0), Some(40)]), [90_000, 90_040, 90_082, 90_122]);
        assert!(t.has_jumped());
    }

    #[test]
    fn a_lone_outlier_changes_nothing_after_it() {
        let mut t = timeline(false);
        let made = place(&mut t, &[Some(0), Some(40), Some(80), Some(-90_000), Some(160), Some(200)]);
        assert_eq!(made, [0, 40, 80, 122, 160, 200]);
    }

    #[test]
    fn a_long_pause_is_kept_where_the_format_does_not_jump() {
        assert_eq!(place(&mut timeline(false), &[Some(0), Some(60_000)]), [0, 60_000]);
        assert_eq!(place(&mut timeline(true), &[Some(0), Some(60_000), Some(60_040)]), [0, 42, 82]);
    }

    #[test]
    fn absurd_timestamps_neither_overflow_nor_stop() {
        let stated = [Some(i64::MAX), Some(i64::MIN + 1), None, Some(i64::MAX), Some(0), Some(-1)];
        let made = place(&mut timeline(false), &stated);
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
    }
}
