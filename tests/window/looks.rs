//! The look of histograms, chosen in the menu and by options: drawn as by `snapshot`, undone by Ctrl+Z, and kept for
//! the next run.

use crate::hands::choose;
use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::sample;

/// A look other than the default.
struct Look {
    /// The options for it.
    options: [&'static str; 2],
    /// The entries of the menu that lead to it, and back.
    there: [&'static str; 2],
    back: [&'static str; 2],
    /// The note for each.
    notes: [&'static str; 2],
    /// The overlays that change.
    changed: &'static [Area],
}

const OVERLAYS: [Area; 2] = [Area::Left, Area::Right];

/// Opens the sample, paused on its first frame, with settings in this folder.
fn paused_at_home(options: &[&str], home: &tempfile::TempDir) -> Program {
    let program = Program::start_at_home(&[&[sample(), "--paused"], options].concat(), home.path());
    program.take_pointer_away();
    program
}

fn check(look: &Look) {
    let Look { options, there, back, notes, changed } = look;
    let home = tempfile::tempdir().expect("a temporary folder");
    let program = paused_at_home(&[], &home);
    let size = program.picture().size();
    let first = program.snapshot(sample(), "0", size.0, size.1);
    let other = program.snapshot_with(sample(), "0", size, options);
    for area in OVERLAYS {
        // A line is drawn by the shaders, where the CPU alone paints bars: they differ by one code at most.
        let count = other.differing_by(&first, area, 1);
        assert_eq!(count > 300, changed.contains(&area), "{options:?} changes {count} pixels in {area:?}");
        assert!(count > 300 || count == 0, "{options:?} changes {count} pixels in {area:?}");
    }
    let shows = |program: &Program, what: &str, picture: &Picture| {
        for area in OVERLAYS {
            program.until_same(&format!("{what} to be drawn in {area:?}"), picture, area);
        }
    };
    shows(&program, "the first look", &first);

    program.after(|| choose(&program, there), notes[0]);
    program.take_pointer_away();
    shows(&program, "the look of the menu", &other);
    let changed_to = notes[0].trim_start_matches("note: ");
    program.after(|| program.key("ctrl+z"), &format!("note: undone: {changed_to}"));
    shows(&program, "the look before", &first);
    program.after(|| program.key("ctrl+shift+z"), &format!("note: redone: {changed_to}"));
    shows(&program, "the look of the menu again", &other);
    program.quit_with("q");

    let program = paused_at_home(&[], &home);
    shows(&program, "the look that was kept", &other);
    program.after(|| choose(&program, back), notes[1]);
    program.take_pointer_away();
    shows(&program, "the first look by the menu", &first);
    program.quit_with("q");

    let program = paused_at_home(options, &home);
    shows(&program, "the look of the options", &other);
    program.quit_with("q");
}

#[test]
fn luminance_of_linear_light_is_a_line_over_that_of_the_codes() {
    check(&Look {
        options: ["--luminance", "linear"],
        there: ["Channels", "Show luminance of linear light"],
        back: ["Channels", "Hide luminance of linear light"],
        notes: ["note: luminance of linear light on", "note: luminance of linear light off"],
        changed: &[Area::Right],
    });
}

#[test]
fn colours_of_overlaps_come_from_the_table() {
    check(&Look {
        options: ["--overlaps", "table"],
        there: ["Overlap colours", "Overlaps: from the table"],
        back: ["Overlap colours", "Overlaps: mixed as light"],
        notes: ["note: overlaps: from the table", "note: overlaps: mixed as light"],
        // Luminance alone is white in the table.
        changed: &OVERLAYS,
    });
}
