//! The decoding thread and the player together, driven as by the window.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use histoscope_core::picture::{Frame, Ratio};
use histoscope_media::playback::{Player, PlayerOptions, SeekRequest, SourceEvent, send, take_events};
use histoscope_media::{DecodeEvent, DecodeThread, MediaError, OpenOptions, QueueLimits, StreamInfo};

/// Longer than anything here takes.
const SOON: Duration = Duration::from_secs(30);

/// An open video and its player.
pub struct Session {
    pub media: DecodeThread,
    pub player: Player,
    pub info: Arc<StreamInfo>,
    /// Returns the frame on screen.
    pub frame: Option<Frame>,
    pub errors: Vec<MediaError>,
    woken: Receiver<()>,
}

impl Session {
    /// Opens a file, paused, and waits for its first frame.
    pub fn paused(path: &Path) -> Self {
        Self::with(path, |_| {})
    }

    /// Opens a file with other options, and waits for its first frame.
    pub fn with(path: &Path, change: impl FnOnce(&mut PlayerOptions)) -> Self {
        let (wake, woken) = channel();
        let waker = move || {
            let _ = wake.send(());
        };
        let media = DecodeThread::open(path, OpenOptions::default(), QueueLimits::default(), waker).expect("a thread");
        let info = match media.recv_timeout(SOON) {
            Some(DecodeEvent::Opened(info)) => info,
            other => panic!("{other:?} instead of an open file"),
        };
        let mut options = PlayerOptions {
            duration_secs: info.duration_secs,
            paused: true,
            frame_rate: info.constant_rate().map(Ratio::value),
            seekable: info.seekable,
            ..PlayerOptions::default()
        };
        change(&mut options);
        let player = Player::new(options);
        let mut session = Self { media, player, info, frame: None, errors: Vec::new(), woken };
        session.finish();
        session
    }

    /// Takes decoded frames and does what is due at `now`. Returns the frame that went on screen.
    pub fn tick(&mut self, now: Instant) -> Option<Frame> {
        let errors = &mut self.errors;
        take_events(&mut self.player, &self.media, now, |news| {
            if let SourceEvent::Error(error) = news {
                errors.push(error);
            }
        });
        let tick = self.player.tick(now);
        send(&self.media, tick.seek);
        if tick.show.is_some() {
            self.frame.clone_from(&tick.show);
        }
        tick.show
    }

    /// Waits until something was decoded, or for `most`.
    pub fn wait(&self, most: Duration) {
        let _ = self.woken.recv_timeout(most);
    }

    /// Waits until everything requested is on screen.
    pub fn finish(&mut self) {
        let deadline = Instant::now() + SOON;
        loop {
            let shown = self.tick(Instant::now());
            if !self.player.is_busy() {
                return;
            }
            assert!(Instant::now() < deadline, "{}: still busy: {:?}", self.info.path.display(), self.player);
            if shown.is_none() {
                self.wait(Duration::from_millis(5));
            }
        }
    }

    /// Requests a frame and waits until it is on screen.
    pub fn go(&mut self, ask: impl FnOnce(&mut Player) -> Option<SeekRequest>) -> &Frame {
        let request = ask(&mut self.player);
        send(&self.media, request);
        self.finish();
        self.frame()
    }

    /// Steps one frame.
    pub fn step(&mut self, forward: bool) -> &Frame {
        self.go(|player| player.step(forward, Instant::now()))
    }

    /// Shows the frame at a time.
    pub fn seek(&mut self, secs: f64) -> &Frame {
        self.go(|player| player.seek_to(secs))
    }

    /// Returns the frame on screen.
    pub fn frame(&self) -> &Frame {
        self.frame.as_ref().expect("a frame is on screen")
    }
}
