//! Where a seek may begin decoding, so that its frame is the one that decoding from the start gives.
//!
//! A seek wants to begin at the last keyframe before its target. That is right only if
//! - the codec forgets everything at a keyframe,
//! - the container's timestamps tell its frames apart in the whole file, and
//! - its demuxer finds the keyframe and gives its packets the timestamps that they have when all is read.
//!
//! Where one of these is in doubt, decoding begins at the first frame: slow, and certain.

use super::av::{IndexEntry, Input, StreamParameters};
use super::source::Source;

/// Codecs besides those of whole pictures that begin anew at what FFmpeg flags as a keyframe, by their specifications. In
/// the others something lives on: a codebook (Cinepak, Sorenson 1), the last picture's pixels (screen codecs, GIF), how
/// to round or which tables to use (Microsoft's MPEG-4 and Windows Media), or FFmpeg's decoder does not forget all of it
/// (Theora).
const BEGIN_ANEW: [&str; 9] = ["h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "ffv1"];

/// FFmpeg's name of MP4 and its kin, whose demuxer has the whole file's index in memory.
const MP4: &str = "mov,mp4,m4a,3gp,3g2,mj2";

/// Returns whether decoding from any keyframe of the codec gives what decoding from the first frame does.
pub(super) fn begins_anew(parameters: &StreamParameters<'_>) -> bool {
    parameters.is_intra_only() || BEGIN_ANEW.contains(&parameters.codec_name())
}

/// The seek guarantee: what container and codec guarantee of a seek to a keyframe.
#[derive(Debug)]
pub(super) enum SeekGuarantee {
    /// Decoding may begin at any keyframe, and the container's table tells how many frames come before.
    Table(SampleTable),
    /// Decoding may begin at any keyframe.
    Keyframes,
    /// The same, if all packets turn out to have timestamps that rise: streams may be joined, or raw in disguise.
    Unlisted {
        /// True if the packets are listed aside, and seeks meanwhile do with what the container says.
        aside: bool,
    },
    /// Timestamps tell where frames are, but only decoding from the start gives their pictures.
    History,
    /// Only decoding from the start tells which frame is which.
    Nothing,
}

impl SeekGuarantee {
    /// Returns the guarantee as far as it is known before anything is decoded.
    pub(super) fn of(parameters: &StreamParameters<'_>, input: &Input, stream: usize, source: &Source) -> Self {
        let is_intra_only = parameters.is_intra_only();
        if !input.has_timestamps() {
            return Self::Nothing;
        }
        let container = input.container();
        let is_plain_table = || SampleTable::of(&input.index_entries(stream));
        match container {
            // Only this keeps frames of an edit list, and only here a table tells that there are such.
            MP4 if is_plain_table().is_none() => Self::Nothing,
            _ if !begins_anew(parameters) => Self::History,
            MP4 if source.is_file() && !source.is_fragmented() => is_plain_table().map_or(Self::Nothing, Self::Table),
            MP4 | "matroska,webm" => Self::Keyframes,
            // FFmpeg reorders its pictures by a table that counts from where reading began.
            "mxf" if !is_intra_only => Self::History,
            _ if source.is_file() => Self::Unlisted { aside: false },
            // What can be read only over a network is not read twice.
            _ => Self::Keyframes,
        }
    }

    /// Returns whether timestamps lead at least near a frame.
    pub(super) const fn has_times(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Returns whether the packets have to be listed before seeks are certain.
    pub(super) const fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted { .. })
    }
}

/// The packets of a file as its index has them, in decoding order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SampleTable {
    /// Decoding timestamps, rising.
    stamps: Vec<i64>,
    /// Positions of the packets whose frames are not shown.
    hidden: Vec<usize>,
}

impl SampleTable {
    /// Returns `None` if times do not tell the packets apart, or an edit list drops frames or goes back in the middle of the file.
    fn of(entries: &[IndexEntry]) -> Option<Self> {
        let rises = entries.windows(2).all(|pair| pair[0].dts < pair[1].dts && pair[0].place < pair[1].place);
        // An edit that does not begin at the first frame begins at the keyframe before it, which is not shown.
        let is_cut = entries.iter().skip(1).any(|entry| entry.is_key && entry.is_hidden);
        let hidden = entries.iter().enumerate().filter(|(_, entry)| entry.is_hidden).map(|(at, _)| at);
        (rises && !is_cut)
            .then(|| Self { stamps: entries.iter().map(|entry| entry.dts).collect(), hidden: hidden.collect() })
    }

    /// Returns how many shown packets come before the one of that decoding timestamp; `None` if it is not listed.
    pub(super) fn shown_before(&self, dts: i64) -> Option<u64> {
        let at = self.stamps.binary_search(&dts).ok()?;
        Some((at - self.hidden.partition_point(|hidden| *hidden < at)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(listed: &[(i64, bool, bool)]) -> Vec<IndexEntry> {
        let entry = |(at, (dts, is_key, is_hidden)): (usize, &(i64, bool, bool))| IndexEntry {
            dts: *dts,
            place: at as i64 * 100,
            is_key: *is_key,
            is_hidden: *is_hidden,
        };
        listed.iter().enumerate().map(entry).collect()
    }

    #[test]
    fn a_table_counts_what_is_shown() {
        let listed = [(-2, true, true), (-1, false, false), (0, false, true), (1, false, false), (2, true, false)];
        let table = SampleTable::of(&entries(&listed)).expect("a plain table");
        let counts = [-2, -1, 0, 1, 2, 3].map(|dts| table.shown_before(dts));
        assert_eq!(counts, [Some(0), Some(0), Some(1), Some(1), Some(2), None]);
    }

    #[test]
    fn tables_that_do_not_rise_guarantee_nothing() {
        let plain = [(0, true, false), (1, false, false), (2, true, false)];
        assert!(SampleTable::of(&entries(&plain)).is_some());
        assert!(SampleTable::of(&entries(&[(0, true, false), (0, false, false)])).is_none());
        assert!(SampleTable::of(&entries(&[(1, true, false), (0, false, false)])).is_none());
        assert!(SampleTable::of(&entries(&[(0, true, false), (1, true, true), (2, false, false)])).is_none());
        let mut back = entries(&plain);
        back[2].place = 50;
        assert!(SampleTable::of(&back).is_none());
    }
}
