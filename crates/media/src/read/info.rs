//! The facts about an open video, and counters of its decoding.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::read::hardware::HardwareOptions;
use crate::read::streams::{AudioTrack, VideoTrack};
use crate::read::tap::SoundTap;
use histoscope_core::adjust::CameraLog;
use histoscope_core::picture::color::{Matrix, Origin, Range, Sourced, UnreadableMatrix};
use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::picture::layout::{ChromaLines, PixelLayout};
use histoscope_core::picture::luminance::{LuminanceWeights, WeightsChoice};
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::picture::{Field, Orientation, Ratio, Scan, Timecodes};
use histoscope_core::text::brief;

/// FFmpeg's name for MP4 and related formats, whose demuxer holds the index of the whole file in memory.
pub(crate) const MP4: &str = "mov,mp4,m4a,3gp,3g2,mj2";

/// Rates from this value on are not frame rates, but rates of the clock behind the container's timestamps.
const CLOCK_RATE: f64 = 1000.0;

/// Options for opening a video.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The matrix to use, whatever the file states.
    pub matrix: Option<Matrix>,
    /// The range to use, whatever the file states.
    pub range: Option<Range>,
    /// The transfer function to use, whatever the file states.
    pub transfer: Option<Transfer>,
    /// The peak in cd/m² of the display that HLG is read for; `None` for the usual one.
    pub hlg_peak: Option<u32>,
    /// The weights of luminance.
    pub luminance_weights: WeightsChoice,
    /// The lines that share a chroma row in 4:2:0, whatever the frames state.
    pub chroma_lines: Option<ChromaLines>,
    /// The field to extract from each frame; by default, whole frames are used.
    pub field: Option<Field>,
    /// Which of the file's croppings to apply.
    pub cropping: CroppingChoice,
    /// Number of decoding threads. By default one more than the machine has cores, so that no core idles while one
    /// thread waits for another's frame, and fewer for pictures so large that the threads' frames would fill the
    /// memory. With one thread, damaged frames are the same every time.
    pub threads: Option<usize>,
    /// Time without data after which a network source is given up; 10 s by default.
    pub network_limit: Option<Duration>,
    /// `true` to open a picture with a number in its name as the sequence that it belongs to.
    pub sequence: bool,
    /// Frame rate of pictures that are separate files, in frames per second, instead of the assumed rate.
    pub frame_rate: Option<Ratio>,
    /// `true` to wait for numbered pictures that are still being written.
    pub follow: bool,
    /// Number of the video track to read, counting from 1 in file order, instead of the one that is most likely the
    /// video.
    pub track: Option<u32>,
    /// Name of the layer of an EXR picture to read, instead of the default one.
    pub layer: Option<String>,
    /// Bytes of a live source's packets that a decoding thread stores so that past frames can be decoded again; none by
    /// default.
    pub kept_packets: usize,
    /// What decodes.
    pub hardware: HardwareOptions,
}

impl OpenOptions {
    /// Default time without data after which a network source is given up.
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
    /// The decoder in use, for instance "libdav1d", with the kind of hardware in parentheses if any decodes.
    pub decoder: String,
    /// The kind of hardware that decodes, for instance "cuda"; `None` if software does.
    pub hardware: Option<&'static str>,
    /// Why hardware does not decode, if it was considered.
    pub software_reason: Option<String>,
    /// The codec's profile, for instance "High 10".
    pub profile: Option<String>,
    /// The scan type, if the codec or the container states it.
    pub scan: Option<Scan>,
    /// FFmpeg's name for the pixel format of the first frame.
    pub pixel_format: String,
    /// The pixel format to which the first frame was converted, if it had to be.
    pub conversion: Option<String>,
    /// Sample layout in which the first frame is counted; `None` if it cannot be read as a picture.
    pub layout: Option<PixelLayout>,
    /// Width and height of the first frame, in pixels.
    pub coded_size: (u32, u32),
    /// Width and height that the header states, in pixels; those of the first frame if only its cropping makes the
    /// difference.
    pub stated_size: (u32, u32),
    /// FFmpeg's name for the transfer function of the first frame, if tagged.
    pub transfer: Option<&'static str>,
    /// FFmpeg's name for the colour primaries of the first frame, if tagged.
    pub primaries: Option<&'static str>,
    /// The weights of luminance of the first frame.
    pub luminance: LuminanceWeights,
    /// What the file states about its light.
    pub stated_light: StatedLight,
    /// The name of the ICC profile of the first frame, which is not applied.
    pub icc_profile: Option<String>,
    /// `true` if the first frame has film grain that the decoder adds, `false` if it states grain that is not added.
    pub film_grain: Option<bool>,
    /// The camera's log that the file's tags name, if there is a formula for it.
    pub camera_log: Option<CameraLog>,
    /// The matrix of the first frame if it is unreadable, in which case there is no R'G'B'.
    pub unreadable_matrix: Option<UnreadableMatrix>,
    /// Contradictions between the colours that the container and the first frame state, one sentence each.
    pub contradictions: Vec<String>,
    /// Bit rate of the video stream, or else of the whole file, in bits per second; stated, or computed from size and
    /// duration.
    pub bit_rate: Option<u64>,
    /// Average frame rate in frames per second, if known.
    pub average_rate: Option<Ratio>,
    /// The lowest frame rate that can express all timestamps in the headers and the first frames.
    pub nominal_rate: Option<Ratio>,
    /// Origin of the frame rate of pictures that are separate files, which have none themselves; `None` for anything
    /// else.
    pub picture_rate: Option<Origin>,
    /// Width of a pixel divided by its height in the first frame; 1 is guessed if none is stated.
    pub sample_aspect: Sourced<Ratio>,
    /// Orientation in which the first frame is displayed.
    pub orientation: Orientation,
    /// Duration of the video stream, or else of the file, in seconds; `None` if neither is known.
    pub duration_secs: Option<f64>,
    /// Seconds per tick of the frames' timestamps.
    pub time_base: Ratio,
    /// Timestamp of the first frame, in ticks.
    pub start_ticks: i64,
    /// Number of frames, as stated by the container.
    pub stated_frames: Option<u64>,
    /// Timecodes of the frames; `None` if the first frame has none.
    pub timecodes: Option<Timecodes>,
    /// `true` if the source supports seeking.
    pub seekable: bool,
    /// `true` if a sender sets the pace: data that is not read in time is lost, and only the sender ends the video.
    pub live: bool,
    /// `true` if the file has timestamps; otherwise they are derived from the frame rate.
    pub timed: bool,
    /// `true` if the video is known to be a single picture.
    pub still: bool,
    /// Index of the stream in the file.
    pub stream: usize,
    /// All video tracks of the file, in file order.
    pub tracks: Vec<VideoTrack>,
    /// All sound tracks of the file, in file order.
    pub audio: Vec<AudioTrack>,
    /// The sound of a live source.
    pub tap: SoundTap,
    /// The reason why this track was chosen.
    pub track_reason: &'static str,
    /// Number of decoding threads in use.
    pub threads: usize,
    /// Notes on differences from the headers: streams without frames, conversions, guesses. One sentence each.
    pub notes: Vec<String>,
}

impl StreamInfo {
    /// Returns the number of the video track being read, counting from 1; `None` if it is the only one.
    #[must_use]
    pub fn track(&self) -> Option<u32> {
        let at = self.tracks.iter().position(|track| track.stream == self.stream)?;
        u32::try_from(at + 1).ok().filter(|_| self.tracks.len() > 1)
    }

    /// Returns whether the frames are unevenly spaced, as far as the headers show; `None` if they do not state both
    /// rates.
    #[must_use]
    pub fn is_variable_rate(&self) -> Option<bool> {
        let (average, nominal) = (self.average_rate?.value(), self.nominal_rate?.value());
        // Some containers round the average.
        Some((average / nominal - 1.0).abs() > 1e-3)
    }

    /// Returns the usual name of the container. FFmpeg names a reader after every format that it reads.
    #[must_use]
    pub fn container_name(&self) -> &str {
        let is = |ending: &str| self.path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
        match &*self.container {
            "mov,mp4,m4a,3gp,3g2,mj2" if is("mov") || is("qt") => "MOV (QuickTime)",
            "mov,mp4,m4a,3gp,3g2,mj2" => "MP4",
            "matroska,webm" if is("webm") => "WebM",
            "matroska,webm" => "Matroska",
            "mpegts" => "MPEG-2 transport stream",
            "mpeg" => "MPEG program stream",
            "mxf" => "MXF",
            "avi" => "AVI",
            "asf" => "ASF (WMV)",
            "flv" => "FLV",
            "ogg" => "Ogg",
            "yuv4mpegpipe" => "YUV4MPEG",
            other => other,
        }
    }

    /// Returns the average rate, and whether it is constant, as far as the headers say.
    #[must_use]
    pub fn rate_text(&self) -> String {
        if self.still {
            return "a single picture".to_owned();
        }
        let Some(average) = self.average_rate.or(self.nominal_rate) else { return "unknown".to_owned() };
        let average = brief(average.value());
        match self.picture_rate {
            Some(Origin::Overridden) => return format!("{average} fps, by --frame-rate"),
            Some(_) => return format!("{average} fps, assumed: pictures state none; --frame-rate sets it"),
            None => {}
        }
        let nominal = self.nominal_rate.filter(|rate| rate.value() < CLOCK_RATE);
        match (self.is_variable_rate(), nominal) {
            (Some(true), Some(nominal)) => {
                format!("{average} fps on average, variable, up to {}", brief(nominal.value()))
            }
            (Some(true), None) => format!("{average} fps on average, variable"),
            (Some(false), _) => format!("{average} fps, constant"),
            (None, _) => format!("{average} fps"),
        }
    }

    /// Returns `true` if each frame lasts until the next: MP4 states only the time from one frame to the next (ISO/IEC
    /// 14496-12, 8.6.1.2), and FFmpeg makes up durations for reordered ones.
    #[must_use]
    pub fn frames_adjoin(&self) -> bool {
        self.container == MP4
    }

    /// Returns the frame rate if the number of frames stated by the container confirms that they are evenly spaced. The
    /// rates do not suffice: some containers state a rate that only most frames keep to.
    #[must_use]
    pub fn constant_rate(&self) -> Option<Ratio> {
        let rate = self.nominal_rate?;
        let surplus = self.duration_secs? * rate.value() - self.stated_frames? as f64;
        let is_even = self.timed && self.is_variable_rate() == Some(false) && surplus.abs() < 0.9;
        is_even.then_some(rate)
    }
}

/// A part of the video that is in the file, but that FFmpeg does not return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// Its packets are scrambled.
    Scrambled,
    /// It has another PID.
    OtherPid {
        /// The PID of the track that is read.
        read: u16,
        /// The PID of the part.
        pid: u16,
    },
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scrambled => f.write_str("part of its video is scrambled and not counted"),
            Self::OtherPid { read, pid } => {
                write!(f, "part of its video has another PID ({pid} instead of {read}) and is not counted")
            }
        }
    }
}

/// Counters since the video was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameCounters {
    /// Video packets read.
    pub packets: u64,
    /// Number of times a seek read all packets of the file separately, to list them.
    pub listings: u64,
    /// Frames that the codec produced.
    pub decoded: u64,
    /// Frames delivered.
    pub delivered: u64,
    /// Packets that the decoder refused.
    pub refused_packets: u64,
    /// Delivered frames that the decoder reported as damaged.
    pub damaged: u64,
    /// Packets whose frames an edit list hides.
    pub discarded: u64,
    /// Packets not sent to the decoder because their pictures were not needed and no other picture refers to them.
    pub left_out: u64,
    /// Frames left out because they could not be read as a picture.
    pub unusable: u64,
    /// Read errors, after which reading continued or ended early.
    pub read_errors: u64,
    /// The first part of the video found that FFmpeg does not return.
    pub left_out_part: Option<LeftOut>,
    /// `true` if the last packet was cut short or its frame was damaged.
    pub ends_damaged: bool,
    /// Number of times that hardware failed in the middle and software continued.
    pub hardware_failures: u64,
}
