//! Singular and plural nouns.

/// Formats a number with its noun: "1 frame", "2 frames".
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn all_numbers_but_one_take_the_plural() {
        let told = [0, 1, 2, 11].map(|number| counted(number, "key frame"));
        assert_eq!(told, ["0 key frames", "1 key frame", "2 key frames", "11 key frames"]);
    }
}
