//! Codes written in large pixels: zoomed in with the wheel and by key, paused and while playing.

use glam::DVec2;
use histoscope_core::histogram::Components;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, Ratio};
use histoscope_render::view::datascope::{Datascope, Writing, ink_on};
use histoscope_render::view::placement::{Fit, Placement, Shape, ViewSettings};

use crate::picture::Picture;
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};

/// The largest zoom.
const CELL: u32 = 64;
const VIEW: (u32, u32) = (1280, 720);
/// The checked columns, away from controls and labels.
const COLUMNS: std::ops::Range<u32> = 90..1190;
const ROWS: std::ops::Range<u32> = 150..560;

/// Makes a clip of grays that changes from frame to frame. Neighbouring pixels always differ.
fn grays() -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let source = "color=gray:s=64x36:r=10:d=20,format=yuv420p,geq=lum='16+mod(3*X+7*Y+5*N,219)':cb=128:cr=128";
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-c:v", "ffv1"]).arg(clip.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

/// Returns the way codes are written in the largest pixels.
fn writing(datascope: Datascope, components: Components) -> Writing {
    let shape = Shape { width: 64, height: 36, sample_aspect: Ratio::ONE, orientation: Orientation::default() };
    let settings =
        ViewSettings { zoom: f64::from(CELL), centre: DVec2::splat(0.5), ..ViewSettings::fitted(Fit::Actual) };
    let codes = datascope.codes(&PixelLayout::planar_ycbcr(8, (1, 1)), components).expect("it is on");
    codes.writing(&Placement::new(&shape, &settings, VIEW)).expect("there is room")
}

/// Finds the first whole cell in a picture without codes.
fn first_cell(bare: &Picture) -> (u32, u32) {
    let differs = |a: (u32, u32), b: (u32, u32)| bare.pixel(a.0, a.1) != bare.pixel(b.0, b.1);
    let x = COLUMNS
        .clone()
        .find(|&x| differs((x - 1, ROWS.start), (x, ROWS.start)))
        .expect("pixels beside each other differ");
    let y = ROWS.clone().find(|&y| differs((COLUMNS.start, y - 1), (COLUMNS.start, y))).expect("and below each other");
    (x, y)
}

/// Compares every whole cell with the definition for the gray at its corner. Returns the number of cells.
fn read(picture: &Picture, (left, top): (u32, u32), writing: &Writing) -> Result<u32, String> {
    let mut cells = 0;
    for y in (top..ROWS.end - CELL).step_by(CELL as usize) {
        for x in (left..COLUMNS.end - CELL).step_by(CELL as usize) {
            let ground = picture.pixel(x, y);
            let gray = u32::from(ground[0]);
            let luma = (16..235).find(|luma| ((luma - 16) * 510 + 219) / 438 == gray);
            let luma =
                luma.filter(|_| ground == [ground[0]; 3]).ok_or_else(|| format!("no gray at {x}, {y}: {ground:?}"))?;
            let values = if writing.is_coded { [luma, 128, 128] } else { [gray; 3] };
            for (down, across) in (0..CELL).flat_map(|down| (0..CELL).map(move |across| (down, across))) {
                let is_ink = writing.is_ink([across, down], [CELL; 2], values);
                let expected = if is_ink { ink_on(ground) } else { ground };
                let found = picture.pixel(x + across, y + down);
                if found != expected {
                    return Err(format!("{values:?} at {x}, {y}: {found:?} and not {expected:?} at {across}, {down}"));
                }
            }
            cells += 1;
        }
    }
    Ok(cells)
}

#[test]
fn the_codes_of_pixels_are_read_off_them_while_it_stands_and_while_it_plays() {
    let clip = grays();
    for engine in ["cpu", "gpu"] {
        let file = clip.path().to_str().expect("a plain path");
        let program = Program::start_with(file, &["--engine", engine, "--paused", "--loop"]);
        program.resize(VIEW.0, VIEW.1);
        program.key("h");
        program.point(640, 360);
        program.turn_wheel(40);
        program.take_pointer_away();
        program.after(
            || program.key("d"),
            "note: codes in pixels: hexadecimal  ·  from 16:1 on, red over green over blue",
        );
        program.after(|| program.key("d"), "note: codes in pixels off");
        // Waits for the notes to fade.
        program.pass(std::time::Duration::from_millis(2000));
        let bare = program.settled();
        let first = first_cell(&bare);
        let reads = |what: &str, datascope, components| {
            let mut wrong = String::new();
            let cells = until(&format!("{what} with {engine}"), PATIENCE, || {
                let found = read(&program.picture(), first, &writing(datascope, components));
                found.map_err(|error| wrong = error).ok()
            });
            assert!(cells > 70, "{cells}");
        };
        program.after(|| program.key("d"), "note: codes in pixels: decimal");
        reads("red, green and blue", Datascope::Decimal, Components::Rgbl);
        program.after(|| program.key("y"), "note: counting Y'");
        reads("Y', Cb and Cr", Datascope::Decimal, Components::YCbCr);
        program.after(|| program.key("d"), "note: codes in pixels: hexadecimal  ·  from 16:1 on, Y' over Cb over Cr");
        reads("Y', Cb and Cr in hexadecimal", Datascope::Hexadecimal, Components::YCbCr);
        program.key("space");
        for _ in 0..3 {
            let before = program.picture();
            until("another frame", PATIENCE, || {
                let now = program.picture();
                (now.pixel(first.0, first.1) != before.pixel(first.0, first.1)).then_some(())
            });
            reads("the codes of the frame that is shown", Datascope::Hexadecimal, Components::YCbCr);
        }
        program.after(|| program.key("d"), "note: codes in pixels off");
        program.quit_with("q");
    }
}
