//! Continuing in software when hardware stops decoding.
//!
//! ```text
//!              ┌──────── packets from the last starting point ────────┐
//!   sent ──▶   K   p   p   p   p   p   p                         (next packet)
//!              │   │   │   │   ▲ hardware fails here
//!   frames     ✓   ✓   ✓       │
//!                              software decodes K … p again; the frames with ✓ are not returned again
//! ```
//!
//! A packet is a starting point once its frame has been returned and turns out to be a keyframe: all frames that are
//! still pending are then decoded from it or from packets after it.

use std::collections::{HashMap, VecDeque};

use crate::av::{AvError, AvFrame, AvPacket, StreamCopy, StreamParameters};
use crate::read::guarantee;

/// Maximum bytes of stored packets: half a minute of 4K at a camera's bit rate.
const MAX_BYTES: usize = 256 << 20;

/// A packet that a decoder has taken.
pub(crate) struct SentPacket {
    pub(crate) packet: AvPacket,
    /// `false` if its picture may be skipped.
    pub(crate) is_needed: bool,
    /// `true` if the decoder refused it, which has been reported.
    pub(crate) is_refused: bool,
    /// Number of frames from it that have been returned.
    frames: u32,
}

/// The packets that software has to decode again if the hardware fails.
pub(crate) struct Fallback {
    stream: StreamCopy,
    /// `true` if decoding from any keyframe gives the same frames as decoding from the first frame.
    resets_at_keyframes: bool,
    packets: VecDeque<SentPacket>,
    /// Number of the first of them.
    first: u64,
    bytes: usize,
    /// Maximum bytes of stored packets.
    most_bytes: usize,
    /// `true` unless packets before the first of them are needed as well.
    is_whole: bool,
    /// `true` if a frame has been returned since the last start.
    has_frames: bool,
}

impl Fallback {
    pub(crate) fn of(parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        Ok(Self {
            stream: StreamCopy::of(parameters)?,
            resets_at_keyframes: guarantee::resets_at_keyframes(parameters),
            packets: VecDeque::new(),
            first: 0,
            bytes: 0,
            most_bytes: MAX_BYTES,
            is_whole: true,
            has_frames: false,
        })
    }

    /// Stores less.
    #[cfg(test)]
    pub(crate) const fn limit(&mut self, most_bytes: usize) {
        self.most_bytes = most_bytes;
    }

    /// Forgets all packets, before decoding starts elsewhere with the packet of this number.
    pub(crate) fn restart(&mut self, next: u64) {
        self.packets.clear();
        (self.first, self.bytes, self.is_whole, self.has_frames) = (next, 0, true, false);
    }

    /// Adds a packet that the decoder has taken or refused.
    pub(crate) fn note_packet(&mut self, packet: AvPacket, is_needed: bool) {
        self.bytes += packet.size();
        self.packets.push_back(SentPacket { packet, is_needed, is_refused: false, frames: 0 });
        if self.bytes > self.most_bytes {
            self.drop_before(self.packets.len());
            self.is_whole = false;
        }
    }

    /// Records that the decoder's refusal of the last packet has been reported.
    pub(crate) fn note_refusal(&mut self) {
        if let Some(last) = self.packets.back_mut() {
            last.is_refused = true;
        }
    }

    /// Records that a frame has been returned.
    pub(crate) fn note_frame(&mut self, frame: &AvFrame) {
        self.has_frames = true;
        let Some(at) = self.position_of(frame) else { return };
        let sent = &mut self.packets[at];
        sent.frames += 1;
        let is_start = sent.packet.is_key()
            && frame.is_key()
            && frame.picture_type() == Some('I')
            // Damage is concealed with earlier pictures.
            && !frame.is_damaged();
        // A new configuration holds until the next one.
        let is_bound = self.packets.iter().take(at).any(|sent| sent.packet.reconfigures());
        if self.resets_at_keyframes && is_start && !is_bound {
            self.drop_before(at);
            self.is_whole = true;
        }
    }

    /// Takes back that a frame has been returned.
    pub(crate) fn take_back(&mut self, frame: &AvFrame) {
        if let Some(at) = self.position_of(frame) {
            let frames = &mut self.packets[at].frames;
            *frames = frames.saturating_sub(1);
        }
    }

    fn position_of(&self, frame: &AvFrame) -> Option<usize> {
        let at = usize::try_from(frame.packet_number().checked_sub(self.first)?).ok()?;
        (at < self.packets.len()).then_some(at)
    }

    fn drop_before(&mut self, at: usize) {
        self.bytes -= self.packets.drain(..at).map(|sent| sent.packet.size()).sum::<usize>();
        self.first += at as u64;
    }

    /// Returns `true` if a frame has been returned since the last start.
    pub(crate) const fn has_frames(&self) -> bool {
        self.has_frames
    }

    /// Returns `true` if a packet was refused for no reason in the stream, as far as that is known: decoding that
    /// begins between keyframes refuses packets until the next.
    pub(crate) fn is_under_way(&self) -> bool {
        self.has_frames || self.packets.front().is_some_and(|first| first.packet.is_key())
    }

    /// Returns the stream's description, and the packets to decode again if they suffice.
    pub(crate) fn into_replay(self) -> (StreamCopy, u64, Option<Replay>) {
        let numbered = (self.first..).zip(&self.packets);
        let returned =
            numbered.filter(|(_, sent)| sent.frames > 0).map(|(number, sent)| (number, sent.frames)).collect();
        let replay = self.is_whole.then_some(Replay { packets: self.packets, returned });
        (self.stream, self.first, replay)
    }
}

/// Packets to decode again.
#[derive(Default)]
pub(crate) struct Replay {
    pub(crate) packets: VecDeque<SentPacket>,
    /// Number of frames to leave out, because they have been returned, by the number of their packet.
    returned: HashMap<u64, u32>,
}

impl Replay {
    /// Returns `true` if the next frame of this packet has already been returned.
    pub(crate) fn repeats(&mut self, frame: &AvFrame) -> bool {
        let number = frame.packet_number();
        let Some(left) = self.returned.get_mut(&number) else { return false };
        *left -= 1;
        if *left == 0 {
            self.returned.remove(&number);
        }
        true
    }
}
