//! Errors of media files, each in one line that says what happened and what to do.

use super::device::{Device, device};
use std::path::{Path, PathBuf};

use histoscope_core::picture::Timecode;
use histoscope_core::text::{counted, plain, shown};

/// Why a file could not be opened, read or positioned. Its text is one line for the user.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MediaError {
    /// There is no such file.
    #[error("{}: no such file; check the spelling and the folder", shown(path))]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// No file fits the pattern of an image sequence.
    #[error(
        "{}: no picture's name fits this pattern; %04d stands for a number of four digits, * for anything",
        shown(path)
    )]
    NoMatch {
        /// The pattern.
        path: PathBuf,
    },
    /// The file was there when it was opened and is needed again.
    #[error("{}: the file is gone since it was opened (moved or deleted); put it back to start it again", shown(path))]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("{}: this is a folder without numbered pictures; name a video file in it", shown(path))]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The folder holds several sequences of numbered pictures.
    #[error("{}: holds several sequences of pictures; name one of them ({})", shown(path), plain(names))]
    SeveralSequences {
        /// The folder.
        path: PathBuf,
        /// Their patterns, separated by commas.
        names: String,
    },
    /// A file that is to be opened as a sequence is no numbered picture.
    #[error("{}: not a numbered picture, so it belongs to no sequence; leave --sequence out", shown(path))]
    NotNumbered {
        /// The file.
        path: PathBuf,
    },
    /// Something else than numbered pictures is to be followed while it is written.
    #[error(
        "{}: --follow waits for numbered pictures, which this is not; leave it out, or add --sequence",
        shown(path)
    )]
    NotFollowed {
        /// The file.
        path: PathBuf,
    },
    /// There is no video track of that number.
    #[error("{}: there is no video track {track}; its video tracks are {}", shown(path), numbers_to(*tracks))]
    NoSuchTrack {
        /// The file.
        path: PathBuf,
        /// The number.
        track: u32,
        /// How many video tracks there are.
        tracks: usize,
    },
    /// The operating system refuses to open or read the file.
    #[error("{}: cannot be read ({reason}); check its permissions and its disk", shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The file has no bytes.
    #[error("{}: the file is empty; copy or download it again", shown(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// FFmpeg does not recognise the file as video.
    #[error("{}: not a video that FFmpeg recognises ({reason}); try another file", shown(path))]
    NotMedia {
        /// The file.
        path: PathBuf,
        /// FFmpeg's words.
        reason: String,
    },
    /// An MP4 or MOV file lacks the index at its end.
    #[error(
        "{}: the MP4 index (moov) is missing, so the file was cut off while it was written or copied; copy it again or \
         repair it with a tool such as untrunc",
        shown(path)
    )]
    NoIndex {
        /// The file.
        path: PathBuf,
    },
    /// A box of an MP4 or MOV file states a wrong size, so that its index is not found.
    #[error(
        "{}: the box \"{}\" at byte {at} states a wrong size, so that the MP4 index (moov) behind it is not found; copy it \
         again, or repair that box",
        shown(path),
        plain(kind)
    )]
    IndexHidden {
        /// The file.
        path: PathBuf,
        /// The box's kind.
        kind: String,
        /// Where it begins, in bytes.
        at: u64,
    },
    /// An MP4 or MOV file that comes through a pipe has its index behind the frames.
    #[error(
        "{}: this MP4 has its index (moov) at the end, behind the frames, and can be read from a file only, not from a pipe; \
         save it to a file, or move its index with ffmpeg -c copy -movflags +faststart",
        shown(path)
    )]
    IndexBehind {
        /// The source.
        path: PathBuf,
    },
    /// A picture in MP4's boxes that this version of FFmpeg does not read.
    #[error("{}: a HEIF picture (HEIC, AVIF), which FFmpeg here does not read; convert it to PNG or JPEG", shown(path))]
    Heif {
        /// The file.
        path: PathBuf,
    },
    /// A picture that is put together of others.
    #[error(
        "{}: a HEIF picture (HEIC, AVIF) of several tiles, which are not put together here; convert it to PNG or JPEG",
        shown(path)
    )]
    Tiled {
        /// The file.
        path: PathBuf,
    },
    /// An animated WebP, which FFmpeg does not decode.
    #[error(
        "{}: an animated WebP, which FFmpeg here does not decode; convert it to a video or to numbered pictures",
        shown(path)
    )]
    AnimatedWebp {
        /// The file.
        path: PathBuf,
    },
    /// A picture of more pixels than FFmpeg decodes.
    #[error("{}: {width}×{height} pixels, more than FFmpeg decodes; scale it down, or cut it into parts", shown(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
    },
    /// The file names another file, or an address, that it may not have read.
    #[error(
        "{}: refused to read {named}, which it names: {}; open that by itself if you trust it",
        shown(path),
        rule(path)
    )]
    Refused {
        /// The file that names it.
        path: PathBuf,
        /// The name in it.
        named: String,
    },
    /// The file is a playlist, and a part of it cannot be read.
    #[error(
        "{}: {named}, which it names, cannot be read; see that it is there, and a file or an address of a video",
        shown(path)
    )]
    PartUnread {
        /// The playlist.
        path: PathBuf,
        /// The part.
        named: String,
    },
    /// There is no video stream.
    #[error("{}: contains no video ({found}); open a file that has a picture", shown(path))]
    NoVideo {
        /// The file.
        path: PathBuf,
        /// The streams that it contains instead.
        found: String,
    },
    /// FFmpeg has no decoder for the codec.
    #[error("{}: FFmpeg here has no decoder for {codec}; install one that has it, or convert the file", shown(path))]
    NoDecoder {
        /// The file.
        path: PathBuf,
        /// The codec's name.
        codec: String,
    },
    /// The whole file gave no picture.
    #[error(
        "{}: no frame could be decoded from the whole file ({codec}, {} refused); it is damaged or \
         encrypted, try another copy",
        shown(path),
        counted(*refused, "packet")
    )]
    NoFrames {
        /// The file.
        path: PathBuf,
        /// The codec's name.
        codec: String,
        /// Packets that the decoder refused.
        refused: u64,
    },
    /// The video has no packet.
    #[error("{}: its video track ({codec}) is empty; try another copy of the file", shown(path))]
    EmptyTrack {
        /// The file.
        path: PathBuf,
        /// The codec's name.
        codec: String,
    },
    /// An edit list has no frame shown.
    #[error(
        "{}: its edit list leaves out every frame of the video; convert it with ffmpeg -ignore_editlist 1, which shows them",
        shown(path)
    )]
    AllLeftOut {
        /// The file.
        path: PathBuf,
    },
    /// The source can only be read forwards.
    #[error("{}: this source can only be played forwards; save it to a file to move in it", shown(path))]
    NotSeekable {
        /// The source.
        path: PathBuf,
    },
    /// A timecode was asked for, and there are none.
    #[error("{}: its frames have no timecodes; name a time (1:02.5) or a frame's number (250f) instead", shown(path))]
    NoTimecodes {
        /// The file.
        path: PathBuf,
    },
    /// No frame has the timecode that was asked for.
    #[error("{}: no frame has the timecode {timecode}; the first one has {first}", shown(path))]
    NoSuchTimecode {
        /// The file.
        path: PathBuf,
        /// The timecode.
        timecode: Timecode,
        /// The first frame's.
        first: Timecode,
    },
    /// The source gave nothing for too long.
    #[error("{}: no data for {seconds} s; check the connection and try again", shown(path))]
    TimedOut {
        /// The source.
        path: PathBuf,
        /// How long it was waited for, in seconds.
        seconds: f64,
    },
    /// The address names a host that the name service does not know.
    #[error(
        "{}: there is no host \"{}\" on this network; check the address, and the connection",
        shown(path),
        plain(host)
    )]
    Unresolved {
        /// The address.
        path: PathBuf,
        /// The host's name.
        host: String,
    },
    /// The address names a port that cannot be.
    #[error("{}: there is no port {port}; a port is a number from 1 to 65535", shown(path))]
    NoSuchPort {
        /// The address.
        path: PathBuf,
        /// The text in the port's place.
        port: String,
    },
    /// FFmpeg has no such protocol.
    #[error(
        "{}: FFmpeg here does not speak this protocol; check what stands before ://, or install an FFmpeg that has it",
        shown(path)
    )]
    NoProtocol {
        /// The address.
        path: PathBuf,
    },
    /// Another program listens where this one would.
    #[error("{}: another program has this port; close it, or have the sender use another port", shown(path))]
    PortTaken {
        /// The address.
        path: PathBuf,
    },
    /// The caller asked for an end.
    #[error("{}: stopped", shown(path))]
    Stopped {
        /// The source.
        path: PathBuf,
    },
    /// FFmpeg's library of devices is not here.
    #[error(
        "{}: FFmpeg's library of devices, {library}, cannot be loaded; install it (on Debian and Ubuntu: libavdevice{major})",
        shown(path)
    )]
    NoDeviceLibrary {
        /// The device.
        path: PathBuf,
        /// The library's file name.
        library: String,
        /// The number of its release.
        major: u32,
    },
    /// There is no such kind of devices, or no name after it.
    #[error("{}: a device is named av://KIND:NAME; the kinds here are {available}", shown(path))]
    NoSuchDevice {
        /// The name.
        path: PathBuf,
        /// The kinds that there are, separated by commas.
        available: String,
    },
    /// Another program has it.
    #[error("{}: the device is in use by another program; end that, or name another device", shown(path))]
    DeviceInUse {
        /// The device.
        path: PathBuf,
    },
    /// The device is not there, or cannot be used.
    #[error("{}: the device cannot be opened ({reason}); {}", shown(path), device_advice(path))]
    Device {
        /// The device.
        path: PathBuf,
        /// FFmpeg's words.
        reason: String,
    },
    /// Something else that FFmpeg or the system reports.
    #[error("{}: {action} failed ({reason}); {}", shown(path), advice(path))]
    Failed {
        /// The source.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The words of FFmpeg or the system.
        reason: String,
    },
}

impl MediaError {
    /// Returns whether another stream of the same file may be better.
    pub(super) const fn is_of_stream(&self) -> bool {
        matches!(
            self,
            Self::NoFrames { .. }
                | Self::NoDecoder { .. }
                | Self::EmptyTrack { .. }
                | Self::AllLeftOut { .. }
                | Self::TooLarge { .. }
        )
    }
}

/// Returns whether this is no file but an address on a network.
pub(super) fn is_address(text: &str) -> bool {
    text.contains("://") && !text.starts_with("file:")
}

/// The numbers from 1 on, in words.
fn numbers_to(last: usize) -> String {
    if last == 1 { "number 1 alone".to_owned() } else { format!("1 to {last}") }
}

/// Advice about files and protocols that a source may read besides itself, see `allowed`.
fn rule(path: &Path) -> &'static str {
    if is_address(&path.to_string_lossy()) {
        "an address may bring in other addresses, no file of this machine"
    } else if path == Path::new("-") {
        "what comes through a pipe may bring in nothing else"
    } else {
        "a file may bring in media files beside it, no others and no addresses"
    }
}

/// Advice for a device that cannot be opened.
fn device_advice(path: &Path) -> &'static str {
    match device(&path.to_string_lossy()) {
        Some(Device { kind: "v4l2" | "video4linux2", .. }) => {
            "check that the camera is there (ls /dev/video*) and that you may read it (group video)"
        }
        Some(Device { kind: "x11grab", .. }) => "check the display's name (echo $DISPLAY) and that you may read it",
        _ => "check its name",
    }
}

/// Advice for reading that fails.
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
    fn advice_is_for_what_was_read() {
        let told = |path: &str| {
            let reason = "Connection refused".to_owned();
            MediaError::Failed { path: path.into(), action: "opening it", reason }.to_string()
        };
        assert!(told("http://localhost:1/x.mp4").ends_with("check the address and the connection"));
        for path in ["clips/x.mp4", "file:///clips/x.mp4"] {
            assert!(told(path).ends_with("try another copy of the file"), "{path}");
        }
    }
}
