//! WebP pictures without their alpha, which nothing here counts.
//!
//! FFmpeg 5.1 ends the whole process by an assertion where the alpha of a picture is damaged and its colour is not: its decoder has made a
//! frame by then and returns an error all the same. What brings that about is hidden from it, so that it never happens: a chunk of a
//! kind that no decoder knows is passed over.

use super::AvError;
use super::packet::AvPacket;

/// The kind that hidden chunks get.
const HIDDEN: &[u8; 4] = b"JUNK";
/// Bytes before the first chunk, and of the head of each.
const FILE_HEAD: usize = 12;
const CHUNK_HEAD: usize = 8;

impl AvPacket {
    /// The packet of a WebP picture as the decoder gets it.
    pub(super) fn without_webp_alpha(&self) -> Result<Self, AvError> {
        let mut packet = self.share()?;
        hide_alpha(packet.data_mut()?);
        Ok(packet)
    }
}

/// Hides alpha, and what else makes FFmpeg's decoder fail behind the colour: a second header, and a chunk of an impossible size.
/// The chunks are walked as that decoder does.
fn hide_alpha(file: &mut [u8]) {
    let mut at = FILE_HEAD;
    while let Some([kind @ .., s0, s1, s2, s3]) =
        file.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<CHUNK_HEAD>())
    {
        let size = u32::from_le_bytes([*s0, *s1, *s2, *s3]);
        if kind == b"ALPH" || (kind == b"VP8X" && at > FILE_HEAD) {
            kind.copy_from_slice(HIDDEN);
        }
        if size == u32::MAX {
            (*s0, *s1, *s2, *s3) = (0, 0, 0, 0);
            at += CHUNK_HEAD;
            continue;
        }
        let Ok(size) = usize::try_from(size + size % 2) else { return };
        at = at.saturating_add(CHUNK_HEAD).saturating_add(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(chunks: &[(&[u8; 4], u32, &[u8])]) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WEBP".to_vec();
        for (kind, size, bytes) in chunks {
            file.extend_from_slice(*kind);
            file.extend_from_slice(&size.to_le_bytes());
            file.extend_from_slice(bytes);
        }
        file
    }

    #[test]
    fn alpha_and_what_fails_behind_the_colour_are_hidden() {
        let mut given = file(&[
            (b"VP8X", 4, b"\x10abc"),
            (b"ALPH", 3, b"xyz\0"),
            (b"VP8 ", 8, b"ALPHVP8X"),
            (b"VP8X", 2, b"no"),
            (b"EXIF", u32::MAX, b""),
            (b"ALPH", 0, b""),
            (b"EXIF", 900, b"cut"),
        ]);
        let expected = file(&[
            (b"VP8X", 4, b"\x10abc"),
            (b"JUNK", 3, b"xyz\0"),
            (b"VP8 ", 8, b"ALPHVP8X"),
            (b"JUNK", 2, b"no"),
            (b"EXIF", 0, b""),
            (b"JUNK", 0, b""),
            (b"EXIF", 900, b"cut"),
        ]);
        hide_alpha(&mut given);
        assert_eq!(given, expected);
    }

    #[test]
    fn no_bytes_are_too_few() {
        let whole = file(&[(b"ALPH", 1, b"a\0"), (b"VP8 ", 1, b"b")]);
        for length in 0..whole.len() {
            hide_alpha(&mut whole[..length].to_vec());
        }
    }
}
