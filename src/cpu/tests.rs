//! What the pieces promise to each other; that the whole equals the reference is tested from outside.

use super::convert::luminance_of_half_sum;
use crate::picture::color::luminance_bin;

/// Every half sum that codes of this depth can have, against the definition in 64 bits.
fn check_every_half_sum<const BINS: usize>() {
    let (n, top) = (BINS as u64, BINS as u64 - 1);
    for half_sum in 0..=5000 * top {
        let exact = (2 * half_sum * n / (10_000 * top)).min(top);
        assert_eq!(u64::from(luminance_of_half_sum::<BINS>(half_sum as u32)), exact, "{half_sum}");
    }
}

#[test]
fn luminance_by_multiplication_is_exact_at_8_bits() {
    check_every_half_sum::<256>();
}

#[test]
fn luminance_by_multiplication_is_exact_at_10_bits() {
    check_every_half_sum::<1024>();
}

#[test]
fn luminance_by_multiplication_is_exact_at_12_bits() {
    check_every_half_sum::<4096>();
}

#[test]
fn half_sums_belong_to_codes_as_in_the_definition() {
    for code in 0..4096_u32 {
        let rgb = [code, 4095 - code, code * 7919 % 4096];
        let half_sum = 1063 * rgb[0] + 3576 * rgb[1] + 361 * rgb[2];
        assert_eq!(luminance_of_half_sum::<4096>(half_sum), luminance_bin(rgb, 12), "{rgb:?}");
    }
}
