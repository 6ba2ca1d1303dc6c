//! Communication between the player and the decoding thread.

use std::sync::Arc;
use std::time::Instant;

use super::{Player, SeekRequest};
use crate::DecodeEvent;
use crate::DecodeThread;
use crate::MediaError;
use crate::MediaFault;
use crate::NoSignal;
use crate::StreamInfo;

/// Events other than frames.
#[derive(Debug)]
pub enum SourceEvent {
    /// An error occurred.
    Error(MediaError),
    /// Another decoder decodes from here on, as described; or not, for this reason.
    Switched(Result<Arc<StreamInfo>, MediaError>),
    /// A live source delivers nothing.
    NoSignal(NoSignal),
    /// A live source is available again, as described.
    Signal(Arc<StreamInfo>),
}

/// Passes decoded frames to the player while it has use for them at `now`. Other events are reported to `on_news`.
/// Returns `true` if the end of the video was among the events.
pub fn take_events(
    player: &mut Player,
    media: &DecodeThread,
    now: Instant,
    mut on_news: impl FnMut(SourceEvent),
) -> bool {
    let mut ended = false;
    media.set_idle(player.is_idle());
    player.note_replaced(media.take_replaced());
    player.set_kept(media.kept_secs());
    loop {
        // While the user looks back, the player takes no frames but must still hear what happens to the sender.
        let event = if player.wants_frames(now) { media.try_recv() } else { media.take_source_event() };
        match event {
            Some(DecodeEvent::Frame(frame)) => player.push(frame),
            Some(DecodeEvent::Earlier { serial, before_ticks, frames }) => player.keep(serial, before_ticks, frames),
            Some(DecodeEvent::EndOfStream { serial }) => {
                player.end_of_stream(serial);
                ended = true;
            }
            Some(DecodeEvent::Error { serial, error }) => {
                // After a refusal to go back, the frames continue from where they were.
                if !matches!(error, MediaError { fault: MediaFault::NotSeekable, .. }) {
                    player.end_of_stream(serial);
                }
                on_news(SourceEvent::Error(error));
            }
            Some(DecodeEvent::Switched(switched)) => on_news(SourceEvent::Switched(switched)),
            Some(DecodeEvent::NoSignal(signal)) => on_news(SourceEvent::NoSignal(signal)),
            Some(DecodeEvent::Opened(info)) => on_news(SourceEvent::Signal(info)),
            None => break,
        }
    }
    if let Some((serial, seek)) = media.take_mistake() {
        send(media, player.seek_again(serial, seek));
    }
    // Done last, as a list may be withdrawn because of a frame that has just arrived.
    player.set_frame_index(media.frame_index());
    ended
}

/// Passes a request of the player to the decoding thread, if there is one.
pub fn send(media: &DecodeThread, request: Option<SeekRequest>) {
    if let Some(SeekRequest { serial, seek }) = request {
        media.seek(serial, seek);
    }
}
