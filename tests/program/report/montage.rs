//! Clips with known cuts: shots of synthetic scenes with motion, noise and changing light, joined by hard cuts,
//! dissolves and fades, with flashes in between.
//!
//! The scenes and the transitions are drawn at random from a seed. Nothing is chosen to make detection easy.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::Range;

use crate::common::Clip;

pub const WIDTH: usize = 160;
pub const HEIGHT: usize = 90;
pub const RATE: usize = 25;

/// A pseudo-random sequence that is the same everywhere (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Returns a number from `low` to below `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1 << 24) as f32)
    }

    /// Returns a whole number from `low` to `high`.
    fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() >> 33) as usize % (high - low + 1)
    }

    fn is_one_in(&mut self, many: usize) -> bool {
        self.whole(1, many) == 1
    }

    fn color(&mut self, low: f32, high: f32) -> [f32; 3] {
        let gray = self.between(low, high);
        [0; 3].map(|_| (gray + self.between(-0.2, 0.2)).clamp(0.02, 0.98))
    }
}

/// A picture of red, green and blue from 0 to 1, row by row.
type Pixels = Vec<[f32; 3]>;

/// The location of a shot: its colours and their amounts.
#[derive(Clone)]
struct Place {
    sky: [f32; 3],
    ground: [f32; 3],
    things: Vec<([f32; 3], (f32, f32), bool)>,
    texture: f32,
}

impl Place {
    fn new(chance: &mut Chance) -> Self {
        let thing = |chance: &mut Chance| {
            let half = (chance.between(4.0, 70.0), chance.between(4.0, 50.0));
            (chance.color(0.02, 0.98), half, chance.is_one_in(2))
        };
        let (sky, ground) = (chance.color(0.1, 0.9), chance.color(0.1, 0.9));
        let things = (0..chance.whole(6, 24)).map(|_| thing(chance)).collect();
        Self { sky, ground, things, texture: chance.between(0.0, 0.12) }
    }

    /// Returns the backdrop of a shot, with its objects at random positions.
    fn seen(&self, chance: &mut Chance) -> Pixels {
        let mut backdrop: Pixels = (0..WIDE * HIGH)
            .map(|at| {
                let part = (at / WIDE) as f32 / HIGH as f32;
                [0, 1, 2].map(|c| self.sky[c] + (self.ground[c] - self.sky[c]) * part)
            })
            .collect();
        for (color, half, is_round) in &self.things {
            let center = (chance.between(0.0, WIDE as f32), chance.between(0.0, HIGH as f32));
            for (index, pixel) in backdrop.iter_mut().enumerate() {
                let (x, y) = (((index % WIDE) as f32 - center.0) / half.0, ((index / WIDE) as f32 - center.1) / half.1);
                let is_inside = if *is_round { x * x + y * y < 1.0 } else { x.abs() < 1.0 && y.abs() < 1.0 };
                if is_inside {
                    *pixel = *color;
                }
            }
        }
        for pixel in &mut backdrop {
            let light = chance.between(-self.texture, self.texture);
            *pixel = pixel.map(|code| code + light);
        }
        backdrop
    }
}

/// The content of a shot: a painted backdrop, larger than the picture, which moves over it.
struct Scene {
    backdrop: Pixels,
    /// The start position of the picture, as a fraction of its room to move.
    start: (f32, f32),
    /// Pixels a frame, to the right and down.
    pan: (f32, f32),
    /// The increase in brightness per frame.
    drift: f32,
    /// Standard deviation of the noise, in codes.
    grain: f32,
    /// Pixels of camera shake.
    shake: f32,
    /// An object that crosses the picture: its colour, its size, and its speed.
    passer: Option<([f32; 3], f32, f32)>,
}

const WIDE: usize = WIDTH * 2;
const HIGH: usize = HEIGHT * 3 / 2;

impl Scene {
    fn new(backdrop: Pixels, chance: &mut Chance) -> Self {
        let fast = if chance.is_one_in(3) { chance.between(1.0, 4.0) } else { chance.between(0.0, 0.4) };
        let to_the_left = if chance.is_one_in(2) { -1.0 } else { 1.0 };
        Self {
            backdrop,
            start: (chance.between(0.0, 1.0), chance.between(0.0, 1.0)),
            pan: (fast * to_the_left, chance.between(-0.3, 0.3)),
            drift: chance.between(-0.002, 0.002),
            grain: chance.between(0.0, 4.0),
            shake: if chance.is_one_in(3) { chance.between(0.0, 2.0) } else { 0.0 },
            passer: chance
                .is_one_in(4)
                .then(|| (chance.color(0.05, 0.95), chance.between(8.0, 26.0), chance.between(1.0, 5.0))),
        }
    }

    /// Returns the picture of frame `at`.
    fn frame(&self, at: usize, chance: &mut Chance) -> Pixels {
        let place = |start: f32, speed: f32, room: usize, shake: f32| {
            // The pan turns around when it reaches the end of the backdrop.
            let way = (start + speed * at as f32 + shake).rem_euclid(2.0 * room as f32);
            (if way > room as f32 { 2.0 * room as f32 - way } else { way }) as usize
        };
        let (shake_x, shake_y) = (chance.between(-1.0, 1.0) * self.shake, chance.between(-1.0, 1.0) * self.shake);
        let left = place((WIDE - WIDTH) as f32 * self.start.0, self.pan.0, WIDE - WIDTH, shake_x);
        let top = place((HIGH - HEIGHT) as f32 * self.start.1, self.pan.1, HIGH - HEIGHT, shake_y);
        let light = 1.0 + self.drift * at as f32;
        let mut pixels = Vec::with_capacity(WIDTH * HEIGHT);
        for y in 0..HEIGHT {
            let row = &self.backdrop[(top + y) * WIDE + left..][..WIDTH];
            pixels.extend(row.iter().map(|pixel| pixel.map(|code| code * light)));
        }
        if let Some((color, size, speed)) = self.passer {
            let center = -size + speed * at as f32;
            for (index, pixel) in pixels.iter_mut().enumerate() {
                let (x, y) = ((index % WIDTH) as f32 - center, (index / WIDTH) as f32 - HEIGHT as f32 / 2.0);
                if x.abs() < size / 2.0 && y.abs() < size {
                    *pixel = color;
                }
            }
        }
        let grain = self.grain / 255.0;
        for pixel in &mut pixels {
            // The sum of three uniform numbers is close to a normal distribution.
            let word = chance.next();
            let sum = [0, 16, 32].map(|shift| ((word >> shift) & 0xffff) as f32 / 65536.0 - 0.5).iter().sum::<f32>();
            *pixel = pixel.map(|code| code + 2.0 * grain * sum);
        }
        pixels
    }
}

/// The transition from one shot to the next.
#[derive(Clone, Copy, PartialEq)]
enum Join {
    Cut,
    /// Over this many frames.
    Dissolve(usize),
    /// To black or white and back, with this many frames each.
    Fade(f32, usize),
}

/// A clip with its known properties.
pub struct Montage {
    pub clip: Clip,
    /// The first frames after hard cuts.
    pub cuts: Vec<u64>,
    /// The frames of dissolves and fades.
    pub gradual: Vec<Range<u64>>,
    /// The frames of flashes.
    pub flashes: Vec<Range<u64>>,
    pub frames: u64,
}

/// A clip in the making.
struct Making {
    file: BufWriter<File>,
    chance: Chance,
    place: Place,
    scene: Scene,
    /// The number of the scene's next frame. It continues through a dissolve.
    at: usize,
    /// Frames written so far.
    frames: u64,
    flashes: Vec<Range<u64>>,
}

impl Making {
    fn put(&mut self, pixels: &Pixels) {
        let bytes: Vec<u8> = pixels.iter().flatten().map(|code| (code.clamp(0.0, 1.0) * 255.0 + 0.5) as u8).collect();
        self.file.write_all(&bytes).expect("a frame is written");
        self.frames += 1;
    }

    /// Returns the next picture of the scene.
    fn next(&mut self) -> Pixels {
        self.at += 1;
        self.scene.frame(self.at - 1, &mut self.chance)
    }

    /// Adds a shot, with a flash in one of six.
    fn shot(&mut self) {
        let length = self.chance.whole(20, 60);
        let flash = self.chance.is_one_in(6).then(|| {
            let begin = self.chance.whole(8, length - 9);
            (begin..begin + self.chance.whole(1, 3), self.chance.between(0.3, 1.0))
        });
        let numbers = |frames: &Range<usize>| self.frames + frames.start as u64..self.frames + frames.end as u64;
        self.flashes.extend(flash.as_ref().map(|(frames, _)| numbers(frames)));
        for frame in 0..length {
            let mut pixels = self.next();
            if let Some((_, light)) = flash.as_ref().filter(|(frames, _)| frames.contains(&frame)) {
                pixels.iter_mut().for_each(|pixel| *pixel = pixel.map(|code| code + (1.0 - code) * light));
            }
            self.put(&pixels);
        }
    }

    /// Returns the scene of the next shot. One in `stays` is at the place of the one before.
    fn other_scene(&mut self, stays: usize) -> Scene {
        let chance = &mut self.chance;
        let backdrop = match chance.is_one_in(stays) {
            // The same place from another angle, or another part of the same view.
            true if chance.is_one_in(2) => self.place.seen(chance),
            true => self.scene.backdrop.clone(),
            false => {
                self.place = Place::new(chance);
                self.place.seen(chance)
            }
        };
        Scene::new(backdrop, chance)
    }

    /// Changes to the next scene.
    fn join(&mut self, join: Join, next: Scene) {
        let blank = |level: f32| vec![[level; 3]; WIDTH * HEIGHT];
        let mut begun = 0;
        match join {
            Join::Cut => {}
            Join::Dissolve(long) => {
                for step in 0..long {
                    let (old, new) = (self.next(), next.frame(step, &mut self.chance));
                    self.put(&mixed(&old, &new, (step + 1) as f32 / (long + 1) as f32));
                }
                begun = long;
            }
            Join::Fade(level, long) => {
                for step in 0..long {
                    let old = self.next();
                    self.put(&mixed(&old, &blank(level), (step + 1) as f32 / long as f32));
                }
                for step in 0..long {
                    let new = next.frame(step, &mut self.chance);
                    self.put(&mixed(&blank(level), &new, (step + 1) as f32 / long as f32));
                }
                begun = long;
            }
        }
        (self.scene, self.at) = (next, begun);
    }
}

/// Makes a clip with this many hard cuts, at random from `seed`. One shot in `stays` is at the place of the one before.
pub fn montage(seed: u64, cuts: usize, stays: usize) -> Montage {
    let clip = Clip::blank("montage.mp4");
    let raw = clip.folder().join("frames.rgb");
    let file = BufWriter::new(File::create(&raw).expect("a file for the frames"));
    let mut chance = Chance(seed);
    let place = Place::new(&mut chance);
    let scene = Scene::new(place.seen(&mut chance), &mut chance);
    let mut making = Making { file, chance, place, scene, at: 0, frames: 0, flashes: Vec::new() };
    let (mut known, mut gradual) = (Vec::new(), Vec::new());
    making.shot();
    while known.len() < cuts {
        let join = match making.chance.whole(1, 10) {
            1 => Join::Dissolve(making.chance.whole(8, 25)),
            2 => Join::Fade(if making.chance.is_one_in(4) { 1.0 } else { 0.0 }, making.chance.whole(8, 20)),
            _ => Join::Cut,
        };
        let (next, end) = (making.other_scene(stays), making.frames);
        making.join(join, next);
        match join {
            Join::Cut => known.push(end),
            Join::Dissolve(_) | Join::Fade(..) => gradual.push(end..making.frames),
        }
        making.shot();
    }
    making.file.flush().expect("the frames are written");
    let size = format!("-video_size {WIDTH}x{HEIGHT} -framerate {RATE}");
    let encode = "-vf format=yuv420p -c:v libx264 -preset veryfast -crf 22";
    clip.make("montage.mp4", &format!("-f rawvideo -pixel_format rgb24 {size} -i @/frames.rgb {encode}"));
    fs::remove_file(raw).expect("the raw frames go");
    Montage { clip, cuts: known, gradual, flashes: making.flashes, frames: making.frames }
}

fn mixed(a: &Pixels, b: &Pixels, part: f32) -> Pixels {
    let mix = |(a, b): (&[f32; 3], &[f32; 3])| [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * part);
    a.iter().zip(b).map(mix).collect()
}

/// The results of a detection, compared with the known cuts.
#[derive(Debug, Default, Clone)]
pub struct Score {
    /// The number of cuts.
    pub known: usize,
    /// The number of detected places.
    pub found: usize,
    /// Cuts that were not detected.
    pub missed: Vec<u64>,
    /// Detected places in flashes and next to them.
    pub flashes: Vec<u64>,
    /// Detected places in dissolves and fades.
    pub gradual: Vec<u64>,
    /// Detected places elsewhere.
    pub elsewhere: Vec<u64>,
}

impl Score {
    /// Matches detected places with known cuts. They may be one frame apart.
    pub fn of(montage: &Montage, found: &[u64]) -> Self {
        let is_near = |frame: u64, others: &[u64]| others.iter().any(|other| frame.abs_diff(*other) <= 1);
        let lies_in =
            |frame: u64, spans: &[Range<u64>]| spans.iter().any(|span| (span.start..=span.end).contains(&frame));
        let missed = montage.cuts.iter().copied().filter(|cut| !is_near(*cut, found)).collect();
        let mut score = Self { known: montage.cuts.len(), found: found.len(), missed, ..Self::default() };
        for &frame in found.iter().filter(|frame| !is_near(**frame, &montage.cuts)) {
            match () {
                () if lies_in(frame, &montage.flashes) => score.flashes.push(frame),
                () if lies_in(frame, &montage.gradual) => score.gradual.push(frame),
                () => score.elsewhere.push(frame),
            }
        }
        score
    }

    /// Adds the results of another clip.
    pub fn add(&mut self, other: &Self) {
        self.known += other.known;
        self.found += other.found;
        self.missed.extend(&other.missed);
        self.flashes.extend(&other.flashes);
        self.gradual.extend(&other.gradual);
        self.elsewhere.extend(&other.elsewhere);
    }

    /// The share of cuts that were detected.
    pub fn recall(&self) -> f64 {
        1.0 - self.missed.len() as f64 / self.known as f64
    }

    /// The share of detected places that are cuts.
    pub fn precision(&self) -> f64 {
        let wrong = self.flashes.len() + self.gradual.len() + self.elsewhere.len();
        1.0 - wrong as f64 / self.found.max(1) as f64
    }
}
