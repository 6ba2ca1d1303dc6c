//! Two clips played in step with `--compare`: frames matched by time and by number, shifted, aligned, and impossible
//! comparisons.

use std::path::{Path, PathBuf};
use std::process::Output;

use histoscope_core::compare::Distance;
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::cpu;

use crate::picture::Picture;
use crate::program::{self, Program};
use crate::wait::{PATIENCE, output_of, until};
use crate::{FRAME_SECONDS, near, position_where, sample};

/// Returns the sums of a frame of a file, by number.
fn sums_of(file: &str, number: usize) -> Cumulative {
    let mut decoder = Decoder::open(file, &OpenOptions::default()).expect("it opens");
    let mut frame = None;
    for _ in 0..=number {
        frame = decoder.next_frame().expect("it can be read");
    }
    cpu::Engine::new().count(&frame.expect("a frame").picture, Components::Rgbl).cumulative()
}

/// Makes a clip with ffmpeg in a folder.
fn made(folder: &Path, name: &str, arguments: &str) -> String {
    let path = folder.join(name);
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y"]).args(arguments.split(' ')).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    path.to_str().expect("plain").to_owned()
}

/// Opens two files, paused on the first frame, with nothing under the pointer.
fn paused(files: [&str; 2], arguments: &[&str]) -> Program {
    let program = Program::start_on(&[&["--compare", "--paused"], arguments, &files[..]].concat());
    program.take_pointer_away();
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.settled();
    program
}

/// Waits until this frame of the second clip is shown with this one of the first. Times are in seconds with three
/// digits.
fn in_step(program: &Program, second: &str, first: &str) {
    let wanted = format!("second clip: {second} s beside {first} s");
    until(&wanted, PATIENCE, || {
        let log = program.log();
        log.lines()
            .rfind(|line| line.contains("second clip: "))
            .is_some_and(|line| line.contains(&wanted))
            .then_some(())
    });
}

/// Waits until both are paused, with the second clip's frame this many seconds after the first one's, which is on
/// screen.
fn stand_in_step(program: &Program, offset_secs: f64) {
    until("both to stand in step", PATIENCE, || {
        // Frames may still have arrived when the key was pressed.
        let position = program.title().position.filter(|_| program.title().paused)?;
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains("second clip: "))?.to_owned();
        let mut times = line
            .split("second clip: ")
            .nth(1)?
            .split(" s")
            .filter_map(|text| text.trim_start_matches(" beside ").parse::<f64>().ok());
        let (second, first) = (times.next()?, times.next()?);
        (near(second - first, offset_secs, 0.001) && near(first, position, 0.05)).then_some(())
    });
}

/// Waits until the newest numbers contain these distances between the first clip's frame and its partner.
fn distances(program: &Program, frame: usize, expected: &[String]) {
    until(&format!("the distances {expected:?}"), PATIENCE, || {
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains(&format!("numbers: frame {frame},")))?;
        let row = line.split("; ").find_map(|row| row.strip_prefix("distance, codes "))?;
        (row == expected.join(", ")).then_some(())
    });
}

fn expected_distances([first, second]: [&Cumulative; 2]) -> Vec<String> {
    let of = |channel| {
        let [first, second] = [first, second].map(|sums| sums.channel(channel).bins());
        format!("{:.2}", Distance::of(&first, &second).expect("there are samples").codes(8))
    };
    (0..4).map(of).collect()
}

/// Above the histograms and below the controls, these columns must equal those of a picture.
fn columns_are(program: &Program, expected: &Picture, columns: std::ops::Range<u32>, what: &str) {
    until(what, PATIENCE, || {
        let now = program.settled();
        let mut places = (150..480).step_by(5).flat_map(|y| columns.clone().step_by(3).map(move |x| (x, y)));
        places.all(|(x, y)| now.pixel(x, y) == expected.pixel(x, y)).then_some(())
    });
}

#[test]
fn partners_are_shown_at_either_side_with_their_distances_and_follow_every_key() {
    for engine in ["cpu", "gpu"] {
        let program = paused([sample(), sample()], &["--engine", engine, "--offset", "30"]);
        in_step(&program, "1.000", "0.000");
        let plain = |at| program.snapshot_with(sample(), at, (1280, 720), &["--no-overlay"]);
        columns_are(&program, &plain("0"), 0..636, "the first clip at the left");
        columns_are(&program, &plain("1"), 646..1280, "the second clip at the right");
        program.key("n");
        distances(&program, 0, &expected_distances([&sums_of(sample(), 0), &sums_of(sample(), 30)]));
        // Steps and seeks, back and forth, also in quick succession.
        program.key("period");
        in_step(&program, "1.033", "0.033");
        program.key("comma");
        in_step(&program, "1.000", "0.000");
        for _ in 0..4 {
            program.key("shift+Right");
        }
        in_step(&program, "5.000", "4.000");
        distances(&program, 120, &expected_distances([&sums_of(sample(), 120), &sums_of(sample(), 150)]));
        program.after(|| program.key("ctrl+period"), "note: offset +31 frames of sample.mp4");
        in_step(&program, "5.033", "4.000");
        for _ in 0..32 {
            program.key("ctrl+comma");
        }
        in_step(&program, "3.967", "4.000");
        program.key("Home");
        until("the beginning to be told", PATIENCE, || program.log().contains("has not begun").then_some(()));
        for _ in 0..4 {
            program.key("ctrl+period");
        }
        program.after(|| program.key("End"), "note: sample.mp4 has ended; its last picture remains");
        // When playback continues, both play together.
        program.key("Home");
        in_step(&program, "0.100", "0.000");
        program.key("space");
        until("playing", PATIENCE, || (!program.title().paused).then_some(()));
        position_where(&program, "a second on", |position| position > 1.0);
        program.key("space");
        stand_in_step(&program, 0.1);
        program.quit_with("q");
    }
}

/// Returns the part above the histograms and below the controls.
fn middle(program: &Program) -> Vec<[u8; 3]> {
    let now = program.settled();
    (150..480)
        .step_by(7)
        .flat_map(|y| (0..1280).step_by(5).map(move |x| (x, y)))
        .map(|(x, y)| now.pixel(x, y))
        .collect()
}

#[test]
fn two_clips_are_seen_side_by_side_and_as_their_difference() {
    for engine in ["cpu", "gpu"] {
        let arguments = ["--engine", engine, "--compare-as", "difference", "--gain", "4"];
        let program = paused([sample(), sample()], &arguments);
        in_step(&program, "0.000", "0.000");
        until("nothing to differ", PATIENCE, || middle(&program).iter().all(|pixel| *pixel == [0; 3]).then_some(()));
        program.after(|| program.key("ctrl+period"), "note: offset +1 frames of sample.mp4");
        in_step(&program, "0.033", "0.000");
        let sum = |pixels: &[[u8; 3]]| pixels.iter().flatten().map(|&code| u64::from(code)).sum::<u64>();
        let small = until("a difference", PATIENCE, || Some(sum(&middle(&program))).filter(|&sum| sum > 0));
        program.after(|| program.key("alt+period"), "note: difference ×8");
        let large = until("a larger one", PATIENCE, || Some(sum(&middle(&program))).filter(|&sum| sum > small));
        program.after(|| program.key("alt+comma"), "note: difference ×4");
        until("the smaller one", PATIENCE, || (sum(&middle(&program)) == small).then_some(()));
        assert!(large <= 2 * small, "no more than twice as much: {small} and {large}");
        // A divider, then side by side: both show the same when they show the same frame.
        program.after(|| program.key("shift+w"), "note: divider on, the second clip right of it");
        program.after(|| program.key("shift+w"), "note: side by side: the first and the second clip");
        program.after(|| program.key("ctrl+comma"), "note: offset +0 frames of sample.mp4");
        until("two pictures alike below and above black", PATIENCE, || {
            let now = program.settled();
            let alike = (190..480).step_by(7).flat_map(|y| (8..630).step_by(5).map(move |x| (x, y)));
            let mut seen = alike.map(|(x, y)| (now.pixel(x, y), now.pixel(x + 640, y)));
            let is_black = (100..170).all(|y| now.pixel(300, y) == [0; 3] && now.pixel(900, y) == [0; 3]);
            (is_black && seen.all(|(left, right)| left == right)).then_some(())
        });
        program.after(|| program.key("w"), "note: side by side off");
        program.quit_with("q");
    }
}

#[test]
fn clips_of_other_sizes_rates_depths_and_lengths_are_compared_and_an_offset_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    // It begins twelve frames later and is shorter.
    let arguments = format!("-ss 0.4 -i {} -t 6 -vf scale=640:480 -pix_fmt yuv420p10le -c:v libx264 -crf 12", sample());
    let other = made(folder.path(), "other.mp4", &arguments);
    let program = paused([sample(), &other], &["--compare-by", "frame"]);
    in_step(&program, "0.000", "0.000");
    program.after(|| program.key("ctrl+m"), "best match: offset -12");
    for _ in 0..2 {
        program.key("shift+Right");
    }
    in_step(&program, "1.600", "2.000");
    // Codes of different depths cannot be subtracted, so their distance is shown in percent.
    let log = program.log().len();
    program.key("n");
    until("a distance in percent", PATIENCE, || {
        let log = program.log()[log..].to_owned();
        let line = log.lines().rfind(|line| line.contains("numbers: frame 60,"))?.to_owned();
        line.split("; ").find(|row| row.starts_with("distance, % ")).map(drop)
    });
    program.key("End");
    until("the end of the shorter one", PATIENCE, || {
        program.log().contains("note: other.mp4 has ended; its last picture remains").then_some(())
    });
    // Shown alone, it cannot be saved. Held frames replace it until they are released.
    program.after(|| program.key("shift+p"), "note: the second clip: other.mp4");
    program.after(|| program.key("s"), "note: nothing was saved: the second clip is on screen");
    program.after(|| program.key("p"), "note: the second clip is on screen");
    program.after(|| program.key("shift+p"), "note: the video");
    program.after(|| program.key("p"), "note: held: sample.mp4 0:09.967");
    program.after(|| program.key("p"), "note: released sample.mp4 0:09.967");
    program.after(|| program.key("shift+p"), "note: the second clip: other.mp4");
    program.after(|| program.key("Escape"), "note: the video");
    program.quit_with("q");
    // Matched by time: 25 frames per second with 30.
    let arguments = format!("-i {} -t 4 -vf fps=25,scale=320:180 -c:v libx264", sample());
    let slow = made(folder.path(), "slow.mp4", &arguments);
    let program = paused([sample(), &slow], &[]);
    for (number, first, second) in
        [(1, "0.033", "0.000"), (2, "0.067", "0.040"), (3, "0.100", "0.080"), (4, "0.133", "0.120")]
    {
        program.key("period");
        if number > 1 {
            in_step(&program, second, first);
        }
    }
    program.quit_with("q");
}

#[test]
fn the_second_clip_goes_along_through_loops_and_at_other_speeds() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = format!("-i {} -t 5 -vf scale=320:180 -c:v libx264 -g 20", sample());
    let [first, second] = ["first.mp4", "second.mp4"].map(|name| made(folder.path(), name, &arguments));
    let program = paused([&first, &second], &["--loop", "--offset", "3", "--cache-mb", "2"]);
    in_step(&program, "0.100", "0.000");
    let play_until = |what: &str, is_there: &dyn Fn(f64) -> bool| {
        program.key("space");
        until("playing", PATIENCE, || (!program.title().paused).then_some(()));
        position_where(&program, what, is_there);
    };
    let stand = || {
        program.key("space");
        until("a pause", PATIENCE, || program.title().paused.then_some(()));
        // Near its end, the second clip, which is ahead, shows its last frame.
        let position = program.title().position.expect("a position");
        if position < 4.85 {
            stand_in_step(&program, 0.1);
        }
        position
    };
    // Over the end to the beginning, where it must seek since memory does not hold the whole clip. Twice, the second
    // time at double speed.
    for speed in [None, Some("braceright")] {
        if let Some(key) = speed {
            program.after(|| program.key(key), "speed 2.00×");
        }
        (0..4).for_each(|_| program.key("shift+Right"));
        in_step(&program, "4.100", "4.000");
        play_until("near the end", &|position| position > 4.4);
        position_where(&program, "the beginning again", |position| position < 2.0);
        assert!(stand() < 4.0, "it stands behind the beginning");
        program.key("Home");
        in_step(&program, "0.100", "0.000");
    }
    program.after(|| program.key("BackSpace"), "speed 1.00×");
    // Half as fast and slower, forwards.
    program.after(|| program.key("braceleft"), "speed 0.500×");
    play_until("a third of a second on", &|position| position > 0.3);
    assert!(stand() < 1.5, "it goes as slowly as it is to");
    // A looped part of the clip.
    program.key("Home");
    program.key("a");
    for _ in 0..9 {
        program.key("period");
    }
    in_step(&program, "0.400", "0.300");
    program.key("a");
    program.after(|| program.key("BackSpace"), "speed 1.00×");
    play_until("within the part", &|position| position < 0.35);
    program.pass(std::time::Duration::from_secs(1));
    assert!(stand() < 0.35, "it stays within the part");
    program.quit_with("q");
}

/// Returns the program's output and exit code.
fn ended(arguments: &[&str]) -> Output {
    let runtime = tempfile::tempdir().expect("a folder");
    let mut command = program::command(&runtime);
    command.args(["--adapter", "llvmpipe"]).args(arguments).env("RUST_LOG", "error").env("HISTOSCOPE_SCRIPT", "driven");
    let child = command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    child.stderr(std::process::Stdio::piped()).output().expect("it starts")
}

#[test]
fn tab_goes_through_several_clips_at_the_same_frame() {
    let folder = tempfile::tempdir().expect("a folder");
    let clip = |name: &str, rate: u32| {
        made(folder.path(), name, &format!("-i {} -t 2 -r {rate} -c:v libx264 -preset ultrafast", sample()))
    };
    let (b, c) = (clip("b.mp4", 25), clip("c.mp4", 10));
    let program = Program::start_on(&["--compare", "--paused", sample(), &b, &c]);
    program.take_pointer_away();
    position_where(&program, "at the beginning", |position| near(position, 0.0, FRAME_SECONDS));
    program.settled();
    (0..4).for_each(|_| program.key("."));
    // Frame 4 of 30 in a second is beside frame 3 of 25, and beside frame 1 of 10.
    in_step(&program, "0.120", "0.133");
    program.after(|| program.key("Tab"), "note: compared with c.mp4 (2 of 2)");
    in_step(&program, "0.100", "0.133");
    (0..2).for_each(|_| program.key("."));
    in_step(&program, "0.200", "0.200");
    program.key(".");
    program.after(|| program.key("Tab"), "note: compared with b.mp4 (1 of 2)");
    in_step(&program, "0.200", "0.233");
    program.key(".");
    in_step(&program, "0.240", "0.267");
}

#[test]
fn what_cannot_be_compared_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let letter: PathBuf = folder.path().join("letter.mp4");
    std::fs::write(&letter, "Dear reader, this is no video.").expect("a file");
    let letter = letter.to_str().expect("plain");
    let sound = made(folder.path(), "sound.m4a", "-f lavfi -i sine=d=1");
    let folder = folder.path().to_str().expect("plain");
    let cases: [(&[&str], i32, &str); 8] = [
        (&[sample(), "missing.mp4", "--compare"], 1, "missing.mp4"),
        (&["missing.mp4", sample(), "--compare"], 1, "missing.mp4"),
        (&[sample(), letter, "--compare"], 1, "letter.mp4"),
        (&[sample(), &sound, "--compare"], 1, "sound.m4a"),
        (&[sample(), "-", "--compare"], 1, "-"),
        (&[sample(), "--compare"], 2, "--compare needs at least two files, not 1"),
        (&[sample(), sample(), "missing.mp4", "--compare"], 1, "missing.mp4"),
        (&[sample(), folder, "--compare"], 2, "is a folder"),
    ];
    for (arguments, code, named) in cases {
        let output = ended(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(named) && !text.contains("panicked"), "{arguments:?}: {text}");
    }
    for arguments in
        [&["--offset", "3"][..], &["--compare-by", "frame"], &["--compare-as", "difference"], &["--gain", "2"]]
    {
        let output = ended(&[&[sample(), sample()], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?} without --compare");
    }
    for gain in ["0", "257", "loud"] {
        let output = ended(&[sample(), sample(), "--compare", "--gain", gain]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains("a whole number from 1 to 256"), "{gain}: {text}");
    }
}

#[test]
fn a_matrix_that_is_chosen_is_the_first_clip_s_alone() {
    let program = paused([sample(), sample()], &["--offset", "30"]);
    in_step(&program, "1.000", "0.000");
    program.after(|| program.key("m"), "note: matrix bt601 instead of bt709 (tagged)");
    let plain = |at, arguments: &[&str]| {
        program.snapshot_with(sample(), at, (1280, 720), &[&["--no-overlay"], arguments].concat())
    };
    columns_are(&program, &plain("0", &["--matrix", "bt601"]), 0..636, "the first clip by that matrix");
    columns_are(&program, &plain("1", &[]), 646..1280, "the second by its own");
    program.after(|| program.key("shift+p"), "note: the second clip: sample.mp4");
    columns_are(&program, &plain("1", &[]), 0..1280, "the second by its own, alone");
    program.after(|| program.key("m"), "note: matrix and range are chosen for the video; Shift+P goes back to it");
    program.after(|| program.key("shift+m"), "note: matrix and range are chosen for the video");
    program.after(|| program.key("shift+p"), "note: the video");
    columns_are(&program, &plain("0", &["--matrix", "bt601"]), 0..636, "the first clip once more");
    program.quit_with("q");
}

#[test]
fn a_second_clip_that_is_damaged_or_cut_off_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = made(folder.path(), "whole.mkv", &format!("-i {} -t 4 -c copy", sample()));
    let mut bytes = std::fs::read(&whole).expect("a clip");
    bytes.truncate(bytes.len() * 2 / 3);
    let cut = folder.path().join("cut.mkv");
    std::fs::write(&cut, &bytes).expect("a file");
    let cut = cut.to_str().expect("plain");
    let program = paused([sample(), cut], &[]);
    program.key("shift+Right");
    in_step(&program, "1.000", "1.000");
    program.after(|| program.key("End"), "note: cut.mkv");
    until("its end", PATIENCE, || {
        program.log().contains("note: cut.mkv stops there (read error); its last picture").then_some(())
    });
    program.quit_with("q");
}
