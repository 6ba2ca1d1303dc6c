//! `check`: a file's findings against a profile.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use histoscope::EngineChoice;
use histoscope::analysis::{Request, Stop};
use histoscope::checking::{self, CheckFormat, CheckedFile, Profile, ProfileError, Setting};

use super::interrupt::{INTERRUPTED, stop_on_interrupt};
use super::options::{AdapterArgs, AudioTrackArgs, ENGINES, ReadingArgs, one_of};
use super::output::{print_error, print_line, wrong_usage};

/// The exit code if a file has not passed.
const NOT_PASSED: u8 = 4;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The videos to check
    #[arg(value_name = "FILE", required_unless_present = "print_profile")]
    inputs: Vec<PathBuf>,

    /// Check by this profile: ebu, streaming-sdr, camera, hdr10, hlg, tape, or a TOML file
    #[arg(long, value_name = "PROFILE", default_value = "ebu")]
    profile: String,

    /// Change a setting of the profile, for example frozen.shortest=1 or black.severity=off; may be given several times
    #[arg(long, value_name = "CHECK.KEY=VALUE")]
    set: Vec<Setting>,

    /// Waive the findings that this file names, each with a reason and a name; without it, those of the file beside the
    /// profile: mine.waivers.toml beside mine.toml
    #[arg(long, value_name = "FILE")]
    waivers: Vec<PathBuf>,

    /// Print the profile as TOML, to be changed and passed to --profile
    #[arg(long)]
    print_profile: bool,

    /// Write the findings to this file: a table (.csv), .json, a page with pictures (.html), or markers for editing
    /// programs (.edl for DaVinci Resolve, .fcpxml or .otio); may be given several times
    #[arg(short, long, value_name = "FILE", value_parser = parse_output)]
    output: Vec<PathBuf>,

    /// Show no progress, and do not say what was written
    #[arg(short, long)]
    quiet: bool,

    /// Engine to count with: the graphics adapter, or the CPU if that adapter is only software
    #[arg(long, value_parser = one_of(ENGINES), default_value = "auto")]
    engine: EngineChoice,

    #[command(flatten)]
    adapter: AdapterArgs,

    #[command(flatten)]
    audio_track: AudioTrackArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl CheckArgs {
    /// Checks the files, prints their tables, and writes the outputs.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.print_profile {
            let (_, text) = checking::text_of(&self.profile)?;
            print_line(text.trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut profile = match Profile::changed(&self.profile, &self.set) {
            Err(error @ ProfileError::Setting { .. }) => return Ok(wrong_usage(error.to_string())?),
            profile => profile?,
        };
        for path in &self.waivers {
            profile = profile.with_waivers(path)?;
        }
        let alone =
            self.output.iter().find(|output| CheckFormat::of(output).is_some_and(|format| !format.takes_several()));
        if let Some(output) = alone.filter(|_| self.inputs.len() > 1) {
            let text = format!("{} shows one file; check one at a time, or write .csv or .json", output.display());
            return Ok(wrong_usage(text)?);
        }
        if let Some(live) = self.inputs.iter().find(|input| histoscope::is_live(input)) {
            let text = format!(
                "{} is a live source, which has no end at which it could have passed; record it to a file, then check that",
                histoscope::public(live).display()
            );
            return Ok(wrong_usage(text)?);
        }
        for (output, input) in
            self.output.iter().flat_map(|output| self.inputs.iter().map(move |input| (output, input)))
        {
            checking::check_output(output, input)?;
        }
        let with_page = self.output.iter().any(|output| CheckFormat::of(output) == Some(CheckFormat::Html));
        let stop = stop_on_interrupt()?;
        let mut files: Vec<CheckedFile> = Vec::new();
        let mut is_bad = false;
        for input in &self.inputs {
            if stop.is_stopped() {
                break;
            }
            match checking::run(self.request(input, &stop), &profile, with_page, self.quiet) {
                Ok(checked) => {
                    print_line(&checking::table(&checked))?;
                    files.push(checked);
                }
                Err(error) => {
                    print_error(&error.to_string());
                    is_bad = true;
                }
            }
        }
        if !is_bad && !stop.is_stopped() {
            for place in checking::idle_waivers(&profile, &files) {
                print_error(&format!("{place}: this waiver is about none of the findings"));
            }
        }
        if self.inputs.len() > 1 {
            print_line(&checking::summary(&files))?;
        }
        if !files.is_empty() {
            checking::write_all(&mut files, &self.output, self.quiet)?;
        }
        Ok(match () {
            () if stop.is_stopped() => ExitCode::from(INTERRUPTED),
            () if is_bad => ExitCode::FAILURE,
            () if files.iter().any(|checked| !checked.has_passed()) => ExitCode::from(NOT_PASSED),
            () => ExitCode::SUCCESS,
        })
    }

    fn request(&self, input: &Path, stop: &Stop) -> Request {
        let engine = (self.engine, self.adapter.choice());
        Request {
            audio_track: self.audio_track.audio_track,
            ..Request::new(input.to_owned(), self.reading.open_options(), engine, stop.clone())
        }
    }
}

/// Parses the path of an output. Its extension selects the format.
fn parse_output(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    match CheckFormat::of(path) {
        Some(_) => Ok(path.to_owned()),
        None => Err(format!(
            "'{text}' ends neither in .csv, .json, .html, .edl, .fcpxml nor .otio; the extension selects the format"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_an_output_must_be_known() {
        assert!(
            ["a.csv", "b/c.JSON", "d.htm", "e.edl", "f.fcpxml", "g.otio"].iter().all(|text| parse_output(text).is_ok())
        );
        assert!(["a", "a.png", "a.ffmeta", "csv", "a.csv.txt"].iter().all(|text| parse_output(text).is_err()));
    }
}
