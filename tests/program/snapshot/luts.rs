//! Lookup tables: the mapped codes against FFmpeg's and OpenColorIO's, and the messages on unusable files.

use std::fs;

use histoscope_core::adjust::{Codes, Lut, lut};
use histoscope_core::picture::luminance::LuminanceWeights;

use crate::command::packages::python_with_packages;
use crate::command::run;
use crate::common::{Clip, decode_all};

/// A generator of numbers from 0 to 1, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// Returns the lines of a cube: a smooth look with some noise, over this range of values.
fn cube(side: usize, noise: f64, (black, white): (f64, f64), random: &mut Random) -> String {
    let mut lines = String::new();
    for node in 0..side.pow(3) {
        let place = [node % side, node / side % side, node / side.pow(2)].map(|at| at as f64 / (side - 1) as f64);
        let gray = (place[0] + place[1] + place[2]) / 3.0;
        let mut value = |channel: usize| {
            let smooth = (0.7 * place[channel] + 0.3 * gray).powf(0.6 + 0.3 * channel as f64);
            let value = smooth * (1.0 - noise) + random.next() * noise;
            black + value * (white - black)
        };
        lines += &format!("{:.7} {:.7} {:.7}\n", value(0), value(1), value(2));
    }
    lines
}

/// Returns the lines of a curve for each channel.
fn curve(size: usize, random: &mut Random) -> String {
    let exponents = [0, 1, 2].map(|_| 0.4 + 1.6 * random.next());
    let line = |at: usize| exponents.map(|exponent| (at as f64 / (size - 1) as f64).powf(exponent));
    (0..size).map(line).map(|[r, g, b]| format!("{r:.7} {g:.7} {b:.7}\n")).collect()
}

/// Returns twenty lookup tables of every form. The first eight are plain cubes.
fn tables() -> Vec<String> {
    let mut random = Random(48);
    let mut all = Vec::new();
    for side in [2, 3, 5, 9, 17, 25, 33, 65] {
        all.push(format!("LUT_3D_SIZE {side}\n{}", cube(side, 0.02 * (side % 4) as f64, (0.0, 1.0), &mut random)));
    }
    for (side, range) in [(4, (-0.2, 1.3)), (17, (-0.9, 2.9)), (8, (0.1, 0.8))] {
        all.push(format!("LUT_3D_SIZE {side}\n{}", cube(side, 0.05, range, &mut random)));
    }
    for (min, max) in [("0 0 0", "1 1 1"), ("0.1 0 -0.2", "0.8 0.9 1.5")] {
        let domain = format!("DOMAIN_MIN {min}\nDOMAIN_MAX {max}\n");
        all.push(format!("TITLE \"x\"\nLUT_3D_SIZE 16\n{domain}{}", cube(16, 0.05, (0.0, 1.0), &mut random)));
    }
    all.push(format!("LUT_3D_SIZE 11\nLUT_3D_INPUT_RANGE -0.1 1.2\n{}", cube(11, 0.0, (0.0, 1.0), &mut random)));
    for (size, domain) in [(2, ""), (33, ""), (1024, ""), (4096, "LUT_1D_INPUT_RANGE 0.05 0.95\n")] {
        all.push(format!("LUT_1D_SIZE {size}\n{domain}{}", curve(size, &mut random)));
    }
    for (size, side) in [(16, 5), (1024, 33)] {
        let tables = [curve(size, &mut random), cube(side, 0.03, (0.0, 1.0), &mut random)].concat();
        let ranges = "LUT_1D_INPUT_RANGE 0 1\nLUT_3D_INPUT_RANGE 0 1\n";
        all.push(format!("LUT_1D_SIZE {size}\nLUT_3D_SIZE {side}\n{ranges}{tables}"));
    }
    all
}

#[test]
fn cubes_are_interpolated_as_by_ffmpeg() {
    for (format, top) in [("gbrp", 255), ("gbrp10le", 1023), ("gbrp12le", 4095)] {
        let raw = if top == 255 { "gbrp" } else { "gbrp16le" };
        let options = format!("-c:v ffv1 -strict -2 -pix_fmt {format}");
        let clip = Clip::noisy("clip.mkv", "128x96", raw, 1, &options);
        let source = Codes::of(&decode_all(clip.path())[0].picture);
        for text in &tables()[..8] {
            let file = clip.folder().join("a.cube");
            fs::write(&file, text).unwrap();
            let filter = format!("-vf lut3d=file={}:interp=tetrahedral", file.display());
            let mapped = clip.make("mapped.mkv", &format!("-i @ {filter} {options}"));
            let expected = Codes::of(&decode_all(&mapped)[0].picture);
            let ours = lut::apply(source.clone(), Lut::open(&file).unwrap());
            let distance = |(ours, theirs): (&[u16; 3], &[u16; 3])| (0..3).map(|i| ours[i].abs_diff(theirs[i])).max();
            let most = ours.rgb.iter().zip(&expected.rgb).filter_map(distance).max();
            // FFmpeg rounds towards black.
            assert!(most <= Some(1), "{format}: {most:?}, {}", text.lines().next().unwrap());
            assert!(ours.rgb != source.rgb && ours.top() == top);
        }
    }
}

#[test]
fn twenty_tables_of_every_form_are_within_one_code_of_opencolorio() {
    let folder = tempfile::tempdir().unwrap();
    let (file, colours) = (folder.path().join("a.cube"), folder.path().join("colours"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/luts.py");
    let mut random = Random(1);
    let tables = tables();
    assert_eq!(tables.len(), 20);
    for (number, text) in tables.iter().enumerate() {
        fs::write(&file, text).unwrap();
        let bits = 10;
        let gray = (0..1 << bits).map(|code| [code; 3]);
        let others = (0..40_000).map(|_| [0, 1, 2].map(|_| (random.next() * 1024.0) as u16));
        let source = Codes {
            bits,
            width: 41_024,
            height: 1,
            rgb: gray.chain(others).collect(),
            luminance: LuminanceWeights::Bt709,
        };
        let mapped = lut::apply(source.clone(), Lut::open(&file).unwrap());
        let pairs = source.rgb.iter().zip(&mapped.rgb).flat_map(|(from, to)| [*from, *to]).flatten();
        fs::write(&colours, pairs.flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
        let output = python_with_packages().arg(script).arg(&file).arg("10").arg(&colours).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let most: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        assert!(most <= 1, "table {number}: {most} codes");
    }
}

#[test]
fn an_unusable_file_is_named_with_its_line() {
    let clip = Clip::moving("clip.mkv", "32x18", 0.04, "-c:v ffv1");
    let file = clip.folder().join("bad.cube");
    for (text, words) in [
        ("LUT_3D_SIZE 2\n0 0 0\n", "line 2: the file ends after 1 of 8 lines"),
        ("LUT_3D_SIZE 300\n", "line 1: LUT_3D_SIZE is '300'"),
        ("LUT_1D_SIZE 2\n0 0 0\nnan 0 0\n", "line 3: 'nan' is not a finite number"),
        ("LUT_1D_SIZE 2\nDOMAIN_MIN 1 1 1\nDOMAIN_MAX 0 0 0\n0 0 0\n1 1 1\n", "line 3: the domain begins at 1"),
    ] {
        fs::write(&file, text).unwrap();
        for command in ["snapshot", "analyze"] {
            let run = run([command, clip.path().to_str().unwrap(), "--lut", file.to_str().unwrap()]);
            assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (Some(1), "", 1), "{run:?}");
            assert!(run.stderr.contains(&format!("bad.cube, {words}")), "{words}: {run:?}");
        }
    }
    let missing = run(["snapshot", clip.path().to_str().unwrap(), "--lut", "not/there.cube"]);
    assert!(
        missing.code == Some(1) && missing.stderr.contains("not/there.cube: the LUT cannot be read"),
        "{missing:?}"
    );
}
