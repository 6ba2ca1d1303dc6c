//! Live frames, which come at their sender's pace.

use histoscope_core::picture::Frame;
use histoscope_core::text::clock_time;
use histoscope_media::{MediaError, NoSignal, Receiver, Reception};

/// What has become of a frame that was handed over.
pub(super) enum Handed {
    /// It will be counted.
    Taken,
    /// There is no room for it.
    LeftOut,
    /// Nobody listens any more, as when the span has ended.
    Nowhere,
}

/// Hands live frames over as they come; why there are no more, unless nobody listens. Where counting is too slow, whole frames are
/// left out: packets that are lost would damage others.
pub(super) fn receive(mut receiver: Receiver, hand_over: impl Fn(Frame) -> Handed) -> Option<MediaError> {
    let (mut left_out, mut lost_since) = (0_u64, None);
    let end = loop {
        match receiver.wait() {
            Ok(Reception::Frame(frame)) => match hand_over(frame) {
                Handed::Taken => {}
                Handed::LeftOut => {
                    left_out += 1;
                    if left_out == 1 {
                        log::warn!(
                            "frames come faster than they are counted: some are left out, and so are their numbers"
                        );
                    }
                }
                Handed::Nowhere => break None,
            },
            Ok(Reception::NoSignal(NoSignal::Lost { since, reason })) if lost_since != Some(since) => {
                lost_since = Some(since);
                log::warn!("no signal since {} ({reason}); waiting for the sender", clock_time(since));
            }
            Ok(Reception::NoSignal(_)) => {}
            Ok(Reception::Opened(_)) => log::warn!("the signal is back"),
            Err(error) => break Some(error),
        }
    };
    if left_out > 0 {
        log::warn!("{left_out} frames were left out, since they came faster than they were counted");
    }
    end
}
