//! When the strip's thread may work: what the window does comes first.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use histoscope_media::playback::Player;

/// How long nothing is counted after frames were dropped.
const AFTER_DROPS: Duration = Duration::from_secs(2);

/// The pace of a thread between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Go on.
    Go,
    /// Wait: something that the user waits for is being decoded.
    Wait,
    /// End.
    Stop,
}

/// The gate that a thread passes before each frame.
#[derive(Debug)]
pub struct Gate {
    pace: Mutex<Pace>,
    changed: Condvar,
}

impl Default for Gate {
    /// Closed, until the window has something on screen.
    fn default() -> Self {
        Self { pace: Mutex::new(Pace::Wait), changed: Condvar::new() }
    }
}

impl Gate {
    /// Says what the thread is to do from its next frame on. After a stop nothing else can be said.
    pub fn set(&self, pace: Pace) {
        let mut known = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != pace && *known != Pace::Stop {
            *known = pace;
            self.changed.notify_all();
        }
    }

    /// Waits until the thread may go on. Returns whether it may, or is to end.
    pub fn pass(&self) -> bool {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        while *pace == Pace::Wait {
            pace = self.changed.wait(pace).unwrap_or_else(PoisonError::into_inner);
        }
        *pace == Pace::Go
    }
}

/// Decides it, by what the player does.
#[derive(Debug, Default)]
pub struct Pacer {
    /// Frames that had been dropped when it was last asked.
    dropped: u64,
    /// Nothing is counted before this.
    rests_until: Option<Instant>,
}

impl Pacer {
    /// While the picture stands, the machine is free. While the video plays, it is as long as the next frame waits already and none was
    /// dropped lately. While a seek or a scrub is under way, it is not.
    pub fn pace(&mut self, player: &Player, now: Instant) -> Pace {
        let dropped = player.counts().dropped;
        if dropped != self.dropped {
            self.dropped = dropped;
            self.rests_until = Some(now + AFTER_DROPS);
        }
        let stands = player.is_paused() || player.has_ended();
        let is_free = if player.is_on_its_way() {
            false
        } else {
            stands || !player.wants_frames(now) && self.rests_until.is_none_or(|until| until <= now)
        };
        if is_free { Pace::Go } else { Pace::Wait }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn the_thread_waits_until_it_may_and_ends_when_it_must() {
        let gate = Arc::new(Gate::default());
        let (sender, passed) = mpsc::channel();
        let theirs = Arc::clone(&gate);
        let thread = std::thread::spawn(move || {
            while theirs.pass() {
                // Before the other side may open it again.
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
