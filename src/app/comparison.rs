//! What the frame on screen is compared with, by outlines over its histograms, by its numbers, by showing both in turn and side by side:
//! a frame that is held, or the frame of a second clip that plays in step.

use std::collections::VecDeque;
use std::sync::Arc;

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Cumulative, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;
use histoscope_core::text::time_text;
use histoscope_render::engine::{Counter, Engine, EngineError};
use histoscope_render::view::region;
use histoscope_render::view::scene::{Counted, Other, Scene};

/// The most that are held. The oldest is let go of for a further one.
pub const MOST: usize = 4;
/// So many frames of a clip that plays in step are remembered by their numbers: an adapter's come some frames later.
const MOST_EARLIER: usize = 8;

/// A frame to compare with, and what was counted of it.
#[derive(Debug)]
pub struct Reference {
    /// Its file and its time.
    pub title: String,
    /// The same, and what of it was counted.
    pub name: String,
    /// The frame, read as it was then.
    pub frame: Frame,
    /// Of the components that were counted.
    rgbl: Option<HeldBins>,
    /// Of a picture that has coded components.
    coded: Option<HeldBins>,
    partner: Partner,
}

/// Which frames of the video a reference is compared with by numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Partner {
    /// Every one.
    Any,
    /// The one of this time in seconds, which it belongs to.
    At(f64),
    /// None: the frame that belongs to the one on screen has yet to come.
    Awaited,
}

impl Partner {
    fn is(self, secs: f64) -> bool {
        match self {
            Self::Any => true,
            Self::At(own) => own == secs,
            Self::Awaited => false,
        }
    }
}

/// Bins, and their sums.
#[derive(Debug)]
struct HeldBins {
    histogram: Arc<Histogram>,
    sums: Arc<Cumulative>,
}

impl HeldBins {
    fn of(histogram: Histogram) -> Self {
        Self { sums: Arc::new(histogram.cumulative()), histogram: Arc::new(histogram) }
    }
}

impl Reference {
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
        let is_adjusted = scene.look.counted_in(Components::Rgbl) != Counted::Source;
        let adjustments = if is_adjusted { scene.look.adjustments } else { Adjustments::default() };
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
        let title = format!("{file} {}", time_text(frame.time_secs));
        let name = [Some(title.clone()), part, made].into_iter().flatten().collect();
        Ok(Self { title, name, frame, rgbl: Some(rgbl), coded, partner: Partner::Any })
    }

    /// The frame of a clip that plays in step, of which these components were counted, and the frame that it belongs to.
    #[must_use]
    pub fn in_step(title: String, frame: Frame, histogram: Option<Histogram>, partner: Partner) -> Self {
        let components = histogram.as_ref().map(|histogram| histogram.components);
        let bins = histogram.map(HeldBins::of);
        let (rgbl, coded) = if components == Some(Components::YCbCr) { (None, bins) } else { (bins, None) };
        Self { name: title.clone(), title, frame, rgbl, coded, partner }
    }

    fn bins(&self, components: Components) -> Option<&HeldBins> {
        match components {
            Components::Rgbl => self.rgbl.as_ref(),
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
) -> Result<Vec<HeldBins>, EngineError> {
    if components.is_empty() {
        return Ok(Vec::new());
    }
    let mut counter = Counter::new(engine, components, adjustments);
    counter.submit(&frame.picture, region)?;
    let histograms = counter.take()?.map(|counts| counts.histograms).filter(|all| all.len() == components.len());
    Ok(histograms.ok_or(EngineError::Uncounted)?.into_iter().map(HeldBins::of).collect())
}

/// What is on screen.
#[derive(Debug, Default)]
enum OnScreen {
    /// The video.
    #[default]
    Live,
    /// The frame that is compared with, in the place of this one of the video.
    Other(Box<Frame>),
}

/// What has come of asking to hold a frame.
#[derive(Debug, PartialEq, Eq)]
pub enum HoldOutcome {
    /// It is held; the name of the one that was let go of for it, if one was.
    Held(Option<String>),
    /// It was held already, and is let go of.
    LetGo,
}

/// The frames that are held, the oldest first, and which of them is chosen.
#[derive(Debug, Default)]
pub struct References {
    all: Vec<Reference>,
    chosen: usize,
    /// The frame of the clip that plays in step, which is compared with while none is held.
    second: Option<Reference>,
    /// The numbers of those before it.
    earlier: VecDeque<SteppedNumbers>,
    on_screen: OnScreen,
}

/// The numbers of a frame of a clip that plays in step.
#[derive(Debug)]
struct SteppedNumbers {
    partner: Partner,
    name: String,
    sums: Option<Arc<Cumulative>>,
    range: Range,
}

impl From<Reference> for SteppedNumbers {
    fn from(of: Reference) -> Self {
        let sums = of.rgbl.or(of.coded).map(|bins| bins.sums);
        let range = of.frame.picture.colorimetry().range.value;
        Self { partner: of.partner, name: of.name, sums, range }
    }
}

impl References {
    /// The one that is compared with.
    #[must_use]
    pub fn chosen(&self) -> Option<&Reference> {
        self.all.get(self.chosen).or(self.second.as_ref())
    }

    /// Whether frames are held.
    #[must_use]
    pub const fn has_held(&self) -> bool {
        !self.all.is_empty()
    }

    /// Takes the frame of the clip that plays in step.
    pub fn set_second(&mut self, second: Reference) {
        if let Some(before) = self.second.replace(second) {
            if before.partner == Partner::Awaited {
                return;
            }
            self.earlier.retain(|earlier| earlier.partner != before.partner);
            self.earlier.push_back(before.into());
            if self.earlier.len() > MOST_EARLIER {
                self.earlier.pop_front();
            }
        }
    }

    /// Forgets the clip that plays in step, as another video is on screen now.
    pub fn forget_second(&mut self) {
        self.second = None;
        self.earlier.clear();
    }

    /// What stands beside the numbers of the frame of that time: of a clip that plays in step the numbers of its partner, as those of a frame may
    /// come when the next one is on screen.
    #[must_use]
    pub fn numbers(&self, components: Components, secs: f64) -> Option<(&str, &Cumulative, Range)> {
        let chosen = self.outlined()?;
        if chosen.partner.is(secs) {
            return Some((&chosen.name, chosen.sums(components)?, chosen.frame.picture.colorimetry().range.value));
        }
        let earlier = self.earlier.iter().rev().find(|earlier| earlier.partner.is(secs))?;
        let sums = earlier.sums.as_deref().filter(|sums| sums.components == components)?;
        Some((&earlier.name, sums, earlier.range))
    }

    /// The frame of the clip that plays in step, where that is on screen in the place of the video.
    #[must_use]
    pub fn second_shown(&self) -> Option<&Frame> {
        self.second.as_ref().filter(|_| self.is_shown() && !self.has_held()).map(|second| &second.frame)
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
    pub fn outlined(&self) -> Option<&Reference> {
        self.chosen().filter(|_| !self.is_shown())
    }

    /// The same, where these components were counted of it.
    #[must_use]
    pub fn outlined_in(&self, components: Components) -> Option<&Reference> {
        self.outlined().filter(|held| held.bins(components).is_some())
    }

    /// What is shown with the live picture: the frame that is compared with, unless it is itself on screen, or else the source.
    #[must_use]
    pub fn other(&self) -> Other {
        match self.outlined() {
            None => Other::Source,
            Some(_) if self.has_held() => Other::Held,
            Some(_) => Other::Second,
        }
    }

    /// Whether the one that is chosen is on screen, in the place of the video.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        matches!(self.on_screen, OnScreen::Other(_))
    }

    /// Holds a frame and chooses it, or lets go of it where just that is held.
    pub fn take(&mut self, frame: Reference) -> HoldOutcome {
        let bins = |held: &Reference| held.rgbl.as_ref().map(|bins| Arc::clone(&bins.histogram));
        let is_same = |held: &Reference| held.name == frame.name && bins(held) == bins(&frame);
        if let Some(place) = self.all.iter().position(is_same) {
            self.let_go(place);
            return HoldOutcome::LetGo;
        }
        let oldest = (self.all.len() >= MOST).then(|| self.all.remove(0).name);
        self.chosen = self.all.len();
        self.all.push(frame);
        HoldOutcome::Held(oldest)
    }

    /// Lets go of the one at a place.
    fn let_go(&mut self, place: usize) {
        self.all.remove(place);
        // The newest of the others is compared with now.
        self.chosen = self.all.len().saturating_sub(1);
    }

    /// Lets go of the one that is chosen; its name.
    pub fn let_go_of_chosen(&mut self) -> Option<String> {
        let name = self.all.get(self.chosen)?.name.clone();
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
        self.on_screen = OnScreen::Other(Box::new(live));
        Some(held)
    }

    /// Goes back to the video; its frame, where that was not on screen.
    pub fn back(&mut self) -> Option<Frame> {
        match std::mem::take(&mut self.on_screen) {
            OnScreen::Live => None,
            OnScreen::Other(live) => Some(*live),
        }
    }

    /// Notes a frame of the video that is due while another one is shown; gives it back where it is to be shown itself.
    pub fn pass(&mut self, frame: Frame) -> Option<Frame> {
        match &mut self.on_screen {
            OnScreen::Live => Some(frame),
            OnScreen::Other(live) => {
                **live = frame;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::made;

    fn second(bin: usize, partner: Partner) -> Reference {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.words[bin] = 1;
        Reference::in_step(format!("b at {bin}"), made::gray((1, 1), |_, _| 0), Some(histogram), partner)
    }

    #[test]
    fn numbers_of_a_second_clip_are_told_of_partners_alone() {
        let mut references = References::default();
        let name = |references: &References, secs| {
            references.numbers(Components::Rgbl, secs).map(|(name, ..)| name.to_owned())
        };
        references.set_second(second(1, Partner::At(1.0)));
        assert_eq!(name(&references, 1.0).as_deref(), Some("b at 1"));
        assert_eq!(name(&references, 2.0), None);
        // The decoder is behind: what is shown meanwhile belongs to nothing, and the frame before has its numbers still.
        references.set_second(second(1, Partner::Awaited));
        assert_eq!(name(&references, 2.0), None);
        assert_eq!(name(&references, 1.0).as_deref(), Some("b at 1"));
        references.set_second(second(2, Partner::At(2.0)));
        assert_eq!(name(&references, 2.0).as_deref(), Some("b at 2"));
        assert_eq!(name(&references, 1.0).as_deref(), Some("b at 1"));
        references.forget_second();
        assert_eq!((name(&references, 1.0), name(&references, 2.0)), (None, None), "another video is on screen");
    }
}
