//! Explanations of the exposure terms, shown as tooltips.

use histoscope_render::view::exposure::{FalseColorTable, MarkLimits};

/// Returns the meaning of the limits of marks.
#[must_use]
pub const fn of_marks(limits: MarkLimits, is_coded: bool) -> &'static str {
    match limits {
        MarkLimits::Clipped if is_coded => OUT_OF_RANGE_CODED,
        MarkLimits::Clipped => {
            "Clipped: red, green or blue is at its lowest or highest code. Out of range: it lay below black or above white, and was \
             cut off there."
        }
        MarkLimits::R103 => R103,
        MarkLimits::Own(..) => "Marked is what lies at or beyond two levels of your own.",
    }
}

/// Returns the meaning of a table of false colours.
#[must_use]
pub fn of_false_color(table: FalseColorTable) -> String {
    let compared = "Percent are those of Y' from black to white, in the range in use; of R'G'B' and of adjusted pictures those of luminance. A \
                    colour begins at its lower percent and ends right below its upper one.";
    format!("{}.\n{compared}", table.description())
}

/// The meaning of "out of range" for red, green and blue.
pub const OUT_OF_RANGE: &str = "Out of range: samples that lay below black or above white after conversion to red, green and blue, and \
                                were cut off there.";
/// The meaning of "out of range" for coded Y', Cb and Cr.
pub const OUT_OF_RANGE_CODED: &str = "Out of range: Y' below black or above white (16 to 235 of 8 bits in limited range), Cb and Cr \
                                      outside 16 to 240. In full range every code is in range.";
/// The meaning of the luminance of linear light.
pub const LINEAR: &str = "Luminance of linear light: the light of red, green and blue, weighed and added up. A pixel stands at the code of the \
                          gray that is as bright, so that gray pixels stand where they do in the codes’ histogram, and coloured ones \
                          elsewhere.";
/// The meaning of the distance between histograms.
pub const DISTANCE: &str = "Distance of the histograms (earth mover's): by how many codes samples must be moved, in the mean, to make the \
                            held one of the live one. Of pictures of different depths, in percent of the scale.";
/// The meaning of PSNR and SSIM.
pub const QUALITY: &str = "The compared frame's samples against those of the frame on screen, before adjustments, in all planes and each: \
                           peak signal-to-noise ratio, and structural similarity (1 if equal), as FFmpeg's filters compute them.";
/// The meaning of EBU R 103.
pub const R103: &str = "EBU R 103, what broadcasters accept: red, green, blue and Y' from −5 % to 105 % of black to white (5 to 246 of 8 \
                        bits in limited range). Up to 1 % of the picture may lie outside.";
