//! The histogram overlays' pass: drawn from the bin buffer and the scale buffer, which never leave the GPU.

use std::collections::HashMap;

use glam::{Mat4, Vec2, Vec3};

use super::{OVER, rectangle_pipeline};
use crate::color::Range;
use crate::gpu::Gpu;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::shared::OverlayParams;
use crate::histogram::Components;

const OVERLAY_WGSL: &str = include_str!("../../../shaders/overlay.wgsl");

/// A set of the four channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Channels(u32);

impl Channels {
    /// No channel.
    pub const NONE: Self = Self(0);
    /// Red, green, blue and luminance; or Y', Cb and Cr.
    pub const ALL: Self = Self(0b1111);

    /// The set of one channel.
    #[must_use]
    pub const fn one(channel: usize) -> Self {
        Self(1 << channel)
    }

    /// Whether the channel is in the set.
    #[must_use]
    pub const fn contains(self, channel: usize) -> bool {
        self.0 & (1 << channel) != 0
    }

    /// Whether the set has no channel.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The channels of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The channels that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Puts a channel in, or takes it out.
    pub const fn toggle(&mut self, channel: usize) {
        self.0 ^= 1 << channel;
    }

    /// Bit c is channel c.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// Where an overlay lies, as parts of the view from its bottom left corner, and what it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Bottom left corner.
    pub origin: Vec2,
    /// Width and height.
    pub size: Vec2,
    /// Channels that belong here, whether they are toggled on or not.
    pub channels: Channels,
}

/// The overlays: colour at the left, lightness at the right, each 0.9 of half the width and a quarter of the height.
#[must_use]
pub fn layout(components: Components) -> [Placed; 2] {
    let size = Vec2::new(0.45, 0.25);
    let (left, right) = match components {
        Components::Rgbl => (Channels(0b0111), Channels(0b1000)),
        Components::YCbCr => (Channels(0b0110), Channels(0b0001)),
    };
    [
        Placed { origin: Vec2::new(0.025, 0.0), size, channels: left },
        Placed { origin: Vec2::new(0.525, 0.0), size, channels: right },
    ]
}

/// Codes that bound the legal levels of what an overlay shows: of code values in limited range 16 to 235 for Y' and 16 to
/// 240 for Cb and Cr, scaled to the depth. Elsewhere every code is legal.
#[must_use]
pub fn guides(components: Components, range: Range, placed: &Placed, bits: u32) -> Vec<u32> {
    if components != Components::YCbCr || range != Range::Limited {
        return Vec::new();
    }
    let top = if placed.channels.contains(0) { 235 } else { 240 };
    vec![16 << (bits - 8), top << (bits - 8)]
}

/// What the overlays are to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// What was counted.
    pub components: Components,
    /// The range that the codes are in.
    pub range: Range,
    /// Channels that are toggled on.
    pub on: Channels,
}

/// Colours of a point by the set of channels whose bars reach it, premultiplied by their opacity.
///
/// Bars mix as light does: red over green is yellow, all three are white. Where no bar reaches lies a dark veil, so that
/// the bars stand out on any picture.
#[must_use]
pub fn colors(components: Components) -> [[f32; 4]; 16] {
    const VEIL: [f32; 4] = [0.0, 0.0, 0.0, 0.45];
    const OPACITY: f32 = 0.88;
    // The bars' lights, channel by channel. They are a little less than pure, which reads better on a dark veil.
    let lights: [[f32; 3]; 4] = match components {
        Components::Rgbl => [[1.0, 0.22, 0.20], [0.20, 0.90, 0.28], [0.22, 0.42, 1.0], [0.86, 0.86, 0.84]],
        Components::YCbCr => [[0.86, 0.86, 0.84], [0.30, 0.52, 1.0], [1.0, 0.34, 0.30], [0.0; 3]],
    };
    std::array::from_fn(|set| {
        if set == 0 {
            return VEIL;
        }
        let mut light = [0.0_f32; 3];
        for channel in (0..4).filter(|channel| set & (1 << channel) != 0) {
            light = std::array::from_fn(|i| light[i].max(lights[channel][i]));
        }
        // Luminance has no colour of its own to add; it whitens what it overlaps.
        if components == Components::Rgbl && set & 8 != 0 {
            light = light.map(|part| part + 0.4 * (lights[3][0] - part));
        }
        [light[0] * OPACITY, light[1] * OPACITY, light[2] * OPACITY, OPACITY]
    })
}

/// Draws the overlays.
#[derive(Debug)]
pub struct OverlayPass {
    module: wgpu::ShaderModule,
    format: wgpu::TextureFormat,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<u32, wgpu::RenderPipeline>,
    overlays: Vec<(wgpu::Buffer, wgpu::BindGroup)>,
    shown: usize,
}

impl OverlayPass {
    /// Makes the pass for views of `format`, reading the buffers of `histogram`.
    #[must_use]
    pub fn new(gpu: &Gpu, histogram: &HistogramPasses, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = wgpu::BufferBindingType::Storage { read_only: true };
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("overlay"),
            entries: &[
                entry(0, wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::BufferBindingType::Uniform),
                entry(1, wgpu::ShaderStages::FRAGMENT, storage),
                entry(2, wgpu::ShaderStages::FRAGMENT, storage),
            ],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("overlay"),
            bind_group_layouts: &[Some(&group_layout)],
            immediate_size: 0,
        });
        let overlay = |_| {
            let params = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("overlay"),
                size: size_of::<OverlayParams>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let resources = [&params, &histogram.bins, &histogram.scales].map(wgpu::Buffer::as_entire_binding);
            let entries: Vec<_> = resources
                .into_iter()
                .zip(0..)
                .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("overlay"),
                layout: &group_layout,
                entries: &entries,
            });
            (params, group)
        };
        let overlays = (0..layout(Components::Rgbl).len()).map(overlay).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("overlay"),
            source: wgpu::ShaderSource::Wgsl(OVERLAY_WGSL.into()),
        });
        Self { module, format, pipeline_layout, pipelines: HashMap::new(), overlays, shown: 0 }
    }

    /// Sets the overlays up for a view of `view` pixels.
    pub fn prepare(&mut self, gpu: &Gpu, shown: &Shown, view: (u32, u32)) {
        let Shown { bits, components, on, .. } = *shown;
        let (module, layout_) = (&self.module, &self.pipeline_layout);
        self.pipelines.entry(bits).or_insert_with(|| {
            let constants = [("BITS", f64::from(bits))];
            let blend = Some(OVER);
            rectangle_pipeline(&gpu.device, "overlay", layout_, module, "histogram", &constants, self.format, blend)
        });
        self.shown = 0;
        let view = Vec2::new(view.0 as f32, view.1 as f32);
        for placed in layout(components) {
            let channels = placed.channels.intersection(on);
            if channels.is_empty() {
                continue;
            }
            let params = overlay_params(&placed, channels, shown, view);
            gpu.queue.write_buffer(&self.overlays[self.shown].0, 0, bytemuck::bytes_of(&params));
            self.shown += 1;
        }
    }

    /// Draws the overlays that were set up for bins of `bits` bits.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, bits: u32) {
        let Some(pipeline) = self.pipelines.get(&bits) else { return };
        pass.set_pipeline(pipeline);
        for (_, group) in &self.overlays[..self.shown] {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

fn overlay_params(placed: &Placed, channels: Channels, shown: &Shown, view: Vec2) -> OverlayParams {
    // Whole pixels, so that columns of bars are sharp.
    let low = (placed.origin * view).round();
    let pixels = ((placed.origin + placed.size) * view).round() - low;
    let pixels = pixels.max(Vec2::ONE);
    let transform = Mat4::from_translation(Vec3::new(-1.0, -1.0, 0.0))
        * Mat4::from_scale((2.0 / view).extend(1.0))
        * Mat4::from_translation(low.extend(0.0))
        * Mat4::from_scale(pixels.extend(1.0));
    let marks = guides(shown.components, shown.range, placed, shown.bits);
    OverlayParams {
        transform: transform.to_cols_array_2d(),
        colors: colors(shown.components),
        pixels: pixels.to_array(),
        channels: channels.bits(),
        guide_count: marks.len().min(4) as u32,
        guides: std::array::from_fn(|i| marks.get(i).map_or(0.0, |&code| code as f32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_mix_as_light() {
        let colors = colors(Components::Rgbl);
        assert!(colors[0b011][0] > 0.8 && colors[0b011][1] > 0.7 && colors[0b011][2] < 0.3, "red and green: yellow");
        assert!(colors[0b110][0] < 0.3 && colors[0b110][1] > 0.7 && colors[0b110][2] > 0.8, "green and blue: cyan");
        assert!(colors[0b101][0] > 0.8 && colors[0b101][1] < 0.4 && colors[0b101][2] > 0.8, "red and blue: magenta");
        for (set, color) in colors.iter().enumerate() {
            assert!(color[..3].iter().all(|&part| part <= color[3]), "premultiplied: {set} {color:?}");
            assert!(colors.iter().enumerate().all(|(other, c)| other == set || c != color), "{set} has a colour twice");
        }
    }

    #[test]
    fn legal_levels_are_marked_on_code_values_in_limited_range_only() {
        let [chroma, luma] = layout(Components::YCbCr);
        assert_eq!(guides(Components::YCbCr, Range::Limited, &luma, 8), [16, 235]);
        assert_eq!(guides(Components::YCbCr, Range::Limited, &chroma, 10), [64, 960]);
        assert!(guides(Components::YCbCr, Range::Full, &luma, 8).is_empty());
        assert!(guides(Components::Rgbl, Range::Limited, &layout(Components::Rgbl)[0], 8).is_empty());
    }

    #[test]
    fn overlays_are_as_wide_and_high_as_said_and_do_not_touch() {
        let [left, right] = layout(Components::Rgbl);
        for placed in [left, right] {
            assert!((placed.size - Vec2::new(0.9 * 0.5, 0.25)).length() < 1e-6);
        }
        assert!(left.origin.x + left.size.x < 0.5 && right.origin.x > 0.5);
        assert_eq!(left.channels.union(right.channels), Channels::ALL);
        assert_eq!(left.channels.intersection(right.channels), Channels::NONE);
    }
}
