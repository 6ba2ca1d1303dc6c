//! Chooses the stream that is the video.

use std::cmp::Reverse;
use std::fmt;
use std::path::Path;

use crate::av::{Input, StreamParameters};
use crate::error::{MediaError, MediaFault};
use crate::read::layout::native_layout;
use histoscope_core::picture::layout::ColorModel;

/// The kind of a video track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackKind {
    /// Moving pictures.
    Video,
    /// A cover or a thumbnail.
    Cover,
    /// A gray track next to one with colour, such as alpha or a depth map.
    GrayBeside,
}

/// A video track of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VideoTrack {
    /// Index of its stream in the file.
    pub stream: usize,
    /// The kind of track.
    pub kind: TrackKind,
    /// The codec's name, for instance "h264".
    pub codec: String,
    /// Width and height stated in the header, in pixels.
    pub size: (u32, u32),
}

impl fmt::Display for VideoTrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { codec, size: (width, height), kind, .. } = self;
        let kind = match kind {
            TrackKind::Video => "",
            TrackKind::Cover => ", a cover or a thumbnail",
            TrackKind::GrayBeside => ", gray: alpha or a depth map",
        };
        write!(f, "{codec}, {width}×{height}{kind}")
    }
}

/// A sound track of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudioTrack {
    /// Index of its stream in the file.
    pub stream: usize,
    /// The codec's name, for instance "aac".
    pub codec: String,
    /// Samples per second and channel.
    pub rate: u32,
    /// Number of channels.
    pub channels: usize,
    /// The places of the channels, for instance "stereo" or "5.1(side)".
    pub layout: String,
    /// The language, as the container states it.
    pub language: Option<String>,
    /// `true` if the container marks it as the track to play.
    pub is_default: bool,
}

impl AudioTrack {
    /// Returns all sound tracks, in file order.
    pub(crate) fn all(input: &Input) -> Vec<Self> {
        let track = |stream| {
            let parameters = input.stream(stream).filter(StreamParameters::is_audio)?;
            let (rate, channels) = parameters.sound_form();
            Some(Self {
                stream,
                codec: parameters.codec_name().to_owned(),
                rate,
                channels,
                // These are usual if the file states no places.
                layout: match (channels, parameters.sound_layout()) {
                    (1, _) => "mono".to_owned(),
                    (2, layout) if layout.ends_with("channels") => "stereo".to_owned(),
                    (_, layout) => layout,
                },
                language: parameters.tag(c"language").filter(|language| language != "und"),
                is_default: parameters.is_default(),
            })
        };
        (0..input.stream_count()).filter_map(track).collect()
    }

    /// Returns the short names of the channels, in their order: their numbers where their places are not known.
    #[must_use]
    pub fn channel_names(&self) -> Vec<String> {
        let names = match self.layout.as_str() {
            "stereo" | "downmix" => "L R",
            "2.1" => "L R LFE",
            "3.0" => "L R C",
            "3.1" => "L R C LFE",
            "quad" => "L R Lb Rb",
            "quad(side)" => "L R Ls Rs",
            "4.0" => "L R C Cb",
            "5.0" | "5.0(side)" => "L R C Ls Rs",
            "5.1" | "5.1(side)" => "L R C LFE Ls Rs",
            "7.1" => "L R C LFE Lb Rb Ls Rs",
            _ => "",
        };
        let named = names.split_whitespace().map(str::to_owned);
        if names.is_empty() { (1..=self.channels).map(|number| number.to_string()).collect() } else { named.collect() }
    }

    /// Returns the index of the track that is played unless another is chosen: the default one, or else the first.
    #[must_use]
    pub fn usual(tracks: &[Self]) -> Option<usize> {
        tracks.iter().position(|track| track.is_default).or(if tracks.is_empty() { None } else { Some(0) })
    }
}

impl fmt::Display for AudioTrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { codec, rate, layout, language, .. } = self;
        write!(f, "{codec}, {} kHz, {layout}", f64::from(*rate) / 1000.0)?;
        language.as_ref().map_or(Ok(()), |language| write!(f, ", {language}"))
    }
}

/// Doubts about a stream, the most serious first. The stream with the lesser doubts is more likely the video.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Doubts {
    is_cover: bool,
    lacks_decoder: bool,
    /// A stream of one frame next to longer ones is a cover, whatever its flags say.
    is_single: bool,
    /// A gray stream next to one with colour is probably its alpha.
    is_gray: bool,
    /// Number of pixels that the header states. The largest stream is the likeliest.
    pixels: Reverse<u64>,
    is_not_default: bool,
}

/// A stream that may be the video.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    doubts: Doubts,
    pub(crate) index: usize,
}

/// Returns the video streams, the likeliest first, or only the requested video track, given by its number. If a stream
/// gives no frame, the caller tries the next.
pub(crate) fn candidates(input: &Input, track: Option<u32>, path: &Path) -> Result<Vec<Candidate>, MediaError> {
    let doubts = |index| {
        let stream = input.stream(index).filter(|stream| stream.is_video())?;
        let doubts = Doubts {
            is_cover: stream.is_cover(),
            lacks_decoder: !stream.has_decoder(),
            is_single: stream.frame_count() == Some(1),
            is_gray: is_gray(input, index),
            pixels: Reverse(pixels(&stream)),
            is_not_default: !stream.is_default(),
        };
        Some(Candidate { doubts, index })
    };
    let mut found: Vec<_> = (0..input.stream_count()).filter_map(doubts).collect();
    if let Some(track) = track.filter(|_| !found.is_empty()) {
        let at = usize::try_from(track).ok().and_then(|track| track.checked_sub(1));
        let wanted = at.and_then(|at| found.get(at).copied());
        return wanted.map(|wanted| vec![wanted]).ok_or_else(|| {
            let path = path.to_owned();
            MediaFault::NoSuchTrack { track, tracks: found.len() }.of(path)
        });
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns the reason why the first of several candidates comes first.
pub(crate) fn reason(candidates: &[Candidate]) -> &'static str {
    let [first, second, ..] = candidates else { return "the only one" };
    let (first, second) = (first.doubts, second.doubts);
    match () {
        () if first.is_cover != second.is_cover => "the others are covers",
        () if first.lacks_decoder != second.lacks_decoder => "the others have no decoder",
        () if first.is_single != second.is_single => "the others have one frame each",
        () if first.is_gray != second.is_gray => "the others have no colour",
        () if first.pixels != second.pixels && candidates.iter().all(|other| other.doubts.pixels >= first.pixels) => {
            "the largest"
        }
        () if first.pixels != second.pixels => "the largest of its kind",
        () if first.is_not_default != second.is_not_default => "marked as default",
        () => "the first",
    }
}

/// Returns all video tracks, in file order.
pub(crate) fn tracks(input: &Input) -> Vec<VideoTrack> {
    let is_colored = |index: usize| input.stream(index).is_some_and(|stream| stream.is_video() && !stream.is_cover());
    let has_color = (0..input.stream_count()).any(|index| is_colored(index) && !is_gray(input, index));
    let track = |index| {
        let stream = input.stream(index).filter(|stream| stream.is_video())?;
        let kind = match () {
            () if stream.is_cover() => TrackKind::Cover,
            () if has_color && is_gray(input, index) => TrackKind::GrayBeside,
            () => TrackKind::Video,
        };
        Some(VideoTrack { stream: index, kind, codec: stream.codec_name().to_owned(), size: stream.size() })
    };
    (0..input.stream_count()).filter_map(track).collect()
}

fn pixels(stream: &StreamParameters<'_>) -> u64 {
    let (width, height) = stream.size();
    u64::from(width) * u64::from(height)
}

fn is_gray(input: &Input, index: usize) -> bool {
    let descriptor = input.stream(index).and_then(|stream| stream.pixel_format().descriptor());
    descriptor.and_then(|d| native_layout(&d)).is_some_and(|layout| layout.model == ColorModel::Gray)
}

/// Checks that FFmpeg has a decoder for a stream.
pub(crate) fn check_decoder(parameters: &StreamParameters<'_>, path: &Path) -> Result<(), MediaError> {
    if parameters.has_decoder() {
        return Ok(());
    }
    let codec = codec_in_words(parameters.codec_name(), parameters.codec_tag());
    Err(MediaFault::NoDecoder { codec }.of(path.to_owned()))
}

/// Returns the name of a codec that cannot be decoded, with the container's tag for it. FFmpeg has no names for codecs
/// newer than itself.
fn codec_in_words(name: &str, tag: Option<String>) -> String {
    let name = match (name, tag.as_deref()) {
        ("none", Some("vvc1" | "vvi1")) => "vvc",
        ("none", Some("evc1")) => "evc",
        ("none", _) => "an unknown codec",
        (name, _) => name,
    };
    tag.map_or_else(|| name.to_owned(), |tag| format!("{name} ({tag})"))
}

/// Describes the contents of a file without video, for an error message.
pub(crate) fn describe(input: &Input) -> String {
    match input.stream_count() {
        0 => "no streams at all".to_owned(),
        1 => format!("only {}", input.stream(0).map_or("unknown", |stream| stream.codec_name())),
        count => {
            let names: Vec<_> = (0..count).filter_map(|i| input.stream(i)).map(|s| s.codec_name()).collect();
            format!("only {}", names.join(", "))
        }
    }
}
