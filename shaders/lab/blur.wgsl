// Box blurs as in the tutorials: each pixel becomes the mean of the SIZE × SIZE pixels around it. Beyond the edge the
// edge's pixels repeat. Pixels are words of four bytes: red, green, blue, and one that is kept.
//
// `square` loads the whole square. The others load a line of SIZE pixels and run twice: along rows, then down columns.

override SIZE: u32 = 15u;       // odd
override DOWN: bool = false;    // true if the line is in a column
override WORKGROUP: u32 = 256u;
override TILE: u32 = 270u;      // WORKGROUP + SIZE - 1
override RUN: u32 = 32u;        // pixels that an invocation of `running` covers

struct Image {
    size: vec2<u32>,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> image: Image;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> blurred: array<u32>;

var<workgroup> tile: array<u32, TILE>;

fn reach() -> i32 {
    return i32(SIZE / 2u);
}

fn parts(word: u32) -> vec4<u32> {
    return (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
}

// The mean of `count` pixels, rounded half up.
fn mean(sum: vec3<u32>, count: u32, own: u32) -> u32 {
    let codes = (2u * sum + vec3<u32>(count)) / (2u * count);
    return codes.x | (codes.y << 8u) | (codes.z << 16u) | (own & 0xff000000u);
}

fn pixel(at: vec2<i32>) -> u32 {
    let inside = vec2<u32>(clamp(at, vec2<i32>(0), vec2<i32>(image.size) - 1));
    return source[inside.y * image.size.x + inside.x];
}

// Lines and positions on them: in a row from its left end, in a column from its top.
fn line_length() -> u32 {
    return select(image.size.x, image.size.y, DOWN);
}

fn lines() -> u32 {
    return select(image.size.y, image.size.x, DOWN);
}

fn index_at(line: u32, place: u32) -> u32 {
    return select(line * image.size.x + place, place * image.size.x + line, DOWN);
}

fn pixel_on(line: u32, place: i32) -> u32 {
    return source[index_at(line, u32(clamp(place, 0, i32(line_length()) - 1)))];
}

@compute @workgroup_size(16, 16)
fn square(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= image.size) {
        return;
    }
    let at = vec2<i32>(id.xy);
    var sum = vec3<u32>(0u);
    for (var y = -reach(); y <= reach(); y += 1i) {
        for (var x = -reach(); x <= reach(); x += 1i) {
            sum += parts(pixel(at + vec2<i32>(x, y))).xyz;
        }
    }
    blurred[id.y * image.size.x + id.x] = mean(sum, SIZE * SIZE, pixel(at));
}

// One invocation per pixel, which loads all pixels of its line.
@compute @workgroup_size(16, 16)
fn separable(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = select(id.xy, id.yx, DOWN);
    if at.x >= line_length() || at.y >= lines() {
        return;
    }
    let place = i32(at.x);
    var sum = vec3<u32>(0u);
    for (var i = -reach(); i <= reach(); i += 1i) {
        sum += parts(pixel_on(at.y, place + i)).xyz;
    }
    blurred[index_at(at.y, at.x)] = mean(sum, SIZE, pixel_on(at.y, place));
}

// Like `separable`, but a workgroup loads its part of a line, and a margin around it, into workgroup memory once.
@compute @workgroup_size(WORKGROUP)
fn tiled(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = i32(group.x * WORKGROUP);
    for (var i = local; i < TILE; i += WORKGROUP) {
        tile[i] = pixel_on(group.y, first - reach() + i32(i));
    }
    workgroupBarrier();
    let place = u32(first) + local;
    if place >= line_length() {
        return;
    }
    var sum = vec3<u32>(0u);
    for (var i = 0u; i < SIZE; i += 1u) {
        sum += parts(tile[local + i]).xyz;
    }
    blurred[index_at(group.y, place)] = mean(sum, SIZE, tile[local + SIZE / 2u]);
}

// One invocation covers RUN pixels. For each next pixel, it adds the value that enters the line and subtracts the one
// that leaves.
@compute @workgroup_size(WORKGROUP)
fn running(@builtin(global_invocation_id) id: vec3<u32>) {
    // Neighbouring invocations take neighbouring lines, so that on the way down columns they load neighbouring words.
    let at = select(id.xy, id.yx, DOWN);
    let first = at.x * RUN;
    if first >= line_length() || at.y >= lines() {
        return;
    }
    let begin = i32(first);
    var sum = vec3<u32>(0u);
    for (var i = -reach(); i < reach(); i += 1i) {
        sum += parts(pixel_on(at.y, begin + i)).xyz;
    }
    for (var i = 0i; i < i32(min(RUN, line_length() - first)); i += 1i) {
        let place = begin + i;
        sum += parts(pixel_on(at.y, place + reach())).xyz;
        blurred[index_at(at.y, u32(place))] = mean(sum, SIZE, pixel_on(at.y, place));
        sum -= parts(pixel_on(at.y, place - reach())).xyz;
    }
}
