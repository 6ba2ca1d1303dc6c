//! Passes the commit that the program is built from to its code, and gives Windows' program its icon and version.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Debug builds do not state their commit: every commit would cause a full rebuild.
    if env::var("PROFILE").as_deref() == Ok("release") {
        tell_commit(Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()));
    }
    if env::var("CARGO_CFG_WINDOWS").is_ok() {
        let version = ["MAJOR", "MINOR", "PATCH"]
            .map(|part| (part, env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default()));
        let mut macros = version.map(|(part, number)| format!("HISTOSCOPE_{part}={number}")).to_vec();
        macros.push(format!("HISTOSCOPE_VERSION={}", env::var("CARGO_PKG_VERSION").unwrap_or_default()));
        for name in ["rc", "manifest", "ico"] {
            println!("cargo::rerun-if-changed=assets/desktop/histoscope.{name}");
        }
        embed_resource::compile_for("assets/desktop/histoscope.rc", ["histoscope"], macros)
            .manifest_required()
            .expect("the resources of Windows' program compile");
    }
}

fn tell_commit(folder: &Path) {
    println!("cargo::rerun-if-env-changed=HISTOSCOPE_COMMIT");
    // A watched file that does not exist counts as changed and would cause a full rebuild every time.
    let watch = |path: &Path| {
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    };
    // Git writes to one of these files when a commit is made or a different branch is checked out.
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

/// Returns the commit of the git checkout in a folder, its first ten digits. `None` if there is none, as in an archive
/// of the sources; packagers of these set HISTOSCOPE_COMMIT.
pub fn commit_of(folder: &Path) -> Option<String> {
    // Sources unpacked inside another project's checkout do not belong to its commit.
    let top = fs::canonicalize(git(folder, &["rev-parse", "--show-toplevel"])?).ok()?;
    if top != fs::canonicalize(folder).ok()? {
        return None;
    }
    git(folder, &["rev-parse", "--short=10", "HEAD"])
}

/// Runs git in a folder and returns its output; `None` if git is missing or fails.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
}
