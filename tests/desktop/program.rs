//! The program under test with its window.

use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::display::Display;
use crate::picture::{Area, Picture};
use crate::title::Title;
use crate::wait::{PATIENCE, output_of, until};

/// Part of the name of Mesa's software adapter. It is requested by name, because a hardware GPU cannot present to a
/// display in memory.
const ADAPTER: &str = "llvmpipe";

const LOG: &str = "log.txt";

/// The running program. Dropping it ends the program.
pub struct Program<'display> {
    display: &'display Display,
    // In a cell, since checking whether a process has ended changes it.
    process: RefCell<Child>,
    id: String,
    window: String,
    // The folder for the sockets of graphics libraries and for the log. It exists as long as the program.
    runtime: TempDir,
}

impl<'display> Program<'display> {
    /// Starts the program on a file and waits until its window shows a picture.
    pub fn start(display: &'display Display, file: &str) -> Self {
        Self::start_with(display, file, &[])
    }

    /// As [`start`](Self::start), with more arguments.
    pub fn start_with(display: &'display Display, file: &str, arguments: &[&str]) -> Self {
        Self::start_on(display, &[&[file], arguments].concat())
    }

    /// As [`start`](Self::start), with any files, or none, and any arguments.
    pub fn start_on(display: &'display Display, arguments: &[&str]) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        let home = home_without_strip(&runtime);
        Self::start_in(display, arguments, runtime, &home, None)
    }

    /// As [`start_on`](Self::start_on), with an environment variable.
    pub fn start_where(display: &'display Display, arguments: &[&str], variable: (&str, &str)) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        let home = home_without_strip(&runtime);
        Self::start_in(display, arguments, runtime, &home, Some(variable))
    }

    fn start_in(
        display: &'display Display,
        arguments: &[&str],
        runtime: TempDir,
        home: &Path,
        variable: Option<(&str, &str)>,
    ) -> Self {
        let log = File::create(runtime.path().join(LOG)).expect("cannot make the log");
        // A command's options come after its name.
        let (name, arguments) = arguments.split_at(usize::from(arguments.first() == Some(&"lab")));
        let process = command(display, &runtime)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .envs(variable)
            .args(name)
            .args(["--adapter", ADAPTER])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("cannot start the program");
        let id = process.id().to_string();
        let mut program = Self { display, process: RefCell::new(process), id, window: String::new(), runtime };
        program.window = until("the program's window", PATIENCE, || {
            program.assert_running();
            let found = display.xdotool(&["search", "--onlyvisible", "--pid", &program.id]);
            found.ok().and_then(|windows| windows.lines().next().map(str::to_owned))
        });
        // Without a window manager, the window must be given the keyboard focus.
        display.xdotool(&["windowfocus", &program.window]).expect("cannot focus the window");
        until("the window to have the keyboard", PATIENCE, || {
            let focused = display.xdotool(&["getwindowfocus", "-f"]).ok()?;
            (focused == program.window).then_some(())
        });
        until("the first picture", PATIENCE, || {
            program.assert_running();
            // A window without a video contains letters and little else.
            (program.picture().colours() > 30).then_some(())
        });
        program
    }

    /// Moves the pointer to a pixel of the window. The window may have opened under the pointer, so it moves away
    /// first.
    pub fn point(&self, x: i32, y: i32) {
        for step in [9, 4, 0] {
            self.move_pointer(x + step, y);
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Moves the pointer directly to a pixel of the window.
    pub fn move_pointer(&self, x: i32, y: i32) {
        let [x, y] = [x, y].map(|place| place.to_string());
        self.display.xdotool(&["mousemove", "--window", &self.window, &x, &y]).expect("cannot move the pointer");
    }

    /// Moves the pointer out of the window, so that nothing is read or marked.
    pub fn take_pointer_away(&self) {
        self.display.xdotool(&["mousemove", "1919", "1199"]).expect("cannot move the pointer");
    }

    /// Presses or releases a button of the pointer, or turns the wheel: xdotool's `mousedown 1`, `click 4`.
    pub fn button(&self, action: &str, number: &str) {
        self.display.xdotool(&[action, number]).expect("cannot use the pointer's buttons");
    }

    /// Clicks the left button `count` times without a pause.
    pub fn clicks(&self, count: u32) {
        let count = count.to_string();
        let arguments = ["click", "--repeat", &count, "--delay", "1", "1"];
        self.display.xdotool(&arguments).expect("cannot click");
    }

    /// Switches the keyboard layout, for example to `de`.
    pub fn set_layout(&self, layout: &str) {
        let set = output_of(self.display.command("setxkbmap").arg(layout), PATIENCE);
        set.unwrap_or_else(|error| panic!("no layout {layout}: {error}"));
        // The display tells the program in a separate event.
        thread::sleep(Duration::from_millis(300));
    }

    /// Presses a key and keeps it down, or releases it: `keydown` or `keyup`.
    pub fn hold(&self, action: &str, name: &str) {
        self.display.xdotool(&[action, name]).unwrap_or_else(|error| panic!("cannot hold {name}: {error}"));
    }

    /// Types a text, key by key.
    pub fn type_text(&self, text: &str) {
        self.display.xdotool(&["type", "--delay", "20", text]).expect("cannot type");
    }

    /// Does something, and waits until the program has logged a line with `text` since then. Returns the newest such
    /// line.
    pub fn after(&self, what: impl FnOnce(), text: &str) -> String {
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

    /// True while the program runs.
    pub fn is_running(&self) -> bool {
        matches!(self.process.borrow_mut().try_wait(), Ok(None))
    }

    /// Returns the program's exit status once it has ended.
    pub fn status(&self) -> Option<ExitStatus> {
        self.process.borrow_mut().try_wait().expect("cannot ask after the program")
    }

    /// Presses and releases a key by its X name, for example `space` or `shift+Right`.
    pub fn key(&self, name: &str) {
        self.display.xdotool(&["key", name]).unwrap_or_else(|error| panic!("cannot press {name}: {error}"));
    }

    /// Returns the current title.
    pub fn title(&self) -> Title {
        self.assert_running();
        let text = self.display.xdotool(&["getwindowname", &self.window]);
        Title::new(&text.unwrap_or_else(|error| panic!("the window has no title: {error}\n{}", self.log())))
    }

    /// Returns the current picture of the window.
    pub fn picture(&self) -> Picture {
        self.assert_running();
        let picture = self.display.picture(&self.window);
        picture.unwrap_or_else(|error| panic!("no picture of the window: {error}\n{}", self.log()))
    }

    /// Returns the picture of the window once it has stopped changing. Use it for a paused program; a playing one never
    /// stops.
    pub fn settled(&self) -> Picture {
        let mut last = self.picture();
        let mut equal = 0;
        until("the picture to stand still", PATIENCE, || {
            // Several frames' time passes between two pictures, so that no frame under way is missed. On a busy machine
            // a frame may take longer, but then a thread is working.
            thread::sleep(Duration::from_millis(100));
            let now = self.picture();
            equal = if now == last && !self.is_working() { equal + 1 } else { 0 };
            last = now;
            (equal >= 3).then(|| last.clone())
        })
    }

    /// True if any of the program's threads runs, or would run if the machine were free.
    fn is_working(&self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.id)).expect("the kernel keeps account of threads");
        let is_working = |thread: fs::DirEntry| {
            // The state follows the name in parentheses. R is running or ready to run; D waits for a disk. A thread
            // that has ended has none.
            let line = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            line.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['R', 'D']))
        };
        threads.flatten().any(is_working)
    }

    /// Waits until an area of the window equals a picture again, to the pixel.
    #[track_caller]
    pub fn until_same(&self, what: &str, picture: &Picture, area: Area) {
        until(what, PATIENCE, || (self.picture().differing(picture, area) == 0).then_some(()));
    }

    /// Waits until more than `least` pixels of an area differ from a picture. Returns the window's picture.
    #[track_caller]
    pub fn until_other(&self, what: &str, picture: &Picture, area: Area, least: usize) -> Picture {
        until(what, PATIENCE, || {
            let now = self.picture();
            (now.differing(picture, area) > least).then_some(now)
        })
    }

    /// Requests a size of the window.
    pub fn resize_soon(&self, width: u32, height: u32) {
        let [across, down] = [width, height].map(|size| size.to_string());
        self.display.xdotool(&["windowsize", &self.window, &across, &down]).expect("cannot resize the window");
    }

    /// Sets the size of the window and waits until it has it.
    pub fn resize(&self, width: u32, height: u32) {
        self.resize_soon(width, height);
        let [across, down] = [width, height].map(|size| size.to_string());
        until(&format!("the window to be {width}x{height}"), PATIENCE, || {
            self.assert_running();
            let geometry = self.display.xdotool(&["getwindowgeometry", "--shell", &self.window]).ok()?;
            let has = |line: String| geometry.lines().any(|found| found == line);
            (has(format!("WIDTH={across}")) && has(format!("HEIGHT={down}"))).then_some(())
        });
    }

    /// Hides the window, as minimising does.
    pub fn hide(&self) {
        self.display.xdotool(&["windowunmap", &self.window]).expect("cannot hide the window");
        until("the window to be hidden", PATIENCE, || (!self.visible()).then_some(()));
    }

    /// Shows the window again, with the keyboard focus.
    pub fn show(&self) {
        self.display.xdotool(&["windowmap", &self.window]).expect("cannot show the window");
        until("the window to be visible", PATIENCE, || self.visible().then_some(()));
        self.display.xdotool(&["windowfocus", &self.window]).expect("cannot focus the window");
    }

    fn visible(&self) -> bool {
        let found = self.display.xdotool(&["search", "--onlyvisible", "--pid", &self.id]);
        found.is_ok_and(|windows| windows.lines().any(|window| window == self.window))
    }

    /// Returns the processor time used by the program so far, in all its threads.
    pub fn processor_seconds(&self) -> f64 {
        let path = format!("/proc/{}/stat", self.id);
        let line = fs::read_to_string(&path).expect("the kernel keeps account of processes");
        // The name in parentheses may contain spaces. After it, user and system time are fields 12 and 13.
        let fields: Vec<_> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = [fields[11], fields[12]].iter().map(|field| field.parse::<u64>().unwrap_or(0)).sum();
        // The kernel counts in hundredths of a second on every platform of Rust's Linux targets.
        ticks as f64 / 100.0
    }

    /// Returns the output of `histoscope snapshot` for a file at a time and a size, with the same adapter.
    pub fn snapshot(&self, file: &str, at: &str, width: u32, height: u32) -> Picture {
        self.snapshot_with(file, at, (width, height), &[])
    }

    /// Like [`snapshot`](Self::snapshot), with more options.
    pub fn snapshot_with(&self, file: &str, at: &str, (width, height): (u32, u32), options: &[&str]) -> Picture {
        let path = self.runtime.path().join("snapshot.png");
        let size = format!("{width}x{height}");
        let mut command = command(self.display, &self.runtime);
        command
            .args(["snapshot", file, "--at", at, "--size", &size, "--adapter", ADAPTER, "-o"])
            .arg(&path)
            .args(options);
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no snapshot: {error}"));
        Picture::from_png(&path).expect("the snapshot is no 8-bit PNG")
    }

    /// Presses a key that quits the program. It must exit successfully and without logged errors.
    pub fn quit_with(&self, key: &str) {
        self.key(key);
        let status = until(&format!("{key} to end the program"), PATIENCE, || self.status());
        let log = self.log();
        assert!(status.success(), "the program ended with {status}:\n{log}");
        let complaint = log.lines().find(|line| line.contains("ERROR") || line.contains("panicked"));
        assert!(complaint.is_none(), "the program logged an error:\n{log}");
    }

    fn assert_running(&self) {
        if let Ok(Some(status)) = self.process.borrow_mut().try_wait() {
            panic!("the program ended early with {status}:\n{}", self.log());
        }
    }

    /// Returns everything that the program has logged so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.runtime.path().join(LOG)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // These fail only if the program has already ended.
        let process = self.process.get_mut();
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Makes a folder of settings that switch off the clip behind the timeline. Its threads count as long as the program
/// runs, and other tests would have to wait for them.
fn home_without_strip(runtime: &TempDir) -> PathBuf {
    let home = runtime.path().join("config");
    let folder = home.join("histoscope");
    fs::create_dir_all(&folder).expect("cannot make a folder");
    fs::write(folder.join("settings.json"), r#"{"strip": "off"}"#).expect("cannot write settings");
    home
}

/// Returns the program's command. Everything in the environment that could affect it is set or removed.
pub fn command(display: &Display, runtime: &TempDir) -> Command {
    let mut command = display.command(env!("CARGO_BIN_EXE_histoscope"));
    command.env("XDG_RUNTIME_DIR", runtime.path());
    // Saved files go to this folder.
    command.current_dir(runtime.path());
    command.env("WGPU_BACKEND", "vulkan").env("WGPU_VALIDATION", "1");
    // Mesa caches compiled shaders of the software adapter in the user's folder, which is new for each program. Without
    // this, each would compile all of them again, which takes more than a second of processor time.
    command.env("MESA_SHADER_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
    // No desktop dialog may open on the screen of the person who runs this.
    command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env("PATH", runtime.path());
    command.env("RUST_LOG", "info,rfd=off,histoscope=trace").env("RUST_BACKTRACE", "1");
    command
}
