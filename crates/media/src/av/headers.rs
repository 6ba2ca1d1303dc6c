//! What the headers of packets state about their pictures.
//!
//! Some of FFmpeg's decoders keep what an earlier header stated if a later one states nothing. What a frame says would
//! then depend on where decoding started. So these statements are read here, from the headers in force for the packet.

use std::collections::{BTreeMap, VecDeque};

use super::nal::{NalStream, ParameterSets, SequenceStatement, StatedOrientation, Syntax};
use super::stream::StreamParameters;
use super::{AvPacket, ColorNumbers};
use histoscope_core::picture::{Ratio, Timecode};

/// Maximum number of pictures whose headers are remembered until their frames are decoded.
const MAX_NOTED: usize = 1024;

/// What the headers in force for a picture state about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statement {
    /// H.264 and H.265.
    Sets(Syntax, Option<SequenceStatement>, Option<StatedOrientation>),
    /// MPEG-1 and MPEG-2.
    Mpeg(MpegStatement),
    /// JPEG: `true` if the picture states that it has limited range, and the width of a pixel divided by its height, if
    /// stated.
    Jpeg { is_limited: bool, sample_aspect: Option<Ratio> },
}

/// What MPEG-1's and MPEG-2's headers state about a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MpegStatement {
    pub(crate) colors: ColorNumbers,
    /// The width of a pixel divided by its height, if it is MPEG-2 and states it.
    pub(crate) sample_aspect: Option<Ratio>,
    /// The timecode of the first picture of its group in presentation order.
    pub(crate) group: Option<Timecode>,
    /// The number of the picture in its group, in presentation order.
    temporal_reference: u16,
    /// Number of fields for which the picture is displayed.
    fields: u32,
    /// `true` if the header of a sequence precedes it.
    begins_sequence: bool,
}

/// The position of a picture as MPEG-1 and MPEG-2 state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupPosition {
    /// The timecode of the first picture of its group in presentation order.
    pub(crate) group: Timecode,
    /// Number of frames that are displayed from there to the picture. Repeated fields count.
    pub(crate) frames: u64,
}

/// The headers in force, and what they stated for the pictures that a decoder is working on.
#[derive(Debug, Clone)]
pub(crate) struct PacketHeaders {
    /// The headers before the first packet.
    initial: Coding,
    current: Coding,
    /// `true` if others than the initial ones were in force since the decoder was opened, which flushing does not undo.
    has_strayed: bool,
    /// What the first packet carries.
    first: Carried,
    /// Statements with the numbers of their packets and of their groups of pictures.
    noted: VecDeque<(u64, u64, Statement)>,
    /// `true` if the last packet gives a frame.
    counts_frame: bool,
}

/// The headers in a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Carried {
    sets: bool,
    messages: bool,
    group: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Coding {
    Sets(ParameterSets),
    Mpeg(MpegHeaders),
    Jpeg,
}

impl PacketHeaders {
    /// Creates the headers of a stream; `None` if FFmpeg's decoder keeps nothing.
    pub(crate) fn of_stream(parameters: &StreamParameters<'_>) -> Option<Self> {
        Self::of(parameters.codec_name(), parameters.extradata())
    }

    /// Creates the headers for a codec, by FFmpeg's name, with this configuration; `None` if FFmpeg's decoder keeps
    /// nothing.
    fn of(codec: &str, extradata: &[u8]) -> Option<Self> {
        let initial = match codec {
            "h264" | "hevc" => Coding::Sets(NalStream::of(codec, extradata)?.parameter_sets(extradata)),
            "mpeg1video" | "mpeg2video" => {
                let mut headers = MpegHeaders::default();
                headers.learn(extradata);
                Coding::Mpeg(headers)
            }
            "mjpeg" => Coding::Jpeg,
            _ => return None,
        };
        Some(Self {
            current: initial.clone(),
            initial,
            has_strayed: false,
            first: Carried::default(),
            noted: VecDeque::new(),
            counts_frame: false,
        })
    }

    /// Forgets all packets.
    pub(super) fn restart(&mut self) {
        self.has_strayed |= match (&self.current, &self.initial) {
            (Coding::Sets(current), Coding::Sets(initial)) => !current.has_sets_of(initial),
            (Coding::Mpeg(current), Coding::Mpeg(initial)) => {
                initial.sequence.is_some() && current.stated() != initial.stated()
            }
            _ => false,
        };
        self.current = self.initial.clone();
        self.noted.clear();
    }

    /// Reads a packet's headers and returns what is in force for its picture.
    fn learn(&mut self, packet: &AvPacket) -> Option<Statement> {
        let sequence = if let Coding::Mpeg(headers) = &self.current { Some(headers.kind()) } else { None };
        let statement = self.current.learn(packet.configuration(), packet.data());
        self.counts_frame = statement.is_some()
            && match (&self.current, sequence) {
                // FFmpeg's decoder drops pictures when it restarts for a sequence of another kind.
                (Coding::Mpeg(current), Some(before)) => before.0.is_none() || before == current.kind(),
                _ => true,
            };
        statement
    }

    /// Returns `true` if the last packet read gives a frame, as far as its headers show.
    pub(crate) const fn count_frame(&self) -> bool {
        self.counts_frame
    }

    /// Reads the next packet's headers. Returns `true` if it is a keyframe for which others would be in force if
    /// decoding started at it.
    pub(crate) fn is_dependent_key(&mut self, packet: &AvPacket) -> bool {
        let in_force = self.learn(packet);
        packet.is_key() && self.starting_at(packet) != in_force
    }

    /// Reads the headers of the packet with that number.
    pub(super) fn note(&mut self, number: u64, packet: &AvPacket) {
        if number == 0 {
            self.first = self.carried(packet);
        }
        if let Some(statement) = self.learn(packet) {
            self.note_statement(number, statement);
        }
    }

    fn note_statement(&mut self, number: u64, statement: Statement) {
        let groups = if let Coding::Mpeg(headers) = &self.current { headers.groups } else { 0 };
        self.noted.push_back((number, groups, statement));
        if self.noted.len() > MAX_NOTED {
            self.noted.pop_front();
        }
    }

    /// Returns what is stated for the picture decoded from that packet.
    pub(super) fn of_packet(&self, number: u64) -> Option<Statement> {
        self.noted.iter().rev().find(|(noted, ..)| *noted == number).map(|(.., statement)| *statement)
    }

    /// Returns the position in its group of the picture decoded from that packet.
    pub(super) fn group_position(&self, number: u64) -> Option<GroupPosition> {
        let pictures = self.noted.iter().filter_map(|(number, group, statement)| match statement {
            Statement::Mpeg(picture) => Some((*number, *group, picture)),
            _ => None,
        });
        let (_, own, picture) = pictures.clone().rev().find(|(noted, ..)| *noted == number)?;
        let mut fields = BTreeMap::new();
        let before = pictures
            .filter(|(_, group, earlier)| *group == own && earlier.temporal_reference < picture.temporal_reference);
        for (.., earlier) in before {
            // Two fields of a picture have a packet each.
            let known = fields.entry(earlier.temporal_reference).or_insert(0);
            *known = if earlier.fields == 1 { 2.min(*known + 1) } else { earlier.fields };
        }
        let missing = u64::from(picture.temporal_reference) - fields.len() as u64;
        let displayed = fields.values().map(|fields| u64::from(*fields)).sum::<u64>() + 2 * missing;
        Some(GroupPosition { group: picture.group?, frames: displayed / 2 })
    }

    /// Returns the frame rate of MPEG-2 whose last pictures, with those of packets read ahead, have 3:2 pulldown: five
    /// fields for two frames, so that there are four frames for five of the display.
    pub(super) fn pulldown_rate<'a>(&self, ahead: impl Iterator<Item = &'a AvPacket>) -> Option<Ratio> {
        let mut current = self.current.clone();
        let ahead: Vec<_> = ahead.filter_map(|packet| current.learn(packet.configuration(), packet.data())).collect();
        let statements = self.noted.iter().map(|(.., statement)| *statement).chain(ahead);
        let fields = statements.filter_map(|statement| match statement {
            Statement::Mpeg(picture) => Some(picture.fields),
            _ => None,
        });
        let (pictures, fields) = fields.fold((0, 0), |(pictures, sum), fields| (pictures + 1, sum + fields));
        let Coding::Mpeg(headers) = current else { return None };
        let has_pulldown = (2.4..2.6).contains(&(f64::from(fields) / f64::from(pictures)));
        match headers.rate_code.filter(|_| has_pulldown)? {
            4 => Some(Ratio { num: 24_000, den: 1001 }),
            5 => Some(Ratio { num: 24, den: 1 }),
            _ => None,
        }
    }

    /// Returns `true` if the first packet carries headers that this one lacks, so that headers before it may be in
    /// force.
    pub(super) fn may_depend(&self, packet: &AvPacket) -> bool {
        let own = self.carried(packet);
        (self.first.sets && !own.sets) || (self.first.messages && !own.messages) || (self.first.group && !own.group)
    }

    /// Returns `true` if a decoder that has been flushed would still have other headers for the packet than one that
    /// has just been opened.
    pub(super) fn have_strayed_for(&self, packet: &AvPacket) -> bool {
        self.has_strayed && !self.carried(packet).sets
    }

    fn carried(&self, packet: &AvPacket) -> Carried {
        let Some(statement) = self.starting_at(packet) else { return Carried::default() };
        match (&self.initial, statement) {
            (Coding::Sets(initial), Statement::Sets(_, _, orientation)) => {
                let sets = packet.configuration().is_some() || initial.are_in(packet.data());
                Carried { sets, messages: orientation.is_some(), group: false }
            }
            (_, Statement::Mpeg(picture)) => {
                Carried { sets: picture.begins_sequence, messages: false, group: picture.group.is_some() }
            }
            _ => Carried::default(),
        }
    }

    /// Returns what would be in force for a packet if decoding started at it.
    fn starting_at(&self, packet: &AvPacket) -> Option<Statement> {
        self.initial.clone().learn(packet.configuration(), packet.data())
    }
}

impl Coding {
    /// Reads a packet, and the new configuration that it carries.
    fn learn(&mut self, configuration: Option<&[u8]>, packet: &[u8]) -> Option<Statement> {
        Some(match self {
            Self::Sets(sets) => {
                if let Some(configuration) = configuration {
                    sets.reconfigure(configuration);
                }
                if !sets.learn(packet) {
                    return None;
                }
                Statement::Sets(sets.syntax(), sets.statement(), sets.orientation())
            }
            Self::Mpeg(headers) => Statement::Mpeg(headers.learn(packet)?),
            Self::Jpeg => jpeg_statement(packet)?,
        })
    }
}

/// Reads the headers of a JPEG picture: a comment says that it has the range of BT.601, as FFmpeg writes and reads it,
/// and JFIF's segment has the pixel aspect. Returns `None` if this is no JPEG picture.
fn jpeg_statement(packet: &[u8]) -> Option<Statement> {
    const JFIF: u8 = 0xe0;
    const COMMENT: u8 = 0xfe;
    const SCAN: u8 = 0xda;
    let mut rest = packet.strip_prefix(&[0xff, 0xd8])?;
    let (mut is_limited, mut sample_aspect) = (false, None);
    loop {
        let &[0xff, marker, high, low, ..] = rest else { return None };
        let (segment, behind) = rest.split_at_checked(2 + usize::from(u16::from_be_bytes([high, low])))?;
        match (marker, segment.get(4..)?) {
            (COMMENT, text) => is_limited |= text.starts_with(b"CS=ITU601"),
            // After the name: version, unit, and the densities.
            (JFIF, [b'J', b'F', b'I', b'F', 0, _, _, _, x0, x1, y0, y1, ..]) => {
                let [num, den] = [[*x0, *x1], [*y0, *y1]].map(|bytes| u16::from_be_bytes(bytes).into());
                sample_aspect = Some(Ratio { num, den }).filter(|_| num > 0 && den > 0);
            }
            (SCAN, _) => return Some(Statement::Jpeg { is_limited, sample_aspect }),
            _ => {}
        }
        rest = behind;
    }
}

/// Headers of MPEG-1 and MPEG-2: ISO/IEC 13818-2, 6.2.2.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct MpegHeaders {
    /// Width, height and the code of the aspect ratio.
    sequence: Option<(u32, u32, u8)>,
    /// The code of the frame rate.
    rate_code: Option<u8>,
    is_mpeg2: bool,
    is_progressive: bool,
    colors: Option<ColorNumbers>,
    /// Width and height of the sequence display extension.
    display: Option<(u32, u32)>,
    group: Option<Timecode>,
    /// Number of groups so far.
    groups: u64,
}

impl MpegHeaders {
    /// Returns what a decoder cannot change without a restart.
    const fn kind(&self) -> (Option<(u32, u32, u8)>, bool) {
        (self.sequence, self.is_progressive)
    }

    /// Returns what the sequence states.
    fn stated(&self) -> impl PartialEq + use<> {
        (self.sequence, self.is_mpeg2, self.is_progressive, self.colors, self.display)
    }

    /// Reads the headers before the first slice. Returns `None` if there is no picture or no slice.
    fn learn(&mut self, packet: &[u8]) -> Option<MpegStatement> {
        let (mut picture, mut begins_sequence) = (None, false);
        let mut rest = packet;
        while let Some(at) = rest.windows(3).position(|three| three == [0, 0, 1]) {
            rest = &rest[at + 3..];
            match *rest {
                [0xb3, a, b, c, d, ..] => {
                    let (width, height) =
                        (u32::from(a) << 4 | u32::from(b) >> 4, u32::from(b & 15) << 8 | u32::from(c));
                    begins_sequence = true;
                    let (group, groups) = (self.group, self.groups);
                    let (sequence, rate_code) = (Some((width, height, d >> 4)), Some(d & 15));
                    *self = Self { sequence, rate_code, group, groups, ..Self::default() };
                }
                // The extensions of the sequence, of its display, and of the picture's coding.
                [0xb5, first, second, ..] if first >> 4 == 1 => {
                    (self.is_mpeg2, self.is_progressive) = (true, second & 8 != 0);
                }
                [0xb5, first, ref fields @ ..] if first >> 4 == 2 => self.learn_display(first & 1 == 1, fields)?,
                [0xb5, first, _, structure, repeats, ..] if first >> 4 == 8 => {
                    let (is_top_first, is_repeated) = (repeats & 0x80 != 0, repeats & 2 != 0);
                    let fields = match (structure & 3, is_repeated, self.is_progressive, is_top_first) {
                        (3, false, ..) => 2,
                        (3, true, false, _) => 3,
                        // A whole frame is shown twice, or three times.
                        (3, true, true, false) => 4,
                        (3, true, true, true) => 6,
                        _ => 1,
                    };
                    picture = picture.map(|picture: MpegStatement| MpegStatement { fields, ..picture });
                }
                [0xb8, a, b, c, d, ..] => {
                    self.group = group_timecode(u32::from_be_bytes([a, b, c, d]));
                    self.groups += 1;
                }
                [0, a, b, ..] => {
                    picture = Some(MpegStatement {
                        colors: self.colors.unwrap_or(ColorNumbers::UNSPECIFIED),
                        sample_aspect: self.sample_aspect(),
                        group: self.group,
                        temporal_reference: u16::from(a) << 2 | u16::from(b) >> 6,
                        fields: 2,
                        begins_sequence,
                    });
                }
                [0x01..=0xaf, ..] => return picture,
                _ => {}
            }
        }
        None
    }

    fn learn_display(&mut self, has_colors: bool, fields: &[u8]) -> Option<()> {
        let (colors, sizes) = fields.split_at_checked(if has_colors { 3 } else { 0 })?;
        if let [primaries, transfer, matrix] = *colors {
            let [primaries, transfer, matrix] = [primaries, transfer, matrix].map(i32::from);
            self.colors = Some(ColorNumbers { matrix, range: 0, primaries, transfer });
        }
        // 14 bits, a marker bit, 14 bits.
        let bits = u32::from_be_bytes(*sizes.first_chunk()?);
        self.display = Some((bits >> 18, bits >> 3 & 0x3fff));
        Some(())
    }

    /// Returns the width of a pixel divided by its height. The standard relates the ratio to the display's size, and
    /// many encoders to the coded one; as in FFmpeg, the display's is used if it gives 4:3 or 16:9.
    fn sample_aspect(&self) -> Option<Ratio> {
        let (width, height, code) = self.sequence.filter(|_| self.is_mpeg2)?;
        let (x, y) = match code {
            1 => return Some(Ratio::ONE),
            2 => (4, 3),
            3 => (16, 9),
            4 => (221, 100),
            _ => return None,
        };
        let pixel = |(width, height): (u32, u32)| {
            let (num, den) = (x * height, y * width);
            let divisor = greatest_divisor(num, den);
            Ratio { num: num / divisor, den: den / divisor }
        };
        let shape = |pixel: Ratio| {
            let (num, den) = (u64::from(pixel.num) * u64::from(width), u64::from(pixel.den) * u64::from(height));
            num * 3 == den * 4 || num * 9 == den * 16
        };
        if width == 0 || height == 0 {
            return None;
        }
        let displayed = self.display.filter(|(width, height)| *width > 0 && *height > 0).map(pixel);
        Some(displayed.filter(|pixel| shape(*pixel)).unwrap_or_else(|| pixel((width, height))))
    }
}

const fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Returns the timecode of a group of pictures, from the first 32 bits of its header; `None` if it is invalid.
fn group_timecode(bits: u32) -> Option<Timecode> {
    let part = |shift: u32, mask: u32| (bits >> shift & mask) as u8;
    let timecode = Timecode {
        hours: part(26, 31),
        minutes: part(20, 63),
        seconds: part(13, 63),
        frames: part(7, 63).into(),
        drop: part(31, 1) != 0,
    };
    (timecode.hours < 24 && timecode.minutes < 60 && timecode.seconds < 60).then_some(timecode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mpeg() -> PacketHeaders {
        PacketHeaders::of("mpeg2video", &[]).expect("headers of MPEG-2")
    }

    impl PacketHeaders {
        fn note_data(&mut self, number: u64, data: &[u8]) {
            if let Some(statement) = self.current.learn(None, data) {
                self.note_statement(number, statement);
            }
        }
    }

    /// Returns the header of a closed group: 12:34:56 and that picture, with or without drop-frame counting.
    fn group(drop: u32, picture: u32) -> Vec<u8> {
        let bits: u32 = drop << 31 | 12 << 26 | 34 << 20 | 1 << 19 | 56 << 13 | picture << 7 | 1 << 6;
        [&[0, 0, 1, 0xb8][..], &bits.to_be_bytes()].concat()
    }

    fn picture(temporal_reference: u16) -> Vec<u8> {
        vec![0, 0, 1, 0, (temporal_reference >> 2) as u8, (temporal_reference << 6) as u8 | 8, 0xff, 0, 0, 1, 1, 0]
    }

    #[test]
    fn pictures_count_from_the_first_of_their_group() {
        let mut headers = mpeg();
        headers.note_data(0, &picture(0));
        headers.note_data(1, &[&[0, 0, 1, 0xb3, 1, 2, 3, 4, 5][..], &group(1, 28), &picture(2)].concat());
        headers.note_data(2, &picture(0));
        headers.note_data(3, &picture(1021));
        let frames = |number| headers.group_position(number).map(|found| (found.group.to_string(), found.frames));
        assert_eq!(frames(0), None, "no group was there yet");
        let group = "12:34:56;28".to_owned();
        assert_eq!([1, 2, 3].map(frames), [Some((group.clone(), 2)), Some((group.clone(), 0)), Some((group, 1021))]);
    }

    #[test]
    fn repeated_fields_count() {
        // 3:2 pulldown: 3, 2, 3 and 2 fields, in coding order, of a sequence that is not progressive.
        let coded = |reference, is_top_first: u8, repeats: u8| {
            let extension = [0, 0, 1, 0xb5, 0x80, 0, 3, is_top_first << 7 | repeats << 1, 0x80];
            [&picture(reference)[..7], &extension, &[0, 0, 1, 1, 0]].concat()
        };
        let mut headers = mpeg();
        headers.note_data(0, &[group(0, 0), coded(2, 0, 1)].concat());
        headers.note_data(1, &coded(0, 1, 1));
        headers.note_data(2, &coded(1, 0, 0));
        headers.note_data(3, &coded(4, 1, 1));
        headers.note_data(4, &coded(3, 1, 0));
        let frames = [1, 2, 0, 4, 3].map(|number| headers.group_position(number).map(|found| found.frames));
        assert_eq!(frames, [0, 1, 2, 4, 5].map(Some));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_headers_are_read_without_a_panic(
            kinds in proptest::collection::vec((proptest::num::u8::ANY, proptest::collection::vec(proptest::num::u8::ANY, 0..60)), 0..8),
            configuration in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
        ) {
            let units: Vec<u8> =
                kinds.iter().flat_map(|(kind, bytes)| [&[0, 0, 1, kind & 0x7f], &bytes[..]].concat()).collect();
            let lengths: Vec<u8> = kinds
                .iter()
                .flat_map(|(kind, bytes)| [&[0, 0, 0, bytes.len() as u8 + 1, kind & 0x7f], &bytes[..]].concat())
                .collect();
            for codec in ["h264", "hevc", "mpeg2video", "mjpeg"] {
                let first = [&[1], &configuration[..]].concat();
                for extradata in [&units, &configuration, &first] {
                    let Some(mut headers) = PacketHeaders::of(codec, extradata) else { continue };
                    for (number, packet) in (0..).zip([&units, &lengths, &configuration]) {
                        headers.note_data(number, packet);
                        headers.group_position(number);
                    }
                    headers.note_data(9, &[&[0xff, 0xd8], &configuration[..]].concat());
                    headers.restart();
                }
            }
        }
    }

    #[test]
    fn group_with_invalid_timecode_ends_the_previous_group() {
        let mut headers = mpeg();
        headers.note_data(0, &[group(0, 1), picture(0)].concat());
        assert!(headers.group_position(0).is_some());
        headers.note_data(1, &[&[0, 0, 1, 0xb8, 0x7f, 0xff, 0xff, 0xff][..], &picture(0)].concat());
        assert_eq!(headers.group_position(1), None);
        // Truncated headers.
        headers.note_data(2, &[0, 0, 1, 0xb8, 0x7f]);
        headers.note_data(3, &[0, 0, 1, 0]);
    }
}
