//! Where the frames of a file lie in time, learned from its packets without decoding them.

use std::sync::Arc;

use super::av::{AvError, Read};
use super::decoder::Decoder;
use super::ending;
use super::error::MediaError;
use super::position::{Count, Origin};
use super::promise::Promise;
use super::source::Source;

/// Codecs whose packets hold exactly one shown frame each, so that counting packets is counting frames.
const ONE_FRAME_A_PACKET: [&str; 24] = [
    "h264",
    "hevc",
    "av1",
    "vp9",
    "mpeg1video",
    "mpeg2video",
    "mpeg4",
    "mjpeg",
    "prores",
    "dnxhd",
    "ffv1",
    "huffyuv",
    "ffvhuff",
    "utvideo",
    "rawvideo",
    "v210",
    "v410",
    "r210",
    "png",
    "qtrle",
    "cfhd",
    "jpeg2000",
    "magicyuv",
    "theora",
];
/// Seconds between two frames above which a format that may jump (transport streams) is taken to have jumped.
const JUMP_SECS: f64 = 10.0;
/// No more frames are listed than these: three days at 60 a second, 128 MiB of timestamps.
const MOST_FRAMES: usize = 1 << 24;

/// The presentation timestamps of all frames, as the packets have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameIndex {
    /// Timestamps in ticks, in presentation order, of the frames from the first shown one on.
    pub pts: Vec<i64>,
    /// Those of them at which decoding can start.
    pub keys: Vec<i64>,
}

impl FrameIndex {
    /// The number of frames before this timestamp, which is the number of the first frame at or after it.
    #[must_use]
    pub fn frames_before(&self, ticks: i64) -> u64 {
        self.pts.partition_point(|pts| *pts < ticks) as u64
    }

    /// The number of the frame with this timestamp, counted from zero.
    #[must_use]
    pub fn number_of(&self, ticks: i64) -> Option<u64> {
        self.pts.binary_search(&ticks).ok().map(|number| number as u64)
    }
}

/// What all packets of a file tell.
#[derive(Debug)]
pub(super) enum Listing {
    /// Each has a timestamp of its own, and they rise without jumps.
    Rising(FrameIndex),
    /// Timestamps are missing, repeated or jump, or the file could not be read to its end.
    Unclear,
}

/// A second look at a decoder's source, which lists its frames without the decoder.
pub(super) struct Lister {
    source: Source,
    stream: usize,
    start_ticks: i64,
    tick_secs: f64,
    /// Whether two packets may make a frame, of which the second needs no timestamp.
    is_split: bool,
}

impl Lister {
    /// Whether the source is a file, which can be read a second time at no one's cost but this machine's.
    pub(super) fn reads_file(&self) -> bool {
        self.source.is_file()
    }

    /// Reads all packets, as long as `go_on` says so.
    pub(super) fn list(&self, go_on: impl Fn() -> bool) -> Result<Listing, MediaError> {
        let mut input = self.source.open()?;
        input.select(self.stream);
        let mut index = FrameIndex::default();
        let mut last_dts = None;
        loop {
            self.source.limit_time();
            let packet = match input.read() {
                Read::Packet(packet) if usize::try_from(packet.stream()) == Ok(self.stream) => packet,
                Read::Packet(_) | Read::Error(AvError::AGAIN) => continue,
                Read::End => break,
                Read::Error(error) => {
                    log::debug!("{}: the packets cannot be listed: {error}", self.source.path().display());
                    return Ok(Listing::Unclear);
                }
            };
            let has_gone_back = last_dts.is_some() && packet.dts() <= last_dts;
            if self.is_split && packet.pts().is_none() {
                continue;
            }
            let is_whole = !has_gone_back && !packet.is_corrupt() && index.pts.len() < MOST_FRAMES;
            let Some(pts) = packet.pts().filter(|_| is_whole) else { return Ok(Listing::Unclear) };
            last_dts = packet.dts().or(last_dts);
            // What lies before the first frame that came out has no picture of its own.
            if pts < self.start_ticks || packet.is_discarded() {
                continue;
            }
            index.pts.push(pts);
            if packet.is_key() {
                index.keys.push(pts);
            }
            if index.pts.len().is_multiple_of(1024) && !go_on() {
                return Ok(Listing::Unclear);
            }
        }
        index.pts.sort_unstable();
        index.keys.sort_unstable();
        let jump = if input.may_jump() { (JUMP_SECS / self.tick_secs) as i64 } else { i64::MAX };
        let is_plain = index.pts.first() == Some(&self.start_ticks)
            && index.pts.windows(2).all(|pair| pair[0] < pair[1] && pair[1].saturating_sub(pair[0]) < jump);
        Ok(if is_plain { Listing::Rising(index) } else { Listing::Unclear })
    }
}

impl Decoder {
    /// Reads all packets once, from a second look at the source; `None` where packets do not tell the frames beyond
    /// doubt (no timestamps, repeated or jumping ones, codecs with hidden frames) or the source can be read only once.
    /// `go_on` is asked now and then; when it says no, the answer is `None` too.
    ///
    /// # Errors
    /// [`MediaError`] if the source cannot be opened again.
    pub fn frame_index(&self, go_on: impl Fn() -> bool) -> Result<Option<FrameIndex>, MediaError> {
        let Some(lister) = self.lister().filter(|_| self.has_plain_packets()) else { return Ok(None) };
        Ok(match lister.list(go_on)? {
            Listing::Rising(index) => Some(index),
            Listing::Unclear => None,
        })
    }

    /// A second look at the source; `None` where it has no timestamps or can be read only once.
    pub(super) fn lister(&self) -> Option<Lister> {
        let is_listable = self.source.can_reopen() && self.info.seekable && self.info.timed && self.promise.has_times();
        is_listable.then(|| Lister {
            source: self.source.clone(),
            stream: self.stream,
            start_ticks: self.info.start_ticks,
            tick_secs: self.info.time_base.value(),
            is_split: self.is_split(),
        })
    }

    /// Numbers the frames from now on by that list, unless those that came so far are not its frames.
    pub fn adopt(&mut self, index: FrameIndex) -> Option<Arc<FrameIndex>> {
        let last_pts = self.position.last_pts;
        let is_counted_alike = || match self.position.count {
            Count::Run { first, frames } => index
                .number_of(first)
                .is_none_or(|number| last_pts.and_then(|last| index.number_of(last)) == Some(number + frames - 1)),
            _ => true,
        };
        let counted = &self.numbers.counted;
        let is_plain = self.has_plain_packets();
        let begins_alike = if is_plain {
            index.pts.starts_with(counted)
        } else {
            counted.iter().all(|pts| index.number_of(*pts).is_some())
        };
        let is_timed = self.info.timed && !self.timeline.has_jumped() && self.promise.has_times();
        let agrees = is_timed && begins_alike && (!is_plain || is_counted_alike());
        if !agrees {
            log::debug!("{}: the frames do not come as the packets tell", self.source.path().display());
        }
        if self.promise.is_unlisted() {
            self.promise = if agrees { Promise::Keyframes } else { Promise::Nothing };
            if agrees && self.position.origin == Origin::Guess {
                // The list bears out what was taken on trust.
                self.position.origin = Origin::Keyframe;
            }
        }
        self.numbers.list = (agrees && is_plain).then(|| Arc::new(index));
        self.numbers.list.clone()
    }

    /// The list that the frames are numbered by, if there is one.
    pub(super) const fn adopted(&self) -> Option<&Arc<FrameIndex>> {
        self.numbers.list.as_ref()
    }

    /// Whether each packet is a frame, so that counting packets is counting frames.
    pub(super) fn has_plain_packets(&self) -> bool {
        let codec = self.info.codec.as_str();
        // AVI may pack two frames of MPEG-4 into a packet.
        let is_packed = codec == "mpeg4" && self.info.container == "avi";
        self.info.timed && ONE_FRAME_A_PACKET.contains(&codec) && !is_packed && !self.is_split()
    }

    /// Whether two packets may make a frame, as transport streams have them of interlaced video.
    pub(super) fn is_split(&self) -> bool {
        let is_of_fields = self.numbers.begins_interlaced && matches!(self.info.codec.as_str(), "h264" | "hevc");
        self.info.container == "mpegts" && is_of_fields
    }

    /// Seconds from the first frame to the end of the video stream, as its own headers state; the file as a whole may be
    /// longer.
    #[must_use]
    pub fn stated_stream_secs(&self) -> Option<f64> {
        let parameters = self.input.stream(self.stream)?;
        let tick_secs = self.info.time_base.value();
        // The first frame may come later than what is measured from: Matroska's tag counts from the beginning of the file,
        // and where a recording begins between keyframes, so do some packets before the first that can be decoded.
        let late_secs = |from: i64| (self.info.start_ticks.saturating_sub(from) as f64 * tick_secs).max(0.0);
        if self.info.container == "matroska,webm" {
            // There is no other length of a stream; where this is missing, FFmpeg may give that of the file.
            return parameters.tagged_duration_secs().map(|secs| secs - late_secs(0));
        }
        let start = parameters.start().unwrap_or(self.info.start_ticks);
        parameters.duration().map(|ticks| ticks as f64 * tick_secs - late_secs(start))
    }

    /// What the file was cut off in the middle of, where its container tells that the file was longer once; `None` for what
    /// is no file, too.
    #[must_use]
    pub fn cut_part(&self) -> Option<&'static str> {
        self.source.is_file().then(|| ending::cut_part(self.source.path(), &self.info.container)).flatten()
    }
}
