//! The table of keys.

use super::action::Action::{self, *};
use super::action::SpeedChange;
use super::chord::Chord::{
    self, AltNamed, AltSign, Control, ControlNamed, ControlShift, ControlShiftNamed, Digit, Letter, Named, ShiftDigit,
    ShiftLetter, ShiftNamed, Sign, SignOver,
};
use super::chord::NamedKey;
use histoscope_core::adjust::{Adjustment, Parameter};

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
            Self::Histograms => "Histograms and scopes",
            Self::Adjustments => "Adjustments",
            Self::Picture => "Picture",
            Self::Reading => "Reading",
            Self::Window => "Files and window",
        }
    }
}

/// A line of the table: keys that belong together, what each does, and the words for it.
#[derive(Debug, Clone, Copy)]
pub struct Bindings {
    /// Where the line stands on the help sheet.
    pub section: Section,
    /// The keys and what they do.
    pub keys: &'static [(Chord, Action)],
    /// What they do in words.
    pub help: &'static str,
}

impl Bindings {
    /// The keys as the help sheet names them.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.keys.iter().map(|(chord, _)| chord.label()).collect()
    }
}

/// The smaller step of the speed.
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

/// Every key that does something.
pub const TABLE: &[Bindings] = &[
    Bindings {
        section: Section::Playing,
        keys: &[(Named(NamedKey::Space), TogglePause)],
        help: "pause and go on; at the end, start again",
    },
    Bindings {
        section: Section::Playing,
        keys: &[(Sign("["), speed_by(1.0 / SPEED_STEP)), (Sign("]"), speed_by(SPEED_STEP))],
        help: "slower, faster by a tenth",
    },
    Bindings {
        section: Section::Playing,
        keys: &[(Sign("{"), speed_by(0.5)), (Sign("}"), speed_by(2.0))],
        help: "half, double speed",
    },
    Bindings {
        section: Section::Playing,
        keys: &[(Named(NamedKey::Backspace), Speed(SpeedChange::Normal))],
        help: "normal speed",
    },
    Bindings { section: Section::Playing, keys: &[(Letter("o"), ToggleLoop)], help: "loop on and off" },
    Bindings {
        section: Section::Playing,
        keys: &[(Letter("a"), Mark)],
        help: "mark A, then B and loop between them, then clear",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(Named(NamedKey::Left), seek(-5.0)), (Named(NamedKey::Right), seek(5.0))],
        help: "5 seconds back, forward; held, scrub",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(ShiftNamed(NamedKey::Left), seek_exactly(-1.0)), (ShiftNamed(NamedKey::Right), seek_exactly(1.0))],
        help: "1 second back, forward, to the exact frame",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(Named(NamedKey::Down), seek(-60.0)), (Named(NamedKey::Up), seek(60.0))],
        help: "a minute back, forward",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(Sign(","), Step { forward: false }), (Sign("."), Step { forward: true })],
        help: "one frame back, forward",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(Named(NamedKey::Home), ToStart), (Named(NamedKey::End), ToEnd)],
        help: "first frame, last frame",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(ShiftNamed(NamedKey::Home), Continue)],
        help: "where the video was left the last time",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            (ShiftNamed(NamedKey::PageUp), ToCut { forward: false }),
            (ShiftNamed(NamedKey::PageDown), ToCut { forward: true }),
        ],
        help: "previous, next cut",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            (ControlNamed(NamedKey::PageUp), ToFinding { forward: false }),
            (ControlNamed(NamedKey::PageDown), ToFinding { forward: true }),
        ],
        help: "previous, next black, frozen, clipped or worst frame, timecode break",
    },
    Bindings {
        section: Section::Moving,
        keys: &[
            (ControlShiftNamed(NamedKey::PageUp), OtherFindings { forward: false }),
            (ControlShiftNamed(NamedKey::PageDown), OtherFindings { forward: true }),
        ],
        help: "which of those: all, black, frozen, clipped, timecode, worst",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(ShiftLetter("t"), NextStrip)],
        help: "the clip behind the timeline: tall, off, small",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(Control("g"), EnterTime)],
        help: "type a time, a frame number or a timecode to go to",
    },
    Bindings {
        section: Section::Moving,
        keys: &[(ShiftLetter("g"), NextReadout)],
        help: "position as time, frame number, timecode",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[
            (Letter("r"), ToggleChannel(0)),
            (Letter("g"), ToggleChannel(1)),
            (Letter("b"), ToggleChannel(2)),
            (Letter("l"), ToggleChannel(3)),
        ],
        help: "show or hide red, green, blue, luminance",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(Letter("h"), ToggleOverlays), (Digit('1'), ToggleOverlays)],
        help: "show or hide all histograms",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(Digit('2'), ToggleWaveform), (Digit('3'), ToggleParade), (Digit('4'), ToggleVectorscope)],
        help: "show or hide waveform, parade, vectorscope",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(Digit('0'), ToggleScopes), (ShiftDigit('0'), ToggleWall)],
        help: "all scopes off, and back; scopes beside the picture",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(Letter("y"), ToggleComponents)],
        help: "count Y', Cb and Cr as coded, and back",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(Letter("v"), ToggleLogarithmic)],
        help: "linear or logarithmic height",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(ShiftLetter("v"), NextArrangement)],
        help: "pair, combined, parade, column",
    },
    Bindings {
        section: Section::Histograms,
        // American keyboards and others have + above =.
        keys: &[(Sign("-"), Enlarge { more: false }), (SignOver("+", "="), Enlarge { more: true })],
        help: "smaller, larger histograms",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(AltSign("-", "-"), Opaque { more: false }), (AltSign("+", "="), Opaque { more: true })],
        help: "less, more opaque histograms",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(ShiftLetter("h"), ToggleCurves)],
        help: "cumulative histograms as curves",
    },
    Bindings {
        section: Section::Histograms,
        keys: &[(ShiftLetter("u"), ToggleBackdrop)],
        help: "soft backdrop behind histograms",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(ShiftLetter("a"), ToggleAdjusting)],
        help: "panel of all adjustments",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("u"), ToggleAdjustment(Adjustment::Blur))],
        help: "low-pass before everything else",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            (Letter("e"), ToggleAdjustment(Adjustment::Equalize)),
            (ShiftLetter("e"), ToggleAdjustment(Adjustment::Channels)),
        ],
        help: "equalize luminance, each channel",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("k"), ToggleAdjustment(Adjustment::Clahe))],
        help: "equalize tile by tile (CLAHE)",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("z"), ToggleAdjustment(Adjustment::Posterize))],
        help: "posterize: few levels",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("x"), ToggleAdjustment(Adjustment::Otsu))],
        help: "classes by Otsu's thresholds",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            (AltNamed(NamedKey::Left), parameter(Parameter::Main, false)),
            (AltNamed(NamedKey::Right), parameter(Parameter::Main, true)),
        ],
        help: "less, more of the last one switched on",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[
            (AltNamed(NamedKey::Down), parameter(Parameter::Second, false)),
            (AltNamed(NamedKey::Up), parameter(Parameter::Second, true)),
        ],
        help: "the other parameter of that one",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("w"), ToggleDivider), (ShiftLetter("w"), NextSharing)],
        help: "divider between two pictures; side by side, their difference",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(AltSign(",", ","), StepGain { more: false }), (AltSign(".", "."), StepGain { more: true })],
        help: "half, double gain of the difference",
    },
    Bindings {
        section: Section::Adjustments,
        keys: &[(Letter("j"), NextCounted)],
        help: "count the source, the result, both",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Letter("n"), ToggleNumbers)],
        help: "the frame's numbers: mean, percentiles, clipping",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Letter("p"), HoldFrame), (ShiftLetter("p"), FlipHeld)],
        help: "hold this frame to compare with, let go; show it in turn",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Control(","), ShiftSecond { frames: -1 }), (Control("."), ShiftSecond { frames: 1 })],
        help: "shift the second clip by a frame (--compare)",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Control("m"), MatchSecond)],
        help: "find the shift at which both clips match",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Letter("i"), ToggleInfo)],
        help: "what is known about the video, and what is guessed",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Letter("t"), ToggleTiming)],
        help: "times of each pass, frames dropped",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(ShiftLetter("l"), ToggleLab)],
        help: "the lab: how GPUs count, at work on the picture",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            (ShiftNamed(NamedKey::Up), StepLab { forward: false }),
            (ShiftNamed(NamedKey::Down), StepLab { forward: true }),
        ],
        help: "previous, next method of the lab",
    },
    Bindings {
        section: Section::Reading,
        keys: &[
            (AltNamed(NamedKey::PageUp), StepLabTopic { forward: false }),
            (AltNamed(NamedKey::PageDown), StepLabTopic { forward: true }),
        ],
        help: "the lab's topic: counting, prefix sum, blur",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(Letter("m"), NextMatrix)],
        help: "read with the next colour matrix",
    },
    Bindings { section: Section::Reading, keys: &[(ShiftLetter("m"), NextRange)], help: "read with the next range" },
    Bindings {
        section: Section::Reading,
        keys: &[(ShiftLetter("y"), NextChromaLines)],
        help: "read 4:2:0 chroma by frame or by field",
    },
    Bindings {
        section: Section::Reading,
        keys: &[(ShiftLetter("f"), NextField)],
        help: "show and count the top field, the bottom field, both",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Digit('9'), ToggleZebra), (ShiftDigit('9'), ToggleMarks)],
        help: "zebras on what is bright; marks on what is clipped or illegal",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Digit('7'), StepZebra { more: false }), (Digit('8'), StepZebra { more: true })],
        help: "zebras from 1 % lower, higher on",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(ShiftDigit('8'), NextMarks)],
        help: "mark what is clipped, outside EBU R 103, beyond own levels",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Digit('5'), ToggleFalseColor), (ShiftDigit('5'), NextFalseColor)],
        help: "false colour: how bright each pixel is; the next table of it",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Letter("d"), NextDatascope)],
        help: "codes in pixels from 16:1 on: decimal, hexadecimal, off",
    },
    Bindings { section: Section::Picture, keys: &[(Letter("c"), NextFit)], help: "cover (the default), contain, 1:1" },
    Bindings { section: Section::Picture, keys: &[(ShiftLetter("c"), ResetView)], help: "undo fit, zoom and pan" },
    Bindings {
        section: Section::Picture,
        keys: &[(ShiftLetter("r"), FindBars), (Named(NamedKey::Enter), TakeRegion)],
        help: "propose a region without black bars, take it",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Control("d"), ClearRegion)],
        help: "clear the region: count all again",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Letter("s"), Save), (ShiftLetter("s"), SaveBare)],
        help: "save a labelled picture, the bare view; with bins as JSON",
    },
    Bindings {
        section: Section::Picture,
        keys: &[(Control("c"), CopyValues), (ControlShift("c"), CopyPicture)],
        help: "copy the values under the pointer, the picture",
    },
    Bindings { section: Section::Picture, keys: &[(Letter("f"), ToggleFullscreen)], help: "full screen and back" },
    Bindings {
        section: Section::Picture,
        keys: &[(Control("z"), Undo), (ControlShift("z"), Redo)],
        help: "undo, redo a change of view, channels, adjustments",
    },
    Bindings {
        section: Section::Window,
        keys: &[(Control("o"), OpenFile)],
        help: "open a file; or drop one on the window",
    },
    Bindings { section: Section::Window, keys: &[(Control("r"), OpenRecent)], help: "open one of the recent files" },
    Bindings {
        section: Section::Window,
        keys: &[
            (Named(NamedKey::PageUp), OtherFile { forward: false }),
            (Named(NamedKey::PageDown), OtherFile { forward: true }),
        ],
        help: "previous, next file",
    },
    Bindings {
        section: Section::Window,
        keys: &[(Named(NamedKey::Tab), TogglePinned)],
        help: "keep the controls on screen",
    },
    Bindings {
        section: Section::Window,
        keys: &[(Sign("?"), ToggleHelp), (Named(NamedKey::F1), ToggleHelp)],
        help: "these keys",
    },
    Bindings {
        section: Section::Window,
        keys: &[(Named(NamedKey::Escape), Back)],
        help: "leave full screen; close panels; clear the selection; else quit",
    },
    Bindings { section: Section::Window, keys: &[(Letter("q"), Quit)], help: "quit" },
];

/// What the pointer does, for the help sheet.
pub const GESTURES: &[(&str, &str)] = &[
    ("drag the timeline", "scrub"),
    ("drag a histogram", "light up the pixels of those codes"),
    ("the same, a letter held", "in that channel alone"),
    ("drag the picture", "move it"),
    ("Shift+drag", "count this region only"),
    ("drag its border, handles", "move, resize the region"),
    ("double-click the picture", "full screen and back"),
    ("right-click", "a menu of what one does most"),
    ("drag the divider", "move the line between two pictures"),
    ("double-click a slider", "as at first; so its value"),
    ("wheel", "zoom at the pointer"),
    ("rest on anything", "read its values"),
];
