//! Counts a small picture on the GPU: the whole host side of docs/learn/machine.md, without this project's crates.
//!
//!     cargo run --example count
#![allow(clippy::print_stdout, dead_code, reason = "an example prints, and a test uses a part of it")]

use std::error::Error;
use std::iter::successors;

use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, Features};

pub const BINS: u32 = 3;
pub const CHUNK: u32 = 3;

/// The luminances of the 6×7 pixels of docs/learn/README.md, as codes of 8 bits.
pub const PICTURE: [u32; 42] = [
    59, 102, 102, 102, 102, 59, //
    102, 134, 202, 202, 134, 102, //
    134, 202, 231, 231, 202, 134, //
    59, 134, 134, 134, 134, 59, //
    57, 57, 102, 102, 57, 57, //
    57, 34, 202, 202, 34, 57, //
    34, 34, 34, 34, 34, 34, //
];

/// The bins, the dispatches that it took, and how long they ran.
pub struct Counted {
    pub bins: Vec<u32>,
    pub dispatches: usize,
    pub nanoseconds: Option<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let counted = count(&PICTURE)?;
    for (bin, count) in counted.bins.iter().enumerate() {
        println!("bin {bin}   {} {count}", "█".repeat(*count as usize));
    }
    match counted.nanoseconds {
        Some(nanoseconds) => println!("{} dispatches in {:.1} µs", counted.dispatches, nanoseconds / 1000.0),
        None => println!("{} dispatches; this adapter writes no timestamps", counted.dispatches),
    }
    Ok(())
}

pub fn count(pixels: &[u32]) -> Result<Counted, Box<dyn Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & Features::TIMESTAMP_QUERY,
        ..Default::default()
    }))?;

    let module = device.create_shader_module(wgpu::include_wgsl!("count.wgsl"));
    let pipeline = |entry_point, layout| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout,
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    let (counting, adding) = (pipeline("count", None), pipeline("add", None));

    let chunks = (pixels.len() as u32).div_ceil(CHUNK);
    let bytes = u64::from(chunks * BINS) * 4;
    let buffer = |label, contents: &[u32], usage| {
        device.create_buffer_init(&BufferInitDescriptor {
            label: Some(label),
            contents: bytemuck::cast_slice(contents),
            usage,
        })
    };
    let source = buffer("pixels", pixels, BufferUsages::STORAGE);
    let zeros = vec![0; (chunks * BINS) as usize];
    let bins = buffer("chunks", &zeros, BufferUsages::STORAGE | BufferUsages::COPY_SRC);

    let group = |pipeline: &wgpu::ComputePipeline, buffers: &[(u32, &wgpu::Buffer)]| {
        let entries = buffers
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("buffers"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        })
    };
    let count_group = group(&counting, &[(0, &source), (1, &bins)]);
    let pair = |stride| {
        let params = buffer("stride", &[stride, 0, 0, 0], BufferUsages::UNIFORM);
        (group(&adding, &[(1, &bins), (2, &params)]), (chunks - stride).div_ceil(2 * stride))
    };
    let pairs: Vec<_> = successors(Some(1), |stride| Some(stride * 2)).take_while(|&s| s < chunks).map(pair).collect();

    let timer = device.features().contains(Features::TIMESTAMP_QUERY).then(|| {
        let ty = wgpu::QueryType::Timestamp;
        device.create_query_set(&wgpu::QuerySetDescriptor { label: Some("times"), ty, count: 2 })
    });
    let timestamp_writes = timer.as_ref().map(|query_set| wgpu::ComputePassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: Some(0),
        end_of_pass_write_index: Some(1),
    });

    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("count"), timestamp_writes });
    pass.set_pipeline(&counting);
    pass.set_bind_group(0, &count_group, &[]);
    pass.dispatch_workgroups(chunks, 1, 1);
    pass.set_pipeline(&adding);
    for (group, workgroups) in &pairs {
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(*workgroups, 1, 1);
    }
    drop(pass);

    let staging = |bytes| {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false })
    };
    let (counts, times) = (staging(bytes), staging(16));
    encoder.copy_buffer_to_buffer(&bins, 0, &counts, 0, bytes);
    if let Some(timer) = &timer {
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = buffer("resolved", &[0; 4], usage);
        encoder.resolve_query_set(timer, 0..2, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &times, 0, 16);
    }
    queue.submit([encoder.finish()]);

    for buffer in [&counts, &times] {
        buffer.map_async(wgpu::MapMode::Read, .., |_| ());
    }
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let bins: Vec<u32> = bytemuck::pod_collect_to_vec(&counts.get_mapped_range(..u64::from(BINS) * 4)?);
    let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&times.get_mapped_range(..)?);
    let period = f64::from(queue.get_timestamp_period());
    let nanoseconds = timer.map(|_| ticks[1].saturating_sub(ticks[0]) as f64 * period);
    Ok(Counted { bins, dispatches: 1 + pairs.len(), nanoseconds })
}
