//! Detects files that were cut off and therefore lack frames, from their headers and containers.
//!
//! Many containers state the lengths of their parts. If the last part is longer than the file, the rest of it is lost.
//! Nothing else is judged here: files that are unusual in other ways get no verdict, because recorders pad files, put
//! their own bytes before and after them, and leave sizes out.
//!
//! Frames are also lacking if FFmpeg returns only some packets of a transport stream's video: it drops scrambled ones
//! without a word, and takes the video for another stream after its PID has changed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::read::boxes;
use crate::read::info::{FrameCounters, LeftOut, StreamInfo};
use histoscope_core::text::counted;

/// Bytes at the end of a file that are searched for its last packets: several hundred transport packets, or two Ogg
/// pages.
const TAIL_BYTES: u64 = 128 << 10;
/// Consecutive transport packets that must be in the right positions before any of them is accepted.
const FEWEST_PACKETS: usize = 5;
/// Maximum number of objects examined in an ASF header; there are about ten.
const MAX_OBJECTS: usize = 64;
/// Maximum number of bytes read from the description of a HEIF file's items.
const MAX_ITEMS: u64 = 1 << 20;
/// Frames by which a file may be shorter than its headers state, because headers are rounded.
const MISSING_FRAMES: f64 = 2.5;
/// The same limit if there is other evidence that the file was cut off.
const MISSING_FRAMES_OF_CUT: f64 = 0.5;
/// Containers whose headers state the number of frames or the duration before the frames. In others this is unknown,
/// derived from the last packets present, or the length of the longest stream.
const STATES_LENGTH: [&str; 5] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "ivf", "mxf"];

/// Bytes of a transport stream that are read at a time, and searched beside a part of the video that is not returned.
const PART_BYTES: u64 = 4 << 20;
/// Bytes of the timestamp that may precede a transport packet.
const STAMP_BYTES: u64 = 4;
/// Fewest scrambled packets, or packets that begin a picture in another PID: fewer may be transmission errors.
const FEWEST_LEFT_OUT: usize = 2;
/// Pictures that are compared with those of another PID, to tell whether both are sent at the same time.
const COMPARED_PICTURES: usize = 8;

/// The end of a file as its headers and container state it, before decoding.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ending {
    /// Seconds from the first frame to the end of the last, according to the headers.
    pub stated_secs: Option<f64>,
    /// The part of the container that extends beyond the end of the file.
    cut_part: Option<&'static str>,
    /// A sentence about the number that is missing from a sequence of numbered pictures.
    gap: Option<String>,
    /// `true` if the headers state where the end should be.
    states_end: bool,
}

impl Ending {
    /// Collects what an open file states: its container, the part that extends beyond its end, the number missing from
    /// its numbered pictures, and the seconds from its first frame to the end of the last.
    pub(crate) fn new(
        container: &str,
        cut_part: Option<&'static str>,
        gap: Option<String>,
        stated_secs: Option<f64>,
    ) -> Self {
        let is_told = match cut_part {
            // The headers of a fragmented file cover only the first fragment.
            Some("a fragment") => false,
            // A file written to a pipe has wrong lengths; the size of the enclosing chunk is more reliable.
            None if container == "avi" => false,
            _ => STATES_LENGTH.contains(&container),
        };
        Self { stated_secs, cut_part, gap, states_end: is_told }
    }

    /// Returns a description of the cut if the container extends beyond the end of the file, or of the missing number.
    /// After a cut, the last frames may be lost, or all may be present.
    #[must_use]
    pub fn cut(&self) -> Option<String> {
        if self.gap.is_some() {
            return self.gap.clone();
        }
        self.cut_part.map(|part| format!("it was cut off in the middle of {part}"))
    }

    /// Returns a sentence about frames that the file should have but lacks. To be called after the end has been
    /// reached. `seen` is the number of frames, if all were counted from the first, and the end time of the last one,
    /// in seconds.
    #[must_use]
    pub fn missing(&self, info: &StreamInfo, seen: (Option<u64>, f64), decoder: &FrameCounters) -> Option<String> {
        if decoder.read_errors > 0 {
            return Some("its end could not be read".to_owned());
        }
        if let Some(part) = decoder.left_out_part {
            return Some(part.to_string());
        }
        if decoder.unusable > 0 {
            let frames = counted(decoder.unusable, "frame");
            return Some(format!("{frames} could not be read as pictures and are not counted"));
        }
        if self.states_end && !info.still {
            let (frames_seen, last) = seen;
            let frame_secs = info.average_rate.map_or(0.04, |rate| 1.0 / rate.value());
            let missing_frames = self.stated_secs.map(|stated| (stated - last) / frame_secs);
            let lacks_frames =
                info.stated_frames.zip(frames_seen).map(|(frames, seen)| seen + decoder.discarded < frames);
            if let (Some(stated), Some(missing)) = (self.stated_secs, missing_frames)
                && lacks_frames != Some(false)
                && missing > MISSING_FRAMES
            {
                return Some(format!("it ends after {last:.3} s of {stated:.3} s"));
            }
            if lacks_frames.or_else(|| missing_frames.map(|missing| missing > MISSING_FRAMES_OF_CUT)) == Some(false) {
                return None;
            }
        }
        self.cut().or_else(|| decoder.ends_damaged.then(|| "its last frame is damaged, as if cut off".to_owned()))
    }
}

/// Returns the part in which a file was cut, worded to follow "in the middle of"; `None` if it was not cut.
pub(crate) fn cut_part(path: &Path, container: &str) -> Option<&'static str> {
    let mut bytes = Bytes::open(path).ok()?;
    let found = match container {
        "mpegts" => bytes.tail().map(|tail| is_cut_transport_stream(&tail).then_some("a transport packet")),
        "mpeg" => bytes.tail().map(|tail| is_cut_program_stream(&tail).then_some("a packet")),
        "ogg" => bytes.tail().map(|tail| is_cut_ogg(&tail).then_some("an Ogg page")),
        "mov,mp4,m4a,3gp,3g2,mj2" => bytes.cut_box(),
        "matroska,webm" => bytes.is_cut_matroska().map(|is_cut| is_cut.then_some("its Matroska segment")),
        "avi" => bytes.is_cut_riff().map(|is_cut| is_cut.then_some("a RIFF chunk")),
        "flv" => bytes.is_cut_flv().map(|is_cut| is_cut.then_some("an FLV tag")),
        "asf" => bytes.is_cut_asf().map(|is_cut| is_cut.then_some("its data, judging by the stated size")),
        "gif" => bytes.is_cut_gif().map(|is_cut| is_cut.then_some("an image")),
        "vc1test" => bytes.is_cut_rcv().map(|is_cut| is_cut.then_some("a frame")),
        "yuv4mpegpipe" => bytes.is_cut_y4m().map(|is_cut| is_cut.then_some("a frame")),
        _ => Ok(None),
    };
    found.ok().flatten()
}

/// Returns the part of the video with this PID that is between two positions of a transport stream but that FFmpeg does
/// not return, given that it returns no packet from there. `is_before` means that the packets it returns follow rather
/// than precede the positions.
pub(crate) fn left_out(path: &Path, pid: u16, (from, to): (u64, u64), is_before: bool) -> Option<LeftOut> {
    let mut bytes = Bytes::open(path).ok()?;
    // If a packet that FFmpeg returns is marked, the mark was only left there.
    let mut is_marked_clear = false;
    let returned = if is_before { to } else { from };
    bytes.for_transport_packets(returned, returned.saturating_add(STAMP_BYTES + 1), |packet| {
        is_marked_clear = packet.is_scrambled;
        false
    });
    let mut scrambled = 0;
    let mut others = BTreeMap::<_, usize>::new();
    bytes.for_transport_packets(from, to, |packet| {
        scrambled += usize::from(packet.pid == pid && packet.is_scrambled && !is_marked_clear);
        if packet.pid != pid && packet.begins_picture {
            *others.entry(packet.pid).or_default() += 1;
        }
        scrambled < FEWEST_LEFT_OUT
    });
    if scrambled >= FEWEST_LEFT_OUT {
        return Some(LeftOut::Scrambled);
    }
    others.retain(|_, pictures| *pictures >= FEWEST_LEFT_OUT);
    if others.is_empty() {
        return None;
    }
    let mut beside = Vec::new();
    let range = if is_before { (to, to.saturating_add(PART_BYTES)) } else { (from.saturating_sub(PART_BYTES), from) };
    bytes.for_transport_packets(range.0, range.1, |packet| {
        if packet.begins_picture {
            beside.push(packet.pid);
        }
        true
    });
    if !is_before {
        beside.reverse();
    }
    // The pictures of another video that is sent at the same time alternate with these.
    let last = beside.iter().enumerate().filter(|(_, other)| **other == pid).take(COMPARED_PICTURES).last();
    let compared = &beside[..last.map_or(0, |(at, _)| at)];
    let own = compared.iter().filter(|other| **other == pid).count();
    let is_beside = |pid: u16| compared.iter().filter(|other| **other == pid).count() * 4 > own;
    let other = others.into_keys().find(|other| !is_beside(*other))?;
    Some(LeftOut::OtherPid { read: pid, pid: other })
}

/// The header of a transport packet.
struct TransportPacket {
    pid: u16,
    is_scrambled: bool,
    /// `true` if a packet of video begins here that can be read.
    begins_picture: bool,
}

impl TransportPacket {
    fn of(packet: &[u8]) -> Option<Self> {
        let [0x47, pid_high, pid_low, flags, rest @ ..] = packet else { return None };
        let (has_adaptation, has_payload, is_scrambled) = (flags & 0x20 != 0, flags & 0x10 != 0, flags & 0xc0 != 0);
        let adaptation = if has_adaptation { 1 + usize::from(*rest.first()?) } else { 0 };
        let is_video = matches!(rest.get(adaptation..), Some([0, 0, 1, 0xe0..=0xef, ..]));
        Some(Self {
            pid: u16::from(pid_high & 0x1f) << 8 | u16::from(*pid_low),
            is_scrambled: is_scrambled && has_payload,
            begins_picture: pid_high & 0x40 != 0 && has_payload && !is_scrambled && is_video,
        })
    }
}

/// Returns `true` if the file of a single picture, by FFmpeg's name for the codec, lacks its end.
pub(crate) fn is_cut_picture(codec: &str, picture: &[u8]) -> bool {
    let has = |end: &[u8]| picture.windows(end.len()).any(|bytes| bytes == end);
    let number = |at: usize| picture.get(at..)?.first_chunk().map(|number| u32::from_le_bytes(*number) as usize);
    match codec {
        "bmp" => number(2).is_some_and(|size| size > picture.len()),
        _ if picture.is_empty() => false,
        "jpeg2000" | "mjpeg" => !has(&[0xff, 0xd9]),
        "png" => !has(b"IEND"),
        "webp" => number(4).is_some_and(|size| size.saturating_add(8) > picture.len()),
        _ => false,
    }
}

/// A file that is read at arbitrary positions.
struct Bytes {
    file: File,
    length: u64,
}

impl Bytes {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self { file, length })
    }

    fn at<const N: usize>(&mut self, position: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.seek(SeekFrom::Start(position))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn range(&mut self, position: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(position))?;
        self.file.by_ref().take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn tail(&mut self) -> io::Result<Vec<u8>> {
        self.range(self.length.saturating_sub(TAIL_BYTES), TAIL_BYTES)
    }

    /// Passes the packets of a transport stream that begin between these positions to `pass`, as long as it returns
    /// `true`.
    fn for_transport_packets(&mut self, from: u64, to: u64, mut pass: impl FnMut(TransportPacket) -> bool) {
        let mut position = from;
        while position < to {
            let Ok(bytes) = self.range(position, PART_BYTES) else { return };
            let distance =
                transport_packets(&bytes[..bytes.len().min(TAIL_BYTES as usize)]).map_or(188, |found| found.1);
            let within = usize::try_from(to - position).unwrap_or(usize::MAX).min(bytes.len());
            let mut at = 0;
            while at < within && bytes.len() - at >= 188 {
                // Where the distance is wrong, the next packet is searched for.
                let is_packet = bytes[at] == 0x47 && bytes.get(at + distance).is_none_or(|next| *next == 0x47);
                let packet = TransportPacket::of(&bytes[at..at + 188]).filter(|_| is_packet);
                at += if packet.is_some() { distance } else { 1 };
                if packet.is_some_and(|packet| !pass(packet)) {
                    return;
                }
            }
            if at == 0 {
                return;
            }
            position += at as u64;
        }
    }

    /// MP4: a sequence of boxes, each starting with its size. Losing a box without frames does not count.
    fn cut_box(&mut self) -> io::Result<Option<&'static str>> {
        let mut position = 0_u64;
        let mut is_fragmented = false;
        while position < self.length {
            // Fewer bytes than a box header are padding, or the start of a box of unknown kind.
            if position + 8 > self.length {
                return Ok(None);
            }
            let [s0, s1, s2, s3, kind @ ..] = self.at::<8>(position)?;
            let size = match u32::from_be_bytes([s0, s1, s2, s3]) {
                0 => return Ok(None),
                1 if position + 16 > self.length => return Ok(Some("a box")),
                1 => u64::from_be_bytes(self.at(position + 8)?),
                size => u64::from(size),
            };
            is_fragmented |= &kind == b"moof";
            position = position.saturating_add(size);
            if size < 8 {
                return Ok(None);
            }
            if &kind == b"meta" && boxes::items_end(&self.range(position - size, size.min(MAX_ITEMS))?) > self.length {
                return Ok(Some("a picture"));
            }
            if position > self.length && (&kind == b"mdat" || &kind == b"moof") {
                return Ok(Some(if is_fragmented { "a fragment" } else { "its data" }));
            }
        }
        Ok(None)
    }

    /// Matroska: a single segment holds everything and states its size, unless the file was written to a pipe.
    fn is_cut_matroska(&mut self) -> io::Result<bool> {
        let mut position = 0;
        for id in [0x1a45_dfa3, 0x1853_8067] {
            if u32::from_be_bytes(self.at(position)?) != id {
                return Ok(false);
            }
            let [first, rest @ ..] = self.at::<8>(position + 4)?;
            let more = first.leading_zeros() as usize;
            if more > 7 {
                return Ok(false);
            }
            // The bits after the marker; if all are set, the size is unknown.
            let mask = 0x7f_u64 >> more;
            let number = |first: u64, byte: u8| first << 8 | u64::from(byte);
            let size = rest[..more].iter().fold(u64::from(first) & mask, |size, byte| number(size, *byte));
            let unknown = rest[..more].iter().fold(mask, |size, _| number(size, 0xff));
            if size == unknown {
                return Ok(false);
            }
            position = (position + 5 + more as u64).saturating_add(size);
        }
        Ok(position > self.length)
    }

    /// AVI: one or several RIFF chunks in a row hold everything.
    fn is_cut_riff(&mut self) -> io::Result<bool> {
        let mut position = 0;
        while position + 12 <= self.length {
            let [r, i, f, f2, s0, s1, s2, s3] = self.at::<8>(position)?;
            let size = u32::from_le_bytes([s0, s1, s2, s3]);
            // A file written to a pipe has one of these values instead of a size.
            if &[r, i, f, f2] != b"RIFF" || size == 0 || size == u32::MAX {
                return Ok(false);
            }
            position += 8 + u64::from(size) + u64::from(size % 2);
            // The last byte may be the padding of an odd size, which some writers leave out.
            if position - u64::from(size % 2) > self.length {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// FLV: each tag is followed by its size. Some writers store something else there, which the first tag reveals.
    fn is_cut_flv(&mut self) -> io::Result<bool> {
        let first = u64::from(u32::from_be_bytes(self.at(5)?)) + 4;
        let size_of = |[_, s0, s1, s2]: [u8; 4]| 11 + u64::from(u32::from_be_bytes([0, s0, s1, s2]));
        let size = size_of(self.at(first)?);
        if first + size + 4 > self.length || u64::from(u32::from_be_bytes(self.at(first + size)?)) != size {
            return Ok(false);
        }
        let last = u64::from(u32::from_be_bytes(self.at(self.length - 4)?));
        if last == 0 {
            return Ok(false);
        }
        let Some(begin) = (self.length - 4).checked_sub(last).filter(|begin| *begin >= first) else { return Ok(true) };
        Ok(size_of(self.at(begin)?) != last)
    }

    /// ASF: a header states the size of the whole file, unless it was broadcast.
    fn is_cut_asf(&mut self) -> io::Result<bool> {
        const HEADER: [u8; 16] = *b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";
        const PROPERTIES: [u8; 16] = *b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65";
        if self.at(0)? != HEADER {
            return Ok(false);
        }
        let end = u64::from_le_bytes(self.at(16)?).min(self.length);
        let mut position = 30_u64;
        for _ in 0..MAX_OBJECTS {
            if position.saturating_add(104) > end {
                break;
            }
            if self.at(position)? == PROPERTIES {
                let stated = u64::from_le_bytes(self.at(position + 40)?);
                let flags = u32::from_le_bytes(self.at(position + 88)?);
                return Ok(flags & 1 == 0 && stated > self.length);
            }
            position = position.saturating_add(u64::from_le_bytes(self.at(position + 16)?).max(24));
        }
        Ok(false)
    }

    /// GIF: blocks that consist of sub-blocks, each of which states its size. Some writers leave out the trailer.
    fn is_cut_gif(&mut self) -> io::Result<bool> {
        // The size of a colour table, if there is one.
        let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
        let [flags] = self.at(10)?;
        let mut position = 13 + table(flags);
        while position < self.length {
            let [kind] = self.at(position)?;
            position += match kind {
                b'!' => 2,
                b',' if position + 10 > self.length => return Ok(true),
                b',' => 11 + table(self.at::<1>(position + 9)?[0]),
                // The trailer, or bytes behind a file without one.
                _ => return Ok(false),
            };
            loop {
                if position >= self.length {
                    return Ok(true);
                }
                let [size] = self.at(position)?;
                position += 1 + u64::from(size);
                if size == 0 {
                    break;
                }
            }
        }
        Ok(position > self.length)
    }

    /// RCV (SMPTE 421M, annex L): a header, which states the number of frames, then frames that state their sizes.
    fn is_cut_rcv(&mut self) -> io::Result<bool> {
        let size = |[s0, s1, s2, _flags]: [u8; 4]| u32::from_le_bytes([s0, s1, s2, 0]);
        let stated = size(self.at(0)?);
        let (mut position, mut frames) = (36, 0);
        while position + 8 <= self.length {
            position += 8 + u64::from(size(self.at(position)?));
            frames += 1;
        }
        // A file written to a pipe states no frames, or the highest number.
        Ok(position != self.length || stated != 0xff_ffff && frames < stated)
    }

    /// YUV4MPEG2: frames of equal size, each after a header line. Handles only header lines without parameters.
    fn is_cut_y4m(&mut self) -> io::Result<bool> {
        let begin = self.range(0, 4096)?;
        let Some(header) = begin.iter().position(|byte| *byte == b'\n').map(|at| at + 1) else { return Ok(false) };
        let Some(bytes) = y4m_frame_bytes(&begin[..header - 1]) else { return Ok(false) };
        let (size, first) = (bytes + 6, header as u64);
        let whole = (self.length - first) / size;
        let rest = (self.length - first) % size;
        let is_frame = |marker: [u8; 6]| &marker == b"FRAME\n";
        if rest == 0 || whole > 0 && !is_frame(self.at(first + (whole - 1) * size)?) {
            return Ok(false);
        }
        let begun = self.range(self.length - rest, 6)?;
        Ok(b"FRAME\n".starts_with(&begun))
    }
}

/// Returns the size of a frame's planes in bytes, according to a YUV4MPEG2 header; `None` for unusual formats.
fn y4m_frame_bytes(header: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(header).ok()?;
    let field = |letter: char| text.split(' ').skip(1).find_map(|field| field.strip_prefix(letter));
    let (width, height): (u64, u64) = (field('W')?.parse().ok()?, field('H')?.parse().ok()?);
    if width.max(height) > 1 << 24 {
        return None;
    }
    let format = field('C').unwrap_or("420");
    let (format, bytes) = match format.split_once('p') {
        Some((format, depth)) if depth.parse::<u32>().is_ok_and(|depth| (9..=16).contains(&depth)) => (format, 2),
        _ => (format, 1),
    };
    let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
    let samples = match format {
        "420" | "420jpeg" | "420mpeg2" | "420paldv" => width * height + 2 * half_width * half_height,
        "422" => width * height + 2 * half_width * height,
        "444" => 3 * width * height,
        "mono" => width * height,
        _ => return None,
    };
    Some(samples * bytes)
}

/// MPEG transport stream: packets of equal length.
fn is_cut_transport_stream(tail: &[u8]) -> bool {
    transport_packets(tail).is_some_and(|(first, distance)| {
        let last = first + (tail.len() - 1 - first) / distance * distance;
        last + if distance == 204 { 204 } else { 188 } > tail.len()
    })
}

/// Returns the packets of part of a transport stream.
pub(crate) fn packets_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (first, distance) = transport_packets(bytes).unwrap_or((bytes.len(), 1));
    (first..bytes.len()).step_by(distance).filter_map(move |at| bytes.get(at..at + 188))
}

/// Returns the position of the first transport packet and the distance from one to the next: packets have the same
/// first byte, and may be preceded by a timestamp (192 bytes) or followed by a checksum (204 bytes).
fn transport_packets(bytes: &[u8]) -> Option<(usize, usize)> {
    let starts = |(first, distance): (usize, usize)| (first..bytes.len()).step_by(distance);
    let ways =
        [188, 192, 204].into_iter().flat_map(|distance| (0..distance.min(bytes.len())).map(move |at| (at, distance)));
    ways.into_iter().find(|way| starts(*way).len() >= FEWEST_PACKETS && starts(*way).all(|at| bytes[at] == 0x47))
}

/// MPEG program stream: packs of packets, each of which states its size.
fn is_cut_program_stream(tail: &[u8]) -> bool {
    let Some(pack) = tail.windows(4).rposition(|bytes| bytes == [0, 0, 1, 0xba]) else { return false };
    let mut at = match tail.get(pack + 4) {
        Some(byte) if byte >> 6 == 1 => match tail.get(pack + 13) {
            Some(stuffing) => pack + 14 + usize::from(stuffing & 7),
            None => return true,
        },
        Some(_) => pack + 12,
        None => return true,
    };
    while let Some([0, 0, 1, kind, s0, s1]) = tail.get(at..at + 6) {
        // The search ends at the end code, or at anything that is not a packet.
        if *kind < 0xbb {
            return false;
        }
        at += 6 + usize::from(u16::from_be_bytes([*s0, *s1]));
        if at > tail.len() {
            return true;
        }
    }
    false
}

/// Ogg: pages that state the sizes of their contents.
fn is_cut_ogg(tail: &[u8]) -> bool {
    let Some(page) = tail.windows(5).rposition(|bytes| bytes == b"OggS\0") else { return false };
    let page = &tail[page..];
    let Some(count) = page.get(26).map(|count| usize::from(*count)) else { return true };
    let Some(sizes) = page.get(27..27 + count) else { return true };
    27 + count + sizes.iter().map(|size| usize::from(*size)).sum::<usize>() > page.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn cut(container: &str, bytes: &[u8]) -> Option<&'static str> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), bytes).expect("the folder takes a file");
        cut_part(file.path(), container)
    }

    /// Returns garbage followed by `count` transport packets, each between extra bytes.
    fn packets(garbage: usize, before: usize, behind: usize, count: usize) -> Vec<u8> {
        let mut bytes = vec![0x11; garbage];
        for number in 0..count {
            bytes.extend(vec![2; before]);
            bytes.push(0x47);
            bytes.extend(vec![number as u8 | 0x80; 187 + behind]);
        }
        bytes
    }

    #[test]
    fn transport_packets_are_recognised_between_extra_bytes() {
        for (before, behind) in [(0, 0), (4, 0), (0, 16)] {
            for garbage in [0, 1, 77, 300_001] {
                let whole = packets(garbage, before, behind, 900);
                assert_eq!(cut("mpegts", &whole), None);
                for lost in [1, 100, 150, 188 * 3 + 5] {
                    let part = cut("mpegts", &whole[..whole.len() - lost]);
                    assert_eq!(part, Some("a transport packet"), "{before} {behind} {garbage} {lost}");
                }
                let distance = before + 188 + behind;
                assert_eq!(cut("mpegts", &whole[..whole.len() - 7 * distance]), None);
                for padding in [vec![0; 100], vec![0xff; 3000], b"padded".to_vec()] {
                    assert_eq!(cut("mpegts", &[&whole[..], &padding].concat()), None, "padding is no packet");
                }
            }
        }
        assert_eq!(cut("mpegts", &packets(0, 0, 0, 4)[..740]), None, "too few to tell");
        assert_eq!(cut("mpegts", &[0x47; 10]), None);
    }

    #[test]
    fn unknown_sizes_give_no_verdict() {
        let mkv = |size: &[u8]| [b"\x1a\x45\xdf\xa3\x81\0\x18\x53\x80\x67", size, &[0; 100]].concat();
        assert_eq!(cut("matroska,webm", &mkv(&[0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])), None);
        assert_eq!(cut("matroska,webm", &mkv(&[0xff])), None);
        assert_eq!(cut("matroska,webm", &mkv(&[0x80 | 100])), None);
        assert_eq!(cut("matroska,webm", &mkv(&[0x80 | 101])), Some("its Matroska segment"));
        assert_eq!(cut("matroska,webm", &mkv(&[0x40, 101])), Some("its Matroska segment"));
        let riff = |size: u32| [b"RIFF", &size.to_le_bytes()[..], b"AVI ", &[0; 101]].concat();
        assert_eq!(
            [0, u32::MAX, 105, 104, 0x7fff_fff0].map(|size| cut("avi", &riff(size)).is_some()),
            [false, false, false, false, true]
        );
        let boxes = |kind: &[u8], size: u32| [b"\0\0\0\x08ftyp", &size.to_be_bytes()[..], kind, &[0; 40]].concat();
        assert_eq!(cut("mov,mp4,m4a,3gp,3g2,mj2", &boxes(b"mdat", 0)), None, "to the end of the file");
        assert_eq!(cut("mov,mp4,m4a,3gp,3g2,mj2", &boxes(b"mdat", 48)), None);
        assert_eq!(cut("mov,mp4,m4a,3gp,3g2,mj2", &boxes(b"mdat", 49)), Some("its data"));
        assert_eq!(cut("mov,mp4,m4a,3gp,3g2,mj2", &boxes(b"moof", 49)), Some("a fragment"));
        assert_eq!(cut("mov,mp4,m4a,3gp,3g2,mj2", &boxes(b"free", 49)), None, "nothing is lost");
        assert_eq!(cut("nothing that is known", &boxes(b"mdat", 49)), None);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic() {
        let containers = ["mpegts", "mpeg", "ogg", "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "flv", "asf"];
        let starts: [&[u8]; 8] = [
            b"",
            b"\0\0\x01\xba\x44",
            b"OggS\0",
            b"\0\0\0\x01mdat",
            b"\x1a\x45\xdf\xa3\x01\xff",
            b"FLV\x01\x05\xff\xff\xff\xff",
            b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c\xff\xff\xff\xff\xff\xff\xff\xff",
            b"YUV4MPEG2 W4294967295 H4294967295 C444p16\nFRAME\n",
        ];
        for start in starts {
            for length in [0, 1, 5, 40] {
                let bytes = [start, &vec![0xff; length]].concat();
                for container in containers.into_iter().chain(["gif", "vc1test", "yuv4mpegpipe"]) {
                    cut(container, &bytes);
                }
                let file = tempfile::NamedTempFile::new().expect("a temporary file");
                fs::write(file.path(), [&bytes[..], &[0x47; 500]].concat()).expect("the folder takes a file");
                for (range, is_before) in [((0, u64::MAX), false), ((5, 7), true), ((9, 3), false)] {
                    left_out(file.path(), 0x747, range, is_before);
                }
            }
        }
    }
}
