//! Opening, seeking and decoding video. All of FFmpeg stays behind this module.
//!
//! [`Decoder`] turns a file into [`Frame`](histoscope_core::picture::Frame)s, each once and in presentation order; [`DecodeThread`]
//! does so on a thread of its own behind a bounded queue.
//!
//! `open`, `decoder`, `seek`, `keyframe` and `ahead` are the parts of the decoder, `repeatable` has it give damaged frames the same each time, `target` is where a seek leads; `source` is where its bytes come from (`numbered` pictures, too), `allowed` what else those may
//! name, `pictures`
//! makes what it decodes readable, `earlier` keeps what it decodes on the way, and `numbering` numbers its frames by the list
//! that `index` makes of a file's packets. `reception` opens what is live again and again, `timeshift` keeps its packets, and `replay` decodes them once more. `av` owns FFmpeg's objects. The other
//! files are plain decisions about numbers: `layout` (which pixel formats are native), `timeline` (when a frame is shown), `timecodes` (how it is labelled),
//! `address` (what is live), `device` (what is a camera or a screen), `ending` and `missing` (whether the file was cut off, and what it lacks for that), `no_frames` and `boxes` (why it gives no frame), `tags` and `orientation` (what the file says about it), `streams` (which stream is the video). `tiles` puts a picture together that is stored in parts.

mod address;
mod ahead;
mod airing;
mod allowed;
mod approach;
mod av;
mod boxes;
mod decoder;
mod device;
mod earlier;
mod ending;
mod error;
mod exchange;
mod index;
mod info;
mod keyframe;
mod layout;
mod missing;
mod no_frames;
mod numbered;
mod numbering;
mod open;
mod orientation;
mod pictures;
pub mod playback;
mod position;
mod promise;
mod reception;
mod repeatable;
mod replay;
mod seek;
mod source;
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
pub use error::MediaError;
pub use exchange::{DecodeEvent, Demand, QueueLimits};
pub use index::FrameIndex;
pub use info::{FrameCounters, OpenOptions, StreamInfo};
pub use missing::Ending;
pub use numbered::sequences_in;
pub use reception::{NoSignal, Receiver, Reception, open_when_there};
pub use streams::{TrackKind, VideoTrack};
pub use target::{Seek, SeekTarget};
pub use thread::DecodeThread;
