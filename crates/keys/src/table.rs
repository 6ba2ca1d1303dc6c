//! The table of keys.

use super::action::Action::{self, *};
use super::action::SpeedChange;
use super::chord::Chord::{
    self, AltNamed, AltSymbol, CharOrUnshifted, Control, ControlNamed, ControlShift, ControlShiftNamed, Digit, Letter,
    Named, ShiftDigit, ShiftLetter, ShiftNamed, Symbol,
};
use super::chord::NamedKey;
use super::label::Label;
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

/// A key with its action and the action's name.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key with its modifiers.
    pub chord: Chord,
    /// The action.
    pub action: Action,
    /// The name of the action in the menu, notes and undo, if it has one.
    pub label: Option<Label>,
}

const fn key(chord: Chord, action: Action) -> Key {
    Key { chord, action, label: None }
}

impl Key {
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
        let names = || self.keys.iter().filter_map(|key| Some(key.label?.name())).collect::<Vec<_>>().join(", ");
        if self.help.contains("{}") { self.help.replace("{}", &names()) } else { self.help.to_owned() }
    }

    /// Returns the labels of the keys.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.chord.label()).collect()
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
    Bindings {
        section: Section::Playing,
        keys: &[key(Named(NamedKey::Space), TogglePause)],
        help: "play/pause; at the end, start again",
    },
    Bindings {
        section: Section::Playing,
        keys: &[key(Symbol("["), speed_by(1.0 / SPEED_STEP)), key(Symbol("]"), speed_by(SPEED_STEP))],
        help: "slower, faster by a tenth",
    },
    Bindings {
        section: Section::Playing,
        keys: &[key(Symbol("{"), speed_by(0.5)), key(Symbol("}"), speed_by(2.0))],
        help: "half, double speed",
    },
    Bindings {
        section: Section::Playing,
        keys: &[key(Named(NamedKey::Backspace), Speed(SpeedChange::Normal))],
        help: "normal speed",
    },
    Bindings { section: Section::Playing, keys: &[key(Letter("o"), ToggleLoop).switch("loop")], help: "{} on and off" },
    Bindings {
        section: Section::Playing,
        keys: &[key(Control("h"), SwitchDecoder).command("decode with hardware or in software")],
        help: "decode with hardware, or in software",
    },
    Bindings {
        section: Section::Playing,
        keys: &[key(Letter("a"), Mark)],
        help: "mark A, then B and loop between them, then clear",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(Named(NamedKey::Left), seek(-5.0)), key(Named(NamedKey::Right), seek(5.0))],
        help: "5 seconds back, forward; hold to scrub",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            key(ShiftNamed(NamedKey::Left), seek_exactly(-1.0)),
            key(ShiftNamed(NamedKey::Right), seek_exactly(1.0)),
        ],
        help: "1 second back, forward, to the exact frame",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(Named(NamedKey::Down), seek(-60.0)), key(Named(NamedKey::Up), seek(60.0))],
        help: "a minute back, forward",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(Symbol(","), Step { forward: false }), key(Symbol("."), Step { forward: true })],
        help: "one frame back, forward",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(Named(NamedKey::Home), ToStart), key(Named(NamedKey::End), ToEnd)],
        help: "first frame, last frame",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(ShiftNamed(NamedKey::Home), Continue)],
        help: "resume where you left off last time",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            key(ShiftNamed(NamedKey::PageUp), ToCut { forward: false }).command("previous cut"),
            key(ShiftNamed(NamedKey::PageDown), ToCut { forward: true }).command("next cut"),
        ],
        help: "previous, next cut",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            key(ControlNamed(NamedKey::PageUp), ToFinding { forward: false }),
            key(ControlNamed(NamedKey::PageDown), ToFinding { forward: true }),
        ],
        help: "previous, next finding: black, frozen, flash, clipped …",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            key(ControlShiftNamed(NamedKey::PageUp), OtherFindings { forward: false }),
            key(ControlShiftNamed(NamedKey::PageDown), OtherFindings { forward: true }),
        ],
        help: "kind to find: all, black, flash, frozen, clipped, timecode, worst",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(ShiftLetter("t"), NextStrip).choice("timeline strip")],
        help: "the clip behind the timeline: tall, off, small",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(Control("g"), EnterTime)],
        help: "type a time, a frame number or a timecode to go to",
    },
    Bindings {
        section: Section::Moving,
        keys: &[key(ShiftLetter("g"), NextReadout)],
        help: "position as time, frame number, timecode",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            key(Letter("r"), ToggleChannel(0)).switch("red"),
            key(Letter("g"), ToggleChannel(1)).switch("green"),
            key(Letter("b"), ToggleChannel(2)).switch("blue"),
            key(Letter("l"), ToggleChannel(3)).switch("luminance"),
        ],
        help: "show or hide {}",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(Letter("h"), ToggleOverlays).switch("histograms"), key(Digit('1'), ToggleOverlays)],
        help: "show or hide {}",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            key(Digit('2'), ToggleWaveform).switch("waveform"),
            key(Digit('3'), ToggleParade).switch("parade"),
            key(Digit('4'), ToggleVectorscope).switch("vectorscope"),
            key(ShiftDigit('6'), NextDiagram).choice("vectorscope diagram"),
        ],
        help: "show or hide waveform, parade, vectorscope; its diagram",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            key(Digit('0'), ToggleScopes).switch("all scopes"),
            key(ShiftDigit('0'), ToggleSplit).switch("split layout"),
        ],
        help: "hide, show all scopes; split layout",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            key(ShiftDigit('4'), NextZoom).choice("vectorscope zoom"),
            key(Digit('6'), ToggleSkinTone).switch("skin-tone line"),
        ],
        help: "{}",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(Letter("y"), ToggleComponents)],
        help: "count Y', Cb and Cr as coded, and back",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(Letter("v"), NextScale).choice("bar heights")],
        help: "{}: cut at five means, to the peak, logarithmic",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(ShiftLetter("v"), NextArrangement).choice("arrangement")],
        help: "pair, combined, parade, column",
    },
    Bindings {
        section: Section::Histograms,
        // On American and some other keyboards, the + and = share a key.
        keys: &[
            key(Symbol("-"), Enlarge { more: false }).choice("histogram height"),
            key(CharOrUnshifted("+", "="), Enlarge { more: true }).choice("histogram height"),
        ],
        help: "smaller, larger histograms",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            key(AltSymbol("-", "-"), Opaque { more: false }).choice("histogram opacity"),
            key(AltSymbol("+", "="), Opaque { more: true }).choice("histogram opacity"),
        ],
        help: "less, more opaque histograms",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(ShiftLetter("h"), ToggleCurves).switch("cumulative curves")],
        help: "{}",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[key(ShiftLetter("u"), ToggleBackdrop).switch("soft backdrop")],
        help: "{} behind histograms",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(ShiftLetter("a"), ToggleAdjusting)],
        help: "panel of all adjustments",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            key(ShiftLetter("x"), ToggleAdjustment(Adjustment::Lut)),
            key(ShiftLetter("z"), ToggleAdjustment(Adjustment::CameraLog)),
        ],
        help: "LUT (a .cube file), camera log; applied first",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("u"), ToggleAdjustment(Adjustment::Blur))],
        help: "low-pass filter",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            key(Letter("e"), ToggleAdjustment(Adjustment::Equalize)),
            key(ShiftLetter("e"), ToggleAdjustment(Adjustment::Channels)),
        ],
        help: "equalize luminance, each channel",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("k"), ToggleAdjustment(Adjustment::Clahe))],
        help: "equalize tile by tile (CLAHE)",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("z"), ToggleAdjustment(Adjustment::Posterize))],
        help: "posterize: few levels",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("x"), ToggleAdjustment(Adjustment::Otsu))],
        help: "classes by Otsu's thresholds",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            key(AltNamed(NamedKey::Left), parameter(Parameter::Main, false)),
            key(AltNamed(NamedKey::Right), parameter(Parameter::Main, true)),
        ],
        help: "less, more of the adjustment switched on last",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            key(AltNamed(NamedKey::Down), parameter(Parameter::Second, false)),
            key(AltNamed(NamedKey::Up), parameter(Parameter::Second, true)),
        ],
        help: "its other parameter",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("w"), ToggleDivider), key(ShiftLetter("w"), NextSharing)],
        help: "divider between two pictures; side by side, their difference",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            key(AltSymbol(",", ","), StepGain { more: false }).command("halve the difference"),
            key(AltSymbol(".", "."), StepGain { more: true }).command("double the difference"),
        ],
        help: "half, double gain of the difference",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[key(Letter("j"), NextCounted).choice("counted")],
        help: "{}: source, result, both",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Letter("n"), ToggleNumbers).switch("numbers")],
        help: "{} of the frame: mean, percentiles, clipping",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Letter("p"), HoldFrame).command("hold this frame"), key(ShiftLetter("p"), FlipHeld)],
        help: "hold/release this frame as comparison; show it in turn",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            key(Control(","), ShiftSecond { frames: -1 }).command("shift the second clip to a frame earlier"),
            key(Control("."), ShiftSecond { frames: 1 }).command("shift the second clip to a frame later"),
        ],
        help: "shift the second clip by a frame (--compare)",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Control("m"), MatchSecond).command("match the second clip")],
        help: "find the shift at which both clips match",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Letter("i"), ToggleInfo), key(ShiftLetter("k"), ToggleChecks).switch("the check")],
        help: "information on the video; {}",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Letter("t"), ToggleTiming)],
        help: "times of each pass, frames dropped",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            key(ShiftLetter("l"), ToggleLab).switch("the lab"),
            key(ShiftLetter("d"), PauseLab),
            key(Symbol("<"), StepLabDiagram { forward: false }),
            key(Symbol(">"), StepLabDiagram { forward: true }),
        ],
        help: "{}; pause and step its diagram",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            key(ShiftNamed(NamedKey::Up), StepLab { forward: false }),
            key(ShiftNamed(NamedKey::Down), StepLab { forward: true }),
        ],
        help: "previous, next method of the lab",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            key(AltNamed(NamedKey::PageUp), StepLabTopic { forward: false }),
            key(AltNamed(NamedKey::PageDown), StepLabTopic { forward: true }),
        ],
        help: "the lab's topic: basics, counting, prefix sum, blur, drawing",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Letter("m"), NextMatrix), key(ShiftLetter("m"), NextRange)],
        help: "read with the next colour matrix, range",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(Control("t"), NextTransfer)],
        help: "read as PQ, HLG, BT.1886, as tagged",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(ShiftLetter("y"), NextChromaLines)],
        help: "read 4:2:0 chroma by frame or by field",
    },
    Bindings {
        section: Section::Reading,
        keys: &[key(ShiftLetter("f"), NextField)],
        help: "show and count the top field, the bottom field, both",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Digit('9'), ToggleZebra).switch("zebra"), key(ShiftDigit('9'), ToggleMarks).switch("marks")],
        help: "zebra on bright areas; marks on clipped or illegal pixels",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Digit('7'), StepZebra { more: false }), key(Digit('8'), StepZebra { more: true })],
        help: "zebra from 1 % lower, higher",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(ShiftDigit('8'), NextMarks)],
        help: "marks: clipped, outside EBU R 103, beyond own levels",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Digit('5'), ToggleFalseColor).switch("false colour"), key(ShiftDigit('5'), NextFalseColor)],
        help: "false colour by brightness; its next scale",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Letter("d"), NextDatascope).choice("codes in pixels")],
        help: "{} from 16:1 on: decimal, hexadecimal, off",
    },
    Bindings {
        section: Section::Picture,
        keys: &[
            key(ShiftLetter("b"), NextToneMapping).choice("tone map"),
            key(ControlNamed(NamedKey::Down), StepExposure { more: false }).choice("exposure"),
            key(ControlNamed(NamedKey::Up), StepExposure { more: true }).choice("exposure"),
        ],
        help: "next tone map of PQ and HLG; half a stop darker, brighter",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Letter("c"), NextFit).choice("fit")],
        help: "{}: cover (default), contain, 1:1",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(ShiftLetter("c"), ResetView).command("reset view")],
        help: "reset fit, zoom, pan and exposure",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(ShiftLetter("r"), FindBars), key(Named(NamedKey::Enter), TakeRegion)],
        help: "propose a region without black bars, take it",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Control("d"), ClearRegion).command("clear the region")],
        help: "clear the region",
    },
    Bindings {
        section: Section::Picture,
        keys: &[key(Letter("s"), Save).command("save a labelled picture"), key(ShiftLetter("s"), SaveBare)],
        help: "save a labelled picture, the bare view; with bins as JSON",
    },
    Bindings {
        section: Section::Picture,
        keys: &[
            key(Control("c"), CopyValues).command("copy the values"),
            key(ControlShift("c"), CopyPicture).command("copy the picture"),
        ],
        help: "copy the values under the pointer, the picture",
    },
    Bindings { section: Section::Picture, keys: &[key(Letter("f"), ToggleFullscreen)], help: "full screen and back" },
    Bindings {
        section: Section::Picture,
        keys: &[key(Control("z"), Undo).command("undo"), key(ControlShift("z"), Redo).command("redo")],
        help: "undo, redo a change of view, channels, adjustments",
    },
    Bindings {
        section: Section::Window,
        keys: &[key(Control("o"), OpenFile).command("open a file …")],
        help: "open a file; or drop one on the window",
    },
    Bindings { section: Section::Window, keys: &[key(Control("r"), OpenRecent)], help: "open one of the recent files" },
    Bindings {
        section: Section::Window,
        keys: &[
            key(Named(NamedKey::PageUp), OtherFile { forward: false }),
            key(Named(NamedKey::PageDown), OtherFile { forward: true }),
        ],
        help: "previous, next file",
    },
    Bindings {
        section: Section::Window,
        keys: &[key(Named(NamedKey::Tab), TogglePinned)],
        help: "keep the controls on screen",
    },
    Bindings {
        section: Section::Window,
        keys: &[
            key(Symbol("?"), ToggleHelp).command("all keys"),
            key(Named(NamedKey::F1), ToggleHelp).command("all keys"),
        ],
        help: "these keys",
    },
    Bindings {
        section: Section::Window,
        keys: &[key(Named(NamedKey::Escape), Back)],
        help: "leave full screen; close or clear the topmost thing",
    },
    Bindings { section: Section::Window, keys: &[key(Letter("q"), Quit)], help: "quit" },
];

/// Pointer gestures and their descriptions, for the help sheet.
pub const GESTURES: &[(&str, &str)] = &[
    ("drag the timeline, wheel", "scrub; a second back, forward"),
    ("drag a histogram", "highlight the pixels with these codes"),
    ("… with r, g, b or l held", "only in that channel"),
    ("drag the picture", "move it"),
    ("Shift+drag", "count this region only"),
    ("drag its border, handles", "move, resize the region"),
    ("double-click the picture", "full screen and back"),
    ("right-click", "common actions"),
    ("drag the divider", "move the line between two pictures"),
    ("double-click a slider", "reset it; also on its value"),
    ("wheel", "zoom at the pointer"),
    ("rest on anything", "read its values"),
];
