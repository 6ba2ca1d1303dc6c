//! How far a run is, on a terminal and only there.

use std::io::IsTerminal;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::text::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two looks at the clock's text.
const INTERVAL: Duration = Duration::from_millis(100);

/// A bar with frames, frames a second, speed relative to real time, and the time that is left.
pub struct Progress {
    bar: ProgressBar,
    span: Range<f64>,
    begun: Instant,
    told: Option<Instant>,
    frames: u64,
}

impl Progress {
    /// A bar for that many seconds of video on the standard error, if that is a terminal and `quiet` is not set.
    #[must_use]
    pub fn new(name: &str, span: Range<f64>, quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let length = (span.end - span.start) * 1000.0;
        let bar = if length.is_finite() && length > 0.0 {
            let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %  {msg}  {eta} left");
            let bar = ProgressBar::with_draw_target(Some(length as u64), target);
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        } else {
            let style = ProgressStyle::with_template("{prefix} {spinner} {msg}");
            let bar = ProgressBar::with_draw_target(None, target);
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        };
        bar.set_prefix(name.to_owned());
        Self { bar, span, begun: Instant::now(), told: None, frames: 0 }
    }

    /// Tells of another frame, which lies at that time of the video.
    pub fn frame(&mut self, time_secs: f64) {
        self.frames += 1;
        if self.bar.is_hidden() || self.told.is_some_and(|told| told.elapsed() < INTERVAL) {
            return;
        }
        self.told = Some(Instant::now());
        let elapsed = self.begun.elapsed().as_secs_f64().max(1e-9);
        let done = time_secs - self.span.start;
        self.bar.set_position((done * 1000.0).max(0.0) as u64);
        let rate = self.frames as f64 / elapsed;
        self.bar.set_message(format!(
            "{}  {rate:.0}/s  {:.1}× real time",
            counted(self.frames, "frame"),
            done / elapsed
        ));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
