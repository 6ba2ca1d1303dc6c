//! The window's picture, requested from the X server in its own protocol. Starting a program for each picture would
//! take longer than the picture, and the tests take thousands of them.

use std::io::{Error, Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use crate::picture::Picture;

/// Request numbers of the core protocol.
const GET_GEOMETRY: u8 = 14;
const GRAB_SERVER: u8 = 36;
const UNGRAB_SERVER: u8 = 37;
const GET_IMAGE: u8 = 73;
/// Pixels one after the other, with all their bits.
const Z_PIXMAP: u8 = 2;
const ALL_PLANES: u32 = u32::MAX;

/// First bytes of the server's messages. Anything else is an event.
const ERROR: u8 = 0;
const REPLY: u8 = 1;
const GENERIC_EVENT: u8 = 35;

/// A client of an X server of this machine.
pub struct Client {
    stream: UnixStream,
}

impl Client {
    /// Connects to the display with this number. It must answer each request within `patience`.
    pub fn connect(display: u32, patience: Duration) -> Result<Self, Error> {
        let path = format!("/tmp/.X11-unix/X{display}");
        // If that folder cannot be created, only the abstract name exists.
        let stream = UnixStream::connect(&path)
            .or_else(|_| UnixStream::connect_addr(&SocketAddr::from_abstract_name(&path)?))?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let mut client = Self { stream };
        // Bytes of numbers from the lowest on, version 11.0, no authority.
        client.stream.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        let head: [u8; 8] = client.bytes()?;
        let mut rest = vec![0; 4 * usize::from(u16::from_le_bytes([head[6], head[7]]))];
        client.stream.read_exact(&mut rest)?;
        if head[0] != REPLY {
            return Err(Error::other(format!("refused: {}", String::from_utf8_lossy(&rest))));
        }
        // The byte order of pixels.
        if rest[22] != 0 {
            return Err(Error::other("the server's pixels begin with their highest byte"));
        }
        Ok(client)
    }

    /// Returns the current content of a window.
    pub fn picture(&mut self, window: u32) -> Result<Picture, Error> {
        // The server serves only this client meanwhile, so the window keeps its size.
        self.request(GRAB_SERVER, 0, &[])?;
        let picture = self.picture_alone(window);
        self.request(UNGRAB_SERVER, 0, &[])?;
        picture
    }

    fn picture_alone(&mut self, window: u32) -> Result<Picture, Error> {
        let (geometry, _) = self.ask(GET_GEOMETRY, 0, &window.to_le_bytes())?;
        let size = [&geometry[16..18], &geometry[18..20]].concat();
        let planes = ALL_PLANES.to_le_bytes();
        let from = [0; 4];
        let (_, pixels) =
            self.ask(GET_IMAGE, Z_PIXMAP, &[&window.to_le_bytes()[..], &from, &size, &planes].concat())?;
        let [width, height] = [[size[0], size[1]], [size[2], size[3]]].map(|two| u32::from(u16::from_le_bytes(two)));
        // Blue, green, red, and a byte that counts for nothing.
        let rgb: Vec<u8> = pixels.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Picture::from_samples(width, height, &rgb, 3)
            .ok_or_else(|| Error::other(format!("{} bytes for {width}x{height} pixels", pixels.len())))
    }

    /// Sends a request. Its words follow in units of four bytes.
    fn request(&mut self, number: u8, detail: u8, body: &[u8]) -> Result<(), Error> {
        let [low, high] = (1 + body.len() as u16 / 4).to_le_bytes();
        self.stream.write_all(&[&[number, detail, low, high], body].concat())
    }

    /// Sends a request and reads its reply: 32 bytes and any further data.
    fn ask(&mut self, number: u8, detail: u8, body: &[u8]) -> Result<([u8; 32], Vec<u8>), Error> {
        self.request(number, detail, body)?;
        loop {
            let head: [u8; 32] = self.bytes()?;
            let words = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            let mut rest = Vec::new();
            if matches!(head[0], REPLY | GENERIC_EVENT) {
                rest.resize(4 * words as usize, 0);
                self.stream.read_exact(&mut rest)?;
            }
            match head[0] {
                ERROR => return Err(Error::other(format!("error {} to request {}", head[1], head[10]))),
                REPLY => return Ok((head, rest)),
                // Events such as a change of the keyboard layout go to every client.
                _ => {}
            }
        }
    }

    fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Error> {
        let mut bytes = [0; COUNT];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
