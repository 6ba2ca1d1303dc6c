//! Every key in the table does what the help sheet says.

use std::time::{Duration, Instant};

use histoscope::keys::{Action, Change, Chord, Panel, Property, Setting, SpeedChange, keys};
use histoscope_core::adjust::{Adjustment, Parameter};

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{FRAME_SECONDS, SAMPLE_SECONDS, near, pause, position_where, sample};

/// The start of seeks, in seconds.
const START: f64 = 4.0;

/// Returns xdotool's name of the key.
pub fn name_of(chord: &Chord) -> String {
    let label = match chord {
        Chord::Named(key) => key.name().to_owned(),
        Chord::Letter(name) | Chord::Symbol(name) => (*name).to_owned(),
        Chord::ShiftNamed(key) => format!("shift+{}", plain(key.name())),
        Chord::ShiftLetter(name) => format!("shift+{}", plain(name)),
        Chord::ControlNamed(key) => format!("ctrl+{}", plain(key.name())),
        Chord::ControlShiftNamed(key) => format!("ctrl+shift+{}", plain(key.name())),
        Chord::AltNamed(key) => format!("alt+{}", plain(key.name())),
        Chord::Control(letter) => format!("ctrl+{}", plain(letter)),
        Chord::ControlShift(letter) => format!("ctrl+shift+{letter}"),
        // The American keyboard has + above =.
        Chord::CharOrUnshifted(sign, _) => (*sign).to_owned(),
        Chord::AltSymbol("+", _) => "alt+equal".to_owned(),
        Chord::AltSymbol(sign, _) => format!("alt+{}", plain(sign)),
        Chord::Digit(digit) => digit.to_string(),
        Chord::ShiftDigit(digit) => format!("shift+{digit}"),
    };
    plain(&label)
}

fn plain(label: &str) -> String {
    let name = match label {
        "Space" => "space",
        "Backspace" => "BackSpace",
        "←" => "Left",
        "→" => "Right",
        "↑" => "Up",
        "↓" => "Down",
        "PageUp" => "Prior",
        "PageDown" => "Next",
        "Esc" => "Escape",
        "Enter" => "Return",
        "[" => "bracketleft",
        "]" => "bracketright",
        "{" => "braceleft",
        "}" => "braceright",
        "," => "comma",
        "." => "period",
        "?" => "question",
        "+" => "shift+equal",
        "-" => "minus",
        // By key code, since with newer keyboard maps xdotool adds Shift to the name.
        "F1" => "67",
        other => other,
    };
    name.to_owned()
}

#[test]
fn every_key_on_the_help_sheet_does_what_it_says() {
    let program = Program::start_on(&[sample(), sample()]);
    program.take_pointer_away();
    pause(&program);
    for key in keys() {
        // The two that end the program come last.
        if !matches!(key.action, Action::Back | Action::Quit) {
            check(&program, &name_of(&key.chord), key.action);
        }
    }
    let key =
        |wanted: Action| name_of(&keys().find(|key| key.action == wanted).expect("the key is in the table").chord);
    toggles(&program, &key(Action::ToggleHelp), &key(Action::Back));
    program.after(|| program.key(&key(Action::Back)), "note: nothing left to close: q quits");
    program.quit_with(&key(Action::Quit));
}

/// Presses the key, checks its effect, and restores the state.
fn check(program: &Program, key: &str, action: Action) {
    let note = |text: &str| program.after(|| program.key(key), &format!("note: {text}"));
    // For keys that undo themselves.
    let notes = |first: &str, second: &str| {
        note(first);
        note(second);
    };
    match action {
        Action::TogglePause => {
            program.key(key);
            until("the key to play", PATIENCE, || (!program.title().paused).then_some(()));
            pause(program);
        }
        Action::SeekBy { secs, .. } => {
            let wanted = (START + secs).clamp(0.0, SAMPLE_SECONDS - FRAME_SECONDS);
            leads_to(program, key, wanted);
        }
        Action::ToStart => {
            note("to the first frame");
            leads_to(program, key, 0.0);
        }
        Action::ToEnd => {
            note("to the last frame");
            leads_to(program, key, SAMPLE_SECONDS - FRAME_SECONDS);
        }
        Action::Step { forward } => {
            leads_to(program, key, START + if forward { FRAME_SECONDS } else { -FRAME_SECONDS });
        }
        Action::ToCut { .. } => drop(note("no cuts are known: the clip is not counted (Shift+T)")),
        Action::ToFinding { .. } => drop(note("no findings are known: the clip is not counted (Shift+T)")),
        Action::OtherFindings { forward } => {
            let kinds =
                ["black frames", "flashes", "frozen frames", "clipped frames", "timecode breaks", "worst frames"];
            let told = |kind: &str| drop(note(&format!("looking for {kind}: the clip is not counted (Shift+T)")));
            if forward {
                kinds.iter().copied().for_each(told)
            } else {
                kinds.iter().rev().copied().for_each(told)
            }
            told("all findings");
        }
        Action::NextStrip => {
            for size in ["small", "tall", "off"] {
                note(&format!("timeline strip: {size}"));
            }
        }
        // The sample is silent.
        Action::ToggleMute => {
            note("sound off; the video has no sound");
            note("volume 100 %; the video has no sound");
        }
        Action::ChangeVolume { louder: false } => drop(note("volume 95 %; the video has no sound")),
        Action::ChangeVolume { louder: true } => drop(note("volume 100 %; the video has no sound")),
        Action::NextSound => drop(note("the video has no sound")),
        Action::ResetMeters => drop(note("sound meters reset")),
        Action::NextReadout => {
            for readout in ["a frame number", "a timecode", "a time"] {
                note(&format!("position as {readout}"));
            }
        }
        Action::CopyValues => drop(note("copied the frame's numbers")),
        Action::CopyPicture => drop(note("copied the picture")),
        Action::FindBars => drop(note("no black bars at the edges of this frame")),
        Action::TakeRegion => drop(note("no region is proposed: Shift+R looks for black bars")),
        Action::MoveLine { .. } => drop(note("no line is counted: Shift+click the picture")),
        Action::EnterTime => {
            go_to(program, "2.5", 2.5);
            go_to(program, "45", 1.5);
            go_to(program, "45f", 1.5);
            go_to(program, "0:03", 3.0);
            program.key(key);
            program.type_text("2.5x");
            program.after(|| program.key("Return"), "entry: ‘2.5x’ is neither a time, a timecode nor a frame");
            // It stays open and can be corrected. Esc closes only the field.
            program.key("BackSpace");
            program.after(|| program.key("Return"), "note: to 0:02.500");
            program.key(key);
            program.type_text("nonsense");
            program.after(|| program.key("Return"), "entry: ‘nonsense’ is neither a time, a timecode nor a frame");
            program.key("Escape");
            program.after(|| program.key("o"), "note: loop on");
            program.after(|| program.key("o"), "note: loop off");
        }
        Action::Speed(SpeedChange::By(factor)) => {
            let speed = if factor < 1.0 { format!("{factor:.3}×") } else { format!("{factor:.2}×") };
            note(&format!("speed {speed}"));
            program.after(|| program.key("BackSpace"), "note: speed 1.00×");
        }
        Action::Speed(SpeedChange::Normal) => drop(note("speed 1.00×")),
        Action::ToggleLoop => notes("loop on", "loop off"),
        // Machines with hardware that decodes the sample say so.
        Action::SwitchDecoder => drop(note("decoder: h264")),
        Action::Mark => {
            note("A at");
            note("looping A–B");
            note("A and B cleared");
        }
        Action::Change(Setting::ReferenceLines, _) => drop(note("no reference lines")),
        Action::Change(Setting::Probes, _) => drop(note("no probes")),
        Action::PinProbe => drop(note("point at the picture: Shift+I pins a probe there")),
        Action::Change(Setting::Peaking, _) => {
            for sensitivity in ["low", "medium", "high", "off"] {
                note(&format!("focus peaking: {sensitivity}"));
            }
        }
        Action::Change(Setting::StripLine, _) => {
            for figure in
                ["mean luminance", "median luminance", "1 % of luminance", "99 % of luminance", "out of range"]
            {
                note(&format!("line over the strip: {figure}"));
            }
            for figure in ["frame difference", "brightest pixel", "average light", "short-term loudness", "off"] {
                note(&format!("line over the strip: {figure}"));
            }
        }
        Action::Change(Setting::Red, Change::Switch) => notes("red off", "red on"),
        Action::Change(Setting::Green, Change::Switch) => notes("green off", "green on"),
        Action::Change(Setting::Blue, Change::Switch) => notes("blue off", "blue on"),
        Action::Change(Setting::Luminance, Change::Switch) => notes("luminance off", "luminance on"),
        Action::Change(Setting::Histograms, Change::Switch) => notes("histograms off", "histograms on"),
        Action::Change(Setting::Waveform, Change::Switch) => notes("waveform on", "waveform off"),
        Action::Change(Setting::Parade, Change::Switch) => notes("parade on", "parade off"),
        Action::Change(Setting::Vectorscope, Change::Switch) => notes("vectorscope on", "vectorscope off"),
        Action::Change(Setting::Zoom, Change::Next) => {
            for factor in [2, 4, 8, 1] {
                note(&format!("vectorscope zoom: {factor}×"));
            }
        }
        Action::Change(Setting::Diagram, Change::Next) => {
            for name in ["CIE 1931 x, y", "CIE 1976 u\u{2032}, v\u{2032}", "R'G'B' diamond", "Cb, Cr"] {
                note(&format!("vectorscope diagram: {name}"));
            }
        }
        Action::Change(Setting::SkinTone, Change::Switch) => notes("skin-tone line on", "skin-tone line off"),
        Action::Change(Setting::AllScopes, Change::Switch) => notes("all scopes off", "all scopes on"),
        Action::Change(Setting::Split, Change::Switch) => notes("split layout on", "split layout off"),
        Action::ToggleComponents => notes("counting Y', Cb and Cr", "counting red, green, blue"),
        Action::Change(Setting::Scale, Change::Next) => {
            for name in ["to the peak", "logarithmic", "cut off at five times the mean"] {
                note(&format!("bar heights: {name}"));
            }
        }
        Action::Change(Setting::Arrangement, Change::Next) => {
            for name in ["combined", "parade", "column", "pair"] {
                note(&format!("arrangement: {name}"));
            }
        }
        Action::Change(Setting::Height, Change::Step { more }) => {
            note(if more { "histogram height: 25 %" } else { "histogram height: 20 %" });
        }
        Action::Change(Setting::Opacity, Change::Step { more }) => {
            note(if more { "histogram opacity: 100 %" } else { "histogram opacity: 90 %" });
        }
        Action::Change(Setting::Zebra, Change::Switch) => notes("zebra: 95 % and above", "zebra off"),
        Action::Change(Setting::Marks, Change::Switch) => notes("marks: clipped or out of range", "marks off"),
        Action::Change(Setting::Zebra, Change::Step { more }) => {
            note(if more { "zebra: 95 % and above" } else { "zebra: 94 % and above" });
            if more {
                program.after(|| program.key("9"), "note: zebra off");
            }
        }
        Action::Change(Setting::FalseColor, Change::Switch) => notes("false colour: camera scale", "false colour off"),
        Action::Change(Setting::FalseColor, Change::Next) => {
            for table in ["ten equal steps", "light in cd/m²; takes effect on PQ and HLG", "camera scale"] {
                note(&format!("false colour: {table}"));
            }
            program.after(|| program.key("5"), "note: false colour off");
        }
        Action::Change(Setting::Guides, Change::Switch) => notes("guides: safe areas", "guides off"),
        Action::Change(Setting::Mask, Change::Next) => {
            for mask in [": 2.39:1", ": 1.85:1", ": 16:9", ": 4:5", ": 1:1", ": 9:16", ": 2:1", " off"] {
                note(&format!("aspect mask{mask}"));
            }
        }
        Action::Change(Setting::Datascope, Change::Next) => {
            for way in [": hexadecimal  ·  from 16:1 on", " off", ": decimal  ·  from 16:1 on"] {
                note(&format!("codes in pixels{way}"));
            }
        }
        Action::Change(Setting::ToneMapping, Change::Next) => {
            note("tone map: clip; takes effect on PQ and HLG");
            note("tone map: none");
            note("tone map: BT.2390; takes effect on PQ and HLG");
        }
        Action::Change(Setting::Exposure, Change::Step { more }) => {
            note(if more { "exposure: +0.5 stops" } else { "exposure: −0.5 stops" });
            program.after(|| program.key(if more { "ctrl+Down" } else { "ctrl+Up" }), "note: exposure: 0 stops");
        }
        Action::Reinterpret(Property::Transfer) => {
            for way in ["PQ instead of BT.1886", "HLG instead of BT.1886", "BT.1886, as tagged"] {
                note(&format!("transfer {way}"));
            }
        }
        Action::Change(Setting::Marks, Change::Next) => {
            for limits in ["codes outside EBU R 103", "at or below 0 %, at or above 100 %", "clipped or out of range"] {
                note(&format!("marks: {limits}"));
            }
            program.after(|| program.key("shift+9"), "note: marks off");
        }
        Action::ClearRegion => drop(note("there is no region")),
        Action::Change(Setting::Fit, Change::Next) => {
            for name in ["contain", "1:1", "cover"] {
                note(&format!("fit: {name}"));
            }
        }
        Action::ResetView => drop(note("view reset")),
        Action::TogglePanel(Panel::Numbers)
        | Action::TogglePanel(Panel::Info)
        | Action::TogglePanel(Panel::Timing)
        | Action::TogglePanel(Panel::Adjusting)
        | Action::ToggleHelp => toggles(program, key, key),
        Action::TogglePanel(Panel::Sound) => {
            let without = without_controls(program);
            program.after(|| program.key(key), "sound meters: the video has no sound");
            program.key(key);
            vanishes(program, &without, "the panel of sound meters");
        }
        Action::TogglePanel(Panel::Checks) => {
            let without = without_controls(program);
            // A list this short lies beside the notes, at the upper edge.
            program.after(|| program.key(key), "passed by ebu");
            program.key(key);
            vanishes(program, &without, "the check");
        }
        Action::ToggleLab => {
            program.after(|| program.key(key), "lab: open");
            program.after(|| program.key(key), "lab: closed");
        }
        Action::StepLab { .. }
        | Action::StepLabTopic { .. }
        | Action::EnlargeLab
        | Action::PauseLab
        | Action::StepLabDiagram { .. } => drop(note("the lab is closed: Shift+L opens it")),
        Action::ToggleAdjustment(Adjustment::Lut) => {
            drop(note("no LUT: drop a .cube file on the window, or name one with --lut"));
        }
        Action::ToggleAdjustment(kind) => adjusts(program, key, kind),
        Action::Parameter { parameter, more } => steps(program, key, parameter, more),
        Action::ShiftSecond { .. } | Action::MatchSecond | Action::HearSecond => {
            drop(note("there is no second clip: histoscope a.mp4 b.mp4 --compare plays two"));
        }
        Action::Change(Setting::Sharing, Change::Switch) => {
            notes("divider on; no adjustment or held frame yet", "divider off")
        }
        Action::Change(Setting::Sharing, Change::Next) => {
            for name in ["side by side", "difference ×8", "divider on"] {
                note(&format!("{name}; no adjustment or held frame yet"));
            }
        }
        Action::Change(Setting::Gain, Change::Step { more }) => {
            // The table has the smaller gain first.
            let gains: &[u32] = if more { &[2, 4, 8, 16, 32, 64, 128, 256, 256] } else { &[4, 2, 1, 1] };
            for gain in gains {
                note(&format!("difference ×{gain}"));
            }
        }
        Action::Change(Setting::Counted, Change::Next) => {
            for name in ["both", "source", "result"] {
                note(&format!("counted: {name}; takes effect when an adjustment is on"));
            }
        }
        Action::Change(Setting::Curves, Change::Switch) => {
            changes_histograms(program, key, ("cumulative curves on", "cumulative curves off"))
        }
        Action::Change(Setting::Backdrop, Change::Switch) => {
            changes_histograms(program, key, ("soft backdrop on", "soft backdrop off"))
        }
        Action::Reinterpret(Property::Matrix) => {
            note("matrix bt601 instead of bt709 (tagged)");
            // The planes are subsampled, so G, B and R are not possible.
            for matrix in ["bt2020nc", "smpte240m", "fcc", "ycgco", "bt709 (tagged)"] {
                note(&format!("matrix {matrix}"));
            }
        }
        Action::Reinterpret(Property::Range) => {
            notes("range full instead of limited (tagged)", "range limited (tagged)")
        }
        Action::Reinterpret(Property::ChromaLines) => {
            notes("4:2:0 chroma by field instead of by frame", "4:2:0 chroma by frame, as the frame is flagged");
        }
        Action::Reinterpret(Property::Field) => {
            for text in ["top field only", "bottom field only", "both fields"] {
                note(text);
            }
        }
        Action::Save => drop(note("saved ")),
        Action::SaveBare => saves(program, key),
        Action::Undo | Action::Redo => {
            program.after(|| program.key("g"), "note: green off");
            program.after(|| program.key("ctrl+z"), "note: undone: green off");
            program.after(|| program.key("ctrl+shift+z"), "note: redone: green off");
            program.after(|| program.key("ctrl+z"), "note: undone: green off");
        }
        Action::HoldFrame => notes("held: sample.mp4", "released sample.mp4"),
        Action::FlipHeld => drop(note("no frame is held: p holds the one on screen")),
        Action::Continue => drop(note("no earlier position is stored for this video")),
        Action::OpenPresets => {
            program.after(|| program.key(key), "menu: Save layout and settings as … at");
            program.key("Escape");
        }
        Action::OpenRecent => drop(note("no other recent files")),
        Action::OpenMenu => {
            program.after(|| program.key(key), "menu: Save a labelled picture at ");
            let open = program.settled();
            program.key(key);
            program.until_other("the same key to close the menu", &open, Area::Everywhere, 10_000);
        }
        Action::OpenFile => drop(note("this desktop has no file dialog")),
        Action::OtherFile { forward } => {
            // At the first of two files, there is none before.
            note(if forward { "sample.mp4  (2 of 2)" } else { "this is the first file" });
            // A paused video stays paused.
            until("the title to say so", PATIENCE, || program.title().paused.then_some(()));
        }
        Action::ToggleFullscreen => {
            // Without a window manager this may have no effect, so only the request is checked.
            program.after(|| program.key(key), "key: ToggleFullscreen");
            program.after(|| program.key(key), "key: ToggleFullscreen");
            program.settled();
        }
        Action::TogglePinned => {
            let without = without_controls(program);
            notes("controls stay", "controls fade");
            vanishes(program, &without, "the controls");
        }
        Action::Change(..) => unreachable!("{action:?} has no key"),
        Action::Back | Action::Quit => unreachable!("they are pressed last"),
    }
}

/// Goes to a time or frame by typing it.
fn go_to(program: &Program, text: &str, wanted: f64) {
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.type_text(text);
    program.after(|| program.key("Return"), "note: to ");
    position_where(program, &format!("at {wanted} s after typing {text}"), |at| near(at, wanted, 0.002));
}

fn leads_to(program: &Program, key: &str, wanted: f64) {
    go_to(program, &format!("{START}.0"), START);
    program.key(key);
    position_where(program, &format!("at {wanted} s after {key}"), |at| near(at, wanted, 0.002));
}

/// One key shows a panel, another removes it without a trace. Meanwhile notes may appear and fade at the upper edge.
fn toggles(program: &Program, on: &str, off: &str) {
    let without = without_controls(program);
    program.key(on);
    program.until_other(&format!("{on} to show a panel"), &without, Area::Below, 5_000);
    program.key(off);
    vanishes(program, &without, &format!("what {off} closes"));
}

/// Returns the window's picture once the controls have faded.
fn without_controls(program: &Program) -> Picture {
    program.pass(Duration::from_secs(3));
    program.settled()
}

/// Waits until the window shows the same as before, apart from notes at the upper edge.
fn vanishes(program: &Program, before: &Picture, what: &str) {
    let begin = Instant::now();
    while program.picture().differing(before, Area::Below) > 0 {
        if begin.elapsed() > PATIENCE {
            let files = [before.save("before"), program.picture().save("after")];
            panic!("{what} stays; see {files:?}\n{}", program.log());
        }
    }
}

/// Switches an adjustment on, which changes the picture and both histograms, and off again without a trace.
fn adjusts(program: &Program, key: &str, kind: Adjustment) {
    let [on, off] = match kind {
        Adjustment::Lut => ["a LUT", "LUT off"],
        Adjustment::CameraLog => ["S-Log3, S-Gamut3.Cine to BT.709", "camera log off"],
        Adjustment::Blur => ["low-pass 9×9", "low-pass off"],
        Adjustment::Equalize => ["equalized, 0.5 s", "equalizing off"],
        Adjustment::Channels => ["equalized by channel, 0.5 s", "equalizing by channel off"],
        Adjustment::Clahe => ["CLAHE 8×8 clip 2", "CLAHE off"],
        Adjustment::Posterize => ["5 levels", "posterizing off"],
        Adjustment::Otsu => ["2 classes as tones", "Otsu off"],
    };
    let without = without_controls(program);
    program.after(|| program.key(key), &format!("note: {on}"));
    until(&format!("{key} to change the picture and its histograms"), PATIENCE, || {
        let now = program.picture();
        let areas = [Area::Outside, Area::Left, Area::Right];
        areas.into_iter().all(|area| now.differing(&without, area) > 5_000).then_some(())
    });
    program.after(|| program.key(key), &format!("note: {off}"));
    vanishes(program, &without, &format!("what {key} does to the picture"));
}

/// Changes a parameter of the low-pass one step and back.
fn steps(program: &Program, key: &str, parameter: Parameter, more: bool) {
    let note = |key: &str, text: &str| program.after(|| program.key(key), &format!("note: {text}"));
    note("u", "low-pass 9×9");
    match (parameter, more) {
        (Parameter::Main, false) => {
            note(key, "low-pass 7×7");
            note("alt+Right", "low-pass 9×9");
        }
        (Parameter::Main, true) => {
            note(key, "low-pass 11×11");
            note("alt+Left", "low-pass 9×9");
        }
        (Parameter::Second, more) => {
            note("alt+Up", "low-pass 9×9 ×2");
            note(if more { "alt+Down" } else { key }, "low-pass 9×9");
            if more {
                note(key, "low-pass 9×9 ×2");
                note("alt+Down", "low-pass 9×9");
            }
        }
    }
    note("u", "low-pass off");
}

/// Changes only the look of the histograms, and back.
fn changes_histograms(program: &Program, key: &str, (on, off): (&str, &str)) {
    let without = without_controls(program);
    program.after(|| program.key(key), &format!("note: {on}"));
    until(&format!("{key} to change both histograms"), PATIENCE, || {
        let now = program.picture();
        [Area::Left, Area::Right].into_iter().all(|area| now.differing(&without, area) > 200).then_some(())
    });
    let with = program.settled();
    let elsewhere = with.differing(&without, Area::Outside);
    if elsewhere > 0 {
        let files = [without.save("before"), with.save("after")];
        panic!("{key} changes {elsewhere} pixels outside the histograms; see {files:?}\n{}", program.log());
    }
    program.after(|| program.key(key), &format!("note: {off}"));
    vanishes(program, &without, &format!("what {key} shows"));
}

/// The view and its bins appear in the working directory, twice under different names.
fn saves(program: &Program, key: &str) {
    for name in ["frame-45", "frame-45-2"] {
        if name == "frame-45" {
            go_to(program, "45", 1.5);
        }
        // Before notes on what was saved, which are long, come up.
        let shown = program.settled();
        let line = program.after(|| program.key(key), "note: saved");
        assert!(line.contains(&format!("sample-{name}.png")), "{line}");
        let [picture, bins] = ["png", "json"].map(|end| program.folder().join(format!("sample-{name}.{end}")));
        let saved = Picture::from_png(&picture).expect("a PNG");
        assert_eq!(saved.differing(&shown, Area::Below), 0, "the picture is not what the window shows");
        let figures: serde_json::Value = serde_json::from_slice(&std::fs::read(bins).expect("the bins")).expect("JSON");
        assert_eq!((figures["frame"].as_u64(), figures["schema"].as_u64()), (Some(45), Some(1)));
        let bins = figures["channels"]["luminance"]["bins"].as_array().expect("bins");
        assert_eq!(bins.iter().filter_map(serde_json::Value::as_u64).sum::<u64>(), 1280 * 720);
    }
}
