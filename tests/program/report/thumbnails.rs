//! The thumbnails in the page.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::common::{Clip, raw_frames};
use crate::report::{page_of, shots};

/// Returns the shots of a page: the number of each one's first frame, and its thumbnail.
fn pictured_shots(page: &str) -> Vec<(u64, Vec<u8>)> {
    let (_, list) = page.split_once("<ol id=\"shots\">").expect("the shots");
    let (list, _) = list.split_once("</ol>").expect("their end");
    let card = |card: &str| {
        let (_, frame) = card.split_once("data-frame=\"").expect("a frame");
        (frame.split('"').next().and_then(|frame| frame.parse().ok()).expect("its number"), jpeg(card))
    };
    list.split("<li ").skip(1).map(card).collect()
}

/// Returns the worst frames of one kind: the number of each, and its thumbnail.
fn pictured_worst(page: &str, kind: &str) -> Vec<(u64, Vec<u8>)> {
    let (_, table) = page.split_once(&format!("<table class=\"frames\" id=\"{kind}\">")).expect("the table");
    let (table, _) = table.split_once("</table>").expect("its end");
    let row = |row: &str| {
        let (_, frame) = row.split_once("<small>frame ").expect("a frame");
        (frame.split('<').next().and_then(|frame| frame.parse().ok()).expect("its number"), jpeg(row))
    };
    table.split("<tr data-secs=").skip(1).map(row).collect()
}

/// Returns the JPEG file in a piece of a page.
fn jpeg(html: &str) -> Vec<u8> {
    let (_, data) = html.split_once("src=\"data:image/jpeg;base64,").unwrap_or_else(|| panic!("no picture in {html}"));
    BASE64.decode(data.split('"').next().unwrap_or_default()).expect("base64")
}

/// Returns the red, green and blue bytes of a picture, as decoded by FFmpeg.
fn pixels(jpeg: &[u8]) -> Vec<u8> {
    raw_frames(Clip::from_bytes("picture.jpg", jpeg).path(), "rgb24")
}

/// Returns the mean difference of two pictures, in codes. Pictures of different sizes never match.
fn distance(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len(), "another size");
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

/// Checks that thumbnails show their frames, and are within the size limit.
fn check(file: &Path, pictures: &[(u64, Vec<u8>)], size: usize) {
    let frames = raw_frames(file, "rgb24");
    let frames: Vec<&[u8]> = frames.chunks_exact(3 * size).collect();
    for (number, jpeg) in pictures {
        assert!(jpeg.len() <= 40_000, "{} bytes", jpeg.len());
        let (pixels, at) = (pixels(jpeg), *number as usize);
        let off = distance(&pixels, frames[at]);
        assert!(off < 8.0, "frame {number} is {off} off");
        let nearest = (0..frames.len()).map(|other| distance(&pixels, frames[other])).fold(f64::MAX, f64::min);
        assert!(off <= nearest + 0.3, "frame {number} is {off} off, and another one {nearest}");
    }
}

#[test]
fn every_shot_shows_its_first_frame_and_the_worst_frames_themselves() {
    let clip = shots();
    let page = page_of(clip.path(), &[]);
    let shots = pictured_shots(&page);
    assert_eq!(shots.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [0, 25, 50, 75]);
    check(clip.path(), &shots, 192 * 108);
    let worst = pictured_worst(&page, "highest");
    assert!(!worst.is_empty());
    check(clip.path(), &worst, 192 * 108);
}

#[test]
fn pictures_of_large_and_turned_frames_are_small_and_upright() {
    let graph =
        "-f lavfi -i testsrc2=s=1280x720:r=25:d=0.4 -vf noise=alls=60:allf=t,format=yuv420p -c:v libx264 -crf 12";
    let clip = Clip::new("turned.mp4", graph);
    let turned = clip.with_matrix("turned.mp4", [0, 1, -1, 0]);
    for (file, size) in [(clip.path(), 288 * 162), (turned.path(), 108 * 192)] {
        let shots = pictured_shots(&page_of(file, &[]));
        assert_eq!((shots.len(), pixels(&shots[0].1).len()), (1, 3 * size), "{}", file.display());
        assert!(shots[0].1.len() <= 40_000, "{} bytes", shots[0].1.len());
    }
}

#[test]
fn several_decoders_and_other_components_give_the_same_pictures() {
    // A cut at frame 130, between the beginnings of two parts, and levels that cause every kind of worst frame.
    let graph = "-f lavfi -i testsrc2=s=192x108:r=25:d=5.2 -f lavfi -i smptebars=s=192x108:r=25:d=6.8 \
        -filter_complex [0][1]concat,format=yuv420p -c:v libx264 -crf 20 -g 20";
    let clip = Clip::new("parts.mp4", graph);
    let one = page_of(clip.path(), &[]);
    assert_eq!(pictured_shots(&one).iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [0, 130]);
    let shared = page_of(clip.path(), &["--jobs", "3"]);
    let all = |page: &str| (pictured_shots(page), ["highest", "lowest"].map(|kind| pictured_worst(page, kind)));
    assert!(all(&shared) == all(&one), "in jobs");
    let coded = page_of(clip.path(), &["--components", "ycbcr"]);
    assert!(pictured_shots(&coded) == pictured_shots(&one), "coded components");
    let part = page_of(clip.path(), &["--from", "100f", "--to", "200f"]);
    assert_eq!(pictured_shots(&part).iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [100, 130]);
    check(clip.path(), &pictured_shots(&part), 192 * 108);
}

/// The brightest light of HLG on a brighter display is toned down more.
#[test]
fn pictures_of_hlg_are_those_of_the_display_that_its_light_is_measured_on() {
    let filter = "setparams=color_trc=arib-std-b67:color_primaries=bt2020:colorspace=bt2020nc";
    let input = "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4";
    let clip = Clip::new("clip.mkv", &format!("{input} -vf format=yuv420p10le,{filter} -c:v ffv1"));
    let first = |arguments: &[&str]| pictured_shots(&page_of(clip.path(), arguments)).remove(0).1;
    let usual = first(&[]);
    assert_eq!(first(&["--light"]), usual);
    let bright = first(&["--light", "--hlg-peak", "4000"]);
    let off = distance(&pixels(&bright), &pixels(&usual));
    assert!(off > 2.0, "the pictures differ by {off}");
    // Codes with another tag are HLG, too, if they are measured as such.
    let filter = "setparams=color_primaries=bt2020:colorspace=bt2020nc:color_trc=bt709";
    let other = Clip::new("clip.mkv", &format!("{input} -vf format=yuv420p10le,{filter} -c:v ffv1"));
    let page = page_of(other.path(), &["--light", "--transfer", "hlg", "--hlg-peak", "4000"]);
    assert_eq!(pictured_shots(&page).remove(0).1, bright);
}
