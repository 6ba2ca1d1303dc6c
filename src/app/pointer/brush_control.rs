//! Brush state other than the selection itself: the one channel that brushes are limited to, and the fading of the rest
//! of the picture.

use std::time::{Duration, Instant};

use histoscope_render::view::brushes::Brushes;

/// Time for the rest of the picture to dim, or to brighten again.
const FADE: Duration = Duration::from_millis(120);
/// Time between two draws during a fade.
const STEP: Duration = Duration::from_millis(16);

/// Brush state of the window.
#[derive(Debug, Clone, Copy, Default)]
pub struct BrushControl {
    fade: BrushFade,
    /// The channel whose key is held.
    held: Option<usize>,
    /// The channel whose letter next to a histogram was clicked.
    clicked: Option<usize>,
    /// Numbers of pixels selected by the scope brushes and of pixels counted, as shown by the last draw.
    pub shown: Option<(u32, u64)>,
}

impl BrushControl {
    /// Returns the channel that brushes are limited to, if any.
    #[must_use]
    pub fn channel(&self) -> Option<usize> {
        self.held.or(self.clicked)
    }

    /// Returns the channel whose key is held.
    #[must_use]
    pub const fn held(&self) -> Option<usize> {
        self.held
    }

    /// Returns the channel whose letter was clicked.
    #[must_use]
    pub const fn clicked(&self) -> Option<usize> {
        self.clicked
    }

    /// Notes that the key of a channel was pressed or released.
    pub fn press(&mut self, channel: usize, is_pressed: bool) {
        self.held = is_pressed.then_some(channel);
    }

    /// Notes a click on a channel's letter. A second click undoes the first.
    pub fn click(&mut self, channel: usize) {
        self.clicked = (self.clicked != Some(channel)).then_some(channel);
    }

    /// Forgets the clicked letter, because the channels have changed.
    pub fn change_channels(&mut self) {
        self.clicked = None;
    }

    /// Takes the current brushes. Returns the brushes to draw and their strength, from 0 to 1.
    pub fn follow(&mut self, brushes: Brushes, now: Instant) -> (Brushes, f32) {
        self.fade.follow(brushes, now)
    }

    /// Resets the fade for a new video.
    pub fn change_video(&mut self) {
        self.fade = BrushFade::default();
    }

    /// Returns when to draw again, or `None` if the last draw shows the final state.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        self.fade.wake_at()
    }
}

/// Fades the drawn brushes in and out when a selection begins or ends.
#[derive(Debug, Clone, Copy, Default)]
struct BrushFade {
    /// The brushes to draw: the selected ones, or the last selected ones while they fade out.
    brushes: Brushes,
    /// `true` if anything is selected.
    is_on: bool,
    /// When `is_on` changed, shifted back by the part of the fade already completed.
    since: Option<Instant>,
    /// Time and strength of the last draw.
    drawn: Option<(Instant, f32)>,
}

impl BrushFade {
    fn follow(&mut self, selected: Brushes, now: Instant) -> (Brushes, f32) {
        if selected.any() != self.is_on {
            let strength = self.strength(now);
            self.is_on = selected.any();
            let done = if self.is_on { strength } else { 1.0 - strength };
            self.since = now.checked_sub(FADE.mul_f32(done));
        }
        let strength = self.strength(now);
        // Cleared brushes keep their shape while they fade out.
        if self.is_on {
            self.brushes = selected;
        } else if strength <= 0.0 {
            self.brushes = Brushes::default();
        }
        self.drawn = Some((now, strength));
        (self.brushes, strength)
    }

    fn wake_at(&self) -> Option<Instant> {
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
    fn a_brush_fades_in_and_out_and_then_needs_no_draws() {
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
        // A late last draw shows no trace of the brush.
        assert_eq!(fade.follow(NONE, at(900)), (NONE, 0.0));
        assert_eq!(fade.wake_at(), None);
    }

    #[test]
    fn a_change_during_a_fade_continues_from_the_current_strength() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut fade = BrushControl::default();
        fade.follow(BRUSHES, start);
        let (_, before) = fade.follow(BRUSHES, at(90));
        let (_, after) = fade.follow(NONE, at(90));
        assert!((before - after).abs() < 0.01, "{before} and then {after}");
        let other = Brushes::of_histogram(Brush { low: 40, high: 50, ..BRUSH });
        let (shown, again) = fade.follow(other, at(120));
        assert_eq!(shown, other);
        assert!((again - 0.5).abs() < 0.01, "{again}");
        fade.change_video();
        assert_eq!(fade.follow(NONE, at(121)), (NONE, 0.0));
    }

    #[test]
    fn brushes_are_limited_to_a_clicked_channel_until_the_next_click_or_a_held_key() {
        let mut brush = BrushControl::default();
        brush.click(1);
        assert_eq!((brush.channel(), brush.held()), (Some(1), None));
        brush.press(2, true);
        assert_eq!((brush.channel(), brush.clicked()), (Some(2), Some(1)));
        brush.press(2, false);
        brush.click(1);
        assert_eq!(brush.channel(), None);
    }
}
