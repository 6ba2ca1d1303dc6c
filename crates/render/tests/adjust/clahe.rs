//! CLAHE on the GPU against its definition. The comparison with OpenCV is in crates/render/tests/adjust/opencv.rs.

use histoscope_core::adjust::{Adjustments, Clahe, Codes, Tone};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;

use crate::adjuster::Adjuster;
use crate::support::{colorimetry, drawn, native_layouts, natural, noise};

fn clahe(tiles: (u32, u32), clip_limit: f64) -> Adjustments {
    Adjustments { tone: Some(Tone::Clahe(Clahe { tiles, clip_limit })), ..Adjustments::default() }
}

#[test]
fn any_size_depth_and_number_of_tiles_is_the_reference_to_the_last_code() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        let layout = PixelLayout::planar_ycbcr(depth, (1, 1));
        for size in [(1, 1), (2, 2), (5, 3), (64, 64), (257, 130), (640, 360)] {
            for (tiles, clip_limit) in [((8, 8), 2.0), ((1, 1), 0.0), ((16, 3), 40.0)] {
                let picture = natural(layout, size, colorimetry(Matrix::Bt709, Range::Limited), 4);
                adjuster.check(&format!("{size:?}, {depth} bits"), &picture, &clahe(tiles, clip_limit));
            }
        }
    }
}

#[test]
fn layouts_and_subsamplings_are_read_right() {
    let mut adjuster = Adjuster::get();
    for (name, layout) in native_layouts().into_iter().step_by(5) {
        let picture = noise(layout, (43, 30), colorimetry(Matrix::Bt601, Range::Full), 3, 5);
        adjuster.check(&name, &picture, &clahe((4, 4), 3.0));
    }
}

#[test]
fn local_contrast_grows_and_flat_pictures_stay_flat() {
    let mut adjuster = Adjuster::get();
    let color = colorimetry(Matrix::Identity, Range::Full);
    // A faint checkerboard on a strong gradient: CLAHE enlarges its steps everywhere.
    let picture = drawn(PixelLayout::planar_gbr(8), (256, 64), color, |_, x, y| {
        (x * 7 / 10) as u16 + ((x / 4 + y / 4) % 2 * 4) as u16
    });
    let before = Codes::of(&picture);
    let after = adjuster.check("checkerboard", &picture, &clahe((8, 8), 4.0));
    let contrast = |codes: &Codes| -> u32 {
        let row = &codes.rgb[..256];
        row.windows(5).map(|pixels| u32::from(pixels[0][0].abs_diff(pixels[4][0]))).sum()
    };
    assert!(contrast(&after) > 2 * contrast(&before), "{} {}", contrast(&before), contrast(&after));
    let flat = drawn(PixelLayout::planar_gbr(8), (100, 60), color, |_, _, _| 90);
    let after = adjuster.check("flat", &flat, &clahe((8, 8), 2.0));
    assert!(after.rgb.iter().all(|&pixel| pixel == after.rgb[0]), "one tone stays one tone");
}
