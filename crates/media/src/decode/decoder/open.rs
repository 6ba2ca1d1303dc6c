//! Opening a video: choosing the stream and the number of threads, and decoding the first frame.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::decision::{self, Decision};
use super::{Decoder, StopHandle};
use crate::av::{
    self, Accelerator, AvError, AvPacket, Codec, CodecOptions, ColorNumbers, Denied, Inability, Input,
    StreamParameters, take_inability,
};
use crate::decode::pictures::PictureMaker;
use crate::decode::position::Position;
use crate::decode::stills::{self, StillColors};
use crate::decode::stream_codec::StreamCodec;
use crate::decode::tiles::TiledPicture;
use crate::error::{MediaError, MediaFault};
use crate::read::boxes;
use crate::read::camera_log;
use crate::read::demuxer::Demuxer;
use crate::read::ending::{self, Ending};
use crate::read::exr::LayerChoice;
use crate::read::guarantee::SeekGuarantee;
use crate::read::hardware::{HardwareChoice, HardwareOptions};
use crate::read::info::{FrameCounters, MP4, OpenOptions, StreamInfo};
use crate::read::packets::{LookAhead, PacketSource, Packets};
use crate::read::source::Source;
use crate::read::stated::StreamDefaults;
use crate::read::streams;
use crate::read::tags;
use crate::read::tap::SoundTap;
use crate::read::timeshift::{Coding, KeptReader, Timeshift};
use crate::read::undecodable;
use crate::times::index::FrameIndex;
use crate::times::numbering::{Numbering, has_one_frame_a_packet};
use crate::times::timecodes::TimecodeReader;
use crate::times::timeline::Timeline;
use histoscope_core::picture::color::Sourced;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::{Orientation, Ratio};
use histoscope_core::text::{counted, sanitized};

/// Seconds at the start of MPEG-2 that are searched for pulldown.
const PULLDOWN_SECS: f64 = 0.5;

impl Decoder {
    /// Opens a file or URL and decodes its first frame; `-` is the standard input.
    ///
    /// # Errors
    /// [`MediaError`] if there is no video in it that can be decoded.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, MediaError> {
        Self::open_with(path, options, &StopHandle::new())
    }

    /// Opens a video like [`open`](Self::open), but lets `stop` end it from another thread.
    ///
    /// # Errors
    /// [`MediaError`] if there is no video in it that can be decoded, or if it was stopped.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions, stop: &StopHandle) -> Result<Self, MediaError> {
        Self::open_keeping(path.as_ref(), options, stop, None)
    }

    /// Opens a video like [`open_with`](Self::open_with). If it turns out to be live, its packets are stored in
    /// `shift`.
    pub(crate) fn open_keeping(
        path: &Path,
        options: &OpenOptions,
        stop: &StopHandle,
        shift: Option<&Arc<Timeshift>>,
    ) -> Result<Self, MediaError> {
        av::set_log_level();
        let source = Source::new(path, options, Arc::clone(&stop.0))?;
        if let Some(item) = source.composed_item() {
            return Self::open_tiled(source, item, options);
        }
        let mut input = None;
        let mut first_error = None;
        let mut notes = Vec::new();
        let mut reason = "the only one";
        let mut candidates = VecDeque::from([None]);
        while let Some(candidate) = candidates.pop_front() {
            let source = Source::new(path, options, Arc::clone(&stop.0))?;
            if first_error.is_some() && !source.can_reopen() {
                break;
            }
            let opened = match input.take() {
                Some(opened) => opened,
                None => source.open()?,
            };
            let Some(stream) = candidate else {
                let found = streams::candidates(&opened, options.track, path)?;
                reason = if options.track.is_some() { "requested" } else { streams::reason(&found) };
                candidates.extend(found.iter().map(|candidate| Some(candidate.index)));
                if candidates.is_empty() {
                    if let Some(denied) = opened.denied() {
                        return Err(source.denied(denied.clone()));
                    }
                    let found = streams::describe(&opened);
                    return Err(MediaFault::NoVideo { found }.of(path.to_owned()));
                }
                input = Some(opened);
                continue;
            };
            match Self::start(source, opened, (stream, None), (options, shift), &notes) {
                Ok(mut decoder) => {
                    decoder.info.track_reason = reason;
                    return decoder.with_twin(options, stop);
                }
                Err(error) if error.is_of_stream() => {
                    notes.push(format!("video stream {stream} has no decodable frame; using the next one"));
                    reason = "the earlier ones have no decodable frame";
                    first_error.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(first_error.unwrap_or_else(|| MediaFault::NotFound.of(path.to_owned())))
    }

    /// Adds a second decoder in software whose frames are compared with those of this one, if that is requested.
    fn with_twin(mut self, options: &OpenOptions, stop: &StopHandle) -> Result<Self, MediaError> {
        if options.hardware.verify && self.info.hardware.is_some() {
            let path = self.info.path.clone();
            if self.info.live || !self.packets.opened().is_some_and(|demuxer| demuxer.source().can_reopen()) {
                return Err(MediaFault::NotRepeatable.of(path));
            }
            let options = OpenOptions { hardware: HardwareOptions::default(), ..options.clone() };
            self.twin = Some(Box::new(Self::open_with(path, &options, stop)?));
        }
        Ok(self)
    }

    /// Opens a file whose picture is this item, which is assembled from tiles.
    fn open_tiled(source: Source, item: u32, options: &OpenOptions) -> Result<Self, MediaError> {
        if let Some(track) = options.track.filter(|track| *track != 1) {
            return Err(MediaFault::NoSuchTrack { track, tracks: 1 }.of(source.path().to_owned()));
        }
        let tiled = TiledPicture::read(&source, item)?;
        let (input, stream) = (source.open()?, tiled.stream());
        Self::start(source, input, (stream, Some(tiled)), (options, None), &[])
    }

    /// Starts decoding one stream, or the tiled picture that it is part of, and checks that it yields a frame.
    fn start(
        source: Source,
        mut input: Input,
        (stream, tiled): (usize, Option<TiledPicture>),
        (options, shift): (&OpenOptions, Option<&Arc<Timeshift>>),
        notes: &[String],
    ) -> Result<Self, MediaError> {
        input.select(stream, None);
        let path = source.path().to_owned();
        let no_video = || MediaFault::NoVideo { found: "no such stream".to_owned() }.of(path.clone());
        let parameters = input.stream(stream).ok_or_else(no_video)?;
        streams::check_decoder(&parameters, &path)?;
        let threads = threads_for(options, &parameters);
        let live = source.is_live_as(&input);
        let is_repeatable = source.can_reopen() && !live;
        // A picture of tiles is one frame.
        let mut decision = match tiled {
            Some(_) => Decision::default(),
            None => decision::decide(options, &parameters, (&path, is_repeatable))?,
        };
        let own = source.layer().map(LayerChoice::options).unwrap_or_default();
        let coding = CodecOptions { low_delay: live, own, ..CodecOptions::of_threads(threads) };
        let codec = open_codec(&mut decision, &parameters, (coding, options)).map_err(|error| {
            let large = input.oversize().or(take_inability().oversize);
            let too_large = |(width, height)| MediaFault::TooLarge { width, height }.of(path.clone());
            large.map_or_else(|| source.error("opening the decoder", error), too_large)
        })?;
        let (rate, _) = input.rates(&parameters);
        let has_one_frame_a_packet = has_one_frame_a_packet(&parameters, input.container());
        let timecodes = TimecodeReader::of(&input, &parameters);
        let timeline = Timeline::new(parameters.time_base(), rate, input.may_jump());
        // Other pictures than the primary one, and tracks, have their own.
        let is_still = tiled.is_some() || parameters.frame_count() == Some(1);
        let heif_orientation = if is_still { source.heif_orientation()? } else { None };
        let is_mp4 = input.container() == MP4;
        let mut tags = parameters.color_numbers();
        if let Some([primaries, transfer, matrix]) = source.stated_color_numbers(stream).filter(|_| is_mp4) {
            tags = tags.or(ColorNumbers { primaries, transfer, matrix, ..ColorNumbers::UNSPECIFIED });
        }
        let defaults = StreamDefaults {
            tags,
            overrides_tags: is_mp4,
            sample_aspect: parameters.sample_aspect(),
            coded_sample_aspect: parameters.coded_sample_aspect(),
            orientation: heif_orientation.or(parameters.display_matrix().and_then(|m| tags::orientation(&m))),
            codes_fields: parameters.codec_name() == "hevc",
            states_scan: parameters.scan().is_some(),
            crop: tiled.as_ref().map_or_else(|| parameters.crop().unwrap_or_default(), TiledPicture::crop),
            is_dolby_ipt: parameters.is_dolby_ipt(),
            stated_light: parameters.stated_light(),
        };
        let stills = StillColors::new(parameters.codec_name(), input.container(), parameters.extradata());
        let guarantee =
            if live { SeekGuarantee::Nothing } else { SeekGuarantee::of(&parameters, &input, stream, &source) };
        let info = describe(&source, &input, stream, &codec, notes).ok_or_else(no_video)?;
        let seekable = info.seekable && !live;
        let mut info = StreamInfo { live, seekable, software_reason: decision.reason, ..info };
        if let Some(tiled) = &tiled {
            (info.stated_size, info.still) = (tiled.size(), true);
            info.tracks.retain(|track| track.stream == stream);
            info.tracks.iter_mut().for_each(|track| track.size = tiled.size());
        }
        if let Some(Denied::Refused(named) | Denied::Unread(named)) = input.denied() {
            info.notes.push(format!("the file refers to {}, which was not read", sanitized(named)));
        }
        if live {
            info.tap = SoundTap::new(&input);
        }
        let shift = shift.filter(|_| live);
        if let Some(shift) = shift {
            // Without storage, past frames remain available only while their decoded pictures are in memory.
            let coding = Coding::of(&parameters, &info, &defaults, threads);
            let begun = coding.map(|coding| shift.begin(coding));
            let _ = begun.inspect_err(|error| log::debug!("packets are not stored: {error}"));
        }
        let demuxer = Demuxer::new(source, input, stream, (live, shift.cloned())).tapped(&info.tap);
        let mut decoder = Self {
            packets: Packets::new(PacketSource::Opened(Box::new(demuxer)), &info.codec),
            codec,
            twin: None,
            tiled,
            guarantee,
            starts: None,
            is_listed: false,
            position: Position::default(),
            timeline,
            timecodes,
            numbers: Numbering::default(),
            pictures: PictureMaker::new(options, defaults),
            counters: FrameCounters::default(),
            stills,
            states_durations: true,
            has_one_frame_a_packet,
            begins_interlaced: false,
            frame_bytes: None,
            serial: 0,
            is_hardware_named: options.hardware.choice != HardwareChoice::Auto,
            first_packet: None,
            info,
        };
        decoder.reset_to_start();
        decoder.learn_from_first_frame()?;
        Ok(decoder)
    }

    /// Replaces the decoder of a file by the one that is chosen. A seek must follow.
    ///
    /// # Errors
    /// [`MediaError`] if the file can be read only once, or has no such decoder; it is then decoded as before.
    pub(crate) fn decode_with(&mut self, choice: HardwareChoice) -> Result<(), MediaError> {
        let path = self.info.path.clone();
        let opened = self.packets.opened().filter(|demuxer| demuxer.source().can_reopen() && !demuxer.is_live());
        let parameters = opened.filter(|_| self.tiled.is_none()).and_then(Demuxer::parameters);
        let Some(parameters) = parameters else { return Err(MediaFault::NotSwitchable.of(path)) };
        let options = self.pictures.options();
        let hardware = HardwareOptions { choice, ..options.hardware.clone() };
        let options = OpenOptions { hardware, ..options.clone() };
        let mut decision = decision::decide(&options, &parameters, (&path, true))?;
        let coding = CodecOptions::of_threads(threads_for(&options, &parameters));
        let opened = open_codec(&mut decision, &parameters, (coding, &options));
        let action = "opening the decoder";
        self.codec = opened.map_err(|error| MediaFault::Failed { action, reason: error.to_string() }.of(path))?;
        self.is_hardware_named = choice != HardwareChoice::Auto;
        self.info.decoder = self.codec.name();
        self.info.hardware = self.codec.hardware().map(Accelerator::name);
        self.info.threads = self.codec.threads();
        self.info.software_reason = decision.reason;
        Ok(())
    }

    /// Creates a decoder for the stored packets of a live source, which yields no frame before a seek; `None` if
    /// nothing is stored.
    pub(crate) fn from_stored(shift: &Arc<Timeshift>, options: &OpenOptions, stop: &StopHandle) -> Option<Self> {
        let (segment, coding) = shift.newest_segment()?;
        let codec =
            coding.open().inspect_err(|error| log::debug!("no decoder for the stored packets: {error}")).ok()?;
        let info = coding.info.clone();
        let reader = KeptReader::new(Arc::clone(shift), segment, Arc::clone(&stop.0), info.path.clone());
        Some(Self {
            packets: Packets::new(PacketSource::Kept(reader), &info.codec),
            codec: StreamCodec::in_software(codec),
            twin: None,
            tiled: None,
            guarantee: SeekGuarantee::Nothing,
            starts: None,
            is_listed: false,
            position: Position::default(),
            timeline: Timeline::new(info.time_base, None, false),
            timecodes: TimecodeReader::default(),
            numbers: Numbering::default(),
            pictures: PictureMaker::new(options, coding.defaults.clone()),
            counters: FrameCounters::default(),
            stills: StillColors::default(),
            states_durations: true,
            has_one_frame_a_packet: false,
            begins_interlaced: false,
            frame_bytes: None,
            serial: 0,
            is_hardware_named: false,
            first_packet: None,
            info,
        })
    }

    /// Decodes the first frame: the headers may describe it wrongly, and the codec may yield none at all.
    fn learn_from_first_frame(&mut self) -> Result<(), MediaError> {
        if let Some(demuxer) = self.packets.opened() {
            demuxer.source().limit_time();
        }
        let Some(mut first) = self.decode_timed()? else {
            return Err(self.no_frames());
        };
        self.first_packet = None;
        self.info.start_ticks = first.pts;
        first.position.time_secs = 0.0;
        self.begins_interlaced = first.frame.scan().is_interlaced();
        self.info.timed = first.frame.best_effort_timestamp().is_some();
        self.info.timecodes = self.timecodes.timecodes(&first.frame);
        self.info.coded_size = self.pictures.size(&first.frame);
        self.states_durations = self.info.container != "matroska,webm" || first.frame.duration().is_some();
        self.info.pixel_format = first.frame.coded_format().name().to_owned();
        self.info.threads = self.codec.threads();
        let threads = counted(self.info.threads as u64, "thread");
        log::info!("{}: {} decodes with {threads}", self.info.path.display(), self.info.decoder);
        if let Some(reason) = &self.info.software_reason {
            log::info!("{}: software decodes ({reason})", self.info.path.display());
        }
        self.info.layout = Some(self.pictures.layout(&first.frame).map_err(|reason| {
            let path = self.info.path.clone();
            MediaFault::NoPicture { reason }.of(path)
        })?);
        if let Some(source) = self.pictures.source_format(&first.frame) {
            self.info.conversion = source.converted_to.clone();
            if self.info.stated_size == source.cropping.codec_leaves() {
                self.info.stated_size = self.info.coded_size;
            }
            (self.info.transfer, self.info.primaries) = (source.transfer, source.primaries);
            self.info.luminance = source.luminance();
            self.info.stated_light = self.info.stated_light.or(first.frame.stated_light());
            self.pictures.assume_light(self.info.stated_light);
        }
        self.info.unreadable_matrix = self.pictures.unreadable_matrix(&first.frame);
        self.info.icc_profile = first.frame.icc_profile().map(stills::profile_name).or(self.info.icc_profile.take());
        let has_grain = self.codec.has_film_grain() || first.frame.has_film_grain();
        self.info.film_grain = has_grain.then(|| !first.frame.has_film_grain());
        self.info.contradictions = self.pictures.contradictions(&first.frame);
        self.info.notes.extend_from_slice(&self.info.contradictions);
        self.info.sample_aspect = self.pictures.sample_aspect(&first.frame);
        self.info.orientation = self.pictures.orientation(&first.frame);
        self.info.notes.extend_from_slice(self.pictures.notes());
        self.position.ready.push_back(first);
        if self.info.live {
            // A receiver that joins in the middle of a group of frames cannot decode the rest of it: that is no damage.
            self.counters.refused_packets = 0;
        }
        if !self.info.timed {
            self.guarantee = SeekGuarantee::Nothing;
        }
        let sequence = self.packets.opened().and_then(|demuxer| demuxer.source().sequence());
        let pictures = sequence.filter(|_| !self.info.live).map(|sequence| sequence.count());
        self.numbers.set_list(pictures.map(|count| Arc::new(FrameIndex::of_pictures(count))));
        if self.info.codec == "mpeg2video" && self.info.timed && !self.info.live {
            self.find_pulldown()?;
        }
        if matches!(self.guarantee, SeekGuarantee::Table(_)) {
            // Packets that come later in the file can have earlier timestamps if their pictures refer to ones before
            // the first.
            let start = self.info.start_ticks;
            self.packets.look_ahead(start, start, LookAhead::ToTarget)?;
            let packets = self.packets.queued().filter(|packet| !packet.is_discarded());
            let late = packets.filter(|packet| packet.pts().is_some_and(|pts| pts < start)).count();
            self.numbers.lost_at_start += late as u64;
        }
        Ok(())
    }

    /// Looks for 3:2 pulldown in the first pictures of MPEG-2: FFmpeg reports the rate of the display, not the film's.
    fn find_pulldown(&mut self) -> Result<(), MediaError> {
        let start = self.info.start_ticks;
        self.packets.look_ahead(start.saturating_add(self.ticks_of(PULLDOWN_SECS)), start, LookAhead::ToTarget)?;
        if let Some(rate) = self.codec.pulldown_rate(self.packets.queued()) {
            (self.info.average_rate, self.info.nominal_rate) = (Some(rate), Some(rate));
        }
        Ok(())
    }

    /// Returns the seconds from the first frame to the end of the video stream, as its own headers state; the file as a
    /// whole may be longer.
    #[must_use]
    pub fn stated_stream_secs(&self) -> Option<f64> {
        let demuxer = self.packets.opened()?;
        if demuxer.source().sequence().is_some() {
            return self.info.duration_secs;
        }
        let parameters = demuxer.parameters()?;
        let tick_secs = self.info.time_base.value();
        // The first frame may be later than the point that durations are measured from: Matroska's tag counts from the
        // beginning of the file, and a recording that begins between keyframes has packets before the first that can be
        // decoded.
        let late_secs = |from: i64| (self.info.start_ticks.saturating_sub(from) as f64 * tick_secs).max(0.0);
        if self.info.container == "matroska,webm" {
            // Matroska states no other stream duration; without this tag FFmpeg may report the file's.
            return parameters.tagged_duration_secs().map(|secs| secs - late_secs(0));
        }
        let start = parameters.start().unwrap_or(self.info.start_ticks);
        parameters.duration().map(|ticks| ticks as f64 * tick_secs - late_secs(start))
    }

    /// Returns a sentence about a gap in a sequence of numbered pictures, if there is one.
    #[must_use]
    pub fn gap(&self) -> Option<String> {
        self.packets.opened()?.source().sequence()?.gap()
    }

    /// Returns the part in which the file was cut off; `None` unless this is a file whose container shows that it was
    /// once longer.
    #[must_use]
    pub fn cut_part(&self) -> Option<&'static str> {
        let source = self.packets.opened()?.source();
        source.is_file().then(|| ending::cut_part(source.path(), &self.info.container)).flatten()
    }

    /// Returns the end of the file as its headers and its container state it.
    #[must_use]
    pub fn ending(&self) -> Ending {
        Ending::new(&self.info.container, self.cut_part(), self.gap(), self.stated_stream_secs())
    }

    /// Returns the reason why the video yields no frame, once the whole source has been read.
    fn no_frames(&self) -> MediaError {
        let (path, codec) = (self.info.path.clone(), self.info.codec.clone());
        let counters = self.counters();
        let Some(demuxer) = self.packets.opened() else {
            return MediaFault::EmptyTrack { codec }.of(path);
        };
        let source = demuxer.source();
        if source.is_glob() && counters.refused_packets == 0 {
            return MediaFault::NoMatch.of(path);
        }
        if let Some(denied) = demuxer.input().denied() {
            return source.denied(denied.clone());
        }
        if demuxer.has_index_at_end() {
            return MediaFault::IndexAtEnd.of(path);
        }
        let parameters = demuxer.parameters();
        let packet = self.first_packet.as_ref().map_or(&[][..], AvPacket::data);
        let is_named = self.info.container == "image2";
        if let Some(fault) = undecodable::fault(&path, (&codec, packet), (source.layer(), is_named)) {
            return fault;
        }
        let unable = self.inability();
        if let Some((width, height)) = demuxer.input().oversize().or(unable.oversize) {
            return MediaFault::TooLarge { width, height }.of(path);
        }
        let id = parameters.map_or(0, |parameters| parameters.id());
        if source.is_file() && undecodable::is_scrambled(&path, &self.info.container, id) {
            return MediaFault::Scrambled.of(path);
        }
        if counters.discarded > 0 && counters.refused_packets == 0 {
            return MediaFault::AllLeftOut.of(path);
        }
        if source.is_file() && boxes::lacks_fragments(&path) {
            return MediaFault::Segment { missing: "media segments" }.of(path);
        }
        let is_partial = self.packets.last().is_some_and(|packet| packet.is_corrupt);
        let is_cut = || is_partial || self.cut_part().is_some() || ending::is_cut_picture(&codec, packet);
        if counters.packets <= 1 && is_cut() {
            return MediaFault::CutInFirst.of(path);
        }
        match counters.refused_packets {
            0 => MediaFault::EmptyTrack { codec }.of(path),
            _ if codec == "webp" && is_animated_webp(&path) => MediaFault::AnimatedWebp.of(path),
            refused => match unable.missing {
                Some(missing) => {
                    let what = format!("its {codec} ({} is not implemented)", sanitized(&missing));
                    MediaFault::Undecodable { what }.of(path)
                }
                None => MediaFault::NoFrames { codec, refused }.of(path),
            },
        }
    }

    /// Returns what FFmpeg's decoder says of the first packet that it cannot decode.
    fn inability(&self) -> Inability {
        let parameters = self.packets.opened().and_then(Demuxer::parameters);
        let Some((packet, parameters)) = self.first_packet.as_ref().zip(parameters) else {
            return Inability::default();
        };
        // A single thread decodes on this one, whose messages are heard.
        take_inability();
        let opened = Codec::open(&parameters, CodecOptions::of_threads(1));
        let sent = opened.and_then(|mut codec| codec.send(Some(packet)));
        let heard = take_inability();
        // A demuxer, or a decoder that continues, may lack something else.
        Inability { missing: heard.missing.filter(|_| sent == Err(AvError::NOT_IMPLEMENTED)), ..heard }
    }
}

/// Opens the decoder that was decided on; or else software's, whose reason is then added to the decision.
fn open_codec(
    decision: &mut Decision,
    parameters: &StreamParameters<'_>,
    (coding, options): (CodecOptions, &OpenOptions),
) -> Result<StreamCodec, AvError> {
    let mut codec = Codec::open(parameters, CodecOptions { hardware: decision.hardware, ..coding.clone() });
    if let Ok(codec) = &mut codec {
        codec.decode_into(options.hardware.memory.clone());
    }
    if let (Err(error), Some(hardware)) = (&codec, decision.hardware) {
        decision.reason = Some(format!("{}: {error}", hardware.name()));
        codec = Codec::open(parameters, coding);
    }
    StreamCodec::new(codec?, parameters)
}

/// Returns the number of threads that decode a video.
fn threads_for(options: &OpenOptions, parameters: &StreamParameters<'_>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    options.threads.unwrap_or_else(|| (cores + 1).min(most_threads(parameters.size())))
}

/// Memory that a decoder's threads may fill with frames, in bytes: enough for all threads at 8K.
const THREADS_MEMORY: u64 = 4 << 30;
/// Most decoding threads. More of them hardly decode faster; several decoders do.
const MAX_THREADS: u64 = 17;

/// Returns the number of threads for which that memory suffices: each holds one frame, and needs about as much memory
/// again.
fn most_threads((width, height): (u32, u32)) -> usize {
    // 4:2:0 with 16 bits per sample, a medium size for frames.
    let frame_bytes = (u64::from(width) * u64::from(height) * 3).max(1);
    (THREADS_MEMORY / (2 * frame_bytes)).clamp(2, MAX_THREADS) as usize
}

/// Collects the facts stated in the headers.
fn describe(
    source: &Source,
    input: &Input,
    stream: usize,
    codec: &StreamCodec,
    notes: &[String],
) -> Option<StreamInfo> {
    let parameters = input.stream(stream)?;
    let time_base = parameters.time_base();
    let (average_rate, nominal_rate) = input.rates(&parameters);
    // FFmpeg searches for the last numbered picture, and may miss a gap.
    let pictures = source.sequence().map(|sequence| u64::from(sequence.count())).filter(|_| !source.is_live_as(input));
    let ticks = pictures.map(|pictures| pictures.cast_signed()).or_else(|| parameters.duration());
    let own_duration = ticks.map(|ticks| time_base.times(ticks));
    Some(StreamInfo {
        path: source.path().to_owned(),
        container: input.container().to_owned(),
        codec: parameters.codec_name().to_owned(),
        decoder: codec.name(),
        hardware: codec.hardware().map(Accelerator::name),
        software_reason: None,
        profile: parameters.profile().map(str::to_owned),
        scan: parameters.scan(),
        pixel_format: parameters.pixel_format().name().to_owned(),
        conversion: None,
        layout: None,
        coded_size: parameters.size(),
        stated_size: parameters.size(),
        transfer: av::transfer_name(parameters.color_numbers().transfer),
        primaries: av::primaries_name(parameters.color_numbers().primaries),
        luminance: LuminanceWeights::default(),
        stated_light: parameters.stated_light(),
        icc_profile: parameters.icc_profile().map(stills::profile_name),
        film_grain: None,
        camera_log: camera_log::stated(|name| input.tag(name), || source.camera_xml()),
        unreadable_matrix: None,
        contradictions: Vec::new(),
        bit_rate: parameters.bit_rate().or_else(|| input.bit_rate()),
        nominal_rate,
        picture_rate: source.picture_rate().map(|rate| rate.origin),
        sample_aspect: Sourced::guessed(Ratio::ONE),
        orientation: Orientation::default(),
        average_rate,
        duration_secs: own_duration.or_else(|| input.duration_secs()),
        time_base,
        start_ticks: parameters.start().unwrap_or(0),
        stated_frames: pictures.or_else(|| parameters.frame_count()),
        timecodes: None,
        seekable: input.is_seekable(),
        live: false,
        timed: true,
        still: parameters.is_cover() || parameters.frame_count() == Some(1) || is_picture_format(input.container()),
        stream,
        tracks: streams::tracks(input),
        audio: streams::AudioTrack::all(input),
        tap: SoundTap::default(),
        track_reason: "the only one",
        threads: codec.threads(),
        notes: notes.to_vec(),
    })
}

/// Returns `true` if files of this container format are single pictures.
fn is_picture_format(container: &str) -> bool {
    // FFmpeg's names for formats that it detects from the file's first bytes: png_pipe, jpeg_pipe, …
    container.ends_with("_pipe")
}

/// Returns `true` if the header of a WebP file marks it as animated.
fn is_animated_webp(path: &Path) -> bool {
    const ANIMATION: u8 = 0x02;
    let mut head = [0; 21];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    is_read && &head[..4] == b"RIFF" && &head[8..16] == b"WEBPVP8X" && head[20] & ANIMATION != 0
}
