//! Frames that are held as references: what is on screen is compared with one of them, by outlines over its histograms, by its
//! numbers, and by showing both in turn.

use std::sync::Arc;

use crate::adjust::Adjustments;
use crate::engine::{Counter, Engine, EngineError};
use crate::histogram::{Components, Cumulative, Histogram};
use crate::picture::Frame;
use crate::picture::region::Rect;
use crate::text::timecode;
use crate::view::region;
use crate::view::scene::{Counted, Left, Scene};

/// The most that are held. The oldest is let go of for a further one.
pub const MOST: usize = 4;

/// A frame that is held, and what was counted of it when it was.
#[derive(Debug)]
pub struct Held {
    /// Its file and its time.
    pub title: String,
    /// The same, and what of it was counted.
    pub name: String,
    /// The frame, read as it was then.
    pub frame: Frame,
    rgbl: Bins,
    /// Of a picture that has coded components.
    coded: Option<Bins>,
}

/// Bins, and their sums.
#[derive(Debug)]
struct Bins {
    histogram: Arc<Histogram>,
    sums: Cumulative,
}

impl Held {
    /// Holds a frame of a file: counts what the histograms show filled, by whoever counts here, and the coded components.
    ///
    /// # Errors
    /// [`EngineError`] if the adapter fails.
    pub fn new(
        engine: &Engine,
        file: &str,
        frame: Frame,
        (scene, region): (&Scene, Option<Rect>),
    ) -> Result<Self, EngineError> {
        let is_adjusted = scene.counted_in(Components::Rgbl) != Counted::Source;
        let adjustments = if is_adjusted { scene.adjustments } else { Adjustments::default() };
        let count = |components: &[Components], adjustments| count(engine, &frame, region, (components, adjustments));
        let mut kinds = vec![Components::Rgbl];
        kinds.extend(frame.picture.has_coded_components().then_some(Components::YCbCr));
        // Code values are those of the source, whatever is made of it.
        let mut bins = if is_adjusted {
            let mut bins = count(&kinds[..1], adjustments)?;
            bins.extend(count(&kinds[1..], Adjustments::default())?);
            bins.into_iter()
        } else {
            count(&kinds, Adjustments::default())?.into_iter()
        };
        let (rgbl, coded) = (bins.next().ok_or(EngineError::Uncounted)?, bins.next());
        let part = region.map(|rect| format!(", region {}", region::text(rect)));
        let made = is_adjusted.then(|| format!(", {adjustments}"));
        let title = format!("{file} {}", timecode(frame.time_secs));
        let name = [Some(title.clone()), part, made].into_iter().flatten().collect();
        Ok(Self { title, name, frame, rgbl, coded })
    }

    fn bins(&self, components: Components) -> Option<&Bins> {
        match components {
            Components::Rgbl => Some(&self.rgbl),
            Components::YCbCr => self.coded.as_ref(),
        }
    }

    /// What was counted of these components; nothing where the picture has none.
    #[must_use]
    pub fn histogram(&self, components: Components) -> Option<&Arc<Histogram>> {
        Some(&self.bins(components)?.histogram)
    }

    /// The same, summed up.
    #[must_use]
    pub fn sums(&self, components: Components) -> Option<&Cumulative> {
        Some(&self.bins(components)?.sums)
    }
}

/// The bins of each of these components; all of them, or an error.
fn count(
    engine: &Engine,
    frame: &Frame,
    region: Option<Rect>,
    (components, adjustments): (&[Components], Adjustments),
) -> Result<Vec<Bins>, EngineError> {
    if components.is_empty() {
        return Ok(Vec::new());
    }
    let mut counter = Counter::new(engine, components, adjustments);
    counter.submit(&frame.picture, region)?;
    let histograms = counter.take()?.map(|counts| counts.histograms).filter(|all| all.len() == components.len());
    let bins = |histogram: Histogram| Bins { sums: histogram.cumulative(), histogram: Arc::new(histogram) };
    Ok(histograms.ok_or(EngineError::Uncounted)?.into_iter().map(bins).collect())
}

/// What is on screen.
#[derive(Debug, Default)]
enum OnScreen {
    /// The video.
    #[default]
    Live,
    /// The frame that is held and chosen, in the place of this one of the video.
    Held(Box<Frame>),
}

/// What has come of asking to hold a frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is held; the name of the one that was let go of for it, if one was.
    Held(Option<String>),
    /// It was held already, and is let go of.
    LetGo,
}

/// The frames that are held, the oldest first, and which of them is chosen.
#[derive(Debug, Default)]
pub struct References {
    all: Vec<Held>,
    chosen: usize,
    on_screen: OnScreen,
}

impl References {
    /// The one that is compared with.
    #[must_use]
    pub fn chosen(&self) -> Option<&Held> {
        self.all.get(self.chosen)
    }

    /// Which one that is.
    #[must_use]
    pub const fn place(&self) -> usize {
        self.chosen
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|held| held.name.as_str())
    }

    /// The one whose bins are drawn as outlines; none while it is itself on screen.
    #[must_use]
    pub fn outlined(&self) -> Option<&Held> {
        self.chosen().filter(|_| !self.is_shown())
    }

    /// The same, where these components were counted of it.
    #[must_use]
    pub fn outlined_in(&self, components: Components) -> Option<&Held> {
        self.outlined().filter(|held| held.bins(components).is_some())
    }

    /// What the divider shows at its left: the one that is chosen, unless it is itself on screen, or else the source.
    #[must_use]
    pub fn left(&self) -> Left {
        if self.outlined().is_some() { Left::Held } else { Left::Source }
    }

    /// Whether the one that is chosen is on screen, in the place of the video.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        matches!(self.on_screen, OnScreen::Held(_))
    }

    /// Holds a frame and chooses it, or lets go of it where just that is held.
    pub fn take(&mut self, frame: Held) -> Taken {
        let is_same = |held: &Held| held.name == frame.name && held.rgbl.histogram == frame.rgbl.histogram;
        if let Some(place) = self.all.iter().position(is_same) {
            self.let_go(place);
            return Taken::LetGo;
        }
        let oldest = (self.all.len() >= MOST).then(|| self.all.remove(0).name);
        self.chosen = self.all.len();
        self.all.push(frame);
        Taken::Held(oldest)
    }

    /// Lets go of the one at a place.
    fn let_go(&mut self, place: usize) {
        self.all.remove(place);
        // The newest of the others is compared with now.
        self.chosen = self.all.len().saturating_sub(1);
    }

    /// Lets go of the one that is chosen; its name.
    pub fn let_go_of_chosen(&mut self) -> Option<String> {
        let name = self.chosen()?.name.clone();
        self.let_go(self.chosen);
        Some(name)
    }

    /// Compares with the one at a place from now on.
    pub fn choose(&mut self, place: usize) {
        self.chosen = place.min(self.all.len().saturating_sub(1));
    }

    /// Puts the one that is chosen in the place of a frame of the video; what is on screen then. Nothing where none is held.
    pub fn show(&mut self, live: Frame) -> Option<Frame> {
        let held = self.chosen()?.frame.clone();
        self.on_screen = OnScreen::Held(Box::new(live));
        Some(held)
    }

    /// Goes back to the video; its frame, where that was not on screen.
    pub fn back(&mut self) -> Option<Frame> {
        match std::mem::take(&mut self.on_screen) {
            OnScreen::Live => None,
            OnScreen::Held(live) => Some(*live),
        }
    }

    /// Notes a frame of the video that is due while another one is shown; gives it back where it is to be shown itself.
    pub fn pass(&mut self, frame: Frame) -> Option<Frame> {
        match &mut self.on_screen {
            OnScreen::Live => Some(frame),
            OnScreen::Held(live) => {
                **live = frame;
                None
            }
        }
    }
}
