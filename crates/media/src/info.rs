//! The facts about an open video, and counters of its decoding.

use std::path::PathBuf;
use std::time::Duration;

use super::streams::VideoTrack;
use histoscope_core::picture::color::{Matrix, Origin, Range, Sourced, UnreadableMatrix};
use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::picture::layout::{ChromaLines, PixelLayout};
use histoscope_core::picture::{Field, Orientation, Ratio, Scan, Timecodes};

/// How to open a video.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The matrix to use whatever the file says.
    pub matrix: Option<Matrix>,
    /// The range to use whatever the file says.
    pub range: Option<Range>,
    /// The lines that share a chroma row in 4:2:0, whatever the frames say.
    pub chroma_lines: Option<ChromaLines>,
    /// The field that is taken out of each frame; by default the frame is taken as a whole.
    pub field: Option<Field>,
    /// The file's croppings that are applied.
    pub cropping: CroppingChoice,
    /// Number of decoding threads; by default one more than the machine has cores, so that no core waits while a thread needs a
    /// frame of another, and fewer for pictures so large that the threads' frames would fill the memory. With one thread damaged frames
    /// are the same each time.
    pub threads: Option<usize>,
    /// How long a network source may give no data before it is given up; 10 s by default.
    pub network_limit: Option<Duration>,
    /// True if a picture with a number in its name is opened as the sequence that it belongs to.
    pub sequence: bool,
    /// Frames a second of pictures that are files of their own, in place of the rate that is assumed of them.
    pub frame_rate: Option<Ratio>,
    /// True if numbered pictures that are still being written are waited for.
    pub follow: bool,
    /// The number of the video track to read, from 1 on in the order of the file, in place of the one that is most likely the video.
    pub track: Option<u32>,
    /// Bytes of packets of a live source that a decoding thread keeps, so that what has gone by can be decoded
    /// again; none by default.
    pub kept_packets: usize,
}

impl OpenOptions {
    /// How long a network source may give no data unless the options say otherwise.
    pub const NETWORK_LIMIT: Duration = Duration::from_secs(10);
}

/// The facts about a video as the file and its headers state them; the frames may contradict them.
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
    /// How the video is scanned, where the codec or the container says so.
    pub scan: Option<Scan>,
    /// Pixel format of the first frame, by FFmpeg's name.
    pub pixel_format: String,
    /// The pixel format to which the first frame was converted, if it had to be.
    pub conversion: Option<String>,
    /// How the samples of the first frame lie where they are counted; `None` where it cannot be read as a picture.
    pub layout: Option<PixelLayout>,
    /// Width and height of the first frame, in pixels.
    pub coded_size: (u32, u32),
    /// Width and height that the header states, in pixels; those of the first frame where only its cropping makes them differ.
    pub stated_size: (u32, u32),
    /// Transfer function of the first frame, by FFmpeg's name, where tagged.
    pub transfer: Option<&'static str>,
    /// Colour primaries of the first frame, by FFmpeg's name, where tagged.
    pub primaries: Option<&'static str>,
    /// The matrix of the first frame, if it cannot be read: then there is no R'G'B'.
    pub unreadable_matrix: Option<UnreadableMatrix>,
    /// Bits a second of the video stream, else of the whole file, as stated or as its size and duration tell.
    pub bit_rate: Option<u64>,
    /// Average frame rate in frames per second, where known.
    pub average_rate: Option<Ratio>,
    /// The lowest frame rate in which all timestamps that the headers and the first frames tell can be expressed.
    pub nominal_rate: Option<Ratio>,
    /// Where the frame rate of pictures comes from that are files of their own, which have none; `None` for all else.
    pub picture_rate: Option<Origin>,
    /// Width of a pixel over its height in the first frame; 1 is guessed where nothing is stated.
    pub sample_aspect: Sourced<Ratio>,
    /// How the first frame is turned for display.
    pub orientation: Orientation,
    /// Duration of the video stream in seconds, else of the file; `None` where neither is known.
    pub duration_secs: Option<f64>,
    /// Seconds per tick of the frames' timestamps.
    pub time_base: Ratio,
    /// Timestamp of the first frame, in ticks.
    pub start_ticks: i64,
    /// Number of frames that the container states.
    pub stated_frames: Option<u64>,
    /// How the frames are labelled by timecodes; `None` where the first one has none.
    pub timecodes: Option<Timecodes>,
    /// True if the source can be positioned.
    pub seekable: bool,
    /// True if a sender gives the pace: what is not taken in time is gone, and there is no end but the sender's.
    pub live: bool,
    /// True if the file carries timestamps; without them they are made from the frame rate.
    pub timed: bool,
    /// True if the video is known to be a single picture.
    pub still: bool,
    /// Index of the stream in the file.
    pub stream: usize,
    /// All video tracks of the file, in its order.
    pub tracks: Vec<VideoTrack>,
    /// Why this one was chosen.
    pub track_reason: &'static str,
    /// Decoding threads in use.
    pub threads: usize,
    /// Notes on what differs from the headers: streams that gave nothing, conversions, guesses. One sentence each.
    pub notes: Vec<String>,
}

impl StreamInfo {
    /// The number of the video track that is read, from 1 on; `None` where the file has no other.
    #[must_use]
    pub fn track(&self) -> Option<u32> {
        let at = self.tracks.iter().position(|track| track.stream == self.stream)?;
        u32::try_from(at + 1).ok().filter(|_| self.tracks.len() > 1)
    }

    /// Returns whether frames come at uneven distances, as far as the headers tell.
    #[must_use]
    pub fn is_variable_rate(&self) -> Option<bool> {
        let (average, nominal) = (self.average_rate?.value(), self.nominal_rate?.value());
        // An average is rounded by some containers.
        Some((average / nominal - 1.0).abs() > 1e-3)
    }

    /// The frame rate, where the number of frames that the container states confirms that they come at even distances.
    /// Rates alone do not: some containers state one that most frames keep to.
    #[must_use]
    pub fn constant_rate(&self) -> Option<Ratio> {
        let rate = self.nominal_rate?;
        let surplus = self.duration_secs? * rate.value() - self.stated_frames? as f64;
        let is_even = self.timed && self.is_variable_rate() == Some(false) && surplus.abs() < 0.9;
        is_even.then_some(rate)
    }
}

/// Counters since the video was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameCounters {
    /// Packets of the video that were read.
    pub packets: u64,
    /// How often a seek has read all packets of the file on the side, to list them.
    pub listings: u64,
    /// Frames that came out of the codec.
    pub decoded: u64,
    /// Frames handed out.
    pub delivered: u64,
    /// Packets that the decoder refused.
    pub refused_packets: u64,
    /// Frames handed out that the decoder reported as damaged.
    pub damaged: u64,
    /// Packets whose frames are not to be shown, as an edit list has it.
    pub discarded: u64,
    /// Packets that never went to the decoder: their pictures were not wanted, and no other refers to them.
    pub left_out: u64,
    /// Frames that could not be read as a picture and were left out.
    pub unusable: u64,
    /// Errors of reading the file, after which reading went on or ended early.
    pub read_errors: u64,
    /// True if the last packet was cut short, or its frame came out damaged.
    pub ends_damaged: bool,
}
