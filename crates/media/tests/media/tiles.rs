//! Pictures stored as tiles. FFmpeg's own filter and lossless coding give the expected pictures.

use std::path::Path;
use std::process::{Command, Stdio};

use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::picture::crop::{Crop, CropUse};
use histoscope_media::{Decoder, OpenOptions, Seek, SeekTarget};

use crate::common::{Clip, decode_all, libavcodec, open, open_error, picture_bytes, raw_frames, rest};

/// Returns true if FFmpeg reports how tiles are assembled. Prints a note if it does not.
fn are_told() -> bool {
    let are_told = libavcodec() >= (61, 0);
    if !are_told {
        eprintln!("skipped: FFmpeg before 7 does not tell how tiles are put together");
    }
    are_told
}

/// Codes a picture without loss, in this many tiles across and down. Returns `false`, and prints the reason, if avifenc
/// is missing.
fn code(picture: &Path, tiles: &str, target: &Path) -> bool {
    let mut command = Command::new("avifenc");
    command.args(["--qcolor", "100", "--speed", "10", "--grid", tiles]).arg(picture).arg(target);
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        eprintln!("skipped: the avifenc command is not installed");
        return false;
    };
    assert!(output.status.success(), "avifenc: {}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn tiles_make_one_picture() {
    let cases = [
        ("256x128", "2x2", "yuv420p", (256, 128)),
        ("250x140", "2x2", "yuv420p", (252, 140)),
        ("394x138", "3x2", "yuv422p10le", (396, 138)),
        ("130x200", "1x3", "yuv444p12le", (130, 201)),
    ];
    for (size, tiles, format, decoded) in cases {
        if !are_told() {
            return;
        }
        let source = Clip::moving("source.y4m", size, 0.04, &format!("-pix_fmt {format} -strict -1"));
        let path = source.folder().join("tiles.avif");
        if !code(source.path(), tiles, &path) {
            return;
        }
        let expected = raw_frames(source.path(), format);
        let mut decoder = open(&path);
        let [first] = &rest(&mut decoder)[..] else { panic!("{size}: one picture") };
        let (width, height) = (first.picture.width(), first.picture.height());
        assert_eq!(format!("{width}x{height}"), size);
        assert!(picture_bytes(&first.picture) == expected, "{size}");
        let info = decoder.info();
        assert!(info.still && info.tracks.len() == 1 && info.track().is_none(), "{size}");
        assert_eq!(
            (info.coded_size, info.stated_size, info.tracks[0].size),
            ((width, height), (width, height), decoded)
        );
        let cropping = first.source.cropping;
        let (right, bottom) = (decoded.0 - width, decoded.1 - height);
        assert_eq!(
            (cropping.decoded_size, cropping.container.crop),
            (decoded, Crop { right, bottom, ..Crop::default() })
        );
        for seek in [Seek::Exact(SeekTarget::Time(0.0)), Seek::Keyframe(0.0), Seek::Exact(SeekTarget::End)] {
            decoder.seek(seek).unwrap();
            let again = rest(&mut decoder);
            assert!(again.len() == 1 && picture_bytes(&again[0].picture) == expected, "{size}: {seek:?}");
        }
        assert!(picture_bytes(&decode_all(&path)[0].picture) == expected, "{size}: opened again");
        let codec = OpenOptions { cropping: CroppingChoice::Codec, ..OpenOptions::default() };
        let whole = rest(&mut Decoder::open(&path, &codec).unwrap());
        assert_eq!((whole[0].picture.width(), whole[0].picture.height()), decoded);
        if right + bottom > 0 {
            assert_eq!(whole[0].source.cropping.container.used, CropUse::Declined);
        }
        let second = OpenOptions { track: Some(2), ..OpenOptions::default() };
        assert!(Decoder::open(&path, &second).is_err(), "there is one track");
    }
}

/// Makes a tile of this width and 64 lines: FFmpeg's test picture after this filter.
fn tile(filter: &str, width: u8, format: &str) -> Clip {
    let coding = "-frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8";
    Clip::new("tile.avif", &format!("-f lavfi -i testsrc2=size={width}x64 -vf {filter} -pix_fmt {format} {coding}"))
}

#[test]
fn tiles_lie_side_by_side() {
    let [left, right] = ["hflip", "vflip"].map(|filter| tile(filter, 64, "yuv420p"));
    assert_eq!(decode_all(left.path()).len(), 1);
    let clip = Clip::from_bytes("grid.avif", &grid([&left.bytes(), &right.bytes()], 64));
    if !are_told() {
        let error = open_error(clip.path());
        assert!(error.contains("grid.avif: a HEIF picture") && error.contains("tiles"), "{error}");
        assert!(!error.contains("damaged"), "{error}");
        return;
    }
    std::fs::copy(right.path(), left.folder().join("right.avif")).unwrap();
    let both = left.make("both.mkv", "-i @ -i @/right.avif -filter_complex hstack -c:v ffv1");
    let frames = decode_all(clip.path());
    assert!(frames.len() == 1 && picture_bytes(&frames[0].picture) == raw_frames(&both, "yuv420p"));
}

#[test]
fn tiles_that_do_not_fit_are_refused() {
    let check = |tiles: [Clip; 2], width| {
        let clip = Clip::from_bytes("grid.avif", &grid([&tiles[0].bytes(), &tiles[1].bytes()], width));
        let error = open_error(clip.path());
        assert!(error.contains("grid.avif: a HEIF picture") && error.contains("tiles"), "{error}");
    };
    // The second tile begins in the middle of a chroma sample.
    check(["hflip", "vflip"].map(|filter| tile(filter, 63, "yuv420p")), 63);
    check(["yuv420p", "yuv444p"].map(|format| tile("null", 64, format)), 64);
    check([64, 48].map(|width| tile("null", width, "yuv420p")), 64);
}

/// Returns the contents of the first box at a path of nested boxes. Each step names a box and the number of its own
/// bytes before the boxes that it contains.
pub(super) fn inside<'a>(mut bytes: &'a [u8], path: &[(&[u8; 4], usize)]) -> &'a [u8] {
    for (kind, own) in path {
        let at = bytes.windows(4).position(|four| four == *kind).expect("the box is there") - 4;
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        bytes = &bytes[at + 8 + own..at + size];
    }
    bytes
}

pub(super) fn make_box(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let contents = parts.concat();
    [&(contents.len() as u32 + 8).to_be_bytes()[..], kind, &contents].concat()
}

/// Makes a picture of two tiles of this width and 64 lines, side by side, as defined in ISO/IEC 23008-12.
fn grid(tiles: [&[u8]; 2], width: u8) -> Vec<u8> {
    const NO_FLAGS: &[u8] = &[0; 4];
    let [left, right] = tiles.map(|tile| inside(tile, &[(b"mdat", 0)]));
    let configuration =
        make_box(b"av1C", &[inside(tiles[0], &[(b"meta", 4), (b"iprp", 0), (b"ipco", 0), (b"av1C", 0)])]);
    let derived = [0, 0, 0, 1, 0, 2 * width, 0, 64];
    let item = |number: u8, kind: &[u8; 4]| make_box(b"infe", &[&[2, 0, 0, 0, 0, number, 0, 0], kind, b"\0"]);
    let items = make_box(b"iinf", &[NO_FLAGS, &[0, 3], &item(1, b"grid"), &item(2, b"av01"), &item(3, b"av01")]);
    let references = make_box(b"iref", &[NO_FLAGS, &make_box(b"dimg", &[&[0, 1, 0, 2, 0, 2, 0, 3]])]);
    let size = |width: u8| make_box(b"ispe", &[NO_FLAGS, &[0, 0, 0, width, 0, 0, 0, 64]]);
    let properties = make_box(b"ipco", &[&size(2 * width), &size(width), &configuration]);
    let owners = make_box(b"ipma", &[NO_FLAGS, &[0, 0, 0, 3, 0, 1, 1, 0x81, 0, 2, 2, 2, 0x83, 0, 3, 2, 2, 0x83]]);
    let handler = make_box(b"hdlr", &[NO_FLAGS, NO_FLAGS, b"pict", &[0; 13]]);
    let primary = make_box(b"pitm", &[NO_FLAGS, &[0, 1]]);
    let kind = make_box(b"ftyp", &[b"avif\0\0\0\0avifmif1miaf"]);
    let meta = |base: usize| {
        let places = [(1, base, derived.len()), (2, base + 8, left.len()), (3, base + 8 + left.len(), right.len())];
        let places = places.map(|(number, at, length)| {
            [&[0, number, 0, 0, 0, 1][..], &(at as u32).to_be_bytes(), &(length as u32).to_be_bytes()].concat()
        });
        let places = make_box(b"iloc", &[NO_FLAGS, &[0x44, 0, 0, 3], &places.concat()]);
        let properties = make_box(b"iprp", &[&properties, &owners]);
        make_box(b"meta", &[NO_FLAGS, &handler, &primary, &places, &items, &references, &properties])
    };
    let base = kind.len() + meta(0).len() + 8;
    [kind.clone(), meta(base), make_box(b"mdat", &[&derived, left, right])].concat()
}
