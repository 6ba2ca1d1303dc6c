//! Between the player and the decoding thread.

use std::time::Instant;

use super::{Player, SeekRequest, Target};
use crate::media::{DecodeEvent, DecodeThread, MediaError, SeekTarget};

/// Hands the player the decoded frames that it has use for at `now`. `on_error` is told what went wrong meanwhile;
/// returns whether the end of the video was among the events.
pub fn take_events(
    player: &mut Player,
    media: &DecodeThread,
    now: Instant,
    mut on_error: impl FnMut(MediaError),
) -> bool {
    let mut ended = false;
    while player.wants_frames(now) {
        match media.try_recv() {
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
                on_error(error);
            }
            Some(DecodeEvent::Opened(_)) => {}
            None => break,
        }
    }
    // Afterwards, as a list may be taken back because of a frame that has just come.
    player.set_frame_index(media.frame_index());
    ended
}

/// Hands the decoding thread a request of the player's, if there is one.
pub fn send(media: &DecodeThread, request: Option<SeekRequest>) {
    if let Some(SeekRequest { serial, target }) = request {
        media.seek(serial, target.into());
    }
}

impl From<Target> for SeekTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Exact(secs) if secs <= 0.0 => Self::First,
            Target::Exact(secs) => Self::Exact(secs),
            Target::Keyframe(secs) => Self::Keyframe(secs),
            Target::Near(secs) => Self::Near(secs),
            Target::Back { secs, bytes } => Self::Back { secs, bytes },
            Target::Frame { index, .. } => Self::Frame(index),
            Target::Last { .. } => Self::Last,
            Target::Before { ticks, .. } => Self::Before(ticks),
            Target::Earlier { ticks, bytes } => Self::Earlier { ticks, bytes },
            Target::Towards(secs) => Self::Towards(secs),
            Target::Onward { ticks } => Self::Ticks(ticks),
        }
    }
}
