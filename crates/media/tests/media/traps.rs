//! Misleading files, broken files, and files that are not videos.

use std::process::Command;

use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::{Frame, Orientation};

use crate::common::{
    Clip, TURNS, decode_all, ffprobe, ffprobe_frames, noise, open, open_error, picture_bytes, raw_frames, rest,
};

const FAST: &str = "-c:v libx264 -preset ultrafast -g 10";

/// Checks the text of an error: one line that names the file and contains these words.
fn check_error(clip: &Clip, words: &[&str]) {
    let error = open_error(clip.path());
    assert!(!error.contains('\n') && error.contains(&clip.path().display().to_string()), "{error}");
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

/// Returns positions and sizes of the packets of a stream.
fn packets(clip: &Clip, stream: &str) -> Vec<(usize, usize)> {
    let text = ffprobe(clip.path(), &["-select_streams", stream, "-show_entries", "packet=pos,size"]);
    let numbers = |line: &str| line.split(',').filter_map(|n| n.trim().parse().ok()).collect::<Vec<usize>>();
    // ffprobe writes the size first.
    text.lines().map(numbers).filter(|n| n.len() == 2).map(|n| (n[1], n[0])).collect()
}

/// Replaces the bytes of some packets with noise.
fn damaged(clip: &Clip, name: &str, stream: &str, which: impl Fn(usize) -> bool) -> Clip {
    let mut bytes = clip.bytes();
    for (index, (position, size)) in packets(clip, stream).into_iter().enumerate().filter(|(index, _)| which(*index)) {
        bytes[position..position + size].copy_from_slice(&noise(size, index as u64 + 1));
    }
    Clip::from_bytes(name, &bytes)
}

/// Replaces the last occurrence of `from` with `to`, which has the same length.
fn patched(clip: &Clip, name: &str, from: &[u8], to: &[u8]) -> Clip {
    assert_eq!(from.len(), to.len());
    let mut bytes = clip.bytes();
    let at = bytes.windows(from.len()).rposition(|window| window == from).expect("there is something to replace");
    bytes[at..at + to.len()].copy_from_slice(to);
    Clip::from_bytes(name, &bytes)
}

#[test]
fn files_that_are_no_video_say_what_they_are() {
    check_error(&Clip::blank("missing.mp4"), &["no such file"]);
    check_error(&Clip::from_bytes("empty.mp4", b""), &["empty"]);
    check_error(&Clip::from_bytes("notes.txt", b"These are plain words, not pictures.\n"), &["not a video"]);
    check_error(
        &Clip::from_bytes("notes.nfo", b"These are plain words, not pictures.\n"),
        &["not a video", "plain text"],
    );
    check_error(&Clip::from_bytes("notes.md", &b"# Words\n\nnot pictures\n".repeat(50)), &["not a video"]);
    check_error(&Clip::from_bytes("noise.mp4", &noise(4096, 1)), &["not a video"]);
    let sound = "-f lavfi -i sine=duration=0.3 -c:a";
    check_error(&Clip::new("sound.m4a", &format!("{sound} aac")), &["contains no video", "aac"]);
    check_error(&Clip::new("sound.wav", &format!("{sound} pcm_s16le")), &["contains no video"]);
    let folder = Clip::blank("folder.mp4");
    std::fs::create_dir(folder.path()).expect("a folder can be made");
    check_error(&folder, &["this is a folder without numbered pictures", "name a video file in it"]);
}

#[test]
fn a_cut_off_mp4_is_told_from_garbage() {
    let clip = Clip::moving("clip.mp4", "64x48", 1.0, FAST);
    let bytes = clip.bytes();
    check_error(&Clip::from_bytes("cut.mp4", &bytes[..bytes.len() / 2]), &["index (moov) is missing", "cut off"]);
}

#[test]
fn a_missing_decoder_is_named() {
    let clip = Clip::moving("clip.mp4", "64x48", 0.4, FAST);
    check_error(&patched(&clip, "next.mp4", b"avc1", b"avs3"), &["no decoder", "avs3"]);
    // FFmpeg knows the name, but only newer versions decode it.
    let decoders = Command::new("ffmpeg").args(["-hide_banner", "-decoders"]).output().expect("the ffmpeg command");
    if !String::from_utf8_lossy(&decoders.stdout).contains(" vvc ") {
        check_error(&patched(&clip, "newer.mp4", b"avc1", b"vvc1"), &["no decoder for vvc (vvc1)"]);
    }
    check_error(&patched(&clip, "odd.mp4", b"avc1", b"zzz9"), &["no decoder for", "(zzz9)"]);
}

#[test]
fn a_picture_in_boxes_is_not_told_that_it_was_cut_off() {
    // A file as a phone writes it: a type, a list of items, the data, but nothing that older FFmpeg versions can read.
    let mut bytes = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    bytes.extend(b"\0\0\0\x2ameta\0\0\0\0\0\0\0\x1ehdlr\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0");
    bytes.extend(b"\0\0\x01\0mdat");
    bytes.resize(bytes.len() + 248, 7);
    check_error(&Clip::from_bytes("photo.heic", &bytes), &["HEIF picture", "convert it"]);
}

/// Collects the warnings on this test's own file, as the program would print them.
struct Warnings(std::sync::Mutex<Vec<String>>);

static WARNINGS: Warnings = Warnings(std::sync::Mutex::new(Vec::new()));

impl log::Log for Warnings {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        if self.enabled(record.metadata()) && text.contains("astray.y4m") {
            self.0.lock().expect("no test panics here").push(text);
        }
    }

    fn flush(&self) {}
}

#[test]
fn a_demuxer_that_has_lost_its_way_is_told_of_once() {
    log::set_logger(&WARNINGS).expect("no other test has a logger");
    log::set_max_level(log::LevelFilter::Warn);
    let clip = Clip::moving("whole.y4m", "64x48", 0.4, "-pix_fmt yuv420p");
    let mut bytes = clip.bytes();
    let frames = bytes.windows(6).enumerate().filter(|(_, six)| *six == b"FRAME\n").map(|(at, _)| at);
    let fourth = frames.collect::<Vec<_>>()[3];
    bytes[fourth..fourth + 5].copy_from_slice(b"BLAME");
    let clip = Clip::from_bytes("astray.y4m", &bytes);
    let mut decoder = open(clip.path());
    assert_eq!(rest(&mut decoder).len(), 3);
    assert!(decoder.counters().read_errors > 1, "this file is no trap: {:?}", decoder.counters());
    let warnings = WARNINGS.0.lock().expect("no test panics here");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn a_file_without_a_single_good_frame_is_an_error() {
    let clip = Clip::moving("clip.mp4", "64x48", 0.4, FAST);
    check_error(&damaged(&clip, "bad.mp4", "v:0", |_| true), &["no frame could be decoded", "h264"]);
}

#[test]
fn an_unreachable_server_is_an_error() {
    let error = open_error(std::path::Path::new("http://127.0.0.1:9/clip.mp4"));
    assert!(error.starts_with("http://127.0.0.1:9/clip.mp4: ") && !error.contains('\n'), "{error}");
}

#[test]
fn damage_in_the_middle_is_passed_and_counted() {
    let clip = Clip::moving("clip.mp4", "160x120", 2.0, &format!("{FAST} -bf 2"));
    let bad = damaged(&clip, "bad.mp4", "v:0", |index| (20..24).contains(&index));
    let mut decoder = open(bad.path());
    let frames = rest(&mut decoder);
    let counters = decoder.counters();
    assert_eq!(counters.delivered, frames.len() as u64);
    assert!(frames.len() >= 40, "{} frames", frames.len());
    assert!(counters.refused_packets + counters.damaged > 0, "{counters:?}");
    assert!(frames.last().expect("a frame").time_secs > 1.9);
}

#[test]
fn damaged_first_packets_are_passed() {
    let clip = Clip::moving("clip.mp4", "160x120", 2.0, FAST);
    let bad = damaged(&clip, "bad.mp4", "v:0", |index| index < 12);
    let frames = decode_all(bad.path());
    // The decoder decides about frames before the first good keyframe. All later ones must be present and correct.
    let good = frames.iter().position(|frame| frame.key && !frame.damaged).expect("a keyframe");
    assert!(frames.len() - good >= 30, "{} frames after the first good one", frames.len() - good);
    let expected = raw_frames(clip.path(), "yuv420p");
    let tail: Vec<u8> = frames[frames.len() - 30..].iter().flat_map(|f| picture_bytes(&f.picture)).collect();
    assert!(expected.ends_with(&tail));
}

#[test]
fn a_file_that_ends_early_gives_what_it_has() {
    let clip = Clip::moving("clip.mkv", "160x120", 2.0, FAST);
    let bytes = clip.bytes();
    let cut = Clip::from_bytes("cut.mkv", &bytes[..bytes.len() * 6 / 10]);
    let frames = decode_all(cut.path());
    assert_eq!(frames.len() as u64, ffprobe_frames(cut.path()));
    assert!(frames.len() > 20 && frames.len() < 45, "{}", frames.len());
}

#[test]
fn the_frame_wins_over_the_header() {
    let clip = Clip::moving("clip.mp4", "160x120", 0.4, FAST);
    // Changes width and height of the sample description from 160 and 120 to 1920 and 1080.
    let liar = patched(&clip, "liar.mp4", &[0, 160, 0, 120, 0, 72], &[7, 128, 4, 56, 0, 72]);
    let decoder = open(liar.path());
    assert_eq!(decoder.info().coded_size, (160, 120));
    let frames = decode_all(liar.path());
    assert!(frames.iter().all(|frame| (frame.picture.width(), frame.picture.height()) == (160, 120)));
    assert_eq!(frames.len(), 10);
}

#[test]
fn a_cover_is_not_the_video_unless_it_is_all_there_is() {
    let cover = "-f lavfi -i color=red:size=300x300:duration=0.04 -frames:v 1";
    let song = Clip::new("cover.png", cover);
    let path = song.make(
        "song.mp3",
        "-f lavfi -i sine=duration=0.3 -i @ -map 0 -map 1 -c:v copy -id3v2_version 3 -disposition:v attached_pic",
    );
    let frames = decode_all(&path);
    assert_eq!(frames.len(), 1);
    assert_eq!((frames[0].picture.width(), frames[0].index), (300, Some(0)));
    let path = song.make(
        "film.mp4",
        &format!(
            "-i @ -f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -map 0 -map 1 -c:v:0 copy {FAST_1} \
                  -disposition:v:0 attached_pic+default -disposition:v:1 0"
        ),
    );
    let frames = decode_all(&path);
    assert_eq!((frames.len(), frames[0].picture.width()), (10, 64));
}

const FAST_1: &str = "-c:v:1 libx264 -preset:v:1 ultrafast";

#[test]
fn a_gray_stream_beside_a_coloured_one_is_taken_for_alpha() {
    let inputs = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4";
    let clip = Clip::new(
        "planes.mkv",
        &format!(
            "{inputs} {inputs} -map 0 -map 1 -c:v ffv1 -pix_fmt:v:0 gray -pix_fmt:v:1 yuv420p -disposition:v:0 default"
        ),
    );
    assert_eq!(decode_all(clip.path())[0].picture.layout().model, ColorModel::YCbCr);
}

#[test]
fn a_stream_that_gives_nothing_makes_way_for_the_next() {
    let inputs =
        "-f lavfi -i testsrc2=size=320x240:rate=25:duration=0.4 -f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4";
    let clip = Clip::new("two.mp4", &format!("{inputs} -map 0 -map 1 {FAST}"));
    let bad = damaged(&clip, "bad.mp4", "v:0", |_| true);
    let mut decoder = open(bad.path());
    assert_eq!(decoder.info().stream, 1);
    assert!(decoder.notes().any(|note| note.contains("stream 0 has no decodable frame")));
    let frames = rest(&mut decoder);
    assert_eq!((frames.len(), frames[0].picture.width()), (10, 64));
}

/// Returns the picture as displayed, as rows of luma.
fn displayed(frame: &Frame) -> Vec<Vec<u32>> {
    let (width, height) = (frame.picture.width(), frame.picture.height());
    let Orientation { quarter_turns, mirrored } = frame.orientation;
    let mut rows: Vec<Vec<u32>> =
        (0..height).map(|y| (0..width).map(|x| frame.picture.code(0, x, y)).collect()).collect();
    if mirrored {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    for _ in 0..quarter_turns {
        // Clockwise: the first column, from the bottom up, becomes the first row.
        let (w, h) = (rows[0].len(), rows.len());
        rows = (0..w).map(|x| (0..h).rev().map(|y| rows[y][x]).collect()).collect();
    }
    rows
}

#[test]
fn turned_video_is_shown_as_ffmpeg_shows_it() {
    let source = Clip::noisy("plain.mp4", "8x4", "yuv420p", 2, "-c:v libx264 -qp 0");
    let mut seen = Vec::new();
    for (degrees, matrix) in TURNS {
        let turned = source.with_matrix("turned.mp4", matrix);
        let frames = decode_all(turned.path());
        seen.push(frames[0].orientation.quarter_turns);
        // FFmpeg's command rotates the picture by default.
        let upright = turned.make("upright.mkv", "-i @ -c:v ffv1");
        assert_eq!(displayed(&frames[0]), displayed(&decode_all(&upright)[0]), "{degrees} degrees");
    }
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3]);
}

#[test]
fn flips_show_in_the_determinant() {
    let clip = Clip::moving("clip.mp4", "64x48", 0.2, FAST);
    let fixed = |values: [i32; 9]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let one = 1 << 16;
    let upright = fixed([one, 0, 0, 0, one, 0, 0, 0, 1 << 30]);
    let cases = [
        ([-one, 0, 0, 0, one, 0], (0, true)),
        ([one, 0, 0, 0, -one, 0], (2, true)),
        ([0, one, 0, one, 0, 0], (3, true)),
        ([0, one, 0, -one, 0, 0], (1, false)),
    ];
    for ([a, b, u, c, d, v], (quarter_turns, mirrored)) in cases {
        let flipped = patched(&clip, "flipped.mp4", &upright, &fixed([a, b, u, c, d, v, 0, 0, 1 << 30]));
        assert_eq!(decode_all(flipped.path())[0].orientation, Orientation { quarter_turns, mirrored });
    }
}

#[test]
fn a_photograph_turns_by_its_first_frame() {
    let clip = Clip::moving("photo.jpg", "64x48", 0.04, "-frames:v 1");
    let mut bytes = clip.bytes();
    // A little-endian EXIF block with one entry: orientation 6, a quarter turn clockwise.
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    let mut segment = vec![0xff, 0xe1];
    segment.extend((exif.len() as u16 + 2).to_be_bytes());
    segment.append(&mut exif);
    bytes.splice(2..2, segment);
    let frames = decode_all(Clip::from_bytes("turned.jpg", &bytes).path());
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].orientation, Orientation { quarter_turns: 1, mirrored: false });
}

#[test]
fn the_containers_sample_aspect_wins_over_the_frames() {
    let clip = Clip::moving("clip.mp4", "160x120", 0.2, &format!("-vf setsar=8/9 {FAST}"));
    let flagged_anew = |name| clip.make(name, "-i @ -c copy -aspect 2:1");
    for (path, expected) in [
        (clip.path().to_owned(), (8, 9)),
        (flagged_anew("anew.mkv"), (3, 2)),
        (flagged_anew("anew.mp4"), (3, 2)),
        // This container cannot store it.
        (flagged_anew("anew.ts"), (8, 9)),
    ] {
        let aspect = decode_all(&path)[0].sample_aspect;
        assert_eq!((aspect.num, aspect.den), expected, "{}", path.display());
    }
    let plain = Clip::moving("plain.mkv", "160x120", 0.2, "-vf setsar=0 -c:v ffv1 -aspect 2:1");
    let aspect = decode_all(plain.path())[0].sample_aspect;
    assert_eq!((aspect.num, aspect.den), (3, 2));
}

const UNKNOWN_MATRIX: Option<u8> = Some(2);
const UNKNOWN_RANGE: Option<u8> = Some(0);

/// Makes a Matroska file and writes these numbers of matrix and range into its header. What `ffmpeg` states by default,
/// and converts to, depends on its version. Without numbers, the file stays as `ffmpeg` wrote it.
fn with_tags(format: &str, matrix: Option<u8>, range: Option<u8>) -> Clip {
    let given = "-vf setparams=range=tv:colorspace=smpte240m -colorspace smpte240m -color_range tv -write_crc32 0";
    let arguments = if (matrix, range) == (None, None) { "" } else { given };
    let clip = Clip::noisy("clip.mkv", "16x16", format, 1, &format!("-c:v ffv1 {arguments}"));
    let mut bytes = clip.bytes();
    // MatrixCoefficients and Range, each of one byte.
    for (element, value) in [([0x55, 0xb1, 0x81], matrix), ([0x55, 0xb9, 0x81], range)] {
        if let Some(value) = value {
            match bytes.windows(3).position(|window| window == element) {
                Some(at) => bytes[at + 3] = value,
                // Newer versions write no matrix for gray.
                None => assert_eq!(matrix, UNKNOWN_MATRIX, "{format}: there is no place for a tag"),
            }
        }
    }
    Clip::from_bytes("tagged.mkv", &bytes)
}

#[test]
fn colour_tags_are_taken_or_guessed() {
    let cases = [
        ("yuv420p", Some(9), Some(2), "bt2020nc (tagged)", "full (tagged)"),
        ("yuv420p", Some(7), Some(1), "smpte240m (tagged)", "limited (tagged)"),
        ("yuv420p", UNKNOWN_MATRIX, UNKNOWN_RANGE, "bt601 (guessed)", "limited (guessed)"),
        // Identity, which is meaningless for subsampled planes.
        ("yuv420p", Some(0), UNKNOWN_RANGE, "bt601 (guessed)", "limited (guessed)"),
        ("yuv444p", Some(0), UNKNOWN_RANGE, "rgb (tagged)", "limited (guessed)"),
        // ICtCp without a transfer function, so it cannot be decoded.
        ("yuv420p", Some(14), UNKNOWN_RANGE, "ictcp (tagged)", "limited (guessed)"),
        ("gray", UNKNOWN_MATRIX, UNKNOWN_RANGE, "bt601 (guessed)", "full (guessed)"),
        ("gray", UNKNOWN_MATRIX, Some(1), "bt601 (guessed)", "limited (tagged)"),
        ("gbrp", None, None, "rgb (tagged)", "full (tagged)"),
    ];
    for (format, matrix_number, range_number, matrix, range) in cases {
        let clip = with_tags(format, matrix_number, range_number);
        let colors = *decode_all(clip.path())[0].picture.colorimetry();
        let found = (colors.matrix.to_string(), colors.range.to_string());
        assert_eq!(
            (found.0.as_str(), found.1.as_str()),
            (matrix, range),
            "{format} {matrix_number:?} {range_number:?}"
        );
    }
    let tagged = Clip::noisy(
        "hdr.mkv",
        "16x16",
        "yuv420p",
        1,
        "-c:v ffv1 -vf setparams=color_trc=smpte2084:color_primaries=bt2020",
    );
    let source = &decode_all(tagged.path())[0].source;
    assert_eq!((source.transfer, source.primaries), (Some("smpte2084"), Some("bt2020")));
}

#[test]
fn pictures_with_a_palette_are_converted_and_say_so() {
    let clip = Clip::moving("clip.gif", "64x48", 0.5, "-r 10");
    let frames = decode_all(clip.path());
    assert_eq!(frames[0].source.pixel_format, "bgra");
    let clip = Clip::moving("clip.png", "64x48", 0.04, "-frames:v 1 -pix_fmt pal8");
    let mut decoder = open(clip.path());
    let frames = rest(&mut decoder);
    assert_eq!(frames[0].source.pixel_format, "pal8");
    assert_eq!(frames[0].source.converted_to.as_deref(), Some("rgb24"));
    assert!(decoder.notes().any(|note| note.contains("pal8")), "{:?}", decoder.notes().collect::<Vec<_>>());
    assert!(picture_bytes(&frames[0].picture) == raw_frames(clip.path(), "rgb24"));
}

#[test]
fn names_with_colons_and_signs_are_files() {
    let clip = Clip::moving("a: b? 100% #1.mp4", "64x48", 0.2, FAST);
    assert_eq!(decode_all(clip.path()).len(), 5);
}

#[test]
fn image_sequences_are_videos() {
    let clip = Clip::blank("%03d.png");
    clip.make("%03d.png", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.2");
    assert_eq!(decode_all(clip.path()).len(), 5);
}
