//! What the loaded picture and another one differ by, as a picture to be drawn in their place.

use super::adjusting::Making;
use crate::gpu::adjust::{DifferencePass, Operand};
use crate::gpu::timing::compute_pass;
use crate::gpu::upload::PictureBuffers;
use histoscope_core::adjust::Codes;
use histoscope_core::adjust::difference::{Extent, Gain, Mapping, difference};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, Picture};

/// What finds it, and what was found last.
#[derive(Debug, Default)]
pub struct Differing {
    pass: Option<DifferencePass>,
    /// What the CPU found, for the adapter.
    pictures: PictureBuffers,
    made: Option<MadeDifference>,
}

#[derive(Debug)]
struct MadeDifference {
    of: Pairing,
    place: DifferencePlace,
}

/// Where it is.
#[derive(Debug)]
enum DifferencePlace {
    /// On the adapter, which found it.
    There,
    /// Here, and on the adapter too.
    Uploaded(Picture),
    /// Here alone.
    Here(Picture),
}

/// Which pictures it is of: the numbers of both, of what is done to them, and the gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// The loaded picture's number, and that of the other one.
    pub loadings: [u64; 2],
    /// What changes with the adjustments of both.
    pub revision: u64,
    /// How many times larger differences are shown.
    pub gain: Gain,
}

/// One of the two.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The picture, where the CPU has it as it is shown.
    pub picture: Option<&'a Picture>,
    /// The same for the adapter.
    pub bound: Option<(&'a wgpu::BindGroup, PixelLayout)>,
    /// Columns and rows.
    pub size: (u32, u32),
    /// How it is turned to be seen.
    pub orientation: Orientation,
}

impl Side<'_> {
    fn extent(&self) -> Extent {
        Extent { size: self.size, orientation: self.orientation }
    }
}

impl Differing {
    /// Whether what these differ by is there.
    pub fn has(&self, of: &Pairing) -> bool {
        self.made.as_ref().is_some_and(|made| made.of == *of)
    }

    /// Finds what both differ by, unless it is there: the adapter, where it has both, or else the CPU.
    pub fn make(&mut self, making: &mut Making<'_>, of: Pairing, sides: [Side<'_>; 2]) {
        if self.has(&of) {
            return;
        }
        let place = match self.on_adapter(making, of.gain, &sides) {
            true => Some(DifferencePlace::There),
            false => self.here(making, of.gain, &sides),
        };
        self.made = place.map(|place| MadeDifference { of, place });
    }

    fn on_adapter(&mut self, making: &mut Making<'_>, gain: Gain, sides: &[Side<'_>; 2]) -> bool {
        let [Some(first), Some(second)] = sides.map(|side| side.bound) else { return false };
        let pass = self.pass.get_or_insert_with(|| DifferencePass::new(making.gpu));
        let operands = [(first, sides[0]), (second, sides[1])]
            .map(|((_, layout), side)| Operand { layout, extent: side.extent() });
        if let Err(reason) = pass.prepare(making.gpu, operands, gain) {
            log::debug!("{reason}; the CPU finds the difference");
            return false;
        }
        making.recorded.push("difference");
        compute_pass(making.encoder, "difference", None, |compute| pass.dispatch(compute, [first.0, second.0]));
        true
    }

    fn here(&mut self, making: &mut Making<'_>, gain: Gain, sides: &[Side<'_>; 2]) -> Option<DifferencePlace> {
        let [first, second] = sides.map(|side| side.picture);
        let mapping = Mapping::new(sides[0].extent(), sides[1].extent());
        let found = difference(&Codes::of(first?), &Codes::of(second?), &mapping, gain).picture();
        making.recorded.push("difference on the CPU");
        let picture = match found {
            Ok(picture) => picture,
            Err(error) => {
                log::error!("the difference cannot be shown: {error}");
                return None;
            }
        };
        // Where the adapter has neither, it does not draw.
        if sides.iter().all(|side| side.bound.is_none()) {
            return Some(DifferencePlace::Here(picture));
        }
        match self.pictures.upload(making.gpu, &picture) {
            Ok(()) => Some(DifferencePlace::Uploaded(picture)),
            Err(reason) => {
                log::debug!("{reason}; the CPU paints the difference");
                Some(DifferencePlace::Here(picture))
            }
        }
    }

    /// What the adapter draws it from; `None` where it does not have it.
    pub fn bound(&self) -> Option<(&wgpu::BindGroup, PixelLayout)> {
        match &self.made.as_ref()?.place {
            DifferencePlace::There => {
                let result = self.pass.as_ref()?.result()?;
                Some((&result.bind_group, result.layout()))
            }
            DifferencePlace::Uploaded(picture) => Some((self.pictures.bind_group()?, *picture.layout())),
            DifferencePlace::Here(_) => None,
        }
    }

    /// The picture for the CPU to paint; `None` where only the adapter has it.
    pub fn picture(&self) -> Option<&Picture> {
        match &self.made.as_ref()?.place {
            DifferencePlace::There => None,
            DifferencePlace::Uploaded(picture) | DifferencePlace::Here(picture) => Some(picture),
        }
    }

    /// Gives back the memory of it.
    pub fn release(&mut self) {
        *self = Self::default();
    }
}
