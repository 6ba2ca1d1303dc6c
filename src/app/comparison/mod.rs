//! Comparing the frame on screen with another one: a held frame, or the frame of a second clip that plays in step. The
//! other frame is shown as outlines over the histograms, by its numbers, in turn with the video, or side by side with
//! it.

mod clip;
mod frame;
mod matcher;
mod quality;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::app::session::Session;
pub use clip::{ComparedClip, CountedPart};
pub use frame::{ComparedFrame, Partner};
use histoscope_hud::Note;
pub use matcher::{MatchOptions, Matcher};
pub use quality::{MeasuredOf, MeasuredPair, QualityMeter};

use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::Frame;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;
use histoscope_media::StreamInfo;
use histoscope_render::engine::{Engine, EngineError};
use histoscope_render::gpu::GpuError;
use histoscope_render::view::scene::{Look, Other, Scene};

/// Most frames held at a time; holding another one releases the oldest.
const MOST: usize = 4;
/// The note to show if there is no second clip.
pub const NO_CLIP: &str = "there is no second clip: histoscope a.mp4 b.mp4 --compare plays two";
/// Number of previous frames of the second clip whose numbers are remembered: an adapter's figures arrive a few frames
/// late.
const MAX_EARLIER: usize = 8;

/// Which picture is on screen.
#[derive(Debug, Default)]
enum OnScreen {
    /// The video.
    #[default]
    Live,
    /// The compared frame, in place of this frame of the video.
    Other(Box<Frame>),
}

/// The result of a request: a note to show, and a frame to load.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The note to show.
    pub note: Option<Note>,
    /// The frame to load, if the picture on screen changes.
    pub load: Option<Frame>,
}

impl Outcome {
    fn note(note: Note) -> Self {
        Self { note: Some(note), load: None }
    }
}

/// Changes to the second clip since the last call.
#[derive(Debug, Default)]
pub struct ClipChanges {
    /// Notes to show.
    pub notes: Vec<Note>,
    /// `true` if the compared frame has changed.
    pub has_changed: bool,
    /// The frame to load, if the clip itself is on screen.
    pub load: Option<Frame>,
    /// When to check again.
    pub wake_at: Option<Instant>,
}

/// The comparison of the frame on screen: with one of the held frames (oldest first) if there are any, otherwise with
/// the clip that plays in step.
#[derive(Default)]
pub struct Comparison {
    held: Vec<ComparedFrame>,
    chosen: usize,
    /// The clips that play in step, one at a time.
    clips: Vec<SteppingClip>,
    /// The index of the one that is compared.
    clip_at: usize,
    /// The clip's current frame, used while no frame is held.
    clip_frame: Option<ComparedFrame>,
    /// The numbers of the clip's previous frames.
    earlier: VecDeque<SteppedNumbers>,
    on_screen: OnScreen,
}

/// A clip that can play in step.
struct SteppingClip {
    clip: ComparedClip,
    /// PSNR and SSIM of its frame when it was last compared, and of what.
    quality: Option<(MeasuredOf, String)>,
}

/// The numbers of one frame of the clip that plays in step.
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
    /// Creates a comparison that holds no frames, with clips that play in step one at a time.
    #[must_use]
    pub fn new(clips: Vec<ComparedClip>) -> Self {
        let clips = clips.into_iter().map(|clip| SteppingClip { clip, quality: None }).collect();
        Self { clips, ..Self::default() }
    }

    fn clip(&mut self) -> Option<&mut ComparedClip> {
        self.clips.get_mut(self.clip_at).map(|stepping| &mut stepping.clip)
    }

    /// Returns the number of clips that play in step, one at a time.
    #[must_use]
    pub const fn clip_count(&self) -> usize {
        self.clips.len()
    }

    /// Compares with the clip at this index, or with the first one after the last. Returns the note to show.
    pub fn take_clip(&mut self, index: usize) -> String {
        let count = self.clips.len().max(1);
        self.clip_at = index % count;
        self.earlier.clear();
        let name = self.clip().map(|clip| {
            clip.come_back();
            clip.name().to_owned()
        });
        name.map_or_else(
            || NO_CLIP.to_owned(),
            |name| format!("compared with {name} ({} of {count})", self.clip_at + 1),
        )
    }

    /// Compares with the next clip, or with the first one after the last. Returns the note to show.
    pub fn take_next_clip(&mut self) -> String {
        self.take_clip(self.clip_at + 1)
    }

    /// Keeps the PSNR and SSIM of the current clip's frame, which was measured against this picture.
    pub fn keep_quality(&mut self, of: MeasuredOf, text: String) {
        if let Some(stepping) = self.clips.get_mut(self.clip_at) {
            stepping.quality = Some((of, text));
        }
    }

    /// Returns each clip as a line for a list: its name, its PSNR and SSIM if they were measured against this picture,
    /// and whether it is the one that is compared.
    pub fn clip_lines(&self, of: Option<&MeasuredOf>) -> impl Iterator<Item = (String, bool)> {
        self.clips.iter().enumerate().map(move |(index, SteppingClip { clip, quality })| {
            let known = quality.as_ref().filter(|(measured, _)| Some(measured) == of);
            let quality = known.map_or_else(String::new, |(_, text)| format!(": {text}"));
            (format!("{}{quality}", clip.name()), index == self.clip_at)
        })
    }

    /// Returns the compared frame: the chosen held frame, or else the clip's current frame.
    #[must_use]
    pub fn chosen(&self) -> Option<&ComparedFrame> {
        self.held.get(self.chosen).or(self.clip_frame.as_ref())
    }

    /// Returns the index of the chosen held frame.
    #[must_use]
    pub const fn place(&self) -> usize {
        self.chosen
    }

    /// Returns the names of the held frames.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.held.iter().map(|held| held.name.as_str())
    }

    /// Returns `true` if any frames are held.
    #[must_use]
    pub const fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the frame whose bins are drawn as outlines, or `None` while that frame is itself on screen.
    #[must_use]
    pub fn outlined(&self) -> Option<&ComparedFrame> {
        self.chosen().filter(|_| !self.is_shown())
    }

    /// Returns the [`outlined`](Self::outlined) frame if the frame at `secs` is to be compared with it.
    #[must_use]
    pub fn partner_of(&self, secs: f64) -> Option<&ComparedFrame> {
        self.outlined().filter(|compared| compared.partner.is(secs))
    }

    /// Returns the [`outlined`](Self::outlined) frame if these components were counted for it.
    #[must_use]
    pub fn outlined_in(&self, components: Components) -> Option<&ComparedFrame> {
        self.outlined().filter(|compared| compared.bins(components).is_some())
    }

    /// Returns which picture is shown with the live one: the [`outlined`](Self::outlined) frame, or else the source.
    #[must_use]
    pub fn other(&self) -> Other {
        match self.outlined() {
            None => Other::Source,
            Some(_) if !self.held.is_empty() => Other::Held,
            Some(_) => Other::Second,
        }
    }

    /// Returns `true` if the compared frame is on screen in place of the video.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        matches!(self.on_screen, OnScreen::Other(_))
    }

    /// Returns the clip's frame if it is on screen in place of the video.
    fn clip_shown(&self) -> Option<&Frame> {
        self.clip_frame.as_ref().filter(|_| self.is_shown() && self.held.is_empty()).map(|compared| &compared.frame)
    }

    /// Returns why nothing can be saved or copied, if a picture other than the video's is on screen.
    #[must_use]
    pub fn refusal(&self) -> Option<&'static str> {
        self.is_shown().then(|| match self.clip_shown() {
            Some(_) => "the second clip is on screen; Shift+P goes back to the first",
            None => "the held frame is on screen; Shift+P goes back to the video",
        })
    }

    /// Names the pictures whose histograms are shown; `None` if there is only one.
    #[must_use]
    pub fn counted_text(&self, look: &Look, components: Components) -> Option<String> {
        match self.outlined_in(components) {
            Some(compared) => {
                // The outlines of the compared frame replace those of the source.
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

    /// Returns the name, bins and range to show next to the numbers of the frame at `secs`. A clip that plays in step
    /// is matched by time, because a frame's numbers may arrive when the next frame is already on screen.
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

    /// Holds the frame on screen, or releases it if it is held already.
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
        let Some(frame) = session.frame.clone() else {
            return Ok(Outcome::default());
        };
        let frame = match ComparedFrame::new(engine, &session.name, frame, part) {
            Ok(frame) => frame,
            Err(EngineError::Gpu(error)) => return Err(error),
            Err(error) => return Ok(Outcome::note(Note::warning(format!("nothing is held: {error}")))),
        };
        Ok(Outcome::note(Note::done(self.take(frame))))
    }

    /// Adds a frame and chooses it, or releases it if it is held already. Returns the note to show.
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
            Some(oldest) => format!("held: {name}; {oldest} was released, at most {MOST} can be held"),
        }
    }

    /// Drops the held frame at index `place`, and chooses the newest of the others.
    fn drop_at(&mut self, place: usize) {
        self.held.remove(place);
        self.chosen = self.held.len().saturating_sub(1);
    }

    /// Releases the chosen held frame.
    pub fn release(&mut self) -> Outcome {
        let load = self.back();
        let name = self.held.get(self.chosen).map(|held| held.name.clone());
        if name.is_some() {
            self.drop_at(self.chosen);
        }
        Outcome { note: name.map(|name| Note::done(format!("released {name}"))), load }
    }

    /// Chooses the held frame at index `place` for the comparison.
    pub fn choose(&mut self, place: usize) -> Outcome {
        let load = self.back();
        self.chosen = place.min(self.held.len().saturating_sub(1));
        let name = self.chosen().map_or("", |compared| &compared.name);
        Outcome { note: Some(Note::done(format!("compared with {name}"))), load }
    }

    /// Shows the compared frame in place of the video, or returns to the video.
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

    /// Returns to the video if another picture is on screen.
    pub fn show_video(&mut self) -> Option<Outcome> {
        let load = Some(self.back()?);
        Some(Outcome { note: Some(Note::done("the video")), load })
    }

    /// Marks the video as being on screen. Returns its frame if another picture was on screen.
    fn back(&mut self) -> Option<Frame> {
        match std::mem::take(&mut self.on_screen) {
            OnScreen::Live => None,
            OnScreen::Other(live) => Some(*live),
        }
    }

    /// Takes the frame of the video that is due, and returns it if it goes on screen. Another picture stays on screen
    /// while the video plays, and gives way to the video when the user steps or seeks.
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

    /// Advances the clip to the frame that belongs to the one on screen.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter is lost.
    pub fn follow(
        &mut self,
        engine: &Engine,
        first: &Session,
        counted: CountedPart<'_>,
        now: Instant,
    ) -> Result<ClipChanges, GpuError> {
        let Some(clip) = self.clip() else { return Ok(ClipChanges::default()) };
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
        Ok(ClipChanges { notes, has_changed, load, wake_at })
    }

    fn set_clip_frame(&mut self, frame: ComparedFrame) {
        if let Some(before) = self.clip_frame.replace(frame) {
            if before.partner == Partner::Awaited {
                return;
            }
            self.earlier.retain(|earlier| earlier.partner != before.partner);
            self.earlier.push_back(before.into());
            if self.earlier.len() > MAX_EARLIER {
                self.earlier.pop_front();
            }
        }
    }

    /// Shifts the clip by this many of its frames. Returns the note to show.
    pub fn shift(&mut self, frames: i64) -> String {
        self.clip().map_or_else(|| NO_CLIP.to_owned(), |clip| clip.shift(frames))
    }

    /// Starts searching for the offset at which the pictures of both clips are most alike. Returns the note to show.
    pub fn find_offset(&mut self, first: &Session) -> String {
        self.clip().map_or_else(|| NO_CLIP.to_owned(), |clip| clip.find_offset(&first.input))
    }

    /// Returns the sound of the clip, beside this video; see [`ComparedClip::sound`].
    #[must_use]
    pub fn sound(&self, first: &Session) -> Option<(&str, &Arc<StreamInfo>, Option<f64>)> {
        self.clips.get(self.clip_at).map(|stepping| stepping.clip.sound(first))
    }

    /// Starts comparing with a different video, for which the clip has no frame yet.
    pub fn change_video(&mut self) {
        self.back();
        self.clip_frame = None;
        self.earlier.clear();
        self.clips.iter_mut().for_each(|stepping| stepping.clip.change_first());
    }

    /// Forgets everything created on a lost adapter.
    pub fn restart(&mut self) {
        self.clips.iter_mut().for_each(|stepping| stepping.clip.restart());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Histogram;
    use histoscope_core::test_data;

    fn second(bin: usize, partner: Partner) -> ComparedFrame {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.words[bin] = 1;
        ComparedFrame::in_step(format!("b at {bin}"), test_data::gray((1, 1), |_, _| 0), Some(histogram), partner)
    }

    #[test]
    fn numbers_of_a_second_clip_are_reported_only_for_partners() {
        let mut comparison = Comparison::default();
        let name = |comparison: &Comparison, secs| {
            comparison.numbers(Components::Rgbl, secs).map(|(name, ..)| name.to_owned())
        };
        comparison.set_clip_frame(second(1, Partner::At(1.0)));
        assert_eq!(name(&comparison, 1.0).as_deref(), Some("b at 1"));
        assert_eq!(name(&comparison, 2.0), None);
        // The decoder is behind: the frame shown until it catches up has no partner, and the previous frame still has
        // its numbers.
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
