//! The page in a browser.

use std::collections::HashSet;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};

use crate::common::{Clip, decode_all};
use crate::report::browser::Browser;
use crate::report::{page_of, shots};

/// Returns the reference's histograms of all frames.
fn histograms(file: &Path) -> Vec<Histogram> {
    decode_all(file).iter().map(|frame| reference::histogram(&frame.picture, Components::Rgbl)).collect()
}

fn attribute<'a>(html: &'a str, name: &str) -> &'a str {
    let start = html.find(&format!("{name}=\"")).unwrap_or_else(|| panic!("no {name} in {}", &html[..400]));
    html[start + name.len() + 2..].split('"').next().unwrap_or_default()
}

/// Counts the frames in a table.
fn rows(html: &str, table: &str) -> usize {
    let start = html.find(&format!("<table class=\"frames\" id=\"{table}\">"));
    let table = start.and_then(|start| html[start..].split("</table>").next());
    table.map_or(0, |table| table.matches("<tr data-secs=").count())
}

#[test]
fn the_script_reads_every_count() {
    let Some(browser) = Browser::find() else { return };
    let clip = shots();
    let dump = browser.dump(&page_of(clip.path(), &[]));
    assert_eq!(attribute(&dump, "data-ready"), "yes");
    assert_eq!(attribute(&dump, "data-columns"), "100");
    let frames = histograms(clip.path());
    let sum = |channel| frames.iter().flat_map(|frame| frame.bins(channel)).map(|&bin| u64::from(bin)).sum::<u64>();
    let sums: Vec<String> = (0..4).map(|channel| sum(channel).to_string()).collect();
    assert_eq!(attribute(&dump, "data-sums"), sums.join(" "));
    assert!(!dump.contains("data-problem"));
    assert_eq!(dump.matches("<li data-secs=").count(), 4);
    assert!(rows(&dump, "highest") > 0 && rows(&dump, "outside") > 0);
}

#[test]
fn a_long_clip_in_fewer_columns_loses_nothing() {
    let Some(browser) = Browser::find() else { return };
    let clip = Clip::moving("long.mkv", "32x18", 82.0, "-c:v ffv1 -pix_fmt yuv420p");
    let dump = browser.dump(&page_of(clip.path(), &[]));
    assert_eq!(attribute(&dump, "data-columns"), (2050_usize.div_ceil(4)).to_string());
    let sum = (2050 * 32 * 18).to_string();
    assert_eq!(attribute(&dump, "data-sums"), [sum.as_str(); 4].join(" "));
}

#[test]
fn pointing_reads_out_the_frame_and_its_shares() {
    let Some(browser) = Browser::find() else { return };
    let clip = shots();
    let frames = histograms(clip.path());
    let (number, frame) = (60, &frames[60]);
    let row = (0..256).max_by_key(|&row| frame.bins(3)[row]).unwrap();
    let point = format!(
        "<script>setInterval(() => {{
            if (document.documentElement.dataset.ready !== 'yes') return;
            const heat = document.querySelector('.heat'), box = heat.getBoundingClientRect();
            const clientX = box.left + box.width * ({number} + 0.5) / 100;
            const clientY = box.top + box.height * (255 - {row} + 0.5) / 256;
            heat.dispatchEvent(new PointerEvent('pointermove', {{ clientX, clientY, bubbles: true }}));
        }}, 20)</script></body>"
    );
    let dump = browser.dump(&page_of(clip.path(), &[]).replace("</body>", &point));
    let (_, readout) = dump.split_once("<div id=\"readout\"").expect("the readout");
    let (readout, _) = readout.split_once("</div>").expect("its end");
    assert!(readout.contains("class=\"shown\""), "{readout}");
    for text in ["<b>0:02.400</b>".to_owned(), format!("frame</small><b>{number}</b>"), format!("<b>{row} (")] {
        assert!(readout.contains(&text), "no {text} in {readout}");
    }
    for (channel, name) in Components::Rgbl.channel_names().iter().enumerate() {
        let share = f64::from(frame.bins(channel)[row]) / f64::from(192 * 108) * 100.0;
        let share = match share {
            0.0 => "0 %".to_owned(),
            share if share < 1.0 => format!("{share:.3} %"),
            share => format!("{share:.1} %"),
        };
        assert!(readout.contains(&format!("{name}</small><b>{share}</b>")), "no {name} {share} in {readout}");
    }
}

/// The light of codes 64 to 67 and 580 to 583 of PQ and HLG by ST 2084 and BT.2100, as NumPy computes it.
#[test]
fn pointing_reads_out_light_where_it_is_known() {
    let Some(browser) = Browser::find() else { return };
    let clip = |transfer: &str| {
        let filter = format!("setparams=color_trc={transfer}:color_primaries=bt2020:colorspace=bt2020nc");
        let input = "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4";
        Clip::new("clip.mkv", &format!("{input} -vf format=yuv420p10le,{filter} -c:v ffv1"))
    };
    let coded = ["--components", "ycbcr"];
    for (transfer, arguments, panel, row, expected) in [
        ("smpte2084", &[][..], 0, 145, "580 to 583 (180 cd/m²)"),
        ("smpte2084", &[], 0, 16, "64 to 67 (0.107 cd/m²)"),
        ("arib-std-b67", &[], 0, 145, "580 to 583 (71.6 cd/m²)"),
        ("arib-std-b67", &["--light", "--hlg-peak", "4000"], 0, 145, "580 to 583 (164 cd/m²)"),
        ("smpte2084", &coded, 0, 145, "580 to 583 (223 cd/m²)"),
        ("smpte2084", &coded, 1, 145, "580 to 583 (57 %)"),
        ("bt709", &[], 0, 145, "580 to 583 (57 %)"),
    ] {
        let page = page_of(clip(transfer).path(), arguments);
        let point = format!(
            "const heat = document.querySelectorAll('.heat')[{panel}], box = heat.getBoundingClientRect();
            const clientX = box.left + box.width / 2, clientY = box.top + box.height * (255 - {row} + 0.5) / 256;
            heat.dispatchEvent(new PointerEvent('pointermove', {{ clientX, clientY, bubbles: true }}));"
        );
        let readout = readout_after(&browser, &page, &point);
        assert!(
            readout.contains(&format!("<b>{expected}</b>")),
            "{transfer} {arguments:?}: no {expected} in {readout}"
        );
    }
}

/// Returns the readout after `action`, JavaScript that is repeated once the page is ready.
fn readout_after(browser: &Browser, page: &str, action: &str) -> String {
    let script = format!(
        "<script>setInterval(() => {{
            if (document.documentElement.dataset.ready !== 'yes') return;
            {action}
        }}, 20)</script></body>"
    );
    let dump = browser.dump(&page.replace("</body>", &script));
    let (_, readout) = dump.split_once("<div id=\"readout\"").expect("the readout");
    readout.split_once("</div>").expect("its end").0.to_owned()
}

/// Returns the readout's text for a frame's luminance.
fn luminance(frame: &Histogram) -> [String; 3] {
    let bins = frame.bins(3);
    let at = |bin: Option<usize>| bin.expect("a sample");
    let sum = |weight: fn(usize) -> u64| (0..256).map(|bin| u64::from(bins[bin]) * weight(bin)).sum::<u64>() as f64;
    let mean = sum(|bin| bin as u64) / sum(|_| 1);
    let text = |name: &str, value: String| format!("luminance {name}</small><b>{value}</b>");
    [
        text("min", at(bins.iter().position(|&bin| bin > 0)).to_string()),
        text("mean", format!("{mean:.2}")),
        text("max", at(bins.iter().rposition(|&bin| bin > 0)).to_string()),
    ]
}

#[test]
fn the_page_names_the_weights_of_luminance() {
    let clip = shots();
    for (arguments, red, standard) in [
        (&[][..], "0.2126 R", "(BT.709)"),
        (&["--luminance-weights", "bt2020"], "0.2627 R", "(BT.2020)"),
        (&["--luminance-weights", "auto"], "0.2126 R", "(BT.709)"),
    ] {
        let page = page_of(clip.path(), arguments);
        assert!(page.contains(red) && page.contains(standard), "{arguments:?}");
    }
}

#[test]
fn pointing_at_the_time_axis_reads_out_that_frame() {
    let Some(browser) = Browser::find() else { return };
    let clip = shots();
    let (page, frames) = (page_of(clip.path(), &[]), histograms(clip.path()));
    for (axis, number) in [(0, 60), (1, 12)] {
        let point = format!(
            "const axis = document.querySelectorAll('.times')[{axis}], box = axis.getBoundingClientRect();
            const clientX = box.left + box.width * ({number} + 0.5) / 100, clientY = box.top + 4;
            axis.dispatchEvent(new PointerEvent('pointermove', {{ clientX, clientY, bubbles: true }}));"
        );
        let readout = readout_after(&browser, &page, &point);
        assert!(readout.contains("class=\"shown\""), "{readout}");
        for text in luminance(&frames[number]).into_iter().chain([format!("frame</small><b>{number}</b>")]) {
            assert!(readout.contains(&text), "no {text} in {readout}");
        }
    }
}

#[test]
fn keys_lead_along_the_time_axis() {
    let Some(browser) = Browser::find() else { return };
    let page = page_of(shots().path(), &[]);
    for (keys, number) in [
        ("'Home'", 0),
        ("'Home', 'ArrowLeft'", 0),
        ("'Home', 'PageUp', 'ArrowRight', 'ArrowRight', 'ArrowLeft'", 11),
        ("'End', 'ArrowRight'", 99),
        ("'End', 'PageDown'", 89),
    ] {
        let press = format!(
            "const axis = document.querySelector('.times[tabindex=\"0\"][role=slider]');
            for (const key of [{keys}]) axis.dispatchEvent(new KeyboardEvent('keydown', {{ key, cancelable: true }}));
            document.getElementById('readout').title = axis.getAttribute('aria-valuetext');"
        );
        let readout = readout_after(&browser, &page, &press);
        assert!(readout.contains("class=\"shown\""), "{keys}: {readout}");
        assert!(readout.contains(&format!("frame</small><b>{number}</b>")), "{keys}: {readout}");
        assert!(readout.contains(&format!(", frame {number}, ")), "{keys} is not told: {readout}");
    }
}

#[test]
fn lines_that_coincide_are_both_seen() {
    let Some(browser) = Browser::find() else { return };
    // The same outline for both, without their other colours.
    let same = "<style>.over i, .key, .threshold, .tables, .note, .heat, .side { display: none !important }</style>
        <script>const paths = document.querySelectorAll('[data-strip=clipped] .area');
        paths.forEach((path) => path.setAttribute('d', path.classList.contains('lowest') ? '' : 'M0 100V40H1120V100z'));
        </script></body>";
    let page = page_of(shots().path(), &[]).replace("</body>", same);
    let (_, _, pixels) = browser.screenshot(&page, 1400, 1800);
    let count = |color: [u8; 3]| {
        let is_near = |pixel: &&[u8; 3]| pixel.iter().zip(color).all(|(&a, b)| a.abs_diff(b) < 24);
        pixels.iter().filter(is_near).count()
    };
    let [highest, outside] = [count([0xff, 0xbe, 0x54]), count([0xf0, 0x62, 0xdc])];
    assert!(highest > 200 && outside > 200, "highest {highest}, out of range {outside}");
}

#[test]
fn the_legend_has_the_largest_shares_of_a_still_clip() {
    // Half of it is white, in every frame: none stands out, and the graph is at 50 %.
    let filter = "drawbox=w=48:h=54:c=white:t=fill,format=yuv420p";
    let still = Clip::new("still.mkv", &format!("-f lavfi -i color=gray:s=96x54:d=1 -vf {filter} -c:v ffv1"));
    let page = page_of(still.path(), &[]);
    assert!(page.contains("at the highest code: up to 50.0 %"), "its legend");
}

#[test]
fn the_page_is_seen_and_not_blank() {
    let Some(browser) = Browser::find() else { return };
    let (width, height, pixels) = browser.screenshot(&page_of(shots().path(), &[]), 1400, 1800);
    assert_eq!((width, height), (1400, 1800));
    let colors: HashSet<_> = pixels.iter().collect();
    assert!(colors.len() > 1000, "{} colours", colors.len());
    let share = |is: fn(u32, u32, u32) -> bool| {
        let like = pixels.iter().filter(|pixel| is(pixel[0].into(), pixel[1].into(), pixel[2].into()));
        like.count() as f64 / pixels.len() as f64
    };
    assert!(share(|r, g, b| r > 120 && g < r / 2 && b < r / 2) > 0.001, "something red");
    assert!(share(|r, g, b| g > 120 && r < g / 2 && b < g * 3 / 4) > 0.001, "something green");
    assert!(share(|r, g, b| b > 120 && r < b / 2 && g < b * 3 / 4) > 0.001, "something blue");
    assert!(share(|r, g, b| r.max(g).max(b) < 40) > 0.5, "a dark page");
}

#[test]
fn the_page_loads_nothing() {
    let page = page_of(shots().path(), &[]);
    for word in ["http:", "https:", "src=\"//", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    let Some(browser) = Browser::find() else { return };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let asked = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&asked);
    // Runs until the test program ends. It closes every connection, so that no browser waits for an answer.
    thread::spawn(move || server.incoming().for_each(|_| flag.store(true, Ordering::Relaxed)));
    // Even if something is injected, as a file's name could be without escaping.
    let image = format!("<img src=\"http://{address}/pixel.png\"></body>");
    let dump = browser.dump(&page.replace("</body>", &image));
    assert_eq!(attribute(&dump, "data-ready"), "yes");
    assert!(!asked.load(Ordering::Relaxed), "the page asked for something");
}

#[test]
fn names_of_files_are_text() {
    let Some(browser) = Browser::find() else { return };
    let clip = Clip::moving("a <b>&quot; <script>document.title=1<_script>.mkv", "64x64", 0.2, "-c:v ffv1");
    let dump = browser.dump(&page_of(clip.path(), &[]));
    assert_eq!(attribute(&dump, "data-ready"), "yes");
    assert!(dump.contains("<h1>a &lt;b&gt;&amp;quot; &lt;script&gt;document.title=1&lt;_script&gt;.mkv</h1>"));
}
