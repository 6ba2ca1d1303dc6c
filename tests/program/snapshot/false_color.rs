//! `--false-colour`: the picture in flat colours by percentages of Y' or of luminance, computed here differently, and
//! by light, against NumPy.

use crate::command::python::python;
use crate::command::{finish, program};
use crate::common::{Clip, noise};
use crate::snapshot::expected::frame_at;
use crate::snapshot::png_file::{Png, snapshot};

/// Returns the colour of a percentage in the cameras' scale, or `None` if it is gray.
fn camera(percent: f64) -> Option<[u8; 3]> {
    let table = [(2.5, Some([138, 0, 178])), (4.0, Some([0, 84, 255])), (38.0, None), (42.0, Some([38, 172, 66]))];
    let more = [(52.0, None), (56.0, Some([255, 138, 190])), (97.0, None), (99.0, Some([255, 230, 0]))];
    let below = |&&(end, _): &&(f64, Option<[u8; 3]>)| percent < end;
    table.iter().chain(&more).find(below).map_or(Some([232, 14, 22]), |(_, color)| *color)
}

#[test]
fn a_level_above_all_codes_of_the_video_is_refused() {
    let sample = crate::command::sample().to_str().expect("plain");
    for (option, code) in [("--zebra=300c", 300), ("--clip-marks=2%,256c", 256)] {
        let run = crate::command::run(["snapshot", sample, option]);
        run.fails_with(&["sample.mp4", &format!("{code}c is not a code of this 8-bit video; choose a code up to 255")]);
    }
    assert_eq!(crate::command::run(["snapshot", sample, "--zebra=255c"]).code, Some(0));
}

#[test]
fn luma_of_limited_range_decides_in_steps_and_as_cameras_have_it() {
    let steps = [[30, 0, 59], [52, 2, 141], [1, 57, 164], [1, 93, 135], [4, 121, 121], [9, 149, 98], [57, 178, 12]]
        .into_iter()
        .chain([[184, 190, 15], [254, 204, 135], [254, 248, 208]])
        .collect::<Vec<[u8; 3]>>();
    for (format, unit) in [("yuv420p", 1.0), ("yuv422p10le", 4.0)] {
        let clip = Clip::noisy("clip.nut", "43x29", format, 1, "-c copy");
        let picture = frame_at(clip.path(), 0.0).picture;
        for (option, is_camera) in [("--false-colour", true), ("--false-color=steps", false)] {
            let png = snapshot(clip.path(), &["--no-overlay", option]);
            for (x, y) in (0..29).flat_map(|y| (0..43).map(move |x| (x, y))) {
                let part = f64::from(picture.code(0, x, y)) - 16.0 * unit;
                let percent = part / (219.0 * unit) * 100.0;
                let gray = [(part * 255.0 / (219.0 * unit)).clamp(0.0, 255.0).round() as u8; 3];
                let step = (percent / 10.0).floor().clamp(0.0, 9.0) as usize;
                let expected = if is_camera { camera(percent).unwrap_or(gray) } else { steps[step] };
                assert_eq!(png.at(x, y), expected, "{format} {option} at ({x}, {y}): {percent} %");
            }
        }
    }
}

#[test]
fn of_rgb_the_luminance_decides() {
    let bytes = noise(61 * 37 * 3, 3);
    let clip = Clip::from_bytes("clip.raw", &bytes);
    let rgb = clip.make("rgb.nut", "-f rawvideo -pixel_format rgb24 -video_size 61x37 -i @ -c copy");
    let asked: [(&[&str], _); 2] = [(&[], [2126, 7152, 722]), (&["--luminance-weights", "bt2020"], [2627, 6780, 593])];
    for (arguments, [red, green, blue]) in asked {
        let png = snapshot(&rgb, &[&["--no-overlay", "--false-colour=camera"], arguments].concat());
        for (place, rgb) in (0..).zip(bytes.chunks_exact(3)) {
            let [r, g, b] = [rgb[0], rgb[1], rgb[2]].map(u64::from);
            let bin = (256 * (red * r + green * g + blue * b) / (10_000 * 255)).min(255);
            let percent = bin as f64 / 2.55;
            let expected = camera(percent).unwrap_or([bin as u8; 3]);
            assert_eq!(png.at(place % 61, place / 61), expected, "pixel {place}: {rgb:?} is {percent} %");
        }
    }
}

const PQ: &str = "-color_trc smpte2084 -color_primaries bt2020";
const HLG: &str = "-color_trc arib-std-b67 -color_primaries bt2020";

/// A clip with one picture of 67×41 pixels, from nearly black to white.
fn graded(format: &str, tags: &str) -> Clip {
    let clip = Clip::noisy("noise.mkv", "67x41", "gbrp16le", 1, "-c:v ffv1 -strict -2");
    // Columns from dark to bright, so that every light occurs.
    let fade = "-vf geq=r='r(X,Y)*pow(X/66,3)':g='g(X,Y)*pow(X/66,3)':b='b(X,Y)*pow(X/66,3)'";
    clip.make("clip.mkv", &format!("-i @ {fade} -c:v ffv1 -strict -2 -pix_fmt {format} {tags}"));
    clip
}

#[test]
fn light_decides_for_pq_and_hlg_as_the_standards_say() {
    let kinds = [
        ("gbrp10le", PQ, "pq", "10000", 8),
        ("gbrp12le", PQ, "pq", "10000", 8),
        ("gbrp10le", HLG, "hlg", "1000", 6),
        ("gbrp12le", HLG, "hlg", "10000", 7),
    ];
    for (format, tags, transfer, peak, least) in kinds {
        let clip = graded(format, tags);
        let path = clip.folder().join("clip.mkv");
        for engine in ["gpu", "cpu"] {
            let png = clip.folder().join("shown.png");
            let mut arguments = vec!["--no-overlay", "--engine", engine, "--false-colour=light"];
            if transfer == "hlg" {
                arguments.extend(["--hlg-peak", peak]);
            }
            let run = finish(program().arg("snapshot").arg(&path).args(arguments).arg("-o").arg(&png));
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/false_light.py");
            let arguments = [format, transfer, peak, "67", "41"];
            let output = python().arg(script).arg(&path).args(arguments).arg(&png).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            let numbers: Vec<u32> = told.split_whitespace().map(|number| number.parse().expect("a number")).collect();
            assert_eq!(numbers[0], 0, "{format} {transfer} {engine}: wrong pixels");
            assert!(numbers[1] >= least, "{format} {transfer} {engine}: {} colours", numbers[1]);
        }
    }
}

#[test]
fn both_engines_show_the_same_light_and_that_of_sdr_is_unknown() {
    for tags in [PQ, HLG] {
        let options = format!("-c:v ffv1 -color_range tv -colorspace bt2020nc {tags}");
        let clip = Clip::noisy("clip.mkv", "67x41", "yuv420p10le", 1, &options);
        let of = |engine| snapshot(clip.path(), &["--no-overlay", "--false-colour=light", "--engine", engine]).rgb;
        assert_eq!(of("gpu"), of("cpu"), "{tags}");
    }
    let sdr = Clip::noisy("clip.mkv", "67x41", "yuv420p10le", 1, "-c:v ffv1");
    let png = sdr.folder().join("shown.png");
    let run = finish(
        program().arg("snapshot").arg(sdr.path()).args(["--no-overlay", "--false-colour=light", "-o"]).arg(&png),
    );
    assert_eq!(run.code, Some(0));
    let told = "clip.mkv: the light of BT.1886 is not known, so the false colours are those of the camera scale; --transfer \
                reads untagged HDR";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(Png::read(&png).rgb, snapshot(sdr.path(), &["--no-overlay", "--false-colour"]).rgb);
}
