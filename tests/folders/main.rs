//! Rules that the compiler does not enforce: libraries are used only in one part of their crate, and modules never
//! depend on each other in a circle.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arrows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrows::{Modules, Name, between_rooms, circles, folders};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the `src` folder of each crate, relative to the root.
fn source_folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let inner = crates.map(|name| Path::new("crates").join(name).join("src"));
    inner.chain([PathBuf::from("src")]).collect()
}

/// True if a line contains a path that does not continue to the left: `hash::` does not contain `ash::`.
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

/// Returns the files whose code names `path`, relative to the root.
fn users(path: &str) -> Vec<String> {
    let names = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().any(|line| !line.trim_start().starts_with("//") && has_word(line, path))
    };
    let files = source_folders().into_iter().flat_map(|folder| sources(&root().join(folder))).filter(names);
    files.map(|file| file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")).collect()
}

/// If a crate depends on a library, all of its code could use it. These libraries may be used only in a part of it.
#[test]
fn libraries_stay_in_their_rooms() {
    for (library, rooms) in [
        ("wgpu::", &["crates/render/src/gpu/", "crates/lab/src/"][..]),
        ("ash::", &["crates/render/src/gpu/", "crates/media/src/av/vulkan.rs"]),
        ("winit::", &["src/app/windows/desktop.rs"]),
        ("egui_winit::", &["src/app/windows/desktop.rs"]),
        // The controls are egui's and the GPU draws its layout. Saved pictures use its fonts for their
        // text.
        (
            "egui",
            &[
                "crates/hud/src/",
                "crates/render/src/gpu/draw/",
                "crates/render/src/labels/",
                // What the HUD asks of a window, and a window's events.
                "src/app/windows/desktop.rs",
                "src/app/windows/offscreen.rs",
                "src/app/windows/scripted.rs",
            ],
        ),
        ("rfd::", &["src/app/"]),
        ("rustfft::", &["crates/batch/src/analyze/against/sound.rs"]),
        ("ebur128::", &["crates/core/src/sound.rs"]),
        ("cpal", &["src/app/sound/output.rs"]),
        ("clap::", &["src/cli/"]),
        ("ctrlc::", &["src/cli/"]),
        ("ffmpeg_next", &["crates/media/src/av/"]),
        ("::parquet::", &["crates/batch/src/analyze/"]),
    ] {
        let users = users(library);
        assert!(!users.is_empty(), "{library} is used nowhere, so that this test finds nothing");
        for file in users {
            assert!(rooms.iter().any(|room| file.starts_with(room)), "{file} names {library}");
        }
    }
}

fn written(circle: &BTreeSet<Name>) -> String {
    circle.iter().map(|name| name.join("::")).collect::<Vec<_>>().join(", ")
}

fn check(found: &[BTreeSet<Name>]) {
    let found: Vec<String> = found.iter().map(written).collect();
    assert!(found.is_empty(), "these modules name each other in a circle:\n{found:#?}");
}

#[test]
fn no_modules_name_each_other_in_a_circle() {
    let roots = source_folders().into_iter().map(|folder| root().join(folder).join("lib.rs"));
    let (mut modules, mut count) = (0, 0);
    for file in roots.chain([root().join("src/main.rs")]) {
        let arrows = Modules::read(&file).arrows();
        modules += arrows.len();
        count += arrows.values().map(BTreeSet::len).sum::<usize>();
        check(&circles(&arrows));
        for folder in &folders(&arrows) {
            check(&circles(&between_rooms(&arrows, folder)));
        }
    }
    // A search that finds nothing would find no circle either.
    assert!(modules > 100 && count > 2 * modules, "{count} arrows among {modules} modules");
}

/// Makes a crate from files and their texts.
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
    // In code and in a macro's tokens.
    assert_eq!(circles_of(&[lib, ("a.rs", "fn f() { crate::b::g() }"), ("b.rs", "use super::a::A;")]), ["a, b"]);
    let words = "fn f() { println!(\"{}\", crate::b::g()) }";
    assert_eq!(circles_of(&[lib, ("a.rs", words), ("b.rs", "use super::a::A;")]), ["a, b"]);
    // By an imported name, and indirectly.
    let through = [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use crate::b; fn f() { b::g() }")];
    let rest = [("b.rs", "use crate::c::{self, C as D};"), ("c.rs", "type T = super::a::A;")];
    assert_eq!(circles_of(&[through, rest].concat()), ["a, b, c"]);
    // From a child to its parent's definitions, while the parent uses the child.
    let parent = ("a/mod.rs", "mod child; use child::C; pub struct A;");
    assert_eq!(circles_of(&[("lib.rs", "mod a;"), parent, ("a/child.rs", "use super::A;")]), ["a, a::child"]);
    // A re-export leads to the definition of the name, and is not an arrow.
    let face = ("a/mod.rs", "mod x; mod y; pub use x::X; pub use y::Y;");
    let parts = [("a/x.rs", "pub struct X;"), ("a/y.rs", "use super::X;")];
    assert_eq!(circles_of(&[&[("lib.rs", "mod a;"), face], &parts[..]].concat()), none);
    let parts = [("a/x.rs", "use crate::a::Y;"), ("a/y.rs", "use super::X;")];
    assert_eq!(circles_of(&[&[("lib.rs", "mod a;"), face], &parts[..]].concat()), ["a::x, a::y"]);
    // Between rooms at any depth, although no two modules name each other.
    let made = made(&[
        ("lib.rs", "mod a;"),
        ("a.rs", "mod x; mod y;"),
        ("a/x.rs", "mod one; mod two;"),
        ("a/x/one.rs", "use crate::a::y::three::T;"),
        ("a/x/two.rs", "pub struct X;"),
        ("a/y.rs", "mod three; mod four;"),
        ("a/y/three.rs", "pub struct T;"),
        ("a/y/four.rs", "use crate::a::x::two::X;"),
    ]);
    let arrows = made.arrows();
    assert_eq!(circles(&arrows).len(), 0);
    let found: Vec<_> = folders(&arrows).iter().flat_map(|folder| circles(&between_rooms(&arrows, folder))).collect();
    assert_eq!(found.iter().map(written).collect::<Vec<_>>(), ["a::x, a::y"]);
    // Names used in tests are not arrows.
    let tests = "#[cfg(test)] mod tests { use crate::a::A; } #[cfg(test)] use super::a::A;";
    assert_eq!(circles_of(&[lib, ("a.rs", "use crate::b::B;"), ("b.rs", tests)]), none);
}
