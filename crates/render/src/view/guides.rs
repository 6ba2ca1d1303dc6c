//! Guides over the picture: safe areas, aspect masks and a cross in the centre.
//!
//! This is the definition: which guides there are, and where they lie. The window and saved pictures draw them from it.

use std::fmt;
use std::str::FromStr;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::view::placement::{Placement, Shape};

/// Distances of the safe areas from each edge, as shares of the width and the height: EBU R 95.
const ACTION: f64 = 0.035;
const GRAPHICS: f64 = 0.05;
/// The aspect of the picture that a 4:3 caption has to fit.
const NARROW: f64 = 4.0 / 3.0;
/// The least side of a picture, in samples, in which guides can be told apart.
const MIN_SIDE: u32 = 32;

/// Width over height of a mask that the user has chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MaskAspect(f64);

impl Default for MaskAspect {
    fn default() -> Self {
        Self(2.0)
    }
}

impl MaskAspect {
    /// Returns the aspect within its limits, or the default if it is not a number.
    #[must_use]
    pub const fn clamped(self) -> Self {
        if self.0.is_nan() { Self(2.0) } else { Self(self.0.clamp(0.1, 10.0)) }
    }
}

impl fmt::Display for MaskAspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:1", (self.0 * 1000.0).round() / 1000.0)
    }
}

/// Parses `2.2`, `2.2:1`, `3:2` or `3/2`.
impl FromStr for MaskAspect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (width, height) = text.split_once([':', '/', 'x', '×']).unwrap_or((text, "1"));
        let side = |text: &str| text.trim().parse().ok().filter(|side: &f64| side.is_finite() && *side > 0.0);
        let aspect = side(width).zip(side(height)).map(|(width, height)| width / height);
        aspect
            .filter(|aspect| (0.1..=10.0).contains(aspect))
            .map(Self)
            .ok_or_else(|| format!("‘{text}’ is not an aspect from 0.1 to 10; type 2.2, 2.2:1 or 3:2"))
    }
}

/// The aspect outside which the picture is shaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mask {
    /// No mask.
    #[default]
    #[serde(rename = "off")]
    Off,
    /// 2.39:1, cinema in scope.
    #[serde(rename = "2.39")]
    Scope,
    /// 1.85:1, cinema in flat.
    #[serde(rename = "1.85")]
    Flat,
    /// 16:9.
    #[serde(rename = "16:9")]
    Wide,
    /// 4:5.
    #[serde(rename = "4:5")]
    Portrait,
    /// 1:1.
    #[serde(rename = "1:1")]
    Square,
    /// 9:16.
    #[serde(rename = "9:16")]
    Tall,
    /// The user's own aspect.
    #[serde(rename = "own")]
    Own,
}

impl Mask {
    /// Every mask, in the order in which a key cycles through them.
    pub const ALL: [Self; 8] =
        [Self::Off, Self::Scope, Self::Flat, Self::Wide, Self::Portrait, Self::Square, Self::Tall, Self::Own];

    /// Returns the name and the aspect of a mask with an aspect of its own.
    const fn fixed(self) -> Option<(&'static str, f64)> {
        Some(match self {
            Self::Off | Self::Own => return None,
            Self::Scope => ("2.39:1", 2.39),
            Self::Flat => ("1.85:1", 1.85),
            Self::Wide => ("16:9", 16.0 / 9.0),
            Self::Portrait => ("4:5", 4.0 / 5.0),
            Self::Square => ("1:1", 1.0),
            Self::Tall => ("9:16", 9.0 / 16.0),
        })
    }
}

/// The guides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guides {
    /// `true` if the chosen guides are shown.
    pub shown: bool,
    /// The areas that are safe for action and for graphics.
    pub safe_areas: bool,
    /// The area that is safe for captions if only the middle of the picture is shown, with 4:3.
    pub caption: bool,
    /// A cross in the centre.
    pub cross: bool,
    /// The mask.
    pub mask: Mask,
    /// The aspect of [`Mask::Own`].
    pub own: MaskAspect,
}

impl Default for Guides {
    fn default() -> Self {
        Self {
            shown: false,
            safe_areas: true,
            caption: false,
            cross: false,
            mask: Mask::Off,
            own: MaskAspect::default(),
        }
    }
}

impl Guides {
    /// Returns `true` if any guide is shown.
    #[must_use]
    pub fn any(&self) -> bool {
        self.shown && self.has_some()
    }

    fn has_some(&self) -> bool {
        self.safe_areas || self.caption || self.cross || self.mask != Mask::Off
    }

    /// Returns the guides with only those chosen that are shown, to which another may be added.
    #[must_use]
    pub fn shown_only(self) -> Self {
        let others = Self { shown: true, safe_areas: false, own: self.own, ..Self::default() };
        if self.shown { self } else { others }
    }

    /// Hides the guides, or shows them: those chosen last, or else the safe areas.
    pub fn toggle(&mut self) {
        self.shown = !self.any();
        self.safe_areas |= !self.has_some();
    }

    /// Returns the guides with every value within its limits.
    #[must_use]
    pub const fn clamped(self) -> Self {
        Self { own: self.own.clamped(), ..self }
    }

    /// Returns the name of the mask; `None` if there is none.
    #[must_use]
    pub fn mask_text(&self) -> Option<String> {
        let own = || (self.mask == Mask::Own).then(|| self.own.to_string());
        self.mask.fixed().map(|(name, _)| name.to_owned()).or_else(own)
    }

    /// Lists the guides that are shown; empty if there are none.
    #[must_use]
    pub fn text(&self) -> String {
        let mask = self.mask_text().map(|name| format!("mask {name}"));
        let names = [(self.safe_areas, "safe areas"), (self.caption, "4:3 caption"), (self.cross, "cross")];
        let names = names.into_iter().filter(|(is_on, _)| *is_on).map(|(_, name)| name.to_owned());
        let names: Vec<_> = names.chain(mask).filter(|_| self.shown).collect();
        names.join(", ")
    }

    /// Returns where the guides lie on a picture of this shape; nothing if the picture is too small for them.
    #[must_use]
    pub fn on(&self, shape: &Shape) -> Vec<GuideArea> {
        if !self.any() || shape.width.min(shape.height) < MIN_SIDE {
            return Vec::new();
        }
        let turned = shape.orientation.quarter_turns % 2 == 1;
        let (width, height) = if turned { (shape.height, shape.width) } else { (shape.width, shape.height) };
        let samples = DVec2::new(width.into(), height.into());
        let aspect = shape.upright().x / shape.upright().y;
        // Edges lie between samples.
        let inset = |share: DVec2| {
            let low = (share * samples).round() / samples;
            [low, DVec2::ONE - low]
        };
        let mut areas = Vec::new();
        let own = (self.mask == Mask::Own).then_some(self.own.clamped().0);
        if let (Some(name), Some(mask)) = (self.mask_text(), self.mask.fixed().map(|(_, mask)| mask).or(own)) {
            let kept = DVec2::new(mask / aspect, aspect / mask).min(DVec2::ONE);
            areas.push(GuideArea { kind: GuideKind::Mask(name), corners: inset((DVec2::ONE - kept) / 2.0) });
        }
        if self.safe_areas {
            areas.push(GuideArea { kind: GuideKind::Action, corners: inset(DVec2::splat(ACTION)) });
            areas.push(GuideArea { kind: GuideKind::Graphics, corners: inset(DVec2::splat(GRAPHICS)) });
        }
        if self.caption && aspect > NARROW {
            // In 16:9, 16.25 % from either side: the safe area for graphics of the 4:3 picture in the middle.
            let kept = NARROW / aspect;
            let share = DVec2::new((1.0 - kept) / 2.0 + GRAPHICS * kept, GRAPHICS);
            areas.push(GuideArea { kind: GuideKind::Caption, corners: inset(share) });
        }
        if self.cross {
            areas.push(GuideArea { kind: GuideKind::Cross, corners: [DVec2::splat(0.5); 2] });
        }
        areas
    }
}

/// Parses a list such as `safe,caption,cross,2.39`, or `off`.
impl FromStr for Guides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut guides = Self { shown: true, safe_areas: false, ..Self::default() };
        for name in text.split(',').map(str::trim) {
            match name {
                "off" => guides.shown = false,
                "safe" => guides.safe_areas = true,
                "caption" => guides.caption = true,
                "cross" => guides.cross = true,
                _ => {
                    let own: MaskAspect = name.parse().map_err(|_| {
                        format!(
                            "'{name}' is not a guide; choose among safe, caption, cross and one aspect (2.39, 16:9)"
                        )
                    })?;
                    let is_it = |mask: &Mask| mask.fixed().is_some_and(|(_, aspect)| (aspect - own.0).abs() < 5e-4);
                    guides.own = own;
                    guides.mask = Mask::ALL.into_iter().find(is_it).unwrap_or(Mask::Own);
                }
            }
        }
        Ok(guides)
    }
}

/// What a guide stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuideKind {
    /// The area that is safe for action.
    Action,
    /// The area that is safe for graphics.
    Graphics,
    /// The area that is safe for captions in 4:3.
    Caption,
    /// The area that a mask with this name leaves.
    Mask(String),
    /// The centre.
    Cross,
}

impl GuideKind {
    /// Returns the words written at the guide.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Action => "action safe",
            Self::Graphics => "graphics safe",
            Self::Caption => "4:3 caption",
            Self::Mask(name) => name,
            Self::Cross => "",
        }
    }
}

/// A guide as an area of an upright picture.
#[derive(Debug, Clone, PartialEq)]
pub struct GuideArea {
    /// What it stands for.
    pub kind: GuideKind,
    /// The top left and the bottom right corner, 0 to 1 across and down the picture.
    pub corners: [DVec2; 2],
}

/// The guides of one picture on a view, in pixels of the view.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedGuides {
    /// The corners of the part of the view that the picture may use.
    pub area: [DVec2; 2],
    /// The corners of the picture.
    pub picture: [DVec2; 2],
    /// Its guides.
    pub areas: Vec<GuideArea>,
}

impl PlacedGuides {
    /// Places the guides of a picture. Returns `None` if there are none.
    #[must_use]
    pub fn new(guides: &Guides, shape: &Shape, placement: &Placement) -> Option<Self> {
        let areas = guides.on(shape);
        let end = DVec2::new(placement.picture.0.into(), placement.picture.1.into());
        let [a, b] = [DVec2::ZERO, end].map(|corner| placement.point_of(corner));
        let corner = DVec2::new(placement.area.left.into(), placement.area.top.into());
        let area = [corner, corner + DVec2::new(placement.area.width.into(), placement.area.height.into())];
        (!areas.is_empty()).then(|| Self { area, picture: [a.min(b), a.max(b)], areas })
    }

    /// Returns the corners of a guide on the view.
    #[must_use]
    pub fn corners(&self, guide: &GuideArea) -> [DVec2; 2] {
        let [low, high] = self.picture;
        guide.corners.map(|corner| low + (high - low) * corner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::placement::ViewSettings;
    use histoscope_core::picture::{Orientation, Ratio};

    fn shape(width: u32, height: u32) -> Shape {
        let orientation = Orientation { quarter_turns: 0, mirrored: false };
        Shape { width, height, sample_aspect: Ratio::ONE, orientation }
    }

    /// Returns the samples that each guide leaves at the left and at the top.
    fn insets(guides: &str, shape: &Shape, size: [f64; 2]) -> Vec<[f64; 2]> {
        let areas = guides.parse::<Guides>().unwrap().on(shape);
        let samples = |area: &GuideArea| {
            let [low, high] = area.corners;
            assert!((low + high - DVec2::ONE).abs().max_element() < 1e-12, "{area:?} is not in the middle");
            [(low.x * size[0] * 100.0).round() / 100.0, (low.y * size[1] * 100.0).round() / 100.0]
        };
        areas.iter().map(samples).collect()
    }

    /// The samples that EBU R 95 lists for 1920×1080, 1280×720 and 3840×2160.
    #[test]
    fn safe_areas_are_those_of_ebu_r_95() {
        let hd = [1920.0, 1080.0];
        assert_eq!(insets("safe", &shape(1920, 1080), hd), [[67.0, 38.0], [96.0, 54.0]]);
        assert_eq!(insets("caption", &shape(1920, 1080), hd), [[312.0, 54.0]]);
        assert_eq!(insets("safe", &shape(1280, 720), [1280.0, 720.0]), [[45.0, 25.0], [64.0, 36.0]]);
        assert_eq!(insets("safe", &shape(3840, 2160), [3840.0, 2160.0]), [[134.0, 76.0], [192.0, 108.0]]);
        assert_eq!(insets("caption", &shape(640, 480), [640.0, 480.0]), [[0.0; 2]; 0], "4:3 has no other 4:3");
    }

    #[test]
    fn masks_leave_their_aspect() {
        let hd = [1920.0, 1080.0];
        let of = |mask: &str| insets(mask, &shape(1920, 1080), hd)[0];
        assert_eq!(of("2.39"), [0.0, 138.0], "1920 / 2.39 is 803.3 rows");
        assert_eq!(of("1.85"), [0.0, 21.0]);
        assert_eq!(of("16:9"), [0.0, 0.0]);
        assert_eq!(of("4:5"), [528.0, 0.0]);
        assert_eq!(of("1:1"), [420.0, 0.0]);
        assert_eq!(of("9:16"), [656.0, 0.0]);
        assert_eq!(of("3:2"), [150.0, 0.0], "an aspect of one's own");
        // 1440×1080 with wide pixels is 16:9 on screen.
        let wide = Shape { sample_aspect: Ratio { num: 4, den: 3 }, ..shape(1440, 1080) };
        assert_eq!(insets("16:9", &wide, [1440.0, 1080.0])[0], [0.0, 0.0]);
        assert_eq!(insets("1:1", &wide, [1440.0, 1080.0])[0], [315.0, 0.0]);
        // Turned by a quarter, it is upright on screen.
        let turned = Shape { orientation: Orientation { quarter_turns: 1, mirrored: false }, ..shape(1920, 1080) };
        assert_eq!(insets("9:16", &turned, [1080.0, 1920.0])[0], [0.0, 0.0]);
        assert_eq!(insets("safe", &turned, [1080.0, 1920.0])[0], [38.0, 67.0]);
    }

    #[test]
    fn tiny_pictures_have_no_guides() {
        let all: Guides = "safe,caption,cross,2.39".parse().unwrap();
        for (width, height) in [(1, 1), (3, 3), (31, 500), (500, 31)] {
            assert_eq!(all.on(&shape(width, height)), [], "{width}×{height}");
        }
        assert_eq!(all.on(&shape(64, 36)).len(), 5);
        let hidden = Guides { shown: false, ..all };
        assert_eq!(hidden.on(&shape(64, 36)), []);
    }

    #[test]
    fn guides_lie_on_the_picture_wherever_it_is_on_the_view() {
        let (shape, guides) = (shape(1920, 1080), "cross,1:1".parse().unwrap());
        for view in [(480, 270), (1000, 1000), (3, 3)] {
            let placement = Placement::new(&shape, &ViewSettings::default(), view);
            let placed = PlacedGuides::new(&guides, &shape, &placement).unwrap();
            let centre = DVec2::new(view.0.into(), view.1.into()) / 2.0;
            let [cross, _] = placed.corners(&placed.areas[1]);
            assert!((cross - centre).length() < 1e-9, "{cross} in {view:?}");
            let [low, high] = placed.corners(&placed.areas[0]);
            assert!(((high - low).x / (high - low).y - 1.0).abs() < 1e-9, "not square in {view:?}");
        }
    }

    #[test]
    fn lists_are_parsed_or_refused() {
        let guides: Guides = "safe, 2.2".parse().unwrap();
        assert_eq!((guides.text().as_str(), guides.mask), ("safe areas, mask 2.2:1", Mask::Own));
        assert_eq!("off".parse::<Guides>().unwrap().text(), "");
        for text in ["", "safe,", "box", "0:1", "-2", "1e9", "NaN", "inf:inf", "16:9:3"] {
            assert!(text.parse::<Guides>().unwrap_err().contains("is not a guide"), "{text}");
        }
    }

    #[test]
    fn the_switch_brings_back_what_was_chosen_or_else_the_safe_areas() {
        let mut guides = Guides::default();
        guides.toggle();
        assert_eq!(guides.text(), "safe areas");
        guides.cross = true;
        guides.toggle();
        assert_eq!(guides.text(), "");
        guides.toggle();
        assert_eq!(guides.text(), "safe areas, cross");
        (guides.safe_areas, guides.cross) = (false, false);
        guides.toggle();
        assert_eq!(guides.text(), "safe areas");
        guides.toggle();
        assert_eq!(guides.shown_only().text(), "", "a guide chosen now is alone");
    }
}
