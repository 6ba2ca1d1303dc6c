//! The selected frames and the selected part of their pictures, as given on the command line and as found in a file.

use std::fmt;
use std::num::NonZeroU64;

use super::error::{AnalyzeError, Stop};
use crate::region::RegionSpec;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Picture, Point};
use histoscope_media::{Decoder, Seek};

/// Number of frames examined for black bars, spread evenly over the file.
const SAMPLES: u32 = 24;
/// Maximum mean luma above black for a line of a black bar, in 8-bit codes.
const TOLERANCE: u64 = 8;

/// The frames of a video to count, and the part of their pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Start: the first frame counted begins at or after this point.
    pub from: Option<Point>,
    /// End: the last frame counted begins before this point.
    pub to: Option<Point>,
    /// Count only frames whose number is a multiple of this.
    pub every: NonZeroU64,
    /// Count only frames at which decoding can start.
    pub keyframes: bool,
    /// The part of the picture to count.
    pub region: Option<RegionSpec>,
    /// `true` to detect black bars at the edges and exclude them.
    pub crop_bars: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self { from: None, to: None, every: NonZeroU64::MIN, keyframes: false, region: None, crop_bars: false }
    }
}

impl Selection {
    /// Returns `true` if the frame with this number is counted, provided it lies between `--from` and `--to`.
    #[must_use]
    pub const fn takes(&self, number: u64, is_key: bool) -> bool {
        number.is_multiple_of(self.every.get()) && (is_key || !self.keyframes)
    }
}

/// Black bars found at the edges of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlackBars {
    /// Width and height of the examined pictures.
    pub size: (u32, u32),
    /// The rectangle between the bars.
    pub picture: Rect,
}

impl fmt::Display for BlackBars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rect { x, y, width, height } = self.picture;
        if self.picture == Rect::whole(self.size.0, self.size.1) {
            return write!(f, "no black bars were found; all {width}×{height} pixels are counted");
        }
        let (right, below) = (self.size.0 - x - width, self.size.1 - y - height);
        write!(
            f,
            "black bars are left out: {y} rows above, {below} below, {x} columns left, {right} right; {width}×{height} \
             pixels from {x},{y} are counted"
        )
    }
}

/// Searches for black bars, then resets the decoder to the first frame.
///
/// It examines frames from the whole file, whichever part is analysed, so that all shares of a file find the same bars.
/// A line at an edge belongs to a bar if it is black in all of these frames.
pub(super) fn find_bars(decoder: &mut Decoder, stop: &Stop) -> Result<BlackBars, AnalyzeError> {
    if !decoder.info().seekable {
        return Err(AnalyzeError::NeedsFile { input: decoder.info().path.clone(), what: "--crop-bars" });
    }
    let size = decoder.info().coded_size;
    let duration = decoder.info().duration_secs.unwrap_or(0.0);
    let mut lines = UsedLines::new(size);
    let mut last_ticks = None;
    for sample in 0..SAMPLES {
        if stop.is_stopped() {
            break;
        }
        let secs = duration * (f64::from(sample) + 0.5) / f64::from(SAMPLES);
        decoder.seek(Seek::Keyframe(secs))?;
        let mut frame = decoder.next_frame()?;
        if frame.as_ref().is_some_and(|frame| Some(frame.pts_ticks) == last_ticks) {
            // Keyframes are so far apart that this one has already been examined.
            decoder.seek(Seek::to(secs))?;
            frame = decoder.next_frame()?;
        } else {
            last_ticks = frame.as_ref().map(|frame| frame.pts_ticks);
        }
        if let Some(frame) = frame
            && (frame.picture.width(), frame.picture.height()) == size
        {
            lines.add(&frame.picture);
        }
    }
    decoder.seek(Seek::START)?;
    Ok(BlackBars { size, picture: lines.picture() })
}

/// The rows and columns that are not black in at least one frame.
struct UsedLines {
    rows: Vec<bool>,
    columns: Vec<bool>,
}

impl UsedLines {
    fn new((width, height): (u32, u32)) -> Self {
        Self { rows: vec![false; height as usize], columns: vec![false; width as usize] }
    }

    /// Examines the lines at the edges that were black so far, inwards to the first that is not.
    fn add(&mut self, picture: &Picture) {
        let layout = picture.layout();
        let components = if layout.model == ColorModel::Rgb { 0..3 } else { 0..1 };
        let most = black_level(picture);
        let level = |x, y| components.clone().map(|component| u64::from(picture.code(component, x, y))).sum::<u64>();
        let (width, height) = (picture.width(), picture.height());
        let row = |y| (0..width).map(|x| level(x, y)).sum::<u64>() > most * u64::from(width);
        let column = |x| (0..height).map(|y| level(x, y)).sum::<u64>() > most * u64::from(height);
        examine_edges(&mut self.rows, row);
        examine_edges(&mut self.columns, column);
    }

    /// Returns the rectangle between the bars, or the whole picture if everything is black.
    fn picture(&self) -> Rect {
        let used = |lines: &[bool]| {
            let first = lines.iter().position(|line| *line)?;
            let last = lines.iter().rposition(|line| *line)?;
            Some((first as u32, (last - first + 1) as u32))
        };
        match (used(&self.columns), used(&self.rows)) {
            (Some((x, width)), Some((y, height))) => Rect { x, y, width, height },
            _ => Rect::whole(self.columns.len() as u32, self.rows.len() as u32),
        }
    }
}

/// Examines unused lines from both edges inwards to the first used line.
fn examine_edges(lines: &mut [bool], is_used: impl Fn(u32) -> bool) {
    let examine = |at: usize, line: &mut bool| {
        *line = *line || is_used(at as u32);
        *line
    };
    let mut lines = lines.iter_mut().enumerate();
    if lines.any(|(at, line)| examine(at, line)) {
        let _ = lines.rev().any(|(at, line)| examine(at, line));
    }
}

/// Returns the highest level of black: of luma, or of the sum of R', G' and B'.
pub(super) fn black_level(picture: &Picture) -> u64 {
    let layout = picture.layout();
    let is_rgb = layout.model == ColorModel::Rgb;
    let is_limited = picture.colorimetry().range.value == Range::Limited && !is_rgb;
    ((TOLERANCE + if is_limited { 16 } else { 0 }) << (layout.bin_bits() - 8)) * if is_rgb { 3 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_selected_by_number() {
        let third = Selection { every: NonZeroU64::new(3).unwrap(), ..Selection::default() };
        let taken: Vec<_> = (5..14).filter(|&number| third.takes(number, false)).collect();
        assert_eq!(taken, [6, 9, 12]);
        let keys = Selection { keyframes: true, ..third };
        assert!(keys.takes(6, true) && !keys.takes(6, false) && !keys.takes(7, true));
    }
}
