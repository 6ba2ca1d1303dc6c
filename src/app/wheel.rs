//! Notches of the wheel that X11 tells twice.

use winit::event::{ButtonId, DeviceEvent, ElementState, WindowEvent};

/// The buttons that stand for the wheel on X11: up, down, left and right.
const BUTTONS: std::ops::RangeInclusive<ButtonId> = 4..=7;

/// Tells the notches of a wheel from their repetitions. On X11, the server of a remote desktop and programs that play input have a
/// notch as a button that is pressed and released, and winit makes a turn of the wheel of either. A mouse that is plugged in has an
/// axis, which is told once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wheel {
    /// Whether a button of the wheel was released, of which the window is told next.
    released: bool,
}

impl Wheel {
    /// Takes what a device does, which comes before what the window is told of it.
    pub fn see(&mut self, event: &DeviceEvent) {
        if let DeviceEvent::Button { button, state } = event
            && cfg!(all(unix, not(target_os = "macos")))
        {
            self.released = BUTTONS.contains(button) && *state == ElementState::Released;
        }
    }

    /// Whether an event of the window repeats a notch that it was told of.
    pub fn is_repeated(&mut self, event: &WindowEvent) -> bool {
        match event {
            WindowEvent::MouseWheel { .. } => std::mem::take(&mut self.released),
            // The release was beside the window.
            WindowEvent::CursorMoved { .. } | WindowEvent::CursorEntered { .. } => {
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
    use winit::event::{DeviceId, MouseScrollDelta, TouchPhase};

    use super::*;

    fn notch() -> WindowEvent {
        let delta = MouseScrollDelta::LineDelta(0.0, 1.0);
        WindowEvent::MouseWheel { device_id: DeviceId::dummy(), delta, phase: TouchPhase::Moved }
    }

    #[test]
    fn a_button_that_is_pressed_and_released_is_one_notch_and_an_axis_is_what_it_tells() {
        let mut wheel = Wheel::default();
        let button = |state| DeviceEvent::Button { button: 4, state };
        for _ in 0..3 {
            wheel.see(&button(ElementState::Pressed));
            assert!(!wheel.is_repeated(&notch()));
            wheel.see(&button(ElementState::Released));
            assert!(wheel.is_repeated(&notch()));
        }
        assert!(!wheel.is_repeated(&notch()) && !wheel.is_repeated(&notch()), "an axis");
        wheel.see(&button(ElementState::Released));
        assert!(!wheel.is_repeated(&WindowEvent::CursorEntered { device_id: DeviceId::dummy() }));
        assert!(!wheel.is_repeated(&notch()), "the button was released beside the window");
    }
}
