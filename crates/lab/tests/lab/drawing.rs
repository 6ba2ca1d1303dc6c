//! The lab's drawings against a plain loop on the CPU, pixel by pixel.

use histoscope_core::histogram::{Components, Histogram, reference, regroup};
use histoscope_lab::bench::{BenchContent, layouts};
use histoscope_lab::drawing::draw_plainly;
use histoscope_lab::image::convert;
use histoscope_lab::{DrawMethod, LabDrawing};

use crate::support::gpu;

/// Returns the reference's counts of a picture.
fn counted(size: (u32, u32), content: BenchContent) -> Histogram {
    let picture = content.picture(layouts::parse("yuv420p").unwrap(), size, 5).unwrap();
    reference::histogram(&convert(&picture, 1).unwrap(), Components::Rgbl)
}

/// Returns this number of bins, with the four channels of each bin side by side.
fn regrouped(counted: &Histogram, count: u32) -> Vec<u32> {
    let channels: Vec<_> = (0..4).map(|channel| regroup(counted.bins(channel), count)).collect();
    (0..count as usize).flat_map(|bin| channels.iter().map(move |channel| channel[bin])).collect()
}

#[test]
fn both_methods_draw_what_the_loop_draws_to_the_last_pixel() {
    let gpu = gpu();
    for size in [(1, 1), (6, 7), (17, 13), (641, 359), (3840, 2160)] {
        for (content, counts) in [(BenchContent::Natural, &[3, 256, 1000, 4096][..]), (BenchContent::Noise, &[100])] {
            let counted = counted(size, content);
            for &count in counts {
                let bins = regrouped(&counted, count);
                let expected = draw_plainly(&bins);
                for method in DrawMethod::ALL {
                    let drawing = LabDrawing::new(&gpu, method, count).unwrap();
                    let found = drawing.run(&gpu, &bins).unwrap();
                    let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
                    assert_eq!(wrong, None, "{method:?} of {size:?}, {count} bins");
                }
            }
        }
    }
}

/// Three bins of known heights, worked out by hand.
#[test]
fn a_loop_draws_bars_of_the_heights_that_the_lesson_s_formula_gives() {
    // 42 pixels in 18, 16 and 8: five times the mean is 70, so the tallest touches the top.
    let (width, height) = LabDrawing::SIZE;
    let pixels = draw_plainly(&[[0, 0, 0, 18], [0, 0, 42, 16], [42, 42, 0, 8]].concat());
    // Counts the pixels of a colour in the first column of a third of a graph: the colours' graph, then luminance's.
    let column = |graph: u32, third: u32, color: u32| {
        (0..height).filter(|row| pixels[(row * width + 576 * graph + 192 * third) as usize] == color).count()
    };
    let [black, white, blue, yellow] = [0xff00_0000, 0xffff_ffff, 0xffff_0000, 0xff00_ffff];
    assert_eq!([0, 1, 2].map(|third| column(1, third, white)), [180, 160, 80]);
    assert_eq!([0, 1, 2].map(|third| column(1, third, black)), [0, 20, 100]);
    assert_eq!((column(0, 0, black), column(0, 1, blue), column(0, 2, yellow)), (180, 180, 180));
    // A spike is cut off at five times the mean.
    let mut spike = vec![0; 4 * 100];
    (spike[3], spike[7], spike[11]) = (9000, 500, 500);
    let pixels = draw_plainly(&spike);
    let rows = |column: u32| (0..height).filter(|row| pixels[(row * width + 576 + column) as usize] == white).count();
    assert_eq!([0, 8, 14, 20].map(rows), [180, 180, 180, 0], "500 is five times the mean of 100 bins");
}

#[test]
fn loads_are_those_of_the_shaders() {
    assert_eq!([256, 4096].map(|bins| DrawMethod::PerPixel.bin_loads(bins)), [207_360, 1_474_560]);
    assert_eq!([256, 4096].map(|bins| DrawMethod::PerColumn.bin_loads(bins)), [1152, 8192]);
}
