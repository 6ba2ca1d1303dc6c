//! The rows of the table, by name.

use crate::Method;

/// Returns the name and the title of every row, in the order of the table.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    Method::ALL.map(|method| (method.name(), method.title())).into()
}

/// Returns `true` if the text is part of a row's name or title, in any case.
pub(super) fn is_part(text: &str, name: &str, title: &str) -> bool {
    let text = text.trim().to_lowercase();
    !text.is_empty() && [name, title].iter().any(|of| of.to_lowercase().contains(&text))
}
