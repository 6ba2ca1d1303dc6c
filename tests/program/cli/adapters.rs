//! Machines without an adapter or without a display.

use std::process::Command;
#[cfg(all(unix, not(target_os = "macos")))]
use std::time::{Duration, Instant};

use crate::command::{finish, program, sample};

/// Returns the program as on a machine without any adapter.
fn without_adapter() -> Command {
    let mut command = program();
    command.env("WGPU_BACKEND", "vulkan");
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(name, "/nonexistent");
    }
    command
}

#[test]
fn no_adapter_is_one_line() {
    let snapshot = |more: &[&str]| finish(without_adapter().arg("snapshot").arg(sample()).args(more));
    let advice = if cfg!(target_os = "linux") { "mesa-vulkan-drivers" } else { "driver" };
    snapshot(&[]).fails_with(&["no graphics adapter", "--engine cpu", advice]);
    snapshot(&["--engine", "gpu"]).fails_with(&["no graphics adapter", advice]);
    snapshot(&["--adapter", "llvmpipe"]).fails_with(&["no graphics adapter"]);
    finish(without_adapter().arg("adapters")).fails_with(&["no graphics adapter", "install"]);
    finish(without_adapter().arg("bench")).fails_with(&["no graphics adapter", "install"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.png");
    for engine in ["auto", "cpu"] {
        snapshot(&["--engine", engine, "-o", path.to_str().unwrap()]).fails_with(&["no graphics adapter", "install"]);
        assert!(!path.exists());
    }
}

/// Returns the program as on a machine whose only adapter is one of OpenGL 3.3, without compute shaders.
#[cfg(target_os = "linux")]
fn with_old_adapter() -> Command {
    let mut command = program();
    command.env("WGPU_BACKEND", "gl").env("MESA_GL_VERSION_OVERRIDE", "3.3");
    command.env("MESA_EXTENSION_OVERRIDE", "-GL_ARB_compute_shader");
    command
}

#[test]
#[cfg(target_os = "linux")]
fn the_cpu_counts_if_no_adapter_can_be_used() {
    let snapshot = |more: &[&str]| finish(with_old_adapter().arg("snapshot").arg(sample()).args(more));
    let run = snapshot(&["--json"]);
    let told = "cannot be used (it has no compute shaders); choose another one with --adapter";
    assert_eq!((run.code, run.stderr.lines().count()), (Some(0), 1), "{run:?}");
    assert!(run.stderr.contains("the CPU counts: the adapter") && run.stderr.contains(told), "{run:?}");
    assert!(run.stdout.contains("\"engine\":\"cpu\",\"adapter\":null,"), "{run:?}");
    let plain = finish(program().arg("snapshot").arg(sample()).args(["--json", "--engine", "cpu"]));
    assert_eq!(run.stdout, plain.stdout);
    let run = finish(with_old_adapter().arg("analyze").arg(sample()).args(["--to", "3f"]));
    assert_eq!((run.code, run.stderr.lines().count()), (Some(0), 1), "{run:?}");
    assert!(run.stderr.contains("the CPU counts: the adapter") && run.stderr.contains(told), "{run:?}");
    for arguments in [["--engine", "gpu"], ["--adapter", "llvmpipe"], ["-o", "/nonexistent/a.png"]] {
        let run = snapshot(&arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    }
    for arguments in [["--engine", "gpu"], ["--adapter", "llvmpipe"]] {
        snapshot(&arguments).fails_with(&[told]);
    }
    finish(with_old_adapter().args(["bench", "--only", "atomics", "--size", "64x48"])).fails_with(&[told]);
}

#[test]
fn the_cpu_counts_without_an_adapter() {
    let arguments = ["--engine", "cpu", "--json", "--bins"];
    let run = finish(without_adapter().arg("snapshot").arg(sample()).args(arguments));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("\"engine\":\"cpu\",\"adapter\":null,"), "{}", &run.stdout[..400]);
    let with_adapter = finish(program().arg("snapshot").arg(sample()).args(["--engine", "gpu", "--json", "--bins"]));
    let channels = |text: &str| text[text.find("\"channels\"").expect("channels")..].to_owned();
    assert_eq!(channels(&run.stdout), channels(&with_adapter.stdout));
    let table = finish(without_adapter().arg("snapshot").arg(sample()).args(["--engine", "cpu"]));
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_adapter_that_is_not_there() {
    let run = finish(program().arg("snapshot").arg(sample()).args(["--adapter", "Voodoo 2"]));
    run.fails_with(&["'Voodoo 2'", "available adapters"]);
}

#[test]
fn adapters_are_listed() {
    let run = finish(program().arg("adapters"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.lines().count() >= 1 && run.stdout.contains("driver"), "{run:?}");
    // One adapter is used, and of each other one it is said why it is not.
    let used = run.stdout.lines().filter(|line| line.contains(": used")).count();
    let unused = run.stdout.lines().filter(|line| line.contains(": not used: ")).count();
    assert_eq!((used, used + unused), (1, run.stdout.lines().count()), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn adapters_that_cannot_be_used_are_listed_with_the_reason() {
    let run = finish(with_old_adapter().arg("adapters"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.trim_end().ends_with(": not used: it cannot be (it has no compute shaders)"), "{run:?}");
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn no_display_is_said_at_once() {
    let begin = Instant::now();
    finish(program().arg(sample())).fails_with(&["no display", "DISPLAY", "histoscope snapshot"]);
    // A busy machine may take its time, but a timeout would take longer.
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // Repeated, since a program that ends while a driver is still loading crashes only sometimes.
    for _ in 0..10 {
        finish(program().arg(sample())).fails_with(&["no display"]);
    }
    finish(program().arg(sample()).env("DISPLAY", ":4321")).fails_with(&["no window could be opened", "snapshot"]);
    finish(program().arg(sample()).env("WAYLAND_DISPLAY", "none")).fails_with(&["no window could be opened"]);
}

/// Mesa's layer that sorts devices asks the Wayland display, whose library prints an error without this variable.
#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn commands_without_a_window_do_not_ask_for_a_display() {
    let run = finish(program().env_remove("XDG_RUNTIME_DIR").arg("adapters"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}
