//! Arguments of `report`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use super::analyze::parse_point;
use crate::export::analyze::selection::{Point, RegionSpec};
use crate::export::report::cuts::DEFAULT_THRESHOLD;
use crate::export::report::run::Format;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The video to read
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,

    /// Write the report to this file: a picture (.png), or a page that opens offline (.html); may be given twice
    #[arg(short, long, required = true, value_name = "FILE", value_parser = parse_output)]
    pub output: Vec<PathBuf>,

    /// Take a change of the histograms from one frame to the next for a cut from this part of the scale on, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = DEFAULT_THRESHOLD * 100.0, value_parser = parse_percent)]
    pub cut_threshold: f64,

    /// Begin with the first frame at or after this: a time (3.2, 1:02.5, 0:01:02.5) or a frame's number (250f)
    #[arg(long, value_name = "POINT", value_parser = parse_point)]
    pub from: Option<Point>,

    /// End before the first frame at or after this, a time or a frame's number
    #[arg(long, value_name = "POINT", value_parser = parse_point)]
    pub to: Option<Point>,

    /// Count only this part of the picture as it is coded, in pixels or in percent of its width and height
    #[arg(long, value_name = "X,Y,W,H", conflicts_with = "crop_bars")]
    pub region: Option<RegionSpec>,

    /// Find black bars at the edges and leave them out
    #[arg(long)]
    pub crop_bars: bool,

    /// Decode with this many decoders, each at another part of the file; the report is the same
    #[arg(long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,

    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Reads the name of a file whose ending says how to write it.
fn parse_output(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    match Format::of(path) {
        Some(_) => Ok(path.to_owned()),
        None => Err(format!("'{text}' ends neither in .png nor in .html; the ending says what is written")),
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse().ok();
    let inside = number.filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0);
    inside.ok_or_else(|| format!("'{text}' is no part of the scale; write a number above 0 and up to 100, such as 3"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_end_in_what_they_are() {
        assert!(["a.png", "b/c.HTML", "d.htm"].iter().all(|text| parse_output(text).is_ok()));
        assert!(["a", "a.jpg", "png", "a.png.txt"].iter().all(|text| parse_output(text).is_err()));
    }

    #[test]
    fn thresholds_are_parts_of_the_scale() {
        assert_eq!((parse_percent("3"), parse_percent("2.5 %")), (Ok(3.0), Ok(2.5)));
        assert!(["0", "-1", "101", "x", "", "NaN"].iter().all(|text| parse_percent(text).is_err()));
    }
}
