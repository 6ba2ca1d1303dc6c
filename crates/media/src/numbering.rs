//! What a decoder makes of the packets' list: frames' numbers, and which seeks can be trusted.

use std::sync::Arc;

use super::decoder::Decoder;
use super::error::MediaError;
use super::index::{FrameIndex, Lister, Listing};
use super::position::{Count, Origin};
use super::promise::Promise;

/// Codecs whose packets hold exactly one shown frame each, or say that they hold none, so that counting packets is counting frames.
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

impl Decoder {
    /// Reads all packets once, from a second look at the source; `None` where packets do not tell the frames beyond
    /// doubt (no timestamps, repeated or jumping ones, codecs with hidden frames) or the source can be read only once.
    /// `go_on` is asked now and then; when it says no, the answer is `None` too.
    ///
    /// # Errors
    /// [`MediaError`] if the source cannot be opened again.
    pub fn frame_index(&self, go_on: impl Fn() -> bool) -> Result<Option<FrameIndex>, MediaError> {
        if let Some(sequence) = self.source.sequence().filter(|_| !self.info.live) {
            return Ok(Some(FrameIndex::of_pictures(sequence.count())));
        }
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

    /// Whether each packet is a frame or says that it is none, so that counting packets is counting frames.
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
}
