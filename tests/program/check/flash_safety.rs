//! Flashing by which viewers may be harmed.

use crate::check::outputs::TAGS;
use crate::check::{found_by, of};
use crate::common::Clip;

/// Returns the frames of the flashing in three seconds at 50 frames a second: a gray box of this many columns of 100, which
/// is there for `length` frames and away for as many.
fn flashing(columns: u32, length: u32, color: &str) -> Vec<(u64, u64)> {
    let boxes = format!("drawbox=w={columns}:h=54:c={color}:t=fill:enable=lt(mod(n\\,{})\\,{length})", 2 * length);
    let source = format!("color=black:s=100x54:r=50:d=3,{boxes},format=yuv444p");
    let clip = Clip::new("flash.mkv", &format!("-f lavfi -i {source} {TAGS} -c:v ffv1"));
    let profile = clip.folder().join("profile.toml");
    std::fs::write(&profile, "[flash-safety]\nseverity = \"error\"\n").expect("a profile");
    of(&found_by(clip.path(), profile.to_str().expect("UTF-8")), "flash-safety")
}

#[test]
fn flashing_is_found_from_its_thresholds_on() {
    // A change every 8 frames: the seventh comes 0.96 s after the first. The box is there from the first frame on, so the
    // first change is at frame 8; the last one within the clip is at 144.
    assert_eq!(flashing(26, 8, "gray"), [(8, 144)]);
    assert_eq!(flashing(25, 8, "gray"), [], "a quarter of the picture");
    assert_eq!(flashing(100, 9, "gray"), [], "six changes in a second");
    // 0x58 is 15.6 cd/m² where white is 200, 0x68 is 23.2.
    assert_eq!(flashing(100, 8, "0x585858"), [], "less than 20 cd/m²");
    assert_eq!(flashing(100, 8, "0x686868"), [(8, 144)]);
}

#[test]
fn halves_that_flash_in_turns_are_found() {
    let half = |x: u32, from: u32| {
        format!("drawbox=x={x}:w=50:h=54:c=gray:t=fill:enable=between(mod(n\\,16)\\,{from}\\,{})", from + 7)
    };
    let source = format!("color=black:s=100x54:r=50:d=3,{},{},format=yuv444p", half(0, 0), half(50, 8));
    let clip = Clip::new("flash.mkv", &format!("-f lavfi -i {source} {TAGS} -c:v ffv1"));
    let profile = clip.folder().join("profile.toml");
    std::fs::write(&profile, "[flash-safety]\nseverity = \"error\"\n").expect("a profile");
    assert_eq!(of(&found_by(clip.path(), profile.to_str().expect("UTF-8")), "flash-safety"), [(8, 144)]);
}

#[test]
fn red_is_found_that_is_too_dark_to_be_found_by_its_luminance() {
    // Red of 0x80 is 38 cd/m² in red, but 8.1 cd/m² in luminance.
    assert_eq!(flashing(100, 8, "0x800000"), [(8, 144)]);
    assert_eq!(flashing(100, 8, "0x000080"), [], "blue");
}
