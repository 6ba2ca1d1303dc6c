//! The figures of the other filters whose values QCTools' reports have: cropdetect, entropy, psnr and ssim of the two
//! fields, and idet, each with the options that QCTools gives it. They are computed from the samples that signalstats
//! reads, with the filters' rounding.

use super::planes::{Plane, Planes, distance};

/// Returns the tags of cropdetect, entropy, psnr and ssim, with the values formatted as by the filters. `bins` are those of
/// the planes, by codes as they are read. Pictures whose fields differ in size have none of the last two.
#[must_use]
pub fn tags(planes: &Planes, bins: &[Vec<u64>; 3]) -> Vec<(String, String)> {
    let mut tags = crop(planes);
    tags.extend(entropies(planes, bins));
    if planes.planes[0].rows().len().is_multiple_of(2 << planes.chroma_lines) {
        tags.extend(field_psnr(planes));
        tags.extend(field_ssim(planes).unwrap_or_default());
    }
    tags
}

/// Formats a number like C's "%f" in single precision.
fn format_f(value: f64) -> String {
    format!("{:.6}", value as f32)
}

/// The mean level up to which cropdetect takes a line for black, as a fraction of the scale.
const CROP_LIMIT: f32 = 24.0 / 255.0;
/// The size of the crop is a multiple of this. QCTools asks for 1, for which the filter takes 16.
const CROP_STEP: i64 = 16;

/// Returns the tags of "cropdetect=reset=1:round=1".
fn crop(planes: &Planes) -> Vec<(String, String)> {
    let luma = &planes.planes[0];
    let (width, height) = (luma.width() as i64, luma.rows().len() as i64);
    let limit = (CROP_LIMIT * planes.max_code() as f32).round_ties_even() as u64;
    let mut columns = vec![0_u64; luma.width()];
    let mut lines = Vec::with_capacity(luma.rows().len());
    for row in luma.rows() {
        columns.iter_mut().zip(row).for_each(|(sum, &code)| *sum += u64::from(code));
        lines.push(row.iter().map(|&code| u64::from(code)).sum::<u64>() / width as u64);
    }
    columns.iter_mut().for_each(|sum| *sum /= height as u64);
    // The last line is never the first one of the crop, nor the first one of the crop its last.
    let ends = |means: &[u64]| {
        let last = means.len() - 1;
        let first = means[..last].iter().position(|&mean| mean > limit).unwrap_or(last);
        let end = means[first + 1..].iter().rposition(|&mean| mean > limit).map_or(0, |at| first + 1 + at);
        [first as i64, end as i64]
    };
    let ([x1, x2], [y1, y2]) = (ends(&columns), ends(&lines));
    // The start is even, and the rest of the size is cut off from both sides.
    let cropped = |first: i64, last: i64| {
        let start = (first + 1) & !1;
        let size = last - start + 1;
        let rest = size % CROP_STEP;
        (size - rest, start + ((rest / 2 + 1) & !1))
    };
    let ((w, x), (h, y)) = (cropped(x1, x2), cropped(y1, y2));
    let values = [("x1", x1), ("x2", x2), ("y1", y1), ("y2", y2), ("w", w), ("h", h), ("x", x), ("y", y)];
    values.map(|(name, value)| (format!("cropdetect.{name}"), value.to_string())).into()
}

/// Returns the tags of "entropy=mode=normal,entropy=mode=diff".
fn entropies(planes: &Planes, bins: &[Vec<u64>; 3]) -> Vec<(String, String)> {
    let bits = f64::from(planes.reading.depth);
    let mut tags = Vec::new();
    for mode in ["normal", "diff"] {
        for ((name, plane), bins) in ["Y", "U", "V"].into_iter().zip(&planes.planes).zip(bins) {
            let total = plane.samples() as f32;
            let mut entropy = 0.0_f32;
            let mut add = |count: u64| {
                if count != 0 {
                    let share = count as f32 / total;
                    entropy = (f64::from(entropy) - f64::from(share).log2() * f64::from(share)) as f32;
                }
            };
            match mode {
                "normal" => bins.iter().for_each(|&count| add(count)),
                _ => bins.windows(2).for_each(|pair| add(pair[1].abs_diff(pair[0]))),
            }
            tags.push((format!("entropy.entropy.{mode}.{name}"), format!("{entropy:.6}")));
            let normalized = f64::from(entropy) / bits;
            tags.push((format!("entropy.normalized_entropy.{mode}.{name}"), format!("{normalized:.6}")));
        }
    }
    tags
}

/// Returns each plane's share of the samples.
fn weights(planes: &Planes) -> [f64; 3] {
    let sum: usize = planes.planes.iter().map(Plane::samples).sum();
    planes.planes.each_ref().map(|plane| plane.samples() as f64 / sum as f64)
}

/// Returns the tags of psnr, of the top field against the bottom field.
fn field_psnr(planes: &Planes) -> Vec<(String, String)> {
    let squares = |plane: &Plane| {
        let lines = plane.field(0).zip(plane.field(1));
        let square = |(&a, &b): (&u16, &u16)| u64::from(a.abs_diff(b)).pow(2);
        let sum: u64 = lines.map(|(a, b)| a.iter().zip(b).map(square).sum::<u64>()).sum();
        sum as f64 / (plane.samples() / 2) as f64
    };
    let psnr = |error: f64| 10.0 * (f64::from(planes.max_code()).powi(2) / error).log10();
    let errors = planes.planes.each_ref().map(squares);
    let mean: f64 = errors.iter().zip(weights(planes)).map(|(error, weight)| error * weight).sum();
    let mut tags = Vec::new();
    for (name, error) in ["y", "u", "v"].into_iter().zip(errors) {
        tags.push((format!("psnr.mse.{name}"), format_f(error)));
        tags.push((format!("psnr.psnr.{name}"), format_f(psnr(error))));
    }
    tags.push(("psnr.mse_avg".to_owned(), format_f(mean)));
    tags.push(("psnr.psnr_avg".to_owned(), format_f(psnr(mean))));
    tags
}

/// Width and height of the blocks in which ssim sums up; four of them make a window.
const BLOCK: usize = 4;

/// Returns the tags of ssim, of the top field against the bottom field, unless a plane is smaller than a window.
fn field_ssim(planes: &Planes) -> Option<Vec<(String, String)>> {
    let mut likeness = [0.0; 3];
    for (likeness, plane) in likeness.iter_mut().zip(&planes.planes) {
        *likeness = ssim(plane, planes.max_code())?;
    }
    let all: f64 = likeness.iter().zip(weights(planes)).map(|(likeness, weight)| likeness * weight).sum();
    let decibels = if (1.0 - all).abs() > 1e-9 { 10.0 * (1.0 / (1.0 - all)).log10() } else { f64::INFINITY };
    let named = ["Y", "U", "V", "All", "dB"].into_iter().zip(likeness.into_iter().chain([all, decibels]));
    Some(named.map(|(name, value)| (format!("ssim.{name}"), format_f(value))).collect())
}

/// Returns the mean structural similarity of a plane's fields.
fn ssim(plane: &Plane, max: u32) -> Option<f64> {
    let [top, bottom] = [0, 1].map(|field| plane.field(field).collect::<Vec<_>>());
    let (across, down) = (plane.width() / BLOCK, top.len().min(bottom.len()) / BLOCK);
    if across < 2 || down < 2 {
        return None;
    }
    // Sums of both fields' samples, of their squares, and of their products.
    let sums: Vec<[i64; 4]> = (0..across * down)
        .map(|block| {
            let (x, y) = (block % across * BLOCK, block / across * BLOCK);
            let rows = top[y..][..BLOCK].iter().zip(&bottom[y..][..BLOCK]);
            let pairs = rows.flat_map(|(a, b)| a[x..][..BLOCK].iter().zip(&b[x..][..BLOCK]));
            pairs.fold([0; 4], |[a, b, squares, products], (&s, &t)| {
                let (s, t) = (i64::from(s), i64::from(t));
                [a + s, b + t, squares + s * s + t * t, products + s * t]
            })
        })
        .collect();
    let scale = f64::from(max).powi(2) * 64.0;
    let [c1, c2] = [0.01 * 0.01 * scale, 0.03 * 0.03 * scale * 63.0].map(|constant| (constant + 0.5) as i64);
    let mut sum = 0.0;
    for y in 0..down - 1 {
        for x in 0..across - 1 {
            let at = y * across + x;
            let blocks = [at, at + 1, at + across, at + across + 1];
            let [a, b, squares, products] =
                [0, 1, 2, 3].map(|kind| blocks.iter().map(|&at| sums[at][kind]).sum::<i64>());
            let variances = squares * 64 - a * a - b * b;
            let covariance = products * 64 - a * b;
            let window = (2 * a * b + c1) as f32 * (2 * covariance + c2) as f32
                / ((a * a + b * b + c1) as f32 * (variances + c2) as f32);
            sum += f64::from(window);
        }
    }
    Some(sum / ((across - 1) * (down - 1)) as f64)
}

/// Returns the mean absolute difference of the fields' luma, as a fraction of the scale.
#[must_use]
pub fn between_fields(planes: &Planes) -> f64 {
    let luma = &planes.planes[0];
    let lines = luma.field(0).zip(luma.field(1));
    let sum: u64 = lines.map(|(a, b)| distance(a, b)).sum();
    sum as f64 / (luma.samples() / 2).max(1) as f64 / f64::from(planes.max_code())
}

/// Sums of differences between lines and those around them, by the lines' parity.
pub type ByParity = [i64; 2];

/// What idet compares in a frame: each line with the mean of the lines around it, doubled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Combing {
    /// The line itself.
    own: ByParity,
    /// The line of the frame before.
    before: ByParity,
    /// The line of this frame, with the lines around it of the frame before.
    after: ByParity,
    /// The difference of the line from that of the frame before, doubled.
    moved: ByParity,
}

impl Combing {
    /// Returns how far lines are from those around them that belong to the frame before or the next one: if the top field
    /// came first, an even number of fields apart, and an odd one, or the other way round; and to the same frame.
    fn sums(&self, next: Option<&Self>) -> [i64; 3] {
        let after = next.map_or(self.own, |next| next.after);
        [self.before[0] + after[1], self.before[1] + after[0], self.own[0] + self.own[1]]
    }

    /// Returns `true` if the lines of the frame are hardly nearer to each other than to those of other frames. Idet alone
    /// takes some progressive movements for fields.
    #[must_use]
    pub fn is_combed(&self, next: Option<&Self>) -> bool {
        let [even, odd, own] = self.sums(next);
        own as f64 > COMBED * even.min(odd) as f64
    }
}

/// Compares a picture with the one before, which must be like it, or itself.
#[must_use]
pub fn combing(planes: &Planes, before: Option<&Planes>) -> Combing {
    let mut combing = Combing::default();
    let before = before.unwrap_or(planes);
    for (plane, before) in planes.planes.iter().zip(&before.planes) {
        let [rows, others] = [plane, before].map(|plane| plane.rows().collect::<Vec<_>>());
        for y in 2..rows.len().saturating_sub(2) {
            let parity = y % 2;
            combing.own[parity] += apart(rows[y - 1], rows[y], rows[y + 1]);
            combing.before[parity] += apart(rows[y - 1], others[y], rows[y + 1]);
            combing.after[parity] += apart(others[y - 1], rows[y], others[y + 1]);
            combing.moved[parity] += apart(rows[y], others[y], rows[y]);
        }
    }
    combing
}

/// Returns the sum of the distances of the middle samples from the mean of the others, doubled.
fn apart(above: &[u16], middle: &[u16], below: &[u16]) -> i64 {
    let around = above.iter().zip(below).zip(middle);
    let distance = |((&above, &below), &middle): ((&u16, &u16), &u16)| {
        (i32::from(above) + i32::from(below) - 2 * i32::from(middle)).unsigned_abs()
    };
    i64::from(around.map(distance).sum::<u32>())
}

/// A kind of frame, in the order of the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldKind {
    /// Two fields, the top field first.
    TopFirst,
    /// Two fields, the bottom field first.
    BottomFirst,
    /// All lines belong to the same instant.
    Progressive,
    /// Nothing moves.
    #[default]
    Undetermined,
}

/// The kinds' names.
const KINDS: [&str; 4] = ["tff", "bff", "progressive", "undetermined"];
/// The least distance of the lines of a combed frame from each other, relative to that of lines of other frames.
const COMBED: f64 = 0.57;
/// Kinds of repeated fields, in the order of the filter.
const REPEATED: [&str; 3] = ["neither", "top", "bottom"];
/// The ratios from which a frame is interlaced or progressive, or repeats a field.
const INTERLACED_RATIO: f32 = 1.04;
const PROGRESSIVE_RATIO: f32 = 1.5;
const REPEATED_RATIO: f32 = 3.0;
/// One, in the fixed point of the filter's totals, each of which is halved from frame to frame.
const ONE: u64 = 1 << 20;

/// The decisions of "idet=half_life=1", frame by frame.
#[derive(Debug, Clone, Default)]
pub struct FieldOrder {
    /// The kinds of the last frames, the latest first.
    history: [FieldKind; 4],
    /// The kind that several frames agree on.
    settled: FieldKind,
    repeats: [u64; 3],
    single: [u64; 4],
    several: [u64; 4],
}

impl FieldOrder {
    /// Takes the next frame, and what the frame after it compares, if there is one. Returns the tags.
    pub fn push(&mut self, frame: &Combing, next: Option<&Combing>) -> Vec<(String, String)> {
        let [even, odd, own] = frame.sums(next).map(|sum| sum as f32);
        let kind = if even > INTERLACED_RATIO * odd {
            FieldKind::TopFirst
        } else if odd > INTERLACED_RATIO * even {
            FieldKind::BottomFirst
        } else if odd > PROGRESSIVE_RATIO * own {
            FieldKind::Progressive
        } else {
            FieldKind::Undetermined
        };
        let [top, bottom] = [frame.moved[1], frame.moved[0]].map(|sum| sum as f32);
        let repeated = if top > REPEATED_RATIO * bottom {
            1
        } else if bottom > REPEATED_RATIO * top {
            2
        } else {
            0
        };
        self.settle(kind);
        let count = |totals: &mut [u64], kind: usize| {
            totals.iter_mut().for_each(|total| *total = total.div_ceil(2));
            totals[kind] += ONE;
        };
        count(&mut self.repeats, repeated);
        count(&mut self.single, kind as usize);
        count(&mut self.several, self.settled as usize);
        let kinds = &KINDS[..];
        let groups = [
            ("repeated", &REPEATED[..], REPEATED[repeated], &self.repeats[..]),
            ("single", kinds, KINDS[kind as usize], &self.single[..]),
            ("multiple", kinds, KINDS[self.settled as usize], &self.several[..]),
        ];
        let tags = groups.into_iter().flat_map(|(group, names, current, totals)| {
            let totals = names.iter().zip(totals).map(move |(name, &total)| {
                let hundredths = (total * 100 + ONE / 2) / ONE;
                (format!("idet.{group}.{name}"), format!("{}.{:02}", hundredths / 100, hundredths % 100))
            });
            [(format!("idet.{group}.current_frame"), current.to_owned())].into_iter().chain(totals)
        });
        tags.collect()
    }

    /// Returns the kind of the latest frame, which several frames agree on.
    #[must_use]
    pub const fn settled(&self) -> FieldKind {
        self.settled
    }

    /// Takes the kind of the next frame. The settled kind changes when the last frames agree.
    fn settle(&mut self, kind: FieldKind) {
        self.history.rotate_right(1);
        self.history[0] = kind;
        let known = || self.history.iter().filter(|kind| **kind != FieldKind::Undetermined);
        let Some(&latest) = known().next() else { return };
        let agreeing = if known().all(|kind| *kind == latest) { known().count() } else { 0 };
        if agreeing > if self.settled == FieldKind::Undetermined { 0 } else { 2 } {
            self.settled = latest;
        }
    }
}
