//! Native planes to the GPU: rows arrive as they were decoded, with no conversion on the CPU, and with no copy by it where
//! the GPU can read them where they lie.
//!
//! Planes go into storage buffers, not textures: a load of one word brings four 8-bit samples, pixels of three bytes
//! need no repacking, and a picture may be larger than any texture.

use super::import::InPlace;
use super::params::{InputPicture, PictureParams};
use super::shaders::groups;
use super::staging::{Staged, Staging};
use super::{Gpu, GpuError};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::{ChromaLines, PixelLayout};

/// The buffers of the picture that is shown, and the bind group by which every pass reads them.
#[derive(Debug)]
pub struct PictureBuffers {
    loaded: Option<Loaded>,
    staging: Staging,
}

/// A picture in the adapter's memory, as passes read it.
#[derive(Debug, Clone, Copy)]
pub struct BoundPicture<'a> {
    /// The bind group of its planes.
    pub group: &'a wgpu::BindGroup,
    /// Its layout and size.
    pub input: InputPicture,
}

/// Buffers that fit one layout and size.
#[derive(Debug)]
struct Loaded {
    layout: PixelLayout,
    size: (u32, u32),
    /// Of each plane, bytes from row to row.
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
#[must_use = "its memory is free again only when it is told that the commands were submitted"]
pub(super) enum Underway {
    /// Memory that the planes were copied to.
    Staged(Staged),
    /// The decoder's own, which it must not use again meanwhile.
    InPlace(Picture),
}

impl Underway {
    /// Must follow the submission of the commands.
    pub fn submitted(self, gpu: &Gpu) {
        match self {
            Self::Staged(staged) => staged.submitted(),
            Self::InPlace(picture) => gpu.queue.on_submitted_work_done(move || drop(picture)),
        }
    }
}

/// Bytes of a row of a plane that the passes read, and from row to row where the CPU copies it: whole blocks of four samples of every component, so that a pass may load
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

impl Default for PictureBuffers {
    /// Buffers come with the first picture.
    fn default() -> Self {
        Self { loaded: None, staging: Staging::new() }
    }
}

impl PictureBuffers {
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

    /// Sends the picture's planes and parameters to the GPU, for the passes that are submitted next.
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

    /// The same as a part of commands that the caller submits, after which it must tell what it is given here.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if a plane is larger than the adapter binds.
    pub(super) fn record_upload(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Underway, GpuError> {
        Self::check(gpu, picture)?;
        let size = (picture.width(), picture.height());
        let packed = |plane| stride_bytes(picture.layout(), plane, size.0, size.1);
        let in_place = gpu.imports.in_place(picture, gpu.most_plane_bytes, packed);
        let strides = in_place.as_ref().map_or_else(|| std::array::from_fn(packed), |in_place| in_place.strides);
        // Fields change nothing in how the planes lie.
        let layout = picture.layout().with_chroma_lines(ChromaLines::Frame);
        let fits = |l: &Loaded| l.layout == layout && l.size == size && l.strides == strides;
        let fits = self.loaded.as_ref().is_some_and(fits);
        if !fits {
            // The old buffers go first, so that two large pictures are never held at once.
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
            Underway::InPlace(picture.clone())
        } else {
            let staged = self.staging.take(gpu, loaded.planes.iter().map(|plane| plane.buffer.size()).sum());
            loaded.write(picture, &staged, encoder);
            Underway::Staged(staged)
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
        let plane = |index: usize| &planes[index.min(planes.len() - 1)].buffer;
        let bind_group = groups::PICTURE.bind(&gpu.device, &[&params, plane(0), plane(1), plane(2)]);
        log::debug!("picture buffers for {width}×{height} {layout:?}");
        Self { layout, size: (width, height), strides, planes, params, bind_group }
    }

    /// Writes the planes to staging memory, and records their way from there: they are copied once on the CPU and once by
    /// the GPU.
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

    /// Records the planes' way from where the decoder wrote them: the GPU copies them, and the CPU does nothing.
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
    /// Writes the plane's rows, from that byte of the memory on.
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
