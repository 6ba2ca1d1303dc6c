//! Saved pictures, with labels and bare, with their bins as JSON.

use std::path::{Path, PathBuf};

use crate::paused_sample;
use crate::picture::{Area, Picture};
use crate::program::Program;

/// Presses a key that saves. Returns the picture's path.
fn saved(program: &Program, key: &str) -> PathBuf {
    let line = program.after(|| program.key(key), "note: saved ");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).expect("a path");
    Path::new(path).to_owned()
}

fn bins_beside(picture: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(picture.with_extension("json")).expect("the bins lie beside the picture");
    serde_json::from_str(&text).expect("they are JSON")
}

#[test]
fn a_saved_picture_has_labels_and_a_bare_one_is_the_view() {
    let program = paused_sample(&[]);
    let view = program.settled();
    let bare = saved(&program, "shift+s");
    let labelled = saved(&program, "s");
    assert_eq!(bins_beside(&bare)["channels"], bins_beside(&labelled)["channels"]);
    let [bare, labelled] = [bare, labelled].map(|path| Picture::from_png(&path).expect("a PNG"));
    assert_eq!(bare.differing(&view, Area::Below), 0, "the bare one is what the window shows");
    assert_eq!(labelled.width, bare.width);
    assert!(labelled.height > bare.height + 40, "{}: the caption stands below the view", labelled.height);
    // The picture and the bars are unchanged. Right above the histograms are codes and names.
    let differing = |rows: std::ops::Range<u32>| {
        let pixels = rows.flat_map(|y| (0..1280).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| bare.pixel(x, y) != labelled.pixel(x, y)).count()
    };
    assert_eq!((differing(0..473), differing(508..720)), (0, 0));
    assert!(differing(475..508) > 10_000, "{}", differing(475..508));
    // Light letters on a dark ground.
    let caption: Vec<_> = (722..labelled.height).flat_map(|y| (0..1280).map(move |x| (x, y))).collect();
    let light = caption.iter().filter(|(x, y)| labelled.pixel(*x, *y)[1] > 170).count();
    let dark = caption.iter().filter(|(x, y)| labelled.pixel(*x, *y)[1] < 30).count();
    assert!(light > 500 && dark > caption.len() / 2, "{light} light, {dark} dark of {}", caption.len());
    program.quit_with("q");
}
