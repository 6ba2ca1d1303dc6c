//! What the viewer keeps of the programs that control it.

use crate::app::remote::Remote;
use crate::app::remote::protocol::CallResult;
use crate::app::workspace::undo::Chosen;

/// The programs that control the window.
pub struct Control {
    /// The connections.
    pub remote: Remote,
    /// The figures of a frame, which is counted once for all properties.
    pub figures: Option<(CountedFrame, CallResult)>,
}

/// Everything that the figures depend on.
#[derive(Debug, PartialEq)]
pub struct CountedFrame {
    /// The name of the video.
    pub name: String,
    /// Time of the frame in seconds.
    pub time_secs: f64,
    /// What is counted of it, and how.
    pub chosen: Chosen,
}
