//! Times of seeks. Run by hand, optionally with times in seconds, separated by commas, in HISTOSCOPE_TARGETS:
//! `HISTOSCOPE_CLIP=clip.mp4 cargo test --release --test media seek_times:: -- --ignored`.

#![allow(clippy::print_stdout, reason = "the times are the result")]

use std::time::Instant;

use histoscope_media::{Decoder, OpenOptions, Seek, SeekTarget};

struct Times(Vec<f64>);

impl Times {
    fn report(mut self, what: &str) {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| self.0[(share * (self.0.len() - 1) as f64) as usize];
        println!("{what}: median {:.1} ms, 95 % {:.1} ms, most {:.1} ms", at(0.5), at(0.95), at(1.0));
    }
}

fn timed(decoder: &mut Decoder, seek: Option<Seek>) -> (f64, i64) {
    let start = Instant::now();
    if let Some(seek) = seek {
        decoder.seek(seek).expect("the clip can be positioned");
    }
    let frame = decoder.next_frame().expect("the clip can be read").expect("there is a frame");
    (start.elapsed().as_secs_f64() * 1000.0, frame.pts_ticks)
}

#[test]
#[ignore = "measures time on a clip that the caller names"]
fn seek_times() {
    let path = std::env::var_os("HISTOSCOPE_CLIP").expect("HISTOSCOPE_CLIP names a clip");
    let start = Instant::now();
    let threads = std::env::var("HISTOSCOPE_THREADS").ok().and_then(|count| count.parse().ok());
    let options = OpenOptions { threads, ..OpenOptions::default() };
    let mut decoder = Decoder::open(path, &options).expect("the clip can be opened");
    println!("open and first frame: {:.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    let targets = std::env::var("HISTOSCOPE_TARGETS").unwrap_or_else(|_| "3.1,20.7,9.9,31.3,15.5".to_owned());
    let targets: Vec<f64> = targets.split(',').filter_map(|secs| secs.parse().ok()).collect();
    let mut times: [Times; 5] = std::array::from_fn(|_| Times(Vec::new()));
    let before = cpu_ms();
    for secs in &targets {
        times[0].0.push(timed(&mut decoder, Some(Seek::to(*secs))).0);
    }
    println!("exact seeks: {:.1} ms of processor time each", (cpu_ms() - before) / targets.len() as f64);
    for secs in &targets {
        times[1].0.push(timed(&mut decoder, Some(Seek::Keyframe(*secs))).0);
        let (_, pts) = timed(&mut decoder, Some(Seek::to(*secs)));
        times[2].0.push(timed(&mut decoder, None).0);
        times[3].0.push(timed(&mut decoder, Some(Seek::Exact(SeekTarget::Before(pts)))).0);
    }
    let (_, mut pts) = timed(&mut decoder, targets.first().map(|secs| Seek::to(*secs)));
    for _ in 0..20 {
        let (time, found) = timed(&mut decoder, Some(Seek::Exact(SeekTarget::Before(pts))));
        times[4].0.push(time);
        pts = found;
    }
    for (times, what) in times.into_iter().zip(["exact", "keyframe", "step", "step back", "20 steps back"]) {
        times.report(what);
    }
}

/// Returns this process's processor time so far, in milliseconds, or zero if the system does not report it.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // User and system time are the 14th and 15th fields, in hundredths of a second. Two fields come before the bracket.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
}
