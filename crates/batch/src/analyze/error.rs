//! The reasons a run ends before its last frame: it was asked to stop, or something failed.
//! [`Ending`](histoscope_media::Ending) detects files that lack frames they should have.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::file::FileError;
use histoscope_core::picture::color::UnreadableMatrix;
use histoscope_core::text::counted;
use histoscope_media::MediaError;
use histoscope_render::gpu::GpuError;

/// Asks a run to end after the frames in flight. Clones refer to the same run.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Creates a handle for a run that has not been asked to end.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the run was asked to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The reason a file could not be analysed or its results could not be written. Each message names the file and what
/// happened to it.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzeError {
    /// The graphics device failed to return a decoded picture to the CPU.
    #[error(
        "{}: the graphics device did not return a decoded picture, so it cannot be counted; try again, or decode in \
         software with --hwdec no", .0.display()
    )]
    NotReturned(PathBuf),
    /// The video could not be read.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The adapter failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The output could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The output could not be written to standard output.
    #[error("the output could not be written: {0}")]
    Output(std::io::Error),
    /// The output file could not be written completely.
    #[error("{} cannot be written ({source}); the records so far are in {}; free some space, then continue with --resume", .path.display(), .part.display())]
    Kept {
        /// The output.
        path: PathBuf,
        /// Its preliminary file.
        part: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Rows could not be encoded as a table.
    #[error("{output} cannot be created: its rows could not be encoded ({source}); please report this with the video")]
    Table {
        /// The output's display name.
        output: String,
        /// The encoder's error.
        source: ::parquet::errors::ParquetError,
    },
    /// The reader of the output has closed the pipe, as `head` does.
    #[error("the reader of the output has closed it")]
    ReaderGone,
    /// The region is not inside the picture.
    #[error("{}: the region {region} is not inside the picture of frame {frame}, which has {width}×{height} pixels; choose one that is", .input.display())]
    OutsidePicture {
        /// The video.
        input: PathBuf,
        /// The region as specified by the user.
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
    /// The selection begins after the last frame.
    #[error(
        "{}: --from {from} is beyond the end: the video has {}, up to {end_secs:.3} s; choose an earlier point",
        .input.display(),
        counted(*.frames, "frame")
    )]
    BeyondEnd {
        /// The video.
        input: PathBuf,
        /// The start of the selection.
        from: String,
        /// Number of frames in the video.
        frames: u64,
        /// End of its last frame, in seconds.
        end_secs: f64,
    },
    /// The selection contains no frames.
    #[error("{0}: no frame was counted; the selection is empty")]
    NothingCounted(String),
    /// At no offset do enough frames of the two files have partners.
    #[error(
        "{} and {} are too short to be matched, or begin too far apart; name the offset with --offset, or search further with --align",
        .input.display(),
        .other.display()
    )]
    NotAligned {
        /// The video.
        input: PathBuf,
        /// The file it is compared with.
        other: PathBuf,
    },
    /// No offset matches the two files clearly better than all others.
    #[error(
        "{} and {}: not sure of the offset; {} and {} match best, but not clearly; give it with --offset",
        .input.display(),
        .other.display(),
        .candidates[0],
        .candidates[1]
    )]
    NotSure {
        /// The video.
        input: PathBuf,
        /// The file it is compared with.
        other: PathBuf,
        /// The best offset and the runner-up.
        candidates: [i64; 2],
    },
    /// An option needs a file that can be read more than once, not a stream of bytes.
    #[error("{}: {what} needs a file that can be read more than once; save the video to one", .input.display())]
    NeedsFile {
        /// The source.
        input: PathBuf,
        /// The option.
        what: &'static str,
    },
    /// R'G'B' video has no Y'CbCr codes to count.
    #[error("{}: the video is R'G'B'; it has no Y'CbCr codes to count (leave --components out)", .0.display())]
    NotCoded(PathBuf),
    /// The matrix is not supported, so there is no R'G'B' to count.
    #[error("{}: {matrix}, so there is no R'G'B' to count; choose another with --matrix", .input.display())]
    NoRgb {
        /// The video.
        input: PathBuf,
        /// Its matrix.
        matrix: UnreadableMatrix,
    },
    /// There is no sound to measure.
    #[error("{}: the file has no sound; leave out --audio", .0.display())]
    NoSound(PathBuf),
    /// The transfer function says nothing about light in cd/m².
    #[error(
        "{}: the transfer function is {transfer}, which gives no light in cd/m²; give --sdr-white for SDR, or --transfer pq or \
         hlg for HDR",
        .input.display()
    )]
    NoLight {
        /// The video.
        input: PathBuf,
        /// Its transfer function.
        transfer: &'static str,
    },
    /// The light of scenes is only described for PQ.
    #[error(
        "{}: the transfer function is {transfer}, but --format {format} describes PQ only; convert the video to PQ, or give \
         --light --transfer pq if it is PQ",
        .input.display()
    )]
    NotPq {
        /// The video.
        input: PathBuf,
        /// Its transfer function.
        transfer: &'static str,
        /// The format.
        format: &'static str,
    },
    /// A frame in the middle of a PQ video is not PQ.
    #[error(
        "{}: frame {frame} is not PQ, so nothing was written; choose a part with --from and --to, or give \
         --light --transfer pq",
        .input.display()
    )]
    FrameNotPq {
        /// The video.
        input: PathBuf,
        /// The frame's number.
        frame: u64,
    },
    /// FFmpeg's filter would convert pictures of this format first.
    #[error("{}: signalstats reads only planar Y'CbCr and would convert {format} first, to other values; use --format jsonl, csv, json or parquet, or another profile", .input.display())]
    NoSignal {
        /// The video.
        input: PathBuf,
        /// The pixel format.
        format: String,
    },
    /// The engine's count differs from the reference.
    #[error(
        "frame {frame}: {place} is {counted}, but the reference counts {expected}; please report this with the file"
    )]
    Miscounted {
        /// The frame's number.
        frame: u64,
        /// The bin and channel, or another figure.
        place: String,
        /// The engine's count.
        counted: String,
        /// The reference's count.
        expected: String,
    },
    /// The shares are not consecutive parts of one run.
    #[error("{0}")]
    Merge(String),
    /// The run cannot be continued.
    #[error("{0}")]
    Resume(String),
}

/// Returns the error of a `merge` that was asked to stop.
pub(super) fn stopped() -> AnalyzeError {
    AnalyzeError::Merge("stopped; nothing was written".to_owned())
}

/// Rejects a share whose number of records differs from the number it states: it was truncated or edited.
///
/// # Errors
/// [`AnalyzeError::Merge`] if the numbers differ.
pub(super) fn check_number(path: &Path, records: u64, said: u64) -> Result<(), AnalyzeError> {
    if records == said {
        return Ok(());
    }
    Err(AnalyzeError::Merge(format!(
        "{}: damaged (states {said} records but has {records}); create it again",
        path.display()
    )))
}
