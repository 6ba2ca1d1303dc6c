//! Shares of a file, joined into the output of a single run.

use std::path::{Path, PathBuf};

use crate::analyze::program::{analyze, output};
use crate::command::{Run, finish, program};
use crate::common::Clip;

fn clips() -> [Clip; 2] {
    let arguments = "-c:v libx264 -preset veryfast -g 25 -bf 3 -x264-params open-gop=1 -pix_fmt yuv420p";
    let steady = Clip::moving("steady.mp4", "64x48", 8.0, arguments);
    let filter = "select='not(eq(mod(n,7),3))',setpts='N*N*0.0005/TB+N*0.03/TB'";
    let made = steady.make("variable.mkv", &format!("-i @ -c:v libx264 -g 30 -bf 3 -fps_mode vfr -vf {filter}"));
    let variable = Clip::from_bytes("variable.mkv", &std::fs::read(made).unwrap());
    [steady, variable]
}

fn share(clip: &Clip, name: &str, arguments: &[&str]) -> PathBuf {
    let path = clip.folder().join(name);
    let run = analyze(clip.path(), &[arguments, &["-o", path.to_str().unwrap()]].concat());
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    // A share may be empty, with a message.
    assert!(run.stderr.is_empty() || run.stderr.contains("no frame was counted"), "{}", run.stderr);
    path
}

fn merge(shares: &[PathBuf], arguments: &[&str]) -> Run {
    finish(program().arg("merge").args(shares).args(arguments))
}

/// Makes eight shares that begin at these points.
fn eight(clip: &Clip, points: [&str; 9], arguments: &[&str], ending: &str) -> Vec<PathBuf> {
    let pairs = points.windows(2).enumerate();
    let mut shares: Vec<_> = pairs
        .map(|(index, pair)| {
            let span = ["--from", pair[0], "--to", pair[1]];
            share(clip, &format!("share{index}{ending}"), &[&span, arguments].concat())
        })
        .collect();
    // Their order on the command line does not matter.
    shares.swap(1, 6);
    shares
}

const BY_NUMBER: [&str; 9] = ["0f", "1f", "24f", "25f", "60f", "61f", "100f", "130f", "99999f"];
const BY_TIME: [&str; 9] = ["0", "0.5", "1", "1.01", "2.345", "3", "3.9", "5", "0:59"];

#[test]
fn eight_shares_are_one_run_byte_for_byte() {
    for clip in clips() {
        for (points, arguments, ending) in [
            (BY_NUMBER, &["--bins"][..], ".jsonl"),
            (BY_TIME, &[][..], ".csv"),
            (BY_TIME, &["--every", "3", "--components", "ycbcr"], ".json"),
            (BY_NUMBER, &["--format", "ffprobe"], ".ffprobe.json"),
            (BY_TIME, &["--keyframes", "--region", "3,3,31,20"], ".csv"),
            (BY_TIME, &["--equalize", "--otsu", "3", "--scopes", "vectorscope"], ".csv"),
            (BY_NUMBER, &["--scopes", "vectorscope", "--region", "3,3,31,20"], ".json"),
            (BY_NUMBER, &["--low-pass", "5x2", "--clahe", "2x3:4", "--every", "2", "--bins"], ".jsonl"),
        ] {
            let shares = eight(&clip, points, arguments, ending);
            let one = share(&clip, &format!("one{ending}"), arguments);
            let merged = clip.folder().join(format!("merged{ending}"));
            let run = merge(&shares, &["-o", merged.to_str().unwrap()]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            assert!(read(&merged) == read(&one), "{arguments:?} {}", clip.path().display());
            assert_eq!(merge(&shares, &[]).stdout, read(&one), "to the standard output");
        }
    }
}

/// A merge that fails leaves nothing, and does not suggest resuming.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_of_a_merge() {
    let clip = Clip::moving("clip.mp4", "64x48", 1.0, "-c:v libx264 -pix_fmt yuv420p");
    for ending in [".jsonl", ".parquet"] {
        let shares = [["--to", "10f"], ["--from", "10f"]];
        let shares = [0, 1].map(|at| share(&clip, &format!("{at}{ending}"), &[&shares[at][..], &["--bins"]].concat()));
        let before = std::fs::read_dir(clip.folder()).unwrap().count();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_histoscope"), "merge"]);
        let run = finish(command.args(&shares).arg("-o").arg(clip.folder().join(format!("out{ending}"))));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains(&format!("out{ending} cannot be written")), "{run:?}");
        assert!(!run.stderr.contains("--resume"), "{run:?}");
        assert_eq!(std::fs::read_dir(clip.folder()).unwrap().count(), before, "something is left");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn shares_of_shares_are_shares() {
    let [clip, _] = clips();
    let [a, b, c] = [("0f", "30f", "a"), ("30f", "70f", "b"), ("70f", "90f", "c")]
        .map(|(from, to, name)| share(&clip, &format!("{name}.csv"), &["--from", from, "--to", to]));
    let ab = clip.folder().join("ab.csv");
    assert_eq!(merge(&[b, a], &["-o", ab.to_str().unwrap()]).code, Some(0));
    let merged = merge(&[ab, c], &[]);
    assert_eq!(merged.stdout, output(clip.path(), &["--format", "csv", "--to", "90f"]));
}

#[test]
fn what_is_not_one_run_is_refused() {
    let [clip, other] = clips();
    let part = |name: &str, from: &str, to: &str| share(&clip, name, &["--from", from, "--to", to]);
    let first = part("a.jsonl", "0f", "50f");
    let second = part("b.jsonl", "50f", "100f");
    let refused = |shares: &[&PathBuf], words: &[&str]| {
        let shares: Vec<_> = shares.iter().map(|path| (*path).clone()).collect();
        merge(&shares, &[]).fails_with(words);
    };
    refused(&[&first, &part("gap.jsonl", "52f", "100f")], &["frames 50 to 51 are missing", "a.jsonl", "gap.jsonl"]);
    refused(&[&part("lap.jsonl", "48f", "100f"), &first], &["overlap in frames 48 to 49"]);
    refused(&[&first, &first], &["overlap"]);
    let bins = share(&clip, "bins.jsonl", &["--from", "50f", "--to", "100f", "--bins"]);
    refused(&[&first, &bins], &["different options"]);
    let [tones, colors] = [("0f", "50f", "2"), ("50f", "100f", "2:colors")].map(|(from, to, classes)| {
        share(&clip, &format!("otsu{from}.jsonl"), &["--from", from, "--to", to, "--otsu", classes])
    });
    refused(&[&tones, &second], &["different options"]);
    refused(&[&tones, &colors], &["different options"]);
    let weighed = ["bt2020", "auto"].map(|weights| {
        let arguments = ["--from", "50f", "--to", "100f", "--luminance-weights", weights];
        share(&clip, &format!("{weights}.jsonl"), &arguments)
    });
    weighed.iter().for_each(|weighed| refused(&[&first, weighed], &["different options"]));
    let csv = share(&clip, "b.csv", &["--from", "50f", "--to", "100f"]);
    refused(&[&first, &csv], &["different options or formats"]);
    let foreign = share(&other, "b.jsonl", &["--from", "50f", "--to", "100f"]);
    refused(&[&first, &foreign], &["shares of different files"]);
    let renamed = read(&second).replace("\"bytes\":", "\"bytes\":1");
    let changed = clip.folder().join("changed.jsonl");
    std::fs::write(&changed, renamed).unwrap();
    refused(&[&first, &changed], &["shares of different files"]);
    let cut = clip.folder().join("cut.jsonl");
    std::fs::write(&cut, &read(&second)[..5000]).unwrap();
    refused(&[&first, &cut], &["cut.jsonl", "not a share"]);
    refused(&[&first, &clip.folder().join("none.jsonl")], &["none.jsonl", "cannot be read"]);
    refused(&[&first, &clip.path().to_owned()], &["not a share"]);
    let partial = clip.folder().join("partial.jsonl");
    std::fs::write(
        &partial,
        read(&first).replace("\"complete\":true,\"reason\":null", "\"complete\":false,\"reason\":\"it was stopped\""),
    )
    .unwrap();
    refused(&[&partial, &second], &["partial", "it was stopped", "--resume"]);
    merge(&[first.clone(), second.clone()], &["-o", first.to_str().unwrap()])
        .fails_with(&["cannot also be the output"]);
    assert_eq!(merge(&[second, first], &[]).code, Some(0), "nothing was wrong with these");
}
