//! The lab: ways of counting, at work on the frame on screen, one at a time.
//!
//! It has its own planes, passes and submissions, all made when it is opened and gone when it is closed: the window's own passes know
//! nothing of it. One frame at a time is counted, and nobody waits for its figures; where that takes long, frames are left out.

mod choice;
mod times;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use choice::LabChoice;

use super::hud::{Cut, Figures, LabCommand, LabView, MOMENT, Outcome, PassFigures, Sample, verdict};
use crate::gpu::{FrameTag, Gpu, GpuError};
use crate::lab::image::codes;
use crate::lab::{Costs, Measured, Runner, Setup};
use crate::picture::color::Matrix;
use crate::picture::{Frame, Picture};
use times::Times;

/// While figures are under way they are looked for this often.
const INTERVAL: Duration = Duration::from_millis(4);
/// A frame that stands is counted again this often…
const AGAIN: Duration = Duration::from_millis(500);
/// …and by a method that is always right no more often than this in all, so that its times settle.
const ENOUGH: usize = 8;
/// Pixels of the frame that are told with their values.
const SAMPLES: u32 = 8;
/// Pixels of a playing video that a software adapter is to count, at most: some milliseconds.
const PLAYING_PIXELS: u64 = 1 << 17;
/// Rows of the picture that are looked through for some that tell something.
const ROWS: u32 = 24;

/// The lab.
#[derive(Debug)]
pub enum Lab {
    /// It is closed, and nothing of it is there but what was chosen the last time.
    Closed(LabChoice),
    /// It is open.
    Open(Box<Open>),
}

/// The lab while it is open.
#[derive(Debug)]
pub struct Open {
    choice: LabChoice,
    /// When it was opened.
    since: Instant,
    rig: Rig,
    /// When the next frame may be counted.
    next: Instant,
    figures: Known,
    /// The frame that was counted last, and how often.
    counted: Option<(Key, usize)>,
    /// Pixels that are told with their values, side by side, and where the first of them is.
    samples: Vec<Sample>,
    samples_at: Option<(u32, u32)>,
}

/// The newest figures.
#[derive(Debug)]
enum Known {
    /// There are none.
    Nothing,
    /// Those of what was chosen before: their bars stand until others come.
    Before(Figures),
    /// Those of what is chosen.
    Now(Figures),
}

/// What counts.
#[derive(Debug)]
enum Rig {
    /// Nothing yet, or something else was chosen.
    Nothing,
    /// Nothing, in words why.
    Impossible(String),
    /// A method, on the device that it was made for.
    Ready(Box<Ready>),
}

#[derive(Debug)]
struct Ready {
    gpu: Arc<Gpu>,
    setup: Setup,
    /// Of how many pixels across and down one is counted at most, so that the video plays on.
    least_step: u32,
    runner: Runner,
    times: Times,
    /// When the run began that is under way, and the size of its frame.
    begun: Instant,
    frame: (u32, u32),
}

/// What is on screen.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Whether another one follows it soon.
    pub is_playing: bool,
}

/// Which frame it is, and how it is read.
type Key = (FrameTag, Matrix);

/// What a look at the lab has led to.
#[derive(Debug, Default)]
pub struct Advanced {
    /// Whether there is something new to be drawn.
    pub has_news: bool,
    /// What is to be said: why a choice was not possible, and what is taken in its place.
    pub told: Option<String>,
    /// When to look again.
    pub wake_at: Option<Instant>,
}

impl Lab {
    /// The lab as the program starts: open where a choice is given.
    #[must_use]
    pub fn new(choice: Option<LabChoice>, now: Instant) -> Self {
        choice.map_or(Self::Closed(LabChoice::default()), |choice| Self::open(choice, now))
    }

    /// Opens it where it is closed, and closes it where it is open.
    pub fn toggle(&mut self, now: Instant) {
        match self {
            Self::Closed(choice) => *self = Self::open(*choice, now),
            Self::Open(_) => drop(self.close()),
        }
    }

    fn open(choice: LabChoice, now: Instant) -> Self {
        log::debug!("lab: open");
        let open = Open {
            choice,
            since: now,
            rig: Rig::Nothing,
            next: now,
            figures: Known::Nothing,
            counted: None,
            samples: Vec::new(),
            samples_at: None,
        };
        Self::Open(Box::new(open))
    }

    /// Closes it; whether it was open.
    pub fn close(&mut self) -> bool {
        let Self::Open(open) = self else { return false };
        log::debug!("lab: closed");
        *self = Self::Closed(open.choice);
        true
    }

    /// Notes that another video is on screen, whose frames may look like those before by time and number.
    pub fn outdate(&mut self) {
        if let Self::Open(open) = self {
            open.counted = None;
        }
    }

    /// Whether it is open.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Whether its bars stand where the histograms would.
    #[must_use]
    pub const fn has_bars(&self) -> bool {
        matches!(self, Self::Open(open) if !matches!(open.figures, Known::Nothing))
    }

    /// The newest figures of what is chosen, once there are some.
    #[must_use]
    pub const fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Open(open) => match &open.figures {
                Known::Now(figures) => Some(figures),
                Known::Nothing | Known::Before(_) => None,
            },
            Self::Closed(_) => None,
        }
    }

    /// What its bars are, in words, once there are some.
    #[must_use]
    pub fn counted_text(&self) -> Option<String> {
        match self {
            Self::Open(open) if matches!(open.figures, Known::Now(_)) => {
                Some(format!("filled: {}; outline: what is right", open.choice.method.title()))
            }
            _ => None,
        }
    }

    /// Goes to the next or previous method; what is to be said of it.
    pub fn step(&mut self, forward: bool) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let to = open.choice.stepped(forward);
        if to == open.choice {
            return Some(format!("this is the {} method of the lab", if forward { "last" } else { "first" }));
        }
        open.choose(to);
        Some(format!("lab: {}", to.method.title()))
    }

    /// Takes what was chosen in the panel. What is typed is asked for elsewhere.
    pub fn choose(&mut self, command: LabCommand) {
        let Self::Open(open) = self else { return };
        open.choose(match command {
            LabCommand::Method(method) => LabChoice { method, ..open.choice },
            LabCommand::Chunk(chunk) => LabChoice { chunk, ..open.choice },
            LabCommand::Bins(bins) => LabChoice { bins, ..open.choice },
            LabCommand::TypeChunk | LabCommand::TypeBins => return,
        });
    }

    /// Takes what has come, and has a frame counted if it is time.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn advance(&mut self, gpu: &Arc<Gpu>, frame: Option<Shown<'_>>, now: Instant) -> Result<Advanced, GpuError> {
        match (self, frame) {
            (Self::Open(open), Some(shown)) => open.advance(gpu, shown, now),
            _ => Ok(Advanced::default()),
        }
    }

    /// What its panel is told, while it is open.
    #[must_use]
    pub fn view(&self, logarithmic: bool, now: Instant) -> Option<LabView<'_>> {
        let Self::Open(open) = self else { return None };
        Some(LabView {
            method: open.choice.method,
            chunk: open.choice.chunk(),
            is_usual: open.choice.chunk.is_none(),
            bins: open.choice.bins,
            outcome: match (&open.rig, &open.figures) {
                (Rig::Impossible(reason), _) => Outcome::Impossible(reason),
                (_, Known::Now(figures)) => Outcome::Counted(figures),
                (_, Known::Nothing | Known::Before(_)) => Outcome::UnderWay,
            },
            bars: match &open.figures {
                Known::Nothing => None,
                Known::Before(figures) | Known::Now(figures) => Some(figures),
            },
            logarithmic,
            samples: &open.samples,
            samples_at: open.samples_at.unwrap_or_default(),
            moment: ((now - open.since).as_millis() / MOMENT.as_millis()) as u64,
        })
    }
}

impl Open {
    fn choose(&mut self, choice: LabChoice) {
        self.choice = choice;
        (self.rig, self.counted) = (Rig::Nothing, None);
        self.figures = match std::mem::replace(&mut self.figures, Known::Nothing) {
            Known::Before(figures) | Known::Now(figures) => Known::Before(figures),
            Known::Nothing => Known::Nothing,
        };
    }

    fn advance(
        &mut self,
        gpu: &Arc<Gpu>,
        Shown { frame, is_playing }: Shown<'_>,
        now: Instant,
    ) -> Result<Advanced, GpuError> {
        let mut advanced = Advanced::default();
        // What was made for a device that was lost is of no use on the next one.
        if matches!(&self.rig, Rig::Ready(ready) if !Arc::ptr_eq(&ready.gpu, gpu)) {
            self.choose(self.choice);
        }
        if let Rig::Ready(ready) = &mut self.rig {
            if let Some(measured) = ready.runner.poll(gpu) {
                self.figures = Known::Now(ready.figures(measured));
                advanced.has_news = true;
                self.next = self.next.max(ready.rest(now));
            }
            if ready.runner.is_pending() {
                advanced.wake_at = Some(now + INTERVAL);
                return Ok(advanced);
            }
        }
        let colorimetry = frame.picture.colorimetry();
        let key = (FrameTag::of(frame), colorimetry.matrix.value);
        let times = self.counted.filter(|(counted, _)| *counted == key).map_or(0, |(_, times)| times);
        if times >= ENOUGH && !self.choice.method.races() {
            return Ok(advanced);
        }
        if times > 0 {
            self.next = self.next.max(self.last_begun().unwrap_or(now) + AGAIN);
        }
        if self.next > now {
            advanced.wake_at = Some(self.next);
            return Ok(advanced);
        }
        let least_step = if is_playing && gpu.is_software() { playing_step(&frame.picture) } else { 1 };
        advanced.told = self.make(gpu, &frame.picture, least_step)?;
        advanced.has_news |= advanced.told.is_some();
        if times == 0 {
            // They stay where they are, so that one can see what becomes of them.
            let fits = |&(x, y): &(u32, u32)| x + SAMPLES <= frame.picture.width() && y < frame.picture.height();
            let at = self.samples_at.filter(fits).unwrap_or_else(|| telling(&frame.picture));
            self.samples = samples(&frame.picture, at, self.choice.bins);
            self.samples_at = Some(at);
        }
        match &mut self.rig {
            Rig::Ready(ready) => {
                ready.start(&frame.picture, now)?;
                self.counted = Some((key, times + 1));
                advanced.wake_at = Some(now + INTERVAL);
            }
            Rig::Nothing | Rig::Impossible(_) => {
                // Said once for each frame, and drawn.
                self.figures = Known::Nothing;
                advanced.has_news |= times == 0;
                self.counted = Some((key, ENOUGH));
            }
        }
        Ok(advanced)
    }

    fn last_begun(&self) -> Option<Instant> {
        match &self.rig {
            Rig::Ready(ready) => Some(ready.begun),
            _ => None,
        }
    }

    /// Has something that counts pictures like this one, as far as the adapter can; in words what is taken in place of what was chosen.
    fn make(&mut self, gpu: &Arc<Gpu>, picture: &Picture, least_step: u32) -> Result<Option<String>, GpuError> {
        if let Rig::Ready(ready) = &self.rig
            && ready.runner.ladder().fits(ready.setup, picture)
            && ready.least_step == least_step
        {
            return Ok(None);
        }
        let (choice, setup, told) = self.choice.on(gpu);
        self.choice = choice;
        self.rig = match setup {
            None => Rig::Impossible(told.clone().unwrap_or_default()),
            Some(setup) => match Runner::new(gpu, setup, picture, least_step)? {
                Ok(runner) => {
                    let (gpu, begun, frame) = (Arc::clone(gpu), Instant::now(), (picture.width(), picture.height()));
                    Rig::Ready(Box::new(Ready {
                        gpu,
                        setup,
                        least_step,
                        runner,
                        times: Times::default(),
                        begun,
                        frame,
                    }))
                }
                Err(reason) => {
                    log::debug!("lab counted: {} nothing: {reason}", setup.method.name());
                    Rig::Impossible(reason)
                }
            },
        };
        Ok(told)
    }
}

impl Ready {
    fn start(&mut self, picture: &Picture, now: Instant) -> Result<(), GpuError> {
        self.begun = now;
        self.frame = (picture.width(), picture.height());
        self.runner.start(&self.gpu, picture)
    }

    /// When the next frame may be counted: where the CPU does the work, it is to have time for the video.
    fn rest(&self, now: Instant) -> Instant {
        let is_on_cpu = self.gpu.is_software() || self.runner.ladder().steps().is_empty();
        if is_on_cpu { now + 3 * now.saturating_duration_since(self.begun) } else { now }
    }

    fn figures(&mut self, measured: Measured) -> Figures {
        let total = measured.total();
        let parts = measured.passes.iter().map(|(_, time)| *time);
        self.times.add(parts.chain([total, measured.floor]));
        let count = measured.passes.len();
        let steps = self.runner.ladder().steps();
        let pass = |(index, (name, _)): (usize, &(&'static str, Option<Duration>))| PassFigures {
            name,
            micros: self.times.part(index),
            constants: steps.get(index).map(|step| step.constants.clone()).unwrap_or_default(),
            cut: steps.get(index).map(|step| Cut {
                workgroup: step.workgroup,
                workgroups: step.workgroups,
                dispatches: step.dispatches,
            }),
        };
        let passes = measured.passes.iter().enumerate().map(pass).collect();
        let ladder = self.runner.ladder();
        let counts = measured.counts;
        let pixels = |(width, height): (u32, u32)| f64::from(width) * f64::from(height);
        let figures = Figures {
            wanted: counts.expected.iter().flatten().map(|&count| u64::from(count)).sum(),
            is_exact: counts.is_exact(),
            lost: counts.lost(),
            counted: in_channels(counts.counted),
            right: in_channels(counts.expected),
            reduction: ladder.reduction(),
            part: pixels(ladder.counted_size()) / pixels(self.frame),
            passes,
            total_us: self.times.part(count),
            floor_us: self.times.part(count + 1),
            costs: costs(&ladder.costs()),
        };
        let (width, height) = ladder.counted_size();
        log::trace!(
            "lab counted: {} on {width}×{height}, {} bins: {}",
            self.setup.method.name(),
            self.setup.shape.bins(),
            verdict(&figures)
        );
        figures
    }
}

/// Of how many pixels across and down of a playing video a software adapter is to count one.
fn playing_step(picture: &Picture) -> u32 {
    let pixels = u64::from(picture.width()) * u64::from(picture.height());
    (1..).find(|&step| pixels / (u64::from(step) * u64::from(step)) <= PLAYING_PIXELS).unwrap_or(1)
}

/// The bins of red, green, blue and luminance.
fn in_channels(bins: Vec<Vec<u32>>) -> super::hud::LabBins {
    let mut bins = bins.into_iter();
    std::array::from_fn(|_| bins.next().unwrap_or_default())
}

/// What a pixel asks of the memory, with names.
fn costs(costs: &Costs) -> Vec<(&'static str, f64)> {
    let Costs { loads, stores, atomics, workgroup_atomics, bytes } = *costs;
    let all = [
        ("loads", loads),
        ("stores", stores),
        ("atomics in memory", atomics),
        ("atomics in a workgroup", workgroup_atomics),
        ("bytes", bytes),
    ];
    all.into_iter().filter(|(_, number)| *number > 0.0).collect()
}

/// Pixels of a picture, side by side, as the methods count them.
fn samples(picture: &Picture, (left, y): (u32, u32), bins: u32) -> Vec<Sample> {
    let sample = |x| {
        let [r, g, b, luminance] = codes(picture, x, y);
        Sample { rgb: [r, g, b], bin: (u32::from(luminance) * bins) >> 8 }
    };
    (left..picture.width().min(left + SAMPLES)).map(sample).collect()
}

/// Where the first pixels are of a picture that tell something: some of them alike, and others not. In an even picture those of its
/// corner.
fn telling(picture: &Picture) -> (u32, u32) {
    let places = (0..ROWS).flat_map(|row| {
        let y = row * picture.height() / ROWS;
        (0..picture.width() / SAMPLES).map(move |block| (block * SAMPLES, y))
    });
    let tells = |&at: &(u32, u32)| {
        let mut bins: Vec<u32> = samples(picture, at, 256).iter().map(|sample| sample.bin).collect();
        bins.sort_unstable();
        bins.dedup();
        (3..=5).contains(&bins.len())
    };
    places.into_iter().find(tells).unwrap_or_default()
}

#[cfg(test)]
mod tests;
