//! What the window and the thread that decodes sound tell each other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use histoscope_media::{OpenOptions, StreamInfo};

use super::queue::SoundQueue;

/// What is to be heard.
#[derive(Clone)]
pub struct Heard {
    /// The video.
    pub info: Arc<StreamInfo>,
    /// How it was opened.
    pub options: OpenOptions,
    /// The track, from 0.
    pub track: usize,
    /// By how much its times are greater than those of the pictures, in seconds.
    pub later_secs: f64,
}

/// What the window asks of the thread, and what the thread answers.
#[derive(Default)]
pub struct Orders {
    /// What is to be heard.
    pub heard: Option<Heard>,
    /// Changes with each track.
    pub version: u64,
    /// Where to go on, in seconds.
    pub restart: Option<f64>,
    /// `true` once the window is gone.
    pub is_quitting: bool,
    /// What has gone wrong, in words.
    pub complaint: Option<String>,
}

/// What both have.
pub struct Shared {
    /// The sound on its way.
    pub queue: Arc<Mutex<SoundQueue>>,
    /// What is asked and answered.
    pub orders: Mutex<Orders>,
    /// Rung when something has been asked.
    pub bell: Condvar,
}

impl Shared {
    /// Returns the queue.
    pub fn queue(&self) -> MutexGuard<'_, SoundQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is asked and answered.
    pub fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
