//! The socket: a file that only this user may open, and the thread that reads what clients send.

use std::fs;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};

use super::arrival::Arrival;
use super::error::EndpointError;

/// The most clients at once; others are turned away.
const MOST_CLIENTS: usize = 16;
/// The longest line in bytes. A client that sends a longer one is turned away.
const LONGEST_LINE: usize = 1 << 16;

/// A socket that listens. Its file goes with it.
#[derive(Debug)]
pub struct Endpoint {
    listener: UnixListener,
    file: SocketFile,
}

/// The file of a socket, which is removed with this value.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            log::debug!("{}: the socket cannot be removed: {error}", self.0.display());
        }
    }
}

impl Endpoint {
    /// Listens at a path. A socket that a program has left behind is replaced.
    ///
    /// # Errors
    /// [`EndpointError`] if the path is in use, or cannot be used.
    pub fn bind(path: &Path) -> Result<Self, EndpointError> {
        let refused = |reason| EndpointError::Refused { path: path.to_owned(), reason };
        match fs::symlink_metadata(path) {
            Ok(facts) if !facts.file_type().is_socket() => return Err(EndpointError::NotSocket(path.to_owned())),
            Ok(_) if UnixStream::connect(path).is_ok() => return Err(EndpointError::InUse(path.to_owned())),
            Ok(_) => fs::remove_file(path).map_err(refused)?,
            Err(_) => {}
        }
        // SAFETY: The call only replaces a number of the process. Files that other threads make meanwhile are for
        // this user only, too.
        let before = unsafe { libc::umask(0o177) };
        let listener = UnixListener::bind(path);
        // SAFETY: As above.
        unsafe { libc::umask(before) };
        let listener = listener.map_err(refused)?;
        let file = SocketFile(path.to_owned());
        listener.set_nonblocking(true).map_err(refused)?;
        Ok(Self { listener, file })
    }

    /// Starts the thread that reads; `waker` is called after each arrival.
    ///
    /// # Errors
    /// [`EndpointError`] if no thread can be started.
    pub fn serve(self, waker: impl Fn() + Send + 'static) -> Result<(Receiver<Arrival>, SocketFile), EndpointError> {
        let (sender, arrivals) = mpsc::channel();
        let Self { listener, file } = self;
        let read = move || Reader { listener, clients: Vec::new(), next: 0, sender, waker }.run();
        let started = std::thread::Builder::new().name("histoscope-ipc".to_owned()).spawn(read);
        started.map_err(|reason| EndpointError::Refused { path: file.0.clone(), reason })?;
        Ok((arrivals, file))
    }
}

/// A client, with the beginning of a line that it has not completed.
struct Client {
    number: u64,
    stream: UnixStream,
    begun: Vec<u8>,
}

struct Reader<W> {
    listener: UnixListener,
    clients: Vec<Client>,
    next: u64,
    sender: Sender<Arrival>,
    waker: W,
}

impl<W: Fn()> Reader<W> {
    /// Reads until the window is gone.
    fn run(mut self) {
        while let Some(ready) = self.wait() {
            let mut arrivals = Vec::new();
            for place in (0..self.clients.len()).rev().filter(|&place| ready[place + 1]) {
                let client = &mut self.clients[place];
                let stays = read(client, &mut arrivals);
                if !stays {
                    arrivals.push(Arrival::Gone(client.number));
                    self.clients.remove(place);
                }
            }
            if ready[0] {
                arrivals.extend(self.accept());
            }
            let is_heard = arrivals.into_iter().all(|arrival| self.sender.send(arrival).is_ok());
            (self.waker)();
            if !is_heard {
                return;
            }
        }
    }

    /// Waits until someone connects, sends or leaves. Returns whether the listener and each client has something.
    fn wait(&self) -> Option<Vec<bool>> {
        let listener = self.listener.as_raw_fd();
        let clients = self.clients.iter().map(|client| client.stream.as_raw_fd());
        let asked = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut polled: Vec<_> = std::iter::once(listener).chain(clients).map(asked).collect();
        loop {
            // SAFETY: Pointer and length are those of the list, whose descriptors are open as long as `self` is.
            let count = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) };
            if count >= 0 {
                return Some(polled.iter().map(|polled| polled.revents != 0).collect());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                log::warn!("this window can no longer be controlled by other programs: {error}");
                return None;
            }
        }
    }

    /// Takes a new client, if there is room for one.
    fn accept(&mut self) -> Option<Arrival> {
        let (stream, _) = self.listener.accept().ok()?;
        if self.clients.len() >= MOST_CLIENTS {
            log::warn!("{MOST_CLIENTS} programs control this window already; another was turned away");
            return None;
        }
        // Neither this thread nor the window's waits for a single client.
        stream.set_nonblocking(true).ok()?;
        let answers = stream.try_clone().ok()?;
        let number = self.next;
        self.next += 1;
        self.clients.push(Client { number, stream, begun: Vec::new() });
        Some(Arrival::Client(number, Box::new(answers)))
    }
}

/// Reads what a client has sent. Returns `false` if it has left, or sends too long a line.
fn read(client: &mut Client, arrivals: &mut Vec<Arrival>) -> bool {
    let mut bytes = [0; 4096];
    let count = match client.stream.read(&mut bytes) {
        Ok(0) => return false,
        Ok(count) => count,
        Err(error) => return matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
    };
    client.begun.extend_from_slice(&bytes[..count]);
    while let Some(end) = client.begun.iter().position(|&byte| byte == b'\n') {
        let line: Vec<u8> = client.begun.drain(..=end).collect();
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if !line.is_empty() {
            arrivals.push(Arrival::Line(client.number, line.to_owned()));
        }
    }
    client.begun.len() <= LONGEST_LINE
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_socket_is_for_this_user_alone_and_its_file_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let endpoint = Endpoint::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let error = Endpoint::bind(&path).unwrap_err().to_string();
        assert!(error.contains("another program listens on this socket; choose another path"), "{error}");
        drop(endpoint);
        assert!(!path.exists());
        // One that was left behind is replaced; another file is not.
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        drop(Endpoint::bind(&path).unwrap());
        fs::write(&path, "mine").unwrap();
        let error = Endpoint::bind(&path).unwrap_err().to_string();
        assert!(error.contains("is not a socket"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        let error = Endpoint::bind(Path::new("/no/such/folder/socket")).unwrap_err().to_string();
        assert!(error.contains("no socket can be made here"), "{error}");
    }

    #[test]
    fn lines_arrive_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let (arrivals, _file) = Endpoint::bind(&path).unwrap().serve(|| ()).unwrap();
        let next = || arrivals.recv_timeout(Duration::from_secs(10)).unwrap();
        let mut client = UnixStream::connect(&path).unwrap();
        let Arrival::Client(0, mut answers) = next() else { panic!("no client") };
        client.write_all(b"one\ntw").unwrap();
        assert!(matches!(next(), Arrival::Line(0, line) if line == "one"));
        client.write_all(b"o\n\nthree\n").unwrap();
        assert!(matches!(next(), Arrival::Line(0, line) if line == "two"));
        assert!(matches!(next(), Arrival::Line(0, line) if line == "three"));
        answers.write_all(b"answer\n").unwrap();
        let mut answer = [0; 7];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"answer\n");
        drop(client);
        assert!(matches!(next(), Arrival::Gone(0)));
        // A line without an end is not collected for ever.
        let mut client = UnixStream::connect(&path).unwrap();
        assert!(matches!(next(), Arrival::Client(1, _)));
        let _ = client.write_all(&vec![b'x'; 2 * LONGEST_LINE]);
        assert!(matches!(next(), Arrival::Gone(1)));
    }
}
