//! An output of records that is being written, in whichever format.

use super::ending::AnalyzeError;
use super::format::{Format, RecordWriter};
use super::left::Left;
use super::lines::LineOutput;
use super::output::{Output, OutputTarget, preliminary};
use super::parquet::TableOutput;
use super::pipeline::CountedFrame;
use super::record::Recorder;
use super::summary::Summary;
use histoscope_media::StreamInfo;

/// Takes records, one after the other.
pub enum RecordOutput {
    /// As lines of text.
    Lines(Box<LineOutput>),
    /// As rows of a table.
    Table(Box<TableOutput>),
}

impl RecordOutput {
    /// Begins the output of a run on that video, or goes on behind what a run that is the same has left.
    ///
    /// # Errors
    /// [`AnalyzeError`] if it cannot be written, or another run is writing it.
    pub fn open(
        format: Format,
        target: &OutputTarget,
        run: u64,
        left: &Left,
        recorder: Recorder,
        info: &StreamInfo,
    ) -> Result<Self, AnalyzeError> {
        let open = |kept| Output::open(target, run, kept);
        Ok(match format {
            Format::Text(format) => {
                let output = open(Some(left.bytes).filter(|bytes| *bytes > 0))?;
                Self::Lines(Box::new(LineOutput::new(output, RecordWriter::new(format, recorder, info), left)?))
            }
            Format::Parquet => {
                Self::Table(Box::new(TableOutput::new(recorder, left, preliminary(target, run).as_deref(), open)?))
            }
        })
    }

    /// Writes a frame's record.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the disk is full, say; [`AnalyzeError::ReaderGone`] if nobody reads any more.
    pub fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
        match self {
            Self::Lines(lines) => lines.add(frame),
            Self::Table(table) => table.add(frame),
        }
    }

    /// Says that the next record takes a while.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn pause(&mut self) -> Result<(), AnalyzeError> {
        match self {
            Self::Lines(lines) => lines.pause(),
            // A row group is handed over when it is full.
            Self::Table(_) => Ok(()),
        }
    }

    /// Ends the output; a file gets its final name.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn finish(self, summary: &Summary) -> Result<(), AnalyzeError> {
        match self {
            Self::Lines(lines) => lines.finish(summary),
            Self::Table(table) => table.finish(summary),
        }
    }

    /// Leaves nothing of a file in which nothing is worth keeping.
    pub fn discard(self) {
        match self {
            Self::Lines(lines) => lines.discard(),
            Self::Table(table) => table.discard(),
        }
    }
}
