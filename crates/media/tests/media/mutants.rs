//! Damaged files of every container that this FFmpeg can write: two thousand mutants, and none makes the program panic,
//! die by a signal, hang, exhaust memory or leave a file behind.
//!
//! A mutant is identified by its number alone, so a harmful one can be examined: `HISTOSCOPE_MUTANTS=1234 cargo test
//! --test media mutants::` runs only that one, `HISTOSCOPE_MUTANTS=2000-12000` runs others than usual. The mutants are
//! read in separate processes, which are this program called again. They print each number before they open the file.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use histoscope_core::histogram::Components;
use histoscope_media::{Decoder, OpenOptions, Seek};
use histoscope_render::cpu::Engine as CpuCounter;

use crate::common::damage::mutated;
use crate::common::{Clip, noise};

/// The mutants of a run.
const MUTANTS: Range<u64> = 0..2000;
/// The processes that read them.
const WORKERS: u64 = 2;
/// The most time for one mutant.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most memory that a process may use, in KiB.
const MAX_MEMORY_KIB: u64 = 1_500_000;
/// The most frames to read of a mutant: as many as the clips have, plus some that damage may add.
const FRAMES: usize = 12;
/// The environment variable with a worker's part: folder, first, end and step of the mutants' numbers, and a fault to
/// inject for testing this test.
const WORK: &str = "HISTOSCOPE_MUTANTS_WORK";

/// The last message of a worker: the number of its mutants that gave a frame.
const OPENED: &str = "opened: ";

/// Muxers that write to a device or a network, or write nothing at all.
const NO_FILES: [&str; 16] = [
    "alsa",
    "audiotoolbox",
    "caca",
    "decklink",
    "fbdev",
    "fifo",
    "fifo_test",
    "null",
    "opengl",
    "oss",
    "pulse",
    "rtp",
    "rtp_mpegts",
    "rtsp",
    "sap",
    "tee",
];

/// Returns the file extension of a container if it differs from its name.
fn ending(muxer: &str) -> &str {
    match muxer {
        "hls" => "m3u8",
        "dash" => "mpd",
        "matroska" => "mkv",
        "mpegts" => "ts",
        "yuv4mpegpipe" => "y4m",
        name => name,
    }
}

/// Makes a clip in each container that accepts one, each in its own folder with any other files of the container.
fn corpus(folder: &Path) -> Vec<PathBuf> {
    let base = Clip::moving("base.y4m", "64x48", 0.16, "-pix_fmt yuv420p");
    let listed = Command::new("ffmpeg").args(["-v", "error", "-muxers"]).output().expect("ffmpeg runs");
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    let names =
        listed.lines().skip_while(|line| !line.contains("--")).filter_map(|line| line.split_whitespace().nth(1));
    let muxers: Vec<&str> = names.filter(|name| !NO_FILES.contains(name) && !name.contains(',')).collect();
    let rest = Mutex::new(muxers.into_iter());
    let made = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(muxer) = { rest.lock().expect("nobody panics").next() } {
                    let folder = folder.join(muxer);
                    fs::create_dir(&folder).expect("the folder takes one");
                    let path = folder.join(format!("clip.{}", ending(muxer)));
                    let mut command = Command::new("ffmpeg");
                    command.args(["-v", "quiet", "-nostdin", "-threads", "1", "-i"]).arg(base.path());
                    command.args(["-t", "0.16", "-f", muxer]).arg(&path).current_dir(&folder);
                    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                    // Some accept only sound, or other sizes.
                    if quiet.status().expect("ffmpeg runs").success() && Decoder::open(&path, &options()).is_ok() {
                        made.lock().expect("nobody panics").push(path);
                    }
                }
            });
        }
    });
    let mut made = made.into_inner().expect("nobody panics");
    made.sort();
    made
}

fn options() -> OpenOptions {
    OpenOptions { threads: Some(1), ..OpenOptions::default() }
}

/// Reads a file as far as possible, and once more from a time in the middle. Returns true if it could be opened. Any
/// error is allowed.
fn read(path: &Path) -> bool {
    let Ok(mut decoder) = Decoder::open(path, &options()) else { return false };
    let mut engine = CpuCounter::new();
    for seek in [None, Some(Seek::to(0.08))] {
        if seek.is_some_and(|seek| decoder.seek(seek).is_err()) {
            break;
        }
        for _ in 0..FRAMES {
            let Ok(Some(frame)) = decoder.next_frame() else { break };
            // Reads every sample.
            std::hint::black_box(engine.count(&frame.picture, Components::Rgbl).bins(0)[0]);
        }
    }
    true
}

/// Returns the most memory that this process has used, in KiB, if the system reports it.
fn most_memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Reads a worker's part of the mutants. Run as an ordinary test, it does nothing.
#[test]
#[ignore = "is run by the test of the mutants, in processes of its own"]
fn worker() {
    let Ok(work) = env::var(WORK) else { return };
    let [folder, first, end, step, fault]: [&str; 5] =
        work.split('|').collect::<Vec<_>>().try_into().expect("five parts");
    let [first, end, step] = [first, end, step].map(|part| part.parse::<u64>().expect("a number"));
    let clips: Vec<PathBuf> = {
        let list = fs::read_to_string(Path::new(folder).join("list")).expect("there is a list");
        list.lines().map(PathBuf::from).collect()
    };
    let mut opened = 0;
    for number in (first..end).step_by(step as usize) {
        let clip = &clips[(number % clips.len() as u64) as usize];
        let name =
            format!("mutant-{first}.{}", clip.extension().and_then(|ending| ending.to_str()).unwrap_or_default());
        let path = clip.with_file_name(name);
        say(&format!("mutant {number} {}", clip.display()));
        fs::write(&path, mutated(fs::read(clip).expect("the clip is there"), number)).expect("the mutant is written");
        opened += u64::from(read(&path));
        match fault {
            "panic" => panic!("as the test wants"),
            "hang" => thread::sleep(Duration::from_secs(60)),
            "signal" => std::process::abort(),
            "memory" => drop(std::hint::black_box(vec![1_u8; 300 << 20])),
            "file" => fs::write(clip.with_file_name("left"), "").expect("the file is written"),
            _ => {}
        }
        fs::remove_file(&path).expect("the mutant is there");
        let (memory, most) = (most_memory_kib(), if fault == "memory" { 250_000 } else { MAX_MEMORY_KIB });
        assert!(memory <= most, "mutant {number} took {memory} KiB of memory");
    }
    say(&format!("{OPENED}{opened}"));
}

#[allow(clippy::print_stdout, reason = "how a worker tells where it is, and what came of a run")]
fn say(line: &str) {
    println!("{line}");
}

/// Runs one worker. Returns the number of its mutants that could be opened, or the harmful ones with their harm.
fn watch(folder: &Path, numbers: &Range<u64>, first: u64, fault: &str, patience: Duration) -> Result<u64, String> {
    let (end, step) = (numbers.end, WORKERS);
    let mut child = Command::new(env::current_exe().expect("this program has a path"))
        .args(["mutants::worker", "--exact", "--ignored", "--nocapture"])
        .env(WORK, format!("{}|{first}|{end}|{step}|{fault}", folder.display()))
        .env("TMPDIR", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program starts");
    let (sender, lines) = mpsc::channel();
    let stdout = child.stdout.take().expect("a pipe");
    let reader = thread::spawn(move || {
        BufReader::new(stdout).lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    let (mut last, mut opened) = ("no mutant".to_owned(), 0);
    let hangs = loop {
        match lines.recv_timeout(patience) {
            Ok(line) if line.contains("mutant ") => last = line,
            Ok(line) => opened += line.strip_prefix(OPENED).and_then(|count| count.parse().ok()).unwrap_or(0),
            Err(mpsc::RecvTimeoutError::Timeout) => break true,
            Err(mpsc::RecvTimeoutError::Disconnected) => break false,
        }
    };
    if hangs {
        child.kill().expect("the worker can be ended");
    }
    let status: ExitStatus = child.wait().expect("the worker ends");
    reader.join().expect("the lines were read");
    match () {
        () if hangs => Err(format!("{last}: no answer for {patience:?}")),
        () if !status.success() => Err(format!("{last}: the process ended with {status}")),
        () => Ok(opened),
    }
}

/// Returns every file below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { BTreeSet::from([path]) }).collect()
}

/// Reads the mutants of these numbers. Returns how many could be opened, or the failures of each worker and the files
/// left behind.
fn read_all(
    folder: &Path,
    clips: &[PathBuf],
    numbers: &Range<u64>,
    fault: &str,
    patience: Duration,
) -> Result<u64, Vec<String>> {
    let list: Vec<&str> = clips.iter().map(|path| path.to_str().expect("the path is text")).collect();
    fs::write(folder.join("list"), list.join("\n")).expect("the list is written");
    let before = files(folder);
    let answers: Vec<Result<u64, String>> = thread::scope(|scope| {
        let firsts = numbers.start..numbers.end.min(numbers.start + WORKERS);
        let workers: Vec<_> =
            firsts.map(|first| scope.spawn(move || watch(folder, numbers, first, fault, patience))).collect();
        workers.into_iter().map(|worker| worker.join().expect("nobody panics")).collect()
    });
    let opened = answers.iter().flatten().sum();
    let mut harm: Vec<String> = answers.into_iter().filter_map(Result::err).collect();
    if harm.is_empty() {
        harm.extend(files(folder).difference(&before).map(|left| format!("{} was left behind", left.display())));
    }
    if harm.is_empty() { Ok(opened) } else { Err(harm) }
}

#[test]
fn two_thousand_mutants_do_no_harm() {
    let numbers = match env::var("HISTOSCOPE_MUTANTS") {
        Ok(text) => {
            let (first, end) = text.split_once('-').unwrap_or((&text, ""));
            let first: u64 = first.parse().expect("HISTOSCOPE_MUTANTS is a number, or two with a - between");
            first..end.parse().unwrap_or(first + 1)
        }
        Err(_) => MUTANTS,
    };
    let folder = tempfile::tempdir().unwrap();
    let clips = corpus(folder.path());
    let has = |name: &str| clips.iter().any(|path| path.parent().is_some_and(|folder| folder.ends_with(name)));
    for name in ["asf", "avi", "flv", "gif", "hls", "matroska", "mov", "mp4", "mpegts", "mxf", "nut", "yuv4mpegpipe"] {
        assert!(has(name), "no clip of {name} could be made and read");
    }
    match read_all(folder.path(), &clips, &numbers, "", PATIENCE) {
        Err(harm) => panic!("run again with HISTOSCOPE_MUTANTS=NUMBER:\n{}", harm.join("\n")),
        Ok(opened) => {
            say(&format!("{} clips, {opened} of {} mutants could be opened", clips.len(), numbers.end - numbers.start));
            // Mutants that no demuxer accepts test little.
            assert!(numbers != MUTANTS || opened > MUTANTS.end / 4, "only {opened} mutants could be opened");
        }
    }
}

#[test]
fn every_kind_of_harm_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let clip = Clip::moving("clip.avi", "64x48", 0.16, "-c:v mjpeg -pix_fmt yuvj420p");
    let path = folder.path().join("clip.avi");
    fs::copy(clip.path(), &path).unwrap();
    let clips = [path];
    let faults = [("panic", "exit status: 101"), ("signal", "signal"), ("hang", "no answer"), ("file", "left behind")];
    let memory = ("memory", "exit status: 101");
    for (fault, words) in faults.into_iter().chain(cfg!(target_os = "linux").then_some(memory)) {
        let patience = if fault == "hang" { Duration::from_secs(1) } else { PATIENCE };
        let found = read_all(folder.path(), &clips, &(7..8), fault, patience).expect_err(fault);
        assert!(found.len() == 1 && found[0].contains(words), "{fault}: {found:?}");
        assert!(fault == "file" || found[0].contains("mutant 7 "), "{fault}: {found:?}");
        let left = files(folder.path());
        left.iter().filter(|file| !file.ends_with("clip.avi")).for_each(|file| drop(fs::remove_file(file)));
    }
    read_all(folder.path(), &clips, &(7..9), "", PATIENCE).expect("no harm");
}

#[test]
fn mutants_differ_from_their_clip_and_from_each_other() {
    let bytes = noise(2000, 3);
    let mutants: BTreeSet<_> = (0..200).map(|number| mutated(bytes.clone(), number)).collect();
    assert!(mutants.len() > 190 && !mutants.contains(&bytes), "{} mutants", mutants.len());
    assert_eq!(mutated(bytes.clone(), 5), mutated(bytes, 5));
}
