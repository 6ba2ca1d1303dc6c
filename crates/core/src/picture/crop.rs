//! Cropping of decoded pictures by the codec and the container.

use std::fmt;

/// Columns and lines to crop at each edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Crop {
    /// Columns at the left.
    pub left: u32,
    /// Columns at the right.
    pub right: u32,
    /// Lines at the top.
    pub top: u32,
    /// Lines at the bottom.
    pub bottom: u32,
}

impl Crop {
    /// Returns `true` if nothing is cropped.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Returns the width and height that remain of a picture, or `None` if nothing remains.
    #[must_use]
    pub fn leaves(self, (width, height): (u32, u32)) -> Option<(u32, u32)> {
        let width = width.checked_sub(self.left.checked_add(self.right)?)?;
        let height = height.checked_sub(self.top.checked_add(self.bottom)?)?;
        (width > 0 && height > 0).then_some((width, height))
    }
}

impl fmt::Display for Crop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges = [
            (self.left, "column", "at the left"),
            (self.right, "column", "at the right"),
            (self.top, "line", "at the top"),
            (self.bottom, "line", "at the bottom"),
        ];
        let edges = edges.into_iter().filter(|(count, ..)| *count > 0);
        let ending = |count| if count == 1 { "" } else { "s" };
        let parts: Vec<_> = edges.map(|(count, of, at)| format!("{count} {of}{} {at}", ending(count))).collect();
        f.write_str(&parts.join(", "))
    }
}

/// The user's choice of which stated croppings to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CroppingChoice {
    /// Both the codec's and the container's, as in players.
    #[default]
    All,
    /// Only the codec's.
    Codec,
    /// None: all decoded pixels are counted.
    None,
}

impl CroppingChoice {
    /// Returns the name used on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Codec => "codec",
            Self::None => "none",
        }
    }
}

/// The effect of a stated cropping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CropUse {
    /// It is applied.
    #[default]
    Applied,
    /// The user declined it.
    Declined,
    /// It is ignored because it would leave nothing of the picture.
    Impossible,
}

/// A cropping that the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StatedCrop {
    /// The columns and lines.
    pub crop: Crop,
    /// The effect on the picture.
    pub used: CropUse,
}

impl StatedCrop {
    /// Decides the effect of a cropping on pictures of this size. Also returns the size that remains.
    fn resolve(crop: Crop, is_wanted: bool, size: (u32, u32)) -> (Self, (u32, u32)) {
        let (used, rest) = match crop.leaves(size) {
            _ if !is_wanted => (CropUse::Declined, size),
            None => (CropUse::Impossible, size),
            Some(rest) => (CropUse::Applied, rest),
        };
        (Self { crop, used }, rest)
    }

    /// Returns the columns and lines that are actually cropped.
    fn applied(self) -> Crop {
        if self.used == CropUse::Applied { self.crop } else { Crop::default() }
    }
}

impl fmt::Display for StatedCrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.used {
            CropUse::Applied => "not counted",
            CropUse::Declined => "counted anyway",
            CropUse::Impossible => "ignored: nothing of the picture would remain",
        };
        write!(f, "{}, {effect}", self.crop)
    }
}

/// The cropping of a picture by the codec and the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cropping {
    /// Width and height as decoded, before cropping.
    pub decoded_size: (u32, u32),
    /// The codec's cropping.
    pub codec: StatedCrop,
    /// The container's cropping, applied after the codec's.
    pub container: StatedCrop,
}

impl Cropping {
    /// Decides which croppings apply to pictures of this size.
    #[must_use]
    pub fn resolve(decoded_size: (u32, u32), codec: Crop, container: Crop, choice: CroppingChoice) -> Self {
        let (codec, rest) = StatedCrop::resolve(codec, choice != CroppingChoice::None, decoded_size);
        let (container, _) = StatedCrop::resolve(container, choice == CroppingChoice::All, rest);
        Self { decoded_size, codec, container }
    }

    /// Returns the width and height after the codec's cropping, even if it is not applied. File headers state this
    /// size.
    #[must_use]
    pub fn codec_leaves(&self) -> (u32, u32) {
        self.codec.crop.leaves(self.decoded_size).unwrap_or(self.decoded_size)
    }

    /// Returns the columns and lines cropped by the codec and the container together.
    #[must_use]
    pub fn applied(&self) -> Crop {
        let (codec, container) = (self.codec.applied(), self.container.applied());
        Crop {
            left: codec.left + container.left,
            right: codec.right + container.right,
            top: codec.top + container.top,
            bottom: codec.bottom + container.bottom,
        }
    }

    /// Returns each stated cropping with its source, `"codec"` or `"container"`.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, StatedCrop)> {
        [("codec", self.codec), ("container", self.container)].into_iter().filter(|(_, stated)| !stated.crop.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn crop(left: u32, right: u32, top: u32, bottom: u32) -> Crop {
        Crop { left, right, top, bottom }
    }

    #[test]
    fn the_container_crops_inside_the_codecs_crop() {
        let resolve = |codec, container, choice| Cropping::resolve((1920, 1088), codec, container, choice);
        let (codec, container) = (crop(0, 0, 0, 8), crop(240, 239, 1, 0));
        let all = resolve(codec, container, CroppingChoice::All);
        assert_eq!(all.applied(), crop(240, 239, 1, 8));
        assert_eq!(all.applied().leaves(all.decoded_size), Some((1441, 1079)));
        let told: Vec<_> = all.stated().map(|(by, stated)| format!("{by}: {stated}")).collect();
        assert_eq!(
            told,
            [
                "codec: 8 lines at the bottom, not counted",
                "container: 240 columns at the left, 239 columns at the right, 1 line at the top, not counted",
            ]
        );
        let some = resolve(codec, container, CroppingChoice::Codec);
        assert_eq!((some.applied(), some.container.used), (codec, CropUse::Declined));
        let none = resolve(codec, container, CroppingChoice::None);
        assert_eq!((none.applied(), none.codec.used), (Crop::default(), CropUse::Declined));
        assert_eq!([all, none].map(|cropping| cropping.codec_leaves()), [(1920, 1080); 2]);
        assert!(none.codec.to_string().ends_with("counted anyway"));
        assert_eq!(resolve(Crop::default(), Crop::default(), CroppingChoice::All).stated().count(), 0);
    }

    #[test]
    fn a_cropping_that_leaves_nothing_is_ignored_and_reported() {
        for container in [crop(1000, 920, 0, 0), crop(0, 0, u32::MAX, u32::MAX), crop(0, 5000, 0, 0)] {
            let cropping = Cropping::resolve((1920, 1088), crop(0, 0, 0, 8), container, CroppingChoice::All);
            assert_eq!((cropping.applied(), cropping.container.used), (crop(0, 0, 0, 8), CropUse::Impossible));
            assert!(cropping.container.to_string().ends_with("ignored: nothing of the picture would remain"));
        }
        // The container crops after the codec.
        let both = Cropping::resolve((64, 64), crop(40, 0, 0, 0), crop(0, 24, 0, 0), CroppingChoice::All);
        assert_eq!((both.applied(), both.container.used), (crop(40, 0, 0, 0), CropUse::Impossible));
        assert_eq!(crop(2, 1, 1, 2).leaves((4, 4)), Some((1, 1)));
        assert_eq!(crop(2, 2, 0, 0).leaves((4, 4)), None);
    }
}
