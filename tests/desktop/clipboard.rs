//! The desktop's clipboard.

use std::path::{Path, PathBuf};

use histoscope_core::histogram::reference;
use histoscope_core::picture::Picture as Planes;
use histoscope_media::{Decoder, OpenOptions};

use crate::display::Display;
use crate::picture::Picture;
use crate::program::Program;
use crate::wait::{PATIENCE, output_of};
use crate::{FRAME_SECONDS, near, paused_sample, position_where, sample, turn};

/// The variable with the file for the clipboard's content.
const TARGET: &str = "HISTOSCOPE_TEST_CLIPBOARD_TO";

/// Opens the field, does something in it, and presses Enter. It must lead to this frame.
fn leads_to(program: &Program, what: impl FnOnce(), frame: u32) {
    program.after(|| program.key("ctrl+g"), "key: EnterTime");
    what();
    program.after(|| program.key("Return"), &format!("note: to frame {frame}"));
    let wanted = f64::from(frame) * FRAME_SECONDS;
    position_where(program, &format!("at frame {frame}"), |position| near(position, wanted, 0.002));
}

/// Text copied in one window is pasted in another, so it has gone through the desktop's clipboard.
#[test]
fn what_was_copied_elsewhere_is_pasted() {
    let _turn = turn();
    let display = Display::start();
    let other = paused_sample(&display, &[]);
    other.after(|| other.key("ctrl+g"), "key: EnterTime");
    other.type_text("217");
    other.key("ctrl+a");
    other.key("ctrl+c");
    // It is on the clipboard once the field has been drawn.
    other.settled();
    let program = paused_sample(&display, &[]);
    leads_to(&program, || program.key("ctrl+v"), 217);
    program.quit_with("q");
}

/// Presses a key that saves. Returns the picture's path.
fn saved(program: &Program, key: &str) -> PathBuf {
    let line = program.after(|| program.key(key), "note: saved ");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).expect("a path");
    Path::new(path).to_owned()
}

/// Returns the content of the display's clipboard. A separate program reads it, since the tests have several displays.
fn clipboard(display: &Display, kind: &str) -> Vec<u8> {
    let target = tempfile::NamedTempFile::new().expect("a temporary file");
    let own = std::env::current_exe().expect("this program");
    let mut command = display.command(own.to_str().expect("a path"));
    command.args(["--ignored", "--exact", "clipboard::tells_what_is_on_the_clipboard"]);
    command.env(TARGET, target.path()).env("HISTOSCOPE_TEST_CLIPBOARD_KIND", kind);
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("nothing on the clipboard: {error}"));
    std::fs::read(target.path()).expect("what it found")
}

#[test]
#[ignore = "the other tests run it as a program of its own"]
fn tells_what_is_on_the_clipboard() {
    let target = std::env::var_os(TARGET).expect("where to");
    let mut clipboard = arboard::Clipboard::new().expect("a clipboard");
    let found = match std::env::var("HISTOSCOPE_TEST_CLIPBOARD_KIND").as_deref() {
        Ok("text") => clipboard.get_text().expect("a text").into_bytes(),
        _ => {
            let image = clipboard.get_image().expect("a picture");
            [&(image.width as u32).to_le_bytes()[..], &image.bytes].concat()
        }
    };
    std::fs::write(target, found).expect("it is written");
}

#[test]
fn values_and_pictures_are_copied() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let planes: Planes = decoder.next_frame().expect("the sample can be read").expect("a frame").picture;
    let text = || String::from_utf8(clipboard(&display, "text")).expect("a text");

    // The pixel under the pointer.
    program.point(733, 219);
    program.after(|| program.key("ctrl+c"), "note: copied x 733  y 219");
    let codes = reference::unclamped_rgb(&planes, 733, 219).map(|code| code.clamp(0, 255).to_string());
    let found = text();
    assert!(found.starts_with("sample.mp4\tframe 0\t0:00.000\nx 733  y 219\n"), "{found}");
    assert!(found.contains(&format!("R'G'B'\t{}\n", codes.join("\t"))), "{found}: {codes:?}");

    // The bin under it.
    let histogram = reference::histogram(&planes, histoscope_core::histogram::Components::Rgbl);
    program.point(672 + 288, 650);
    program.after(|| program.key("ctrl+c"), "note: copied code 128 of 255");
    let found = text();
    assert!(found.contains(&format!("\nL\t{}\t", histogram.bins(3)[128])), "{found}");

    // All numbers, if the pointer is nowhere.
    program.take_pointer_away();
    program.after(|| program.key("ctrl+c"), "note: copied the frame's numbers");
    let found = text();
    let median: Vec<_> = (0..4).map(|channel| histogram.stats(channel, None).median.to_string()).collect();
    assert!(found.contains("\nsource\n\tR\tG\tB\tL\n"), "{found}");
    assert!(found.contains(&format!("\nmedian\t{}\n", median.join("\t"))), "{found}: {median:?}");

    // The picture as shown.
    std::thread::sleep(std::time::Duration::from_millis(2700));
    program.after(|| program.key("ctrl+shift+c"), "note: copied the picture, 1280×720");
    let found = clipboard(&display, "image");
    let bare = Picture::from_png(&saved(&program, "shift+s")).expect("a PNG");
    let (width, rgba) = found.split_at(4);
    assert_eq!((width, rgba.len()), (&1280_u32.to_le_bytes()[..], 1280 * 720 * 4));
    let pixels = (0..720).flat_map(|y| (0..1280).map(move |x| (x, y)));
    let wrong = pixels.zip(rgba.chunks_exact(4)).filter(|((x, y), pixel)| bare.pixel(*x, *y) != pixel[..3]).count();
    assert_eq!(wrong, 0, "pixels of the picture differ");
    program.quit_with("q");
}
