//! Tells the code of which commit it is built.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A build for debugging does not tell its commit: everything would be built anew after each.
    if env::var("PROFILE").as_deref() == Ok("release") {
        tell_commit(Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()));
    }
}

fn tell_commit(folder: &Path) {
    println!("cargo::rerun-if-env-changed=HISTOSCOPE_COMMIT");
    // A file that is named and not there counts as changed, and everything would be built anew each time.
    let watch = |path: &Path| {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    };
    // What is current is written into one of these when a commit is made or another branch is taken.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(folder, &["rev-parse", "--git-path", name]) {
            watch(&folder.join(path));
        }
    }
    let stated = env::var("HISTOSCOPE_COMMIT").ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = stated.or_else(|| commit_of(folder)) {
        println!("cargo::rustc-env=HISTOSCOPE_COMMIT={commit}");
    }
}

/// The commit of the git checkout in a folder, its first ten digits. `None` where there is none, as in an archive of the
/// sources; whoever packs these sets HISTOSCOPE_COMMIT.
pub fn commit_of(folder: &Path) -> Option<String> {
    // Sources that were unpacked somewhere inside of another project's checkout are not of its commit.
    let top = fs::canonicalize(git(folder, &["rev-parse", "--show-toplevel"])?).ok()?;
    if top != fs::canonicalize(folder).ok()? {
        return None;
    }
    git(folder, &["rev-parse", "--short=10", "HEAD"])
}

/// What git answers, where there is a git that does.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
}
