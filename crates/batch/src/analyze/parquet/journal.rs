//! The finished row groups of an unfinished table, in its preliminary file.
//!
//! The end of a Parquet file states the positions of everything before it, so a truncated file is unreadable. Until all
//! rows are known, each row group is therefore stored as a separate file. These files are concatenated, each preceded
//! by its length in bytes. If a run is killed while writing one, the earlier ones are still readable.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bytes::Bytes;

use super::file::TableFile;

/// A row group of a preliminary file.
pub struct Entry {
    /// The row group.
    pub table: TableFile<Bytes>,
    /// The number of bytes from the beginning of the preliminary file to the end of the row group.
    pub end: u64,
}

/// Returns the bytes that precede a row group.
pub fn head(group: &[u8]) -> [u8; 8] {
    (group.len() as u64).to_le_bytes()
}

/// Returns the complete row groups, one after the other.
///
/// # Errors
/// Returns an error if the file cannot be read; so does an entry.
pub fn entries(path: &Path) -> io::Result<impl Iterator<Item = io::Result<Entry>>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut at = 0_u64;
    Ok(std::iter::from_fn(move || {
        let entry = next(&mut file, length - at).transpose()?;
        Some(entry.map(|(table, bytes)| {
            at += bytes;
            Entry { table, end: at }
        }))
    }))
}

/// Reads the next row group and returns it with its number of bytes, or `None` if the `left` bytes contain no complete
/// one.
fn next(file: &mut File, left: u64) -> io::Result<Option<(TableFile<Bytes>, u64)>> {
    let mut head = [0; 8];
    let Some(left) = left.checked_sub(head.len() as u64) else { return Ok(None) };
    file.read_exact(&mut head)?;
    let length = u64::from_le_bytes(head);
    if length > left {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    // After a power failure, a file may have its full length but not its contents.
    Ok(TableFile::of(bytes).ok().map(|table| (table, head.len() as u64 + length)))
}

/// Writes the row groups of a table left by an interrupted run to a new preliminary file, except the last, which is
/// rarely full.
///
/// # Errors
/// Returns an error if the table cannot be read or the preliminary file cannot be written.
pub fn revert(table: &TableFile<File>, part: &Path) -> io::Result<()> {
    // The file gets its name only when it is complete. If the run is killed before that, it restarts from the table.
    let mut journal = tempfile::NamedTempFile::new_in(part.parent().unwrap_or(Path::new(".")))?;
    for index in 0..table.groups().saturating_sub(1) {
        let group = table.group_alone(index).map_err(io::Error::other)?;
        journal.write_all(&head(&group))?;
        journal.write_all(&group)?;
    }
    journal.persist(part).map(|_| ()).map_err(|error| error.error)
}
