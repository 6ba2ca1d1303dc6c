//! The picture without overlays: exact, in its own size and shape, and the right way up.

use std::path::Path;

use histoscope_core::histogram::reference::unclamped_rgb;

use crate::common::{Clip, TURNS, noise};
use crate::snapshot::expected::frame_at;
use crate::snapshot::png_file::{Png, shown_by_ffmpeg, snapshot};

const BARE: &[&str] = &["--no-overlay"];

#[test]
fn coded_colours_are_shown_as_they_are() {
    let bytes = noise(61 * 37 * 3, 3);
    let clip = Clip::from_bytes("clip.raw", &bytes);
    let rgb = clip.make("rgb.nut", "-f rawvideo -pixel_format rgb24 -video_size 61x37 -i @ -c copy");
    let png = snapshot(&rgb, BARE);
    assert_eq!(png.size, (61, 37));
    assert!(png.rgb == bytes, "the picture is not the source's pixels");
    let gray = clip.make("gray.nut", "-f rawvideo -pixel_format gray -video_size 61x37 -i @ -c copy -frames:v 1");
    let expected: Vec<u8> = bytes[..61 * 37].iter().flat_map(|&code| [code; 3]).collect();
    assert!(snapshot(&gray, BARE).rgb == expected, "the picture is not the source's pixels");
}

#[test]
fn converted_colours_are_those_that_are_counted() {
    let clip = Clip::noisy("clip.nut", "43x29", "yuv444p", 1, "-c copy");
    let png = snapshot(clip.path(), BARE);
    let picture = frame_at(clip.path(), 0.0).picture;
    for (x, y) in (0..29).flat_map(|y| (0..43).map(move |x| (x, y))) {
        let counted = unclamped_rgb(&picture, x, y).map(|code| code.clamp(0, 255));
        // The picture is drawn with real numbers, which may round differently.
        let far = (0..3).any(|i| (i32::from(png.at(x, y)[i]) - counted[i]).abs() > 1);
        assert!(!far, "({x}, {y}): {:?} is shown and {counted:?} counted", png.at(x, y));
    }
}

#[test]
fn sizes_are_the_video_s_or_those_asked_for() {
    let clip = Clip::moving("clip.mkv", "64x36", 0.1, "-c:v ffv1");
    assert_eq!(snapshot(clip.path(), &[]).size, (64, 36));
    assert_eq!(snapshot(clip.path(), &["--size", "101x57"]).size, (101, 57));
    assert_eq!(snapshot(clip.path(), &["--size", "1x1"]).size, (1, 1));
    let wide = Clip::moving("clip.mkv", "64x36", 0.1, "-vf setsar=2 -c:v ffv1");
    assert_eq!(snapshot(wide.path(), &[]).size, (128, 36));
    let narrow = Clip::moving("clip.mkv", "66x36", 0.1, "-vf setsar=2/3 -c:v ffv1");
    assert_eq!(snapshot(narrow.path(), &[]).size, (44, 36));
}

#[test]
fn the_surplus_is_cut_off_equally() {
    // Thirds of red, green and blue. A square view keeps the middle third and half of each of the others.
    let source = "-f lavfi -i color=red:s=32x48 -f lavfi -i color=lime:s=32x48 -f lavfi -i color=blue:s=32x48 \
                  -filter_complex hstack=3,format=rgb24 -frames:v 1 -c:v ffv1";
    let clip = Clip::new("clip.mkv", source);
    let png = snapshot(clip.path(), &["--no-overlay", "--size", "48x48"]);
    let found = [2, 24, 45].map(|x| png.at(x, 24).map(|part| part > 128));
    assert_eq!(found, [[true, false, false], [false, true, false], [false, false, true]]);
    let edges = (0..48).filter(|&x| x > 0 && png.at(x, 9) != png.at(x - 1, 9)).collect::<Vec<_>>();
    assert_eq!(edges, [8, 40], "as much is lost at the left as at the right");
}

/// Makes four quarters in four colours, 64×48.
fn quarters() -> Clip {
    let corner = |color| format!("-f lavfi -i color={color}:s=32x24 ");
    let inputs: String = ["red", "lime", "blue", "white"].map(corner).concat();
    let layout = "-filter_complex [0][1]hstack[a];[2][3]hstack[b];[a][b]vstack,format=yuv444p -frames:v 1";
    Clip::new("clip.mp4", &format!("{inputs}{layout} -c:v libx264 -preset ultrafast -qp 0"))
}

fn assert_alike(found: &Png, expected: &Png, what: &str) {
    assert_eq!(found.size, expected.size, "{what}");
    let (width, height) = found.size;
    for (x, y) in [(4, 4), (width - 5, 4), (4, height - 5), (width - 5, height - 5)] {
        let (a, b) = (found.at(x, y), expected.at(x, y));
        assert!((0..3).all(|i| a[i].abs_diff(b[i]) < 8), "{what}, ({x}, {y}): {a:?} instead of {b:?}");
    }
}

#[test]
fn turned_as_the_file_says() {
    let clip = quarters();
    let upright = snapshot(clip.path(), BARE);
    assert_alike(&upright, &shown_by_ffmpeg(clip.path(), (64, 48)), "upright");
    for (degrees, matrix) in TURNS {
        let name = format!("turned{degrees}.mp4");
        let turned = clip.with_matrix(&name, matrix);
        let size = if degrees == 180 { (64, 48) } else { (48, 64) };
        let png = snapshot(turned.path(), BARE);
        assert_alike(&png, &shown_by_ffmpeg(turned.path(), size), &name);
        assert_ne!(png.at(4, 4), upright.at(4, 4), "{name} is not turned at all");
    }
}

#[test]
fn flipped_as_the_file_says() {
    let clip = quarters();
    let check = |matrix, size, what: &str| {
        let flipped = clip.with_matrix("flipped.mp4", matrix);
        let path: &Path = flipped.path();
        assert_alike(&snapshot(path, BARE), &shown_by_ffmpeg(path, size), what);
    };
    check([-1, 0, 0, 1], (64, 48), "left to right");
    check([1, 0, 0, -1], (64, 48), "upside down");
    check([0, 1, 1, 0], (48, 64), "transposed");
    check([0, -1, -1, 0], (48, 64), "transposed the other way");
}
