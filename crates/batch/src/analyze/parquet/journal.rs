//! The row groups of an unfinished table, in its preliminary file.
//!
//! The end of a Parquet file states the positions of everything before it, so a truncated file is unreadable. Until
//! all rows are there, each row group is therefore a file of its own. These follow each other, each after the number
//! of its bytes. If a run is killed while it writes one, the others are still there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;

use super::file::TableFile;

/// The bytes before a row group.
pub fn head(group: &[u8]) -> [u8; 8] {
    (group.len() as u64).to_le_bytes()
}

/// Returns the positions of the complete row groups that follow each other from the start of the file.
///
/// # Errors
/// If the file cannot be read.
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
        // After a power failure, the length of a file may have survived without its content.
        if TableFile::of(read(path, &entry)?).is_err() {
            break;
        }
        entries.push(entry);
        at = end;
    }
    Ok(entries)
}

/// Returns the position of the bytes before a row group.
pub const fn start(entry: &Range<u64>) -> u64 {
    entry.start - size_of::<u64>() as u64
}

/// A row group, as a table of its own.
///
/// # Errors
/// If the file cannot be read, or holds something else.
pub fn table(path: &Path, entry: &Range<u64>) -> io::Result<TableFile<Bytes>> {
    TableFile::of(read(path, entry)?).map_err(io::Error::other)
}

/// The bytes of a row group.
fn read(path: &Path, entry: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(entry.start))?;
    let mut bytes = vec![0; usize::try_from(entry.end - entry.start).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
