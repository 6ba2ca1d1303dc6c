//! Draws the bars of a histogram, by the tutorial's method and by ours.
//!
//! In the tutorial's fragment shader, every pixel asks its bin. In ours, a compute pass asks once for each column. Both
//! draw two graphs side by side, as on the tutorial's page and in the window: red, green and blue over each other, with
//! the colours of the tutorial's table, and luminance. The bins need not leave the GPU.

use super::counting_pass::{Step, overrides};
use histoscope_core::histogram::CHANNELS;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{Dispatch, storage};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};
use histoscope_render::view::overlay::OverlapTable;
use histoscope_render::view::panel::PanelRect;

/// A method of drawing bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawMethod {
    /// Every pixel asks its bin: the tutorial's method.
    PerPixel,
    /// Every column asks its bin once for all its pixels: our method.
    PerColumn,
}

/// The format of a drawing.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Invocations of a workgroup that finds columns.
const FIND_INVOCATIONS: u32 = 64;
/// Words of a column.
const COLUMN_WORDS: usize = 9;

impl DrawMethod {
    /// Every method.
    pub const ALL: [Self; 2] = [Self::PerPixel, Self::PerColumn];

    /// Returns the name that selects the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerPixel => "per-pixel",
            Self::PerColumn => "per-column",
        }
    }

    /// Returns the name shown to users.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::PerPixel => "every pixel asks its bin",
            Self::PerColumn => "every column asks once",
        }
    }

    /// Returns a sentence on how the method works and what it costs.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::PerPixel => {
                "A fragment shader runs for each pixel of the drawing: it finds the pixel's bin, loads four counts, and \
                 looks up the colour of the bars that reach it."
            }
            Self::PerColumn => {
                "A compute pass loads each column's bins once, and sorts its four heights. A pixel then only counts how \
                 many of them it is above."
            }
        }
    }

    /// Returns how often each method loads the four counts of a bin, for this number of bins.
    #[must_use]
    pub const fn bin_loads(self, bins: u32) -> u32 {
        let (width, height) = LabDrawing::GRAPH;
        let of_a_row = 2 * if bins > width { bins } else { width };
        match self {
            Self::PerPixel => of_a_row * height,
            Self::PerColumn => of_a_row,
        }
    }
}

/// A drawing that is ready to be made, any number of times, from the bins of four channels.
#[derive(Debug)]
pub struct LabDrawing {
    method: DrawMethod,
    bins: wgpu::Buffer,
    result: wgpu::Buffer,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    computed: Vec<Dispatch>,
    bars: wgpu::RenderPipeline,
    bars_group: wgpu::BindGroup,
    steps: Vec<Step>,
}

impl LabDrawing {
    /// Width and height of a graph in pixels, those of a histogram in a window of 1280×720.
    pub const GRAPH: (u32, u32) = (576, 180);
    /// Width and height of a drawing in pixels: two graphs side by side.
    pub const SIZE: (u32, u32) = (2 * Self::GRAPH.0, Self::GRAPH.1);
    /// The most pixels that may have been counted, so that a count times the height fits in a word.
    pub const MAX_PIXELS: u64 = (u32::MAX / Self::SIZE.1) as u64;

    /// Prepares a drawing of this number of bins per channel.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(gpu: &Gpu, method: DrawMethod, bin_count: u32) -> Result<Self, GpuError> {
        let device = &gpu.device;
        let (width, height) = Self::SIZE;
        let bins = storage(device, "drawn bins", bin_count as usize * CHANNELS);
        let full = storage(device, "full bars", CHANNELS);
        let colors = storage(device, "colours of overlaps", 16);
        gpu.queue.write_buffer(&colors, 0, bytemuck::cast_slice(&colors_of_overlaps()));
        let columns = storage(device, "lab's columns", width as usize * COLUMN_WORDS);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("lab's drawing"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let module = shaders::LAB_DRAWING.module(device);
        let constants = vec![("BINS", bin_count), ("WIDTH", Self::GRAPH.0), ("HEIGHT", height)];
        let values = overrides(&constants);
        let scale = Dispatch {
            pipeline: module.compute(device, "scale", &values[..1]),
            group: groups::LAB_FULL.bind(device, &[&bins, &full]),
            workgroups: (1, 1),
        };
        let step = |name, workgroup, workgroups| {
            Step::new(name, &shaders::LAB_DRAWING, constants.clone(), (workgroup, 1), workgroups)
        };
        let mut steps = vec![step("scale", 1, (1, 1))];
        let mut computed = vec![scale];
        let fragment = match method {
            DrawMethod::PerPixel => "asks",
            DrawMethod::PerColumn => {
                let workgroups = (width.div_ceil(FIND_INVOCATIONS), 1);
                computed.push(Dispatch {
                    pipeline: module.compute(device, "find", &values),
                    group: groups::LAB_COLUMNS.bind(device, &[&bins, &full, &colors, &columns]),
                    workgroups,
                });
                steps.push(step("columns", FIND_INVOCATIONS, workgroups));
                "reads"
            }
        };
        let drawing = Self {
            method,
            result: storage(device, "read drawing", (width * height) as usize),
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            texture,
            computed,
            bars: module.rectangle(device, fragment, &values, FORMAT, None),
            bars_group: groups::LAB_BARS.bind(device, &[&bins, &full, &colors, &columns]),
            bins,
            steps,
        };
        gpu.check()?;
        Ok(drawing)
    }

    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> DrawMethod {
        self.method
    }

    /// Returns the bins to draw: the channels of bin 0, then the channels of bin 1, and so on.
    #[must_use]
    pub const fn bins(&self) -> &wgpu::Buffer {
        &self.bins
    }

    /// Returns the pixels of the finished drawing, row by row from the top, one word each.
    #[must_use]
    pub const fn result(&self) -> &wgpu::Buffer {
        &self.result
    }

    /// Returns the compute passes, which come before the draw.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the names of all passes. Each has its own span of timestamps in [`record`](Self::record).
    pub fn passes(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().map(|step| step.name).chain(["draw"])
    }

    /// Records all passes, and copies the drawing to [`result`](Self::result).
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, mut spans: Option<Spans<'_>>) {
        for dispatch in &self.computed {
            compute_pass(encoder, "lab's drawing", spans, |pass| dispatch.run(pass, None));
            spans = spans.map(Spans::next);
        }
        let timestamp_writes = spans.map(|spans| spans.end_with_drawing(encoder, true));
        self.record_draw(encoder, timestamp_writes);
    }

    fn record_draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("lab's drawing"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            timestamp_writes,
            ..Default::default()
        });
        pass.set_pipeline(&self.bars);
        pass.set_bind_group(0, &self.bars_group, &[]);
        pass.draw(0..4, 0..1);
        drop(pass);
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(Self::SIZE.0 * 4),
            rows_per_image: Some(Self::SIZE.1),
        };
        let target = wgpu::TexelCopyBufferInfo { buffer: &self.result, layout };
        encoder.copy_texture_to_buffer(self.texture.as_image_copy(), target, self.texture.size());
    }

    /// Draws these bins and waits for the pixels, row by row from the top, one word each.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn run(&self, gpu: &Gpu, bins: &[u32]) -> Result<Vec<u32>, GpuError> {
        gpu.queue.write_buffer(&self.bins, 0, bytemuck::cast_slice(bins));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("drawing") });
        self.record(&mut encoder, None);
        gpu.queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &self.result, self.result.size())?))
    }
}

/// Returns the tutorial's colour for each set of bars, as words of red, green, blue and opacity.
fn colors_of_overlaps() -> [u32; 16] {
    OverlapTable::default().0.map(|[r, g, b]| u32::from_le_bytes([r, g, b, 255]))
}

/// Draws bins in a plain loop on the CPU: the channels of bin 0, then the channels of bin 1, and so on.
#[must_use]
pub fn draw_plainly(bins: &[u32]) -> Vec<u32> {
    let ((width, height), (graph, _)) = (LabDrawing::SIZE, LabDrawing::GRAPH);
    let of_bins: Vec<[u64; CHANNELS]> =
        bins.chunks_exact(CHANNELS).map(|bin| std::array::from_fn(|channel| bin[channel].into())).collect();
    let count = of_bins.len() as u64;
    let samples: u64 = of_bins.iter().map(|bin| bin[3]).sum();
    let full: [u64; CHANNELS] = std::array::from_fn(|channel| {
        let tallest = of_bins.iter().map(|bin| bin[channel]).max().unwrap_or(0);
        tallest.min(5 * samples / count.max(1)).max(1)
    });
    let colors = colors_of_overlaps();
    let panel = PanelRect { left: 0, top: 0, width: graph, height };
    let pixel = |row: u32, column: u32| {
        let (first, last) = panel.bins_of_column(column % graph, count as u32);
        let shown = if column < graph { 0..3 } else { 3..CHANNELS };
        let reaches = |channel: &usize| {
            let bins = &of_bins[first as usize..=last as usize];
            let most = bins.iter().map(|bin| bin[*channel]).max().unwrap_or(0);
            most * u64::from(height) / full[*channel] > u64::from(row)
        };
        colors[shown.filter(reaches).map(|channel| 1 << channel).sum::<usize>()]
    };
    (0..height).rev().flat_map(|row| (0..width).map(move |column| (row, column))).map(|(r, c)| pixel(r, c)).collect()
}
