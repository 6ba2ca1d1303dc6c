//! `lab`: the window with the lab open.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use histoscope::{LabChannels, LabChoice, LabMethod, LabTopic, play, shown};

use super::options::parse_size;
use super::output::{print_line, wrong_usage};
use super::play::PlayArgs;

/// Arguments of `lab`.
#[derive(Debug, Args)]
#[command(after_help = listed_methods())]
pub struct LabArgs {
    /// Topic to open
    #[arg(long, value_name = "TOPIC", value_parser = parse_topic)]
    topic: Option<LabTopic>,

    /// Method to count with, by its name in the list below
    #[arg(long, value_name = "NAME", value_parser = parse_method)]
    method: Option<LabMethod>,

    /// Count by the WGSL in this file, in place of the text of --method (atomics by default). It is compiled and run again
    /// whenever it is saved
    #[arg(long, value_name = "FILE")]
    shader: Option<PathBuf>,

    /// Print the WGSL that counts in this method, as a start for --shader, and exit
    #[arg(long, value_name = "METHOD", value_parser = parse_shader, conflicts_with = "shader")]
    print_shader: Option<LabMethod>,

    /// Size of a chunk in pixels, or of a workgroup for methods without chunks; by default the tutorial's
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    chunk: Option<(u32, u32)>,

    /// Number of channels to count: 4, or 1 for luminance alone
    #[arg(long, value_name = "N", value_parser = parse_channels)]
    channels: Option<LabChannels>,

    #[command(flatten)]
    play: PlayArgs,
}

impl LabArgs {
    /// Opens the window with the lab.
    pub fn run(self, started: Instant) -> anyhow::Result<ExitCode> {
        if let Some(shader) = self.print_shader.and_then(LabMethod::shader) {
            print_line(shader.source().trim_end())?;
            return Ok(ExitCode::SUCCESS);
        }
        let standard = LabChoice::default();
        let method = if self.shader.is_some() { LabMethod::Atomics } else { standard.method };
        let method = self.method.unwrap_or(method);
        if let Some(path) = &self.shader {
            if method.shader().is_none() {
                let known = with_shaders();
                return Ok(wrong_usage(format!("--shader counts in place of a method with WGSL: one of {known}"))?);
            }
            let name = shown(path);
            std::fs::File::open(path).with_context(|| format!("the shader {name} cannot be opened"))?;
        }
        let choice = LabChoice {
            topic: self.topic.unwrap_or(standard.topic),
            method,
            chunk: self.chunk,
            channels: self.channels.unwrap_or(standard.channels),
            bins: self.play.bin_count().unwrap_or(standard.bins),
            ..standard
        };
        self.play.check()?;
        let mut options = self.play.options(started)?;
        options.view.lab = Some(choice);
        options.view.lab_shader = self.shader;
        play(options)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Parses the name of a topic.
fn parse_topic(text: &str) -> Result<LabTopic, String> {
    LabTopic::ALL.into_iter().find(|topic| topic.name() == text).ok_or_else(|| {
        let known = LabTopic::ALL.map(LabTopic::name);
        format!("there is no such topic; choose from {}", known.join(", "))
    })
}

/// Parses a number of channels.
fn parse_channels(text: &str) -> Result<LabChannels, String> {
    match text {
        "1" => Ok(LabChannels::One),
        "4" => Ok(LabChannels::Four),
        _ => Err("choose 1 or 4".to_owned()),
    }
}

/// Parses the name of a method.
fn parse_method(text: &str) -> Result<LabMethod, String> {
    let all = LabMethod::ladder();
    all.iter().copied().find(|method| method.name() == text).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|method| method.name()).collect();
        format!("there is no such method; choose from {}", known.join(", "))
    })
}

/// Parses the name of a method that has a shader.
fn parse_shader(text: &str) -> Result<LabMethod, String> {
    let mut all = LabMethod::ladder().iter().copied().filter(|method| method.shader().is_some());
    let found = all.find(|method| method.name() == text);
    found.ok_or_else(|| format!("there is no such method in the lab's WGSL; choose from {}", with_shaders()))
}

/// Returns the names of the methods with a shader of their own.
fn with_shaders() -> String {
    let all = LabMethod::ladder().iter().filter(|method| method.shader().is_some());
    all.map(|method| method.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the list of methods for the help of `--method`.
fn listed_methods() -> String {
    let lines = LabMethod::ladder().iter().map(|method| format!("  {:<12}{}", method.name(), method.title()));
    format!("Methods:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn arguments_of_the_lab_are_parsed_and_nonsense_is_wrong_usage() {
        let line = |arguments: &[&str]| Cli::try_parse_from([&["histoscope", "lab", "clip.mp4"], arguments].concat());
        assert!(line(&[]).is_ok());
        assert!(line(&["--method", "pairwise", "--chunk", "32x8", "--bin-count", "100", "--paused"]).is_ok());
        assert!(line(&["--topic", "prefix-sum"]).is_ok() && line(&["--topic", "blur"]).is_ok());
        assert!(line(&["--print-shader", "sum"]).is_ok() && line(&["--shader", "my.wgsl"]).is_ok());
        assert!(line(&["--topic", "basics"]).is_ok() && line(&["--topic", "drawing", "--channels", "1"]).is_ok());
        for wrong in [
            ["--topic", "scan"],
            ["--print-shader", "scalar"],
            ["--print-shader", "ours-gpu"],
            ["--print-shader", "fastest"],
            ["--method", "floor"],
            ["--method", "fastest"],
            ["--chunk", "0x4"],
            ["--chunk", "16"],
            ["--channels", "2"],
            ["--bin-count", "2"],
            ["--bin-count", "5000"],
        ] {
            assert_eq!(line(&wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }
}
