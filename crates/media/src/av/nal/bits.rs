//! Bits of a parameter set, without emulation prevention bytes. Names of the codings are those of ITU-T H.264, 7.2.

use super::super::ColorNumbers;

/// A reader of bits. Behind the end every read is `None`.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Reads an unsigned number of at most 32 bits: `u(n)`.
    pub(super) fn number(&mut self, bits: usize) -> Option<u32> {
        let mut number = 0;
        for _ in 0..bits {
            let byte = self.bytes.get(self.at / 8)?;
            number = number << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(number)
    }

    /// Reads one bit: `u(1)`.
    pub(super) fn flag(&mut self) -> Option<bool> {
        Some(self.number(1)? == 1)
    }

    pub(super) fn skip(&mut self, bits: usize) {
        self.at += bits;
    }

    /// Reads an Exp-Golomb number: `ue(v)`.
    pub(super) fn golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.flag()? {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        Some((1_u32 << zeros) - 1 + self.number(zeros)?)
    }

    /// Reads a signed Exp-Golomb number: `se(v)`.
    pub(super) fn signed_golomb(&mut self) -> Option<i64> {
        let code = i64::from(self.golomb()?);
        Some(if code % 2 == 0 { -(code / 2) } else { code / 2 + 1 })
    }

    /// Skips this many Exp-Golomb numbers.
    pub(super) fn skip_golombs(&mut self, count: u32) -> Option<()> {
        (0..count).try_for_each(|_| self.golomb().map(|_| ()))
    }

    /// Reads the colours from the beginning of `vui_parameters()`, which is the same in H.264 and H.265 (E.1.1 and
    /// E.2.1).
    pub(super) fn colors(&mut self) -> Option<ColorNumbers> {
        const EXTENDED_SAR: u32 = 255;
        // aspect_ratio_info_present_flag, overscan_info_present_flag
        if self.flag()? && self.number(8)? == EXTENDED_SAR {
            self.skip(32);
        }
        if self.flag()? {
            self.skip(1);
        }
        let mut colors = ColorNumbers::UNSPECIFIED;
        // video_signal_type_present_flag, and video_format.
        if self.flag()? {
            self.skip(3);
            colors.range = if self.flag()? { 2 } else { 1 };
            if self.flag()? {
                let mut next = || self.number(8).map(u32::cast_signed);
                (colors.primaries, colors.transfer, colors.matrix) = (next()?, next()?, next()?);
            }
        }
        Some(colors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_bit_by_bit() {
        // 1, 010, 011, 00100, 00101, then 1010 and the end.
        let bytes = [0b1010_0110, 0b0100_0010, 0b1101_0000];
        let mut bits = Bits::new(&bytes);
        assert_eq!([(); 5].map(|()| bits.golomb()), [0, 1, 2, 3, 4].map(Some));
        assert_eq!((bits.number(4), bits.number(4)), (Some(0b1010), None));
        let mut bits = Bits::new(&bytes);
        assert_eq!([(); 5].map(|()| bits.signed_golomb()), [0, 1, -1, 2, -2].map(Some));
        assert_eq!(Bits::new(&[0; 8]).golomb(), None, "too many zeros");
    }
}
