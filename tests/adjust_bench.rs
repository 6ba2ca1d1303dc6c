//! The adjustments' rows of `histoscope bench`: all are measured, and all are right.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use histoscope::bench::{Content, Options, adjustment_rows, run};
use histoscope::gpu::{AdapterChoice, Gpu};

#[test]
fn every_adjustment_is_measured_and_right() {
    let gpu = Gpu::headless(&AdapterChoice::default()).unwrap();
    for (layout, content) in [("yuv420p", Content::Natural), ("p010", Content::Noise)] {
        let only: Vec<String> = adjustment_rows().into_iter().map(|(name, _)| name.into()).collect();
        let options =
            Options { size: (301, 170), layout: layout.into(), content, repeats: 1, only, ..Options::default() };
        let report = run(&gpu, &options).unwrap();
        let rows: Vec<_> = report.adjustments.iter().map(|row| (row.name, row.title)).collect();
        assert_eq!(rows, adjustment_rows());
        assert!(report.rows.is_empty(), "no method of counting was named");
        let table = report.to_string();
        for row in &report.adjustments {
            assert_eq!(row.exact, Some(true), "{row:?}");
            assert!(row.alone.unwrap().median_us > 0.0, "{row:?}");
            assert!(table.contains(row.name) && table.contains(row.title), "{table}");
            let in_chain = row.with_source.is_some() && row.with_both.is_some();
            let is_alone = ["scan", "blur-passes", "blur-square", "blur-separable", "blur-tiled", "blur-running"];
            assert_eq!(in_chain, !is_alone.iter().any(|name| row.name.starts_with(name)), "{row:?}");
        }
        let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert_eq!(json["adjustments"].as_array().unwrap().len(), rows.len());
    }
}
