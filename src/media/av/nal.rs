//! What packets of H.264 say of themselves, read without decoding them.
//!
//! Names are those of ITU-T H.264: 7.3.1 (NAL units), 7.3.2.3 (SEI), annex B (start codes); lengths in place of start codes are
//! ISO/IEC 14496-15's.

/// `nal_unit_type` of what may stand in a packet that can be left out.
mod unit {
    pub(super) const SLICE: u8 = 1;
    pub(super) const SEI: u8 = 6;
    pub(super) const DELIMITER: u8 = 9;
    pub(super) const FILLER: u8 = 12;
}

/// `payloadType` of a recovery point, by which a decoder tells which of the pictures that follow are whole.
const RECOVERY_POINT: usize = 6;

/// How packets are divided into NAL units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NalFraming {
    /// Each unit stands behind its length, which takes so many bytes.
    Lengths(usize),
    /// Each unit stands behind a start code.
    StartCodes,
}

impl NalFraming {
    /// As the decoder's configuration says it.
    pub(super) fn of(extradata: &[u8]) -> Self {
        match extradata {
            [1, _, _, _, lengths, _, _, ..] => Self::Lengths(usize::from(lengths & 3) + 1),
            _ => Self::StartCodes,
        }
    }

    /// Whether the packet holds a picture to which no other refers (`nal_ref_idc` is 0 in all its slices), and nothing else that
    /// later packets may need. No where that cannot be told.
    pub(super) fn is_unreferenced(self, packet: &[u8]) -> bool {
        let mut rest = match self {
            Self::Lengths(_) => packet,
            Self::StartCodes => match after_start_code(packet) {
                // What stands before the first start code belongs to no unit.
                Some((before, rest)) if before.iter().all(|byte| *byte == 0) => rest,
                _ => return false,
            },
        };
        let mut slices = 0;
        while !rest.is_empty() {
            let Some((unit, behind)) = self.split(rest) else { return false };
            rest = behind;
            let Some((&header, payload)) = unit.split_first() else { return false };
            // One bit that is always 0, two of nal_ref_idc, five of nal_unit_type.
            match header {
                unit::SLICE => slices += 1,
                unit::DELIMITER | unit::FILLER => {}
                unit::SEI if tells_no_recovery_point(payload) => {}
                _ => return false,
            }
        }
        slices > 0
    }

    /// The unit at the beginning, and what comes behind it.
    fn split(self, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        match self {
            Self::Lengths(size) => {
                let (length, rest) = bytes.split_at_checked(size)?;
                let length = length.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
                rest.split_at_checked(length)
            }
            Self::StartCodes => Some(after_start_code(bytes).unwrap_or((bytes, &[]))),
        }
    }
}

/// What stands before the first start code, and what behind it.
fn after_start_code(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.windows(3).position(|window| window == [0, 0, 1])?;
    Some((&bytes[..at], &bytes[at + 3..]))
}

/// Whether supplemental information can be read to its end and tells of no recovery point.
fn tells_no_recovery_point(payload: &[u8]) -> bool {
    let messages = without_escapes(payload);
    let end = messages.iter().rposition(|byte| *byte != 0);
    // Behind the messages stands a bit that is 1.
    let Some(mut rest) = end.filter(|end| messages[*end] == 0x80).map(|end| &messages[..end]) else { return false };
    while !rest.is_empty() {
        let Some((kind, behind)) = long_number(rest) else { return false };
        let Some((length, behind)) = long_number(behind) else { return false };
        if kind == RECOVERY_POINT || length > behind.len() {
            return false;
        }
        rest = &behind[length..];
    }
    true
}

/// A number as SEI has it: the sum of bytes of 255 and the first other one.
fn long_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let full = bytes.iter().position(|byte| *byte != 255)?;
    Some((full * 255 + usize::from(bytes[full]), &bytes[full + 1..]))
}

/// A unit's bytes without those that keep start codes from appearing in it.
fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut zeros = 0;
    for &byte in bytes {
        if zeros >= 2 && byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        plain.push(byte);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const B_SLICE: &[u8] = &[0x01, 0x9e, 0x41, 0x79];
    const P_SLICE: &[u8] = &[0x41, 0x9a, 0x24, 0x6c];
    const DELIMITER: &[u8] = &[0x09, 0xf0];
    /// A message of picture timing, two bytes long.
    const TIMING: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x80];
    /// The same, and a recovery point behind it.
    const RECOVERY: &[u8] = &[0x06, 0x01, 0x02, 0x11, 0x22, 0x06, 0x01, 0xc4, 0x80];

    fn with_lengths(units: &[&[u8]], size: usize) -> Vec<u8> {
        let framed = units.iter().map(|unit| [&(unit.len() as u32).to_be_bytes()[4 - size..], unit].concat());
        framed.collect::<Vec<_>>().concat()
    }

    fn with_start_codes(units: &[&[u8]]) -> Vec<u8> {
        units.iter().map(|unit| [&[0, 0, 0, 1], *unit].concat()).collect::<Vec<_>>().concat()
    }

    #[track_caller]
    fn check(units: &[&[u8]], expected: bool) {
        for size in [1, 2, 4] {
            let packet = with_lengths(units, size);
            assert_eq!(
                NalFraming::Lengths(size).is_unreferenced(&packet),
                expected,
                "lengths of {size}: {packet:02x?}"
            );
        }
        let packet = with_start_codes(units);
        assert_eq!(NalFraming::StartCodes.is_unreferenced(&packet), expected, "{packet:02x?}");
    }

    #[test]
    fn the_configuration_says_how_packets_are_divided() {
        let configuration = |lengths| [1, 100, 0, 40, lengths, 0xe1, 0];
        assert_eq!(NalFraming::of(&configuration(0xff)), NalFraming::Lengths(4));
        assert_eq!(NalFraming::of(&configuration(0xfd)), NalFraming::Lengths(2));
        assert_eq!(NalFraming::of(&configuration(0xfc)), NalFraming::Lengths(1));
        assert_eq!(NalFraming::of(&[0, 0, 0, 1, 0x67, 100, 0, 40]), NalFraming::StartCodes);
        assert_eq!(NalFraming::of(&[1, 100, 0, 40, 0xff, 0xe1]), NalFraming::StartCodes);
        assert_eq!(NalFraming::of(&[]), NalFraming::StartCodes);
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
    fn a_length_has_its_high_bytes_first() {
        let long = [B_SLICE, &[0x55; 70_000]].concat();
        for (size, length) in [(2, 300), (4, 300), (3, 70_000), (4, 70_000)] {
            let packet = with_lengths(&[&long[..length], B_SLICE], size);
            assert!(NalFraming::Lengths(size).is_unreferenced(&packet), "{length} bytes behind {size}");
            let packet = with_lengths(&[&long[..length], P_SLICE], size);
            assert!(!NalFraming::Lengths(size).is_unreferenced(&packet), "{length} bytes behind {size}");
        }
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
    fn supplemental_information_is_read_to_its_end_or_not_at_all() {
        let long = [&[5, 255, 45][..], &[7; 300], &[0x80]].concat();
        assert!(tells_no_recovery_point(&long));
        assert!(!tells_no_recovery_point(&long[..250]));
        assert!(tells_no_recovery_point(&[255, 1, 0, 0x80]), "a message of kind 256");
        assert!(!tells_no_recovery_point(&[4, 3, 1, 2, 0x80]), "a message that ends behind the unit");
        assert!(!tells_no_recovery_point(&[4, 0x80]), "a message without a length");
        assert!(!tells_no_recovery_point(&[4, 1, 9, 0x40]), "no bit at the end");
        assert!(!tells_no_recovery_point(&[]));
        // Four bytes of zeros, between which one keeps them from being a start code; then a recovery point.
        assert!(tells_no_recovery_point(&[4, 4, 0, 0, 3, 0, 0, 0x80]));
        assert!(!tells_no_recovery_point(&[4, 4, 0, 0, 3, 0, 0, 6, 1, 9, 0x80]));
        // Only behind two zeros is it one that is left out.
        assert!(tells_no_recovery_point(&[4, 3, 0, 3, 1, 0x80]));
        assert!(tells_no_recovery_point(&[4, 4, 0, 1, 0, 3, 0x80]));
    }

    #[test]
    fn what_cannot_be_divided_is_kept() {
        let packet = with_lengths(&[B_SLICE], 4);
        for length in 0..packet.len() {
            assert!(!NalFraming::Lengths(4).is_unreferenced(&packet[..length]), "{length} bytes");
        }
        assert!(!NalFraming::Lengths(4).is_unreferenced(&[packet.as_slice(), &[0, 0]].concat()));
        assert!(!NalFraming::Lengths(4).is_unreferenced(&[0, 0, 0, 0]));
        assert!(!NalFraming::StartCodes.is_unreferenced(&[]));
        assert!(!NalFraming::StartCodes.is_unreferenced(B_SLICE));
        assert!(!NalFraming::StartCodes.is_unreferenced(&[&[9], with_start_codes(&[B_SLICE]).as_slice()].concat()));
        // A start code may be three bytes long, and zeros may stand behind a unit.
        assert!(NalFraming::StartCodes.is_unreferenced(&[0, 0, 1, 0x01, 0x9e, 0x80, 0, 0]));
    }
}
