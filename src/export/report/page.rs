//! The report as one HTML file that needs nothing else: pictures, figures and script are in it, and its own policy
//! forbids it to load anything.

mod charts;
mod tables;

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;

use super::clip::{Column, Columns};
use super::content::Report;
use super::times::escape;
use super::tone::{channel_color, css_color, panels};

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Nothing is loaded from anywhere, whatever a file's name or a later edit of the page may contain.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Writes the page.
///
/// # Errors
/// [`png::EncodingError`] if a picture cannot be encoded.
pub fn page(report: &Report) -> Result<String, png::EncodingError> {
    let name = escape(&report.name);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Histoscope {}\">\n<title>{name} – Histoscope report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n<p class=\"subtitle\">{}</p>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&report.subtitle()),
    );
    for note in &report.notes {
        html += &format!("<p class=\"note\">{}</p>\n", escape(note));
    }
    html += "</header>\n<main>\n";
    html += &charts::legend();
    for panel in panels(report.clip.components) {
        html += &charts::panel(report, panel)?;
    }
    html += &charts::time_axis(report);
    html += &charts::strips(report);
    html += &charts::time_axis(report);
    html += "</main>\n<div id=\"readout\" aria-live=\"off\"></div>\n";
    html += &tables::tables(report);
    html += &format!(
        "<footer>Made by Histoscope {}. Every pixel of every frame was counted.</footer>\n",
        env!("CARGO_PKG_VERSION")
    );
    html += &format!("<script type=\"application/json\" id=\"clip\">{}</script>\n", data(report));
    html += &format!("<script type=\"text/plain\" id=\"cells\">{}</script>\n", encode(&report.clip.columns));
    html += &format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(html)
}

/// What the script reads off where the pointer is.
fn data(report: &Report) -> String {
    let clip = &report.clip;
    let columns = clip.columns.as_slice();
    let names = clip.components.channel_names();
    let round = |value: f64| (value * 1e7).round() / 1e7;
    let each =
        |figure: fn(&Column) -> f64| -> Vec<f64> { columns.iter().map(|column| round(figure(column))).collect() };
    let value = json!({
        "channels": names,
        "colors": (0..names.len()).map(|channel| css_color(channel_color(clip.components, channel))).collect::<Vec<_>>(),
        "bits": clip.bits,
        "begin": clip.begin_secs,
        "end": clip.end_secs,
        "first": columns.iter().map(|column| column.first_frame).collect::<Vec<_>>(),
        "last": columns.iter().map(|column| column.last_frame).collect::<Vec<_>>(),
        "times": each(|column| column.begin_secs),
        "change": each(|column| column.strip.change),
        "lowest": each(|column| column.strip.lowest),
        "highest": each(|column| column.strip.highest),
        "outside": each(|column| column.strip.outside),
    });
    // A script ends at the first "</script", also within a string.
    value.to_string().replace('<', "\\u003c")
}

/// All counts of the columns, exact, in a form that a script reads: the difference of each cell from the same cell of the
/// column before, small differences first of either sign (zigzag), seven bits a byte (LEB128), zlib, base64.
fn encode(columns: &Columns) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // A vector takes everything.
    let _ = encoder.write_all(&differences(columns));
    BASE64.encode(encoder.finish().unwrap_or_default())
}

fn differences(columns: &Columns) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before: &[u64] = &[];
    for column in columns.as_slice() {
        for (index, &count) in column.cells.iter().enumerate() {
            // The most pixels a frame may have are 2^30: sums stay far below 2^62.
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

    #[test]
    fn differences_take_few_bytes() {
        let mut columns = Columns::new(8);
        for cells in [[0, 1, 200], [5, 0, 64], [1 << 40, 0, 0]] {
            let column = Column {
                first_frame: 0,
                last_frame: 0,
                begin_secs: 0.0,
                frames: 1,
                cells: cells.to_vec(),
                strip: Strip::default(),
            };
            columns.add(column);
        }
        let bytes = differences(&columns);
        assert_eq!(bytes[..7], [0, 2, 0x90, 0x03, 10, 1, 0x8f]);
        assert_eq!(bytes.len(), 4 + 4 + 6 + 1 + 1);
    }
}
