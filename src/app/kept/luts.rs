//! The lookup table that was last used for the videos of each folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use histoscope_core::adjust::Lut;

/// The files of lookup tables, by the folder of the videos that they were last used for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FolderLuts(BTreeMap<PathBuf, PathBuf>);

impl FolderLuts {
    /// Records the file of the lookup table that is on for a video.
    pub fn keep(&mut self, video: &Path, lut: Lut) {
        let file = lut.path().and_then(|file| std::path::absolute(file).ok());
        if let (Some(folder), Some(file)) = (folder_of(video), file) {
            self.0.insert(folder, file);
        }
    }

    /// Reads the lookup table that was last used for the videos of the same folder. Returns `None` if there is none, or
    /// if it can no longer be used.
    #[must_use]
    pub fn of(&self, video: &Path) -> Option<Lut> {
        let file = self.0.get(&folder_of(video)?)?;
        Lut::open(file).inspect_err(|error| log::warn!("{error}; it is not offered")).ok()
    }
}

/// Returns the folder of a video; `None` for addresses and pipes.
fn folder_of(video: &Path) -> Option<PathBuf> {
    let video = std::path::absolute(video).ok().filter(|_| video.is_file())?;
    video.parent().map(Path::to_owned)
}

/// Returns `true` if a file dropped on the window is a lookup table by its name.
#[must_use]
pub fn is_lut(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cube"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_lookup_table_is_kept_for_the_folder_of_the_video() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        let (one, two, elsewhere) = (path("a/1.mkv"), path("a/2.mkv"), path("b/1.mkv"));
        for video in [&one, &two, &elsewhere] {
            fs::create_dir_all(video.parent().unwrap()).unwrap();
            fs::write(video, "").unwrap();
        }
        let file = path("look.cube");
        fs::write(&file, "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n").unwrap();
        let lut = Lut::open(&file).unwrap();
        let mut luts = FolderLuts::default();
        assert!(luts.of(&one).is_none());
        luts.keep(&one, lut);
        luts.keep(Path::new("udp://239.0.0.1:1234"), lut);
        let text = serde_json::to_string(&luts).unwrap();
        let luts: FolderLuts = serde_json::from_str(&text).unwrap();
        assert_eq!((luts.of(&two), luts.of(&elsewhere), luts.0.len()), (Some(lut), None, 1));
        fs::write(&file, "LUT_1D_SIZE 2\n0 0 0\n").unwrap();
        assert_eq!(luts.of(&two), None, "it is defective now");
    }

    #[test]
    fn lookup_tables_are_known_by_their_name() {
        assert!(is_lut("a/Look.CUBE".as_ref()) && !is_lut("cube".as_ref()) && !is_lut("a.cube.mp4".as_ref()));
    }
}
