//! The packets of one stream in decoding order, and reading them ahead of decoding, to find where to start and which
//! frame is the target.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::av::{AvPacket, FramelessPackets, Interrupt};
use crate::error::MediaError;
use crate::read::demuxer::Demuxer;
use crate::read::timeshift::KeptReader;

/// Maximum bytes of packets read ahead in search of a frame.
const LOOK_AHEAD_BYTES: usize = 48 << 20;
/// Number of packets past the target, without a decoding timestamp, after which none before the target can follow.
const REORDER_LIMIT: u32 = 17;

/// The origin of packets.
pub(crate) enum PacketSource {
    /// A file, an address, a device or a pipe.
    Opened(Box<Demuxer>),
    /// The stored packets of a live source.
    Kept(KeptReader),
}

/// The properties of a packet that are remembered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PacketInfo {
    pub(crate) pts: Option<i64>,
    pub(crate) dts: Option<i64>,
    /// `true` if the container marks it as corrupt.
    pub(crate) is_corrupt: bool,
    /// Arrival time, if it is from a live source.
    pub(crate) arrival: Option<SystemTime>,
}

/// The point up to which packets are read ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookAhead {
    /// Until all packets that can contain the target are in the queue.
    ToTarget,
    /// Until the first keyframe.
    ToKeyframe,
}

/// The result of reading ahead.
pub(crate) struct Ahead {
    /// Position in the queue of the last keyframe at or before the target.
    pub(crate) key: Option<usize>,
    /// Timestamps of the shown packets from that keyframe on, in ascending order, if they identify the frames beyond
    /// doubt.
    pub(crate) stamps: Option<Vec<i64>>,
    /// `true` if there were too many packets to read up to the target, so that they are inconclusive.
    pub(crate) is_cut_short: bool,
}

/// The state of reading past a target.
struct TargetScan {
    ticks: i64,
    /// Packets shown after the target that have no decoding timestamp.
    later: u32,
}

/// The packets of a stream.
pub(crate) struct Packets {
    source: PacketSource,
    /// FFmpeg's name for the codec.
    codec: String,
    /// Packets read ahead, which precede those still in the source.
    queue: VecDeque<AvPacket>,
    /// `true` if the source has returned its last packet.
    has_ended: bool,
    /// The last packet read.
    last: Option<PacketInfo>,
    /// The last packet read that carries a new configuration. The container does not repeat it with later keyframes.
    configured: Option<AvPacket>,
}

impl Packets {
    pub(crate) fn new(source: PacketSource, codec: &str) -> Self {
        Self { source, codec: codec.to_owned(), queue: VecDeque::new(), has_ended: false, last: None, configured: None }
    }

    /// Returns the open source, unless these are stored packets.
    pub(crate) const fn opened(&self) -> Option<&Demuxer> {
        if let PacketSource::Opened(demuxer) = &self.source { Some(demuxer) } else { None }
    }

    /// Returns the reader of stored packets, if these are stored packets.
    pub(crate) const fn kept(&self) -> Option<&KeptReader> {
        if let PacketSource::Kept(reader) = &self.source { Some(reader) } else { None }
    }

    /// Discards the packets read so far and returns the reader of stored packets, to be repositioned; `None` if there
    /// is none.
    pub(crate) fn restart_kept(&mut self) -> Option<&mut KeptReader> {
        self.forget();
        if let PacketSource::Kept(reader) = &mut self.source { Some(reader) } else { None }
    }

    /// Returns the flag that interrupts blocking reads.
    pub(crate) const fn interrupt(&self) -> &Arc<Interrupt> {
        match &self.source {
            PacketSource::Opened(demuxer) => demuxer.source().interrupt(),
            PacketSource::Kept(reader) => reader.interrupt(),
        }
    }

    /// Sets how long a network source may go without delivering data from now on.
    pub(crate) const fn set_network_limit(&mut self, limit: Duration) {
        if let PacketSource::Opened(demuxer) = &mut self.source {
            demuxer.set_network_limit(limit);
        }
    }

    /// Returns the last packet read.
    pub(crate) const fn last(&self) -> Option<PacketInfo> {
        self.last
    }

    /// Stores the packets read from now on.
    #[cfg(test)]
    pub(crate) fn keep_in(&mut self, shift: &Arc<crate::read::timeshift::Timeshift>) {
        if let PacketSource::Opened(demuxer) = &mut self.source {
            demuxer.keep_in(shift);
        }
    }

    /// Records a packet with that decoding timestamp as the last one read.
    #[cfg(test)]
    pub(crate) fn note_read(&mut self, dts: i64) {
        self.last = Some(PacketInfo { pts: None, dts: Some(dts), is_corrupt: false, arrival: None });
    }

    /// Returns the last packet read, if there are no more.
    pub(crate) fn last_of_all(&self) -> Option<PacketInfo> {
        self.last.filter(|_| self.has_ended)
    }

    /// Returns the next packet; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<AvPacket>, MediaError> {
        match self.queue.pop_front() {
            Some(packet) => Ok(Some(packet)),
            None => self.read(),
        }
    }

    /// Puts back the packet returned last.
    pub(crate) fn put_back(&mut self, packet: AvPacket) {
        self.queue.push_front(packet);
    }

    /// Returns the next packet, if it has been read ahead.
    pub(crate) fn front(&self) -> Option<&AvPacket> {
        self.queue.front()
    }

    /// Returns the packets that have been read ahead.
    pub(crate) fn queued(&self) -> impl Iterator<Item = &AvPacket> {
        self.queue.iter()
    }

    fn read(&mut self) -> Result<Option<AvPacket>, MediaError> {
        if self.has_ended {
            return Ok(None);
        }
        let (packet, is_live) = match &mut self.source {
            PacketSource::Opened(demuxer) => (demuxer.read()?, demuxer.is_live()),
            PacketSource::Kept(reader) => (reader.read()?, false),
        };
        let packet = packet.map(|packet| self.configured(packet));
        match &packet {
            Some(packet) => {
                let (pts, dts, is_corrupt) = (packet.pts(), packet.dts(), packet.is_corrupt());
                self.last = Some(PacketInfo { pts, dts, is_corrupt, arrival: is_live.then(SystemTime::now) });
            }
            None => self.has_ended = true,
        }
        Ok(packet)
    }

    /// Adds the configuration in force to a keyframe that lacks it, so that decoding can start there.
    fn configured(&mut self, packet: AvPacket) -> AvPacket {
        if packet.configuration().is_some() && self.opened().is_some() {
            self.configured = packet.share().ok();
        }
        match &self.configured {
            Some(configured) if packet.is_key() => packet.configured_as(configured),
            _ => packet,
        }
    }

    /// Seeks to where the source can find the frame at `ticks`. Returns whether it can; if so, discards the packets
    /// read so far.
    pub(crate) fn seek(&mut self, ticks: i64) -> bool {
        let PacketSource::Opened(demuxer) = &mut self.source else { return false };
        let is_there = demuxer.seek(ticks);
        if is_there {
            self.forget();
        }
        is_there
    }

    /// Goes back to the first packet by reopening the source.
    pub(crate) fn reopen(&mut self) -> Result<(), MediaError> {
        if let PacketSource::Opened(demuxer) = &mut self.source {
            demuxer.reopen()?;
        }
        self.configured = None;
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.queue.clear();
        (self.has_ended, self.last) = (false, None);
    }

    /// Makes that packet of the queue the next one. Returns its timestamp.
    pub(crate) fn begin_at(&mut self, at: usize) -> Option<i64> {
        self.queue.drain(..at);
        self.queue.front()?.pts()
    }

    /// Skips the packets before the next keyframe.
    pub(crate) fn skip_to_key(&mut self) -> Result<(), MediaError> {
        while let Some(packet) = self.next()? {
            if packet.is_key() {
                self.put_back(packet);
                break;
            }
        }
        Ok(())
    }

    /// Reads packets ahead. Ignores keyframes above `key_limit`.
    pub(crate) fn look_ahead(&mut self, ticks: i64, key_limit: i64, until: LookAhead) -> Result<Ahead, MediaError> {
        self.look_ahead_within(LOOK_AHEAD_BYTES, ticks, key_limit, until)
    }

    fn look_ahead_within(
        &mut self,
        most_bytes: usize,
        ticks: i64,
        key_limit: i64,
        until: LookAhead,
    ) -> Result<Ahead, MediaError> {
        let mut key = None;
        let mut bytes = 0;
        let mut scan = TargetScan { ticks, later: 0 };
        let mut is_cut_short = false;
        // The queued packets were read after those that the codec holds.
        let mut queued = std::mem::take(&mut self.queue);
        loop {
            let packet = match queued.pop_front() {
                Some(packet) => packet,
                None => match self.read()? {
                    Some(packet) => packet,
                    None => break,
                },
            };
            bytes += packet.size();
            if packet.is_key() && packet.pts().or(packet.dts()).is_some_and(|time| time <= key_limit) {
                key = Some(self.queue.len());
            }
            let is_past = scan.is_past(packet.pts(), packet.dts());
            self.queue.push_back(packet);
            if is_past || (until == LookAhead::ToKeyframe && key.is_some()) {
                break;
            }
            if bytes > most_bytes {
                let Some(key_at) = key.filter(|key| *key > 0) else {
                    is_cut_short = true;
                    break;
                };
                bytes -= self.queue.drain(..key_at).map(|packet| packet.size()).sum::<usize>();
                key = Some(0);
            }
        }
        self.queue.append(&mut queued);
        let stamps = key.filter(|_| !is_cut_short).and_then(|key| self.stamps_from(key, Vec::new()));
        Ok(Ahead { key, stamps, is_cut_short })
    }

    /// Adds the timestamps of the shown packets in the queue, from that position on, to `stamps`. Returns all of them
    /// in ascending order; `None` if they do not identify the frames beyond doubt.
    pub(crate) fn stamps_from(&self, key: usize, mut stamps: Vec<i64>) -> Option<Vec<i64>> {
        let gives_frame =
            |packet: &&AvPacket| !packet.is_discarded() && !FramelessPackets::always_has(&self.codec, packet);
        for packet in self.queue.iter().skip(key).filter(gives_frame) {
            stamps.push(packet.pts()?);
        }
        stamps.sort_unstable();
        stamps.windows(2).all(|pair| pair[0] < pair[1]).then_some(stamps)
    }
}

impl TargetScan {
    /// Returns `true` if no packet after this one, which has these timestamps, can be shown at or before the target.
    fn is_past(&mut self, pts: Option<i64>, dts: Option<i64>) -> bool {
        if let Some(dts) = dts {
            return dts > self.ticks;
        }
        self.later += u32::from(pts.is_some_and(|pts| pts > self.ticks));
        self.later >= REORDER_LIMIT
    }
}

#[cfg(test)]
mod tests;
