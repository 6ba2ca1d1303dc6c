//! The sound of a file, read apart from its pictures.

use std::path::PathBuf;
use std::sync::Arc;

use crate::av::{
    AvError, Input, Interrupt, Read, SoundCodec, SoundConverter, SoundFacts, SoundReceived, StreamParameters,
};
use crate::error::{MediaError, MediaFault};
use crate::read::info::{OpenOptions, StreamInfo};
use crate::read::source::Source;
use crate::read::tap::SoundTap;
use histoscope_core::sound::{SoundFigures, SoundMeter, SoundSummary};

/// Seconds before a position at which decoding starts, so that the decoder has settled by then.
const PREROLL_SECS: f64 = 0.1;
/// Differences between a timestamp and the end of the sound before it that are only rounding, in seconds.
const ROUNDING_SECS: f64 = 0.02;
/// Seconds by which timestamps may move forward and back in formats in which they may jump.
const JUMP_SECS: (f64, f64) = (10.0, 0.3);

/// The most failed reads in a row.
const MOST_FAILURES: u32 = 64;

/// The form in which samples are wanted; what is `None` stays as it is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoundForm {
    /// Samples per second and channel.
    pub rate: Option<u32>,
    /// Number of channels.
    pub channels: Option<usize>,
}

/// A piece of sound.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundBlock {
    /// Time of its first sample on the pictures' scale, in seconds: 0 is the time of the first picture.
    pub start_secs: f64,
    /// Samples per second and channel.
    pub rate: u32,
    /// Number of channels.
    pub channels: usize,
    /// The samples, from −1 to 1 unless they exceed full scale; those of all channels side by side.
    pub samples: Vec<f32>,
}

impl SoundBlock {
    /// Returns the number of samples of each channel.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.samples.len() / self.channels.max(1)
    }

    /// Returns the time of the end, in seconds.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        self.start_secs + self.frames() as f64 / f64::from(self.rate.max(1))
    }
}

/// Where the packets come from.
enum Origin {
    /// The source is read a second time.
    Own(Box<Source>, Input),
    /// They are those of a live source, as they arrive.
    Live(PathBuf, SoundTap),
}

impl Origin {
    fn error(&self, action: &'static str, error: AvError) -> MediaError {
        match self {
            Self::Own(source, _) => source.error(action, error),
            Self::Live(path, _) => MediaFault::Failed { action, reason: error.to_string() }.of(path.clone()),
        }
    }
}

impl Drop for SoundReader {
    fn drop(&mut self) {
        if let Origin::Live(_, tap) = &self.origin {
            tap.want(None);
        }
    }
}

/// Reads a sound track.
pub struct SoundReader {
    origin: Origin,
    stream: usize,
    codec: SoundCodec,
    converter: Option<SoundConverter>,
    form: SoundForm,
    /// Time of the first picture on the scale of the file, in seconds.
    zero_secs: f64,
    /// Seconds per tick of the stream.
    tick_secs: f64,
    may_jump: bool,
    /// What is added to the file's times after they jumped, in seconds.
    offset_secs: f64,
    /// Time of the end of the sound that was decoded last, in seconds.
    end_secs: Option<f64>,
    /// Number of packets that the decoder refused.
    refused: u64,
    is_drained: bool,
    /// Decoded sound that the converter has not taken yet, as the rest of what was before it came first.
    held: Option<SoundFacts>,
    /// Number of failed reads in a row.
    failures: u32,
}

impl SoundReader {
    /// Opens a sound track of a video that was opened with these options, separately from its pictures.
    ///
    /// # Errors
    /// [`MediaError`] if the source can be read only once, has no such track (counted from 0), or cannot be decoded.
    pub fn open(info: &StreamInfo, options: &OpenOptions, track: usize, form: SoundForm) -> Result<Self, MediaError> {
        let failed = |fault: MediaFault| fault.of(info.path.clone());
        let wanted = info.audio.get(track).ok_or_else(|| {
            failed(MediaFault::NoSuchAudioTrack { track: track as u32 + 1, tracks: info.audio.len() })
        })?;
        let stream = wanted.stream;
        if info.live {
            return Self::open_live(info, stream, form).unwrap_or_else(|| Err(failed(MediaFault::SoundOnce)));
        }
        let source = Source::new(&info.path, options, Arc::new(Interrupt::new()))?;
        if !source.can_reopen() {
            return Err(failed(MediaFault::SoundOnce));
        }
        let mut input = source.open()?;
        input.select(stream, None);
        let parameters = input.stream(stream).filter(StreamParameters::is_audio);
        let parameters =
            parameters.ok_or_else(|| failed(MediaFault::NoSuchAudioTrack { track: track as u32 + 1, tracks: 0 }))?;
        let codec = SoundCodec::open(&parameters).map_err(|error| source.error("decode the sound", error))?;
        let tick_secs = parameters.time_base().value();
        let may_jump = input.may_jump();
        let zero_secs = info.time_base.times(info.start_ticks);
        let origin = Origin::Own(Box::new(source), input);
        Ok(Self::new(origin, (stream, codec), (tick_secs, zero_secs, may_jump), form))
    }

    /// Opens the sound of a live source; `None` if there is none.
    fn open_live(info: &StreamInfo, stream: usize, form: SoundForm) -> Option<Result<Self, MediaError>> {
        let origin = Origin::Live(info.path.clone(), info.tap.clone());
        let (codec, tick_secs, may_jump) = match info.tap.open(stream)? {
            Ok(opened) => opened,
            Err(error) => return Some(Err(origin.error("decode the sound", error))),
        };
        let zero_secs = info.time_base.times(info.start_ticks) - info.tap.offset_secs();
        info.tap.want(Some(stream));
        Some(Ok(Self::new(origin, (stream, codec), (tick_secs, zero_secs, may_jump), form)))
    }

    fn new(
        origin: Origin,
        (stream, codec): (usize, SoundCodec),
        (tick_secs, zero_secs, may_jump): (f64, f64, bool),
        form: SoundForm,
    ) -> Self {
        Self {
            origin,
            stream,
            codec,
            converter: None,
            form,
            zero_secs,
            tick_secs,
            may_jump,
            offset_secs: 0.0,
            end_secs: None,
            refused: 0,
            is_drained: false,
            held: None,
            failures: 0,
        }
    }

    /// Returns the number of packets that the decoder has refused so far.
    #[must_use]
    pub const fn refused(&self) -> u64 {
        self.refused
    }

    /// Goes to the last place from which the sound at this time can be decoded. What is read then may begin earlier. A
    /// live source goes on.
    ///
    /// # Errors
    /// [`MediaError`] if the source cannot be positioned.
    pub fn seek(&mut self, secs: f64) -> Result<(), MediaError> {
        let Origin::Own(source, input) = &mut self.origin else { return Ok(()) };
        source.limit_time();
        let ticks = ((secs - PREROLL_SECS + self.zero_secs) / self.tick_secs).floor() as i64;
        input.seek(self.stream, ticks).map_err(|error| source.error("position the sound", error))?;
        self.codec.flush();
        (self.converter, self.held) = (None, None);
        (self.offset_secs, self.end_secs, self.is_drained) = (0.0, None, false);
        Ok(())
    }

    /// Reads the next piece of sound; `None` at the end, and while no more of a live source has arrived.
    ///
    /// # Errors
    /// [`MediaError`] if the source fails. Damaged packets are left out, and leave a gap.
    pub fn read(&mut self) -> Result<Option<SoundBlock>, MediaError> {
        loop {
            match self.held.take().map_or_else(|| self.codec.receive(), SoundReceived::Sound) {
                SoundReceived::Sound(facts) => {
                    let is_other = self.converter.as_ref().is_some_and(|converter| !converter.takes(&facts));
                    if is_other && let Some(rest) = self.rest() {
                        self.held = Some(facts);
                        return Ok(Some(rest));
                    }
                    if let Some(block) = self.convert(&facts)? {
                        return Ok(Some(block));
                    }
                }
                SoundReceived::Refused => self.refused += 1,
                SoundReceived::NeedsInput if !self.feed()? => return Ok(None),
                SoundReceived::NeedsInput => {}
                SoundReceived::End => {
                    let is_over = std::mem::replace(&mut self.is_drained, true);
                    return Ok(if is_over { None } else { self.rest() });
                }
            }
        }
    }

    /// Converts what the decoder holds.
    fn convert(&mut self, facts: &SoundFacts) -> Result<Option<SoundBlock>, MediaError> {
        let form = self.form;
        let failed = |error| self.origin.error("convert the sound", error);
        let converter = match &mut self.converter {
            Some(converter) => converter,
            None => {
                let made = SoundConverter::new(&self.codec, facts, form.rate, form.channels).map_err(failed)?;
                self.converter.insert(made)
            }
        };
        let stated = facts.pts.map(|pts| pts as f64 * self.tick_secs - self.zero_secs);
        let start = match (stated.map(|stated| stated + self.offset_secs), self.end_secs) {
            (Some(stated), Some(end)) if (stated - end).abs() <= ROUNDING_SECS => end,
            (Some(stated), Some(end)) if self.may_jump && !(-JUMP_SECS.1..JUMP_SECS.0).contains(&(stated - end)) => {
                self.offset_secs += end - stated;
                end
            }
            (Some(stated), _) => stated,
            (None, end) => end.unwrap_or(0.0),
        };
        self.end_secs = Some(start + facts.samples as f64 / f64::from(facts.rate));
        let start_secs = start - converter.delay_secs();
        let samples = converter.convert(Some(&self.codec)).map_err(failed)?;
        let (rate, channels) = (converter.rate(), converter.channels());
        Ok((!samples.is_empty()).then_some(SoundBlock { start_secs, rate, channels, samples }))
    }

    /// Takes what is left in the converter.
    fn rest(&mut self) -> Option<SoundBlock> {
        let mut converter = self.converter.take()?;
        let start_secs = self.end_secs? - converter.delay_secs();
        let samples = converter.convert(None).ok().filter(|samples| !samples.is_empty())?;
        Some(SoundBlock { start_secs, rate: converter.rate(), channels: converter.channels(), samples })
    }

    /// Sends the next packet to the decoder. Returns `false` if none of a live source has arrived.
    fn feed(&mut self) -> Result<bool, MediaError> {
        let (source, input) = match &mut self.origin {
            Origin::Own(source, input) => (source, input),
            Origin::Live(_, tap) => {
                let Some(packet) = tap.next() else { return Ok(false) };
                self.refused += u64::from(self.codec.send(Some(&packet)).is_err());
                return Ok(true);
            }
        };
        source.limit_time();
        let sent = match input.read() {
            Read::Packet(packet) if usize::try_from(packet.stream()) == Ok(self.stream) => {
                self.codec.send(Some(&packet))
            }
            Read::Packet(_) => Ok(()),
            Read::Error(AvError::AGAIN) => {
                std::thread::sleep(std::time::Duration::from_millis(5));
                Ok(())
            }
            Read::Error(AvError::INVALID_DATA) if self.failures < MOST_FAILURES => {
                self.failures += 1;
                return Ok(true);
            }
            Read::End => self.codec.send(None),
            Read::Error(error) => return Err(source.error("read the sound", error)),
            Read::Denied(_) => return Err(source.error("read the sound", AvError::NO_ENTRY)),
        };
        self.failures = 0;
        self.refused += u64::from(sent.is_err());
        Ok(true)
    }
}

/// A sound track that is read and measured.
pub struct MeasuredSound {
    reader: SoundReader,
    /// The track's number, from 1.
    number: u32,
    /// Samples per second and number of channels of the first sound, for which the meter was made. Sound of another form,
    /// after a change in the middle, is left out.
    meter: Option<(u32, usize, SoundMeter)>,
    /// Sound that has been read, but not measured.
    rest: Option<SoundBlock>,
    /// When the measured sound begins and ends, in seconds.
    span: Option<(f64, f64)>,
    is_over: bool,
}

impl MeasuredSound {
    /// Opens a sound track, counted from 0, as [`SoundReader::open`] does.
    ///
    /// # Errors
    /// [`MediaError`] if it cannot be read.
    pub fn open(info: &StreamInfo, options: &OpenOptions, track: usize) -> Result<Self, MediaError> {
        let reader = SoundReader::open(info, options, track, SoundForm::default())?;
        Ok(Self { reader, number: track as u32 + 1, meter: None, rest: None, span: None, is_over: false })
    }

    /// Begins to measure at this time, in seconds.
    ///
    /// # Errors
    /// [`MediaError`] if the source fails or cannot be positioned.
    pub fn begin_at(&mut self, secs: f64) -> Result<(), MediaError> {
        self.reader.seek(secs)?;
        self.pass(secs, false)
    }

    /// Returns the time at which the next sound begins in seconds, and its number of channels; `None` at the end.
    ///
    /// # Errors
    /// [`MediaError`] if the source fails.
    pub fn next_sound(&mut self) -> Result<Option<(f64, usize)>, MediaError> {
        if self.rest.is_none() && !self.is_over {
            self.rest = self.reader.read()?;
            self.is_over = self.rest.is_none();
        }
        Ok(self.rest.as_ref().map(|block| (block.start_secs, block.channels)))
    }

    /// Measures the sound up to a time, in seconds.
    ///
    /// # Errors
    /// [`MediaError`] if the source fails.
    pub fn measure(&mut self, until: f64) -> Result<(), MediaError> {
        self.pass(until, true)
    }

    /// Returns the figures of what was measured since this was called last.
    pub fn take(&mut self) -> SoundFigures {
        self.meter.as_mut().map(|(_, _, meter)| meter.take()).unwrap_or_default()
    }

    /// Returns the figures of all that was measured; `None` if nothing was.
    #[must_use]
    pub fn summary(&self) -> Option<SoundSummary> {
        let ((_, _, meter), span) = self.meter.as_ref().zip(self.span)?;
        Some(SoundSummary { refused_packets: self.reader.refused(), ..meter.summary(self.number, span) })
    }

    /// Measures the sound up to a time, or leaves it out.
    fn pass(&mut self, until: f64, counts: bool) -> Result<(), MediaError> {
        while self.next_sound()?.is_some() {
            let Some(mut block) = self.rest.take() else { return Ok(()) };
            let rate = f64::from(block.rate);
            let due = ((until - block.start_secs) * rate).round().clamp(0.0, block.frames() as f64) as usize;
            let (frames, later) = (block.frames(), block.samples.split_off(due * block.channels));
            if counts && due > 0 {
                let (_, _, meter) = match &mut self.meter {
                    Some(known) if (known.0, known.1) == (block.rate, block.channels) => known,
                    Some(_) => {
                        log::debug!("sound of another form is not measured");
                        continue;
                    }
                    none => match SoundMeter::new(block.rate, block.channels) {
                        Some(meter) => none.insert((block.rate, block.channels, meter)),
                        None => return Ok(()),
                    },
                };
                meter.add(&block.samples);
                let end = block.start_secs + due as f64 / rate;
                self.span = Some((self.span.map_or(block.start_secs, |(begin, _)| begin), end));
            }
            if due < frames {
                let start_secs = block.start_secs + due as f64 / rate;
                self.rest = Some(SoundBlock { start_secs, samples: later, ..block });
                return Ok(());
            }
        }
        Ok(())
    }
}
