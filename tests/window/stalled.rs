//! A stream that stops in the middle: the window stays responsive and says what happened.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use crate::program::{Program, Time};
use crate::sample;
use crate::wait::{PATIENCE, output_of, until};

/// Serves the first half of a file to every client, and then nothing. Returns the address. The server ends with the
/// test.
fn serve_half(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
    let address = listener.local_addr().expect("the port has a number");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), bytes) = (stream, bytes.clone()) else { return };
            thread::spawn(move || {
                let mut request = [0; 4096];
                // The request is always the same. A client that has gone away needs no answer.
                let _ = stream.read(&mut request);
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nAccept-Ranges: none\r\n\r\n", bytes.len());
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.write_all(&bytes[..bytes.len() / 2]);
                thread::sleep(PATIENCE * 3);
            });
        }
    });
    format!("http://{address}/clip.ts")
}

#[test]
fn a_stream_that_stalls_is_told_and_the_window_goes_on_answering() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clip = folder.path().join("clip.ts");
    // The pictures are so large that half of the file is more than the initial read.
    let arguments = ["-v", "error", "-i", sample(), "-c:v", "mpeg2video", "-b:v", "8M"];
    let made = output_of(std::process::Command::new("ffmpeg").args(arguments).arg(&clip), PATIENCE);
    made.unwrap_or_else(|error| panic!("no clip: {error}"));
    let address = serve_half(std::fs::read(&clip).expect("the clip was written"));

    let program = Program::start_in_time(Time::Real, &[&address]);
    // The position stops when everything received has been shown. The window still reacts to input.
    let mut last = None;
    until("the position to stop", PATIENCE, || {
        let now = program.title().position;
        program.pass(Duration::from_millis(700));
        (std::mem::replace(&mut last, now) == now && now > Some(1.0)).then_some(())
    });
    program.after(|| program.key("g"), "note: green off");
    program.after(|| program.key("g"), "note: green on");
    let before = program.processor_seconds();
    until("the message", PATIENCE, || program.log().contains("no data for 10 s; check the connection").then_some(()));
    let used = program.processor_seconds() - before;
    assert!(used < 3.0, "waiting uses {used} s of processor time");
    program.after(|| program.key("l"), "note: luminance off");
    program.quit_with("q");
}
