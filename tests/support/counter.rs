//! Counting on the GPU, for tests: one device a test program, used by one test at a time.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use histoscope::frame::{Orientation, Picture, Ratio};
use histoscope::gpu::readback::{VIEW_FORMAT, read_histogram};
use histoscope::gpu::{AdapterChoice, Gpu, Renderer};
use histoscope::histogram::{Components, Histogram};

/// A device and its passes.
pub struct Counter {
    pub gpu: Gpu,
    pub renderer: Renderer,
}

impl Counter {
    /// The program's device, whatever adapter the machine has.
    pub fn get() -> MutexGuard<'static, Self> {
        static COUNTER: OnceLock<Mutex<Counter>> = OnceLock::new();
        COUNTER
            .get_or_init(|| {
                let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
                let renderer = Renderer::new(&gpu, VIEW_FORMAT);
                Mutex::new(Self { gpu, renderer })
            })
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A picture's bins.
    pub fn count(&mut self, picture: &Picture, components: Components) -> Histogram {
        let placing = (Ratio::ONE, Orientation::default());
        self.renderer.load(&self.gpu, picture, placing, components, None).expect("the picture loads");
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.renderer.record_count(&self.gpu, &mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
        let bits = picture.layout().bin_bits();
        read_histogram(&self.gpu, self.renderer.histogram(), bits, components).expect("bins come back")
    }
}
