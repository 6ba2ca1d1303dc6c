//! The scopes of a report: present if requested, and equal for any way of decoding and counting.

use std::fs;
use std::path::Path;

use crate::command::{finish, program};
use crate::common::Clip;
use crate::report::{page_of, shots};

const BOTH: [&str; 2] = ["--scopes", "waveform,vectorscope"];

/// Returns the pictures of the scopes in a page, by name.
fn pictures(page: &str) -> Vec<(String, String)> {
    let sections = page.split("data-scope=\"").skip(1);
    let inside = |text: &str, before: &str| {
        let (_, rest) = text.split_once(before).expect("it is there");
        rest.split('"').next().expect("a quotation mark ends it").to_owned()
    };
    sections.map(|section| (inside(&format!("\"{section}"), "\""), inside(section, "base64,"))).collect()
}

fn page_by(engine: &str, file: &Path, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("report.html");
    let mut command = program();
    command.arg("report").arg(file).arg("-o").arg(&output).args(["--engine", engine]).args(arguments);
    let run = finish(&mut command);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    fs::read_to_string(output).unwrap()
}

#[test]
fn they_are_there_where_they_are_asked_for() {
    let clip = shots();
    assert_eq!(pictures(&page_of(clip.path(), &[])), []);
    for (arguments, expected) in [
        (&BOTH[..], &["waveform", "parade", "vectorscope"][..]),
        (&["--scopes", "waveform"], &["waveform", "parade"]),
        (&["--scopes", "vectorscope"], &["vectorscope"]),
    ] {
        let page = page_of(clip.path(), arguments);
        assert_eq!(pictures(&page).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
        // The graticule: the line at white, and the target of red.
        assert_eq!(page.contains("class=\"nominal\""), expected.contains(&"waveform"));
        assert_eq!(page.contains(">R</text>"), expected.contains(&"vectorscope"));
        assert_eq!(page.contains("targets of 75 and 100 % of bt601, limited range"), expected.contains(&"vectorscope"));
    }
    let coded = page_of(clip.path(), &["--scopes", "waveform", "--components", "ycbcr"]);
    for text in ["Waveform of the whole clip: Y'", "Parade: Cb and Cr", "class=\"tolerance\"", "<b>100 %</b> 235"] {
        assert!(coded.contains(&text.replace('\'', "&#39;")), "no {text}");
    }
}

/// Each diagram has its own graticule, and its counts do not depend on the engine.
#[test]
fn vectorscopes_of_other_diagrams_have_their_graticules() {
    let clip = shots();
    for (diagram, about, axes, outlines) in [
        ("xy", "CIE 1931 x, y: the spectrum, and the gamut of", "x to the right, y up", 2),
        (
            "uv",
            "CIE 1976 u\u{2032}, v\u{2032}: the spectrum, and the gamut of",
            "u\u{2032} to the right, v\u{2032} up",
            2,
        ),
        (
            "diamond",
            "outside them, codes are out of gamut",
            "B&#39; \u{2212} G&#39; and R&#39; \u{2212} G&#39; to the right",
            2,
        ),
    ] {
        let arguments = ["--scopes", "vectorscope", "--diagram", diagram];
        let [page, other] = ["cpu", "gpu"].map(|engine| page_by(engine, clip.path(), &arguments));
        assert!(pictures(&page) == pictures(&other), "{diagram}");
        assert!(page.contains(about) && page.contains(axes), "{diagram}");
        let (_, scope) = page.split_once("data-scope=\"vectorscope\"").unwrap();
        let (scope, _) = scope.split_once("</section>").unwrap();
        assert_eq!(scope.matches("class=\"step\"").count(), outlines, "{diagram}");
        assert!(!scope.contains("class=\"target\""), "{diagram}");
    }
}

#[test]
fn they_are_the_same_whoever_decodes_and_counts() {
    let clip = shots();
    let region = ["--region", "3,5,100,71"];
    for more in [&[][..], &region[..]] {
        let arguments = [&BOTH[..], more].concat();
        let expected = pictures(&page_by("cpu", clip.path(), &arguments));
        assert_eq!(expected.len(), 3);
        assert!(pictures(&page_by("gpu", clip.path(), &arguments)) == expected, "{more:?}");
        let shared = [&arguments[..], &["--jobs", "2"]].concat();
        assert!(pictures(&page_by("cpu", clip.path(), &shared)) == expected, "{more:?} in jobs");
        let earlier = [&arguments[..], &["--to", "1"]].concat();
        assert!(pictures(&page_by("cpu", clip.path(), &earlier)) != expected, "of other frames they are others");
    }
}

#[test]
fn gray_has_no_vectorscope_and_the_report_says_so() {
    let clip = Clip::noisy("clip.mkv", "33x21", "gray", 2, "-c:v ffv1");
    let page = page_of(clip.path(), &BOTH);
    assert!(page.contains("The video is gray: without colour there is no vectorscope."), "{}", &page[..900]);
    assert_eq!(pictures(&page).len(), 2);
    let coded = page_of(clip.path(), &["--scopes", "waveform", "--components", "ycbcr"]);
    assert_eq!(pictures(&coded).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["waveform"]);
}

/// Codes in limited range are those of ST 2084 and BT.2100, as NumPy computes them; in the histograms of R'G'B', of
/// full range.
#[test]
fn levels_of_pq_and_hlg_are_labelled_with_light() {
    let clip = |transfer: &str| {
        let filter = format!("setparams=color_trc={transfer}:color_primaries=bt2020:colorspace=bt2020nc");
        let input = "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4";
        Clip::new("clip.mkv", &format!("{input} -vf format=yuv420p10le,{filter} -c:v ffv1"))
    };
    let waveform = ["--scopes", "waveform", "--components", "ycbcr"];
    for (transfer, arguments, labels) in [
        ("smpte2084", &[][..], &["<b>203</b> 594", "<b>10000 cd/m²</b> 1023"][..]),
        ("smpte2084", &waveform, &["<b>203</b> 573", "<b>10000 cd/m²</b> 940", "<b>50 %</b> 960"]),
        ("arib-std-b67", &[], &["<b>203</b> 767", "<b>1000 cd/m²</b> 1023"]),
        ("arib-std-b67", &["--light", "--hlg-peak", "4000"], &["<b>4000 cd/m²</b> 1023"]),
        ("bt709", &[], &["<b>50 %</b> 512", "<b>100 %</b> 1023"]),
    ] {
        let page = page_of(clip(transfer).path(), arguments);
        for label in labels {
            assert!(page.contains(label), "{transfer} {arguments:?}: no {label}");
        }
        assert_eq!(page.contains("cd/m²</b>"), transfer != "bt709");
    }
}
