// Counts the pixels selected by brushes in the same way as the scopes count the whole picture: bins, waveforms, and
// pairs. Planes of lower resolution are counted sample by sample, if any pixel under the sample is
// selected. See crates/render/src/view/brushes.rs.
//
// An invocation has 32 adjacent samples and merges equal ones, so that the additions of a constant picture do not all
// wait for each other.

// True if a component is counted as coded, instead of red, green, blue and luminance; and which component.
override CODED: bool = false;
override COMPONENT: u32 = 0u;
// The source of the pairs.
override PAIRS: u32 = CODED_PAIRS;
// Bits of a level. For deeper codes, the upper bits.
override LEVEL_BITS: u32 = 8u;

struct Brushed {
    // The counted part of the grid of samples: column and row of the first, then one past the last.
    low: vec2<u32>,
    high: vec2<u32>,
    shift: vec2<u32>,    // log2 of the pixels per sample
    height: u32,         // rows of the picture
    row_words: u32,      // of a row of a plane
    columns: u32,        // of the waveform
    stride: u32,         // distance of its channels in the counts
    bins: u32,           // true if bins are counted
    waveform: u32,       // true if the waveform is counted
    weights: PairWeights,
}

@group(1) @binding(0) var<uniform> brushed: Brushed;
@group(1) @binding(1) var<storage, read> planes: array<u32>;
@group(1) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;
// The counts of the waveform or of the vectorscope.
@group(1) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
// The linear light of each code, if the vectorscope counts chromaticities.
@group(1) @binding(4) var<storage, read> light: array<f32>;

// The last value that an invocation found in each channel, and its number of repetitions: for the bins, and
// starting at FIRST_COUNT, for the counts.
const FIRST_COUNT: u32 = 4u;
var<private> places: array<u32, 8>;
var<private> runs: array<u32, 8>;

// True if any pixel under a sample is selected in a plane.
fn is_selected(plane: u32, sample: vec2<u32>) -> bool {
    let column = sample.x << brushed.shift.x;
    let mask = ((1u << (1u << brushed.shift.x)) - 1u) << (column & 31u);
    var found = 0u;
    // Rows of pixels that a sample may cover: one row, or rows sharing a chroma row of the frame, or rows of a field up
    // to six lines below.
    let is_of_field = CHROMA_FIELDS && brushed.shift.y != 0u;
    let first = select(sample.y << brushed.shift.y, (sample.y >> 1u) << 2u, is_of_field);
    let most = select(1u << brushed.shift.y, 6u, is_of_field);
    for (var row = first; row < min(first + most, brushed.height); row += 1u) {
        if !is_of_field || chroma_row(row) == sample.y {
            found |= planes[(row * 4u + plane) * brushed.row_words + (column >> 5u)];
        }
    }
    return (found & mask) != 0u;
}

fn flush(slot: u32) {
    if runs[slot] == 0u {
        return;
    }
    if slot < FIRST_COUNT {
        atomicAdd(&bins[places[slot]], runs[slot]);
    } else {
        atomicAdd(&counts[places[slot]], runs[slot]);
    }
}

fn add(slot: u32, place: u32) {
    if place != places[slot] {
        flush(slot);
        places[slot] = place;
        runs[slot] = 0u;
    }
    runs[slot] += 1u;
}

fn add_code(slot: u32, channel: u32, code: u32, column: u32, wanted: vec2<bool>) {
    if wanted.x {
        add(slot, (channel << BITS) + code);
    }
    if wanted.y {
        add(FIRST_COUNT + slot, channel * brushed.stride + (column << LEVEL_BITS) + (code >> (BITS - LEVEL_BITS)));
    }
}

// The first sample of this invocation: a multiple of 32, at or before the first counted sample.
fn begin(id: vec3<u32>) -> vec2<u32> {
    return vec2<u32>((((brushed.low.x >> 5u) + id.x) << 5u), brushed.low.y + id.y);
}

fn is_counted(sample: vec2<u32>) -> bool {
    return sample.x >= brushed.low.x && sample.x < brushed.high.x && sample.y < brushed.high.y;
}

@compute @workgroup_size(64)
fn count_channels(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = begin(id);
    let width = brushed.high.x - brushed.low.x;
    for (var at = 0u; at < 32u; at += 1u) {
        let sample = first + vec2<u32>(at, 0u);
        if is_counted(sample) {
            let in_bins = brushed.bins != 0u && is_selected(1u, sample);
            let in_waveform = brushed.waveform != 0u && is_selected(2u, sample);
            if in_bins || in_waveform {
                let wanted = vec2<bool>(in_bins, in_waveform);
                let column = (sample.x - brushed.low.x) * brushed.columns / width;
                if CODED {
                    add_code(0u, COMPONENT, code_at(COMPONENT, sample.x, sample.y), column, wanted);
                } else {
                    let found = bins_of(codes_at(sample));
                    add_code(0u, 0u, found.r, column, wanted);
                    add_code(1u, 1u, found.g, column, wanted);
                    add_code(2u, 2u, found.b, column, wanted);
                    add_code(3u, 3u, found.a, column, wanted);
                }
            }
        }
    }
    for (var slot = 0u; slot < 8u; slot += 1u) {
        flush(slot);
    }
}

@compute @workgroup_size(64)
fn count_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = begin(id);
    for (var at = 0u; at < 32u; at += 1u) {
        let sample = first + vec2<u32>(at, 0u);
        if is_counted(sample) && is_selected(3u, sample) {
            var level: vec2<u32>;
            if PAIRS == CODED_PAIRS {
                let coded = vec2<u32>(code_at(1u, sample.x, sample.y), code_at(2u, sample.x, sample.y));
                level = coded >> vec2<u32>(BITS - LEVEL_BITS);
            } else {
                level = levels_of(PAIRS, brushed.weights, unclamped_of(codes_at(sample)), LEVEL_BITS);
            }
            add(FIRST_COUNT, (level.x << LEVEL_BITS) | level.y);
        }
    }
    flush(FIRST_COUNT);
}
