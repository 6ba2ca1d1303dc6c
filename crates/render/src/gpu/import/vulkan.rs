//! Direct calls to Vulkan, bypassing wgpu.
#![cfg_attr(not(unix), allow(dead_code, reason = "devices share memory through file descriptors alone"))]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ash::{ext::external_memory_host, khr::external_memory_fd, vk};
use wgpu::hal::api::Vulkan;

use histoscope_core::picture::{Memory, Pages, SharedHandle};

/// The extension that lets a device import the program's memory.
const EXTENSION: &std::ffi::CStr = external_memory_host::NAME;
/// The usage of the buffers.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::TRANSFER_SRC;
/// The property flags that an importable memory type may have; other flags need features that wgpu does not request.
const KNOWN: vk::MemoryPropertyFlags = vk::MemoryPropertyFlags::from_raw(
    vk::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
        | vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
        | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw()
        | vk::MemoryPropertyFlags::HOST_CACHED.as_raw(),
);
const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// A device that can import the program's memory.
pub struct HostMemory {
    functions: external_memory_host::Device,
    /// Bit mask of the memory types that need no flushing.
    coherent: u32,
    /// Shares the device's own memory, if the device can.
    sharing: Option<Sharing>,
}

/// A device that can share its memory with other programming interfaces.
struct Sharing {
    functions: external_memory_fd::Device,
    uuid: [u8; 16],
    /// Bit mask of the memory types on the device.
    local: u32,
}

impl std::fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostMemory").field("coherent", &self.coherent).finish_non_exhaustive()
    }
}

/// Opens a device like wgpu does, with the extension. Returns `None` if the adapter is not a Vulkan adapter or lacks
/// the extension; wgpu then opens the device itself.
pub fn open(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue, HostMemory)> {
    // SAFETY: the adapter is only queried, and opened the same way as wgpu opens it, with the features and limits that
    // wgpu is then given. The adapter reports the added extension as supported, and the extension does not change
    // anything that wgpu does. The queries about external memory are part of Vulkan 1.1, which both instance and
    // adapter are checked for.
    unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        let (instance, physical) = (hal.shared_instance().raw_instance(), hal.raw_physical_device());
        let can = hal.physical_device_capabilities();
        let version = can.properties().api_version.min(hal.shared_instance().instance_api_version());
        if version < vk::API_VERSION_1_1 || !can.supports_extension(EXTENSION) {
            return None;
        }
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        instance.get_physical_device_properties2(
            physical,
            &mut vk::PhysicalDeviceProperties2::default().push_next(&mut host),
        );
        let usage = vk::PhysicalDeviceExternalBufferInfo::default().usage(USAGE).handle_type(HANDLE);
        let mut external = vk::ExternalBufferProperties::default();
        instance.get_physical_device_external_buffer_properties(physical, &usage, &mut external);
        let ways = external.external_memory_properties.external_memory_features;
        let alignment = usize::try_from(host.min_imported_host_pointer_alignment).ok()?;
        if !ways.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
            || ways.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)
            || !alignment.is_power_of_two()
            || alignment > Pages::SIZE
        {
            log::debug!("the adapter cannot import pages (alignment {alignment}, {ways:?})");
            return None;
        }
        let types = instance.get_physical_device_memory_properties(physical);
        let coherent = types.memory_types_as_slice().iter().zip(0..).filter_map(|(kind, index)| {
            let flags = kind.property_flags;
            let is_coherent = flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT) && KNOWN.contains(flags);
            is_coherent.then_some(1 << index)
        });
        let shares = can.supports_extension(external_memory_fd::NAME);
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        instance.get_physical_device_properties2(
            physical,
            &mut vk::PhysicalDeviceProperties2::default().push_next(&mut ids),
        );
        let local = types.memory_types_as_slice().iter().zip(0..).filter_map(|(kind, index)| {
            let flags = kind.property_flags;
            let is_local = flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) && KNOWN.contains(flags);
            is_local.then_some(1 << index)
        });
        let add = move |arguments: wgpu::hal::vulkan::CreateDeviceCallbackArgs<'_, '_, '_>| {
            arguments.extensions.push(EXTENSION);
            if shares {
                arguments.extensions.push(external_memory_fd::NAME);
            }
        };
        let wgpu::DeviceDescriptor { required_features, required_limits, memory_hints, .. } = descriptor;
        let opened = hal.open_with_callback(*required_features, required_limits, memory_hints, Some(Box::new(add)));
        let opened = opened.inspect_err(|error| log::debug!("no device that can import memory: {error}")).ok()?;
        let functions = external_memory_host::Device::new(instance, opened.device.raw_device());
        let sharing = shares.then(|| Sharing {
            functions: external_memory_fd::Device::new(instance, opened.device.raw_device()),
            uuid: ids.device_uuid,
            local: local.sum(),
        });
        let memory = HostMemory { functions, coherent: coherent.sum(), sharing };
        let (device, queue) = adapter.create_device_from_hal::<Vulkan>(opened, descriptor).ok()?;
        Some((device, queue, memory))
    }
}

impl HostMemory {
    /// Imports pages as a buffer to copy from, which keeps them alive as long as the GPU may read them, and counts as
    /// one in `count`.
    ///
    /// # Errors
    /// A short reason why the driver does not accept the pages.
    pub fn import(
        &self,
        device: &wgpu::Device,
        pages: &Arc<Memory>,
        count: &Arc<AtomicUsize>,
    ) -> Result<wgpu::Buffer, String> {
        let (start, length) = (pages.start().as_ptr(), pages.length());
        let refused = |reason: vk::Result| format!("the driver does not accept the pages ({reason})");
        // SAFETY: the functions belong to this device, and the arguments outlive each call. The memory consists of
        // whole, initialised pages of the program, aligned as the driver requires. `Guard` keeps them alive until the
        // buffer and the driver's handle to them are gone, which is when wgpu drops the buffer, after the last commands
        // that use it. wgpu never maps the buffer or writes to it: its only usage is to be copied from. Nothing writes
        // to the pages while a copy is in flight: `InFlight` holds the picture stored there.
        unsafe {
            let hal = device.as_hal::<Vulkan>().ok_or("the device is not Vulkan's")?;
            let raw = hal.raw_device().clone();
            let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
            (self.functions.fp().get_memory_host_pointer_properties_ext)(
                raw.handle(),
                HANDLE,
                start.cast(),
                &raw mut properties,
            )
            .result()
            .map_err(refused)?;
            let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
            let info = vk::BufferCreateInfo::default().size(length as u64).usage(USAGE).push_next(&mut external);
            let buffer = raw.create_buffer(&info, None).map_err(refused)?;
            // From here on, the guard frees what has been created.
            count.fetch_add(1, Ordering::AcqRel);
            let memory = vk::DeviceMemory::null();
            let mut guard = Guard { raw, buffer, memory, count: Arc::clone(count), _pages: Some(Arc::clone(pages)) };
            let requirements = guard.raw.get_buffer_memory_requirements(buffer);
            let types = properties.memory_type_bits & requirements.memory_type_bits & self.coherent;
            if types == 0 || requirements.size > length as u64 {
                return Err("the driver has no memory type for the pages".to_owned());
            }
            let mut import =
                vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HANDLE).host_pointer(start.cast());
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(length as u64)
                .memory_type_index(types.trailing_zeros())
                .push_next(&mut import);
            guard.memory = guard.raw.allocate_memory(&info, None).map_err(refused)?;
            guard.raw.bind_buffer_memory(buffer, guard.memory, 0).map_err(refused)?;
            let drop_guard: wgpu::hal::DropCallback = Box::new(move || drop(guard));
            let descriptor = wgpu::BufferDescriptor {
                label: Some("decoded pictures"),
                size: length as u64,
                usage: wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            };
            let buffer = wgpu::hal::vulkan::Buffer::from_raw_externally_owned(buffer, drop_guard);
            Ok(device.create_buffer_from_hal::<Vulkan>(buffer, &descriptor))
        }
    }
}

/// Memory of the device that other programming interfaces can open.
pub struct SharedBuffer {
    pub buffer: wgpu::Buffer,
    pub handle: SharedHandle,
    /// Length of the memory in bytes, at least that of the buffer.
    pub bytes: u64,
    /// The number of its memory type.
    pub memory_type: u32,
    /// The device's UUID.
    pub device: [u8; 16],
}

impl HostMemory {
    /// Allocates a buffer to copy from, of this many bytes, that counts as one in `count`, and exports its memory.
    /// Returns `None` if the device cannot share its memory.
    ///
    /// # Errors
    /// A short reason why the driver refuses.
    #[cfg(unix)]
    pub fn share(
        &self,
        device: &wgpu::Device,
        length: u64,
        count: &Arc<AtomicUsize>,
    ) -> Option<Result<SharedBuffer, String>> {
        let sharing = self.sharing.as_ref()?;
        let refused = |reason: vk::Result| format!("the driver does not share memory ({reason})");
        // SAFETY: the functions belong to this device, and the arguments outlive each call. `Guard` frees buffer and
        // memory when wgpu drops the buffer, after the last commands that use it. wgpu never maps the buffer or writes
        // to it: its only usage is to be copied from. The descriptor that the driver returns belongs to the caller.
        let share = || unsafe {
            const SHARED: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
            use std::os::fd::{FromRawFd as _, OwnedFd};
            let hal = device.as_hal::<Vulkan>().ok_or("the device is not Vulkan's")?;
            let raw = hal.raw_device().clone();
            let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(SHARED);
            let info = vk::BufferCreateInfo::default().size(length).usage(USAGE).push_next(&mut external);
            let buffer = raw.create_buffer(&info, None).map_err(refused)?;
            // From here on, the guard frees what has been created.
            count.fetch_add(1, Ordering::AcqRel);
            let memory = vk::DeviceMemory::null();
            let mut guard = Guard { raw, buffer, memory, count: Arc::clone(count), _pages: None };
            let requirements = guard.raw.get_buffer_memory_requirements(buffer);
            let types = requirements.memory_type_bits & sharing.local;
            if types == 0 {
                return Err("the driver has no memory type to share".to_owned());
            }
            let memory_type = types.trailing_zeros();
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(SHARED);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(requirements.size)
                .memory_type_index(memory_type)
                .push_next(&mut export);
            guard.memory = guard.raw.allocate_memory(&info, None).map_err(refused)?;
            guard.raw.bind_buffer_memory(buffer, guard.memory, 0).map_err(refused)?;
            let info = vk::MemoryGetFdInfoKHR::default().memory(guard.memory).handle_type(SHARED);
            let handle = OwnedFd::from_raw_fd(sharing.functions.get_memory_fd(&info).map_err(refused)?);
            let drop_guard: wgpu::hal::DropCallback = Box::new(move || drop(guard));
            let descriptor = wgpu::BufferDescriptor {
                label: Some("decoded pictures"),
                size: length,
                usage: wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            };
            let buffer = wgpu::hal::vulkan::Buffer::from_raw_externally_owned(buffer, drop_guard);
            let buffer = device.create_buffer_from_hal::<Vulkan>(buffer, &descriptor);
            Ok(SharedBuffer { buffer, handle, bytes: requirements.size, memory_type, device: sharing.uuid })
        };
        Some(share())
    }

    /// Returns `None`: no memory is shared here.
    #[cfg(not(unix))]
    pub const fn share(&self, _: &wgpu::Device, _: u64, _: &Arc<AtomicUsize>) -> Option<Result<SharedBuffer, String>> {
        None
    }
}

/// A buffer made here, its memory, and the pages that it was imported from, if any.
struct Guard {
    raw: ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    count: Arc<AtomicUsize>,
    _pages: Option<Arc<Memory>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: both were created by this device, which wgpu keeps until its last buffer is dropped. They are freed
        // only here, when nothing uses them any more; a null handle is ignored.
        unsafe {
            self.raw.destroy_buffer(self.buffer, None);
            self.raw.free_memory(self.memory, None);
        }
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}
