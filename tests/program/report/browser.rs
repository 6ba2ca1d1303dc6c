//! A real browser without a window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::command::finish;

/// Browsers that support the options below. Firefox can take pictures of pages, but cannot print the resulting HTML.
const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// A browser with its own profile, and a page for it to open.
pub struct Browser {
    program: PathBuf,
    folder: TempDir,
}

impl Browser {
    /// Finds this machine's browser. If there is none the test fails, or returns `None` if these tests are disabled.
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
        // A browser from a snap, as on Ubuntu, sees neither the system's temporary folder nor hidden ones.
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
            // The page's time advances only while it has work, so a busy machine makes no difference.
            .args(["--virtual-time-budget=20000", "--disable-dev-shm-usage", "--disable-background-networking"])
            .args(arguments)
            .arg(format!("file://{}", path.display()));
        let run = finish(&mut command);
        assert_eq!(run.code, Some(0), "{}: {}", self.program.display(), run.stderr);
        run.stdout
    }

    /// Returns a page as HTML, after its scripts have run.
    pub fn dump(&self, page: &str) -> String {
        self.open(page, &["--dump-dom"])
    }

    /// Renders a page without a network. Returns width, height, and red, green and blue of each pixel.
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
