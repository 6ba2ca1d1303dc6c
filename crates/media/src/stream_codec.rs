//! The codec of a stream, and the packets whose frames are still pending.

use super::av::{AvError, AvFrame, AvPacket, Codec, FramelessPackets, Received, StreamParameters};
use super::timecodes::{GroupHeaders, GroupPosition};

/// An open codec and its pending packets.
pub(super) struct StreamCodec {
    codec: Codec,
    /// Timecodes from the packets' headers, if the codec has them.
    groups: Option<GroupHeaders>,
    /// Timestamps of the packets whose frames are pending; `None` for packets without a timestamp.
    held: Vec<Option<i64>>,
    /// `true` if the codec has been told that there are no more packets.
    is_draining: bool,
}

/// The outcome of sending a packet to the codec.
pub(super) enum Sent {
    /// The codec took it.
    Taken,
    /// Neither the caller nor the codec needs its picture.
    Dropped,
    /// The codec's frames must be taken first.
    Full(AvPacket),
    /// The codec refused it.
    Refused(AvError),
}

impl StreamCodec {
    pub(super) fn new(codec: Codec) -> Self {
        let groups = GroupHeaders::are_in(&codec.name()).then(GroupHeaders::default);
        Self { codec, groups, held: Vec::new(), is_draining: false }
    }

    /// Opens the same codec again, because flushing does not make every codec forget everything.
    pub(super) fn reopen(&mut self, parameters: &StreamParameters<'_>) -> Result<(), AvError> {
        *self = Self::new(self.codec.reopened(parameters)?);
        Ok(())
    }

    /// Makes the codec forget everything that it was given.
    pub(super) fn flush(&mut self) {
        self.codec.flush();
        self.groups = self.groups.take().map(|_| GroupHeaders::default());
        self.held.clear();
        self.is_draining = false;
    }

    /// Returns the number of threads that the codec uses.
    pub(super) fn threads(&self) -> usize {
        self.codec.threads()
    }

    /// Returns `true` if errors in a frame are reported before the frame is returned. With one thread per frame, they
    /// may be reported afterwards.
    pub(super) fn reports_errors_first(&self) -> bool {
        !self.codec.has_frame_threads()
    }

    /// Returns `true` if the codec has been told that there are no more packets.
    pub(super) const fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// Sends the next packet. If its picture is not needed and no other refers to it, it is left out.
    pub(super) fn send(&mut self, packet: AvPacket, is_needed: bool, name: &str) -> Sent {
        self.codec.skip_unreferenced(!is_needed);
        let sent = if !is_needed && self.codec.can_do_without(&packet) {
            Sent::Dropped
        } else {
            let number = self.codec.taken();
            let sent = self.codec.send(Some(&packet));
            if let Some(groups) = &mut self.groups
                && sent != Err(AvError::AGAIN)
            {
                groups.note(number, packet.data());
            }
            match sent {
                Ok(()) => Sent::Taken,
                Err(AvError::AGAIN) => return Sent::Full(packet),
                Err(error) => return Sent::Refused(error),
            }
        };
        if !packet.is_discarded() && !FramelessPackets::always_has(name, &packet) {
            self.held.push(packet.pts());
        }
        sent
    }

    /// Tells the codec that there are no more packets. A codec with frame threads may report here that it refuses an
    /// earlier packet.
    pub(super) fn drain(&mut self) -> Result<(), AvError> {
        self.is_draining = true;
        match self.codec.send(None) {
            Err(AvError::EOF) => Ok(()),
            sent => sent,
        }
    }

    /// Takes the next frame.
    pub(super) fn receive(&mut self) -> Received {
        self.codec.receive()
    }

    /// Decodes one packet without the others that the codec would otherwise need before it returns a frame, then
    /// flushes the codec. Returns the frames.
    pub(super) fn decode_alone(&mut self, packet: &AvPacket) -> Vec<AvFrame> {
        let mut frames = Vec::new();
        self.codec.skip_unreferenced(false);
        if self.codec.send(Some(packet)).is_ok() && self.codec.send(None).is_ok() {
            while let Received::Frame(frame) = self.codec.receive() {
                frames.push(frame);
            }
        }
        self.flush();
        frames
    }

    /// Forgets the packets shown up to that time, whose frames have been returned or never will be. Without a time,
    /// forgets all.
    pub(super) fn forget_up_to(&mut self, stated: Option<i64>) {
        self.held.retain(|sent| stated.is_some() && *sent > stated);
    }

    /// Returns the timestamps of the packets whose frames are pending; `None` if one has no timestamp.
    pub(super) fn stamps(&self) -> Option<Vec<i64>> {
        self.held.iter().copied().collect()
    }

    /// Returns the number of packets shown before that time, or at an unknown time, that gave no frame.
    pub(super) fn lost_before(&self, stated: Option<i64>) -> usize {
        self.held.iter().filter(|sent| stated.is_some() && **sent < stated).count()
    }

    /// Returns `true` if a frame with one of these times is pending.
    pub(super) fn owes(&self, is_meant: impl Fn(i64) -> bool) -> bool {
        self.held.iter().flatten().any(|sent| is_meant(*sent))
    }

    /// Returns the position of a frame in its group of pictures, from the headers of MPEG-1 and MPEG-2.
    pub(super) fn group_place(&self, frame: &AvFrame) -> Option<GroupPosition> {
        self.groups.as_ref()?.of(frame.packet_number())
    }
}
