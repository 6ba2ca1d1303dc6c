//! The histogram engine for machines whose only graphics adapter is software.
//!
//! Its counts are exactly those of [`mod@histoscope_core::histogram::reference`], but it is much faster. Its design is
//! described here because the GPU's shaders face the same two questions.
//!
//! # Division of work
//!
//! A picture is cut into bands of rows. Threads take one band after the other until none is left, so a thread that is
//! held up by other work simply takes fewer. Every thread has its own bins, which are added up at the end: no two
//! threads ever write to the same bin, so no addition has to be atomic. (The GPU does the same with a workgroup's share
//! of a picture and workgroup memory.) Rows that share chroma stay in one band.
//!
//! Within a band, a block of some hundred pixels of a row goes through three steps, each a module:
//!
//! 1. `picture::unpack`: bytes become codes, whatever the layout. From here on all layouts look alike.
//! 2. `convert`: codes become red, green, blue and luminance. This is pure arithmetic on arrays, which the compiler
//!    vectorizes (`simd` describes how the instruction set is chosen at run time).
//! 3. `counters`: the codes are counted. Vectors do not help here, because the bin to increment depends on the data.
//!    The processor on which it was tuned completes one store per cycle, and every pixel needs four: two thirds of the
//!    time. If codes have 8 bits and a thread has much to count, `pairs` needs only two stores.
//!
//! For the most common kind of video, 8 bits with chroma at half the width, `avx2` does the second step with
//! intrinsics, without intermediate arrays, which would crowd the bins out of the first-level cache.
//!
//! # Not counting at all
//!
//! The fastest addition is the one that is not made. In a gray picture red, green, blue and luminance are functions of
//! a single code. So only that code is counted, which is a quarter of the work, and the finished bins are moved to the
//! codes that theirs convert to.
//!
//! Attempts that did not pay off: converting and counting in one loop, so that a processor could do both at a time (a
//! fifth slower); four bins per code instead of two; reading the codes eight bytes at a time; AVX-512.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod band;
mod brushed;
mod by_codes;
mod convert;
mod counters;
pub mod display;
mod limits;
mod linear;
pub mod overlay;
mod pairs;
mod pixel_light;
mod resample;
mod rows;
mod scopes;
mod selection;
mod simd;
pub mod thumbnail;
pub mod trace;
mod vectorscope;
mod waveform;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use band::{Flush, Pass, RowBand, Worker};
pub use brushed::{SelectedPixels, SelectionCounts};
pub use by_codes::find_marked;
use counters::add;
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::picture::layout::{ChromaLines, ColorModel};
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::unpack::Source;
use histoscope_core::picture::{Picture, PictureError};
pub use limits::count_outside_r103;
pub use linear::{count_linear, count_linear_region};
pub use pixel_light::count_pixel_light;
pub use scopes::{CpuScopeSum, count_scopes, recount_scopes};
pub use selection::count_selected;
pub use simd::Level;
pub use vectorscope::count_vectorscope;
pub use waveform::count_waveform;

/// Samples per band: few enough that the last bands finish at about the same time, enough that handing them out costs
/// nothing.
const BAND_SAMPLES: usize = 1 << 15;

/// Pixels in a worker's share above which two channels are counted at a time: emptying the tables costs a worker as
/// much time as half of these pixels save.
const PAIRED_SHARE: usize = 1 << 18;

/// Counts pictures on the CPU. Keeps its scratch memory between pictures.
pub struct Engine {
    level: Level,
    /// `true` to count two channels at a time whenever possible; `None` to decide by the size of a worker's share.
    pairing: Option<bool>,
    workers: Vec<Box<Worker>>,
    histogram: Histogram,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("level", &self.level).field("pairing", &self.pairing).finish_non_exhaustive()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// Creates an engine that uses the best instructions of this machine and all threads of rayon's current pool.
    #[must_use]
    pub fn new() -> Self {
        Self::with_level(Level::detect())
    }

    /// Creates an engine that uses the instructions of `level`, or the plain ones if the machine lacks those.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        let level = if level.is_available() { level } else { Level::Plain };
        Self { level, pairing: None, workers: Vec::new(), histogram: Histogram::empty(8, Components::Rgbl) }
    }

    /// Counts two 8-bit channels at a time always or never, regardless of the size of the pictures.
    #[must_use]
    pub fn with_pairing(self, pairing: bool) -> Self {
        Self { pairing: Some(pairing), ..self }
    }

    /// Returns the instruction set in use.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Counts a picture. The histogram equals that of `histogram::reference::histogram`. The engine owns it and
    /// overwrites it with the next one.
    pub fn count(&mut self, picture: &Picture, components: Components) -> &Histogram {
        let bits = picture.layout().bin_bits();
        self.histogram.bits = bits;
        self.histogram.components = components;
        self.histogram.words.clear();
        self.histogram.words.resize(Histogram::word_count(bits), 0);
        match components {
            Components::YCbCr => {
                for component in 0..picture.layout().component_count() {
                    self.count_component(picture, component);
                }
            }
            Components::Rgbl if picture.layout().model == ColorModel::Gray => {
                self.count_component(picture, 0);
                self.recolor_gray(picture);
            }
            Components::Rgbl => self.count_color(picture),
        }
        if let (Some(clamped), Components::Rgbl) = (picture.clamped(), components) {
            self.histogram.add_out_of_range(clamped.counts());
        }
        &self.histogram
    }

    /// Counts a rectangle of a picture, or all of it if `region` is `None`: each luma sample with the chroma sample
    /// that covers it.
    ///
    /// # Errors
    /// [`PictureError::Empty`] if the rectangle does not lie in the picture.
    pub fn count_region(
        &mut self,
        picture: &Picture,
        region: Option<Rect>,
        components: Components,
    ) -> Result<Histogram, PictureError> {
        let Some(rect) = region else { return Ok(self.count(picture, components).clone()) };
        let mut sum = Histogram::empty(picture.layout().bin_bits(), components);
        let parts = match components {
            Components::Rgbl => region::parts(picture, rect)?,
            Components::YCbCr => region::coded_parts(picture, rect)?,
        };
        for part in parts {
            sum.add(self.count(&part, components));
        }
        Ok(sum)
    }

    /// Counts the codes of one component into the channel of the same index.
    fn count_component(&mut self, picture: &Picture, component: usize) {
        self.run(&Pass::Component { source: Source::new(picture, component) });
        let bins = self.histogram.bin_count();
        let target = self.histogram.bins_mut(component);
        for worker in &self.workers {
            for channel in worker.bins().chunks_exact(bins) {
                add(target, channel);
            }
        }
    }

    /// Turns the histogram of luma codes in channel 0 into those of red, green, blue and luminance, which in a gray
    /// picture depend only on that code.
    fn recolor_gray(&mut self, picture: &Picture) {
        let conversion = picture.conversion();
        let top = conversion.max_code();
        let coded = self.histogram.bins(0).to_vec();
        self.histogram.bins_mut(0).fill(0);
        for (&count, code) in coded.iter().zip(0..) {
            let rgb = conversion.unclamped([code, 0, 0]);
            for channel in 0..3 {
                self.histogram.out_of_range_mut(channel)[0] += if rgb[channel] < 0 { count } else { 0 };
                self.histogram.out_of_range_mut(channel)[1] += if rgb[channel] > top { count } else { 0 };
            }
            let codes = rgb.map(|v| v.clamp(0, top) as u32);
            for channel in 0..3 {
                self.histogram.bins_mut(channel)[codes[channel] as usize] += count;
            }
            self.histogram.bins_mut(3)[conversion.luminance_bin(codes) as usize] += count;
        }
    }

    fn count_color(&mut self, picture: &Picture) {
        if picture.layout().chroma_lines == ChromaLines::Frame {
            return self.add_color(picture);
        }
        // Fields with separate chroma rows are counted one after the other.
        let whole = Rect::whole(picture.width(), picture.height());
        for (field, _) in region::by_chroma_lines(picture, whole).into_iter().flatten() {
            self.add_color(&field);
        }
    }

    /// Counts a picture whose chroma rows are shared by neighbouring rows, and adds the counts to the histogram.
    fn add_color(&mut self, picture: &Picture) {
        self.run(&Pass::Color {
            sources: std::array::from_fn(|component| Source::new(picture, component)),
            chroma_shift: picture.layout().chroma_shift,
            conversion: picture.conversion(),
        });
        let tail = CHANNELS << self.histogram.bits;
        for worker in &self.workers {
            add(&mut self.histogram.words[..tail], worker.bins());
            add(&mut self.histogram.words[tail..], &worker.out_of_range);
        }
    }

    /// Runs a pass: the workers take bands of rows until none is left.
    fn run(&mut self, pass: &Pass<'_>) {
        let (rows, groups) = pass.row_groups();
        let per_band = (BAND_SAMPLES / (rows * pass.row_samples())).max(1);
        let bands = groups.div_ceil(per_band);
        self.workers.resize_with(rayon::current_num_threads().min(bands).max(1), Worker::new);
        let next = AtomicUsize::new(0);
        let (level, bins) = (self.level, self.histogram.bin_count());
        let share = rows * pass.row_samples() * groups / self.workers.len();
        let can_pair = bins == 256 && matches!(pass, Pass::Color { .. });
        let is_paired = can_pair && self.pairing.unwrap_or(share >= PAIRED_SHARE);
        let work = |worker: &mut Box<Worker>| {
            worker.reset(level, bins, is_paired);
            loop {
                let first = next.fetch_add(1, Ordering::Relaxed) * per_band;
                if first >= groups {
                    break;
                }
                let groups = first..(first + per_band).min(groups);
                match bins {
                    256 => level.run(RowBand::<256> { pass, groups, worker }),
                    1024 => level.run(RowBand::<1024> { pass, groups, worker }),
                    _ => level.run(RowBand::<4096> { pass, groups, worker }),
                }
            }
            level.run(Flush(worker));
        };
        match self.workers.as_mut_slice() {
            [worker] => work(worker),
            workers => workers.par_iter_mut().with_max_len(1).for_each(work),
        }
    }
}
