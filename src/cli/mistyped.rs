//! A first word that is neither a file nor a command, but looks like one of the commands.

use std::path::Path;

use clap::Command;

/// What a wrong first word is told, where it looks like a command of `all`; `None` where it is a file, or nothing like one.
pub fn told(mut all: Command, first: Option<&Path>) -> Option<clap::Error> {
    let first = first.filter(|first| !first.exists())?.to_str()?;
    all.build();
    let name = meant(first, &all)?;
    let message = format!("'{first}' is no file and no command; did you mean 'histoscope {name}'?");
    Some(all.error(clap::error::ErrorKind::InvalidSubcommand, message))
}

/// The command that is the likeliest to be meant: one of two letters' difference, and of one where it is short.
fn meant<'a>(word: &str, all: &'a Command) -> Option<&'a str> {
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
    fn a_word_that_is_nearly_a_command_is_taken_for_it() {
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
            assert_eq!(meant(word, &all), name, "{word}");
        }
    }

    #[test]
    fn what_is_there_is_a_file_whatever_its_name() {
        let told = |first| told(Cli::command(), first);
        assert!(told(Some(Path::new("srcc"))).is_none() && told(None).is_none());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("analyse");
        std::fs::write(&file, "").unwrap();
        assert!(told(Some(&file)).is_none());
        assert!(told(Some(Path::new("analyse"))).is_some());
    }
}
