//! The desktop's clipboard. What was copied is served by this program for as long as it runs, as most desktops have it.

use histoscope_render::gpu::readback::Image;

/// A clipboard to copy to.
pub struct Clipboard(Board);

enum Board {
    /// The desktop's, once something has been copied.
    Desktop(Option<arboard::Clipboard>),
    /// None: what is copied goes nowhere.
    Nowhere,
}

impl Clipboard {
    /// The desktop's clipboard.
    #[must_use]
    pub const fn of_desktop() -> Self {
        Self(Board::Desktop(None))
    }

    /// The clipboard of a window that nobody sees, which takes everything and keeps nothing.
    #[must_use]
    pub const fn of_nobody() -> Self {
        Self(Board::Nowhere)
    }

    /// Copies a text.
    ///
    /// # Errors
    /// Why nothing was copied, and what to do, in words.
    pub fn copy_text(&mut self, text: String) -> Result<(), String> {
        self.copy(|board| board.set_text(text))
    }

    /// Copies a picture.
    ///
    /// # Errors
    /// As [`copy_text`](Self::copy_text).
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
            // It may be there again the next time.
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
    fn a_clipboard_that_is_not_there_is_a_sentence() {
        let told = refused(&arboard::Error::ClipboardNotSupported);
        assert!(told.starts_with("nothing was copied: the desktop's clipboard cannot be used ("), "{told}");
        assert!(told.ends_with("s saves the picture and the numbers"), "{told}");
    }
}
