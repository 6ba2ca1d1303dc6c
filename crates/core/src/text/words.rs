//! Singular and plural nouns.

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
