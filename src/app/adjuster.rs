//! Applies the actions of keys, buttons and sliders to the picture adjustments. [`mod@histoscope_core::adjust`]
//! describes what each adjustment computes.

use histoscope_core::adjust::{Adjustment, Adjustments, Choices, Parameter};
use histoscope_keys::Action;

/// The parameters of every adjustment, whether on or off, and which adjustment the keys change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjuster {
    /// The parameters of every adjustment.
    pub choices: Choices,
    /// The adjustment whose parameters the keys change: the one last switched on or changed.
    pub current: Adjustment,
    /// `true` if the panel has been shown, automatically or by the user. It opens automatically only once.
    pub introduced: bool,
}

impl Adjuster {
    /// Creates an adjuster with parameters from an earlier run, overridden by those of the adjustments that start on.
    #[must_use]
    pub fn new(mut choices: Choices, on: &Adjustments) -> Self {
        choices.take(on);
        let current = Adjustment::ALL.into_iter().rfind(|kind| kind.is_on(on)).unwrap_or(Adjustment::Equalize);
        Self { choices, current, introduced: false }
    }

    /// Switches an adjustment on or off. Returns the note to show.
    pub fn toggle(&mut self, kind: Adjustment, adjustments: &mut Adjustments) -> String {
        if kind.is_on(adjustments) {
            kind.switch_off(adjustments);
            return kind.off_text().to_owned();
        }
        self.switch_on(kind, adjustments)
    }

    /// Switches an adjustment on, or applies its current parameters if it is already on. Returns the note to show.
    pub fn switch_on(&mut self, kind: Adjustment, adjustments: &mut Adjustments) -> String {
        kind.switch_on(adjustments, &self.choices);
        self.current = kind;
        // Whether to equalize luminance or each channel is remembered with the other parameters.
        self.choices.take(adjustments);
        kind.on_text(&self.choices)
    }

    /// Changes a parameter of the current adjustment or, if that is off, of the last adjustment in the chain that is
    /// on. A lookup table has no parameters. Returns the note to show.
    pub fn step(&mut self, parameter: Parameter, more: bool, adjustments: &mut Adjustments) -> String {
        let is_on = |kind: &Adjustment| *kind != Adjustment::Lut && kind.is_on(adjustments);
        let Some(kind) = Some(self.current).filter(is_on).or_else(|| Adjustment::ALL.into_iter().rfind(is_on)) else {
            let only_lut = adjustments.lut.map(|lut| format!("{lut} has no parameters to change"));
            return only_lut.unwrap_or_else(|| "nothing is adjusted: e, k, x, z and u turn adjustments on".to_owned());
        };
        let before = self.choices;
        let now = kind.step(&mut self.choices, parameter, more);
        let text = self.switch_on(now, adjustments);
        let is_end = (now, self.choices) == (kind, before);
        if is_end { format!("{text}: the {}", if more { "maximum" } else { "minimum" }) } else { text }
    }

    /// Applies an action to the adjustments and returns the note to show, or `None` if the action is not about
    /// adjustments.
    pub fn apply(&mut self, adjustments: &mut Adjustments, action: Action) -> Option<String> {
        Some(match action {
            Action::ToggleAdjustment(kind) => self.toggle(kind, adjustments),
            Action::Parameter { parameter, more } => self.step(parameter, more, adjustments),
            _ => return None,
        })
    }

    /// Takes parameters from the panel and switches on the adjustment that they belong to.
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
    fn a_key_toggles_an_adjustment_and_reports_it() {
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
    fn switching_between_luminance_and_channels_keeps_equalizing() {
        let (mut adjuster, mut adjustments) = off();
        adjuster.toggle(Adjustment::Equalize, &mut adjustments);
        assert_eq!(adjuster.toggle(Adjustment::Channels, &mut adjustments), "equalized by channel, 0.5 s");
        assert_eq!(adjuster.step(Parameter::Second, false, &mut adjustments), "equalized, 0.5 s");
        assert!(!adjuster.choices.equalize.per_channel);
    }

    #[test]
    fn parameters_survive_switching_an_adjustment_off() {
        let (mut adjuster, mut adjustments) = off();
        adjuster.toggle(Adjustment::Blur, &mut adjustments);
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "low-pass 11×11");
        assert_eq!(adjuster.step(Parameter::Second, true, &mut adjustments), "low-pass 11×11 ×2");
        adjuster.toggle(Adjustment::Blur, &mut adjustments);
        assert_eq!(adjuster.toggle(Adjustment::Blur, &mut adjustments), "low-pass 11×11 ×2");
    }

    #[test]
    fn keys_change_the_last_adjustment_that_is_on() {
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
        assert_eq!(adjuster.step(Parameter::Main, false, &mut adjustments), "low-pass 3×3: the minimum");
    }

    #[test]
    fn keys_change_the_adjustment_from_the_command_line() {
        let blur = Some(Blur { size: 21, runs: 3 });
        let tone = Some(Tone::Equalize(Equalize { per_channel: true, time_constant_secs: 0.0 }));
        let mut adjustments = Adjustments { blur, tone, ..Adjustments::default() };
        let mut adjuster = Adjuster::new(Choices::default(), &adjustments);
        assert_eq!((adjuster.current, adjuster.choices.blur.size), (Adjustment::Channels, 21));
        assert_eq!(adjuster.step(Parameter::Main, true, &mut adjustments), "equalized by channel, 0.1 s");
        assert_eq!(adjuster.toggle(Adjustment::Channels, &mut adjustments), "equalizing by channel off");
    }
}
