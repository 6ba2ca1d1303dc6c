// Counts waveforms. Every workgroup owns some columns of the scope, which are a stripe of the picture, and counts part
// of its rows in workgroup memory. At the end it adds its counts to the counts in memory, cell by cell.
// crates/core/src/scopes/reference.rs defines the exact counts.
//
// Each invocation of a workgroup keeps its strip of four pixels and goes down the rows, so that the columns of its
// pixels are found once. Neighbouring invocations are side by side, in different columns, so even in a constant picture
// few of them meet in one cell.

override WORKGROUP: u32 = 256u;
// True if a component is counted as coded, FIRST_CHANNEL, instead of red, green, blue and luminance.
override CODED: bool = false;
// The channels that a pipeline counts, beginning with FIRST_CHANNEL.
override FIRST_CHANNEL: u32 = 0u;
override CHANNEL_COUNT: u32 = 4u;
// Bits of a level. For deeper codes, the upper bits.
override LEVEL_BITS: u32 = 8u;
// Columns that a workgroup owns.
override COLUMNS: u32 = 4u;
// COLUMNS · CHANNEL_COUNT · 2^(LEVEL_BITS - 1)
override CELL_WORDS: u32 = 2048u;

struct Waveform {
    // The counted part of the grid of samples: column and row of the first, then one past the last.
    low: vec2<u32>,
    high: vec2<u32>,
    columns: u32,       // columns of these channels
    channel_stride: u32, // counts per channel
    rows: u32,          // rows counted by a workgroup, an even number
    padding: u32,
}

@group(1) @binding(0) var<uniform> waveform: Waveform;
@group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;

// Two counts of 16 bits per word, for levels half the scale apart, so that neighbouring levels are in different banks.
// A workgroup has fewer than 2^16 samples of a column.
var<workgroup> cells: array<atomic<u32>, CELL_WORDS>;

const NOWHERE: u32 = 0xffffffffu;

// The indices of the columns of a strip's four samples among this workgroup's; NOWHERE for columns of other workgroups.
fn places_of(strip: u32, first_column: u32) -> vec4<u32> {
    let width = waveform.high.x - waveform.low.x;
    var places = vec4<u32>(NOWHERE);
    for (var lane = 0u; lane < 4u; lane += 1u) {
        let x = strip * 4u + lane;
        if x >= waveform.low.x && x < waveform.high.x {
            // A picture has rows of fewer than 2^22 samples, and a waveform at most 2^10 columns.
            let column = (x - waveform.low.x) * waveform.columns / width;
            if column >= first_column && column - first_column < COLUMNS {
                places[lane] = (column - first_column) * CHANNEL_COUNT << (LEVEL_BITS - 1u);
            }
        }
    }
    return places;
}

fn tally(place: u32, channel: u32, level: u32, count: u32) {
    if count == 0u || place == NOWHERE || channel < FIRST_CHANNEL || channel >= FIRST_CHANNEL + CHANNEL_COUNT {
        return;
    }
    let half = 1u << (LEVEL_BITS - 1u);
    let word = place + (channel - FIRST_CHANNEL) * half + (level & (half - 1u));
    atomicAdd(&cells[word], count << (16u * (level >> (LEVEL_BITS - 1u))));
}

// Counts four samples of a channel, merging neighbours in the same cell. Smooth pictures have many, and additions to
// one cell wait for each other. Unrolled by hand, since a loop over the lanes of a vector is not reliably unrolled.
fn tally_strip(places: vec4<u32>, channel: u32, codes: vec4<u32>) {
    let levels = codes >> vec4<u32>(BITS - LEVEL_BITS);
    let joined = (places.xyz == places.yzw) & (levels.xyz == levels.yzw);
    let second = select(1u, 2u, joined.x);
    let third = select(1u, second + 1u, joined.y);
    let fourth = select(1u, third + 1u, joined.z);
    tally(places.x, channel, levels.x, select(1u, 0u, joined.x));
    tally(places.y, channel, levels.y, select(second, 0u, joined.y));
    tally(places.z, channel, levels.z, select(third, 0u, joined.z));
    tally(places.w, channel, levels.w, fourth);
}

fn count_row(places: vec4<u32>, first: vec4<u32>, chroma: ChromaTerms) {
    let colors = colors_of(first, chroma);
    if FIRST_CHANNEL == 0u {
        tally_strip(places, 0u, colors.red);
    }
    if FIRST_CHANNEL <= 1u && FIRST_CHANNEL + CHANNEL_COUNT > 1u {
        tally_strip(places, 1u, colors.green);
    }
    if FIRST_CHANNEL <= 2u && FIRST_CHANNEL + CHANNEL_COUNT > 2u {
        tally_strip(places, 2u, colors.blue);
    }
    if FIRST_CHANNEL + CHANNEL_COUNT > 3u {
        tally_strip(places, 3u, luminance_bins(colors.red, colors.green, colors.blue));
    }
}

// Counts the rows from `first` up to `end` of a strip, skipping pairs of rows that other invocations take.
fn count_strip(strip: u32, places: vec4<u32>, first: u32, end: u32, step: u32) {
    for (var row = first; row < end; row += step) {
        if CODED {
            for (var y = max(row, waveform.low.y); y < min(row + 2u, waveform.high.y); y += 1u) {
                tally_strip(places, FIRST_CHANNEL, samples_of_strip(FIRST_CHANNEL, strip, y));
            }
            continue;
        }
        let pair = load_pair(strip, row);
        if row >= waveform.low.y {
            count_row(places, pair.upper, pair.upper_chroma);
        }
        if row + 1u < waveform.high.y {
            count_row(places, pair.lower, pair.lower_chroma);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn count_columns(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    for (var word = local; word < CELL_WORDS; word += WORKGROUP) {
        atomicStore(&cells[word], 0u);
    }
    workgroupBarrier();

    // The stripe: its columns, and the strips that contain their samples.
    let width = waveform.high.x - waveform.low.x;
    let first_column = group.x * COLUMNS;
    let end_column = min(first_column + COLUMNS, waveform.columns);
    let first_x = waveform.low.x + (first_column * width + waveform.columns - 1u) / waveform.columns;
    let end_x = waveform.low.x + (end_column * width + waveform.columns - 1u) / waveform.columns;
    let first_strip = first_x / 4u;
    let strips = (end_x + 3u) / 4u - first_strip;
    // Pairs of rows begin at an even one, since rows may share chroma.
    let first_row = (waveform.low.y & ~1u) + group.y * waveform.rows;
    let end_row = min(first_row + waveform.rows, waveform.high.y);

    let beside = min(strips, WORKGROUP);
    let below = WORKGROUP / beside;
    if local < beside * below {
        for (var strip = local % beside; strip < strips; strip += beside) {
            let places = places_of(first_strip + strip, first_column);
            count_strip(first_strip + strip, places, first_row + local / beside * 2u, end_row, below * 2u);
        }
    }
    workgroupBarrier();

    for (var word = local; word < CELL_WORDS; word += WORKGROUP) {
        let both = atomicLoad(&cells[word]);
        if both == 0u {
            continue;
        }
        let half = 1u << (LEVEL_BITS - 1u);
        let level = word & (half - 1u);
        let row = word >> (LEVEL_BITS - 1u);
        let channel = FIRST_CHANNEL + row % CHANNEL_COUNT;
        let column = first_column + row / CHANNEL_COUNT;
        let at = channel * waveform.channel_stride + (column << LEVEL_BITS) + level;
        if (both & 0xffffu) != 0u {
            atomicAdd(&counts[at], both & 0xffffu);
        }
        if (both >> 16u) != 0u {
            atomicAdd(&counts[at + half], both >> 16u);
        }
    }
}
