//! Between the player and the decoding thread.

use std::sync::Arc;
use std::time::Instant;

use super::{Player, SeekRequest};
use crate::{DecodeEvent, DecodeThread, MediaError, NoSignal, StreamInfo};

/// What has happened beside the frames.
#[derive(Debug)]
pub enum News {
    /// Something went wrong.
    Error(MediaError),
    /// A live source gives nothing.
    NoSignal(NoSignal),
    /// A live source is there again, as this.
    Signal(Arc<StreamInfo>),
}

/// Hands the player the decoded frames that it has use for at `now`. `on_news` is told what else has happened meanwhile;
/// returns whether the end of the video was among the events.
pub fn take_events(player: &mut Player, media: &DecodeThread, now: Instant, mut on_news: impl FnMut(News)) -> bool {
    let mut ended = false;
    media.set_idle(player.is_idle());
    player.note_replaced(media.take_replaced());
    player.set_kept(media.kept_secs());
    loop {
        // Whoever looks at what has gone by takes no frames for a while, and is to know what becomes of the sender.
        let event = if player.wants_frames(now) { media.try_recv() } else { media.take_news() };
        match event {
            Some(DecodeEvent::Frame(frame)) => player.push(frame),
            Some(DecodeEvent::Earlier { serial, before_ticks, frames }) => player.keep(serial, before_ticks, frames),
            Some(DecodeEvent::EndOfStream { serial }) => {
                player.end_of_stream(serial);
                ended = true;
            }
            Some(DecodeEvent::Error { serial, error }) => {
                // After a refusal to go back the frames go on from where they were.
                if !matches!(error, MediaError::NotSeekable { .. }) {
                    player.end_of_stream(serial);
                }
                on_news(News::Error(error));
            }
            Some(DecodeEvent::NoSignal(signal)) => on_news(News::NoSignal(signal)),
            Some(DecodeEvent::Opened(info)) => on_news(News::Signal(info)),
            None => break,
        }
    }
    if let Some((serial, seek)) = media.take_mistake() {
        send(media, player.seek_again(serial, seek));
    }
    // Afterwards, as a list may be taken back because of a frame that has just come.
    player.set_frame_index(media.frame_index());
    ended
}

/// Hands the decoding thread a request of the player's, if there is one.
pub fn send(media: &DecodeThread, request: Option<SeekRequest>) {
    if let Some(SeekRequest { serial, seek }) = request {
        media.seek(serial, seek);
    }
}
