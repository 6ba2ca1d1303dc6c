//! The tables of the page.

use std::fmt::Write;

use crate::export::report::content::Report;
use crate::export::report::times::{escape, percent, time, whole};
use crate::export::report::tone::{channel_color, css_color};
use crate::export::report::worst::Flaw;

/// All tables.
pub fn tables(report: &Report) -> String {
    let mut html = "<div class=\"tables\">\n".to_owned();
    html += &figures(report);
    html += &facts(report);
    html += &cuts(report);
    for flaw in Flaw::ALL {
        html += &worst(report, flaw);
    }
    html + "</div>\n"
}

fn channel_cell(report: &Report, channel: usize) -> String {
    let name = report.clip.components.channel_names().get(channel).copied().unwrap_or_default();
    let color = css_color(channel_color(report.clip.components, channel));
    format!("<td class=\"channel\"><i style=\"background:{color}\"></i>{name}</td>")
}

fn figures(report: &Report) -> String {
    let mut html =
        "<section class=\"wide\"><h2>Whole clip</h2>\n<table id=\"figures\"><thead><tr><th></th><th>min</th>\
                    <th>1 %</th><th>median</th><th>99 %</th><th>max</th><th>mean</th><th>std. dev.</th><th>lowest</th>\
                    <th>highest</th><th>out of range</th></tr></thead>\n<tbody>\n"
            .to_owned();
    for (channel, (_, figures)) in report.clip.histogram.stats().enumerate() {
        let outside = figures.below_range.map_or_else(|| "–".to_owned(), |_| percent(figures.share_out_of_range));
        let _ = writeln!(
            html,
            "<tr>{}<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{}</td>\
             <td>{}</td><td>{outside}</td></tr>",
            channel_cell(report, channel),
            figures.min,
            figures.p1,
            figures.median,
            figures.p99,
            figures.max,
            figures.mean,
            figures.std_dev,
            percent(figures.share_lowest),
            percent(figures.share_highest),
        );
    }
    html + "</tbody></table></section>\n"
}

fn facts(report: &Report) -> String {
    let mut html = "<section class=\"facts\"><h2>The video, and how it was read</h2>\n<dl>\n".to_owned();
    for fact in &report.facts {
        let origin = fact.origin.map_or_else(String::new, |origin| format!(" <em class=\"{origin}\">{origin}</em>"));
        let _ = writeln!(html, "<dt>{}</dt><dd>{}{origin}</dd>", fact.name, escape(&fact.value));
    }
    html + "</dl></section>\n"
}

fn cuts(report: &Report) -> String {
    let clip = &report.clip;
    let mut html = format!("<section><h2>Cuts</h2>\n<p>{}.</p>\n", escape(&report.cuts_text()));
    if clip.cuts.len() as u64 != clip.cuts_found {
        let _ = writeln!(html, "<p>The first {} are listed.</p>", whole(clip.cuts.len() as u64));
    }
    if clip.cuts.is_empty() {
        return html + "</section>\n";
    }
    html += "<div class=\"scroll\"><table id=\"cuts\"><thead><tr><th>time</th><th>frame</th><th>change</th></tr></thead>\n<tbody>\n";
    for cut in &clip.cuts {
        let _ = writeln!(
            html,
            "<tr data-secs=\"{}\"><td>{}</td><td>{}</td><td>{}</td></tr>",
            cut.time_secs,
            time(cut.time_secs),
            whole(cut.frame),
            percent(cut.distance)
        );
    }
    html + "</tbody></table></div></section>\n"
}

fn worst(report: &Report, flaw: Flaw) -> String {
    let frames = &report.clip.worst[flaw as usize];
    let mut html = format!("<section><h2 class=\"key {}\">{}</h2>\n", flaw.name(), flaw.title());
    if frames.is_empty() {
        return html + "<p>No sample of any frame.</p></section>\n";
    }
    html += "<p>The worst frames, one a second at most, by the channel that has most.</p>\n";
    let _ = writeln!(
        html,
        "<table id=\"{}\"><thead><tr><th>time</th><th>frame</th><th>share</th><th></th></tr></thead>\n<tbody>",
        flaw.name()
    );
    for worst in frames {
        let _ = writeln!(
            html,
            "<tr data-secs=\"{}\"><td>{}</td><td>{}</td><td>{}</td>{}</tr>",
            worst.time_secs,
            time(worst.time_secs),
            whole(worst.frame),
            percent(worst.share.share),
            channel_cell(report, worst.share.channel)
        );
    }
    html + "</tbody></table></section>\n"
}
