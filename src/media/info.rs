//! What is known about an open video, and what was counted while decoding it.

use std::path::PathBuf;

use crate::color::{Matrix, Range};
use crate::frame::Ratio;

/// How to open a video.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The matrix to use whatever the file says.
    pub matrix: Option<Matrix>,
    /// The range to use whatever the file says.
    pub range: Option<Range>,
    /// Number of decoding threads; by default the machine's cores, fewer for pictures so large that the threads' frames
    /// would fill the memory.
    pub threads: Option<usize>,
}

/// What the file and its headers say about the video, which the frames may contradict.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamInfo {
    /// The file or URL as it was given.
    pub path: PathBuf,
    /// FFmpeg's short name of the container format, for instance "matroska,webm".
    pub container: String,
    /// The codec's name, for instance "h264".
    pub codec: String,
    /// The decoder in use, for instance "libdav1d".
    pub decoder: String,
    /// The codec's profile, for instance "High 10".
    pub profile: Option<String>,
    /// Pixel format of the first frame, by FFmpeg's name.
    pub pixel_format: String,
    /// What the first frame's pixel format had to be converted to, if it had to be.
    pub conversion: Option<String>,
    /// Width and height of the first frame, in pixels.
    pub coded_size: (u32, u32),
    /// Width and height that the header states, in pixels.
    pub stated_size: (u32, u32),
    /// Transfer function of the first frame, by FFmpeg's name, where tagged.
    pub transfer: Option<&'static str>,
    /// Colour primaries of the first frame, by FFmpeg's name, where tagged.
    pub primaries: Option<&'static str>,
    /// Average frame rate in frames per second, where known.
    pub average_rate: Option<Ratio>,
    /// Duration of the video stream in seconds, else of the file; `None` where neither is known.
    pub duration_secs: Option<f64>,
    /// Seconds per tick of the frames' timestamps.
    pub time_base: Ratio,
    /// Timestamp of the first frame, in ticks.
    pub start_ticks: i64,
    /// Number of frames that the container states.
    pub stated_frames: Option<u64>,
    /// Whether the source can be positioned.
    pub seekable: bool,
    /// Whether the file carries timestamps; without them they are made from the frame rate.
    pub timed: bool,
    /// Whether the video is known to be a single picture.
    pub still: bool,
    /// Index of the stream in the file.
    pub stream: usize,
    /// Decoding threads in use.
    pub threads: usize,
    /// What did not go as the headers promised: streams that gave nothing, conversions, guesses. One sentence each.
    pub notes: Vec<String>,
}

/// What was counted since the video was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameCounters {
    /// Frames handed out.
    pub delivered: u64,
    /// Packets that the decoder refused.
    pub refused_packets: u64,
    /// Frames handed out that the decoder reported as damaged.
    pub damaged: u64,
    /// Packets whose frames are not to be shown, as an edit list has it.
    pub discarded: u64,
    /// Frames that could not be read as a picture and were left out.
    pub unusable: u64,
    /// Errors of reading the file, after which reading went on or ended early.
    pub read_errors: u64,
}
