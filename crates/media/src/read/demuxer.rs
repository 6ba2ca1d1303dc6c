//! An open source, read packet by packet.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::av::{AvError, AvPacket, Input, Read, StreamParameters};
use crate::error::{MediaError, MediaFault};
use crate::read::ending::left_out;
use crate::read::info::LeftOut;
use crate::read::source::Source;
use crate::read::tap::SoundTap;
use crate::read::timeshift::Timeshift;

/// Consecutive read errors after which the file is considered to have ended.
const MAX_READ_ERRORS: u32 = 64;

/// Gap between two packets in which a part of the video is looked for that FFmpeg does not return.
const FEWEST_GAP_SECS: f64 = 0.15;

/// Reads one stream of a source.
pub(crate) struct Demuxer {
    source: Source,
    input: Input,
    stream: usize,
    is_live: bool,
    /// Store for the packets of a live source.
    shift: Option<Arc<Timeshift>>,
    /// Number of packets read.
    packets: u64,
    /// Number of failed reads.
    errors: u64,
    /// Watches for parts of a transport stream's video that FFmpeg does not return.
    watch: Option<Box<TransportWatch>>,
    /// Takes the sound of a live source.
    tap: SoundTap,
    /// The stream of sound that is read too.
    heard: Option<usize>,
}

/// Finds parts of a transport stream's video that FFmpeg does not return, where the packets leave a gap in time.
struct TransportWatch {
    pid: u16,
    /// Seconds per tick.
    tick_secs: f64,
    /// Position in the file and timestamp of the packet before the next one; `None` after a seek.
    last: Option<(u64, Option<i64>)>,
    found: Option<LeftOut>,
}

impl TransportWatch {
    /// Begins at the first packet of a source; `None` if it is not a transport stream in a file.
    fn new(source: &Source, input: &Input, stream: usize) -> Option<Self> {
        let parameters = input.stream(stream).filter(|_| source.is_file() && input.container() == "mpegts")?;
        let (pid, tick_secs) = (u16::try_from(parameters.id()).ok()?, parameters.time_base().value());
        Some(Self { pid, tick_secs, last: Some((0, None)), found: None })
    }

    /// Takes the next packet; `None` at the end.
    fn note(&mut self, packet: Option<&AvPacket>, path: &Path) {
        let next = packet.map(|packet| (packet.position(), packet.dts()));
        let last = std::mem::replace(&mut self.last, next.and_then(|(at, ticks)| Some((at?, ticks))));
        let Some((from, ticks)) = last.filter(|_| self.found.is_none()) else { return };
        let is_first = (from, ticks) == (0, None);
        let to = match next {
            None => u64::MAX,
            Some((Some(to), next_ticks)) => {
                let gap = next_ticks.zip(ticks).map(|(next, last)| next.saturating_sub(last) as f64 * self.tick_secs);
                if !is_first && gap.is_none_or(|secs| secs.abs() < FEWEST_GAP_SECS) {
                    return;
                }
                to
            }
            Some((None, _)) => return,
        };
        self.found = left_out(path, self.pid, (from, to), is_first);
    }
}

impl Demuxer {
    /// Creates a demuxer for one stream of an open input. The packets of a live source are also stored if there is a
    /// store.
    pub(crate) fn new(
        source: Source,
        input: Input,
        stream: usize,
        (is_live, shift): (bool, Option<Arc<Timeshift>>),
    ) -> Self {
        let watch = TransportWatch::new(&source, &input, stream).map(Box::new);
        Self {
            source,
            input,
            stream,
            is_live,
            shift,
            packets: 0,
            errors: 0,
            watch,
            tap: SoundTap::default(),
            heard: None,
        }
    }

    /// Passes sound to this tap as long as it is wanted.
    pub(crate) fn tapped(self, tap: &SoundTap) -> Self {
        Self { tap: tap.clone(), ..self }
    }

    /// Stores the packets read from now on.
    #[cfg(test)]
    pub(crate) fn keep_in(&mut self, shift: &Arc<Timeshift>) {
        self.shift = Some(Arc::clone(shift));
    }

    /// Returns the opened source.
    pub(crate) const fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the open input.
    pub(crate) const fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the index of the stream in the file.
    pub(crate) const fn stream(&self) -> usize {
        self.stream
    }

    /// Returns what the container states about the stream.
    pub(crate) fn parameters(&self) -> Option<StreamParameters<'_>> {
        self.input.stream(self.stream)
    }

    /// Returns `true` if the sender sets the pace.
    pub(crate) const fn is_live(&self) -> bool {
        self.is_live
    }

    /// Returns the number of packets read and the number of failed reads.
    pub(crate) const fn counts(&self) -> (u64, u64) {
        (self.packets, self.errors)
    }

    /// Returns the first part found of a transport stream's video that FFmpeg does not return.
    pub(crate) fn left_out_part(&self) -> Option<LeftOut> {
        self.watch.as_ref()?.found
    }

    /// Sets how long a network source may go without delivering data from now on.
    pub(crate) const fn set_network_limit(&mut self, limit: Duration) {
        self.source.set_network_limit(limit);
    }

    /// Returns `true` if this seems to be a piped MP4 with its index after the frames: FFmpeg has found the index at
    /// the end and cannot go back.
    pub(crate) fn has_index_at_end(&self) -> bool {
        self.input.container() == "mov,mp4,m4a,3gp,3g2,mj2" && !self.source.can_reopen() && self.packets == 0
    }

    /// Reads the next packet; `None` at the end.
    pub(crate) fn read(&mut self) -> Result<Option<AvPacket>, MediaError> {
        let mut errors = 0;
        loop {
            if !self.is_live {
                self.source.limit_time();
            } else if self.source.interrupt().is_late() {
                return Err(self.source.error("reading", AvError::EXIT));
            }
            match self.read_ours() {
                Read::Packet(packet) => {
                    self.packets += 1;
                    if let Some(watch) = &mut self.watch {
                        watch.note(Some(&packet), self.source.path());
                    }
                    if let Some(shift) = &self.shift {
                        shift.note_packet(&packet);
                    }
                    return Ok(Some(packet));
                }
                Read::End if self.goes_on()? => {}
                Read::End => {
                    if let Some(watch) = &mut self.watch {
                        watch.note(None, self.source.path());
                    }
                    return Ok(None);
                }
                Read::Denied(denied) => return Err(self.source.denied(denied)),
                Read::Error(error) => {
                    let interrupt = self.source.interrupt();
                    if error == AvError::EXIT || interrupt.is_stopped() || interrupt.is_late() {
                        return Err(self.source.error("reading", error));
                    }
                    if error == AvError::AGAIN {
                        std::thread::sleep(Duration::from_millis(5));
                        continue;
                    }
                    self.errors += 1;
                    errors += 1;
                    // One warning is enough: a demuxer that has lost sync fails many times in a row.
                    let is_news = self.errors == 1 && !self.has_index_at_end();
                    let level = if is_news { log::Level::Warn } else { log::Level::Debug };
                    log::log!(level, "{}: reading failed: {error}", self.source.path().display());
                    // Valid data may follow invalid data; an error of the device or the connection is final.
                    if error != AvError::INVALID_DATA || errors > MAX_READ_ERRORS {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Reads the next packet of the stream. Numbered pictures end with the last complete one: FFmpeg also finds a
    /// picture that is still being written, and may look for a missing one.
    fn read_ours(&mut self) -> Read {
        let heard = self.tap.wanted();
        if std::mem::replace(&mut self.heard, heard) != heard {
            self.input.select(self.stream, heard);
        }
        loop {
            return match self.input.read() {
                Read::Packet(packet) if heard.is_some() && usize::try_from(packet.stream()).ok() == heard => {
                    self.tap.push(packet);
                    continue;
                }
                Read::Packet(packet) if usize::try_from(packet.stream()) != Ok(self.stream) => continue,
                Read::Packet(packet) => {
                    let Some(sequence) = self.source.sequence() else { return Read::Packet(packet) };
                    let packet = packet.later_by(i64::from(sequence.before()));
                    let is_complete = packet.pts().is_none_or(|pts| pts < i64::from(sequence.count()));
                    if is_complete { Read::Packet(packet) } else { Read::End }
                }
                // Version 9 says that the file is not there.
                Read::Error(AvError::IO | AvError::NO_ENTRY) if self.source.may_lack_pictures() => Read::End,
                other => other,
            };
        }
    }

    /// If numbered pictures are being followed, waits for the next one and reopens the input there. Returns whether
    /// there is one.
    fn goes_on(&mut self) -> Result<bool, MediaError> {
        if !self.source.await_next()? {
            return Ok(false);
        }
        self.input = self.source.open()?;
        self.input.select(self.stream, None);
        Ok(true)
    }

    /// Seeks to the last position from which, according to the container, the frame at `ticks` can be decoded. Returns
    /// `false` if the container knows none.
    pub(crate) fn seek(&mut self, ticks: i64) -> bool {
        // The last read's time limit has expired if the user paused for long.
        self.source.limit_time();
        if let Some(watch) = &mut self.watch {
            watch.last = None;
        }
        self.input.seek(self.stream, ticks).is_ok()
    }

    /// Reopens the source, to read from its first packet.
    pub(crate) fn reopen(&mut self) -> Result<(), MediaError> {
        if !self.source.can_reopen() {
            return Err(self.not_seekable());
        }
        self.input = self.source.open().map_err(|error| match error {
            MediaError { path, fault: MediaFault::NotFound } => MediaFault::Gone.of(path),
            other => other,
        })?;
        self.input.select(self.stream, None);
        if let Some(watch) = &mut self.watch {
            watch.last = Some((0, None));
        }
        Ok(())
    }

    /// Returns the error for a source that cannot go back.
    pub(crate) fn not_seekable(&self) -> MediaError {
        MediaFault::NotSeekable.of(self.source.path().to_owned())
    }
}
