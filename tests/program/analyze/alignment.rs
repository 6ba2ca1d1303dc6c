//! `--align`: pairs of encodes whose offset is known. It must be found, or reported as unsure, but never be wrong.

use std::path::Path;

use crate::analyze::against::compare;
use crate::analyze::program::read_records;
use crate::common::Clip;

/// The content of a pair of clips: a source of FFmpeg's at 25 frames per second.
struct Content {
    source: &'static str,
    offset: i64,
    /// Quality of the two encodes.
    crf: [u32; 2],
    /// The filter that grades the second one.
    grade: &'static str,
    answer: Answer,
}

/// The answer that a pair must have, besides "not sure".
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    /// The offset must be found.
    Right,
    /// The offset may be found.
    RightOrUnsure,
    /// No frame differs enough from its neighbours, or the content is repeated.
    Unsure,
}

use Answer::{Right, RightOrUnsure, Unsure};

const ZOOM: &str = "mandelbrot=s=640x360:r=25:end_scale=0.05:end_pts=1000";
const SLOW_PAN: &str = "testsrc2=s=640x180:r=25,trim=end_frame=1,loop=-1:1,crop=320:180:n:0";
const PAN: &str = "mandelbrot=s=1280x180:r=25,trim=end_frame=1,loop=-1:1,crop=320:180:2.3*n:0";
const STILL: &str = "testsrc2=s=320x180:r=25,trim=end_frame=1,loop=-1:1";
const BLANK: &str = "color=c=0x5080a0:s=320x180:r=25";
const NOISE: &str = "color=c=gray:s=320x180:r=25,noise=alls=60:allf=t";
const NOISY_STILL: &str = "testsrc2=s=320x180:r=25,trim=end_frame=1,loop=-1:1,noise=alls=12:allf=t";
const FADE: &str = "testsrc2=s=320x180:r=25,trim=end_frame=1,loop=-1:1,fade=in:20:150";
const FADE_AND_ZOOM: &str = "mandelbrot=s=320x180:r=25:end_scale=0.05:end_pts=1000,fade=in:30:120";
const MOVING: &str = "testsrc2=s=320x180:r=25";
const SLIDES: &str = "testsrc2=s=320x180:r=1,fps=25";
const LOOP: &str = "testsrc2=s=320x180:r=25,loop=-1:25:0";

const DARKER: &str = "eq=gamma=0.8:saturation=1.3";
const CONTRAST: &str = "eq=contrast=1.3:brightness=-0.08";

const fn pair(source: &'static str, offset: i64, crf: [u32; 2], grade: &'static str, answer: Answer) -> Content {
    Content { source, offset, crf, grade, answer }
}

/// The first twelve are tested every time.
const PAIRS: [Content; 40] = [
    pair(ZOOM, -7, [35, 35], "null", Right),
    pair(ZOOM, 3, [18, 35], DARKER, RightOrUnsure),
    pair(SLOW_PAN, 12, [28, 28], "null", Right),
    pair(PAN, -30, [40, 23], CONTRAST, RightOrUnsure),
    pair(STILL, 7, [28, 28], "null", Unsure),
    pair(STILL, -1, [18, 40], "null", Unsure),
    pair(BLANK, 3, [23, 35], CONTRAST, Unsure),
    pair(NOISE, 30, [18, 23], "null", Right),
    pair(FADE, -12, [23, 23], "null", RightOrUnsure),
    pair(FADE_AND_ZOOM, 1, [40, 35], DARKER, RightOrUnsure),
    pair(MOVING, -1, [18, 40], CONTRAST, Right),
    pair(LOOP, 7, [35, 28], "null", Unsure),
    pair(ZOOM, -30, [18, 18], "null", Right),
    pair(ZOOM, 1, [40, 40], "null", RightOrUnsure),
    pair(ZOOM, 30, [28, 35], CONTRAST, RightOrUnsure),
    pair(ZOOM, -3, [40, 18], "null", RightOrUnsure),
    pair(ZOOM, 0, [23, 28], DARKER, RightOrUnsure),
    pair(SLOW_PAN, -30, [18, 40], "null", RightOrUnsure),
    pair(SLOW_PAN, 1, [40, 40], DARKER, RightOrUnsure),
    pair(SLOW_PAN, -5, [35, 23], CONTRAST, RightOrUnsure),
    pair(PAN, 30, [18, 18], "null", RightOrUnsure),
    pair(PAN, -1, [40, 40], DARKER, RightOrUnsure),
    pair(PAN, 7, [35, 28], "null", RightOrUnsure),
    pair(STILL, 30, [40, 40], "null", Unsure),
    pair(STILL, -12, [35, 18], DARKER, Unsure),
    pair(BLANK, -30, [40, 40], "null", Unsure),
    pair(NOISE, -7, [18, 35], "null", RightOrUnsure),
    pair(NOISE, 1, [40, 40], "null", RightOrUnsure),
    pair(NOISE, -30, [28, 23], CONTRAST, RightOrUnsure),
    pair(NOISE, 12, [35, 18], DARKER, RightOrUnsure),
    pair(NOISY_STILL, 3, [18, 18], "null", RightOrUnsure),
    pair(NOISY_STILL, -7, [28, 40], "null", RightOrUnsure),
    pair(NOISY_STILL, 30, [40, 40], CONTRAST, RightOrUnsure),
    pair(FADE, 30, [40, 40], "null", RightOrUnsure),
    pair(FADE, 1, [18, 35], DARKER, RightOrUnsure),
    pair(FADE_AND_ZOOM, -7, [28, 28], "null", RightOrUnsure),
    pair(FADE_AND_ZOOM, 30, [35, 40], CONTRAST, RightOrUnsure),
    pair(MOVING, 30, [40, 40], DARKER, Right),
    pair(SLIDES, -12, [28, 35], DARKER, Right),
    pair(LOOP, -1, [18, 18], "null", Unsure),
];

/// Encodes both clips of a pair: the second one begins later by the offset, or earlier if it is negative.
fn encode(clip: &Clip, content: &Content) -> [std::path::PathBuf; 2] {
    let Content { source, offset, crf, grade, .. } = content;
    let skipped = [(*offset).max(0), (-offset).max(0)];
    [0, 1].map(|at| {
        let (skip, grade) = (skipped[at], if at == 0 { "null" } else { grade });
        let chain = format!("trim=start_frame={skip}:end_frame={},setpts=PTS-STARTPTS,{grade}", skip + 150);
        let coder = format!("-c:v libx264 -preset veryfast -crf {} -pix_fmt yuv420p", crf[at]);
        clip.make(&format!("{at}.mp4"), &format!("-f lavfi -i {source},{chain} {coder}"))
    })
}

/// Returns the offset that `--align` finds, or `None` if it is not sure.
fn aligned(ours: &Path, theirs: &Path) -> Option<i64> {
    // Whatever the offset, this frame has a partner.
    let run = compare(ours, theirs, &["--align", "40", "--from", "31f", "--to", "32f", "-o", "/dev/null"]);
    let line = run.stderr.lines().find_map(|line| line.split_once("best match: offset "));
    if let Some((_, found)) = line {
        assert!(matches!(run.code, Some(0 | 3)) && found.contains("the runner-up is "), "{run:?}");
        return Some(found.split_once(' ').and_then(|(offset, _)| offset.parse().ok()).expect("an offset"));
    }
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("not sure of the offset; ") && run.stderr.contains("--offset"), "{run:?}");
    None
}

fn check<'a>(contents: impl Iterator<Item = &'a Content>) {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for content in contents {
        let clip = Clip::blank("pair.mp4");
        let [ours, theirs] = encode(&clip, content);
        let answer = aligned(&ours, &theirs);
        found += usize::from(answer.is_some());
        let is_right = match answer {
            None => content.answer != Right,
            Some(offset) => offset == content.offset && content.answer != Unsure,
        };
        if !is_right {
            let Content { source, offset, crf, grade, .. } = content;
            wrong.push(format!("{answer:?} for {offset}: {source}, {grade}, crf {crf:?}"));
        }
    }
    eprintln!("{found} offsets were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_offset_is_right_or_not_sure() {
    check(PAIRS.iter().take(12));
}

/// Run it after changes to the search: it takes minutes.
#[test]
#[ignore = "40 pairs take minutes"]
fn forty_offsets_are_right_or_not_sure() {
    check(PAIRS.iter());
}

#[test]
fn the_offset_of_the_sound_is_stated_beside_that_of_the_pictures() {
    // Noise has no repetition. The second clip begins 0.4 s later, and its sound is 0.12 s late.
    let clip = |cut: &str, delay: &str, sound: &str, codec: &str| {
        let pictures = format!("-f lavfi -i {MOVING},trim=start_frame={cut}:end_frame=300,setpts=PTS-STARTPTS");
        let sound = format!("-f lavfi -i {sound}:s=48000:d=14,atrim=start={delay},asetpts=PTS-STARTPTS");
        Clip::new("a.mkv", &format!("{pictures} {sound} -c:v libx264 -preset ultrafast -crf 23 {codec} -shortest"))
    };
    let noise = "aevalsrc=exprs='0.3*(random(0)-0.5)|0.2*(random(1)-0.5)'";
    let ours = clip("0", "0.5", noise, "-c:a pcm_s16le");
    // Before Opus, the muxer moves the pictures by the encoder's delay of 6.5 ms, in whole milliseconds.
    for (delay, codec, ms) in
        [("0.78", "-c:a aac -b:a 192k", 120_i32), ("0.9", "-c:a libopus", -7), ("1.0", "-c:a flac", -100)]
    {
        let theirs = clip("10", delay, noise, codec);
        let run = compare(ours.path(), theirs.path(), &["--align", "20", "--to", "20f"]);
        let told = run.stderr.lines().find(|line| line.contains("its sound is")).unwrap_or_else(|| panic!("{run:?}"));
        let later = if ms < 0 { "earlier" } else { "later" };
        let number =
            told.split("its sound is ").nth(1).and_then(|rest| rest.split(' ').next()).and_then(|ms| ms.parse().ok());
        let number: f64 = number.expect("a number");
        assert!((number - f64::from(ms.abs())).abs() <= 1.0 && (ms == 0 || told.contains(later)), "{ms}: {told}");
        let (_, summary) = read_records(&run.stdout);
        let stated = summary["options"]["against"]["sound_ms"].as_i64();
        assert!(stated.is_some_and(|stated| (stated - i64::from(ms)).abs() <= 1), "{stated:?}");
    }
    let tone = "aevalsrc=exprs='0.2*sin(3141*t)'";
    let run = compare(
        clip("0", "0.5", tone, "-c:a flac").path(),
        clip("10", "0.9", tone, "-c:a flac").path(),
        &["--align", "20", "--to", "20f"],
    );
    assert!(run.stderr.contains("not sure of the offset of the sound"), "{run:?}");
    let silent = Clip::new("b.mkv", &format!("-f lavfi -i {MOVING} -t 4 -c:v libx264 -crf 23"));
    let run = compare(silent.path(), ours.path(), &["--align", "20", "--to", "20f"]);
    assert!(run.stderr.contains("best match") && !run.stderr.contains("sound"), "{run:?}");
}
