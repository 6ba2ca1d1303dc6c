//! Names from outside, wherever they are shown: they reach a terminal, a page or a spreadsheet only as plain text, and
//! a password in an address is never shown, logged or written.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::command::{finish, program};
use crate::common::Clip;

const ENCODING: &str = "-c:v ffv1 -pix_fmt yuv420p";

/// A name that sets the title and colour of a terminal, reverses the reading direction, and adds a line that looks like
/// ours.
#[cfg(unix)]
const EVIL: &str = "a\u{1b}]0;title\u{7}\u{9b}31m\u{202e}<img src=x>&\nhistoscope: ok.mkv";

/// Asserts that a text contains neither control characters nor the forged line.
#[cfg(unix)]
fn assert_plain(text: &str, what: &str) {
    let hidden = text.chars().find(|&c| (c.is_control() && c != '\n') || c == '\u{202e}');
    assert_eq!(hidden, None, "{what}: {text:?}");
    assert!(!text.contains("\nhistoscope: ok"), "{what}: {text:?}");
}

#[cfg(unix)]
#[test]
fn names_reach_a_terminal_as_letters() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, ENCODING);
    let path = clip.folder().join(EVIL);
    fs::copy(clip.path(), &path).unwrap();
    let gone = path.with_extension("gone");
    for (input, arguments) in [
        (&gone, &["snapshot", "--json"][..]),
        (&path, &["snapshot", "-vvv", "--engine", "cpu", "--json", "--at", "9"]),
        (&path, &["analyze", "-vvv", "--engine", "cpu"]),
        (&gone, &["analyze"]),
        (&gone, &["report", "-o", "a.html"]),
        (&gone, &["analyze", "--against", "x"]),
    ] {
        let run = finish(program().args(arguments).arg(input));
        assert_plain(&run.stderr, &format!("{arguments:?}"));
        assert!(run.stderr.contains("]0;title"), "{arguments:?} names no file: {run:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_reach_a_page_as_letters() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, ENCODING);
    let path = clip.folder().join(EVIL.replace("ok.mkv", "<script>alert(1).mkv"));
    fs::copy(clip.path(), &path).unwrap();
    let page = clip.folder().join("page.html");
    let run = finish(program().arg("report").arg(&path).args(["--engine", "cpu", "-o"]).arg(&page));
    assert_eq!(run.code, Some(0), "{run:?}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("&#60;script&#62;alert(1)"), "the name is missing");
    assert!(!html.contains("<script>alert") && !html.contains("<img src=x") && !html.contains("\nhistoscope: ok"));
    assert!(!html.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']));
}

#[test]
fn a_name_is_no_formula_in_a_table() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, ENCODING);
    for name in ["=1+1.mkv", "+1.mkv", "@SUM(1).mkv", "-1.mkv"] {
        fs::copy(clip.path(), clip.folder().join(name)).unwrap();
        let mut command = program();
        command
            .current_dir(clip.folder())
            .args(["analyze", "--format", "csv", "--engine", "cpu", "-o", "-", "--", name]);
        let run = finish(&mut command);
        assert_eq!(run.code, Some(0), "{run:?}");
        let mut table = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(run.stdout.as_bytes());
        let column = table.headers().unwrap().iter().position(|head| head == "input").unwrap();
        for row in table.records() {
            let row = row.unwrap();
            assert_eq!(&row[column], format!("./{name}"));
            for cell in row.iter().filter(|cell| cell.parse::<f64>().is_err()) {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
            }
        }
    }
}

/// Serves this file to every client. Returns an address with a user and a password.
fn server(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("somebody calls");
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len());
            // A client that has read enough hangs up.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
        }
    });
    format!("http://somebody:hunter2@{address}/clip.mkv")
}

#[test]
fn a_host_that_only_a_proxy_knows_is_left_to_it() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, ENCODING);
    let proxy = server(clip.bytes());
    let ask = |proxy: Option<&str>| {
        let mut command = program();
        command.env_remove("no_proxy").env_remove("http_proxy").envs(proxy.map(|proxy| ("http_proxy", proxy)));
        finish(command.args(["snapshot", "http://nobody.invalid/clip.mkv", "--engine", "cpu"]))
    };
    let run = ask(Some(proxy.trim_end_matches("clip.mkv")));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("64×48"), "{}", run.stdout);
    ask(None).fails_with(&["host \"nobody.invalid\" cannot be found"]);
}

#[test]
fn no_password_is_shown_logged_or_written() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, ENCODING);
    let address = server(clip.bytes());
    let nobody = "http://somebody:hunter2@127.0.0.1:9/clip.mkv";
    let folder = clip.folder().join("out");
    fs::create_dir(&folder).unwrap();
    let out = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [csv, jsonl, parquet, page] = ["a.csv", "a.jsonl", "a.parquet", "a.html"].map(out);
    let every = folder.to_str().unwrap();
    for (arguments, code) in [
        (&["snapshot", "-vvv", &address, "--engine", "cpu", "--json"][..], 0),
        (&["snapshot", "-vvv", nobody, "--engine", "cpu", "--json"], 1),
        (&["analyze", "-vvv", &address, "--engine", "cpu"], 0),
        (&["analyze", "-vvv", nobody], 1),
        (&["analyze", &address, "--engine", "cpu", "-o", &csv], 0),
        (&["analyze", &address, "--engine", "cpu", "-o", &jsonl], 0),
        (&["analyze", &address, "--engine", "cpu", "--bins", "-o", &parquet], 0),
        (&["analyze", &address, "--engine", "cpu", "--format", "jsonl", "--out-dir", every], 0),
        (&["report", &address, "--engine", "cpu", "-o", &page], 0),
    ] {
        let run = finish(program().args(arguments));
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        assert!(!format!("{run:?}").contains("hunter2"), "{arguments:?}: {run:?}");
    }
    let written: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(written.len(), 5, "{written:?}");
    for path in written {
        assert!(!path.to_str().unwrap().contains("hunter2"), "{path:?}");
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(7).any(|seven| seven == b"hunter2"), "{path:?}");
    }
}
