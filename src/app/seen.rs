//! What is said where counted pixels are not seen: how much of them is in view, and which key changes that.

use crate::keys::{self, Action};
use histoscope_render::view::placement::{Fit, ViewSettings};

/// A share of the counted picture that is in view, in words; nothing where all of it is.
#[must_use]
pub fn text(share: f64, is_region: bool, view: &ViewSettings) -> Option<String> {
    let percent = percent(share)?;
    let what = if is_region { "region" } else { "picture" };
    let (action, does) = match view.fit {
        Fit::Cover | Fit::Actual => (Action::NextFit, if view.fit == Fit::Cover { "shows all" } else { "fits it" }),
        Fit::Contain => (Action::ResetView, "undoes the zoom"),
    };
    let key = keys::label_of(action).unwrap_or_default();
    Some(format!("{percent} of the {what} in view · {key} {does}"))
}

/// A share in percent that never reads as all; nothing where it is all.
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

    #[test]
    fn the_share_never_reads_as_all_or_as_nothing_where_it_is_not() {
        let texts = [1.0, 0.99999, 0.9951, 0.8249, 0.01, 0.0001, 0.0].map(percent);
        let told: Vec<_> = texts.iter().map(|text| text.as_deref().unwrap_or("-")).collect();
        assert_eq!(told, ["-", "99.9 %", "99.5 %", "82 %", "1 %", "less than 1 %", "nothing"]);
    }

    #[test]
    fn the_key_is_the_one_that_changes_it() {
        let text = |fit, is_region| text(0.75, is_region, &ViewSettings::fitted(fit)).expect("not all is seen");
        assert_eq!(text(Fit::Cover, false), "75 % of the picture in view · c shows all");
        assert_eq!(text(Fit::Actual, true), "75 % of the region in view · c fits it");
        assert_eq!(text(Fit::Contain, false), "75 % of the picture in view · Shift+C undoes the zoom");
    }
}
