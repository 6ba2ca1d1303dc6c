//! The error of parsing a parameter.

/// A parameter that cannot be parsed or is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(String);

impl ParseError {
    /// Creates an error with this message.
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }
}
