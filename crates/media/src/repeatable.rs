//! A decoder whose frames are the same each time, where packets are damaged, too.
//!
//! Some of FFmpeg's decoders put something of their own in the place of damaged parts (error concealment), at the end of a frame.
//! With a thread for each frame, others may have been predicted by then from what happened to be there; with one for each part of a
//! picture, what counts as damaged depends on how many there are; and what they put there depends on what the decoder has decoded
//! before. That of HEVC leaves damaged parts as they were, and predicts from what another picture had there. So such packets are
//! decoded once more, by one thread that begins at the keyframe before the last one, or at the first packet where pictures are
//! refreshed bit by bit and there is no such keyframe:
//!
//! ```text
//!              conceals damage:                                a whole group of packets
//!              again from a keyframe                           without: again from there
//!   Threads ─────────────────────────▶ One (a single thread) ─────────────────────────────▶ Threads
//!      │ cannot be had, or is not wanted
//!      ▼
//!   AsTheyCome, until a seek
//! ```
//!
//! Where decoding begins again depends on the packets alone, and so does what comes of it: not on the number of threads, and not on where
//! decoding began first. Where that was too near to tell, it has to begin [earlier](Earlier).
//!
//! A decoder tells that it conceals before it gives a frame that may depend on it, as it gives frames of its threads in the order in
//! which those got their packets. What it had given before comes again and is left out, told by the packets' numbers.

mod kept;
mod rerun;

use std::collections::VecDeque;

use super::av::{AvError, AvFrame, AvPacket, Codec, Received, StreamParameters};
use super::timecodes::{GroupHeaders, GroupPlace};
use kept::KeptPackets;
use rerun::{Again, Rerun};

/// A [`Codec`] of which damaged frames are the same each time.
pub(super) struct RepeatableCodec {
    /// The one with threads; it rests, flushed, while another has one.
    codec: Codec,
    course: Course,
    /// Whether the first packet was the first of all.
    is_whole: bool,
    /// Whether damaged frames may be whatever the threads make of them.
    is_hasty: bool,
    kept: KeptPackets,
    /// Numbers of the packets that are kept whose frames were given.
    given: Vec<u64>,
    /// What packets say of timecodes, where they do.
    groups: Option<GroupHeaders>,
    /// The same of those that were refused, or later ones.
    refused: Vec<u64>,
    /// What decoding again gave and was not given before.
    again: VecDeque<Received>,
    /// Numbers of the packets whose frames are not to be given: they were, or nobody needs them.
    unwanted: Vec<u64>,
    /// How many packets one thread has decoded.
    alone: u64,
    is_skipping: bool,
    is_draining: bool,
}

/// How packets are decoded.
enum Course {
    /// With a thread for each frame.
    Threads,
    /// With one thread; of packets from this number on no damage is known.
    One { codec: Codec, clean_from: u64 },
    /// With the threads that there are, whatever they conceal.
    AsTheyCome,
}

/// What is needed to decode again.
pub(super) struct Means<'a> {
    /// To open a decoder.
    pub(super) parameters: Option<StreamParameters<'a>>,
    /// Whether to go on with it.
    pub(super) is_wanted: &'a dyn Fn() -> bool,
}

/// What becomes of damage can be told only if decoding begins well before the packet that it began with, which has this timestamp.
pub(super) struct Earlier {
    pub(super) than: i64,
}

/// Why decoding again led to nothing.
enum Failure {
    Earlier(Earlier),
    Impossible,
}

impl RepeatableCodec {
    /// To be given packets from the first one on.
    pub(super) fn new(codec: Codec) -> Self {
        Self {
            course: Course::of(&codec),
            groups: GroupHeaders::are_in(&codec.name()).then(GroupHeaders::default),
            codec,
            is_whole: true,
            is_hasty: false,
            kept: KeptPackets::default(),
            given: Vec::new(),
            refused: Vec::new(),
            again: VecDeque::new(),
            unwanted: Vec::new(),
            alone: 0,
            is_skipping: false,
            is_draining: false,
        }
    }

    /// The same decoder, opened anew, to be given packets from the first one on.
    pub(super) fn anew(&self, parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        Ok(Self { is_hasty: self.is_hasty, alone: self.alone, ..Self::new(self.codec.anew(parameters)?) })
    }

    /// Forgets everything that it was given, to be given packets from another one on.
    pub(super) fn flush(&mut self) {
        self.codec.flush();
        self.course = Course::of(&self.codec);
        self.is_whole = false;
        self.kept = KeptPackets::default();
        self.given.clear();
        self.groups = self.groups.take().map(|_| GroupHeaders::default());
        self.refused.clear();
        self.again.clear();
        self.unwanted.clear();
        self.is_draining = false;
    }

    /// Whether the first packet that it was given was the first of all.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The timestamp of the first packet that is kept.
    pub(super) fn began(&self) -> Option<i64> {
        self.kept.first_timestamp()
    }

    /// The first packet that it was given was the first of all.
    pub(super) const fn set_whole(&mut self) {
        self.is_whole = true;
    }

    /// Whether damaged frames may be whatever the threads make of them, as while a video plays: to decode them again takes a while.
    pub(super) const fn set_hasty(&mut self, hasty: bool) {
        self.is_hasty = hasty;
    }

    /// Packets that are sent from now on are not needed by themselves: they are left undecoded if no other picture refers to theirs, where
    /// that can be told.
    pub(super) const fn skip_unreferenced(&mut self, skip: bool) {
        self.is_skipping = skip;
    }

    /// Whether the packet can be [left out](Self::leave_out); see [`Codec::can_do_without`].
    pub(super) fn can_do_without(&self, packet: &AvPacket) -> bool {
        // What a decoder puts in the place of damage depends on all that it has decoded.
        let decodes_all = matches!(self.course, Course::One { .. });
        self.is_skipping && !decodes_all && self.codec.can_do_without(packet)
    }

    /// Takes note of a packet that is not sent.
    pub(super) fn leave_out(&mut self, packet: &AvPacket) {
        if !matches!(self.course, Course::AsTheyCome) {
            self.keep(packet);
        }
    }

    /// How many packets one thread has decoded because damage was concealed in them or shortly before.
    pub(super) const fn decoded_alone(&self) -> u64 {
        self.alone
    }

    /// The number of threads that it really uses where nothing is damaged.
    pub(super) fn threads(&self) -> usize {
        self.codec.threads()
    }

    /// Hands a packet to the decoder, or with `None` the news that there are no more.
    pub(super) fn send(&mut self, packet: Option<&AvPacket>) -> Result<(), AvError> {
        let Some(packet) = packet else {
            self.is_draining = true;
            return self.course.codec(&mut self.codec).send(None);
        };
        let decodes_all = matches!(self.course, Course::One { .. });
        let codec = self.course.codec(&mut self.codec);
        codec.skip_unreferenced(self.is_skipping && !decodes_all);
        let number = self.kept.next_number();
        let sent = codec.send_numbered(packet, number);
        if sent == Err(AvError::AGAIN) {
            return sent;
        }
        if let Some(groups) = &mut self.groups {
            groups.note(number, packet.data());
        }
        if matches!(self.course, Course::AsTheyCome) {
            self.kept.count_on();
            return sent;
        }
        self.keep(packet);
        self.alone += u64::from(decodes_all);
        if self.is_skipping && decodes_all {
            self.unwanted.push(number);
        }
        if sent.is_err() {
            self.note_refusal();
        }
        sent
    }

    /// What the headers of MPEG-1 and MPEG-2 say of the place of a frame that was given, in its group of pictures.
    pub(super) fn group_place(&self, frame: &AvFrame) -> Option<GroupPlace> {
        self.groups.as_ref()?.of(frame.packet_number())
    }

    /// Takes the next frame as it comes, damaged or not.
    pub(super) fn receive_next(&mut self) -> Received {
        self.course.codec(&mut self.codec).receive()
    }

    /// Takes the next frame.
    ///
    /// # Errors
    /// [`Earlier`] if it cannot be told from the packets that were sent. All goes on as the threads have it if none are sent that begin earlier.
    pub(super) fn receive(&mut self, means: &Means<'_>) -> Result<Received, Earlier> {
        self.go_back_to_threads(means);
        loop {
            let received = self.again.pop_front().unwrap_or_else(|| self.receive_next());
            if self.course.codec(&mut self.codec).take_concealment() {
                match &mut self.course {
                    Course::One { clean_from, .. } => *clean_from = self.kept.next_number(),
                    Course::Threads => match self.decode_again(means) {
                        Ok(()) => continue,
                        Err(failure) => {
                            log::debug!("damage is concealed as the threads have it");
                            self.course = Course::AsTheyCome;
                            if let Failure::Earlier(earlier) = failure {
                                self.again.push_front(received);
                                return Err(earlier);
                            }
                        }
                    },
                    Course::AsTheyCome => {}
                }
            }
            match &received {
                Received::Frame(frame) => {
                    let number = frame.packet_number();
                    if let Some(at) = self.unwanted.iter().position(|unwanted| *unwanted == number) {
                        self.unwanted.swap_remove(at);
                        continue;
                    }
                    if !matches!(self.course, Course::AsTheyCome) {
                        self.given.push(number);
                    }
                }
                Received::Refused(_) => self.note_refusal(),
                Received::NeedsInput | Received::End => {}
            }
            return Ok(received);
        }
    }

    fn keep(&mut self, packet: &AvPacket) {
        if self.kept.push(packet, self.codec.can_begin_with(packet), !self.is_skipping) {
            self.forget_before(self.kept.first_number());
        }
    }

    fn note_refusal(&mut self) {
        self.refused.push(self.kept.next_number().saturating_sub(1));
    }

    fn forget_before(&mut self, first: u64) {
        self.given.retain(|number| *number >= first);
        self.refused.retain(|number| *number >= first);
    }

    /// Has one thread decode what is kept, from a keyframe before the first packet with damage on.
    fn decode_again(&mut self, means: &Means<'_>) -> Result<(), Failure> {
        let is_possible = !self.is_hasty && self.kept.holds_all_in_work();
        let parameters = means.parameters.as_ref().filter(|_| is_possible).ok_or(Failure::Impossible)?;
        let begun = self.kept.first_number();
        let (mut codec, mut again) = self.rerun(begun, parameters, means)?;
        let (start, last_key) = match again.concealed {
            Some((damaged, _)) => self.start_before(damaged)?,
            None => (begun, begun),
        };
        if start != begun {
            let before = again.frames_before(last_key);
            (codec, again) = self.rerun(start, parameters, means)?;
            again.put_before(before, last_key);
        }
        if from(&self.given, last_key).iter().any(|number| again.unwanted.contains(number)) {
            // It was given, and does not come again.
            return Err(Failure::Impossible);
        }
        self.codec.flush();
        let clean_from = again.concealed.map_or(begun, |(_, last)| last + 1);
        log::debug!("damage is concealed: one thread decodes on");
        self.course = Course::One { codec, clean_from };
        (self.again, self.unwanted) = (again.frames, again.unwanted);
        self.alone += self.kept.from(start).count() as u64;
        Ok(())
    }

    /// Where to begin for damage in that packet, and the keyframe behind which the frames are those that were given before.
    fn start_before(&self, damaged: u64) -> Result<(u64, u64), Failure> {
        let is_certain = self.is_whole || self.kept.first_number() > 0 || self.kept.has_clean_group_before(damaged);
        match self.kept.start_before(damaged).filter(|_| is_certain) {
            Some(start) => Ok(start),
            None if self.is_whole && self.kept.first_number() == 0 => Ok((0, 0)),
            None => {
                let than = self.kept.first_timestamp().filter(|_| self.kept.first_number() == 0);
                Err(than.map_or(Failure::Impossible, |than| Failure::Earlier(Earlier { than })))
            }
        }
    }

    /// Has a new decoder with one thread decode what is kept from a packet on.
    fn rerun(
        &self,
        start: u64,
        parameters: &StreamParameters<'_>,
        means: &Means<'_>,
    ) -> Result<(Codec, Again), Failure> {
        let mut codec = self.codec.with_one_thread(parameters).map_err(|_| Failure::Impossible)?;
        codec.watch();
        let run = Rerun::new(&mut codec, self.unwanted_from(start), from(&self.refused, start).len());
        let again = run.through(self.kept.from(start), self.is_draining, means.is_wanted);
        again.map(|again| (codec, again)).ok_or(Failure::Impossible)
    }

    /// Numbers of the packets that are kept, from there on, whose frames were given or are not needed.
    fn unwanted_from(&self, start: u64) -> Vec<u64> {
        let mut unwanted = from(&self.given, start);
        let unneeded = self.kept.from(start).filter(|kept| !kept.is_needed).map(|kept| kept.number);
        unwanted.extend(unneeded.filter(|number| !self.given.contains(number)));
        unwanted
    }

    /// Goes back to a thread for each frame, once a whole group of packets was without damage.
    fn go_back_to_threads(&mut self, means: &Means<'_>) {
        let Course::One { codec, clean_from } = &mut self.course else { return };
        if codec.take_concealment() {
            *clean_from = self.kept.next_number();
        }
        if !self.again.is_empty() {
            return;
        }
        let Some(start) = self.kept.take_clean_start(*clean_from) else { return };
        let unwanted = self.unwanted_from(start);
        let run = Rerun::new(&mut self.codec, unwanted, from(&self.refused, start).len());
        let again = run.through(self.kept.from(start), false, means.is_wanted);
        let Some(again) = again.filter(|again| again.concealed.is_none()) else {
            self.codec.flush();
            return;
        };
        log::debug!("no more damage: all threads decode on");
        self.course = Course::Threads;
        (self.again, self.unwanted) = (again.frames, again.unwanted);
        self.kept.give_up_before(start);
        self.forget_before(start);
    }
}

/// Those of the numbers that are not below the first one.
fn from(numbers: &[u64], first: u64) -> Vec<u64> {
    numbers.iter().copied().filter(|number| *number >= first).collect()
}

impl Course {
    fn of(codec: &Codec) -> Self {
        if codec.may_conceal() {
            codec.watch();
            Self::Threads
        } else {
            Self::AsTheyCome
        }
    }

    /// The decoder that gets the packets: this one with threads, or the other.
    const fn codec<'a>(&'a mut self, threads: &'a mut Codec) -> &'a mut Codec {
        match self {
            Self::One { codec, .. } => codec,
            Self::Threads | Self::AsTheyCome => threads,
        }
    }
}
