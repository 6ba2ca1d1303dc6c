//! The loaded picture and the state of everything derived from it, independent of the backend that holds the pictures.

use std::ops::Range;

use histoscope_core::adjust::difference::{Extent, Gain};
use histoscope_core::adjust::{Adjustments, working_colorimetry, working_layout};
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::{Colorimetry, Conversion};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region;
use histoscope_core::picture::{Frame, OutOfRange, Picture};
use histoscope_core::scopes::{Chroma, Diagram};
use histoscope_core::tone_map::{Display, SourceLight, ToneTables};

use super::backend::{
    AdjustJob, Backend, CountSubject, DifferenceJob, Image, Job, Load, Loaded, Product, Slot, ViewPart,
};
use crate::gpu::params::InputPicture;
use crate::gpu::recording::Recording;
use crate::gpu::{FrameTag, GpuError, Series};
use crate::view::brush::Lighting;
use crate::view::count::{Count, PictureKey};
use crate::view::placement::{Placement, Shape};
use crate::view::scene::{Counted, Look, Other, Pair, Scene, Seam, Sharing};

/// The picture shown with the loaded one, unless that is its own source. It is drawn and adjusted like the loaded one,
/// but not counted here.
#[derive(Debug)]
pub struct Comparison {
    pub frame: Frame,
    /// Its number among all comparisons.
    pub number: u64,
    /// `true` if the backend holds it.
    is_loaded: bool,
    adjusted: Option<AdjustmentKey>,
}

impl Comparison {
    /// Returns `true` if this comparison already shows `frame`, with its samples interpreted the same way. Because the
    /// comparison keeps its picture's memory alive, no other picture can have the same address.
    fn is_of(&self, frame: &Frame) -> bool {
        let (own, other) = (&self.frame.picture, &frame.picture);
        let place = |picture: &Picture| (picture.address(), picture.width(), picture.height());
        place(own) == place(other)
            && own.layout() == other.layout()
            && own.colorimetry() == other.colorimetry()
            && self.frame.source.transfer == frame.source.transfer
            && self.frame.orientation == frame.orientation
            && self.frame.sample_aspect == frame.sample_aspect
    }

    fn is_adjusted(&self, adjustments: &Adjustments) -> bool {
        self.adjusted.is_some_and(|key| key.load_id == self.number && key.adjustments == *adjustments)
    }
}

/// The part of a scene that decides which pictures are produced and counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContentChoice {
    pub adjustments: Adjustments,
    pub counted: Counted,
    /// What the vectorscope counts.
    pub diagram: Diagram,
}

impl ContentChoice {
    pub const fn of(scene: &Scene) -> Self {
        let Look { adjustments, counted, scopes, .. } = scene.look;
        Self { adjustments, counted, diagram: scopes.diagram }
    }

    /// Returns which pictures are counted when these components are counted.
    pub fn counted_in(&self, components: Components) -> Counted {
        let Self { adjustments, counted, .. } = *self;
        Look { adjustments, counted, ..Look::default() }.counted_in(components)
    }
}

/// The most recent adjusted picture.
#[derive(Debug)]
struct AdjustedResult {
    key: AdjustmentKey,
    is_counted: bool,
}

/// Identifies a difference: the numbers of both pictures, the revision of their adjustments, and the gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DifferenceKey {
    numbers: [u64; 2],
    revision: u64,
    gain: Gain,
}

/// The loaded picture, its comparison, and which of the pictures derived from them exist.
#[derive(Debug)]
pub struct Content {
    pub loaded: Option<Loaded>,
    pub comparison: Option<Comparison>,
    adjusted: Option<AdjustedResult>,
    difference: Option<DifferenceKey>,
    /// Pictures loaded so far.
    pub load_count: u64,
    /// Comparisons set so far.
    comparisons: u64,
    /// The choice of the last recording, and how often the choice has changed.
    pub choice: ContentChoice,
    pub revision: u64,
}

impl Content {
    pub fn new() -> Self {
        Self {
            loaded: None,
            comparison: None,
            adjusted: None,
            difference: None,
            load_count: 0,
            comparisons: 0,
            choice: ContentChoice::of(&Scene::default()),
            revision: 0,
        }
    }

    /// Sets the adjustments and the pictures to count. Returns `true` if they have changed.
    pub fn choose(&mut self, choice: ContentChoice) -> bool {
        let is_new = self.choice != choice;
        self.choice = choice;
        self.revision += u64::from(is_new);
        is_new
    }

    /// Sets the frame to compare with; `None` removes it. Returns `true` if the comparison changed.
    pub fn compare_with(&mut self, frame: Option<&Frame>) -> bool {
        self.comparisons += 1;
        let Some(frame) = frame else { return self.comparison.take().is_some() };
        if self.comparison.as_ref().is_some_and(|comparison| comparison.is_of(frame)) {
            return false;
        }
        let adjusted = self.comparison.take().and_then(|comparison| comparison.adjusted);
        let number = self.comparisons;
        self.comparison = Some(Comparison { frame: frame.clone(), number, is_loaded: false, adjusted });
        true
    }

    /// Forgets everything that a backend has produced, so that another backend produces it again.
    pub fn forget_made(&mut self) {
        if let Some(loaded) = &mut self.loaded {
            loaded.is_counted = false;
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.is_loaded = false;
            comparison.adjusted = None;
        }
        self.adjusted = None;
        self.difference = None;
    }

    /// Makes the backend count and adjust what is not yet done for the loaded picture.
    ///
    /// # Errors
    /// [`GpuError`] if the backend cannot.
    pub fn record(&mut self, backend: &mut dyn Backend, recording: &mut Recording<'_>) -> Result<(), GpuError> {
        let Some(loaded) = &self.loaded else { return Ok(()) };
        let counted = self.choice.counted_in(loaded.components);
        if counted != Counted::Result {
            self.count_source(backend, recording)?;
        }
        if self.choice.adjustments.is_off() {
            self.adjusted = None;
            backend.release(Product::Adjusted(Slot::Loaded));
            recording.note(|times| &mut times.cpu_adjust, None);
            return Ok(());
        }
        self.adjust(backend, recording, counted)?;
        if !self.has_result() {
            return self.count_source(backend, recording);
        }
        let subject = self.subject_of(Image::Result);
        if let (true, Some(adjusted), Some(subject)) = (counted != Counted::Source, &mut self.adjusted, subject)
            && !std::mem::replace(&mut adjusted.is_counted, true)
        {
            backend.count(recording, &subject, &Count::Bins(Image::Result))?;
        }
        Ok(())
    }

    fn count_source(&mut self, backend: &mut dyn Backend, recording: &mut Recording<'_>) -> Result<(), GpuError> {
        let subject = self.subject_of(Image::Source);
        match self.loaded.as_mut().filter(|loaded| !loaded.is_counted).zip(subject) {
            Some((loaded, subject)) => {
                loaded.is_counted = true;
                backend.count(recording, &subject, &Count::Bins(Image::Source))
            }
            None => Ok(()),
        }
    }

    fn adjust(
        &mut self,
        backend: &mut dyn Backend,
        recording: &mut Recording<'_>,
        counted: Counted,
    ) -> Result<(), GpuError> {
        let Some(loaded) = self.loaded.as_ref().filter(|_| !self.has_result()) else { return Ok(()) };
        let key = AdjustmentKey::new(loaded.tag, loaded.load_id, &loaded.picture, self.choice.adjustments);
        let elapsed_secs = key.elapsed_secs(self.adjusted.as_ref().map(|adjusted| &adjusted.key));
        // Adjustments depend on the whole picture, whichever part of it is counted.
        let is_whole = loaded.region.is_none();
        let job = AdjustJob {
            slot: Slot::Loaded,
            picture: &loaded.picture,
            adjustments: key.adjustments,
            elapsed_secs,
            counts_source: counted != Counted::Result && loaded.components == Components::Rgbl && is_whole,
            counts_result: counted != Counted::Source && is_whole,
        };
        let is_made = backend.make(recording, &Job::Adjust(job))?;
        self.adjusted = is_made.then_some(AdjustedResult { key, is_counted: false });
        Ok(())
    }

    /// Makes the backend prepare what is shown with the loaded picture.
    ///
    /// # Errors
    /// [`GpuError`] if the backend cannot.
    pub fn record_pair(
        &mut self,
        backend: &mut dyn Backend,
        recording: &mut Recording<'_>,
        pair: Option<Pair>,
    ) -> Result<(), GpuError> {
        if let (Some(Pair { other: Other::Held | Other::Second, .. }), Some(comparison), Some(_)) =
            (pair, &mut self.comparison, &self.loaded)
        {
            if !comparison.is_loaded {
                if backend.load(recording.gpu, Load::Comparison(&comparison.frame.picture))?.is_some() {
                    recording.names.push("upload comparison");
                }
                comparison.is_loaded = true;
            }
            let adjustments = self.choice.adjustments;
            if adjustments.is_off() {
                comparison.adjusted = None;
                backend.release(Product::Adjusted(Slot::Comparison));
            } else if !comparison.is_adjusted(&adjustments) {
                let frame = &comparison.frame;
                let tag = Some(FrameTag::of(frame));
                let key = AdjustmentKey::new(tag, comparison.number, &frame.picture, adjustments);
                let job = AdjustJob {
                    slot: Slot::Comparison,
                    picture: &frame.picture,
                    adjustments,
                    elapsed_secs: key.elapsed_secs(comparison.adjusted.as_ref()),
                    counts_source: false,
                    counts_result: false,
                };
                let is_made = backend.make(&mut recording.untimed(), &Job::Adjust(job))?;
                comparison.adjusted = is_made.then_some(key);
            }
        }
        let pair = pair.filter(|pair| pair.sharing == Sharing::Difference);
        let Some((pair, key)) = pair.and_then(|pair| Some((pair, self.difference_key(pair)?))) else {
            if self.difference.take().is_some() {
                backend.release(Product::Difference);
            }
            return Ok(());
        };
        if self.difference != Some(key)
            && let Some(loaded) = &self.loaded
        {
            let (other, extent) = match (pair.other, &self.comparison) {
                (Other::Held | Other::Second, Some(Comparison { frame, .. })) => {
                    (self.comparison_image(), Extent { size: size_of(&frame.picture), orientation: frame.orientation })
                }
                _ => (Image::Source, loaded_extent(loaded)),
            };
            let images = [self.live(), other];
            let job = DifferenceJob { images, extents: [loaded_extent(loaded), extent], gain: pair.gain };
            self.difference = backend.make(recording, &Job::Difference(job))?.then_some(key);
        }
        Ok(())
    }

    /// Returns the key of this pair's difference; `None` if one of the two pictures is not available.
    fn difference_key(&self, pair: Pair) -> Option<DifferenceKey> {
        if !self.has(pair.other) {
            return None;
        }
        let other = match pair.other {
            Other::Source => 0,
            Other::Held | Other::Second => self.comparison.as_ref()?.number,
        };
        Some(DifferenceKey {
            numbers: [self.loaded.as_ref()?.load_id, other],
            revision: self.revision,
            gain: pair.gain,
        })
    }

    /// Returns the series that the loaded picture belongs to.
    pub fn series(&self) -> Option<Series> {
        self.loaded.as_ref().map(Loaded::series)
    }

    /// Returns `true` if the loaded picture's adjusted version is available.
    pub fn has_result(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| self.is_adjusted(loaded.load_id, &self.choice.adjustments))
    }

    /// Returns `true` if the picture of this load is available with these adjustments.
    pub fn is_adjusted(&self, load_id: u64, adjustments: &Adjustments) -> bool {
        let is =
            |adjusted: &AdjustedResult| adjusted.key.load_id == load_id && adjusted.key.adjustments == *adjustments;
        self.adjusted.as_ref().is_some_and(is)
    }

    /// Returns which pictures have bins to draw.
    pub fn counted(&self) -> Counted {
        match &self.loaded {
            Some(loaded) if self.has_result() => self.choice.counted_in(loaded.components),
            _ => Counted::Source,
        }
    }

    /// Returns the picture whose bins are drawn as filled bars, and the one whose bins are drawn as outlines.
    pub fn bars(&self) -> (Image, Option<Image>) {
        match self.counted() {
            Counted::Source => (Image::Source, None),
            Counted::Result => (Image::Result, None),
            Counted::Both => (Image::Result, Some(Image::Source)),
        }
    }

    /// Returns the picture whose bins are drawn as filled bars; `None` if only the next draw produces it.
    pub fn filled(&self) -> Option<Image> {
        let loaded = self.loaded.as_ref()?;
        let is_result = self.choice.counted_in(loaded.components) != Counted::Source;
        match is_result {
            true => self.has_result().then_some(Image::Result),
            false => Some(Image::Source),
        }
    }

    /// Returns `true` if the bins that are drawn as filled bars are ready.
    pub fn is_counted(&self) -> bool {
        match self.filled() {
            Some(Image::Result) => self.adjusted.as_ref().is_some_and(|adjusted| adjusted.is_counted),
            Some(_) => self.loaded.as_ref().is_some_and(|loaded| loaded.is_counted),
            None => false,
        }
    }

    /// Returns the tag of the frame that the filled bars belong to.
    pub fn tag(&self, loaded: &Loaded) -> FrameTag {
        FrameTag {
            adjusted: self.counted() != Counted::Source,
            range: Some(loaded.picture.colorimetry().range.value),
            region: loaded.region,
            ..loaded.tag.unwrap_or_default()
        }
    }

    /// Returns the layout and colorimetry of one of the pictures.
    pub fn format_of(&self, image: Image) -> Option<(PixelLayout, Colorimetry)> {
        let source = match image {
            Image::Source | Image::Result | Image::Difference => &self.loaded.as_ref()?.picture,
            Image::Comparison | Image::AdjustedComparison => &self.comparison.as_ref()?.frame.picture,
        };
        Some(match image {
            Image::Source | Image::Comparison => (*source.layout(), *source.colorimetry()),
            Image::Result | Image::AdjustedComparison | Image::Difference => {
                (working_layout(source.layout().bin_bits()), working_colorimetry(source.colorimetry().luminance))
            }
        })
    }

    /// Returns the light of the codes of one of the pictures.
    fn light_of(&self, image: Image) -> Option<SourceLight> {
        let adjustments = &self.choice.adjustments;
        let compared = || Some(SourceLight::of(&self.comparison.as_ref()?.frame.source));
        match image {
            Image::Source => Some(self.loaded.as_ref()?.light),
            Image::Result => Some(self.loaded.as_ref()?.light.after(adjustments)),
            Image::Comparison => compared(),
            Image::AdjustedComparison => Some(compared()?.after(adjustments)),
            // Differences of codes have no light.
            Image::Difference => None,
        }
    }

    /// Returns the conversion for the picture whose bins are drawn as filled bars.
    pub fn conversion(&self) -> Option<Conversion> {
        let (layout, colorimetry) = self.format_of(self.filled()?)?;
        Some(Conversion::new(&layout, &colorimetry))
    }

    /// Returns the picture that scopes, brushes and linear light are counted from.
    pub fn subject(&self) -> Option<CountSubject> {
        self.subject_of(self.bars().0)
    }

    /// Returns the source or the result, to be counted.
    pub fn subject_of(&self, image: Image) -> Option<CountSubject> {
        let loaded = self.loaded.as_ref()?;
        let source = InputPicture::from(&loaded.picture);
        let input = match image {
            Image::Result => {
                InputPicture { layout: working_layout(loaded.bits()), crossed: true, packed: true, ..source }
            }
            _ => source,
        };
        let colors = self.light_of(image).unwrap_or_default().colors();
        let chroma = Chroma::of_counted(&loaded.picture, image == Image::Result);
        let chroma = chroma.map(|chroma| chroma.in_diagram(self.choice.diagram, colors));
        let key = PictureKey { load_id: loaded.load_id, revision: self.revision, counted: self.counted() };
        Some(CountSubject { key, image, input, series: loaded.series(), chroma, transfer: loaded.light.transfer })
    }

    /// Returns the samples of the counted picture that were out of range before they became codes.
    pub fn clamped(&self) -> OutOfRange {
        let is_source = |loaded: &&Loaded| {
            let counted = self.choice.counted_in(loaded.components);
            loaded.components == Components::Rgbl
                && loaded.given.is_none()
                && (self.choice.adjustments.is_off() || counted == Counted::Source)
        };
        let clamped =
            self.loaded.as_ref().filter(is_source).and_then(|loaded| region::clamped(&loaded.picture, loaded.rect()));
        clamped.map_or_else(OutOfRange::default, |clamped| clamped.counts())
    }

    /// Returns the loaded picture as it is shown.
    fn live(&self) -> Image {
        if self.has_result() { Image::Result } else { Image::Source }
    }

    fn comparison_image(&self) -> Image {
        let is_adjusted = self.comparison.as_ref().is_some_and(|c| c.is_adjusted(&self.choice.adjustments));
        if is_adjusted { Image::AdjustedComparison } else { Image::Comparison }
    }

    /// Returns `true` if this picture can be drawn with the loaded one.
    fn has(&self, other: Other) -> bool {
        match other {
            Other::Source => self.has_result(),
            Other::Held | Other::Second => self.comparison.as_ref().is_some_and(|comparison| comparison.is_loaded),
        }
    }

    /// Returns how two pictures share the view; `None` if one picture takes all of it.
    pub fn paired(&self, scene: &Scene) -> Option<Pair> {
        let pair = scene.paired().filter(|pair| self.has(pair.other))?;
        let is_there = pair.sharing != Sharing::Difference
            || (self.difference.is_some() && self.difference == self.difference_key(pair));
        is_there.then_some(pair)
    }

    /// Returns the seam where two pictures meet on a view, if they do.
    pub fn seam(&self, scene: &Scene, size: (u32, u32)) -> Option<Seam> {
        self.paired(scene).and_then(|_| scene.seam(size))
    }

    /// Returns the parts of a view of `size` pixels on a display, each with its picture.
    pub fn parts(&self, scene: &Scene, size: (u32, u32), display: Display) -> Vec<ViewPart> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let lighting = scene.lighting(loaded.components).map(|lighting| lighting.inside(loaded.region));
        let pair = self.paired(scene);
        let placement = scene.placement(&loaded.shape, size);
        if pair.is_some_and(|pair| pair.sharing == Sharing::Difference) {
            // A brush, exposure marks or codes would mean nothing on a difference.
            return vec![ViewPart {
                image: Image::Difference,
                columns: 0..size.0,
                placement,
                lighting: None,
                is_selected: false,
                lit_by: None,
                inspection: None,
                codes: None,
                tone: None,
            }];
        }
        let is_selected = scene.brushes.in_scopes();
        // Each picture shows its own exposure and codes.
        let part = |image: Image, columns: Range<u32>, placement: Placement, lighting: Option<Lighting>| {
            let (layout, colorimetry) = self.format_of(image)?;
            let light = self.light_of(image);
            let scale = light.and_then(SourceLight::scale);
            let inspection = scene.look.exposure.inspection_for(&layout, &colorimetry, loaded.components, scale);
            let codes = scene.look.datascope.codes(&layout, loaded.components);
            // A brush selects codes of the counted picture, wherever its pixels are shown.
            let other = match self.bars().0 {
                Image::Source => Image::Result,
                _ => Image::Source,
            };
            let lit_by = (image == other && lighting.is_some()).then_some(self.bars().0);
            let Look { tone_mapping, stops, .. } = scene.look;
            let tone = light.and_then(|light| light.tone_map(tone_mapping, stops, display));
            let tone = tone.map(ToneTables::of);
            Some(ViewPart { image, columns, placement, lighting, is_selected, lit_by, inspection, codes, tone })
        };
        let mut parts = Vec::new();
        let mut live = 0..size.0;
        if let Some(Seam { column, other, .. }) = pair.and_then(|_| scene.seam(size)) {
            let (left, right) = (0..column, column..size.0);
            let columns = if other.is_left() { left.clone() } else { right.clone() };
            live = if other.is_left() { right } else { left };
            parts.extend(match (other, &self.comparison) {
                (Other::Source, _) => {
                    part(Image::Source, columns, scene.placement_of_other(&loaded.shape, size), lighting)
                }
                (Other::Held | Other::Second, Some(Comparison { frame, .. })) => {
                    let placement = scene.placement_of_other(&Shape::of(frame), size);
                    // A brush lights only the counted picture.
                    part(self.comparison_image(), columns, placement, None)
                }
                (Other::Held | Other::Second, None) => None,
            });
        }
        parts.extend(part(self.live(), live, placement, lighting));
        parts.retain(|part| !part.columns.is_empty());
        parts
    }
}

fn size_of(picture: &Picture) -> (u32, u32) {
    (picture.width(), picture.height())
}

fn loaded_extent(loaded: &Loaded) -> Extent {
    Extent { size: size_of(&loaded.picture), orientation: loaded.shape.orientation }
}

/// The longest gap, in seconds, after which a picture still counts as following the previous one.
const LONGEST_SECS: f64 = 1.0;

/// Identifies an adjusted picture and its adjustments. The smoothing of equalization depends on the time between
/// successive pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
struct AdjustmentKey {
    /// The frame that it belongs to, if any.
    tag: Option<FrameTag>,
    /// The number of its load.
    load_id: u64,
    /// Address of its first plane, because frames of two videos may have the same number.
    planes: usize,
    colorimetry: Colorimetry,
    adjustments: Adjustments,
}

impl AdjustmentKey {
    fn new(tag: Option<FrameTag>, load_id: u64, picture: &Picture, adjustments: Adjustments) -> Self {
        let planes = picture.address();
        Self { tag, load_id, planes, colorimetry: *picture.colorimetry(), adjustments }
    }

    /// Returns the seconds since the previous picture: 0 if it is the same picture, so that its curve stays as it is,
    /// and `None` if this picture does not follow that one. On an unchanged picture, a new blur or tone also gives
    /// `None`, so that it takes effect without smoothing.
    fn elapsed_secs(&self, before: Option<&Self>) -> Option<f64> {
        let before = before?;
        if self.is_picture_of(before) {
            let is_same = self.adjustments.before_reduction() == before.adjustments.before_reduction();
            return is_same.then_some(0.0);
        }
        let (now, then) = (self.tag?, before.tag?);
        let elapsed = now.time_secs - then.time_secs;
        (now.serial == then.serial && elapsed > 0.0 && elapsed <= LONGEST_SECS).then_some(elapsed)
    }

    fn is_picture_of(&self, other: &Self) -> bool {
        let is_frame = self.tag.is_some() && self.tag == other.tag;
        self.load_id == other.load_id
            || (is_frame && self.planes == other.planes && self.colorimetry == other.colorimetry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Equalize, Posterize, Reduction, Tone, working_colorimetry};
    use histoscope_core::picture::luminance::LuminanceWeights;

    fn key(serial: u64, time_secs: f64, load_id: u64) -> AdjustmentKey {
        let tag = Some(FrameTag { serial, time_secs, ..FrameTag::default() });
        let tone = Some(Tone::Equalize(Equalize::default()));
        let adjustments = Adjustments { tone, ..Adjustments::default() };
        AdjustmentKey {
            tag,
            load_id,
            planes: load_id as usize,
            colorimetry: working_colorimetry(LuminanceWeights::Bt709),
            adjustments,
        }
    }

    #[test]
    fn a_frame_follows_the_one_shortly_before_it() {
        let first = key(1, 5.0, 1);
        assert_eq!(key(1, 5.25, 2).elapsed_secs(Some(&first)), Some(0.25));
        assert_eq!(key(1, 6.0, 2).elapsed_secs(Some(&first)), Some(1.0));
        assert_eq!(key(1, 6.01, 2).elapsed_secs(Some(&first)), None, "a jump");
        assert_eq!(key(1, 4.9, 2).elapsed_secs(Some(&first)), None, "backward");
        assert_eq!(key(2, 5.25, 2).elapsed_secs(Some(&first)), None, "after a seek");
        assert_eq!(key(1, f64::NAN, 2).elapsed_secs(Some(&first)), None);
        assert_eq!(first.elapsed_secs(None), None, "the first");
    }

    #[test]
    fn the_same_picture_again_takes_no_time() {
        let first = key(1, 5.0, 1);
        assert_eq!(first.elapsed_secs(Some(&first)), Some(0.0));
        let again = AdjustmentKey { load_id: 2, ..first };
        assert_eq!(again.elapsed_secs(Some(&first)), Some(0.0), "loaded again");
        let other = AdjustmentKey { load_id: 2, planes: 99, ..first };
        assert_eq!(other.elapsed_secs(Some(&first)), None, "of another video");
        let unnamed = AdjustmentKey { tag: None, ..key(0, 0.0, 2) };
        assert_eq!(
            unnamed.elapsed_secs(Some(&AdjustmentKey { load_id: 3, ..unnamed })),
            None,
            "pictures that are no frames"
        );
    }

    #[test]
    fn a_new_choice_on_the_same_picture_takes_effect_immediately() {
        let first = key(1, 5.0, 1);
        let mut other = first;
        other.adjustments.tone = Some(Tone::Equalize(Equalize { per_channel: true, ..Equalize::default() }));
        assert_eq!(other.elapsed_secs(Some(&first)), None);
        let mut later = first;
        later.adjustments.reduction = Some(Reduction::Posterize(Posterize::default()));
        assert_eq!(later.elapsed_secs(Some(&first)), Some(0.0), "what comes after the curve leaves it alone");
    }
}
