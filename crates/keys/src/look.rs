//! Changes the look of the picture on behalf of keys, the menu, panels and the pointer, and describes each change for
//! notes, the menu and undo.

use super::action::Action;
use super::change::Change;
use super::label::{Label, State};
use super::settings::{Setting, Words};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::Components;
use histoscope_render::view::scene::{Look, Scene};

/// Applies an action to the look of pictures with `bits` bits per code. Returns `false` if the action is not about the
/// look, or is for a channel that does not exist.
pub fn apply(look: &mut Look, (components, bits): (Components, u32), action: Action) -> bool {
    match action {
        // Y', Cb and Cr are three channels; the fourth key has nothing to show or hide.
        Action::Change(Setting::Luminance, _) if components == Components::YCbCr => false,
        Action::Change(setting, change) => setting.apply(look, change, bits).is_some(),
        Action::ResetView => {
            (look.view, look.stops) = Default::default();
            true
        }
        _ => false,
    }
}

/// Returns the note on an action that has been applied to the look of a scene; `before` is the previous look.
pub fn note(before: &Look, scene: &Scene, components: Components, action: Action) -> Option<String> {
    let Action::Change(setting, change) = action else {
        return (action == Action::ResetView).then(|| "view reset".to_owned());
    };
    match setting.words() {
        Words::Of { remark, .. } => {
            let (label, state) = named(&scene.look, components, setting)?;
            Some(label.note(&state) + remark(&scene.look, components))
        }
        Words::Own { note, .. } => Some(note(before, scene, change)),
    }
}

/// Returns the line of a menu for an action that would change a look.
pub fn offer(look: &Look, components: Components, action: Action) -> Option<String> {
    let Action::Change(setting, change) = action else { return None };
    match setting.words() {
        Words::Of { .. } => named(look, components, setting).map(|(label, state)| label.offer(&state)),
        Words::Own { offer, .. } => Some(offer(look, change)),
    }
}

/// Returns the line of a menu for the value at this place in the list of a setting's values, and whether that value is
/// the current one. Returns `None` beyond the last.
pub fn value(look: &Look, components: Components, setting: Setting, place: usize) -> Option<(String, bool)> {
    let mut chosen = *look;
    setting.apply(&mut chosen, Change::To(place), 8)?;
    let (label, state) = named(&chosen, components, setting)?;
    Some((label.value(&state), chosen == *look))
}

/// Returns the state of a setting, unless it has words of its own or is for a channel that does not exist.
#[must_use]
pub fn state(look: &Look, components: Components, setting: Setting) -> Option<State> {
    named(look, components, setting).map(|(_, state)| state)
}

/// Returns the name and the state of a setting, unless it has words of its own or is for a channel that does not exist.
fn named(look: &Look, components: Components, setting: Setting) -> Option<(Label, State)> {
    let Words::Of { label, state, .. } = setting.words() else { return None };
    let label = match setting.channel() {
        Some(channel) => Label::Switch(components.channel_names().get(channel)?),
        None => label,
    };
    Some((label, state(look)))
}

/// Lists how two looks differ, in the words of the notes.
pub fn changes(before: &Look, after: &Look, components: Components) -> Vec<String> {
    let differs = |setting: &Setting| match setting.words() {
        Words::Of { .. } => {
            let [old, new] = [before, after].map(|look| named(look, components, *setting));
            if old == new { None } else { new.map(|(label, state)| label.note(&state)) }
        }
        Words::Own { difference, .. } => difference(before, after),
    };
    let has_own_words = |setting: &&Setting| setting.label().is_none();
    let stated = Setting::ALL.iter().filter(|setting| !has_own_words(setting)).filter_map(differs);
    let own = Setting::ALL.iter().filter(has_own_words).filter_map(differs);
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
    ];
    stated.chain(others.into_iter().filter_map(|(differs, text)| differs.then_some(text))).chain(own).collect()
}

/// Lists the steps of the chain that were added, removed or changed.
fn adjustments_text(old: &Adjustments, new: &Adjustments) -> String {
    let changed = old.steps().into_iter().zip(new.steps()).filter(|(old, new)| old != new);
    let texts = changed.map(|(old, new)| if new.is_off() { format!("{old} off") } else { new.to_string() });
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Blur, Equalize, Tone};
    use histoscope_render::view::exposure::{FalseColor, FalseColorTable};
    use histoscope_render::view::placement::{Fit, ViewSettings};
    use histoscope_render::view::scopes::ScopeKind;

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
        let [histograms, waveform, vectorscope, all, false_color] =
            [Setting::Histograms, Setting::Waveform, Setting::Vectorscope, Setting::AllScopes, Setting::FalseColor]
                .map(Setting::switch);
        let all_but_parade = [true, true, false, true];
        let with = |more: &[Action]| shown_after(&[&[waveform, vectorscope, all], more].concat());
        assert_eq!(with(&[]), [false; 4]);
        assert_eq!(with(&[all]), all_but_parade);
        assert_eq!(with(&[false_color, all]), all_but_parade);
        assert_eq!(with(&[histograms]), [true, false, false, false]);
        assert_eq!(with(&[histograms, all]), [false; 4]);
        assert_eq!(with(&[histograms, all, all]), all_but_parade);
        assert_eq!(with(&[histograms, histograms, all]), all_but_parade);
        assert_eq!(with(&[waveform, all, all]), [false, true, false, false]);
        assert_eq!(with(&[waveform, waveform, all]), [true, false, false, false]);
    }

    #[test]
    fn an_action_without_a_target_changes_nothing() {
        let mut look = Look::default();
        assert!(!apply(&mut look, (Components::YCbCr, 8), Setting::Luminance.switch()));
        assert!(!apply(&mut look, (Components::Rgbl, 8), Action::TogglePause));
        assert_eq!(look, Look::default());
        assert!(apply(&mut look, (Components::Rgbl, 8), Setting::Luminance.switch()));
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
        let mut before = Look::default();
        // There is a line to remove, and a probe.
        before.scopes.lines = vec![100].into();
        before.probes = vec![[1, 2, 3]].into();
        let changes_of = [Change::Switch, Change::Next, Change::Step { more: false }, Change::To(1)];
        for &setting in Setting::ALL {
            let changed = changes_of.map(|change| {
                let (action, mut look) = (Action::Change(setting, change), before);
                let is_applied = apply(&mut look, (Components::Rgbl, 8), action);
                // The second value may be the default.
                let is_change = look != before;
                assert!(is_applied || !is_change, "{action:?}");
                if is_change && setting.label().is_some() {
                    let note = note(&before, &Scene::from(look), Components::Rgbl, action).expect("it has a note");
                    let told = changes(&before, &look, Components::Rgbl);
                    assert_eq!(told.len(), 1, "{action:?}: {told:?}");
                    assert!(note.starts_with(&told[0]), "{note} is told as {}", told[0]);
                }
                is_change
            });
            assert!(changed.contains(&true), "nothing changes {setting:?}");
        }
    }

    #[test]
    fn every_key_of_a_setting_changes_it() {
        for key in crate::keys() {
            let is_change = apply(&mut Look::default(), (Components::Rgbl, 8), key.action);
            assert_eq!(is_change, matches!(key.action, Action::Change(..) | Action::ResetView), "{:?}", key.action);
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
