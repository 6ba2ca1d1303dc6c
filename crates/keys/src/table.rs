//! The table of keys.

use super::action::Action::{self, *};
use super::action::{Panel, Property, SpeedChange};
use super::chord::Chord::{
    self, AltNamed, AltSymbol, CharOrUnshifted, Control, ControlNamed, ControlShift, ControlShiftNamed, Digit, Letter,
    Named, ShiftDigit, ShiftLetter, ShiftNamed, Symbol,
};
use super::chord::NamedKey;
use super::label::Label;
use super::settings::Setting;
use histoscope_core::adjust::{Adjustment, Parameter};

/// A section of the help sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Pausing, speed and loops.
    Playing,
    /// Navigation in the video.
    Moving,
    /// The content and appearance of histograms and scopes.
    Histograms,
    /// Adjustments of the picture.
    Adjustments,
    /// View and exposure aids of the picture, regions, saving and undo.
    Picture,
    /// Figures, comparisons, and the interpretation of the video.
    Reading,
    /// Files and the window.
    Window,
}

impl Section {
    /// All sections, in the order of the help sheet.
    pub const ALL: [Self; 7] =
        [Self::Playing, Self::Moving, Self::Reading, Self::Histograms, Self::Adjustments, Self::Picture, Self::Window];

    /// Returns the heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Playing => "Playing",
            Self::Moving => "Moving in the video",
            Self::Histograms => "Histograms and scopes",
            Self::Adjustments => "Adjustments",
            Self::Picture => "Picture",
            Self::Reading => "Reading",
            Self::Window => "Files and window",
        }
    }
}

/// A row of the table: keys that belong together, with their actions and a help text.
#[derive(Debug, Clone, Copy)]
pub struct Bindings {
    /// The section of the help sheet that contains the row.
    pub section: Section,
    /// The keys and their actions.
    pub keys: &'static [Key],
    /// The help text for all keys. `{}` is replaced by the names of their actions.
    help: &'static str,
}

/// A key with its action.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key with its modifiers.
    pub chord: Chord,
    /// The action.
    pub action: Action,
    /// The name of the action, if it has one. Settings have theirs in their rows.
    label: Option<Label>,
}

const fn row(section: Section, keys: &'static [Key], help: &'static str) -> Bindings {
    Bindings { section, keys, help }
}

const fn key(chord: Chord, action: Action) -> Key {
    Key { chord, action, label: None }
}

impl Key {
    /// Returns the name of the action in the menu, notes and undo, if it has one.
    #[must_use]
    pub fn label(&self) -> Option<Label> {
        self.label.or(if let Change(setting, _) = self.action { setting.label() } else { None })
    }

    const fn switch(self, name: &'static str) -> Self {
        Self { label: Some(Label::Switch(name)), ..self }
    }

    const fn choice(self, name: &'static str) -> Self {
        Self { label: Some(Label::Choice(name)), ..self }
    }

    const fn command(self, name: &'static str) -> Self {
        Self { label: Some(Label::Command(name)), ..self }
    }
}

impl Bindings {
    /// Returns the help text for the keys.
    #[must_use]
    pub fn help(&self) -> String {
        let mut names: Vec<_> = self.keys.iter().filter_map(|key| Some(key.label()?.name())).collect();
        // Two keys may do the same.
        names.dedup();
        self.help.replace("{}", &names.join(", "))
    }

    /// Returns the labels of the keys.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.chord.label()).collect()
    }

    /// Returns the labels of the keys as in the manual, with signs quoted.
    #[must_use]
    pub fn quoted_labels(&self) -> String {
        let quoted = |label: &String| {
            let is_sign = label.chars().count() == 1 && label.chars().all(|c| c.is_ascii_punctuation());
            if is_sign { format!("`{label}`") } else { label.clone() }
        };
        self.labels().iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// Factor of the smaller step in playback speed.
pub const SPEED_STEP: f64 = 1.1;

const fn seek(secs: f64) -> Action {
    SeekBy { secs, exact: false }
}

const fn parameter(parameter: Parameter, more: bool) -> Action {
    Action::Parameter { parameter, more }
}

const fn seek_exactly(secs: f64) -> Action {
    SeekBy { secs, exact: true }
}

const fn speed_by(factor: f64) -> Action {
    Speed(SpeedChange::By(factor))
}

/// All key bindings.
pub const TABLE: &[Bindings] = &[
    row(Section::Playing, &[key(Named(NamedKey::Space), TogglePause)], "play/pause; at the end, start again"),
    row(
        Section::Playing,
        &[
            key(Symbol("["), speed_by(1.0 / SPEED_STEP)),
            key(Symbol("]"), speed_by(SPEED_STEP)),
            key(Symbol("{"), speed_by(0.5)),
            key(Symbol("}"), speed_by(2.0)),
        ],
        "slower, faster by a tenth; half, double speed",
    ),
    row(
        Section::Playing,
        &[
            key(Control("j"), ChangeVolume { louder: false }).command("quieter"),
            key(Control("k"), ChangeVolume { louder: true }).command("louder"),
            key(Control("a"), ToggleMute).switch("sound"),
            key(Control("e"), NextSound).command("next sound track"),
        ],
        "quieter, louder; sound off and on; next sound track",
    ),
    row(Section::Playing, &[key(Named(NamedKey::Backspace), Speed(SpeedChange::Normal))], "normal speed"),
    row(Section::Playing, &[key(Letter("o"), ToggleLoop).switch("loop")], "{} on and off"),
    row(
        Section::Playing,
        &[key(Control("h"), SwitchDecoder).command("decode with hardware or in software")],
        "decode with hardware, or in software",
    ),
    row(Section::Playing, &[key(Letter("a"), Mark)], "mark A, then B and loop between them, then clear"),
    row(
        Section::Moving,
        &[key(Named(NamedKey::Left), seek(-5.0)), key(Named(NamedKey::Right), seek(5.0))],
        "5 seconds back, forward; hold to scrub",
    ),
    row(
        Section::Moving,
        &[key(ShiftNamed(NamedKey::Left), seek_exactly(-1.0)), key(ShiftNamed(NamedKey::Right), seek_exactly(1.0))],
        "1 second back, forward, to the exact frame",
    ),
    row(
        Section::Moving,
        &[key(Named(NamedKey::Down), seek(-60.0)), key(Named(NamedKey::Up), seek(60.0))],
        "a minute back, forward",
    ),
    row(
        Section::Moving,
        &[key(Symbol(","), Step { forward: false }), key(Symbol("."), Step { forward: true })],
        "one frame back, forward",
    ),
    row(
        Section::Moving,
        &[key(Named(NamedKey::Home), ToStart), key(Named(NamedKey::End), ToEnd)],
        "first frame, last frame",
    ),
    row(Section::Moving, &[key(ShiftNamed(NamedKey::Home), Continue)], "resume where you left off last time"),
    row(
        Section::Moving,
        &[
            key(ShiftNamed(NamedKey::PageUp), ToCut { forward: false }).command("previous cut"),
            key(ShiftNamed(NamedKey::PageDown), ToCut { forward: true }).command("next cut"),
        ],
        "previous, next cut",
    ),
    row(
        Section::Moving,
        &[
            key(ControlNamed(NamedKey::PageUp), ToFinding { forward: false }),
            key(ControlNamed(NamedKey::PageDown), ToFinding { forward: true }),
        ],
        "previous, next finding: black, frozen, flash, clipped …",
    ),
    row(
        Section::Moving,
        &[
            key(ControlShiftNamed(NamedKey::PageUp), OtherFindings { forward: false }),
            key(ControlShiftNamed(NamedKey::PageDown), OtherFindings { forward: true }),
        ],
        "kind to find: all, black, flash, frozen, clipped, timecode, worst",
    ),
    row(
        Section::Moving,
        &[key(ShiftLetter("t"), NextStrip).choice("timeline strip"), key(ControlShift("t"), Setting::StripLine.next())],
        "the clip behind the timeline: tall, off, small; its line",
    ),
    row(Section::Moving, &[key(Control("g"), EnterTime)], "type a time, a frame number or a timecode to go to"),
    row(Section::Moving, &[key(ShiftLetter("g"), NextReadout)], "position as time, frame number, timecode"),
    row(
        Section::Histograms,
        &[
            key(Letter("r"), Setting::Red.switch()),
            key(Letter("g"), Setting::Green.switch()),
            key(Letter("b"), Setting::Blue.switch()),
            key(Letter("l"), Setting::Luminance.switch()),
        ],
        "show or hide {}",
    ),
    row(
        Section::Histograms,
        &[key(Letter("h"), Setting::Histograms.switch()), key(Digit('1'), Setting::Histograms.switch())],
        "show or hide {}",
    ),
    row(
        Section::Histograms,
        &[
            key(Digit('2'), Setting::Waveform.switch()),
            key(Digit('3'), Setting::Parade.switch()),
            key(Digit('4'), Setting::Vectorscope.switch()),
            key(ShiftDigit('6'), Setting::Diagram.next()),
        ],
        "show or hide waveform, parade, vectorscope; its diagram",
    ),
    row(
        Section::Histograms,
        &[key(Digit('0'), Setting::AllScopes.switch()), key(ShiftDigit('0'), Setting::Split.switch())],
        "hide, show all scopes; split layout",
    ),
    row(
        Section::Histograms,
        &[key(ShiftDigit('4'), Setting::Zoom.next()), key(Digit('6'), Setting::SkinTone.switch())],
        "{}",
    ),
    row(Section::Histograms, &[key(Letter("y"), ToggleComponents)], "count Y', Cb and Cr as coded, and back"),
    row(
        Section::Histograms,
        &[key(Letter("v"), Setting::Scale.next())],
        "{}: cut at five means, to the peak, logarithmic",
    ),
    row(Section::Histograms, &[key(ShiftLetter("v"), Setting::Arrangement.next())], "pair, combined, parade, column"),
    row(
        Section::Histograms,
        &[key(Control("l"), Setting::ReferenceLines.switch())],
        "remove the reference lines; drag new ones from an axis",
    ),
    // On American and some other keyboards, the + and = share a key.
    row(
        Section::Histograms,
        &[key(Symbol("-"), Setting::Height.step(false)), key(CharOrUnshifted("+", "="), Setting::Height.step(true))],
        "smaller, larger histograms",
    ),
    row(
        Section::Histograms,
        &[
            key(AltSymbol("-", "-"), Setting::Opacity.step(false)),
            key(AltSymbol("+", "="), Setting::Opacity.step(true)),
        ],
        "less, more opaque histograms",
    ),
    row(Section::Histograms, &[key(ShiftLetter("h"), Setting::Curves.switch())], "{}"),
    row(Section::Histograms, &[key(ShiftLetter("u"), Setting::Backdrop.switch())], "{} behind histograms"),
    row(Section::Adjustments, &[key(ShiftLetter("a"), TogglePanel(Panel::Adjusting))], "panel of all adjustments"),
    row(
        Section::Adjustments,
        &[
            key(ShiftLetter("x"), ToggleAdjustment(Adjustment::Lut)),
            key(ShiftLetter("z"), ToggleAdjustment(Adjustment::CameraLog)),
        ],
        "LUT (a .cube file), camera log; applied first",
    ),
    row(Section::Adjustments, &[key(Letter("u"), ToggleAdjustment(Adjustment::Blur))], "low-pass filter"),
    row(
        Section::Adjustments,
        &[
            key(Letter("e"), ToggleAdjustment(Adjustment::Equalize)),
            key(ShiftLetter("e"), ToggleAdjustment(Adjustment::Channels)),
        ],
        "equalize luminance, each channel",
    ),
    row(
        Section::Adjustments,
        &[key(Letter("k"), ToggleAdjustment(Adjustment::Clahe))],
        "equalize tile by tile (CLAHE)",
    ),
    row(Section::Adjustments, &[key(Letter("z"), ToggleAdjustment(Adjustment::Posterize))], "posterize: few levels"),
    row(Section::Adjustments, &[key(Letter("x"), ToggleAdjustment(Adjustment::Otsu))], "classes by Otsu's thresholds"),
    row(
        Section::Adjustments,
        &[
            key(AltNamed(NamedKey::Left), parameter(Parameter::Main, false)),
            key(AltNamed(NamedKey::Right), parameter(Parameter::Main, true)),
        ],
        "less, more of the adjustment switched on last",
    ),
    row(
        Section::Adjustments,
        &[
            key(AltNamed(NamedKey::Down), parameter(Parameter::Second, false)),
            key(AltNamed(NamedKey::Up), parameter(Parameter::Second, true)),
        ],
        "its other parameter",
    ),
    row(
        Section::Adjustments,
        &[key(Letter("w"), Setting::Sharing.switch()), key(ShiftLetter("w"), Setting::Sharing.next())],
        "divider between two pictures; side by side, their difference",
    ),
    row(
        Section::Adjustments,
        &[key(AltSymbol(",", ","), Setting::Gain.step(false)), key(AltSymbol(".", "."), Setting::Gain.step(true))],
        "half, double gain of the difference",
    ),
    row(Section::Adjustments, &[key(Letter("j"), Setting::Counted.next())], "{}: source, result, both"),
    row(
        Section::Reading,
        &[
            key(Letter("n"), TogglePanel(Panel::Numbers)).switch("numbers"),
            key(ShiftLetter("i"), PinProbe).command("pin a probe"),
            key(Control("i"), Setting::Probes.switch()),
        ],
        "numbers of the frame; pin, remove a probe; remove all",
    ),
    row(
        Section::Reading,
        &[key(Letter("p"), HoldFrame).command("hold this frame"), key(ShiftLetter("p"), FlipHeld)],
        "hold this frame to compare; show it",
    ),
    row(
        Section::Reading,
        &[
            key(Control(","), ShiftSecond { frames: -1 }).command("shift the second clip back"),
            key(Control("."), ShiftSecond { frames: 1 }).command("shift the second clip forward"),
        ],
        "shift the second clip by a frame (--compare)",
    ),
    row(
        Section::Reading,
        &[
            key(Control("m"), MatchSecond).command("match the second clip"),
            key(Control("b"), HearSecond).command("hear the other clip"),
        ],
        "match both clips; hear the other",
    ),
    row(
        Section::Reading,
        &[
            key(Letter("i"), TogglePanel(Panel::Info)),
            key(ShiftLetter("k"), TogglePanel(Panel::Checks)).switch("the check"),
        ],
        "information on the video; {}",
    ),
    row(
        Section::Reading,
        &[
            key(Letter("t"), TogglePanel(Panel::Timing)),
            key(ShiftLetter("j"), TogglePanel(Panel::Sound)).switch("the sound meters"),
            key(ControlShift("j"), ResetMeters).command("reset the sound meters"),
        ],
        "times of each pass; sound meters, their reset",
    ),
    row(
        Section::Reading,
        &[
            key(ShiftLetter("l"), ToggleLab).switch("the lab"),
            key(ShiftLetter("d"), PauseLab),
            key(Symbol("<"), StepLabDiagram { forward: false }),
            key(Symbol(">"), StepLabDiagram { forward: true }),
        ],
        "{}; pause and step its diagram",
    ),
    row(
        Section::Reading,
        &[
            key(ShiftNamed(NamedKey::Up), StepLab { forward: false }),
            key(ShiftNamed(NamedKey::Down), StepLab { forward: true }),
            key(Control("u"), EnlargeLab),
        ],
        "method of the lab; large, code",
    ),
    row(
        Section::Reading,
        &[
            key(AltNamed(NamedKey::PageUp), StepLabTopic { forward: false }),
            key(AltNamed(NamedKey::PageDown), StepLabTopic { forward: true }),
        ],
        "topic of the lab",
    ),
    row(
        Section::Reading,
        &[key(Letter("m"), Reinterpret(Property::Matrix)), key(ShiftLetter("m"), Reinterpret(Property::Range))],
        "read with the next colour matrix, range",
    ),
    row(Section::Reading, &[key(Control("t"), Reinterpret(Property::Transfer))], "read as PQ, HLG, BT.1886, as tagged"),
    row(
        Section::Reading,
        &[key(ShiftLetter("y"), Reinterpret(Property::ChromaLines))],
        "read 4:2:0 chroma by frame or by field",
    ),
    row(
        Section::Reading,
        &[key(ShiftLetter("f"), Reinterpret(Property::Field))],
        "count the top field, the bottom field, both",
    ),
    row(
        Section::Picture,
        &[
            key(Digit('9'), Setting::Zebra.switch()),
            key(ShiftDigit('9'), Setting::Marks.switch()),
            key(Control("f"), Setting::Peaking.next()),
        ],
        "zebra, clipping marks, focus peaking",
    ),
    row(
        Section::Picture,
        &[key(Digit('7'), Setting::Zebra.step(false)), key(Digit('8'), Setting::Zebra.step(true))],
        "zebra from 1 % lower, higher",
    ),
    row(
        Section::Picture,
        &[key(ShiftDigit('8'), Setting::Marks.next())],
        "marks: clipped, codes outside EBU R 103, beyond own levels",
    ),
    row(
        Section::Picture,
        &[key(Digit('5'), Setting::FalseColor.switch()), key(ShiftDigit('5'), Setting::FalseColor.next())],
        "false colour by brightness; its next scale",
    ),
    row(
        Section::Picture,
        &[key(ShiftLetter("o"), Setting::Guides.switch()), key(ShiftDigit('7'), Setting::Mask.next())],
        "guides (safe areas …); aspect mask",
    ),
    row(Section::Picture, &[key(Letter("d"), Setting::Datascope.next())], "{} from 16:1 on: decimal, hexadecimal, off"),
    row(
        Section::Picture,
        &[
            key(ShiftLetter("b"), Setting::ToneMapping.next()),
            key(ControlNamed(NamedKey::Down), Setting::Exposure.step(false)),
            key(ControlNamed(NamedKey::Up), Setting::Exposure.step(true)),
        ],
        "next tone map of PQ and HLG; half a stop darker, brighter",
    ),
    row(
        Section::Picture,
        &[key(Letter("c"), Setting::Fit.next()), key(ShiftLetter("c"), ResetView).command("reset view")],
        "next fit; reset fit, zoom, exposure",
    ),
    row(
        Section::Picture,
        &[key(ShiftLetter("r"), FindBars), key(Named(NamedKey::Enter), TakeRegion)],
        "propose a region without black bars, take it",
    ),
    row(
        Section::Picture,
        &[
            key(ControlNamed(NamedKey::Left), MoveLine { forward: false }),
            key(ControlNamed(NamedKey::Right), MoveLine { forward: true }),
            key(Control("d"), ClearRegion).command("clear the region"),
        ],
        "move a counted line; clear the region",
    ),
    row(
        Section::Picture,
        &[key(Letter("s"), Save).command("save a labelled picture"), key(ShiftLetter("s"), SaveBare)],
        "save a labelled picture, the bare view; with bins as JSON",
    ),
    row(
        Section::Picture,
        &[
            key(Control("c"), CopyValues).command("copy the values"),
            key(ControlShift("c"), CopyPicture).command("copy the picture"),
        ],
        "copy the values under the pointer, the picture",
    ),
    row(Section::Picture, &[key(Letter("f"), ToggleFullscreen)], "full screen and back"),
    row(
        Section::Picture,
        &[key(Control("z"), Undo).command("undo"), key(ControlShift("z"), Redo).command("redo")],
        "undo, redo a change of view, channels, adjustments",
    ),
    row(
        Section::Window,
        &[key(Control("o"), OpenFile).command("open a file …")],
        "open a file; or drop one on the window",
    ),
    row(Section::Window, &[key(Control("r"), OpenRecent), key(Control("p"), OpenPresets)], "recent files; presets"),
    row(
        Section::Window,
        &[
            key(Named(NamedKey::PageUp), OtherFile { forward: false }),
            key(Named(NamedKey::PageDown), OtherFile { forward: true }),
        ],
        "previous, next file",
    ),
    row(
        Section::Window,
        &[key(Named(NamedKey::Menu), OpenMenu), key(ShiftNamed(NamedKey::F10), OpenMenu)],
        "the menu; arrows, Enter and letters choose",
    ),
    row(
        Section::Window,
        &[key(Named(NamedKey::Tab), TogglePinned)],
        "controls stay; of several compared clips, the next",
    ),
    row(
        Section::Window,
        &[key(Symbol("?"), ToggleHelp).command("all keys"), key(Named(NamedKey::F1), ToggleHelp).command("all keys")],
        "these keys",
    ),
    row(Section::Window, &[key(Named(NamedKey::Escape), Back)], "leave full screen; close or clear the topmost thing"),
    row(Section::Window, &[key(Letter("q"), Quit)], "quit"),
];

/// Pointer gestures and their descriptions, for the help sheet.
pub const GESTURES: &[(&str, &str)] = &[
    ("drag the timeline, wheel", "scrub; a second back, forward"),
    ("drag a histogram", "highlight the pixels with these codes"),
    ("… with r, g, b or l held", "only in that channel"),
    ("drag from a scope's axis", "add a reference line; drag it out to remove it"),
    ("drag the picture", "move it"),
    ("Shift+drag", "count this region only"),
    ("Shift+click, wheel", "count a row (Alt: column); move it"),
    ("drag its border, handles", "move, resize the region"),
    ("double-click the picture", "full screen and back"),
    ("right-click", "common actions"),
    ("drag the divider", "move the line between two pictures"),
    ("double-click a slider", "reset it; also on its value"),
    ("wheel", "zoom at the pointer"),
    ("rest on anything", "read its values"),
];
