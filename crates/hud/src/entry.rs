//! The text field for a time or a frame number to go to, and for values in the lab.

use egui::{Align2, Color32, Margin, Rect, RichText, Ui};

use super::theme;
use histoscope_core::picture::Point;
use histoscope_core::picture::Timecode;
use histoscope_core::text::parse_time;
use histoscope_render::view::guides::MaskAspect;

/// Maximum length of the text, in characters.
const MAX_LETTERS: usize = 24;
/// Width of the field with its label and padding, in points.
pub const WIDTH: f32 = 354.0;

/// Space around the text in the field.
const FIELD_MARGIN: Margin = Margin::symmetric(7, 4);

/// The kind of value that the field asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryKind {
    /// A position to go to.
    #[default]
    Place,
    /// Size of a chunk, in pixels: width and height.
    Chunk,
    /// Number of bins per channel.
    Bins,
    /// Length of a prefix sum, in words.
    Length,
    /// Width of a blur, in pixels.
    Width,
    /// Aspect of a mask.
    Aspect,
    /// Name of a preset.
    Preset,
}

impl EntryKind {
    /// Returns the text before the field, in the empty field, and below it.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Place => [
                "Go to",
                "1:02.5 or 1500",
                "a time, a timecode (10:00:00:00) or a frame number (250f) · Enter goes there · Esc closes",
            ],
            Self::Chunk => ["Chunk", "24x10", "pixels across and down · Enter applies it · Esc closes"],
            Self::Bins => ["Bins", "100", "any number from 3 to 4096 · Enter applies it · Esc closes"],
            Self::Length => ["Words", "2^20", "any number from 512 to 2^26 · Enter applies it · Esc closes"],
            Self::Aspect => {
                ["Aspect", "2.2", "width over height: 2.2, 2.2:1 or 3:2 · Enter shows the mask · Esc closes"]
            }
            Self::Preset => ["Preset", "interview", "a name for layout and settings · Enter keeps them · Esc closes"],
            Self::Width => ["Blur", "21", "pixels across, odd, 1 to 127 · Enter applies it · Esc closes"],
        }
    }

    /// Returns its name, for the log.
    #[must_use]
    pub const fn subject(self) -> &'static str {
        match self {
            Self::Place => "a place",
            Self::Chunk => "a chunk",
            Self::Bins => "bins",
            Self::Length => "words",
            Self::Width => "a blur",
            Self::Aspect => "an aspect",
            Self::Preset => "a preset",
        }
    }

    /// Parses a text.
    fn read(self, text: &str) -> Result<Typed, String> {
        match self {
            Self::Place => parse_goal(text).map(Typed::Point),
            Self::Chunk => parse_chunk(text).map(|(width, height)| Typed::Chunk(width, height)),
            Self::Bins => parse_bins(text).map(Typed::Bins),
            Self::Length => parse_length(text).map(Typed::Length),
            Self::Width => parse_width(text).map(Typed::Width),
            Self::Aspect => text.parse().map(Typed::Aspect),
            Self::Preset => Ok(Typed::Name(text.trim().to_owned())),
        }
    }
}

/// Parses `24x10`, with any common multiplication sign.
fn parse_chunk(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(['x', 'X', '×', '*']);
    let side = |text: &str| text.trim().parse::<u32>().ok();
    sides
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| format!("‘{}’ is not a chunk size; type pixels across and down: 24x10, 256x1", text.trim()))
}

fn parse_bins(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("‘{text}’ is not a number of bins; type one from 3 to 4096"))
}

/// Parses `1000000` or `2^20`.
fn parse_length(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let length = match text.split_once('^') {
        Some((base, power)) => {
            let numbers = base.trim().parse::<u32>().ok().zip(power.trim().parse::<u32>().ok());
            numbers.and_then(|(base, power)| base.checked_pow(power))
        }
        None => text.parse().ok(),
    };
    length.ok_or_else(|| format!("‘{text}’ is not a number of words; type one from 512 to 67108864, or 2^20"))
}

fn parse_width(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("‘{text}’ is not a blur width; type an odd number from 1 to 127"))
}

/// The open text field.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The kind of value it asks for.
    kind: EntryKind,
    /// The text so far.
    text: String,
    /// Why the submitted text is invalid.
    wrong: Option<String>,
}

/// Parses a whole number, with or without an f, as a frame; four numbers as a timecode; and anything else with a colon,
/// a point or an s as a time.
///
/// # Errors
/// A sentence that says what can be typed.
fn parse_goal(text: &str) -> Result<Point, String> {
    let text = text.trim();
    let wrong = || {
        format!("‘{text}’ is neither a time, a timecode nor a frame; type 1:02.5 or 62s, 10:00:00:00, or 250 or 250f")
    };
    // Like `analyze --from`, but also without the f: most of the values typed here are frame numbers.
    let bare =
        text.strip_prefix('#').or_else(|| text.strip_suffix(['f', 'F'])).or_else(|| text.strip_prefix(['f', 'F']));
    let bare = bare.map_or(text, str::trim);
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return bare.parse().map(Point::Frame).map_err(|_| wrong());
    }
    if let Some(timecode) = Timecode::parse(text) {
        return Ok(Point::Timecode(timecode));
    }
    let time = text.strip_suffix(['s', 'S']).map_or(text, str::trim_end);
    parse_time(time).map(Point::Time).map_err(|_| wrong())
}

/// The outcome of one draw of the field.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// The field stays open.
    On,
    /// Enter was pressed in an empty field.
    Nothing,
    /// Enter was pressed after a position.
    Point(Point),
    /// Enter was pressed after the width and height of a chunk.
    Chunk(u32, u32),
    /// Enter was pressed after a number of bins.
    Bins(u32),
    /// Enter was pressed after a number of words.
    Length(u32),
    /// Enter was pressed after the width of a blur.
    Width(u32),
    /// Enter was pressed after the aspect of a mask.
    Aspect(MaskAspect),
    /// Enter was pressed after the name of a preset.
    Name(String),
}

impl Entry {
    /// Creates an empty field for this kind of value.
    #[must_use]
    pub fn for_text(asked: EntryKind) -> Self {
        Self { kind: asked, ..Self::default() }
    }

    /// Shows the field in the top centre of `room` and handles what is typed, pasted or composed into it. An invalid
    /// text stays in the field, with the reason below it. Returns the outcome and the field's rectangle.
    pub fn show(&mut self, ui: &Ui, room: Rect) -> (Typed, Rect) {
        let area = egui::Area::new(egui::Id::unique("entry"))
            .order(egui::Order::Foreground)
            .fade_in(false)
            .pivot(Align2::CENTER_TOP)
            .fixed_pos(room.center_top());
        let [name, empty, hint] = self.kind.words();
        let shown = area.show(ui.ctx(), |ui| {
            let typed = theme::plate().fill(theme::SOLID).show(ui, |ui| {
                let width = (room.width() - 24.0).clamp(110.0, WIDTH - 24.0);
                ui.set_width(width);
                let line = ui.horizontal(|ui| {
                    ui.label(RichText::new(name).size(theme::TEXT + 1.0).color(theme::DIM));
                    self.show_field(ui, empty)
                });
                let (words, color) = self.wrong.as_deref().map_or((hint, theme::DIM), |wrong| (wrong, theme::WRONG));
                ui.add(egui::Label::new(RichText::new(words).size(theme::SMALL).color(color)).wrap());
                line.inner
            });
            typed.inner
        });
        (shown.inner, shown.response.rect)
    }

    fn show_field(&mut self, ui: &mut Ui, empty: &str) -> Typed {
        let id = egui::Id::unique("entry's field");
        // The field has the keyboard from its first draw and keeps it, even if the user clicks elsewhere.
        ui.memory_mut(|memory| memory.request_focus(id));
        let font = theme::mono(theme::TEXT + 3.0);
        let field = egui::TextEdit::singleline(&mut self.text)
            .id(id)
            .font(font.clone())
            .text_color(theme::LIGHT)
            .hint_text(RichText::new(empty).font(font))
            .char_limit(MAX_LETTERS)
            .frame(egui::Frame::new().fill(Color32::from_white_alpha(24)).corner_radius(4).inner_margin(FIELD_MARGIN))
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        if response.changed() {
            self.wrong = None;
        }
        // The field has already received what was typed before. In its first draw, egui does not report losing focus to
        // Enter, so check the key.
        if ui.input(|input| input.key_pressed(egui::Key::Enter)) { self.submit() } else { Typed::On }
    }

    /// Parses the text, and keeps the reason if it is invalid.
    fn submit(&mut self) -> Typed {
        if self.text.trim().is_empty() {
            return Typed::Nothing;
        }
        match self.kind.read(&self.text) {
            Ok(typed) => typed,
            Err(reason) => {
                log::debug!("entry: {reason}");
                self.wrong = Some(reason);
                Typed::On
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_frames_are_distinguished() {
        assert_eq!(parse_goal(" 1:02.5 "), Ok(Point::Time(62.5)));
        assert_eq!(parse_goal("62.5"), Ok(Point::Time(62.5)));
        assert_eq!(parse_goal("62 s"), Ok(Point::Time(62.0)));
        assert_eq!(parse_goal("62S"), Ok(Point::Time(62.0)));
        assert_eq!(parse_goal("1500"), Ok(Point::Frame(1500)));
        for text in ["250f", "250F", " 250 f ", "f250", "250"] {
            assert_eq!(parse_goal(text), Ok(Point::Frame(250)), "{text}");
        }
        assert_eq!(parse_goal("#7"), Ok(Point::Frame(7)));
        for text in ["10:00:00:00", " 01:02:03;04 "] {
            assert_eq!(parse_goal(text), Ok(Point::Timecode(Timecode::parse(text.trim()).unwrap())), "{text}");
        }
    }

    #[test]
    fn chunks_and_bins_are_parsed_and_nonsense_is_rejected() {
        for text in ["24x10", " 24 X 10 ", "24×10", "24*10"] {
            assert_eq!(EntryKind::Chunk.read(text), Ok(Typed::Chunk(24, 10)), "{text}");
        }
        for text in ["", "24", "x", "24x", "-1x4", "2.5x3", "4x5x6", "99999999999x1"] {
            assert!(EntryKind::Chunk.read(text).unwrap_err().contains("is not a chunk size"), "{text}");
        }
        assert_eq!(EntryKind::Bins.read(" 100 "), Ok(Typed::Bins(100)));
        for text in ["", "x", "-3", "1.5", "99999999999"] {
            assert!(EntryKind::Bins.read(text).unwrap_err().contains("3 to 4096"), "{text}");
        }
        for (text, length) in [("1000", 1000), (" 2^20 ", 1 << 20), ("2 ^ 9", 512), ("10^3", 1000)] {
            assert_eq!(EntryKind::Length.read(text), Ok(Typed::Length(length)), "{text}");
        }
        for text in ["", "x", "-512", "2^", "^9", "2^99", "2^9.5", "99999999999"] {
            assert!(EntryKind::Length.read(text).unwrap_err().contains("not a number of words"), "{text}");
        }
        assert_eq!(EntryKind::Width.read(" 21 "), Ok(Typed::Width(21)));
        assert!(EntryKind::Width.read("wide").unwrap_err().contains("1 to 127"));
    }

    #[test]
    fn nonsense_is_rejected_with_a_hint() {
        for text in
            ["", "abc", "-5", "1:2:3:4:5", "99999999999999999999999", "#", "s", "f", "-3f", "1.5f", "1f2", "1e3", "NaN"]
        {
            let message = parse_goal(text).unwrap_err();
            assert!(message.contains("is neither a time, a timecode nor a frame"), "{text}: {message}");
        }
    }

    /// Returns the outcome of each draw, given one batch of events per draw.
    fn after(entry: &mut Entry, batches: &[&[egui::Event]]) -> Vec<Typed> {
        let context = egui::Context::default();
        let room = Rect::from_min_size(egui::pos2(0.0, 0.0), egui::vec2(800.0, 600.0));
        let drawing = |events: &&[egui::Event]| {
            let input = egui::RawInput { screen_rect: Some(room), events: events.to_vec(), ..Default::default() };
            let mut typed = Typed::On;
            // A draw may take several passes; the first one consumes the events.
            let mut output = context.run_ui(input, |ui| {
                let now = entry.show(ui, room).0;
                if typed == Typed::On {
                    typed = now;
                }
            });
            output.textures_delta.clear();
            typed
        };
        batches.iter().map(drawing).collect()
    }

    fn text(text: &str) -> egui::Event {
        egui::Event::Text(text.to_owned())
    }

    fn key(key: egui::Key, modifiers: egui::Modifiers) -> egui::Event {
        egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
    }

    fn plain(named: egui::Key) -> egui::Event {
        key(named, egui::Modifiers::NONE)
    }

    #[test]
    fn the_first_draw_takes_text_typed_before_it() {
        let events = [text("2"), text("50"), text("f"), plain(egui::Key::Enter)];
        assert_eq!(after(&mut Entry::default(), &[&events]), [Typed::Point(Point::Frame(250))]);
    }

    #[test]
    fn letters_go_to_the_cursor_and_replace_the_selection() {
        let mut entry = Entry::default();
        after(&mut entry, &[&[text("15")], &[plain(egui::Key::ArrowLeft), text("2")]]);
        assert_eq!(entry.text, "125");
        after(&mut entry, &[&[key(egui::Key::A, egui::Modifiers::COMMAND)], &[text("7")]]);
        assert_eq!(entry.text, "7");
        after(&mut entry, &[&[egui::Event::Paste(" 1:0\n".to_owned()), text(&"9".repeat(1000))]]);
        assert_eq!(entry.text.chars().count(), MAX_LETTERS);
        assert!(entry.text.starts_with("7 1:0") && !entry.text.contains('\n'), "{:?}", entry.text);
    }

    #[test]
    fn composed_text_is_typed_when_it_is_committed() {
        let mut entry = Entry::default();
        let preedit = egui::ImeEvent::Preedit { text: "12".to_owned(), active_range_chars: None };
        after(
            &mut entry,
            &[&[egui::Event::Ime(preedit)], &[egui::Event::Ime(egui::ImeEvent::Commit("12".to_owned()))]],
        );
        assert_eq!(after(&mut entry, &[&[plain(egui::Key::Enter)]]), [Typed::Point(Point::Frame(12))]);
    }

    #[test]
    fn invalid_text_stays_in_the_field_with_the_reason() {
        let mut entry = Entry::default();
        let enter = [plain(egui::Key::Enter)];
        assert_eq!(after(&mut entry, &[&[text("abc")], &enter]), [Typed::On, Typed::On], "the field stays open");
        assert_eq!(entry.text, "abc");
        assert!(entry.wrong.as_deref().is_some_and(|reason| reason.contains("250f")), "{:?}", entry.wrong);
        after(&mut entry, &[&[plain(egui::Key::Backspace)]]);
        assert_eq!((entry.text.as_str(), &entry.wrong), ("ab", &None), "what is typed next may be right");
        assert_eq!(after(&mut Entry::default(), &[&[], &enter]), [Typed::On, Typed::Nothing]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_text_is_parsed_or_rejected(
            text in "[0-9a-zA-Z.:^x× #+-]{0,12}|\\PC{0,12}",
            frame: u64,
        ) {
            use EntryKind::{Aspect, Bins, Chunk, Length, Place, Preset, Width};
            for asked in [Place, Chunk, Bins, Length, Width, Aspect, Preset] {
                if let Err(why) = asked.read(&text) {
                    proptest::prop_assert!(!why.contains('\n'), "{why}");
                }
            }
            proptest::prop_assert_eq!(parse_goal(&format!("{frame}f")), Ok(Point::Frame(frame)));
        }
    }
}
