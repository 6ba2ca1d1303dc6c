//! The adapter's answers belong to the video that they were requested for. After another file is loaded, no counts of
//! the one before are reported for it, whether they had arrived or were under way.

use std::time::{Duration, Instant};

use histoscope_core::adjust::{Adjustments, ClassDisplay, Otsu, Reduction};
use histoscope_core::histogram::{CHANNELS, Components, reference};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Frame, VideoId};
use histoscope_render::engine::{CountQuestion, Renderer, ScopeAnswer};
use histoscope_render::gpu::{FiguresState, Gpu, Scene};
use histoscope_render::view::brushes::{Brushes, WaveformBrush};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::scene::{Brush, Look};
use histoscope_render::view::scopes::ScopeStyle;

use crate::studio::{self, Studio, WAYS, Way};
use crate::support::{colorimetry, noise};

const SIZE: (u32, u32) = (71, 43);
const QUESTION: CountQuestion = CountQuestion::Column([35; CHANNELS]);
const PATIENCE: Duration = Duration::from_secs(20);

/// Makes a frame of a video of this depth. The frames of two videos have equal times, numbers and serials.
fn frame(video: VideoId, bits: u32, number: u64) -> Frame {
    let layout = PixelLayout::planar_ycbcr(bits as u8, (1, 1));
    let picture = noise(layout, SIZE, colorimetry(Matrix::Bt709, Range::Limited), 0, number + u64::from(bits));
    Frame { video, ..studio::frame(picture, 3, number) }
}

fn scene() -> Scene {
    let scopes = ScopeStyle { waveform: true, ..ScopeStyle::default() };
    let reduction = Some(Reduction::Otsu(Otsu { classes: 3, shown: ClassDisplay::Tones }));
    let range = Brush { channels: Channels::ALL, low: 0, high: 200 };
    let waveform = Some(WaveformBrush { range, columns: [0, 35], column_count: SIZE.0 });
    let brushes = Brushes { waveform, ..Brushes::default() };
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    Scene {
        look: Look { scopes, adjustments, counted: histoscope_render::view::scene::Counted::Source, ..Look::default() },
        brushes,
        ..Scene::default()
    }
}

/// The numbers reported for the loaded frame.
#[derive(Debug, PartialEq)]
struct Told {
    column: Option<ScopeAnswer>,
    brushed: Option<(u32, u64)>,
    thresholds: Option<[u32; 4]>,
    is_timed: bool,
}

impl Told {
    fn of(gpu: &Gpu, renderer: &mut Renderer) -> Self {
        Self {
            column: renderer.ask_scope(gpu, QUESTION),
            brushed: renderer.ask_brushed(gpu, scene().brushes),
            thresholds: renderer.thresholds(),
            is_timed: renderer.pass_times().is_some_and(|(times, _)| times.draw.or(times.cpu_paint).is_some()),
        }
    }

    /// Returns all numbers, once nothing is under way any more.
    fn awaited(gpu: &Gpu, renderer: &mut Renderer) -> Self {
        let begin = Instant::now();
        loop {
            let told = Self::of(gpu, renderer);
            let is_pending = renderer.is_histogram_pending()
                || renderer.poll_scope(gpu) == FiguresState::InFlight
                || renderer.poll_times(gpu) == FiguresState::InFlight;
            if !is_pending && told.column.is_some() && told.brushed.is_some() && told.thresholds.is_some() {
                return told;
            }
            assert!(begin.elapsed() < PATIENCE, "it never came: {told:?}");
            renderer.poll_histogram(gpu);
        }
    }
}

const NOTHING: Told = Told { column: None, brushed: None, thresholds: None, is_timed: false };

/// Loads a frame and draws it.
fn show(studio: &mut Studio, way: Way, frame: &Frame) {
    studio.load_frame(way, frame);
    studio.snapshot(way, (640, 360), &scene());
}

#[test]
fn nothing_of_another_video_is_told() {
    let mut studio = Studio::get();
    for way in WAYS {
        for (bits, next) in [(8, 10), (10, 8), (8, 8)] {
            let [first, second] = [VideoId::next(), VideoId::next()];
            let (renderer, gpu) = studio.renderer(way);
            renderer.set_timing(gpu, true);
            show(&mut studio, way, &frame(first, bits, 1));
            let (renderer, gpu) = studio.renderer(way);
            let told = Told::awaited(gpu, renderer);
            assert_eq!(told.column.map(|answer| answer.counts.len()), Some(CHANNELS << bits), "{way:?}");

            // The arrived numbers belong to a video that is no longer on screen.
            let what = format!("{way:?}, {bits} to {next} bits");
            studio.load_frame(way, &frame(second, next, 1));
            let (renderer, gpu) = studio.renderer(way);
            assert_eq!(Told::of(gpu, renderer), NOTHING, "{what}: it was loaded");
            studio.snapshot(way, (640, 360), &scene());
            let (renderer, gpu) = studio.renderer(way);
            // The reported numbers belong to this video, whenever they arrive.
            let own = Told::awaited(gpu, renderer);
            let fresh = {
                let mut other = Studio::new();
                show(&mut other, way, &frame(second, next, 1));
                let (renderer, gpu) = other.renderer(way);
                Told::awaited(gpu, renderer)
            };
            assert_eq!(
                (own.column, own.brushed, own.thresholds),
                (fresh.column, fresh.brushed, fresh.thresholds),
                "{what}"
            );
        }
    }
}

#[test]
fn what_is_under_way_when_another_video_comes_is_never_told_of_it() {
    let mut studio = Studio::get();
    for way in WAYS {
        let [first, second] = [VideoId::next(), VideoId::next()];
        let (before, after) = (frame(first, 8, 1), frame(second, 8, 1));
        show(&mut studio, way, &before);
        let (renderer, gpu) = studio.renderer(way);
        // Everything is requested, but nothing is read before the next video is loaded.
        renderer.request_histogram(gpu);
        Told::of(gpu, renderer);
        show(&mut studio, way, &after);
        let (renderer, gpu) = studio.renderer(way);
        renderer.request_histogram(gpu);
        let bins = reference::histogram(&after.picture, Components::Rgbl).cumulative();
        let begin = Instant::now();
        loop {
            if let Some((tag, sums)) = renderer.poll_histogram(gpu) {
                assert!(tag.video == second && sums == bins, "{way:?}: bins of {tag:?}");
                break;
            }
            assert!(begin.elapsed() < PATIENCE, "{way:?}: no bins");
        }
        let told = Told::awaited(gpu, renderer);
        let column = told.column.expect("it came");
        let waveform = histoscope_core::scopes::reference::waveform(
            &after.picture,
            histoscope_core::picture::region::Rect::whole(SIZE.0, SIZE.1),
            Components::Rgbl,
        );
        for channel in 0..CHANNELS {
            let counts = waveform.column(channel, 35);
            assert!((0..256).all(|level| column.count(channel, level) == Some(counts[level as usize])), "{way:?}");
            assert_eq!(column.count(channel, 256), None);
        }
    }
}

/// While a video plays, numbers stay on screen until those of the next frame arrive.
#[test]
fn what_was_counted_of_an_earlier_frame_of_the_video_is_told_meanwhile() {
    let mut studio = Studio::get();
    let way = WAYS[0];
    let video = VideoId::next();
    show(&mut studio, way, &frame(video, 8, 1));
    let (renderer, gpu) = studio.renderer(way);
    let told = Told::awaited(gpu, renderer);
    studio.load_frame(way, &frame(video, 8, 2));
    let (renderer, gpu) = studio.renderer(way);
    let meanwhile = Told::of(gpu, renderer);
    assert_eq!((meanwhile.column, meanwhile.brushed), (told.column, told.brushed));
    assert_eq!(meanwhile.thresholds, told.thresholds);
}
