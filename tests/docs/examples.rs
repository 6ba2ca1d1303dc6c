//! What `docs/learn` shows besides the shaders: the host's code, which must run, and a photograph, which another program
//! counts too.

use std::process::Command;

use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_lab::bench::scene;
use serde_json::Value;

use super::{read, root};

#[path = "../../examples/count.rs"]
mod count;

#[test]
fn the_host_s_code_counts_the_picture_of_the_first_page() {
    let codes =
        scene::PIXELS.iter().flatten().map(|&[r, g, b]| LuminanceWeights::Bt709.bin([r, g, b].map(u32::from), 8));
    assert_eq!(count::PICTURE.to_vec(), codes.collect::<Vec<_>>());
    let counted = count::count(&count::PICTURE).expect("an adapter; scripts/setup installs one");
    let page = read("docs/learn/README.md");
    for (bin, count) in counted.bins.iter().enumerate() {
        let line = format!("    bin {bin}   {} {count}\n", "█".repeat(*count as usize));
        assert!(page.contains(&line), "docs/learn/README.md does not have\n{line}");
    }
    assert_eq!((counted.bins.len(), counted.dispatches), (3, 5), "one that counts, and strides 1, 2, 4 and 8");
    // A software adapter may take no time at all, by its own clock.
    assert!(counted.nanoseconds.is_none_or(|time| (0.0..1e9).contains(&time)), "{:?}", counted.nanoseconds);
}

#[test]
fn any_number_of_pixels_is_counted() {
    for length in [1, 2, 3, 4, 6, 7, 100, 1000] {
        let pixels: Vec<u32> = (0..length).map(|i| i * 37 % 256).collect();
        let mut bins = [0; 3];
        pixels.iter().for_each(|pixel| bins[(pixel * 3 / 256) as usize] += 1);
        assert_eq!(count::count(&pixels).unwrap().bins, bins, "{length} pixels");
    }
}

#[test]
fn the_page_shows_the_host_s_lines_in_order() {
    let example = read("examples/count.rs");
    let example: Vec<_> = example.lines().map(str::trim).collect();
    let page = read("docs/learn/machine.md");
    let blocks: Vec<Vec<_>> = page
        .split("```rust\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default().lines().map(str::trim).collect())
        .collect();
    assert!((40..70).contains(&blocks.iter().map(Vec::len).sum::<usize>()), "{blocks:#?}");
    let mut next = 0;
    for block in blocks {
        let found = example[next..].windows(block.len()).position(|lines| lines == block);
        next += found.unwrap_or_else(|| panic!("the example does not go on with {block:#?}")) + block.len();
    }
}

const PHOTOGRAPH: &str = "assets/learn-coffee.png";

/// Returns the bins of red, green and blue of the photograph, as Histoscope counts them.
fn counted() -> [Vec<u64>; 3] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    let output = command.current_dir(root()).args(["snapshot", PHOTOGRAPH, "--json", "--bins"]).output().unwrap();
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    ["red", "green", "blue"].map(|channel| {
        let bins = figures["channels"][channel]["bins"].as_array().unwrap();
        bins.iter().map(|count| count.as_u64().unwrap()).collect()
    })
}

#[test]
fn ffmpeg_draws_the_photograph_s_bins_as_they_are_counted() {
    const HEIGHT: u64 = 2048;
    let filter = format!("format=gbrp,histogram=display_mode=stack:level_height={HEIGHT}:scale_height=0");
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.current_dir(root()).args(["-v", "error", "-i", PHOTOGRAPH, "-vf", &filter, "-frames:v", "1"]);
    let drawn = ffmpeg.args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]).output().expect("ffmpeg").stdout;
    assert_eq!(drawn.len(), 3 * 256 * 3 * HEIGHT as usize);
    for (channel, bins) in counted().iter().enumerate() {
        assert_eq!((bins.len(), bins.iter().sum::<u64>()), (256, 300 * 200));
        let tallest = bins.iter().max().unwrap();
        for (bin, count) in bins.iter().enumerate() {
            let rows = (0..HEIGHT as usize).map(|row| (channel * HEIGHT as usize + row) * 256 + bin);
            let height = rows.filter(|pixel| drawn[3 * pixel..][..3] != [0; 3]).count() as u64;
            assert_eq!(height, (count * HEIGHT).div_ceil(*tallest), "bin {bin} of channel {channel}");
        }
    }
}

#[test]
fn the_page_has_the_photograph_s_tallest_bins() {
    let bins = counted();
    let pixels: Vec<u64> = bins.iter().map(|bins| *bins.iter().max().unwrap()).collect();
    let tallest = [0, 1, 2].map(|channel| bins[channel].iter().position(|&count| count == pixels[channel]).unwrap());
    let page = read("docs/learn/README.md");
    for line in [
        format!("| tallest bin | {} | {} | {} |", tallest[0], tallest[1], tallest[2]),
        format!("| its pixels | {} | {} | {} |", pixels[0], pixels[1], pixels[2]),
    ] {
        assert!(page.contains(&line), "docs/learn/README.md does not have {line}");
    }
    let is_cut_off = |count: u64| count > 5 * 300 * 200 / 256;
    assert_eq!(pixels.into_iter().map(is_cut_off).collect::<Vec<_>>(), [false, true, true], "as the page says");
}
