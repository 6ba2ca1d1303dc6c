//! What headers and containers state belongs to the frames that they are in force for, however those are reached.

use std::path::Path;

use histoscope_core::picture::color::{Matrix, Origin, Range, UnreadableMatrix};
use histoscope_core::picture::{Frame, Orientation};
use histoscope_media::{Seek, SeekTarget};

use crate::common::{Clip, decode_all, open};

/// Joins parts, each made by these arguments, and copies them into a file of this name.
fn joined(name: &str, format: &str, parts: &[&str]) -> Clip {
    let clip = Clip::blank(name);
    let mut bytes = Vec::new();
    for (index, arguments) in parts.iter().enumerate() {
        let source = format!("-f lavfi -i testsrc2=size=64x36:rate=25:duration=0.4 {arguments}");
        bytes.extend(std::fs::read(clip.make(&format!("part{index}.{format}"), &source)).unwrap());
    }
    std::fs::write(clip.folder().join(format!("all.{format}")), bytes).unwrap();
    clip.make("timed.mp4", &format!("-fflags +genpts -r 25 -i @/all.{format} -c copy"));
    clip.make(name, "-i @/timed.mp4 -c copy");
    clip
}

/// Returns the frame at this position, sought in a newly opened file.
fn sought(path: &Path, position: usize) -> Frame {
    let mut decoder = open(path);
    decoder.seek(Seek::Exact(SeekTarget::Number(position as u64))).unwrap();
    decoder.next_frame().unwrap().unwrap()
}

#[test]
fn a_part_that_states_no_colours_has_none() {
    let h264 = "-pix_fmt yuv420p -c:v libx264 -g 5 -bf 0";
    let mpeg2 = "-pix_fmt yuv420p -c:v mpeg2video -g 5 -bf 0";
    let tags = "-color_primaries bt709 -color_trc bt709 -colorspace bt709";
    for (codec, format) in [(h264, "h264"), (mpeg2, "m2v")] {
        let tagged = format!("{codec} {tags}");
        // These containers state no colours.
        for name in ["joined.ts", "joined.avi"] {
            for parts in [[codec, &tagged, codec], [&tagged, codec, &tagged]] {
                let clip = joined(name, format, &parts);
                let expected = |part: usize| match parts[part] == tagged {
                    true => (Matrix::Bt709, Origin::Tagged),
                    false => (Matrix::Bt601, Origin::Guessed),
                };
                let matrix = |frame: &Frame| {
                    let matrix = frame.picture.colorimetry().matrix;
                    (matrix.value, matrix.origin)
                };
                for (position, frame) in decode_all(clip.path()).iter().enumerate() {
                    assert_eq!(matrix(frame), expected(position / 10), "{name}, {format}, frame {position}");
                }
                for position in [3, 12, 25, 29] {
                    let found = matrix(&sought(clip.path(), position));
                    assert_eq!(found, expected(position / 10), "{name}, {format}, frame {position} after a seek");
                }
            }
        }
    }
}

#[test]
fn full_range_and_rotation_end_with_their_part() {
    let plain = "-pix_fmt yuv420p -c:v libx264 -g 5 -bf 0";
    // An orientation ends with the next IDR picture.
    let full = format!("{plain} -g 10 -color_range pc -bsf:v h264_metadata=display_orientation=insert:rotate=90");
    let clip = joined("joined.ts", "h264", &[plain, &full, plain]);
    let turned = Orientation { quarter_turns: 3, mirrored: false };
    for (position, frame) in decode_all(clip.path()).iter().enumerate() {
        let range = frame.picture.colorimetry().range;
        let expected = match position / 10 {
            1 => (Range::Full, Origin::Tagged, "yuvj420p", turned),
            _ => (Range::Limited, Origin::Guessed, "yuv420p", Orientation::default()),
        };
        let found = (range.value, range.origin, frame.source.pixel_format.as_str(), frame.orientation);
        assert_eq!(found, expected, "frame {position}");
    }
    let jpeg = |range| format!("-pix_fmt yuv420p -c:v mjpeg -strict unofficial -color_range {range}");
    let clip = Clip::blank("ranges.avi");
    for (index, range) in ["pc", "tv", "pc"].into_iter().enumerate() {
        clip.make(
            &format!("{index}.avi"),
            &format!("-f lavfi -i testsrc2=size=64x36:rate=25:duration=0.2 {}", jpeg(range)),
        );
    }
    let list: String =
        (0..3).map(|index| format!("file '{}'\n", clip.folder().join(format!("{index}.avi")).display())).collect();
    std::fs::write(clip.folder().join("list.txt"), list).unwrap();
    clip.make("ranges.avi", "-f concat -safe 0 -i @/list.txt -c copy");
    let ranges: Vec<_> = decode_all(clip.path()).iter().map(|frame| frame.picture.colorimetry().range.value).collect();
    let [full, limited] = [Range::Full, Range::Limited].map(|range| [range; 5]);
    assert_eq!(ranges, [full, limited, full].concat());
}

#[test]
fn matrices_that_ffmpeg_leaves_out_are_stated_all_the_same() {
    let numbers = [(15, UnreadableMatrix::IptC2), (16, UnreadableMatrix::YCgCoRe), (17, UnreadableMatrix::YCgCoRo)];
    for (codec, filter) in [
        ("libx264", "h264_metadata"),
        ("libx265 -x265-params log-level=none", "hevc_metadata"),
        ("mpeg2video", "mpeg2_metadata"),
        ("libaom-av1 -cpu-used 8 -usage realtime", "av1_metadata"),
    ] {
        for (number, matrix) in numbers {
            for name in ["stated.mkv", "stated.mp4", "stated.ts"] {
                if name == "stated.ts" && filter == "av1_metadata" {
                    continue;
                }
                let arguments = format!("-pix_fmt yuv444p -c:v {codec} -bsf:v {filter}=matrix_coefficients={number}");
                let arguments =
                    arguments.replace("yuv444p", if filter == "mpeg2_metadata" { "yuv420p" } else { "yuv444p" });
                let clip = Clip::moving(name, "64x48", 0.2, &arguments);
                let decoder = open(clip.path());
                assert_eq!(decoder.info().unreadable_matrix, Some(matrix), "{filter} in {name}");
            }
        }
    }
    let dolby = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/dolby-profile-5.mp4");
    assert_eq!(open(Path::new(dolby)).info().unreadable_matrix, Some(UnreadableMatrix::IptC2));
}

#[test]
fn unknown_numbers_are_numbers() {
    let arguments =
        "-pix_fmt yuv420p -c:v libx264 -bsf:v h264_metadata=colour_primaries=99:transfer_characteristics=98";
    let clip = Clip::moving("numbers.mkv", "64x48", 0.2, arguments);
    let info = open(clip.path()).info().clone();
    assert_eq!((info.primaries, info.transfer), (Some("number 99"), Some("number 98")));
}

#[test]
fn palettes_of_avi_are_those_of_the_frame() {
    let filter = "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1";
    let clip =
        Clip::moving("palettes.avi", "64x48", 1.0, &format!("-filter_complex {filter} -c:v rawvideo -pix_fmt pal8"));
    let bytes = |frame: &Frame| crate::common::picture_bytes(&frame.picture);
    let frames = decode_all(clip.path());
    for position in [1, 7, 24] {
        assert!(bytes(&sought(clip.path(), position)) == bytes(&frames[position]), "frame {position}");
    }
}

#[test]
fn the_box_colr_takes_precedence_and_the_contradiction_is_told() {
    let tags = "-color_range pc -color_primaries bt709 -color_trc bt709 -colorspace bt709";
    let clip =
        Clip::moving("full.mp4", "64x48", 0.2, &format!("-pix_fmt yuv420p -c:v libx264 {tags} -movflags write_colr"));
    assert_eq!(open(clip.path()).info().contradictions, [""; 0]);
    let mut bytes = clip.bytes();
    let at = bytes.windows(8).position(|eight| eight == b"colrnclx").expect("a box");
    // The matrix's lower byte, and the flag of the range.
    (bytes[at + 13], bytes[at + 14]) = (9, 0);
    let changed = Clip::from_bytes("changed.mp4", &bytes);
    let mut decoder = open(changed.path());
    let told = decoder.info().contradictions.join("\n");
    assert!(told.contains("matrix is bt2020nc in the container and bt709 in the stream"), "{told}");
    assert!(told.contains("the range is limited in the container and full in the stream; the container's"), "{told}");
    let frame = decoder.next_frame().unwrap().unwrap();
    let color = frame.picture.colorimetry();
    assert_eq!((color.matrix.value, color.range.value), (Matrix::Bt2020, Range::Limited));
    // Numbers that FFmpeg does not know.
    bytes[at + 13] = 15;
    let unknown = Clip::from_bytes("unknown.mp4", &bytes);
    assert_eq!(open(unknown.path()).info().unreadable_matrix, Some(UnreadableMatrix::IptC2));
    // A box that is cut says nothing.
    bytes[at - 1] = 12;
    let cut = Clip::from_bytes("cut.mp4", &bytes);
    assert!(
        histoscope_media::Decoder::open(cut.path(), &histoscope_media::OpenOptions::default())
            .is_ok_and(|cut| cut.info().unreadable_matrix.is_none())
    );
}

/// Turns MPEG-2 into soft telecine, as on film DVDs: repeated fields, and timecodes that count displayed frames.
fn with_pulldown(mut bytes: Vec<u8>) -> Vec<u8> {
    let (mut pictures, mut fields) = (0, 0);
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(3).position(|three| three == [0, 0, 1]) {
        at += found + 3;
        match bytes[at..] {
            [0xb8, a, b, c, d, ..] => {
                let frames = fields / 2;
                let old = u32::from_be_bytes([a, b, c, d]);
                let new = 1 << 19 | (frames / 30) << 13 | (frames % 30) << 7 | old & 0x7f;
                bytes[at + 1..at + 5].copy_from_slice(&new.to_be_bytes());
            }
            // progressive_sequence
            [0xb5, first, ..] if first >> 4 == 1 => bytes[at + 2] &= !8,
            [0xb5, first, ..] if first >> 4 == 8 => {
                let (top_first, repeats) = [(1, 1), (0, 0), (0, 1), (1, 0)][pictures % 4];
                bytes[at + 4] = bytes[at + 4] & !0x83 | top_first << 7 | repeats << 1 | 1;
                bytes[at + 5] |= 0x80;
                pictures += 1;
                fields += if repeats == 1 { 3 } else { 2 };
            }
            _ => {}
        }
    }
    bytes
}

#[test]
fn repeated_fields_last_and_count() {
    // With several threads, the encoder writes another file each time, of which ffmpeg makes other timestamps.
    let clip = Clip::new(
        "film.m2v",
        "-f lavfi -i testsrc2=s=64x48:r=30000/1001 -frames:v 24 -c:v mpeg2video -flags +ilme -bf 0 -g 12 -timecode 00:00:00:00 -threads 1",
    );
    std::fs::write(clip.path(), with_pulldown(clip.bytes())).unwrap();
    for name in ["film.ts", "film.mkv"] {
        let made = clip.make(name, "-fflags +genpts -i @ -c copy");
        let rate = open(&made).info().average_rate.map(|rate| (rate.num, rate.den));
        assert_eq!(rate, Some((24_000, 1001)), "{name}");
        let frames = decode_all(&made);
        let timecodes: Vec<_> = frames.iter().map(|frame| frame.timecode.unwrap().to_string()).collect();
        assert_eq!(
            timecodes[..5],
            ["00:00:00:00", "00:00:00:01", "00:00:00:02", "00:00:00:04", "00:00:00:05"],
            "{name}"
        );
        assert_eq!(timecodes[12], "00:00:00:15", "{name}");
        // At the end, ffmpeg makes timestamps up.
        for pair in frames[..20].windows(2) {
            let end = pair[0].time_secs + pair[0].duration_secs;
            assert!((pair[1].time_secs - end).abs() < 0.002, "{name}: {end} and {}", pair[1].time_secs);
        }
    }
}
