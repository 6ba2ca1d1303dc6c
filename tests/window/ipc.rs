//! Control by another program over the socket of `--ipc`, in the lines of mpv.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::picture::Area;
use crate::program::{Program, command};
use crate::sample;
use crate::wait::{PATIENCE, until};

/// A program that controls the window.
struct Client<'p> {
    program: &'p Program,
    stream: BufReader<UnixStream>,
    /// A line that has not arrived completely.
    begun: String,
}

impl<'p> Client<'p> {
    fn connect(program: &'p Program, path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("the window listens");
        stream.set_read_timeout(Some(Duration::from_millis(5))).expect("a limit");
        Self { program, stream: BufReader::new(stream), begun: String::new() }
    }

    /// Returns the next line from the window.
    fn next(&mut self) -> Value {
        let line = until("a line from the window", PATIENCE, || {
            // The window reads only while time passes.
            self.program.pass(Duration::from_millis(20));
            let is_whole = self.stream.read_line(&mut self.begun).is_ok() && self.begun.ends_with('\n');
            is_whole.then(|| std::mem::take(&mut self.begun))
        });
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Sends a command, and returns its answer.
    fn ask(&mut self, command: Value) -> Value {
        let line = json!({ "command": command, "request_id": 42 });
        writeln!(self.stream.get_mut(), "{line}").expect("the window listens");
        let answer = self.next();
        assert_eq!(answer["request_id"], 42, "{command}: {answer}");
        answer
    }

    fn get(&mut self, name: &str) -> Value {
        let answer = self.ask(json!(["get_property", name]));
        assert_eq!(answer["error"], "success", "{name}: {answer}");
        answer["data"].clone()
    }

    /// Sends a command that must succeed.
    fn does(&mut self, command: Value) {
        let answer = self.ask(command.clone());
        assert_eq!(answer["error"], "success", "{command}: {answer}");
    }
}

#[test]
fn another_program_reads_sets_and_observes_the_window_and_presses_its_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("socket");
    let option = path.to_str().expect("plain");
    let program = Program::start_with(sample(), &["--paused", "--ipc", option]);
    program.take_pointer_away();
    let mode = std::fs::metadata(&path).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "others may open the socket");

    let mut client = Client::connect(&program, &path);
    assert_eq!(client.get("pause"), json!(true));
    assert_eq!(client.get("filename"), json!("sample.mp4"));
    assert_eq!([client.get("width"), client.get("height")], [json!(1280), json!(720)]);
    client.does(json!(["set_property", "time-pos", 5]));
    until("the frame", PATIENCE, || (client.get("estimated-frame-number") == json!(150)).then_some(()));

    // Figures are those of `snapshot`.
    let runtime = tempfile::tempdir().expect("a temporary folder");
    let mut figures = command(&runtime);
    figures.args(["snapshot", sample(), "--at", "5", "--json", "--engine", "cpu"]);
    let figures: Value = serde_json::from_slice(&figures.output().expect("figures").stdout).expect("JSON");
    assert_eq!(client.get("channels/luminance/mean"), figures["channels"]["luminance"]["mean"]);
    assert_eq!(client.get("channels/red"), figures["channels"]["red"]);

    // Settings, which are undone as if by hand.
    let before = program.settled();
    client.does(json!(["set_property", "waveform", true]));
    assert_eq!(client.get("waveform"), json!(true));
    program.until_other("the waveform", &before, Area::Outside, 1_000);
    program.after(|| program.key("ctrl+z"), "note: undone: waveform on");
    assert_eq!(client.get("waveform"), json!(false));

    // Keys.
    client.does(json!(["change", "green", "switch"]));
    assert!(program.log().contains("note: green off"), "{}", program.log());
    client.does(json!(["command", "step", true]));
    until("the next frame", PATIENCE, || (client.get("estimated-frame-number") == json!(151)).then_some(()));

    // Changes are reported while the video plays, and no longer once that is enough.
    client.does(json!(["observe_property", 3, "pause"]));
    assert_eq!(client.next(), json!({ "event": "property-change", "id": 3, "name": "pause", "data": true }));
    client.does(json!(["observe_property", 4, "time-pos"]));
    assert_eq!(client.next()["id"], 4);
    program.key("space");
    let events: Vec<_> = (0..10).map(|_| client.next()).collect();
    assert!(events.contains(&json!({ "event": "property-change", "id": 3, "name": "pause", "data": false })));
    let times: Vec<_> =
        events.iter().filter(|event| event["id"] == 4).filter_map(|event| event["data"].as_f64()).collect();
    assert!(times.len() == 9 && times.is_sorted() && times[0] < times[8], "{times:?}");
    program.key("space");
    program.quit_with("q");
    assert!(!path.exists(), "the socket stays behind");
}

#[test]
fn what_is_wrong_is_answered_with_one_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("socket");
    let option = path.to_str().expect("plain");
    let program = Program::start_with(sample(), &["--paused", "--input-ipc-server", option]);
    let mut client = Client::connect(&program, &path);
    for (command, sentence) in [
        (json!(["frob"]), "'frob' is not a command; the manual's page on --ipc lists them"),
        (json!(["step"]), "'step' does not take these values: "),
        (json!([]), "\"command\" must be a list that begins with a command's name"),
        (json!(["get_property", "frob"]), "property not found"),
        (json!(["get_property", "timecode"]), "property unavailable"),
        (json!(["set_property", "duration", 1]), "'duration' can only be read"),
        (json!(["set_property", "pause", "maybe"]), "\"maybe\" is neither true nor false"),
        (json!(["set_property", "speed", -1]), "-1 is not a speed"),
        (json!(["set_property", "arrangement", "heap"]), "\"heap\" is not a value of this setting; it has "),
        (json!(["observe_property", 1, "frob"]), "property not found"),
    ] {
        let answer = client.ask(command.clone());
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(sentence), "{command}: {answer}");
    }
    writeln!(client.stream.get_mut(), "pause").expect("the window listens");
    let answer = client.next();
    assert!(
        answer["error"].as_str().is_some_and(|error| error.starts_with("a line must be a JSON object")),
        "{answer}"
    );

    // A second window does not take the socket away, nor another file.
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").expect("a file can be written");
    let runtime = tempfile::tempdir().expect("a temporary folder");
    for (path, sentence) in [(&path, "another program listens here"), (&file, "exists and is not a socket")] {
        let mut second = command(&runtime);
        let output =
            second.env("RUST_LOG", "error").args([sample(), "--ipc"]).arg(path).output().expect("the program ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.lines().count() == 1 && text.contains(sentence), "{text}");
    }
    assert_eq!(client.get("pause"), json!(true), "the first window still listens");

    writeln!(client.stream.get_mut(), "{}", json!({ "command": ["quit"] })).expect("the window listens");
    until("the window to close", PATIENCE, || {
        program.command("pass 10");
        (!program.is_running()).then_some(())
    });
    assert!(!path.exists(), "the socket stays behind");
}
