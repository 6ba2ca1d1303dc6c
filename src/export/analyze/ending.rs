//! How a run can end before its last frame: it is asked to, something fails, or the file lacks frames that it should have.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::export::file::FileError;
use crate::gpu::GpuError;
use crate::media::{Decoder, FrameCounters, MediaError, StreamInfo};

/// Frames by which a file may end before its headers say: headers round.
const MISSING_FRAMES: f64 = 2.5;
/// The same where something else says that the file was cut off.
const MISSING_FRAMES_OF_CUT: f64 = 0.5;
/// Containers whose headers tell how many frames there are or how long the video is, before the frames come. Elsewhere
/// that is unknown, or taken from the last packets that there are, or it is the length of the longest stream.
const TELLING: [&str; 5] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "ivf", "mxf"];

/// Asks a run to end after the frames that are under way. Clones ask the same run.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A run that nobody has asked to end.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a file could not be analysed, or its results not be written. Each text says what happened to which file.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzeError {
    /// The video could not be read.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The adapter could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The output could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output could not be written to the standard output.
    #[error("the output could not be written: {0}")]
    Output(std::io::Error),
    /// The output file could not be written to its end.
    #[error("{} cannot be written ({source}); what there is so far is in {}, from where --resume goes on once there is room", .path.display(), .part.display())]
    Kept {
        /// The output.
        path: PathBuf,
        /// Its preliminary file.
        part: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The reader of the standard output has gone away, as `head` does.
    #[error("the reader of the output has gone away")]
    ReaderGone,
    /// The region is not inside the picture.
    #[error("{}: the region {region} is not inside the picture of frame {frame}, which has {width}×{height} pixels; choose one that is", .input.display())]
    OutsidePicture {
        /// The video.
        input: PathBuf,
        /// The region as it was stated.
        region: String,
        /// The frame's number.
        frame: u64,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The end of the selection is not after its start.
    #[error("{}: --to {to} is not after --from {from}", .input.display())]
    Backward {
        /// The video.
        input: PathBuf,
        /// The start.
        from: String,
        /// The end.
        to: String,
    },
    /// Something was asked for that needs a file, not a stream of bytes.
    #[error("{}: {what} needs a file that can be read more than once; save the video to one", .input.display())]
    NeedsFile {
        /// The source.
        input: PathBuf,
        /// What was asked for.
        what: &'static str,
    },
    /// R'G'B' video has no Y'CbCr codes.
    #[error("{}: the video is R'G'B'; it has no Y'CbCr codes to count (leave --components out)", .0.display())]
    NotCoded(PathBuf),
    /// FFmpeg's filter would convert the picture first.
    #[error("{}: signalstats reads only planar Y'CbCr and would convert {format} first, to other values; use --format jsonl, csv or json", .input.display())]
    NoSignal {
        /// The video.
        input: PathBuf,
        /// The pixel format.
        format: String,
    },
    /// The engine and the reference differ.
    #[error(
        "frame {frame}: {place} holds {counted} where the reference counts {expected}; please report this with the file"
    )]
    Miscounted {
        /// The frame's number.
        frame: u64,
        /// Which bin of which channel.
        place: String,
        /// The engine's count.
        counted: u32,
        /// The reference's count.
        expected: u32,
    },
    /// Shares that are not parts of one run.
    #[error("{0}")]
    Merge(String),
    /// A run that cannot be continued.
    #[error("{0}")]
    Resume(String),
}

/// What a file tells about its end before it is decoded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Ending {
    /// Seconds from the first frame to the end of the last, as the headers state.
    pub(super) stated_secs: Option<f64>,
    /// The part of the container that goes on beyond the end of the file.
    cut_part: Option<&'static str>,
    /// Whether the headers tell where the end should be.
    is_told: bool,
}

impl Ending {
    pub(super) fn of(decoder: &Decoder) -> Self {
        let cut_part = decoder.cut_part();
        let container = decoder.info().container.as_str();
        let is_told = match cut_part {
            // The headers of a fragmented file know of no fragment but the first.
            Some("a fragment") => false,
            // What was written to a pipe has wrong lengths; the size of the chunk around everything is surer.
            None if container == "avi" => false,
            _ => TELLING.contains(&container),
        };
        Self { stated_secs: decoder.stated_stream_secs(), cut_part, is_told }
    }

    /// A sentence about frames that the file should have and does not; asked once its end was reached. `seen` is the number of
    /// the frame behind the last one, and where that one ended, in seconds.
    pub(super) fn missing(&self, info: &StreamInfo, seen: (u64, f64), decoder: &FrameCounters) -> Option<String> {
        if decoder.read_errors > 0 {
            return Some("its end could not be read".to_owned());
        }
        if self.is_told && !info.still {
            let (frames_seen, last) = seen;
            let frame_secs = info.average_rate.map_or(0.04, |rate| 1.0 / rate.value());
            let missing_frames = self.stated_secs.map(|stated| (stated - last) / frame_secs);
            let lacks_frames = info.stated_frames.map(|frames| frames_seen + decoder.discarded < frames);
            if let (Some(stated), Some(missing)) = (self.stated_secs, missing_frames)
                && lacks_frames != Some(false)
                && missing > MISSING_FRAMES
            {
                return Some(format!("it ends after {last:.3} s of {stated:.3} s"));
            }
            if lacks_frames.or_else(|| missing_frames.map(|missing| missing > MISSING_FRAMES_OF_CUT)) == Some(false) {
                return None;
            }
        }
        let cut = self.cut_part.map(|part| format!("it was cut off in the middle of {part}"));
        cut.or_else(|| decoder.ends_damaged.then(|| "its last frame is damaged, as by a cut".to_owned()))
    }
}
