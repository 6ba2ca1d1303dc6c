//! Who counts the frames of a run, and the histograms that are under way.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use super::ending::AnalyzeError;
use super::signal::{Signal, SignalCount};
use crate::cpu;
use crate::engine::EngineChoice;
use crate::gpu::count_queue::CountQueue;
use crate::gpu::upload::PictureBuffers;
use crate::gpu::{AdapterChoice, Gpu, GpuError};
use crate::histogram::reference;
use crate::histogram::{Components, Histogram};
use crate::picture::Picture;

/// Pictures that the GPU may have under way: one is fetched, one is counted, two come back.
const PICTURES_IN_FLIGHT: usize = 4;
/// How many pixels they may have together, because all of them keep their memory from the decoder; two pictures always may.
/// Decoding large ones takes so much longer than counting them that two are enough.
const PIXELS_IN_FLIGHT: u64 = 16 << 20;

/// What is counted of every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counting {
    /// Red, green, blue and luminance.
    pub rgbl: bool,
    /// Y', Cb and Cr as coded.
    pub coded: bool,
    /// The figures of FFmpeg's signalstats, for which the coded components are counted too.
    pub signal: bool,
}

impl Counting {
    fn components(self) -> &'static [Components] {
        match (self.rgbl, self.coded || self.signal) {
            (true, true) => &[Components::Rgbl, Components::YCbCr],
            (false, true) => &[Components::YCbCr],
            _ => &[Components::Rgbl],
        }
    }
}

/// The engine that a run was given.
#[derive(Debug, Clone)]
pub enum Engine {
    /// The CPU.
    Cpu,
    /// This adapter.
    Gpu(Arc<Gpu>),
}

impl Engine {
    /// Finds what the user wants. By default it is the adapter if that is hardware; none need be there.
    fn find(choice: EngineChoice, adapter: &AdapterChoice) -> Result<Self, GpuError> {
        match Gpu::shared(adapter) {
            Ok(gpu) if choice == EngineChoice::Gpu || !gpu.is_software() => {
                log::info!("engine: gpu");
                Ok(Self::Gpu(gpu))
            }
            Ok(gpu) => {
                log::info!("the CPU counts, because {} is a software adapter", gpu.info.name);
                Ok(Self::Cpu)
            }
            Err(error) if choice == EngineChoice::Auto && adapter.name.is_none() => {
                log::info!("the CPU counts: {error}");
                Ok(Self::Cpu)
            }
            Err(error) => Err(error),
        }
    }
}

/// An engine that is being started on a thread of its own, because drivers take their time to load.
///
/// Unless the user asked for the adapter, frames are counted by the CPU until it is there: the counts are the same.
pub struct StartingEngine {
    found: Arc<OnceLock<Engine>>,
    thread: Option<JoinHandle<Result<(), GpuError>>>,
    is_wanted: bool,
}

impl StartingEngine {
    /// Starts what the user wants.
    #[must_use]
    pub fn start(choice: EngineChoice, adapter: &AdapterChoice) -> Self {
        let found = Arc::new(OnceLock::new());
        if choice == EngineChoice::Cpu {
            log::info!("engine: cpu");
            return Self { found, thread: None, is_wanted: false };
        }
        let (slot, adapter) = (Arc::clone(&found), adapter.clone());
        let is_wanted = choice == EngineChoice::Gpu || adapter.name.is_some();
        let find = move || {
            let _ = slot.set(Engine::find(choice, &adapter)?);
            Ok(())
        };
        Self { found, thread: Some(thread::spawn(find)), is_wanted }
    }

    /// Waits for an engine that was asked for.
    ///
    /// # Errors
    /// [`GpuError`] if it cannot be used.
    pub fn wait_if_wanted(&mut self) -> Result<(), GpuError> {
        let Some(thread) = self.thread.take_if(|_| self.is_wanted) else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(GpuError::Lost("starting the adapter failed".to_owned())))
    }

    /// Who counts, for people: "the CPU", or the adapter's name.
    #[must_use]
    pub fn name(&self) -> String {
        match self.get() {
            Some(Engine::Gpu(gpu)) if self.is_wanted => gpu.info.name.clone(),
            Some(Engine::Gpu(gpu)) => format!("the CPU until {} had started, then that", gpu.info.name),
            _ => "the CPU".to_owned(),
        }
    }

    /// The engine, if it is there.
    fn get(&self) -> Option<&Engine> {
        self.found.get()
    }
}

impl Drop for StartingEngine {
    fn drop(&mut self) {
        // A program that ends while drivers load may crash in them.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What was counted of one frame.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Red, green, blue and luminance, where they were asked for.
    pub rgbl: Option<Histogram>,
    /// Y', Cb and Cr, where they were asked for.
    pub coded: Option<Histogram>,
    /// The figures of signalstats, where they were asked for.
    pub signal: Option<Signal>,
}

/// Counts frames, in the order in which they are submitted.
pub struct Counter<'a> {
    counting: Counting,
    engine: Option<&'a StartingEngine>,
    cpu: cpu::Engine,
    gpu: Option<(Arc<Gpu>, CountQueue)>,
    verify: bool,
    pending: VecDeque<Pending>,
    /// Pixels of the last picture that was submitted.
    pixels: u64,
}

/// A frame that was submitted: what the CPU has of it, and how much the GPU still owes.
struct Pending {
    histograms: Vec<Histogram>,
    owed: bool,
    parts: Vec<Picture>,
    expected: Option<Vec<Histogram>>,
}

impl<'a> Counter<'a> {
    /// A counter that compares every count with the reference if `verify` is set.
    #[must_use]
    pub fn new(engine: &'a StartingEngine, counting: Counting, verify: bool) -> Self {
        let mut counter = Self {
            counting,
            engine: Some(engine),
            cpu: cpu::Engine::new(),
            gpu: None,
            verify,
            pending: VecDeque::new(),
            pixels: 0,
        };
        counter.take_engine();
        counter
    }

    /// Goes over to the engine as soon as it has started.
    fn take_engine(&mut self) {
        let Some(found) = self.engine.and_then(StartingEngine::get) else { return };
        self.engine = None;
        if let Engine::Gpu(gpu) = found {
            let depth = PICTURES_IN_FLIGHT * self.counting.components().len();
            self.gpu = Some((Arc::clone(gpu), CountQueue::new(gpu, depth)));
        }
    }

    /// Whether a frame must be taken before the next one is submitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.gpu {
            // Pictures that the GPU cannot hold are the CPU's, and take no room in its queue.
            Some((_, queue)) => {
                let most = (PIXELS_IN_FLIGHT / self.pixels.max(1)).clamp(2, PICTURES_IN_FLIGHT as u64);
                queue.room() < self.counting.components().len() || self.pending.len() as u64 >= most
            }
            None => !self.pending.is_empty(),
        }
    }

    /// Submits the parts that a frame's region was cut into. Where they were made from others, `plain` are the parts as the
    /// slow definition makes them, for the comparison with the reference.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn submit(&mut self, parts: Vec<Picture>, plain: Option<&[Picture]>) -> Result<(), GpuError> {
        self.take_engine();
        self.pixels = parts.iter().map(|part| u64::from(part.pixel_count())).sum();
        let components = self.counting.components();
        let mut histograms: Vec<_> =
            components.iter().map(|&components| Histogram::empty(bits(&parts), components)).collect();
        // The strips beside a region are too small to be worth the way to the GPU.
        let largest = parts.iter().enumerate().max_by_key(|(_, part)| part.pixel_count()).map(|(index, _)| index);
        let mut owed = false;
        for (index, part) in parts.iter().enumerate() {
            if Some(index) == largest && self.submit_to_gpu(part)? {
                owed = true;
                continue;
            }
            for histogram in &mut histograms {
                add(histogram, self.cpu.count(part, histogram.components));
            }
        }
        let to_compare = plain.unwrap_or(&parts);
        let expected = self.verify.then(|| components.iter().map(|&c| reference_of(to_compare, c)).collect());
        // The signal's figures are read off the picture when the bins are there.
        let parts = if self.counting.signal { parts } else { Vec::new() };
        self.pending.push_back(Pending { histograms, owed, parts, expected });
        Ok(())
    }

    /// Whether the GPU took the picture; one that it cannot hold is the CPU's.
    fn submit_to_gpu(&mut self, picture: &Picture) -> Result<bool, GpuError> {
        let Some((gpu, queue)) = &mut self.gpu else { return Ok(false) };
        if let Err(reason) = PictureBuffers::check(gpu, picture) {
            log::debug!("{reason}; the CPU counts it");
            return Ok(false);
        }
        match queue.submit(gpu, picture, self.counting.components()) {
            Err(reason @ GpuError::TooDeep { .. }) => {
                log::debug!("{reason}; the CPU counts it");
                Ok(false)
            }
            submitted => submitted.map(|()| true),
        }
    }

    /// Waits for the oldest frame under way; `None` if there is none. `number` is the frame's, for errors, and `spoil`
    /// adds one to a bin before the comparison with the reference, to prove that it compares.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the device fails, or if the count differs from the reference's.
    pub fn take(&mut self, number: u64, spoil: bool) -> Result<Option<Counts>, AnalyzeError> {
        let Some(Pending { mut histograms, owed, parts, expected }) = self.pending.pop_front() else {
            return Ok(None);
        };
        if let Some((gpu, queue)) = self.gpu.as_mut().filter(|_| owed) {
            for histogram in &mut histograms {
                if let Some(counted) = queue.take(gpu)? {
                    add(histogram, &counted);
                }
            }
        }
        if let (true, Some(histogram)) = (spoil, histograms.first_mut()) {
            histogram.bins_mut(1)[16] += 1;
        }
        for (counted, expected) in histograms.iter().zip(expected.iter().flatten()) {
            compare(number, counted, expected)?;
        }
        let coded = histograms.pop_if(|histogram| histogram.components == Components::YCbCr);
        let signal = coded.as_ref().filter(|_| self.counting.signal).map(|coded| {
            let mut count = SignalCount::default();
            count.add(&parts, coded);
            count.finish()
        });
        Ok(Some(Counts { rgbl: histograms.pop(), coded, signal }))
    }
}

fn bits(parts: &[Picture]) -> u32 {
    parts.first().map_or(8, |part| part.layout().bin_bits())
}

/// Adds the counts of one part to those of the others.
fn add(sum: &mut Histogram, part: &Histogram) {
    for (sum, word) in sum.words.iter_mut().zip(&part.words) {
        *sum += word;
    }
}

fn reference_of(parts: &[Picture], components: Components) -> Histogram {
    let mut sum = Histogram::empty(bits(parts), components);
    for part in parts {
        add(&mut sum, &reference::histogram(part, components));
    }
    sum
}

/// The first bin in which two histograms of a frame differ, as an error.
fn compare(frame: u64, counted: &Histogram, expected: &Histogram) -> Result<(), AnalyzeError> {
    let Some(word) = counted.words.iter().zip(&expected.words).position(|(a, b)| a != b) else { return Ok(()) };
    let (channel, bin) = (word >> counted.bits, word & ((1 << counted.bits) - 1));
    let names = counted.components.channel_names();
    let place = match names.get(channel) {
        Some(name) => format!("bin {bin} of {name}"),
        None => format!("the number of {} out of range", names.get(bin / 2).unwrap_or(&"pixels")),
    };
    let (counted, expected) = (counted.words[word], expected.words[word]);
    Err(AnalyzeError::Miscounted { frame, place, counted, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named() {
        let expected = Histogram::empty(8, Components::Rgbl);
        assert!(compare(7, &expected, &expected).is_ok());
        let mut counted = expected.clone();
        counted.bins_mut(2)[35] = 9;
        let text = compare(7, &counted, &expected).unwrap_err().to_string();
        assert!(text.contains("frame 7") && text.contains("bin 35 of blue") && text.contains('9'), "{text}");
        let mut counted = expected.clone();
        counted.out_of_range_mut(1)[1] = 1;
        let text = compare(7, &counted, &expected).unwrap_err().to_string();
        assert!(text.contains("number of green out of range"), "{text}");
    }
}
