//! Two pictures on a view: the other one is made ready, and what both differ by.

use super::adjusting::Making;
use super::beside::SecondPicture;
use super::content::LoadedContent;
use super::difference::{self, Pairing};
use super::loaded::Rasterizer;
use crate::view::scene::{Other, Pair, Scene, Seam, Sharing};

impl LoadedContent {
    /// Makes what is shown with the loaded picture ready to be drawn.
    pub fn record_pair(&mut self, making: &mut Making<'_>, pair: Option<Pair>) {
        if let (Some(Pair { other: Other::Held | Other::Second, .. }), Some(beside), Some(loaded)) =
            (pair, &mut self.beside, &self.loaded)
        {
            beside.record(making, loaded.rasterizer, (self.choice.adjustments, &self.histogram));
        }
        match pair.filter(|pair| pair.sharing == Sharing::Difference && self.has(pair.other)) {
            None => self.differing.release(),
            Some(pair) => {
                let mut differing = std::mem::take(&mut self.differing);
                if let Some((of, sides)) = self.pairing(pair).zip(self.sides(pair.other)) {
                    differing.make(making, of, sides);
                }
                self.differing = differing;
            }
        }
    }

    /// What the difference of that pair is of.
    fn pairing(&self, pair: Pair) -> Option<Pairing> {
        let beside = match pair.other {
            Other::Source => 0,
            Other::Held | Other::Second => self.beside.as_ref()?.loading,
        };
        let loadings = [self.loaded.as_ref()?.loading, beside];
        Some(Pairing { loadings, revision: self.revision, gain: pair.gain })
    }

    /// The loaded picture as it is shown, and the other one.
    fn sides(&self, other: Other) -> Option<[difference::Side<'_>; 2]> {
        let loaded = self.loaded.as_ref()?;
        let is_drawn = loaded.rasterizer == Rasterizer::Gpu;
        let source = difference::Side {
            picture: Some(&loaded.picture),
            bound: self.pictures.bind_group().map(|group| (group, *loaded.picture.layout())).filter(|_| is_drawn),
            size: (loaded.picture.width(), loaded.picture.height()),
            orientation: loaded.shape.orientation,
        };
        let live = if self.has_result() {
            let bound = self.adjusting.bound().filter(|_| is_drawn);
            difference::Side { picture: self.adjusting.picture(), bound, ..source }
        } else {
            source
        };
        let other = match other {
            Other::Source => source,
            Other::Held | Other::Second => {
                let (beside, adjustments) = (self.beside.as_ref()?, &self.choice.adjustments);
                let picture = &beside.frame.picture;
                difference::Side {
                    picture: beside.here(adjustments),
                    bound: beside.bound(adjustments).filter(|_| is_drawn),
                    size: (picture.width(), picture.height()),
                    orientation: beside.frame.orientation,
                }
            }
        };
        Some([live, other])
    }

    /// How two pictures are shown; nothing where one picture takes all of the view.
    pub fn paired(&self, scene: &Scene) -> Option<Pair> {
        let pair = scene.paired().filter(|pair| self.has(pair.other))?;
        let is_there =
            pair.sharing != Sharing::Difference || self.pairing(pair).is_some_and(|of| self.differing.has(&of));
        is_there.then_some(pair)
    }

    /// Where two pictures meet on a view, if they do.
    pub fn seam(&self, scene: &Scene, size: (u32, u32)) -> Option<Seam> {
        self.paired(scene).and_then(|_| scene.seam(size))
    }

    /// Whether that picture is there to be drawn with the loaded one.
    fn has(&self, other: Other) -> bool {
        match other {
            Other::Source => self.has_result(),
            Other::Held | Other::Second => self.beside.as_ref().is_some_and(|beside| self.draws(beside)),
        }
    }

    /// Whether whoever draws the loaded picture can draw this one.
    fn draws(&self, beside: &SecondPicture) -> bool {
        let rasterizer = self.loaded.as_ref().map(|loaded| loaded.rasterizer);
        rasterizer == Some(Rasterizer::Cpu) || beside.bound(&self.choice.adjustments).is_some()
    }
}
