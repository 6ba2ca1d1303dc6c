//! The speed of prefix sums, blurs and drawing bars, and whether their results are correct.

use std::fmt;

use serde::Serialize;

use super::error::{Error, possible};
use super::measure::{Budget, Times, on_cpu, on_gpu, spans_on_gpu};
use super::options::Options;
use super::rows::{Work, all_lab_rows, lab_rows};
use crate::drawing::draw_plainly;
use crate::image::{convert, count_plainly};
use crate::scan::{check_length, serial};
use crate::shape::step_within;
use crate::{BlurMethod, DrawMethod, LabBlur, LabDrawing, ScanKind, ScanMethod};
use histoscope_core::adjust::{Blur, Codes, blur};
use histoscope_core::picture::Picture;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::scan::{BufferWords, ScanPass};
use histoscope_render::gpu::timing::{Spans, compute_pass};

/// The measurements of one prefix sum, blur or drawing.
#[derive(Debug, Clone, Serialize)]
pub struct LabRow {
    /// The name that selects the row.
    pub name: &'static str,
    /// The name shown in the table.
    pub title: &'static str,
    /// Words of a prefix sum, if lengths were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// The time alone. `None` if it was not measured; `note` then gives the reason.
    pub alone: Option<Times>,
    /// The time of the same work on the CPU, if measured.
    pub on_cpu: Option<Times>,
    /// `true` if the result equals the CPU's. The tutorials' blurs may differ by one code.
    pub exact: Option<bool>,
    /// A remark.
    pub note: Option<String>,
}

impl LabRow {
    /// Returns the title, with the words of a prefix sum if lengths were chosen.
    pub(super) fn full_title(&self) -> String {
        let Some(length) = self.length else { return self.title.to_owned() };
        let title = self.title.strip_suffix(" of 262144 words").unwrap_or(self.title);
        format!("{title}, {length}")
    }
}

/// Returns the rows to measure: all, or the ones that the options name. On a software adapter, where they are slow, they
/// are measured only if named.
pub(super) fn wanted(gpu: &Gpu, options: &Options) -> Vec<&'static str> {
    let by_default = options.only.is_empty() && !gpu.is_software();
    let wanted = lab_rows().into_iter().filter(|(name, title)| by_default || options.names(name, title));
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
) -> Result<Vec<LabRow>, Error> {
    let budget = Budget::new(gpu, options.repeats);
    let mut rows = Vec::new();
    let wanted = all_lab_rows().into_iter().filter(|(name, ..)| names.contains(name));
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
        let mut row = LabRow { name, title, length, alone: None, on_cpu: None, exact: None, note: None };
        let measured = match what {
            Work::Scan { conflict_free } => scan(gpu, &budget, (&words(), conflict_free), &mut row),
            Work::TutorialScan(method) => tutorial_scan(gpu, &budget, (&words(), method), &mut row),
            Work::TutorialBlur { method, size } => tutorial_blur(gpu, &budget, &pictures[0], (method, size), &mut row),
            Work::Drawing(method) => drawing(gpu, &budget, &pictures[0], (method, options.bin_count), &mut row),
        };
        row.note = possible(measured)?.err().or(row.note);
        rows.push(row);
    }
    Ok(rows)
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
    row: &mut LabRow,
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

fn scan(gpu: &Gpu, budget: &Budget, (words, conflict_free): (&[u32], bool), row: &mut LabRow) -> Result<(), Error> {
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
    row: &mut LabRow,
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

/// Measures drawing the bars of the picture's histogram. A loop on the CPU is the reference.
fn drawing(
    gpu: &Gpu,
    budget: &Budget,
    picture: &Picture,
    (method, bin_count): (DrawMethod, u32),
    row: &mut LabRow,
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

/// Measures dispatches that share a compute pass.
fn timed(gpu: &Gpu, budget: &Budget, work: &mut dyn FnMut(&mut wgpu::ComputePass<'_>, usize)) -> Result<Times, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        compute_pass(encoder, "lab", spans, |pass| work(pass, repeat));
    };
    on_gpu(gpu, budget, &mut record)
}

/// Writes the rows as a table.
pub(super) fn write_table(f: &mut fmt::Formatter<'_>, rows: &[LabRow]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let title = "sums, blurs and drawing, median µs";
    writeln!(f, "\n{title:<57}{:>10}{:>11}  exact", "GPU", "CPU")?;
    for row in rows {
        let number = |times: Option<Times>| times.map_or("-".into(), |times| format!("{:.1}", times.median_us));
        let exact = row.exact.map_or("-", |exact| if exact { "yes" } else { "NO" });
        let (alone, on_cpu) = (number(row.alone), number(row.on_cpu));
        writeln!(f, "  {:<25}{:<30}{alone:>10}{on_cpu:>11}  {exact}", row.name, row.full_title())?;
        if let Some(note) = &row.note {
            writeln!(f, "      {note}")?;
        }
    }
    Ok(())
}
