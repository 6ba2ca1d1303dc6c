//! The outputs of `histoscope bench`: its page in a browser, its JSON, and several machines' results in one table.

use std::fs;
use std::path::Path;

use histoscope_lab::Method;
use histoscope_lab::bench::rows;

use crate::command::{Run, finish, program};
use crate::report::browser::Browser;

/// Runs `bench` with these arguments and at most two repeats.
fn bench(arguments: &[&str]) -> Run {
    finish(program().args(["bench", "--repeats", "1"]).args(arguments))
}

/// Returns a file written by `bench -o`. The run must print nothing.
fn written(arguments: &[&str], file: &Path) -> String {
    let run = bench(&[arguments, &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    fs::read_to_string(file).unwrap()
}

/// Returns the texts between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).map(|rest| rest.split(after).next().unwrap()).collect()
}

#[test]
fn the_page_shows_every_row_and_what_each_method_counted() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    // All rows are named, since a software adapter skips unnamed adjustments.
    let names: Vec<_> = rows().into_iter().map(|(name, _)| name).collect();
    let arguments = ["--size", "96x64", "--content", "natural,constant", "--only", &names.join(",")];
    let page = written(&arguments, &folder.path().join("bench.html"));
    let dump = browser.dump(&page);
    let shown = between(&dump, "data-row=\"", "\"");
    for (name, _) in rows() {
        let is_method = Method::ALL.iter().any(|method| method.name() == name);
        // Each of two runs has a table of four channels and one of luminance, and two tables compare the runs.
        let times = if is_method { 2 * 2 + 2 } else { 2 };
        assert_eq!(shown.iter().filter(|shown| **shown == name).count(), times, "{name}");
    }
    for title in ["96×64 yuv420p, natural", "96×64 yuv420p, constant", "By size and content"] {
        assert!(dump.contains(title), "{title}");
    }
    let cards = between(&dump, "data-method=\"", "</section>");
    let has_subgroups = cards.iter().any(|card| card.starts_with("subgroup\""));
    let drawn = Method::ladder().iter().filter(|method| has_subgroups || **method != Method::Subgroup);
    assert_eq!(cards.len(), drawn.clone().count());
    for (card, method) in cards.iter().zip(drawn) {
        assert!(card.starts_with(&format!("{}\"", method.name())) && card.contains(method.title()), "{card}");
        let charts = between(card, "<figure>", "</figure>");
        assert_eq!(charts.len(), if method.races() { 4 } else { 1 }, "{card}");
        for chart in charts {
            assert_eq!(chart.matches("class=\"right\"").count(), 4, "{card}");
            assert!(method.races() || chart.contains("every bin is correct"), "{card}");
        }
    }
    // The first lesson: 42 pixels, seven chunks that become one.
    assert_eq!(dump.matches("<td class=\"pixel\"").count(), 42);
    assert_eq!(dump.matches("class=\"bins").count(), 7 + 4 + 2 + 1);
    assert!(!dump.contains("http:") && !dump.contains("https:") && !dump.contains("<script"), "nothing is loaded");

    let (width, height, pixels) = browser.screenshot(&page, 1400, 2600);
    assert_eq!((width, height), (1400, 2600));
    let has = |is: fn(&[u8; 3]) -> bool| pixels.iter().filter(|pixel| is(pixel)).count();
    assert!(has(|[r, g, b]| r > &200 && g < &110 && b < &110) > 100, "red bars");
    assert!(has(|[r, g, b]| b > &200 && r < &110 && g < &160) > 100, "blue bars");
    assert!(has(|[r, g, b]| r > &180 && g > &180 && b > &180) > 1000, "outlines and letters");
}

#[test]
fn the_json_of_machines_is_joined() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let first = written(&["--size", "64x48", "--only", "scalar,race,floor"], &path("here.json"));
    written(&["--size", "64x48", "--only", "scalar,pairwise"], &path("there.json"));
    let json: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&json["schema"], json["runs"].as_array().unwrap().len()), (&1.into(), 1));
    let race = json["runs"][0]["rows"].as_array().unwrap().iter().find(|row| row["method"] == "race").unwrap();
    assert_eq!(race["counted"].as_array().unwrap().len(), 4, "the race is kept four times");

    let (here, there) = (path("here.json"), path("there.json"));
    let join = ["--join", here.to_str().unwrap(), there.to_str().unwrap()];
    let table = bench(&join);
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
    for text in ["A: ", "B: ", "here.json", "there.json", "64×48 yuv420p, natural, 256 bins; four channels", "pairwise"]
    {
        assert!(table.stdout.contains(text), "no {text} in {}", table.stdout);
    }
    let joined: serde_json::Value = serde_json::from_str(&written(&join, &path("both.json"))).unwrap();
    let rows = joined["groups"][0]["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["scalar", "race", "floor", "pairwise"]);
    let there =
        |row: usize| rows[row]["cells"].as_array().unwrap().iter().map(|cell| !cell.is_null()).collect::<Vec<_>>();
    assert_eq!([there(0), there(1), there(3)], [[true, true], [true, false], [false, true]]);
    let page = written(&join, &path("both.html"));
    assert!(page.contains("2 machines side by side") && !page.contains("id=\"scene\""), "{page}");
    assert_eq!(page.matches("data-row=\"pairwise\"").count(), 2, "luminance, and four channels");
}

#[test]
fn what_cannot_be_written_or_joined_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.json");
    fs::write(&other, "{}").unwrap();
    let refused = bench(&["-o", "bench.txt"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("bench.txt ends neither in .html nor in .json"), "{refused:?}");
    let nowhere = folder.path().join("none").join("bench.html");
    bench(&["-o", nowhere.to_str().unwrap()]).fails_with(&["the folder", "does not exist"]);
    bench(&["--join", other.to_str().unwrap()]).fails_with(&["other.json was not written by 'histoscope bench -o"]);
    bench(&["--join", nowhere.to_str().unwrap()]).fails_with(&["bench.html cannot be read"]);
}
