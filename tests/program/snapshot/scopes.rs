//! The counts of scopes in the figures, against NumPy.

use serde_json::Value;

use crate::command::python::python;
use crate::command::{figures, run};
use crate::common::Clip;

const SCOPES: [&str; 3] = ["--bins", "--scopes", "waveform,vectorscope"];

fn numpy(clip: &Clip, format: &str, (width, height): (u32, u32), counted: &[&str]) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/scopes.py");
    let size = [width.to_string(), height.to_string()];
    let output = python().arg(script).arg(clip.path()).arg(format).args(size).args(counted).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_picture_of_the_scopes_needs_somewhere_to_go_and_has_its_size() {
    let clip = Clip::noisy("clip.mkv", "64x48", "yuv420p", 1, "-c:v ffv1");
    let input = clip.path().to_str().unwrap();
    let refused = run(["snapshot", input, "--scopes", "waveform"]);
    let is_told = refused.stderr.contains("--scopes needs --output");
    assert_eq!((refused.code, is_told), (Some(2), true), "{}", refused.stderr);
    let folder = tempfile::tempdir().unwrap();
    let mut pictures = Vec::new();
    for list in ["histogram,waveform,parade,vectorscope", "waveform", "vectorscope"] {
        let file = folder.path().join(format!("{list}.png"));
        let name = file.to_str().unwrap();
        let drawn = run(["snapshot", input, "--scopes", list, "--size", "640x360", "-o", name, "--json"]);
        assert!(drawn.code == Some(0), "{}", drawn.stderr);
        let json: Value = serde_json::from_str(&drawn.stdout).unwrap();
        assert!(json.get("waveform").is_none(), "counts that nobody asked for");
        pictures.push(std::fs::read(&file).unwrap());
    }
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
}

/// Returns the luma of the output of a filter of FFmpeg for a clip's first frame.
fn filtered(clip: &str, filter: &str) -> Vec<u8> {
    let filter = format!("{filter},extractplanes=y");
    let arguments = ["-v", "error", "-i", clip, "-vf", &filter, "-frames:v", "1", "-f", "rawvideo", "-"];
    let output = std::process::Command::new("ffmpeg").args(arguments).output().expect("ffmpeg runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// FFmpeg's waveform adds a fixed intensity for each pixel, so its picture equals the counts up to 255. Its vectorscope
/// lights the pairs that occur. In a picture as wide as the waveform, each column has its own.
#[test]
fn filters_of_ffmpeg_draw_the_same_counts() {
    for format in ["yuv420p", "yuv422p", "yuv444p"] {
        let (width, height) = (320, 200);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clip.mkv");
        let clip = file.to_str().unwrap();
        let source = format!("testsrc2=s={width}x{height},format={format}");
        let arguments = ["-v", "error", "-f", "lavfi", "-i", &source, "-frames:v", "1", "-c:v", "ffv1", clip];
        assert!(std::process::Command::new("ffmpeg").args(arguments).status().unwrap().success());
        let told = figures(&file, &[&SCOPES[..], &["--components", "ycbcr", "--engine", "cpu"]].concat());
        let counts =
            |list: &Value| -> Vec<u64> { list.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect() };
        let image = filtered(clip, "waveform=mode=column:intensity=0.004:mirror=1:components=1:filter=lowpass");
        let columns = told["waveform"]["channels"]["y"].as_array().unwrap();
        for (x, column) in columns.iter().enumerate() {
            for (level, count) in counts(column).into_iter().enumerate() {
                let drawn = u64::from(image[(255 - level) * width + x]);
                assert_eq!(drawn, count.min(255), "{format}: column {x}, level {level}");
            }
        }
        let image = filtered(clip, "vectorscope=mode=gray:intensity=1");
        let ground = image[0];
        let rows = told["vectorscope"]["counts"].as_array().unwrap();
        let mut pairs = 0;
        for (cb, row) in rows.iter().enumerate() {
            for (cr, count) in counts(row).into_iter().enumerate() {
                assert_eq!(image[(255 - cr) * 256 + cb] > ground, count > 0, "{format}: Cb {cb}, Cr {cr}: {count}");
                pairs += u32::from(count > 0);
            }
        }
        assert!(pairs > 50, "{format}: {pairs} pairs compare little");
    }
}

#[test]
fn every_engine_counts_what_numpy_counts() {
    let kinds = [
        ("gray", "ycbcr", (61, 33)),
        ("yuv420p", "ycbcr", (1101, 5)),
        ("yuv422p10le", "ycbcr", (67, 41)),
        ("yuv444p12le", "ycbcr", (67, 41)),
        ("gbrp", "rgbl", (67, 41)),
        ("gbrp10le", "rgbl", (2050, 3)),
    ];
    for (format, components, size) in kinds {
        let raw = if format.starts_with("gbrp10") { "gbrp16le" } else { format };
        let clip = Clip::noisy(
            "clip.mkv",
            &format!("{}x{}", size.0, size.1),
            raw,
            1,
            &format!("-c:v ffv1 -strict -2 -pix_fmt {format}"),
        );
        let expected = numpy(&clip, format, size, &[components]);
        for engine in ["gpu", "cpu"] {
            let json = figures(clip.path(), &[&SCOPES[..], &["--components", components, "--engine", engine]].concat());
            for scope in ["waveform", "vectorscope"] {
                assert!(json[scope] == expected[scope], "{format} {components}, {engine}: {scope}");
            }
        }
    }
}

/// Counts of chromaticities, of every transfer function and of primaries of three kinds, and of the double diamond, on
/// every engine.
#[test]
fn other_diagrams_are_what_numpy_counts() {
    let kinds = [
        ("gbrp", "bt709", "bt709", "gbr", "full", (67, 41)),
        ("gbrp10le", "smpte2084", "bt2020", "gbr", "full", (301, 33)),
        ("gbrp12le", "arib-std-b67", "smpte432", "gbr", "full", (67, 41)),
        ("yuv420p10le", "smpte2084", "bt2020", "bt2020nc", "limited", (301, 33)),
        ("yuv422p", "bt709", "smpte432", "bt709", "full", (66, 41)),
    ];
    let (mut pairs, mut outside) = (0, 0);
    for (format, transfer, primaries, matrix, range, size) in kinds {
        let tags =
            format!("setparams=color_trc={transfer}:color_primaries={primaries}:colorspace={matrix}:range={range}");
        let (raw, size_text) = (if matrix == "gbr" { "gbrp16le" } else { format }, format!("{}x{}", size.0, size.1));
        let how = format!("-vf format={format},{tags} -c:v ffv1 -strict -2");
        let clip = Clip::noisy("clip.mkv", &size_text, raw, 1, &how);
        for diagram in ["xy", "uv", "diamond"] {
            let what = format!("{format} {transfer} {primaries} {diagram}");
            let arguments = ["--bins", "--scopes", "vectorscope", "--diagram", diagram, "--engine"];
            let told = ["gpu", "cpu"].map(|engine| figures(clip.path(), &[&arguments[..], &[engine]].concat()));
            assert!(told[0]["vectorscope"] == told[1]["vectorscope"], "{what}: engines differ");
            let file = clip.folder().join("figures.json");
            std::fs::write(&file, told[0].to_string()).unwrap();
            let name = match transfer {
                "smpte2084" => "pq",
                "arib-std-b67" => "hlg",
                _ => "bt1886",
            };
            let mut script = python();
            script.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/chromaticity.py"));
            script.arg(clip.path()).args([format, &size.0.to_string(), &size.1.to_string(), name]);
            let run = script.args([primaries, matrix, range, diagram]).arg(&file).output().unwrap();
            assert!(run.status.success(), "{what}: {}", String::from_utf8_lossy(&run.stderr));
            let said: Value = serde_json::from_slice(&run.stdout).unwrap();
            pairs += said["pairs"].as_u64().unwrap();
            outside += said["outside"].as_u64().unwrap_or(0);
        }
    }
    assert!(pairs > 5000 && outside > 5000, "{pairs} pairs, and {outside} pixels out of range, compare little");
}

/// Scopes of the result use its red, green and blue, and its colour differences by the source's matrix. The source's
/// scopes are beside them.
#[test]
fn of_an_adjusted_picture_they_are_what_numpy_counts_of_it() {
    let kinds = [
        ("gray", "", "bt601", "full", (61, 33)),
        ("yuv420p", "", "bt601", "limited", (1101, 5)),
        ("yuv422p10le", "-colorspace bt2020nc -color_range pc", "bt2020nc", "full", (67, 41)),
        ("yuv444p12le", "-colorspace bt709", "bt709", "limited", (67, 41)),
        ("gbrp", "", "gbr", "full", (67, 41)),
    ];
    for (format, tags, matrix, range, size) in kinds {
        let tagged = format!("-c:v ffv1 -strict -2 -pix_fmt {format} {tags}");
        let clip = Clip::noisy("clip.mkv", &format!("{}x{}", size.0, size.1), format, 1, &tagged);
        let counted = ["rgbl", matrix, range, "5"];
        let (source, result) = (numpy(&clip, format, size, &counted[..3]), numpy(&clip, format, size, &counted));
        for engine in ["gpu", "cpu"] {
            let adjusted =
                |counted| [&SCOPES[..], &["--engine", engine, "--posterize", "5", "--counted", counted]].concat();
            let both = figures(clip.path(), &adjusted("both"));
            for scope in ["waveform", "vectorscope"] {
                let what = format!("{format}, {engine}: {scope}");
                assert!(both[scope] == result[scope], "{what} of the result");
                assert!(both[format!("source_{scope}")] == source[scope], "{what} of the source");
            }
            let alone = figures(clip.path(), &adjusted("result"));
            assert!(alone["vectorscope"] == result["vectorscope"] && alone.get("source_waveform").is_none());
            let of_source = figures(clip.path(), &adjusted("source"));
            assert!(of_source["waveform"] == source["waveform"] && of_source.get("source_waveform").is_none());
        }
    }
}

/// Adjustments use the whole picture, whatever region is counted.
#[test]
fn of_a_region_of_an_adjusted_picture_they_add_up_to_its_bins_on_every_engine() {
    let clip = Clip::noisy("clip.nut", "67x41", "yuv420p", 1, "-c copy");
    for adjustment in [["--low-pass", "5x2"], ["--clahe", "4x4:3"], ["--otsu", "3:colors"]] {
        let region = [&SCOPES[..], &["--region", "7,3,31,22"], &adjustment].concat();
        let [gpu, cpu] =
            ["gpu", "cpu"].map(|engine| figures(clip.path(), &[&region[..], &["--engine", engine]].concat()));
        assert!(gpu["waveform"] == cpu["waveform"] && gpu["vectorscope"] == cpu["vectorscope"], "{adjustment:?}");
        for (name, channel) in gpu["channels"].as_object().unwrap() {
            let columns = gpu["waveform"]["channels"][name].as_array().unwrap();
            let sum = |level: usize| columns.iter().map(|column| column[level].as_u64().unwrap()).sum::<u64>();
            let sums: Vec<u64> = (0..256).map(sum).collect();
            assert_eq!(serde_json::json!(sums), channel["bins"], "{adjustment:?} {name}");
        }
        let pairs = gpu["vectorscope"]["counts"].as_array().unwrap();
        let all: u64 = pairs.iter().flat_map(|row| row.as_array().unwrap()).map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(all, 31 * 22);
    }
}

/// With a region, of code values and of colours: the sums equal the bins of the same region.
#[test]
fn of_a_region_they_add_up_to_its_bins() {
    let clip = Clip::noisy("clip.nut", "67x41", "yuv420p", 1, "-c copy");
    for components in ["rgbl", "ycbcr"] {
        let region = ["--region", "7,3,31,22", "--components", components];
        let engines =
            ["gpu", "cpu"].map(|engine| figures(clip.path(), &[&SCOPES[..], &region, &["--engine", engine]].concat()));
        assert!(
            engines[0]["waveform"] == engines[1]["waveform"] && engines[0]["vectorscope"] == engines[1]["vectorscope"]
        );
        for (name, channel) in engines[0]["channels"].as_object().unwrap() {
            let columns = engines[0]["waveform"]["channels"][name].as_array().unwrap();
            let sum = |level: usize| columns.iter().map(|column| column[level].as_u64().unwrap()).sum::<u64>();
            let sums: Vec<u64> = (0..256).map(sum).collect();
            assert_eq!(serde_json::json!(sums), channel["bins"], "{components} {name}");
        }
        let pairs = engines[0]["vectorscope"]["counts"].as_array().unwrap();
        let all: u64 = pairs.iter().flat_map(|row| row.as_array().unwrap()).map(|count| count.as_u64().unwrap()).sum();
        // Columns 3 to 18 and rows 1 to 12 of chroma cover pixels of the region.
        assert_eq!(all, 16 * 12);
    }
}

#[test]
fn they_come_only_when_asked_for() {
    let clip = Clip::noisy("clip.nut", "33x21", "yuv420p", 1, "-c copy");
    let json = figures(clip.path(), &["--bins", "--scopes", "vectorscope", "--engine", "cpu"]);
    assert!(json.get("waveform").is_none() && json["vectorscope"]["levels"] == 256);
    assert!(figures(clip.path(), &["--bins", "--engine", "cpu"]).get("vectorscope").is_none());
    let parade = figures(clip.path(), &["--bins", "--scopes", "parade", "--engine", "cpu"]);
    assert!(parade["waveform"]["levels"] == 256, "a parade shows the counts of a waveform");
    let path = clip.path().to_str().unwrap();
    for (more, said) in [
        (&["--scopes", "waveform"][..], "--bins"),
        (&["--json", "--bins", "--scopes", "spectrum"], "possible values: histogram, waveform, parade, vectorscope"),
        (&["--scopes", "waveform", "--no-overlay", "-o", "x.png"], "--no-overlay"),
    ] {
        let wrong = run([&["snapshot", path][..], more].concat());
        assert_eq!((wrong.code, wrong.stderr.contains(said)), (Some(2), true), "{more:?}: {}", wrong.stderr);
    }
}
