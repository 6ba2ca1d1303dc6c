//! Numbered pictures: the files of a sequence, its frame rate, and missing numbers.

use std::path::Path;
use std::time::{Duration, Instant};

use histoscope_core::picture::{Frame, Ratio};
use histoscope_media::{
    DecodeEvent, DecodeThread, Decoder, MediaError, MediaFault, OpenOptions, QueueLimits, Seek, SeekTarget,
};

use crate::common::{Clip, decode_all, open, open_error, picture_bytes, raw_frames, rest};

const SOURCE: &str = "-f lavfi -i testsrc2=size=64x48:rate=25:duration";

/// Makes pictures with this pattern in their own folder, beginning with a number.
fn pictures(pattern: &str, seconds: f64, first: u32) -> Clip {
    let clip = Clip::blank(pattern);
    clip.make(pattern, &format!("{SOURCE}={seconds} -start_number {first}"));
    clip
}

fn with(path: &Path, options: OpenOptions) -> Vec<Frame> {
    rest(&mut Decoder::open(path, &options).unwrap_or_else(|error| panic!("{error}")))
}

/// Compares frames with FFmpeg's result for each file alone.
fn assert_are_files(frames: &[Frame], files: &[String], folder: &Path, format: &str) {
    assert_eq!(frames.len(), files.len());
    for (frame, file) in frames.iter().zip(files) {
        assert!(picture_bytes(&frame.picture) == raw_frames(&folder.join(file), format), "{file}");
    }
}

#[test]
fn a_folder_opens_as_its_sequence_whatever_number_it_begins_with() {
    for first in [0, 998, 1_500_000] {
        let clip = pictures("shot.%04d.png", 0.4, first);
        std::fs::write(clip.folder().join("notes.txt"), "no picture").expect("the folder takes a file");
        std::fs::write(clip.folder().join("cover.png"), "none of them").expect("the folder takes a file");
        let files: Vec<_> = (first..first + 10).map(|number| format!("shot.{number:04}.png")).collect();
        let frames = decode_all(clip.folder());
        assert_are_files(&frames, &files, clip.folder(), "rgb24");
        assert_are_files(&decode_all(clip.path()), &files, clip.folder(), "rgb24");
        let times: Vec<_> = frames.iter().map(|frame| (frame.time_secs * 25.0).round() as u64).collect();
        assert_eq!(times, (0..10).collect::<Vec<_>>());
        assert!(frames.iter().map(|frame| frame.index).eq((0..10).map(Some)));
        // One of the files is a single picture, or the whole sequence if requested.
        let one = clip.folder().join(&files[7]);
        assert_are_files(&decode_all(&one), &files[7..8], clip.folder(), "rgb24");
        let all = with(&one, OpenOptions { sequence: true, ..OpenOptions::default() });
        assert_are_files(&all, &files, clip.folder(), "rgb24");
    }
}

#[test]
fn the_number_is_the_one_that_counts_on() {
    let clip = pictures("take_2v07_%d.left4.png", 0.2, 8);
    let files: Vec<_> = (8..13).map(|number| format!("take_2v07_{number}.left4.png")).collect();
    assert_are_files(&decode_all(clip.folder()), &files, clip.folder(), "rgb24");
    let long = pictures("2026112609%05d.png", 0.2, 99_998);
    let options = OpenOptions { sequence: true, ..OpenOptions::default() };
    let first = long.folder().join("202611260999998.png");
    assert_eq!(with(&first, options).len(), 2, "what is before the last nine digits is a name");
}

#[test]
fn signs_in_the_names_of_folders_stand_for_themselves() {
    let clip = pictures("%03d.png", 0.2, 1);
    for name in ["100%d", "a: 50%", "x[1]*?"] {
        let folder = clip.folder().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        for number in 1..=5 {
            let file = format!("{number:03}.png");
            std::fs::copy(clip.folder().join(&file), folder.join(&file)).expect("a copy");
        }
        assert_eq!(decode_all(&folder).len(), 5, "{name}");
    }
}

#[test]
fn the_rate_is_that_of_film_or_of_video_or_the_one_that_is_asked_for() {
    let second = |frames: &[Frame]| frames[1].time_secs;
    for (pattern, rate) in [("%04d.dpx", 24.0), ("%04d.exr", 24.0), ("%04d.png", 25.0), ("%04d.tif", 25.0)] {
        let clip = pictures(pattern, 0.2, 1);
        let path = clip.folder();
        assert!((second(&decode_all(path)) - 1.0 / rate).abs() < 1e-12, "{pattern}");
        let options = OpenOptions { frame_rate: Some(Ratio { num: 24_000, den: 1001 }), ..OpenOptions::default() };
        assert!((second(&with(path, options)) - 1001.0 / 24_000.0).abs() < 1e-12, "{pattern}");
        let info = open(path).info().clone();
        assert_eq!((info.stated_frames, info.duration_secs), (Some(5), Some(5.0 / rate)), "{pattern}");
        assert!(info.picture_rate.is_some());
    }
    let glob = pictures("%04d.dpx", 0.2, 1);
    assert!((second(&decode_all(&glob.folder().join("*.dpx"))) - 1.0 / 24.0).abs() < 1e-12);
}

#[test]
fn a_missing_number_ends_the_sequence_and_is_named() {
    // FFmpeg searches for the last number in steps of 1, 2, 4, …, so it may or may not notice this gap.
    for missing in [4, 8, 9, 11] {
        let clip = pictures("%06d.png", 0.8, 1);
        let files: Vec<_> = (1..missing).map(|number| format!("{number:06}.png")).collect();
        let gone = format!("{missing:06}.png");
        std::fs::remove_file(clip.folder().join(&gone)).expect("it is there");
        let mut decoder = open(clip.path());
        let gap = decoder.gap().expect("one is missing");
        assert!(gap.contains(&format!("number {missing} ")) && gap.contains(&gone), "{gap}");
        assert!(gap.contains(&format!("{} picture", 20 - missing)), "{gap}");
        let count = missing as usize - 1;
        assert_eq!(decoder.info().stated_frames, Some(count as u64));
        assert_are_files(&rest(&mut decoder), &files, clip.folder(), "rgb24");
        assert_eq!(decoder.counters().read_errors, 0);
        for target in [SeekTarget::End, SeekTarget::Number(30), SeekTarget::Time(0.7)] {
            decoder.seek(Seek::Exact(target)).expect("pictures can be sought");
            let last = rest(&mut decoder);
            assert_are_files(&last, &files[count - 1..], clip.folder(), "rgb24");
        }
    }
    assert_eq!(open(pictures("%06d.png", 0.2, 1).path()).gap(), None);
}

#[test]
fn pictures_of_several_sizes_have_each_its_own() {
    let clip = pictures("%02d.png", 0.2, 1);
    for (number, size) in [(2, "32x16"), (4, "126x2")] {
        clip.make(&format!("{number:02}.png"), &format!("-f lavfi -i testsrc2=size={size} -frames:v 1 -update 1"));
    }
    let files: Vec<_> = (1..6).map(|number| format!("{number:02}.png")).collect();
    let frames = decode_all(clip.folder());
    assert_are_files(&frames, &files, clip.folder(), "rgb24");
    let sizes: Vec<_> = frames.iter().map(|frame| (frame.picture.width(), frame.picture.height())).collect();
    assert_eq!(sizes, [(64, 48), (32, 16), (64, 48), (126, 2), (64, 48)]);
}

#[test]
fn what_is_no_sequence_is_refused_for_what_it_is() {
    let clip = pictures("a.%d.png", 0.2, 1);
    clip.make("b.%d.png", &format!("{SOURCE}=0.2"));
    let several = open_error(clip.folder());
    assert!(several.contains("several sequences") && several.contains("a.%01d.png, b.%01d.png"), "{several}");
    let empty = tempfile::tempdir().expect("a temporary folder");
    assert!(open_error(empty.path()).contains("without numbered pictures"));
    let sequence = OpenOptions { sequence: true, ..OpenOptions::default() };
    let other = clip.make("clip.mp4", &format!("{SOURCE}=0.2"));
    let alone = clip.make("alone.png", &format!("{SOURCE}=0.04 -update 1"));
    for path in [&other, &alone] {
        let refused = Decoder::open(path, &sequence).err();
        assert!(matches!(refused, Some(MediaError { fault: MediaFault::NotNumbered, .. })), "{refused:?}");
    }
    let follow = OpenOptions { follow: true, ..OpenOptions::default() };
    assert!(matches!(Decoder::open(&other, &follow).err(), Some(MediaError { fault: MediaFault::NotFollowed, .. })));
    for name in ["%04d %04d.png", "100% sure.png", "%5.png"] {
        assert!(open_error(&clip.folder().join(name)).contains("no such file"), "{name}");
    }
}

/// Returns the next frames of a thread, calling `meanwhile` again and again.
fn next_frames(thread: &DecodeThread, count: usize, meanwhile: impl Fn()) -> Vec<Frame> {
    let begin = Instant::now();
    let mut frames = Vec::new();
    while frames.len() < count {
        assert!(begin.elapsed() < Duration::from_secs(30), "{} of {count} frames came", frames.len());
        meanwhile();
        match thread.recv_timeout(Duration::from_millis(100)) {
            Some(DecodeEvent::Frame(frame)) => frames.push(frame),
            Some(DecodeEvent::Error { error, .. }) => panic!("{error}"),
            _ => {}
        }
    }
    frames
}

#[test]
fn pictures_that_are_still_being_written_are_waited_for() {
    let made = pictures("shot.%04d.png", 0.4, 95);
    let clip = Clip::blank("shot.%04d.png");
    let write = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            let name = format!("shot.{number:04}.png");
            std::fs::copy(made.folder().join(&name), clip.folder().join(&name)).expect("a copy");
        }
    };
    let half = |number: u32| {
        let name = format!("shot.{number:04}.png");
        let whole = std::fs::read(made.folder().join(&name)).expect("a picture");
        std::fs::write(clip.folder().join(&name), &whole[..whole.len() / 2]).expect("a file");
    };
    let options = OpenOptions { follow: true, ..OpenOptions::default() };
    let thread = DecodeThread::open(clip.path(), options, QueueLimits::default(), || {}).expect("a thread");
    let mut frames = Vec::new();
    // At first there are no pictures. Then some exist, and the next one is being written.
    for numbers in [95..97, 97..98, 98..101, 101..102] {
        std::thread::sleep(Duration::from_millis(300));
        half(numbers.end);
        write(numbers.clone());
        frames.extend(next_frames(&thread, numbers.len(), || half(numbers.end)));
    }
    let files: Vec<_> = (95..102).map(|number| format!("shot.{number:04}.png")).collect();
    assert_are_files(&frames, &files, made.folder(), "rgb24");
    assert!(frames.iter().map(|frame| frame.index).eq((0..7).map(Some)));
    let times: Vec<_> = frames.iter().map(|frame| (frame.time_secs * 25.0).round() as u64).collect();
    assert_eq!(times, (0..7).collect::<Vec<_>>());
    let begin = Instant::now();
    drop(thread);
    assert!(begin.elapsed() < Duration::from_secs(1), "who waits can be stopped");
}
