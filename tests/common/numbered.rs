//! Clips whose pictures show their frame number in black and white blocks.

use std::path::Path;

use histoscope_core::picture::Picture;

use super::{Clip, decode_all, ffprobe, raw_frames};

/// The number of blocks, one for each bit of the number, lowest first.
const BITS: usize = 14;
/// Width and height of a block: a macroblock, so that coding does not blur it.
const BLOCK: usize = 16;
const WIDTH: usize = BITS * BLOCK;

/// Makes a clip of `count` numbered frames at `rate` (fractions are allowed) by `ffmpeg ARGUMENTS name`.
pub fn numbered(name: &str, count: usize, rate: &str, arguments: &str) -> Clip {
    let clip = Clip::blank(name);
    let row = |number: usize| {
        (0..WIDTH).map(move |x| if number >> (x / BLOCK) & 1 == 1 { 235_u8 } else { 16 }).collect::<Vec<_>>()
    };
    let bytes: Vec<u8> = (0..count).flat_map(|number| row(number).repeat(BLOCK)).collect();
    std::fs::write(clip.folder().join("numbers.bin"), bytes).expect("the temporary folder takes a file");
    let input =
        format!("-f rawvideo -pixel_format gray -video_size {WIDTH}x{BLOCK} -framerate {rate} -i @/numbers.bin");
    clip.make(name, &format!("{input} -pix_fmt yuv420p {arguments}"));
    clip
}

/// Returns the number in a picture of such a clip.
pub fn number(picture: &Picture) -> usize {
    assert_eq!((picture.width() as usize, picture.height() as usize), (WIDTH, BLOCK));
    let at = |bit: usize| picture.code(0, (bit * BLOCK + BLOCK / 2) as u32, (BLOCK / 2) as u32);
    (0..BITS).map(|bit| usize::from(at(bit) > 128) << bit).sum()
}

/// The frames of a clip according to other programs: the time of each from the first, in seconds, and its number.
pub struct Truth {
    /// Times, ascending.
    pub times: Vec<f64>,
    /// Numbers in the same order.
    pub numbers: Vec<usize>,
}

impl Truth {
    /// Gets the times from ffprobe and the pictures from the ffmpeg command.
    pub fn new(path: &Path) -> Self {
        let fields = ["-select_streams", "v:0", "-show_entries", "stream=time_base:frame=best_effort_timestamp"];
        let text = ffprobe(path, &fields);
        let mut lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches(',').trim()).collect();
        let (num, den) = lines.pop().and_then(|base| base.split_once('/')).expect("the time base comes last");
        let tick = num.parse::<f64>().expect("a number") / den.parse::<f64>().expect("a number");
        let ticks: Vec<i64> = lines.iter().filter_map(|line| line.parse().ok()).collect();
        let times: Vec<f64> = ticks.iter().map(|at| (at - ticks[0]) as f64 * tick).collect();
        let numbers = numbers(path);
        assert_eq!(times.len(), numbers.len(), "{}: ffprobe and ffmpeg disagree", path.display());
        Self { times, numbers }
    }

    /// For files with missing timestamps: uses the times that our decoder assigns when decoding linearly.
    pub fn with_made_times(path: &Path) -> Self {
        let times: Vec<f64> = decode_all(path).iter().map(|frame| frame.time_secs).collect();
        let numbers = numbers(path);
        assert_eq!(times.len(), numbers.len(), "{}: the decoder and ffmpeg disagree", path.display());
        Self { times, numbers }
    }

    /// Returns the number of frames.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Returns the position of the frame whose interval contains the time.
    pub fn at(&self, secs: f64) -> usize {
        self.times.partition_point(|time| *time <= secs + 1e-6).saturating_sub(1)
    }

    /// Returns the time of the last frame.
    pub fn last_secs(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }
}

/// Returns the numbers of all frames, as decoded by the ffmpeg command.
fn numbers(path: &Path) -> Vec<usize> {
    let luma = raw_frames(path, "gray");
    let bit = |frame: &[u8], bit: usize| frame[WIDTH * BLOCK / 2 + bit * BLOCK + BLOCK / 2] > 128;
    let of = |frame: &[u8]| (0..BITS).map(|i| usize::from(bit(frame, i)) << i).sum();
    luma.chunks_exact(WIDTH * BLOCK).map(of).collect()
}
