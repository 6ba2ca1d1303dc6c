//! The light of the frames on screen in cd/m², measured on a separate thread while somebody looks at it, and compared
//! with the light that the file states.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use super::marked::PictureId;
use crate::app::input::event::Waker;
use histoscope_batch::analyze::stated_light::LightVerdict;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::histogram::{LightFigures, LightMeter, LightScale};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::picture::{Frame, VideoId};
use histoscope_core::text::counted;
use histoscope_core::tone_map::SourceLight;
use histoscope_hud::{InfoLine, LightMark, LightMarks};
use histoscope_render::cpu;

/// Everything that makes the light of different frames comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Series {
    video: VideoId,
    scale: LightScale,
    bits: u32,
    region: Option<Rect>,
}

/// The largest light of the frames measured so far.
#[derive(Debug)]
struct LightSoFar {
    series: Series,
    /// Timestamps of those frames.
    frames: HashSet<i64>,
    max_cll: f64,
    max_fall: f64,
}

/// Measures the light of the frames on screen.
pub struct FrameLight {
    waker: Waker,
    pending: Option<(PictureId, Series, i64, Receiver<LightFigures>)>,
    newest: Option<(PictureId, LightFigures)>,
    so_far: Option<LightSoFar>,
}

impl FrameLight {
    /// Creates it without figures. `waker` is called whenever a frame has been measured.
    #[must_use]
    pub const fn new(waker: Waker) -> Self {
        Self { waker, pending: None, newest: None, so_far: None }
    }

    /// Follows the frame on screen; `None` if nobody is looking at the figures. While a frame is being measured, others
    /// are skipped. Returns `true` if the figures have changed.
    pub fn follow(&mut self, frame: Option<&Frame>, region: Option<Rect>) -> bool {
        let light = frame.and_then(|frame| Some((frame, SourceLight::of(&frame.source).scale()?)));
        let Some((frame, scale)) = light else {
            self.pending = None;
            return self.newest.take().is_some();
        };
        let bits = frame.picture.layout().bin_bits();
        let series = Series { video: frame.video, scale, bits, region };
        let is_new = self.take(series);
        let which = PictureId::of_source(frame);
        let is_of_series = self.so_far.as_ref().is_some_and(|so_far| so_far.series == series);
        let is_known = is_of_series && self.newest.as_ref().is_some_and(|(known, _)| *known == which);
        if self.pending.is_none() && !is_known {
            self.measure(frame, which, series);
        }
        is_new
    }

    /// Takes the figures of a frame that has been measured. Returns `true` if there are any.
    fn take(&mut self, series: Series) -> bool {
        let Some((which, of, pts, answer)) = self.pending.take() else { return false };
        let figures = match answer.try_recv() {
            Ok(figures) => figures,
            Err(TryRecvError::Empty) => {
                self.pending = Some((which, of, pts, answer));
                return false;
            }
            Err(TryRecvError::Disconnected) => return false,
        };
        if of != series {
            return false;
        }
        let so_far = match self.so_far.take().filter(|so_far| so_far.series == series) {
            Some(so_far) => self.so_far.insert(so_far),
            None => self.so_far.insert(LightSoFar { series, frames: HashSet::new(), max_cll: 0.0, max_fall: 0.0 }),
        };
        so_far.frames.insert(pts);
        so_far.max_cll = so_far.max_cll.max(figures.max);
        so_far.max_fall = so_far.max_fall.max(figures.average);
        log::trace!("light: peak {:.3}, average {:.3}", figures.max, figures.average);
        self.newest = Some((which, figures));
        true
    }

    fn measure(&mut self, frame: &Frame, which: PictureId, series: Series) {
        let Series { scale, bits, region, .. } = series;
        let (sender, answer) = mpsc::channel();
        let (picture, waker) = (frame.picture.clone(), Arc::clone(&self.waker));
        let mastering = frame.source.stated_light.mastering.map(|display| display.max_cd_m2);
        let measure = move || {
            let rect = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
            let counts = cpu::count_pixel_light(&picture, rect, LightMeter::kept(scale, bits));
            if let Some(figures) = counts.ok().and_then(|counts| counts.figures(mastering)) {
                // The receiver is gone if nobody is looking any more.
                let _ = sender.send(figures);
                waker();
            }
        };
        match std::thread::Builder::new().name("histoscope-light".to_owned()).spawn(measure) {
            Ok(_) => self.pending = Some((which, series, frame.pts_ticks, answer)),
            Err(error) => log::warn!("the light of the frame is not measured: {error}"),
        }
    }

    /// Returns the marks of the newest measured frame's light on axes; `None` if nothing is measured.
    #[must_use]
    pub fn marks(&self, stated: &StatedLight) -> Option<LightMarks> {
        let ((_, figures), so_far) = self.newest.as_ref().zip(self.so_far.as_ref())?;
        let content = stated.content.filter(|_| so_far.series.region.is_none());
        let exceeds = |stated: Option<u32>, light| LightVerdict::of(stated, light) == LightVerdict::TooLow;
        let is_beyond_display = stated.mastering.is_some_and(|display| figures.max > display.max_cd_m2);
        let is_beyond = is_beyond_display || exceeds(content.map(|content| content.max_cll), figures.max);
        let exceeds_average = exceeds(content.map(|content| content.max_fall), figures.average);
        Some(LightMarks {
            peak: LightMark { light: figures.max, is_beyond },
            average: LightMark { light: figures.average, is_beyond: exceeds_average },
        })
    }

    /// Returns the lines of the panel: the light of the newest measured frame, and of all frames so far beside the
    /// stated one.
    #[must_use]
    pub fn lines(&self, stated: &StatedLight) -> Vec<InfoLine> {
        let (Some((_, figures)), Some(so_far)) = (&self.newest, &self.so_far) else { return Vec::new() };
        let line = |name, value| InfoLine { name, value, origin: None };
        let (x, y) = figures.brightest;
        let at = match so_far.series.scale {
            LightScale::Hlg { peak } => format!(" (HLG at {peak} cd/m²)"),
            LightScale::Pq | LightScale::Bt1886 { .. } => String::new(),
        };
        let above = figures.above_mastering.filter(|&pixels| pixels > 0);
        let above = above.map_or_else(String::new, |pixels| {
            format!(", {} above the mastering display's peak", counted(pixels, "pixel"))
        });
        let (peak, average) = (light_text(figures.max), light_text(figures.average));
        let of_frame = format!("peak {peak} at x {x} y {y}, average {average}{above}{at}");
        let content = stated.content.filter(|_| so_far.series.region.is_none());
        let judged = |name: &str, measured: f64, stated: Option<u32>| {
            let verdict = match LightVerdict::of(stated, measured) {
                LightVerdict::Absent => String::new(),
                LightVerdict::TooLow => format!(" (the stated {} is too low)", stated.unwrap_or(0)),
                // Frames still to come may be brighter.
                LightVerdict::Agrees | LightVerdict::TooHigh => {
                    format!(" (the stated {} is not exceeded)", stated.unwrap_or(0))
                }
            };
            format!("{name} {}{verdict}", light_text(measured))
        };
        let cll = judged("MaxCLL", so_far.max_cll, content.map(|content| content.max_cll));
        let fall = judged("MaxFALL", so_far.max_fall, content.map(|content| content.max_fall));
        let frames = counted(so_far.frames.len() as u64, "frame");
        vec![line("light", of_frame), line("light so far", format!("{cll}, {fall}, in {frames}"))]
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use histoscope_core::histogram::Transfer;
    use histoscope_core::picture::stated_light::{ContentLight, MasteringDisplay};
    use histoscope_core::test_data;

    fn settled(light: &mut FrameLight, frame: &Frame, region: Option<Rect>) {
        let begin = Instant::now();
        while !light.follow(Some(frame), region) {
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing was measured");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn the_brightest_of_the_frames_seen_is_compared_with_the_stated_light() {
        // PQ of 148/255 is 202.4 cd/m², of 128/255 94.1, as NumPy computes.
        let frame = |pts_ticks: i64, code: u8| {
            let mut frame = test_data::gray((64, 48), |x, _| if x < 32 { code } else { 0 }).with_transfer(Transfer::Pq);
            frame.facts.pts_ticks = pts_ticks;
            frame
        };
        let mut light = FrameLight::new(Arc::new(|| {}));
        let stated = |max_cll, max_fall| StatedLight {
            content: Some(ContentLight { max_cll, max_fall }),
            ..StatedLight::default()
        };
        assert!(light.lines(&stated(100, 60)).is_empty() && light.marks(&stated(100, 60)).is_none());
        let [bright, dark] = [frame(1, 148), frame(2, 128)];
        settled(&mut light, &bright, None);
        assert!(!light.follow(Some(&bright), None), "the same frame is measured once");
        settled(&mut light, &dark, None);
        let lines = light.lines(&stated(100, 400));
        assert_eq!(lines[0].value, "peak 94.1 cd/m² at x 0 y 0, average 47.0 cd/m²");
        let marks = |max_cll, max_fall| {
            let LightMarks { peak, average } = light.marks(&stated(max_cll, max_fall)).expect("it is measured");
            (format!("{:.1} {:.1}", peak.light, average.light), [peak.is_beyond, average.is_beyond])
        };
        assert_eq!(marks(100, 40), ("94.1 47.0".to_owned(), [false, true]));
        assert_eq!(marks(80, 400).1, [true, false]);
        assert_eq!(marks(0, 0).1, [false; 2], "nothing is stated");
        let mastering = Some(MasteringDisplay { max_cd_m2: 90.0, min_cd_m2: 0.005 });
        let mastered = StatedLight { mastering, ..StatedLight::default() };
        assert!(light.marks(&mastered).expect("it is measured").peak.is_beyond);
        let so_far = "MaxCLL 202 cd/m² (the stated 100 is too low), \
                      MaxFALL 101 cd/m² (the stated 400 is not exceeded), in 2 frames";
        assert_eq!(lines[1].value, so_far);
        assert_eq!(light.lines(&stated(0, 0))[1].value, "MaxCLL 202 cd/m², MaxFALL 101 cd/m², in 2 frames");
        // A region starts again: the file states the light of the whole picture.
        settled(&mut light, &dark, Some(Rect { x: 0, y: 0, width: 8, height: 8 }));
        assert!(!light.marks(&stated(80, 40)).expect("it is measured").peak.is_beyond);
        settled(&mut light, &dark, Some(Rect { x: 40, y: 0, width: 8, height: 8 }));
        assert!(light.lines(&stated(100, 400))[1].value.starts_with("MaxCLL 0.0000 cd/m², MaxFALL"));
        assert!(light.follow(None, None) && light.lines(&stated(1, 1)).is_empty());
        assert!(!light.follow(Some(&test_data::gray((8, 8), |_, _| 9)), None), "SDR has no known light");
    }
}
