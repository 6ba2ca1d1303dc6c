//! How packets are divided into NAL units: by start codes, ITU-T H.264 and H.265 annex B, or by lengths, ISO/IEC 14496-15.

/// The mark before each unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::av) enum NalFraming {
    /// Its length, which takes so many bytes.
    Lengths(usize),
    /// A start code.
    StartCodes,
}

impl NalFraming {
    /// The units of a packet, in their order; in place of the first that cannot be told from the others `None`, and then no more.
    pub(super) fn units(self, packet: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
        let mut rest = match self {
            Self::Lengths(_) => Some(packet),
            // What stands before the first start code belongs to no unit.
            Self::StartCodes => after_start_code(packet)
                .filter(|(before, _)| before.iter().all(|byte| *byte == 0))
                .map(|(_, behind)| behind),
        };
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over || rest.is_some_and(<[u8]>::is_empty) {
                return None;
            }
            let split = rest.and_then(|rest| self.split(rest));
            is_over = split.is_none();
            rest = split.map(|(_, behind)| behind);
            Some(split.map(|(unit, _)| unit))
        })
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

/// Splits the bytes at the first start code: those before it, and those behind it.
fn after_start_code(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.windows(3).position(|window| window == [0, 0, 1])?;
    Some((&bytes[..at], &bytes[at + 3..]))
}

/// Packets of given units, for tests.
#[cfg(test)]
pub(super) mod packets {
    use super::NalFraming;

    pub(in super::super) fn with_lengths(units: &[&[u8]], size: usize) -> Vec<u8> {
        let framed = units.iter().map(|unit| [&(unit.len() as u32).to_be_bytes()[4 - size..], unit].concat());
        framed.collect::<Vec<_>>().concat()
    }

    pub(in super::super) fn with_start_codes(units: &[&[u8]]) -> Vec<u8> {
        units.iter().map(|unit| [&[0, 0, 0, 1], *unit].concat()).collect::<Vec<_>>().concat()
    }

    /// The same units in a packet of every framing.
    pub(in super::super) fn framed(units: &[&[u8]]) -> Vec<(NalFraming, Vec<u8>)> {
        let lengths = [1, 2, 4].map(|size| (NalFraming::Lengths(size), with_lengths(units, size)));
        lengths.into_iter().chain([(NalFraming::StartCodes, with_start_codes(units))]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::packets::{framed, with_lengths, with_start_codes};
    use super::*;

    const UNITS: [&[u8]; 3] = [&[0x09, 0xf0], &[0x01, 0x9e, 0x41, 0x79], &[0x41, 0x9a, 0x24]];

    /// All units, or `None` where the packet cannot be divided.
    fn all(framing: NalFraming, packet: &[u8]) -> Option<Vec<&[u8]>> {
        framing.units(packet).collect()
    }

    #[test]
    fn a_packet_is_divided_into_its_units() {
        for (framing, packet) in framed(&UNITS) {
            let expected = match framing {
                // The zero of a longer start code stands behind the unit before it.
                NalFraming::StartCodes => vec![&[0x09, 0xf0, 0][..], &[0x01, 0x9e, 0x41, 0x79, 0], UNITS[2]],
                NalFraming::Lengths(_) => UNITS.to_vec(),
            };
            assert_eq!(all(framing, &packet), Some(expected), "{framing:?}: {packet:02x?}");
        }
        assert_eq!(all(NalFraming::StartCodes, &[0, 0, 1, 7, 0, 0, 1, 8, 9]), Some(vec![&[7][..], &[8, 9]]));
        assert_eq!(all(NalFraming::Lengths(4), &[]), Some(Vec::new()));
    }

    #[test]
    fn a_length_has_its_high_bytes_first() {
        let long = [0x55; 70_000];
        for (size, length) in [(2, 300), (4, 300), (3, 70_000), (4, 70_000)] {
            let packet = with_lengths(&[&long[..length], UNITS[1]], size);
            let units = all(NalFraming::Lengths(size), &packet);
            assert_eq!(units, Some(vec![&long[..length], UNITS[1]]), "{length} bytes behind {size}");
        }
    }

    #[test]
    fn units_that_cannot_be_divided_are_none() {
        let packet = with_lengths(&[UNITS[1]], 4);
        for length in 1..packet.len() {
            assert_eq!(all(NalFraming::Lengths(4), &packet[..length]), None, "{length} bytes");
        }
        let with_more = [packet.as_slice(), &[0, 0]].concat();
        assert_eq!(NalFraming::Lengths(4).units(&with_more).collect::<Vec<_>>(), [Some(UNITS[1]), None]);
        assert_eq!(all(NalFraming::StartCodes, &[]), None);
        assert_eq!(all(NalFraming::StartCodes, UNITS[1]), None);
        assert_eq!(all(NalFraming::StartCodes, &[&[9], with_start_codes(&[UNITS[1]]).as_slice()].concat()), None);
    }
}
