//! Drawing on the CPU: rectangles, pictures and text. It needs no GPU and gives the same result on every machine.

use egui::epaint::text::{Fonts, LayoutJob, TextFormat, TextOptions, TextWrapping};
use egui::{Color32, FontDefinitions, FontId};

use crate::system_fonts;
use histoscope_core::strip::Rgb;
use histoscope_render::gpu::readback::Image;

/// A picture under construction, with the fonts for its text.
pub struct Canvas {
    image: Image,
    fonts: Fonts,
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Area {
    /// Creates a rectangle.
    #[must_use]
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self { x, y, width, height }
    }

    /// Returns the first column to the right of the rectangle.
    #[must_use]
    pub const fn right(&self) -> i32 {
        self.x + self.width
    }

    /// Returns the first row below the rectangle.
    #[must_use]
    pub const fn bottom(&self) -> i32 {
        self.y + self.height
    }
}

/// Horizontal alignment: the part of a text that is placed at its x coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// The left end.
    Left,
    /// The middle.
    Centre,
    /// The right end.
    Right,
}

/// The appearance of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Font size in pixels.
    pub size: f32,
    /// Text colour.
    pub color: Rgb,
}

impl Style {
    /// Creates a style.
    #[must_use]
    pub const fn new(size: f32, color: Rgb) -> Self {
        Self { size, color }
    }
}

impl Canvas {
    /// Creates a picture filled with one colour.
    #[must_use]
    pub fn new(width: usize, height: usize, color: Rgb) -> Self {
        let [r, g, b] = color;
        let rgba = [r, g, b, 255].repeat(width * height);
        let fonts = Fonts::new(TextOptions::default(), FontDefinitions::default())
            .with_font_providers(vec![system_fonts::provider()]);
        Self { image: Image { width: width as u32, height: height as u32, rgba }, fonts }
    }

    /// Returns the picture.
    #[must_use]
    pub fn into_image(self) -> Image {
        self.image
    }

    /// Fills a rectangle with a colour at this opacity, 0 to 255.
    pub fn fill(&mut self, area: Area, color: Rgb, opacity: u8) {
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                blend(&mut self.image, x, y, color, opacity);
            }
        }
    }

    /// Copies a picture to this position.
    pub fn paste(&mut self, x: i32, y: i32, picture: &Image) {
        for (row, pixels) in picture.rgba.chunks_exact(picture.width as usize * 4).enumerate() {
            for (column, pixel) in pixels.chunks_exact(4).enumerate() {
                let color = [pixel[0], pixel[1], pixel[2]];
                blend(&mut self.image, x + column as i32, y + row as i32, color, 255);
            }
        }
    }

    /// Draws a line of text with its upper edge at `y`, truncated with an ellipsis if it is wider than `most`. Returns
    /// its width in pixels.
    pub fn text_within(&mut self, (x, y): (i32, i32), align: Align, text: &str, style: Style, most: i32) -> i32 {
        let format = TextFormat::simple(FontId::proportional(style.size), Color32::WHITE);
        let mut job = LayoutJob::single_section(text.to_owned(), format);
        job.wrap =
            TextWrapping { max_width: most as f32, max_rows: 1, break_anywhere: true, ..TextWrapping::default() };
        let galley = self.fonts.with_pixels_per_point(1.0).layout_job(job);
        let width = galley.size().x.ceil() as i32;
        let left = match align {
            Align::Left => x,
            Align::Centre => x - width / 2,
            Align::Right => x - width,
        };
        // The glyph atlas is complete once the text is laid out.
        let atlas = self.fonts.texture_atlas().image();
        for row in &galley.rows {
            for glyph in &row.glyphs {
                let texels = glyph.uv_rect;
                let corner = row.pos.to_vec2() + glyph.pos.to_vec2() + texels.offset;
                let (from_x, from_y) = (left + corner.x.round() as i32, y + corner.y.round() as i32);
                for v in texels.min[1]..texels.max[1] {
                    for u in texels.min[0]..texels.max[0] {
                        let coverage = atlas[(usize::from(u), usize::from(v))].a();
                        let (dx, dy) = (i32::from(u - texels.min[0]), i32::from(v - texels.min[1]));
                        blend(&mut self.image, from_x + dx, from_y + dy, style.color, coverage);
                    }
                }
            }
        }
        width
    }

    /// Draws a line of text with its upper edge at `y`. Returns its width in pixels.
    pub fn text(&mut self, at: (i32, i32), align: Align, text: &str, style: Style) -> i32 {
        self.text_within(at, align, text, style, i32::MAX / 2)
    }
}

/// Blends a colour into a pixel. `opacity` is 0 to 255. Does nothing outside the picture.
fn blend(image: &mut Image, x: i32, y: i32, color: Rgb, opacity: u8) {
    let (width, height) = (image.width as i32, image.height as i32);
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let at = (y * width + x) as usize * 4;
    for (under, over) in image.rgba[at..at + 3].iter_mut().zip(color) {
        let mixed = u32::from(over) * u32::from(opacity) + u32::from(*under) * u32::from(255 - opacity);
        *under = ((mixed + 127) / 255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style { size: 16.0, color: [255, 255, 255] };

    fn lit(image: &Image) -> Vec<(usize, usize)> {
        let width = image.width as usize;
        let pixels = image.rgba.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[0] > 100);
        pixels.map(|(index, _)| (index % width, index / width)).collect()
    }

    fn draw(text: &str, align: Align, most: i32) -> (i32, Vec<(usize, usize)>) {
        let mut canvas = Canvas::new(300, 40, [0; 3]);
        let width = canvas.text_within((150, 10), align, text, STYLE, most);
        (width, lit(&canvas.into_image()))
    }

    #[test]
    fn text_is_drawn_at_its_position() {
        for (align, range) in [(Align::Left, 150..225), (Align::Centre, 110..190), (Align::Right, 75..150)] {
            let (width, lit) = draw("Histogram", align, 300);
            assert!(lit.len() > 50 && (50..100).contains(&width), "{align:?}: {} pixels, {width}", lit.len());
            assert!(lit.iter().all(|(x, y)| range.contains(x) && (10..34).contains(y)), "{align:?}: {lit:?}");
        }
    }

    #[test]
    fn fonts_have_the_glyphs_of_names_and_times() {
        let mut fonts = Fonts::new(TextOptions::default(), FontDefinitions::default());
        let font = FontId::proportional(14.0);
        assert!(fonts.has_glyphs(&font, "äßéñøł×·–…±≥%'/µ0:42.5 Ω Жд\u{202f}"));
        let mut view = fonts.with_pixels_per_point(1.0);
        let widths: Vec<f32> = "0123456789".chars().map(|digit| view.glyph_width(&font, digit)).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "numbers stand in columns: {widths:?}");
    }

    #[test]
    fn long_text_is_truncated() {
        let (width, lit) = draw("a long name of a file that does not fit", Align::Left, 80);
        assert!(width <= 80 && lit.iter().all(|(x, _)| *x < 232), "{width}");
    }

    #[test]
    fn nothing_is_drawn_outside() {
        let mut canvas = Canvas::new(4, 4, [0; 3]);
        canvas.fill(Area::new(-2, -2, 4, 4), [200, 200, 200], 255);
        canvas.text((-20, 2), Align::Left, "wwww", STYLE);
        canvas.fill(Area::new(3, 3, 9, 9), [100, 0, 0], 127);
        let image = canvas.into_image();
        assert_eq!(image.rgba[..3], [200; 3]);
        assert_eq!(image.rgba[15 * 4..15 * 4 + 3], [50, 0, 0]);
    }
}
