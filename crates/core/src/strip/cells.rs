//! A frame's counts in the resolution of a strip: 256 levels per channel at any depth.

use crate::histogram::Histogram;

/// Rows of a column: the levels of 8 bits. Deeper bins are added to these.
pub const ROWS: usize = 256;

/// A frame's bins, folded into [`ROWS`] rows a channel, channel by channel.
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

/// The row of a code of `bits` bits.
const fn row_of(code: usize, bits: u32) -> usize {
    (code * ROWS) >> bits
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::made::histogram;

    #[test]
    fn deep_bins_are_added_into_the_rows_of_their_levels() {
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
