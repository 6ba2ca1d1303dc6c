//! Control by other programs, over a socket or a named pipe: mpv's JSON IPC.
//!
//! Threads read the lines of clients; the window's loop carries them out and answers.

pub mod endpoint;
pub mod error;
pub mod protocol;

use std::collections::HashMap;
use std::sync::mpsc::Receiver;

use serde_json::Value;

use endpoint::{Answers, Arrival, Endpoint, SocketFile};
use error::EndpointError;
use protocol::{Call, CallResult};

/// A request of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The number of the client.
    client: u64,
    /// The number that the client gave the request.
    id: i64,
    /// What the client asks for, or what is wrong with its line.
    pub call: Result<Call, String>,
}

/// A property that a client observes.
#[derive(Debug)]
struct Observer {
    client: u64,
    id: i64,
    name: String,
    /// The value that was reported last; `None` before the first report.
    reported: Option<CallResult>,
}

/// The connections to other programs.
pub struct Remote {
    arrivals: Receiver<Arrival>,
    _file: SocketFile,
    clients: HashMap<u64, Answers>,
    observers: Vec<Observer>,
}

impl Drop for Remote {
    fn drop(&mut self) {
        endpoint::part(self.clients.drain().map(|(_, client)| client));
    }
}

impl Remote {
    /// Starts serving clients; `waker` is called whenever one has sent something.
    ///
    /// # Errors
    /// [`EndpointError`] if no thread can be started.
    pub fn start(endpoint: Endpoint, waker: impl Fn() + Send + Sync + 'static) -> Result<Self, EndpointError> {
        let (arrivals, file) = endpoint.serve(waker)?;
        Ok(Self { arrivals, _file: file, clients: HashMap::new(), observers: Vec::new() })
    }

    /// Returns the next request.
    pub fn next(&mut self) -> Option<Request> {
        loop {
            match self.arrivals.try_recv().ok()? {
                Arrival::Client(client, answers) => {
                    self.clients.insert(client, answers);
                }
                Arrival::Gone(client) => self.forget(client),
                Arrival::Line(client, line) => {
                    let (call, id) = protocol::parse(&line);
                    return Some(Request { client, id, call });
                }
            }
        }
    }

    fn forget(&mut self, client: u64) {
        self.clients.remove(&client);
        self.observers.retain(|observer| observer.client != client);
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Request, result: CallResult) {
        self.send(request.client, &protocol::answer(request.id, result));
    }

    /// Reports this property to the client of a request from now on.
    pub fn observe(&mut self, request: &Request, id: i64, name: String) {
        self.observers.push(Observer { client: request.client, id, name, reported: None });
    }

    /// Stops reporting the properties that a client observes by this number. Returns how many there were.
    pub fn unobserve(&mut self, request: &Request, id: i64) -> usize {
        let before = self.observers.len();
        self.observers.retain(|observer| (observer.client, observer.id) != (request.client, id));
        before - self.observers.len()
    }

    /// Returns the names of the properties that any client observes, each once.
    #[must_use]
    pub fn observed(&self) -> Vec<String> {
        let mut names: Vec<_> = self.observers.iter().map(|observer| observer.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Tells a property's value to the clients that observe it, unless they know it.
    pub fn report(&mut self, name: &str, value: &CallResult) {
        let mut changes = Vec::new();
        for observer in self.observers.iter_mut().filter(|observer| observer.name == name) {
            if observer.reported.as_ref() != Some(value) {
                observer.reported = Some(value.clone());
                changes.push((observer.client, protocol::change(observer.id, name, value)));
            }
        }
        changes.into_iter().for_each(|(client, line)| self.send(client, &line));
    }

    /// Sends a line. A client that does not read is dropped, since the window must not wait for it.
    fn send(&mut self, client: u64, message: &Value) {
        let Some(answers) = self.clients.get(&client) else { return };
        if !answers.send(format!("{message}\n")) {
            log::warn!("a program that controls this window was dropped, as it does not read the answers");
            self.forget(client);
        }
    }
}
