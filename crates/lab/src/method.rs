//! The steps of the ladder.

use serde::{Deserialize, Serialize};

/// A way to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Chunks, summed by an invocation a bin.
    Sum,
    /// Chunks, summed pair by pair: the tutorial's last method.
    Pairwise,
    /// Chunks counted in workgroup memory, each added to the bins by atomic additions.
    Shared,
    /// An invocation a pixel; a subgroup adds equal bins once.
    Subgroup,
    /// Our passes on the GPU.
    OursGpu,
    /// Our engine on the CPU.
    OursCpu,
    /// Reading the planes and doing nothing.
    Floor,
}

impl Method {
    /// Every method in the table's order, and the floor.
    pub const ALL: [Self; 11] = [
        Self::Scalar,
        Self::Single,
        Self::Race,
        Self::Atomics,
        Self::Sum,
        Self::Pairwise,
        Self::Shared,
        Self::Subgroup,
        Self::OursGpu,
        Self::OursCpu,
        Self::Floor,
    ];

    /// Those that count, which the window steps through.
    #[must_use]
    pub fn ladder() -> &'static [Self] {
        Self::ALL.split_last().map_or(&[], |(_floor, ladder)| ladder)
    }

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
            Self::Shared => "shared",
            Self::Subgroup => "subgroup",
            Self::OursGpu => "ours-gpu",
            Self::OursCpu => "ours-cpu",
            Self::Floor => "floor",
        }
    }

    /// What tables and lists call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Scalar => "plain loop on the CPU, one thread",
            Self::Single => "a single invocation",
            Self::Race => "an invocation a pixel, data race",
            Self::Atomics => "an invocation a pixel, atomics",
            Self::Sum => "chunks, summed",
            Self::Pairwise => "chunks, reduced pair by pair",
            Self::Shared => "chunks, shared-memory atomics",
            Self::Subgroup => "subgroups, equal bins added once",
            Self::OursGpu => "ours on the GPU",
            Self::OursCpu => "ours on the CPU",
            Self::Floor => "reading only (the floor)",
        }
    }

    /// What it does and what that costs or gains, in a sentence.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Scalar => {
                "A loop on the CPU takes one pixel after the other and adds one to the pixel's bin: right, and slow."
            }
            Self::Single => {
                "The same loop in one invocation on the GPU: right, and slower still, since thousands of others stand idle."
            }
            Self::Race => {
                "One invocation a pixel, all at once: two that load the same count both store it plus one, and a pixel is lost."
            }
            Self::Atomics => {
                "An atomic addition cannot be torn apart, so that none is lost; but pixels of the same bin wait for each other."
            }
            Self::Sum => {
                "Each workgroup counts a chunk of pixels in its own fast memory; a second pass sums the chunks, one invocation a \
                 bin."
            }
            Self::Pairwise => {
                "The chunks are summed in pairs, then pairs of pairs: the GPU works on all pairs at once, in a pass for each \
                 halving."
            }
            Self::Shared => {
                "Each workgroup counts a chunk in its own fast memory and adds it to the bins by atomics: nothing is left to sum."
            }
            Self::Subgroup => {
                "The invocations of a subgroup find out which of them want the same bin, and one of them adds for all of these."
            }
            Self::OursGpu => {
                "Few large workgroups walk over the native planes, count in workgroup memory and leave few chunks to sum."
            }
            Self::OursCpu => "Every core counts a band of rows with vector instructions, into bins of its own.",
            Self::Floor => "Every word of the planes is read and nothing is done with it: no method can be faster.",
        }
    }

    /// Whether it reads an image of 8-bit RGBA on the GPU, the tutorial's way.
    #[must_use]
    pub const fn reads_texture(self) -> bool {
        matches!(
            self,
            Self::Single | Self::Race | Self::Atomics | Self::Sum | Self::Pairwise | Self::Shared | Self::Subgroup
        )
    }

    /// Whether it keeps the bins of every chunk until they are summed, which takes memory.
    #[must_use]
    pub const fn keeps_chunks(self) -> bool {
        matches!(self, Self::Sum | Self::Pairwise)
    }

    /// Whether it counts in workgroup memory that holds the bins of a chunk.
    #[must_use]
    pub const fn has_chunks(self) -> bool {
        matches!(self, Self::Sum | Self::Pairwise | Self::Shared)
    }

    /// Whether what it counts may be wrong.
    #[must_use]
    pub const fn races(self) -> bool {
        matches!(self, Self::Race)
    }

    /// The chunk, or workgroup, that it has where none is asked for.
    #[must_use]
    pub const fn usual_chunk(self) -> (u32, u32) {
        match self {
            Self::Race | Self::Atomics | Self::Subgroup => (16, 16),
            _ => (256, 1),
        }
    }
}

/// What the lab is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Ways of counting.
    Counting,
    /// Ways of summing up.
    PrefixSum,
    /// Ways of blurring.
    Blur,
}

impl Topic {
    /// All of them, in the order in which one learns them.
    pub const ALL: [Self; 3] = [Self::Counting, Self::PrefixSum, Self::Blur];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counting => "counting",
            Self::PrefixSum => "prefix-sum",
            Self::Blur => "blur",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Counting => "counting",
            Self::PrefixSum => "prefix sum",
            Self::Blur => "blur",
        }
    }
}

/// The channels that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// Name of the functions that sum the chunks of so many channels.
    pub(super) const fn entry_point(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Four => "four",
        }
    }
}
