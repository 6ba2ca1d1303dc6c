//! Texts about each counting method besides its explanation: its short name, and why the previous one was not enough.
//! Also the formats of numbers.

use histoscope_lab::Method;

/// Returns the text on the method's button.
#[must_use]
pub const fn short(method: Method) -> &'static str {
    match method {
        Method::Scalar => "loop",
        Method::Single => "single",
        Method::Race => "race",
        Method::Atomics => "atomics",
        Method::Sum => "sum",
        Method::Pairwise => "pairs",
        Method::Shared => "shared",
        Method::Subgroup => "subgroup",
        Method::OursGpu => "ours GPU",
        Method::OursCpu => "ours CPU",
        Method::Floor => "floor",
    }
}

/// Returns why the previous method was not enough, in a sentence or two.
#[must_use]
pub const fn why(method: Method) -> &'static str {
    match method {
        Method::Scalar => "The first method: the others must match its counts and beat its time.",
        Method::Single => {
            "The loop left the GPU idle. This one moves it there as it is, and uses one of its thousands of lanes."
        }
        Method::Race => {
            "One invocation left the GPU idle. Now each pixel has one. The lesson’s groups of 1×1 leave 31 of 32 lanes idle."
        }
        Method::Atomics => {
            "The race lost counts. Uninterrupted additions lose none. The lesson’s groups of 1×1 leave 31 of 32 lanes idle."
        }
        Method::Sum => {
            "With one set of bins for all, pixels of one bin queue up. Now only those of a chunk do, in fast memory."
        }
        Method::Pairwise => {
            "The sum ran on one workgroup, all others waiting. Pairs keep many at work, until few are left."
        }
        Method::Shared => {
            "Chunks had to be written out, read and summed in further passes. Now each adds itself to the bins."
        }
        Method::Subgroup => {
            "In an even picture all additions still meet in a few bins. Lanes that agree now share one addition."
        }
        Method::OursGpu => {
            "An image had to be made first, and a chunk for every 256 pixels. Both are gone: the planes are read as they are."
        }
        Method::OursCpu => {
            "If the only adapter is software, the CPU plays the GPU's part. This one is made for the CPU."
        }
        Method::Floor => "It counts nothing: the others are measured against it.",
    }
}

/// Formats a whole number with its thousands separated.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            // A narrow no-break space.
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with only meaningful decimals, at most two.
#[must_use]
pub fn number(number: f64) -> String {
    let text = if number >= 100.0 { format!("{number:.0}") } else { format!("{number:.2}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Formats a duration in microseconds or, if it is long, in milliseconds.
#[must_use]
pub fn micros(micros: f64) -> String {
    if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1000.0) }
}

/// Formats durations in microseconds and their sum: "a 980 µs + b 3.40 ms = 4.38 ms", or only the name and duration of a
/// single one. Each has the unit that suits it and the precision of the sum, and the printed parts add up to the printed
/// sum: those with the largest remainders are rounded up.
#[must_use]
pub fn added_up(parts: &[(&str, f64)], total: f64) -> String {
    if let [(name, _)] = parts {
        return format!("{name} {}", micros(total));
    }
    let is_short = total < 1000.0;
    // Tenths of a microsecond, or hundredths of a millisecond.
    let step = if is_short { 0.1 } else { 10.0 };
    let text = |steps: i64| match steps {
        _ if is_short => micros_text(steps),
        0 => "under 10 µs".to_owned(),
        1..100 => format!("{} µs", 10 * steps),
        _ => format!("{}.{:02} ms", steps / 100, steps % 100),
    };
    let sum = (total / step).round() as i64;
    let mut steps: Vec<i64> = parts.iter().map(|(_, part)| (part / step).floor() as i64).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let remainder = |index: &usize| parts[*index].1 / step - steps[*index] as f64;
    order.sort_by(|a, b| remainder(b).total_cmp(&remainder(a)));
    let missing = sum - steps.iter().sum::<i64>();
    order.iter().take(usize::try_from(missing).unwrap_or(0)).for_each(|&index| steps[index] += 1);
    let told: Vec<_> = parts.iter().zip(&steps).map(|((name, _), steps)| format!("{name} {}", text(*steps))).collect();
    format!("{} = {}", told.join(" + "), text(sum))
}

/// Formats tenths of a microsecond.
fn micros_text(tenths: i64) -> String {
    format!("{}.{} µs", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_parts_add_up_to_the_printed_sum() {
        let told = |parts: &[f64]| {
            let named: Vec<_> = parts.iter().map(|part| ("a", *part)).collect();
            added_up(&named, parts.iter().sum())
        };
        assert_eq!(told(&[12_345.0, 23_456.0]), "a 12.34 ms + a 23.46 ms = 35.80 ms");
        assert_eq!(told(&[100.04, 1500.04]), "a 100 µs + a 1.50 ms = 1.60 ms");
        assert_eq!(told(&[100.04, 150.06]), "a 100.0 µs + a 150.1 µs = 250.1 µs");
        assert_eq!(told(&[1600.0]), "a 1.60 ms");
        // A short pass does not force the others into its unit.
        assert_eq!(told(&[144_435.7, 3.0, 2354.6]), "a 144.44 ms + a under 10 µs + a 2.35 ms = 146.79 ms");
        let mut state = 7_u64;
        for count in 2..9 {
            let parts: Vec<f64> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 40) as f64 / 3.0
                })
                .collect();
            let text = told(&parts);
            // Each in microseconds, whatever its unit.
            let words: Vec<&str> = text.split(' ').collect();
            let micros =
                |pair: &[&str]| Some(pair[0].parse::<f64>().ok()? * if pair[1] == "ms" { 1000.0 } else { 1.0 });
            let numbers: Vec<f64> = words.windows(2).filter_map(micros).collect();
            let (sum, parts) = numbers.split_last().unwrap();
            assert_eq!(parts.len(), count, "{text}");
            assert!((parts.iter().sum::<f64>() - sum).abs() < 1e-6, "{text}");
        }
    }

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (12_345, "12 345"), (8_294_400, "8 294 400")] {
            assert_eq!(grouped(number).replace('\u{202f}', " "), text);
        }
    }

    #[test]
    fn every_method_has_its_own_texts() {
        let all: Vec<_> = Method::ladder().iter().map(|&method| (short(method), why(method))).collect();
        for (index, (name, sentence)) in all.iter().enumerate() {
            assert!(sentence.ends_with('.') && name.len() <= 8, "{name}: {sentence}");
            assert!(all[..index].iter().all(|(other, said)| other != name && said != sentence), "{name}");
        }
    }
}
