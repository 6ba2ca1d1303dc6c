//! Files that are not videos, or cannot be read.

use std::fs;
use std::path::Path;

use crate::command::{Run, finish, program, sample};
use crate::common::Clip;

/// Checks that a snapshot and the window, which has no display here, refuse a file alike, and that nothing is written.
fn refused(file: &Path, words: &[&str]) {
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name in text");
    let words = [&[name], words].concat();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("view.png");
    let figures = finish(program().arg("snapshot").arg(file).args(["--json", "--bins"]));
    let picture = finish(program().arg("snapshot").arg(file).arg("-o").arg(&output));
    let window = finish(program().arg(file));
    for run in [figures, picture, window] {
        run.fails_with(&words);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "something was written");
}

#[test]
fn nothing_there() {
    refused(Path::new("no such clip.mp4"), &["no such file", "check the spelling"]);
    refused(Path::new("no/such/folder/clip.mp4"), &["no such file"]);
}

#[test]
fn a_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().expect("a name in text");
    finish(program().args(["snapshot", path, "--json"])).fails_with(&[path, "is a folder", "name a video file"]);
    // The window plays a folder's videos, but this one has none.
    fs::write(folder.path().join("letter.txt"), "Dear reader, this is no video.").unwrap();
    finish(program().arg(path)).fails_with(&[path, "no videos or numbered pictures in this folder"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let clip = Clip::from_bytes("secret.mp4", b"some bytes");
    fs::set_permissions(clip.path(), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(clip.path()).is_err() {
        refused(clip.path(), &["cannot be read", "permissions"]);
    }
    // root may read everything, except unmapped memory of a process.
    if cfg!(target_os = "linux") {
        finish(program().args(["snapshot", "/proc/self/mem"])).fails_with(&["/proc/self/mem"]);
    }
}

#[test]
fn no_bytes() {
    refused(Clip::from_bytes("empty.mp4", b"").path(), &["the file is empty"]);
}

#[test]
fn plain_text() {
    let text = "This is a letter and no video.\n".repeat(200);
    for name in ["letter.txt", "letter.mp4", "letter"] {
        refused(Clip::from_bytes(name, text.as_bytes()).path(), &["not a video"]);
    }
}

#[test]
fn sound_alone() {
    let clip = Clip::new("song.m4a", "-f lavfi -i sine=duration=0.2 -c:a aac");
    refused(clip.path(), &["contains no video", "aac"]);
}

#[test]
fn an_mp4_that_was_cut_off_before_its_index() {
    let bytes = fs::read(sample()).unwrap();
    // The sample's index may be at its start. FFmpeg puts it at the end by default.
    let whole = Clip::from_bytes("whole.mp4", &bytes);
    let whole = whole.make("copy.mp4", "-i @ -c copy -movflags 0");
    let bytes = fs::read(whole).unwrap();
    let cut = Clip::from_bytes("cut.mp4", &bytes[..bytes.len() / 2]);
    refused(cut.path(), &["moov", "cut off", "repair"]);
}

#[test]
fn a_video_in_which_no_frame_can_be_decoded() {
    let clip = Clip::moving("clip.mp4", "64x48", 0.2, "-c:v libx264 -preset ultrafast -movflags 0");
    let mut bytes = clip.bytes();
    let find = |name: &[u8]| bytes.windows(4).position(|four| four == name).unwrap();
    let (data, index) = (find(b"mdat") + 4, find(b"moov") - 4);
    assert!(data < index, "the index is at the end");
    bytes[data..index].fill(0);
    let clip = Clip::from_bytes("zeros.mp4", &bytes);
    refused(clip.path(), &["no frame could be decoded", "h264"]);
}

#[test]
fn names_that_are_hard_to_print() {
    let long = "x".repeat(300);
    let run: Run = finish(program().arg("snapshot").arg(format!("{long}.mp4")));
    run.fails_with(&["xxx.mp4"]);
    finish(program().args(["snapshot", "two\nlines.mp4"])).fails_with(&["two", "lines.mp4"]);
    finish(program().args(["snapshot", "clip:with:colons.mp4"])).fails_with(&["clip:with:colons.mp4"]);
    finish(program().args(["snapshot", "-o", "x.png", "--", "-dash.mp4"])).fails_with(&["-dash.mp4"]);
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let name = OsStr::from_bytes(b"caf\xe9.mp4");
    finish(program().arg("snapshot").arg(name)).fails_with(&["no such file"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::copy(sample(), &path).unwrap();
    let run = finish(program().arg("snapshot").arg(&path).args(["--engine", "cpu", "--json"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn several_files_of_which_none_can_be_opened() {
    let empty = Clip::from_bytes("empty.mp4", b"");
    let run = finish(program().arg(empty.path()).args(["nowhere.mp4", "elsewhere.mkv"]));
    run.fails_with(&[
        "none of the 3 files",
        "empty.mp4: the file is empty",
        "nowhere.mp4: no such",
        "elsewhere.mkv: no such",
    ]);
    // A file that can be opened then needs a display.
    finish(program().arg("nowhere.mp4").arg(sample())).fails_with(&["no display"]);
}
