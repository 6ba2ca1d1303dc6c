// Integers beyond 32 bits, shared by several passes. This text precedes the pass's own.

struct Quotient {
    quotient: u32,
    remainder: u32,
}

// value · factor / divisor, where the product may need more than 32 bits: value <= divisor <= 2^30, and the factor has
// at most 12 bits. As in crates/core/src/adjust/mod.rs.
//
// For a quotient up to 2^12, the rounding errors of floats are far below one, so the estimate is off by at most one.
// The remainder for each candidate lies in [-divisor, 2 · divisor). 32 bits identify it, although the products wrap
// around.
fn mul_div(value: u32, factor: u32, divisor: u32) -> Quotient {
    let guess = u32(f32(value) * f32(factor) / f32(divisor));
    let rest = i32(value * factor - guess * divisor);
    if rest < 0i {
        return Quotient(guess - 1u, u32(rest) + divisor);
    }
    if rest >= i32(divisor) {
        return Quotient(guess + 1u, u32(rest) - divisor);
    }
    return Quotient(guess, u32(rest));
}

fn mul_div_rounded(value: u32, factor: u32, divisor: u32) -> u32 {
    let exact = mul_div(value, factor, divisor);
    return exact.quotient + select(0u, 1u, 2u * exact.remainder >= divisor);
}

// 64-bit integers, with the low word first.

fn add_64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract_64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn is_greater_64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y > b.y || (a.y == b.y && a.x > b.x);
}

fn multiply_64(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>((other << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

// value / divisor. The quotient must fit in 32 bits; 0 < divisor < 2^31.
fn divide_64(value: vec2<u32>, divisor: u32) -> Quotient {
    var quotient = 0u;
    var remainder = 0u;
    for (var bit = 0u; bit < 64u; bit += 1u) {
        let word = select(value.x, value.y, bit < 32u);
        remainder = remainder * 2u + ((word >> (31u - (bit & 31u))) & 1u);
        quotient *= 2u;
        if remainder >= divisor {
            remainder -= divisor;
            quotient += 1u;
        }
    }
    return Quotient(quotient, remainder);
}
