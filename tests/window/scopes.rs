//! The scopes beside the histograms: keys, borders, wheel, readouts, and the settings that are kept.

use histoscope_render::view::scene::{Look, Scene};
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};

use crate::picture::Area;
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{paused_sample, sample};

const SIZE: (u32, u32) = (1280, 720);

/// The middle of a scope, or of the picture of a split layout.
fn middle(scene: &Scene, kind: Option<ScopeKind>) -> (i32, i32) {
    let arranged = scene.arranged(SIZE);
    let rect = match kind {
        Some(kind) => arranged.panels.iter().find(|panel| panel.kind == kind).expect("it is shown").rect,
        None => arranged.picture,
    };
    ((rect.left + rect.width / 2) as i32, (rect.top + rect.height / 2) as i32)
}

fn split() -> Scene {
    let scopes =
        ScopeStyle { waveform: true, parade: true, vectorscope: true, layout: Layout::Split, ..ScopeStyle::default() };
    Scene::from(Look { scopes, ..Look::default() })
}

#[test]
fn digits_show_and_hide_scopes_and_a_wall_looks_like_a_snapshot_of_it() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        let plain = program.settled();
        for (key, text) in [("2", "waveform on"), ("3", "parade on"), ("4", "vectorscope on")] {
            program.after(|| program.key(key), &format!("note: {text}"));
        }
        program.until_other("scopes over the picture", &plain, Area::Below, 5000);
        program.after(|| program.key("shift+0"), "note: split layout on");
        // The engine that counts also draws the traces, and each rounds light differently.
        let all = ["--engine", engine, "--scopes", "histogram,waveform,parade,vectorscope"];
        let expected = program.snapshot_with(sample(), "0", (plain.width, plain.height), &all);
        program.until_same("a split layout as a snapshot has it", &expected, Area::Below);
        program.after(|| program.key("1"), "note: histograms off");
        program.after(|| program.key("3"), "note: parade off");
        let two = ["--engine", engine, "--scopes", "waveform,vectorscope"];
        let expected = program.snapshot_with(sample(), "0", (plain.width, plain.height), &two);
        program.until_same("a smaller wall", &expected, Area::Below);
        program.after(|| program.key("0"), "note: all scopes off");
        let bare = program.snapshot_with(sample(), "0", (plain.width, plain.height), &["--no-overlay"]);
        program.until_same("the bare picture", &bare, Area::Below);
        program.after(|| program.key("0"), "note: all scopes on");
        program.until_same("the same wall again", &expected, Area::Below);
        program.after(|| program.key("ctrl+z"), "note: undone: waveform on, vectorscope on");
        program.quit_with("q");
    }
}

/// The traces of a held frame are gray where the live picture has none, and removed with the frame.
#[test]
fn a_held_frame_is_traced_in_gray_behind_the_live_one() {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let mut command = std::process::Command::new("ffmpeg");
    let sources = "-v error -y -f lavfi -i smptebars=s=320x180:r=10:d=0.5 -f lavfi -i color=gray:s=320x180:r=10:d=0.5";
    command.args(sources.split(' ')).args(["-filter_complex", "[0][1]concat,format=yuv420p", "-c:v", "ffv1"]);
    output_of(command.arg(clip.path()), PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    let path = clip.path().to_str().expect("UTF-8");
    for engine in ["cpu", "gpu"] {
        let program = Program::start_with(path, &["--paused", "--engine", engine]);
        program.resize(SIZE.0, SIZE.1);
        program.take_pointer_away();
        program.keys(&["2", "3", "4", "shift+0"]);
        let shown = |key: &str, note: &str| {
            program.after(|| program.key(key), note);
            // Notes fade.
            program.pass(std::time::Duration::from_secs(4));
            program.settled()
        };
        let bars = shown("Home", "note: to the first frame");
        let gray = shown("End", "note: to the last frame");
        program.key("Home");
        program.after(|| program.key("p"), "note: held: ");
        let held = shown("End", "note: to the last frame");
        assert_eq!((held.width, held.height), SIZE);
        for panel in split().arranged(SIZE).panels {
            let rect = panel.rect;
            let columns = rect.left..rect.left + rect.width;
            let places = columns.flat_map(|x| (rect.top..rect.top + rect.height).map(move |y| (x, y)));
            let most = |of: [u8; 3]| of.into_iter().max().unwrap_or_default();
            let only_held = places.filter(|&(x, y)| most(bars.pixel(x, y)) > most(gray.pixel(x, y)).saturating_add(60));
            let only_held: Vec<_> = only_held.collect();
            let is_gray = |&&(x, y): &&(u32, u32)| {
                let [now, live] = [&held, &gray].map(|picture| picture.pixel(x, y));
                let least = now.into_iter().min().unwrap_or_default();
                most(now) > most(live) && most(now) - least < 40
            };
            let count = only_held.iter().filter(is_gray).count();
            assert!(
                count > 50 && count == only_held.len(),
                "{:?} with {engine}: {count} of {} pixels are gray",
                panel.kind,
                only_held.len()
            );
        }
        shown("Home", "note: to the first frame");
        program.after(|| program.key("p"), "note: released");
        let released = shown("End", "note: to the last frame");
        assert_eq!(released.differing(&gray, Area::Below), 0, "with {engine}");
        program.quit_with("q");
    }
}

#[test]
fn the_pointer_reads_scopes_and_marks_its_pixel_in_them() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        for key in ["2", "3", "4", "shift+0"] {
            program.key(key);
        }
        let at = |kind| middle(&split(), kind);
        let (x, y) = at(Some(ScopeKind::Waveform));
        program.after(|| program.point(x, y), "scope: x ");
        // The adapter's counts arrive slightly later.
        let told = until("the counts under the pointer", PATIENCE, || {
            program.log().lines().rfind(|line| line.contains("scope: x ") && line.contains("  R ")).map(str::to_owned)
        });
        let words: Vec<_> = told.split_whitespace().collect();
        let counts = words.iter().position(|word| *word == "R").expect("the counts come");
        assert!(words[counts + 1].parse::<u32>().is_ok() && told.contains("code") && told.contains('%'), "{told}");
        let (x, y) = at(Some(ScopeKind::Vectorscope));
        program.after(|| program.point(x + 3, y + 2), "scope: Cb ");
        let told = until("the count under the pointer", PATIENCE, || {
            program
                .log()
                .lines()
                .rfind(|line| line.contains("scope: Cb ") && line.contains("sample"))
                .map(str::to_owned)
        });
        assert!(told.contains("Cr") && told.contains("sample") && told.contains('°'), "{told}");
        let (x, y) = at(None);
        let marked = program.after(|| program.point(x, y), "marked in scopes: ");
        // Four in the waveform, one in each part of the parade, one in the vectorscope.
        assert_eq!(marked.matches("at: [").count(), 9, "{marked}");
        program.quit_with("q");
    }
}

/// All pixels of a gray picture have the chromaticity of D65, which is in the middle of an enlarged diagram.
#[test]
fn the_pointer_reads_a_chromaticity_and_its_pixels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("gray.mkv");
    let mut command = std::process::Command::new("ffmpeg");
    command.args([
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        "color=gray:s=320x180:r=10:d=1,format=yuv420p10le,lutyuv=u=512:v=512",
        "-c:v",
        "ffv1",
    ]);
    command.args(["-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc"]).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    let scopes = ScopeStyle { vectorscope: true, layout: Layout::Split, ..ScopeStyle::default() };
    let (x, y) = middle(&Scene::from(Look { scopes, ..Look::default() }), Some(ScopeKind::Vectorscope));
    for engine in ["cpu", "gpu"] {
        let program = Program::start_with(path.to_str().expect("a plain name"), &["--paused", "--engine", engine]);
        program.resize(SIZE.0, SIZE.1);
        for key in ["4", "shift+0", "shift+6", "shift+4", "shift+4", "shift+4"] {
            program.key(key);
        }
        program.after(|| program.point(x, y), "scope: x 0.3");
        let told = until("the count under the pointer", PATIENCE, || {
            let log = program.log();
            log.lines().rfind(|line| line.contains("scope: x 0.3") && line.contains("sample")).map(str::to_owned)
        });
        let words: Vec<_> = told.split_whitespace().skip_while(|word| *word != "x").collect();
        let [_, x, _, y, count, _] = words[..] else { panic!("{told}") };
        // Within half of one of 512 levels.
        for (found, expected) in [(x, 0.3127), (y, 0.3290)] {
            let found: f64 = found.parse().expect("a number");
            assert!((found - expected).abs() < 0.5 * 0.85 / 512.0 + 1e-4, "{told}");
        }
        assert_eq!(count, "57600", "{engine}: {told}");
        program.quit_with("q");
    }
}

#[test]
fn the_wheel_brightens_traces_and_enlarges_the_vectorscope_and_never_the_picture() {
    let program = paused_sample(&[]);
    for key in ["2", "3", "4", "shift+0"] {
        program.key(key);
    }
    let (x, y) = middle(&split(), Some(ScopeKind::Vectorscope));
    program.point(x, y);
    program.after(|| program.turn_wheel(1), "note: vectorscope zoom: 2");
    program.after(|| program.turn_wheel(1), "note: vectorscope zoom: 4");
    program.after(|| program.turn_wheel(3), "note: vectorscope zoom: 8");
    let (x, y) = middle(&split(), Some(ScopeKind::Parade));
    program.point(x, y);
    program.after(|| program.turn_wheel(1), "note: trace brightness: 120 %");
    program.settled();
    assert!(!program.log().contains("note: zoom"), "the picture was zoomed");
    let (x, y) = middle(&split(), None);
    program.point(x, y);
    program.after(|| program.turn_wheel(1), "note: zoom");
    program.quit_with("q");
}

#[test]
fn borders_are_dragged_and_the_layout_is_kept() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let scene = split();
    let (border, y) = ((f64::from(SIZE.0) * 0.62) as i32 + 4, 200);
    {
        let program = Program::start_at_home(&[sample(), "--paused"], home.path());
        for key in ["2", "3", "4", "shift+0"] {
            program.key(key);
        }
        program.after(|| program.key("shift+h"), "note: cumulative curves on");
        program.after(|| program.key("shift+h"), "note: cumulative curves off");
        let before = program.settled();
        program.point(border, y);
        program.button("mousedown", "1");
        program.move_pointer(900, y);
        program.move_pointer(600, y);
        program.button("mouseup", "1");
        program.take_pointer_away();
        program.until_other("a narrower picture", &before, Area::Outside, 5000);
        program.quit_with("q");
    }
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    let kept = Scene {
        look: Look { scopes: ScopeStyle { picture: [600.0 / 1280.0, 0.62], ..scene.look.scopes }, ..scene.look },
        ..scene
    };
    let (x, y) = middle(&kept, Some(ScopeKind::Vectorscope));
    // It extends to the left of the border's first position.
    let left = kept.arranged(SIZE).panels.iter().find(|panel| panel.kind == ScopeKind::Vectorscope).unwrap().rect.left;
    assert!(left < border as u32 - 60);
    program.after(|| program.point(x, y + 2), "scope: Cb ");
    program.quit_with("q");
}

#[test]
fn a_question_whose_answer_nobody_waits_for_draws_nothing_more() {
    let program = paused_sample(&["--engine", "gpu"]);
    for key in ["2", "4", "shift+0"] {
        program.key(key);
    }
    let shown = Scene::from(Look { scopes: ScopeStyle { parade: false, ..split().look.scopes }, ..split().look });
    let (x, y) = middle(&shown, Some(ScopeKind::Waveform));
    program.settled();
    // The counts are requested, and the pointer is gone before they arrive, at one of these speeds.
    for pace in 0..12_u64 {
        program.after(|| program.point(x + 20 * (pace as i32 % 2), y), "scope: x ");
        program.move_pointer(x - 30 * pace as i32, y);
        program.pass(std::time::Duration::from_millis(7 * pace));
        program.take_pointer_away();
    }
    program.settled();
    until("the window to rest", PATIENCE, || {
        let drawings = || program.log().matches("passes: ").count();
        let before = drawings();
        program.pass(std::time::Duration::from_millis(1500));
        (drawings() <= before + 1).then_some(())
    });
    program.quit_with("q");
}

/// The readout under a pointer that rests on a scope belongs to the file on screen, whatever the depth of the file
/// before.
#[test]
fn what_the_pointer_reads_belongs_to_the_file_on_screen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = ["of8.mkv", "of10.mkv", "of12.mkv"].map(|name| folder.path().join(name));
    for (name, format) in names.iter().zip(["yuv420p", "yuv420p10le", "yuv420p12le"]) {
        let filter = format!("testsrc2=s=1280x720:r=25:d=0.2,format={format},setparams=range=limited:colorspace=bt709");
        let mut command = std::process::Command::new("ffmpeg");
        command.args(["-v", "error", "-f", "lavfi", "-i", &filter, "-c:v", "ffv1"]).arg(name);
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    }
    let names = names.map(|name| name.to_str().expect("plain").to_owned());
    for engine in ["gpu", "cpu"] {
        let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
        arguments.extend(["--paused", "--engine", engine]);
        let program = Program::start_on(&arguments);
        for key in ["2", "shift+0"] {
            program.key(key);
        }
        let scopes = ScopeStyle { parade: false, vectorscope: false, ..split().look.scopes };
        let (x, y) = middle(&Scene::from(Look { scopes, ..split().look }), Some(ScopeKind::Waveform));
        // Above the middle, where a deep picture has more levels than an 8-bit one.
        let read = |program: &Program, (from, note): (usize, &str)| {
            let mut moves = 0;
            until("the counts under the pointer", PATIENCE, || {
                // The pointer moves so that the controls stay; its column is the same.
                moves += 1;
                program.move_pointer(x, y - 60 + moves % 2);
                let log = program.log();
                let mut since = log.lines().skip(from).skip_while(|line| !line.contains(note));
                since.find(|line| line.contains("scope: x ") && line.contains("  R ")).map(str::to_owned)
            })
        };
        program.after(|| program.point(x, y - 60), "scope: x ");
        read(&program, (0, ""));
        for (key, name) in [("Next", "of10.mkv"), ("Next", "of12.mkv"), ("Prior", "of10.mkv"), ("Prior", "of8.mkv")] {
            let before = program.log().lines().count();
            let note = format!("note: {name}");
            program.after(|| program.key(key), &note);
            let told = read(&program, (before, &note));
            let code: u32 =
                told.split("code ").nth(1).and_then(|c| c.split(['\u{2013}', ' ']).next()?.parse().ok()).unwrap();
            let least = if name == "of8.mkv" { 0 } else { 256 };
            assert!(code > least, "{name}: {told}");
        }
        program.quit_with("q");
    }
}
