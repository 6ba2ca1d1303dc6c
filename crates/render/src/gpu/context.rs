//! Choosing an adapter and making a device on it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::GpuError;
use super::import::{self, Imports};

/// Which adapter the user wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Part of the adapter's name, in any case; `None` leaves the choice to wgpu.
    pub name: Option<String>,
}

/// An adapter with its device and queue.
pub struct Gpu {
    /// The adapter.
    pub adapter: wgpu::Adapter,
    /// The driver's description.
    pub info: wgpu::AdapterInfo,
    /// The device.
    pub device: wgpu::Device,
    /// Its only queue.
    pub queue: wgpu::Queue,
    /// The most bytes that a plane may have to be bound; larger pictures are the CPU's.
    pub most_plane_bytes: u64,
    /// Pictures that it reads where the decoder wrote them.
    pub(super) imports: Imports,
    /// The first error that no call returned, if there was one: a validation error, or the loss of the device.
    failure: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("info", &self.info).finish_non_exhaustive()
    }
}

/// wgpu's entry point. `WGPU_BACKEND` names the backends to try; else they are Vulkan, Metal and DirectX 12, and OpenGL
/// only where those find nothing, because starting it takes long.
#[must_use]
pub fn instance(display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> wgpu::Instance {
    wgpu::Instance::new(descriptor(wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY), display))
}

fn descriptor(
    backends: wgpu::Backends,
    display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
) -> wgpu::InstanceDescriptor {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // Source names in the shaders' binaries are of no use here, and older validation layers take them for an error.
    descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
    let mut descriptor = descriptor.with_env();
    descriptor.backends = backends;
    descriptor.display = display;
    descriptor
}

/// The description of an adapter in the words of its backend and driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Its name, part of which chooses it ([`AdapterChoice`]).
    pub name: String,
    /// Its kind, such as `DiscreteGpu` or `Cpu`.
    pub kind: String,
    /// Its graphics interface, such as `Vulkan`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kind, backend, driver } = self;
        write!(f, "{name}  ({kind}, {backend}, driver {driver})")
    }
}

impl From<wgpu::AdapterInfo> for AdapterInfo {
    fn from(info: wgpu::AdapterInfo) -> Self {
        Self {
            kind: format!("{:?}", info.device_type),
            backend: format!("{:?}", info.backend),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            name: info.name,
        }
    }
}

/// Every adapter of every backend that `WGPU_BACKEND` allows.
///
/// # Errors
/// `GpuError::NoAdapter` if there is none.
pub fn adapters() -> Result<Vec<AdapterInfo>, GpuError> {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
    let instance = wgpu::Instance::new(descriptor(backends, None));
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    Ok(adapters.iter().map(|adapter| adapter.get_info().into()).collect())
}

impl Gpu {
    /// Makes a device without a window.
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, none of that name, or it makes no device.
    pub fn headless(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Self::headless_of(&instance(None), choice)
    }

    /// The same with an instance that is there already.
    ///
    /// # Errors
    /// As [`headless`](Self::headless).
    pub fn headless_of(first: &wgpu::Instance, choice: &AdapterChoice) -> Result<Self, GpuError> {
        match Self::new(first, choice, None) {
            Err(GpuError::NoAdapter | GpuError::NoSuchAdapter { .. }) if wgpu::Backends::from_env().is_none() => {
                Self::new(&wgpu::Instance::new(descriptor(wgpu::Backends::all(), None)), choice, None)
            }
            result => result,
        }
    }

    /// The same device for all who ask for that adapter one after the other, such as a run over many files. It lasts as
    /// long as the program: making one takes a tenth of a second, and so does giving one back.
    ///
    /// # Errors
    /// As [`headless`](Self::headless).
    pub fn shared(choice: &AdapterChoice) -> Result<Arc<Self>, GpuError> {
        static DEVICES: Mutex<Vec<(AdapterChoice, Arc<Gpu>)>> = Mutex::new(Vec::new());
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        devices.retain(|(_, gpu)| gpu.check().is_ok());
        if let Some((_, gpu)) = devices.iter().find(|(made_for, _)| made_for == choice) {
            return Ok(Arc::clone(gpu));
        }
        let gpu = Arc::new(Self::headless(choice)?);
        devices.push((choice.clone(), Arc::clone(&gpu)));
        Ok(gpu)
    }

    /// Makes a device, one that can draw to `surface` if there is one.
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, none of that name, or it makes no device.
    pub fn new(
        instance: &wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let adapter = choose(instance, choice, surface)?;
        let info = adapter.get_info();
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(GpuError::NoCompute { adapter: info.name });
        }
        let timestamps = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("histoscope"),
            // Subgroups are for one of the lab's methods.
            required_features: adapter.features() & (timestamps | wgpu::Features::SUBGROUP),
            // Everything that the adapter has: large pictures need large buffers, deep ones much workgroup memory.
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let refused =
            |source: wgpu::RequestDeviceError| GpuError::Device { adapter: info.name.clone(), source: source.into() };
        let (device, queue, imports) = open(&adapter, &descriptor).map_err(refused)?;
        let failure = Arc::new(Mutex::new(None));
        watch(&device, &failure);
        log::info!(
            "adapter {} ({:?}, {:?}), driver {} {}",
            info.name,
            info.device_type,
            info.backend,
            info.driver,
            info.driver_info
        );
        let limits = device.limits();
        let most_plane_bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let imports = imports.checked(&queue, &info.name);
        Ok(Self { adapter, info, device, queue, most_plane_bytes, imports, failure })
    }

    /// Returns `true` if the adapter computes on the CPU.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Begins to record commands.
    #[must_use]
    pub fn encoder(&self, label: &str) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
    }

    /// The most pixels a side that a view can have.
    #[must_use]
    pub fn most_view_side(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }

    /// Checks that nothing went wrong outside the calls that return errors.
    ///
    /// # Errors
    /// [`GpuError::Lost`] with the first such error.
    pub fn check(&self) -> Result<(), GpuError> {
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(failure) => Err(GpuError::Lost(failure.clone())),
            None => Ok(()),
        }
    }

    /// Returns `true` if the adapter can read pictures where the decoder wrote them, without a copy by the CPU.
    #[must_use]
    pub fn reads_in_place(&self) -> bool {
        self.imports.are_possible()
    }

    /// How many blocks of decoded pictures it reads in place now.
    #[must_use]
    pub fn blocks_in_place(&self) -> usize {
        self.imports.count()
    }

    /// Loses the device, as a driver that fails would make it. For tests of what follows.
    pub fn lose(&self) {
        let message = "device lost (on request)".to_owned();
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        self.device.destroy();
    }

    /// Waits until the GPU has done all that was submitted.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device does not answer or something failed meanwhile.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| GpuError::Lost(e.to_string()))?;
        self.check()
    }
}

/// Opens the device, if possible one that reads pictures where they lie.
fn open(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
) -> Result<(wgpu::Device, wgpu::Queue, Imports), wgpu::RequestDeviceError> {
    if let Some((device, queue, host)) = import::open(adapter, descriptor) {
        let imports = Imports::new(&device, Some(host));
        return Ok((device, queue, imports));
    }
    let (device, queue) = pollster::block_on(adapter.request_device(descriptor))?;
    let imports = Imports::new(&device, None);
    Ok((device, queue, imports))
}

/// Keeps the first error that no call returns.
fn watch(device: &wgpu::Device, failure: &Arc<Mutex<Option<String>>>) {
    let keep = |failure: &Mutex<Option<String>>, message: String| {
        log::error!("graphics: {message}");
        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
    };
    let errors = Arc::clone(failure);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&errors, error.to_string())));
    let losses = Arc::clone(failure);
    device.set_device_lost_callback(move |reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            keep(&losses, format!("device lost ({message})"));
        }
    });
}

fn choose(
    instance: &wgpu::Instance,
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<wgpu::Adapter, GpuError> {
    let Some(wanted) = &choice.name else {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        return pollster::block_on(instance.request_adapter(&options)).map_err(|reason| {
            log::info!("{reason}");
            if surface.is_some() { without_surface(instance) } else { GpuError::NoAdapter }
        });
    };
    let all = all(instance);
    if all.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    let available = names(&all);
    let is_wanted = |adapter: &wgpu::Adapter| adapter.get_info().name.to_lowercase().contains(&wanted.to_lowercase());
    let named: Vec<_> = all.into_iter().filter(is_wanted).collect();
    if named.is_empty() {
        return Err(GpuError::NoSuchAdapter { wanted: wanted.clone(), available });
    }
    let drawing = named.into_iter().find(|adapter| surface.is_none_or(|s| adapter.is_surface_supported(s)));
    drawing.ok_or(GpuError::NoSurface { available })
}

/// The error where no adapter can draw in a window.
pub(super) fn without_surface(instance: &wgpu::Instance) -> GpuError {
    let all = all(instance);
    if all.is_empty() { GpuError::NoAdapter } else { GpuError::NoSurface { available: names(&all) } }
}

/// Every adapter that an instance knows.
fn all(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all())))
}

/// Their names; an adapter that several backends know is named once.
fn names(adapters: &[wgpu::Adapter]) -> String {
    let mut names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// wgpu's entry point, through which adapters and windows' surfaces come.
#[derive(Debug, Clone)]
pub struct Instance(pub(super) wgpu::Instance);

impl Instance {
    /// One that knows the display, as OpenGL needs.
    #[must_use]
    pub fn with_display(display: impl wgpu::wgt::WgpuHasDisplayHandle) -> Self {
        Self(instance(Some(Box::new(display))))
    }
}

/// The entry point in the making, on a thread of its own: loading the graphics drivers takes longest of all that a start needs.
/// It is waited for in any case: a program that ends while a driver is being loaded on another thread can crash in the driver.
#[derive(Debug)]
pub struct Loading(Option<thread::JoinHandle<wgpu::Instance>>);

impl Loading {
    /// Starts to load the drivers.
    #[must_use]
    pub fn start() -> Self {
        Self(Some(thread::spawn(|| instance(None))))
    }

    /// The instance that was made meanwhile; where OpenGL was asked for, or the instance has been taken before, a new one
    /// that knows the display.
    pub fn finish(&mut self, display: impl wgpu::wgt::WgpuHasDisplayHandle) -> Instance {
        let wants_gl = wgpu::Backends::from_env().is_some_and(|backends| backends.contains(wgpu::Backends::GL));
        match self.join() {
            Some(instance) if !wants_gl => Instance(instance),
            _ => Instance::with_display(display),
        }
    }

    /// Returns the instance for a program that draws without a display.
    pub fn finish_without_display(&mut self) -> Instance {
        Instance(self.join().unwrap_or_else(|| instance(None)))
    }

    fn join(&mut self) -> Option<wgpu::Instance> {
        self.0.take()?.join().ok()
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_device_is_made_once_and_again_after_it_was_lost() {
        let choice = AdapterChoice::default();
        let shared = || Gpu::shared(&choice).expect("an adapter, if only a software one");
        let first = shared();
        assert!(Arc::ptr_eq(&first, &shared()));
        first.lose();
        let second = shared();
        assert!(!Arc::ptr_eq(&first, &second) && second.check().is_ok());
    }
}
