//! Whole files that FFmpeg cannot decode, and files that lack more than a frame: each message is true and says what to
//! do.

use std::fs;
use std::path::Path;

use histoscope_media::{Decoder, MediaError, OpenOptions};

use crate::common::{Clip, decode_all, open, open_error, picture_bytes, raw_frames, rest};

const H264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";

/// Returns the message on a file with these bytes.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let error = open_error(Clip::from_bytes(name, bytes).path());
    assert!(!error.contains("encrypted, ") && !error.contains('\n'), "{error}");
    error
}

/// Returns an attribute of an EXR header.
fn attribute(name: &str, kind: &str, value: &[u8]) -> Vec<u8> {
    let size = (value.len() as u32).to_le_bytes();
    [name.as_bytes(), b"\0", kind.as_bytes(), b"\0", &size, value].concat()
}

/// Returns an uncompressed EXR picture of 4×2 pixels with these channels, in alphabetical order, and these flags.
/// Channels whose pixel type is not 1 have 4 bytes. Samples of a channel are 1 divided by its place in the list.
fn exr(channels: &[(&str, u32)], flags: u32) -> Vec<u8> {
    let sampling = [0_u32, 1, 1].map(u32::to_le_bytes).concat();
    let entry = |(name, kind): &(&str, u32)| [name.as_bytes(), b"\0", &kind.to_le_bytes(), &sampling].concat();
    let list = channels.iter().flat_map(entry).chain([0]).collect::<Vec<_>>();
    let window = [0_i32, 0, 3, 1].map(i32::to_le_bytes).concat();
    let one = 1_f32.to_le_bytes();
    let header = [
        &[0x76, 0x2f, 0x31, 0x01][..],
        &(2 | flags).to_le_bytes(),
        &attribute("channels", "chlist", &list),
        &attribute("compression", "compression", &[0]),
        &attribute("dataWindow", "box2i", &window),
        &attribute("displayWindow", "box2i", &window),
        &attribute("lineOrder", "lineOrder", &[0]),
        &attribute("pixelAspectRatio", "float", &one),
        &attribute("screenWindowCenter", "v2f", &[0; 8]),
        &attribute("screenWindowWidth", "float", &one),
        &[0],
    ]
    .concat();
    let mut line = Vec::new();
    for (place, (_, kind)) in (1_u8..).zip(channels) {
        let sample = 1.0 / f32::from(place);
        for _ in 0..4 {
            if *kind == 1 { line.extend([0, 0x38]) } else { line.extend(sample.to_le_bytes()) }
        }
    }
    let chunk = |row: u32| [&row.to_le_bytes()[..], &(line.len() as u32).to_le_bytes(), &line].concat();
    let first = header.len() + 16;
    let offsets = [first, first + 8 + line.len()].map(|at| (at as u64).to_le_bytes()).concat();
    [header, offsets, chunk(0), chunk(1)].concat()
}

fn layer(clip: &Clip, name: &str) -> Result<Decoder, MediaError> {
    Decoder::open(clip.path(), &OpenOptions { layer: Some(name.to_owned()), ..OpenOptions::default() })
}

#[test]
fn an_exr_without_a_picture_in_its_default_layer_names_its_channels_and_layers() {
    let error = refusal("z.exr", &exr(&[("Z", 2)], 0));
    assert!(error.contains("(its channels: Z)") && error.contains("convert it"), "{error}");
    let error = refusal("r.exr", &exr(&[("R", 2)], 0));
    assert!(error.contains("(its channels: R)") && error.contains("convert it"), "{error}");
    let layers = [("Z", 2), ("a.B", 2), ("a.G", 2), ("a.R", 2), ("b.N.X", 2), ("b.N.Y", 2), ("b.N.Z", 2), ("c.Z", 2)];
    let clip = Clip::from_bytes("layers.exr", &exr(&layers, 0));
    let error = open_error(clip.path());
    assert!(error.contains("choose another layer with --layer (a, b.N)"), "{error}");
    for (name, codes) in [("a", [2, 3, 4]), ("b.N", [7, 6, 5])] {
        let mut decoder = layer(&clip, name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(decoder.info().stated_size, (4, 2), "{name}");
        // G, B and R, as 16 bits.
        let bytes = picture_bytes(&rest(&mut decoder)[0].picture);
        let found = [0, 1, 2].map(|plane| u16::from_le_bytes([bytes[plane * 16], bytes[plane * 16 + 1]]));
        let [blue, green, red] = codes.map(|place| f64::from(1_u32 << 16) / f64::from(place));
        for (found, expected) in found.into_iter().zip([green, blue, red]) {
            assert!((f64::from(found) - expected).abs() < 3.0, "{name}: {found}, not {expected}");
        }
    }
    for name in ["c", "Z", "A", "a.", ""] {
        let error = layer(&clip, name).err().expect("it is no picture").to_string();
        assert!(error.contains(&format!("it has no layer {name} ")) && error.contains(": a, b.N"), "{error}");
    }
}

#[test]
fn layers_are_of_exr_files_and_of_their_sequences() {
    let png = Clip::moving("a.png", "64x48", 0.04, "-update 1");
    let error = layer(&png, "a").err().expect("it has no layers").to_string();
    assert!(error.contains("only EXR files have layers; leave --layer out"), "{error}");
    let picture = exr(&[("B", 2), ("G", 2), ("R", 2), ("a.B", 2), ("a.G", 2), ("a.R", 2)], 0);
    let first = Clip::from_bytes("shot.0001.exr", &picture);
    fs::write(first.folder().join("shot.0002.exr"), &picture).expect("the folder takes a file");
    let options = OpenOptions { layer: Some("a".to_owned()), ..OpenOptions::default() };
    let mut decoder = Decoder::open(first.folder(), &options).unwrap_or_else(|error| panic!("{error}"));
    let frames = rest(&mut decoder);
    assert_eq!(frames.len(), 2);
    let plain = decode_all(first.folder());
    assert!(picture_bytes(&frames[1].picture) != picture_bytes(&plain[1].picture), "another layer");
}

#[test]
fn other_kinds_of_exr_are_named() {
    let color = |kinds: [u32; 3]| ["B", "G", "R"].into_iter().zip(kinds).collect::<Vec<_>>();
    let error = refusal("deep.exr", &exr(&color([2; 3]), 1 << 11));
    assert!(error.contains("cannot decode a deep EXR; convert the file"), "{error}");
    let error = refusal("mixed.exr", &exr(&color([2, 1, 2]), 0));
    assert!(error.contains("different pixel types"), "{error}");
    let mut new = exr(&color([2; 3]), 0);
    let at = new.windows(11).rposition(|name| name == b"compression").expect("the attribute") + 16;
    new[at] = 10;
    assert!(refusal("new.exr", &new).contains("compression method 10"));
}

#[test]
fn sizes_beyond_the_limit_are_told_by_every_way_that_they_come() {
    let clip = Clip::moving("a.webm", "64x48", 0.2, "-c:v libvpx");
    let mut bytes = clip.bytes();
    let at = bytes.windows(3).position(|code| code == [0x9d, 0x01, 0x2a]).expect("a key frame") + 3;
    bytes[at..at + 4].copy_from_slice(&[0xff, 0x3f, 0xff, 0x3f]);
    // A decoder with frame threads finds out.
    assert!(refusal("a.webm", &bytes).contains("16383×16383 pixels, more than FFmpeg can decode"));
    for codec in ["ffv1", "huffyuv", "rawvideo"] {
        let clip = Clip::moving("a.avi", "64x48", 0.2, &format!("-c:v {codec}"));
        let mut bytes = clip.bytes();
        let at = bytes.windows(4).position(|name| name == b"strf").expect("a format") + 12;
        bytes[at..at + 8].copy_from_slice(&[40_000_u32, 30_000].map(u32::to_le_bytes).concat());
        let error = refusal("a.avi", &bytes);
        assert!(error.contains("40000×30000 pixels, more than FFmpeg can decode"), "{codec}: {error}");
    }
    let header = b"YUV4MPEG2 W40000 H30000 F25:1 Ip A1:1 C420\nFRAME\n";
    let error = refusal("a.y4m", &[&header[..], &[0; 999]].concat());
    assert!(error.contains("40000×30000 pixels, more than FFmpeg can decode"), "{error}");
    let psd = [&b"8BPS\0\x01\0\0\0\0\0\0\0\x03"[..], &30_001_u32.to_be_bytes(), &[0, 0, 0, 9, 0, 8, 0, 3]].concat();
    let error = refusal("a.psd", &[&psd[..], &[0; 999]].concat());
    assert!(error.contains("9×30001 pixels, more than FFmpeg can decode"), "{error}");
}

#[test]
fn a_cut_in_the_first_frame_is_told() {
    let still = "-frames:v 1 -c:v libaom-av1 -cpu-used 8 -still-picture 1";
    for (name, arguments) in [
        ("a.gif", ""),
        ("a.mkv", H264),
        ("a.webm", "-c:v libvpx"),
        ("a.y4m", "-pix_fmt yuv420p"),
        ("a.avif", still),
        ("a.mp4", &format!("{H264} -movflags faststart")),
        ("b.mp4", &format!("{H264} -movflags empty_moov+frag_keyframe")),
        ("a.flv", H264),
        ("a.ogv", "-c:v libtheora"),
    ] {
        let clip = Clip::moving(name, "160x96", 0.2, arguments);
        let bytes = clip.bytes();
        let shares = if name == "a.ogv" { [10, 12, 15] } else { [4, 2, 1] };
        let first = first_packet(clip.path());
        for share in shares {
            let cut = first.0 + first.1 * share / 16;
            let error = refusal(name, &bytes[..cut]);
            assert!(error.contains("the file was cut off in its first frame; copy"), "{name} {share}: {error}");
        }
    }
    let png = Clip::moving("a.png", "64x48", 0.04, "-update 1").bytes();
    let jpeg = Clip::moving("a.jpg", "64x48", 0.04, "-update 1").bytes();
    for (name, bytes) in [("a.png", &png[..30]), ("a.jpg", &jpeg[..30])] {
        assert!(refusal(name, bytes).contains("was cut off in its first frame"), "{name}");
    }
}

/// Returns the position of the first packet of the video, and its size.
fn first_packet(path: &Path) -> (usize, usize) {
    let fields = ["-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "csv=p=0"];
    let told = crate::common::ffprobe(path, &fields);
    // Lines end as the system's do.
    let mut numbers = told.split([',', '\n']).map(|number| number.trim().parse().expect("a number"));
    let size = numbers.next().expect("a size");
    (numbers.next().expect("a position"), size)
}

#[test]
fn a_wrong_length_in_an_avif_is_told() {
    let still = "-frames:v 1 -c:v libaom-av1 -cpu-used 8 -still-picture 1";
    let clip = Clip::moving("a.avif", "64x48", 0.04, still);
    let mut bytes = clip.bytes();
    let locations = bytes.windows(4).position(|name| name == b"iloc").expect("locations of items");
    let length = locations + 22;
    bytes[length..length + 4].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    assert!(refusal("a.avif", &bytes).contains("was cut off in its first frame"));
}

#[test]
fn scrambled_packets_are_told() {
    let clip = Clip::moving("a.ts", "160x96", 2.0, H264);
    let whole = clip.bytes();
    let of_video = |packet: &[u8]| packet[1] & 0x1f == 1 && packet[2] == 0;
    let payload = |packet: &[u8]| if packet[3] & 0x20 == 0 { 4 } else { 5 + usize::from(packet[4]) };
    let mut scrambled = whole.clone();
    for packet in scrambled.chunks_exact_mut(188).filter(|packet| of_video(packet)) {
        packet[3] |= 0x80;
        let begin = payload(packet);
        packet[begin..].iter_mut().for_each(|byte| *byte ^= 0xa5);
    }
    // Instead of the packets, their contents may be scrambled.
    let mut pes = whole;
    for packet in pes.chunks_exact_mut(188).filter(|packet| of_video(packet)) {
        let start = packet.windows(4).position(|code| code == [0, 0, 1, 0xe0]);
        if let Some(start) = start {
            packet[start + 6] |= 0x20;
        }
        let begin = start.map_or(payload(packet), |start| start + 19);
        packet[begin..].iter_mut().for_each(|byte| *byte ^= 0xa5);
    }
    for bytes in [scrambled, pes] {
        let error = open_error(Clip::from_bytes("a.ts", &bytes).path());
        assert!(error.contains("its video is scrambled (encrypted); descramble it first"), "{error}");
    }
    let key = "00112233445566778899aabbccddeeff";
    let scheme = format!("-encryption_scheme cenc-aes-ctr -encryption_key {key} -encryption_kid {key}");
    let error = open_error(Clip::moving("a.mp4", "64x48", 0.4, &format!("-c:v png {scheme}")).path());
    assert!(error.contains("its video is scrambled (encrypted)"), "{error}");
}

#[test]
fn parts_of_a_segmented_stream_are_told() {
    let options = format!("{H264} -g 5 -movflags empty_moov+frag_keyframe+default_base_moof");
    let clip = Clip::moving("a.mp4", "64x48", 0.4, &options);
    let bytes = clip.bytes();
    let first = bytes.windows(4).position(|name| name == b"moof").expect("a fragment") - 4;
    let (begin, fragments) = bytes.split_at(first);
    let styp = [&24_u32.to_be_bytes()[..], b"stypmsdh\0\0\0\0msdhmsix"].concat();
    for segment in [[&styp, fragments].concat(), fragments.to_vec()] {
        let error = refusal("a.m4s", &segment);
        let told =
            "a segment of a stream (DASH, CMAF, HLS) without its initialization segment; join them (cat init.mp4";
        assert!(error.contains(told) && !error.contains("untrunc"), "{error}");
    }
    let error = refusal("init.mp4", begin);
    assert!(error.contains("without its media segments; join them"), "{error}");
    let joined = [begin, &styp, fragments].concat();
    assert_eq!(decode_all(Clip::from_bytes("whole.mp4", &joined).path()).len(), 10, "the advice helps");
}

#[test]
fn the_key_of_a_playlist_is_named_in_a_whole_sentence() {
    let clip = Clip::moving("a.ts", "64x48", 0.4, H264);
    let list = clip.folder().join("it's.m3u8");
    for (key, is_there) in [("k.key", true), ("missing.ts", false)] {
        if is_there {
            fs::write(clip.folder().join(key), [7; 16]).expect("the folder takes a file");
        }
        let text = format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-KEY:METHOD=AES-128,URI=\"{key}\"\n#EXTINF:0.4,\na.ts\n#EXT-X-ENDLIST\n"
        );
        fs::write(&list, text).expect("the folder takes a file");
        let error = open_error(&list);
        let named = format!("{key} was not read; decrypt them first");
        assert!(error.contains("its segments are encrypted") && error.contains(&named), "{error}");
        assert!(!error.contains("extension,") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn pictures_are_read_by_their_content_not_by_their_names() {
    let clip = Clip::moving("a.png", "64x48", 0.04, "-update 1");
    clip.make("a.jpg", "-i @ -update 1 -pix_fmt yuvj444p");
    let large = Clip::moving("a.png", "640x480", 0.04, "-update 1");
    large.make("a.jpg", "-i @ -update 1 -pix_fmt yuvj444p");
    for (content, name) in [("a.png", "large.jpg"), ("a.jpg", "large.png"), ("a.jpg", "a.tif"), ("a.png", "a.dpx")] {
        let path = large.folder().join(name);
        fs::copy(large.folder().join(content), &path).expect("the folder takes a file");
        let format = if content == "a.png" { "rgb24" } else { "yuvj444p" };
        let frames = decode_all(&path);
        assert!(picture_bytes(&frames[0].picture) == raw_frames(&large.folder().join(content), format), "{name}");
    }
    for (content, name, format) in [("a.png", "shot.%04d.jpg", "rgb24"), ("a.jpg", "shot.%04d.tif", "yuvj444p")] {
        let content = clip.folder().join(content);
        let shots = Clip::blank(name);
        for number in 1..4 {
            let target = shots.folder().join(name.replace("%04d", &format!("000{number}")));
            fs::copy(&content, target).expect("the folder takes a file");
        }
        let expected = raw_frames(&content, format);
        let glob = shots.folder().join(name.replace("%04d", "*"));
        for path in [shots.folder(), shots.path(), &glob] {
            let frames = decode_all(path);
            assert_eq!(frames.len(), 3, "{name}");
            assert!(picture_bytes(&frames[2].picture) == expected, "{name}");
        }
    }
    let error = refusal("a.png", &Clip::moving("a.tga", "64x48", 0.04, "-update 1").bytes());
    assert!(error.contains("does not begin like png, although it is named so; if it is in another format"), "{error}");
}

#[test]
fn a_file_that_is_named_like_a_pattern_is_that_file() {
    let clip = Clip::moving("a.png", "64x48", 0.04, "-update 1");
    for name in ["shot%04d.png", "%d.png", "what?.png", "a{b,c}*[d].png", "50%%.png", "%*.png"] {
        let path = clip.folder().join(name);
        fs::copy(clip.path(), &path).expect("the folder takes a file");
        assert!(picture_bytes(&decode_all(&path)[0].picture) == picture_bytes(&decode_all(clip.path())[0].picture));
        assert!(open(&path).info().still || decode_all(&path).len() == 1, "{name}");
    }
}

/// Returns a test vector of VC-1's simple profile: gray pictures of 32×16 pixels, all of them key frames.
fn rcv(frames: u32) -> Vec<u8> {
    // Two macroblocks, without coefficients.
    let frame = [0x00, 0x12, 0x2f, 0x0b, 0xc0];
    let header = [&(0xc500_0000 | frames).to_le_bytes()[..], &[4, 0, 0, 0], &[0x00, 0x01, 0x80, 0x01]].concat();
    let sizes = [16_u32, 32, 12, 0, 0, 25].map(u32::to_le_bytes).concat();
    let one = |number: u32| [&[5, 0, 0, 0x80][..], &(number * 40).to_le_bytes(), &frame].concat();
    [header, sizes, (0..frames).flat_map(one).collect()].concat()
}

#[test]
fn an_rcv_ends_where_its_last_frame_does() {
    let whole = rcv(5);
    for (bytes, count, is_cut) in [
        (&whole[..], 5, false),
        (&whole[..whole.len() - 13], 4, true),
        (&whole[..whole.len() - 9], 4, true),
        (&whole[..whole.len() - 1], 5, true),
    ] {
        let clip = Clip::from_bytes("a.rcv", bytes);
        let mut decoder = open(clip.path());
        let frames = rest(&mut decoder);
        assert_eq!(frames.len(), count);
        let counters = decoder.counters();
        assert_eq!(counters.read_errors, 0);
        let seen = (Some(count as u64), count as f64 / 25.0);
        assert_eq!(
            decoder.ending().missing(decoder.info(), seen, &counters).is_some(),
            is_cut,
            "{} bytes",
            bytes.len()
        );
    }
}
