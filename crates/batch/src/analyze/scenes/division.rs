//! The division of a video into scenes, and the light of each.

use std::collections::VecDeque;
use std::sync::Arc;

use histoscope_core::histogram::pixel_light::bin_of_share;
use histoscope_core::histogram::{Histogram, LightCounts, LightMeter};
use histoscope_core::strip::{CUT_DELAY, Cut, CutFinder, DEFAULT_THRESHOLD, fold};

/// The light of a scene: of all pixels of all its frames.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneLight {
    /// Number of frames.
    pub frames: u64,
    /// Largest light of red, of green and of blue in cd/m².
    pub max: [f64; 3],
    /// Average light of the pixels in cd/m².
    pub average: f64,
    /// Light in cd/m² that these shares of the pixels do not exceed: [`SHARES`].
    pub percentiles: [f64; SHARES.len()],
    /// Share of the pixels with at most 100 cd/m².
    pub share_to_100: f64,
}

/// Shares of pixels in ten-thousandths.
const SHARES: [u64; 8] = [100, 2500, 5000, 7500, 9000, 9500, 9998, 9999];

impl SceneLight {
    /// Returns the light of the brightest pixel in cd/m².
    #[must_use]
    pub fn peak(&self) -> f64 {
        self.max.into_iter().fold(0.0, f64::max)
    }
}

/// A counted frame.
pub struct FrameLight {
    /// Its number in the file.
    pub number: u64,
    /// Its counted light.
    pub counts: LightCounts,
    /// Largest codes of red, green and blue.
    pub max: [u32; 3],
}

/// A scene whose end is not known yet.
struct OpenScene {
    meter: Arc<LightMeter>,
    frames: u64,
    bins: Vec<u64>,
    max: [u32; 3],
}

impl OpenScene {
    fn new(meter: &Arc<LightMeter>) -> Self {
        Self { meter: Arc::clone(meter), frames: 0, bins: vec![0; meter.bin_count()], max: [0; 3] }
    }

    fn add(&mut self, frame: &FrameLight) {
        self.frames += 1;
        self.bins.iter_mut().zip(&frame.counts.bins).for_each(|(sum, &count)| *sum += u64::from(count));
        self.max.iter_mut().zip(frame.max).for_each(|(most, code)| *most = code.max(*most));
    }

    fn end(&self) -> SceneLight {
        let Self { meter, frames, bins, max } = self;
        let lights = || bins.iter().zip(0..).map(|(&count, bin)| (count, meter.light_of_bin(bin)));
        let pixels = bins.iter().sum::<u64>().max(1) as f64;
        let to_100 = lights().filter(|(_, light)| *light <= 100.0).map(|(count, _)| count).sum::<u64>();
        SceneLight {
            frames: *frames,
            max: max.map(|code| meter.light(code)),
            average: lights().map(|(count, light)| count as f64 * light).sum::<f64>() / pixels,
            percentiles: SHARES
                .map(|share| bin_of_share(bins.iter().copied(), share).map_or(0.0, |bin| meter.light_of_bin(bin))),
            share_to_100: to_100 as f64 / pixels,
        }
    }
}

/// The scenes found so far. The last one may go on.
#[derive(Default)]
struct FoundScenes {
    ended: Vec<SceneLight>,
    open: Option<OpenScene>,
}

impl FoundScenes {
    /// Adds a frame to the open scene, or begins another at a cut or where the depth of the samples changes.
    fn add(&mut self, frame: &FrameLight, is_cut: bool) {
        let meter = &frame.counts.meter;
        let mut open = match self.open.take() {
            Some(open) if !is_cut && open.meter.bits() == meter.bits() => open,
            ended => {
                self.ended.extend(ended.as_ref().map(OpenScene::end));
                OpenScene::new(meter)
            }
        };
        open.add(frame);
        self.open = Some(open);
    }
}

/// Divides frames into scenes.
pub struct Scenes {
    finder: CutFinder,
    /// Frames at which a cut may still be found.
    waiting: VecDeque<FrameLight>,
    /// Number of the cuts before these frames.
    passed: usize,
    found: FoundScenes,
}

impl Scenes {
    /// Creates a division without frames.
    #[must_use]
    pub fn new() -> Self {
        let finder = CutFinder::new(DEFAULT_THRESHOLD).keeping_all();
        Self { finder, waiting: VecDeque::new(), passed: 0, found: FoundScenes::default() }
    }

    /// Adds the next frame, which begins at this time and has this histogram of red, green, blue and luminance.
    pub fn add(&mut self, frame: FrameLight, time_secs: f64, histogram: &Histogram) {
        self.finder.push(frame.number, time_secs, &fold(histogram));
        self.waiting.push_back(frame);
        if self.waiting.len() > CUT_DELAY
            && let Some(frame) = self.waiting.pop_front()
        {
            let is_cut = is_next(self.finder.found(), self.passed, &frame);
            self.passed += usize::from(is_cut);
            self.found.add(&frame, is_cut);
        }
    }

    /// Returns the light of the scenes, in order.
    #[must_use]
    pub fn finish(self) -> Vec<SceneLight> {
        let Self { finder, waiting, mut passed, mut found } = self;
        let (cuts, _) = finder.finish();
        for frame in waiting {
            let is_cut = is_next(&cuts, passed, &frame);
            passed += usize::from(is_cut);
            found.add(&frame, is_cut);
        }
        found.ended.extend(found.open.as_ref().map(OpenScene::end));
        found.ended
    }
}

/// Returns `true` if the first cut that has not been passed is at this frame.
fn is_next(cuts: &[Cut], passed: usize, frame: &FrameLight) -> bool {
    cuts.get(passed).is_some_and(|cut| cut.frame == frame.number)
}
