//! The endpoint: a socket, or on Windows a named pipe, that only this user may open. A thread waits for clients, and two
//! for each client read what it sends and write what it is told.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use interprocess::local_socket::traits::Listener as _;
use interprocess::local_socket::{GenericFilePath, Listener, ListenerOptions, Stream, ToFsName};

use super::error::EndpointError;

/// The most clients at once; others are turned away.
const MOST_CLIENTS: usize = 16;
/// The longest line in bytes. A client that sends a longer one is turned away.
const LONGEST_LINE: u64 = 1 << 16;
/// The most lines that wait until a client reads them.
const MOST_WAITING: usize = 1024;
/// How long the last lines to a client may take to be written.
const PARTING: Duration = Duration::from_millis(200);

/// Something that a client has done.
pub enum Arrival {
    /// A client has connected; its number, and where its answers go.
    Client(u64, Answers),
    /// A client has sent a line.
    Line(u64, String),
    /// A client has left.
    Gone(u64),
}

/// The way to a client.
pub struct Answers {
    lines: SyncSender<String>,
    writer: JoinHandle<()>,
}

impl Answers {
    /// Sends a line. Returns `false` if the client has left, or does not read.
    pub fn send(&self, line: String) -> bool {
        self.lines.try_send(line).is_ok()
    }
}

/// Waits a moment until clients have been sent what they were told, after which they are told nothing more.
pub fn part(clients: impl Iterator<Item = Answers>) {
    let writers: Vec<_> = clients.map(|client| client.writer).collect();
    let end = Instant::now() + PARTING;
    while writers.iter().any(|writer| !writer.is_finished()) && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The place at which clients connect. Its file goes with it.
#[derive(Debug)]
pub struct Endpoint {
    listener: Listener,
    file: SocketFile,
}

/// The file of a socket, which is removed with this value. A named pipe has none.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            log::debug!("{}: the socket cannot be removed: {error}", self.0.display());
        }
    }
}

impl Endpoint {
    /// Listens at a path. A socket that a program has left behind is replaced.
    ///
    /// # Errors
    /// [`EndpointError`] if the path is in use, or cannot be used.
    #[cfg(unix)]
    pub fn bind(path: &Path) -> Result<Self, EndpointError> {
        use std::fs;
        use std::os::unix::fs::FileTypeExt;
        use std::os::unix::net::UnixStream;

        let refused = |reason| EndpointError::Refused { path: path.to_owned(), reason };
        match fs::symlink_metadata(path) {
            Ok(facts) if !facts.file_type().is_socket() => return Err(EndpointError::NotSocket(path.to_owned())),
            Ok(_) if UnixStream::connect(path).is_ok() => return Err(EndpointError::InUse(path.to_owned())),
            Ok(_) => fs::remove_file(path).map_err(refused)?,
            Err(_) => {}
        }
        let name = path.to_fs_name::<GenericFilePath>().map_err(refused)?;
        // SAFETY: The call only replaces a number of the process. Files that other threads make meanwhile are for
        // this user only, too.
        let before = unsafe { libc::umask(0o177) };
        let listener = ListenerOptions::new().name(name).reclaim_name(false).create_sync();
        // SAFETY: As above.
        unsafe { libc::umask(before) };
        Ok(Self { listener: listener.map_err(refused)?, file: SocketFile(path.to_owned()) })
    }

    /// Listens at a named pipe, which may be given with or without `\\.\pipe\`.
    ///
    /// # Errors
    /// [`EndpointError`] if the name is in use, or cannot be used.
    #[cfg(windows)]
    pub fn bind(path: &Path) -> Result<Self, EndpointError> {
        use interprocess::os::windows::local_socket::ListenerOptionsExt;
        use interprocess::os::windows::security_descriptor::SecurityDescriptor;

        const PIPES: &str = r"\\.\pipe\";
        // Everything to the owner, and nothing to others. By default, every user may read.
        const OWNER_ONLY: &widestring::U16CStr = widestring::u16cstr!("D:P(A;;GA;;;OW)");
        let text = path.to_string_lossy();
        let path = PathBuf::from(if text.starts_with(PIPES) { text.into_owned() } else { format!("{PIPES}{text}") });
        let bind = || {
            let name = path.as_path().to_fs_name::<GenericFilePath>()?;
            let descriptor = SecurityDescriptor::deserialize(OWNER_ONLY)?;
            ListenerOptions::new().name(name).security_descriptor(descriptor).create_sync()
        };
        match bind() {
            Ok(listener) => Ok(Self { listener, file: SocketFile(path) }),
            Err(error) if matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied) => {
                Err(EndpointError::InUse(path))
            }
            Err(reason) => Err(EndpointError::Refused { path, reason }),
        }
    }

    /// Starts to serve clients; `waker` is called after each arrival.
    ///
    /// # Errors
    /// [`EndpointError`] if no thread can be started.
    pub fn serve(
        self,
        waker: impl Fn() + Send + Sync + 'static,
    ) -> Result<(Receiver<Arrival>, SocketFile), EndpointError> {
        let (sender, arrivals) = mpsc::channel();
        let Self { listener, file } = self;
        let window = Window { sender, waker: Arc::new(waker) };
        let started = start(move || window.accept(&listener));
        started.map_err(|reason| EndpointError::Refused { path: file.0.clone(), reason })?;
        Ok((arrivals, file))
    }
}

fn start(run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("histoscope-ipc".to_owned()).spawn(run)
}

/// The way to the window. As many exist as there are clients, and one.
#[derive(Clone)]
struct Window {
    sender: Sender<Arrival>,
    waker: Arc<dyn Fn() + Send + Sync>,
}

impl Window {
    fn tell(&self, arrival: Arrival) -> Result<(), mpsc::SendError<Arrival>> {
        let told = self.sender.send(arrival);
        (self.waker)();
        told
    }

    /// Takes clients until the window is gone.
    fn accept(self, listener: &Listener) {
        for number in 0.. {
            let accepted = listener.accept().and_then(|stream| {
                if Arc::strong_count(&self.waker) > MOST_CLIENTS {
                    log::warn!("{MOST_CLIENTS} programs control this window already; another was turned away");
                    return Ok(());
                }
                self.clone().serve(number, stream)
            });
            if let Err(error) = accepted {
                log::warn!("no more programs can control this window: {error}");
                return;
            }
        }
    }

    /// Starts the threads of a client.
    fn serve(self, number: u64, stream: Stream) -> io::Result<()> {
        let stream = Arc::new(stream);
        let received = Arc::clone(&stream);
        let (lines, waiting) = mpsc::sync_channel::<String>(MOST_WAITING);
        let writer = start(move || {
            // A client that has left is noticed by the other thread.
            let _ = waiting.into_iter().try_for_each(|line| (&*stream).write_all(line.as_bytes()));
        })?;
        start(move || {
            let client = Arrival::Client(number, Answers { lines, writer });
            let _ = self.tell(client).and_then(|()| {
                read_lines(BufReader::new(&*received), |line| self.tell(Arrival::Line(number, line)))?;
                self.tell(Arrival::Gone(number))
            });
        })?;
        Ok(())
    }
}

/// Reads lines until the client leaves, or sends too long a line.
fn read_lines<E>(mut client: impl BufRead, mut tell: impl FnMut(String) -> Result<(), E>) -> Result<(), E> {
    let mut line = Vec::new();
    while client.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            tell(text.trim().to_owned())?;
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_socket_is_for_this_user_alone_and_its_file_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let endpoint = Endpoint::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let error = Endpoint::bind(&path).unwrap_err().to_string();
        assert!(error.contains("another program listens here; choose another path"), "{error}");
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
        assert!(error.contains("programs cannot connect here"), "{error}");
    }

    #[test]
    fn lines_arrive_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let (arrivals, _file) = Endpoint::bind(&path).unwrap().serve(|| ()).unwrap();
        let next = || arrivals.recv_timeout(Duration::from_secs(10)).unwrap();
        let mut client = UnixStream::connect(&path).unwrap();
        let Arrival::Client(0, answers) = next() else { panic!("no client") };
        client.write_all(b"one\ntw").unwrap();
        assert!(matches!(next(), Arrival::Line(0, line) if line == "one"));
        client.write_all(b"o\n\nthree\n").unwrap();
        assert!(matches!(next(), Arrival::Line(0, line) if line == "two"));
        assert!(matches!(next(), Arrival::Line(0, line) if line == "three"));
        assert!(answers.send("answer\n".to_owned()));
        let mut answer = [0; 7];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"answer\n");
        drop(client);
        assert!(matches!(next(), Arrival::Gone(0)));
        // A line without an end is not collected for ever.
        let mut client = UnixStream::connect(&path).unwrap();
        assert!(matches!(next(), Arrival::Client(1, _)));
        let _ = client.write_all(&vec![b'x'; 2 * LONGEST_LINE as usize]);
        assert!(matches!(next(), Arrival::Gone(1)));
    }
}
