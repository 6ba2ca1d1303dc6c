//! The table of `histoscope bench`: every method counts correctly except the race, and the table says so.

use std::collections::BTreeSet;

use histoscope_core::histogram::Components;
use histoscope_core::histogram::reference;
use histoscope_lab::bench;
use histoscope_lab::bench::report::Check;
use histoscope_lab::bench::{BenchContent, Error, Options, Report, layouts, run};
use histoscope_lab::image::{Textures, convert};
use histoscope_lab::{ChannelSet, CountingPass, Method, Setup, Shape};
use histoscope_render::gpu::{Gpu, shaders};

use crate::support::gpu;

fn has_subgroups(gpu: &Gpu) -> bool {
    gpu.device.features().contains(wgpu::Features::SUBGROUP)
}

fn small(layout: &str, content: BenchContent) -> Options {
    Options { size: (301, 170), layout: layout.into(), content, repeats: 2, ..Options::default() }
}

fn assert_right(report: &Report, has_subgroups: bool) {
    assert_eq!(report.rows.len(), 2 * Method::ALL.len());
    for row in &report.rows {
        if row.method == Method::Subgroup && !has_subgroups {
            assert!(
                row.times.is_none() && row.note.as_ref().unwrap().contains("does not support subgroups"),
                "{row:?}"
            );
            continue;
        }
        let times = row.times.unwrap_or_else(|| panic!("{row:?}"));
        assert!(times.min_us > 0.0 && times.min_us <= times.median_us, "{row:?}");
        assert!(row.relative.unwrap() > 0.0 && row.gb_per_s.unwrap() > 0.0, "{row:?}");
        match (row.method, row.check) {
            (Method::Floor, None) => {}
            (Method::Race, Some(check)) => assert_eq!(check.exact, check.lost + check.surplus == 0, "{row:?}"),
            (_, Some(check)) => assert!(check.exact && check.lost == 0 && check.expected > 0, "{row:?}"),
            _ => panic!("{row:?} was not checked"),
        }
    }
}

#[test]
fn every_method_but_the_race_is_exact() {
    let gpu = gpu();
    for (layout, content) in
        [("yuv420p", BenchContent::Natural), ("p010", BenchContent::Noise), ("gbrp12", BenchContent::Constant)]
    {
        let report = run(&gpu, &small(layout, content)).unwrap();
        assert_right(&report, has_subgroups(&gpu));
        assert_eq!((report.layout.as_str(), report.size), (layout, (301, 170)));
    }
}

#[test]
fn a_single_invocation_gets_a_smaller_picture_and_says_so() {
    let report = run(&gpu(), &Options { only: vec!["single".into()], ..small("gray", BenchContent::Natural) }).unwrap();
    for row in &report.rows {
        assert!(row.size.0 <= 64 && row.size.1 <= 64, "{row:?}");
        assert!(row.note.as_ref().unwrap().contains("301×170 would take"), "{row:?}");
    }
}

#[test]
fn a_frame_of_a_video_is_measured_in_place_of_made_pictures() {
    let frame = BenchContent::Noise.picture(layouts::parse("nv12").unwrap(), (99, 51), 7).unwrap();
    let report =
        run(&gpu(), &Options { frame: Some(frame), only: vec!["ours".into()], ..small("gray", BenchContent::Natural) });
    let report = report.unwrap();
    assert_eq!((report.layout.as_str(), report.size, report.pictures), ("nv12", (99, 51), 1));
    assert_eq!(report.rows.len(), 4);
    assert!(report.rows.iter().all(|row| row.check.unwrap().exact && row.relative.is_none()));
}

#[test]
fn json_and_table_show_every_row() {
    let options =
        Options { only: vec!["pairwise".into(), "ours-gpu".into()], ..small("yuv420p", BenchContent::Natural) };
    let report = run(&gpu(), &options).unwrap();
    let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    assert_eq!(json["layout"], "yuv420p");
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["method"], &rows[0]["channels"]), (&"pairwise".into(), &"one".into()));
    assert_eq!((&rows[3]["method"], &rows[3]["channels"]), (&"ours-gpu".into(), &"four".into()));
    assert!(rows[3]["times"]["median_us"].as_f64().unwrap() > 0.0);
    assert!((rows[2]["relative"].as_f64().unwrap() - 1.0).abs() < 1e-9, "the last method is the measure");
    assert_eq!(rows[3]["check"]["exact"], true);
    let table = report.to_string();
    for text in ["301×170 yuv420p, natural", Method::Pairwise.title(), Method::OursGpu.title(), "chunk", "yes"] {
        assert!(table.contains(text), "'{text}' is missing from\n{table}");
    }
}

#[test]
fn options_that_cannot_be_met_are_refused_in_words() {
    let gpu = gpu();
    let refuse = |options| run(&gpu, &options).unwrap_err();
    assert!(matches!(refuse(small("yuv420q", BenchContent::Noise)), Error::UnknownLayout(_)));
    assert!(matches!(refuse(Options { size: (15, 900), ..Options::default() }), Error::TooSmall(15, 900)));
    assert!(matches!(refuse(Options { size: (1 << 20, 1 << 20), ..Options::default() }), Error::Picture(_)));
}

#[test]
fn rows_are_chosen_by_what_the_table_shows_and_names_of_no_row_are_refused() {
    let gpu = gpu();
    let only = |names: &[&str]| Options {
        only: names.iter().map(|&name| name.into()).collect(),
        ..small("gray", BenchContent::Constant)
    };
    for (name, method) in [("Ours-CPU", Method::OursCpu), ("DATA race", Method::Race), (" Pairwise ", Method::Pairwise)]
    {
        let report = run(&gpu, &only(&[name])).unwrap();
        assert!(report.rows.len() == 2, "{name}: {report}");
        assert!(report.rows.iter().all(|row| row.method == method), "{name}: {report}");
        let table = report.to_string();
        assert!(table.contains(method.name()) && table.contains(method.title()), "{table}");
    }
    // Each name must belong to a row, whatever else is named.
    for names in [&["fastest"][..], &["scalar", "fastest"], &["scalar", ""], &["scalar", "fastest", "sum"]] {
        let refused = run(&gpu, &only(names)).unwrap_err();
        let Error::UnknownMethod(unknown) = &refused else { panic!("{refused}") };
        assert!(unknown.len() == 1 && !unknown.contains(&"scalar".to_owned()), "{refused}");
        assert!(bench::rows().iter().all(|(name, _)| refused.to_string().contains(name)), "{refused}");
    }
}

/// A shader that is never compared with the reference could count anything.
#[test]
fn every_shader_of_the_folder_belongs_to_a_method() {
    let rows: BTreeSet<_> = shaders::ALL.iter().filter_map(|shader| shader.path().strip_prefix("lab/")).collect();
    let methods = ["single", "race", "atomics", "sum", "pairwise", "shared", "subgroup", "floor"];
    for method in methods {
        assert!(Method::ALL.iter().any(|m| m.name() == method), "{method}");
    }
    // Both sums start from the chunks. Of the others, one feeds the ladder of the window and one compares it.
    let others = ["chunks", "convert", "expected"];
    // The shaders of the other topics have their own tests.
    let apart = ["blur", "drawing", "scan"];
    assert_eq!(rows, methods.into_iter().chain(others).chain(apart).collect());
}

#[test]
fn any_number_of_bins_and_any_chunk_is_measured_right() {
    let gpu = gpu();
    for (bin_count, chunk) in [(7, Some((16, 16))), (1000, Some((5, 3))), (4096, None)] {
        let options = Options { bin_count, chunk, ..small("p010", BenchContent::Natural) };
        let report = run(&gpu, &options).unwrap();
        assert_right(&report, has_subgroups(&gpu));
        assert_eq!(report.bin_count, bin_count);
        let passes = |method| {
            let row = report.rows.iter().find(|row| row.method == method && row.channels == ChannelSet::Four).unwrap();
            row.passes.iter().map(|pass| pass.name).collect::<Vec<_>>()
        };
        if gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            assert_eq!(passes(Method::Sum), ["chunks", "sum"]);
            assert_eq!(passes(Method::Pairwise), ["chunks", "sum"]);
            assert_eq!(passes(Method::OursGpu), ["chunk", "reduce", "scale", "regroup"]);
        }
    }
}

#[test]
fn times_are_related_to_the_loop_and_to_the_floor() {
    let options =
        Options { only: vec!["scalar".into(), "floor".into(), "atomics".into()], ..small("gray", BenchContent::Noise) };
    let report = run(&gpu(), &options).unwrap();
    for row in &report.rows {
        let ratio = |base: Method| {
            let base = report.rows.iter().find(|other| other.method == base && other.channels == row.channels).unwrap();
            row.times.unwrap().median_us / base.times.unwrap().median_us
        };
        assert!((row.of_loop.unwrap() / ratio(Method::Scalar) - 1.0).abs() < 1e-9, "{row:?}");
        assert!((row.of_floor.unwrap() / ratio(Method::Floor) - 1.0).abs() < 1e-9, "{row:?}");
    }
}

/// Guards against a comparison that never fails: the bins of one picture differ from those of another.
#[test]
fn wrong_bins_of_every_shader_are_noticed() {
    let gpu = gpu();
    let layout = layouts::parse("rgba").unwrap();
    let picture = |seed| convert(&BenchContent::Natural.picture(layout, (61, 47), seed).unwrap(), 1).unwrap();
    let pictures = [picture(1), picture(2)];
    let expected = pictures.each_ref().map(|picture| reference::histogram(picture, Components::Rgbl));
    let textures = Textures::new(&gpu, &pictures, 2).unwrap().unwrap();
    let tutorials = Method::ALL.into_iter().filter(|method| method.reads_texture() && *method != Method::Race);
    for method in tutorials.filter(|method| *method != Method::Subgroup || has_subgroups(&gpu)) {
        for channels in [ChannelSet::One, ChannelSet::Four] {
            let setup = Setup { method, channels, shape: Shape::default() };
            let pass = CountingPass::new(&gpu, setup, textures.size, &textures.views, None).unwrap().unwrap();
            let counted = pass.bins_of(&gpu, 0).unwrap();
            let check = |expected: &histoscope_core::histogram::Histogram| {
                Check::of(channels.channels().map(|c| expected.bins(c)), counted.iter().map(Vec::as_slice))
            };
            assert!(check(&expected[0]).exact, "{method:?}");
            let other = check(&expected[1]);
            assert!(!other.exact && other.lost > 0, "{method:?}: {other:?}");
        }
    }
}
