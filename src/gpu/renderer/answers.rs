//! What the adapter is asked for while a video plays, and the passes that find it out.

use std::ops::Range;

use super::super::Gpu;
use super::super::cumulative::CumulativePass;
use super::super::figures::Subject;
use super::super::params::{LimitsParams, SelectionParams};
use super::super::readback_belt::ReadbackBelt;
use super::super::totals::TotalsPass;
use super::linear::LinearCount;
use super::scopes::{Key as ScopeKey, ScopeAnswer, ScopeCount, ScopeQuestion};
use crate::histogram::{CHANNELS, Cumulative, TAIL_WORDS};
use crate::scopes::MOST_LEVEL_BITS;
use crate::view::scene::Brush;

/// Nothing of it is made, and nothing comes back, before somebody asks.
#[derive(Debug)]
pub struct Answers {
    /// Sums the bins up that are shown filled, for numbers and curves; made when either is wanted first.
    pub cumulative: Option<CumulativePass>,
    /// Counts the luminance of linear light; there while that is drawn.
    pub linear: Option<LinearCount>,
    /// Counts the scopes beside the histogram; there while one is drawn.
    pub scopes: Option<ScopeCount>,
    /// Counts what is outside of EBU R 103; there while that is told beside the bins.
    pub limits: Option<TotalsPass<LimitsParams>>,
    /// Counts what a brush over several channels selects; made when that is wanted first.
    pub selection: Option<TotalsPass<SelectionParams>>,
    /// That brush, while there is one.
    pub selecting: Option<Brush>,
    /// Counts of the scopes that were asked for, and the newest ones with what they are of.
    pub scope: OnRequest<(ScopeKey, ScopeQuestion)>,
    pub newest_scope: Option<(ScopeKey, ScopeAnswer)>,
    pub live: OnRequest<Subject>,
    pub thresholds: OnRequest<()>,
    pub newest_thresholds: Option<[u32; 4]>,
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
            limits: None,
            selection: None,
            selecting: None,
            scope: OnRequest::new(gpu, "live scopes", CHANNELS << MOST_LEVEL_BITS),
            newest_scope: None,
            live: OnRequest::new(gpu, "live sums", Cumulative::scan_words(12) + TAIL_WORDS + 3),
            thresholds: OnRequest::new(gpu, "live thresholds", 4),
            newest_thresholds: None,
            asked: None,
        }
    }
}

/// Words that come back while a video plays, one load of them at a time, because somebody asked.
#[derive(Debug)]
pub struct OnRequest<T> {
    pub belt: ReadbackBelt<T>,
    /// Whether somebody waits for words that are not on their way yet.
    pub is_wanted: bool,
}

impl<T> OnRequest<T> {
    /// Room for at most so many words.
    pub fn new(gpu: &Gpu, label: &str, words: usize) -> Self {
        Self { belt: ReadbackBelt::new(&gpu.device, label, words as u64 * 4, 1), is_wanted: false }
    }

    /// Whether words are wanted and can set out.
    pub fn is_due(&self) -> bool {
        self.is_wanted && self.belt.is_empty()
    }

    /// Whether words are wanted or under way.
    pub fn is_pending(&self) -> bool {
        self.is_wanted || !self.belt.is_empty()
    }

    /// Records the copy of ranges of words of these buffers.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, parts: &[(&wgpu::Buffer, Range<usize>)], subject: T) {
        let bytes = |words: &Range<usize>| words.start as u64 * 4..words.end as u64 * 4;
        let parts: Vec<_> = parts.iter().map(|(buffer, words)| (*buffer, bytes(words))).collect();
        self.belt.record(encoder, &parts, subject);
        self.is_wanted = false;
    }
}
