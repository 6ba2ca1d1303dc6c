//! The file with a counting shader of the user's own, read again whenever it is saved.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use histoscope_core::text::file_name;
use histoscope_lab::{Method, OwnShader, OwnShaderError};

/// Interval at which the file is checked.
const INTERVAL: Duration = Duration::from_millis(250);
/// Maximum length of the file in bytes.
const LONGEST: u64 = 1 << 20;

/// A file with a shader that counts in place of a method's.
#[derive(Debug)]
pub struct OwnFile {
    path: PathBuf,
    /// The method in whose place it counts.
    pub method: Method,
    /// The text, as far as it could be read.
    pub text: String,
    /// The shader, or what is wrong with it.
    pub shader: Result<OwnShader, OwnShaderError>,
    /// When the file was changed, and its length; `None` if it is gone.
    stamp: Option<(Option<SystemTime>, u64)>,
    checked: Instant,
}

impl OwnFile {
    /// Reads a file.
    pub fn open(path: PathBuf, method: Method, now: Instant) -> Self {
        let (text, shader) = read(&path);
        Self { stamp: stamp(&path), path, method, text, shader, checked: now }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> String {
        file_name(&self.path)
    }

    /// Returns when to check the file again.
    pub fn due(&self) -> Instant {
        self.checked + INTERVAL
    }

    /// Reads the file again if it has changed. Returns whether it has, and a note if it is gone; its last text remains
    /// then.
    pub fn follow(&mut self, now: Instant) -> (bool, Option<String>) {
        if now < self.due() {
            return (false, None);
        }
        self.checked = now;
        let stamp = stamp(&self.path);
        if stamp == std::mem::replace(&mut self.stamp, stamp) {
            return (false, None);
        }
        let name = self.name();
        if stamp.is_none() {
            return (false, Some(format!("{name} is gone; its last text is still used")));
        }
        (self.text, self.shader) = read(&self.path);
        log::debug!("lab: read {name} again");
        (true, None)
    }
}

fn stamp(path: &Path) -> Option<(Option<SystemTime>, u64)> {
    fs::metadata(path).ok().map(|data| (data.modified().ok(), data.len()))
}

/// Returns the text of a file and its shader.
fn read(path: &Path) -> (String, Result<OwnShader, OwnShaderError>) {
    let name = file_name(path);
    let text = match fs::metadata(path) {
        Ok(data) if !data.is_file() => Err("it is not a file".to_owned()),
        Ok(data) if data.len() > LONGEST => Err(format!("the file is longer than {LONGEST} bytes")),
        _ => fs::read_to_string(path).map_err(|error| format!("the file cannot be read: {error}")),
    };
    match text {
        Ok(text) => {
            let shader = OwnShader::parse(&name, &text);
            (text, shader)
        }
        Err(message) => (String::new(), Err(OwnShaderError { name, line: None, message })),
    }
}
