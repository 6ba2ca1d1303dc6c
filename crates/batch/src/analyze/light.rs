//! The light of a run's frames in cd/m²: how it is measured, each frame's figures, and the summary of a clip.

use histoscope_core::histogram::pixel_light::ABOVE;
use histoscope_core::histogram::{LightFigures, LightScale, Transfer};
use histoscope_core::picture::SourceFormat;
use serde::{Deserialize, Serialize};

/// White of SDR in cd/m², unless another is stated (BT.2035).
const USUAL_SDR_WHITE: u32 = 100;

/// How light is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LightUse {
    /// The transfer function to use, whatever the frames state: PQ, HLG or BT.1886.
    pub transfer: Option<Transfer>,
    /// Peak in cd/m² of the display that HLG is measured on.
    pub hlg_peak: u32,
    /// White in cd/m² of the display that SDR is measured on. Without it, the light of SDR is only known if the
    /// transfer function is overridden.
    pub sdr_white: Option<u32>,
    /// `true` to count pixels outside P3-D65 and BT.709 in frames with primaries of BT.2020.
    pub gamut: bool,
}

impl LightUse {
    /// Returns the relation between codes and light for frames with this transfer function; `None` if it is unknown.
    #[must_use]
    pub fn scale(self, tag: Option<&str>) -> Option<LightScale> {
        let sdr = |white| Some(LightScale::Bt1886 { white });
        match (self.transfer, tag) {
            (Some(Transfer::Pq), _) | (None, Some("smpte2084")) => Some(LightScale::Pq),
            (Some(Transfer::Hlg), _) | (None, Some("arib-std-b67")) => Some(LightScale::Hlg { peak: self.hlg_peak }),
            (Some(_), _) => sdr(self.sdr_white.unwrap_or(USUAL_SDR_WHITE)),
            (None, Some("linear")) => None,
            (None, _) => self.sdr_white.and_then(sdr),
        }
    }

    /// Returns the scale for a frame of this format, with `true` if its gamut is counted.
    #[must_use]
    pub fn of_frame(self, source: &SourceFormat) -> Option<(LightScale, bool)> {
        Some((self.scale(source.transfer)?, self.gamut && source.primaries == Some("bt2020")))
    }

    /// Returns the options in words, for the summary.
    #[must_use]
    pub fn in_words(self) -> String {
        let mut words = vec![format!("HLG at {} cd/m²", self.hlg_peak)];
        words.extend(self.transfer.map(|transfer| format!("transfer {}", transfer.name())));
        words.extend(self.sdr_white.map(|white| format!("SDR white at {white} cd/m²")));
        words.extend(self.gamut.then(|| "gamut".to_owned()));
        words.join(", ")
    }
}

/// The light of a clip, as in the summary of a run's records. It is made of integers and largest values only, so that
/// shares of a file add up to exactly what a single run would state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LightSummary {
    /// Frames whose light is known.
    pub frames: u64,
    /// Frames with a transfer function that says nothing about light in cd/m².
    pub unknown_frames: u64,
    /// MaxCLL: the light of the brightest pixel of all frames.
    pub max_cll: f64,
    /// Number of the first frame that has it.
    pub max_cll_frame: u64,
    /// Column and row of the pixel.
    pub max_cll_x: u32,
    /// As [`max_cll_x`](Self::max_cll_x).
    pub max_cll_y: u32,
    /// MaxFALL: the largest average of a frame.
    pub max_fall: f64,
    /// Number of the first frame that has it.
    pub max_fall_frame: u64,
    /// The largest light that 99.99 % of a frame's pixels do not exceed.
    pub max_cll_9999: f64,
    /// Number of the first frame that has it.
    pub max_cll_9999_frame: u64,
    /// Pixels counted.
    pub pixels: u64,
    /// Pixels brighter than 100 cd/m².
    pub pixels_above_100: u64,
    /// Pixels brighter than 203 cd/m².
    pub pixels_above_203: u64,
    /// Pixels brighter than 1000 cd/m².
    pub pixels_above_1000: u64,
    /// Pixels brighter than 4000 cd/m².
    pub pixels_above_4000: u64,
    /// Pixels brighter than the mastering display's peak; absent if the file states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels_above_mastering: Option<u64>,
    /// Pixels outside P3-D65; absent unless they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels_outside_p3: Option<u64>,
    /// Pixels outside BT.709; absent unless they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels_outside_bt709: Option<u64>,
}

impl LightSummary {
    /// Adds a frame.
    pub fn add_frame(&mut self, number: u64, light: Option<&LightFigures>) {
        let Some(figures) = light else {
            self.unknown_frames += 1;
            return;
        };
        let [above_100, above_203, above_1000, above_4000] = figures.above;
        self.add(&Self {
            frames: 1,
            unknown_frames: 0,
            max_cll: figures.max,
            max_cll_frame: number,
            max_cll_x: figures.brightest.0,
            max_cll_y: figures.brightest.1,
            max_fall: figures.average,
            max_fall_frame: number,
            max_cll_9999: figures.max_9999,
            max_cll_9999_frame: number,
            pixels: figures.pixels,
            pixels_above_100: above_100,
            pixels_above_203: above_203,
            pixels_above_1000: above_1000,
            pixels_above_4000: above_4000,
            pixels_above_mastering: figures.above_mastering,
            pixels_outside_p3: figures.outside.map(|[p3, _]| p3),
            pixels_outside_bt709: figures.outside.map(|[_, bt709]| bt709),
        });
    }

    /// Adds the light of a later part of the file.
    pub fn add(&mut self, later: &Self) {
        let is_first = self.frames == 0;
        if is_first || (later.frames > 0 && later.max_cll > self.max_cll) {
            (self.max_cll, self.max_cll_frame) = (later.max_cll, later.max_cll_frame);
            (self.max_cll_x, self.max_cll_y) = (later.max_cll_x, later.max_cll_y);
        }
        if is_first || (later.frames > 0 && later.max_fall > self.max_fall) {
            (self.max_fall, self.max_fall_frame) = (later.max_fall, later.max_fall_frame);
        }
        if is_first || (later.frames > 0 && later.max_cll_9999 > self.max_cll_9999) {
            (self.max_cll_9999, self.max_cll_9999_frame) = (later.max_cll_9999, later.max_cll_9999_frame);
        }
        self.frames += later.frames;
        self.unknown_frames += later.unknown_frames;
        self.pixels += later.pixels;
        self.pixels_above_100 += later.pixels_above_100;
        self.pixels_above_203 += later.pixels_above_203;
        self.pixels_above_1000 += later.pixels_above_1000;
        self.pixels_above_4000 += later.pixels_above_4000;
        let sum = |own: Option<u64>, other: Option<u64>| match (own, other) {
            (Some(own), Some(other)) => Some(own + other),
            (own, other) => own.or(other),
        };
        self.pixels_above_mastering = sum(self.pixels_above_mastering, later.pixels_above_mastering);
        self.pixels_outside_p3 = sum(self.pixels_outside_p3, later.pixels_outside_p3);
        self.pixels_outside_bt709 = sum(self.pixels_outside_bt709, later.pixels_outside_bt709);
    }

    /// Returns the figures as lines for people.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        if self.frames == 0 {
            return vec!["light: unknown in every frame".to_owned()];
        }
        let mut lines = vec![format!(
            "light: MaxCLL {:.1} cd/m² in frame {} at {},{}; at 99.99 % of the pixels {:.1} cd/m² in frame {}; MaxFALL \
                 {:.1} cd/m² in frame {}",
            self.max_cll,
            self.max_cll_frame,
            self.max_cll_x,
            self.max_cll_y,
            self.max_cll_9999,
            self.max_cll_9999_frame,
            self.max_fall,
            self.max_fall_frame,
        )];
        let percent = |count: u64| format!("{:.4} %", 100.0 * count as f64 / self.pixels.max(1) as f64);
        let above = [self.pixels_above_100, self.pixels_above_203, self.pixels_above_1000, self.pixels_above_4000];
        let mut shares: Vec<_> =
            ABOVE.iter().zip(above).map(|(limit, count)| format!("{} above {limit}", percent(count))).collect();
        shares.extend(
            self.pixels_above_mastering.map(|count| format!("{} above the mastering display's peak", percent(count))),
        );
        lines.push(format!("pixels by light in cd/m²: {}", shares.join(", ")));
        if let Some((p3, bt709)) = self.pixels_outside_p3.zip(self.pixels_outside_bt709) {
            lines.push(format!("outside P3-D65: {}; outside BT.709: {}", percent(p3), percent(bt709)));
        }
        if self.unknown_frames > 0 {
            lines.push(format!(
                "the light of {} is unknown, because of their transfer function",
                histoscope_core::text::counted(self.unknown_frames, "frame")
            ));
        }
        lines
    }
}
