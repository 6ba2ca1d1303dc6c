//! Chooses an adapter and creates a device on it.

use std::fmt;
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::GpuError;
use super::import::{self, Imports};
use histoscope_core::picture::{SharedBlock, SharedMemory};

/// The storage buffers that the shaders of a stage need, which every GPU of WebGPU's lowest level has.
const FEWEST_BUFFERS: u32 = 4;

/// The adapter that the user requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Part of the adapter's name, ignoring case; `None` leaves the choice to wgpu.
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
    /// Size of the largest plane that can be bound, in bytes; the CPU handles larger pictures.
    pub most_plane_bytes: u64,
    /// Decoder memory that the device reads in place.
    pub(super) imports: Imports,
    /// The first error that no call returned, if any: a validation error, or the loss of the device.
    failure: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("info", &self.info).finish_non_exhaustive()
    }
}

/// Creates wgpu's entry point. `WGPU_BACKEND` names the backends to try. Without it, they are Vulkan, Metal and DirectX
/// 12, and OpenGL only if those find nothing, because it is slow to start.
#[must_use]
pub fn instance(display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> wgpu::Instance {
    wgpu::Instance::new(descriptor(wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY), display))
}

fn descriptor(
    backends: wgpu::Backends,
    display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
) -> wgpu::InstanceDescriptor {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // Source names in shader binaries are of no use here, and older validation layers report them as errors.
    descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
    let mut descriptor = descriptor.with_env();
    descriptor.backends = backends;
    descriptor.display = display;
    descriptor
}

/// The description of an adapter as reported by its backend and driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Its name; any part of it selects the adapter ([`AdapterChoice`]).
    pub name: String,
    /// Its kind, such as `DiscreteGpu` or `Cpu`.
    pub kind: String,
    /// Its graphics API, such as `Vulkan`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
}

impl AdapterInfo {
    /// Returns `true` if the adapter computes on the CPU.
    fn is_software(&self) -> bool {
        self.kind == format!("{:?}", wgpu::DeviceType::Cpu)
    }
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

/// An adapter of this machine, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedAdapter {
    /// The adapter.
    pub info: AdapterInfo,
    /// Why it is not the one that is used unless the user names it; `None` if it is.
    pub unused: Option<String>,
}

impl fmt::Display for OfferedAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unused {
            // Whether OpenGL can draw in a window depends on the display, which is not opened here.
            None if self.info.backend == format!("{:?}", wgpu::Backend::Gl) => {
                write!(f, "{}: used where there is no window, which may need a driver for Vulkan", self.info)
            }
            None if self.info.is_software() => {
                write!(f, "{}: used to draw; the CPU counts, since this adapter is software", self.info)
            }
            None => write!(f, "{}: used", self.info),
            Some(reason) => write!(f, "{}: not used: {reason}", self.info),
        }
    }
}

/// Returns every adapter of every backend that `WGPU_BACKEND` allows, with what becomes of it where no window is drawn.
///
/// # Errors
/// `GpuError::NoAdapter` if there is none.
pub fn adapters() -> Result<Vec<OfferedAdapter>, GpuError> {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
    let instance = wgpu::Instance::new(descriptor(backends, None));
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    // If none can be used, each one says why.
    let used = Gpu::headless(&AdapterChoice::default()).ok().map(|gpu| gpu.info);
    Ok(adapters.into_iter().map(|adapter| offered(adapter, used.as_ref())).collect())
}

fn offered(adapter: wgpu::Adapter, used: Option<&wgpu::AdapterInfo>) -> OfferedAdapter {
    let info = adapter.get_info();
    let unused = match used {
        Some(used) if *used == info => None,
        used => Some(match Gpu::on(adapter) {
            Err(GpuError::Device { reason, .. }) => format!("it cannot be ({reason})"),
            Err(error) => error.to_string(),
            Ok(_) => used.map_or_else(String::new, |used| better(used, &info).to_owned()),
        }),
    };
    OfferedAdapter { info: info.into(), unused }
}

/// Returns why one adapter is used rather than another that could be.
fn better(used: &wgpu::AdapterInfo, other: &wgpu::AdapterInfo) -> &'static str {
    use wgpu::DeviceType::{Cpu, DiscreteGpu};
    let is_secondary = |info: &wgpu::AdapterInfo| !wgpu::Backends::PRIMARY.contains(info.backend.into());
    if used.name == other.name || (used.vendor, used.device) == (other.vendor, other.device) {
        "it is the adapter that is used, through another interface"
    } else if is_secondary(other) && !is_secondary(used) {
        "OpenGL is slow to start"
    } else if other.device_type == Cpu && used.device_type != Cpu {
        "it computes on the processor"
    } else if used.device_type == DiscreteGpu && other.device_type != DiscreteGpu {
        "a separate graphics card is faster"
    } else {
        "the system lists the other one first"
    }
}

impl Gpu {
    /// Creates a device without a window.
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, none has that name, or the device cannot be created.
    pub fn headless(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Self::headless_of(&instance(None), choice)
    }

    /// Like [`headless`](Self::headless), with an existing instance.
    ///
    /// # Errors
    /// As [`headless`](Self::headless).
    pub fn headless_of(first: &wgpu::Instance, choice: &AdapterChoice) -> Result<Self, GpuError> {
        let has_more = wgpu::Backends::from_env().is_none();
        let instance = |backends| wgpu::Instance::new(descriptor(backends, None));
        match Self::new(first, choice, None) {
            Err(GpuError::NoAdapter | GpuError::NoSuchAdapter { .. }) if has_more => {
                Self::new(&instance(wgpu::Backends::all()), choice, None)
            }
            Err(GpuError::Device { adapter, reason }) if has_more && choice.name.is_none() => {
                let others = all(&instance(wgpu::Backends::all() - wgpu::Backends::PRIMARY));
                first_usable(others.into_iter(), Some((adapter, reason)), Self::on)
            }
            result => result,
        }
    }

    /// Returns a device shared by all callers that request the same adapter, such as a run over many files. It lives as
    /// long as the program: creating and destroying a device take a tenth of a second each.
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

    /// Creates a device; if there is a `surface`, one that can draw to it. Unless the user has named an adapter, the
    /// next one takes the place of an adapter that gives none.
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, none has that name, or the device cannot be created.
    pub fn new(
        instance: &wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let preferred = choose(instance, choice, surface)?;
        if choice.name.is_some() {
            return Self::on(preferred);
        }
        let others = {
            let preferred = preferred.get_info();
            move || {
                let mut others = all(instance);
                others.retain(|other| other.get_info() != preferred);
                others.retain(|other| surface.is_none_or(|surface| other.is_surface_supported(surface)));
                others.sort_by_key(|other| match other.get_info().device_type {
                    wgpu::DeviceType::DiscreteGpu => 0,
                    wgpu::DeviceType::Cpu => 2,
                    _ => 1,
                });
                others
            }
        };
        first_usable(iter::once(preferred).chain(iter::once_with(others).flatten()), None, Self::on)
    }

    /// Creates a device on an adapter.
    fn on(adapter: wgpu::Adapter) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let refused = |reason: String| GpuError::Device { adapter: info.name.clone(), reason };
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(refused("it has no compute shaders".to_owned()));
        }
        if adapter.limits().max_storage_buffers_per_shader_stage < FEWEST_BUFFERS {
            return Err(refused("its shaders have too few storage buffers".to_owned()));
        }
        let timestamps = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("histoscope"),
            // One of the lab's methods uses subgroups.
            required_features: adapter.features() & (timestamps | wgpu::Features::SUBGROUP),
            // All that the adapter has: large pictures need large buffers, and deep ones need much workgroup memory.
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue, imports) = open(&adapter, &descriptor).map_err(|error| refused(error.to_string()))?;
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

    /// Creates a command encoder.
    #[must_use]
    pub fn encoder(&self, label: &str) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
    }

    /// Returns the most pixels that a side of a view may have.
    #[must_use]
    pub fn most_view_side(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }

    /// Checks for errors that no call returned.
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

    /// Returns how many blocks of decoded pictures are currently read in place.
    #[must_use]
    pub fn blocks_in_place(&self) -> usize {
        self.imports.count()
    }

    /// Loses the device, as if the driver had failed. For tests.
    pub fn lose(&self) {
        let message = "device lost (on request)".to_owned();
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        self.device.destroy();
    }

    /// Waits until the GPU has finished everything submitted so far.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device does not answer or any error has occurred.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| GpuError::Lost(e.to_string()))?;
        self.check()
    }
}

impl SharedMemory for Gpu {
    fn allocate(&self, bytes: usize) -> Option<SharedBlock> {
        self.imports.share(bytes)
    }
}

/// Opens the device, if possible one that can read pictures in place.
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

/// Records the first error that no call returns.
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

/// Creates a device on the first of the adapters that gives one, and says which adapter could not be used. `refused` is
/// the name of one that has been tried before, and the reason why it could not be used.
///
/// # Errors
/// The first adapter's error if none gives a device.
fn first_usable<A>(
    adapters: impl Iterator<Item = A>,
    mut refused: Option<(String, String)>,
    open: impl Fn(A) -> Result<Gpu, GpuError>,
) -> Result<Gpu, GpuError> {
    for adapter in adapters {
        match open(adapter) {
            Ok(gpu) => {
                if let Some((adapter, reason)) = refused {
                    let next = &gpu.info.name;
                    log::warn!(
                        "the adapter {adapter} cannot be used ({reason}), so {next} is; --adapter chooses another"
                    );
                }
                return Ok(gpu);
            }
            Err(GpuError::Device { adapter, reason }) => _ = refused.get_or_insert((adapter, reason)),
            Err(error) => return Err(error),
        }
    }
    Err(refused.map_or(GpuError::NoAdapter, |(adapter, reason)| GpuError::Device { adapter, reason }))
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

/// Returns the error for when no adapter can draw in a window.
pub(super) fn without_surface(instance: &wgpu::Instance) -> GpuError {
    let all = all(instance);
    if all.is_empty() { GpuError::NoAdapter } else { GpuError::NoSurface { available: names(&all) } }
}

/// Returns every adapter that an instance knows.
fn all(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all())))
}

/// Returns the adapters' names; an adapter known to several backends is listed once.
fn names(adapters: &[wgpu::Adapter]) -> String {
    let mut names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// wgpu's entry point, which provides adapters and window surfaces.
#[derive(Debug, Clone)]
pub struct Instance(pub(super) wgpu::Instance);

impl Instance {
    /// Creates an instance that knows the display, as OpenGL requires.
    #[must_use]
    pub fn with_display(display: impl wgpu::wgt::WgpuHasDisplayHandle) -> Self {
        Self(instance(Some(Box::new(display))))
    }
}

/// The entry point while it loads on a separate thread: loading the graphics drivers is the slowest part of starting
/// up. Dropping this also waits for the thread, because a program that exits while another thread loads a driver can
/// crash in the driver.
#[derive(Debug)]
pub struct Loading(Option<thread::JoinHandle<wgpu::Instance>>);

impl Loading {
    /// Starts loading the drivers.
    #[must_use]
    pub fn start() -> Self {
        Self(Some(thread::spawn(|| instance(None))))
    }

    /// Returns the loaded instance. If OpenGL was requested, or the instance has already been taken, creates a new one
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
    fn the_next_adapter_takes_the_place_of_one_without_a_device() {
        let instance = instance(None);
        let real = all(&instance).into_iter().next().expect("an adapter, if only a software one");
        let opened = std::cell::RefCell::new(Vec::new());
        let open = |number: usize| {
            opened.borrow_mut().push(number);
            match number {
                0..3 => Err(GpuError::Device { adapter: format!("broken {number}"), reason: "no compiler".to_owned() }),
                _ => Gpu::on(real.clone()),
            }
        };
        let gpu = first_usable(0..5, None, open).expect("the fourth one has a device");
        assert_eq!((gpu.info.name, opened.take()), (real.get_info().name, vec![0, 1, 2, 3]));
        let error = first_usable(1..3, None, open).expect_err("none has a device").to_string();
        assert!(
            error.contains("the adapter broken 1 cannot be used (no compiler)") && error.contains("--adapter"),
            "{error}"
        );
        let error =
            first_usable(2..3, Some(("first".to_owned(), "lost".to_owned())), open).expect_err("none has a device");
        assert!(error.to_string().contains("the adapter first cannot be used (lost)"), "{error}");
        assert!(matches!(first_usable(0..0, None, open), Err(GpuError::NoAdapter)));
    }

    #[test]
    fn a_shared_device_is_created_once_and_again_after_a_loss() {
        let choice = AdapterChoice::default();
        let shared = || Gpu::shared(&choice).expect("an adapter, if only a software one");
        let first = shared();
        assert!(Arc::ptr_eq(&first, &shared()));
        first.lose();
        let second = shared();
        assert!(!Arc::ptr_eq(&first, &second) && second.check().is_ok());
    }
}
