//! Clips with known faults: black, frozen and clipped frames, flashes, and pixels out of range, of one frame to ten
//! seconds, at the ends of clips and beside cuts.

use std::fs;

use crate::common::Clip;

pub const WIDTH: usize = 64;
pub const HEIGHT: usize = 36;
pub const RATE: usize = 25;
const PIXELS: usize = WIDTH * HEIGHT;
const LOSSLESS: &str = "-c:v ffv1";

/// A pseudo-random sequence (xorshift).
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() >> 33) as usize % (high - low + 1)
    }
}

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Black,
    White,
    Frozen,
    Clipped,
    Range,
}

/// A clip with the findings that it must have.
pub struct Faulty {
    pub clip: Clip,
    /// The check, and the first and last frame.
    pub expected: Vec<(&'static str, (u64, u64))>,
    pub faults: usize,
    /// Number of frames.
    pub frames: u64,
}

/// The picture of a shot: a pattern that moves, with noise that differs from frame to frame.
struct Shot {
    base: usize,
    period: usize,
}

impl Shot {
    fn luma(&self, frame: usize, chance: &mut Chance) -> Vec<u8> {
        let at = |pixel: usize| {
            let wave = (pixel % WIDTH + pixel / WIDTH * 3 + frame) % self.period;
            (self.base + wave * 40 / self.period + chance.whole(0, 3)) as u8
        };
        (0..PIXELS).map(at).collect()
    }
}

fn noisy(level: usize, chance: &mut Chance) -> Vec<u8> {
    (0..PIXELS).map(|_| (level + chance.whole(0, 3)) as u8).collect()
}

/// Returns a length of one frame to ten seconds; short ones are as frequent as long ones.
fn length(chance: &mut Chance, least: usize, most: usize) -> usize {
    let limit = [4, 12, 50, 250][chance.whole(0, 3)].clamp(least, most);
    chance.whole(least, limit)
}

/// Makes a lossless clip with this many faults, at random from `seed`.
pub fn faulty(seed: u64, faults: usize) -> Faulty {
    faulty_in(LOSSLESS, seed, faults)
}

/// Makes a clip with this many faults, at random from `seed`, with FFmpeg's arguments for its coding.
pub fn faulty_in(coding: &str, seed: u64, faults: usize) -> Faulty {
    // What is lost must not turn one kind into another: freezes are longer than the groups of pictures of MPEG-2, and
    // what is clipped is farther from the limits of EBU R 103.
    let (still_frames, clipped, white) = if coding == LOSSLESS { (13, 240, 235) } else { (26, 236, 234) };
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let mut expected = Vec::new();
    let mut shot = Shot { base: 70, period: 17 };
    for index in 0..faults {
        let kind = [Fault::Black, Fault::White, Fault::Frozen, Fault::Clipped, Fault::Range][chance.whole(0, 4)];
        // The first fault may be at the start of the clip, and the last one at its end.
        let is_first = index == 0 && chance.whole(0, 1) == 0;
        let is_last = index + 1 == faults && chance.whole(0, 1) == 0;
        if !is_first {
            for _ in 0..chance.whole(20, 40) {
                frames.push(shot.luma(frames.len(), &mut chance));
            }
        }
        // A cut before or after the fault, or neither.
        let cut = chance.whole(0, 3);
        let other = Shot { base: [40, 70, 110, 150][chance.whole(0, 3)], period: chance.whole(9, 30) };
        if cut == 1 {
            shot = Shot { ..other };
        }
        let first = frames.len();
        let long = match kind {
            Fault::White => chance.whole(1, 4),
            Fault::Frozen => length(&mut chance, still_frames, 250),
            Fault::Black | Fault::Clipped | Fault::Range => length(&mut chance, 1, 250),
        };
        let still = shot.luma(first, &mut chance);
        for _ in 0..long {
            let mut luma = shot.luma(frames.len(), &mut chance);
            match kind {
                Fault::Black => luma = noisy(16, &mut chance),
                Fault::White => luma = noisy(white, &mut chance),
                Fault::Frozen => luma.clone_from(&still),
                // A twenty-fifth of the picture.
                Fault::Clipped => luma[..PIXELS / 25].fill(clipped),
                // A twelfth, as a square: EBU R 103's filter passes single lines.
                Fault::Range => luma.chunks_mut(WIDTH).take(12).for_each(|row| row[..16].fill(252)),
            }
            frames.push(luma);
        }
        let span = (first as u64, (frames.len() - 1) as u64);
        let mut add = |check| expected.push((check, span));
        match kind {
            Fault::Black => add("black"),
            Fault::Frozen => add("frozen"),
            Fault::Clipped => add("clipped"),
            // A few white frames between others are a flash, and nothing else.
            Fault::White if long <= 4 && !is_first && !is_last => {}
            Fault::White => add("clipped"),
            Fault::Range => {
                add("clipped");
                add("range");
            }
        }
        if matches!(kind, Fault::Black | Fault::White) && long <= 4 && !is_first && !is_last {
            add("flash");
        }
        if cut == 2 {
            shot = other;
        }
        if index + 1 == faults && !is_last {
            for _ in 0..20 {
                frames.push(shot.luma(frames.len(), &mut chance));
            }
        }
    }
    let clip = Clip::blank("faulty.mkv");
    let chroma = [vec![122; PIXELS], vec![132; PIXELS]].concat();
    let bytes: Vec<u8> = frames.iter().flat_map(|luma| luma.iter().chain(&chroma).copied()).collect();
    fs::write(clip.folder().join("frames.yuv"), bytes).expect("the frames are written");
    let size = format!("-video_size {WIDTH}x{HEIGHT} -framerate {RATE}");
    let tags = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709";
    clip.make("faulty.mkv", &format!("-f rawvideo -pixel_format yuv444p {size} -i @/frames.yuv {tags} {coding}"));
    fs::remove_file(clip.folder().join("frames.yuv")).expect("the raw frames go");
    Faulty { clip, expected, faults, frames: frames.len() as u64 }
}
