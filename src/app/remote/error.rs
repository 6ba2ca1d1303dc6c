//! The reasons why there is no socket.

#[cfg(unix)]
use std::path::PathBuf;

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// Another program listens there.
    #[cfg(unix)]
    #[error("{}: another program listens on this socket; choose another path for --ipc", .0.display())]
    InUse(PathBuf),
    /// Something else is there.
    #[cfg(unix)]
    #[error("{}: this file exists and is not a socket; choose another path for --ipc", .0.display())]
    NotSocket(PathBuf),
    /// The system refuses.
    #[cfg(unix)]
    #[error("{}: no socket can be made here: {reason}; choose another path for --ipc", .path.display())]
    Refused {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// The system has no such sockets.
    #[cfg(not(unix))]
    #[error("--ipc needs a Unix socket, which this system does not have; leave it out")]
    Unsupported,
}
