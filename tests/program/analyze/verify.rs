//! `--verify` counts everything twice, and reports differences.

use crate::analyze::program::{analyze, output, read_records};
use crate::common::Clip;

fn clip() -> Clip {
    Clip::moving("clip.mkv", "66x50", 0.4, "-c:v ffv1 -pix_fmt yuv420p10le")
}

#[test]
fn right_counts_pass() {
    let clip = clip();
    for engine in ["cpu", "gpu"] {
        let arguments = ["--engine", engine, "--components", "ycbcr", "--region", "1,1,40,30"];
        let verified = output(clip.path(), &[&arguments[..], &["--verify"]].concat());
        assert_eq!(verified, output(clip.path(), &arguments));
    }
    output(clip.path(), &["--verify", "--format", "ffprobe", "--jobs", "2"]);
}

#[test]
fn a_wrong_count_stops_the_run_and_is_named() {
    let clip = clip();
    for engine in ["cpu", "gpu"] {
        let run = analyze(clip.path(), &["--verify", "--spoil", "6", "--engine", engine]);
        assert_eq!(run.code, Some(1), "{run:?}");
        for words in ["frame 6", "bin 16 of green", "reference counts"] {
            assert!(run.stderr.contains(words), "no {words} in {}", run.stderr);
        }
        let (records, summary) = read_records(&run.stdout);
        assert_eq!(records.len(), 6, "those before it are good");
        assert_eq!(summary["complete"], false);
        assert!(summary["reason"].as_str().unwrap().contains("frame 6"));
        let unseen = analyze(clip.path(), &["--spoil", "6", "--engine", engine]);
        assert_eq!(unseen.code, Some(0), "only --verify compares");
    }
}
