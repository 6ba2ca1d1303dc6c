//! Errors about media files: each is one line that says what happened and what to do.

use crate::av::HardwareKind;
use crate::device::{Device, device};
use std::path::{Path, PathBuf};

use histoscope_core::picture::Timecode;
use histoscope_core::text::{counted, sanitized, shown};

/// An error in opening, reading or seeking in a file. Its text is one line for the user.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {fault}{}", shown(path), fault.advice(path))]
pub struct MediaError {
    /// The file or the source.
    pub path: PathBuf,
    /// What happened.
    pub fault: MediaFault,
}

/// What happened to a file, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MediaFault {
    /// The file does not exist.
    #[error("no such file; check the spelling and the folder")]
    NotFound,
    /// No file name matches the pattern of an image sequence.
    #[error("no picture's name matches this pattern; %04d stands for a four-digit number, * for anything")]
    NoMatch,
    /// The file existed when it was opened, but no longer does when it is needed again.
    #[error("the file was moved or deleted after it was opened; put it back to play it again")]
    Gone,
    /// The path is a directory.
    #[error("this is a folder without numbered pictures; name a video file in it")]
    Directory,
    /// The folder holds several sequences of numbered pictures.
    #[error("contains several sequences of pictures; name one of them ({})", sanitized(names))]
    SeveralSequences {
        /// Their patterns, separated by commas.
        names: String,
    },
    /// The file to open as a sequence is not a numbered picture.
    #[error("not a numbered picture, so it belongs to no sequence; leave --sequence out")]
    NotNumbered,
    /// The source to follow while it is being written is not a sequence of numbered pictures.
    #[error("--follow needs numbered pictures, which this is not; omit it, or add --sequence")]
    NotFollowed,
    /// A pattern such as `*.dpx`, which FFmpeg does not resolve on Windows.
    #[error("no file has this name, and patterns name no pictures on Windows; name their folder")]
    NoPatterns,
    /// Windows takes the name for one of its devices.
    #[error("Windows takes this name for a device and not for a file; rename the file")]
    WindowsDevice,
    /// The file has no video track of that number.
    #[error("there is no video track {track}; the file has {}", numbers_to(*tracks))]
    NoSuchTrack {
        /// The requested number.
        track: u32,
        /// Number of video tracks in the file.
        tracks: usize,
    },
    /// The file has no sound track of that number.
    #[error("there is no sound track {track}; the file has {}", if *tracks == 0 { "none".to_owned() } else { numbers_to(*tracks) })]
    NoSuchAudioTrack {
        /// The requested number.
        track: u32,
        /// Number of sound tracks in the file.
        tracks: usize,
    },
    /// The sound cannot be read separately.
    #[error("only files can be heard: this source can be read only once, and that is for its pictures")]
    SoundOnce,
    /// The operating system refuses to open or read the file.
    #[error("cannot be read ({reason}); check its permissions and its disk")]
    Unreadable {
        /// The system's message.
        reason: String,
    },
    /// The file has no bytes.
    #[error("the file is empty; copy or download it again")]
    Empty,
    /// FFmpeg does not recognise the file as video.
    #[error("not a video that FFmpeg recognises ({reason}); try another file")]
    NotMedia {
        /// FFmpeg's message.
        reason: String,
    },
    /// An MP4 or MOV file lacks its index.
    #[error(
        "the MP4 index (moov) is missing, so the file was cut off while it was written or copied; copy it again or \
         repair it with a tool such as untrunc"
    )]
    NoIndex,
    /// The file is part of a segmented stream, and holds either its headers or its frames.
    #[error(
        "a segment of a stream (DASH, CMAF, HLS) without its {missing}; join them (cat init.mp4 segment.m4s > \
         whole.mp4), or open the stream's manifest"
    )]
    Segment {
        /// The part that it lacks.
        missing: &'static str,
    },
    /// A box of an MP4 or MOV file states a wrong size, so its index cannot be found.
    #[error(
        "the box \"{}\" at byte {at} states a wrong size, so the MP4 index (moov) after it cannot be found; copy \
         it again, or repair that box",
        sanitized(kind)
    )]
    IndexHidden {
        /// Kind of the box.
        kind: String,
        /// Byte offset of the box.
        at: u64,
    },
    /// An MP4 or MOV file that is read from a pipe has its index after the frames.
    #[error(
        "this MP4 has its index (moov) at the end, after the frames, and can only be read from a file, not from a \
         pipe; save it to a file, or move its index with ffmpeg -c copy -movflags +faststart"
    )]
    IndexAtEnd,
    /// A HEIF picture, which this version of FFmpeg cannot read.
    #[error("a HEIF picture (HEIC, AVIF), which this FFmpeg cannot read; convert it to PNG or JPEG")]
    Heif,
    /// A HEIF picture that consists of tiles, which cannot be assembled.
    #[error("a HEIF picture (HEIC, AVIF) made of tiles, which cannot be assembled; convert it to PNG or JPEG")]
    Tiled,
    /// A HEIF picture states an orientation that the format does not define.
    #[error(
        "its orientation is undefined (the property {kind} has the value {value}); convert the picture to PNG or JPEG"
    )]
    UndefinedProperty {
        /// The property.
        kind: &'static str,
        /// Its value.
        value: u8,
    },
    /// The pixels of the video cannot be read.
    #[error("{reason}; convert the video, for instance with ffmpeg -pix_fmt rgb24")]
    NoPicture {
        /// The reason, with the pixel format.
        reason: String,
    },
    /// An animated WebP, which FFmpeg cannot decode.
    #[error("an animated WebP, which this FFmpeg cannot decode; convert it to a video or to numbered pictures")]
    AnimatedWebp,
    /// A picture with more pixels than FFmpeg can decode.
    #[error("{width}×{height} pixels, more than FFmpeg can decode; scale it down, or cut it into parts")]
    TooLarge {
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
    },
    /// The file refers to another file or an address that it is not allowed to read.
    #[error("refused to read {named}, to which it refers: ")]
    Refused {
        /// The name of the other file or address.
        named: String,
    },
    /// The key of a playlist's segments was not read.
    #[error(
        "its segments are encrypted, and their key {named} was not read; decrypt them first, for example with \
         ffmpeg -allowed_extensions ALL -i PLAYLIST -c copy clear.ts"
    )]
    KeyUnread {
        /// The name of the key.
        named: String,
    },
    /// A part of a playlist cannot be read.
    #[error("{named}, to which it refers, cannot be read; check that it exists and is a video file or address")]
    PartUnread {
        /// The name of the part.
        named: String,
    },
    /// The file has no video stream.
    #[error("contains no video ({found}); open a file that has a picture")]
    NoVideo {
        /// The streams that it has instead.
        found: String,
    },
    /// FFmpeg has no decoder for the codec.
    #[error("this FFmpeg has no decoder for {codec}; install one that has it, or convert the file")]
    NoDecoder {
        /// The codec's name.
        codec: String,
    },
    /// FFmpeg's decoder cannot decode something that the stream uses.
    #[error("this FFmpeg cannot decode {what}; convert the file with another program first")]
    Undecodable {
        /// What it cannot decode, in words.
        what: String,
    },
    /// The content of a picture is not in the format that its name states.
    #[error("does not begin like {codec}, although it is named so; if it is in another format, rename it")]
    Misnamed {
        /// The codec that the name stands for.
        codec: String,
    },
    /// The default layer of an EXR picture is not a picture.
    #[error(
        "its default layer has neither red, green and blue nor luminance (its channels: {}); {}",
        sanitized(channels),
        layer_advice(layers.as_deref())
    )]
    NoDefaultLayer {
        /// The names of its channels, separated by commas.
        channels: String,
        /// The names of its layers that can be decoded, separated by commas.
        layers: Option<String>,
    },
    /// The picture has no layer of that name that can be decoded.
    #[error(
        "it has no layer {} that FFmpeg can decode; {}",
        sanitized(layer),
        other_layers(layers.as_deref())
    )]
    NoSuchLayer {
        /// The requested name.
        layer: String,
        /// The names of its layers that can be decoded, separated by commas.
        layers: Option<String>,
    },
    /// A layer was requested, but the source is not an EXR file.
    #[error("only EXR files have layers; leave --layer out")]
    NoLayers,
    /// The video is encrypted or scrambled.
    #[error("its video is scrambled (encrypted); descramble it first, with the key that belongs to it")]
    Scrambled,
    /// No frame of the file could be decoded.
    #[error(
        "no frame could be decoded from the whole file ({codec}, {} refused); it is damaged, encrypted, or of a kind \
         that FFmpeg does not know; try another copy",
        counted(*refused, "packet")
    )]
    NoFrames {
        /// The codec's name.
        codec: String,
        /// Number of packets that the decoder refused.
        refused: u64,
    },
    /// The file ends within its first frame.
    #[error("the file was cut off in its first frame; copy or download it again")]
    CutInFirst,
    /// The video track has no packets.
    #[error(
        "its video track ({codec}) has no whole frame: it is empty, or was cut off in its first frame; try another \
         copy of the file"
    )]
    EmptyTrack {
        /// The codec's name.
        codec: String,
    },
    /// An edit list leaves out all frames.
    #[error(
        "its edit list leaves out every frame of the video; convert it with ffmpeg -ignore_editlist 1, which shows them"
    )]
    AllLeftOut,
    /// The source can only be read forwards.
    #[error("this source can only be played forwards; save it to a file to seek in it")]
    NotSeekable,
    /// A timecode was requested, but the frames have none.
    #[error("its frames have no timecodes; use a time (1:02.5) or a frame number (250f) instead")]
    NoTimecodes,
    /// No frame has the requested timecode.
    #[error("no frame has the timecode {timecode}; the first one has {first}")]
    NoSuchTimecode {
        /// The requested timecode.
        timecode: Timecode,
        /// The timecode of the first frame.
        first: Timecode,
    },
    /// The source delivered no data within the time limit.
    #[error("no data for {seconds} s; check the connection and try again")]
    TimedOut {
        /// The time limit, in seconds.
        seconds: f64,
    },
    /// The address names a host that cannot be resolved.
    #[error("host \"{}\" cannot be found; check the address and the connection", sanitized(host))]
    Unresolved {
        /// The host's name.
        host: String,
    },
    /// The address names an impossible port.
    #[error("there is no port {port}; a port is a number from 1 to 65535")]
    NoSuchPort {
        /// The text given as the port.
        port: String,
    },
    /// FFmpeg does not support the protocol.
    #[error(
        "this FFmpeg does not support the protocol; check the part before ://, or install an FFmpeg that supports \
         it"
    )]
    NoProtocol,
    /// Another program is already listening on the port.
    #[error("another program is using this port; close it, or make the sender use another port")]
    PortTaken,
    /// The caller stopped the operation.
    #[error("stopped")]
    Stopped,
    /// FFmpeg's device library cannot be loaded.
    #[error("FFmpeg's device library {library} cannot be loaded; {}", device_library_advice(*major))]
    NoDeviceLibrary {
        /// The library's file name.
        library: String,
        /// Its major version.
        major: u32,
    },
    /// There is no such kind of device, or no device name follows it.
    #[error("name a device as av://KIND:NAME; the available kinds are {available}")]
    NoSuchDevice {
        /// The available kinds, separated by commas.
        available: String,
    },
    /// Another program is using the device.
    #[error("the device is in use by another program; close that, or use another device")]
    DeviceInUse,
    /// The device does not exist or cannot be used.
    #[error("the device cannot be opened ({reason}); ")]
    Device {
        /// FFmpeg's message.
        reason: String,
    },
    /// The hardware decoder that was named does not exist on this machine, or not for the codec.
    #[error(
        "cannot be decoded with {} ({reason}); use --hwdec auto, or leave --hwdec out to decode in software",
        kind.name()
    )]
    NoHardware {
        /// The kind of hardware.
        kind: HardwareKind,
        /// The reason, in a few words.
        reason: String,
    },
    /// A frame that hardware has decoded differs from software's.
    #[error(
        "the frame at {seconds:.3} s differs from software's in {difference} if decoded with {hardware}; leave \
         --hwdec out to decode in software"
    )]
    HardwareDiffers {
        /// The name of the hardware decoder.
        hardware: &'static str,
        /// Time of the frame, in seconds from the first.
        seconds: f64,
        /// What differs.
        difference: &'static str,
    },
    /// Frames cannot be decoded twice for a comparison.
    #[error("--verify with --hwdec reads the video twice, which takes a file; save it to one")]
    NotRepeatable,
    /// The decoder cannot be replaced, because the video is read only once or consists of tiles.
    #[error("its decoder cannot be changed; only files with one stream of pictures can be decoded again")]
    NotSwitchable,
    /// The hardware decoder failed, and software cannot continue with the same frame.
    #[error(
        "decoding with {hardware} failed ({reason}), and the packets since the last keyframe are no longer there \
         for software to continue; leave --hwdec out"
    )]
    HardwareLost {
        /// The name of the hardware decoder.
        hardware: &'static str,
        /// The reason, in a few words.
        reason: String,
    },
    /// Another failure that FFmpeg or the system reports.
    #[error("{action} failed ({reason}); ")]
    Failed {
        /// The operation that failed.
        action: &'static str,
        /// The message of FFmpeg or the system.
        reason: String,
    },
}

impl MediaError {
    /// Returns `true` if another stream of the same file may be readable.
    pub(super) const fn is_of_stream(&self) -> bool {
        use MediaFault as F;
        matches!(
            self.fault,
            F::NoFrames { .. }
                | F::Undecodable { .. }
                | F::Scrambled
                | F::CutInFirst
                | F::NoDecoder { .. }
                | F::EmptyTrack { .. }
                | F::AllLeftOut
                | F::TooLarge { .. }
                | F::NoPicture { .. }
        )
    }
}

impl MediaFault {
    /// Returns the error that this has happened to a file or a source.
    #[must_use]
    pub fn of(self, path: impl Into<PathBuf>) -> MediaError {
        MediaError { path: path.into(), fault: self }
    }

    /// Returns the end of the message, if it depends on the source.
    fn advice(&self, path: &Path) -> &'static str {
        match self {
            Self::Refused { .. } => rule(path),
            Self::Device { .. } => device_advice(path),
            Self::Failed { .. } => advice(path),
            _ => "",
        }
    }
}

/// Returns `true` if the text is a network address rather than a file.
pub(super) fn is_address(text: &str) -> bool {
    text.contains("://") && !text.starts_with("file:")
}

/// Returns what to do on this system about a missing device library with that major version.
fn device_library_advice(major: u32) -> String {
    if cfg!(windows) {
        "put it back beside the program, from the download".to_owned()
    } else {
        format!("install it (on Debian and Ubuntu: libavdevice{major})")
    }
}

/// Returns the range from 1 to `last`, in words.
fn numbers_to(last: usize) -> String {
    if last == 1 { "only track 1".to_owned() } else { format!("tracks 1 to {last}") }
}

/// Returns advice about the files and protocols that a source may read besides itself; see `allowed`.
fn rule(path: &Path) -> &'static str {
    if is_address(&path.to_string_lossy()) {
        "an address may refer to other addresses, but not to files on this machine; open that directly if you trust it"
    } else if path == Path::new("-") {
        "data from a pipe may refer to nothing else; open that directly if you trust it"
    } else {
        "a file may refer to media files next to it, but to no other files and no addresses; open that directly if you \
         trust it"
    }
}

/// Returns advice for an EXR picture whose default layer is not a picture.
fn layer_advice(layers: Option<&str>) -> String {
    match layers {
        Some(layers) => format!("choose another layer with --layer ({})", sanitized(layers)),
        None => "FFmpeg decodes no other channels, so convert it with another program first".to_owned(),
    }
}

/// Returns advice for an EXR picture without the requested layer.
fn other_layers(layers: Option<&str>) -> String {
    match layers {
        Some(layers) => format!("choose one of these, or leave --layer out: {}", sanitized(layers)),
        None => "it has no other layers to choose, so leave --layer out".to_owned(),
    }
}

/// Returns advice for a device that cannot be opened.
fn device_advice(path: &Path) -> &'static str {
    match device(&path.to_string_lossy()) {
        Some(Device { kind: "v4l2" | "video4linux2", .. }) => {
            "check that the camera is connected (ls /dev/video*) and that you may read it (group video)"
        }
        Some(Device { kind: "x11grab", .. }) => "check the display's name (echo $DISPLAY) and that you may read it",
        _ => "check its name",
    }
}

/// Returns advice for a failed operation.
fn advice(path: &Path) -> &'static str {
    if is_address(&path.to_string_lossy()) {
        "check the address and the connection"
    } else {
        "try another copy of the file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_depends_on_the_source() {
        let told = |path: &str| {
            let reason = "Connection refused".to_owned();
            MediaFault::Failed { action: "opening it", reason }.of(path).to_string()
        };
        assert!(told("http://localhost:1/x.mp4").ends_with("check the address and the connection"));
        for path in ["clips/x.mp4", "file:///clips/x.mp4"] {
            assert!(told(path).ends_with("try another copy of the file"), "{path}");
        }
    }
}
