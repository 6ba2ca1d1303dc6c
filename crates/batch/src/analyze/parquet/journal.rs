//! The row groups of an unfinished table in its preliminary file.
//!
//! The end of a Parquet file states the positions of everything before it, so a truncated file is unreadable. Until all
//! rows are known, each row group is therefore stored as a separate file. These files are concatenated, each preceded
//! by its length in bytes. If a run is killed while writing one, the earlier ones are still readable.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;

use super::file::TableFile;

/// Returns the bytes that precede a row group.
pub fn head(group: &[u8]) -> [u8; 8] {
    (group.len() as u64).to_le_bytes()
}

/// Returns the byte ranges of the complete row groups, in order from the start of the file.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn entries(path: &Path) -> io::Result<Vec<Range<u64>>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut entries = Vec::new();
    let mut at = 0_u64;
    while let Some(begin) = at.checked_add(8).filter(|begin| *begin <= length) {
        let mut bytes = [0; 8];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut bytes)?;
        let Some(end) = begin.checked_add(u64::from_le_bytes(bytes)).filter(|end| *end <= length) else { break };
        let entry = begin..end;
        // After a power failure, a file may have its full length but not its contents.
        if TableFile::of(read(path, &entry)?).is_err() {
            break;
        }
        entries.push(entry);
        at = end;
    }
    Ok(entries)
}

/// Returns the position of the length that precedes a row group.
pub const fn start(entry: &Range<u64>) -> u64 {
    entry.start - size_of::<u64>() as u64
}

/// Opens a row group as a table.
///
/// # Errors
/// Returns an error if the file cannot be read, or holds something else.
pub fn table(path: &Path, entry: &Range<u64>) -> io::Result<TableFile<Bytes>> {
    TableFile::of(read(path, entry)?).map_err(io::Error::other)
}

/// Reads the bytes of a row group.
fn read(path: &Path, entry: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(entry.start))?;
    let mut bytes = vec![0; usize::try_from(entry.end - entry.start).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
