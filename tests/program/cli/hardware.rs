//! The choice of a hardware decoder on machines that may have none.

use crate::command::{run, sample};

/// A kind that no machine of this system has.
const ELSEWHERE: &str = if cfg!(windows) { "videotoolbox" } else { "d3d11va" };

#[test]
fn hardware_that_does_not_exist_is_an_error_in_one_line_only_if_it_was_named() {
    let clip = sample().to_str().unwrap();
    let counted =
        |kind: &str| run(["analyze", clip, "--to", "5f", "--format", "csv", "-q", "--engine", "cpu", "--hwdec", kind]);
    let failed = counted(ELSEWHERE);
    assert_eq!((failed.code, failed.stdout.as_str(), failed.stderr.lines().count()), (Some(1), "", 1), "{failed:?}");
    let advice = format!("cannot be decoded with {ELSEWHERE} (");
    assert!(failed.stderr.contains(&advice) && failed.stderr.contains("leave --hwdec out"), "{failed:?}");
    let plain = counted("no");
    assert_eq!((plain.code, plain.stderr.as_str()), (Some(0), ""), "{plain:?}");
    let frames = plain.stdout.lines().filter(|line| line.starts_with("1,")).count();
    assert_eq!(frames, 5, "{plain:?}");
}
