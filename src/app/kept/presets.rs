//! Presets: layouts and settings under a name, each a TOML file that can be handed on.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::app::kept;
use histoscope_render::view::scene::Look;

/// The version of the files that this program reads and writes.
const VERSION: i64 = 1;
/// The end of the files' names.
const ENDING: &str = "toml";

/// The content of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: i64,
    look: Look,
}

/// Why a preset cannot be used or kept.
#[derive(Debug, thiserror::Error)]
pub enum PresetError {
    /// It cannot be read.
    #[error("{}: this preset cannot be read: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// It is not a preset.
    #[error("{}: this is not a preset: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one line.
        reason: String,
    },
    /// Another version of the program has written it.
    #[error("{}: this preset is of version {version}, but this program reads version {VERSION}; save it again with this program", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
    /// There is none of this name.
    #[error("there is no preset '{0}'; choose one of the menu's, or a file that ends in .toml")]
    Unknown(String),
    /// It cannot be written.
    #[error("the preset '{name}' cannot be written: {reason}")]
    Unwritable {
        /// Its name.
        name: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// Settings are not kept.
    #[error("presets are not kept with --no-config")]
    NotKept,
}

/// The presets that are kept.
#[derive(Debug, Clone, Default)]
pub struct Presets {
    /// Their folder; `None` if nothing is kept.
    folder: Option<PathBuf>,
    names: Vec<String>,
}

impl Presets {
    /// Lists the presets kept beside the settings in this folder.
    #[must_use]
    pub fn open(settings: Option<&Path>) -> Self {
        let mut presets = Self { folder: settings.map(|folder| folder.join("presets")), names: Vec::new() };
        presets.refresh();
        presets
    }

    /// Lists the files again.
    pub fn refresh(&mut self) {
        let files = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let paths = files.into_iter().flatten().flatten().map(|file| file.path()).filter(|path| is_preset(path));
        self.names = paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        self.names.sort();
    }

    /// Returns their names, sorted.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the file of a preset: one that is kept, or any other file that ends in `.toml`.
    ///
    /// # Errors
    /// [`PresetError::Unknown`] if there is none of this name.
    pub fn file(&self, name: &str) -> Result<PathBuf, PresetError> {
        let kept = self.folder.as_ref().map(|folder| folder.join(format!("{name}.{ENDING}")));
        let path = kept.filter(|path| path.is_file() && plain(name) == name);
        let path = path.or_else(|| Some(PathBuf::from(name)).filter(|path| is_preset(path)));
        path.ok_or_else(|| PresetError::Unknown(name.to_owned()))
    }

    /// Keeps a look under a name. Returns the name of the file without its ending.
    ///
    /// # Errors
    /// [`PresetError`] if it cannot be written.
    pub fn save(&mut self, name: &str, look: &Look) -> Result<String, PresetError> {
        let folder = self.folder.as_ref().ok_or(PresetError::NotKept)?;
        let name = plain(name);
        let unwritable = |reason| PresetError::Unwritable { name: name.clone(), reason };
        let text = toml::to_string_pretty(&Content { version: VERSION, look: *look });
        let text = text.map_err(|error| unwritable(io::Error::other(error)))?;
        kept::write_text(folder, &format!("{name}.{ENDING}"), &text).map_err(unwritable)?;
        self.refresh();
        Ok(name)
    }
}

/// Returns `true` if a file is a preset by its name.
#[must_use]
pub fn is_preset(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

/// Reads the part of a look that a preset keeps; the rest is the default.
///
/// # Errors
/// [`PresetError`] if the file is not a preset of this version.
pub fn read(path: &Path) -> Result<Look, PresetError> {
    let text = fs::read_to_string(path).map_err(|reason| PresetError::Unreadable { path: path.to_owned(), reason })?;
    let malformed = |reason: String| PresetError::Malformed { path: path.to_owned(), reason };
    let one_line = |error: toml::de::Error| malformed(error.message().replace('\n', "; "));
    let table: toml::Table = toml::from_str(&text).map_err(one_line)?;
    match table.get("version").and_then(toml::Value::as_integer) {
        Some(VERSION) => {}
        Some(version) => return Err(PresetError::Version { path: path.to_owned(), version }),
        None => return Err(malformed("it states no version".to_owned())),
    }
    let content: Content = table.try_into().map_err(one_line)?;
    Ok(content.look.clamped())
}

/// Returns a name that every system takes for a file.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '_' }).collect();
    let plain = plain.trim();
    if plain.is_empty() { "preset" } else { plain }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_render::view::overlay::{Arrangement, Channels};

    fn changed() -> Look {
        let mut look = Look { channels: Channels::one(1), ..Look::default() };
        look.histograms.arrangement = Arrangement::Parade;
        look.scopes.waveform = true;
        look.guides = "safe,1:1".parse().unwrap();
        look
    }

    #[test]
    fn a_preset_is_read_as_it_was_saved_wherever_it_is_handed_to() {
        let folder = tempfile::tempdir().unwrap();
        let mut presets = Presets::open(Some(folder.path()));
        assert_eq!(presets.names(), [""; 0]);
        assert_eq!(presets.save("my look", &changed()).unwrap(), "my look");
        assert_eq!(presets.save("a/b:c", &Look::default()).unwrap(), "a_b_c");
        assert_eq!(presets.names(), ["a_b_c", "my look"]);
        let path = presets.file("my look").unwrap();
        assert_eq!(read(&path).unwrap(), changed());
        let elsewhere = folder.path().join("handed.toml");
        fs::copy(path, &elsewhere).unwrap();
        let handed = Presets::default().file(elsewhere.to_str().unwrap()).unwrap();
        assert_eq!(read(&handed).unwrap(), changed());
        assert!(Presets::open(None).save("x", &changed()).unwrap_err().to_string().contains("--no-config"));
    }

    #[test]
    fn what_is_not_a_preset_of_this_version_is_refused_with_one_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preset.toml");
        for (text, sentence) in [
            ("version = 2\n", "is of version 2, but this program reads version 1"),
            ("", "it states no version"),
            ("version = \"1\"", "it states no version"),
            ("version = 1\n", "missing field"),
            ("version = 1\n[look]\nshown = 3\n", "invalid type"),
            ("version = [", "this is not a preset"),
        ] {
            fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(sentence) && error.lines().count() == 1, "{text:?}: {error}");
        }
        let presets = Presets::open(Some(folder.path()));
        for name in ["none", "../preset", ""] {
            assert!(presets.file(name).unwrap_err().to_string().starts_with("there is no preset"), "{name}");
        }
        assert!(read(Path::new("/no/such.toml")).unwrap_err().to_string().contains("cannot be read"));
    }
}
