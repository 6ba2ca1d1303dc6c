//! Presets: saved under a name by key and menu, brought back, handed on as files.

use crate::hands::choose;
use crate::picture::Area;
use crate::program::{Program, command};
use crate::sample;

fn paused_at_home(options: &[&str], home: &tempfile::TempDir) -> Program {
    let program = Program::start_at_home(&[&[sample(), "--paused"], options].concat(), home.path());
    program.take_pointer_away();
    program
}

#[test]
fn a_preset_brings_layout_and_settings_back_also_from_a_file_of_another_user() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = paused_at_home(&[], &home);
    let first = program.settled();
    program.after(|| program.key("2"), "note: waveform on");
    program.after(|| program.key("shift+0"), "note: split layout on");
    program.after(|| program.key("shift+o"), "note: guides: safe areas");
    let preset = program.settled();
    program.after(|| program.key("ctrl+p"), "key: OpenPresets");
    program.key("Escape");
    program.after(|| choose(&program, &["Presets", "Save layout and settings as …"]), "entry: open for a preset");
    program.type_text("interview");
    program.after(|| program.key("Return"), "note: saved the preset interview: Ctrl+P brings it back");
    for key in ["2", "shift+0", "shift+o"] {
        program.key(key);
    }
    program.take_pointer_away();
    program.until_same("the first look", &first, Area::Below);
    program.after(|| choose(&program, &["Presets", "interview"]), "note: preset interview: waveform on, ");
    program.take_pointer_away();
    program.until_same("the preset", &preset, Area::Below);
    program.after(|| program.key("ctrl+z"), "note: undone: waveform on, ");
    program.until_same("the first look again", &first, Area::Below);
    program.quit_with("q");

    // Another user is handed the file.
    let file = home.path().join("histoscope/presets/interview.toml");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.starts_with("version = 1\n"), "{text}");
    let other = tempfile::tempdir().expect("a temporary folder");
    let program = paused_at_home(&[], &other);
    let drop = || program.command(&format!("drop {}", file.display()));
    program.after(drop, "note: preset interview: waveform on, ");
    program.until_same("the preset of the file", &preset, Area::Below);
    std::fs::write(&file, text.replace("version = 1", "version = 2")).expect("the file can be changed");
    program.after(drop, "this preset is of version 2, but this program reads version 1; save it again");
    std::fs::write(&file, text).expect("the file can be changed");
    program.quit_with("q");

    let program = paused_at_home(&["--preset", "interview"], &home);
    program.until_same("the preset of the option", &preset, Area::Below);
    program.quit_with("q");
    let runtime = tempfile::tempdir().expect("a temporary folder");
    let mut refused = command(&runtime);
    let refused = refused.env("RUST_LOG", "error").env("XDG_CONFIG_HOME", home.path());
    let output = refused.args([sample(), "--preset", "portrait"]).output().expect("the program ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("there is no preset 'portrait'; choose one"), "{told}");
}
