//! How what a brush selects comes and goes: in an instant, but not at once.

use std::time::{Duration, Instant};

use histoscope_render::view::brushes::Brushes;

/// How long the rest of the picture takes to dim, and to come back.
const FADE: Duration = Duration::from_millis(120);
/// Time between two drawings meanwhile.
const STEP: Duration = Duration::from_millis(16);

/// The brush to draw and how strongly, which follow the one that is selected.
#[derive(Debug, Clone, Copy, Default)]
pub struct BrushFade {
    /// What was brushed last.
    brushes: Brushes,
    /// Whether it still is.
    is_on: bool,
    /// When that changed, moved back by what was there already.
    since: Option<Instant>,
    /// When it was last drawn, and how strongly.
    drawn: Option<(Instant, f32)>,
}

impl BrushFade {
    /// Takes what is selected now; what to draw, and how strongly, 0 to 1.
    pub fn follow(&mut self, selected: Brushes, now: Instant) -> (Brushes, f32) {
        if selected.any() != self.is_on {
            let strength = self.strength(now);
            self.is_on = selected.any();
            let done = if self.is_on { strength } else { 1.0 - strength };
            self.since = now.checked_sub(FADE.mul_f32(done));
        }
        let strength = self.strength(now);
        // A brush that is cleared fades as it was.
        if self.is_on {
            self.brushes = selected;
        } else if strength <= 0.0 {
            self.brushes = Brushes::default();
        }
        self.drawn = Some((now, strength));
        (self.brushes, strength)
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
    use histoscope_render::view::overlay::Channels;
    use histoscope_render::view::scene::Brush;

    const NONE: Brushes = Brushes { histogram: None, waveform: None, vectorscope: None };
    const BRUSH: Brush = Brush { channels: Channels::one(0), low: 3, high: 9 };
    const BRUSHES: Brushes = Brushes { histogram: Some(BRUSH), ..NONE };

    #[test]
    fn it_comes_and_goes_and_then_costs_nothing() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut fade = BrushFade::default();
        assert_eq!(fade.follow(NONE, start), (NONE, 0.0));
        assert_eq!(fade.wake_at(), None);
        assert_eq!(fade.follow(BRUSHES, start), (BRUSHES, 0.0));
        assert_eq!(fade.wake_at(), Some(at(16)));
        let (_, half) = fade.follow(BRUSHES, at(60));
        assert!((half - 0.5).abs() < 0.01, "{half}");
        fade.follow(BRUSHES, at(119));
        assert_eq!(fade.wake_at(), Some(at(135)), "it is not all there yet");
        assert_eq!(fade.follow(BRUSHES, at(135)), (BRUSHES, 1.0));
        assert_eq!(fade.wake_at(), None, "a brush that stays costs nothing");
        assert_eq!(fade.follow(NONE, at(500)), (BRUSHES, 1.0), "it fades as it was");
        let (_, quarter) = fade.follow(NONE, at(590));
        assert!((quarter - 0.25).abs() < 0.01, "{quarter}");
        assert_eq!(fade.wake_at(), Some(at(606)));
        // However late the last drawing comes, it shows nothing of it.
        assert_eq!(fade.follow(NONE, at(900)), (NONE, 0.0));
        assert_eq!(fade.wake_at(), None);
    }

    #[test]
    fn a_change_half_way_goes_on_from_there() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut fade = BrushFade::default();
        fade.follow(BRUSHES, start);
        let (_, before) = fade.follow(BRUSHES, at(90));
        let (_, after) = fade.follow(NONE, at(90));
        assert!((before - after).abs() < 0.01, "{before} and then {after}");
        let other = Brushes::of_histogram(Brush { low: 40, high: 50, ..BRUSH });
        let (shown, again) = fade.follow(other, at(120));
        assert_eq!(shown, other);
        assert!((again - 0.5).abs() < 0.01, "{again}");
        fade.reset();
        assert_eq!(fade.follow(NONE, at(121)), (NONE, 0.0));
    }
}
