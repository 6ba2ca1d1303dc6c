use super::*;

fn descriptor(name: &str) -> PixelDescriptor {
    let format = PixelFormat::by_name(&CString::new(name).unwrap());
    format.and_then(PixelFormat::descriptor).unwrap_or_else(|| panic!("FFmpeg has no pixel format {name}"))
}

fn native(name: &str) -> PixelLayout {
    native_layout(&descriptor(name)).unwrap_or_else(|| panic!("{name} should be native"))
}

fn target(name: &str) -> &'static str {
    let descriptor = descriptor(name);
    assert_eq!(native_layout(&descriptor), None, "{name} should need a conversion");
    conversion_target(&descriptor).unwrap_or_else(|| panic!("{name} should have a target")).name()
}

#[test]
fn planar_formats_are_native() {
    for (grid, shift) in [("420", (1, 1)), ("422", (1, 0)), ("444", (0, 0))] {
        assert_eq!(native(&format!("yuv{grid}p")), PixelLayout::planar_ycbcr(8, shift));
        assert_eq!(native(&format!("yuvj{grid}p")), PixelLayout::planar_ycbcr(8, shift));
        assert_eq!(native(&format!("yuva{grid}p")), PixelLayout::planar_ycbcr(8, shift));
        for depth in [10, 12, 14, 16] {
            assert_eq!(native(&format!("yuv{grid}p{depth}le")), PixelLayout::planar_ycbcr(depth, shift));
        }
    }
    assert_eq!(native("yuv440p"), PixelLayout::planar_ycbcr(8, (0, 1)));
    assert_eq!(native("yuv440p12le"), PixelLayout::planar_ycbcr(12, (0, 1)));
    assert_eq!(native("yuv411p"), PixelLayout::planar_ycbcr(8, (2, 0)));
    assert_eq!(native("yuv410p"), PixelLayout::planar_ycbcr(8, (2, 2)));
    assert_eq!(native("gray"), PixelLayout::gray(8));
    assert_eq!(native("gray12le"), PixelLayout::gray(12));
    for depth in [10, 12, 14, 16] {
        assert_eq!(native(&format!("gbrp{depth}le")), PixelLayout::planar_gbr(depth));
    }
    assert_eq!(native("gbrap"), PixelLayout::planar_gbr(8));
}

#[test]
fn interleaved_formats_are_native() {
    assert_eq!(native("nv12"), PixelLayout::semi_planar(8, (1, 1), false));
    assert_eq!(native("nv21"), PixelLayout::semi_planar(8, (1, 1), true));
    assert_eq!(native("nv16"), PixelLayout::semi_planar(8, (1, 0), false));
    assert_eq!(native("nv24"), PixelLayout::semi_planar(8, (0, 0), false));
    assert_eq!(native("nv42"), PixelLayout::semi_planar(8, (0, 0), true));
    assert_eq!(native("p010le"), PixelLayout::semi_planar(10, (1, 1), false));
    assert_eq!(native("p016le"), PixelLayout::semi_planar(16, (1, 1), false));
    assert_eq!(native("p210le"), PixelLayout::semi_planar(10, (1, 0), false));
    assert_eq!(native("yuyv422"), PixelLayout::packed_422(false));
    assert_eq!(native("uyvy422"), PixelLayout::packed_422(true));
    assert_eq!(native("rgb24"), PixelLayout::packed_rgb(8, [0, 1, 2], 3));
    assert_eq!(native("bgra"), PixelLayout::packed_rgb(8, [2, 1, 0], 4));
    assert_eq!(native("argb"), PixelLayout::packed_rgb(8, [1, 2, 3], 4));
    assert_eq!(native("0bgr"), PixelLayout::packed_rgb(8, [3, 2, 1], 4));
    assert_eq!(native("rgb48le"), PixelLayout::packed_rgb(16, [0, 1, 2], 3));
    assert_eq!(native("bgra64le"), PixelLayout::packed_rgb(16, [2, 1, 0], 4));
    assert_eq!(native("ya8").components[0].step, 2);
    assert_eq!(native("ya16le").components[0].step, 4);
}

#[test]
fn conversions_keep_model_grid_and_depth() {
    let cases = [
        ("pal8", "rgb24"),
        ("rgb565le", "rgb24"),
        ("monob", "gray"),
        ("gray9le", "gray10le"),
        ("gray10be", "gray10le"),
        ("grayf32le", "gray16le"),
        ("ya16be", "gray16le"),
        ("yuv420p9le", "yuv420p10le"),
        ("yuv422p10be", "yuv422p10le"),
        ("yvyu422", "yuv422p"),
        ("y210le", "yuv422p10le"),
        ("ayuv64le", "yuv444p16le"),
        ("uyyvyy411", "yuv411p"),
        ("x2rgb10le", "gbrp10le"),
        ("gbrp9le", "gbrp10le"),
        ("gbrp12be", "gbrp12le"),
        ("gbrpf32le", "gbrp16le"),
        ("rgb48be", "gbrp16le"),
        ("xyz12le", "rgb48le"),
        ("bayer_rggb8", "rgb24"),
        ("bayer_rggb16le", "rgb48le"),
    ];
    for (source, expected) in cases {
        assert_eq!(target(source), expected, "{source}");
    }
}

#[test]
fn every_format_is_native_or_has_a_target() {
    let mut native_count = 0;
    for format in PixelFormat::all() {
        let descriptor = format.descriptor().unwrap();
        match native_layout(&descriptor) {
            Some(layout) => {
                native_count += 1;
                println!("{} is native", descriptor.name);
                assert_eq!(layout.validate(), Ok(()), "{}", descriptor.name);
                assert!(!descriptor.name.ends_with("be"), "{}", descriptor.name);
            }
            None if descriptor.is_hardware() => {}
            None => assert!(conversion_target(&descriptor).is_some(), "{}", descriptor.name),
        }
    }
    assert!(native_count >= 80, "only {native_count} native formats");
}
