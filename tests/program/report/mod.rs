//! `histoscope report`: the cuts it finds, its outputs, and its page in a browser.

pub mod browser;
mod cuts;
mod known_cuts;
mod montage;
mod output;
mod page;
mod scopes;
mod shots;
mod sound;
mod thumbnails;
mod timecodes;

use std::path::Path;

use crate::command::{Run, finish, program};
use crate::common::Clip;

/// Makes shots of 1 s at 25 frames per second, with hard cuts at frames 25, 50 and 75.
fn shots() -> Clip {
    let shots = [
        "-f lavfi -i testsrc2=s=192x108:r=25:d=1",
        "-f lavfi -i color=c=0x203050:s=192x108:r=25:d=1",
        "-f lavfi -i mandelbrot=s=192x108:r=25 -filter_complex",
    ];
    let graph = "[2]trim=duration=1[m];[0]split[a][b];[a][1][m][b]concat=n=4,format=yuv420p";
    Clip::new("shots.mp4", &format!("{} {graph} -c:v libx264 -crf 20", shots.join(" ")))
}

/// Runs `report FILE -o OUTPUT ARGUMENTS`.
fn report(file: &Path, output: &Path, arguments: &[&str]) -> Run {
    finish(program().arg("report").arg(file).arg("-o").arg(output).args(["--engine", "cpu"]).args(arguments))
}

/// Returns the page of a file. The run must succeed and print nothing.
fn page_of(file: &Path, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("report.html");
    let run = report(file, &output, arguments);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{}", file.display());
    std::fs::read_to_string(output).expect("the page can be read")
}
