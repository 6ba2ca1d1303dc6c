//! Hardware made for tests: a decoder in software whose frames look like downloaded surfaces, and which fails as told.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{AvError, AvFrame, PixelFormat, Scaler};

/// Faults of made hardware. Frames and packets are counted from 1 over all decoders that use it.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// `true` if it decodes no stream.
    pub(crate) refuses: bool,
    /// The packet that fails with an error of the device.
    pub(crate) fails_at_packet: Option<u64>,
    /// The frame in place of which an error of the device is reported.
    pub(crate) fails_at_frame: Option<u64>,
    /// The frame with a wrong sample.
    pub(crate) wrong_at_frame: Option<u64>,
    /// The frame that it calls damaged.
    pub(crate) damaged_at_frame: Option<u64>,
    /// Milliseconds that each frame takes.
    pub(crate) delay_millis: u64,
}

/// Made hardware.
#[derive(Debug, Clone, Copy)]
pub struct MadeHardware(&'static MadeState);

#[derive(Debug, Default)]
struct MadeState {
    faults: Faults,
    packets: AtomicU64,
    frames: AtomicU64,
}

impl PartialEq for MadeHardware {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for MadeHardware {}

impl MadeHardware {
    pub(crate) fn with(faults: Faults) -> Self {
        Self(Box::leak(Box::new(MadeState { faults, ..MadeState::default() })))
    }

    /// Returns the number of frames that it has decoded.
    pub(crate) fn frames(self) -> u64 {
        self.0.frames.load(Ordering::Relaxed)
    }

    /// Returns `true` if it decodes no stream.
    pub(super) const fn refuses(self) -> bool {
        self.0.faults.refuses
    }

    /// Counts a packet, and fails if it is the one to fail.
    pub(super) fn take_packet(self) -> Result<(), AvError> {
        let number = self.0.packets.fetch_add(1, Ordering::Relaxed) + 1;
        if self.0.faults.fails_at_packet == Some(number) { Err(AvError::IO) } else { Ok(()) }
    }

    /// Returns the frame as hardware would: interleaved chroma, and more than eight bits in the upper bits of a word.
    pub(super) fn pass_on(self, frame: &AvFrame) -> Result<AvFrame, AvError> {
        let number = self.0.frames.fetch_add(1, Ordering::Relaxed) + 1;
        let faults = &self.0.faults;
        std::thread::sleep(std::time::Duration::from_millis(faults.delay_millis));
        if faults.fails_at_frame == Some(number) {
            return Err(AvError::IO);
        }
        let (coded, size) = (frame.format(), frame.size());
        let surface = match coded.name() {
            "yuv420p" | "yuvj420p" => c"nv12",
            "yuv420p10le" => c"p010le",
            name => panic!("made hardware has no surfaces for {name}"),
        };
        let surface = PixelFormat::by_name(surface).expect("a format of FFmpeg's");
        // The frames of tests are small, so that each has a scaler.
        let mut scaler = Scaler::new(size, coded, surface, false).expect("a scaler");
        let mut downloaded = scaler.convert(frame)?;
        if faults.wrong_at_frame == Some(number) {
            downloaded.spoil();
        }
        if faults.damaged_at_frame == Some(number) {
            downloaded.set_damaged();
        }
        downloaded.set_coded_format(coded);
        Ok(downloaded)
    }
}
