//! A private X server that is not visible, with a free display number.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use crate::picture::Picture;
use crate::wait::{PATIENCE, output_of};
use crate::x11::Client;

/// The running server. Dropping it ends the server.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // These fail only if the server has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running Xvfb. Dropping it ends the server.
pub struct Display {
    name: String,
    // In a cell, since a request changes the unread input.
    client: RefCell<Client>,
    _server: Server,
}

impl Display {
    /// Starts the server and waits until it accepts clients.
    pub fn start() -> Self {
        let complaints = tempfile::NamedTempFile::new().expect("cannot make a temporary file");
        let server = Command::new("Xvfb")
            // The server itself chooses a free number and writes it when it is ready. Without `-noreset` it would
            // restart whenever its last client, such as xdotool, disconnects.
            .args(["-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints.reopen().expect("cannot share a temporary file"))
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start Xvfb: {error}; scripts/setup installs it"));
        // Owned from here on, so that a panic below ends the server too.
        let mut server = Server(server);
        let out = server.0.stdout.take().expect("Xvfb was started with a pipe");
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            // An error leaves an empty line, like an early end.
            let _ = BufReader::new(out).read_line(&mut line);
            let _ = send.send(line);
        });
        let line = receive.recv_timeout(PATIENCE).unwrap_or_default();
        let number: u32 = line.trim().parse().unwrap_or_else(|_| {
            let complaints = std::fs::read(complaints.path()).unwrap_or_default();
            panic!("Xvfb did not start: {}", String::from_utf8_lossy(&complaints));
        });
        let client = Client::connect(number, PATIENCE).unwrap_or_else(|error| panic!("Xvfb does not answer: {error}"));
        let display = Self { name: format!(":{number}"), client: RefCell::new(client), _server: server };
        // Anything missing is reported immediately, not after a minute of waiting for a window. xdotool needs a display
        // even to print its version.
        for (program, question) in [("xdotool", "version"), ("setxkbmap", "-version")] {
            let answer = output_of(display.command(program).arg(question), PATIENCE);
            answer.unwrap_or_else(|error| panic!("{error}"));
        }
        display
    }

    /// Returns its name, for example `:99`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a command whose windows open only on this display.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        // An authority file for the user's own display does not apply here.
        command.env_remove("XAUTHORITY");
        command
    }

    /// Returns the output of xdotool for these arguments.
    pub fn xdotool(&self, arguments: &[&str]) -> Result<String, String> {
        let out = output_of(self.command("xdotool").args(arguments), PATIENCE)?;
        Ok(String::from_utf8_lossy(&out).trim().to_owned())
    }

    /// Returns the picture of a window.
    pub fn picture(&self, window: &str) -> Result<Picture, String> {
        let number = window.parse().map_err(|error| format!("'{window}' is no window: {error}"))?;
        self.client.borrow_mut().picture(number).map_err(|error| error.to_string())
    }
}
