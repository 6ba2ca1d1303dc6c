//! Packet headers, read without decoding the packets.

mod bits;
mod framing;
mod h264;
mod hevc;
mod sei;
mod sets;

use framing::NalFraming;
use hevc::Hevc;
pub(super) use hevc::Leading;
pub(super) use sets::{ParameterSets, SequenceStatement, StatedOrientation, Syntax};

/// A stream whose packets consist of NAL units, with the state needed to parse them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NalStream {
    H264(NalFraming),
    Hevc(Hevc),
}

impl NalStream {
    /// Creates the stream for a codec, by FFmpeg's name, with this configuration; `None` if its packets cannot be
    /// parsed.
    pub(super) fn of(codec: &str, extradata: &[u8]) -> Option<Self> {
        match codec {
            "h264" => Some(Self::H264(h264::framing(extradata))),
            "hevc" => Hevc::of(extradata).map(Self::Hevc),
            _ => None,
        }
    }

    /// Returns the parameter sets of the configuration.
    pub(super) fn parameter_sets(self, extradata: &[u8]) -> ParameterSets {
        let (syntax, framing) = match self {
            Self::H264(framing) => (Syntax::H264, framing),
            Self::Hevc(stream) => (Syntax::Hevc, stream.framing()),
        };
        ParameterSets::of(syntax, framing, extradata)
    }

    /// Returns the stream as it continues from a packet that carries a new configuration.
    pub(super) fn reconfigured(self, extradata: &[u8]) -> Option<Self> {
        match self {
            Self::H264(_) => Some(Self::H264(h264::framing(extradata))),
            Self::Hevc(stream) => stream.reconfigured(extradata).map(Self::Hevc),
        }
    }

    /// Records information about later packets from a packet that is sent to the decoder.
    pub(super) fn learn(&mut self, packet: &[u8]) {
        match self {
            // In H.264 each picture carries all that is needed.
            Self::H264(_) => {}
            Self::Hevc(stream) => stream.learn(packet),
        }
    }

    /// Returns `true` if the packet holds a picture to which no other refers, and nothing else that later packets may
    /// need. Returns `false` if in doubt.
    pub(super) fn is_unreferenced(&self, packet: &[u8]) -> bool {
        match self {
            Self::H264(framing) => h264::is_unreferenced(*framing, packet),
            Self::Hevc(stream) => stream.is_unreferenced(packet),
        }
    }

    /// Returns `true` if a decoder that has seen all earlier packets drops the packet's picture, because it refers to
    /// pictures from before the starting point. Always `false` for H.264: its decoder drops such pictures only before
    /// the first that it outputs.
    pub(super) fn is_dropped(&self, packet: &[u8], leading: &mut Leading) -> bool {
        match self {
            Self::H264(_) => false,
            Self::Hevc(stream) => stream.is_dropped(packet, leading),
        }
    }
}
