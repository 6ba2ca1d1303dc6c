//! Each folder knows only what it must, and arrows between modules point one way.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arrows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrows::{Modules, Name, between_rooms, circles};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Whether a line has a path that does not go on to the left: `hash::` is no `ash::`.
fn has_word(line: &str, path: &str) -> bool {
    let is_whole = |(at, _): (usize, &str)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    };
    line.match_indices(path).any(is_whole)
}

#[test]
fn words_are_told_from_their_ends() {
    assert!(has_word("use ash::vk;", "ash::") && has_word("let x: (ash::vk::Buffer)", "ash::"));
    assert!(!has_word("use std::hash::Hash;", "ash::") && has_word("hash::x(ash::y)", "ash::"));
}

/// Files that name `path` in their code, relative to the sources' folder.
fn users(path: &str) -> Vec<String> {
    let folder = source_folder();
    let names = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().any(|line| !line.trim_start().starts_with("//") && has_word(line, path))
    };
    let files = sources(&folder).into_iter().filter(names);
    files.map(|file| file.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/")).collect()
}

#[test]
fn libraries_stay_in_their_rooms() {
    for (library, rooms) in [
        ("wgpu::", &["gpu/", "lab/", "bench/"][..]),
        ("ash::", &["gpu/"]),
        ("winit::", &["app/"]),
        // The controls are egui's; the GPU draws what it lays out, and the text of a report and of a saved picture is laid out
        // with its letters.
        ("egui", &["app/", "gpu/draw/", "export/report/", "export/labels.rs", "export/graticule.rs"]),
        ("rfd::", &["app/"]),
        ("clap::", &["cli/"]),
        ("ctrlc::", &["cli/"]),
        ("ffmpeg_next", &["media/av/"]),
        ("::parquet::", &["export/analyze/"]),
    ] {
        let users = users(library);
        assert!(!users.is_empty(), "{library} is used nowhere, so that this test finds nothing");
        for file in users {
            assert!(rooms.iter().any(|room| file.starts_with(room)), "{file} names {library}");
        }
    }
}

/// What a room must not name. A room that is not here is held by the rule that there is no circle.
const FORBIDDEN: [(&str, &[&str]); 17] = [
    ("picture", EVERY_ROOM),
    ("text", EVERY_ROOM),
    (
        "compare",
        &[
            "adjust", "app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback", "scopes",
            "view",
        ],
    ),
    (
        "histogram",
        &[
            "adjust", "app", "bench", "compare", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback",
            "scopes", "view",
        ],
    ),
    (
        "strip",
        &[
            "adjust", "app", "bench", "compare", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback",
            "scopes", "view",
        ],
    ),
    (
        "scopes",
        &["adjust", "app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback", "view"],
    ),
    (
        "keys",
        &["app", "bench", "cpu", "engine", "export", "gpu", "histogram", "lab", "media", "picture", "playback", "view"],
    ),
    ("view", &["app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback"]),
    ("adjust", &["app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "media", "playback", "view"]),
    ("cpu", &["adjust", "app", "bench", "engine", "export", "gpu", "keys", "lab", "media", "playback"]),
    ("media", &["adjust", "app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "playback", "view"]),
    ("playback", &["adjust", "app", "bench", "cpu", "engine", "export", "gpu", "keys", "lab", "view"]),
    ("gpu", &["app", "bench", "engine", "export", "keys", "lab", "media", "playback"]),
    ("lab", &["adjust", "app", "bench", "engine", "export", "keys", "media", "playback", "view"]),
    ("engine", &["app", "bench", "export", "keys", "lab", "playback"]),
    ("bench", &["app", "export", "keys", "playback"]),
    ("export", &["app", "bench", "keys", "lab", "playback"]),
];

const EVERY_ROOM: &[&str] = &[
    "adjust",
    "app",
    "bench",
    "compare",
    "cpu",
    "engine",
    "export",
    "gpu",
    "histogram",
    "keys",
    "lab",
    "media",
    "picture",
    "playback",
    "scopes",
    "strip",
    "text",
    "view",
];

fn library() -> Modules {
    Modules::read(&source_folder().join("lib.rs"))
}

fn program() -> Modules {
    Modules::read(&source_folder().join("main.rs"))
}

fn written(circle: &BTreeSet<Name>) -> String {
    circle.iter().map(|name| name.join("::")).collect::<Vec<_>>().join(", ")
}

fn check(found: &[BTreeSet<Name>]) {
    let found: Vec<String> = found.iter().map(written).collect();
    assert!(found.is_empty(), "these modules name each other in a circle:\n{found:#?}");
}

#[test]
fn rooms_know_only_what_they_must() {
    let rooms = between_rooms(&library().arrows());
    for (room, forbidden) in FORBIDDEN {
        let named = &rooms[&[room.to_owned()][..]];
        let wrong: Vec<_> = named.iter().filter(|name| forbidden.contains(&name.concat().as_str())).collect();
        assert!(wrong.is_empty(), "{room} names {wrong:?}");
    }
}

#[test]
fn no_modules_name_each_other_in_a_circle() {
    let arrows = library().arrows();
    // A finder that finds nothing would find no circle either.
    let count = arrows.values().map(BTreeSet::len).sum::<usize>();
    assert!(arrows.len() > 100 && count > 3 * arrows.len(), "{count} arrows among {} modules", arrows.len());
    check(&circles(&arrows));
    check(&circles(&between_rooms(&arrows)));
}

#[test]
fn the_program_has_no_circle_either() {
    let arrows = program().arrows();
    assert!(arrows.len() > 10);
    check(&circles(&arrows));
}

/// The types whose name stands in three modules or more, with those. Two may share one: which is meant shows where it is used.
fn thrice(modules: &Modules) -> Vec<String> {
    let often = modules.types().into_iter().filter(|(_, places)| places.len() > 2);
    often.map(|(name, places)| format!("{name}: {}", written(&places.into_iter().cloned().collect()))).collect()
}

#[test]
fn no_name_means_three_things() {
    let library = library();
    assert!(library.types().len() > 500, "{} types", library.types().len());
    for modules in [library, program()] {
        let found = thrice(&modules);
        assert!(found.is_empty(), "these types have one name; say with each what it is of:\n{found:#?}");
    }
}

#[test]
fn names_that_stand_thrice_are_found() {
    let [a, b] = [("a.rs", "pub struct Kind; struct Row;"), ("b.rs", "enum Kind { A } type Row = u8;")];
    let types = |root| thrice(&made(&[("lib.rs", root), a, b]));
    assert_eq!(types("mod a; mod b;"), [""; 0]);
    assert_eq!(types("mod a; mod b; trait Kind {}"), ["Kind: , a, b"]);
    assert_eq!(types("mod a; mod b; mod c { union Row { a: u8 } }"), ["Row: , a, b"]);
    assert_eq!(types("mod a; mod b; fn f() { struct Kind; } #[cfg(test)] struct Row;"), [""; 0]);
    assert_eq!(types("mod a; mod b; #[cfg(test)] mod tests { struct Kind; }"), [""; 0]);
}

/// A made crate: each file with its text.
fn made(files: &[(&str, &str)]) -> Modules {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Modules::read(&folder.path().join("lib.rs"))
}

fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    circles(&made(files).arrows()).iter().map(written).collect()
}

#[test]
fn made_circles_are_found() {
    let lib = ("lib.rs", "mod a; mod b;");
    let none: [&str; 0] = [];
    assert_eq!(circles_of(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")]), none);
    assert_eq!(circles_of(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "use super::a::A;")]), ["a, b"]);
    // In code and in a macro's words.
    assert_eq!(circles_of(&[lib, ("a.rs", "fn f() { crate::b::g() }"), ("b.rs", "use super::a::A;")]), ["a, b"]);
    let words = "fn f() { println!(\"{}\", crate::b::g()) }";
    assert_eq!(circles_of(&[lib, ("a.rs", words), ("b.rs", "use super::a::A;")]), ["a, b"]);
    // By a name that was brought in, and through a longer way.
    let through = [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use crate::b; fn f() { b::g() }")];
    let rest = [("b.rs", "use crate::c::{self, C as D};"), ("c.rs", "type T = super::a::A;")];
    assert_eq!(circles_of(&[through, rest].concat()), ["a, b, c"]);
    // From a child to what its parent defines, where the parent uses the child.
    let parent = ("a/mod.rs", "mod child; use child::C; pub struct A;");
    assert_eq!(circles_of(&[("lib.rs", "mod a;"), parent, ("a/child.rs", "use super::A;")]), ["a, a::child"]);
    // A re-export leads to where the name is defined, and is no arrow by itself.
    let face = ("a/mod.rs", "mod x; mod y; pub use x::X; pub use y::Y;");
    let parts = [("a/x.rs", "pub struct X;"), ("a/y.rs", "use super::X;")];
    assert_eq!(circles_of(&[&[("lib.rs", "mod a;"), face], &parts[..]].concat()), none);
    let parts = [("a/x.rs", "use crate::a::Y;"), ("a/y.rs", "use super::X;")];
    assert_eq!(circles_of(&[&[("lib.rs", "mod a;"), face], &parts[..]].concat()), ["a::x, a::y"]);
    // What tests name is no arrow.
    let tests = "#[cfg(test)] mod tests { use crate::a::A; } #[cfg(test)] use super::a::A;";
    assert_eq!(circles_of(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", tests)]), none);
}
