//! Exit codes, outputs, profiles, and the checks of a whole file.

use std::fs;

use serde_json::Value;

use crate::check::{check, found, of};
use crate::command::run;
use crate::common::{Clip, odd};

/// Tags that state how FFmpeg's test source is coded.
pub const TAGS: &str = "-color_range tv -colorspace smpte170m -color_primaries smpte170m -color_trc smpte170m";

/// Returns two seconds of a moving picture with a white frame at 25 and black frames from 40 to 42.
pub fn flashing() -> Clip {
    // In gray, as the colours of the test source lie outside EBU R 103.
    let boxes = "hue=s=0,drawbox=c=white:t=fill:enable=eq(n\\,25),drawbox=c=black:t=fill:enable=between(n\\,40\\,42)";
    Clip::moving("flashing.mkv", "96x54", 2.0, &format!("-vf {boxes},format=yuv420p {TAGS} -c:v ffv1"))
}

#[test]
fn a_file_with_an_error_has_not_passed() {
    let clip = flashing();
    let bad = check(clip.path(), &[]);
    assert_eq!((bad.code, bad.stderr.as_str()), (Some(4), ""), "{}", bad.stdout);
    assert!(bad.stdout.contains("flash, 1 frame") && bad.stdout.contains("flash, 3 frames"), "{}", bad.stdout);
    assert!(!bad.stdout.contains("1 frame  1 frame"), "the length is said once: {}", bad.stdout);
    assert!(bad.stdout.contains("not passed by ebu: 2 errors"), "{}", bad.stdout);
    let clean = Clip::moving("clean.mkv", "96x54", 1.0, &format!("-vf hue=s=0,format=yuv420p {TAGS} -c:v ffv1"));
    let good = check(clean.path(), &[]);
    assert_eq!((good.code, good.stderr.as_str()), (Some(0), ""), "{}", good.stdout);
    let both = check(clip.path(), &[clean.path().to_str().unwrap()]);
    assert_eq!(both.code, Some(4));
    assert_eq!(both.stdout.lines().last(), Some("1 of 2 files passed"), "{}", both.stdout);
    let missing = check(clip.path(), &["no/such.mp4"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stdout.contains("flash, 1 frame"), "the other file is checked: {}", missing.stdout);
}

#[test]
fn every_output_has_the_findings() {
    let clip = flashing();
    let outputs = ["a.csv", "a.json", "a.html", "a.edl"].map(|name| clip.folder().join(name));
    let mut arguments = Vec::new();
    outputs.iter().for_each(|output| arguments.extend(["-o", output.to_str().unwrap()]));
    assert_eq!(check(clip.path(), &arguments).code, Some(4));
    let [table, json, page, markers] = outputs.map(|output| fs::read_to_string(output).unwrap());
    assert!(table.lines().any(|line| line.contains(",flash,error,1.0,1.04,25,25,")), "{table}");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["files"][0]["passed"], false);
    let flashes = json["files"][0]["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == "flash");
    assert_eq!(flashes.map(|flash| flash["frame"].as_u64().unwrap()).collect::<Vec<_>>(), [25, 40]);
    let (_, list) = page.split_once("<table class=\"frames\" id=\"check\">").expect("the findings");
    assert!(!page.contains("id=\"findings\""), "findings are listed once");
    let list = list.split("</table>").next().unwrap();
    assert!(list.contains("flash, 1 frame") && list.contains("<img alt=\"Frame 25\""), "{list}");
    assert!(markers.contains("01:00:01:00 01:00:01:01 01:00:01:00 01:00:01:01"), "{markers}");
    assert!(markers.contains("|C:ResolveColorRed |M:error flash, 1 frame"), "{markers}");
}

#[test]
fn profiles_are_printed_and_their_mistakes_named() {
    let printed = run(["check", "--print-profile", "--profile", "camera"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    let clip = flashing();
    let profile = clip.folder().join("mine.toml");
    fs::write(&profile, &printed.stdout).unwrap();
    let arguments = ["--profile", profile.to_str().unwrap()];
    assert_eq!(check(clip.path(), &arguments).code, Some(4));
    fs::write(&profile, printed.stdout.replace("[flash]", "[flahs]")).unwrap();
    let line = printed.stdout.lines().position(|line| line == "[flash]").unwrap() + 1;
    let wrong = check(clip.path(), &arguments);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""));
    assert!(wrong.stderr.contains(&format!("mine.toml, line {line}: unknown check 'flahs'")), "{}", wrong.stderr);
    fs::write(&profile, "[black]\nseverity = \"error\"\nthreshold = 980\n").unwrap();
    let absurd = check(clip.path(), &arguments);
    assert_eq!((absurd.code, absurd.stdout.as_str()), (Some(1), ""));
    assert!(absurd.stderr.contains("mine.toml, line 3: "), "{}", absurd.stderr);
    assert_eq!(check(clip.path(), &["-o", "a.txt"]).code, Some(2));
    let page = check(clip.path(), &[clip.path().to_str().unwrap(), "-o", "a.edl"]);
    assert_eq!(page.code, Some(2), "{}", page.stderr);
}

#[test]
fn the_active_picture_and_missing_tags_are_found() {
    let clip = Clip::moving("bars.mkv", "96x54", 1.0, "-vf pad=96:74:0:10,format=yuv420p -c:v ffv1");
    let run = check(clip.path(), &[]);
    assert!(run.stdout.contains("black bars, 10 above, 10 below; active picture 96×54 at 0,10"), "{}", run.stdout);
    assert!(run.stdout.contains("not tagged: "), "{}", run.stdout);
    let found = found(clip.path());
    assert_eq!((of(&found, "bars"), of(&found, "tags")), (vec![(0, 24)], vec![(0, 0)]));
}

#[test]
fn bars_of_a_part_and_jumps_of_the_exposure_are_found() {
    // Bars from frame 20 to 59, and a brighter picture from 75 to 99.
    let bars = [0, 44].map(|y| format!("drawbox=y={y}:h=10:c=black:t=fill:enable=between(n\\,20\\,59)")).join(",");
    let brighter = "eq=brightness=0.15:enable=between(n\\,75\\,99)";
    // Gray, and below the limits of EBU R 103, with noise as of a camera.
    let picture = format!("hue=s=0,eq=contrast=0.6,noise=alls=6:allf=t,{bars},{brighter}");
    let clip = Clip::moving("parts.mkv", "96x54", 5.0, &format!("-vf {picture},format=yuv420p {TAGS} -c:v ffv1"));
    let all = found(clip.path());
    assert_eq!((of(&all, "bars"), of(&all, "exposure")), (vec![(20, 59)], vec![(75, 99)]), "{all:?}");
    // One picture after another, as in a dialogue, is no jump; neither is a fade.
    let other = "drawbox=x=30:w=60:h=54:c=white:t=fill:enable=between(n\\,30\\,60),fade=in:0:10";
    let cuts = Clip::moving("cuts.mkv", "96x54", 4.0, &format!("-vf hue=s=0,{other},format=yuv420p {TAGS} -c:v ffv1"));
    let all = found(cuts.path());
    assert_eq!((of(&all, "bars"), of(&all, "exposure")), (vec![], vec![]), "{all:?}");
}

#[test]
fn ebu_r103_is_judged_behind_its_filter() {
    // Gray with a bright dot in 64 pixels, and gray with one patch of a 55th of the picture.
    let made = |name: &str, luma: &str| {
        let source = format!("color=gray:s=640x360:r=5:d=1,format=yuv420p,geq=lum='{luma}':cb=128:cr=128");
        let clip = Clip::new(name, &format!("-f lavfi -i {source} {TAGS} -c:v ffv1"));
        // The adapter counts like the CPU, which software adapters leave this to.
        let [by_cpu, by_gpu] = ["cpu", "gpu"].map(|engine| {
            let table = clip.folder().join(format!("{engine}.csv"));
            let [clip, output] = [clip.path(), &table].map(|path| path.to_str().unwrap());
            run(["check", clip, "--engine", engine, "-o", output]);
            fs::read_to_string(table).unwrap()
        });
        assert_eq!(by_cpu, by_gpu);
        of(&found(clip.path()), "range")
    };
    assert_eq!(made("dots.mkv", "if(mod(X\\,8)+mod(Y\\,8)\\,126\\,250)"), []);
    assert_eq!(made("patch.mkv", "if(lt(X\\,70)*lt(Y\\,60)\\,250\\,126)"), [(0, 4)]);
}

#[test]
fn a_finding_names_its_worst_frame() {
    let boxes = [(10, 8), (11, 16), (12, 12)]
        .map(|(frame, width)| format!("drawbox=w={width}:h=54:c=white:t=fill:enable=eq(n\\,{frame})"));
    let filters = format!("hue=s=0,eq=contrast=0.6,{},format=yuv420p {TAGS}", boxes.join(","));
    let clip = Clip::moving("worst.mkv", "96x54", 1.0, &format!("-vf {filters} -c:v ffv1"));
    let table = clip.folder().join("worst.csv");
    let run = check(clip.path(), &["-o", table.to_str().unwrap()]);
    let table = fs::read_to_string(table).unwrap();
    assert!(table.lines().any(|line| line.contains(",clipped,") && line.ends_with(",11,0.44,,,")), "{table}");
    assert!(run.stdout.contains(" % at 0:00.440 (limit 1"), "{}", run.stdout);
}

#[test]
fn repeated_and_missing_frames_are_found() {
    let repeated = Clip::moving("repeated.mkv", "96x54", 3.0, &format!("-vf fps=50,format=yuv420p {TAGS} -c:v ffv1"));
    let found_there = found(repeated.path());
    assert_eq!(of(&found_there, "cadence").len(), 1, "{found_there:?}");
    let select = "select=lt(n\\,20)+gt(n\\,24),format=yuv420p";
    let gap = Clip::moving("gap.mkv", "96x54", 4.0, &format!("-vf {select} -vsync vfr {TAGS} -c:v ffv1"));
    assert_eq!(of(&found(gap.path()), "gaps"), [(19, 19)]);
    // Many gaps are a variable rate, and one finding.
    let frames = (0..200).filter(|n| n % 7 > 2 && n % 11 > 3).count() as u64;
    let select = "select=gt(mod(n\\,7)\\,2)*gt(mod(n\\,11)\\,3),format=yuv420p";
    let variable = Clip::moving("variable.mkv", "96x54", 8.0, &format!("-vf {select} -vsync vfr {TAGS} -c:v ffv1"));
    let found_there = found(variable.path());
    assert_eq!(of(&found_there, "gaps"), [(0, frames - 1)], "{found_there:?}");
    // A telephone's clip that changes from 60 to 24 frames a second: each frame lasts until the next.
    let source = |rate| format!("testsrc2=s=96x54:r={rate}:d=1");
    let rates = format!("-f lavfi -i {}[a];{}[b];[a][b]concat,settb=1/600", source(60), source(24));
    let rates = Clip::new("rates.mp4", &format!("{rates} -pix_fmt yuv420p -fps_mode vfr {TAGS} -c:v libx264"));
    assert_eq!(of(&found(rates.path()), "gaps"), [], "{:?}", found(rates.path()));
}

#[test]
fn damage_and_single_frames_are_checked() {
    let clip = Clip::moving("a.ts", "96x54", 2.0, "-c:v mpeg2video -g 12");
    let damaged = odd::with_damage(&clip, "damaged.ts");
    assert!(!of(&found(damaged.path()), "damaged").is_empty());
    let one = Clip::moving("one.png", "96x54", 0.04, "-frames:v 1");
    let run = check(one.path(), &[]);
    assert!(matches!(run.code, Some(0 | 4)) && run.stderr.is_empty(), "{run:?}");
    assert!(run.stdout.contains("in 1 frame"), "{}", run.stdout);
}
