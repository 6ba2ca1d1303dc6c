//! A method at work for the window: it has its own planes and submissions, and counts one frame at a time.

use super::ladder::Ladder;
use super::live::{Live, Measured};
use super::setup::Setup;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{Gpu, GpuError};

/// A method with everything needed to count a frame without waiting.
#[derive(Debug)]
pub struct Runner {
    live: Live,
    pictures: PictureBuffers,
}

impl Runner {
    /// Sets up a method for pictures like this one. If it counts an image, it takes the first of each `least_step`
    /// pixels across and down, or fewer.
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot run it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(gpu: &Gpu, setup: Setup, picture: &Picture, least_step: u32) -> Result<Result<Self, String>, GpuError> {
        if let Err(reason) = PictureBuffers::check(gpu, picture) {
            return Ok(Err(reason.to_string()));
        }
        let live = Live::of_part(gpu, setup, picture, least_step)?;
        Ok(live.map(|live| Self { live, pictures: PictureBuffers::default() }))
    }

    /// The method at work.
    #[must_use]
    pub const fn ladder(&self) -> &Ladder {
        self.live.ladder()
    }

    /// True while the results of a frame are under way. Start no other frame then.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.live.is_pending()
    }

    /// Starts counting a picture that the method was made for. [`poll`](Self::poll) returns the results.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn start(&mut self, gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        self.pictures.upload(gpu, picture)?;
        let Some(planes) = self.pictures.bind_group() else { return Ok(()) };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("lab") });
        self.live.record(gpu, &mut encoder, picture, planes);
        gpu.queue.submit([encoder.finish()]);
        self.live.submitted();
        Ok(())
    }

    /// Returns the results of the last frame if they have arrived, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<Measured> {
        self.live.poll(gpu)
    }
}
