//! The thread that decodes sound ahead and looks after the device.

use std::time::{Duration, Instant};

use histoscope_media::{MediaError, SoundBlock, SoundForm, SoundReader};

use super::orders::{Heard, Shared};
use super::output::{Output, quiet};
use super::queue::CHANNELS;

/// How long to wait before looking for a device again.
const RETRY: Duration = Duration::from_secs(5);
/// How long the device goes on while nothing is heard.
const LINGER: Duration = Duration::from_secs(2);
/// How often the queue is looked after while it is played.
const ROUND: Duration = Duration::from_millis(50);
/// The same for a live source, whose sound is wanted as soon as it is there.
const LIVE_ROUND: Duration = Duration::from_millis(10);

/// What the thread works with.
#[derive(Default)]
struct Feeder {
    output: Option<Output>,
    /// When a device was last looked for in vain.
    missed_at: Option<Instant>,
    /// The version of the track, the samples per second, and the track.
    reader: Option<(u64, u32, SoundReader)>,
    /// The version of the track that cannot be played.
    failed: Option<u64>,
    /// Since when nothing is to be heard.
    silent_since: Option<Instant>,
    /// Where to go on, in seconds, once there is a device.
    restart: Option<f64>,
}

/// Serves the window until it is gone.
pub fn run(shared: &Shared) {
    quiet();
    let mut feeder = Feeder::default();
    loop {
        let (heard, version) = {
            let mut orders = shared.orders();
            if orders.is_quitting {
                return;
            }
            feeder.restart = orders.restart.take().or(feeder.restart);
            (orders.heard.clone(), orders.version)
        };
        let pause = match heard {
            Some(heard) if feeder.failed != Some(version) => feeder.serve(shared, &heard, version),
            _ => {
                (feeder.reader, feeder.output, feeder.silent_since) = (None, None, None);
                None
            }
        };
        if pause == Some(Duration::ZERO) {
            continue;
        }
        let orders = shared.orders();
        // The window rings while it holds this lock, so that what it asks from here on is heard.
        let is_asked = feeder.silent_since.is_some() && !shared.queue().is_silent();
        if is_asked || orders.version != version || orders.restart.is_some() || orders.is_quitting {
            continue;
        }
        // A poisoned lock ends nothing here: what the other thread did is read anew.
        let _ = shared.bell.wait_timeout(orders, pause.unwrap_or(Duration::MAX));
    }
}

impl Feeder {
    /// Does what is due. Returns how long to wait then; `None` until the window rings.
    fn serve(&mut self, shared: &Shared, heard: &Heard, version: u64) -> Option<Duration> {
        let now = Instant::now();
        let is_silent = shared.queue().is_silent();
        self.silent_since = if is_silent { self.silent_since.or(Some(now)) } else { None };
        if is_silent && self.output.is_none() {
            return None;
        }
        if self.output.as_ref().is_some_and(Output::is_lost) {
            // Another one may have another rate.
            (self.output, self.reader) = (None, None);
        }
        if self.output.is_none() {
            if self.missed_at.is_some_and(|missed_at| now < missed_at + RETRY) {
                return Some(RETRY);
            }
            self.output = Output::open(&shared.queue);
            self.missed_at = self.output.is_none().then(Instant::now);
        }
        let Some(output) = &mut self.output else { return Some(RETRY) };
        let is_lingering = self.silent_since.is_none_or(|since| now < since + LINGER);
        output.play(is_lingering);
        let rate = output.rate;
        match self.feed(shared, heard, (version, rate)) {
            Ok(true) => Some(Duration::ZERO),
            Ok(false) if !is_silent => Some(if heard.info.live { LIVE_ROUND } else { ROUND }),
            Ok(false) => is_lingering.then_some(LINGER),
            Err(error) => {
                log::debug!("sound: {error}");
                self.failed = Some(version);
                shared.orders().complaint = Some(format!("no sound: {error}"));
                Some(Duration::ZERO)
            }
        }
    }

    /// Decodes a piece of sound if one is of use. Returns `true` if more may be.
    fn feed(&mut self, shared: &Shared, heard: &Heard, (version, rate): (u64, u32)) -> Result<bool, MediaError> {
        let is_open = self.reader.as_ref().is_some_and(|(of, with, _)| (*of, *with) == (version, rate));
        let mut restart = self.restart.take();
        if !is_open {
            let form = SoundForm { rate: Some(rate), channels: Some(CHANNELS) };
            let reader = SoundReader::open(&heard.info, &heard.options, heard.track, form)?;
            self.reader = Some((version, rate, reader));
            let secs = shared.queue().set_rate(rate, Instant::now());
            restart = Some(restart.unwrap_or(secs));
        }
        let Some((.., reader)) = &mut self.reader else { return Ok(false) };
        if let Some(secs) = restart {
            reader.seek(secs + heard.later_secs)?;
            shared.queue().restart(secs);
        }
        {
            let mut queue = shared.queue();
            if !queue.wants_sound() {
                return Ok(false);
            }
            if queue.is_waiting() {
                queue.push_waiting();
                return Ok(true);
            }
        }
        let block = reader.read()?.map(|block| SoundBlock { start_secs: block.start_secs - heard.later_secs, ..block });
        if block.is_none() && heard.info.live {
            return Ok(false);
        }
        // The window may have asked for another place meanwhile.
        let orders = shared.orders();
        if orders.version == version && orders.restart.is_none() {
            shared.queue().push(block);
        }
        Ok(true)
    }
}
