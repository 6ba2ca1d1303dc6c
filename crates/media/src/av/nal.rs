//! The headers of packets, read without decoding them.

mod framing;
mod h264;
mod hevc;
mod sei;

use framing::NalFraming;
use hevc::Hevc;
pub(super) use hevc::Leading;

/// A stream whose packets are of NAL units: what has to be known to look into them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NalStream {
    H264(NalFraming),
    Hevc(Hevc),
}

impl NalStream {
    /// The stream of a codec, by FFmpeg's name, and its configuration; `None` if its packets cannot be looked into.
    pub(super) fn of(codec: &str, extradata: &[u8]) -> Option<Self> {
        match codec {
            "h264" => Some(Self::H264(h264::framing(extradata))),
            "hevc" => Hevc::of(extradata).map(Self::Hevc),
            _ => None,
        }
    }

    /// The same from a packet on that brings another configuration.
    pub(super) fn reconfigured(self, extradata: &[u8]) -> Option<Self> {
        match self {
            Self::H264(_) => Some(Self::H264(h264::framing(extradata))),
            Self::Hevc(stream) => stream.reconfigured(extradata).map(Self::Hevc),
        }
    }

    /// Takes in what a packet that goes to the decoder says about those that follow.
    pub(super) fn learn(&mut self, packet: &[u8]) {
        match self {
            // There each picture speaks for itself.
            Self::H264(_) => {}
            Self::Hevc(stream) => stream.learn(packet),
        }
    }

    /// Returns whether the packet holds a picture to which no other refers, and nothing else that later packets may need. No where that
    /// cannot be told.
    pub(super) fn is_unreferenced(&self, packet: &[u8]) -> bool {
        match self {
            Self::H264(framing) => h264::is_unreferenced(*framing, packet),
            Self::Hevc(stream) => stream.is_unreferenced(packet),
        }
    }

    /// Returns whether a decoder that has seen all packets before leaves the packet's picture out, since what that refers to lies before where
    /// decoding can begin. No of H.264, whose decoder gives such pictures before the first that is shown only.
    pub(super) fn is_left_out(&self, packet: &[u8], leading: &mut Leading) -> bool {
        match self {
            Self::H264(_) => false,
            Self::Hevc(stream) => stream.is_left_out(packet, leading),
        }
    }
}
