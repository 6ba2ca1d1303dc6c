//! The methods of the web article on the GPU, each as simple as the article has it, on 8-bit RGBA textures.

use super::error::Error;
use super::measure::{Budget, Times, on_gpu};
use super::method::{ChannelSet, Method};
use super::rgba::Textures;
use crate::gpu::Gpu;
use crate::gpu::params::PairingParams;
use crate::gpu::readback::read_buffer;
use crate::gpu::resources::{Dispatch, rows_of_workgroups, uniform};
use crate::gpu::shaders::{self, groups};
use crate::gpu::timing::{Spans, compute_pass};

/// Bins of a channel.
const BINS: u32 = 256;
/// Pixels of a chunk, in a row.
const CHUNK: u32 = 256;
/// Pixels a side of a workgroup of the methods without chunks.
const TILE: u32 = 16;

/// One method, ready to run on the textures that it was made for.
#[derive(Debug)]
pub struct ArticlePass {
    channels: ChannelSet,
    /// The bins, or the chunks, the first of which holds the bins in the end.
    bins: wgpu::Buffer,
    /// Whether the shader adds to what the buffer holds, so that it must hold zeros.
    adds: bool,
    count: wgpu::ComputePipeline,
    count_workgroups: (u32, u32),
    /// One bind group a texture.
    count_groups: Vec<wgpu::BindGroup>,
    sums: Vec<Dispatch>,
}

impl ArticlePass {
    /// Makes a method's pipelines and buffers; `Ok(Err)` says in words why the adapter cannot run it at this size.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        method: Method,
        channels: ChannelSet,
        textures: &Textures,
    ) -> Result<Result<Self, String>, Error> {
        let (width, height) = textures.size;
        let tiles = (width.div_ceil(TILE), height.div_ceil(TILE));
        let across = width.div_ceil(CHUNK);
        let (shader, workgroups, chunks) = match method {
            Method::Single => (&shaders::SINGLE, (1, 1), 1),
            Method::Race => (&shaders::RACE, tiles, 1),
            Method::Atomics => (&shaders::ATOMICS, tiles, 1),
            _ => (&shaders::CHUNKS, (across, height), across * height),
        };
        let bytes = u64::from(chunks) * u64::from(BINS * 4 * channels.count());
        let bins = match storage(gpu, bytes) {
            Ok(bins) => bins,
            Err(why) => return Ok(Err(format!("not measured: the {chunks} chunks take {}: {why}", megabytes(bytes)))),
        };
        let count = shader.module(&gpu.device).compute(&gpu.device, channels.entry_point(), &[]);
        let count_group = |view| {
            let resources = [wgpu::BindingResource::TextureView(view), bins.as_entire_binding()];
            groups::IMAGE_BINS.bind_resources(&gpu.device, resources)
        };
        let count_groups = textures.views.iter().map(count_group).collect();
        let sums = match method {
            Method::Sum => vec![sum_step(gpu, channels, &bins)],
            Method::Pairwise => pair_steps(gpu, channels, &bins, chunks),
            _ => Vec::new(),
        };
        gpu.check()?;
        let adds = matches!(method, Method::Single | Method::Race | Method::Atomics);
        Ok(Ok(Self { channels, bins, adds, count, count_workgroups: workgroups, count_groups, sums }))
    }

    /// Measures it. Clearing the bins is left out of the time, as if they had come from the driver as zeros.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn measure(&self, gpu: &Gpu, budget: &Budget) -> Result<Times, Error> {
        on_gpu(gpu, budget, &mut |encoder, repeat, spans| self.record(encoder, repeat, spans))
    }

    /// The bins of a texture's channels, one vector a channel.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn bins_of(&self, gpu: &Gpu, texture: usize) -> Result<Vec<Vec<u32>>, Error> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("check") });
        self.record(&mut encoder, texture, None);
        gpu.queue.submit([encoder.finish()]);
        let channels = self.channels.count() as usize;
        let bytes = read_buffer(gpu, &self.bins, u64::from(BINS * 4) * channels as u64)?;
        let interleaved: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok((0..channels).map(|channel| interleaved.iter().skip(channel).step_by(channels).copied().collect()).collect())
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>) {
        if self.adds {
            encoder.clear_buffer(&self.bins, 0, None);
        }
        compute_pass(encoder, "article", spans, |pass| {
            pass.set_pipeline(&self.count);
            pass.set_bind_group(0, &self.count_groups[repeat % self.count_groups.len()], &[]);
            pass.dispatch_workgroups(self.count_workgroups.0, self.count_workgroups.1, 1);
            self.sums.iter().for_each(|sum| sum.run(pass, None));
        });
    }
}

/// A storage buffer of that size, or in words why there is none.
fn storage(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, String> {
    let limits = gpu.device.limits();
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if bytes > most {
        return Err(format!("the adapter binds at most {}", megabytes(most)));
    }
    // An adapter may have less memory than it binds; that is no reason to give up the other methods.
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("article's bins"),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    match pollster::block_on(scope.pop()) {
        Some(_) => Err("the adapter has not that much memory left".into()),
        None => Ok(buffer),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn sum_step(gpu: &Gpu, channels: ChannelSet, chunks: &wgpu::Buffer) -> Dispatch {
    let pipeline = shaders::SUM.module(&gpu.device).compute(&gpu.device, channels.entry_point(), &[]);
    Dispatch { pipeline, group: groups::CHUNK_SUM.bind(&gpu.device, &[chunks]), workgroups: (1, 1) }
}

/// Steps of stride 1, 2, 4, … until one chunk is left. Each has a uniform buffer of its own, since all are recorded before
/// the first one runs.
fn pair_steps(gpu: &Gpu, channels: ChannelSet, chunks: &wgpu::Buffer, count: u32) -> Vec<Dispatch> {
    let pipeline = shaders::PAIRWISE.module(&gpu.device).compute(&gpu.device, channels.entry_point(), &[]);
    let strides = std::iter::successors(Some(1_u32), |stride| Some(stride * 2)).take_while(|&stride| stride < count);
    strides
        .map(|stride| {
            let params = uniform(gpu, "stride", &PairingParams { stride, padding: [0; 3] });
            // Pairs whose second chunk exists.
            let pairs = (count - stride).div_ceil(2 * stride);
            Dispatch {
                pipeline: pipeline.clone(),
                group: groups::CHUNK_PAIRS.bind(&gpu.device, &[chunks, &params]),
                workgroups: rows_of_workgroups(pairs),
            }
        })
        .collect()
}
