//! The first lesson of the tutorial as a worked example: an image of 6×7 coloured pixels, and three bins.

/// The pixels of a row.
pub const WIDTH: usize = 6;
/// The number of rows.
pub const HEIGHT: usize = 7;
/// The number of bins.
pub const BINS: usize = 3;

/// Red, green and blue of a pixel.
pub type Rgb = [u8; 3];

const DUSK: Rgb = [70, 50, 120];
const SEA: Rgb = [20, 60, 140];
const DEEP: Rgb = [10, 35, 100];
const SKY: Rgb = [240, 110, 60];
const HAZE: Rgb = [220, 70, 70];
const GLOW: Rgb = [255, 200, 60];
const SUN: Rgb = [255, 235, 120];

/// The image: a low sun and its reflection in the sea.
pub const PIXELS: [[Rgb; WIDTH]; HEIGHT] = [
    [DUSK, HAZE, HAZE, HAZE, HAZE, DUSK],
    [HAZE, SKY, GLOW, GLOW, SKY, HAZE],
    [SKY, GLOW, SUN, SUN, GLOW, SKY],
    [DUSK, SKY, SKY, SKY, SKY, DUSK],
    [SEA, SEA, HAZE, HAZE, SEA, SEA],
    [SEA, DEEP, GLOW, GLOW, DEEP, SEA],
    [DEEP, DEEP, DEEP, DEEP, DEEP, DEEP],
];

/// Returns the weighted sum of red, green and blue. White has 10000 · 255.
const fn weighted([r, g, b]: Rgb) -> u32 {
    2126 * r as u32 + 7152 * g as u32 + 722 * b as u32
}

/// Returns the luminance of a colour in hundredths, rounded: 0 for black, 100 for white.
#[must_use]
pub const fn hundredths(rgb: Rgb) -> u32 {
    (weighted(rgb) + 12_750) / 25_500
}

/// Returns the bin of a colour by the tutorial's rule, min(n − 1, ⌊v · n⌋), without rounding the luminance v before.
#[must_use]
pub const fn bin(rgb: Rgb) -> usize {
    let bin = weighted(rgb) as usize * BINS / 2_550_000;
    if bin < BINS { bin } else { BINS - 1 }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::path::PathBuf;

    use super::*;
    use crate::image::rgba;
    use histoscope_core::histogram::{Components, reference, regroup};

    fn counts() -> [u32; BINS] {
        let mut counts = [0; BINS];
        PIXELS.iter().flatten().for_each(|&rgb| counts[bin(rgb)] += 1);
        counts
    }

    #[test]
    fn the_worked_example_matches_the_reference() {
        let bytes = PIXELS.iter().flatten().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let picture = rgba(bytes, (WIDTH as u32, HEIGHT as u32)).unwrap();
        let right = regroup(reference::histogram(&picture, Components::Rgbl).bins(3), BINS as u32);
        assert_eq!(right, [18, 16, 8], "as many as in the lesson");
        assert_eq!(counts().to_vec(), right);
    }

    /// Returns the text of a file of the repository.
    fn file(name: &str) -> String {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the luminances, the bins and the graph, as on the page.
    fn worked_out() -> String {
        let rows = PIXELS.iter().map(|row| {
            let luminances = row.map(|rgb| format!("0.{:02}", hundredths(rgb))).join("  ");
            let bins = row.map(|rgb| bin(rgb).to_string()).join(" ");
            format!("    {luminances}    {bins}\n")
        });
        let graph = counts().into_iter().enumerate();
        let graph = graph.map(|(bin, count)| format!("    bin {bin}   {} {count}\n", "█".repeat(count as usize)));
        rows.chain(["\n".to_owned()]).chain(graph).collect()
    }

    #[test]
    fn the_page_shows_the_luminances_the_bins_and_the_graph() {
        let page = file("docs/learn/README.md");
        assert!(page.contains(&worked_out()), "docs/learn/README.md must have these lines:\n{}", worked_out());
    }

    /// Draws the image, the luminances, the bins and the graph side by side.
    fn drawing() -> String {
        const SIDE: usize = 32;
        const GRAYS: [u8; BINS] = [43, 128, 213];
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} 256\" font-family=\"sans-serif\" \
             text-anchor=\"middle\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            3 * 208 + 112
        );
        let cells = |text: &mut String, left: usize, name: &str, cell: &dyn Fn(Rgb) -> (Rgb, String)| {
            writeln!(text, "<text x=\"{}\" y=\"18\" font-size=\"14\">{name}</text>", left + 3 * SIDE).unwrap();
            for (y, row) in PIXELS.iter().enumerate() {
                for (x, &rgb) in row.iter().enumerate() {
                    let (x, y, (fill, label)) = (left + x * SIDE, 28 + y * SIDE, cell(rgb));
                    let [r, g, b] = fill;
                    let ink = if weighted(fill) > 1_275_000 { "#000" } else { "#fff" };
                    writeln!(
                        text,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"rgb({r},{g},{b})\"/>\
                         <text x=\"{}\" y=\"{}\" font-size=\"12\" fill=\"{ink}\">{label}</text>",
                        x + SIDE / 2,
                        y + 20
                    )
                    .unwrap();
                }
            }
        };
        cells(&mut text, 8, "image", &|rgb| (rgb, String::new()));
        cells(&mut text, 216, "luminance", &|rgb| {
            let gray = (weighted(rgb) / 10_000) as u8;
            ([gray; 3], format!(".{:02}", hundredths(rgb)))
        });
        cells(&mut text, 424, "bin", &|rgb| ([GRAYS[bin(rgb)]; 3], bin(rgb).to_string()));
        writeln!(text, "<text x=\"680\" y=\"18\" font-size=\"14\">pixels</text>").unwrap();
        for (bin, count) in counts().into_iter().enumerate() {
            let (x, height, [r, g, b]) = (632 + bin * SIDE, 10 * count as usize, [GRAYS[bin]; 3]);
            writeln!(
                text,
                "<rect x=\"{x}\" y=\"{}\" width=\"{SIDE}\" height=\"{height}\" fill=\"rgb({r},{g},{b})\" \
                 stroke=\"#000\"/><text x=\"{}\" y=\"{}\" font-size=\"12\">{count}</text>",
                234 - height,
                x + SIDE / 2,
                248
            )
            .unwrap();
        }
        text + "</svg>\n"
    }

    #[test]
    fn the_drawing_on_the_page_shows_the_worked_example() {
        let kept = file("assets/learn-histogram.svg");
        assert!(kept == drawing(), "assets/learn-histogram.svg must be:\n{}", drawing());
    }

    /// The lesson's rule for a code of red, green or blue, whose value is code / 255.
    fn lesson_s_bin(code: u32, bins: u32) -> u32 {
        (code * bins / 255).min(bins - 1)
    }

    #[test]
    fn the_rule_for_codes_departs_from_the_lesson_s_as_the_page_says() {
        // Counts one pixel of each code, and finds it again in its bin.
        let bin_of = |code: u32, bins: u32| -> u32 {
            let counts: Vec<u32> = (0..256).map(|other| u32::from(other == code)).collect();
            regroup(&counts, bins).iter().position(|&count| count == 1).unwrap() as u32
        };
        let departing = |bins: u32| (0..256).filter(move |&code| bin_of(code, bins) != lesson_s_bin(code, bins));
        assert_eq!(departing(3).collect::<Vec<_>>(), [85, 170]);
        let alike: Vec<_> = (3..=256).filter(|&bins| departing(bins).next().is_none()).collect();
        assert_eq!(alike, [4, 8, 16, 32, 64, 128, 256]);
        // Every departure is by one bin, to the one below.
        for bins in 3..=256 {
            assert!(departing(bins).all(|code| bin_of(code, bins) + 1 == lesson_s_bin(code, bins)), "{bins} bins");
        }
        let reached = |bins: u32| (0..256).map(|code| bin_of(code, bins)).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(reached(1000).len(), 256);
    }

    #[test]
    fn the_pixel_on_the_page_about_drawing_has_the_luminance_that_it_says() {
        let code = histoscope_core::picture::luminance::LuminanceWeights::Bt709.bin([200, 90, 40], 8);
        assert_eq!(code, 110);
        let page = file("docs/learn/drawing.md");
        assert!(page.contains(&format!("pixel  R 200  G 90  B 40  ─▶  luminance {code}")));
    }
}
