//! Positioning on a keyframe: quicker than the exact frame, and decoded by itself.

use super::ahead::LookAhead;
use super::approach::{Manner, Probe};
use super::av::Received;
use super::decoder::Decoder;
use super::error::MediaError;

impl Decoder {
    /// Goes to a keyframe at or before `ticks` and decodes that alone.
    pub(super) fn seek_keyframe(&mut self, ticks: i64) -> Result<(), MediaError> {
        let Some(origin) =
            self.origin_at_keyframe(true).filter(|_| ticks > self.info.start_ticks && self.can_go_back())
        else {
            // Without timestamps to go by, the frame itself is as easy to find as a keyframe before it.
            self.seek_exact(ticks, &Manner::default())?;
            return self.go_back_to_key();
        };
        let mut probe = Probe::new(self, ticks);
        while self.position_at(&probe, origin) {
            let has_index = self.input.indexed_key(self.stream, ticks).is_some();
            let until = if has_index { LookAhead::ToKeyframe } else { LookAhead::ToTarget };
            if let Some(key) = self.look_ahead(ticks, ticks, until)?.key {
                self.start_at(key);
                if self.preview_key(ticks)? {
                    return Ok(());
                }
                if let Some(first) = self.decode_timed()? {
                    let is_good = first.pts <= ticks && first.frame.is_key();
                    self.position.ready.push_back(first);
                    if is_good {
                        return Ok(());
                    }
                }
            }
            probe.go_back();
        }
        self.rewind()
    }

    /// Decodes the keyframe at the head of the packet queue by itself, without the frames that the codec would otherwise
    /// want before it gives one out; `false` if it cannot be had so. Decoding then goes on from it as if it had not been.
    fn preview_key(&mut self, ticks: i64) -> Result<bool, MediaError> {
        let Some(packet) = self.position.packets.front().filter(|packet| packet.pts().is_some_and(|pts| pts <= ticks))
        else {
            return Ok(false);
        };
        let mut found = None;
        if self.codec.send(Some(packet)).is_ok() && self.codec.send(None).is_ok() {
            while let Received::Frame(frame) = self.codec.receive_next() {
                // One packet may hold but the first field of a frame.
                let is_whole =
                    frame.is_key() && !frame.scan().is_interlaced() && !frame.is_damaged() && !frame.is_discarded();
                if is_whole && frame.best_effort_timestamp() == packet.pts() {
                    found = Some(frame);
                }
            }
        }
        self.codec.flush();
        let Some(frame) = found else { return Ok(false) };
        let timed = self.place(frame);
        self.position.omission.shown_ahead = Some(timed.pts);
        self.position.ready.push_back(timed);
        Ok(true)
    }

    /// Where there are no timestamps to go by: to the last keyframe before the next frame, as far as it is known.
    fn go_back_to_key(&mut self) -> Result<(), MediaError> {
        let Some(next) = self.position.ready.front() else { return Ok(()) };
        if next.frame.is_key() || !self.can_go_back() {
            return Ok(());
        }
        let limit = next.pts;
        self.rewind()?;
        let mut last_key = self.info.start_ticks;
        while let Some(timed) = self.pull()?
            && timed.pts <= limit
        {
            if timed.frame.is_key() {
                last_key = timed.pts;
            }
        }
        self.seek_exact(last_key, &Manner::default())
    }
}
