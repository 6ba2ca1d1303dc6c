use std::time::Duration;

use super::counting::ENOUGH;
use super::sampling::{SAMPLES, contrasting, samples, telling};
use super::*;
use histoscope_core::picture::color::Colorimetry;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{OwnedPlanes, Picture};
use histoscope_hud::{ChoiceOutcome, CountingView, verdict};
use histoscope_lab::{
    BlurMethod, BlurSetup, ChannelSet, DrawMethod, Method, ScanKind, ScanMethod, ScannedWords, SumSetup,
};
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::gpu::AdapterChoice;

/// Creates a frame with these samples in 8-bit Y'CbCr 4:2:0, as if from a decoder.
fn frame((width, height): (u32, u32), sample: impl Fn(usize) -> u8) -> Frame {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let planes = (0..layout.plane_count()).map(|plane| {
        let (row_bytes, rows) = layout.plane_size(plane, width, height);
        ((0..row_bytes * rows).map(|at| sample(at * 7 + plane)).collect(), row_bytes)
    });
    let planes = OwnedPlanes { planes: planes.collect() };
    let colorimetry = Colorimetry::resolve(&layout, (width, height), None, None, false);
    let picture = Picture::new(layout, (width, height), colorimetry, Arc::new(planes)).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.mp4");
    let mut decoder = Decoder::open(sample, &OpenOptions::default()).unwrap();
    Frame { picture, ..decoder.next_frame().unwrap().unwrap() }
}

fn standing(frame: &Frame) -> ScreenState<'_> {
    ScreenState { frame, is_playing: false }
}

fn noise(at: usize) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one"))
}

/// Returns the contents of the counting panel.
fn counting(lab: &Lab) -> CountingView<'_> {
    match lab.view(BarScale::Tutorial, None, Instant::now()).expect("it is open").topic {
        TopicView::Counting(view) => view,
        other => panic!("it is about something else: {other:?}"),
    }
}

/// Advances the lab until it has figures or reports why there are none.
fn outcome(lab: &mut Lab, gpu: &Arc<Gpu>, frame: &Frame) -> Result<Figures, String> {
    for _ in 0..20_000 {
        lab.advance(gpu, Some(standing(frame)), Instant::now()).expect("the device works");
        match counting(lab).outcome {
            ChoiceOutcome::Pending => std::thread::sleep(Duration::from_millis(1)),
            ChoiceOutcome::Impossible(reason) => return Err(reason.to_owned()),
            ChoiceOutcome::Done(figures) => return Ok(figures.clone()),
        }
    }
    panic!("no figures came");
}

/// Returns the number of bytes and of allocations on the adapter.
fn allocated(gpu: &Gpu) -> (u64, usize) {
    gpu.wait().expect("the device works");
    let report = gpu.device.generate_allocator_report().expect("this adapter tells of its memory");
    (report.total_allocated_bytes, report.allocations.len())
}

#[test]
fn a_closed_lab_allocates_nothing_and_closing_frees_everything() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let before = allocated(&gpu);
    let mut lab = Lab::new(None, Instant::now());
    for _ in 0..10 {
        let advanced = lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
        assert!(!advanced.has_news && advanced.wake_at.is_none() && advanced.note.is_none());
    }
    assert!(lab.view(BarScale::Tutorial, None, Instant::now()).is_none() && !lab.has_bars());
    assert_eq!(allocated(&gpu), before, "a closed lab takes memory");
    lab.toggle(Instant::now());
    for _ in 1..Method::ladder().len() {
        assert!(outcome(&mut lab, &gpu, &frame).is_ok());
        assert!(allocated(&gpu) > before, "an open one takes none");
        lab.step(true, Instant::now());
    }
    lab.toggle(Instant::now());
    assert_eq!(allocated(&gpu), before, "what it was made of is still there");
    assert_eq!(Arc::strong_count(&gpu), 1);
}

#[test]
fn every_method_but_the_race_equals_the_reference() {
    let gpu = gpu();
    for (size, bins) in [((97, 61), 256), ((6, 7), 3), ((641, 359), 100)] {
        let frame = frame(size, noise);
        let mut lab =
            Lab::new(Some(LabChoice { method: Method::Scalar, bins, ..LabChoice::default() }), Instant::now());
        for &method in Method::ladder() {
            lab.choose(LabCommand::Method(method), Instant::now());
            let figures = match outcome(&mut lab, &gpu, &frame) {
                Ok(figures) => figures,
                Err(reason) if method == Method::Subgroup => {
                    assert!(reason.contains("subgroups"), "{reason}");
                    continue;
                }
                Err(reason) => panic!("{method:?}: {reason}"),
            };
            assert!(figures.is_exact || method.races(), "{method:?} of {size:?}: {}", verdict(&figures));
            assert!(figures.lost >= 0 && figures.counted.iter().all(|channel| channel.len() == bins as usize));
            let pixels = u64::from(size.0 * size.1);
            assert!(figures.reduction.is_some() || figures.wanted == 4 * pixels, "{method:?}: {}", figures.wanted);
        }
    }
}

#[test]
fn every_method_has_the_usual_weights_of_luminance() {
    let gpu = gpu();
    let usual = frame((97, 61), noise);
    let mut other = Frame { picture: usual.picture.with_luminance(LuminanceWeights::Bt2020), ..usual.clone() };
    other.facts.pts_ticks += 1;
    let mut lab = Lab::new(Some(LabChoice::default()), Instant::now());
    for method in [Method::Atomics, Method::OursGpu, Method::OursCpu] {
        lab.choose(LabCommand::Method(method), Instant::now());
        let [usual, other] = [&usual, &other].map(|frame| outcome(&mut lab, &gpu, frame).expect("it is possible"));
        assert!(other.is_exact && other.counted == usual.counted, "{method:?}: {}", verdict(&other));
    }
}

#[test]
fn an_impossible_choice_is_reported_once_and_replaced_by_the_nearest() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let choice =
        LabChoice { method: Method::Atomics, chunk: Some((60_000, 60_000)), bins: 9000, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let told =
        lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works").note.expect("it is told");
    assert!(told.contains("60000x60000") && told.contains("9000 bins"), "{told}");
    assert!(outcome(&mut lab, &gpu, &frame).is_ok_and(|figures| figures.is_exact));
    let view = counting(&lab);
    assert_eq!(view.bins, 4096);
    assert!(view.chunk.0 < 60_000 && !view.is_usual, "{:?}", view.chunk);
    lab.choose(LabCommand::Bins(16), Instant::now());
    let advanced = lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
    assert_eq!(advanced.note, None, "the nearest is possible");
}

#[test]
fn one_frame_at_a_time_is_counted_and_a_still_frame_not_forever() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let mut now = Instant::now();
    let (mut news, mut looks) = (0, 0);
    loop {
        let advanced = lab.advance(&gpu, Some(standing(&frame)), now).expect("the device works");
        news += usize::from(advanced.has_news);
        let Some(wake_at) = advanced.wake_at else { break };
        // The adapter's work takes real time, regardless of the simulated clock.
        std::thread::sleep(Duration::from_millis(1));
        now = now.max(wake_at);
        looks += 1;
        assert!(looks < 10_000, "it counts for ever");
    }
    assert_eq!(news, ENOUGH, "a frame that stands is counted until its times have settled");
    // Another frame is counted again.
    let mut other = frame;
    other.facts.pts_ticks += 1;
    assert!(lab.advance(&gpu, Some(standing(&other)), now).expect("the device works").wake_at.is_some());
}

/// Figures and bars of another frame must not be taken for those of the frame on screen.
#[test]
fn figures_of_a_still_frame_are_its_own() {
    let (gpu, first) = (gpu(), frame((97, 61), noise));
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let of_first = outcome(&mut lab, &gpu, &first).expect("it is possible");
    let mut other = Frame { picture: frame((97, 61), |at| noise(at) / 2).picture, ..first.clone() };
    other.facts.pts_ticks += 1;
    lab.advance(&gpu, Some(standing(&other)), Instant::now()).expect("the device works");
    let view = counting(&lab);
    assert!(matches!(view.outcome, ChoiceOutcome::Pending) && view.bars.is_none(), "the first frame's: {view:?}");
    assert!(!lab.has_bars() && lab.figures().is_none() && lab.counted_text().is_none());
    let of_other = outcome(&mut lab, &gpu, &other).expect("it is possible");
    assert!(of_other.is_exact && of_other.counted != of_first.counted);
    assert!(lab.has_bars() && lab.counted_text().is_some_and(|text| !text.contains("earlier")));
    // A playing video goes on before a frame is counted; the label says so.
    lab.advance(&gpu, Some(ScreenState { frame: &first, is_playing: true }), Instant::now()).expect("the device works");
    assert!(lab.has_bars() && lab.counted_text().is_some_and(|text| text.contains("an earlier frame")));
}

#[test]
fn the_sampled_pixels_have_the_values_that_the_methods_count() {
    let frame = frame((97, 61), |_| 128);
    assert_eq!(telling(&frame.picture, 256), (0, 0), "an even picture has none that tell more than the first");
    let told = samples(&frame.picture, (0, 0), 16);
    assert_eq!(told.len(), SAMPLES as usize);
    let [r, g, b] = told[0].rgb;
    assert!(r == g && g == b && told.iter().all(|sample| *sample == told[0]), "gray: {told:?}");
    assert_eq!(told[0].bin, u32::from(r) * 16 / 256);
    // One edge in the luma, below some uniform rows.
    let edge = self::frame((97, 61), |at| match at / 7 {
        at if at < 97 * 20 => 128,
        at => (at % 97 / 3 * 40) as u8,
    });
    let (x, y) = contrasting(&edge.picture);
    let luminance = |sample: &Sample| sample.bin;
    let row = samples(&edge.picture, (x, y), 256);
    let spread = row.iter().map(luminance).max().unwrap_or(0) - row.iter().map(luminance).min().unwrap_or(0);
    assert!(y >= 20 && spread > 60, "{x}, {y}: {row:?}");
    for count in [256, 3] {
        let at = telling(&edge.picture, count);
        let bins: std::collections::BTreeSet<_> = samples(&edge.picture, at, count).iter().map(|s| s.bin).collect();
        assert!(at.1 >= 20 && bins.len() > 2, "{at:?}: {bins:?} of {count} bins");
    }
}

#[test]
fn a_software_adapter_counts_part_of_a_playing_video_and_all_of_a_still_one() {
    let (gpu, frame) = (gpu(), frame((641, 359), noise));
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let mut counted = |is_playing: bool, ticks: i64| {
        let mut frame = frame.clone();
        frame.facts.pts_ticks = ticks;
        let mut now = Instant::now();
        let mut news = 0;
        while news < 2 {
            let shown = ScreenState { frame: &frame, is_playing };
            let advanced = lab.advance(&gpu, Some(shown), now).expect("the device works");
            news += usize::from(advanced.has_news);
            std::thread::sleep(Duration::from_millis(1));
            now = advanced.wake_at.map_or(now, |wake_at| now.max(wake_at));
        }
        lab.figures().expect("there are figures").clone()
    };
    let (playing, standing) = (counted(true, 1), counted(false, 2));
    assert!(playing.is_exact && standing.is_exact);
    assert_eq!((standing.wanted, standing.reduction.as_deref()), (4 * 641 * 359, None));
    if gpu.is_software() {
        let text = playing.reduction.expect("it is told");
        assert!(text.contains("321×180 of 641×359") && text.contains("to keep the video playing"), "{text}");
        assert_eq!(playing.wanted, 4 * 321 * 180);
    }
}

/// Creates an open lab with this choice.
fn about(choice: LabChoice) -> Lab {
    Lab::new(Some(choice), Instant::now())
}

/// Advances the lab until `wanted` finds its result in the view.
fn until<T>(
    lab: &mut Lab,
    gpu: &Arc<Gpu>,
    shown: ScreenState<'_>,
    wanted: impl Fn(LabView<'_>) -> Option<T>,
) -> (T, Vec<String>) {
    let mut told = Vec::new();
    for _ in 0..30_000 {
        told.extend(lab.advance(gpu, Some(shown), Instant::now()).expect("the device works").note);
        if let Some(found) = wanted(lab.view(BarScale::Tutorial, None, Instant::now()).expect("it is open")) {
            return (found, told);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nothing came");
}

fn summed(view: LabView<'_>) -> Option<histoscope_lab::Summed> {
    match view.topic {
        TopicView::Sums(SumView { outcome: ChoiceOutcome::Done(summed), .. }) => Some(summed.clone()),
        _ => None,
    }
}

fn blurred(view: LabView<'_>) -> Option<histoscope_lab::Blurred> {
    match view.topic {
        TopicView::Blur(BlurView { outcome: ChoiceOutcome::Done(blurred), .. }) => Some(blurred.clone()),
        _ => None,
    }
}

fn drawn(view: LabView<'_>) -> Option<histoscope_lab::Drawn> {
    match view.topic {
        TopicView::Drawing(DrawView { outcome: ChoiceOutcome::Done(drawn), .. }) => Some(drawn.clone()),
        _ => None,
    }
}

/// Returns `true` if the adapter can measure the durations of passes.
fn has_times(gpu: &Gpu) -> bool {
    histoscope_render::gpu::timing::Timestamps::new(gpu, 1).is_some()
}

#[test]
fn every_prefix_sum_method_equals_the_cpu_over_real_words() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    for (number, method) in ScanMethod::ALL.into_iter().enumerate() {
        for (kind, words, length) in [
            (ScanKind::Inclusive, ScannedWords::Bins, 512),
            (ScanKind::Exclusive, ScannedWords::Pixels, 70_001 + number as u32),
        ] {
            let sums = SumSetup { method, kind, words, length };
            let mut lab = about(LabChoice { topic: Topic::PrefixSum, sums, ..LabChoice::default() });
            let (summed, told) = until(&mut lab, &gpu, standing(&frame), summed);
            assert_eq!((summed.setup, summed.wrong, summed.first_wrong), (sums, 0, None), "{told:?}");
            assert_eq!(summed.groups.iter().sum::<u32>(), 97 * 61, "each pixel is in a group");
            let levels = summed.levels.len();
            assert_eq!(summed.passes.len(), 2 * levels - 1);
            assert!(summed.passes.iter().all(|(_, time)| time.is_some() == has_times(&gpu)), "{:?}", summed.passes);
            assert_eq!(
                levels,
                if length == 512 { if summed.block == 512 { 1 } else { 2 } } else { summed.levels.len().max(2) }
            );
            assert!(told.is_empty() && !lab.has_bars());
        }
    }
}

#[test]
fn an_impossible_length_is_reported_and_replaced_by_the_nearest() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let limits = gpu.device.limits();
    let bound = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
    for (length, nearest) in [(3, 512), (u32::MAX, if gpu.is_software() { 1 << 22 } else { bound.min(1 << 26) as u32 })]
    {
        let sums = SumSetup { length, method: ScanMethod::Blelloch, ..SumSetup::default() };
        let mut lab = about(LabChoice { topic: Topic::PrefixSum, sums, ..LabChoice::default() });
        let advanced = lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
        let told = advanced.note.expect("it is told");
        assert!(
            told.starts_with(&length.to_string()) && told.ends_with(&format!("possible number is {nearest}")),
            "{told}"
        );
    }
}

#[test]
fn every_blur_method_is_the_mean_within_rounding() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    for method in BlurMethod::ALL {
        for (size, runs) in [(1, 1), (15, 1), (7, 3)] {
            let blur = BlurSetup { method, size, runs, is_playing: false };
            let mut lab = about(LabChoice { topic: Topic::Blur, blur, ..LabChoice::default() });
            let (blurred, told) = until(&mut lab, &gpu, standing(&frame), blurred);
            assert!(blurred.is_right(), "{method:?}, {size}, {runs}: {}", blur_verdict(&blurred));
            assert!(method != BlurMethod::Square || blurred.off.0 == 0);
            assert!(blurred.passes.iter().all(|(_, time)| time.is_some() == has_times(&gpu)), "{:?}", blurred.passes);
            assert_eq!((blurred.size, blurred.reduction, told.len()), ((97, 61), None, 0));
            let [after, before] = blurred.bins;
            assert!((after == before) == (size == 1), "{size}: what is counted is the blurred picture");
            assert_eq!(after[3].iter().sum::<u32>(), 97 * 61);
            assert!(lab.has_bars());
        }
    }
}

#[test]
fn one_channel_is_luminance_alone() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let choice = LabChoice { method: Method::Pairwise, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let four = outcome(&mut lab, &gpu, &frame).expect("it is possible");
    for &method in Method::ladder() {
        lab.choose(LabCommand::Method(method), Instant::now());
        lab.choose(LabCommand::Channels(ChannelSet::One), Instant::now());
        let Ok(one) = outcome(&mut lab, &gpu, &frame) else { continue };
        assert!(one.counted[..3].iter().all(Vec::is_empty), "{method:?}");
        assert!(method.races() || one.is_exact && one.counted[3].len() == 256, "{method:?}: {}", verdict(&one));
        let shown = [0, 3].map(|channel| lab.shows(Channels::one(channel)));
        assert_eq!(shown, [false, true], "{method:?}: a graph without bars");
        if one.reduction.is_none() && !method.races() {
            assert_eq!((one.wanted, &one.counted[3]), (97 * 61, &four.counted[3]), "{method:?}");
        }
    }
}

#[test]
fn other_bins_choose_other_pixels() {
    // Four codes side by side in one third of the range, and then all thirds.
    let sample = |at: usize| match at / 7 {
        at if at % 512 < 64 => 100 + (at % 4) as u8,
        at => (at * 60 % 256) as u8,
    };
    let (gpu, frame) = (gpu(), frame((512, 64), sample));
    let mut lab = about(LabChoice { method: Method::Atomics, ..LabChoice::default() });
    for bins in [256, 3, 256] {
        lab.choose(LabCommand::Bins(bins), Instant::now());
        outcome(&mut lab, &gpu, &frame).expect("it is possible");
        let view = counting(&lab);
        let found: std::collections::BTreeSet<_> = view.samples.iter().map(|sample| sample.bin).collect();
        assert!((3..=5).contains(&found.len()), "{bins} bins, at {:?}: {found:?}", view.samples_at);
        assert_eq!(view.samples_at, telling(&frame.picture, bins), "{bins} bins");
    }
    assert_ne!(telling(&frame.picture, 3), telling(&frame.picture, 256));
}

#[test]
fn what_was_measured_is_kept_for_the_predictions() {
    let (gpu, frame) = (gpu(), frame((97, 61), |_| 128));
    let mut lab = about(LabChoice::default());
    let race = outcome(&mut lab, &gpu, &frame).expect("it is possible");
    lab.choose(LabCommand::Chunk(Some((1, 1))), Instant::now());
    outcome(&mut lab, &gpu, &frame).expect("it is possible");
    lab.choose(LabCommand::Topic(Topic::Basics), Instant::now());
    lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
    let view = lab.view(BarScale::Tutorial, None, Instant::now()).expect("it is open");
    let TopicView::Basics(view) = view.topic else { panic!("it is about something else") };
    let lost = view.measured.get(LAB_LOST).copied().expect("the picture is even");
    assert!(race.lost == 0 || lost > 0.0 && lost < 1.0, "{lost} of an even picture");
    for run in ["race 16×16 256", "race 1×1 256"] {
        let time = view.measured.get(run).copied();
        assert_eq!(time.is_some_and(|time| time > 0.0), has_times(&gpu), "{run}: {time:?}");
    }
}

#[test]
fn the_pages_before_the_methods_show_pixels_of_the_frame() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let mut lab = about(LabChoice { topic: Topic::Basics, ..LabChoice::default() });
    let advance = |lab: &mut Lab, frame: &Frame| {
        lab.advance(&gpu, Some(standing(frame)), Instant::now()).expect("the device works").has_news
    };
    assert!(advance(&mut lab, &frame) && !advance(&mut lab, &frame));
    let pixels = |lab: &Lab| match lab.view(BarScale::Tutorial, None, Instant::now()).expect("it is open").topic {
        TopicView::Basics(view) => view.pixels.to_vec(),
        other => panic!("it is about something else: {other:?}"),
    };
    let [r, g, b, _] = histoscope_lab::image::codes(&frame.picture, 97 / 12, 61 / 14);
    assert_eq!((pixels(&lab).len(), pixels(&lab)[0]), (42, [r, g, b]));
    assert_eq!(lab.step(true, Instant::now()).as_deref(), Some("lab: where an invocation is"));
    assert!(!lab.has_bars());
}

#[test]
fn every_drawing_equals_the_cpu_s_and_has_the_other_s_time_beside_it() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    for (method, bins) in [(DrawMethod::PerPixel, 256), (DrawMethod::PerColumn, 3), (DrawMethod::PerPixel, 4096)] {
        let mut lab = about(LabChoice { topic: Topic::Drawing, drawing: method, bins, ..LabChoice::default() });
        let (drawn, told) = until(&mut lab, &gpu, standing(&frame), drawn);
        assert_eq!((drawn.setup.method, drawn.setup.bins, drawn.wrong), (method, bins, 0), "{told:?}");
        assert_eq!(drawn.bins.iter().sum::<u32>(), 4 * 97 * 61);
        assert!(drawn.other.0 != method && drawn.passes.len() + drawn.other.1.len() == 5);
        let passes = drawn.passes.iter().chain(&drawn.other.1);
        assert!(passes.clone().all(|(_, time)| time.is_some() == has_times(&gpu)), "{drawn:?}");
        assert!(told.is_empty() && lab.has_bars());
    }
    let mut lab = about(LabChoice { topic: Topic::Drawing, bins: 9000, ..LabChoice::default() });
    let (drawn, told) = until(&mut lab, &gpu, standing(&frame), drawn);
    assert!(drawn.setup.bins == 4096 && told[0].contains("the nearest is 4096"), "{told:?}");
}

#[test]
fn a_choice_made_during_a_run_decides_the_outcome() {
    let (gpu, frame) = (gpu(), frame((641, 359), noise));
    let mut lab = about(LabChoice { topic: Topic::Blur, ..LabChoice::default() });
    let now = Instant::now();
    for _ in 0..5 {
        lab.advance(&gpu, Some(standing(&frame)), now).expect("the device works");
        lab.change(true, true, now);
        lab.step(true, now);
    }
    let (blurred, _) = until(&mut lab, &gpu, standing(&frame), blurred);
    assert_eq!((blurred.setup.method, blurred.setup.size), (BlurMethod::Running, 25));
    // After a change of topic, nothing of the previous one remains.
    lab.choose(LabCommand::Topic(Topic::Counting), now);
    assert!(!lab.has_bars());
    assert_eq!(
        until(&mut lab, &gpu, standing(&frame), |view| matches!(view.topic, TopicView::Counting(_)).then_some(())).0,
        ()
    );
}

#[test]
fn a_software_adapter_sums_and_blurs_smaller_parts_of_a_playing_video() {
    let (gpu, frame) = (gpu(), frame((641, 359), noise));
    let playing = ScreenState { frame: &frame, is_playing: true };
    let sums = SumSetup { length: 1 << 20, ..SumSetup::default() };
    let mut lab = about(LabChoice { topic: Topic::PrefixSum, sums, ..LabChoice::default() });
    let (part, _) = until(&mut lab, &gpu, playing, summed);
    let (whole, _) = until(&mut lab, &gpu, standing(&frame), |view| summed(view).filter(|s| s.setup.length == 1 << 20));
    assert_eq!((part.wrong, whole.wrong), (0, 0));
    assert_eq!(part.setup.length < 1 << 20, gpu.is_software());
    let mut lab = about(LabChoice { topic: Topic::Blur, ..LabChoice::default() });
    let (part, _) = until(&mut lab, &gpu, playing, blurred);
    assert_eq!(part.reduction.is_some_and(|text| text.contains("to keep the video playing")), gpu.is_software());
}

#[test]
fn sums_and_blurs_leave_nothing_when_the_lab_is_closed() {
    let (gpu, frame) = (gpu(), frame((641, 359), noise));
    let before = allocated(&gpu);
    for topic in [Topic::PrefixSum, Topic::Blur, Topic::Drawing] {
        let mut lab = about(LabChoice { topic, ..LabChoice::default() });
        let has_ended = |view: LabView<'_>| {
            summed(view.clone()).is_some() || blurred(view.clone()).is_some() || drawn(view).is_some()
        };
        until(&mut lab, &gpu, standing(&frame), |view| has_ended(view).then_some(()));
        assert!(allocated(&gpu) > before, "{topic:?} takes none");
        lab.toggle(Instant::now());
        assert_eq!(allocated(&gpu), before, "{topic:?}: what it was made of is still there");
        // The same if it is closed during a run.
        lab.toggle(Instant::now());
        lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
        lab.toggle(Instant::now());
        assert_eq!((allocated(&gpu), Arc::strong_count(&gpu)), (before, 1), "{topic:?}: a run goes on");
    }
}

#[test]
fn changing_the_topic_frees_the_previous_one() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let before = allocated(&gpu);
    let mut lab = about(LabChoice::default());
    for _ in 0..2 {
        assert!(outcome(&mut lab, &gpu, &frame).is_ok());
        let counting = allocated(&gpu);
        lab.step_topic(true, Instant::now());
        until(&mut lab, &gpu, standing(&frame), |view| summed(view).map(|_| ()));
        lab.step_topic(true, Instant::now());
        until(&mut lab, &gpu, standing(&frame), |view| blurred(view).map(|_| ()));
        lab.step_topic(true, Instant::now());
        until(&mut lab, &gpu, standing(&frame), |view| drawn(view).map(|_| ()));
        lab.choose(LabCommand::Topic(Topic::Counting), Instant::now());
        assert!(outcome(&mut lab, &gpu, &frame).is_ok());
        assert_eq!(allocated(&gpu), counting, "what other topics were made of is still there");
    }
    lab.toggle(Instant::now());
    assert_eq!((allocated(&gpu), Arc::strong_count(&gpu)), (before, 1));
}

/// Advances the lab, with the file checked again, until `wanted` is fulfilled. Returns the notes.
fn followed(
    lab: &mut Lab,
    gpu: &Arc<Gpu>,
    frame: &Frame,
    wanted: impl Fn(&CountingView<'_>, &[String]) -> bool,
) -> Vec<String> {
    let mut told = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        told.extend(lab.advance(gpu, Some(standing(frame)), Instant::now()).expect("the device works").note);
        if wanted(&counting(lab), &told) {
            return told;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it did not come: {told:?}, {:?}", counting(lab).outcome);
}

#[test]
fn a_shader_of_one_s_own_counts_and_is_told_what_is_wrong_whenever_it_is_saved() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.wgsl");
    let right = Method::Atomics.shader().expect("it has WGSL").source();
    std::fs::write(&path, right.replace("], 1u)", "], 2u)")).unwrap();
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now()).with_shader(path.clone(), Instant::now());
    let twice = outcome(&mut lab, &gpu, &frame).expect("it counts");
    assert_eq!((twice.is_exact, twice.lost), (false, -4 * 97 * 61));
    assert_eq!(counting(&lab).title(), "my.wgsl");
    let is_exact = |view: &CountingView<'_>, _: &[String]| matches!(view.outcome, ChoiceOutcome::Done(f) if f.is_exact);
    std::fs::write(&path, &right).unwrap();
    assert!(followed(&mut lab, &gpu, &frame, is_exact).is_empty());
    // Another workgroup than the dispatch expects is named.
    std::fs::write(&path, right.replace("@workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)", "@workgroup_size(8, 8)"))
        .unwrap();
    let is_odd = |view: &CountingView<'_>, _: &[String]| matches!(view.outcome, ChoiceOutcome::Done(f) if !f.is_exact);
    followed(&mut lab, &gpu, &frame, is_odd);
    let ChoiceOutcome::Done(figures) = counting(&lab).outcome else { panic!("it has figures") };
    assert_eq!(figures.reduction.as_deref(), Some("my.wgsl has workgroups of 8×8, but is dispatched for 16×16"));
    assert!(figures.costs.is_empty(), "the costs of the method's own text");
    std::fs::write(&path, &right).unwrap();
    followed(&mut lab, &gpu, &frame, is_exact);
    // A fault has its line, in the panel and beside the text.
    std::fs::write(&path, right.replace("let own = bins_at", "let own = bin_at")).unwrap();
    let is_wrong = |view: &CountingView<'_>, _: &[String]| matches!(view.outcome, ChoiceOutcome::Impossible(_));
    assert!(followed(&mut lab, &gpu, &frame, is_wrong).is_empty());
    let ChoiceOutcome::Impossible(why) = counting(&lab).outcome else { panic!("it counts") };
    assert_eq!(why, "my.wgsl, line 49: no definition in scope for identifier: `bin_at`");
    assert!(!counting(&lab).measured.contains_key("my.wgsl 16×16 256"), "the time of the text before");
    assert_eq!(counting(&lab).own.and_then(|own| own.fault), Some(49));
    // Another method counts by its own text, and its time is listed beside the shader's.
    lab.step(false, Instant::now());
    assert!(outcome(&mut lab, &gpu, &frame).is_ok() && counting(&lab).own.is_none());
    assert_eq!(has_times(&gpu), counting(&lab).measured.contains_key("race 16×16 256"));
    lab.step(true, Instant::now());
    std::fs::write(&path, &right).unwrap();
    followed(&mut lab, &gpu, &frame, is_exact);
    assert_eq!(has_times(&gpu), counting(&lab).measured.contains_key("my.wgsl 16×16 256"));
    // What was measured on other pictures is forgotten, except what is about them.
    lab.choose(LabCommand::Input(Some(BenchContent::Noise)), Instant::now());
    assert!(counting(&lab).measured.is_empty());
    lab.choose(LabCommand::Input(None), Instant::now());
    // A loop without an end is stopped, and not run again until the file is saved.
    std::fs::write(&path, right.replace("    let own = ", "    loop {}\n    let own = ")).unwrap();
    let is_stopped = |view: &CountingView<'_>, _: &[String]| matches!(view.outcome, ChoiceOutcome::Impossible(why) if why.ends_with("turns and were stopped"));
    followed(&mut lab, &gpu, &frame, is_stopped);
    for _ in 0..20 {
        lab.advance(&gpu, Some(standing(&frame)), Instant::now() + Duration::from_secs(9)).expect("the device works");
        assert!(is_stopped(&counting(&lab), &[]));
    }
    // A file that is gone is reported, and its last text stays, also while the lab is closed.
    std::fs::write(&path, &right).unwrap();
    followed(&mut lab, &gpu, &frame, is_exact);
    std::fs::remove_file(&path).unwrap();
    let told = followed(&mut lab, &gpu, &frame, |_, told| !told.is_empty());
    assert_eq!(told, ["my.wgsl is gone; its last text is still used"]);
    lab.toggle(Instant::now());
    lab.toggle(Instant::now());
    assert!(outcome(&mut lab, &gpu, &frame).expect("it counts").is_exact && counting(&lab).title() == "my.wgsl");
}

#[test]
fn a_shader_that_was_running_when_the_device_was_lost_is_not_run_again() {
    let (first, second, frame) = (gpu(), gpu(), frame((641, 359), noise));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.wgsl");
    std::fs::write(&path, Method::Race.shader().expect("it has WGSL").source()).unwrap();
    let mut lab = Lab::new(Some(LabChoice::default()), Instant::now()).with_shader(path, Instant::now());
    lab.advance(&first, Some(standing(&frame)), Instant::now()).expect("the device works");
    let why = outcome(&mut lab, &second, &frame).expect_err("it is suspect");
    assert_eq!(why, "the device was lost while my.wgsl ran; save it to run it again");
}

#[test]
fn what_is_not_a_text_is_told_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.path().join(name);
        bytes.inspect(|bytes| std::fs::write(&path, bytes).unwrap());
        let own = OwnFile::open(path, Method::Race, Instant::now());
        own.shader.expect_err("it is wrong").to_string()
    };
    std::fs::create_dir(folder.path().join("folder.wgsl")).unwrap();
    assert_eq!(told("folder.wgsl", None), "folder.wgsl: it is not a file");
    assert!(told("missing.wgsl", None).starts_with("missing.wgsl: the file cannot be read: "));
    assert!(told("bytes.wgsl", Some(&[0xff, 0xfe, 0])).contains("UTF-8"));
    assert_eq!(told("long.wgsl", Some(&[b' '; 1 << 21])), "long.wgsl: the file is longer than 1048576 bytes");
    assert_eq!(told("empty.wgsl", Some(b"")), "empty.wgsl: it has no function @compute fn count");
}
