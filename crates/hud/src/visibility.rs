//! The visibility of the controls: they appear when the pointer moves, stay for two seconds and fade out.

use std::time::{Duration, Instant};

/// How long the controls stay after the pointer last moved.
pub const STAY: Duration = Duration::from_secs(2);
/// How long they take to fade.
pub const FADE: Duration = Duration::from_millis(300);
/// Time between two draws while the controls fade.
const FADE_STEP: Duration = Duration::from_millis(25);

/// The state of the controls' fade.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visibility {
    pinned: bool,
    /// `true` if the pointer rests on the controls.
    held: bool,
    /// When the pointer last moved.
    awake: Option<Instant>,
}

impl Visibility {
    /// Notes that the pointer has moved.
    pub fn wake(&mut self, now: Instant) {
        self.awake = Some(now);
    }

    /// Notes that the pointer has left the window.
    pub fn let_go(&mut self, now: Instant) {
        self.held = false;
        // If still fully visible, the controls begin to fade now.
        if self.strength(now) >= 1.0 {
            self.awake = now.checked_sub(STAY);
        }
    }

    /// Notes whether the pointer rests on the controls, which keeps them visible.
    pub fn hold(&mut self, held: bool, now: Instant) {
        if self.held && !held {
            self.awake = Some(now);
        }
        self.held = held;
    }

    /// Pins the controls or unpins them. Returns `true` if they are pinned now.
    pub fn toggle_pinned(&mut self, now: Instant) -> bool {
        self.pinned = !self.pinned;
        if !self.pinned {
            self.awake = now.checked_sub(STAY);
            self.held = false;
        }
        self.pinned
    }

    /// Returns `true` if the controls are pinned.
    #[must_use]
    pub const fn is_pinned(&self) -> bool {
        self.pinned
    }

    /// Returns the opacity of the controls, 0 to 1.
    #[must_use]
    pub fn strength(&self, now: Instant) -> f32 {
        if self.pinned || self.held {
            return 1.0;
        }
        let Some(awake) = self.awake else { return 0.0 };
        let fading = now.saturating_duration_since(awake).saturating_sub(STAY);
        (1.0 - fading.as_secs_f32() / FADE.as_secs_f32()).max(0.0)
    }

    /// Returns when the opacity next changes.
    #[must_use]
    pub fn next_change(&self, now: Instant) -> Option<Instant> {
        let awake = self.awake.filter(|_| !self.pinned && !self.held)?;
        let begin = awake + STAY;
        if now < begin {
            return Some(begin);
        }
        (self.strength(now) > 0.0).then(|| (now + FADE_STEP).min(begin + FADE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    #[test]
    fn controls_appear_with_the_pointer_and_fade_after_two_seconds() {
        let now = Instant::now();
        let mut shown = Visibility::default();
        assert!(shown.strength(now) == 0.0 && shown.next_change(now).is_none());
        shown.wake(now);
        assert!(shown.strength(now + STAY - MILLI) >= 1.0);
        assert_eq!(shown.next_change(now), Some(now + STAY), "nothing is drawn before");
        assert!((shown.strength(now + STAY + FADE / 2) - 0.5).abs() < 0.01);
        assert!(shown.strength(now + STAY + FADE) == 0.0);
        assert_eq!(shown.next_change(now + STAY + FADE), None, "nothing is drawn afterwards");
    }

    #[test]
    fn every_fade_step_is_later_than_the_one_before() {
        let begin = Instant::now();
        let mut shown = Visibility::default();
        shown.wake(begin);
        let (mut now, mut steps) = (begin, 0);
        while let Some(next) = shown.next_change(now) {
            assert!(next > now, "a step that does not end");
            (now, steps) = (next, steps + 1);
        }
        assert!(shown.strength(now) == 0.0);
        assert!(steps < 20, "{steps} drawings to fade");
    }

    #[test]
    fn controls_stay_while_pinned_or_under_the_pointer() {
        let now = Instant::now();
        let later = now + Duration::from_secs(60);
        let mut shown = Visibility::default();
        assert!(shown.toggle_pinned(now));
        assert!(shown.strength(later) >= 1.0 && shown.next_change(now).is_none());
        assert!(!shown.toggle_pinned(later));
        assert!(shown.strength(later + FADE) == 0.0);
        shown.wake(later);
        shown.hold(true, later);
        assert!(shown.strength(later + Duration::from_secs(9)) >= 1.0);
        shown.let_go(later + Duration::from_secs(9));
        assert!(shown.strength(later + Duration::from_secs(9) + FADE) == 0.0);
    }
}
