//! Sound read apart from the pictures: the samples, their times, seeks, other forms, and damage.

use std::path::Path;
use std::process::Command;

use histoscope_media::{AudioTrack, Decoder, OpenOptions, SoundBlock, SoundForm, SoundReader};

use crate::common::Clip;
use crate::common::damage::mutated;

/// Two seconds of pictures.
const PICTURES: &str = "-f lavfi -i testsrc2=s=64x48:r=25:d=2";
const CODECS: [(&str, &str); 5] = [
    ("a.mp4", "-c:a aac"),
    ("a.mkv", "-c:a ac3"),
    ("a.webm", "-c:v vp8 -c:a libopus"),
    ("a.mov", "-c:a pcm_s24le"),
    ("flac.mkv", "-c:a flac"),
];

fn open(path: &Path, track: usize, form: SoundForm) -> Result<SoundReader, String> {
    let options = OpenOptions::default();
    let decoder = Decoder::open(path, &options).map_err(|error| error.to_string())?;
    SoundReader::open(decoder.info(), &options, track, form).map_err(|error| error.to_string())
}

fn read(reader: &mut SoundReader) -> Vec<SoundBlock> {
    std::iter::from_fn(|| reader.read().expect("the sound can be read")).collect()
}

fn samples(blocks: &[SoundBlock]) -> Vec<f32> {
    blocks.iter().flat_map(|block| block.samples.iter().copied()).collect()
}

/// Returns what the ffmpeg command decodes.
fn expected(path: &Path, arguments: &[&str]) -> Vec<f32> {
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-i"]).arg(path).args(["-map", "0:a:0"]).args(arguments).args(["-f", "f32le", "-"]);
    let output = command.output().expect("ffmpeg runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
}

#[test]
fn samples_and_their_times_are_those_of_the_file() {
    for (name, codec) in CODECS {
        // No noise, of which some decoders make their own.
        let sweep = "-f lavfi -i aevalsrc=exprs=0.5*sin(500*t*t)|0.3*sin(3000*t):s=48000:d=2";
        let clip = Clip::new(name, &format!("{PICTURES} {sweep} -shortest {codec}"));
        let mut reader = open(clip.path(), 0, SoundForm::default()).expect("it has sound");
        let blocks = read(&mut reader);
        assert!(blocks.iter().all(|block| (block.rate, block.channels) == (48_000, 2)), "{name}");
        // Priming is left out, and each block begins where the one before it ended.
        assert!(blocks[0].start_secs.abs() < 0.03, "{name}: begins at {}", blocks[0].start_secs);
        assert!(blocks.windows(2).all(|two| (two[1].start_secs - two[0].end_secs()).abs() < 1e-6), "{name}");
        assert_eq!(samples(&blocks), expected(clip.path(), &[]), "{name}");
        assert_eq!(reader.refused(), 0, "{name}");
        // After a seek, the samples at a time are the same.
        let whole = samples(&blocks);
        reader.seek(1.0).expect("it can be positioned");
        let after = read(&mut reader);
        assert!(after[0].start_secs <= 1.0, "{name}: {}", after[0].start_secs);
        let late = after.iter().find(|block| block.start_secs > 1.0).expect("more follows");
        let at = ((late.start_secs - blocks[0].start_secs) * 48_000.0).round() as usize * 2;
        let distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // WebM states milliseconds, in which there are 48 samples.
        let shifts = if name.ends_with("webm") { 0..=60 } else { 30..=30 };
        let of_shift = |shift: usize| distance(&whole[at + 2 * shift - 60..][..late.samples.len()], &late.samples);
        let apart = shifts.map(of_shift).fold(f32::INFINITY, f32::min);
        // These continue from what they decoded before, and settle.
        let settled = [("a.mp4", 1e-4), ("a.mkv", 1e-4), ("a.webm", 0.05)].into_iter().find(|(of, _)| *of == name);
        assert!(apart <= settled.map_or(0.0, |(_, apart)| apart), "{name}: {apart}");
    }
}

#[test]
fn sound_that_begins_late_or_early_says_so() {
    let tone = "-f lavfi -i sine=r=48000:d=2";
    let late = Clip::new("late.mkv", &format!("{PICTURES} -itsoffset 0.5 {tone} -c:a pcm_s16le"));
    let begin = |clip: &Clip| read(&mut open(clip.path(), 0, SoundForm::default()).expect("sound"))[0].start_secs;
    assert!((begin(&late) - 0.5).abs() < 0.002, "{}", begin(&late));
    let early = Clip::new("early.mkv", &format!("-itsoffset 0.4 {PICTURES} {tone} -c:a pcm_s16le"));
    assert!((begin(&early) + 0.4).abs() < 0.002, "{}", begin(&early));
}

#[test]
fn other_forms_are_converted_and_mixed_as_bs_775_says() {
    // A constant in each channel of 5.1: left, right, centre, low frequencies, left and right surround.
    let constant = "-f lavfi -i aevalsrc=exprs=0.1|0.2|0.05|0.4|0.3|0.15:s=48000:d=2:channel_layout=5.1(side)";
    let clip = Clip::new("a.mov", &format!("{PICTURES} {constant} -c:a pcm_f32le"));
    let stereo = SoundForm { rate: None, channels: Some(2) };
    let mixed = samples(&read(&mut open(clip.path(), 0, stereo).expect("sound")));
    assert_eq!(mixed.len(), 2 * 96_000);
    let part = std::f32::consts::FRAC_1_SQRT_2;
    let wanted = [0.1 + part * 0.05 + part * 0.3, 0.2 + part * 0.05 + part * 0.15];
    for pair in mixed.chunks(2) {
        assert!((pair[0] - wanted[0]).abs() < 1e-5 && (pair[1] - wanted[1]).abs() < 1e-5, "{pair:?}, not {wanted:?}");
    }
    let slower = SoundForm { rate: Some(44_100), channels: Some(2) };
    let blocks = read(&mut open(clip.path(), 0, slower).expect("sound"));
    let frames: usize = blocks.iter().map(SoundBlock::frames).sum();
    assert!(frames.abs_diff(88_200) <= 1, "{frames}");
    assert!(blocks.windows(2).all(|two| (two[1].start_secs - two[0].end_secs()).abs() < 1.0 / 44_100.0));
    assert!(blocks[0].start_secs.abs() < 1e-3 && (blocks.last().expect("some").end_secs() - 2.0).abs() < 1e-3);
    // Without known places, the first channels are kept.
    let names = (0..32).map(|channel| format!("{}", f64::from(channel) / 64.0)).collect::<Vec<_>>().join("|");
    let many =
        Clip::new("many.mkv", &format!("{PICTURES} -f lavfi -i aevalsrc=exprs={names}:s=8000:d=2 -c:a pcm_f32le"));
    let kept = samples(&read(&mut open(many.path(), 0, stereo).expect("sound")));
    assert_eq!(kept.len(), 2 * 16_000);
    assert!(kept.chunks(2).all(|pair| pair == [0.0, 1.0 / 64.0]), "{:?}", &kept[..8]);
}

#[test]
fn a_change_of_form_in_the_middle_is_followed() {
    let part = |name: &str, sound: &str| {
        Clip::new(name, &format!("{PICTURES} -f lavfi -i sine=d=2:{sound} -c:v mpeg2video -c:a aac -muxdelay 0"))
    };
    let (first, second) = (part("a.ts", "r=48000"), part("b.ts", "r=44100,aformat=channel_layouts=stereo"));
    let both = Clip::from_bytes("both.ts", &[first.bytes(), second.bytes()].concat());
    let blocks = read(&mut open(both.path(), 0, SoundForm::default()).expect("sound"));
    let forms: Vec<_> = blocks.iter().map(|block| (block.rate, block.channels)).collect();
    assert!(forms.first() == Some(&(48_000, 1)) && forms.last() == Some(&(44_100, 2)), "{forms:?}");
    assert!(blocks.windows(2).all(|two| (two[1].start_secs - two[0].end_secs()).abs() < 0.05), "the times go on");
    assert!((blocks.last().expect("some").end_secs() - 4.0).abs() < 0.2);
    // In one form, it is one sound.
    let form = SoundForm { rate: Some(48_000), channels: Some(2) };
    let frames: usize = read(&mut open(both.path(), 0, form).expect("sound")).iter().map(SoundBlock::frames).sum();
    assert!(frames.abs_diff(4 * 48_000) < 9600, "{frames}");
}

#[test]
fn tracks_are_listed_and_a_missing_one_is_named() {
    let sounds = "-f lavfi -i sine=d=2 -f lavfi -i sine=440:d=2:r=48000,aformat=channel_layouts=5.1";
    let maps =
        "-map 0 -map 1 -map 2 -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -disposition:a:1 default";
    let clip = Clip::new("a.mkv", &format!("{PICTURES} {sounds} {maps} -disposition:a:0 0 -c:a ac3"));
    let decoder = Decoder::open(clip.path(), &OpenOptions::default()).expect("it opens");
    let audio = &decoder.info().audio;
    let texts: Vec<_> = audio.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["ac3, 44.1 kHz, mono, eng", "ac3, 48 kHz, 5.1(side), deu"]);
    assert_eq!((AudioTrack::usual(audio), AudioTrack::usual(&[])), (Some(1), None));
    let error = open(clip.path(), 8, SoundForm::default()).err().expect("there is none");
    assert!(error.contains("there is no sound track 9; the file has tracks 1 to 2"), "{error}");
    let silent = Clip::new("silent.mp4", PICTURES);
    let error = open(silent.path(), 0, SoundForm::default()).err().expect("there is none");
    assert!(error.contains("there is no sound track 1; the file has none"), "{error}");
}

#[test]
fn damaged_sound_ends_nothing_and_leaves_pictures_alone() {
    for (name, codec) in CODECS {
        let clip = Clip::new(name, &format!("{PICTURES} -f lavfi -i anoisesrc=r=48000:d=2:seed=7 -shortest {codec}"));
        let bytes = clip.bytes();
        let mut heard = 0;
        for number in 0..50 {
            let damaged = Clip::from_bytes(name, &mutated(bytes.clone(), number));
            let Ok(mut reader) = open(damaged.path(), 0, SoundForm { rate: Some(48_000), channels: Some(2) }) else {
                continue;
            };
            heard += 1;
            let mut frames = 0;
            while let Ok(Some(block)) = reader.read() {
                assert!(block.samples.len() == 2 * block.frames() && block.start_secs.is_finite(), "{name} {number}");
                frames += block.frames();
                // Damage may state times without end, but not sound without end.
                assert!(frames < 48_000 * 600, "{name} {number}");
            }
            let _ = reader.seek(1.0);
            let _ = reader.read();
        }
        assert!(heard >= 10, "{name}: only {heard} could be opened");
    }
}
