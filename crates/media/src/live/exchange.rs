//! State shared by the decoding thread and the thread that it serves: a bounded queue, the last request, and the list
//! of the file's frames.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::MediaError;
use crate::live::reception::NoSignal;
use crate::read::hardware::HardwareChoice;
use crate::read::info::{FrameCounters, StreamInfo};
use crate::read::target::{Seek, SeekTarget};
use crate::times::index::{FrameIndex, Listing};
use histoscope_core::picture::Frame;

/// Limits of the queue. At least [`MIN_FRAMES`](Self::MIN_FRAMES) frames may always wait, whatever their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Maximum number of frames.
    pub frames: usize,
    /// Maximum size of the planes, in bytes.
    pub bytes: usize,
}

impl QueueLimits {
    /// The lowest possible limit on frames: one to show, and the next, which determines how long to show it.
    pub const MIN_FRAMES: usize = 2;
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { frames: 8, bytes: 128 << 20 }
    }
}

/// An event of the decoding thread. Events are delivered in order.
#[derive(Debug)]
pub enum DecodeEvent {
    /// The video is open. Comes first and only once, except that a live source is opened again whenever its sender
    /// returns.
    Opened(Arc<StreamInfo>),
    /// Another decoder was requested. From here on it decodes, as described; or nothing has changed, for this reason.
    Switched(Result<Arc<StreamInfo>, MediaError>),
    /// A live source delivers nothing and is being waited for. May also come before the source is open.
    NoSignal(NoSignal),
    /// The next frame. Its serial is that of the seek that it follows.
    Frame(Frame),
    /// Frames right before the one with that timestamp, without a gap, in presentation order. Either they were decoded
    /// on the way to the target of a seek and follow its first frame, or they are the answer to [`Seek::Back`], whose
    /// target is the last of them; then no frames follow. Empty if there are none, because that frame is the first.
    Earlier {
        /// The seek that they belong to.
        serial: u64,
        /// Timestamp of the frame that follows them, in ticks; `i64::MAX` if the request did not state it.
        before_ticks: i64,
        /// The frames.
        frames: Vec<Frame>,
    },
    /// There are no more frames after those delivered; a seek starts again.
    EndOfStream {
        /// The seek that it follows.
        serial: u64,
    },
    /// Opening, reading or seeking failed. Nothing follows a failed opening; otherwise a seek may help. After
    /// [`MediaFault::NotSeekable`](crate::MediaFault::NotSeekable) the frames continue from where they were, with the
    /// new serial.
    Error {
        /// The seek that it follows.
        serial: u64,
        /// The error.
        error: MediaError,
    },
}

/// State shared by the threads.
#[derive(Default)]
pub(crate) struct Exchange {
    pub(crate) queue: Queue,
    /// `true` if the frames that follow are not needed yet.
    pub(crate) is_idle: bool,
    /// The last request, until the decoder starts on it.
    pub(crate) seek: Option<(u64, Seek)>,
    /// The choice of a decoder, until the decoder starts on the next request.
    pub(crate) hardware: Option<HardwareChoice>,
    pub(crate) counters: FrameCounters,
    /// The selection of live frames to deliver.
    pub(crate) live: LiveSelection,
    /// Live frames that were replaced by newer ones before they were taken.
    pub(crate) replaced: u64,
    /// The fault at the end of the file, once known.
    pub(crate) ending: Option<String>,
    pub(crate) list: FrameList,
    /// A seek whose frames may be wrong.
    pub(crate) mistake: Option<(u64, Seek)>,
    pub(crate) state: ThreadState,
}

/// The selection of live frames to deliver.
///
/// ```text
///           a seek elsewhere                       a seek to the end
///   Newest ─────────────────▶ Kept ──────────────────────────────────────▶ Newest
///   (frames as they arrive)   (frames decoded again; those that arrive     (starts with the
///                              are only stored and numbered)                newest frame)
/// ```
pub(crate) struct LiveSelection {
    mode: LiveMode,
    /// The newest frame received.
    newest: Option<Frame>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiveMode {
    /// Frames as they arrive, with this serial.
    Newest(u64),
    /// Frames of a seek into the stored packets.
    Kept,
}

impl Default for LiveSelection {
    fn default() -> Self {
        Self { mode: LiveMode::Newest(0), newest: None }
    }
}

impl LiveSelection {
    /// Selects the frames that a seek asks for.
    pub(crate) const fn select(&mut self, serial: u64, seek: Seek) {
        let is_to_newest = matches!(seek, Seek::Exact(SeekTarget::End));
        self.mode = if is_to_newest { LiveMode::Newest(serial) } else { LiveMode::Kept };
    }

    /// Returns the newest frame received, as the first frame after a seek to the end.
    pub(crate) fn newest(&self) -> Option<Frame> {
        let LiveMode::Newest(serial) = self.mode else { return None };
        Some(Frame { serial, ..self.newest.clone()? })
    }

    /// Takes a frame that has arrived. Returns it with the right serial if it is to be delivered, and the previous
    /// newest frame for the caller to free.
    pub(crate) fn pass(&mut self, frame: Frame) -> (Option<Frame>, Option<Frame>) {
        let before = self.newest.replace(frame.clone());
        let handed_on = if let LiveMode::Newest(serial) = self.mode { Some(Frame { serial, ..frame }) } else { None };
        (handed_on, before)
    }
}

impl DecodeEvent {
    /// Returns `true` if a later seek makes the event stale.
    pub(crate) const fn is_of_a_seek(&self) -> bool {
        !matches!(self, Self::Opened(_) | Self::Switched(_) | Self::NoSignal(_))
    }
}

/// Events waiting to be taken, in order.
#[derive(Default)]
pub(crate) struct Queue {
    events: VecDeque<DecodeEvent>,
    /// Number of frames among the events, and the bytes of their planes.
    frames: usize,
    bytes: usize,
}

/// The list of the file's frames, which provides their numbers if the decoder has not counted them.
///
/// ```text
/// NotBegun ──▶ UnderWay ──▶ Done ──▶ Adopted ──▶ Refused
///    │            └─────────┴──────────────────────▲
///    └─ the decoder made a list itself ▶ Adopted
/// ```
#[derive(Default)]
pub(crate) enum FrameList {
    /// Listing has not started, because no frame has needed it yet.
    #[default]
    NotBegun,
    /// A separate thread is reading the packets.
    InProgress,
    /// The packets have been read, but the decoder has not looked at the result.
    Done(Listing),
    /// Frames are numbered by this list.
    Adopted(Arc<FrameIndex>),
    /// The packets do not identify the frames, or a frame contradicted them. Listing is not tried again.
    Refused,
}

#[derive(Default, PartialEq, Eq)]
pub(crate) enum ThreadState {
    #[default]
    Running,
    /// The thread must end.
    Stopped,
    /// The thread has ended.
    Finished,
}

impl FrameList {
    /// Returns the list that frames are numbered by.
    pub(crate) const fn adopted(&self) -> Option<&Arc<FrameIndex>> {
        if let Self::Adopted(list) = self { Some(list) } else { None }
    }

    /// Takes the result of listing, unless the decoder has since obtained a list in another way.
    pub(crate) fn finish(&mut self, listing: Listing) {
        if matches!(self, Self::InProgress) {
            *self = Self::Done(listing);
        }
    }

    /// Takes the finished listing for the decoder to examine. The list is refused unless the decoder adopts it.
    pub(crate) fn take_done(&mut self) -> Option<Listing> {
        match std::mem::replace(self, Self::Refused) {
            Self::Done(listing) => Some(listing),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Follows the decoder's choice of list. Returns whether it has changed.
    pub(crate) fn follow(&mut self, decoders: Option<&Arc<FrameIndex>>) -> bool {
        let has_changed = decoders.map(Arc::as_ptr) != self.adopted().map(Arc::as_ptr);
        if has_changed {
            *self = decoders.map_or(Self::Refused, |list| Self::Adopted(Arc::clone(list)));
        }
        has_changed
    }
}

impl Queue {
    pub(crate) fn has_room(&self, limits: QueueLimits) -> bool {
        self.frames < QueueLimits::MIN_FRAMES || (self.frames < limits.frames && self.bytes < limits.bytes)
    }

    pub(crate) fn push(&mut self, event: DecodeEvent) {
        if let DecodeEvent::Frame(frame) = &event {
            self.frames += 1;
            self.bytes += frame.plane_bytes();
        }
        self.events.push_back(event);
    }

    pub(crate) fn take(&mut self) -> Option<DecodeEvent> {
        let event = self.events.pop_front()?;
        if let DecodeEvent::Frame(frame) = &event {
            self.frames -= 1;
            self.bytes -= frame.plane_bytes();
        }
        Some(event)
    }

    /// Takes the first event that no seek makes stale, even if others precede it.
    pub(crate) fn take_source_event(&mut self) -> Option<DecodeEvent> {
        let at = self.events.iter().position(|event| !event.is_of_a_seek())?;
        self.events.remove(at)
    }

    /// Removes and returns the oldest waiting frame, if there is one.
    pub(crate) fn drop_oldest(&mut self) -> Option<DecodeEvent> {
        let at = self.events.iter().position(|event| matches!(event, DecodeEvent::Frame(_)))?;
        let event = self.events.remove(at)?;
        if let DecodeEvent::Frame(frame) = &event {
            self.frames -= 1;
            self.bytes -= frame.plane_bytes();
        }
        Some(event)
    }

    /// Removes and returns all events that a seek makes stale.
    pub(crate) fn drop_stale(&mut self) -> VecDeque<DecodeEvent> {
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
    fn withdrawn_list_is_not_rebuilt() {
        let mut list = FrameList::InProgress;
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
    fn list_not_adopted_by_the_decoder_is_refused() {
        let mut list = FrameList::Done(Listing::Unclear);
        assert!(list.take_done().is_some());
        assert!(!list.follow(None) && matches!(list, FrameList::Refused));
    }

    #[test]
    fn decoders_own_list_takes_precedence_over_pending_one() {
        let mut list = FrameList::InProgress;
        let own = Arc::new(index());
        assert!(list.follow(Some(&own)));
        list.finish(Listing::Unclear);
        assert!(list.adopted().is_some());
    }
}
