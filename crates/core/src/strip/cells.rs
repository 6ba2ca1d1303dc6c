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
