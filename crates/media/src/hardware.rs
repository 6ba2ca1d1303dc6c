//! The choice of a hardware decoder, and the check that decides whether one is used unasked.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use super::av::{self, Accelerator, DeviceMemory, HardwareDevice, HardwareKind, StreamParameters};
use super::decoder::Decoder;
use super::error::MediaError;
use super::info::OpenOptions;
use histoscope_core::picture::{Frame, FrameFacts};

/// Frames that a check decodes both ways, unless they are so large that fewer have to do.
const CHECKED_FRAMES: u64 = 24;
/// Maximum number of pixels of the frames that a check decodes.
const CHECKED_PIXELS: u64 = CHECKED_FRAMES * 4096 * 2304;

/// The choice of what decodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardwareChoice {
    /// Hardware that has been checked on this machine: it gives the same frames as software, and faster.
    Auto,
    /// Software.
    #[default]
    No,
    /// Hardware of this kind, as far as it can decode the stream.
    Named(HardwareKind),
    /// Hardware made for a test.
    #[cfg(test)]
    Made(av::made::MadeHardware),
    /// Hardware made for a test, if its check is passed.
    #[cfg(test)]
    AutoMade(av::made::MadeHardware),
}

impl HardwareChoice {
    /// Returns the choice of exactly this hardware.
    const fn of(accelerator: Accelerator) -> Self {
        match accelerator {
            Accelerator::Device(device) => Self::Named(device.kind),
            #[cfg(test)]
            Accelerator::Made(made) => Self::Made(made),
        }
    }
}

/// The names of all choices, for messages.
pub const HARDWARE_NAMES: &str = "auto, no, vulkan, cuda (or nvdec), vaapi, videotoolbox, d3d11va";

impl FromStr for HardwareChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Self::Auto),
            "no" => return Ok(Self::No),
            // mpv's name for the same decoder.
            "nvdec" => return Ok(Self::Named(HardwareKind::Cuda)),
            _ => {}
        }
        let named = HardwareKind::ALL.into_iter().find(|kind| kind.name() == text);
        named.map(Self::Named).ok_or_else(|| format!("no such hardware decoder; choose one of {HARDWARE_NAMES}"))
    }
}

/// Options for decoding with hardware.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HardwareOptions {
    /// What decodes.
    pub choice: HardwareChoice,
    /// `true` to decode every frame in software too, and to fail at the first that differs.
    pub verify: bool,
    /// File that keeps the results of checks; without it, each run checks again.
    pub checks: Option<PathBuf>,
    /// The memory of the graphics device that counts and draws, for decoders that can write to it.
    pub memory: Option<DeviceMemory>,
}

/// The decision for a stream; software by default.
#[derive(Default)]
pub(super) struct Decision {
    pub(super) hardware: Option<Accelerator>,
    /// Why hardware does not decode, if it was considered.
    pub(super) reason: Option<String>,
}

/// Decides what decodes a stream. `subject` is the file to check hardware with, if the stream can be read twice.
///
/// # Errors
/// [`MediaError::NoHardware`] if hardware was named that this machine does not have, or that has no decoder for the
/// codec.
pub(super) fn decide(
    options: &OpenOptions,
    parameters: &StreamParameters<'_>,
    (path, is_repeatable): (&Path, bool),
) -> Result<Decision, MediaError> {
    let software = |reason| Decision { hardware: None, reason };
    let used = |accelerator| Decision { hardware: Some(accelerator), reason: None };
    match options.hardware.choice {
        HardwareChoice::No => Ok(software(None)),
        HardwareChoice::Named(kind) => {
            let failed = |reason: String| MediaError::NoHardware { path: path.to_owned(), kind, reason };
            open(kind, parameters).map(used).map_err(failed)
        }
        HardwareChoice::Auto => {
            let mut reasons = Vec::new();
            for kind in HardwareKind::ALL {
                let checked = open(kind, parameters)
                    .map(|device| (device, verdict(options, parameters, device, (path, is_repeatable))));
                match checked {
                    Ok((device, Verdict::Faster)) => return Ok(used(device)),
                    Ok((_, other)) => reasons.push(format!("{}: {other}", kind.name())),
                    Err(reason) => reasons.push(format!("{}: {reason}", kind.name())),
                }
            }
            Ok(software(Some(reasons.join("; "))))
        }
        #[cfg(test)]
        HardwareChoice::Made(made) => Ok(used(Accelerator::Made(made))),
        #[cfg(test)]
        HardwareChoice::AutoMade(made) => {
            let made = Accelerator::Made(made);
            Ok(match verdict(options, parameters, made, (path, is_repeatable)) {
                Verdict::Faster => used(made),
                other => software(Some(format!("made: {other}"))),
            })
        }
    }
}

/// Opens a device of this kind if FFmpeg can decode the stream with one.
fn open(kind: HardwareKind, parameters: &StreamParameters<'_>) -> Result<Accelerator, String> {
    kind.check_decoder(parameters)?;
    HardwareDevice::shared(kind).map(Accelerator::Device)
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The frames are the same, and hardware is faster.
    Faster,
    /// The frames are the same, but hardware is not faster.
    Slower,
    /// A frame differs.
    Differs,
    /// The hardware does not decode these frames.
    Fails,
    /// The check has not been made.
    Unchecked,
}

impl Verdict {
    /// The verdicts that are kept, by their names in the file.
    const KEPT: [(Self, &str); 3] = [(Self::Faster, "faster"), (Self::Slower, "slower"), (Self::Differs, "differs")];

    fn parse(text: &str) -> Option<Self> {
        Self::KEPT.into_iter().find(|(_, name)| *name == text).map(|(verdict, _)| verdict)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Faster => "same frames, faster than software",
            Self::Slower => "not faster than software",
            Self::Differs => "its frames differ from software's",
            Self::Fails => "it does not decode this stream",
            Self::Unchecked => "it is not checked yet, which takes a file that can be read twice",
        })
    }
}

/// Returns the verdict about a device for a stream: the kept one, or else that of a check, which is then kept.
fn verdict(
    options: &OpenOptions,
    parameters: &StreamParameters<'_>,
    device: Accelerator,
    (path, is_repeatable): (&Path, bool),
) -> Verdict {
    let (width, height) = parameters.size();
    let subject = [
        device.name(),
        &device.driver(),
        &av::version(),
        parameters.codec_name(),
        parameters.profile().unwrap_or("no profile"),
        parameters.pixel_format().name(),
        &format!("{width}x{height}"),
        &options.threads.map_or_else(|| "all threads".to_owned(), |threads| format!("{threads} threads")),
    ]
    .map(|part| part.replace(['\t', '\n'], " "))
    .join("\t");
    let kept = options.hardware.checks.as_deref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    let found = kept.lines().filter_map(|line| line.rsplit_once('\t')).find(|(kept, _)| *kept == subject);
    if let Some(verdict) = found.and_then(|(_, verdict)| Verdict::parse(verdict)) {
        return verdict;
    }
    if !is_repeatable {
        return Verdict::Unchecked;
    }
    let verdict = check(path, options, device).unwrap_or(Verdict::Fails);
    log::info!("{}: {} was checked: {verdict}", path.display(), device.name());
    let name = Verdict::KEPT.into_iter().find(|(kept, _)| *kept == verdict).map(|(_, name)| name);
    if let Some((file, name)) = options.hardware.checks.as_deref().zip(name) {
        let written = file.parent().map_or(Ok(()), fs::create_dir_all);
        let written = written.and_then(|()| fs::write(file, format!("{kept}{subject}\t{name}\n")));
        let _ = written.inspect_err(|error| log::info!("{}: the check is not kept: {error}", file.display()));
    }
    verdict
}

/// Decodes the first frames of a file both ways. Returns `None` if hardware does not decode them all.
fn check(path: &Path, options: &OpenOptions, device: Accelerator) -> Option<Verdict> {
    let open = |choice| {
        let hardware = HardwareOptions { choice, ..HardwareOptions::default() };
        Decoder::open(path, &OpenOptions { hardware, ..options.clone() }).ok()
    };
    let (mut software, mut hardware) = (open(HardwareChoice::No)?, open(HardwareChoice::of(device))?);
    let (width, height) = software.info().coded_size;
    let frames = (CHECKED_PIXELS / (u64::from(width) * u64::from(height)).max(1)).clamp(2, CHECKED_FRAMES);
    let mut times = [Duration::ZERO; 2];
    for at in 0..frames {
        let mut decode = |decoder: &mut Decoder, which: usize| {
            let begun = Instant::now();
            let frame = decoder.next_frame();
            // The first frame takes starting the decoder, and was decoded as it was opened.
            times[which] += if at > 0 { begun.elapsed() } else { Duration::ZERO };
            frame.ok()
        };
        let (expected, found) = (decode(&mut software, 0)?, decode(&mut hardware, 1)?);
        hardware.info().hardware?;
        match (expected, found) {
            (None, None) => break,
            (Some(expected), Some(found)) if difference(&expected, &found).is_none() => {}
            _ => return Some(Verdict::Differs),
        }
    }
    Some(if times[1] < times[0] { Verdict::Faster } else { Verdict::Slower })
}

/// Returns in what a frame that hardware has decoded differs from the expected one, if it does. Frames that are called
/// damaged may differ in their pictures.
pub(super) fn difference(expected: &Frame, found: &Frame) -> Option<&'static str> {
    let comparable = |frame: &Frame| FrameFacts { index: None, arrival: None, ..frame.facts.clone() };
    let is_damaged = expected.damaged || found.damaged;
    if comparable(expected) != comparable(found) {
        Some("its time, tags or flags")
    } else if !is_damaged && !found.picture.has_codes_of(&expected.picture) {
        Some("its picture")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_mpv_s_names() {
        let parsed = |text: &str| HardwareChoice::from_str(text).ok();
        assert_eq!(parsed("auto"), Some(HardwareChoice::Auto));
        assert_eq!(parsed("no"), Some(HardwareChoice::No));
        assert_eq!([parsed("cuda"), parsed("nvdec")], [Some(HardwareChoice::Named(HardwareKind::Cuda)); 2]);
        assert!(HardwareKind::ALL.iter().all(|kind| parsed(kind.name()) == Some(HardwareChoice::Named(*kind))));
        assert!(HardwareKind::ALL.iter().all(|kind| HARDWARE_NAMES.contains(kind.name())));
        assert!(["", "CUDA", "opencl", "yes"].iter().all(|text| parsed(text).is_none()));
    }
}
