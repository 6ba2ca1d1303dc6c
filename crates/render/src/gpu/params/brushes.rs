//! Parameters of the passes that brushes of the scopes need.

use bytemuck::{Pod, Zeroable};

/// `Brushes` of shaders/brush.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct BrushParams {
    /// Column and row of the first pixel that may be selected.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
    /// Channels of the histograms' brush, a bit each, 0 where there is none; its lowest and highest bin.
    pub histogram: [u32; 4],
    /// The same of the waveform's.
    pub waveform: [u32; 4],
    /// The first pixel of a row that the waveform's may select, and the one behind the last.
    pub columns: [u32; 2],
    /// Whether the channels are Y', Cb and Cr as coded.
    pub coded: u32,
    /// Words of a row of a plane.
    pub row_words: u32,
    /// Weights of red, green and blue in Cb, and the bias.
    pub cb: [i32; 4],
    /// The same in Cr.
    pub cr: [i32; 4],
    /// 0 where there is no vectorscope's brush, 1 where Cb and Cr are coded, 2 where they are computed.
    pub pairs: u32,
    /// Bits of a level of a pair.
    pub level_bits: u32,
    /// Fills the structure up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<BrushParams>() == 112);

/// `Brushed` of shaders/brushed.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct BrushedParams {
    /// Column and row of the first sample that is counted.
    pub low: [u32; 2],
    /// Column and row behind the last.
    pub high: [u32; 2],
    /// Binary logarithm of the pixels to a sample, across and down.
    pub shift: [u32; 2],
    /// Rows of the picture.
    pub height: u32,
    /// Words of a row of a plane.
    pub row_words: u32,
    /// Columns of the waveform.
    pub columns: u32,
    /// Its counts from one channel to the next.
    pub stride: u32,
    /// Whether bins are counted.
    pub bins: u32,
    /// Whether the waveform is.
    pub waveform: u32,
    /// Weights of red, green and blue in Cb, and the bias.
    pub cb: [i32; 4],
    /// The same in Cr.
    pub cr: [i32; 4],
}

const _: () = assert!(size_of::<BrushedParams>() == 80);
