use super::*;

/// Returns the cells of a picture: bell curves around three levels and their luminance, with noise that depends on the
/// frame.
fn cells(levels: [f64; 3], frame: u64) -> Vec<u64> {
    let bell = |level: f64, channel: u64| {
        (0..ROWS as u64).map(move |row| {
            let noise = (row * 7919 + frame * 104_729 + channel * 31) % 97;
            let from = (row as f64 - level * 255.0) / 25.0;
            ((-from * from).exp() * 8000.0) as u64 + noise
        })
    };
    let luminance = levels[0] * 0.2126 + levels[1] * 0.7152 + levels[2] * 0.0722;
    let levels = [levels[0], levels[1], levels[2], luminance];
    levels.iter().zip(0..).flat_map(|(&level, channel)| bell(level, channel)).collect()
}

fn find(clip: &[[f64; 3]]) -> Vec<u64> {
    let mut finder = CutFinder::new(DEFAULT_THRESHOLD);
    for (levels, frame) in clip.iter().zip(0_u64..) {
        finder.push(frame, frame as f64 / 25.0, &cells(*levels, frame));
    }
    let (cuts, found) = finder.finish();
    assert_eq!(cuts.len() as u64, found);
    cuts.iter().map(|cut| cut.frame).collect()
}

fn shot(levels: [f64; 3], frames: usize) -> Vec<[f64; 3]> {
    vec![levels; frames]
}

fn fade(from: [f64; 3], to: [f64; 3], frames: usize) -> Vec<[f64; 3]> {
    let mix = |at: usize| {
        let part = at as f64 / (frames - 1) as f64;
        [0, 1, 2].map(|c| from[c] * (1.0 - part) + to[c] * part)
    };
    (0..frames).map(mix).collect()
}

const DARK: [f64; 3] = [0.2, 0.25, 0.3];
const BRIGHT: [f64; 3] = [0.8, 0.7, 0.65];
const BLACK: [f64; 3] = [0.0; 3];

#[test]
fn the_distance_is_how_far_levels_are_moved() {
    let one = |row: usize| {
        let mut cells = vec![0; 4 * ROWS];
        for channel in 0..4 {
            cells[channel * ROWS + row] = 10;
        }
        Signature::new(&cells)
    };
    assert!((one(0).distance(&one(255)) - 1.0).abs() < 1e-12);
    assert!((one(100).distance(&one(151)) - 0.2).abs() < 1e-12);
    assert_eq!(one(7).distance(&one(7)), 0.0);
}

#[test]
fn pictures_of_different_sizes_are_compared_by_shares() {
    let small = cells(DARK, 0);
    let large: Vec<u64> = small.iter().map(|count| count * 9).collect();
    assert!(Signature::new(&small).distance(&Signature::new(&large)) < 1e-12);
}

#[test]
fn a_cut_is_the_first_frame_of_the_new_shot() {
    let clip = [shot(DARK, 20), shot(BRIGHT, 20), shot(DARK, 7)].concat();
    assert_eq!(find(&clip), [20, 40]);
}

#[test]
fn a_change_of_one_channel_is_a_cut() {
    let blue = [DARK[0], DARK[1], 0.6];
    assert_eq!(find(&[shot(DARK, 10), shot(blue, 10)].concat()), [10]);
}

#[test]
fn fades_and_dissolves_are_not_cuts() {
    for frames in [6, 12, 25, 50] {
        let clip = [shot(DARK, 10), fade(DARK, BRIGHT, frames), shot(BRIGHT, 10)].concat();
        assert_eq!(find(&clip), [0; 0], "a dissolve of {frames} frames");
        let clip = [fade(BLACK, BRIGHT, frames), shot(BRIGHT, 10), fade(BRIGHT, BLACK, frames)].concat();
        assert_eq!(find(&clip), [0; 0], "fades of {frames} frames");
    }
}

#[test]
fn a_repeated_frame_in_a_dissolve_is_not_a_cut() {
    for repeated in 2..10 {
        let mut dissolve = fade(DARK, BRIGHT, 12);
        dissolve[repeated] = dissolve[repeated - 1];
        let clip = [shot(DARK, 10), dissolve, shot(BRIGHT, 10)].concat();
        assert_eq!(find(&clip), [0; 0], "frame {repeated}");
    }
}

#[test]
fn flashes_are_not_cuts_but_short_shots_have_cuts() {
    let white = [1.0; 3];
    for frames in 1..=FLASH_FRAMES {
        let clip = [shot(DARK, 12), shot(white, frames), shot(DARK, 12)].concat();
        assert_eq!(find(&clip), [0; 0], "{frames} white frames");
    }
    let clip = [shot(DARK, 12), shot(white, FLASH_FRAMES + 1), shot(DARK, 12)].concat();
    assert_eq!(find(&clip), [12, 12 + FLASH_FRAMES as u64 + 1]);
    let clip = [shot(DARK, 12), shot(BRIGHT, 3), shot([0.5, 0.2, 0.9], 12)].concat();
    assert_eq!(find(&clip), [12, 15], "a short shot between two others");
}

/// Returns the cells of a blank frame.
fn blank(row: usize) -> Vec<u64> {
    (0..4 * ROWS).map(|at| if at % ROWS == row { 10_000 } else { 0 }).collect()
}

/// A part of a clip: a shot of these levels, or blank frames at a row, and the number of frames.
#[derive(Clone, Copy)]
enum Part {
    Shot([f64; 3], usize),
    Blank(usize, usize),
}

use Part::{Blank, Shot};

/// Returns the cells of every frame.
fn frames_of(parts: &[Part]) -> Vec<Vec<u64>> {
    let mut frames = Vec::new();
    for part in parts {
        let (Shot(_, length) | Blank(_, length)) = *part;
        for _ in 0..length {
            frames.push(match *part {
                Shot(levels, _) => cells(levels, frames.len() as u64),
                Blank(row, _) => blank(row),
            });
        }
    }
    frames
}

/// Returns the cuts, and the first and last frames of the flashes.
fn cuts_and_flashes(frames: &[Vec<u64>]) -> (Vec<u64>, Vec<(u64, u64)>) {
    let mut finder = CutFinder::new(DEFAULT_THRESHOLD);
    for (cells, frame) in frames.iter().zip(0_u64..) {
        finder.push(frame, frame as f64 / 25.0, cells);
    }
    finder.end();
    let flashes = finder.flashes().iter().map(|flash| (flash.frame, flash.last)).collect();
    (finder.found().iter().map(|cut| cut.frame).collect(), flashes)
}

#[test]
fn a_blank_flash_does_not_hide_the_cut() {
    for row in [0, 255] {
        for frames in 1..=FLASH_FRAMES {
            let after = 12 + frames as u64;
            let clip = frames_of(&[Shot(DARK, 12), Blank(row, frames), Shot(BRIGHT, 12)]);
            let expected = (vec![after], vec![(12, after - 1)]);
            assert_eq!(cuts_and_flashes(&clip), expected, "{frames} frames at row {row}");
            let clip = frames_of(&[Shot(DARK, 12), Blank(row, frames), Shot(DARK, 12)]);
            assert_eq!(cuts_and_flashes(&clip), (vec![], vec![(12, after - 1)]), "{frames} frames at row {row}");
        }
    }
}

#[test]
fn longer_runs_of_blank_frames_are_shots() {
    let long = FLASH_FRAMES + 1;
    let clip = frames_of(&[Shot(DARK, 12), Blank(0, long), Shot(BRIGHT, 12)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![12, 12 + long as u64], vec![]));
    // A flash before black, in black, and of black and white.
    let clip = frames_of(&[Shot(BRIGHT, 12), Blank(255, 1), Blank(0, 12), Shot(BRIGHT, 12)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![13, 25], vec![(12, 12)]));
    let clip = frames_of(&[Blank(0, 12), Blank(255, 2), Blank(0, 12)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![], vec![(12, 13)]));
    let clip = frames_of(&[Shot(BRIGHT, 12), Blank(255, 1), Blank(0, 2), Shot(DARK, 12)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![15], vec![(12, 14)]));
}

#[test]
fn blank_frames_at_the_ends_and_in_fades_are_no_flash() {
    let clip = frames_of(&[Blank(0, 2), Shot(BRIGHT, 12), Blank(0, 1)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![2, 14], vec![]));
    let mut clip: Vec<_> = fade(BRIGHT, BLACK, 12).into_iter().zip(0..).map(|(levels, at)| cells(levels, at)).collect();
    clip.extend(frames_of(&[Blank(0, 2)]));
    clip.extend(fade(BLACK, BRIGHT, 12).into_iter().zip(0..).map(|(levels, at)| cells(levels, at)));
    assert_eq!(cuts_and_flashes(&clip), (vec![], vec![]));
}

#[test]
fn a_picture_that_returns_abruptly_was_interrupted_by_a_flash() {
    for frames in 1..=FLASH_FRAMES {
        let clip = frames_of(&[Shot(DARK, 12), Shot(BRIGHT, frames), Shot(DARK, 12)]);
        assert_eq!(cuts_and_flashes(&clip), (vec![], vec![(12, 11 + frames as u64)]));
    }
    let dimmer = DARK.map(|level| level + 0.06);
    let clip = frames_of(&[Shot(DARK, 12), Shot(dimmer, 1), Shot(DARK, 12)]);
    assert_eq!(cuts_and_flashes(&clip), (vec![], vec![]), "too small a change");
}

#[test]
fn the_cut_after_a_flash_is_guessed_and_found_in_time() {
    let parts = [Shot(DARK, 9), Blank(0, 1), Blank(255, 3), Shot(BRIGHT, 1), Blank(0, 4), Shot(BRIGHT, 1)];
    let clip = frames_of(&[&parts[..], &[Blank(255, 4), Shot(BRIGHT, 9), Blank(0, 9), Shot(DARK, 9)]].concat());
    let (cuts, _) = cuts_and_flashes(&clip);
    let mut guess = CutGuess::new(DEFAULT_THRESHOLD);
    let guessed: Vec<u64> = (0..).zip(&clip).filter(|(_, cells)| guess.push(cells)).map(|(frame, _)| frame).collect();
    assert!(cuts.iter().all(|cut| guessed.contains(cut)), "{cuts:?}, {guessed:?}");
    let mut finder = CutFinder::new(DEFAULT_THRESHOLD);
    for (cells, frame) in clip.iter().zip(0_u64..) {
        let found = finder.found().len();
        finder.push(frame, frame as f64, cells);
        assert!(finder.found()[found..].iter().all(|cut| frame - cut.frame <= CUT_DELAY as u64));
        assert!(finder.undecided.len() <= FLASH_FRAMES + NEIGHBOURS + 1);
    }
}

#[test]
fn motion_between_repeated_frames_is_not_a_cut() {
    // Every frame is repeated, as after conversion from 30 to 60 frames per second, and each is brighter than the one
    // before.
    let moving: Vec<[f64; 3]> = (0..40).map(|frame| [0.1 + f64::from(frame / 2) * 0.04; 3]).collect();
    assert_eq!(find(&moving), [0; 0]);
}

#[test]
fn a_cut_next_to_an_end_is_found() {
    assert_eq!(find(&[shot(DARK, 1), shot(BRIGHT, 1)].concat()), [1]);
    assert_eq!(find(&[shot(DARK, 20), shot(BRIGHT, 1)].concat()), [20]);
    assert_eq!(find(&shot(DARK, 1)), [0; 0]);
    assert_eq!(find(&[]), [0; 0]);
}

#[test]
fn the_threshold_decides_about_small_changes() {
    let clip = [shot([0.5; 3], 10), shot([0.52; 3], 10)].concat();
    assert_eq!(find(&clip), [0; 0]);
    let mut finder = CutFinder::new(0.01);
    for (levels, frame) in clip.iter().zip(0_u64..) {
        finder.push(frame, frame as f64, &cells(*levels, frame));
    }
    assert_eq!(finder.finish().0.len(), 1);
}

#[test]
fn only_frames_around_the_decision_are_held() {
    let mut finder = CutFinder::new(DEFAULT_THRESHOLD);
    for frame in 0..1000 {
        finder.push(frame, frame as f64, &cells(if frame / 100 % 2 == 0 { DARK } else { BRIGHT }, frame));
        assert!(finder.held.len() <= 2 * AROUND, "{} frames", finder.held.len());
    }
    assert_eq!(finder.finish().1, 9);
}

#[test]
fn every_cut_is_guessed_from_any_start_with_few_false_alarms() {
    // Small and large cuts, motion before one of them, a fade, and a flash.
    let small = DARK.map(|level| level + 0.035);
    let moving: Vec<[f64; 3]> = (0..12).map(|at| BRIGHT.map(|level| level - 0.012 * f64::from(at % 2))).collect();
    let flash = [shot(BRIGHT, 8), shot([1.0; 3], 2), shot(BRIGHT, 8)].concat();
    let clip = [shot(DARK, 9), shot(small, 9), moving, shot(DARK, 7), fade(DARK, BRIGHT, 20), flash, shot(BLACK, 6)];
    let clip = clip.concat();
    let cuts = find(&clip);
    assert_eq!(cuts.len(), 4, "{cuts:?}");
    for begin in 0..clip.len() as u64 {
        let mut guess = CutGuess::new(DEFAULT_THRESHOLD);
        let frames = clip.iter().zip(0_u64..).filter(|(_, frame)| *frame >= begin);
        let guessed: Vec<u64> =
            frames.filter(|(levels, frame)| guess.push(&cells(**levels, *frame))).map(|(_, frame)| frame).collect();
        assert_eq!(guessed.first(), Some(&begin));
        let missed: Vec<&u64> = cuts.iter().filter(|cut| **cut >= begin && !guessed.contains(cut)).collect();
        assert!(missed.is_empty(), "{missed:?} from {begin} on");
        assert!(guessed.len() <= cuts.len() + 4, "{guessed:?}");
    }
}
