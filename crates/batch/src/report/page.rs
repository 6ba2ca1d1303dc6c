//! The report as one self-contained HTML file. It includes pictures, figures and script, and its own policy forbids
//! loading anything else. The markup is in `templates/report.html`, which escapes all text.

mod charts;
mod scopes;
mod tables;

use std::io::Write;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use charts::{Label, Legend, PanelParts, StripParts};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use scopes::{TraceParts, VectorscopeParts};
use serde_json::json;
use tables::{BreakLine, ChannelRow, CheckTable, FactLine, FindingLine, FlawList, ShotCard, SoundTable};

use super::clip::{ClipColumn, Columns};
use super::content::Report;
use super::times::whole;
use super::tone::{css_color, panels};
use histoscope_core::histogram::Components;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::strip::{ROWS, channel_color};
use histoscope_core::text::{counted, sanitized};

const STYLE: &str = include_str!("../../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../../templates/report.js");

/// Forbids loading anything, whatever a file name or a later edit of the page contains.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page, with all values for its template.
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    policy: &'static str,
    style: &'static str,
    script: &'static str,
    maker: String,
    name: String,
    subtitle: String,
    notes: Vec<String>,
    legend: Legend,
    /// `true` if levels are labelled with light, which takes more space.
    has_light: bool,
    panels: Vec<PanelParts>,
    times: Vec<Label>,
    steps: usize,
    strips: Vec<StripParts>,
    traces: Vec<TraceParts>,
    vectorscope: Option<VectorscopeParts>,
    figures: Vec<ChannelRow>,
    /// The figures of the sound, if it was measured.
    sound: Option<SoundTable>,
    facts: Vec<FactLine>,
    shots: Vec<ShotCard>,
    shots_text: String,
    /// Number of listed shots, if not all are listed.
    shots_listed: Option<String>,
    /// Number of shots with a thumbnail, if there was no room for all of them.
    shots_pictured: Option<String>,
    /// The result of a check, if there was one.
    check: Option<CheckTable>,
    worst: Vec<FlawList>,
    /// Black, frozen and clipped segments and flashes.
    segments: Vec<FindingLine>,
    /// Number of listed segments, if not all are listed.
    segments_listed: Option<String>,
    /// The timecode breaks and their number, if there are any.
    breaks: Option<(Vec<BreakLine>, String)>,
    data: String,
    cells: String,
}

/// Renders the page as HTML.
///
/// # Errors
/// [`png::EncodingError`] if a picture or the page cannot be encoded.
pub fn page(report: &Report) -> Result<String, png::EncodingError> {
    let clip = &report.clip;
    let shots = tables::shots(report);
    let panels = panels(clip.components).iter().map(|panel| charts::panel(report, panel));
    let page = Page {
        policy: POLICY,
        style: STYLE,
        script: SCRIPT,
        maker: format!("Histoscope {}", env!("CARGO_PKG_VERSION")),
        name: sanitized(&report.name),
        subtitle: sanitized(&report.subtitle()),
        notes: report.notes.iter().map(|note| sanitized(note)).collect(),
        legend: charts::legend(),
        has_light: report.light.is_some(),
        panels: panels.collect::<Result<_, _>>()?,
        times: charts::times(report),
        steps: charts::STEPS,
        strips: [charts::change_strip(report), charts::clipped_strip(report)]
            .into_iter()
            .chain(charts::sound_strip(report))
            .collect(),
        traces: scopes::traces(report)?,
        vectorscope: scopes::vectorscope(report)?,
        figures: tables::figures(report),
        sound: report.sound.as_ref().map(SoundTable::of),
        facts: tables::facts(report),
        shots_text: format!("{}; {}", counted(clip.cuts_found + 1, "shot"), report.cuts_text()),
        shots_listed: (shots.len() as u64 <= clip.cuts_found).then(|| whole(shots.len() as u64)),
        shots_pictured: report.thumbnails.shots_if_full().map(|pictured| whole(pictured as u64)),
        shots,
        check: tables::check(report),
        worst: tables::worst(report),
        segments: tables::segments(report),
        segments_listed: (clip.segments.len() > tables::MAX_SEGMENTS).then(|| whole(tables::MAX_SEGMENTS as u64)),
        breaks: (!clip.timecodes.listed().is_empty())
            .then(|| (tables::breaks(report), counted(clip.timecodes.breaks(), "break"))),
        data: data(report),
        cells: encode(&clip.columns),
    };
    // Rendering to a string cannot fail; if it ever did, returning an error is better than half a page.
    let text = page.render().map_err(|error| png::EncodingError::IoError(std::io::Error::other(error)))?;
    Ok(text + "\n")
}

/// Returns the data for the script that shows figures at the pointer, as JSON.
fn data(report: &Report) -> String {
    let clip = &report.clip;
    let columns = clip.columns.as_slice();
    let names = clip.components.channel_names();
    let round = |value: f64| (value * 1e7).round() / 1e7;
    let each =
        |figure: fn(&ClipColumn) -> f64| -> Vec<f64> { columns.iter().map(|column| round(figure(column))).collect() };
    let sound = |figure: fn(&ClipColumn) -> f64| {
        // Silence has no level, and is null.
        report.sound.as_ref().map(|_| {
            columns
                .iter()
                .map(|column| figure(column).is_finite().then(|| (figure(column) * 10.0).round() / 10.0))
                .collect::<Vec<_>>()
        })
    };
    let value = json!({
        "channels": names,
        "colors": (0..names.len()).map(|channel| css_color(channel_color(clip.components, channel))).collect::<Vec<_>>(),
        "bits": clip.bits,
        "light": light(clip.components),
        "lights": lights(report),
        "lit": panels(clip.components).iter().map(|panel| report.scale(panel.channels[0]).light().is_some()).collect::<Vec<_>>(),
        "begin": clip.begin_secs,
        "end": clip.end_secs,
        "first": columns.iter().map(|column| column.first_frame).collect::<Vec<_>>(),
        "last": columns.iter().map(|column| column.last_frame).collect::<Vec<_>>(),
        "times": each(|column| column.begin_secs),
        "change": each(|column| column.strip.change),
        "lowest": each(|column| column.strip.lowest),
        "highest": each(|column| column.strip.highest),
        "outside": each(|column| column.strip.outside),
        "loudness": sound(|column| column.strip.sound.short_term),
        "peak": sound(|column| column.strip.sound.true_peak),
    });
    // A script element ends at the first "</script", even inside a string.
    value.to_string().replace('<', "\\u003c")
}

/// Returns the light in cd/m² of a gray in the middle of each row, as text; nothing if it is unknown.
fn lights(report: &Report) -> Vec<String> {
    let (scale, codes) =
        (report.scale(light(report.clip.components)), f64::from(1_u32 << report.clip.bits) / ROWS as f64);
    let middle = |row: usize| row as f64 * codes + (codes - 1.0) / 2.0;
    (0..ROWS).filter_map(|row| scale.light_of(middle(row))).map(light_text).collect()
}

/// Returns the channel that represents brightness.
const fn light(components: Components) -> usize {
    match components {
        Components::Rgbl => 3,
        Components::YCbCr => 0,
    }
}

/// Encodes all counts of the columns for the script, without loss: the difference between each cell and the same cell
/// of the previous column, zigzag-encoded so that small differences of either sign come first, seven bits per byte
/// (LEB128), zlib, base64.
fn encode(columns: &Columns) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(&differences(columns));
    BASE64.encode(encoder.finish().unwrap_or_default())
}

fn differences(columns: &Columns) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before: &[u64] = &[];
    for column in columns.as_slice() {
        for (index, &count) in column.cells.iter().enumerate() {
            // A frame has at most 2^30 pixels, so sums stay far below 2^62.
            let difference = count as i64 - before.get(index).map_or(0, |&count| count as i64);
            let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        before = &column.cells;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::clip::Strip;
    use super::*;

    /// Creates columns of one frame each, with these cells.
    fn columns_of(rows: &[[u64; 3]]) -> Columns {
        let mut columns = Columns::new(16);
        for (frame, cells) in (0..).zip(rows) {
            let (begin_secs, strip) = (0.0, Strip::default());
            let cells = cells.to_vec();
            columns.add(ClipColumn { first_frame: frame, last_frame: frame, begin_secs, frames: 1, cells, strip });
        }
        columns
    }

    #[test]
    fn differences_take_few_bytes() {
        let bytes = differences(&columns_of(&[[0, 1, 200], [5, 0, 64], [1 << 40, 0, 0]]));
        assert_eq!(bytes[..7], [0, 2, 0x90, 0x03, 10, 1, 0x8f]);
        assert_eq!(bytes.len(), 4 + 4 + 6 + 1 + 1);
    }

    /// Decodes the cells of columns like the page's script.
    fn decode(bytes: &[u8], cells: usize) -> Vec<u64> {
        let (mut numbers, mut number, mut shift) = (Vec::new(), 0_u64, 0);
        for byte in bytes {
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                let difference = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
                let before: u64 = numbers.len().checked_sub(cells).map_or(0, |at: usize| numbers[at]);
                numbers.push(before.wrapping_add_signed(difference));
                (number, shift) = (0, 0);
            }
        }
        numbers
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn counts_round_trip(rows in proptest::collection::vec([0..1_u64 << 62, 0..300_u64, 0..1_u64 << 32], 1..9)) {
            proptest::prop_assert_eq!(decode(&differences(&columns_of(&rows)), 3), rows.concat());
        }
    }
}
