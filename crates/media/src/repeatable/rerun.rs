//! Decoding packets that were decoded before.

use std::collections::VecDeque;

use super::kept::KeptPacket;
use crate::av::{AvError, Codec, Received};

/// Refusals in a row, with no packets left, after which a decoder is taken to have ended.
const MOST_REFUSALS: u32 = 256;

/// A decoder that is handed packets again, and what came of it.
pub(super) struct Rerun<'a> {
    codec: &'a mut Codec,
    /// Numbers of the packets whose frames are not to be given, and have not come.
    unwanted: Vec<u64>,
    /// How many refusals were told of before and have not come again.
    refusals: usize,
    again: Again,
}

/// What came of decoding again.
#[derive(Default)]
pub(super) struct Again {
    /// Frames that are to be given, and refusals that are to be told of.
    pub(super) frames: VecDeque<Received>,
    /// Numbers of the packets whose frames are not to be given, and have not come.
    pub(super) unwanted: Vec<u64>,
    /// Numbers of the first and the last packet with damage that was concealed.
    pub(super) concealed: Option<(u64, u64)>,
}

impl Again {
    /// The frames of packets with lower numbers.
    pub(super) fn frames_before(self, number: u64) -> impl Iterator<Item = Received> {
        self.frames.into_iter().filter(move |received| is_before(received, number))
    }

    /// Has these frames in place of those of packets with lower numbers.
    pub(super) fn put_before(&mut self, frames: impl Iterator<Item = Received>, number: u64) {
        let others = std::mem::take(&mut self.frames).into_iter().filter(|received| !is_before(received, number));
        self.frames = frames.chain(others).collect();
    }
}

fn is_before(received: &Received, number: u64) -> bool {
    matches!(received, Received::Frame(frame) if frame.packet_number() < number)
}

impl<'a> Rerun<'a> {
    /// Begins with what was not wanted of these packets, as it was given before or is not needed, and so many refusals that were told of before.
    pub(super) fn new(codec: &'a mut Codec, unwanted: Vec<u64>, refusals: usize) -> Self {
        codec.skip_unreferenced(false);
        Self { codec, unwanted, refusals, again: Again::default() }
    }

    /// Hands over all these packets, and then if need be the news that there are no more; `None` if that is not wanted any more.
    pub(super) fn through<'b>(
        mut self,
        packets: impl Iterator<Item = &'b KeptPacket>,
        is_last: bool,
        is_wanted: &dyn Fn() -> bool,
    ) -> Option<Again> {
        for kept in packets {
            if !is_wanted() {
                return None;
            }
            self.feed(kept);
        }
        if is_last {
            let _ = self.codec.send(None);
            self.take();
        }
        self.again.unwanted = self.unwanted;
        Some(self.again)
    }

    /// Hands the decoder the next packet and takes what it has.
    fn feed(&mut self, kept: &KeptPacket) {
        loop {
            match self.codec.send_numbered(&kept.packet, kept.number) {
                Err(AvError::AGAIN) if self.take() => {}
                Err(error) => {
                    self.refuse(error);
                    break;
                }
                Ok(()) => break,
            }
        }
        self.take();
        if self.codec.take_concealment() {
            let first = self.again.concealed.map_or(kept.number, |(first, _)| first);
            self.again.concealed = Some((first, kept.number));
        }
    }

    /// Takes all that there is; says whether there was anything.
    fn take(&mut self) -> bool {
        let mut refusals = 0;
        let mut is_any = false;
        while refusals < MOST_REFUSALS {
            match self.codec.receive() {
                Received::Frame(frame) => {
                    let number = frame.packet_number();
                    if let Some(at) = self.unwanted.iter().position(|unwanted| *unwanted == number) {
                        self.unwanted.swap_remove(at);
                    } else {
                        self.again.frames.push_back(Received::Frame(frame));
                    }
                }
                Received::Refused(error) => {
                    refusals += 1;
                    self.refuse(error);
                }
                Received::NeedsInput | Received::End => break,
            }
            is_any = true;
        }
        is_any
    }

    fn refuse(&mut self, error: AvError) {
        match self.refusals.checked_sub(1) {
            Some(left) => self.refusals = left,
            None => self.again.frames.push_back(Received::Refused(error)),
        }
    }
}
