//! What people expect of a program on Windows.
#![cfg(windows)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{finish, program, sample};
use crate::common::Clip;

fn analyzed(input: &Path, output: &Path) -> String {
    let run = finish(program().arg("analyze").arg(input).args(["--engine", "cpu", "-q", "-o"]).arg(output));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{input:?}");
    fs::read_to_string(output).unwrap()
}

#[test]
fn wildcards_stand_for_files_where_shells_leave_them() {
    let clip = Clip::moving("a 1.mkv", "64x48", 0.2, "-c:v ffv1 -pix_fmt yuv420p");
    fs::copy(clip.path(), clip.folder().join("a 2.mkv")).unwrap();
    fs::copy(clip.path(), clip.folder().join("b.mkv")).unwrap();
    let to = tempfile::tempdir().unwrap();
    let run = finish(
        program()
            .current_dir(clip.folder())
            .args(["analyze", "--engine", "cpu", "a*.mkv", "--format", "csv", "--out-dir"])
            .arg(to.path()),
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    let mut made: Vec<_> = fs::read_dir(to.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    made.sort();
    assert_eq!(made, ["a 1.mkv.csv", "a 2.mkv.csv"]);
}

#[test]
fn every_way_to_write_a_path_leads_to_the_file() {
    let clip = Clip::moving("Über den Wolken 雲.mkv", "64x48", 0.2, "-c:v ffv1 -pix_fmt yuv420p");
    let output = clip.folder().join("a.csv");
    let expected = analyzed(clip.path(), &output);
    let text = clip.path().to_str().unwrap();
    assert_eq!(text.as_bytes()[1], b':', "{text}");
    let whole = fs::canonicalize(clip.path()).unwrap();
    assert!(whole.to_str().unwrap().starts_with(r"\\?\"), "{whole:?}");
    for path in [PathBuf::from(text.replace('\\', "/")), PathBuf::from(text.to_ascii_uppercase()), whole] {
        let found = analyzed(&path, &output);
        // The second column is the path as it was given.
        let records = |text: &str| {
            let values = |line: &str| line.split(',').skip(2).map(str::to_owned).collect::<Vec<_>>();
            text.lines().map(values).collect::<Vec<_>>()
        };
        assert_eq!(records(&found), records(&expected), "{path:?}");
    }
    assert!(!expected.contains('\r'), "lines end as on Linux");
}

#[test]
fn devices_are_no_files() {
    for name in ["CON", "nul.mp4", r"C:\clips\com1.mkv"] {
        finish(program().args(["snapshot", name])).fails_with(&["a device", "rename"]);
    }
    let run = finish(program().arg("analyze").arg(sample()).args(["--to", "2f", "-o", "aux.csv"]));
    run.fails_with(&["aux.csv", "a device", "another"]);
}

#[test]
fn the_program_has_an_icon_a_version_and_a_manifest() {
    let program = fs::read(env!("CARGO_BIN_EXE_histoscope")).unwrap();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let has = |bytes: &[u8]| program.windows(bytes.len()).any(|part| part == bytes);
    assert!(has(&wide("ProductVersion")) && has(&wide(env!("CARGO_PKG_VERSION"))));
    assert!(has(b"PerMonitorV2") && has(b"consoleAllocationPolicy"));
    let icon = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/desktop/histoscope.ico")).unwrap();
    // The largest picture is the last.
    assert!(has(&icon[icon.len() - 1000..]));
}

#[test]
fn patterns_that_no_shell_resolves_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let run = finish(program().arg("snapshot").arg(folder.path().join("*.dpx")));
    run.fails_with(&["*.dpx", "name their folder"]);
}
