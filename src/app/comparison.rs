//! What the frame on screen is compared with, by outlines over its histograms, by its numbers, by showing both in turn and side by side:
//! a frame that is held, or the frame of a second clip that plays in step.

mod clip;
mod frame;
mod matcher;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use super::hud::Note;
use super::session::Session;
pub use clip::{ComparedClip, CountedPart};
pub use frame::{ComparedFrame, Partner};
pub use matcher::{MatchReading, Matcher};

use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::Frame;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;
use histoscope_render::engine::{Engine, EngineError};
use histoscope_render::gpu::GpuError;
use histoscope_render::view::scene::{Look, Other, Scene};

/// The most that are held. The oldest is released for a further one.
const MOST: usize = 4;
/// The note where no clip plays in step.
const NO_CLIP: &str = "there is no second clip: histoscope a.mp4 b.mp4 --compare plays two";
/// So many frames of a clip that plays in step are remembered by their numbers: an adapter's come some frames later.
const MOST_EARLIER: usize = 8;

/// The picture on screen.
#[derive(Debug, Default)]
enum OnScreen {
    /// The video.
    #[default]
    Live,
    /// The frame that is compared with, in the place of this one of the video.
    Other(Box<Frame>),
}

/// The outcome of a request: a note, and the frame that comes on screen.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The note on it.
    pub note: Option<Note>,
    /// The frame, if another one comes.
    pub load: Option<Frame>,
}

impl Outcome {
    fn note(note: Note) -> Self {
        Self { note: Some(note), load: None }
    }
}

/// News of the clip that plays in step.
#[derive(Debug, Default)]
pub struct ClipNews {
    /// The note on it.
    pub notes: Vec<Note>,
    /// True if another frame of it is compared with.
    pub has_changed: bool,
    /// The frame, where it is on screen itself.
    pub load: Option<Frame>,
    /// When to look again.
    pub wake_at: Option<Instant>,
}

/// The comparison of the frame on screen: with one of the frames that are held, the oldest first, or else with a clip that plays in
/// step.
#[derive(Default)]
pub struct Comparison {
    held: Vec<ComparedFrame>,
    chosen: usize,
    clip: Option<ComparedClip>,
    /// The frame of the clip, which is compared with while none is held.
    clip_frame: Option<ComparedFrame>,
    /// The numbers of the frames of the clip before it.
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

impl From<ComparedFrame> for SteppedNumbers {
    fn from(of: ComparedFrame) -> Self {
        let sums = of.rgbl.or(of.coded).map(|bins| bins.sums);
        let range = of.frame.picture.colorimetry().range.value;
        Self { partner: of.partner, name: of.name, sums, range }
    }
}

impl Comparison {
    /// No frame yet; with a clip that plays in step, if there is one.
    #[must_use]
    pub fn new(clip: Option<ComparedClip>) -> Self {
        Self { clip, ..Self::default() }
    }

    /// Returns the frame that is compared with.
    #[must_use]
    pub fn chosen(&self) -> Option<&ComparedFrame> {
        self.held.get(self.chosen).or(self.clip_frame.as_ref())
    }

    /// Returns its place among the frames that are held.
    #[must_use]
    pub const fn place(&self) -> usize {
        self.chosen
    }

    /// Lists the names of the frames that are held.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.held.iter().map(|held| held.name.as_str())
    }

    /// Returns whether frames are held.
    #[must_use]
    pub const fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns whether a clip plays in step.
    #[must_use]
    pub const fn has_clip(&self) -> bool {
        self.clip.is_some()
    }

    /// Returns the frame whose bins are drawn as outlines; `None` while it is itself on screen.
    #[must_use]
    pub fn outlined(&self) -> Option<&ComparedFrame> {
        self.chosen().filter(|_| !self.is_shown())
    }

    /// Returns the same frame, if these components were counted of it.
    #[must_use]
    pub fn outlined_in(&self, components: Components) -> Option<&ComparedFrame> {
        self.outlined().filter(|compared| compared.bins(components).is_some())
    }

    /// Returns the picture that is shown with the live one: that of [`outlined`](Self::outlined), or else the source.
    #[must_use]
    pub fn other(&self) -> Other {
        match self.outlined() {
            None => Other::Source,
            Some(_) if !self.held.is_empty() => Other::Held,
            Some(_) => Other::Second,
        }
    }

    /// Returns whether the frame that is compared with is on screen, in the place of the video.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        matches!(self.on_screen, OnScreen::Other(_))
    }

    /// Returns the frame of the clip, where it is on screen in the place of the video.
    fn clip_shown(&self) -> Option<&Frame> {
        self.clip_frame.as_ref().filter(|_| self.is_shown() && self.held.is_empty()).map(|compared| &compared.frame)
    }

    /// Returns why nothing is saved or copied while another picture than the video's is on screen.
    #[must_use]
    pub fn refusal(&self) -> Option<&'static str> {
        self.is_shown().then(|| match self.clip_shown() {
            Some(_) => "the second clip is on screen; Shift+P goes back to the first",
            None => "the held frame is on screen; Shift+P goes back to the video",
        })
    }

    /// Names the pictures that the histograms are of; `None` where there is but one.
    #[must_use]
    pub fn counted_text(&self, look: &Look, components: Components) -> Option<String> {
        match self.outlined_in(components) {
            Some(compared) => {
                // Its outlines take the place of the source's.
                let outline = format!("outline: {}", compared.name);
                Some(match look.filled_text(components) {
                    Some(filled) => format!("{filled}; {outline}"),
                    None => outline,
                })
            }
            None if self.clip_shown().is_some() => Some("the second clip".to_owned()),
            None if self.is_shown() => Some("held frame".to_owned()),
            None => look.counted_text(components),
        }
    }

    /// Returns what stands beside the numbers of the frame of that time: of a clip that plays in step the numbers of its partner, since those
    /// of a frame may come when the next one is on screen.
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

    /// Holds the frame on screen, or releases it where it is held.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter is lost.
    pub fn hold(
        &mut self,
        engine: &Engine,
        session: &Session,
        part: (&Scene, Option<Rect>),
    ) -> Result<Outcome, GpuError> {
        if self.clip_shown().is_some() {
            let text = "the second clip is on screen: Shift+P goes back, and p holds a frame of the first";
            return Ok(Outcome::note(Note::done(text)));
        }
        if self.is_shown() {
            return Ok(self.release());
        }
        let Some(frame) = session.frame.as_ref().map(|frame| session.read(frame)) else {
            return Ok(Outcome::default());
        };
        let frame = match ComparedFrame::new(engine, &session.name, frame, part) {
            Ok(frame) => frame,
            Err(EngineError::Gpu(error)) => return Err(error),
            Err(error) => return Ok(Outcome::note(Note::warning(format!("nothing is held: {error}")))),
        };
        Ok(Outcome::note(Note::done(self.take(frame))))
    }

    /// Takes a frame and chooses it, or releases it where it is held. Returns what is said of it.
    fn take(&mut self, frame: ComparedFrame) -> String {
        let name = frame.name.clone();
        let bins = |held: &ComparedFrame| held.rgbl.as_ref().map(|bins| Arc::clone(&bins.histogram));
        let is_same = |held: &ComparedFrame| held.name == name && bins(held) == bins(&frame);
        if let Some(place) = self.held.iter().position(is_same) {
            self.drop_at(place);
            return format!("released {name}");
        }
        let oldest = (self.held.len() >= MOST).then(|| self.held.remove(0).name);
        self.chosen = self.held.len();
        self.held.push(frame);
        match oldest {
            None => format!("held: {name}; Shift+P shows it, p releases it"),
            Some(oldest) => format!("held: {name}; {oldest} was released, {MOST} are held at most"),
        }
    }

    /// Drops the held frame of a place; the newest of the others is compared with then.
    fn drop_at(&mut self, place: usize) {
        self.held.remove(place);
        self.chosen = self.held.len().saturating_sub(1);
    }

    /// Releases the held frame that is compared with.
    pub fn release(&mut self) -> Outcome {
        let load = self.back();
        let name = self.held.get(self.chosen).map(|held| held.name.clone());
        if name.is_some() {
            self.drop_at(self.chosen);
        }
        Outcome { note: name.map(|name| Note::done(format!("released {name}"))), load }
    }

    /// Compares with the held frame of a place from now on.
    pub fn choose(&mut self, place: usize) -> Outcome {
        let load = self.back();
        self.chosen = place.min(self.held.len().saturating_sub(1));
        let name = self.chosen().map_or("", |compared| &compared.name);
        Outcome { note: Some(Note::done(format!("compared with {name}"))), load }
    }

    /// Puts the frame that is compared with in the place of the video's, or goes back to that.
    pub fn flip(&mut self, live: Option<&Frame>) -> Outcome {
        if let Some(outcome) = self.show_video() {
            return outcome;
        }
        let Some(live) = live else { return Outcome::default() };
        let Some(compared) = self.chosen() else {
            return Outcome::note(Note::done("no frame is held: p holds the one on screen"));
        };
        let what = if self.held.is_empty() { "the second clip" } else { "the held frame" };
        let text = format!("{what}: {}", compared.name);
        let load = Some(compared.frame.clone());
        self.on_screen = OnScreen::Other(Box::new(live.clone()));
        Outcome { note: Some(Note::done(text)), load }
    }

    /// Goes back to the video, if another picture is on screen.
    pub fn show_video(&mut self) -> Option<Outcome> {
        let load = Some(self.back()?);
        Some(Outcome { note: Some(Note::done("the video")), load })
    }

    /// Returns the frame of the video, where it was not on screen.
    fn back(&mut self) -> Option<Frame> {
        match std::mem::take(&mut self.on_screen) {
            OnScreen::Live => None,
            OnScreen::Other(live) => Some(*live),
        }
    }

    /// Takes a frame of the video that is due, and gives it back where it comes on screen. Another picture stays there while the video
    /// plays, and goes when somebody steps or seeks.
    pub fn pass(&mut self, frame: Frame, stands: bool) -> Option<Frame> {
        if stands {
            self.back();
        }
        match &mut self.on_screen {
            OnScreen::Live => Some(frame),
            OnScreen::Other(live) => {
                **live = frame;
                None
            }
        }
    }

    /// Brings the clip to the frame that belongs to the one on screen.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter is lost.
    pub fn follow(
        &mut self,
        engine: &Engine,
        first: &Session,
        counted: CountedPart<'_>,
        now: Instant,
    ) -> Result<ClipNews, GpuError> {
        let Some(clip) = &mut self.clip else { return Ok(ClipNews::default()) };
        let found = clip.take_offset();
        let mut notes: Vec<_> = clip.follow(first, now).into_iter().map(Note::warning).collect();
        let frame = clip.compared_frame(engine, first, counted, now);
        let wake_at = clip.wake_at(now);
        notes.extend(found.map(Note::info));
        let has_changed = match frame {
            Ok(Some(frame)) => {
                self.set_clip_frame(frame);
                true
            }
            Ok(None) => false,
            Err(EngineError::Gpu(error)) => return Err(error),
            Err(error) => {
                notes.push(Note::warning(format!("the second clip is not counted: {error}")));
                false
            }
        };
        let load = self.clip_shown().filter(|_| has_changed).cloned();
        Ok(ClipNews { notes, has_changed, load, wake_at })
    }

    fn set_clip_frame(&mut self, frame: ComparedFrame) {
        if let Some(before) = self.clip_frame.replace(frame) {
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

    /// Shifts the clip by so many of its frames. Returns what is said of it.
    pub fn shift(&mut self, frames: i64) -> String {
        self.clip.as_mut().map_or_else(|| NO_CLIP.to_owned(), |clip| clip.shift(frames))
    }

    /// Begins to look for the offset at which the histograms of the clip are nearest to the video's. Returns what is said of it.
    pub fn find_offset(&mut self, first: &Session) -> String {
        self.clip.as_mut().map_or_else(|| NO_CLIP.to_owned(), |clip| clip.find_offset(&first.input))
    }

    /// Follows another video from now on. Nothing stands in for it yet.
    pub fn change_video(&mut self) {
        self.back();
        self.clip_frame = None;
        self.earlier.clear();
        self.clip.iter_mut().for_each(ComparedClip::change_first);
    }

    /// Forgets what was made on an adapter that is lost.
    pub fn restart(&mut self) {
        self.clip.iter_mut().for_each(ComparedClip::restart);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Histogram;
    use histoscope_core::made;

    fn second(bin: usize, partner: Partner) -> ComparedFrame {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.words[bin] = 1;
        ComparedFrame::in_step(format!("b at {bin}"), made::gray((1, 1), |_, _| 0), Some(histogram), partner)
    }

    #[test]
    fn numbers_of_a_second_clip_are_told_of_partners_alone() {
        let mut comparison = Comparison::default();
        let name = |comparison: &Comparison, secs| {
            comparison.numbers(Components::Rgbl, secs).map(|(name, ..)| name.to_owned())
        };
        comparison.set_clip_frame(second(1, Partner::At(1.0)));
        assert_eq!(name(&comparison, 1.0).as_deref(), Some("b at 1"));
        assert_eq!(name(&comparison, 2.0), None);
        // The decoder is behind: what is shown meanwhile belongs to nothing, and the frame before has its numbers still.
        comparison.set_clip_frame(second(1, Partner::Awaited));
        assert_eq!(name(&comparison, 2.0), None);
        assert_eq!(name(&comparison, 1.0).as_deref(), Some("b at 1"));
        comparison.set_clip_frame(second(2, Partner::At(2.0)));
        assert_eq!(name(&comparison, 2.0).as_deref(), Some("b at 2"));
        assert_eq!(name(&comparison, 1.0).as_deref(), Some("b at 1"));
        comparison.change_video();
        assert_eq!((name(&comparison, 1.0), name(&comparison, 2.0)), (None, None), "another video is on screen");
    }
}
