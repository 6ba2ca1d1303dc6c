//! The desktop's clipboard. On most desktops, copied data is served by this program and is lost when it exits.

use histoscope_render::gpu::readback::Image;

/// A clipboard to copy to.
pub struct Clipboard(Board);

enum Board {
    /// The desktop's clipboard, opened by the first copy.
    Desktop(Option<arboard::Clipboard>),
    /// No clipboard: copied data is discarded.
    None,
}

impl Clipboard {
    /// Creates a handle to the desktop's clipboard, which is opened by the first copy.
    #[must_use]
    pub const fn of_desktop() -> Self {
        Self(Board::Desktop(None))
    }

    /// Creates the clipboard of an offscreen window: it accepts everything and stores nothing.
    #[must_use]
    pub const fn discarding() -> Self {
        Self(Board::None)
    }

    /// Copies text.
    ///
    /// # Errors
    /// A message that says why nothing was copied and what to do instead.
    pub fn copy_text(&mut self, text: String) -> Result<(), String> {
        self.copy(|board| board.set_text(text))
    }

    /// Copies a picture.
    ///
    /// # Errors
    /// See [`copy_text`](Self::copy_text).
    pub fn copy_image(&mut self, image: Image) -> Result<(), String> {
        let Image { width, height, rgba } = image;
        let data = arboard::ImageData { width: width as usize, height: height as usize, bytes: rgba.into() };
        self.copy(|board| board.set_image(data))
    }

    fn copy(&mut self, copy: impl FnOnce(&mut arboard::Clipboard) -> Result<(), arboard::Error>) -> Result<(), String> {
        let Board::Desktop(desktop) = &mut self.0 else { return Ok(()) };
        let copied = match desktop {
            Some(board) => copy(board),
            None => arboard::Clipboard::new().and_then(|board| copy(desktop.insert(board))),
        };
        copied.map_err(|error| {
            // Reconnect on the next copy: the clipboard may be available again.
            *desktop = None;
            refused(&error)
        })
    }
}

fn refused(error: &arboard::Error) -> String {
    format!("nothing was copied: the desktop's clipboard cannot be used ({error}); s saves the picture and the numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unavailable_clipboard_is_reported_in_a_sentence() {
        let told = refused(&arboard::Error::ClipboardNotSupported);
        assert!(told.starts_with("nothing was copied: the desktop's clipboard cannot be used ("), "{told}");
        assert!(told.ends_with("s saves the picture and the numbers"), "{told}");
    }
}
