//! Turns decoded frames into pictures: native planes without a copy, the others by conversion.

use std::sync::Arc;

use crate::av::{self, AvFrame, PixelDescriptor, PixelFormat, Scaler};
use crate::read::info::OpenOptions;
use crate::read::layout::{conversion_target, downloaded_layout, is_full_range, native_layout};
use crate::read::stated::{FramePosition, StreamDefaults};
use crate::read::tags;
use histoscope_core::picture::color::{Colorimetry, Matrix, Origin, Range, Sourced, UnreadableMatrix};
use histoscope_core::picture::crop::{Crop, CropUse, Cropping};
use histoscope_core::picture::layout::{ChromaLines, ColorModel, PixelLayout};
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::picture::{
    ClampedSamples, Frame, FrameFacts, Orientation, OwnedPlanes, Pages, Picture, PlaneStore, PlaneView, Ratio,
    ResidentPlanes, Scan, SourceFormat, VideoId, nonlinear,
};

/// A picture, and what else determines how its frame is shown.
pub(crate) struct Presented {
    pub(crate) picture: Picture,
    pub(crate) sample_aspect: Ratio,
    pub(crate) orientation: Orientation,
    pub(crate) source: Arc<SourceFormat>,
}

/// Makes pictures from frames. Size, pixel format and tags may differ from frame to frame.
pub(crate) struct PictureMaker {
    video: VideoId,
    options: OpenOptions,
    defaults: StreamDefaults,
    current: Option<Current>,
    /// Sentences about anything that could not be used as it was, each only once.
    notes: Vec<String>,
}

/// Results shared by all frames of one kind.
struct Current {
    kind: FrameKind,
    /// The rectangle of the planes that remains after cropping.
    rect: Rect,
    layout: PixelLayout,
    scaler: Option<Scaler>,
    source: Arc<SourceFormat>,
}

/// The properties that determine how a frame is read.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FrameKind {
    /// Format of the planes.
    format: PixelFormat,
    /// Format of the stream, which differs if hardware has decoded the planes.
    coded: PixelFormat,
    /// Width and height as decoded.
    size: (u32, u32),
    /// The codec's cropping of that size.
    crop: Crop,
    tags: tags::TagNumbers,
    stated_light: StatedLight,
}

impl PictureMaker {
    pub(crate) fn new(options: &OpenOptions, defaults: StreamDefaults) -> Self {
        Self { video: VideoId::next(), options: options.clone(), defaults, current: None, notes: Vec::new() }
    }

    /// Returns the options with which the video was opened.
    pub(crate) const fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Returns a maker for another stream that is read with the same options.
    pub(crate) fn for_stream(&self, defaults: StreamDefaults) -> Self {
        Self::new(&self.options, defaults)
    }

    /// Assumes for frames that state no light what the container and the first frame state: a decoder keeps it for as
    /// long as decoding goes on, and knows nothing of it after a seek.
    pub(crate) const fn assume_light(&mut self, light: StatedLight) {
        self.defaults.stated_light = light;
    }

    /// Makes a frame with that position and serial. An error says why it cannot be read.
    pub(crate) fn make_frame(&mut self, frame: AvFrame, position: FramePosition, serial: u64) -> Result<Frame, String> {
        let (key, damaged, picture_type) = (frame.is_key(), frame.is_damaged(), frame.picture_type());
        let (scan, dynamic_light) = (self.scan(&frame), frame.dynamic_light());
        let shown = self.make(frame)?;
        let frame = Frame {
            picture: shown.picture,
            facts: FrameFacts {
                pts_ticks: position.pts_ticks,
                time_base: position.time_base,
                time_secs: position.time_secs,
                duration_secs: position.duration_secs,
                index: position.index,
                timecode: position.timecode,
                sample_aspect: shown.sample_aspect,
                orientation: shown.orientation,
                scan,
                field: None,
                key,
                damaged,
                picture_type,
                source: shown.source,
                dynamic_light,
                arrival: position.arrival,
            },
            video: self.video,
            serial,
        };
        match self.options.field {
            Some(field) => frame.of_field(field).map_err(|error| error.to_string()),
            None => Ok(frame),
        }
    }

    /// Returns sentences about anything that could not be used as it was, each only once.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the pixel format of a frame, and the format to which it is converted; `None` if it cannot be read.
    pub(crate) fn source_format(&mut self, frame: &AvFrame) -> Option<&SourceFormat> {
        let kind = self.kind(frame);
        self.current_for(kind).ok().map(|current| &*current.source)
    }

    /// Returns the sample layout of a frame's picture. An error says why it cannot be read.
    pub(crate) fn layout(&mut self, frame: &AvFrame) -> Result<PixelLayout, String> {
        let kind = self.kind(frame);
        self.current_for(kind).map(|current| current.layout)
    }

    /// Returns the width and height of a frame's picture after cropping, or those of its planes if it cannot be read.
    pub(crate) fn size(&mut self, frame: &AvFrame) -> (u32, u32) {
        let kind = self.kind(frame);
        self.current_for(kind).map_or(kind.size, |current| (current.rect.width, current.rect.height))
    }

    /// Returns the matrix of a frame's picture, if that matrix is unreadable.
    pub(crate) fn unreadable_matrix(&mut self, frame: &AvFrame) -> Option<UnreadableMatrix> {
        let kind = self.kind(frame);
        let layout = self.current_for(kind).ok()?.layout;
        let descriptor = kind.coded.descriptor()?;
        let (colorimetry, note) = tags::colorimetry(kind.tags, &layout, kind.size, &descriptor, &self.options);
        match (layout.model, colorimetry.matrix.value) {
            (ColorModel::YCbCr, Matrix::Unreadable(matrix)) => {
                note.into_iter().for_each(|note| self.note(note));
                Some(matrix)
            }
            _ => None,
        }
    }

    fn kind(&self, frame: &AvFrame) -> FrameKind {
        FrameKind {
            format: frame.format(),
            coded: frame.coded_format(),
            size: frame.size(),
            crop: frame.crop(),
            tags: self.tags(frame),
            stated_light: frame.stated_light().or(self.defaults.stated_light),
        }
    }

    /// Returns the contradictions between the container's tags and the frame's, one sentence each.
    pub(crate) fn contradictions(&self, frame: &AvFrame) -> Vec<String> {
        tags::contradictions(self.defaults.tags, frame.color_numbers(), self.defaults.overrides_tags)
    }

    /// Returns the frame's tags and the container's, whichever take precedence, completed by the others.
    fn tags(&self, frame: &AvFrame) -> tags::TagNumbers {
        let (own, containers) = (frame.color_numbers(), self.defaults.tags);
        let tags = if self.defaults.overrides_tags { containers.or(own) } else { own.or(containers) };
        let is_limited = frame.implies_limited_range() && tags.range == 0;
        let is_ipt = self.defaults.is_dolby_ipt || frame.is_dolby_ipt();
        let matrix = if is_ipt { tags::IPT_C2 } else { tags.matrix };
        tags::TagNumbers { matrix, range: if is_limited { 1 } else { tags.range }, ..tags }
    }

    /// Returns how frames of this kind are read, which is determined again whenever the kind changes.
    fn current_for(&mut self, kind: FrameKind) -> Result<&mut Current, String> {
        let current = match self.current.take().filter(|current| current.kind == kind) {
            Some(current) => current,
            None => self.prepare(kind)?,
        };
        Ok(self.current.insert(current))
    }

    /// Makes the picture of a frame. An error says in a few words why there is none.
    pub(crate) fn make(&mut self, frame: AvFrame) -> Result<Presented, String> {
        let kind = self.kind(&frame);
        let orientation = self.orientation(&frame);
        let sample_aspect = self.sample_aspect(&frame).value;
        let lines = self.chroma_lines(self.scan(&frame));
        let clamped = clamped_samples(&frame, &kind);
        if clamped.is_some() {
            self.note("samples below 0 and above 1 are counted as 0 and 1, and as out of range".to_owned());
        }
        let current = self.current_for(kind)?;
        let frame = match current.scaler.as_mut() {
            Some(scaler) => scaler.convert(&frame).map_err(|error| format!("conversion failed: {error}"))?,
            None => frame,
        };
        let source = Arc::clone(&current.source);
        let (layout, rect) = (current.layout, current.rect);
        let descriptor = kind.coded.descriptor().ok_or("unknown pixel format")?;
        let size = (rect.width, rect.height);
        let (colorimetry, note) = tags::colorimetry(kind.tags, &layout, size, &descriptor, &self.options);
        if let Some(note) = note {
            self.note(note);
        }
        let planes = store(frame, &layout, kind.size).ok_or("its planes are too small")?;
        let colorimetry = Colorimetry { luminance: source.luminance(), ..colorimetry };
        let whole = Picture::new(layout, kind.size, colorimetry, planes);
        let whole = whole.map(|picture| picture.with_chroma_lines(lines).with_clamped(clamped));
        let picture = whole.and_then(|whole| region::cropped(&whole, rect)).map_err(|error| error.to_string())?;
        let picture = nonlinear::to_rgb(picture);
        Ok(Presented { picture, sample_aspect, orientation, source })
    }

    /// Returns the scan type of a frame.
    fn scan(&self, frame: &AvFrame) -> Scan {
        match self.defaults.codes_fields {
            true => frame.scan().of_single_field(),
            false => frame.scan(),
        }
    }

    /// Returns the lines that share a chroma row in 4:2:0, in a frame of that scan type.
    fn chroma_lines(&self, scan: Scan) -> Sourced<ChromaLines> {
        match self.options.chroma_lines {
            Some(value) => Sourced { value, origin: Origin::Overridden },
            None if scan.is_interlaced() || self.defaults.states_scan => Sourced::tagged(scan.chroma_lines()),
            None => Sourced::guessed(scan.chroma_lines()),
        }
    }

    /// Determines how frames of a new kind are read.
    fn prepare(&mut self, kind: FrameKind) -> Result<Current, String> {
        let descriptor = kind.coded.descriptor().ok_or("unknown pixel format")?;
        let cropping = Cropping::resolve(kind.size, kind.crop, self.defaults.crop, self.options.cropping);
        for (by, stated) in cropping.stated().filter(|(_, stated)| stated.used == CropUse::Impossible) {
            self.note(format!(
                "the {by}'s cropping ({}) would leave nothing of the picture and is ignored",
                stated.crop
            ));
        }
        let crop = cropping.applied();
        let size = crop.leaves(kind.size).unwrap_or(kind.size);
        let rect = Rect { x: crop.left, y: crop.top, width: size.0, height: size.1 };
        let mut converted_to = None;
        let native = match kind.format.descriptor() {
            Some(planes) if kind.format != kind.coded => {
                let unreadable =
                    || format!("{} as hardware decodes it, {}, cannot be read", descriptor.name, planes.name);
                Some(downloaded_layout(&planes, &descriptor).ok_or_else(unreadable)?)
            }
            _ => native_layout(&descriptor),
        };
        let (layout, scaler) = match native {
            Some(layout) => (layout, None),
            None => {
                let unreadable = || format!("pixel format {} cannot be read", descriptor.name);
                let target = conversion_target(&descriptor).filter(|_| Scaler::reads(kind.format));
                let target = target.ok_or_else(unreadable)?;
                let layout = target.descriptor().and_then(|d| native_layout(&d)).ok_or_else(unreadable)?;
                let (colorimetry, _) = tags::colorimetry(kind.tags, &layout, size, &descriptor, &self.options);
                let full = colorimetry.range.value == Range::Full || is_full_range(&descriptor);
                let scaler = Scaler::new(kind.size, kind.format, target, full).ok_or_else(unreadable)?;
                self.note(format!("pixel format {} is converted to {} for counting", descriptor.name, target.name()));
                converted_to = Some(target.name().to_owned());
                (layout, Some(scaler))
            }
        };
        let transfer = self.options.transfer.map(Transfer::tag).or(av::transfer_name(kind.tags.transfer));
        let source = Arc::new(SourceFormat {
            pixel_format: descriptor.name.to_owned(),
            converted_to,
            transfer,
            primaries: av::primaries_name(kind.tags.primaries),
            cropping,
            stated_light: kind.stated_light,
            hlg_peak: self.options.hlg_peak,
            luminance_weights: self.options.luminance_weights,
        });
        Ok(Current { kind, rect, layout, scaler, source })
    }

    /// Returns the width of a pixel divided by its height: the container's value, else the frame's, else the codec's,
    /// else 1.
    pub(crate) fn sample_aspect(&self, frame: &AvFrame) -> Sourced<Ratio> {
        let coded = || frame.sample_aspect().or(self.defaults.coded_sample_aspect);
        let stated = self.defaults.sample_aspect.or_else(coded);
        stated.map_or(Sourced::guessed(Ratio::ONE), Sourced::tagged)
    }

    /// Returns the stream's orientation, or else the frame's.
    pub(crate) fn orientation(&self, frame: &AvFrame) -> Orientation {
        let stated = || frame.display_matrix().and_then(|matrix| tags::orientation(&matrix));
        self.defaults.orientation.or_else(stated).unwrap_or_default()
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            log::warn!("{note}");
            self.notes.push(note);
        }
    }
}

/// Finds the samples of a floating-point frame that lie outside 0 to 1, to which conversion clamps them.
fn clamped_samples(frame: &AvFrame, kind: &FrameKind) -> Option<ClampedSamples> {
    let descriptor = kind.format.descriptor().filter(PixelDescriptor::is_float)?;
    let is_half = descriptor.components.first()?.depth == 16;
    let (width, height) = kind.size;
    let colors = if descriptor.is_rgb() { 3 } else { 1 };
    let mut planes = Vec::new();
    for component in descriptor.components.iter().take(colors) {
        let (plane, step) = (usize::try_from(component.plane).ok()?, usize::try_from(component.step).ok()?);
        let offset = usize::try_from(component.offset).ok()?;
        let row_bytes = (width as usize).checked_mul(step)?;
        planes.push((frame.copy_rows(plane, row_bytes, height as usize)?, row_bytes, step, offset));
    }
    let sample = |channel: usize, x: usize, y: usize| {
        let (bytes, row_bytes, step, offset) = &planes[channel.min(planes.len() - 1)];
        let at = y * row_bytes + x * step + offset;
        match bytes.get(at..) {
            Some([low, high, ..]) if is_half => half(u16::from_le_bytes([*low, *high])),
            Some([a, b, c, d, ..]) => f32::from_le_bytes([*a, *b, *c, *d]),
            _ => 0.0,
        }
    };
    ClampedSamples::of(kind.size, |x, y| std::array::from_fn(|channel| sample(channel, x, y)))
}

/// Returns the value of a 16-bit floating-point number (IEEE 754, binary16).
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let value = match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -value } else { value }
}

/// Returns the frame's planes if they can be read as they are, or else a copy with the rows in order from the top.
fn store(frame: AvFrame, layout: &PixelLayout, (width, height): (u32, u32)) -> Option<Arc<dyn PlaneStore>> {
    let mut lengths = [(0, 0); 3];
    let mut as_they_are = true;
    for (plane, length) in lengths.iter_mut().enumerate().take(layout.plane_count()) {
        let (row_bytes, rows) = layout.plane_size(plane, width, height);
        let stride = usize::try_from(frame.line_size(plane)).unwrap_or(0);
        let needed = stride.checked_mul(rows.saturating_sub(1))?.checked_add(row_bytes)?;
        as_they_are &= stride >= row_bytes && frame.holds(plane, needed);
        *length = (needed, stride);
    }
    if as_they_are {
        return Some(Arc::new(DecodedPlanes { frame, lengths }));
    }
    let planes = (0..layout.plane_count()).map(|plane| {
        let (row_bytes, rows) = layout.plane_size(plane, width, height);
        frame.copy_rows(plane, row_bytes, rows).map(|bytes| (bytes, row_bytes))
    });
    Some(Arc::new(OwnedPlanes { planes: planes.collect::<Option<_>>()? }))
}

/// A decoder's own planes, which live as long as this does.
struct DecodedPlanes {
    frame: AvFrame,
    /// Number of bytes in use and stride of each plane.
    lengths: [(usize, usize); 3],
}

impl PlaneStore for DecodedPlanes {
    fn plane(&self, index: usize) -> PlaneView<'_> {
        let (length, stride) = self.lengths.get(index).copied().unwrap_or((0, 0));
        let bytes = if length == 0 { &[] } else { self.frame.plane(index, length).unwrap_or(&[]) };
        PlaneView { bytes, stride }
    }

    fn extent(&self, index: usize) -> (usize, usize) {
        let (length, stride) = self.lengths.get(index).copied().unwrap_or((0, 0));
        (if self.frame.holds(index, length) { length } else { 0 }, stride)
    }

    fn address(&self) -> usize {
        self.frame.address()
    }

    fn pages(&self) -> Option<&Pages> {
        self.frame.pages()
    }

    fn resident(&self) -> Option<ResidentPlanes> {
        self.frame.resident()
    }
}

#[cfg(test)]
mod tests;
