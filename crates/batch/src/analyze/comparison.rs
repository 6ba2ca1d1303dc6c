//! What the comparison of a frame with one of another file gave, and how it is told: [`columns`] of the records, and the [`tally`] of a
//! run.

pub mod columns;
pub mod tally;

use std::path::PathBuf;

use histoscope_core::compare::{Distance, PlaneDifference, Unlike};
use histoscope_core::histogram::Histogram;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ColorModel;

/// The names of a picture's planes, as those of FFmpeg's psnr filter.
#[must_use]
pub const fn plane_names(model: ColorModel) -> &'static [&'static str] {
    match model {
        ColorModel::Gray => &["y"],
        ColorModel::YCbCr => &["y", "u", "v"],
        ColorModel::Rgb => &["r", "g", "b"],
    }
}

/// With which other file each frame is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Against {
    /// The file.
    pub input: PathBuf,
    /// How many frames later its frame comes than that of the same picture in the input; negative where it comes earlier.
    pub offset: i64,
    /// Within how many frames of that the offset is to be found; `None` where it is known.
    pub align: Option<u32>,
}

/// What of two frames was compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Compared {
    /// Their samples, plane by plane, since they mean the same.
    Codes(Vec<PlaneDifference>),
    /// What they look like, by their histograms alone.
    Pictures(Unlike),
}

/// What the comparison of two frames gave.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The number of the other file's frame.
    pub number: u64,
    /// Its time, in seconds from the first frame of that file.
    pub time_secs: f64,
    /// What the planes of the frame are.
    model: ColorModel,
    /// Bits a sample.
    depth: u8,
    /// Bits of the histograms' codes.
    bits: u32,
    compared: Compared,
    /// The distance of each channel's histograms, in the order in which channels are told; `None` where one has nothing counted.
    distances: Vec<Option<Distance>>,
}

impl Comparison {
    /// The comparison of a frame with that picture and with the frame of that number and time, of which this was found.
    #[must_use]
    pub fn new(picture: &Picture, (number, time_secs): (u64, f64), compared: Compared) -> Self {
        let layout = picture.layout();
        let (model, depth, bits) = (layout.model, layout.depth, layout.bin_bits());
        Self { number, time_secs, model, depth, bits, compared, distances: Vec::new() }
    }

    /// Adds the distances of the histograms, channel by channel; `None` stands for what was not counted.
    pub fn add_distances(&mut self, ours: Option<&Histogram>, theirs: Option<&Histogram>) {
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return };
        for channel in 0..ours.components.channel_names().len() {
            self.distances.push(Distance::of(ours.bins(channel), theirs.bins(channel)));
        }
    }

    /// Whether every sample is equal, and means the same.
    #[must_use]
    pub fn is_identical(&self) -> bool {
        matches!(&self.compared, Compared::Codes(planes) if planes.iter().all(PlaneDifference::is_none))
    }

    /// The differences of the planes; nothing where the two were compared as pictures.
    #[must_use]
    pub fn planes(&self) -> &[PlaneDifference] {
        match &self.compared {
            Compared::Codes(planes) => planes,
            Compared::Pictures(_) => &[],
        }
    }

    /// The difference of all samples together; `None` where the two were compared as pictures.
    #[must_use]
    pub fn all_planes(&self) -> Option<PlaneDifference> {
        self.planes().iter().copied().reduce(PlaneDifference::and)
    }

    /// The distance of a channel's histograms in codes, where codes mean the same in both.
    fn codes(&self, channel: usize) -> Option<f64> {
        let distance = self.distances.get(channel).copied().flatten()?;
        matches!(self.compared, Compared::Codes(_)).then(|| distance.codes(self.bits))
    }

    /// The same in percent of the scale.
    fn percent(&self, channel: usize) -> Option<f64> {
        self.distances.get(channel).copied().flatten().map(Distance::percent)
    }
}
