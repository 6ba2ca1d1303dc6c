//! The scopes on the page: pictures as PNG, graticules as SVG outlines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::file::encode_png;
use crate::report::content::Report;
use crate::report::scopes::{
    Trace, TraceLine, graticule_text, lines, outlines, target_marks, trace_picture, traces as all_traces,
    vectorscope_picture,
};
use histoscope_core::scopes::graticule::LineKind;
use histoscope_core::scopes::{Diagram, SUM_LEVELS};

/// Width of the waveform and parade pictures in pixels.
const WIDTH: usize = 1120;
/// Half the side of a target's box, in levels of the vectorscope.
const BOX: f64 = 3.0;

/// A waveform or a parade with its graticule.
pub struct TraceParts {
    pub name: &'static str,
    pub title: &'static str,
    pub png: String,
    pub lines: Vec<LineParts>,
}

/// A line of a graticule. Positions are from the bottom, in percent of the height.
pub struct LineParts {
    pub class: &'static str,
    pub bottom: String,
    pub top: String,
    /// The value with its unit, and the code.
    pub label: Option<(String, u32)>,
}

/// The vectorscope with its graticule.
pub struct VectorscopeParts {
    pub png: String,
    pub side: usize,
    pub lines: Vec<String>,
    pub boxes: Vec<BoxParts>,
    pub about: String,
    pub coordinates: [&'static str; 2],
}

/// The box of a target, with its name.
pub struct BoxParts {
    pub path: String,
    pub name: Option<(&'static str, String, String)>,
}

/// Returns the waveform and the parade, if they were counted.
pub fn traces(report: &Report) -> Result<Vec<TraceParts>, png::EncodingError> {
    let Some(sum) = report.scopes.waveform() else { return Ok(Vec::new()) };
    let parts = |trace: Trace| {
        let line = |line: TraceLine| LineParts {
            class: match line.kind {
                LineKind::Step => "step",
                LineKind::Tolerance => "tolerance",
                LineKind::Nominal => "nominal",
            },
            bottom: format!("{:.3}", 100.0 * line.place),
            top: format!("{:.3}", 100.0 - 100.0 * line.place),
            label: line.label.map(|(value, code)| (format!("{value}{}", line.unit), code)),
        };
        Ok(TraceParts {
            name: trace.name,
            title: trace.title,
            png: BASE64.encode(encode_png(&trace_picture(sum, &trace, WIDTH))?),
            lines: lines(report, &trace).into_iter().map(line).collect(),
        })
    };
    all_traces(sum).into_iter().map(parts).collect()
}

/// Returns the vectorscope, if it was counted.
pub fn vectorscope(report: &Report) -> Result<Option<VectorscopeParts>, png::EncodingError> {
    let Some(sum) = &report.scopes.vectorscope else { return Ok(None) };
    let boxes = target_marks(sum).into_iter().map(|aim| {
        let [x, y] = aim.at;
        BoxParts {
            path: format!("M{:.2} {:.2}h{side}v{side}h-{side}z", x - BOX, y - BOX, side = 2.0 * BOX),
            name: aim.name.map(|name| (name, format!("{:.2}", x + 1.8 * BOX), format!("{:.2}", y - 1.2 * BOX))),
        }
    });
    let (side, half, diagram) = (SUM_LEVELS, SUM_LEVELS / 2, sum.chroma.diagram());
    let axes = (diagram == Diagram::CbCr).then(|| format!("M0 {half}H{side}M{half} 0V{side}"));
    let closed = |corners: Vec<[f64; 2]>| {
        let corners: Vec<_> = corners.iter().map(|[x, y]| format!("{x:.2} {y:.2}")).collect();
        format!("M{}z", corners.join("L"))
    };
    Ok(Some(VectorscopeParts {
        png: BASE64.encode(encode_png(&vectorscope_picture(sum))?),
        side,
        lines: axes.into_iter().chain(outlines(sum).into_iter().map(closed)).collect(),
        boxes: boxes.collect(),
        about: graticule_text(sum),
        coordinates: diagram.coordinates(),
    }))
}
