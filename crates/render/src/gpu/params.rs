//! The structures that Rust and WGSL share, byte for byte, and the constants that fix a pipeline to a pixel layout.

mod brushes;

use bytemuck::{Pod, Zeroable};

use crate::view::exposure::MOST_BANDS;
pub use crate::view::panel_params::PanelParams;
pub use crate::view::scopes::TraceParams;
pub use brushes::{BrushParams, BrushedParams};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{RealConversion, fraction_bits};
use histoscope_core::picture::layout::{ChromaLines, ColorModel, PixelLayout};
use histoscope_core::picture::region::Rect;

/// `Picture` of shaders/picture.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PictureParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Width and height of the chroma grid in samples.
    pub chroma_size: [u32; 2],
    /// Words from row to row of each plane.
    pub strides: [u32; 4],
    /// Integer weights and bias of red, green and blue.
    pub integer: [[i32; 4]; 3],
    /// Real weights and bias of red, green and blue: codes to 0..1.
    pub real: [[f32; 4]; 3],
}

const _: () = assert!(size_of::<PictureParams>() == 128);

impl PictureParams {
    /// The parameters of a picture whose planes lie with these strides, in words.
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

/// `Region` of shaders/chunk.wgsl: the rectangle of the picture that is counted alone.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct RegionParams {
    /// Column and row of its first pixel.
    pub low: [u32; 2],
    /// Column and row behind its last pixel.
    pub high: [u32; 2],
}

const _: () = assert!(size_of::<RegionParams>() == 16);

impl From<Rect> for RegionParams {
    fn from(rect: Rect) -> Self {
        let (low, high) = rect.corners();
        Self { low, high }
    }
}

/// `Waveform` of shaders/waveform.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct WaveformParams {
    /// Column and row of the first sample that is counted.
    pub low: [u32; 2],
    /// Column and row behind the last.
    pub high: [u32; 2],
    /// Columns of the scope.
    pub columns: u32,
    /// Counts from one channel to the next.
    pub channel_stride: u32,
    /// Rows of samples of a workgroup.
    pub rows: u32,
    /// Fills the structure up to 32 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<WaveformParams>() == 32);

/// `Vectorscope` of shaders/vectorscope.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct VectorscopeParams {
    /// Column and row of the first sample that is counted.
    pub low: [u32; 2],
    /// Column and row behind the last.
    pub high: [u32; 2],
    /// Weights of red, green and blue in Cb, and the bias.
    pub cb: [i32; 4],
    /// The same in Cr.
    pub cr: [i32; 4],
}

const _: () = assert!(size_of::<VectorscopeParams>() == 48);

/// `Reduction` of shaders/reduce.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ReductionParams {
    /// Chunks to sum.
    pub chunk_count: u32,
    /// Words from one chunk to the next, and words to sum.
    pub chunk_words: u32,
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// Fills the structure up to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<ReductionParams>() == 16);

/// `Scale` of shaders/scale.wgsl and shaders/columns.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ChannelScale {
    /// Height of a bar per count, 1 being the overlay's height; 0 where nothing was counted.
    pub height: f32,
    /// Count of the tallest bin.
    pub tallest: u32,
    /// Samples counted.
    pub samples: u32,
    /// Fills the structure up to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<ChannelScale>() == 16);

/// `Divider` of shaders/divider.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct DividerParams {
    /// Pixels of the view.
    pub view: [u32; 2],
    /// The first column of the picture at the right.
    pub column: u32,
    /// Columns of the light on either side of it, and of each dark edge beyond.
    pub line: u32,
}

const _: () = assert!(size_of::<DividerParams>() == 16);

/// `Placement` of shaders/video.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PlacementParams {
    /// The picture, 0..1 from its top left corner, to clip space; columns.
    pub transform: [[f32; 4]; 4],
    /// Luma samples from a pixel of the view to the next one at its right.
    pub across: [f32; 2],
    /// Luma samples from a pixel of the view to the next one below.
    pub down: [f32; 2],
    /// Luma samples from the picture's top left corner to the view's.
    pub origin: [f32; 2],
    /// Taps a side from which a picture drawn smaller than itself is averaged.
    pub taps: u32,
    /// Whether every pixel of the view shows one sample.
    pub hard: u32,
    /// Columns of the view.
    pub view_width: u32,
    /// Whether columns of the view are rows of the picture.
    pub turned: u32,
    /// Channels of the brush, a bit each.
    pub channels: u32,
    /// Lowest bin that is lit.
    pub low: u32,
    /// Highest bin that is lit.
    pub high: u32,
    /// How far the rest dims, in 256ths; 0 where there is no brush.
    pub strength: u32,
    /// Whether the channels are Y', Cb and Cr as coded.
    pub coded: u32,
    /// Words of a row of the bits that say which pixels are lit; 0 where the picture's own codes say it.
    pub lit_words: u32,
    /// Column and row of the picture's first pixel that may be lit.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
    /// The lowest tone that is striped; the highest number where none is.
    pub zebra: u32,
    /// Width of a stripe along a row.
    pub stripe: u32,
    /// Whether a pixel's tone is its Y' as coded.
    pub tone_coded: u32,
    /// 0 where nothing is marked, 1 where colours are, 2 where code values are.
    pub marks: u32,
    /// Words of a row of a plane of pixels of the picture that were selected one by one, which then decides, 0 where there is none;
    /// then nothing.
    pub selected: [u32; 4],
    /// The lowest value of each channel that is not marked.
    pub lowest: [i32; 4],
    /// The lowest value above those.
    pub highest: [i32; 4],
    /// The colours of the marks, 0 to 255.
    pub mark_colors: [[u32; 4]; 3],
    /// False colour: 0 where it is off, 1 by Y' as coded, 2 by luminance; then the codes of black and of white.
    pub tint: [i32; 4],
    /// The lowest code of each band and its colour, of which red is -1 where pixels have their gray.
    pub bands: [[i32; 4]; MOST_BANDS],
    /// The datascope: lines that are written in a pixel of the picture, 0 where none are, pixels of the view to a dot, digits, and
    /// their base.
    pub text: [u32; 4],
    /// Dots of a letter across and down, whether codes are those of Y', Cb and Cr, and where cells begin behind the nearest samples.
    pub letters: [u32; 4],
    /// The dots of each sign, in the first two numbers.
    pub glyphs: [[u32; 4]; 16],
}

const _: () = assert!(size_of::<PlacementParams>() == 720);

/// `Limits` of shaders/limits.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct LimitsParams {
    /// The lowest fixed-point value inside.
    pub low: i32,
    /// The lowest above.
    pub high: i32,
    /// Column and row of the first pixel that is counted.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
}

const _: () = assert!(size_of::<LimitsParams>() == 24);

/// `Selection` of shaders/selection.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct SelectionParams {
    /// Column and row of the first pixel that is counted.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
    /// Channels of the brush, a bit each.
    pub channels: u32,
    /// Lowest bin that is selected.
    pub low: u32,
    /// Highest bin that is selected.
    pub high: u32,
    /// Whether the channels are Y', Cb and Cr as coded.
    pub coded: u32,
}

const _: () = assert!(size_of::<SelectionParams>() == 32);

/// `Job` of shaders/adjust/scan.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ScanParams {
    /// First word of the source.
    pub source: u32,
    /// First word of the target.
    pub target_at: u32,
    /// Words to scan.
    pub length: u32,
    /// Blocks that they are cut into.
    pub blocks: u32,
}

const _: () = assert!(size_of::<ScanParams>() == 16);

/// `Image` of shaders/lab/blur.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ImageParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Nothing.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<ImageParams>() == 16);

/// `Level` of shaders/lab/scan.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct LevelParams {
    /// Words to scan.
    pub length: u32,
    /// Blocks that they are cut into.
    pub blocks: u32,
    /// Words of a block.
    pub block: u32,
    /// Nothing.
    pub padding: u32,
}

const _: () = assert!(size_of::<LevelParams>() == 16);

/// `Curve` of shaders/adjust/curves.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct CurveParams {
    /// How much of the way to its target a smoothed curve goes, of 2^16.
    pub weight: u32,
    /// Channel of the first curve.
    pub first_channel: u32,
    /// Levels, where the curves make levels of equal population.
    pub levels: u32,
    /// Fills the structure up to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<CurveParams>() == 16);

/// `Recolor` of shaders/adjust/recolor.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct RecolorParams {
    /// Red, green and blue of up to eight classes.
    pub tones: [[u32; 4]; 8],
    /// Tiles across and down, where the curves are those of tiles.
    pub tiles: [u32; 2],
    /// Fills the structure up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<RecolorParams>() == 144);

/// `Blur` of shaders/adjust/blur.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct BlurParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Pixels from row to row, a multiple of four.
    pub stride: u32,
    /// Pixels from row to row of the sums between the passes, a multiple of eight.
    pub sums_stride: u32,
}

const _: () = assert!(size_of::<BlurParams>() == 16);

/// `Crop` of shaders/adjust/crop.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct CropParams {
    /// The rectangle's first word in the source.
    pub first: u32,
    /// Words of the source from row to row.
    pub source_stride: u32,
    /// Words of the result from row to row.
    pub result_stride: u32,
    /// Words of a row of the rectangle.
    pub row_words: u32,
    /// Rows of the rectangle.
    pub rows: u32,
}

const _: () = assert!(size_of::<CropParams>() == 20);

/// `Difference` of shaders/adjust/difference.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct DifferenceParams {
    /// Columns and rows of the other picture.
    pub other_size: [u32; 2],
    /// Bits of its codes.
    pub other_bits: u32,
    /// Whether a column of the picture is a row of the other one.
    pub is_turned: u32,
    /// How many times larger differences are shown.
    pub gain: u32,
    /// Fills the structure up to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

const _: () = assert!(size_of::<DifferenceParams>() == 32);

/// `Tiles` of shaders/adjust/clahe_tiles.wgsl and shaders/adjust/clahe_curves.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct TileParams {
    /// Tiles across and down.
    pub tiles: [u32; 2],
    /// Width and height of a tile in pixels.
    pub tile: [u32; 2],
    /// The most samples that a bin keeps.
    pub most: u32,
    /// Workgroups that share a tile's rows.
    pub slices: u32,
    /// Fills the structure up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<TileParams>() == 32);

/// `Pairing` of shaders/lab/pairwise.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct PairingParams {
    /// Chunks from one of a pair to the other.
    pub stride: u32,
    /// Fills the structure up to 16 bytes.
    pub padding: [u32; 3],
}

const _: () = assert!(size_of::<PairingParams>() == 16);

/// What passes must know of a picture whose planes the GPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputPicture {
    /// How its samples lie.
    pub layout: PixelLayout,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Whether the conversion to red takes part of the second component, or that to blue of the third.
    pub crossed: bool,
    /// Whether it is an adjusted picture, whose words are its packed codes.
    pub packed: bool,
}

impl From<&Picture> for InputPicture {
    fn from(picture: &Picture) -> Self {
        let weights = picture.conversion().weights;
        let crossed = weights[0][1] != 0 || weights[2][2] != 0;
        Self { layout: *picture.layout(), size: (picture.width(), picture.height()), crossed, packed: false }
    }
}

impl InputPicture {
    /// Of a picture of any size: what pipelines are made for.
    #[must_use]
    pub const fn of_any_size(self) -> Self {
        Self { size: (0, 0), ..self }
    }

    /// How many pixels it has.
    #[must_use]
    pub const fn pixel_count(&self) -> u32 {
        self.size.0 * self.size.1
    }

    /// The pipeline constants of shaders/picture.wgsl and shaders/strips.wgsl.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        let mut constants = layout_constants(&self.layout);
        constants.push(("CROSSED", f64::from(u8::from(self.crossed))));
        constants
    }
}

/// The pipeline constants of shaders/picture.wgsl for a layout.
#[must_use]
pub fn layout_constants(layout: &PixelLayout) -> Vec<(&'static str, f64)> {
    let model = match layout.model {
        ColorModel::Gray => 0,
        ColorModel::YCbCr => 1,
        ColorModel::Rgb => 2,
    };
    let [first, second, third] = layout.components;
    let constants: [(&'static str, u32); 19] = [
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
    ];
    constants.iter().map(|&(name, value)| (name, f64::from(value))).collect()
}
