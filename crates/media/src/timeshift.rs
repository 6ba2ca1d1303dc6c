//! The packets of a live source that memory keeps, from which pictures that have gone by are decoded again.
//!
//! Decoded pictures fill memory in seconds, packets in minutes. The place of each frame in time and number is noted when it comes, and
//! a frame that is decoded again is known by its packet's timestamp, so that it comes back with the same time and number.
//!
//! Packets lie in segments, each of one connection and of timestamps that do not begin anew. A segment begins at a packet at
//! which decoding can begin, and loses its oldest group of frames where memory is short.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::av::{AvError, AvPacket, Codec, CodecOptions, Interrupt, StreamCopy, StreamParameters};
use super::error::MediaError;
use super::guarantee;
use super::info::StreamInfo;
use super::pictures::{StreamDefaults, TimelinePlace};
use super::target::SeekTarget;
use histoscope_core::picture::{Frame, FrameFacts};

/// Memory that a packet takes beside its bytes.
const PACKET_BYTES: usize = 256;
/// How many packets back the one of a frame that has just been decoded is looked for.
const DECODED_BACK: usize = 256;

/// The shortest pause that counts as a gap: a sender that was replaced at once leaves none.
const LEAST_GAP_SECS: f64 = 0.5;
/// How often somebody who waits for a packet looks whether it has come.
const LOOK: Duration = Duration::from_millis(2);

/// How the packets of a connection are decoded.
pub(super) struct Coding {
    stream: StreamCopy,
    pub(super) info: StreamInfo,
    pub(super) defaults: StreamDefaults,
    threads: usize,
    /// True if decoding from a keyframe gives what decoding from the first frame does.
    pub(super) begins_anew: bool,
}

impl Coding {
    /// Copies what a decoder with that many threads has to know of a stream.
    pub(super) fn of(
        parameters: &StreamParameters<'_>,
        info: &StreamInfo,
        defaults: &StreamDefaults,
        threads: usize,
    ) -> Result<Self, AvError> {
        Ok(Self {
            stream: StreamCopy::of(parameters)?,
            // What is kept waits for whoever reads it.
            info: StreamInfo { live: false, ..info.clone() },
            defaults: defaults.clone(),
            threads,
            begins_anew: guarantee::begins_anew(parameters),
        })
    }

    /// Opens a codec for the packets.
    pub(super) fn open(&self) -> Result<Codec, AvError> {
        Codec::open(&self.stream.parameters(), CodecOptions { threads: self.threads, low_delay: false })
    }
}

/// The way to a frame: from where it is decoded.
#[derive(Clone)]
pub(super) struct Way {
    /// The segment that it lies in, and how that is decoded.
    pub(super) segment: u64,
    pub(super) coding: Arc<Coding>,
    /// The packet to begin with, and its timestamp.
    pub(super) start: (u64, i64),
    /// True if that is the first packet of all that the sender sent.
    pub(super) is_first: bool,
    /// The frame's own timestamp.
    pub(super) stated: i64,
    /// The timestamp of the frame from which on all are wanted.
    pub(super) whole_from: i64,
}

/// The answer to who asks for a packet of a segment.
enum Supplied {
    Packet(AvPacket),
    /// It has not come yet.
    NotYet,
    /// There is none in this segment any more.
    Over,
    /// It is not kept any more.
    Gone,
}

/// The packets, for those who write them and those who read them.
pub(super) struct Timeshift {
    /// Bytes of packets; none are kept where this is 0.
    limit: usize,
    kept: Mutex<KeptSegments>,
}

#[derive(Default)]
struct KeptSegments {
    bytes: usize,
    segments: VecDeque<Segment>,
    /// The number of the next one.
    next: u64,
}

struct Segment {
    number: u64,
    coding: Arc<Coding>,
    packets: VecDeque<(AvPacket, Option<i64>)>,
    /// The number of the first of these packets.
    first: u64,
    /// Those at which decoding can begin: their numbers and timestamps, both rising.
    starts: VecDeque<(u64, i64)>,
    /// In presentation order.
    frames: VecDeque<Noted>,
    is_over: bool,
}

/// A frame that has come.
struct Noted {
    packet: u64,
    stated: i64,
    place: TimelinePlace,
}

impl Timeshift {
    /// Nothing yet, and of packets no more than so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, KeptSegments> {
        // What is kept is consistent between any two statements that change it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the oldest and the newest frame begin that can be had again, in seconds from the first frame of all.
    pub(super) fn span_secs(&self) -> Option<(f64, f64)> {
        let kept = self.lock();
        let first = kept.frames().next()?.place.time_secs;
        let last = kept.segments.iter().rev().find_map(|segment| segment.frames.back())?.place.time_secs;
        Some((first, last))
    }

    /// From when to when nothing came between the segments, in seconds from the first frame of all, where that was long.
    pub(super) fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.lock().gaps_secs()
    }

    /// A connection begins, whose packets are decoded so.
    pub(super) fn begin(&self, coding: Coding) {
        if self.limit > 0 {
            self.lock().begin(Arc::new(coding));
        }
    }

    /// Returns the newest segment and how it is decoded.
    pub(super) fn newest_segment(&self) -> Option<(u64, Arc<Coding>)> {
        self.lock().segments.back().map(|segment| (segment.number, Arc::clone(&segment.coding)))
    }

    /// The connection is over.
    pub(super) fn end(&self) {
        if let Some(last) = self.lock().segments.back_mut() {
            last.is_over = true;
        }
    }

    /// Keeps a packet of the connection that was begun last.
    pub(super) fn note_packet(&self, packet: &AvPacket) {
        if self.limit == 0 {
            return;
        }
        match packet.to_keep() {
            Ok(shared) => {
                let facts = (packet.pts().or(packet.dts()), packet.is_key());
                self.lock().note_packet(shared, facts, packet.size() + PACKET_BYTES, self.limit);
            }
            Err(error) => log::debug!("a packet is not kept: {error}"),
        }
    }

    /// Notes where a frame lies that has been decoded, whose packet has this timestamp.
    pub(super) fn note_frame(&self, stated: i64, frame: &Frame) {
        let FrameFacts { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival, .. } = frame.facts;
        let place = TimelinePlace { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival };
        if let Some(segment) = self.lock().segments.back_mut() {
            segment.note_frame(stated, place);
        }
    }

    /// The way to a frame: the last that is not beyond the target, else the first that is kept, from a packet so many seconds
    /// before it at least, where there is one. As many as `whole` frames before it are wanted too.
    fn way_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<Way> {
        self.lock().way_to(target, whole, early_secs)
    }

    /// The packet of that number.
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

    /// Where the frame of a segment lies whose packet has this timestamp; `None` where it has not come on time.
    fn place_of(&self, segment: u64, stated: i64) -> Option<TimelinePlace> {
        let kept = self.lock();
        let frames = &kept.segment(segment)?.frames;
        frames.binary_search_by_key(&stated, |noted| noted.stated).ok().map(|at| frames[at].place)
    }

    /// The way to the first frame behind a segment; `None` if none has come yet.
    fn way_behind(&self, segment: u64) -> Option<Way> {
        let kept = self.lock();
        let next = kept.segments.iter().find(|next| next.number > segment && !next.frames.is_empty())?;
        next.way(0, 0, 0.0)
    }
}

/// Reads what is kept: packet after packet of a segment, and waits for those that have not come.
pub(super) struct KeptReader {
    shift: Arc<Timeshift>,
    interrupt: Arc<Interrupt>,
    path: PathBuf,
    segment: u64,
    /// The number of the next packet; `None` where it is not kept any more.
    next: Option<u64>,
    /// Until when it waits although a later request does, too.
    patient_until: Instant,
}

impl KeptReader {
    /// Has no packet follow before it [begins](Self::begin). `path` names the source.
    pub(super) fn new(shift: Arc<Timeshift>, segment: u64, interrupt: Arc<Interrupt>, path: PathBuf) -> Self {
        Self { shift, interrupt, path, segment, next: None, patient_until: Instant::now() }
    }

    /// Returns what ends its waiting.
    pub(super) const fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Goes on with the first packet of a way. For so long it waits for packets although a later request waits.
    pub(super) fn begin(&mut self, way: &Way, patience: Duration) {
        self.segment = way.segment;
        self.next = Some(way.start.0);
        self.patient_until = Instant::now() + patience;
    }

    /// Has no packet follow.
    pub(super) const fn leave(&mut self) {
        self.next = None;
    }

    /// Returns whether it reads that segment.
    pub(super) const fn is_in(&self, segment: u64) -> bool {
        self.segment == segment
    }

    /// Reads the next packet; `None` where the segment is over, or its packets are not kept any more.
    pub(super) fn read(&mut self) -> Result<Option<AvPacket>, MediaError> {
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

    /// Waits for a moment, unless somebody wants something else.
    fn wait(&self) -> Result<(), MediaError> {
        let is_superseded = self.interrupt.is_hurried() && Instant::now() >= self.patient_until;
        if self.interrupt.is_stopped() || is_superseded {
            return Err(MediaError::Stopped { path: self.path.clone() });
        }
        std::thread::sleep(LOOK);
        Ok(())
    }

    /// Returns the place of the frame whose packet has this timestamp; `None` where it has not come on time.
    pub(super) fn place_of(&self, stated: i64) -> Option<TimelinePlace> {
        self.shift.place_of(self.segment, stated)
    }

    /// Returns the way to a frame, as [`Timeshift`] knows it.
    pub(super) fn way_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<Way> {
        self.shift.way_to(target, whole, early_secs)
    }

    /// Waits for the first frame of the next segment: the sender comes back. `None` where the packets of this one are not kept any more.
    pub(super) fn next_way(&self) -> Result<Option<Way>, MediaError> {
        while self.next.is_some() {
            if let Some(way) = self.shift.way_behind(self.segment) {
                return Ok(Some(way));
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
            Some((first.place.time_secs, last.place.time_secs + last.place.duration_secs))
        });
        let ends: Vec<_> = ends.collect();
        let gaps = ends.windows(2).map(|pair| (pair[0].1, pair[1].0));
        gaps.filter(|(from, to)| to - from > LEAST_GAP_SECS).collect()
    }

    fn segment(&self, number: u64) -> Option<&Segment> {
        let at = self.segments.binary_search_by_key(&number, |segment| segment.number).ok()?;
        self.segments.get(at)
    }

    fn begin(&mut self, coding: Arc<Coding>) {
        if let Some(last) = self.segments.back_mut() {
            last.is_over = true;
        }
        // What came before with no frame in it leads nowhere.
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
        if is_key && segment.coding.begins_anew && segment.starts.back().is_some_and(begins_again) {
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

    fn way_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<Way> {
        let is_reached = |noted: &Noted| {
            let place = &noted.place;
            match target {
                SeekTarget::Time(secs) => place.time_secs <= secs + 1e-3 * place.time_base.value(),
                SeekTarget::Number(number) => place.index.is_some_and(|index| index <= number),
                SeekTarget::Timestamp(ticks) => place.pts_ticks <= ticks,
                SeekTarget::Before(ticks) => place.pts_ticks < ticks,
                SeekTarget::End => true,
            }
        };
        let last = self.segments.iter().rev().find(|segment| segment.frames.front().is_some_and(is_reached));
        if let Some(segment) = last {
            return segment.way(segment.frames.partition_point(is_reached) - 1, whole, early_secs);
        }
        if matches!(target, SeekTarget::Before(_)) {
            return None;
        }
        self.segments.iter().find(|segment| !segment.frames.is_empty())?.way(0, whole, early_secs)
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

    /// Keeps a packet, unless decoding leads to it from none; says whether it did.
    fn push(&mut self, packet: AvPacket, pts: Option<i64>, is_key: bool) -> bool {
        let number = self.first + self.packets.len() as u64;
        let is_start = is_key && (self.coding.begins_anew || number == 0);
        match pts {
            Some(pts) if is_start => self.starts.push_back((number, pts)),
            _ if self.starts.is_empty() => return false,
            _ => {}
        }
        self.packets.push_back((packet, pts));
        true
    }

    /// Frees the packets up to the next at which decoding can begin, and forgets the frames that are not to be had then; the bytes.
    fn forget_oldest(&mut self) -> usize {
        self.starts.pop_front();
        let keep_from = self.starts.front().map_or(self.first + self.packets.len() as u64, |&(number, _)| number);
        let gone = usize::try_from(keep_from - self.first).unwrap_or(usize::MAX);
        let bytes = self.packets.drain(..gone).map(|(packet, _)| packet.size() + PACKET_BYTES).sum();
        self.first = keep_from;
        // Of the pictures that are shown before the first packet's own, some refer to what is gone.
        let from = self.starts.front().copied();
        let is_lost = |noted: &Noted| from.is_none_or(|(packet, pts)| noted.packet < packet || noted.stated < pts);
        while self.frames.front().is_some_and(is_lost) {
            self.frames.pop_front();
        }
        bytes
    }

    fn note_frame(&mut self, stated: i64, place: TimelinePlace) {
        let Some(at) = self.packets.iter().rev().take(DECODED_BACK).position(|(_, pts)| *pts == Some(stated)) else {
            return;
        };
        let packet = self.first + (self.packets.len() - 1 - at) as u64;
        let leads = self.starts.iter().any(|&(number, pts)| number <= packet && pts <= stated);
        let rises =
            self.frames.back().is_none_or(|last| last.stated < stated && last.place.time_secs < place.time_secs);
        if leads && rises {
            self.frames.push_back(Noted { packet, stated, place });
        }
    }

    /// The way to one of the frames.
    fn way(&self, at: usize, whole: usize, early_secs: f64) -> Option<Way> {
        let noted = self.frames.get(at)?;
        let latest = noted.stated.saturating_sub((early_secs / self.coding.info.time_base.value()) as i64);
        let leads_from = |latest: i64| {
            self.starts.iter().rev().find(|&&(number, pts)| number <= noted.packet && pts <= latest).copied()
        };
        let start = leads_from(latest).or_else(|| {
            // There is none so early: the first, as long as it leads there.
            let first = self.starts.front().copied();
            first.filter(|&(number, pts)| number <= noted.packet && pts <= noted.stated)
        })?;
        Some(Way {
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
