//! What the reading thread tells the window.

use std::io::Write;

/// Something that the reading thread has received.
#[cfg_attr(not(unix), allow(dead_code, reason = "nobody can connect there"))]
pub enum Arrival {
    /// A client has connected; its number, and where answers go.
    Client(u64, Box<dyn Write + Send>),
    /// A client has sent a line.
    Line(u64, String),
    /// A client has left.
    Gone(u64),
}
