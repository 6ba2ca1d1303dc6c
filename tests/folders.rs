//! Each folder knows only what it must: the graphics library, the window system and FFmpeg have a room each.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Files that name `path` in their code, relative to the sources' folder.
fn users(path: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(path))
    };
    let files = sources(&folder).into_iter().filter(names);
    files.map(|file| file.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/")).collect()
}

#[test]
fn libraries_stay_in_their_rooms() {
    for (library, rooms) in [
        ("wgpu::", &["gpu/", "bench/"][..]),
        ("ash::", &["gpu/"]),
        ("winit::", &["app/"]),
        ("ffmpeg_next", &["media/"]),
    ] {
        let users = users(library);
        assert!(!users.is_empty(), "{library} is used nowhere, so that this test finds nothing");
        for file in users {
            assert!(rooms.iter().any(|room| file.starts_with(room)), "{file} names {library}");
        }
    }
}
