//! Parameter sets of H.264 and H.265, and what those in force for a picture state about it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::super::ColorNumbers;
use super::bits::Bits;
use super::framing::NalFraming;
use super::{h264, hevc, sei};

/// The syntax of parameter sets, slices and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    H264,
    Hevc,
}

/// What a sequence parameter set states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SequenceStatement {
    pub(in crate::av) colors: ColorNumbers,
    /// `true` if all of its pictures are progressive frames (H.264's `frame_mbs_only_flag`).
    pub(in crate::av) has_frames_only: bool,
    /// A hash of the sets in force, which tells different ones apart.
    fingerprint: u64,
}

impl SequenceStatement {
    const fn new(colors: ColorNumbers, has_frames_only: bool) -> Self {
        Self { colors, has_frames_only, fingerprint: 0 }
    }
}

/// How a picture is to be turned: first flipped, then rotated anticlockwise (H.264 and H.265, D.2: display
/// orientation).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatedOrientation {
    pub(in crate::av) flips: (bool, bool),
    /// In 2^-16 of a full turn.
    pub(in crate::av) turn: u16,
}

impl StatedOrientation {
    /// Returns the display matrix as FFmpeg writes them, in 16.16 fixed point.
    pub(in crate::av) fn display_matrix(self) -> [i32; 9] {
        let sign = |flips| if flips { -1.0 } else { 1.0 };
        let (horizontal, vertical) = (sign(self.flips.0), sign(self.flips.1));
        // Flips come first, and each reverses the turn that follows it.
        let angle = f64::from(self.turn) / 65536.0 * std::f64::consts::TAU * horizontal * vertical;
        let fixed = |value: f64| (value * 65536.0).round() as i32;
        let (sin, cos) = angle.sin_cos();
        [
            fixed(cos * horizontal),
            fixed(-sin * vertical),
            0,
            fixed(sin * horizontal),
            fixed(cos * vertical),
            0,
            0,
            0,
            1 << 30,
        ]
    }
}

/// The parameter sets in force, and the messages that last beyond their picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::av) struct ParameterSets {
    syntax: Syntax,
    framing: NalFraming,
    /// The sequence parameter sets, with their bytes.
    sequences: BTreeMap<u32, (Vec<u8>, SequenceStatement)>,
    /// The picture parameter sets, with the numbers of their sequence parameter sets.
    pictures: BTreeMap<u32, (Vec<u8>, u32)>,
    /// The picture parameter set in force.
    active: Option<u32>,
    orientation: Option<StatedOrientation>,
    /// `true` if the orientation ends with its picture.
    is_brief: bool,
    /// The transfer function that is preferred to the stated one.
    transfer: Option<u8>,
}

/// The unit types that matter here, in either syntax.
enum UnitKind {
    Sequence,
    Picture,
    Messages,
    /// A slice, and `true` if its picture begins a coded video sequence.
    Slice(bool),
    Other,
}

impl Syntax {
    /// Splits a unit of the base layer into its kind and its payload; `None` if its first bit, which is always 0, is
    /// set.
    fn split(self, unit: &[u8]) -> Option<(UnitKind, &[u8])> {
        if unit.first()? & 0x80 != 0 {
            return None;
        }
        match self {
            Self::H264 => {
                let (header, payload) = unit.split_first()?;
                let kind = match header & 31 {
                    7 => UnitKind::Sequence,
                    8 => UnitKind::Picture,
                    6 => UnitKind::Messages,
                    kind @ (1 | 2 | 5) => UnitKind::Slice(kind == 5),
                    _ => UnitKind::Other,
                };
                Some((kind, payload))
            }
            Self::Hevc => {
                let ([first, second], payload) = unit.split_first_chunk()?;
                let is_base_layer = first & 1 == 0 && second >> 3 == 0;
                let kind = match first >> 1 {
                    33 => UnitKind::Sequence,
                    34 => UnitKind::Picture,
                    39 => UnitKind::Messages,
                    kind @ 0..=31 => UnitKind::Slice((16..=20).contains(&kind)),
                    _ => UnitKind::Other,
                };
                is_base_layer.then_some((kind, payload))
            }
        }
    }
}

impl ParameterSets {
    /// Creates the sets of a decoder's configuration, whose packets have that framing.
    pub(super) fn of(syntax: Syntax, framing: NalFraming, extradata: &[u8]) -> Self {
        let mut sets = Self {
            syntax,
            framing,
            sequences: BTreeMap::new(),
            pictures: BTreeMap::new(),
            active: None,
            orientation: None,
            is_brief: false,
            transfer: None,
        };
        sets.learn_configuration(extradata);
        sets
    }

    /// Reads the sets of a configuration, which add to those that are known.
    fn learn_configuration(&mut self, extradata: &[u8]) {
        match (self.framing, self.syntax) {
            (NalFraming::StartCodes, _) => _ = self.learn_units(NalFraming::StartCodes, extradata),
            (_, Syntax::H264) => _ = self.learn_avc_configuration(extradata),
            (_, Syntax::Hevc) => _ = hevc::each_configured_unit(extradata, |unit| _ = self.learn_unit(unit)),
        }
    }

    /// Reads an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    fn learn_avc_configuration(&mut self, extradata: &[u8]) -> Option<()> {
        let mut rest = extradata.get(5..)?;
        for mask in [31, 255] {
            let (count, mut behind) = rest.split_first()?;
            for _ in 0..count & mask {
                let (length, unit) = behind.split_first_chunk()?;
                let (unit, after) = unit.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
                self.learn_unit(unit);
                behind = after;
            }
            rest = behind;
        }
        Some(())
    }

    /// Continues with a new configuration.
    pub(in crate::av) fn reconfigure(&mut self, extradata: &[u8]) {
        self.framing = match self.syntax {
            Syntax::H264 => h264::framing(extradata),
            Syntax::Hevc => hevc::framing(extradata).unwrap_or(self.framing),
        };
        self.learn_configuration(extradata);
    }

    /// Reads a packet up to its first slice, and puts in force what that refers to. Returns `true` if it has a slice.
    pub(in crate::av) fn learn(&mut self, packet: &[u8]) -> bool {
        if self.is_brief {
            (self.orientation, self.is_brief) = (None, false);
        }
        self.learn_units(self.framing, packet)
    }

    /// Returns `true` if a sequence parameter set is in the packet.
    pub(in crate::av) fn are_in(&self, packet: &[u8]) -> bool {
        let units = self.framing.units(packet).map_while(|unit| self.syntax.split(unit?));
        let kinds = units.map(|(kind, _)| kind).take_while(|kind| !matches!(kind, UnitKind::Slice(_)));
        kinds.into_iter().any(|kind| matches!(kind, UnitKind::Sequence))
    }

    fn learn_units(&mut self, framing: NalFraming, packet: &[u8]) -> bool {
        let mut messages = Vec::new();
        let mut has_slice = false;
        for unit in framing.units(packet).map_while(|unit| unit) {
            let Some((kind, payload)) = self.syntax.split(unit) else { continue };
            match kind {
                UnitKind::Messages => messages.extend(sei::messages(payload).into_iter().flatten()),
                UnitKind::Slice(begins_sequence) => {
                    if begins_sequence {
                        (self.orientation, self.transfer) = (None, None);
                    }
                    let set = self.set_of_slice(unit, payload).filter(|set| self.pictures.contains_key(set));
                    has_slice = set.is_some();
                    self.active = set.or(self.active);
                    break;
                }
                _ => _ = self.learn_unit(unit),
            }
        }
        for (kind, message) in messages {
            self.learn_message(kind, &message);
        }
        has_slice
    }

    fn learn_unit(&mut self, unit: &[u8]) -> Option<()> {
        let (kind, payload) = self.syntax.split(unit)?;
        let is_set = matches!(kind, UnitKind::Sequence | UnitKind::Picture);
        let bytes = if is_set { sei::without_escapes(payload) } else { Vec::new() };
        let mut bits = Bits::new(&bytes);
        match kind {
            UnitKind::Sequence => {
                let (id, statement) = match self.syntax {
                    Syntax::H264 => h264_sequence(&mut bits)?,
                    Syntax::Hevc => {
                        let (id, colors) = hevc::sequence(&mut bits)?;
                        (id, SequenceStatement::new(colors, false))
                    }
                };
                self.sequences.insert(id, (bytes, statement));
            }
            UnitKind::Picture => {
                let (id, sequence) = (bits.golomb()?, bits.golomb()?);
                self.pictures.insert(id, (bytes, sequence));
            }
            _ => {}
        }
        Some(())
    }

    /// Returns the number of the picture parameter set that a slice refers to.
    fn set_of_slice(&self, unit: &[u8], payload: &[u8]) -> Option<u32> {
        // Enough for the numbers before the one wanted.
        let bytes = sei::without_escapes(&payload[..payload.len().min(24)]);
        let mut bits = Bits::new(&bytes);
        match self.syntax {
            Syntax::H264 => bits.skip_golombs(2)?,
            Syntax::Hevc => {
                let has_output_flag = (16..=23).contains(&(unit.first()? >> 1));
                bits.skip(1 + usize::from(has_output_flag));
            }
        }
        bits.golomb()
    }

    fn learn_message(&mut self, kind: usize, message: &[u8]) {
        const DISPLAY_ORIENTATION: usize = 47;
        const ALTERNATIVE_TRANSFER: usize = 147;
        match (kind, message) {
            (ALTERNATIVE_TRANSFER, [transfer, ..]) => self.transfer = Some(*transfer),
            (DISPLAY_ORIENTATION, _) => {
                let mut bits = Bits::new(message);
                self.orientation = (bits.flag() == Some(false))
                    .then(|| {
                        let flips = (bits.flag()?, bits.flag()?);
                        Some(StatedOrientation { flips, turn: bits.number(16)? as u16 })
                    })
                    .flatten();
                // display_orientation_repetition_period in H.264 is 0 for one picture; so is the persistence flag.
                self.is_brief = match self.syntax {
                    Syntax::H264 => bits.golomb() == Some(0),
                    Syntax::Hevc => bits.flag() == Some(false),
                };
            }
            _ => {}
        }
    }

    /// Returns what the sequence parameter set in force states, with the preferred transfer function.
    pub(in crate::av) fn statement(&self) -> Option<SequenceStatement> {
        let (picture_bytes, sequence) = self.pictures.get(&self.active?)?;
        let (sequence_bytes, statement) = self.sequences.get(sequence)?;
        let mut hasher = DefaultHasher::new();
        (picture_bytes, sequence_bytes).hash(&mut hasher);
        let mut statement = SequenceStatement { fingerprint: hasher.finish(), ..*statement };
        statement.colors.transfer = self.transfer.map_or(statement.colors.transfer, i32::from);
        Some(statement)
    }

    /// Returns `true` if the sets are the same as the others, whichever are in force.
    pub(in crate::av) fn has_sets_of(&self, others: &Self) -> bool {
        (&self.sequences, &self.pictures) == (&others.sequences, &others.pictures)
    }

    /// Returns the stated orientation of the picture.
    pub(in crate::av) const fn orientation(&self) -> Option<StatedOrientation> {
        self.orientation
    }

    /// Returns the syntax.
    pub(in crate::av) const fn syntax(&self) -> Syntax {
        self.syntax
    }
}

/// Reads the number and the statement of a sequence parameter set: ITU-T H.264, 7.3.2.1.1.
fn h264_sequence(bits: &mut Bits<'_>) -> Option<(u32, SequenceStatement)> {
    /// The profiles whose sets state the chroma format.
    const HIGH: [u32; 13] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];
    let profile = bits.number(8)?;
    bits.skip(16);
    let id = bits.golomb()?;
    if HIGH.contains(&profile) {
        let chroma_format = bits.golomb()?;
        if chroma_format == 3 {
            bits.skip(1);
        }
        bits.skip_golombs(2)?;
        bits.skip(1);
        if bits.flag()? {
            for list in 0..if chroma_format == 3 { 12 } else { 8 } {
                if bits.flag()? {
                    skip_scaling_list(bits, if list < 6 { 16 } else { 64 })?;
                }
            }
        }
    }
    bits.skip_golombs(1)?;
    match bits.golomb()? {
        0 => bits.skip_golombs(1)?,
        1 => {
            bits.skip(1);
            bits.skip_golombs(2)?;
            let offsets = bits.golomb()?;
            bits.skip_golombs(offsets)?;
        }
        _ => {}
    }
    bits.skip_golombs(1)?;
    bits.skip(1);
    bits.skip_golombs(2)?;
    let has_frames_only = bits.flag()?;
    bits.skip(if has_frames_only { 1 } else { 2 });
    if bits.flag()? {
        bits.skip_golombs(4)?;
    }
    let colors = if bits.flag()? { bits.colors()? } else { ColorNumbers::UNSPECIFIED };
    Some((id, SequenceStatement::new(colors, has_frames_only)))
}

fn skip_scaling_list(bits: &mut Bits<'_>, size: usize) -> Option<()> {
    let (mut last, mut next) = (8, 8);
    for _ in 0..size {
        if next != 0 {
            next = (last + bits.signed_golomb()?).rem_euclid(256);
        }
        last = if next == 0 { last } else { next };
    }
    Some(())
}
