//! Frames held for comparison: outlines, numbers and flipping.

use histoscope_core::compare::Distance;
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::cpu;

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{FRAME_SECONDS, long_clip, near, paused_sample, position_where, sample};

/// Returns the sums of a frame of the sample, by number.
fn sums_of(number: usize, components: Components) -> Cumulative {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let mut frame = None;
    for _ in 0..=number {
        frame = decoder.next_frame().expect("it can be read");
    }
    let picture = frame.expect("a frame").picture;
    cpu::Engine::new().count(&picture, components).cumulative()
}

/// Returns the lines on PSNR and SSIM that the window must show for a frame of the sample and its first one, with the
/// figures of FFmpeg's filters.
fn filter_figures(frame: usize) -> [String; 2] {
    let graph = format!(
        "[0:v]trim=start_frame={frame}:end_frame={},setpts=0[a];[1:v]trim=end_frame=1,setpts=0,split[b][c];\
         [a][b]psnr[d];[d][c]ssim,metadata=print:file=-",
        frame + 1
    );
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-nostdin", "-i", sample(), "-i", sample(), "-lavfi", &graph, "-f", "null", "-"]);
    let told = output_of(&mut command, PATIENCE).expect("the filters run");
    let told = String::from_utf8(told).expect("text");
    let value = |name: &str| -> f64 {
        let value = told.lines().find_map(|line| line.strip_prefix(&format!("lavfi.{name}=")));
        value.and_then(|value| value.parse().ok()).expect("a figure")
    };
    let [all, y, u, v] = ["psnr_avg", "psnr.y", "psnr.u", "psnr.v"].map(|name| value(&format!("psnr.{name}")));
    let psnr = format!("; PSNR {all:.2} dB: y {y:.2}, u {u:.2}, v {v:.2}");
    let [all, y, u, v] = ["All", "Y", "U", "V"].map(|name| value(&format!("ssim.{name}")));
    [psnr, format!("; SSIM {all:.4}: y {y:.4}, u {u:.4}, v {v:.4}")]
}

/// Steps to the next frame, which has this number.
fn step_to(program: &Program, number: u32) {
    program.key("period");
    let wanted = f64::from(number) * FRAME_SECONDS;
    position_where(program, "at the next frame", |position| near(position, wanted, 0.4 * FRAME_SECONDS));
}

/// Seeks one second forward to this frame of the sample.
fn go_on_to(program: &Program, number: u32) {
    program.key("shift+Right");
    let wanted = f64::from(number) * FRAME_SECONDS;
    position_where(program, "a second on", |position| near(position, wanted, 0.4 * FRAME_SECONDS));
}

/// Returns the rows with this name in the newest numbers of this live frame.
fn row(program: &Program, frame: usize, name: &str) -> String {
    until(name, PATIENCE, || {
        let log = program.log();
        let line = log.lines().rfind(|line| line.contains(&format!("numbers: frame {frame},")))?;
        line.split("; ").find_map(|row| row.strip_prefix(&format!("{name} "))).map(str::to_owned)
    })
}

#[test]
fn numbers_of_a_held_frame_stand_beside_those_of_the_live_one() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        program.key("n");
        program.after(|| program.key("p"), "note: held: sample.mp4 0:00.000; Shift+P shows it");
        go_on_to(&program, 30);
        let check = |components: Components| {
            let (held, live) = (sums_of(0, components), sums_of(30, components));
            let channels = 0..components.channel_names().len();
            let distance = |channel| {
                let [held, live] = [&held, &live].map(|sums| sums.channel(channel).bins());
                format!("{:.2}", Distance::of(&held, &live).expect("there are samples").codes(8))
            };
            let expected: Vec<_> = channels.clone().map(distance).collect();
            assert_eq!(row(&program, 30, "distance, codes"), expected.join(", "), "{engine} {components:?}");
            assert_ne!(expected[0], "0.00", "the comparison tells nothing");
            let mean = |channel| {
                let [held, live] = [&held, &live].map(|sums| sums.stats(channel, None).mean);
                format!("{held:.2} {:+.2}", live - held).replace(" -", " −")
            };
            let expected: Vec<_> = channels.map(mean).collect();
            assert_eq!(row(&program, 30, "held mean"), expected.join(", "), "{engine} {components:?}");
        };
        check(Components::Rgbl);
        let expected = filter_figures(30);
        until(&format!("{expected:?}"), PATIENCE, || {
            let log = program.log();
            let line = log.lines().rfind(|line| line.contains("numbers: frame 30,"))?;
            expected.iter().all(|figures| line.contains(figures.as_str())).then_some(())
        });
        let log = program.log().len();
        program.after(|| program.key("y"), "note: counting Y', Cb and Cr");
        until("the coded numbers", PATIENCE, || program.log()[log..].contains("; Y' Cb Cr; ").then_some(()));
        check(Components::YCbCr);
        program.quit_with("q");
    }
}

#[test]
fn a_held_frame_is_outlined_shown_in_turn_and_let_go_of() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+p"), "note: no frame is held");
    program.after(|| program.key("p"), "note: held: sample.mp4 0:00.000");
    program.key("h");
    let first = program.settled();
    go_on_to(&program, 30);
    let live = program.until_other("the frame of a second later", &first, Area::Below, 5000);
    program.after(|| program.key("shift+p"), "note: the held frame: sample.mp4 0:00.000");
    program.until_same("the held frame in the place of the video", &first, Area::Below);
    // It may be a frame of another file.
    program.after(|| program.key("s"), "note: nothing was saved: the held frame is on screen");
    program.after(|| program.key("ctrl+c"), "note: nothing was copied: the held frame is on screen");
    program.after(|| program.key("shift+p"), "note: the video");
    program.until_same("the video again", &live, Area::Below);
    // A step shows its target.
    program.after(|| program.key("shift+p"), "note: the held frame");
    step_to(&program, 31);
    let snapshot = program.snapshot_with(sample(), "1.04", (live.width, live.height), &["--no-overlay"]);
    program.until_same("the frame that was stepped to", &snapshot, Area::Below);
    // Esc returns to the video, and does not quit.
    program.after(|| program.key("shift+p"), "note: the held frame");
    program.after(|| program.key("Escape"), "note: the video");
    program.until_same("the frame that was stepped to", &snapshot, Area::Below);
    program.key("h");
    let plain = program.snapshot(sample(), "1.04", live.width, live.height);
    program.until_other("outlines over the histograms", &plain, Area::Left, 50);
    // While it is shown, the key that holds a frame releases it.
    program.after(|| program.key("shift+p"), "note: the held frame");
    program.after(|| program.key("p"), "note: released sample.mp4 0:00.000");
    program.until_same("the video again, without outlines", &plain, Area::Below);
    program.quit_with("q");
}

#[test]
fn four_frames_are_held_at_most_and_stay_with_another_file() {
    let clip = long_clip();
    let name = clip.path().file_name().and_then(|name| name.to_str()).expect("plain").to_owned();
    let other = clip.path().to_str().expect("plain");
    let program = Program::start_on(&["--paused", sample(), other]);
    program.take_pointer_away();
    program.settled();
    for frame in 0..4 {
        program.after(|| program.key("p"), "note: held: sample.mp4");
        step_to(&program, frame + 1);
    }
    program.after(|| program.key("p"), "sample.mp4 0:00.000 was released, at most 4 can be held");
    // The same frame again is released, and the newest of the others is selected.
    program.after(|| program.key("p"), "note: released sample.mp4 0:00.133");
    program.after(|| program.key("Next"), &format!("note: {name}"));
    until("the other file", PATIENCE, || program.title().text.contains(&name).then_some(()));
    program.key("n");
    // The fourth of the frames before, with a different size.
    program.after(|| program.key("shift+p"), "note: the held frame: sample.mp4 0:00.100");
    program.after(|| program.key("shift+p"), "note: the video");
    let held = sums_of(3, Components::Rgbl);
    let mean = |channel| held.stats(channel, None).mean;
    let first = row(&program, 0, "held mean");
    assert!(first.starts_with(&format!("{:.2} ", mean(0))), "{first} {}", mean(0));
    program.after(|| program.key("Prior"), "note: sample.mp4");
    program.quit_with("q");
}

#[test]
fn the_menu_chooses_among_held_frames() {
    let program = paused_sample(&[]);
    let choose = |entries: &[&str]| crate::hands::choose(&program, entries);
    program.after(|| choose(&["Compare", "Hold this frame"]), "note: held: sample.mp4 0:00.000");
    step_to(&program, 1);
    program.after(|| program.key("p"), "note: held: sample.mp4 0:00.033");
    program.after(|| choose(&["Compare", "sample.mp4 0:00.000"]), "note: compared with sample.mp4 0:00.000");
    program.after(|| choose(&["Compare", "Show the held frame"]), "note: the held frame: sample.mp4 0:00.000");
    program.after(|| choose(&["Compare", "Show the video"]), "note: the video");
    program.after(|| choose(&["Compare", "Release the held frame"]), "note: released sample.mp4 0:00.000");
    program.after(|| program.key("shift+p"), "note: the held frame: sample.mp4 0:00.033");
    program.quit_with("q");
}

/// Compares columns of two pictures of the window, except rows with controls and histograms.
fn columns_are(now: &Picture, expected: &Picture, columns: std::ops::Range<u32>, what: &str) {
    for (x, y) in (150..480).step_by(3).flat_map(|y| columns.clone().map(move |x| (x, y))) {
        assert_eq!(now.pixel(x, y), expected.pixel(x, y), "{what}: ({x}, {y})");
    }
}

#[test]
fn the_divider_has_the_held_frame_at_its_left_and_the_live_one_at_its_right() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        // In this order there is nothing to divide at first.
        program.after(|| program.key("w"), "note: divider on; no adjustment or held frame yet");
        let first = program.settled();
        program.after(|| program.key("p"), "note: held: sample.mp4 0:00.000");
        go_on_to(&program, 30);
        let [before, after] = ["0", "1"].map(|at| program.snapshot_with(sample(), at, first.size(), &["--no-overlay"]));
        let divided = until("the held frame at the left", PATIENCE, || {
            let now = program.settled();
            (now.pixel(640, 300) == [255; 3] && now.pixel(900, 300) == after.pixel(900, 300)).then_some(now)
        });
        columns_are(&divided, &before, 0..636, "the held frame");
        columns_are(&divided, &after, 646..1280, "the live frame");
        assert!(before.differing(&after, Area::Outside) > 5000, "the two frames look the same");
        // The saved picture shows what is on screen, and its caption says what that is.
        program.after(|| program.key("shift+s"), "note: saved");
        let saved = std::fs::read_dir(program.folder()).expect("a folder").filter_map(Result::ok).map(|e| e.path());
        let saved = { saved }.find(|path| path.extension().is_some_and(|end| end == "png")).expect("a picture");
        let saved = Picture::from_png(&saved).expect("a PNG");
        columns_are(&saved, &before, 0..636, "saved: the held frame");
        columns_are(&saved, &after, 646..1280, "saved: the live frame");
        // The divider is dragged.
        program.point(644, 300);
        program.button("mousedown", "1");
        program.move_pointer(500, 320);
        program.move_pointer(324, 340);
        program.button("mouseup", "1");
        program.take_pointer_away();
        let dragged = until("the line to be dragged", PATIENCE, || {
            let now = program.settled();
            (now.pixel(320, 300) == [255; 3]).then_some(now)
        });
        columns_are(&dragged, &before, 0..310, "dragged: the held frame");
        columns_are(&dragged, &after, 336..1280, "dragged: the live frame");
        // Each side shows its own pixels.
        let line = program.after(|| program.point(200, 300), "probe: x 200  y 300");
        assert!(line.contains("held"), "{line}");
        let line = program.after(|| program.point(900, 300), "probe: x 900  y 300");
        assert!(!line.contains("held"), "{line}");
        program.take_pointer_away();
        // When the held frame replaces the video, there is nothing beside it.
        program.after(|| program.key("shift+p"), "note: the held frame: sample.mp4 0:00.000");
        let shows = |picture: &Picture, what: &str| {
            until(what, PATIENCE, || {
                let now = program.settled();
                let places = (150..480).step_by(9).flat_map(|y| (0..1280).step_by(7).map(move |x| (x, y)));
                let is_same = |&(x, y): &(u32, u32)| now.pixel(x, y) == picture.pixel(x, y);
                { places }.all(|place| (310..336).contains(&place.0) || is_same(&place)).then_some(())
            });
        };
        shows(&before, "the held frame everywhere");
        program.after(|| program.key("shift+p"), "note: the video");
        shows(&dragged, "the two again");
        // Another live frame is held and released.
        program.after(|| program.key("p"), "note: held: sample.mp4 0:01.000");
        shows(&after, "the live frame beside itself");
        program.after(|| program.key("p"), "note: released sample.mp4 0:01.000");
        shows(&dragged, "the one that was held before");
        program.after(|| program.key("w"), "note: divider off");
        shows(&after, "the live frame everywhere");
        program.quit_with("q");
    }
}

#[test]
fn both_sides_of_the_divider_are_adjusted() {
    let program = paused_sample(&["--posterize", "3"]);
    program.after(|| program.key("p"), "note: held: sample.mp4 0:00.000, 3 levels");
    go_on_to(&program, 30);
    program.after(|| program.key("w"), "note: divider on, the held frame left of it");
    let plain = |at| program.snapshot_with(sample(), at, (1280, 720), &["--no-overlay", "--posterize", "3"]);
    let [before, after] = ["0", "1"].map(plain);
    let divided = until("the held frame at the left", PATIENCE, || {
        let now = program.settled();
        (now.pixel(640, 300) == [255; 3]).then_some(now)
    });
    columns_are(&divided, &before, 0..636, "the held frame");
    columns_are(&divided, &after, 646..1280, "the live frame");
    // After it is released, the source is there.
    program.after(|| program.key("ctrl+z"), "note: undone: divider");
    program.after(|| program.key("ctrl+shift+z"), "note: redone: divider");
    program.after(|| program.key("shift+p"), "note: the held frame");
    program.after(|| program.key("p"), "note: released sample.mp4 0:00.000");
    let source = program.snapshot_with(sample(), "1", (1280, 720), &["--no-overlay"]);
    let divided = until("the source at the left", PATIENCE, || {
        let now = program.settled();
        (now.pixel(300, 300) == source.pixel(300, 300)).then_some(now)
    });
    columns_are(&divided, &source, 0..636, "the source");
    program.quit_with("q");
}
