//! Files for packages: manual pages and completions, made from the definitions of the command line, and the commit that
//! a build reports.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::command::{finish, program, run};

#[allow(dead_code, clippy::print_stdout, reason = "only what finds the commit is tested; the rest speaks to cargo")]
#[path = "../../../build.rs"]
mod build_script;

/// Writes manual pages and completions into a temporary folder.
fn written() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let status = Command::new(env!("CARGO_BIN_EXE_histoscope-packaging"))
        .arg(folder.path())
        .status()
        .expect("the program starts");
    assert!(status.success());
    folder
}

/// Returns the words in a text that are options.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.strip_prefix("--").is_some_and(|name| name.len() > 1)).map(str::to_owned).collect()
}

/// Returns the options described by a command's help: those at the beginning of a line.
fn described(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    lines.flat_map(|line| options(&line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))).collect()
}

fn subcommands(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("\nCommands:\n").expect("the commands");
    let (list, _) = list.split_once("\n\n").expect("their end");
    let lines = list.lines().filter(|line| !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Returns true if man-db's `man` is installed. macOS has a different one, and small images of Ubuntu only a script
/// with a message.
fn has_man() -> bool {
    let told = Command::new("man").arg("--version").stdin(Stdio::null()).output();
    told.is_ok_and(|told| told.status.success() && told.stdout.starts_with(b"man "))
}

/// Returns a page as shown in a window of this many columns, without bold type. `None` if `man` is missing. Asserts
/// that there are no warnings.
fn read_page(page: &Path, columns: u32) -> Option<String> {
    if !has_man() {
        return None;
    }
    let mut command = Command::new("man");
    // Hyphenation would split the words to be found. Warnings go to standard error.
    command.args(["--local-file", "--warnings", "--no-hyphenation", "--no-justification"]).arg(page);
    command
        .env("MANWIDTH", columns.to_string())
        .env("LC_ALL", "C.UTF-8")
        .env("MAN_KEEP_FORMATTING", "")
        .stdin(Stdio::null());
    let output = command.output().expect("man can be run");
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && warnings.is_empty(), "{}: {warnings}", page.display());
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn every_command_has_a_page_that_names_every_option_of_its_help() {
    let folder = written();
    let pages = folder.path().join("man");
    let all = subcommands(&run(["--help"]).stdout);
    assert!(all.len() >= 7, "{all:?}");
    let mut expected = BTreeSet::from(["histoscope.1".to_owned()]);
    for command in std::iter::once(None).chain(all.iter().map(Some)) {
        let name = command.map_or("histoscope.1".to_owned(), |command| format!("histoscope-{command}.1"));
        let help = run(command.map(String::as_str).into_iter().chain(["--help"])).stdout;
        let described = described(&help);
        assert!(described.len() >= 2, "{name}: {help}");
        // Without `man`, the page's source is read, where a backslash precedes each hyphen.
        let page = pages.join(&name);
        let text = read_page(&page, 200).unwrap_or_else(|| fs::read_to_string(&page).unwrap().replace('\\', ""));
        let missing: Vec<_> = described.difference(&options(&text)).cloned().collect();
        assert!(missing.is_empty(), "{name} does not name {missing:?}:\n{text}");
        expected.insert(name);
    }
    let found = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn tables_behind_the_options_keep_their_lines_in_the_pages() {
    let folder = written();
    for (name, call) in [("histoscope", &["--help"][..]), ("histoscope-bench", &["bench", "--help"])] {
        // So narrow that ordinary text would be wrapped.
        let Some(page) = read_page(&folder.path().join(format!("man/{name}.1")), 45) else { return };
        let help = finish(program().args(call).env("COLUMNS", "200")).stdout;
        let (_, tables) = help.rsplit_once(":\n").expect("a table");
        let longest = tables.lines().max_by_key(|line| line.len()).expect("lines").trim();
        assert!(longest.len() > 50, "{longest}");
        assert!(page.lines().any(|line| line.trim() == longest), "{longest:?} is no line of\n{page}");
    }
}

#[test]
fn shells_take_the_completions() {
    let folder = written();
    let completions = folder.path().join("completions");
    let all = subcommands(&run(["--help"]).stdout);
    for (shell, name) in [("bash", "histoscope.bash"), ("zsh", "_histoscope"), ("fish", "histoscope.fish")] {
        let file = completions.join(name);
        let text = fs::read_to_string(&file).unwrap();
        assert!(all.iter().all(|command| text.contains(command.as_str())), "{name} lacks one of {all:?}");
        assert!(text.contains("low-pass"), "{name} lacks an option");
        // A shell that is not installed cannot check its file. bash is required, since the project's scripts use it.
        match Command::new(shell).arg("-n").arg(&file).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && shell != "bash" => {}
            output => {
                let output = output.unwrap();
                let complaint = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success() && complaint.is_empty(), "{shell}: {complaint}");
            }
        }
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    let folder = written();
    let script = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n\
                  _histoscope histoscope \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let completed = |words: &[&str]| {
        let file = folder.path().join("completions/histoscope.bash");
        let output = Command::new("bash").args(["-c", script, "bash"]).arg(file).args(words).output().unwrap();
        assert!(output.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["histoscope", "snap"]), ["snapshot"]);
    assert_eq!(completed(&["histoscope", "analyze", "--resu"]), ["--resume"]);
    assert_eq!(completed(&["histoscope", "--resu"]), [""; 1]);
    assert_eq!(completed(&["histoscope", "analyze", "--engine", ""]), ["auto", "gpu", "cpu"]);
}

#[test]
fn the_desktop_entry_is_sound_and_all_its_files_have_its_name() {
    const NAME: &str = "org.histoscope.Histoscope";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/desktop");
    let file = |ending: &str| folder.join(format!("{NAME}.{ending}"));
    let [entry, about] = ["desktop", "metainfo.xml"].map(|ending| fs::read_to_string(file(ending)).unwrap());
    for line in [format!("Icon={NAME}"), format!("StartupWMClass={NAME}")] {
        assert!(entry.lines().any(|other| other == line), "{line}: {entry}");
    }
    for part in [format!("<id>{NAME}</id>"), format!(">{NAME}.desktop</launchable>"), format!(">{NAME}</icon>")] {
        assert!(about.contains(&part), "{part}: {about}");
    }
    assert!(file("svg").exists());
    for (program, arguments, ending) in
        [("desktop-file-validate", &[][..], "desktop"), ("appstreamcli", &["validate", "--no-net"], "metainfo.xml")]
    {
        // People who change these files install the programs that check them.
        match Command::new(program).args(arguments).arg(file(ending)).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            output => {
                let output = output.unwrap();
                let told = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{program}: {told}");
            }
        }
    }
}

#[test]
fn a_build_tells_the_commit_of_its_own_sources_only() {
    let folder = TempDir::new().unwrap();
    let sources = folder.path().join("histoscope");
    fs::create_dir(&sources).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let output = Command::new("git").current_dir(&sources).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    // An archive of the sources, unpacked somewhere.
    assert_eq!(build_script::commit_of(&sources), None);
    // A checkout.
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "First"]);
    assert_eq!(build_script::commit_of(&sources), Some(git(&["rev-parse", "HEAD"])[..10].to_owned()));
    // Unpacked inside another project's checkout.
    let inner = sources.join("inner");
    fs::create_dir(&inner).unwrap();
    assert_eq!(build_script::commit_of(&inner), None);
}

#[test]
fn the_program_prints_the_completions_that_packages_have() {
    let folder = written();
    for (shell, name) in [("bash", "histoscope.bash"), ("zsh", "_histoscope"), ("fish", "histoscope.fish")] {
        let run = run(["completions", shell]);
        let file = fs::read_to_string(folder.path().join("completions").join(name)).unwrap();
        assert_eq!((run.code, run.stdout.trim_end()), (Some(0), file.trim_end()), "{shell}");
    }
    assert_eq!(run(["completions", "command.com"]).code, Some(2));
}
