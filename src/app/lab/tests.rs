use super::*;
use crate::gpu::AdapterChoice;
use crate::lab::Method;
use crate::media::{Decoder, OpenOptions};
use crate::picture::OwnedPlanes;
use crate::picture::color::Colorimetry;
use crate::picture::layout::PixelLayout;

/// A frame of these samples in 8-bit Y'CbCr 4:2:0, as a decoder would give it.
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

fn standing(frame: &Frame) -> Shown<'_> {
    Shown { frame, is_playing: false }
}

fn noise(at: usize) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one"))
}

/// Looks at the lab until it has figures, or says why there are none.
fn outcome(lab: &mut Lab, gpu: &Arc<Gpu>, frame: &Frame) -> Result<Figures, String> {
    for _ in 0..20_000 {
        lab.advance(gpu, Some(standing(frame)), Instant::now()).expect("the device works");
        match lab.view(false, Instant::now()).expect("it is open").outcome {
            Outcome::UnderWay => std::thread::sleep(Duration::from_millis(1)),
            Outcome::Impossible(reason) => return Err(reason.to_owned()),
            Outcome::Counted(figures) => return Ok(figures.clone()),
        }
    }
    panic!("no figures came");
}

/// Bytes and pieces of memory that the adapter has given out.
fn allocated(gpu: &Gpu) -> (u64, usize) {
    gpu.wait().expect("the device works");
    let report = gpu.device.generate_allocator_report().expect("this adapter tells of its memory");
    (report.total_allocated_bytes, report.allocations.len())
}

#[test]
fn a_closed_lab_makes_nothing_and_an_open_one_leaves_nothing() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let before = allocated(&gpu);
    let mut lab = Lab::new(None, Instant::now());
    for _ in 0..10 {
        let advanced = lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
        assert!(!advanced.has_news && advanced.wake_at.is_none() && advanced.told.is_none());
    }
    assert!(lab.view(false, Instant::now()).is_none() && !lab.has_bars());
    assert_eq!(allocated(&gpu), before, "a closed lab takes memory");
    lab.toggle(Instant::now());
    for _ in 1..Method::ladder().len() {
        assert!(outcome(&mut lab, &gpu, &frame).is_ok());
        assert!(allocated(&gpu) > before, "an open one takes none");
        lab.step(true);
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
        let mut lab = Lab::new(Some(LabChoice { method: Method::Scalar, chunk: None, bins }), Instant::now());
        for &method in Method::ladder() {
            lab.choose(LabCommand::Method(method));
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
fn what_the_adapter_cannot_do_is_told_once_and_the_nearest_taken() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let choice = LabChoice { method: Method::Atomics, chunk: Some((60_000, 60_000)), bins: 9000 };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let told =
        lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works").told.expect("it is told");
    assert!(told.contains("60000x60000") && told.contains("9000 bins"), "{told}");
    assert!(outcome(&mut lab, &gpu, &frame).is_ok_and(|figures| figures.is_exact));
    let view = lab.view(false, Instant::now()).expect("it is open");
    assert_eq!(view.bins, 4096);
    assert!(view.chunk.0 < 60_000 && !view.is_usual, "{:?}", view.chunk);
    lab.choose(LabCommand::Bins(16));
    let advanced = lab.advance(&gpu, Some(standing(&frame)), Instant::now()).expect("the device works");
    assert_eq!(advanced.told, None, "the nearest is possible");
}

#[test]
fn one_frame_at_a_time_is_counted_and_one_that_stands_not_for_ever() {
    let (gpu, frame) = (gpu(), frame((97, 61), noise));
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let mut now = Instant::now();
    let (mut news, mut looks) = (0, 0);
    loop {
        let advanced = lab.advance(&gpu, Some(standing(&frame)), now).expect("the device works");
        news += usize::from(advanced.has_news);
        let Some(wake_at) = advanced.wake_at else { break };
        // What the adapter does takes its time, whatever the clock here says.
        std::thread::sleep(Duration::from_millis(1));
        now = now.max(wake_at);
        looks += 1;
        assert!(looks < 10_000, "it counts for ever");
    }
    assert_eq!(news, ENOUGH, "a frame that stands is counted until its times have settled");
    // Another frame is counted again.
    let other = Frame { pts_ticks: frame.pts_ticks + 1, ..frame };
    assert!(lab.advance(&gpu, Some(standing(&other)), now).expect("the device works").wake_at.is_some());
}

#[test]
fn the_first_pixels_are_told_as_the_methods_count_them() {
    let frame = frame((97, 61), |_| 128);
    assert_eq!(telling(&frame.picture), (0, 0), "an even picture has none that tell more than the first");
    let told = samples(&frame.picture, (0, 0), 16);
    assert_eq!(told.len(), SAMPLES as usize);
    let [r, g, b] = told[0].rgb;
    assert!(r == g && g == b && told.iter().all(|sample| *sample == told[0]), "gray: {told:?}");
    assert_eq!(told[0].bin, u32::from(r) * 16 / 256);
    // One edge in the luma, behind some even rows.
    let edge = self::frame((97, 61), |at| match at / 7 {
        at if at < 97 * 20 => 128,
        at => (at % 97 / 3 * 40) as u8,
    });
    let (x, y) = telling(&edge.picture);
    let bins: std::collections::BTreeSet<_> = samples(&edge.picture, (x, y), 256).iter().map(|s| s.bin).collect();
    assert!(y >= 20 && bins.len() > 2, "{x}, {y}: {bins:?}");
}

#[test]
fn a_software_adapter_counts_a_part_of_a_playing_video_and_all_of_one_that_stands() {
    let (gpu, frame) = (gpu(), frame((641, 359), noise));
    let choice = LabChoice { method: Method::Atomics, ..LabChoice::default() };
    let mut lab = Lab::new(Some(choice), Instant::now());
    let mut counted = |is_playing: bool, ticks: i64| {
        let frame = Frame { pts_ticks: ticks, ..frame.clone() };
        let mut now = Instant::now();
        let mut news = 0;
        while news < 2 {
            let shown = Shown { frame: &frame, is_playing };
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
        assert!(text.contains("321×180 of 641×359") && text.contains("so that the video plays on"), "{text}");
        assert_eq!(playing.wanted, 4 * 321 * 180);
    }
}
