//! The lab: methods for counting, prefix sums and blurring, applied to the frame on screen, one at a time.
//!
//! Everything it works with is created when it is opened and released when it is closed; the window's own passes do not
//! depend on it.

mod beside;
mod choice;
mod counting;
mod own;
mod sampling;
mod screen;
mod times;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use histoscope_hud::Pos2;

pub use choice::LabChoice;

use beside::LabRuns;
use counting::LabCounting;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::{Frame, VideoId};
use histoscope_hud::{
    BasicsView, BlurView, ChoiceOutcome, DrawView, Figures, LAB_LOST, LabCommand, LabMeasured, LabView, Sample,
    SumView, TICK, TopicView, blur_verdict, draw_verdict, sum_verdict,
};
use histoscope_lab::bench::BenchContent;
use histoscope_lab::{DrawSetup, PreparedBlur, PreparedDrawing, PreparedScan, Shape, Topic};
use histoscope_render::gpu::{FrameTag, Gpu, GpuError};
use histoscope_render::view::overlay::{BarScale, Channels};
use own::OwnFile;
pub use screen::{Advanced, FrameKey, ScreenState};

/// Number of rows of pixels in the diagram of a blur.
const BLOCK_ROWS: u32 = 3;

/// The lab.
#[derive(Debug)]
pub enum Lab {
    /// The lab is closed; only the last choice is kept, and the file of the user's own shader.
    Closed(LabChoice, Option<Box<OwnFile>>),
    /// The lab is open.
    Open(Box<Open>),
}

/// The lab while it is open.
#[derive(Debug)]
pub struct Open {
    choice: LabChoice,
    /// The user's own shader.
    own: Option<Box<OwnFile>>,
    /// The steps of the diagram.
    steps: DiagramSteps,
    /// `true` if the panel shows only the essentials, to keep the video playing.
    is_brief: bool,
    /// `true` if the panel takes the whole window.
    is_large: bool,
    /// `true` if it has the code beside the diagram then.
    has_code: bool,
    work: Topical,
    /// What was measured so far, for the page of predictions.
    measured: LabMeasured,
    /// The video that it works on, if there is one.
    video: Option<VideoId>,
    /// The frame on screen, and whether the video plays.
    on_screen: Option<(FrameKey, bool)>,
}

/// The position in a diagram, which shows one step after the other.
#[derive(Debug, Clone, Copy)]
enum DiagramSteps {
    /// They follow each other since this time, from this step.
    Running { since: Instant, from: i64 },
    /// The diagram stands at this step.
    Paused(i64),
}

impl DiagramSteps {
    fn now(self, now: Instant) -> i64 {
        match self {
            Self::Running { since, from } => {
                from + (now.saturating_duration_since(since).as_millis() / TICK.as_millis()) as i64
            }
            Self::Paused(step) => step,
        }
    }

    const fn is_paused(self) -> bool {
        matches!(self, Self::Paused(_))
    }

    /// Returns the same, from the first step.
    const fn restarted(self, now: Instant) -> Self {
        match self {
            Self::Running { .. } => Self::Running { since: now, from: 0 },
            Self::Paused(_) => Self::Paused(0),
        }
    }
}

/// The work on the current topic.
#[derive(Debug)]
enum Topical {
    Basics(Basics),
    Counting(LabCounting),
    Sums(LabRuns<PreparedScan>),
    Blur(Box<Blurs>),
    Drawing(LabRuns<PreparedDrawing>),
}

/// The pixels of a frame that the pages before the methods show, and the frame, if there was one.
#[derive(Debug, Default)]
struct Basics {
    pixels: Vec<[u8; 3]>,
    of: Option<FrameKey>,
}

/// Blurs, and the pixels shown in their diagram.
#[derive(Debug)]
struct Blurs {
    work: LabRuns<PreparedBlur>,
    block: Vec<Vec<Sample>>,
    /// The position of the first of them, and the frame that they belong to, if there is one.
    block_of: Option<((u32, u32), FrameKey)>,
}

impl Lab {
    /// Creates the lab at program start: open if a choice is given.
    #[must_use]
    pub fn new(choice: Option<LabChoice>, now: Instant) -> Self {
        choice.map_or(Self::Closed(LabChoice::default(), None), |choice| Self::open(choice, None, now))
    }

    /// Returns the same lab, in which the shader in a file counts in place of the chosen method's.
    #[must_use]
    pub fn with_shader(mut self, path: PathBuf, now: Instant) -> Self {
        if let Self::Open(open) = &mut self {
            open.own = Some(Box::new(OwnFile::open(path, open.choice.method, now)));
        }
        self
    }

    /// Opens the lab if it is closed, and vice versa.
    pub fn toggle(&mut self, now: Instant) {
        match self {
            Self::Closed(choice, own) => *self = Self::open(*choice, own.take(), now),
            Self::Open(_) => drop(self.close()),
        }
    }

    fn open(choice: LabChoice, own: Option<Box<OwnFile>>, now: Instant) -> Self {
        log::debug!("lab: open");
        let work = Topical::new(choice.topic, now);
        let steps = DiagramSteps::Running { since: now, from: 0 };
        Self::Open(Box::new(Open {
            choice,
            own,
            steps,
            is_brief: false,
            is_large: false,
            has_code: false,
            measured: LabMeasured::new(),
            work,
            video: None,
            on_screen: None,
        }))
    }

    /// Closes the lab. Returns `true` if it was open.
    pub fn close(&mut self) -> bool {
        let Self::Open(open) = self else { return false };
        log::debug!("lab: closed");
        *self = Self::Closed(LabChoice { input: None, ..open.choice }, open.own.take());
        true
    }

    /// Returns `true` if the lab is open.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Returns `true` if the lab's bars replace the histograms.
    #[must_use]
    pub fn has_bars(&self) -> bool {
        let Self::Open(open) = self else { return false };
        match &open.work {
            Topical::Counting(counting) => counting.bars(open.on_screen).is_some(),
            Topical::Basics(_) | Topical::Sums(_) => false,
            Topical::Blur(blurs) => blurs.work.newest(open.on_screen).is_some(),
            Topical::Drawing(drawings) => drawings.newest(open.on_screen).is_some(),
        }
    }

    /// Returns `false` if the lab's bars replace the histograms and have none of these channels.
    #[must_use]
    pub fn shows(&self, channels: Channels) -> bool {
        let Self::Open(open) = self else { return true };
        let Topical::Counting(counting) = &open.work else { return true };
        let bars = counting.bars(open.on_screen);
        bars.is_none_or(|bars| channels.iter().any(|channel| !bars.right[channel].is_empty()))
    }

    /// Returns the newest figures of the chosen counting method, if there are any.
    #[must_use]
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Open(open) => match &open.work {
                Topical::Counting(counting) => counting.figures(open.on_screen),
                Topical::Basics(_) | Topical::Sums(_) | Topical::Blur(_) | Topical::Drawing(_) => None,
            },
            Self::Closed(..) => None,
        }
    }

    /// Returns the label of the lab's bars, if there are any.
    #[must_use]
    pub fn counted_text(&self) -> Option<String> {
        let Self::Open(open) = self else { return None };
        // While the video plays, finished work belongs to an earlier frame.
        let is_playing = open.on_screen.is_some_and(|(_, is_playing)| is_playing);
        match &open.work {
            Topical::Counting(counting) => counting.figures(open.on_screen).map(|_| {
                let earlier = if is_playing { ", an earlier frame" } else { "" };
                let title = open.own_shader().map_or(open.choice.method.title().to_owned(), OwnFile::name);
                format!("filled: {title}{earlier}; outline: correct counts")
            }),
            Topical::Basics(_) | Topical::Sums(_) => None,
            Topical::Drawing(drawings) => drawings.newest(open.on_screen).map(|_| {
                let frame = if is_playing { " of an earlier frame" } else { "" };
                format!("bars{frame}, drawn: {}", open.choice.drawing.title())
            }),
            Topical::Blur(blurs) => {
                let name = if is_playing { "an earlier frame, blurred" } else { "the blurred picture" };
                blurs.work.newest(open.on_screen).map(|_| format!("filled: {name}; outline: before"))
            }
        }
    }

    /// Switches to the next or previous method of the topic. Returns the note on it, or `None` if the lab is closed.
    pub fn step(&mut self, forward: bool, now: Instant) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let to = open.choice.stepped(forward);
        if to == open.choice {
            let end = if forward { "last" } else { "first" };
            return Some(match open.choice.topic {
                Topic::Counting => format!("this is the {end} method of the lab"),
                Topic::Basics => format!("this is the {end} page of the lab"),
                topic => format!("this is the {end} {} of the lab", topic.title()),
            });
        }
        open.choose(to, now);
        Some(format!("lab: {}", to.title()))
    }

    /// Returns the picture to show in place of the video's, if there is one.
    #[must_use]
    pub fn input(&self) -> Option<BenchContent> {
        match self {
            Self::Open(open) => open.choice.input,
            Self::Closed(..) => None,
        }
    }

    /// Returns `true` if the lab is open and takes the whole window.
    #[must_use]
    pub fn is_large(&self) -> bool {
        matches!(self, Self::Open(open) if open.is_large)
    }

    /// Returns `true` if the lab is open and has the code beside its diagram.
    #[must_use]
    pub fn has_code(&self) -> bool {
        matches!(self, Self::Open(open) if open.has_code)
    }

    /// Shows the lab in the whole window, then with its code, then beside the picture again. Returns the note on it, or
    /// `None` if the lab is closed.
    pub fn enlarge(&mut self) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let text;
        (open.is_large, open.has_code, text) = match (open.is_large, open.has_code) {
            (false, _) => (true, false, "lab: in the whole window"),
            (true, false) => (true, true, "lab: in the whole window, with its code"),
            (true, true) => (false, false, "lab: beside the picture"),
        };
        Some(text.to_owned())
    }

    /// Stops the diagram at its current step, or lets it run again. Returns the note on it, or `None` if the lab is
    /// closed.
    pub fn pause_steps(&mut self, now: Instant) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let step = open.steps.now(now);
        let (steps, text) = match open.steps {
            DiagramSteps::Running { .. } => (DiagramSteps::Paused(step), "lab: the diagram is paused"),
            DiagramSteps::Paused(_) => (DiagramSteps::Running { since: now, from: step }, "lab: the diagram runs"),
        };
        open.steps = steps;
        Some(text.to_owned())
    }

    /// Pauses the diagram at its next or previous step. Returns the note on it, or `None` if the lab is closed.
    pub fn step_diagram(&mut self, forward: bool, now: Instant) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let step = open.steps.now(now);
        open.steps = DiagramSteps::Paused(if forward { step + 1 } else { step - 1 });
        let text = if forward { "lab: a step forward" } else { "lab: a step back" };
        Some(text.to_owned())
    }

    /// Switches to the next or previous topic. Returns the note on it, or `None` if the lab is closed.
    pub fn step_topic(&mut self, forward: bool, now: Instant) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let at = Topic::ALL.iter().position(|&topic| topic == open.choice.topic).unwrap_or(0);
        let count = Topic::ALL.len();
        let topic = Topic::ALL[(at + if forward { 1 } else { count - 1 }) % count];
        open.choose(LabChoice { topic, ..open.choice }, now);
        Some(format!("lab: {}", topic.title()))
    }

    /// Changes the first or the second parameter of the topic. Returns the note on it, or `None` if the lab is closed.
    pub fn change(&mut self, is_first: bool, more: bool, now: Instant) -> Option<String> {
        let Self::Open(open) = self else { return None };
        let (to, text) = open.choice.changed(is_first, more);
        if to != open.choice {
            open.choose(to, now);
        }
        Some(format!("lab: {text}"))
    }

    /// Applies a choice made in the panel. Requests to type a value are handled elsewhere.
    pub fn choose(&mut self, command: LabCommand, now: Instant) {
        let Self::Open(open) = self else { return };
        let choice = open.choice;
        let to = match command {
            LabCommand::Input(input) => LabChoice { input, ..choice },
            LabCommand::Topic(topic) => LabChoice { topic, ..choice },
            LabCommand::Page(page) => LabChoice { page, ..choice },
            LabCommand::Channels(channels) => LabChoice { channels, ..choice },
            LabCommand::Method(method) => LabChoice { method, ..choice },
            LabCommand::Chunk(chunk) => LabChoice { chunk, ..choice },
            LabCommand::Bins(bins) => LabChoice { bins, ..choice },
            LabCommand::Sums(sums) => LabChoice { sums, ..choice },
            LabCommand::Length(length) => {
                LabChoice { sums: histoscope_lab::SumSetup { length, ..choice.sums }, ..choice }
            }
            LabCommand::Blur(blur) => LabChoice { blur, ..choice },
            LabCommand::Drawing(drawing) => LabChoice { drawing, ..choice },
            LabCommand::Width(size) => LabChoice { blur: histoscope_lab::BlurSetup { size, ..choice.blur }, ..choice },
            LabCommand::PauseSteps => return drop(self.pause_steps(now)),
            LabCommand::Step(forward) => return drop(self.step_diagram(forward, now)),
        };
        open.choose(to, now);
    }

    /// Takes finished results, and starts work on a frame if it is due.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn advance(
        &mut self,
        gpu: &Arc<Gpu>,
        frame: Option<ScreenState<'_>>,
        now: Instant,
    ) -> Result<Advanced, GpuError> {
        match (self, frame) {
            (Self::Open(open), Some(ScreenState { frame, is_playing })) => {
                // The methods of the lessons have these weights, whatever the user chose for the video.
                let picture = frame.picture.with_luminance(LuminanceWeights::Bt709);
                let frame = Frame { picture, ..frame.clone() };
                open.advance(gpu, ScreenState { frame: &frame, is_playing }, now)
            }
            _ => Ok(Advanced::default()),
        }
    }

    /// Returns the contents of the panel, or `None` if the lab is closed. `corners` holds the positions, in points, of
    /// the coded picture's upper left, upper right, lower left and lower right corner.
    #[must_use]
    pub fn view(&self, scale: BarScale, corners: Option<[Pos2; 4]>, now: Instant) -> Option<LabView<'_>> {
        let Self::Open(open) = self else { return None };
        let topic = match &open.work {
            Topical::Basics(basics) => TopicView::Basics(BasicsView {
                page: open.choice.page,
                pixels: &basics.pixels,
                measured: &open.measured,
            }),
            Topical::Counting(counting) => {
                TopicView::Counting(counting.view(&open.choice, open.own_shader(), &open.measured, open.on_screen))
            }
            Topical::Sums(sums) => TopicView::Sums(SumView {
                setup: open.choice.sums,
                outcome: sums.outcome(open.on_screen),
                groups: sums.newest(open.on_screen).map(|(summed, _)| &summed.groups),
            }),
            Topical::Blur(blurs) => TopicView::Blur(BlurView {
                setup: open.choice.blur,
                outcome: blurs.work.outcome(open.on_screen),
                newest: blurs.work.newest(open.on_screen),
                corners,
                block: &blurs.block,
                block_at: blurs.block_of.map_or((0, 0), |(at, _)| at),
            }),
            Topical::Drawing(drawings) => TopicView::Drawing(DrawView {
                method: open.choice.drawing,
                bins: open.choice.bins,
                outcome: drawings.outcome(open.on_screen),
                newest: drawings.newest(open.on_screen),
            }),
        };
        let (tick, is_paused) = (open.steps.now(now), open.steps.is_paused());
        let Open { is_brief, is_large, has_code, choice: LabChoice { input, .. }, .. } = **open;
        let measured = &open.measured;
        Some(LabView { topic, scale, tick, is_paused, is_brief, measured, input, is_large, has_code })
    }
}

impl Topical {
    fn new(topic: Topic, now: Instant) -> Self {
        match topic {
            Topic::Basics => Self::Basics(Basics::default()),
            Topic::Counting => Self::Counting(LabCounting::new(now)),
            Topic::PrefixSum => Self::Sums(LabRuns::new(now)),
            Topic::Blur => Self::Blur(Box::new(Blurs { work: LabRuns::new(now), block: Vec::new(), block_of: None })),
            Topic::Drawing => Self::Drawing(LabRuns::new(now)),
        }
    }
}

impl Open {
    fn choose(&mut self, choice: LabChoice, now: Instant) {
        if choice.topic != self.choice.topic {
            self.work = Topical::new(choice.topic, now);
            self.steps = self.steps.restarted(now);
        }
        if choice.input != self.choice.input {
            // Times of another picture cannot be compared with those of this one.
            self.measured.retain(|run, _| run == LAB_LOST || run.contains(" on "));
        }
        self.choice = choice;
        match &mut self.work {
            Topical::Basics(_) => {}
            Topical::Counting(counting) => counting.outdate(),
            Topical::Sums(sums) => sums.outdate(),
            Topical::Blur(blurs) => blurs.work.outdate(),
            Topical::Drawing(drawings) => drawings.outdate(),
        }
    }

    /// Returns the user's own shader if it counts in place of the chosen method.
    fn own_shader(&self) -> Option<&OwnFile> {
        self.own.as_deref().filter(|own| own.method == self.choice.method)
    }

    fn advance(&mut self, gpu: &Arc<Gpu>, shown: ScreenState<'_>, now: Instant) -> Result<Advanced, GpuError> {
        let (is_saved, gone) = self.own.as_mut().map_or((false, None), |own| own.follow(now));
        if let Some(own) = self.own.as_ref().filter(|_| is_saved) {
            // What was measured is of another text.
            let name = format!("{} ", own.name());
            self.measured.retain(|run, _| !run.starts_with(&name));
            if let Topical::Counting(counting) = &mut self.work {
                counting.outdate();
            }
        }
        let video = shown.frame.video;
        if self.video.replace(video).is_some_and(|before| before != video) {
            // Pending and finished work belongs to the previous video.
            self.work = Topical::new(self.choice.topic, now);
        }
        let key = (FrameTag::of(shown.frame), shown.frame.interpretation());
        self.on_screen = Some((key, shown.is_playing));
        // A software adapter needs as long for the full panel as for the rest of a frame.
        let is_brief = shown.is_playing && gpu.is_software();
        let has_turned = is_brief != std::mem::replace(&mut self.is_brief, is_brief);
        let advanced = self.advance_work(gpu, (shown, key), now)?;
        if advanced.has_news && !shown.is_playing {
            self.measure();
        }
        let wake_at = [advanced.wake_at, self.own.as_deref().map(OwnFile::due)].into_iter().flatten().min();
        Ok(Advanced { has_news: advanced.has_news || has_turned, wake_at, ..advanced }.with(gone))
    }

    /// Keeps the duration of the run that has finished, in seconds, under its method and parameters, for the page of
    /// predictions.
    fn measure(&mut self) {
        let choice = &self.choice;
        let (name, parameter, time) = match &self.work {
            Topical::Basics(_) => return,
            Topical::Counting(counting) => {
                let Some(figures) = counting.figures(self.on_screen) else { return };
                let (width, height) = choice.chunk();
                let is_plain = |bins: &Vec<u32>| bins.iter().filter(|&&count| count > 0).count() == 1;
                if choice.method.races() && width * height >= 8 && figures.right.iter().all(is_plain) {
                    self.measured.insert(LAB_LOST.to_owned(), figures.lost as f64 / figures.wanted as f64);
                }
                let time = figures.total_us.map(|time| time / 1e6 / figures.part);
                let own = self.own_shader();
                if own.is_some() && !figures.is_exact {
                    return;
                }
                let name = own.map_or(choice.method.name().to_owned(), OwnFile::name);
                (name, format!("{width}×{height} {}", choice.bins), time)
            }
            Topical::Sums(sums) => {
                let ChoiceOutcome::Done(done) = sums.outcome(self.on_screen) else { return };
                (
                    done.setup.method.name().to_owned(),
                    done.setup.length.to_string(),
                    done.total().map(|time| time.as_secs_f64()),
                )
            }
            Topical::Blur(blurs) => {
                let ChoiceOutcome::Done(done) = blurs.work.outcome(self.on_screen) else { return };
                let time = done.total().map(|time| time.as_secs_f64() / f64::from(done.setup.runs));
                (done.setup.method.name().to_owned(), done.setup.size.to_string(), time)
            }
            Topical::Drawing(drawings) => {
                let ChoiceOutcome::Done(done) = drawings.outcome(self.on_screen) else { return };
                let time = done.passes.iter().map(|(_, time)| Some((*time)?.as_secs_f64())).sum();
                (done.setup.method.name().to_owned(), done.setup.bins.to_string(), time)
            }
        };
        let on = choice.input.map(|content| format!("{name} {parameter} on {}", content.name()));
        let names = [Some(format!("{name} {parameter}")), on].into_iter().flatten();
        self.measured.extend(names.zip(time.into_iter().cycle()));
    }

    fn advance_work(
        &mut self,
        gpu: &Arc<Gpu>,
        (shown, key): (ScreenState<'_>, FrameKey),
        now: Instant,
    ) -> Result<Advanced, GpuError> {
        let picture = &shown.frame.picture;
        let choice = &mut self.choice;
        match &mut self.work {
            Topical::Basics(basics) => {
                let is_new = basics.of.replace(key) != Some(key);
                if is_new {
                    basics.pixels = sampling::spread(picture);
                }
                Ok(Advanced { has_news: is_new, ..Advanced::default() })
            }
            Topical::Counting(counting) => {
                let own = self.own.as_deref().filter(|own| own.method == choice.method);
                counting.advance(gpu, (shown, key), choice, own, now)
            }
            Topical::Sums(sums) => {
                let (nearest, told) = choice.sums.on(gpu);
                choice.sums = nearest;
                let setup = if shown.is_playing { nearest.while_playing(gpu) } else { nearest };
                let advanced = sums.advance(gpu, (shown, key), setup, now, |summed| {
                    let (name, length) = (summed.setup.method.name(), summed.setup.length);
                    log::trace!("lab summed: {name} over {length} words: {}", sum_verdict(summed));
                    summed.note.clone()
                })?;
                Ok(advanced.with(told))
            }
            Topical::Blur(blurs) => {
                let (nearest, told) = choice.blur.nearest();
                choice.blur = nearest;
                let setup = histoscope_lab::BlurSetup { is_playing: shown.is_playing, ..nearest };
                if blurs.block_of.is_none_or(|(_, of)| of != key) {
                    // They keep their position, so that their changes can be followed.
                    let at = blurs.block_of.map(|(at, _)| at);
                    let fits = |&(x, y): &(u32, u32)| x < picture.width() && y < picture.height();
                    let at = at.filter(fits).unwrap_or_else(|| sampling::contrasting(picture));
                    blurs.block = sampling::block(picture, at, BLOCK_ROWS);
                    blurs.block_of = Some((at, key));
                }
                let advanced = blurs.work.advance(gpu, (shown, key), setup, now, |blurred| {
                    let (name, (width, height)) = (blurred.setup.method.name(), blurred.size);
                    let (size, runs) = (blurred.setup.size, blurred.setup.runs);
                    let verdict = blur_verdict(blurred);
                    log::trace!("lab blurred: {name} {size}×{size}, {runs} times, on {width}×{height}: {verdict}");
                    None
                })?;
                Ok(advanced.with(told))
            }
            Topical::Drawing(drawings) => {
                let bins = choice.bins.clamp(*Shape::BINS.start(), *Shape::BINS.end());
                let told = Shape::check_bins(choice.bins).err().map(|error| error.to_string());
                choice.bins = bins;
                let setup = DrawSetup { method: choice.drawing, bins, is_playing: shown.is_playing };
                let advanced = drawings.advance(gpu, (shown, key), setup, now, |drawn| {
                    let (name, bins) = (drawn.setup.method.name(), drawn.setup.bins);
                    log::trace!("lab drew: {name}, {bins} bins: {}", draw_verdict(drawn));
                    None
                })?;
                Ok(advanced.with(told))
            }
        }
    }
}

#[cfg(test)]
mod tests;
