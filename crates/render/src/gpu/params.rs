//! The structures shared byte for byte by Rust and WGSL, and the constants that specialize a pipeline for a pixel
//! layout.

use bytemuck::{Pod, Zeroable};

use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::color::{RealConversion, fraction_bits};
use histoscope_core::picture::layout::{ChromaLines, ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::Rect;

/// `Picture` of shaders/picture.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PictureParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Width and height of the chroma grid in samples.
    pub chroma_size: [u32; 2],
    /// Row stride of each plane in words.
    pub strides: [u32; 4],
    /// Integer weights and bias of red, green and blue.
    pub integer: [[i32; 4]; 3],
    /// Real weights and bias of red, green and blue: codes to 0..1.
    pub real: [[f32; 4]; 3],
}

const _: () = assert!(size_of::<PictureParams>() == 128);

impl PictureParams {
    /// Returns the parameters of a picture whose planes have these strides, in words.
    #[must_use]
    pub fn new(picture: &Picture, strides: [u32; 4]) -> Self {
        let layout = picture.layout();
        let conversion = picture.conversion();
        let color = picture.colorimetry();
        let bits = layout.bin_bits();
        let real = RealConversion::new(layout.model, color.matrix.value, color.range.value, bits);
        let top = f64::from((1_u32 << bits) - 1);
        let chroma_size = layout.component_size(1, picture.width(), picture.height());
        Self {
            size: [picture.width(), picture.height()],
            chroma_size: [chroma_size.0, chroma_size.1],
            strides,
            integer: std::array::from_fn(|channel| {
                let [a, b, c] = conversion.weights[channel];
                [a, b, c, conversion.bias[channel]]
            }),
            real: std::array::from_fn(|channel| {
                let weights = real.weights[channel];
                let bias = (0..3).map(|i| -weights[i] * f64::from(real.offsets[i])).sum::<f64>();
                [weights[0], weights[1], weights[2], bias].map(|v| (v / top) as f32)
            }),
        }
    }
}

/// `Region` of shaders/chunk.wgsl: the rectangle of the picture to count.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct RegionParams {
    /// Column and row of its first pixel.
    pub low: [u32; 2],
    /// Column and row after its last pixel.
    pub high: [u32; 2],
}

const _: () = assert!(size_of::<RegionParams>() == 16);

impl From<Rect> for RegionParams {
    fn from(rect: Rect) -> Self {
        let (low, high) = rect.corners();
        Self { low, high }
    }
}

/// `Image` of shaders/lab/blur.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ImageParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Unused.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<ImageParams>() == 16);

/// `Level` of shaders/lab/scan.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct LevelParams {
    /// Words to scan.
    pub length: u32,
    /// Blocks that they are divided into.
    pub blocks: u32,
    /// Words per block.
    pub block: u32,
    /// Unused.
    pub padding: u32,
}

const _: () = assert!(size_of::<LevelParams>() == 16);

/// `Pairing` of shaders/lab/pairwise.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct PairingParams {
    /// Distance between the two chunks of a pair, in chunks.
    pub stride: u32,
    /// Padding to 16 bytes.
    pub padding: [u32; 3],
}

const _: () = assert!(size_of::<PairingParams>() == 16);

/// The properties of a picture in the GPU's memory that the passes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputPicture {
    /// The layout of its samples.
    pub layout: PixelLayout,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// `true` if the conversion to red uses the second component, or the conversion to blue uses the third.
    pub crossed: bool,
    /// `true` if it is an adjusted picture, whose words are packed codes.
    pub packed: bool,
    /// The range of its samples.
    pub range: Range,
    /// Its weights of luminance.
    pub luminance: LuminanceWeights,
}

impl From<&Picture> for InputPicture {
    fn from(picture: &Picture) -> Self {
        let weights = picture.conversion().weights;
        let color = picture.colorimetry();
        let crossed = weights[0][1] != 0 || weights[2][2] != 0;
        Self {
            layout: *picture.layout(),
            size: (picture.width(), picture.height()),
            crossed,
            packed: false,
            range: color.range.value,
            luminance: color.luminance,
        }
    }
}

impl InputPicture {
    /// Returns the same properties without the size and the range: those that pipelines depend on.
    #[must_use]
    pub const fn of_any_size(self) -> Self {
        Self { size: (0, 0), range: Range::Full, ..self }
    }

    /// Returns the number of pixels.
    #[must_use]
    pub const fn pixel_count(&self) -> u32 {
        self.size.0 * self.size.1
    }

    /// Returns the pipeline constants of shaders/picture.wgsl and shaders/strips.wgsl.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let mut constants = self.reading().constants();
        constants.push(("CROSSED", f64::from(u8::from(self.crossed))));
        constants
    }

    /// Returns how its pixels are read.
    #[must_use]
    pub const fn reading(&self) -> PixelReading {
        PixelReading { layout: self.layout, luminance: self.luminance }
    }
}

/// How shaders/picture.wgsl reads a pixel: the properties of a picture that pipelines depend on if they read one pixel
/// at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PixelReading {
    /// The layout of the samples.
    pub layout: PixelLayout,
    /// The weights of luminance.
    pub luminance: LuminanceWeights,
}

impl PixelReading {
    /// Returns the pipeline constants of shaders/picture.wgsl.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let layout = &self.layout;
        let model = match layout.model {
            ColorModel::Gray => 0,
            ColorModel::YCbCr => 1,
            ColorModel::Rgb => 2,
        };
        let [first, second, third] = layout.components;
        let [red, green, blue] = self.luminance.ten_thousandths();
        let constants: [(&'static str, u32); 22] = [
            ("MODEL", model),
            ("BITS", layout.bin_bits()),
            ("FRACTION", fraction_bits(layout.bin_bits())),
            ("SHIFT_0", layout.code_shift(0)),
            ("SHIFT_1", layout.code_shift(1)),
            ("SHIFT_2", layout.code_shift(2)),
            ("SAMPLE_BYTES", layout.sample_bytes.into()),
            ("CHROMA_X", layout.chroma_shift.0.into()),
            ("CHROMA_Y", layout.chroma_shift.1.into()),
            ("CHROMA_FIELDS", (layout.chroma_lines == ChromaLines::Field).into()),
            ("PLANE_0", first.plane.into()),
            ("PLANE_1", second.plane.into()),
            ("PLANE_2", third.plane.into()),
            ("OFFSET_0", first.offset.into()),
            ("OFFSET_1", second.offset.into()),
            ("OFFSET_2", third.offset.into()),
            ("STEP_0", first.step.into()),
            ("STEP_1", second.step.into()),
            ("STEP_2", third.step.into()),
            ("LUMINANCE_RED", red),
            ("LUMINANCE_GREEN", green),
            ("LUMINANCE_BLUE", blue),
        ];
        constants.iter().map(|&(name, value)| (name, f64::from(value))).collect()
    }
}
