//! CLAHE and the box blur against OpenCV's on gray pictures, on the CPU and on the GPU.
//!
//! tests/data/opencv.py wrote OpenCV's results to tests/data/opencv.txt.

use histoscope_core::adjust::{Adjustments, Blur, Clahe, Tone};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;

use crate::adjuster::Adjuster;
use crate::support::{colorimetry, drawn};

/// Draws the picture of this seed as opencv.py does.
fn picture(width: u32, height: u32, seed: u32) -> Picture {
    let mut state = seed;
    let color = colorimetry(Matrix::Bt709, Range::Full);
    drawn(PixelLayout::gray(8), (width, height), color, |_, x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut base = 40 + (120 * x / width) as i32 + (60 * y / height) as i32;
        if 3 * x > width && 2 * y > height {
            base = 220 - base / 3;
        }
        (base + ((state >> 24) % 23) as i32 - 11).clamp(0, 255) as u16
    })
}

/// Adjusts a picture. Returns the largest difference from OpenCV's codes.
fn difference(adjuster: &mut Adjuster, line: &str, picture: &Picture, adjustments: &Adjustments, hex: &str) -> u16 {
    let expected: Vec<_> =
        (0..hex.len()).step_by(2).map(|at| u16::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    let adjusted = adjuster.check(line, picture, adjustments);
    assert_eq!(adjusted.rgb.len(), expected.len());
    assert!(adjusted.rgb.iter().all(|[r, g, b]| r == g && g == b), "gray stays gray");
    adjusted.rgb.iter().zip(&expected).map(|(pixel, code)| pixel[0].abs_diff(*code)).max().unwrap()
}

fn lines(kind: &str) -> Vec<Vec<&'static str>> {
    let text = include_str!("../../../../tests/data/opencv.txt");
    text.lines().map(|line| line.split(' ').collect::<Vec<_>>()).filter(|fields| fields[0] == kind).collect()
}

#[test]
fn clahe_is_within_two_codes_of_opencv() {
    let mut adjuster = Adjuster::get();
    let lines = lines("clahe");
    assert_eq!(lines.len(), 9);
    for fields in lines {
        let [seed, width, height, across, down] = std::array::from_fn(|i| fields[i + 1].parse::<u32>().unwrap());
        let clahe = Clahe { tiles: (across, down), clip_limit: fields[6].parse().unwrap() };
        let adjustments = Adjustments { tone: Some(Tone::Clahe(clahe)), ..Adjustments::default() };
        let name = fields[..7].join(" ");
        let most = difference(&mut adjuster, &name, &picture(width, height, seed), &adjustments, fields[7]);
        // The difference is at most one, from the definition's rounding.
        assert!(most <= 1, "{name}: {most}");
    }
}

#[test]
fn one_blur_is_opencvs() {
    let mut adjuster = Adjuster::get();
    let lines = lines("blur");
    assert_eq!(lines.len(), 6);
    for fields in lines {
        let [seed, width, height, size] = std::array::from_fn(|i| fields[i + 1].parse::<u32>().unwrap());
        let adjustments = Adjustments { blur: Some(Blur { size, runs: 1 }), ..Adjustments::default() };
        let name = fields[..5].join(" ");
        let most = difference(&mut adjuster, &name, &picture(width, height, seed), &adjustments, fields[5]);
        assert_eq!(most, 0, "{name}");
    }
}
