//! A program for packagers: `histoscope-packaging FOLDER` writes the manual pages and shell completions of
//! `histoscope`. They are generated from the definitions that `histoscope` uses to parse its command line.

#[allow(dead_code, reason = "only the definitions are wanted here; what they run is the other program's")]
#[path = "mod.rs"]
mod cli;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::{Context, Result, bail};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        bail!("usage: histoscope-packaging FOLDER");
    };
    let folder = PathBuf::from(folder);
    write_pages(&folder.join("man")).context("cannot write the manual pages")?;
    write_completions(&folder.join("completions")).context("cannot write the completions")
}

/// Writes a page for the program and one for each command: `histoscope-snapshot.1` and so on.
fn write_pages(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    // A page about the `help` command would be useless.
    let mut all = cli::Cli::command().disable_help_subcommand(true);
    all.build();
    let commands: Vec<_> = std::iter::once(&all).chain(all.get_subcommands()).collect();
    for &command in &commands {
        let name = page_name(command);
        let others = commands.iter().map(|&other| page_name(other)).filter(|other| *other != name);
        let page = page(command, &others.collect::<Vec<_>>())?;
        fs::write(folder.join(format!("{name}.1")), page)?;
    }
    Ok(())
}

fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// Returns a complete page. Packages must be reproducible, so it contains no date and nothing specific to this machine.
fn page(command: &Command, others: &[String]) -> io::Result<Vec<u8>> {
    let source = concat!("Histoscope ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(page_name(command).to_uppercase()).source(source).manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    if let Some(after) = command.get_after_help() {
        add_tables(&mut rest, &after.to_string());
    }
    let others: Vec<_> = others.iter().map(|name| format!("{name}(1)")).collect();
    rest.control("SH", ["SEE ALSO"]);
    rest.text([roman(others.join(", "))]);
    rest.to_writer(&mut page)?;
    Ok(page)
}

/// Adds the tables that follow the options in the help, each below a line that ends with a colon. `nf` keeps their line
/// breaks; otherwise they would be filled into paragraphs.
fn add_tables(roff: &mut Roff, after: &str) {
    let mut open = false;
    for line in after.lines() {
        let heading = line.strip_suffix(':').filter(|heading| !heading.is_empty() && !heading.starts_with(' '));
        if let Some(heading) = heading {
            if open {
                roff.control("fi", []);
            }
            roff.control("SH", [heading.to_uppercase().as_str()]);
            roff.control("nf", []);
            open = true;
        } else {
            roff.text([roman(line)]);
        }
    }
    if open {
        roff.control("fi", []);
    }
}

/// Writes one completion file per shell, with the name that the shell expects.
fn write_completions(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut cli::Cli::command(), "histoscope", folder)?;
    }
    Ok(())
}
