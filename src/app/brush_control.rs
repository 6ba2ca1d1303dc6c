//! The brushes beside what they select: the channel that they select in alone, and how the rest of the picture dims.

use std::time::{Duration, Instant};

use histoscope_render::view::brushes::Brushes;

/// How long the rest of the picture takes to dim, and to come back.
const FADE: Duration = Duration::from_millis(120);
/// Time between two drawings meanwhile.
const STEP: Duration = Duration::from_millis(16);

/// How the window brushes.
#[derive(Debug, Clone, Copy, Default)]
pub struct BrushControl {
    fade: BrushFade,
    /// The channel whose key is held.
    held: Option<usize>,
    /// The channel whose letter at a histogram was clicked.
    clicked: Option<usize>,
    /// Pixels that the brushes of the scopes select, and those that are counted, as the last drawing shows them.
    pub shown: Option<(u32, u64)>,
}

impl BrushControl {
    /// Returns the channel that a brush is to select in alone, if there is one.
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

    /// Notes a click on the letter of a channel; a second one takes the first back.
    pub fn click(&mut self, channel: usize) {
        self.clicked = (self.clicked != Some(channel)).then_some(channel);
    }

    /// Forgets the click, since other channels have other letters.
    pub fn change_channels(&mut self) {
        self.clicked = None;
    }

    /// Takes the brushes as they are now. Returns those to draw, and how strongly, 0 to 1.
    pub fn follow(&mut self, brushes: Brushes, now: Instant) -> (Brushes, f32) {
        self.fade.follow(brushes, now)
    }

    /// Forgets what fades, as with another video.
    pub fn change_video(&mut self) {
        self.fade = BrushFade::default();
    }

    /// Returns when to draw again; `None` once the last drawing is what stays.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        self.fade.wake_at()
    }
}

/// The brush to draw and how strongly, which follow the one that is selected.
#[derive(Debug, Clone, Copy, Default)]
struct BrushFade {
    /// The last brushes.
    brushes: Brushes,
    /// True if it still is.
    is_on: bool,
    /// When that changed, moved back by what was there already.
    since: Option<Instant>,
    /// When it was last drawn, and how strongly.
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
        // A brush that is cleared fades as it was.
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
    fn a_channel_that_was_clicked_is_brushed_alone_until_the_next_click_or_another_is_held() {
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
