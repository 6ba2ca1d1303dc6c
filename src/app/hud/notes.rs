//! Short notes on what a key did, and longer ones on what went wrong.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Color32, Galley, Pos2, Rect, Vec2, pos2, vec2};

use super::{places, theme};
use histoscope_core::text::plain;

/// How long a note on what was done stays.
const SHORT: Duration = Duration::from_millis(1600);
/// How long a warning stays: it is to be read.
const LONG: Duration = Duration::from_secs(7);
/// Width that notes take at least, in points, where anything else can make room.
pub const LEAST_WIDTH: f32 = 200.0;
/// Height that the help leaves below it for one of a line.
pub const LEAST_LANE: f32 = 44.0;
/// Width of the words of a long note.
const WIDTH: f32 = 620.0;
/// Views lower than this, in points, have notes in smaller letters, with less room around them.
const LOW: f32 = 400.0;
/// Space between notes.
const GAP: f32 = 4.0;
/// The most notes at once; older ones make room.
const MOST: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    Done,
    Info,
    Warning,
}

/// Something that is to be said for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The words.
    pub text: String,
    severity: Severity,
    /// True if it is said of the video on screen without naming it, so that it goes when that does.
    is_of_video: bool,
}

impl Note {
    /// Something was done.
    #[must_use]
    pub fn done(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Done)
    }

    /// Something was done that takes a while to read, such as a file's name.
    #[must_use]
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Info)
    }

    /// Something went wrong.
    #[must_use]
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(text.into(), Severity::Warning)
    }

    /// Something is wrong with the video on screen.
    #[must_use]
    pub fn fault(text: impl Into<String>) -> Self {
        Self { is_of_video: true, ..Self::warning(text) }
    }

    fn new(text: String, severity: Severity) -> Self {
        Self { text: plain_lines(&text), severity, is_of_video: false }
    }
}

/// The words with each line fit to be shown, whatever name or message is in it.
fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// The notes on screen, and how long each stays.
#[derive(Debug, Default)]
pub struct Notes(Vec<(Note, Instant)>);

impl Notes {
    /// Adds a note. One on what was done takes the place of the last such one.
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

    /// Drops what was said of the video that was on screen.
    pub fn change_video(&mut self) {
        for (note, _) in self.0.extract_if(.., |(note, _)| note.is_of_video) {
            log::debug!("note no longer: {}", note.text);
        }
    }

    /// Returns whether any is to be seen.
    #[must_use]
    pub fn any(&self, now: Instant) -> bool {
        self.0.iter().any(|&(_, until)| until > now)
    }

    /// Returns whether one is to vanish.
    #[must_use]
    pub fn has_expired(&self, now: Instant) -> bool {
        self.0.iter().any(|&(_, until)| until <= now)
    }

    /// When the next one is to vanish.
    #[must_use]
    pub fn next_change(&self, now: Instant) -> Option<Instant> {
        self.0.iter().map(|&(_, until)| until.max(now)).min()
    }

    /// Drops those whose time is over.
    pub fn drop_expired(&mut self, now: Instant) {
        self.0.retain(|&(_, until)| until > now);
    }

    /// Lays them out in a room of this width, below what is waited for.
    pub fn laid_out(&self, ui: &egui::Ui, width: f32, waiting: Option<String>, now: Instant) -> LaidOut {
        let layer = egui::LayerId::new(egui::Order::Tooltip, egui::Id::unique("notes"));
        // By the view and not by what of it is left just now: the letters do not change while they are read.
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

/// The letters of notes, and the room around them, in points.
#[derive(Debug, Clone, Copy)]
struct NoteSize {
    size: f32,
    padding: Vec2,
}

/// Notes with their words, to be shown where there is room for them.
pub struct LaidOut {
    painter: egui::Painter,
    look: NoteSize,
    /// The words on what playback waits for, above the notes.
    waiting: Option<(String, Color32)>,
    texts: Vec<(String, Color32)>,
    width: f32,
}

impl LaidOut {
    /// Height that they take with the space below each: of all if that is not more than `most`, else of what is waited for and the
    /// newest, even if that is more where it `must` be shown.
    pub fn height_in(&self, most: f32, must: bool) -> f32 {
        let room = Rect::from_min_size(Pos2::ZERO, vec2(self.width, most));
        self.places(room, must).last().map_or(0.0, |(place, _)| place.max.y + GAP)
    }

    /// Where they come to lie in a room: at its top, in the middle. First comes what is waited for, then the newest notes as far as there
    /// is room for them; it, and one note, at any rate where that `must` be shown.
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

    /// Shows them in a room, beside the menus if these lie there, but not on them; where they are. One of them `must` be shown, unless
    /// a menu leaves no room for it.
    pub fn show(&self, room: Rect, menus: &[Rect], must: bool) -> Vec<Rect> {
        let is_free = |places: &[(Rect, Arc<Galley>)]| {
            let is_on = |place: Rect| menus.iter().any(|menu| menu.intersects(place));
            !places.iter().any(|(place, _)| is_on(*place))
        };
        let all = menus.iter().copied().reduce(Rect::union);
        let aside = all.map(|menus| places::beside(room, menus).shrink(GAP));
        let aside = aside.filter(|aside| aside.width() >= LEAST_WIDTH).map(|aside| (aside, false));
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
    fn what_is_wrong_with_a_video_is_not_said_of_the_next_one() {
        let now = Instant::now();
        let mut notes = Notes::default();
        notes.add(Note::fault("the file is damaged: 1 frame damaged"), now);
        notes.add(Note::warning("first.mp4: no such file"), now);
        notes.change_video();
        let left: Vec<_> = notes.0.iter().map(|(note, _)| note.text.as_str()).collect();
        assert_eq!(left, ["first.mp4: no such file"]);
    }

    #[test]
    fn a_note_takes_the_place_of_the_last_and_vanishes() {
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
    fn warnings_stay_longer_and_beside_others_but_not_without_end() {
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
