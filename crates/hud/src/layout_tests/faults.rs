//! Finds faults of a layout in the shapes that are drawn.

use egui::epaint::{ClippedShape, Shape};
use egui::{Color32, Pos2, Rect, Vec2};

use crate::theme;

/// Plain pictures behind everything.
const PICTURES: [Color32; 8] = [
    Color32::BLACK,
    Color32::WHITE,
    Color32::from_rgb(255, 0, 0),
    Color32::from_rgb(0, 255, 0),
    Color32::from_rgb(0, 0, 255),
    Color32::from_rgb(255, 255, 0),
    Color32::from_rgb(255, 0, 255),
    Color32::from_rgb(0, 255, 255),
];

/// The least contrast of text with its background: WCAG 2, success criterion 1.4.3.
pub(crate) const MIN_CONTRAST: f64 = 4.5;

/// Returns the relative luminance as defined by WCAG.
fn luminance(color: Color32) -> f64 {
    let linear = |code: u8| match f64::from(code) / 255.0 {
        code if code <= 0.040_45 => code / 12.92,
        code => ((code + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

pub(crate) fn contrast(a: Color32, b: Color32) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Blends a premultiplied colour over an opaque one, as on the view.
pub(crate) fn over(top: Color32, below: Color32) -> Color32 {
    let left = 1.0 - f64::from(top.a()) / 255.0;
    let mix = |top: u8, below: u8| (f64::from(top) + f64::from(below) * left).round().min(255.0) as u8;
    Color32::from_rgb(mix(top.r(), below.r()), mix(top.g(), below.g()), mix(top.b(), below.b()))
}

/// A text as drawn.
pub(crate) struct Text {
    words: String,
    rect: Rect,
    /// The part of the view where it is visible.
    clip: Rect,
    colors: Vec<Color32>,
    /// `true` if some of its letters are omitted although it may wrap.
    is_cut: bool,
}

/// An item drawn: a text or a filled rectangle.
pub(crate) enum Item {
    Text(Text),
    Fill(Rect, Color32),
}

pub(crate) fn items(shapes: &[ClippedShape]) -> Vec<Item> {
    fn gather(shape: &Shape, clip: Rect, items: &mut Vec<Item>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| gather(shape, clip, items)),
            Shape::Rect(rect) => items.push(Item::Fill(rect.rect.intersect(clip), rect.fill)),
            Shape::Text(text) => {
                let own = |color: Color32| match (text.override_text_color, color) {
                    (Some(color), _) => color,
                    (None, Color32::PLACEHOLDER) => text.fallback_color,
                    (None, color) => color,
                };
                let job = &text.galley.job;
                let colors = job.sections.iter().map(|section| own(section.format.color));
                let colors = colors.map(|color| color.gamma_multiply(text.opacity_factor)).collect();
                let is_cut = text.galley.elided && job.wrap.max_rows != 1;
                let rect = text.visual_bounding_rect();
                if !job.text.trim().is_empty() {
                    items.push(Item::Text(Text { words: job.text.clone(), rect, clip, colors, is_cut }));
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    shapes.iter().for_each(|clipped| gather(&clipped.shape, clipped.clip_rect, &mut all));
    all
}

/// The items drawn for a case, in drawing order.
pub(super) struct Laid {
    pub items: Vec<Item>,
    /// The view in points.
    pub view: Rect,
    /// Rectangles of the menus. While open, they cover everything below them, and nothing may cover them.
    pub menus: Vec<Rect>,
}

impl Laid {
    fn is_of_menu(&self, rect: Rect) -> bool {
        self.menus.iter().any(|menu| menu.expand(1.0).contains_rect(rect))
    }
}

/// Returns a fault for each pair of overlapping boxes.
fn overlaps(laid: &Laid) -> Vec<String> {
    let boxes = laid.items.iter().filter_map(|item| match item {
        Item::Fill(rect, color) if *color == theme::PLATE || *color == theme::SOLID => Some(rect.intersect(laid.view)),
        _ => None,
    });
    let boxes: Vec<Rect> = boxes.filter(Rect::is_positive).collect();
    let mut faults = Vec::new();
    for (place, upper) in boxes.iter().enumerate().filter(|&(_, upper)| !laid.is_of_menu(*upper)) {
        for lower in &boxes[..place] {
            let common = upper.intersect(*lower);
            if common.shrink(0.8).is_positive() {
                faults.push(format!("a box lies on another: {upper:?} on {lower:?}"));
            }
        }
    }
    faults
}

/// Returns the faults of items drawn on a view of this size in points, with no menu open.
pub(crate) fn faults(items: Vec<Item>, view: Rect) -> Vec<String> {
    faults_of(&Laid { items, view, menus: Vec::new() })
}

/// Returns all faults of a layout.
pub(super) fn faults_of(laid: &Laid) -> Vec<String> {
    let Laid { items, view, .. } = laid;
    let view = *view;
    let mut faults = overlaps(laid);
    for (place, item) in items.iter().enumerate() {
        let Item::Text(text) = item else { continue };
        let seen = text.rect.intersect(text.clip).intersect(view);
        if !seen.is_positive() {
            continue;
        }
        // Scrolling text may be cut at the upper and lower edges of its panel, but nowhere else.
        let scrolls = text.clip.height() < view.height() - 1.0;
        let room = text.clip.intersect(view).expand(0.6);
        let is_inside = room.x_range().contains(text.rect.min.x)
            && room.x_range().contains(text.rect.max.x)
            && (scrolls || room.y_range().contains(text.rect.min.y) && room.y_range().contains(text.rect.max.y));
        if !is_inside || text.is_cut {
            faults.push(format!("‘{}’ is cut off: {:?} in {room:?}", text.words, text.rect));
        }
        let is_hidden = |later: &Item, part: Rect| matches!(later, Item::Fill(rect, color) if color.a() == 255 && rect.expand(0.6).contains_rect(part));
        if items[place + 1..].iter().any(|later| is_hidden(later, seen)) {
            continue;
        }
        for (aside, other) in items[place + 1..].iter().enumerate() {
            match other {
                Item::Text(other) => {
                    let common = seen.shrink(0.8).intersect(other.rect.shrink(0.8).intersect(other.clip));
                    let between = &items[place + 1..place + 1 + aside];
                    if common.is_positive() && !between.iter().any(|later| is_hidden(later, common)) {
                        faults.push(format!("‘{}’ lies on ‘{}’: {common:?}", other.words, text.words));
                    }
                }
                Item::Fill(rect, color) => {
                    let common = seen.shrink(0.8).intersect(*rect);
                    let between = &items[place + 1..place + 1 + aside];
                    let is_bare = common.is_positive() && !between.iter().any(|later| is_hidden(later, common));
                    if color.a() > 8 && is_bare && !laid.is_of_menu(*rect) {
                        faults.push(format!("a box at {rect:?} lies on ‘{}’", text.words));
                    }
                }
            }
        }
        for picture in PICTURES {
            let mut behind = picture;
            for below in &items[..place] {
                if let Item::Fill(rect, color) = below
                    && rect.expand(0.6).contains_rect(seen.shrink(0.8))
                {
                    behind = over(*color, behind);
                }
            }
            for color in &text.colors {
                let found = contrast(over(*color, behind), behind);
                if found < MIN_CONTRAST {
                    faults.push(format!("‘{}’ has a contrast of {found:.2} over {picture:?}", text.words));
                }
            }
        }
    }
    faults
}

/// Returns the visible part of each text, with its colours.
pub(crate) fn texts(items: &[Item]) -> Vec<(String, Rect, Vec<Color32>)> {
    let seen = items.iter().filter_map(|item| match item {
        Item::Text(text) => Some((text.words.clone(), text.rect.intersect(text.clip), text.colors.clone())),
        Item::Fill(..) => None,
    });
    seen.filter(|(_, rect, _)| rect.is_positive()).collect()
}

/// Like [`texts`], but without texts behind something opaque, such as a menu.
pub(crate) fn texts_before_all(items: &[Item]) -> Vec<(String, Rect, Vec<Color32>)> {
    let is_behind = |index: usize, rect: Rect| {
        let later = items[index + 1..].iter();
        later
            .clone()
            .any(|item| matches!(item, Item::Fill(fill, color) if color.is_opaque() && fill.contains_rect(rect)))
    };
    let before = items.iter().enumerate().filter_map(|(index, item)| match item {
        Item::Text(text) if !is_behind(index, text.rect.intersect(text.clip)) => Some(text),
        _ => None,
    });
    let seen = before.map(|text| (text.words.clone(), text.rect.intersect(text.clip), text.colors.clone()));
    seen.filter(|(_, rect, _)| rect.is_positive()).collect()
}

#[test]
fn faults_are_found() {
    let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(300.0, 200.0));
    let text = |at: f32, color| {
        Item::Text(Text {
            words: "words".to_owned(),
            rect: Rect::from_min_size(Pos2::new(at, 20.0), Vec2::new(50.0, 14.0)),
            clip: view,
            colors: vec![color],
            is_cut: false,
        })
    };
    let plate = |fill| Item::Fill(Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 40.0)), fill);
    let count = |items: Vec<Item>| faults_of(&Laid { items, view, menus: Vec::new() }).len();
    assert_eq!(count(vec![plate(theme::PLATE), text(10.0, theme::LIGHT), text(100.0, theme::DIM)]), 0);
    assert_eq!(
        count(vec![plate(theme::PLATE), text(10.0, theme::LIGHT), text(40.0, theme::LIGHT)]),
        1,
        "on each other"
    );
    assert_eq!(count(vec![plate(theme::PLATE), text(270.0, theme::LIGHT)]), 1, "cut off");
    assert!(count(vec![text(10.0, theme::LIGHT)]) > 0, "no plate");
    assert!(count(vec![plate(theme::PLATE), text(10.0, theme::OFF)]) > 0, "too faint");
    assert!(count(vec![plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::PLATE)]) > 0, "a box over it");
    let boxes = || vec![plate(theme::SOLID), text(10.0, theme::LIGHT), plate(theme::SOLID)];
    assert_eq!(count(boxes()), 1, "a box on a box, which hides its text");
    let upper = Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 40.0));
    assert_eq!(faults_of(&Laid { items: boxes(), view, menus: vec![upper] }).len(), 0, "a menu may do so");
    let half = Item::Fill(Rect::from_min_size(Pos2::new(0.0, 10.0), Vec2::new(300.0, 18.0)), Color32::BLACK);
    assert_eq!(count(vec![plate(theme::SOLID), text(10.0, theme::LIGHT), half]), 1, "half of the text is covered");
}
