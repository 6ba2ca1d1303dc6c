//! `histoscope bench`: how fast this machine counts, with each method of the web article on image histograms and with
//! ours, and whether each counts right.
//!
//! The article (webgpufundamentals.org, "WebGPU Compute Shaders - Image Histogram", two parts) goes from a loop in
//! JavaScript to chunks reduced pair by pair. Its methods count 8-bit RGBA textures; ours count a video's native planes.
//! All are checked against the scalar reference, bin by bin.

pub mod adjust;
pub mod article;
pub mod content;
pub mod inputs;
pub mod layouts;
pub mod measure;
pub mod method;
pub mod ours;
pub mod report;
pub mod rgba;
mod run;
pub mod sweep;

pub use content::Content;
pub use method::{ChannelSet, Method};
pub use report::{MethodRow, Report};
pub use sweep::{Sweep, SweepGrid, sweep};

use crate::cpu::Engine;
use crate::gpu::{Gpu, GpuError};
use crate::picture::{Picture, PictureError};
use measure::Clock;

/// Different pictures that are made.
const PICTURES: u64 = 4;

/// What is measured.
#[derive(Debug, Clone)]
pub struct Options {
    /// Width and height of the pictures that are made; the default is the article's.
    pub size: (u32, u32),
    /// FFmpeg's name of their layout.
    pub layout: String,
    /// What they show.
    pub content: Content,
    /// A picture to measure instead of made ones, such as a video's frame.
    pub frame: Option<Picture>,
    /// Repeats of each measurement; fewer are made of slow methods, so that none takes much more than two seconds.
    pub repeats: u32,
    /// Only rows whose name or title contains one of these, whatever the case; all if there is none.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (2448, 1505),
            layout: "yuv420p".into(),
            content: Content::default(),
            frame: None,
            repeats: 30,
            only: Vec::new(),
        }
    }
}

impl Options {
    /// The methods that are measured.
    fn methods(&self) -> impl Iterator<Item = Method> {
        Method::ALL.into_iter().filter(|method| self.only.is_empty() || self.names(method.name(), method.title()))
    }

    /// Whether a row is among those that are wanted by name.
    fn names(&self, name: &str, title: &str) -> bool {
        self.only.iter().any(|only| is_part(only, name, title))
    }

    /// Those of the wanted names that no row has.
    fn unknown_names(&self) -> Vec<String> {
        let is_known = |only: &&String| rows().iter().any(|(name, title)| is_part(only, name, title));
        self.only.iter().filter(|only| !is_known(only)).cloned().collect()
    }

    fn pictures(&self) -> Result<Vec<Picture>, Error> {
        if let Some(frame) = &self.frame {
            return Ok(vec![frame.clone()]);
        }
        let layout = layouts::parse(&self.layout).ok_or_else(|| Error::UnknownLayout(self.layout.clone()))?;
        (0..PICTURES).map(|seed| Ok(self.content.picture(layout, self.size, seed)?)).collect()
    }
}

/// The name and the title of every row, in the table's order.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    Method::ALL.map(|method| (method.name(), method.title())).into_iter().chain(adjust::rows()).collect()
}

/// Whether a text, in letters of any case, is a part of a row's name or title.
fn is_part(text: &str, name: &str, title: &str) -> bool {
    let text = text.trim().to_lowercase();
    !text.is_empty() && [name, title].iter().any(|of| of.to_lowercase().contains(&text))
}

/// What can go wrong while measuring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The GPU failed or cannot do what is asked.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The size or layout cannot be a picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// There is no layout of that name.
    #[error("'{0}' is no pixel layout that is counted natively; there are {known}", known = layouts::NAMES.join(", "))]
    UnknownLayout(String),
    /// No row has such a name.
    #[error(
        "no method is called '{}'; there are {known}",
        .0.join("' or '"),
        known = rows().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    )]
    UnknownMethod(Vec<String>),
    /// The picture is so small that nothing but the way to the GPU would be measured.
    #[error("a picture of {0}×{1} pixels is too small to measure; it takes at least 16×16")]
    TooSmall(u32, u32),
}

/// Measures every method, with a bar on standard error if that is a terminal.
///
/// # Errors
/// [`Error`] for options that cannot be met, or a device that fails.
pub fn run(gpu: &Gpu, options: &Options) -> Result<Report, Error> {
    let unknown = options.unknown_names();
    if !unknown.is_empty() {
        return Err(Error::UnknownMethod(unknown));
    }
    let methods: Vec<_> = options.methods().collect();
    let adjustments = adjust::wanted(gpu, options);
    let bar = progress(2 * methods.len() + 3);
    bar.set_message("making pictures");
    let size = options.frame.as_ref().map_or(options.size, |frame| (frame.width(), frame.height()));
    if size.0.min(size.1) < 16 {
        return Err(Error::TooSmall(size.0, size.1));
    }
    let pictures = options.pictures()?;
    bar.inc(1);
    bar.set_message("counting them with the reference");
    let bench = run::Bench::new(gpu, options, &pictures)?;
    bar.inc(1);
    let mut rows = Vec::new();
    for channels in [ChannelSet::One, ChannelSet::Four] {
        for &method in &methods {
            bar.set_message(method.title());
            rows.push(bench.row(method, channels)?);
            bar.inc(1);
        }
    }
    bar.set_message("adjustments");
    let adjustments = adjust::measure(gpu, options, &pictures, &adjustments)?;
    bar.finish_and_clear();
    let mut report = Report { rows, adjustments, ..header(gpu, options, &pictures) };
    report.relate();
    Ok(report)
}

/// The report without its rows.
fn header(gpu: &Gpu, options: &Options, pictures: &[Picture]) -> Report {
    let timestamps = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
    let info = &gpu.info;
    let picture = &pictures[0];
    Report {
        adapter: info.name.clone(),
        driver: format!("{:?}, {} {}", info.backend, info.driver, info.driver_info).trim_end().into(),
        software: gpu.is_software(),
        cpu_threads: rayon::current_num_threads(),
        cpu_instructions: Engine::new().level().to_string(),
        gpu_clock: if timestamps { Clock::Timestamps } else { Clock::Wall },
        size: (picture.width(), picture.height()),
        layout: layouts::name(picture.layout()),
        content: if options.frame.is_some() { "a video's frame".into() } else { options.content.to_string() },
        pictures: pictures.len(),
        rows: Vec::new(),
        adjustments: Vec::new(),
    }
}

/// A bar on standard error, which is not drawn where that is no terminal.
fn progress(steps: usize) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(steps as u64);
    if let Ok(style) = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}
