//! What the parameters of all adjustments have in common: text, controls and steps, and how they apply.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Codes;
use super::parse_error::ParseError;

/// One of an adjustment's two parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// The main one: size, time constant, clip limit, levels, classes.
    Main,
    /// The second one: runs, luminance or channels, tiles, placement, tones or colours.
    Second,
}

/// What adjustments keep from one picture to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Equalization's smoothed curve of luminance, or the three of red, green and blue.
    pub curves: Vec<Vec<u32>>,
    /// Otsu's thresholds in the last picture.
    pub thresholds: Option<[u32; 4]>,
}

/// The parameters of an adjustment.
pub trait Parameters {
    /// Returns the main and the second parameter.
    fn fields(&mut self) -> [Field<'_>; 2];

    /// Returns the text over the picture.
    fn text(&self) -> String;

    /// Returns the text of a note, with all parameters.
    fn full_text(&self) -> String {
        self.text()
    }

    /// Returns the parameters in the syntax of the command line.
    fn written(&self) -> String;

    /// Adjusts a picture. `elapsed_secs` is the time since the previous one, or `None` for the first one and after a
    /// jump.
    fn apply(&self, codes: Codes, memory: &mut Memory, elapsed_secs: Option<f64>) -> Codes;

    /// Adjusts a picture that has no predecessor, pixel by pixel. It is deliberately slow, with a division wherever the
    /// definition has one.
    fn reference(&self, codes: Codes) -> Codes;

    /// Moves every parameter into its range.
    fn clamp(&mut self) {
        self.fields().into_iter().for_each(Field::clamp);
    }

    /// Returns the nearest supported parameters.
    #[must_use]
    fn clamped(mut self) -> Self
    where
        Self: Sized,
    {
        self.clamp();
        self
    }
}

/// A parameter, which a slider or a row of buttons changes.
pub struct Field<'a> {
    /// Its name.
    pub name: &'static str,
    /// Its value in words.
    pub text: String,
    /// The names of its values, if there are few.
    pub names: &'static [&'static str],
    value: Value<'a>,
}

enum Value<'a> {
    /// Whole numbers that move together, with their range and their step.
    Whole(Vec<&'a mut u32>, &'static RangeInclusive<u32>, u32),
    /// A number, with its range and the stops in it.
    Stop(&'a mut f64, &'static RangeInclusive<f64>, &'static [f64]),
    /// One of several values: the current one, and what chooses another.
    Choice(usize, Box<dyn FnMut(usize) + 'a>),
}

impl<'a> Field<'a> {
    pub(super) const fn whole(
        name: &'static str,
        text: String,
        values: Vec<&'a mut u32>,
        (range, step): (&'static RangeInclusive<u32>, u32),
    ) -> Self {
        Self { name, text, names: &[], value: Value::Whole(values, range, step) }
    }

    pub(super) const fn stop(
        name: &'static str,
        text: String,
        value: &'a mut f64,
        (range, stops): (&'static RangeInclusive<f64>, &'static [f64]),
    ) -> Self {
        Self { name, text, names: &[], value: Value::Stop(value, range, stops) }
    }

    pub(super) fn choice<T: Copy + PartialEq + 'a>(
        name: &'static str,
        names: &'static [&'static str],
        value: &'a mut T,
        all: [T; 2],
    ) -> Self {
        let now = usize::from(*value == all[1]);
        Self {
            name,
            text: names[now].to_owned(),
            names,
            value: Value::Choice(now, Box::new(move |to| *value = all[to])),
        }
    }

    /// Returns the position of the value, from 0, and the last one.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        match &self.value {
            Value::Whole(values, range, step) => {
                let place = |value: u32| (value.saturating_sub(*range.start()) / step) as usize;
                (values.first().map_or(0, |value| place(**value)), place(*range.end()))
            }
            Value::Stop(value, _, stops) => (stop_index(stops, **value), stops.len() - 1),
            Value::Choice(now, _) => (*now, self.names.len() - 1),
        }
    }

    /// Goes to a position.
    pub fn set(self, place: usize) {
        match self.value {
            Value::Whole(values, range, step) => {
                values.into_iter().for_each(|value| *value = range.start() + step * place as u32);
            }
            Value::Stop(value, _, stops) => *value = stops[place],
            Value::Choice(_, mut choose) => choose(place),
        }
    }

    /// Goes one step up or down, up to the ends of the range.
    pub fn step(mut self, more: bool) {
        match &mut self.value {
            Value::Whole(values, _, step) => {
                let moved = |value: u32| if more { value.saturating_add(*step) } else { value.saturating_sub(*step) };
                values.iter_mut().for_each(|value| **value = moved(**value));
            }
            Value::Stop(value, _, stops) => step_on(stops, value, more),
            Value::Choice(_, choose) => choose(more.into()),
        }
        self.clamp();
    }

    fn clamp(self) {
        match self.value {
            Value::Whole(values, range, step) => values.into_iter().for_each(|value| {
                let steps = value.saturating_sub(*range.start()).div_ceil(step);
                *value = (range.start() + step * steps).min(*range.end());
            }),
            // NaN becomes the lower end.
            Value::Stop(value, range, _) => *value = value.max(*range.start()).min(*range.end()),
            Value::Choice(..) => {}
        }
    }
}

/// Parses a number in a range.
pub(super) fn number<T: FromStr + PartialOrd + fmt::Display>(
    text: &str,
    what: &str,
    range: &RangeInclusive<T>,
) -> Result<T, ParseError> {
    match text.parse() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(ParseError::new(format!(
            "'{text}' is not a valid {what}; expected {} to {}",
            range.start(),
            range.end()
        ))),
    }
}

/// Returns the index of the last of the ascending `stops` that does not exceed the value, or 0 if all do. Among clip
/// limits, 0 is the largest stop.
fn stop_index(stops: &[f64], value: f64) -> usize {
    let last = stops.len() - 1;
    let exact = stops.iter().position(|&stop| (stop - value).abs() < 1e-9);
    exact.unwrap_or_else(|| (0..=last).rev().find(|&at| stops[at] < value && (stops[at] > 0.0 || at == 0)).unwrap_or(0))
}

/// Steps a value to the next stop above or below it.
fn step_on(stops: &[f64], value: &mut f64, more: bool) {
    let at = stop_index(stops, *value);
    let is_exact = (stops[at] - *value).abs() < 1e-9;
    let is_below_all = !is_exact && *value < stops[at];
    *value = match more {
        true if is_below_all => stops[at],
        true => stops[(at + 1).min(stops.len() - 1)],
        false if is_below_all => *value,
        // Between two stops, step down to the lower one.
        false if !is_exact => stops[at],
        false => stops[at.saturating_sub(1)],
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_two_stops_step_to_either_of_them() {
        const CLIPS: [f64; 7] = [1.0, 1.5, 2.0, 2.5, 3.0, 100.0, 0.0];
        let step = |mut value, more| {
            step_on(&CLIPS, &mut value, more);
            value
        };
        assert_eq!((step(2.2, true), step(2.2, false)), (2.5, 2.0));
        assert_eq!((step(2.0, true), step(2.0, false)), (2.5, 1.5));
        assert_eq!((step(0.3, true), step(0.3, false)), (1.0, 0.3));
        assert_eq!((step(100.0, true), step(0.0, true), step(0.0, false)), (0.0, 0.0, 100.0), "none is the most");
        let mut secs = 0.05;
        step_on(&[0.0, 0.1, 0.25], &mut secs, false);
        assert_eq!(secs, 0.0);
    }
}
