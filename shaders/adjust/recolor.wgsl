// Reads a picture of any layout, changes each pixel independently, and writes packed R'G'B': 4 × 8 bits per pixel, or 4
// × 16 with the code in the low bits. Every pass can read the result as a picture.
//
// Each invocation takes a block of 4 × 2 pixels, which share their chroma where it is subsampled by two.

override WORKGROUP: u32 = 256u;
// The operation on a pixel. 1: a curve for its luminance, keeping its hue. 2: a curve each for red, green and blue. 3:
// a curve for its luminance, interpolated between the curves of tiles. 4: the tone of its class. 5: a colour between
// the nodes of a cube. 6: light in another gamut.
override CHANGE: u32 = 1u;

struct Recolor {
    tones: array<vec4<u32>, 8>, // of each class, red, green and blue
    tiles: vec2<u32>,           // across and down
    cube: vec2<u32>,            // nodes along each edge, and the right shift from a weighted sum of nodes to a code
}

@group(1) @binding(0) var<uniform> recolor: Recolor;
// The curves of 1 and 2, the curves of 3 as packed by shaders/adjust/clahe_curves.wgsl, the thresholds of 4, or for 5
// the positions of red, green and blue on the cube's edges: a node and, in the low 16 bits, the fraction of the way to
// the next one in units of 2^-15. For 6, the light of red, green and blue in units of 2^-20.
@group(1) @binding(1) var<storage, read> curves: array<u32>;
// For 3: for each column, then each row, the tile that it follows and, in the low 16 bits, the weight of that tile.
// For 5: the nodes of the cube in two words, red and green, blue. Red varies fastest. For 6: the rows of the matrix in
// units of 2^-17, then the codes of light. In pairs of words, so that a node is read at once.
@group(1) @binding(2) var<storage, read> axes: array<vec2<u32>>;
@group(1) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

// Curves in workgroup memory, up to 10 bits. Every pixel looks up one to three words at random places, which takes
// twice as long from a buffer. For 1, the factors that follow from each luminance; for 2, the curves.
override RATIOS: u32 = 1u;      // 2^BITS, or 1 for none
override CURVE_WORDS: u32 = 1u; // 3 · 2^BITS, or 1 for none; also for 5 and 6
var<workgroup> ratios: array<vec2<u32>, RATIOS>;
var<workgroup> staged: array<u32, CURVE_WORDS>;

override WEIGHT_BITS: u32 = (32u - BITS) / 2u;
override TOP: u32 = (1u << BITS) - 1u;

// Converts a code below 2^23 to a real number and back. The bits are assembled here, because the adapter's conversions
// are several times slower than other arithmetic.
const TWO_23: f32 = 8388608.0;

fn real(codes: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(codes | vec4<u32>(0x4b000000u)) - TWO_23;
}

// code · to / from, rounded, at most TOP: ⌊(code · to + ⌊from / 2⌋) / from⌋.
fn scaled(codes: vec4<u32>, from_code: vec4<u32>, inverse: vec4<f32>, to_code: vec4<u32>) -> vec4<u32> {
    let half = from_code >> vec4<u32>(1u);
    if BITS <= 10u {
        // The dividend is a whole number below 2^23, so it is exact. With one half added, the quotient is at least 1 /
        // (2 · from) >= 2^-11 away from every whole number. This exceeds all rounding errors of a quotient up to TOP.
        // So the result is the whole number nearest to the quotient less a half; adding 2^23 rounds to it.
        let dividend = real(codes) * real(to_code) + (real(half) + 0.5);
        let quotient = min(dividend * inverse, vec4<f32>(f32(TOP) + 0.5));
        return bitcast<vec4<u32>>((quotient - 0.5) + TWO_23) & vec4<u32>(0x7fffffu);
    }
    // Unless it exceeds TOP anyway, the quotient in floats is off by less than one, so one correction makes it exact.
    let product = codes * to_code + half;
    let guess = min(vec4<u32>(vec4<f32>(product) * inverse), vec4<u32>(TOP + 1u));
    let back = guess * from_code;
    let low = select(vec4<u32>(0u), vec4<u32>(1u), back > product);
    let high = select(vec4<u32>(0u), vec4<u32>(1u), product - back >= from_code);
    return min(guess - low + high * (vec4<u32>(1u) - low), vec4<u32>(TOP));
}

// Factor and summand that scale a pixel's codes when its luminance changes from one code to another, up to 10 bits.
// Equals `scaled`, except for the order of operations.
//
// At 8 bits both are multiples of 2^-16, rounded up, and code · factor + summand stays below 2^32. It exceeds the true
// quotient by less than 256 · 2^-16. That does not reach the next whole number, which is at least 1 / 255 away.
//
// At 10 bits they are real numbers. The result is the whole number nearest to code · factor + summand, which is at
// least 1 / (2 · from) >= 2^-11 away from a tie. For quotients up to TOP the rounding errors are smaller: at most 3 ·
// 2^-13 from the factor, where the inverse may contribute 3 · 2^-23 of its value, and at most 2^-14 from the rest.
fn ratio_of(from_code: u32, to_code: u32) -> vec2<u32> {
    let divisor = max(from_code, 1u);
    let goal = select(to_code, 1u, from_code == 0u);
    if BITS == 8u {
        return (vec2<u32>(goal, from_code >> 1u) * 65536u + divisor - 1u) / divisor;
    }
    let inverse = 1.0 / f32(divisor);
    return bitcast<vec2<u32>>(vec2<f32>(f32(goal) * inverse, (f32(from_code >> 1u) + 0.5) * inverse - 0.5));
}

// The pixels with a new luminance: red, green and blue are scaled by the ratio. Black has no ratio and stays black.
fn with_luminance(colors: Colors, from_code: vec4<u32>, to_code: vec4<u32>) -> Colors {
    let black = from_code == vec4<u32>(0u);
    let divisor = max(from_code, vec4<u32>(1u));
    // A divisor of 1 keeps black unchanged if its new luminance is 0.
    let goal = select(to_code, vec4<u32>(1u), black);
    let inverse = vec4<f32>(1.0) / vec4<f32>(divisor);
    return Colors(
        scaled(colors.red, divisor, inverse, goal),
        scaled(colors.green, divisor, inverse, goal),
        scaled(colors.blue, divisor, inverse, goal),
    );
}

// The codes, each scaled by one of `ratios`.
fn by_ratio(codes: vec4<u32>, factor: vec4<u32>, summand: vec4<u32>) -> vec4<u32> {
    if BITS == 8u {
        return min((codes * factor + summand) >> vec4<u32>(16u), vec4<u32>(TOP));
    }
    let product = fma(real(codes), bitcast<vec4<f32>>(factor), bitcast<vec4<f32>>(summand));
    let quotient = min(product, vec4<f32>(f32(TOP)));
    return bitcast<vec4<u32>>(quotient + TWO_23) & vec4<u32>(0x7fffffu);
}

// Loads the curves into workgroup memory. A barrier must follow before a pixel is changed.
fn stage_curves(local: u32) {
    if CURVE_WORDS > 1u {
        for (var word = local; word < CURVE_WORDS; word += WORKGROUP) {
            staged[word] = select(curves[word] & TOP, curves[word], CHANGE >= 5u);
        }
    }
    if RATIOS > 1u {
        for (var code = local; code < RATIOS; code += WORKGROUP) {
            ratios[code] = ratio_of(code, curves[code] & TOP);
        }
    }
}

fn through_curve(first: u32, codes: vec4<u32>) -> vec4<u32> {
    if CURVE_WORDS > 1u {
        return vec4<u32>(
            staged[first + codes.x],
            staged[first + codes.y],
            staged[first + codes.z],
            staged[first + codes.w],
        );
    }
    let mapped = vec4<u32>(
        curves[first + codes.x],
        curves[first + codes.y],
        curves[first + codes.z],
        curves[first + codes.w],
    );
    // A curve has no higher codes. The mask guarantees that to recolor_count.wgsl, where codes are indices of bins.
    return mapped & vec4<u32>(TOP);
}

// The pixels with the luminance that the curve assigns.
fn with_mapped_luminance(colors: Colors, luminance: vec4<u32>) -> Colors {
    if RATIOS == 1u {
        return with_luminance(colors, luminance, through_curve(0u, luminance));
    }
    let a = ratios[luminance.x];
    let b = ratios[luminance.y];
    let c = ratios[luminance.z];
    let d = ratios[luminance.w];
    let factor = vec4<u32>(a.x, b.x, c.x, d.x);
    let summand = vec4<u32>(a.y, b.y, c.y, d.y);
    return Colors(
        by_ratio(colors.red, factor, summand),
        by_ratio(colors.green, factor, summand),
        by_ratio(colors.blue, factor, summand),
    );
}

fn axis_word(at: u32) -> u32 {
    return axes[at >> 1u][at & 1u];
}

// The luminance interpolated between the curves of the four nearest tiles.
fn between_tiles(x: u32, luminance: u32, row: u32) -> u32 {
    // Columns beyond the picture only complete the last strip. They repeat the last column.
    let column = axis_word(min(x, picture.size.x - 1u));
    let cell = (row >> 16u) * (recolor.tiles.x + 1u) + (column >> 16u);
    let at = (cell << BITS) + luminance;
    var left: vec2<u32>; // upper and lower
    var right: vec2<u32>;
    if BITS == 8u {
        let four = (vec4<u32>(curves[at]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
        left = four.xz;
        right = four.yw;
    } else {
        let pairs = vec2<u32>(curves[2u * at], curves[2u * at + 1u]);
        left = pairs & vec2<u32>(0xffffu);
        right = pairs >> vec2<u32>(16u);
    }
    let one = 1u << WEIGHT_BITS;
    let across = left * (one - (column & 0xffffu)) + right * (column & 0xffffu);
    let sum = across.x * (one - (row & 0xffffu)) + across.y * (row & 0xffffu);
    return (sum + (1u << (2u * WEIGHT_BITS - 1u))) >> (2u * WEIGHT_BITS);
}

// The word of a code, for a channel whose curve begins at `first`.
fn word_of(first: u32, code: u32) -> u32 {
    if CURVE_WORDS > 1u {
        return staged[first + code];
    }
    return curves[first + code];
}

fn node(at: u32) -> vec3<u32> {
    let words = axes[at];
    return vec3<u32>(words.x & 0xffffu, words.x >> 16u, words.y);
}

// The colour in the tetrahedron of nodes that contains a pixel: crates/core/src/adjust/lut.rs.
fn in_cube(red: u32, green: u32, blue: u32) -> vec3<u32> {
    let place = vec3<u32>(word_of(0u, red), word_of(1u << BITS, green), word_of(2u << BITS, blue));
    let part = place & vec3<u32>(0xffffu);
    let cell = place >> vec3<u32>(16u);
    let side = recolor.cube.x;
    let step_y = side;
    let step_z = side * side;
    let most = max(max(part.x, part.y), part.z);
    let least = min(min(part.x, part.y), part.z);
    let middle = part.x + part.y + part.z - most - least;
    let largest = select(select(step_z, step_y, part.y == most), 1u, part.x == most);
    let smallest = select(select(1u, step_y, part.y == least), step_z, part.z == least);
    let first = cell.x + cell.y * step_y + cell.z * step_z;
    let last = first + 1u + step_y + step_z;
    let shift = recolor.cube.y;
    // The weights add up to 2^15 and the nodes have 16 bits, so the sum fits.
    let sum = node(first) * (32768u - most) + node(first + largest) * (most - middle)
        + node(last - smallest) * (middle - least) + node(last) * least;
    let units = (sum + (1u << (shift - 1u))) >> vec3<u32>(shift);
    // Nodes from -1 to 3, with two bits less for fractions, are stored from 0 on.
    let black = select(0u, TOP, shift < 31u - BITS);
    return min(max(units, vec3<u32>(black)) - black, vec3<u32>(TOP));
}

// The code of light in the new gamut, for a row of the matrix: crates/core/src/adjust/lut.rs. The products have more
// than 32 bits, so the two halves of light are summed separately.
fn code_of_light(row: u32, high: vec3<i32>, low: vec3<i32>) -> u32 {
    let weights = bitcast<vec3<i32>>(vec3<u32>(axis_word(3u * row), axis_word(3u * row + 1u), axis_word(3u * row + 2u)));
    let sum = (dot(weights, high) + (dot(weights, low) >> 12u)) >> 5u;
    let light = u32(clamp(sum, 0i, 1i << 20u));
    return min(axis_word(9u + select(16384u + (light >> 4u), light, light < 16384u)), TOP);
}

fn in_gamut(red: u32, green: u32, blue: u32) -> vec3<u32> {
    let words = vec3<u32>(word_of(0u, red), word_of(1u << BITS, green), word_of(2u << BITS, blue));
    let high = bitcast<vec3<i32>>(words) >> vec3<u32>(12u);
    let low = bitcast<vec3<i32>>(words & vec3<u32>(0xfffu));
    return vec3<u32>(code_of_light(0u, high, low), code_of_light(1u, high, low), code_of_light(2u, high, low));
}

// The pixel by 5 or 6.
fn looked_up(red: u32, green: u32, blue: u32) -> vec3<u32> {
    if CHANGE == 5u {
        return in_cube(red, green, blue);
    }
    return in_gamut(red, green, blue);
}

fn tone_of(luminance: u32) -> vec3<u32> {
    var class_index = 0u;
    for (var i = 0u; i < 4u; i += 1u) {
        class_index += select(0u, 1u, luminance >= curves[i]);
    }
    return recolor.tones[class_index].rgb;
}

fn changed(colors: Colors, strip: u32, row: u32) -> Colors {
    if CHANGE == 2u {
        return Colors(
            through_curve(0u, colors.red),
            through_curve(1u << BITS, colors.green),
            through_curve(2u << BITS, colors.blue),
        );
    }
    if CHANGE >= 5u {
        let a = looked_up(colors.red.x, colors.green.x, colors.blue.x);
        let b = looked_up(colors.red.y, colors.green.y, colors.blue.y);
        let c = looked_up(colors.red.z, colors.green.z, colors.blue.z);
        let d = looked_up(colors.red.w, colors.green.w, colors.blue.w);
        return Colors(
            vec4<u32>(a.r, b.r, c.r, d.r),
            vec4<u32>(a.g, b.g, c.g, d.g),
            vec4<u32>(a.b, b.b, c.b, d.b),
        );
    }
    let luminance = luminance_bins(colors.red, colors.green, colors.blue);
    if CHANGE == 1u {
        return with_mapped_luminance(colors, luminance);
    }
    if CHANGE == 3u {
        let place = axis_word(picture.size.x + row);
        let x = strip * 4u;
        return with_luminance(colors, luminance, vec4<u32>(
            between_tiles(x, luminance.x, place),
            between_tiles(x + 1u, luminance.y, place),
            between_tiles(x + 2u, luminance.z, place),
            between_tiles(x + 3u, luminance.w, place),
        ));
    }
    let a = tone_of(luminance.x);
    let b = tone_of(luminance.y);
    let c = tone_of(luminance.z);
    let d = tone_of(luminance.w);
    return Colors(
        vec4<u32>(a.r, b.r, c.r, d.r),
        vec4<u32>(a.g, b.g, c.g, d.g),
        vec4<u32>(a.b, b.b, c.b, d.b),
    );
}

fn write(colors: Colors, strip: u32, row: u32) {
    let at = row * ((picture.size.x + 3u) / 4u) + strip;
    if BITS == 8u {
        result[at] = colors.red | (colors.green << vec4<u32>(8u)) | (colors.blue << vec4<u32>(16u)) | vec4<u32>(0xff000000u);
        return;
    }
    let first = colors.red | (colors.green << vec4<u32>(16u));
    let second = colors.blue | vec4<u32>(TOP << 16u);
    result[2u * at] = vec4<u32>(first.x, second.x, first.y, second.y);
    result[2u * at + 1u] = vec4<u32>(first.z, second.z, first.w, second.w);
}

@compute @workgroup_size(WORKGROUP)
fn change(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    stage_curves(local);
    workgroupBarrier();
    let strips = (picture.size.x + 3u) / 4u;
    let block = (group.y * groups.x + group.x) * WORKGROUP + local;
    let strip = block % strips;
    let row = block / strips * 2u;
    if row >= picture.size.y {
        return;
    }
    let pair = load_pair(strip, row);
    write(changed(colors_of(pair.upper, pair.upper_chroma), strip, row), strip, row);
    // Below the picture, its last row repeats; it is not written again.
    if row + 1u < picture.size.y {
        write(changed(colors_of(pair.lower, pair.lower_chroma), strip, row + 1u), strip, row + 1u);
    }
}
