//! The lab's prefix sums against the loop on the CPU: every method, exclusive and inclusive, at every length.

use histoscope_lab::scan::serial;
use histoscope_lab::{ScanKind, ScanMethod, ScanPass};
use histoscope_render::gpu::Gpu;

use crate::support::{Random, gpu};

const KINDS: [ScanKind; 2] = [ScanKind::Exclusive, ScanKind::Inclusive];

fn words(random: &mut Random, count: usize) -> Vec<u32> {
    (0..count).map(|_| random.next() as u32).collect()
}

fn pass(gpu: &Gpu, method: ScanMethod, kind: ScanKind, workgroup: u32) -> ScanPass {
    ScanPass::new(gpu, (method, kind), workgroup).unwrap().unwrap()
}

fn check(gpu: &Gpu, pass: &ScanPass, kind: ScanKind, words: &[u32]) {
    let scan = pass.scan(gpu, words.len() as u32).unwrap().unwrap();
    let found = scan.run(gpu, words).unwrap();
    let expected = serial(words, kind);
    let first = found.iter().zip(&expected).position(|(a, b)| a != b);
    assert!(found == expected, "{pass:?}, {kind:?}, {} words: differs at {first:?}", words.len());
}

#[test]
fn the_loop_on_the_cpu_is_what_a_prefix_sum_is() {
    let words = [3, 1, 4, 1, 5, u32::MAX];
    assert_eq!(serial(&words, ScanKind::Exclusive), [0, 3, 4, 8, 9, 14]);
    assert_eq!(serial(&words, ScanKind::Inclusive), [3, 4, 8, 9, 14, 13]);
    assert!(serial(&[], ScanKind::Inclusive).is_empty());
}

/// The lengths differ in kind: within a block, at its ends, and with one and two levels above.
#[test]
fn every_method_comes_to_the_sums_of_the_cpu() {
    let gpu = gpu();
    let words = words(&mut Random(3), 300_001);
    for (method, kind) in ScanMethod::ALL.into_iter().flat_map(|method| KINDS.map(|kind| (method, kind))) {
        for (workgroup, lengths) in [
            (32, &[1, 2, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 4097, 32_768, 32_769, 70_001][..]),
            (256, &[1, 255, 256, 257, 512, 513, 65_536, 65_537, 262_144, 262_145, 300_001]),
        ] {
            let pass = pass(&gpu, method, kind, workgroup);
            lengths.iter().for_each(|&length| check(&gpu, &pass, kind, &words[..length]));
        }
    }
}

/// Scans the lengths from 1 to 5000, each with the given ones of the eight combinations of method and kind.
fn check_every_length(ways_of: impl Fn(usize) -> std::ops::Range<usize>) {
    let gpu = gpu();
    let words = words(&mut Random(7), 5000);
    let ways = ScanMethod::ALL.into_iter().flat_map(|method| KINDS.map(|kind| (method, kind)));
    let ways: Vec<_> = ways.map(|(method, kind)| (kind, pass(&gpu, method, kind, 128))).collect();
    for length in 1..=5000 {
        for (kind, pass) in &ways[ways_of(length)] {
            check(&gpu, pass, *kind, &words[..length]);
        }
    }
}

/// Scans each length with one of the eight combinations, and its neighbours with the others.
#[test]
fn every_length_from_1_to_5000() {
    check_every_length(|length| length % 8..length % 8 + 1);
}

#[test]
#[ignore = "takes a minute; each length by one of the ways is tested above"]
fn every_length_from_1_to_5000_by_every_method() {
    check_every_length(|_| 0..8);
}

#[test]
fn long_ones_have_as_many_levels_as_they_need() {
    let gpu = gpu();
    let words = words(&mut Random(11), (1 << 22) + 77);
    // Four levels of blocks of 64 words, and three levels of larger ones.
    for (method, workgroup, length) in [
        (ScanMethod::HillisSteele, 64, 300_000),
        (ScanMethod::Blelloch, 32, 300_000),
        (ScanMethod::ConflictFree, 256, words.len()),
        (ScanMethod::Naive, 64, 500_001),
    ] {
        for kind in KINDS {
            check(&gpu, &pass(&gpu, method, kind, workgroup), kind, &words[..length]);
        }
    }
}

#[test]
#[ignore = "2^26 words take gigabytes and, on a software adapter, minutes"]
fn random_lengths_up_to_2_to_the_26() {
    let gpu = gpu();
    let mut random = Random(13);
    let all = words(&mut random, 1 << 26);
    let mut lengths: Vec<_> = (0..49).map(|_| 1 + random.below(1 << 26)).collect();
    lengths.push(1 << 26);
    for (number, length) in lengths.into_iter().enumerate() {
        let (method, kind) = (ScanMethod::ALL[number % 4], KINDS[number / 4 % 2]);
        check(&gpu, &pass(&gpu, method, kind, 256), kind, &all[..length]);
    }
}

#[test]
fn what_cannot_be_scanned_is_refused_with_what_comes_nearest() {
    let gpu = gpu();
    let refused = |workgroup, length| {
        let way = (ScanMethod::Blelloch, ScanKind::Exclusive);
        let made = ScanPass::new(&gpu, way, workgroup).unwrap().and_then(|pass| pass.scan(&gpu, length).unwrap());
        made.expect_err("it must be refused")
    };
    assert!(refused(100, 512).ends_with("not 100; the nearest is 64"), "{}", refused(100, 512));
    assert!(refused(16, 512).ends_with("the nearest is 32"), "{}", refused(16, 512));
    assert!(refused(1 << 20, 512).contains("the nearest is "), "{}", refused(1 << 20, 512));
    assert!(refused(256, 0).contains("nothing to scan"), "{}", refused(256, 0));
    let limits = gpu.device.limits();
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
    if most < u64::from(u32::MAX) {
        let why = refused(256, most as u32 + 1);
        assert!(why.ends_with(&format!("the longest is {most} words")), "{why}");
    }
}

#[test]
fn additions_are_those_that_the_methods_make() {
    for block in [32_u64, 64, 256, 512] {
        let (mut naive, mut hillis_steele) = (0, 0);
        for word in 0..block {
            naive += word;
            hillis_steele += (0..block.ilog2()).filter(|step| word >= 1 << step).count() as u64;
        }
        assert_eq!(ScanMethod::Naive.additions(block), naive);
        assert_eq!(ScanMethod::HillisSteele.additions(block), hillis_steele);
        assert_eq!(ScanMethod::Blelloch.additions(block), 2 * (block - 1));
    }
}
