//! Defects of tape and film: what the profile `tape` finds in clips that have one of them, and in those that have none.

use crate::check::faults::Chance;
use crate::check::{check, found_by, of};
use crate::common::Clip;

const WIDTH: usize = 180;
const HEIGHT: usize = 144;
const FRAMES: usize = 100;

/// A frame's luma, line by line.
type Luma = [[u8; WIDTH]; HEIGHT];

/// Makes a clip of a texture that moves sideways, its lines a little askew, with some noise; `spoil` changes frames.
fn clip(mut spoil: impl FnMut(usize, &mut Luma, &mut Chance)) -> Clip {
    let mut chance = Chance(0x1234_5678_9abc_def1);
    let texture: Vec<u8> = (0..1024).map(|_| chance.whole(60, 150) as u8).collect();
    let mut bytes = Vec::new();
    for frame in 0..FRAMES {
        let mut luma = [[0; WIDTH]; HEIGHT];
        for (y, row) in luma.iter_mut().enumerate() {
            for (x, code) in row.iter_mut().enumerate() {
                // Each node lasts four pixels; between them it is even.
                let at = 4 * 1024 - 3 * frame + x + y / 7;
                let nodes = [0, 1].map(|next| usize::from(texture[(at / 4 + next) % 1024]));
                *code = ((nodes[0] * (4 - at % 4) + nodes[1] * (at % 4)) / 4 + chance.whole(0, 3)) as u8;
            }
        }
        spoil(frame, &mut luma, &mut chance);
        bytes.extend(luma.iter().flatten());
        bytes.extend([128; WIDTH * HEIGHT / 2]);
    }
    let clip = Clip::blank("tape.mkv");
    std::fs::write(clip.folder().join("frames.yuv"), bytes).expect("the frames are written");
    let size = format!("-f rawvideo -pixel_format yuv420p -video_size {WIDTH}x{HEIGHT} -framerate 25");
    let tags = "-color_range tv -colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m";
    clip.make("tape.mkv", &format!("{size} -i @/frames.yuv {tags} -c:v ffv1"));
    clip
}

/// Returns the findings of the checks for tape.
fn findings(clip: &Clip) -> Vec<(String, (u64, u64))> {
    let tape = ["outliers", "repeated-lines", "fields", "field-order", "head-switching", "stuck-pixels", "dropouts"];
    let found = found_by(clip.path(), "tape");
    let of_check =
        |check: &&str| of(&found, check).into_iter().map(|span| ((*check).to_owned(), span)).collect::<Vec<_>>();
    tape.iter().flat_map(of_check).collect()
}

/// Checks that the only finding is this one.
fn assert_only(clip: &Clip, check: &str, span: (u64, u64)) {
    assert_eq!(findings(clip), [(check.to_owned(), span)]);
}

#[test]
fn a_transfer_without_defects_has_no_finding() {
    assert_eq!(findings(&clip(|_, _, _| {})), []);
    assert_eq!(findings(&Clip::moving("a.mkv", "352x288", 4.0, "-pix_fmt yuv420p -c:v ffv1")), []);
    let bars = "-f lavfi -i smptebars=s=352x288:d=3,noise=alls=4:allf=t,format=yuv420p -c:v ffv1";
    assert_eq!(findings(&Clip::new("bars.mkv", bars)), []);
}

#[test]
fn a_dropout_is_found_with_its_place() {
    let lost = |length: usize| {
        clip(move |frame, luma, _| {
            if frame == 40 {
                luma[60][30..30 + length].fill(235)
            }
        })
    };
    let clip = lost(20);
    assert_only(&clip, "dropouts", (40, 40));
    let told = check(clip.path(), &["--profile", "tape"]).stdout;
    assert!(told.contains("1 dropout, the longest at 30,60"), "{told}");
    assert_eq!(findings(&lost(7)), [], "too short");
}

#[test]
fn a_pixel_that_stays_is_stuck() {
    let stuck = |last: usize| {
        clip(move |frame, luma, _| {
            if (10..=last).contains(&frame) {
                luma[50][77] = 235
            }
        })
    };
    let clip = stuck(89);
    assert_only(&clip, "stuck-pixels", (10, 89));
    assert!(check(clip.path(), &["--profile", "tape"]).stdout.contains("the pixel at 77,50 stays bright"));
    assert_eq!(findings(&stuck(50)), [], "shorter than two seconds");
}

#[test]
fn displaced_lines_at_the_bottom_are_those_of_head_switching() {
    let clip = clip(|frame, luma, _| {
        if (20..=79).contains(&frame) {
            luma[HEIGHT - 6..].iter_mut().for_each(|row| row.rotate_right(9));
        }
    });
    assert_only(&clip, "head-switching", (20, 79));
    assert!(check(clip.path(), &["--profile", "tape"]).stdout.contains("6 lines"));
}

#[test]
fn lines_that_are_repeated_or_stand_out_are_found() {
    let repeated = clip(|frame, luma, _| {
        if (30..=35).contains(&frame) {
            (40..80).for_each(|y| luma[y] = luma[36 + y % 4]);
        }
    });
    assert_only(&repeated, "repeated-lines", (30, 35));
    let noisy = clip(|frame, luma, chance| {
        if (50..=54).contains(&frame) {
            for _ in 0..250 {
                let (x, y) = (10 * chance.whole(0, WIDTH / 10 - 1), chance.whole(2, HEIGHT - 3));
                luma[y][x..x + 5].fill([16, 235][chance.whole(0, 1)]);
            }
        }
    });
    assert_only(&noisy, "outliers", (50, 54));
}

#[test]
fn a_field_that_is_lost_is_found() {
    let clip = clip(|frame, luma, _| {
        if (60..=62).contains(&frame) {
            luma.iter_mut().skip(1).step_by(2).for_each(|row| row.fill(16));
        }
    });
    assert_only(&clip, "fields", (60, 62));
}

#[test]
fn another_order_of_fields_than_is_stated_is_found() {
    let of_scan = |scan: &str, coding: &str| {
        let source = "-f lavfi -i testsrc2=size=352x288:rate=50:duration=4,format=yuv420p";
        let clip = Clip::new(
            "fields.mpg",
            &format!("{source},interlace=scan={scan}:lowpass=off -c:v mpeg2video -b:v 8M {coding}"),
        );
        of(&found_by(clip.path(), "tape"), "field-order")
    };
    assert_eq!(of_scan("tff", "-flags +ildct+ilme -top 1"), []);
    assert_eq!(of_scan("bff", "-flags +ildct+ilme -top 0"), []);
    for wrong in [of_scan("bff", "-flags +ildct+ilme -top 1"), of_scan("tff", "")] {
        assert!(matches!(wrong[..], [(first, 99)] if first <= 3), "{wrong:?}");
    }
}

#[test]
fn pictures_that_the_filters_would_convert_are_refused() {
    let rgb = Clip::moving("rgb.mkv", "64x48", 0.2, "-pix_fmt gbrp -c:v ffv1");
    check(rgb.path(), &["--profile", "tape"]).fails_with(&["rgb.mkv", "another profile"]);
}
