//! Decoding with hardware: a made device stands in for it, which is software that fails as told. The expected frames
//! are always those of software alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::*;
use crate::DecodeEvent;
use crate::DecodeThread;
use crate::HardwareChoice;
use crate::HardwareKind;
use crate::HardwareOptions;
use crate::OpenOptions;
use crate::QueueLimits;
use crate::Seek;
use crate::SeekTarget;
use crate::av::made::{Faults, MadeHardware};
use histoscope_core::picture::unpack::Source;

/// A clip of FFmpeg's test source, and the folder that it is in.
struct Clip {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn clip(name: &str, secs: u32, arguments: &str) -> Clip {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let source = format!("testsrc2=size=202x148:rate=25:duration={secs}");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-f", "lavfi", "-i", &source])
        .args(arguments.split(' '))
        .arg(&path)
        .status()
        .unwrap();
    assert!(made.success(), "{name}");
    Clip { folder, path }
}

const X264: &str = "-pix_fmt yuv420p -c:v libx264 -preset veryfast -threads 1";
const X265: &str = "-c:v libx265 -preset ultrafast -x265-params log-level=error:pools=none:frame-threads=1";

/// Returns clips whose frames depend on each other in all the ways that matter after a failure.
fn clips() -> Vec<Clip> {
    vec![
        clip("closed.mp4", 3, &format!("{X264} -g 25 -bf 3")),
        clip("open.ts", 3, &format!("{X264} -g 25 -bf 3 -x264-params open-gop=1:b-pyramid=normal")),
        clip("one-key.mkv", 2, &format!("{X264} -g 1000 -bf 2")),
        clip("fields.ts", 2, &format!("{X264} -g 25 -flags +ildct+ilme")),
        clip("intra.mkv", 1, &format!("{X264} -g 1")),
        clip("open10.mkv", 3, &format!("-pix_fmt yuv420p10le {X265}:keyint=25:open-gop=1:bframes=4")),
        clip("plain.m2v", 2, "-pix_fmt yuv420p -c:v mpeg2video -g 12 -bf 2"),
        clip(
            "hidden.webm",
            2,
            "-pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -auto-alt-ref 1 -lag-in-frames 16",
        ),
    ]
}

fn with(choice: HardwareChoice) -> OpenOptions {
    let hardware = HardwareOptions { choice, ..HardwareOptions::default() };
    OpenOptions { threads: Some(1), hardware, ..OpenOptions::default() }
}

fn made(faults: Faults) -> (MadeHardware, OpenOptions) {
    let made = MadeHardware::with(faults);
    (made, with(HardwareChoice::Made(made)))
}

/// The facts that are compared for each frame: number, timestamp, flags, and a hash of the samples.
type Facts = (Option<u64>, i64, (bool, bool, Option<char>), u64);

fn facts(frame: &Frame) -> Facts {
    let (picture, mut sum) = (&frame.picture, DefaultHasher::new());
    for component in 0..picture.layout().component_count() {
        let source = Source::of_samples(picture, component);
        let mut row = vec![0; source.width];
        for y in 0..source.height {
            source.unpack(0, y, &mut row);
            row.hash(&mut sum);
        }
    }
    (frame.index, frame.pts_ticks, (frame.key, frame.damaged, frame.picture_type), sum.finish())
}

/// Returns the remaining frames of a decoder.
fn rest(decoder: &mut Decoder) -> Vec<Facts> {
    let mut found = Vec::new();
    while let Some(frame) = decoder.next_frame().unwrap() {
        found.push(facts(&frame));
    }
    found
}

fn all(path: &Path, options: &OpenOptions) -> (Vec<Facts>, Decoder) {
    let mut decoder = Decoder::open(path, options).unwrap();
    (rest(&mut decoder), decoder)
}

/// Asserts that both lists are the same, and names the first frame that is not.
fn assert_same(found: &[Facts], expected: &[Facts], what: &str) {
    let first = found.iter().zip(expected).position(|(found, expected)| found != expected);
    let pair = first.map(|at| (at, found[at], expected[at]));
    assert_eq!((found.len(), pair), (expected.len(), None), "{what}");
}

#[test]
fn hardware_gives_the_frames_of_software() {
    for clip in clips() {
        let (expected, software) = all(&clip.path, &with(HardwareChoice::No));
        let (hardware, options) = made(Faults::default());
        let (found, decoder) = all(&clip.path, &options);
        let name = clip.path.display().to_string();
        assert_same(&found, &expected, &name);
        assert!(hardware.frames() >= expected.len() as u64, "{name}");
        let (info, plain) = (decoder.info(), software.info());
        assert_eq!((info.hardware, info.software_reason.clone()), (Some("made"), None), "{name}");
        assert_eq!(info.decoder, format!("{} (made)", plain.decoder), "{name}");
        assert_eq!(info.pixel_format, plain.pixel_format, "{name}");
        assert_ne!(info.layout, plain.layout, "{name}: made hardware interleaves chroma");
        assert_eq!(decoder.counters().hardware_failures, 0);
    }
}

/// Takes events up to the next one that `pick` picks.
fn wait_for<T>(thread: &DecodeThread, what: &str, pick: impl Fn(DecodeEvent) -> Option<T>) -> T {
    loop {
        let event = thread.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|| panic!("no {what}"));
        if let Some(picked) = pick(event) {
            return picked;
        }
    }
}

#[test]
fn another_decoder_takes_over_at_a_seek() {
    let known = |facts: &Facts| (facts.1, facts.2, facts.3);
    // Whatever hardware is named, software decodes MPEG-2.
    for clip in clips().into_iter().filter(|clip| !clip.path.ends_with("plain.m2v")) {
        let name = clip.path.display().to_string();
        let (expected, _) = all(&clip.path, &with(HardwareChoice::No));
        let expected: Vec<_> = expected.iter().map(known).collect();
        let hardware = MadeHardware::with(Faults::default());
        let thread =
            DecodeThread::open(&clip.path, with(HardwareChoice::No), QueueLimits::default(), || ()).expect("a thread");
        let mut last = wait_for(&thread, "frame", |event| matches!(event, DecodeEvent::Frame(_)).then_some(0));
        let none = HardwareChoice::Named(HardwareKind::VideoToolbox);
        // Software, then hardware, then none that this machine has, and software again.
        let choices =
            [(HardwareChoice::Made(hardware), Some("made")), (none, Some("made")), (HardwareChoice::No, None)];
        for (serial, (choice, wanted)) in (1..).zip(choices) {
            thread.decode_with(choice);
            thread.seek(serial, Seek::Exact(SeekTarget::Timestamp(expected[last].0)));
            let switched = wait_for(&thread, "answer", |event| match event {
                DecodeEvent::Switched(switched) => Some(switched),
                _ => None,
            });
            assert_eq!(switched.is_err(), choice == none, "{name}");
            if let Ok(info) = switched {
                assert_eq!(info.hardware, wanted, "{name}");
            }
            let before = hardware.frames();
            for at in last..(last + 20).min(expected.len()) {
                let found = wait_for(&thread, "frame", |event| match event {
                    DecodeEvent::Frame(frame) if frame.serial == serial => Some(facts(&frame)),
                    _ => None,
                });
                assert_eq!(known(&found), expected[at], "{name}: frame {at} after {choice:?}");
            }
            assert_eq!(hardware.frames() > before, wanted.is_some(), "{name}: {choice:?}");
            last += 7;
        }
    }
}

#[test]
fn what_hardware_refuses_is_decoded_in_software() {
    for clip in clips() {
        let (expected, software) = all(&clip.path, &with(HardwareChoice::No));
        let (_, options) = made(Faults { refuses: true, ..Faults::default() });
        let (found, decoder) = all(&clip.path, &options);
        let name = clip.path.display().to_string();
        assert_same(&found, &expected, &name);
        assert_eq!((decoder.info().hardware, &decoder.info().decoder), (None, &software.info().decoder), "{name}");
        let reason = decoder.info().software_reason.clone();
        assert_eq!(reason.as_deref(), Some("made: it does not decode this profile, size or chroma format"), "{name}");
        assert_eq!(decoder.counters().hardware_failures, 0, "{name}: it never began");
    }
}

#[test]
fn software_continues_with_the_same_frame() {
    for clip in clips() {
        let (expected, _) = all(&clip.path, &with(HardwareChoice::No));
        let length = expected.len() as u64;
        for at in [2, 3, 7, 24, 25, 26, 27, 30, 40, length - 1, length].into_iter().filter(|at| *at <= length) {
            for is_packet in [false, true] {
                let (fails_at_packet, fails_at_frame) = (is_packet.then_some(at), (!is_packet).then_some(at));
                let (_, options) = made(Faults { fails_at_packet, fails_at_frame, ..Faults::default() });
                let (found, decoder) = all(&clip.path, &options);
                let what = format!("{}, fails at {at}, packet: {is_packet}", clip.path.display());
                assert_same(&found, &expected, &what);
                let counters = decoder.counters();
                assert_eq!((counters.delivered, counters.refused_packets), (length, 0), "{what}");
                assert_eq!(decoder.info().hardware, None, "{what}");
                let reason = decoder.info().software_reason.clone().unwrap_or_default();
                let told = if cfg!(windows) { "I/O error" } else { "Input/output error" };
                assert!(reason.starts_with("made: ") && reason.contains(told), "{what}: {reason}");
            }
        }
    }
}

#[test]
fn software_continues_after_a_seek_too() {
    for clip in clips().iter().filter(|clip| clip.path.extension().is_some_and(|ending| ending != "m2v")) {
        let (expected, _) = all(&clip.path, &with(HardwareChoice::No));
        for (to, later) in [(30, 1), (30, 4), (expected.len() - 5, 2), (1, 9)] {
            let to = to.min(expected.len() - 1);
            // The frames that decoding the target takes are counted first.
            let seek = Seek::Exact(SeekTarget::Timestamp(expected[to].1));
            let (hardware, options) = made(Faults::default());
            let mut decoder = Decoder::open(&clip.path, &options).unwrap();
            decoder.seek(seek).unwrap();
            let kind = decoder.info().hardware;
            assert_eq!(kind, Some("made"), "{}: a seek to {to} is no failure", clip.path.display());
            let fails_at_frame = Some(hardware.frames() + later);
            let (_, options) = made(Faults { fails_at_frame, ..Faults::default() });
            let mut decoder = Decoder::open(&clip.path, &options).unwrap();
            decoder.seek(seek).unwrap();
            let found = rest(&mut decoder);
            let mut software = Decoder::open(&clip.path, &with(HardwareChoice::No)).unwrap();
            software.seek(seek).unwrap();
            let what = format!("{}, frame {to}, {later} later", clip.path.display());
            assert_same(&found, &rest(&mut software), &what);
            // Seeks after the failure are those of software.
            decoder.seek(Seek::START).unwrap();
            assert_same(&rest(&mut decoder), &expected, &what);
        }
    }
}

#[test]
fn software_starts_again_if_too_few_packets_are_stored() {
    let clip = clip("one-key.mkv", 2, &format!("{X264} -g 1000 -bf 2"));
    let (expected, _) = all(&clip.path, &with(HardwareChoice::No));
    for fails_at_frame in [Some(20), Some(45), Some(50)] {
        let (_, options) = made(Faults { fails_at_frame, ..Faults::default() });
        let mut decoder = Decoder::open(&clip.path, &options).unwrap();
        decoder.codec.limit_fallback(2000);
        assert_same(&rest(&mut decoder), &expected, &format!("{fails_at_frame:?}"));
        assert_eq!(decoder.counters().hardware_failures, 1);
    }
}

#[test]
fn a_frame_that_hardware_calls_damaged_is_decoded_again() {
    let clip = clip("closed.mp4", 3, &format!("{X264} -g 25 -bf 3"));
    let (expected, _) = all(&clip.path, &with(HardwareChoice::No));
    for damaged_at_frame in [Some(1), Some(2), Some(31), Some(75)] {
        let (_, options) = made(Faults { damaged_at_frame, ..Faults::default() });
        let (found, decoder) = all(&clip.path, &options);
        assert_same(&found, &expected, &format!("{damaged_at_frame:?}"));
        let reason = decoder.info().software_reason.clone();
        assert_eq!(reason.as_deref(), Some("made: a frame is damaged"));
    }
}

#[test]
fn damage_in_the_file_is_concealed_as_by_software() {
    for name in ["closed.mkv", "open.ts"] {
        let clip = clip(name, 3, &format!("{X264} -g 25 -bf 3"));
        let mut bytes = std::fs::read(&clip.path).unwrap();
        for at in [bytes.len() / 3, bytes.len() / 2, bytes.len() * 4 / 5] {
            bytes[at..at + 40].fill(0x5a);
        }
        std::fs::write(&clip.path, bytes).unwrap();
        let (expected, software) = all(&clip.path, &with(HardwareChoice::No));
        let (_, options) = made(Faults::default());
        let (found, decoder) = all(&clip.path, &options);
        assert!(software.counters().damaged + software.counters().refused_packets > 0, "{name} is damaged");
        assert_same(&found, &expected, name);
        assert_eq!(decoder.info().hardware, None, "{name}");
    }
}

#[test]
fn verifying_notices_one_wrong_sample() {
    let clip = clip("closed.mp4", 3, &format!("{X264} -g 25 -bf 3"));
    let verified = |faults| {
        let (_, mut options) = made(faults);
        options.hardware.verify = true;
        let mut decoder = Decoder::open(&clip.path, &options).unwrap();
        loop {
            match decoder.next_frame() {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(decoder.counters().delivered),
                Err(error) => return Err(error),
            }
        }
    };
    assert_eq!(verified(Faults::default()), Ok(75));
    assert_eq!(verified(Faults { fails_at_frame: Some(33), ..Faults::default() }), Ok(75));
    let found = verified(Faults { wrong_at_frame: Some(41), ..Faults::default() });
    let Err(MediaError { fault: MediaFault::HardwareDiffers { hardware, seconds, difference, .. }, .. }) = found else {
        panic!("{found:?}")
    };
    assert_eq!((hardware, (seconds * 25.0).round(), difference), ("made", 40.0, "its picture"));
}

#[test]
fn hardware_is_used_unasked_only_if_checked_and_faster() {
    let clip = clip("closed.mp4", 2, &format!("{X264} -g 25 -bf 3"));
    let checks = clip.folder.path().join("cache").join("checks.tsv");
    let open = |faults| {
        let made = MadeHardware::with(faults);
        let mut options = with(HardwareChoice::AutoMade(made));
        options.hardware.checks = Some(checks.clone());
        (made, Decoder::open(&clip.path, &options).unwrap().info().clone())
    };
    let kept = || std::fs::read_to_string(&checks).unwrap_or_default();
    let (_, info) = open(Faults { refuses: true, ..Faults::default() });
    assert_eq!(info.software_reason.as_deref(), Some("made: it does not decode this stream"));
    assert_eq!((info.hardware, &*kept()), (None, ""), "another file of the kind may be decoded");
    let (_, info) = open(Faults { wrong_at_frame: Some(24), ..Faults::default() });
    assert_eq!(info.software_reason.as_deref(), Some("made: its frames differ from software's"));
    assert!(kept().ends_with("\tdiffers\n") && kept().lines().count() == 1, "{}", kept());
    let (made, info) = open(Faults::default());
    assert_eq!((info.hardware, made.frames()), (None, 0), "it is not checked again");
    std::fs::remove_file(&checks).unwrap();
    let (_, info) = open(Faults { delay_millis: 20, ..Faults::default() });
    assert_eq!(info.software_reason.as_deref(), Some("made: not faster than software"));
    std::fs::write(&checks, kept().replace("\tslower", "\tfaster")).unwrap();
    let (_, info) = open(Faults::default());
    assert_eq!((info.hardware, info.software_reason), (Some("made"), None));
    std::fs::write(&checks, kept().replace("made 1", "made 2")).unwrap();
    let (made, _) = open(Faults { delay_millis: 20, ..Faults::default() });
    assert!(made.frames() > 0, "another driver is checked anew");
}

#[test]
fn hardware_that_is_not_there_is_an_error_only_if_it_was_named() {
    let clip = clip("closed.mp4", 1, X264);
    // A kind that no machine of this system has.
    let kind = if cfg!(windows) { HardwareKind::VideoToolbox } else { HardwareKind::D3d11va };
    let error = Decoder::open(&clip.path, &with(HardwareChoice::Named(kind))).err();
    assert!(matches!(error, Some(MediaError { fault: MediaFault::NoHardware { .. }, .. })), "{error:?}");
    let text = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(text.contains(&format!("cannot be decoded with {}", kind.name())) && text.contains("--hwdec"), "{text}");
}

#[test]
fn software_decodes_codecs_whose_rounding_is_left_open() {
    let source = "-pix_fmt yuv420p";
    for (name, codec) in [("two.ts", "mpeg2video"), ("four.avi", "mpeg4"), ("motion.avi", "mjpeg -color_range pc")] {
        let clip = clip(name, 1, &format!("{source} -strict -2 -c:v {codec}"));
        for choice in [HardwareChoice::Auto, HardwareChoice::Named(HardwareKind::Cuda)] {
            let decoder =
                Decoder::open(&clip.path, &with(choice)).expect("software decodes it, whatever this machine has");
            let reason = decoder.info().software_reason.clone().unwrap_or_default();
            assert!(reason.starts_with("the rounding of ") && reason.ends_with("gives other samples"), "{reason}");
        }
    }
}
