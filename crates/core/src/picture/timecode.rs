//! SMPTE timecodes: labels of frames in hours, minutes, seconds and frames, at a whole number of frames per second.
//!
//! At 30000/1001 and 60000/1001 frames per second, drop-frame timecodes skip the first two (at 60, four) labels of each
//! minute except every tenth, to stay close to real time (SMPTE ST 12-1, section 5.2.2). After a day they wrap around
//! to zero.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A timecode. It is only a label: two frames may have the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Timecode {
    /// Hours, 0 to 23.
    pub hours: u8,
    /// Minutes, 0 to 59.
    pub minutes: u8,
    /// Seconds, 0 to 59.
    pub seconds: u8,
    /// The frame within the second.
    pub frames: u16,
    /// `true` for drop-frame, written with a semicolon before the frames.
    pub drop: bool,
}

impl fmt::Display for Timecode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hours, minutes, seconds, frames, drop } = *self;
        let separator = if drop { ';' } else { ':' };
        write!(f, "{hours:02}:{minutes:02}:{seconds:02}{separator}{frames:02}")
    }
}

impl From<Timecode> for String {
    fn from(timecode: Timecode) -> Self {
        timecode.to_string()
    }
}

impl TryFrom<String> for Timecode {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("'{text}' is not a timecode"))
    }
}

impl Timecode {
    /// Parses `HH:MM:SS:FF`, or `HH:MM:SS;FF` for drop-frame.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str, digits: usize| {
            let is_number = (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u16>().ok().filter(|_| is_number)
        };
        let at = text.rfind([':', ';'])?;
        let (clock, frames) = (&text[..at], &text[at + 1..]);
        let mut parts = clock.split(':');
        let mut part = |limit: u16| number(parts.next()?, 2).filter(|value| *value < limit).map(|value| value as u8);
        let (hours, minutes, seconds) = (part(24)?, part(60)?, part(60)?);
        let frames = number(frames, 3).filter(|_| parts.next().is_none())?;
        Some(Self { hours, minutes, seconds, frames, drop: text[at..].starts_with(';') })
    }

    /// Decodes a 32-bit timecode word of SMPTE ST 12-1, as FFmpeg returns it. Above 30 frames per second, the word
    /// counts pairs of frames, and a flag marks the second frame of a pair.
    #[must_use]
    pub fn from_smpte(word: u32, rate: TimecodeRate) -> Option<Self> {
        let decimal = |shift: u32, mask: u32| {
            let bits = word >> shift & mask;
            (bits & 15 < 10).then_some((bits >> 4) * 10 + (bits & 15))
        };
        let (pairs, second) = (decimal(24, 0x3f)?, word >> if rate.fps == 50 { 7 } else { 23 } & 1);
        let frames = if rate.fps > 30 { 2 * pairs + second } else { pairs };
        let timecode = Self {
            hours: decimal(0, 0x3f)? as u8,
            minutes: decimal(8, 0x7f)? as u8,
            seconds: decimal(16, 0x7f)? as u8,
            frames: frames as u16,
            drop: word >> 30 & 1 != 0 && rate.can_drop(),
        };
        (timecode.hours < 24 && timecode.minutes < 60 && timecode.seconds < 60).then_some(timecode)
    }
}

/// The number of labels per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimecodeRate {
    fps: u32,
}

/// The source of a video's timecodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimecodeSource {
    /// Each frame has its own timecode.
    Frames,
    /// The container states the first frame's timecode, from which the others are counted.
    Container,
    /// Each group of pictures states its first frame's timecode.
    Groups,
}

impl fmt::Display for TimecodeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Frames => "from each frame",
            Self::Container => "from the container",
            Self::Groups => "from GOP headers",
        })
    }
}

/// The timecodes of a video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timecodes {
    /// The first frame's timecode.
    pub first: Timecode,
    /// The rate at which timecodes count.
    pub rate: TimecodeRate,
    /// The source of the timecodes.
    pub source: TimecodeSource,
}

impl Timecodes {
    /// Returns a frame's timecode: `stated`, or else counted from its number if the container states the first one.
    /// Returns `None` if neither is available.
    #[must_use]
    pub fn of(&self, stated: Option<Timecode>, number: Option<u64>) -> Option<Timecode> {
        let is_counted = self.source == TimecodeSource::Container;
        stated.or_else(|| self.rate.after(self.first, number.filter(|_| is_counted)?))
    }

    /// Returns the number of the first frame with this timecode, or `None` if there is none.
    ///
    /// Timecodes count continuously from the first frame to the first of the `breaks`, and from each break to the next.
    /// Each break is a frame's number and its timecode, in ascending order. After the last break, the result may lie
    /// beyond the end of the video.
    #[must_use]
    pub fn number_of(&self, timecode: Timecode, breaks: &[(u64, Timecode)]) -> Option<u64> {
        let ends = breaks.iter().map(|(frame, _)| *frame).chain([u64::MAX]);
        let mut runs = [(0, self.first)].into_iter().chain(breaks.iter().copied()).zip(ends);
        runs.find_map(|((frame, first), end)| {
            let after = u64::try_from(self.rate.distance(first, timecode)?).ok()?;
            frame.checked_add(after).filter(|number| *number < end)
        })
    }

    /// Returns a frame's [timecode](Self::of) with the rate at which it counts.
    #[must_use]
    pub fn label(&self, stated: Option<Timecode>, number: Option<u64>) -> Option<(Timecode, TimecodeRate)> {
        Some((self.of(stated, number)?, self.rate))
    }
}

impl TimecodeRate {
    /// Chooses the rate at which timecodes count: that of the timecode track, unless the video has several frames per
    /// label. The video's rate then gives each frame its own label, as in players.
    #[must_use]
    pub fn chosen(video: Option<Self>, track: Option<Self>) -> Option<Self> {
        let is_several = |track: &Self| video.is_some_and(|v| v.fps > track.fps && v.fps.is_multiple_of(track.fps));
        track.filter(|track| !is_several(track)).or(video)
    }

    /// Returns the rate of `num` frames in `den` seconds, rounded: 24 for 24000/1001. Returns `None` if it is not
    /// between 1 and 1000 frames per second.
    #[must_use]
    pub fn of(num: u32, den: u32) -> Option<Self> {
        let (num, den) = (u64::from(num), u64::from(den));
        let fps = (num + den / 2).checked_div(den)?;
        u32::try_from(fps).ok().filter(|fps| (1..=1000).contains(fps)).map(|fps| Self { fps })
    }

    /// Returns the rate in frames per second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        f64::from(self.fps)
    }

    const fn can_drop(self) -> bool {
        self.fps.is_multiple_of(30)
    }

    /// Returns the number of labels dropped at the start of a minute.
    const fn dropped(self, drop: bool) -> u32 {
        if drop && self.can_drop() { self.fps / 15 } else { 0 }
    }

    /// Returns the number of frames in a day.
    #[must_use]
    pub const fn day(self, drop: bool) -> u32 {
        24 * (3600 * self.fps - 54 * self.dropped(drop))
    }

    /// Returns the frame's number within its day, or `None` if no frame has this label: it is dropped, or a second has
    /// fewer frames.
    #[must_use]
    pub const fn number(self, timecode: Timecode) -> Option<u32> {
        let Timecode { hours, minutes, seconds, frames, drop } = timecode;
        let (minutes, seconds) = (hours as u32 * 60 + minutes as u32, seconds as u32);
        let (frames, dropped) = (frames as u32, self.dropped(drop));
        let is_dropped = seconds == 0 && frames < dropped && !minutes.is_multiple_of(10);
        if is_dropped || frames >= self.fps || (drop && !self.can_drop()) {
            return None;
        }
        Some((minutes * 60 + seconds) * self.fps + frames - dropped * (minutes - minutes / 10))
    }

    /// Returns the timecode of the frame with this number, counted from the start of a day. It wraps around after a
    /// day.
    #[must_use]
    pub const fn timecode(self, number: u64, drop: bool) -> Timecode {
        let dropped = self.dropped(drop) as u64;
        let fps = self.fps as u64;
        let number = number % self.day(drop) as u64;
        let (minute, ten_minutes) = (60 * fps - dropped, 600 * fps - 9 * dropped);
        // The first of every ten minutes has all labels.
        let in_ten = number % ten_minutes;
        let minutes_in_ten = if in_ten < 60 * fps { 0 } else { 1 + (in_ten - 60 * fps) / minute };
        let labels = number + dropped * (9 * (number / ten_minutes) + minutes_in_ten);
        let secs = labels / fps;
        Timecode {
            hours: (secs / 3600) as u8,
            minutes: (secs / 60 % 60) as u8,
            seconds: (secs % 60) as u8,
            frames: (labels % fps) as u16,
            drop: dropped > 0,
        }
    }

    /// Returns the timecode `frames` frames later, wrapped around after a day, or `None` if no frame is labelled
    /// `timecode`.
    #[must_use]
    pub fn after(self, timecode: Timecode, frames: u64) -> Option<Timecode> {
        Some(self.timecode(u64::from(self.number(timecode)?).checked_add(frames)?, timecode.drop))
    }

    /// Returns the number of frames from `from` to `to`, in the shorter direction around the day; negative if `to` is
    /// earlier. Returns `None` if either is not a valid label, or only one is drop-frame.
    #[must_use]
    pub fn distance(self, from: Timecode, to: Timecode) -> Option<i64> {
        let day = i64::from(self.day(from.drop));
        let ahead = (i64::from(self.number(to)?) - i64::from(self.number(from)?)).rem_euclid(day);
        (from.drop == to.drop).then_some(if ahead > day / 2 { ahead - day } else { ahead })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(num: u32, den: u32) -> TimecodeRate {
        TimecodeRate::of(num, den).unwrap()
    }

    fn read(text: &str) -> Timecode {
        Timecode::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn timecodes_are_parsed_as_they_are_displayed() {
        let written = ["10:20:30:24", "23:59:59;29", "00:00:00:00", "01:02:03;59", "00:00:01:119"];
        assert_eq!(written.map(|text| read(text).to_string()), written);
        assert_eq!(read("1:2:3:4").to_string(), "01:02:03:04");
        for text in [
            "",
            ":",
            "10:20:30",
            "10:20:30:",
            "24:00:00:00",
            "00:60:00:00",
            "00:00:60:00",
            "1:2:3:4:5",
            "-1:00:00:00",
            "10;20;30;00",
            "01:02:03.04",
            "00:00:00:1234",
            "+1:00:00:00",
            "00:00:00: 1",
            "001:00:00:00",
            "aa:bb:cc:dd",
        ] {
            assert_eq!(Timecode::parse(text), None, "{text}");
        }
    }

    #[test]
    fn dropped_labels_are_those_of_st_12_1() {
        let ntsc = rate(30_000, 1001);
        let after = |rate: TimecodeRate, text, frames| rate.after(read(text), frames).unwrap().to_string();
        assert_eq!(after(ntsc, "00:00:59;29", 1), "00:01:00;02");
        assert_eq!(after(ntsc, "00:09:59;29", 1), "00:10:00;00");
        assert_eq!(after(ntsc, "01:00:59:29", 1), "01:01:00:00");
        assert_eq!(after(ntsc, "00:00:00;00", 17_982), "00:10:00;00", "as the standard counts ten minutes");
        assert_eq!(after(rate(60_000, 1001), "00:00:59;59", 1), "00:01:00;04");
        assert_eq!(after(ntsc, "23:59:59;29", 1), "00:00:00;00");
        assert_eq!(after(rate(25, 1), "23:59:59:24", 1), "00:00:00:00");
        assert_eq!((ntsc.day(true), ntsc.day(false), rate(24_000, 1001).day(false)), (2_589_408, 2_592_000, 2_073_600));
        for dropped in ["00:01:00;00", "00:01:00;01", "10:59:00;01", "00:00:00;30"] {
            assert_eq!(ntsc.number(read(dropped)), None, "{dropped}");
        }
        assert_eq!(rate(25, 1).number(read("00:00:00;00")), None, "no labels are dropped at 25 a second");
    }

    #[test]
    fn distances_are_measured_in_the_shorter_direction() {
        let pal = rate(25, 1);
        assert_eq!(pal.distance(read("23:59:59:20"), read("00:00:00:05")), Some(10));
        assert_eq!(pal.distance(read("00:00:00:05"), read("23:59:59:20")), Some(-10));
        assert_eq!(pal.distance(read("10:00:00:00"), read("10:00:01:00")), Some(25));
        assert_eq!(pal.distance(read("10:00:00:00"), read("10:00:01;00")), None);
    }

    #[test]
    fn a_timecode_leads_to_its_frame_across_breaks() {
        let first = read("10:00:00:00");
        let timecodes = Timecodes { first, rate: rate(25, 1), source: TimecodeSource::Frames };
        let breaks = [(50, read("12:00:00:00")), (75, read("10:00:01:00"))];
        let number = |text| timecodes.number_of(read(text), &breaks);
        assert_eq!(
            [number("10:00:00:00"), number("10:00:01:24"), number("12:00:00:24")],
            [Some(0), Some(49), Some(74)]
        );
        assert_eq!(number("10:00:02:00"), Some(100), "the second time that it came so far");
        assert_eq!((number("12:00:01:00"), number("09:59:59:24"), number("10:00:00;00")), (Some(180_075), None, None));
    }

    #[test]
    fn words_of_st_12_1_are_read() {
        // 12:34:56;18, and at 50 and 60 frames per second, the second frame of that pair.
        let word = 0x18 << 24 | 0x56 << 16 | 0x34 << 8 | 0x12;
        let text = |word, rate| Timecode::from_smpte(word, rate).map(|timecode| timecode.to_string());
        assert_eq!(text(word, rate(25, 1)).as_deref(), Some("12:34:56:18"));
        assert_eq!(text(word | 1 << 30, rate(30_000, 1001)).as_deref(), Some("12:34:56;18"));
        assert_eq!(text(word | 1 << 7, rate(50, 1)).as_deref(), Some("12:34:56:37"));
        assert_eq!(text(word | 1 << 23 | 1 << 30, rate(60_000, 1001)).as_deref(), Some("12:34:56;37"));
        for wrong in [0x0a << 24, 0x60 << 16, 0x7f << 8, 0x24, 0x3f] {
            assert_eq!(text(wrong, rate(25, 1)), None, "{wrong:x}");
        }
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn every_frame_has_a_label_and_every_label_its_frame(
            fps in prop::sample::select(vec![24, 25, 30, 48, 50, 60, 120]), number: u32, drop: bool,
        ) {
            let rate = rate(fps, 1);
            let drop = drop && rate.can_drop();
            let number = number % rate.day(drop);
            let timecode = rate.timecode(number.into(), drop);
            prop_assert_eq!(rate.number(timecode), Some(number));
            prop_assert_eq!(Timecode::parse(&timecode.to_string()), Some(timecode));
            let next = rate.after(timecode, 1).unwrap();
            prop_assert_eq!(rate.distance(timecode, next), Some(1));
        }

        #[test]
        fn labels_count_up_without_gaps_except_for_dropped_ones(
            fps in prop::sample::select(vec![24, 25, 30, 50, 60]), number: u32, drop: bool,
        ) {
            // The next label is one frame later, carried to seconds, minutes and hours, without the dropped ones.
            let rate = rate(fps, 1);
            let now = rate.timecode(number.into(), drop && rate.can_drop());
            let mut next = Timecode { frames: now.frames + 1, ..now };
            if u32::from(next.frames) == fps {
                next = Timecode { seconds: now.seconds + 1, frames: 0, ..next };
            }
            if next.seconds == 60 {
                next = Timecode { minutes: now.minutes + 1, seconds: 0, ..next };
                if now.drop && !next.minutes.is_multiple_of(10) {
                    next.frames = (fps / 15) as u16;
                }
            }
            if next.minutes == 60 {
                next = Timecode { hours: (now.hours + 1) % 24, minutes: 0, frames: 0, ..next };
            }
            prop_assert_eq!(rate.after(now, 1), Some(next));
        }

        #[test]
        fn no_text_or_word_causes_a_panic(text in "\\PC{0,14}|[0-9:;.]{0,14}", word: u32) {
            if let Some(timecode) = Timecode::parse(&text) {
                prop_assert_eq!(Timecode::parse(&timecode.to_string()), Some(timecode));
                let _ = rate(25, 1).after(timecode, u64::MAX);
            }
            let _ = Timecode::from_smpte(word, rate(50, 1));
        }
    }
}
