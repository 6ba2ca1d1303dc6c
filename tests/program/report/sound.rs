//! The sound in a report: its chart and table, against FFmpeg's filter.

use std::process::Command;

use serde_json::Value;

use crate::common::Clip;
use crate::report::page_of;

/// Returns the data of the page's script.
fn data(page: &str) -> Value {
    let start = page.find("id=\"clip\">").expect("the data") + "id=\"clip\">".len();
    serde_json::from_str(page[start..].split("</script>").next().unwrap_or_default()).expect("JSON")
}

#[test]
fn the_chart_and_the_table_show_the_loudness_that_ffmpeg_measures() {
    let sound = "-f lavfi -i aevalsrc=exprs='0.02*exp(t/4)*sin(6300*t)*lt(t,9)|0.1*sin(900*t)*lt(t,9)':s=48000:d=16";
    let clip = Clip::new("a.mkv", &format!("-f lavfi -i testsrc2=s=64x48:r=10:d=16 {sound} -c:a pcm_s24le"));
    let page = page_of(clip.path(), &[]);
    let filter = "ebur128=metadata=1,ametadata=print:key=lavfi.r128.S:file=-";
    let mut command = Command::new("ffmpeg");
    command
        .args(["-hide_banner", "-nostdin", "-i"])
        .arg(clip.path())
        .args(["-map", "0:a", "-af", filter, "-f", "null", "-"]);
    let told = command.output().expect("ffmpeg runs");
    let (log, lines) =
        (String::from_utf8_lossy(&told.stderr).into_owned(), String::from_utf8_lossy(&told.stdout).into_owned());
    let after = |word: &str| {
        log[log.rfind(word).expect("a figure") + word.len()..].split_whitespace().next().unwrap_or_default().to_owned()
    };
    assert!(page.contains(&format!("<dd>{} LUFS</dd>", after(" I:"))), "integrated: {}", after(" I:"));
    assert!(page.contains("<section class=\"plot strip\" data-strip=\"sound\">"));
    assert_eq!(
        page[page.find("<table id=\"sound\">").expect("a table")..]
            .split("</table>")
            .next()
            .expect("an end")
            .matches("<tr><td>")
            .count(),
        2
    );
    // The filter writes one line for each 100 ms, which is a frame here.
    let short_term: Vec<f64> =
        lines.lines().filter_map(|line| line.strip_prefix("lavfi.r128.S=")?.parse().ok()).collect();
    let data = data(&page);
    let shown = data["loudness"].as_array().expect("the loudness");
    assert_eq!(shown.len(), 160);
    for frame in [35, 60, 85, 100, 110] {
        let shown = shown[frame].as_f64().expect("it is loud");
        assert!((shown - short_term[frame]).abs() <= 0.15, "frame {frame}: {shown}, not {}", short_term[frame]);
    }
    assert!(shown[155].is_null() && data["peak"][100].is_null() && data["peak"][20].is_number());
    let silent = page_of(Clip::new("b.mkv", "-f lavfi -i testsrc2=s=64x48:r=10:d=2").path(), &[]);
    assert!(!silent.contains("data-strip=\"sound\"") && !silent.contains("id=\"sound\""));
}
