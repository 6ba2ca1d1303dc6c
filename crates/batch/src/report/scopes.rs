//! The plain images of a report's scopes: waveforms, the vectorscope, and their graticules.

use super::content::Report;
use histoscope_core::histogram::Components;
use histoscope_core::scopes::graticule::{LineKind, Scale, Unit};
use histoscope_core::scopes::{
    Chroma, Chromaticity, Diagram, Diamond, SPECTRUM, SUM_LEVELS, VectorscopeSum, WaveformSum, level_bits, targets,
};
use histoscope_core::strip::{brightness, channel_color, ramp};
use histoscope_render::gpu::readback::Image;

/// Pixels between the channels of a parade.
const BETWEEN: usize = 10;
/// Minimum distance between two labels of a scale, as a fraction of the height.
const LABEL_DISTANCE: f64 = 0.06;
/// Brightness of a pair of levels with a single sample.
const FLOOR: f64 = 0.25;

/// A waveform of one channel, or of several channels side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Heading of the trace.
    pub title: &'static str,
    /// Name used in identifiers.
    pub name: &'static str,
    /// Indices of the channels, from left to right.
    pub channels: &'static [usize],
}

const RGBL: [Trace; 2] = [
    Trace { title: "Waveform of the whole clip: luminance", name: "waveform", channels: &[3] },
    Trace { title: "Parade: red, green and blue", name: "parade", channels: &[0, 1, 2] },
];
const YCBCR: [Trace; 2] = [
    Trace { title: "Waveform of the whole clip: Y'", name: "waveform", channels: &[0] },
    Trace { title: "Parade: Cb and Cr", name: "parade", channels: &[1, 2] },
];

/// Returns the traces of a report, from top to bottom.
#[must_use]
pub fn traces(sum: &WaveformSum) -> Vec<Trace> {
    let all = match sum.components {
        Components::Rgbl => RGBL,
        Components::YCbCr => YCBCR,
    };
    // Gray pictures have only Y'.
    all.into_iter().filter(|trace| trace.channels.iter().all(|&channel| sum.columns[channel] > 0)).collect()
}

/// Draws a trace with this width and the highest level at the top. The picture is [`SUM_LEVELS`] high. Brightness shows
/// the share of a column's samples, using the same tone curve as the other pictures.
#[must_use]
pub fn trace_picture(sum: &WaveformSum, trace: &Trace, width: usize) -> Image {
    let mut image = Image { width: width as u32, height: SUM_LEVELS as u32, rgba: vec![255; width * SUM_LEVELS * 4] };
    image.rgba.chunks_exact_mut(4).for_each(|pixel| pixel[..3].fill(0));
    let count = trace.channels.len();
    let each = (width - BETWEEN * (count - 1)) / count;
    for (index, &channel) in trace.channels.iter().enumerate() {
        let color = channel_color(sum.components, channel);
        for x in 0..each {
            let shares = shares(sum, channel, (x, each));
            for (level, share) in shares.into_iter().enumerate() {
                let at = (SUM_LEVELS - 1 - level) * width + index * (each + BETWEEN) + x;
                image.rgba[4 * at..][..3].copy_from_slice(&ramp(color, brightness(share)));
            }
        }
    }
    image
}

/// Returns the shares of the samples, level by level, over the waveform columns within the column of pixels `x` of
/// `width`.
fn shares(sum: &WaveformSum, channel: usize, (x, width): (usize, usize)) -> Vec<f64> {
    let columns = sum.columns[channel] as usize;
    let first = x * columns / width;
    let end = ((x + 1) * columns).div_ceil(width).max(first + 1);
    let mut counts = vec![0; SUM_LEVELS];
    for column in first..end {
        counts.iter_mut().zip(sum.column(channel, column)).for_each(|(count, more)| *count += more);
    }
    let samples = counts.iter().sum::<u64>().max(1) as f64;
    counts.into_iter().map(|count| count as f64 / samples).collect()
}

/// A line of a trace's graticule.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceLine {
    /// Position of the line, from 0 at the bottom to 1 at the top.
    pub place: f64,
    /// Kind of the line.
    pub kind: LineKind,
    /// The value in percent or cd/m², and the nearest code, if there is room for a label.
    pub label: Option<(String, u32)>,
    /// The text after the value: its unit, which light has at the top only.
    pub unit: &'static str,
}

/// Returns the graticule lines of a trace, whose channels all have the same scale.
#[must_use]
pub fn lines(report: &Report, trace: &Trace) -> Vec<TraceLine> {
    lines_of(report.scale(trace.channels.first().copied().unwrap_or(0)), LABEL_DISTANCE)
}

/// Returns the lines of a scale, of whose labels any two are at least `distance` apart, as a fraction of the height.
#[must_use]
pub fn lines_of(scale: Scale, distance: f64) -> Vec<TraceLine> {
    let levels = f64::from(1_u32 << level_bits(scale.bits()));
    let codes = f64::from(1_u32 << scale.bits()) / levels;
    let top = f64::from((1_u32 << scale.bits()) - 1);
    let mut marks = scale.marks(Unit::Percent);
    let last = marks.last().map_or(0.0, |mark| mark.level);
    // Earlier lines claim space for labels first.
    marks.sort_by(|a, b| b.kind.cmp(&a.kind).then(a.level.total_cmp(&b.level)));
    let mut lines: Vec<TraceLine> = Vec::new();
    for mark in marks {
        let place = ((mark.level + 0.5) / levels).clamp(0.0, 1.0);
        let is_free = |line: &TraceLine| line.label.is_none() || (line.place - place).abs() >= distance;
        let code = ((mark.level + 0.5) * codes - 0.5).round().clamp(0.0, top) as u32;
        let label = lines.iter().all(is_free).then_some((mark.label, code));
        let unit = match scale.light() {
            None => " %",
            Some(_) if mark.level >= last => " cd/m²",
            Some(_) => "",
        };
        lines.push(TraceLine { place, kind: mark.kind, label, unit });
    }
    lines
}

/// Draws the vectorscope with the first coordinate to the right and the second up, [`SUM_LEVELS`] pixels per side.
/// Brightness is logarithmic in the count, so that even a pair of levels with a single sample is visible. The colour is
/// the hue of the pair.
#[must_use]
pub fn vectorscope_picture(sum: &VectorscopeSum) -> Image {
    let side = SUM_LEVELS;
    let mut image = Image { width: side as u32, height: side as u32, rgba: vec![255; side * side * 4] };
    let most = sum.counts.iter().copied().max().unwrap_or(0) as f64;
    let hue = hue_of(&sum.chroma);
    for (cb, counts) in sum.counts.chunks_exact(side).enumerate() {
        for (cr, &count) in counts.iter().enumerate() {
            let light =
                if count == 0 { 0.0 } else { FLOOR + (1.0 - FLOOR) * (count as f64).ln() / most.ln().max(1e-9) };
            let color = hue([cb, cr]).map(|part| (255.0 * part * light.min(1.0)).round() as u8);
            let at = (side - 1 - cr) * side + cb;
            image.rgba[4 * at..][..3].copy_from_slice(&color);
        }
    }
    image
}

/// Returns the red, green and blue (0 to 1) of the brightest colour of each pair of levels, shifted slightly towards
/// white.
fn hue_of(chroma: &Chroma) -> impl Fn([usize; 2]) -> [f64; 3] {
    const WHITE: f64 = 0.25;
    let (kr, kb) = chroma.luma_weights();
    let (light, is_diamond) = (chroma.chromaticity().map(Chromaticity::to_bt709), chroma.diagram() == Diagram::Diamond);
    move |levels| {
        if let Some(rows) = light {
            let [x, y] = levels.map(|level| (level as f64 + 0.5) / SUM_LEVELS as f64);
            let parts = rows.map(|[first, second, one]| (first * x + second * y + one).max(0.0));
            let most = parts.into_iter().fold(1e-9, f64::max);
            return parts.map(|part| WHITE + (1.0 - WHITE) * (part / most).sqrt());
        }
        if is_diamond {
            return [1.0; 3];
        }
        let [cb, cr] = levels.map(|level| (level as f64 - 128.0) / 224.0);
        let (red, blue) = (2.0 * (1.0 - kr) * cr, 2.0 * (1.0 - kb) * cb);
        let green = -(kr * red + kb * blue) / (1.0 - kr - kb);
        let most = red.max(green).max(blue);
        [red, green, blue].map(|part| WHITE + (1.0 - WHITE) * (1.0 + part - most).clamp(0.0, 1.0))
    }
}

/// A target of the vectorscope's graticule.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetMark {
    /// The usual name of the colour; only for 100 % targets.
    pub name: Option<&'static str>,
    /// Position in the picture, in pixels from the left and the top.
    pub at: [f64; 2],
}

/// Returns the 75 % and 100 % targets of colour differences.
#[must_use]
pub fn target_marks(sum: &VectorscopeSum) -> Vec<TargetMark> {
    let Chroma { matrix, range, bits, .. } = sum.chroma;
    if sum.chroma.diagram() != Diagram::CbCr {
        return Vec::new();
    }
    let codes = f64::from(1_u32 << (bits - 8));
    let place = |code: f64| (code + 0.5) / codes;
    let of = |amplitude: f64| {
        let all = matrix.luma_weights().map(|_| targets(matrix, range, bits, amplitude));
        all.into_iter().flatten().map(move |target| TargetMark {
            name: (amplitude == 1.0).then_some(target.name),
            at: [place(target.codes[0]), SUM_LEVELS as f64 - place(target.codes[1])],
        })
    };
    of(0.75).chain(of(1.0)).collect()
}

/// Returns the closed lines of the graticule: corners in pixels from the left and the top.
#[must_use]
pub fn outlines(sum: &VectorscopeSum) -> Vec<Vec<[f64; 2]>> {
    let of_level = f64::from(1_u32 << sum.chroma.level_bits()) / SUM_LEVELS as f64;
    let place = |[first, second]: [f64; 2]| [(first + 0.5) / of_level, SUM_LEVELS as f64 - (second + 0.5) / of_level];
    let diagram = sum.chroma.diagram();
    if let (Diagram::Diamond, Some(axis)) = (diagram, diagram.axis(sum.chroma.level_bits())) {
        let place = |corner: [f64; 2]| place(corner.map(|part| axis.level_of(part)));
        return Diamond::outlines(0.0, 1.0).map(|corners| corners.map(place).to_vec()).to_vec();
    }
    let Some(chromaticity) = sum.chroma.chromaticity() else { return Vec::new() };
    let closed = |all: &[[f64; 2]]| all.iter().map(|&xy| place(chromaticity.place(xy))).collect();
    let [red, green, blue, _] = chromaticity.primaries.chromaticities();
    vec![closed(&SPECTRUM), closed(&[red, green, blue])]
}

/// Describes the graticule.
#[must_use]
pub fn graticule_text(sum: &VectorscopeSum) -> String {
    let Chroma { matrix, range, .. } = sum.chroma;
    match (sum.chroma.chromaticity(), matrix.luma_weights()) {
        _ if sum.chroma.diagram() == Diagram::Diamond => {
            "R'G'B' diamonds: green and blue above, green and red below; outside them, codes are out of gamut"
                .to_owned()
        }
        (Some(Chromaticity { diagram, primaries, .. }), _) => {
            format!("{}: the spectrum, and the gamut of {}", diagram.name(), primaries.name())
        }
        (None, Some(_)) => format!("targets of 75 and 100 % of {matrix}, {range} range"),
        (None, None) => format!("{matrix}, {range} range, which has no targets"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::clip::{ClipBuilder, FramePlace, SoundLevels};
    use crate::report::thumbnails::Thumbnails;
    use histoscope_core::histogram::{Histogram, LightScale};
    use histoscope_core::picture::color::{Matrix, Range};
    use histoscope_core::picture::layout::PixelLayout;
    use histoscope_core::picture::region::Rect;
    use histoscope_core::scopes::{ScopeCounts, ScopeSums, Vectorscope, Waveform};
    use histoscope_core::strip::Rgb;

    /// Returns a report of two 10-bit frames with `width` columns. Column x has level 4 · x, and there is one blue
    /// sample.
    fn report(width: u32, components: Components) -> Report {
        let layout = PixelLayout::planar_ycbcr(10, (0, 0));
        let mut waveform = Waveform::empty(&layout, Rect::whole(width, 2), components);
        for channel in 0..components.channel_names().len() {
            for column in 0..waveform.columns[channel] {
                waveform.column_mut(channel, column)[(4 * column as usize) % 1024] = 2;
            }
        }
        let mut vectorscope = Vectorscope::empty(10);
        vectorscope.counts[(960 << 10) + 472] = 1;
        vectorscope.counts[(512 << 10) + 512] = 1000;
        let mut scopes = ScopeSums::default();
        let counts = ScopeCounts { waveform: Some(waveform), vectorscope: Some(vectorscope) };
        let chroma = Chroma::coded(Matrix::Bt709, Range::Limited, 10);
        let mut clip = ClipBuilder::new(components, 0.03);
        for number in 0..2 {
            scopes.add(&counts, Some(chroma), 1);
            let place = FramePlace {
                number,
                time_secs: number as f64,
                duration_secs: 1.0,
                range: Range::Limited,
                timecode: None,
                difference: None,
                sound: SoundLevels::default(),
            };
            clip.add(place, &Histogram::empty(10, components));
        }
        let clip = clip.finish().unwrap();
        let (name, thumbnails) = ("clip".to_owned(), Thumbnails::default());
        let (facts, notes) = (Vec::new(), Vec::new());
        Report { name, facts, notes, clip, light: None, thumbnails, scopes, sound: None, check: None }
    }

    fn pixel(image: &Image, x: usize, y: usize) -> Rgb {
        let at = (y * image.width as usize + x) * 4;
        [image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]]
    }

    #[test]
    fn every_column_is_drawn_at_its_level() {
        // As wide as the picture, narrower and wider.
        for (width, pixels) in [(200, 200), (60, 240), (240, 60)] {
            let report = report(width, Components::Rgbl);
            let sum = report.scopes.waveform().unwrap();
            let image = trace_picture(sum, &traces(sum)[0], pixels);
            for x in 0..pixels {
                let lit: Vec<usize> = (0..256).filter(|&y| pixel(&image, x, y) != [0; 3]).map(|y| 255 - y).collect();
                let columns = x * width as usize / pixels..((x + 1) * width as usize).div_ceil(pixels);
                assert_eq!(lit.iter().rev().copied().collect::<Vec<_>>(), columns.collect::<Vec<_>>(), "{width} {x}");
            }
        }
    }

    #[test]
    fn a_parade_shows_its_channels_side_by_side() {
        let report = report(100, Components::Rgbl);
        let sum = report.scopes.waveform().unwrap();
        let image = trace_picture(sum, &traces(sum)[1], 320);
        for (channel, begin) in [(0, 0), (1, 110), (2, 220)] {
            let color = ramp(channel_color(Components::Rgbl, channel), brightness(1.0));
            assert_eq!(pixel(&image, begin + 40, 255 - 40), color, "channel {channel}");
        }
        assert!((100..110).all(|x| (0..256).all(|y| pixel(&image, x, y) == [0; 3])), "black between them");
    }

    #[test]
    fn lines_are_at_their_codes_and_labels_do_not_overlap() {
        let report = report(100, Components::YCbCr);
        let sum = report.scopes.waveform().unwrap();
        let lines = lines(&report, &traces(sum)[0]);
        let at = |percent: &str| lines.iter().find(|line| line.label.as_ref().is_some_and(|label| label.0 == percent));
        for (percent, code, kind) in [("0", 64, LineKind::Nominal), ("100", 940, LineKind::Nominal)] {
            let line = at(percent).unwrap();
            assert_eq!((line.label.as_ref().unwrap().1, line.kind), (code, kind));
            assert!((line.place - (f64::from(code) + 0.5) / 1024.0).abs() < 1e-9);
        }
        assert_eq!(lines.iter().filter(|line| line.kind == LineKind::Tolerance).count(), 2, "EBU R 103");
        let labelled: Vec<f64> = lines.iter().filter(|line| line.label.is_some()).map(|line| line.place).collect();
        for (index, a) in labelled.iter().enumerate() {
            assert!(labelled[..index].iter().all(|b| (a - b).abs() >= LABEL_DISTANCE), "{labelled:?}");
        }
    }

    /// The codes are those of ST 2084 in limited range, as NumPy computes them.
    #[test]
    fn lines_of_pq_are_labelled_with_their_light() {
        let report = Report { light: Some(LightScale::Pq), ..report(100, Components::YCbCr) };
        let sum = report.scopes.waveform().unwrap();
        let luma = lines(&report, &traces(sum)[0]);
        let labels: Vec<_> = luma.iter().filter_map(|line| line.label.clone()).collect();
        for (light, code) in [("0", 64), ("1", 195), ("100", 509), ("203", 573), ("1000", 723), ("10000", 940)] {
            assert!(labels.contains(&(light.to_owned(), code)), "{labels:?}");
        }
        let unit = |light: &str| luma.iter().find(|line| line.label.as_ref().is_some_and(|label| label.0 == light));
        assert_eq!((unit("10000").unwrap().unit, unit("203").unwrap().unit), (" cd/m²", ""));
        assert!(lines(&report, &traces(sum)[1]).iter().all(|line| line.unit == " %"), "colour differences have none");
    }

    /// A sample of 100 % blue falls into the box of its target, is blue, and is visible next to a thousand gray ones.
    #[test]
    fn samples_fall_into_the_boxes_of_their_targets() {
        let report = report(100, Components::Rgbl);
        let sum = report.scopes.vectorscope.as_ref().unwrap();
        let image = vectorscope_picture(sum);
        let lit: Vec<(usize, usize)> = (0..256)
            .flat_map(|y| (0..256).map(move |x| (x, y)))
            .filter(|&(x, y)| pixel(&image, x, y) != [0; 3])
            .collect();
        assert_eq!(lit, [(128, 127), (240, 137)]);
        let [red, green, blue] = pixel(&image, 240, 137);
        assert!(blue > 50 && blue > red + 20 && blue > green + 20, "{red} {green} {blue}");
        let [red, green, blue] = pixel(&image, 128, 127);
        assert!(red == green && green == blue && red > 250, "gray is white");
        let aim = target_marks(sum).into_iter().find(|aim| aim.name == Some("B")).unwrap();
        assert!((aim.at[0] - 240.5).abs() < 1.0 && (aim.at[1] - 137.5).abs() < 1.0, "{aim:?}");
    }
}
