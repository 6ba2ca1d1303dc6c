//! The lab's blurs against the mean by definition, and against each other.

use histoscope_lab::{BlurMethod, LabBlur};
use histoscope_render::gpu::Gpu;

use crate::support::{Random, gpu};

/// Returns pixels with hard edges, each with a random opacity.
fn image(random: &mut Random, (width, height): (u32, u32)) -> Vec<u32> {
    let word = |_| if random.below(3) == 0 { 0xff00_00ff } else { random.next() as u32 };
    (0..width * height).map(word).collect()
}

/// Returns the mean of each square, rounded once.
fn by_definition(pixels: &[u32], (width, height): (u32, u32), size: u32) -> Vec<u32> {
    let reach = size as i64 / 2;
    let inside = |at: i64, end: u32| at.clamp(0, i64::from(end) - 1) as usize;
    let blurred = |x: i64, y: i64| {
        let mut sum = [0_u32; 3];
        for (dy, dx) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dy, dx))) {
            let pixel = pixels[inside(y + dy, height) * width as usize + inside(x + dx, width)];
            sum.iter_mut().zip(pixel.to_le_bytes()).for_each(|(sum, part)| *sum += u32::from(part));
        }
        let own = pixels[y as usize * width as usize + x as usize].to_le_bytes()[3];
        let [r, g, b] = sum.map(|sum| (f64::from(sum) / f64::from(size * size)).round() as u8);
        u32::from_le_bytes([r, g, b, own])
    };
    (0..i64::from(height))
        .flat_map(|y| (0..i64::from(width)).map(move |x| (x, y)))
        .map(|(x, y)| blurred(x, y))
        .collect()
}

fn distance(a: &[u32], b: &[u32]) -> u8 {
    let parts = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(a.len(), b.len());
    parts(a).into_iter().zip(parts(b)).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

fn blurred(gpu: &Gpu, method: BlurMethod, how: (u32, u32), size: (u32, u32), pixels: &[u32]) -> Vec<u32> {
    LabBlur::new(gpu, method, how, size).unwrap().unwrap().run(gpu, pixels).unwrap()
}

#[test]
fn every_method_comes_to_the_mean_within_a_code() {
    let gpu = gpu();
    let mut random = Random(5);
    for (number, size) in [(1, 1), (6, 7), (17, 13), (61, 35), (300, 5), (3, 290), (257, 66)].into_iter().enumerate() {
        let pixels = image(&mut random, size);
        for width in [1, 3, 15, [31, 63, 127][number % 3]] {
            let expected = by_definition(&pixels, size, width);
            for method in BlurMethod::ALL {
                let found = blurred(&gpu, method, (width, 1), size, &pixels);
                // The mean of a row is rounded before the mean of the column is taken.
                let most = if method == BlurMethod::Square { 0 } else { 1 };
                let distance = distance(&found, &expected);
                assert!(distance <= most, "{method:?}, {width} wide, {size:?}: {distance} codes");
            }
        }
    }
}

#[test]
fn methods_by_lines_are_alike_to_the_last_code_however_often_they_run() {
    let gpu = gpu();
    let size = (131, 77);
    let pixels = image(&mut Random(9), size);
    for how in [(3, 1), (15, 2), (31, 3)] {
        let by = |method| blurred(&gpu, method, how, size, &pixels);
        let separable = by(BlurMethod::Separable);
        assert!(by(BlurMethod::Tiled) == separable && by(BlurMethod::Running) == separable, "{how:?}");
        assert!(distance(&by(BlurMethod::Square), &separable) <= how.1 as u8, "{how:?}");
        assert!(distance(&separable, &pixels) > 20, "{how:?}: nothing was blurred");
    }
}

#[test]
fn loads_are_counted_and_running_sums_no_longer_grow() {
    assert_eq!(BlurMethod::Square.loads(15), (226.0, 0.0));
    assert_eq!(BlurMethod::Separable.loads(15), (32.0, 0.0));
    assert_eq!(BlurMethod::Tiled.loads(15).1, 32.0);
    let (narrow, wide) = (BlurMethod::Running.loads(3).0, BlurMethod::Running.loads(63).0);
    assert!(wide < narrow + 4.0, "{narrow} and {wide}");
}

#[test]
fn a_blur_that_cannot_be_is_refused_with_what_comes_nearest() {
    let gpu = gpu();
    for (size, nearest) in [(0, "width: 1"), (4, "width: 5"), (1000, "width: 127")] {
        let why = LabBlur::new(&gpu, BlurMethod::Tiled, (size, 1), (64, 64)).unwrap().expect_err("it is refused");
        assert!(why.ends_with(nearest), "{why}");
    }
}
