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
/// The stream is given by FFmpeg's name for the codec and the first packet. `is_named` tells that only the name of the
/// file determines the codec.
pub(crate) fn fault(
    path: &Path,
    (codec, packet): (&str, &[u8]),
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
        "psd" => {
            let side = |at: usize| packet.get(at..)?.first_chunk().map(|side| u32::from_be_bytes(*side));
            let (height, width) = (side(14)?, side(18)?);
            return (width.max(height) > 30_000).then_some(MediaFault::TooLarge { width, height }.of(path));
        }
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
