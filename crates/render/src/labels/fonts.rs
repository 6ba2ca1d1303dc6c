//! Fonts of the system, for characters that the program's own fonts lack: Chinese, Japanese and Korean names, for
//! example.

use std::sync::{Arc, LazyLock};

use egui::epaint::text::{FallbackRequest, FontInsert, FontProvider};
use egui::{FontData, FontFamily};
use fontdb::{Database, FaceInfo, Style, Weight};
use skrifa::MetadataProvider;

/// The system's fonts. They are listed at the first character that needs one.
static INSTALLED: LazyLock<Database> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    fonts
});

/// Returns a source of fonts for characters that no other font has.
#[must_use]
pub fn provider() -> Arc<dyn FontProvider> {
    Arc::new(|request: &FallbackRequest<'_>| font_for(&INSTALLED, request))
}

/// Returns the font whose design is the closest to the program's own among those that have the character.
fn font_for(fonts: &Database, request: &FallbackRequest<'_>) -> Option<FontInsert> {
    let letter = request.cluster.chars().next()?;
    let has_letter = |face: &&FaceInfo| {
        fonts.with_face_data(face.id, |data, index| has_glyph(data, index, letter)).unwrap_or_default()
    };
    let mut faces: Vec<_> = fonts.faces().collect();
    faces.sort_by_key(|face| distance(face, request.family));
    let face = faces.into_iter().find(has_letter)?;
    let read = |data: &[u8], index| FontData { index, ..FontData::from_owned(data.to_vec()) };
    let data = fonts.with_face_data(face.id, read)?;
    Some(FontInsert::new(&face.post_script_name, data, Vec::new()))
}

fn has_glyph(data: &[u8], index: u32, letter: char) -> bool {
    skrifa::FontRef::from_index(data, index).is_ok_and(|font| font.charmap().map(letter).is_some())
}

/// Returns how much a face differs from the program's own of this family, which are upright, of regular weight and
/// without serifs. The most important difference comes first; names break ties, so that the order is always the same.
fn distance<'a>(face: &'a FaceInfo, family: &FontFamily) -> (bool, bool, u16, bool, &'a str) {
    let is_serif = face.families.iter().any(|(name, _)| name.contains("Serif"));
    (
        face.style != Style::Normal,
        is_serif,
        face.weight.0.abs_diff(Weight::NORMAL.0),
        face.monospaced != (*family == FontFamily::Monospace),
        &face.post_script_name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::epaint::text::{FontDefinitions, Fonts, TextOptions};
    use egui::{FontId, FontTweak};

    #[test]
    fn a_missing_letter_is_drawn_with_an_installed_font_that_has_it() {
        /// In one of egui's fonts, and not in the other one.
        const SCHWA: char = 'Ə';
        const HANGUL: char = '한';
        let own = FontDefinitions::default();
        let data = |name: &str| own.font_data[name].font.as_ref().as_ref().to_vec();
        let mut installed = Database::new();
        ["Hack", "Ubuntu-Light"].into_iter().for_each(|name| installed.load_font_data(data(name)));
        let request = |cluster| font_for(&installed, &FallbackRequest { cluster, family: &FontFamily::Monospace });
        assert_eq!(request("Ə").expect("a font has it").name, "Ubuntu-Light");
        assert_eq!(request("a").expect("both have it").name, "Hack-Regular", "the closer one");
        assert!(request("한").is_none());

        let mut poor = FontDefinitions::empty();
        poor.font_data
            .insert("Hack".to_owned(), Arc::new(FontData::from_owned(data("Hack")).tweak(FontTweak::default())));
        poor.families.insert(FontFamily::Proportional, vec!["Hack".to_owned()]);
        let has = |fonts: Fonts, letter| {
            let mut fonts = fonts;
            fonts.with_pixels_per_point(1.0).has_glyph(&FontId::proportional(14.0), letter)
        };
        let fonts = || Fonts::new(TextOptions::default(), poor.clone());
        assert!(!has(fonts(), SCHWA));
        let find: Arc<dyn FontProvider> = Arc::new(move |request: &FallbackRequest<'_>| font_for(&installed, request));
        assert!(has(fonts().with_font_providers(vec![Arc::clone(&find)]), SCHWA));
        assert!(!has(fonts().with_font_providers(vec![find]), HANGUL));
    }
}
