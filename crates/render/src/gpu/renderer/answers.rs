//! What the adapter is asked for while a video plays, and the passes that find it out.

use super::super::Gpu;
use super::super::cumulative::CumulativePass;
use super::super::figures::{FigureSubject, Series};
use super::super::params::{LimitsParams, SelectionParams};
use super::super::readback_belt::OnRequest;
use super::super::totals::TotalsPass;
use super::brushed::Brushed;
use super::linear::LinearCount;
use super::scopes::ScopeCount;
use crate::view::scene::Brush;
use histoscope_core::histogram::{Cumulative, TAIL_WORDS};

/// Nothing of it is made, and nothing comes back, before somebody asks.
#[derive(Debug)]
pub struct Answers {
    /// Sums the bins up that are shown filled, for numbers and curves; made when either is wanted first.
    pub cumulative: Option<CumulativePass>,
    /// Counts the luminance of linear light; there while that is drawn.
    pub linear: Option<LinearCount>,
    /// Counts the scopes beside the histogram; there while one is drawn.
    pub scopes: Option<ScopeCount>,
    /// What the brushes of the scopes select; there while something is brushed that asks for it.
    pub brushed: Option<Brushed>,
    /// Counts what is outside of EBU R 103; there while that is told beside the bins.
    pub limits: Option<TotalsPass<LimitsParams>>,
    /// Counts what a brush over several channels selects; made when that is wanted first.
    pub selection: Option<TotalsPass<SelectionParams>>,
    /// That brush, while there is one.
    pub selecting: Option<Brush>,
    pub live: OnRequest<FigureSubject>,
    pub thresholds: OnRequest<()>,
    /// Those that the CPU has found, of a picture of that series.
    pub thresholds_here: Option<(Series, [u32; 4])>,
    /// The loading whose bins were asked for.
    pub asked: Option<u64>,
}

impl Answers {
    /// Nothing is asked for yet.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            cumulative: None,
            linear: None,
            scopes: None,
            brushed: None,
            limits: None,
            selection: None,
            selecting: None,
            live: OnRequest::new(&gpu.device, "live sums", Cumulative::scan_words(12) + TAIL_WORDS + 3),
            thresholds: OnRequest::new(&gpu.device, "live thresholds", 4),
            thresholds_here: None,
            asked: None,
        }
    }
}
