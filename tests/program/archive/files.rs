//! An archive of 60 files, long and short, good and bad.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Clip;

/// Files that end early, whose readable part is counted.
const CUT: [&str; 3] = ["cut0.mkv", "cut1.mkv", "longcut.mkv"];
/// Files without a readable frame.
const UNREADABLE: [&str; 5] = ["audio0.mp4", "audio1.mp4", "audio2.mp4", "empty.mkv", "letter.mp4"];
/// Files that are longer than one and a half shares.
const LONG: [&str; 4] = ["long0.mp4", "long1.mp4", "long2.mp4", "long3.mp4"];
/// The number of files.
const FILES: usize = 60;

/// The archive, with a folder for results.
pub struct Archive {
    clip: Clip,
}

impl Archive {
    /// Makes the files, in a folder and one below it.
    pub fn new() -> Self {
        let arguments = "-c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p";
        let clip = Clip::moving("first.mp4", "64x48", 1.0, arguments);
        let archive = Self { clip };
        fs::create_dir_all(archive.films().join("below")).unwrap();
        let moving = |secs: f64, rate: u32| format!("-f lavfi -i testsrc2=size=64x48:rate={rate}:duration={secs}");
        let made = |name: &str, arguments: &str| fs::read(archive.clip.make(name, arguments)).unwrap();
        let kinds: Vec<_> = [(0.4, 25), (1.0, 25), (1.6, 30), (0.7, 12)]
            .iter()
            .map(|&(secs, rate)| made("kind.mp4", &format!("{} {arguments}", moving(secs, rate))))
            .collect();
        let long = made("long.mp4", &format!("{} {arguments}", moving(9.0, 25)));
        let mkv = made("whole.mkv", &format!("{} -c:v libx264 -g 10 -b:v 400k -pix_fmt yuv420p", moving(8.0, 25)));
        let sound = made("sound.mp4", "-f lavfi -i sine=d=1 -c:a aac");
        let put = |name: &str, bytes: &[u8]| fs::write(archive.film(name), bytes).unwrap();
        LONG.iter().for_each(|name| put(name, &long));
        put(CUT[0], &mkv[..mkv.len() / 4]);
        put(CUT[1], &mkv[..mkv.len() / 3]);
        put(CUT[2], &mkv[..mkv.len() * 7 / 10]);
        UNREADABLE[..3].iter().for_each(|name| put(name, &sound));
        put(UNREADABLE[3], b"");
        put(UNREADABLE[4], &b"This is a letter and no video.\n".repeat(99));
        put("changing.mp4", &kinds[1]);
        let others = LONG.len() + CUT.len() + UNREADABLE.len() + 1;
        for index in 0..FILES - others {
            put(&format!("short{index:02}.mp4"), &kinds[index % kinds.len()]);
        }
        archive
    }

    /// Returns the folder that contains it.
    pub fn folder(&self) -> &Path {
        self.clip.folder()
    }

    /// Returns the archive's folder.
    pub fn films(&self) -> PathBuf {
        self.folder().join("films")
    }

    /// Returns a file of the archive. Every third short one is in a subfolder.
    pub fn film(&self, name: &str) -> PathBuf {
        let below = name.starts_with("short") && name.contains(['0', '3', '6', '9']);
        if below { self.films().join("below").join(name) } else { self.films().join(name) }
    }

    /// Returns all files.
    pub fn paths(&self) -> Vec<PathBuf> {
        let of = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> =
            of(self.films()).chain(of(self.films().join("below"))).filter(|path| path.is_file()).collect();
        paths.sort();
        assert_eq!(paths.len(), FILES);
        paths
    }

    /// Returns the number of complete files.
    pub fn good(&self) -> usize {
        FILES - CUT.len() - UNREADABLE.len()
    }

    /// Returns the files that end early.
    pub fn cut(&self) -> &'static [&'static str] {
        &CUT
    }

    /// Returns the files without a frame.
    pub fn unreadable(&self) -> &'static [&'static str] {
        &UNREADABLE
    }

    /// Replaces a file with a different video.
    pub fn change(&self, name: &str) {
        let arguments = "-f lavfi -i smptebars=size=64x48:rate=25:duration=0.6 -c:v libx264 -pix_fmt yuv420p";
        fs::copy(self.clip.make("other.mp4", arguments), self.film(name)).unwrap();
    }

    /// Replaces an unreadable file with a video.
    pub fn mend(&self, name: &str) {
        fs::copy(self.clip.path(), self.film(name)).unwrap();
    }
}
