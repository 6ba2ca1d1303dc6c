// A box blur in two passes, as src/adjust/blur.rs defines it: `across` sums SIZE codes along each row, `down` sums SIZE of those
// sums along each column and divides.
//
// A workgroup loads its tile, with what lies SIZE / 2 pixels around it, into workgroup memory once. Each invocation then
// walks over RUN neighbouring pixels with a running sum: for each next pixel it adds one value and takes one away, so that a
// pixel costs 2 + SIZE / RUN loads from there, not SIZE.

override BITS: u32 = 8u;
override SIZE: u32 = 15u;     // odd
override ACROSS: u32 = 256u;  // invocations of a workgroup of `across`
override LINES: u32 = 4u;     // rows of its tile
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

@group(0) @binding(0) var<uniform> blur: Blur;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(1) var<storage, read> row_sums: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> row_sums_out: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> codes_out: array<u32>;

var<workgroup> row_tile: array<u32, ACROSS_WORDS>;
var<workgroup> column_tile: array<vec2<u32>, DOWN_WORDS>;

fn unpacked(first: u32, second: u32) -> vec3<u32> {
    if BITS == 8u {
        return (vec3<u32>(first) >> vec3<u32>(0u, 8u, 16u)) & vec3<u32>(255u);
    }
    return vec3<u32>(first & 0xffffu, first >> 16u, second & 0xffffu);
}

// The word of a pixel at a place to the right of REACH pixels that repeat the first one.
fn word_before(y: u32, place: u32, word: u32) -> u32 {
    let x = min(max(place, REACH) - REACH, blur.size.x - 1u);
    return codes[(y * blur.stride + x) * WORDS + word];
}

// Runs of 8 pixels begin 8 words apart, which would put them in a quarter of the banks; a word more after every 8
// puts 32 of them in 32.
fn padded(index: u32) -> u32 {
    return index + (index >> 3u);
}

override TILE_SPAN: u32 = SPAN + 2u * REACH;

fn pixel_of_row(line: u32, y: u32, left: u32, place: u32) -> vec3<u32> {
    if STAGED {
        // The words of a 16-bit pixel lie in two halves of the tile.
        let first = row_tile[padded(line * TILE_SPAN + place)];
        if WORDS == 1u {
            return unpacked(first, 0u);
        }
        return unpacked(first, row_tile[padded(LINES * TILE_SPAN + line * TILE_SPAN + place)]);
    }
    let first = word_before(y, left + place, 0u);
    if WORDS == 1u {
        return unpacked(first, 0u);
    }
    return unpacked(first, word_before(y, left + place, 1u));
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
    let spans = (blur.size.x + SPAN - 1u) / SPAN;
    let tile = group.y * groups.x + group.x;
    let left = tile % spans * SPAN;
    let top = tile / spans * LINES;
    if STAGED {
        for (var i = local; i < LINES * TILE_SPAN; i += ACROSS) {
            // Rows below the picture are its last one again, and not written.
            let y = min(top + i / TILE_SPAN, blur.size.y - 1u);
            for (var word = 0u; word < WORDS; word += 1u) {
                row_tile[padded(word * LINES * TILE_SPAN + i)] = word_before(y, left + i % TILE_SPAN, word);
            }
        }
        workgroupBarrier();
    }
    let line = local / (SPAN / RUN);
    let first = local % (SPAN / RUN) * RUN;
    let y = top + line;
    if y >= blur.size.y || left + first >= blur.stride {
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
        if left + first + i < blur.stride {
            row_sums_out[(y * blur.stride + left + first + i) / 2u] = vec4<u32>(one, other);
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
