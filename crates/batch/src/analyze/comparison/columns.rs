//! The fields of a record that tell what a comparison gave, as columns of a table and, under the same names, in JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::super::cells::{Cell, CellKind, Field};
use super::{Compared, Comparison, plane_names};
use histoscope_core::histogram::Components;
use histoscope_core::picture::layout::ColorModel;

/// What a column tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    File,
    Frame,
    Time,
    ComparedAs,
    Identical,
    /// The distance of a channel's histograms, in codes.
    Codes(usize),
    /// The same in percent of the scale.
    Percent(usize),
    /// The largest difference of a plane's samples.
    Largest(usize),
    /// The mean one.
    Mean(usize),
    /// The signal-to-noise ratio of a plane.
    Noise(usize),
    /// That of all planes together.
    AllNoise,
}

impl What {
    const fn kind(self) -> CellKind {
        match self {
            Self::File | Self::ComparedAs => CellKind::Text,
            Self::Frame => CellKind::Integer64,
            Self::Identical => CellKind::Boolean,
            Self::Largest(_) => CellKind::Integer32,
            Self::Time | Self::Codes(_) | Self::Percent(_) | Self::Mean(_) | Self::Noise(_) | Self::AllNoise => {
                CellKind::Real
            }
        }
    }

    const fn may_be_empty(self) -> bool {
        !matches!(self, Self::File | Self::Frame | Self::Time | Self::ComparedAs | Self::Identical)
    }
}

/// The columns of a run that compares.
pub struct ComparisonColumns {
    file: String,
    /// The names of the planes that the columns are about.
    planes: &'static [&'static str],
    columns: Vec<(Field, What)>,
}

impl ComparisonColumns {
    /// The columns of a comparison with the file of that name, of pictures of which the first one is this, of whose channels these
    /// are counted.
    #[must_use]
    pub fn new(file: String, model: ColorModel, components: &[Components]) -> Self {
        // A video that begins in gray may have colour later.
        let planes = plane_names(if model == ColorModel::Rgb { model } else { ColorModel::YCbCr });
        let channels: Vec<_> = components.iter().flat_map(|components| components.channel_names()).collect();
        let mut columns = Vec::new();
        let mut add = |name: String, what: What| {
            columns.push((Field { name, kind: what.kind(), may_be_empty: what.may_be_empty() }, what));
        };
        for (name, what) in [
            ("against", What::File),
            ("against_frame", What::Frame),
            ("against_time_seconds", What::Time),
            ("compared_as", What::ComparedAs),
            ("identical", What::Identical),
        ] {
            add(name.to_owned(), what);
        }
        for (name, what) in [("distance", What::Codes as fn(usize) -> What), ("distance_percent", What::Percent)] {
            channels.iter().enumerate().for_each(|(index, channel)| add(format!("{name}_{channel}"), what(index)));
        }
        for (name, what) in [
            ("difference_max", What::Largest as fn(usize) -> What),
            ("difference_mean", What::Mean),
            ("psnr", What::Noise),
        ] {
            planes.iter().enumerate().for_each(|(index, plane)| add(format!("{name}_{plane}"), what(index)));
        }
        add("psnr_avg".to_owned(), What::AllNoise);
        Self { file, planes, columns }
    }

    /// The columns, in their order.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        self.columns.iter().map(|(field, _)| field.clone())
    }

    /// Hands the cells of a frame's comparison out, in the order of the columns.
    pub fn cells(&self, comparison: &Comparison, take: &mut dyn FnMut(Cell<'_>)) {
        self.columns.iter().for_each(|(_, what)| take(self.cell(comparison, *what)));
    }

    fn cell<'a>(&'a self, comparison: &'a Comparison, what: What) -> Cell<'a> {
        let is_of_these = plane_names(comparison.model).iter().zip(self.planes).all(|(name, column)| name == column);
        let plane = |index: usize| comparison.planes().get(index).filter(|_| is_of_these);
        match what {
            What::File => Cell::text(&*self.file),
            What::Frame => Cell::count(comparison.number),
            What::Time => Cell::Real(comparison.time_secs),
            What::ComparedAs => Cell::text(match comparison.compared {
                Compared::Codes(_) => "codes",
                Compared::Pictures(_) => "pictures",
            }),
            What::Identical => Cell::Boolean(comparison.is_identical()),
            What::Codes(channel) => Cell::maybe(comparison.codes(channel), Cell::Real),
            What::Percent(channel) => Cell::maybe(comparison.percent(channel), Cell::Real),
            What::Largest(index) => Cell::maybe(plane(index), |plane| Cell::whole(plane.largest)),
            What::Mean(index) => Cell::maybe(plane(index), |plane| Cell::Real(plane.mean())),
            What::Noise(index) => Cell::maybe(plane(index).and_then(|plane| plane.psnr(comparison.depth)), Cell::Real),
            What::AllNoise => {
                Cell::maybe(comparison.all_planes().and_then(|all| all.psnr(comparison.depth)), Cell::Real)
            }
        }
    }
}

/// What a frame's comparison adds to its record in JSON.
pub struct ComparisonFields<'a> {
    /// Which fields there are.
    pub columns: &'a ComparisonColumns,
    /// What they tell.
    pub comparison: &'a Comparison,
}

impl Serialize for ComparisonFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.columns.len()))?;
        for (field, what) in &self.columns.columns {
            map.serialize_entry(&field.name, &self.columns.cell(self.comparison, *what))?;
        }
        map.end()
    }
}
