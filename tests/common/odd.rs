//! Unusual files that the `ffmpeg` command does not write, made by changing bytes in files that it writes.

use histoscope_core::picture::crop::Crop;

use super::{Clip, noise};

/// Ticks per frame in the clips here, at 12800 per second.
const FRAME_TICKS: i32 = 512;

/// Makes an MP4 whose edit list shows these parts of the clip, given by first frame and number of frames. A first frame
/// of -1 is a pause. The clip must have a time scale of 12800 per second, 25 frames per second, and its index after its
/// data.
pub fn with_edits(clip: &Clip, name: &str, parts: &[(i32, i32)]) -> Clip {
    let mut bytes = clip.bytes();
    let lead = composition_lead(&bytes);
    let movie_scale = i64::from(number(&bytes, find(&bytes, b"mvhd") + 12 + 4));
    let list = find(&bytes, b"elst");
    let old_size = number(&bytes, list - 4) as usize;
    let mut entries = Vec::new();
    for (first, frames) in parts {
        let length = i64::from(*frames) * i64::from(FRAME_TICKS) * movie_scale / 12_800;
        let start = if *first < 0 { -1 } else { first * FRAME_TICKS + lead };
        entries.extend((length as i32).to_be_bytes());
        entries.extend(start.to_be_bytes());
        entries.extend([0, 1, 0, 0]);
    }
    let mut edits = (entries.len() as u32 + 16).to_be_bytes().to_vec();
    edits.extend(b"elst\0\0\0\0");
    edits.extend((parts.len() as u32).to_be_bytes());
    edits.append(&mut entries);
    let grown = edits.len() as u32 - old_size as u32;
    for parent in [b"moov", b"trak", b"edts"] {
        let at = find(&bytes, parent) - 4;
        let size = number(&bytes, at) + grown;
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
    bytes.splice(list - 4..list - 4 + old_size, edits);
    Clip::from_bytes(name, &bytes)
}

/// Returns the media time at which the only edit of a file begins, which is its first frame's.
fn composition_lead(bytes: &[u8]) -> i32 {
    let list = find(bytes, b"elst");
    assert_eq!(number(bytes, list + 8), 1, "the clip has one edit");
    number(bytes, list + 16).cast_signed()
}

/// Makes a MOV of whole pictures with these packet durations: runs of packets, and the ticks of each.
pub fn with_mov_durations(clip: &Clip, name: &str, runs: &[(u32, u32)]) -> Clip {
    let mut bytes = clip.bytes();
    let table = find(&bytes, b"stts");
    let old_size = number(&bytes, table - 4) as usize;
    let mut durations = (16 + runs.len() as u32 * 8).to_be_bytes().to_vec();
    durations.extend(b"stts\0\0\0\0");
    durations.extend((runs.len() as u32).to_be_bytes());
    for (packets, ticks) in runs {
        durations.extend(packets.to_be_bytes());
        durations.extend(ticks.to_be_bytes());
    }
    let grown = durations.len() as u32 - old_size as u32;
    for parent in [b"moov", b"trak", b"mdia", b"minf", b"stbl"] {
        let at = find(&bytes, parent) - 4;
        let size = number(&bytes, at) + grown;
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
    bytes.splice(table - 4..table - 4 + old_size, durations);
    Clip::from_bytes(name, &bytes)
}

/// Makes an MP4 of H.264 with a clean aperture that crops each edge by this much. Its index must come after its data.
pub fn with_clean_aperture(clip: &Clip, name: &str, crop: Crop) -> Clip {
    let mut bytes = clip.bytes();
    let entry = find(&bytes, b"avc1");
    let size = number(&bytes, entry + 28);
    let (width, height) = crop.leaves((size >> 16, size & 0xffff)).expect("an aperture");
    // From the middle of the picture to the middle of the aperture, in half pixels.
    let [right, down] = [(crop.left, crop.right), (crop.top, crop.bottom)].map(|(from, to)| from.wrapping_sub(to));
    let numbers = [width, 1, height, 1, right, 2, down, 2].map(u32::to_be_bytes).concat();
    let aperture = [&40_u32.to_be_bytes(), &b"clap"[..], &numbers].concat();
    let end = entry - 4 + number(&bytes, entry - 4) as usize;
    for parent in [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1"] {
        let at = find(&bytes, parent) - 4;
        let size = number(&bytes, at) + aperture.len() as u32;
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
    bytes.splice(end..end, aperture);
    Clip::from_bytes(name, &bytes)
}

/// Makes an FLV with other timestamps. `stamp` gets the number of a video packet and its time in milliseconds.
pub fn with_flv_times(clip: &Clip, name: &str, stamp: impl Fn(usize, u32) -> u32) -> Clip {
    let mut bytes = clip.bytes();
    let mut at = 13;
    let mut position = 0;
    while at + 11 < bytes.len() {
        let length = number(&bytes, at) & 0xff_ffff;
        // A video tag with a picture rather than headers.
        if bytes[at] == 9 && bytes[at + 12] == 1 {
            let [_, high, middle, low] = stamp(position, number(&bytes, at + 4) >> 8).to_be_bytes();
            bytes[at + 4..at + 7].copy_from_slice(&[high, middle, low]);
            position += 1;
        }
        at += length as usize + 15;
    }
    assert!(position > 1, "the clip has video packets");
    Clip::from_bytes(name, &bytes)
}

/// Makes an AVI whose index marks every packet as a keyframe, as for codecs without pure keyframes.
pub fn with_keys_only(clip: &Clip, name: &str) -> Clip {
    let mut bytes = clip.bytes();
    let index = bytes.windows(4).rposition(|four| four == b"idx1").expect("an index");
    let length = u32::from_le_bytes(bytes[index + 4..index + 8].try_into().expect("four bytes")) as usize;
    for entry in bytes[index + 8..index + 8 + length].chunks_exact_mut(16) {
        entry[4] |= 0x10;
    }
    Clip::from_bytes(name, &bytes)
}

/// Changes bytes of the file in some places after its first tenth.
pub fn with_damage(clip: &Clip, name: &str) -> Clip {
    with_damage_in(clip, name, 12)
}

/// Changes bytes of the file in this many places after its first tenth.
pub fn with_damage_in(clip: &Clip, name: &str, places: usize) -> Clip {
    let mut bytes = clip.bytes();
    let from = bytes.len() / 10;
    let places = noise(2 * places, 77);
    for two in places.chunks(2) {
        let share = usize::from(u16::from_be_bytes([two[0], two[1]]));
        let at = from + share * (bytes.len() - from - 64) / 65_536;
        for (byte, new) in bytes[at..at + 24].iter_mut().zip(noise(24, at as u64)) {
            *byte = new;
        }
    }
    Clip::from_bytes(name, &bytes)
}

/// Returns the position of the name of the first box of this kind.
fn find(bytes: &[u8], kind: &[u8; 4]) -> usize {
    let moov = bytes.windows(4).rposition(|four| four == b"moov").expect("an index");
    moov + bytes[moov..].windows(4).position(|four| four == kind).unwrap_or_else(|| panic!("a box {kind:?}"))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}
