//! Frozen pictures in compressed video.

use crate::check::{found, found_by, of};
use crate::common::Clip;

/// Two seconds of movement, then frame 49 for four more, as a clip with this encoder.
fn freezes(name: &str, encoder: &str) -> Clip {
    Clip::new(
        name,
        &format!("-f lavfi -i testsrc2=s=320x180:r=25:d=2 -vf tpad=stop_mode=clone:stop_duration=4 {encoder}"),
    )
}

#[test]
fn an_encoded_freeze_is_found_with_its_first_frame() {
    for (name, encoder) in [
        ("crf18.mp4", "-c:v libx264 -crf 18"),
        ("crf23.mp4", "-c:v libx264 -crf 23"),
        ("crf28.mp4", "-c:v libx264 -crf 28"),
        ("broadcast.mpg", "-c:v mpeg2video -b:v 8M"),
        ("deep.mp4", "-c:v libx265 -x265-params log-level=none -crf 26 -pix_fmt yuv420p10le"),
        ("intra.mov", "-c:v prores_ks"),
    ] {
        let clip = freezes(name, encoder);
        let found = of(&found(clip.path()), "frozen");
        let [(first, last)] = found[..] else { panic!("{name}: {found:?}") };
        assert!(first.abs_diff(49) <= 1 && last == 149, "{name}: {found:?}");
    }
}

#[test]
fn what_moves_or_fades_slowly_is_not_frozen_and_black_is_only_black() {
    for (name, source, checks) in [
        ("fade.mkv", "color=gray:s=96x54:d=20,fade=out:st=0:d=20", &["black"][..]),
        ("slow.mkv", "testsrc2=s=96x54:r=5:d=6,fps=25", &[]),
        ("black.mkv", "color=black:s=96x54:d=3", &["black"]),
        ("graphic.mkv", "testsrc2=s=96x54:r=25:d=1,tpad=stop_mode=clone:stop_duration=1", &[]),
    ] {
        let clip = Clip::new(name, &format!("-f lavfi -i {source} -c:v ffv1"));
        let all = found_by(clip.path(), "ebu");
        let mut made: Vec<_> = all.iter().map(|(check, _)| check.as_str()).collect();
        made.retain(|check| ["black", "frozen", "flash"].contains(check));
        assert_eq!(made, checks, "{name}: {all:?}");
    }
}
