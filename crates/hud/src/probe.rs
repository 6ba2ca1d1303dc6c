//! The values of the pixel under the pointer.

use egui::{Color32, Pos2, Rect, Ui};

use super::card::{Card, CardLine};
use super::theme;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::LightScale;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::picture::{Frame, Orientation, Picture};
use histoscope_core::tone_map::{Display, SIGNALS, SourceLight, Stops, ToneMapping, ToneTables};
use histoscope_render::view::probe::Probe;

/// The values of a pixel, and the pointer's position.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeText {
    /// The card with the values.
    pub card: Card,
    /// Position of the pointer, in points.
    pub at: Pos2,
}

impl ProbeText {
    /// Returns the card for a pixel of a frame.
    #[must_use]
    pub fn card(probe: &Probe, frame: &Frame) -> Card {
        Self::of_pixel(probe, (&frame.picture, SourceLight::of(&frame.source)), frame.orientation)
    }

    /// Returns the card for a pixel: its position, R'G'B' codes, luminance, light in cd/m² if it is known, and the
    /// samples as coded. If the picture is rotated for display, the position is given both as coded and as displayed.
    fn of_pixel(probe: &Probe, (picture, light): (&Picture, SourceLight), orientation: Orientation) -> Card {
        let bits = picture.layout().bin_bits();
        let top = ((1_u32 << bits) - 1) as f32;
        let mapped = light.tone_map(ToneMapping::default(), Stops::default(), Display::Sdr).map(ToneTables::of);
        let [red, green, blue] = match mapped {
            Some(tone) => tone.shown(probe.codes.map(|code| code as f32 / top * (SIGNALS - 1) as f32)),
            None => probe.codes.map(|code| (code as f32 / top * 255.0).round() as u8),
        };
        let (x, y) = probe.position;
        let is_coded = picture.has_coded_components();
        let mut lines = Vec::new();
        if picture.as_rgb().is_some() {
            lines.push(line("R'G'B'", Components::Rgbl, &probe.codes.map(Some)));
            lines.push(CardLine {
                name: "luminance".to_owned(),
                color: theme::DIM,
                cells: vec![(probe.luminance.to_string(), theme::channel_color(Components::Rgbl, 3))],
            });
            lines.extend(light.scale().map(|scale| {
                let text = light_text(scale.light(probe.codes.map(|code| f64::from(code) / f64::from(top))));
                let at = if let LightScale::Hlg { peak } = scale { format!(" at {peak}") } else { String::new() };
                CardLine {
                    name: "light".to_owned(),
                    color: theme::DIM,
                    cells: vec![(format!("{text}{at}"), theme::LIGHT)],
                }
            }));
        }
        if !lines.is_empty()
            && probe.rgb.iter().zip(probe.codes).any(|(&before, code)| i64::from(before) != i64::from(code))
        {
            lines.insert(1, line("unclamped", Components::Rgbl, &probe.rgb.map(Some)));
        }
        if is_coded {
            lines.push(line("Y'CbCr", Components::YCbCr, &probe.coded));
        }
        let is_turned = orientation != Orientation::default();
        if is_turned {
            let (seen_x, seen_y) = orientation.seen_at((x, y), (picture.width(), picture.height()));
            let cells = vec![(format!("x {seen_x}"), theme::LIGHT), (format!("y {seen_y}"), theme::LIGHT)];
            lines.insert(0, CardLine { name: "displayed".to_owned(), color: theme::DIM, cells });
        }
        let title = format!("x {x}  y {y}{}", if is_turned { "  coded" } else { "" });
        Card { title, swatch: Some(Color32::from_rgb(red, green, blue)), lines }
    }

    /// Shows the card near the pointer, in `room` and clear of the `taken` rectangles. Returns its rectangle, if shown.
    pub fn show(&self, ui: &Ui, room: Rect, taken: &[Rect], strength: f32) -> Option<Rect> {
        self.card.show(ui, "probe", self.at, room, taken, strength)
    }
}

/// Returns a line with three codes in the colours of their channels.
fn line(name: &str, components: Components, codes: &[Option<impl ToString>]) -> CardLine {
    let texts = codes.iter().map(|code| code.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string));
    let cells = texts.enumerate().map(|(channel, text)| (text, theme::channel_color(components, channel))).collect();
    CardLine { name: name.to_owned(), color: theme::DIM, cells }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Transfer;
    use histoscope_render::view::scene::NO_BIN;

    #[test]
    fn a_pixel_shows_its_codes_and_unclamped_values() {
        use histoscope_core::picture::OwnedPlanes;
        use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
        use histoscope_core::picture::layout::PixelLayout;
        let color = Colorimetry::tagged(Matrix::Bt709, Range::Limited);
        let planes = OwnedPlanes { planes: vec![(vec![16], 1), (vec![128], 1), (vec![128], 1)] };
        let layout = PixelLayout::planar_ycbcr(8, (0, 0));
        let picture = Picture::new(layout, (1, 1), color, std::sync::Arc::new(planes)).unwrap();
        let inside = Probe {
            position: (7, 9),
            rgb: [1, 2, 3],
            codes: [1, 2, 3],
            coded: [Some(16), Some(128), None],
            luminance: 2,
            bins: [1, 2, 3, NO_BIN],
        };
        let card = ProbeText::of_pixel(&inside, (&picture, SourceLight::default()), Orientation::default());
        assert_eq!(card.as_text(), "x 7  y 9; R'G'B' 1 2 3; luminance 2; Y'CbCr 16 128 –");
        assert_eq!(card.swatch, Some(Color32::from_rgb(1, 2, 3)));
        let of_light = |transfer| {
            let light = SourceLight { transfer, ..SourceLight::default() };
            let bright = Probe { codes: [129, 148, 10], rgb: [129, 148, 10], ..inside };
            ProbeText::of_pixel(&bright, (&picture, light), Orientation::default()).as_text()
        };
        // NumPy: PQ of 148/255; HLG of (129, 148, 10)/255 through a system gamma of 1.2.
        assert!(of_light(Transfer::Pq).contains("; light 202 cd/m²; "), "{}", of_light(Transfer::Pq));
        assert!(of_light(Transfer::Hlg).contains("; light 74.2 cd/m² at 1000; "), "{}", of_light(Transfer::Hlg));
        assert!(!of_light(Transfer::Bt1886).contains("light "));
        let outside = ProbeText::of_pixel(
            &Probe { rgb: [-5, 2, 3], codes: [0, 2, 3], ..inside },
            (&picture, SourceLight::default()),
            Orientation::default(),
        );
        assert!(outside.as_text().contains("R'G'B' 0 2 3; unclamped -5 2 3;"), "{}", outside.as_text());
        let turned = Orientation { quarter_turns: 2, mirrored: false };
        let turned =
            ProbeText::of_pixel(&Probe { position: (0, 0), ..inside }, (&picture, SourceLight::default()), turned);
        assert!(turned.as_text().starts_with("x 0  y 0  coded; displayed x 0 y 0; R'G'B'"), "{}", turned.as_text());
    }
}
