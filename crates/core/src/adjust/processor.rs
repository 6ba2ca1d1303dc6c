//! The whole chain of adjustments on the CPU.

use super::parameters::{Adjustments, Placing, Posterize, Reduction, Tone};
use super::{Codes, blur, clahe, equalize, lut, otsu, posterize};
use crate::picture::{Picture, PictureError};

/// The chain of adjustments on the CPU. It keeps equalization's smoothed curves from one picture to the next.
#[derive(Debug, Clone, Default)]
pub struct Processor {
    /// The smoothed curve of luminance, or the three of red, green and blue.
    curves: Vec<Vec<u32>>,
    thresholds: Option<[u32; 4]>,
}

impl Processor {
    /// Returns the adjusted picture. `elapsed_secs` is the time since the previous picture, or `None` for the first one
    /// and after a jump.
    ///
    /// # Errors
    /// Never in practice: an adjusted picture has as many pixels as its source.
    pub fn apply(
        &mut self,
        picture: &Picture,
        adjustments: &Adjustments,
        elapsed_secs: Option<f64>,
    ) -> Result<Picture, PictureError> {
        if adjustments.is_off() {
            *self = Self::default();
            return Ok(picture.clone());
        }
        let adjustments = adjustments.for_range(picture.colorimetry().range.value);
        self.apply_to_codes(Codes::of(picture), &adjustments, elapsed_secs).picture()
    }

    /// Adjusts codes, like [`apply`](Self::apply).
    #[must_use]
    pub fn apply_to_codes(&mut self, mut codes: Codes, adjustments: &Adjustments, elapsed_secs: Option<f64>) -> Codes {
        let Adjustments { lut, blur, tone, reduction } = adjustments.clamped();
        self.thresholds = None;
        if let Some(lut) = lut {
            codes = lut::apply(codes, lut);
        }
        if let Some(blur) = blur {
            codes = blur::apply(codes, blur);
        }
        match tone {
            Some(Tone::Equalize(equalize)) => codes = self.equalize(codes, equalize, elapsed_secs),
            Some(Tone::Clahe(clahe)) => codes = clahe::apply(codes, clahe),
            None => {}
        }
        if !matches!(tone, Some(Tone::Equalize(_))) {
            self.curves.clear();
        }
        match reduction {
            Some(Reduction::Posterize(posterize)) => posterized(codes, posterize),
            Some(Reduction::Otsu(threshold)) => {
                let thresholds = otsu::thresholds(&codes.luminance_bins(), threshold.classes as usize);
                self.thresholds = Some(std::array::from_fn(|i| thresholds.get(i).copied().unwrap_or(u32::MAX)));
                otsu::apply(codes, &thresholds, threshold)
            }
            None => codes,
        }
    }

    /// Returns the first luminance codes of the second to fifth classes in the last picture, with `u32::MAX` for
    /// classes that do not exist. Returns `None` if the picture was not segmented.
    #[must_use]
    pub const fn thresholds(&self) -> Option<[u32; 4]> {
        self.thresholds
    }

    fn equalize(&mut self, codes: Codes, parameters: super::Equalize, elapsed_secs: Option<f64>) -> Codes {
        let weight = equalize::weight(elapsed_secs, parameters.time_constant_secs);
        let bins = if parameters.per_channel { codes.channel_bins().to_vec() } else { vec![codes.luminance_bins()] };
        // Smoothing restarts if the kind of curves changed.
        if self.curves.len() != bins.len() {
            self.curves.clear();
            self.curves.resize(bins.len(), Vec::new());
        }
        let follow = |(state, bins): (&mut _, &Vec<u32>)| equalize::follow(state, &equalize::curve(bins), weight);
        let mut curves: Vec<_> = self.curves.iter_mut().zip(&bins).map(follow).collect();
        if parameters.per_channel {
            return equalize::apply_to_channels(codes, &std::array::from_fn(|i| std::mem::take(&mut curves[i])));
        }
        equalize::apply_to_luminance(codes, &curves[0])
    }
}

fn posterized(codes: Codes, Posterize { levels, placing }: Posterize) -> Codes {
    let curves = match placing {
        Placing::Width => std::array::from_fn(|_| posterize::equal_width(1 << codes.bits, levels)),
        Placing::Population => codes.channel_bins().map(|bins| posterize::equal_population(&bins, levels)),
    };
    equalize::apply_to_channels(codes, &curves)
}
