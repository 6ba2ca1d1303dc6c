//! Changes the look of the picture on behalf of keys, the menu, panels and the pointer, and describes each change for
//! notes, the menu and undo.

use super::action::Action;
use super::label::{self, Label, State};
use histoscope_core::adjust::{Adjustments, Gain};
use histoscope_core::histogram::Components;
use histoscope_core::scopes::Diagram;
use histoscope_core::scopes::graticule::Unit;
use histoscope_core::tone_map::ToneMapping;
use histoscope_render::view::datascope::Datascope;
use histoscope_render::view::exposure::{Exposure, FalseColor};
use histoscope_render::view::overlay::{Arrangement, BarScale, Overlaps, OverlayStyle};
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::scene::{Counted, Look, Other, Pair, Scene, Sharing};
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};

/// Step of the histograms' height, as a fraction of the window's height.
const HEIGHT_STEP: f32 = 0.05;
/// Largest fraction of the window's height that histograms may take: the controls need the rest.
const MAX_HEIGHT: f32 = 0.7;
/// Step of the histograms' opacity.
const OPACITY_STEP: f32 = 0.1;

/// Returns the element after `current`, wrapping around at the end.
pub fn next_of<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current).map_or(0, |at| at + 1);
    all.get(at).or(all.first()).copied().unwrap_or(current)
}

/// Applies an action to the look of pictures with `bits` bits per code. Returns `false` if the action is not about the
/// look, or is for a channel that does not exist.
pub fn apply(look: &mut Look, (components, bits): (Components, u32), action: Action) -> bool {
    let step = |more: bool| if more { 1.0 } else { -1.0 };
    let Look { histograms, scopes, exposure, .. } = look;
    match action {
        // Y', Cb and Cr are three channels; the fourth key has nothing to show or hide.
        Action::ToggleChannel(channel) if channel >= components.channel_names().len() => return false,
        Action::ToggleChannel(channel) => look.channels.toggle(channel),
        Action::ToggleOverlays => look.overlays = !look.overlays,
        Action::ToggleWaveform => toggle_scope(scopes, ScopeKind::Waveform),
        Action::ToggleParade => toggle_scope(scopes, ScopeKind::Parade),
        Action::ToggleVectorscope => toggle_scope(scopes, ScopeKind::Vectorscope),
        Action::ToggleScopes => toggle_scopes(look),
        Action::ToggleSplit => {
            scopes.layout = if scopes.layout == Layout::Strip { Layout::Split } else { Layout::Strip };
        }
        Action::SetUnit(unit) => scopes.unit = unit,
        Action::SetZoom(zoom) => scopes.zoom = zoom,
        Action::NextZoom => scopes.zoom = next_of(&ScopeStyle::ZOOMS, scopes.zoom),
        Action::SetDiagram(diagram) => scopes.diagram = diagram,
        Action::NextDiagram => scopes.diagram = next_of(&Diagram::ALL, scopes.diagram),
        Action::ToggleWhite => scopes.white = !scopes.white,
        Action::ToggleSkinTone => scopes.skin = !scopes.skin,
        Action::ToggleCurves => look.curves = !look.curves,
        Action::NextArrangement => histograms.arrangement = next_of(&Arrangement::ALL, histograms.arrangement),
        Action::Enlarge { more } => {
            histograms.height = stepped(histograms.height, HEIGHT_STEP * step(more), (0.1, MAX_HEIGHT));
        }
        Action::Opaque { more } => {
            let least = *OverlayStyle::OPACITIES.start();
            histograms.opacity = stepped(histograms.opacity, OPACITY_STEP * step(more), (least, 1.0));
        }
        Action::NextScale => histograms.scale = next_of(&BarScale::ALL, histograms.scale),
        Action::ToggleBackdrop => histograms.backdrop = !histograms.backdrop,
        Action::ToggleLinear => histograms.linear_luminance = !histograms.linear_luminance,
        Action::SetBins(bins) => histograms.bins = bins,
        Action::SetOverlaps(overlaps) => histograms.overlaps = overlaps,
        Action::ToggleZebra => exposure.zebra = !exposure.zebra,
        // Changing the level also turns the zebra on, so that the change is visible.
        Action::StepZebra { more } => {
            *exposure = Exposure { zebra: true, level: exposure.level.stepped(more, bits), ..*exposure };
        }
        Action::ToggleMarks => exposure.marks = !exposure.marks,
        Action::NextMarks => *exposure = Exposure { marks: true, limits: exposure.limits.next(), ..*exposure },
        Action::ToggleFalseColor => exposure.false_color.shown = !exposure.false_color.shown,
        Action::NextFalseColor => {
            let table = exposure.false_color.table.next();
            exposure.false_color = FalseColor { shown: true, table, ..exposure.false_color };
        }
        Action::NextDatascope => look.datascope = next_of(&Datascope::ALL, look.datascope),
        Action::NextToneMapping => look.tone_mapping = next_of(&ToneMapping::ALL, look.tone_mapping),
        Action::StepExposure { more } => look.stops = look.stops.stepped(more),
        Action::NextFit => look.view = ViewSettings::fitted(next_of(&Fit::ALL, look.view.fit)),
        Action::ResetView => (look.view, look.stops) = Default::default(),
        Action::NextCounted => look.counted = next_of(&Counted::ALL, look.counted),
        Action::ToggleDivider => {
            look.sharing = if look.sharing == Sharing::Alone { Sharing::Divider(0.5) } else { Sharing::Alone };
        }
        Action::NextSharing => {
            look.sharing = match look.sharing {
                Sharing::Alone | Sharing::Divider(_) => Sharing::SideBySide,
                Sharing::SideBySide => Sharing::Difference,
                Sharing::Difference => Sharing::Divider(0.5),
            };
        }
        Action::StepGain { more } => look.gain = look.gain.stepped(more),
        _ => return false,
    }
    true
}

/// Returns the note on an action that has been applied to the look of a scene; `before` is the previous look.
pub fn note(before: &Look, scene: &Scene, components: Components, action: Action) -> Option<String> {
    let look = &scene.look;
    match action {
        Action::ToggleDivider | Action::NextSharing => return Some(sharing_note(scene, before.sharing)),
        Action::StepGain { more } => return Some(gain_note(before.gain, look, more)),
        Action::ResetView => return Some("view reset".to_owned()),
        _ => {}
    }
    let (name, state) = named(look, components, action)?;
    let text = label::note(name, &state);
    Some(match (action, components) {
        (Action::NextDatascope, _) if look.datascope == Datascope::Off => text,
        (Action::NextDatascope, Components::Rgbl) => format!("{text}  ·  from 16:1 on, red over green over blue"),
        (Action::NextDatascope, Components::YCbCr) => format!("{text}  ·  from 16:1 on, Y' over Cb over Cr"),
        (Action::NextCounted, _) if look.adjustments.is_off() => {
            format!("{text}; takes effect when an adjustment is on")
        }
        _ => text,
    })
}

/// Returns the line of a menu for an action that would change a look.
pub fn offer(look: &Look, components: Components, action: Action) -> Option<String> {
    let (name, state) = named(look, components, action)?;
    Some(match super::label(action)? {
        Label::Switch(_) => Label::Switch(name).offer(&state),
        label => label.offer(&state),
    })
}

/// Returns the line of a menu for one of several values, and whether that value is the current one.
pub fn value(look: &Look, components: Components, action: Action) -> Option<(String, bool)> {
    let mut chosen = *look;
    apply(&mut chosen, (components, 8), action);
    let state = state(&chosen, action)?;
    Some((super::label(action)?.value(&state), chosen == *look))
}

/// Returns the name and the state of the setting that an action changes.
fn named(look: &Look, components: Components, action: Action) -> Option<(&'static str, State)> {
    let action = match action {
        Action::StepZebra { .. } => Action::ToggleZebra,
        Action::NextMarks => Action::ToggleMarks,
        Action::NextFalseColor => Action::ToggleFalseColor,
        action => action,
    };
    let name = match action {
        Action::ToggleChannel(channel) => components.channel_names().get(channel)?,
        action => super::label(action)?.name(),
    };
    Some((name, state(look, action)?))
}

/// Returns the state of the setting that an action changes.
fn state(look: &Look, action: Action) -> Option<State> {
    let Look { histograms, scopes, exposure, .. } = look;
    let is_shown_as = |is_shown: bool, value: String| if is_shown { State::Is(value) } else { State::Off };
    let percent = |part: f32| State::Is(format!("{:.0} %", part * 100.0));
    Some(match action {
        Action::ToggleChannel(channel) => look.channels.contains(channel).into(),
        Action::ToggleOverlays => look.overlays.into(),
        Action::ToggleWaveform => scopes.waveform.into(),
        Action::ToggleParade => scopes.parade.into(),
        Action::ToggleVectorscope => scopes.vectorscope.into(),
        Action::ToggleScopes => (look.overlays || scopes.any()).into(),
        Action::ToggleSplit => (scopes.layout == Layout::Split).into(),
        Action::SetUnit(_) => State::Is(scopes.unit.name().to_owned()),
        Action::SetZoom(_) | Action::NextZoom => State::Is(format!("{}×", scopes.zoom)),
        Action::SetDiagram(_) | Action::NextDiagram => State::Is(scopes.diagram.name().to_owned()),
        Action::ToggleWhite => scopes.white.into(),
        Action::ToggleSkinTone => scopes.skin.into(),
        Action::ToggleCurves => look.curves.into(),
        Action::NextArrangement => State::Is(histograms.arrangement.name().to_owned()),
        Action::Enlarge { .. } => percent(histograms.height),
        Action::Opaque { .. } => percent(histograms.opacity),
        Action::NextScale => State::Is(histograms.scale.name().to_owned()),
        Action::ToggleBackdrop => histograms.backdrop.into(),
        Action::ToggleLinear => histograms.linear_luminance.into(),
        Action::SetBins(_) => {
            State::Is(histograms.bins.map_or_else(|| "one per code".to_owned(), |count| count.to_string()))
        }
        Action::SetOverlaps(_) => State::Is(histograms.overlaps.name().to_owned()),
        Action::ToggleZebra => is_shown_as(exposure.zebra, format!("{} and above", exposure.level.text())),
        Action::ToggleMarks => is_shown_as(exposure.marks, exposure.limits.text()),
        Action::ToggleFalseColor => {
            is_shown_as(exposure.false_color.shown, exposure.false_color.table.text().to_owned())
        }
        Action::NextDatascope => is_shown_as(look.datascope != Datascope::Off, look.datascope.name().to_owned()),
        Action::NextToneMapping => State::Is(look.tone_mapping.name().to_owned()),
        Action::StepExposure { .. } => State::Is(look.stops.to_string()),
        Action::NextFit => State::Is(look.view.fit.name().to_owned()),
        Action::NextCounted => State::Is(look.counted.name().to_owned()),
        _ => return None,
    })
}

/// The actions whose states describe how two looks differ, in this order. The values in them are placeholders.
const REPORTED: [Action; 31] = [
    Action::ToggleChannel(0),
    Action::ToggleChannel(1),
    Action::ToggleChannel(2),
    Action::ToggleChannel(3),
    Action::ToggleOverlays,
    Action::ToggleWaveform,
    Action::ToggleParade,
    Action::ToggleVectorscope,
    Action::ToggleSplit,
    Action::SetUnit(Unit::Percent),
    Action::NextDiagram,
    Action::NextZoom,
    Action::ToggleWhite,
    Action::ToggleSkinTone,
    Action::ToggleFalseColor,
    Action::ToggleZebra,
    Action::ToggleMarks,
    Action::NextDatascope,
    Action::NextToneMapping,
    Action::StepExposure { more: true },
    Action::NextArrangement,
    Action::Enlarge { more: true },
    Action::Opaque { more: true },
    Action::NextScale,
    Action::ToggleBackdrop,
    Action::ToggleLinear,
    Action::SetBins(None),
    Action::SetOverlaps(Overlaps::Light),
    Action::ToggleCurves,
    Action::NextFit,
    Action::NextCounted,
];

/// Lists how two looks differ, in the words of the notes.
pub fn changes(before: &Look, after: &Look, components: Components) -> Vec<String> {
    let stated = REPORTED.into_iter().filter_map(|action| {
        let (name, state) = named(after, components, action)?;
        (named(before, components, action)?.1 != state).then(|| label::note(name, &state))
    });
    let (scopes, style) = (&before.scopes, &after.scopes);
    let has_other_gain = (scopes.gain - style.gain).abs() > 1e-6;
    let has_other_sizes = (scopes.picture, scopes.widths) != (style.picture, style.widths);
    let (old, new) = (&before.view, &after.view);
    let zooms = (new.zoom - old.zoom).abs() > 1e-9;
    // Changing the fit also resets the zoom and centres the picture.
    let is_fitted = old.fit != new.fit;
    let others = [
        (has_other_gain, format!("trace brightness: {:.0} %", style.gain * 100.0)),
        (has_other_sizes, "size of the scopes".to_owned()),
        (zooms && !is_fitted, "zoom".to_owned()),
        (old != new && !zooms && !is_fitted, "position of the picture".to_owned()),
        (before.adjustments != after.adjustments, adjustments_text(&before.adjustments, &after.adjustments)),
        (before.gain != after.gain, format!("gain {}", after.gain)),
        (before.sharing != after.sharing, sharing_name(before.sharing, after.sharing).to_owned()),
    ];
    stated.chain(others.into_iter().filter_map(|(differs, text)| differs.then_some(text))).collect()
}

/// Lists the steps of the chain that were added, removed or changed.
fn adjustments_text(old: &Adjustments, new: &Adjustments) -> String {
    let changed = old.steps().into_iter().zip(new.steps()).filter(|(old, new)| old != new);
    let texts = changed.map(|(old, new)| if new.is_off() { format!("{old} off") } else { new.to_string() });
    texts.collect::<Vec<_>>().join(", ")
}

/// Names the way in which two pictures share the view, or shared it if only one is shown now.
const fn sharing_name(old: Sharing, new: Sharing) -> &'static str {
    match (old, new) {
        (Sharing::Divider(_), Sharing::Alone) | (_, Sharing::Divider(_)) => "divider",
        (Sharing::SideBySide, Sharing::Alone) | (_, Sharing::SideBySide) => "side by side",
        (_, Sharing::Difference | Sharing::Alone) => "difference",
    }
}

/// Returns the note on a change of how two pictures share the view.
fn sharing_note(scene: &Scene, before: Sharing) -> String {
    let Look { sharing, gain, .. } = scene.look;
    let none = "; no adjustment or held frame yet";
    let Some(Pair { other, .. }) = scene.paired() else {
        return match sharing {
            Sharing::Alone => format!("{} off", sharing_name(before, sharing)),
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

/// Returns the note on a step of the gain.
fn gain_note(before: Gain, look: &Look, more: bool) -> String {
    let end = match (before == look.gain, more) {
        (true, true) => ": the maximum",
        (true, false) => ": differences as they are",
        (false, _) => "",
    };
    let elsewhere =
        if look.sharing == Sharing::Difference { "" } else { "; takes effect when the difference is shown" };
    format!("difference {}{end}{elsewhere}", look.gain)
}

/// Shows or hides a scope. Choosing a single scope forgets the scopes that were hidden together.
fn toggle_scope(scopes: &mut ScopeStyle, kind: ScopeKind) {
    scopes.hidden = None;
    scopes.toggle(kind);
}

/// Hides all scopes, or shows again the ones that were hidden together, or the histograms if there are none. Showing
/// only the histograms in between does not forget the others.
fn toggle_scopes(look: &mut Look) {
    let shown = ScopeKind::ALL.map(|kind| look.scopes.shows(kind, look.overlays));
    let back = if shown.contains(&true) {
        let before = look.scopes.hidden.unwrap_or_default();
        look.scopes.hidden = Some(std::array::from_fn(|scope| shown[scope] || before[scope]));
        [false; 4]
    } else {
        look.scopes.hidden.take().unwrap_or([true, false, false, false])
    };
    [look.overlays, look.scopes.waveform, look.scopes.parade, look.scopes.vectorscope] = back;
}

/// Moves a value by one step, to a multiple of the step, within its limits.
fn stepped(value: f32, step: f32, (least, most): (f32, f32)) -> f32 {
    let steps = (value / step.abs()).round() + step.signum();
    (steps * step.abs()).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Blur, Equalize, Tone};
    use histoscope_render::view::exposure::FalseColorTable;

    #[test]
    fn steps_stay_on_multiples_and_within_limits() {
        assert!((stepped(0.25, 0.05, (0.1, 0.7)) - 0.3).abs() < 1e-6);
        assert!((stepped(0.7, 0.05, (0.1, 0.7)) - 0.7).abs() < 1e-6);
        assert!((stepped(0.1, -0.05, (0.1, 0.7)) - 0.1).abs() < 1e-6);
        let mut height = 0.25;
        for _ in 0..5 {
            height = stepped(height, 0.05, (0.1, 0.7));
        }
        assert!((height - 0.5).abs() < 1e-6, "{height} after five steps");
    }

    /// Returns which scopes are shown after these actions, in the order of `ScopeKind::ALL`.
    fn shown_after(actions: &[Action]) -> [bool; 4] {
        let mut look = Look::default();
        for &action in actions {
            assert!(apply(&mut look, (Components::Rgbl, 8), action));
        }
        ScopeKind::ALL.map(|kind| look.scopes.shows(kind, look.overlays))
    }

    #[test]
    fn scopes_hidden_together_return_together_unless_others_were_chosen() {
        use Action::{
            ToggleFalseColor, ToggleOverlays, ToggleScopes, ToggleVectorscope as Vectorscope,
            ToggleWaveform as Waveform,
        };
        let all_but_parade = [true, true, false, true];
        let with = |more: &[Action]| shown_after(&[&[Waveform, Vectorscope, ToggleScopes], more].concat());
        assert_eq!(with(&[]), [false; 4]);
        assert_eq!(with(&[ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleFalseColor, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleOverlays]), [true, false, false, false]);
        assert_eq!(with(&[ToggleOverlays, ToggleScopes]), [false; 4]);
        assert_eq!(with(&[ToggleOverlays, ToggleScopes, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleOverlays, ToggleOverlays, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[Waveform, ToggleScopes, ToggleScopes]), [false, true, false, false]);
        assert_eq!(with(&[Waveform, Waveform, ToggleScopes]), [true, false, false, false]);
    }

    #[test]
    fn an_action_without_a_target_changes_nothing() {
        let mut look = Look::default();
        assert!(!apply(&mut look, (Components::YCbCr, 8), Action::ToggleChannel(3)));
        assert!(!apply(&mut look, (Components::Rgbl, 8), Action::TogglePause));
        assert_eq!(look, Look::default());
        assert!(apply(&mut look, (Components::Rgbl, 8), Action::ToggleChannel(3)));
        assert!(!look.channels.contains(3));
    }

    /// Returns the changes reported for a change of the default look.
    fn told(change: impl FnOnce(&mut Look)) -> String {
        let mut look = Look::default();
        change(&mut look);
        changes(&Look::default(), &look, Components::Rgbl).join(", ")
    }

    #[test]
    fn a_change_is_described_in_the_words_of_its_note() {
        for action in REPORTED.into_iter().chain([Action::StepZebra { more: true }, Action::NextFalseColor]) {
            let (before, mut look) = (Look::default(), Look::default());
            // Choosing a default value is no change.
            let action = match action {
                Action::SetUnit(_) => Action::SetUnit(Unit::Codes),
                Action::SetBins(_) => Action::SetBins(Some(64)),
                Action::SetOverlaps(_) => Action::SetOverlaps(Overlaps::Table),
                Action::Opaque { .. } => Action::Opaque { more: false },
                action => action,
            };
            assert!(apply(&mut look, (Components::Rgbl, 8), action), "{action:?}");
            let note = note(&before, &Scene::from(look), Components::Rgbl, action).expect("it has a note");
            let told = changes(&before, &look, Components::Rgbl);
            assert_eq!(told.len(), 1, "{action:?}: {told:?}");
            assert!(note.starts_with(&told[0]), "{note} is told as {}", told[0]);
        }
    }

    #[test]
    fn undo_describes_every_setting_that_has_a_key() {
        let keyed = crate::TABLE.iter().flat_map(|row| row.keys).map(|key| key.action);
        // Showing and hiding all scopes is described scope by scope.
        for action in keyed.filter(|&action| action != Action::ToggleScopes) {
            let kind = std::mem::discriminant(&action);
            let is_reported = REPORTED.iter().any(|reported| std::mem::discriminant(reported) == kind);
            assert_eq!(state(&Look::default(), action).is_some(), is_reported, "{action:?}");
        }
    }

    #[test]
    fn changes_without_a_key_are_described_too() {
        assert_eq!(told(|look| look.view.zoom = 2.0), "zoom");
        assert_eq!(told(|look| look.view.centre.x = 0.4), "position of the picture");
        assert_eq!(told(|look| look.view = ViewSettings::fitted(Fit::Contain)), "fit: contain");
        assert_eq!(told(|look| look.scopes.gain = 0.5), "trace brightness: 50 %");
        assert_eq!(told(|look| look.exposure.zebra = true), "zebra: 95 % and above");
        let steps = |look: &mut Look| {
            look.exposure.false_color =
                FalseColor { shown: true, table: FalseColorTable::Steps, ..FalseColor::default() };
        };
        assert_eq!(told(steps), "false colour: ten equal steps");
        assert_eq!(told(|_| ()), "");
        let all = told(|look| (0..4).for_each(|channel| look.channels.toggle(channel)));
        assert_eq!(all, "red off, green off, blue off, luminance off");
    }

    #[test]
    fn only_steps_of_the_adjustments_that_differ_are_described() {
        let blur = Some(Blur { size: 9, runs: 1 });
        assert_eq!(told(|look| look.adjustments.blur = blur), "low-pass 9×9");
        let off = Look::default();
        let on = Look { adjustments: Adjustments { blur, ..Adjustments::default() }, ..off };
        let mut both = on;
        both.adjustments.tone = Some(Tone::Equalize(Equalize::default()));
        let told = |before: &Look, after: &Look| changes(before, after, Components::Rgbl).join(", ");
        assert_eq!(told(&on, &off), "low-pass 9×9 off");
        assert_eq!(told(&on, &both), "equalized");
        assert_eq!(told(&both, &on), "equalized off");
        assert_eq!(told(&both, &off), "low-pass 9×9 off, equalized off");
    }
}
