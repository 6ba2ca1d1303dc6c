//! The fit that the user last chose for pictures of each shape.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use histoscope_keys::{self as keys, Action, Setting};
use histoscope_render::view::placement::{Fit, ViewSettings};

/// The aspect ratio of the displayed picture, width over height to hundredths: `1.78`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Aspect(String);

impl Aspect {
    /// Returns the aspect ratio of a picture of this size.
    fn of(size: glam::DVec2) -> Self {
        Self(format!("{:.2}", size.x / size.y))
    }
}

/// The chosen fit for each shape of pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitChoices {
    /// The fit for shapes without a choice of their own.
    pub fit: Fit,
    /// The chosen fits by shape.
    pub fits: BTreeMap<String, Fit>,
}

/// The chosen fits, and the shape of the picture that the next choice applies to.
#[derive(Debug, Clone, Default)]
pub struct Fits {
    choices: FitChoices,
    /// The shape of the picture on screen, and its last known fit.
    shown: Option<(Aspect, Fit)>,
}

impl Fits {
    /// Starts with the choices of earlier runs.
    #[must_use]
    pub const fn new(choices: FitChoices) -> Self {
        Self { choices, shown: None }
    }

    /// Returns the choices to store.
    #[must_use]
    pub const fn choices(&self) -> &FitChoices {
        &self.choices
    }

    /// Records the current fit of the picture on screen, if the user has changed it.
    pub fn keep(&mut self, fit: Fit) {
        if let Some((aspect, before)) = &mut self.shown
            && *before != fit
        {
            *before = fit;
            self.choices.fits.insert(aspect.0.clone(), fit);
        }
    }

    /// Notes the size of the picture put on a view of `view` pixels. Returns its fit if its shape has changed: without a
    /// choice for it, a high picture on a wide view is contained, since most of it would be cut off.
    pub fn show(&mut self, size: glam::DVec2, view: (u32, u32)) -> Option<Fit> {
        let aspect = Aspect::of(size);
        if self.shown.as_ref().is_some_and(|(shown, _)| *shown == aspect) {
            return None;
        }
        let is_high_on_wide = size.x < size.y && view.0 > view.1;
        let own = self.choices.fits.get(&aspect.0).copied();
        let fit = own.unwrap_or(if is_high_on_wide { Fit::Contain } else { self.choices.fit });
        self.shown = Some((aspect, fit));
        Some(fit)
    }
}

/// Describes how much of the counted picture is in view, and names the key that changes that; `None` if all of it is.
#[must_use]
pub fn visible_share_text(share: f64, is_region: bool, view: &ViewSettings) -> Option<String> {
    let percent = percent(share)?;
    let what = if is_region { "region" } else { "picture" };
    let (action, does) = match view.fit {
        Fit::Cover | Fit::Actual => (Setting::Fit.next(), if view.fit == Fit::Cover { "shows all" } else { "fits it" }),
        Fit::Contain => (Action::ResetView, "undoes the zoom"),
    };
    let key = keys::label_of(action).unwrap_or_default();
    Some(format!("{percent} of the {what} in view · {key} {does}"))
}

/// Formats a share in percent, never as 100 % unless it is all; `None` if it is.
fn percent(share: f64) -> Option<String> {
    let percent = share * 100.0;
    Some(match percent {
        p if p >= 100.0 => return None,
        p if p >= 99.0 => format!("{:.1} %", (p * 10.0).floor() / 10.0),
        p if p >= 1.0 => format!("{:.0} %", p.round()),
        p if p > 0.0 => "less than 1 %".to_owned(),
        _ => "nothing".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A view of 4:3.
    const VIEW: (u32, u32) = (1600, 1200);

    fn size(width: f64, height: f64) -> glam::DVec2 {
        glam::DVec2::new(width, height)
    }

    #[test]
    fn each_shape_has_its_own_choice() {
        let mut fits = Fits::default();
        assert_eq!(fits.show(size(640.0, 480.0), VIEW), Some(Fit::Cover));
        fits.keep(Fit::Contain);
        assert_eq!(fits.show(size(1920.0, 1080.0), VIEW), Some(Fit::Cover));
        assert_eq!(fits.show(size(1280.0, 720.0), VIEW), None, "the same shape");
        fits.keep(Fit::Cover);
        assert_eq!(fits.show(size(1440.0, 1080.0), VIEW), Some(Fit::Contain));
        assert_eq!(fits.choices().fits, BTreeMap::from([("1.33".to_owned(), Fit::Contain)]));
    }

    #[test]
    fn the_single_choice_of_an_earlier_version_applies_to_every_shape_until_changed() {
        let mut fits = Fits::new(FitChoices { fit: Fit::Contain, ..FitChoices::default() });
        assert_eq!(fits.show(size(640.0, 480.0), VIEW), Some(Fit::Contain));
        fits.keep(Fit::Cover);
        assert_eq!(fits.show(size(1920.0, 1080.0), VIEW), Some(Fit::Contain));
        assert_eq!(fits.show(size(640.0, 480.0), VIEW), Some(Fit::Cover));
    }

    #[test]
    fn a_vertical_picture_is_contained_in_a_wide_view_until_the_user_chooses() {
        let mut fits = Fits::default();
        let (vertical, other) = (size(1080.0, 1920.0), size(640.0, 480.0));
        assert_eq!(fits.show(vertical, VIEW), Some(Fit::Contain));
        fits.keep(Fit::Contain);
        assert!(fits.choices().fits.is_empty(), "nobody has chosen it");
        assert_eq!((fits.show(other, VIEW), fits.show(vertical, (1200, 1600))), (Some(Fit::Cover), Some(Fit::Cover)));
        assert_eq!((fits.show(other, VIEW), fits.show(vertical, VIEW)), (Some(Fit::Cover), Some(Fit::Contain)));
        fits.keep(Fit::Cover);
        assert_eq!((fits.show(other, VIEW), fits.show(vertical, VIEW)), (Some(Fit::Cover), Some(Fit::Cover)));
    }

    #[test]
    fn a_partial_share_never_reads_as_all_or_nothing() {
        let texts = [1.0, 0.99999, 0.9951, 0.8249, 0.01, 0.0001, 0.0].map(percent);
        let told: Vec<_> = texts.iter().map(|text| text.as_deref().unwrap_or("-")).collect();
        assert_eq!(told, ["-", "99.9 %", "99.5 %", "82 %", "1 %", "less than 1 %", "nothing"]);
    }

    #[test]
    fn the_text_names_the_key_that_changes_the_view() {
        let text =
            |fit, is_region| visible_share_text(0.75, is_region, &ViewSettings::fitted(fit)).expect("not all is seen");
        assert_eq!(text(Fit::Cover, false), "75 % of the picture in view · c shows all");
        assert_eq!(text(Fit::Actual, true), "75 % of the region in view · c fits it");
        assert_eq!(text(Fit::Contain, false), "75 % of the picture in view · Shift+C undoes the zoom");
    }
}
