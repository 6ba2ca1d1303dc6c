//! The decision for a stream: whether hardware decodes it. Hardware that is not named is checked first.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Decoder;
use crate::av::{self, Accelerator, HardwareDevice, HardwareKind, StreamParameters};
use crate::error::{MediaError, MediaFault};
use crate::read::hardware::{HardwareChoice, HardwareOptions, difference};
use crate::read::info::OpenOptions;

/// Frames that a check decodes both ways, unless they are so large that fewer have to do.
const CHECKED_FRAMES: u64 = 24;
/// Maximum number of pixels of the frames that a check decodes.
const CHECKED_PIXELS: u64 = CHECKED_FRAMES * 4096 * 2304;

/// Codecs whose standards allow inverse transforms to differ in their rounding. Hardware's samples are as good as
/// software's, but not the same.
const INEXACT: [&str; 6] = ["h263", "mjpeg", "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v3"];

/// The decision for a stream; software by default.
#[derive(Default)]
pub(crate) struct Decision {
    pub(crate) hardware: Option<Accelerator>,
    /// Why hardware does not decode, if it was considered.
    pub(crate) reason: Option<String>,
}

/// Decides what decodes a stream. `subject` is the file to check hardware with, if the stream can be read twice.
///
/// # Errors
/// [`MediaFault::NoHardware`] if hardware was named that this machine does not have, or that has no decoder for the
/// codec.
pub(crate) fn decide(
    options: &OpenOptions,
    parameters: &StreamParameters<'_>,
    (path, is_repeatable): (&Path, bool),
) -> Result<Decision, MediaError> {
    let software = |reason| Decision { hardware: None, reason };
    let takes_hardware = matches!(options.hardware.choice, HardwareChoice::Auto | HardwareChoice::Named(_));
    if takes_hardware && INEXACT.contains(&parameters.codec_name()) {
        let reason =
            format!("the rounding of {} is left open, so that hardware gives other samples", parameters.codec_name());
        if options.hardware.choice != HardwareChoice::Auto {
            log::warn!("{}: {reason}; software decodes", path.display());
        }
        return Ok(software(Some(reason)));
    }
    let used = |accelerator| Decision { hardware: Some(accelerator), reason: None };
    match options.hardware.choice {
        HardwareChoice::No => Ok(software(None)),
        HardwareChoice::Named(kind) => {
            let failed = |reason: String| MediaFault::NoHardware { kind, reason }.of(path.to_owned());
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
