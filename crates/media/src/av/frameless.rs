//! Detects from their headers which packets yield no frame, so that listing a file's packets counts its frames.

use super::nal::{Leading, NalStream};
use super::packet::AvPacket;
use super::stream::StreamParameters;

/// Detects the packets of a stream that yield no frame. It has to see all packets, from the first one on.
pub(crate) struct FramelessPackets(Coding, &'static str);

/// The ways in which packets mark themselves as yielding no frame.
enum Coding {
    /// They do not.
    Other,
    /// HEVC pictures that a decoder drops because it has not seen the pictures they refer to.
    Hevc(NalStream, Leading),
    /// VP8 frames that are never shown and only serve as references.
    Vp8,
    /// VP9 frames that are never shown and only serve as references.
    Vp9,
}

impl FramelessPackets {
    /// Creates a detector for a stream.
    pub(crate) fn of(parameters: &StreamParameters<'_>) -> Self {
        let coding = match parameters.codec_name() {
            "hevc" => NalStream::of("hevc", parameters.extradata())
                .map_or(Coding::Other, |stream| Coding::Hevc(stream, Leading::default())),
            "vp8" => Coding::Vp8,
            "vp9" => Coding::Vp9,
            _ => Coding::Other,
        };
        Self(coding, parameters.codec_name())
    }

    /// Returns `true` if the next packet of the stream yields no frame.
    pub(crate) fn has(&mut self, packet: &AvPacket) -> bool {
        match &mut self.0 {
            Coding::Other => false,
            Coding::Hevc(stream, leading) => {
                if let Some(changed) = packet.configuration().and_then(|bytes| stream.reconfigured(bytes)) {
                    *stream = changed;
                }
                stream.is_dropped(packet.data(), leading)
            }
            Coding::Vp8 => is_hidden_vp8(packet.data()),
            Coding::Vp9 => is_hidden_vp9(packet.data()),
        }
    }

    /// Returns `true` unless the packet lacks what every picture of the codec begins with.
    pub(crate) fn may_have_picture(&self, packet: &AvPacket) -> bool {
        may_have_picture(self.1, packet.data())
    }

    /// Returns `true` if a packet of a codec, by FFmpeg's name, yields no frame wherever decoding starts.
    pub(crate) fn always_has(codec: &str, packet: &AvPacket) -> bool {
        match codec {
            "vp8" => is_hidden_vp8(packet.data()),
            "vp9" => is_hidden_vp9(packet.data()),
            _ => false,
        }
    }
}

/// Returns `true` unless a packet of that codec lacks what every picture begins with, so that a decoder refuses it.
fn may_have_picture(codec: &str, packet: &[u8]) -> bool {
    match codec {
        // The frame marker of VP9 (6.2), the start code of a key frame in VP8 (RFC 6386, 9.1).
        "vp9" => packet.first().is_some_and(|first| first >> 6 == 0b10),
        "vp8" => packet.first().is_some_and(|first| first & 1 == 1 || packet.get(3..6) == Some(&[0x9d, 0x01, 0x2a])),
        // obu_forbidden_bit, and obu_reserved_1bit (AV1, 5.3.2).
        "av1" => packet.first().is_some_and(|first| first & 0x81 == 0),
        // No time is as long as that many ones (ISO/IEC 14496-2, modulo_time_base).
        "mpeg4" => packet
            .windows(4)
            .position(|four| four == [0, 0, 1, 0xb6])
            .is_some_and(|at| !packet[at + 4..].starts_with(&[0xff; 8])),
        // The size of the frame's header follows (SMPTE RDD 36).
        "prores" => packet.split_first_chunk::<10>().is_some_and(|(head, rest)| {
            &head[4..8] == b"icpf" && usize::from(u16::from_be_bytes([head[8], head[9]])) <= rest.len() + 2
        }),
        "dnxhd" => packet.starts_with(&[0, 0, 2, 0x80]) || packet.starts_with(&[0, 0, 3, 0x8c]),
        "png" => packet.starts_with(b"\x89PNG"),
        _ => true,
    }
}

/// Returns `true` if a packet's frame is not shown, by `show_frame` (RFC 6386, 9.1).
fn is_hidden_vp8(packet: &[u8]) -> bool {
    packet.first().is_some_and(|first| first >> 4 & 1 == 0)
}

/// Returns `true` if none of a packet's frames is shown, by the VP9 bitstream specification: `show_existing_frame` and
/// `show_frame` of the uncompressed header (6.2), and the index of a superframe (annex B). Returns `false` if in doubt.
fn is_hidden_vp9(packet: &[u8]) -> bool {
    let mut frames = Vec::new();
    if let Some(sizes) = superframe_sizes(packet) {
        let mut rest = packet;
        for size in sizes {
            let Some((frame, behind)) = rest.split_at_checked(size) else { return false };
            rest = behind;
            // An empty frame repeats the one shown before.
            frames.push(frame);
        }
    } else {
        frames.push(packet);
    }
    frames.into_iter().all(|frame| {
        let Some(&first) = frame.first().filter(|first| *first >> 6 == 0b10) else { return false };
        // In profile 3 a reserved bit precedes the others.
        let bits = if first >> 4 & 0b11 == 0b11 { first } else { first >> 1 };
        let (shows_existing, shows) = (bits >> 2 & 1, bits & 1);
        shows_existing == 0 && shows == 0
    })
}

/// Returns the sizes of a superframe's frames; `None` if the packet is a single frame.
fn superframe_sizes(packet: &[u8]) -> Option<Vec<usize>> {
    let marker = *packet.last().filter(|last| *last >> 5 == 0b110)?;
    let (count, bytes) = (usize::from(marker & 7) + 1, usize::from(marker >> 3 & 3) + 1);
    let index = packet.get(packet.len().checked_sub(2 + count * bytes)?..)?;
    let sizes = index[1..].strip_suffix(&[marker]).filter(|_| index[0] == marker)?.chunks_exact(bytes);
    Some(sizes.map(|size| size.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first byte of a frame of this profile, with `show_existing_frame`, `frame_type` and `show_frame`.
    fn header(profile: u8, bits: [u8; 3]) -> u8 {
        let bits = bits[0] << 2 | bits[1] << 1 | bits[2];
        0b1000_0000 | (profile & 1) << 5 | (profile >> 1) << 4 | if profile == 3 { bits } else { bits << 1 }
    }

    fn superframe(frames: &[&[u8]], bytes: usize) -> Vec<u8> {
        let marker = 0b1100_0000 | ((bytes - 1) << 3) as u8 | (frames.len() - 1) as u8;
        let sizes = frames.iter().flat_map(|frame| frame.len().to_le_bytes()[..bytes].to_vec());
        let index = [marker].into_iter().chain(sizes).chain([marker]).collect::<Vec<_>>();
        frames.iter().copied().chain([&index[..]]).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_frame_is_hidden_if_its_header_says_so() {
        for profile in 0..4 {
            let is_hidden = |bits| is_hidden_vp9(&[header(profile, bits), 0x49, 0x83, 0x42]);
            assert!(is_hidden([0, 0, 0]) && is_hidden([0, 1, 0]), "profile {profile}");
            assert!(!is_hidden([0, 0, 1]) && !is_hidden([0, 1, 1]), "profile {profile}");
            assert!(!is_hidden([1, 0, 0]) && !is_hidden([1, 1, 1]), "profile {profile}: it shows another");
        }
        assert!(!is_hidden_vp9(&[]) && !is_hidden_vp9(&[0x00, 0]) && !is_hidden_vp9(&[0xff, 0]), "no frame");
    }

    #[test]
    fn a_superframe_is_hidden_if_all_its_frames_are() {
        let [hidden, shown] = [[header(0, [0, 1, 0]), 1, 2], [header(0, [0, 1, 1]), 3, 4]];
        for bytes in 1..=4 {
            assert!(!is_hidden_vp9(&superframe(&[&hidden, &shown], bytes)));
            assert!(!is_hidden_vp9(&superframe(&[&shown, &hidden], bytes)));
            assert!(is_hidden_vp9(&superframe(&[&hidden, &hidden], bytes)));
            assert!(!is_hidden_vp9(&superframe(&[&hidden, &[]], bytes)));
        }
        // Bytes that only resemble an index are part of the frame.
        assert!(is_hidden_vp9(&[hidden[0], 0, 0, 0b1100_0001]));
        let mut too_long = superframe(&[&hidden, &shown], 1);
        let at = too_long.len() - 3;
        too_long[at] = 200;
        assert!(!is_hidden_vp9(&too_long), "its frames are longer than it");
    }
}
