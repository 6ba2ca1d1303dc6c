//! Every parser of texts from users and files, on random texts: none panics, and what the program writes is read back
//! unchanged.

use std::fs;

use histoscope::app::config::Store;
use histoscope_batch::analyze::format::TextFormat;
use histoscope_batch::region::RegionSpec;
use histoscope_core::adjust::{Blur, Clahe, Equalize, Otsu, Parameters, Posterize};
use histoscope_core::text::{parse_time, time_text};
use histoscope_lab::bench::layouts;
use histoscope_render::view::exposure::{FalseColorTable, Level, MarkLimits};
use proptest::prelude::*;

/// A text of characters that are special to some parser, or any text at all.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[0-9.,:;%xcfs@^+ -]{0,14}",
        1 => "(luminance|channels|width|population|tones|colors|r103|clipped|nan|inf|1e999)[0-9:,.]{0,6}",
        1 => any::<String>(),
    ]
}

/// A text that is JSON, nearly JSON, or was JSON before changes.
fn near(json: &'static str) -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("null"),
        Just("-1"),
        Just("1e308"),
        Just("99999999999999999999"),
        Just("\"x\""),
        Just("[]"),
        Just("{}"),
        Just("true"),
        Just(""),
        Just("{"),
        Just("\\u0000"),
    ];
    proptest::collection::vec((0..json.len(), 0..24_usize, token), 1..4).prop_map(|changes| {
        changes.into_iter().fold(json.to_owned(), |text, (at, length, token)| {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            // The JSON here and the insertions are ASCII.
            format!("{}{token}{}", &text[..at], &text[end..])
        })
    })
}

fn few() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) }
}

/// Returns a run's summary of itself, for a file with this name.
fn summary(name: &str) -> String {
    serde_json::json!({
        "schema": 1, "type": "summary", "input": name, "source": null,
        "options": {
            "components": "rgbl", "bins": false, "every": 1, "keyframes": false, "region": "0,0,50%,4", "bars_leave": null,
            "matrix": null, "range": "full"
        },
        "frames": 7, "first_frame": 3, "end_frame": 10, "reached_end": false, "complete": false, "reason": name
    })
    .to_string()
}

const SETTINGS: &str = r#"{"histograms":{"arrangement":"parade","logarithmic":true,"height":0.4,"opacity":0.5,"overlaps":"table"},
"channels":"RG","shown":false,"fit":"contain","fits":{"1.33":"cover"},"scopes":{"parade":true,"zoom":4,"picture":[0.5,0.7]},
"exposure":{"zebra":true,"level":"95%","limits":"2%,98%"},"adjustments":{"blur":{"size":21}}}"#;

const SUMMARY: &str = r#"{"schema":1,"type":"summary","input":"a","source":{"bytes":3,"fingerprint":"a"},"options":{"components":"rgbl","bins":false,
"every":1,"keyframes":false,"region":null,"bars_leave":[0,0,4,4],"matrix":null,"range":null},"frames":7,"first_frame":3,"end_frame":10,
"reached_end":false,"complete":false,"reason":null}"#;

proptest! {
    #![proptest_config(few())]

    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        if let Ok(secs) = parse_time(&text) {
            prop_assert!(secs.is_finite() && secs >= 0.0, "{text} is {secs} s");
        }
        if let Ok(blur) = text.parse::<Blur>() {
            prop_assert_eq!(blur.clamped(), blur);
        }
        if let Ok(clahe) = text.parse::<Clahe>() {
            prop_assert_eq!(clahe.clamped(), clahe);
        }
        if let Ok(equalize) = text.parse::<Equalize>() {
            prop_assert_eq!(equalize.clamped(), equalize);
        }
        if let Ok(posterize) = text.parse::<Posterize>() {
            prop_assert_eq!(posterize.clamped(), posterize);
        }
        if let Ok(otsu) = text.parse::<Otsu>() {
            prop_assert_eq!(otsu.clamped(), otsu);
        }
        if let Ok(level) = text.parse::<Level>() {
            prop_assert_eq!(level.to_string().parse::<Level>(), Ok(level));
        }
        if let Ok(limits) = text.parse::<MarkLimits>() {
            prop_assert_eq!(limits.to_string().parse::<MarkLimits>(), Ok(limits));
        }
        let _ = (text.parse::<FalseColorTable>(), layouts::parse(&text), TextFormat::recognise(&text));
    }

    #[test]
    fn times_come_back(millis in 0..360_000_000_u64) {
        let secs = millis as f64 / 1000.0;
        let back = parse_time(&time_text(secs)).expect("what is shown can be read");
        prop_assert!((back - secs).abs() < 5e-4, "{secs} came back as {back}");
    }

    #[test]
    fn regions_come_back_and_lie_in_the_picture(
        text in "([0-9]{1,10}%?|[0-9]{1,2}\\.[0-9]{1,3}%)(,([0-9]{1,10}%?|[0-9]{1,2}\\.[0-9]{1,3}%)){3}",
        other in text(),
        width: u32,
        height: u32,
    ) {
        for text in [text, other] {
            let Ok(region) = text.parse::<RegionSpec>() else { continue };
            prop_assert_eq!(region.to_string().parse::<RegionSpec>(), Ok(region));
            if let Some(rect) = region.in_picture(width, height) {
                prop_assert!(rect.fits(width, height), "{region} in {width}×{height}: {rect:?}");
            }
        }
    }

    #[test]
    fn levels_come_back(tenths in -100..=1100_i32, code in 0..4096_u32) {
        for level in [Level::Permille(tenths), Level::Code(code)] {
            prop_assert_eq!(level.to_string().parse::<Level>(), Ok(level));
        }
    }

    #[test]
    fn the_end_of_an_output_is_read_as_it_was_written(name in any::<String>(), line in text(), changed in near(SUMMARY)) {
        let formats = [TextFormat::Jsonl, TextFormat::Csv, TextFormat::Json, TextFormat::Ffprobe, TextFormat::Qctools];
        let summary = TextFormat::Jsonl.read_tail(&summary(&name)).expect("a summary is read");
        for format in formats {
            let tail = format.tail(&summary);
            let back = format.read_tail(tail.trim_end_matches('\n'));
            prop_assert!(format == TextFormat::Qctools || back.as_ref() == Some(&summary), "{format:?}: {tail}");
            for text in [&line, &changed, &format!("# {changed}"), &format!("],\"summary\":{changed}}}")] {
                let _ = format.read_tail(text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn settings_that_make_no_sense_become_some_that_do(text in prop_oneof![4 => near(SETTINGS), 1 => text()]) {
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
        fs::write(first.path().join("settings.json"), text).expect("the folder takes a file");
        let settings = Store::in_folder(first.path()).settings().clone();
        // The result is saved, and must be read back unchanged.
        Store::in_folder(second.path()).save(&settings);
        let back = Store::in_folder(second.path());
        prop_assert_eq!(back.settings(), &settings);
    }
}

#[test]
fn the_settings_here_are_settings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("settings.json"), SETTINGS).unwrap();
    let store = Store::in_folder(folder.path());
    assert!(!store.settings().look.overlays, "the file has another name, or other fields");
    assert!(TextFormat::Jsonl.read_tail(SUMMARY).is_some());
}
