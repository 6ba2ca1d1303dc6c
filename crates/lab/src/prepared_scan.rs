//! A prefix sum over the frame on screen, timed level by level and compared with the CPU's loop.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use super::counting_pass::Step;
use super::image::codes;
use super::job::{LabWork, Stop, submitted};
use super::repeated::{RUNS, Repeated, TIMING};
use super::scan::{Scan, ScanKind, ScanMethod, ScanPass, serial};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::timing::Timestamps;
use histoscope_render::gpu::{Gpu, GpuError};

/// Invocations of a workgroup.
const WORKGROUP: u32 = 256;
/// Words that are read back at a time.
const PART: u32 = 1 << 22;
/// The most words on a software adapter, so that the window stays responsive: for the naive method, and for the others.
const SOFTWARE: [u32; 2] = [1 << 20, 1 << 22];
/// The most words while a video plays: on a software adapter, and on any other.
const PLAYING: [u32; 2] = [1 << 14, 1 << 22];
/// Number of groups in which the bins are drawn.
pub const GROUPS: usize = 16;

/// The input of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScannedWords {
    /// The bins of luminance, so that the sums are the cumulative histogram. They repeat if more words are needed.
    Bins,
    /// The 8-bit luminance codes of the pixels, row by row. They repeat if more words are needed.
    Pixels,
}

impl ScannedWords {
    /// Both inputs.
    pub const ALL: [Self; 2] = [Self::Bins, Self::Pixels];

    /// Returns the name shown to users.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bins => "histogram",
            Self::Pixels => "pixels",
        }
    }
}

/// The parameters of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumSetup {
    /// The method.
    pub method: ScanMethod,
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// The input.
    pub words: ScannedWords,
    /// The number of words.
    pub length: u32,
}

impl Default for SumSetup {
    fn default() -> Self {
        let (method, kind) = (ScanMethod::HillisSteele, ScanKind::Inclusive);
        Self { method, kind, words: ScannedWords::Bins, length: 1 << 16 }
    }
}

impl SumSetup {
    /// The lengths that can be chosen.
    pub const LENGTHS: RangeInclusive<u32> = 512..=1 << 26;

    /// Returns the setup with the nearest length that the adapter can scan, and a note if that is not this length.
    #[must_use]
    pub fn on(self, gpu: &Gpu) -> (Self, Option<String>) {
        let (least, most) = (*Self::LENGTHS.start(), *Self::LENGTHS.end());
        let limits = gpu.device.limits();
        let bound = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        let patient = if gpu.is_software() { SOFTWARE[usize::from(self.method != ScanMethod::Naive)] } else { most };
        let length = self.length.clamp(least, most.min(bound).min(patient));
        let asked = self.length;
        let note = match asked {
            _ if asked == length => None,
            _ if !Self::LENGTHS.contains(&asked) => Some(format!(
                "{asked} words cannot be summed here, only {least} to {most}; the nearest possible number is {length}"
            )),
            _ if length == bound => Some(format!(
                "{asked} words are too many: {} binds at most {bound}; the nearest possible number is {length}",
                gpu.info.name
            )),
            _ => Some(format!(
                "{asked} words would block the window on a software adapter; the nearest possible number is {length}"
            )),
        };
        (Self { length, ..self }, note)
    }

    /// Returns the setup to use while a video plays, which must not stall.
    #[must_use]
    pub fn while_playing(self, gpu: &Gpu) -> Self {
        Self { length: self.length.min(PLAYING[usize::from(!gpu.is_software())]), ..self }
    }
}

/// The result of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Summed {
    /// The parameters of the scan.
    pub setup: SumSetup,
    /// A note to show if memory did not suffice for the requested length.
    pub note: Option<String>,
    /// Words per block.
    pub block: u32,
    /// Words of each level: the input, then the sums of its blocks, and so on.
    pub levels: Vec<u32>,
    /// The number of sums that differ from the CPU's.
    pub wrong: u64,
    /// The index of the first wrong sum.
    pub first_wrong: Option<u32>,
    /// The passes, each with the median of its times. `None` if the adapter cannot measure time.
    pub passes: Vec<(String, Option<Duration>)>,
    /// The median time of the loop on one core of the CPU.
    pub on_cpu: Duration,
    /// Additions per word, over all levels.
    pub additions: f64,
    /// Loads per word, over all levels: from global memory, and from workgroup memory.
    pub loads: (f64, f64),
    /// The steps, with the constants of their shaders.
    pub steps: Vec<Step>,
    /// The picture's luminance histogram in 16 groups of bins.
    pub groups: [u32; GROUPS],
}

impl Summed {
    /// Returns the time of all passes together.
    #[must_use]
    pub fn total(&self) -> Option<Duration> {
        self.passes.iter().map(|(_, time)| *time).sum()
    }
}

/// A scan that is ready to run on one adapter.
#[derive(Debug)]
pub struct PreparedScan {
    gpu: Arc<Gpu>,
    /// The requested setup.
    asked: SumSetup,
    /// The setup that is used, and the reason if it is not the requested one.
    setup: SumSetup,
    note: Option<String>,
    block: u32,
    scan: Scan,
    timestamps: Option<Timestamps>,
}

impl LabWork for PreparedScan {
    type Setup = SumSetup;
    type Outcome = Summed;

    fn new(gpu: Arc<Gpu>, asked: SumSetup, _: &Picture) -> Result<Result<Self, String>, GpuError> {
        let pass = match ScanPass::new(&gpu, (asked.method, asked.kind), WORKGROUP)? {
            Ok(pass) => pass,
            Err(reason) => return Ok(Err(reason)),
        };
        let (mut setup, mut note) = (asked, None);
        let scan = loop {
            match pass.scan(&gpu, setup.length)? {
                Ok(scan) => break scan,
                Err(reason) if setup.length / 2 < *SumSetup::LENGTHS.start() => return Ok(Err(reason)),
                // The adapter may have less memory than it can bind.
                Err(reason) => {
                    setup.length /= 2;
                    note = Some(format!("{reason}; the nearest possible number is {}", setup.length));
                }
            }
        };
        let timestamps = Timestamps::new(&gpu, 2 * scan.levels() as u32 - 1);
        let block = pass.block();
        Ok(Ok(Self { gpu, asked, setup, note, block, scan, timestamps }))
    }

    fn fits(&self, gpu: &Arc<Gpu>, setup: SumSetup, _: &Picture) -> bool {
        Arc::ptr_eq(&self.gpu, gpu) && self.asked == setup
    }

    fn run(&mut self, picture: &Picture, stop: &Stop) -> Result<Option<Summed>, GpuError> {
        let bins = Engine::new().count(picture, Components::Rgbl).bins(3).to_vec();
        let words = words(picture, &bins, self.setup);
        for (part, words) in words.chunks(PART as usize).enumerate() {
            let at = part as u64 * u64::from(PART) * 4;
            self.gpu.queue.write_buffer(self.scan.source(), at, bytemuck::cast_slice(words));
        }
        let Some(passes) = self.passes(stop)? else { return Ok(None) };
        let (expected, on_cpu) = on_cpu(&words, self.setup.kind);
        let Some((wrong, first_wrong)) = self.compare(&expected, stop)? else { return Ok(None) };
        let levels = levels(self.setup.length, self.block);
        let (additions, loads) = costs(self.setup.method, &levels, u64::from(self.block));
        Ok(Some(Summed {
            setup: self.setup,
            note: self.note.clone(),
            block: self.block,
            levels,
            wrong,
            first_wrong,
            passes,
            on_cpu,
            additions,
            loads,
            steps: self.scan.steps().to_vec(),
            groups: groups(&bins),
        }))
    }
}

/// The name and time of each pass.
type ScanPassTimes = Vec<(String, Option<Duration>)>;

impl PreparedScan {
    /// Runs the scan several times. Returns the median time of each pass.
    fn passes(&self, stop: &Stop) -> Result<Option<ScanPassTimes>, GpuError> {
        let levels = self.scan.levels();
        let count = 2 * levels - 1;
        let repeated = Repeated {
            gpu: &self.gpu,
            timestamps: self.timestamps.as_ref(),
            spans: count as u32,
            result: (self.scan.target(), 4),
            is_hurried: false,
        };
        let Some(repeats) = repeated.run(|encoder, spans| self.scan.record_levels(encoder, spans), stop)? else {
            return Ok(None);
        };
        let name = |pass: usize| match pass {
            _ if levels == 1 => "scan".to_owned(),
            pass if pass < levels => format!("level {}", pass + 1),
            pass => format!("add to level {}", 2 * levels - 1 - pass),
        };
        Ok(Some((0..count).map(|pass| (name(pass), repeats.median(std::iter::once(pass)))).collect()))
    }

    /// Returns the number of sums that differ from the CPU's, and the index of the first one.
    fn compare(&self, expected: &[u32], stop: &Stop) -> Result<Option<(u64, Option<u32>)>, GpuError> {
        let (mut wrong, mut first) = (0, None);
        for (part, expected) in expected.chunks(PART as usize).enumerate() {
            let (at, bytes) = (part as u64 * u64::from(PART) * 4, expected.len() as u64 * 4);
            let copy = |encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer| {
                encoder.copy_buffer_to_buffer(self.scan.target(), at, readback, 0, bytes);
            };
            let Some(found) = submitted(&self.gpu, bytes, copy, stop)? else { return Ok(None) };
            let differs = |place: &usize| found[*place] != expected[*place];
            first = first.or_else(|| (0..found.len()).find(differs).map(|place| (at / 4) as u32 + place as u32));
            wrong += (0..found.len()).filter(differs).count() as u64;
        }
        Ok(Some((wrong, first)))
    }
}

/// Returns the words to scan.
fn words(picture: &Picture, bins: &[u32], setup: SumSetup) -> Vec<u32> {
    let length = setup.length as usize;
    let pixels: Vec<u32>;
    let once = match setup.words {
        ScannedWords::Bins => bins,
        ScannedWords::Pixels => {
            let width = picture.width() as usize;
            let count = (width * picture.height() as usize).min(length);
            let code = |at: usize| codes(picture, (at % width) as u32, (at / width) as u32)[3].into();
            pixels = (0..count).into_par_iter().map(code).collect();
            &pixels
        }
    };
    once.iter().copied().cycle().take(length).collect()
}

/// Returns the sums of the loop on the CPU, and the median of its times.
fn on_cpu(words: &[u32], kind: ScanKind) -> (Vec<u32>, Duration) {
    let begin = Instant::now();
    let mut times = Vec::new();
    loop {
        let from = Instant::now();
        let sums = serial(words, kind);
        times.push(from.elapsed());
        if times.len() == RUNS || begin.elapsed() >= TIMING {
            times.sort();
            return (sums, times[times.len() / 2]);
        }
    }
}

/// Returns the number of words on each level.
fn levels(length: u32, block: u32) -> Vec<u32> {
    let next = |&words: &u32| (words > block).then(|| words.div_ceil(block));
    std::iter::successors(Some(length), next).collect()
}

/// Returns the additions per word, and the loads per word from global memory and from workgroup memory. They cover the
/// blocks on all levels and the addition of their sums. A partial block costs as much as a full one.
fn costs(method: ScanMethod, levels: &[u32], block: u64) -> (f64, (f64, f64)) {
    let length = f64::from(levels[0]);
    let blocks: u64 = levels.iter().map(|&words| u64::from(words).div_ceil(block)).sum();
    let added: u64 = levels[..levels.len() - 1].iter().map(|&words| u64::from(words)).sum();
    let (memory, own) = method.loads(block);
    let a_word = |all: u64| all as f64 / length;
    // This addition loads a word and the sum of all blocks before its own.
    (a_word(blocks * method.additions(block) + added), (a_word(blocks * memory + 2 * added), a_word(blocks * own)))
}

/// Sums neighbouring bins into 16 groups.
fn groups(bins: &[u32]) -> [u32; GROUPS] {
    let size = bins.len() / GROUPS;
    std::array::from_fn(|group| bins[group * size..(group + 1) * size].iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::rgba;
    use histoscope_render::gpu::AdapterChoice;

    #[test]
    fn levels_and_costs_match_the_passes() {
        assert_eq!(levels(512, 512), [512]);
        assert_eq!(levels(513, 512), [513, 2]);
        assert_eq!(levels(1 << 26, 512), [1 << 26, 1 << 17, 256]);
        // One block of 512 words: 511 additions on the way up, 511 on the way down.
        let (additions, loads) = costs(ScanMethod::Blelloch, &[512], 512);
        assert!((additions - 1022.0 / 512.0).abs() < 1e-9 && (loads.0 - 1.0).abs() < 1e-9, "{additions}, {loads:?}");
        // Two blocks, then one block of their sums, then one addition to each word.
        let (additions, loads) = costs(ScanMethod::Naive, &[512, 2], 256);
        let block = 256.0 * 255.0 / 2.0;
        assert!((additions - (3.0 * block + 512.0) / 512.0).abs() < 1e-9, "{additions}");
        assert!((loads.0 - (3.0 * (block + 256.0) + 1024.0) / 512.0).abs() < 1e-9 && loads.1 < 1e-9, "{loads:?}");
    }

    /// Guards against a comparison that never fails.
    #[test]
    fn wrong_sums_are_counted_and_the_first_one_is_found() {
        let gpu = Arc::new(Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one"));
        let pixels = (0..40_u32 * 30 * 4).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let picture = rgba(pixels, (40, 30)).unwrap();
        let setup = SumSetup { words: ScannedWords::Pixels, length: 1000, ..SumSetup::default() };
        let (stop, summing) = (Stop::default(), PreparedScan::new(Arc::clone(&gpu), setup, &picture));
        let mut summing = summing.unwrap().unwrap();
        let summed = summing.run(&picture, &stop).unwrap().unwrap();
        assert_eq!((summed.wrong, summed.first_wrong), (0, None));
        let mut expected = serial(&words(&picture, &[], setup), setup.kind);
        assert_eq!(summing.compare(&expected, &stop).unwrap(), Some((0, None)));
        expected[700] += 1;
        expected[999] -= 1;
        assert_eq!(summing.compare(&expected, &stop).unwrap(), Some((2, Some(700))));
    }

    #[test]
    fn groups_hold_neighbouring_bins_and_leave_none_out() {
        let bins: Vec<u32> = (0..1024).collect();
        let groups = groups(&bins);
        assert_eq!((groups[0], groups[15]), ((0..64).sum(), (960..1024).sum()));
        assert_eq!(groups.iter().sum::<u32>(), bins.iter().sum::<u32>());
    }
}
