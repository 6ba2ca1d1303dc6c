//! Light in cd/m²: every figure of many clips, against NumPy in double precision; and the file's own statements.

use serde_json::Value;

use crate::analyze::program::{analyze, output, read_records};
use crate::command::python::python;
use crate::common::Clip;

const PQ: &str = "setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc:range=";
const HLG: &str = "setparams=color_trc=arib-std-b67:color_primaries=bt2020:colorspace=bt2020nc:range=";

/// Compares `analyze CLIP --light --gamut ARGUMENTS` with NumPy.
#[track_caller]
fn compare(clip: &Clip, format: &str, range: &str, transfer: &str, (peak, region): (&str, &str), engine: &str) {
    let mut arguments = vec!["--light", "--gamut", "--verify", "--engine", engine];
    if transfer == "hlg" {
        arguments.extend(["--hlg-peak", peak]);
    }
    if region != "-" {
        arguments.extend(["--region", region]);
    }
    let records = clip.folder().join("records.jsonl");
    std::fs::write(&records, output(clip.path(), &arguments)).unwrap();
    let mut script = python();
    script.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/light.py"));
    let run = script.arg(clip.path()).args([format, "bt2020nc", range, transfer, peak, region]).arg(records);
    let run = run.output().expect("the interpreter was found a moment ago");
    assert!(run.status.success(), "{format} {range} {transfer} {peak}: {}", String::from_utf8_lossy(&run.stderr));
}

/// Ramps, patches, noise and bars, of three depths, both ranges and several samplings.
#[test]
fn light_is_what_the_standards_say() {
    const SOURCES: [&str; 4] = [
        "gradients=s=61x43:n=5:seed=3:x0=0:y0=0:x1=60:y1=42:r=5:d=0.4",
        "color=c=0x9a9a9a:s=34x22:r=5:d=0.4",
        "smptehdbars=s=66x46:r=5:d=0.4",
        "testsrc2=s=63x45:r=5:d=0.4",
    ];
    const FORMATS: [(&str, &str); 5] = [
        ("yuv420p", "limited"),
        ("yuv420p10le", "limited"),
        ("yuv444p10le", "full"),
        ("yuv422p12le", "limited"),
        ("yuv444p12le", "full"),
    ];
    for (number, (format, range)) in FORMATS.into_iter().enumerate() {
        for (transfer, tags) in [("pq", PQ), ("hlg", HLG)] {
            let peak = ["1000", "400", "4000"][number % 3];
            for source in SOURCES {
                let clip = Clip::new(
                    "clip.mkv",
                    &format!("-f lavfi -i {source} -vf format={format},{tags}{range} -c:v ffv1 -strict -2"),
                );
                compare(&clip, format, range, transfer, (peak, "-"), "cpu");
            }
            let noise = Clip::noisy(
                "clip.mkv",
                "67x45",
                "yuv444p16le",
                2,
                &format!("-vf format={format},{tags}{range} -c:v ffv1 -strict -2"),
            );
            compare(&noise, format, range, transfer, (peak, "5,3,31,22"), "cpu");
        }
    }
}

#[test]
fn the_gpu_and_several_decoders_give_the_same_records() {
    let clip = Clip::new(
        "clip.mkv",
        &format!("-f lavfi -i testsrc2=s=96x64:r=25:d=9 -vf format=yuv420p10le,{PQ}limited -c:v ffv1 -g 1"),
    );
    let run = |more: &[&str]| output(clip.path(), &[&["--light", "--gamut"], more].concat());
    let single = run(&[]);
    assert_eq!(run(&["--jobs", "2"]), single);
    assert_eq!(run(&["--engine", "gpu"]), single);
    // Shares add up to the same file.
    let parts = [("a.jsonl", "0f", "100f"), ("b.jsonl", "100f", "9999f")].map(|(name, from, to)| {
        let path = clip.folder().join(name);
        std::fs::write(&path, run(&["--from", from, "--to", to])).unwrap();
        path
    });
    let mut merge = crate::command::program();
    merge.arg("merge").args(&parts).args(["-o", "-"]);
    assert_eq!(crate::command::finish(&mut merge).stdout, single);
}

fn summary(clip: &Clip, arguments: &[&str]) -> Value {
    read_records(&output(clip.path(), arguments)).1
}

/// Makes a clip of HEVC with a mastering display of 1000 cd/m² and this content light level.
fn stated(level: &str) -> Clip {
    let x265 = format!(
        "hdr-opt=1:repeat-headers=1:log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:\
         master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):{level}"
    );
    Clip::new(
        "clip.mkv",
        &format!(
            "-f lavfi -i color=c=0xd0d0d0:s=64x64:r=5:d=0.4 -pix_fmt yuv420p10le -c:v libx265 -x265-params {x265}"
        ),
    )
}

#[test]
fn statements_of_the_file_are_judged() {
    let measured = summary(&stated("max-cll=1000,400"), &["--light"]);
    let light = &measured["light"];
    let (max, average) = (light["max_cll"].as_f64().unwrap(), light["max_fall"].as_f64().unwrap());
    assert!((max / average - 1.0).abs() < 0.02 && max > 1000.0, "a constant picture: {light}");
    let found = &measured["stated_light"];
    assert_eq!((&found["max_cll"], &found["max_fall"]), (&1000.into(), &400.into()));
    assert_eq!((&found["mastering_max"], &found["mastering_min"]), (&1000.0.into(), &0.005.into()));
    assert_eq!((&found["max_cll_verdict"], &found["max_fall_verdict"]), (&"too_low".into(), &"too_low".into()));
    assert_eq!((&found["hdr10_plus"], &found["dolby_vision"]), (&false.into(), &Value::Null));
    assert_eq!(light["pixels_above_mastering"], light["pixels"], "all are above 1000 cd/m²");
    let right = format!("max-cll={},65535", max.round());
    let found = &summary(&stated(&right), &["--light"])["stated_light"];
    assert_eq!((&found["max_cll_verdict"], &found["max_fall_verdict"]), (&"agrees".into(), &"too_high".into()));
    let found = &summary(&stated("max-cll=0,0"), &["--light"])["stated_light"];
    assert_eq!((&found["max_cll_verdict"], &found["max_fall_verdict"]), (&"absent".into(), &"absent".into()));
}

#[test]
fn sdr_is_measured_if_its_white_is_known() {
    let clip = Clip::new("clip.mkv", "-f lavfi -i color=c=white:s=32x32:r=5:d=0.2 -pix_fmt yuv420p -c:v ffv1");
    let refused = analyze(clip.path(), &["--light"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("untagged") && refused.stderr.contains("--sdr-white"), "{}", refused.stderr);
    assert_eq!(refused.stderr.lines().count(), 1);
    for (arguments, light) in [
        (&["--light", "--sdr-white", "203"][..], 203.0),
        (&["--light", "--transfer", "bt1886"], 100.0),
        (&["--light", "--transfer", "pq"], 10_000.0),
        (&["--light", "--transfer", "hlg"], 1000.0),
    ] {
        let max = summary(&clip, arguments)["light"]["max_cll"].as_f64().unwrap();
        assert!((max / light - 1.0).abs() < 1e-6, "{arguments:?}: {max}");
    }
}

#[test]
fn tables_have_the_same_figures_and_other_runs_have_none() {
    let clip = Clip::new(
        "clip.mkv",
        &format!("-f lavfi -i testsrc2=s=96x64:r=5:d=0.4 -vf format=yuv420p10le,{PQ}limited -c:v ffv1"),
    );
    let table = output(clip.path(), &["--light", "--format", "csv"]);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let (records, summary) = read_records(&output(clip.path(), &["--light"]));
    let at = lines[0].iter().position(|name| *name == "light_max_cd_m2").unwrap();
    assert_eq!(lines[0][at..at + 4], ["light_max_cd_m2", "light_average_cd_m2", "light_max_x", "light_max_y"]);
    for (cells, record) in lines[1..].iter().zip(&records) {
        for (name, cell) in lines[0][at..].iter().zip(&cells[at..]) {
            let value = &record["light"][name.strip_prefix("light_").unwrap()];
            assert_eq!(cell.parse::<f64>().ok(), value.as_f64(), "{name}");
        }
    }
    assert_eq!(summary["options"]["light"], "HLG at 1000 cd/m²");
    assert!(!output(clip.path(), &[]).contains("light"), "without --light");
    for (arguments, said) in [
        (&["--light", "--format", "ffprobe"][..], "leave out --light"),
        (&["--light", "--equalize"], "as they are coded"),
        (&["--gamut"], "--light"),
        (&["--light", "--hlg-peak", "100"], "400"),
    ] {
        let run = analyze(clip.path(), arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
}

/// Black bars lower the average of a frame; without them, it is that of the picture.
#[test]
fn bars_are_left_out_of_the_average() {
    let picture = "-f lavfi -i testsrc2=s=96x48:r=5:d=1 -vf";
    let clip = Clip::new("clip.mkv", &format!("{picture} format=yuv444p10le,{PQ}limited,pad=96:80:0:16 -c:v ffv1"));
    let active = &summary(&clip, &["--light", "--crop-bars", "--quiet"])["light"];
    assert_eq!(active, &summary(&clip, &["--light", "--region", "0,16,96,48"])["light"]);
    let all = &summary(&clip, &["--light"])["light"];
    let [active_fall, all_fall] = [active, all].map(|light| light["max_fall"].as_f64().unwrap());
    assert!((all_fall / active_fall - 48.0 / 80.0).abs() < 1e-6, "{all_fall} {active_fall}");
    assert_eq!((&active["max_cll"], &active["pixels"]), (&all["max_cll"], &(5 * 96 * 48).into()));
}

/// A run that a full disk ended is continued to exactly what a single run writes, with the light of all frames.
#[cfg(unix)]
#[test]
fn the_light_of_a_continued_run_is_that_of_all_frames() {
    let clip = Clip::noisy(
        "clip.mkv",
        "16x12",
        "yuv420p12le",
        600,
        &format!("-vf format=yuv420p12le,fade=in:0:600,{PQ}limited -c:v ffv1 -g 1 -strict -2"),
    );
    // Row groups of tables have up to 32 MiB, so they need bins. CSV has a summary of parts of a file only.
    for (ending, more) in [("jsonl", &[][..]), ("csv", &[]), ("json", &[]), ("parquet", &["--bins"])] {
        let run = |name: &str, limit: Option<u64>| {
            let path = clip.folder().join(format!("{name}.{ending}"));
            let mut command = std::process::Command::new("sh");
            let limit = limit.map_or("unlimited".to_owned(), |blocks| blocks.to_string());
            command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"")).arg("sh");
            command.arg(env!("CARGO_BIN_EXE_histoscope")).arg("analyze").arg(clip.path()).args(more);
            command.args(["--light", "--gamut", "--to", "590f", "-q", "--engine", "cpu", "--resume", "-o"]).arg(&path);
            (path, crate::command::finish(&mut command))
        };
        let (whole, first) = run("whole", None);
        assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""));
        let bytes = std::fs::metadata(&whole).unwrap().len();
        let (path, cut) = run("out", Some(bytes * 95 / 100 / 512));
        cut.fails_with(&[&format!("out.{ending}"), "--resume"]);
        assert!(!path.exists());
        let (path, resumed) = run("out", None);
        assert_eq!((resumed.code, resumed.stderr.as_str()), (Some(0), ""), "{ending}");
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&whole).unwrap(), "{ending}");
    }
}
