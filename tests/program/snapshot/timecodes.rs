//! Choosing a frame by its timecode, and the timecode below a picture.

use crate::command::{figures, run};
use crate::common::timecoded::clip;

const X264: &str = "-c:v libx264 -preset ultrafast -g 12";

#[test]
fn a_timecode_leads_to_its_frame() {
    for (name, arguments) in [("clip.mov", X264), ("clip.mkv", X264), ("clip.mpg", "-c:v mpeg2video -bf 2 -g 12")] {
        let clip = clip(name, ("30000/1001", "23:59:58;28"), 60, arguments);
        for (at, frame) in [("23:59:58;28", 0), ("23:59:59;00", 2), ("00:00:00;00", 32), ("00:00:00;27", 59)] {
            let json = figures(clip.path(), &["--at", at, "--engine", "cpu"]);
            assert_eq!((&json["frame"], &json["timecode"]), (&frame.into(), &at.into()), "{name}");
        }
        for at in ["23:59:58;27", "00:00:00;28", "00:00:00:05"] {
            let run = run(["snapshot", clip.path().to_str().unwrap(), "--at", at, "--json", "--engine", "cpu"]);
            let expected = format!("{name}: no frame has the timecode {at}; the first one has 23:59:58;28\n");
            assert!(run.code == Some(1) && run.stderr.ends_with(&expected), "{run:?}");
        }
    }
}

#[test]
fn the_timecode_stands_below_a_labelled_picture() {
    let clips = ["10:00:00:00", "10:00:00:08"].map(|first| clip("clip.mov", ("25", first), 3, X264));
    let picture = |at: usize, name: &str, more: &[&str]| {
        let output = clips[at].folder().join(name);
        let file = clips[at].path().to_str().unwrap();
        let arguments = [&["snapshot", file, "-o", output.to_str().unwrap()], more].concat();
        let run = run(arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        std::fs::read(output).unwrap()
    };
    assert_eq!(picture(0, "bare.png", &[]), picture(1, "bare.png", &[]), "nothing but their timecodes differs");
    assert_ne!(picture(0, "labelled.png", &["--labels"]), picture(1, "labelled.png", &["--labels"]));
}
