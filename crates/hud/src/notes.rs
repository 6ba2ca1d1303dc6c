//! Notes: short ones on what a key did, and longer ones on what went wrong.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Color32, Galley, Pos2, Rect, Vec2, pos2, vec2};

use super::{places, theme};
use histoscope_core::text::sanitized;

/// How long a note on a completed action stays.
const SHORT: Duration = Duration::from_millis(1600);
/// How long a warning stays, so that it can be read.
const LONG: Duration = Duration::from_secs(7);
/// Minimum width of notes, in points, if anything else can make room.
pub const MIN_WIDTH: f32 = 200.0;
/// Height that the help leaves below it for a one-line note.
pub const MIN_LANE: f32 = 44.0;
/// Maximum width of a note's text.
const WIDTH: f32 = 620.0;
/// In views lower than this, in points, notes have smaller letters and less padding.
const LOW: f32 = 400.0;
/// Space between notes.
const GAP: f32 = 4.0;
/// The most notes shown together; a new one replaces the oldest.
const MOST: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    Done,
    Info,
    Warning,
}

/// A message shown for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    severity: Severity,
    /// `true` if it is about the video on screen without naming it, so that it disappears with the video.
    is_of_video: bool,
}

impl Note {
    /// Creates a note that something was done.
    #[must_use]
    pub fn done(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Done)
    }

    /// Creates a note that takes a while to read, such as one with a file's name.
    #[must_use]
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Info)
    }

    /// Creates a note that something went wrong.
    #[must_use]
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Warning)
    }

    /// Creates a note that something is wrong with the video on screen.
    #[must_use]
    pub fn fault(text: impl Into<String>) -> Self {
        Self { is_of_video: true, ..Self::warning(text) }
    }

    fn new(text: String, severity: Severity) -> Self {
        Self { text: plain_lines(&text), severity, is_of_video: false }
    }
}

/// Makes each line of the text safe to show, whatever name or message it contains.
fn plain_lines(text: &str) -> String {
    text.split('\n').map(sanitized).collect::<Vec<_>>().join("\n")
}

/// The notes on screen, with the time at which each expires.
#[derive(Debug, Default)]
pub struct Notes(Vec<(Note, Instant)>);

impl Notes {
    /// Adds a note. A note on a completed action replaces the previous one of its kind.
    pub fn add(&mut self, note: Note, now: Instant) {
        let replaces = |other: &Note| {
            note.severity == Severity::Done && other.severity == Severity::Done || other.text == note.text
        };
        self.0.retain(|(other, _)| !replaces(other));
        let stay = if note.severity == Severity::Done { SHORT } else { LONG };
        self.0.push((note, now + stay));
        if self.0.len() > MOST {
            self.0.remove(0);
        }
    }

    /// Drops the notes about the video that was on screen.
    pub fn change_video(&mut self) {
        for (note, _) in self.0.extract_if(.., |(note, _)| note.is_of_video) {
            log::debug!("note no longer: {}", note.text);
        }
    }

    /// Returns `true` if any note is visible.
    #[must_use]
    pub fn any(&self, now: Instant) -> bool {
        self.0.iter().any(|&(_, until)| until > now)
    }

    /// Returns `true` if any note is due to disappear.
    #[must_use]
    pub fn has_expired(&self, now: Instant) -> bool {
        self.0.iter().any(|&(_, until)| until <= now)
    }

    /// Returns when the next note disappears.
    #[must_use]
    pub fn next_change(&self, now: Instant) -> Option<Instant> {
        self.0.iter().map(|&(_, until)| until.max(now)).min()
    }

    /// Drops the expired notes.
    pub fn drop_expired(&mut self, now: Instant) {
        self.0.retain(|&(_, until)| until > now);
    }

    /// Lays out the notes for a room of this width, below the waiting text, if any.
    pub fn laid_out(&self, ui: &egui::Ui, width: f32, waiting: Option<String>, now: Instant) -> LaidOut {
        let layer = egui::LayerId::new(egui::Order::Tooltip, egui::Id::unique("notes"));
        // Choose by the view rather than by the remaining room, so that the letters do not change size while being
        // read.
        let is_low = ui.ctx().content_rect().height() < LOW;
        let look = if is_low {
            NoteSize { size: theme::TEXT, padding: vec2(9.0, 4.0) }
        } else {
            NoteSize { size: theme::TEXT + 2.0, padding: vec2(12.0, 9.0) }
        };
        let notes = self.0.iter().filter(|&&(_, until)| until > now).map(|(note, _)| {
            let color = if note.severity == Severity::Warning { theme::WRONG } else { theme::LIGHT };
            (note.text.clone(), color)
        });
        let waiting = waiting.map(|text| (text, theme::ACCENT));
        LaidOut { painter: ui.ctx().layer_painter(layer), look, waiting, texts: notes.collect(), width }
    }
}

/// The size of the letters and the padding around them, in points.
#[derive(Debug, Clone, Copy)]
struct NoteSize {
    size: f32,
    padding: Vec2,
}

/// Laid-out notes, to be shown in a room.
pub struct LaidOut {
    painter: egui::Painter,
    look: NoteSize,
    /// The text that says what playback is waiting for, above the notes.
    waiting: Option<(String, Color32)>,
    texts: Vec<(String, Color32)>,
    width: f32,
}

impl LaidOut {
    /// Returns the height of the notes, including the space below each. If not all of them fit into `most`, only the
    /// waiting text and the newest notes that fit count. With `must`, the waiting text and one note always count.
    pub fn height_in(&self, most: f32, must: bool) -> f32 {
        let room = Rect::from_min_size(Pos2::ZERO, vec2(self.width, most));
        self.places(room, must).last().map_or(0.0, |(place, _)| place.max.y + GAP)
    }

    /// Returns the positions of the notes in a room, centred at its top: the waiting text first, then as many of the
    /// newest notes as fit. With `must`, the waiting text and one note are included even if they do not fit.
    fn places(&self, room: Rect, must: bool) -> Vec<(Rect, Arc<Galley>)> {
        let NoteSize { size, padding } = self.look;
        let width = (room.width() - 2.0 * padding.x).clamp(60.0, WIDTH);
        let layout =
            |(text, color): &(String, Color32)| self.painter.layout(text.clone(), theme::words(size), *color, width);
        let mut height = 0.0;
        let mut fits = |text: &Arc<Galley>| {
            height += text.size().y + 2.0 * padding.y + GAP;
            height - GAP <= room.height()
        };
        let waiting = self.waiting.as_ref().map(layout).filter(|text| fits(text) || must);
        let notes: Vec<_> = self.texts.iter().map(layout).collect();
        let count = notes.iter().rev().take_while(|text| fits(text)).count().max(usize::from(must)).min(notes.len());
        let mut top = room.min.y.round();
        let place = |text: Arc<Galley>| {
            let size = text.size() + 2.0 * padding;
            let place = Rect::from_min_size(pos2((room.center().x - size.x / 2.0).round(), top), size);
            top = (place.max.y + GAP).round();
            (place, text)
        };
        let newest = notes.into_iter().rev().take(count).rev();
        waiting.into_iter().chain(newest).map(place).collect()
    }

    /// Shows the notes in a room, next to any menus there, but not on them. Returns their rectangles. With `must`, at
    /// least one note is shown, unless a menu leaves no room for it.
    pub fn show(&self, room: Rect, menus: &[Rect], must: bool) -> Vec<Rect> {
        let is_free = |places: &[(Rect, Arc<Galley>)]| {
            let is_on = |place: Rect| menus.iter().any(|menu| menu.intersects(place));
            !places.iter().any(|(place, _)| is_on(*place))
        };
        let all = menus.iter().copied().reduce(Rect::union);
        let aside = all.map(|menus| places::beside(room, menus).shrink(GAP));
        let aside = aside.filter(|aside| aside.width() >= MIN_WIDTH).map(|aside| (aside, false));
        let mut all = std::iter::once((room, must)).chain(aside).map(|(room, must)| self.places(room, must));
        let Some(places) = all.find(|places| is_free(places)) else { return Vec::new() };
        for (place, text) in &places {
            theme::fill_plate(&self.painter, *place, theme::ROUND, theme::SOLID);
            self.painter.galley(place.min + self.look.padding, Arc::clone(text), theme::LIGHT);
        }
        places.into_iter().map(|(place, _)| place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_a_video_are_not_shown_for_the_next_one() {
        let now = Instant::now();
        let mut notes = Notes::default();
        notes.add(Note::fault("the file is damaged: 1 frame damaged"), now);
        notes.add(Note::warning("first.mp4: no such file"), now);
        notes.change_video();
        let left: Vec<_> = notes.0.iter().map(|(note, _)| note.text.as_str()).collect();
        assert_eq!(left, ["first.mp4: no such file"]);
    }

    #[test]
    fn a_note_replaces_the_last_one_and_disappears() {
        let now = Instant::now();
        let mut notes = Notes::default();
        notes.add(Note::done("speed 1.10×"), now);
        notes.add(Note::done("speed 1.21×"), now);
        assert_eq!(notes.0.len(), 1);
        assert_eq!(notes.next_change(now), Some(now + SHORT));
        assert!(notes.any(now) && !notes.any(now + SHORT));
        notes.drop_expired(now + SHORT);
        assert_eq!(notes.next_change(now), None);
    }

    #[test]
    fn warnings_stay_longer_but_only_a_few_at_a_time() {
        let now = Instant::now();
        let mut notes = Notes::default();
        for text in ["a", "b", "c", "d", "d"] {
            notes.add(Note::warning(text), now);
        }
        notes.add(Note::done("done"), now);
        assert_eq!(notes.0.len(), MOST);
        assert!(notes.any(now + SHORT * 2));
    }
}
