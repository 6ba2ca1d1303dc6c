//! Files kept from one run to the next. They are read defensively, written atomically, and never lost.

pub mod config;
pub mod fits;
pub mod luts;
pub mod presets;
pub mod recent;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The name of a file, and the name it gets if it is malformed.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// Its name in the folder.
    pub file: &'static str,
    /// The name under which a malformed file is set aside.
    pub aside: &'static str,
}

/// The content of a file.
#[derive(Debug, PartialEq)]
pub enum FileContent<T> {
    /// A valid value.
    Value(T),
    /// No file, or a malformed one that has been set aside: a new file can be written without losing the user's.
    Nothing,
    /// Unknown, because the file cannot be read or set aside: it must not be overwritten.
    Unreadable,
}

/// Reads a file of a folder. A malformed file is logged and set aside.
pub fn read<T: DeserializeOwned>(folder: &Path, name: Name) -> FileContent<T> {
    let path = folder.join(name.file);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return FileContent::Nothing,
        Err(error) => {
            log::warn!("{} cannot be read ({error}); it is ignored and left unchanged", path.display());
            return FileContent::Unreadable;
        }
    };
    match serde_json::from_slice(&text) {
        Ok(value) => FileContent::Value(value),
        Err(error) if set_aside(folder, name, &error) => FileContent::Nothing,
        Err(_) => FileContent::Unreadable,
    }
}

/// Renames a malformed file. Returns whether that succeeded.
fn set_aside(folder: &Path, name: Name, why: &serde_json::Error) -> bool {
    let (path, aside) = (folder.join(name.file), folder.join(name.aside));
    let path = path.display();
    match fs::rename(folder.join(name.file), aside) {
        Ok(()) => {
            log::warn!("{path} is malformed ({why}); it was renamed to {} and starts afresh", name.aside);
            true
        }
        Err(error) => {
            log::warn!("{path} is malformed ({why}) and cannot be renamed ({error}); nothing is saved");
            false
        }
    }
}

/// Writes a file under a temporary name and renames it, so that it is complete at any time.
///
/// # Errors
/// The I/O error if the file cannot be written.
pub fn write(folder: &Path, name: Name, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    write_text(folder, name.file, &(text + "\n"))
}

/// Writes a text as [`write`] writes a value.
///
/// # Errors
/// The I/O error if the file cannot be written.
pub fn write_text(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}
