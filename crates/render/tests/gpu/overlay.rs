//! The overlays' pixels against the bins: every arrangement, depth and scale, over black.

mod checks;

use std::sync::Arc;

use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{OwnedPlanes, Picture};
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::clip_indicators::{self, End};
use histoscope_render::view::overlay::{
    Arrangement, BarScale, Channels, OverlapTable, Overlaps, OverlayStyle, graticule, lights, line_pixels,
};
use histoscope_render::view::panel::{PanelRect, panels};
use histoscope_render::view::panel_params::has_trace;
use histoscope_render::view::scene::{Brush, Look, NO_BIN, Scene};

use self::checks::{check_indicators, check_panel, is_near};
use crate::studio::{Studio, UPRIGHT, WAYS};
use crate::support::image::{distance, pixel};
use crate::support::pool::Lent;
use crate::support::{Random, colorimetry, drawn};

/// The shaders and the CPU as painters of given bins over a black picture.
struct Easel(Lent<Studio>);

impl Easel {
    fn new() -> Self {
        Self(Studio::get())
    }

    fn drawn(&mut self, histogram: &Histogram, range: Range, view: (u32, u32), scene: &Scene) -> Image {
        self.drawn_over(0, histogram, range, view, scene)
    }

    /// Draws over a picture of this code. The CPU must paint the same as the shaders.
    fn drawn_over(&mut self, code: u8, histogram: &Histogram, range: Range, view: (u32, u32), scene: &Scene) -> Image {
        let depth = histogram.bits as u8;
        let planes = OwnedPlanes { planes: vec![(vec![code; 8], 4); 1] };
        let color = colorimetry(Matrix::Bt709, range);
        let picture = Picture::new(PixelLayout::gray(depth), (2, 2), color, Arc::new(planes)).unwrap();
        self.drawn_on(&picture, histogram, view, scene)
    }

    /// Draws over a picture. The CPU must paint the same as the shaders.
    fn drawn_on(&mut self, picture: &Picture, histogram: &Histogram, view: (u32, u32), scene: &Scene) -> Image {
        let [(shaders, by_shaders), (cpu, by_cpu)] = WAYS.map(|way| {
            let image = self.0.drawn(way, picture, UPRIGHT, (view, scene, histogram.clone()));
            (image, self.0.renderer(way).0.recorded().contains(&"columns"))
        });
        // Only shaders draw a line.
        let has_trace = has_trace(scene, histogram.components, view);
        assert_eq!((by_shaders, by_cpu), (scene.look.overlays, has_trace), "each draws its own");
        let most = distance(&shaders, &cpu);
        // Adapters round half a code either way.
        assert!(most <= 1, "{view:?} {scene:?}: {most} codes between the shaders' overlays and the CPU's");
        cpu
    }
}

/// Makes bins of every kind: empty, low, high, and one clipped in each channel.
fn random_bins(bits: u32, components: Components, seed: u64) -> Histogram {
    let mut random = Random(seed);
    let mut histogram = Histogram::empty(bits, components);
    for channel in 0..components.channel_names().len() {
        let hill = random.below(1 << bits);
        for bin in 0..1_usize << bits {
            let near = (1_usize << bits).saturating_sub(bin.abs_diff(hill) * 2);
            let count = if random.below(7) == 0 { 0 } else { random.below(near + 5) };
            histogram.bins_mut(channel)[bin] = count as u32;
        }
        histogram.bins_mut(channel)[random.below(1 << bits)] = 40 << bits;
    }
    histogram
}

#[test]
fn every_arrangement_draws_the_bins_where_it_is_placed_in_every_scale() {
    let mut easel = Easel::new();
    let views = [(480, 270), (1280, 720), (1000, 333)];
    for (number, arrangement) in Arrangement::ALL.into_iter().enumerate() {
        for (bits, components) in [(8, Components::Rgbl), (10, Components::YCbCr), (12, Components::Rgbl)] {
            for scale in BarScale::ALL {
                let view = views[(number + bits as usize / 2 + scale as usize) % 3];
                let histogram = random_bins(bits, components, number as u64 + u64::from(bits));
                let style = OverlayStyle { arrangement, scale, ..OverlayStyle::default() };
                let scene = Scene::from(Look { histograms: style, ..Look::default() });
                let image = easel.drawn(&histogram, Range::Full, view, &scene);
                let mut covered = vec![false; (view.0 * view.1) as usize];
                for (_, rect, channels) in panels(&scene, components, view) {
                    let (clipped, compared) = check_panel(&image, &histogram, &scene, rect, channels);
                    assert_eq!(clipped > 0, scale == BarScale::Tutorial, "{arrangement:?}: {clipped} clipped bars");
                    let area = (rect.width * rect.height) as usize;
                    assert!(compared > area / 3, "{compared} of {area} pixels compared");
                    for (x, y) in (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (x, y))) {
                        covered[((rect.top + y) * view.0 + rect.left + x) as usize] = true;
                    }
                }
                for (pixel, _) in image.rgba.chunks_exact(4).zip(covered).filter(|(_, covered)| !covered) {
                    assert_eq!(pixel, [0, 0, 0, 255], "{arrangement:?}: nothing is drawn beside the overlays");
                }
            }
        }
    }
}

#[test]
fn overlaps_have_the_colours_of_the_table() {
    let mut easel = Easel::new();
    let mut random = Random(3);
    let random_table = OverlapTable(std::array::from_fn(|_| std::array::from_fn(|_| random.below(256) as u8)));
    for (number, overlap_table) in [OverlapTable::default(), random_table].into_iter().enumerate() {
        for arrangement in [Arrangement::Pair, Arrangement::Combined] {
            let style =
                OverlayStyle { arrangement, overlaps: Overlaps::Table, overlap_table, ..OverlayStyle::default() };
            let scene = Scene::from(Look { histograms: style, ..Look::default() });
            let histogram = random_bins(8, Components::Rgbl, 40 + number as u64);
            let view = (1280, 720);
            let image = easel.drawn(&histogram, Range::Full, view, &scene);
            for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
                let (_, compared) = check_panel(&image, &histogram, &scene, rect, channels);
                assert!(compared > (rect.width * rect.height) as usize / 3, "{compared} pixels compared");
            }
            // Brushes and marks use the same colours, darker or brighter, with both painters.
            let brush = Some(Brush { channels: Channels::ALL, low: 60, high: 120 });
            easel.drawn(
                &histogram,
                Range::Full,
                view,
                &Scene { brushes: Brushes::of_histogram(brush), marks: Some([30, 90, 90, NO_BIN]), ..scene },
            );
        }
    }
}

#[test]
fn any_number_of_bins_is_drawn_from_the_codes_in_them() {
    let mut easel = Easel::new();
    let counts = [3, 7, 16, 100, 256, 1000, 4096];
    for (number, &count) in counts.iter().enumerate() {
        for (bits, components) in [(8, Components::Rgbl), (10, Components::YCbCr), (12, Components::Rgbl)] {
            let (scale, view) =
                (BarScale::ALL[(number + bits as usize / 2) % 3], [(480, 270), (1280, 720)][number % 2]);
            let histogram = random_bins(bits, components, u64::from(count + bits));
            let style = OverlayStyle { scale, bins: Some(count), ..OverlayStyle::default() };
            let scene = Scene::from(Look { histograms: style, ..Look::default() });
            let image = easel.drawn(&histogram, Range::Full, view, &scene);
            let bare = easel.drawn(&histogram, Range::Full, view, &Scene::default());
            let is_of_codes = count == 1 << bits && scale == BarScale::Tutorial;
            assert_eq!(distance(&image, &bare) == 0, is_of_codes, "{count} bins of {bits} bits");
            for (_, rect, channels) in panels(&scene, components, view) {
                let (_, compared) = check_panel(&image, &histogram, &scene, rect, channels);
                let area = (rect.width * rect.height) as usize;
                assert!(compared > area / 3, "{count} bins: {compared} of {area} pixels compared");
            }
        }
    }
}

#[test]
fn brushes_marks_and_lamps_keep_to_the_codes_whatever_bins_are_drawn() {
    let mut easel = Easel::new();
    let (view, bits) = ((1280, 720), 8);
    let mut histogram = Histogram::empty(bits, Components::Rgbl);
    // Of 16 bins, most samples in the outermost ones are not clipped: code 0 holds too few for a clip indicator, code
    // 255 enough.
    for channel in 0..4 {
        let bins = histogram.bins_mut(channel);
        (bins[0], bins[5], bins[100], bins[250], bins[255]) = (1, 3000, 3000, 3980, 19);
    }
    for count in [None, Some(16), Some(1000)] {
        let style = OverlayStyle { bins: count, ..OverlayStyle::default() };
        let brush = Some(Brush { channels: Channels::one(3), low: 96, high: 111 });
        let marks = Some([100, NO_BIN, NO_BIN, 100]);
        let scene = Scene::from(Look { histograms: style, ..Look::default() });
        let image = easel.drawn(&histogram, Range::Full, view, &scene);
        for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
            let lit = check_indicators(&image, &histogram, rect, channels);
            assert_eq!(lit.len(), channels.iter().count(), "{count:?}: the indicators of the highest code alone");
            let indicator = clip_indicators::indicator(&rect, End::Lowest, 0, line_pixels(view));
            let lights =
                lights(Components::Rgbl)[channels.iter().next().unwrap()].map(|part| (part * 255.0).round() as u8);
            assert!(
                !is_near(pixel(&image, indicator.left + 1, indicator.top + 1), lights),
                "{count:?}: an indicator of bin 0, not of code 0"
            );
        }
        let image = easel.drawn(
            &histogram,
            Range::Full,
            view,
            &Scene { brushes: Brushes::of_histogram(brush), marks, ..scene },
        );
        let (_, rect, _) = panels(&scene, Components::Rgbl, view).nth(1).unwrap();
        let bins = style.binning(bits);
        let (first, last) = rect.columns_of_codes((96, 111), bins);
        let below = rect.top + rect.height - 1;
        let light = |column| pixel(&image, rect.left + column, below);
        // The codes next to 100 are empty, unless bins are as wide as the brush.
        let lit = light(if count == Some(16) { first + 4 } else { (first + last) / 2 + 9 });
        assert!(lit[0] > 30, "{count:?}: the brushed columns are lit, {lit:?}");
        assert!(light(first - 3)[0] <= 12 && light(last + 4)[0] <= 12, "{count:?}: those beside are not");
        let marked = (0..rect.width).find(|&column| pixel(&image, rect.left + column, rect.top + 40) > [230; 3]);
        let (low, high) = rect.columns_of_codes((100, 100), bins);
        assert!(marked.is_some_and(|at| (low.saturating_sub(1)..=high + 1).contains(&at)), "{count:?}: {marked:?}");
    }
}

#[test]
fn indicators_light_above_a_thousandth_and_only_there() {
    let mut easel = Easel::new();
    for (bits, view) in [(8, (1280, 720)), (10, (480, 270))] {
        let top = (1 << bits) - 1;
        let mut histogram = Histogram::empty(bits, Components::Rgbl);
        for channel in 0..4 {
            histogram.bins_mut(channel)[100] = 999_000;
        }
        // Of a million samples: exactly as many as are tolerated, and one more.
        for (channel, bin, count) in [(0, 0, 1000), (1, 0, 1001), (2, top, 1001), (3, top, 1000), (3, 0, 400_000)] {
            histogram.bins_mut(channel)[bin] = count;
            histogram.bins_mut(channel)[100] = 1_000_000 - count;
        }
        for arrangement in Arrangement::ALL {
            let style = OverlayStyle { arrangement, ..OverlayStyle::default() };
            let scene = Scene::from(Look { histograms: style, ..Look::default() });
            let image = easel.drawn(&histogram, Range::Full, view, &scene);
            let mut lit = 0;
            for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
                lit += check_indicators(&image, &histogram, rect, channels).len();
                // Without a lit clip indicator, the corner is as dark as the rest of the scrim.
                let line = line_pixels(view);
                for (place, channel) in (0..).zip(channels.iter()).filter(|_| clip_indicators::side(&rect) > 0) {
                    let unlit = [(0, End::Lowest), (3, End::Highest), (1, End::Highest), (2, End::Lowest)];
                    for (_, end) in unlit.into_iter().filter(|(of, _)| *of == channel) {
                        let indicator = clip_indicators::indicator(&rect, end, place, line);
                        let shown =
                            pixel(&image, indicator.left + indicator.width / 2, indicator.top + indicator.height / 2);
                        assert!(shown.iter().all(|&part| part < 70), "{arrangement:?} {channel} {end:?}: {shown:?}");
                    }
                }
            }
            assert!(lit == 3 || view.0 == 480, "{arrangement:?}: {lit} indicators are lit");
        }
    }
}

#[test]
fn channels_that_are_off_are_left_out_of_the_mix() {
    let mut easel = Easel::new();
    let histogram = random_bins(8, Components::Rgbl, 77);
    let mut channels = Channels::ALL;
    channels.toggle(1);
    let style = OverlayStyle { arrangement: Arrangement::Combined, ..OverlayStyle::default() };
    let scene = Scene::from(Look { channels, histograms: style, ..Look::default() });
    let image = easel.drawn(&histogram, Range::Full, (640, 400), &scene);
    let shown: Vec<_> = panels(&scene, Components::Rgbl, (640, 400)).collect();
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].2.bits(), 0b1101);
    check_panel(&image, &histogram, &scene, shown[0].1, shown[0].2);
}

#[test]
fn the_graticule_stands_at_its_codes_and_quarters_and_is_subtle() {
    let mut easel = Easel::new();
    for (bits, view, line) in [(8, (1280, 720), 1), (10, (3840, 2160), 2), (8, (480, 270), 1)] {
        let scene = Scene::default();
        let image = easel.drawn(&Histogram::empty(bits, Components::Rgbl), Range::Full, view, &scene);
        for (_, rect, _) in panels(&scene, Components::Rgbl, view) {
            // A row and a column away from the lines of the graticule.
            let (row, column) = (rect.top + rect.height / 3, rect.left + rect.width / 16);
            let lines = |mut lit: Vec<u32>| {
                lit.dedup_by(|next, last| *next < *last + line);
                lit
            };
            let lit = (0..rect.width).filter(|&x| pixel(&image, rect.left + x, row) != [0; 3]).collect();
            let at = lines(lit);
            assert_eq!(at.len(), 7, "{view:?}: {at:?}");
            for (x, code) in at.iter().zip(graticule(bits)) {
                let (first, last) = rect.columns_of_bin(code, 1 << bits);
                assert!((first.saturating_sub(line)..=last + 1).contains(x), "code {code} at column {x}");
            }
            let lit = (0..rect.height).filter(|&y| pixel(&image, column, rect.top + y) != [0; 3]).collect();
            assert_eq!(lines(lit).len(), 3, "quarters of the height");
            let brightest = image.rgba.chunks_exact(4).map(|pixel| pixel[0]).max();
            assert!(brightest.is_some_and(|light| (20..90).contains(&light)), "subtle over black: {brightest:?}");
        }
    }
}

#[test]
fn marks_stand_at_the_probed_bins_of_the_channels_that_are_shown() {
    let mut easel = Easel::new();
    let histogram = Histogram::empty(8, Components::Rgbl);
    let marks = [10, 255, NO_BIN, 128];
    for arrangement in Arrangement::ALL {
        let style = OverlayStyle { arrangement, ..OverlayStyle::default() };
        let bare = Scene::from(Look { histograms: style, ..Look::default() });
        let marked = Scene { marks: Some(marks), ..bare };
        let view = (1280, 720);
        let [without, with] = [bare, marked].map(|scene| easel.drawn(&histogram, Range::Full, view, &scene));
        for (_, rect, channels) in panels(&marked, Components::Rgbl, view) {
            let row = rect.top + rect.height / 3;
            let changed: Vec<u32> = (rect.left..rect.left + rect.width)
                .filter(|&x| pixel(&with, x, row).iter().max() > pixel(&without, x, row).iter().max())
                .collect();
            let wanted: Vec<_> = channels.iter().filter(|&channel| marks[channel] != NO_BIN).collect();
            for &channel in &wanted {
                let x = rect.x_of_bin(marks[channel], 1 << 8);
                assert!(changed.iter().any(|&at| (at as f32 + 0.5 - x).abs() <= 1.5), "{arrangement:?} {channel}");
                let (first, last) = rect.columns_of_bin(marks[channel], 1 << 8);
                let at =
                    changed.iter().copied().find(|at| (first..=last).contains(&(at - rect.left))).expect("the mark");
                let light = pixel(&with, at, row);
                assert!(light.iter().max() > Some(&200), "{light:?}");
            }
            assert_eq!(changed.len(), 2 * wanted.len(), "{arrangement:?} {channels:?}: two pixels a mark");
        }
    }
}

#[test]
fn bars_outside_the_brushed_range_dim_in_the_overlays_of_that_channel() {
    let mut easel = Easel::new();
    let histogram = random_bins(8, Components::Rgbl, 5);
    let bare = Scene::default();
    let brushed = Scene { brushes: Brushes::of_histogram(Brush::between(3, 60, 119)), ..bare };
    let view = (1280, 720);
    let [without, with] = [bare, brushed].map(|scene| easel.drawn(&histogram, Range::Full, view, &scene));
    let [(_, colour, _), (_, lightness, _)] = panels(&bare, Components::Rgbl, view).collect::<Vec<_>>()[..] else {
        panic!("a pair is two")
    };
    let bright = |image: &Image, rect: PanelRect, bins: std::ops::RangeInclusive<u32>| -> Vec<u8> {
        let columns = rect.columns_of_bin(*bins.start(), 1 << 8).0..=rect.columns_of_bin(*bins.end(), 1 << 8).1;
        columns.map(|column| pixel(image, rect.left + column, rect.top + rect.height - 1)[1]).collect()
    };
    // The picture below is dimmed and shines through slightly.
    let (before, after) = (bright(&without, colour, 0..=255), bright(&with, colour, 0..=255));
    assert!(before.iter().zip(&after).all(|(before, after)| after - before <= 3), "another overlay is left alone");
    for bins in [0..=59, 120..=255] {
        let (before, after) = (bright(&without, lightness, bins.clone()), bright(&with, lightness, bins));
        assert!(before.iter().zip(&after).all(|(before, after)| *after <= before / 3 + 8), "{after:?}");
    }
    let (before, after) = (bright(&without, lightness, 60..=119), bright(&with, lightness, 60..=119));
    assert!(before.iter().zip(&after).all(|(before, after)| after >= before), "{before:?} {after:?}");
}

#[test]
fn opacity_lets_the_picture_through() {
    let mut easel = Easel::new();
    let histogram = random_bins(8, Components::Rgbl, 5);
    let [half, full] = [0.5, 1.0].map(|opacity| {
        let style = OverlayStyle { opacity, arrangement: Arrangement::Parade, ..OverlayStyle::default() };
        easel.drawn(&histogram, Range::Full, (480, 270), &Scene::from(Look { histograms: style, ..Look::default() }))
    });
    for (half, full) in half.rgba.chunks_exact(4).zip(full.rgba.chunks_exact(4)) {
        for part in 0..3 {
            assert!((f32::from(half[part]) - 0.5 * f32::from(full[part])).abs() <= 2.0, "{half:?} {full:?}");
        }
    }
}

#[test]
fn legal_levels_are_marked_where_codes_are_counted_in_limited_range() {
    let mut easel = Easel::new();
    let (view, scene) = ((1280, 720), Scene::default());
    let histogram = Histogram::empty(10, Components::YCbCr);
    for (range, count) in [(Range::Limited, 2), (Range::Full, 0)] {
        let image = easel.drawn(&histogram, range, view, &scene);
        for (index, rect, _) in panels(&scene, Components::YCbCr, view) {
            let row = rect.top + rect.height / 3;
            let bright: Vec<_> =
                (0..rect.width).filter(|&column| pixel(&image, rect.left + column, row)[0] > 180).collect();
            assert_eq!(bright.len(), count, "{range:?}: {bright:?}");
            let codes = [64, if index == 0 { 960 } else { 940 }];
            for (column, code) in bright.iter().zip(codes) {
                assert_eq!(rect.columns_of_bin(code, 1 << 10).0, *column, "{range:?} {code}");
            }
        }
    }
}

#[test]
fn a_dark_frame_sets_an_overlay_off_from_a_picture_of_its_bars_colour() {
    let mut easel = Easel::new();
    let view = (1280, 720);
    // All luminance is white: its bar is at the right end, next to a white picture.
    let mut histogram = Histogram::empty(8, Components::Rgbl);
    (0..4).for_each(|channel| histogram.bins_mut(channel)[255] = 1000);
    let image = easel.drawn_over(255, &histogram, Range::Full, view, &Scene::default());
    for (_, rect, _) in panels(&Scene::default(), Components::Rgbl, view) {
        let (right, top) = (rect.left + rect.width, rect.top + rect.height / 2);
        let [before, frame, after] = [right - 1, right, right + 4].map(|column| pixel(&image, column, top)[1]);
        assert!(before > 180 && after > 250 && frame < 80, "bar {before}, frame {frame}, picture {after}");
        let above = pixel(&image, rect.left + rect.width / 2, rect.top - 1)[1];
        assert!(above < 80 && pixel(&image, rect.left - 1, top)[1] < 80, "above: {above}");
    }
    let hidden = Scene::from(Look { overlays: false, ..Look::default() });
    let bare = easel.drawn_over(255, &histogram, Range::Full, view, &hidden);
    assert!(bare.rgba.iter().all(|part| *part > 250), "a frame without its overlay");
}

#[test]
fn gray_bars_are_gray_on_pictures_of_any_colour() {
    let mut easel = Easel::new();
    let view = (1280, 720);
    let mut histogram = Histogram::empty(8, Components::Rgbl);
    (0..4).for_each(|channel| histogram.bins_mut(channel).fill(1000));
    for overlaps in [Overlaps::Light, Overlaps::Table] {
        let style = OverlayStyle { overlaps, ..OverlayStyle::default() };
        let scene = Scene::from(Look { histograms: style, ..Look::default() });
        let seen = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0; 3], [255; 3]].map(|color: [u16; 3]| {
            let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
            let picture = drawn(layout, (2, 2), colorimetry(Matrix::Bt709, Range::Full), |part, _, _| color[part]);
            let image = easel.drawn_on(&picture, &histogram, view, &scene);
            let panels: Vec<_> = panels(&scene, Components::Rgbl, view).collect();
            panels
                .into_iter()
                .map(|(_, rect, _)| pixel(&image, rect.left + rect.width / 16 + 1, rect.top + rect.height * 5 / 8))
                .collect::<Vec<_>>()
        });
        assert!(seen.iter().all(|bars| *bars == seen[0]), "{overlaps:?}: the picture shines through: {seen:?}");
        let is_gray = |[r, g, b]: &[u8; 3]| r.abs_diff(*g) <= 1 && g.abs_diff(*b) <= 1 && *r > 80;
        assert!(seen[0].len() == 2 && seen[0].iter().all(is_gray), "{overlaps:?}: {seen:?}");
    }
}
