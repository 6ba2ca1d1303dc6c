//! The checks of sound: faults that are known, and what FFmpeg's filters say of the same clips.

use std::path::Path;
use std::process::Command;

use super::{check, found_by, of};
use crate::common::Clip;

/// A sound of 12 s beside pictures of 25 frames a second.
fn clip(sound: &str, codec: &str) -> Clip {
    Clip::new(
        "a.mkv",
        &format!("-f lavfi -i testsrc2=s=64x48:r=25:d=12 -f lavfi -i aevalsrc=exprs='{sound}':s=48000:d=12 {codec}"),
    )
}

/// Two tones that are alike neither in level nor in phase, about as loud as R 128 asks for.
const TONES: &str = "0.069*sin(6300*t)+0.016*sin(2500*t)|0.069*sin(6300*t)+0.016*sin(3300*t)";

const CHECKS: [&str; 8] =
    ["loudness", "true-peak", "sound-clipped", "silence", "phase", "silent-channel", "sound-start", "sound-length"];

/// Returns the findings about the sound by the default profile.
fn found(file: &Path) -> Vec<(&'static str, (u64, u64))> {
    let found = found_by(file, "ebu");
    CHECKS.iter().flat_map(|check| of(&found, check).into_iter().map(move |frames| (*check, frames))).collect()
}

/// Returns what FFmpeg's filter writes about the sound.
fn filtered(clip: &Clip, filter: &str) -> String {
    let arguments = ["-map", "0:a", "-af", filter, "-f", "null", "-"];
    let told =
        Command::new("ffmpeg").args(["-hide_banner", "-nostdin", "-i"]).arg(clip.path()).args(arguments).output();
    String::from_utf8_lossy(&told.expect("ffmpeg runs").stderr).into_owned()
}

/// Returns the numbers after a word.
fn numbers_after(text: &str, word: &str) -> Vec<f64> {
    let rests = text.match_indices(word).map(|(at, _)| &text[at + word.len()..]);
    rests.filter_map(|rest| rest.split_whitespace().next()?.parse().ok()).collect()
}

#[test]
fn sound_without_faults_has_no_finding() {
    for codec in ["-c:a pcm_s24le", "-c:a aac -b:a 256k", "-c:a flac", "-c:a libopus -b:a 256k"] {
        assert_eq!(found(clip(TONES, codec).path()), [], "{codec}");
    }
    // Without sound there is nothing to say of it.
    assert_eq!(found(Clip::new("a.mkv", "-f lavfi -i testsrc2=s=64x48:r=25:d=2").path()), []);
}

#[test]
fn stretches_of_silence_clipping_peaks_and_inverted_phase_are_found_to_the_frame() {
    // Nothing from 4 s to 7 s. FFmpeg has the same stretch.
    let silent = clip(
        &format!("({})*(1-between(t,4,7-1e-6))|0.085*sin(6300*t)*(1-between(t,4,7-1e-6))", "0.1*sin(6300*t)"),
        "-c:a pcm_s24le",
    );
    let log = filtered(&silent, "silencedetect=n=-60dB:d=2");
    let (start, end) = (numbers_after(&log, "silence_start: ")[0], numbers_after(&log, "silence_end: ")[0]);
    assert!((start - 4.0).abs() < 0.001 && (end - 7.0).abs() < 0.001, "{start} to {end}");
    assert_eq!(of(&found_by(silent.path(), "ebu"), "silence"), [(100, 174)]);
    // One channel is the other's negative from 5 s on.
    let inverted = clip("0.1*sin(6300*t)|0.1*sin(6300*t)*(1-2*gte(t,5))", "-c:a pcm_s24le");
    assert_eq!(of(&found_by(inverted.path(), "ebu"), "phase"), [(125, 299)]);
    // Beyond full scale from 2 s to 3 s: clipped, and peaks of 0 dBTP or more.
    let clipped = clip("sin(6300*t)*(0.1+1.4*between(t,2,3-1e-6))|0.1*sin(6300*t)", "-c:a pcm_s16le");
    let findings = found_by(clipped.path(), "ebu");
    assert_eq!(of(&findings, "sound-clipped"), [(50, 74)]);
    // The filter of the true peak reaches a few samples further.
    let peaks = of(&findings, "true-peak");
    assert!(matches!(peaks[..], [(50, 74 | 75)]), "{peaks:?}");
}

#[test]
fn loudness_is_judged_by_the_profile_and_its_tolerance() {
    let loud = clip("0.2*sin(6300*t)|0.2*sin(6300*t)", "-c:a pcm_s24le");
    let measured = *numbers_after(&filtered(&loud, "ebur128"), "I:").last().expect("a loudness");
    assert!((measured + 14.0).abs() < 1.5, "{measured}");
    let verdict = check(loud.path(), &[]);
    let line = verdict.stdout.lines().find(|line| line.contains("too loud")).unwrap_or_else(|| panic!("{verdict:?}"));
    assert!(line.contains(&format!("{measured:.1} LUFS")) && line.contains("-23 ± 0.5 LUFS"), "{line}");
    assert_eq!(verdict.code, Some(4));
    let quiet = clip("0.01*sin(6300*t)|0.01*sin(6300*t)", "-c:a pcm_s24le");
    assert!(check(quiet.path(), &[]).stdout.contains("not loud enough"));
    // The threshold is this loudness then.
    let threshold = format!("loudness.threshold={measured}");
    assert!(!check(loud.path(), &["--set", &threshold]).stdout.contains("too loud"));
    let narrow = [format!("loudness.threshold={}", measured - 1.2), "loudness.tolerance=1".to_owned()];
    assert!(check(loud.path(), &["--set", &narrow[0], "--set", &narrow[1]]).stdout.contains("too loud"));
    assert!(!check(loud.path(), &["--set", &narrow[0], "--set", "loudness.tolerance=1.4"]).stdout.contains("too loud"));
}

#[test]
fn a_silent_channel_and_sound_that_begins_late_or_ends_early_are_found() {
    let one = clip("0.1*sin(6300*t)|0", "-c:a pcm_s24le");
    let text = check(one.path(), &[]).stdout;
    assert!(text.contains("channel 2 of 2 is silent"), "{text}");
    // All channels are silent: that is one stretch of silence.
    assert_eq!(found(clip("0|0", "-c:a pcm_s24le").path()), [("silence", (0, 299))]);
    let pictures = "-f lavfi -i testsrc2=s=64x48:r=25:d=6";
    let late = Clip::new(
        "a.mkv",
        &format!("{pictures} -itsoffset 1.5 -f lavfi -i aevalsrc=exprs='{TONES}':s=48000:d=4.5 -c:a pcm_s24le"),
    );
    let text = check(late.path(), &[]).stdout;
    assert!(text.contains("the sound begins after the picture") && text.contains("1.500 s"), "{text}");
    assert!(!text.contains("the sound ends"), "{text}");
    let short =
        Clip::new("a.mkv", &format!("{pictures} -f lavfi -i aevalsrc=exprs='{TONES}':s=48000:d=4 -c:a pcm_s24le"));
    let text = check(short.path(), &[]).stdout;
    assert!(text.contains("the sound ends before the picture") && text.contains("2.000 s"), "{text}");
    let long =
        Clip::new("a.mkv", &format!("{pictures} -f lavfi -i aevalsrc=exprs='{TONES}':s=48000:d=9 -c:a pcm_s24le"));
    let text = check(long.path(), &[]).stdout;
    assert!(text.contains("the sound ends after the picture") && text.contains("3.000 s"), "{text}");
}

#[test]
fn damaged_sound_is_a_finding_and_the_pictures_are_checked() {
    let clip = Clip::new(
        "a.mkv",
        &format!(
            "-f lavfi -i testsrc2=s=64x48:r=25:d=6 -f lavfi -i aevalsrc=exprs='{TONES}':s=48000:d=6 -c:v libx264 -c:a ac3 -bsf:a noise=amount=300"
        ),
    );
    let run = check(clip.path(), &[]);
    assert!(
        run.stdout.contains("packets of sound refused by the decoder") && run.stdout.contains("150 frames"),
        "{run:?}"
    );
}
