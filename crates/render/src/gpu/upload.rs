//! Uploads native planes to the GPU: rows arrive exactly as they were decoded. The CPU does not convert them, and does
//! not even copy them if the GPU can read them in place.
//!
//! Planes go into storage buffers, not textures: loading one word yields four 8-bit samples, pixels of three bytes need
//! no repacking, and a picture may be larger than any texture.

use super::import::InPlace;
use super::params::{InputPicture, PictureParams};
use super::shaders::groups;
use super::staging::{Staged, Staging};
use super::{Gpu, GpuError};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::{ChromaLines, PixelLayout};

/// The buffers of the shown picture, and the bind group through which every pass reads them.
#[derive(Debug)]
pub struct PictureBuffers {
    loaded: Option<Loaded>,
    staging: Staging,
}

/// A picture in the adapter's memory, as the passes read it.
#[derive(Debug, Clone, Copy)]
pub struct BoundPicture<'a> {
    /// The bind group of its planes.
    pub group: &'a wgpu::BindGroup,
    /// Its layout and size.
    pub input: InputPicture,
}

/// Buffers for one layout and size.
#[derive(Debug)]
struct Loaded {
    layout: PixelLayout,
    size: (u32, u32),
    /// Row stride of each plane in bytes.
    strides: [usize; 3],
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

/// The memory that recorded commands copy from.
#[must_use = "call `submitted` after submitting, or its memory is never reused"]
pub(super) enum InFlight {
    /// Memory that the planes were copied to.
    Staged(Staged),
    /// The decoder's own memory, which it must not reuse until the copy is done.
    InPlace(Picture),
}

impl InFlight {
    /// Must be called after the commands are submitted.
    pub fn submitted(self, gpu: &Gpu) {
        match self {
            Self::Staged(staged) => staged.submitted(),
            Self::InPlace(picture) => gpu.queue.on_submitted_work_done(move || drop(picture)),
        }
    }
}

/// Returns the bytes that the passes read from a row of a plane, which is also the row stride if the CPU copies the
/// plane. It covers whole blocks of four samples of every component, so that a pass may load a block without checking
/// for the end of the row.
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

impl Default for PictureBuffers {
    /// Returns a value without buffers; the first upload creates them.
    fn default() -> Self {
        Self { loaded: None, staging: Staging::new() }
    }
}

impl PictureBuffers {
    /// Returns the bind group of the last uploaded picture.
    #[must_use]
    pub fn bind_group(&self) -> Option<&wgpu::BindGroup> {
        self.loaded.as_ref().map(|loaded| &loaded.bind_group)
    }

    /// Returns the bytes of the planes currently held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.loaded.iter().flat_map(|loaded| &loaded.planes).map(|plane| plane.buffer.size()).sum()
    }

    /// Frees the planes' memory.
    pub fn release(&mut self) {
        self.loaded = None;
        self.staging.release();
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

    /// Uploads the picture's planes and parameters for the passes that are submitted next.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if a plane is larger than the adapter binds.
    pub fn upload(&mut self, gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("upload") });
        let underway = self.record_upload(gpu, picture, &mut encoder)?;
        gpu.queue.submit([encoder.finish()]);
        underway.submitted(gpu);
        Ok(())
    }

    /// Like [`upload`](Self::upload), but records the copies in commands that the caller submits. The caller must then
    /// call [`InFlight::submitted`].
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if a plane is larger than the adapter binds.
    pub(super) fn record_upload(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<InFlight, GpuError> {
        Self::check(gpu, picture)?;
        let size = (picture.width(), picture.height());
        let packed = |plane| stride_bytes(picture.layout(), plane, size.0, size.1);
        let in_place = gpu.imports.in_place(picture, gpu.most_plane_bytes, packed);
        let strides = in_place.as_ref().map_or_else(|| std::array::from_fn(packed), |in_place| in_place.strides);
        // It makes no difference to the planes' memory whether chroma lines are shared by frame or by field.
        let layout = picture.layout().with_chroma_lines(ChromaLines::Frame);
        let fits = |l: &Loaded| l.layout == layout && l.size == size && l.strides == strides;
        let fits = self.loaded.as_ref().is_some_and(fits);
        if !fits {
            // Frees the old buffers first, so that two large pictures are never held at the same time.
            self.loaded = None;
            self.staging.release();
        }
        let loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => Loaded::new(gpu, picture, strides),
        };
        loaded.write_params(gpu, picture);
        let underway = if let Some(in_place) = in_place {
            loaded.read(&in_place, encoder);
            InFlight::InPlace(picture.clone())
        } else {
            let staged = self.staging.take(gpu, loaded.planes.iter().map(|plane| plane.buffer.size()).sum());
            loaded.write(picture, &staged, encoder);
            InFlight::Staged(staged)
        };
        self.loaded = Some(loaded);
        Ok(underway)
    }
}

impl Loaded {
    fn new(gpu: &Gpu, picture: &Picture, strides: [usize; 3]) -> Self {
        let layout = picture.layout().with_chroma_lines(ChromaLines::Frame);
        let (width, height) = (picture.width(), picture.height());
        let mut planes = Vec::new();
        for plane in 0..layout.plane_count() {
            let (row_bytes, rows) = layout.plane_size(plane, width, height);
            let stride_bytes = strides[plane];
            let bytes = stride_bytes as u64 * rows as u64;
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("plane"),
                // Some passes read a plane four words at a time.
                size: bytes.max(16),
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
        // A layout with fewer planes binds its last one again; no pass reads those bindings.
        let plane = |index: usize| &planes[index.min(planes.len() - 1)].buffer;
        let bind_group = groups::PICTURE.bind(&gpu.device, &[&params, plane(0), plane(1), plane(2)]);
        log::debug!("picture buffers for {width}×{height} {layout:?}");
        Self { layout, size: (width, height), strides, planes, params, bind_group }
    }

    /// Writes the planes to staging memory, and records copying them from there: one copy by the CPU and one by the
    /// GPU.
    fn write(&self, picture: &Picture, staged: &Staged, encoder: &mut wgpu::CommandEncoder) {
        let Some(mut memory) = staged.view() else { return };
        let mut at = 0;
        for (index, plane) in self.planes.iter().enumerate() {
            plane.write(&mut memory, at, &picture.plane(index));
            at += plane.buffer.size() as usize;
        }
        drop(memory);
        let (staged, mut at) = (staged.written(), 0);
        for PlaneBuffer { buffer, .. } in &self.planes {
            encoder.copy_buffer_to_buffer(staged, at, buffer, 0, buffer.size());
            at += buffer.size();
        }
    }

    /// Records copying the planes from the decoder's memory: only the GPU copies.
    fn read(&self, in_place: &InPlace, encoder: &mut wgpu::CommandEncoder) {
        for (PlaneBuffer { buffer, .. }, offset) in self.planes.iter().zip(in_place.offsets) {
            encoder.copy_buffer_to_buffer(&in_place.buffer, offset, buffer, 0, buffer.size());
        }
    }

    fn write_params(&self, gpu: &Gpu, picture: &Picture) {
        let strides = std::array::from_fn(|i| self.planes.get(i).map_or(0, |p| (p.stride_bytes / 4) as u32));
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&PictureParams::new(picture, strides)));
    }
}

impl PlaneBuffer {
    /// Writes the plane's rows to the memory, starting at byte `at`.
    fn write(&self, memory: &mut wgpu::BufferViewMut, at: usize, view: &histoscope_core::picture::PlaneView<'_>) {
        let bytes = self.stride_bytes * self.rows;
        if view.stride == self.stride_bytes && view.bytes.len() >= bytes {
            memory.slice(at..at + bytes).copy_from_slice(&view.bytes[..bytes]);
            return;
        }
        for y in 0..self.rows {
            let row = at + y * self.stride_bytes;
            memory.slice(row..row + self.row_bytes).copy_from_slice(view.row(y, self.row_bytes));
        }
    }
}
