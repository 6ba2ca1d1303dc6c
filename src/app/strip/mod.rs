//! The clip as a strip behind the timeline: [`Filling`] counts it, [`Cache`] keeps it, and [`ClipStrip`] has both follow the video on
//! screen.

mod cache;
mod filler;
mod gate;

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::session::Session;
use crate::media::OpenOptions;
use crate::strip::{Sought, Strip};
use cache::Cache;
use filler::{Filling, Subject};
use gate::Pacer;

/// How often a strip that is being filled is drawn anew.
const INTERVAL: Duration = Duration::from_millis(500);

/// How much of the clip is shown behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripSize {
    /// A strip as high as the timeline.
    #[default]
    Small,
    /// A tall one.
    Tall,
    /// None, and nothing is counted for it.
    Off,
}

impl StripSize {
    /// The one that its key leads to.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Small => Self::Tall,
            Self::Tall => Self::Off,
            Self::Off => Self::Small,
        }
    }

    /// What is said of it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Small => "the clip behind the timeline: small",
            Self::Tall => "the clip behind the timeline: tall",
            Self::Off => "the clip behind the timeline: off",
        }
    }
}

/// The strip of the video on screen.
pub struct ClipStrip {
    /// How much of it is shown.
    pub size: StripSize,
    /// Which findings are shown and gone to.
    pub sought: Sought,
    open: OpenOptions,
    cache: Option<Cache>,
    state: State,
    pacer: Pacer,
    /// What was drawn last, by the strip's number of changes, and when.
    drawn: (u64, Option<Instant>),
}

enum State {
    Nothing,
    Filling(Filling),
    /// There is none to be had.
    Without(Subject),
}

impl ClipStrip {
    /// No strip yet of videos that are opened so, and whether strips are kept from one run to the next.
    #[must_use]
    pub fn new(size: StripSize, open: OpenOptions, is_kept: bool) -> Self {
        let cache = if is_kept { Cache::of_platform() } else { None };
        Self {
            size,
            sought: Sought::default(),
            open,
            cache,
            state: State::Nothing,
            pacer: Pacer::default(),
            drawn: (0, None),
        }
    }

    /// Forgets the strip: another video has come.
    pub fn forget(&mut self) {
        self.state = State::Nothing;
        self.pacer = Pacer::default();
        self.drawn = (0, None);
    }

    /// Follows the video on screen: begins to fill its strip, and says when that may go on.
    pub fn follow(&mut self, session: &Session, now: Instant) {
        if self.size == StripSize::Off {
            self.forget();
            return;
        }
        let (matrix, range) = session.reading();
        let open =
            OpenOptions { matrix: matrix.or(self.open.matrix), range: range.or(self.open.range), ..self.open.clone() };
        let subject = Subject { path: session.input.clone(), open };
        let is_known = match &self.state {
            State::Nothing => false,
            State::Filling(filling) => *filling.subject() == subject,
            State::Without(without) => *without == subject,
        };
        if !is_known {
            self.forget();
            self.state = self.begin(subject, session);
        }
        if let State::Filling(filling) = &self.state {
            filling.set_pace(self.pacer.pace(&session.player, now));
        }
    }

    /// Begins to fill a strip, if there is to be one: of a plain file, since others cannot be read a second time, whose length is known,
    /// and that is more than a picture.
    fn begin(&self, subject: Subject, session: &Session) -> State {
        let length = session.info.duration_secs.filter(|_| !session.info.still && subject.path.is_file());
        let Some(empty) = length.and_then(Strip::new) else { return State::Without(subject) };
        match Filling::start(subject.clone(), empty, self.cache.clone()) {
            Ok(filling) => State::Filling(filling),
            Err(error) => {
                log::warn!("the clip is not counted for the timeline: {error}");
                State::Without(subject)
            }
        }
    }

    /// The strip, as far as it is known.
    #[must_use]
    pub fn strip(&self) -> Option<MutexGuard<'_, Strip>> {
        if let State::Filling(filling) = &self.state { Some(filling.strip()) } else { None }
    }

    /// Whether it is to be drawn anew where it is on screen, and when to look again.
    pub fn news(&mut self, now: Instant) -> (bool, Option<Instant>) {
        let Some((changes, is_complete)) = self.strip().map(|strip| (strip.changes(), strip.is_complete())) else {
            return (false, None);
        };
        let (drawn, at) = self.drawn;
        let due = at.map_or(now, |at| at + INTERVAL);
        if changes != drawn && due <= now {
            self.drawn = (changes, Some(now));
            return (true, (!is_complete).then_some(now + INTERVAL));
        }
        let is_settled = is_complete && changes == drawn;
        (false, (!is_settled).then(|| due.max(now + INTERVAL / 5)))
    }
}
