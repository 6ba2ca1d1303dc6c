//! Assembly of HEIF pictures (HEIC, AVIF) that are stored as tiles.

use std::collections::{BTreeMap, BTreeSet};

use crate::av::{self, AvError, AvFrame, AvPacket, Codec, CodecOptions, Input, Read, Received, TileGrid};
use crate::error::{MediaError, MediaFault};
use crate::read::layout::native_layout;
use crate::read::source::Source;
use crate::read::streams::check_decoder;
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::layout::PixelLayout;

/// All tiles of a picture, assembled in one frame.
pub(crate) struct TiledPicture {
    grid: TileGrid,
    /// Index of the stream of the tile that represents all of them.
    stream: usize,
    frame: AvFrame,
}

impl TiledPicture {
    /// Decodes all tiles of that item in a HEIF file.
    ///
    /// # Errors
    /// [`MediaFault::Tiled`] unless equal tiles of the same format cover the picture, each once. Other errors as for
    /// reading.
    pub(crate) fn read(source: &Source, item: u32) -> Result<Self, MediaError> {
        let path = || source.path().to_owned();
        let refusal = || MediaFault::Tiled.of(path());
        if !av::REPORTS_TILES {
            return Err(refusal());
        }
        let mut input = source.open()?;
        let grid = input.tile_grid(item).ok_or_else(refusal)?;
        let stream = grid.tiles.first().ok_or_else(refusal)?.stream;
        // One stream may supply several tiles.
        let mut places = BTreeMap::<_, Vec<_>>::new();
        for tile in &grid.tiles {
            places.entry(tile.stream).or_default().push(tile.position);
        }
        let codec = input.stream(stream).map_or("", |parameters| parameters.codec_name()).to_owned();
        let no_frames = |refused| MediaFault::NoFrames { codec: codec.clone(), refused }.of(path());
        let mut filled: Option<TileFrame> = None;
        while !places.is_empty() {
            let packet = match input.read() {
                Read::Packet(packet) => packet,
                Read::Denied(denied) => return Err(source.denied(denied)),
                Read::Error(error) if error != AvError::INVALID_DATA => return Err(source.error("reading", error)),
                Read::End | Read::Error(_) => return Err(no_frames(0)),
            };
            let Ok(index) = usize::try_from(packet.stream()) else { continue };
            let Some(places) = places.remove(&index) else { continue };
            let Some(parameters) = input.stream(index) else { continue };
            check_decoder(&parameters, source.path())?;
            if parameters.crop().is_some_and(|crop| !crop.is_none()) {
                return Err(refusal());
            }
            let tile = decode(&input, index, &packet).map_err(|error| source.error("opening the decoder", error))?;
            let tile = tile.ok_or_else(|| no_frames(1))?;
            let filled = match &mut filled {
                Some(filled) => filled,
                None => filled.insert(TileFrame::of(&grid, &tile).ok_or_else(refusal)?),
            };
            for place in places {
                filled.put(&tile, place).ok_or_else(refusal)?;
            }
        }
        let frame = filled.ok_or_else(refusal)?.frame;
        Ok(Self { grid, stream, frame })
    }

    /// Returns the index of the stream of the tile whose frame describes the [whole](Self::whole).
    pub(crate) const fn stream(&self) -> usize {
        self.stream
    }

    /// Returns the width and height of all tiles together.
    pub(crate) const fn size(&self) -> (u32, u32) {
        self.grid.size
    }

    /// Returns the container's cropping of them.
    pub(crate) const fn crop(&self) -> Crop {
        self.grid.crop
    }

    /// Returns the whole picture with the properties of that tile's frame, which it replaces.
    pub(crate) fn whole(&self, tile: &AvFrame) -> AvFrame {
        self.frame.with_properties_of(tile)
    }
}

/// Decodes the only packet of a stream and returns its frame.
fn decode(input: &Input, stream: usize, packet: &AvPacket) -> Result<Option<AvFrame>, AvError> {
    let Some(parameters) = input.stream(stream) else { return Ok(None) };
    let mut codec = Codec::open(&parameters, CodecOptions::of_threads(1))?;
    if codec.send(Some(packet)).is_err() || codec.send(None).is_err() {
        return Ok(None);
    }
    Ok(match codec.receive() {
        Received::Frame(frame) => Some(frame),
        Received::NeedsInput | Received::End | Received::Refused(_) => None,
    })
}

/// The properties that all tiles must share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TileKind {
    format: av::PixelFormat,
    color: av::ColorNumbers,
    /// Width and height after the codec's cropping.
    size: (u32, u32),
}

impl TileKind {
    /// Returns the properties of a frame; `None` if the codec crops columns on its left or lines at its top.
    fn of(frame: &AvFrame) -> Option<Self> {
        let crop = frame.crop();
        let size = crop.leaves(frame.size()).filter(|_| (crop.left, crop.top) == (0, 0))?;
        Some(Self { format: frame.format(), color: frame.color_numbers(), size })
    }
}

/// A frame into which tiles are copied.
struct TileFrame {
    kind: TileKind,
    layout: PixelLayout,
    frame: AvFrame,
}

impl TileFrame {
    /// Creates the frame for tiles like this one; `None` unless they fill the grid.
    fn of(grid: &TileGrid, tile: &AvFrame) -> Option<Self> {
        let kind = TileKind::of(tile)?;
        let layout = native_layout(&kind.format.descriptor()?)?;
        let places: Vec<_> = grid.tiles.iter().map(|tile| tile.position).collect();
        let is_whole =
            is_filled(grid.size, kind.size, &places) && places.iter().all(|place| is_at_sample(&layout, *place));
        let frame = AvFrame::to_fill(kind.format, grid.size).filter(|_| is_whole)?;
        Some(Self { kind, layout, frame })
    }

    /// Copies a tile to a position of the grid; returns `None` if it differs from the first tile.
    fn put(&mut self, tile: &AvFrame, (x, y): (u32, u32)) -> Option<()> {
        if TileKind::of(tile)? != self.kind {
            return None;
        }
        let (width, height) = self.kind.size;
        for plane in 0..self.layout.plane_count() {
            let (row_bytes, rows) = self.layout.plane_size(plane, width, height);
            let rows = tile.copy_rows(plane, row_bytes, rows)?;
            self.frame.fill_rows(plane, self.layout.plane_size(plane, x, y), (&rows, row_bytes))?;
        }
        if tile.is_damaged() {
            self.frame.set_damaged();
        }
        Some(())
    }
}

/// Returns `true` if tiles of equal size at these positions fill the whole size without overlapping.
fn is_filled((width, height): (u32, u32), tile: (u32, u32), places: &[(u32, u32)]) -> bool {
    if tile.0 == 0 || tile.1 == 0 || width % tile.0 != 0 || height % tile.1 != 0 {
        return false;
    }
    let is_cell = |&(x, y): &(u32, u32)| x < width && y < height && x % tile.0 == 0 && y % tile.1 == 0;
    let cells = u64::from(width / tile.0) * u64::from(height / tile.1);
    let distinct: BTreeSet<_> = places.iter().filter(|place| is_cell(place)).collect();
    distinct.len() == places.len() && places.len() as u64 == cells
}

/// Returns `true` if samples of all planes start at that position.
const fn is_at_sample(layout: &PixelLayout, (x, y): (u32, u32)) -> bool {
    let (across, down) = layout.chroma_shift;
    x % (1 << across) == 0 && y % (1 << down) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_must_fill_the_picture_without_overlapping() {
        let places = [(0, 0), (64, 0), (0, 32), (64, 32)];
        assert!(is_filled((128, 64), (64, 32), &places));
        assert!(!is_filled((128, 64), (64, 32), &places[..3]), "one is missing");
        assert!(!is_filled((128, 64), (64, 32), &[places[0], places[1], places[2], places[0]]), "one is there twice");
        assert!(!is_filled((128, 64), (64, 32), &[places[0], places[1], places[2], (63, 32)]), "one is off");
        assert!(!is_filled((128, 64), (64, 32), &[places[0], places[1], places[2], (128, 32)]), "one is outside");
        assert!(!is_filled((127, 64), (64, 32), &places), "they are larger");
        assert!(!is_filled((128, 64), (0, 32), &places), "they are nothing");
    }

    #[test]
    fn tiles_start_at_whole_chroma_samples() {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        assert!(
            is_at_sample(&layout, (62, 30)) && !is_at_sample(&layout, (63, 30)) && !is_at_sample(&layout, (62, 31))
        );
        assert!(is_at_sample(&PixelLayout::planar_ycbcr(8, (0, 0)), (63, 31)));
    }
}
