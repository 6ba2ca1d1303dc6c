//! The state that the decoding thread shares with the one that it serves: a bounded queue, the last request, and the list of
//! the file's frames.

use std::collections::VecDeque;
use std::sync::Arc;

use super::error::MediaError;
use super::index::{FrameIndex, Listing};
use super::info::{FrameCounters, StreamInfo};
use super::reception::NoSignal;
use super::target::{Seek, SeekTarget};
use histoscope_core::picture::Frame;

/// How much may wait in the queue. At least [`MIN_FRAMES`](Self::MIN_FRAMES) frames always may, whatever their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// The most frames.
    pub frames: usize,
    /// The most bytes of planes.
    pub bytes: usize,
}

impl QueueLimits {
    /// The fewest frames that the limits can come to: one to show and one to know how long.
    pub const MIN_FRAMES: usize = 2;
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { frames: 8, bytes: 128 << 20 }
    }
}

/// An event of the decoding thread, in its order.
#[derive(Debug)]
pub enum DecodeEvent {
    /// The video is open; comes first, once, and of a live source again whenever its sender is back.
    Opened(Arc<StreamInfo>),
    /// A live source gives nothing, which is waited for; comes before it is open, too.
    NoSignal(NoSignal),
    /// The next frame; its serial is that of the seek it follows.
    Frame(Frame),
    /// Frames that come right before the one of that timestamp, without a gap, in presentation order: those that were
    /// decoded on the way to the target of a seek, after its first frame; and alone, where no frames follow, the answer to
    /// [`Seek::Back`], whose target is the last. None means that there are none, as that frame is the first.
    Earlier {
        /// The seek that they belong to.
        serial: u64,
        /// Timestamp of the frame that follows them, in ticks; the highest there is where that was not asked for.
        before_ticks: i64,
        /// The frames.
        frames: Vec<Frame>,
    },
    /// There are no more frames after those that came; a seek starts again.
    EndOfStream {
        /// The seek that it follows.
        serial: u64,
    },
    /// Opening, reading or seeking failed. After a failed opening nothing follows; otherwise a seek may help. After
    /// [`MediaError::NotSeekable`] the frames go on from where they were, with the new serial.
    Error {
        /// The seek that it follows.
        serial: u64,
        /// The error.
        error: MediaError,
    },
}

/// The state that the threads share.
#[derive(Default)]
pub(super) struct Exchange {
    pub(super) queue: Queue,
    /// True if nobody waits for the frames that follow.
    pub(super) is_idle: bool,
    /// The last request, until the decoder begins with it.
    pub(super) seek: Option<(u64, Seek)>,
    pub(super) counters: FrameCounters,
    /// The choice of live frames that are handed on.
    pub(super) air: Air,
    /// Live frames that newer ones have replaced before they were taken.
    pub(super) replaced: u64,
    /// The fault at the file's end, once it is known.
    pub(super) ending: Option<String>,
    pub(super) list: FrameList,
    /// A seek that led to frames which may be the wrong ones.
    pub(super) mistake: Option<(u64, Seek)>,
    pub(super) life: Life,
}

/// The choice of live frames that are handed on.
///
/// ```text
///          a seek elsewhere                      a seek to the end
///   Newest ─────────────────▶ Kept ──────────────────────────────────────▶ Newest
///   (those that come)         (those decoded again; what comes is only     (begins with the newest
///                              kept, and counted on)                        that has come)
/// ```
pub(super) struct Air {
    what: OnAir,
    /// The newest frame that has come.
    newest: Option<Frame>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnAir {
    /// Those that come, which carry this serial.
    Newest(u64),
    /// Those of a seek into what is kept.
    Kept,
}

impl Default for Air {
    fn default() -> Self {
        Self { what: OnAir::Newest(0), newest: None }
    }
}

impl Air {
    /// Follows a seek.
    pub(super) const fn tune(&mut self, serial: u64, seek: Seek) {
        let is_to_newest = matches!(seek, Seek::Exact(SeekTarget::End));
        self.what = if is_to_newest { OnAir::Newest(serial) } else { OnAir::Kept };
    }

    /// The newest frame that has come, as the first after a seek to the end.
    pub(super) fn newest(&self) -> Option<Frame> {
        let OnAir::Newest(serial) = self.what else { return None };
        Some(Frame { serial, ..self.newest.clone()? })
    }

    /// Takes a frame that has come; gives it back as it is to be handed on, if it is, and the one before it, to be freed.
    pub(super) fn pass(&mut self, frame: Frame) -> (Option<Frame>, Option<Frame>) {
        let before = self.newest.replace(frame.clone());
        let handed_on = if let OnAir::Newest(serial) = self.what { Some(Frame { serial, ..frame }) } else { None };
        (handed_on, before)
    }
}

impl DecodeEvent {
    /// Returns whether a later seek makes it stale.
    pub(super) const fn is_of_a_seek(&self) -> bool {
        !matches!(self, Self::Opened(_) | Self::NoSignal(_))
    }
}

/// Events that wait to be taken, in their order.
#[derive(Default)]
pub(super) struct Queue {
    events: VecDeque<DecodeEvent>,
    /// How many of them are frames, and the bytes of those.
    frames: usize,
    bytes: usize,
}

/// The list of the file's frames, from which they get their numbers where the decoder has not counted them.
///
/// ```text
/// NotBegun ──▶ UnderWay ──▶ Done ──▶ Adopted ──▶ Refused
///     │            └─────────┴──────────────────────▲
///     └─ the decoder made one itself ▶ Adopted
/// ```
#[derive(Default)]
pub(super) enum FrameList {
    /// No frame has come yet whose number nobody knows.
    #[default]
    NotBegun,
    /// A thread of its own reads the packets.
    UnderWay,
    /// The packets have been read; the decoder has not looked at the result.
    Done(Listing),
    /// The frames are numbered by it.
    Adopted(Arc<FrameIndex>),
    /// The packets do not tell the frames, or frames did not come as they told. It is not tried again.
    Refused,
}

#[derive(Default, PartialEq, Eq)]
pub(super) enum Life {
    #[default]
    Running,
    /// The thread is to end.
    Stopped,
    /// It has ended.
    Finished,
}

impl FrameList {
    /// The list that the frames are numbered by.
    pub(super) const fn adopted(&self) -> Option<&Arc<FrameIndex>> {
        if let Self::Adopted(list) = self { Some(list) } else { None }
    }

    /// Takes what listing came to, unless the decoder has got a list in another way meanwhile.
    pub(super) fn finish(&mut self, listing: Listing) {
        if matches!(self, Self::UnderWay) {
            *self = Self::Done(listing);
        }
    }

    /// Takes what the packets tell for the decoder to look at. The list is refused unless the decoder adopts it.
    pub(super) fn take_done(&mut self) -> Option<Listing> {
        match std::mem::replace(self, Self::Refused) {
            Self::Done(listing) => Some(listing),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Follows the decoder in which list it numbers the frames by; says whether that has changed.
    pub(super) fn follow(&mut self, decoders: Option<&Arc<FrameIndex>>) -> bool {
        let has_changed = decoders.map(Arc::as_ptr) != self.adopted().map(Arc::as_ptr);
        if has_changed {
            *self = decoders.map_or(Self::Refused, |list| Self::Adopted(Arc::clone(list)));
        }
        has_changed
    }
}

impl Queue {
    pub(super) fn has_room(&self, limits: QueueLimits) -> bool {
        self.frames < QueueLimits::MIN_FRAMES || (self.frames < limits.frames && self.bytes < limits.bytes)
    }

    pub(super) fn push(&mut self, event: DecodeEvent) {
        if let DecodeEvent::Frame(frame) = &event {
            self.frames += 1;
            self.bytes += frame.plane_bytes();
        }
        self.events.push_back(event);
    }

    pub(super) fn take(&mut self) -> Option<DecodeEvent> {
        let event = self.events.pop_front()?;
        if let DecodeEvent::Frame(frame) = &event {
            self.frames -= 1;
            self.bytes -= frame.plane_bytes();
        }
        Some(event)
    }

    /// Takes the first event that no seek makes stale, whatever waits before it.
    pub(super) fn take_news(&mut self) -> Option<DecodeEvent> {
        let at = self.events.iter().position(|event| !event.is_of_a_seek())?;
        self.events.remove(at)
    }

    /// Frees the oldest frame that waits; says whether there was one.
    pub(super) fn drop_oldest(&mut self) -> Option<DecodeEvent> {
        let at = self.events.iter().position(|event| matches!(event, DecodeEvent::Frame(_)))?;
        let event = self.events.remove(at)?;
        if let DecodeEvent::Frame(frame) = &event {
            self.frames -= 1;
            self.bytes -= frame.plane_bytes();
        }
        Some(event)
    }

    /// Takes everything out that a seek makes stale.
    pub(super) fn drop_stale(&mut self) -> VecDeque<DecodeEvent> {
        let (kept, stale) = std::mem::take(&mut self.events).into_iter().partition(|event| !event.is_of_a_seek());
        *self = Self { events: kept, ..Self::default() };
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> FrameIndex {
        FrameIndex { pts: vec![0, 1], keys: vec![0] }
    }

    #[test]
    fn a_list_that_was_taken_back_is_not_made_again() {
        let mut list = FrameList::UnderWay;
        list.finish(Listing::Rising(index()));
        let Some(Listing::Rising(index)) = list.take_done() else { panic!("no list") };
        let index = Arc::new(index);
        assert!(list.follow(Some(&index)) && list.adopted().is_some());
        assert!(!list.follow(Some(&index)), "nothing new");
        assert!(list.follow(None) && matches!(list, FrameList::Refused));
        list.finish(Listing::Rising(FrameIndex::default()));
        assert!(list.take_done().is_none());
    }

    #[test]
    fn a_list_that_the_decoder_does_not_adopt_is_refused() {
        let mut list = FrameList::Done(Listing::Unclear);
        assert!(list.take_done().is_some());
        assert!(!list.follow(None) && matches!(list, FrameList::Refused));
    }

    #[test]
    fn the_decoders_own_list_goes_before_one_that_is_under_way() {
        let mut list = FrameList::UnderWay;
        let own = Arc::new(index());
        assert!(list.follow(Some(&own)));
        list.finish(Listing::Unclear);
        assert!(list.adopted().is_some());
    }
}
