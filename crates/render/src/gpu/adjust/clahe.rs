//! Contrast-limited adaptive histogram equalization: the tiles' histograms and curves.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use crate::gpu::Gpu;
use crate::gpu::params::InputPicture;
use crate::gpu::resources::{Dispatch, rows_of_workgroups, storage, uniform};
use crate::gpu::shaders::{self, groups};
use histoscope_core::adjust::Clahe;
use histoscope_core::adjust::clahe::{Between, Grid};

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
    /// Workgroups that share the rows of a tile.
    pub slices: u32,
    /// Padding to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<TileParams>() == 32);

/// The passes.
#[derive(Debug)]
pub(super) struct ClahePass {
    tiles: shaders::Module,
    tiles_pipelines: HashMap<InputPicture, wgpu::ComputePipeline>,
    curves: shaders::Module,
    curves_pipelines: HashMap<u32, [wgpu::ComputePipeline; 2]>,
}

/// The dispatches that compute the curves of tiles, and their results.
#[derive(Debug)]
pub(super) struct TileCurves {
    /// Counts the tiles of the picture.
    pub(super) count: Dispatch,
    /// Compute the curves and pack them.
    pub(super) curves: [Dispatch; 2],
    /// The packed curves of each cell.
    pub(super) packed: wgpu::Buffer,
    /// The position of each column, then of each row, between tiles.
    pub(super) axes: wgpu::Buffer,
}

impl ClahePass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self {
            tiles: shaders::CLAHE_TILES.module(&gpu.device),
            tiles_pipelines: HashMap::new(),
            curves: shaders::CLAHE_CURVES.module(&gpu.device),
            curves_pipelines: HashMap::new(),
        }
    }

    /// Prepares the curves of a picture's tiles.
    pub(super) fn job(&mut self, gpu: &Gpu, source: &InputPicture, clahe: Clahe) -> TileCurves {
        let device = &gpu.device;
        let bits = source.layout.bin_bits();
        let grid = Grid::new(source.size, clahe.tiles);
        let tiles = grid.tiles.0 * grid.tiles.1;
        // Enough workgroups to keep a large GPU busy, each with rows to count.
        let wanted = if gpu.is_software() { 16 } else { 512 };
        let slices = wanted_slices(wanted, tiles, grid.tile.1);
        let params = TileParams {
            tiles: grid.tiles.into(),
            tile: grid.tile.into(),
            most: grid.most_of_bin(clahe.clip_limit, bits),
            slices,
            padding: [0; 2],
        };
        let params = uniform(gpu, "tiles", &params);
        let chunks = storage(device, "tile slices", ((tiles * slices) as usize) << bits);
        let curves = storage(device, "tile curves", (tiles as usize) << bits);
        let cells = (grid.tiles.0 + 1) * (grid.tiles.1 + 1);
        let words = if bits == 8 { 1 } else { 2 };
        let packed = storage(device, "cells", ((cells as usize) << bits) * words);
        let columns_and_rows = [grid.columns(bits), grid.rows(bits)].concat();
        let axes: Vec<_> = columns_and_rows.into_iter().map(Between::packed).collect();
        let axes_buffer = storage(device, "axes", axes.len().next_multiple_of(2));
        gpu.queue.write_buffer(&axes_buffer, 0, bytemuck::cast_slice(&axes));
        let count = Dispatch {
            pipeline: self.tiles_pipeline(gpu, source),
            group: groups::TILES.bind(device, &[&params, &chunks]),
            workgroups: (tiles * slices, 1),
        };
        let group = groups::TILE_CURVES.bind(device, &[&params, &chunks, &curves, &packed]);
        let [curve, pack] = self.curves_pipelines(device, bits);
        let packs = rows_of_workgroups((cells << bits).div_ceil(256));
        let curves = [
            Dispatch { pipeline: curve, group: group.clone(), workgroups: (tiles, 1) },
            Dispatch { pipeline: pack, group, workgroups: packs },
        ];
        TileCurves { count, curves, packed, axes: axes_buffer }
    }

    fn tiles_pipeline(&mut self, gpu: &Gpu, source: &InputPicture) -> wgpu::ComputePipeline {
        let shader = &self.tiles;
        let kind = source.of_any_size();
        let most = gpu.device.limits().max_compute_invocations_per_workgroup;
        let workgroup = if gpu.is_software() { 64 } else { most.min(512) };
        let pipeline = self.tiles_pipelines.entry(kind).or_insert_with(|| {
            let mut constants = source.constants();
            constants
                .extend([("WORKGROUP", f64::from(workgroup)), ("BINS", f64::from(1_u32 << source.layout.bin_bits()))]);
            shader.compute(&gpu.device, "count_tiles", &constants)
        });
        pipeline.clone()
    }

    fn curves_pipelines(&mut self, device: &wgpu::Device, bits: u32) -> [wgpu::ComputePipeline; 2] {
        let shader = &self.curves;
        let pipelines = self.curves_pipelines.entry(bits).or_insert_with(|| {
            let bins = f64::from(1_u32 << bits);
            let constants = [("BITS", f64::from(bits)), ("BINS", bins), ("OWN", bins / 256.0)];
            ["curve_of_tile", "pack_cells"].map(|entry| shader.compute(device, entry, &constants))
        });
        pipelines.clone()
    }
}

/// Returns the workgroups per tile, so that there are about `wanted` in total, each with at least one row.
fn wanted_slices(wanted: u32, tiles: u32, rows: u32) -> u32 {
    wanted.div_ceil(tiles).min(32).min(rows).max(1)
}
