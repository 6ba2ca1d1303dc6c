//! The rows of `histoscope bench` about prefix sums, blurs and drawing: all are measured, and all are correct.

use histoscope_lab::bench::{BenchContent, Options, lab_rows, run};
use histoscope_render::gpu::{AdapterChoice, Gpu};

#[test]
fn every_row_of_the_topics_is_measured_and_right() {
    let gpu = Gpu::headless(&AdapterChoice::default()).unwrap();
    for (layout, content) in [("yuv420p", BenchContent::Natural), ("p010", BenchContent::Noise)] {
        let only: Vec<String> = lab_rows().into_iter().map(|(name, _)| name.into()).collect();
        let options =
            Options { size: (301, 170), layout: layout.into(), content, repeats: 1, only, ..Options::default() };
        let report = run(&gpu, &options).unwrap();
        let rows: Vec<_> = report.lab.iter().map(|row| (row.name, row.title)).collect();
        assert_eq!(rows, lab_rows());
        assert!(report.rows.is_empty(), "no method of counting was named");
        let table = report.to_string();
        for row in &report.lab {
            assert_eq!(row.exact, Some(true), "{row:?}");
            assert!(row.alone.unwrap().median_us > 0.0, "{row:?}");
            assert!(table.contains(row.name) && table.contains(row.title), "{table}");
            let has_loop = row.name.starts_with("scan-") && row.name != "scan-conflicts";
            assert_eq!(row.on_cpu.is_some(), has_loop, "{row:?}");
        }
        let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert_eq!(json["lab"].as_array().unwrap().len(), rows.len());
    }
}

#[test]
fn prefix_sums_are_measured_at_the_lengths_of_one_s_choice() {
    let gpu = Gpu::headless(&AdapterChoice::default()).unwrap();
    let lengths = vec![512, 1000, 262_145];
    let options = Options { size: (64, 64), repeats: 1, only: vec!["scan".into()], lengths, ..Options::default() };
    let report = run(&gpu, &options).unwrap();
    let scans: Vec<_> = lab_rows().into_iter().map(|(name, _)| name).filter(|name| name.starts_with("scan")).collect();
    let expected: Vec<_> =
        scans.into_iter().flat_map(|name| [512, 1000, 262_145].map(|length| (name, Some(length)))).collect();
    let found: Vec<_> = report.lab.iter().map(|row| (row.name, row.length)).collect();
    assert_eq!(found, expected);
    assert!(report.lab.iter().all(|row| row.exact == Some(true)), "{report}");
    for text in ["prefix sum, 512", "tutorial: Blelloch, 262145"] {
        assert!(report.to_string().contains(text), "no {text} in {report}");
    }
    let most = gpu.device.limits().max_storage_buffer_binding_size.min(gpu.device.limits().max_buffer_size) / 4;
    if let Ok(beyond) = u32::try_from(most + 1) {
        let error = run(&gpu, &Options { lengths: vec![512, beyond], ..options }).unwrap_err().to_string();
        assert!(error.contains(&format!("the longest is {most} words")), "{error}");
    }
}
