//! How pictures of each shape fit the window, as they were left.

use std::collections::BTreeMap;

use histoscope_render::view::placement::Fit;

/// The shape of a picture as it is seen, width over height to hundredths: `1.78`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aspect(String);

impl Aspect {
    /// The shape of a picture of that size.
    #[must_use]
    pub fn of(size: glam::DVec2) -> Self {
        Self(format!("{:.2}", size.x / size.y))
    }
}

/// The choices of fit.
#[derive(Debug, Clone, Default)]
pub struct Fits {
    /// What pictures of a shape have that nothing was chosen for.
    pub otherwise: Fit,
    /// What was chosen, by shape.
    pub chosen: BTreeMap<String, Fit>,
    /// The shape of the picture on screen.
    shown: Option<Aspect>,
}

impl Fits {
    /// Those of earlier runs.
    #[must_use]
    pub const fn new(otherwise: Fit, chosen: BTreeMap<String, Fit>) -> Self {
        Self { otherwise, chosen, shown: None }
    }

    /// Notes how the picture on screen fits now.
    pub fn keep(&mut self, fit: Fit) {
        if let Some(Aspect(shape)) = &self.shown
            && *self.chosen.get(shape).unwrap_or(&self.otherwise) != fit
        {
            self.chosen.insert(shape.clone(), fit);
        }
    }

    /// Notes the shape of the picture that comes on screen; how it is to fit, where that shape is another one.
    pub fn show(&mut self, aspect: Aspect) -> Option<Fit> {
        if self.shown.as_ref() == Some(&aspect) {
            return None;
        }
        let fit = *self.chosen.get(&aspect.0).unwrap_or(&self.otherwise);
        self.shown = Some(aspect);
        Some(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aspect(width: f64, height: f64) -> Aspect {
        Aspect::of(glam::DVec2::new(width, height))
    }

    #[test]
    fn each_shape_has_a_choice_of_its_own() {
        let mut fits = Fits::default();
        assert_eq!(fits.show(aspect(640.0, 480.0)), Some(Fit::Cover));
        fits.keep(Fit::Contain);
        assert_eq!(fits.show(aspect(1920.0, 1080.0)), Some(Fit::Cover));
        assert_eq!(fits.show(aspect(1280.0, 720.0)), None, "the same shape");
        fits.keep(Fit::Cover);
        assert_eq!(fits.show(aspect(1440.0, 1080.0)), Some(Fit::Contain));
        assert_eq!(fits.chosen, BTreeMap::from([("1.33".to_owned(), Fit::Contain)]));
    }

    #[test]
    fn the_one_choice_of_an_earlier_version_holds_for_every_shape_until_another_is_made() {
        let mut fits = Fits::new(Fit::Contain, BTreeMap::new());
        assert_eq!(fits.show(aspect(640.0, 480.0)), Some(Fit::Contain));
        fits.keep(Fit::Cover);
        assert_eq!(fits.show(aspect(1920.0, 1080.0)), Some(Fit::Contain));
        assert_eq!(fits.show(aspect(640.0, 480.0)), Some(Fit::Cover));
    }
}
