//! A real browser without a window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::command::finish;

/// Browsers that know the options below. Firefox can take pictures of pages, but does not print what became of them.
const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// A browser with a profile of its own, and a page for it to open.
pub struct Browser {
    program: PathBuf,
    folder: TempDir,
}

impl Browser {
    /// The browser of this machine. Without one the test fails, unless it was asked to be left out: then `None`.
    pub fn find() -> Option<Self> {
        if std::env::var_os("HISTOSCOPE_TEST_WITHOUT_BROWSER").is_some_and(|value| !value.is_empty() && value != "0") {
            eprintln!("LEFT OUT because HISTOSCOPE_TEST_WITHOUT_BROWSER is set: no browser opens the report's page");
            return None;
        }
        let named = std::env::var_os("HISTOSCOPE_BROWSER").map(PathBuf::from);
        let usual = BROWSERS.iter().map(PathBuf::from);
        let program = named.into_iter().chain(usual).find(|program| {
            let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        });
        let program = program.expect(
            "no Chromium or Chrome was found to open the report's page with; run scripts/setup, or name a browser in \
             HISTOSCOPE_BROWSER, or set HISTOSCOPE_TEST_WITHOUT_BROWSER=1 to leave this test out",
        );
        // A browser that is a snap, as Ubuntu's, sees neither the system's temporary folder nor hidden ones.
        let folder = tempfile::Builder::new().prefix("browser-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let browser = Self { program, folder: folder.expect("a folder for the page") };
        assert!(
            browser.dump("<!doctype html><p>seen</p>").contains("<p>seen</p>"),
            "{} does not open a page in {}; a snap sees only what lies in the home folder: check the project out there, or \
             name another browser in HISTOSCOPE_BROWSER",
            browser.program.display(),
            browser.folder.path().display()
        );
        Some(browser)
    }

    fn open(&self, page: &str, arguments: &[&str]) -> String {
        let path = self.folder.path().join("page.html");
        fs::write(&path, page).expect("the temporary folder takes a file");
        let profile = format!("--user-data-dir={}", self.folder.path().join("profile").display());
        let mut command = Command::new(&self.program);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", &profile])
            // Time in the page goes on only while it has something to do, so a busy machine changes nothing.
            .args(["--virtual-time-budget=20000", "--disable-dev-shm-usage", "--disable-background-networking"])
            .args(arguments)
            .arg(format!("file://{}", path.display()));
        let run = finish(&mut command);
        assert_eq!(run.code, Some(0), "{}: {}", self.program.display(), run.stderr);
        run.stdout
    }

    /// What became of a page after its scripts ran, as HTML.
    pub fn dump(&self, page: &str) -> String {
        self.open(page, &["--dump-dom"])
    }

    /// How a page looks without a network: width, height, and red, green and blue of each pixel.
    pub fn screenshot(&self, page: &str, width: u32, height: u32) -> (u32, u32, Vec<[u8; 3]>) {
        let target = self.folder.path().join("page.png");
        let (size, picture) = (format!("--window-size={width},{height}"), format!("--screenshot={}", target.display()));
        self.open(page, &["--host-resolver-rules=MAP * ~NOTFOUND", &size, &picture]);
        read_png(&target)
    }
}

fn read_png(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let file = fs::File::open(path).expect("the browser took a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    let samples = info.color_type.samples();
    let pixels = bytes[..info.buffer_size()].chunks_exact(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    (info.width, info.height, pixels.collect())
}
