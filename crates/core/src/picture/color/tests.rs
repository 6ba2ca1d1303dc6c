use super::*;

const LUMA_CHROMA: [Matrix; 6] =
    [Matrix::Bt601, Matrix::Bt709, Matrix::Bt2020, Matrix::Smpte240m, Matrix::Fcc, Matrix::YCgCo];

/// Returns R'G'B' codes computed in floating point, rounded and clamped. The formula follows the definition and does
/// not use the conversion's weights.
fn real_codes(matrix: Matrix, range: Range, bits: u32, [y, cb, cr]: [i32; 3]) -> [i32; 3] {
    let top = f64::from((1 << bits) - 1);
    let unit = f64::from(1 << (bits - 8));
    let (y, cb, cr) = match range {
        Range::Limited => (
            (f64::from(y) - 16.0 * unit) / (219.0 * unit),
            (f64::from(cb) - 128.0 * unit) / (224.0 * unit),
            (f64::from(cr) - 128.0 * unit) / (224.0 * unit),
        ),
        Range::Full => (f64::from(y) / top, (f64::from(cb) - 128.0 * unit) / top, (f64::from(cr) - 128.0 * unit) / top),
    };
    let rgb = if let Some((kr, kb)) = matrix.luma_weights() {
        let r = y + 2.0 * (1.0 - kr) * cr;
        let b = y + 2.0 * (1.0 - kb) * cb;
        [r, (y - kr * r - kb * b) / (1.0 - kr - kb), b]
    } else {
        let (cg, co) = (cb, cr);
        [y - cg + co, y + cg, y - cg - co]
    };
    rgb.map(|v| (v * top).round().clamp(0.0, top) as i32)
}

/// Returns how many of the three codes differ between both conversions of `input`. Panics if one differs by more than
/// 1.
fn compare(conversion: &Conversion, matrix: Matrix, range: Range, input: [i32; 3]) -> u32 {
    let top = conversion.max_code();
    let fixed = conversion.unclamped(input).map(|v| v.clamp(0, top));
    let real = real_codes(matrix, range, conversion.bits, input);
    for channel in 0..3 {
        assert!(
            (fixed[channel] - real[channel]).abs() <= 1,
            "{matrix} {range} {input:?}: fixed point {fixed:?}, real {real:?}"
        );
    }
    (0..3).map(|channel| u32::from(fixed[channel] != real[channel])).sum()
}

#[test]
fn fixed_point_is_within_one_code_for_every_8_bit_input() {
    for matrix in LUMA_CHROMA {
        for range in [Range::Limited, Range::Full] {
            let conversion = Conversion::from_parts(ColorModel::YCbCr, matrix, range, 8);
            let mut differing = 0_u32;
            for input in 0..1 << 24_i32 {
                let components = [input >> 16, (input >> 8) & 255, input & 255];
                differing += compare(&conversion, matrix, range, components);
            }
            let share = 100.0 * f64::from(differing) / f64::from(3 << 24);
            println!("8 bits {matrix} {range}: {share:.4} % of the codes differ, by one");
            assert!(share < 1.0);
        }
    }
}

#[test]
fn fixed_point_is_within_one_code_for_ten_million_deep_inputs() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for bits in [10, 12] {
        for matrix in LUMA_CHROMA {
            for range in [Range::Limited, Range::Full] {
                let conversion = Conversion::from_parts(ColorModel::YCbCr, matrix, range, bits);
                let inputs = 10_000_000;
                let mut differing = 0_u32;
                for _ in 0..inputs {
                    // xorshift64*: fast, and random enough to cover the cube of codes.
                    state ^= state >> 12;
                    state ^= state << 25;
                    state ^= state >> 27;
                    let random = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
                    let components = [random >> 52, random >> 40, random >> 28].map(|v| (v as i32) & ((1 << bits) - 1));
                    differing += compare(&conversion, matrix, range, components);
                }
                let share = 100.0 * f64::from(differing) / f64::from(3 * inputs);
                println!("{bits} bits {matrix} {range}: {share:.4} % of the codes differ, by one");
                assert!(share < 1.0);
            }
        }
    }
}

#[test]
fn the_comparison_notices_a_wrong_matrix() {
    let wrong = Conversion::from_parts(ColorModel::YCbCr, Matrix::Bt601, Range::Limited, 8);
    let result = std::panic::catch_unwind(|| compare(&wrong, Matrix::Bt709, Range::Limited, [128, 40, 220]));
    assert!(result.is_err(), "a BT.601 conversion passed for BT.709");
}

#[test]
fn nominal_levels_map_to_the_ends() {
    for bits in [8, 10, 12] {
        let unit = 1 << (bits - 8);
        let top = (1 << bits) - 1;
        for matrix in LUMA_CHROMA {
            let limited = Conversion::from_parts(ColorModel::YCbCr, matrix, Range::Limited, bits);
            assert_eq!(limited.unclamped([16 * unit, 128 * unit, 128 * unit]), [0; 3]);
            assert_eq!(limited.unclamped([235 * unit, 128 * unit, 128 * unit]), [top; 3]);
            let full = Conversion::from_parts(ColorModel::YCbCr, matrix, Range::Full, bits);
            assert_eq!(full.unclamped([0, 128 * unit, 128 * unit]), [0; 3]);
            assert_eq!(full.unclamped([top, 128 * unit, 128 * unit]), [top; 3]);
        }
    }
}

/// Compares with the standards' printed numbers, or with numbers computed from printed weights. A test that used only
/// [`Matrix::luma_weights`] would pass with wrong weights, too.
#[test]
fn matrices_are_those_of_the_standards() {
    for (matrix, [red, green_of_blue, green_of_red, blue]) in [
        (Matrix::Bt601, [1.402, 0.344_136, 0.714_136, 1.772]),
        (Matrix::Bt709, [1.5748, 0.187_324, 0.468_124, 1.8556]),
        (Matrix::Bt2020, [1.4746, 0.164_553, 0.571_353, 1.8814]),
        (Matrix::Smpte240m, [1.576, 0.226_622, 0.476_622, 1.826]),
        (Matrix::Fcc, [1.4, 0.331_864, 0.711_864, 1.78]),
    ] {
        let expected = [[1.0, 0.0, red], [1.0, -green_of_blue, -green_of_red], [1.0, blue, 0.0]];
        for (weight, expected) in matrix.to_rgb().iter().flatten().zip(expected.iter().flatten()) {
            assert!((weight - expected).abs() < 1e-6, "{matrix}: {:?}", matrix.to_rgb());
        }
    }
    assert_eq!(Matrix::YCgCo.to_rgb(), [[1.0, -1.0, 1.0], [1.0, 1.0, 0.0], [1.0, -1.0, -1.0]]);
    assert_eq!([Matrix::YCgCo, Matrix::Identity].map(Matrix::luma_weights), [None; 2]);
}

#[test]
fn codes_are_rounded_to_the_nearest() {
    let conversion = Conversion::from_parts(ColorModel::YCbCr, Matrix::Bt709, Range::Limited, 8);
    // 3/219 and 4/219 of 255 are 3.49 and 4.66.
    assert_eq!([19, 20].map(|luma| conversion.unclamped([luma, 128, 128])), [[3; 3], [5; 3]]);
}

#[test]
fn full_range_rgb_and_gray_are_unchanged() {
    for bits in [8, 10, 12] {
        for (model, matrix) in [(ColorModel::Rgb, Matrix::Identity), (ColorModel::Gray, Matrix::Bt709)] {
            let conversion = Conversion::from_parts(model, matrix, Range::Full, bits);
            for code in 0..1 << bits {
                assert_eq!(conversion.unclamped([code; 3]), [code; 3]);
            }
        }
        let identity = Conversion::from_parts(ColorModel::YCbCr, Matrix::Identity, Range::Full, bits);
        assert_eq!(identity.unclamped([2, 3, 1]), [1, 2, 3], "planes carry G, B, R");
    }
}

#[test]
fn tags_win_over_guesses_unless_they_are_nonsense() {
    let planar = PixelLayout::planar_ycbcr(8, (1, 1));
    let size = (720, 576);
    let untagged = Colorimetry::resolve(&planar, size, None, None, false);
    assert_eq!(untagged.matrix, Sourced::guessed(Matrix::Bt601));
    assert_eq!(untagged.range, Sourced::guessed(Range::Limited));
    let wide = Colorimetry::resolve(&planar, (1280, 2), None, None, false);
    assert_eq!(wide.matrix, Sourced::guessed(Matrix::Bt709));
    let tall = Colorimetry::resolve(&planar, (2, 577), None, None, true);
    assert_eq!(tall.matrix, Sourced::guessed(Matrix::Bt709));
    assert_eq!(tall.range, Sourced::tagged(Range::Full));
    let nonsense = Colorimetry::resolve(&planar, size, Some(Matrix::Identity), Some(Range::Full), false);
    assert_eq!(nonsense.matrix, Sourced::guessed(Matrix::Bt601));
    assert_eq!(nonsense.range, Sourced::tagged(Range::Full));
    let honest = Colorimetry::resolve(&PixelLayout::planar_ycbcr(8, (0, 0)), size, Some(Matrix::Identity), None, false);
    assert_eq!(honest.matrix, Sourced::tagged(Matrix::Identity));
    let gray = Colorimetry::resolve(&PixelLayout::gray(8), size, None, None, false);
    assert_eq!(gray.range, Sourced::guessed(Range::Full));
    let limited_gray = Colorimetry::resolve(&PixelLayout::gray(8), size, None, Some(Range::Limited), false);
    assert_eq!(limited_gray.range, Sourced::tagged(Range::Limited));
}

#[test]
fn matrices_are_named_as_on_the_command_line() {
    let names = ["bt709", "bt601", "bt2020nc", "smpte240m", "fcc", "ycgco", "rgb"];
    assert_eq!(Matrix::ALL.map(Matrix::name), names);
}

#[test]
fn values_are_displayed_with_their_origin() {
    assert_eq!(Sourced::guessed(Matrix::Bt601).to_string(), "bt601 (guessed)");
    assert_eq!(Sourced::tagged(Range::Full).to_string(), "full (tagged)");
    assert_eq!(Sourced { value: Range::Limited, origin: Origin::Overridden }.to_string(), "limited (overridden)");
}

#[test]
fn coefficients_have_as_many_bits_as_the_definition_says() {
    assert_eq!([8, 10, 12].map(fraction_bits), [20, 18, 16]);
}

#[test]
fn lines_of_vertical_blanking_do_not_make_a_picture_tall() {
    for (size, matrix, lines) in [
        ((720, 608), Matrix::Bt601, 32),
        ((720, 512), Matrix::Bt601, 26),
        ((720, 576), Matrix::Bt601, 0),
        ((704, 608), Matrix::Bt709, 0),
        ((720, 610), Matrix::Bt709, 0),
    ] {
        assert_eq!((Matrix::guess(size.0, size.1), blanking_lines(size.0, size.1)), (matrix, lines), "{size:?}");
    }
}

#[test]
fn matrices_derived_from_primaries_agree_with_the_standards_rounded_ones() {
    for (primaries, rounded) in [(Primaries::Bt709, Matrix::Bt709), (Primaries::Bt2020, Matrix::Bt2020)] {
        let (derived, rounded) = (Matrix::ChromaDerived(primaries).to_rgb(), rounded.to_rgb());
        for (derived, rounded) in derived.iter().flatten().zip(rounded.iter().flatten()) {
            assert!((derived - rounded).abs() < 2e-4, "{primaries:?}: {derived}, {rounded}");
        }
    }
    // Y' is G', and chroma is the difference of B' and R' from it. White, X'Y'Z' = (0.991902, 1, 1.013617), has no
    // chroma.
    let [red, green, blue] = Matrix::Smpte2085.to_rgb().map(|[y, cb, cr]| 0.5 * y + 0.25 * cb - 0.125 * cr);
    assert!((green - 0.5).abs() < 1e-12);
    assert!(
        ((0.986_566 * blue - green) / 2.0 - 0.25).abs() < 1e-12
            && ((red - 0.991_902 * green) / 2.0 + 0.125).abs() < 1e-12
    );
}
