//! Defects of tape and film in a picture: dropouts, pixels that stand out, and lines that the head's switching displaces.
//!
//! A line is compared with those two away, which belong to the same field.

use super::planes::{Planes, REPEAT_LINES, distance};
use histoscope_core::picture::region::Rect;

/// The defects of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Defects {
    /// Dropouts: stretches of single lines that differ from the lines around them and from the picture before.
    pub dropouts: Vec<Rect>,
    /// Pixels that stand out from all of their neighbours, from left to right and from top to bottom.
    pub specks: Vec<Speck>,
    /// Number of lines at the bottom that are displaced.
    pub displaced_lines: u32,
    /// Share of lines that repeat the line four above although they show something.
    pub repeated: f64,
}

/// A pixel that stands out from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speck {
    /// Its column and line.
    pub place: [u32; 2],
    /// The nearest code of its neighbours, as a fraction of the scale.
    pub beside: f64,
    /// `true` if it is brighter than its neighbours.
    pub is_bright: bool,
}

/// The distance of a dropout from the lines around it and the picture before, as a fraction of the scale. Those lines differ
/// by less than half of it.
const DROPOUT: f64 = 0.15;
/// The minimum length of a dropout in pixels.
const DROPOUT_PIXELS: usize = 8;
/// The distance of a speck from all of its neighbours, as a fraction of the scale.
const SPECK: f64 = 1.0 / 16.0;
/// Number of lines at the bottom that the switching of heads may displace.
const SWITCHED_LINES: usize = 16;
/// The least difference of a displaced line from the one above, as a fraction of the scale. It is also half as large again
/// as that of any line in the lower half of the picture above the last ones.
const DISPLACED: f64 = 0.015;
/// The least mean difference of neighbours in a line that shows something, as a fraction of the scale.
const TEXTURE: f64 = 0.01;
/// Distance of the lines of a field.
const FIELD: usize = 2;

/// Finds the defects of a picture, except dropouts.
#[must_use]
pub fn defects(planes: &Planes) -> Defects {
    let luma = &planes.planes[0];
    let scale = f64::from(planes.max_code());
    let code = |share: f64| (share * scale) as i32;
    let rows: Vec<_> = luma.rows().collect();
    let specks = specks(&rows, code(SPECK), scale);
    let displaced_lines = displaced_lines(&rows, code(DISPLACED) as u64);
    Defects { dropouts: Vec::new(), specks, displaced_lines, repeated: repeated(&rows, code(TEXTURE) as u64) }
}

/// Returns the share of lines that differ from the line four above by less than a code in the mean, and from pixel to pixel
/// by at least `texture`.
fn repeated(rows: &[&[u16]], texture: u64) -> f64 {
    let pairs = rows.iter().zip(rows.iter().skip(REPEAT_LINES));
    let is_repeated = |(above, row): (&&[u16], &&[u16])| {
        let width = row.len() as u64;
        distance(above, row) < width && distance(row, &row[1..]) >= texture * width
    };
    pairs.map(|pair| f64::from(u8::from(is_repeated(pair)))).sum::<f64>() / rows.len() as f64
}

/// Finds the dropouts of a picture. The picture before has the same size.
#[must_use]
pub fn dropouts(planes: &Planes, before: &Planes) -> Vec<Rect> {
    let least = (DROPOUT * f64::from(planes.max_code())) as i32;
    let [rows, earlier] = [planes, before].map(|planes| planes.planes[0].rows().collect::<Vec<_>>());
    let mut found = Vec::new();
    for y in FIELD..rows.len().saturating_sub(FIELD) {
        let (row, above, below, before) = (rows[y], rows[y - FIELD], rows[y + FIELD], earlier[y]);
        // 1 if the pixel is brighter than what is around it, −1 if darker.
        let sign = |x: usize| {
            let [code, above, below, before] = [row[x], above[x], below[x], before[x]].map(i32::from);
            let is_even = (above - below).abs() < least / 2;
            let (low, high) = (above.min(below).min(before), above.max(below).max(before));
            i32::from(is_even && code > high + least) - i32::from(is_even && code < low - least)
        };
        let mut run = (0, 0);
        for x in 0..=row.len() {
            let here = if x < row.len() { sign(x) } else { 0 };
            if here != run.1 {
                if run.1 != 0 && x - run.0 >= DROPOUT_PIXELS {
                    found.push(Rect { x: run.0 as u32, y: y as u32, width: (x - run.0) as u32, height: 1 });
                }
                run = (x, here);
            }
        }
    }
    found
}

fn specks(rows: &[&[u16]], least: i32, scale: f64) -> Vec<Speck> {
    let mut found = Vec::new();
    for (y, three) in rows.windows(3).enumerate() {
        let [above, row, below] = [three[0], three[1], three[2]];
        for x in 1..row.len().saturating_sub(1) {
            let code = i32::from(row[x]);
            // Most pixels are near one of these two.
            let [left, up] = [row[x - 1], above[x]].map(i32::from);
            if (code - left).abs() < least || (code - up).abs() < least {
                continue;
            }
            let around = [row[x + 1], above[x - 1], above[x + 1], below[x - 1], below[x], below[x + 1]].map(i32::from);
            let high = around.into_iter().fold(left.max(up), i32::max);
            let low = around.into_iter().fold(left.min(up), i32::min);
            if code >= high + least || code + least <= low {
                let is_bright = code > high;
                let beside = f64::from(if is_bright { high } else { low }) / scale;
                found.push(Speck { place: [x as u32, y as u32 + 1], beside, is_bright });
            }
        }
    }
    found
}

/// Returns the number of lines from the first one near the bottom that differs from the line above in its field unless it
/// is moved to the side.
fn displaced_lines(rows: &[&[u16]], least: u64) -> u32 {
    let (height, width) = (rows.len(), rows.first().map_or(0, |row| row.len()));
    let reach = width / 16;
    if height < 4 * SWITCHED_LINES || reach == 0 {
        return 0;
    }
    let inner = reach..width - reach;
    let apart = |y: usize, moved: usize| -> u64 {
        let (row, above) = (&rows[y][inner.clone()], &rows[y - FIELD][moved..][..inner.len()]);
        row.iter().zip(above).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum()
    };
    let usual = (height / 2..height - SWITCHED_LINES).map(|y| apart(y, reach)).max().unwrap_or(0);
    let least = (least * inner.len() as u64).max(usual * 3 / 2);
    let is_displaced = |&y: &usize| {
        let unmoved = apart(y, reach);
        unmoved > least && (0..=2 * reach).any(|moved| 2 * apart(y, moved) < unmoved)
    };
    (height - SWITCHED_LINES..height).find(is_displaced).map_or(0, |y| (height - y) as u32)
}
