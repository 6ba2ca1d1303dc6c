//! The codec of a stream, and the packets whose frames are still pending.

use crate::av::{Accelerator, AvError, AvFrame, AvPacket, Codec, FramelessPackets, Received, StreamParameters};
use crate::decode::fallback::{Fallback, Replay};
use crate::read::layout::downloaded_layout;
use histoscope_core::picture::Ratio;

/// An open codec and its pending packets.
pub(crate) struct StreamCodec {
    codec: Codec,
    /// Timestamps of the packets whose frames are pending; `None` for packets without a timestamp.
    held: Vec<Option<i64>>,
    /// `true` if the codec has been told that there are no more packets.
    is_draining: bool,
    /// The packets to decode again in software if the hardware fails; `None` if software decodes.
    fallback: Option<Fallback>,
    /// Packets that software has yet to decode again.
    replay: Replay,
    /// `true` if the codec is to be told that there are no more packets after those.
    drains_after_replay: bool,
    /// Why hardware no longer decodes.
    failure: Option<HardwareFailure>,
}

/// The failure of a hardware decoder.
#[derive(Debug, Clone)]
pub(crate) struct HardwareFailure {
    pub(crate) hardware: Accelerator,
    /// The reason, in a few words.
    pub(crate) reason: String,
    /// `true` if frames had been returned before.
    pub(crate) is_late: bool,
    /// `true` if decoding must restart at the first packet, because too few packets were stored.
    pub(crate) needs_restart: bool,
}

/// The outcome of sending a packet to the codec.
pub(crate) enum Sent {
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
    /// Creates the codec of a stream.
    pub(crate) fn new(codec: Codec, parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        let fallback = codec.hardware().map(|_| Fallback::of(parameters)).transpose()?;
        Ok(Self { fallback, ..Self::in_software(codec) })
    }

    /// Creates a codec that decodes in software.
    pub(crate) fn in_software(codec: Codec) -> Self {
        Self {
            codec,
            held: Vec::new(),
            is_draining: false,
            fallback: None,
            replay: Replay::default(),
            drains_after_replay: false,
            failure: None,
        }
    }

    /// Opens the same codec again, because flushing does not make every codec forget everything.
    pub(crate) fn reopen(&mut self, parameters: &StreamParameters<'_>) -> Result<(), AvError> {
        let failure = self.failure.take().map(|failure| HardwareFailure { needs_restart: false, ..failure });
        *self = Self { failure, ..Self::new(self.codec.reopened(parameters)?, parameters)? };
        Ok(())
    }

    /// Returns the hardware that decodes, if any does.
    pub(crate) const fn hardware(&self) -> Option<Accelerator> {
        self.codec.hardware()
    }

    /// Stores less for the case that the hardware fails.
    #[cfg(test)]
    pub(crate) const fn limit_fallback(&mut self, bytes: usize) {
        if let Some(fallback) = &mut self.fallback {
            fallback.limit(bytes);
        }
    }

    /// Returns the failure of the hardware that decoded at first, if it failed.
    pub(crate) const fn failure(&self) -> Option<&HardwareFailure> {
        self.failure.as_ref()
    }

    /// Returns the name of the decoder, with the kind of hardware in parentheses if any decodes.
    pub(crate) fn name(&self) -> String {
        match self.codec.hardware() {
            Some(hardware) => format!("{} ({})", self.codec.name(), hardware.name()),
            None => self.codec.name(),
        }
    }

    /// Makes the codec forget everything that it was given.
    pub(crate) fn flush(&mut self) {
        self.codec.flush();
        if let Some(fallback) = &mut self.fallback {
            fallback.restart(self.codec.taken());
        }
        (self.replay, self.drains_after_replay) = (Replay::default(), false);
        self.held.clear();
        self.is_draining = false;
    }

    /// Returns `true` if headers before the packet may be in force for it.
    pub(crate) fn may_depend(&self, packet: &AvPacket) -> bool {
        self.codec.may_depend(packet)
    }

    /// Returns `true` if the codec, although flushed, would decode the packet otherwise than a new one.
    pub(crate) fn has_strayed_for(&self, packet: &AvPacket) -> bool {
        self.codec.has_strayed_for(packet)
    }

    /// Returns the frame rate of MPEG-2 with 3:2 pulldown, judging by the last pictures and those of these packets.
    pub(crate) fn pulldown_rate<'a>(&self, ahead: impl Iterator<Item = &'a AvPacket>) -> Option<Ratio> {
        self.codec.pulldown_rate(ahead)
    }

    /// Returns `true` if the stream states film grain, as far as the codec reports it.
    pub(crate) fn has_film_grain(&self) -> bool {
        self.codec.has_film_grain()
    }

    /// Returns the number of the next packet, which its frame will carry.
    pub(crate) const fn next_number(&self) -> u64 {
        self.codec.taken()
    }

    /// Returns the number of threads that the codec uses.
    pub(crate) fn threads(&self) -> usize {
        self.codec.threads()
    }

    /// Returns `true` if errors in a frame are reported before the frame is returned. With one thread per frame, they
    /// may be reported afterwards.
    pub(crate) fn reports_errors_first(&self) -> bool {
        !self.codec.has_frame_threads()
    }

    /// Returns `true` if the codec has been told that there are no more packets.
    pub(crate) const fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// Sends the next packet. If its picture is not needed and no other refers to it, it is left out.
    pub(crate) fn send(&mut self, packet: AvPacket, is_needed: bool, name: &str) -> Sent {
        if !self.replay.packets.is_empty() {
            return Sent::Full(packet);
        }
        self.codec.skip_unreferenced(!is_needed);
        let is_pending = !packet.is_discarded() && !FramelessPackets::always_has(name, &packet);
        let pts = packet.pts();
        let outcome = if !is_needed && self.codec.can_do_without(&packet) {
            Sent::Dropped
        } else {
            let error = match self.codec.send(Some(&packet)) {
                Ok(()) => None,
                Err(AvError::AGAIN) => return Sent::Full(packet),
                Err(error) => Some(error),
            };
            if let Some(fallback) = &mut self.fallback {
                fallback.note_packet(packet, is_needed);
            }
            match error {
                None => Sent::Taken,
                Some(error) if self.takes_for_failure() && self.fall_back(error.to_string()) => Sent::Taken,
                Some(error) => {
                    if let Some(fallback) = &mut self.fallback {
                        fallback.note_refusal();
                    }
                    return Sent::Refused(error);
                }
            }
        };
        if is_pending {
            self.held.push(pts);
        }
        outcome
    }

    /// Tells the codec that there are no more packets. A codec with frame threads may report here that it refuses an
    /// earlier packet.
    pub(crate) fn drain(&mut self) -> Result<(), AvError> {
        self.is_draining = true;
        match self.codec.send(None) {
            Err(AvError::EOF) => Ok(()),
            sent => sent,
        }
    }

    /// Takes the next frame.
    pub(crate) fn receive(&mut self) -> Received {
        loop {
            let reason = match self.codec.receive() {
                Received::Frame(frame) if self.replay.repeats(&frame) => continue,
                Received::Frame(frame) => {
                    let Some(fallback) = &mut self.fallback else { return Received::Frame(frame) };
                    let Some(format) = unreadable(&frame) else {
                        fallback.note_frame(&frame);
                        return Received::Frame(frame);
                    };
                    format!("its {format} surfaces cannot be read")
                }
                Received::NeedsInput => match self.send_again() {
                    Some(Ok(())) => continue,
                    Some(Err(error)) => return Received::Refused(error),
                    None => return Received::NeedsInput,
                },
                Received::End => match &self.fallback {
                    Some(fallback) if !fallback.has_frames() => "it gives no frames".to_owned(),
                    _ => return Received::End,
                },
                Received::Refused(error) if self.takes_for_failure() => error.to_string(),
                Received::Refused(error) => return Received::Refused(error),
            };
            if !self.fall_back(reason) {
                return Received::Refused(AvError::INVALID_DATA);
            }
        }
    }

    /// Sends the next packet that software has to decode again. Returns `None` if there are no more.
    fn send_again(&mut self) -> Option<Result<(), AvError>> {
        let Some(sent) = self.replay.packets.pop_front() else {
            return std::mem::take(&mut self.drains_after_replay).then(|| self.drain());
        };
        self.codec.skip_unreferenced(!sent.is_needed);
        match self.codec.send(Some(&sent.packet)) {
            Err(AvError::AGAIN) => self.replay.packets.push_front(sent),
            Err(error) if !sent.is_refused => return Some(Err(error)),
            Ok(()) | Err(_) => {}
        }
        Some(Ok(()))
    }

    /// Returns `true` if an error of the codec is to be taken for a failure of the hardware. Only software reports and
    /// conceals damage the same way each time, so that damage counts as one too.
    fn takes_for_failure(&self) -> bool {
        self.fallback.as_ref().is_some_and(|fallback| fallback.is_under_way() || self.codec.has_refused())
    }

    /// Decodes the frame, which the hardware calls damaged, and all later ones in software. Returns `false` if software
    /// decoded it, or if it cannot be decoded again.
    pub(crate) fn reject(&mut self, frame: &AvFrame) -> bool {
        let Some(fallback) = &mut self.fallback else { return false };
        fallback.take_back(frame);
        self.fall_back("a frame is damaged".to_owned())
    }

    /// Replaces the hardware decoder by one in software, which continues with the same frame. Returns `false` if it
    /// cannot; decoding then has to restart.
    fn fall_back(&mut self, reason: String) -> bool {
        let Some((fallback, hardware)) = self.fallback.take().zip(self.codec.hardware()) else { return false };
        let reason = match self.codec.has_refused() {
            true => "it does not decode this profile, size or chroma format".to_owned(),
            false => reason,
        };
        let is_late = fallback.has_frames();
        let (stream, first, replay) = fallback.into_replay();
        let opened = self.codec.in_software(&stream.parameters(), first);
        let needs_restart = opened.is_err() || replay.is_none();
        self.failure = Some(HardwareFailure { hardware, reason, is_late, needs_restart });
        if let Ok(codec) = opened {
            self.codec = codec;
        }
        self.replay = replay.unwrap_or_default();
        self.drains_after_replay = self.is_draining;
        !needs_restart
    }

    /// Decodes one packet without the others that the codec would otherwise need before it returns a frame, then
    /// flushes the codec. Returns the frames.
    pub(crate) fn decode_alone(&mut self, packet: &AvPacket) -> Vec<AvFrame> {
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
    pub(crate) fn forget_up_to(&mut self, stated: Option<i64>) {
        self.held.retain(|sent| stated.is_some() && *sent > stated);
    }

    /// Returns the timestamps of the packets whose frames are pending; `None` if one has no timestamp.
    pub(crate) fn stamps(&self) -> Option<Vec<i64>> {
        self.held.iter().copied().collect()
    }

    /// Returns the number of packets shown before that time, or at an unknown time, that gave no frame.
    pub(crate) fn lost_before(&self, stated: Option<i64>) -> usize {
        self.held.iter().filter(|sent| stated.is_some() && **sent < stated).count()
    }

    /// Returns `true` if a frame with one of these times is pending.
    pub(crate) fn owes(&self, is_meant: impl Fn(i64) -> bool) -> bool {
        self.held.iter().flatten().any(|sent| is_meant(*sent))
    }
}

/// Returns the name of the format of a frame that hardware has decoded if its planes cannot be read as they are.
fn unreadable(frame: &AvFrame) -> Option<&'static str> {
    let (format, coded) = (frame.format(), frame.coded_format());
    let is_readable = format == coded
        || format
            .descriptor()
            .zip(coded.descriptor())
            .is_some_and(|(planes, coded)| downloaded_layout(&planes, &coded).is_some());
    (!is_readable).then(|| format.name())
}
