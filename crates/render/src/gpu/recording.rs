//! The commands of a draw while they are being recorded.

use std::time::Duration;

use super::Gpu;
use super::live::{LiveTiming, PassTimes};

/// The commands of one draw, to which passes are added one after another.
#[derive(Debug)]
pub struct Recording<'a> {
    /// The adapter.
    pub gpu: &'a Gpu,
    /// The commands so far.
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// Timing of the passes, if they are timed.
    pub timing: Option<&'a mut LiveTiming>,
    /// The names of the passes so far.
    pub names: &'a mut Vec<&'static str>,
}

impl Recording<'_> {
    /// Returns the same recording for passes that are not timed.
    pub fn untimed(&mut self) -> Recording<'_> {
        Recording { gpu: self.gpu, encoder: self.encoder, timing: None, names: self.names }
    }

    /// Records a time on the CPU's clock.
    pub fn note(&mut self, which: impl Fn(&mut PassTimes) -> &mut Option<Duration>, time: Option<Duration>) {
        if let Some(timing) = &mut self.timing {
            *which(&mut timing.times) = time;
        }
    }
}
