//! Every kind of file, each with the demands on a player: exact seeks, steps back and forth, and every frame once.
//!
//! The pictures contain their frame's number. ffprobe and the ffmpeg command say which frame belongs to a time.

use std::path::Path;

use crate::common::numbered::{Truth, number, numbered};
use crate::common::session::Session;
use crate::common::{Clip, noise};

const X264: &str = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0";
const SEEKS: usize = 50;

/// Returns random times from before the start to beyond the end, the same in every run.
fn random_times(end: f64, seed: u64) -> Vec<f64> {
    let bytes = noise(SEEKS * 4, seed);
    let share = |word: &[u8]| f64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]])) / 4_294_967_296.0;
    bytes.chunks_exact(4).map(|word| share(word) * end * 1.02 - end * 0.01).collect()
}

/// Checks everything for one clip.
fn check(clip: &Clip) {
    check_path(clip.path());
}

fn check_path(path: &Path) {
    check_against(path, &Truth::new(path));
}

fn check_against(path: &Path, truth: &Truth) {
    let mut session = Session::paused(path);
    check_seeks(&mut session, truth);
    check_steps(&mut session, truth);
    assert_eq!(session.errors, [], "{}", path.display());
}

fn expect(session: &Session, truth: &Truth, position: usize, what: &str) {
    let found = number(&session.frame().picture);
    let expected = truth.numbers[position];
    assert_eq!(found, expected, "{}, {what}: not frame {position}", session.info.path.display());
    let index = session.player.frame_index();
    assert!(index.is_none_or(|index| index == position as u64), "{what}: frame {position} is called {index:?}");
}

fn check_seeks(session: &mut Session, truth: &Truth) {
    for secs in random_times(truth.last_secs() + 0.1, truth.count() as u64) {
        let position = truth.at(secs);
        session.seek(secs);
        expect(session, truth, position, &format!("sought to {secs}"));
        let next = (position + 1).min(truth.count() - 1);
        session.step(true);
        expect(session, truth, next, &format!("sought to {secs} and stepped on"));
        if next > position {
            session.step(false);
            expect(session, truth, position, &format!("sought to {secs} and stepped there and back"));
        }
    }
    // A seek to each frame's own time leads to that frame.
    for position in [truth.count() / 3, truth.count() - 1, 0, truth.count() / 2] {
        session.seek(truth.times[position]);
        expect(session, truth, position, "sought to its own time");
        session.go(|player| player.seek_to_frame(position as u64));
        expect(session, truth, position, "sought to its number");
    }
}

fn check_steps(session: &mut Session, truth: &Truth) {
    session.seek(0.0);
    for position in 0..truth.count() {
        expect(session, truth, position, "stepping through");
        session.step(true);
    }
    expect(session, truth, truth.count() - 1, "stepped beyond the end");
    for position in (truth.count().saturating_sub(700)..truth.count()).rev() {
        expect(session, truth, position, "stepping back");
        session.step(false);
    }
}

#[test]
fn a_group_of_600() {
    check(&numbered("long.mp4", 700, "30", &format!("{X264} -g 600 -keyint_min 600")));
}

#[test]
fn all_intra() {
    check(&numbered("intra.mp4", 150, "25", &format!("{X264} -g 1")));
}

#[test]
fn open_groups_and_pyramids() {
    let open = "-c:v libx264 -preset ultrafast -bf 5 -b_strategy 0 -flags -cgop \
        -x264-params open-gop=1:b-pyramid=normal:keyint=15:scenecut=0";
    check(&numbered("open.mkv", 200, "25", open));
    check(&numbered("open.ts", 200, "25", open));
    let pyramid = "-c:v libx264 -preset ultrafast -refs 4 -bf 7 -b_strategy 0 -g 48 -x264-params b-pyramid=strict";
    check(&numbered("pyramid.mp4", 200, "24", pyramid));
}

#[test]
fn variable_rate() {
    let select = "-vf select='lt(n,40)+gt(n,200)+not(mod(n,17))' -fps_mode vfr";
    let clip = numbered("pauses.mkv", 300, "30", &format!("{select} {X264} -g 30"));
    check(&clip);
    check_path(&clip.make("pauses.mp4", "-i @ -c copy"));
}

#[test]
fn no_index_and_a_late_start() {
    check(&numbered("late.ts", 200, "25", &format!("{X264} -g 30 -output_ts_offset 40000")));
    let clip = numbered("clip.mkv", 200, "25", &format!("{X264} -g 25"));
    // A Matroska file without cues, as after a crash.
    let live = std::fs::read(clip.make("live.mkv", "-i @ -c copy -live 1 -f matroska")).expect("the file is there");
    check(&Clip::from_bytes("no_cues.mkv", &live));
}

#[test]
fn edit_lists() {
    let clip = numbered("clip.mp4", 200, "25", &format!("{X264} -g 50"));
    check_path(&clip.make("cut.mp4", "-ss 0.6 -i @ -c copy"));
}

#[test]
fn one_two_and_ten_thousand_frames() {
    check(&numbered("one.mp4", 1, "25", X264));
    check(&numbered("two.mp4", 2, "25", X264));
    check(&numbered("many.mp4", 10_000, "60", &format!("{X264} -g 250")));
}

#[test]
fn rates() {
    check(&numbered("59.mp4", 240, "60000/1001", &format!("{X264} -g 60")));
    check(&numbered("23.mkv", 120, "24000/1001", &format!("{X264} -g 24")));
    check(&numbered("1.mp4", 40, "1", &format!("{X264} -g 10")));
    check(&numbered("240.mp4", 480, "240", &format!("{X264} -g 120")));
}

#[test]
fn missing_timestamps() {
    let raw = numbered("raw.h264", 100, "25", &format!("{X264} -g 25"));
    check_against(raw.path(), &Truth::with_made_times(raw.path()));
    let clip = numbered("clip.mp4", 200, "25", &format!("{X264} -g 50"));
    // The cut part stays in this file, without timestamps.
    let negative = clip.make("negative.mkv", "-ss 0.6 -i @ -c copy -avoid_negative_ts disabled");
    check_against(&negative, &Truth::with_made_times(&negative));
}
