//! Clips made with the `ffmpeg` command, and information on them from other programs.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub mod damage;
pub mod numbered;
pub mod odd;
pub mod sender;
pub mod server;
pub mod session;
pub mod timecoded;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use histoscope_core::picture::{Frame, Picture};
use histoscope_media::{Decoder, OpenOptions};
use tempfile::TempDir;

/// Degrees, and the part of a display matrix that rotates a picture by them.
pub const TURNS: [(u32, [i32; 4]); 3] = [(90, [0, 1, -1, 0]), (180, [-1, 0, 0, -1]), (270, [0, -1, 1, 0])];

/// A file in its own temporary folder.
pub struct Clip {
    folder: TempDir,
    path: PathBuf,
}

impl Clip {
    /// Makes a clip with this file name by `ffmpeg ARGUMENTS name`. The arguments are split at spaces.
    pub fn new(name: &str, arguments: &str) -> Self {
        let clip = Self::blank(name);
        clip.make(name, arguments);
        clip
    }

    /// Makes a clip with these bytes.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        let clip = Self::blank(name);
        std::fs::write(&clip.path, bytes).expect("the temporary folder takes a file");
        clip
    }

    /// Makes the folder for a clip, without a file.
    pub fn blank(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        Self { folder, path }
    }

    /// Makes a clip of FFmpeg's moving test source, with `size` WxH, `seconds` long at 25 frames per second, then
    /// `arguments`.
    pub fn moving(name: &str, size: &str, seconds: f64, arguments: &str) -> Self {
        Self::new(name, &format!("-f lavfi -i testsrc2=size={size}:rate=25:duration={seconds} {arguments}"))
    }

    /// Makes a clip of noise with `size` WxH and FFmpeg's pixel format, `frames` of them at 25 per second, then
    /// `arguments`.
    pub fn noisy(name: &str, size: &str, format: &str, frames: u32, arguments: &str) -> Self {
        let clip = Self::blank(name);
        let (width, height) = size.split_once('x').expect("a size is WxH");
        let pixels = width.parse::<usize>().expect("a width") * height.parse::<usize>().expect("a height");
        // Eight bytes per pixel are enough for every format, including the rounding for small pictures.
        let bytes = noise((pixels + 8) * 8 * frames as usize, 9);
        std::fs::write(clip.folder.path().join("noise.bin"), bytes).expect("the temporary folder takes a file");
        let input = format!("-f rawvideo -pixel_format {format} -video_size {size} -framerate 25 -i @/noise.bin");
        clip.make(name, &format!("{input} -frames:v {frames} {arguments}"));
        clip
    }

    /// Makes another file in the same folder by `ffmpeg ARGUMENTS name`. The word `@` stands for this clip, and `@/`
    /// before a name for their folder.
    pub fn make(&self, name: &str, arguments: &str) -> PathBuf {
        let target = self.folder.path().join(name);
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
        for word in arguments.split_whitespace() {
            match word {
                "@" => command.arg(&self.path),
                _ if word.starts_with("@/") => command.arg(self.folder.path().join(&word[2..])),
                _ => command.arg(word),
            };
        }
        let output = command.arg(&target).output().expect("the ffmpeg command is installed");
        assert!(output.status.success(), "ffmpeg {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        target
    }

    /// Returns this clip, an MP4, with another display matrix in its track header, given by the numbers that rotate and
    /// flip. The option of `ffmpeg` that writes one depends on its version.
    pub fn with_matrix(&self, name: &str, [a, b, c, d]: [i32; 4]) -> Self {
        let mut bytes = self.bytes();
        let header = bytes.windows(4).position(|four| four == b"tkhd").expect("a track header");
        let matrix = header + 44;
        for (index, number) in [a, b, 0, c, d].into_iter().enumerate() {
            bytes[matrix + 4 * index..][..4].copy_from_slice(&(number << 16).to_be_bytes());
        }
        Self::from_bytes(name, &bytes)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).expect("the clip can be read")
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns true if the FFmpeg in use is version 9 or newer.
pub fn is_ffmpeg_9() -> bool {
    libavcodec() >= (63, 0)
}

/// Returns true if the FFmpeg in use is version 7.1 or newer.
pub fn is_ffmpeg_7_1() -> bool {
    libavcodec() >= (61, 19)
}

/// Returns the major and minor version of libavcodec: 61 and 3 in FFmpeg 7.0, 61 and 19 in 7.1.
pub fn libavcodec() -> (u32, u32) {
    let version = histoscope_media::ffmpeg_version();
    let (_, number) = version.split_once("libavcodec ").expect("a version");
    let mut parts = number.split('.').map(|part| part.trim_end_matches(')').parse().expect("a number"));
    (parts.next().expect("a major version"), parts.next().expect("a minor version"))
}

/// Returns the number of frames that `ffprobe -count_frames` finds in the first video stream.
pub fn ffprobe_frames(path: &Path) -> u64 {
    let fields = ["-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames"];
    let text = ffprobe(path, &fields);
    let first = text.split_whitespace().next().unwrap_or_default();
    first.trim_end_matches(',').parse().unwrap_or_else(|_| panic!("ffprobe counted {text:?}"))
}

/// Returns the bare output of `ffprobe FIELDS path`.
pub fn ffprobe(path: &Path, fields: &[&str]) -> String {
    let output = Command::new("ffprobe")
        .args(["-v", "quiet", "-of", "csv=p=0"])
        .args(fields)
        .arg(path)
        .output()
        .expect("the ffprobe command is installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Decodes all frames of the first video stream with the `ffmpeg` command, to raw pictures of this pixel format,
/// without rotation.
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

/// Opens a decoder with the default options.
pub fn open(path: &Path) -> Decoder {
    Decoder::open(path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns all remaining frames.
pub fn rest(decoder: &mut Decoder) -> Vec<Frame> {
    std::iter::from_fn(|| decoder.next_frame().unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Returns all frames of a file.
pub fn decode_all(path: &Path) -> Vec<Frame> {
    rest(&mut open(path))
}

/// Returns the error of a file that cannot be opened.
pub fn open_error(path: &Path) -> String {
    match Decoder::open(path, &OpenOptions::default()) {
        Ok(decoder) => panic!("{} was opened: {:?}", path.display(), decoder.info()),
        Err(error) => error.to_string(),
    }
}

/// Returns the used bytes of all planes that contain the picture, as `ffmpeg -f rawvideo` writes them.
pub fn picture_bytes(picture: &Picture) -> Vec<u8> {
    let mut bytes = Vec::new();
    for plane in 0..picture.layout().plane_count() {
        let (row_bytes, rows) = picture.layout().plane_size(plane, picture.width(), picture.height());
        for y in 0..rows {
            bytes.extend_from_slice(picture.plane(plane).row(y, row_bytes));
        }
    }
    bytes
}

/// Returns pseudo-random bytes, the same every time.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}
