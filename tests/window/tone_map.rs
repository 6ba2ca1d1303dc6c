//! PQ and HLG in the window: shown as meant, labelled, changed by key, followed when the file changes; SDR as ever.

use crate::paused_sample;
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};

const PQ: &str = "-color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc -color_range tv";
const VIEW: (u32, u32) = (1280, 720);

/// Makes a clip of a moving pattern of 10 bits, with these tags.
fn clip(tags: &str) -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let source = "testsrc2=s=320x180:r=10:d=4,format=yuv420p10le,lutyuv=y=val*0.7";
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-c:v", "ffv1"]).args(tags.split_whitespace());
    output_of(command.arg(clip.path()), PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

fn opened(file: &str, arguments: &[&str]) -> Program {
    let program = Program::start_with(file, &[&["--paused"], arguments].concat());
    program.take_pointer_away();
    program.resize(VIEW.0, VIEW.1);
    program
}

/// Waits until the picture, clear of histograms and notes, is the one that `snapshot` saves with these options.
#[track_caller]
fn until_like(program: &Program, file: &str, options: &[&str]) {
    let expected = program.snapshot_with(file, "0", VIEW, options);
    until(&format!("the picture to be that of {options:?}"), PATIENCE, || {
        let shown = program.picture();
        let mut points = (100..VIEW.0 - 100).step_by(7).flat_map(|x| (120..400).step_by(5).map(move |y| (x, y)));
        points.all(|(x, y)| shown.pixel(x, y) == expected.pixel(x, y)).then_some(())
    });
}

#[test]
fn pq_is_shown_as_meant_with_a_label_and_a_key_changes_it() {
    let clip = clip(PQ);
    let file = clip.path().to_str().expect("a plain name");
    for engine in ["cpu", "gpu"] {
        let program = opened(file, &["--engine", engine]);
        program.then("seen: tone-mapped BT.2390, 10000 → 203 cd/m²");
        until_like(&program, file, &["--tone-mapping", "bt2390", "--engine", engine]);
        program.after(|| program.key("shift+b"), "note: tone map: clip");
        program.then("seen: clipped above 203 cd/m²");
        until_like(&program, file, &["--tone-mapping", "clip", "--engine", engine]);
        let log = program.log().len();
        program.after(|| program.key("shift+b"), "note: tone map: none");
        until_like(&program, file, &["--tone-mapping", "none", "--engine", engine]);
        let since = program.log()[log..].to_owned();
        let after = since.split("tone map: none").nth(1).expect("the note").to_owned();
        assert!(!after.contains("seen: "), "codes as they are have no label: {after}");
        program.quit_with("q");
    }
}

/// The light of a window for HDR is read here as codes that are clipped at white, which is what `clip` shows.
#[test]
fn a_display_for_hdr_is_given_the_light_as_it_is() {
    let clip = clip(PQ);
    let file = clip.path().to_str().expect("a plain name");
    let is_like = |program: &Program, options: &[&str]| {
        let expected = program.snapshot_with(file, "0", VIEW, options);
        let shown = program.settled();
        let mut points = (100..VIEW.0 - 100).step_by(7).flat_map(|x| (120..400).step_by(5).map(move |y| (x, y)));
        points.all(|(x, y)| {
            let (shown, expected) = (shown.pixel(x, y), expected.pixel(x, y));
            (0..3).all(|part| shown[part].abs_diff(expected[part]) <= 1)
        })
    };
    let program = opened(file, &["--hdr", "on", "--engine", "gpu"]);
    program.then("seen: light as it is, up to 10000 cd/m²");
    assert!(is_like(&program, &["--tone-mapping", "clip", "--engine", "gpu"]), "as it is");
    program.after(|| program.key("shift+b"), "note: tone map: clip");
    program.after(|| program.key("shift+b"), "note: tone map: none");
    assert!(is_like(&program, &["--tone-mapping", "none", "--engine", "gpu"]), "as coded");
    program.after(|| program.key("shift+b"), "note: tone map: BT.2390");
    program.then("seen: light as it is, up to 10000 cd/m²");
    program.quit_with("q");
    // The CPU paints for SDR, whatever the display.
    for arguments in [["--hdr", "on", "--engine", "cpu"], ["--hdr", "off", "--engine", "gpu"]] {
        let program = opened(file, &arguments);
        program.then("seen: tone-mapped BT.2390, 10000 → 203 cd/m²");
        assert!(is_like(&program, &["--engine", arguments[3]]), "{arguments:?}");
        program.quit_with("q");
    }
}

#[test]
fn untagged_video_is_read_as_pq_by_key_and_undone() {
    let clip = clip("");
    let file = clip.path().to_str().expect("a plain name");
    let program = opened(file, &[]);
    until_like(&program, file, &[]);
    program.after(|| program.key("ctrl+t"), "note: transfer PQ instead of BT.1886");
    program.then("seen: tone-mapped BT.2390, 10000 → 203 cd/m²");
    until_like(&program, file, &["--transfer", "pq"]);
    program.after(|| program.key("ctrl+t"), "note: transfer HLG instead of BT.1886");
    program.then("seen: tone-mapped BT.2390, 1000 → 203 cd/m²");
    until_like(&program, file, &["--transfer", "hlg"]);
    program.after(|| program.key("ctrl+z"), "note: undone: transfer HLG");
    program.after(|| program.key("ctrl+z"), "note: undone: transfer PQ");
    until_like(&program, file, &[]);
    program.quit_with("q");
}

#[test]
fn the_picture_is_exposed_by_key_with_a_label_until_the_view_is_reset() {
    let (pq, sdr) = (clip(PQ), clip(""));
    let mapped = "tone-mapped BT.2390, 10000 → 203 cd/m², ";
    for (clip, mapping, engine) in [(&pq, mapped, "cpu"), (&pq, mapped, "gpu"), (&sdr, "", "cpu"), (&sdr, "", "gpu")] {
        let file = clip.path().to_str().expect("a plain name");
        let program = opened(file, &["--engine", engine, "--exposure", "-1"]);
        program.then(&format!("seen: {mapping}exposure −1 stop"));
        until_like(&program, file, &["--exposure", "-1", "--engine", engine]);
        program.after(|| program.key("ctrl+Up"), "note: exposure: −0.5 stops");
        program.then(&format!("seen: {mapping}exposure −0.5 stops"));
        until_like(&program, file, &["--exposure", "-0.5", "--engine", engine]);
        program.after(|| program.key("shift+c"), "note: view reset");
        until_like(&program, file, &["--engine", engine]);
        program.after(|| program.key("ctrl+z"), "note: undone: exposure: 0 stops");
        until_like(&program, file, &["--exposure", "-0.5", "--engine", engine]);
        program.after(|| program.key("5"), "note: false colour: camera scale");
        program.after(|| program.key("ctrl+Up"), "note: exposure: 0 stops");
        let note = "note: exposure: +0.5 stops; takes effect on the picture's own colours";
        program.after(|| program.key("ctrl+Up"), note);
        program.quit_with("q");
    }
}

#[test]
fn hlg_is_read_for_the_display_that_is_given() {
    let clip = clip("-color_trc arib-std-b67 -color_primaries bt2020 -colorspace bt2020nc -color_range tv");
    let file = clip.path().to_str().expect("a plain name");
    let program = opened(file, &["--hlg-peak", "600"]);
    program.then("seen: tone-mapped BT.2390, 600 → 203 cd/m²");
    until_like(&program, file, &["--hlg-peak", "600"]);
    let line = program.after(|| program.key("i"), "light: peak ");
    let mut analyze = std::process::Command::new(env!("CARGO_BIN_EXE_histoscope"));
    let records = analyze.args(["analyze", file, "--light", "--hlg-peak", "600", "--to", "1f"]);
    let records = String::from_utf8_lossy(&output_of(records, PATIENCE).expect("records")).into_owned();
    let peak = number_after(&records, "\"max_cll\":");
    assert!((number_after(&line, "peak ") - peak).abs() < 0.01, "{line}: {records:.400}");
    program.take_pointer_away();
    let card = program.after(|| program.point(640, 200), "probe: ");
    assert!(card.contains(" at 600;"), "{card}");
    program.quit_with("q");
}

/// The tags of the first second are those of SDR, later ones those of PQ.
#[test]
fn a_transfer_function_that_changes_is_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let make = |name: &str, more: &[&str]| {
        let mut command = std::process::Command::new("ffmpeg");
        command.current_dir(folder.path()).args(["-v", "error", "-y"]).args(more).arg(name);
        output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    };
    let source = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=10:d=1", "-pix_fmt", "yuv420p10le", "-c:v", "libx264"];
    let tags = |trc| ["-color_trc", trc, "-color_primaries", "bt2020", "-colorspace", "bt2020nc"];
    make("a.ts", &[&source[..], &tags("bt709")].concat());
    make("b.ts", &[&source[..], &tags("smpte2084")].concat());
    make("both.ts", &["-i", "concat:a.ts|b.ts", "-c", "copy"]);
    let file = folder.path().join("both.ts");
    let program = opened(file.to_str().expect("a plain name"), &[]);
    program.settled();
    assert!(!program.log().contains("seen: "), "SDR has no label");
    program.after(|| program.key("End"), "seen: tone-mapped BT.2390, 10000 → 203 cd/m²");
    program.quit_with("q");
}

/// ICtCp as coded has no R'G'B', and so no chromaticities; red, green and blue computed from it have.
#[test]
fn a_diagram_that_codes_do_not_have_is_named_with_what_is_counted() {
    let clip = clip("-color_trc smpte2084 -color_primaries bt2020 -colorspace ictcp -color_range tv");
    let file = clip.path().to_str().expect("a plain name");
    let program = opened(file, &["--components", "ycbcr"]);
    program.settled();
    let note = |key: &str, text: &str| {
        let line = program.after(|| program.key(key), text);
        assert!(line.ends_with(text), "{line}");
    };
    let why = "; Cb and Cr are counted, because these codes have no R'G'B'";
    note("shift+6", &format!("note: vectorscope diagram: CIE 1931 x, y{why}"));
    note("shift+6", &format!("note: vectorscope diagram: CIE 1976 u′, v′{why}"));
    note("shift+6", &format!("note: vectorscope diagram: R'G'B' diamond{why}"));
    note("shift+6", "note: vectorscope diagram: Cb, Cr");
    note("y", "note: counting red, green, blue and luminance");
    note("shift+6", "note: vectorscope diagram: CIE 1931 x, y");
    program.quit_with("q");
}

#[test]
fn sdr_is_not_mapped() {
    let program = paused_sample(&[]);
    program.after(|| program.key("shift+b"), "note: tone map: clip; takes effect on PQ and HLG");
    assert!(!program.log().contains("seen: "));
    program.quit_with("q");
}

/// Returns a number in a line of the log after this name.
fn number_after(line: &str, name: &str) -> f64 {
    let rest = line.split(name).nth(1).unwrap_or_else(|| panic!("no {name} in {line}"));
    rest.trim_start().split([',', ' ']).next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn the_panel_measures_the_light_of_the_frame_as_analyze_does() {
    let clip = clip(PQ);
    let file = clip.path().to_str().expect("a plain name");
    let program = opened(file, &[]);
    program.settled();
    assert!(!program.log().contains("light: peak"), "nobody looks at it yet");
    let line = program.after(|| program.key("i"), "light: peak ");
    let mut analyze = std::process::Command::new(env!("CARGO_BIN_EXE_histoscope"));
    let records = output_of(analyze.args(["analyze", file, "--light", "--to", "1f"]), PATIENCE).expect("records");
    let records = String::from_utf8_lossy(&records).into_owned();
    let field = |name: &str| number_after(&records, &format!("\"{name}\":"));
    let (peak, average) = (number_after(&line, "peak "), number_after(&line, "average "));
    assert!((peak - field("max_cll")).abs() < 0.01, "{line}: {records:.400}");
    assert!((average - field("max_fall")).abs() < 0.01, "{line}: {records:.400}");
    program.quit_with("q");
}

#[test]
fn the_peak_and_the_average_of_a_still_frame_are_marked_on_its_axis() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("clip.mkv");
    // White at 203 cd/m² on a fifth of a black picture, more than the file states.
    let luma = "geq=lum='if(lt(X,64),573,64)':cb=512:cr=512";
    let source = format!("color=black:s=320x180:r=10:d=4,format=yuv420p10le,{luma}");
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", &source, "-c:v", "libx265"]);
    command.args(["-x265-params", "log-level=none:lossless=1:hdr10=1:repeat-headers=1:max-cll=100,60"]);
    command.args(PQ.split_whitespace()).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    for (file, is_pq) in [(path.to_str().expect("a plain name"), true), (crate::sample(), false)] {
        let program = Program::start_with(file, &["--paused"]);
        program.point(640, 300);
        if is_pq {
            // Code 573 of 64 to 940 is 594 of 1023 as R'G'B', 202.915 cd/m² by NumPy, and a fifth of that is 40.583.
            let line = program.then("marked: peak ");
            assert!(line.contains("peak 203 cd/m², beyond what the file states"), "{line}");
            let line = program.then("marked: average ");
            assert!(line.contains("average 40.6 cd/m²") && !line.contains("beyond"), "{line}");
            let times = || program.log().matches("marked: peak ").count();
            program.key("space");
            program.pass(std::time::Duration::from_millis(200));
            let before = times();
            program.pass(std::time::Duration::from_millis(500));
            assert_eq!(times(), before, "nothing is measured while the video plays");
            program.after(|| program.key("space"), "marked: peak ");
        }
        program.settled();
        assert_eq!(program.log().contains("marked: "), is_pq, "SDR has no known light");
        program.quit_with("q");
    }
}

#[test]
fn doubtful_light_is_noticed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("clip.mkv");
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=10:d=1,format=yuv420p"]);
    command.args(["-c:v", "libx265", "-x265-params", "log-level=none:hdr10=1:repeat-headers=1:max-cll=65535,400"]);
    command.args(PQ.split_whitespace()).arg(&path);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    let program = opened(path.to_str().expect("a plain name"), &[]);
    program.then("note: PQ with only 8 bits per sample");
    program.then("note: the stated MaxCLL of 65535 cd/m² is beyond PQ and not used");
    program.then("seen: tone-mapped BT.2390, 10000 → 203 cd/m²");
    program.quit_with("q");
}
