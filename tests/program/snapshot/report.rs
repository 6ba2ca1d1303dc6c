//! The format of the figures, for programs and for people.

use serde_json::Value;

use crate::command::{figures, finish, program, sample};

/// The keys that other programs rely on, in order. There may be others in between.
const KEYS: [&str; 12] = [
    "schema",
    "input",
    "frame",
    "pts_seconds",
    "width",
    "height",
    "depth",
    "matrix",
    "range",
    "engine",
    "adapter",
    "channels",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Checks that `wanted` occur in this order in `found`.
fn assert_in_order(found: &[&str], wanted: &[&str]) {
    let kept: Vec<_> = found.iter().filter(|key| wanted.contains(key)).copied().collect();
    assert_eq!(kept, wanted, "in {found:?}");
}

#[test]
fn json_keeps_its_shape() {
    let json = figures(sample(), &["--bins", "--engine", "gpu"]);
    assert_in_order(&keys(&json), &KEYS);
    assert_eq!(json["schema"], 1);
    assert_eq!(json["input"], sample().to_str().unwrap());
    assert_eq!((&json["width"], &json["height"], &json["depth"]), (&1280.into(), &720.into(), &8.into()));
    assert!(json["adapter"].as_str().is_some_and(|name| !name.is_empty()));
    assert_eq!(keys(&json["channels"]), ["red", "green", "blue", "luminance"]);
    for channel in json["channels"].as_object().unwrap().values() {
        assert_in_order(&keys(channel), &["count", "min", "max", "mean", "median", "bins"]);
        assert_eq!(channel["bins"].as_array().map(Vec::len), Some(256));
    }
}

#[test]
fn weights_of_luminance_are_named_if_they_were_chosen() {
    let weights = |arguments: &[&str]| figures(sample(), &[&["--engine", "cpu"], arguments].concat());
    assert_eq!(weights(&[]).get("luminance_weights"), None);
    assert_eq!(weights(&["--luminance-weights", "bt709"]).get("luminance_weights"), None);
    assert_eq!(weights(&["--luminance-weights", "bt2020"])["luminance_weights"], "bt2020");
    assert_eq!(weights(&["--luminance-weights", "auto"])["luminance_weights"], "bt709");
    assert_eq!(weights(&["--luminance-weights", "bt2020", "--components", "ycbcr"]).get("luminance_weights"), None);
    let [usual, other] = [&[][..], &["--luminance-weights", "bt2020"]].map(weights);
    let means = [&usual, &other].map(|figures| figures["channels"]["luminance"]["mean"].as_f64().unwrap());
    assert_ne!(means[0], means[1]);
    let text = |arguments: &[&str]| finish(program().arg("snapshot").arg(sample()).args(arguments)).stdout;
    assert!(
        text(&["--luminance-weights", "bt2020"]).contains("luminance is 0.2627 R' + 0.6780 G' + 0.0593 B' (BT.2020)")
    );
    assert!(!text(&[]).contains("luminance is"));
}

#[test]
fn bins_come_only_when_asked_for() {
    let json = figures(sample(), &["--engine", "cpu"]);
    assert!(json["channels"].as_object().unwrap().values().all(|channel| channel.get("bins").is_none()));
    let run = finish(program().arg("snapshot").arg(sample()).arg("--bins"));
    assert_eq!(run.code, Some(2), "bins without JSON: {run:?}");
}

#[test]
fn people_get_a_table() {
    let run = finish(program().arg("snapshot").arg(sample()).args(["--engine", "cpu"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 7, "{}", run.stdout);
    assert!(lines[0].contains("sample.mp4") && lines[0].contains("frame 0") && lines[0].contains("pts 0.000 s"));
    for words in ["1280×720", "8 bits", "bt709 (tagged)", "limited (tagged)", "cpu"] {
        assert!(lines[1].contains(words), "no '{words}' in {}", lines[1]);
    }
    let json = figures(sample(), &["--engine", "cpu"]);
    for (line, (name, channel)) in lines[3..].iter().zip(json["channels"].as_object().unwrap()) {
        let fields: Vec<_> = line.split_whitespace().collect();
        let whole = |key: &str| channel[key].to_string();
        let mean = format!("{:.2}", channel["mean"].as_f64().unwrap());
        let expected = [name.clone(), whole("count"), whole("min"), whole("max"), mean, whole("median")];
        assert_eq!(fields, expected);
    }
}
