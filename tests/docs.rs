//! Statements in the documents must be true: the targets of links, the paths and names on the map of the code, the
//! program's options, the pictures.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "docs/examples.rs"]
mod examples;
#[path = "docs/figures.rs"]
mod figures;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The most lines of the README, so that people read it.
const README_LINES: usize = 150;
/// The most bytes of the README's moving picture, so that the page loads.
const MOVING_PICTURE_BYTES: usize = 2_000_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns all Markdown files of the project, at its top and in docs/ and docs/learn/, relative to `root`.
fn documents(root: &Path) -> Vec<PathBuf> {
    let of = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let names = entries.filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"));
        names.map(|name| Path::new(folder).join(name)).collect::<Vec<_>>()
    };
    let learning = if root.join("docs/learn").is_dir() { of("docs/learn") } else { Vec::new() };
    let mut found = [of(""), of("docs"), learning].concat();
    found.sort();
    found
}

/// The parts of a document that can be checked.
#[derive(Default)]
struct Document {
    /// The targets of links and images.
    links: Vec<String>,
    /// The anchors of headings.
    anchors: BTreeSet<String>,
    /// Words and phrases in code type.
    spans: Vec<String>,
    /// Lines of code blocks.
    code: Vec<String>,
}

impl Document {
    fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading = None;
        let mut in_code = false;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => document.add_anchor(&heading.take().unwrap_or_default()),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    document.spans.push(code.into_string());
                }
                Event::Text(text) if in_code => document.code.extend(text.lines().map(str::to_owned)),
                Event::Text(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        document
    }

    /// Adds GitHub's anchor of a heading: lower case, hyphens for spaces, no punctuation, and a number if it exists
    /// already.
    fn add_anchor(&mut self, heading: &str) {
        let small = heading.trim().to_lowercase().replace(' ', "-");
        let anchor: String = small.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.clone()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

/// Returns every broken link of a document.
fn broken_links(root: &Path, name: &Path) -> Vec<String> {
    let document = Document::parse(&fs::read_to_string(root.join(name)).unwrap());
    let is_elsewhere = |link: &&String| ["https://", "http://", "mailto:"].iter().any(|start| link.starts_with(start));
    let broken = |link: &&String| {
        let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
        let folder = name.parent().unwrap_or(Path::new(""));
        let target = if path.is_empty() { name.to_owned() } else { folder.join(path) };
        let Ok(found) = root.join(&target).canonicalize() else { return true };
        // A target outside would be missing in every other copy. Upper and lower case matter, as on most systems.
        let Ok(inside) = found.strip_prefix(root.canonicalize().unwrap()) else { return true };
        if inside != normal(&target) {
            return true;
        }
        match anchor {
            None => false,
            Some(anchor) if found.extension().is_some_and(|ending| ending == "md") => {
                !Document::parse(&fs::read_to_string(&found).unwrap()).anchors.contains(anchor)
            }
            Some(_) => true,
        }
    };
    let all = document.links.iter().filter(|link| !is_elsewhere(link));
    all.filter(broken).map(|link| format!("{} links to {link}", name.display())).collect()
}

/// Returns the path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                result.pop();
            }
            std::path::Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents(root());
    let links: usize = documents.iter().map(|name| Document::parse(&read(name.to_str().unwrap())).links.len()).sum();
    assert!(documents.len() > 10 && links > 50, "{} documents with {links} links: not all were read", documents.len());
    let broken: Vec<_> = documents.iter().flat_map(|name| broken_links(root(), name)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn broken_links_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    let page = "# A page\n\n## The `--at` option, and more\n\n[up](../README.md) [out](../../x) [here](#a-page)\n";
    fs::write(folder.path().join("docs/page.md"), page).unwrap();
    let readme = "# Title\n\n## Twice\n\n## Twice\n\n[a](docs/page.md#the---at-option-and-more) [b](#twice-1) [c](https://example.org/x)\n\
                  | |\n|---|\n| ![d](missing.png) |\n\n[e](docs/page.md#none) [f](docs/Page.md) [g](#twice-2) [h](docs)\n\n    [no](link)\n";
    fs::write(folder.path().join("README.md"), readme).unwrap();
    let broken: Vec<_> = documents(folder.path()).iter().flat_map(|name| broken_links(folder.path(), name)).collect();
    let expected = ["missing.png", "docs/page.md#none", "docs/Page.md", "#twice-2"]
        .map(|link| format!("README.md links to {link}"));
    let expected: Vec<_> = expected.into_iter().chain(["docs/page.md links to ../../x".to_owned()]).collect();
    assert_eq!(broken, expected);
}

#[test]
fn the_readme_is_short_and_begins_with_what_one_does() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= README_LINES, "{} lines", readme.lines().count());
    for command in ["scripts/run", "scripts/test"] {
        assert!(readme.contains(command), "{command} is missing");
    }
}

#[test]
fn the_readme_shows_a_moving_picture_that_loads() {
    let document = Document::parse(&read("README.md"));
    let name = document.links.iter().find(|link| link.ends_with(".webp")).expect("a moving picture");
    let bytes = fs::read(root().join(name)).unwrap();
    assert!(bytes.len() <= MOVING_PICTURE_BYTES, "{name} has {} bytes", bytes.len());
    // Each frame of a moving WebP is a chunk of this name.
    let frames = bytes.windows(4).filter(|window| window == b"ANMF").count();
    assert!(frames > 50, "{name} has {frames} frames");
}

#[test]
fn every_picture_is_shown() {
    let shown: BTreeSet<_> = documents(root())
        .iter()
        .flat_map(|name| Document::parse(&read(name.to_str().unwrap())).links)
        .filter_map(|link| Some(link.split_once("assets/")?.1.to_owned()))
        .collect();
    let entries = fs::read_dir(root().join("assets")).unwrap().map(|entry| entry.unwrap().file_name());
    let pictures = entries.map(|name| name.into_string().unwrap());
    let is_picture = |name: &String| [".jpg", ".png", ".webp"].iter().any(|ending| name.ends_with(ending));
    let unseen: Vec<_> = pictures.filter(is_picture).filter(|name| !shown.contains(name)).collect();
    assert!(unseen.is_empty(), "no document shows {unseen:?}");
}

/// Returns the lines in a document's code blocks of one language.
fn lines_of_language(text: &str, language: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_in = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))) => is_in = *name == *language,
            Event::End(TagEnd::CodeBlock) => is_in = false,
            Event::Text(text) if is_in => lines.extend(text.lines().map(|line| line.trim().to_owned())),
            _ => {}
        }
    }
    lines
}

#[test]
fn the_lines_that_are_taught_are_those_of_the_shaders() {
    let pages: Vec<_> = documents(root()).into_iter().filter(|name| name.starts_with("docs/learn")).collect();
    assert!(pages.len() >= 3, "{pages:?}");
    for (page, (language, folders)) in pages.iter().flat_map(|page| {
        [("wgsl", &["shaders", "examples"][..]), ("rust", &["crates/lab/src", "examples"])].map(|code| (page, code))
    }) {
        let code: String = folders.iter().map(|folder| sources(&root().join(folder))).collect();
        let code: BTreeSet<_> = code.lines().map(str::trim).collect();
        let taught = lines_of_language(&read(page.to_str().unwrap()), language);
        assert!(!taught.is_empty() || language == "rust", "{page:?}: no {language} was found");
        let other: Vec<_> = taught.iter().filter(|line| !code.contains(line.as_str())).collect();
        assert!(other.is_empty(), "{page:?}: {folders:?} have no such lines: {other:#?}");
    }
}

/// The folders at the beginning of paths that are checked.
const FOLDERS: [&str; 9] =
    ["src/", "crates/", "shaders/", "tests/", "benches/", "docs/", "examples/", "assets/", "scripts/"];

#[test]
fn every_path_that_is_named_exists() {
    let mut named = 0;
    for name in documents(root()) {
        let document = Document::parse(&read(name.to_str().unwrap()));
        // Code blocks of the manual are examples; those of ARCHITECTURE.md are maps.
        let is_map = name == Path::new("ARCHITECTURE.md");
        let words = document
            .spans
            .iter()
            .chain(document.code.iter().filter(|_| is_map))
            .flat_map(|text| text.split_whitespace());
        for word in words.filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder))) {
            let path = word.trim_end_matches([',', ':', ';', ')', '.']);
            // A name with a placeholder stands for several files.
            if !path.contains(['*', '<', '…', '{']) {
                assert!(root().join(path).exists(), "{} names {path}", name.display());
                named += 1;
            }
        }
    }
    assert!(named > 30, "only {named} paths were found");
}

/// Returns the text of all sources and shaders.
fn sources(folder: &Path) -> String {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let text =
        |path: PathBuf| if path.is_dir() { sources(&path) } else { fs::read_to_string(path).unwrap_or_default() };
    entries.into_iter().map(text).collect()
}

#[test]
fn every_name_on_the_map_is_in_the_code() {
    let code = ["src", "crates", "shaders", "tests"].map(|folder| sources(&root().join(folder))).concat();
    let words: BTreeSet<_> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_name = |text: &&str| {
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
            && text.contains(|c: char| c.is_uppercase() || c == '_' || c == ':')
    };
    let document = Document::parse(&read("ARCHITECTURE.md"));
    let names: Vec<_> = document.spans.iter().map(String::as_str).filter(is_name).collect();
    assert!(names.len() > 10, "only {names:?} were found");
    let parts = names.iter().flat_map(|name| name.split("::"));
    let missing: Vec<_> = parts.filter(|part| !part.is_empty() && !words.contains(part)).collect();
    assert!(missing.is_empty(), "the code has no {missing:?}");
}

#[test]
fn every_room_is_on_the_map() {
    let map = read("ARCHITECTURE.md");
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let crates: Vec<_> = crates.map(|name| format!("crates/{}/", name.to_string_lossy())).collect();
    assert!(crates.len() > 4, "{crates:?}");
    let rooms = fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap());
    let rooms = rooms.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() { format!("src/{name}/") } else { format!("src/{name}") }
    });
    for path in crates.into_iter().chain(rooms) {
        assert!(map.contains(&format!("`{path}`")), "{path} is missing");
    }
}

fn help(arguments: &[&str]) -> String {
    // In a narrow terminal, a line of prose might begin with an option.
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    let output = command.args(arguments).arg("--help").env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{arguments:?} --help failed");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the options that a help text describes.
fn options(help: &str) -> BTreeSet<String> {
    let begin = |line: &str| {
        let line = line.trim_start();
        let long = if line.starts_with("--") { line } else { line.strip_prefix('-')?.split_once(", ")?.1 };
        long.starts_with("--").then(|| option_of(long))
    };
    help.lines().filter_map(begin).collect()
}

/// Returns the option at the start of a text.
fn option_of(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect()
}

/// Returns the program's subcommands, as listed by its help.
fn subcommands() -> Vec<String> {
    let help = help(&[]);
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Returns the options that a document names, in code type or after the program's name in a line of code.
fn options_named(document: &Document) -> BTreeSet<String> {
    let commands = document.code.iter().filter_map(|line| Some(line.rsplit_once("histoscope ")?.1));
    let commands = commands.map(|command| command.split(" # ").next().unwrap_or_default());
    let words = document.spans.iter().map(String::as_str).chain(commands).flat_map(str::split_whitespace);
    words.filter(|word| word.starts_with("--")).map(option_of).filter(|option| option.len() > 2).collect()
}

#[test]
fn every_option_is_in_the_manual_and_no_other() {
    let subcommands = subcommands();
    assert!(subcommands.len() >= 6, "{subcommands:?}");
    let page = |command: &str| match command {
        "" => "docs/window.md".to_owned(),
        "adapters" => "docs/README.md".to_owned(),
        "completions" => "docs/install.md".to_owned(),
        "merge" => "docs/analyze.md".to_owned(),
        command => format!("docs/{command}.md"),
    };
    // Options shared by several commands are on the page of all commands or on the page of adjustments.
    let shared: BTreeSet<_> = ["docs/README.md", "docs/adjustments.md"]
        .into_iter()
        .flat_map(|name| options_named(&Document::parse(&read(name))))
        .collect();
    let mut known = BTreeSet::new();
    for command in std::iter::once("").chain(subcommands.iter().map(String::as_str)) {
        let arguments: &[&str] = if command.is_empty() { &[] } else { &[command] };
        let options = options(&help(arguments));
        assert!(options.contains("--help"), "{command}: {options:?} are not all");
        let named = options_named(&Document::parse(&read(&page(command))));
        let is_told = |option: &&String| named.contains(*option) || shared.contains(*option) || *option == "--version";
        let missing: Vec<_> = options.iter().filter(|option| !is_told(option)).collect();
        assert!(missing.is_empty(), "{} does not tell of {missing:?}", page(command));
        known.extend(options);
    }
    for name in documents(root()).iter().filter(|name| name.starts_with("docs") || *name == Path::new("README.md")) {
        let named = options_named(&Document::parse(&read(name.to_str().unwrap())));
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{} tells of {unknown:?}", name.display());
    }
}

#[test]
fn the_version_is_dated_and_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let changes = read("CHANGELOG.md");
    let newest = changes.lines().find_map(|line| line.strip_prefix("## [")?.split_once("] - "));
    let (found, date) = newest.expect("a version with a date");
    assert_eq!(found, version, "CHANGELOG.md");
    assert!(date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), "{date}");
    assert!(changes.contains(&format!("`v{version}`")), "the tag of {version} is not named");
    let has = |name: &str, text: String| assert!(read(name).contains(&text), "{name} does not say {text}");
    has("assets/packages/PKGBUILD", format!("pkgver={version}\n"));
    let release = format!("<release version=\"{version}\" date=\"{date}\"/>");
    has("assets/desktop/org.histoscope.Histoscope.metainfo.xml", release);
}
