//! The desktop's clipboard. What was copied is served by this program for as long as it runs, as most desktops have it.

use histoscope_render::gpu::readback::Image;

/// The clipboard, once something has been copied.
#[derive(Default)]
pub struct Clipboard {
    board: Option<arboard::Clipboard>,
}

impl Clipboard {
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
        let copied = match &mut self.board {
            Some(board) => copy(board),
            None => arboard::Clipboard::new().and_then(|board| copy(self.board.insert(board))),
        };
        copied.map_err(|error| {
            // It may be there again the next time.
            self.board = None;
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
