//! Samples outside EBU R 103's limits are in the figures, exactly, and equal for any engine.

use histoscope_core::histogram::reference;
use histoscope_core::picture::region::Rect;
use histoscope_media::{Decoder, OpenOptions};

use crate::command::python::python;
use crate::command::{figures, finish, sample};
use crate::common::Clip;

#[test]
fn the_figures_tell_what_lies_outside_r103_as_the_definition_does() {
    let noisy = |format: &str| Clip::noisy("clip.nut", "64x48", format, 1, "-c copy");
    let clips = [noisy("yuv420p"), noisy("yuv422p10le"), noisy("gbrp")];
    let paths = clips.iter().map(Clip::path).chain([sample()]);
    let mut verdicts = Vec::new();
    for path in paths {
        let mut decoder = Decoder::open(path, &OpenOptions::default()).expect("the clip opens");
        let frame = decoder.next_frame().expect("the clip can be read").expect("a frame");
        let (picture, is_interlaced) = (frame.picture, frame.facts.scan.is_interlaced());
        let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
        for (region, rect) in [(None, all), (Some("3,5,20,17"), Rect { x: 3, y: 5, width: 20, height: 17 })] {
            let outside = u64::from(reference::outside_r103(&picture, rect, is_interlaced));
            let pixels = u64::from(rect.width * rect.height);
            for engine in ["cpu", "gpu"] {
                for more in [&[][..], &["--posterize", "4"]] {
                    let region: Vec<_> = region.iter().flat_map(|region| ["--region", region]).collect();
                    let told = figures(path, &[&["--engine", engine], region.as_slice(), more].concat());
                    let r103 = &told["r103"];
                    assert_eq!(r103["outside"].as_u64(), Some(outside), "{} {engine} {region:?}", path.display());
                    assert_eq!(r103["share"].as_f64(), Some(outside as f64 / pixels as f64));
                    assert_eq!(r103["within"].as_bool(), Some(100 * outside <= pixels));
                }
            }
            verdicts.push(100 * outside <= pixels);
        }
    }
    assert!(verdicts.contains(&true) && verdicts.contains(&false), "{verdicts:?}");
}

/// Counts the pixels outside from the text of the recommendation, in floating point: the size of a picture of 8 bits in
/// 4:2:0, untagged and small, so that its matrix is BT.601's, and its planes on standard input.
const NUMPY: &str = r#"
import sys, numpy
width, height = int(sys.argv[1]), int(sys.argv[2])
planes = numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8).astype(float)
luma = (planes[: width * height].reshape(height, width) - 16) / 219
blue, red = (planes[width * height :].reshape(2, height // 2, width // 2).repeat(2, 1).repeat(2, 2) - 128) / 224
channels = luma + 1.402 * red, luma - (0.299 * 1.402 * red + 0.114 * 1.772 * blue) / 0.587, luma + 1.772 * blue
outside = numpy.zeros((height, width), bool)
for channel in channels + (luma,):
    codes = numpy.pad(16 + 219 * channel, ((1, 1), (3, 3)), "edge")
    filtered = sum(
        down * across * codes[y : y + height, x : x + width]
        for y, down in enumerate((1, 2, 1)) for x, across in enumerate((1, 2, 3, 4, 3, 2, 1))
    ) / 64
    outside |= (filtered < 4.5) | (filtered >= 246.5)
print(outside.sum())
"#;

#[test]
fn the_count_is_that_of_the_recommendations_text() {
    let clip = Clip::noisy("clip.nut", "64x48", "yuv420p", 1, "-c copy");
    let told = figures(clip.path(), &["--engine", "cpu"]);
    let found = told["r103"]["outside"].as_u64().expect("a count");
    let raw = clip.make("raw.yuv", "-i @ -f rawvideo");
    let mut numpy = python();
    numpy.args(["-c", NUMPY, "64", "48"]).stdin(std::fs::File::open(raw).expect("the planes"));
    let run = finish(&mut numpy);
    let expected: u64 = run.stdout.trim().parse().unwrap_or_else(|_| panic!("{}", run.stderr));
    assert!(found.abs_diff(expected) <= 2 && found > 100, "{found}, {expected} in floating point");
}
