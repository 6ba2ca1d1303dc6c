//! Filters notches of the wheel that are reported twice on X11.

use super::event::Event;

/// The buttons that represent the wheel on X11: up, down, left and right.
const BUTTONS: std::ops::RangeInclusive<u32> = 4..=7;

/// Distinguishes the notches of a wheel from their repetitions. On X11, remote desktop servers and programs that replay
/// input send each notch as a button press and release, and winit reports a wheel event for both. A physical mouse has
/// a scroll axis, which is reported once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wheel {
    /// `true` if a button of the wheel was released, so that the window's next wheel event is a repetition.
    released: bool,
}

impl Wheel {
    /// Takes the press or release of a device's button, which arrives before the window's event for it.
    pub fn on_button(&mut self, button: u32, pressed: bool) {
        if cfg!(all(unix, not(target_os = "macos"))) {
            self.released = BUTTONS.contains(&button) && !pressed;
        }
    }

    /// Returns `true` if an event of the window repeats a notch that was already reported.
    pub fn is_repeated(&mut self, event: &Event) -> bool {
        match event {
            Event::Wheel(_) => std::mem::take(&mut self.released),
            // The button was released outside the window.
            Event::PointerMoved(_) | Event::PointerEntered => {
                self.released = false;
                false
            }
            _ => false,
        }
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_press_and_release_is_one_notch_and_an_axis_reports_each() {
        let mut wheel = Wheel::default();
        let notch = Event::Wheel(1.0);
        for _ in 0..3 {
            wheel.on_button(4, true);
            assert!(!wheel.is_repeated(&notch));
            wheel.on_button(4, false);
            assert!(wheel.is_repeated(&notch));
        }
        assert!(!wheel.is_repeated(&notch) && !wheel.is_repeated(&notch), "an axis");
        wheel.on_button(4, false);
        assert!(!wheel.is_repeated(&Event::PointerEntered));
        assert!(!wheel.is_repeated(&notch), "the button was released beside the window");
    }
}
