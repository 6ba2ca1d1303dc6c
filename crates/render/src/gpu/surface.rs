//! The surface of a window. All of its states are handled here, so that drawing sees only a texture or none.

use std::sync::Arc;

use super::context::without_surface;
use super::output::{HdrChoice, Output};
use super::{AdapterChoice, Gpu, GpuError, Instance};

/// Consecutive losses of a surface before giving up.
const MAX_LOSSES: u32 = 8;

/// The surface of a window of any kind.
pub struct WindowSurface {
    instance: Instance,
    window: Arc<dyn wgpu::DisplayAndWindowHandle>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    output: Output,
    recovery: Recovery,
    /// `true` if the window has no area, as when it is minimised.
    is_empty: bool,
    /// The size to configure before the next draw.
    pending: Option<(u32, u32)>,
}

impl std::fmt::Debug for WindowSurface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WindowSurface").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A texture to draw to; [`Renderer::present`](crate::engine::Renderer::present) takes it.
#[derive(Debug)]
pub enum TargetFrame {
    /// A texture of a window.
    Surface(wgpu::SurfaceTexture),
    /// A texture that is not displayed.
    Texture(wgpu::Texture),
}

/// How to proceed with a draw.
#[derive(Debug)]
pub enum Acquired {
    /// Draw to this texture and present it.
    Draw(TargetFrame),
    /// Try again soon.
    Retry,
    /// Do not draw; the window system reports when the window is visible again.
    Skip,
}

impl TargetFrame {
    /// Returns the texture as a view, and its size in pixels.
    #[must_use]
    pub fn view(&self) -> (wgpu::TextureView, (u32, u32)) {
        let texture = match self {
            Self::Surface(frame) => &frame.texture,
            Self::Texture(texture) => texture,
        };
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        (view, (texture.width(), texture.height()))
    }

    /// Shows the drawn texture, if it belongs to a window.
    pub fn present(self, gpu: &Gpu) {
        if let Self::Surface(frame) = self {
            gpu.queue.present(frame);
        }
    }
}

/// The states that a surface can report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SurfaceState {
    Success,
    Suboptimal,
    Timeout,
    Occluded,
    Outdated,
    Lost,
    Validation,
}

/// The reaction to a surface's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecoveryStep {
    /// Draw.
    Draw,
    /// Draw, and reconfigure the surface before the next draw.
    DrawThenConfigure,
    /// Try again.
    Retry,
    /// Do not draw until the window is visible again.
    Skip,
    /// Reconfigure the surface, then try again.
    Configure,
    /// Create the surface again, then try again.
    Recreate,
    /// Give up.
    Fail,
}

/// Decides how to react to a surface's state, considering earlier losses.
#[derive(Debug, Default)]
struct Recovery {
    /// Losses since the last successful texture.
    losses: u32,
}

impl Recovery {
    fn step(&mut self, state: SurfaceState) -> RecoveryStep {
        match state {
            SurfaceState::Success | SurfaceState::Suboptimal => self.losses = 0,
            SurfaceState::Lost => self.losses += 1,
            SurfaceState::Timeout | SurfaceState::Occluded | SurfaceState::Outdated | SurfaceState::Validation => {}
        }
        match state {
            SurfaceState::Success => RecoveryStep::Draw,
            // It can still be shown; the surface is reconfigured for the next draw.
            SurfaceState::Suboptimal => RecoveryStep::DrawThenConfigure,
            SurfaceState::Timeout => RecoveryStep::Retry,
            SurfaceState::Occluded => RecoveryStep::Skip,
            SurfaceState::Outdated => RecoveryStep::Configure,
            // A surface that is lost every time it is created would keep the program busy forever.
            SurfaceState::Lost if self.losses > MAX_LOSSES => RecoveryStep::Fail,
            SurfaceState::Lost => RecoveryStep::Recreate,
            SurfaceState::Validation => RecoveryStep::Fail,
        }
    }
}

impl WindowSurface {
    /// Creates a surface for a window of `size` pixels and a device that can draw to it, in a format that shows codes
    /// unchanged, or light if `hdr` asks for it and the surface offers it.
    ///
    /// # Errors
    /// [`GpuError`] if the window supports no surface, no adapter can draw to it, or there is no such format.
    pub fn new<W>(
        instance: &Instance,
        choice: &AdapterChoice,
        window: Arc<W>,
        size: (u32, u32),
        hdr: HdrChoice,
    ) -> Result<(Gpu, Self), GpuError>
    where
        W: wgpu::DisplayAndWindowHandle + 'static,
    {
        let window: Arc<dyn wgpu::DisplayAndWindowHandle> = window;
        let surface = create(instance, &window)?;
        let gpu = Gpu::new(&instance.0, choice, Some(&surface))?;
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let info = surface.display_hdr_info(&gpu.adapter);
        let output = output(&capabilities, (&info, gpu.adapter.get_info().backend), hdr)?;
        let config = configuration(&capabilities, size, &output);
        log::info!("surface format {:?}, {output}, present mode {:?}", config.format, config.present_mode);
        let is_empty = size.0 == 0 || size.1 == 0;
        let recovery = Recovery::default();
        let instance = instance.clone();
        let mut made = Self { instance, window, surface, config, output, recovery, is_empty, pending: Some(size) };
        made.configure(&gpu);
        Ok((gpu, made))
    }

    /// Returns `true` if pixels can be copied to the views, which painting on the CPU requires.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        self.config.usage.contains(wgpu::TextureUsages::COPY_DST)
    }

    /// Returns the form in which the views take pictures.
    #[must_use]
    pub const fn output(&self) -> Output {
        self.output
    }

    /// Returns the size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Sets the window's new size. The surface is reconfigured only at the next draw, so that a series of sizes costs
    /// only one reconfiguration.
    pub fn resize(&mut self, size: (u32, u32)) {
        self.is_empty = size.0 == 0 || size.1 == 0;
        if !self.is_empty && size != self.size() {
            self.pending = Some(size);
        }
    }

    /// Reconfigures the surface to the window's newest size, so that what is laid out now fits the next texture.
    pub fn follow(&mut self, gpu: &Gpu) {
        if self.pending.is_some() && !self.is_empty {
            self.configure(gpu);
        }
    }

    fn configure(&mut self, gpu: &Gpu) {
        if let Some(size) = self.pending.take() {
            // A surface larger than the largest texture would be rejected; the display scales the picture instead.
            let most = gpu.most_view_side();
            self.config.width = size.0.clamp(1, most);
            self.config.height = size.1.clamp(1, most);
        }
        if !self.is_empty {
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// Returns a texture to draw to, if the surface's state allows it. `window_size` returns the window's size in
    /// pixels; it is called only if the surface does not match the window.
    ///
    /// # Errors
    /// [`GpuError`] if the surface is lost for good.
    pub fn acquire(&mut self, gpu: &Gpu, window_size: impl FnOnce() -> (u32, u32)) -> Result<Acquired, GpuError> {
        if self.is_empty {
            return Ok(Acquired::Skip);
        }
        self.follow(gpu);
        let (state, texture) = answer(self.surface.get_current_texture());
        match (self.recovery.step(state), texture) {
            (RecoveryStep::Draw, Some(texture)) => Ok(Acquired::Draw(TargetFrame::Surface(texture))),
            (RecoveryStep::DrawThenConfigure, Some(texture)) => {
                self.pending = Some(window_size());
                Ok(Acquired::Draw(TargetFrame::Surface(texture)))
            }
            (RecoveryStep::Draw | RecoveryStep::DrawThenConfigure | RecoveryStep::Retry, _) => Ok(Acquired::Retry),
            (RecoveryStep::Skip, _) => Ok(Acquired::Skip),
            (RecoveryStep::Configure, _) => {
                self.resize(window_size());
                self.configure(gpu);
                Ok(Acquired::Retry)
            }
            (RecoveryStep::Recreate, _) => {
                log::warn!("the window's surface was lost; recreating it");
                gpu.check()?;
                self.surface = create(&self.instance, &self.window)?;
                self.configure(gpu);
                Ok(Acquired::Retry)
            }
            (RecoveryStep::Fail, _) => {
                gpu.check()?;
                Err(GpuError::Lost("the window's surface provides no texture".into()))
            }
        }
    }
}

fn create(
    instance: &Instance,
    window: &Arc<dyn wgpu::DisplayAndWindowHandle>,
) -> Result<wgpu::Surface<'static>, GpuError> {
    let target = wgpu::SurfaceTarget::DisplayAndWindow(Box::new(Arc::clone(window)));
    instance.0.create_surface(target).map_err(|reason| {
        log::info!("{reason}");
        without_surface(&instance.0)
    })
}

fn answer(texture: wgpu::CurrentSurfaceTexture) -> (SurfaceState, Option<wgpu::SurfaceTexture>) {
    match texture {
        wgpu::CurrentSurfaceTexture::Success(texture) => (SurfaceState::Success, Some(texture)),
        wgpu::CurrentSurfaceTexture::Suboptimal(texture) => (SurfaceState::Suboptimal, Some(texture)),
        wgpu::CurrentSurfaceTexture::Timeout => (SurfaceState::Timeout, None),
        wgpu::CurrentSurfaceTexture::Occluded => (SurfaceState::Occluded, None),
        wgpu::CurrentSurfaceTexture::Outdated => (SurfaceState::Outdated, None),
        wgpu::CurrentSurfaceTexture::Lost => (SurfaceState::Lost, None),
        wgpu::CurrentSurfaceTexture::Validation => (SurfaceState::Validation, None),
    }
}

/// Returns the form in which a surface takes pictures, given what is known about its display, and the backend.
fn output(
    capabilities: &wgpu::SurfaceCapabilities,
    (info, backend): (&wgpu::DisplayHdrInfo, wgpu::Backend),
    hdr: HdrChoice,
) -> Result<Output, GpuError> {
    let is_wanted = match hdr {
        HdrChoice::On => true,
        // Some desktops offer HDR on displays for SDR, too, and convert it their own way.
        // A display of a Mac may show no more than white now, but more as soon as it is asked to.
        HdrChoice::Auto => {
            info.coarse.is_some_and(|range| range.high_dynamic_range == Some(true))
                || info.headroom.is_some_and(|headroom| headroom.potential.is_some_and(|potential| potential > 1.0))
        }
        HdrChoice::Off => false,
    };
    if let Some(light) = Output::of_light(capabilities, info, backend).filter(|_| is_wanted) {
        return Ok(light);
    }
    if hdr == HdrChoice::On {
        log::warn!("the desktop or its driver offers no HDR in a window; PQ and HLG are shown as for SDR");
    }
    // It takes linear light, whatever is chosen.
    let linear = wgpu::TextureFormat::Rgba16Float;
    let wanted = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
    let format = wanted
        .into_iter()
        .find(|format| capabilities.formats.contains(format))
        .or_else(|| capabilities.formats.iter().copied().find(|format| !format.is_srgb() && *format != linear))
        .ok_or_else(|| GpuError::Lost("the window's surface supports no non-sRGB format".into()))?;
    Ok(Output::of_codes(format))
}

fn configuration(
    capabilities: &wgpu::SurfaceCapabilities,
    size: (u32, u32),
    output: &Output,
) -> wgpu::SurfaceConfiguration {
    wgpu::SurfaceConfiguration {
        // Drawing is always needed; copying, which painting on the CPU needs, is used if the surface supports it.
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | (wgpu::TextureUsages::COPY_DST & capabilities.usages),
        format: output.format,
        width: size.0.max(1),
        height: size.1.max(1),
        present_mode: wgpu::PresentMode::AutoVsync,
        desired_maximum_frame_latency: 2,
        alpha_mode: wgpu::CompositeAlphaMode::Auto,
        view_formats: Vec::new(),
        color_space: output.color_space(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_reaction() {
        let step = |state| Recovery::default().step(state);
        assert_eq!(step(SurfaceState::Success), RecoveryStep::Draw);
        assert_eq!(step(SurfaceState::Suboptimal), RecoveryStep::DrawThenConfigure, "what can be shown is shown");
        assert_eq!(step(SurfaceState::Timeout), RecoveryStep::Retry);
        assert_eq!(step(SurfaceState::Occluded), RecoveryStep::Skip, "a window that cannot be seen costs nothing");
        assert_eq!(step(SurfaceState::Outdated), RecoveryStep::Configure);
        assert_eq!(step(SurfaceState::Lost), RecoveryStep::Recreate);
        assert_eq!(step(SurfaceState::Validation), RecoveryStep::Fail);
    }

    #[test]
    fn a_surface_that_is_lost_again_and_again_is_given_up() {
        let mut recovery = Recovery::default();
        for _ in 0..MAX_LOSSES {
            assert_eq!(recovery.step(SurfaceState::Lost), RecoveryStep::Recreate);
            // States without a texture in between do not count as recovery.
            assert_eq!(recovery.step(SurfaceState::Outdated), RecoveryStep::Configure);
        }
        assert_eq!(recovery.step(SurfaceState::Lost), RecoveryStep::Fail);
    }

    #[test]
    fn a_texture_resets_the_losses() {
        let mut recovery = Recovery::default();
        for _ in 0..3 * MAX_LOSSES {
            assert_eq!(recovery.step(SurfaceState::Lost), RecoveryStep::Recreate);
            assert_eq!(recovery.step(SurfaceState::Success), RecoveryStep::Draw);
        }
    }

    fn capabilities(formats: &[wgpu::TextureFormat], usages: wgpu::TextureUsages) -> wgpu::SurfaceCapabilities {
        wgpu::SurfaceCapabilities { formats: formats.to_vec(), usages, ..Default::default() }
    }

    #[test]
    fn codes_are_shown_as_they_are() {
        use wgpu::TextureFormat as Format;
        let all = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_DST;
        let configured = |capabilities: &wgpu::SurfaceCapabilities, size| {
            let known = (&wgpu::DisplayHdrInfo::default(), wgpu::Backend::Vulkan);
            let output = output(capabilities, known, HdrChoice::Auto)?;
            Ok::<_, GpuError>(configuration(capabilities, size, &output))
        };
        let both = [Format::Bgra8UnormSrgb, Format::Rgba8Unorm, Format::Bgra8Unorm];
        let config = configured(&capabilities(&both, all), (0, 7)).expect("a format");
        assert_eq!((config.format, config.width, config.height), (Format::Bgra8Unorm, 1, 7));
        assert_eq!(config.color_space, wgpu::SurfaceColorSpace::Auto);
        assert!(config.usage.contains(wgpu::TextureUsages::COPY_DST));
        let drawing = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let config = configured(&capabilities(&[Format::Rgb10a2Unorm], drawing), (4, 4)).expect("a format");
        assert_eq!((config.format, config.usage), (Format::Rgb10a2Unorm, drawing));
        assert!(configured(&capabilities(&[Format::Bgra8UnormSrgb], all), (4, 4)).is_err());
        assert!(configured(&capabilities(&[Format::Rgba16Float], all), (4, 4)).is_err(), "it takes light");
    }

    #[test]
    fn light_goes_out_where_the_surface_offers_it_and_the_display_is_known_to_show_it() {
        use wgpu::{SurfaceColorSpaces as Spaces, TextureFormat as Format};
        let offered = |light: &[(Format, Spaces)]| {
            let codes = (Format::Bgra8Unorm, Spaces::SRGB);
            let format_capabilities = light
                .iter()
                .chain([&codes])
                .map(|&(format, color_spaces)| wgpu::SurfaceFormatCapabilities { format, color_spaces });
            wgpu::SurfaceCapabilities {
                format_capabilities: format_capabilities.collect(),
                ..capabilities(&[Format::Bgra8Unorm], wgpu::TextureUsages::RENDER_ATTACHMENT)
            }
        };
        let linear = (Format::Rgba16Float, Spaces::EXTENDED_SRGB_LINEAR);
        let pq = (Format::Rgb10a2Unorm, Spaces::SRGB | Spaces::BT2100_PQ);
        let info = |shows_hdr, white| wgpu::DisplayHdrInfo {
            luminance: Some(wgpu::DisplayLuminance { sdr_white_nits: white, ..Default::default() }),
            coarse: Some(wgpu::DisplayCoarseRange { high_dynamic_range: shows_hdr, gamut: None }),
            ..Default::default()
        };
        let chosen = |light: &[(Format, Spaces)], info: &wgpu::DisplayHdrInfo, hdr| {
            output(&offered(light), (info, wgpu::Backend::Vulkan), hdr).expect("a format")
        };
        let (unknown, codes) = (wgpu::DisplayHdrInfo::default(), Output::of_codes(Format::Bgra8Unorm));
        let both = [pq, linear];
        assert_eq!(chosen(&both, &unknown, HdrChoice::Auto), codes, "the desktop may convert it its own way");
        assert_eq!(chosen(&both, &info(Some(false), Some(80.0)), HdrChoice::Auto), codes);
        assert_eq!(chosen(&both, &info(Some(true), Some(240.4)), HdrChoice::Auto), Output::linear(240));
        assert_eq!(chosen(&both, &info(Some(true), Some(240.4)), HdrChoice::Off), codes);
        assert_eq!(chosen(&both, &unknown, HdrChoice::On), Output::linear(203));
        assert_eq!(chosen(&[pq], &info(Some(true), None), HdrChoice::Auto), Output::pq(203));
        assert_eq!(chosen(&[], &info(Some(true), None), HdrChoice::On), codes);
        let headroom = wgpu::DisplayHeadroom { current: Some(1.0), potential: Some(4.0), ..Default::default() };
        let mac = wgpu::DisplayHdrInfo { headroom: Some(headroom), ..info(Some(false), None) };
        assert_eq!(chosen(&both, &mac, HdrChoice::Auto), Output::linear(203));
        let metal = output(&offered(&both), (&unknown, wgpu::Backend::Metal), HdrChoice::On).expect("a format");
        assert_eq!(metal.encoding, crate::gpu::output::Encoding::Linear { unit: 203 }, "1 is SDR's white");
        let config = configuration(&offered(&both), (4, 4), &Output::pq(203));
        assert_eq!((config.format, config.color_space), (Format::Rgb10a2Unorm, wgpu::SurfaceColorSpace::Bt2100Pq));
    }
}
