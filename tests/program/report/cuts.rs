//! Cuts in clips whose cuts are known.

use std::path::Path;

use crate::common::Clip;
use crate::report::{page_of, shots};

/// Returns the first frames of the page's shots, except the first shot.
pub fn cuts(file: &Path, arguments: &[&str]) -> Vec<u64> {
    let page = page_of(file, arguments);
    let (_, list) = page.split_once("<ol id=\"shots\">").expect("the shots");
    let (list, _) = list.split_once("</ol>").expect("their end");
    let frame = |card: &str| card.split('"').next()?.parse().ok();
    let cards = list.split("data-frame=\"").skip(2);
    cards.map(|card| frame(card).unwrap_or_else(|| panic!("no frame in {card}"))).collect()
}

/// Makes one clip from `shots`, sources of 192 × 108 pixels at 25 frames per second, joined by a filter graph.
fn joined(shots: &[&str], graph: &str) -> Clip {
    let inputs: String = shots.iter().map(|shot| format!("-f lavfi -i {shot} ")).collect();
    Clip::new("clip.mp4", &format!("{inputs} -filter_complex {graph},format=yuv420p -c:v libx264 -crf 20"))
}

const BARS: &str = "smptebars=s=192x108:r=25:d=2";
const TEST: &str = "testsrc2=s=192x108:r=25:d=2";
const BLUE: &str = "color=c=0x203080:s=192x108:r=25:d=2";

#[test]
fn hard_cuts_are_found_and_nothing_else() {
    assert_eq!(cuts(shots().path(), &[]), [25, 50, 75]);
}

#[test]
fn fades_and_dissolves_are_no_cuts() {
    let through_black = joined(&[BARS, TEST], "[0]fade=out:30:20[a];[1]fade=in:0:20[b];[a][b]concat");
    assert_eq!(cuts(through_black.path(), &[]), [0; 0]);
    let dissolve = joined(&[BARS, TEST], "[0][1]xfade=transition=fade:duration=0.6:offset=1");
    assert_eq!(cuts(dissolve.path(), &[]), [0; 0]);
}

#[test]
fn flashes_are_no_cuts() {
    let flash = "drawbox=c=white:t=fill:enable=between(n\\,20\\,22)+eq(n\\,36)";
    let clip = joined(&[TEST, BLUE], &format!("[0]{flash}[a];[a][1]concat"));
    assert_eq!(cuts(clip.path(), &[]), [50], "only the cut behind the flashes");
}

#[test]
fn a_flash_does_not_hide_a_cut() {
    for color in ["white", "black"] {
        let flash = format!("color=c={color}:s=192x108:r=25:d=0.04");
        let shots = ["testsrc2=s=192x108:r=25:d=4", &flash, "mandelbrot=s=192x108:r=25"];
        let clip = joined(&shots, "[2]trim=duration=2[m];[0][1][m]concat=n=3");
        assert_eq!(cuts(clip.path(), &[]), [101], "after a {color} frame");
    }
}

#[test]
fn noise_and_motion_are_no_cuts() {
    let noisy = "noise=alls=30:allf=t+u";
    let clip =
        joined(&[BARS, "mandelbrot=s=192x108:r=25"], &format!("[1]trim=duration=2[m];[0]{noisy}[a];[a][m]concat"));
    assert_eq!(cuts(clip.path(), &[]), [50]);
    let pan = "gradients=s=1000x108:r=25:d=2:c0=black:c1=white:speed=0.00001:seed=3";
    let pan = joined(&[pan], "[0]crop=192:108:16*n:0");
    assert_eq!(cuts(pan.path(), &[]), [0; 0]);
}

#[test]
fn the_threshold_is_an_option() {
    let clip = joined(&["color=c=0x606060:s=192x108:r=25:d=1", "color=c=0x646464:s=192x108:r=25:d=1"], "[0][1]concat");
    assert_eq!(cuts(clip.path(), &[]), [0; 0]);
    assert_eq!(cuts(clip.path(), &["--cut-threshold", "1"]), [25]);
    assert_eq!(cuts(shots().path(), &["--cut-threshold", "90"]), [0; 0]);
}

#[test]
fn frame_numbers_are_the_files_own() {
    assert_eq!(cuts(shots().path(), &["--from", "30f", "--to", "80f"]), [50, 75]);
}

#[test]
fn coded_components_and_deep_video_have_cuts_too() {
    assert_eq!(cuts(shots().path(), &["--components", "ycbcr"]), [25, 50, 75]);
    let deep = Clip::new(
        "deep.mkv",
        &format!("-f lavfi -i {BARS} -f lavfi -i {BLUE} -filter_complex [0][1]concat,format=yuv422p10le -c:v ffv1"),
    );
    assert_eq!(cuts(deep.path(), &[]), [50]);
}
