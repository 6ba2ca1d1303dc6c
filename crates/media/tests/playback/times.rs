//! Times of seeks and steps from the request to the frame on screen, and the number of pictures shown while scrubbing.
//! Run by hand, optionally with times in seconds, separated by commas, in HISTOSCOPE_TARGETS:
//! `HISTOSCOPE_CLIP=clip.mp4 cargo test --release --test playback times:: -- --ignored --nocapture --test-threads 1`.

#![allow(clippy::print_stdout, reason = "the times are the result")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::session::Session;

/// The repeat interval of a held key.
const REPEAT: Duration = Duration::from_millis(33);

struct Times(Vec<f64>);

impl Times {
    fn report(mut self, what: &str) {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| self.0[(share * (self.0.len() - 1) as f64) as usize];
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        println!(
            "{what}: median {:.1} ms, mean {mean:.1} ms, 95 % {:.1} ms, most {:.1} ms",
            at(0.5),
            at(0.95),
            at(1.0)
        );
    }
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

/// Lets the decoder come to rest, for a fair comparison with another player.
fn rest() {
    std::thread::sleep(Duration::from_millis(60));
}

fn timed(session: &mut Session, act: impl FnOnce(&mut Session)) -> f64 {
    rest();
    let start = Instant::now();
    act(session);
    milliseconds(start)
}

fn clip() -> PathBuf {
    PathBuf::from(std::env::var_os("HISTOSCOPE_CLIP").expect("HISTOSCOPE_CLIP names a clip"))
}

fn targets() -> Vec<f64> {
    let targets = std::env::var("HISTOSCOPE_TARGETS").unwrap_or_else(|_| "3.1,20.7,9.9,31.3,15.5".to_owned());
    targets.split(',').filter_map(|secs| secs.parse().ok()).collect()
}

/// Returns this process's processor time so far, in milliseconds, or zero if the system does not report it.
fn processor_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // User and system time are the 14th and 15th fields, in hundredths of a second. Two fields come before the bracket.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
}

#[test]
#[ignore = "measures time on a clip that the caller names"]
fn exact_seek_times() {
    let mut session = Session::paused(&clip());
    let targets = targets();
    let mut times = Times(Vec::new());
    let before = processor_ms();
    for secs in &targets {
        times.0.push(timed(&mut session, |s| _ = s.seek(*secs)));
    }
    println!("each exact seek: {:.1} ms of processor time", (processor_ms() - before) / targets.len() as f64);
    times.report("exact seeks alone");
}

#[test]
#[ignore = "measures time on a clip that the caller names"]
fn seek_and_step_times() {
    let mut session = Session::paused(&clip());
    let duration = session.info.duration_secs.expect("the clip states its duration");
    let targets = targets();
    let mut times: [Times; 4] = std::array::from_fn(|_| Times(Vec::new()));
    for secs in &targets {
        times[0].0.push(timed(&mut session, |s| _ = s.seek(*secs)));
        times[1].0.push(timed(&mut session, |s| _ = s.step(true)));
        times[2].0.push(timed(&mut session, |s| _ = s.step(false)));
    }
    session.seek(duration * 0.6);
    for _ in 0..20 {
        times[3].0.push(timed(&mut session, |s| _ = s.step(false)));
    }
    for (times, what) in times.into_iter().zip(["exact", "step", "step back", "20 steps back"]) {
        times.report(what);
    }
}

#[test]
#[ignore = "measures on a clip that the caller names"]
fn scrub_counts() {
    let mut session = Session::paused(&clip());
    let duration = session.info.duration_secs.expect("the clip states its duration");
    for step_secs in [5.0, -5.0, 0.5, -0.5, 0.1, -0.1, 0.0334, -0.0334] {
        let start_at = if step_secs > 0.0 { duration * 0.1 } else { duration * 0.9 };
        session.seek(start_at);
        let (pictures, repeats, secs) = scrub(&mut session, step_secs, duration);
        let each = pictures as f64 / repeats as f64;
        println!(
            "scrub by {step_secs} s: {each:.2} different pictures a key repeat, {:.1} a second",
            pictures as f64 / secs
        );
        let start = Instant::now();
        session.go(|player| player.settle(Instant::now()));
        println!("  settled after {:.1} ms", milliseconds(start));
    }
}

/// Holds a key for six seconds. Returns the number of picture changes, of key repeats, and the seconds.
fn scrub(session: &mut Session, step_secs: f64, duration: f64) -> (usize, usize, f64) {
    let start = Instant::now();
    let mut next = start;
    let mut last = session.frame().pts_ticks;
    let (mut pictures, mut repeats) = (0, 0);
    while start.elapsed() < Duration::from_secs(6) {
        let now = Instant::now();
        if now >= next {
            next += REPEAT;
            repeats += 1;
            // Turns around at the ends, so that there is always somewhere to go.
            let to = session.player.destination_secs() + step_secs;
            let to = if (0.0..duration).contains(&to) { to } else { to.rem_euclid(duration) };
            let request = session.player.scrub_to(to, now);
            histoscope_media::playback::send(&session.media, request);
        }
        match session.tick(now) {
            Some(frame) => {
                pictures += usize::from(frame.pts_ticks != last);
                last = frame.pts_ticks;
            }
            None => session.wait(Duration::from_millis(2)),
        }
    }
    (pictures, repeats, start.elapsed().as_secs_f64())
}
