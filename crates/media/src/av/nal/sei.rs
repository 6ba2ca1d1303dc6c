//! Supplemental enhancement information (SEI), ITU-T H.264 and H.265, 7.3.2.3 and 7.3.5; both use the same syntax.

/// `payloadType` values of messages that concern only the picture they come with, in H.264 and H.265 alike, as far as
/// each has them. Other messages also affect later pictures: their rotation, the meaning of their codes, or the point
/// from which they are complete.
mod about_one_picture {
    pub(super) const PICTURE_TIMING: usize = 1;
    pub(super) const FILLER: usize = 3;
    /// Captions, for instance.
    pub(super) const REGISTERED_USER_DATA: usize = 4;
    pub(super) const UNREGISTERED_USER_DATA: usize = 5;
    pub(super) const DECODING_UNIT: usize = 130;
    pub(super) const PICTURE_HASH: usize = 132;
    pub(super) const TIME_CODE: usize = 136;
}

/// Returns `true` if a unit's payload can be read to its end and concerns only the picture it comes with.
pub(super) fn is_about_one_picture(payload: &[u8]) -> bool {
    use about_one_picture::*;
    let is_about_one = |kind| {
        matches!(
            kind,
            PICTURE_TIMING
                | FILLER
                | REGISTERED_USER_DATA
                | UNREGISTERED_USER_DATA
                | DECODING_UNIT
                | PICTURE_HASH
                | TIME_CODE
        )
    };
    messages(payload).is_some_and(|messages| messages.iter().all(|(kind, _)| is_about_one(*kind)))
}

/// Returns the messages of a unit's payload, each with its `payloadType`; `None` if the payload cannot be read to its
/// end.
pub(super) fn messages(payload: &[u8]) -> Option<Vec<(usize, Vec<u8>)>> {
    let bytes = without_escapes(payload);
    let end = bytes.iter().rposition(|byte| *byte != 0);
    // A stop bit of 1 follows the messages.
    let mut rest = end.filter(|end| bytes[*end] == 0x80).map(|end| &bytes[..end])?;
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (kind, behind) = long_number(rest)?;
        let (length, behind) = long_number(behind)?;
        let (message, behind) = behind.split_at_checked(length)?;
        messages.push((kind, message.to_vec()));
        rest = behind;
    }
    Some(messages)
}

/// Reads a number as SEI codes it: a run of bytes of 255 and one other byte, all added up. Also returns the rest.
fn long_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let full = bytes.iter().position(|byte| *byte != 255)?;
    Some((full * 255 + usize::from(bytes[full]), &bytes[full + 1..]))
}

/// Returns a unit's bytes without the emulation prevention bytes, which keep start codes from appearing in it.
pub(super) fn without_escapes(bytes: &[u8]) -> Vec<u8> {
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

    #[test]
    fn messages_about_later_pictures_are_noticed() {
        for kind in [1, 3, 4, 5, 130, 132, 136] {
            assert!(is_about_one_picture(&[kind, 1, 9, 0x80]), "message {kind}");
            assert!(is_about_one_picture(&[kind, 1, 9, 5, 1, 9, 0x80]), "message {kind} before another");
        }
        // Buffering period, recovery point, display orientation, active parameter sets, mastering display, an
        // alternative transfer function, and an undefined type.
        for kind in [0, 6, 47, 129, 137, 147, 250] {
            assert!(!is_about_one_picture(&[kind, 1, 9, 0x80]), "message {kind}");
            assert!(!is_about_one_picture(&[5, 1, 9, kind, 1, 9, 0x80]), "message {kind} behind another");
        }
    }

    #[test]
    fn messages_are_read_to_their_end_and_malformed_ones_are_rejected() {
        let long = [&[5, 255, 45][..], &[7; 300], &[0x80]].concat();
        assert!(is_about_one_picture(&long));
        assert!(!is_about_one_picture(&long[..250]));
        assert!(!is_about_one_picture(&[255, 1, 0, 0x80]), "a message of kind 256, and not 1");
        assert!(!is_about_one_picture(&[4, 3, 1, 2, 0x80]), "a message that ends behind the unit");
        assert!(!is_about_one_picture(&[4, 0x80]), "a message without a length");
        assert!(!is_about_one_picture(&[4, 1, 9, 0x40]), "no bit at the end");
        assert!(!is_about_one_picture(&[]));
        // Four zero bytes with an emulation prevention byte between them, then a recovery point.
        assert!(is_about_one_picture(&[4, 4, 0, 0, 3, 0, 0, 0x80]));
        assert!(!is_about_one_picture(&[4, 4, 0, 0, 3, 0, 0, 6, 1, 9, 0x80]));
        // A byte of 3 is skipped only after two zeros.
        assert!(is_about_one_picture(&[4, 3, 0, 3, 1, 0x80]));
        assert!(is_about_one_picture(&[4, 4, 0, 1, 0, 3, 0x80]));
    }
}
