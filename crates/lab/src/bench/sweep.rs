//! A sweep over plans: the speed of our passes by workgroup size, number of chunks and copies of the bins.
//!
//! The figures in [`Plan::new`] were chosen this way, and can be chosen again for another kind of adapter.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::content::BenchContent;
use super::error::Error;
use super::inputs::Inputs;
use super::layouts;
use super::measure::{Budget, progress};
use super::ours::{count, each_pass, floor, total};
use crate::Floor;
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::Picture;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::histogram::plan::{ChannelRun, Plan, most_chunks};
use histoscope_render::gpu::{AdapterChoice, Gpu};

/// The values to try.
#[derive(Debug, Clone)]
pub struct SweepGrid {
    /// The sizes of the pictures.
    pub sizes: Vec<(u32, u32)>,
    /// FFmpeg's names of their layouts.
    pub layouts: Vec<String>,
    /// The contents of the pictures.
    pub contents: Vec<BenchContent>,
    /// Invocations per workgroup.
    pub workgroups: Vec<u32>,
    /// Numbers of workgroups, limited to what the chunk buffer holds.
    pub chunks: Vec<u32>,
    /// Copies of each bin in workgroup memory.
    pub copies: Vec<u32>,
    /// Repeats of each measurement.
    pub repeats: u32,
}

impl Default for SweepGrid {
    fn default() -> Self {
        Self {
            sizes: vec![(1920, 1080), (3840, 2160), (7680, 4320)],
            layouts: vec!["yuv420p".into(), "p010".into()],
            contents: BenchContent::ALL.to_vec(),
            workgroups: vec![128, 256, 512, 1024],
            chunks: vec![132, 264, 528, 1056, 2112],
            copies: vec![1],
            repeats: 30,
        }
    }
}

/// The median times of one plan on one kind of picture.
#[derive(Debug, Clone, Serialize)]
pub struct SweepPoint {
    /// Width and height of the pictures.
    pub size: (u32, u32),
    /// FFmpeg's name of their layout.
    pub layout: String,
    /// The content of the pictures.
    pub content: BenchContent,
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// The number of workgroups.
    pub chunks: u32,
    /// Copies of each bin. 0 for the floor.
    pub copies: u32,
    /// Dispatches that the channels are split into. 0 for the floor.
    pub runs: usize,
    /// The median microseconds of chunk, reduce and scale together.
    pub total_us: f64,
    /// The median microseconds of each of the three passes, if the adapter can time them.
    pub passes_us: Option<Vec<f64>>,
    /// `true` if the bins were correct.
    pub exact: bool,
}

/// The results of a sweep.
#[derive(Debug, Clone, Serialize)]
pub struct Sweep {
    /// The adapter.
    pub adapter: String,
    /// The measurements.
    pub points: Vec<SweepPoint>,
    /// The program's plan for the first picture on this adapter, if it was measured on all pictures.
    pub built_in: Option<RankedShape>,
    /// The plan that the measurements favour.
    pub proposal: Option<RankedShape>,
}

/// Runs [`sweep`] on the requested adapter.
///
/// # Errors
/// As [`sweep`], and an error if there is no such adapter.
pub fn sweep_on(adapter: &AdapterChoice, grid: &SweepGrid) -> Result<Sweep, Error> {
    sweep(&Gpu::headless(adapter)?, grid)
}

/// Measures every plan of the grid that the adapter can run, and the floor.
///
/// # Errors
/// [`Error`] for an unknown layout, a picture that cannot be made, or a device that fails.
pub fn sweep(gpu: &Gpu, grid: &SweepGrid) -> Result<Sweep, Error> {
    let budget = Budget { warm_up: Duration::from_millis(5), ..Budget::new(gpu, grid.repeats) };
    let mut points = Vec::new();
    let bar = progress(grid.sizes.len() * grid.layouts.len() * grid.contents.len());
    for name in &grid.layouts {
        let layout = layouts::parse(name).ok_or_else(|| Error::UnknownLayout(name.clone()))?;
        for &size in &grid.sizes {
            for &content in &grid.contents {
                bar.set_message(format!("{name} {}×{} {content}", size.0, size.1));
                let inputs = Inputs::synthetic(gpu, content, layout, size)?;
                let of = SweepPicture { size, layout: name, content };
                points.extend(of.floors(gpu, &budget, grid, &inputs)?);
                points.extend(of.plans(gpu, &budget, grid, &inputs)?);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    let first = grid.layouts.first().and_then(|name| layouts::parse(name)).zip(grid.sizes.first());
    let built_in = first.and_then(|(layout, size)| Plan::of(gpu, layout.bin_bits(), size.0 * size.1).ok());
    let ranked = ranked(&points);
    let built_in = built_in.and_then(|plan| ranked.iter().find(|ranked| ranked.shape == PlanShape::of(&plan)).copied());
    Ok(Sweep { adapter: gpu.info.name.clone(), points, built_in, proposal: ranked.first().copied() })
}

/// The part of a plan that a sweep varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PlanShape {
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// The number of workgroups.
    pub chunks: u32,
    /// Copies of each bin in workgroup memory.
    pub copies: u32,
}

impl PlanShape {
    fn of(plan: &Plan) -> Self {
        Self { workgroup: plan.workgroup, chunks: plan.chunks, copies: plan.copies }
    }
}

/// A shape with its rating by a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RankedShape {
    /// The shape.
    #[serde(flatten)]
    pub shape: PlanShape,
    /// The time relative to the fastest shape of each picture, as a geometric mean over all pictures. 1 if it is always
    /// the fastest.
    pub of_fastest: f64,
}

/// Returns the shapes by rating, best first. Shapes that were not measured or not correct on all pictures are left out.
fn ranked(points: &[SweepPoint]) -> Vec<RankedShape> {
    let picture = |point: &SweepPoint| (point.size, point.layout.clone(), point.content.name());
    let plans = || points.iter().filter(|point| point.copies > 0 && point.exact);
    let mut fastest: BTreeMap<_, f64> = BTreeMap::new();
    for point in plans() {
        let least = fastest.entry(picture(point)).or_insert(f64::INFINITY);
        *least = least.min(point.total_us);
    }
    let mut logarithms: BTreeMap<PlanShape, Vec<f64>> = BTreeMap::new();
    for point in plans() {
        let shape = PlanShape { workgroup: point.workgroup, chunks: point.chunks, copies: point.copies };
        let behind = (point.total_us / fastest[&picture(point)]).ln();
        logarithms.entry(shape).or_default().push(behind);
    }
    let everywhere = logarithms.into_iter().filter(|(_, behind)| behind.len() == fastest.len());
    let mean = |behind: Vec<f64>| (behind.iter().sum::<f64>() / behind.len() as f64).exp();
    let mut ranked: Vec<_> =
        everywhere.map(|(shape, behind)| RankedShape { shape, of_fastest: mean(behind) }).collect();
    ranked.sort_by(|a, b| a.of_fastest.total_cmp(&b.of_fastest));
    ranked
}

/// One kind of picture.
#[derive(Clone, Copy)]
struct SweepPicture<'a> {
    size: (u32, u32),
    layout: &'a str,
    content: BenchContent,
}

impl SweepPicture<'_> {
    fn floors(self, gpu: &Gpu, budget: &Budget, grid: &SweepGrid, inputs: &Inputs) -> Result<Vec<SweepPoint>, Error> {
        let mut points = Vec::new();
        let planes = inputs.pictures[0].layout().plane_count();
        for (workgroup, chunks) in shapes(gpu, grid) {
            let total_us = floor(gpu, budget, &Floor::new(gpu, planes, workgroup, chunks), inputs)?.median_us;
            points.push(self.point(
                &Plan { bits: 0, workgroup, chunks, copies: 0, runs: Vec::new() },
                total_us,
                None,
                true,
            ));
        }
        Ok(points)
    }

    fn plans(self, gpu: &Gpu, budget: &Budget, grid: &SweepGrid, inputs: &Inputs) -> Result<Vec<SweepPoint>, Error> {
        let picture = &inputs.pictures[0];
        // The CPU engine stands in for the slow reference, which gives the same counts.
        let expected = Engine::new().count(picture, Components::Rgbl).clone();
        let mut passes = HistogramPasses::new(gpu);
        let mut points = Vec::new();
        for plan in plans(gpu, grid, picture) {
            passes.prepare_with_plan(gpu, picture, Components::Rgbl, plan.clone());
            let exact = count(gpu, &passes, inputs, 0)? == expected;
            let total_us = total(gpu, budget, &passes, inputs)?.median_us;
            let by_pass = each_pass(gpu, budget, &passes, inputs)?;
            let passes_us = by_pass.map(|passes| passes.iter().map(|times| times.median_us).collect());
            points.push(self.point(&plan, total_us, passes_us, exact));
        }
        Ok(points)
    }

    fn point(self, plan: &Plan, total_us: f64, passes_us: Option<Vec<f64>>, exact: bool) -> SweepPoint {
        SweepPoint {
            size: self.size,
            layout: self.layout.into(),
            content: self.content,
            workgroup: plan.workgroup,
            chunks: plan.chunks,
            copies: plan.copies,
            runs: plan.runs.len(),
            total_us,
            passes_us,
            exact,
        }
    }
}

/// Returns the workgroup sizes and numbers of workgroups that the adapter can run.
fn shapes(gpu: &Gpu, grid: &SweepGrid) -> Vec<(u32, u32)> {
    let limits = gpu.device.limits();
    let most_chunks = limits.max_compute_workgroups_per_dimension;
    let chunks = grid.chunks.iter().map(|&chunks| chunks.clamp(1, most_chunks));
    let most = limits.max_compute_invocations_per_workgroup;
    let workgroups = grid.workgroups.iter().copied().filter(|workgroup| (1..=most).contains(workgroup));
    workgroups.flat_map(|workgroup| chunks.clone().map(move |chunks| (workgroup, chunks))).collect()
}

/// Returns the plans of the grid that the adapter can run. The chunk buffer limits the number of chunks.
fn plans(gpu: &Gpu, grid: &SweepGrid, picture: &Picture) -> Vec<Plan> {
    let bits = picture.layout().bin_bits();
    let limits = gpu.device.limits();
    // The program's own plan is measured as well.
    let mut plans: Vec<Plan> = Plan::of(gpu, bits, picture.width() * picture.height()).into_iter().collect();
    for (workgroup, chunks) in shapes(gpu, grid) {
        let chunks = chunks.min(most_chunks(bits));
        for &copies in &grid.copies {
            let Some(runs) = runs(&limits, bits, copies) else { continue };
            let plan = Plan { bits, workgroup, chunks, copies, runs };
            if !plans.contains(&plan) {
                plans.push(plan);
            }
        }
    }
    plans
}

/// Splits the channels into the fewest dispatches that leave room for the copies. `None` if not even one channel has
/// room.
fn runs(limits: &wgpu::Limits, bits: u32, copies: u32) -> Option<Vec<ChannelRun>> {
    const TAIL_BYTES: u32 = 64;
    let memory = limits.max_compute_workgroup_storage_size.saturating_sub(TAIL_BYTES);
    let together = (memory / ((4 << bits) * copies)).min(CHANNELS as u32);
    let length = (CHANNELS as u32).div_ceil((CHANNELS as u32).checked_div(together)?.max(1)).min(together);
    let firsts = (0..CHANNELS as u32).step_by(length as usize);
    Some(firsts.map(|first| ChannelRun { first, count: length.min(CHANNELS as u32 - first) }).collect())
}

impl fmt::Display for PlanShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} workgroups of {}", self.chunks, self.workgroup)?;
        if self.copies > 1 { write!(f, ", {} copies of each bin", self.copies) } else { Ok(()) }
    }
}

impl Sweep {
    /// Writes the proposal for this adapter.
    fn write_proposal(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(RankedShape { shape, of_fastest }) = self.proposal else {
            return writeln!(f, "no plan counted all pictures correctly, so none is proposed");
        };
        let behind = |of_fastest: f64| (of_fastest - 1.0) * 100.0;
        write!(
            f,
            "proposed for this adapter: {shape}, on average {:.1} % slower than the fastest plan for each picture",
            behind(of_fastest)
        )?;
        match self.built_in {
            Some(built_in) if built_in.shape == shape => writeln!(f, "; the program already uses it"),
            Some(RankedShape { shape, of_fastest }) => {
                writeln!(f, "; the program uses {shape}, {:.1} % slower", behind(of_fastest))
            }
            None => writeln!(f),
        }
    }
}

/// Writes one measurement per line, with fields separated by tabs.
impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.adapter)?;
        let columns = ["size", "layout", "content", "method", "workgroup", "chunks", "copies", "runs", "total µs"];
        writeln!(f, "{}\tchunk µs\treduce µs\tscale µs\texact", columns.join("\t"))?;
        for point in &self.points {
            let (width, height) = point.size;
            let method = if point.copies == 0 { "floor" } else { "ours" };
            let SweepPoint { layout, content, workgroup, chunks, copies, runs, total_us, .. } = point;
            write!(f, "{width}x{height}\t{layout}\t{content}\t{method}\t{workgroup}\t{chunks}\t{copies}\t{runs}")?;
            write!(f, "\t{total_us:.2}")?;
            for pass in 0..3 {
                match point.passes_us.as_ref().and_then(|passes| passes.get(pass)) {
                    Some(us) => write!(f, "\t{us:.2}")?,
                    None => write!(f, "\t-")?,
                }
            }
            writeln!(f, "\t{}", if point.exact { "yes" } else { "NO" })?;
        }
        self.write_proposal(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: (u32, u32), workgroup: u32, total_us: f64) -> SweepPoint {
        SweepPoint {
            size,
            layout: "gray".into(),
            content: BenchContent::Natural,
            workgroup,
            chunks: 32,
            copies: 1,
            runs: 1,
            total_us,
            passes_us: None,
            exact: true,
        }
    }

    #[test]
    fn the_plan_closest_to_the_fastest_over_all_pictures_is_proposed() {
        let (small, large) = ((10, 10), (99, 99));
        // 64 is fastest on one and twice as slow on the other; 128 is slightly slower than the fastest on both.
        let mut points =
            vec![point(small, 64, 10.0), point(small, 128, 11.0), point(large, 64, 80.0), point(large, 128, 44.0)];
        points.push(point(large, 256, 40.0));
        let best = ranked(&points)[0];
        assert_eq!(best.shape.workgroup, 128, "256 was not measured on both");
        assert!((best.of_fastest - 1.1).abs() < 1e-9, "{best:?}");
        points.retain(|point| point.workgroup != 128);
        assert_eq!(ranked(&points)[0].shape.workgroup, 64);
        points.iter_mut().for_each(|point| point.exact = false);
        assert_eq!(ranked(&points), [], "a plan with wrong counts is not ranked");
        let floor = SweepPoint { copies: 0, ..point(small, 64, 1.0) };
        assert_eq!(ranked(&[floor]), [], "the floor is not a plan");
    }
}
