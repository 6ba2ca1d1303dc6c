//! Clips that the tests make with the `ffmpeg` command line, and what other programs say about them.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A file in a folder of its own that vanishes with it.
pub struct Clip {
    folder: TempDir,
    path: PathBuf,
}

impl Clip {
    /// A clip of that file name, made by `ffmpeg ARGUMENTS name`. The arguments are split at spaces.
    pub fn new(name: &str, arguments: &str) -> Self {
        let clip = Self::blank(name);
        clip.make(name, arguments);
        clip
    }

    /// A clip with these bytes.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        let clip = Self::blank(name);
        std::fs::write(&clip.path, bytes).expect("the temporary folder takes a file");
        clip
    }

    /// The place for a clip, and nothing there.
    pub fn blank(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        Self { folder, path }
    }

    /// The picture of FFmpeg's moving test source, `size` WxH, `seconds` long at 25 frames a second, then `arguments`.
    pub fn moving(name: &str, size: &str, seconds: f64, arguments: &str) -> Self {
        Self::new(name, &format!("-f lavfi -i testsrc2=size={size}:rate=25:duration={seconds} {arguments}"))
    }

    /// Another file in the same folder, made by `ffmpeg ARGUMENTS name`; the word `@` stands for this clip.
    pub fn make(&self, name: &str, arguments: &str) -> PathBuf {
        let target = self.folder.path().join(name);
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
        for word in arguments.split_whitespace() {
            match word {
                "@" => command.arg(&self.path),
                _ => command.arg(word),
            };
        }
        let output = command.arg(&target).output().expect("the ffmpeg command is installed");
        assert!(output.status.success(), "ffmpeg {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        target
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).expect("the clip can be read")
    }

    /// The bytes of another file in its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The number of frames that `ffprobe -count_frames` finds in the first video stream.
pub fn ffprobe_frames(path: &Path) -> u64 {
    let fields = ["-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames"];
    let text = ffprobe(path, &fields);
    let first = text.split_whitespace().next().unwrap_or_default();
    first.trim_end_matches(',').parse().unwrap_or_else(|_| panic!("ffprobe counted {text:?}"))
}

/// What `ffprobe FIELDS path` prints, bare.
pub fn ffprobe(path: &Path, fields: &[&str]) -> String {
    let output = Command::new("ffprobe")
        .args(["-v", "quiet", "-of", "csv=p=0"])
        .args(fields)
        .arg(path)
        .output()
        .expect("the ffprobe command is installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All frames of the first video stream, decoded by the `ffmpeg` command to raw pictures of this pixel format, unturned.
pub fn raw_frames(path: &Path, pixel_format: &str) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-noautorotate", "-threads", "1", "-i"])
        .arg(path)
        .args(["-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pixel_format, "-"])
        .stderr(Stdio::inherit())
        .output()
        .expect("the ffmpeg command is installed");
    output.stdout
}
