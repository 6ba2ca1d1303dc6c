//! Sweeps over plans of the counting passes: the bins are correct for every plan.

use histoscope_lab::bench::{BenchContent, SweepGrid, sweep};
use histoscope_render::gpu::{AdapterChoice, Gpu};

#[test]
fn every_plan_of_the_sweep_counts_exactly() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    let grid = SweepGrid {
        sizes: vec![(322, 182)],
        contents: vec![BenchContent::Natural, BenchContent::Constant],
        workgroups: vec![64, 256],
        chunks: vec![3, 90],
        copies: vec![1, 4],
        repeats: 1,
        ..SweepGrid::default()
    };
    let result = sweep(&gpu, &grid).unwrap();
    let ours: Vec<_> = result.points.iter().filter(|point| point.copies > 0).collect();
    assert!(ours.len() >= 2 * 2 * 2 * 2 * 2, "{} plans", ours.len());
    for point in &ours {
        assert!(point.exact, "{point:?}");
        assert!(point.total_us > 0.0, "{point:?}");
    }
    assert!(ours.iter().any(|point| point.runs > 1), "four copies of deep bins split the channels");
    assert_eq!(result.to_string().lines().count(), result.points.len() + 3);
    let proposal = result.proposal.unwrap();
    assert!([64, 256].contains(&proposal.shape.workgroup) && proposal.of_fastest >= 1.0, "{proposal:?}");
    assert!(result.to_string().contains("proposed for this adapter: "), "{result}");
}

/// Prints the figures for choosing `Plan::new`: `cargo test --release --test bench sweep:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes long, and its result is a table to read"]
fn print_the_whole_sweep() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    println!("{}", sweep(&gpu, &SweepGrid::default()).unwrap());
}
