//! The cumulative histograms on the GPU: the prefix sum of a bin buffer, which the curves are drawn from and which comes back
//! as numbers.

use super::Gpu;
use super::adjust::scan::{BufferWords, ScanJob, ScanPass};
use super::resources::storage;
use histoscope_core::histogram::Cumulative;

/// The prefix sum of whichever bins it was last dispatched for.
#[derive(Debug)]
pub struct CumulativePass {
    pass: ScanPass,
    /// Sums over all channels in one: what lies before a channel is taken off again where its sums are read. The words are
    /// those of [`Cumulative::scan_words`].
    pub sums: wgpu::Buffer,
    /// What the job is for: a bin buffer and the bits of its codes.
    made: Option<(wgpu::Buffer, u32, ScanJob)>,
}

impl CumulativePass {
    /// Makes the pass with room for every depth.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let sums = storage(&gpu.device, "cumulative bins", Cumulative::scan_words(12));
        Self { pass: ScanPass::new(gpu), sums, made: None }
    }

    /// Dispatches the scan of these bins, of `bits` bits, in a compute pass of the caller's.
    pub fn dispatch(&mut self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, bins: &wgpu::Buffer, bits: u32) {
        let made = self.made.take().filter(|(made, made_bits, _)| (made, *made_bits) == (bins, bits));
        let (_, _, job) = self.made.insert(made.unwrap_or_else(|| {
            let (from, to) = (BufferWords { buffer: bins, offset: 0 }, BufferWords { buffer: &self.sums, offset: 0 });
            // A word more than there are bins: in front of it stand all of them, so that it has their sum.
            let job = self.pass.job(gpu, from, to, Cumulative::scan_words(bits) as u32);
            (bins.clone(), bits, job)
        }));
        job.dispatch(pass);
    }
}
