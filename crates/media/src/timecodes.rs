//! Timecodes of frames: from the frame itself (SMPTE ST 12-1, which H.264 and HEVC carry in SEI messages), else from
//! the container's first timecode and the frame's number, else from the headers of MPEG-1 and MPEG-2 groups of
//! pictures.
//!
//! The timecodes of groups of pictures come last: encoders have to write something there, and few tools keep it
//! correct.

use std::collections::VecDeque;

use super::av::{AvFrame, Input, StreamParameters};
use histoscope_core::picture::{Ratio, Timecode, TimecodeRate, TimecodeSource, Timecodes};

/// Maximum number of pictures whose headers are remembered until their frames are decoded.
const MAX_NOTED: usize = 1024;

/// The timecodes that a container states.
#[derive(Default)]
pub(super) struct TimecodeReader {
    rate: Option<TimecodeRate>,
    first: Option<Timecode>,
}

impl TimecodeReader {
    /// Reads the tags of the file, its video stream and its timecode track.
    pub(super) fn of(input: &Input, stream: &StreamParameters<'_>) -> Self {
        let track = (0..input.stream_count())
            .filter_map(|index| input.stream(index))
            .find(|track| track.codec_tag().as_deref() == Some("tmcd"));
        let tracks_own = track.as_ref().and_then(|track| track.tag(c"timecode"));
        let tag = input.tag(c"timecode").or_else(|| stream.tag(c"timecode")).or_else(|| tracks_own.clone());
        let video = input.rates(stream).0.and_then(rate_of);
        let track = track.filter(|_| tracks_own == tag).and_then(|track| track.average_rate());
        let rate = TimecodeRate::chosen(video, track.and_then(rate_of));
        let first = tag.as_deref().and_then(Timecode::parse);
        Self { rate, first: first.filter(|first| rate.is_some_and(|rate| rate.number(*first).is_some())) }
    }

    /// Returns a frame's timecode and where it was found, given its number and its position in its group, if known.
    pub(super) fn of_frame(
        &self,
        frame: &AvFrame,
        number: Option<u64>,
        group: Option<GroupPosition>,
    ) -> Option<(Timecode, TimecodeSource)> {
        let rate = self.rate?;
        let own = || Timecode::from_smpte(frame.smpte_timecode()?, rate).filter(|own| rate.number(*own).is_some());
        if let Some(own) = own() {
            return Some((own, TimecodeSource::Frames));
        }
        match self.first {
            Some(first) => Some((rate.after(first, number?)?, TimecodeSource::Container)),
            None => Some((group?.timecode(rate)?, TimecodeSource::Groups)),
        }
    }

    /// Returns the timecodes of a video, given its first frame.
    pub(super) fn timecodes(&self, first: &AvFrame, group: Option<GroupPosition>) -> Option<Timecodes> {
        let (timecode, source) = self.of_frame(first, Some(0), group)?;
        Some(Timecodes { first: timecode, rate: self.rate?, source })
    }
}

fn rate_of(rate: Ratio) -> Option<TimecodeRate> {
    TimecodeRate::of(rate.num, rate.den)
}

/// The position of a picture as MPEG-1 and MPEG-2 state it: the timecode of the first picture of its group in
/// presentation order, and the number of pictures from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupPosition {
    group: Timecode,
    temporal_reference: u16,
}

impl GroupPosition {
    fn timecode(self, rate: TimecodeRate) -> Option<Timecode> {
        rate.after(self.group, self.temporal_reference.into())
    }
}

/// Headers of the pictures that an MPEG-1 or MPEG-2 decoder is working on.
#[derive(Default)]
pub(super) struct GroupHeaders {
    group: Option<Timecode>,
    /// Positions of pictures, with the numbers of their packets.
    noted: VecDeque<(u64, GroupPosition)>,
}

impl GroupHeaders {
    /// Returns `true` if packets for that decoder have such headers.
    pub(super) fn are_in(decoder: &str) -> bool {
        matches!(decoder, "mpeg1video" | "mpeg2video" | "mpegvideo")
    }

    /// Reads the headers in a packet, which has that number.
    pub(super) fn note(&mut self, number: u64, packet: &[u8]) {
        let (group, temporal_reference) = headers(packet);
        self.group = group.unwrap_or(self.group);
        let Some((group, temporal_reference)) = self.group.zip(temporal_reference) else { return };
        self.noted.push_back((number, GroupPosition { group, temporal_reference }));
        if self.noted.len() > MAX_NOTED {
            self.noted.pop_front();
        }
    }

    /// Returns the position of the picture decoded from that packet.
    pub(super) fn of(&self, number: u64) -> Option<GroupPosition> {
        self.noted.iter().rev().find(|(noted, _)| *noted == number).map(|(_, place)| *place)
    }
}

/// Finds the timecode of the group that starts with a picture, if there is one, and the picture's temporal reference:
/// ISO/IEC 13818-2, sections 6.2.2.6 and 6.2.3. If the group's timecode is invalid, it is `Some(None)`.
fn headers(packet: &[u8]) -> (Option<Option<Timecode>>, Option<u16>) {
    let mut group = None;
    let mut rest = packet;
    while let Some(at) = rest.windows(3).position(|three| three == [0, 0, 1]) {
        rest = &rest[at + 3..];
        match *rest {
            [0xb8, a, b, c, d, ..] => {
                let bits = u32::from_be_bytes([a, b, c, d]);
                let part = |shift: u32, mask: u32| (bits >> shift & mask) as u8;
                let timecode = Timecode {
                    hours: part(26, 31),
                    minutes: part(20, 63),
                    seconds: part(13, 63),
                    frames: part(7, 63).into(),
                    drop: part(31, 1) != 0,
                };
                let is_time = timecode.hours < 24 && timecode.minutes < 60 && timecode.seconds < 60;
                group = Some(Some(timecode).filter(|_| is_time));
            }
            [0, a, b, ..] => return (group, Some(u16::from(a) << 2 | u16::from(b) >> 6)),
            _ => {}
        }
    }
    (group, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the header of a closed group: 12:34:56 and that picture, with or without drop-frame counting.
    fn group(drop: u32, picture: u32) -> Vec<u8> {
        let bits: u32 = drop << 31 | 12 << 26 | 34 << 20 | 1 << 19 | 56 << 13 | picture << 7 | 1 << 6;
        [&[0, 0, 1, 0xb8][..], &bits.to_be_bytes()].concat()
    }

    fn picture(temporal_reference: u16) -> Vec<u8> {
        vec![0, 0, 1, 0, (temporal_reference >> 2) as u8, (temporal_reference << 6) as u8 | 8, 0xff]
    }

    #[test]
    fn pictures_count_from_the_first_of_their_group() {
        let rate = TimecodeRate::of(30_000, 1001).unwrap();
        let mut headers = GroupHeaders::default();
        headers.note(0, &picture(0));
        headers.note(1, &[&[0, 0, 1, 0xb3, 1, 2, 3][..], &group(1, 28), &picture(2)].concat());
        headers.note(2, &picture(0));
        headers.note(3, &picture(1021));
        let text = |number| Some(headers.of(number)?.timecode(rate)?.to_string());
        assert_eq!(text(0), None, "no group was there yet");
        assert_eq!(text(1).as_deref(), Some("12:34:57;00"));
        assert_eq!(text(2).as_deref(), Some("12:34:56;28"));
        assert_eq!(text(3).as_deref(), Some("12:35:31;01"));
    }

    #[test]
    fn group_with_invalid_timecode_ends_the_previous_group() {
        let mut headers = GroupHeaders::default();
        headers.note(0, &[group(0, 1), picture(0)].concat());
        assert!(headers.of(0).is_some());
        headers.note(1, &[&[0, 0, 1, 0xb8, 0x7f, 0xff, 0xff, 0xff][..], &picture(0)].concat());
        assert_eq!(headers.of(1), None);
        // Truncated headers.
        headers.note(2, &[0, 0, 1, 0xb8, 0x7f]);
        headers.note(3, &[0, 0, 1, 0]);
    }
}
