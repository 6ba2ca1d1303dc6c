//! Textures of pictures that the lab has made.

use egui::{ColorImage, Context, TextureHandle, TextureId, TextureOptions};

/// A texture, and the number of the run that it shows.
#[derive(Clone)]
struct Texture(u64, TextureHandle);

/// Returns the texture with this name. It shows the picture of run `number`: opaque pixels of red, green, blue and 255,
/// row by row.
pub fn texture(
    context: &Context,
    name: &'static str,
    (number, size, pixels): (u64, (u32, u32), &[u8]),
    options: TextureOptions,
) -> TextureId {
    let id = egui::Id::unique(name);
    let image = || ColorImage::from_rgba_unmultiplied([size.0 as usize, size.1 as usize], pixels);
    let Texture(_, handle) = match context.data(|data| data.get_temp::<Texture>(id)) {
        Some(kept) if kept.0 == number => kept,
        Some(Texture(_, mut handle)) => {
            handle.set(image(), options);
            Texture(number, handle)
        }
        None => Texture(number, context.load_texture(name, image(), options)),
    };
    let texture = handle.id();
    context.data_mut(|data| data.insert_temp(id, Texture(number, handle)));
    texture
}

/// Releases the texture with this name.
pub fn forget(context: &Context, name: &'static str) {
    context.data_mut(|data| data.remove::<Texture>(egui::Id::unique(name)));
}
