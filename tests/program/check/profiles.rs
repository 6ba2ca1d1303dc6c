//! Profiles for HDR, settings that are changed for one run, and waivers.

use std::fs;

use serde_json::Value;

use crate::check::check;
use crate::check::outputs::{TAGS, flashing};
use crate::common::Clip;

/// Returns the texts of the findings of a check by a built-in profile.
fn texts(clip: &Clip, profile: &str, check_name: &str) -> Vec<String> {
    let output = clip.folder().join("found.json");
    let run = check(clip.path(), &["--profile", profile, "-o", output.to_str().unwrap()]);
    assert!(matches!(run.code, Some(0 | 4)) && run.stderr.is_empty(), "{run:?}");
    let found: Value = serde_json::from_str(&fs::read_to_string(output).unwrap()).unwrap();
    let findings = found["files"][0]["findings"].as_array().unwrap().iter();
    let of_check = findings.filter(|finding| finding["check"] == check_name);
    of_check.map(|finding| finding["finding"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn hdr_is_checked_by_its_tags_its_light_and_its_colours() {
    let hdr = |name: &str, transfer: &str, filter: &str| {
        let tags = format!("-colorspace bt2020nc -color_primaries bt2020 -color_trc {transfer} -color_range tv");
        Clip::moving(name, "96x54", 0.4, &format!("-vf {filter}format=yuv420p10le {tags} -c:v ffv1"))
    };
    let pq = hdr("pq.mkv", "smpte2084", "");
    assert_eq!(texts(&pq, "hdr10", "dynamic-range"), [""; 0]);
    assert_eq!(
        texts(&pq, "hdr10", "light"),
        ["no MaxCLL is stated", "no MaxFALL is stated", "no mastering display is stated"]
    );
    // The saturated colours of the test source are those of BT.2020 here; gray lies within every gamut.
    assert_eq!(texts(&pq, "hdr10", "gamut"), ["outside P3-D65, 10 frames"]);
    assert_eq!(texts(&hdr("gray.mkv", "smpte2084", "hue=s=0,"), "hdr10", "gamut"), [""; 0]);
    assert_eq!(texts(&pq, "streaming-sdr", "dynamic-range"), ["tagged as PQ, SDR is expected"]);
    let hlg = hdr("hlg.mkv", "arib-std-b67", "");
    assert_eq!(texts(&hlg, "hlg", "dynamic-range"), [""; 0]);
    assert_eq!(texts(&hlg, "hdr10", "dynamic-range"), ["the transfer is arib-std-b67, PQ is expected of HDR10"]);
    assert_eq!(texts(&hlg, "hdr10", "light"), [""; 0], "HLG states none");
    let sdr = Clip::moving("sdr.mkv", "96x54", 0.4, &format!("-vf format=yuv420p {TAGS} -c:v ffv1"));
    assert_eq!(texts(&sdr, "hlg", "dynamic-range").len(), 3, "transfer, primaries and depth");
    assert_eq!(texts(&sdr, "streaming-sdr", "dynamic-range"), [""; 0]);
    let bare = Clip::moving("bare.mkv", "96x54", 0.4, "-vf format=yuv420p10le -c:v ffv1");
    assert_eq!(
        texts(&bare, "hdr10", "dynamic-range"),
        [
            "the transfer is not tagged, PQ is expected of HDR10",
            "the primaries are not tagged, BT.2020 is expected of HDR10"
        ]
    );
}

#[test]
fn settings_change_a_profile_for_one_run() {
    let clip = flashing();
    assert_eq!(check(clip.path(), &[]).code, Some(4));
    let without = check(clip.path(), &["--set", "flash.severity=off", "--set", "black.shortest=0.5"]);
    assert_eq!(without.code, Some(0), "{}", without.stdout);
    for (setting, what) in [
        ("flash.severty=off", "unknown key 'severty'"),
        ("frozen.shortest=2s", "a shortest length is a number of seconds from 0 to 86400"),
        ("flash.threshold=2", "the check flash has no threshold"),
        ("flash", "write CHECK.KEY=VALUE"),
    ] {
        let wrong = check(clip.path(), &["--set", setting]);
        assert_eq!(wrong.code, Some(2), "{setting}: {wrong:?}");
        assert!(wrong.stderr.contains(what), "{setting}: {}", wrong.stderr);
    }
}

#[test]
fn a_waived_finding_is_listed_and_does_not_fail() {
    let clip = flashing();
    let place = |name: &str| clip.folder().join(name).to_str().unwrap().to_owned();
    let waivers = "[[waiver]]\ncheck = \"flash\"\nframes = [25, 25]\nfile = \"flashing.mkv\"\n\
                   reason = \"a camera's flash\"\nname = \"A. Operator\"\n";
    fs::write(place("one.toml"), waivers).unwrap();
    let one = check(clip.path(), &["--waivers", &place("one.toml")]);
    assert_eq!(one.code, Some(4), "the other flash remains: {}", one.stdout);
    assert!(one.stdout.contains("error, waived by A. Operator: a camera's flash"), "{}", one.stdout);
    // Those beside a profile are used with it.
    let printed = crate::command::run(["check", "--print-profile"]);
    fs::write(place("mine.toml"), printed.stdout).unwrap();
    fs::write(place("mine.waivers.toml"), waivers.replace("frames = [25, 25]\n", "")).unwrap();
    let [profile, json, csv, html] = ["mine.toml", "out.json", "out.csv", "out.html"].map(place);
    let both = check(clip.path(), &["--profile", &profile, "-o", &json, "-o", &csv, "-o", &html]);
    assert_eq!(both.code, Some(0), "{}", both.stdout);
    assert!(both.stdout.contains("0 errors, 1 warning, 0 notes, 2 waived in 50 frames"), "{}", both.stdout);
    let found: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let findings = found["files"][0]["findings"].as_array().unwrap();
    let waived: Vec<_> = findings.iter().filter(|finding| finding["waived_by"] == "A. Operator").collect();
    assert_eq!(waived.len(), 2, "{findings:?}");
    assert_eq!((&waived[0]["severity"], &waived[0]["waived_because"]), (&"error".into(), &"a camera's flash".into()));
    assert!(fs::read_to_string(csv).unwrap().lines().any(|line| line.ends_with(",A. Operator,a camera's flash")));
    assert!(fs::read_to_string(html).unwrap().contains("waived by A. Operator: a camera&#39;s flash"));
    // A waiver that is about another frame is named.
    fs::write(place("idle.toml"), waivers.replace("[25, 25]", "[26, 30]")).unwrap();
    let idle = check(clip.path(), &["--waivers", &place("idle.toml")]);
    assert!(idle.stderr.contains("idle.toml, line 1: this waiver is about none of the findings"), "{idle:?}");
    assert!(one.stderr.is_empty(), "{one:?}");
    // A waiver without a reason.
    fs::write(place("bad.toml"), waivers.replace("reason = \"a camera's flash\"\n", "")).unwrap();
    let bad = check(clip.path(), &["--waivers", &place("bad.toml")]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(bad.stderr.contains("bad.toml, line 1: the waiver states no reason"), "{}", bad.stderr);
    let missing = check(clip.path(), &["--waivers", "no/such.toml"]);
    assert!(missing.code == Some(1) && missing.stderr.contains("no/such.toml cannot be read"), "{missing:?}");
}
