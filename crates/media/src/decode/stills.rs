//! The colours that a still picture's own headers state, but that not every FFmpeg reports.

use std::collections::VecDeque;

use crate::av::{AvFrame, ColorNumbers};
use crate::read::boxes;
use crate::read::tags::UNSPECIFIED;
use histoscope_core::text::sanitized;

/// Number of pictures that are remembered: more than a decoder holds.
const MAX_NOTED: usize = 64;
/// FFmpeg's numbers for the ranges.
const LIMITED: i32 = 1;
const FULL: i32 = 2;
/// H.273's number for the matrix of BT.601.
const BT601: i32 = 6;
/// H.273's number for a matrix that has none.
const NO_NUMBER: i32 = 255;

/// Reads the colours that a picture's header states.
type Reader = fn(&[u8]) -> Option<ColorNumbers>;

/// The colours stated in the packets that a decoder is working on.
#[derive(Default)]
pub(crate) struct StillColors {
    reader: Option<Reader>,
    /// The colours that the container states for all pictures of an animation.
    shared: Option<ColorNumbers>,
    /// The colours of pictures, if they are stated, with the numbers of their packets.
    noted: VecDeque<(u64, Option<ColorNumbers>)>,
}

impl StillColors {
    /// Creates a reader for pictures of this codec. `header` is the part of it that the container has separately.
    pub(crate) fn new(codec: &str, container: &str, header: &[u8]) -> Self {
        let is_picture_file = container == "image2" || container.ends_with("_pipe");
        let reader: Option<Reader> = match codec {
            "png" | "apng" => Some(png),
            "tiff" => Some(tiff),
            // In a video, this header is the encoder's habit, and the container states the colours.
            "jpeg2000" if is_picture_file => Some(jpeg_2000),
            _ => None,
        };
        Self { reader, shared: png(header).filter(|_| codec == "apng"), noted: VecDeque::new() }
    }

    /// Reads the header of a picture whose packet has that number.
    pub(crate) fn note(&mut self, number: u64, packet: &[u8]) {
        let Some(read) = self.reader else { return };
        self.noted.push_back((number, read(packet)));
        if self.noted.len() > MAX_NOTED {
            self.noted.pop_front();
        }
    }

    /// Gives a frame the colours that its header states.
    pub(crate) fn apply(&self, frame: &mut AvFrame) {
        let number = frame.packet_number();
        let own = self.noted.iter().rev().find(|(noted, _)| *noted == number).and_then(|(_, colors)| *colors);
        if let Some(colors) = own.or(self.shared) {
            frame.set_color_numbers(colors.or(frame.color_numbers()));
        }
    }
}

/// PNG: the chunk `cICP` has H.273's numbers (Portable Network Graphics, third edition, 11.3.2.6).
fn png(bytes: &[u8]) -> Option<ColorNumbers> {
    // FFmpeg leaves the signature out of the header of an animated PNG.
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap_or(bytes);
    loop {
        let [l0, l1, l2, l3, kind @ ..] = *rest.first_chunk::<8>()?;
        let length = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
        match (&kind, rest.get(8..)?) {
            (b"IDAT", _) => return None,
            (b"cICP", [primaries, transfer, matrix, is_full, ..]) if length == 4 => {
                let range = if *is_full == 0 { LIMITED } else { FULL };
                let [matrix, primaries, transfer] = [matrix, primaries, transfer].map(|number| i32::from(*number));
                return Some(ColorNumbers { matrix, range, primaries, transfer });
            }
            _ => rest = rest.get(length.checked_add(12)?..)?,
        }
    }
}

/// TIFF: pictures of Y', Cb and Cr are of BT.601 unless other coefficients are stated, and full range unless black and
/// white are those of video (TIFF 6.0, sections 20 and 21).
fn tiff(bytes: &[u8]) -> Option<ColorNumbers> {
    const Y_CB_CR: u16 = 6;
    let is_little = match bytes.get(..4)? {
        b"II\x2a\0" => true,
        b"MM\0\x2a" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let two = *bytes.get(at..)?.first_chunk()?;
        Some(if is_little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) })
    };
    let long = |at: usize| {
        let four = *bytes.get(at..)?.first_chunk()?;
        Some(if is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) } as usize)
    };
    let directory = long(4)?;
    // Returns where an entry's value is: after its tag, type and count.
    let value = |tag: u16| {
        let entries = (0..usize::from(short(directory)?)).map(|at| directory + 2 + 12 * at);
        entries.into_iter().find(|at| short(*at) == Some(tag)).map(|at| at + 8)
    };
    let ratio = |tag: u16, number: usize| {
        let at = long(value(tag)?)? + 8 * number;
        Some(long(at)? as f64 / long(at + 4)? as f64)
    };
    if short(value(262)?)? != Y_CB_CR {
        return None;
    }
    let matrix = match (ratio(529, 0), ratio(529, 2)) {
        (Some(red), Some(blue)) => matrix_of(red, blue),
        _ => BT601,
    };
    let is_video = ratio(532, 0).is_some_and(|black| (15.0..=16.0).contains(&black)) && ratio(532, 1) == Some(235.0);
    let range = if is_video { LIMITED } else { FULL };
    Some(ColorNumbers { matrix, range, primaries: UNSPECIFIED, transfer: UNSPECIFIED })
}

/// Returns H.273's number of the matrix with these weights of red and blue.
fn matrix_of(red: f64, blue: f64) -> i32 {
    const MATRICES: [(i32, f64, f64); 5] =
        [(BT601, 0.299, 0.114), (1, 0.2126, 0.0722), (9, 0.2627, 0.0593), (7, 0.212, 0.087), (4, 0.3, 0.11)];
    let is_alike = |(_, kr, kb): &&(i32, f64, f64)| (red - kr).abs() < 3e-4 && (blue - kb).abs() < 3e-4;
    MATRICES.iter().find(is_alike).map_or(NO_NUMBER, |(number, ..)| *number)
}

/// JPEG 2000: a JP2 file whose enumerated colour space is sYCC, which is sRGB as full-range Y'CbCr by BT.601
/// (ISO/IEC 15444-1, I.5.3.3; IEC 61966-2-1, Amendment 1).
fn jpeg_2000(bytes: &[u8]) -> Option<ColorNumbers> {
    const SYCC: &[u8] = &18_u32.to_be_bytes();
    let (_, header) = boxes::children(bytes).find(|(kind, _)| kind == b"jp2h")?;
    let (_, color) = boxes::children(header).find(|(kind, _)| kind == b"colr")?;
    let is_sycc = color.first() == Some(&1) && color.get(3..7) == Some(SYCC);
    is_sycc.then_some(ColorNumbers { matrix: BT601, range: FULL, primaries: 1, transfer: 13 })
}

/// Returns the name of an ICC profile, from its tag `desc`: ASCII text in version 2, UTF-16 in several languages in
/// version 4, of which the first is taken (ICC.1, 9.2.41, 10.15; ICC.1:2001-04, 6.5.17).
pub(crate) fn profile_name(profile: &[u8]) -> String {
    let long = |bytes: &[u8], at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let name = || {
        let mut tags = (0..long(profile, 128)?.min(256)).map(|number| 132 + 12 * number);
        let tag = tags.find(|at| profile.get(*at..at + 4) == Some(b"desc"))?;
        let text = profile.get(long(profile, tag + 4)?..)?;
        match text.get(..4)? {
            b"desc" => {
                let text = text.get(12..12_usize.checked_add(long(text, 8)?)?)?;
                Some(String::from_utf8_lossy(text.split(|byte| *byte == 0).next()?).into_owned())
            }
            b"mluc" => {
                let (length, at) = (long(text, 20)?, long(text, 24)?);
                let units = text.get(at..at.checked_add(length)?)?.chunks_exact(2);
                let units: Vec<_> = units.map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
                Some(String::from_utf16_lossy(&units))
            }
            _ => None,
        }
    };
    let name = name().map(|name| sanitized(&name)).filter(|name| !name.trim().is_empty());
    name.unwrap_or_else(|| "unnamed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_cut_state_nothing() {
        let chunk = |kind: &[u8], contents: &[u8]| {
            [&(contents.len() as u32).to_be_bytes()[..], kind, contents, &[0; 4]].concat()
        };
        let start = b"\x89PNG\r\n\x1a\n";
        let whole = [&start[..], &chunk(b"IHDR", &[0; 13]), &chunk(b"cICP", &[9, 16, 0, 1])].concat();
        let stated = ColorNumbers { matrix: 0, range: FULL, primaries: 9, transfer: 16 };
        assert_eq!(png(&whole), Some(stated));
        assert!((0..whole.len() - 4).all(|length| png(&whole[..length]).is_none()));
        assert_eq!(png(&[&start[..], &chunk(b"IDAT", &[0; 9]), &whole[8..]].concat()), None, "it is too late");
        assert_eq!(png(&[&start[..], &chunk(b"cICP", &[9, 16, 0])].concat()), None);
        assert_eq!(png(&[&start[..], &[0xff; 8]].concat()), None);
        let tags = b"II\x2a\0\x08\0\0\0\x02\0\x06\x01\x03\0\x01\0\0\0\x06\0\0\0\x11\x02\x05\0\x03\0\0\0\xf0\0\0\0";
        assert_eq!(tiff(tags).map(|colors| colors.matrix), Some(BT601), "the coefficients are not there");
        assert!((0..20).all(|length| tiff(&tags[..length]).is_none()));
        let jp2 = b"\0\0\0\x17jp2h\0\0\0\x0fcolr\x01\0\0\0\0\0\x12";
        assert!(jpeg_2000(jp2).is_some());
        assert!((0..jp2.len()).all(|length| jpeg_2000(&jp2[..length]).is_none()));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(0_u8.., 0..400), at in 0_usize..400) {
            for start in [&b""[..], b"\x89PNG\r\n\x1a\n", b"II\x2a\0\x08\0\0\0", b"MM\0\x2a\0\0\0\x08"] {
                let bytes = [start, &bytes].concat();
                _ = (png(&bytes), tiff(&bytes), jpeg_2000(&bytes));
            }
            let mut profile = bytes;
            if let Some(tag) = profile.get_mut(at..at + 12) {
                tag.copy_from_slice(b"\0\0\0\x01descmluc");
            }
            profile_name(&profile);
        }
    }

    #[test]
    fn coefficients_name_their_matrix() {
        let cases = [(0.299, 0.114, BT601), (0.2125, 0.0721, 1), (0.2126, 0.0722, 1), (0.3, 0.11, 4), (0.5, 0.1, 255)];
        for (red, blue, expected) in cases {
            assert_eq!(matrix_of(red, blue), expected, "{red} {blue}");
        }
        assert_eq!(matrix_of(f64::NAN, 0.114), NO_NUMBER);
    }
}
