//! Parsing of MP4 and HEIF boxes, for facts and faults that FFmpeg does not report.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::error::{MediaError, MediaFault};
use histoscope_core::picture::Orientation;

/// Bytes searched at the start and at the end of a file for an index that the boxes do not lead to.
const SEARCHED: u64 = 64 << 20;
/// Maximum number of bytes read from a `meta` box.
const MAX_META: u64 = 1 << 20;

/// Bytes of version and flags at the start of some boxes.
const FLAGS: usize = 4;

/// Maximum number of bytes read from a `moov` box.
const MAX_INDEX: u64 = 64 << 20;

/// A top-level box of a file.
#[derive(Debug, Clone, Copy)]
struct TopBox {
    kind: [u8; 4],
    start: u64,
    /// Byte offset of its contents.
    contents: u64,
}

/// An iterator over the top-level boxes of a file, up to the first that does not lead to another.
struct Boxes {
    file: File,
    length: u64,
    next: u64,
}

impl Boxes {
    fn of(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self { file, length, next: 0 })
    }
}

impl Iterator for Boxes {
    type Item = TopBox;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next.checked_add(8)? > self.length {
            return None;
        }
        let start = self.next;
        let mut header = [0_u8; 16];
        self.file.seek(SeekFrom::Start(start)).ok()?;
        if self.file.read(&mut header).ok()? < 8 {
            return None;
        }
        let [s0, s1, s2, s3, k0, k1, k2, k3, long @ ..] = header;
        let (size, head) = match u32::from_be_bytes([s0, s1, s2, s3]) {
            0 => (self.length - start, 8),
            1 => (u64::from_be_bytes(long), 16),
            size => (u64::from(size), 8),
        };
        self.next = if size < head { self.length } else { start.saturating_add(size) };
        Some(TopBox { kind: [k0, k1, k2, k3], start, contents: start + head })
    }
}

/// Returns `true` if the file announces fragments but has none, as the initialization segment of a stream.
pub(crate) fn lacks_fragments(path: &Path) -> bool {
    let announces = top_box(path, b"moov", MAX_INDEX).is_some_and(|index| index.windows(4).any(|kind| kind == b"mvex"));
    announces && !is_fragmented(path)
}

/// Returns `true` if the video of an MP4 file is encrypted (ISO/IEC 23001-7), according to its index.
pub(crate) fn is_encrypted(path: &Path) -> bool {
    top_box(path, b"moov", MAX_INDEX).is_some_and(|index| index.windows(4).any(|kind| kind == b"encv"))
}

/// Returns `true` if the file is a fragmented MP4, whose index is spread throughout the file.
pub(crate) fn is_fragmented(path: &Path) -> bool {
    Boxes::of(path).is_ok_and(|mut boxes| boxes.any(|found| &found.kind == b"moof"))
}

/// The reason why the index of an MP4 file cannot be found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum IndexFault {
    /// The file contains no index.
    Missing,
    /// The file contains fragments, whose index is in another file.
    Elsewhere,
    /// The file contains an index, but an earlier box states a size that does not lead to it.
    Hidden {
        /// Kind of that box.
        kind: String,
        /// Byte offset of that box.
        at: u64,
    },
}

/// Returns why the index of an MP4 file cannot be found; `None` if the file does not look like an MP4, or if its boxes
/// lead to the index.
pub(crate) fn index_fault(path: &Path) -> Option<IndexFault> {
    let mut walked = Vec::new();
    let mut boxes = Boxes::of(path).ok()?;
    let (mut is_mp4, mut is_segment) = (false, false);
    for found in boxes.by_ref() {
        match &found.kind {
            b"moov" => return None,
            b"ftyp" | b"mdat" => is_mp4 = true,
            b"styp" | b"moof" => is_segment = true,
            _ => {}
        }
        walked.push(found);
    }
    if !is_mp4 && !is_segment {
        return None;
    }
    let index = find_index(&mut boxes.file, boxes.length).ok().flatten();
    let culprit = index.and_then(|index| walked.iter().rfind(|passed| passed.start < index));
    Some(match culprit {
        Some(culprit) => {
            IndexFault::Hidden { kind: String::from_utf8_lossy(&culprit.kind).into_owned(), at: culprit.start }
        }
        None if is_segment => IndexFault::Elsewhere,
        None => IndexFault::Missing,
    })
}

/// Searches both ends of a file for a `moov` box that starts with an `mvhd` box. Returns its byte offset.
fn find_index(file: &mut File, length: u64) -> io::Result<Option<u64>> {
    for start in [0, length.saturating_sub(SEARCHED)] {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(SEARCHED).read_to_end(&mut bytes)?;
        let is_index = |found: &[u8]| &found[4..8] == b"moov" && &found[12..16] == b"mvhd";
        if let Some(at) = bytes.windows(16).position(is_index) {
            return Ok(Some(start + at as u64));
        }
    }
    Ok(None)
}

/// Returns `true` if the file starts like a HEIF picture or sequence. Those need no `moov` box.
pub(crate) fn is_heif(path: &Path) -> bool {
    const BRANDS: [&[u8; 4]; 9] = [b"mif1", b"msf1", b"heic", b"heix", b"hevc", b"heim", b"heis", b"avif", b"avis"];
    let mut head = [0_u8; 12];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    is_read && &head[4..8] == b"ftyp" && BRANDS.iter().any(|brand| brand[..] == head[8..])
}

/// Returns the number of the item that is the picture of a HEIF file, if it is composed of other items, such as a grid
/// of tiles.
pub(crate) fn composed_item(path: &Path) -> Option<u32> {
    let (item, kind) = is_heif(path).then(|| meta(path)).flatten().and_then(|meta| primary_item(&meta))?;
    matches!(&kind, b"grid" | b"iovl").then_some(item)
}

/// Returns the XML document in the top-level `meta` box of an MP4 file.
pub(crate) fn xml(path: &Path) -> Option<String> {
    let meta = meta(path)?;
    let (_, document) = children(&meta).find(|(kind, _)| kind == b"xml ")?;
    std::str::from_utf8(document.get(FLAGS..)?).ok().map(str::to_owned)
}

/// Returns the orientation in which the primary picture of a HEIF file is to be shown: its properties `irot` and `imir`
/// in the order in which they are associated with it (ISO/IEC 23008-12, 6.5.10 and 6.5.12). `None` for other files.
pub(crate) fn heif_orientation(path: &Path) -> Result<Option<Orientation>, MediaError> {
    let mut orientation = Orientation::default();
    let Some(meta) = is_heif(path).then(|| meta(path)).flatten() else { return Ok(None) };
    let Some(properties) = primary_properties(&meta) else { return Ok(None) };
    for (kind, contents) in properties {
        let Some(&value) = contents.first() else { continue };
        let Orientation { quarter_turns, mirrored } = orientation;
        let undefined = |kind| Err(MediaFault::UndefinedProperty { kind, value }.of(path.to_owned()));
        orientation = match &kind {
            // Turns anticlockwise.
            b"irot" if value < 4 => Orientation { quarter_turns: (quarter_turns + 4 - value) % 4, mirrored },
            b"irot" => return undefined("irot"),
            // 0 exchanges top and bottom, 1 left and right.
            b"imir" if value < 2 => {
                Orientation { quarter_turns: (4 - quarter_turns + 2 * (1 - value)) % 4, mirrored: !mirrored }
            }
            b"imir" => return undefined("imir"),
            _ => orientation,
        };
    }
    Ok(Some(orientation))
}

/// Returns the kinds and the contents of the properties of a `meta` box's primary item, in their order.
fn primary_properties(meta: &[u8]) -> Option<Vec<([u8; 4], &[u8])>> {
    let (primary, _) = primary_item(meta)?;
    let (_, properties) = children(meta).find(|(kind, _)| kind == b"iprp")?;
    let (_, all) = children(properties).find(|(kind, _)| kind == b"ipco")?;
    let all: Vec<_> = children(all).collect();
    for (_, owners) in children(properties).filter(|(kind, _)| kind == b"ipma") {
        let (has_long_items, has_long_indices) = (*owners.first()? > 0, owners.get(3)? & 1 != 0);
        let mut rest = owners.get(FLAGS + 4..)?;
        let mut next = |bytes: usize| {
            let (taken, behind) = rest.split_at_checked(bytes)?;
            rest = behind;
            Some(number(taken))
        };
        while let Some(item) = next(if has_long_items { 4 } else { 2 }) {
            // The highest bit of an index marks a property that readers must know.
            let (bytes, mask) = if has_long_indices { (2, 0x7fff) } else { (1, 0x7f) };
            let indices: Vec<_> = (0..next(1)?).map(|_| next(bytes)).collect::<Option<_>>()?;
            if item == primary {
                let property = |index: u32| all.get((index & mask).checked_sub(1)? as usize).copied();
                return Some(indices.into_iter().filter_map(property).collect());
            }
        }
    }
    None
}

/// Returns the kinds and the contents of consecutive boxes, up to the first that is not complete.
pub(crate) fn children(mut bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let [s0, s1, s2, s3, kind @ ..] = *bytes.first_chunk::<8>()?;
        let size = match u32::from_be_bytes([s0, s1, s2, s3]) as usize {
            0 => bytes.len(),
            size => size,
        };
        let contents = bytes.get(8..size)?;
        bytes = &bytes[size..];
        Some((kind, contents))
    })
}

/// Returns the contents of the first top-level box of this kind, at most this many bytes.
fn top_box(path: &Path, kind: &[u8; 4], most: u64) -> Option<Vec<u8>> {
    let mut boxes = Boxes::of(path).ok()?;
    let found = boxes.find(|found| &found.kind == kind)?;
    let size = boxes.next.saturating_sub(found.contents).min(most);
    let mut bytes = Vec::new();
    boxes.file.seek(SeekFrom::Start(found.contents)).ok()?;
    boxes.file.take(size).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the numbers of primaries, transfer function and matrix that the box `colr` of a track states (ISO/IEC
/// 14496-12, 12.1.5). `track` counts from 0.
pub(crate) fn color_numbers(path: &Path, track: usize) -> Option<[i32; 3]> {
    /// The fields of a `VisualSampleEntry` before its boxes.
    const ENTRY: usize = 78;
    let index = top_box(path, b"moov", MAX_INDEX)?;
    let (_, mut inside) = children(&index).filter(|(kind, _)| kind == b"trak").nth(track)?;
    for wanted in [b"mdia", b"minf", b"stbl", b"stsd"] {
        (_, inside) = children(inside).find(|(kind, _)| kind == wanted)?;
    }
    // Version, flags and the number of entries.
    let (_, entry) = children(inside.get(FLAGS + 4..)?).next()?;
    let (_, colors) = children(entry.get(ENTRY..)?).find(|(kind, _)| kind == b"colr")?;
    let (kind, numbers) = colors.split_first_chunk::<4>()?;
    let numbers = numbers.first_chunk::<6>().filter(|_| matches!(kind, b"nclx" | b"nclc"))?;
    let [p0, p1, t0, t1, m0, m1] = *numbers;
    Some([[p0, p1], [t0, t1], [m0, m1]].map(|pair| u16::from_be_bytes(pair).into()))
}

/// Returns the boxes in the first top-level `meta` box of a file.
fn meta(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = top_box(path, b"meta", MAX_META)?;
    // QuickTime has no version and flags here.
    Some(if bytes.starts_with(&[0; FLAGS]) { bytes.split_off(FLAGS) } else { bytes })
}

/// Returns where the data of the last item of a HEIF file ends, according to the item locations in its `meta` box
/// (ISO/IEC 14496-12, 8.11.3); 0 if there are none.
pub(crate) fn items_end(meta: &[u8]) -> u64 {
    let locations = meta.windows(4).position(|kind| kind == b"iloc").map(|at| &meta[at + 4..]);
    locations.and_then(ends_of_items).and_then(|ends| ends.into_iter().max()).unwrap_or(0)
}

fn ends_of_items(mut rest: &[u8]) -> Option<Vec<u64>> {
    let mut take = |bytes: usize| {
        let (number, behind) = rest.split_at_checked(bytes)?;
        rest = behind;
        Some(number.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let version = take(4)? >> 24;
    let sizes = take(2)?;
    let [offset, length, base, index] = [12, 8, 4, 0].map(|shift| (sizes >> shift & 15) as usize);
    let id = if version < 2 { 2 } else { 4 };
    let mut ends = Vec::new();
    for _ in 0..take(id)? {
        take(id)?;
        // Other methods do not count from the start of the file.
        let is_of_file = version == 0 || take(2)? & 15 == 0;
        take(2)?;
        let start = take(base)?;
        for _ in 0..take(2)? {
            take(if version == 0 { 0 } else { index })?;
            let end = start.saturating_add(take(offset)?).saturating_add(take(length)?);
            ends.extend(is_of_file.then_some(end));
        }
    }
    Some(ends)
}

/// Returns the number and the kind of the item that a `meta` box declares as its primary one.
fn primary_item(meta: &[u8]) -> Option<(u32, [u8; 4])> {
    let (_, primary) = children(meta).find(|(kind, _)| kind == b"pitm")?;
    let primary = number(primary.get(FLAGS..)?);
    let (_, items) = children(meta).find(|(kind, _)| kind == b"iinf")?;
    let count_bytes = if *items.first()? == 0 { 2 } else { 4 };
    let mut entries = children(items.get(FLAGS + count_bytes..)?).filter(|(kind, _)| kind == b"infe");
    entries.find_map(|(_, entry)| {
        let behind = FLAGS + if *entry.first()? < 3 { 2 } else { 4 };
        // Two bytes of protection precede the kind.
        let kind = *entry.get(behind + 2..)?.first_chunk()?;
        (number(entry.get(FLAGS..behind)?) == primary).then_some((primary, kind))
    })
}

/// Returns the number in these bytes, the highest first.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
}
