//! The `ffmpeg` command as the sender of a live stream, and a network that loses and reorders packets.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A running sender. Dropping it stops the sender.
pub struct Sender(Child);

impl Sender {
    /// Sends FFmpeg's moving test source of this size, at 30 frames per second, until dropped: `ffmpeg … ARGUMENTS
    /// target`.
    pub fn moving(size: &str, arguments: &str, target: &str) -> Self {
        Self::raw(&format!("-re -f lavfi -i testsrc2=size={size}:rate=30 -pix_fmt yuv420p {arguments}"), target)
    }

    /// Sends a clip in a loop, in real time.
    pub fn of(clip: &Path, arguments: &str, target: &str) -> Self {
        Self::raw(&format!("-re -stream_loop -1 -i {} {arguments}", clip.display()), target)
    }

    /// Sends what these arguments say: `ffmpeg ARGUMENTS target`.
    pub fn raw(arguments: &str, target: &str) -> Self {
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]).args(arguments.split_whitespace());
        command.arg(target).stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().expect("the ffmpeg command is installed"))
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        // These fail only if it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a port of this machine that is free, and whose successor is free, since RTP needs two.
pub fn free_port() -> u16 {
    loop {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let port = socket.local_addr().expect("an address").port();
        let is_even = port.is_multiple_of(2);
        if is_even && UdpSocket::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
}

/// The fate of a datagram, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Passes,
    IsLost,
    /// It arrives after the next one.
    IsLate,
}

/// Forwards datagrams from its own port to another one.
pub struct Network {
    pub port: u16,
    stop: Arc<AtomicBool>,
    handle: Option<JoinHandle<()>>,
}

impl Network {
    pub fn to(target: u16, fate: impl Fn(u64) -> Fate + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a time limit");
        let port = socket.local_addr().expect("an address").port();
        let stop = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&stop);
        let target = SocketAddr::from(([127, 0, 0, 1], target));
        let carry = move || {
            let (mut datagram, mut held, mut number) = ([0; 65_536], None::<Vec<u8>>, 0);
            while !theirs.load(Ordering::Relaxed) {
                let Ok(length) = socket.recv(&mut datagram) else { continue };
                // There may be no receiver yet.
                let send = |bytes: &[u8]| drop(socket.send_to(bytes, target));
                match fate(number) {
                    Fate::IsLost => {}
                    Fate::IsLate if held.is_none() => held = Some(datagram[..length].to_vec()),
                    Fate::Passes | Fate::IsLate => {
                        send(&datagram[..length]);
                        held.take().iter().for_each(|late| send(late));
                    }
                }
                number += 1;
            }
        };
        Self { port, stop, handle: Some(thread::spawn(carry)) }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.handle.take().map(JoinHandle::join);
    }
}
