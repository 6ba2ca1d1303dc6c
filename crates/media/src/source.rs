//! From a path or URL to an open input, with errors that say what is wrong.

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::address::{self, Delivery};
use super::allowed::Reach;
use super::av::{self, AvError, Denied, Devices, Input, Interrupt, take_denied};
use super::boxes::{self, IndexFault};
use super::device::{Device, device};
use super::error::{MediaError, is_address};
use super::info::OpenOptions;
use super::numbered::{self, NumberPattern, Sequence};
use histoscope_core::picture::Ratio;
use histoscope_core::picture::color::{Origin, Sourced};
use histoscope_core::text::{file_name, plain};

/// Of a live source as little is read before its first picture as tells what it is. FFmpeg's `nobuffer` would throw away what was
/// read for that, with the keyframe in it; decoding it takes no time that anybody sees.
const PROBED: [(&CStr, &CStr); 3] =
    [(c"probesize", c"1000000"), (c"analyzeduration", c"1000000"), (c"fpsprobesize", c"0")];
/// How often somebody who waits for a picture looks for it.
const LOOK: Duration = Duration::from_millis(50);

/// A reader that is too slow for UDP loses packets and goes on.
const LIVE: [(&CStr, &CStr); 4] = [PROBED[0], PROBED[1], PROBED[2], (c"overrun_nonfatal", c"1")];

/// Where a video comes from. It can be opened again and again, unless it is a pipe.
#[derive(Clone)]
pub(super) struct Source {
    path: PathBuf,
    url: CString,
    kind: SourceKind,
    /// Frames a second of pictures that are files of their own, and whether somebody said so.
    picture_rate: Sourced<Ratio>,
    /// True if pictures that are still being written are waited for.
    follows: bool,
    /// How long a network source may give no data.
    network_limit: Duration,
    interrupt: Arc<Interrupt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SourceKind {
    File,
    /// The standard input.
    Pipe,
    /// A named pipe or a device.
    Fifo,
    Network,
    /// An address whose sender gives the pace.
    Live,
    /// A file that tells where an RTP stream comes from.
    SessionDescription,
    /// A camera, a screen or a generator.
    Device,
    /// Numbered pictures.
    Numbered(Sequence),
    /// A pattern for the names of an image sequence's files, such as `img*.png`.
    Glob,
    /// Anything else that FFmpeg may understand: `concat:`, …
    Other,
}

impl Source {
    /// Checks what can be checked without FFmpeg. `-` is the standard input.
    pub(super) fn new(path: &Path, options: &OpenOptions, interrupt: Arc<Interrupt>) -> Result<Self, MediaError> {
        let text = path.to_string_lossy();
        let kind = if text == "-" {
            SourceKind::Pipe
        } else if device(&text).is_some() {
            SourceKind::Device
        } else if is_address(&text) {
            if address::delivery(path) == Delivery::Live { SourceKind::Live } else { SourceKind::Network }
        } else {
            match check_file(path, options)? {
                SourceKind::File if address::is_session_description(path) => SourceKind::SessionDescription,
                kind => kind,
            }
        };
        let follows = options.follow && matches!(kind, SourceKind::Numbered(_));
        if options.follow && !follows {
            return Err(MediaError::NotFollowed { path: path.to_owned() });
        }
        let assumed = match &kind {
            SourceKind::Numbered(sequence) => sequence.assumed_rate(),
            _ => numbered::assumed_rate(&text),
        };
        let picture_rate =
            options.frame_rate.map_or(Sourced::guessed(assumed), |value| Sourced { value, origin: Origin::Overridden });
        let url = match &kind {
            SourceKind::Pipe => b"pipe:0".to_vec(),
            // The prefix keeps a colon in a file's name from being taken for a protocol.
            SourceKind::File | SourceKind::Fifo | SourceKind::SessionDescription => {
                [b"file:".as_slice(), path.as_os_str().as_encoded_bytes()].concat()
            }
            SourceKind::Numbered(sequence) => format!("file:{}", sequence.pattern()).into_bytes(),
            SourceKind::Device => device(&text).map_or("", |device| device.name).as_bytes().to_vec(),
            SourceKind::Network | SourceKind::Live | SourceKind::Glob | SourceKind::Other => {
                path.as_os_str().as_encoded_bytes().to_vec()
            }
        };
        let url = CString::new(url).map_err(|_| MediaError::NotFound { path: path.to_owned() })?;
        let network_limit = options.network_limit.unwrap_or(OpenOptions::NETWORK_LIMIT);
        Ok(Self { path: path.to_owned(), url, kind, picture_rate, follows, network_limit, interrupt })
    }

    /// The path as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it can be opened more than once.
    pub(super) fn can_reopen(&self) -> bool {
        !matches!(self.kind, SourceKind::Pipe | SourceKind::Fifo)
    }

    /// Returns whether its sender gives the pace, as far as that is known before it is open.
    pub(super) const fn is_live(&self) -> bool {
        matches!(self.kind, SourceKind::Live | SourceKind::SessionDescription | SourceKind::Device)
    }

    /// Returns whether an open input of this source is live: a web server that tells no length sends what is made meanwhile. Segments that a
    /// playlist lists come many frames at a time and are played by the clock.
    pub(super) fn is_live_as(&self, input: &Input) -> bool {
        let is_flowing = || !input.is_seekable() && input.byte_length().is_none() && input.duration_secs().is_none();
        let is_listed = || matches!(input.container(), "hls" | "dash");
        self.is_live() || self.follows || (self.kind == SourceKind::Network && is_flowing() && !is_listed())
    }

    /// How long it may give no data.
    pub(super) const fn set_network_limit(&mut self, limit: Duration) {
        self.network_limit = limit;
    }

    /// Returns whether it is a plain file.
    pub(super) fn is_file(&self) -> bool {
        self.kind == SourceKind::File
    }

    /// Returns whether it is an MP4 whose index is spread over the file.
    pub(super) fn is_fragmented(&self) -> bool {
        self.is_file() && boxes::is_fragmented(&self.path)
    }

    /// The item of a HEIF file that is its picture, if that is put together of others.
    pub(super) fn composed_item(&self) -> Option<u32> {
        self.is_file().then(|| boxes::composed_item(&self.path)).flatten()
    }

    /// The numbered pictures that it is.
    pub(super) const fn sequence(&self) -> Option<&Sequence> {
        if let SourceKind::Numbered(sequence) = &self.kind { Some(sequence) } else { None }
    }

    /// Frames a second of pictures that are files of their own, and whether somebody said so.
    pub(super) fn picture_rate(&self) -> Option<Sourced<Ratio>> {
        matches!(self.kind, SourceKind::Numbered(_) | SourceKind::Glob).then_some(self.picture_rate)
    }

    /// Returns whether FFmpeg may look for a picture of a sequence that is not there: it may overlook a gap.
    pub(super) fn may_lack_pictures(&self) -> bool {
        self.follows || self.sequence().is_some_and(Sequence::is_broken)
    }

    /// Waits until there is a picture behind the last one, where those that are still being written are waited for; says whether they are.
    pub(super) fn await_next(&mut self) -> Result<bool, MediaError> {
        let SourceKind::Numbered(sequence) = &mut self.kind else { return Ok(false) };
        if !self.follows {
            return Ok(false);
        }
        loop {
            if self.interrupt.is_stopped() {
                return Err(MediaError::Stopped { path: self.path.clone() });
            }
            if let Some(grown) = sequence.grown() {
                *sequence = grown;
                return Ok(true);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Returns whether it is a pattern that FFmpeg opens whether any file fits it or not.
    pub(super) fn is_glob(&self) -> bool {
        self.kind == SourceKind::Glob
    }

    /// The flag that ends blocking reads.
    pub(super) const fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Sets the time limit of the operation that follows, where there is one.
    pub(super) fn limit_time(&self) {
        let comes_from_outside = self.is_live() || self.kind == SourceKind::Network;
        let limit = comes_from_outside.then_some(self.network_limit);
        self.interrupt.limit(limit);
    }

    /// Opens the source and reads its headers.
    pub(super) fn open(&self) -> Result<Input, MediaError> {
        if matches!(self.kind, SourceKind::Network | SourceKind::Live) {
            address::resolve(&self.path)?;
        }
        self.limit_time();
        let micros = CString::new(self.network_limit.as_micros().to_string()).unwrap_or_default();
        let network: [(&CStr, &CStr); 1] = [(c"rw_timeout", &micros)];
        let device = self.device_kind()?;
        let Ratio { num, den } = self.picture_rate.value;
        let rate = CString::new(format!("{num}/{den}")).unwrap_or_default();
        let begin = self.sequence().map_or(0, Sequence::begin);
        let begin = CString::new(begin.to_string()).unwrap_or_default();
        let numbered: [(&CStr, &CStr); 4] = [
            (c"pattern_type", c"sequence"),
            (c"start_number", &begin),
            (c"start_number_range", c"1"),
            (c"framerate", &rate),
        ];
        let glob: [(&CStr, &CStr); 2] = [(c"pattern_type", c"glob"), (c"framerate", &rate)];
        let (format, options): (Option<&CStr>, &[(&CStr, &CStr)]) = match self.kind {
            SourceKind::Network => (None, &network),
            SourceKind::Live => (None, &LIVE),
            SourceKind::SessionDescription => (Some(c"sdp"), &PROBED),
            SourceKind::Device => (device.as_deref(), &PROBED),
            SourceKind::Numbered(_) => (Some(c"image2"), &numbered),
            SourceKind::Glob => (Some(c"image2"), &glob),
            SourceKind::File | SourceKind::Pipe | SourceKind::Fifo | SourceKind::Other => (None, &[]),
        };
        let protocols = self.reach().protocols();
        let allowed: [(&CStr, &CStr); 1] = [(c"protocol_whitelist", &protocols)];
        let options = [options, &Reach::OPTIONS, &allowed].concat();
        // Nothing that was opened on this thread before counts here.
        take_denied();
        let input = Input::open(&self.url, format, &options, Arc::clone(&self.interrupt))
            .map_err(|error| take_denied().map_or_else(|| self.open_error(error), |denied| self.denied(denied)))?;
        if input.container() == "tty" {
            // FFmpeg draws plain text as the picture of a terminal, by the file's name alone.
            return Err(MediaError::NotMedia { path: self.path.clone(), reason: "it is plain text".to_owned() });
        }
        Ok(input)
    }

    /// FFmpeg's name of the kind of a device; nothing for what is none.
    fn device_kind(&self) -> Result<Option<CString>, MediaError> {
        let text = self.path.to_string_lossy();
        let Some(Device { kind, name }) = device(&text) else { return Ok(None) };
        let path = || self.path.clone();
        let devices = Devices::load().map_err(|library| MediaError::NoDeviceLibrary {
            path: path(),
            library: library.to_owned(),
            major: av::major(),
        })?;
        // Of a name that it does not know FFmpeg would take the rest for a file.
        let known = CString::new(kind).ok().filter(|_| devices.has(kind) && !name.is_empty());
        known.map(Some).ok_or_else(|| MediaError::NoSuchDevice { path: path(), available: devices.names() })
    }

    /// Returns the files and protocols that it may read besides itself.
    fn reach(&self) -> Reach<'_> {
        let text = self.path.to_str().unwrap_or_default();
        match self.kind {
            SourceKind::File | SourceKind::Fifo | SourceKind::Numbered(_) | SourceKind::Glob => Reach::Files,
            SourceKind::Pipe => Reach::Pipe,
            SourceKind::Network | SourceKind::Live => Reach::Network(text),
            SourceKind::SessionDescription => Reach::Described,
            SourceKind::Other => Reach::Named(text),
            SourceKind::Device => Reach::Device,
        }
    }

    /// The error for what it names and may not read, or cannot.
    pub(super) fn denied(&self, denied: Denied) -> MediaError {
        let path = self.path.clone();
        // The prefix is what FFmpeg, or this program, puts before a file's name.
        let bare = |named: &str| {
            let bare = named.strip_prefix("file:").or_else(|| named.strip_prefix("pipe:"));
            plain(bare.unwrap_or(named))
        };
        match denied {
            Denied::Unread(named) if self.kind != SourceKind::Pipe => {
                MediaError::PartUnread { path, named: bare(&named) }
            }
            Denied::Unread(named) | Denied::Refused(named) => MediaError::Refused { path, named: bare(&named) },
        }
    }

    fn open_error(&self, error: AvError) -> MediaError {
        let path = self.path.clone();
        match error {
            AvError::BUSY if self.kind == SourceKind::Device => MediaError::DeviceInUse { path },
            _ if self.kind == SourceKind::Device && !self.interrupt.is_stopped() && !self.interrupt.is_late() => {
                MediaError::Device { path, reason: error.to_string() }
            }
            AvError::INVALID_DATA if self.is_file() => self.unrecognised(error),
            AvError::INVALID_DATA => MediaError::NotMedia { path, reason: error.to_string() },
            AvError::NO_ENTRY if matches!(self.kind, SourceKind::Numbered(_) | SourceKind::Glob) => {
                MediaError::NoMatch { path }
            }
            AvError::NO_ENTRY => MediaError::NotFound { path },
            AvError::NO_PROTOCOL if self.is_live() => MediaError::NoProtocol { path },
            AvError::ADDRESS_IN_USE => MediaError::PortTaken { path },
            _ => self.error("opening it", error),
        }
    }

    /// The error for a file in which FFmpeg finds no video.
    fn unrecognised(&self, error: AvError) -> MediaError {
        let path = self.path.clone();
        if boxes::is_heif(&path) {
            return MediaError::Heif { path };
        }
        match boxes::index_fault(&path) {
            Some(IndexFault::Missing) => MediaError::NoIndex { path },
            Some(IndexFault::Hidden { kind, at }) => MediaError::IndexHidden { path, kind, at },
            None => MediaError::NotMedia { path, reason: error.to_string() },
        }
    }

    /// The error for `action`, told apart from a stop and from a time limit.
    pub(super) fn error(&self, action: &'static str, error: AvError) -> MediaError {
        let path = self.path.clone();
        if self.interrupt.is_stopped() {
            MediaError::Stopped { path }
        } else if self.interrupt.is_late() || error == AvError::EXIT {
            // What had come before the limit may have been handed out in between, which began a new one.
            MediaError::TimedOut { path, seconds: self.network_limit.as_secs_f64() }
        } else {
            MediaError::Failed { path, action, reason: error.to_string() }
        }
    }
}

/// The errors that the file system can tell at once.
fn check_file(path: &Path, options: &OpenOptions) -> Result<SourceKind, MediaError> {
    let path_buf = || path.to_owned();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A pattern such as %03d.png or a protocol such as concat: is FFmpeg's to resolve.
            let text = path.to_string_lossy();
            let is_protocol = text.split_once(':').is_some_and(|(name, _)| name.len() > 1);
            let pattern = NumberPattern::parse(&text);
            return match () {
                () if is_protocol => Ok(SourceKind::Other),
                () if pattern.is_some() => pattern
                    .and_then(|pattern| sequence_of(pattern, options))
                    .ok_or_else(|| MediaError::NoMatch { path: path_buf() }),
                () if text.contains(['*', '?', '[']) => Ok(SourceKind::Glob),
                () => Err(MediaError::NotFound { path: path_buf() }),
            };
        }
        Err(error) => return Err(MediaError::Unreadable { path: path_buf(), reason: error.to_string() }),
    };
    if metadata.is_dir() {
        return folder_of_pictures(path, options);
    }
    if !metadata.is_file() {
        // A named pipe or a device: opening it here would take its first bytes away.
        return Ok(SourceKind::Fifo);
    }
    if metadata.len() == 0 {
        return Err(MediaError::Empty { path: path_buf() });
    }
    match File::open(path) {
        Ok(_) if options.sequence => NumberPattern::around(path)
            .and_then(|pattern| sequence_of(pattern, options))
            .ok_or_else(|| MediaError::NotNumbered { path: path_buf() }),
        Ok(_) => Ok(SourceKind::File),
        Err(error) => Err(MediaError::Unreadable { path: path_buf(), reason: error.to_string() }),
    }
}

/// The pictures of a pattern; without the last one while that is being written, where more are waited for.
fn sequence_of(pattern: NumberPattern, options: &OpenOptions) -> Option<SourceKind> {
    let sequence = Sequence::of(pattern)?;
    Some(SourceKind::Numbered(if options.follow { sequence.settled() } else { sequence }))
}

/// The numbered pictures of a folder, where they are one sequence.
fn folder_of_pictures(path: &Path, options: &OpenOptions) -> Result<SourceKind, MediaError> {
    let path_buf = || path.to_owned();
    let found = Sequence::in_folder(path)
        .map_err(|error| MediaError::Unreadable { path: path_buf(), reason: error.to_string() })?;
    match &found[..] {
        [] if options.follow => Err(MediaError::NoMatch { path: path_buf() }),
        [] => Err(MediaError::Directory { path: path_buf() }),
        [only] => sequence_of(only.clone(), options).ok_or_else(|| MediaError::Directory { path: path_buf() }),
        several => {
            let names = several.iter().map(|pattern| file_name(Path::new(&pattern.text())));
            Err(MediaError::SeveralSequences { path: path_buf(), names: names.collect::<Vec<_>>().join(", ") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &Path) -> String {
        let source = Source::new(path, &OpenOptions::default(), Arc::new(Interrupt::new())).expect("the source exists");
        source.url.to_string_lossy().into_owned()
    }

    #[test]
    fn a_file_is_not_taken_for_a_protocol() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("concat:a.mp4");
        fs::write(&path, "x").expect("the folder takes a file");
        assert_eq!(url(&path), format!("file:{}", path.display()));
        assert_eq!(url(Path::new("http://host/a.mp4")), "http://host/a.mp4");
        assert_eq!(url(Path::new("-")), "pipe:0");
        fs::write(folder.path().join("9%7.png"), "x").expect("the folder takes a file");
        let pattern = format!("{}/%d%%7.png", folder.path().display());
        assert_eq!(url(Path::new(&pattern)), format!("file:{}/%01d%%7.png", folder.path().display()));
    }

    #[test]
    fn a_device_that_another_program_has_is_told_from_one_that_does_not_work() {
        let told = |name: &str, error| {
            let source = Source::new(Path::new(name), &OpenOptions::default(), Arc::new(Interrupt::new()));
            source.expect("nothing is opened yet").open_error(error).to_string()
        };
        let busy = told("av://v4l2:/dev/video0", AvError::BUSY);
        assert!(busy.contains("av://v4l2:/dev/video0: the device is in use by another program"), "{busy}");
        let broken = told("av://v4l2:/dev/video0", AvError::INVALID_DATA);
        assert!(!broken.contains("in use") && broken.contains("av://v4l2:/dev/video0"), "{broken}");
        assert!(!told("http://host/a.mp4", AvError::BUSY).contains("the device"));
    }
}
