//! `snapshot`: one frame as a picture, and its figures.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{ArgAction, Args};
use histoscope::analysis::{Point, RegionSpec};
use histoscope::scoping::{Diagram, ScopeChoice, ScopeKind, ScopeLayout, ScopeStyle};
use histoscope::{Channels, Components, Overlaps, SnapshotDrawing, SnapshotOptions, snapshot};

use super::adjust::AdjustArgs;
use super::options::{
    CountingArgs, DIAGRAMS, ExposureArgs, LINEAR_LUMINANCE, OVERLAPS, ReadingArgs, SCOPES, ToneArgs, one_of,
    parse_bin_count, parse_point, parse_size, scope_style,
};
use super::output::{print_line, wrong_usage};

/// Arguments of `snapshot`.
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// The video to read
    file: PathBuf,

    /// The frame on screen at this time (3.2, 1:02.5, 0:01:02.5), or with this timecode (10:00:00:00) or frame number
    /// (250f)
    #[arg(long, value_name = "POINT", default_value = "0", value_parser = parse_point, allow_negative_numbers = true)]
    at: Point,

    /// Size of the PNG in pixels; by default the video's own size as displayed
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,

    /// Histograms to draw: any of r, g, b and l
    #[arg(long, value_name = "rgbl", default_value = "rgbl", value_parser = parse_channels)]
    channels: Channels,

    /// Draw the picture without histograms
    #[arg(long)]
    no_overlay: bool,

    /// Label the picture: axes, channels, file, frame, what was counted, and how the video was read
    #[arg(long, requires = "output")]
    labels: bool,

    /// Count only this region of the picture as coded, in pixels, or in percent of its width and height
    #[arg(long, value_name = "X,Y,W,H")]
    region: Option<RegionSpec>,

    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,

    /// Bins per channel, 3 to 4096, in the picture and in the JSON object; by default one per code
    #[arg(long, value_name = "N", value_parser = parse_bin_count)]
    bin_count: Option<u32>,

    /// Count luminance of the encoded codes, or also luminance of linear light: as a line in the picture, and as a
    /// channel of the figures
    #[arg(long, value_parser = one_of(LINEAR_LUMINANCE), default_value = "encoded", action = ArgAction::Set)]
    luminance: bool,

    /// Colours where bars overlap
    #[arg(long, value_parser = one_of(OVERLAPS), default_value = "light")]
    overlaps: Overlaps,

    /// Show these scopes next to the picture; with --bins, also include their counts in the JSON object
    #[arg(long, value_name = "LIST", value_parser = one_of(SCOPES), value_delimiter = ',', conflicts_with = "no_overlay")]
    scopes: Vec<ScopeKind>,

    /// What the vectorscope of --scopes counts
    #[arg(long, value_parser = one_of(DIAGRAMS), default_value = "cbcr", requires = "scopes")]
    diagram: Diagram,

    /// Include all bins in the JSON object
    #[arg(long, requires = "json")]
    bins: bool,

    /// Write the picture to this PNG file; by default only the figures are printed
    #[arg(short, long, value_name = "FILE.png", value_parser = PathBufValueParser::new().try_map(picture_file))]
    output: Option<PathBuf>,

    #[command(flatten)]
    adjust: AdjustArgs,

    #[command(flatten)]
    exposure: ExposureArgs,

    #[command(flatten)]
    tones: ToneArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

impl SnapshotArgs {
    /// Writes the picture, if requested, and prints the figures.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let components = self.counting.components();
        self.adjust.check(components)?;
        if self.luminance && components == Components::YCbCr {
            return Ok(wrong_usage("--luminance linear needs red, green and blue; leave out --components".to_owned())?);
        }
        if !self.scopes.is_empty() && self.output.is_none() && !self.bins {
            let text = "--scopes needs --output for a picture of them, or --json --bins for their counts";
            return Ok(wrong_usage(text.to_owned())?);
        }
        let split = (!self.scopes.is_empty()).then(|| ScopeStyle {
            diagram: self.diagram,
            layout: ScopeLayout::Split,
            ..scope_style(&self.scopes)
        });
        let overlays = if split.is_some() { self.scopes.contains(&ScopeKind::Histogram) } else { !self.no_overlay };
        let scopes = split.filter(|_| self.bins).map_or_else(ScopeChoice::default, |split| split.counted());
        let adjustments = self.adjust.adjustments()?;
        let figures = snapshot(&SnapshotOptions {
            input: self.file,
            at: self.at,
            drawing: SnapshotDrawing {
                size: self.size,
                channels: self.channels,
                overlays,
                labels: self.labels,
                overlaps: self.overlaps,
                split,
                exposure: self.exposure.choice(),
                guides: self.exposure.guides().unwrap_or_default(),
                tone_mapping: self.tones.tone_mapping().unwrap_or_default(),
                stops: self.tones.exposure(),
            },
            bins: self.bins,
            bin_count: self.bin_count,
            linear_luminance: self.luminance,
            output: self.output,
            components,
            region: self.region,
            adjustments,
            scopes,
            counted: self.adjust.counted(),
            adapter: self.counting.adapter(),
            engine: self.counting.engine(),
            open: self.tones.reading(self.reading.open_options()),
        })?;
        print_line(&if self.json { serde_json::to_string(&figures)? } else { figures.to_string() })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Parses the path of a picture. Extensions other than .png are rejected, since they would be misleading.
fn picture_file(path: PathBuf) -> Result<PathBuf, String> {
    match path.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("png") => {
            Err(format!("'{}' does not end in .png; pictures are saved as PNG", path.display()))
        }
        _ => Ok(path),
    }
}

/// Parses a set of the letters r, g, b and l.
fn parse_channels(text: &str) -> Result<Channels, String> {
    let one = |letter: char| match "rgbl".find(letter.to_ascii_lowercase()) {
        Some(channel) => Ok(Channels::one(channel)),
        None => Err(format!("'{letter}' is not a channel; use r, g, b and l")),
    };
    text.chars().try_fold(Channels::NONE, |on, letter| Ok(on.union(one(letter)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_letters() {
        assert_eq!(parse_channels("lR"), Ok(Channels::one(0).union(Channels::one(3))));
        assert_eq!(parse_channels(""), Ok(Channels::NONE));
        assert!(parse_channels("rx").is_err());
    }
}
