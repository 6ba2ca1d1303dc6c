//! Adjusting the picture: what keys, buttons and sliders do, the divider, and which picture is
//! counted. What an adjustment computes is told in [`mod@histoscope_core::adjust`].

use crate::keys::Action;
use histoscope_core::adjust::{Adjustment, Adjustments, Choices, Parameter};

/// The parameters of adjustments, also of those that are off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjuster {
    /// The parameters of all of them.
    pub choices: Choices,
    /// The one whose parameters the keys change: the last that was switched on or changed.
    pub hand: Adjustment,
    /// True if the panel has been shown, by itself or by hand: it opens by itself but once.
    pub introduced: bool,
}

impl Adjuster {
    /// With parameters from an earlier run, or those of what is on from the beginning.
    #[must_use]
    pub fn new(mut choices: Choices, on: &Adjustments) -> Self {
        choices.take(on);
        let hand = Adjustment::ALL.into_iter().rfind(|kind| kind.is_on(on)).unwrap_or(Adjustment::Equalize);
        Self { choices, hand, introduced: false }
    }

    /// Switches an adjustment on or off. Returns the note on it.
    pub fn toggle(&mut self, kind: Adjustment, adjustments: &mut Adjustments) -> String {
        if kind.is_on(adjustments) {
            kind.switch_off(adjustments);
            return kind.off_text().to_owned();
        }
        self.switch_on(kind, adjustments)
    }

    /// Switches an adjustment on, or gives it other parameters. Returns the note on it.
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

    /// Does what an action asks of the adjustments and returns the note on it; `None` where it asks for something else.
    pub fn apply(&mut self, adjustments: &mut Adjustments, action: Action) -> Option<String> {
        Some(match action {
            Action::ToggleAdjustment(kind) => self.toggle(kind, adjustments),
            Action::Parameter { parameter, more } => self.step(parameter, more, adjustments),
            _ => return None,
        })
    }

    /// Takes parameters from the panel; what they belong to is switched on by them.
    pub fn choose(&mut self, kind: Adjustment, choices: Choices, adjustments: &mut Adjustments) {
        self.choices = choices;
        let text = self.switch_on(kind, adjustments);
        log::debug!("chosen: {text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Blur, Equalize, Tone};

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
        assert_eq!(adjuster.toggle(Adjustment::Blur, &mut adjustments), "low-pass 9×9");
        assert_eq!(adjustments.to_string(), "low-pass 9×9, CLAHE 8×8 clip 2");
        assert_eq!(adjuster.toggle(Adjustment::Clahe, &mut adjustments), "CLAHE off");
        assert_eq!(adjuster.toggle(Adjustment::Blur, &mut adjustments), "low-pass off");
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
        adjuster.toggle(Adjustment::Blur, &mut adjustments);
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "low-pass 11×11");
        assert_eq!(adjuster.step(Parameter::Second, true, &mut adjustments), "low-pass 11×11 ×2");
        adjuster.toggle(Adjustment::Blur, &mut adjustments);
        assert_eq!(adjuster.toggle(Adjustment::Blur, &mut adjustments), "low-pass 11×11 ×2");
    }

    #[test]
    fn parameters_are_those_of_the_last_one_that_is_on() {
        let (mut adjuster, mut adjustments) = off();
        assert!(adjuster.step(Parameter::Main, true, &mut adjustments).starts_with("nothing is adjusted"));
        assert_eq!(adjuster.choices, Choices::default(), "what is off was changed");
        adjuster.toggle(Adjustment::Blur, &mut adjustments);
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
        assert_eq!((adjuster.hand, adjuster.choices.blur.size), (Adjustment::Channels, 21));
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "equalized by channel, 0.1 s");
        assert_eq!(adjuster.toggle(Adjustment::Channels, &mut adjustments), "equalizing by channel off");
    }
}
