//! Equalization of decoded video over time: steady when nothing changes, and following changes at its own pace.

use histoscope_core::adjust::{Adjustments, Codes, Equalize, Processor, Tone, equalize};
use histoscope_core::picture::{Frame, Picture};

use crate::common::{Clip, decode_all};

/// Returns the mean luminance of each frame after `adjust`, which also gets the seconds since the frame before.
fn means(frames: &[Frame], mut adjust: impl FnMut(&Picture, Option<f64>) -> Picture) -> Vec<f64> {
    let mut before = None;
    let mut mean = |frame: &Frame| {
        let elapsed = before.replace(frame.time_secs).map(|before| frame.time_secs - before);
        let bins = Codes::of(&adjust(&frame.picture, elapsed)).luminance_bins();
        let sum: f64 = bins.iter().zip(0..).map(|(&count, code)| f64::from(count) * f64::from(code)).sum();
        sum / f64::from(frame.picture.pixel_count())
    };
    frames.iter().map(&mut mean).collect()
}

fn equalized(frames: &[Frame], equalize: Equalize) -> Vec<f64> {
    let adjustments = Adjustments { tone: Some(Tone::Equalize(equalize)), ..Adjustments::default() };
    let mut processor = Processor::default();
    means(frames, |picture, elapsed| processor.apply(picture, &adjustments, elapsed).unwrap())
}

/// Returns the largest relative change of the mean from one frame to the next.
fn flicker(means: &[f64]) -> f64 {
    means.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).fold(0.0, f64::max)
}

/// Makes 1.6 seconds of a still picture with new noise in every frame.
fn noisy(source: &str, strength: u32, codec: &str) -> Vec<Frame> {
    let filter = format!("-vf noise=alls={strength}:allf=t+u");
    let clip = Clip::new("noisy.mkv", &format!("-f lavfi -i {source}s=320x180:r=25:d=1.6 {filter} {codec}"));
    let frames = decode_all(clip.path());
    assert_eq!(frames.len(), 40);
    frames
}

const H264: &str = "-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p";
const DEEP: &str = "-c:v ffv1 -pix_fmt yuv422p10le";

#[test]
fn constant_exposure_with_noise_does_not_flicker() {
    for (source, strength, codec) in [
        ("smptehdbars=", 12, H264),
        ("smptehdbars=", 30, DEEP),
        // Nearly black, with noise as strong as the picture. As H.264 this is not a constant exposure: see the next
        // test.
        ("color=c=0x0a0a0a:", 8, "-c:v ffv1 -pix_fmt yuv420p"),
        ("color=c=0x181818:", 8, DEEP),
        ("color=c=0x808080:", 3, DEEP),
        ("rgbtestsrc=", 20, "-c:v ffv1 -pix_fmt gbrp"),
    ] {
        let frames = noisy(source, strength, codec);
        for per_channel in [false, true] {
            let found = flicker(&equalized(&frames, Equalize { per_channel, ..Equalize::default() }));
            assert!(found < 0.01, "{source} with noise of {strength}, by channel {per_channel}: {found}");
        }
    }
}

/// Returns the mean of a histogram after a curve.
fn mean_through(curve: &[u32], bins: &[u32]) -> f64 {
    let sum: f64 = bins.iter().zip(curve).map(|(&count, &code)| f64::from(count) * f64::from(code)).sum();
    sum / bins.iter().map(|&count| f64::from(count)).sum::<f64>()
}

/// A lossy codec makes a nearly black, noisy picture brighter in one kind of frame than in the next, so the exposure is
/// not constant. The curve of such a narrow histogram is steep, and a fixed curve would amplify the changes. Even so,
/// the curve's own movement changes a fixed picture by less than 1 %, and nothing is added to the source's changes.
#[test]
fn where_the_source_pulses_the_curve_stays_calm() {
    for (source, codec) in [
        ("color=c=0x0a0a0a:", H264),
        ("color=c=0x141414:", H264),
        ("color=c=0x141414:", "-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p10le"),
        ("color=c=0x0a0a0a:", "-c:v mpeg4 -q:v 5 -pix_fmt yuv420p"),
    ] {
        let bins: Vec<_> =
            noisy(source, 8, codec).iter().map(|frame| Codes::of(&frame.picture).luminance_bins()).collect();
        let mut state = Vec::new();
        let follow = |(number, bins): (usize, &Vec<u32>)| {
            let elapsed = (number > 0).then_some(0.04);
            let weight = equalize::weight(elapsed, Equalize::default().time_constant_secs);
            equalize::follow(&mut state, &equalize::curve(bins), weight)
        };
        let curves: Vec<_> = bins.iter().enumerate().map(follow).collect();
        let flicker_of = |mean: &dyn Fn(usize) -> f64| flicker(&(0..40).map(mean).collect::<Vec<_>>());
        let curve_alone = flicker_of(&|number| mean_through(&curves[number], &bins[25]));
        let source_alone = flicker_of(&|number| mean_through(&curves[25], &bins[number]));
        let both = flicker_of(&|number| mean_through(&curves[number], &bins[number]));
        let name = format!("{source} {codec}: curve {curve_alone:.4}, source {source_alone:.4}, both {both:.4}");
        assert!(curve_alone < 0.01, "{name}");
        assert!(source_alone > 0.015, "{name}: it pulses");
        assert!(both < source_alone + 0.002, "{name}");
    }
}

/// An unsteady curve would be noticed: here every other frame is equalized with the curve of another frame.
#[test]
fn an_unstable_curve_would_be_seen() {
    let frames = noisy("smptehdbars=", 12, H264);
    let brighter = |picture: &Picture, is_odd: bool| {
        let mut codes = Codes::of(picture);
        let top = codes.top() as u16;
        codes.rgb.iter_mut().flatten().for_each(|code| *code = (*code + 4 * u16::from(is_odd)).min(top));
        codes.picture().unwrap()
    };
    let adjustments = Adjustments { tone: Some(Tone::Equalize(Equalize::default())), ..Adjustments::default() };
    let mut processor = Processor::default();
    let mut number = 0;
    let unstable = means(&frames, |picture, elapsed| {
        number += 1;
        brighter(&processor.apply(picture, &adjustments, elapsed).unwrap(), number % 2 == 1)
    });
    assert!(flicker(&unstable) > 0.01, "{}", flicker(&unstable));
}

/// A ramp that is brighter in one frame, the eleventh. Equalized without delay, the flash disappears, since a brighter
/// ramp has the same shape. With a time constant the flash remains, and its effect on the curve decays.
#[test]
fn a_flash_moves_the_curve_no_faster_than_the_time_constant() {
    let ramp = "format=yuv420p,geq=lum=50+100*X/W:cb=128:cr=128,lutyuv=y=val+60:enable='eq(n,10)'";
    let clip = Clip::new("flash.mkv", &format!("-f lavfi -i nullsrc=s=160x90:r=25:d=1.6,{ramp} -c:v ffv1"));
    let frames = decode_all(clip.path());
    let at_once = equalized(&frames, Equalize { time_constant_secs: 0.0, ..Equalize::default() });
    assert!((at_once[10] / at_once[9] - 1.0).abs() < 0.02, "{:?}", &at_once[8..13]);
    assert!((at_once[11] - at_once[9]).abs() < 1e-9, "the next frame knows nothing of it");
    let smoothed = equalized(&frames, Equalize::default());
    assert!(smoothed[10] > 1.3 * smoothed[9], "a flash stays a flash: {:?}", &smoothed[8..13]);
    let away = |number: usize| (smoothed[number] / smoothed[9] - 1.0).abs();
    assert!(away(11) > 0.01 && away(11) < 0.15, "{}", away(11));
    // Half a second later, which is the time constant, 1/e of it remains.
    let left = away(24) / away(11);
    assert!((0.25..0.5).contains(&left), "{left}");
}
