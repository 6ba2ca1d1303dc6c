//! Sound: loudness, range and true peak against FFmpeg's filters, frame by frame and as a whole; levels and clipped samples
//! against its decoded samples; and what cannot be measured.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::analyze::program::{analyze, output, read_records};
use crate::common::Clip;

const PICTURES: &str = "-f lavfi -i testsrc2=s=64x48:r=10:d=12";
/// A tone that gets louder, a click, two channels that differ, and silence at the end.
const CHANGING: &str = "-f lavfi -i aevalsrc=exprs='0.02*exp(t/4)*sin(2000*t)+0.9*lt(mod(t+0.5,4),0.0005)|0.1*sin(900*t)*lt(t,9)':s=48000:d=12";
const SOUNDS: [(&str, &str); 6] = [
    (CHANGING, "-c:a pcm_s16le"),
    (CHANGING, "-c:a aac"),
    ("-f lavfi -i anoisesrc=r=44100:d=12:a=0.3:seed=3:c=pink", "-c:a flac"),
    ("-f lavfi -i sine=f=997:r=48000:d=12", "-c:a libopus"),
    (
        "-f lavfi -i aevalsrc=exprs='0.1*sin(3000*t)|0.1*sin(3100*t)|0.2*sin(1000*t)|0.5*sin(300*t)|0.1*sin(4000*t)|0.1*sin(5000*t)':s=48000:d=12:channel_layout=5.1",
        "-c:a ac3",
    ),
    ("-f lavfi -i aevalsrc=exprs='1.5*sin(700*t)|0.4*sin(701*t)':s=32000:d=12", "-c:a pcm_s16le"),
];

fn ffmpeg(clip: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-i"]).arg(clip).args(["-map", "0:a:0"]).args(arguments);
    command.output().expect("ffmpeg runs")
}

/// Returns the number after a word in a text, the last time it is there.
fn number_after(text: &str, word: &str) -> f64 {
    let rest = &text[text.rfind(word).unwrap_or_else(|| panic!("no {word} in {text}")) + word.len()..];
    rest.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{word}: {rest}"))
}

fn near(found: &Value, wanted: f64, tolerance: f64, what: &str) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    assert!((found - wanted).abs() <= tolerance, "{what}: {found}, not {wanted}");
}

#[test]
fn loudness_and_peaks_are_those_of_ffmpegs_filters() {
    for (sound, codec) in SOUNDS {
        let clip = Clip::new("a.mkv", &format!("{PICTURES} {} {codec}", sound));
        let (frames, summary) = read_records(&output(clip.path(), &["--audio"]));
        assert_eq!(frames.len(), 120);
        let whole = &summary["audio"];
        let filter = "ebur128=peak=true+sample:metadata=1,ametadata=print:key=lavfi.r128.M:file=-";
        let told = ffmpeg(clip.path(), &["-af", filter, "-f", "null", "-"]);
        let log = String::from_utf8_lossy(&told.stderr);
        let at = log.rfind("Summary:").expect("a summary");
        let (loudness, rest) = log[at..].split_at(log[at..].find("Loudness range:").expect("a range"));
        let (range, peaks) = rest.split_at(rest.find("peak:").expect("peaks"));
        near(&whole["integrated_lufs"], number_after(loudness, " I:"), 0.1, codec);
        // Tech 3342 leaves open how often the range is sampled, and a clip is short; its own cases are in the unit tests.
        near(&whole["range_lu"], number_after(range, "LRA:"), 1.0, codec);
        let true_peak = number_after(&peaks[peaks.find("True peak:").expect("true peaks")..], "Peak:");
        near(&whole["true_peak_dbtp"], true_peak, 0.2, codec);
        // The filter reports every 100 ms, at which frames end.
        let momentary = String::from_utf8_lossy(&told.stdout);
        let momentary = momentary.lines().filter_map(|line| line.strip_prefix("lavfi.r128.M=")?.parse::<f64>().ok());
        let mut compared = 0;
        for (frame, wanted) in frames.iter().zip(momentary).filter(|(_, wanted)| *wanted > -70.0) {
            // Of these, the first sample is not quite at the first picture, from which frames are timed.
            let is_shifted = ["aac", "libopus", "ac3"].iter().any(|name| codec.ends_with(name));
            if is_shifted && frame["frame"].as_u64() < Some(10) {
                continue;
            }
            near(
                &frame["audio"]["momentary_lufs"],
                wanted,
                if is_shifted { 0.3 } else { 0.1 },
                &format!("{codec}, frame {}", frame["frame"]),
            );
            compared += 1;
        }
        assert!(compared > 70, "{codec}: {compared}");
        // Samples as FFmpeg decodes them.
        let raw = ffmpeg(clip.path(), &["-v", "error", "-f", "f32le", "-"]).stdout;
        let samples: Vec<f32> =
            raw.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect();
        let channels = whole["channels"].as_array().expect("channels");
        for (channel, figures) in channels.iter().enumerate() {
            let own = || samples.iter().skip(channel).step_by(channels.len()).map(|sample| f64::from(*sample));
            let count = own().count() as f64;
            let clipped = own().filter(|sample| sample.abs() >= 32_767.0 / 32_768.0).count();
            assert_eq!(figures["clipped"], clipped, "{codec}, channel {channel}");
            let level = |factor: f64| 20.0 * factor.log10();
            near(&figures["rms_dbfs"], level((own().map(|s| s * s).sum::<f64>() / count).sqrt()), 1e-6, codec);
            near(&figures["sample_peak_dbfs"], level(own().map(f64::abs).fold(0.0, f64::max)), 1e-6, codec);
            near(&figures["dc"], own().sum::<f64>() / count, 1e-9, codec);
        }
        let clipped: u64 = frames.iter().filter_map(|frame| frame["audio"]["clipped"].as_u64()).sum();
        assert_eq!(clipped, channels.iter().filter_map(|figures| figures["clipped"].as_u64()).sum::<u64>(), "{codec}");
    }
}

#[test]
fn several_decoders_and_tables_have_the_same_figures() {
    let clip = Clip::new("a.mkv", &format!("{PICTURES} {} -c:a pcm_s16le -g 10", CHANGING));
    let one = output(clip.path(), &["--audio", "--engine", "cpu", "--jobs", "1"]);
    assert_eq!(one, output(clip.path(), &["--audio", "--engine", "cpu", "--jobs", "3"]));
    let table = output(clip.path(), &["--audio", "--engine", "cpu", "--format", "csv"]);
    let head: Vec<_> = table.lines().next().expect("names").split(',').collect();
    let column = head.iter().position(|name| *name == "audio_momentary_lufs").expect("a column");
    let (records, _) = read_records(&one);
    let cell = table.lines().nth(60).expect("a row").split(',').nth(column).expect("a cell").parse::<f64>();
    assert_eq!(cell.ok(), records[59]["audio"]["momentary_lufs"].as_f64());
    // A part has its own sound.
    let (_, summary) =
        read_records(&output(clip.path(), &["--audio", "--engine", "cpu", "--from", "0:04", "--to", "0:06"]));
    let whole = &summary["audio"];
    near(&whole["begin_secs"], 4.0, 1e-3, "begin");
    near(&whole["end_secs"], 6.0, 1e-3, "end");
}

#[test]
fn what_has_no_sound_or_no_place_for_it_is_refused_in_one_sentence() {
    let silent = Clip::new("silent.mkv", PICTURES);
    let run = analyze(silent.path(), &["--audio", "--engine", "cpu"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("silent.mkv: the file has no sound; leave out --audio"), "{}", run.stderr);
    for arguments in [&["--audio", "--resume"][..], &["--audio", "--format", "qctools"]] {
        let run = analyze(silent.path(), arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
    }
    // Sound that begins late and ends early leaves nulls.
    let part = "-itsoffset 4 -f lavfi -i sine=r=48000:d=3 -c:a pcm_s16le";
    let late = Clip::new("late.mkv", &format!("{PICTURES} {part}"));
    let (records, _) = read_records(&output(late.path(), &["--audio", "--engine", "cpu"]));
    let has_sound: Vec<bool> = records.iter().map(|record| !record["audio"].is_null()).collect();
    assert_eq!(has_sound, (0..120).map(|frame| (40..70).contains(&frame)).collect::<Vec<_>>());
}

#[test]
fn a_track_can_be_chosen() {
    let tracks = "-f lavfi -i aevalsrc=exprs='0.1*sin(6300*t)':s=48000:d=4 -f lavfi -i aevalsrc=exprs='0.2*sin(6300*t)':s=48000:d=4";
    let maps = "-map 0:v -map 1:a -map 2:a -c:a pcm_s16le";
    let clip = Clip::new("a.mkv", &format!("-f lavfi -i testsrc2=s=64x48:r=10:d=4 {tracks} {maps}"));
    let measured = |arguments: &[&str]| {
        let (_, summary) = read_records(&output(clip.path(), &[&["--audio"], arguments].concat()));
        (summary["audio"]["track"].as_u64(), summary["audio"]["true_peak_dbtp"].as_f64().unwrap_or_default().round())
    };
    assert_eq!([measured(&[]), measured(&["--audio-track", "2"])], [(Some(1), -20.0), (Some(2), -14.0)]);
    let missing = analyze(clip.path(), &["--audio", "--audio-track", "3"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("there is no sound track 3; the file has tracks 1 to 2"), "{missing:?}");
    let needless = analyze(clip.path(), &["--audio-track", "2"]);
    assert_eq!((needless.code, needless.stderr.contains("add --audio")), (Some(2), true), "{needless:?}");
}
