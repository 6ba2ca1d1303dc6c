//! `histoscope bench`: the speed of this machine with each method of [`lab`](crate), and whether each counts correctly.
//! Every bin is checked against the scalar reference.

pub mod content;
mod error;
pub mod inputs;
pub mod layouts;
pub mod measure;
mod options;
pub mod ours;
pub mod report;
mod rows;
mod run;
pub mod scene;
pub mod survey;

pub use content::BenchContent;
pub use error::Error;
pub use options::Options;
pub use report::MethodRow;
pub use report::Report;
pub use rows::rows;
pub use survey::Survey;

use crate::ChannelSet;
use histoscope_core::picture::Picture;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::{AdapterChoice, Gpu};
use measure::{Clock, progress};

/// Calls [`run()`] with the requested adapter.
///
/// # Errors
/// As [`run()`], and an error if there is no such adapter.
pub fn run_on(adapter: &AdapterChoice, options: &Options) -> Result<Report, Error> {
    run(&Gpu::headless(adapter)?, options)
}

/// Measures every method, with a progress bar on standard error if that is a terminal.
///
/// # Errors
/// [`Error`] for impossible options, or a device that fails.
pub fn run(gpu: &Gpu, options: &Options) -> Result<Report, Error> {
    let unknown = options.unknown_names();
    if !unknown.is_empty() {
        return Err(Error::UnknownMethod(unknown));
    }
    let methods: Vec<_> = options.methods().collect();
    for &method in &methods {
        options.setup(gpu, method, ChannelSet::One)?;
    }
    let bar = progress(2 * methods.len() + 3);
    bar.set_message("making pictures");
    let size = options.frame.as_ref().map_or(options.size, |frame| (frame.width(), frame.height()));
    if size.0.min(size.1) < 16 {
        return Err(Error::TooSmall(size.0, size.1));
    }
    let pictures = options.pictures()?;
    bar.inc(1);
    bar.set_message("counting with the reference");
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
    bar.finish_and_clear();
    let mut report = Report { rows, ..header(gpu, options, &pictures) };
    report.relate();
    Ok(report)
}

/// Returns the report without its rows.
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
        bin_count: options.bin_count,
        rows: Vec::new(),
    }
}
