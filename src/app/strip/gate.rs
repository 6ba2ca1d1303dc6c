//! Decides when the strip's thread may work: the window has priority.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::background::rest;
use histoscope_media::playback::Player;

/// Pause in counting after frames were dropped.
const AFTER_DROPS: Duration = Duration::from_secs(2);

/// What a thread is to do between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Continue as fast as possible.
    Go,
    /// Continue with a small part of the processor, because a video plays.
    GoGently,
    /// Wait: something that the user is waiting for is being decoded.
    Wait,
    /// End.
    Stop,
}

/// The gate that a thread must pass before each frame.
#[derive(Debug)]
pub struct Gate {
    pace: Mutex<Pace>,
    changed: Condvar,
}

impl Default for Gate {
    /// Closed, until the window shows something.
    fn default() -> Self {
        Self { pace: Mutex::new(Pace::Wait), changed: Condvar::new() }
    }
}

impl Gate {
    /// Sets what the thread is to do from its next frame on. After [`Pace::Stop`], further calls have no effect.
    pub fn set(&self, pace: Pace) {
        let mut known = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != pace && *known != Pace::Stop {
            *known = pace;
            self.changed.notify_all();
        }
    }

    /// Waits until the thread may continue or must end. Returns `true` if it may continue.
    pub fn pass(&self) -> bool {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let before = *pace;
            match before {
                Pace::Wait => pace = self.changed.wait(pace).unwrap_or_else(PoisonError::into_inner),
                Pace::Stop => return false,
                Pace::Go | Pace::GoGently => {
                    // The window must not wait for a thread of the lowest priority that holds the lock.
                    drop(pace);
                    let Some(rest) = rest(before == Pace::GoGently) else { return true };
                    let now = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
                    let rested = self.changed.wait_timeout_while(now, rest, |now| *now == before);
                    pace = rested.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

/// Determines the pace from the player's state.
#[derive(Debug, Default)]
pub struct Pacer {
    /// Number of dropped frames at the last call.
    dropped: u64,
    /// Nothing is counted before this time.
    rests_until: Option<Instant>,
}

impl Pacer {
    /// Returns [`Pace::Go`] while the picture stands still, and [`Pace::GoGently`] while the video plays, if the next frame
    /// is already waiting and none was dropped recently. Returns [`Pace::Wait`] otherwise, in particular during a seek or
    /// scrub.
    pub fn pace(&mut self, player: &Player, now: Instant) -> Pace {
        let dropped = player.counts().dropped;
        if dropped != self.dropped {
            self.dropped = dropped;
            self.rests_until = Some(now + AFTER_DROPS);
        }
        let is_still = player.is_paused() || player.has_ended();
        let is_resting = self.rests_until.is_some_and(|until| until > now);
        match is_still {
            _ if player.is_seek_pending() => Pace::Wait,
            true => Pace::Go,
            false if player.wants_frames(now) || is_resting => Pace::Wait,
            false => Pace::GoGently,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn the_thread_waits_until_it_may_continue_and_ends_when_it_must() {
        let gate = Arc::new(Gate::default());
        let (sender, passed) = mpsc::channel();
        let theirs = Arc::clone(&gate);
        let thread = std::thread::spawn(move || {
            while theirs.pass() {
                // Before the other side can open it again.
                theirs.set(Pace::Wait);
                sender.send(()).expect("somebody listens");
            }
        });
        assert!(passed.recv_timeout(Duration::from_millis(200)).is_err(), "nobody has opened it");
        for _ in 0..3 {
            gate.set(Pace::Go);
            passed.recv_timeout(Duration::from_secs(60)).expect("it goes on");
        }
        assert!(passed.recv_timeout(Duration::from_millis(200)).is_err(), "it goes on though it is to wait");
        gate.set(Pace::Stop);
        thread.join().expect("it ends");
        gate.set(Pace::Go);
        assert!(!gate.pass(), "what has ended begins again");
    }
}
