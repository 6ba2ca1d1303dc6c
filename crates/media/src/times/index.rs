//! The times of a file's frames, learned from its packets without decoding them.

use crate::av::{AvError, FramelessPackets, PacketHeaders, Read, ShownOrder};
use crate::error::MediaError;
use crate::read::source::Source;

/// Seconds between two frames above which a format that may jump (transport streams) is assumed to have jumped.
const JUMP_SECS: f64 = 10.0;
/// Maximum number of frames listed: three days at 60 frames per second, 128 MiB of timestamps.
const MAX_FRAMES: usize = 1 << 24;

/// The presentation timestamps of all frames, according to the packets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameIndex {
    /// Timestamps in ticks, in presentation order, starting with the first frame shown.
    pub pts: Vec<i64>,
    /// Those of the timestamps at which decoding can start: at a keyframe that needs no header from before it.
    pub keys: Vec<i64>,
}

impl FrameIndex {
    /// Creates the index of `count` intra-only pictures, one per tick.
    pub(crate) fn of_pictures(count: u32) -> Self {
        let pts: Vec<_> = (0..i64::from(count)).collect();
        Self { keys: pts.clone(), pts }
    }

    /// Returns the number of frames before this timestamp, which is also the number of the first frame at or after it.
    #[must_use]
    pub fn frames_before(&self, ticks: i64) -> u64 {
        self.pts.partition_point(|pts| *pts < ticks) as u64
    }

    /// Returns the number of the frame with this timestamp, counting from zero.
    #[must_use]
    pub fn number_of(&self, ticks: i64) -> Option<u64> {
        self.pts.binary_search(&ticks).ok().map(|number| number as u64)
    }
}

/// The result of reading all packets of a file.
#[derive(Debug)]
pub(crate) enum Listing {
    /// Every frame has its own timestamp, and they rise without jumps.
    Rising(FrameIndex),
    /// Some packets hold no picture although they should, so that a decoder may refuse them, or the timestamps
    /// contradict the order in which the codec shows its pictures. Only decoding shows which frame is which.
    Doubtful,
    /// Timestamps are missing, are repeated, or jump; or the file was not read to its end.
    Unclear,
}

/// Lists the frames of a decoder's source through a second input, without the decoder.
pub(crate) struct Lister {
    pub(crate) source: Source,
    pub(crate) stream: usize,
    pub(crate) start_ticks: i64,
    pub(crate) tick_secs: f64,
    /// `true` if two packets may form a frame; the second one needs no timestamp.
    pub(crate) is_split: bool,
}

impl Lister {
    /// Returns `true` if the source is a file, which can be read again without burdening another machine.
    pub(crate) fn reads_file(&self) -> bool {
        self.source.is_file()
    }

    /// Reads all packets, for as long as `go_on` returns `true`.
    pub(crate) fn list(&self, go_on: impl Fn() -> bool) -> Result<Listing, MediaError> {
        let mut input = self.source.open()?;
        input.select(self.stream, None);
        let Some(mut frameless) = input.stream(self.stream).map(|stream| FramelessPackets::of(&stream)) else {
            return Ok(Listing::Unclear);
        };
        let mut headers = input.stream(self.stream).and_then(|stream| PacketHeaders::of_stream(&stream));
        let mut order = input.stream(self.stream).and_then(|stream| ShownOrder::of(&stream));
        let mut index = FrameIndex::default();
        let mut last_dts = None;
        loop {
            self.source.limit_time();
            let packet = match input.read() {
                Read::Packet(packet) if usize::try_from(packet.stream()) == Ok(self.stream) => packet,
                Read::Packet(_) | Read::Error(AvError::AGAIN) => continue,
                Read::End => break,
                Read::Denied(_) => return Ok(Listing::Unclear),
                Read::Error(error) => {
                    log::debug!("{}: the packets cannot be listed: {error}", self.source.path().display());
                    return Ok(Listing::Unclear);
                }
            };
            let is_dependent = headers.as_mut().is_some_and(|headers| headers.is_dependent_key(&packet));
            let has_gone_back = last_dts.is_some() && packet.dts() <= last_dts;
            if self.is_split && packet.pts().is_none() {
                continue;
            }
            let is_whole = !has_gone_back && !packet.is_corrupt() && index.pts.len() < MAX_FRAMES;
            let Some(pts) = packet.pts().filter(|_| is_whole) else { return Ok(Listing::Unclear) };
            last_dts = packet.dts().or(last_dts);
            let is_frameless = frameless.has(&packet);
            // Packets before the first decoded frame have no picture of their own.
            if pts < self.start_ticks || packet.is_discarded() || is_frameless {
                continue;
            }
            if !headers.as_ref().map_or_else(|| frameless.may_have_picture(&packet), PacketHeaders::count_frame) {
                return Ok(Listing::Doubtful);
            }
            // The codec delivers frames in its own order, even if their timestamps contradict it.
            if order.as_mut().is_some_and(|order| !order.agrees_up_to(&packet, pts)) {
                return Ok(Listing::Doubtful);
            }
            index.pts.push(pts);
            if packet.is_key() && !is_dependent {
                index.keys.push(pts);
            }
            if index.pts.len().is_multiple_of(1024) && !go_on() {
                return Ok(Listing::Unclear);
            }
        }
        if order.is_some_and(|mut order| !order.agrees()) {
            return Ok(Listing::Doubtful);
        }
        index.pts.sort_unstable();
        index.keys.sort_unstable();
        let jump = if input.may_jump() { (JUMP_SECS / self.tick_secs) as i64 } else { i64::MAX };
        let is_plain = index.pts.first() == Some(&self.start_ticks)
            && index.pts.windows(2).all(|pair| pair[0] < pair[1] && pair[1].saturating_sub(pair[0]) < jump);
        Ok(if is_plain { Listing::Rising(index) } else { Listing::Unclear })
    }
}
