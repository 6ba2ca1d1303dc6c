//! Where the frames of a file lie in time, learned from its packets without decoding them.

use super::av::{AvError, FramelessPackets, Read, ShownOrder};
use super::error::MediaError;
use super::source::Source;

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
    /// So many whole pictures, each a tick after the one before it.
    pub(super) fn of_pictures(count: u32) -> Self {
        let pts: Vec<_> = (0..i64::from(count)).collect();
        Self { keys: pts.clone(), pts }
    }

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

/// The result of reading all packets of a file.
#[derive(Debug)]
pub(super) enum Listing {
    /// Each has a timestamp of its own, and they rise without jumps.
    Rising(FrameIndex),
    /// Timestamps are missing, repeated or jump, contradict the order in which the codec shows its pictures, or the file could not be read to its end.
    Unclear,
}

/// A second look at a decoder's source, which lists its frames without the decoder.
pub(super) struct Lister {
    pub(super) source: Source,
    pub(super) stream: usize,
    pub(super) start_ticks: i64,
    pub(super) tick_secs: f64,
    /// True if two packets may make a frame, of which the second needs no timestamp.
    pub(super) is_split: bool,
}

impl Lister {
    /// Returns whether the source is a file, which can be read a second time at no one's cost but this machine's.
    pub(super) fn reads_file(&self) -> bool {
        self.source.is_file()
    }

    /// Reads all packets, as long as `go_on` says so.
    pub(super) fn list(&self, go_on: impl Fn() -> bool) -> Result<Listing, MediaError> {
        let mut input = self.source.open()?;
        input.select(self.stream);
        let Some(mut frameless) = input.stream(self.stream).map(|stream| FramelessPackets::of(&stream)) else {
            return Ok(Listing::Unclear);
        };
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
            let has_gone_back = last_dts.is_some() && packet.dts() <= last_dts;
            if self.is_split && packet.pts().is_none() {
                continue;
            }
            let is_whole = !has_gone_back && !packet.is_corrupt() && index.pts.len() < MOST_FRAMES;
            let Some(pts) = packet.pts().filter(|_| is_whole) else { return Ok(Listing::Unclear) };
            last_dts = packet.dts().or(last_dts);
            let is_frameless = frameless.has(&packet);
            // What lies before the first frame that came out has no picture of its own.
            if pts < self.start_ticks || packet.is_discarded() || is_frameless {
                continue;
            }
            // A frame whose timestamp lies before that of one that is shown earlier comes where the codec shows it.
            if order.as_mut().is_some_and(|order| !order.agrees_up_to(&packet, pts)) {
                return Ok(Listing::Unclear);
            }
            index.pts.push(pts);
            if packet.is_key() {
                index.keys.push(pts);
            }
            if index.pts.len().is_multiple_of(1024) && !go_on() {
                return Ok(Listing::Unclear);
            }
        }
        if order.is_some_and(|mut order| !order.agrees()) {
            return Ok(Listing::Unclear);
        }
        index.pts.sort_unstable();
        index.keys.sort_unstable();
        let jump = if input.may_jump() { (JUMP_SECS / self.tick_secs) as i64 } else { i64::MAX };
        let is_plain = index.pts.first() == Some(&self.start_ticks)
            && index.pts.windows(2).all(|pair| pair[0] < pair[1] && pair[1].saturating_sub(pair[0]) < jump);
        Ok(if is_plain { Listing::Rising(index) } else { Listing::Unclear })
    }
}
