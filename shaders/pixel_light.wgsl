// Counts the light of pixels: see crates/core/src/histogram/pixel_light.rs. As in chunk.wgsl, a few hundred workgroups
// cover the picture together, and each invocation takes a block of 4 × 2 pixels at a time. A workgroup counts in
// workgroup memory and finally adds its bins to the common ones. Its other totals are summed on the CPU.

override CODES: u32 = 256u; // 2^BITS
// True if a pixel's value is its light by the system gamma of HLG. Otherwise it is its largest code.
override HLG: bool = false;
// True if pixels outside P3-D65 and BT.709 are counted.
override GAMUT: bool = false;
override BIN_COUNT: u32 = 256u;
// Words of totals, of a workgroup and of each of its invocations: only the first two if there are neither HLG nor
// gamut, since the sum of codes follows from the bins.
override TOTAL_WORDS: u32 = 6u;
override WORKGROUP: u32 = 256u;
// The bins, or, once they are written, TOTAL_WORDS words for each invocation.
override MEMORY_WORDS: u32 = 1536u;

struct Region {
    low: vec2<u32>,  // column and row of the first counted pixel
    high: vec2<u32>, // and one past the last
}

@group(1) @binding(0) var<uniform> region: Region;
// `LightMeter::table`.
@group(1) @binding(1) var<storage, read> table: array<u32>;
@group(1) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;
// TOTAL_WORDS for each workgroup: the largest value, the first pixel with it, the sum of values (low and high word),
// and the pixels outside P3-D65 and BT.709.
@group(1) @binding(3) var<storage, read_write> totals: array<u32>;

var<workgroup> memory: array<atomic<u32>, MEMORY_WORDS>;

// The totals of this invocation. Pixels are numbered along the rows; NO_PIXEL comes after all of them.
const NO_PIXEL: u32 = 0xffffffffu;
var<private> largest: u32 = 0u;
var<private> first_largest: u32 = NO_PIXEL;
var<private> sum_low: u32 = 0u;
var<private> sum_high: u32 = 0u;
var<private> outside: vec2<u32> = vec2<u32>(0u);

fn bin_of(value: u32) -> u32 {
    if !HLG {
        return value;
    }
    if (value >> 16u) == 0u {
        return 0u;
    }
    let octave = 31u - countLeadingZeros(value);
    return ((octave - 16u) << 8u) + ((value >> (octave - 8u)) & 255u);
}

// True if red, green or blue is negative by these rows.
fn is_outside_gamut(light: vec3<i32>, red: vec3<i32>, green: vec3<i32>, blue: vec3<i32>) -> bool {
    return dot(light, red) < 0i || dot(light, green) < 0i || dot(light, blue) < 0i;
}

// The rows are those of `GAMUTS`.
fn note_gamut(light: vec3<u32>) {
    // The largest gets 15 bits, so that dark pixels are as precise as bright ones and no sum overflows.
    let bits = 32u - countLeadingZeros(light.r | light.g | light.b);
    let down = max(bits, 15u) - 15u;
    let up = 15u - min(bits, 15u);
    let scaled = vec3<i32>((light >> vec3<u32>(down)) << vec3<u32>(up));
    let p3 = is_outside_gamut(
        scaled,
        vec3<i32>(44026i, -9246i, -2012i),
        vec3<i32>(-2140i, 35251i, -344i),
        vec3<i32>(92i, -642i, 33318i),
    );
    let bt709 = is_outside_gamut(
        scaled,
        vec3<i32>(54411i, -19256i, -2387i),
        vec3<i32>(-4081i, 37123i, -274i),
        vec3<i32>(-595i, -3296i, 36659i),
    );
    outside += vec2<u32>(select(0u, 1u, p3), select(0u, 1u, bt709));
}

fn value_of(codes: vec3<u32>) -> u32 {
    let largest_code = max(max(codes.r, codes.g), codes.b);
    if !HLG && !GAMUT {
        return largest_code;
    }
    let light = vec3<u32>(table[codes.r], table[codes.g], table[codes.b]);
    if GAMUT {
        note_gamut(light);
    }
    if !HLG {
        return largest_code;
    }
    return light_on_display(light);
}

fn note_value(value: u32, pixel: u32) {
    if value > largest || (value == largest && pixel < first_largest) {
        largest = value;
        first_largest = pixel;
    }
    sum_low += value;
    if sum_low < value {
        sum_high += 1u;
    }
}

// Counts the largest codes of the pixels from part.x up to part.y among the four of a strip.
fn count_codes(strip: u32, row: u32, part: vec2<u32>, first_codes: vec4<u32>, chroma: ChromaTerms) {
    if part.x >= part.y {
        return;
    }
    let first = vec4<i32>(first_codes);
    let red = picture.red.x * first + chroma.red;
    let green = picture.green.x * first + chroma.green;
    let blue = picture.blue.x * first + chroma.blue;
    // Rounding keeps the order, so only the largest sum is rounded.
    let rounded = max(max(red, green), blue) >> vec4<u32>(FRACTION);
    let values = vec4<u32>(clamp(rounded, vec4<i32>(0i), vec4<i32>((1i << BITS) - 1i)));
    var most = 0u;
    if part.x == 0u && part.y == 4u {
        most = max(max(values.x, values.y), max(values.z, values.w));
        // Neighbours of equal light, as in constant areas, are added together.
        if all(values == values.xxxx) {
            atomicAdd(&memory[values.x], 4u);
        } else {
            atomicAdd(&memory[values.x], 1u);
            atomicAdd(&memory[values.y], 1u);
            atomicAdd(&memory[values.z], 1u);
            atomicAdd(&memory[values.w], 1u);
        }
    } else {
        for (var lane = part.x; lane < part.y; lane += 1u) {
            most = max(most, values[lane]);
            atomicAdd(&memory[values[lane]], 1u);
        }
    }
    let pixel = row * picture.size.x + strip * 4u;
    if most > largest || (most == largest && pixel + part.x < first_largest) {
        var lane = part.x;
        while values[lane] != most && lane < 3u {
            lane += 1u;
        }
        if most > largest || pixel + lane < first_largest {
            largest = most;
            first_largest = pixel + lane;
        }
    }
}

// Counts the pixels from part.x up to part.y among the four of a strip.
fn count_strip(strip: u32, row: u32, part: vec2<u32>, first_codes: vec4<u32>, chroma: ChromaTerms) {
    if part.x >= part.y {
        return;
    }
    if !HLG && !GAMUT {
        count_codes(strip, row, part, first_codes, chroma);
        return;
    }
    let colors = colors_of(first_codes, chroma);
    let pixel = row * picture.size.x + strip * 4u;
    var run = 0u;
    var run_bin = 0u;
    for (var lane = part.x; lane < part.y; lane += 1u) {
        let value = value_of(vec3<u32>(colors.red[lane], colors.green[lane], colors.blue[lane]));
        note_value(value, pixel + lane);
        // Neighbours of equal light, as in constant areas, are added together.
        let bin = bin_of(value);
        if run > 0u && bin != run_bin {
            atomicAdd(&memory[run_bin], run);
            run = 0u;
        }
        run_bin = bin;
        run += 1u;
    }
    atomicAdd(&memory[run_bin], run);
}

// The counted lanes of a strip in a row: the first, and one past the last.
fn counted_lanes(strip: u32, row: u32) -> vec2<u32> {
    if row < region.low.y || row >= region.high.y {
        return vec2<u32>(0u);
    }
    let begin = strip * 4u;
    return vec2<u32>(max(region.low.x, begin), min(region.high.x, begin + 4u)) - vec2<u32>(begin);
}

fn word_of(invocation: u32, total: u32) -> u32 {
    return atomicLoad(&memory[total * WORKGROUP + invocation]);
}

fn set_word(invocation: u32, total: u32, word: u32) {
    atomicStore(&memory[total * WORKGROUP + invocation], word);
}

// Adds the totals of another invocation to those of this one.
fn take_totals(other: u32) {
    let value = word_of(other, 0u);
    let pixel = word_of(other, 1u);
    if value > largest || (value == largest && pixel < first_largest) {
        largest = value;
        first_largest = pixel;
    }
    if TOTAL_WORDS == 2u {
        return;
    }
    let low = word_of(other, 2u);
    sum_low += low;
    sum_high += word_of(other, 3u) + select(0u, 1u, sum_low < low);
    outside += vec2<u32>(word_of(other, 4u), word_of(other, 5u));
}

fn put_totals(invocation: u32) {
    set_word(invocation, 0u, largest);
    set_word(invocation, 1u, first_largest);
    if TOTAL_WORDS == 2u {
        return;
    }
    set_word(invocation, 2u, sum_low);
    set_word(invocation, 3u, sum_high);
    set_word(invocation, 4u, outside.x);
    set_word(invocation, 5u, outside.y);
}

@compute @workgroup_size(WORKGROUP)
fn count_light(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var word = local; word < BIN_COUNT; word += WORKGROUP) {
        atomicStore(&memory[word], 0u);
    }
    workgroupBarrier();

    // Blocks are taken from the strip and the pair of rows of the region's corner on.
    let corner = vec2<u32>(region.low.x / 4u, region.low.y & ~1u);
    let strips = (region.high.x + 3u) / 4u - corner.x;
    let rows = region.high.y - corner.y;
    let step = block_of(groups.x * WORKGROUP, strips);
    var block = block_of(group.x * WORKGROUP + local, strips);
    var at = corner + block;
    var loads = load_words(at.x, min(at.y, picture.size.y - 1u));
    while block.y < rows {
        // The words of the next block load while this one is counted.
        block = block_after(block, step, strips);
        let next = corner + block;
        let ahead = load_words(next.x, min(next.y, picture.size.y - 1u));
        let pair = pair_of(at.x, loads);
        count_strip(at.x, at.y, counted_lanes(at.x, at.y), pair.upper, pair.upper_chroma);
        count_strip(at.x, at.y + 1u, counted_lanes(at.x, at.y + 1u), pair.lower, pair.lower_chroma);
        at = next;
        loads = ahead;
    }

    workgroupBarrier();
    for (var bin = local; bin < BIN_COUNT; bin += WORKGROUP) {
        let count = atomicLoad(&memory[bin]);
        if count > 0u {
            atomicAdd(&bins[bin], count);
        }
    }
    workgroupBarrier();
    put_totals(local);
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            take_totals(local + half);
            put_totals(local);
        }
    }
    if local == 0u {
        let base = group.x * TOTAL_WORDS;
        for (var total = 0u; total < TOTAL_WORDS; total += 1u) {
            totals[base + total] = word_of(0u, total);
        }
    }
}
