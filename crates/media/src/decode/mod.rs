//! Decoding: packets become pictures.
//!
//! `stream_codec` decodes the packets; if hardware fails, `fallback` leads to software. `pictures` makes the frames
//! readable, with `tiles` for pictures stored in parts and `stills` for single pictures. `position` is the state that a
//! seek resets.

pub(crate) mod decoder;
pub(crate) mod fallback;
pub(crate) mod pictures;
pub(crate) mod position;
pub(crate) mod stills;
pub(crate) mod stream_codec;
pub(crate) mod tiles;
