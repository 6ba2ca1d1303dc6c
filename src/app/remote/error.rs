//! The reasons why other programs cannot connect.

use std::path::PathBuf;

/// Why other programs cannot connect.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// Another program listens there.
    #[error("{}: another program listens here; choose another path for --ipc", .0.display())]
    InUse(PathBuf),
    /// Something else is there.
    #[cfg(unix)]
    #[error("{}: this file exists and is not a socket; choose another path for --ipc", .0.display())]
    NotSocket(PathBuf),
    /// The system refuses.
    #[error("{}: programs cannot connect here: {reason}; choose another path for --ipc", .path.display())]
    Refused {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        reason: std::io::Error,
    },
}
