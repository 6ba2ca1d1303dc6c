//! The methods of the ladder.

use serde::Serialize;

use histoscope_render::gpu::shaders::{self, Shader};

/// A method of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A plain loop over the pixels, on one thread of the CPU.
    Scalar,
    /// A single invocation on the GPU.
    Single,
    /// One invocation per pixel, with a data race.
    Race,
    /// One invocation per pixel, with atomic additions to one set of bins.
    Atomics,
    /// Chunks, summed by one invocation per bin.
    Sum,
    /// Chunks, summed pair by pair: the tutorial's last method.
    Pairwise,
    /// Chunks counted in workgroup memory, each added to the bins by atomic additions.
    Shared,
    /// One invocation per pixel. A subgroup adds equal bins only once.
    Subgroup,
    /// Our own passes on the GPU.
    OursGpu,
    /// Our own engine on the CPU.
    OursCpu,
    /// Reads the planes and does nothing else.
    Floor,
}

impl Method {
    /// Every method in the order of the table, then the floor.
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

    /// Returns the methods that count. The window steps through them.
    #[must_use]
    pub fn ladder() -> &'static [Self] {
        Self::ALL.split_last().map_or(&[], |(_floor, ladder)| ladder)
    }

    /// Returns the name that selects the method, also used in JSON.
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

    /// Returns the name shown in tables and lists.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Scalar => "plain loop on the CPU, one thread",
            Self::Single => "a single invocation",
            Self::Race => "one invocation per pixel, data race",
            Self::Atomics => "one invocation per pixel, atomics",
            Self::Sum => "chunks, summed",
            Self::Pairwise => "chunks, reduced pair by pair",
            Self::Shared => "chunks, workgroup-memory atomics",
            Self::Subgroup => "subgroups, equal bins added once",
            Self::OursGpu => "ours on the GPU",
            Self::OursCpu => "ours on the CPU",
            Self::Floor => "reading only (the floor)",
        }
    }

    /// Returns a sentence on how the method works and what it costs.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Scalar => {
                "A loop on the CPU goes over the pixels and adds one to each pixel's bin: correct, but slow."
            }
            Self::Single => {
                "The same loop in a single invocation on the GPU: correct, but even slower, since thousands of others stand idle."
            }
            Self::Race => {
                "One invocation per pixel, all at once: if two load the same count, both store it plus one, and one pixel is lost."
            }
            Self::Atomics => {
                "Atomic additions cannot be interrupted, so none is lost. But pixels of the same bin wait for each other."
            }
            Self::Sum => {
                "Each workgroup counts a chunk of pixels in its own fast memory. A second pass sums the chunks, one invocation per \
                 bin."
            }
            Self::Pairwise => {
                "The chunks are summed in pairs, then in pairs of pairs. The GPU works on all pairs at once, in one pass for each \
                 halving."
            }
            Self::Shared => {
                "Each workgroup counts a chunk in its own fast memory and adds it to the bins with atomics, so no chunks are left to sum."
            }
            Self::Subgroup => {
                "The invocations of a subgroup find out which of them have the same bin. One of them then adds for all of these."
            }
            Self::OursGpu => {
                "A few large workgroups go over the native planes and count in workgroup memory, so few chunks are left to sum."
            }
            Self::OursCpu => "Every core counts a band of rows with vector instructions, into its own bins.",
            Self::Floor => "Every word of the planes is read, and nothing else is done. No method can be faster.",
        }
    }

    /// Returns `true` if the method reads an 8-bit RGBA image on the GPU, as the tutorial does.
    #[must_use]
    pub const fn reads_texture(self) -> bool {
        matches!(
            self,
            Self::Single | Self::Race | Self::Atomics | Self::Sum | Self::Pairwise | Self::Shared | Self::Subgroup
        )
    }

    /// Returns `true` if the method keeps the bins of every chunk in memory until they are summed.
    #[must_use]
    pub const fn keeps_chunks(self) -> bool {
        matches!(self, Self::Sum | Self::Pairwise)
    }

    /// Returns `true` if the method counts in workgroup memory that holds the bins of a chunk.
    #[must_use]
    pub const fn has_chunks(self) -> bool {
        matches!(self, Self::Sum | Self::Pairwise | Self::Shared)
    }

    /// Returns `true` if the method's counts may be wrong.
    #[must_use]
    pub const fn races(self) -> bool {
        matches!(self, Self::Race)
    }

    /// Returns the shader that counts, if the method reads an image on the GPU.
    #[must_use]
    pub const fn shader(self) -> Option<&'static Shader> {
        Some(match self {
            Self::Single => &shaders::SINGLE,
            Self::Race => &shaders::RACE,
            Self::Atomics => &shaders::ATOMICS,
            Self::Sum | Self::Pairwise => &shaders::CHUNKS,
            Self::Shared => &shaders::SHARED,
            Self::Subgroup => &shaders::SUBGROUP,
            Self::Scalar | Self::OursGpu | Self::OursCpu | Self::Floor => return None,
        })
    }

    /// Returns the default size of a chunk or workgroup.
    #[must_use]
    pub const fn usual_chunk(self) -> (u32, u32) {
        match self {
            Self::Race | Self::Atomics | Self::Subgroup => (16, 16),
            _ => (256, 1),
        }
    }
}

/// A topic of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// A histogram by hand, ids and barriers.
    Basics,
    /// Methods of counting.
    Counting,
    /// Methods of prefix sums.
    PrefixSum,
    /// Methods of blurring.
    Blur,
    /// Methods of drawing bars.
    Drawing,
}

impl Topic {
    /// All topics, in the order of their tabs.
    pub const ALL: [Self; 5] = [Self::Basics, Self::Counting, Self::PrefixSum, Self::Blur, Self::Drawing];

    /// Returns the name that selects the topic.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basics => "basics",
            Self::Counting => "counting",
            Self::PrefixSum => "prefix-sum",
            Self::Blur => "blur",
            Self::Drawing => "drawing",
        }
    }

    /// Returns the name shown to users.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Basics => "basics",
            Self::Counting => "counting",
            Self::PrefixSum => "prefix sum",
            Self::Blur => "blur",
            Self::Drawing => "drawing",
        }
    }
}

/// The channels to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelSet {
    /// Luminance only.
    One,
    /// Red, green, blue and luminance.
    Four,
}

impl ChannelSet {
    /// Returns the number of channels.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }

    /// Returns the indices among red, green, blue and luminance.
    #[must_use]
    pub const fn channels(self) -> std::ops::Range<usize> {
        match self {
            Self::One => 3..4,
            Self::Four => 0..4,
        }
    }

    /// Returns the name of the shader functions that sum the chunks of these channels.
    pub(super) const fn entry_point(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Four => "four",
        }
    }
}
