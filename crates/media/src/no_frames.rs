//! Why a video gives no frame at all.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::decoder::Decoder;
use super::error::MediaError;

impl Decoder {
    /// The reason, once the whole source was read.
    pub(super) fn no_frames(&self) -> MediaError {
        let path = self.source.path().to_owned();
        let codec = self.info.codec.clone();
        let counters = &self.counters;
        if self.source.is_glob() && counters.refused_packets == 0 {
            return MediaError::NoMatch { path };
        }
        if let Some(denied) = self.input.denied() {
            return self.source.denied(denied.clone());
        }
        if self.has_index_behind() {
            return MediaError::IndexBehind { path };
        }
        if let Some((width, height)) = self.input.oversize() {
            return MediaError::TooLarge { path, width, height };
        }
        match (counters.packets, counters.discarded, counters.refused_packets) {
            (_, 1.., 0) => MediaError::AllLeftOut { path },
            (0, _, _) if counters.read_errors == 0 => MediaError::EmptyTrack { path, codec },
            _ if codec == "webp" && is_animated_webp(&path) => MediaError::AnimatedWebp { path },
            (_, _, refused) => MediaError::NoFrames { path, codec, refused },
        }
    }
}

/// Whether a WebP says in its header that it is animated.
fn is_animated_webp(path: &Path) -> bool {
    const ANIMATION: u8 = 0x02;
    let mut head = [0; 21];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    is_read && &head[..4] == b"RIFF" && &head[8..16] == b"WEBPVP8X" && head[20] & ANIMATION != 0
}
