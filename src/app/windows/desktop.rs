//! The window on the desktop. Only this module knows about winit: it translates winit's events into [`Event`]s, and the
//! program's requests to its window into calls to winit.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec2;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalPosition, PhysicalSize};
use winit::error::OsError;
use winit::event::{DeviceEvent, DeviceId, ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::window::{Fullscreen, Window as WinitWindow, WindowAttributes, WindowId};

use crate::app::files::start;
use crate::app::input::event::Waker;
use crate::app::input::event::{Event, Key, KeyEvent, Modifiers, PointerButton};
use crate::app::input::wheel::Wheel;
use crate::app::options::{AppError, PlayOptions};
use crate::app::remote::endpoint::Endpoint;
use crate::app::screen::clipboard::Clipboard;
use crate::app::screen::dialog::PickedFiles;
use crate::app::screen::{EMPTY_SIZE, Window, size_for};
use crate::app::viewer::{Flow, Viewer};
use histoscope_core::picture::Frame;
use histoscope_hud::egui;
use histoscope_hud::{Host, UiEvents};
use histoscope_keys::NamedKey;
use histoscope_media::DecodeThread;
use histoscope_render::gpu::output::HdrChoice;
use histoscope_render::gpu::surface::WindowSurface;
use histoscope_render::gpu::target::Target;
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance, Loading};

/// Pixels of smooth scrolling that count as one notch.
const NOTCH_PIXELS: f64 = 50.0;

/// The application ID by which desktops find the icon and name of the program's menu entry: the file name of that entry
/// in assets/desktop/.
#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
const APPLICATION: &str = "org.histoscope.Histoscope";

/// Opens the window and plays until the user quits.
///
/// # Errors
/// [`AppError`] if the video cannot be opened, or the adapter or the display fails.
pub fn run(options: PlayOptions, endpoint: Option<Endpoint>) -> Result<(), AppError> {
    // Loading the graphics drivers takes longest, so it starts first, on its own thread.
    let instance = Loading::start();
    let event_loop = EventLoop::<()>::with_user_event().build().map_err(|error| start::no_display(&options, error))?;
    let proxy = event_loop.create_proxy();
    let waker: Waker = Arc::new(move || {
        // Sending fails only once the event loop has ended, as the program exits.
        let _ = proxy.send_event(());
    });
    // The file is opened while the window and the adapter are being created, since both take time.
    let media = match options.inputs.first() {
        Some(input) => Some(start::open(input, &options, &waker)?),
        None => None,
    };
    let mut app =
        App { options, endpoint, waker, instance, media, open: None, wheel: Wheel::default(), result: Ok(()) };
    event_loop.run_app(&mut app).map_err(start::display_error)?;
    if let Some((_, viewer)) = &mut app.open {
        viewer.finish();
    }
    app.result
}

struct App {
    options: PlayOptions,
    /// Where other programs connect, until the viewer takes it over.
    endpoint: Option<Endpoint>,
    waker: Waker,
    /// The graphics drivers, still loading.
    instance: Loading,
    /// The decoding thread of the first video, until the viewer takes it over.
    media: Option<DecodeThread>,
    /// The window and its viewer, once open.
    open: Option<(Rc<DesktopWindow>, Viewer)>,
    wheel: Wheel,
    result: Result<(), AppError>,
}

impl App {
    /// Waits until the decoder has opened the file, then opens a window in the video's size.
    fn open_viewer(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        if self.open.is_some() {
            return Ok(());
        }
        let instance = self.instance.finish(event_loop.owned_display_handle());
        let (beginning, comparison) = start::begin(self.media.take(), &self.options, &self.waker)?;
        let window = DesktopWindow::open(event_loop, beginning.first_frame(), self.options.begin.fullscreen);
        let window = Rc::new(window.map_err(start::display_error)?);
        let (options, waker) = (self.options.clone(), Arc::clone(&self.waker));
        let mut viewer =
            Viewer::new(Rc::<DesktopWindow>::clone(&window), &instance, options, waker, (beginning, comparison))?;
        viewer.listen(self.endpoint.take(), &self.waker)?;
        self.open = Some((window, viewer));
        Ok(())
    }

    /// Ends the event loop on an error or when the user quits.
    fn settle(&mut self, event_loop: &ActiveEventLoop, result: Result<Flow, AppError>) {
        match result {
            Ok(Flow::Continue) => return,
            Ok(Flow::Quit) => {}
            Err(error) if self.result.is_ok() => self.result = Err(error),
            Err(error) => log::error!("{error}"),
        }
        event_loop.exit();
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let result = self.open_viewer(event_loop);
        self.settle(event_loop, result.map(|()| Flow::Continue));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some((window, viewer)) = &mut self.open else { return };
        let translated = translated(&event, &window.window);
        if self.wheel.is_repeated(&translated) {
            return;
        }
        let result = viewer.on_event(translated, || window.ui_events(&event));
        self.settle(event_loop, result);
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if let DeviceEvent::Button { button, state } = event {
            self.wheel.on_button(button, state == ElementState::Pressed);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some((_, viewer)) = &mut self.open else { return };
        let result = viewer.take_requests();
        self.settle(event_loop, result);
        let Some((_, viewer)) = &mut self.open else { return };
        match viewer.advance() {
            Ok(Some(wake_at)) => event_loop.set_control_flow(ControlFlow::WaitUntil(wake_at)),
            Ok(None) => event_loop.set_control_flow(ControlFlow::Wait),
            Err(error) => self.settle(event_loop, Err(error)),
        }
    }
}

/// A winit window.
struct DesktopWindow {
    window: Arc<WinitWindow>,
    /// Translates events for the HUD, once the window is connected to it.
    ui: RefCell<Option<egui_winit::State>>,
}

impl DesktopWindow {
    /// Opens a window in the size of a video's first frame if there is one, or in full screen.
    fn open(event_loop: &ActiveEventLoop, first: Option<&Frame>, full: bool) -> Result<Self, OsError> {
        let attributes = named(WinitWindow::default_attributes().with_title("Histoscope"));
        let attributes = match first {
            Some(frame) => {
                let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
                let size = size_for(frame, monitor.map(|monitor| monitor.size().into()));
                attributes.with_inner_size(PhysicalSize::<u32>::from(size))
            }
            None => attributes.with_inner_size(LogicalSize::<f64>::from(EMPTY_SIZE)),
        };
        let full = full.then_some(Fullscreen::Borderless(None));
        let window = Arc::new(event_loop.create_window(attributes.with_fullscreen(full))?);
        Ok(Self { window, ui: RefCell::default() })
    }

    /// Translates an event for the HUD.
    fn ui_events(&self, event: &WindowEvent) -> UiEvents {
        let mut ui = self.ui.borrow_mut();
        let Some(ui) = &mut *ui else { return UiEvents::default() };
        let repaint = ui.on_window_event(&self.window, event).repaint;
        let input = ui.egui_input_mut();
        UiEvents { events: std::mem::take(&mut input.events), focused: Some(input.focused), repaint }
    }
}

impl Host for DesktopWindow {
    fn connect(&self, context: &egui::Context) {
        let scale = Some(self.window.scale_factor() as f32);
        let root = egui::ViewportId::ROOT;
        *self.ui.borrow_mut() = Some(egui_winit::State::new(context.clone(), root, &self.window, scale, None, None));
    }

    fn take_output(&self, output: egui::PlatformOutput) {
        if let Some(ui) = &mut *self.ui.borrow_mut() {
            ui.handle_platform_output(&self.window, output);
        }
    }
}

impl Window for DesktopWindow {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn size(&self) -> (u32, u32) {
        self.window.inner_size().into()
    }

    fn scale_factor(&self) -> f64 {
        self.window.scale_factor()
    }

    fn display_size(&self) -> Option<(u32, u32)> {
        self.window.current_monitor().map(|monitor| monitor.size().into())
    }

    fn request_size(&self, size: (u32, u32)) -> Option<(u32, u32)> {
        self.window.request_inner_size(PhysicalSize::<u32>::from(size)).map(Into::into)
    }

    fn is_full(&self) -> bool {
        self.window.fullscreen().is_some()
    }

    fn set_full(&self, full: bool) {
        self.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
    }

    fn is_maximized(&self) -> bool {
        self.window.is_maximized()
    }

    fn set_title(&self, title: &str) {
        self.window.set_title(title);
    }

    fn request_redraw(&self) {
        self.window.request_redraw();
    }

    fn before_present(&self) {
        self.window.pre_present_notify();
    }

    fn make_target(
        &self,
        instance: &Instance,
        choice: &AdapterChoice,
        hdr: HdrChoice,
    ) -> Result<(Gpu, Target), GpuError> {
        let (gpu, surface) = WindowSurface::new(instance, choice, Arc::clone(&self.window), self.size(), hdr)?;
        Ok((gpu, Target::Surface(surface)))
    }

    fn clipboard(&self) -> Clipboard {
        Clipboard::of_desktop()
    }

    fn pick_files(&self) -> PickedFiles {
        // Some systems require that the dialog is created on the main thread, which this is.
        let picked = rfd::AsyncFileDialog::new().set_title("Open a video").set_parent(&self.window).pick_files();
        Box::pin(async { picked.await.map(|files| files.iter().map(|file| file.path().to_owned()).collect()) })
    }
}

#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    // winit stores the names for Wayland and X11 in one field.
    winit::platform::wayland::WindowAttributesExtWayland::with_name(attributes, APPLICATION, "histoscope")
}

#[cfg(not(all(unix, not(any(target_vendor = "apple", target_os = "android")))))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// Translates winit's event into the program's own terms.
fn translated(event: &WindowEvent, window: &WinitWindow) -> Event {
    match event {
        WindowEvent::CloseRequested => Event::CloseRequested,
        WindowEvent::Resized(size) => Event::Resized((*size).into()),
        // The resulting size is not always reported by an event of its own.
        WindowEvent::ScaleFactorChanged { .. } => Event::Resized(window.inner_size().into()),
        WindowEvent::Occluded(occluded) => Event::Occluded(*occluded),
        WindowEvent::RedrawRequested => Event::RedrawRequested,
        WindowEvent::ModifiersChanged(modifiers) => {
            let state = modifiers.state();
            Event::ModifiersChanged(Modifiers {
                shift: state.shift_key(),
                control: state.control_key(),
                alt: state.alt_key(),
                logo: state.super_key(),
            })
        }
        // Synthetic events are ignored: they report keys that were already down when the window got the keyboard focus.
        WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => Event::Key(KeyEvent {
            key: key_of(&event.logical_key),
            base: key_of(&without_modifiers(event)),
            place: place_of(event.physical_key),
            pressed: event.state == ElementState::Pressed,
            repeat: event.repeat,
        }),
        WindowEvent::Ime(_) => Event::InputMethod,
        WindowEvent::HoveredFile(path) => Event::FileHovered(path.clone()),
        WindowEvent::HoveredFileCancelled => Event::FileLeft,
        WindowEvent::DroppedFile(path) => Event::FileDropped(path.clone()),
        WindowEvent::CursorEntered { .. } => Event::PointerEntered,
        WindowEvent::CursorMoved { position: PhysicalPosition { x, y }, .. } => Event::PointerMoved(DVec2::new(*x, *y)),
        WindowEvent::CursorLeft { .. } => Event::PointerLeft,
        WindowEvent::MouseInput { state, button, .. } => {
            let button = match button {
                MouseButton::Left => PointerButton::Left,
                MouseButton::Right => PointerButton::Right,
                _ => PointerButton::Other,
            };
            Event::PointerButton { button, pressed: *state == ElementState::Pressed }
        }
        WindowEvent::MouseWheel { delta, .. } => Event::Wheel(match delta {
            MouseScrollDelta::LineDelta(_, lines) => f64::from(*lines),
            MouseScrollDelta::PixelDelta(pixels) => pixels.y / NOTCH_PIXELS,
        }),
        _ => Event::Other,
    }
}

#[cfg(any(windows, target_os = "macos", target_os = "linux"))]
fn without_modifiers(event: &winit::event::KeyEvent) -> winit::keyboard::Key {
    winit::platform::modifier_supplement::KeyEventExtModifierSupplement::key_without_modifiers(event)
}

#[cfg(not(any(windows, target_os = "macos", target_os = "linux")))]
fn without_modifiers(event: &winit::event::KeyEvent) -> winit::keyboard::Key {
    event.logical_key.clone()
}

fn key_of(key: &winit::keyboard::Key) -> Key {
    use winit::keyboard::NamedKey as Named;
    let named = match key {
        winit::keyboard::Key::Character(text) => return Key::Character(text.as_str().to_owned()),
        winit::keyboard::Key::Named(named) => named,
        _ => return Key::Other,
    };
    Key::Named(match named {
        Named::Space => NamedKey::Space,
        Named::Backspace => NamedKey::Backspace,
        Named::ArrowLeft => NamedKey::Left,
        Named::ArrowRight => NamedKey::Right,
        Named::ArrowUp => NamedKey::Up,
        Named::ArrowDown => NamedKey::Down,
        Named::Home => NamedKey::Home,
        Named::End => NamedKey::End,
        Named::PageUp => NamedKey::PageUp,
        Named::PageDown => NamedKey::PageDown,
        Named::Tab => NamedKey::Tab,
        Named::F1 => NamedKey::F1,
        Named::F10 => NamedKey::F10,
        Named::ContextMenu => NamedKey::Menu,
        Named::Escape => NamedKey::Escape,
        Named::Enter => NamedKey::Enter,
        _ => return Key::Other,
    })
}

/// Returns the character that the key types on an American keyboard without Shift.
const fn place_of(physical: PhysicalKey) -> Option<char> {
    let PhysicalKey::Code(code) = physical else { return None };
    Some(match code {
        KeyCode::KeyA => 'a',
        KeyCode::KeyB => 'b',
        KeyCode::KeyC => 'c',
        KeyCode::KeyD => 'd',
        KeyCode::KeyE => 'e',
        KeyCode::KeyF => 'f',
        KeyCode::KeyG => 'g',
        KeyCode::KeyH => 'h',
        KeyCode::KeyI => 'i',
        KeyCode::KeyJ => 'j',
        KeyCode::KeyK => 'k',
        KeyCode::KeyL => 'l',
        KeyCode::KeyM => 'm',
        KeyCode::KeyN => 'n',
        KeyCode::KeyO => 'o',
        KeyCode::KeyP => 'p',
        KeyCode::KeyQ => 'q',
        KeyCode::KeyR => 'r',
        KeyCode::KeyS => 's',
        KeyCode::KeyT => 't',
        KeyCode::KeyU => 'u',
        KeyCode::KeyV => 'v',
        KeyCode::KeyW => 'w',
        KeyCode::KeyX => 'x',
        KeyCode::KeyY => 'y',
        KeyCode::KeyZ => 'z',
        KeyCode::Digit0 => '0',
        KeyCode::Digit1 => '1',
        KeyCode::Digit2 => '2',
        KeyCode::Digit3 => '3',
        KeyCode::Digit4 => '4',
        KeyCode::Digit5 => '5',
        KeyCode::Digit6 => '6',
        KeyCode::Digit7 => '7',
        KeyCode::Digit8 => '8',
        KeyCode::Digit9 => '9',
        KeyCode::BracketLeft => '[',
        KeyCode::BracketRight => ']',
        KeyCode::Comma => ',',
        KeyCode::Period => '.',
        KeyCode::Slash => '/',
        KeyCode::Semicolon => ';',
        KeyCode::Quote => '\'',
        KeyCode::Backquote => '`',
        KeyCode::Minus => '-',
        KeyCode::Equal => '=',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn physical_keys_map_to_american_characters() {
        let letters = [KeyCode::KeyA, KeyCode::KeyQ, KeyCode::KeyZ, KeyCode::Digit1, KeyCode::Minus, KeyCode::Slash];
        assert_eq!(letters.map(|code| place_of(PhysicalKey::Code(code))), ['a', 'q', 'z', '1', '-', '/'].map(Some));
        assert_eq!(place_of(PhysicalKey::Code(KeyCode::Numpad9)), None, "the number pad has places of its own");
    }

    #[test]
    fn a_key_maps_to_its_name_or_to_the_text_it_types() {
        use winit::keyboard::{Key as WinitKey, NamedKey as Named};
        assert_eq!(key_of(&WinitKey::Named(Named::ArrowUp)), Key::Named(NamedKey::Up));
        assert_eq!(key_of(&WinitKey::Character("ß".into())), Key::Character("ß".to_owned()));
        assert_eq!(key_of(&WinitKey::Named(Named::F5)), Key::Other);
    }
}
