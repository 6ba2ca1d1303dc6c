//! Detection of mistyped commands: a first argument that is not a file but resembles a command.

use std::path::Path;

use clap::Command;

/// Returns an error if the first argument resembles a subcommand of `all` and is not an existing file.
pub fn error_for(mut all: Command, first: Option<&Path>) -> Option<clap::Error> {
    let first = first.filter(|first| !first.exists())?.to_str()?;
    all.build();
    let name = nearest(first, &all)?;
    let message = format!("'{first}' is neither a file nor a command; did you mean 'histoscope {name}'?");
    Some(all.error(clap::error::ErrorKind::InvalidSubcommand, message))
}

/// Returns the command that was probably meant. It differs by at most two letters, or by one letter if its name is
/// short.
fn nearest<'a>(word: &str, all: &'a Command) -> Option<&'a str> {
    let names = all.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
    let near = names.map(|name| (strsim::damerau_levenshtein(word, name), name));
    near.filter(|(letters, name)| *letters <= if name.len() > 5 { 2 } else { 1 }).min().map(|(_, name)| name)
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
