//! Packets of H.264. Names are those of ITU-T H.264, 7.3.1.

use super::framing::NalFraming;
use super::sei;

/// `nal_unit_type` of what may stand in a packet that can be left out.
mod unit {
    pub(super) const SLICE: u8 = 1;
    pub(super) const SEI: u8 = 6;
    pub(super) const DELIMITER: u8 = 9;
    pub(super) const FILLER: u8 = 12;
}

/// The bits of a unit's header that say of which type it is.
const TYPE: u8 = 0x1f;
/// More zeros before a number than any in a slice's header has: there are no more than 139,264 macroblocks.
const MOST_ZEROS: u32 = 18;

/// How packets are divided, as the decoder's configuration says it.
pub(super) fn framing(extradata: &[u8]) -> NalFraming {
    match extradata {
        [1, _, _, _, lengths, _, _, ..] => NalFraming::Lengths(usize::from(lengths & 3) + 1),
        _ => NalFraming::StartCodes,
    }
}

/// Whether the packet holds a picture to which no other refers (`nal_ref_idc` is 0 in all its slices), and nothing else that
/// later packets may need. No where that cannot be told.
pub(super) fn is_unreferenced(framing: NalFraming, packet: &[u8]) -> bool {
    let mut slices = 0;
    for unit in framing.units(packet) {
        let Some((&header, payload)) = unit.and_then(<[u8]>::split_first) else { return false };
        // One bit that is always 0, two of nal_ref_idc, five of nal_unit_type.
        match header {
            unit::SLICE => slices += 1,
            unit::DELIMITER | unit::FILLER => {}
            unit::SEI if sei::is_about_one_picture(payload) => {}
            _ => return false,
        }
    }
    slices > 0
}

/// Whether a slice of the packet's picture, or of its first field where it has two, is predicted from other pictures (P, B or SP).
pub(super) fn is_predicted(framing: NalFraming, packet: &[u8]) -> bool {
    let mut has_begun = false;
    for unit in framing.units(packet) {
        let Some((&header, payload)) = unit.and_then(<[u8]>::split_first) else { return false };
        if header & TYPE != unit::SLICE {
            continue;
        }
        let mut bits = Bits { bytes: payload, position: 0 };
        let Some((first_mb_in_slice, slice_type)) = bits.exp_golomb().zip(bits.exp_golomb()) else { return false };
        if first_mb_in_slice == 0 && std::mem::replace(&mut has_begun, true) {
            return false;
        }
        if matches!(slice_type % 5, 0 | 1 | 3) {
            return true;
        }
    }
    false
}

/// Bits of a slice's header, the high ones of each byte first. So near its beginning none of them keep start codes from appearing.
struct Bits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<u32> {
        let byte = self.bytes.get(self.position / 8)?;
        let bit = byte >> (7 - self.position % 8) & 1;
        self.position += 1;
        Some(u32::from(bit))
    }

    /// A number as `ue(v)` of 9.1 has it: as many zeros as it has bits behind the 1 that follows them.
    fn exp_golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while self.bit()? == 0 {
            zeros += 1;
        }
        let mut number = 1;
        for _ in 0..zeros.min(MOST_ZEROS) {
            number = number << 1 | self.bit()?;
        }
        (zeros <= MOST_ZEROS).then(|| number - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::framing::packets::{framed, with_lengths, with_start_codes};
    use super::*;

    const B_SLICE: &[u8] = &[0x01, 0x9e, 0x41, 0x79];
    const P_SLICE: &[u8] = &[0x41, 0x9a, 0x24, 0x6c];
    const DELIMITER: &[u8] = &[0x09, 0xf0];
    /// A message of picture timing, two bytes long.
    const TIMING: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x80];
    /// The same, and a recovery point behind it.
    const RECOVERY: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x06, 0x01, 0xc4, 0x80];

    #[track_caller]
    fn check(units: &[&[u8]], expected: bool) {
        for (framing, packet) in framed(units) {
            assert_eq!(is_unreferenced(framing, &packet), expected, "{framing:?}: {packet:02x?}");
        }
    }

    #[test]
    fn the_configuration_says_how_packets_are_divided() {
        let configuration = |lengths| [1, 100, 0, 40, lengths, 0xe1, 0];
        assert_eq!(framing(&configuration(0xff)), NalFraming::Lengths(4));
        assert_eq!(framing(&configuration(0xfd)), NalFraming::Lengths(2));
        assert_eq!(framing(&configuration(0xfc)), NalFraming::Lengths(1));
        assert_eq!(framing(&[0, 0, 0, 1, 0x67, 100, 0, 40]), NalFraming::StartCodes);
        assert_eq!(framing(&[1, 100, 0, 40, 0xff, 0xe1]), NalFraming::StartCodes);
        assert_eq!(framing(&[]), NalFraming::StartCodes);
    }

    #[test]
    fn a_picture_is_unreferenced_if_all_its_slices_say_so() {
        check(&[B_SLICE], true);
        check(&[B_SLICE, B_SLICE], true);
        check(&[P_SLICE], false);
        check(&[B_SLICE, P_SLICE], false);
        check(&[P_SLICE, B_SLICE], false);
        check(&[&[0x61, 1], B_SLICE], false);
        check(&[&[0x65, 1]], false);
    }

    #[test]
    fn what_later_packets_may_need_is_kept() {
        check(&[DELIMITER, TIMING, B_SLICE, &[0x0c, 0xff, 0x80]], true);
        // Parameter sets, a data partition, the end of a sequence, an extension, and a bit that must be 0.
        for first in [0x67, 0x68, 0x02, 0x0a, 0x14, 0x81] {
            check(&[&[first, 0x80], B_SLICE], false);
        }
        check(&[RECOVERY, B_SLICE], false);
        check(&[&RECOVERY[..8], B_SLICE], false);
        check(&[DELIMITER, TIMING], false);
    }

    #[test]
    fn a_picture_is_predicted_if_a_slice_of_its_first_field_says_so() {
        let check = |units: &[&[u8]], expected: bool| {
            for (framing, packet) in framed(units) {
                assert_eq!(is_predicted(framing, &packet), expected, "{framing:?}: {packet:02x?}");
            }
        };
        // first_mb_in_slice is 0, a single 1; slice_type 0, 1 and so on are 1, 010, 011, 00100, 00101, 00110, 00111, 0001000.
        let of_type =
            [0b1100_0000, 0b1010_0000, 0b1011_0000, 0b1001_0000, 0b1001_0100, 0b1001_1000, 0b1001_1100, 0b1000_1000];
        for (slice_type, first) in of_type.into_iter().enumerate() {
            check(&[DELIMITER, TIMING, &[0x61, first, 0x80]], !matches!(slice_type, 2 | 4 | 7));
        }
        // A second slice that begins with macroblock 1, which is 010, and of type P, 1.
        check(&[&[0x61, 0b1011_0000, 0x80], &[0x61, 0b0101_0000, 0x80]], true);
        // With macroblock 0 a second field begins.
        check(&[&[0x61, 0b1011_0000, 0x80], &[0x61, 0b1100_0000, 0x80]], false);
        // One that begins a group, and what holds no picture.
        check(&[&[0x65, 0b1100_0000, 0x80]], false);
        check(&[DELIMITER, TIMING], false);
        // Macroblock 9999: 13 zeros before the 14 bits of 10000; then type P, and I.
        check(&[&[0x61, 0b0000_0000, 0b0000_0100, 0b1110_0010, 0b0001_0000, 0x80]], true);
        check(&[&[0x61, 0b0000_0000, 0b0000_0100, 0b1110_0010, 0b0000_1100, 0x80]], false);
    }

    #[test]
    fn a_slice_whose_header_cannot_be_read_is_not_called_predicted() {
        check_not(&[0x61]);
        check_not(&[0x61, 0, 0, 0]);
        check_not(&[0x61, 0, 0, 0, 0x80, 0, 0, 0xff, 0xff]);
        assert!(!is_predicted(NalFraming::StartCodes, &[0x61, 0b1100_0000]));

        fn check_not(unit: &[u8]) {
            assert!(!is_predicted(NalFraming::Lengths(4), &with_lengths(&[unit], 4)), "{unit:02x?}");
        }
    }

    #[test]
    fn what_cannot_be_divided_is_kept() {
        let packet = with_lengths(&[B_SLICE], 4);
        for length in 0..packet.len() {
            assert!(!is_unreferenced(NalFraming::Lengths(4), &packet[..length]), "{length} bytes");
        }
        assert!(!is_unreferenced(NalFraming::Lengths(4), &[packet.as_slice(), &[0, 0]].concat()));
        assert!(!is_unreferenced(NalFraming::Lengths(4), &[0, 0, 0, 0]));
        assert!(!is_unreferenced(NalFraming::StartCodes, &[]));
        assert!(!is_unreferenced(NalFraming::StartCodes, B_SLICE));
        assert!(!is_unreferenced(NalFraming::StartCodes, &[&[9], with_start_codes(&[B_SLICE]).as_slice()].concat()));
        // A start code may be three bytes long, and zeros may stand behind a unit.
        assert!(is_unreferenced(NalFraming::StartCodes, &[0, 0, 1, 0x01, 0x9e, 0x80, 0, 0]));
    }
}
