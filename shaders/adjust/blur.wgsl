// A box blur in two passes, as src/adjust/blur.rs defines it: `across` sums SIZE codes along each row of a picture in whatever
// layout it has, `down` sums SIZE of those sums along each column, divides, and writes packed R'G'B' as point.wgsl does.
//
// A workgroup loads its tile, with what lies SIZE / 2 pixels around it, into workgroup memory once. Each invocation then
// walks over RUN neighbouring pixels with a running sum: for each next pixel it adds one value and takes one away, so that a
// pixel costs 2 + SIZE / RUN loads from there, not SIZE.

// Whether the picture is packed as `down` packs it, so that its words are taken as they are.
override PACKED: bool = false;
override SIZE: u32 = 15u;     // odd
override ACROSS: u32 = 256u;  // invocations of a workgroup of `across`
override LINES: u32 = 4u;     // rows of its tile, an even number
override SPAN: u32 = 512u;    // pixels of a row of its tile: ACROSS / LINES · RUN
override DOWN: u32 = 256u;    // invocations of a workgroup of `down`
override COLUMNS: u32 = 32u;  // columns of its tile
override ROWS: u32 = 64u;     // rows of its tile: DOWN / COLUMNS · RUN
override ACROSS_WORDS: u32 = 1u; // of workgroup memory for `across`, padded
override DOWN_WORDS: u32 = 1u;   // and for `down`
// Whether the tile is kept in workgroup memory; without, every value comes from the buffer.
override STAGED: bool = true;

const RUN: u32 = 8u;
override REACH: u32 = SIZE / 2u;
// Words of a pixel: red, green, blue in bytes of one word, or in halves of two.
override WORDS: u32 = select(2u, 1u, BITS == 8u);
// What a row's sum is kept as, and what the sum of those is divided by.
override EXACT: bool = BITS <= 10u;
override DIVISOR: u32 = select(16u * SIZE, SIZE * SIZE, EXACT);

struct Blur {
    size: vec2<u32>, // pixels
    stride: u32,     // pixels from row to row, a multiple of four
    padding: u32,
}

// Of `across`, which finds the picture in group 0.
@group(1) @binding(0) var<storage, read_write> row_sums_out: array<vec4<u32>>;
// Of `down`.
@group(0) @binding(0) var<uniform> blur: Blur;
@group(0) @binding(1) var<storage, read> row_sums: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> codes_out: array<u32>;

var<workgroup> row_tile: array<u32, ACROSS_WORDS>;
var<workgroup> column_tile: array<vec2<u32>, DOWN_WORDS>;

fn unpacked(first: u32, second: u32) -> vec3<u32> {
    if BITS == 8u {
        return (vec3<u32>(first) >> vec3<u32>(0u, 8u, 16u)) & vec3<u32>(255u);
    }
    return vec3<u32>(first & 0xffffu, first >> 16u, second & 0xffffu);
}

// Words of four neighbouring pixels; of each the second one, if it has two.
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

fn packed_words(quad: u32, row: u32) -> Words {
    let at = row * picture.strides.x + quad * 4u * WORDS;
    let low = vec4<u32>(plane_0[at], plane_0[at + 1u], plane_0[at + 2u], plane_0[at + 3u]);
    if WORDS == 1u {
        return Words(low, vec4<u32>(0u));
    }
    let high = vec4<u32>(plane_0[at + 4u], plane_0[at + 5u], plane_0[at + 6u], plane_0[at + 7u]);
    return Words(vec4<u32>(low.xz, high.xz), vec4<u32>(low.yw, high.yw));
}

// The pixels from (4 · quad, row) on, in an even row, and those below.
fn words_of_pair(quad: u32, row: u32) -> array<Words, 2> {
    if PACKED {
        return array<Words, 2>(packed_words(quad, row), packed_words(quad, min(row + 1u, picture.size.y - 1u)));
    }
    let pair = load_pair(quad, row);
    return array<Words, 2>(
        packed(colors_of(pair.upper, pair.upper_chroma)),
        packed(colors_of(pair.lower, pair.lower_chroma)),
    );
}

// One pixel, for when nothing is kept in workgroup memory.
fn pixel_at(x: u32, y: u32) -> vec3<u32> {
    var words: Words;
    if PACKED {
        words = packed_words(x / 4u, y);
    } else {
        words = packed(colors_of(quad_of_samples(0u, x / 4u, y), chroma_terms(x / 4u, y >> CHROMA_Y)));
    }
    return unpacked(words.first[x & 3u], words.second[x & 3u]);
}

// Runs of 8 pixels begin 8 words apart, which would put them in a quarter of the banks; a word more after every 8
// puts 32 of them in 32.
fn padded(index: u32) -> u32 {
    return index + (index >> 3u);
}

// Whole quads on either side of a tile's row, with REACH pixels in them.
override HALO: u32 = (REACH + 3u) / 4u * 4u;
override TILE_SPAN: u32 = SPAN + 2u * HALO;
override TILE_QUADS: u32 = TILE_SPAN / 4u;

// Four pixels of a row of the picture that begin at `x`, a multiple of four: those that lie beside it are its first one, or its
// last one. `words` are those of the picture's quad that is nearest.
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

// Keeps four pixels of a tile's row, from a place on that is a multiple of four.
fn keep(line: u32, place: u32, words: Words, x: i32) {
    // The words of a 16-bit pixel lie in two halves of the tile. No padding comes between four words from such a place on.
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
    let last_quad = i32((picture.size.x - 1u) / 4u);
    for (var i = local; i < LINES / 2u * TILE_QUADS; i += ACROSS) {
        let line = i / TILE_QUADS * 2u;
        let place = i % TILE_QUADS * 4u;
        let x = i32(left + place) - i32(HALO);
        let quad = u32(clamp(x >> 2u, 0, last_quad));
        // Rows below the picture are its last ones again, and not written.
        let pair = words_of_pair(quad, min(top + line, (picture.size.y - 1u) / 2u * 2u));
        keep(line, place, pair[0], x);
        keep(line + 1u, place, pair[1], x);
    }
}

// The pixel at a place of a row of the tile, to the right of REACH pixels before the tile.
fn pixel_of_row(line: u32, y: u32, left: u32, place: u32) -> vec3<u32> {
    if STAGED {
        let at = line * TILE_SPAN + place + HALO - REACH;
        let first = row_tile[padded(at)];
        if WORDS == 1u {
            return unpacked(first, 0u);
        }
        return unpacked(first, row_tile[padded(LINES * TILE_SPAN + at)]);
    }
    return pixel_at(min(max(left + place, REACH) - REACH, picture.size.x - 1u), y);
}

fn kept(sum: vec3<u32>) -> vec2<u32> {
    var value = sum;
    if !EXACT {
        value = (sum * 16u + SIZE / 2u) / SIZE;
    }
    return vec2<u32>(value.r | (value.g << 16u), value.b);
}

@compute @workgroup_size(ACROSS)
fn across(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let stride = (picture.size.x + 3u) / 4u * 4u;
    let spans = (picture.size.x + SPAN - 1u) / SPAN;
    let tile = group.y * groups.x + group.x;
    let left = tile % spans * SPAN;
    let top = tile / spans * LINES;
    if STAGED {
        load_rows(local, left, top);
        workgroupBarrier();
    }
    let line = local / (SPAN / RUN);
    let first = local % (SPAN / RUN) * RUN;
    let y = top + line;
    if y >= picture.size.y || left + first >= stride {
        return;
    }
    var sum = vec3<u32>(0u);
    for (var place = 0u; place + 1u < SIZE; place += 1u) {
        sum += pixel_of_row(line, y, left, first + place);
    }
    for (var i = 0u; i < RUN; i += 2u) {
        sum += pixel_of_row(line, y, left, first + i + SIZE - 1u);
        let one = kept(sum);
        sum -= pixel_of_row(line, y, left, first + i);
        sum += pixel_of_row(line, y, left, first + i + SIZE);
        let other = kept(sum);
        sum -= pixel_of_row(line, y, left, first + i + 1u);
        // Rows are whole quads long; a run may reach beyond its row's end.
        if left + first + i < stride {
            row_sums_out[(y * stride + left + first + i) / 2u] = vec4<u32>(one, other);
        }
    }
}

// The sums of a row at a place below REACH rows that repeat the first one.
fn sums_above(x: u32, place: u32) -> vec2<u32> {
    let y = min(max(place, REACH) - REACH, blur.size.y - 1u);
    return row_sums[y * blur.stride + x];
}

fn sums_of_column(column: u32, x: u32, top: u32, place: u32) -> vec3<u32> {
    var words: vec2<u32>;
    if STAGED {
        words = column_tile[place * COLUMNS + column];
    } else {
        words = sums_above(x, top + place);
    }
    return vec3<u32>(words.x & 0xffffu, words.x >> 16u, words.y);
}

@compute @workgroup_size(DOWN)
fn down(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let strips = (blur.stride + COLUMNS - 1u) / COLUMNS;
    let tile = group.y * groups.x + group.x;
    let column = local % COLUMNS;
    let x = tile % strips * COLUMNS + column;
    // Columns beyond the stride are its last one again, and not written.
    let inside = min(x, blur.stride - 1u);
    let top = tile / strips * ROWS;
    if STAGED {
        for (var place = local / COLUMNS; place < ROWS + 2u * REACH; place += DOWN / COLUMNS) {
            column_tile[place * COLUMNS + column] = sums_above(inside, top + place);
        }
        workgroupBarrier();
    }
    let first = local / COLUMNS * RUN;
    if x >= blur.stride || top + first >= blur.size.y {
        return;
    }
    var sum = vec3<u32>(0u);
    for (var place = 0u; place + 1u < SIZE; place += 1u) {
        sum += sums_of_column(column, inside, top, first + place);
    }
    for (var i = 0u; i < RUN; i += 1u) {
        sum += sums_of_column(column, inside, top, first + i + SIZE - 1u);
        let y = top + first + i;
        if y < blur.size.y {
            let mean = (sum + DIVISOR / 2u) / DIVISOR;
            let at = (y * blur.stride + x) * WORDS;
            if WORDS == 1u {
                codes_out[at] = mean.r | (mean.g << 8u) | (mean.b << 16u) | 0xff000000u;
            } else {
                codes_out[at] = mean.r | (mean.g << 16u);
                codes_out[at + 1u] = mean.b | (((1u << BITS) - 1u) << 16u);
            }
        }
        sum -= sums_of_column(column, inside, top, first + i);
    }
}
