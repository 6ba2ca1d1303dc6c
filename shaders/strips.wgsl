// Shared by passes that read a picture by strips. A strip is four neighbouring pixels of a row, beginning at a multiple
// of four. Here are their samples, their R'G'B' codes and their luminance bins. This text goes between picture.wgsl and
// the pass's own.

// True if red depends on the second component, or blue on the third. That is not so for Y'CbCr with luma weights, which
// saves two of six products.
override CROSSED: bool = true;

// The words that contain four neighbouring samples of a component, from sample 4 · strip of a row. Unneeded words after
// the first one or two are zero.
fn words_of_samples(component: u32, strip: u32, row: u32) -> vec4<u32> {
    let plane = component_plane(component);
    let offset = component_offset(component);
    let step = component_step(component);
    let base = strip * step; // 4 · step bytes are `step` words
    if step == 1u {
        return vec4<u32>(plane_word(plane, row, base), 0u, 0u, 0u);
    }
    if step == 2u {
        return vec4<u32>(plane_word(plane, row, base), plane_word(plane, row, base + 1u), 0u, 0u);
    }
    let bytes = vec4<u32>(offset, offset + step, offset + 2u * step, offset + 3u * step);
    return vec4<u32>(
        plane_word(plane, row, base + (bytes.x >> 2u)),
        plane_word(plane, row, base + (bytes.y >> 2u)),
        plane_word(plane, row, base + (bytes.z >> 2u)),
        plane_word(plane, row, base + (bytes.w >> 2u)),
    );
}

// The codes in those words.
fn codes_of_samples(component: u32, words: vec4<u32>) -> vec4<u32> {
    let offset = component_offset(component);
    let step = component_step(component);
    let mask = vec4<u32>((1u << BITS) - 1u);
    if step == 1u {
        return vec4<u32>(words.x, words.x >> 8u, words.x >> 16u, words.x >> 24u) & mask;
    }
    if step == 2u {
        let shift = offset * 8u + component_shift(component);
        return (vec4<u32>(words.x, words.x >> 16u, words.y, words.y >> 16u) >> vec4<u32>(shift)) & mask;
    }
    let bytes = vec4<u32>(offset, offset + step, offset + 2u * step, offset + 3u * step);
    return (words >> ((bytes & vec4<u32>(3u)) * 8u + component_shift(component))) & mask;
}

fn samples_of_strip(component: u32, strip: u32, row: u32) -> vec4<u32> {
    return codes_of_samples(component, words_of_samples(component, strip, row));
}

// The byte in a row where the chroma samples that cover a strip begin.
fn byte_of_chroma(component: u32, strip: u32) -> u32 {
    return component_offset(component) + ((strip * 4u) >> CHROMA_X) * component_step(component);
}

// The words that contain the chroma samples covering the four pixels of a strip.
fn words_of_chroma(component: u32, strip: u32, row: u32) -> vec4<u32> {
    if CHROMA_X == 0u {
        return words_of_samples(component, strip, row);
    }
    let plane = component_plane(component);
    let byte = byte_of_chroma(component, strip);
    let first = plane_word(plane, row, byte >> 2u);
    // Two samples of up to two bytes are in one word: its two halves, or two neighbouring bytes starting at an even
    // one.
    if CHROMA_X == 2u || component_step(component) <= 2u {
        return vec4<u32>(first, 0u, 0u, 0u);
    }
    return vec4<u32>(first, plane_word(plane, row, (byte + component_step(component)) >> 2u), 0u, 0u);
}

// The codes in those words, for each of the four pixels.
fn codes_of_chroma(component: u32, strip: u32, words: vec4<u32>) -> vec4<u32> {
    if CHROMA_X == 0u {
        return codes_of_samples(component, words);
    }
    let step = component_step(component);
    let mask = (1u << BITS) - 1u;
    let byte = byte_of_chroma(component, strip);
    let first = (words.x >> ((byte & 3u) * 8u + component_shift(component))) & mask;
    if CHROMA_X == 2u {
        return vec4<u32>(first);
    }
    let word = select(words.y, words.x, step <= 2u);
    let second = (word >> (((byte + step) & 3u) * 8u + component_shift(component))) & mask;
    return vec4<u32>(first, first, second, second);
}

// The contribution of chroma to red, green and blue of four pixels, with the bias.
struct ChromaTerms {
    red: vec4<i32>,
    green: vec4<i32>,
    blue: vec4<i32>,
}

fn chroma_terms_of(strip: u32, words: Chroma) -> ChromaTerms {
    let red_bias = vec4<i32>(picture.red.w);
    let green_bias = vec4<i32>(picture.green.w);
    let blue_bias = vec4<i32>(picture.blue.w);
    if MODEL == 0u {
        return ChromaTerms(red_bias, green_bias, blue_bias);
    }
    let second = vec4<i32>(codes_of_chroma(1u, strip, words.second));
    let third = vec4<i32>(codes_of_chroma(2u, strip, words.third));
    let green = picture.green.y * second + picture.green.z * third + green_bias;
    if !CROSSED {
        return ChromaTerms(picture.red.z * third + red_bias, green, picture.blue.y * second + blue_bias);
    }
    return ChromaTerms(
        picture.red.y * second + picture.red.z * third + red_bias,
        green,
        picture.blue.y * second + picture.blue.z * third + blue_bias,
    );
}

// The words that contain the chroma of four pixels.
struct Chroma {
    second: vec4<u32>,
    third: vec4<u32>,
}

fn load_chroma(strip: u32, row: u32) -> Chroma {
    if MODEL == 0u {
        return Chroma(vec4<u32>(0u), vec4<u32>(0u));
    }
    return Chroma(words_of_chroma(1u, strip, row), words_of_chroma(2u, strip, row));
}

fn chroma_terms(strip: u32, row: u32) -> ChromaTerms {
    return chroma_terms_of(strip, load_chroma(strip, row));
}

// The words of a pair, as in the planes. Nothing is computed from them yet, so that they can load while others are
// counted.
struct Loads {
    upper: vec4<u32>,
    lower: vec4<u32>,
    upper_chroma: Chroma,
    lower_chroma: Chroma,
}

// The pixels starting at (4 · strip, row), and the pixels below them. Below the picture, its last row repeats.
fn load_words(strip: u32, row: u32) -> Loads {
    let below = min(row + 1u, picture.size.y - 1u);
    let upper_chroma = load_chroma(strip, chroma_row(row));
    // Rows are taken in pairs, starting at an even one. If rows share chroma, both rows of a pair have the same.
    var lower_chroma = upper_chroma;
    if CHROMA_Y == 0u || CHROMA_FIELDS {
        lower_chroma = load_chroma(strip, chroma_row(below));
    }
    return Loads(words_of_samples(0u, strip, row), words_of_samples(0u, strip, below), upper_chroma, lower_chroma);
}

// Four pixels of two rows, not yet converted.
struct Pair {
    upper: vec4<u32>,
    lower: vec4<u32>,
    upper_chroma: ChromaTerms,
    lower_chroma: ChromaTerms,
}

fn pair_of(strip: u32, loads: Loads) -> Pair {
    let upper_chroma = chroma_terms_of(strip, loads.upper_chroma);
    var lower_chroma = upper_chroma;
    if CHROMA_Y == 0u || CHROMA_FIELDS {
        lower_chroma = chroma_terms_of(strip, loads.lower_chroma);
    }
    let upper = codes_of_samples(0u, loads.upper);
    return Pair(upper, codes_of_samples(0u, loads.lower), upper_chroma, lower_chroma);
}

fn load_pair(strip: u32, row: u32) -> Pair {
    return pair_of(strip, load_words(strip, row));
}

// Blocks of 4 × 2 pixels are numbered along the rows, and the invocations of all workgroups take them in turn. So loads
// are adjacent, and every workgroup gets a similar share of the picture's content. A block is identified by its strip
// and its upper row.
fn block_of(index: u32, strips: u32) -> vec2<u32> {
    return vec2<u32>(index % strips, index / strips * 2u);
}

// The block that is `step` after another, both in the form of block_of.
fn block_after(block: vec2<u32>, step: vec2<u32>, strips: u32) -> vec2<u32> {
    let next = block + step;
    if next.x >= strips {
        return vec2<u32>(next.x - strips, next.y + 2u);
    }
    return next;
}

// Exactly floor(N · luminance), at most N-1, where luminance is the weighted sum of r, g, b = code / (N-1); see
// crates/core/src/picture/luminance.rs.
fn luminance_bins(red: vec4<u32>, green: vec4<u32>, blue: vec4<u32>) -> vec4<u32> {
    if BITS == 8u {
        // 256 / (10000 · 255) = 16 / 159375, with the 16 included in the weights.
        let sum = red * (16u * LUMINANCE_RED) + green * (16u * LUMINANCE_GREEN) + blue * (16u * LUMINANCE_BLUE);
        return min(sum / vec4<u32>(159375u), vec4<u32>(255u));
    }
    if BITS == 10u {
        // 1024 / (10000 · 1023) = 64 / 639375, likewise.
        let sum = red * (64u * LUMINANCE_RED) + green * (64u * LUMINANCE_GREEN) + blue * (64u * LUMINANCE_BLUE);
        return min(sum / vec4<u32>(639375u), vec4<u32>(1023u));
    }
    let sum = red * LUMINANCE_RED + green * LUMINANCE_GREEN + blue * LUMINANCE_BLUE;
    // 4096 · sum would not fit in 32 bits, so the quotient and the remainder are computed separately.
    let quotient = sum / vec4<u32>(10000u);
    let remainder = sum - quotient * 10000u;
    let carry = select(vec4<u32>(0u), vec4<u32>(1u), remainder * 4095u + sum >= vec4<u32>(40950000u));
    return min(quotient + carry, vec4<u32>(4095u));
}

// True if any of the codes, combined by "or", is below zero or above the top. Such a code has a bit set above the
// code's own bits. In real pictures this is rare enough for the clamp to be in a branch.
fn is_outside(any: vec4<i32>) -> bool {
    return ((any.x | any.y | any.z | any.w) >> BITS) != 0i;
}

// R'G'B' codes of four pixels, clamped.
struct Colors {
    red: vec4<u32>,
    green: vec4<u32>,
    blue: vec4<u32>,
}

// R'G'B' codes of four pixels as converted, which may be below zero or above the top.
struct Converted {
    red: vec4<i32>,
    green: vec4<i32>,
    blue: vec4<i32>,
}

fn converted(first_codes: vec4<u32>, chroma: ChromaTerms) -> Converted {
    let first = vec4<i32>(first_codes);
    let shift = vec4<u32>(FRACTION);
    return Converted(
        (picture.red.x * first + chroma.red) >> shift,
        (picture.green.x * first + chroma.green) >> shift,
        (picture.blue.x * first + chroma.blue) >> shift,
    );
}

fn clamped(codes: Converted) -> Converted {
    let low = vec4<i32>(0i);
    let top = vec4<i32>((1i << BITS) - 1i);
    return Converted(clamp(codes.red, low, top), clamp(codes.green, low, top), clamp(codes.blue, low, top));
}

fn colors_of(first_codes: vec4<u32>, chroma: ChromaTerms) -> Colors {
    var codes = converted(first_codes, chroma);
    if is_outside(codes.red | codes.green | codes.blue) {
        codes = clamped(codes);
    }
    return Colors(vec4<u32>(codes.red), vec4<u32>(codes.green), vec4<u32>(codes.blue));
}
