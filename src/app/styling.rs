//! How keys change what is shown: which channels, in which arrangement and how strongly, and how the picture fits.

use super::session::next_of;
use crate::keys::Action;
use histoscope_core::histogram::Components;
use histoscope_render::view::datascope::Datascope;
use histoscope_render::view::exposure::{Exposure, FalseColor};
use histoscope_render::view::overlay::{Arrangement, OverlayStyle};
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::scene::Scene;
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};

/// Step of the histograms' height, as part of the window's.
const HEIGHT_STEP: f32 = 0.05;
/// The most of the window's height that histograms take: the controls need the rest.
const MOST_HEIGHT: f32 = 0.7;
/// Step of the histograms' opacity.
const OPACITY_STEP: f32 = 0.1;

/// Does what a key asks of the scene of a picture of so many bits; what is to be said of it. Nothing where it asks for something else,
/// or for a channel that there is not.
pub fn restyle(scene: &mut Scene, (components, bits): (Components, u32), action: Action) -> Option<String> {
    Some(match action {
        Action::ToggleChannel(channel) => {
            // Y', Cb and Cr are three; the fourth key has nothing to show or hide.
            let name = components.channel_names().get(channel)?;
            scene.channels.toggle(channel);
            format!("{name} {}", on_or_off(scene.channels.contains(channel)))
        }
        Action::ToggleOverlays => {
            scene.overlays = !scene.overlays;
            format!("histograms {}", on_or_off(scene.overlays))
        }
        Action::ToggleWaveform => toggle_scope(scene, ScopeKind::Waveform),
        Action::ToggleParade => toggle_scope(scene, ScopeKind::Parade),
        Action::ToggleVectorscope => toggle_scope(scene, ScopeKind::Vectorscope),
        Action::ToggleScopes => toggle_scopes(scene),
        Action::ToggleWall => {
            let layout = &mut scene.scopes.layout;
            *layout = if *layout == Layout::Strip { Layout::Wall } else { Layout::Strip };
            let is_wall = *layout == Layout::Wall;
            if is_wall { "scopes beside the picture" } else { "scopes over the picture" }.to_owned()
        }
        Action::ToggleCurves => {
            scene.curves = !scene.curves;
            format!("cumulative curves {}", on_or_off(scene.curves))
        }
        Action::NextDatascope => {
            scene.datascope = next_of(&Datascope::ALL, scene.datascope);
            match (scene.datascope, components) {
                (Datascope::Off, _) => "codes in pixels off".to_owned(),
                (way, Components::Rgbl) => {
                    format!("codes in pixels from 16:1 on: {}, red over green over blue", way.name())
                }
                (way, Components::YCbCr) => format!("codes in pixels from 16:1 on: {}, Y' over Cb over Cr", way.name()),
            }
        }
        Action::NextFit => {
            scene.view = ViewSettings::fitted(next_of(&Fit::ALL, scene.view.fit));
            format!("picture: {}", scene.view.fit.name())
        }
        Action::ResetView => {
            scene.view = ViewSettings::default();
            "picture: as at the start".to_owned()
        }
        action => {
            return restyle_histograms(&mut scene.style, action)
                .or_else(|| restyle_exposure(&mut scene.exposure, bits, action));
        }
    })
}

/// The same for how histograms look.
fn restyle_histograms(style: &mut OverlayStyle, action: Action) -> Option<String> {
    let step = |more: bool| if more { 1.0 } else { -1.0 };
    Some(match action {
        Action::NextArrangement => {
            style.arrangement = next_of(&Arrangement::ALL, style.arrangement);
            format!("histograms: {}", style.arrangement.name())
        }
        Action::Enlarge { more } => {
            style.height = stepped(style.height, HEIGHT_STEP * step(more), (0.1, MOST_HEIGHT));
            format!("histograms {:.0} % high", style.height * 100.0)
        }
        Action::Opaque { more } => {
            let least = *OverlayStyle::OPACITIES.start();
            style.opacity = stepped(style.opacity, OPACITY_STEP * step(more), (least, 1.0));
            format!("histograms {:.0} % opaque", style.opacity * 100.0)
        }
        Action::ToggleLogarithmic => {
            style.logarithmic = !style.logarithmic;
            if style.logarithmic { "logarithmic height" } else { "linear height" }.to_owned()
        }
        Action::ToggleBackdrop => {
            style.backdrop = !style.backdrop;
            format!("soft backdrop {}", on_or_off(style.backdrop))
        }
        _ => return None,
    })
}

/// The same for what is marked and tinted of a picture of so many bits.
fn restyle_exposure(exposure: &mut Exposure, bits: u32, action: Action) -> Option<String> {
    Some(match action {
        Action::ToggleZebra => {
            exposure.zebra = !exposure.zebra;
            if exposure.zebra { zebras(exposure) } else { "zebras off".to_owned() }
        }
        Action::StepZebra { more } => {
            // What is adjusted is seen.
            *exposure = Exposure { zebra: true, level: exposure.level.stepped(more, bits), ..*exposure };
            zebras(exposure)
        }
        Action::ToggleMarks => {
            exposure.marks = !exposure.marks;
            if exposure.marks { marked(exposure) } else { "marks off".to_owned() }
        }
        Action::NextMarks => {
            *exposure = Exposure { marks: true, limits: exposure.limits.next(), ..*exposure };
            marked(exposure)
        }
        Action::ToggleFalseColor => {
            let false_color = &mut exposure.false_color;
            false_color.shown = !false_color.shown;
            if false_color.shown { tinted(*false_color) } else { "false colour off".to_owned() }
        }
        Action::NextFalseColor => {
            let false_color = &mut exposure.false_color;
            *false_color = FalseColor { shown: true, table: false_color.table.next(), ..*false_color };
            tinted(*false_color)
        }
        _ => return None,
    })
}

fn toggle_scope(scene: &mut Scene, kind: ScopeKind) -> String {
    // Who chooses scopes one by one does not wait for those that were hidden together.
    scene.scopes.hidden = None;
    let is_on = scene.scopes.toggle(kind);
    format!("{} {}", kind.name(), on_or_off(is_on))
}

/// Hides all scopes, or shows those again that were hidden so; where none were, the histograms. Histograms that were shown alone in
/// between do not have the others forgotten.
fn toggle_scopes(scene: &mut Scene) -> String {
    let shown = ScopeKind::ALL.map(|kind| scene.scopes.shows(kind, scene.overlays));
    let (back, text) = if shown.contains(&true) {
        let before = scene.scopes.hidden.unwrap_or_default();
        scene.scopes.hidden = Some(std::array::from_fn(|scope| shown[scope] || before[scope]));
        ([false; 4], "scopes off")
    } else {
        (scene.scopes.hidden.take().unwrap_or([true, false, false, false]), "scopes on")
    };
    [scene.overlays, scene.scopes.waveform, scene.scopes.parade, scene.scopes.vectorscope] = back;
    text.to_owned()
}

/// What has changed of the scopes, where that is to be said.
pub fn told_of_scopes(before: &ScopeStyle, now: &ScopeStyle) -> Option<String> {
    let on_or_white = if now.white { "white" } else { "in its hues" };
    let differs = |is: bool, text: String| is.then_some(text);
    differs(before.zoom != now.zoom, format!("vectorscope ×{}", now.zoom))
        .or_else(|| differs(before.unit != now.unit, format!("levels in {}", now.unit.name())))
        .or_else(|| differs(before.white != now.white, format!("vectorscope {on_or_white}")))
        .or_else(|| differs(before.skin != now.skin, format!("line for skin {}", on_or_off(now.skin))))
        .or_else(|| {
            let is_new = (before.gain - now.gain).abs() > 1e-6;
            differs(is_new, format!("traces at {:.0} %", now.gain * 100.0))
        })
}

fn zebras(exposure: &Exposure) -> String {
    format!("zebras from {} on", exposure.level.text())
}

fn tinted(false_color: FalseColor) -> String {
    format!("false colour: {}", false_color.table.text())
}

fn marked(exposure: &Exposure) -> String {
    format!("marked: what is {}", exposure.limits.text())
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A value one step further, on whole steps, within its limits.
fn stepped(value: f32, step: f32, (least, most): (f32, f32)) -> f32 {
    let steps = (value / step.abs()).round() + step.signum();
    (steps * step.abs()).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_whole_steps_and_inside() {
        assert!((stepped(0.25, 0.05, (0.1, 0.7)) - 0.3).abs() < 1e-6);
        assert!((stepped(0.7, 0.05, (0.1, 0.7)) - 0.7).abs() < 1e-6);
        assert!((stepped(0.1, -0.05, (0.1, 0.7)) - 0.1).abs() < 1e-6);
        let mut height = 0.25;
        for _ in 0..5 {
            height = stepped(height, 0.05, (0.1, 0.7));
        }
        assert!((height - 0.5).abs() < 1e-6, "{height} after five steps");
    }

    /// Which scopes are shown after these keys, in the order of `ScopeKind::ALL`.
    fn shown_after(actions: &[Action]) -> [bool; 4] {
        let mut scene = Scene::default();
        for &action in actions {
            assert!(restyle(&mut scene, (Components::Rgbl, 8), action).is_some());
        }
        ScopeKind::ALL.map(|kind| scene.scopes.shows(kind, scene.overlays))
    }

    #[test]
    fn scopes_that_were_hidden_together_come_back_together_unless_others_were_chosen() {
        use Action::{
            ToggleFalseColor, ToggleOverlays, ToggleScopes, ToggleVectorscope as Vectorscope,
            ToggleWaveform as Waveform,
        };
        let all_but_parade = [true, true, false, true];
        let with = |more: &[Action]| shown_after(&[&[Waveform, Vectorscope, ToggleScopes], more].concat());
        assert_eq!(with(&[]), [false; 4]);
        assert_eq!(with(&[ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleFalseColor, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleOverlays]), [true, false, false, false]);
        assert_eq!(with(&[ToggleOverlays, ToggleScopes]), [false; 4]);
        assert_eq!(with(&[ToggleOverlays, ToggleScopes, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[ToggleOverlays, ToggleOverlays, ToggleScopes]), all_but_parade);
        assert_eq!(with(&[Waveform, ToggleScopes, ToggleScopes]), [false, true, false, false]);
        assert_eq!(with(&[Waveform, Waveform, ToggleScopes]), [true, false, false, false]);
    }

    #[test]
    fn what_there_is_not_is_not_changed() {
        let mut scene = Scene::default();
        assert_eq!(restyle(&mut scene, (Components::YCbCr, 8), Action::ToggleChannel(3)), None);
        assert_eq!(restyle(&mut scene, (Components::Rgbl, 8), Action::TogglePause), None);
        assert_eq!(scene, Scene::default());
        let off = restyle(&mut scene, (Components::Rgbl, 8), Action::ToggleChannel(3));
        assert_eq!((off.as_deref(), scene.channels.contains(3)), (Some("luminance off"), false));
    }
}
