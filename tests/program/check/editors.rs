//! Findings and shots for editing programs, read back by OpenTimelineIO.

use crate::check::check;
use crate::check::outputs::TAGS;
use crate::command::packages::python_with_packages;
use crate::command::{finish, program};
use crate::common::Clip;

/// Prints the clips and markers of a timeline: for each its first frame and its number of frames, for markers their
/// colour, too.
const READ: &str = r#"
import sys, opentimelineio as otio
path, rate = sys.argv[1], float(sys.argv[2])
options = {"rate": rate} if path.endswith(".edl") else {}
timeline = otio.adapters.read_from_file(path, **options)
if not isinstance(timeline, otio.schema.Timeline):
    timeline = next(item for item in timeline if isinstance(item, otio.schema.Timeline))
def frames(range):
    return f"{round(range.start_time.rescaled_to(rate).value)}+{round(range.duration.rescaled_to(rate).value)}"
for clip in timeline.find_clips():
    print("clip", frames(clip.source_range))
    for marker in clip.markers:
        print("marker", frames(marker.marked_range), marker.color, marker.name)
"#;

/// Prints the markers of FCPXML with exact times: its reader rounds them down.
const READ_XML: &str = r#"
import sys, fractions, xml.etree.ElementTree
for marker in xml.etree.ElementTree.parse(sys.argv[1]).iter("marker"):
    times = [fractions.Fraction(marker.get(name).rstrip("s")) * 25 for name in ("start", "duration")]
    print(f"marker {times[0]}+{times[1]}", marker.get("completed"), marker.get("value"))
"#;

fn read(script: &str, path: &str) -> Vec<String> {
    let run = finish(python_with_packages().args(["-c", script, path, "25"]));
    assert_eq!(run.code, Some(0), "{path}: {}", run.stderr);
    // Without the figures of a change of the exposure.
    run.stdout.lines().map(|line| line.split(" jumps").next().unwrap_or(line).to_owned()).collect()
}

/// Two shots, from timecode 10:00:00:00 on: frames 0 to 49, of which frame 25 is white, and 50 to 99.
fn clip() -> Clip {
    let shot = |filter: &str| format!("testsrc2=s=96x54:r=25:d=2,hue=s=0,{filter}");
    let shots = [shot("drawbox=c=white:t=fill:enable=eq(n\\,25)"), shot("lutyuv=y=val/3")];
    let shots = format!("{}[a];{}[b];[a][b]concat,format=yuv420p", shots[0], shots[1]);
    Clip::new("two & more.mov", &format!("-filter_complex {shots} -timecode 10:00:00:00 {TAGS} -c:v libx264 -qp 0"))
}

#[test]
fn markers_are_read_by_editing_programs() {
    let clip = clip();
    let place = |ending: &str| clip.folder().join(format!("out.{ending}")).to_str().unwrap().to_owned();
    let [otio, fcpxml] = ["otio", "fcpxml"].map(place);
    let set = ["--set", "black-level.severity=off", "--set", "clipped.severity=off", "--set", "bars.severity=off"];
    let run = check(clip.path(), &[&set[..], &["-o", &otio, "-o", &fcpxml]].concat());
    assert_eq!(run.code, Some(4), "{}", run.stdout);
    // Ten hours are 900,000 frames.
    let expected =
        ["clip 900000+100", "marker 900025+1 RED error flash, 1 frame", "marker 900050+1 YELLOW warning exposure"];
    assert_eq!(read(READ, &otio), expected);
    assert_eq!(read(READ, &fcpxml)[0], expected[0]);
    assert_eq!(
        read(READ_XML, &fcpxml),
        ["marker 900025+1 0 error flash, 1 frame", "marker 900050+1 None warning exposure"]
    );
}

#[test]
fn shots_are_read_by_editing_programs() {
    let clip = clip();
    let place = |ending: &str| clip.folder().join(format!("shots.{ending}")).to_str().unwrap().to_owned();
    let outputs = ["edl", "otio", "fcpxml"].map(place);
    let mut report = program();
    report.arg("report").arg(clip.path()).args(["--quiet", "--engine", "cpu"]);
    for output in &outputs {
        report.args(["--shots", output]);
    }
    let run = finish(&mut report);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for output in &outputs {
        assert_eq!(read(READ, output), ["clip 900000+50", "clip 900050+50"], "{output}");
    }
}
