//! Choosing the counted part of the picture by key, and the notes on it.

use histoscope_core::picture::bars::{self, EdgeBars};
use histoscope_core::picture::color::blanking_lines;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Orientation, Picture};
use histoscope_render::view::region::{self, Line, Region, RegionFrame};

/// The note on a region that has been cleared.
const CLEARED: &str = "region cleared: the whole picture is counted";

/// Searches the picture for black bars and proposes the area between them. If a region is already proposed, takes that
/// instead. Returns the new region and the note to show.
#[must_use]
pub fn find_bars(region: Region, picture: &Picture) -> (Region, String) {
    if region.taken().is_some() {
        return take(region);
    }
    let size = (picture.width(), picture.height());
    match bars::find(picture) {
        EdgeBars::None => (region, "no black bars at the edges of this frame".to_owned()),
        EdgeBars::Black => (region, "this frame is black: no bars can be found".to_owned()),
        EdgeBars::Around(rect) if region.counted() == Some(rect) => {
            (region, "the region already leaves the bars out".to_owned())
        }
        EdgeBars::Around(rect) => {
            let left_out = match blanking_lines(size.0, size.1) {
                0 => "black bars around".to_owned(),
                lines => format!("{lines} lines of vertical blanking above"),
            };
            let text = format!("{left_out} {}: Enter uses it as the region, Esc discards it", region::text(rect));
            (region.proposing(rect, size), text)
        }
    }
}

/// Takes the proposed region. Returns the new region and the note to show.
#[must_use]
pub fn take(region: Region) -> (Region, String) {
    match region.taken().map(|taken| (taken, taken.counted())) {
        Some((taken, Some(rect))) => (taken, format!("counting {}", words(rect))),
        _ => (region, "no region is proposed: Shift+R looks for black bars".to_owned()),
    }
}

/// Drops the last proposal or choice. Returns the remaining region and the note to show, or `None` if there is nothing
/// to drop.
#[must_use]
pub fn drop_last(region: Region) -> Option<(Region, String)> {
    let left = region.dropped()?;
    let text = match region.shown() {
        Some(RegionFrame::Proposed(_)) => "proposed region discarded",
        _ => CLEARED,
    };
    Some((left, text.to_owned()))
}

/// Clears any proposed or chosen region, so that the whole picture is counted. Returns the new region and the note to
/// show.
#[must_use]
pub fn clear(region: Region) -> (Region, String) {
    let text = if region.shown().is_some() { CLEARED } else { "there is no region: the whole picture is counted" };
    (Region::default(), text.to_owned())
}

/// Moves the line that is counted to the next or previous one. Returns the new region and the note to show.
#[must_use]
pub fn move_line(region: Region, forward: bool) -> (Region, String) {
    match region.with_next_line(forward).map(|moved| (moved, moved.line())) {
        Some((moved, Some(line))) => (moved, format!("counting {line}")),
        _ => {
            (region, "no line is counted: Shift+click the picture to count a row, Alt+Shift+click a column".to_owned())
        }
    }
}

/// Describes a region.
#[must_use]
pub fn words(rect: Rect) -> String {
    format!("region {}", region::text(rect))
}

/// Describes a region of a frame. If the picture is turned, adds that the pixels are those of the coded picture.
#[must_use]
pub fn words_in(rect: Rect, frame: &Frame) -> String {
    let is_turned = frame.orientation != Orientation::default();
    let line = Line::of(rect, (frame.picture.width(), frame.picture.height()));
    let words = line.map_or_else(|| words(rect), |line| line.to_string());
    format!("{words}{}", if is_turned { ", as coded" } else { "" })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use histoscope_core::picture::OwnedPlanes;
    use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
    use histoscope_core::picture::layout::PixelLayout;

    fn picture(luma: impl Fn(usize) -> u8) -> Picture {
        sized((8, 10), luma)
    }

    fn sized((width, height): (u32, u32), luma: impl Fn(usize) -> u8) -> Picture {
        let luma = (0..(width * height) as usize).map(luma).collect();
        let planes = OwnedPlanes { planes: vec![(luma, width as usize)] };
        let color = Colorimetry::tagged(Matrix::Bt709, Range::Full);
        Picture::new(PixelLayout::gray(8), (width, height), color, Arc::new(planes)).unwrap()
    }

    #[test]
    fn vertical_blanking_is_proposed_for_exclusion() {
        let (proposed, text) = find_bars(Region::default(), &sized((720, 608), |_| 90));
        let rect = Rect { x: 0, y: 32, width: 720, height: 576 };
        assert_eq!(proposed.shown(), Some(RegionFrame::Proposed(rect)));
        assert_eq!(
            text,
            "32 lines of vertical blanking above 720×576 at 0,32: Enter uses it as the region, Esc discards it"
        );
        assert_eq!(take(proposed).0.counted(), Some(rect));
    }

    #[test]
    fn bars_are_proposed_first_and_taken_the_second_time() {
        let barred = picture(|at| if (16..64).contains(&at) { 90 } else { 0 });
        let (proposed, text) = find_bars(Region::default(), &barred);
        let rect = Rect { x: 0, y: 2, width: 8, height: 6 };
        assert_eq!((proposed.shown(), proposed.counted()), (Some(RegionFrame::Proposed(rect)), None));
        assert_eq!(text, "black bars around 8×6 at 0,2: Enter uses it as the region, Esc discards it");
        let (taken, text) = find_bars(proposed, &barred);
        assert_eq!((taken.counted(), text.as_str()), (Some(rect), "counting region 8×6 at 0,2"));
        assert_eq!(find_bars(taken, &barred).1, "the region already leaves the bars out");
        let (left, text) = drop_last(proposed).expect("a proposal");
        assert_eq!((left.shown(), text.as_str()), (None, "proposed region discarded"));
        assert_eq!(drop_last(left), None);
        assert_eq!(find_bars(Region::default(), &picture(|_| 0)).0.shown(), None, "a black frame");
        assert_eq!(find_bars(Region::default(), &picture(|_| 80)).1, "no black bars at the edges of this frame");
    }
}
