//! Pictures written by the program.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use crate::command::{finish, program};

/// An opaque picture of 8 bits.
pub struct Png {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Rows from the top, three bytes per pixel.
    pub rgb: Vec<u8>,
}

impl Png {
    /// Reads a file.
    pub fn read(path: &Path) -> Self {
        let file = File::open(path).expect("the picture is there");
        let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("the picture is a PNG");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("the picture is whole");
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        Self { size: (info.width, info.height), rgb }
    }

    /// Returns the pixel at this position.
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let at = (y as usize * self.size.0 as usize + x as usize) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }
}

/// Returns the picture made by `snapshot CLIP -o … ARGUMENTS`.
pub fn snapshot(clip: &Path, arguments: &[&str]) -> Png {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("view.png");
    let run = finish(program().arg("snapshot").arg(clip).arg("-o").arg(&path).args(arguments));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{} {arguments:?}", clip.display());
    Png::read(&path)
}

/// Returns the first picture of a clip as shown by the `ffmpeg` command, rotated as the file says.
pub fn shown_by_ffmpeg(clip: &Path, size: (u32, u32)) -> Png {
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-i"])
        .arg(clip)
        .args(["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .expect("the ffmpeg command is installed");
    assert_eq!(output.stdout.len(), (size.0 * size.1 * 3) as usize, "the ffmpeg command shows another size");
    Png { size, rgb: output.stdout }
}
