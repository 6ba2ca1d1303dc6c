//! `--false-colour`: the picture in flat colours by percentages of Y' or of luminance, computed here differently.

use crate::common::{Clip, noise};
use crate::snapshot::expected::frame_at;
use crate::snapshot::png_file::snapshot;

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
    let png = snapshot(&rgb, &["--no-overlay", "--false-colour=camera"]);
    for (place, rgb) in (0..).zip(bytes.chunks_exact(3)) {
        let [r, g, b] = [rgb[0], rgb[1], rgb[2]].map(u64::from);
        let bin = (256 * (2126 * r + 7152 * g + 722 * b) / (10_000 * 255)).min(255);
        let percent = bin as f64 / 2.55;
        let expected = camera(percent).unwrap_or([bin as u8; 3]);
        assert_eq!(png.at(place % 61, place / 61), expected, "pixel {place}: {rgb:?} is {percent} %");
    }
}
