//! The frames of the file that another one is compared with, found by their numbers.

use super::super::comparison::Against;
use super::super::counter::ScopeUse;
use super::super::counting::{Context, Cropping, Request};
use super::super::error::AnalyzeError;
use super::super::frames::{self, Bound, Frames, Next, NumberedFrames};
use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, Ending, StreamInfo};
use histoscope_render::engine::Engine;

/// The other file, opened.
pub struct Other {
    facts: OtherFacts,
    decoder: Decoder,
}

/// What is known of it.
pub(super) struct OtherFacts {
    request: Request,
    info: StreamInfo,
    ending: Ending,
    cropping: Cropping,
    /// How many frames later its frame comes than that of the same picture in the input.
    pub(super) offset: i64,
}

impl Other {
    /// Opens it, to be read and counted as the request has it of its own file.
    ///
    /// # Errors
    /// [`AnalyzeError`] if it cannot be read.
    pub fn open(request: &Request, against: &Against) -> Result<Self, AnalyzeError> {
        let decoder = Decoder::open(&against.input, &request.open)?;
        let mut request = Request { input: against.input.clone(), against: None, ..request.clone() };
        request.counting.scopes = ScopeUse::None;
        let cropping = Cropping { input: against.input.clone(), region: request.selection.region, bars: None };
        let (info, ending) = (decoder.info().clone(), Ending::of(&decoder));
        Ok(Self { facts: OtherFacts { request, info, ending, cropping, offset: against.offset }, decoder })
    }

    /// What stays, and what is used up.
    pub(super) fn parts(self) -> (OtherFacts, Decoder) {
        (self.facts, self.decoder)
    }
}

impl OtherFacts {
    /// What the counting of its frames goes by.
    pub(super) fn context<'a>(&'a self, engine: &'a Engine) -> Context<'a> {
        Context { request: &self.request, info: &self.info, cropping: &self.cropping, engine }
    }
}

/// What comes for a frame.
pub(super) enum Partner {
    Frame(Box<Frame>),
    /// The other file is whole, and has no frame of that number.
    BehindEnd,
    /// The other file ends before it should.
    Lost,
    /// The run was asked to stop.
    Stopped,
}

/// The frames of the other file.
pub(super) struct Partners<'a> {
    other: &'a OtherFacts,
    supply: PartnerSupply,
}

/// How far the other file is read.
pub(super) enum PartnerSupply {
    /// Nobody has asked for a frame.
    Opened(Box<Decoder>),
    Running(Box<Frames>),
    /// The end was seen: the number behind the last frame, and how many packets the decoder refused.
    Ended {
        end: u64,
        refused_packets: u64,
    },
    /// Frames that should be there are not; the reason.
    Lost(String),
}

impl<'a> Partners<'a> {
    pub(super) fn new(other: &'a OtherFacts, decoder: Decoder) -> Self {
        Self { other, supply: PartnerSupply::Opened(Box::new(decoder)) }
    }

    /// How far the file was read.
    pub(super) fn supply(self) -> PartnerSupply {
        self.supply
    }

    /// Looks for all frames behind those that were asked for, to see where the file ends; not where none was asked for.
    pub(super) fn find_end(&mut self) -> Result<Partner, AnalyzeError> {
        if matches!(self.supply, PartnerSupply::Opened(_)) { Ok(Partner::BehindEnd) } else { self.find(u64::MAX) }
    }

    /// The frame of that number, which must be greater than every one that was asked for before.
    pub(super) fn find(&mut self, number: u64) -> Result<Partner, AnalyzeError> {
        if let PartnerSupply::Opened(_) = self.supply {
            self.begin(number)?;
        }
        loop {
            let frames = match &mut self.supply {
                PartnerSupply::Running(frames) => frames,
                PartnerSupply::Lost(_) => return Ok(Partner::Lost),
                PartnerSupply::Opened(_) | PartnerSupply::Ended { .. } => return Ok(Partner::BehindEnd),
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

    /// Goes to the frame of that number.
    fn begin(&mut self, number: u64) -> Result<(), AnalyzeError> {
        let ended = PartnerSupply::Ended { end: 0, refused_packets: 0 };
        let PartnerSupply::Opened(mut decoder) = std::mem::replace(&mut self.supply, ended) else { return Ok(()) };
        let (open, stop) = (&self.other.request.open, &self.other.request.stop);
        let positioned = frames::position(&mut decoder, (Some(Bound::Number(number)), 0), false, stop)?;
        self.supply = PartnerSupply::Running(Box::new(Frames::start(*decoder, positioned, 0, (open, stop))?));
        Ok(())
    }
}
