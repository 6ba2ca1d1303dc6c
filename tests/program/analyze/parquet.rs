//! Parquet: every value equals the one in the lines, for this crate's reader and for others. Resumed runs and joined
//! shares make the same file, byte for byte.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use serde_json::Value;

use crate::analyze::program::{analyze, output};
use crate::command::packages::python_with_packages;
use crate::command::{Run, finish, program, run};
use crate::common::{Clip, noise};

/// Writes a table. The run must print nothing.
fn table(clip: &Clip, name: &str, arguments: &[&str]) -> PathBuf {
    let path = clip.folder().join(name);
    let said = output(clip.path(), &[arguments, &["--format", "parquet", "-o", path.to_str().unwrap()]].concat());
    assert_eq!(said, "");
    path
}

/// Makes a clip of 12 bits. A row group holds a few hundred of its frames with all bins. It takes a while to count.
fn deep() -> Clip {
    Clip::noisy("deep.mkv", "16x12", "yuv420p12le", 1000, "-c:v ffv1 -g 1 -strict -2")
}

/// Arguments for that clip, and the frames of one of its row groups: 7 × 2^12 bins of 4 bytes each, up to 32 MiB.
const DEEP: [&str; 3] = ["--bins", "--components", "ycbcr"];
const DEEP_GROUP: u64 = 290;

/// Formats a field of a row as in the CSV table.
pub fn as_text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Bool(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::Long(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Str(value) => value.clone(),
        Field::ListInternal(list) => list.elements().iter().map(as_text).collect::<Vec<_>>().join(" "),
        other => panic!("no column is of this kind: {other:?}"),
    }
}

/// Compares every cell and column with the CSV table, and the summary with the lines.
fn compare_with_text(clip: &Clip, path: &Path, arguments: &[&str]) {
    let text = output(clip.path(), &[arguments, &["--format", "csv"]].concat());
    let mut text = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let names: Vec<_> = text.headers().unwrap().iter().map(str::to_owned).collect();
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut rows = reader.get_row_iter(None).unwrap();
    let mut count = 0;
    for cells in text.records().map(Result::unwrap) {
        let row = rows.next().expect("as many rows").unwrap();
        let found: Vec<_> = row.get_column_iter().map(|(name, field)| (name.clone(), as_text(field))).collect();
        let wanted: Vec<_> = names.iter().cloned().zip(cells.iter().map(str::to_owned)).collect();
        assert_eq!(found, wanted, "{arguments:?}");
        count += 1;
    }
    assert!(rows.next().is_none() && count > 0);
    assert_eq!(summary(path), summary_of_lines(clip, arguments));
}

fn summary(path: &Path) -> Value {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let pairs = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let pair = pairs.into_iter().find(|pair| pair.key == "histoscope").expect("a summary");
    serde_json::from_str(&pair.value.unwrap()).unwrap()
}

fn lines(clip: &Clip, arguments: &[&str]) -> (Vec<Value>, Value) {
    crate::analyze::program::records(clip.path(), &[arguments, &["--format", "jsonl"]].concat())
}

/// Parses only the last of the lines, since the bins in the others can be millions of numbers.
fn summary_of_lines(clip: &Clip, arguments: &[&str]) -> Value {
    let text = output(clip.path(), &[arguments, &["--format", "jsonl"]].concat());
    let last = serde_json::from_str::<Value>(text.lines().next_back().unwrap()).unwrap();
    assert_eq!(last["type"], "summary");
    last
}

/// Writes the lines of the same run to a file beside the clip.
fn text_of(clip: &Clip, arguments: &[&str]) -> PathBuf {
    let text = clip.folder().join("records.jsonl");
    fs::write(&text, output(clip.path(), &[arguments, &["--format", "jsonl"]].concat())).unwrap();
    text
}

/// Checks that pyarrow and DuckDB read the values of the lines. Each table is followed by its lines.
fn script<'a>(tables_and_lines: impl IntoIterator<Item = &'a Path>) -> Run {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/parquet.py");
    finish(python_with_packages().arg(script).args(tables_and_lines))
}

fn variable() -> Clip {
    let steady = Clip::moving("steady.mp4", "64x48", 2.0, "-c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p");
    let filter = "select='not(eq(mod(n,7),3))',setpts='N*N*0.0005/TB+N*0.03/TB'";
    let made = steady.make("variable.mkv", &format!("-i @ -c:v libx264 -g 30 -bf 2 -fps_mode vfr -vf {filter}"));
    Clip::from_bytes("variable.mkv", &fs::read(made).unwrap())
}

/// Every frame is coded alone, so that damage has the same effect each time.
fn damaged() -> Clip {
    let whole = Clip::moving("whole.mkv", "64x48", 2.0, "-c:v mpeg2video -g 1 -q:v 2");
    let mut bytes = whole.bytes();
    for share in [3, 5, 7] {
        let at = bytes.len() * share / 10;
        bytes[at..at + 8].copy_from_slice(&noise(8, share as u64));
    }
    let clip = Clip::from_bytes("damaged.mkv", &bytes);
    assert!(lines(&clip, &[]).0.iter().any(|record| record["damaged"] == true));
    clip
}

#[test]
fn every_value_is_that_of_the_lines() {
    let noisy = |format: &str| Clip::noisy("clip.mkv", "35x27", format, 3, "-c:v ffv1 -strict -2");
    let scopes = ["--scopes", "vectorscope"];
    let mut compared = Vec::new();
    for (clip, arguments) in [
        (noisy("yuv420p"), &["--bins"][..]),
        (noisy("yuv422p10le"), &["--bins", "--components", "ycbcr", "--region", "3,5,11,7"]),
        (noisy("yuv444p12le"), &["--bins", "--equalize", "--otsu", "3", "--scopes", "vectorscope"]),
        (noisy("gray"), &["--bins", "--scopes", "vectorscope"]),
        (noisy("gray16le"), &scopes),
        (noisy("gbrp10le"), &["--bins", "--scopes", "vectorscope"]),
        (noisy("yuv420p"), &["--low-pass", "5x2", "--every", "2", "--from", "1f"]),
        (variable(), &["--region", "25%,25%,50%,50%", "--scopes", "vectorscope", "--components", "ycbcr"]),
        (damaged(), &[]),
    ] {
        let path = table(&clip, "records.parquet", arguments);
        compare_with_text(&clip, &path, arguments);
        let text = text_of(&clip, arguments);
        compared.push((clip, path, text));
    }
    let run = script(compared.iter().flat_map(|(_, path, text)| [path.as_path(), text.as_path()]));
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout.matches("are equal").count(), compared.len(), "{}", run.stdout);
}

/// The bins of these pictures rise and fall from one to the next, as with real 8-bit pictures.
#[test]
fn bins_take_a_third_of_the_room_that_they_take_as_text() {
    let source = "-f lavfi -i mandelbrot=size=1920x1080:rate=25 -frames:v 48 -vf noise=alls=6:allf=t,format=yuv420p";
    let clip = Clip::new("clip.mkv", &format!("{source} -c:v libx264 -preset ultrafast -crf 20"));
    let reader = SerializedFileReader::new(File::open(table(&clip, "bins.parquet", &["--bins"])).unwrap()).unwrap();
    let columns = reader.metadata().row_group(0).columns();
    let is_bins = |name: &str| name.ends_with("_bins");
    let chunks = columns.iter().filter(|column| is_bins(&column.column_path().parts()[0]));
    let packed: Vec<i64> = chunks.map(|column| column.compressed_size()).collect();
    let text = output(clip.path(), &["--bins", "--format", "csv"]);
    let mut text = csv::Reader::from_reader(text.as_bytes());
    let names = text.headers().unwrap().clone();
    let cells = |row: &csv::StringRecord| -> usize {
        let of_bins = names.iter().zip(row).filter(|(name, _)| is_bins(name));
        of_bins.map(|(_, cell)| cell.len() + 1).sum()
    };
    let text: usize = text.records().map(|row| cells(&row.unwrap())).sum();
    assert_eq!(packed.len(), 4);
    let packed: usize = packed.iter().map(|bytes| usize::try_from(*bytes).unwrap()).sum();
    assert!(packed * 3 <= text, "{packed} bytes of {text}");
}

#[test]
fn the_script_sees_a_wrong_value() {
    let clip = Clip::noisy("clip.mkv", "16x16", "yuv420p", 3, "-c:v ffv1");
    let arguments = ["--bins", "--scopes", "vectorscope"];
    let path = table(&clip, "records.parquet", &arguments);
    let text = text_of(&clip, &arguments);
    assert_eq!(script([&*path, &*text]).code, Some(0));
    let good = fs::read_to_string(&text).unwrap();
    for (from, to) in [
        ("\"p75\":", "\"p75\":1"),
        ("\"bins\":[", "\"bins\":[1"),
        ("\"pts_ticks\":0", "\"pts_ticks\":1"),
        ("\"time_seconds\":0.0", "\"time_seconds\":0.1"),
        ("\"key_frame\":true", "\"key_frame\":1"),
        ("\"count\":", "\"more\":1,\"count\":"),
        ("\"saturation_mean\":", "\"saturation_mean\":1"),
        ("\"fingerprint\":\"", "\"fingerprint\":\"0"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        fs::write(&text, bad).unwrap();
        assert_eq!(script([&*path, &*text]).code, Some(1), "{to} was not noticed");
    }
}

#[test]
fn a_table_without_rows_is_a_table() {
    let clip = Clip::moving("clip.mkv", "32x32", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    let path = clip.folder().join("none.parquet");
    let run = analyze(clip.path(), &["--from", "9f", "--every", "4", "-o", path.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("no frame was counted"), "{}", run.stderr);
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    assert!(reader.metadata().file_metadata().schema_descr().num_columns() > 90);
    assert_eq!(summary(&path)["first_frame"], 9);
}

/// Returns the bytes that a run writes to standard output.
fn streamed(command: &mut Command) -> Vec<u8> {
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    output.stdout
}

/// Row groups are limited by rows and bytes, whatever the destination.
#[test]
fn a_pipe_takes_the_bytes_of_the_file() {
    let clip = deep();
    let path = table(&clip, "records.parquet", &DEEP);
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let rows: Vec<_> = reader.metadata().row_groups().iter().map(|group| group.num_rows().unsigned_abs()).collect();
    assert_eq!(rows, [DEEP_GROUP, DEEP_GROUP, DEEP_GROUP, 1000 - 3 * DEEP_GROUP]);
    let mut command = program();
    command.arg("analyze").arg(clip.path()).args(DEEP).args(["--engine", "cpu", "--format", "parquet"]);
    assert!(streamed(&mut command) == fs::read(&path).unwrap());
    compare_with_text(&clip, &path, &DEEP);
}

#[test]
fn shares_are_one_run_byte_for_byte() {
    let clip = deep();
    let one = fs::read(table(&clip, "one.parquet", &DEEP)).unwrap();
    let points = ["0f", "1f", "200f", "300f", "300f", "690f", "99999f"];
    let mut shares: Vec<_> = (0..points.len() - 1)
        .filter(|index| points[*index] != points[index + 1])
        .map(|index| {
            let span = ["--from", points[index], "--to", points[index + 1]];
            table(&clip, &format!("share{index}.parquet"), &[&span[..], &DEEP].concat())
        })
        .collect();
    shares.swap(1, 3);
    let merged = clip.folder().join("merged.parquet");
    let said = finish(program().arg("merge").args(&shares).arg("-o").arg(&merged));
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(&merged).unwrap() == one);
    assert!(streamed(program().arg("merge").args(&shares)) == one, "to the standard output");
}

#[test]
fn shares_that_are_not_one_run_are_refused() {
    let clip = Clip::moving("clip.mkv", "32x32", 2.0, "-c:v ffv1 -pix_fmt yuv420p");
    let share = |name: &str, from: &str, to: &str, more: &[&str]| {
        table(&clip, name, &[&["--from", from, "--to", to], more].concat())
    };
    let first = share("a.parquet", "0f", "20f", &[]);
    let merge = |shares: &[&Path]| finish(program().arg("merge").args(shares).arg("-o").arg(clip.folder().join("m")));
    merge(&[&first, &share("gap.parquet", "22f", "30f", &[])]).fails_with(&["frames 20 to 21 are missing"]);
    merge(&[&first, &share("lap.parquet", "18f", "30f", &[])]).fails_with(&["overlap in frames 18 to 19"]);
    merge(&[&first, &share("bins.parquet", "20f", "30f", &["--bins"])]).fails_with(&["different options or formats"]);
    let text = clip.folder().join("b.jsonl");
    output(clip.path(), &["--from", "20f", "--to", "30f", "-o", text.to_str().unwrap()]);
    merge(&[&first, &text]).fails_with(&["different options or formats"]);
    let cut = clip.folder().join("cut.parquet");
    let bytes = fs::read(&first).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 100]).unwrap();
    merge(&[&cut]).fails_with(&["cut.parquet", "truncated"]);
    assert!(!clip.folder().join("m").exists());
}

#[test]
fn what_cannot_be_is_refused() {
    let clip = Clip::moving("clip.mkv", "32x32", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    let path = clip.path().to_str().unwrap();
    let twice = run(["analyze", path, path, "--engine", "cpu", "--format", "parquet"]);
    assert_eq!(twice.code, Some(2));
    assert!(twice.stderr.contains("--out-dir"), "{}", twice.stderr);
    let to = |place: &str| analyze(clip.path(), &["--format", "parquet", "-o", place]);
    to("/dev/full").fails_with(&["/dev/full", "No space left"]);
    to("/nowhere/x.parquet").fails_with(&["/nowhere", "does not exist"]);
    to(path).fails_with(&["is the input"]);
    let folder = clip.folder().join("made");
    let many = analyze(clip.path(), &["--format", "parquet", "--out-dir", folder.to_str().unwrap()]);
    assert_eq!(many.code, Some(0), "{}", many.stderr);
    assert!(folder.join("clip.mkv.parquet").is_file());
    let foreign = clip.folder().join("foreign.parquet");
    fs::write(&foreign, "my own notes\n").unwrap();
    let resumed = analyze(clip.path(), &["--resume", "-o", foreign.to_str().unwrap()]);
    resumed.fails_with(&["foreign.parquet", "not parquet output"]);
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "my own notes\n");
}

/// Complete row groups are kept and used when there is space again.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_nothing_that_was_complete() {
    let clip = deep();
    let whole = table(&clip, "whole.parquet", &DEEP);
    let bytes = fs::metadata(&whole).unwrap().len();
    let path = clip.folder().join("out.parquet");
    // Space for one full row group in the preliminary file, then for all of them, but not for the file made from them.
    for blocks in [bytes * 3 / 5 / 512, bytes * 9 / 10 / 512] {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"")).arg("sh");
        command.arg(env!("CARGO_BIN_EXE_histoscope")).arg("analyze").arg(clip.path()).args(DEEP);
        command.args(["--engine", "cpu", "--resume", "-o"]).arg(&path);
        finish(&mut command).fails_with(&["out.parquet", "--resume"]);
        assert!(!path.exists());
        let parts: Vec<_> = fs::read_dir(clip.folder())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains(".part"))
            .collect();
        assert!(matches!(&parts[..], [part] if part.extension().unwrap() == "part"), "{parts:?}");
    }
    let said = analyze(clip.path(), &[&DEEP[..], &["--resume", "-o", path.to_str().unwrap()]].concat());
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(&path).unwrap() == fs::read(&whole).unwrap());
}

/// Runs the manual's queries on a file with the columns that they need.
#[test]
fn the_manual_s_queries_run() {
    let clip = Clip::moving("clip.mkv", "32x32", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    table(&clip, "film.parquet", &["--bins"]);
    let manual = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/analyze.md")).unwrap();
    let section = manual.split("\n## ").find(|section| section.starts_with("Parquet\n")).expect("a section on Parquet");
    let blocks: Vec<_> = section.split("```python\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let mut said = Vec::new();
    for block in &blocks {
        // Spark needs Java, so only the syntax is checked.
        let query = if block.contains("pyspark") {
            format!("compile({block:?}, 'manual', 'exec')")
        } else {
            (*block).to_owned()
        };
        let run = finish(python_with_packages().args(["-c", &query]).current_dir(clip.folder()));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{block}");
        said.push(run.stdout);
    }
    assert_eq!(blocks.len(), 4);
    // 10 frames of 32 × 32 pixels, with the bins of all codes.
    assert!(said[0].contains("red_share_highest"), "{}", said[0]);
    assert!(said[1].contains("shape: (256, 2)"), "{}", said[1]);
    assert!(said[2].contains("256 rows") && said[2].contains("fingerprint"), "{}", said[2]);
}

/// Waits until there are row groups of this many bytes.
fn wait_for_groups(folder: &Path, bytes: u64) -> PathBuf {
    let begin = Instant::now();
    loop {
        let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| {
            path.extension().is_some_and(|ending| ending == "part")
                && fs::metadata(path).is_ok_and(|file| file.len() >= bytes)
        });
        if let Some(found) = found {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no row groups come");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Slow enough to be stopped in the middle.
fn start(clip: &Clip, path: &Path, more: &[&str]) -> Child {
    let mut command = program();
    command.arg("analyze").arg(clip.path()).args(DEEP).args(["--engine", "cpu", "--verify", "-o"]).arg(path).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn resume(clip: &Clip, path: &Path) -> Run {
    analyze(clip.path(), &[&DEEP[..], &["--resume", "-o", path.to_str().unwrap()]].concat())
}

#[test]
fn an_interrupted_table_is_one_and_is_continued() {
    let clip = deep();
    let whole = fs::read(table(&clip, "whole.parquet", &DEEP)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.parquet");
    let child = start(&clip, &path, &[]);
    wait_for_groups(folder.path(), 1000);
    assert!(!path.exists(), "it appears when it is finished");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let said = summary(&path);
    assert_eq!((&said["complete"], &said["reason"]), (&Value::Bool(false), &Value::from("it was stopped")));
    let rows = SerializedFileReader::new(File::open(&path).unwrap()).unwrap().metadata().file_metadata().num_rows();
    assert_eq!(said["frames"], rows);
    assert!((DEEP_GROUP..1000).contains(&rows.unsigned_abs()), "{rows}");
    let other = analyze(clip.path(), &["--resume", "-o", path.to_str().unwrap()]);
    other.fails_with(&["other options", "--resume"]);
    assert_eq!(summary(&path), said, "it is still there");
    // The full group is kept, and the frames after it are counted again.
    let mut child = start(&clip, &path, &["--resume"]);
    wait_for_groups(folder.path(), 1000);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(summary(&path), said, "it stays until a complete one replaces it");
    assert_eq!(resume(&clip, &path).code, Some(0));
    assert!(fs::read(&path).unwrap() == whole);
    let again = resume(&clip, &path);
    assert_eq!(again.code, Some(0));
    assert!(again.stderr.contains("already complete"), "{}", again.stderr);
}

#[test]
fn a_killed_table_is_continued_behind_its_last_row_group() {
    let clip = deep();
    let whole = fs::read(table(&clip, "whole.parquet", &DEEP)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.parquet");
    let mut child = start(&clip, &path, &[]);
    let part = wait_for_groups(folder.path(), whole.len() as u64 * 11 / 20);
    // It is stopped, and does not end until it is killed.
    assert!(Command::new("kill").args(["-STOP", &child.id().to_string()]).status().unwrap().success());
    let second = analyze(clip.path(), &[&DEEP[..], &["-o", path.to_str().unwrap()]].concat());
    second.fails_with(&["another histoscope is writing it"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!path.exists());
    let bytes = fs::read(&part).unwrap();
    let one = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap());
    assert!(one < bytes.len() as u64, "there are two row groups");
    // Cut in the second row group, in its length field, and complete but corrupt.
    let torn = [&bytes[..bytes.len() - 1], &[0xff]].concat();
    for left in [&bytes[..bytes.len() - 17], &bytes[..usize::try_from(one).unwrap() + 3], &torn[..], &bytes[..5]] {
        fs::write(&part, left).unwrap();
        let run = resume(&clip, &path);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(fs::read(&path).unwrap() == whole, "{} bytes", left.len());
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["out.parquet"], "nothing else is left");
        fs::remove_file(&path).unwrap();
    }
}
