//! A region is counted as by `analyze --region`: the same bins of the same frame, with any engine, and with messages
//! for impossible regions.

use serde_json::Value;

use crate::command::{figures, run, sample};
use crate::common::Clip;

/// Returns `analyze`'s record of the first frame.
fn analyzed(clip: &str, arguments: &[&str]) -> Value {
    let run =
        run([&["analyze", clip, "--format", "jsonl", "--bins", "--from", "0f", "--to", "1f"], arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(run.stdout.lines().next().expect("a record")).expect("a record is JSON")
}

#[test]
fn bins_equal_those_of_analyze() {
    // Regions that begin between two luma samples sharing chroma, with a single pixel, with odd sizes, and with the
    // whole picture.
    let regions = ["0,0,1,1", "13,7,641,333", "1279,719,1,1", "1,0,1279,720", "25%,25%,50%,50%", "0,0,1280,720"];
    for region in regions {
        for more in [&[][..], &["--components", "ycbcr"], &["--low-pass", "5", "--equalize=luminance:0"]] {
            for engine in ["cpu", "gpu"] {
                let arguments = [&["--region", region, "--engine", engine][..], more].concat();
                let expected = analyzed(sample().to_str().expect("a path"), &arguments);
                let found = figures(sample(), &[&["--bins"], arguments.as_slice()].concat());
                assert_eq!(found["region"], expected["region"], "{arguments:?}");
                let channels = found["channels"].as_object().expect("channels");
                for (name, channel) in channels {
                    assert_eq!(channel, &expected["channels"][name], "{name}, {arguments:?}");
                }
            }
        }
    }
    let whole = figures(sample(), &["--engine", "cpu", "--bins"]);
    assert!(whole.get("region").is_none(), "nothing is told of a region that there is not");
    assert_ne!(whole["channels"], figures(sample(), &["--engine", "cpu", "--bins", "--region", "0,0,9,9"])["channels"]);
}

#[test]
fn a_picture_shows_the_histograms_of_the_region() {
    let clip = Clip::noisy("clip.nut", "64x48", "yuv420p", 1, "-c copy");
    let picture = |name: &str, more: &[&str]| {
        let path = clip.folder().join(name);
        let arguments = ["snapshot", clip.path().to_str().unwrap(), "-o", path.to_str().unwrap()];
        let run = run([&arguments[..], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        (std::fs::read(path).unwrap(), run.stdout)
    };
    let (whole, _) = picture("whole.png", &[]);
    for engine in ["cpu", "gpu"] {
        let (part, told) = picture("part.png", &["--region", "3,5,20,17", "--engine", engine]);
        assert_ne!(part, whole, "{engine}: the histograms are those of the whole picture");
        assert!(told.contains("counted region: 20×17 pixels from 3,5"), "{told}");
    }
}

#[test]
fn a_region_that_is_none_is_refused() {
    let refused = |region: &str| {
        let run = run(["snapshot", sample().to_str().unwrap(), "--region", region]);
        (run.code, run.stderr)
    };
    let (code, told) = refused("1200,0,100,100");
    assert_eq!(code, Some(1), "{told}");
    let expected = "the region 1200,0,100,100 is not inside the picture, which has 1280×720 pixels; choose one that is";
    assert!(told.contains(expected), "{told}");
    for region in ["0,0,0,9", "1,2,3", "-1,0,4,4"] {
        let (code, told) = refused(region);
        assert_eq!(code, Some(2), "{region}: {told}");
    }
}
