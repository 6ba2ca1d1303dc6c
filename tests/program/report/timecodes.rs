//! Timecodes in a report: those of shots, and breaks.

use std::fs;

use crate::common::timecoded::{clip, hevc};
use crate::report::{page_of, report};

#[test]
fn breaks_of_the_timecode_are_listed() {
    let stated: Vec<_> =
        (0..30).map(|frame| if frame < 20 { [10, 0, 0, frame] } else { [12, 0, 0, frame - 20] }).collect();
    let page = page_of(hevc("jump.hevc", &stated).path(), &[]);
    let row = "<td>0:00.800<small>frame 20</small></td><td>12:00:00:00<small>instead of 10:00:00:20</small></td>";
    assert!(
        page.contains("<p>1 break: frames whose timecode does not follow from the one before.</p>")
            && page.contains(row),
        "{page}"
    );
    assert!(page.contains("10:00:00:00 at the video&#39;s first frame, from each frame"), "{page}");
    let whole = clip("clip.mov", ("25", "23:59:59:20"), 20, "-c:v libx264 -preset ultrafast");
    let page = page_of(whole.path(), &[]);
    assert!(page.contains("<p>It continues from frame to frame.</p>") && !page.contains("id=\"breaks\""), "{page}");
}

#[test]
fn shots_have_their_timecodes() {
    let whole = clip("clip.mov", ("25", "23:59:59:20"), 20, "-c:v libx264 -preset ultrafast");
    let table = whole.folder().join("shots.csv");
    let page = whole.folder().join("report.html");
    assert_eq!(report(whole.path(), &page, &["--shots", table.to_str().unwrap()]).code, Some(0));
    let text = fs::read_to_string(table).unwrap();
    assert!(text.lines().nth(1).unwrap().ends_with(",Start SMPTE Timecode,End SMPTE Timecode"), "{text}");
    assert!(text.lines().nth(2).unwrap().ends_with(",23:59:59:20,00:00:00:14"), "{text}");
    assert_eq!(super::shots::load_scenes(&text), [0; 0]);
    assert!(fs::read_to_string(page).unwrap().contains("<small>frame 0, 23:59:59:20</small>"));
}
