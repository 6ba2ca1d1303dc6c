//! The bars of the frame on screen, drawn by both methods, timed pass by pass and compared with a loop on the CPU.

use std::sync::Arc;
use std::time::Duration;

use super::counting_pass::Step;
use super::drawing::{DrawMethod, LabDrawing, draw_plainly};
use super::image::{convert, count_plainly};
use super::job::{LabWork, Stop};
use super::repeated::Repeated;
use super::shape::{reduced, step_within};
use histoscope_core::picture::{Picture, PictureError};
use histoscope_render::gpu::timing::Timestamps;
use histoscope_render::gpu::{Gpu, GpuError};

/// The most pixels to count, since a single core does: while a video plays, and otherwise.
const PIXELS: [u64; 2] = [1 << 16, 1 << 20];
const _: () = assert!(PIXELS[1] <= LabDrawing::MAX_PIXELS);

/// The parameters of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawSetup {
    /// The method.
    pub method: DrawMethod,
    /// Bins per channel.
    pub bins: u32,
    /// `true` while a video plays, which must not stall.
    pub is_playing: bool,
}

/// The names of a drawing's passes, each with its median time; `None` if the adapter cannot measure time.
type PassTimes = Vec<(&'static str, Option<Duration>)>;

/// The result of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The parameters of the drawing.
    pub setup: DrawSetup,
    /// The bins: red, green, blue and luminance of bin 0, then of bin 1, and so on.
    pub bins: Vec<u32>,
    /// The drawing: red, green, blue and 255, row by row.
    pub pixels: Vec<u8>,
    /// The number of pixels that differ from those of the loop on the CPU.
    pub wrong: u64,
    /// The passes of the method.
    pub passes: PassTimes,
    /// The other method, and its passes.
    pub other: (DrawMethod, PassTimes),
    /// A note to show if not all pixels of the frame were counted.
    pub reduction: Option<String>,
    /// The compute passes, with the constants of their shaders.
    pub steps: Vec<Step>,
}

/// Drawings that are ready to be made on one adapter.
#[derive(Debug)]
pub struct PreparedDrawing {
    gpu: Arc<Gpu>,
    setup: DrawSetup,
    /// The chosen method's, then the other one's.
    drawings: [LabDrawing; 2],
    timestamps: Option<Timestamps>,
}

impl LabWork for PreparedDrawing {
    type Setup = DrawSetup;
    type Outcome = Drawn;

    fn new(gpu: Arc<Gpu>, setup: DrawSetup, _: &Picture) -> Result<Result<Self, String>, GpuError> {
        let other = match setup.method {
            DrawMethod::PerPixel => DrawMethod::PerColumn,
            DrawMethod::PerColumn => DrawMethod::PerPixel,
        };
        let drawings = [LabDrawing::new(&gpu, setup.method, setup.bins)?, LabDrawing::new(&gpu, other, setup.bins)?];
        let spans = drawings.iter().map(|drawing| drawing.passes().count()).max().unwrap_or(0);
        Ok(Ok(Self { timestamps: Timestamps::new(&gpu, spans as u32), gpu, setup, drawings }))
    }

    fn fits(&self, gpu: &Arc<Gpu>, setup: DrawSetup, _: &Picture) -> bool {
        Arc::ptr_eq(&self.gpu, gpu) && self.setup == setup
    }

    fn run(&mut self, picture: &Picture, stop: &Stop) -> Result<Option<Drawn>, GpuError> {
        // Never refused in practice: a picture of at least this size exists.
        let refused = |error: PictureError| GpuError::Lost(error.to_string());
        let whole = (picture.width(), picture.height());
        let most = PIXELS[usize::from(!self.setup.is_playing)];
        let step = step_within(whole, most);
        let bins = count_plainly(&convert(picture, step).map_err(refused)?, self.setup.bins, true);
        let [chosen, other] = &self.drawings;
        let Some((passes, words)) = self.timed(chosen, &bins, stop)? else { return Ok(None) };
        let Some((other_passes, _)) = self.timed(other, &bins, stop)? else { return Ok(None) };
        let expected = draw_plainly(&bins);
        let ((width, height), (across, down)) = (whole, reduced(whole, step));
        let why = if self.setup.is_playing { "to keep the video playing" } else { "as one core counts them" };
        Ok(Some(Drawn {
            setup: self.setup,
            wrong: words.iter().zip(&expected).filter(|(a, b)| a != b).count() as u64,
            pixels: words.into_iter().flat_map(u32::to_le_bytes).collect(),
            passes,
            other: (other.method(), other_passes),
            reduction: (step > 1).then(|| format!("draws {across}×{down} of {width}×{height} pixels, {why}")),
            steps: chosen.steps().to_vec(),
            bins,
        }))
    }
}

impl PreparedDrawing {
    /// Draws several times. Returns the median time of each pass, and the pixels. `None` if asked to stop.
    fn timed(
        &self,
        drawing: &LabDrawing,
        bins: &[u32],
        stop: &Stop,
    ) -> Result<Option<(PassTimes, Vec<u32>)>, GpuError> {
        self.gpu.queue.write_buffer(drawing.bins(), 0, bytemuck::cast_slice(bins));
        let repeated = Repeated {
            gpu: &self.gpu,
            timestamps: self.timestamps.as_ref(),
            spans: drawing.passes().count() as u32,
            result: (drawing.result(), drawing.result().size()),
            is_hurried: self.setup.is_playing,
        };
        let Some(repeats) = repeated.run(|encoder, spans| drawing.record(encoder, spans), stop)? else {
            return Ok(None);
        };
        let passes = drawing.passes().enumerate().map(|(span, name)| (name, repeats.median(span..=span)));
        Ok(Some((passes.collect(), repeats.words)))
    }
}
