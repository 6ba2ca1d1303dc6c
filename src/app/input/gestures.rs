//! Groups the window's events into gestures: a key with its repeats, a button press and everything until the next
//! press, a double-click, or a turn of the wheel.

use std::time::{Duration, Instant};

use glam::DVec2;

use super::clicks::Clicks;
use super::event::{Event, PointerButton};

/// Longest pause between notches of the wheel that belong to the same turn.
const TURN: Duration = Duration::from_millis(700);

/// The current gesture, or the last one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gestures {
    number: u64,
    /// Position of the pointer, in points.
    at: DVec2,
    clicks: Clicks,
    /// When the wheel was last turned, if nothing was pressed since.
    turned: Option<Instant>,
}

impl Gestures {
    /// Returns the number of the gesture, different from those of all earlier ones.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns `true` if a new gesture may begin with this event.
    #[must_use]
    pub const fn may_begin(event: &Event) -> bool {
        match event {
            Event::Key(key) => key.pressed && !key.repeat,
            Event::PointerButton { pressed, .. } => *pressed,
            Event::Wheel(_) | Event::Request(_) => true,
            _ => false,
        }
    }

    /// Takes an event of a window with this many pixels per point.
    pub fn on_event(&mut self, event: &Event, pixels_per_point: f64, now: Instant) {
        match event {
            Event::PointerMoved(at) => self.at = *at / pixels_per_point,
            Event::Key(key) if key.pressed && !key.repeat => self.begin(),
            Event::PointerButton { pressed: true, button } => self.press(*button, now),
            Event::Request(_) => self.begin(),
            Event::Wheel(_) => self.turn(now),
            _ => {}
        }
    }

    fn begin(&mut self) {
        self.number += 1;
        self.turned = None;
    }

    fn press(&mut self, button: PointerButton, now: Instant) {
        let is_double = button == PointerButton::Left && self.clicks.is_double(self.at, now);
        if !is_double {
            self.begin();
        }
    }

    fn turn(&mut self, now: Instant) {
        let goes_on = self.turned.is_some_and(|before| now.saturating_duration_since(before) <= TURN);
        if !goes_on {
            self.begin();
        }
        self.turned = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successive_notches_are_one_turn_of_the_wheel() {
        let now = Instant::now();
        let at = |millis| now + Duration::from_millis(millis);
        let mut gestures = Gestures::default();
        let numbers = [0, 300, 900, 1700].map(|millis| {
            gestures.turn(at(millis));
            gestures.number()
        });
        assert_eq!(numbers, [1, 1, 1, 2]);
        gestures.press(PointerButton::Left, at(1750));
        gestures.turn(at(1800));
        assert_eq!(gestures.number(), 4, "a press lies between");
    }

    #[test]
    fn a_double_click_is_one_gesture_and_two_clicks_are_two() {
        let now = Instant::now();
        let mut gestures = Gestures::default();
        gestures.press(PointerButton::Left, now);
        gestures.press(PointerButton::Left, now + Duration::from_millis(200));
        assert_eq!(gestures.number(), 1);
        gestures.at = DVec2::new(50.0, 0.0);
        gestures.press(PointerButton::Left, now + Duration::from_millis(400));
        gestures.at = DVec2::new(90.0, 0.0);
        gestures.press(PointerButton::Left, now + Duration::from_millis(600));
        assert_eq!(gestures.number(), 3);
    }
}
