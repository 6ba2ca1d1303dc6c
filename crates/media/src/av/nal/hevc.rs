//! HEVC packets. Names are those of ITU-T H.265: 7.3.1.2 (header of a NAL unit), 7.4.2.2 (its types), 7.3.2.2 (SPS).

use super::super::ColorNumbers;
use super::bits::Bits;
use super::framing::NalFraming;
use super::sei;

/// The `nal_unit_type` values that are treated specially here.
mod unit {
    // Pictures to which no other picture of the same temporal sub-layer refers. Types reserved for more of them are not
    // included, as their meaning is undefined.
    pub(super) const TRAIL_N: u8 = 0;
    pub(super) const TSA_N: u8 = 2;
    pub(super) const STSA_N: u8 = 4;
    pub(super) const RADL_N: u8 = 6;
    pub(super) const RASL_N: u8 = 8;
    pub(super) const RASL_R: u8 = 9;
    // Pictures at which decoding can start.
    pub(super) const FIRST_BLA: u8 = 16;
    pub(super) const LAST_BLA: u8 = 18;
    pub(super) const FIRST_IDR: u8 = 19;
    pub(super) const LAST_IDR: u8 = 20;
    pub(super) const CRA: u8 = 21;
    /// The last of the types that hold part of a picture.
    pub(super) const LAST_OF_PICTURES: u8 = 31;
    pub(super) const SEQUENCE_PARAMETERS: u8 = 33;
    pub(super) const DELIMITER: u8 = 35;
    pub(super) const END_OF_SEQUENCE: u8 = 36;
    pub(super) const END_OF_STREAM: u8 = 37;
    pub(super) const FILLER: u8 = 38;
    pub(super) const PREFIX_SEI: u8 = 39;
    pub(super) const SUFFIX_SEI: u8 = 40;
    /// Unspecified in H.265: Dolby Vision's metadata for the picture, which FFmpeg attaches to the frame.
    pub(super) const DOLBY_METADATA: u8 = 62;
    /// Unspecified in H.265: Dolby Vision's enhancement layer, which FFmpeg ignores.
    pub(super) const DOLBY_ENHANCEMENT: u8 = 63;
}

/// The decoder's current treatment of RASL pictures (3.121), which may refer to pictures before the one that they lead
/// up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::av) enum Leading {
    /// There has been no picture at which decoding can start, or none since the end of a sequence.
    #[default]
    Unbegun,
    /// The RASL pictures of the last such picture are dropped, because it was the first or follows a cut.
    Dropped,
    /// RASL pictures are decoded.
    Decoded,
}

/// The framing and the temporal sub-layers of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::av) struct Hevc {
    framing: NalFraming,
    /// The highest `TemporalId` that the parameter sets so far allow; `None` if there was no parameter set.
    highest_temporal_id: Option<u8>,
}

/// The fields of a unit's header.
struct Header {
    unit_type: u8,
    layer_id: u8,
    /// `nuh_temporal_id_plus1` minus one.
    temporal_id: u8,
}

impl Header {
    /// Splits a unit into its header and its payload; `None` if the header is invalid.
    fn split(unit: &[u8]) -> Option<(Self, &[u8])> {
        let ([first, second], payload) = unit.split_first_chunk()?;
        // One bit that is always 0, six of nal_unit_type, six of nuh_layer_id, three of nuh_temporal_id_plus1.
        let temporal_id = (second & 7).checked_sub(1).filter(|_| first & 0x80 == 0)?;
        let header = Self { unit_type: first >> 1, layer_id: (first & 1) << 5 | second >> 3, temporal_id };
        Some((header, payload))
    }
}

impl Hevc {
    /// Creates the stream from the decoder's configuration; `None` if that cannot be parsed.
    pub(super) fn of(extradata: &[u8]) -> Option<Self> {
        let mut stream = Self { framing: framing(extradata)?, highest_temporal_id: None };
        match stream.framing {
            NalFraming::StartCodes => stream.learn(extradata),
            NalFraming::Lengths(_) => each_configured_unit(extradata, |unit| stream.learn_unit(unit))?,
        }
        Some(stream)
    }

    /// Returns how packets are split into units.
    pub(super) const fn framing(&self) -> NalFraming {
        self.framing
    }

    /// Returns the stream as it continues from a packet that carries a new configuration; `None` if that cannot be
    /// parsed.
    pub(super) fn reconfigured(self, extradata: &[u8]) -> Option<Self> {
        let other = Self::of(extradata)?;
        // The decoder may still know the earlier parameter sets.
        Some(Self { highest_temporal_id: self.highest_temporal_id.max(other.highest_temporal_id), ..other })
    }

    /// Reads the parameter sets of a packet that is sent to the decoder. They precede the picture's slices (7.4.2.4.4).
    pub(super) fn learn(&mut self, packet: &[u8]) {
        for unit in self.framing.units(packet).map_while(|unit| unit) {
            if Header::split(unit).is_some_and(|(header, _)| header.unit_type <= unit::LAST_OF_PICTURES) {
                break;
            }
            self.learn_unit(unit);
        }
    }

    fn learn_unit(&mut self, unit: &[u8]) {
        let Some((Header { unit_type: unit::SEQUENCE_PARAMETERS, layer_id: 0, .. }, [first, ..])) = Header::split(unit)
        else {
            return;
        };
        // Four bits of sps_video_parameter_set_id, three of sps_max_sub_layers_minus1.
        self.highest_temporal_id = self.highest_temporal_id.max(Some(first >> 1 & 7));
    }

    /// Returns `true` if the packet holds a picture to which no other refers, and nothing else that later packets may
    /// need. Returns `false` if in doubt.
    ///
    /// A picture's `nal_unit_type` only says that no picture of its own temporal sub-layer refers to it (7.4.2.2).
    /// Pictures of lower sub-layers never may (8.3.2), and there is no sub-layer above the one with the highest
    /// `TemporalId`.
    pub(super) fn is_unreferenced(&self, packet: &[u8]) -> bool {
        let mut slices = 0;
        for unit in self.framing.units(packet) {
            let Some((header, payload)) = unit.and_then(Header::split) else { return false };
            if header.layer_id != 0 {
                return false;
            }
            match header.unit_type {
                unit::TRAIL_N | unit::TSA_N | unit::STSA_N | unit::RADL_N | unit::RASL_N
                    if Some(header.temporal_id) == self.highest_temporal_id =>
                {
                    slices += 1;
                }
                unit::DELIMITER | unit::FILLER | unit::DOLBY_METADATA | unit::DOLBY_ENHANCEMENT => {}
                unit::PREFIX_SEI | unit::SUFFIX_SEI if sei::is_about_one_picture(payload) => {}
                _ => return false,
            }
        }
        slices > 0
    }

    /// Returns `true` if a decoder in the state `leading` drops the packet's picture, and updates the state (8.1.3:
    /// `NoRaslOutputFlag`). FFmpeg does decode pictures that precede the first at which decoding can start.
    pub(super) fn is_dropped(&self, packet: &[u8], leading: &mut Leading) -> bool {
        let mut is_dropped = false;
        for unit in self.framing.units(packet).map_while(|unit| unit) {
            let Some((Header { unit_type, layer_id: 0, .. }, payload)) = Header::split(unit) else { continue };
            // The first bit of a slice header is first_slice_segment_in_pic_flag.
            let begins_picture = payload.first().is_some_and(|first| first & 0x80 != 0);
            *leading = match unit_type {
                unit::END_OF_SEQUENCE | unit::END_OF_STREAM => Leading::Unbegun,
                unit::FIRST_BLA..=unit::LAST_BLA => Leading::Dropped,
                unit::CRA if begins_picture && *leading == Leading::Unbegun => Leading::Dropped,
                unit::CRA if begins_picture => Leading::Decoded,
                unit::FIRST_IDR..=unit::LAST_IDR => Leading::Decoded,
                _ => *leading,
            };
            let is_leading = matches!(unit_type, unit::RASL_N | unit::RASL_R);
            is_dropped |= is_leading && *leading == Leading::Dropped;
        }
        is_dropped
    }
}

/// Returns how packets are split into units, according to the decoder's configuration; `None` if that cannot be parsed.
pub(super) fn framing(extradata: &[u8]) -> Option<NalFraming> {
    match extradata {
        [] | [0, 0, 1, ..] | [0, 0, 0, 1, ..] => Some(NalFraming::StartCodes),
        // HEVCDecoderConfigurationRecord of ISO/IEC 14496-15, 8.3.3.1.
        [1, ..] => extradata.get(21).map(|lengths| NalFraming::Lengths(usize::from(lengths & 3) + 1)),
        _ => None,
    }
}

/// Passes on each unit of an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1). Returns `None` if it is cut
/// short.
pub(super) fn each_configured_unit(extradata: &[u8], mut learn: impl FnMut(&[u8])) -> Option<()> {
    let (head, mut rest) = extradata.split_first_chunk::<23>()?;
    for _ in 0..head[22] {
        let (&[_, high, low], units) = rest.split_first_chunk()?;
        rest = units;
        for _ in 0..u16::from_be_bytes([high, low]) {
            // Each unit is preceded by a length of two bytes.
            let (length, behind) = rest.split_first_chunk()?;
            let (unit, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            learn(unit);
            rest = behind;
        }
    }
    Some(())
}

/// Reads the number and the colours of a sequence parameter set: ITU-T H.265, 7.3.2.2.
pub(super) fn sequence(bits: &mut Bits<'_>) -> Option<(u32, ColorNumbers)> {
    bits.skip(4);
    let max_sub_layers = bits.number(3)?;
    bits.skip(1);
    skip_profile_tier_level(bits, max_sub_layers)?;
    let id = bits.golomb()?;
    if bits.golomb()? == 3 {
        bits.skip(1);
    }
    bits.skip_golombs(2)?;
    if bits.flag()? {
        bits.skip_golombs(4)?;
    }
    bits.skip_golombs(2)?;
    let order_count_bits = bits.golomb()? as usize + 4;
    let orderings = if bits.flag()? { max_sub_layers + 1 } else { 1 };
    bits.skip_golombs(3 * orderings + 6)?;
    if bits.flag()? && bits.flag()? {
        skip_scaling_lists(bits)?;
    }
    bits.skip(2);
    // pcm_enabled_flag
    if bits.flag()? {
        bits.skip(8);
        bits.skip_golombs(2)?;
        bits.skip(1);
    }
    skip_reference_sets(bits)?;
    // long_term_ref_pics_present_flag
    if bits.flag()? {
        for _ in 0..bits.golomb()?.min(32) {
            bits.skip(order_count_bits + 1);
        }
    }
    bits.skip(2);
    let colors = if bits.flag()? { bits.colors()? } else { ColorNumbers::UNSPECIFIED };
    Some((id, colors))
}

/// Skips `profile_tier_level(1, max_sub_layers)`: 7.3.3.
fn skip_profile_tier_level(bits: &mut Bits<'_>, max_sub_layers: u32) -> Option<()> {
    const PROFILE: usize = 88;
    const LEVEL: usize = 8;
    bits.skip(PROFILE + LEVEL);
    let mut sub_layers = 0;
    for _ in 0..max_sub_layers {
        sub_layers += if bits.flag()? { PROFILE } else { 0 } + if bits.flag()? { LEVEL } else { 0 };
    }
    if max_sub_layers > 0 {
        bits.skip(2 * (8 - max_sub_layers as usize));
    }
    bits.skip(sub_layers);
    Some(())
}

/// Skips `scaling_list_data()`: 7.3.4.
fn skip_scaling_lists(bits: &mut Bits<'_>) -> Option<()> {
    for size in 0..4_u32 {
        for _ in 0..if size == 3 { 2 } else { 6 } {
            let coefficients = if bits.flag()? { 64.min(1 << (4 + 2 * size)) + u32::from(size > 1) } else { 1 };
            bits.skip_golombs(coefficients)?;
        }
    }
    Some(())
}

/// Skips the number of `st_ref_pic_set()` and all of them: 7.3.7.
fn skip_reference_sets(bits: &mut Bits<'_>) -> Option<()> {
    const MAX_SETS: u32 = 64;
    const MAX_PICTURES: u32 = 16;
    let mut pictures = 0;
    for set in 0..bits.golomb().filter(|sets| *sets <= MAX_SETS)? {
        // inter_ref_pic_set_prediction_flag
        if set > 0 && bits.flag()? {
            bits.skip(1);
            bits.skip_golombs(1)?;
            let mut kept = 0;
            for _ in 0..=pictures {
                // used_by_curr_pic_flag, or else use_delta_flag
                kept += u32::from(bits.flag()? || bits.flag()?);
            }
            pictures = kept;
        } else {
            let (negative, positive) = (bits.golomb()?, bits.golomb()?);
            pictures = negative.checked_add(positive).filter(|pictures| *pictures <= MAX_PICTURES)?;
            for _ in 0..pictures {
                bits.skip_golombs(1)?;
                bits.skip(1);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::framing::packets::{framed, with_lengths, with_start_codes};
    use super::*;

    /// Returns a sequence parameter set with this many temporal sub-layers.
    fn parameters(layers: u8) -> [u8; 4] {
        [33 << 1, 1, (layers - 1) << 1 | 1, 0x01]
    }

    /// Returns a unit of this type in the base layer, with some payload.
    fn of_type(unit_type: u8, temporal_id: u8) -> [u8; 4] {
        [unit_type << 1, temporal_id + 1, 0xd0, 0x80]
    }

    /// Returns a configuration that holds each of these units in an array of its own.
    fn configuration(lengths: u8, units: &[&[u8]]) -> Vec<u8> {
        let mut bytes = [&[1; 21][..], &[0xf0 | lengths, units.len() as u8]].concat();
        for unit in units {
            bytes.extend([&[0xa0 | unit[0] >> 1, 0, 1], &(unit.len() as u16).to_be_bytes()[..], unit].concat());
        }
        bytes
    }

    /// Checks whether a packet of these units can be skipped in a stream with this many sub-layers.
    #[track_caller]
    fn check(layers: u8, units: &[&[u8]], expected: bool) {
        for (framing, packet) in framed(units) {
            let stream = Hevc { framing, highest_temporal_id: Some(layers - 1) };
            assert_eq!(stream.is_unreferenced(&packet), expected, "{stream:?}: {packet:02x?}");
        }
    }

    #[test]
    fn the_configuration_determines_framing_and_layer_count() {
        let known = |framing, highest_temporal_id| Some(Hevc { framing, highest_temporal_id });
        let others = [of_type(32, 0), of_type(34, 0)];
        let of_two = [&others[0][..], &parameters(2), &others[1]];
        for (lengths, size) in [(3, 4), (1, 2), (0, 1)] {
            let expected = known(NalFraming::Lengths(size), Some(1));
            assert_eq!(Hevc::of(&configuration(lengths, &of_two)), expected);
        }
        let of_more = [&parameters(1)[..], &parameters(7), &parameters(2)];
        assert_eq!(Hevc::of(&configuration(3, &of_more)), known(NalFraming::Lengths(4), Some(6)));
        assert_eq!(Hevc::of(&configuration(3, &[])), known(NalFraming::Lengths(4), None));
        assert_eq!(Hevc::of(&with_start_codes(&of_two)), known(NalFraming::StartCodes, Some(1)));
        assert_eq!(Hevc::of(&with_start_codes(&of_more)[1..]), known(NalFraming::StartCodes, Some(6)));
        assert_eq!(Hevc::of(&[]), known(NalFraming::StartCodes, None));
        let whole = configuration(3, &of_two);
        for length in 1..whole.len() {
            assert_eq!(Hevc::of(&whole[..length]), None, "{length} bytes");
        }
        assert_eq!(Hevc::of(&[&[0], &whole[1..]].concat()), None, "a version that is none");
    }

    #[test]
    fn parameter_sets_in_packets_can_only_raise_the_number_of_layers() {
        let mut stream = Hevc::of(&configuration(3, &[&parameters(2)])).expect("a configuration");
        let mut highest_after = |units: &[&[u8]]| {
            stream.learn(&with_lengths(units, 4));
            stream.highest_temporal_id
        };
        assert_eq!(highest_after(&[&of_type(35, 0), &parameters(1), &of_type(1, 0)]), Some(1));
        assert_eq!(highest_after(&[&of_type(35, 0), &of_type(32, 0), &parameters(4), &of_type(19, 0)]), Some(3));
        assert_eq!(highest_after(&[&parameters(3)]), Some(3));
        // A parameter set of another layer, a unit of another type and a truncated parameter set change nothing.
        assert_eq!(highest_after(&[&[33 << 1, 9, 6 << 1, 1], &[34 << 1, 1, 6 << 1, 1], &[33 << 1, 1]]), Some(3));
        assert_eq!(highest_after(&[&parameters(6)]), Some(5));
        let other = stream.reconfigured(&configuration(1, &[&parameters(1)]));
        assert_eq!(other, Some(Hevc { framing: NalFraming::Lengths(2), highest_temporal_id: Some(5) }));
        assert_eq!(stream.reconfigured(&[2]), None);
    }

    #[test]
    fn only_marked_pictures_in_the_highest_layer_are_unreferenced() {
        for unit_type in 0..64 {
            let expected = [0, 2, 4, 6, 8].contains(&unit_type);
            check(1, &[&of_type(unit_type, 0)], expected);
            check(3, &[&of_type(unit_type, 2)], expected);
            check(3, &[&of_type(unit_type, 1)], false);
            check(3, &[&of_type(unit_type, 0)], false);
            check(1, &[&of_type(unit_type, 1)], false);
        }
        check(1, &[&of_type(0, 0), &of_type(0, 0)], true);
        check(1, &[&of_type(0, 0), &of_type(1, 0)], false);
        check(1, &[&of_type(1, 0), &of_type(0, 0)], false);
        check(2, &[&of_type(0, 1), &of_type(0, 0)], false);
        let unknown = Hevc::of(&[]).expect("a stream without a configuration");
        assert!(!unknown.is_unreferenced(&with_start_codes(&[&of_type(0, 0)])));
    }

    #[test]
    fn packets_that_later_ones_may_need_are_kept() {
        let slice = of_type(0, 0);
        let timing = [39 << 1, 1, 1, 2, 0x11, 0x22, 0x80];
        let hash = [40 << 1, 1, 132, 1, 9, 0x80];
        let recovery = [39 << 1, 1, 6, 1, 0xc4, 0x80];
        check(
            1,
            &[&of_type(35, 0), &timing, &slice, &hash, &of_type(38, 0), &[62 << 1, 1, 25], &[63 << 1, 1, 0, 1]],
            true,
        );
        check(1, &[&recovery, &slice], false);
        check(1, &[&timing[..6], &slice], false);
        check(1, &[&timing, &hash], false);
        // Reserved and unspecified types, starting points, parameter sets, and the ends of a sequence and of the
        // stream.
        for other in [10, 16, 21, 32, 33, 34, 36, 37, 41, 48, 61] {
            check(1, &[&of_type(other, 0), &slice], false);
            check(1, &[&slice, &of_type(other, 0)], false);
        }
        // Another view or an enhancement layer, which may refer to our picture.
        check(1, &[&slice, &[0, 1 << 3 | 1, 0xd0, 0x80]], false);
        check(1, &[&slice, &[1, 1, 0xd0, 0x80]], false);
        // A bit that must be 0, a `nuh_temporal_id_plus1` that must not be, and half a header.
        for odd in [&[0x80, 1, 0xd0, 0x80][..], &[0, 0, 0xd0, 0x80], &[0]] {
            for framing in [NalFraming::Lengths(4), NalFraming::StartCodes] {
                let stream = Hevc { framing, highest_temporal_id: Some(0) };
                assert!(!stream.is_unreferenced(&with_lengths(&[&slice, odd], 4)), "{odd:02x?}");
            }
        }
    }

    #[test]
    fn packets_that_cannot_be_split_are_kept() {
        let stream = Hevc { framing: NalFraming::Lengths(4), highest_temporal_id: Some(0) };
        let packet = with_lengths(&[&of_type(0, 0)], 4);
        assert!(stream.is_unreferenced(&packet));
        for length in 0..packet.len() {
            assert!(!stream.is_unreferenced(&packet[..length]), "{length} bytes");
        }
        assert!(!stream.is_unreferenced(&[packet.as_slice(), &[0, 0]].concat()));
    }

    #[test]
    fn leading_pictures_of_the_first_starting_point_are_dropped_and_later_ones_are_not() {
        let left_out = |packets: &[&[[u8; 4]]]| -> Vec<bool> {
            let (stream, mut leading) = (Hevc::of(&[]).expect("start codes"), Leading::default());
            let units = |packet: &[[u8; 4]]| with_start_codes(&packet.iter().map(|unit| &unit[..]).collect::<Vec<_>>());
            packets.iter().map(|packet| stream.is_dropped(&units(packet), &mut leading)).collect()
        };
        let [trail, rasl, rasl_r, bla, idr, cra, end] =
            [1, 8, 9, 16, 19, 21, 36].map(|unit_type| of_type(unit_type, 0));
        // In a picture's second slice the flag is 0.
        let second = [cra[0], cra[1], 0x50, 0x80];
        assert_eq!(
            left_out(&[&[trail], &[cra, second], &[rasl], &[rasl_r], &[trail], &[cra], &[rasl], &[trail]]),
            [false, false, true, true, false, false, false, false]
        );
        assert_eq!(left_out(&[&[idr], &[trail], &[cra], &[rasl]]), [false; 4]);
        assert_eq!(left_out(&[&[idr], &[trail, end], &[cra], &[rasl]]), [false, false, false, true]);
        assert_eq!(left_out(&[&[idr], &[end, cra], &[rasl]]), [false, false, true]);
        assert_eq!(left_out(&[&[idr], &[bla], &[rasl], &[cra], &[rasl]]), [false, false, true, false, false]);
    }
}
