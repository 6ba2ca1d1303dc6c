//! Suggestions for mistyped commands, which are first arguments that are not files but resemble a command, and for
//! mistyped values.

use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Returns an error if the first argument resembles a subcommand of `all` and is not an existing file.
pub fn error_for(mut all: Command, first: Option<&Path>) -> Option<clap::Error> {
    let first = first.filter(|first| !first.exists())?.to_str()?;
    all.build();
    let name = nearest(first, &all)?;
    let message = format!("'{first}' is neither a file nor a command; did you mean 'histoscope {name}'?");
    Some(all.error(ErrorKind::InvalidSubcommand, message))
}

/// Returns the command that was probably meant. It differs by at most two letters, or by one letter if its name is
/// short.
fn nearest<'a>(word: &str, all: &'a Command) -> Option<&'a str> {
    let names = all.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
    let near = names.map(|name| (strsim::damerau_levenshtein(word, name), name));
    near.filter(|(letters, name)| *letters <= if name.len() > 5 { 2 } else { 1 }).min().map(|(_, name)| name)
}

/// Adds the nearest value to an error about an unknown one, if clap suggests none: `bt709` for `709`.
pub fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let near = match (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue)) {
        (Some(ContextValue::String(word)), Some(ContextValue::Strings(known))) => nearest_value(word, known),
        _ => None,
    };
    if let Some(near) = near.filter(|_| error.get(ContextKind::SuggestedValue).is_none()) {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(near));
    }
    error
}

/// Returns the value that was probably meant: one that contains the word, or one that differs in fewer than half of its
/// letters.
fn nearest_value(word: &str, known: &[String]) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let containing = known.iter().find(|value| !word.is_empty() && value.contains(&word));
    let near = known.iter().map(|value| (strsim::damerau_levenshtein(&word, value), value));
    let nearest = near.filter(|(letters, value)| 2 * letters < value.len()).min().map(|(_, value)| value);
    containing.or(nearest).cloned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn near_misses_are_recognised() {
        let all = Cli::command();
        for (word, name) in [
            ("analyse", Some("analyze")),
            ("anaylze", Some("analyze")),
            ("snapshoot", Some("snapshot")),
            ("snap", None),
            ("lap", Some("lab")),
            ("clap", None),
            ("Report", Some("report")),
            ("clip.mp4", None),
            ("adapter", Some("adapters")),
            ("", None),
        ] {
            assert_eq!(nearest(word, &all), name, "{word}");
        }
    }

    #[test]
    fn the_nearest_value_is_suggested() {
        let known = ["bt601", "bt709", "bt2020nc", "rgb"].map(str::to_owned);
        for (word, value) in
            [("709", Some("bt709")), ("2020", Some("bt2020nc")), ("BT601", Some("bt601")), ("rbg", Some("rgb"))]
        {
            assert_eq!(nearest_value(word, &known).as_deref(), value, "{word}");
        }
        assert_eq!((nearest_value("", &known), nearest_value("smpte", &known)), (None, None));
    }

    #[test]
    fn an_existing_file_is_never_a_mistyped_command() {
        let error = |first| error_for(Cli::command(), first);
        assert!(error(Some(Path::new("srcc"))).is_none() && error(None).is_none());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("analyse");
        std::fs::write(&file, "").unwrap();
        assert!(error(Some(&file)).is_none());
        assert!(error(Some(Path::new("analyse"))).is_some());
    }
}
