//! Splitting of packets into NAL units: by start codes (ITU-T H.264 and H.265, annex B) or by lengths (ISO/IEC
//! 14496-15).

/// The prefix of each unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::av) enum NalFraming {
    /// The unit's length, stored in this many bytes.
    Lengths(usize),
    /// A start code.
    StartCodes,
}

impl NalFraming {
    /// Iterates over the units of a packet, in order. If the packet cannot be split any further, ends with a single
    /// `None`.
    pub(super) fn units(self, packet: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
        let mut rest = match self {
            Self::Lengths(_) => Some(packet),
            // Only zeros may precede the first start code; they belong to no unit.
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

    /// Splits off the first unit. Returns it and the rest.
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

/// Splits the bytes at the first start code. Returns the bytes before and after it.
fn after_start_code(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.windows(3).position(|window| window == [0, 0, 1])?;
    Some((&bytes[..at], &bytes[at + 3..]))
}

/// Packets built from given units, for tests.
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

    /// Returns a packet of these units in every framing.
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

    /// Returns all units, or `None` if the packet cannot be split.
    fn all(framing: NalFraming, packet: &[u8]) -> Option<Vec<&[u8]>> {
        framing.units(packet).collect()
    }

    #[test]
    fn a_packet_is_split_into_its_units() {
        for (framing, packet) in framed(&UNITS) {
            let expected = match framing {
                // The extra zero of a four-byte start code is counted as part of the unit before it.
                NalFraming::StartCodes => vec![&[0x09, 0xf0, 0][..], &[0x01, 0x9e, 0x41, 0x79, 0], UNITS[2]],
                NalFraming::Lengths(_) => UNITS.to_vec(),
            };
            assert_eq!(all(framing, &packet), Some(expected), "{framing:?}: {packet:02x?}");
        }
        assert_eq!(all(NalFraming::StartCodes, &[0, 0, 1, 7, 0, 0, 1, 8, 9]), Some(vec![&[7][..], &[8, 9]]));
        assert_eq!(all(NalFraming::Lengths(4), &[]), Some(Vec::new()));
    }

    #[test]
    fn lengths_are_big_endian() {
        let long = [0x55; 70_000];
        for (size, length) in [(2, 300), (4, 300), (3, 70_000), (4, 70_000)] {
            let packet = with_lengths(&[&long[..length], UNITS[1]], size);
            let units = all(NalFraming::Lengths(size), &packet);
            assert_eq!(units, Some(vec![&long[..length], UNITS[1]]), "{length} bytes behind {size}");
        }
    }

    #[test]
    fn units_that_cannot_be_split_are_none() {
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
