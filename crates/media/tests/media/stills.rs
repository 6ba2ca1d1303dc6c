//! What still pictures state in their own headers: colours, orientation, ICC profiles.

use histoscope_core::picture::Orientation;
use histoscope_core::picture::color::Range;
use histoscope_media::{Decoder, OpenOptions, Seek, SeekTarget};

use super::tiles::{inside, make_box};
use crate::common::{Clip, decode_all, open, open_error, rest};

/// A tag of a TIFF and its fractions.
type RationalTag<'a> = (u16, &'a [[u32; 2]]);

/// Makes an uncompressed TIFF of this width and one line, with gray 128 as Y', Cb and Cr, and these rational tags.
fn ycc_tiff(width: u32, is_little: bool, tags: &[RationalTag<'_>]) -> Vec<u8> {
    let short = |number: u16| if is_little { number.to_le_bytes() } else { number.to_be_bytes() };
    let long = |number: u32| if is_little { number.to_le_bytes() } else { number.to_be_bytes() };
    let entries = 10 + tags.len() as u32;
    let mut beside = 8 + 2 + 12 * entries + 4;
    let mut values = Vec::new();
    let mut directory = short(entries as u16).to_vec();
    let mut entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        directory.extend([&short(tag)[..], &short(kind), &long(count), &value].concat());
    };
    let small = |number: u16| [short(number), [0; 2]].concat().try_into().unwrap();
    let bits = beside;
    values.extend([8, 8, 8].map(short).concat());
    beside += 6;
    let pixels_at = beside + tags.iter().map(|(_, ratios)| 8 * ratios.len() as u32).sum::<u32>();
    entry(256, 4, 1, long(width));
    entry(257, 4, 1, long(1));
    entry(258, 3, 3, long(bits));
    entry(259, 3, 1, small(1));
    entry(262, 3, 1, small(6));
    entry(273, 4, 1, long(pixels_at));
    entry(277, 3, 1, small(3));
    entry(278, 4, 1, long(1));
    entry(279, 4, 1, long(3 * width));
    for (tag, ratios) in tags.iter().filter(|(tag, _)| *tag == 529) {
        entry(*tag, 5, ratios.len() as u32, long(beside));
        values.extend(ratios.iter().flatten().flat_map(|number| long(*number)));
        beside += 8 * ratios.len() as u32;
    }
    entry(530, 3, 2, [short(1), short(1)].concat().try_into().unwrap());
    for (tag, ratios) in tags.iter().filter(|(tag, _)| *tag != 529) {
        entry(*tag, 5, ratios.len() as u32, long(beside));
        values.extend(ratios.iter().flatten().flat_map(|number| long(*number)));
        beside += 8 * ratios.len() as u32;
    }
    let magic: &[u8] = if is_little { b"II\x2a\0" } else { b"MM\0\x2a" };
    [magic, &long(8), &directory, &long(0), &values, &vec![128; 3 * width as usize]].concat()
}

#[test]
fn ycbcr_in_tiff_is_full_range_bt601_unless_its_tags_say_otherwise() {
    let white = |numbers: [u32; 6]| numbers.map(|number| [number, 1]);
    let (full, video) = (white([0, 255, 128, 255, 128, 255]), white([15, 235, 128, 240, 128, 240]));
    let (bt601, bt709) = ([[299, 1000], [587, 1000], [114, 1000]], [[2125, 10000], [7154, 10000], [721, 10000]]);
    let cases: [(&[RationalTag<'_>], _); 5] = [
        (&[], ("bt601 (tagged)", "full (tagged)")),
        (&[(532, &full)], ("bt601 (tagged)", "full (tagged)")),
        (&[(532, &video)], ("bt601 (tagged)", "limited (tagged)")),
        (&[(529, &bt601), (532, &full)], ("bt601 (tagged)", "full (tagged)")),
        (&[(529, &bt709)], ("bt709 (tagged)", "full (tagged)")),
    ];
    for (tags, (matrix, range)) in cases {
        for (width, is_little) in [(64, true), (1920, false)] {
            let clip = Clip::from_bytes("ycc.tif", &ycc_tiff(width, is_little, tags));
            let frames = decode_all(clip.path());
            let color = frames[0].picture.colorimetry();
            assert_eq!((color.matrix.to_string(), color.range.to_string()), (matrix.into(), range.into()), "{tags:?}");
        }
    }
    // Pictures of R'G'B' are what they were.
    let rgb = Clip::moving("rgb.tif", "64x36", 0.04, "-c:v tiff -pix_fmt rgb24");
    assert_eq!(decode_all(rgb.path())[0].picture.colorimetry().range.to_string(), "full (guessed)");
}

#[test]
fn sycc_in_jpeg_2000_is_full_range_bt601() {
    for (name, size) in [("small.jp2", "64x36"), ("large.jp2", "1920x16")] {
        let clip = Clip::moving(name, size, 0.04, "-c:v jpeg2000 -pix_fmt yuv444p");
        let frames = decode_all(clip.path());
        let color = frames[0].picture.colorimetry();
        assert_eq!(
            (color.matrix.to_string(), color.range.to_string()),
            ("bt601 (tagged)".into(), "full (tagged)".into())
        );
        assert_eq!(frames[0].source.transfer, Some("iec61966-2-1"));
        // A codestream alone states nothing, and in a video the container states the colours.
        for other in ["alone.j2k", "video.mkv"] {
            let format = if other == "video.mkv" { "" } else { "-format j2k" };
            let other = Clip::moving(other, size, 0.04, &format!("-c:v jpeg2000 {format} -pix_fmt yuv420p"));
            let frames = decode_all(other.path());
            assert_eq!(frames[0].picture.colorimetry().range.to_string(), "limited (guessed)");
        }
    }
}

/// Returns a PNG's chunk.
fn chunk(kind: &[u8; 4], contents: &[u8]) -> Vec<u8> {
    let checked = [kind, contents].concat();
    let check = !checked.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    [&(contents.len() as u32).to_be_bytes()[..], &checked, &check.to_be_bytes()].concat()
}

/// Adds a chunk to a PNG after its first one.
fn with_chunk(png: &[u8], chunk: &[u8]) -> Vec<u8> {
    [&png[..33], chunk, &png[33..]].concat()
}

#[test]
fn each_png_has_the_colours_of_its_own_cicp() {
    let clip = Clip::moving("whole.png", "64x36", 0.04, "-frames:v 1 -update 1 -pix_fmt rgb48be");
    let pq = with_chunk(&clip.bytes(), &chunk(b"cICP", &[9, 16, 0, 1]));
    let single = Clip::from_bytes("pq.png", &pq);
    let colors = |path: &std::path::Path| {
        let frames = decode_all(path);
        let color = |frame: &histoscope_core::picture::Frame| {
            (frame.source.transfer, frame.source.primaries, frame.picture.colorimetry().range.value)
        };
        frames.iter().map(color).collect::<Vec<_>>()
    };
    let stated = (Some("smpte2084"), Some("bt2020"), Range::Full);
    assert_eq!(colors(single.path()), [stated]);
    assert_eq!((open(single.path()).info().transfer, open(single.path()).info().primaries), (stated.0, stated.1));
    let hlg = with_chunk(&clip.bytes(), &chunk(b"cICP", &[9, 18, 0, 0]));
    let expected = [stated, (None, None, Range::Full), (Some("arib-std-b67"), Some("bt2020"), Range::Limited), stated];
    let sequence = Clip::from_bytes("shot0.png", &pq);
    for (number, bytes) in [(1, &clip.bytes()), (2, &hlg), (3, &pq)] {
        std::fs::write(sequence.folder().join(format!("shot{number}.png")), bytes).unwrap();
    }
    let pattern = sequence.folder().join("shot%d.png");
    assert_eq!(colors(&pattern), expected);
    let mut decoder = open(&pattern);
    for number in [2, 1, 3, 0, 1] {
        decoder.seek(Seek::Exact(SeekTarget::Number(number))).unwrap();
        let frame = decoder.next_frame().unwrap().expect("the picture");
        assert_eq!(frame.source.transfer, expected[number as usize].0, "{number}");
    }
    let animated = Clip::moving("moving.png", "64x36", 0.2, "-c:v apng -f apng");
    let animated = Clip::from_bytes("pq.apng", &with_chunk(&animated.bytes(), &chunk(b"cICP", &[9, 16, 0, 1])));
    assert_eq!(colors(animated.path()), [stated; 5]);
}

/// Makes an AVIF of these properties, after those that it needs, in their order.
fn avif(original: &Clip, properties: &[[u8; 5]]) -> Clip {
    const NO_FLAGS: &[u8] = &[0; 4];
    let bytes = original.bytes();
    let picture = inside(&bytes, &[(b"mdat", 0)]);
    let needed =
        |kind: &[u8; 4]| make_box(kind, &[inside(&bytes, &[(b"meta", 4), (b"iprp", 0), (b"ipco", 0), (kind, 0)])]);
    // The standard lets properties be stored in another order than they are associated in.
    let own: Vec<_> =
        properties.iter().rev().map(|[a, b, c, d, value]| make_box(&[*a, *b, *c, *d], &[&[*value]])).collect();
    let all = make_box(b"ipco", &[&needed(b"ispe"), &needed(b"av1C"), &own.concat()]);
    let count = properties.len() as u8;
    let indices: Vec<_> = (0..count).map(|at| 0x80 | (2 + count - at)).collect();
    let owners = make_box(b"ipma", &[NO_FLAGS, &[0, 0, 0, 1, 0, 1, 2 + count, 1, 0x82], &indices]);
    let items =
        make_box(b"iinf", &[NO_FLAGS, &[0, 1], &make_box(b"infe", &[&[2, 0, 0, 0, 0, 1, 0, 0], b"av01", b"\0"])]);
    let handler = make_box(b"hdlr", &[NO_FLAGS, NO_FLAGS, b"pict", &[0; 13]]);
    let primary = make_box(b"pitm", &[NO_FLAGS, &[0, 1]]);
    let kind = make_box(b"ftyp", &[b"avif\0\0\0\0avifmif1miaf"]);
    let meta = |at: usize| {
        let place = [&[0, 1, 0, 0, 0, 1][..], &(at as u32).to_be_bytes(), &(picture.len() as u32).to_be_bytes()];
        let places = make_box(b"iloc", &[NO_FLAGS, &[0x44, 0, 0, 1], &place.concat()]);
        make_box(b"meta", &[NO_FLAGS, &handler, &primary, &places, &items, &make_box(b"iprp", &[&all, &owners])])
    };
    let at = kind.len() + meta(0).len() + 8;
    Clip::from_bytes("turned.avif", &[kind, meta(at), make_box(b"mdat", &[picture])].concat())
}

/// A picture of two lines and two columns, in which each pixel differs.
type Square = [[u8; 2]; 2];

fn turned_left([[a, b], [c, d]]: Square) -> Square {
    [[b, d], [a, c]]
}

#[test]
fn avif_is_turned_and_mirrored_in_the_order_of_its_properties() {
    let coding = "-frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8";
    let original = Clip::new("flat.avif", &format!("-f lavfi -i testsrc2=size=64x48 {coding}"));
    let property = |name: &[u8; 4], value| [name[0], name[1], name[2], name[3], value];
    let turn = |value| property(b"irot", value);
    let mirror = |value| property(b"imir", value);
    let mut cases: Vec<Vec<[u8; 5]>> = (0..4).map(|value| vec![turn(value)]).collect();
    cases.extend((0..2).map(|value| vec![mirror(value)]));
    cases.extend((0..8).map(|at| vec![turn(at % 4), mirror(at / 4)]));
    cases.extend((0..8).map(|at| vec![mirror(at / 4), turn(at % 4)]));
    cases.push(Vec::new());
    for properties in cases {
        let clip = avif(&original, &properties);
        let expected = properties.iter().fold([[1, 2], [3, 4]], |square, [_, kind, .., value]| match (kind, value) {
            (b'r', turns) => (0..*turns).fold(square, |square, _| turned_left(square)),
            (_, 0) => [square[1], square[0]],
            _ => square.map(|[left, right]| [right, left]),
        });
        let mut decoder = open(clip.path());
        let frames = rest(&mut decoder);
        assert_eq!((frames.len(), decoder.info().orientation), (1, frames[0].orientation));
        let Orientation { quarter_turns, mirrored } = frames[0].orientation;
        let square = if mirrored { [[2, 1], [4, 3]] } else { [[1, 2], [3, 4]] };
        let square = (0..(4 - quarter_turns) % 4).fold(square, |square, _| turned_left(square));
        assert_eq!(square, expected, "{properties:?}");
    }
    for (property, name) in [(turn(9), "irot has the value 9"), (mirror(2), "imir has the value 2")] {
        let error = open_error(avif(&original, &[property]).path());
        assert!(error.contains("turned.avif: its orientation is undefined") && error.contains(name), "{error}");
        assert!(!error.contains('\n'));
    }
}

/// Returns an ICC profile with only this description.
fn profile(description: &[u8]) -> Vec<u8> {
    let tag = [b"desc", &144_u32.to_be_bytes()[..], &(description.len() as u32).to_be_bytes()].concat();
    [&[0; 128][..], &1_u32.to_be_bytes(), &tag, description].concat()
}

#[test]
fn an_icc_profile_is_named() {
    let jpeg = Clip::moving("plain.jpg", "64x36", 0.04, "-frames:v 1 -update 1");
    let version_2 = [&b"desc\0\0\0\0\0\0\0\x06sRGB\0"[..], b"\0"].concat();
    let names = "Display P3".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let version_4 = [&b"mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x14\0\0\0\x1c"[..], &names].concat();
    let cut = version_4[..20].to_vec();
    for (description, name) in [(version_2, "sRGB"), (version_4, "Display P3"), (cut, "unnamed")] {
        let contents = [b"ICC_PROFILE\0\x01\x01", &profile(&description)[..]].concat();
        let segment = [&[0xff, 0xe2][..], &(contents.len() as u16 + 2).to_be_bytes(), &contents].concat();
        let bytes = [&jpeg.bytes()[..2], &segment, &jpeg.bytes()[2..]].concat();
        let clip = Clip::from_bytes("named.jpg", &bytes);
        assert_eq!(open(clip.path()).info().icc_profile.as_deref(), Some(name));
    }
    assert_eq!(open(jpeg.path()).info().icc_profile, None);
}

#[test]
fn film_grain_that_the_decoder_adds_is_told() {
    let coding = "-vf noise=alls=20:allf=t -c:v libsvtav1 -preset 10 -svtav1-params film-grain=20";
    let grainy = Clip::moving("grainy.mp4", "128x96", 0.2, coding);
    assert_eq!(open(grainy.path()).info().film_grain, Some(true));
    let plain = Clip::moving("plain.mp4", "128x96", 0.2, "-c:v libsvtav1 -preset 10");
    assert_eq!(open(plain.path()).info().film_grain, None);
}

#[test]
fn a_format_that_cannot_be_read_is_named() {
    let clip = Clip::noisy("packed.nut", "66x34", "rgb4", 5, "-c copy");
    let error = open_error(clip.path());
    assert!(error.contains("packed.nut: pixel format rgb4 cannot be read; convert"), "{error}");
    // Another track is read instead.
    let both = clip.make(
        "both.nut",
        "-i @ -f lavfi -i testsrc2=size=32x16:duration=0.2 -map 0 -map 1 -c:v:0 copy -c:v:1 rawvideo",
    );
    let mut decoder = open(&both);
    assert_eq!((decoder.info().stream, rest(&mut decoder).len()), (1, 5));
    assert!(Decoder::open(&both, &OpenOptions { track: Some(1), ..OpenOptions::default() }).is_err());
}
