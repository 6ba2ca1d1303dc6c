//! Which method of the lab counts, and in which shape: what is wanted, and the nearest of it that the adapter can do.

use crate::gpu::Gpu;
use crate::lab::{ChannelSet, Method, Setup, Shape, ShapeError};

/// What is wanted of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabChoice {
    /// The method that counts.
    pub method: Method,
    /// Pixels of a chunk, or of a workgroup of the methods without chunks; without, those that the method has in the tutorial.
    pub chunk: Option<(u32, u32)>,
    /// Bins of a channel.
    pub bins: u32,
}

impl Default for LabChoice {
    /// The first method that is both parallel and wrong, in the tutorial's shape: what a lab is for.
    fn default() -> Self {
        Self { method: Method::Race, chunk: None, bins: Shape::default().bins() }
    }
}

impl LabChoice {
    /// Pixels of a chunk.
    #[must_use]
    pub fn chunk(&self) -> (u32, u32) {
        self.chunk.unwrap_or(self.method.usual_chunk())
    }

    /// The method before or after this one; at the ends, itself.
    #[must_use]
    pub fn stepped(self, forward: bool) -> Self {
        let all = Method::ladder();
        let at = all.iter().position(|&method| method == self.method).unwrap_or(0);
        let to = if forward { (at + 1).min(all.len() - 1) } else { at.saturating_sub(1) };
        Self { method: all[to], ..self }
    }

    /// The nearest of it that `shape` makes, where that can be told of chunk and bins; and in words why it is not itself.
    fn nearest(
        mut self,
        shape: impl Fn((u32, u32), u32) -> Result<Shape, ShapeError>,
    ) -> (Self, Option<Shape>, Option<String>) {
        let mut told: Option<String> = None;
        // Bins and chunk may both be wrong, and what is near for one may be too much for the other.
        for _ in 0..4 {
            let error = match shape(self.chunk(), self.bins) {
                Ok(shape) => return (self, Some(shape), told),
                Err(error) => error,
            };
            match error {
                ShapeError::Bins { nearest, .. } | ShapeError::Memory { nearest, .. } => self.bins = nearest,
                ShapeError::Chunk { nearest, .. } => self.chunk = Some(nearest),
            }
            told = Some(match told {
                None => error.to_string(),
                Some(before) => format!("{before}; {error}"),
            });
        }
        (self, None, told)
    }

    /// What the adapter can do that is nearest to it, with the setup for that, and in words why it is not itself.
    #[must_use]
    pub fn on(self, gpu: &Gpu) -> (Self, Option<Setup>, Option<String>) {
        let (choice, shape, told) = self.nearest(|chunk, bins| Shape::new(gpu, chunk, bins));
        let setup = shape.map(|shape| Setup { method: choice.method, channels: ChannelSet::Four, shape });
        (choice, setup, told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusing(chunk: (u32, u32), bins: u32) -> Result<Shape, ShapeError> {
        if !(3..=4096).contains(&bins) {
            return Err(ShapeError::Bins { bins, nearest: bins.clamp(3, 4096) });
        }
        if chunk.0 * chunk.1 > 256 {
            return Err(ShapeError::Chunk { chunk, most: 256, sides: (256, 256), nearest: (256, 1) });
        }
        Ok(Shape::default())
    }

    #[test]
    fn what_cannot_be_is_answered_with_the_nearest_that_can() {
        let choice = LabChoice { chunk: Some((64, 64)), bins: 2, ..LabChoice::default() };
        let (near, shape, told) = choice.nearest(refusing);
        assert_eq!((near.chunk, near.bins, shape), (Some((256, 1)), 3, Some(Shape::default())));
        let told = told.expect("it is told");
        assert!(told.contains("nearest is 3;") && told.ends_with("nearest is 256x1"), "{told}");
        let (same, _, told) = LabChoice::default().nearest(refusing);
        assert_eq!((same, told), (LabChoice::default(), None));
    }

    #[test]
    fn the_ladder_has_two_ends() {
        let first = LabChoice { method: Method::ladder()[0], ..LabChoice::default() };
        assert_eq!(first.stepped(false), first);
        let mut seen = vec![first.method];
        let mut choice = first;
        while choice.stepped(true) != choice {
            choice = choice.stepped(true);
            seen.push(choice.method);
        }
        assert_eq!(seen, Method::ladder());
        assert_eq!(choice.stepped(false).stepped(true), choice);
    }
}
