//! Explanations of the exposure terms, shown as tooltips.

use histoscope_render::view::exposure::{FalseColorTable, MarkLimits};

/// Returns the meaning of the limits of marks.
#[must_use]
pub const fn of_marks(limits: MarkLimits, is_coded: bool) -> &'static str {
    match limits {
        MarkLimits::Clipped if is_coded => OUT_OF_RANGE_CODED,
        MarkLimits::Clipped => {
            "Clipped: red, green or blue is at its lowest or highest code. Out of range: it was below black or above \
             white, and was clamped."
        }
        MarkLimits::R103 => {
            "Codes outside EBU R 103: red, green, blue or Y' beyond −5 % or 105 % of black to white (5 to 246 of 8 bits in \
             limited range). Its filter, behind which the numbers count, may still pass them."
        }
        MarkLimits::Own(..) => "Marks pixels at or beyond two levels that you set.",
    }
}

/// Returns the meaning of a table of false colours.
#[must_use]
pub fn of_false_color(table: FalseColorTable) -> String {
    if table == FalseColorTable::Light {
        return format!(
            "{}.\nThe largest of red, green and blue decides. A colour begins at its lower light.",
            table.description()
        );
    }
    let compared = "Percentages are of Y' from black to white in the current range; for R'G'B' and adjusted pictures, \
                    of luminance. A colour begins at its lower percentage and ends just below its upper one.";
    format!("{}.\n{compared}", table.description())
}

/// The meaning of "out of range" for red, green and blue.
pub const OUT_OF_RANGE: &str = "Out of range: samples that were below black or above white after conversion to red, \
                                green and blue, and were clamped.";
/// The meaning of "out of range" for coded Y', Cb and Cr.
pub const OUT_OF_RANGE_CODED: &str = "Out of range: Y' below black or above white (16 to 235 of 8 bits in limited range), Cb and Cr \
                                      outside 16 to 240. In full range every code is in range.";
/// The meaning of the luminance of linear light.
pub const LINEAR: &str = "Luminance of linear light: the light of red, green and blue, weighted and summed. Each pixel \
                          counts at the code of an equally bright gray, so gray pixels are where they are in the \
                          codes’ histogram, and coloured ones elsewhere.";
/// The meaning of the distance between histograms.
pub const DISTANCE: &str = "Distance of the histograms (earth mover's): how many codes samples must move on average to \
                            turn the live histogram into the held one. For pictures of different depths, in percent of \
                            the scale.";
/// The meaning of PSNR and SSIM.
pub const QUALITY: &str = "The compared frame's samples against those of the frame on screen, before adjustments, for all planes and for \
                           each: peak signal-to-noise ratio, and structural similarity (1 if equal), as FFmpeg's filters compute them.";
/// The meaning of EBU R 103.
pub const R103: &str = "EBU R 103, what broadcasters accept: red, green, blue and Y' from −5 % to 105 % of black to white (5 to 246 of 8 \
                        bits in limited range), behind its filter, which small overshoots pass. Up to 1 % of the picture may lie outside.";

/// The panel of the probes.
pub const PROBES: &str = "The samples of each pinned pixel, and its difference from the first one (ref): ΔE ITP by BT.2124, and CIEDE2000 of \
     SDR. 1 is about the least difference that is seen. SDR is taken to have a white of 100 cd/m². Drag a pin to move it.";
