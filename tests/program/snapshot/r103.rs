//! Samples outside EBU R 103's limits are in the figures, exactly, and equal for any engine.

use histoscope_core::histogram::reference;
use histoscope_core::picture::region::{Rect, parts};
use histoscope_media::{Decoder, OpenOptions};

use crate::command::{figures, sample};
use crate::common::Clip;

#[test]
fn the_figures_tell_what_lies_outside_r103_as_the_definition_does() {
    let noisy = |format: &str| Clip::noisy("clip.nut", "64x48", format, 1, "-c copy");
    let clips = [noisy("yuv420p"), noisy("yuv422p10le"), noisy("gbrp")];
    let paths = clips.iter().map(Clip::path).chain([sample()]);
    let mut verdicts = Vec::new();
    for path in paths {
        let mut decoder = Decoder::open(path, &OpenOptions::default()).expect("the clip opens");
        let picture = decoder.next_frame().expect("the clip can be read").expect("a frame").picture;
        let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
        for (region, rect) in [(None, all), (Some("3,5,20,17"), Rect { x: 3, y: 5, width: 20, height: 17 })] {
            let counted = parts(&picture, rect).expect("the region lies in the picture");
            let outside: u64 = counted.iter().map(|part| u64::from(reference::outside_r103(part))).sum();
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
