// Shared by the two passes of the overlays. This text precedes either pass's own; together they are one module.

// One overlay. Columns are counted from its left edge. Lines that are not drawn have the highest number as their
// column.
struct Panel {
    view: vec2<u32>,                // pixels of the view
    origin: vec2<u32>,              // the overlay's top left pixel
    size: vec2<u32>,                // its columns and rows
    first_column: u32,              // index of its first column among all overlays
    channels: u32,                  // bit c: channel c is shown here
    scale: u32,                     // heights: 0 the tutorial's, 1 to the tallest bin, 2 the logarithm of the counts
    line: u32,                      // thickness of lines in pixels
    notch: u32,                     // rows of the mark at the top of a clipped bar: a dark gap with a light cap on it
    opacity: f32,
    lights: array<vec4<f32>, 4>,    // the bars' colours
    bars: f32,                      // opacity of bars
    scrim: f32,                      // opacity where no bar reaches
    traced: u32,                    // true if the last channel is drawn as a line over the others' bars
    brushed: u32,                   // bit c: a range of channel c is lit
    brush: vec2<u32>,               // its first and last column
    guides: vec2<u32>,              // columns of the lines at the legal levels
    marks: vec4<u32>,               // columns of a probed pixel's bins, channel by channel
    graticule: array<vec4<u32>, 2>, // columns of the eighths; the last one is unused
    outlined: u32,                  // which bins are drawn as outlines: 0 none, 1 another picture's, 2 those of the whole
    curved: u32,                    // true if the cumulative histograms are drawn as curves
    light: f32,                     // brightness of bars when outlines are drawn
    stroke: f32,                    // half the thickness of outlines and curves in pixels
    backdrop: vec2<u32>,            // columns and rows of the blurred picture in the background; 0 if none
    cap: u32,                       // rows of the cap, and its columns beyond the bar on each side
    indicator: u32,                 // side of a clip indicator in pixels; 0 if none
    overlaps: array<vec4<f32>, 16>, // colours of points by the set of bars that reach them; the last component is 0 if bars mix as light
    linear: vec4<f32>,              // colour of the line of luminance in linear light; its last component is 0 if none
}

@group(0) @binding(0) var<uniform> panel: Panel;

// Four heights divide a column of pixels into five bands, lowest first. The words of a column are the four heights, 16
// bits each, then the five bands' colours, premultiplied, 8 bits per component, then flags. Bit c is channel c's clip
// indicator at the lowest code, bit 4 + c the one at the highest, and bit 8 means that there is a cap.
const COLUMN_WORDS: u32 = 8u;
const BANDS: u32 = 5u;
const FLAGS: u32 = 7u;
const CAPPED: u32 = 256u;

// A stroke covers the rows of a column from x up to y, which may be fractions. There is none if y is not above x. The
// strokes of a column are the four channels' outlines, their four curves, the luminance in linear light, and the last
// channel, if it is drawn as a line.
const COLUMN_STROKES: u32 = 10u;
const OUTLINES: u32 = 0u;
const CURVES: u32 = 4u;
const LINEAR: u32 = 8u;
const TRACED: u32 = 9u;

// Strength of the graticule's lines at the odd and at the even eighths.
const MINOR_LINE: f32 = 0.10;
const MAJOR_LINE: f32 = 0.18;

// Draws a colour, premultiplied by its opacity, over another.
fn over(top: vec4<f32>, below: vec4<f32>) -> vec4<f32> {
    return top + below * (1.0 - top.a);
}

// A line of the graticule: light on the dark scrim and dark on light bars, so that it is visible on both.
fn graticule(strength: f32, on_bar: bool) -> vec4<f32> {
    return vec4<f32>(vec3<f32>(select(strength, 0.0, on_bar)), strength);
}
