//! A web server for one file, with or without support for ranges.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

/// Serves one file. For each request it sends as many bytes of the requested range as `send` says, then keeps the
/// connection open.
pub fn serve(bytes: Vec<u8>, with_ranges: bool, send: impl Fn(usize) -> usize + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            held.push(stream.try_clone());
            let _ = answer(stream, &bytes, with_ranges, &send);
        }
    });
    format!("http://{address}/clip.mp4")
}

fn answer(mut stream: TcpStream, bytes: &[u8], ranges: bool, send: &impl Fn(usize) -> usize) -> std::io::Result<()> {
    let mut from = 0;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?.to_ascii_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=").filter(|_| ranges) {
            from = range.split('-').next().and_then(|first| first.parse().ok()).unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    let (length, last) = (bytes.len() - from, bytes.len() - 1);
    let head = if ranges {
        format!("206 Partial Content\r\nAccept-Ranges: bytes\r\nContent-Range: bytes {from}-{last}/{}", bytes.len())
    } else {
        "200 OK".to_owned()
    };
    write!(stream, "HTTP/1.1 {head}\r\nContent-Type: video/mp4\r\nContent-Length: {length}\r\n\r\n")?;
    stream.write_all(&bytes[from..][..send(length).min(length)])
}
