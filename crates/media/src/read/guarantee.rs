//! Where a seek may start decoding and still get the same frame as decoding from the start.
//!
//! A seek should start at the last keyframe before its target. That is correct only if
//! - the codec resets completely at a keyframe,
//! - the container's timestamps identify its frames throughout the file, and
//! - its demuxer finds the keyframe and gives its packets the same timestamps as when the whole file is read.
//!
//! If any of these is in doubt, decoding starts at the first frame, which is slow but certain.

use crate::av::{IndexEntry, Input, StreamParameters};
use crate::read::info::MP4;
use crate::read::source::Source;

/// Codecs that reset at what FFmpeg flags as a keyframe, according to their specifications, besides intra-only codecs.
/// In the others some state survives: a codebook (Cinepak, Sorenson 1), the last picture's pixels (screen codecs, GIF),
/// or how to round and which tables to use (Microsoft's MPEG-4 and Windows Media). Or FFmpeg's decoder does not reset
/// completely (Theora).
const RESETTING_CODECS: [&str; 9] = ["h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "ffv1"];

/// Returns `true` if decoding from any keyframe of the codec gives the same frames as decoding from the first frame.
pub(crate) fn resets_at_keyframes(parameters: &StreamParameters<'_>) -> bool {
    parameters.is_intra_only() || RESETTING_CODECS.contains(&parameters.codec_name())
}

/// The seek guarantee: what container and codec guarantee for a seek to a keyframe.
#[derive(Debug)]
pub(crate) enum SeekGuarantee {
    /// Decoding may start at any keyframe, and the container's table gives the number of frames before it.
    Table(SampleTable),
    /// Decoding may start at any keyframe.
    Keyframes,
    /// Decoding may start at any keyframe if all packets turn out to have rising timestamps: the file may be several
    /// streams joined together, or a raw stream in disguise.
    Unlisted {
        /// `true` if the packets are being listed in the background and seeks rely on the container until then.
        aside: bool,
    },
    /// Timestamps locate the frames, but only decoding from the start gives the right pictures.
    History,
    /// Only decoding from the start identifies the frames.
    Nothing,
}

impl SeekGuarantee {
    /// Returns the guarantee as far as it is known before decoding.
    pub(crate) fn of(parameters: &StreamParameters<'_>, input: &Input, stream: usize, source: &Source) -> Self {
        let is_intra_only = parameters.is_intra_only();
        if !input.has_timestamps() {
            return Self::Nothing;
        }
        let container = input.container();
        let is_plain_table = || SampleTable::of(&input.index_entries(stream));
        match container {
            // Only MP4 contains frames that an edit list hides, and only its table reveals them.
            MP4 if is_plain_table().is_none() => Self::Nothing,
            _ if !resets_at_keyframes(parameters) => Self::History,
            // Palettes have packets of their own, which the index passes over.
            "avi" if parameters.pixel_format().name() == "pal8" => Self::History,
            MP4 if source.is_file() && !source.is_fragmented() => is_plain_table().map_or(Self::Nothing, Self::Table),
            MP4 | "matroska,webm" => Self::Keyframes,
            // FFmpeg reorders the pictures by a table that counts from where reading started.
            "mxf" if !is_intra_only => Self::History,
            _ if source.is_file() => Self::Unlisted { aside: false },
            // A source that may be read only over a network is not read twice.
            _ => Self::Keyframes,
        }
    }

    /// Returns `true` if timestamps lead at least close to a frame.
    pub(crate) const fn has_times(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Returns `true` if seeks start at keyframes.
    pub(crate) const fn relies_on_keys(&self) -> bool {
        matches!(self, Self::Table(_) | Self::Keyframes | Self::Unlisted { .. })
    }

    /// Returns `true` if the packets must be listed before seeks are certain.
    pub(crate) const fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted { .. })
    }
}

/// The packets of a file in decoding order, according to its index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SampleTable {
    /// Decoding timestamps, in ascending order.
    stamps: Vec<i64>,
    /// Positions of packets whose frames are not shown.
    hidden: Vec<usize>,
}

impl SampleTable {
    /// Creates the table; `None` if timestamps do not distinguish the packets, or if an edit list drops frames or goes
    /// back in the middle of the file.
    fn of(entries: &[IndexEntry]) -> Option<Self> {
        let rises = entries.windows(2).all(|pair| pair[0].dts < pair[1].dts && pair[0].position < pair[1].position);
        // An edit that starts after the first frame is decoded from the keyframe before it, which is hidden.
        let is_cut = entries.iter().skip(1).any(|entry| entry.is_key && entry.is_hidden);
        let hidden = entries.iter().enumerate().filter(|(_, entry)| entry.is_hidden).map(|(at, _)| at);
        (rises && !is_cut)
            .then(|| Self { stamps: entries.iter().map(|entry| entry.dts).collect(), hidden: hidden.collect() })
    }

    /// Returns the number of shown packets before the one with that decoding timestamp; `None` if it is not listed.
    pub(crate) fn shown_before(&self, dts: i64) -> Option<u64> {
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
            position: at as i64 * 100,
            is_key: *is_key,
            is_hidden: *is_hidden,
        };
        listed.iter().enumerate().map(entry).collect()
    }

    #[test]
    fn table_counts_shown_packets() {
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
        back[2].position = 50;
        assert!(SampleTable::of(&back).is_none());
    }
}
