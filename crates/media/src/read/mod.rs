//! Reading: the source of a video (a file, an address, a device, numbered pictures), its packets, and what it states.
//!
//! `packets` gives packets: either `demuxer` reads them from a `source`, or `timeshift` has stored them from a live
//! source (`address`). `allowed` defines the files that a source may read besides itself; `numbered` finds the files of
//! numbered pictures, and `target` says where a seek leads. `tap` passes on the sound
//! of a live source. `streams`, `tags`, `layout`, `camera_log` and `exr` read
//! what is stated, and `guarantee` determines where a seek may start decoding. `ending`, `boxes` and `undecodable` find
//! faults in a file.

pub(crate) mod address;
pub(crate) mod allowed;
pub(crate) mod boxes;
pub(crate) mod camera_log;
pub(crate) mod demuxer;
pub(crate) mod ending;
pub(crate) mod exr;
pub(crate) mod guarantee;
pub(crate) mod hardware;
pub(crate) mod info;
pub(crate) mod layout;
pub(crate) mod numbered;
pub(crate) mod packets;
pub(crate) mod source;
pub(crate) mod stated;
pub(crate) mod streams;
pub(crate) mod tags;
pub(crate) mod tap;
pub(crate) mod target;
pub(crate) mod timeshift;
pub(crate) mod undecodable;
