//! The adapter and the CPU give equal counts, whatever adjustments come first. The CPU takes what the adapter cannot.

use std::collections::VecDeque;
use std::sync::Arc;

use histoscope_core::adjust::{
    self, Adjustments, Blur, CameraLog, Clahe, ClassDisplay, Equalize, Lut, Otsu, Placing, Posterize, Reduction, Tone,
};
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::{Rect, parts};
use histoscope_core::scopes::{self, Chroma, Diagram, ScopeChoice, ScopeCounts, ScopeSums, ScopeTally};
use histoscope_render::engine::{Counter, Counts, Engine, EngineChoice};
use histoscope_render::gpu::{AdapterChoice, Gpu};

use crate::support::{colorimetry, lut, native_layouts, natural, noise};

/// Returns the device that all tests share.
fn gpu() -> Arc<Gpu> {
    Gpu::shared(&AdapterChoice::default()).expect("an adapter, if only a software one")
}

/// Returns each adjustment alone, then chains of them.
fn adjustments() -> Vec<Adjustments> {
    let off = Adjustments::default();
    let equalize = |per_channel| Some(Tone::Equalize(Equalize { per_channel, time_constant_secs: 0.0 }));
    let clahe = Some(Tone::Clahe(Clahe { tiles: (3, 2), clip_limit: 3.0 }));
    let posterize = |placing| Some(Reduction::Posterize(Posterize { levels: 5, placing }));
    let classes = |classes| Some(Reduction::Otsu(Otsu { classes, shown: ClassDisplay::Colors }));
    let blur = Some(Blur { size: 5, runs: 2 });
    let lut = Some(lut(5, 1));
    vec![
        off,
        Adjustments { lut, ..off },
        Adjustments { lut: Some(Lut::of_camera(CameraLog::VLog)), ..off },
        Adjustments { blur, ..off },
        Adjustments { tone: equalize(false), ..off },
        Adjustments { tone: equalize(true), ..off },
        Adjustments { tone: clahe, ..off },
        Adjustments { reduction: posterize(Placing::Width), ..off },
        Adjustments { reduction: posterize(Placing::Population), ..off },
        Adjustments { reduction: classes(2), ..off },
        Adjustments { blur, tone: equalize(false), ..off },
        Adjustments { tone: clahe, reduction: classes(4), ..off },
        Adjustments { blur, tone: equalize(true), reduction: posterize(Placing::Population), ..off },
        Adjustments { lut, blur, tone: clahe, reduction: classes(5) },
    ]
}

/// Returns regions of a picture of this size: all of it, corners, single rows and columns, odd positions.
fn regions((width, height): (u32, u32)) -> Vec<Option<Rect>> {
    let rect = |x, y, width, height| Some(Rect { x, y, width, height });
    vec![
        None,
        rect(0, 0, width, height),
        rect(0, 0, 1, 1),
        rect(width - 1, height - 1, 1, 1),
        rect(width / 3, 0, width - width / 3, height),
        rect(0, height / 2, width, 1),
        rect(width / 2, height / 3, width / 2, height / 2),
    ]
}

fn color(layout: &PixelLayout) -> Colorimetry {
    let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 };
    colorimetry(matrix, Range::Limited)
}

/// Returns the counts of the slow definitions.
fn expected(picture: &Picture, adjustments: &Adjustments, region: Option<Rect>) -> Vec<u32> {
    let picture = if adjustments.is_off() {
        picture.clone()
    } else {
        let adjustments = adjustments.for_range(picture.colorimetry().range.value);
        adjust::reference::apply(adjust::reference::codes(picture), &adjustments).picture().unwrap()
    };
    let rect = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
    let counted = parts(&picture, rect).unwrap();
    let histograms = counted.iter().map(|part| reference::histogram(part, Components::Rgbl).words);
    histograms.reduce(|sum, words| sum.iter().zip(&words).map(|(a, b)| a + b).collect()).unwrap()
}

/// Counts pictures as a run does, with as many under way as the counter accepts.
fn count(counter: &mut Counter, pictures: &[(Picture, Option<Rect>)]) -> Vec<Counts> {
    let mut counts = Vec::new();
    let mut under_way = VecDeque::new();
    for (picture, region) in pictures {
        counter.submit_picture(picture, *region).unwrap();
        under_way.push_back(());
        while counter.is_full() {
            under_way.pop_front().expect("a counter without pictures is not full");
            counts.push(counter.take().unwrap().unwrap());
        }
    }
    while let Some(counted) = counter.take().unwrap() {
        counts.push(counted);
    }
    counts
}

/// Counts several kinds of pictures in turn with both engines, and compares with the slow definitions.
fn check(name: &str, pictures: &[(Picture, Option<Rect>)], adjustments: Adjustments) {
    let mut by_adapter = Counter::new(&Engine::on(EngineChoice::Gpu, &gpu()), &[Components::Rgbl], adjustments);
    let mut by_cpu = Counter::new(&Engine::cpu(), &[Components::Rgbl], adjustments);
    let (by_adapter, by_cpu) = (count(&mut by_adapter, pictures), count(&mut by_cpu, pictures));
    assert_eq!((by_adapter.len(), by_cpu.len()), (pictures.len(), pictures.len()));
    for (((picture, region), gpu), cpu) in pictures.iter().zip(&by_adapter).zip(&by_cpu) {
        let name = format!("{name}, {:?} {region:?}, {adjustments}", (picture.width(), picture.height()));
        assert_eq!((gpu.engine, cpu.engine), ("gpu", "cpu"), "{name}");
        assert!(gpu.histograms == cpu.histograms, "{name}: the engines differ");
        assert_eq!(gpu.thresholds, cpu.thresholds, "{name}");
        let has_thresholds = adjustments.have_thresholds();
        assert_eq!(gpu.thresholds.is_some(), has_thresholds, "{name}");
        assert!(gpu.histograms[0].words == expected(picture, &adjustments, *region), "{name}: the definition differs");
    }
}

#[test]
fn every_adjustment_depth_size_and_region_is_counted_alike() {
    const SIZES: [(u32, u32); 3] = [(67, 41), (3, 2), (130, 77)];
    // Samples of 12 bits have the same memory layout as those of 10, in all sizes and regions.
    for (depth, sizes) in [(8, &SIZES[..]), (10, &SIZES[..]), (12, &SIZES[..1])] {
        let layout = PixelLayout::planar_ycbcr(depth, (1, 1));
        let mut pictures = Vec::new();
        for (seed, &size) in sizes.iter().enumerate() {
            let picture = natural(layout, size, color(&layout), seed as u64);
            pictures.extend(regions(size).into_iter().map(|region| (picture.clone(), region)));
            let other = picture.with_luminance(LuminanceWeights::Bt2020);
            pictures.extend(regions(size).into_iter().step_by(6).map(|region| (other.clone(), region)));
        }
        for adjustments in adjustments() {
            check(&format!("{depth} bits"), &pictures, adjustments);
        }
    }
}

#[test]
fn every_layout_is_counted_alike_one_after_the_other() {
    let size = (61, 33);
    let pictures: Vec<_> = native_layouts()
        .into_iter()
        .zip(0_u64..)
        .map(|((_, layout), seed)| {
            let picture = noise(layout, size, color(&layout), 3, seed);
            (picture, regions(size)[seed as usize % 7])
        })
        .collect();
    let all = adjustments();
    for adjustments in [all[4], all[9], all[10]] {
        check("every layout", &pictures, adjustments);
    }
}

/// A small picture fits before and after a large one that does not. No counts are lost.
#[test]
fn what_the_adapter_cannot_hold_is_the_cpu_s() {
    let mut gpu = Gpu::headless(&AdapterChoice::default()).unwrap();
    // The planes of the large picture fit, but its adjusted codes of four bytes do not.
    gpu.most_plane_bytes = 200 * 100 * 2;
    let engine = Engine::on(EngineChoice::Gpu, &Arc::new(gpu));
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let [small, large, huge] =
        [(40, 30), (200, 100), (900, 100)].map(|size| natural(layout, size, color(&layout), u64::from(size.0)));
    let all = adjustments();
    for (adjustments, engines) in [(all[0], ["gpu", "gpu", "cpu", "gpu"]), (all[9], ["gpu", "cpu", "cpu", "gpu"])] {
        let region = Some(Rect { x: 3, y: 5, width: 20, height: 11 });
        for region in [None, region.filter(|_| !adjustments.is_off())] {
            let pictures = [&small, &large, &huge, &small].map(|picture| (picture.clone(), region));
            let mut counter = Counter::new(&engine, &[Components::Rgbl], adjustments);
            let counts = count(&mut counter, &pictures);
            assert_eq!(counts.iter().map(|counts| counts.engine).collect::<Vec<_>>(), engines, "{adjustments}");
            for (counts, (picture, region)) in counts.iter().zip(&pictures) {
                assert!(counts.histograms[0].words == expected(picture, &adjustments, *region), "{adjustments}");
            }
        }
    }
}

/// Scopes counted together with the bins, of any picture, equal the reference.
#[test]
fn scopes_come_with_the_bins_whoever_counts() {
    let size = (61, 37);
    let layouts = [PixelLayout::planar_ycbcr(8, (1, 1)), PixelLayout::planar_ycbcr(10, (1, 0)), PixelLayout::gray(12)];
    let wanted = ScopeChoice::EVERY;
    for layout in layouts {
        let picture = natural(layout, size, color(&layout), 3);
        let other = picture.with_luminance(LuminanceWeights::Bt2020);
        let all = adjustments();
        for (picture, adjustments) in [(&picture, all[0]), (&picture, all[4]), (&picture, all[7]), (&other, all[4])] {
            let coded = adjustments.is_off();
            let counted: &[Components] =
                if coded { &[Components::YCbCr, Components::Rgbl] } else { &[Components::Rgbl] };
            let (subject, chroma) = match coded {
                true => (picture.clone(), Chroma::of(picture)),
                false => {
                    let codes = adjust::reference::apply(adjust::reference::codes(picture), &adjustments);
                    (codes.picture().unwrap(), Some(Chroma::of_adjusted(picture)))
                }
            };
            for region in [None, Some(Rect { x: 7, y: 5, width: 31, height: 11 })] {
                let pixels = region.unwrap_or(Rect::whole(size.0, size.1));
                let waveform = scopes::reference::waveform(&subject, pixels, counted[0]);
                let vectorscope = chroma.map(|chroma| scopes::reference::vectorscope(&subject, pixels, chroma));
                for engine in [Engine::cpu(), Engine::on(EngineChoice::Gpu, &gpu())] {
                    let mut counter = Counter::new(&engine, counted, adjustments)
                        .with_scopes(ScopeTally::Each(wanted), Diagram::CbCr);
                    let pictures = vec![(picture.clone(), region); 3];
                    for counts in count(&mut counter, &pictures) {
                        let what = format!("{layout:?} {adjustments} {region:?} {}", counts.engine);
                        assert!(counts.scopes.waveform.as_ref() == Some(&waveform), "{what}: waveform");
                        assert!(counts.scopes.vectorscope == vectorscope, "{what}: vectorscope");
                        for histogram in &counts.histograms {
                            let mut expected =
                                histoscope_core::histogram::Histogram::empty(histogram.bits, histogram.components);
                            for part in parts(&subject, pixels).unwrap() {
                                expected.add(&reference::histogram(&part, histogram.components));
                            }
                            assert!(histogram.words == expected.words, "{what}: bins");
                        }
                    }
                }
            }
        }
    }
}

/// Sums over several pictures, added up by the engine, equal the sum of each picture's counts, even if pictures change.
#[test]
fn sums_of_scopes_are_those_of_the_scopes_of_each_picture() {
    let wanted = ScopeChoice::EVERY;
    let planar = |bits| PixelLayout::planar_ycbcr(bits, (1, 1));
    let region = Some(Rect { x: 7, y: 5, width: 40, height: 11 });
    let subjects = [
        (planar(8), (61, 37), None),
        (planar(8), (61, 37), None),
        (planar(8), (61, 37), region),
        (planar(8), (61, 37), region),
        (PixelLayout::gray(12), (61, 37), None),
        (planar(10), (61, 37), None),
        (planar(10), (90, 20), None),
        (planar(10), (90, 20), None),
        (planar(8), (61, 37), None),
    ];
    let pictures: Vec<_> = (1..)
        .zip(subjects)
        .map(|(seed, (layout, size, region))| (natural(layout, size, color(&layout), seed), region))
        .collect();
    for components in [Components::Rgbl, Components::YCbCr] {
        let mut expected = ScopeSums::default();
        for (picture, region) in &pictures {
            let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
            let chroma = Chroma::of(picture);
            let counts = ScopeCounts {
                waveform: Some(scopes::reference::waveform(picture, pixels, components)),
                vectorscope: chroma.map(|chroma| scopes::reference::vectorscope(picture, pixels, chroma)),
            };
            expected.add(&counts, chroma, 1);
        }
        assert!(expected.left_out() > 0 && expected.vectorscope.is_some());
        for engine in [Engine::cpu(), Engine::on(EngineChoice::Gpu, &gpu())] {
            let mut counter = Counter::new(&engine, &[components], Adjustments::default())
                .with_scopes(ScopeTally::Sum(wanted), Diagram::CbCr);
            for round in 0..2 {
                for counts in count(&mut counter, &pictures) {
                    assert!(counts.scopes == ScopeCounts::default(), "no picture's own counts come back");
                }
                let sums = counter.take_sums().unwrap();
                assert!(sums == expected, "{components:?}, round {round}");
            }
            assert!(counter.take_sums().unwrap() == ScopeSums::default(), "they were taken");
        }
    }
}

#[test]
fn a_region_outside_the_picture_is_refused_by_both() {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (40, 30), color(&layout), 1);
    let region = Some(Rect { x: 30, y: 0, width: 11, height: 30 });
    for engine in [Engine::cpu(), Engine::on(EngineChoice::Gpu, &gpu())] {
        for adjustments in [adjustments()[0], adjustments()[4]] {
            let mut counter = Counter::new(&engine, &[Components::Rgbl], adjustments);
            assert!(counter.submit_picture(&picture, region).is_err(), "{adjustments}");
            assert!(counter.take().unwrap().is_none(), "and leaves nothing behind");
        }
    }
}
