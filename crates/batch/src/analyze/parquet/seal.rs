//! The checksum of a table. It makes sure that damaged data is neither taken for counts nor passed to the Parquet
//! reader, which trusts what a file states.
//!
//! It is the CRC-32 of the whole file, computed with zeros in place of the checksum's own eight digits. It is stored in
//! the file's metadata, where other programs ignore it.

use std::io::Read;

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::reader::ChunkReader;
use flate2::Crc;

/// Key of the checksum in the file's metadata.
const KEY: &str = "histoscope.crc32";
/// The placeholder for the checksum.
const BLANK: &str = "00000000";
/// The encoding of the length of the value, which follows the key in the metadata.
const VALUE: [u8; 2] = [0x18, BLANK.len() as u8];
/// Number of bytes at the end of a file after the metadata: its length and the magic number.
const END: usize = 8;

/// Returns the metadata entry with the placeholder. It must be the last entry.
pub fn blank() -> KeyValue {
    KeyValue::new(KEY.to_owned(), BLANK.to_owned())
}

/// Writes the checksum into the end of a file. `sum` covers everything before the end.
///
/// # Errors
/// Returns an error if the end contains no placeholder.
pub fn close(mut sum: Crc, end: &mut [u8]) -> Result<()> {
    let place = place(end).ok_or_else(|| ParquetError::General("no space is reserved for the checksum".to_owned()))?;
    sum.update(end);
    end[place..place + BLANK.len()].copy_from_slice(digits(&sum).as_bytes());
    Ok(())
}

/// Checks that a file is unchanged.
///
/// # Errors
/// Returns an error if the file was changed, or cannot be read.
pub fn check<R: ChunkReader>(file: &R) -> Result<()> {
    let changed =
        || ParquetError::General("it was changed after it was written, or histoscope did not write it".to_owned());
    let length = file.len();
    let end = length.checked_sub(END as u64).ok_or_else(changed)?;
    let metadata: [u8; 4] = file.get_bytes(end, 4)?.as_ref().try_into().map_err(|_| changed())?;
    let start = end.checked_sub(u32::from_le_bytes(metadata).into()).ok_or_else(changed)?;
    let mut sum = Crc::new();
    let mut before = file.get_read(0)?.take(start);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match before.read(&mut buffer)? {
            0 => break,
            read => sum.update(&buffer[..read]),
        }
    }
    let rest = usize::try_from(length - start).map_err(|_| changed())?;
    let mut metadata = file.get_bytes(start, rest)?.to_vec();
    let place = place(&metadata).ok_or_else(changed)?;
    let told = metadata[place..place + BLANK.len()].to_vec();
    metadata[place..place + BLANK.len()].copy_from_slice(BLANK.as_bytes());
    sum.update(&metadata);
    if told == digits(&sum).as_bytes() { Ok(()) } else { Err(changed()) }
}

/// Returns the position of the checksum's digits.
fn place(end: &[u8]) -> Option<usize> {
    let before = [KEY.as_bytes(), &VALUE].concat();
    let at = end.windows(before.len()).rposition(|found| found == before)? + before.len();
    (at + BLANK.len() <= end.len()).then_some(at)
}

fn digits(sum: &Crc) -> String {
    format!("{:08x}", sum.sum())
}
