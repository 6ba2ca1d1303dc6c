//! Removes the alpha channel from WebP pictures: it is never counted.
//!
//! FFmpeg 5.1 aborts the whole process on an assertion if a picture's alpha is damaged but its colour is not: by then
//! its decoder has made a frame, yet returns an error. The chunks that cause this are renamed to a type that no decoder
//! knows, so that they are skipped.

use super::AvError;
use super::packet::AvPacket;

/// Type given to hidden chunks.
const HIDDEN: &[u8; 4] = b"JUNK";
/// Bytes before the first chunk, and in the header of each chunk.
const FILE_HEAD: usize = 12;
const CHUNK_HEAD: usize = 8;

impl AvPacket {
    /// Returns the packet of a WebP picture in the form that is passed to the decoder.
    pub(super) fn without_webp_alpha(&self) -> Result<Self, AvError> {
        let mut packet = self.share()?;
        hide_alpha(packet.data_mut()?);
        Ok(packet)
    }
}

/// Hides alpha, and anything else that makes FFmpeg's decoder fail after the colour: a second header, and a chunk of an
/// impossible size. Walks the chunks as that decoder does.
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
    fn alpha_and_chunks_that_fail_after_the_colour_are_hidden() {
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
    fn truncated_files_are_handled() {
        let whole = file(&[(b"ALPH", 1, b"a\0"), (b"VP8 ", 1, b"b")]);
        for length in 0..whole.len() {
            hide_alpha(&mut whole[..length].to_vec());
        }
    }
}
