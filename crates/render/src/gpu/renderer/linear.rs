//! The luminance of linear light of what is loaded, counted once for each picture that is shown filled.

use super::content::LoadedContent;
use crate::cpu;
use crate::gpu::Gpu;
use crate::gpu::linear::LinearPass;
use crate::view::scene::Counted;
use histoscope_core::histogram::{LightTable, Transfer};

/// What was counted, and where it lies. It is made where it is wanted, and dropped where it is not any more.
#[derive(Debug)]
pub struct LinearCount {
    pass: LinearPass,
    table: Option<(u32, LightTable)>,
    counted: Option<LinearKey>,
}

/// What tells counted pictures apart: the loading, the choice of what is adjusted, and which picture is shown filled.
type LinearKey = (u64, u64, Counted);

impl LinearCount {
    pub fn new(gpu: &Gpu) -> Self {
        Self { pass: LinearPass::new(gpu), table: None, counted: None }
    }

    /// The bins, behind three empty channels.
    pub const fn bins(&self) -> &wgpu::Buffer {
        &self.pass.bins
    }

    /// Records the counting of what is shown filled, unless that is done; whether there was anything to record. Whoever counted the
    /// other bins counts these.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, content: &LoadedContent) -> bool {
        let Some(loaded) = &content.loaded else { return false };
        let key = (loaded.loading, content.revision, content.counted());
        if self.counted == Some(key) {
            return false;
        }
        self.counted = Some(key);
        let table = table(&mut self.table, loaded.transfer, loaded.bits);
        match (content.known(), content.bound()) {
            (None, Some((group, layout, rect, _))) => self.pass.record(gpu, encoder, (group, layout, rect), table),
            _ => {
                let mut bins = vec![0; table.light().len()];
                for part in content.known_parts().iter().flatten() {
                    let counted = cpu::count_linear(part, table);
                    bins.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
                }
                self.pass.take(gpu, &bins);
            }
        }
        true
    }
}

/// The light of these codes, worked out anew where it is that of others.
fn table(kept: &mut Option<(u32, LightTable)>, transfer: Transfer, bits: u32) -> &LightTable {
    let is = |(of, table): &(u32, LightTable)| *of == bits && table.transfer() == transfer;
    let table = kept.take().filter(is).unwrap_or_else(|| (bits, LightTable::new(transfer, bits)));
    &kept.insert(table).1
}
