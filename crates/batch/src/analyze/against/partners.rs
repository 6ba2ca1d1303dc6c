//! The frames of the other file of a comparison, found by number.

use super::super::comparison::Against;
use super::super::counter::ScopeUse;
use super::super::counting::{Context, Cropping, Request};
use super::super::error::AnalyzeError;
use super::super::frames::{self, Bound, Frames, Next, NumberedFrames};
use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, Ending, StreamInfo};
use histoscope_render::engine::Engine;

/// The other file, opened for reading.
pub struct Other {
    facts: OtherFacts,
    decoder: Decoder,
}

/// Facts about the other file.
pub(super) struct OtherFacts {
    request: Request,
    info: StreamInfo,
    ending: Ending,
    cropping: Cropping,
    /// Number of frames by which the other file shows the same picture later than the input.
    pub(super) offset: i64,
}

impl Other {
    /// Opens the other file, to be read and counted like the input.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the file cannot be read.
    pub fn open(request: &Request, against: &Against) -> Result<Self, AnalyzeError> {
        let decoder = Decoder::open(&against.input, &request.open)?;
        let mut request = Request { input: against.input.clone(), against: None, ..request.clone() };
        request.counting.scopes = ScopeUse::None;
        let cropping = Cropping { input: against.input.clone(), region: request.selection.region, bars: None };
        let (info, ending) = (decoder.info().clone(), decoder.ending());
        Ok(Self { facts: OtherFacts { request, info, ending, cropping, offset: against.offset }, decoder })
    }

    /// Splits into the facts and the decoder.
    pub(super) fn parts(self) -> (OtherFacts, Decoder) {
        (self.facts, self.decoder)
    }
}

impl OtherFacts {
    /// Returns the context for counting the other file's frames.
    pub(super) fn context<'a>(&'a self, engine: &'a Engine) -> Context<'a> {
        Context { request: &self.request, info: &self.info, cropping: &self.cropping, engine }
    }
}

/// The result of looking for a frame's partner.
pub(super) enum Partner {
    Frame(Box<Frame>),
    /// The other file is complete and has no frame with that number.
    PastEnd,
    /// The other file ended early.
    Lost,
    /// The run was asked to stop.
    Stopped,
}

/// A reader for the frames of the other file.
pub(super) struct Partners<'a> {
    other: &'a OtherFacts,
    supply: PartnerSupply,
}

/// The state of reading the other file.
pub(super) enum PartnerSupply {
    /// No frame has been requested yet.
    Opened(Box<Decoder>),
    Running(Box<Frames>),
    /// The end was reached. `end` is the number after the last frame, `refused_packets` the number of packets rejected
    /// by the decoder.
    Ended {
        end: u64,
        refused_packets: u64,
    },
    /// The other file ended early, for this reason.
    Lost(String),
}

impl<'a> Partners<'a> {
    pub(super) fn new(other: &'a OtherFacts, decoder: Decoder) -> Self {
        Self { other, supply: PartnerSupply::Opened(Box::new(decoder)) }
    }

    /// Returns the state of reading.
    pub(super) fn supply(self) -> PartnerSupply {
        self.supply
    }

    /// Reads the remaining frames to find the end of the file, unless no frame has been requested at all.
    pub(super) fn find_end(&mut self) -> Result<Partner, AnalyzeError> {
        if matches!(self.supply, PartnerSupply::Opened(_)) { Ok(Partner::PastEnd) } else { self.find(u64::MAX) }
    }

    /// Returns the frame with this number, which must be greater than in all previous calls.
    pub(super) fn find(&mut self, number: u64) -> Result<Partner, AnalyzeError> {
        if let PartnerSupply::Opened(_) = self.supply {
            self.begin(number)?;
        }
        loop {
            let frames = match &mut self.supply {
                PartnerSupply::Running(frames) => frames,
                PartnerSupply::Lost(_) => return Ok(Partner::Lost),
                PartnerSupply::Opened(_) | PartnerSupply::Ended { .. } => return Ok(Partner::PastEnd),
            };
            match frames.next() {
                Next::Frame(found, frame) if found >= number => return Ok(Partner::Frame(frame)),
                Next::Frame(..) => {}
                Next::Stopped => return Ok(Partner::Stopped),
                Next::Failed(error) => self.supply = PartnerSupply::Lost(error.to_string()),
                Next::End => {
                    let (end, counters) = (frames.next_number(), frames.counters());
                    let missing =
                        self.other.ending.missing(&self.other.info, (Some(end), frames.end_secs()), &counters);
                    self.supply = match missing {
                        Some(reason) => PartnerSupply::Lost(reason),
                        None => PartnerSupply::Ended { end, refused_packets: counters.refused_packets },
                    };
                }
            }
        }
    }

    /// Positions the decoder at the frame with this number and starts decoding.
    fn begin(&mut self, number: u64) -> Result<(), AnalyzeError> {
        let ended = PartnerSupply::Ended { end: 0, refused_packets: 0 };
        let PartnerSupply::Opened(mut decoder) = std::mem::replace(&mut self.supply, ended) else { return Ok(()) };
        let (open, stop) = (&self.other.request.open, &self.other.request.stop);
        let positioned = frames::position(&mut decoder, (Some(Bound::Number(number)), 0), false, stop)?;
        self.supply = PartnerSupply::Running(Box::new(Frames::start(*decoder, positioned, 0, (open, stop))?));
        Ok(())
    }
}
