//! Undo and redo of the choices for the picture, kept as one value.

use std::time::Instant;

use super::history::{History, Step};
use crate::app::input::event::Event;
use crate::app::input::gestures::Gestures;
use crate::app::session::Interpretation;
use histoscope_core::adjust::Choices;
use histoscope_core::histogram::Components;
use histoscope_hud::Steps;
use histoscope_keys::look;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::region::Region;
use histoscope_render::view::scene::{Look, Scene};

/// Everything that Ctrl+Z restores. Brushes and the pointer's position are not included.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The look of the picture.
    pub look: Look,
    /// The components that are counted.
    pub components: Components,
    /// The region of the picture that is counted.
    pub region: Region,
    /// How the user interprets the video.
    pub interpretation: Interpretation,
    /// The parameters of all adjustments, including those that are off.
    pub parameters: Choices,
}

impl Chosen {
    /// Restores the look of a scene. Brushes stay unless the channels change.
    pub fn restore(&self, scene: &mut Scene) {
        if self.look.channels != scene.look.channels {
            scene.brushes = Brushes::default();
        }
        (scene.look, scene.marks) = (self.look, None);
    }

    /// Describes the change from these choices to `after`.
    #[must_use]
    pub fn change(&self, after: &Self) -> String {
        let mut parts = look::changes(&self.look, &after.look, after.components);
        let mut add = |differs: bool, text: String| {
            if differs {
                parts.push(text);
            }
        };
        let counting = match after.components {
            Components::Rgbl => "counting red, green, blue and luminance",
            Components::YCbCr => "counting Y', Cb and Cr",
        };
        add(after.components != self.components, counting.to_owned());
        let region = match (self.region.shown(), after.region.shown()) {
            (_, None) => "region cleared",
            (None, Some(_)) => "region drawn",
            (Some(_), Some(_)) => "region changed",
        };
        add(after.region != self.region, region.to_owned());
        let [old, new] = [self, after].map(|chosen| chosen.interpretation);
        let matrix =
            new.matrix.map_or_else(|| "the video's own matrix".to_owned(), |matrix| format!("matrix {matrix}"));
        add(new.matrix != old.matrix, matrix);
        let range = new.range.map_or_else(|| "the video's own range".to_owned(), |range| format!("range {range}"));
        add(new.range != old.range, range);
        let transfer = new
            .transfer
            .map_or_else(|| "the video's own transfer".to_owned(), |transfer| format!("transfer {}", transfer.title()));
        add(new.transfer != old.transfer, transfer);
        let lines = new.chroma_lines.map_or_else(
            || "4:2:0 chroma as the frames are flagged".to_owned(),
            |lines| format!("4:2:0 chroma by {lines}"),
        );
        add(new.chroma_lines != old.chroma_lines, lines);
        let field = new.field.map_or_else(|| "both fields".to_owned(), |field| format!("{field} field only"));
        add(new.field != old.field, field);
        let has_same_steps = after.look.adjustments == self.look.adjustments;
        add(has_same_steps && after.parameters != self.parameters, "parameters of adjustments".to_owned());
        match parts.len() {
            0 => "the last change".to_owned(),
            1..=3 => parts.join(", "),
            more => format!("{} and {} more", parts[..2].join(", "), more - 2),
        }
    }
}

/// The history of choices, with one step per gesture.
#[derive(Debug)]
pub struct Undo {
    history: History<Chosen>,
    gestures: Gestures,
}

impl Undo {
    /// Creates a history without steps.
    #[must_use]
    pub fn new(chosen: Chosen) -> Self {
        Self { history: History::new(chosen), gestures: Gestures::default() }
    }

    /// Takes an event before it is handled. Changes since the last event were not made by the user.
    pub fn begin(&mut self, event: &Event, pixels_per_point: f64, now: Instant, chosen: Chosen) {
        self.gestures.on_event(event, pixels_per_point, now);
        self.history.adopt(chosen);
    }

    /// Takes the choices after an event was handled, and records a step if they have changed.
    pub fn end(&mut self, chosen: Chosen) {
        self.history.follow(chosen, self.gestures.number());
    }

    /// Goes one step back, or forward again. Returns the choices to restore and the note to show.
    ///
    /// # Errors
    /// The note to show if there is no such step.
    pub fn step(&mut self, forward: bool) -> Result<(Chosen, String), &'static str> {
        if forward {
            let Step { before, after } = self.history.redo().ok_or("nothing to redo")?;
            let text = format!("redone: {}", before.change(&after));
            Ok((after, text))
        } else {
            let Step { before, after } = self.history.undo().ok_or("nothing to undo")?;
            let text = format!("undone: {}", before.change(&after));
            Ok((before, text))
        }
    }

    /// Takes choices that the user did not make, such as those of an undone step, without recording a step.
    pub fn adopt(&mut self, chosen: Chosen) {
        self.history.adopt(chosen);
    }

    /// Forgets all steps: choices for one video are not restored on another.
    pub fn clear(&mut self) {
        self.history.clear();
    }

    /// Returns whether there are steps to undo and to redo.
    #[must_use]
    pub fn steps(&self) -> Steps {
        Steps { back: self.history.can_undo(), forward: self.history.can_redo() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::color::{Matrix, Range};
    use histoscope_render::view::overlay::Channels;
    use histoscope_render::view::scene::Brush;

    fn of(look: Look) -> Chosen {
        let (region, interpretation) = (Region::default(), Interpretation::default());
        Chosen { look, components: Components::Rgbl, region, interpretation, parameters: Choices::default() }
    }

    #[test]
    fn every_choice_is_described_and_long_lists_are_shortened() {
        let own = of(Look::default());
        let matrix = Some(Matrix::Bt601);
        let interpretation = Interpretation { matrix, range: Some(Range::Full), ..Interpretation::default() };
        let read = Chosen { interpretation, ..own.clone() };
        assert_eq!(own.change(&read), "matrix bt601, range full");
        assert_eq!(read.change(&own), "the video's own matrix, the video's own range");
        let none = of(Look { channels: Channels::NONE, ..Look::default() });
        assert_eq!(own.change(&none), "red off, green off and 2 more");
        assert_eq!(own.change(&of(Look { curves: true, ..Look::default() })), "cumulative curves on");
    }

    #[test]
    fn brushes_stay_unless_the_channels_change() {
        let brushes = Brushes::of_histogram(Brush { channels: Channels::one(1), low: 3, high: 9 });
        let mut scene = Scene { brushes, brush_strength: 0.5, marks: Some([1, 2, 3, 4]), ..Scene::default() };
        of(Look { curves: true, ..Look::default() }).restore(&mut scene);
        assert_eq!((scene.brushes, scene.look.curves, scene.marks), (brushes, true, None));
        of(Look { channels: Channels::one(0), ..Look::default() }).restore(&mut scene);
        assert_eq!(scene.brushes, Brushes::default());
    }

    #[test]
    fn a_step_names_the_change_that_it_restores() {
        let look = |curves| of(Look { curves, ..Look::default() });
        let mut undo = Undo::new(look(false));
        assert_eq!(undo.step(false), Err("nothing to undo"));
        undo.end(look(true));
        assert_eq!(undo.step(false), Ok((look(false), "undone: cumulative curves on".to_owned())));
        assert_eq!(undo.steps(), Steps { back: false, forward: true });
        assert_eq!(undo.step(true), Ok((look(true), "redone: cumulative curves on".to_owned())));
        undo.clear();
        assert_eq!(undo.step(true), Err("nothing to redo"));
    }
}
