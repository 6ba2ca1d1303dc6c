//! Measuring the rows of the table.

use rayon::prelude::*;

use super::article::ArticlePass;
use super::error::{Error, Possible, possible};
use super::inputs::{Inputs, picture_bytes};
use super::measure::{Budget, Times, on_cpu};
use super::method::{ChannelSet, Method};
use super::options::Options;
use super::ours::{Floor, count, each_pass, total};
use super::report::{Check, MethodRow, PassRow};
use super::rgba::{Textures, convert, count_plainly, shrink};
use crate::cpu::Engine;
use crate::gpu::Gpu;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::histogram::plan::{ChannelRun, Plan};
use crate::histogram::reference;
use crate::histogram::{Components, Histogram};
use crate::picture::Picture;

/// The most pixels a side of the image that a single invocation counts: some milliseconds on a real GPU.
const SINGLE_SIDE: u32 = 64;

/// Pictures, what their histograms are, and what the GPU holds of them.
pub(super) struct Bench<'a> {
    gpu: &'a Gpu,
    budget: Budget,
    pictures: &'a [Picture],
    expected: Vec<Histogram>,
    native: Possible<Inputs>,
    /// The pictures for the article's methods, if any of those is measured.
    rgba: Option<Rgba>,
    /// Smaller ones for the single invocation.
    small: Option<Rgba>,
}

/// RGBA pictures on both sides.
struct Rgba {
    pictures: Vec<Picture>,
    expected: Vec<Histogram>,
    textures: Possible<Textures>,
}

impl Rgba {
    fn new(gpu: &Gpu, pictures: Vec<Picture>) -> Result<Self, Error> {
        Ok(Self { expected: references(&pictures), textures: Textures::new(gpu, &pictures)?, pictures })
    }
}

fn references(pictures: &[Picture]) -> Vec<Histogram> {
    pictures.par_iter().map(|picture| reference::histogram(picture, Components::Rgbl)).collect()
}

/// What measuring a row gives.
#[derive(Default)]
struct Outcome {
    times: Option<Times>,
    check: Option<Check>,
    passes: Vec<PassRow>,
    note: Option<String>,
}

impl Outcome {
    fn impossible(why: String) -> Self {
        Self { note: Some(why), ..Self::default() }
    }
}

impl<'a> Bench<'a> {
    /// Uploads the pictures and counts them with the reference.
    pub(super) fn new(gpu: &'a Gpu, options: &Options, pictures: &'a [Picture]) -> Result<Self, Error> {
        let any = |wanted: fn(Method) -> bool| options.methods().any(wanted);
        let native = match any(|method| matches!(method, Method::OursGpu | Method::Floor)) {
            true => possible(Inputs::of(gpu, pictures.to_vec()))?,
            false => Err("not measured".into()),
        };
        let mut bench = Self {
            gpu,
            budget: Budget::new(gpu, options.repeats),
            pictures,
            expected: Vec::new(),
            native,
            rgba: None,
            small: None,
        };
        if any(|method| matches!(method, Method::OursGpu | Method::OursCpu)) {
            bench.expected = references(pictures);
        }
        if any(|method| method.reads_texture() || method == Method::Scalar) {
            let converted = pictures.iter().map(convert).collect::<Result<Vec<_>, _>>()?;
            if any(|method| method == Method::Single) {
                let small = converted.iter().map(|picture| shrink(picture, SINGLE_SIDE)).collect::<Result<_, _>>()?;
                bench.small = Some(Rgba::new(gpu, small)?);
            }
            bench.rgba = Some(Rgba::new(gpu, converted)?);
        }
        Ok(bench)
    }

    /// Measures one row.
    pub(super) fn row(&self, method: Method, channels: ChannelSet) -> Result<MethodRow, Error> {
        let picture = &self.pictures[0];
        let mut size = (picture.width(), picture.height());
        let outcome = match method {
            Method::Scalar => self.scalar(channels),
            Method::Single => {
                size =
                    self.small.as_ref().map_or(size, |small| (small.pictures[0].width(), small.pictures[0].height()));
                self.article(method, channels, self.small.as_ref())?
            }
            Method::Race | Method::Atomics | Method::Sum | Method::Pairwise => {
                self.article(method, channels, self.rgba.as_ref())?
            }
            Method::OursGpu => self.ours_gpu(channels)?,
            Method::OursCpu => self.ours_cpu(channels),
            Method::Floor => self.floor()?,
        };
        let Outcome { times, check, passes, mut note } = outcome;
        if let (Method::Single, Some(times)) = (method, times) {
            note = Some(small_note(size, (picture.width(), picture.height()), times));
        }
        let bytes = if method.reads_texture() || method == Method::Scalar {
            u64::from(size.0) * u64::from(size.1) * 4
        } else {
            picture_bytes(picture)
        };
        let gb_per_s = times.map(|times| bytes as f64 / 1e3 / times.median_us);
        Ok(MethodRow { method, channels, size, times, relative: None, gb_per_s, check, passes, note })
    }

    fn scalar(&self, channels: ChannelSet) -> Outcome {
        let Some(rgba) = &self.rgba else { return Outcome::default() };
        let four = channels == ChannelSet::Four;
        let count = |index: usize| count_plainly(&rgba.pictures[index % rgba.pictures.len()], four);
        let check = check_all(channels, &rgba.expected, count);
        let times = on_cpu(&self.budget, |repeat| {
            std::hint::black_box(count(repeat));
        });
        Outcome { times: Some(times), check: Some(check), ..Outcome::default() }
    }

    fn article(&self, method: Method, channels: ChannelSet, rgba: Option<&Rgba>) -> Result<Outcome, Error> {
        let Some(rgba) = rgba else { return Ok(Outcome::default()) };
        let textures = match &rgba.textures {
            Ok(textures) => textures,
            Err(why) => return Ok(Outcome::impossible(why.clone())),
        };
        let pass = match ArticlePass::new(self.gpu, method, channels, textures)? {
            Ok(pass) => pass,
            Err(why) => return Ok(Outcome::impossible(why)),
        };
        let mut check = Check { exact: true, ..Check::default() };
        for (index, expected) in rgba.expected.iter().enumerate() {
            let counted = pass.bins_of(self.gpu, index)?;
            check = check.and(compare(channels, expected, &counted));
        }
        let times = pass.measure(self.gpu, &self.budget)?;
        Ok(Outcome { times: Some(times), check: Some(check), ..Outcome::default() })
    }

    fn ours_gpu(&self, channels: ChannelSet) -> Result<Outcome, Error> {
        let inputs = match &self.native {
            Ok(inputs) => inputs,
            Err(why) => return Ok(Outcome::impossible(why.clone())),
        };
        let picture = &self.pictures[0];
        let mut passes = HistogramPasses::new(self.gpu);
        if let Err(why) = possible(passes.prepare(self.gpu, picture, Components::Rgbl).map_err(Error::from))? {
            return Ok(Outcome::impossible(why));
        }
        if let (ChannelSet::One, Some(plan)) = (channels, passes.plan().cloned()) {
            let plan = Plan { runs: vec![ChannelRun { first: 3, count: 1 }], ..plan };
            passes.prepare_with_plan(self.gpu, picture, Components::Rgbl, plan);
        }
        let mut check = Check { exact: true, ..Check::default() };
        for (index, expected) in self.expected.iter().enumerate() {
            let counted = count(self.gpu, &passes, inputs, index)?;
            check = check.and(compare_histograms(channels, expected, &counted));
        }
        let times = total(self.gpu, &self.budget, &passes, inputs)?;
        let by_pass = each_pass(self.gpu, &self.budget, &passes, inputs)?.unwrap_or_default();
        let passes = HistogramPasses::NAMES.into_iter().zip(by_pass);
        let passes = passes.map(|(name, times)| PassRow { name, times }).collect();
        Ok(Outcome { times: Some(times), check: Some(check), passes, note: None })
    }

    fn ours_cpu(&self, channels: ChannelSet) -> Outcome {
        let mut engine = Engine::new();
        let mut check = Check { exact: true, ..Check::default() };
        for (picture, expected) in self.pictures.iter().zip(&self.expected) {
            let counted = engine.count(picture, Components::Rgbl);
            check = check.and(compare_histograms(ChannelSet::Four, expected, counted));
        }
        let times = on_cpu(&self.budget, |repeat| {
            std::hint::black_box(engine.count(&self.pictures[repeat % self.pictures.len()], Components::Rgbl));
        });
        let note = (channels == ChannelSet::One).then(|| "it counts all four channels here too".into());
        Outcome { times: Some(times), check: Some(check), passes: Vec::new(), note }
    }

    fn floor(&self) -> Result<Outcome, Error> {
        let inputs = match &self.native {
            Ok(inputs) => inputs,
            Err(why) => return Ok(Outcome::impossible(why.clone())),
        };
        let planes = self.pictures[0].layout().plane_count();
        // Which shape reads fastest differs from GPU to GPU and from size to size; the floor is the best of them.
        let shapes: &[(u32, u32)] = match self.gpu.is_software() {
            true => &[(64, 32)],
            false => &[(256, 528), (256, 1056), (512, 528), (1024, 132), (1024, 264), (256, 2112)],
        };
        let most = self.gpu.device.limits().max_compute_invocations_per_workgroup;
        let mut best: Option<(Times, u32, u32)> = None;
        for &(workgroup, workgroups) in shapes.iter().filter(|(workgroup, _)| *workgroup <= most) {
            let floor = Floor::new(self.gpu, planes, workgroup, workgroups);
            let times = floor.measure(self.gpu, &self.budget, inputs)?;
            if best.is_none_or(|(least, ..)| times.median_us < least.median_us) {
                best = Some((times, workgroup, workgroups));
            }
        }
        Ok(best.map_or_else(Outcome::default, |(times, workgroup, workgroups)| Outcome {
            times: Some(times),
            note: (shapes.len() > 1).then(|| format!("fastest of several: {workgroups} workgroups of {workgroup}")),
            ..Outcome::default()
        }))
    }
}

fn small_note(size: (u32, u32), full: (u32, u32), times: Times) -> String {
    let pixels = |(width, height): (u32, u32)| f64::from(width) * f64::from(height);
    let seconds = times.median_us / 1e6 / pixels(size) * pixels(full);
    let ((w, h), (width, height)) = (size, full);
    format!(
        "measured on {w}×{h} pixels, lest the GPU seem to hang; at that rate {width}×{height} would take {seconds:.2} s"
    )
}

fn check_all(channels: ChannelSet, expected: &[Histogram], mut count: impl FnMut(usize) -> Vec<Vec<u32>>) -> Check {
    expected.iter().enumerate().fold(Check { exact: true, ..Check::default() }, |check, (index, expected)| {
        check.and(compare(channels, expected, &count(index)))
    })
}

fn compare(channels: ChannelSet, expected: &Histogram, counted: &[Vec<u32>]) -> Check {
    Check::of(channels.channels().map(|channel| expected.bins(channel)), counted.iter().map(Vec::as_slice))
}

/// Compares the channels; for all four, the counts of pixels out of range as well.
fn compare_histograms(channels: ChannelSet, expected: &Histogram, counted: &Histogram) -> Check {
    let check = Check::of(
        channels.channels().map(|channel| expected.bins(channel)),
        channels.channels().map(|channel| counted.bins(channel)),
    );
    let same_tail = channels == ChannelSet::One || expected.words == counted.words;
    Check { exact: check.exact && same_tail, ..check }
}
