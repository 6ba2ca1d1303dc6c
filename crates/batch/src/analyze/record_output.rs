//! An output of records in any format: one for the whole run, or one file per period of a fixed number of seconds. Each
//! of these files is finished as soon as the next one begins.
//!
//! Every such file states which frames it covers, like a share, so that `merge` can join them.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use histoscope_core::text::file_stamp;
use histoscope_media::StreamInfo;

use super::error::AnalyzeError;
use super::format::{Format, LineOutput, RecordWriter};
use super::light::LightSummary;
use super::output::{Output, OutputTarget, RecordSink, ResumePoint};
use super::parquet::TableOutput;
use super::pipeline::{CountedFrame, Request};
use super::record::Recorder;
use super::scenes::SceneOutput;
use super::summary::Summary;
use crate::file::check_output;

/// Starts the output of a run on this video, or continues the output of an identical run.
///
/// # Errors
/// [`AnalyzeError`] if the output cannot be written, or another run is writing it.
pub fn open(
    format: Format,
    target: &OutputTarget,
    run: u64,
    left: &ResumePoint,
    recorder: Recorder,
    info: &StreamInfo,
) -> Result<Box<dyn RecordSink>, AnalyzeError> {
    let open = |kept| Output::open(target, run, kept);
    let kept = Some(left.bytes).filter(|bytes| *bytes > 0);
    Ok(match format {
        Format::Text(format) => {
            Box::new(LineOutput::new(open(kept)?, RecordWriter::new(format, recorder, info), left)?)
        }
        Format::Scenes(format) => Box::new(SceneOutput::new(format, open(None)?, info.path.clone())),
        Format::Parquet => Box::new(TableOutput::new(recorder, open(kept)?)?),
    })
}

/// The data shared by all files of a divided run.
pub(super) struct Division {
    pub(super) format: Format,
    /// The path that the names of the files are derived from.
    pub(super) path: PathBuf,
    /// A hash of the run's task.
    pub(super) run: u64,
    pub(super) bins: bool,
    pub(super) request: Request,
    pub(super) info: StreamInfo,
    /// The run's summary before its first frame. Each file except the last ends with it, with the file's own frame
    /// numbers.
    pub(super) summary: Summary,
    pub(super) secs: NonZeroU32,
}

/// Writes a run's records to one file per period.
pub(super) struct Segments {
    common: Division,
    current: Option<Segment>,
    /// First frame number of the next file, if known before that frame arrives.
    next_first: Option<u64>,
}

/// The file that is being written.
struct Segment {
    index: u64,
    output: Box<dyn RecordSink>,
    first_frame: u64,
    records: u64,
    /// The light of its frames, if it is measured.
    light: Option<LightSummary>,
}

impl Segments {
    /// Starts a run. `first` is the number of its first frame, if known.
    pub(super) const fn new(common: Division, first: Option<u64>) -> Self {
        Self { common, current: None, next_first: first }
    }

    fn begin(&self, index: u64, first: &CountedFrame) -> Result<Segment, AnalyzeError> {
        let Division { format, path, run, bins, request, info, .. } = &self.common;
        let path = path_of(path, *format, index, first.frame.facts.arrival);
        check_output(&path, &request.input)?;
        let recorder = Recorder::new(request, info, *bins);
        let output = open(*format, &OutputTarget::File(path), *run, &ResumePoint::default(), recorder, info)?;
        let light = request.counting.light.map(|_| LightSummary::default());
        Ok(Segment { index, output, first_frame: self.next_first.unwrap_or(first.number), records: 0, light })
    }

    /// Finishes the current file, if any. `summary` states where the file ends.
    fn end(&mut self, summary: &Summary) -> Result<(), AnalyzeError> {
        self.next_first = Some(summary.end_frame);
        let Some(Segment { output, first_frame, records, light, .. }) = self.current.take() else { return Ok(()) };
        let mut stated_light = summary.stated_light.clone();
        if let (Some(stated), Some(light)) = (&mut stated_light, &light) {
            stated.judge(light);
        }
        output.finish(&Summary { frames: records, first_frame, light, stated_light, ..summary.clone() })
    }
}

impl RecordSink for Segments {
    fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
        let index = index_of(frame.frame.facts.time_secs, self.common.secs);
        if self.current.as_ref().is_some_and(|current| current.index != index) {
            // The file ends at the first frame of the next file, so that there is no gap between them.
            let until_here = Summary { end_frame: frame.number, ..self.common.summary.clone() };
            self.end(&until_here)?;
        }
        let segment = match self.current.take() {
            Some(segment) => segment,
            None => self.begin(index, frame)?,
        };
        let segment = self.current.insert(segment);
        segment.records += 1;
        if let Some(light) = &mut segment.light {
            light.add_frame(frame.number, frame.counts.light.as_ref());
        }
        segment.output.add(frame)
    }

    fn pause(&mut self) -> Result<(), AnalyzeError> {
        self.current.as_mut().map_or(Ok(()), |current| current.output.pause())
    }

    fn finish(mut self: Box<Self>, summary: &Summary) -> Result<(), AnalyzeError> {
        self.end(summary)
    }

    fn discard(self: Box<Self>) {
        // Nothing to remove: a file is only created for its first record.
    }
}

/// Returns the index, from 0, of the file for a frame at this time in seconds.
fn index_of(time_secs: f64, secs: NonZeroU32) -> u64 {
    (time_secs.max(0.0) / f64::from(secs.get())) as u64
}

/// Returns the name of a file: for `live.csv`, `live-20261123T081500Z-0001.csv` if its first frame arrived at that
/// time; for `clip.csv`, `clip-0001.csv`. If the first frames of several files arrive in the same second, only the
/// numbers differ.
fn path_of(path: &Path, format: Format, index: u64, arrival: Option<SystemTime>) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = format!(".{}", format.extension());
    let (stem, ending) = match name.strip_suffix(&ending) {
        Some(stem) => (stem, ending.as_str()),
        None => name.rfind('.').filter(|at| *at > 0).map_or((&*name, ""), |at| name.split_at(at)),
    };
    let stamp = arrival.map(|moment| format!("{}-", file_stamp(moment))).unwrap_or_default();
    path.with_file_name(format!("{stem}-{stamp}{:04}{ending}", index + 1))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analyze::format::TextFormat;

    #[test]
    fn a_frame_belongs_to_the_period_in_which_it_begins() {
        let secs = NonZeroU32::new(60).expect("more than none");
        for (time, index) in [(-0.01, 0), (0.0, 0), (59.999, 0), (60.0, 1), (119.99, 1), (7200.0, 120)] {
            assert_eq!(index_of(time, secs), index, "{time}");
        }
    }

    #[test]
    fn names_contain_the_time_and_the_number() {
        let (csv, ffprobe) = (Format::Text(TextFormat::Csv), Format::Text(TextFormat::Ffprobe));
        let noon = SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_268_800_999);
        for (path, format, arrival, expected) in [
            ("/a/live.csv", csv, Some(noon), "/a/live-20260101T120000Z-0001.csv"),
            ("clip.csv", csv, None, "clip-0001.csv"),
            ("clip.v2.txt", csv, None, "clip.v2-0001.txt"),
            ("clip.ffprobe.json", ffprobe, None, "clip-0001.ffprobe.json"),
            ("clip", csv, None, "clip-0001"),
            (".clip", csv, None, ".clip-0001"),
        ] {
            assert_eq!(path_of(Path::new(path), format, 0, arrival), Path::new(expected));
        }
        assert_eq!(path_of(Path::new("a.csv"), csv, 12344, None), Path::new("a-12345.csv"));
    }
}
