//! The structures that Rust and the adjustments' shaders share, byte for byte.

use bytemuck::{Pod, Zeroable};

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

/// `Point` of shaders/adjust/point.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct PointParams {
    /// Red, green and blue of up to eight classes.
    pub tones: [[u32; 4]; 8],
    /// Tiles across and down, where the curves are those of tiles.
    pub tiles: [u32; 2],
    /// Fills the structure up to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

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

/// `Tiles` of shaders/adjust/tiles.wgsl and shaders/adjust/tile_curves.wgsl.
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

const _: () = assert!(size_of::<ScanParams>() == 16);
const _: () = assert!(size_of::<CurveParams>() == 16);
const _: () = assert!(size_of::<PointParams>() == 144);
const _: () = assert!(size_of::<BlurParams>() == 16);
const _: () = assert!(size_of::<TileParams>() == 32);
