// A box blur in two passes, as defined in crates/core/src/adjust/blur.rs. `across` sums SIZE codes along each row of a
// picture of any layout. `down` sums SIZE of those sums along each column, divides, and writes packed R'G'B' as
// recolor.wgsl does.
//
// A workgroup loads its tile, and a margin of SIZE / 2 pixels, into workgroup memory once. Each invocation then covers
// RUN neighbouring pixels with a running sum. For each next pixel it adds one value and subtracts one, so a pixel costs
// 2 + SIZE / RUN loads from there instead of SIZE.
//
// Sums that fit in 16 bits are added two at a time, as halves of a word: red and blue of a pixel, or green of two
// neighbours. The row's sums are also stored this way between the passes, in 6 bytes per pixel.

// True if the picture is packed as `down` packs it. Its words are then used directly.
override PACKED: bool = false;
override SIZE: u32 = 15u;     // odd
override ACROSS: u32 = 256u;  // invocations of a workgroup of `across`
override LINES: u32 = 4u;     // rows of its tile, an even number
override SPAN: u32 = 512u;    // pixels of a row of its tile: ACROSS / LINES · RUN
override DOWN: u32 = 256u;    // invocations of a workgroup of `down`
override PAIRS: u32 = 32u;    // pairs of columns of its tile
override ROWS: u32 = 64u;     // rows of its tile: DOWN / PAIRS · RUN
override ACROSS_WORDS: u32 = 1u; // of workgroup memory for `across`, padded
override DOWN_PAIRS: u32 = 1u;   // and pairs of pixels there for `down`

const RUN: u32 = 8u;
const HALF: u32 = 0xffffu;
override REACH: u32 = SIZE / 2u;
override TOP: u32 = (1u << BITS) - 1u;
// Words of a pixel: red, green, blue in bytes of one word, or in halves of two.
override WORDS: u32 = select(2u, 1u, BITS == 8u);
// True if row sums are stored exactly, each below 2^16. Then the divisor of the sum of them.
override EXACT: bool = BITS <= 10u;
override DIVISOR: u32 = select(16u * SIZE, SIZE * SIZE, EXACT);
// True if the sum of those fits in 16 bits too.
override NARROW: bool = DIVISOR * TOP <= HALF;

struct Blur {
    size: vec2<u32>,   // pixels
    stride: u32,       // row stride of the picture in pixels, a multiple of four
    sums_stride: u32,  // row stride of the sums in pixels, a multiple of RUN
}

// The output of `across`, whose input picture is in group 0: for each pixel the sums of red and blue, for each two
// pixels the sums of green.
@group(1) @binding(0) var<storage, read_write> red_blue_out: array<vec4<u32>>;
@group(1) @binding(1) var<storage, read_write> green_out: array<vec4<u32>>;
// The output of `down`.
@group(0) @binding(0) var<uniform> blur: Blur;
@group(0) @binding(1) var<storage, read> red_blue: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> green: array<u32>;
@group(0) @binding(3) var<storage, read_write> codes_out: array<vec2<u32>>;

var<workgroup> row_tile: array<u32, ACROSS_WORDS>;
var<workgroup> red_blue_tile: array<vec2<u32>, DOWN_PAIRS>;
var<workgroup> green_tile: array<u32, DOWN_PAIRS>;

// Words of four neighbouring pixels, and the second word of each if it has two.
struct Words {
    first: vec4<u32>,
    second: vec4<u32>,
}

fn packed(colors: Colors) -> Words {
    if WORDS == 1u {
        return Words(colors.red | (colors.green << vec4<u32>(8u)) | (colors.blue << vec4<u32>(16u)), vec4<u32>(0u));
    }
    return Words(colors.red | (colors.green << vec4<u32>(16u)), colors.blue);
}

fn packed_words(strip: u32, row: u32) -> Words {
    let at = row * picture.strides.x + strip * 4u * WORDS;
    let low = vec4<u32>(plane_0[at], plane_0[at + 1u], plane_0[at + 2u], plane_0[at + 3u]);
    if WORDS == 1u {
        return Words(low, vec4<u32>(0u));
    }
    let high = vec4<u32>(plane_0[at + 4u], plane_0[at + 5u], plane_0[at + 6u], plane_0[at + 7u]);
    return Words(vec4<u32>(low.xz, high.xz), vec4<u32>(low.yw, high.yw));
}

// The pixels starting at (4 · strip, row), where the row is even, and the pixels below them.
fn words_of_pair(strip: u32, row: u32) -> array<Words, 2> {
    if PACKED {
        return array<Words, 2>(packed_words(strip, row), packed_words(strip, min(row + 1u, picture.size.y - 1u)));
    }
    let pair = load_pair(strip, row);
    return array<Words, 2>(
        packed(colors_of(pair.upper, pair.upper_chroma)),
        packed(colors_of(pair.lower, pair.lower_chroma)),
    );
}

// Runs of 8 pixels begin 8 words apart, so they would use only a quarter of the banks. A word of padding after every 8
// words spreads 32 of them over 32 banks.
fn padded(index: u32) -> u32 {
    return index + (index >> 3u);
}

// Whole strips on either side of a tile's row that contain REACH pixels.
override HALO: u32 = (REACH + 3u) / 4u * 4u;
override TILE_SPAN: u32 = SPAN + 2u * HALO;
override TILE_STRIPS: u32 = TILE_SPAN / 4u;

// Four pixels of a row of the picture, beginning at `x`, a multiple of four. Pixels beyond the row are its first or
// last one. `words` are the words of the nearest strip of the picture.
fn repeated(words: vec4<u32>, x: i32) -> vec4<u32> {
    let last = i32(picture.size.x) - 1;
    if x < 0 {
        return vec4<u32>(words.x);
    }
    if x + 3 > last {
        let beyond = vec4<i32>(x) + vec4<i32>(0, 1, 2, 3) > vec4<i32>(last);
        return select(words, vec4<u32>(words[last & 3]), beyond);
    }
    return words;
}

// Stores four pixels of a tile's row, beginning at a multiple of four.
fn keep(line: u32, place: u32, words: Words, x: i32) {
    // The words of a 16-bit pixel are in two halves of the tile. No padding splits four words that begin there.
    let first = repeated(words.first, x);
    let at = padded(line * TILE_SPAN + place);
    row_tile[at] = first.x;
    row_tile[at + 1u] = first.y;
    row_tile[at + 2u] = first.z;
    row_tile[at + 3u] = first.w;
    if WORDS == 2u {
        let second = repeated(words.second, x);
        let other = padded((LINES + line) * TILE_SPAN + place);
        row_tile[other] = second.x;
        row_tile[other + 1u] = second.y;
        row_tile[other + 2u] = second.z;
        row_tile[other + 3u] = second.w;
    }
}

fn load_rows(local: u32, left: u32, top: u32) {
    let last_strip = i32((picture.size.x - 1u) / 4u);
    for (var i = local; i < LINES / 2u * TILE_STRIPS; i += ACROSS) {
        let line = i / TILE_STRIPS * 2u;
        let place = i % TILE_STRIPS * 4u;
        let x = i32(left + place) - i32(HALO);
        let strip = u32(clamp(x >> 2u, 0, last_strip));
        // Below the picture, its last row repeats; it is not written again.
        let pair = words_of_pair(strip, min(top + line, (picture.size.y - 1u) / 2u * 2u));
        keep(line, place, pair[0], x);
        keep(line + 1u, place, pair[1], x);
    }
}

// The words of the pixel at a place in a row of the tile, counted from REACH pixels before the tile.
fn pixel_of_row(line: u32, place: u32) -> vec2<u32> {
    let at = line * TILE_SPAN + place + HALO - REACH;
    let first = row_tile[padded(at)];
    if WORDS == 1u {
        return vec2<u32>(first, 0u);
    }
    return vec2<u32>(first, row_tile[padded(LINES * TILE_SPAN + at)]);
}

// Codes of four neighbouring pixels, or sums of them. If a row's sums fit in 16 bits, `red` has blue in its upper half.
struct Four {
    red: vec4<u32>,
    green: vec4<u32>,
    blue: vec4<u32>,
}

fn unpacked(words: Words) -> Four {
    if BITS == 8u {
        return Four(words.first & vec4<u32>(0xff00ffu), (words.first >> vec4<u32>(8u)) & vec4<u32>(255u), vec4<u32>(0u));
    }
    let red = words.first & vec4<u32>(HALF);
    let blue = words.second & vec4<u32>(HALF);
    let green = words.first >> vec4<u32>(16u);
    if EXACT {
        return Four(red | (blue << vec4<u32>(16u)), green, vec4<u32>(0u));
    }
    return Four(red, green, blue);
}

fn four_of_row(line: u32, place: u32) -> Four {
    let a = pixel_of_row(line, place);
    let b = pixel_of_row(line, place + 1u);
    let c = pixel_of_row(line, place + 2u);
    let d = pixel_of_row(line, place + 3u);
    return unpacked(Words(vec4<u32>(a.x, b.x, c.x, d.x), vec4<u32>(a.y, b.y, c.y, d.y)));
}

fn total(values: vec4<u32>) -> u32 {
    return (values.x + values.y) + (values.z + values.w);
}

fn total_of_four(values: Four) -> vec3<u32> {
    return vec3<u32>(total(values.red), total(values.green), total(values.blue));
}

// Slides four sums by one: each gains the next value and loses its oldest. Carries between halves cancel out.
fn slid(sum: u32, entering: vec4<u32>, leaving: vec4<u32>) -> vec4<u32> {
    let a = sum + entering.x;
    let b = a + entering.y - leaving.x;
    let c = b + entering.z - leaving.y;
    return vec4<u32>(a, b, c, c + entering.w - leaving.z);
}

fn slid_four(sum: vec3<u32>, entering: Four, leaving: Four) -> Four {
    return Four(
        slid(sum.x, entering.red, leaving.red),
        slid(sum.y, entering.green, leaving.green),
        slid(sum.z, entering.blue, leaving.blue),
    );
}

fn kept(sums: vec4<u32>) -> vec4<u32> {
    return (sums * 16u + vec4<u32>(SIZE / 2u)) / vec4<u32>(SIZE);
}

// Red and blue of four sums in halves of a word, and green separately.
fn kept_four(sums: Four) -> Four {
    if EXACT {
        return sums;
    }
    return Four(kept(sums.red) | (kept(sums.blue) << vec4<u32>(16u)), kept(sums.green), vec4<u32>(0u));
}

@compute @workgroup_size(ACROSS)
fn across(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let stride = (picture.size.x + RUN - 1u) / RUN * RUN;
    let spans = (picture.size.x + SPAN - 1u) / SPAN;
    let tile = group.y * groups.x + group.x;
    let left = tile % spans * SPAN;
    let top = tile / spans * LINES;
    load_rows(local, left, top);
    workgroupBarrier();
    let line = local / (SPAN / RUN);
    let first = local % (SPAN / RUN) * RUN;
    let y = top + line;
    if y >= picture.size.y || left + first >= stride {
        return;
    }
    // The values that leave the sum are its oldest ones.
    let leaving = four_of_row(line, first);
    let leaving_next = four_of_row(line, first + 4u);
    var sum = vec3<u32>(0u);
    var place = 0u;
    if SIZE > RUN {
        sum = total_of_four(leaving) + total_of_four(leaving_next);
        place = RUN;
    }
    for (; place + 1u < SIZE; place += 2u) {
        // SIZE is odd, so the values form pairs.
        let a = pixel_of_row(line, first + place);
        let b = pixel_of_row(line, first + place + 1u);
        sum += total_of_four(unpacked(Words(vec4<u32>(a.x, b.x, 0u, 0u), vec4<u32>(a.y, b.y, 0u, 0u))));
    }
    let sums = slid_four(sum, four_of_row(line, first + SIZE - 1u), leaving);
    sum = vec3<u32>(sums.red.w - leaving.red.w, sums.green.w - leaving.green.w, sums.blue.w - leaving.blue.w);
    let sums_next = slid_four(sum, four_of_row(line, first + SIZE + 3u), leaving_next);
    let here = kept_four(sums);
    let next = kept_four(sums_next);
    let at = (y * stride + left + first) / RUN;
    red_blue_out[2u * at] = here.red;
    red_blue_out[2u * at + 1u] = next.red;
    green_out[at] = vec4<u32>(here.green.xz, next.green.xz) | (vec4<u32>(here.green.yw, next.green.yw) << vec4<u32>(16u));
}

// The sums of a pair of pixels, at a place counted from REACH rows above the tile, which repeat the first row: red and
// blue of the first pixel, of the second pixel, and green of both.
fn sums_above(pair: u32, place: u32) -> vec3<u32> {
    let y = min(max(place, REACH) - REACH, blur.size.y - 1u);
    let at = y * (blur.sums_stride / 2u) + pair;
    return vec3<u32>(red_blue[at], green[at]);
}

// Sums of a pair of pixels down their columns. Lower and upper halves are separate, or together in `low` if they fit.
struct ColumnSums {
    low: vec3<u32>,
    high: vec3<u32>,
}

fn sums_of_columns(column: u32, place: u32) -> ColumnSums {
    let at = place * PAIRS + column;
    let words = vec3<u32>(red_blue_tile[at], green_tile[at]);
    if NARROW {
        return ColumnSums(words, vec3<u32>(0u));
    }
    return ColumnSums(words & vec3<u32>(HALF), words >> vec3<u32>(16u));
}

fn write_means(sums: ColumnSums, at: u32) {
    var low = sums.low;
    var high = sums.high;
    if NARROW {
        low &= vec3<u32>(HALF);
        high = sums.low >> vec3<u32>(16u);
    }
    // Red of both pixels and green of the first; blue of both and green of the second.
    low = (low + DIVISOR / 2u) / DIVISOR;
    high = (high + DIVISOR / 2u) / DIVISOR;
    let greens = vec2<u32>(low.z, high.z);
    if WORDS == 1u {
        codes_out[at / 2u] = low.xy | (greens << vec2<u32>(8u)) | (high.xy << vec2<u32>(16u)) | vec2<u32>(0xff000000u);
        return;
    }
    let first = low.xy | (greens << vec2<u32>(16u));
    let second = high.xy | vec2<u32>(TOP << 16u);
    codes_out[at] = vec2<u32>(first.x, second.x);
    codes_out[at + 1u] = vec2<u32>(first.y, second.y);
}

@compute @workgroup_size(DOWN)
fn down(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let pairs = blur.stride / 2u;
    let tiles_across = (pairs + PAIRS - 1u) / PAIRS;
    let tile = group.y * groups.x + group.x;
    let column = local % PAIRS;
    let pair = tile % tiles_across * PAIRS + column;
    // Beyond the stride, the last columns repeat; they are not written again.
    let inside = min(pair, pairs - 1u);
    let top = tile / tiles_across * ROWS;
    for (var place = local / PAIRS; place < ROWS + 2u * REACH; place += DOWN / PAIRS) {
        let sums = sums_above(inside, top + place);
        red_blue_tile[place * PAIRS + column] = sums.xy;
        green_tile[place * PAIRS + column] = sums.z;
    }
    workgroupBarrier();
    let first = local / PAIRS * RUN;
    if pair >= pairs || top + first >= blur.size.y {
        return;
    }
    var sum = ColumnSums(vec3<u32>(0u), vec3<u32>(0u));
    for (var place = 0u; place + 1u < SIZE; place += 1u) {
        let entering = sums_of_columns(column, first + place);
        sum.low += entering.low;
        sum.high += entering.high;
    }
    for (var i = 0u; i < RUN; i += 1u) {
        let entering = sums_of_columns(column, first + i + SIZE - 1u);
        sum.low += entering.low;
        sum.high += entering.high;
        let y = top + first + i;
        if y < blur.size.y {
            write_means(sum, y * blur.stride + 2u * pair);
        }
        let leaving = sums_of_columns(column, first + i);
        sum.low -= leaving.low;
        sum.high -= leaving.high;
    }
}
