//! What memory keeps of a live source: its packets, from which pictures that have gone by are decoded again.
//!
//! Decoded pictures fill memory in seconds, packets in minutes. Where each frame lay in time and number is noted when it comes, and
//! a frame that is decoded again is known by its packet's timestamp, so that it comes back with the same time and number.
//!
//! Packets lie in stretches, each of one connection and of timestamps that do not begin anew. A stretch begins at a packet at
//! which decoding can begin, and loses its oldest group of frames where memory is short.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::av::{AvPacket, StreamCopy};
use super::pictures::{StreamDefaults, TimelinePlace};
use super::target::SeekTarget;
use histoscope_core::picture::Frame;

/// Memory that a packet takes beside its bytes.
const PACKET_BYTES: usize = 256;
/// How many packets back the one of a frame that has just been decoded is looked for.
const DECODED_BACK: usize = 256;

/// What is called a gap takes longer than this: a sender that was replaced at once leaves none.
const LEAST_GAP_SECS: f64 = 0.5;

/// How the packets of a connection are decoded.
pub(super) struct Coding {
    pub(super) stream: StreamCopy,
    pub(super) defaults: StreamDefaults,
    pub(super) threads: usize,
    /// Seconds per tick of its timestamps.
    pub(super) tick_secs: f64,
    /// Whether decoding from a keyframe gives what decoding from the first frame does.
    pub(super) begins_anew: bool,
}

/// From where a frame is decoded.
#[derive(Clone)]
pub(super) struct Way {
    /// The stretch that it lies in, and how that is decoded.
    pub(super) stretch: u64,
    pub(super) coding: Arc<Coding>,
    /// The packet to begin with, and its timestamp.
    pub(super) start: (u64, i64),
    /// Whether that is the first packet of all that the sender sent.
    pub(super) is_first: bool,
    /// The frame's own timestamp.
    pub(super) stated: i64,
    /// The timestamp of the frame from which on all are wanted.
    pub(super) whole_from: i64,
}

/// What comes next in a stretch.
pub(super) enum Supplied {
    Packet(AvPacket),
    /// It has not come yet.
    NotYet,
    /// There is none in this stretch any more.
    Over,
    /// It is not kept any more.
    Gone,
}

/// The packets, for those who write them and those who read them.
pub(super) struct Timeshift {
    /// Bytes of packets; none are kept where this is 0.
    limit: usize,
    kept: Mutex<KeptStretches>,
}

#[derive(Default)]
struct KeptStretches {
    bytes: usize,
    stretches: VecDeque<Stretch>,
    /// The number of the next one.
    next: u64,
}

struct Stretch {
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

    fn lock(&self) -> MutexGuard<'_, KeptStretches> {
        // What is kept is consistent between any two statements that change it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the oldest and the newest frame begin that can be had again, in seconds from the first frame of all.
    pub(super) fn span_secs(&self) -> Option<(f64, f64)> {
        let kept = self.lock();
        let first = kept.frames().next()?.place.time_secs;
        let last = kept.stretches.iter().rev().find_map(|stretch| stretch.frames.back())?.place.time_secs;
        Some((first, last))
    }

    /// From when to when nothing came between the stretches, in seconds from the first frame of all, where that was long.
    pub(super) fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.lock().gaps_secs()
    }

    /// A connection begins, whose packets are decoded so.
    pub(super) fn begin(&self, coding: Coding) {
        if self.limit > 0 {
            self.lock().begin(Arc::new(coding));
        }
    }

    /// The connection is over.
    pub(super) fn end(&self) {
        if let Some(last) = self.lock().stretches.back_mut() {
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
        let &Frame { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival, .. } = frame;
        let place = TimelinePlace { pts_ticks, time_base, time_secs, duration_secs, index, timecode, arrival };
        if let Some(stretch) = self.lock().stretches.back_mut() {
            stretch.note_frame(stated, place);
        }
    }

    /// The way to a frame: the last that is not beyond the target, else the first that is kept, from a packet so many seconds
    /// before it at least, where there is one. As many as `whole` frames before it are wanted too.
    pub(super) fn way_to(&self, target: SeekTarget, whole: usize, early_secs: f64) -> Option<Way> {
        self.lock().way_to(target, whole, early_secs)
    }

    /// The packet of that number.
    pub(super) fn packet(&self, stretch: u64, number: u64) -> Supplied {
        let kept = self.lock();
        let Some(stretch) = kept.stretch(stretch) else { return Supplied::Gone };
        let Some(at) = number.checked_sub(stretch.first) else { return Supplied::Gone };
        match stretch.packets.get(usize::try_from(at).unwrap_or(usize::MAX)) {
            Some((packet, _)) => packet.share().map_or(Supplied::Gone, Supplied::Packet),
            None if stretch.is_over => Supplied::Over,
            None => Supplied::NotYet,
        }
    }

    /// Where the frame of a stretch lies whose packet has this timestamp; `None` where it has not come on time.
    pub(super) fn place_of(&self, stretch: u64, stated: i64) -> Option<TimelinePlace> {
        let kept = self.lock();
        let frames = &kept.stretch(stretch)?.frames;
        frames.binary_search_by_key(&stated, |noted| noted.stated).ok().map(|at| frames[at].place)
    }

    /// The way to the first frame behind a stretch; `None` if none has come yet.
    pub(super) fn way_behind(&self, stretch: u64) -> Option<Way> {
        let kept = self.lock();
        let next = kept.stretches.iter().find(|next| next.number > stretch && !next.frames.is_empty())?;
        next.way(0, 0, 0.0)
    }
}

impl KeptStretches {
    fn frames(&self) -> impl Iterator<Item = &Noted> {
        self.stretches.iter().flat_map(|stretch| &stretch.frames)
    }

    fn gaps_secs(&self) -> Vec<(f64, f64)> {
        let ends = self.stretches.iter().filter_map(|stretch| {
            let (first, last) = stretch.frames.front().zip(stretch.frames.back())?;
            Some((first.place.time_secs, last.place.time_secs + last.place.duration_secs))
        });
        let ends: Vec<_> = ends.collect();
        let gaps = ends.windows(2).map(|pair| (pair[0].1, pair[1].0));
        gaps.filter(|(from, to)| to - from > LEAST_GAP_SECS).collect()
    }

    fn stretch(&self, number: u64) -> Option<&Stretch> {
        let at = self.stretches.binary_search_by_key(&number, |stretch| stretch.number).ok()?;
        self.stretches.get(at)
    }

    fn begin(&mut self, coding: Arc<Coding>) {
        if let Some(last) = self.stretches.back_mut() {
            last.is_over = true;
        }
        // What came before with no frame in it leads nowhere.
        while let Some(last) = self.stretches.back().filter(|last| last.frames.is_empty()) {
            self.bytes -= last.bytes();
            self.stretches.pop_back();
        }
        self.stretches.push_back(Stretch::new(self.next, coding));
        self.next += 1;
    }

    fn note_packet(&mut self, packet: AvPacket, (pts, is_key): (Option<i64>, bool), bytes: usize, limit: usize) {
        let Some(stretch) = self.stretches.back_mut() else { return };
        let begins_again = |&(_, start): &(u64, i64)| pts.is_some_and(|pts| pts <= start);
        if is_key && stretch.coding.begins_anew && stretch.starts.back().is_some_and(begins_again) {
            let coding = Arc::clone(&stretch.coding);
            self.begin(coding);
        }
        let Some(stretch) = self.stretches.back_mut() else { return };
        if !stretch.push(packet, pts, is_key) {
            return;
        }
        self.bytes += bytes;
        while self.bytes > limit {
            let Some(oldest) = self.stretches.front_mut() else { return };
            self.bytes -= oldest.forget_oldest();
            if oldest.packets.is_empty() && self.stretches.len() > 1 {
                self.stretches.pop_front();
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
        let last = self.stretches.iter().rev().find(|stretch| stretch.frames.front().is_some_and(is_reached));
        if let Some(stretch) = last {
            return stretch.way(stretch.frames.partition_point(is_reached) - 1, whole, early_secs);
        }
        if matches!(target, SeekTarget::Before(_)) {
            return None;
        }
        self.stretches.iter().find(|stretch| !stretch.frames.is_empty())?.way(0, whole, early_secs)
    }
}

impl Stretch {
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
        let latest = noted.stated.saturating_sub((early_secs / self.coding.tick_secs) as i64);
        let leads_from = |latest: i64| {
            self.starts.iter().rev().find(|&&(number, pts)| number <= noted.packet && pts <= latest).copied()
        };
        let start = leads_from(latest).or_else(|| {
            // There is none so early: the first, as long as it leads there.
            let first = self.starts.front().copied();
            first.filter(|&(number, pts)| number <= noted.packet && pts <= noted.stated)
        })?;
        Some(Way {
            stretch: self.number,
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
