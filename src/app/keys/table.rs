//! The table of keys.

use winit::keyboard::NamedKey;

use super::Action::{self, *};
use super::Chord::{AltNamed, Base, Control, Letter, Named, ShiftBase, ShiftLetter, ShiftNamed, Sign};
use super::{Kind, Parameter, Row, Section, SpeedChange};

/// The smaller step of the speed.
pub const SPEED_STEP: f64 = 1.1;

/// The signs on the key that enlarges: `=` is where American keyboards have `+`.
const PLUS: &[&str] = &["+", "="];
const MINUS: &[&str] = &["-"];

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
pub const ROWS: &[Row] = &[
    Row {
        section: Section::Playing,
        keys: &[(Named(NamedKey::Space, "Space"), TogglePause)],
        help: "pause and go on; at the end, start again",
    },
    Row {
        section: Section::Playing,
        keys: &[(Sign("["), speed_by(1.0 / SPEED_STEP)), (Sign("]"), speed_by(SPEED_STEP))],
        help: "slower, faster by a tenth",
    },
    Row {
        section: Section::Playing,
        keys: &[(Sign("{"), speed_by(0.5)), (Sign("}"), speed_by(2.0))],
        help: "half, double speed",
    },
    Row {
        section: Section::Playing,
        keys: &[(Named(NamedKey::Backspace, "Backspace"), Speed(SpeedChange::Normal))],
        help: "normal speed",
    },
    Row { section: Section::Playing, keys: &[(Letter("o"), ToggleLoop)], help: "loop on and off" },
    Row {
        section: Section::Playing,
        keys: &[(Letter("a"), Mark)],
        help: "mark A, then B and loop between them, then clear",
    },
    Row {
        section: Section::Moving,
        keys: &[(Named(NamedKey::ArrowLeft, "←"), seek(-5.0)), (Named(NamedKey::ArrowRight, "→"), seek(5.0))],
        help: "5 seconds back, forward; held, scrub",
    },
    Row {
        section: Section::Moving,
        keys: &[
            (ShiftNamed(NamedKey::ArrowLeft, "←"), seek_exactly(-1.0)),
            (ShiftNamed(NamedKey::ArrowRight, "→"), seek_exactly(1.0)),
        ],
        help: "1 second back, forward, to the exact frame",
    },
    Row {
        section: Section::Moving,
        keys: &[(Named(NamedKey::ArrowDown, "↓"), seek(-60.0)), (Named(NamedKey::ArrowUp, "↑"), seek(60.0))],
        help: "a minute back, forward",
    },
    Row {
        section: Section::Moving,
        keys: &[(Sign(","), Step { forward: false }), (Sign("."), Step { forward: true })],
        help: "one frame back, forward",
    },
    Row {
        section: Section::Moving,
        keys: &[(Named(NamedKey::Home, "Home"), ToStart), (Named(NamedKey::End, "End"), ToEnd)],
        help: "first frame, last frame",
    },
    Row {
        section: Section::Moving,
        keys: &[(Control("g"), EnterTime)],
        help: "type a time or a frame number to go to",
    },
    Row {
        section: Section::Histograms,
        keys: &[
            (Letter("r"), ToggleChannel(0)),
            (Letter("g"), ToggleChannel(1)),
            (Letter("b"), ToggleChannel(2)),
            (Letter("l"), ToggleChannel(3)),
        ],
        help: "show or hide red, green, blue, luminance",
    },
    Row { section: Section::Histograms, keys: &[(Letter("h"), ToggleOverlays)], help: "show or hide all histograms" },
    Row {
        section: Section::Histograms,
        keys: &[(Letter("y"), ToggleComponents)],
        help: "count Y', Cb and Cr as coded, and back",
    },
    Row {
        section: Section::Histograms,
        keys: &[(Letter("v"), ToggleLogarithmic)],
        help: "linear or logarithmic height",
    },
    Row {
        section: Section::Histograms,
        keys: &[(ShiftLetter("v"), NextArrangement)],
        help: "pair, combined, parade, column",
    },
    Row {
        section: Section::Histograms,
        keys: &[(Base("-", MINUS), Enlarge { more: false }), (Base("+", PLUS), Enlarge { more: true })],
        help: "smaller, larger histograms",
    },
    Row {
        section: Section::Histograms,
        keys: &[(ShiftBase("-", MINUS), Opaque { more: false }), (ShiftBase("+", PLUS), Opaque { more: true })],
        help: "less, more opaque histograms",
    },
    Row {
        section: Section::Histograms,
        keys: &[(ShiftLetter("h"), ToggleCurves)],
        help: "cumulative histograms as curves",
    },
    Row {
        section: Section::Histograms,
        keys: &[(ShiftLetter("u"), ToggleBackdrop)],
        help: "soft backdrop behind histograms",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(ShiftLetter("a"), ToggleAdjusting)],
        help: "panel of all adjustments",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("u"), ToggleAdjustment(Kind::LowPass))],
        help: "low-pass before everything else",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("e"), ToggleAdjustment(Kind::Equalize)), (ShiftLetter("e"), ToggleAdjustment(Kind::Channels))],
        help: "equalize luminance, each channel",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("k"), ToggleAdjustment(Kind::Clahe))],
        help: "equalize tile by tile (CLAHE)",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("z"), ToggleAdjustment(Kind::Posterize))],
        help: "posterize: few levels",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("x"), ToggleAdjustment(Kind::Otsu))],
        help: "classes by Otsu's thresholds",
    },
    Row {
        section: Section::Adjustments,
        keys: &[
            (AltNamed(NamedKey::ArrowLeft, "←"), parameter(Parameter::Main, false)),
            (AltNamed(NamedKey::ArrowRight, "→"), parameter(Parameter::Main, true)),
        ],
        help: "less, more of the last one switched on",
    },
    Row {
        section: Section::Adjustments,
        keys: &[
            (AltNamed(NamedKey::ArrowDown, "↓"), parameter(Parameter::Second, false)),
            (AltNamed(NamedKey::ArrowUp, "↑"), parameter(Parameter::Second, true)),
        ],
        help: "the other parameter of that one",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("w"), ToggleDivider)],
        help: "divider between before and after",
    },
    Row {
        section: Section::Adjustments,
        keys: &[(Letter("j"), NextCounted)],
        help: "count the source, the result, both",
    },
    Row {
        section: Section::Reading,
        keys: &[(Letter("n"), ToggleNumbers)],
        help: "the frame's numbers: mean, percentiles, clipping",
    },
    Row {
        section: Section::Reading,
        keys: &[(Letter("i"), ToggleTrust)],
        help: "what is known about the video, and what is guessed",
    },
    Row { section: Section::Reading, keys: &[(Letter("t"), ToggleTiming)], help: "times of each pass, frames dropped" },
    Row { section: Section::Reading, keys: &[(Letter("m"), NextMatrix)], help: "read with the next colour matrix" },
    Row { section: Section::Reading, keys: &[(ShiftLetter("m"), NextRange)], help: "read with the next range" },
    Row { section: Section::Picture, keys: &[(Letter("c"), NextFit)], help: "cover (the default), contain, 1:1" },
    Row { section: Section::Picture, keys: &[(ShiftLetter("c"), ResetView)], help: "undo fit, zoom and pan" },
    Row { section: Section::Picture, keys: &[(Letter("s"), Save)], help: "save the view as PNG and the bins as JSON" },
    Row { section: Section::Picture, keys: &[(Letter("f"), ToggleFullscreen)], help: "full screen and back" },
    Row { section: Section::Window, keys: &[(Control("o"), OpenFile)], help: "open a file; or drop one on the window" },
    Row {
        section: Section::Window,
        keys: &[
            (Named(NamedKey::PageUp, "PageUp"), OtherFile { forward: false }),
            (Named(NamedKey::PageDown, "PageDown"), OtherFile { forward: true }),
        ],
        help: "previous, next file",
    },
    Row {
        section: Section::Window,
        keys: &[(Named(NamedKey::Tab, "Tab"), TogglePinned)],
        help: "keep the controls on screen",
    },
    Row {
        section: Section::Window,
        keys: &[(Sign("?"), ToggleHelp), (Named(NamedKey::F1, "F1"), ToggleHelp)],
        help: "these keys",
    },
    Row {
        section: Section::Window,
        keys: &[(Named(NamedKey::Escape, "Esc"), Back)],
        help: "close, clear the selection; else quit",
    },
    Row { section: Section::Window, keys: &[(Letter("q"), Quit)], help: "quit" },
];

/// What the pointer does, for the help sheet.
pub const GESTURES: &[(&str, &str)] = &[
    ("drag the timeline", "scrub"),
    ("drag a histogram", "light up the pixels of those codes"),
    ("drag the picture", "move it"),
    ("drag the divider", "move it between before and after"),
    ("wheel", "zoom at the pointer"),
    ("rest on anything", "read its values"),
];
