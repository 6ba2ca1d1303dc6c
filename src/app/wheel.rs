//! Notches of the wheel that X11 tells twice.

use super::event::Event;

/// The buttons that stand for the wheel on X11: up, down, left and right.
const BUTTONS: std::ops::RangeInclusive<u32> = 4..=7;

/// Tells the notches of a wheel from their repetitions. On X11, the server of a remote desktop and programs that play input have a
/// notch as a button that is pressed and released, and winit makes a turn of the wheel of either. A mouse that is plugged in has an
/// axis, which is told once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wheel {
    /// True if a button of the wheel was released, of which the window is told next.
    released: bool,
}

impl Wheel {
    /// Takes the number of a device's button that was pressed or released, which comes before what the window is told of it.
    pub fn see(&mut self, button: u32, pressed: bool) {
        if cfg!(all(unix, not(target_os = "macos"))) {
            self.released = BUTTONS.contains(&button) && !pressed;
        }
    }

    /// Returns whether an event of the window repeats a notch that it was told of.
    pub fn is_repeated(&mut self, event: &Event) -> bool {
        match event {
            Event::Wheel(_) => std::mem::take(&mut self.released),
            // The release was beside the window.
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
    fn a_button_that_is_pressed_and_released_is_one_notch_and_an_axis_is_what_it_tells() {
        let mut wheel = Wheel::default();
        let notch = Event::Wheel(1.0);
        for _ in 0..3 {
            wheel.see(4, true);
            assert!(!wheel.is_repeated(&notch));
            wheel.see(4, false);
            assert!(wheel.is_repeated(&notch));
        }
        assert!(!wheel.is_repeated(&notch) && !wheel.is_repeated(&notch), "an axis");
        wheel.see(4, false);
        assert!(!wheel.is_repeated(&Event::PointerEntered));
        assert!(!wheel.is_repeated(&notch), "the button was released beside the window");
    }
}
