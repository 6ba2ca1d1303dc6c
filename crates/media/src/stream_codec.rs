//! The codec of a stream, with the packets that it has and whose frames have not come.

use super::av::{AvError, AvFrame, AvPacket, Codec, FramelessPackets, Received, StreamParameters};
use super::timecodes::{GroupHeaders, GroupPlace};

/// An open codec and what it holds.
pub(super) struct StreamCodec {
    codec: Codec,
    /// The timecodes in the packets' headers, where the codec has such.
    groups: Option<GroupHeaders>,
    /// Timestamps of the packets whose frames it still holds; `None` for packets without one.
    held: Vec<Option<i64>>,
    /// True if it was told that there are no more packets.
    is_draining: bool,
}

/// The outcome of handing over a packet.
pub(super) enum Sent {
    /// The codec has it.
    Taken,
    /// Nobody needs its picture, and the codec does not either.
    LeftOut,
    /// The codec wants its frames taken first.
    Full(AvPacket),
    /// The codec refused it.
    Refused(AvError),
}

impl StreamCodec {
    pub(super) fn new(codec: Codec) -> Self {
        let groups = GroupHeaders::are_in(&codec.name()).then(GroupHeaders::default);
        Self { codec, groups, held: Vec::new(), is_draining: false }
    }

    /// Opens the same codec anew: flushing does not make every codec forget all.
    pub(super) fn reopen(&mut self, parameters: &StreamParameters<'_>) -> Result<(), AvError> {
        *self = Self::new(self.codec.anew(parameters)?);
        Ok(())
    }

    /// Forgets everything that it was given.
    pub(super) fn flush(&mut self) {
        self.codec.flush();
        self.groups = self.groups.take().map(|_| GroupHeaders::default());
        self.held.clear();
        self.is_draining = false;
    }

    /// Returns the number of threads that it uses.
    pub(super) fn threads(&self) -> usize {
        self.codec.threads()
    }

    /// Returns whether it tells of errors in a frame before the frame comes. With a thread for each frame it may do so afterwards.
    pub(super) fn tells_errors_in_time(&self) -> bool {
        !self.codec.has_frame_threads()
    }

    /// Returns whether it was told that there are no more packets.
    pub(super) const fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// Hands over the next packet. Its picture is left out if it is not needed, and no other refers to it.
    pub(super) fn send(&mut self, packet: AvPacket, is_needed: bool, name: &str) -> Sent {
        self.codec.skip_unreferenced(!is_needed);
        let sent = if !is_needed && self.codec.can_do_without(&packet) {
            Sent::LeftOut
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

    /// Tells the codec that there are no more packets. One with frame threads may refuse an earlier packet here.
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

    /// Decodes one packet by itself, without others that the codec would otherwise want before it gives a frame out, and forgets it then;
    /// the frames.
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

    /// Forgets the packets that are shown up to that time, whose frames have come or will not. Without a time, all.
    pub(super) fn forget_up_to(&mut self, stated: Option<i64>) {
        self.held.retain(|sent| stated.is_some() && *sent > stated);
    }

    /// Returns the timestamps of the packets whose frames have not come; `None` if one has no timestamp.
    pub(super) fn stamps(&self) -> Option<Vec<i64>> {
        self.held.iter().copied().collect()
    }

    /// Returns how many packets are shown before that time, or at no known one, and gave no frame.
    pub(super) fn lost_before(&self, stated: Option<i64>) -> usize {
        self.held.iter().filter(|sent| stated.is_some() && **sent < stated).count()
    }

    /// Returns whether a frame is to come that is shown at one of these times.
    pub(super) fn owes(&self, is_meant: impl Fn(i64) -> bool) -> bool {
        self.held.iter().flatten().any(|sent| is_meant(*sent))
    }

    /// Returns what the headers of MPEG-1 and MPEG-2 say of a frame's place in its group of pictures.
    pub(super) fn group_place(&self, frame: &AvFrame) -> Option<GroupPlace> {
        self.groups.as_ref()?.of(frame.packet_number())
    }
}
