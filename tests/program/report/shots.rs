//! `--shots`: the table as read by PySceneDetect's `load-scenes`.

use std::fs;
use std::path::Path;

use crate::command::{Run, finish, program};
use crate::common::Clip;
use crate::report::{report, shots};

/// Reads a table as `load-scenes` does. It looks for the column `Start Frame` in the first row, then in the second. It
/// takes the numbers of this column, counted from 1, except the first, which is the beginning of the video.
pub fn load_scenes(text: &str) -> Vec<u64> {
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let find = |names: Vec<&str>| names.iter().position(|name| *name == "Start Frame");
    let column = rows.next().and_then(find).or_else(|| rows.next().and_then(find)).expect("a column of that name");
    let frames = rows.map(|row| row[column].parse::<u64>().expect("a frame's number") - 1);
    frames.skip(1).collect()
}

fn shots_alone(file: &Path, output: &Path, arguments: &[&str]) -> Run {
    finish(program().arg("report").arg(file).arg("--shots").arg(output).args(["--engine", "cpu"]).args(arguments))
}

#[test]
fn scene_loaders_find_the_cuts() {
    let clip = shots();
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("shots.csv");
    let run = shots_alone(clip.path(), &table, &[]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let text = fs::read_to_string(&table).unwrap();
    assert_eq!(load_scenes(&text), [25, 50, 75]);
    assert!(text.starts_with("Timecode List:,00:00:01.000,00:00:02.000,00:00:03.000\nScene Number,Start Frame,"));
    let last = text.lines().last().unwrap();
    assert_eq!(last, "4,76,00:00:03.000,3.000,100,00:00:04.000,4.000,25,00:00:01.000,1.000");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else was written");
}

#[test]
fn the_shots_of_a_part_lie_in_it_and_stand_beside_the_report() {
    let clip = shots();
    let folder = tempfile::tempdir().unwrap();
    let (table, page) = (folder.path().join("shots.csv"), folder.path().join("report.html"));
    let arguments = ["--shots", table.to_str().unwrap(), "--from", "30f", "--to", "80f"];
    assert_eq!(report(clip.path(), &page, &arguments).code, Some(0));
    assert!(fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
    let text = fs::read_to_string(&table).unwrap();
    let rows: Vec<_> = text.lines().skip(2).map(|row| row.split(',').collect::<Vec<_>>()).collect();
    let frames: Vec<_> = rows.iter().map(|row| (row[1], row[4], row[7])).collect();
    assert_eq!(frames, [("31", "50", "20"), ("51", "75", "25"), ("76", "80", "5")]);
    assert_eq!(rows[0][2], "00:00:01.200");
}

#[test]
fn a_clip_without_a_cut_is_one_shot() {
    let clip = Clip::moving("one.mp4", "64x48", 0.4, "-c:v libx264 -pix_fmt yuv420p");
    let table = clip.folder().join("shots.csv");
    assert_eq!(shots_alone(clip.path(), &table, &[]).code, Some(0));
    let text = fs::read_to_string(&table).unwrap();
    assert_eq!((load_scenes(&text).len(), text.lines().count()), (0, 3), "{text}");
    assert_eq!(text.lines().next(), Some("Timecode List:"));
}

#[test]
fn a_table_that_cannot_be_written_is_named_before_anything_is_counted() {
    let clip = shots();
    let folder = tempfile::tempdir().unwrap();
    shots_alone(clip.path(), &folder.path().join("no/shots.csv"), &[]).fails_with(&["shots.csv", "does not exist"]);
    let wrong = shots_alone(clip.path(), &folder.path().join("shots.txt"), &[]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains(".csv"), "{}", wrong.stderr);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Patches of known light, one per shot: PQ codes of 10 bits, full range, as NumPy-free arithmetic of the standard.
#[test]
fn shots_and_report_say_how_bright_they_are() {
    let light = |code: f64| {
        let (m1, m2) = (2610.0 / 16_384.0, 128.0 * 2523.0 / 4096.0);
        let (c1, c2, c3) = (3424.0 / 4096.0, 32.0 * 2413.0 / 4096.0, 32.0 * 2392.0 / 4096.0);
        let root = (code / 1023.0_f64).powf(1.0 / m2);
        10_000.0 * ((root - c1).max(0.0) / (c2 - c3 * root)).powf(1.0 / m1)
    };
    let shot = |code: u32| {
        format!("-f lavfi -i color=black:s=64x36:r=25:d=1,format=gbrp10le,geq=r='{code}':g='{code}':b='{code}'")
    };
    let graph = "[0][1][2]concat=n=3,setparams=color_trc=smpte2084:range=full";
    let inputs = [200, 769, 520].map(shot).join(" ");
    let clip = Clip::new("clip.mkv", &format!("{inputs} -filter_complex {graph} -c:v ffv1 -pix_fmt gbrp10le"));
    let (table, list) = (clip.folder().join("shots.csv"), clip.folder().join("shots.json"));
    assert_eq!(shots_alone(clip.path(), &table, &["--light"]).code, Some(0));
    assert_eq!(shots_alone(clip.path(), &list, &["--light"]).code, Some(0));
    let list: serde_json::Value = serde_json::from_slice(&fs::read(&list).unwrap()).unwrap();
    assert_eq!((&list["schema"], list["shots"].as_array().unwrap().len()), (&1.into(), 3));
    let text = fs::read_to_string(&table).unwrap();
    assert!(text.lines().nth(1).unwrap().ends_with(",Light Max Average (cd/m2),Light Average (cd/m2)"), "{text}");
    for (number, code) in [200.0, 769.0, 520.0].into_iter().enumerate() {
        let shot = &list["shots"][number];
        assert_eq!((&shot["first_frame"], &shot["last_frame"]), (&(25 * number).into(), &(25 * number + 24).into()));
        let cells: Vec<_> = text.lines().nth(number + 2).unwrap().split(',').skip(10).collect();
        let names = ["max_cd_m2", "max_9999_cd_m2", "max_average_cd_m2", "average_cd_m2"];
        assert_eq!(cells.len(), names.len());
        for (name, cell) in names.into_iter().zip(cells) {
            for found in [shot["light"][name].as_f64().unwrap(), cell.parse().unwrap()] {
                assert!((found / light(code) - 1.0).abs() < 1e-6, "{name} of shot {number}: {found}");
            }
        }
    }
    let page = crate::report::page_of(clip.path(), &["--light"]);
    let most = format!("{:.1} cd/m² in frame 25", light(769.0));
    assert!(page.contains(&most) && page.contains("MaxFALL") && page.contains("MaxCLL absent"), "{most}");
    assert!(!crate::report::page_of(clip.path(), &[]).contains("MaxFALL"));
    let wrong = shots_alone(clip.path(), &table, &["--light", "--components", "ycbcr"]);
    assert_eq!((wrong.code, wrong.stderr.contains("leave out --light")), (Some(2), true), "{wrong:?}");
}
