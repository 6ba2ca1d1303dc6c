//! Figures of the vectorscope in the records: their presence, and the pictures they describe.

use serde_json::Value;

use crate::analyze::program::{analyze, output, read_records};
use crate::common::Clip;

const SCOPES: [&str; 2] = ["--scopes", "vectorscope"];

fn figures(clip: &Clip, arguments: &[&str]) -> Vec<Value> {
    let (records, summary) = read_records(&output(clip.path(), &[&SCOPES[..], arguments].concat()));
    assert_eq!(summary["options"]["scopes"], "vectorscope");
    records.into_iter().map(|record| record["vectorscope"].clone()).collect()
}

#[test]
fn gray_has_none_unless_it_was_coloured() {
    let clip = Clip::noisy("clip.mkv", "21x13", "gray", 2, "-c:v ffv1");
    for engine in ["cpu", "gpu"] {
        assert_eq!(figures(&clip, &["--engine", engine]), [Value::Null, Value::Null]);
        let coloured = figures(&clip, &["--engine", engine, "--otsu", "3:colors"]);
        assert!(coloured.iter().all(|figures| figures["saturation_max"].as_f64().unwrap() > 50.0), "{coloured:?}");
        assert!(coloured.iter().all(|figures| figures["samples"] == 21 * 13));
    }
    let table = output(clip.path(), &[&SCOPES[..], &["--format", "csv"]].concat());
    let lines: Vec<_> = table.lines().collect();
    assert!(lines[0].ends_with(
        ",vectorscope_samples,vectorscope_saturation_mean,vectorscope_saturation_max,vectorscope_outside_targets,\
         vectorscope_share_outside_targets"
    ));
    assert!(lines[1].ends_with(",,,,,"), "{}", lines[1]);
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
}

#[test]
fn a_table_has_the_same_figures() {
    let clip = Clip::noisy("clip.nut", "33x21", "yuv420p", 2, "-c copy");
    let table = output(clip.path(), &[&SCOPES[..], &["--format", "csv"]].concat());
    for (line, figures) in table.lines().skip(1).zip(figures(&clip, &[])) {
        let names = ["samples", "saturation_mean", "saturation_max", "outside_targets", "share_outside_targets"];
        let cells: Vec<f64> = line.split(',').rev().take(5).map(|cell| cell.parse().unwrap()).collect();
        let expected: Vec<f64> = names.iter().rev().map(|name| figures[name].as_f64().unwrap()).collect();
        assert_eq!(cells, expected);
    }
}

#[test]
fn adjusted_pictures_have_those_of_the_result_on_every_engine() {
    let clip = Clip::noisy("clip.nut", "67x41", "yuv420p", 2, "-c copy");
    let source = figures(&clip, &[]);
    for adjustment in [["--equalize", "--region"], ["--clahe=4x4:3", "--region"], ["--posterize=5", "--region"]] {
        let arguments = [&adjustment[..], &["7,3,31,22", "--verify"]].concat();
        let [cpu, gpu] = ["cpu", "gpu"].map(|engine| figures(&clip, &[&arguments[..], &["--engine", engine]].concat()));
        assert_eq!(cpu, gpu, "{adjustment:?}");
        assert!(cpu != source && cpu.iter().all(|figures| figures["samples"] == 31 * 22));
    }
}

/// Colour bars of 100 % are on the targets, and so inside. Colours two codes further out are outside.
#[test]
fn bars_lie_inside_and_what_is_beyond_them_does_not() {
    let bars: [(i32, i32); 6] = [(102, 240), (214, 230), (240, 118), (154, 16), (42, 26), (16, 138)];
    for (further, outside) in [(0, 0), (2, 6)] {
        let beyond = |code: i32| (code + further * (code - 128).signum()) as u8;
        let planes = [[128; 6], bars.map(|(cb, _)| beyond(cb)), bars.map(|(_, cr)| beyond(cr))].concat();
        let raw = Clip::from_bytes("bars.yuv", &planes);
        // The filter only tags the samples. An option of the encoder might convert them.
        let how = "-f rawvideo -pixel_format yuv444p -video_size 6x1 -i @ -vf setparams=colorspace=bt709 -c:v ffv1";
        let clip = Clip::from_bytes("clip.mkv", &std::fs::read(raw.make("clip.mkv", how)).unwrap());
        assert_eq!(figures(&clip, &[])[0]["outside_targets"], outside, "{further} codes");
    }
}

#[test]
fn they_are_asked_for_rightly() {
    let clip = Clip::noisy("clip.nut", "16x16", "yuv420p", 1, "-c copy");
    assert!(!output(clip.path(), &[]).contains("vectorscope"));
    for (arguments, said) in [
        (&["--scopes", "waveform"][..], "possible values: vectorscope"),
        (&["--scopes", "vectorscope", "--format", "ffprobe"], "leave out --bins, --scopes"),
    ] {
        let wrong = analyze(clip.path(), arguments);
        assert_eq!((wrong.code, wrong.stderr.contains(said)), (Some(2), true), "{arguments:?}: {wrong:?}");
    }
}
