//! The marked pixels of a still picture. They are searched for once per picture and choice of marks, on a separate
//! thread, so that the window stays responsive however large the picture is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};

use crate::app::input::event::Waker;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::Components;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Interpretation, Picture, VideoId};
use histoscope_hud::MarkedView;
use histoscope_render::cpu;
use histoscope_render::view::exposure::{Exposure, MarkLimits};
use histoscope_render::view::marked::Marked;

/// The identity of a picture on screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PictureId {
    /// This frame of the video, with this interpretation.
    Source { video: VideoId, serial: u64, pts_ticks: i64, reading: Interpretation },
    /// The result of these adjustments to the frame with this load number.
    Result { loading: u64, adjustments: Adjustments },
}

impl PictureId {
    /// Returns the identity of a frame of a video.
    #[must_use]
    pub fn of_source(frame: &Frame) -> Self {
        let Frame { video, serial, .. } = *frame;
        Self::Source { video, serial, pts_ticks: frame.pts_ticks, reading: frame.interpretation() }
    }
}

/// The picture to search.
#[derive(Debug, Clone, Copy)]
pub enum MarkedPicture<'a> {
    /// No still picture.
    Nothing,
    /// An adjusted picture that is only in the adapter's memory.
    OnAdapter,
    /// This picture.
    Here(&'a Picture, PictureId),
}

/// Everything that the result of a search depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SearchSubject {
    which: PictureId,
    limits: MarkLimits,
    components: Components,
    region: Option<Rect>,
}

/// A search on a separate thread. Dropping it cancels the search.
#[derive(Debug)]
struct MarkSearch {
    is_wanted: Arc<AtomicBool>,
    answer: Receiver<Marked>,
}

impl Drop for MarkSearch {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
    }
}

#[derive(Debug)]
enum SearchState {
    Nothing,
    OnAdapter,
    Pending(SearchSubject, MarkSearch),
    Found(SearchSubject, Marked),
    /// No thread could be spawned for the search, or it ended without a result.
    Refused(SearchSubject),
}

/// The marked pixels of the picture on screen, while it is still.
pub struct MarkedPixels {
    waker: Waker,
    state: SearchState,
}

impl MarkedPixels {
    /// Starts without a search; `waker` is called whenever one has finished.
    #[must_use]
    pub const fn new(waker: Waker) -> Self {
        Self { waker, state: SearchState::Nothing }
    }

    /// Follows the picture on screen and the exposure settings. Returns whether what is known has changed.
    pub fn follow(
        &mut self,
        shown: MarkedPicture<'_>,
        exposure: &Exposure,
        (components, region): (Components, Option<Rect>),
    ) -> bool {
        let (picture, which) = match shown {
            MarkedPicture::Here(picture, which) if exposure.marks => (picture, which),
            MarkedPicture::OnAdapter if exposure.marks => {
                let is_new = !matches!(self.state, SearchState::OnAdapter);
                if is_new {
                    log::trace!("marked: not counted, since only the adapter has the picture");
                }
                self.state = SearchState::OnAdapter;
                return is_new;
            }
            _ => {
                let is_new = !matches!(self.state, SearchState::Nothing);
                self.state = SearchState::Nothing;
                return is_new;
            }
        };
        let subject = SearchSubject { which, limits: exposure.limits, components, region };
        let next = match &self.state {
            SearchState::Found(known, _) | SearchState::Refused(known) if *known == subject => return false,
            SearchState::Pending(sought, search) if *sought == subject => match search.answer.try_recv() {
                Ok(marked) => {
                    let (pixels, all) = (marked.pixels, marked.looked_at);
                    log::trace!("marked: {pixels} of {all} pixels, first {:?}", marked.places.first());
                    SearchState::Found(subject, marked)
                }
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => SearchState::Refused(subject),
            },
            // A pending search for anything else is cancelled, and its answer ignored.
            _ => match search(picture, exposure, (components, region), &self.waker) {
                Ok(search) => SearchState::Pending(subject, search),
                Err(error) => {
                    log::warn!("marked pixels are not counted: {error}");
                    SearchState::Refused(subject)
                }
            },
        };
        self.state = next;
        true
    }

    /// Returns the marked pixels, as far as they are known.
    #[must_use]
    pub const fn view(&self) -> MarkedView<'_> {
        match &self.state {
            SearchState::Nothing | SearchState::Refused(_) => MarkedView::NotCounted,
            SearchState::OnAdapter => MarkedView::OnAdapter,
            SearchState::Pending(..) => MarkedView::Pending,
            SearchState::Found(_, marked) => MarkedView::Found(marked),
        }
    }

    /// Forgets the marked pixels: on a new device, load numbers start again.
    pub fn forget(&mut self) {
        self.state = SearchState::Nothing;
    }
}

/// Starts searching a picture, or a region of it.
fn search(
    picture: &Picture,
    exposure: &Exposure,
    (components, region): (Components, Option<Rect>),
    waker: &Waker,
) -> std::io::Result<MarkSearch> {
    let (sender, answer) = mpsc::channel();
    let is_wanted = Arc::new(AtomicBool::new(true));
    let search = MarkSearch { is_wanted: Arc::clone(&is_wanted), answer };
    let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
    let inspection = exposure.inspection_for(picture.layout(), picture.colorimetry(), components, None);
    let (picture, waker) = (picture.clone(), Arc::clone(waker));
    let look = move || {
        let rect = region.unwrap_or(all);
        let goes_on = || is_wanted.load(Ordering::Relaxed);
        if let Some(marked) = inspection.and_then(|inspection| cpu::find_marked(&picture, &inspection, rect, goes_on)) {
            // The receiver is gone if another picture has arrived.
            let _ = sender.send(marked);
            waker();
        }
    };
    std::thread::Builder::new().name("histoscope-marks".to_owned()).spawn(look)?;
    Ok(search)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use histoscope_core::test_data;
    use histoscope_render::view::exposure::{FalseColor, FalseColorTable, Peaking, Unit};

    const MARKS: Exposure = Exposure {
        zebra: false,
        level: histoscope_render::view::exposure::Level::Permille(950),
        marks: true,
        limits: MarkLimits::Clipped,
        false_color: FalseColor { shown: false, table: FalseColorTable::Camera, unit: Unit::Percent },
        peaking: Peaking::Off,
    };
    const ALL: (Components, Option<Rect>) = (Components::Rgbl, None);

    /// Returns a gray 4K picture with this many white pixels.
    fn picture(white: usize) -> (Picture, PictureId) {
        let gray = |x: u32, y: u32| if ((y * 3840 + x) as usize) < white { 255 } else { 100 };
        let frame = test_data::gray((3840, 2160), gray);
        let reading = frame.interpretation();
        let which = PictureId::Source { video: frame.video, serial: 0, pts_ticks: white as i64, reading };
        (frame.picture, which)
    }

    fn marked(pixels: &MarkedPixels) -> Option<u64> {
        if let MarkedView::Found(marked) = pixels.view() { Some(marked.pixels) } else { None }
    }

    /// Follows until something is found.
    fn found(pixels: &mut MarkedPixels, (picture, which): &(Picture, PictureId)) -> u64 {
        let begin = Instant::now();
        loop {
            pixels.follow(MarkedPicture::Here(picture, *which), &MARKS, ALL);
            if let Some(count) = marked(pixels) {
                return count;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing was found: {:?}", pixels.state);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn the_window_continues_during_a_search_and_is_woken_at_its_end() {
        let (sender, woken) = mpsc::channel();
        let mut pixels = MarkedPixels::new(Arc::new(move || _ = sender.send(())));
        let shown = picture(7);
        assert!(pixels.follow(MarkedPicture::Here(&shown.0, shown.1), &MARKS, ALL), "begun");
        assert!(matches!(pixels.view(), MarkedView::Pending), "{:?}", pixels.state);
        woken.recv_timeout(Duration::from_secs(60)).expect("the window is woken");
        assert!(pixels.follow(MarkedPicture::Here(&shown.0, shown.1), &MARKS, ALL), "found");
        assert_eq!(marked(&pixels), Some(7));
        assert!(!pixels.follow(MarkedPicture::Here(&shown.0, shown.1), &MARKS, ALL), "nothing new");
        let exposure = Exposure { limits: MarkLimits::R103, ..MARKS };
        assert!(pixels.follow(MarkedPicture::Here(&shown.0, shown.1), &exposure, ALL), "of something else");
        assert_eq!(marked(&pixels), None);
        assert!(pixels.follow(MarkedPicture::OnAdapter, &MARKS, ALL) && matches!(pixels.view(), MarkedView::OnAdapter));
        assert!(pixels.follow(MarkedPicture::Nothing, &MARKS, ALL) && matches!(pixels.view(), MarkedView::NotCounted));
    }

    #[test]
    fn an_answer_for_an_older_picture_is_never_shown() {
        let mut pixels = MarkedPixels::new(Arc::new(|| {}));
        let [first, second] = [picture(7), picture(11)];
        for _ in 0..3 {
            pixels.follow(MarkedPicture::Here(&first.0, first.1), &MARKS, ALL);
            // Even if the first answer has arrived before anyone polls for it.
            std::thread::sleep(Duration::from_millis(if matches!(pixels.view(), MarkedView::Pending) {
                300
            } else {
                0
            }));
            pixels.follow(MarkedPicture::Here(&second.0, second.1), &MARKS, ALL);
            assert_eq!(marked(&pixels), None);
            assert_eq!(found(&mut pixels, &second), 11);
        }
        assert_eq!(found(&mut pixels, &first), 7);
    }

    #[test]
    fn an_abandoned_search_is_cancelled() {
        let mut pixels = MarkedPixels::new(Arc::new(|| {}));
        let shown = picture(7);
        pixels.follow(MarkedPicture::Here(&shown.0, shown.1), &MARKS, ALL);
        let SearchState::Pending(_, search) = &pixels.state else { panic!("{:?}", pixels.state) };
        let is_wanted = Arc::clone(&search.is_wanted);
        pixels.follow(MarkedPicture::Nothing, &MARKS, ALL);
        assert!(!is_wanted.load(Ordering::Relaxed));
        let (picture, _) = shown;
        let inspection = MARKS
            .inspection_for(picture.layout(), picture.colorimetry(), Components::Rgbl, None)
            .expect("marks are on");
        let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
        assert_eq!(cpu::find_marked(&picture, &inspection, all, || false), None);
    }
}
