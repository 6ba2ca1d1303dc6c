//! What is chosen for the picture beside its look: the region, what is counted, and all of it brought back.

use std::time::Instant;

use super::Workspace;
use crate::app::chosen::Chosen;
use crate::app::config::Settings;
use crate::app::hud::Note;
use crate::app::look;
use crate::app::marked::{MarkedPicture, Which};
use crate::app::options::AppError;
use crate::app::regions;
use histoscope_core::adjust::{working_colorimetry, working_layout};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::Tint;
use histoscope_render::view::region::Region;

impl Workspace {
    /// Writes the choices that last.
    pub fn keep_settings(&mut self) {
        self.fits.keep(self.scene.look.view.fit);
        let settings = Settings {
            look: self.scene.look,
            fits: self.fits.choices().clone(),
            pinned: self.hud.is_pinned(),
            strip: self.strip.size,
            readout: self.hud.readout,
            adjustments: self.adjuster.choices,
        };
        self.settings.keep(&settings);
    }

    /// Counts a rectangle of the picture on screen alone, which is drawn just now.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn draw_region(&mut self, rect: Rect) -> Result<(), AppError> {
        let session = self.session.as_ref();
        let frame = session.and_then(|session| Some(session.read(session.frame.as_ref()?)));
        let Some(frame) = frame else { return Ok(()) };
        let size = (frame.picture.width(), frame.picture.height());
        log::trace!("{}", regions::words(rect));
        self.choose_region(Region::part(rect, size))
    }

    /// Counts another part of the picture from now on.
    pub(super) fn choose_region(&mut self, region: Region) -> Result<(), AppError> {
        let is_other = self.bins.region.counted() != region.counted();
        self.bins.region = region;
        self.redraw();
        if is_other { self.reload() } else { Ok(()) }
    }

    /// Drops a region that is proposed, else what is brushed, else the region; whether there was any of that.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn clear_selection(&mut self, now: Instant) -> Result<bool, AppError> {
        if self.bins.region.taken().is_none() && std::mem::take(&mut self.scene.brushes).any() {
            self.note(Note::done("selection cleared"), now);
            return Ok(true);
        }
        let Some((left, text)) = regions::drop_last(self.bins.region) else { return Ok(false) };
        self.choose_region(left)?;
        self.note(Note::done(text), now);
        Ok(true)
    }

    /// Takes zebra, marks and false colour off the picture; returns whether there were any.
    pub fn clear_exposure(&mut self, now: Instant) -> bool {
        let before = self.scene.look;
        let exposure = &mut self.scene.look.exposure;
        (exposure.zebra, exposure.marks, exposure.false_color.shown) = (false, false, false);
        let changed = look::changes(&before, &self.scene.look, self.bins.components);
        if changed.is_empty() {
            return false;
        }
        self.settings.changed(now);
        self.note(Note::done(changed.join(", ")), now);
        true
    }

    /// The false colours that are shown, on the codes of the picture on screen: of the adjusted one, where there is one.
    pub fn tint(&self) -> Option<Tint> {
        let session = self.session.as_ref()?;
        let picture = session.read(session.frame.as_ref()?).picture;
        let exposure = &self.scene.look.exposure;
        if self.scene.look.adjustments.is_off() {
            return exposure.tint(picture.layout(), picture.colorimetry());
        }
        exposure.tint(&working_layout(picture.layout().bin_bits()), &working_colorimetry())
    }

    /// Has what is marked of the picture that stands be looked for; whether more of that is known than before.
    pub fn follow_marked(&mut self) -> bool {
        let session = self.session.as_ref().filter(|_| self.scene.look.exposure.marks && self.stands());
        let frame = session.and_then(|session| Some(session.read(session.frame.as_ref()?)));
        let adjustments = self.scene.look.adjustments;
        let shown = match (&frame, self.graphics.renderer.result(&adjustments)) {
            (None, _) => MarkedPicture::Nothing,
            (Some(frame), _) if adjustments.is_off() => {
                let reading = frame.reading();
                let Frame { video, serial, .. } = *frame;
                let pts_ticks = frame.pts_ticks;
                MarkedPicture::Here(&frame.picture, Which::Source { video, serial, pts_ticks, reading })
            }
            (_, Some((loading, Some(picture)))) => MarkedPicture::Here(picture, Which::Result { loading, adjustments }),
            (_, Some((_, None))) => MarkedPicture::OnAdapter,
            // It is made with the next drawing.
            (_, None) => MarkedPicture::Nothing,
        };
        self.marked.follow(shown, &self.scene.look.exposure, (self.bins.components, self.bins.region.counted()))
    }

    /// What is chosen now, to come back to.
    #[must_use]
    pub fn chosen(&self) -> Chosen {
        let interpretation = self.session.as_ref().map(|session| session.interpretation).unwrap_or_default();
        Chosen {
            look: self.scene.look,
            components: self.bins.components,
            region: self.bins.region,
            interpretation,
            parameters: self.adjuster.choices,
        }
    }

    /// Brings back what was chosen.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn choose(&mut self, chosen: &Chosen, now: Instant) -> Result<(), AppError> {
        let counts_others = self.bins.components != chosen.components;
        let mut is_counted_anew = counts_others || self.bins.region.counted() != chosen.region.counted();
        if let Some(session) = &mut self.session {
            is_counted_anew |= session.interpretation != chosen.interpretation;
            session.interpretation = chosen.interpretation;
        }
        chosen.restore(&mut self.scene);
        if counts_others {
            self.scene.brushes = Brushes::default();
        }
        self.bins.components = chosen.components;
        self.bins.region = chosen.region;
        self.adjuster.choices = chosen.parameters;
        self.settings.changed(now);
        self.redraw();
        if is_counted_anew { self.reload() } else { Ok(()) }
    }

    /// Why red, green and blue of the frame on screen cannot be counted.
    fn no_rgb(&self) -> String {
        let frame = self.session.as_ref().and_then(|session| Some(session.read(session.frame.as_ref()?)));
        let matrix = frame.and_then(|frame| frame.picture.unreadable_matrix());
        let reason = matrix.map_or_else(|| "the matrix cannot be read".to_owned(), |matrix| matrix.to_string());
        format!("no R'G'B' here: {reason} (m chooses another)")
    }

    pub(super) fn toggle_components(&mut self, now: Instant) -> Result<(), AppError> {
        let wanted = match self.bins.components {
            Components::Rgbl => Components::YCbCr,
            Components::YCbCr => Components::Rgbl,
        };
        self.bins.components = wanted;
        self.scene.brushes = Brushes::default();
        self.scene.marks = None;
        self.reload()?;
        let text = match (wanted, self.bins.components) {
            (Components::YCbCr, Components::Rgbl) => "this is R'G'B': it has no Y'CbCr codes to count".to_owned(),
            (Components::Rgbl, Components::YCbCr) => self.no_rgb(),
            (_, Components::YCbCr) => "counting Y', Cb and Cr as coded".to_owned(),
            (_, Components::Rgbl) => "counting red, green, blue and luminance".to_owned(),
        };
        self.note(Note::done(text), now);
        Ok(())
    }
}
