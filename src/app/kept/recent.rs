//! The files opened most recently, with the position where each was left.

use std::path::{Path, PathBuf};

use super::FileContent;
use crate::app::kept;
use histoscope_core::text::public;
use histoscope_hud::RecentFile;

/// The file that stores the list, in the settings folder.
const NAME: kept::Name = kept::Name { file: "recent.json", aside: "recent.unreadable.json" };
/// Positions this close to the beginning or the end are not worth returning to, in seconds.
const MARGIN: f64 = 2.0;

/// The recent files, most recent first.
#[derive(Debug, Default)]
pub struct Recent {
    /// The folder that the list is stored in, if any.
    folder: Option<PathBuf>,
    files: Vec<RecentFile>,
}

impl Recent {
    /// Largest number of files kept.
    pub const MOST: usize = 20;

    /// Reads the list stored in a folder. Without a folder, the list lasts only for this run.
    #[must_use]
    pub fn open(folder: Option<&Path>) -> Self {
        let mut recent = Self { folder: folder.map(Path::to_owned), files: Vec::new() };
        recent.read();
        recent
    }

    /// Returns the files other than the open one, most recent first.
    #[must_use]
    pub fn others(&self, open: Option<&Path>) -> &[RecentFile] {
        let open = open.and_then(storable_path);
        match self.files.split_first() {
            Some((first, rest)) if open.as_ref() == Some(&first.path) => rest,
            _ => &self.files,
        }
    }

    /// Notes that a file has been opened. Returns the position where it was left last time.
    pub fn opened(&mut self, input: &Path) -> Option<f64> {
        let path = storable_path(input)?;
        self.read();
        let known = self.files.iter().position(|file| file.path == path).map(|at| self.files.remove(at));
        let file = known.unwrap_or(RecentFile { path, left_at_secs: None });
        let left_at = file.left_at_secs;
        self.files.insert(0, file);
        self.write();
        left_at
    }

    /// Notes where a file is left: `at_secs` out of `duration_secs`.
    pub fn left(&mut self, input: &Path, at_secs: f64, duration_secs: Option<f64>) {
        let Some(path) = storable_path(input) else { return };
        self.read();
        let is_near_end = duration_secs.is_some_and(|duration| at_secs > duration - MARGIN);
        if let Some(file) = self.files.iter_mut().find(|file| file.path == path)
            // A user who only looked at the beginning may still want to continue at the earlier position.
            && (at_secs >= MARGIN || is_near_end)
        {
            file.left_at_secs = (!is_near_end).then_some(at_secs);
            self.write();
        }
    }

    /// Reads the stored list: another window may have changed it.
    fn read(&mut self) {
        let Some(folder) = &self.folder else { return };
        match kept::read::<Vec<RecentFile>>(folder, NAME) {
            FileContent::Value(files) => {
                let is_sound = |file: &RecentFile| !file.path.as_os_str().is_empty();
                self.files = files.into_iter().filter(is_sound).take(Self::MOST).collect();
            }
            FileContent::Nothing => {}
            FileContent::Unreadable => self.folder = None,
        }
    }

    fn write(&mut self) {
        self.files.truncate(Self::MOST);
        let Some(folder) = &self.folder else { return };
        // A path that is not UTF-8 cannot be written as JSON, and is remembered only until the end of this run.
        let files: Vec<_> = self.files.iter().filter(|file| file.path.to_str().is_some()).collect();
        if let Err(error) = kept::write(folder, NAME, &files) {
            log::warn!("{} cannot be written ({error}); recent files are not saved", folder.join(NAME.file).display());
            self.folder = None;
        }
    }
}

/// Returns the path or address, without password, that opens the file from anywhere; `None` for input that can be read
/// only once.
fn storable_path(input: &Path) -> Option<PathBuf> {
    let text = input.to_string_lossy();
    if text == "-" || text.starts_with("pipe:") || text.starts_with("fd:") {
        return None;
    }
    let is_address = text.contains("://");
    if is_address { Some(public(input).into_owned()) } else { std::path::absolute(input).ok() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(recent: &Recent) -> Vec<String> {
        recent.files.iter().map(RecentFile::name).collect()
    }

    #[test]
    fn files_persist_to_the_next_run_with_the_position_where_they_were_left() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("not/there/yet");
        let mut recent = Recent::open(Some(&folder));
        assert_eq!(recent.opened(Path::new("/films/a.mp4")), None);
        recent.left(Path::new("/films/a.mp4"), 754.0, Some(3600.0));
        recent.opened(Path::new("/films/b.mp4"));
        let mut again = Recent::open(Some(&folder));
        assert_eq!(names(&again), ["b.mp4", "a.mp4"]);
        assert_eq!(again.opened(Path::new("/films/a.mp4")), Some(754.0));
        assert_eq!(names(&Recent::open(Some(&folder))), ["a.mp4", "b.mp4"]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a temporary file is left behind");
    }

    #[test]
    fn positions_near_the_beginning_and_the_end_are_not_kept() {
        let mut recent = Recent::default();
        let path = Path::new("/films/a.mp4");
        recent.opened(path);
        for (at, duration, expected) in [
            (5.0, Some(10.0), Some(5.0)),
            (1.9, Some(10.0), Some(5.0)),
            (8.1, Some(10.0), None),
            (1.9, Some(10.0), None),
            (8.1, None, Some(8.1)),
            (f64::NAN, None, Some(8.1)),
        ] {
            recent.left(path, at, duration);
            assert_eq!(recent.files[0].left_at_secs, expected, "{at} of {duration:?}");
        }
    }

    #[test]
    fn the_oldest_are_forgotten_and_none_is_listed_twice() {
        let home = tempfile::tempdir().unwrap();
        let mut recent = Recent::open(Some(home.path()));
        for number in 0..25 {
            recent.opened(Path::new(&format!("/films/{number}.mp4")));
        }
        recent.opened(Path::new("/films/10.mp4"));
        let names = names(&Recent::open(Some(home.path())));
        assert_eq!((names.len(), &names[0][..], &names[1][..]), (Recent::MOST, "10.mp4", "24.mp4"));
        assert_eq!(names.iter().filter(|name| *name == "10.mp4").count(), 1);
    }

    #[test]
    fn the_open_file_is_not_offered() {
        let mut recent = Recent::default();
        recent.opened(Path::new("/films/a.mp4"));
        recent.opened(Path::new("/films/b.mp4"));
        assert_eq!(recent.others(Some(Path::new("/films/b.mp4"))).len(), 1);
        assert_eq!(recent.others(Some(Path::new("-"))).len(), 2);
        assert_eq!([754.9, 3661.0].map(histoscope_hud::place_text), ["12:34", "1:01:01"]);
    }

    #[test]
    fn two_windows_do_not_forget_each_others_files() {
        let home = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [(), ()].map(|()| Recent::open(Some(home.path())));
        one.opened(Path::new("/films/a.mp4"));
        other.opened(Path::new("/films/b.mp4"));
        one.left(Path::new("/films/a.mp4"), 30.0, None);
        assert_eq!(names(&Recent::open(Some(home.path()))), ["b.mp4", "a.mp4"]);
    }

    #[test]
    fn a_malformed_file_is_set_aside() {
        for text in ["", "{", "{\"path\": 1}", "[1, 2]", "[{\"path\": []}]", "[{\"left_at_secs\": \"soon\"}]", "\u{0}"]
        {
            let home = tempfile::tempdir().unwrap();
            fs::write(home.path().join(NAME.file), text).unwrap();
            let mut recent = Recent::open(Some(home.path()));
            assert!(recent.files.is_empty(), "{text:?}");
            recent.opened(Path::new("/films/a.mp4"));
            assert_eq!(fs::read_to_string(home.path().join(NAME.aside)).unwrap(), text, "the user's file is lost");
            assert_eq!(names(&Recent::open(Some(home.path()))), ["a.mp4"]);
        }
    }

    #[test]
    fn unknown_fields_and_malformed_entries_do_no_harm() {
        let home = tempfile::tempdir().unwrap();
        let text = r#"[{"path": "/films/a.mp4", "stars": 5}, {"path": ""}, {}]"#;
        fs::write(home.path().join(NAME.file), text).unwrap();
        assert_eq!(names(&Recent::open(Some(home.path()))), ["a.mp4"]);
    }

    #[test]
    fn addresses_are_kept_and_input_that_can_be_read_only_once_is_not() {
        let mut recent = Recent::default();
        for input in ["-", "pipe:0", "https://somebody:secret@example.org/live.m3u8", "frame%04d.png"] {
            recent.opened(Path::new(input));
        }
        assert_eq!(recent.files[1].path, Path::new("https://example.org/live.m3u8"), "a password is kept");
        assert_eq!(names(&recent), ["frame%04d.png", "live.m3u8"]);
        assert!(recent.files[0].path.is_absolute());
    }

    #[cfg(unix)]
    #[test]
    fn an_unwritable_folder_is_survived() {
        let home = tempfile::tempdir().unwrap();
        // A file is where the folder should be.
        let folder = home.path().join("file");
        fs::write(&folder, "").unwrap();
        let mut recent = Recent::open(Some(&folder));
        recent.opened(Path::new("/films/a.mp4"));
        recent.opened(Path::new("/films/b.mp4"));
        assert_eq!(names(&recent), ["b.mp4", "a.mp4"], "until the end of this run");
        assert_eq!(fs::read_to_string(&folder).unwrap(), "");
    }
}
