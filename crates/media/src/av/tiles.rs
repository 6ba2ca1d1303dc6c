//! The streams of a HEIF file that are the tiles of one picture.

#[cfg(not(ffmpeg_before_7))]
use ffmpeg_next::ffi;

use super::Input;
#[cfg(not(ffmpeg_before_7))]
use super::enum_number;
use histoscope_core::picture::crop::Crop;

/// True if this FFmpeg tells how tiles are put together, as it does from version 7 on.
pub(crate) const TELLS_TILES: bool = cfg!(not(ffmpeg_before_7));

/// A picture that is put together of tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TileGrid {
    /// Width and height of all tiles together.
    pub(crate) size: (u32, u32),
    /// The part of that which is left out.
    pub(crate) crop: Crop,
    /// The tiles.
    pub(crate) tiles: Vec<Tile>,
}

/// A tile of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Index of the stream that it is the only frame of.
    pub(crate) stream: usize,
    /// Columns and lines before it.
    pub(crate) place: (u32, u32),
}

impl Input {
    /// How the item of that number is put together of tiles. Older versions of FFmpeg do not tell.
    #[cfg(ffmpeg_before_7)]
    pub(crate) const fn tile_grid(&self, _item: u32) -> Option<TileGrid> {
        None
    }

    /// How the item of that number is put together of tiles; `None` where it is not, or the numbers contradict each other.
    #[cfg(not(ffmpeg_before_7))]
    pub(crate) fn tile_grid(&self, item: u32) -> Option<TileGrid> {
        const TILES: i32 = ffi::AVStreamGroupParamsType::AV_STREAM_GROUP_PARAMS_TILE_GRID as i32;
        let context = self.as_ptr();
        let pixels = |count| u32::try_from(count).ok();
        // SAFETY: the context is valid, with arrays of the stated lengths of valid groups, and these of valid streams. A group of that
        // type has the parameters of a grid, with an array of the stated length. They live as long as the context.
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
                Some(Tile { stream, place: (pixels(offset.horizontal)?, pixels(offset.vertical)?) })
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
