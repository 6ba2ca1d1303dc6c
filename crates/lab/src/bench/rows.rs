//! The rows of the tables: their names, and what they measure.

use crate::{BlurMethod, DrawMethod, Method, ScanMethod};

/// Returns the name and the title of every row, in the order of the table.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    Method::ALL.map(|method| (method.name(), method.title())).into_iter().chain(lab_rows()).collect()
}

/// Returns `true` if the text is part of a row's name or title, in any case.
pub(super) fn is_part(text: &str, name: &str, title: &str) -> bool {
    let text = text.trim().to_lowercase();
    !text.is_empty() && [name, title].iter().any(|of| of.to_lowercase().contains(&text))
}

/// Returns the name and the title of the rows about prefix sums, blurs and drawing.
#[must_use]
pub fn lab_rows() -> Vec<(&'static str, &'static str)> {
    all_lab_rows().into_iter().map(|(name, title, _)| (name, title)).collect()
}

/// The work that a row measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Work {
    /// A prefix sum by our own scan, with or without conflict-free indexing.
    Scan { conflict_free: bool },
    /// A prefix sum by a method of the tutorials.
    TutorialScan(ScanMethod),
    /// A blur of the picture as an image, by a method of the tutorials.
    TutorialBlur { method: BlurMethod, size: u32 },
    /// The bars of the picture's histogram, by a method of the lab.
    Drawing(DrawMethod),
}

/// Returns the rows about prefix sums, blurs and drawing: the name that selects a row, the name in the table, and the work.
pub(super) fn all_lab_rows() -> Vec<(&'static str, &'static str, Work)> {
    let tutorial_blur = |method, size| Work::TutorialBlur { method, size };
    vec![
        ("scan", "prefix sum of 262144 words", Work::Scan { conflict_free: true }),
        ("scan-conflicts", "… with bank conflicts", Work::Scan { conflict_free: false }),
        ("scan-naive", "tutorial: all words before", Work::TutorialScan(ScanMethod::Naive)),
        ("scan-hillis-steele", "tutorial: Hillis, Steele", Work::TutorialScan(ScanMethod::HillisSteele)),
        ("scan-blelloch", "tutorial: Blelloch", Work::TutorialScan(ScanMethod::Blelloch)),
        ("scan-conflict-free", "… without bank conflicts", Work::TutorialScan(ScanMethod::ConflictFree)),
        ("blur-square-15", "tutorial: N² loads, N = 15", tutorial_blur(BlurMethod::Square, 15)),
        ("blur-separable-15", "tutorial: 2N loads", tutorial_blur(BlurMethod::Separable, 15)),
        ("blur-tiled-15", "tutorial: from a tile", tutorial_blur(BlurMethod::Tiled, 15)),
        ("blur-running-15", "tutorial: running sums", tutorial_blur(BlurMethod::Running, 15)),
        ("blur-separable-63", "tutorial: 2N loads, N = 63", tutorial_blur(BlurMethod::Separable, 63)),
        ("blur-tiled-63", "tutorial: from a tile", tutorial_blur(BlurMethod::Tiled, 63)),
        ("blur-running-63", "tutorial: running sums", tutorial_blur(BlurMethod::Running, 63)),
        ("draw-per-pixel", "bars: each pixel asks its bin", Work::Drawing(DrawMethod::PerPixel)),
        ("draw-per-column", "bars: each column asks once", Work::Drawing(DrawMethod::PerColumn)),
    ]
}
