//! Names what a picture or a stream uses that FFmpeg cannot decode, from its own headers. It is asked only after no
//! frame could be decoded, so it lists no more than FFmpeg lacks in some version.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::{MediaError, MediaFault};
use crate::read::boxes;
use crate::read::ending::packets_of;
use crate::read::exr::{ExrHeader, LayerChoice};

/// Bytes at the start of a file that are searched for scrambled packets.
const SEARCHED: u64 = 4 << 20;

/// Beginnings of the pictures of codecs by FFmpeg's names.
const BEGINNINGS: [(&str, &[u8]); 14] = [
    ("bmp", b"BM"),
    ("dpx", b"SDPX"),
    ("dpx", b"XPDS"),
    ("exr", b"\x76\x2f\x31\x01"),
    ("gif", b"GIF8"),
    ("jpeg2000", b"\0\0\0\x0cjP"),
    ("jpeg2000", b"\xff\x4f\xff\x51"),
    ("mjpeg", b"\xff\xd8\xff"),
    ("png", b"\x89PNG"),
    ("tiff", b"II\x2a\0"),
    ("tiff", b"II\x2b\0"),
    ("tiff", b"MM\0\x2a"),
    ("tiff", b"MM\0\x2b"),
    ("webp", b"RIFF"),
];

/// Returns `true` if a picture does not begin like those of the codec.
fn begins_otherwise(picture: &[u8], codec: &str) -> bool {
    let mut beginnings = BEGINNINGS.iter().filter(|(of, _)| *of == codec).peekable();
    beginnings.peek().is_some() && !beginnings.any(|(_, beginning)| picture.starts_with(beginning))
}

/// Returns the codec that a picture is of by its beginning, if that is not the named one.
pub(crate) fn other_codec(picture: &[u8], named: &str) -> Option<&'static str> {
    let found = BEGINNINGS.iter().find(|(_, beginning)| picture.starts_with(beginning))?;
    begins_otherwise(picture, named).then_some(found.0)
}

/// Returns the error for what a stream uses that FFmpeg cannot decode; `None` if its headers show nothing of the kind.
/// The stream is given by FFmpeg's name for the codec, the decoder's configuration and the first packet. `is_named`
/// tells that only the name of the file determines the codec.
pub(crate) fn fault(
    path: &Path,
    (codec, configuration, packet): (&str, &[u8], &[u8]),
    (layer, is_named): (Option<&LayerChoice>, bool),
) -> Option<MediaError> {
    let path = path.to_owned();
    if is_named && !packet.is_empty() && begins_otherwise(packet, codec) {
        return Some(MediaFault::Misnamed { codec: codec.to_owned() }.of(path));
    }
    let what = match codec {
        "exr" => {
            let (header, layer) = (ExrHeader::parse(packet)?, layer.cloned().unwrap_or_default());
            if !header.has_picture(&layer) && !header.is_deep() {
                let (channels, layers) = (header.channel_names(), header.layer_names());
                return Some(MediaFault::NoDefaultLayer { channels, layers }.of(path));
            }
            match header.new_compression() {
                _ if header.is_deep() => Some("a deep EXR".to_owned()),
                Some(method) => Some(format!("an EXR with compression method {method}")),
                None if header.is_mixed(&layer) => {
                    Some("an EXR whose red, green and blue have different pixel types".to_owned())
                }
                None => None,
            }
        }
        "h264" => of_h264(configuration).or_else(|| of_h264(packet)).map(str::to_owned),
        "mjpeg" => of_jpeg(packet).map(str::to_owned),
        "psd" => {
            let side = |at: usize| packet.get(at..)?.first_chunk().map(|side| u32::from_be_bytes(*side));
            let (height, width) = (side(14)?, side(18)?);
            return (width.max(height) > 30_000).then_some(MediaFault::TooLarge { width, height }.of(path));
        }
        "tiff" => of_tiff(packet),
        _ => None,
    };
    what.map(|what| MediaFault::Undecodable { what }.of(path))
}

/// Returns `true` if the video of a file of that container is encrypted. `id` is the stream's number in the container.
pub(crate) fn is_scrambled(path: &Path, container: &str, id: i32) -> bool {
    if container == "mov,mp4,m4a,3gp,3g2,mj2" {
        return boxes::is_encrypted(path);
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SEARCHED).read_to_end(&mut start));
    if read.is_err() {
        return false;
    }
    // PES packets (ISO/IEC 13818-1, 2.4.3.7) begin with a start code, and have two bits for scrambling.
    let is_pes = |bytes: &[u8]| matches!(bytes, [0, 0, 1, 0xe0..=0xef, _, _, flags, ..] if flags & 0xf0 > 0x80);
    match container {
        "mpegts" => packets_of(&start).any(|packet| {
            let has_id = i32::from(packet[1] & 0x1f) << 8 | i32::from(packet[2]) == id;
            let skipped = if packet[3] & 0x20 == 0 { 4 } else { 5 + usize::from(packet[4]) };
            has_id && (packet[3] & 0xc0 != 0 || packet.get(skipped..).is_some_and(is_pes))
        }),
        "mpeg" => start.windows(7).any(is_pes),
        _ => false,
    }
}

/// JPEG (ITU-T T.81): the kind of frame header names the method of coding.
fn of_jpeg(picture: &[u8]) -> Option<&'static str> {
    let mut rest = picture.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, kind, ..] = *rest else { return None };
        match kind {
            0xff => rest = &rest[1..],
            0xc5..=0xc7 => return Some("a hierarchical JPEG"),
            0xc9..=0xcb => return Some("a JPEG with arithmetic coding"),
            0xcd..=0xcf => return Some("a hierarchical JPEG with arithmetic coding"),
            // The frame header, or the first scan.
            0xc0..=0xc3 | 0xda => return None,
            _ => {
                let length = rest.get(2..4).map(|length| usize::from(length[0]) << 8 | usize::from(length[1]))?;
                rest = rest.get(2 + length..)?;
            }
        }
    }
}

/// TIFF 6.0, its technical notes and BigTIFF: the tags of the first picture.
fn of_tiff(picture: &[u8]) -> Option<String> {
    let is_big_endian = match picture.get(..2)? {
        b"II" => false,
        b"MM" => true,
        _ => return None,
    };
    let number = |at: usize, size: usize| -> Option<usize> {
        let bytes = picture.get(at..at.checked_add(size)?)?;
        let join = |number: usize, byte: &u8| number << 8 | usize::from(*byte);
        Some(if is_big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) })
    };
    if number(2, 2)? == 43 {
        return Some("a BigTIFF".to_owned());
    }
    let directory = number(4, 4)?;
    let value = |tag: usize| -> Option<usize> {
        let entries = (0..number(directory, 2)?).map(|entry| directory.saturating_add(2 + 12 * entry));
        let at = entries.into_iter().find(|at| number(*at, 2) == Some(tag))?;
        let size = if number(at + 2, 2)? == 3 { 2 } else { 4 };
        let is_inside = size * number(at + 4, 4)? <= 4;
        number(if is_inside { at + 8 } else { number(at + 8, 4)? }, size)
    };
    let (bits, samples) = (value(258).unwrap_or(1), value(277).unwrap_or(1));
    let compression = match value(259).unwrap_or(1) {
        6 => Some("old JPEG"),
        9 | 10 | 34661 => Some("JBIG"),
        34676 | 34677 => Some("SGI log"),
        34712 => Some("JPEG 2000"),
        34887 => Some("LERC"),
        34892 => Some("lossy JPEG"),
        34925 => Some("LZMA"),
        50000 => Some("Zstandard"),
        50001 => Some("WebP"),
        50002 | 52546 => Some("JPEG XL"),
        _ => None,
    };
    let colors = match value(262)? {
        4 => Some("a transparency mask"),
        8 => Some("CIELab colours"),
        9 => Some("ICCLab colours"),
        10 => Some("ITULab colours"),
        32844 | 32845 => Some("colours in the logarithm of luminance"),
        51177 => Some("a depth map"),
        _ => None,
    };
    let kind = match value(339) {
        Some(2) => " signed",
        Some(3) => " floating-point",
        _ => "",
    };
    match () {
        () if colors.is_some() => colors.map(|colors| format!("a TIFF with {colors}")),
        () if compression.is_some() => compression.map(|method| format!("a TIFF with {method} compression")),
        () if samples > 4 => Some(format!("a TIFF with {samples} samples per pixel")),
        () if !matches!(bits, 1 | 2 | 4 | 8 | 16) => Some(format!("a TIFF with {bits}-bit{kind} samples")),
        () => None,
    }
}

/// H.264: parameter sets of the Baseline and Extended profiles, and units of the latter. Names are those of ITU-T
/// H.264, 7.3.
fn of_h264(bytes: &[u8]) -> Option<&'static str> {
    const BASELINE: u8 = 66;
    const EXTENDED: u8 = 88;
    let units = h264_units(bytes).unwrap_or_default();
    let of_kind =
        |kind: u8| units.iter().filter_map(move |unit| unit.split_first().filter(|unit| unit.0 & 0x1f == kind));
    let profile = of_kind(7).find_map(|(_, set)| set.first().copied());
    let has_groups = || of_kind(8).any(|(_, set)| slice_groups(set).is_some_and(|groups| groups > 1));
    match profile {
        Some(BASELINE | EXTENDED) if has_groups() => Some("H.264 with flexible macroblock ordering (FMO)"),
        Some(EXTENDED) if of_kind(2).next().is_some() => Some("H.264 with data partitioning"),
        _ => None,
    }
}

/// Splits a configuration (ISO/IEC 14496-15, 5.3.3.1), or bytes with start codes, into units.
fn h264_units(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut units = Vec::new();
    if bytes.first() != Some(&1) {
        let starts: Vec<_> = (3..bytes.len()).filter(|at| bytes[..*at].ends_with(&[0, 0, 1])).collect();
        return Some(starts.into_iter().map(|at| &bytes[at..]).collect());
    }
    let mut rest = bytes.get(5..)?;
    for most in [0x1f, 0xff] {
        let (count, behind) = rest.split_first()?;
        rest = behind;
        for _ in 0..count & most {
            let (length, behind) = rest.split_first_chunk::<2>()?;
            let (unit, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            units.push(unit);
            rest = behind;
        }
    }
    Some(units)
}

/// Returns the number of slice groups that a picture parameter set states.
fn slice_groups(set: &[u8]) -> Option<u32> {
    let mut bits = set.iter().flat_map(|byte| (0..8).rev().map(move |bit| u32::from(byte >> bit & 1)));
    let (_pic_parameter_set_id, _seq_parameter_set_id) = (golomb(&mut bits)?, golomb(&mut bits)?);
    let _entropy_coding_mode_flag_and_bottom_field_pic_order_in_frame_present_flag = bits.nth(1)?;
    Some(golomb(&mut bits)? + 1)
}

/// Reads an unsigned Exp-Golomb code of at most 33 bits.
fn golomb(bits: &mut impl Iterator<Item = u32>) -> Option<u32> {
    let zeros = bits.by_ref().take(17).position(|bit| bit == 1)?;
    let number = (0..zeros).try_fold(1_u32, |number, _| Some(number << 1 | bits.next()?))?;
    Some(number - 1)
}
