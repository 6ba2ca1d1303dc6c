//! Random hands: keys, clicks, drags, the wheel, sizes, dropped files and changes of file, over videos of several
//! depths, layouts and sizes, and over live input. The program neither panics nor logs an error, and `q` ends it.
//!
//! Each round of 100 actions has a number, which determines all of them. `HISTOSCOPE_HANDS=17` plays one round, and
//! `HISTOSCOPE_HANDS=1-200` plays 20,000 actions:
//!
//!     HISTOSCOPE_HANDS=1-200 cargo test --test window random_hands -- --nocapture

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use histoscope::keys::{Action, keys};

use crate::every_key::name_of;
use crate::program::{Program, Time};
use crate::sample;
use crate::wait::{PATIENCE, output_of};

/// The environment variable that selects the rounds.
const ROUNDS: &str = "HISTOSCOPE_HANDS";
/// The rounds that are played otherwise.
const USUAL: RangeInclusive<u64> = 1..=5;
/// Number of actions in a round.
const ACTIONS: usize = 100;
/// Sizes of the window, in pixels.
const SIZES: [(u32, u32); 7] = [(480, 270), (1280, 720), (960, 540), (333, 777), (64, 48), (700, 120), (1, 1)];

/// The files, some with sound, by their endings and what FFmpeg makes them from.
const FILES: [(&str, &str); 8] = [
    ("eight.mp4", "testsrc2=s=320x180:r=10:d=3 -f lavfi -i sine=d=3 -pix_fmt yuv420p -g 10 -c:a aac"),
    (
        "ten.mkv",
        "mandelbrot=s=160x90:r=25 -f lavfi -i anoisesrc=d=2:a=0.1 -t 1 -c:v ffv1 -pix_fmt yuv422p10le -c:a flac",
    ),
    ("twelve.mkv", "testsrc=s=64x48:r=5:d=2 -c:v ffv1 -pix_fmt yuv444p12le"),
    ("rgb.mkv", "testsrc2=s=101x53:r=10:d=1 -c:v ffv1 -pix_fmt gbrp10le"),
    ("gray.mkv", "testsrc2=s=33x17:r=10:d=1 -c:v ffv1 -pix_fmt gray"),
    ("tall.mp4", "smptebars=s=90x160:r=10:d=1 -pix_fmt yuv420p"),
    ("single.png", "testsrc2=s=200x100:d=1 -frames:v 1"),
    ("fields.mpg", "testsrc2=s=352x288:r=25:d=1 -c:v mpeg2video -flags +ildct+ilme -top 1"),
];

/// A live source, for every fifth round.
const LIVE: &str = "av://lavfi:testsrc2=size=160x90:rate=25";

/// The options that the program starts with.
const FLAGS: [&[&str]; 4] = [&[], &["--paused"], &["--engine", "gpu"], &["--loop"]];

/// A generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit.max(1) as u64) as usize
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Makes the files, with one that is no video.
fn make_files(folder: &Path) -> Vec<String> {
    for (name, arguments) in FILES {
        let mut command = Command::new("ffmpeg");
        command.args("-v error -y -f lavfi -i".split(' ')).args(arguments.split(' ')).arg(folder.join(name));
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no {name}: {error}"));
    }
    fs::write(folder.join("letter.mp4"), "Dear reader, this is no video.").expect("a file can be written");
    let names = FILES.iter().map(|(name, _)| *name).chain(["letter.mp4", "missing.mp4"]);
    let path = |name| folder.join(name).to_str().expect("plain").to_owned();
    names.map(path).chain([sample().to_owned()]).collect()
}

/// Returns the next commands of a hand.
fn next(random: &mut Random, files: &[String], keys: &[String], size: &mut (u32, u32)) -> Vec<String> {
    // Points beside the window belong to drags that leave it.
    let point = |random: &mut Random, (width, height): (u32, u32)| {
        let along = |random: &mut Random, extent: u32| random.below(extent as usize + 40) as i64 - 20;
        let (x, y) = (along(random, width), along(random, height));
        // The controls at the top are where most things happen.
        let y = if random.below(4) == 0 { y.min(60) } else { y };
        format!("move {x} {y}")
    };
    match random.below(100) {
        0..50 => vec![format!("key {}", random.one_of(keys))],
        50..65 => {
            let button = random.one_of(&[1, 1, 1, 3]);
            vec![point(random, *size), format!("press {button}"), format!("release {button}")]
        }
        65..78 => {
            let mut drag = vec![point(random, *size), "press 1".to_owned()];
            for _ in 0..=random.below(4) {
                drag.push(if random.below(12) == 0 { "leave".to_owned() } else { point(random, *size) });
                drag.push("pass 30".to_owned());
            }
            // A button is released somewhere.
            drag.extend([point(random, *size), "release 1".to_owned()]);
            drag
        }
        78..84 => vec![point(random, *size), format!("wheel {}", random.one_of(&[1, -1, 3, -5]))],
        84..88 => {
            *size = *random.one_of(&SIZES);
            vec![format!("resize {} {}", size.0, size.1)]
        }
        88..92 => vec![format!("drop {}", random.one_of(files))],
        92..94 => vec![format!("type {}", random.one_of(&["12f", "1:02", "10:00:00:00", "x", "0"]))],
        94..96 => vec!["leave".to_owned()],
        96..98 => vec!["hide".to_owned(), "pass 100".to_owned(), "show".to_owned()],
        _ => vec!["pass 2000".to_owned()],
    }
}

fn play(round: u64, files: &[String], keys: &[String]) {
    let mut random = Random(round);
    // The first file opens in any case.
    let (first, second) = (&files[random.below(FILES.len())], random.one_of(files));
    let flags = *random.one_of(&FLAGS);
    // Live input takes as long as it takes, and begins without options of files.
    let program = if round.is_multiple_of(5) {
        Program::start_in_time(Time::Real, &[LIVE, second])
    } else {
        Program::start_on(&[flags, &[first, second]].concat())
    };
    let mut size = program.picture().size();
    let mut history = Vec::new();
    for _ in 0..ACTIONS {
        for command in next(&mut random, files, keys, &mut size) {
            history.push(command.clone());
            program.command(&command);
        }
        program.command("pass 40");
        let log = program.log();
        let fault = log.lines().find(|line| line.contains("ERROR") || line.contains("panicked"));
        assert!(
            fault.is_none() && program.is_running(),
            "round {round} ended with {fault:?} after {} commands, the last of which are {:#?}\n{}",
            history.len(),
            &history[history.len().saturating_sub(12)..],
            &log[log.floor_char_boundary(log.len().saturating_sub(4000))..]
        );
    }
    // A field takes letters, and a menu too.
    (0..3).for_each(|_| program.key("Escape"));
    // Live input of many minutes, which this source sends in a moment, is lost only if asked for twice.
    if round.is_multiple_of(5) {
        program.key("q");
    }
    program.quit_with("q");
}

#[test]
fn random_hands_break_nothing() {
    let rounds = match std::env::var(ROUNDS) {
        Err(_) => USUAL,
        Ok(text) => {
            let (first, last) = text.split_once('-').unwrap_or((&text, &text));
            let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{ROUNDS}={text} is no round"));
            number(first)..=number(last)
        }
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = make_files(folder.path());
    // Quitting comes last, and nobody answers the file dialog.
    let has_no_end = |action: &Action| !matches!(action, Action::Quit | Action::OpenFile);
    let keys: Vec<_> = keys().filter(|key| has_no_end(&key.action)).map(|key| name_of(&key.chord)).collect();
    for round in rounds {
        println!("round {round}");
        play(round, &files, &keys);
    }
}
