//! The report as one HTML file that needs nothing else: pictures, figures and script are in it, and its own policy
//! forbids it to load anything.

mod cells;
mod charts;
mod tables;

use serde_json::json;

use super::Report;
use super::tone::{channel_color, panels};

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
    html += &format!("<script type=\"text/plain\" id=\"cells\">{}</script>\n", cells::encode(&report.clip.columns));
    html += &format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(html)
}

/// What the script reads off where the pointer is.
fn data(report: &Report) -> String {
    let clip = &report.clip;
    let columns = clip.columns.as_slice();
    let names = clip.components.channel_names();
    let round = |value: f64| (value * 1e7).round() / 1e7;
    let each = |figure: fn(&super::folding::Column) -> f64| -> Vec<f64> {
        columns.iter().map(|column| round(figure(column))).collect()
    };
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

fn css_color([r, g, b]: super::tone::Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A text as HTML and as the value of an attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_not_markup() {
        assert_eq!(escape("<script>\"a\" & b\n"), "&lt;script&gt;&quot;a&quot; &amp; b ");
    }
}
