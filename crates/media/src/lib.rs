//! Opening, seeking and decoding video. All of FFmpeg stays behind this module.
//!
//! [`Decoder`] turns a file into [`Frame`](histoscope_core::picture::Frame)s, each once and in presentation order; [`DecodeThread`]
//! does so on a thread of its own behind a bounded queue.
//!
//! `decoder` holds the decoder, which opens and seeks in the files of `decoder/`. Its packets come from `packets`: read by `demuxer` from a
//! `source` (what that may read besides itself: `allowed`; pictures that are numbered: `numbered`), or kept of a live source by `timeshift`.
//! `stream_codec` decodes them, `pictures` makes the frames readable (`layout`, `tags`; `tiles` where a picture is stored in
//! parts), `timeline`, `timecodes` and `numbering` place them in time and number, and `position` is what a seek forgets. Where a seek may
//! begin: `guarantee`; where it leads: `target`. `index` lists a file's packets. `ending` and `boxes` say what is wrong with a file, `error`
//! in which words. `reception` opens a live source again and again (`address`), `thread` decodes on a thread of its own, and
//! `exchange` is what it shares with the one that it serves. `av` owns FFmpeg's objects.

mod address;
mod allowed;
mod av;
mod boxes;
mod decoder;
mod demuxer;
mod device;
mod ending;
mod error;
mod exchange;
mod guarantee;
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
mod stream_codec;
mod streams;
mod tags;
mod target;
mod thread;
mod tiles;
mod timecodes;
mod timeline;
mod timeshift;

pub use av::{filters_keep_depth, version as ffmpeg_version};
pub use decoder::{Decoder, StopHandle};
pub use ending::Ending;
pub use error::MediaError;
pub use exchange::{DecodeEvent, QueueLimits};
pub use index::FrameIndex;
pub use info::{FrameCounters, OpenOptions, StreamInfo};
pub use numbered::sequences_in;
pub use reception::{NoSignal, Receiver, Reception, open_when_there};
pub use streams::{TrackKind, VideoTrack};
pub use target::{Seek, SeekTarget};
pub use thread::DecodeThread;
