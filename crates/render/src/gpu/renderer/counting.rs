//! Counting what is loaded, and bringing bins and thresholds back.

use super::Renderer;
use super::adjusting::{Making, Thresholds};
use super::content::ContentChoice;
use super::linear::LinearCount;
use super::loaded::Loaded;
use crate::cpu;
use crate::gpu::cumulative::CumulativePass;
use crate::gpu::figures::{FigureSubject, FrameTag, Series};
use crate::gpu::params::{LimitsParams, SelectionParams};
use crate::gpu::readback::read_buffer;
use crate::gpu::totals::TotalsPass;
use crate::gpu::{Gpu, GpuError};
use crate::view::scene::{Counted, Scene};
use histoscope_core::histogram::limits::Limits;
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, Selected, Transfer};
use histoscope_core::picture::{OutOfRange, region};

impl Renderer {
    /// Asks for the bins of the loaded picture as numbers: those that the overlays show filled. They are there some frames
    /// later, without anybody waiting for them; see [`poll_histogram`](Self::poll_histogram). Asking again for what is under
    /// way changes nothing, unless what is told with them has changed since. Where the next drawing adjusts or counts otherwise,
    /// its bins are sent without asking again.
    pub fn request_histogram(&mut self, gpu: &Gpu) {
        let now = (self.content.loadings, self.content.revision);
        self.answers.asked = Some(now.0);
        let is_newest = |subject: &FigureSubject| {
            let has_limits = subject.limits || self.answers.limits.is_none();
            (subject.loading, subject.revision) == now && has_limits && subject.tag.brush == self.answers.selecting
        };
        let is_under_way = self.answers.live.under_way(self.content.series()).is_some_and(is_newest);
        self.answers.live.is_wanted |= !is_under_way;
        self.fetch_histogram(gpu);
    }

    /// The bins that were asked for if they have come, summed up, and which frame's they are. Never waits.
    pub fn poll_histogram(&mut self, gpu: &Gpu) -> Option<(FrameTag, Cumulative)> {
        self.poll_thresholds(gpu);
        if self.answers.live.is_wanted
            && let Some((tag, histogram)) = self.content.known()
        {
            let mut sums = histogram.cumulative();
            if self.answers.limits.is_some() {
                let parts = self.content.known_parts();
                sums.outside_r103 = parts.map(|parts| parts.iter().map(cpu::count_outside_r103).sum());
            }
            self.answers.live.is_wanted = false;
            let parts = self.answers.selecting.and_then(|_| self.content.known_parts());
            let brush = self.answers.selecting.filter(|_| parts.is_some());
            if let (Some(brush), Some(parts)) = (&brush, parts) {
                let counts = parts.iter().map(|part| cpu::count_selected(part, brush, sums.components));
                sums.selected = Some(counts.fold(Selected::default(), Selected::plus));
            }
            return Some((FrameTag { brush, ..tag }, sums));
        }
        let series = self.content.series();
        self.answers.live.poll(&gpu.device, series);
        let come = self.answers.live.take(series);
        self.fetch_histogram(gpu);
        let (FigureSubject { tag, loading, revision, limits, clamped }, mut words) = come?;
        let Series { bits, components, .. } = series?;
        // What the picture was counted as before a choice is of no use any more: other bins are on their way.
        let is_outdated = loading == self.content.loadings && revision != self.content.revision;
        let selected = tag.brush.and_then(|_| Some(Selected { all: words.pop()?, any: words.pop()? }));
        let outside_r103 = if limits { words.pop() } else { None };
        let mut sums = Cumulative::of_scan(bits, components, &words).filter(|_| !is_outdated)?;
        sums.outside_r103 = outside_r103;
        sums.add_out_of_range(clamped);
        sums.selected = selected;
        Some((tag, sums))
    }

    /// Whether bins were asked for that have not come yet, or thresholds are under way.
    #[must_use]
    pub fn is_histogram_pending(&self) -> bool {
        self.answers.live.is_pending() || self.answers.thresholds.is_pending()
    }

    /// Counts the loaded picture as the last drawing did, unless it is counted, and reads its bins; waits for both. Before the
    /// first drawing that is the source.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails; what was never loaded has no bins.
    pub fn count(&mut self, gpu: &Gpu) -> Result<Histogram, GpuError> {
        self.count_choice(gpu, self.content.choice)
    }

    /// The same for what the overlays of that scene would show filled.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn count_scene(&mut self, gpu: &Gpu, scene: &Scene) -> Result<Histogram, GpuError> {
        self.count_choice(gpu, ContentChoice::of(scene))
    }

    /// Counts the luminance of linear light of what the overlays of that scene show filled, 2^n bins, and how its codes became light;
    /// waits for it. Nothing before a picture was loaded.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn count_linear(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(Transfer, Vec<u32>), GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("linear") });
        self.record_count(gpu, &mut encoder, ContentChoice::of(scene));
        let mut linear = LinearCount::new(gpu);
        linear.record(gpu, &mut encoder, &self.content);
        if let Some(timing) = &mut self.timing {
            timing.end(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        let Some(loaded) = &self.content.loaded else { return Ok((Transfer::default(), Vec::new())) };
        let codes = 1_u64 << loaded.bits;
        let bytes = read_buffer(gpu, linear.bins(), 4 * 4 * codes)?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok((loaded.transfer, words[3 * codes as usize..].to_vec()))
    }

    fn count_choice(&mut self, gpu: &Gpu, choice: ContentChoice) -> Result<Histogram, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("count") });
        self.record_count(gpu, &mut encoder, choice);
        if let Some(timing) = &mut self.timing {
            timing.end(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        let Some(Loaded { bits, components, .. }) = self.content.loaded else {
            return Ok(Histogram::empty(8, Components::Rgbl));
        };
        let mut histogram = self.content.passes().0.read(gpu, bits, components)?;
        histogram.add_out_of_range(self.clamped());
        Ok(histogram)
    }

    /// The samples of what is counted filled that were out of range before they became codes.
    fn clamped(&self) -> OutOfRange {
        let is_source = |loaded: &&Loaded| {
            let counted = self.content.choice.counted_in(loaded.components);
            loaded.components == Components::Rgbl
                && (self.content.choice.adjustments.is_off() || counted == Counted::Source)
        };
        let loaded = self.content.loaded.as_ref().filter(is_source).filter(|loaded| loaded.known.is_none());
        let clamped = loaded.and_then(|loaded| region::clamped(&loaded.picture, loaded.rect()));
        clamped.map_or_else(OutOfRange::default, |clamped| clamped.counts())
    }

    /// Records the adjusting and counting of the loaded picture, as far as that has not been done yet.
    pub(super) fn record_count(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, choice: ContentChoice) {
        self.recorded.clear();
        if self.content.choose(choice) {
            // Bins of the loaded picture that were asked for are asked for again.
            self.answers.live.is_wanted |= self.answers.asked == Some(self.content.loadings);
        }
        let mut making = Making { gpu, encoder, timing: self.timing.as_mut(), recorded: &mut self.recorded };
        self.answers.thresholds.is_wanted |= self.content.record(&mut making);
        if self.record_fetch(gpu, encoder) {
            self.recorded.push("sum up");
        }
        self.note_thresholds();
        self.record_thresholds(encoder);
    }

    /// Sends for the bins that are wanted if they lie in the bin buffer already; else the next recording does.
    fn fetch_histogram(&mut self, gpu: &Gpu) {
        if self.answers.live.is_due() && self.content.fetchable().is_some() {
            let descriptor = wgpu::CommandEncoderDescriptor { label: Some("fetch bins") };
            let mut encoder = gpu.device.create_command_encoder(&descriptor);
            self.record_fetch(gpu, &mut encoder);
            gpu.queue.submit([encoder.finish()]);
            self.answers.live.submitted();
        }
    }

    /// Records the summing of the bins that are wanted and the copy of their sums; whether there was anything to record.
    fn record_fetch(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> bool {
        let Some(loaded) = self.content.fetchable().filter(|_| self.answers.live.is_due()) else { return false };
        let Loaded { loading, bits, components, .. } = *loaded;
        let (tag, revision, series) = (self.content.tag(loaded), self.content.revision, loaded.series());
        let mut subject = FigureSubject { tag, loading, revision, limits: false, clamped: self.clamped() };
        let bins = &self.content.passes().0.bins;
        let cumulative = self.answers.cumulative.get_or_insert_with(|| CumulativePass::new(gpu));
        let descriptor = wgpu::ComputePassDescriptor { label: Some("sum up"), timestamp_writes: None };
        cumulative.dispatch(gpu, &mut encoder.begin_compute_pass(&descriptor), bins, bits);
        let tail = CHANNELS << bits..Histogram::word_count(bits);
        let mut parts = vec![(&cumulative.sums, 0..Cumulative::scan_words(bits)), (bins, tail)];
        if let (Some(limits), Some((group, layout, rect, conversion))) =
            (&mut self.answers.limits, self.content.bound())
        {
            let question = LimitsParams::new(Limits::r103(&conversion), rect);
            limits.record(gpu, encoder, (group, layout, rect.height), &question);
            parts.push((&limits.totals, 0..1));
            subject.limits = true;
        }
        if let (Some(brush), Some((group, layout, rect, _))) = (self.answers.selecting, self.content.bound()) {
            let selection = self.answers.selection.get_or_insert_with(|| TotalsPass::new(gpu));
            let question = SelectionParams::new(brush, components, rect);
            selection.record(gpu, encoder, (group, layout, rect.height), &question);
            parts.push((&selection.totals, 0..2));
            subject.tag.brush = Some(brush);
        }
        self.answers.live.record(encoder, &parts, series, subject);
        true
    }

    /// Takes the thresholds that are known here; forgets them where there are none any more.
    fn note_thresholds(&mut self) {
        let known = match self.content.adjusting.thresholds() {
            Thresholds::There(_) => None,
            Thresholds::Here(thresholds) => self.content.series().zip(Some(thresholds)),
            Thresholds::None => None,
        };
        self.answers.thresholds_here = known;
        self.answers.thresholds.is_wanted &= self.has_thresholds_there();
    }

    /// Whether the thresholds that there are lie with the adapter.
    fn has_thresholds_there(&self) -> bool {
        matches!(self.content.adjusting.thresholds(), Thresholds::There(_))
    }

    fn record_thresholds(&mut self, encoder: &mut wgpu::CommandEncoder) {
        // What was made of an earlier picture is not of this one's series.
        let series = self.content.series().filter(|_| self.content.has_result());
        if let (Thresholds::There(buffer), true, Some(series)) =
            (self.content.adjusting.thresholds(), self.answers.thresholds.is_due(), series)
        {
            self.answers.thresholds.record(encoder, &[(buffer, 0..4)], series, ());
        }
    }

    /// Takes thresholds that have come, and sends for newer ones.
    pub(super) fn poll_thresholds(&mut self, gpu: &Gpu) {
        self.answers.thresholds.poll(&gpu.device, self.content.series());
        if self.has_thresholds_there() && self.answers.thresholds.is_due() {
            let descriptor = wgpu::CommandEncoderDescriptor { label: Some("fetch thresholds") };
            let mut encoder = gpu.device.create_command_encoder(&descriptor);
            self.record_thresholds(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
            self.answers.thresholds.submitted();
        }
    }

    /// The newest luminance codes at which the second class and those after it begin, `u32::MAX` where there is none; `None`
    /// where no threshold is among the adjustments, or they have not come yet. Never waits: they come with
    /// [`poll_histogram`](Self::poll_histogram), [`poll_times`](Self::poll_times) and every drawing.
    #[must_use]
    pub fn thresholds(&self) -> Option<[u32; 4]> {
        let series = self.content.series();
        if self.has_thresholds_there() {
            return self.answers.thresholds.newest(series)?.1.try_into().ok();
        }
        self.answers.thresholds_here.filter(|(of, _)| Some(*of) == series).map(|(_, thresholds)| thresholds)
    }
}
