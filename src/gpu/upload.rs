//! Native planes to the GPU: rows are copied as they were decoded, with no conversion on the CPU.
//!
//! Planes go into storage buffers, not textures: a load of one word brings four 8-bit samples, pixels of three bytes
//! need no repacking, and a picture may be larger than any texture.

use super::shared::{PICTURE_WGSL, PictureParams, QUADS_WGSL};
use super::{Gpu, GpuError};
use crate::frame::Picture;
use crate::layout::PixelLayout;

/// The buffers of the picture that is shown, and the bind group by which every pass reads them.
#[derive(Debug)]
pub struct PictureBuffers {
    /// Layout of the bind group: the parameters and three planes.
    pub bind_group_layout: wgpu::BindGroupLayout,
    loaded: Option<Loaded>,
}

/// Buffers that fit one layout and size.
#[derive(Debug)]
struct Loaded {
    layout: PixelLayout,
    size: (u32, u32),
    planes: Vec<PlaneBuffer>,
    params: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
}

#[derive(Debug)]
struct PlaneBuffer {
    buffer: wgpu::Buffer,
    stride_bytes: usize,
    rows: usize,
    row_bytes: usize,
}

/// Bytes from row to row of a plane's buffer: whole blocks of four samples of every component, so that a pass may load
/// a block without asking where the row ends.
#[must_use]
pub fn stride_bytes(layout: &PixelLayout, plane: usize, width: u32, height: u32) -> usize {
    (0..layout.component_count())
        .filter(|&component| usize::from(layout.components[component].plane) == plane)
        .map(|component| {
            let (samples, _) = layout.component_size(component, width, height);
            samples.div_ceil(4) as usize * 4 * usize::from(layout.components[component].step)
        })
        .max()
        .unwrap_or(0)
}

impl PictureBuffers {
    /// Makes the bind group layout; buffers come with the first picture.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let storage = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let entries: Vec<_> = [uniform, storage, storage, storage]
            .into_iter()
            .zip(0..)
            .map(|(ty, binding)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE | wgpu::ShaderStages::FRAGMENT,
                ty,
                count: None,
            })
            .collect();
        let bind_group_layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("picture"), entries: &entries });
        Self { bind_group_layout, loaded: None }
    }

    /// More buffers for the passes that were made for `bind_group_layout`.
    #[must_use]
    pub fn with_layout(bind_group_layout: &wgpu::BindGroupLayout) -> Self {
        Self { bind_group_layout: bind_group_layout.clone(), loaded: None }
    }

    /// The bind group of the picture that was uploaded last.
    #[must_use]
    pub fn bind_group(&self) -> Option<&wgpu::BindGroup> {
        self.loaded.as_ref().map(|loaded| &loaded.bind_group)
    }

    /// Bytes of the planes that are held now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.loaded.iter().flat_map(|loaded| &loaded.planes).map(|plane| plane.buffer.size()).sum()
    }

    /// Gives the planes' memory back.
    pub fn release(&mut self) {
        self.loaded = None;
    }

    /// Checks that the adapter can hold the picture.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if a plane is larger than the adapter binds.
    pub fn check(gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        let (width, height) = (picture.width(), picture.height());
        let most = gpu.most_plane_bytes;
        for plane in 0..picture.layout().plane_count() {
            let (_, rows) = picture.layout().plane_size(plane, width, height);
            let bytes = stride_bytes(picture.layout(), plane, width, height) as u64 * rows as u64;
            if bytes > most {
                return Err(GpuError::PictureTooLarge { width, height, bytes, most, adapter: gpu.info.name.clone() });
            }
        }
        Ok(())
    }

    /// Queues the picture's planes and parameters for the passes that are submitted next.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if a plane is larger than the adapter binds.
    pub fn upload(&mut self, gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        Self::check(gpu, picture)?;
        let size = (picture.width(), picture.height());
        let fits = self.loaded.as_ref().is_some_and(|l| l.layout == *picture.layout() && l.size == size);
        if !fits {
            // The old buffers go first, so that two large pictures are never held at once.
            self.loaded = None;
        }
        let loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => Loaded::new(gpu, &self.bind_group_layout, picture),
        };
        loaded.write(gpu, picture);
        self.loaded = Some(loaded);
        Ok(())
    }
}

impl Loaded {
    fn new(gpu: &Gpu, group_layout: &wgpu::BindGroupLayout, picture: &Picture) -> Self {
        let layout = *picture.layout();
        let (width, height) = (picture.width(), picture.height());
        let mut planes = Vec::new();
        for plane in 0..layout.plane_count() {
            let (row_bytes, rows) = layout.plane_size(plane, width, height);
            let stride_bytes = stride_bytes(&layout, plane, width, height);
            let bytes = stride_bytes as u64 * rows as u64;
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("plane"),
                size: bytes.max(4),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            planes.push(PlaneBuffer { buffer, stride_bytes, rows, row_bytes });
        }
        let params = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture parameters"),
            size: size_of::<PictureParams>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // A layout of fewer planes binds its last one again; no pass reads it there.
        let plane = |index: usize| planes[index.min(planes.len() - 1)].buffer.as_entire_binding();
        let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("picture"),
            layout: group_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: plane(0) },
                wgpu::BindGroupEntry { binding: 2, resource: plane(1) },
                wgpu::BindGroupEntry { binding: 3, resource: plane(2) },
            ],
        });
        log::debug!("picture buffers for {width}×{height} {layout:?}");
        Self { layout, size: (width, height), planes, params, bind_group }
    }

    fn write(&self, gpu: &Gpu, picture: &Picture) {
        self.write_params(gpu, picture);
        for (index, plane) in self.planes.iter().enumerate() {
            plane.write(gpu, &picture.plane(index));
        }
    }

    fn write_params(&self, gpu: &Gpu, picture: &Picture) {
        let strides = std::array::from_fn(|i| self.planes.get(i).map_or(0, |p| (p.stride_bytes / 4) as u32));
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&PictureParams::new(picture, strides)));
    }
}

impl PlaneBuffer {
    fn write(&self, gpu: &Gpu, view: &crate::frame::PlaneView<'_>) {
        let size = self.stride_bytes * self.rows;
        let Some(size) = wgpu::BufferSize::new(size as u64) else { return };
        // Staging memory is written in place: the planes are copied once on the CPU and once by the GPU.
        let Some(mut staging) = gpu.queue.write_buffer_with(&self.buffer, 0, size) else {
            // wgpu has reported why; Gpu::check hands it on.
            return;
        };
        if view.stride == self.stride_bytes && view.bytes.len() >= self.stride_bytes * self.rows {
            staging.copy_from_slice(&view.bytes[..self.stride_bytes * self.rows]);
            return;
        }
        for y in 0..self.rows {
            let at = y * self.stride_bytes;
            staging.slice(at..at + self.row_bytes).copy_from_slice(view.row(y, self.row_bytes));
        }
    }
}

/// The source of a pass that reads the picture, with the shared text before it.
#[must_use]
pub fn with_picture(pass: &str) -> String {
    format!("{PICTURE_WGSL}\n{pass}")
}

/// The source of a pass that reads the picture four pixels at a time, with both shared texts before it.
#[must_use]
pub fn with_quads(pass: &str) -> String {
    with_picture(&format!("{QUADS_WGSL}\n{pass}"))
}
