//! A method at work beside a window: on planes of its own, in submissions of its own, one frame at a time.

use super::ladder::Ladder;
use super::live::{Live, Measured};
use super::setup::Setup;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{Gpu, GpuError};

/// A method with all that it takes to count a frame without anybody waiting for it.
#[derive(Debug)]
pub struct Runner {
    live: Live,
    pictures: PictureBuffers,
}

impl Runner {
    /// Sets a method up for pictures like this one, of which it counts the first of each `least_step` pixels across and down, or of
    /// more, where it counts an image; `Ok(Err)` says in words why the adapter cannot run it.
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

    /// The method that is at work.
    #[must_use]
    pub const fn ladder(&self) -> &Ladder {
        self.live.ladder()
    }

    /// Whether a frame's figures are under way: then none other is to be counted.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.live.is_pending()
    }

    /// Has a picture counted that the method was made for; its figures come back by [`poll`](Self::poll).
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

    /// Takes the figures of the last frame if they have come back, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<Measured> {
        self.live.poll(gpu)
    }
}
