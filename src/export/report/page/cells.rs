//! All counts of the columns, exact, in a form that a script reads: the difference of each cell from the same cell of the
//! column before, small differences first of either sign (zigzag), seven bits a byte (LEB128), zlib, base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::export::report::folding::Columns;

/// Encodes the cells of all columns.
pub fn encode(columns: &Columns) -> String {
    base64(&compress(&differences(columns)))
}

fn differences(columns: &Columns) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before: &[u64] = &[];
    for column in columns.as_slice() {
        for (index, &count) in column.cells.iter().enumerate() {
            // The most pixels a frame may have are 2^30: sums stay far below 2^62.
            let difference = count as i64 - before.get(index).map_or(0, |&count| count as i64);
            let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        before = &column.cells;
    }
    bytes
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // A vector takes everything.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Bytes as base64, with padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let is_used = digit <= group.len();
            text.push(if is_used { DIGITS[(word >> (18 - 6 * digit)) as usize & 63] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::report::folding::{Column, Strip};

    #[test]
    fn base64_is_the_usual_one() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn differences_take_few_bytes() {
        let mut columns = Columns::new(8);
        for cells in [[0, 1, 200], [5, 0, 64], [1 << 40, 0, 0]] {
            let column = Column {
                first_frame: 0,
                last_frame: 0,
                begin_secs: 0.0,
                frames: 1,
                cells: cells.to_vec(),
                strip: Strip::default(),
            };
            columns.add(column);
        }
        let bytes = differences(&columns);
        assert_eq!(bytes[..7], [0, 2, 0x90, 0x03, 10, 1, 0x8f]);
        assert_eq!(bytes.len(), 4 + 4 + 6 + 1 + 1);
    }
}
