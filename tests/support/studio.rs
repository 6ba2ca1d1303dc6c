//! Renderers of every kind, for tests: all of them must give the same views.
//!
//! Each test binary uses only some of these helpers, hence the lint exception.
#![allow(dead_code)]

use std::sync::Arc;

use histoscope_core::adjust::{Adjustments, Blur, Clahe, Equalize, Placing, Posterize, Processor};
use histoscope_core::adjust::{ClassDisplay, Otsu, Reduction, Tone};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::{Frame, FrameFacts, Orientation, Picture, Ratio, Scan, VideoId};
use histoscope_render::cpu;
use histoscope_render::engine::{BackendKind, Renderer};
use histoscope_render::gpu::draw::Shapes;
use histoscope_render::gpu::readback::{Image, VIEW_FORMAT};
use histoscope_render::gpu::{AdapterChoice, Gpu, Scene};
use histoscope_render::view::scene::Look;

use crate::support::lut;
use crate::support::pool::{Lent, Pool};

/// The backend that counts, adjusts and paints.
pub type Way = BackendKind;

/// Every combination.
pub const WAYS: [Way; 2] = [BackendKind::Adapter, BackendKind::Cpu];

pub const UPRIGHT: (Ratio, Orientation) = (Ratio::ONE, Orientation { quarter_turns: 0, mirrored: false });

/// An adapter with a renderer for each backend, made once, since compiling the passes takes longest.
pub struct Studio {
    pub gpu: Gpu,
    renderers: [Renderer; 2],
}

impl Studio {
    /// Returns one for exclusive use, set as a new one is.
    pub fn get() -> Lent<Self> {
        static STUDIOS: Pool<Studio> = Pool::new();
        let mut studio = STUDIOS.lend(Self::new);
        let Self { gpu, renderers } = &mut *studio;
        for renderer in renderers {
            renderer.set_timing(gpu, false);
            renderer.set_limits(false);
            renderer.set_selecting(None);
            renderer.set_reference(gpu, None);
            renderer.set_reference_scopes(None);
            renderer.set_comparison(gpu, None).expect("nothing is compared");
            renderer.set_shapes(Shapes::default());
        }
        studio
    }

    /// Returns one that nobody has used, for tests of memory or of the adapter's limits.
    pub fn new() -> Self {
        let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
        let renderers = WAYS.map(|way| Renderer::new(&gpu, VIEW_FORMAT, way));
        Self { gpu, renderers }
    }

    pub fn renderer(&mut self, way: Way) -> (&mut Renderer, &Gpu) {
        (&mut self.renderers[way as usize], &self.gpu)
    }

    /// Loads a picture.
    pub fn load(&mut self, way: Way, picture: &Picture, placing: (Ratio, Orientation), components: Components) {
        let (renderer, gpu) = self.renderer(way);
        renderer.load(gpu, picture, placing, None, components).expect("it loads");
    }

    /// Draws a picture with these bins, which are not counted.
    pub fn drawn(
        &mut self,
        way: Way,
        picture: &Picture,
        placing: (Ratio, Orientation),
        (size, scene, bins): ((u32, u32), &Scene, Histogram),
    ) -> Image {
        let (renderer, gpu) = self.renderer(way);
        renderer.load_with_bins(gpu, picture, placing, bins).expect("it loads");
        renderer.snapshot(gpu, size, scene).expect("it is drawn")
    }

    /// Loads a frame.
    pub fn load_frame(&mut self, way: Way, frame: &Frame) {
        let (renderer, gpu) = self.renderer(way);
        renderer.load_frame(gpu, frame, None, Components::Rgbl).expect("it loads");
    }

    pub fn snapshot(&mut self, way: Way, size: (u32, u32), scene: &Scene) -> Image {
        let (renderer, gpu) = self.renderer(way);
        let image = renderer.snapshot(gpu, size, scene).expect("it is drawn");
        gpu.check().expect("nothing failed");
        image
    }

    pub fn count(&mut self, way: Way) -> Histogram {
        let (renderer, gpu) = self.renderer(way);
        renderer.count(gpu).expect("it is counted")
    }

    /// Draws a picture without changes, with the same backend.
    pub fn plain(&mut self, way: Way, picture: &Picture, size: (u32, u32), scene: &Scene) -> Image {
        self.load(way, picture, UPRIGHT, Components::Rgbl);
        self.snapshot(way, size, &Scene { look: Look { adjustments: Adjustments::default(), ..scene.look }, ..*scene })
    }
}

/// Returns a picture's bins from the CPU engine.
pub fn count(picture: &Picture, components: Components) -> Histogram {
    cpu::Engine::new().count(picture, components).clone()
}

/// Returns a picture adjusted by definition.
pub fn adjusted(picture: &Picture, adjustments: &Adjustments) -> Picture {
    Processor::default().apply(picture, adjustments, None).expect("it has pixels")
}

/// Returns a scene without overlays.
pub fn bare(adjustments: Adjustments) -> Scene {
    Scene::from(Look { overlays: false, adjustments, ..Look::default() })
}

/// Returns each adjustment alone, and all stages together.
pub fn each() -> Vec<Adjustments> {
    let off = Adjustments::default();
    let equalize = |per_channel| Some(Tone::Equalize(Equalize { per_channel, time_constant_secs: 0.5 }));
    let posterize = |placing| Some(Reduction::Posterize(Posterize { levels: 5, placing }));
    let threshold = |classes, shown| Some(Reduction::Otsu(Otsu { classes, shown }));
    vec![
        Adjustments { blur: Some(Blur { size: 9, runs: 3 }), ..off },
        Adjustments { tone: equalize(false), ..off },
        Adjustments { tone: equalize(true), ..off },
        Adjustments { tone: Some(Tone::Clahe(Clahe::default())), ..off },
        Adjustments { reduction: posterize(Placing::Width), ..off },
        Adjustments { reduction: posterize(Placing::Population), ..off },
        Adjustments { reduction: threshold(2, ClassDisplay::Tones), ..off },
        Adjustments { reduction: threshold(4, ClassDisplay::Colors), ..off },
        Adjustments {
            blur: Some(Blur { size: 5, runs: 1 }),
            tone: equalize(false),
            reduction: threshold(3, ClassDisplay::Colors),
            ..off
        },
        Adjustments { lut: Some(lut(5, 1)), ..off },
    ]
}

/// Returns frame `number` of a video at 25 frames per second.
pub fn frame(picture: Picture, serial: u64, number: u64) -> Frame {
    let facts = FrameFacts {
        pts_ticks: 512 * number as i64,
        time_base: Ratio { num: 1, den: 12_800 },
        time_secs: number as f64 * 0.04,
        duration_secs: 0.04,
        index: Some(number),
        timecode: None,
        sample_aspect: Ratio::ONE,
        orientation: Orientation::default(),
        scan: Scan::Progressive,
        field: None,
        key: false,
        damaged: false,
        picture_type: None,
        source: Arc::default(),
        dynamic_light: None,
        arrival: None,
    };
    Frame { picture, facts, video: VideoId::default(), serial }
}
