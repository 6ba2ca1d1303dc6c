//! The picture that is shown with the loaded one, other than its source: it is drawn and adjusted as the loaded one is, but not
//! counted here.

use super::adjusting::{Adjusting, Making};
use super::loaded::{Count, Loaded, Rasterizer};
use crate::gpu::figures::FrameTag;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::upload::PictureBuffers;
use crate::gpu::{Gpu, GpuError};
use crate::view::placement::Shape;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Frame, Picture};

/// The picture with its planes, and what the adjustments of now make of it.
#[derive(Debug)]
pub struct SecondPicture {
    pub frame: Frame,
    pictures: PictureBuffers,
    /// Whether the planes are this picture's: they go to the adapter once, and only where it draws.
    is_uploaded: bool,
    adjusting: Adjusting,
    /// Its number among the pictures that were shown so.
    pub loading: u64,
}

impl SecondPicture {
    /// Nothing is uploaded yet. No other picture has had the number.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter, which is to draw it, cannot hold it.
    pub fn new(gpu: &Gpu, (frame, number): (Frame, u64), rasterizer: Rasterizer) -> Result<Self, GpuError> {
        let mut beside = Self {
            frame: frame.clone(),
            pictures: PictureBuffers::default(),
            is_uploaded: false,
            adjusting: Adjusting::default(),
            loading: number,
        };
        beside.show(gpu, (frame, number), rasterizer)?;
        Ok(beside)
    }

    /// Shows another frame from now on.
    ///
    /// # Errors
    /// As [`new`](Self::new); the frame before stays then.
    pub fn show(&mut self, gpu: &Gpu, (frame, number): (Frame, u64), rasterizer: Rasterizer) -> Result<(), GpuError> {
        if rasterizer == Rasterizer::Gpu {
            PictureBuffers::check(gpu, &frame.picture)?;
        }
        self.frame = frame;
        self.is_uploaded = false;
        self.loading = number;
        Ok(())
    }

    /// Whether it shows this frame, read in this way. It keeps the memory of its own, so that no other picture can lie there.
    pub fn is_of(&self, frame: &Frame) -> bool {
        let (own, other) = (&self.frame.picture, &frame.picture);
        let place = |picture: &Picture| (picture.plane(0).bytes.as_ptr(), picture.width(), picture.height());
        place(own) == place(other)
            && own.layout() == other.layout()
            && own.colorimetry() == other.colorimetry()
            && self.frame.orientation == frame.orientation
            && self.frame.sample_aspect == frame.sample_aspect
    }

    /// Makes it ready to be drawn by whoever draws the loaded picture, unless it is.
    pub fn record(
        &mut self,
        making: &mut Making<'_>,
        rasterizer: Rasterizer,
        (adjustments, passes): (Adjustments, &HistogramPasses),
    ) {
        if rasterizer == Rasterizer::Gpu && !self.is_uploaded {
            match self.pictures.upload(making.gpu, &self.frame.picture) {
                Ok(()) => {
                    making.recorded.push("upload beside");
                    self.is_uploaded = true;
                }
                Err(reason) => log::error!("the other picture cannot be drawn: {reason}"),
            }
        }
        if adjustments.is_off() {
            self.adjusting.release();
            return;
        }
        let picture = &self.frame.picture;
        let loaded = Loaded {
            picture: picture.clone(),
            rasterizer,
            shape: Shape::of(&self.frame),
            bits: picture.layout().bin_bits(),
            components: Components::Rgbl,
            region: None,
            range: picture.colorimetry().range.value,
            transfer: Transfer::default(),
            tag: Some(FrameTag::of(&self.frame)),
            loading: self.loading,
            count: Count::Done,
            known: None,
        };
        // The times that are told are those of the loaded picture.
        let Making { gpu, encoder, recorded, .. } = making;
        let mut making = Making { gpu, encoder, timing: None, recorded };
        self.adjusting.make(&mut making, &loaded, adjustments, (&self.pictures, passes, None));
    }

    /// Where and how large it is shown.
    pub fn shape(&self) -> Shape {
        Shape::of(&self.frame)
    }

    /// The picture with these adjustments, for the CPU to paint; where only the adapter has that, the picture as it was decoded.
    pub fn picture(&self, adjustments: &Adjustments) -> &Picture {
        self.adjusting.picture().filter(|_| self.is_adjusted(adjustments)).unwrap_or(&self.frame.picture)
    }

    /// The picture as it is shown, where the CPU has it.
    pub fn here(&self, adjustments: &Adjustments) -> Option<&Picture> {
        if self.is_adjusted(adjustments) { self.adjusting.picture() } else { Some(&self.frame.picture) }
    }

    /// What the adapter draws it from; `None` where it does not have it.
    pub fn bound(&self, adjustments: &Adjustments) -> Option<(&wgpu::BindGroup, PixelLayout)> {
        if self.is_adjusted(adjustments) {
            return self.adjusting.bound();
        }
        let group = self.pictures.bind_group().filter(|_| self.is_uploaded)?;
        Some((group, *self.frame.picture.layout()))
    }

    /// Whether what is shown of it is adjusted.
    pub fn is_adjusted(&self, adjustments: &Adjustments) -> bool {
        self.adjusting.has(self.loading, adjustments)
    }
}
