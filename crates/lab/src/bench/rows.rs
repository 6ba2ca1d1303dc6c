//! The rows of the tables: their names, and what they measure.

use crate::{BlurMethod, DrawMethod, Method, ScanMethod};
use histoscope_core::adjust::{
    Adjustments, Blur, CameraLog, Clahe, ClassDisplay, Equalize, Lut, Otsu, Placing, Posterize, Reduction, Tone,
};

/// Returns the name and the title of every row, in the order of the table.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    Method::ALL.map(|method| (method.name(), method.title())).into_iter().chain(adjustment_rows()).collect()
}

/// Returns `true` if the text is part of a row's name or title, in any case.
pub(super) fn is_part(text: &str, name: &str, title: &str) -> bool {
    let text = text.trim().to_lowercase();
    !text.is_empty() && [name, title].iter().any(|of| of.to_lowercase().contains(&text))
}

/// Returns the name and the title of the adjustments' rows.
#[must_use]
pub fn adjustment_rows() -> Vec<(&'static str, &'static str)> {
    adjustments().into_iter().map(|(name, title, _)| (name, title)).collect()
}

/// The work that a row measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Work {
    /// A prefix sum by our own scan, with or without conflict-free indexing.
    Scan { conflict_free: bool },
    /// A prefix sum by a method of the tutorials.
    TutorialScan(ScanMethod),
    /// An adjustment of a picture, from its planes to the result. The result's histograms are counted while it is
    /// written, if possible.
    Chain(Adjustments),
    /// A lookup table with this many nodes along each edge.
    Lut { side: u32 },
    /// An adjustment whose result is counted in separate passes.
    Separate(Adjustments),
    /// The two passes of a blur alone, with or without workgroup memory.
    Blur { size: u32, staged: bool },
    /// A blur of the picture as an image, by a method of the tutorials.
    TutorialBlur { method: BlurMethod, size: u32 },
    /// The bars of the picture's histogram, by a method of the lab.
    Drawing(DrawMethod),
}

/// Returns the adjustments' rows: the name that selects a row, the name in the table, and the work.
pub(super) fn adjustments() -> Vec<(&'static str, &'static str, Work)> {
    let toned = |tone| Adjustments { tone: Some(tone), ..Adjustments::default() };
    let equalize = |per_channel| toned(Tone::Equalize(Equalize { per_channel, ..Equalize::default() }));
    let reduction = |reduction| Work::Chain(Adjustments { reduction: Some(reduction), ..Adjustments::default() });
    let classes = |classes| reduction(Reduction::Otsu(Otsu { classes, shown: ClassDisplay::Tones }));
    let levels = |placing| reduction(Reduction::Posterize(Posterize { levels: 5, placing }));
    let blur = |size, runs| Work::Chain(Adjustments { blur: Some(Blur { size, runs }), ..Adjustments::default() });
    let camera_log = Adjustments { lut: Some(Lut::of_camera(CameraLog::LogC3)), ..Adjustments::default() };
    let tutorial_blur = |method, size| Work::TutorialBlur { method, size };
    vec![
        ("scan", "prefix sum of 262144 words", Work::Scan { conflict_free: true }),
        ("scan-conflicts", "… with bank conflicts", Work::Scan { conflict_free: false }),
        ("scan-naive", "tutorial: all words before", Work::TutorialScan(ScanMethod::Naive)),
        ("scan-hillis-steele", "tutorial: Hillis, Steele", Work::TutorialScan(ScanMethod::HillisSteele)),
        ("scan-blelloch", "tutorial: Blelloch", Work::TutorialScan(ScanMethod::Blelloch)),
        ("scan-conflict-free", "… without bank conflicts", Work::TutorialScan(ScanMethod::ConflictFree)),
        ("lut-65", "LUT of 65³ nodes", Work::Lut { side: 65 }),
        ("camera-log", "camera log", Work::Chain(camera_log)),
        ("equalize", "equalize luminance", Work::Chain(equalize(false))),
        ("equalize-apart", "… its result counted separately", Work::Separate(equalize(false))),
        ("equalize-channels", "equalize red, green and blue", Work::Chain(equalize(true))),
        ("clahe", "CLAHE, 8×8 tiles", Work::Chain(toned(Tone::Clahe(Clahe::default())))),
        ("otsu-2", "Otsu's threshold", classes(2)),
        ("otsu-5", "Otsu's thresholds, 5 classes", classes(5)),
        ("posterize-width", "5 levels of equal width", levels(Placing::Width)),
        ("posterize-population", "5 levels of equal population", levels(Placing::Population)),
        ("blur-3", "blur 3 wide", blur(3, 1)),
        ("blur-15", "blur 15 wide", blur(15, 1)),
        ("blur-31", "blur 31 wide", blur(31, 1)),
        ("blur-63", "blur 63 wide", blur(63, 1)),
        ("blur-15x3", "blur 15 wide, three times", blur(15, 3)),
        ("blur-passes-15", "blur 15 wide, its passes only", Work::Blur { size: 15, staged: true }),
        ("blur-passes-15-unstaged", "… sums read from the buffer", Work::Blur { size: 15, staged: false }),
        ("blur-passes-63", "blur 63 wide, its passes only", Work::Blur { size: 63, staged: true }),
        ("blur-passes-63-unstaged", "… sums read from the buffer", Work::Blur { size: 63, staged: false }),
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
