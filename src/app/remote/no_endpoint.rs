//! A system without sockets in files.

use std::path::Path;
use std::sync::mpsc::Receiver;

use super::arrival::Arrival;
use super::error::EndpointError;

/// A socket, of which there are none here.
#[derive(Debug)]
pub enum Endpoint {}

/// The file of a socket.
pub type SocketFile = Endpoint;

impl Endpoint {
    /// Fails, as this system has no such sockets.
    ///
    /// # Errors
    /// [`EndpointError::Unsupported`].
    pub fn bind(_: &Path) -> Result<Self, EndpointError> {
        Err(EndpointError::Unsupported)
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn serve(self, _: impl Fn() + Send + 'static) -> Result<(Receiver<Arrival>, SocketFile), EndpointError> {
        match self {}
    }
}
