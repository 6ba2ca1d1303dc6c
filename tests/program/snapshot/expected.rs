//! The expected result of a snapshot, found in two ways: from our decoder's frames, and from planes written by the
//! `ffmpeg` command, which are interpreted with hand-written layouts and colours.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Frame, OwnedPlanes, Picture};
use serde_json::Value;

use crate::command::figures;
use crate::common::open;

/// The memory layout of a clip's samples and their meaning, as the test knows them.
#[derive(Debug, Clone)]
pub struct Kind {
    /// FFmpeg's name of the pixel format.
    pub format: &'static str,
    /// The layout.
    pub layout: PixelLayout,
    /// The size in pixels.
    pub size: (u32, u32),
    /// The matrix.
    pub matrix: Matrix,
    /// The range.
    pub range: Range,
}

impl Kind {
    /// Planar 8-bit Y'CbCr 4:2:0 without tags, which means limited range and, at small sizes, BT.601.
    pub fn untagged_420(size: (u32, u32)) -> Self {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        let matrix = if size.0 >= 1280 || size.1 > 576 { Matrix::Bt709 } else { Matrix::Bt601 };
        Self { format: "yuv420p", layout, size, matrix, range: Range::Limited }
    }

    /// Returns the picture in these bytes, plane after plane.
    pub fn picture(&self, bytes: &[u8]) -> Picture {
        let mut rest = bytes;
        let plane = |index| {
            let (row_bytes, rows) = self.layout.plane_size(index, self.size.0, self.size.1);
            let (plane, after) = rest.split_at(row_bytes * rows);
            rest = after;
            (plane.to_vec(), row_bytes)
        };
        let planes = OwnedPlanes { planes: (0..self.layout.plane_count()).map(plane).collect() };
        let colorimetry = Colorimetry::tagged(self.matrix, self.range);
        Picture::new(self.layout, self.size, colorimetry, Arc::new(planes)).expect("the planes are whole")
    }

    /// Returns the histogram of frame `index` of a clip, from the planes decoded by the `ffmpeg` command.
    pub fn histogram(&self, clip: &Path, index: u64) -> Histogram {
        reference::histogram(&self.picture(&raw_frame(clip, self.format, index)), Components::Rgbl)
    }
}

/// Returns the bytes of one frame as decoded by the `ffmpeg` command.
pub fn raw_frame(clip: &Path, format: &str, index: u64) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-noautorotate", "-i"])
        .arg(clip)
        .args(["-map", "0:v:0", "-vf", &format!("select=eq(n\\,{index})"), "-frames:v", "1"])
        .args(["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", format, "-"])
        .output()
        .expect("the ffmpeg command is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns the frame on screen at `secs`, found by decoding from the start.
pub fn frame_at(clip: &Path, secs: f64) -> Frame {
    let mut decoder = open(clip);
    let mut found = decoder.next_frame().expect("the clip decodes").expect("the clip has a frame");
    while let Some(next) = decoder.next_frame().expect("the clip decodes") {
        if next.time_secs > secs {
            break;
        }
        found = next;
    }
    found
}

/// Compares the JSON's bins and figures. Returns the first error.
pub fn difference(json: &Value, expected: &Histogram) -> Result<(), String> {
    let channels = json["channels"].as_object().ok_or("no channels")?;
    let names: Vec<_> = channels.keys().map(String::as_str).collect();
    let wanted = expected.components.channel_names();
    if names != wanted {
        return Err(format!("the channels are {names:?}"));
    }
    for (index, name) in wanted.iter().enumerate() {
        let channel = &channels[*name];
        let bins: Vec<u64> = channel["bins"].as_array().ok_or("no bins")?.iter().filter_map(Value::as_u64).collect();
        if bins.len() != expected.bin_count() {
            return Err(format!("{name} has {} bins", bins.len()));
        }
        if let Some(bin) = (0..bins.len()).find(|&bin| bins[bin] != u64::from(expected.bins(index)[bin])) {
            return Err(format!("bin {bin} of {name} is {}, not {}", bins[bin], expected.bins(index)[bin]));
        }
        let stats = expected.stats(index, None);
        let found = (&channel["count"], &channel["min"], &channel["max"], &channel["median"]);
        if found != (&stats.count.into(), &stats.min.into(), &stats.max.into(), &stats.median.into())
            // Parsing a number from JSON may change its last digit.
            || channel["mean"].as_f64().is_none_or(|mean| (mean - stats.mean).abs() > 1e-9)
        {
            return Err(format!("the figures of {name} are {channel}, not {stats:?}"));
        }
        if bins.iter().sum::<u64>() != json["width"].as_u64().unwrap_or(0) * json["height"].as_u64().unwrap_or(0) {
            return Err(format!("{name} does not count every pixel once"));
        }
        if index < 3 {
            let [below, above] = expected.out_of_range(index);
            if (&channel["below_range"], &channel["above_range"]) != (&below.into(), &above.into()) {
                return Err(format!("{name} was clamped {below} and {above} times, not {channel}"));
            }
        }
    }
    Ok(())
}

/// Checks both engines' bins of a clip's first frame, and its description, against the results of both ways.
pub fn check(clip: &Path, kind: &Kind, engines: &[&str]) {
    let ffmpeg = kind.histogram(clip, 0);
    let frame = frame_at(clip, 0.0);
    assert_eq!(frame.source.pixel_format, kind.format, "the clip is of another format");
    let decoder = reference::histogram(&frame.picture, Components::Rgbl);
    assert!(ffmpeg == decoder, "{kind:?}: our decoder and the ffmpeg command differ");
    for engine in engines {
        let json = figures(clip, &["--bins", "--engine", engine]);
        difference(&json, &ffmpeg).unwrap_or_else(|difference| panic!("{engine}, {kind:?}: {difference}"));
        assert_eq!(json["engine"], *engine);
        assert_eq!(json["adapter"].is_null(), *engine == "cpu", "{}", json["adapter"]);
        assert_eq!(json["frame"], 0);
        assert_eq!(json["pts_seconds"], 0.0);
        assert_eq!((&json["width"], &json["height"]), (&kind.size.0.into(), &kind.size.1.into()));
        assert_eq!(json["depth"], kind.layout.depth);
        assert_eq!(json["matrix"], kind.matrix.name(), "{kind:?}");
        assert_eq!(json["range"], kind.range.name(), "{kind:?}");
    }
}
