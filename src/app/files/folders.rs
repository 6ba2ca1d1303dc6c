//! Finds the videos in a folder that was named, chosen or dropped, in natural order.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::app::options::AppError;
use histoscope_media::sequences_in;

/// File name extensions of videos. Still pictures are left out: a folder of them is usually one sequence.
const ENDINGS: &[&str] = &[
    "264", "265", "3g2", "3gp", "asf", "avc", "avi", "dv", "f4v", "flv", "gxf", "h264", "h265", "hevc", "ivf", "m2t",
    "m2ts", "m2v", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mpv", "mts", "mxf", "nut", "obu", "ogm", "ogv", "qt",
    "rm", "rmvb", "ts", "vob", "webm", "wmv", "y4m",
];

/// Returns the path itself if it is no folder; otherwise the videos in that folder, without subfolders, or its
/// sequences of numbered pictures if it has no videos.
///
/// # Errors
/// [`AppError`] if the folder cannot be read or has neither.
pub fn videos_of(path: PathBuf) -> Result<Vec<PathBuf>, AppError> {
    if !path.is_dir() {
        return Ok(vec![path]);
    }
    let entries = fs::read_dir(&path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| AppError::Folder(path.clone(), error))?;
    let all = entries.into_iter().map(|entry| entry.path());
    let mut videos: Vec<_> = all.filter(|entry| is_video(entry) && entry.is_file()).collect();
    videos.sort_by_cached_key(|video| natural_key(video.file_name().unwrap_or_default()));
    if !videos.is_empty() {
        return Ok(videos);
    }
    let mut sequences = sequences_in(&path).map_err(|error| AppError::Folder(path.clone(), error))?;
    sequences.sort_by_cached_key(|sequence| natural_key(sequence.file_name().unwrap_or_default()));
    if sequences.is_empty() { Err(AppError::NoVideos(path)) } else { Ok(sequences) }
}

/// Returns `true` if a name is that of a video. Hidden files do not count, such as the ones that macOS creates next to
/// others.
fn is_video(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    !is_hidden && ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

/// A part of a name. Numbers sort before letters, and numbers with fewer digits before longer ones.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamePart {
    Number(usize, String),
    Letters(String),
}

/// Returns the sort key of a name: clip 2 before clip 10, regardless of case. Names that differ only in leading zeros
/// and case are sorted by their bytes.
fn natural_key(name: &OsStr) -> (Vec<NamePart>, PathBuf) {
    let text = name.to_string_lossy().to_lowercase();
    let mut parts = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if is_number {
            let digits = part.trim_start_matches('0');
            NamePart::Number(digits.len(), digits.to_owned())
        } else {
            NamePart::Letters(part.to_owned())
        });
        rest = after;
    }
    (parts, PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let videos = videos_of(folder.to_owned()).unwrap();
        videos.iter().map(|video| video.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn videos_come_in_natural_order_and_other_files_are_left_out() {
        let all = ["clip10.mp4", "Clip2.MOV", "clip2b.mkv", "clip002.mp4", "a.webm", "10.mts", "9.mts"];
        let others = ["notes.txt", "clip1.jpg", "._clip2.mov", ".hidden.mp4", "mp4", "clip3.mp4.part"];
        let folder = folder(&[&all[..], &others].concat());
        fs::create_dir(folder.path().join("more.mp4")).unwrap();
        fs::write(folder.path().join("more.mp4/inner.mp4"), "").unwrap();
        let expected = ["9.mts", "10.mts", "a.webm", "Clip2.MOV", "clip002.mp4", "clip2b.mkv", "clip10.mp4"];
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn numbers_too_long_for_an_integer_are_ordered_too() {
        let folder = folder(&["99999999999999999999999999.mp4", "100000000000000000000000000.mp4", "0.mp4"]);
        assert_eq!(names(folder.path())[0], "0.mp4");
        assert!(names(folder.path())[1].starts_with("999"));
    }

    #[test]
    fn a_path_that_is_no_folder_is_returned_as_it_is() {
        for path in ["clip.mp4", "letter.txt", "-", "https://example.org/clip.mp4", "frame%04d.png"] {
            assert_eq!(videos_of(PathBuf::from(path)).unwrap(), [PathBuf::from(path)]);
        }
    }

    #[test]
    fn picture_sequences_are_played_if_there_are_no_videos() {
        let names_of = |numbers: std::ops::Range<u32>, name: &str| {
            numbers.map(|number| name.replace('#', &number.to_string())).collect::<Vec<_>>()
        };
        let all = [names_of(8..12, "b#.png"), names_of(1001..1004, "take_2.#.dpx"), names_of(1..2, "alone#.png")];
        let all = all.concat();
        let pictures =
            folder(&all.iter().map(String::as_str).chain(["cover.png", "1.txt", "2.txt"]).collect::<Vec<_>>());
        assert_eq!(names(pictures.path()), ["b%01d.png", "take_2.%04d.dpx"]);
        let with_video = folder(&["b1.png", "b2.png", "clip.mp4"]);
        assert_eq!(names(with_video.path()), ["clip.mp4"]);
    }

    #[test]
    fn a_folder_without_videos_is_an_error() {
        let folder = folder(&["letter.txt"]);
        let error = videos_of(folder.path().to_owned()).unwrap_err().to_string();
        assert!(error.starts_with(&folder.path().display().to_string()), "{error}");
        assert!(error.contains("no videos or numbered pictures in this folder"), "{error}");
    }
}
