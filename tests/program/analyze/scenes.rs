//! The light of scenes, read by the crates of `dovi_tool` and `hdr10plus_tool`, against NumPy in double precision.

use hdr10plus::metadata::{Hdr10PlusMetadata, Hdr10PlusMetadataEncOpts};
use hdr10plus::metadata_json::MetadataJsonRoot;
use madvr_parse::MadVRMeasurements;
use serde_json::Value;

use crate::analyze::program::{analyze, output};
use crate::command::python::python;
use crate::common::Clip;

const PQ: &str = "setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc:range=";

/// The first frames of the scenes in [`clip`].
const FIRSTS: [u64; 3] = [0, 50, 57];

/// Makes a clip of three scenes: moving patches, colour bars, and noise.
fn clip(format: &str, range: &str) -> Clip {
    let sources = "-f lavfi -i testsrc2=s=64x46:r=25:d=2 -f lavfi -i smptehdbars=s=64x46:r=25:d=0.28 \
                   -f lavfi -i color=c=0x606060:s=64x46:r=25:d=1.6";
    Clip::new(
        "clip.mkv",
        &format!(
            "{sources} -filter_complex \
             [2]format=yuv444p16le,noise=alls=40:allf=t:all_seed=7[n];[0][1][n]concat=n=3,format={format},{PQ}{range} \
             -c:v ffv1 -strict -2"
        ),
    )
}

/// Returns the light that NumPy finds.
fn truth(clip: &Clip, format: &str, range: &str, region: &str) -> Value {
    let mut script = python();
    script.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/scenes.py")).arg(clip.path());
    script.args([format, "bt2020nc", range, "64x46", region]).args(FIRSTS.map(|first| first.to_string()));
    let run = script.output().expect("the interpreter was found a moment ago");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

#[track_caller]
fn is_near(found: f64, expected: &Value, within: f64) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= within, "{found}, not {expected}");
}

const CASES: [(&str, &str, &str); 3] =
    [("yuv420p10le", "limited", "-"), ("yuv444p12le", "full", "-"), ("yuv420p", "limited", "4,4,40,30")];

fn write(clip: &Clip, name: &str, region: &str) -> std::path::PathBuf {
    let path = clip.folder().join(name);
    let mut arguments = vec!["--quiet", "-o", path.to_str().unwrap()];
    if region != "-" {
        arguments.extend(["--region", region]);
    }
    assert_eq!(output(clip.path(), &arguments), "");
    path
}

#[test]
fn madvr_measurements_are_those_of_the_pixels() {
    for (format, range, region) in CASES {
        let clip = clip(format, range);
        let found = MadVRMeasurements::parse_file(write(&clip, "clip.measurements", region)).unwrap();
        let truth = truth(&clip, format, range, region);
        let scenes = truth["scenes"].as_array().unwrap();
        let frames = truth["frames"].as_array().unwrap();
        assert_eq!(found.header.version, 5);
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let peak = |scene: &Value| most(&mut scene["max"].as_array().unwrap().iter().filter_map(Value::as_f64));
        let average = |frame: &Value| frame["average"].as_f64().unwrap();
        let averages = frames.iter().map(average);
        let mean = averages.clone().sum::<f64>() / frames.len() as f64;
        let expected = [most(&mut scenes.iter().map(peak)), most(&mut averages.clone()), mean];
        let header = [found.header.maxcll, found.header.maxfall, found.header.avgfall].map(f64::from);
        assert_eq!(header, expected.map(f64::round), "{format}");
        let firsts: Vec<_> = found.scenes.iter().map(|scene| u64::from(scene.start)).collect();
        assert_eq!(firsts, FIRSTS);
        assert_eq!(found.scenes.iter().map(|scene| scene.length).sum::<usize>(), frames.len());
        for (scene, expected) in found.scenes.iter().zip(scenes) {
            assert_eq!(f64::from(scene.peak_nits), peak(expected).round());
        }
        assert_eq!(found.frames.len(), frames.len());
        for (frame, expected) in found.frames.iter().zip(frames) {
            is_near(frame.peak_pq_2020, &expected["peak_pq"], 0.51 / 64_000.0);
            for (percent, expected) in frame.lum_histogram.iter().zip(expected["percent"].as_array().unwrap()) {
                is_near(*percent, expected, 0.51 / 640.0);
            }
        }
    }
}

#[test]
fn hdr10plus_metadata_are_those_of_the_pixels() {
    for (format, range, region) in CASES {
        let clip = clip(format, range);
        let found = MetadataJsonRoot::from_file(write(&clip, "clip.hdr10plus.json", region)).unwrap();
        let truth = truth(&clip, format, range, region);
        assert_eq!(found.info.profile, "A");
        let ends = [FIRSTS[1], FIRSTS[2], found.scene_info.len() as u64];
        let lengths = ends.iter().zip(FIRSTS).map(|(end, first)| (end - first) as usize).collect::<Vec<_>>();
        assert_eq!(found.scene_info_summary.scene_first_frame_index, FIRSTS.map(|first| first as usize));
        assert_eq!(found.scene_info_summary.scene_frame_numbers, lengths);
        for (frame, number) in found.scene_info.iter().zip(0_usize..) {
            let scene = FIRSTS.iter().rposition(|&first| first as usize <= number).unwrap();
            let place = (frame.scene_id, frame.scene_frame_index, frame.sequence_frame_index);
            assert_eq!(place, (scene, number - FIRSTS[scene] as usize, number));
            // What the tool writes into a stream passes its own check.
            let metadata = Hdr10PlusMetadata::try_from(frame).unwrap();
            metadata.encode_with_opts(&Hdr10PlusMetadataEncOpts::default()).unwrap();
            let (light, expected) = (&frame.luminance_parameters, &truth["scenes"][scene]);
            for channel in 0..3 {
                is_near(f64::from(light.max_scl[channel]) / 10.0, &expected["max"][channel], 0.051);
            }
            is_near(f64::from(light.average_rgb) / 10.0, &expected["average"], 0.051);
            let values = &light.luminance_distributions.distribution_values;
            for (at, share) in [(0, 0), (3, 1), (4, 2), (5, 3), (6, 4), (7, 5), (8, 6), (1, 7)] {
                is_near(f64::from(values[at]) / 10.0, &expected["percentiles"][share], 0.051);
            }
            is_near(f64::from(values[2]), &expected["percent_to_100"], 0.51);
        }
    }
}

#[test]
fn several_decoders_and_parts_have_their_own_scenes() {
    let clip = clip("yuv420p10le", "limited");
    let run = |more: &[&str]| output(clip.path(), &[&["--format", "hdr10plus"], more].concat());
    let whole = run(&[]);
    assert_eq!(run(&["--jobs", "2"]), whole);
    assert_eq!(run(&["--engine", "gpu"]), whole);
    let part = MetadataJsonRoot::parse(&run(&["--from", "45f", "--to", "60f"])).unwrap();
    assert_eq!(part.scene_info_summary.scene_first_frame_index, [0, 5, 12]);
    assert_eq!(part.scene_info_summary.scene_frame_numbers, [5, 7, 3]);
}

#[test]
fn only_whole_videos_of_pq_are_described() {
    let hlg = "setparams=color_trc=arib-std-b67:color_primaries=bt2020:colorspace=bt2020nc";
    for (filter, name) in [(hlg, "arib-std-b67"), ("null", "untagged")] {
        let clip = Clip::new(
            "clip.mkv",
            &format!("-f lavfi -i testsrc2=s=32x32:r=5:d=1 -vf {filter} -pix_fmt yuv420p -c:v ffv1"),
        );
        let refused = analyze(clip.path(), &["--format", "madvr", "--light", "--sdr-white", "100"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
        let said = ["--format madvr describes PQ only", if name == "untagged" { "transfer function is" } else { name }];
        assert!(said.iter().all(|part| refused.stderr.contains(part)), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1);
        let forced = output(clip.path(), &["--format", "hdr10plus", "--light", "--transfer", "pq"]);
        assert_eq!(MetadataJsonRoot::parse(&forced).unwrap().scene_info.len(), 5);
    }
    let clip = clip("yuv420p10le", "limited");
    for (arguments, said) in [
        (&["--bins"][..], "leave out --bins"),
        (&["--every", "2"], "leave out --every"),
        (&["--resume", "-o", "x.measurements"], "leave out --resume"),
        (&["--segment", "1", "-o", "x.measurements"], "leave out --segment"),
        (&["--light", "--gamut"], "leave out --gamut"),
        (&["--equalize"], "leave out the adjustments"),
    ] {
        let run = analyze(clip.path(), &[&["--format", "madvr"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    // Shares cannot be joined to such a file.
    let mut merge = crate::command::program();
    merge.args(["merge", "a.jsonl", "-o", "x.hdr10plus.json"]);
    let refused = crate::command::finish(&mut merge);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("x.hdr10plus.json ends in none of"), "{}", refused.stderr);
    // A cut file leaves nothing that would pass for the whole.
    let bytes = clip.bytes();
    let damaged = Clip::from_bytes("damaged.mkv", &bytes[..bytes.len() / 2]);
    let path = damaged.folder().join("x.measurements");
    let run = analyze(damaged.path(), &["-o", path.to_str().unwrap()]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("nothing was written"), "{}", run.stderr);
    let left: Vec<_> = std::fs::read_dir(damaged.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["damaged.mkv"]);
}

/// A frame of another depth begins a scene, and one of another transfer function is refused.
#[test]
fn a_video_that_changes_is_divided_or_refused() {
    let part = |name: &str, format: &str, transfer: &str| {
        let filter =
            format!("format={format},setparams=color_trc={transfer}:color_primaries=bt2020:colorspace=bt2020nc");
        let x264 = "-c:v libx264 -qp 0 -x264-params log-level=none";
        Clip::new(name, &format!("-f lavfi -i testsrc2=s=32x32:r=5:d=1 -vf {filter} {x264} -f mpegts"))
    };
    let [ten, eight, other] = [
        part("a.ts", "yuv420p10le", "smpte2084"),
        part("b.ts", "yuv420p", "smpte2084"),
        part("c.ts", "yuv420p10le", "bt709"),
    ];
    let joined = |second: &Clip| Clip::from_bytes("clip.ts", &[ten.bytes(), second.bytes()].concat());
    let deeper = output(joined(&eight).path(), &["--format", "hdr10plus"]);
    assert_eq!(MetadataJsonRoot::parse(&deeper).unwrap().scene_info_summary.scene_frame_numbers, [5, 5]);
    let refused = analyze(joined(&other).path(), &["--format", "hdr10plus"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("frame 5 is not PQ, so nothing was written"), "{}", refused.stderr);
}
