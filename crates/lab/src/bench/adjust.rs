//! The speed of the adjustments and of drawing bars, alone and together with histograms, and whether their results are
//! correct.

use std::fmt;

use serde::Serialize;

use super::error::{Error, possible};
use super::inputs::Inputs;
use super::measure::{Budget, Times, on_cpu, on_gpu, spans_on_gpu};
use super::options::Options;
use super::rows::{Work, adjustment_rows, adjustments};
use crate::drawing::draw_plainly;
use crate::image::{convert, count_plainly};
use crate::scan::{check_length, serial};
use crate::shape::step_within;
use crate::{BlurMethod, DrawMethod, LabBlur, LabDrawing, ScanKind, ScanMethod};
use histoscope_core::adjust::{Adjustments, Blur, Codes, Lut, Processor, blur};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::adjust::{BlurPass, BlurPlan, Chain, WorkingPicture};
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::params::InputPicture;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::scan::{BufferWords, ScanPass};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// The measurements of one adjustment.
#[derive(Debug, Clone, Serialize)]
pub struct AdjustRow {
    /// The name that selects the row.
    pub name: &'static str,
    /// The name shown in the table.
    pub title: &'static str,
    /// Words of a prefix sum, if lengths were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// The time alone. `None` if it was not measured; `note` then gives the reason.
    pub alone: Option<Times>,
    /// The time together with the histograms of the source.
    pub with_source: Option<Times>,
    /// The time together with the histograms of the result, which are counted while it is written if the window does so
    /// too. The source is counted only as far as the adjustment needs it.
    pub with_result: Option<Times>,
    /// The time together with the histograms of the source and of the result.
    pub with_both: Option<Times>,
    /// The time of the same work on the CPU, if measured.
    pub on_cpu: Option<Times>,
    /// `true` if the result and its bins equal the CPU's. The tutorials' blurs may differ by one code.
    pub exact: Option<bool>,
    /// A remark.
    pub note: Option<String>,
}

impl AdjustRow {
    /// Returns the title, with the words of a prefix sum if lengths were chosen.
    pub(super) fn full_title(&self) -> String {
        let Some(length) = self.length else { return self.title.to_owned() };
        let title = self.title.strip_suffix(" of 262144 words").unwrap_or(self.title);
        format!("{title}, {length}")
    }
}

/// Returns the rows to measure: all, or the ones that the options name. On a software adapter, where adjustments are
/// slow and the program makes them on the CPU, they are measured only if named.
pub(super) fn wanted(gpu: &Gpu, options: &Options) -> Vec<&'static str> {
    let by_default = options.only.is_empty() && !gpu.is_software();
    let wanted = adjustment_rows().into_iter().filter(|(name, title)| by_default || options.names(name, title));
    wanted.map(|(name, _)| name).collect()
}

/// Measures the rows with these names.
///
/// # Errors
/// [`Error`] if the device fails.
pub(super) fn measure(
    gpu: &Gpu,
    options: &Options,
    pictures: &[Picture],
    names: &[&str],
) -> Result<Vec<AdjustRow>, Error> {
    let budget = Budget::new(gpu, options.repeats);
    let (mut rows, mut bench) = (Vec::new(), None);
    let wanted = adjustments().into_iter().filter(|(name, ..)| names.contains(name));
    // Prefix sums have a row for each chosen length.
    let each = wanted.flat_map(|(name, title, what)| {
        let lengths = match what {
            Work::Scan { .. } | Work::TutorialScan(_) if !options.lengths.is_empty() => {
                options.lengths.iter().copied().map(Some).collect()
            }
            _ => vec![None],
        };
        lengths.into_iter().map(move |length| (name, title, what, length))
    });
    for (name, title, what, length) in each {
        let words = || words(length.unwrap_or(ScanPass::MIN_CAPACITY));
        let mut row = AdjustRow {
            name,
            title,
            length,
            alone: None,
            with_source: None,
            with_result: None,
            with_both: None,
            on_cpu: None,
            exact: None,
            note: None,
        };
        let measured = match what {
            Work::Scan { conflict_free } => scan(gpu, &budget, (&words(), conflict_free), &mut row),
            Work::TutorialScan(method) => tutorial_scan(gpu, &budget, (&words(), method), &mut row),
            Work::TutorialBlur { method, size } => tutorial_blur(gpu, &budget, &pictures[0], (method, size), &mut row),
            Work::Drawing(method) => drawing(gpu, &budget, &pictures[0], (method, options.bin_count), &mut row),
            Work::Blur { size, staged } => blur_passes(gpu, &budget, &pictures[0], (size, staged), &mut row),
            Work::Chain(adjustments) => Bench::get(&mut bench, gpu, pictures)
                .and_then(|bench| bench.measure(gpu, &budget, (&adjustments, false), &mut row)),
            Work::Lut { side } => Bench::get(&mut bench, gpu, pictures).and_then(|bench| {
                let adjustments = Adjustments { lut: smooth_lut(side), ..Adjustments::default() };
                bench.measure(gpu, &budget, (&adjustments, false), &mut row)
            }),
            Work::Separate(adjustments) => Bench::get(&mut bench, gpu, pictures)
                .and_then(|bench| bench.measure(gpu, &budget, (&adjustments, true), &mut row)),
        };
        row.note = possible(measured)?.err().or(row.note);
        rows.push(row);
    }
    Ok(rows)
}

/// Returns a lookup table that raises the contrast and mixes the channels a little.
fn smooth_lut(side: u32) -> Option<Lut> {
    let mut text = format!("LUT_3D_SIZE {side}\n");
    for node in 0..side.pow(3) {
        let place = [node % side, node / side % side, node / side / side].map(|at| at as f32 / (side - 1) as f32);
        let [red, green, blue] = place.map(|own| own * own * (3.0 - 2.0 * own) * 0.9);
        let gray = place.iter().sum::<f32>() / 30.0;
        text += &format!("{} {} {}\n", red + gray, green + gray, blue + gray);
    }
    Lut::parse("smooth.cube".as_ref(), text.as_bytes()).ok()
}

/// Checks that the adapter can scan words of these lengths.
///
/// # Errors
/// [`Error::Length`] with the most that it can scan.
pub(super) fn check_lengths(gpu: &Gpu, lengths: &[u32]) -> Result<(), Error> {
    lengths.iter().try_for_each(|&length| check_length(gpu, length)).map_err(Error::Length)
}

/// Returns the words to scan.
fn words(length: u32) -> Vec<u32> {
    (0..length).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

/// Measures an exclusive scan by a method of the tutorials, and the loop on the CPU.
fn tutorial_scan(
    gpu: &Gpu,
    budget: &Budget,
    (words, method): (&[u32], ScanMethod),
    row: &mut AdjustRow,
) -> Result<(), Error> {
    let made = crate::ScanPass::new(gpu, (method, ScanKind::Exclusive), 256)?;
    let made = match made {
        Ok(pass) => pass.scan(gpu, words.len() as u32)?,
        Err(why) => Err(why),
    };
    let scan = match made {
        Ok(scan) => scan,
        Err(why) => {
            row.note = Some(why);
            return Ok(());
        }
    };
    let expected = serial(words, ScanKind::Exclusive);
    row.exact = Some(scan.run(gpu, words)? == expected);
    row.alone = Some(timed(gpu, budget, &mut |pass, _| scan.dispatch(pass))?);
    row.on_cpu = Some(on_cpu(budget, |_| drop(std::hint::black_box(serial(words, ScanKind::Exclusive)))));
    Ok(())
}

fn scan(gpu: &Gpu, budget: &Budget, (words, conflict_free): (&[u32], bool), row: &mut AdjustRow) -> Result<(), Error> {
    let most = gpu.device.limits().max_compute_invocations_per_workgroup;
    let pass = ScanPass::with_workgroup(gpu, if most >= 512 { 512 } else { 256 }, conflict_free);
    if words.len() > pass.capacity() as usize {
        row.note = Some(format!("not measured: our scan is made for bins and holds at most {} words", pass.capacity()));
        return Ok(());
    }
    let buffer = |label| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: words.len() as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let (source, target) = (buffer("source"), buffer("target"));
    gpu.queue.write_buffer(&source, 0, bytemuck::cast_slice(words));
    let (from, to) = (BufferWords { buffer: &source, offset: 0 }, BufferWords { buffer: &target, offset: 0 });
    let job = pass.job(gpu, from, to, words.len() as u32);
    row.alone = Some(timed(gpu, budget, &mut |pass, _| job.dispatch(pass))?);
    let scanned: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &target, target.size())?);
    row.exact = Some(scanned == serial(words, ScanKind::Exclusive));
    Ok(())
}

/// Measures a blur of the picture's upper 8 bits by a method of the tutorials. The product's blur, which rounds once,
/// is the reference.
fn tutorial_blur(
    gpu: &Gpu,
    budget: &Budget,
    picture: &Picture,
    (method, size): (BlurMethod, u32),
    row: &mut AdjustRow,
) -> Result<(), Error> {
    let image = convert(picture, 1)?;
    let blur = match LabBlur::new(gpu, method, (size, 1), (image.width(), image.height()))? {
        Ok(blur) => blur,
        Err(why) => {
            row.note = Some(why);
            return Ok(());
        }
    };
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(image.plane(0).bytes);
    let found = blur.run(gpu, &words)?;
    let expected = blur::apply(Codes::of(&image), Blur { size, runs: 1 });
    let pixels = found.iter().zip(&expected.rgb);
    let is_near = |(found, expected): (&u32, &[u16; 3])| {
        found.to_le_bytes().into_iter().zip(expected).all(|(found, &expected)| u16::from(found).abs_diff(expected) <= 1)
    };
    row.exact = Some(pixels.into_iter().all(is_near));
    row.alone = Some(timed(gpu, budget, &mut |pass, _| blur.dispatch(pass))?);
    let (image_loads, tile_loads) = method.loads(size);
    row.note = Some(match tile_loads > 0.0 {
        true => {
            format!("loads per pixel: {image_loads:.1}, and {tile_loads:.0} from workgroup memory; within one code")
        }
        false => format!("loads per pixel: {image_loads:.1}; within one code"),
    });
    Ok(())
}

fn blur_passes(
    gpu: &Gpu,
    budget: &Budget,
    picture: &Picture,
    (size, staged): (u32, bool),
    row: &mut AdjustRow,
) -> Result<(), Error> {
    let codes = Codes::of(picture);
    let work = WorkingPicture::new(gpu, (picture.width(), picture.height()), codes.bits, codes.luminance)?;
    work.write(gpu, &codes);
    let plan = BlurPlan { staged, ..BlurPlan::new(&gpu.device.limits(), codes.bits, size) };
    let job = BlurPass::new(gpu).job_with_plan(gpu, &InputPicture::from(&work), &work, plan, 1)?;
    run_once(gpu, &mut |pass| job.dispatch(pass, &work.bind_group));
    row.exact = Some(work.read(gpu)? == blur::apply(codes.clone(), Blur { size, runs: 1 }));
    row.alone = Some(timed(gpu, budget, &mut |pass, _| job.dispatch(pass, &work.bind_group))?);
    Ok(())
}

/// Measures drawing the bars of the picture's histogram. A loop on the CPU is the reference.
fn drawing(
    gpu: &Gpu,
    budget: &Budget,
    picture: &Picture,
    (method, bin_count): (DrawMethod, u32),
    row: &mut AdjustRow,
) -> Result<(), Error> {
    let step = step_within((picture.width(), picture.height()), LabDrawing::MAX_PIXELS);
    let bins = count_plainly(&convert(picture, step)?, bin_count, true);
    let drawing = LabDrawing::new(gpu, method, bin_count)?;
    row.exact = Some(drawing.run(gpu, &bins)? == draw_plainly(&bins));
    row.alone = Some(on_gpu(gpu, budget, &mut |encoder, _, span| drawing.record_whole(encoder, span))?);
    let spans = drawing.passes().count() as u32;
    let by_pass = spans_on_gpu(gpu, budget, spans, &mut |encoder, _, spans| drawing.record(encoder, spans))?;
    let passes = drawing.passes().zip(by_pass.unwrap_or_default());
    let times: String = passes.map(|(name, times)| format!("; {name} {:.1}", times.median_us)).collect();
    let (width, height) = LabDrawing::SIZE;
    row.note = Some(format!("{width}×{height} pixels, {bin_count} bins{times}"));
    Ok(())
}

/// Pictures on the GPU, with the passes that adjust and count them.
struct Bench<'a> {
    pictures: &'a [Picture],
    inputs: Inputs,
    source: HistogramPasses,
    result: HistogramPasses,
    chain: Chain,
}

impl<'a> Bench<'a> {
    /// Returns the bench, which is made on first use.
    fn get<'b>(slot: &'b mut Option<Self>, gpu: &Gpu, pictures: &'a [Picture]) -> Result<&'b mut Self, Error> {
        if let Some(bench) = slot {
            return Ok(bench);
        }
        let inputs = Inputs::of(gpu, pictures.to_vec())?;
        let mut source = HistogramPasses::new(gpu);
        source.prepare(gpu, &pictures[0], Components::Rgbl)?;
        let result = HistogramPasses::new(gpu);
        let chain = Chain::new(gpu, &source);
        Ok(slot.insert(Self { pictures, inputs, source, result, chain }))
    }

    fn measure(
        &mut self,
        gpu: &Gpu,
        budget: &Budget,
        (adjustments, separate): (&Adjustments, bool),
        row: &mut AdjustRow,
    ) -> Result<(), Error> {
        let expected = Processor::default().apply_to_codes(Codes::of(&self.pictures[0]), adjustments, None);
        self.chain.prepare(gpu, InputPicture::from(&self.pictures[0]), adjustments, None, true)?;
        let mut exact = self.is_exact(gpu, &expected, (true, false))?;
        row.alone = Some(timed(gpu, budget, &mut |pass, repeat| self.run(pass, repeat, false, false))?);
        row.with_source = Some(timed(gpu, budget, &mut |pass, repeat| self.run(pass, repeat, true, false))?);
        self.prepare_to_count(gpu, adjustments, separate, true)?;
        exact &= self.is_exact(gpu, &expected, (true, true))?;
        row.with_both = Some(timed(gpu, budget, &mut |pass, repeat| self.run(pass, repeat, true, true))?);
        self.prepare_to_count(gpu, adjustments, separate, false)?;
        exact &= self.is_exact(gpu, &expected, (false, true))?;
        row.with_result = Some(timed(gpu, budget, &mut |pass, repeat| self.run(pass, repeat, false, true))?);
        row.exact = Some(exact);
        let adjust = |repeat: usize| {
            Processor::default().apply_to_codes(Codes::of(self.inputs.picture(repeat)), adjustments, None)
        };
        row.on_cpu = Some(on_cpu(budget, |repeat| drop(std::hint::black_box(adjust(repeat)))));
        Ok(())
    }

    /// Prepares the adjustments and the counting of their result.
    fn prepare_to_count(
        &mut self,
        gpu: &Gpu,
        adjustments: &Adjustments,
        separate: bool,
        counts_source: bool,
    ) -> Result<(), GpuError> {
        let source = InputPicture::from(&self.pictures[0]);
        if separate {
            self.chain.prepare(gpu, source, adjustments, None, counts_source)?;
        } else {
            self.chain.prepare_counting(gpu, source, adjustments, None, counts_source, &mut self.result)?;
        }
        if let Some(adjusted) = self.chain.result().filter(|_| !self.chain.counts_result()) {
            self.result.prepare(gpu, adjusted, Components::Rgbl)?;
        }
        Ok(())
    }

    /// Returns `true` if the first picture comes out as expected, and so do its histograms if they are counted.
    fn is_exact(
        &self,
        gpu: &Gpu,
        expected: &Codes,
        (counts_source, counts_result): (bool, bool),
    ) -> Result<bool, GpuError> {
        run_once(gpu, &mut |pass| self.run(pass, 0, counts_source, counts_result));
        let is_same = match self.chain.result() {
            Some(adjusted) => adjusted.read(gpu)? == *expected,
            None => false,
        };
        let counts = counts_result.then(|| self.result.read(gpu, expected.bits, Components::Rgbl));
        Ok(is_same && counts.transpose()?.is_none_or(|bins| bins == expected.histogram()))
    }

    /// Runs the work of one frame: the source's histograms if requested, the adjustments, the result's histograms if
    /// requested.
    fn run(&self, pass: &mut wgpu::ComputePass<'_>, repeat: usize, counts_source: bool, counts_result: bool) {
        let Some(group) = self.inputs.group(repeat) else { return };
        if counts_source {
            self.source.dispatch(pass, group);
        }
        self.chain.dispatch(pass, group);
        match self.chain.result().filter(|_| counts_result) {
            Some(_) if self.chain.counts_result() => self.result.dispatch_sums(pass),
            Some(adjusted) => self.result.dispatch(pass, &adjusted.bind_group),
            None => {}
        }
    }
}

/// Measures dispatches that share a compute pass.
fn timed(gpu: &Gpu, budget: &Budget, work: &mut dyn FnMut(&mut wgpu::ComputePass<'_>, usize)) -> Result<Times, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        compute_pass(encoder, "adjust", spans, |pass| work(pass, repeat));
    };
    on_gpu(gpu, budget, &mut record)
}

fn run_once(gpu: &Gpu, work: &mut dyn FnMut(&mut wgpu::ComputePass<'_>)) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("check") });
    work(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
    gpu.queue.submit([encoder.finish()]);
}

/// Writes the rows as a table.
pub(super) fn write_table(f: &mut fmt::Formatter<'_>, rows: &[AdjustRow]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let title = "adjustments and drawing, median µs";
    writeln!(
        f,
        "\n{title:<57}{:>10}{:>11}{:>11}{:>11}{:>11}  exact",
        "alone", "+ source", "+ result", "+ both", "CPU"
    )?;
    for row in rows {
        let number = |times: Option<Times>| times.map_or("-".into(), |times| format!("{:.1}", times.median_us));
        write!(f, "  {:<25}{:<30}{:>10}", row.name, row.full_title(), number(row.alone))?;
        for times in [row.with_source, row.with_result, row.with_both, row.on_cpu] {
            write!(f, "{:>11}", number(times))?;
        }
        writeln!(f, "  {}", row.exact.map_or("-", |exact| if exact { "yes" } else { "NO" }))?;
        if let Some(note) = &row.note {
            writeln!(f, "      {note}")?;
        }
    }
    writeln!(f, "+: including the histograms of the source, of the result, or of both, starting from the planes")
}
