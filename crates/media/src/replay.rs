//! Decoding again what has come from a live source: any frame that memory still has the packets of, and those that follow it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::av::{AvError, AvFrame, AvPacket, Codec, CodecOptions, Received};
use super::decoder::StopHandle;
use super::info::OpenOptions;
use super::pictures::{PictureMaker, TimelinePlace};
use super::position::Room;
use super::seek::NEAR_TIME;
use super::target::{Seek, SeekTarget};
use super::timeshift::{Supplied, Timeshift, Way};
use histoscope_core::picture::Frame;

/// How long a search goes on when a later one waits, as for files.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long before a frame decoding begins where pictures are refreshed bit by bit instead of by keyframes, in seconds.
const REFRESH_SECS: f64 = 10.0;
/// How long before the wanted frames decoding begins at least where earlier ones are fetched, in seconds.
const BACK_SECS: f64 = 0.4;

/// Refusals in a row after which the decoder is taken to have ended.
const MOST_REFUSED: u32 = 256;

/// What is next.
pub(super) enum Next {
    Frame(Frame),
    /// It has not come yet.
    NotYet,
    /// It is not kept any more.
    Gone,
}

/// A frame that has been decoded again, and where it lies.
type ReplayedFrame = (AvFrame, TimelinePlace);

/// How far a search has come.
struct ReplaySearch {
    frame: ReplayedFrame,
    /// Those right before it, without a gap, and the bytes of their buffers.
    before: VecDeque<ReplayedFrame>,
    bytes: usize,
}

/// Decodes what a [`Timeshift`] keeps.
pub(super) struct Replay {
    shift: Arc<Timeshift>,
    options: OpenOptions,
    stop: StopHandle,
    reading: Option<StretchReading>,
    /// The number that frames carry.
    serial: u64,
}

/// A stretch that is being decoded.
struct StretchReading {
    way: Way,
    codec: Codec,
    pictures: PictureMaker,
    /// The number of the next packet, and that packet where the codec has not taken it.
    next: u64,
    held: Option<AvPacket>,
}

/// How often a decoder has refused what it was given.
#[derive(Default)]
struct Refusals(u32);

/// What decoding on gave.
enum Decoded {
    Frame(ReplayedFrame),
    NotYet,
    /// All of the stretch has been decoded.
    Over,
    Gone,
}

impl Replay {
    pub(super) const fn new(shift: Arc<Timeshift>, options: OpenOptions, stop: StopHandle) -> Self {
        Self { shift, options, stop, reading: None, serial: 0 }
    }

    /// The number that the frames from now on carry.
    pub(super) const fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Goes where `seek` leads. The frame, and those right before it that there is room for; none where it is not kept any more.
    /// [`next`](Self::next) goes on from there.
    pub(super) fn seek(&mut self, seek: Seek, room: Room) -> Option<(Frame, Vec<Frame>)> {
        let (target, until) = match seek {
            Seek::Exact(target) | Seek::Back { target, .. } => (target, None),
            Seek::Near(secs) => (SeekTarget::Time(secs), Some(Instant::now() + NEAR_TIME)),
            Seek::Keyframe(secs) | Seek::Towards(secs) => (SeekTarget::Time(secs), None),
        };
        let ReplaySearch { frame, before, .. } = self.search(target, room, until, 0.0)?;
        let before = self.frames(before);
        Some((self.frame(frame)?, before))
    }

    /// The frame of the target with those right before it, as many as fit into `bytes`; none where there is none before.
    pub(super) fn frames_back(&mut self, target: SeekTarget, bytes: usize) -> Vec<Frame> {
        let room = Room { frames: usize::MAX, bytes };
        let early_secs = if matches!(target, SeekTarget::Before(_)) { BACK_SECS } else { 0.0 };
        let Some(ReplaySearch { frame, before: mut all, .. }) = self.search(target, room, None, early_secs) else {
            return Vec::new();
        };
        all.push_back(frame);
        let is_before = |found: &ReplayedFrame| {
            if let SeekTarget::Before(ticks) = target { found.1.pts_ticks < ticks } else { true }
        };
        all.retain(is_before);
        self.frames(all)
    }

    /// The frame after the last one.
    pub(super) fn next(&mut self) -> Next {
        loop {
            match self.decode() {
                Decoded::Frame(found) => {
                    if let Some(frame) = self.frame(found) {
                        return Next::Frame(frame);
                    }
                    continue;
                }
                Decoded::NotYet => return Next::NotYet,
                Decoded::Gone => return Next::Gone,
                Decoded::Over => {}
            }
            let Some(reading) = &self.reading else { return Next::Gone };
            // The sender has come back since.
            let Some(way) = self.shift.way_behind(reading.way.stretch) else { return Next::NotYet };
            if self.begin(way).is_none() {
                return Next::Gone;
            }
        }
    }

    /// Decodes up to a frame.
    fn search(
        &mut self,
        target: SeekTarget,
        room: Room,
        until: Option<Instant>,
        early_secs: f64,
    ) -> Option<ReplaySearch> {
        let begun = Instant::now();
        let whole = if until.is_some() { 0 } else { room.frames };
        let way = self.shift.way_to(target, whole, early_secs)?;
        let (found, is_clean) = self.search_on(way, room, until, begun)?;
        if is_clean || until.is_some() {
            return Some(found);
        }
        // It began in the middle of a refresh: what was there before still shows in it.
        let way = self.shift.way_to(target, whole, early_secs.max(REFRESH_SECS))?;
        self.search_on(way, room, until, begun).map(|(found, _)| found)
    }

    /// Decodes along a way to its frame, or to one near it when the time is up; and whether that began with a whole picture.
    fn search_on(
        &mut self,
        way: Way,
        room: Room,
        until: Option<Instant>,
        begun: Instant,
    ) -> Option<(ReplaySearch, bool)> {
        let (stated, is_first) = (way.stated, way.is_first);
        self.begin(way)?;
        let mut search: Option<ReplaySearch> = None;
        let mut is_clean = true;
        loop {
            let is_superseded = self.stop.0.is_hurried() && begun.elapsed() > PATIENCE;
            if self.stop.is_stopped() || is_superseded {
                return None;
            }
            let found = match self.decode() {
                Decoded::Frame(found) => found,
                Decoded::NotYet => {
                    // The codec wants what comes after the frame before it gives it out.
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                }
                Decoded::Over | Decoded::Gone => break,
            };
            if search.is_none() {
                is_clean = is_first || !matches!(found.0.picture_type(), Some('P' | 'B'));
            }
            let is_there = found.0.best_effort_timestamp().is_some_and(|found| found >= stated);
            search = Some(ReplaySearch::on(search, found, room));
            if is_there || until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        search.map(|search| (search, is_clean))
    }

    /// Gets ready to decode along a way.
    fn begin(&mut self, way: Way) -> Option<()> {
        let next = way.start.0;
        match &mut self.reading {
            Some(reading) if reading.way.stretch == way.stretch && way.coding.begins_anew => {
                reading.codec.flush();
                (reading.way, reading.next, reading.held) = (way, next, None);
            }
            // Flushing does not make every decoder forget all.
            reading => {
                let options = CodecOptions { threads: way.coding.threads, low_delay: false };
                let codec = Codec::open(&way.coding.stream.parameters(), options);
                let codec = codec.inspect_err(|error| log::debug!("no decoder for what was kept: {error}")).ok()?;
                let pictures = PictureMaker::new(&self.options, way.coding.defaults.clone());
                *reading = Some(StretchReading { way, codec, pictures, next, held: None });
            }
        }
        Some(())
    }

    /// The next frame of the stretch.
    fn decode(&mut self) -> Decoded {
        let Some(reading) = &mut self.reading else { return Decoded::Gone };
        let mut refusals = Refusals::default();
        loop {
            match reading.codec.receive() {
                Received::Frame(frame) => {
                    let stated = frame.best_effort_timestamp();
                    // What is shown before the first packet's own picture may refer to what was not decoded.
                    let Some(stated) = stated.filter(|stated| *stated >= reading.way.start.1) else { continue };
                    if let Some(place) = self.shift.place_of(reading.way.stretch, stated) {
                        return Decoded::Frame((frame, place));
                    }
                }
                Received::End => return Decoded::Over,
                Received::Refused(error) => {
                    log::debug!("a kept packet was refused: {error}");
                    if refusals.are_too_many() {
                        return Decoded::Over;
                    }
                }
                Received::NeedsInput => match reading.feed(&self.shift) {
                    Fed::Packet => {}
                    Fed::NotYet => return Decoded::NotYet,
                    Fed::Gone => return Decoded::Gone,
                },
            }
        }
    }

    fn frame(&mut self, (frame, place): ReplayedFrame) -> Option<Frame> {
        let made = self.reading.as_mut()?.pictures.make_frame(frame, place, self.serial);
        made.inspect_err(|reason| log::debug!("a frame is left out: {reason}")).ok()
    }

    fn frames(&mut self, found: VecDeque<ReplayedFrame>) -> Vec<Frame> {
        found.into_iter().filter_map(|found| self.frame(found)).collect()
    }
}

impl ReplaySearch {
    /// Goes on to the next frame; of those before it, the last ones are kept that there is room for.
    fn on(search: Option<Self>, frame: ReplayedFrame, room: Room) -> Self {
        let Some(Self { frame: last, mut before, mut bytes }) = search else {
            return Self { frame, before: VecDeque::new(), bytes: 0 };
        };
        bytes += last.0.buffer_bytes();
        before.push_back(last);
        while before.len() > room.frames || bytes > room.bytes {
            let Some(oldest) = before.pop_front() else { break };
            bytes -= oldest.0.buffer_bytes();
        }
        Self { frame, before, bytes }
    }
}

impl Refusals {
    /// Counts one more; says whether the decoder is taken to have ended.
    const fn are_too_many(&mut self) -> bool {
        self.0 += 1;
        self.0 > MOST_REFUSED
    }
}

/// What the codec was given.
enum Fed {
    /// A packet, or the news that there are no more.
    Packet,
    NotYet,
    Gone,
}

impl StretchReading {
    /// Hands the codec the next packet. Those of pictures that are not wanted, and to which no other refers, are left out.
    fn feed(&mut self, shift: &Timeshift) -> Fed {
        let packet = match self.held.take().map_or_else(|| shift.packet(self.way.stretch, self.next), Supplied::Packet)
        {
            Supplied::Packet(packet) => packet,
            Supplied::NotYet => return Fed::NotYet,
            Supplied::Gone => return Fed::Gone,
            Supplied::Over => {
                // Said twice it is refused, which does no harm: the codec then gives what it has.
                let _ = self.codec.send(None);
                return Fed::Packet;
            }
        };
        let is_before = packet.pts().is_some_and(|pts| pts < self.way.whole_from);
        self.codec.skip_unreferenced(is_before);
        if !(is_before && self.codec.can_do_without(&packet)) {
            match self.codec.send(Some(&packet)) {
                Ok(()) => {}
                Err(AvError::AGAIN) => {
                    // It wants its frames taken first.
                    self.held = Some(packet);
                    return Fed::Packet;
                }
                Err(error) => log::debug!("a kept packet was refused: {error}"),
            }
        }
        self.next += 1;
        Fed::Packet
    }
}

#[cfg(test)]
mod tests;
