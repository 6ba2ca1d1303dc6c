//! The comparison of a frame with a frame of another file: its record fields, and the [`ComparisonTally`] of a run.

use std::path::PathBuf;

use histoscope_core::compare::{Distance, PlaneDifference, Ssim, Unlike, ssim};
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::text::counted;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::fields::CellKind::{Boolean, Integer32, Integer64, Real, Text};
use crate::fields::{Cell, Column, Field, always, nullable};

/// Returns the names of a picture's planes, as in FFmpeg's psnr filter.
#[must_use]
pub const fn plane_names(model: ColorModel) -> &'static [&'static str] {
    match model {
        ColorModel::Gray => &["y"],
        ColorModel::YCbCr => &["y", "u", "v"],
        ColorModel::Rgb => &["r", "g", "b"],
    }
}

/// The file to compare each frame with, and the offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Against {
    /// The file.
    pub input: PathBuf,
    /// Number of frames by which the file shows the same picture later than the input; negative if earlier.
    pub offset: i64,
    /// Maximum distance from the stated offset to search for the best one, in frames; `None` to use the stated offset.
    pub align: Option<u32>,
    /// How much later than its pictures the file has its sound, in milliseconds, if that was found with the offset.
    pub sound_ms: Option<i64>,
}

/// The method of a comparison, with its result.
#[derive(Debug, Clone, PartialEq)]
pub enum Compared {
    /// Sample by sample and plane by plane: the samples have the same meaning in both frames.
    Codes(Vec<ComparedPlane>),
    /// By histograms only, for this reason.
    Pictures(Unlike),
}

/// The result of comparing a plane with that of another frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedPlane {
    /// The differences of the samples.
    pub difference: PlaneDifference,
    /// The structural similarity.
    pub ssim: Ssim,
}

/// Returns the difference over the samples of all planes; `None` if there are none.
#[must_use]
pub fn all_differences(planes: &[ComparedPlane]) -> Option<PlaneDifference> {
    planes.iter().map(|plane| plane.difference).reduce(PlaneDifference::and)
}

/// Returns the structural similarity of all planes, weighted by their numbers of samples; `None` if there are none, or
/// if one of them is too small.
#[must_use]
pub fn all_ssim(planes: &[ComparedPlane]) -> Option<f64> {
    ssim::weighted_mean(planes.iter().map(|plane| (plane.difference.samples, plane.ssim)))
}

/// The result of comparing two frames.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The number of the other file's frame.
    pub number: u64,
    /// Time of that frame, in seconds from the first frame of its file.
    pub time_secs: f64,
    /// Determines the planes of the frame.
    model: ColorModel,
    /// Bits per sample.
    depth: u8,
    /// Bits per code in the histograms.
    bits: u32,
    compared: Compared,
    /// The distance between the two histograms of each channel, in channel order; `None` if one of them is empty.
    distances: Vec<Option<Distance>>,
}

impl Comparison {
    /// Creates the result of comparing `picture` with the other file's frame of this number and time.
    #[must_use]
    pub fn new(picture: &Picture, (number, time_secs): (u64, f64), compared: Compared) -> Self {
        let layout = picture.layout();
        let (model, depth, bits) = (layout.model, layout.depth, layout.bin_bits());
        Self { number, time_secs, model, depth, bits, compared, distances: Vec::new() }
    }

    /// Appends the distances between the histograms, channel by channel. Does nothing if one of the two was not
    /// counted.
    pub fn add_distances(&mut self, ours: Option<&Histogram>, theirs: Option<&Histogram>) {
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return };
        for channel in 0..ours.components.channel_names().len() {
            self.distances.push(Distance::of(ours.bins(channel), theirs.bins(channel)));
        }
    }

    /// Returns `true` if all samples are equal and have the same meaning.
    #[must_use]
    pub fn is_identical(&self) -> bool {
        matches!(&self.compared, Compared::Codes(planes) if planes.iter().all(|plane| plane.difference.is_none()))
    }

    /// Returns the result for each plane; empty if only histograms were compared.
    #[must_use]
    pub fn planes(&self) -> &[ComparedPlane] {
        match &self.compared {
            Compared::Codes(planes) => planes,
            Compared::Pictures(_) => &[],
        }
    }

    /// Returns the distance between a channel's histograms in codes, if codes have the same meaning in both frames.
    fn codes(&self, channel: usize) -> Option<f64> {
        let distance = self.distances.get(channel).copied().flatten()?;
        matches!(self.compared, Compared::Codes(_)).then(|| distance.codes(self.bits))
    }

    /// Returns the distance between a channel's histograms in percent of the scale.
    fn percent(&self, channel: usize) -> Option<f64> {
        self.distances.get(channel).copied().flatten().map(Distance::percent)
    }
}

/// The subject of a field, with the function that computes its value.
#[derive(Clone, Copy)]
enum Value {
    /// The frame. The function also takes the other file's name.
    Frame(for<'r> fn(&'r str, &'r Comparison) -> Cell<'r>),
    /// A channel. There is one column per channel, named after the field and the channel.
    Channel(fn(&Comparison, usize) -> Cell<'static>),
    /// A plane. There is one column per plane, named after the field and the plane.
    Plane(fn(&Comparison, &ComparedPlane) -> Cell<'static>),
}

/// The fields of a comparison, in order.
const COMPARISON_FIELDS: [Field<Value>; 13] = [
    always("against", Text, "the name of the other file as given", Value::Frame(|file, _| Cell::text(file))),
    always("against_frame", Integer64, "number of the partner", Value::Frame(|_, found| Cell::count(found.number))),
    always("against_time_seconds", Real, "its time", Value::Frame(|_, found| Cell::Real(found.time_secs))),
    always(
        "compared_as",
        Text,
        "`codes`, sample by sample, or `pictures`, by histograms only",
        Value::Frame(|_, found| {
            Cell::text(match found.compared {
                Compared::Codes(_) => "codes",
                Compared::Pictures(_) => "pictures",
            })
        }),
    ),
    always(
        "identical",
        Boolean,
        "whether all samples are equal; an alpha channel is ignored",
        Value::Frame(|_, found| Cell::Boolean(found.is_identical())),
    ),
    nullable(
        "distance",
        Real,
        "earth mover's distance of the two histograms of a channel, in codes of their bins",
        Value::Channel(|found, channel| Cell::maybe(found.codes(channel), Cell::Real)),
    ),
    nullable(
        "distance_percent",
        Real,
        "the same in percent of the scale",
        Value::Channel(|found, channel| Cell::maybe(found.percent(channel), Cell::Real)),
    ),
    nullable(
        "difference_max",
        Integer32,
        "largest difference of two samples of a plane, in codes at the samples' own depth; gray has only the plane `y`, and \
         the others are null",
        Value::Plane(|_, plane| Cell::whole(plane.difference.largest)),
    ),
    nullable(
        "difference_mean",
        Real,
        "mean absolute difference of the samples of a plane",
        Value::Plane(|_, plane| Cell::Real(plane.difference.mean())),
    ),
    nullable(
        "psnr",
        Real,
        "peak signal-to-noise ratio of a plane in dB: 10 lg(p² / e), where p is the highest code, 2^n − 1 at n bits \
         per sample, up to 16, and e the mean squared difference; null if all samples are equal",
        Value::Plane(|found, plane| Cell::maybe(plane.difference.psnr(found.depth), Cell::Real)),
    ),
    nullable(
        "psnr_avg",
        Real,
        "the same of the samples of all planes together, FFmpeg's `psnr_avg`",
        Value::Frame(|_, found| {
            Cell::maybe(all_differences(found.planes()).and_then(|all| all.psnr(found.depth)), Cell::Real)
        }),
    ),
    nullable(
        "ssim",
        Real,
        "structural similarity of a plane, at most 1: the mean over windows of 8×8 samples at steps of 4, as FFmpeg's ssim \
         filter computes it; null in planes less than 8 samples wide or high",
        Value::Plane(|_, plane| Cell::maybe(plane.ssim.mean(), Cell::Real)),
    ),
    nullable(
        "ssim_all",
        Real,
        "the same of all planes, weighted by their numbers of samples",
        Value::Frame(|_, found| Cell::maybe(all_ssim(found.planes()), Cell::Real)),
    ),
];

/// The columns of a comparison. The JSON fields have the same names.
pub struct ComparisonColumns {
    /// Name of the other file.
    file: String,
    /// Names of the planes that have columns.
    planes: &'static [&'static str],
    /// Each column with its value, and the index of its channel or plane.
    columns: Vec<(Column, Value, usize)>,
}

impl ComparisonColumns {
    /// Creates the columns of a comparison with the file named `file`. `model` is the colour model of the input's first
    /// picture; `components` are the counted components.
    #[must_use]
    pub fn new(file: String, model: ColorModel, components: &[Components]) -> Self {
        // A video that begins in gray may have colour later.
        let planes = plane_names(if model == ColorModel::Rgb { model } else { ColorModel::YCbCr });
        let channels: Vec<_> = components.iter().flat_map(|components| components.channel_names()).copied().collect();
        let mut columns = Vec::new();
        for field in &COMPARISON_FIELDS {
            let named = |name: &str| field.column(format!("{}_{name}", field.name));
            let names: &[&str] = match field.value {
                Value::Frame(_) => {
                    columns.push((field.column(field.name.to_owned()), field.value, 0));
                    continue;
                }
                Value::Channel(_) => &channels,
                Value::Plane(_) => planes,
            };
            columns.extend(names.iter().enumerate().map(|(at, name)| (named(name), field.value, at)));
        }
        Self { file, planes, columns }
    }

    /// Returns the columns in order.
    pub fn columns(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().map(|(column, ..)| column.clone())
    }

    /// Returns the names and cells of a frame's comparison, in the order of the columns.
    pub fn cells<'a>(&'a self, comparison: &'a Comparison) -> impl Iterator<Item = (&'a str, Cell<'a>)> {
        let names = plane_names(comparison.model).iter().zip(self.planes);
        let has_these_planes = names.into_iter().all(|(name, column)| name == column);
        self.columns.iter().map(move |(column, value, at)| {
            let cell = match *value {
                Value::Frame(value) => value(&self.file, comparison),
                Value::Channel(value) => value(comparison, *at),
                Value::Plane(value) => {
                    let plane = comparison.planes().get(*at).filter(|_| has_these_planes);
                    Cell::maybe(plane, |plane| value(comparison, plane))
                }
            };
            (&*column.name, cell)
        })
    }
}

/// The outcome of a comparison, as in the summary of a run's records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// `true` if no sample differs and every frame has a partner.
    pub identical: bool,
    /// Number of frames compared.
    pub compared: u64,
    /// Number of frames that differ.
    pub differing: u64,
    /// Number of the first frame that differs.
    pub first_difference: Option<u64>,
    /// Number of frames that could be compared only by their histograms.
    pub as_pictures: u64,
    /// Frames of the input beyond the other file's end.
    pub only_in_input: u64,
    /// Frames of the other file beyond the input's end.
    pub only_in_against: u64,
    /// The planes' differences over all frames.
    #[serde(flatten)]
    pub(super) planes: PlaneTotals,
}

impl ComparisonSummary {
    /// Adds the result for a later share of the file.
    pub fn add(&mut self, later: &Self) {
        self.planes.add((self.compared, later.compared), &later.planes);
        self.compared += later.compared;
        self.differing += later.differing;
        self.first_difference = self.first_difference.or(later.first_difference);
        self.as_pictures += later.as_pictures;
        self.only_in_input += later.only_in_input;
        self.only_in_against += later.only_in_against;
        self.identical &= later.identical;
    }
}

/// The differences of the planes over all compared frames. Empty if there are none, or if some had different formats or
/// were compared only by histograms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct PlaneTotals {
    #[serde(default)]
    plane_sums: Vec<PlaneTotal>,
}

/// The sums of a plane over all frames. They are integers, so that shares of a file add up exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PlaneTotal {
    plane: String,
    depth: u8,
    samples: u64,
    difference_max: u16,
    differences: u64,
    squares: u64,
    windows: u64,
    /// Sum of the windows' similarities, as [`Ssim::sums`] gives it.
    similarities: i64,
}

impl PlaneTotal {
    fn new(plane: &str, depth: u8, compared: ComparedPlane) -> Self {
        let PlaneDifference { samples, largest, sum, squares } = compared.difference;
        let (similarities, windows) = compared.ssim.sums();
        let (plane, difference_max, differences) = (plane.to_owned(), largest, sum);
        Self { plane, depth, samples, difference_max, differences, squares, windows, similarities }
    }

    fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        self.difference_max = self.difference_max.max(other.difference_max);
        self.differences += other.differences;
        self.squares += other.squares;
        self.windows += other.windows;
        self.similarities += other.similarities;
    }

    const fn difference(&self) -> PlaneDifference {
        let Self { samples, difference_max, differences, squares, .. } = *self;
        PlaneDifference { samples, largest: difference_max, sum: differences, squares }
    }

    fn compared(&self) -> ComparedPlane {
        ComparedPlane { difference: self.difference(), ssim: Ssim::from_sums((self.similarities, self.windows)) }
    }
}

impl PlaneTotals {
    fn of(comparison: &Comparison) -> Self {
        let planes = plane_names(comparison.model).iter().zip(comparison.planes());
        Self { plane_sums: planes.map(|(name, plane)| PlaneTotal::new(name, comparison.depth, *plane)).collect() }
    }

    /// Adds the totals of other frames. `frames` are the numbers of frames compared so far, and of the other ones.
    fn add(&mut self, frames: (u64, u64), other: &Self) {
        let formats = |totals: &Self| -> Vec<(String, u8)> {
            totals.plane_sums.iter().map(|total| (total.plane.clone(), total.depth)).collect()
        };
        match frames {
            (_, 0) => {}
            (0, _) => self.clone_from(other),
            _ if formats(self) == formats(other) => {
                self.plane_sums.iter_mut().zip(&other.plane_sums).for_each(|(sum, total)| sum.add(total));
            }
            _ => self.plane_sums.clear(),
        }
    }

    /// Returns the results over all frames: the depth, and each plane with its name. `None` if there are none.
    fn compared(&self) -> Option<(u8, Vec<(&str, ComparedPlane)>)> {
        let depth = self.plane_sums.first()?.depth;
        Some((depth, self.plane_sums.iter().map(|total| (total.plane.as_str(), total.compared())).collect()))
    }
}

/// Writes PSNR and SSIM with the names that records have, then the sums.
impl Serialize for PlaneTotals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some((depth, planes)) = self.compared() {
            let all: Vec<_> = planes.iter().map(|(_, plane)| *plane).collect();
            for (name, plane) in &planes {
                map.serialize_entry(&format!("psnr_{name}"), &plane.difference.psnr(depth))?;
            }
            map.serialize_entry("psnr_avg", &all_differences(&all).and_then(|all| all.psnr(depth)))?;
            for (name, plane) in &planes {
                map.serialize_entry(&format!("ssim_{name}"), &plane.ssim.mean())?;
            }
            map.serialize_entry("ssim_all", &all_ssim(&all))?;
        }
        map.serialize_entry("plane_sums", &self.plane_sums)?;
        map.end()
    }
}

/// The running totals of a run's comparisons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonTally {
    summary: ComparisonSummary,
    /// Time of the first frame that differs, in seconds.
    first_secs: f64,
    /// The reason for the first comparison by histograms only.
    unlike: Option<Unlike>,
    /// The frame with the largest mean squared error: its number and difference.
    noisiest: Option<(u64, PlaneDifference)>,
    /// The sum of the frames' histogram distances in percent of the scale. A frame's distance is the mean of the
    /// distances for red, green, blue and luminance.
    distance_sum: f64,
    /// The frame with the largest distance: its number and distance.
    furthest: Option<(u64, f64)>,
    /// The reason the other file ended early, if it did.
    pub other_ended_early: Option<String>,
    /// Packets rejected by the other file's decoder. Set once its end has been reached.
    pub other_refused_packets: u64,
}

impl ComparisonTally {
    /// Adds a frame, given its number and its time in seconds.
    pub fn add(&mut self, (frame, time_secs): (u64, f64), comparison: &Comparison) {
        self.summary.planes.add((self.summary.compared, 1), &PlaneTotals::of(comparison));
        self.summary.compared += 1;
        if !comparison.is_identical() {
            self.summary.differing += 1;
            if self.summary.first_difference.is_none() {
                (self.summary.first_difference, self.first_secs) = (Some(frame), time_secs);
            }
        }
        if let Compared::Pictures(unlike) = comparison.compared {
            self.summary.as_pictures += 1;
            self.unlike.get_or_insert(unlike);
        }
        if let Some(all) = all_differences(comparison.planes()) {
            let most = self.noisiest.map_or(0.0, |(_, worst)| worst.mean_squared_error());
            if all.mean_squared_error() > most {
                self.noisiest = Some((frame, all));
            }
        }
        // Red, green, blue and luminance come first.
        let of = (0..CHANNELS).filter_map(|channel| comparison.percent(channel)).sum::<f64>() / CHANNELS as f64;
        self.distance_sum += of;
        if of > self.furthest.map_or(0.0, |(_, most)| most) {
            self.furthest = Some((frame, of));
        }
    }

    /// Adds the frames at the end that have no partner, in the input and in the other file.
    pub fn add_surplus(&mut self, only_in_input: u64, only_in_against: u64) {
        self.summary.only_in_input += only_in_input;
        self.summary.only_in_against += only_in_against;
    }

    /// Returns the result for the records' summary.
    #[must_use]
    pub fn summary(&self) -> ComparisonSummary {
        let surplus = self.summary.only_in_input + self.summary.only_in_against;
        ComparisonSummary { identical: self.summary.differing == 0 && surplus == 0, ..self.summary.clone() }
    }

    /// Returns `true` if there was nothing to compare.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ComparisonSummary { compared, only_in_input, only_in_against, .. } = self.summary;
        compared + only_in_input + only_in_against == 0
    }

    /// Describes the result in one line, followed by the size of the differences if there are any.
    #[must_use]
    pub fn in_words(&self, ours: &str, theirs: &str) -> Vec<String> {
        let ComparisonSummary { compared, differing, first_difference, as_pictures, .. } = self.summary;
        let frames = counted(compared, "frame");
        let mut line = match first_difference {
            _ if compared == 0 => format!("no frame of {ours} has a partner in {theirs}"),
            None => format!("{ours} and {theirs} are the same in {frames}, sample by sample"),
            Some(first) => format!(
                "{ours} and {theirs} differ in {differing} of {frames}, first in frame {first}, at {:.3} s",
                self.first_secs
            ),
        };
        for (more, file) in [(self.summary.only_in_input, ours), (self.summary.only_in_against, theirs)] {
            if more > 0 {
                line += &format!("; {file} has {} at its end", counted(more, "more frame"));
            }
        }
        let mut lines = vec![line];
        if let Some(unlike) = self.unlike {
            let all = if as_pictures == compared { String::new() } else { format!("{as_pictures} of them ") };
            lines.push(format!("{all}compared as pictures, by their histograms only: {unlike}"));
        }
        lines.extend(self.how_much());
        lines
    }

    /// Describes the size of the differences, or returns `None` if there are none.
    fn how_much(&self) -> Option<String> {
        if self.summary.differing == 0 {
            return None;
        }
        let mut parts = Vec::new();
        if let Some((depth, planes)) = self.summary.planes.compared() {
            let noise = |difference: &PlaneDifference| match difference.psnr(depth) {
                Some(noise) => format!("{noise:.2}"),
                None => "no difference".to_owned(),
            };
            let of_planes = |text: &dyn Fn(&ComparedPlane) -> String| {
                planes.iter().map(|(name, plane)| format!("{name} {}", text(plane))).collect::<Vec<_>>().join(", ")
            };
            let compared: Vec<_> = planes.iter().map(|(_, plane)| *plane).collect();
            let all = all_differences(&compared).unwrap_or_default();
            let noises = of_planes(&|plane| noise(&plane.difference));
            parts.push(format!("PSNR in dB: {noises}, average {}", noise(&all)));
            if let Some(whole) = all_ssim(&compared) {
                let similarities = of_planes(&|plane| format!("{:.4}", plane.ssim.mean().unwrap_or(whole)));
                parts.push(format!("SSIM: {similarities}, all {whole:.4}"));
            }
            if let Some((frame, worst)) = &self.noisiest {
                parts.push(format!("lowest in frame {frame}, {}", noise(worst)));
            }
            parts.push(format!("largest difference {} of {} codes", all.largest, (1_u32 << depth) - 1));
        }
        if let Some((frame, of)) = self.furthest {
            let mean = self.distance_sum / self.summary.compared.max(1) as f64;
            parts.push(format!(
                "histogram distance {mean:.3} % of the scale on average, largest in frame {frame}, {of:.3} %"
            ));
        }
        Some(parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::manual_rows;

    fn of(compared: u64, differing: u64, first: Option<u64>, surplus: (u64, u64)) -> ComparisonSummary {
        ComparisonSummary {
            identical: differing == 0 && surplus == (0, 0),
            compared,
            differing,
            first_difference: first,
            as_pictures: 0,
            only_in_input: surplus.0,
            only_in_against: surplus.1,
            planes: PlaneTotals::default(),
        }
    }

    #[test]
    fn shares_add_up() {
        let mut sum = of(10, 0, None, (0, 0));
        sum.add(&of(10, 2, Some(13), (0, 0)));
        assert_eq!(sum, of(20, 2, Some(13), (0, 0)));
        sum.add(&of(5, 1, Some(24), (0, 3)));
        assert_eq!(sum, of(25, 3, Some(13), (0, 3)));
        let mut same = of(10, 0, None, (0, 0));
        same.add(&of(3, 0, None, (0, 0)));
        assert!(same.identical);
        same.add(&of(0, 0, None, (7, 0)));
        assert!(!same.identical, "the surplus is a difference");
    }

    #[test]
    fn planes_add_up_unless_their_formats_differ() {
        let totals = |depth, squares| {
            let difference = PlaneDifference { samples: 100, largest: 9, sum: 30, squares };
            let ssim = Ssim::from_sums((3 << 18, 1));
            PlaneTotals { plane_sums: vec![PlaneTotal::new("y", depth, ComparedPlane { difference, ssim })] }
        };
        let mut sum = PlaneTotals::default();
        sum.add((0, 2), &totals(8, 1000));
        sum.add((2, 0), &PlaneTotals::default());
        sum.add((2, 3), &totals(8, 5000));
        let json = serde_json::to_value(&sum).unwrap();
        // 10 lg(255² / 30)
        assert!(
            (json["psnr_y"].as_f64().unwrap() - 33.359_6).abs() < 1e-3 && json["psnr_avg"] == json["psnr_y"],
            "{json}"
        );
        assert_eq!((json["ssim_y"].as_f64(), json["ssim_all"].as_f64()), (Some(0.75), Some(0.75)));
        assert_eq!(serde_json::from_value::<PlaneTotals>(json).unwrap(), sum);
        sum.add((5, 1), &totals(10, 0));
        assert_eq!(sum, PlaneTotals::default());
        sum.add((6, 1), &totals(8, 0));
        assert_eq!(sum, PlaneTotals::default(), "some frames are not in the sums");
    }

    #[test]
    fn messages_agree_with_the_numbers() {
        let mut tally = ComparisonTally::default();
        assert!(tally.is_empty());
        tally.summary.compared = 3;
        assert_eq!(tally.in_words("a", "b"), ["a and b are the same in 3 frames, sample by sample"]);
        tally.add_surplus(0, 1);
        assert_eq!(
            tally.in_words("a", "b"),
            ["a and b are the same in 3 frames, sample by sample; b has 1 more frame at its end"]
        );
        assert!(!tally.summary().identical && !tally.is_empty());
    }

    #[test]
    fn the_manual_has_every_field() {
        let manual = include_str!("../../../../docs/analyze.md");
        let rows = manual_rows(&COMPARISON_FIELDS, |field| match field.value {
            Value::Frame(_) => format!("`{}`", field.name),
            Value::Channel(_) => format!("`{}_red`, …", field.name),
            Value::Plane(_) => format!("`{}_y`, …", field.name),
        });
        assert!(manual.contains(&rows), "docs/analyze.md lacks this table:\n{rows}");
    }
}
