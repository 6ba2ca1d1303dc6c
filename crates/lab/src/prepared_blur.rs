//! A blur of the frame on screen, timed pass by pass and compared with a reference on the CPU.

use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::blur::{BlurMethod, LabBlur, MAX_SIZE};
use super::counting_pass::Step;
use super::image::{convert, count_plainly, rgba};
use super::job::{LabWork, Stop};
use super::method::ChannelSet;
use super::repeated::Repeated;
use super::setup::Setup;
use super::shape::{Shape, reduced};
use histoscope_core::histogram::CHANNELS;
use histoscope_core::picture::{Picture, PictureError};
use histoscope_render::gpu::timing::Timestamps;
use histoscope_render::gpu::{Gpu, GpuError};

/// The most loads of one blur, so that the window stays responsive: on a software adapter, and on any other.
const LOADS: [f64; 2] = [1.5e8, 2.0e9];
/// The most loads while a video plays.
const PLAYING_LOADS: [f64; 2] = [4.0e6, 5.0e8];
/// The most pixels to blur, since the CPU blurs them too: on a software adapter, and on any other.
const PIXELS: [u64; 2] = [1 << 20, 1 << 21];
/// The most pixels to blur while a video plays.
const PLAYING_PIXELS: [u64; 2] = [1 << 16, 1 << 20];

/// The parameters of a blur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlurSetup {
    /// The method.
    pub method: BlurMethod,
    /// The width of the square in pixels, an odd number.
    pub size: u32,
    /// The number of times the picture is blurred.
    pub runs: u32,
    /// `true` while a video plays, which must not stall.
    pub is_playing: bool,
}

impl Default for BlurSetup {
    fn default() -> Self {
        Self { method: BlurMethod::Separable, size: 15, runs: 1, is_playing: false }
    }
}

impl BlurSetup {
    /// The numbers of runs that can be chosen.
    pub const RUNS: std::ops::RangeInclusive<u32> = 1..=8;

    /// Returns the nearest setup that works, and the reason if it is not this one.
    #[must_use]
    pub fn nearest(self) -> (Self, Option<String>) {
        let size = self.size.clamp(1, MAX_SIZE) | 1;
        let note = (size != self.size).then(|| {
            format!("a blur must have an odd width from 1 to {MAX_SIZE}, not {}; the nearest is {size}", self.size)
        });
        (Self { size, ..self }, note)
    }

    /// Returns the loads for each pixel: from global memory, and from workgroup memory.
    #[must_use]
    pub fn loads(self) -> (f64, f64) {
        let (memory, own) = self.method.loads(self.size);
        (memory * f64::from(self.runs), own * f64::from(self.runs))
    }

    /// Returns the step between blurred pixels, across and down, that keeps the window responsive.
    fn step(self, gpu: &Gpu, size: (u32, u32)) -> u32 {
        let place = usize::from(!gpu.is_software());
        let (loads, pixels) = match self.is_playing {
            true => (PLAYING_LOADS[place], PLAYING_PIXELS[place]),
            false => (LOADS[place], PIXELS[place]),
        };
        let (memory, own) = self.loads();
        let fits = |step: &u32| {
            let (width, height) = reduced(size, *step);
            let count = u64::from(width) * u64::from(height);
            count <= pixels && count as f64 * (memory + own) <= loads
        };
        (1..=size.0.max(size.1)).find(fits).unwrap_or(1)
    }
}

/// The result of a blur.
#[derive(Debug, Clone, PartialEq)]
pub struct Blurred {
    /// The parameters of the blur.
    pub setup: BlurSetup,
    /// Width and height of the blurred picture.
    pub size: (u32, u32),
    /// The blurred picture: red, green, blue and 255, row by row.
    pub pixels: Vec<u8>,
    /// The bins of red, green, blue and luminance: of the blurred picture, and of the picture before the blur.
    pub bins: [[Vec<u32>; CHANNELS]; 2],
    /// The largest difference from the reference, in codes.
    pub distance: u8,
    /// The number of samples that differ from the reference, and the number of all samples.
    pub off: (u64, u64),
    /// The passes, each with the median of its times over all runs. `None` if the adapter cannot measure time.
    pub passes: Vec<(&'static str, Option<Duration>)>,
    /// A note to show if not all pixels were blurred.
    pub reduction: Option<String>,
    /// The steps, with the constants of their shaders.
    pub steps: Vec<Step>,
}

impl Blurred {
    /// Returns the time of all passes together.
    #[must_use]
    pub fn total(&self) -> Option<Duration> {
        self.passes.iter().map(|(_, time)| *time).sum()
    }

    /// Returns `true` if the result is within its tolerance. A pass along rows rounds before the pass down columns
    /// does, so each run may be off by one code. The whole square rounds once.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let most = if self.setup.method == BlurMethod::Square { 0 } else { self.setup.runs };
        u32::from(self.distance) <= most
    }
}

/// A blur that is ready to run on one adapter.
#[derive(Debug)]
pub struct PreparedBlur {
    gpu: Arc<Gpu>,
    setup: BlurSetup,
    /// The size of the picture, and the reduced size at which it is blurred.
    whole: (u32, u32),
    size: (u32, u32),
    step: u32,
    blur: LabBlur,
    timestamps: Option<Timestamps>,
}

impl LabWork for PreparedBlur {
    type Setup = BlurSetup;
    type Outcome = Blurred;

    fn new(gpu: Arc<Gpu>, setup: BlurSetup, picture: &Picture) -> Result<Result<Self, String>, GpuError> {
        let whole = (picture.width(), picture.height());
        let step = setup.step(&gpu, whole);
        let size = reduced(whole, step);
        Ok(LabBlur::new(&gpu, setup.method, (setup.size, setup.runs), size)?.map(|blur| {
            let spans = blur.steps().len() as u32 * setup.runs;
            Self { timestamps: Timestamps::new(&gpu, spans), gpu, setup, whole, size, step, blur }
        }))
    }

    fn fits(&self, gpu: &Arc<Gpu>, setup: BlurSetup, picture: &Picture) -> bool {
        let whole = (picture.width(), picture.height());
        Arc::ptr_eq(&self.gpu, gpu) && self.setup == setup && self.whole == whole
    }

    fn run(&mut self, picture: &Picture, stop: &Stop) -> Result<Option<Blurred>, GpuError> {
        // Never refused in practice: a picture of at least this size exists.
        let refused = |error: PictureError| GpuError::Lost(error.to_string());
        let source = convert(picture, self.step).map_err(refused)?;
        self.gpu.queue.write_buffer(self.blur.source(), 0, source.plane(0).bytes);
        let Some((passes, words)) = self.passes(stop)? else { return Ok(None) };
        let pixels: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let mut expected = source.plane(0).bytes.to_vec();
        for _ in 0..self.setup.runs {
            if stop.is_asked() {
                return Ok(None);
            }
            expected = by_definition(&expected, self.size, self.setup.size);
        }
        let differences = pixels.par_iter().zip(&expected).map(|(a, b)| a.abs_diff(*b));
        let distance = differences.clone().max().unwrap_or(0);
        let off = differences.filter(|&difference| difference > 0).count() as u64;
        let ((width, height), (across, down)) = (self.whole, self.size);
        let parts = 3 * u64::from(across) * u64::from(down);
        let why = if self.setup.is_playing { "to keep the video playing" } else { "to keep the window responsive" };
        let setup = Setup { method: super::Method::Scalar, channels: ChannelSet::Four, shape: Shape::default() };
        let bins = |image: &Picture| {
            let mut channels = setup.by_channel(&count_plainly(image, setup.shape.bins(), true)).into_iter();
            std::array::from_fn(|_| channels.next().unwrap_or_default())
        };
        let blurred = rgba(pixels.clone(), self.size).map_err(refused)?;
        Ok(Some(Blurred {
            setup: self.setup,
            size: self.size,
            bins: [bins(&blurred), bins(&source)],
            pixels,
            distance,
            off: (off, parts),
            passes,
            reduction: (self.step > 1).then(|| format!("blurs {across}×{down} of {width}×{height} pixels, {why}")),
            steps: self.blur.steps().to_vec(),
        }))
    }
}

/// The name and time of each pass.
type BlurPassTimes = Vec<(&'static str, Option<Duration>)>;

impl PreparedBlur {
    /// Runs the blur several times. Returns the median time of each pass, and the blurred pixels.
    fn passes(&self, stop: &Stop) -> Result<Option<(BlurPassTimes, Vec<u32>)>, GpuError> {
        let steps = self.blur.steps();
        let count = steps.len() * self.setup.runs as usize;
        let repeated = Repeated {
            gpu: &self.gpu,
            timestamps: self.timestamps.as_ref(),
            spans: count as u32,
            result: (self.blur.result(), u64::from(self.size.0) * u64::from(self.size.1) * 4),
            is_hurried: self.setup.is_playing,
        };
        let Some(repeats) = repeated.run(|encoder, spans| self.blur.record_each(encoder, spans), stop)? else {
            return Ok(None);
        };
        // The times of one step, over all runs of the blur.
        let time = |step: usize| repeats.median((step..count).step_by(steps.len()));
        let passes = steps.iter().enumerate().map(|(place, step)| (step.name, time(place))).collect();
        Ok(Some((passes, repeats.words)))
    }
}

/// Returns the reference: the mean of the square around each pixel, rounded once, half up. Edge pixels repeat beyond
/// the edge.
///
/// Sums stay exact until the rounding: first along rows, then down columns.
fn by_definition(rgba: &[u8], (width, height): (u32, u32), size: u32) -> Vec<u8> {
    let (width, height, reach) = (width as usize, height as usize, size as usize / 2);
    let mut rows = vec![[0_u32; 3]; width * height];
    rows.par_chunks_exact_mut(width).zip(rgba.par_chunks_exact(width * 4)).for_each(|(sums, row)| {
        let part = |at: isize, channel: usize| {
            let at = at.clamp(0, width as isize - 1) as usize;
            u32::from(row[at * 4 + channel])
        };
        for channel in 0..3 {
            let reach = reach as isize;
            let mut sum: u32 = (-reach..=reach).map(|at| part(at, channel)).sum();
            for (at, sums) in (0_isize..).zip(sums.iter_mut()) {
                sums[channel] = sum;
                sum = sum + part(at + reach + 1, channel) - part(at - reach, channel);
            }
        }
    });
    let row = |at: isize| {
        let at = at.clamp(0, height as isize - 1) as usize;
        &rows[at * width..(at + 1) * width]
    };
    let count = size * size;
    let mut blurred = rgba.to_vec();
    // Each band of rows has its own sums.
    let band = height.div_ceil(rayon::current_num_threads().max(1)).max(1);
    blurred.par_chunks_mut(band * width * 4).enumerate().for_each(|(place, band_bytes)| {
        let (first, reach) = ((place * band) as isize, reach as isize);
        let mut sums = vec![[0_u32; 3]; width];
        for at in first - reach..=first + reach {
            sums.iter_mut().zip(row(at)).for_each(|(sum, add)| (0..3).for_each(|c| sum[c] += add[c]));
        }
        for (y, bytes) in (first..).zip(band_bytes.chunks_exact_mut(width * 4)) {
            for (sum, pixel) in sums.iter().zip(bytes.chunks_exact_mut(4)) {
                (0..3).for_each(|c| pixel[c] = ((2 * sum[c] + count) / (2 * count)) as u8);
            }
            let (enters, leaves) = (row(y + reach + 1), row(y - reach));
            for (sum, (add, take)) in sums.iter_mut().zip(enters.iter().zip(leaves)) {
                (0..3).for_each(|c| sum[c] = sum[c] + add[c] - take[c]);
            }
        }
    });
    blurred
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_the_rounded_mean_of_the_square() {
        let (width, height) = (13_u32, 9_u32);
        let rgba: Vec<u8> = (0..width * height * 4).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        for size in [1_u32, 3, 7, 31] {
            let found = by_definition(&rgba, (width, height), size);
            let reach = size as i64 / 2;
            for (place, part) in found.iter().enumerate().filter(|(place, _)| place % 4 < 3) {
                let (x, y) = ((place / 4) as i64 % i64::from(width), (place / 4) as i64 / i64::from(width));
                let mut sum = 0_u64;
                for (dy, dx) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dy, dx))) {
                    let (x, y) = ((x + dx).clamp(0, 12), (y + dy).clamp(0, 8));
                    sum += u64::from(rgba[((y * 13 + x) * 4) as usize + place % 4]);
                }
                let count = u64::from(size * size);
                assert_eq!(u64::from(*part), (2 * sum + count) / (2 * count), "{size} at {x}, {y}");
            }
            assert!(found.iter().zip(&rgba).skip(3).step_by(4).all(|(a, b)| a == b), "the fourth byte is kept");
        }
    }

    #[test]
    fn impossible_widths_are_replaced_by_the_nearest() {
        for (size, nearest) in [(0, 1), (4, 5), (126, 127), (1000, 127)] {
            let (found, note) = BlurSetup { size, ..BlurSetup::default() }.nearest();
            assert_eq!(found.size, nearest);
            assert!(note.is_some_and(|note| note.ends_with(&format!("nearest is {nearest}"))));
        }
        assert_eq!(BlurSetup::default().nearest(), (BlurSetup::default(), None));
    }
}
