//! What of the picture that stands is marked: looked for once for each picture and each choice of what is marked.

use crate::cpu;
use crate::histogram::Components;
use crate::picture::Frame;
use crate::picture::color::Colorimetry;
use crate::picture::region::Rect;
use crate::view::exposure::{Exposure, MarkLimits};
use crate::view::marked::Marked;

/// Of what it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Subject {
    serial: u64,
    pts_ticks: i64,
    colorimetry: Colorimetry,
    limits: MarkLimits,
    components: Components,
    region: Option<Rect>,
}

/// What is marked of the picture on screen, where that stands.
#[derive(Debug, Default)]
pub struct MarkedPixels(Option<(Subject, Marked)>);

impl MarkedPixels {
    /// Follows the picture that stands, as it is read, and what is chosen; `None` where none stands, or where what is seen is not the
    /// picture itself.
    pub fn follow(
        &mut self,
        frame: Option<&Frame>,
        exposure: &Exposure,
        (components, region): (Components, Option<Rect>),
    ) {
        let Some(Frame { picture, serial, pts_ticks, .. }) = frame.filter(|_| exposure.marks) else {
            self.0 = None;
            return;
        };
        let colorimetry = *picture.colorimetry();
        let limits = exposure.limits;
        let subject = Subject { serial: *serial, pts_ticks: *pts_ticks, colorimetry, limits, components, region };
        if self.0.as_ref().is_some_and(|(known, _)| *known == subject) {
            return;
        }
        let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
        let inspection = exposure.of(picture.layout(), &colorimetry, components);
        self.0 = inspection.map(|inspection| {
            let marked = cpu::find_marked(picture, &inspection, region.unwrap_or(all));
            log::trace!("marked: {} of {} pixels, first {:?}", marked.pixels, marked.looked_at, marked.places.first());
            (subject, marked)
        });
    }

    /// What is marked.
    #[must_use]
    pub fn found(&self) -> Option<&Marked> {
        self.0.as_ref().map(|(_, marked)| marked)
    }

    /// Forgets it: another video has come, whose frames may have the same times.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}
