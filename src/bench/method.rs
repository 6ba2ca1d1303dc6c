//! The rows of the table.

use serde::Serialize;

/// A way to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A plain loop over the pixels, on one thread of the CPU.
    Scalar,
    /// One invocation on the GPU.
    Single,
    /// An invocation a pixel, with a data race.
    Race,
    /// An invocation a pixel, with atomic additions to one set of bins.
    Atomics,
    /// Chunks of 256 pixels, summed by an invocation a bin.
    Sum,
    /// Chunks of 256 pixels, summed pair by pair: the article's last method.
    Pairwise,
    /// Our passes on the GPU.
    OursGpu,
    /// Our engine on the CPU.
    OursCpu,
    /// Reading the planes and doing nothing.
    Floor,
}

impl Method {
    /// Every method in the table's order.
    pub const ALL: [Self; 9] = [
        Self::Scalar,
        Self::Single,
        Self::Race,
        Self::Atomics,
        Self::Sum,
        Self::Pairwise,
        Self::OursGpu,
        Self::OursCpu,
        Self::Floor,
    ];

    /// The name by which a row is chosen, and which the JSON output uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Single => "single",
            Self::Race => "race",
            Self::Atomics => "atomics",
            Self::Sum => "sum",
            Self::Pairwise => "pairwise",
            Self::OursGpu => "ours-gpu",
            Self::OursCpu => "ours-cpu",
            Self::Floor => "floor",
        }
    }

    /// What the table calls it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Scalar => "plain loop on the CPU, one thread",
            Self::Single => "a single invocation",
            Self::Race => "an invocation a pixel, data race",
            Self::Atomics => "an invocation a pixel, atomics",
            Self::Sum => "chunks of 256 pixels, summed",
            Self::Pairwise => "chunks, reduced pair by pair",
            Self::OursGpu => "ours on the GPU",
            Self::OursCpu => "ours on the CPU",
            Self::Floor => "reading only (the floor)",
        }
    }

    /// Whether it reads 8-bit RGBA textures, the article's way.
    #[must_use]
    pub const fn reads_texture(self) -> bool {
        matches!(self, Self::Single | Self::Race | Self::Atomics | Self::Sum | Self::Pairwise)
    }
}

/// The channels that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelSet {
    /// Luminance only.
    One,
    /// Red, green, blue and luminance.
    Four,
}

impl ChannelSet {
    /// How many channels these are.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }

    /// Their places among red, green, blue and luminance.
    #[must_use]
    pub const fn channels(self) -> std::ops::Range<usize> {
        match self {
            Self::One => 3..4,
            Self::Four => 0..4,
        }
    }

    /// Name of the shaders' functions that count them.
    pub(super) const fn entry_point(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Four => "four",
        }
    }
}
