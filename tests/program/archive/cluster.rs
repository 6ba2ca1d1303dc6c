//! A Dask cluster of processes on this machine, with workers of several kinds.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::archive::files::Archive;
use crate::archive::{example, wait_for};
use crate::command::packages::python_with_packages;

/// The program that a worker finds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The correct program. After it counts the file `changing.mp4` for the first time, it adds a byte to it.
    Good,
    /// No program.
    WithoutProgram,
    /// A program that reports a different version.
    OtherVersion,
    /// A program whose disk is full.
    FullDisk,
}

impl Kind {
    /// Returns the script that replaces the program.
    fn script(self, marker: &Path, changing: &Path) -> Option<String> {
        let program = env!("CARGO_BIN_EXE_histoscope");
        let lines = match self {
            Self::WithoutProgram => return None,
            Self::Good => format!(
                "\"{program}\" \"$@\"; code=$?\n\
                 case \"$*\" in *changing.mp4*) mkdir '{}' 2>/dev/null && printf x >>'{}' ;; esac\n\
                 exit $code",
                marker.display(),
                changing.display()
            ),
            Self::OtherVersion => "echo 'histoscope 9.9.9'; echo 'records: schema 1'".to_owned(),
            Self::FullDisk => format!(
                "[ \"$1\" = --version ] && exec \"{program}\" --version\necho 'histoscope: a.parquet cannot be written \
                 (No space left on device (os error 28)); the records so far are in a.parquet.part; free some space, \
                 then continue with --resume' >&2; exit 1"
            ),
        };
        Some(format!("#!/bin/sh\n{lines}\n"))
    }
}

/// A scheduler and its workers. Dropping it ends them.
pub struct Cluster {
    folder: PathBuf,
    address: String,
    marker: PathBuf,
    changing: PathBuf,
    children: Vec<Child>,
    started: usize,
}

/// The process of a worker.
pub struct Worker(u32);

impl Worker {
    /// Kills it immediately, like a power failure.
    pub fn kill(self) -> std::io::Result<()> {
        let status = Command::new("kill").args(["-KILL", &self.0.to_string()]).status()?;
        if status.success() { Ok(()) } else { Err(std::io::Error::other("kill failed")) }
    }
}

impl Cluster {
    /// Starts the scheduler.
    pub fn start(folder: &Path, archive: &Archive) -> Self {
        fs::create_dir_all(folder).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut cluster = Self {
            folder: folder.to_owned(),
            address: format!("tcp://127.0.0.1:{port}"),
            marker: folder.join("changed"),
            changing: archive.film("changing.mp4"),
            children: Vec::new(),
            started: 0,
        };
        let options = ["scheduler", "--host", "127.0.0.1", "--port", &port.to_string(), "--no-dashboard", "--no-show"];
        cluster.spawn("scheduler", python_with_packages().args(["-m", "dask"]).args(options));
        cluster
    }

    /// Starts a worker.
    pub fn worker(&mut self, kind: Kind) -> Worker {
        self.started += 1;
        let name = format!("worker{}", self.started);
        let options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", &name];
        let mut command = python_with_packages();
        command
            .args(["-m", "dask", "worker", &self.address])
            .args(options)
            .arg("--local-directory")
            .arg(self.folder.join(&name));
        command.env("PATH", self.path(kind));
        Worker(self.spawn(&name, &mut command))
    }

    fn spawn(&mut self, name: &str, command: &mut Command) -> u32 {
        let log = fs::File::create(self.folder.join(format!("{name}.log"))).unwrap();
        let child =
            command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().expect("Dask starts");
        let id = child.id();
        self.children.push(child);
        id
    }

    /// Returns the `PATH` for a worker of this kind.
    fn path(&self, kind: Kind) -> String {
        let programs = self.folder.join(format!("{kind:?}"));
        fs::create_dir_all(&programs).unwrap();
        let script = programs.join("histoscope");
        if let Some(text) = kind.script(&self.marker, &self.changing).filter(|_| !script.exists()) {
            fs::write(&script, text).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        }
        format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display())
    }

    /// Waits until this many workers have joined.
    pub fn wait_for_workers(&self, number: usize) {
        let log = self.folder.join("scheduler.log");
        let registered = || fs::read_to_string(&log).unwrap_or_default().matches("Register worker").count();
        wait_for("the workers are there", || registered() >= number);
    }

    /// Returns the command that runs the example on this cluster.
    pub fn client(&self, archive: &Path, dataset: &Path, options: &[&str]) -> Command {
        let mut command = python_with_packages();
        command.arg(example()).arg(archive).arg(dataset).args(["--scheduler", &self.address]).args(options);
        // The correct program, whose version is compared with the workers'.
        command.args(["--options=--engine cpu"]).env("PATH", self.path(Kind::Good));
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may already have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
