//! `--guides`: lines between the samples that EBU R 95 names, and a shade outside a mask.

use crate::command::{run, sample};
use crate::common::Clip;
use crate::snapshot::png_file::snapshot;

#[test]
fn lines_lie_where_the_standard_has_them_and_masks_shade_the_rest() {
    let source = "-f lavfi -i color=c=0x808080:s=1920x1080:r=25:d=0.04 -pix_fmt yuv444p -c:v ffv1";
    let clip = Clip::new("gray.nut", source);
    let bare = snapshot(clip.path(), &["--no-overlay"]);
    let gray = bare.at(960, 100);
    let safe = snapshot(clip.path(), &["--no-overlay", "--guides", "safe"]);
    // Here, lines are four and a half pixels wide, around the edge between two samples.
    let band = |edge: u32| edge - 3..edge + 3;
    let columns: Vec<_> = (0..960).filter(|&x| safe.at(x, 300) != gray).collect();
    assert_eq!(columns, band(67).chain(band(96)).collect::<Vec<_>>());
    let rows: Vec<_> = (0..540).filter(|&y| safe.at(700, y) != gray).collect();
    assert_eq!(rows, band(38).chain(band(54)).collect::<Vec<_>>());
    assert_eq!(safe.at(960, 200), gray, "nothing is drawn elsewhere");
    let mask = snapshot(clip.path(), &["--no-overlay", "--guides", "2.39"]);
    let shaded = |y: u32| mask.at(960, y)[0] < gray[0] / 2 + 10;
    assert!(shaded(0) && shaded(130) && shaded(950) && shaded(1079), "138 rows are shaded above and below");
    assert_eq!([mask.at(960, 145), mask.at(960, 930)], [gray; 2]);
}

#[test]
fn what_is_not_a_guide_is_refused() {
    let sample = sample().to_str().expect("plain");
    for list in ["box", "safe,0:1", ""] {
        let refused = run(["snapshot", sample, &format!("--guides={list}")]);
        let sentence = "is not a guide; choose among safe, caption, cross and one aspect";
        assert!(refused.code == Some(2) && refused.stderr.contains(sentence), "{list}: {}", refused.stderr);
    }
}
