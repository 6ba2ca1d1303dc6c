//! Counting on the GPU, for tests: one device a test program, used by one test at a time.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use histoscope::gpu::histogram::HistogramPasses;
use histoscope::gpu::timing::Timestamps;
use histoscope::gpu::upload::PictureBuffers;
use histoscope::gpu::{AdapterChoice, Gpu};
use histoscope::histogram::{Components, Histogram};
use histoscope::picture::Picture;

/// A device and the counting passes.
pub struct Counter {
    pub gpu: Gpu,
    pub passes: HistogramPasses,
    pictures: PictureBuffers,
    timestamps: Option<Timestamps>,
}

impl Counter {
    /// The program's device, whatever adapter the machine has.
    pub fn get() -> MutexGuard<'static, Self> {
        static COUNTER: OnceLock<Mutex<Counter>> = OnceLock::new();
        COUNTER
            .get_or_init(|| {
                let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
                let pictures = PictureBuffers::default();
                let passes = HistogramPasses::new(&gpu);
                let timestamps = Timestamps::new(&gpu, 3);
                Mutex::new(Self { gpu, passes, pictures, timestamps })
            })
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A picture's bins.
    pub fn count(&mut self, picture: &Picture, components: Components) -> Histogram {
        self.run(picture, components, false)
    }

    /// The same with the passes one by one, as when they are timed.
    #[allow(dead_code, reason = "not every test program looks at both ways")]
    pub fn count_apart(&mut self, picture: &Picture, components: Components) -> Histogram {
        self.run(picture, components, true)
    }

    fn run(&mut self, picture: &Picture, components: Components, apart: bool) -> Histogram {
        self.passes.prepare(&self.gpu, picture, components).expect("the adapter holds a channel's bins");
        self.pictures.upload(&self.gpu, picture).expect("the picture fits");
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let timestamps = self.timestamps.as_ref().filter(|_| apart);
        let spans = timestamps.map(|timestamps| timestamps.spans_from(0));
        assert!(spans.is_some() || !apart, "an adapter without timestamps never runs the passes one by one");
        self.passes.record(&mut encoder, self.pictures.bind_group().expect("it was uploaded"), spans);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check().expect("the adapter did as it was told");
        let bits = picture.layout().bin_bits();
        self.passes.read(&self.gpu, bits, components).expect("bins come back")
    }
}
