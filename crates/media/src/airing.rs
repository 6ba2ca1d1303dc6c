//! What the decoding thread does for a live source: it hands on what comes, and beside it another thread decodes again what was kept.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::exchange::{DecodeEvent, Life};
use super::info::OpenOptions;
use super::reception::{Receiver, Reception};
use super::replay::{Next, Replay};
use super::target::{Seek, SeekTarget};
use super::thread::{Afterwards, KEPT, Task, ThreadShared};

/// How long a frame that has not come yet is waited for before it is looked for again.
const LOOK: Duration = Duration::from_millis(15);

impl ThreadShared {
    /// Hands on what is live as it comes: nobody's slowness holds it up.
    pub(super) fn receive(&self, receiver: Receiver, options: OpenOptions) {
        let receiver = receiver.keeping(&self.shift);
        let replay = Replay::new(Arc::clone(&self.shift), options, self.stop.clone());
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("histoscope-replay".to_owned());
            if let Err(error) = builder.spawn_scoped(scope, || self.replay(replay)) {
                log::warn!("no thread to look back on: {error}");
            }
            self.hand_on(receiver);
            // What was kept is of no use any more; the other thread is not to wait for a seek.
            let mut exchange = self.lock();
            if exchange.life == Life::Running {
                exchange.life = Life::Finished;
            }
            drop(exchange);
            self.changed.notify_all();
        });
    }

    fn hand_on(&self, mut receiver: Receiver) {
        let mut told = None;
        while self.lock().life == Life::Running {
            let event = match receiver.wait() {
                Ok(Reception::Frame(frame)) => {
                    let mut exchange = self.lock();
                    if let Some(decoder) = receiver.decoder() {
                        exchange.counters = decoder.counters();
                    }
                    let (frame, before) = exchange.air.pass(frame);
                    // Frames are freed outside the lock.
                    drop(exchange);
                    drop(before);
                    let Some(frame) = frame else { continue };
                    DecodeEvent::Frame(frame)
                }
                Ok(Reception::Opened(info)) => {
                    told = None;
                    DecodeEvent::Opened(info)
                }
                Ok(Reception::NoSignal(signal)) if told.as_ref() == Some(&signal) => continue,
                Ok(Reception::NoSignal(signal)) => DecodeEvent::NoSignal(told.insert(signal).clone()),
                Err(error) => return self.push(DecodeEvent::Error { serial: 0, error }),
            };
            if matches!(event, DecodeEvent::Frame(_)) {
                self.make_room();
            }
            self.push(event);
        }
    }

    /// Frees the oldest frames of a live source until another has room.
    fn make_room(&self) {
        let mut exchange = self.lock();
        let mut freed = Vec::new();
        while !exchange.queue.has_room(self.limits) {
            let Some(oldest) = exchange.queue.drop_oldest() else { break };
            exchange.replaced += 1;
            freed.push(oldest);
        }
        // Frames are freed outside the lock.
        drop(exchange);
        drop(freed);
    }

    /// Decodes what is kept wherever a seek leads.
    fn replay(&self, mut replay: Replay) {
        let mut serial = 0;
        let mut afterwards = Afterwards::Rest;
        loop {
            match self.next_task(afterwards) {
                Task::Stop => return,
                Task::Learn(_) => {}
                Task::Seek(_, Seek::Exact(SeekTarget::End)) => {
                    afterwards = Afterwards::Rest;
                    let newest = self.lock().air.newest();
                    if let Some(frame) = newest {
                        self.push(DecodeEvent::Frame(frame));
                    }
                }
                Task::Seek(new, seek) => {
                    serial = new;
                    replay.set_serial(serial);
                    afterwards = self.replay_from(&mut replay, serial, seek);
                }
                Task::Decode => match replay.next() {
                    Next::Frame(frame) => self.push(DecodeEvent::Frame(frame)),
                    Next::NotYet => drop(self.changed.wait_timeout(self.lock(), LOOK)),
                    Next::Gone => {
                        afterwards = Afterwards::Rest;
                        self.push(DecodeEvent::EndOfStream { serial });
                    }
                },
            }
        }
    }

    /// Carries a seek out up to its first frame.
    fn replay_from(&self, replay: &mut Replay, serial: u64, seek: Seek) -> Afterwards {
        if let Seek::Back { target, budget } = seek {
            let before_ticks = if let SeekTarget::Before(ticks) = target { ticks } else { i64::MAX };
            let frames = replay.frames_back(target, budget);
            self.push(DecodeEvent::Earlier { serial, before_ticks, frames });
            return Afterwards::Rest;
        }
        let Some((frame, frames)) = replay.seek(seek, KEPT) else {
            self.push(DecodeEvent::EndOfStream { serial });
            return Afterwards::Rest;
        };
        let before_ticks = frame.pts_ticks;
        self.push(DecodeEvent::Frame(frame));
        if !frames.is_empty() {
            self.push(DecodeEvent::Earlier { serial, before_ticks, frames });
        }
        if matches!(seek, Seek::Near(_)) { Afterwards::Rest } else { Afterwards::GoOn }
    }
}
