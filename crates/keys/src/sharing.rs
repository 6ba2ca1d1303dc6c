//! How two pictures share the view, and how their difference is amplified: changes and words.

use super::change::Change;
use histoscope_render::view::scene::{Look, Other, Pair, Scene, Sharing};

/// Returns another way of sharing the view. Returns `None` if there is no such change.
pub fn changed(sharing: Sharing, change: Change) -> Option<Sharing> {
    Some(match (change, sharing) {
        (Change::Switch, Sharing::Alone) | (Change::Next, Sharing::Difference) => Sharing::Divider(0.5),
        (Change::Switch, _) => Sharing::Alone,
        (Change::Next, Sharing::Alone | Sharing::Divider(_)) => Sharing::SideBySide,
        (Change::Next, Sharing::SideBySide) => Sharing::Difference,
        (Change::Step { .. } | Change::To(_), _) => return None,
    })
}

/// Returns the line of a menu for a change.
pub const fn offer(sharing: Sharing, change: Change) -> &'static str {
    match (change, sharing) {
        (Change::Switch, Sharing::Divider(_)) => "Hide the divider",
        (Change::Switch, Sharing::SideBySide) => "Stop showing side by side",
        (Change::Switch, Sharing::Difference) => "Hide the difference",
        (Change::Switch, Sharing::Alone) | (_, Sharing::Difference) => "A divider between both",
        (_, Sharing::Alone | Sharing::Divider(_)) => "Both side by side",
        (_, Sharing::SideBySide) => "Their difference",
    }
}

/// Names the way in which two pictures share the view, or shared it if only one is shown now.
pub const fn name(old: Sharing, new: Sharing) -> &'static str {
    match (old, new) {
        (Sharing::Divider(_), Sharing::Alone) | (_, Sharing::Divider(_)) => "divider",
        (Sharing::SideBySide, Sharing::Alone) | (_, Sharing::SideBySide) => "side by side",
        (_, Sharing::Difference | Sharing::Alone) => "difference",
    }
}

/// Returns the note on a change of how two pictures share the view.
pub fn note(before: Sharing, scene: &Scene) -> String {
    let Look { sharing, gain, .. } = scene.look;
    let none = "; no adjustment or held frame yet";
    let Some(Pair { other, .. }) = scene.paired() else {
        return match sharing {
            Sharing::Alone => format!("{} off", name(before, sharing)),
            Sharing::Divider(_) => format!("divider on{none}"),
            Sharing::SideBySide => format!("side by side{none}"),
            Sharing::Difference => format!("difference {gain}{none}"),
        };
    };
    match (sharing, other) {
        (Sharing::Difference, Other::Source) => format!("difference {gain} to the source"),
        (Sharing::Difference, Other::Held) => format!("difference {gain} to the held frame"),
        (Sharing::Difference, Other::Second) => format!("difference {gain} to the second clip"),
        (Sharing::SideBySide, Other::Source) => "side by side: the source and the result".to_owned(),
        (Sharing::SideBySide, Other::Held) => "side by side: the held frame and the live one".to_owned(),
        (Sharing::SideBySide, Other::Second) => "side by side: the first and the second clip".to_owned(),
        (_, Other::Source) => "divider on: drag it".to_owned(),
        (_, Other::Held) => "divider on, the held frame left of it: drag it".to_owned(),
        (_, Other::Second) => "divider on, the second clip right of it: drag it".to_owned(),
    }
}

/// Returns the line of a menu for a step of the gain.
pub fn gain_offer(change: Change) -> &'static str {
    if change.more() == Some(true) { "Double the difference" } else { "Halve the difference" }
}

/// Returns the note on a step of the gain.
pub fn gain_note(before: &Look, scene: &Scene, change: Change) -> String {
    let look = &scene.look;
    let end = match (before.gain == look.gain, change.more()) {
        (true, Some(true)) => ": the maximum",
        (true, _) => ": differences as they are",
        (false, _) => "",
    };
    let elsewhere =
        if look.sharing == Sharing::Difference { "" } else { "; takes effect when the difference is shown" };
    format!("difference {}{end}{elsewhere}", look.gain)
}
