//! `--against`: every figure of a comparison against NumPy's and FFmpeg's, the messages, and the exit codes.

use std::fs::{self, File};
use std::path::Path;

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::analyze::parquet::as_text;
use crate::analyze::program::{analyze, read_records};
use crate::command::python::python;
use crate::command::{Run, finish, program};
use crate::common::Clip;

/// Runs a comparison.
pub fn compare(ours: &Path, theirs: &Path, arguments: &[&str]) -> Run {
    let theirs = theirs.to_str().expect("a path in text");
    analyze(ours, &[&["--against", theirs], arguments].concat())
}

/// Returns the records and the summary of a run that must end with this exit code.
pub fn compared(ours: &Path, theirs: &Path, arguments: &[&str], code: i32) -> (Vec<Value>, Value) {
    let run = compare(ours, theirs, arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
    read_records(&run.stdout)
}

/// A pixel format, a matrix and a range.
type Kind<'a> = [&'a str; 3];

/// Checks with the script that the records of a comparison are correct.
fn script(clip: &Clip, text: &str, (ours, theirs): (&Path, &Path), kinds: [Kind<'_>; 2], region: Option<&str>) -> Run {
    let records = clip.folder().join("records.jsonl");
    fs::write(&records, text).expect("the folder takes a file");
    let mut command = python();
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/against.py")).arg(&records);
    command.arg(ours).args(kinds[0]).arg(theirs).args(kinds[1]).args(region);
    finish(&mut command)
}

fn check(clip: &Clip, theirs: &Path, kinds: [Kind<'_>; 2], arguments: &[&str], region: Option<&str>) -> String {
    let mut all = arguments.to_vec();
    all.extend(region.iter().flat_map(|region| ["--region", region]));
    let run = compare(clip.path(), theirs, &all);
    assert_eq!(run.code, Some(3), "{kinds:?} {all:?}: {run:?}");
    let found = script(clip, &run.stdout, (clip.path(), theirs), kinds, region);
    assert_eq!((found.code, found.stderr.as_str()), (Some(0), ""), "{kinds:?} {all:?}");
    found.stdout
}

/// Makes noise of every code in this format, and the same frames in reverse order, where the middle one stays in place.
fn pair(format: &str, size: &str) -> (Clip, std::path::PathBuf) {
    let raw = match format {
        "gray10le" => "gray16le",
        "gbrp10le" => "gbrp16le",
        deep if deep.ends_with("le") => "yuv444p16le",
        other => other,
    };
    let coded = format!("-c:v ffv1 -strict -2 -pix_fmt {format}");
    let clip = Clip::noisy("clip.mkv", size, raw, 3, &coded);
    let other = clip.make("other.mkv", &format!("-i @ -vf reverse {coded}"));
    (clip, other)
}

const YUV: [&str; 2] = ["bt601", "limited"];

#[test]
fn pairs_of_every_kind_are_compared_as_ffmpeg_and_numpy_compare_them() {
    for (format, size, [matrix, range]) in [
        ("yuv420p", "67x45", YUV),
        ("yuv422p", "40x31", YUV),
        ("yuv444p", "33x21", YUV),
        ("gray", "35x27", ["bt601", "full"]),
        ("gbrp", "32x24", ["rgb", "full"]),
        ("yuv420p10le", "41x17", YUV),
        ("yuv422p10le", "64x48", YUV),
        ("yuv420p12le", "31x30", YUV),
        ("yuv444p12le", "16x16", YUV),
        ("gbrp10le", "24x18", ["rgb", "full"]),
        ("gray10le", "20x10", ["bt601", "full"]),
    ] {
        let (clip, other) = pair(format, size);
        let kind = [format, matrix, range];
        let coded: &[&str] = if matrix == "rgb" { &["--verify"] } else { &["--verify", "--components", "ycbcr"] };
        let said = check(&clip, &other, [kind, kind], coded, None);
        assert_eq!(said, "3 records are equal, to the filter's too\n", "{format}");
        let (records, summary) = compared(clip.path(), &other, &[], 3);
        let identical: Vec<_> = records.iter().map(|record| record["identical"] == true).collect();
        assert_eq!(identical, [false, true, false], "{format}");
        assert_eq!(records[1]["psnr_avg"], Value::Null);
        assert_eq!((&summary["complete"], &summary["comparison"]["differing"]), (&json!(true), &json!(2)));
    }
}

#[test]
fn a_lossy_copy_and_full_range_are_compared_as_ffmpeg_and_numpy_compare_them() {
    for (format, range) in [("yuv420p", "limited"), ("yuvj420p", "full"), ("yuv444p10le", "limited")] {
        let color_range = if range == "full" { "pc" } else { "tv" };
        let tags = format!("-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range {color_range}");
        let coder =
            if format.ends_with("10le") { "-c:v libx265 -x265-params log-level=none" } else { "-c:v libx264 -bf 3" };
        let coded = |crf: u32| format!("{coder} -crf {crf} -pix_fmt {format} {tags}");
        let clip = Clip::moving("clip.mp4", "190x107", 0.4, &coded(10));
        let other = clip.make("other.mp4", &format!("-i @ {}", coded(30)));
        let kind = [format, "bt709", range];
        let said = check(&clip, &other, [kind, kind], &["--engine", "gpu"], None);
        assert_eq!(said, "10 records are equal, to the filter's too\n", "{format}");
    }
}

#[test]
fn regions_count_in_both() {
    for (format, color) in [("yuv420p", YUV), ("yuv422p10le", YUV), ("gbrp", ["rgb", "full"])] {
        let (clip, other) = pair(format, "40x30");
        let kind = [format, color[0], color[1]];
        for region in ["0,0,40,30", "3,5,21,17", "39,29,1,1"] {
            check(&clip, &other, [kind, kind], &["--verify"], Some(region));
        }
    }
    let (clip, other) = pair("yuv420p", "40x30");
    let (percent, _) = compared(clip.path(), &other, &["--region", "25%,10%,50%,50%"], 3);
    assert!(percent == compared(clip.path(), &other, &["--region", "10,3,20,15"], 3).0);
    assert_eq!(percent[0]["region"], json!([10, 3, 20, 15]));
}

#[test]
fn the_script_sees_a_wrong_number() {
    let (clip, other) = pair("yuv420p", "16x16");
    let kind = ["yuv420p", "bt601", "limited"];
    let good = compare(clip.path(), &other, &[]).stdout;
    for name in [
        "psnr_y",
        "psnr_avg",
        "ssim_u",
        "ssim_all",
        "difference_max_u",
        "difference_mean_v",
        "distance_red",
        "distance_percent_luminance",
    ] {
        let bad = good.replacen(&format!("\"{name}\":"), &format!("\"{name}\":1"), 1);
        assert!(bad != good, "{name} is told");
        let run = script(&clip, &bad, (clip.path(), &other), [kind, kind], None);
        assert_eq!(run.code, Some(1), "{name}");
    }
}

/// If sizes, depths, chroma grids, matrices or ranges differ, only the histograms are compared.
#[test]
fn what_is_not_alike_is_compared_as_pictures() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.12, "-c:v ffv1 -pix_fmt yuv420p -colorspace bt709 -color_range tv");
    let ours = ["yuv420p", "bt709", "limited"];
    let tags = "-colorspace bt709 -color_range tv";
    for (arguments, theirs, why) in [
        (format!("-vf scale=40:30 -pix_fmt yuv420p {tags}"), ours, "their sizes differ, 64×48 and 40×30"),
        (format!("-pix_fmt yuv444p {tags}"), ["yuv444p", "bt709", "limited"], "their samples differ, 4:2:0 and 4:4:4"),
        (
            format!("-pix_fmt yuv420p10le {tags}"),
            ["yuv420p10le", "bt709", "limited"],
            "their depths differ, 8 and 10 bits",
        ),
        ("-pix_fmt gray".to_owned(), ["gray", "bt709", "full"], "their samples differ, 4:2:0 and gray"),
        ("-pix_fmt gbrp10le".to_owned(), ["gbrp10le", "rgb", "full"], "their samples differ, 4:2:0 and R'G'B'"),
        (
            "-pix_fmt yuv420p -colorspace smpte170m -color_range tv".to_owned(),
            ["yuv420p", "bt601", "limited"],
            "their matrices differ, bt709 and bt601",
        ),
    ] {
        let other = clip.make("other.mkv", &format!("-i @ -c:v ffv1 {arguments}"));
        check(&clip, &other, [ours, theirs], &[], None);
        let run = compare(clip.path(), &other, &[]);
        assert!(run.stderr.contains(why), "no '{why}' in {}", run.stderr);
        let (records, summary) = read_records(&run.stdout);
        assert_eq!((&records[0]["compared_as"], &records[0]["identical"]), (&json!("pictures"), &json!(false)));
        assert_eq!((&records[0]["distance_red"], &records[0]["psnr_avg"]), (&Value::Null, &Value::Null));
        assert!(records[0]["distance_percent_red"].as_f64().is_some());
        assert_eq!(summary["comparison"]["as_pictures"], 3);
    }
    // The same matrix can be set for both.
    let other = clip.make("other.mkv", "-i @ -vf setparams=colorspace=smpte170m:range=tv -c:v ffv1");
    let (records, _) = compared(clip.path(), &other, &["--matrix", "bt709"], 0);
    assert_eq!(records[0]["compared_as"], "codes");
}

#[test]
fn the_same_file_twice_is_identical() {
    let clip = Clip::moving("clip.mp4", "64x48", 0.4, "-c:v libx264 -bf 2 -pix_fmt yuv420p");
    let run = compare(clip.path(), clip.path(), &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let name = clip.path().display();
    assert_eq!(run.stderr, format!("{name} and {name} are the same in 10 frames, sample by sample\n"));
    let (records, summary) = read_records(&run.stdout);
    for (number, record) in records.iter().enumerate() {
        assert_eq!(record["against"], json!(clip.path()));
        assert_eq!((&record["against_frame"], &record["identical"]), (&json!(number), &json!(true)));
        assert_eq!(record["against_time_seconds"], record["time_seconds"]);
        for name in ["psnr_y", "psnr_u", "psnr_v", "psnr_avg"] {
            assert_eq!(record[name], Value::Null, "{name}");
        }
        for name in ["ssim_y", "ssim_u", "ssim_v", "ssim_all"] {
            assert_eq!(record[name], 1.0, "{name}");
        }
        for name in ["difference_mean_y", "distance_red", "distance_luminance", "distance_percent_blue"] {
            assert_eq!(record[name], 0.0, "{name}");
        }
    }
    let expected = json!({"identical": true, "compared": 10, "differing": 0, "first_difference": null, "as_pictures": 0,
        "only_in_input": 0, "only_in_against": 0, "psnr_y": null, "psnr_u": null, "psnr_v": null, "psnr_avg": null,
        "ssim_y": 1.0, "ssim_u": 1.0, "ssim_v": 1.0, "ssim_all": 1.0});
    let mut comparison = summary["comparison"].clone();
    comparison.as_object_mut().unwrap().remove("plane_sums");
    assert_eq!(comparison, expected);
    assert_eq!(summary["options"]["against"], json!({"input": clip.path(), "source": summary["source"], "offset": 0}));
    let quiet = compare(clip.path(), clip.path(), &["-q"]);
    // The verdict is the result, and not progress.
    assert_eq!((quiet.code, quiet.stderr, quiet.stdout), (Some(0), run.stderr, run.stdout));
    // A comparison adds to a record and removes nothing.
    let alone = analyze(clip.path(), &["--bins", "--scopes", "vectorscope"]).stdout;
    let beside = compare(clip.path(), clip.path(), &["--bins", "--scopes", "vectorscope"]).stdout;
    for (mut record, alone) in read_records(&beside).0.into_iter().zip(read_records(&alone).0) {
        record.as_object_mut().unwrap().retain(|name, _| alone.get(name).is_some());
        assert_eq!(record, alone);
    }
}

/// Returns the number after a word in the last line of a filter of FFmpeg that compares two files.
fn filter_figures(filter: &str, files: [&Path; 2], words: [&str; 4]) -> [f64; 4] {
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-i"]).arg(files[0]).arg("-i").arg(files[1]);
    let output = command.args(["-lavfi", filter, "-f", "null", "-"]).output().expect("the ffmpeg command is installed");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let (_, line) = log.rsplit_once("] ").expect("the filter's last line");
    words.map(|word| {
        let (_, rest) = line.split_once(word).unwrap_or_else(|| panic!("no {word} in {line}"));
        rest.split([' ', '\n']).next().and_then(|number| number.parse().ok()).expect("a number")
    })
}

#[test]
fn the_summary_has_the_figures_that_ffmpeg_prints_last() {
    for (format, size) in [("yuv420p", "64x48"), ("yuv444p10le", "72x40")] {
        let (clip, other) = pair(format, size);
        let files = [&*other, clip.path()];
        let run = compare(clip.path(), &other, &["--verify"]);
        let (_, summary) = read_records(&run.stdout);
        let psnr = filter_figures("psnr", files, [" y:", " u:", " v:", " average:"]);
        let ssim = filter_figures("ssim", files, [" Y:", " U:", " V:", " All:"]);
        let names = ["psnr_y", "psnr_u", "psnr_v", "psnr_avg", "ssim_y", "ssim_u", "ssim_v", "ssim_all"];
        for (name, expected) in names.iter().zip(psnr.into_iter().chain(ssim)) {
            let found = summary["comparison"][name].as_f64().unwrap_or_else(|| panic!("no {name} in {summary}"));
            assert!((found - expected).abs() < 1e-4, "{format}: {name} is {found}, not {expected}");
        }
        assert!(run.stderr.contains(&format!(", average {:.2}; SSIM: y ", psnr[3])), "{}", run.stderr);
        // The weights of luminance are named.
        assert_eq!(summary["luminance"], "0.2126 R' + 0.7152 G' + 0.0722 B' (BT.709)");
    }
}

#[test]
fn everything_that_differs_between_two_files_is_named() {
    let clip = Clip::noisy("clip.mkv", "64x48", "yuv420p", 2, "-c:v ffv1");
    let other = clip.make("other.mkv", "-i @ -vf scale=40:30 -pix_fmt yuv444p10le -color_range pc -c:v ffv1");
    let run = compare(clip.path(), &other, &[]);
    let said = "their sizes differ, 64×48 and 40×30; their samples differ, 4:2:0 and 4:4:4; their depths differ, 8 and 10 \
                bits; their ranges differ, limited";
    assert!(run.code == Some(3) && run.stderr.contains(said), "{run:?}");
    assert_eq!(read_records(&run.stdout).1["comparison"]["psnr_avg"], Value::Null);
}

/// Raw frames of 4:2:0, whose single bytes can be changed.
fn raw() -> Clip {
    Clip::noisy("clip.nut", "32x24", "yuv420p", 9, "-c copy")
}

#[test]
fn one_sample_in_one_frame_is_found() {
    let clip = raw();
    let mut bytes = clip.bytes();
    let at = bytes.len() * 6 / 9;
    bytes[at] ^= 0x10;
    let other = Clip::from_bytes("other.nut", &bytes);
    let run = compare(clip.path(), other.path(), &[]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let (records, summary) = read_records(&run.stdout);
    let differing: Vec<_> = records.iter().filter(|record| record["identical"] == false).collect();
    let [record] = differing[..] else { panic!("{} frames differ", differing.len()) };
    assert_eq!(summary["comparison"]["first_difference"], record["frame"]);
    assert_eq!(summary["comparison"]["differing"], 1);
    let largest: u64 =
        ["y", "u", "v"].iter().map(|plane| record[format!("difference_max_{plane}")].as_u64().unwrap()).sum();
    assert_eq!(largest, 16);
    let time = format!("first in frame {}, at {:.3} s", record["frame"], record["time_seconds"].as_f64().unwrap());
    assert!(run.stderr.contains(&format!("differ in 1 of 9 frames, {time}")), "{}", run.stderr);
    assert!(run.stderr.contains("largest difference 16 of 255 codes"), "{}", run.stderr);
}

#[test]
fn every_format_says_the_same() {
    let (clip, other) = pair("yuv422p10le", "35x27");
    let arguments = ["--components", "ycbcr", "--bins"];
    let with = |format: &str| compare(clip.path(), &other, &[&arguments[..], &["--format", format]].concat());
    let (lines, summary) = read_records(&with("jsonl").stdout);
    let json: Value = serde_json::from_str(&with("json").stdout).unwrap();
    assert_eq!((json["frames"].as_array(), &json["summary"]), (Some(&lines), &summary));
    let table = with("csv");
    assert_eq!(table.code, Some(3));
    let mut reader = csv::Reader::from_reader(table.stdout.as_bytes());
    let names: Vec<_> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let mut told = 0;
    for (row, line) in rows.iter().zip(&lines) {
        for (name, cell) in names.iter().zip(row) {
            let Some(value) = line.get(name) else { continue };
            match value {
                Value::Null => assert_eq!(cell, "", "{name}"),
                // Parsed by the same reader, which is not exact to the last digit.
                Value::Number(number) => {
                    let told: Value = serde_json::from_str(cell).unwrap();
                    assert_eq!(told.as_f64(), number.as_f64(), "{name}");
                }
                Value::String(text) => assert_eq!(cell, text, "{name}"),
                other => assert_eq!(cell, other.to_string(), "{name}"),
            }
            told += usize::from(name.starts_with("psnr_") || name.starts_with("distance_"));
        }
    }
    assert_eq!((rows.len(), told), (3, 3 * (4 + 14)));
    let path = clip.folder().join("records.parquet");
    let run = compare(clip.path(), &other, &[&arguments[..], &["-o", path.to_str().unwrap()]].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    for (row, cells) in reader.get_row_iter(None).unwrap().zip(&rows) {
        let row = row.unwrap();
        let found: Vec<_> = row.get_column_iter().map(|(name, field)| (name.clone(), as_text(field))).collect();
        let wanted: Vec<_> = names.iter().cloned().zip(cells.iter().map(str::to_owned)).collect();
        assert_eq!(found, wanted);
    }
    let pairs = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap();
    let kept = pairs.into_iter().find(|pair| pair.key == "histoscope").and_then(|pair| pair.value).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), summary);
}

#[test]
fn the_standard_input_can_be_either() {
    let (clip, other) = pair("yuv420p", "32x24");
    let expected = compare(clip.path(), &other, &[]).stdout;
    for (input, against) in [("-", other.to_str().unwrap()), (clip.path().to_str().unwrap(), "-")] {
        let piped = if input == "-" { clip.path() } else { &*other };
        let mut command = program();
        command.args(["analyze", input, "--engine", "cpu", "--against", against, "-q"]);
        let run = finish(command.stdin(File::open(piped).unwrap()));
        assert_eq!((run.code, run.stderr.contains(" differ in 2 of 3 frames, ")), (Some(3), true), "{run:?}");
        let figures = |text: &str| -> Vec<_> {
            read_records(text).0.iter().map(|record| (record["frame"].clone(), record["psnr_avg"].clone())).collect()
        };
        assert_eq!(figures(&run.stdout), figures(&expected));
    }
}
