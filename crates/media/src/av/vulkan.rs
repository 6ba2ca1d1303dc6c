//! Copies of Vulkan Video's surfaces. FFmpeg has a device of its own. Pages of the program, or the memory of the
//! graphics device that counts and draws, become buffers of FFmpeg's device, and queues of it copy surfaces into them.
//!
//! FFmpeg orders all work on a surface by a timeline semaphore for each image: a copy waits for its present value and
//! signals the next.
#![cfg_attr(not(unix), allow(dead_code, reason = "devices share memory through file descriptors alone"))]

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use ash::vk::{self, Handle as _};
use ash::{ext::external_memory_host, khr::external_memory_fd};
use ffmpeg_next::ffi;

use super::AvError;
use super::copies::{CopyDevice, CopyInFlight, CopyTarget, Pending, PlaneCopy};
use super::in_use::DriverUse;
use histoscope_core::picture::{Attachment, SharedBlock};

const FAILED: AvError = AvError(ffi::AVERROR_EXTERNAL);
const PAGES: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
const SHARED: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
/// A copy waits for the picture to be decoded. One that takes longer will never end.
const LIMIT: Duration = Duration::from_secs(10);
/// The usage of the buffers: surfaces are copied to them, and the CPU reads shared memory through another.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFER_DST.as_raw() | vk::BufferUsageFlags::TRANSFER_SRC.as_raw(),
);

/// FFmpeg's Vulkan device, with queues for copies.
pub(super) struct CopyQueues {
    device: ash::Device,
    /// FFmpeg's device, which locks the queues.
    locks: NonNull<ffi::AVHWDeviceContext>,
    /// For copies to the program's memory: the card's copy engines reach it while its processors do something else.
    to_host: Queue,
    /// For copies within the card, which its processors make faster.
    within: Queue,
    host: external_memory_host::Device,
    /// Bit mask of the memory types that need no flushing.
    coherent: u32,
    /// `true` if the device can open another's memory.
    opens: bool,
    uuid: [u8; 16],
    driver: String,
    /// Set once a copy has not ended: whatever it uses is neither used again nor freed.
    is_stuck: AtomicBool,
}

/// A queue with command buffers for it.
struct Queue {
    raw: vk::Queue,
    family: u32,
    index: u32,
    /// Command buffers that no copy uses.
    idle: Mutex<Vec<Recording>>,
}

// SAFETY: Vulkan's devices may be used by any thread. The queue is locked for each use, and every command buffer has a
// pool of its own and belongs to one copy at a time.
unsafe impl Send for CopyQueues {}
// SAFETY: as above.
unsafe impl Sync for CopyQueues {}

impl fmt::Debug for CopyQueues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyQueues").field("driver", &self.driver).finish_non_exhaustive()
    }
}

impl Queue {
    /// Takes an idle command buffer, or creates one.
    fn take(&self, device: &ash::Device) -> Result<Recording, vk::Result> {
        if let Some(recording) = self.lock().pop() {
            return Ok(recording);
        }
        let flags = vk::CommandPoolCreateFlags::TRANSIENT;
        let info = vk::CommandPoolCreateInfo::default().flags(flags).queue_family_index(self.family);
        // SAFETY: the device is open; the pool is new, and freed if the rest fails.
        unsafe {
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info);
            let done = device.create_fence(&vk::FenceCreateInfo::default(), None);
            match (commands, done) {
                (Ok(commands), Ok(done)) => Ok(Recording { pool, commands: commands[0], done }),
                (commands, done) => {
                    device.destroy_command_pool(pool, None);
                    device.destroy_fence(done.unwrap_or_default(), None);
                    Err(commands.err().or(done.err()).unwrap_or(vk::Result::ERROR_UNKNOWN))
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Recording>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command buffer with its pool, and a fence for its end.
#[derive(Debug, Clone, Copy)]
struct Recording {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
}

impl CopyQueues {
    /// Chooses queues of FFmpeg's device, and makes its decoders start on idle queues. Returns `None` if there is no
    /// queue for copies, or the device cannot import the program's memory.
    ///
    /// # Safety
    /// The device must be one of Vulkan, and must never be closed.
    pub(super) unsafe fn new(context: *mut ffi::AVHWDeviceContext) -> Option<Self> {
        // SAFETY: guaranteed by the caller: FFmpeg's context holds the handles of an open instance and device, the
        // function that loaded theirs, and the names of the enabled extensions. Vulkan is at least version 1.3, as
        // FFmpeg demands.
        unsafe {
            let own = (*context).hwctx.cast::<ffi::AVVulkanDeviceContext>();
            let load = std::mem::transmute::<ffi::PFN_vkGetInstanceProcAddr, Option<vk::PFN_vkGetInstanceProcAddr>>(
                (*own).get_proc_addr,
            )?;
            let functions = ash::StaticFn { get_instance_proc_addr: load };
            let instance = ash::Instance::load(&functions, vk::Instance::from_raw((*own).inst.addr() as u64));
            let device = vk::Device::from_raw((*own).act_dev.addr() as u64);
            let device = ash::Device::load(instance.fp_v1_0(), device);
            let physical = vk::PhysicalDevice::from_raw((*own).phys_dev.addr() as u64);
            let enabled = |name: &CStr| {
                let count = usize::try_from((*own).nb_enabled_dev_extensions).unwrap_or(0);
                (0..count).any(|index| CStr::from_ptr(*(*own).enabled_dev_extensions.add(index)) == name)
            };
            let (imports_pages, opens) = (enabled(external_memory_host::NAME), enabled(external_memory_fd::NAME));
            let families = instance.get_physical_device_queue_family_properties(physical);
            let created = queues_of(&*own);
            settle_decoders(&mut *own, &device, &created, &families);
            if !imports_pages {
                log::debug!("FFmpeg's Vulkan device cannot import the program's memory");
                return None;
            }
            let mut ids = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
            instance.get_physical_device_properties2(physical, &mut properties);
            let vk::PhysicalDeviceProperties { driver_version, device_name, .. } = properties.properties;
            let name = CStr::from_ptr(device_name.as_ptr()).to_string_lossy().into_owned();
            let types = instance.get_physical_device_memory_properties(physical);
            let coherent = types.memory_types_as_slice().iter().zip(0..).filter_map(|(kind, index)| {
                kind.property_flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT).then_some(1 << index)
            });
            let queue = |computes| {
                let (family, index) = choose_family(&created, &families, computes)?;
                let raw = device.get_device_queue(family, index);
                Some(Queue { raw, family, index, idle: Mutex::default() })
            };
            Some(Self {
                to_host: queue(false)?,
                within: queue(true).or_else(|| queue(false))?,
                host: external_memory_host::Device::new(&instance, &device),
                device,
                locks: NonNull::new(context)?,
                coherent: coherent.sum(),
                opens,
                uuid: ids.device_uuid,
                driver: format!("{name}, driver {driver_version}"),
                is_stuck: AtomicBool::new(false),
            })
        }
    }

    /// Records commands and puts them on the queue, which waits for these semaphores' values and signals the next ones.
    ///
    /// # Safety
    /// All that the commands use must live until the result has ended, and the values must be the semaphores' present
    /// ones.
    unsafe fn submit(
        &'static self,
        queue: &'static Queue,
        semaphores: (&[vk::Semaphore], &[u64]),
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<RecordedCopy, vk::Result> {
        if self.is_stuck.load(Ordering::Relaxed) {
            return Err(vk::Result::TIMEOUT);
        }
        let recording = queue.take(&self.device)?;
        let Recording { pool, commands, done } = recording;
        let (semaphores, present) = semaphores;
        let next: Vec<_> = present.iter().map(|value| value + 1).collect();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; semaphores.len()];
        let buffers = [commands];
        let mut values =
            vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(present).signal_semaphore_values(&next);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&buffers)
            .signal_semaphores(semaphores)
            .push_next(&mut values);
        // SAFETY: the command buffer, its pool and its fence belong to this call alone, and no commands of theirs are
        // running. FFmpeg's functions take its own device and a queue of it.
        let submitted = unsafe {
            let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            let recorded = self
                .device
                .reset_command_pool(pool, vk::CommandPoolResetFlags::empty())
                .and_then(|()| self.device.reset_fences(&[done]))
                .and_then(|()| self.device.begin_command_buffer(commands, &begin))
                .map(|()| record(&self.device, commands))
                .and_then(|()| self.device.end_command_buffer(commands));
            let own = (*self.locks.as_ptr()).hwctx.cast::<ffi::AVVulkanDeviceContext>();
            recorded.and_then(|()| {
                if let Some(lock) = (*own).lock_queue {
                    lock(self.locks.as_ptr(), queue.family, queue.index);
                }
                let submitted = self.device.queue_submit(queue.raw, &[info], done);
                if let Some(unlock) = (*own).unlock_queue {
                    unlock(self.locks.as_ptr(), queue.family, queue.index);
                }
                submitted
            })
        };
        if let Err(error) = submitted {
            queue.lock().push(recording);
            return Err(error);
        }
        Ok(RecordedCopy { owner: self, queue, recording })
    }

    /// Makes a buffer of imported memory. `import` is one of the structures that can be chained to an allocation. Calls
    /// `accepted` once the handle in it belongs to the driver.
    fn import<I: vk::ExtendsMemoryAllocateInfo>(
        &'static self,
        (length, types): (u64, u32),
        handle: vk::ExternalMemoryHandleTypeFlags,
        import: &mut I,
        accepted: impl FnOnce(),
    ) -> Result<Imported, vk::Result> {
        let in_use = DriverUse::new().ok_or(vk::Result::ERROR_UNKNOWN)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle);
        let info = vk::BufferCreateInfo::default().size(length).usage(USAGE).push_next(&mut external);
        // SAFETY: the device is open, and all arguments outlive their calls. What was created is freed with the result.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let memory = vk::DeviceMemory::null();
            let mut imported = Imported { owner: self, buffer, memory, attachment: None, _in_use: in_use };
            let needed = self.device.get_buffer_memory_requirements(buffer);
            let types = types & needed.memory_type_bits;
            if types == 0 || needed.size > length {
                return Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
            }
            let info = vk::MemoryAllocateInfo::default().allocation_size(length);
            let info = info.memory_type_index(types.trailing_zeros()).push_next(import);
            imported.memory = self.device.allocate_memory(&info, None)?;
            accepted();
            self.device.bind_buffer_memory(buffer, imported.memory, 0)?;
            Ok(imported)
        }
    }

    /// Makes a buffer of pages of the program, given by their start and length in bytes, which must outlive it.
    fn import_pages(&'static self, (start, length): (*mut u8, usize)) -> Result<Imported, vk::Result> {
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        let (get, device) = (self.host.fp().get_memory_host_pointer_properties_ext, self.device.handle());
        // SAFETY: the function belongs to this device, and fills the structure.
        unsafe { get(device, PAGES, start.cast(), &raw mut properties) }.result()?;
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(PAGES).host_pointer(start.cast());
        self.import((length as u64, properties.memory_type_bits & self.coherent), PAGES, &mut import, || ())
    }
}

/// Returns the families and numbers of the queues that FFmpeg created.
#[cfg(not(ffmpeg_before_7_1))]
fn queues_of(context: &ffi::AVVulkanDeviceContext) -> Vec<(c_int, c_int)> {
    let count = usize::try_from(context.nb_qf).unwrap_or(0);
    context.qf.iter().take(count).map(|family| (family.idx, family.num)).collect()
}

/// Returns the families and numbers of the queues that FFmpeg created.
#[cfg(ffmpeg_before_7_1)]
fn queues_of(context: &ffi::AVVulkanDeviceContext) -> Vec<(c_int, c_int)> {
    vec![
        (context.queue_family_tx_index, context.nb_tx_queues),
        (context.queue_family_comp_index, context.nb_comp_queues),
        (context.queue_family_index, context.nb_graphics_queues),
        (context.queue_family_decode_index, context.nb_decode_queues),
    ]
}

/// Chooses a queue that copies pictures of any size and does as little else as possible: a queue that computes, or else
/// any. Returns its family and its index in it, the last one, since FFmpeg takes the first ones first.
fn choose_family(
    created: &[(c_int, c_int)],
    families: &[vk::QueueFamilyProperties],
    computes: bool,
) -> Option<(u32, u32)> {
    use vk::QueueFlags as Flags;
    let needed = if computes { Flags::COMPUTE } else { Flags::TRANSFER | Flags::COMPUTE | Flags::GRAPHICS };
    let usable = created.iter().filter_map(|&(family, count)| {
        let (family, count) = (u32::try_from(family).ok()?, u32::try_from(count).ok()?);
        let properties = families.get(family as usize)?;
        let (flags, step) = (properties.queue_flags, properties.min_image_transfer_granularity);
        let is_video = flags.intersects(Flags::VIDEO_DECODE_KHR | Flags::VIDEO_ENCODE_KHR);
        let is_exact = (step.width, step.height, step.depth) == (1, 1, 1);
        (flags.intersects(needed) && !is_video && is_exact && count > 0).then(|| (family, count - 1, flags))
    });
    let others = |flags: Flags| (flags & (Flags::GRAPHICS | Flags::COMPUTE)).as_raw().count_ones();
    usable.min_by_key(|(.., flags)| others(*flags)).map(|(family, index, _)| (family, index))
}

thread_local! {
    /// `true` while this thread calls a decoder that has output no frame since it was opened or flushed.
    static IS_FRESH: Cell<bool> = const { Cell::new(false) };
}

/// States whether the decoder that this thread calls next has output a frame since it was opened or flushed.
pub(super) fn set_fresh(is_fresh: bool) {
    IS_FRESH.set(is_fresh);
}

/// FFmpeg's functions to lock a queue, and the queues that decode.
struct QueueLocks {
    lock: LockQueue,
    unlock: LockQueue,
    device: ash::Device,
    decoding: Vec<(u32, Vec<vk::Queue>)>,
}

type LockQueue = unsafe extern "C" fn(*mut ffi::AVHWDeviceContext, u32, u32);

/// The locks of the only device of Vulkan.
static LOCKS: OnceLock<QueueLocks> = OnceLock::new();

/// Makes decoders start on idle queues. FFmpeg 7.1 and older put the command that resets a new or flushed decoder on
/// one queue and its first picture on the next, and nothing orders the two: while other decoders kept the card busy, a
/// first picture was decoded wrongly, and all that refer to it.
///
/// # Safety
/// The context must be that of an open device that is never closed, and no decoder may use it yet.
unsafe fn settle_decoders(
    context: &mut ffi::AVVulkanDeviceContext,
    device: &ash::Device,
    created: &[(c_int, c_int)],
    families: &[vk::QueueFamilyProperties],
) {
    let (Some(lock), Some(unlock)) = (context.lock_queue, context.unlock_queue) else { return };
    let decodes = |family: u32| {
        let properties = families.get(family as usize);
        properties.is_some_and(|family| family.queue_flags.contains(vk::QueueFlags::VIDEO_DECODE_KHR))
    };
    let created = created.iter().filter_map(|&(family, count)| Some((family.try_into().ok()?, count.try_into().ok()?)));
    let queues = |(family, count): (u32, u32)| {
        // SAFETY: FFmpeg created the device with these queues.
        let queue = |index| unsafe { device.get_device_queue(family, index) };
        (family, (0..count).map(queue).collect())
    };
    let decoding = created.filter(|(family, _)| decodes(*family)).map(queues).collect();
    if LOCKS.set(QueueLocks { lock, unlock, device: device.clone(), decoding }).is_ok() {
        context.lock_queue = Some(lock_settled);
    }
}

/// Locks a queue for FFmpeg, after all work of decoders has ended if this thread's decoder is fresh.
unsafe extern "C" fn lock_settled(context: *mut ffi::AVHWDeviceContext, family: u32, index: u32) {
    let Some(locks) = LOCKS.get() else { return };
    let decoding = locks.decoding.iter().find(|(decoding, _)| *decoding == family);
    let settling = decoding.filter(|_| IS_FRESH.get()).map_or(&[][..], |(_, queues)| queues);
    // SAFETY: FFmpeg passes its device and a queue of it; the functions are its own for these. Each queue is locked
    // while it is waited for.
    unsafe {
        for (queue, index) in settling.iter().zip(0..) {
            (locks.lock)(context, family, index);
            let _ = locks.device.queue_wait_idle(*queue);
            (locks.unlock)(context, family, index);
        }
        (locks.lock)(context, family, index);
    }
}

impl CopyDevice for CopyQueues {
    fn driver(&self) -> Option<String> {
        Some(self.driver.clone())
    }

    /// Returns `None`: Vulkan's queues are not the decoders of the hardware.
    fn engines(&self) -> Option<usize> {
        None
    }

    #[cfg(unix)]
    fn open(&'static self, block: SharedBlock) -> Option<Arc<dyn CopyTarget>> {
        use std::os::fd::{AsRawFd as _, IntoRawFd as _};
        if block.device != self.uuid || !self.opens {
            log::debug!("the decoder and the graphics device are different devices, or share no memory");
            return None;
        }
        let SharedBlock { handle, bytes, memory_type, memory, .. } = block;
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(SHARED).fd(handle.as_raw_fd());
        let accepted = || {
            let _ = handle.into_raw_fd();
        };
        let imported = self.import((bytes, 1 << memory_type), SHARED, &mut import, accepted);
        let refused =
            |error: &vk::Result| log::debug!("the decoder cannot open the graphics device's memory ({error})");
        let mut imported = imported.inspect_err(refused).ok()?;
        imported.attachment = Some(memory);
        Some(Arc::new(imported))
    }

    /// Returns `None`: no driver shares memory here.
    #[cfg(not(unix))]
    fn open(&'static self, block: SharedBlock) -> Option<Arc<dyn CopyTarget>> {
        match block.handle {}
    }

    fn pin(&'static self, pages: (*mut u8, usize)) -> Option<Arc<dyn CopyTarget>> {
        let imported = self.import_pages(pages);
        let refused = |error: &vk::Result| log::debug!("the driver does not import {} bytes ({error})", pages.1);
        Some(Arc::new(imported.inspect_err(refused).ok()?))
    }
}

/// A copy that has been put on the queue.
struct RecordedCopy {
    owner: &'static CopyQueues,
    queue: &'static Queue,
    recording: Recording,
}

impl fmt::Debug for RecordedCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedCopy").field("recording", &self.recording).finish_non_exhaustive()
    }
}

impl Pending for RecordedCopy {
    fn wait(&self) -> Result<(), AvError> {
        let (device, limit) = (&self.owner.device, LIMIT.as_nanos() as u64);
        // SAFETY: the fence was submitted with the copy.
        unsafe { device.wait_for_fences(&[self.recording.done], true, limit) }.map_err(|error| {
            log::debug!("a copy from the decoder failed ({error})");
            self.owner.is_stuck.store(true, Ordering::Relaxed);
            FAILED
        })
    }
}

impl Drop for RecordedCopy {
    fn drop(&mut self) {
        // Both ways to end a copy wait for it, so nothing uses the command buffer any more, unless the device is stuck.
        if !self.owner.is_stuck.load(Ordering::Relaxed) {
            self.queue.lock().push(self.recording);
        }
    }
}

/// A buffer of imported memory.
struct Imported {
    owner: &'static CopyQueues,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// The memory as the graphics device knows it, if it is one's.
    attachment: Option<Attachment>,
    _in_use: DriverUse,
}

impl fmt::Debug for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}

impl Imported {
    /// Returns the queue that copies to the memory.
    const fn queue(&self) -> &'static Queue {
        if self.attachment.is_some() { &self.owner.within } else { &self.owner.to_host }
    }

    /// Returns the barrier after which the memory's owner may read.
    fn release(&self) -> (vk::PipelineStageFlags, vk::BufferMemoryBarrier<'static>) {
        let barrier = vk::BufferMemoryBarrier::default()
            .buffer(self.buffer)
            .size(vk::WHOLE_SIZE)
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE);
        let (from, to, access, stage) = if self.attachment.is_some() {
            let (from, to) = (self.queue().family, vk::QUEUE_FAMILY_EXTERNAL);
            (from, to, vk::AccessFlags::empty(), vk::PipelineStageFlags::BOTTOM_OF_PIPE)
        } else {
            let same = vk::QUEUE_FAMILY_IGNORED;
            (same, same, vk::AccessFlags::HOST_READ, vk::PipelineStageFlags::HOST)
        };
        (stage, barrier.src_queue_family_index(from).dst_queue_family_index(to).dst_access_mask(access))
    }
}

impl CopyTarget for Imported {
    unsafe fn start(&self, surface: *const ffi::AVFrame, planes: &[PlaneCopy]) -> Result<CopyInFlight, AvError> {
        // SAFETY: guaranteed by the caller: the surface is a frame of Vulkan, whose structures FFmpeg keeps valid while
        // it lives. They are changed only while FFmpeg's lock is held, and the lock is not held while anything waits.
        unsafe {
            let frames = (*(*surface).hw_frames_ctx).data.cast::<ffi::AVHWFramesContext>();
            let own = (*frames).hwctx.cast::<ffi::AVVulkanFramesContext>();
            let picture = (*surface).data[0].cast::<ffi::AVVkFrame>();
            if let Some(lock) = (*own).lock_frame {
                lock(frames, picture);
            }
            let copied = self.start_locked(&mut *picture, planes);
            if let Some(unlock) = (*own).unlock_frame {
                unlock(frames, picture);
            }
            copied.map(CopyInFlight::new).map_err(|error| {
                log::debug!("a copy from the decoder cannot start ({error})");
                FAILED
            })
        }
    }

    fn attachment(&self) -> Option<Attachment> {
        self.attachment.clone()
    }

    unsafe fn read(&self, target: *mut u8, bytes: usize) -> bool {
        let read = self.owner.import_pages((target, bytes)).and_then(|pages| {
            let region = vk::BufferCopy::default().size(bytes as u64);
            let (stage, barrier) = pages.release();
            let record = |device: &ash::Device, commands: vk::CommandBuffer| {
                // SAFETY: both buffers are at least that long, and live until the copy has ended, as guaranteed by the
                // caller.
                unsafe {
                    device.cmd_copy_buffer(commands, self.buffer, pages.buffer, &[region]);
                    let (from, flags) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
                    device.cmd_pipeline_barrier(commands, from, stage, flags, &[], &[barrier], &[]);
                }
            };
            // SAFETY: the copy is finished before the pages are dropped.
            let copy = unsafe { self.owner.submit(pages.queue(), (&[], &[]), record) }?;
            CopyInFlight::new(copy).finish().map_err(|_| vk::Result::ERROR_DEVICE_LOST)
        });
        read.inspect_err(|error| log::debug!("a picture was not read back ({error})")).is_ok()
    }
}

impl Imported {
    /// Starts copying the planes of a surface whose lock is held.
    ///
    /// # Safety
    /// As [`CopyTarget::start`].
    unsafe fn start_locked(
        &self,
        picture: &mut ffi::AVVkFrame,
        planes: &[PlaneCopy],
    ) -> Result<RecordedCopy, vk::Result> {
        const ASPECTS: [vk::ImageAspectFlags; 3] =
            [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1, vk::ImageAspectFlags::PLANE_2];
        let images = picture.img.iter().take_while(|image| **image != 0).count();
        if images == 0 || (images > 1 && images < planes.len()) || planes.len() > ASPECTS.len() {
            return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        }
        let layers = |aspect| vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
        let barriers: Vec<_> = (0..images)
            .map(|index| {
                // An image that all families share belongs to none.
                let from = picture.queue_family[index];
                let to = if from == vk::QUEUE_FAMILY_IGNORED { from } else { self.queue().family };
                vk::ImageMemoryBarrier::default()
                    .image(vk::Image::from_raw(picture.img[index]))
                    .old_layout(vk::ImageLayout::from_raw(picture.layout[index]))
                    .new_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
                    .dst_access_mask(vk::AccessFlags::TRANSFER_READ)
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to)
                    .subresource_range(layers(vk::ImageAspectFlags::COLOR))
            })
            .collect();
        let whole = planes.len() == 1 || images > 1;
        let record = |device: &ash::Device, commands: vk::CommandBuffer| {
            use vk::PipelineStageFlags as Stage;
            let none = vk::DependencyFlags::empty();
            // SAFETY: guaranteed by the caller; the semaphores keep others off the images until the copy has ended.
            unsafe {
                device.cmd_pipeline_barrier(commands, Stage::ALL_COMMANDS, Stage::TRANSFER, none, &[], &[], &barriers);
                for (index, plane) in planes.iter().enumerate() {
                    let aspect = if whole { vk::ImageAspectFlags::COLOR } else { ASPECTS[index] };
                    let image = vk::Image::from_raw(picture.img[if images > 1 { index } else { 0 }]);
                    let texels = |bytes: usize| (bytes / plane.texel_bytes) as u32;
                    let region = vk::BufferImageCopy::default()
                        .buffer_offset(plane.offset as u64)
                        .buffer_row_length(texels(plane.stride))
                        .image_subresource(vk::ImageSubresourceLayers::default().aspect_mask(aspect).layer_count(1))
                        .image_extent(vk::Extent3D {
                            width: texels(plane.row_bytes),
                            height: plane.rows as u32,
                            depth: 1,
                        });
                    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                    device.cmd_copy_image_to_buffer(commands, image, layout, self.buffer, &[region]);
                }
                let (stage, barrier) = self.release();
                device.cmd_pipeline_barrier(commands, Stage::TRANSFER, stage, none, &[], &[barrier], &[]);
            }
        };
        let semaphores: Vec<_> = picture.sem[..images].iter().map(|raw| vk::Semaphore::from_raw(*raw)).collect();
        // SAFETY: guaranteed by the caller; the values are the present ones while the lock is held.
        let copy = unsafe { self.owner.submit(self.queue(), (&semaphores, &picture.sem_value[..images]), record) }?;
        for (index, barrier) in barriers.iter().enumerate() {
            picture.sem_value[index] += 1;
            picture.layout[index] = barrier.new_layout.as_raw() as _;
            picture.access[index] = barrier.dst_access_mask.as_raw() as _;
            picture.queue_family[index] = barrier.dst_queue_family_index;
        }
        Ok(copy)
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        if self.owner.is_stuck.load(Ordering::Relaxed) {
            return;
        }
        // SAFETY: both belong to this value alone, and no copy is running: blocks in use are not dropped. Null is
        // ignored.
        unsafe {
            self.owner.device.destroy_buffer(self.buffer, None);
            self.owner.device.free_memory(self.memory, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use histoscope_render::gpu::{AdapterChoice, Gpu};

    use super::super::AvFrame;
    use super::super::PixelFormat;
    use super::super::memory::{DeviceMemory, FramePool, row_bytes};
    use super::*;
    use crate::av::hardware::{Download, HardwareDevice, HardwareKind};

    /// Returns a surface of FFmpeg's device with these planes.
    fn surface(device: &HardwareDevice, planes: &AvFrame) -> AvFrame {
        let (surface, from) = (AvFrame::new(), planes.as_ptr());
        // SAFETY: all frames and contexts are valid, and the functions check the rest. The surface keeps a reference to
        // its frames context.
        unsafe {
            let mut frames = ffi::av_hwframe_ctx_alloc(device.context());
            let context = (*frames).data.cast::<ffi::AVHWFramesContext>();
            (*context).format = ffi::AVPixelFormat::AV_PIX_FMT_VULKAN;
            (&raw mut (*context).sw_format).cast::<c_int>().write((*from).format);
            // Decoders' surfaces are larger than their pictures.
            ((*context).width, (*context).height) = (rounded(planes.size().0), rounded(planes.size().1));
            assert_eq!(ffi::av_hwframe_ctx_init(frames), 0);
            assert_eq!(ffi::av_hwframe_get_buffer(frames, surface.as_ptr(), 0), 0);
            ((*surface.as_ptr()).width, (*surface.as_ptr()).height) = ((*from).width, (*from).height);
            assert_eq!(ffi::av_hwframe_transfer_data(surface.as_ptr(), from, 0), 0);
            ffi::av_buffer_unref(&raw mut frames);
        }
        surface
    }

    fn rounded(side: u32) -> c_int {
        side.next_multiple_of(16).cast_signed()
    }

    /// Returns the rows of all planes, without padding.
    fn rows(frame: &AvFrame, format: PixelFormat) -> Vec<Vec<u8>> {
        let (width, height) = frame.size();
        let lengths = row_bytes(format, width.cast_signed()).expect("a known format");
        let plane = |plane: usize| {
            let line = frame.line_size(plane) as usize;
            let bytes = frame.plane(plane, line * height.div_ceil(if plane == 0 { 1 } else { 2 }) as usize);
            let rows = bytes.expect("the plane").chunks(line).map(|row| row[..lengths[plane]].to_vec());
            rows.collect::<Vec<_>>()
        };
        [plane(0), plane(1)].concat()
    }

    #[test]
    fn surfaces_arrive_in_pages_and_in_memory_of_the_graphics_device() {
        let device = HardwareDevice::shared(HardwareKind::Vulkan).expect("a device, if only a software one");
        let shared = DeviceMemory::default();
        shared.set(Arc::new(Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one")));
        for (name, size) in [(c"nv12", (98, 50)), (c"nv12", (33, 17)), (c"p010le", (1280, 720))] {
            let format = PixelFormat::by_name(name).expect("a format of FFmpeg's");
            let mut picture = AvFrame::to_fill(format, size).expect("memory");
            for (plane, bytes) in row_bytes(format, size.0.cast_signed()).expect("sizes")[..2].iter().enumerate() {
                let rows = size.1.div_ceil(if plane == 0 { 1 } else { 2 }) as usize;
                let noise: Vec<_> = (0..bytes * rows).map(|i| ((i * 2_654_435_761) >> 13) as u8).collect();
                picture.fill_rows(plane, (0, 0), (&noise, *bytes)).expect("room");
            }
            let expected = rows(&picture, format);
            for memory in [None, Some(&shared)] {
                let pool = FramePool::new(false);
                let download =
                    Download::start(device, surface(device, &picture), format, &pool, memory).expect("a copy");
                let frame = download.finish().expect("a frame");
                let is_shared = memory.is_some() && cfg!(unix);
                assert_eq!(frame.resident().is_some(), is_shared, "{name:?} {size:?}");
                assert!(rows(&frame, format) == expected, "{name:?} {size:?} {memory:?}");
                assert!(!shared.take_failure());
            }
        }
    }

    #[test]
    fn a_queue_that_only_copies_is_preferred_and_decoders_queues_are_left_alone() {
        use vk::QueueFlags as Flags;
        let family = |queue_flags, side| vk::QueueFamilyProperties {
            queue_flags,
            queue_count: 16,
            min_image_transfer_granularity: vk::Extent3D { width: side, height: side, depth: 1 },
            ..Default::default()
        };
        let all = Flags::GRAPHICS | Flags::COMPUTE | Flags::TRANSFER;
        let computing = Flags::COMPUTE | Flags::TRANSFER;
        let decoding = Flags::VIDEO_DECODE_KHR | Flags::TRANSFER;
        let mut families = [family(all, 1), family(computing, 1), family(Flags::TRANSFER, 1), family(decoding, 1)];
        let created = [(0, 1), (1, 4), (2, 2), (3, 1)];
        assert_eq!(choose_family(&created, &families, false), Some((2, 1)));
        assert_eq!(
            choose_family(&[(0, 1), (1, 4), (2, 0), (-1, 1)], &families, false),
            Some((1, 3)),
            "one without queues"
        );
        assert_eq!(choose_family(&created, &families, true), Some((1, 3)));
        families[2] = family(Flags::TRANSFER, 16);
        assert_eq!(choose_family(&created, &families, false), Some((1, 3)), "one that copies blocks of 16 pixels");
        assert_eq!(choose_family(&[(3, 1)], &families, false), None);
    }
}
