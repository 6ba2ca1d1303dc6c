//! Decoding on a separate thread, behind a bounded queue.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::decode::decoder::{Decoder, StopHandle};
use crate::decode::position::Room;
use crate::error::{MediaError, MediaFault};
use crate::live::exchange::{DecodeEvent, Exchange, FrameList, QueueLimits, ThreadState};
use crate::live::reception::{Receiver, Reception};
use crate::read::address;
use crate::read::hardware::HardwareChoice;
use crate::read::info::{FrameCounters, OpenOptions};
use crate::read::target::{Seek, SeekTarget};
use crate::read::timeshift::Timeshift;
use crate::times::index::{FrameIndex, Lister, Listing};

/// Time that dropping waits for the thread before abandoning it: a read from a named pipe cannot be interrupted.
const JOIN_LIMIT: Duration = Duration::from_secs(2);

/// Limits on the frames kept while decoding towards the target of a seek, and on the bytes of their buffers. Each frame
/// costs the time to decode a picture that could have been left out.
const KEPT: Room = Room { frames: 1, bytes: 64 << 20 };

/// Pause in decoding after the target of a seek while no more frames are needed. A user who has just sought often seeks
/// again, and would have to wait for the frames being decoded.
const PAUSE: Duration = Duration::from_millis(250);

/// A decoder on its own thread. Dropping it stops and joins the thread.
pub struct DecodeThread {
    shared: Arc<ThreadShared>,
    stop: StopHandle,
    handle: Option<JoinHandle<()>>,
}

/// State shared by the threads.
struct ThreadShared {
    exchange: Mutex<Exchange>,
    /// Notified at every change of the exchanged state.
    changed: Condvar,
    limits: QueueLimits,
    waker: Box<dyn Fn() + Send + Sync>,
    stop: StopHandle,
    /// The stored packets of a live source.
    shift: Arc<Timeshift>,
}

impl DecodeThread {
    /// Opens `path` on a new thread and decodes it from the start. Its progress is reported by events.
    ///
    /// `waker` is called, on a decoding thread, whenever there is something new to take.
    ///
    /// # Errors
    /// Fails if the system cannot create a thread.
    pub fn open(
        path: impl Into<PathBuf>,
        options: OpenOptions,
        limits: QueueLimits,
        waker: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let path = path.into();
        let stop = StopHandle::new();
        let handle = stop.clone();
        Self::spawn(stop, limits, options.kept_packets, waker, move |shared| {
            if address::is_live(&path) || options.follow {
                return shared.receive(Receiver::new(path, options.clone(), handle), &options);
            }
            match Decoder::open_keeping(&path, &options, &handle, Some(&shared.shift)) {
                Ok(decoder) if decoder.info().live => {
                    shared.push(DecodeEvent::Opened(Arc::new(decoder.info().clone())));
                    shared.receive(Receiver::with(path, options.clone(), handle, decoder), &options);
                }
                opened => shared.run(opened),
            }
        })
    }

    /// Continues decoding with an open decoder, on a new thread.
    ///
    /// # Errors
    /// Fails if the system cannot create a thread.
    pub fn start(
        decoder: Decoder,
        limits: QueueLimits,
        waker: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        Self::spawn(decoder.stop_handle(), limits, 0, waker, move |shared| shared.run(Ok(decoder)))
    }

    fn spawn(
        stop: StopHandle,
        limits: QueueLimits,
        kept_packets: usize,
        waker: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Arc<ThreadShared>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(ThreadShared {
            exchange: Mutex::default(),
            changed: Condvar::new(),
            limits: QueueLimits { frames: limits.frames.max(QueueLimits::MIN_FRAMES), ..limits },
            waker: Box::new(waker),
            stop: stop.clone(),
            shift: Arc::new(Timeshift::new(kept_packets)),
        });
        let theirs = Arc::clone(&shared);
        let handle = thread::Builder::new().name("histoscope-decode".to_owned()).spawn(move || {
            work(&theirs);
            theirs.lock().state = ThreadState::Finished;
            theirs.changed.notify_all();
        })?;
        Ok(Self { shared, stop, handle: Some(handle) })
    }

    /// Takes the next event, if there is one.
    #[must_use]
    pub fn try_recv(&self) -> Option<DecodeEvent> {
        let event = self.shared.lock().queue.take();
        if event.is_some() {
            self.shared.changed.notify_all();
        }
        event
    }

    /// Takes the next event about the source itself, opened or without a signal, ahead of waiting frames.
    #[must_use]
    pub fn take_source_event(&self) -> Option<DecodeEvent> {
        self.shared.lock().queue.take_source_event()
    }

    /// Waits for the next event; returns `None` if the timeout expires or the thread has ended.
    #[must_use]
    pub fn recv_timeout(&self, timeout: Duration) -> Option<DecodeEvent> {
        let deadline = Instant::now() + timeout;
        let mut exchange = self.shared.lock();
        loop {
            if let Some(event) = exchange.queue.take() {
                drop(exchange);
                self.shared.changed.notify_all();
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || exchange.state == ThreadState::Finished {
                return None;
            }
            exchange = self.shared.changed.wait_timeout(exchange, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Requests a seek. Frames after it carry `serial`; frames before it leave the queue immediately. A request that
    /// has not started yet is replaced. In a live source, [`SeekTarget::End`] leads to the newest frame and those that
    /// arrive after it; all other seeks lead to the stored packets, see [`kept_secs`](Self::kept_secs).
    pub fn seek(&self, serial: u64, seek: Seek) {
        let mut exchange = self.shared.lock();
        exchange.seek = Some((serial, seek));
        self.stop.set_request_waiting(true);
        // Frames are freed outside the lock.
        let stale = exchange.queue.drop_stale();
        exchange.live.select(serial, seek);
        drop(exchange);
        self.shared.changed.notify_all();
        drop(stale);
    }

    /// Requests another decoder, which takes over at the next [seek](Self::seek). Ignored by live sources.
    pub fn decode_with(&self, choice: HardwareChoice) {
        self.shared.lock().hardware = Some(choice);
    }

    /// Sets whether no more frames are needed for now: the picture on screen stays, and the next seek may lead
    /// elsewhere.
    pub fn set_idle(&self, is_idle: bool) {
        let was_idle = std::mem::replace(&mut self.shared.lock().is_idle, is_idle);
        if was_idle && !is_idle {
            self.shared.changed.notify_all();
        }
    }

    /// Returns the list that frames are numbered by. It is made in the background when seeks need it, and only if the
    /// packets of a file identify the frames; it is withdrawn if a frame contradicts it.
    #[must_use]
    pub fn frame_index(&self) -> Option<Arc<FrameIndex>> {
        self.shared.lock().list.adopted().cloned()
    }

    /// Returns the last seek and its serial if its frames may differ from those of decoding from the start, because the
    /// packets have since shown that the container is unreliable. Repeating the seek leads to the right frames.
    #[must_use]
    pub fn take_mistake(&self) -> Option<(u64, Seek)> {
        self.shared.lock().mistake.take()
    }

    /// Returns the start times of the oldest and newest frames of a live source that can still be decoded, in seconds
    /// from its first frame.
    #[must_use]
    pub fn kept_secs(&self) -> Option<(f64, f64)> {
        self.shared.shift.span_secs()
    }

    /// Returns the start and the end of each pause of more than half a second between stored frames of a live source,
    /// in seconds from its first frame.
    #[must_use]
    pub fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.shared.shift.gaps_secs()
    }

    /// Returns the number of live frames that newer ones have replaced before they were taken, since the last call.
    #[must_use]
    pub fn take_replaced(&self) -> u64 {
        std::mem::take(&mut self.shared.lock().replaced)
    }

    /// Returns the decoder's counters so far, and a sentence about the fault at the end of the file, if one is known.
    #[must_use]
    pub fn condition(&self) -> (FrameCounters, Option<String>) {
        let exchange = self.shared.lock();
        (exchange.counters, exchange.ending.clone())
    }
}

impl Drop for DecodeThread {
    fn drop(&mut self) {
        self.stop.stop();
        let mut exchange = self.shared.lock();
        if exchange.state == ThreadState::Running {
            exchange.state = ThreadState::Stopped;
        }
        self.shared.changed.notify_all();
        let deadline = Instant::now() + JOIN_LIMIT;
        while exchange.state != ThreadState::Finished {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                log::debug!("the decoding thread does not respond and is abandoned");
                return;
            }
            exchange = self.shared.changed.wait_timeout(exchange, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(exchange);
        if let Some(handle) = self.handle.take()
            && handle.join().is_err()
        {
            log::error!("the decoding thread panicked");
        }
    }
}

/// Decodes the next frame. Returns the frame, the end or the error as an event.
fn next_event(decoder: &mut Decoder, serial: u64) -> DecodeEvent {
    match decoder.next_frame() {
        Ok(Some(frame)) => DecodeEvent::Frame(frame),
        Ok(None) => DecodeEvent::EndOfStream { serial },
        Err(error) => DecodeEvent::Error { serial, error },
    }
}

/// A task for the thread.
enum Task {
    Learn(Listing),
    Seek(u64, Seek),
    Decode,
    Stop,
}

/// The thread's activity after a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextActivity {
    /// Decodes the frames that follow.
    Continue,
    /// Decodes the frames that follow, but not before that time unless they are needed.
    Later(Instant),
    /// Does nothing until the next seek.
    Idle,
}

impl ThreadShared {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        // The state is consistent between any two statements that change it, so a poisoned lock may be used.
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(self: &Arc<Self>, opened: Result<Decoder, MediaError>) {
        let mut decoder = match opened {
            Ok(decoder) => decoder,
            Err(error) => return self.push(DecodeEvent::Error { serial: 0, error }),
        };
        self.push(DecodeEvent::Opened(Arc::new(decoder.info().clone())));
        let ending = decoder.ending();
        self.lock().ending = ending.cut();
        if decoder.trust_container() {
            self.begin_listing(&decoder);
        }
        let mut serial = 0;
        let mut last = None;
        let mut afterwards = NextActivity::Continue;
        loop {
            match self.next_task(afterwards) {
                Task::Stop => return,
                Task::Learn(listing) => {
                    if decoder.learn(listing) {
                        afterwards = NextActivity::Idle;
                        self.lock().mistake = last.map(|seek| (serial, seek));
                        (self.waker)();
                    }
                }
                Task::Seek(new, seek) => {
                    serial = new;
                    last = Some(seek);
                    decoder.set_serial(serial);
                    let choice = self.lock().hardware.take();
                    if let Some(choice) = choice {
                        let switched = decoder.decode_with(choice).map(|()| Arc::new(decoder.info().clone()));
                        self.push(DecodeEvent::Switched(switched));
                    }
                    afterwards = self.seek(&mut decoder, serial, seek);
                }
                Task::Decode => {
                    let event = next_event(&mut decoder, serial);
                    afterwards = NextActivity::Idle;
                    match &event {
                        DecodeEvent::Frame(_) => afterwards = NextActivity::Continue,
                        DecodeEvent::EndOfStream { .. } => {
                            let counters = decoder.counters();
                            // After a seek, not all frames have been counted.
                            let frames = last.is_none().then_some(counters.delivered + counters.unusable);
                            let missing = decoder
                                .reached_secs()
                                .and_then(|secs| ending.missing(decoder.info(), (frames, secs), &counters));
                            let mut exchange = self.lock();
                            exchange.ending = missing.or(exchange.ending.take());
                        }
                        _ => {}
                    }
                    self.lock().counters = decoder.counters();
                    self.publish_list(&decoder);
                    self.push(event);
                }
            }
            self.publish_list(&decoder);
        }
    }

    /// Publishes which list frames are numbered by, if it has changed, before the frames that come after it.
    fn publish_list(&self, decoder: &Decoder) {
        let mut exchange = self.lock();
        if exchange.list.follow(decoder.adopted()) {
            drop(exchange);
            (self.waker)();
        }
    }

    /// Lists the file's packets on a separate thread, once.
    fn begin_listing(self: &Arc<Self>, decoder: &Decoder) {
        let Some(lister) = decoder.lister().filter(Lister::reads_file) else { return };
        match &mut self.lock().list {
            list @ FrameList::NotBegun => *list = FrameList::InProgress,
            _ => return,
        }
        let shared = Arc::clone(self);
        let list = move || {
            let listing = lister.list(|| !shared.stop.is_stopped()).unwrap_or(Listing::Unclear);
            shared.lock().list.finish(listing);
            shared.changed.notify_all();
        };
        if let Err(error) = thread::Builder::new().name("histoscope-list".to_owned()).spawn(list) {
            log::debug!("cannot start a thread to list the packets: {error}");
            self.lock().list.finish(Listing::Unclear);
        }
    }

    /// Carries out a seek up to its first frame, including the frames decoded on the way to it.
    fn seek(self: &Arc<Self>, decoder: &mut Decoder, serial: u64, seek: Seek) -> NextActivity {
        if let Seek::Back { target, budget } = seek {
            let before_ticks = if let SeekTarget::Before(ticks) = target { ticks } else { i64::MAX };
            self.push(match decoder.frames_back(target, budget) {
                Ok(frames) => DecodeEvent::Earlier { serial, before_ticks, frames },
                Err(error) => DecodeEvent::Error { serial, error },
            });
            return NextActivity::Idle;
        }
        if let Err(error) = decoder.seek_keeping(seek, KEPT) {
            let goes_on = matches!(error, MediaError { fault: MediaFault::NotSeekable, .. });
            self.push(DecodeEvent::Error { serial, error });
            return if goes_on { NextActivity::Continue } else { NextActivity::Idle };
        }
        let first = next_event(decoder, serial);
        let DecodeEvent::Frame(frame) = &first else {
            self.push(first);
            return NextActivity::Idle;
        };
        if frame.index.is_none() || matches!(seek, Seek::Towards(_)) {
            self.begin_listing(decoder);
        }
        let before_ticks = frame.pts_ticks;
        if !decoder.reads_kept() {
            self.lock().counters = decoder.counters();
            self.publish_list(decoder);
        }
        self.push(first);
        let frames = decoder.frames_passed(before_ticks);
        if !frames.is_empty() {
            self.push(DecodeEvent::Earlier { serial, before_ticks, frames });
        }
        match seek {
            Seek::Near(_) => NextActivity::Idle,
            Seek::Exact(_) => NextActivity::Later(Instant::now() + PAUSE),
            _ => NextActivity::Continue,
        }
    }

    /// Delivers live frames as they arrive, however slowly they are taken. Another thread decodes stored packets,
    /// wherever a seek leads.
    fn receive(self: &Arc<Self>, receiver: Receiver, options: &OpenOptions) {
        let receiver = receiver.keeping(&self.shift);
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("histoscope-look-back".to_owned());
            if let Err(error) = builder.spawn_scoped(scope, || self.look_back(options)) {
                log::warn!("cannot start a thread to look back: {error}");
            }
            self.hand_on(receiver);
            // The stored packets are of no more use: the other thread must not wait for a seek, or for packets that
            // will not arrive.
            let mut exchange = self.lock();
            if exchange.state == ThreadState::Running {
                exchange.state = ThreadState::Finished;
            }
            drop(exchange);
            self.stop.stop();
            self.changed.notify_all();
        });
    }

    fn hand_on(&self, mut receiver: Receiver) {
        let mut last_signal = None;
        while self.lock().state == ThreadState::Running {
            let event = match receiver.wait() {
                Ok(Reception::Frame(frame)) => {
                    let mut exchange = self.lock();
                    if let Some(decoder) = receiver.decoder() {
                        exchange.counters = decoder.counters();
                    }
                    let (frame, before) = exchange.live.pass(frame);
                    // Frames are freed outside the lock.
                    drop(exchange);
                    drop(before);
                    let Some(frame) = frame else { continue };
                    DecodeEvent::Frame(frame)
                }
                Ok(Reception::Opened(info)) => {
                    last_signal = None;
                    DecodeEvent::Opened(info)
                }
                Ok(Reception::NoSignal(signal)) if last_signal.as_ref() == Some(&signal) => continue,
                Ok(Reception::NoSignal(signal)) => DecodeEvent::NoSignal(last_signal.insert(signal).clone()),
                Err(error) => return self.push(DecodeEvent::Error { serial: 0, error }),
            };
            if matches!(event, DecodeEvent::Frame(_)) {
                self.make_room();
            }
            self.push(event);
        }
    }

    /// Frees the oldest frames of a live source until there is room for another.
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

    /// Decodes stored packets, wherever a seek leads.
    fn look_back(self: &Arc<Self>, options: &OpenOptions) {
        let mut decoder: Option<Decoder> = None;
        let mut serial = 0;
        let mut afterwards = NextActivity::Idle;
        loop {
            let task = self.next_task(afterwards);
            afterwards = NextActivity::Idle;
            match task {
                Task::Stop => return,
                Task::Learn(_) => {}
                Task::Seek(_, Seek::Exact(SeekTarget::End)) => {
                    let newest = self.lock().live.newest();
                    if let Some(frame) = newest {
                        self.push(DecodeEvent::Frame(frame));
                    }
                }
                Task::Seek(new, seek) => {
                    serial = new;
                    decoder = decoder.or_else(|| Decoder::from_stored(&self.shift, options, &self.stop));
                    match &mut decoder {
                        Some(decoder) => {
                            decoder.set_serial(serial);
                            afterwards = self.seek(decoder, serial, seek);
                        }
                        None => self.push(DecodeEvent::EndOfStream { serial }),
                    }
                }
                Task::Decode => {
                    let Some(decoder) = &mut decoder else { continue };
                    let event = next_event(decoder, serial);
                    if matches!(event, DecodeEvent::Frame(_)) {
                        afterwards = NextActivity::Continue;
                    }
                    self.push(event);
                }
            }
        }
    }

    /// Waits for a task: a request, or room in the queue.
    fn next_task(&self, afterwards: NextActivity) -> Task {
        let mut exchange = self.lock();
        loop {
            if exchange.state != ThreadState::Running {
                return Task::Stop;
            }
            if let Some((serial, seek)) = exchange.seek.take() {
                self.stop.set_request_waiting(false);
                return Task::Seek(serial, seek);
            }
            if let Some(listing) = exchange.list.take_done() {
                return Task::Learn(listing);
            }
            let left = match afterwards {
                NextActivity::Later(at) if exchange.is_idle => at.saturating_duration_since(Instant::now()),
                NextActivity::Continue | NextActivity::Later(_) => Duration::ZERO,
                NextActivity::Idle => Duration::MAX,
            };
            if left.is_zero() && exchange.queue.has_room(self.limits) {
                return Task::Decode;
            }
            exchange = if left.is_zero() || left == Duration::MAX {
                self.changed.wait(exchange).unwrap_or_else(PoisonError::into_inner)
            } else {
                self.changed.wait_timeout(exchange, left).unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }

    /// Queues an event, unless a newer seek has made it stale.
    fn push(&self, event: DecodeEvent) {
        let mut exchange = self.lock();
        let is_stale = exchange.seek.is_some() && event.is_of_a_seek();
        if exchange.state != ThreadState::Running || is_stale {
            return;
        }
        exchange.queue.push(event);
        drop(exchange);
        self.changed.notify_all();
        (self.waker)();
    }
}
