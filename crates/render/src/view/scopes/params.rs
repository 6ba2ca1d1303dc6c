//! What is told of a panel for drawing it, on the adapter and on the CPU alike.

use bytemuck::{Pod, Zeroable};

/// What draws a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelDrawing {
    /// Its ground alone.
    Plate,
    /// A waveform or a parade.
    Waveform,
    /// A vectorscope.
    Vectorscope,
}

/// `Trace` of shaders/trace.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct TraceParams {
    /// Columns and rows of the view.
    pub view: [u32; 2],
    /// Column and row of the panel's upper left corner.
    pub origin: [u32; 2],
    /// The panel's columns and rows.
    pub size: [u32; 2],
    /// Bits of a level.
    pub level_bits: u32,
    /// A waveform's counts from one channel to the next.
    pub stride: u32,
    /// A waveform's columns, channel by channel.
    pub columns: [u32; 4],
    /// The samples that were counted for each, across.
    pub widths: [u32; 4],
    /// The same, down.
    pub heights: [u32; 4],
    /// Bit c: channel c is drawn.
    pub channels: u32,
    /// 1 where channels lie beside each other.
    pub parade: u32,
    /// Brightness, 1 being as designed.
    pub gain: f32,
    /// Opacity of the ground.
    pub ground: f32,
    /// Light of each channel.
    pub lights: [[f32; 4]; 4],
    /// Red of Cr, green of Cb and of Cr, blue of Cb.
    pub hue: [f32; 4],
    /// Enlargement of a vectorscope's middle.
    pub zoom: f32,
    /// 1 where its trace is white.
    pub white: u32,
    /// Samples that it has counted.
    pub samples: f32,
    /// Light of its trace, 1 being as designed.
    pub strength: f32,
}

const _: () = assert!(size_of::<TraceParams>() == 192);
