//! The desktop's device for sound.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, ErrorKind, OutputCallbackInfo, SampleFormat, StreamConfig};

use super::queue::{CHANNELS, SoundQueue};

/// How long the device's buffer lasts, as a part of a second.
const BUFFERS_PER_SECOND: u32 = 25;
/// How long a device may take to start.
const START_LIMIT: Duration = Duration::from_secs(5);

/// Keeps ALSA from writing to the terminal on this thread that there is no device, which nobody needs to know.
#[cfg(target_os = "linux")]
pub fn quiet() {
    use std::ffi::{c_char, c_int, c_void};

    type Handler = unsafe extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char, *mut c_void);
    unsafe extern "C" {
        fn snd_lib_error_set_local(handler: Option<Handler>) -> Option<Handler>;
    }
    unsafe extern "C" fn ignore(
        _file: *const c_char,
        _line: c_int,
        _function: *const c_char,
        _error: c_int,
        _format: *const c_char,
        _arguments: *mut c_void,
    ) {
    }
    // SAFETY: the function, in the library that cpal links, takes a function of this form for the calling thread. Its
    // last parameter, a list of arguments, is passed as a pointer, and nobody looks at it.
    unsafe { snd_lib_error_set_local(Some(ignore)) };
}

/// Other systems write nothing.
#[cfg(not(target_os = "linux"))]
pub const fn quiet() {}

/// An open device, which plays what the queue gives it.
pub struct Output {
    stream: cpal::Stream,
    /// `true` once the device is gone.
    is_lost: Arc<AtomicBool>,
    /// Samples per second and channel.
    pub rate: u32,
    is_playing: bool,
}

impl Output {
    /// Opens the device that the desktop plays sound with, if there is one.
    pub fn open(queue: &Arc<Mutex<SoundQueue>>) -> Option<Self> {
        let device = cpal::default_host().default_output_device()?;
        let usual = device.default_output_config().map_err(|error| log::debug!("sound: no device: {error}")).ok()?;
        let mut config = usual.config();
        let rate = config.sample_rate;
        let sizes = [BufferSize::Fixed(rate / BUFFERS_PER_SECOND), BufferSize::Default];
        for (size, format) in sizes.into_iter().flat_map(|size| [(size, SampleFormat::F32), (size, SampleFormat::I16)])
        {
            config.buffer_size = size;
            let is_lost = Arc::new(AtomicBool::new(false));
            let stream = match format {
                SampleFormat::F32 => build::<f32>(&device, config, queue, &is_lost),
                _ => build::<i16>(&device, config, queue, &is_lost),
            };
            match stream {
                Ok(stream) => {
                    let name = device.description().map(|known| known.name().to_owned()).unwrap_or_default();
                    log::debug!("sound: {name}, {rate} Hz, {} channels, {size:?}", config.channels);
                    return Some(Self { stream, is_lost, rate, is_playing: false });
                }
                Err(error) => log::debug!("sound: the device refuses {format} with {size:?}: {error}"),
            }
        }
        None
    }

    /// Returns `true` if the device can no longer be used.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Starts or stops the device.
    pub fn play(&mut self, plays: bool) {
        if self.is_playing == plays {
            return;
        }
        let done = if plays { self.stream.play() } else { self.stream.pause() };
        if let Err(error) = done {
            log::debug!("sound: the device is lost: {error}");
            self.is_lost.store(true, Ordering::Relaxed);
        }
        self.is_playing = plays;
    }
}

/// Builds a stream of samples of this type.
fn build<T: cpal::SizedSample + cpal::FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    queue: &Arc<Mutex<SoundQueue>>,
    is_lost: &Arc<AtomicBool>,
) -> Result<cpal::Stream, cpal::Error> {
    let (queue, is_lost) = (Arc::clone(queue), Arc::clone(is_lost));
    let channels = usize::from(config.channels.max(1));
    let mut pairs = Vec::new();
    let give = move |out: &mut [T], info: &OutputCallbackInfo| {
        let now = Instant::now();
        let times = info.timestamp();
        let at = now + times.playback.checked_duration_since(times.callback).unwrap_or_default();
        pairs.resize(out.len() / channels * CHANNELS, 0.0);
        queue.lock().unwrap_or_else(PoisonError::into_inner).fill(&mut pairs, at);
        for (frame, pair) in out.chunks_exact_mut(channels).zip(pairs.chunks_exact(CHANNELS)) {
            match frame {
                [only] => *only = T::from_sample(0.5 * (pair[0] + pair[1])),
                [left, right, others @ ..] => {
                    (*left, *right) = (T::from_sample(pair[0]), T::from_sample(pair[1]));
                    others.fill(T::EQUILIBRIUM);
                }
                [] => {}
            }
        }
    };
    let complain = move |error: cpal::Error| {
        // A stream goes on after these.
        let is_over = !matches!(error.kind(), ErrorKind::DeviceChanged | ErrorKind::Xrun | ErrorKind::RealtimeDenied);
        log::debug!("sound: {error}");
        is_lost.fetch_or(is_over, Ordering::Relaxed);
    };
    device.build_output_stream(config, give, complain, Some(START_LIMIT))
}
