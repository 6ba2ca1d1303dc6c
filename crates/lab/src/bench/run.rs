//! Measures the rows of the table.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rayon::prelude::*;

use super::error::{Error, Possible, possible};
use super::inputs::{Inputs, copies, picture_bytes};
use super::measure::{Budget, Times, on_cpu, on_gpu, spans_on_gpu};
use super::options::Options;
use super::ours::{count, each_pass, floor, total};
use super::report::{Check, MethodRow, PassRow};
use crate::image::{Textures, convert, count_plainly};
use crate::ours::{OursPass, prepare};
use crate::{ChannelSet, CountingPass, Floor, Method, Setup};
use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::timing::{Spans, compute_pass};

/// Most bytes for the chunks of a picture. If a picture needs more, only part of its pixels is counted.
const CHUNK_BYTES: u64 = 1 << 30;

/// The pictures, their histograms, and their copies on the GPU.
pub(super) struct Bench<'a> {
    gpu: &'a Gpu,
    options: &'a Options,
    budget: Budget,
    pictures: &'a [Picture],
    expected: Vec<Histogram>,
    native: Possible<Inputs>,
    /// The pictures for the tutorials' methods, by the step between counted pixels. Only steps that a method uses are
    /// present.
    rgba: BTreeMap<u32, Rgba>,
}

/// RGBA pictures on the CPU and on the GPU.
struct Rgba {
    pictures: Vec<Picture>,
    expected: Vec<Histogram>,
    textures: Possible<Textures>,
}

impl Rgba {
    fn new(gpu: &Gpu, pictures: &[Picture], step: u32) -> Result<Self, Error> {
        let pictures = pictures.iter().map(|picture| convert(picture, step)).collect::<Result<Vec<_>, _>>()?;
        let bytes = picture_bytes(&pictures[0]);
        let textures = Textures::new(gpu, &pictures, copies(gpu, bytes, pictures.len()))?;
        Ok(Self { expected: references(&pictures), textures, pictures })
    }

    fn size(&self) -> (u32, u32) {
        (self.pictures[0].width(), self.pictures[0].height())
    }
}

fn references(pictures: &[Picture]) -> Vec<Histogram> {
    pictures.par_iter().map(|picture| reference::histogram(picture, Components::Rgbl)).collect()
}

/// The result of measuring a row.
#[derive(Default)]
struct RowOutcome {
    times: Option<Times>,
    check: Option<Check>,
    passes: Vec<PassRow>,
    note: Option<String>,
}

impl RowOutcome {
    fn impossible(why: String) -> Self {
        Self { note: Some(why), ..Self::default() }
    }
}

impl<'a> Bench<'a> {
    /// Uploads the pictures and counts them with the reference.
    pub(super) fn new(gpu: &'a Gpu, options: &'a Options, pictures: &'a [Picture]) -> Result<Self, Error> {
        let any = |wanted: fn(Method) -> bool| options.methods().any(wanted);
        let native = match any(|method| matches!(method, Method::OursGpu | Method::Floor)) {
            true => possible(Inputs::of(gpu, pictures.to_vec()))?,
            false => Err("not measured".into()),
        };
        let mut bench = Self {
            gpu,
            options,
            budget: Budget::new(gpu, options.repeats),
            pictures,
            expected: Vec::new(),
            native,
            rgba: BTreeMap::new(),
        };
        if any(|method| matches!(method, Method::OursGpu | Method::OursCpu)) {
            bench.expected = references(pictures);
        }
        for method in options.methods().filter(|method| method.reads_texture() || *method == Method::Scalar) {
            for channels in [ChannelSet::One, ChannelSet::Four] {
                let step = bench.step(options.setup(gpu, method, channels)?);
                if let Entry::Vacant(free) = bench.rgba.entry(step) {
                    free.insert(Rgba::new(gpu, pictures, step)?);
                }
            }
        }
        Ok(bench)
    }

    /// Returns the step between counted pixels.
    fn step(&self, setup: Setup) -> u32 {
        let size = (self.pictures[0].width(), self.pictures[0].height());
        if setup.method == Method::Scalar { 1 } else { setup.step(self.gpu, size, CHUNK_BYTES) }
    }

    /// Measures one row.
    pub(super) fn row(&self, method: Method, channels: ChannelSet) -> Result<MethodRow, Error> {
        let full = (self.pictures[0].width(), self.pictures[0].height());
        let setup = self.options.setup(self.gpu, method, channels)?;
        let rgba = self.rgba.get(&self.step(setup));
        let size = rgba.filter(|_| method.reads_texture()).map_or(full, Rgba::size);
        let outcome = match method {
            Method::Scalar => self.scalar(setup, rgba),
            Method::OursGpu => self.ours_gpu(setup)?,
            Method::OursCpu => self.ours_cpu(setup),
            Method::Floor => self.floor()?,
            _ => self.tutorial(setup, rgba)?,
        };
        let RowOutcome { times, check, passes, mut note } = outcome;
        if let (true, Some(times)) = (size != full, times) {
            note = Some(small_note(method, size, full, times));
        }
        let bytes = if method.reads_texture() || method == Method::Scalar {
            u64::from(size.0) * u64::from(size.1) * 4
        } else {
            picture_bytes(&self.pictures[0])
        };
        let gb_per_s = times.map(|times| bytes as f64 / 1e3 / times.median_us);
        let chunk = (method.reads_texture() && method != Method::Single).then(|| setup.shape.chunk());
        let (relative, of_loop, of_floor) = (None, None, None);
        Ok(MethodRow {
            method,
            channels,
            size,
            times,
            relative,
            of_loop,
            of_floor,
            gb_per_s,
            check,
            passes,
            chunk,
            note,
        })
    }

    fn scalar(&self, setup: Setup, rgba: Option<&Rgba>) -> RowOutcome {
        let Some(rgba) = rgba else { return RowOutcome::default() };
        let four = setup.channels == ChannelSet::Four;
        let bins = setup.shape.bins();
        let count = |index: usize| count_plainly(&rgba.pictures[index % rgba.pictures.len()], bins, four);
        let check = check_all(setup, &rgba.expected, |index| Ok::<_, Error>(setup.by_channel(&count(index))));
        let times = on_cpu(&self.budget, |repeat| {
            std::hint::black_box(count(repeat));
        });
        RowOutcome { times: Some(times), check: check.ok(), ..RowOutcome::default() }
    }

    fn tutorial(&self, setup: Setup, rgba: Option<&Rgba>) -> Result<RowOutcome, Error> {
        let Some(rgba) = rgba else { return Ok(RowOutcome::default()) };
        let textures = match &rgba.textures {
            Ok(textures) => textures,
            Err(why) => return Ok(RowOutcome::impossible(format!("not measured: {why}"))),
        };
        let pass = match CountingPass::new(self.gpu, setup, textures.size, &textures.views, None)? {
            Ok(pass) => pass,
            Err(why) => return Ok(RowOutcome::impossible(format!("not measured: {why}"))),
        };
        let check = check_all(setup, &rgba.expected, |index| pass.bins_of(self.gpu, index))?;
        // Clearing the bins is not timed, as if the driver had provided zeros.
        let mut whole = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
            pass.clear(encoder);
            compute_pass(encoder, "tutorial", spans, |encoder| pass.dispatch(encoder, repeat));
        };
        let times = on_gpu(self.gpu, &self.budget, &mut whole)?;
        let mut passes = Vec::new();
        if let [_, _, ..] = pass.steps() {
            let mut separate = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
                pass.record(encoder, repeat, spans);
            };
            let by_pass = spans_on_gpu(self.gpu, &self.budget, pass.steps().len() as u32, &mut separate)?;
            let names = pass.steps().iter().map(|step| step.name);
            passes = names.zip(by_pass.unwrap_or_default()).map(|(name, times)| PassRow { name, times }).collect();
        }
        Ok(RowOutcome { times: Some(times), check: Some(check), passes, note: None })
    }

    fn ours_gpu(&self, setup: Setup) -> Result<RowOutcome, Error> {
        let inputs = match &self.native {
            Ok(inputs) => inputs,
            Err(why) => return Ok(RowOutcome::impossible(why.clone())),
        };
        if setup.shape.bins() != 1 << self.pictures[0].layout().bin_bits() {
            return self.ours_regrouped(setup, inputs);
        }
        let mut passes = HistogramPasses::new(self.gpu);
        let prepared = prepare(self.gpu, &mut passes, setup.channels, &self.pictures[0]);
        if let Err(why) = possible(prepared.map_err(Error::from))? {
            return Ok(RowOutcome::impossible(why));
        }
        let mut check = Check { exact: true, ..Check::default() };
        for (index, expected) in self.expected.iter().enumerate() {
            let counted = count(self.gpu, &passes, inputs, index)?;
            check = check.and(compare_histograms(setup.channels, expected, &counted));
        }
        let times = total(self.gpu, &self.budget, &passes, inputs)?;
        let by_pass = each_pass(self.gpu, &self.budget, &passes, inputs)?.unwrap_or_default();
        let passes = HistogramPasses::NAMES.into_iter().zip(by_pass);
        let passes = passes.map(|(name, times)| PassRow { name, times }).collect();
        Ok(RowOutcome { times: Some(times), check: Some(check), passes, note: None })
    }

    /// Measures our own passes with a number of bins that differs from the number of codes.
    fn ours_regrouped(&self, setup: Setup, inputs: &Inputs) -> Result<RowOutcome, Error> {
        let ours = match possible(OursPass::new(self.gpu, setup, &self.pictures[0]).map_err(Error::from))? {
            Ok(ours) => ours,
            Err(why) => return Ok(RowOutcome::impossible(why)),
        };
        let mut bins_of = |index| -> Result<Vec<Vec<u32>>, Error> {
            let bins = inputs.group(index).map(|group| ours.bins_of(self.gpu, group)).transpose()?;
            Ok(bins.unwrap_or_default())
        };
        let check = check_all(setup, &self.expected, &mut bins_of)?;
        let mut whole = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
            let Some(group) = inputs.group(repeat) else { return };
            compute_pass(encoder, "ours", spans, |pass| ours.dispatch(pass, group));
        };
        let times = on_gpu(self.gpu, &self.budget, &mut whole)?;
        let mut separate = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
            let Some(group) = inputs.group(repeat) else { return };
            ours.record(encoder, group, spans);
        };
        let by_pass = spans_on_gpu(self.gpu, &self.budget, ours.steps().len() as u32, &mut separate)?;
        let names = ours.steps().iter().map(|step| step.name);
        let passes = names.zip(by_pass.unwrap_or_default()).map(|(name, times)| PassRow { name, times }).collect();
        Ok(RowOutcome { times: Some(times), check: Some(check), passes, note: None })
    }

    fn ours_cpu(&self, setup: Setup) -> RowOutcome {
        let mut engine = Engine::new();
        let mut check = Check { exact: true, ..Check::default() };
        for (picture, expected) in self.pictures.iter().zip(&self.expected) {
            let counted = engine.count(picture, Components::Rgbl);
            check = check.and(compare_histograms(ChannelSet::Four, expected, counted));
        }
        let is_regrouped = setup.shape.bins() != 1 << self.pictures[0].layout().bin_bits();
        let times = on_cpu(&self.budget, |repeat| {
            let counted = engine.count(&self.pictures[repeat % self.pictures.len()], Components::Rgbl);
            if is_regrouped {
                std::hint::black_box(setup.regrouped(counted));
            }
            std::hint::black_box(counted);
        });
        let note = (setup.channels == ChannelSet::One).then(|| "also counts all four channels here".into());
        RowOutcome { times: Some(times), check: Some(check), note, ..RowOutcome::default() }
    }

    fn floor(&self) -> Result<RowOutcome, Error> {
        let inputs = match &self.native {
            Ok(inputs) => inputs,
            Err(why) => return Ok(RowOutcome::impossible(why.clone())),
        };
        let planes = self.pictures[0].layout().plane_count();
        // The shape that reads fastest depends on the GPU and the size. The floor is the fastest of them.
        let shapes: &[(u32, u32)] = match self.gpu.is_software() {
            true => &[(64, 32)],
            false => &[(256, 528), (256, 1056), (512, 528), (1024, 132), (1024, 264), (256, 2112)],
        };
        let most = self.gpu.device.limits().max_compute_invocations_per_workgroup;
        let mut best: Option<(Times, u32, u32)> = None;
        for &(workgroup, workgroups) in shapes.iter().filter(|(workgroup, _)| *workgroup <= most) {
            let times = floor(self.gpu, &self.budget, &Floor::new(self.gpu, planes, workgroup, workgroups), inputs)?;
            if best.is_none_or(|(least, ..)| times.median_us < least.median_us) {
                best = Some((times, workgroup, workgroups));
            }
        }
        Ok(best.map_or_else(RowOutcome::default, |(times, workgroup, workgroups)| RowOutcome {
            times: Some(times),
            note: (shapes.len() > 1).then(|| format!("fastest of several: {workgroups} workgroups of {workgroup}")),
            ..RowOutcome::default()
        }))
    }
}

fn small_note(method: Method, size: (u32, u32), full: (u32, u32), times: Times) -> String {
    let pixels = |(width, height): (u32, u32)| f64::from(width) * f64::from(height);
    let seconds = times.median_us / 1e6 / pixels(size) * pixels(full);
    let ((w, h), (width, height)) = (size, full);
    let why = match method {
        Method::Single => "to keep the GPU from hanging",
        _ => "because the chunks of more pixels do not fit in memory",
    };
    format!("measured on {w}×{h} pixels, {why}; at that rate {width}×{height} would take {seconds:.2} s")
}

fn check_all<E>(
    setup: Setup,
    expected: &[Histogram],
    mut count: impl FnMut(usize) -> Result<Vec<Vec<u32>>, E>,
) -> Result<Check, E> {
    expected.iter().enumerate().try_fold(Check { exact: true, ..Check::default() }, |check, (index, expected)| {
        let expected = setup.by_channel(&setup.regrouped(expected));
        let counted = count(index)?;
        Ok(check.and(Check::of(expected.iter().map(Vec::as_slice), counted.iter().map(Vec::as_slice))))
    })
}

/// Compares the channels. For all four, also compares the counts of pixels out of range.
fn compare_histograms(channels: ChannelSet, expected: &Histogram, counted: &Histogram) -> Check {
    let check = Check::of(
        channels.channels().map(|channel| expected.bins(channel)),
        channels.channels().map(|channel| counted.bins(channel)),
    );
    let same_tail = channels == ChannelSet::One || expected.words == counted.words;
    Check { exact: check.exact && same_tail, ..check }
}
