//! Blurs at work beside a window: of the frame on screen, timed pass by pass and compared with the mean by definition.

use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::blur::{BlurMethod, LabBlur, MOST_SIZE};
use super::counting::Step;
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

/// Loads that a blur makes at most, lest it hold up the window: on a software adapter, and on any other.
const LOADS: [f64; 2] = [1.5e8, 2.0e9];
/// The same while a video plays.
const PLAYING_LOADS: [f64; 2] = [4.0e6, 5.0e8];
/// Pixels that are blurred at most, since the CPU computes them as well: on a software adapter, and on any other.
const PIXELS: [u64; 2] = [1 << 20, 1 << 21];
/// The same while a video plays.
const PLAYING_PIXELS: [u64; 2] = [1 << 16, 1 << 20];

/// What is blurred, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlurSetup {
    /// The way.
    pub method: BlurMethod,
    /// Pixels of the square across, odd.
    pub size: u32,
    /// How often.
    pub runs: u32,
    /// Whether a video plays, which is to go on.
    pub is_playing: bool,
}

impl Default for BlurSetup {
    fn default() -> Self {
        Self { method: BlurMethod::Separable, size: 15, runs: 1, is_playing: false }
    }
}

impl BlurSetup {
    /// How often a picture can be blurred.
    pub const RUNS: std::ops::RangeInclusive<u32> = 1..=8;

    /// The nearest that there is, and in words why it is not this one.
    #[must_use]
    pub fn nearest(self) -> (Self, Option<String>) {
        let size = self.size.clamp(1, MOST_SIZE) | 1;
        let told = (size != self.size).then(|| {
            format!("a blur is 1 to {MOST_SIZE} pixels wide, an odd number, not {}; the nearest is {size}", self.size)
        });
        (Self { size, ..self }, told)
    }

    /// Loads for each pixel, from memory that all share and from workgroups' own.
    #[must_use]
    pub fn loads(self) -> (f64, f64) {
        let (memory, own) = self.method.loads(self.size);
        (memory * f64::from(self.runs), own * f64::from(self.runs))
    }

    /// Of how many pixels across and down one is blurred, so that nothing stands still for it.
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

/// What has come of a blur.
#[derive(Debug, Clone, PartialEq)]
pub struct Blurred {
    /// What was done.
    pub setup: BlurSetup,
    /// Width and height of what was blurred.
    pub size: (u32, u32),
    /// The blurred picture: red, green, blue and 255, row by row.
    pub pixels: Vec<u8>,
    /// The bins of red, green, blue and luminance of the blurred picture, and of the same one before.
    pub bins: [[Vec<u32>; CHANNELS]; 2],
    /// By how many codes a pixel is off the mean by definition, at most.
    pub distance: u8,
    /// How many of the pixels' parts are off at all, and how many there are.
    pub off: (u64, u64),
    /// Its passes, each with the middle of its times over all runs; `None` where the adapter tells none.
    pub passes: Vec<(&'static str, Option<Duration>)>,
    /// That not all pixels were blurred, in words, if so.
    pub reduction: Option<String>,
    /// Its steps, with what is put into their shader.
    pub steps: Vec<Step>,
}

impl Blurred {
    /// The time of all passes.
    #[must_use]
    pub fn total(&self) -> Option<Duration> {
        self.passes.iter().map(|(_, time)| *time).sum()
    }

    /// Whether it is what it may be: a pass of rows rounds before that of columns does, so that each run may be a code off; the
    /// whole square rounds once.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let most = if self.setup.method == BlurMethod::Square { 0 } else { self.setup.runs };
        u32::from(self.distance) <= most
    }
}

/// A blur, ready to run on one adapter.
#[derive(Debug)]
pub struct Blurring {
    gpu: Arc<Gpu>,
    setup: BlurSetup,
    /// Size of the picture, and of what of it is blurred.
    whole: (u32, u32),
    size: (u32, u32),
    step: u32,
    blur: LabBlur,
    timestamps: Option<Timestamps>,
}

impl LabWork for Blurring {
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
        // A picture of that size exists: it is the frame's, or less.
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
        let why = if self.setup.is_playing { "so that the video plays on" } else { "so that the window stays quick" };
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

/// The passes with their times.
type BlurPassTimes = Vec<(&'static str, Option<Duration>)>;

impl Blurring {
    /// Runs the blur some times; the middle of each pass's times, and the blurred pixels.
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
        // Of each step the times of all runs of the blur together.
        let time = |step: usize| repeats.middle((step..count).step_by(steps.len()));
        let passes = steps.iter().enumerate().map(|(place, step)| (step.name, time(place))).collect();
        Ok(Some((passes, repeats.words)))
    }
}

/// The mean of the square around each pixel, rounded once, half a code up; beyond the edge the edge's pixels repeat. Sums are kept
/// whole until then: along rows, then down columns.
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
    // Each band of rows has sums of its own.
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
            assert!(found.iter().zip(&rgba).skip(3).step_by(4).all(|(a, b)| a == b), "the fourth part stays");
        }
    }

    #[test]
    fn what_is_no_blur_is_answered_with_the_nearest() {
        for (size, nearest) in [(0, 1), (4, 5), (126, 127), (1000, 127)] {
            let (found, told) = BlurSetup { size, ..BlurSetup::default() }.nearest();
            assert_eq!(found.size, nearest);
            assert!(told.is_some_and(|told| told.ends_with(&format!("nearest is {nearest}"))));
        }
        assert_eq!(BlurSetup::default().nearest(), (BlurSetup::default(), None));
    }
}
