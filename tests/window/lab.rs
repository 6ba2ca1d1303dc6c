//! The lab by keys and pointer: opened, every method stepped through, shapes chosen, and closed without a trace.

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, until};
use crate::{paused_sample, position_where, sample};

/// The methods in order, by their names on the command line.
const METHODS: [&str; 10] =
    ["scalar", "single", "race", "atomics", "sum", "pairwise", "shared", "subgroup", "ours-gpu", "ours-cpu"];

/// Asserts that the log's line on a method is right: correct counts, except for the race or if the adapter cannot run
/// it.
fn assert_right(name: &str, line: &str) {
    match name {
        "race" => assert!(line.contains("lost") || line.contains("equals the reference"), "{line}"),
        "subgroup" if line.contains("does not support subgroups") => {}
        _ => assert!(line.contains("equals the reference"), "{name}: {line}"),
    }
}

/// Returns the position of a button of the panel, in pixels of the window, as logged last.
fn button(program: &Program, name: &str) -> (i32, i32) {
    let text = format!("lab: button {name} at ");
    until(&format!("the button {name}"), PATIENCE, || {
        let log = program.log();
        let place = log.lines().rev().find_map(|line| line.split_once(&text)?.1.split_once(','))?;
        Some((place.0.parse().ok()?, place.1.parse().ok()?))
    })
}

/// Clicks a button of the panel, which moves down when the pointer shows the controls, and when results arrive.
fn click(program: &Program, name: &str) {
    let mut at = button(program, name);
    let mut stood = 0;
    while stood < 3 {
        program.point(at.0, at.1);
        program.pass(std::time::Duration::from_millis(300));
        let now = button(program, name);
        stood = if now == at { stood + 1 } else { 0 };
        at = now;
    }
    program.button("mousedown", "1");
    program.button("mouseup", "1");
}

#[test]
fn every_method_is_stepped_through_and_nothing_is_left() {
    let program = paused_sample(&[]);
    let plain = program.settled();
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    program.until_other("the panel and the bars of the race", &plain, Area::Right, 2_000);
    program.after(|| program.key("shift+Up"), "note: lab: a single invocation");
    let line = program.after(|| program.key("shift+Up"), "lab counted: scalar on 256×144");
    assert_right("scalar", &line);
    program.after(|| program.key("shift+Up"), "note: this is the first method of the lab");
    for name in &METHODS[1..] {
        let line = program.after(|| program.key("shift+Down"), &format!("lab counted: {name} "));
        assert_right(name, &line);
        let is_reduced = line.contains("on 1280×720") != (*name == "single");
        assert!(is_reduced || line.contains("does not support subgroups"), "{line}");
    }
    program.after(|| program.key("shift+Down"), "note: this is the last method of the lab");
    // Esc closes it first, and then quits.
    program.after(|| program.key("Escape"), "lab: closed");
    program.until_same("all to be as it was", &plain, Area::Below);
    let before = program.log().len();
    program.key("period");
    position_where(&program, "a frame further", |position| position > 0.0);
    assert!(!program.log()[before..].contains("lab"), "a closed lab goes on");
    program.quit_with("q");
}

#[test]
fn it_is_opened_from_the_menu_and_worked_with_the_pointer() {
    let program = paused_sample(&[]);
    program.point(300, 200);
    let line = program.after(
        || {
            program.button("mousedown", "3");
            program.button("mouseup", "3");
        },
        "menu: Show the lab at ",
    );
    let place = line.split(" at ").nth(1).and_then(|place| place.split_once(',')).expect("a place");
    program.point(place.0.parse().expect("a column"), place.1.parse().expect("a row"));
    program.after(
        || {
            program.button("mousedown", "1");
            program.button("mouseup", "1");
        },
        "lab counted: race on 1280×720",
    );
    let line = program.after(|| click(&program, "atomics"), "lab counted: atomics on 1280×720, 256 bins");
    assert_right("atomics", &line);
    // The bin under the pointer, in the method's own histogram.
    let line = program.after(|| program.point(900, 650), "lab's bin: bin ");
    assert!(line.contains("of 256") && line.contains(" right"), "{line}");
    // A typed chunk, an impossible one, and an invalid text.
    program.after(|| click(&program, "pixels across and down"), "entry: open for a chunk");
    program.type_text("nonsense");
    program.after(|| program.key("Return"), "entry: ‘nonsense’ is not a chunk size");
    program.key("ctrl+a");
    program.type_text("24x10");
    let line = program.after(|| program.key("Return"), "lab counted: atomics on 1280×720, 256 bins");
    assert_right("atomics", &line);
    program.after(|| click(&program, "pixels across and down"), "entry: open for a chunk");
    program.type_text("9000x9000");
    let line = program.after(|| program.key("Return"), "note: a chunk of 9000x9000 pixels");
    assert!(line.contains("the nearest is "), "{line}");
    program.after(|| click(&program, "bins, 3 to 4096"), "entry: open for bins");
    program.type_text("2");
    program.after(|| program.key("Return"), "note: 2 bins are not possible, only 3 to 4096; the nearest is 3");
    let line = program.then("lab counted: atomics on 1280×720, 3 bins");
    assert_right("atomics", &line);
    program.after(|| program.key("shift+l"), "lab: closed");
    program.quit_with("q");
}

#[test]
fn it_is_opened_by_its_command_and_the_video_plays_on() {
    let arguments = ["lab", sample(), "--method", "shared", "--chunk", "32x8", "--bin-count", "100"];
    let program = Program::start_on(&arguments);
    let line = program.then("lab counted: shared on 427×240, 100 bins");
    assert_right("shared", &line);
    let first = position_where(&program, "known", |_| true);
    position_where(&program, "further on", |position| position > first + 1.0);
    let counted = program.log().lines().filter(|line| line.contains("lab counted: shared on")).count();
    assert!(counted > 1, "frame after frame is counted, as many as it can: {counted}");
    program.quit_with("q");
}

#[test]
fn prefix_sums_are_chosen_by_keys_and_by_the_pointer() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    let line = program.after(|| program.key("alt+Next"), "lab summed: hillis-steele over 65536 words");
    assert!(line.contains("equals the CPU’s loop"), "{line}");
    // Each method, by keys.
    let line = program.after(|| program.key("shift+Down"), "lab summed: blelloch over 65536 words");
    assert!(line.contains("equals the CPU’s loop"), "{line}");
    let line = program.after(|| program.key("shift+Down"), "lab summed: conflict-free over 65536 words");
    assert!(line.contains("equals the CPU’s loop"), "{line}");
    program.after(|| program.key("shift+Down"), "note: this is the last prefix sum of the lab");
    let line = program.after(|| click(&program, "naive"), "lab summed: naive over 65536 words");
    assert!(line.contains("equals the CPU’s loop"), "{line}");
    // Its length and its kind.
    program.after(|| program.key("alt+Left"), "lab summed: naive over 32768 words");
    let line = program.after(|| program.key("alt+Down"), "lab summed: naive over 32768 words");
    assert!(line.contains("equals the CPU’s loop"), "{line}");
    let log = program.log();
    assert!(log.contains("note: lab: 32\u{202f}768 words") && log.contains("note: lab: exclusive"), "{log}");
    program.after(|| click(&program, "words, 512 to 2^26"), "entry: open for words");
    program.type_text("1000003");
    program.after(|| program.key("Return"), "lab summed: naive over 1000003 words");
    // A length that would block the window is replaced by the nearest possible one.
    program.after(|| click(&program, "words, 512 to 2^26"), "entry: open for words");
    program.type_text("67108864");
    let line = program.after(|| program.key("Return"), "note: 67108864 words would block the window");
    assert!(line.contains("the nearest possible number is 1048576"), "{line}");
    program.after(|| program.key("Escape"), "lab: closed");
    program.quit_with("q");
}

#[test]
fn blurs_are_shown_in_place_of_the_picture_and_gone_with_the_lab() {
    let program = paused_sample(&[]);
    let plain = program.settled();
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    let line = program.after(|| click(&program, "blur"), "lab blurred: separable 15×15, 1 times, on 1280×720");
    assert!(line.contains("at most 1 code off"), "{line}");
    program.take_pointer_away();
    program.until_other("the blurred picture", &plain, Area::Below, 20_000);
    let line = program.after(|| program.key("shift+Up"), "lab blurred: square 15×15, 1 times");
    assert!(line.contains("equals the mean by definition"), "{line}");
    program.after(|| program.key("alt+Left"), "lab blurred: square 13×13, 1 times");
    program.after(|| program.key("alt+Up"), "lab blurred: square 13×13, 2 times");
    program.after(|| click(&program, "pixels, odd"), "entry: open for a blur");
    program.type_text("20");
    program.after(
        || program.key("Return"),
        "note: a blur must have an odd width from 1 to 127, not 20; the nearest is 21",
    );
    program.then("lab blurred: square 21×21, 2 times");
    program.after(|| program.key("Escape"), "lab: closed");
    program.take_pointer_away();
    program.until_same("all to be as it was", &plain, Area::Below);
    program.quit_with("q");
}

#[test]
fn the_diagram_pauses_and_steps() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    program.after(|| program.key("alt+Next"), "lab summed: hillis-steele");
    program.after(|| program.key("shift+d"), "note: lab: the diagram is paused");
    let pass = || program.pass(std::time::Duration::from_secs(8));
    pass();
    let still = program.settled();
    pass();
    assert_eq!(program.settled().differing(&still, Area::Everywhere), 0, "the diagram moves on");
    program.after(|| program.key(">"), "note: lab: a step forward");
    pass();
    let next = program.settled();
    assert!(next.differing(&still, Area::Everywhere) > 50, "the step shows nothing else");
    program.after(|| program.key("<"), "note: lab: a step back");
    pass();
    program.until_same("the step before", &still, Area::Everywhere);
    program.after(|| program.key("shift+d"), "note: lab: the diagram runs");
    // There are buttons too.
    program.after(|| click(&program, "pause"), "lab: button run at ");
    program.take_pointer_away();
    program.after(|| program.key("shift+d"), "note: lab: the diagram runs");
    let still = program.settled();
    pass();
    program.until_other("the diagram to move", &still, Area::Everywhere, 50);
    assert!(program.title().paused, "the video plays");
    program.quit_with("q");
}

#[test]
fn it_takes_the_whole_window_for_a_lecture_and_gives_it_back() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    program.after(|| program.key("alt+Prior"), "note: lab: basics");
    program.after(|| program.key("shift+d"), "note: lab: the diagram is paused");
    let stands = || {
        program.pass(std::time::Duration::from_secs(8));
        program.settled()
    };
    let beside = stands();
    program.after(|| program.key("ctrl+u"), "note: lab: in the whole window");
    let large = stands();
    let is_dark = |(x, y): (u32, u32)| large.pixel(x, y).iter().all(|&code| code < 40);
    assert!([(5, 5), (5, 714), (1274, 5), (1274, 714)].into_iter().all(is_dark), "the picture is still there");
    assert!(large.differing(&beside, Area::Left) > 100_000, "it does not take the left half");
    // The code takes a part of it. The button gives the room back; then keys still lead to the same place.
    program.after(|| click(&program, "large"), "note: lab: in the whole window, with its code");
    program.after(|| click(&program, "large"), "note: lab: beside the picture");
    program.take_pointer_away();
    stands();
    program.until_same("the panel beside the picture", &beside, Area::Everywhere);
    program.quit_with("q");
}

#[test]
fn the_pages_before_the_methods_are_turned_and_gone_through() {
    let program = Program::start_on(&["lab", sample(), "--topic", "basics", "--paused"]);
    program.take_pointer_away();
    program.after(|| program.key("shift+d"), "note: lab: the diagram is paused");
    let stands = || {
        program.pass(std::time::Duration::from_secs(8));
        program.settled()
    };
    // A topic that is returned to is at its first step.
    let first_step = || {
        program.after(|| program.key("alt+Next"), "note: lab: ");
        program.after(|| program.key("alt+Prior"), "note: lab: ");
        stands()
    };
    // Each page has its own picture at each of its steps, and starts over after the last one.
    for (turn, steps) in [("by hand", 8), ("ids", 5), ("barrier", 5)] {
        let first = first_step();
        let mut seen = vec![first.clone()];
        for step in 1..steps {
            program.after(|| program.key(">"), "note: lab: a step forward");
            let next = stands();
            let same = seen.iter().position(|before| before.differing(&next, Area::Everywhere) < 50);
            assert_eq!(same, None, "step {step} of the page {turn}");
            seen.push(next);
        }
        program.after(|| program.key(">"), "note: lab: a step forward");
        stands();
        program.until_same(&format!("the page {turn} to start over"), &first, Area::Everywhere);
        program.after(|| program.key("<"), "note: lab: a step back");
        stands();
        program.until_same(&format!("the last step of the page {turn}"), &seen[steps - 1], Area::Everywhere);
        program.after(|| program.key("shift+Down"), "note: lab: ");
    }
    let log = program.log();
    for title in ["where an invocation is", "what waits at a barrier", "the colours of the diagrams"] {
        assert!(log.contains(&format!("note: lab: {title}")), "no {title} in {log}");
    }
    program.after(|| program.key("shift+Down"), "note: lab: predict, run, see");
    program.after(|| program.key("shift+Down"), "note: this is the last page of the lab");
    // The pointer turns pages too. The last steps of the first page are of the frame on screen.
    program.take_pointer_away();
    click(&program, "by hand");
    program.take_pointer_away();
    let lesson = first_step();
    (0..4).for_each(|_| program.key(">"));
    let of_frame = stands();
    program.key("period");
    position_where(&program, "a frame further", |position| position > 0.0);
    stands();
    program.until_other("the pixels of the next frame", &of_frame, Area::Everywhere, 50);
    (0..4).for_each(|_| program.key("<"));
    assert!(stands().differing(&lesson, Area::Everywhere) > 0, "the frame is another");
    program.after(|| program.key("Escape"), "lab: closed");
    program.quit_with("q");
}

#[test]
fn bars_are_drawn_by_both_methods_and_gone_with_the_lab() {
    let program = paused_sample(&[]);
    let plain = program.settled();
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    let line = program.after(|| click(&program, "drawing"), "lab drew: per-pixel, 256 bins");
    assert!(line.contains("equals the CPU’s drawing: all 207\u{202f}360 pixels"), "{line}");
    program.take_pointer_away();
    program.pass(std::time::Duration::from_secs(8));
    let by_pixel = program.settled();
    // Where red and green overlap, the lesson has the purest yellow.
    let yellow = |picture: &Picture| {
        let (width, height) = picture.size();
        let all = (0..width).flat_map(|x| (0..height).map(move |y| (x, y)));
        all.filter(|&(x, y)| picture.pixel(x, y) == [255, 255, 0]).count()
    };
    assert!(yellow(&by_pixel) > 500 && yellow(&plain) == 0, "{}, {}", yellow(&by_pixel), yellow(&plain));
    let line = program.after(|| program.key("shift+Down"), "lab drew: per-column, 256 bins");
    assert!(line.contains("equals the CPU’s drawing"), "{line}");
    program.after(|| program.key("shift+Down"), "note: this is the last drawing of the lab");
    program.pass(std::time::Duration::from_secs(8));
    // Both draw the same. The panel next to the graphs may cover a part of luminance's.
    program.until_same("the same bars", &by_pixel, Area::Left);
    let line = program.after(|| program.key("alt+Left"), "lab drew: per-column, 64 bins");
    assert!(line.contains("equals the CPU’s drawing"), "{line}");
    program.until_other("broader bars", &by_pixel, Area::Left, 2_000);
    program.after(|| program.key("alt+Down"), "note: lab: a drawing has bins, and no chunks");
    let line = program.after(|| click(&program, "per-pixel"), "lab drew: per-pixel, 64 bins");
    assert!(line.contains("equals the CPU’s drawing"), "{line}");
    program.after(|| click(&program, "bins, 3 to 4096"), "entry: open for bins");
    program.type_text("3");
    let line = program.after(|| program.key("Return"), "lab drew: per-pixel, 3 bins");
    assert!(line.contains("equals the CPU’s drawing"), "{line}");
    program.after(|| program.key("Escape"), "lab: closed");
    program.take_pointer_away();
    program.until_same("all to be as it was", &plain, Area::Below);
    program.quit_with("q");
}

#[test]
fn a_blur_belongs_to_the_frame_on_screen() {
    let program = Program::start_with(sample(), &["--paused"]);
    program.take_pointer_away();
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    program.after(|| click(&program, "blur"), "lab blurred: separable");
    program.take_pointer_away();
    program.pass(std::time::Duration::from_secs(3));
    let first = program.settled();
    // The next frame is on screen before it is blurred: until then, it is not covered by the blurred first one.
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    program.type_text("96f");
    let before = program.log().len();
    program.after(|| program.key("Return"), "note: to ");
    position_where(&program, "at frame 96", |at| at > 3.1);
    program.then("lab blurred: separable");
    let blurs = program.log()[before..].matches("lab blurred: separable").count();
    assert_eq!(blurs, 1, "frames that have gone are blurred");
    program.pass(std::time::Duration::from_secs(3));
    assert!(program.settled().differing(&first, Area::Outside) > 5_000, "the first frame stands");
    program.quit_with("q");
}

#[test]
fn a_closed_lab_leaves_the_passes_of_a_frame_as_they_were() {
    for engine in ["gpu", "cpu"] {
        closed_lab_leaves_passes(&paused_sample(&["--engine", engine]), engine);
    }
}

fn closed_lab_leaves_passes(program: &Program, engine: &str) {
    program.settled();
    // The passes of the drawings for a step to the next frame.
    let stepped = || {
        let before = program.log().len();
        program.after(|| program.key("period"), "passes: ");
        program.settled();
        let log = program.log();
        let lines = log[before..].lines().filter_map(|line| line.split_once("passes: "));
        lines.map(|(_, passes)| passes.to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = stepped();
    let (counting, overlays) = if engine == "gpu" { ("count", "columns") } else { ("copy bins", "with overlays") };
    assert!(before.iter().all(|passes| passes.contains("draw") && passes.contains(overlays)), "{before:?}");
    assert!(before.iter().any(|passes| passes.contains(counting)), "{before:?}");
    for topic in ["lab counted: race", "lab summed: hillis-steele", "lab blurred: separable"] {
        program.after(|| program.key("shift+l"), topic);
        if topic.contains("race") {
            program.after(|| program.key("period"), "lab counted: race");
        }
        program.after(|| program.key("shift+l"), "lab: closed");
        program.settled();
        assert_eq!(stepped(), before, "after {topic} with {engine}");
        if !topic.contains("blurred") {
            program.after(|| program.key("shift+l"), "lab: open");
            program.after(|| program.key("alt+Next"), "note: lab: ");
            program.after(|| program.key("shift+l"), "lab: closed");
        }
    }
    let log = program.log();
    let closed = log.rfind("lab: closed").expect("it was closed");
    assert!(!log[closed + 11..].contains("lab"), "a closed lab goes on: {}", &log[closed..]);
    program.quit_with("q");
}

#[test]
fn a_shader_in_a_file_counts_again_when_it_is_saved() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("my.wgsl");
    let text = histoscope_lab::Method::Sum.shader().expect("it has WGSL").source();
    std::fs::write(&path, &text).expect("it is written");
    let shader = path.to_str().expect("a name");
    let arguments = ["lab", sample(), "--paused", "--method", "sum", "--shader", shader];
    let program = Program::start_on(&arguments);
    let line = program.then("lab counted: sum on 1280×720");
    assert!(line.contains("equals the reference"), "{line}");
    let save = |from: &str, to: &str| {
        std::fs::write(&path, text.replace(from, to)).expect("it is written");
        program.pass(std::time::Duration::from_millis(600));
    };
    let line =
        program.after(|| save("(image, position, 0)", "(image, position / 2u, 0)"), "lab counted: sum on 1280×720");
    assert!(line.contains("differs from the reference"), "{line}");
    program.after(|| save("workgroupBarrier();", "workgroupBarrier()"), "lab counted: nothing: my.wgsl, line ");
    // The code stands beside the diagram in the whole window.
    program.after(|| program.key("ctrl+u"), "note: lab: in the whole window");
    program.after(|| program.key("ctrl+u"), "note: lab: in the whole window, with its code");
    program.after(|| program.key("ctrl+u"), "note: lab: beside the picture");
    program.quit_with("q");
}

#[test]
fn the_lab_works_on_other_pictures_until_it_is_closed() {
    let program = paused_sample(&[]);
    program.take_pointer_away();
    let plain = program.settled();
    program.after(|| program.key("shift+l"), "lab counted: race on 1280×720");
    program.after(|| click(&program, "atomics"), "lab counted: atomics on 1280×720");
    for place in 0..4 {
        let line = program.after(|| click(&program, "input"), "lab counted: atomics on 1280×720");
        assert_right("atomics", &line);
        program.take_pointer_away();
        program.until_other(&format!("picture {place}"), &plain, Area::Outside, 20_000);
    }
    program.after(|| program.key("Escape"), "lab: closed");
    program.until_same("the video’s picture", &plain, Area::Below);
    program.quit_with("q");
}
