//! Singular and plural nouns, numbers, and names of standards.

/// Formats a number with its noun: "1 frame", "2 frames".
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Writes the minus sign of a formatted number as "−" instead of a hyphen.
#[must_use]
pub fn with_minus(number: &str) -> String {
    number.replace('-', "−")
}

/// Formats a number with as many decimals as it needs, three at most.
#[must_use]
pub fn brief(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the usual name of a transfer function or of primaries, for FFmpeg's.
#[must_use]
pub fn standard(name: &'static str) -> &'static str {
    match name {
        "smpte2084" => "PQ (SMPTE ST 2084)",
        "arib-std-b67" => "HLG (ARIB STD-B67)",
        "iec61966-2-1" => "sRGB (IEC 61966-2-1)",
        "bt709" => "BT.709",
        "bt2020" => "BT.2020",
        "bt2020-10" => "BT.2020, 10 bits",
        "bt2020-12" => "BT.2020, 12 bits",
        "smpte170m" => "SMPTE 170M",
        "smpte240m" => "SMPTE 240M",
        "bt470m" => "BT.470 M",
        "bt470bg" => "BT.470 BG",
        "smpte431" => "DCI-P3 (SMPTE RP 431-2)",
        "smpte432" => "Display P3 (SMPTE EG 432-1)",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_is_no_minus_sign() {
        assert_eq!([with_minus("-3.50"), with_minus("+2")], ["−3.50", "+2"]);
    }

    #[test]
    fn all_numbers_but_one_take_the_plural() {
        let told = [0, 1, 2, 11].map(|number| counted(number, "key frame"));
        assert_eq!(told, ["0 key frames", "1 key frame", "2 key frames", "11 key frames"]);
    }
}
