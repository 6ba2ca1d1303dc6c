//! The sound of a live source, which can be read only once: its packets, on their way from the thread that receives the
//! pictures to the one that decodes the sound.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::av::{AvError, AvPacket, Input, SoundCodec, StreamCopy};

/// The most packets that wait to be decoded; the oldest go first.
const MOST_PACKETS: usize = 1024;

/// The sound of a connection to a live source.
#[derive(Clone, Default)]
pub struct SoundTap(Option<Arc<Tapped>>);

/// What both threads share.
struct Tapped {
    /// The sound streams, with their places in the source.
    streams: Vec<(usize, StreamCopy)>,
    may_jump: bool,
    state: Mutex<TapState>,
}

#[derive(Default)]
struct TapState {
    /// The stream that is heard.
    wanted: Option<usize>,
    packets: VecDeque<AvPacket>,
    /// What is added to the times of the source, in seconds.
    offset_secs: f64,
}

impl PartialEq for SoundTap {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

impl fmt::Debug for SoundTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoundTap").field("is_open", &self.0.is_some()).finish()
    }
}

impl SoundTap {
    /// Creates the tap of a live source.
    pub(crate) fn new(input: &Input) -> Self {
        let stream = |index: usize| {
            let parameters = input.stream(index).filter(|parameters| parameters.is_audio())?;
            Some((index, StreamCopy::of(&parameters).ok()?))
        };
        let streams: Vec<_> = (0..input.stream_count()).filter_map(stream).collect();
        let tapped = Tapped { streams, may_jump: input.may_jump(), state: Mutex::default() };
        Self(Some(Arc::new(tapped)))
    }

    fn state(&self) -> Option<MutexGuard<'_, TapState>> {
        self.0.as_ref().map(|tapped| tapped.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the stream that is heard.
    pub(crate) fn wanted(&self) -> Option<usize> {
        self.state()?.wanted
    }

    /// Sets the stream that is heard.
    pub(crate) fn want(&self, stream: Option<usize>) {
        if let Some(mut state) = self.state() {
            state.wanted = stream;
            state.packets.clear();
        }
    }

    /// Takes a packet that has arrived.
    pub(crate) fn push(&self, packet: AvPacket) {
        let Some(mut state) = self.state() else { return };
        if state.packets.len() == MOST_PACKETS {
            state.packets.pop_front();
        }
        state.packets.push_back(packet);
    }

    /// Returns the next packet of the stream that is heard, if there is one.
    pub(crate) fn next(&self) -> Option<AvPacket> {
        self.state()?.packets.pop_front()
    }

    /// Sets what is added to the times of the source, in seconds.
    pub(crate) fn set_offset(&self, secs: f64) {
        if let Some(mut state) = self.state() {
            state.offset_secs = secs;
        }
    }

    /// Returns what is added to the times of the source, in seconds.
    pub(crate) fn offset_secs(&self) -> f64 {
        self.state().map_or(0.0, |state| state.offset_secs)
    }

    /// Opens a decoder for a stream. Returns it with the seconds per tick, and whether timestamps may jump; `None` if
    /// there is no such sound.
    pub(crate) fn open(&self, stream: usize) -> Option<Result<(SoundCodec, f64, bool), AvError>> {
        let tapped = self.0.as_ref()?;
        let (_, copy) = tapped.streams.iter().find(|(index, _)| *index == stream)?;
        let parameters = copy.parameters();
        Some(SoundCodec::open(&parameters).map(|codec| (codec, parameters.time_base().value(), tapped.may_jump)))
    }
}
