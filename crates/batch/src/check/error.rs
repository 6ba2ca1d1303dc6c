//! What can be wrong with a profile or a file of waivers.

/// The reason why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("{path} cannot be read as a profile ({reason}); name a file, or one of {known}")]
    Unreadable {
        /// The path.
        path: String,
        /// The system's reason.
        reason: String,
        /// The names of the built-in profiles.
        known: String,
    },
    /// The waivers cannot be read.
    #[error("{path} cannot be read ({reason}); name a file of waivers")]
    NoWaivers {
        /// The path.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A setting that is to be changed is wrong.
    #[error("--set {text}: {what}")]
    Setting {
        /// The setting.
        text: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A line of the file is wrong.
    #[error("{path}, line {line}: {what}")]
    Wrong {
        /// The path.
        path: String,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
}

/// Returns the number of the line, from 1, at a byte of a text.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
