//! The overlays' pixels on a picture of a single colour, whose histograms have one bar each.

use crate::common::Clip;
use crate::snapshot::png_file::{Png, snapshot};

/// The view's size, and the overlays on it: 0.9 of half the width, a quarter of the height, and as far from the lower
/// edge as from the others.
const SIZE: &str = "640x400";
const LEFT: u32 = 16;
const RIGHT: u32 = 336;
const WIDTH: u32 = 288;
const TOP: u32 = 284;
/// The cap of a bar that is cut off. It is two rows high and extends two columns over its neighbours. Below it is a
/// dark gap of four rows.
const CAP: [u8; 3] = [255; 3];

/// Red 200, green 100, blue 50, and the luminance bin of that colour.
const CODES: [u32; 3] = [200, 100, 50];
const LUMINANCE: u32 = 118;

fn clip() -> Clip {
    Clip::new("clip.mkv", "-f lavfi -i color=0xC86432:s=64x40,format=gbrp -frames:v 1 -c:v ffv1")
}

fn view(clip: &Clip, arguments: &[&str]) -> Png {
    snapshot(clip.path(), &[&["--size", SIZE], arguments].concat())
}

/// Returns the column in the middle of a code's bar.
fn column(left: u32, code: u32) -> u32 {
    left + (2 * code + 1) * WIDTH / 512
}

#[test]
fn a_clipped_bar_ends_in_a_gap_below_a_light_cap_at_its_code() {
    let clip = clip();
    let png = view(&clip, &[]);
    let bars = CODES.map(|code| column(LEFT, code)).into_iter().chain([column(RIGHT, LUMINANCE)]);
    for (channel, x) in bars.enumerate() {
        for y in TOP..TOP + 2 {
            assert_eq!(png.at(x, y), CAP, "channel {channel} at ({x}, {y})");
        }
        for y in TOP + 2..TOP + 6 {
            assert!(png.at(x, y).iter().all(|&part| part < 60), "channel {channel}: no gap at ({x}, {y})");
        }
        let bar = png.at(x, TOP + 50);
        assert!(bar.iter().any(|&part| part > 100) && bar != CAP, "the gap and the cap are only at the top: {bar:?}");
        assert_ne!(bar, png.at(x + 5, TOP + 50), "the bar stands out against the scrim beside it");
        assert_eq!(png.at(x, TOP - 2), [200, 100, 50], "nothing is drawn above the overlay's frame");
        if channel < 3 {
            let brightest = (0..3).max_by_key(|&part| bar[part]);
            assert_eq!(brightest, Some(channel), "{bar:?} at ({x}, {})", TOP + 50);
        }
    }
    let caps = (0..640).filter(|&x| png.at(x, TOP) == CAP).count();
    assert!((20..=24).contains(&caps), "over four bars of one or two pixels and two on each side, not {caps}");
    // Between and beside the overlays the picture is unchanged.
    for x in [0, LEFT - 2, LEFT + WIDTH + 1, RIGHT - 2, RIGHT + WIDTH + 1, 639] {
        assert_eq!(png.at(x, 399), [200, 100, 50], "column {x}");
    }
    let scrim = png.at(LEFT, TOP);
    assert!((0..3).all(|part| u32::from(scrim[part]) < CODES[part]), "the scrim darkens the picture: {scrim:?}");
}

#[test]
fn a_channel_that_is_off_vanishes_and_nothing_else_changes() {
    let clip = clip();
    let all = view(&clip, &[]);
    let without_red = view(&clip, &["--channels", "gbl"]);
    for (x, y) in (0..400).flat_map(|y| (0..640_u32).map(move |x| (x, y))) {
        let red_bar = x.abs_diff(column(LEFT, CODES[0])) <= if y < TOP + 2 { 3 } else { 1 } && y >= TOP;
        assert!(red_bar || all.at(x, y) == without_red.at(x, y), "({x}, {y}) changed");
    }
    let (x, y) = (column(LEFT, CODES[0]), TOP + 1);
    assert_eq!(without_red.at(x, y), without_red.at(LEFT, y), "only the scrim is left of red's bar");
}

#[test]
fn an_overlay_without_channels_is_gone() {
    let clip = clip();
    let bare = view(&clip, &["--no-overlay"]);
    assert!(bare.rgb.chunks_exact(3).all(|pixel| pixel == [200, 100, 50]), "the picture alone");
    assert!(view(&clip, &["--channels", ""]).rgb == bare.rgb, "no channel, no overlay");
    let luminance = view(&clip, &["--channels", "l"]);
    for (x, y) in (TOP..400).flat_map(|y| (0..RIGHT - 1).map(move |x| (x, y))) {
        assert_eq!(luminance.at(x, y), [200, 100, 50], "({x}, {y})");
    }
    assert_eq!(luminance.at(column(RIGHT, LUMINANCE), TOP), CAP);
}

#[test]
fn both_engines_draw_the_same_to_one_code() {
    let clip = Clip::moving("clip.mkv", "320x180", 0.1, "-c:v ffv1 -pix_fmt yuv420p");
    let [gpu, cpu] = ["gpu", "cpu"].map(|engine| snapshot(clip.path(), &["--engine", engine]));
    let most = gpu.rgb.iter().zip(&cpu.rgb).map(|(gpu, cpu)| gpu.abs_diff(*cpu)).max();
    assert!(gpu.size == cpu.size && most <= Some(1), "{most:?} codes between the engines' pictures");
}
