//! What only a desktop shows: a real window on an invisible X server (Xvfb), with real keys, the clipboard, and a
//! surface that is resized, hidden and lost. Time is real here.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use histoscope_core::histogram::{Components, reference};
use histoscope_media::{Decoder, OpenOptions};
use tempfile::TempDir;

use crate::picture::{Area, Picture};
use crate::program::{ADAPTER, command, home_without_strip};
use crate::title::Title;
use crate::wait::{PATIENCE, output_of, until};
use crate::{FRAME_SECONDS, long_clip, near, sample};

/// One real window at a time: a software adapter uses all processors, and these tests measure times.
static TURN: Mutex<()> = Mutex::new(());

/// An X server that nobody sees. Dropping it ends the server.
struct Display {
    name: String,
    server: Child,
    _turn: MutexGuard<'static, ()>,
}

impl Drop for Display {
    fn drop(&mut self) {
        // These fail only if the server has already ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Display {
    fn start() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Command::new("Xvfb")
            // The server itself chooses a free number and writes it when it is ready. Without `-noreset` it would
            // restart whenever its last client, such as xdotool, disconnects.
            .args(["-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start Xvfb: {error}; scripts/setup installs it"));
        let mut line = String::new();
        let output = server.stdout.take().expect("Xvfb was started with a pipe");
        BufReader::new(output).read_line(&mut line).expect("Xvfb writes its number");
        Self { name: format!(":{}", line.trim()), server, _turn: turn }
    }

    /// Makes a command open its windows on this display only.
    fn on_it<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        // An authority file for the user's own display does not apply here.
        command.env_remove("XAUTHORITY").env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
    }

    fn output_of(&self, program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
        output_of(self.on_it(Command::new(program).args(arguments)), PATIENCE)
    }

    fn xdotool(&self, arguments: &[&str]) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.output_of("xdotool", arguments)?).trim().to_owned())
    }
}

/// The running program with its window. Dropping it ends the program.
struct Desktop<'display> {
    display: &'display Display,
    // In a cell, since checking whether a process has ended changes it.
    process: RefCell<Child>,
    window: String,
    runtime: TempDir,
}

impl Drop for Desktop<'_> {
    fn drop(&mut self) {
        // These fail only if the program has already ended.
        let process = self.process.get_mut();
        let _ = process.kill();
        let _ = process.wait();
    }
}

impl<'display> Desktop<'display> {
    /// Starts the program, and waits until its window has the keyboard and a picture.
    fn start(display: &'display Display, arguments: &[&str], variable: Option<(&str, &str)>) -> Self {
        let runtime = tempfile::tempdir().expect("a temporary folder");
        let log = File::create(runtime.path().join("log.txt")).expect("a log");
        let home = home_without_strip(&runtime);
        let mut command = command(&runtime);
        let process = display
            .on_it(&mut command)
            .env("XDG_CONFIG_HOME", &home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .envs(variable)
            .args(["--adapter", ADAPTER])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let id = process.id().to_string();
        let mut program = Self { display, process: RefCell::new(process), window: String::new(), runtime };
        program.window = until("the program's window", PATIENCE, || {
            program.assert_running();
            let found = display.xdotool(&["search", "--onlyvisible", "--pid", &id]).ok()?;
            found.lines().next().map(str::to_owned)
        });
        // Without a window manager, the window must be given the keyboard focus.
        display.xdotool(&["windowfocus", "--sync", &program.window]).expect("the window gets the keyboard");
        until("the first picture", PATIENCE, || (program.picture().colours() > 30).then_some(()));
        program.take_pointer_away();
        program
    }

    fn paused(display: &'display Display) -> Self {
        let program = Self::start(display, &[sample(), "--paused"], None);
        program.settled();
        program
    }

    fn assert_running(&self) {
        let status = self.process.borrow_mut().try_wait();
        assert!(matches!(status, Ok(None)), "the program ended early with {status:?}:\n{}", self.log());
    }

    fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.runtime.path().join("log.txt")).unwrap_or_default()).into_owned()
    }

    /// Does something, and waits until the program has logged a line with `text` since then. Returns that line.
    #[track_caller]
    fn after(&self, what: impl FnOnce(), text: &str) -> String {
        let before = self.log().len();
        what();
        until(&format!("the log to say '{text}'"), PATIENCE, || {
            self.assert_running();
            let log = self.log();
            let since = log.get(before..).unwrap_or_default();
            // An unfinished line has no end yet.
            let whole = &since[..since.rfind('\n').map_or(0, |end| end + 1)];
            whole.lines().rfind(|line| line.contains(text)).map(str::to_owned)
        })
    }

    fn xdotool(&self, arguments: &[&str]) {
        self.display.xdotool(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    }

    /// Presses and releases a key by its X name or code, for example `shift+Right` or `21`.
    fn key(&self, name: &str) {
        self.xdotool(&["key", name]);
    }

    /// Moves the pointer to a pixel of the window. The window may have opened under the pointer, so it moves away
    /// first.
    fn point(&self, x: i32, y: i32) {
        for step in [9, 4, 0] {
            self.xdotool(&["mousemove", "--window", &self.window, &(x + step).to_string(), &y.to_string()]);
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn take_pointer_away(&self) {
        self.xdotool(&["mousemove", "1919", "1199"]);
    }

    fn resize(&self, (width, height): (u32, u32)) {
        self.xdotool(&["windowsize", &self.window, &width.to_string(), &height.to_string()]);
    }

    fn title(&self) -> Title {
        Title::new(&self.display.xdotool(&["getwindowname", &self.window]).expect("the window has a title"))
    }

    fn picture(&self) -> Picture {
        self.assert_running();
        let pixels = self.display.output_of("import", &["-window", &self.window, "-depth", "8", "ppm:-"]);
        Picture::from_pixmap(&pixels.unwrap_or_else(|error| panic!("no picture: {error}"))).expect("a picture")
    }

    /// Returns the picture of the window once it has stopped changing.
    fn settled(&self) -> Picture {
        let mut last = self.picture();
        let mut equal = 0;
        until("the picture to stand still", PATIENCE, || {
            thread::sleep(Duration::from_millis(100));
            let now = self.picture();
            equal = if now == last { equal + 1 } else { 0 };
            last = now;
            (equal >= 3).then(|| last.clone())
        })
    }

    #[track_caller]
    fn until_same(&self, what: &str, picture: &Picture, area: Area) {
        until(what, PATIENCE, || {
            let now = self.picture();
            (now.size() == picture.size() && now.differing(picture, area) == 0).then_some(())
        });
    }

    #[track_caller]
    fn until_moving(&self, what: &str) {
        let before = self.picture();
        until(what, PATIENCE, || {
            let now = self.picture();
            (now.size() != before.size() || now.differing(&before, Area::Outside) > 20).then_some(())
        });
    }

    /// Returns what `snapshot` paints for the sample's first frame in this size.
    fn snapshot(&self, (width, height): (u32, u32)) -> Picture {
        let path = self.runtime.path().join("snapshot.png");
        let size = format!("{width}x{height}");
        let mut command = command(&self.runtime);
        command.args(["snapshot", sample(), "--at", "0", "--size", &size, "--adapter", ADAPTER, "-o"]).arg(&path);
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no snapshot: {error}"));
        Picture::from_png(&path).expect("a PNG")
    }

    /// Returns the processor time used so far, in all threads.
    fn processor_seconds(&self) -> f64 {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.process.borrow().id())).expect("a process");
        // The name in parentheses may contain spaces. After it, user and system time are fields 12 and 13, in
        // hundredths of a second.
        let fields: Vec<_> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        [fields[11], fields[12]].iter().map(|field| field.parse::<f64>().unwrap_or(0.0)).sum::<f64>() / 100.0
    }

    /// Quits with `q`. If the log must be clean, no error may have been logged.
    fn quit(&self, is_clean: bool) {
        self.key("q");
        let status =
            until("q to end the program", PATIENCE, || self.process.borrow_mut().try_wait().expect("a process"));
        let log = self.log();
        assert!(status.success() && !log.contains("panicked"), "{status}:\n{log}");
        assert!(!is_clean || !log.contains("ERROR"), "{log}");
    }
}

#[test]
fn the_window_shows_what_the_snapshot_shows_at_every_size_and_rests() {
    let display = Display::start();
    let program = Desktop::paused(&display);
    assert!(program.title().text.contains("sample.mp4") && program.title().paused, "{:?}", program.title());
    // Desktops find the program's entry and icon by the window's class.
    let entry = include_str!("../../assets/desktop/org.histoscope.Histoscope.desktop");
    let class = entry.lines().find_map(|line| line.strip_prefix("StartupWMClass=")).expect("a class");
    let found = display.xdotool(&["search", "--onlyvisible", "--class", &format!("^{class}$")]);
    assert_eq!(found.as_deref(), Ok(&*program.window), "the window of the class {class}");

    let first = program.snapshot(program.picture().size());
    program.until_same("the window to show what the snapshot shows", &first, Area::Everywhere);
    for size in [(1, 1), (1700, 40), (40, 1100), (300, 200)] {
        program.resize(size);
        until("the window to have that size", PATIENCE, || (program.picture().size() == size).then_some(()));
    }
    assert!(program.settled().colours() > 100, "nothing is shown at 300x200");
    program.resize(first.size());
    program.until_same("the first size to show the first picture", &first, Area::Below);
    program.xdotool(&["windowunmap", "--sync", &program.window]);
    program.xdotool(&["windowmap", "--sync", &program.window]);
    program.xdotool(&["windowfocus", "--sync", &program.window]);
    program.until_same("the picture to come back after hiding", &first, Area::Below);

    // No pictures are taken meanwhile, since they cause work for the display.
    program.settled();
    let (before, begin) = (program.processor_seconds(), Instant::now());
    thread::sleep(Duration::from_secs(4));
    let share = (program.processor_seconds() - before) / begin.elapsed().as_secs_f64();
    assert!(share < 0.02, "a paused and untouched window uses {:.1} % of a processor", share * 100.0);

    // While playing, as when an edge is dragged.
    program.after(|| program.key("space"), "key: TogglePause");
    for step in 0..40_u32 {
        program.resize((900 + 9 * (step % 20), 500 + 7 * (step % 20)));
        thread::sleep(Duration::from_millis(16));
    }
    program.until_moving("the picture to move after all that");
    program.quit(true);
}

#[test]
fn buttons_and_the_wheel_of_the_pointer_arrive() {
    let display = Display::start();
    let program = Desktop::paused(&display);
    program.point(640, 330);
    let note = program.after(|| program.xdotool(&["click", "4"]), "note: zoom 1");
    assert!(note.ends_with("note: zoom 115 %"), "{note}");
    let twice = ["click", "--repeat", "2", "--delay", "1", "1"];
    program.after(|| program.xdotool(&twice), "note: full screen");
    program.after(|| program.key("Escape"), "note: full screen off");
    program.quit(true);
}

#[test]
fn signs_and_digits_are_the_same_keys_on_every_keyboard() {
    let display = Display::start();
    let program = Desktop::start(&display, &[sample(), "--paused", "--zebra", "60"], None);
    program.after(|| program.key("9"), "note: zebra off");
    let expect = |layout: &str, key: &str, note: &str| {
        // Shown if the test fails.
        println!("{layout} {key}: {note}");
        program.after(|| program.key(key), &format!("note: {note}"));
    };
    // By place: 21 is right of the zero's right neighbour, 35 right of P's, 20 right of the zero, 15 and 17 bear 6 and
    // 8.
    let signs: [(&str, &[&str], &str); 6] = [
        ("us", &["21", "shift+21"], "20"),
        ("de", &["35"], "61"),
        ("fr", &["shift+21", "21"], "15"),
        ("ru", &["21", "shift+21"], "20"),
        ("be", &[], ""),
        ("cz", &[], ""),
    ];
    for (layout, larger, smaller) in signs {
        display.output_of("setxkbmap", &[layout]).expect("the layout is known");
        // The display tells the program in a separate event.
        thread::sleep(Duration::from_millis(300));
        for key in larger {
            expect(layout, key, "histogram height: 30 %");
            expect(layout, smaller, "histogram height: 25 %");
        }
        if layout == "ru" {
            continue;
        }
        // By place: 14, 16, 17 and 18 bear 5, 7, 8 and 9. French, Belgian and Czech keyboards type those with Shift.
        for (key, note) in [
            ("18", "zebra: 60 % and above"),
            ("16", "zebra: 59 % and above"),
            ("17", "zebra: 60 % and above"),
            ("18", "zebra off"),
            ("14", "false colour: "),
            ("14", "false colour off"),
            ("shift+18", "marks: clipped"),
            ("shift+17", "marks: codes outside EBU R 103"),
            ("shift+17", "marks: at or below"),
            ("shift+17", "marks: clipped"),
            ("shift+18", "marks off"),
        ] {
            expect(layout, key, note);
        }
    }
    // Bépo has + and - where 7 and 8 are: the signs are what they say, and the digits come with Shift.
    display.output_of("setxkbmap", &["fr(bepo)"]).expect("the layout is known");
    thread::sleep(Duration::from_millis(300));
    for (key, note) in [
        ("16", "histogram height: 30 %"),
        ("17", "histogram height: 25 %"),
        ("18", "zebra: 60 % and above"),
        ("shift+16", "zebra: 59 % and above"),
    ] {
        expect("bépo", key, note);
    }
    display.output_of("setxkbmap", &["us"]).expect("the layout is known");
    program.quit(true);
}

#[test]
fn keys_of_each_kind_are_what_they_are_called() {
    let display = Display::start();
    let clip = long_clip();
    let program = Desktop::start(&display, &[clip.path().to_str().expect("a plain name"), "--paused"], None);
    for (key, action) in [
        ("o", "ToggleLoop"),
        ("o", "ToggleLoop"),
        ("shift+v", "Change(Arrangement, Next)"),
        ("bracketright", "Speed(By("),
        ("BackSpace", "Speed(Normal)"),
        ("End", "ToEnd"),
        ("period", "Step { forward: true }"),
        ("Next", "OtherFile { forward: true }"),
        ("Tab", "TogglePinned"),
        ("shift+Right", "SeekBy { secs: 1.0, exact: true }"),
        ("alt+Up", "Parameter"),
        ("ctrl+z", "Undo"),
        // By key code, since with newer keyboard maps xdotool adds Shift to the name.
        ("67", "ToggleHelp"),
        ("67", "ToggleHelp"),
        ("Home", "ToStart"),
    ] {
        program.after(|| program.key(key), &format!("key: {action}"));
    }
    // A key that is held repeats, and settles on the exact frame when it is released.
    until("the beginning", PATIENCE, || program.title().position.filter(|position| near(*position, 0.0, 0.01)));
    program.xdotool(&["keydown", "Right"]);
    let reached = until("positions while the key is held", PATIENCE, || {
        program.title().position.filter(|position| *position > 20.0)
    });
    program.xdotool(&["keyup", "Right"]);
    program.settled();
    let position = program.title().position.expect("a position");
    // Five seconds each time, from the beginning, and frames every tenth of a second.
    let rest = position.rem_euclid(5.0);
    assert!(!(0.01..=4.99).contains(&rest), "the key led to {position}, which is no exact frame of it");
    assert!(position >= reached - 0.11, "it has settled behind: {position}, {reached}");
    program.quit(true);
}

/// The variable with the file for the clipboard's content.
const TARGET: &str = "HISTOSCOPE_TEST_CLIPBOARD_TO";
/// The variable that requests text; otherwise it is a picture.
const AS_TEXT: &str = "HISTOSCOPE_TEST_CLIPBOARD_AS_TEXT";

/// Returns the content of the display's clipboard. A separate program reads it, since the tests have several displays.
fn clipboard(display: &Display, is_text: bool) -> Vec<u8> {
    let target = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "desktop::tells_what_is_on_the_clipboard"]).env(TARGET, target.path());
    command.envs(is_text.then_some((AS_TEXT, "1")));
    output_of(display.on_it(&mut command), PATIENCE).unwrap_or_else(|error| panic!("nothing copied: {error}"));
    fs::read(target.path()).expect("what it found")
}

#[test]
#[ignore = "the other tests run it as a program of its own"]
fn tells_what_is_on_the_clipboard() {
    let target = std::env::var_os(TARGET).expect("where to");
    let mut clipboard = arboard::Clipboard::new().expect("a clipboard");
    let found = match std::env::var_os(AS_TEXT) {
        Some(_) => clipboard.get_text().expect("a text").into_bytes(),
        None => {
            let image = clipboard.get_image().expect("a picture");
            [&(image.width as u32).to_le_bytes()[..], &image.bytes].concat()
        }
    };
    fs::write(target, found).expect("it is written");
}

#[test]
fn values_and_pictures_are_copied_and_text_is_pasted() {
    let display = Display::start();
    let program = Desktop::paused(&display);
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let planes = decoder.next_frame().expect("the sample can be read").expect("a frame").picture;
    let text = || String::from_utf8(clipboard(&display, true)).expect("a text");

    program.point(733, 219);
    program.after(|| program.key("ctrl+c"), "note: copied x 733  y 219");
    let codes = reference::unclamped_rgb(&planes, 733, 219).map(|code| code.clamp(0, 255).to_string());
    let found = text();
    assert!(found.starts_with("sample.mp4\tframe 0\t0:00.000\nx 733  y 219\n"), "{found}");
    assert!(found.contains(&format!("R'G'B'\t{}\n", codes.join("\t"))), "{found}: {codes:?}");

    let histogram = reference::histogram(&planes, Components::Rgbl);
    program.point(672 + 288, 650);
    program.after(|| program.key("ctrl+c"), "note: copied code 128 of 255");
    let found = text();
    assert!(found.contains(&format!("\nL\t{}\t", histogram.bins(3)[128])), "{found}");

    program.take_pointer_away();
    program.after(|| program.key("ctrl+c"), "note: copied the frame's numbers");
    let median: Vec<_> = (0..4).map(|channel| histogram.stats(channel, None).median.to_string()).collect();
    let found = text();
    assert!(found.contains(&format!("\nmedian\t{}\n", median.join("\t"))), "{found}: {median:?}");

    // A pinned probe is a row below them, with its codes.
    program.point(733, 219);
    program.after(|| program.key("shift+i"), "note: probe P1 at x 733  y 219");
    program.take_pointer_away();
    program.after(|| program.key("ctrl+c"), "note: copied the frame's numbers");
    let coded = [planes.code(0, 733, 219), planes.code(1, 366, 109), planes.code(2, 366, 109)].map(|c| c.to_string());
    let row = format!("\nP1\t733\t219\t{}\t{}", codes.join("\t"), coded.join("\t"));
    let found = text();
    assert!(found.ends_with(&format!("\n\tx\ty\tR'\tG'\tB'\tY'\tCb\tCr{row}")), "{found}: {row}");
    program.after(|| program.key("ctrl+i"), "note: no probes");

    // The picture as shown, once the notes have faded.
    thread::sleep(Duration::from_millis(2700));
    program.after(|| program.key("ctrl+shift+c"), "note: copied the picture, 1280×720");
    let found = clipboard(&display, false);
    let line = program.after(|| program.key("shift+s"), "note: saved ");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).map(PathBuf::from);
    let bare = Picture::from_png(path.as_deref().unwrap_or(Path::new(""))).expect("a PNG");
    let (width, rgba) = found.split_at(4);
    assert_eq!((width, rgba.len()), (&1280_u32.to_le_bytes()[..], 1280 * 720 * 4));
    let pixels = (0..720).flat_map(|y| (0..1280).map(move |x| (x, y)));
    let wrong = pixels.zip(rgba.chunks_exact(4)).filter(|((x, y), pixel)| bare.pixel(*x, *y) != pixel[..3]).count();
    assert_eq!(wrong, 0, "pixels of the picture differ");

    // What one window copies, another pastes.
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.xdotool(&["type", "--delay", "20", "217"]);
    program.key("ctrl+a");
    program.key("ctrl+c");
    // It is on the clipboard once the field has been drawn.
    program.settled();
    let other = Desktop::paused(&display);
    other.after(|| other.key("ctrl+g"), "key: EnterTime");
    other.key("ctrl+v");
    other.after(|| other.key("Return"), "note: to frame 217");
    let wanted = 217.0 * FRAME_SECONDS;
    until("frame 217", PATIENCE, || other.title().position.filter(|position| near(*position, wanted, 0.002)));
    other.quit(true);
}

#[test]
fn a_lost_device_and_its_surface_are_made_again() {
    let display = Display::start();
    let program = Desktop::start(&display, &[sample(), "--loop"], Some(("HISTOSCOPE_LOSE_AFTER", "12")));
    until("the device to be lost", PATIENCE, || program.log().contains("recreated").then_some(()));
    program.until_moving("the picture to move again");
    program.after(|| program.key("space"), "key: TogglePause");
    program.key("Home");
    let first = program.snapshot(program.picture().size());
    program.until_same("the picture that a snapshot shows", &first, Area::Everywhere);
    program.quit(false);
}

#[test]
fn a_display_without_an_adapter_is_reported_in_one_line() {
    let display = Display::start();
    let runtime = tempfile::tempdir().expect("a folder");
    for arguments in [&[][..], &["--adapter", "llvmpipe"], &["--engine", "cpu"]] {
        let mut command = command(&runtime);
        display.on_it(&mut command).env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        let output = command.arg(sample()).args(arguments).env("RUST_LOG", "error").output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_told = text.starts_with("histoscope: no graphics adapter was found; install a Vulkan driver");
        assert!(output.status.code() == Some(1) && is_told && text.lines().count() == 1, "{arguments:?}: {text}");
    }
}
