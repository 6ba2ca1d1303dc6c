//! `report`: a whole clip on one page.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use histoscope::Components;
use histoscope::analysis::{Jobs, Request, RunComponents, ScopeUse, Selection};
use histoscope::reporting::{self, DEFAULT_THRESHOLD, Finished, ReportOptions};
use histoscope::scoping::{Diagram, Scope, ScopeChoice};

use super::analyze::LightArgs;
use super::interrupt::{INTERRUPTED, stop_on_interrupt};
use super::options::{AudioTrackArgs, CountingArgs, DIAGRAMS, PartArgs, ReadingArgs, Values, one_of, parse_jobs};
use super::output::{print_error, wrong_usage};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The video to read
    #[arg(value_name = "INPUT")]
    input: PathBuf,

    /// Write the report to this file, a self-contained web page (.html); may be given twice
    #[arg(short, long, required_unless_present = "shots", value_name = "FILE", value_parser = parse_output)]
    output: Vec<PathBuf>,

    /// Write the shots between the cuts to this file: a .csv table in the format of PySceneDetect's load-scenes, .json,
    /// or a list for editing programs (.edl, .fcpxml or .otio); may be given several times, alone or with -o
    #[arg(long, value_name = "FILE", value_parser = parse_shots)]
    shots: Vec<PathBuf>,

    /// Detect a cut if the histograms change from one frame to the next by this percentage of the scale or more
    #[arg(long, value_name = "PERCENT", default_value_t = DEFAULT_THRESHOLD * 100.0, value_parser = parse_percent)]
    cut_threshold: f64,

    /// Also show these scopes, summed over all frames of the clip
    #[arg(long, value_name = "LIST", value_parser = one_of(SCOPES), value_delimiter = ',')]
    scopes: Vec<Scope>,

    /// What the vectorscope of --scopes counts
    #[arg(long, value_parser = one_of(DIAGRAMS), default_value = "cbcr", requires = "scopes")]
    diagram: Diagram,

    #[command(flatten)]
    part: PartArgs,

    /// Decode with this many decoders, each on its own part of the file, or with as many as the hardware has (auto);
    /// the report is the same, except for some damaged files
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    jobs: Jobs,

    #[command(flatten)]
    audio_track: AudioTrackArgs,

    /// Show no progress, and do not say what was written
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    light: LightArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

/// The values of `--scopes`.
const SCOPES: Values<Scope> = &[
    ("waveform", Scope::Waveform, "The waveform, and the parade, which has its channels side by side"),
    ("vectorscope", Scope::Vectorscope, "The vectorscope"),
];

impl ReportArgs {
    /// Counts the clip and writes the report.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let name = self.input.display().to_string();
        let components = self.counting.components();
        let coded = components == Components::YCbCr;
        let light = self.light.wanted();
        if coded && light.is_some() {
            return Ok(wrong_usage("--light measures red, green and blue; leave out --light or --components")?);
        }
        // The pictures are shown as their light is measured.
        let mut open = self.reading.open_options();
        if let Some(light) = light {
            (open.transfer, open.hlg_peak) = (light.transfer, Some(light.hlg_peak));
        }
        let choice = ScopeChoice::from_fn(|scope| self.scopes.contains(&scope));
        let scopes =
            if choice == ScopeChoice::default() { ScopeUse::None } else { ScopeUse::Sums(choice, self.diagram) };
        let engine = (self.counting.engine(), self.counting.adapter());
        let request = Request {
            selection: Selection {
                from: self.part.from,
                to: self.part.to,
                region: self.part.region,
                crop_bars: self.part.crop_bars,
                ..Selection::default()
            },
            counting: RunComponents { rgbl: !coded, coded, scopes, light, ..RunComponents::default() },
            jobs: self.jobs,
            audio_track: self.audio_track.audio_track,
            ..Request::new(self.input, open, engine, stop_on_interrupt()?)
        };
        let options = ReportOptions {
            cut_threshold: self.cut_threshold / 100.0,
            outputs: self.output,
            shots: self.shots,
            quiet: self.quiet,
        };
        match reporting::run(request, &options)? {
            Finished::Complete => Ok(ExitCode::SUCCESS),
            Finished::EndedEarly(reason) => {
                print_error(&format!(
                    "{name}: {reason}; the report shows the readable part; try another copy of the file"
                ));
                Ok(ExitCode::FAILURE)
            }
            Finished::StoppedBeforeFirst => {
                print_error(&format!("{name}: stopped before a frame was counted; nothing was written"));
                Ok(ExitCode::from(INTERRUPTED))
            }
            Finished::Stopped => {
                print_error(&format!(
                    "{name}: stopped; the report shows the part that was counted, and is marked as partial"
                ));
                Ok(ExitCode::from(INTERRUPTED))
            }
        }
    }
}

/// Parses the path of a report, which must end in .html.
fn parse_output(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(ending) if ["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known)) => Ok(path),
        Some(ending) if ending.eq_ignore_ascii_case("png") => Err(format!(
            "'{text}': a report is no longer a picture; write a page (.html), which can be printed, or save a frame with \
             'histoscope snapshot'"
        )),
        _ => Err(format!("'{text}' does not end in .html; a report is a web page")),
    }
}

/// Parses the path of a list of shots. Its extension selects the format.
fn parse_shots(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match reporting::ShotFormat::of(&path) {
        Some(_) => Ok(path),
        None => Err(format!(
            "'{text}' ends neither in .csv, .json, .edl, .fcpxml nor .otio; the extension selects the format"
        )),
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse().ok();
    let inside = number.filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0);
    inside.ok_or_else(|| {
        format!("'{text}' is not a valid percentage; write a number above 0 and up to 100, for example 3")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_of_an_output_must_be_known() {
        assert!(["a.html", "b/c.HTML", "d.htm"].iter().all(|text| parse_output(text).is_ok()));
        assert!(["a", "a.jpg", "html", "a.html.txt"].iter().all(|text| parse_output(text).is_err()));
        let removed = parse_output("a.PNG").expect_err("reports are no pictures");
        assert!(removed.contains(".html") && removed.contains("snapshot"), "{removed}");
    }

    #[test]
    fn the_extension_of_a_list_of_shots_must_be_known() {
        assert!(["a.csv", "b/c.CSV", "a.json", "a.edl", "a.otio"].iter().all(|text| parse_shots(text).is_ok()));
        assert!(["a", "a.png", "csv", "a.csv.html"].iter().all(|text| parse_shots(text).is_err()));
    }

    #[test]
    fn thresholds_are_percentages() {
        assert_eq!((parse_percent("3"), parse_percent("2.5 %")), (Ok(3.0), Ok(2.5)));
        assert!(["0", "-1", "101", "x", "", "NaN"].iter().all(|text| parse_percent(text).is_err()));
    }
}
