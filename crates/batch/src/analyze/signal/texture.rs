//! What the filter tells of neighbours: how far a picture is from the one before, pixels that stand out of the lines around
//! them, and lines that repeat.

use super::reading::SampleReading;
use histoscope_core::picture::Picture;

/// Lines that are compared lie this far apart, so that both are of one field.
const REPEAT_LINES: usize = 4;

/// The figures of a picture's neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Mean absolute difference of Y', Cb and Cr from the picture before, in codes; 0 of the first picture.
    pub differences: [f64; 3],
    /// Share of pixels that stand out of the lines above and below.
    pub outliers: f64,
    /// Share of lines that repeat the one four lines above.
    pub repeats: f64,
}

/// The figures of a picture beside the one before, which is the first of its size where there is none.
#[must_use]
pub fn texture(picture: &Picture, last: Option<&Picture>, reading: SampleReading) -> Texture {
    let same = |last: &&Picture| {
        (last.width(), last.height(), last.layout()) == (picture.width(), picture.height(), picture.layout())
    };
    let last = last.filter(same);
    let (luma, width) = reading.plane(picture, 0);
    let rows: Vec<_> = luma.chunks(width).collect();
    let pixels = luma.len().max(1) as f64;
    Texture {
        differences: [0, 1, 2].map(|component| last.map_or(0.0, |last| difference(picture, last, component, reading))),
        outliers: outliers(&rows) as f64 / pixels,
        repeats: (repeated_lines(&rows) * width as u64) as f64 / pixels,
    }
}

fn difference(picture: &Picture, last: &Picture, component: usize, reading: SampleReading) -> f64 {
    let (width, height) = picture.layout().component_size(component, picture.width(), picture.height());
    let [mut now, mut before] = [(); 2].map(|()| vec![0_u16; width as usize]);
    let mut sum = 0;
    for y in 0..height {
        reading.row(picture, component, y, &mut now);
        reading.row(last, component, y, &mut before);
        sum += distance(&now, &before);
    }
    sum as f64 / (f64::from(width) * f64::from(height))
}

/// The sum of absolute differences.
fn distance(a: &[u16], b: &[u16]) -> u64 {
    a.iter().zip(b).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum()
}

fn repeated_lines(rows: &[&[u16]]) -> u64 {
    let pairs = rows.iter().zip(rows.iter().skip(REPEAT_LINES));
    pairs.map(|(above, row)| u64::from(distance(above, row) < row.len() as u64)).sum()
}

/// Pixels that with both neighbours in their line stand out of the lines next to it, and where there are such, of those two
/// lines away. The outermost lines and columns are left out.
fn outliers(rows: &[&[u16]]) -> u64 {
    let Some(width) = rows.first().map(|row| row.len()) else { return 0 };
    let [mut stands_out, mut farther] = [(); 2].map(|()| vec![0_u8; width]);
    let mut count = 0;
    for y in 1..rows.len().saturating_sub(1) {
        mark(&mut stands_out, [rows[y - 1], rows[y], rows[y + 1]]);
        if y >= 2 && y + 2 < rows.len() {
            mark(&mut farther, [rows[y - 2], rows[y], rows[y + 2]]);
            stands_out.iter_mut().zip(&farther).for_each(|(near, far)| *near &= far);
        }
        count += stands_out.windows(3).map(|three| u64::from(three[0] & three[1] & three[2])).sum::<u64>();
    }
    count
}

/// Writes where the middle row stands out of the others. The filter takes the lowest 8 bits of each sample, also of deep ones.
fn mark(marks: &mut [u8], [above, row, below]: [&[u16]; 3]) {
    for (((out, &above), &row), &below) in marks.iter_mut().zip(above).zip(row).zip(below) {
        let [above, row, below] = [above, row, below].map(|code| i32::from(code as u8));
        let stands_out = ((above - row).abs() + (below - row).abs()) / 2 - (below - above).abs() > 4;
        *out = u8::from(stands_out);
    }
}
