//! Counting on the GPU, for tests: a device with its passes, used by one test at a time.

use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::timing::Timestamps;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{AdapterChoice, Gpu};

use crate::support::pool::{Lent, Pool};

/// A device and the counting passes.
pub struct Counter {
    pub gpu: Gpu,
    pub passes: HistogramPasses,
    pictures: PictureBuffers,
    timestamps: Option<Timestamps>,
}

impl Counter {
    /// Returns one on this machine's adapter, for exclusive use.
    pub fn get() -> Lent<Self> {
        static COUNTERS: Pool<Counter> = Pool::new();
        COUNTERS.lend(|| {
            let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
            let pictures = PictureBuffers::default();
            let passes = HistogramPasses::new(&gpu);
            let timestamps = Timestamps::new(&gpu, 3);
            Self { gpu, passes, pictures, timestamps }
        })
    }

    /// Returns a picture's bins.
    pub fn count(&mut self, picture: &Picture, components: Components) -> Histogram {
        self.run(picture, components, false)
    }

    /// Returns a picture's bins with the passes dispatched separately, as when they are timed.
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
