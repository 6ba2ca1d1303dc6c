//! The histograms in pixels of the view, and the part of them under the pointer.

use glam::{DVec2, Vec2};

use super::overlay::{Channels, Placed, placed, placed_in};
pub use super::rect::PanelRect;
use super::scene::Scene;
use histoscope_core::histogram::Components;

impl Placed {
    /// Returns the overlay's rectangle on a view of `view` pixels.
    #[must_use]
    pub fn pixels(&self, view: (u32, u32)) -> PanelRect {
        let extent = Vec2::new(view.0 as f32, view.1 as f32);
        let low = (self.origin * extent).round();
        let size = (((self.origin + self.size) * extent).round() - low).max(Vec2::ONE);
        PanelRect {
            left: low.x as u32,
            top: view.1.saturating_sub((low.y + size.y) as u32),
            width: size.x as u32,
            height: size.y as u32,
        }
    }
}

/// The part of the overlays under the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Index of the overlay among those of [`placed`].
    pub panel: usize,
    /// The overlay's rectangle.
    pub rect: PanelRect,
    /// The channels that it currently shows.
    pub channels: Channels,
    /// The drawn bin under the pointer.
    pub bin: u32,
    /// First and last bin of the column of pixels under the pointer.
    pub bins: (u32, u32),
}

/// Returns the overlays shown on a view of `view` pixels: their index among those of [`placed`], rectangle, and
/// channels.
///
/// Omits all of them if the overlays are hidden, and each one whose channels are all switched off.
pub fn panels(
    scene: &Scene,
    components: Components,
    view: (u32, u32),
) -> impl Iterator<Item = (usize, PanelRect, Channels)> {
    let (on, shown) = (scene.look.channels, scene.look.overlays);
    let placed = match scene.arranged(view).histograms {
        Some(area) => placed_in(components, &scene.look.histograms, area, view),
        None => placed(components, &scene.histograms(), view),
    };
    placed
        .into_iter()
        .enumerate()
        .map(move |(index, placed)| (index, placed.pixels(view), placed.channels.intersection(on)))
        .filter(move |(_, _, channels)| shown && !channels.is_empty())
}

/// Returns the overlay and bin under the pointer, on a view of `view` pixels, when a picture of `bits` bits is counted.
#[must_use]
pub fn hit(scene: &Scene, components: Components, bits: u32, view: (u32, u32), pointer: DVec2) -> Option<Hit> {
    let (panel, rect, channels) = panels(scene, components, view).find(|(_, rect, _)| rect.contains(pointer))?;
    let count = scene.look.histograms.binning(bits).count();
    let bins = rect.bins_of_column(pointer.x as u32 - rect.left, count);
    Some(Hit { panel, rect, channels, bin: rect.bin_at(pointer.x, count), bins })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlay::{Arrangement, OverlayStyle};
    use crate::view::scene::Look;

    const COUNTS: [u32; 8] = [3, 7, 100, 256, 257, 1000, 1024, 4096];
    const WIDTHS: [u32; 9] = [1, 7, 115, 255, 256, 257, 648, 1024, 3648];

    fn rect(width: u32) -> PanelRect {
        PanelRect { left: 16, top: 300, width, height: 100 }
    }

    #[test]
    fn columns_cover_every_bin() {
        for (width, count) in WIDTHS.into_iter().flat_map(|width| COUNTS.map(|count| (width, count))) {
            let mut next = 0;
            for column in 0..width {
                let (first, last) = rect(width).bins_of_column(column, count);
                assert!(first == next || first + 1 == next, "{width} columns, {count} bins: {first} after {next}");
                assert!(first == next || width > count, "a bin in two columns");
                assert!(last >= first);
                next = last + 1;
            }
            assert_eq!(next, count, "{width} columns");
        }
    }

    #[test]
    fn bins_have_equal_widths_if_there_is_room() {
        for (width, count) in [(648, 256), (1728, 1024), (3648, 256), (576, 256), (576, 3), (577, 100), (1728, 1000)] {
            let widths: Vec<u32> = (0..count)
                .map(|bin| rect(width).columns_of_bin(bin, count))
                .map(|(first, last)| last + 1 - first)
                .collect();
            let (least, most) = (*widths.iter().min().unwrap(), *widths.iter().max().unwrap());
            assert!(least >= 1 && most - least <= 1, "{width} columns, {count} bins: {least} to {most}");
            assert_eq!(widths.iter().sum::<u32>(), width);
        }
    }

    #[test]
    fn the_column_of_a_bin_shows_that_bin() {
        for (width, count) in WIDTHS.into_iter().flat_map(|width| COUNTS.map(|count| (width, count))) {
            let rect = rect(width);
            for bin in 0..count {
                let (low, high) = rect.columns_of_bin(bin, count);
                for column in [low, high] {
                    let (first, last) = rect.bins_of_column(column, count);
                    assert!((first..=last).contains(&bin), "bin {bin}, column {column} of {width}");
                }
                let found = rect.bin_at(f64::from(rect.x_of_bin(bin, count)), count);
                if width >= count {
                    assert_eq!(found, bin, "{width} columns, {count} bins");
                } else {
                    let (first, last) = rect.bins_of_column(low, count);
                    assert!((first..=last).contains(&found), "bin {bin}: {found}");
                }
            }
        }
    }

    #[test]
    fn a_drag_beyond_the_overlay_stays_at_its_end() {
        assert_eq!(rect(288).bin_at(-1000.0, 1 << 8), 0);
        assert_eq!(rect(288).bin_at(1e9, 1 << 8), 255);
        assert_eq!(rect(288).bin_at(f64::NAN, 1 << 8), 0);
    }

    #[test]
    fn the_pointer_finds_the_overlay_the_channels_and_the_bin() {
        let scene = Scene::default();
        let view = (640, 400);
        let find = |scene: &Scene, x, y| hit(scene, Components::Rgbl, 8, view, DVec2::new(x, y));
        let left = find(&scene, 16.0, 284.0).expect("the left overlay's first pixel");
        assert_eq!((left.panel, left.bin, left.channels.bits()), (0, 0, 0b0111));
        assert_eq!(left.rect, PanelRect { left: 16, top: 284, width: 288, height: 100 });
        assert_eq!(find(&scene, 303.9, 383.9).map(|hit| hit.bin), Some(255));
        assert_eq!(find(&scene, 304.0, 350.0), None, "between the overlays");
        assert_eq!(find(&scene, 100.0, 283.9), None, "above them");
        assert_eq!(find(&scene, 100.0, 384.0), None, "in the margin below");
        assert_eq!(find(&scene, 400.0, 350.0).map(|hit| (hit.panel, hit.channels)), Some((1, Channels::one(3))));
        let hidden = Scene { look: Look { overlays: false, ..scene.look }, ..scene };
        assert_eq!(find(&hidden, 100.0, 350.0), None);
        let no_luminance = Scene { look: Look { channels: Channels::one(0), ..scene.look }, ..scene };
        assert_eq!(find(&no_luminance, 400.0, 350.0), None, "an overlay without channels is not there");
        let column = OverlayStyle { arrangement: Arrangement::Column, ..OverlayStyle::default() };
        let hit = find(&Scene { look: Look { histograms: column, ..scene.look }, ..scene }, 500.0, 30.0)
            .expect("the column's first overlay");
        assert_eq!((hit.panel, hit.channels), (0, Channels::one(0)));
    }
}
