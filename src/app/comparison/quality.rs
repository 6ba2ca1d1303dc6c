//! PSNR and SSIM of the compared frame. They are computed while the picture is still, on a separate thread, so that
//! neither playback nor the controls wait for them.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use crate::app::input::event::Waker;
use crate::app::measure::marked::PictureId;
use histoscope_batch::analyze::comparison::{ComparedPlane, all_differences, all_ssim, plane_names};
use histoscope_core::compare::{Unlike, planes, ssim};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture, PictureError};

/// Everything that the figures depend on: both pictures, and the region.
type Subject = ([PictureId; 2], Option<Rect>);

/// The picture that a compared frame was measured against, and the region.
pub type MeasuredOf = (PictureId, Option<Rect>);

#[derive(Debug)]
enum State {
    /// Nothing is to be measured.
    Idle,
    /// The frames are moving.
    Moving,
    Pending(Subject, Receiver<Vec<String>>),
    Known(Subject, Vec<String>),
}

/// Measures the compared frame against the frame on screen.
pub struct QualityMeter {
    waker: Waker,
    state: State,
}

/// The frames to measure.
#[derive(Debug, Clone, Copy)]
pub enum MeasuredPair<'a> {
    /// No frames, or nobody is looking at the figures.
    None,
    /// Frames that will be replaced right away.
    Moving,
    /// The frame on screen, and the compared frame.
    Still([&'a Frame; 2]),
}

impl QualityMeter {
    /// Creates a meter. `waker` is called whenever a measurement has finished.
    #[must_use]
    pub const fn new(waker: Waker) -> Self {
        Self { waker, state: State::Idle }
    }

    /// Follows the frames on screen and the region. Returns `true` if the lines have changed.
    pub fn follow(&mut self, pair: MeasuredPair<'_>, region: Option<Rect>) -> bool {
        let frames = match pair {
            MeasuredPair::None => {
                return !matches!(std::mem::replace(&mut self.state, State::Idle), State::Idle);
            }
            MeasuredPair::Moving => {
                return !matches!(std::mem::replace(&mut self.state, State::Moving), State::Moving);
            }
            MeasuredPair::Still(frames) => frames,
        };
        let subject = (frames.map(PictureId::of_source), region);
        self.state = match &self.state {
            State::Known(known, _) if *known == subject => return false,
            State::Pending(pending, answer) if *pending == subject => match answer.try_recv() {
                Ok(lines) => State::Known(subject, lines),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => State::Known(subject, Vec::new()),
            },
            // The answer to a measurement of other frames is ignored.
            _ => match measure(frames, region, &self.waker) {
                Ok(answer) => State::Pending(subject, answer),
                Err(error) => {
                    log::warn!("PSNR and SSIM are not computed: {error}");
                    State::Known(subject, Vec::new())
                }
            },
        };
        true
    }

    /// Returns PSNR and SSIM of the whole pictures in one line, and what was measured against, if they are known.
    #[must_use]
    pub fn summary(&self) -> Option<(MeasuredOf, String)> {
        let State::Known(([live, _], region), lines) = &self.state else { return None };
        // Before the colon, a line is about all planes.
        let parts: Vec<_> = lines.iter().filter_map(|line| line.split_once(": ")).map(|(whole, _)| whole).collect();
        (!parts.is_empty()).then(|| ((*live, *region), parts.join(", ")))
    }

    /// Returns the figures as lines of text, or a line that says why there are none yet.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match &self.state {
            State::Idle => Vec::new(),
            State::Moving => vec!["PSNR and SSIM: in a pause".to_owned()],
            State::Pending(..) => vec!["PSNR and SSIM: …".to_owned()],
            State::Known(_, lines) => lines.clone(),
        }
    }
}

fn measure(frames: [&Frame; 2], region: Option<Rect>, waker: &Waker) -> std::io::Result<Receiver<Vec<String>>> {
    let (sender, answer) = mpsc::channel();
    let pictures = frames.map(|frame| frame.picture.clone());
    let waker = Arc::clone(waker);
    let work = move || {
        let [ours, theirs] = &pictures;
        // The receiver is gone if other frames are on screen.
        let _ = sender.send(lines([ours.decoded(), theirs.decoded()], region));
        waker();
    };
    std::thread::Builder::new().name("histoscope-quality".to_owned()).spawn(work)?;
    Ok(answer)
}

/// Measures two pictures. Returns a line for PSNR and one for SSIM, or one that says why they cannot be measured.
fn lines(pictures: [&Picture; 2], region: Option<Rect>) -> Vec<String> {
    if let Some(unlike) = Unlike::of(pictures[0], pictures[1]) {
        return vec![format!("no PSNR and SSIM: {unlike}")];
    }
    let compared = match compare(pictures, region) {
        Ok(compared) => compared,
        Err(error) => return vec![format!("no PSNR and SSIM: {error}")],
    };
    let layout = pictures[0].layout();
    let line = |name: &str, whole: String, of_plane: &dyn Fn(&ComparedPlane) -> String| {
        let planes = plane_names(layout.model).iter().zip(&compared);
        let planes: Vec<_> = planes.map(|(name, plane)| format!("{name} {}", of_plane(plane))).collect();
        format!("{name} {whole}: {}", planes.join(", "))
    };
    let noise = |psnr: Option<f64>| psnr.map_or_else(|| "∞".to_owned(), |psnr| format!("{psnr:.2}"));
    let all = all_differences(&compared).unwrap_or_default();
    let similarity = |ssim: Option<f64>| ssim.map_or_else(|| "–".to_owned(), |ssim| format!("{ssim:.4}"));
    vec![
        line("PSNR", format!("{} dB", noise(all.psnr(layout.depth))), &|plane| {
            noise(plane.difference.psnr(layout.depth))
        }),
        line("SSIM", similarity(all_ssim(&compared)), &|plane| similarity(plane.ssim.mean())),
    ]
}

fn compare(pictures: [&Picture; 2], region: Option<Rect>) -> Result<Vec<ComparedPlane>, PictureError> {
    let differences = planes::differences(pictures, region)?;
    let similarities = ssim::similarities(pictures, region)?;
    Ok(differences.into_iter().zip(similarities).map(|(difference, ssim)| ComparedPlane { difference, ssim }).collect())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use histoscope_core::test_data;

    #[test]
    fn figures_belong_to_the_frames_on_screen() {
        let [first, second] = [0, 16].map(|more: u8| test_data::gray((64, 48), |x, y| (x + y) as u8 + more));
        let mut meter = QualityMeter::new(Arc::new(|| {}));
        assert!(!meter.follow(MeasuredPair::None, None) && meter.lines().is_empty());
        let settled = |meter: &mut QualityMeter, pair, region| {
            let begun = Instant::now();
            while matches!(meter.state, State::Pending(..)) && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(2));
                meter.follow(pair, region);
            }
            meter.lines()
        };
        let pair = MeasuredPair::Still([&first, &second]);
        assert!(meter.follow(pair, None));
        let lines = settled(&mut meter, pair, None);
        // 20 lg(255 / 16)
        assert_eq!(lines[0], "PSNR 24.05 dB: y 24.05");
        assert!(lines[1].starts_with("SSIM 0."), "{lines:?}");
        assert!(!meter.follow(pair, None), "nothing new");
        let same = MeasuredPair::Still([&first, &first]);
        assert!(meter.follow(MeasuredPair::Moving, None));
        assert_eq!(meter.lines(), ["PSNR and SSIM: in a pause"]);
        let region = Some(Rect { x: 1, y: 1, width: 7, height: 40 });
        assert!(meter.follow(same, region));
        assert_eq!(settled(&mut meter, same, region), ["PSNR ∞ dB: y ∞", "SSIM –: y –"]);
    }

    #[test]
    fn pictures_that_cannot_be_compared_are_explained() {
        let [first, second] = [(64, 48), (32, 48)].map(|size| test_data::gray(size, |_, _| 9).picture);
        assert_eq!(lines([&first, &second], None), ["no PSNR and SSIM: their sizes differ, 64×48 and 32×48"]);
    }
}
