//! The last-used parameters of each adjustment, which apply when a key switches it on again.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::camera_log::CameraLog;
use super::lut::Lut;
use super::parameters::{Adjustments, Blur, Clahe, ClassDisplay, Equalize, Otsu, Placing, Posterize, Reduction, Tone};

/// The parameters of every adjustment, whether it is on or off. They are serialized in the syntax of the command line,
/// except the file of a lookup table, which belongs to a folder of videos.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Choices {
    /// The lookup table, if a file has been chosen.
    pub lut: Option<Lut>,
    /// The camera log.
    pub camera_log: CameraLog,
    /// Parameters of the low-pass.
    pub blur: Blur,
    /// Parameters of equalization.
    pub equalize: Equalize,
    /// Parameters of CLAHE.
    pub clahe: Clahe,
    /// Parameters of posterization.
    pub posterize: Posterize,
    /// Parameters of Otsu's classes.
    pub otsu: Otsu,
}

impl Choices {
    /// Remembers the parameters of the adjustments that are on.
    pub fn take(&mut self, adjustments: &Adjustments) {
        let Adjustments { lut, blur, tone, reduction } = adjustments.clamped();
        match lut.map(|lut| (lut, lut.camera())) {
            Some((_, Some(log))) => self.camera_log = log,
            Some((lut, None)) => self.lut = Some(lut),
            None => {}
        }
        self.blur = blur.unwrap_or(self.blur);
        match tone {
            Some(Tone::Equalize(equalize)) => self.equalize = equalize,
            Some(Tone::Clahe(clahe)) => self.clahe = clahe,
            None => {}
        }
        match reduction {
            Some(Reduction::Posterize(posterize)) => self.posterize = posterize,
            Some(Reduction::Otsu(threshold)) => self.otsu = threshold,
            None => {}
        }
    }
}

/// The serialized form of [`Choices`].
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Written {
    camera_log: String,
    low_pass: String,
    equalize: String,
    clahe: String,
    posterize: String,
    otsu: String,
}

impl From<Written> for Choices {
    fn from(written: Written) -> Self {
        Self {
            lut: None,
            camera_log: read(&written.camera_log),
            blur: read(&written.low_pass),
            equalize: read(&written.equalize),
            clahe: read(&written.clahe),
            posterize: read(&written.posterize),
            otsu: read(&written.otsu),
        }
    }
}

/// Parses a parameter. An invalid or missing one gets its default, which is better than rejecting the whole file.
fn read<T: FromStr + Default>(text: &str) -> T {
    text.parse().unwrap_or_default()
}

impl From<Choices> for Written {
    fn from(choices: Choices) -> Self {
        let Choices { lut: _, camera_log, blur, equalize, clahe, posterize, otsu } = choices;
        let what = if equalize.per_channel { "channels" } else { "luminance" };
        let placing = match posterize.placing {
            Placing::Width => "width",
            Placing::Population => "population",
        };
        let shown = match otsu.shown {
            ClassDisplay::Tones => "tones",
            ClassDisplay::Colors => "colors",
        };
        Self {
            camera_log: camera_log.word().to_owned(),
            low_pass: format!("{}x{}", blur.size, blur.runs),
            equalize: format!("{what}:{}", equalize.time_constant_secs),
            clahe: format!("{}x{}:{}", clahe.tiles.0, clahe.tiles.1, clahe.clip_limit),
            posterize: format!("{}:{placing}", posterize.levels),
            otsu: format!("{}:{shown}", otsu.classes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed() -> Choices {
        Choices {
            lut: None,
            camera_log: CameraLog::LogC4,
            blur: Blur { size: 15, runs: 3 },
            equalize: Equalize { per_channel: true, time_constant_secs: 0.25 },
            clahe: Clahe { tiles: (4, 6), clip_limit: 3.5 },
            posterize: Posterize { levels: 7, placing: Placing::Population },
            otsu: Otsu { classes: 4, shown: ClassDisplay::Colors },
        }
    }

    #[test]
    fn parameters_are_serialized_as_on_the_command_line_and_read_back() {
        let text = serde_json::to_string(&changed()).unwrap();
        for part in ["\"logc4\"", "\"15x3\"", "\"channels:0.25\"", "\"4x6:3.5\"", "\"7:population\"", "\"4:colors\""] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(serde_json::from_str::<Choices>(&text).unwrap(), changed());
    }

    #[test]
    fn invalid_parameters_get_defaults_and_the_rest_is_kept() {
        let text = r#"{"low_pass": "64", "clahe": "2x2:5", "otsu": "nine", "of a later version": 1}"#;
        let read = serde_json::from_str::<Choices>(text).unwrap();
        assert_eq!(read, Choices { clahe: Clahe { tiles: (2, 2), clip_limit: 5.0 }, ..Choices::default() });
    }

    #[test]
    fn parameters_of_active_adjustments_are_taken_and_the_rest_is_kept() {
        let mut choices = changed();
        let blur = Some(Blur { size: 5, runs: 2 });
        choices.take(&Adjustments { blur, tone: Some(Tone::Clahe(Clahe::default())), ..Adjustments::default() });
        assert_eq!(choices, Choices { blur: Blur { size: 5, runs: 2 }, clahe: Clahe::default(), ..changed() });
    }
}
