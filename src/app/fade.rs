//! How what a brush selects comes and goes: in an instant, but not at once.

use std::time::{Duration, Instant};

use crate::view::scene::Brush;

/// How long the rest of the picture takes to dim, and to come back.
const FADE: Duration = Duration::from_millis(120);
/// Time between two drawings meanwhile.
const STEP: Duration = Duration::from_millis(16);

/// The brush to draw and how strongly, which follow the one that is selected.
#[derive(Debug, Clone, Copy, Default)]
pub struct BrushFade {
    /// The brush that was selected last.
    brush: Option<Brush>,
    /// Whether it still is.
    is_on: bool,
    /// When that changed, moved back by what was there already.
    since: Option<Instant>,
    /// When it was last drawn, and how strongly.
    drawn: Option<(Instant, f32)>,
}

impl BrushFade {
    /// Takes what is selected now; what to draw, and how strongly, 0 to 1.
    pub fn follow(&mut self, selected: Option<Brush>, now: Instant) -> (Option<Brush>, f32) {
        if selected.is_some() != self.is_on {
            let strength = self.strength(now);
            self.is_on = selected.is_some();
            let done = if self.is_on { strength } else { 1.0 - strength };
            self.since = now.checked_sub(FADE.mul_f32(done));
        }
        let strength = self.strength(now);
        // A brush that is cleared fades as it was.
        self.brush = selected.or(self.brush).filter(|_| self.is_on || strength > 0.0);
        self.drawn = Some((now, strength));
        (self.brush, strength)
    }

    /// Forgets the brush at once, as with another video.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// When to draw again; `None` once what was drawn last is what stays.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        let (drawn, strength) = self.drawn?;
        let aim = if self.is_on { 1.0 } else { 0.0 };
        (strength != aim).then(|| drawn + STEP)
    }

    fn strength(&self, now: Instant) -> f32 {
        let done = self
            .since
            .map_or(1.0, |since| (now.saturating_duration_since(since).as_secs_f32() / FADE.as_secs_f32()).min(1.0));
        if self.is_on { done } else { 1.0 - done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlay::Channels;

    const BRUSH: Brush = Brush { channels: Channels::one(0), low: 3, high: 9 };

    #[test]
    fn it_comes_and_goes_and_then_costs_nothing() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut fade = BrushFade::default();
        assert_eq!(fade.follow(None, start), (None, 0.0));
        assert_eq!(fade.wake_at(), None);
        assert_eq!(fade.follow(Some(BRUSH), start), (Some(BRUSH), 0.0));
        assert_eq!(fade.wake_at(), Some(at(16)));
        let (_, half) = fade.follow(Some(BRUSH), at(60));
        assert!((half - 0.5).abs() < 0.01, "{half}");
        fade.follow(Some(BRUSH), at(119));
        assert_eq!(fade.wake_at(), Some(at(135)), "it is not all there yet");
        assert_eq!(fade.follow(Some(BRUSH), at(135)), (Some(BRUSH), 1.0));
        assert_eq!(fade.wake_at(), None, "a brush that stays costs nothing");
        assert_eq!(fade.follow(None, at(500)), (Some(BRUSH), 1.0), "it fades as it was");
        let (_, quarter) = fade.follow(None, at(590));
        assert!((quarter - 0.25).abs() < 0.01, "{quarter}");
        assert_eq!(fade.wake_at(), Some(at(606)));
        // However late the last drawing comes, it shows nothing of it.
        assert_eq!(fade.follow(None, at(900)), (None, 0.0));
        assert_eq!(fade.wake_at(), None);
    }

    #[test]
    fn a_change_half_way_goes_on_from_there() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut fade = BrushFade::default();
        fade.follow(Some(BRUSH), start);
        let (_, before) = fade.follow(Some(BRUSH), at(90));
        let (_, after) = fade.follow(None, at(90));
        assert!((before - after).abs() < 0.01, "{before} and then {after}");
        let other = Brush { low: 40, high: 50, ..BRUSH };
        let (shown, again) = fade.follow(Some(other), at(120));
        assert_eq!(shown, Some(other));
        assert!((again - 0.5).abs() < 0.01, "{again}");
        fade.reset();
        assert_eq!(fade.follow(None, at(121)), (None, 0.0));
    }
}
