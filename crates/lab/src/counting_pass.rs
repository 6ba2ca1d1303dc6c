//! The tutorials' counting methods on the GPU, as simple as in the tutorials, on 8-bit RGBA images.

use super::method::{ChannelSet, Method};
use super::own::OwnShader;
use super::setup::Setup;
use histoscope_render::gpu::params::PairingParams;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{Dispatch, rows_of_workgroups, uniform};
use histoscope_render::gpu::shaders::{self, Shader, Text, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// Maximum number of invocations in a workgroup that sums chunks.
const SUM_INVOCATIONS: u32 = 256;

/// One pass of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The purpose of the pass: `count`, `chunks` or `sum`, or one of our own passes.
    pub name: &'static str,
    /// The files in shaders/ that the shader is assembled from. The last one belongs to this pass; the others are
    /// shared.
    pub texts: &'static [Text],
    /// The constants set in the shader, by name. If they differ between dispatches, these are the first one's.
    pub constants: Vec<(&'static str, u32)>,
    /// Invocations of a workgroup, across and down.
    pub workgroup: (u32, u32),
    /// Workgroups of the first dispatch, across and down.
    pub workgroups: (u32, u32),
    /// The number of dispatches, which run one after the other.
    pub dispatches: u32,
}

impl Step {
    pub(super) fn new(
        name: &'static str,
        shader: &'static Shader,
        constants: Vec<(&'static str, u32)>,
        workgroup: (u32, u32),
        workgroups: (u32, u32),
    ) -> Self {
        Self { name, texts: shader.texts, constants, workgroup, workgroups, dispatches: 1 }
    }
}

/// A method that is ready to run on the images it was made for.
#[derive(Debug)]
pub struct CountingPass {
    setup: Setup,
    /// The bins, or the chunks. In the end the first chunk holds the bins.
    bins: wgpu::Buffer,
    /// `true` if the shader adds to the buffer, which must then start with zeros.
    adds: bool,
    /// One pipeline for each group of channels counted together.
    count: Vec<wgpu::ComputePipeline>,
    /// For a shader of the user's own: the word that is not 0 if a loop was stopped, and its bind group.
    stopped: Option<(wgpu::Buffer, wgpu::BindGroup)>,
    count_workgroups: (u32, u32),
    /// One bind group per image.
    count_groups: Vec<wgpu::BindGroup>,
    sums: Vec<Dispatch>,
    steps: Vec<Step>,
    /// What is odd about a shader of the user's own.
    note: Option<String>,
}

impl CountingPass {
    /// Makes the pipelines and buffers of a method for images of this size. A shader of the user's own, if given, counts
    /// in place of the method's.
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot run it. The method must be one that [reads
    /// images](Method::reads_texture).
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        setup: Setup,
        size: (u32, u32),
        images: &[wgpu::TextureView],
        own: Option<&OwnShader>,
    ) -> Result<Result<Self, String>, GpuError> {
        if let Err(why) = setup.check(gpu) {
            return Ok(Err(why));
        }
        let Setup { method, shape, .. } = setup;
        let across = shape.chunks_of(size);
        let workgroups = if method == Method::Single { (1, 1) } else { across };
        let most = gpu.device.limits().max_compute_workgroups_per_dimension;
        if workgroups.0.max(workgroups.1) > most {
            return Ok(Err(format!(
                "too many workgroups of {}x{}: the adapter runs at most {most} per side",
                shape.chunk().0,
                shape.chunk().1
            )));
        }
        let bytes = setup.bin_bytes(size);
        let bins = match storage(gpu, "tutorial's bins", bytes) {
            Ok(bins) => bins,
            Err(why) if method.keeps_chunks() => {
                let chunks = u64::from(across.0) * u64::from(across.1);
                return Ok(Err(format!("the {chunks} chunks take {}: {why}", megabytes(bytes))));
            }
            Err(why) => return Ok(Err(why)),
        };
        let shader = method.shader().unwrap_or(&shaders::ATOMICS);
        let runs = count_constants(gpu, setup);
        let mut workgroup = if method == Method::Single { (1, 1) } else { shape.chunk() };
        let mut note = None;
        let (count, stopped) = match own {
            None => {
                let module = shader.module(&gpu.device);
                let pipeline = |run: &Vec<_>| module.compute(&gpu.device, "count", &overrides(run));
                (runs.iter().map(pipeline).collect(), None)
            }
            Some(own) => match own.pipelines(gpu, &runs, setup.most_turns())? {
                Ok(pipelines) => {
                    let (now, dispatched) = (pipelines.workgroup, workgroup);
                    if now.0 * now.1 < dispatched.0 * dispatched.1 || method != Method::Subgroup && now != dispatched {
                        note = Some(format!(
                            "{} has workgroups of {}×{}, but is dispatched for {}×{}",
                            own.name(),
                            now.0,
                            now.1,
                            dispatched.0,
                            dispatched.1
                        ));
                    }
                    workgroup = now;
                    (pipelines.pipelines, Some((pipelines.stopped, pipelines.group)))
                }
                Err(why) => return Ok(Err(why)),
            },
        };
        let constants = runs.into_iter().next().unwrap_or_default();
        let group = |view| {
            let resources = [wgpu::BindingResource::TextureView(view), bins.as_entire_binding()];
            groups::IMAGE_BINS.bind_resources(&gpu.device, resources)
        };
        let name = if method.keeps_chunks() { "chunks" } else { "count" };
        let mut steps =
            vec![Step { dispatches: count.len() as u32, ..Step::new(name, shader, constants, workgroup, workgroups) }];
        let (sums, sum) = match method {
            Method::Sum => summing(gpu, setup, &bins, across.0 * across.1),
            Method::Pairwise => pairing(gpu, setup, &bins, across.0 * across.1),
            _ => (Vec::new(), None),
        };
        steps.extend(sum);
        let count_groups = images.iter().map(group).collect();
        gpu.check()?;
        let adds = !method.keeps_chunks();
        Ok(Ok(Self {
            setup,
            bins,
            adds,
            count,
            stopped,
            count_workgroups: workgroups,
            count_groups,
            sums,
            steps,
            note,
        }))
    }

    /// Returns the setup of this pass.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.setup
    }

    /// Returns the steps. Each has its own span of timestamps in [`record`](Self::record).
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the buffer that begins with the bins: the channels of bin 0, then the channels of bin 1, and so on.
    #[must_use]
    pub const fn bins(&self) -> &wgpu::Buffer {
        &self.bins
    }

    /// Returns what is odd about a shader of the user's own, if anything is.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns a word that is not 0 if a loop was stopped, for a shader of the user's own.
    #[must_use]
    pub fn stopped(&self) -> Option<&wgpu::Buffer> {
        self.stopped.as_ref().map(|(word, _)| word)
    }

    /// Records the preparation for [`dispatch`](Self::dispatch): clears the bins if the method adds to them.
    pub fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        if self.adds {
            encoder.clear_buffer(&self.bins, 0, None);
        }
        if let Some(stopped) = self.stopped() {
            encoder.clear_buffer(stopped, 0, None);
        }
    }

    /// Dispatches all steps on image number `image` in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, image: usize) {
        self.dispatch_count(pass, image);
        self.sums.iter().for_each(|sum| sum.run(pass, None));
    }

    /// Records all steps on image number `image`. Each has its own compute pass, and its own span if there are spans.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, image: usize, spans: Option<Spans<'_>>) {
        self.clear(encoder);
        compute_pass(encoder, "tutorial's count", spans, |pass| self.dispatch_count(pass, image));
        if !self.sums.is_empty() {
            let spans = spans.map(Spans::next);
            compute_pass(encoder, "tutorial's sum", spans, |pass| self.sums.iter().for_each(|sum| sum.run(pass, None)));
        } else if let Some(spans) = spans.filter(|_| self.steps.len() > 1) {
            // A single chunk needs no sum, but its span must be written: a driver may wait forever for an unwritten
            // one.
            compute_pass(encoder, "no sum", Some(spans.next()), |_| {});
        }
    }

    /// Returns the bins of an image, one vector per channel. Waits for them.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn bins_of(&self, gpu: &Gpu, image: usize) -> Result<Vec<Vec<u32>>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("check") });
        self.record(&mut encoder, image, None);
        gpu.queue.submit([encoder.finish()]);
        let bytes = read_buffer(gpu, &self.bins, self.setup.word_count() as u64 * 4)?;
        Ok(self.setup.by_channel(&bytemuck::pod_collect_to_vec::<u8, u32>(&bytes)))
    }

    fn dispatch_count(&self, pass: &mut wgpu::ComputePass<'_>, image: usize) {
        pass.set_bind_group(0, &self.count_groups[image % self.count_groups.len()], &[]);
        if let Some((_, group)) = &self.stopped {
            pass.set_bind_group(1, group, &[]);
        }
        for pipeline in &self.count {
            pass.set_pipeline(pipeline);
            pass.dispatch_workgroups(self.count_workgroups.0, self.count_workgroups.1, 1);
        }
    }
}

/// Returns the constants of each dispatch that counts.
fn count_constants(gpu: &Gpu, setup: Setup) -> Vec<Vec<(&'static str, u32)>> {
    let Setup { method, channels, shape } = setup;
    let mut constants = vec![("BINS", shape.bins()), ("CHANNELS", channels.count())];
    if method != Method::Single {
        constants.extend([("CHUNK_WIDTH", shape.chunk().0), ("CHUNK_HEIGHT", shape.chunk().1)]);
    }
    if method == Method::Subgroup {
        constants.push(("INVOCATIONS", whole_subgroups(gpu, shape.chunk_pixels())));
    }
    if !method.has_chunks() {
        return vec![constants];
    }
    let together = setup.channels_together(&gpu.device.limits());
    let of_run = |first: u32| {
        let count = together.min(4 - first);
        let mut constants = constants.clone();
        constants.extend([("FIRST", first), ("TOGETHER", count), ("WORDS", shape.bins() * count)]);
        constants
    };
    (4 - channels.count()..4).step_by(together as usize).map(of_run).collect()
}

/// Rounds up to whole subgroups, if a workgroup may have that many invocations.
fn whole_subgroups(gpu: &Gpu, invocations: u32) -> u32 {
    let whole = invocations.next_multiple_of(gpu.info.subgroup_max_size.max(1));
    whole.min(gpu.device.limits().max_compute_invocations_per_workgroup)
}

pub(super) fn overrides<'a>(constants: &[(&'a str, u32)]) -> Vec<(&'a str, f64)> {
    constants.iter().map(|&(name, value)| (name, f64::from(value))).collect()
}

/// Makes a storage buffer of this size, or returns the reason why the adapter cannot.
pub(super) fn storage(gpu: &Gpu, label: &str, bytes: u64) -> Result<wgpu::Buffer, String> {
    let limits = gpu.device.limits();
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if bytes > most {
        return Err(format!("the adapter binds at most {}", megabytes(most)));
    }
    // An adapter may have less memory than it can bind. The other methods may still run.
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    match pollster::block_on(scope.pop()) {
        Some(_) => Err("the adapter does not have that much memory left".into()),
        None => Ok(buffer),
    }
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn sum_constants(setup: Setup, chunks: u32) -> Vec<(&'static str, u32)> {
    let bins = setup.shape.bins();
    vec![("BINS", bins), ("INVOCATIONS", bins.min(SUM_INVOCATIONS)), ("CHUNKS", chunks)]
}

fn sum_pipeline(
    gpu: &Gpu,
    channels: ChannelSet,
    shader: &'static Shader,
    constants: &[(&str, u32)],
) -> wgpu::ComputePipeline {
    shader.module(&gpu.device).compute(&gpu.device, channels.entry_point(), &overrides(constants))
}

fn summing(gpu: &Gpu, setup: Setup, chunks: &wgpu::Buffer, count: u32) -> (Vec<Dispatch>, Option<Step>) {
    let constants = sum_constants(setup, count);
    let pipeline = sum_pipeline(gpu, setup.channels, &shaders::SUM, &constants);
    let group = groups::CHUNK_SUM.bind(&gpu.device, &[chunks]);
    let workgroup = (setup.shape.bins().min(SUM_INVOCATIONS), 1);
    let workgroups = (setup.shape.bins().div_ceil(SUM_INVOCATIONS), 1);
    let step = Step::new("sum", &shaders::SUM, constants, workgroup, workgroups);
    (vec![Dispatch { pipeline, group, workgroups }], Some(step))
}

/// Returns steps of stride 1, 2, 4, … until one chunk is left. Each has its own uniform buffer, since all steps are
/// recorded before the first one runs.
fn pairing(gpu: &Gpu, setup: Setup, chunks: &wgpu::Buffer, count: u32) -> (Vec<Dispatch>, Option<Step>) {
    let constants = sum_constants(setup, count);
    let pipeline = sum_pipeline(gpu, setup.channels, &shaders::PAIRWISE, &constants);
    let strides = std::iter::successors(Some(1_u32), |stride| Some(stride * 2)).take_while(|&stride| stride < count);
    let dispatches: Vec<_> = strides
        .map(|stride| {
            let params = uniform(gpu, "stride", &PairingParams { stride, padding: [0; 3] });
            // The number of pairs whose second chunk exists.
            let pairs = (count - stride).div_ceil(2 * stride);
            Dispatch {
                pipeline: pipeline.clone(),
                group: groups::CHUNK_PAIRS.bind(&gpu.device, &[chunks, &params]),
                workgroups: rows_of_workgroups(pairs),
            }
        })
        .collect();
    let workgroup = (setup.shape.bins().min(SUM_INVOCATIONS), 1);
    let workgroups = dispatches.first().map_or((0, 0), |first| first.workgroups);
    let step = Step::new("sum", &shaders::PAIRWISE, constants, workgroup, workgroups);
    let step = Step { dispatches: dispatches.len() as u32, ..step };
    (dispatches, Some(step))
}
