//! Clip indicators: at both ends of a histogram, one per channel, lit if too many samples lie in the outermost code.

use super::binning::Binning;
use super::overlay::Channels;
use super::panel::PanelRect;

/// Samples per thousand that may lie in the outermost code before its clip indicator lights.
const TOLERATED: u64 = 1;

/// An end of the range of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Code 0, on the left.
    Lowest,
    /// Code 2^n - 1, on the right.
    Highest,
}

/// Returns `true` if a clip indicator is lit when `outermost` of all samples lie in the outermost code.
#[must_use]
pub const fn is_lit(outermost: u64, samples: u64) -> bool {
    outermost * 1000 > samples * TOLERATED
}

/// Returns the side of a clip indicator in pixels, or 0 if the histogram is too small for clip indicators.
#[must_use]
pub fn side(rect: &PanelRect) -> u32 {
    let side = (rect.height / 18).clamp(4, 12);
    if rect.width < 12 * side || rect.height < 8 * side { 0 } else { side }
}

/// Returns the position of a clip indicator. `place` is its channel's index among those shown, `line` the width of the
/// lines around it in pixels.
#[must_use]
pub fn indicator(rect: &PanelRect, end: End, place: u32, line: u32) -> PanelRect {
    let side = side(rect);
    let left = match end {
        End::Lowest => rect.left + line,
        End::Highest => (rect.left + rect.width).saturating_sub(line + side),
    };
    // Below the mark of a clipped bar, so that it differs from a bar that just reaches the top.
    let top = rect.top + rect.notch() + line;
    PanelRect { left, top: top + place * (side + line), width: side, height: side }
}

/// Returns the end whose clip indicators a point of the view touches, or is close enough to read.
#[must_use]
pub fn end_at(rect: &PanelRect, channels: Channels, line: u32, point: glam::DVec2) -> Option<End> {
    let count = channels.iter().count() as u32;
    let side = side(rect);
    if side == 0 || count == 0 {
        return None;
    }
    [End::Lowest, End::Highest].into_iter().find(|&end| {
        let first = indicator(rect, end, 0, line);
        let around = PanelRect {
            left: first.left.saturating_sub(side),
            top: first.top.saturating_sub(side),
            width: 3 * side,
            height: count * (side + line) + 2 * side,
        };
        around.contains(point) && rect.contains(point)
    })
}

/// Returns the first and last code at a point of a histogram: those of the bins in its column of pixels, or the
/// outermost code if the point is at a clip indicator.
#[must_use]
pub fn codes_at(rect: &PanelRect, channels: Channels, line: u32, binning: Binning, point: glam::DVec2) -> (u32, u32) {
    match end_at(rect, channels, line, point) {
        Some(End::Lowest) => (0, 0),
        Some(End::Highest) => (binning.top_code(), binning.top_code()),
        None => {
            let count = binning.count();
            let column = rect.columns_of_bin(rect.bin_at(point.x, count), count).0;
            binning.codes_in(rect.bins_of_column(column, count))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn a_clip_indicator_lights_above_a_thousandth() {
        assert!(!is_lit(0, 0) && !is_lit(921, 921_600) && is_lit(922, 921_600) && is_lit(1, 999) && !is_lit(1, 1000));
    }

    #[test]
    fn indicators_lie_in_the_corners_and_not_on_each_other() {
        for rect in [
            PanelRect { left: 12, top: 202, width: 216, height: 68 },
            PanelRect { left: 40, top: 675, width: 720, height: 225 },
        ] {
            let all: Vec<_> = [End::Lowest, End::Highest]
                .into_iter()
                .flat_map(|end| (0..4).map(move |place| (end, indicator(&rect, end, place, 1))))
                .collect();
            for (index, (end, indicator)) in all.iter().enumerate() {
                let middle = DVec2::new(indicator.left.into(), indicator.top.into())
                    + DVec2::splat(f64::from(indicator.width) / 2.0);
                assert!(rect.contains(middle) && indicator.top + indicator.height <= rect.top + rect.height);
                assert_eq!(end_at(&rect, Channels::ALL, 1, middle), Some(*end));
                assert!(all[..index].iter().all(|(_, other)| !other.contains(middle)));
            }
            let middle = DVec2::new(f64::from(rect.left + rect.width / 2), f64::from(rect.top + 2));
            assert_eq!(end_at(&rect, Channels::ALL, 1, middle), None);
        }
        assert_eq!(side(&PanelRect { left: 0, top: 0, width: 30, height: 20 }), 0, "a small histogram has none");
    }

    #[test]
    fn a_clip_indicator_selects_the_outermost_bin_and_not_the_one_below_it() {
        let rect = PanelRect { left: 40, top: 675, width: 720, height: 225 };
        for (end, bits, outermost) in [(End::Lowest, 8, 0), (End::Highest, 8, 255), (End::Highest, 10, 1023)] {
            let indicator = indicator(&rect, end, 1, 1);
            let middle = DVec2::new(f64::from(indicator.left) + 5.0, f64::from(indicator.top) + 5.0);
            assert_eq!(codes_at(&rect, Channels::ALL, 1, Binning::new(bits, None), middle), (outermost, outermost));
            let behind = DVec2::new(middle.x, f64::from(rect.top + rect.height) - 2.0);
            let bins = codes_at(&rect, Channels::ALL, 1, Binning::new(bits, None), behind);
            assert!(bins.0 <= bins.1 && (bins.0 > 0 && bins.1 < (1 << bits) - 1), "{end:?}: {bins:?}");
        }
    }
}
