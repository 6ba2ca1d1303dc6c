//! A frame's counts at the resolution of a strip: 256 levels per channel at any depth.

use crate::histogram::Histogram;

/// Number of rows in a column: 256 levels, into which deeper bins are combined.
pub const ROWS: usize = 256;

/// Folds a frame's bins into [`ROWS`] rows per channel, channel by channel.
#[must_use]
pub fn fold(histogram: &Histogram) -> Vec<u64> {
    let channels = histogram.components.channel_names().len();
    let mut cells = vec![0; channels * ROWS];
    for channel in 0..channels {
        let rows = &mut cells[channel * ROWS..][..ROWS];
        for (&count, code) in histogram.bins(channel).iter().zip(0_usize..) {
            rows[row_of(code, histogram.bits)] += u64::from(count);
        }
    }
    cells
}

/// The highest row that counts as black: a tenth of the scale, as in FFmpeg's `blackdetect`.
pub(super) const BLACK_ROW: usize = 25;
/// The share of a black frame's luminance that must be black, as in `blackdetect`.
pub const BLANK_SHARE: f64 = 0.98;

/// Returns the rows of the channel that stands for brightness: luminance, or Y' of coded components.
const fn luminance(cells: &[u64]) -> &[u64] {
    cells.split_at(if cells.len() > 3 * ROWS { 3 * ROWS } else { 0 }).1.split_at(ROWS).0
}

fn has_share(rows: &[u64], all: &[u64], share: f64) -> bool {
    let count: u64 = all.iter().sum();
    count > 0 && rows.iter().sum::<u64>() as f64 >= share * count as f64
}

/// Returns `true` if at least this share of a frame's luminance is in the lowest tenth of the scale.
#[must_use]
pub fn is_black(cells: &[u64], share: f64) -> bool {
    let luminance = luminance(cells);
    has_share(&luminance[..=BLACK_ROW], luminance, share)
}

/// The content of a frame that shows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blank {
    /// 98 % of the luminance is in the lowest tenth of the scale.
    Black,
    /// 98 % of the luminance is in the highest tenth of the scale.
    White,
}

impl Blank {
    /// Returns the kind of a blank frame, or `None` if the frame shows something.
    pub(super) fn of(cells: &[u64]) -> Option<Self> {
        let luminance = luminance(cells);
        match () {
            () if is_black(cells, BLANK_SHARE) => Some(Self::Black),
            () if has_share(&luminance[ROWS - 1 - BLACK_ROW..], luminance, BLANK_SHARE) => Some(Self::White),
            () => None,
        }
    }
}

/// Returns the row of a code of `bits` bits.
const fn row_of(code: usize, bits: u32) -> usize {
    (code * ROWS) >> bits
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::test_data::histogram;

    #[test]
    fn deep_bins_are_combined_into_rows() {
        for bits in [8, 10, 12] {
            let histogram = histogram(bits, bits);
            let cells = fold(&histogram);
            let per_row = histogram.bin_count() / ROWS;
            for channel in 0..4 {
                for (row, bins) in histogram.bins(channel).chunks(per_row).enumerate() {
                    let expected: u64 = bins.iter().map(|&bin| u64::from(bin)).sum();
                    assert_eq!(cells[channel * ROWS + row], expected, "{bits} bits, channel {channel}, row {row}");
                }
            }
        }
    }
}
