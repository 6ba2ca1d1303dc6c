//! Opening, seeking and decoding video. Only this crate uses FFmpeg.
//!
//! [`Decoder`] turns a file into [`Frame`](histoscope_core::picture::Frame)s, each delivered once and in presentation
//! order; [`DecodeThread`] does so on its own thread, behind a bounded queue.
//!
//! [`mod@read`] gives packets, [`mod@decode`] turns them into pictures, [`mod@times`] gives these their times and
//! numbers, [`mod@live`] does all of this on a thread of its own, and [`playback`] decides which frame is due. [`mod@sound`]
//! reads sound apart from the pictures. No room
//! knows one that follows it, except that decoding needs the times. `error` describes what can go wrong, and `av` owns
//! FFmpeg's objects.

mod av;
mod decode;
mod device;
mod error;
mod live;
pub mod playback;
mod read;
mod sound;
mod times;

pub use av::{DeviceMemory, HardwareKind, filters_keep_depth, version as ffmpeg_version, wait_until_closed};
pub use decode::decoder::{Decoder, StopHandle};
pub use error::{MediaError, MediaFault};
pub use live::exchange::{DecodeEvent, QueueLimits};
pub use live::reception::{NoSignal, Receiver, Reception, open_when_there};
pub use live::thread::DecodeThread;
pub use read::address::{is_live, is_local};
pub use read::ending::Ending;
pub use read::hardware::{HARDWARE_NAMES, HardwareChoice, HardwareOptions};
pub use read::info::{FrameCounters, LeftOut, OpenOptions, StreamInfo};
pub use read::numbered::sequences_in;
pub use read::streams::{AudioTrack, TrackKind, VideoTrack};
pub use read::target::{Seek, SeekTarget};
pub use sound::{MeasuredSound, SoundBlock, SoundForm, SoundReader};
pub use times::index::FrameIndex;
