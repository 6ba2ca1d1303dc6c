//! The tiles of a picture in a HEIF file, each of which is a stream.

#[cfg(not(ffmpeg_before_7))]
use ffmpeg_next::ffi;

use super::Input;
#[cfg(not(ffmpeg_before_7))]
use super::enum_number;
use histoscope_core::picture::crop::Crop;

/// `true` if this FFmpeg reports how tiles are arranged, which it does from version 7 on.
pub(crate) const REPORTS_TILES: bool = cfg!(not(ffmpeg_before_7));

/// A picture assembled from tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TileGrid {
    /// Width and height of all tiles together.
    pub(crate) size: (u32, u32),
    /// The edges of the assembled tiles to crop.
    pub(crate) crop: Crop,
    /// The tiles.
    pub(crate) tiles: Vec<Tile>,
}

/// A tile of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Index of the stream whose only frame is this tile.
    pub(crate) stream: usize,
    /// Columns and rows to the left of and above the tile.
    pub(crate) position: (u32, u32),
}

impl Input {
    /// Returns how the item is assembled from tiles. Older versions of FFmpeg do not report it.
    #[cfg(ffmpeg_before_7)]
    pub(crate) const fn tile_grid(&self, _item: u32) -> Option<TileGrid> {
        None
    }

    /// Returns how the item is assembled from tiles; `None` if it is not tiled, or if the numbers contradict each
    /// other.
    #[cfg(not(ffmpeg_before_7))]
    pub(crate) fn tile_grid(&self, item: u32) -> Option<TileGrid> {
        const TILES: i32 = ffi::AVStreamGroupParamsType::AV_STREAM_GROUP_PARAMS_TILE_GRID as i32;
        let context = self.as_ptr();
        let pixels = |count| u32::try_from(count).ok();
        // SAFETY: the context is valid and has an array of valid groups of the stated length; each group has such an
        // array of valid streams. A group of this type has grid parameters, with an array of the stated length. All of
        // them live as long as the context.
        unsafe {
            let mut groups = (0..(*context).nb_stream_groups as usize).map(|at| *(*context).stream_groups.add(at));
            let group = groups.find(|group| {
                let kind = enum_number(&raw const (**group).type_);
                kind == TILES && (**group).id == i64::from(item)
            })?;
            let grid = (*group).params.tile_grid.as_ref()?;
            let tile = |at| {
                let offset = grid.offsets.add(at).read();
                let index = usize::try_from(offset.idx).ok().filter(|_| offset.idx < (*group).nb_streams)?;
                let stream = usize::try_from((**(*group).streams.add(index)).index).ok()?;
                Some(Tile { stream, position: (pixels(offset.horizontal)?, pixels(offset.vertical)?) })
            };
            let tiles = (0..grid.nb_tiles as usize).map(tile).collect::<Option<_>>()?;
            let size = (pixels(grid.coded_width)?, pixels(grid.coded_height)?);
            let (left, top) = (pixels(grid.horizontal_offset)?, pixels(grid.vertical_offset)?);
            let right = size.0.checked_sub(left)?.checked_sub(pixels(grid.width)?)?;
            let bottom = size.1.checked_sub(top)?.checked_sub(pixels(grid.height)?)?;
            Some(TileGrid { size, crop: Crop { left, right, top, bottom }, tiles })
        }
    }
}
