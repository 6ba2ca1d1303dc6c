//! The window without a display, driven by commands on standard input: keys and pointer events go in, the picture and
//! the title come out. Used for tests of the window and for the pictures in the manual. Not part of a normal build.
//!
//! Each line is a command, answered by a line on standard output: `ok`, followed by the requested value, or `error` and
//! the reason. Time stands still while commands are carried out. It advances only during `pass` and `settle`, as fast
//! as the work due in that time is done: the other threads are always waited for, so nothing is late, and nothing waits
//! for a clock. If time is real, as live sources require, these two commands wait.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use glam::DVec2;

use super::offscreen::Offscreen;
use crate::app::input::event::{Event, Key, KeyEvent, Modifiers, PointerButton};
use crate::app::options::{AppError, PlayOptions};
use crate::app::remote::endpoint::Endpoint;
use crate::app::screen::Window;
use crate::app::viewer::Flow;
use histoscope_batch::file;
use histoscope_hud::UiEvents;
use histoscope_hud::egui;
use histoscope_keys::NamedKey;

/// The environment variable that makes the program read commands, and selects the clock: `driven` or `real`.
const SCRIPT: &str = "HISTOSCOPE_SCRIPT";

/// Time between two draws on a typical display.
const FRAME: Duration = Duration::from_micros(16_667);
/// How long a key is held until it repeats, and the time between repeats.
const REPEAT: (Duration, Duration) = (Duration::from_millis(660), Duration::from_millis(40));
/// How long to wait for other threads before time advances anyway.
const WORK_LIMIT: Duration = Duration::from_secs(20);
/// How often to check other threads.
const LOOK: Duration = Duration::from_millis(1);
/// The number and length of the steps without a change after which the picture counts as settled.
const SETTLED: (u32, Duration) = (3, Duration::from_millis(100));

/// Runs the program from commands on standard input if the environment asks for that.
///
/// # Errors
/// [`AppError`] if the video cannot be opened or the adapter fails.
pub fn run(options: &PlayOptions, endpoint: &mut Option<Endpoint>) -> Option<Result<(), AppError>> {
    let is_driven = match std::env::var(SCRIPT).ok()?.as_str() {
        "driven" => true,
        "real" => false,
        _ => return None,
    };
    Some(Driver::open(options.clone(), endpoint.take(), is_driven).and_then(|mut driver| {
        let result = driver.run();
        driver.offscreen.viewer.finish();
        result
    }))
}

struct Driver {
    offscreen: Offscreen,
    is_driven: bool,
    modifiers: Modifiers,
    /// Position of the pointer in pixels, while it is over the window.
    pointer: Option<DVec2>,
    /// The held key, and when it repeats next.
    held: Option<(KeyEvent, Instant)>,
    /// When the viewer wants to be called again.
    wake_at: Option<Instant>,
    /// When the picture was last drawn, and the number of draws so far.
    drawn_at: Instant,
    draws: u64,
    has_quit: bool,
}

impl Driver {
    fn open(mut options: PlayOptions, endpoint: Option<Endpoint>, is_driven: bool) -> Result<Self, AppError> {
        // A device has a time of its own. In real time, only one that a test has made is used.
        options.sound.is_possible &= !is_driven && std::env::var_os("PULSE_SERVER").is_some();
        let offscreen = Offscreen::open(options, endpoint, None, is_driven)?;
        let now = offscreen.window.now();
        let mut driver = Self {
            offscreen,
            is_driven,
            modifiers: Modifiers::NONE,
            pointer: None,
            held: None,
            wake_at: None,
            drawn_at: now - FRAME,
            draws: 0,
            has_quit: false,
        };
        driver.send(Event::Other, vec![egui::Event::WindowFocused(true)])?;
        driver.turn()?;
        driver.wait_for_work()?;
        Ok(driver)
    }

    /// Carries out commands until there are no more, or the program quits.
    fn run(&mut self) -> Result<(), AppError> {
        let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
        for line in input.lines() {
            let Ok(line) = line else { break };
            let answer = self.handle_command(&line)?;
            if self.has_quit {
                break;
            }
            let answer = match &answer {
                Ok(Answer::Text(text)) if text.is_empty() => b"ok\n".to_vec(),
                Ok(Answer::Text(text)) => format!("ok {text}\n").into_bytes(),
                Ok(Answer::Pixels(head, rgba)) => [format!("ok {head}\n").as_bytes(), rgba].concat(),
                Err(reason) => format!("error {reason}\n").into_bytes(),
            };
            // Stop when the reader is gone.
            if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn handle_command(&mut self, line: &str) -> Result<Result<Answer, String>, AppError> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<f64> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let mut text = String::new();
        match (name, &numbers[..]) {
            ("key", _) => match chord(rest) {
                // The table of keys does not know it, but input fields do.
                None if rest == "Delete" => self.send(Event::Key(modifier_key(true)), delete_key())?,
                Some((held, key)) => self.press_chord(held, &key)?,
                None => return Ok(Err(format!("{rest} is not a key"))),
            },
            ("keydown" | "keyup", _) => match chord(rest) {
                Some((_, key)) => self.hold(&key, name == "keydown")?,
                None => return Ok(Err(format!("{rest} is not a key"))),
            },
            ("type", _) => {
                for letter in rest.chars() {
                    let Some((held, key)) = key_of(letter) else { return Ok(Err(format!("{letter} is not a key"))) };
                    self.press_chord(held, &key)?;
                    self.pass(Duration::from_millis(20))?;
                }
            }
            ("move", &[x, y]) => self.move_pointer(DVec2::new(x, y))?,
            ("leave", _) => {
                if self.pointer.take().is_some() {
                    self.send(Event::PointerLeft, vec![egui::Event::PointerGone])?;
                }
            }
            ("press" | "release", &[number]) => self.press_button(number as u32, name == "press")?,
            ("wheel", &[notches]) => {
                let event = egui::Event::MouseWheel {
                    unit: egui::MouseWheelUnit::Line,
                    delta: egui::vec2(0.0, notches as f32),
                    phase: egui::TouchPhase::Move,
                    source: egui::MouseWheelSource::Wheel,
                    modifiers: ui_modifiers(self.modifiers),
                };
                self.send(Event::Wheel(notches), vec![event])?;
            }
            ("resize", &[width, height]) => self.offscreen.window.resize((width as u32, height as u32)),
            ("hide" | "show", _) => self.send(Event::Occluded(name == "hide"), Vec::new())?,
            ("hover", _) if rest.is_empty() => self.send(Event::FileLeft, Vec::new())?,
            ("hover", _) => self.send(Event::FileHovered(rest.into()), Vec::new())?,
            ("drop", _) => self.send(Event::FileDropped(rest.into()), Vec::new())?,
            ("close", _) => self.send(Event::CloseRequested, Vec::new())?,
            ("pass", &[millis]) => self.pass(Duration::from_secs_f64(millis / 1000.0))?,
            ("settle", _) => self.settle()?,
            ("title", _) => text = self.offscreen.window.title(),
            ("size", _) => {
                let (width, height) = self.offscreen.window.size();
                let _ = write!(text, "{width} {height}");
            }
            ("drawings", _) => text = self.draws.to_string(),
            ("picture" | "save", _) => {
                let Some(image) = self.offscreen.viewer.image()? else { return Ok(Err("no picture".to_owned())) };
                if name == "picture" {
                    return Ok(Ok(Answer::Pixels(format!("{} {}", image.width, image.height), image.rgba)));
                }
                if let Err(reason) = file::write_png(Path::new(rest), &image) {
                    return Ok(Err(reason.to_string()));
                }
            }
            _ => return Ok(Err(format!("'{line}' is not a command"))),
        }
        Ok(Ok(Answer::Text(text)))
    }

    /// Sends the viewer an event, and the HUD the matching events.
    fn send(&mut self, event: Event, ui: Vec<egui::Event>) -> Result<(), AppError> {
        let flow =
            self.offscreen.viewer.on_event(event, || UiEvents { events: ui, focused: Some(true), repaint: true })?;
        self.has_quit |= flow == Flow::Quit;
        Ok(())
    }

    fn press_chord(&mut self, held: Modifiers, key: &KeyEvent) -> Result<(), AppError> {
        let before = self.modifiers;
        if held != Modifiers::NONE {
            self.send(Event::Key(modifier_key(true)), Vec::new())?;
            self.set_modifiers(before | held)?;
        }
        for pressed in [true, false] {
            self.send_key(KeyEvent { pressed, ..key.clone() })?;
            if self.has_quit {
                return Ok(());
            }
        }
        if held != Modifiers::NONE {
            self.send(Event::Key(modifier_key(false)), Vec::new())?;
            self.set_modifiers(before)?;
        }
        Ok(())
    }

    fn hold(&mut self, key: &KeyEvent, pressed: bool) -> Result<(), AppError> {
        let held = match &key.base {
            Key::Named(_) | Key::Character(_) => None,
            Key::Other => key.place,
        };
        match held {
            // A modifier key without any other.
            Some(place) => {
                self.send(Event::Key(modifier_key(pressed)), Vec::new())?;
                let mut modifiers = self.modifiers;
                match place {
                    's' => modifiers.shift = pressed,
                    'c' => modifiers.control = pressed,
                    _ => modifiers.alt = pressed,
                }
                self.set_modifiers(modifiers)
            }
            None => {
                self.held = pressed.then(|| (key.clone(), self.now() + REPEAT.0));
                self.send_key(KeyEvent { pressed, ..key.clone() })
            }
        }
    }

    fn set_modifiers(&mut self, modifiers: Modifiers) -> Result<(), AppError> {
        self.modifiers = modifiers;
        self.send(Event::ModifiersChanged(modifiers), vec![egui::Event::ModifiersChanged(ui_modifiers(modifiers))])
    }

    fn send_key(&mut self, key: KeyEvent) -> Result<(), AppError> {
        let modifiers = ui_modifiers(self.modifiers);
        let (name, typed) = match &key.key {
            Key::Named(named) => (egui::Key::from_name(ui_name(*named)), (*named == NamedKey::Space).then_some(" ")),
            Key::Character(text) => {
                let base = if let Key::Character(base) = &key.base { base } else { text };
                (egui::Key::from_name(&base.to_uppercase()).or_else(|| egui::Key::from_name(text)), Some(&**text))
            }
            Key::Other => (None, None),
        };
        let pressed = key.pressed;
        let name = name.map(|key| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
        let typed = typed.filter(|_| pressed && !modifiers.ctrl).map(|text| egui::Event::Text(text.to_owned()));
        let edit = match &key.base {
            Key::Character(base) if pressed && modifiers.ctrl => match &**base {
                "c" => Some(egui::Event::Copy),
                "x" => Some(egui::Event::Cut),
                "v" => Some(egui::Event::Paste(self.offscreen.window.copied())),
                _ => None,
            },
            _ => None,
        };
        let ui = if edit.is_some() { edit.into_iter().collect() } else { name.into_iter().chain(typed).collect() };
        self.send(Event::Key(key), ui)
    }

    /// Converts a point of the window to points of the HUD.
    fn in_points(&self, at: DVec2) -> histoscope_hud::Pos2 {
        let scale = self.offscreen.window.pixels_per_point();
        egui::pos2(at.x as f32 / scale, at.y as f32 / scale)
    }

    fn move_pointer(&mut self, at: DVec2) -> Result<(), AppError> {
        if self.pointer.replace(at).is_none() {
            self.send(Event::PointerEntered, Vec::new())?;
        }
        let ui = vec![egui::Event::PointerMoved(self.in_points(at))];
        self.send(Event::PointerMoved(at), ui)
    }

    fn press_button(&mut self, number: u32, pressed: bool) -> Result<(), AppError> {
        let Some(at) = self.pointer else { return Ok(()) };
        let (button, ui_button) = match number {
            1 => (PointerButton::Left, egui::PointerButton::Primary),
            3 => (PointerButton::Right, egui::PointerButton::Secondary),
            _ => (PointerButton::Other, egui::PointerButton::Middle),
        };
        let (pos, modifiers) = (self.in_points(at), ui_modifiers(self.modifiers));
        let ui = vec![egui::Event::PointerButton { pos, button: ui_button, pressed, modifiers }];
        self.send(Event::PointerButton { button, pressed }, ui)
    }

    fn now(&self) -> Instant {
        self.offscreen.window.now()
    }

    /// Does the work that is due now: one iteration of the window's loop.
    fn turn(&mut self) -> Result<(), AppError> {
        let now = self.now();
        if let Some((key, repeats_at)) = self.held.clone().filter(|(_, repeats_at)| *repeats_at <= now) {
            self.held = Some((key.clone(), repeats_at + REPEAT.1));
            self.send_key(KeyEvent { repeat: true, ..key })?;
        }
        loop {
            if !self.has_quit && self.offscreen.wants_drawing() && now >= self.drawn_at + FRAME {
                (self.drawn_at, self.draws) = (now, self.draws + 1);
                self.has_quit |= self.offscreen.draw()? == Flow::Quit;
            }
            if self.has_quit {
                return Ok(());
            }
            self.has_quit |= self.offscreen.viewer.take_requests()? == Flow::Quit;
            if self.has_quit {
                return Ok(());
            }
            self.wake_at = self.offscreen.advance()?;
            if !self.offscreen.wants_drawing() || now < self.drawn_at + FRAME {
                return Ok(());
            }
        }
    }

    /// Waits until no other thread has work, and handles what they have produced.
    fn wait_for_work(&mut self) -> Result<(), AppError> {
        let begin = Instant::now();
        let mut quiet = 0;
        while self.is_driven && !self.has_quit && quiet < 2 && begin.elapsed() < WORK_LIMIT {
            let is_working = is_working();
            if self.offscreen.was_woken() || is_working && self.offscreen.wait_for_wake(LOOK) {
                quiet = 0;
                self.turn()?;
            } else {
                quiet = if is_working { 0 } else { quiet + 1 };
            }
        }
        Ok(())
    }

    /// Lets this much time pass.
    fn pass(&mut self, length: Duration) -> Result<(), AppError> {
        let end = self.now() + length;
        // Work due immediately is done without letting time pass, but not for ever.
        let mut at_once = 0;
        loop {
            self.turn()?;
            self.wait_for_work()?;
            if self.has_quit {
                return Ok(());
            }
            let now = self.now();
            if now >= end && (at_once > 0 || length > Duration::ZERO) {
                return Ok(());
            }
            let draws_at = self.offscreen.wants_drawing().then(|| self.drawn_at + FRAME);
            let repeats_at = self.held.as_ref().map(|(_, at)| *at);
            let next = [self.wake_at, draws_at, repeats_at].into_iter().flatten().min().unwrap_or(end);
            at_once = if next <= now { at_once + 1 } else { 0 };
            let next = if at_once > 100 { now + Duration::from_millis(1) } else { next }.clamp(now, end.max(now));
            if self.is_driven {
                self.offscreen.window.set_time(next);
            } else {
                self.offscreen.wait_for_wake(next - now);
            }
            if now >= end {
                return Ok(());
            }
        }
    }

    /// Lets time pass until the picture no longer changes.
    fn settle(&mut self) -> Result<(), AppError> {
        let begin = Instant::now();
        let mut last = None;
        let mut standing = 0;
        while standing < SETTLED.0 && !self.has_quit && begin.elapsed() < 2 * WORK_LIMIT {
            let drawings = self.draws;
            self.pass(SETTLED.1)?;
            let is_same = if drawings == self.draws && last.is_some() {
                true
            } else {
                let image = self.offscreen.viewer.image()?;
                let is_same = last.as_ref() == Some(&image);
                last = Some(image);
                is_same
            };
            standing = if is_same { standing + 1 } else { 0 };
        }
        Ok(())
    }
}

/// The answer to a command.
enum Answer {
    Text(String),
    /// Width and height, then red, green, blue and alpha of each pixel.
    Pixels(String, Vec<u8>),
}

/// Returns `true` if any other thread is running, is ready to run, or is waiting for a disk.
fn is_working() -> bool {
    let own = std::fs::read_link("/proc/thread-self").ok();
    let own = own.as_deref().and_then(Path::file_name);
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return false };
    threads.flatten().filter(|thread| Some(&*thread.file_name()) != own).any(|thread| {
        // The state follows the name in parentheses. A thread that has ended has no state.
        let line = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        line.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['R', 'D']))
    })
}

/// Returns the event of a modifier key without any other, which has no action.
const fn modifier_key(pressed: bool) -> KeyEvent {
    KeyEvent { key: Key::Other, base: Key::Other, place: None, pressed, repeat: false }
}

/// Returns egui's events for the Delete key.
fn delete_key() -> Vec<egui::Event> {
    let key = |pressed| egui::Event::Key {
        key: egui::Key::Delete,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: egui::Modifiers::NONE,
    };
    vec![key(true), key(false)]
}

fn ui_modifiers(modifiers: Modifiers) -> egui::Modifiers {
    let Modifiers { shift, control, alt, .. } = modifiers;
    egui::Modifiers { shift, ctrl: control, alt, mac_cmd: false, command: control }
}

/// Returns egui's name of a key.
const fn ui_name(named: NamedKey) -> &'static str {
    match named {
        NamedKey::Space => "Space",
        NamedKey::Backspace => "Backspace",
        NamedKey::Left => "Left",
        NamedKey::Right => "Right",
        NamedKey::Up => "Up",
        NamedKey::Down => "Down",
        NamedKey::Home => "Home",
        NamedKey::End => "End",
        NamedKey::PageUp => "PageUp",
        NamedKey::PageDown => "PageDown",
        NamedKey::Tab => "Tab",
        NamedKey::F1 => "F1",
        NamedKey::F10 => "F10",
        // egui has no name for it.
        NamedKey::Menu => "",
        NamedKey::Escape => "Escape",
        NamedKey::Enter => "Enter",
    }
}

/// The keys of an American keyboard that type different characters with Shift.
const SHIFTED: [(&str, &str); 2] = [("1234567890-=[];'`,./\\", "!@#$%^&*()_+{}:\"~<>?|"), (" ", " ")];

/// Returns the key that types a character on an American keyboard, and the modifiers it requires.
fn key_of(letter: char) -> Option<(Modifiers, KeyEvent)> {
    let (base, is_shifted) = if letter.is_ascii_uppercase() {
        (letter.to_ascii_lowercase(), true)
    } else if letter.is_ascii_lowercase() {
        (letter, false)
    } else {
        SHIFTED.iter().find_map(|(plain, shifted)| {
            let at = |row: &str| row.chars().position(|sign| sign == letter);
            let base = |at: usize| plain.chars().nth(at);
            at(plain).and_then(base).map(|base| (base, false)).or_else(|| at(shifted).and_then(base).map(|b| (b, true)))
        })?
    };
    if base == ' ' {
        return Some((Modifiers::NONE, named(NamedKey::Space)));
    }
    let [key, base_key] = [letter, base].map(|letter| Key::Character(letter.to_string()));
    let held = if is_shifted { Modifiers::SHIFT } else { Modifiers::NONE };
    Some((held, KeyEvent { key, base: base_key, place: Some(base), pressed: true, repeat: false }))
}

const fn named(key: NamedKey) -> KeyEvent {
    KeyEvent { key: Key::Named(key), base: Key::Named(key), place: None, pressed: true, repeat: false }
}

/// Parses a key as X names it, such as `space` or `shift+Right`. Returns the key and its modifiers.
fn chord(text: &str) -> Option<(Modifiers, KeyEvent)> {
    let names = HashMap::from([
        ("space", NamedKey::Space),
        ("BackSpace", NamedKey::Backspace),
        ("Left", NamedKey::Left),
        ("Right", NamedKey::Right),
        ("Up", NamedKey::Up),
        ("Down", NamedKey::Down),
        ("Home", NamedKey::Home),
        ("End", NamedKey::End),
        ("Prior", NamedKey::PageUp),
        ("Next", NamedKey::PageDown),
        ("Tab", NamedKey::Tab),
        ("F1", NamedKey::F1),
        ("F10", NamedKey::F10),
        ("Menu", NamedKey::Menu),
        ("67", NamedKey::F1),
        ("Escape", NamedKey::Escape),
        ("Return", NamedKey::Enter),
    ]);
    let signs = HashMap::from([
        ("bracketleft", '['),
        ("bracketright", ']'),
        ("braceleft", '{'),
        ("braceright", '}'),
        ("comma", ','),
        ("period", '.'),
        ("question", '?'),
        ("equal", '='),
        ("plus", '+'),
        ("minus", '-'),
        ("slash", '/'),
        ("semicolon", ';'),
    ]);
    let mut held = Modifiers::NONE;
    let mut parts: Vec<_> = text.split('+').collect();
    let last = parts.pop()?;
    for part in parts {
        held = held
            | match part {
                "shift" => Modifiers::SHIFT,
                "ctrl" => Modifiers::CONTROL,
                "alt" => Modifiers::ALT,
                _ => return None,
            };
    }
    if let Some(place) = match last {
        "shift" => Some('s'),
        "ctrl" => Some('c'),
        "alt" => Some('a'),
        _ => None,
    } {
        return Some((held, KeyEvent { place: Some(place), ..modifier_key(true) }));
    }
    if let Some(key) = names.get(last) {
        return Some((held, named(*key)));
    }
    let letter = signs.get(last).copied().or_else(|| last.chars().next().filter(|_| last.chars().count() == 1))?;
    let (needed, mut key) = key_of(letter)?;
    if held.shift && !needed.shift {
        // With Shift, the key types a different character.
        let place = key.place?;
        let shifted = SHIFTED.iter().find_map(|(plain, shifted)| {
            plain.chars().position(|sign| sign == place).and_then(|at| shifted.chars().nth(at))
        });
        key.key = Key::Character(shifted.unwrap_or(place.to_ascii_uppercase()).to_string());
    }
    Some((held | needed, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::keyboard;
    use histoscope_keys::{Action, Setting};

    #[test]
    fn keys_are_resolved_as_on_an_american_keyboard() {
        let does = |text: &str| {
            let (held, key) = chord(text)?;
            keyboard::action(&key, held)
        };
        assert_eq!(does("q"), Some(Action::Quit));
        assert_eq!(does("shift+equal"), Some(Setting::Height.step(true)));
        assert_eq!(does("question"), Some(Action::ToggleHelp));
        assert_eq!(does("shift+v"), Some(Setting::Arrangement.next()));
        assert_eq!(does("ctrl+g"), Some(Action::EnterTime));
        assert_eq!(does("shift+9"), Some(Setting::Marks.switch()));
        assert_eq!(does("Next"), Some(Action::OtherFile { forward: true }));
        assert_eq!((does("meta+q"), does("nothing")), (None, None));
    }
}
