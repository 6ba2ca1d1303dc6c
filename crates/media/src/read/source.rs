//! Opens the input that a path or URL names, with errors that say what is wrong.

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::av::{self, AvError, Denied, Devices, Input, InputOptions, Interrupt, Read, take_denied, take_inability};
use crate::device::{Device, device};
use crate::error::{MediaError, MediaFault, is_address};
use crate::read::address;
use crate::read::allowed::SourceAccess;
use crate::read::boxes::{self, IndexFault};
use crate::read::ending;
use crate::read::exr::{ExrHeader, LayerChoice};
use crate::read::info::OpenOptions;
use crate::read::numbered::{self, NumberPattern, Sequence};
use crate::read::undecodable;
use histoscope_core::picture::color::{Origin, Sourced};
use histoscope_core::picture::{Orientation, Ratio};
use histoscope_core::text::is_windows_device;
use histoscope_core::text::{file_name, sanitized};

/// Options that limit reading ahead of a live source's first picture to what identifies the source. FFmpeg's `nobuffer`
/// would discard the data read for that, including its keyframe; decoding it takes no noticeable time.
const PROBED: [(&CStr, &CStr); 3] =
    [(c"probesize", c"1000000"), (c"analyzeduration", c"1000000"), (c"fpsprobesize", c"0")];
/// Maximum size of files whose packets are listed before a number is relied on, in bytes.
const LISTED_BYTES: u64 = 256 << 20;
/// Interval between checks for the next picture.
const LOOK: Duration = Duration::from_millis(50);

/// Options for live sources: a reader that is too slow for UDP loses packets and continues.
const LIVE: [(&CStr, &CStr); 4] = [PROBED[0], PROBED[1], PROBED[2], (c"overrun_nonfatal", c"1")];

/// The source of a video. It can be opened repeatedly, unless it is a pipe.
#[derive(Clone)]
pub(crate) struct Source {
    path: PathBuf,
    url: CString,
    kind: SourceKind,
    /// Frame rate of pictures that are separate files, in frames per second, and whether it was specified.
    picture_rate: Sourced<Ratio>,
    /// `true` to wait for pictures that are still being written.
    follows: bool,
    /// Time without data after which a network source is given up.
    network_limit: Duration,
    /// The layer to decode, if one was chosen.
    layer: Option<Box<LayerChoice>>,
    interrupt: Arc<Interrupt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SourceKind {
    File,
    /// Standard input.
    Pipe,
    /// A named pipe or a device.
    Fifo,
    Network,
    /// An address whose sender sets the pace.
    Live,
    /// A file that describes where to receive an RTP stream.
    SessionDescription,
    /// A camera, a screen or a generator.
    Device,
    /// Numbered pictures.
    Numbered(Sequence),
    /// A pattern for the file names of an image sequence, such as `img*.png`.
    Glob,
    /// Anything else that FFmpeg may understand: `concat:`, …
    Other,
}

impl Source {
    /// Creates a source after checking what can be checked without FFmpeg. `-` is standard input.
    pub(crate) fn new(path: &Path, options: &OpenOptions, interrupt: Arc<Interrupt>) -> Result<Self, MediaError> {
        let text = path.to_string_lossy();
        let kind = if text == "-" {
            SourceKind::Pipe
        } else if device(&text).is_some() {
            SourceKind::Device
        } else if is_address(&text) {
            if address::is_live(path) { SourceKind::Live } else { SourceKind::Network }
        } else {
            match check_file(path, options)? {
                SourceKind::File if address::is_session_description(path) => SourceKind::SessionDescription,
                kind => kind,
            }
        };
        let follows = options.follow && matches!(kind, SourceKind::Numbered(_));
        if options.follow && !follows {
            return Err(MediaFault::NotFollowed.of(path.to_owned()));
        }
        let assumed = match &kind {
            SourceKind::Numbered(sequence) => sequence.assumed_rate(),
            _ => numbered::assumed_rate(&text),
        };
        let picture_rate =
            options.frame_rate.map_or(Sourced::guessed(assumed), |value| Sourced { value, origin: Origin::Overridden });
        let url = match &kind {
            SourceKind::Pipe => b"pipe:0".to_vec(),
            // The prefix keeps a colon in a file name from being taken for the end of a protocol.
            SourceKind::File | SourceKind::Fifo | SourceKind::SessionDescription => {
                [b"file:".as_slice(), path.as_os_str().as_encoded_bytes()].concat()
            }
            SourceKind::Numbered(sequence) => format!("file:{}", sequence.pattern()).into_bytes(),
            SourceKind::Device => device(&text).map_or("", |device| device.name).as_bytes().to_vec(),
            SourceKind::Network | SourceKind::Live | SourceKind::Glob | SourceKind::Other => {
                path.as_os_str().as_encoded_bytes().to_vec()
            }
        };
        let url = CString::new(url).map_err(|_| MediaFault::NotFound.of(path.to_owned()))?;
        let network_limit = options.network_limit.unwrap_or(OpenOptions::NETWORK_LIMIT);
        let mut source =
            Self { path: path.to_owned(), url, kind, picture_rate, follows, network_limit, layer: None, interrupt };
        source.layer = options.layer.as_deref().map(|layer| source.find_layer(layer)).transpose()?.map(Box::new);
        Ok(source)
    }

    /// Returns the layer with that name, according to the headers of the first picture.
    fn find_layer(&self, layer: &str) -> Result<LayerChoice, MediaError> {
        let path = self.path.clone();
        let header = match &self.kind {
            SourceKind::File => ExrHeader::read(&self.path),
            SourceKind::Numbered(sequence) => ExrHeader::read(&sequence.first_path()),
            _ => None,
        };
        let Some(header) = header else { return Err(MediaFault::NoLayers.of(path)) };
        let no_such = || MediaFault::NoSuchLayer { layer: layer.to_owned(), layers: header.layer_names() }.of(path);
        header.layer(layer).ok_or_else(no_such)
    }

    /// Returns the layer to decode, if one was chosen.
    pub(crate) fn layer(&self) -> Option<&LayerChoice> {
        self.layer.as_deref()
    }

    /// Returns the path as it was given.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the source can be opened more than once.
    pub(crate) fn can_reopen(&self) -> bool {
        !matches!(self.kind, SourceKind::Pipe | SourceKind::Fifo)
    }

    /// Returns `true` if the sender sets the pace, as far as that is known before opening.
    pub(crate) const fn is_live(&self) -> bool {
        matches!(self.kind, SourceKind::Live | SourceKind::SessionDescription | SourceKind::Device)
    }

    /// Returns `true` if an open input of this source is live. A web server that states no length sends a live stream.
    /// The segments of a playlist are not live: they arrive many frames at a time and are played by the clock.
    pub(crate) fn is_live_as(&self, input: &Input) -> bool {
        let is_flowing = || !input.is_seekable() && input.byte_length().is_none() && input.duration_secs().is_none();
        let is_listed = || matches!(input.container(), "hls" | "dash");
        self.is_live() || self.follows || (self.kind == SourceKind::Network && is_flowing() && !is_listed())
    }

    /// Sets how long the source may deliver no data.
    pub(crate) const fn set_network_limit(&mut self, limit: Duration) {
        self.network_limit = limit;
    }

    /// Returns `true` if the source is a plain file.
    pub(crate) fn is_file(&self) -> bool {
        self.kind == SourceKind::File
    }

    /// Returns `true` if the source is a file whose packets are read in a moment.
    pub(crate) fn is_listed_fast(&self) -> bool {
        self.is_file() && fs::metadata(&self.path).is_ok_and(|file| file.len() <= LISTED_BYTES)
    }

    /// Returns `true` if the source is a fragmented MP4, whose index is spread throughout the file.
    pub(crate) fn is_fragmented(&self) -> bool {
        self.is_file() && boxes::is_fragmented(&self.path)
    }

    /// Returns the item that is the picture of a HEIF file, if it is composed of other items.
    pub(crate) fn composed_item(&self) -> Option<u32> {
        self.is_file().then(|| boxes::composed_item(&self.path)).flatten()
    }

    /// Returns the orientation that a HEIF file states for its picture; `None` for other files.
    pub(crate) fn heif_orientation(&self) -> Result<Option<Orientation>, MediaError> {
        if self.is_file() { boxes::heif_orientation(&self.path) } else { Ok(None) }
    }

    /// Returns the numbers of primaries, transfer function and matrix that an MP4 file states for a track, counted from
    /// 0. FFmpeg leaves out those that it does not know.
    pub(crate) fn stated_color_numbers(&self, track: usize) -> Option<[i32; 3]> {
        self.is_file().then(|| boxes::color_numbers(&self.path, track)).flatten()
    }

    /// Returns the XML document that a camera put into an MP4 file.
    pub(crate) fn camera_xml(&self) -> Option<String> {
        self.is_file().then(|| boxes::xml(&self.path)).flatten()
    }

    /// Returns the sequence, if the source consists of numbered pictures.
    pub(crate) const fn sequence(&self) -> Option<&Sequence> {
        if let SourceKind::Numbered(sequence) = &self.kind { Some(sequence) } else { None }
    }

    /// Returns the frame rate of pictures that are separate files, in frames per second, and whether it was specified.
    pub(crate) fn picture_rate(&self) -> Option<Sourced<Ratio>> {
        matches!(self.kind, SourceKind::Numbered(_) | SourceKind::Glob).then_some(self.picture_rate)
    }

    /// Returns `true` if FFmpeg may try to read a missing picture of a sequence, because it can overlook a gap.
    pub(crate) fn may_lack_pictures(&self) -> bool {
        self.follows || self.sequence().is_some_and(Sequence::is_broken)
    }

    /// If the source is being followed, waits for a picture after the last one. Returns whether it is being followed.
    pub(crate) fn await_next(&mut self) -> Result<bool, MediaError> {
        let SourceKind::Numbered(sequence) = &mut self.kind else { return Ok(false) };
        if !self.follows {
            return Ok(false);
        }
        loop {
            if self.interrupt.is_stopped() {
                return Err(MediaFault::Stopped.of(self.path.clone()));
            }
            if let Some(grown) = sequence.grown() {
                *sequence = grown;
                return Ok(true);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Returns `true` if the source is a pattern, which FFmpeg opens even if no file matches it.
    pub(crate) fn is_glob(&self) -> bool {
        self.kind == SourceKind::Glob
    }

    /// Returns the flag that interrupts blocking reads.
    pub(crate) const fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Sets the time limit of the next operation, if it has one.
    pub(crate) fn limit_time(&self) {
        self.interrupt.limit(self.comes_from_outside().then_some(self.network_limit));
    }

    fn comes_from_outside(&self) -> bool {
        self.is_live() || self.kind == SourceKind::Network
    }

    /// Opens the source and reads its headers.
    pub(crate) fn open(&self) -> Result<Input, MediaError> {
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
            // A file may be named like a pattern.
            SourceKind::File => (None, &[(c"pattern_type", c"none")]),
            SourceKind::Pipe | SourceKind::Fifo | SourceKind::Other => (None, &[]),
        };
        let protocols = self.reach().protocols();
        let allowed: [(&CStr, &CStr); 1] = [(c"protocol_whitelist", &protocols)];
        let options = [options, &SourceAccess::OPTIONS, &allowed].concat();
        // Discard what was denied to sources opened earlier on this thread.
        take_denied();
        let layer = self.layer().map(LayerChoice::options).unwrap_or_default();
        let decoding: Vec<(&CStr, &CStr)> = layer.iter().map(|(key, value)| (*key, &**value)).collect();
        let options = InputOptions { format, codec: None, options: &options, decoding: &decoding };
        let open = |options: &InputOptions<'_>| Input::open(&self.url, options, Arc::clone(&self.interrupt));
        let opened = open(&options).and_then(|input| match self.true_codec(&input, open, &options) {
            Some(codec) => open(&InputOptions { codec: Some(codec), ..options }),
            None => Ok(input),
        });
        let input = opened
            .map_err(|error| take_denied().map_or_else(|| self.open_error(error), |denied| self.denied(denied)))?;
        if input.container() == "tty" {
            // FFmpeg renders plain text as the picture of a terminal, based only on the file name.
            return Err(MediaFault::NotMedia { reason: "it is plain text".to_owned() }.of(self.path.clone()));
        }
        Ok(input)
    }

    /// Returns FFmpeg's name for the codec of pictures whose names end like those of another.
    fn true_codec(
        &self,
        input: &Input,
        open: impl Fn(&InputOptions<'_>) -> Result<Input, AvError>,
        options: &InputOptions<'_>,
    ) -> Option<&'static str> {
        // This demuxer goes by the name.
        let stream = input.stream(0).filter(|_| input.container() == "image2")?;
        let path = match &self.kind {
            SourceKind::File => self.path.clone(),
            SourceKind::Numbered(sequence) => sequence.first_path(),
            _ => match open(options).ok()?.read() {
                Read::Packet(packet) => return undecodable::other_codec(packet.data(), stream.codec_name()),
                _ => return None,
            },
        };
        let mut start = Vec::new();
        File::open(path).and_then(|file| file.take(32).read_to_end(&mut start)).ok()?;
        undecodable::other_codec(&start, stream.codec_name())
    }

    /// Returns FFmpeg's name for the kind of device; `None` if the source is not a device.
    fn device_kind(&self) -> Result<Option<CString>, MediaError> {
        let text = self.path.to_string_lossy();
        let Some(Device { kind, name }) = device(&text) else { return Ok(None) };
        let path = || self.path.clone();
        let devices = Devices::load().map_err(|library| {
            MediaFault::NoDeviceLibrary { library: library.to_owned(), major: av::major() }.of(path())
        })?;
        // If FFmpeg did not know the kind, it would take the rest of the name for a file.
        let known = CString::new(kind).ok().filter(|_| devices.has(kind) && !name.is_empty());
        known.map(Some).ok_or_else(|| MediaFault::NoSuchDevice { available: devices.names() }.of(path()))
    }

    /// Returns the files and protocols that it may read besides itself.
    fn reach(&self) -> SourceAccess<'_> {
        let text = self.path.to_str().unwrap_or_default();
        match self.kind {
            SourceKind::File | SourceKind::Fifo | SourceKind::Numbered(_) | SourceKind::Glob => SourceAccess::Files,
            SourceKind::Pipe => SourceAccess::Pipe,
            SourceKind::Network | SourceKind::Live => SourceAccess::Network(text),
            SourceKind::SessionDescription => SourceAccess::Described,
            SourceKind::Other => SourceAccess::Named(text),
            SourceKind::Device => SourceAccess::Device,
        }
    }

    /// Returns the error for a name in the source that may not or cannot be read.
    pub(crate) fn denied(&self, denied: Denied) -> MediaError {
        let path = self.path.clone();
        // FFmpeg, or this program, puts the prefix before a file name.
        let bare = |named: &str| {
            let bare = named.strip_prefix("file:").or_else(|| named.strip_prefix("pipe:"));
            sanitized(bare.unwrap_or(named))
        };
        match denied {
            Denied::Unread(named) if self.kind != SourceKind::Pipe => {
                MediaFault::PartUnread { named: bare(&named) }.of(path)
            }
            Denied::Unread(named) | Denied::Refused(named) => MediaFault::Refused { named: bare(&named) }.of(path),
            Denied::Key(named) => MediaFault::KeyUnread { named: bare(&named) }.of(path),
        }
    }

    fn open_error(&self, error: AvError) -> MediaError {
        let path = self.path.clone();
        if let Some((width, height)) = take_inability().oversize {
            return MediaFault::TooLarge { width, height }.of(path);
        }
        match error {
            AvError::BUSY if self.kind == SourceKind::Device => MediaFault::DeviceInUse.of(path),
            _ if self.kind == SourceKind::Device && !self.interrupt.is_stopped() && !self.interrupt.is_late() => {
                MediaFault::Device { reason: error.to_string() }.of(path)
            }
            AvError::INVALID_DATA if self.is_file() => self.unrecognised(error),
            AvError::EOF if self.is_file() => MediaFault::CutInFirst.of(path),
            AvError::INVALID_DATA => MediaFault::NotMedia { reason: error.to_string() }.of(path),
            AvError::NO_ENTRY if matches!(self.kind, SourceKind::Numbered(_) | SourceKind::Glob) => {
                MediaFault::NoMatch.of(path)
            }
            AvError::NO_ENTRY => MediaFault::NotFound.of(path),
            AvError::NO_PROTOCOL if self.is_live() => MediaFault::NoProtocol.of(path),
            AvError::ADDRESS_IN_USE => MediaFault::PortTaken.of(path),
            _ => self.error("opening it", error),
        }
    }

    /// Returns the error for a file in which FFmpeg finds no video.
    fn unrecognised(&self, error: AvError) -> MediaError {
        let path = self.path.clone();
        if boxes::is_heif(&path) {
            let is_cut = ending::cut_part(&path, "mov,mp4,m4a,3gp,3g2,mj2").is_some();
            return if is_cut { MediaFault::CutInFirst.of(path) } else { MediaFault::Heif.of(path) };
        }
        match boxes::index_fault(&path) {
            Some(IndexFault::Missing) => MediaFault::NoIndex.of(path),
            Some(IndexFault::Elsewhere) => MediaFault::Segment { missing: "initialization segment" }.of(path),
            Some(IndexFault::Hidden { kind, at }) => MediaFault::IndexHidden { kind, at }.of(path),
            None => MediaFault::NotMedia { reason: error.to_string() }.of(path),
        }
    }

    /// Returns the error for a failed `action`, or for the stop or the time limit that made it fail.
    pub(crate) fn error(&self, action: &'static str, error: AvError) -> MediaError {
        let path = self.path.clone();
        if self.interrupt.is_stopped() {
            MediaFault::Stopped.of(path)
        } else if self.comes_from_outside() && (self.interrupt.is_late() || error == AvError::EXIT) {
            // Data received before the limit may have been delivered in between, which started a new limit.
            MediaFault::TimedOut { seconds: self.network_limit.as_secs_f64() }.of(path)
        } else {
            MediaFault::Failed { action, reason: error.to_string() }.of(path)
        }
    }
}

/// Checks for errors that the file system reports immediately. Returns the kind of source.
fn check_file(path: &Path, options: &OpenOptions) -> Result<SourceKind, MediaError> {
    let path_buf = || path.to_owned();
    if cfg!(windows) && is_windows_device(path) {
        return Err(MediaFault::WindowsDevice.of(path_buf()));
    }
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // Windows calls a name with the signs of a pattern invalid.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename) => {
            // FFmpeg resolves patterns such as %03d.png and protocols such as concat:.
            let text = path.to_string_lossy();
            let is_protocol = text.split_once(':').is_some_and(|(name, _)| name.len() > 1);
            let pattern = NumberPattern::parse(&text);
            return match () {
                () if is_protocol => Ok(SourceKind::Other),
                () if pattern.is_some() => pattern
                    .and_then(|pattern| sequence_of(pattern, options))
                    .ok_or_else(|| MediaFault::NoMatch.of(path_buf())),
                () if text.contains(['*', '?', '[']) && cfg!(windows) => Err(MediaFault::NoPatterns.of(path_buf())),
                () if text.contains(['*', '?', '[']) => Ok(SourceKind::Glob),
                () => Err(MediaFault::NotFound.of(path_buf())),
            };
        }
        Err(error) => return Err(MediaFault::Unreadable { reason: error.to_string() }.of(path_buf())),
    };
    if metadata.is_dir() {
        return folder_of_pictures(path, options);
    }
    if !metadata.is_file() {
        // A named pipe or a device: opening it here would consume its first bytes.
        return Ok(SourceKind::Fifo);
    }
    if metadata.len() == 0 {
        return Err(MediaFault::Empty.of(path_buf()));
    }
    match File::open(path) {
        Ok(_) if options.sequence => NumberPattern::around(path)
            .and_then(|pattern| sequence_of(pattern, options))
            .ok_or_else(|| MediaFault::NotNumbered.of(path_buf())),
        Ok(_) => Ok(SourceKind::File),
        Err(error) => Err(MediaFault::Unreadable { reason: error.to_string() }.of(path_buf())),
    }
}

/// Returns the pictures of a pattern. If further ones are waited for, the last one is left out while it is being
/// written.
fn sequence_of(pattern: NumberPattern, options: &OpenOptions) -> Option<SourceKind> {
    let sequence = Sequence::of(pattern)?;
    Some(SourceKind::Numbered(if options.follow { sequence.settled() } else { sequence }))
}

/// Returns the numbered pictures in a folder, if they are a single sequence.
fn folder_of_pictures(path: &Path, options: &OpenOptions) -> Result<SourceKind, MediaError> {
    let path_buf = || path.to_owned();
    let found = Sequence::in_folder(path)
        .map_err(|error| MediaFault::Unreadable { reason: error.to_string() }.of(path_buf()))?;
    match &found[..] {
        [] if options.follow => Err(MediaFault::NoMatch.of(path_buf())),
        [] => Err(MediaFault::Directory.of(path_buf())),
        [only] => sequence_of(only.clone(), options).ok_or_else(|| MediaFault::Directory.of(path_buf())),
        several => {
            let names = several.iter().map(|pattern| file_name(Path::new(&pattern.text())));
            Err(MediaFault::SeveralSequences { names: names.collect::<Vec<_>>().join(", ") }.of(path_buf()))
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
    fn no_time_limit_applies_to_a_local_file() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), "x").expect("the folder takes a file");
        let options = OpenOptions { network_limit: Some(Duration::ZERO), ..OpenOptions::default() };
        let told = |path: &Path| {
            let source = Source::new(path, &options, Arc::new(Interrupt::new())).expect("nothing is opened yet");
            source.limit_time();
            std::thread::sleep(Duration::from_millis(5));
            (source.interrupt.is_late(), source.error("reading", AvError::EXIT).to_string())
        };
        let (is_late, error) = told(file.path());
        assert!(!is_late && error.contains("reading failed") && !error.contains("no data"), "{error}");
        let (is_late, error) = told(Path::new("http://host/a.mp4"));
        assert!(is_late && error.contains("no data for 0 s"), "{error}");
    }

    #[test]
    fn device_in_use_differs_from_broken_device() {
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
