//! How long seeks take. Run by hand: `HISTOSCOPE_CLIP=clip.mp4 cargo test --release --test media_seek_times -- --ignored`.

#![allow(clippy::print_stdout, reason = "the times are the result")]

mod common;

use std::time::Instant;

use common::{noise, open};
use histoscope::media::{Decoder, SeekTarget};

struct Times(Vec<f64>);

impl Times {
    fn report(mut self, what: &str) {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| self.0[(share * (self.0.len() - 1) as f64) as usize];
        println!("{what}: median {:.1} ms, 95 % {:.1} ms, most {:.1} ms", at(0.5), at(0.95), at(1.0));
    }
}

fn timed(decoder: &mut Decoder, target: Option<SeekTarget>) -> (f64, i64) {
    let start = Instant::now();
    if let Some(target) = target {
        decoder.seek(target).expect("the clip can be positioned");
    }
    let frame = decoder.next_frame().expect("the clip can be read").expect("there is a frame");
    (start.elapsed().as_secs_f64() * 1000.0, frame.pts_ticks)
}

#[test]
#[ignore = "measures time on a clip that the caller names"]
fn seek_times() {
    let path = std::env::var_os("HISTOSCOPE_CLIP").expect("HISTOSCOPE_CLIP names a clip");
    let start = Instant::now();
    let mut decoder = open(path.as_ref());
    println!("open and first frame: {:.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    let duration = decoder.info().duration_secs.expect("the clip states its duration");
    let mut times: [Times; 5] = std::array::from_fn(|_| Times(Vec::new()));
    for pair in noise(60, 7).chunks(2) {
        let share = f64::from(u16::from_le_bytes([pair[0], pair[1]])) / 65535.0;
        let secs = 0.2 + share * (duration - 0.6);
        times[0].0.push(timed(&mut decoder, Some(SeekTarget::Keyframe(secs))).0);
        let (exact, pts) = timed(&mut decoder, Some(SeekTarget::Exact(secs)));
        times[1].0.push(exact);
        times[2].0.push(timed(&mut decoder, None).0);
        times[3].0.push(timed(&mut decoder, Some(SeekTarget::Before(pts))).0);
    }
    let (_, mut pts) = timed(&mut decoder, Some(SeekTarget::Exact(duration * 0.6)));
    for _ in 0..20 {
        let (time, found) = timed(&mut decoder, Some(SeekTarget::Before(pts)));
        times[4].0.push(time);
        pts = found;
    }
    for (times, what) in times.into_iter().zip(["keyframe", "exact", "step", "step back", "20 steps back"]) {
        times.report(what);
    }
}
