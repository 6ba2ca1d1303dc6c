//! The names of actions and settings for other programs: words such as `seek-by`, with the values that they need.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::action::Action;
use super::change::Change;
use super::label::State;
use super::look;
use super::settings::Setting;
use super::table::TABLE;
use histoscope_core::histogram::Components;
use histoscope_render::view::scene::Look;

/// The most steps that lead from one value of a setting to another.
const MOST_STEPS: usize = 256;

/// Returns the action with this name and these values.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn action(name: &str, values: &[Value]) -> Result<Action, String> {
    // Only text lets the fields of an action be a list.
    let read = |value: Value| serde_json::from_str(&value.to_string());
    let result = match values {
        [] => read(json!(name)),
        // A value of its own, or else that of the action's only field.
        [value] => read(json!({ name: value })).or_else(|_| read(json!({ name: [value] }))),
        values => read(json!({ name: values })),
    };
    result.map_err(|error| {
        // Where it stands in the text means nothing to the caller.
        let error = error.to_string();
        let error = error.split(" at line ").next().unwrap_or_default();
        if error.starts_with(&format!("unknown variant `{name}`, expected one of `toggle-pause`")) {
            return format!("'{name}' is not a command; the manual's page on --ipc lists them");
        }
        format!("'{name}' does not take these values: {error}")
    })
}

/// Returns the name of an action and its values.
#[must_use]
pub fn words(action: Action) -> Vec<Value> {
    match serde_json::to_value(action) {
        Ok(Value::Object(named)) => named
            .into_iter()
            .flat_map(|(name, values)| {
                let values = match values {
                    Value::Array(values) => values,
                    Value::Object(fields) if !matches!(action, Action::Speed(_)) => fields.into_values().collect(),
                    value => vec![value],
                };
                std::iter::once(Value::String(name)).chain(values)
            })
            .collect(),
        Ok(name) => vec![name],
        // Nothing in an action cannot be written.
        Err(_) => Vec::new(),
    }
}

/// Returns the setting with this name.
#[must_use]
pub fn setting(name: &str) -> Option<Setting> {
    read_name(name)
}

/// Returns the names of the settings that have a value.
pub fn setting_names() -> impl Iterator<Item = String> {
    let valued = Setting::ALL.iter().filter(|setting| value(&Look::default(), Components::Rgbl, **setting).is_some());
    valued.filter_map(|setting| Some(serde_json::to_value(setting).ok()?.as_str()?.to_owned()))
}

fn read_name<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(json!(name)).ok()
}

/// Returns the value of a setting: `true`, `false`, or the value in words. Returns `None` if the setting has none, or is
/// for a channel that does not exist.
#[must_use]
pub fn value(look: &Look, components: Components, setting: Setting) -> Option<Value> {
    look::state(look, components, setting).map(|state| match state {
        State::Off => json!(false),
        State::On => json!(true),
        State::Is(text) => json!(text),
    })
}

/// Returns the look with another value of a setting: `true` or `false`, or the value in the words in which
/// [`value`] returns it.
///
/// # Errors
/// A sentence that says which values there are.
pub fn with_value(
    look: &Look,
    (components, bits): (Components, u32),
    setting: Setting,
    wanted: &Value,
) -> Result<Look, String> {
    let fits = |look: &Look| match (value(look, components, setting), wanted) {
        (Some(Value::String(_)), Value::Bool(true)) => true,
        (now, _) => now.as_ref() == Some(wanted),
    };
    let apply = |look: &Look, change| {
        let mut changed = *look;
        let action = Action::Change(setting, change);
        look::apply(&mut changed, (components, bits), action).then_some(changed)
    };
    let steps = |more| {
        let next = move |look: &Look| apply(look, Change::Step { more });
        std::iter::successors(next(look), next).take(MOST_STEPS)
    };
    let values = || (0..).map_while(|place| apply(look, Change::To(place)));
    let switched = apply(look, Change::Switch);
    let found = std::iter::once(*look).chain(switched).chain(values()).chain(steps(true)).chain(steps(false));
    found.into_iter().find(fits).ok_or_else(|| {
        let others: Vec<_> = [switched].into_iter().flatten().chain(values()).collect();
        let mut texts: Vec<_> = std::iter::once(look)
            .chain(&others)
            .filter_map(|look| value(look, components, setting))
            .map(|value| value.to_string())
            .collect();
        texts.sort();
        texts.dedup();
        format!("{wanted} is not a value of this setting; it has {}", texts.join(", "))
    })
}

/// Returns the table of commands as in the manual: each with its keys, and what it does.
#[must_use]
pub fn as_markdown() -> String {
    let mut text = "| command | key | what it does |\n|---|---|---|\n".to_owned();
    for row in TABLE {
        let commands: Vec<_> = row.keys.iter().map(|key| written(&words(key.action))).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", commands.join("<br>"), row.quoted_labels(), row.help());
    }
    text
}

fn written(words: &[Value]) -> String {
    let words: Vec<_> = words.iter().map(Value::to_string).collect();
    format!("`[{}]`", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_of_a_key_is_read_as_it_is_written() {
        for key in crate::keys() {
            let words = words(key.action);
            let name = words[0].as_str().unwrap();
            assert_eq!(action(name, &words[1..]), Ok(key.action), "{words:?}");
        }
    }

    #[test]
    fn commands_are_named_after_actions() {
        assert_eq!(action("toggle-pause", &[]), Ok(Action::TogglePause));
        assert_eq!(action("seek-by", &[json!(-5), json!(true)]), Ok(Action::SeekBy { secs: -5.0, exact: true }));
        assert_eq!(action("step", &[json!(false)]), Ok(Action::Step { forward: false }));
        assert_eq!(action("change", &[json!("zebra"), json!("switch")]), Ok(Setting::Zebra.switch()));
        let wrong = |name: &str, values: &[Value]| action(name, values).unwrap_err();
        assert!(wrong("frob", &[]).starts_with("'frob' is not a command"));
        assert!(wrong("", &[json!(1)]).starts_with("'' is not a command"));
        for (name, values) in [("step", vec![]), ("seek-by", vec![json!("x")]), ("toggle-pause", vec![json!(1)])] {
            let text = wrong(name, &values);
            assert!(text.starts_with(&format!("'{name}' does not take these values")), "{text}");
        }
    }

    #[test]
    fn settings_are_read_and_set_in_the_words_of_notes() {
        let look = Look::default();
        let of = |look: &Look, name: &str| value(look, Components::Rgbl, setting(name).unwrap());
        let with = |name: &str, to: Value| with_value(&look, (Components::Rgbl, 8), setting(name).unwrap(), &to);
        assert_eq!(of(&look, "waveform"), Some(json!(false)));
        assert_eq!(of(&with("waveform", json!(true)).unwrap(), "waveform"), Some(json!(true)));
        assert_eq!(with("waveform", json!(false)), Ok(look));
        assert_eq!(of(&with("arrangement", json!("parade")).unwrap(), "arrangement"), Some(json!("parade")));
        assert_eq!(of(&with("histogram-height", json!("45 %")).unwrap(), "histogram-height"), Some(json!("45 %")));
        assert_eq!(of(&with("zebra", json!(true)).unwrap(), "zebra"), Some(json!("95 % and above")));
        assert_eq!(of(&with("zebra", json!("60 % and above")).unwrap(), "zebra"), Some(json!("60 % and above")));
        assert_eq!(of(&with("mask", json!("1:1")).unwrap(), "mask"), Some(json!("1:1")));
        let wrong = with("arrangement", json!("heap")).unwrap_err();
        assert!(
            wrong.contains("\"heap\" is not a value of this setting; it has") && wrong.contains("\"pair\""),
            "{wrong}"
        );
        assert_eq!(setting("frob"), None);
    }

    #[test]
    fn the_manual_contains_the_table() {
        let table = as_markdown();
        assert!(include_str!("../../../docs/ipc.md").contains(&table), "the table of docs/ipc.md shall be:\n{table}");
    }
}
