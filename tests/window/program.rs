//! The program under test with an invisible window. It is the built program in a separate process, driven by lines on
//! its standard input. Time passes in it only as the tests request, and as fast as possible, so nothing sleeps.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::picture::{Area, Picture};
use crate::title::Title;
use crate::wait::{PATIENCE, output_of, until};

/// Part of the name of Mesa's software adapter, which every machine that runs these tests has.
pub const ADAPTER: &str = "llvmpipe";

const LOG: &str = "log.txt";

/// The time that passes in the program for each look at its window.
const LOOK: Duration = Duration::from_millis(20);
/// The time that passes in the program for each key press.
const STROKE: Duration = Duration::from_millis(12);

/// The passing of time in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// As requested, and as fast as possible.
    Driven,
    /// Real time, for live sources.
    Real,
}

/// The running program. Dropping it ends the program.
pub struct Program {
    process: RefCell<Child>,
    pipes: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
    id: u32,
    // `--engine` and its value, if the program was started with them: the engine that paints the expected pictures.
    engine: Vec<String>,
    /// How much had been logged when something was last done that the log tells of.
    logged_before: Cell<usize>,
    // Where the graphics libraries keep their sockets and this keeps the log; it lasts as long as the program.
    runtime: TempDir,
}

impl Program {
    /// Starts the program on a file and waits until its window shows a picture.
    pub fn start(file: &str) -> Self {
        Self::start_with(file, &[])
    }

    /// As [`start`](Self::start), with more arguments.
    pub fn start_with(file: &str, arguments: &[&str]) -> Self {
        Self::start_on(&[&[file], arguments].concat())
    }

    /// As [`start`](Self::start), with any files, or none, and any arguments.
    pub fn start_on(arguments: &[&str]) -> Self {
        Self::start_in_time(Time::Driven, arguments)
    }

    /// As [`start_on`](Self::start_on), with this passing of time.
    pub fn start_in_time(time: Time, arguments: &[&str]) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        let home = home_without_strip(&runtime);
        Self::start_in(time, arguments, runtime, &home, None)
    }

    /// As [`start_on`](Self::start_on), with settings in a given folder.
    pub fn start_at_home(arguments: &[&str], home: &Path) -> Self {
        Self::start_at_home_in_time(Time::Driven, arguments, home)
    }

    /// As [`start_at_home`](Self::start_at_home), with this passing of time.
    pub fn start_at_home_in_time(time: Time, arguments: &[&str], home: &Path) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        Self::start_in(time, arguments, runtime, home, None)
    }

    /// As [`start_on`](Self::start_on), with an environment variable.
    pub fn start_where(arguments: &[&str], variable: (&str, &str)) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        let home = home_without_strip(&runtime);
        Self::start_in(Time::Driven, arguments, runtime, &home, Some(variable))
    }

    /// As [`start_on`](Self::start_on), in real time and with an environment variable.
    pub fn start_in_real_time_where(arguments: &[&str], variable: (&str, &str)) -> Self {
        let runtime = tempfile::tempdir().expect("cannot make a temporary folder");
        let home = home_without_strip(&runtime);
        Self::start_in(Time::Real, arguments, runtime, &home, Some(variable))
    }

    fn start_in(time: Time, arguments: &[&str], runtime: TempDir, home: &Path, variable: Option<(&str, &str)>) -> Self {
        let log = File::create(runtime.path().join(LOG)).expect("cannot make the log");
        let engine = arguments.iter().skip_while(|argument| **argument != "--engine").take(2);
        let engine = engine.map(|argument| (*argument).to_owned()).collect();
        // A command's options come after its name.
        let (name, arguments) = arguments.split_at(usize::from(arguments.first() == Some(&"lab")));
        let mut process = command(&runtime)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("HISTOSCOPE_SCRIPT", if time == Time::Driven { "driven" } else { "real" })
            .envs(variable)
            .args(name)
            .args(["--adapter", ADAPTER])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("cannot start the program");
        let input = process.stdin.take().expect("it has a standard input");
        let output = BufReader::new(process.stdout.take().expect("it has a standard output"));
        let id = process.id();
        let (process, pipes) = (RefCell::new(process), RefCell::new((input, output)));
        let program = Self { process, pipes, id, engine, logged_before: Cell::new(0), runtime };
        until("the first picture", PATIENCE, || {
            program.assert_running();
            // A window without a video contains letters and little else.
            (program.picture().colours() > 30).then_some(())
        });
        program
    }

    /// Sends a command to the program. Returns its answer, or `None` once it has ended.
    fn ask(&self, line: &str) -> Option<String> {
        self.ask_for(line, |answer, _| answer)
    }

    /// Sends a command to the program, and reads its answer and the data after it.
    fn ask_for<T>(&self, line: &str, read: impl FnOnce(String, &mut BufReader<ChildStdout>) -> T) -> Option<T> {
        let (input, output) = &mut *self.pipes.borrow_mut();
        writeln!(input, "{line}").ok()?;
        let mut answer = String::new();
        output.read_line(&mut answer).ok().filter(|&bytes| bytes > 0)?;
        match answer.trim_end().strip_prefix("ok") {
            Some(rest) => Some(read(rest.trim_start().to_owned(), output)),
            None => panic!("{line}: {answer}"),
        }
    }

    /// Sends a command to the program. Does nothing if the program has ended.
    fn tell(&self, line: &str) {
        let _ = self.ask(line);
    }

    /// Sends a command of `src/app/windows/scripted.rs` as it is.
    pub fn command(&self, line: &str) {
        self.tell(line);
    }

    /// Lets time pass in the program.
    pub fn pass(&self, time: Duration) {
        self.tell(&format!("pass {}", time.as_secs_f64() * 1000.0));
    }

    /// Moves the pointer to a pixel of the window from a short distance, as a hand does.
    pub fn point(&self, x: i32, y: i32) {
        for step in [9, 4, 0] {
            self.move_pointer(x + step, y);
            self.pass(Duration::from_millis(30));
        }
    }

    /// Moves the pointer directly to a pixel of the window.
    pub fn move_pointer(&self, x: i32, y: i32) {
        self.tell(&format!("move {x} {y}"));
        self.pass(LOOK);
    }

    /// Moves the pointer, releases its left button there, and presses a key, all before the program draws.
    pub fn let_go_and_press(&self, (x, y): (i32, i32), key: &str) {
        self.tell(&format!("move {x} {y}"));
        self.tell("release 1");
        self.tell(&format!("key {key}"));
    }

    /// Moves the pointer out of the window, so that nothing is read or marked.
    pub fn take_pointer_away(&self) {
        self.tell("leave");
        self.pass(LOOK);
    }

    /// Presses or releases the pointer's buttons, or turns the wheel, which is buttons 4 and 5: `mousedown`, `mouseup`
    /// or `click`.
    pub fn button(&self, action: &str, number: &str) {
        match (action, number) {
            ("click", "4") => self.tell("wheel 1"),
            ("click", "5") => self.tell("wheel -1"),
            ("mousedown", _) => self.tell(&format!("press {number}")),
            ("mouseup", _) => self.tell(&format!("release {number}")),
            _ => {
                self.tell(&format!("press {number}"));
                self.tell(&format!("release {number}"));
            }
        }
        self.pass(STROKE);
    }

    /// Clicks the left button `count` times without a pause.
    pub fn clicks(&self, count: u32) {
        for _ in 0..count {
            self.tell("press 1");
            self.tell("release 1");
            self.pass(Duration::from_millis(1));
        }
    }

    /// Turns the wheel up by `notches`, quickly.
    pub fn turn_wheel(&self, notches: u32) {
        for _ in 0..notches {
            self.tell("wheel 1");
            self.pass(Duration::from_millis(20));
        }
    }

    /// Presses a key and keeps it down, or releases it: `keydown` or `keyup`.
    pub fn hold(&self, action: &str, name: &str) {
        self.tell(&format!("{action} {name}"));
        self.pass(STROKE);
    }

    /// Types a text, key by key.
    pub fn type_text(&self, text: &str) {
        self.tell(&format!("type {text}"));
    }

    /// Does something, and waits until the program has logged a line with `text` since then. Returns the newest such
    /// line.
    pub fn after(&self, what: impl FnOnce(), text: &str) -> String {
        self.logged_before.set(self.logged().len());
        what();
        self.then(text)
    }

    /// Waits until the program has logged a line with `text` since something was last done by [`after`](Self::after);
    /// the newest such line.
    pub fn then(&self, text: &str) -> String {
        until(&format!("the log to say '{text}'"), PATIENCE, || {
            self.assert_running();
            let log = self.log();
            let since = log.get(self.logged_before.get()..).unwrap_or_default();
            // A line that is still being written has no end yet.
            let whole = &since[..since.rfind('\n').map_or(0, |end| end + 1)];
            whole.lines().rfind(|line| line.contains(text)).map(str::to_owned)
        })
    }

    /// Returns the folder that the program works in and saves to.
    pub fn folder(&self) -> &Path {
        self.runtime.path()
    }

    /// True while the program runs.
    pub fn is_running(&self) -> bool {
        matches!(self.process.borrow_mut().try_wait(), Ok(None))
    }

    /// Returns the program's exit status once it has ended.
    pub fn status(&self) -> Option<ExitStatus> {
        self.pass(LOOK);
        self.process.borrow_mut().try_wait().expect("cannot ask after the program")
    }

    /// Presses and releases a key by its X name, for example `space` or `shift+Right`.
    pub fn key(&self, name: &str) {
        self.tell(&format!("key {name}"));
        self.pass(STROKE);
    }

    /// Presses keys one after the other, without a pause.
    pub fn keys(&self, names: &[&str]) {
        names.iter().for_each(|name| self.tell(&format!("key {name}")));
        self.pass(STROKE);
    }

    /// Returns the current title.
    pub fn title(&self) -> Title {
        self.pass(LOOK);
        match self.ask("title") {
            Some(text) => Title::new(&text),
            None => panic!("the program has ended:\n{}", self.logged()),
        }
    }

    /// Returns the current picture of the window.
    pub fn picture(&self) -> Picture {
        self.pass(LOOK);
        self.last_picture()
    }

    fn last_picture(&self) -> Picture {
        let picture = self.ask_for("picture", |head, output| {
            let (width, height) = head.split_once(' ')?;
            let (width, height) = (width.parse().ok()?, height.parse().ok()?);
            let mut rgba = vec![0; width as usize * height as usize * 4];
            output.read_exact(&mut rgba).ok()?;
            Picture::from_samples(width, height, &rgba, 4)
        });
        picture.flatten().unwrap_or_else(|| panic!("the program gives no picture:\n{}", self.logged()))
    }

    /// Returns the picture of the window once it has stopped changing. Use it for a paused program; a playing one never
    /// stops.
    pub fn settled(&self) -> Picture {
        self.tell("settle");
        self.last_picture()
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

    /// Sets the size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        self.tell(&format!("resize {width} {height}"));
        self.pass(LOOK);
    }

    /// Returns the processor time used by the program so far, in all its threads.
    pub fn processor_seconds(&self) -> f64 {
        let line =
            fs::read_to_string(format!("/proc/{}/stat", self.id)).expect("the kernel keeps account of processes");
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
        let mut command = command(&self.runtime);
        command
            .args(["snapshot", file, "--at", at, "--size", &size, "--adapter", ADAPTER, "-o"])
            .arg(&path)
            .args(if options.contains(&"--engine") { &[] } else { &self.engine[..] })
            .args(options);
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no snapshot: {error}"));
        Picture::from_png(&path).expect("the snapshot is no 8-bit PNG")
    }

    /// Presses a key that quits the program. It must exit successfully and without logged errors.
    pub fn quit_with(&self, key: &str) {
        self.key(key);
        let status = until(&format!("{key} to end the program"), PATIENCE, || self.status());
        let log = self.logged();
        assert!(status.success(), "the program ended with {status}:\n{log}");
        let complaint = log.lines().find(|line| line.contains("ERROR") || line.contains("panicked"));
        assert!(complaint.is_none(), "the program logged an error:\n{log}");
    }

    fn assert_running(&self) {
        if let Ok(Some(status)) = self.process.borrow_mut().try_wait() {
            panic!("the program ended early with {status}:\n{}", self.logged());
        }
    }

    /// Returns everything that the program has logged so far, after a moment.
    pub fn log(&self) -> String {
        self.pass(LOOK);
        self.logged()
    }

    fn logged(&self) -> String {
        let bytes = fs::read(self.runtime.path().join(LOG)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // These fail only if the program has already ended.
        let process = self.process.get_mut();
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Makes a folder of settings that switch off the clip behind the timeline. Its threads count as long as the program
/// runs, and other tests would have to wait for them.
pub fn home_without_strip(runtime: &TempDir) -> PathBuf {
    let home = runtime.path().join("config");
    let folder = home.join("histoscope");
    fs::create_dir_all(&folder).expect("cannot make a folder");
    fs::write(folder.join("settings.json"), r#"{"strip": "off"}"#).expect("cannot write settings");
    home
}

/// Returns the program's command. Everything in the environment that could affect it is set or removed.
pub fn command(runtime: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command.env("XDG_RUNTIME_DIR", runtime.path());
    // Saved files go to this folder.
    command.current_dir(runtime.path());
    command.env("WGPU_BACKEND", "vulkan").env("WGPU_VALIDATION", "1");
    // Mesa caches compiled shaders of the software adapter in the user's folder, which is new for each program. Without
    // this, each would compile all of them again, which takes more than a second of processor time.
    command.env("MESA_SHADER_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
    command.env("RUST_LOG", "info,rfd=off,histoscope=trace").env("RUST_BACKTRACE", "1");
    command
}
