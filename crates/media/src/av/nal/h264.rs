//! H.264 packets. Names are those of ITU-T H.264, 7.3.1.

use super::framing::NalFraming;
use super::sei;

/// `nal_unit_type` of units that a skippable packet may contain.
mod unit {
    pub(super) const SLICE: u8 = 1;
    pub(super) const SEI: u8 = 6;
    pub(super) const DELIMITER: u8 = 9;
    pub(super) const FILLER: u8 = 12;
}

/// Returns how packets are split into units, according to the decoder's configuration.
pub(super) fn framing(extradata: &[u8]) -> NalFraming {
    match extradata {
        [1, _, _, _, lengths, _, _, ..] => NalFraming::Lengths(usize::from(lengths & 3) + 1),
        _ => NalFraming::StartCodes,
    }
}

/// Returns `true` if the packet holds a picture to which no other refers (`nal_ref_idc` is 0 in all its slices), and
/// nothing else that later packets may need. Returns `false` if in doubt.
pub(super) fn is_unreferenced(framing: NalFraming, packet: &[u8]) -> bool {
    let mut slices = 0;
    for unit in framing.units(packet) {
        let Some((&header, payload)) = unit.and_then(<[u8]>::split_first) else { return false };
        // One bit that is always 0, two bits of nal_ref_idc, five of nal_unit_type.
        match header {
            unit::SLICE => slices += 1,
            unit::DELIMITER | unit::FILLER => {}
            unit::SEI if sei::is_about_one_picture(payload) => {}
            _ => return false,
        }
    }
    slices > 0
}

#[cfg(test)]
mod tests {
    use super::super::framing::packets::{framed, with_lengths, with_start_codes};
    use super::*;

    const B_SLICE: &[u8] = &[0x01, 0x9e, 0x41, 0x79];
    const P_SLICE: &[u8] = &[0x41, 0x9a, 0x24, 0x6c];
    const DELIMITER: &[u8] = &[0x09, 0xf0];
    /// A picture timing message, two bytes long.
    const TIMING: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x80];
    /// The same message followed by a recovery point.
    const RECOVERY: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x06, 0x01, 0xc4, 0x80];

    #[track_caller]
    fn check(units: &[&[u8]], expected: bool) {
        for (framing, packet) in framed(units) {
            assert_eq!(is_unreferenced(framing, &packet), expected, "{framing:?}: {packet:02x?}");
        }
    }

    #[test]
    fn the_configuration_determines_the_framing() {
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
    fn packets_that_later_ones_may_need_are_kept() {
        check(&[DELIMITER, TIMING, B_SLICE, &[0x0c, 0xff, 0x80]], true);
        // Parameter sets, a data partition, an end of sequence, an extension, and a bit that must be 0.
        for first in [0x67, 0x68, 0x02, 0x0a, 0x14, 0x81] {
            check(&[&[first, 0x80], B_SLICE], false);
        }
        check(&[RECOVERY, B_SLICE], false);
        check(&[&RECOVERY[..8], B_SLICE], false);
        check(&[DELIMITER, TIMING], false);
    }

    #[test]
    fn packets_that_cannot_be_split_are_kept() {
        let packet = with_lengths(&[B_SLICE], 4);
        for length in 0..packet.len() {
            assert!(!is_unreferenced(NalFraming::Lengths(4), &packet[..length]), "{length} bytes");
        }
        assert!(!is_unreferenced(NalFraming::Lengths(4), &[packet.as_slice(), &[0, 0]].concat()));
        assert!(!is_unreferenced(NalFraming::Lengths(4), &[0, 0, 0, 0]));
        assert!(!is_unreferenced(NalFraming::StartCodes, &[]));
        assert!(!is_unreferenced(NalFraming::StartCodes, B_SLICE));
        assert!(!is_unreferenced(NalFraming::StartCodes, &[&[9], with_start_codes(&[B_SLICE]).as_slice()].concat()));
        // A start code may be three bytes long, and zeros may follow a unit.
        assert!(is_unreferenced(NalFraming::StartCodes, &[0, 0, 1, 0x01, 0x9e, 0x80, 0, 0]));
    }
}
