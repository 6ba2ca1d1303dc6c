//! The choice of vector instructions at run time.
//!
//! The kernels are plain loops over arrays. The compiler vectorizes such loops, with vectors as wide as the enclosing
//! function may use. So the same kernel is compiled several times, each time inlined into a function with more target
//! features enabled, and [`Level::run`] calls the requested one if the machine supports it.

use std::fmt;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::convert::{BLOCK, SharedTerms};
use super::resample::PixelGroup;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::tone_map::ToneTables;

/// A set of vector instructions.
///
/// There is no level for AVX-512: measurements showed a change of a few percent at most, because counting takes longer
/// than converting and cannot use vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The instructions of every machine of the target architecture (SSE2 on x86-64, NEON on most aarch64 targets).
    Plain,
    /// 256-bit integer vectors of x86-64.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 128-bit vectors of aarch64.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Work that [`Level::run`] compiles for every level.
///
/// `run` and everything it calls must be `#[inline(always)]`: a function that is not inlined is compiled without the
/// level's instructions.
pub(super) trait Kernel {
    /// Does the work.
    fn run(self);
}

impl Level {
    /// Every level of this architecture, the least capable first.
    pub const ALL: &'static [Self] = &[
        Self::Plain,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
    ];

    /// Returns the most capable level of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL.iter().rev().copied().find(|level| level.is_available()).unwrap_or(Self::Plain)
    }

    /// Returns `true` if this machine has the instructions.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        }
    }

    /// Returns the name used in the log and the tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
        }
    }

    /// Runs the kernel with this level's instructions, or with the plain ones if the machine lacks them.
    pub(super) fn run(self, kernel: impl Kernel) {
        if !self.is_available() {
            return kernel.run();
        }
        match self {
            Self::Plain => kernel.run(),
            // SAFETY: these functions are only unsafe to call on machines without the instructions that they are
            // compiled for, and `is_available` has just checked for exactly those.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => unsafe { run_neon(kernel) },
        }
    }
}

/// Functions written by hand for a level: for AVX2, in the module `avx2`.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "nothing is written out for others"))]
impl Level {
    /// Returns `true` if this level has hand-written functions and the machine supports them.
    pub(super) fn has_intrinsics(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => self.is_available(),
            _ => false,
        }
    }

    /// Computes the terms that a row of chroma samples, in a multiple of eight, adds to red, green and blue.
    pub(super) fn set_chroma(self, terms: &mut SharedTerms, conversion: &Conversion, second: &[u16], third: &[u16]) {
        match self {
            // SAFETY: as in `run`: the machine was just checked for the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => unsafe { avx2::set_chroma(terms, conversion, second, third) },
            _ => unreachable!("nothing is written out for {self}"),
        }
    }

    /// Converts pixels, in a multiple of [`STEP`](super::convert::STEP), to the indices under which pairs of codes are
    /// counted. Adds the pixels below and above the range of red, green and blue to `out_of_range`.
    pub(super) fn convert(
        self,
        indices: &mut [[u16; BLOCK]; 2],
        (luma, weight): (&[u16], i32),
        terms: &SharedTerms,
        luminance: LuminanceWeights,
        out_of_range: &mut [u32; 6],
    ) {
        match self {
            // SAFETY: as in `run`: the machine was just checked for the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => unsafe {
                avx2::convert(indices, (luma, weight), terms, luminance, out_of_range);
            },
            _ => unreachable!("nothing is written out for {self}"),
        }
    }

    /// Draws pixels, in a multiple of [`GROUP`](super::resample::GROUP), from rows of levels of three components.
    pub(super) fn to_pixels(
        self,
        rgb: &[[f32; 4]; 3],
        rows: [&[i16]; 3],
        groups: [&[PixelGroup]; 3],
        pixels: &mut [u32],
    ) {
        match self {
            // SAFETY: as in `run`: the machine was just checked for the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => unsafe { avx2::to_pixels(rgb, rows, groups, pixels) },
            _ => unreachable!("nothing is written out for {self}"),
        }
    }

    /// Draws pixels like [`to_pixels`](Self::to_pixels), with tones mapped.
    pub(super) fn to_mapped_pixels(
        self,
        mapping: (&[[f32; 4]; 3], &ToneTables),
        rows: [&[i16]; 3],
        groups: [&[PixelGroup]; 3],
        pixels: ([usize; 2], &mut [u32]),
    ) {
        match self {
            // SAFETY: as in `run`: the machine was just checked for the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => unsafe { avx2::to_mapped_pixels(mapping, rows, groups, pixels) },
            _ => unreachable!("nothing is written out for {self}"),
        }
    }

    /// Draws pixels whose tones are mapped from interpolated values, in a multiple of
    /// [`GROUP`](super::resample::GROUP).
    pub(super) fn values_to_mapped_pixels(
        self,
        mapping: (&[[f32; 4]; 3], &ToneTables),
        values: [&[i32]; 3],
        pixels: ([usize; 2], &mut [u32]),
    ) {
        match self {
            // SAFETY: as in `run`: the machine was just checked for the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => unsafe { avx2::values_to_mapped_pixels(mapping, values, pixels) },
            _ => unreachable!("nothing is written out for {self}"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_avx2(kernel: impl Kernel) {
    kernel.run();
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn run_neon(kernel: impl Kernel) {
    kernel.run();
}
