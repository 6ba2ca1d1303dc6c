//! The sound of the video: a thread decodes it ahead, the desktop plays it, and the pictures follow what is heard.

mod feeder;
mod meters;
mod orders;
mod output;
mod queue;

use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use histoscope_media::playback::Player;
use histoscope_media::{AudioTrack, MediaFault, OpenOptions, StreamInfo};
use serde::{Deserialize, Serialize};

pub use meters::{MeterNews, Meters};
use orders::{Heard, Shared};
use queue::SoundQueue;

/// Difference between what is heard and what is seen above which the sound is positioned again, in seconds.
const APART_SECS: f64 = 0.1;
/// A change of the offset of another clip that is heard, in seconds.
const SHIFTED_SECS: f64 = 0.02;

/// The volume, kept between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Volume {
    /// In percent, from 0 to 100.
    pub percent: u32,
    /// `true` if nothing is heard.
    pub is_muted: bool,
}

impl Default for Volume {
    fn default() -> Self {
        Self { percent: 100, is_muted: false }
    }
}

impl Volume {
    /// Returns the factor for samples: the cube, so that equal steps sound about equal, as in mpv.
    fn gain(self) -> f32 {
        if self.is_muted { 0.0 } else { (self.percent.min(100) as f32 / 100.0).powi(3) }
    }
}

/// A choice of sound track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackChoice {
    /// The default one of the file, or else its first.
    #[default]
    Usual,
    /// The one of this number, counted from 1.
    Number(u32),
    /// None.
    No,
}

/// The options of the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoundOptions {
    /// `true` if the device may be used.
    pub is_possible: bool,
    /// The track of every video.
    pub track: TrackChoice,
    /// The volume in percent, unless it is that of the last run.
    pub percent: Option<u32>,
    /// Whether nothing is heard, unless it is as in the last run.
    pub is_muted: Option<bool>,
}

/// The sound of the video on screen.
pub struct Sound {
    shared: Arc<Shared>,
    /// Started with the first track that is played. Without sound for a whole run, it never is.
    thread: Option<JoinHandle<()>>,
    /// `false` where time is not real.
    is_possible: bool,
    volume: Volume,
    choice: TrackChoice,
    /// How videos are opened.
    open: OpenOptions,
    video: Option<Arc<StreamInfo>>,
    track: Option<usize>,
    /// The clip that is heard instead of the video, and by how much its times are greater, in seconds.
    other: Option<(Arc<StreamInfo>, f64)>,
    /// The tracks, in words.
    names: Vec<String>,
    is_aimed: bool,
    /// How often the device has waited for sound.
    underruns: u64,
}

impl Sound {
    /// Creates the sound of a window without a video, with the volume of the last run.
    #[must_use]
    pub fn new(options: SoundOptions, last: Volume, open: OpenOptions) -> Self {
        let SoundOptions { is_possible, track: choice, percent, is_muted } = options;
        let volume = Volume { percent: percent.unwrap_or(last.percent), is_muted: is_muted.unwrap_or(last.is_muted) };
        let queue = Arc::new(Mutex::new(SoundQueue::new(volume.gain())));
        let shared = Arc::new(Shared { queue, orders: Mutex::default(), bell: Condvar::new() });
        Self {
            shared,
            thread: None,
            is_possible,
            volume,
            choice,
            open,
            video: None,
            track: None,
            other: None,
            names: Vec::new(),
            is_aimed: false,
            underruns: 0,
        }
    }

    /// Returns the volume.
    #[must_use]
    pub const fn volume(&self) -> Volume {
        self.volume
    }

    /// Sets the volume, and returns it in words.
    pub fn set_volume(&mut self, volume: Volume) -> String {
        self.volume = volume;
        self.shared.queue().set_gain(volume.gain());
        if volume.is_muted { "sound off".to_owned() } else { format!("volume {} %", volume.percent) }
    }

    /// Returns the sound tracks of the video, in words, and the index of the one that is played.
    #[must_use]
    pub fn tracks(&self) -> (&[String], Option<usize>) {
        (&self.names, self.track)
    }

    /// Takes over the sound of the video on screen, unless it is known. Returns what is wrong with the choice of
    /// track, if anything.
    pub fn take_over(&mut self, info: &Arc<StreamInfo>) -> Option<String> {
        let is_known = self.video.as_ref().is_some_and(|known| {
            Arc::ptr_eq(known, info)
                || (&known.path, &known.audio, known.start_ticks, known.time_base, &known.tap)
                    == (&info.path, &info.audio, info.start_ticks, info.time_base, &info.tap)
        });
        if is_known {
            return None;
        }
        let count = info.audio.len();
        let usual = AudioTrack::usual(&info.audio);
        let (track, complaint) = match self.choice {
            TrackChoice::No => (None, None),
            TrackChoice::Usual => (usual, None),
            TrackChoice::Number(number) => {
                let chosen = (number as usize).checked_sub(1).filter(|track| *track < count);
                let fault = || MediaFault::NoSuchAudioTrack { track: number, tracks: count }.to_string();
                (chosen.or(usual), chosen.is_none().then(fault))
            }
        };
        self.names = info.audio.iter().map(ToString::to_string).collect();
        self.video = Some(Arc::clone(info));
        self.play_track(track);
        complaint
    }

    /// Plays the track of this number, counted from 1. Returns what is played then, in words.
    pub fn choose_track(&mut self, number: u32) -> String {
        self.choice = TrackChoice::Number(number);
        self.play_track((number as usize).checked_sub(1).filter(|track| *track < self.tracks().0.len()));
        self.track_text()
    }

    /// Plays the next track; after the last one, none. Returns what is played then, in words.
    pub fn next_track(&mut self) -> String {
        let count = self.tracks().0.len();
        let next = self.track.map_or(0, |track| track + 1);
        self.choice = if next < count { TrackChoice::Number(next as u32 + 1) } else { TrackChoice::No };
        self.play_track((next < count).then_some(next));
        self.track_text()
    }

    /// Plays the sound of another clip, whose times are greater by so many seconds, or that of the video.
    pub fn hear(&mut self, other: Option<(&Arc<StreamInfo>, Option<f64>)>) {
        let is_known = match (&self.other, other) {
            (Some((known, since)), Some((info, now))) => {
                Arc::ptr_eq(known, info) && now.is_none_or(|now| (now - since).abs() < SHIFTED_SECS)
            }
            (known, other) => known.is_none() && other.is_none(),
        };
        if !is_known {
            self.other = other.map(|(info, later_secs)| (Arc::clone(info), later_secs.unwrap_or(0.0)));
            self.play_track(self.track);
        }
    }

    fn track_text(&self) -> String {
        let count = self.tracks().0.len();
        match (self.track.and_then(|track| Some((track, self.tracks().0.get(track)?))), count) {
            (_, 0) => "the video has no sound".to_owned(),
            (None, _) => "no sound".to_owned(),
            (Some((track, playing)), count) => format!("sound track {} of {count}: {playing}", track + 1),
        }
    }

    /// Plays a track of the video from where the pictures are, or none.
    fn play_track(&mut self, track: Option<usize>) {
        self.track = track;
        let Some(video) = &self.video else { return };
        let (info, track, later_secs) = match &self.other {
            Some((other, later_secs)) => (other, AudioTrack::usual(&other.audio), *later_secs),
            None => (video, track, 0.0),
        };
        let heard = track.filter(|_| self.is_possible);
        let heard = heard.map(|track| Heard { info: Arc::clone(info), options: self.open.clone(), track, later_secs });
        let has_sound = heard.is_some();
        {
            let mut orders = self.shared.orders();
            orders.heard = heard;
            orders.version += 1;
            orders.complaint = None;
            self.shared.queue().aim(None);
            self.is_aimed = false;
        }
        if has_sound && self.thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let started =
                std::thread::Builder::new().name("histoscope-sound".to_owned()).spawn(move || feeder::run(&shared));
            self.thread = started.map_err(|error| log::warn!("the sound cannot be played: {error}")).ok();
        }
        self.shared.bell.notify_all();
    }

    /// Keeps sound and pictures together. Returns what has gone wrong, in words.
    pub fn follow(&mut self, player: &mut Player, now: Instant) -> Option<String> {
        self.thread.as_ref()?;
        let mut queue = self.shared.queue();
        if player.is_live() {
            // Sound that comes later than its pictures makes them wait, unless nobody hears it.
            if self.track.is_none() || self.volume.is_muted {
                player.release();
            } else if let late @ 0.001.. = queue.take_late_secs() {
                player.hold_back(late, now);
            }
        }
        let Some(secs) = player.sounding_secs(now) else {
            queue.aim(None);
            self.is_aimed = false;
            return None;
        };
        let heard = queue.heard_secs(now);
        if std::mem::replace(&mut self.underruns, queue.underruns()) != queue.underruns() {
            log::debug!("sound: the device waited");
        }
        let is_together = heard.is_some_and(|heard| (heard - secs).abs() <= APART_SECS);
        if let Some(heard) = heard.filter(|_| is_together) {
            player.follow(heard, now);
        } else if heard.is_some() || !queue.reaches(secs) {
            queue.restart(secs);
            drop(queue);
            self.shared.orders().restart = Some(secs);
            queue = self.shared.queue();
            self.is_aimed = false;
        }
        queue.aim(Some((now, secs)));
        drop(queue);
        let mut orders = self.shared.orders();
        if !std::mem::replace(&mut self.is_aimed, true) {
            self.shared.bell.notify_all();
        }
        orders.complaint.take()
    }
}

impl Drop for Sound {
    fn drop(&mut self) {
        self.shared.orders().is_quitting = true;
        self.shared.bell.notify_all();
    }
}
