//! Which frames, and which part of their pictures: as the command line states it, and as a file answers it.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use super::ending::{AnalyzeError, Stop};
use crate::media::{Decoder, Seek};
use crate::picture::Picture;
use crate::picture::color::Range;
use crate::picture::layout::ColorModel;
use crate::picture::region::Rect;

/// Frames that are looked at, evenly over the file.
const SAMPLES: u32 = 24;
/// How far above black the mean of a line's luma may lie, in codes of 8 bits.
const TOLERANCE: u64 = 8;

/// A place in the video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// Seconds from the first frame.
    Time(f64),
    /// The number of a frame, from 0.
    Frame(u64),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(secs) => write!(f, "{secs} s"),
            Self::Frame(number) => write!(f, "frame {number}"),
        }
    }
}

/// A length or a distance in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Extent {
    Pixels(u32),
    Percent(f64),
}

impl Extent {
    /// In pixels of a side of that length; parts of a pixel are rounded to the nearest.
    fn of(self, side: u32) -> u32 {
        match self {
            Self::Pixels(pixels) => pixels,
            Self::Percent(percent) => (f64::from(side) * percent / 100.0).round() as u32,
        }
    }
}

/// `--region x,y,w,h`, each in pixels or, with a percent sign, of the picture's width or height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionSpec {
    x: Extent,
    y: Extent,
    width: Extent,
    height: Extent,
}

impl RegionSpec {
    /// A rectangle in pixels.
    #[must_use]
    pub const fn pixels(rect: Rect) -> Self {
        let Rect { x, y, width, height } = rect;
        let [x, y, width, height] =
            [Extent::Pixels(x), Extent::Pixels(y), Extent::Pixels(width), Extent::Pixels(height)];
        Self { x, y, width, height }
    }

    /// The rectangle in a picture of that size; `None` if it is not wholly inside, or has no pixels there.
    #[must_use]
    pub fn in_picture(&self, width: u32, height: u32) -> Option<Rect> {
        let rect = Rect {
            x: self.x.of(width),
            y: self.y.of(height),
            width: self.width.of(width),
            height: self.height.of(height),
        };
        rect.fits(width, height).then_some(rect)
    }
}

impl fmt::Display for RegionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = [self.x, self.y, self.width, self.height].map(|extent| match extent {
            Extent::Pixels(pixels) => pixels.to_string(),
            Extent::Percent(percent) => format!("{percent}%"),
        });
        f.write_str(&text.join(","))
    }
}

impl FromStr for RegionSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is no region; write x,y,width,height in pixels (0,140,1920,800) or in percent of the picture \
                 (25%,25%,50%,50%), the last two above zero"
            )
        };
        let extents = text.split(',').map(|part| extent(part.trim())).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        let &[x, y, width, height] = extents.as_slice() else { return Err(wrong()) };
        let is_empty = |extent| matches!(extent, Extent::Pixels(0)) || extent == Extent::Percent(0.0);
        if is_empty(width) || is_empty(height) { Err(wrong()) } else { Ok(Self { x, y, width, height }) }
    }
}

fn extent(text: &str) -> Option<Extent> {
    match text.strip_suffix('%') {
        None => text.parse().ok().map(Extent::Pixels),
        Some(number) if number.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
            number.parse().ok().filter(|percent| (0.0..=100.0).contains(percent)).map(Extent::Percent)
        }
        Some(_) => None,
    }
}

/// What of a video is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The first frame is the first one that begins at or after this.
    pub from: Option<Point>,
    /// The last frame is the last one that begins before this.
    pub to: Option<Point>,
    /// Only frames whose number is a multiple of this.
    pub every: NonZeroU64,
    /// Only frames at which decoding can start.
    pub keyframes: bool,
    /// Part of the picture.
    pub region: Option<RegionSpec>,
    /// Whether black bars at the edges are found and left out.
    pub crop_bars: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self { from: None, to: None, every: NonZeroU64::MIN, keyframes: false, region: None, crop_bars: false }
    }
}

impl Selection {
    /// Whether the frame of that number is counted, if `--from` and `--to` let it through.
    #[must_use]
    pub const fn takes(&self, number: u64, is_key: bool) -> bool {
        number.is_multiple_of(self.every.get()) && (is_key || !self.keyframes)
    }
}

/// Black bars at the edges of the picture, letterbox and pillarbox, that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bars {
    /// Width and height of the pictures that were looked at.
    pub size: (u32, u32),
    /// What the bars leave.
    pub picture: Rect,
}

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rect { x, y, width, height } = self.picture;
        if self.picture == Rect::whole(self.size.0, self.size.1) {
            return write!(f, "no black bars were found; all of {width}×{height} pixels is counted");
        }
        let (right, below) = (self.size.0 - x - width, self.size.1 - y - height);
        write!(
            f,
            "black bars are left out: {y} rows above, {below} below, {x} columns left, {right} right; {width}×{height} \
             pixels from {x},{y} are counted"
        )
    }
}

/// Looks for bars, and leaves the decoder at the first frame.
///
/// Frames from all over the file are looked at, whichever part of it is analysed, so that all shares of a file find the
/// same bars. A line at an edge belongs to a bar if it is black in every one of those frames.
pub(super) fn find_bars(decoder: &mut Decoder, stop: &Stop) -> Result<Bars, AnalyzeError> {
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
            // Key frames lie so far apart that this one was looked at before.
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
    Ok(Bars { size, picture: lines.picture() })
}

/// Which rows and columns are not black in at least one frame.
struct UsedLines {
    rows: Vec<bool>,
    columns: Vec<bool>,
}

impl UsedLines {
    fn new((width, height): (u32, u32)) -> Self {
        Self { rows: vec![false; height as usize], columns: vec![false; width as usize] }
    }

    fn add(&mut self, picture: &Picture) {
        let layout = picture.layout();
        let components = if layout.model == ColorModel::Rgb { 0..3 } else { 0..1 };
        let scale = layout.bin_bits() - 8;
        let is_limited = picture.colorimetry().range.value == Range::Limited && layout.model != ColorModel::Rgb;
        let most = (TOLERANCE + if is_limited { 16 } else { 0 }) << scale;
        let mut columns = vec![0_u64; self.columns.len()];
        for (y, row) in (0..picture.height()).zip(&mut self.rows) {
            let mut sum = 0;
            for (x, column) in (0..picture.width()).zip(&mut columns) {
                let level: u64 = components.clone().map(|component| u64::from(picture.code(component, x, y))).sum();
                sum += level;
                *column += level;
            }
            *row |= sum > most * u64::from(picture.width()) * components.len() as u64;
        }
        for (is_used, sum) in self.columns.iter_mut().zip(columns) {
            *is_used |= sum > most * u64::from(picture.height()) * components.len() as u64;
        }
    }

    /// What lies between the bars; everything where all is black.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_read_in_pixels_and_percent() {
        let region: RegionSpec = "10, 20,300,40".parse().unwrap();
        assert_eq!(region.in_picture(320, 240), Some(Rect { x: 10, y: 20, width: 300, height: 40 }));
        assert_eq!(region.in_picture(309, 240), None);
        let region: RegionSpec = "25%,0,50%,33.3%".parse().unwrap();
        assert_eq!(region.in_picture(640, 360), Some(Rect { x: 160, y: 0, width: 320, height: 120 }));
        assert_eq!(region.to_string(), "25%,0,50%,33.3%");
        for text in ["", "1,2,3", "1,2,3,4,5", "0,0,0,4", "0,0,4,0%", "-1,0,4,4", "0,0,101%,4", "a,0,1,1", "0,0,1e1%,1"]
        {
            assert!(text.parse::<RegionSpec>().is_err(), "{text}");
        }
        let most = u32::MAX;
        assert_eq!(RegionSpec::pixels(Rect { x: most, y: 0, width: most, height: 1 }).in_picture(100, 100), None);
    }

    #[test]
    fn frames_are_chosen_by_their_own_number() {
        let third = Selection { every: NonZeroU64::new(3).unwrap(), ..Selection::default() };
        let taken: Vec<_> = (5..14).filter(|&number| third.takes(number, false)).collect();
        assert_eq!(taken, [6, 9, 12]);
        let keys = Selection { keyframes: true, ..third };
        assert!(keys.takes(6, true) && !keys.takes(6, false) && !keys.takes(7, true));
    }
}
