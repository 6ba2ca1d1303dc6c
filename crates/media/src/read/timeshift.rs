//! Stored packets of a live source, from which past frames are decoded again.
//!
//! Decoded pictures fill memory in seconds, packets in minutes. The position of each frame in time and number is
//! recorded when it arrives. A frame that is decoded again is recognised by its packet's timestamp, so it gets the same
//! time and number as before.
//!
//! Packets are stored in segments, each from one connection and with timestamps that do not start over. A segment
//! starts at a packet at which decoding can start, and loses its oldest group of frames when memory is short.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::av::{AvError, AvPacket, Codec, CodecOptions, Interrupt, StreamCopy, StreamParameters};
use crate::error::{MediaError, MediaFault};
use crate::read::guarantee;
use crate::read::info::StreamInfo;
use crate::read::stated::{FramePosition, StreamDefaults};
use crate::read::target::SeekTarget;
use histoscope_core::picture::{Frame, FrameFacts};

/// Memory that a packet takes besides its data, in bytes.
const PACKET_BYTES: usize = 256;
/// Number of newest packets that are searched for the packet of a frame just decoded.
const DECODED_BACK: usize = 256;

/// The shortest pause that counts as a gap, in seconds: replacing a sender immediately leaves none.
const MIN_GAP_SECS: f64 = 0.5;
/// Interval at which waiting code checks for a packet.
const LOOK: Duration = Duration::from_millis(2);

/// How to decode the packets of a connection.
pub(crate) struct Coding {
    stream: StreamCopy,
    pub(crate) info: StreamInfo,
    pub(crate) defaults: StreamDefaults,
    threads: usize,
    /// `true` if decoding from any keyframe gives the same frames as decoding from the first frame.
    pub(crate) resets_at_keyframes: bool,
}

impl Coding {
    /// Copies what a decoder with that many threads needs to know of a stream.
    pub(crate) fn of(
        parameters: &StreamParameters<'_>,
        info: &StreamInfo,
        defaults: &StreamDefaults,
        threads: usize,
    ) -> Result<Self, AvError> {
        Ok(Self {
            stream: StreamCopy::of(parameters)?,
            // Stored packets wait for their reader.
            info: StreamInfo { live: false, ..info.clone() },
            defaults: defaults.clone(),
            threads,
            resets_at_keyframes: guarantee::resets_at_keyframes(parameters),
        })
    }

    /// Opens a codec for the packets.
    pub(crate) fn open(&self) -> Result<Codec, AvError> {
        Codec::open(&self.stream.parameters(), CodecOptions::of_threads(self.threads))
    }
}

/// The decode path to a frame: where to start, and from where to keep frames.
#[derive(Clone)]
pub(crate) struct DecodePath {
    /// The segment of the frame, and how to decode it.
    pub(crate) segment: u64,
    pub(crate) coding: Arc<Coding>,
    /// The packet to start with, and its timestamp.
    pub(crate) start: (u64, i64),
    /// `true` if that is the first packet that its segment ever held.
    pub(crate) is_first: bool,
    /// The frame's own timestamp.
    pub(crate) stated: i64,
    /// Timestamp of the frame from which all frames are needed.
    pub(crate) whole_from: i64,
}

/// The answer to a request for a packet of a segment.
enum Supplied {
    Packet(AvPacket),
    /// It has not arrived yet.
    NotYet,
    /// The segment has ended before it.
    Over,
    /// It is no longer stored.
    Gone,
}

/// The packet store, shared by its writer and its readers.
pub(crate) struct Timeshift {
    /// Maximum bytes of packets; 0 stores none.
    limit: usize,
    kept: Mutex<KeptSegments>,
}

#[derive(Default)]
struct KeptSegments {
    bytes: usize,
    segments: VecDeque<Segment>,
    /// The number of the next segment.
    next: u64,
}

struct Segment {
    number: u64,
    coding: Arc<Coding>,
    packets: VecDeque<(AvPacket, Option<i64>)>,
    /// The number of the first of these packets.
    first: u64,
    /// Packets at which decoding can start: their numbers and timestamps, both rising.
    starts: VecDeque<(u64, i64)>,
    /// Recorded frames, in presentation order.
    frames: VecDeque<Noted>,
    is_over: bool,
}

/// The record of a received frame.
struct Noted {
    packet: u64,
    stated: i64,
    position: FramePosition,
}

impl Timeshift {
    /// Creates an empty store for that many bytes of packets.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, KeptSegments> {
        // The store is consistent between any two statements that change it, so a poisoned lock may be used.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the start times of the oldest and newest frames still available, in seconds from the very first frame.
    pub(crate) fn span_secs(&self) -> Option<(f64, f64)> {
        let kept = self.lock();
        let first = kept.frames().next()?.position.time_secs;
        let last = kept.segments.iter().rev().find_map(|segment| segment.frames.back())?.position.time_secs;
        Some((first, last))
    }

    /// Returns the start and the end of each long pause between segments, in seconds from the very first frame.
    pub(crate) fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.lock().gaps_secs()
    }

    /// Begins a connection, whose packets are to be decoded as `coding` states.
    pub(crate) fn begin(&self, coding: Coding) {
        if self.limit > 0 {
            self.lock().begin(Arc::new(coding));
        }
    }

    /// Returns the newest segment and how to decode it.
    pub(crate) fn newest_segment(&self) -> Option<(u64, Arc<Coding>)> {
        self.lock().segments.back().map(|segment| (segment.number, Arc::clone(&segment.coding)))
    }

    /// Ends the current connection.
    pub(crate) fn end(&self) {
        if let Some(last) = self.lock().segments.back_mut() {
            last.is_over = true;
        }
    }

    /// Stores a packet of the current connection.
    pub(crate) fn note_packet(&self, packet: &AvPacket) {
        if self.limit == 0 {
            return;
        }
        match packet.compacted() {
            Ok(shared) => {
                let facts = (packet.pts().or(packet.dts()), packet.is_key());
                self.lock().note_packet(shared, facts, packet.size() + PACKET_BYTES, self.limit);
            }
            Err(error) => log::debug!("a packet is not stored: {error}"),
        }
    }

    /// Records the position of a decoded frame whose packet has this timestamp.
    pub(crate) fn note_frame(&self, stated: i64, frame: &Frame) {
        let FrameFacts { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival, .. } = frame.facts;
        let position = FramePosition { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival };
        if let Some(segment) = self.lock().segments.back_mut() {
            segment.note_frame(stated, position);
        }
    }

    /// Returns the decode path to the last frame that is not beyond the target, or else to the first stored frame. It
    /// starts at least `early_secs` before that frame, if there is such a packet. The last `whole` frames before it are
    /// needed, too.
    fn path_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<DecodePath> {
        self.lock().path_to(target, whole, early_secs)
    }

    /// Returns the packet with that number.
    fn packet(&self, segment: u64, number: u64) -> Supplied {
        let kept = self.lock();
        let Some(segment) = kept.segment(segment) else { return Supplied::Gone };
        let Some(at) = number.checked_sub(segment.first) else { return Supplied::Gone };
        match segment.packets.get(usize::try_from(at).unwrap_or(usize::MAX)) {
            Some((packet, _)) => packet.share().map_or(Supplied::Gone, Supplied::Packet),
            None if segment.is_over => Supplied::Over,
            None => Supplied::NotYet,
        }
    }

    /// Returns the position of the frame whose packet has this timestamp in a segment; `None` if it has not been
    /// recorded.
    fn position_of(&self, segment: u64, stated: i64) -> Option<FramePosition> {
        let kept = self.lock();
        let frames = &kept.segment(segment)?.frames;
        frames.binary_search_by_key(&stated, |noted| noted.stated).ok().map(|at| frames[at].position)
    }

    /// Returns the decode path to the first frame after a segment; `None` if none has been recorded yet.
    fn path_after(&self, segment: u64) -> Option<DecodePath> {
        let kept = self.lock();
        let next = kept.segments.iter().find(|next| next.number > segment && !next.frames.is_empty())?;
        next.path(0, 0, 0.0)
    }
}

/// Reads the stored packets of a segment in order, and waits for those that have not arrived.
pub(crate) struct KeptReader {
    shift: Arc<Timeshift>,
    interrupt: Arc<Interrupt>,
    path: PathBuf,
    segment: u64,
    /// The number of the next packet; `None` if there is nothing to read.
    next: Option<u64>,
    /// Time until which it waits even if a later request is waiting.
    patient_until: Instant,
}

impl KeptReader {
    /// Creates a reader that returns no packets before it [begins](Self::begin). `path` names the source.
    pub(crate) fn new(shift: Arc<Timeshift>, segment: u64, interrupt: Arc<Interrupt>, path: PathBuf) -> Self {
        Self { shift, interrupt, path, segment, next: None, patient_until: Instant::now() }
    }

    /// Returns the flag that interrupts its waiting.
    pub(crate) const fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Continues with the first packet of a decode path. For the time `patience`, it waits for packets even if a later
    /// request is waiting.
    pub(crate) fn begin(&mut self, path: &DecodePath, patience: Duration) {
        self.segment = path.segment;
        self.next = Some(path.start.0);
        self.patient_until = Instant::now() + patience;
    }

    /// Stops returning packets.
    pub(crate) const fn leave(&mut self) {
        self.next = None;
    }

    /// Returns `true` if it reads that segment.
    pub(crate) const fn is_in(&self, segment: u64) -> bool {
        self.segment == segment
    }

    /// Reads the next packet; returns `None` if the segment has ended, or if its packets are no longer stored.
    pub(crate) fn read(&mut self) -> Result<Option<AvPacket>, MediaError> {
        let Some(number) = self.next else { return Ok(None) };
        loop {
            match self.shift.packet(self.segment, number) {
                Supplied::Packet(packet) => {
                    self.next = Some(number + 1);
                    return Ok(Some(packet));
                }
                Supplied::NotYet => self.wait()?,
                Supplied::Over => return Ok(None),
                Supplied::Gone => {
                    self.next = None;
                    return Ok(None);
                }
            }
        }
    }

    /// Waits briefly. Fails if the reader is stopped, or if a later request takes precedence.
    fn wait(&self) -> Result<(), MediaError> {
        let is_superseded = self.interrupt.is_request_waiting() && Instant::now() >= self.patient_until;
        if self.interrupt.is_stopped() || is_superseded {
            return Err(MediaFault::Stopped.of(self.path.clone()));
        }
        std::thread::sleep(LOOK);
        Ok(())
    }

    /// Returns the position of the frame whose packet has this timestamp; `None` if it has not been recorded.
    pub(crate) fn position_of(&self, stated: i64) -> Option<FramePosition> {
        self.shift.position_of(self.segment, stated)
    }

    /// Returns the decode path to a frame, as [`Timeshift`] finds it.
    pub(crate) fn path_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<DecodePath> {
        self.shift.path_to(target, whole, early_secs)
    }

    /// Waits for the first frame of the next segment, which begins when the sender returns. Returns `None` if the
    /// packets of this one are no longer stored.
    pub(crate) fn next_path(&self) -> Result<Option<DecodePath>, MediaError> {
        while self.next.is_some() {
            if let Some(path) = self.shift.path_after(self.segment) {
                return Ok(Some(path));
            }
            self.wait()?;
        }
        Ok(None)
    }
}

impl KeptSegments {
    fn frames(&self) -> impl Iterator<Item = &Noted> {
        self.segments.iter().flat_map(|segment| &segment.frames)
    }

    fn gaps_secs(&self) -> Vec<(f64, f64)> {
        let ends = self.segments.iter().filter_map(|segment| {
            let (first, last) = segment.frames.front().zip(segment.frames.back())?;
            Some((first.position.time_secs, last.position.time_secs + last.position.duration_secs))
        });
        let ends: Vec<_> = ends.collect();
        let gaps = ends.windows(2).map(|pair| (pair[0].1, pair[1].0));
        gaps.filter(|(from, to)| to - from > MIN_GAP_SECS).collect()
    }

    fn segment(&self, number: u64) -> Option<&Segment> {
        let at = self.segments.binary_search_by_key(&number, |segment| segment.number).ok()?;
        self.segments.get(at)
    }

    fn begin(&mut self, coding: Arc<Coding>) {
        if let Some(last) = self.segments.back_mut() {
            last.is_over = true;
        }
        // An earlier segment without a frame leads nowhere.
        while let Some(last) = self.segments.back().filter(|last| last.frames.is_empty()) {
            self.bytes -= last.bytes();
            self.segments.pop_back();
        }
        self.segments.push_back(Segment::new(self.next, coding));
        self.next += 1;
    }

    fn note_packet(&mut self, packet: AvPacket, (pts, is_key): (Option<i64>, bool), bytes: usize, limit: usize) {
        let Some(segment) = self.segments.back_mut() else { return };
        let begins_again = |&(_, start): &(u64, i64)| pts.is_some_and(|pts| pts <= start);
        if is_key && segment.coding.resets_at_keyframes && segment.starts.back().is_some_and(begins_again) {
            let coding = Arc::clone(&segment.coding);
            self.begin(coding);
        }
        let Some(segment) = self.segments.back_mut() else { return };
        if !segment.push(packet, pts, is_key) {
            return;
        }
        self.bytes += bytes;
        while self.bytes > limit {
            let Some(oldest) = self.segments.front_mut() else { return };
            self.bytes -= oldest.forget_oldest();
            if oldest.packets.is_empty() && self.segments.len() > 1 {
                self.segments.pop_front();
            }
        }
    }

    fn path_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<DecodePath> {
        let is_reached = |noted: &Noted| {
            let position = &noted.position;
            match target {
                SeekTarget::Time(secs) => position.time_secs <= secs + 1e-3 * position.time_base.value(),
                SeekTarget::Number(number) => position.index.is_some_and(|index| index <= number),
                SeekTarget::Timestamp(ticks) => position.pts_ticks <= ticks,
                SeekTarget::Before(ticks) => position.pts_ticks < ticks,
                SeekTarget::End => true,
            }
        };
        let last = self.segments.iter().rev().find(|segment| segment.frames.front().is_some_and(is_reached));
        if let Some(segment) = last {
            return segment.path(segment.frames.partition_point(is_reached) - 1, whole, early_secs);
        }
        if matches!(target, SeekTarget::Before(_)) {
            return None;
        }
        self.segments.iter().find(|segment| !segment.frames.is_empty())?.path(0, whole, early_secs)
    }
}

impl Segment {
    fn new(number: u64, coding: Arc<Coding>) -> Self {
        let (packets, starts, frames) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self { number, coding, packets, first: 0, starts, frames, is_over: false }
    }

    fn bytes(&self) -> usize {
        self.packets.iter().map(|(packet, _)| packet.size() + PACKET_BYTES).sum()
    }

    /// Stores a packet, unless there is no packet from which decoding leads to it. Returns whether it did.
    fn push(&mut self, packet: AvPacket, pts: Option<i64>, is_key: bool) -> bool {
        let number = self.first + self.packets.len() as u64;
        let is_start = is_key && (self.coding.resets_at_keyframes || number == 0);
        match pts {
            Some(pts) if is_start => self.starts.push_back((number, pts)),
            _ if self.starts.is_empty() => return false,
            _ => {}
        }
        self.packets.push_back((packet, pts));
        true
    }

    /// Drops packets up to the next starting point, and the frames that can then no longer be decoded. Returns the
    /// number of bytes freed.
    fn forget_oldest(&mut self) -> usize {
        self.starts.pop_front();
        let keep_from = self.starts.front().map_or(self.first + self.packets.len() as u64, |&(number, _)| number);
        let gone = usize::try_from(keep_from - self.first).unwrap_or(usize::MAX);
        let bytes = self.packets.drain(..gone).map(|(packet, _)| packet.size() + PACKET_BYTES).sum();
        self.first = keep_from;
        // Some pictures that are shown before the first packet's own refer to dropped packets.
        let from = self.starts.front().copied();
        let is_lost = |noted: &Noted| from.is_none_or(|(packet, pts)| noted.packet < packet || noted.stated < pts);
        while self.frames.front().is_some_and(is_lost) {
            self.frames.pop_front();
        }
        bytes
    }

    fn note_frame(&mut self, stated: i64, position: FramePosition) {
        let Some(at) = self.packets.iter().rev().take(DECODED_BACK).position(|(_, pts)| *pts == Some(stated)) else {
            return;
        };
        let packet = self.first + (self.packets.len() - 1 - at) as u64;
        let leads = self.starts.iter().any(|&(number, pts)| number <= packet && pts <= stated);
        let rises =
            self.frames.back().is_none_or(|last| last.stated < stated && last.position.time_secs < position.time_secs);
        if leads && rises {
            self.frames.push_back(Noted { packet, stated, position });
        }
    }

    /// Returns the decode path to one of the frames.
    fn path(&self, at: usize, whole: usize, early_secs: f64) -> Option<DecodePath> {
        let noted = self.frames.get(at)?;
        let latest = noted.stated.saturating_sub((early_secs / self.coding.info.time_base.value()) as i64);
        let leads_from = |latest: i64| {
            self.starts.iter().rev().find(|&&(number, pts)| number <= noted.packet && pts <= latest).copied()
        };
        let start = leads_from(latest).or_else(|| {
            // No packet is that early: use the first, if it leads to the frame.
            let first = self.starts.front().copied();
            first.filter(|&(number, pts)| number <= noted.packet && pts <= noted.stated)
        })?;
        Some(DecodePath {
            segment: self.number,
            coding: Arc::clone(&self.coding),
            start,
            is_first: start.0 == 0,
            stated: noted.stated,
            whole_from: self.frames.get(at.saturating_sub(whole)).map_or(noted.stated, |noted| noted.stated),
        })
    }
}

#[cfg(test)]
mod tests;
