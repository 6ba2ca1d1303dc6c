//! Counts picture after picture with several in flight: while the GPU adjusts and counts one, the next is uploaded and
//! the bins of earlier ones are read back.

use std::ops::Range;
use std::sync::Arc;

use super::adjust::{Chain, CropPass};
use super::histogram::HistogramPasses;
use super::params::InputPicture;
use super::pixel_light::{LightShape, PixelLightPass};
use super::readback_belt::ReadbackBelt;
use super::scope_pass::ScopeSubject;
use super::scopes::{GpuScopeSum, ScopePasses, ScopeShape};
use super::totals::{LimitsParams, TotalsPass};
use super::upload::PictureBuffers;
use super::{Gpu, GpuError};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::limits::Limits;
use histoscope_core::histogram::{Components, Histogram, LightCounts, LightMeter};
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, ScopeCounts, ScopeSums, ScopeTally};

/// Bytes of the thresholds that are read back after the bins.
const THRESHOLD_BYTES: u64 = 4 * 4;
/// Bytes of the number of pixels outside limits.
const OUTSIDE_BYTES: u64 = 4;

/// The counting passes, the adjustments' passes if needed, and a few buffers for reading bins back.
#[derive(Debug)]
pub struct CountQueue {
    pictures: PictureBuffers,
    passes: HistogramPasses,
    adjusting: Option<Adjusting>,
    scopes: Scopes,
    /// The pass that counts the light of pixels, once it was requested.
    light: Option<PixelLightPass>,
    /// The pass that counts pixels outside limits, once it was requested.
    limits: Option<TotalsPass<LimitsParams>>,
    belt: ReadbackBelt<CountLayout>,
}

/// The passes that make adjusted pictures from the uploaded ones.
#[derive(Debug)]
struct Adjusting {
    chain: Chain,
    crop: CropPass,
}

/// The passes that count the scopes.
#[derive(Debug)]
enum Scopes {
    None,
    /// The counts of each picture are read back with its bins.
    Each(Box<ScopePasses>),
    /// Only the sums are kept.
    Sum(Box<GpuScopeSum>),
}

impl Scopes {
    fn new(gpu: &Gpu, tally: ScopeTally) -> Self {
        match tally {
            tally if !tally.choice().any() => Self::None,
            ScopeTally::Each(wanted) => Self::Each(Box::new(ScopePasses::new(gpu, wanted))),
            ScopeTally::Sum(wanted) => Self::Sum(Box::new(GpuScopeSum::new(gpu, wanted))),
        }
    }

    fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError> {
        match self {
            Self::None => Ok(()),
            Self::Each(passes) => passes.prepare(gpu, subject),
            Self::Sum(summing) => summing.prepare(gpu, subject),
        }
    }

    /// Records counting the picture of this bind group. Returns the ranges to read back and their shape.
    fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &wgpu::BindGroup,
    ) -> (Vec<BufferRange<'_>>, ScopeShape) {
        match self {
            Self::None => {}
            Self::Each(passes) => {
                passes.record(encoder, picture, None);
                return passes.parts();
            }
            Self::Sum(summing) => summing.record(encoder, picture),
        }
        (Vec::new(), ScopeShape::default())
    }
}

/// A buffer and a range of its bytes.
type BufferRange<'a> = (&'a wgpu::Buffer, Range<u64>);

/// The layout of the words that are read back.
#[derive(Debug, Clone)]
struct CountLayout {
    bits: u32,
    components: Components,
    thresholds: bool,
    light: Option<LightShape>,
    /// `true` if the number of pixels outside limits follows.
    limits: bool,
    scopes: ScopeShape,
}

/// The part of a picture in which pixels outside the limits of EBU R 103 are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivePart {
    /// The active picture.
    pub rect: Rect,
    /// `true` if the picture consists of two fields.
    pub is_interlaced: bool,
}

/// What to count of a picture besides its bins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Besides<'a> {
    /// A meter for the light of pixels.
    pub meter: Option<&'a Arc<LightMeter>>,
    /// What the vectorscope counts.
    pub chroma: Option<Chroma>,
    /// Where to count pixels outside the limits of EBU R 103.
    pub active: Option<ActivePart>,
}

/// The counts of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureCounts {
    /// Its bins.
    pub histogram: Histogram,
    /// Luminance codes at which Otsu's second and later classes begin, `u32::MAX` for classes that do not exist; `None`
    /// unless the picture was segmented by Otsu's method.
    pub thresholds: Option<[u32; 4]>,
    /// The light of its pixels, if requested.
    pub light: Option<LightCounts>,
    /// The number of pixels outside the limits of EBU R 103, if requested.
    pub outside_r103: Option<u32>,
    /// Its scopes, if requested for each picture.
    pub scopes: ScopeCounts,
}

impl CountQueue {
    /// Creates a queue with room for `depth` histograms in flight, at least one. With [`ScopeTally::Each`], a picture's
    /// scopes are read back with the first of its histograms, and so is the light of its pixels, for which there is
    /// room with `light`.
    #[must_use]
    pub fn new(gpu: &Gpu, depth: usize, tally: ScopeTally, light: bool) -> Self {
        let pictures = PictureBuffers::default();
        let passes = HistogramPasses::new(gpu);
        let scopes = Scopes::new(gpu, tally);
        let of_scopes = if let ScopeTally::Each(wanted) = tally { ScopePasses::most_bytes(wanted) } else { 0 };
        let of_light = if light { PixelLightPass::MAX_BYTES } else { 0 };
        let bytes = Histogram::word_count(12) as u64 * 4 + THRESHOLD_BYTES + OUTSIDE_BYTES + of_light + of_scopes;
        let belt = ReadbackBelt::new(&gpu.device, "bins on their way back", bytes, depth.max(1));
        let light = light.then(|| PixelLightPass::new(gpu));
        Self { pictures, passes, adjusting: None, scopes, light, limits: None, belt }
    }

    /// Returns how many histograms can be submitted before one must be taken.
    #[must_use]
    pub fn room(&self) -> usize {
        self.belt.room()
    }

    /// Uploads a picture once and submits one count of it, or of a rectangle in it, for each of `components`, for which
    /// there must be [`room`](Self::room). With the first of them, the scopes are counted and what is requested
    /// `besides`.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot count the picture; then nothing is submitted.
    pub fn submit(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        region: Option<Rect>,
        components: &[Components],
        besides: Besides<'_>,
    ) -> Result<(), GpuError> {
        let Besides { meter, chroma, mut active } = besides;
        for &components in components {
            self.passes.prepare_region(gpu, picture, region, components)?;
        }
        let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
        if let Some(&first) = components.first() {
            let subject = ScopeSubject { picture: picture.into(), pixels, components: first, chroma };
            self.scopes.prepare(gpu, &subject)?;
        }
        let mut scopes = Some(&mut self.scopes);
        let mut light = self.light.as_mut().zip(meter);
        let mut encoder = command_encoder(gpu);
        let mut underway = Some(self.pictures.record_upload(gpu, picture, &mut encoder)?);
        let bits = picture.layout().bin_bits();
        for &components in components {
            self.passes.prepare_region(gpu, picture, region, components)?;
            let Some(group) = self.pictures.bind_group() else { return Ok(()) };
            self.passes.record(&mut encoder, group, None);
            let mut parts = vec![(&self.passes.bins, 0..Histogram::word_count(bits) as u64 * 4)];
            let mut subject = CountLayout {
                bits,
                components,
                thresholds: false,
                light: None,
                limits: false,
                scopes: ScopeShape::default(),
            };
            if let Some(ActivePart { rect, is_interlaced }) = active.take() {
                let limits = self.limits.get_or_insert_with(|| TotalsPass::new(gpu));
                let params = LimitsParams::new(Limits::r103(&picture.conversion()), rect, is_interlaced);
                let reading = InputPicture::from(picture).reading();
                limits.record(gpu, &mut encoder, (group, reading, rect.height), &params);
                parts.push((&limits.totals, 0..OUTSIDE_BYTES));
                subject.limits = true;
            }
            if let Some((light, meter)) = light.take() {
                let shape = light.record(gpu, &mut encoder, (group, picture.into(), pixels), meter, None);
                parts.extend(light.parts(&shape));
                subject.light = Some(shape);
            }
            if let Some(scopes) = scopes.take() {
                let (counts, shape) = scopes.record(&mut encoder, group);
                parts.extend(counts);
                subject.scopes = shape;
            }
            self.belt.record(&mut encoder, &parts, subject);
            let submission = gpu.queue.submit([std::mem::replace(&mut encoder, command_encoder(gpu)).finish()]);
            if let Some(underway) = underway.take() {
                underway.submitted(gpu);
            }
            self.belt.submitted(Some(&submission));
        }
        Ok(())
    }

    /// Uploads a picture, adjusts it, and submits one count of red, green, blue and luminance of the result, for which
    /// there must be [`room`](Self::room). The result does not depend on earlier pictures: nothing is smoothed in time.
    /// If there is a `region`, which must lie in the picture, only that part of the adjusted picture is counted.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot adjust or count the picture; then nothing is submitted.
    pub fn submit_adjusted(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        adjustments: &Adjustments,
        region: Option<Rect>,
        chroma: Option<Chroma>,
    ) -> Result<(), GpuError> {
        let Self { pictures, passes, adjusting, scopes, belt, .. } = self;
        let Adjusting { chain, crop } =
            adjusting.get_or_insert_with(|| Adjusting { chain: Chain::new(gpu, passes), crop: CropPass::new(gpu) });
        let source = InputPicture::from(picture);
        let region = region.filter(|&rect| rect != Rect::whole(source.size.0, source.size.1));
        let bits = source.layout.bin_bits();
        match region {
            // A cropped region is counted afterwards; the whole picture is counted while it is written.
            Some(_) => chain.prepare(gpu, source, adjustments, None, false)?,
            None => chain.prepare_counting(gpu, source, adjustments, None, false, passes)?,
        }
        match (region, chain.result()) {
            (Some(rect), Some(adjusted)) => {
                passes.prepare(gpu, crop.prepare(gpu, adjusted, rect)?, Components::Rgbl)?
            }
            (None, Some(adjusted)) if !chain.counts_result() => passes.prepare(gpu, adjusted, Components::Rgbl)?,
            _ => {}
        }
        let pixels = region.unwrap_or(Rect::whole(source.size.0, source.size.1));
        if let Some(adjusted) = chain.result() {
            let components = Components::Rgbl;
            scopes.prepare(gpu, &ScopeSubject { picture: adjusted.into(), pixels, components, chroma })?;
        }
        let mut encoder = command_encoder(gpu);
        let underway = pictures.record_upload(gpu, picture, &mut encoder)?;
        {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("adjust and count"), timestamp_writes: None };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            if let Some(group) = pictures.bind_group() {
                chain.dispatch(&mut pass, group);
            }
            let adjusted = if region.is_some() { crop.dispatch(&mut pass) } else { chain.result() };
            match adjusted {
                _ if chain.counts_result() => passes.dispatch_sums(&mut pass),
                Some(adjusted) => passes.dispatch(&mut pass, &adjusted.bind_group),
                None => {}
            }
        }
        let thresholds = adjustments.have_thresholds();
        let mut parts = vec![(&passes.bins, 0..Histogram::word_count(bits) as u64 * 4)];
        parts.extend(thresholds.then(|| (chain.thresholds(), 0..THRESHOLD_BYTES)));
        let mut shape = ScopeShape::default();
        if let Some(adjusted) = chain.result() {
            let (counts, counted) = scopes.record(&mut encoder, &adjusted.bind_group);
            parts.extend(counts);
            shape = counted;
        }
        let subject =
            CountLayout { bits, components: Components::Rgbl, thresholds, light: None, limits: false, scopes: shape };
        belt.record(&mut encoder, &parts, subject);
        let submission = gpu.queue.submit([encoder.finish()]);
        underway.submitted(gpu);
        belt.submitted(Some(&submission));
        Ok(())
    }

    /// Waits for the sums of the scopes of all submitted pictures, and returns them if sums are requested.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn take_sums(&mut self, gpu: &Gpu) -> Result<ScopeSums, GpuError> {
        if let Scopes::Sum(summing) = &mut self.scopes { summing.take(gpu) } else { Ok(ScopeSums::default()) }
    }

    /// Waits for the counts of the oldest picture in flight; returns `None` if there is none.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn take(&mut self, gpu: &Gpu) -> Result<Option<PictureCounts>, GpuError> {
        let taken = self.belt.wait(&gpu.device, bytemuck::pod_collect_to_vec);
        gpu.check()?;
        Ok(taken?.map(|(layout, mut words): (CountLayout, Vec<u32>)| {
            let CountLayout { bits, components, thresholds, light, limits, scopes } = layout;
            let mut behind = words.split_off(Histogram::word_count(bits));
            let mut others = behind.split_off(if thresholds { THRESHOLD_BYTES as usize / 4 } else { 0 });
            let mut light_words = others.split_off(usize::from(limits));
            let counts = light_words.split_off(light.as_ref().map_or(0, LightShape::word_count));
            let thresholds = thresholds.then(|| <[u32; 4]>::try_from(behind).ok()).flatten();
            PictureCounts {
                histogram: Histogram { bits, components, words },
                thresholds,
                light: light.map(|shape| shape.counts(&light_words)),
                outside_r103: others.pop(),
                scopes: scopes.counts(counts),
            }
        }))
    }
}

fn command_encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("count") })
}
