//! The second clip of `--compare`: it follows the first clip on screen, whose frames are compared with its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::frame::{ComparedFrame, Partner};
use super::matcher::{Matcher, NoOffset};
use crate::app::options::{CompareBy, Comparing};
use crate::app::session::faults::Faults;
use crate::app::session::{Session, close_in_background};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Ratio};
use histoscope_core::text::{file_name, time_text, with_minus};
use histoscope_media::playback::{FollowGoal, FollowState, Followed, Follower, send, take_followed};
use histoscope_media::{DecodeThread, StreamInfo};
use histoscope_render::engine::{Counter, Engine, EngineError};
use histoscope_render::view::region;
use histoscope_render::view::scene::{Counted, Scene};

/// Tolerance, as a fraction of a frame's duration, for a partner with a later time stamp, since containers round times.
const SLACK: f64 = 0.125;
/// How long a frame may be awaited before the user is told.
const PATIENCE: Duration = Duration::from_millis(300);

/// The second clip.
pub struct ComparedClip {
    input: PathBuf,
    name: String,
    info: Arc<StreamInfo>,
    media: Option<DecodeThread>,
    follower: Follower,
    pairing: Pairing,
    /// The shown frame, and its relation to the requested one.
    frame: Frame,
    state: FollowState,
    /// The time when waiting for the requested frame began.
    waits_since: Option<Instant>,
    /// The counter for its frames, and the components and adjustments for which it was created.
    counter: Option<(Components, Adjustments, Counter)>,
    /// The key of the last compared frame.
    loaded_key: Option<FrameKey>,
    reported: Faults,
    /// `true` if reading has failed since the last seek.
    has_failed: bool,
    /// The search for the offset.
    matcher: Matcher,
}

/// The assignment of its frames to those of the first clip.
#[derive(Debug, Clone, Copy)]
struct Pairing {
    by: CompareBy,
    /// Number of its frames by which it is ahead.
    offset: i64,
    /// The two offsets between which the last search could not decide.
    undecided: Option<[i64; 2]>,
    /// Duration of each of its frames, if constant.
    frame_secs: Option<f64>,
}

/// Everything that a compared frame depends on.
#[derive(Debug, Clone, PartialEq)]
struct FrameKey {
    title: String,
    ticks: i64,
    partner: Partner,
    components: Components,
    adjustments: Adjustments,
    region: Option<Rect>,
}

/// The components and the region of the first clip that are counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedPart<'a> {
    pub scene: &'a Scene,
    pub components: Components,
    pub region: Option<Rect>,
}

impl ComparedClip {
    /// Takes over a decoding thread that has opened the clip and returned its first frame. Stores up to `budget` bytes
    /// of frames.
    #[must_use]
    pub fn new(
        (comparing, input): (&Comparing, PathBuf),
        (media, info, first): (DecodeThread, Arc<StreamInfo>, Frame),
        budget: usize,
        matcher: Matcher,
    ) -> Self {
        let mut follower = Follower::new(budget);
        follower.push(first.clone());
        let Comparing { by, offset, .. } = *comparing;
        let rate = info.constant_rate().map(Ratio::value).filter(|&rate| rate > 0.0);
        Self {
            name: file_name(&input),
            info,
            input,
            media: Some(media),
            follower,
            pairing: Pairing { by, offset, undecided: None, frame_secs: rate.map(|rate| 1.0 / rate) },
            frame: first,
            state: FollowState::Coming,
            waits_since: None,
            counter: None,
            loaded_key: None,
            reported: Faults::default(),
            has_failed: false,
            matcher,
        }
    }

    /// Follows the first clip on screen. Returns error messages and other notes.
    pub fn follow(&mut self, first: &Session, now: Instant) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(media) = &self.media else { return notes };
        let name = &self.name;
        let has_ended = take_followed(&mut self.follower, media, |error| {
            log::warn!("{name}: {error}");
            notes.push(error.to_string());
        });
        self.has_failed |= !notes.is_empty();
        let faults = Faults::new(media.condition().0, media.condition().1);
        let new_notes = faults.new_notes(&self.reported, has_ended);
        if !new_notes.is_empty() {
            self.reported = faults;
        }
        notes.extend(new_notes.into_iter().map(|text| format!("{name}: {text}")));
        let before = self.state;
        if let Some(goal) = self.pairing.goal(first) {
            let Followed { show, state, seek } = self.follower.follow(goal);
            self.has_failed &= seek.is_none();
            send(media, seek);
            self.state = state;
            if let Some(frame) = show {
                log::trace!("second clip: {:.3} s beside {:.3} s", frame.time_secs, first.player.position_secs());
                self.frame = frame;
            }
        } else {
            self.state = FollowState::Coming;
        }
        match self.state {
            FollowState::Coming => drop(self.waits_since.get_or_insert(now)),
            _ => self.waits_since = None,
        }
        if self.state == FollowState::Ended && before != FollowState::Ended {
            let end = if self.breaks_off() { "stops there (read error)" } else { "has ended" };
            notes.push(format!("{} {end}; its last picture remains", self.name));
        }
        notes
    }

    /// Returns `true` if its end is due to a read error.
    const fn breaks_off(&self) -> bool {
        self.has_failed || !self.reported.is_whole()
    }

    /// Returns `true` if an offset in frames is possible: always when comparing by frame, and when comparing by time
    /// only if frames are evenly spaced.
    #[must_use]
    pub fn has_offset_in_time(&self) -> bool {
        self.pairing.by == CompareBy::Frame || self.pairing.frame_secs.is_some()
    }

    /// Shifts it by a number of its frames. Returns the note on it.
    pub fn shift(&mut self, frames: i64) -> String {
        if !self.has_offset_in_time() {
            return format!("{}: its frames are not evenly spaced; an offset needs --compare-by frame", self.name);
        }
        self.pairing.offset = self.pairing.offset.saturating_add(frames);
        self.pairing.undecided = None;
        format!("offset {} frames of {}", with_minus(&format!("{:+}", self.pairing.offset)), self.name)
    }

    /// Returns its name, its stream, and by how much its times are greater than those of the first clip's frame on screen,
    /// in seconds; no difference while its frame is awaited.
    #[must_use]
    pub fn sound(&self, first: &Session) -> (&str, &Arc<StreamInfo>, Option<f64>) {
        let later = match self.pairing.by {
            CompareBy::Time => Some(self.pairing.offset as f64 * self.pairing.frame_secs.unwrap_or(0.0)),
            CompareBy::Frame => {
                (self.state == FollowState::InStep).then(|| self.frame.time_secs - first.player.position_secs())
            }
        };
        (&self.name, &self.info, later)
    }

    /// Starts searching for the offset at which the pictures of both clips match best. Returns the note on it.
    pub fn find_offset(&mut self, first: &Path) -> String {
        self.matcher.begin([first, &self.input])
    }

    /// Applies the offset if it has been found. Returns the note on it.
    pub fn take_offset(&mut self) -> Option<String> {
        Some(match self.matcher.take()? {
            Ok(found) => {
                self.pairing.offset = found.offset;
                self.pairing.undecided = None;
                if self.has_offset_in_time() {
                    found.to_string()
                } else {
                    self.pairing.by = CompareBy::Frame;
                    format!("{found}; compared by frame from now on")
                }
            }
            Err(reason) => {
                if let NoOffset::Unsure { candidates, .. } = reason {
                    self.pairing.undecided = Some(candidates);
                }
                reason.to_string()
            }
        })
    }

    /// Returns when to check again because the user must be told about a frame that does not arrive.
    #[must_use]
    pub fn wake_at(&self, now: Instant) -> Option<Instant> {
        self.waits_since.map(|since| since + PATIENCE).filter(|&at| at > now)
    }

    /// Returns the name of the clip, its frame's time, and its relation to the first clip.
    fn title(&self, now: Instant) -> String {
        let mut title = format!("{} {}{}", self.name, time_text(self.frame.time_secs), self.pairing.text());
        title += match self.state {
            FollowState::InStep => "",
            FollowState::NotBegun => ", has not begun",
            FollowState::Ended if self.breaks_off() => ", stopped (read error)",
            FollowState::Ended => ", has ended",
            FollowState::Coming if self.waits_since.is_some_and(|since| now >= since + PATIENCE) => {
                ", waiting for its frame"
            }
            FollowState::Coming => "",
        };
        title
    }

    /// Returns its frame for comparison with the first clip's, counted in the same manner, or `None` if nothing has
    /// changed.
    ///
    /// # Errors
    /// [`EngineError`] if the adapter fails.
    pub fn compared_frame(
        &mut self,
        engine: &Engine,
        first: &Session,
        counted: CountedPart<'_>,
        now: Instant,
    ) -> Result<Option<ComparedFrame>, EngineError> {
        let CountedPart { scene, components, region } = counted;
        let picture = &self.frame.picture;
        let size = |frame: &Frame| (frame.picture.width(), frame.picture.height());
        // In pictures of a different size, the region would be a different part.
        let is_alike = first.frame.as_ref().is_some_and(|frame| size(frame) == size(&self.frame));
        let part = region.filter(|_| is_alike);
        let is_adjusted = scene.look.counted_in(components) != Counted::Source;
        let adjustments = if is_adjusted { scene.look.adjustments } else { Adjustments::default() };
        let mut title = self.title(now);
        match (region, part) {
            (Some(_), None) => title += ", whole picture",
            (Some(_), Some(rect)) => title += &format!(", region {}", region::text(rect)),
            (None, _) => {}
        }
        let partner = match self.state {
            // The frame shown in the meantime is not the partner.
            FollowState::Coming => Partner::Awaited,
            FollowState::InStep | FollowState::NotBegun | FollowState::Ended => {
                Partner::At(first.player.position_secs())
            }
        };
        let told = FrameKey { title, ticks: self.frame.pts_ticks, partner, components, adjustments, region: part };
        if self.loaded_key.as_ref() == Some(&told) {
            return Ok(None);
        }
        let has_them = components == Components::Rgbl || picture.has_coded_components();
        let title = told.title.clone();
        // A frame that cannot be counted is reported only once.
        self.loaded_key = Some(told);
        let histogram = if has_them { self.count(engine, (components, adjustments), part)? } else { None };
        let compared = ComparedFrame::in_step(title, self.frame.clone(), histogram, partner);
        let rect = part.unwrap_or(compared.rect);
        Ok(Some(ComparedFrame { rect, is_adjusted, ..compared }))
    }

    fn count(
        &mut self,
        engine: &Engine,
        (components, adjustments): (Components, Adjustments),
        region: Option<Rect>,
    ) -> Result<Option<Histogram>, EngineError> {
        let kept = self.counter.take().filter(|(of, with, _)| (*of, *with) == (components, adjustments));
        let mut counter =
            kept.map_or_else(|| Counter::new(engine, &[components], adjustments), |(.., counter)| counter);
        counter.submit_picture(&self.frame.picture, region)?;
        let counted = counter.take()?;
        self.counter = Some((components, adjustments, counter));
        Ok(counted.and_then(|counts| counts.histograms.into_iter().next()))
    }

    /// Follows a different video from now on. Cancels a running search, whose offset would be relative to the previous
    /// video.
    pub fn change_first(&mut self) {
        self.matcher.give_up();
        self.pairing.undecided = None;
        self.loaded_key = None;
    }

    /// Returns the file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets its frame be compared again, after that of another clip.
    pub fn come_back(&mut self) {
        self.loaded_key = None;
    }

    /// Discards everything created on a lost adapter.
    pub fn restart(&mut self) {
        (self.counter, self.loaded_key) = (None, None);
    }
}

impl Pairing {
    /// Returns the offset, with a doubt that remains, as an addition to the clip's title.
    fn text(&self) -> String {
        let offset = if self.offset == 0 { String::new() } else { format!(", offset {:+}", self.offset) };
        let doubt = self.undecided.map(|[best, second]| format!(", not sure of the offset: {best:+} or {second:+}"));
        with_minus(&(offset + &doubt.unwrap_or_default()))
    }

    /// Returns the frame that corresponds to the first clip's on screen, if known.
    fn goal(&self, first: &Session) -> Option<FollowGoal> {
        match self.by {
            CompareBy::Frame => {
                let number = i64::try_from(first.player.frame_index()?).ok()?;
                Some(FollowGoal::Number(number.saturating_add(self.offset)))
            }
            CompareBy::Time => {
                let frame_secs = self.frame_secs.unwrap_or(0.0);
                let secs = first.player.position_secs() + self.offset as f64 * frame_secs;
                Some(FollowGoal::Time(secs + SLACK * frame_secs))
            }
        }
    }
}

impl Drop for ComparedClip {
    fn drop(&mut self) {
        close_in_background(self.media.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_about_the_offset_stays_in_the_title() {
        let pairing = Pairing { by: CompareBy::Frame, offset: 0, undecided: None, frame_secs: None };
        assert_eq!(pairing.text(), "");
        assert_eq!(Pairing { offset: -6, ..pairing }.text(), ", offset −6");
        let unsure = Pairing { undecided: Some([-6, 2]), ..pairing };
        assert_eq!(unsure.text(), ", not sure of the offset: −6 or +2");
        assert_eq!(Pairing { offset: 2, ..unsure }.text(), ", offset +2, not sure of the offset: −6 or +2");
    }
}
