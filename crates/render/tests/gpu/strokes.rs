//! Lines over the bars, and the layers behind them: the source's outline, the cumulative curves and the backdrop.

use histoscope_core::adjust::{Adjustments, Equalize, Tone};
use histoscope_core::histogram::{Components, Histogram, vertical_scale};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::clip_indicators;
use histoscope_render::view::overlay::{Arrangement, BarScale, Overlaps, OverlayStyle};
use histoscope_render::view::panel::{PanelRect, panels};
use histoscope_render::view::scene::{Counted, Look, Pair, Scene};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted, count};
use crate::support::image::{distance, pixel};
use crate::support::{self, colorimetry, natural};

fn picture(depth: u8) -> Picture {
    natural(PixelLayout::planar_ycbcr(depth, (1, 0)), (161, 120), colorimetry(Matrix::Bt709, Range::Limited), 5)
}

fn equalized() -> Adjustments {
    let tone = Some(Tone::Equalize(Equalize { per_channel: true, time_constant_secs: 0.0 }));
    Adjustments { tone, ..Adjustments::default() }
}

/// Returns the lowest and highest row, from the overlay's lower edge up, of a line in a column over a black picture. No
/// bar has so much of every primary with outlines over it.
fn line_rows(image: &Image, rect: PanelRect, column: u32, channel: usize) -> Option<(u32, u32)> {
    // Where two lines of the graticule cross, there is less light.
    let least = if channel == 3 { 140 } else { 95 };
    let at = |row: u32| pixel(image, rect.left + column, rect.top + rect.height - 1 - row);
    let rows: Vec<u32> = (0..rect.height).filter(|&row| at(row).iter().all(|&part| part > least)).collect();
    Some((*rows.first()?, *rows.last()?))
}

/// A black picture of `depth` bits.
fn black(depth: u8) -> Picture {
    support::drawn(PixelLayout::gray(depth), (64, 64), colorimetry(Matrix::Bt709, Range::Full), |_, _, _| 0)
}

/// Returns the heights of the bars in each column, by definition. Both pictures share a scale, and the larger one's
/// tallest bin decides.
fn outline_heights(
    source: &Histogram,
    result: &Histogram,
    channel: usize,
    rect: PanelRect,
    scale: BarScale,
) -> Vec<f64> {
    let (bins, others) = (source.bins(channel), result.bins(channel));
    let tallest = bins.iter().chain(others).copied().max().unwrap();
    let factor = f64::from(vertical_scale(bins).min(vertical_scale(others)));
    let height = |column| {
        let (first, last) = rect.bins_of_column(column, 1 << source.bits);
        let most = f64::from(bins[first as usize..=last as usize].iter().copied().max().unwrap());
        let part = match scale {
            BarScale::Tutorial => most * factor,
            BarScale::Peak => most / f64::from(tallest),
            BarScale::Logarithmic => most.ln_1p() / f64::from(tallest).ln_1p(),
        };
        part.min(1.0) * f64::from(rect.height)
    };
    (0..rect.width).map(height).collect()
}

#[test]
fn the_source_is_an_outline_at_the_height_of_its_bins_by_the_scale_of_both() {
    let mut studio = Studio::get();
    let (mut compared, mut peaks) = (0, 0);
    for (number, depth) in [8, 10, 12].into_iter().enumerate() {
        // The bins of a picture other than the black one that is drawn, with equally many samples.
        let black = black(depth);
        let bins = spread(&count(&picture(depth), Components::Rgbl), black.pixel_count());
        let result = count(&adjusted(&black, &equalized()), Components::Rgbl);
        for (arrangement, scale) in [
            (Arrangement::Parade, BarScale::Tutorial),
            (Arrangement::Combined, BarScale::Peak),
            (Arrangement::Column, BarScale::Logarithmic),
        ] {
            // With the table, luminance has bars in the combined layout too, and no line of its own.
            let is_combined = arrangement == Arrangement::Combined;
            let overlaps = if is_combined { Overlaps::Table } else { Overlaps::Light };
            let style = OverlayStyle { arrangement, scale, overlaps, height: 0.5, ..OverlayStyle::default() };
            let scene = Scene::from(Look {
                histograms: style,
                adjustments: equalized(),
                counted: Counted::Both,
                ..Look::default()
            });
            let view = [(1300, 700), (2400, 1400)][number % 2];
            let (renderer, gpu) = studio.renderer(WAYS[number % 2]);
            renderer.load_with_bins(gpu, &black, UPRIGHT, bins.clone()).unwrap();
            let image = renderer.snapshot(gpu, view, &scene).unwrap();
            for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
                let channel = channels.iter().next().unwrap();
                let heights = outline_heights(&bins, &result, channel, rect, scale);
                // The first columns contain the black bar, and clip indicators are at both ends.
                let ends = clip_indicators::side(&rect) + 8;
                for column in ends..rect.width - ends {
                    // The line runs from bin to bin, so in a column it is between the neighbouring heights.
                    let around = &heights[column as usize - 2..=column as usize + 2];
                    let (low, high) = around.iter().fold((f64::MAX, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
                    let name = format!("{depth} bits {arrangement:?} channel {channel} column {column}");
                    let Some((first, last)) = line_rows(&image, rect, column, channel) else {
                        assert!(
                            around[1..4].iter().all(|&bar| bar < 3.0),
                            "{name}: no line where bars are {around:?} high"
                        );
                        continue;
                    };
                    let (own, first, last) = (heights[column as usize], f64::from(first), f64::from(last) + 1.0);
                    assert!(first >= low - 3.0 && last <= high + 3.0, "{name}: {first} to {last}, {around:?}");
                    compared += 1;
                    // A peak of a single bin is as high as that bin.
                    // On the scale of the peak, most bins are lower than the pen, which stays inside the overlay.
                    if own >= high && (scale != BarScale::Peak || own >= 3.0) {
                        assert!((last - own).abs() <= 2.5, "{name}: a peak to {last}, not {own}");
                        peaks += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 2000 && peaks > 200, "{compared} columns compared, {peaks} peaks");
}

/// Scales the bins to this many samples in every channel.
fn spread(bins: &Histogram, samples: u32) -> Histogram {
    let mut spread = bins.clone();
    for channel in 0..4 {
        let mut left = samples;
        for count in spread.bins_mut(channel) {
            *count = (*count % 7).min(left);
            left -= *count;
        }
        spread.bins_mut(channel)[0] += left;
    }
    spread
}

#[test]
fn beside_an_outline_the_bars_are_those_of_the_result_by_the_scale_of_both() {
    let mut studio = Studio::get();
    let source = picture(8);
    let [bins, result] = [&source, &adjusted(&source, &equalized())].map(|picture| count(picture, Components::Rgbl));
    let style = OverlayStyle { arrangement: Arrangement::Parade, height: 0.9, ..OverlayStyle::default() };
    let scene =
        Scene::from(Look { histograms: style, adjustments: equalized(), counted: Counted::Both, ..Look::default() });
    let view = (1300, 700);
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let image = studio.snapshot(way, view, &scene);
        let mut checked = 0;
        for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
            let channel = channels.iter().next().unwrap();
            // Exchanged: as if the result were the outline.
            let heights = outline_heights(&result, &bins, channel, rect, BarScale::Tutorial);
            let lights = outline_heights(&bins, &result, channel, rect, BarScale::Tutorial);
            let primary = channel.min(2);
            for column in 3..rect.width - 3 {
                let (bar, line) = (heights[column as usize], &lights[column as usize - 3..=column as usize + 3]);
                let (low, high) = line.iter().fold((f64::MAX, 0.0_f64), |(low, high), &v| (low.min(v), high.max(v)));
                let meets = low - 12.0 < bar && bar < high + 12.0;
                if meets || bar < 12.0 || bar > f64::from(rect.height) - 25.0 {
                    continue;
                }
                let light =
                    |row: f64| pixel(&image, rect.left + column, rect.top + rect.height - 1 - row as u32)[primary];
                let (inside, outside) = (light(bar - 3.0), light(bar + 3.0));
                assert!(
                    inside > outside,
                    "{way:?} channel {channel} column {column}: {inside} below {bar}, {outside} above"
                );
                assert!(inside < 180, "{way:?} channel {channel} column {column}: {inside} outshines the outline");
                checked += 1;
            }
        }
        assert!(checked > 100, "{way:?}: {checked}");
    }
}

#[test]
fn curves_rise_with_the_share_of_samples_to_the_whole_height() {
    let mut studio = Studio::get();
    let scenes = [(8, Arrangement::Parade), (10, Arrangement::Column), (12, Arrangement::Parade)];
    for (number, (depth, arrangement)) in scenes.into_iter().enumerate() {
        // The bins of a picture other than the black one that is drawn, as counted by another engine.
        let bins = without_ends(&count(&picture(depth), Components::Rgbl));
        // With logarithmic height no bar is cut off, so there are no caps, which would be as light.
        let style = OverlayStyle { arrangement, scale: BarScale::Logarithmic, ..OverlayStyle::default() };
        let scene = Scene::from(Look { histograms: style, curves: true, ..Look::default() });
        let view = [(1300, 700), (2400, 1400)][number % 2];
        for way in WAYS {
            let (renderer, gpu) = studio.renderer(way);
            renderer.load_with_bins(gpu, &black(depth), UPRIGHT, bins.clone()).unwrap();
            let image = renderer.snapshot(gpu, view, &scene).unwrap();
            for (_, rect, channels) in panels(&scene, Components::Rgbl, view) {
                // White bars of luminance are as light as its line.
                let Some(channel) = channels.iter().next().filter(|&channel| channel < 3) else { continue };
                for column in 0..rect.width {
                    let name = format!("{depth} bits {way:?} channel {channel} column {column}");
                    let found = line_rows(&image, rect, column, channel);
                    let (first, last) = found.unwrap_or_else(|| panic!("{name}: no line"));
                    let height = |aside: f64| {
                        share_at(&bins, channel, (f64::from(column) + 0.5 + aside) / f64::from(rect.width))
                    };
                    let [low, high] = [-1.3, 1.3].map(|aside| height(aside) * f64::from(rect.height));
                    let middle = f64::from(first + last + 1) / 2.0;
                    assert!((low - 1.5..=high + 1.5).contains(&middle), "{name}: {middle}, not {low} to {high}");
                }
            }
        }
    }
}

/// Empties the outermost codes, so that no clip indicator is lit.
fn without_ends(bins: &Histogram) -> Histogram {
    let mut inner = bins.clone();
    for channel in 0..4 {
        let bins = inner.bins_mut(channel);
        let last = bins.len() - 1;
        bins[1] += std::mem::take(&mut bins[0]);
        bins[last - 1] += std::mem::take(&mut bins[last]);
    }
    inner
}

/// Returns the share of a channel's samples below a position among its bins, from 0 at the first to 1 at the end of the
/// last.
fn share_at(bins: &Histogram, channel: usize, place: f64) -> f64 {
    let at = place.clamp(0.0, 1.0) * f64::from(1 << bins.bits);
    let bin = (at as u32).min((1 << bins.bits) - 1);
    let sums = bins.sums(channel);
    let below = if bin == 0 { 0.0 } else { sums.share_in(0..=bin - 1) };
    below + sums.share_in(bin..=bin) * (at - f64::from(bin))
}

#[test]
fn curves_are_those_of_the_bars_that_are_filled() {
    let mut studio = Studio::get();
    let source = picture(8);
    let style = OverlayStyle { arrangement: Arrangement::Column, ..OverlayStyle::default() };
    let scene = Scene::from(Look { histograms: style, adjustments: equalized(), curves: true, ..Look::default() });
    let result = adjusted(&source, &scene.look.adjustments);
    let drawn_over = Scene { look: Look { adjustments: Adjustments::default(), ..scene.look }, ..scene };
    for way in WAYS {
        let expected = studio.plain(way, &result, (640, 400), &drawn_over);
        let other = studio.plain(way, &source, (640, 400), &drawn_over);
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let shown = studio.snapshot(way, (640, 400), &scene);
        assert!(distance(&shown, &expected) <= 1, "{way:?}: {}", distance(&shown, &expected));
        assert!(distance(&shown, &other) > 50);
        // The same curves as for the picture alone, again and again.
        let source_counted = Scene { look: Look { counted: Counted::Source, ..scene.look }, ..scene };
        let first = studio.snapshot(way, (640, 400), &source_counted);
        assert_ne!(first, shown, "{way:?}");
        assert_eq!(studio.snapshot(way, (640, 400), &scene), shown, "{way:?}");
        assert_eq!(studio.snapshot(way, (640, 400), &source_counted), first, "{way:?}");
    }
}

#[test]
fn lines_that_meet_mix_as_light() {
    let mut studio = Studio::get();
    let mut bins = Histogram::empty(8, Components::Rgbl);
    for channel in 0..4 {
        bins.bins_mut(channel).fill(16);
    }
    // Red, green and blue have the same curve: a straight line from corner to corner.
    let scene = Scene::from(Look { curves: true, ..Look::default() });
    let (renderer, gpu) = studio.renderer(WAYS[1]);
    renderer.load_with_bins(gpu, &black(8), UPRIGHT, bins).unwrap();
    let image = renderer.snapshot(gpu, (1280, 720), &scene).unwrap();
    let (_, rect, _) = panels(&scene, Components::Rgbl, (1280, 720)).next().unwrap();
    let column = rect.width / 3;
    let row = (f64::from(column) + 0.5) / f64::from(rect.width) * f64::from(rect.height);
    let on_line = (0..3).map(|aside| pixel(&image, rect.left + column, rect.top + rect.height - row as u32 - aside));
    let brightest = on_line.max_by_key(|pixel| pixel.map(u32::from).iter().sum::<u32>()).unwrap();
    assert!(brightest.iter().all(|&part| part > 215), "white, not {brightest:?}");
}

#[test]
fn without_curves_and_outlines_nothing_is_drawn_over_the_bars() {
    let mut studio = Studio::get();
    let source = picture(8);
    let style = OverlayStyle { arrangement: Arrangement::Parade, ..OverlayStyle::default() };
    let scene = Scene::from(Look { histograms: style, ..Look::default() });
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let bare = studio.snapshot(way, (640, 400), &scene);
        // Both are counted only if something is adjusted.
        assert_eq!(
            studio.snapshot(way, (640, 400), &Scene { look: Look { counted: Counted::Both, ..scene.look }, ..scene }),
            bare,
            "{way:?}"
        );
        let curves = studio.snapshot(way, (640, 400), &Scene { look: Look { curves: true, ..scene.look }, ..scene });
        assert!(distance(&bare, &curves) > 50, "{way:?}");
        assert_eq!(studio.snapshot(way, (640, 400), &scene), bare, "{way:?}: off again");
    }
}

/// Makes narrow stripes of black and white, the hardest picture to read bars on.
fn stripes() -> Picture {
    let color = colorimetry(Matrix::Bt709, Range::Full);
    support::drawn(PixelLayout::gray(8), (320, 180), color, |_, x, _| if x / 8 % 2 == 0 { 0 } else { 255 })
}

/// Returns the largest difference of neighbouring columns in a part of an image.
fn contrast(image: &Image, rect: PanelRect, row: u32) -> u8 {
    let lights = (rect.left..rect.left + rect.width).map(|x| pixel(image, x, rect.top + row)[1]);
    let (low, high) = lights.fold((255, 0), |(low, high): (u8, u8), light| (low.min(light), high.max(light)));
    high - low
}

#[test]
fn the_backdrop_takes_the_pattern_out_of_what_lies_behind_the_overlays_and_nowhere_else() {
    let mut studio = Studio::get();
    let (source, view) = (stripes(), (640, 360));
    let sharp = Scene::default();
    let soft = Scene {
        look: Look { histograms: OverlayStyle { backdrop: true, ..sharp.look.histograms }, ..sharp.look },
        ..sharp
    };
    let mut softs = Vec::new();
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let [before, after] = [sharp, soft].map(|scene| studio.snapshot(way, view, &scene));
        let mut outside = (before.clone(), after.clone());
        for (_, rect, _) in panels(&soft, Components::Rgbl, view) {
            // A row without bars, lines or clip indicators.
            let row = rect.height * 3 / 8;
            // Between two lines of the graticule, where two stripes fit.
            let between = PanelRect { left: rect.left + 2, width: rect.width / 8 - 4, ..rect };
            assert!(contrast(&before, between, row) > 100, "{way:?}: the pattern shows through the scrim");
            assert!(contrast(&after, between, row) < 16, "{way:?}: {}", contrast(&after, between, row));
            let light = pixel(&after, rect.left + 30, rect.top + row)[1];
            assert!((45..=70).contains(&light), "{way:?}: the mean of the picture under the scrim: {light}");
            for (x, y) in (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (x, y))) {
                let at = 4 * ((rect.top + y) * view.0 + rect.left + x) as usize;
                outside.0.rgba[at..at + 4].fill(0);
                outside.1.rgba[at..at + 4].fill(0);
            }
        }
        assert_eq!(outside.0, outside.1, "{way:?}: beside the overlays nothing changes");
        assert_eq!(studio.snapshot(way, view, &sharp), before, "{way:?}: off again");
        softs.push(after);
    }
    for other in &softs[1..] {
        assert!(distance(&softs[0], other) <= 3, "rasterizers agree: {}", distance(&softs[0], other));
    }
}

#[test]
fn the_backdrop_is_of_what_is_shown_on_either_side_of_the_divider() {
    let mut studio = Studio::get();
    let gray = support::drawn(PixelLayout::gray(8), (320, 180), colorimetry(Matrix::Bt709, Range::Full), |_, x, y| {
        if y < 90 { 30 + x as u16 / 8 } else { 70 + x as u16 / 8 }
    });
    let style = OverlayStyle { backdrop: true, ..OverlayStyle::default() };
    for way in WAYS {
        studio.load(way, &gray, UPRIGHT, Components::Rgbl);
        let scene = Scene::from(Look {
            histograms: style,
            adjustments: equalized(),
            counted: Counted::Source,
            ..Look::default()
        })
        .with_pair(Pair::divided(0.5));
        let image = studio.snapshot(way, (640, 360), &scene);
        let plain = studio.snapshot(way, (640, 360), &scene.with_pair(Pair::default()));
        let [(_, left, _), (_, right, _)] = panels(&scene, Components::Rgbl, (640, 360)).collect::<Vec<_>>()[..] else {
            panic!("a pair is two")
        };
        let light =
            |image: &Image, rect: PanelRect| u32::from(pixel(image, rect.left + rect.width / 2 + 5, rect.top + 8)[1]);
        assert!(light(&image, left) + 12 < light(&plain, left), "{way:?}: dark as the source at the left");
        assert!(light(&image, right).abs_diff(light(&plain, right)) <= 8, "{way:?}: as adjusted at the right");
    }
}

#[test]
fn an_adapter_too_small_for_a_backdrop_draws_the_overlays_without() {
    let mut studio = Studio::new();
    studio.gpu.most_plane_bytes = 30_000;
    let source = natural(PixelLayout::gray(8), (40, 30), colorimetry(Matrix::Bt709, Range::Full), 1);
    let way = WAYS[0];
    studio.load(way, &source, UPRIGHT, Components::Rgbl);
    let soft =
        Scene::from(Look { histograms: OverlayStyle { backdrop: true, ..OverlayStyle::default() }, ..Look::default() });
    let [without, with] = [Scene::default(), soft].map(|scene| studio.snapshot(way, (320, 180), &scene));
    assert_eq!(without, with);
}
