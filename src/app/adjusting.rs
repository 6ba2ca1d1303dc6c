//! Adjusting the picture: what keys, buttons and sliders do, the divider between before and after, and which picture is
//! counted. What an adjustment computes is told in [`mod@crate::adjust`].

use std::time::Instant;

use glam::DVec2;

use super::hud::{Adjusting, Tone};
use super::session::next_of;
use super::viewer::Viewer;
use crate::adjust::{Adjustment, Adjustments, Choices, Parameter};
use crate::keys::Action;
use crate::view::scene::Counted;

/// How near the pointer must come to the divider to take hold of it, in points.
const GRAB: f64 = 6.0;
/// The order in which a key goes through what is counted.
const ALL_COUNTED: [Counted; 3] = [Counted::Source, Counted::Result, Counted::Both];

/// What is remembered of adjustments, beside those that are on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjuster {
    /// The parameters of all of them.
    pub choices: Choices,
    /// The one whose parameters the keys change: the last that was switched on or changed.
    pub hand: Adjustment,
    /// Whether the panel has been shown, by itself or by hand: it opens by itself but once.
    pub(super) introduced: bool,
}

impl Adjuster {
    /// With parameters from an earlier run, or those of what is on from the beginning.
    #[must_use]
    pub fn new(mut choices: Choices, on: &Adjustments) -> Self {
        choices.take(on);
        let hand = Adjustment::ALL.into_iter().rfind(|kind| kind.is_on(on)).unwrap_or(Adjustment::Equalize);
        Self { choices, hand, introduced: false }
    }

    /// Switches an adjustment on or off; what is to be said of it.
    pub fn toggle(&mut self, kind: Adjustment, adjustments: &mut Adjustments) -> String {
        if kind.is_on(adjustments) {
            kind.switch_off(adjustments);
            return kind.off_text().to_owned();
        }
        self.switch_on(kind, adjustments)
    }

    /// Switches an adjustment on, or gives it other parameters; what is to be said of it.
    pub fn switch_on(&mut self, kind: Adjustment, adjustments: &mut Adjustments) -> String {
        kind.switch_on(adjustments, &self.choices);
        self.hand = kind;
        // What is equalized is remembered with the other parameters.
        self.choices.take(adjustments);
        kind.on_text(&self.choices)
    }

    /// Changes a parameter of the adjustment in hand, or where that is off of the last one in the chain that is on; what is
    /// to be said of it.
    pub fn step(&mut self, parameter: Parameter, more: bool, adjustments: &mut Adjustments) -> String {
        let is_on = |kind: &Adjustment| kind.is_on(adjustments);
        let Some(kind) = Some(self.hand).filter(is_on).or_else(|| Adjustment::ALL.into_iter().rfind(is_on)) else {
            return "nothing is adjusted: e, k, x, z and u switch adjustments on".to_owned();
        };
        let before = self.choices;
        let now = kind.step(&mut self.choices, parameter, more);
        let text = self.switch_on(now, adjustments);
        let is_end = (now, self.choices) == (kind, before);
        if is_end { format!("{text}: the {} there is", if more { "most" } else { "least" }) } else { text }
    }
}

impl Viewer {
    /// Does what a key or a button asks of the adjustments.
    pub(super) fn adjust(&mut self, action: Action, now: Instant) {
        let scene = &mut self.scene;
        let text = match action {
            Action::ToggleAdjustment(kind) => {
                let text = self.adjuster.toggle(kind, &mut scene.adjustments);
                self.introduce(kind, now);
                text
            }
            Action::Parameter { parameter, more } => self.adjuster.step(parameter, more, &mut scene.adjustments),
            Action::ToggleDivider => {
                scene.divider = if scene.divider.is_some() { None } else { Some(0.5) };
                divider_text(scene.divider.is_some(), scene.adjustments.is_off()).to_owned()
            }
            Action::NextCounted => {
                scene.counted = next_of(&ALL_COUNTED, scene.counted);
                let later = if scene.adjustments.is_off() { ", once something is adjusted" } else { "" };
                format!("histograms: {}{later}", counted_name(scene.counted))
            }
            Action::ToggleCurves => {
                scene.curves = !scene.curves;
                format!("cumulative curves {}", on_or_off(scene.curves))
            }
            _ => {
                scene.style.backdrop = !scene.style.backdrop;
                format!("soft backdrop {}", on_or_off(scene.style.backdrop))
            }
        };
        self.note(text, Tone::Done, now);
        self.settings_changed(now);
    }

    /// Takes parameters from the panel; what they belong to is switched on by them.
    pub(super) fn choose(&mut self, kind: Adjustment, choices: Choices, now: Instant) {
        self.adjuster.choices = choices;
        let text = self.adjuster.switch_on(kind, &mut self.scene.adjustments);
        log::debug!("chosen: {text}");
        self.settings_changed(now);
    }

    /// Opens the panel with the sliders, once, where somebody works with the pointer and it is in nothing's way.
    fn introduce(&mut self, kind: Adjustment, now: Instant) {
        let is_wanted = kind.is_on(&self.scene.adjustments) && !self.adjuster.introduced;
        if is_wanted && self.hud.shows_controls(now) && self.hud.has_room_for_adjusting(self.width_in_points()) {
            log::debug!("the panel of adjustments opens by itself");
            self.adjuster.introduced = true;
            self.hud.sheets.adjusting = true;
        }
    }

    /// Width of the view, in points of its layout.
    pub(super) fn width_in_points(&self) -> f64 {
        let size = self.graphics.screen.size();
        f64::from(size.0) / f64::from(self.hud.set_scale(size, self.window.scale_factor()))
    }

    /// What the display over the picture is told of the adjustments.
    pub(super) fn adjusting(&self) -> Adjusting {
        let scene = &self.scene;
        let points_at_it = || !self.pointer.is_dragging() && self.pointer.at.is_some_and(|at| self.is_on_divider(at));
        let is_near = self.pointer.drags_divider() || points_at_it();
        Adjusting {
            adjustments: scene.adjustments,
            choices: self.adjuster.choices,
            counted: scene.counted,
            divider: scene.divider,
            is_at_divider: is_near,
            curves: scene.curves,
            backdrop: scene.style.backdrop,
            thresholds: self.graphics.renderer.thresholds(),
        }
    }

    /// Whether a point of the view lies where the divider can be taken hold of: beside it, but not on a histogram, which
    /// is brushed there.
    pub(super) fn is_on_divider(&self, at: DVec2) -> bool {
        let width = f64::from(self.graphics.screen.size().0);
        let points = f64::from(self.hud.set_scale(self.graphics.screen.size(), self.window.scale_factor()));
        // What is not adjusted is not divided either.
        let divider = self.scene.divider.filter(|_| !self.scene.adjustments.is_off());
        divider.is_some_and(|divider| is_near(at.x, divider, width, GRAB * points))
            && self.hit(at).is_none()
            && !self.hud.covers(self.in_points(at))
    }

    /// How far a point of the view lies from the divider, in pixels, where it takes hold of it.
    pub(super) fn aside_of_divider(&self, at: DVec2) -> Option<f64> {
        let divider = self.scene.divider.filter(|_| self.is_on_divider(at))?;
        Some(f64::from(divider) * f64::from(self.graphics.screen.size().0) - at.x)
    }

    /// Moves the divider under a point of the view.
    pub(super) fn divide_at(&mut self, x: f64) {
        let width = f64::from(self.graphics.screen.size().0.max(1));
        self.scene.divider = Some((x / width).clamp(0.0, 1.0) as f32);
        self.window.request_redraw();
    }
}

/// Whether a column of the view is within `reach` of a divider at a share of its width.
fn is_near(x: f64, divider: f32, width: f64, reach: f64) -> bool {
    (x - f64::from(divider) * width).abs() <= reach
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

const fn divider_text(on: bool, nothing_adjusted: bool) -> &'static str {
    match (on, nothing_adjusted) {
        (true, false) => "divider on: drag it",
        (true, true) => "divider on; nothing is adjusted yet",
        (false, _) => "divider off",
    }
}

/// The name of what is counted on a button.
#[must_use]
pub const fn counted_name(counted: Counted) -> &'static str {
    match counted {
        Counted::Source => "source",
        Counted::Result => "result",
        Counted::Both => "both",
    }
}

/// Which picture the histograms are of, in words; nothing where there is but one.
#[must_use]
pub fn counted_text(counted: Counted, adjustments: &Adjustments) -> Option<String> {
    if adjustments.is_off() {
        return None;
    }
    Some(match counted {
        Counted::Source => "source".to_owned(),
        Counted::Result => format!("result: {adjustments}"),
        Counted::Both => format!("result: {adjustments}; outline: source"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjust::{Blur, Equalize, Tone};

    fn off() -> (Adjuster, Adjustments) {
        let adjustments = Adjustments::default();
        (Adjuster::new(Choices::default(), &adjustments), adjustments)
    }

    #[test]
    fn a_key_switches_on_and_off_and_says_so() {
        let (mut adjuster, mut adjustments) = off();
        assert_eq!(adjuster.toggle(Adjustment::Equalize, &mut adjustments), "equalized, 0.5 s");
        assert_eq!(adjuster.toggle(Adjustment::Clahe, &mut adjustments), "CLAHE 8×8 clip 2");
        assert_eq!(adjustments.to_string(), "CLAHE 8×8 clip 2", "one of the two");
        assert_eq!(adjuster.toggle(Adjustment::LowPass, &mut adjustments), "low-pass 9×9");
        assert_eq!(adjustments.to_string(), "low-pass 9×9, CLAHE 8×8 clip 2");
        assert_eq!(adjuster.toggle(Adjustment::Clahe, &mut adjustments), "CLAHE off");
        assert_eq!(adjuster.toggle(Adjustment::LowPass, &mut adjustments), "low-pass off");
        assert!(adjustments.is_off());
    }

    #[test]
    fn what_is_equalized_is_exchanged_without_switching_off() {
        let (mut adjuster, mut adjustments) = off();
        adjuster.toggle(Adjustment::Equalize, &mut adjustments);
        assert_eq!(adjuster.toggle(Adjustment::Channels, &mut adjustments), "equalized by channel, 0.5 s");
        assert_eq!(adjuster.step(Parameter::Second, false, &mut adjustments), "equalized, 0.5 s");
        assert!(!adjuster.choices.equalize.per_channel);
    }

    #[test]
    fn parameters_last_while_an_adjustment_is_off() {
        let (mut adjuster, mut adjustments) = off();
        adjuster.toggle(Adjustment::LowPass, &mut adjustments);
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "low-pass 11×11");
        assert_eq!(adjuster.step(Parameter::Second, true, &mut adjustments), "low-pass 11×11 ×2");
        adjuster.toggle(Adjustment::LowPass, &mut adjustments);
        assert_eq!(adjuster.toggle(Adjustment::LowPass, &mut adjustments), "low-pass 11×11 ×2");
    }

    #[test]
    fn parameters_are_those_of_the_last_one_that_is_on() {
        let (mut adjuster, mut adjustments) = off();
        assert!(adjuster.step(Parameter::Main, true, &mut adjustments).starts_with("nothing is adjusted"));
        assert_eq!(adjuster.choices, Choices::default(), "what is off was changed");
        adjuster.toggle(Adjustment::LowPass, &mut adjustments);
        adjuster.toggle(Adjustment::Otsu, &mut adjustments);
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "3 classes as tones");
        adjuster.toggle(Adjustment::Otsu, &mut adjustments);
        assert_eq!(adjuster.step(Parameter::Main, false, &mut adjustments), "low-pass 7×7");
        for _ in 0..2 {
            adjuster.step(Parameter::Main, false, &mut adjustments);
        }
        assert_eq!(adjuster.step(Parameter::Main, false, &mut adjustments), "low-pass 3×3: the least there is");
    }

    #[test]
    fn what_the_command_line_asks_for_is_in_hand() {
        let blur = Some(Blur { size: 21, runs: 3 });
        let tone = Some(Tone::Equalize(Equalize { per_channel: true, time_constant_secs: 0.0 }));
        let mut adjustments = Adjustments { blur, tone, reduction: None };
        let mut adjuster = Adjuster::new(Choices::default(), &adjustments);
        assert_eq!((adjuster.hand, adjuster.choices.low_pass.size), (Adjustment::Channels, 21));
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "equalized by channel, 0.1 s");
        assert_eq!(adjuster.toggle(Adjustment::Channels, &mut adjustments), "equalizing by channel off");
    }

    #[test]
    fn the_divider_is_taken_hold_of_within_its_reach() {
        for (x, expected) in [(633.9, false), (634.0, true), (640.0, true), (646.0, true), (646.1, false)] {
            assert_eq!(is_near(x, 0.5, 1280.0, 6.0), expected, "{x}");
        }
        assert!(is_near(3.0, 0.0, 1280.0, 6.0) && is_near(1279.0, 1.0, 1280.0, 6.0), "at the edges");
    }

    #[test]
    fn shown_numbers_say_of_which_picture_they_are() {
        let (mut adjuster, mut adjustments) = off();
        assert_eq!(counted_text(Counted::Result, &adjustments), None);
        adjuster.toggle(Adjustment::LowPass, &mut adjustments);
        let text = |counted| counted_text(counted, &adjustments).unwrap();
        assert_eq!(text(Counted::Source), "source");
        assert_eq!(text(Counted::Result), "result: low-pass 9×9");
        assert_eq!(text(Counted::Both), "result: low-pass 9×9; outline: source");
    }
}
