//! The prefix sum on the GPU against one on the CPU.

use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::scan::{BufferWords, ScanPass};
use wgpu::util::DeviceExt;

use crate::adjuster::Adjuster;
use crate::support::Random;

fn storage(gpu: &Gpu, words: &[u32]) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("words"),
        contents: bytemuck::cast_slice(words),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    })
}

fn exclusive(words: &[u32]) -> Vec<u32> {
    let mut before = 0_u32;
    let sum_before = |&word: &u32| {
        let sum = before;
        before = before.wrapping_add(word);
        sum
    };
    words.iter().map(sum_before).collect()
}

/// For each of `lengths`, scans that many of `words` and compares.
fn check(gpu: &Gpu, pass: &ScanPass, words: &[u32], lengths: &[usize]) {
    const UNTOUCHED: u32 = 0xdead_beef;
    let source = storage(gpu, words);
    let expected = exclusive(words);
    // All targets of a batch are in one buffer, separated by a word that no scan may change.
    for batch in lengths.chunks(500) {
        let total = batch.iter().map(|length| length + 1).sum::<usize>();
        let target = storage(gpu, &vec![UNTOUCHED; total]);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let mut offset = 0;
        for &length in batch {
            let (from, to) = (BufferWords { buffer: &source, offset: 0 }, BufferWords { buffer: &target, offset });
            pass.job(gpu, from, to, length as u32).dispatch(&mut compute);
            offset += length as u32 + 1;
        }
        drop(compute);
        gpu.queue.submit([encoder.finish()]);
        let scanned: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &target, total as u64 * 4).unwrap());
        let mut rest = &scanned[..];
        for &length in batch {
            let (own, behind) = rest.split_at(length);
            assert!(
                own == &expected[..length],
                "length {length}: first difference at {:?}",
                own.iter().zip(&expected).position(|(a, b)| a != b)
            );
            assert_eq!(behind[0], UNTOUCHED, "length {length} wrote behind its end");
            rest = &behind[1..];
        }
    }
}

fn words(random: &mut Random, count: usize) -> Vec<u32> {
    (0..count).map(|_| random.next() as u32).collect()
}

#[test]
fn every_length_from_1_to_5000() {
    let adjuster = Adjuster::get();
    let lengths: Vec<_> = (1..=5000).collect();
    let mut random = Random(5);
    check(&adjuster.gpu, &ScanPass::new(&adjuster.gpu), &words(&mut random, 5000), &lengths);
}

#[test]
fn random_lengths_with_small_workgroups_and_without_padding() {
    let adjuster = Adjuster::get();
    let mut random = Random(7);
    let words = words(&mut random, 262_144);
    let mut lengths: Vec<_> = (0..50).map(|_| 1 + random.below(262_144)).collect();
    lengths.extend([262_144, 262_143, 512, 513, 1024, 1025]);
    for (workgroup, conflict_free) in [(256, true), (256, false), (64, true)] {
        let pass = ScanPass::with_workgroup(&adjuster.gpu, workgroup, conflict_free);
        let most = pass.capacity() as usize;
        let fitting: Vec<_> = lengths.iter().copied().filter(|&length| length <= most).collect();
        check(&adjuster.gpu, &pass, &words, &fitting);
    }
    let pass = ScanPass::new(&adjuster.gpu);
    assert!(pass.capacity() >= ScanPass::MIN_CAPACITY);
    check(&adjuster.gpu, &pass, &words, &lengths);
}

#[test]
fn extreme_values_wrap_around() {
    let adjuster = Adjuster::get();
    let pass = ScanPass::new(&adjuster.gpu);
    let lengths = [1, 2, 3, 255, 1023, 1024, 1025, 4097, 100_000];
    for value in [0, 1, u32::MAX, 1 << 31] {
        check(&adjuster.gpu, &pass, &vec![value; 100_000], &lengths);
    }
    let mixed: Vec<_> = (0..100_000).map(|i| if i % 3 == 0 { u32::MAX } else { i }).collect();
    check(&adjuster.gpu, &pass, &mixed, &lengths);
}

#[test]
fn any_part_of_a_buffer_is_scanned() {
    let adjuster = Adjuster::get();
    let gpu = &adjuster.gpu;
    let pass = ScanPass::new(gpu);
    let words = words(&mut Random(11), 9000);
    let (source, target) = (storage(gpu, &words), storage(gpu, &[7; 9000]));
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    let (from, to) = (BufferWords { buffer: &source, offset: 1237 }, BufferWords { buffer: &target, offset: 31 });
    pass.job(gpu, from, to, 5555).dispatch(&mut compute);
    pass.job(gpu, from, to, 0).dispatch(&mut compute);
    drop(compute);
    gpu.queue.submit([encoder.finish()]);
    let scanned: Vec<u32> = bytemuck::pod_collect_to_vec(&read_buffer(gpu, &target, 36_000).unwrap());
    assert_eq!(scanned[31..31 + 5555], exclusive(&words[1237..1237 + 5555]));
    assert!(scanned[..31].iter().chain(&scanned[31 + 5555..]).all(|&word| word == 7));
}
