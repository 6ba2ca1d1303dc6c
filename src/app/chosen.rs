//! What is chosen for the picture, as one value that can be taken back: view, channels, adjustments and all that belongs to
//! them.

use super::session::Interpretation;
use histoscope_core::adjust::{Adjustments, Choices};
use histoscope_core::histogram::Components;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::{Exposure, FalseColor};
use histoscope_render::view::region::Region;
use histoscope_render::view::scene::{Other, Pair, Scene, Sharing};
use histoscope_render::view::scopes::{ScopeKind, ScopeStyle};

/// All that Ctrl+Z brings back. What is selected in a histogram and what the pointer is at are not chosen in this sense.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    scene: Scene,
    /// What is counted.
    pub components: Components,
    /// What of the picture is counted.
    pub region: Region,
    /// How the video's colour is read.
    pub interpretation: Interpretation,
    /// The adjustments' parameters, also of those that are off.
    pub parameters: Choices,
}

impl Chosen {
    /// What is chosen in a scene and beside it.
    #[must_use]
    pub fn of(
        scene: &Scene,
        (components, region): (Components, Region),
        interpretation: Interpretation,
        parameters: Choices,
    ) -> Self {
        let scene = Scene { brushes: Brushes::default(), brush_strength: 1.0, marks: None, ..*scene };
        let scene = Scene { pair: Pair { other: Other::default(), ..scene.pair }, ..scene };
        Self { scene, components, region, interpretation, parameters }
    }

    /// The scene with this chosen in it; what is selected there stays.
    #[must_use]
    pub fn on(&self, scene: &Scene) -> Scene {
        let brushes = if self.scene.channels == scene.channels { scene.brushes } else { Brushes::default() };
        let pair = Pair { other: scene.pair.other, ..self.scene.pair };
        Scene { brushes, brush_strength: scene.brush_strength, marks: None, pair, ..self.scene }
    }

    /// What was done between this and what is chosen `after` it, in words.
    #[must_use]
    pub fn told(&self, after: &Self) -> String {
        let (old, new) = (&self.scene, &after.scene);
        let mut parts = Vec::new();
        let mut tell = |differs: bool, text: String| {
            if differs {
                parts.push(text);
            }
        };
        for (channel, name) in after.components.channel_names().iter().enumerate() {
            let is_on = new.channels.contains(channel);
            tell(is_on != old.channels.contains(channel), format!("{name} {}", on_or_off(is_on)));
        }
        tell(new.overlays != old.overlays, format!("histograms {}", on_or_off(new.overlays)));
        let counting = match after.components {
            Components::Rgbl => "counting red, green, blue and luminance",
            Components::YCbCr => "counting Y', Cb and Cr",
        };
        tell(after.components != self.components, counting.to_owned());
        let region = match (self.region.shown(), after.region.shown()) {
            (_, None) => "region cleared",
            (None, Some(_)) => "region drawn",
            (Some(_), Some(_)) => "region changed",
        };
        tell(after.region != self.region, region.to_owned());
        let [read, now] = [self, after].map(|chosen| chosen.interpretation);
        let matrix =
            now.matrix.map_or_else(|| "the video's own matrix".to_owned(), |matrix| format!("matrix {matrix}"));
        tell(now.matrix != read.matrix, matrix);
        let range = now.range.map_or_else(|| "the video's own range".to_owned(), |range| format!("range {range}"));
        tell(now.range != read.range, range);
        let lines = now.chroma_lines.map_or_else(
            || "4:2:0 chroma as the frames are flagged".to_owned(),
            |lines| format!("4:2:0 chroma by {lines}"),
        );
        tell(now.chroma_lines != read.chroma_lines, lines);
        let field = now.field.map_or_else(|| "both fields".to_owned(), |field| format!("{field} field alone"));
        tell(now.field != read.field, field);
        let tints = (old.exposure.false_color, new.exposure.false_color);
        let others = [old, new].map(|scene| Exposure { false_color: FalseColor::default(), ..scene.exposure });
        tell(others[0] != others[1], "zebras and marks".to_owned());
        tell(tints.0.shown != tints.1.shown, format!("false colour {}", on_or_off(tints.1.shown)));
        tell(tints.0.shown == tints.1.shown && tints.0 != tints.1, "table of false colour".to_owned());
        tell(new.datascope != old.datascope, format!("codes in pixels: {}", new.datascope.name()));
        tell(new.style != old.style, "look of the histograms".to_owned());
        for kind in ScopeKind::ALL.into_iter().skip(1) {
            let [was, is] = [old, new].map(|scene| scene.scopes.shows(kind, scene.overlays));
            tell(was != is, format!("{} {}", kind.name(), on_or_off(is)));
        }
        let bare = |scopes: ScopeStyle| ScopeStyle {
            waveform: false,
            parade: false,
            vectorscope: false,
            hidden: None,
            ..scopes
        };
        tell(bare(new.scopes) != bare(old.scopes), "look of the scopes".to_owned());
        tell(new.curves != old.curves, format!("cumulative curves {}", on_or_off(new.curves)));
        if new.view.fit == old.view.fit {
            let zooms = (new.view.zoom - old.view.zoom).abs() > 1e-9;
            let text = if zooms { "zoom" } else { "place of the picture" };
            tell(new.view != old.view, text.to_owned());
        } else {
            tell(true, format!("picture: {}", new.view.fit.name()));
        }
        if new.adjustments == old.adjustments {
            tell(after.parameters != self.parameters, "parameters of adjustments".to_owned());
        } else {
            tell(true, told_of_adjustments(&old.adjustments, &new.adjustments));
        }
        tell(new.counted != old.counted, format!("histograms: {}", new.counted.name()));
        tell(new.pair.gain != old.pair.gain, format!("gain {}", new.pair.gain));
        tell(new.pair.sharing != old.pair.sharing, told_of_sharing(old.pair.sharing, new.pair.sharing).to_owned());
        match parts.len() {
            0 => "the last change".to_owned(),
            1..=3 => parts.join(", "),
            more => format!("{} and {} more", parts[..2].join(", "), more - 2),
        }
    }
}

/// The steps that are other than before, whichever of the two has them: what came, or went, or changed.
fn told_of_adjustments(old: &Adjustments, new: &Adjustments) -> String {
    let mut parts = Vec::new();
    let mut tell = |old: Adjustments, new: Adjustments| {
        if old != new {
            parts.push(if new.is_off() { format!("{old} off") } else { new.to_string() });
        }
    };
    let off = Adjustments::default();
    tell(Adjustments { blur: old.blur, ..off }, Adjustments { blur: new.blur, ..off });
    tell(Adjustments { tone: old.tone, ..off }, Adjustments { tone: new.tone, ..off });
    tell(Adjustments { reduction: old.reduction, ..off }, Adjustments { reduction: new.reduction, ..off });
    parts.join(", ")
}

/// What of two pictures was changed; the one that is left where there is but one now.
const fn told_of_sharing(old: Sharing, new: Sharing) -> &'static str {
    match (old, new) {
        (Sharing::Divider(_), Sharing::Alone) | (_, Sharing::Divider(_)) => "divider",
        (Sharing::SideBySide, Sharing::Alone) | (_, Sharing::SideBySide) => "side by side",
        (_, Sharing::Difference | Sharing::Alone) => "difference",
    }
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Blur, Equalize, Tone};
    use histoscope_core::picture::color::{Matrix, Range};
    use histoscope_render::view::datascope::Datascope;
    use histoscope_render::view::exposure::FalseColorTable;
    use histoscope_render::view::overlay::Channels;
    use histoscope_render::view::placement::{Fit, ViewSettings};
    use histoscope_render::view::scene::Brush;

    fn of(scene: &Scene) -> Chosen {
        Chosen::of(scene, (Components::Rgbl, Region::default()), Interpretation::default(), Choices::default())
    }

    /// What is told of a change of the scene at first.
    fn told(change: impl FnOnce(&mut Scene)) -> String {
        let mut scene = Scene::default();
        change(&mut scene);
        of(&Scene::default()).told(&of(&scene))
    }

    #[test]
    fn a_change_is_told_in_the_words_of_its_note() {
        assert_eq!(told(|scene| scene.channels.toggle(0)), "red off");
        assert_eq!(told(|scene| scene.overlays = false), "histograms off");
        assert_eq!(told(|scene| scene.view = ViewSettings::fitted(Fit::Contain)), "picture: contain");
        assert_eq!(told(|scene| scene.view.zoom = 2.0), "zoom");
        assert_eq!(told(|scene| scene.view.centre.x = 0.4), "place of the picture");
        assert_eq!(told(|scene| scene.exposure.false_color.shown = true), "false colour on");
        assert_eq!(told(|scene| scene.exposure.false_color.table = FalseColorTable::Steps), "table of false colour");
        assert_eq!(told(|scene| scene.exposure.zebra = true), "zebras and marks");
        assert_eq!(told(|scene| scene.datascope = Datascope::Off), "codes in pixels: off");
        let blur = Some(Blur { size: 9, runs: 1 });
        assert_eq!(told(|scene| scene.adjustments.blur = blur), "low-pass 9×9");
        let on = Scene { adjustments: Adjustments { blur, ..Adjustments::default() }, ..Scene::default() };
        assert_eq!(of(&on).told(&of(&Scene::default())), "low-pass 9×9 off");
        // What stays as it was is not told.
        let mut both = on;
        both.adjustments.tone = Some(Tone::Equalize(Equalize::default()));
        assert_eq!(of(&on).told(&of(&both)), "equalized");
        assert_eq!(of(&both).told(&of(&on)), "equalized off");
        assert_eq!(of(&both).told(&of(&Scene::default())), "low-pass 9×9 off, equalized off");
        let own = of(&Scene::default());
        let matrix = Some(Matrix::Bt601);
        let interpretation = Interpretation { matrix, range: Some(Range::Full), ..Interpretation::default() };
        let read = Chosen { interpretation, ..own.clone() };
        assert_eq!(own.told(&read), "matrix bt601, range full");
        assert_eq!(read.told(&own), "the video's own matrix, the video's own range");
        let all = told(|scene| (0..4).for_each(|channel| scene.channels.toggle(channel)));
        assert_eq!(all, "red off, green off and 2 more");
    }

    #[test]
    fn what_is_selected_or_pointed_at_is_not_chosen_and_stays() {
        let brushes = Brushes::of_histogram(Brush { channels: Channels::one(1), low: 3, high: 9 });
        let scene = Scene { brushes, brush_strength: 0.5, marks: Some([1, 2, 3, 4]), ..Scene::default() };
        assert_eq!(of(&scene), of(&Scene::default()));
        let back = of(&Scene { curves: true, ..Scene::default() }).on(&scene);
        assert_eq!((back.brushes, back.curves, back.marks), (brushes, true, None));
    }
}
