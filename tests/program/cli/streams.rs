//! Videos that are damaged, huge, or change midway: they play as far as possible.

use crate::command::{figures, finish, program};
use crate::common::{Clip, noise};

#[test]
fn damage_at_the_start_is_skipped() {
    let clip = Clip::moving("clip.ts", "160x120", 2.0, "-c:v libx264 -preset ultrafast -g 10 -pix_fmt yuv420p");
    let mut bytes = clip.bytes();
    // Packets of a transport stream are 188 bytes long. The first ones hold its tables.
    let end = bytes.len() / 4 / 188 * 188;
    let garbage = noise(end, 4);
    for (packet, garbage) in bytes[5 * 188..end].chunks_mut(188).zip(garbage.chunks(188)) {
        let payload = packet.len() - 30;
        packet[30..].copy_from_slice(&garbage[..payload]);
    }
    let damaged = Clip::from_bytes("damaged.ts", &bytes);
    let run = finish(program().arg("snapshot").arg(damaged.path()).args(["--json", "--engine", "cpu"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let json = figures(damaged.path(), &["--engine", "cpu", "--at", "1.5"]);
    assert_eq!(json["channels"]["red"]["count"], 160 * 120);
}

#[test]
fn damage_at_the_end_is_skipped() {
    let arguments = "-c:v libx264 -preset ultrafast -bf 0 -pix_fmt yuv420p -movflags 0";
    let clip = Clip::moving("clip.mp4", "160x120", 1.0, arguments);
    let mut bytes = clip.bytes();
    let index = bytes.windows(4).position(|four| four == b"moov").expect("an index") - 4;
    bytes[index - 200..index].fill(0);
    let damaged = Clip::from_bytes("damaged.mp4", &bytes);
    for at in ["0", "0.5", "99"] {
        let json = figures(damaged.path(), &["--engine", "cpu", "--at", at]);
        assert_eq!(json["channels"]["red"]["count"], 160 * 120, "at {at}");
    }
}

#[test]
fn a_picture_wider_than_any_texture_is_counted_whole_and_drawn_smaller() {
    let clip = Clip::moving("wide.mkv", "20000x16", 0.04, "-c:v ffv1 -pix_fmt yuv420p");
    let [gpu, cpu] = ["gpu", "cpu"].map(|engine| figures(clip.path(), &["--bins", "--engine", engine]));
    assert_eq!(gpu["channels"], cpu["channels"]);
    assert_eq!(gpu["channels"]["luminance"]["count"], 320_000);

    let path = clip.folder().join("view.png");
    let snapshot = |more: &[&str]| finish(program().arg("snapshot").arg(clip.path()).arg("-o").arg(&path).args(more));
    let run = snapshot(&["--adapter", "llvmpipe"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert!(run.stderr.contains("20000×16") && run.stderr.contains("all pixels are counted"), "{run:?}");
    std::fs::remove_file(&path).unwrap();
    snapshot(&["--adapter", "llvmpipe", "--size", "20000x16"]).fails_with(&["20000×16", "--size"]);
    assert!(!path.exists());
    assert_eq!(snapshot(&["--size", "200x16"]).stderr, "");
}

/// Makes a file of two MPEG transport streams, the second with a different size and pixel format.
fn changing() -> Clip {
    let first = Clip::moving("clip.ts", "64x48", 1.0, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    let second =
        Clip::moving("clip.ts", "98x34", 1.0, "-c:v libx264 -preset ultrafast -pix_fmt yuv444p -output_ts_offset 1");
    Clip::from_bytes("changing.ts", &[first.bytes(), second.bytes()].concat())
}

#[test]
fn a_size_and_format_that_change_are_followed() {
    let clip = changing();
    for (at, size) in [("0.2", (64, 48)), ("1.6", (98, 34))] {
        for engine in ["gpu", "cpu"] {
            let json = figures(clip.path(), &["--at", at, "--engine", engine]);
            assert_eq!((&json["width"], &json["height"]), (&size.0.into(), &size.1.into()), "at {at}");
            assert_eq!(json["channels"]["green"]["count"], size.0 * size.1);
        }
    }
}

#[test]
fn rgb_has_no_codes_to_count() {
    let clip = Clip::noisy("clip.mkv", "20x10", "gbrp", 1, "-c:v ffv1");
    let words = ["clip.mkv", "R'G'B'", "--components"];
    finish(program().arg("snapshot").arg(clip.path()).args(["--components", "ycbcr"])).fails_with(&words);
}

#[test]
fn an_mp4_from_a_pipe_with_its_index_at_the_end_says_so_in_one_line() {
    // Larger than FFmpeg's buffer for a pipe.
    let clip = Clip::moving("clip.mp4", "320x240", 4.0, "-c:v libx264 -preset ultrafast -qp 4 -pix_fmt yuv420p");
    for command in ["analyze", "snapshot"] {
        let file = std::fs::File::open(clip.path()).expect("the clip was written");
        let run = finish(program().arg(command).arg("-").stdin(file));
        assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{run:?}");
        assert!(
            run.stderr.contains("has its index (moov) at the end")
                && run.stderr.contains("can only be read from a file"),
            "{run:?}"
        );
    }
}
