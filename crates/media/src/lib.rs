//! Opening, seeking and decoding video. Only this crate uses FFmpeg.
//!
//! [`Decoder`] turns a file into [`Frame`](histoscope_core::picture::Frame)s, each delivered once and in presentation
//! order; [`DecodeThread`] does so on its own thread, behind a bounded queue.
//!
//! `decoder` contains the decoder, with opening and seeking in `decoder/`. Its packets come from `packets`: either
//! `demuxer` reads them from a `source`, or `timeshift` has stored them from a live source. `allowed` defines the files
//! that a source may read besides itself; `numbered` finds the files of numbered pictures. `stream_codec` decodes the
//! packets, with what `hardware` has chosen; if hardware fails, `fallback` leads to software. `pictures` makes the frames readable, using `layout`, `tags` and, for pictures stored in parts, `tiles`.
//! `timeline`, `timecodes` and `numbering` give the frames their times and numbers, and `position` is the state that a
//! seek resets. `guarantee` determines where a seek may start decoding, and `target` where it leads. `index` lists a
//! file's packets. `ending`, `boxes` and `undecodable` find faults in a file, and `error` describes them; `exr` reads the layers of pictures. `reception` reopens a live
//! source (`address`) as often as needed. `thread` decodes on its own thread, and `exchange` is the state that it
//! shares with the thread that it serves. `av` owns FFmpeg's objects.

mod address;
mod allowed;
mod av;
mod boxes;
mod camera_log;
mod decoder;
mod demuxer;
mod device;
mod ending;
mod error;
mod exchange;
mod exr;
mod fallback;
mod guarantee;
mod hardware;
mod index;
mod info;
mod layout;
mod numbered;
mod numbering;
mod packets;
mod pictures;
pub mod playback;
mod position;
mod reception;
mod source;
mod stills;
mod stream_codec;
mod streams;
mod tags;
mod target;
mod thread;
mod tiles;
mod timecodes;
mod timeline;
mod timeshift;
mod undecodable;

pub use address::{is_live, is_local};
pub use av::{DeviceMemory, HardwareKind, filters_keep_depth, version as ffmpeg_version, wait_until_closed};
pub use decoder::{Decoder, StopHandle};
pub use ending::Ending;
pub use error::{MediaError, MediaFault};
pub use exchange::{DecodeEvent, QueueLimits};
pub use hardware::{HARDWARE_NAMES, HardwareChoice, HardwareOptions};
pub use index::FrameIndex;
pub use info::{FrameCounters, LeftOut, OpenOptions, StreamInfo};
pub use numbered::sequences_in;
pub use reception::{NoSignal, Receiver, Reception, open_when_there};
pub use streams::{TrackKind, VideoTrack};
pub use target::{Seek, SeekTarget};
pub use thread::DecodeThread;
