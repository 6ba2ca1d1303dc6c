//! What is handed over: pictures with labels and bare, with the bins beside them, and what Ctrl+C puts on the desktop's clipboard.

use std::path::{Path, PathBuf};

use histoscope_core::histogram::reference;
use histoscope_core::picture::Picture as Planes;
use histoscope_media::{Decoder, OpenOptions};

use crate::display::Display;
use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, output_of};
use crate::{paused_sample, sample, turn};

/// Where the program that reads the clipboard writes what it found.
const TARGET: &str = "HISTOSCOPE_TEST_CLIPBOARD_TO";

/// Presses a key that saves; the picture's path.
fn saved(program: &Program, key: &str) -> PathBuf {
    let line = program.after(|| program.key(key), "note: saved ");
    let path = line.split("saved ").nth(1).and_then(|rest| rest.split(" and its bins").next()).expect("a path");
    Path::new(path).to_owned()
}

fn bins_beside(picture: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(picture.with_extension("json")).expect("the bins lie beside the picture");
    serde_json::from_str(&text).expect("they are JSON")
}

#[test]
fn a_saved_picture_has_labels_and_a_bare_one_is_the_view() {
    let _turn = turn();
    let display = Display::start();
    let program = paused_sample(&display, &[]);
    let view = program.settled();
    let bare = saved(&program, "shift+s");
    let labelled = saved(&program, "s");
    assert_eq!(bins_beside(&bare)["channels"], bins_beside(&labelled)["channels"]);
    let [bare, labelled] = [bare, labelled].map(|path| Picture::from_png(&path).expect("a PNG"));
    assert_eq!(bare.differing(&view, Area::Below), 0, "the bare one is what the window shows");
    assert_eq!(labelled.width, bare.width);
    assert!(labelled.height > bare.height + 40, "{}: the caption stands below the view", labelled.height);
    // The picture and the bars are not touched; right above the histograms are codes and names.
    let differing = |rows: std::ops::Range<u32>| {
        let pixels = rows.flat_map(|y| (0..1280).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| bare.pixel(x, y) != labelled.pixel(x, y)).count()
    };
    assert_eq!((differing(0..505), differing(540..720)), (0, 0));
    assert!(differing(507..540) > 10_000, "{}", differing(507..540));
    // Light letters on a dark ground.
    let caption: Vec<_> = (722..labelled.height).flat_map(|y| (0..1280).map(move |x| (x, y))).collect();
    let light = caption.iter().filter(|(x, y)| labelled.pixel(*x, *y)[1] > 170).count();
    let dark = caption.iter().filter(|(x, y)| labelled.pixel(*x, *y)[1] < 30).count();
    assert!(light > 500 && dark > caption.len() / 2, "{light} light, {dark} dark of {}", caption.len());
    program.quit_with("q");
}

/// What lies on the display's clipboard: another program asks for it, since one display is not the tests' own.
fn clipboard(display: &Display, kind: &str) -> Vec<u8> {
    let target = tempfile::NamedTempFile::new().expect("a temporary file");
    let own = std::env::current_exe().expect("this program");
    let mut command = display.command(own.to_str().expect("a path"));
    command.args(["--ignored", "--exact", "results::tells_what_is_on_the_clipboard"]);
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

    // All numbers where it is at nothing.
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
