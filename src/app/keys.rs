//! What each key does: one table, from which keys are handled and the help sheet, `--help` and the README's table made.

mod latin;
mod table;

use std::fmt::Write as _;

use winit::event::KeyEvent;
use winit::keyboard::{Key, ModifiersState, NamedKey};

pub use super::adjusting::{Kind, Parameter};
pub use table::{GESTURES, ROWS, SPEED_STEP};

/// How a key changes the speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpeedChange {
    /// Multiply by a factor.
    By(f64),
    /// Back to normal.
    Normal,
}

/// What a key or a button asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Pause or go on.
    TogglePause,
    /// Seek by seconds; `exact` even while the key is held.
    SeekBy {
        /// Seconds, negative backwards.
        secs: f64,
        /// Whether to land on the exact frame while the key is held, too.
        exact: bool,
    },
    /// Go to the first frame.
    ToStart,
    /// Go to the last frame.
    ToEnd,
    /// Step one frame.
    Step {
        /// Forward or back.
        forward: bool,
    },
    /// Ask for a time or a frame number to go to.
    EnterTime,
    /// Change the speed.
    Speed(SpeedChange),
    /// Loop over the whole video, or play it once.
    ToggleLoop,
    /// Mark A, then B, then clear both.
    Mark,
    /// Show or hide a channel: 0 red, 1 green, 2 blue, 3 luminance.
    ToggleChannel(usize),
    /// Show or hide all histograms.
    ToggleOverlays,
    /// Count Y', Cb and Cr as coded, or red, green, blue and luminance.
    ToggleComponents,
    /// Linear or logarithmic height.
    ToggleLogarithmic,
    /// The next arrangement of the histograms.
    NextArrangement,
    /// Larger or smaller histograms.
    Enlarge {
        /// Larger or smaller.
        more: bool,
    },
    /// More or less opaque histograms.
    Opaque {
        /// More or less.
        more: bool,
    },
    /// The next way to fit the picture into the window.
    NextFit,
    /// Fit, zoom and place of the picture as at the start.
    ResetView,
    /// Show or hide the numbers of the frame.
    ToggleNumbers,
    /// Show or hide what is known about the video and how it is read.
    ToggleTrust,
    /// Read the video with the next matrix.
    NextMatrix,
    /// Read the video with the next range.
    NextRange,
    /// Show or hide the passes' times.
    ToggleTiming,
    /// Switch an adjustment on or off.
    ToggleAdjustment(Kind),
    /// Change a parameter of the adjustment that was switched on last.
    Parameter {
        /// Which of its two.
        parameter: Parameter,
        /// More or less.
        more: bool,
    },
    /// Show or hide the source left of a divider.
    ToggleDivider,
    /// Count the next of source, result and both.
    NextCounted,
    /// Show or hide the cumulative histograms.
    ToggleCurves,
    /// Blur the picture behind the histograms, or leave it.
    ToggleBackdrop,
    /// Show or hide the adjustments with their parameters.
    ToggleAdjusting,
    /// Save the view and the bins.
    Save,
    /// Choose a file to open.
    OpenFile,
    /// Open the next or previous file of the list.
    OtherFile {
        /// Next or previous.
        forward: bool,
    },
    /// Enter or leave full screen.
    ToggleFullscreen,
    /// Keep the controls on screen, or let them fade.
    TogglePinned,
    /// Show or hide the keys.
    ToggleHelp,
    /// Close what is open, clear the selection; where there is nothing of that, leave the program.
    Back,
    /// Leave the program.
    Quit,
}

impl Action {
    /// Whether the action is repeated while its key is held.
    #[must_use]
    pub const fn repeats(self) -> bool {
        matches!(
            self,
            Self::SeekBy { .. }
                | Self::Step { .. }
                | Self::Speed(_)
                | Self::Enlarge { .. }
                | Self::Opaque { .. }
                | Self::Parameter { .. }
        )
    }
}

/// A part of the help sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Pausing, speed, loops.
    Playing,
    /// Moving in the video.
    Moving,
    /// What the histograms show and how.
    Histograms,
    /// What is done to the picture.
    Adjustments,
    /// The picture.
    Picture,
    /// Figures and facts.
    Reading,
    /// Files and the window.
    Window,
}

impl Section {
    /// Every section in the order of the help sheet.
    pub const ALL: [Self; 7] =
        [Self::Playing, Self::Moving, Self::Reading, Self::Histograms, Self::Adjustments, Self::Picture, Self::Window];

    /// The heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Playing => "Playing",
            Self::Moving => "Moving in the video",
            Self::Histograms => "Histograms",
            Self::Adjustments => "Adjustments",
            Self::Picture => "Picture",
            Self::Reading => "Reading",
            Self::Window => "Files and window",
        }
    }
}

/// A key with the keys that are held with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chord {
    /// A key with a name, alone.
    Named(NamedKey, &'static str),
    /// A key with a name, with Shift.
    ShiftNamed(NamedKey, &'static str),
    /// A key with a name, with Alt.
    AltNamed(NamedKey, &'static str),
    /// A letter without Shift, whatever the caps lock says.
    Letter(&'static str),
    /// A letter with Shift.
    ShiftLetter(&'static str),
    /// A letter with Control, or Command on a Mac.
    Control(&'static str),
    /// A sign as it is typed, with Shift or not, wherever the keyboard has it.
    Sign(&'static str),
    /// The key that bears one of these signs where Shift is not held, pressed without Shift.
    Base(&'static str, &'static [&'static str]),
    /// The same, pressed with Shift.
    ShiftBase(&'static str, &'static [&'static str]),
}

impl Chord {
    /// How the help sheet names the chord.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Named(_, name) | Self::Letter(name) | Self::Sign(name) | Self::Base(name, _) => (*name).to_owned(),
            Self::ShiftNamed(_, name) | Self::ShiftBase(name, _) => format!("Shift+{name}"),
            Self::AltNamed(_, name) => format!("Alt+{name}"),
            Self::ShiftLetter(letter) => format!("Shift+{}", letter.to_uppercase()),
            Self::Control(letter) => format!("Ctrl+{}", letter.to_uppercase()),
        }
    }

    fn matches(&self, press: &Press<'_>) -> bool {
        let control = press.modifiers.control_key() || press.modifiers.super_key();
        let shift = press.modifiers.shift_key();
        let alt = press.modifiers.alt_key();
        if control != matches!(self, Self::Control(_)) || alt != matches!(self, Self::AltNamed(..)) {
            return false;
        }
        let typed = |wanted: &str| matches!(press.key, Key::Character(text) if text.to_lowercase() == wanted);
        let base = |wanted: &[&str]| matches!(press.base, Key::Character(text) if wanted.contains(&text.as_str()));
        match self {
            Self::Named(NamedKey::Space, _) => press.key == &Key::Named(NamedKey::Space) || typed(" "),
            Self::Named(named, _) | Self::AltNamed(named, _) => press.key == &Key::Named(*named) && !shift,
            Self::ShiftNamed(named, _) => press.key == &Key::Named(*named) && shift,
            Self::Letter(letter) => typed(letter) && !shift,
            Self::ShiftLetter(letter) => typed(letter) && shift,
            Self::Control(letter) => typed(letter) && !shift,
            Self::Sign(sign) => typed(sign),
            Self::Base(_, signs) => base(signs) && !shift,
            Self::ShiftBase(_, signs) => base(signs) && shift,
        }
    }
}

/// A line of the table: keys that belong together, what each does, and the words for it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Where the line stands on the help sheet.
    pub section: Section,
    /// The keys and what they do.
    pub keys: &'static [(Chord, Action)],
    /// What they do in words.
    pub help: &'static str,
}

impl Row {
    /// The keys as the help sheet names them.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.keys.iter().map(|(chord, _)| chord.label()).collect()
    }
}

/// The rows of a section.
pub fn rows(section: Section) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.section == section)
}

/// The label of the first key that does this.
#[must_use]
pub fn label_of(action: Action) -> Option<String> {
    let mut all = ROWS.iter().flat_map(|row| row.keys);
    all.find(|(_, does)| *does == action).map(|(chord, _)| chord.label())
}

/// A key as it was pressed.
struct Press<'a> {
    key: &'a Key,
    /// What the key types where no other key is held with it.
    base: &'a Key,
    modifiers: ModifiersState,
}

/// The action of a key, if it has one.
#[must_use]
pub fn action(event: &KeyEvent, modifiers: ModifiersState) -> Option<Action> {
    let key = latin::latin(&event.logical_key, event.physical_key, modifiers.shift_key());
    let base = latin::latin(&without_modifiers(event), event.physical_key, false);
    of_press(&Press { key: &key, base: &base, modifiers })
}

fn of_press(press: &Press<'_>) -> Option<Action> {
    let mut all = ROWS.iter().flat_map(|row| row.keys);
    all.find(|(chord, _)| chord.matches(press)).map(|(_, action)| *action)
}

#[cfg(any(windows, target_os = "macos", target_os = "linux"))]
fn without_modifiers(event: &KeyEvent) -> Key {
    winit::platform::modifier_supplement::KeyEventExtModifierSupplement::key_without_modifiers(event)
}

#[cfg(not(any(windows, target_os = "macos", target_os = "linux")))]
fn without_modifiers(event: &KeyEvent) -> Key {
    event.logical_key.clone()
}

/// The table as `--help` prints it.
#[must_use]
pub fn as_text() -> String {
    let mut text = "Keys in the window:".to_owned();
    for section in Section::ALL {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n  {}", section.name());
        for row in rows(section) {
            let _ = write!(text, "\n    {:<22} {}", row.labels().join(" "), row.help);
        }
    }
    text
}

/// The table as the README has it.
#[must_use]
pub fn as_markdown() -> String {
    let mut text = "| key | what it does |\n|---|---|\n".to_owned();
    for row in Section::ALL.into_iter().flat_map(rows) {
        let quoted = |label: &String| {
            let is_sign = label.chars().count() == 1 && label.chars().all(|c| c.is_ascii_punctuation());
            if is_sign { format!("`{label}`") } else { label.clone() }
        };
        let labels: Vec<_> = row.labels().iter().map(quoted).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", labels.join(" "), row.help);
    }
    text
}

#[cfg(test)]
mod tests;
