//! The JSON that `hdr10plus_tool` and encoders read: metadata of SMPTE ST 2094-40 for every frame, in profile A, which
//! has measured light only and no tone curve. All frames of a scene have the same values.

use serde::Serialize;

use super::division::SceneLight;
use crate::analyze::error::AnalyzeError;

/// The names that HDR10+ has for the shares of a distribution. At 5 is the light that 99.99 % of the pixels do not
/// exceed, at 10 the percentage of pixels with at most 100 cd/m², and at 99 the light that 99.98 % do not exceed.
const INDEX: [u8; 9] = [1, 5, 10, 25, 50, 75, 90, 95, 99];

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct FrameMetadata {
    luminance_parameters: LuminanceParameters,
    number_of_windows: u8,
    /// Zero in profile A.
    targeted_system_display_maximum_luminance: u32,
    scene_frame_index: u64,
    scene_id: usize,
    sequence_frame_index: u64,
}

/// Light in tenths of a cd/m².
#[derive(Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
struct LuminanceParameters {
    #[serde(rename = "AverageRGB")]
    average_rgb: u32,
    luminance_distributions: Distribution,
    max_scl: [u32; 3],
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Distribution {
    distribution_index: [u8; 9],
    distribution_values: [u32; 9],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct SceneInfoSummary {
    scene_first_frame_index: Vec<u64>,
    scene_frame_numbers: Vec<u64>,
}

impl LuminanceParameters {
    fn of(scene: &SceneLight) -> Self {
        let tenths = |light: f64| (10.0 * light).round() as u32;
        let [p1, p25, p50, p75, p90, p95, p9998, p9999] = scene.percentiles.map(tenths);
        let to_100 = (100.0 * scene.share_to_100).round() as u32;
        Self {
            average_rgb: tenths(scene.average),
            luminance_distributions: Distribution {
                distribution_index: INDEX,
                distribution_values: [p1, p9999, to_100, p25, p50, p75, p90, p95, p9998],
            },
            max_scl: scene.max.map(tenths),
        }
    }
}

/// Writes the JSON of a video's scenes.
///
/// # Errors
/// Any error of `write`.
pub fn write(
    scenes: &[SceneLight],
    write: &mut dyn FnMut(&[u8]) -> Result<(), AnalyzeError>,
) -> Result<(), AnalyzeError> {
    write(b"{\"JSONInfo\":{\"HDR10plusProfile\":\"A\",\"Version\":\"1.0\"},\"SceneInfo\":[\n")?;
    let mut firsts = Vec::new();
    let mut next = 0;
    for (scene, scene_id) in scenes.iter().zip(0..) {
        firsts.push(next);
        let luminance_parameters = LuminanceParameters::of(scene);
        for scene_frame_index in 0..scene.frames {
            let separator = if next == 0 { "" } else { ",\n" };
            let frame = FrameMetadata {
                luminance_parameters: luminance_parameters.clone(),
                number_of_windows: 1,
                targeted_system_display_maximum_luminance: 0,
                scene_frame_index,
                scene_id,
                sequence_frame_index: next,
            };
            write(format!("{separator}{}", json(&frame)).as_bytes())?;
            next += 1;
        }
    }
    let summary = SceneInfoSummary {
        scene_first_frame_index: firsts,
        scene_frame_numbers: scenes.iter().map(|scene| scene.frames).collect(),
    };
    let (summary, version) = (json(&summary), env!("CARGO_PKG_VERSION"));
    let tool = format!("{{\"Tool\":\"Histoscope\",\"Version\":\"{version}\"}}");
    write(format!("\n],\"SceneInfoSummary\":{summary},\"ToolInfo\":{tool}}}\n").as_bytes())
}

fn json(value: &impl Serialize) -> String {
    // A struct of numbers always serializes to JSON.
    serde_json::to_string(value).unwrap_or_default()
}
