//! The keys: a single table used to handle key presses and to generate the help sheet, the text of `--help` and the
//! table in the manual.
//!
//! The window looks up the action of a pressed key here. Nothing in this module depends on a window, so the command
//! line can print the table.

mod action;
mod change;
mod chord;
pub mod command;
pub mod event;
mod label;
pub mod look;
mod menu;
mod settings;
mod sharing;
mod table;

use std::fmt::Write as _;

pub use action::{Action, Panel, Property, SpeedChange};
pub use change::{Change, next_of};
pub use chord::{Chord, NamedKey};
pub use label::{Label, State};
pub use menu::{MENU, MenuLine};
pub use settings::Setting;
pub use table::{Bindings, GESTURES, Key, SPEED_STEP, Section, TABLE};

/// Returns the rows of a section.
pub fn rows(section: Section) -> impl Iterator<Item = &'static Bindings> {
    TABLE.iter().filter(move |row| row.section == section)
}

/// Returns the label of the first key for this action, if it has one.
#[must_use]
pub fn label_of(action: Action) -> Option<String> {
    keys().find(|key| key.action == action).map(|key| key.chord.label())
}

/// Returns every key in the table.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    TABLE.iter().flat_map(|row| row.keys)
}

/// Returns the name of an action, if it has one.
#[must_use]
pub fn label(action: Action) -> Option<Label> {
    keys().filter(|key| key.action == action).find_map(Key::label)
}

/// Returns the help text for this action.
#[must_use]
pub fn help_of(action: Action) -> String {
    let does = |row: &&Bindings| row.keys.iter().any(|key| key.action == action);
    TABLE.iter().find(does).map(Bindings::help).unwrap_or_default()
}

/// Returns the table as printed by `--help`.
#[must_use]
pub fn as_text() -> String {
    let mut text = "Keys in the window:".to_owned();
    for section in Section::ALL {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n  {}", section.name());
        for row in rows(section) {
            let _ = write!(text, "\n    {:<22} {}", row.labels().join(" "), row.help());
        }
    }
    text
}

/// Returns the table as in docs/window.md.
#[must_use]
pub fn as_markdown() -> String {
    let mut text = "| key | what it does |\n|---|---|\n".to_owned();
    for row in Section::ALL.into_iter().flat_map(rows) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", row.quoted_labels(), row.help());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_in_the_table_twice() {
        let mut labels: Vec<_> = TABLE.iter().flat_map(Bindings::labels).collect();
        let count = labels.len();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), count);
    }

    #[test]
    fn every_row_is_in_the_help_text() {
        assert_eq!(Section::ALL.into_iter().flat_map(rows).count(), TABLE.len());
        let text = as_text();
        for row in TABLE {
            assert!(text.contains(&row.help()), "{}", row.help());
        }
    }

    #[test]
    fn the_manual_contains_the_table_and_the_readme_ten_of_its_rows() {
        let table = as_markdown();
        let manual = include_str!("../../../docs/window.md");
        assert!(manual.contains(&table), "the table of keys in docs/window.md shall be:\n{table}");
        let readme = include_str!("../../../README.md").lines();
        let rows = readme.skip_while(|line| *line != "| key | what it does |").skip(2);
        let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 10, "{rows:#?}");
        let all: Vec<_> = table.lines().collect();
        let other: Vec<_> = rows.into_iter().filter(|row| !all.contains(row)).collect();
        assert!(other.is_empty(), "the README's keys differ from the table's in {other:#?}");
    }
}
