//! Individual adjustments, as controlled by keys and buttons: on and off, steps of their parameters, and names.

use super::choices::Choices;
use super::lut::Lut;
use super::parameters::{Adjustments, Blur, Clahe, ClassDisplay, Equalize, Otsu, Placing, Posterize, Reduction, Tone};

/// An adjustment that a key or a button switches on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Adjustment {
    /// The lookup table before all others.
    Lut,
    /// The camera log, in its place.
    CameraLog,
    /// The box blur.
    Blur,
    /// Equalization of luminance.
    Equalize,
    /// Separate equalization of red, green and blue.
    Channels,
    /// Equalization tile by tile.
    Clahe,
    /// Reduction to a few levels.
    Posterize,
    /// Segmentation into a few classes by Otsu's thresholds.
    Otsu,
}

/// One of an adjustment's two parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The main one: size, time constant, clip limit, levels, classes.
    Main,
    /// The second one: runs, luminance or channels, tiles, placement, tones or colours.
    Second,
}

/// The stops for time constants, in seconds.
pub const TIME_CONSTANTS: [f64; 9] = [0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0];
/// The stops for clip limits, in ascending order: 0 means no limit.
pub const CLIP_LIMITS: [f64; 17] =
    [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 100.0, 0.0];

impl Adjustment {
    /// Every adjustment, in the order of the chain.
    pub const ALL: [Self; 8] = [
        Self::Lut,
        Self::CameraLog,
        Self::Blur,
        Self::Equalize,
        Self::Channels,
        Self::Clahe,
        Self::Posterize,
        Self::Otsu,
    ];

    /// Returns `true` if the adjustment is on.
    #[must_use]
    pub fn is_on(self, adjustments: &Adjustments) -> bool {
        match self {
            Self::Lut => adjustments.lut.is_some_and(|lut| lut.camera().is_none()),
            Self::CameraLog => adjustments.lut.is_some_and(|lut| lut.camera().is_some()),
            Self::Blur => adjustments.blur.is_some(),
            Self::Equalize => matches!(adjustments.tone, Some(Tone::Equalize(Equalize { per_channel: false, .. }))),
            Self::Channels => matches!(adjustments.tone, Some(Tone::Equalize(Equalize { per_channel: true, .. }))),
            Self::Clahe => matches!(adjustments.tone, Some(Tone::Clahe(_))),
            Self::Posterize => matches!(adjustments.reduction, Some(Reduction::Posterize(_))),
            Self::Otsu => matches!(adjustments.reduction, Some(Reduction::Otsu(_))),
        }
    }

    /// Switches the adjustment on with these parameters. It replaces any other in the same position of the chain. A lookup
    /// table stays off if none has been chosen.
    pub fn switch_on(self, adjustments: &mut Adjustments, choices: &Choices) {
        match self {
            Self::Lut => adjustments.lut = choices.lut.or(adjustments.lut),
            Self::CameraLog => adjustments.lut = Some(Lut::of_camera(choices.camera_log)),
            Self::Blur => adjustments.blur = Some(choices.blur),
            Self::Equalize | Self::Channels => {
                let per_channel = matches!(self, Self::Channels);
                adjustments.tone = Some(Tone::Equalize(Equalize { per_channel, ..choices.equalize }));
            }
            Self::Clahe => adjustments.tone = Some(Tone::Clahe(choices.clahe)),
            Self::Posterize => adjustments.reduction = Some(Reduction::Posterize(choices.posterize)),
            Self::Otsu => adjustments.reduction = Some(Reduction::Otsu(choices.otsu)),
        }
    }

    /// Switches off whichever adjustment is in this one's position of the chain.
    pub const fn switch_off(self, adjustments: &mut Adjustments) {
        match self {
            Self::Lut | Self::CameraLog => adjustments.lut = None,
            Self::Blur => adjustments.blur = None,
            Self::Equalize | Self::Channels | Self::Clahe => adjustments.tone = None,
            Self::Posterize | Self::Otsu => adjustments.reduction = None,
        }
    }

    /// Returns the name for a button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lut => "LUT",
            Self::CameraLog => "Camera log",
            Self::Blur => "Low-pass",
            Self::Equalize | Self::Channels => "Equalize",
            Self::Clahe => "CLAHE",
            Self::Posterize => "Posterize",
            Self::Otsu => "Otsu",
        }
    }

    /// Returns a description of the effect.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Lut => "Map colours through a lookup table, before everything else",
            Self::CameraLog => "Map a camera's log and gamut to BT.709, before everything else",
            Self::Blur => "Blur, as a low-pass before the scopes",
            Self::Equalize => "Spread the tones by the luminance histogram",
            Self::Channels => "Spread red, green and blue, each by its own histogram",
            Self::Clahe => "Spread the tones tile by tile, with limited contrast",
            Self::Posterize => "Reduce red, green and blue to a few levels",
            Self::Otsu => "Segment the picture into classes by luminance",
        }
    }

    /// Returns the message shown when the adjustment is switched off.
    #[must_use]
    pub const fn off_text(self) -> &'static str {
        match self {
            Self::Lut => "LUT off",
            Self::CameraLog => "camera log off",
            Self::Blur => "low-pass off",
            Self::Equalize => "equalizing off",
            Self::Channels => "equalizing by channel off",
            Self::Clahe => "CLAHE off",
            Self::Posterize => "posterizing off",
            Self::Otsu => "Otsu off",
        }
    }

    /// Returns the message shown while the adjustment is on, with all its parameters.
    #[must_use]
    pub fn on_text(self, choices: &Choices) -> String {
        let mut alone = Adjustments::default();
        self.switch_on(&mut alone, choices);
        match self {
            Self::Lut if alone.is_off() => "no LUT: drop a .cube file on the window, or name one with --lut".to_owned(),
            Self::Lut | Self::CameraLog | Self::Blur | Self::Clahe | Self::Posterize => alone.to_string(),
            Self::Equalize | Self::Channels => {
                format!("{alone}, {}", time_constant_text(choices.equalize.time_constant_secs))
            }
            Self::Otsu if choices.otsu.shown == ClassDisplay::Tones => format!("{alone} as tones"),
            Self::Otsu => alone.to_string(),
        }
    }

    /// Steps a parameter up or down, within its range. Returns the adjustment that is selected afterwards, because the
    /// second parameter of equalization switches between two adjustments.
    #[must_use]
    pub fn step(self, choices: &mut Choices, parameter: Parameter, more: bool) -> Self {
        let main = parameter == Parameter::Main;
        match self {
            Self::CameraLog if main => choices.camera_log = choices.camera_log.step(more),
            Self::Lut | Self::CameraLog => {}
            Self::Blur if main => choices.blur.size = step_whole(choices.blur.size, 2, more),
            Self::Blur => choices.blur.runs = step_whole(choices.blur.runs, 1, more),
            Self::Equalize | Self::Channels if main => {
                step_on(&TIME_CONSTANTS, &mut choices.equalize.time_constant_secs, more);
            }
            Self::Equalize | Self::Channels => return if more { Self::Channels } else { Self::Equalize },
            Self::Clahe if main => step_on(&CLIP_LIMITS, &mut choices.clahe.clip_limit, more),
            Self::Clahe => {
                let (across, down) = choices.clahe.tiles;
                choices.clahe.tiles = (step_whole(across, 1, more), step_whole(down, 1, more));
            }
            Self::Posterize if main => choices.posterize.levels = step_whole(choices.posterize.levels, 1, more),
            Self::Posterize => {
                choices.posterize.placing = if more { Placing::Population } else { Placing::Width };
            }
            Self::Otsu if main => choices.otsu.classes = step_whole(choices.otsu.classes, 1, more),
            Self::Otsu => choices.otsu.shown = if more { ClassDisplay::Colors } else { ClassDisplay::Tones },
        }
        *choices = clamped(*choices);
        self
    }
}

/// Clamps all parameters to their ranges.
fn clamped(choices: Choices) -> Choices {
    let Choices { lut, camera_log, blur, equalize, clahe, posterize, otsu } = choices;
    Choices {
        lut,
        camera_log,
        blur: Blur::clamped(blur),
        equalize: Equalize::clamped(equalize),
        clahe: Clahe::clamped(clahe),
        posterize: Posterize::clamped(posterize),
        otsu: Otsu::clamped(otsu),
    }
}

/// Formats a time constant.
#[must_use]
pub fn time_constant_text(secs: f64) -> String {
    if secs > 0.0 { format!("{secs} s") } else { "immediately".to_owned() }
}

/// Formats a clip limit.
#[must_use]
pub fn clip_limit_text(limit: f64) -> String {
    if limit > 0.0 { limit.to_string() } else { "none".to_owned() }
}

fn step_whole(value: u32, step: u32, more: bool) -> u32 {
    if more { value.saturating_add(step) } else { value.saturating_sub(step) }
}

/// Returns the index of the last of the ascending `stops` that does not exceed the value, or 0 if all do. Among clip
/// limits, 0 is the largest stop.
#[must_use]
pub fn stop_index(stops: &[f64], value: f64) -> usize {
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
    fn lut() -> Lut {
        Lut::parse("a.cube".as_ref(), b"LUT_1D_SIZE 2\n0 0 0\n1 1 1\n").unwrap()
    }

    #[test]
    fn an_adjustment_replaces_others_in_its_position() {
        let choices = Choices { lut: Some(lut()), ..Choices::default() };
        for kind in Adjustment::ALL {
            let mut adjustments = Adjustments::default();
            kind.switch_on(&mut adjustments, &choices);
            assert_eq!(Adjustment::ALL.into_iter().filter(|kind| kind.is_on(&adjustments)).collect::<Vec<_>>(), [kind]);
            kind.switch_off(&mut adjustments);
            assert!(adjustments.is_off(), "{kind:?}");
        }
        let mut adjustments = Adjustments::default();
        for kind in Adjustment::ALL {
            kind.switch_on(&mut adjustments, &choices);
        }
        let on: Vec<_> = Adjustment::ALL.into_iter().filter(|kind| kind.is_on(&adjustments)).collect();
        assert_eq!(on, [Adjustment::CameraLog, Adjustment::Blur, Adjustment::Clahe, Adjustment::Otsu]);
    }

    #[test]
    fn every_parameter_stops_at_both_ends_of_its_range() {
        for (kind, parameter) in
            Adjustment::ALL.into_iter().flat_map(|k| [(k, Parameter::Main), (k, Parameter::Second)])
        {
            for more in [true, false] {
                let (mut choices, mut now) = (Choices::default(), kind);
                for _ in 0..100 {
                    now = now.step(&mut choices, parameter, more);
                    let mut alone = Adjustments::default();
                    now.switch_on(&mut alone, &choices);
                    assert_eq!(alone.clamped(), alone, "{kind:?} {parameter:?}");
                }
                let end = (now, choices);
                assert_eq!((now.step(&mut choices, parameter, more), choices), end, "{kind:?} {parameter:?} goes on");
            }
        }
        let mut choices = Choices::default();
        for _ in 0..100 {
            let _ = Adjustment::Blur.step(&mut choices, Parameter::Main, true);
            let _ = Adjustment::Clahe.step(&mut choices, Parameter::Second, true);
            let _ = Adjustment::Otsu.step(&mut choices, Parameter::Main, true);
        }
        assert_eq!((choices.blur.size, choices.clahe.tiles, choices.otsu.classes), (63, (16, 16), 5));
    }

    #[test]
    fn values_between_two_stops_step_to_either_of_them() {
        let step = |mut value, more| {
            step_on(&CLIP_LIMITS, &mut value, more);
            value
        };
        assert_eq!((step(2.2, true), step(2.2, false)), (2.5, 2.0));
        assert_eq!((step(2.0, true), step(2.0, false)), (2.5, 1.5));
        assert_eq!((step(0.3, true), step(0.3, false)), (1.0, 0.3));
        assert_eq!((step(100.0, true), step(0.0, true), step(0.0, false)), (0.0, 0.0, 100.0), "none is the most");
        let mut secs = 0.05;
        step_on(&TIME_CONSTANTS, &mut secs, false);
        assert_eq!(secs, 0.0);
    }

    #[test]
    fn messages_include_every_parameter() {
        let choices = Choices { lut: Some(lut()), ..Choices::default() };
        let texts = Adjustment::ALL.map(|kind| kind.on_text(&choices));
        assert_eq!(
            texts,
            [
                "LUT a.cube",
                "S-Log3, S-Gamut3.Cine to BT.709",
                "low-pass 9×9",
                "equalized, 0.5 s",
                "equalized by channel, 0.5 s",
                "CLAHE 8×8 clip 2",
                "5 levels",
                "2 classes as tones"
            ]
        );
    }
}
