//! The facts about the video: their values and origins, and how they were used.

use std::fs;

use histoscope_core::adjust::Adjustment;
use histoscope_core::picture::color::{Matrix, Origin, blanking_lines};
use histoscope_core::picture::layout::ChromaLines;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::{Frame, Scan, Timecodes};
use histoscope_core::text::{brief, counted, standard, time_text};
use histoscope_core::tone_map::{Display, SourceLight, Stops, ToneMapping, doubts};
use histoscope_hud::InfoLine;
use histoscope_keys::{self as keys, Action};
use histoscope_media::{StreamInfo, VideoTrack};

/// The engine and the adapter, and how they show PQ and HLG.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The adapter's name.
    pub adapter: &'a str,
    /// The driver and backend, and what they give to a display for HDR.
    pub driver: &'a str,
    /// The engine that counts.
    pub engine: &'a str,
    /// How PQ and HLG are shown.
    pub tone_mapping: ToneMapping,
    /// The exposure of the picture.
    pub stops: Stops,
    /// The display for which the picture is drawn.
    pub display: Display,
}

const fn plain(name: &'static str, value: String) -> InfoLine {
    InfoLine { name, value, origin: None }
}

/// Returns everything known about the video and this frame.
#[must_use]
pub fn info_lines(info: &StreamInfo, frame: &Frame, machine: Machine<'_>) -> Vec<InfoLine> {
    let mut lines = of_file(info);
    lines.extend(scan(info, frame));
    lines.extend(of_frame(frame, info.sample_aspect.origin, machine));
    lines.push(plain("decoder", decoder(info)));
    lines.push(plain("engine", format!("{} counts", if machine.engine == "cpu" { "the CPU" } else { "the adapter" })));
    lines.push(plain("adapter", format!("{} ({})", machine.adapter, machine.driver)));
    let doubts = doubts(&frame.source, frame.picture.layout().depth);
    lines.extend(info.notes.iter().cloned().chain(doubts).map(|note| plain("note", note)));
    lines
}

fn of_file(info: &StreamInfo) -> Vec<InfoLine> {
    let codec = match &info.profile {
        Some(profile) => format!("{}, {profile}", info.codec),
        None => info.codec.clone(),
    };
    let mut lines = vec![plain("container", info.container_name().to_owned()), plain("codec", codec)];
    lines.extend(length(info));
    lines.extend(
        fs::metadata(&info.path).ok().filter(fs::Metadata::is_file).map(|file| plain("file", bytes(file.len()))),
    );
    lines.extend(info.bit_rate.map(|rate| plain("bit rate", bit_rate(rate))));
    lines.push(plain("frame rate", info.rate_text()));
    lines.extend(info.timecodes.map(|timecodes| plain("timecode", timecode(&timecodes))));
    lines.extend(tracks(info));
    let stated = info.stated_size;
    if stated != info.coded_size {
        lines.push(plain("size in header", format!("{}×{}, not used: the frames have their own", stated.0, stated.1)));
    }
    let light = info.stated_light.in_words();
    if !light.is_empty() {
        let value = light.join(", ");
        lines.push(InfoLine { name: "HDR metadata", value, origin: Some(Origin::Tagged) });
    }
    lines.extend(info.icc_profile.as_ref().map(|name| InfoLine {
        name: "ICC profile",
        value: format!("{name}, not applied"),
        origin: Some(Origin::Tagged),
    }));
    lines.extend(info.film_grain.map(|is_added| {
        let value = if is_added { "added by the decoder, and counted" } else { "not added by the decoder" };
        InfoLine { name: "film grain", value: value.to_owned(), origin: Some(Origin::Tagged) }
    }));
    lines.extend(info.camera_log.map(|log| {
        let key = keys::label_of(Action::ToggleAdjustment(Adjustment::CameraLog)).unwrap_or_default();
        let value = format!("{}; {key} applies it", log.name());
        InfoLine { name: "camera log", value, origin: Some(Origin::Tagged) }
    }));
    if !info.timed {
        lines.push(plain("times", "none in the file: computed from the frame rate".to_owned()));
    }
    if info.live {
        lines.push(plain("live", "shows the newest picture; you can go back as far as memory holds".to_owned()));
    } else if !info.seekable {
        lines.push(plain("seeking", "forward playback only".to_owned()));
    }
    lines
}

/// Returns the duration and the number of frames, as far as they are stated.
fn length(info: &StreamInfo) -> Option<InfoLine> {
    let duration = info.duration_secs.filter(|_| !info.still && !info.live).map(time_text);
    let frames = info.stated_frames.filter(|_| !info.still && !info.live).map(|count| counted(count, "frame"));
    let text = duration.into_iter().chain(frames).collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| plain("duration", text))
}

/// Formats the size of a file.
fn bytes(count: u64) -> String {
    match count as f64 {
        few if few < 1e3 => counted(count, "byte"),
        some if some < 1e6 => format!("{:.1} kB", some / 1e3),
        many if many < 1e9 => format!("{:.1} MB", many / 1e6),
        most => format!("{:.2} GB", most / 1e9),
    }
}

/// Returns `true` if a pixel format of this name, as FFmpeg calls it, has an alpha channel.
fn has_alpha(pixel_format: &str) -> bool {
    let begins = ["yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16", "yaf", "ayuv", "vuya"];
    begins.iter().any(|begin| pixel_format.starts_with(begin))
}

fn timecode(timecodes: &Timecodes) -> String {
    format!("{} at the first frame, {}", timecodes.first, timecodes.source)
}

/// Returns a line for each of the file's video tracks, if there are several, and why the shown one was chosen.
fn tracks(info: &StreamInfo) -> Vec<InfoLine> {
    if info.tracks.len() < 2 {
        return Vec::new();
    }
    let line = |(at, track): (usize, &VideoTrack)| {
        let chosen =
            if track.stream == info.stream { format!("; shown: {}", info.track_reason) } else { String::new() };
        plain("track", format!("{}: {track}{chosen}", at + 1))
    };
    info.tracks.iter().enumerate().map(line).collect()
}

fn bit_rate(bits_a_second: u64) -> String {
    match bits_a_second as f64 {
        rate if rate < 1e6 => format!("{} kbit/s", brief((rate / 1e3).round())),
        rate => format!("{:.1} Mbit/s", rate / 1e6),
    }
}

/// Returns how this frame was scanned, if that is stated or a single field is shown, and whether the header disagrees.
fn scan(info: &StreamInfo, frame: &Frame) -> Option<InfoLine> {
    let is_stated = info.scan.is_some() || frame.scan != Scan::Progressive;
    if !is_stated && frame.field.is_none() {
        return None;
    }
    let mut text = if is_stated { frame.scan.to_string() } else { "not stated".to_owned() };
    let differs = |stated: &Scan| stated.is_interlaced() != frame.scan.is_interlaced();
    let is_single_field = matches!(frame.scan, Scan::TopField | Scan::BottomField);
    if let Some(stated) = info.scan.filter(differs).filter(|_| !is_single_field) {
        text += &format!(" (the header says {stated})");
    }
    if let Some(field) = frame.field {
        text += &format!("; only the {field} field is shown and counted");
    }
    Some(InfoLine { name: "scan", value: text, origin: is_stated.then_some(Origin::Tagged) })
}

fn of_frame(frame: &Frame, aspect_origin: Origin, machine: Machine<'_>) -> Vec<InfoLine> {
    let picture = &frame.picture;
    let color = picture.decoded().colorimetry();
    let layout = picture.layout();
    let source = &frame.source;
    let size = format!("{}×{}", picture.width(), picture.height());
    let aspect = match frame.sample_aspect {
        histoscope_core::picture::Ratio { num, den } if num == den => "square".to_owned(),
        histoscope_core::picture::Ratio { num, den } => format!("{num}:{den}"),
    };
    // Lines of a single field are twice as far apart, which no file states.
    let aspect = match frame.field {
        Some(_) => plain("pixel aspect", format!("{aspect}, of a single field")),
        None => InfoLine { name: "pixel aspect", value: aspect, origin: Some(aspect_origin) },
    };
    let turned = match (frame.orientation.quarter_turns % 4, frame.orientation.mirrored) {
        (0, false) => "none".to_owned(),
        (turns, mirrored) => {
            let flip = if mirrored { "mirrored, then " } else { "" };
            format!("{flip}turned {}° clockwise", u32::from(turns) * 90)
        }
    };
    let depth = match (layout.depth, layout.bin_bits()) {
        (depth, bits) if u32::from(depth) == bits => format!("{depth} bits, {} bins", 1_u32 << bits),
        (depth, bits) => format!("{depth} bits, binned by the top {bits}"),
    };
    let converted = source.converted_to.as_ref().map(|to| format!("{} to {to}, before counting", source.pixel_format));
    let to_rgb = match color.matrix.value {
        Matrix::Nonlinear(matrix) if !std::ptr::eq(picture, picture.decoded()) => {
            let bits = layout.bin_bits();
            Some(format!(
                "{} under {} to R'G'B' of {bits} bits, before counting",
                color.matrix.value,
                matrix.curve.name()
            ))
        }
        _ => None,
    };
    let conversion: Vec<_> = converted.into_iter().chain(to_rgb).collect();
    let conversion = match conversion.as_slice() {
        [] => "none: counted and drawn from the decoder's own planes".to_owned(),
        some => some.join("; then "),
    };
    let tone_map = SourceLight::of(source).tone_map(machine.tone_mapping, machine.stops, machine.display);
    let shown = tone_map.map_or_else(|| ", shown as coded".to_owned(), |map| format!(", {}", map.text()));
    let primaries = match tone_map {
        Some(map) if map.is_whole() => ", converted for the display",
        Some(_) => ", converted to BT.709",
        None => ", not converted",
    };
    let mut lines =
        vec![plain("pixel format", source.pixel_format.clone()), plain("depth", depth), plain("size", size)];
    if has_alpha(&source.pixel_format) {
        lines.push(plain("alpha", "present, neither shown nor counted".to_owned()));
    }
    lines.extend(source.cropping.stated().map(|(by, stated)| InfoLine {
        name: "cropping",
        value: format!("{stated} ({by})"),
        origin: Some(Origin::Tagged),
    }));
    if let lines_above @ 1.. = blanking_lines(picture.width(), picture.height()) {
        let text = format!("{lines_above} lines at the top (D-10), counted: Shift+R proposes a region without them");
        lines.push(plain("vertical blanking", text));
    }
    lines.extend([
        aspect,
        plain("rotation", turned),
        InfoLine { name: "matrix", value: color.matrix.value.to_string(), origin: Some(color.matrix.origin) },
        InfoLine { name: "range", value: color.range.value.to_string(), origin: Some(color.range.origin) },
        named("transfer", source.transfer, &shown),
        named("primaries", source.primaries, primaries),
        plain("conversion", conversion),
    ]);
    if let Some(shared) = picture.chroma_lines() {
        let value = match shared.value {
            ChromaLines::Frame => "by frame: neighbouring lines share a row",
            ChromaLines::Field => "by field: every second line shares a row",
        };
        let line = InfoLine { name: "4:2:0 chroma", value: value.to_owned(), origin: Some(shared.origin) };
        let place = lines.iter().position(|line| line.name == "transfer").unwrap_or(lines.len());
        lines.insert(place, line);
    }
    if color.luminance != LuminanceWeights::default() {
        lines.push(plain("luminance", color.luminance.to_string()));
    }
    lines
}

/// Returns a line on a property that has no effect here, whether or not the file states it.
fn named(name: &'static str, value: Option<&'static str>, effect: &str) -> InfoLine {
    match value {
        Some(value) => InfoLine { name, value: format!("{}{effect}", standard(value)), origin: Some(Origin::Tagged) },
        None => plain(name, format!("not stated{effect}")),
    }
}

fn decoder(info: &StreamInfo) -> String {
    let decoder = format!("{}, {}", info.decoder, counted(info.threads as u64, "thread"));
    match &info.software_reason {
        Some(reason) => format!("{decoder}; no hardware ({reason})"),
        None => decoder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Transfer;
    use histoscope_core::picture::stated_light::StatedLight;
    use histoscope_core::picture::{Field, FrameFacts, Ratio};
    use histoscope_media::{Decoder, OpenOptions};

    #[test]
    fn facts_about_the_sample_have_their_origin() {
        let mut decoder = Decoder::open("assets/sample.mp4", &OpenOptions::default()).unwrap();
        let frame = decoder.next_frame().unwrap().unwrap();
        let machine = Machine {
            adapter: "an adapter",
            driver: "a driver",
            engine: "cpu",
            tone_mapping: ToneMapping::Bt2390,
            stops: Stops::default(),
            display: Display::Sdr,
        };
        let lines = info_lines(decoder.info(), &frame, machine);
        let find = |name| lines.iter().find(|line| line.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(find("frame rate").value, "30 fps, constant");
        assert_eq!(find("depth").value, "8 bits, 256 bins");
        assert_eq!(
            (find("container").value.as_str(), find("duration").value.as_str()),
            ("MP4", "0:10.000, 300 frames")
        );
        assert_eq!(find("file").value, bytes(fs::metadata("assets/sample.mp4").unwrap().len()));
        assert_eq!(find("transfer").value, "BT.709, shown as coded");
        assert!(lines.iter().all(|line| line.name != "alpha" && line.name != "luminance"));
        assert_eq!((find("matrix").value.as_str(), find("matrix").origin), ("bt709", Some(Origin::Tagged)));
        assert_eq!(find("conversion").value, "none: counted and drawn from the decoder's own planes");
        assert_eq!(find("adapter").value, "an adapter (a driver)");
        for name in ["container", "codec", "bit rate", "pixel format", "size", "pixel aspect", "rotation", "range"] {
            assert!(!find(name).value.is_empty(), "{name}");
        }
        assert_eq!((find("scan").value.as_str(), find("scan").origin), ("progressive", Some(Origin::Tagged)));
        let picture = frame.picture.with_luminance(LuminanceWeights::Bt2020);
        let weighed = info_lines(decoder.info(), &Frame { picture, ..frame.clone() }, machine);
        let luminance = weighed.iter().find(|line| line.name == "luminance").map(|line| line.value.as_str());
        assert_eq!(luminance, Some("0.2627 R' + 0.6780 G' + 0.0593 B' (BT.2020)"), "weights other than the usual ones");
        let unknown = info_lines(&StreamInfo { scan: None, ..decoder.info().clone() }, &frame, machine);
        assert!(unknown.iter().all(|line| line.name != "scan"), "what is not stated is not told");
        let of = |frame: &Frame, scan| {
            let lines = info_lines(&StreamInfo { scan, ..decoder.info().clone() }, frame, machine);
            lines.into_iter().find(|line| line.name == "scan").expect("a line").value
        };
        let scanned = |scan| Frame { facts: FrameFacts { scan, ..frame.facts.clone() }, ..frame.clone() };
        let interlaced = scanned(Scan::TopFirst);
        assert_eq!(of(&interlaced, Some(Scan::BottomFirst)), "interlaced, top field first");
        let contradicted = "interlaced, top field first (the header says progressive)";
        assert_eq!(of(&interlaced, Some(Scan::Progressive)), contradicted);
        let single = scanned(Scan::BottomField);
        assert_eq!(of(&single, Some(Scan::Progressive)), "single bottom field");
        let top = frame.clone().of_field(Field::Top).expect("two lines");
        assert_eq!(of(&top, None), "not stated; only the top field is shown and counted");
        let aspect = |frame: &Frame| {
            let lines = info_lines(decoder.info(), frame, machine).into_iter();
            lines.filter(|line| line.name == "pixel aspect").map(|line| (line.value, line.origin)).collect::<Vec<_>>()
        };
        assert_eq!(aspect(&frame), [("square".to_owned(), Some(decoder.info().sample_aspect.origin))]);
        assert_eq!(aspect(&top), [("1:2, of a single field".to_owned(), None)], "no file states that");
        let stated_light = StatedLight { hdr10_plus: true, ..StatedLight::new(None, Some([1000, 400])) };
        let stated = info_lines(&StreamInfo { stated_light, ..decoder.info().clone() }, &frame, machine);
        let light = stated.iter().find(|line| line.name == "HDR metadata").expect("a line");
        assert_eq!(light.value, "MaxCLL 1000 cd/m², MaxFALL 400 cd/m², HDR10+");
        assert!(lines.iter().all(|line| line.name != "HDR metadata"), "the sample states none");
        for (film_grain, told) in [(true, "added by the decoder, and counted"), (false, "not added by the decoder")] {
            let (icc_profile, film_grain) = (Some("Display P3".to_owned()), Some(film_grain));
            let info = StreamInfo { icc_profile, film_grain, ..decoder.info().clone() };
            let named = info_lines(&info, &frame, machine);
            let found: Vec<_> = named.iter().filter(|line| matches!(line.name, "ICC profile" | "film grain")).collect();
            let values: Vec<_> = found.iter().map(|line| line.value.as_str()).collect();
            assert_eq!(values, ["Display P3, not applied", told]);
        }
        let shown_on = |display, frame: &Frame, tone_mapping| {
            let lines = info_lines(decoder.info(), frame, Machine { tone_mapping, display, ..machine });
            let lines = lines.into_iter().filter(|line| matches!(line.name, "transfer" | "primaries"));
            lines.map(|line| line.value).collect::<Vec<_>>().join("; ")
        };
        let shown = |frame: &Frame, tone_mapping| shown_on(Display::Sdr, frame, tone_mapping);
        let pq = frame.clone().with_transfer(Transfer::Pq);
        let meant = "PQ (SMPTE ST 2084), tone-mapped BT.2390, 10000 → 203 cd/m²; BT.709, converted to BT.709";
        assert_eq!(shown(&pq, ToneMapping::Bt2390), meant);
        assert_eq!(shown(&pq, ToneMapping::None), "PQ (SMPTE ST 2084), shown as coded; BT.709, not converted");
        let hdr = Display::Hdr { white: 203 };
        let whole = "PQ (SMPTE ST 2084), light as it is, up to 10000 cd/m²; BT.709, converted for the display";
        assert_eq!(shown_on(hdr, &pq, ToneMapping::Bt2390), whole);
        assert_eq!(shown_on(hdr, &frame, ToneMapping::Bt2390), "BT.709, shown as coded; BT.709, not converted");
        assert!(find("transfer").value.contains("as coded") && !find("decoder").value.is_empty());
    }

    #[test]
    fn a_clock_rate_is_not_a_frame_rate() {
        let info = Decoder::open("assets/sample.mp4", &OpenOptions::default()).unwrap().info().clone();
        let told = |average: u32, nominal: Option<u32>| {
            let rate = |num| Ratio { num, den: 1 };
            let (average_rate, nominal_rate) = (Some(rate(average)), nominal.map(rate));
            StreamInfo { average_rate, nominal_rate, ..info.clone() }.rate_text()
        };
        assert_eq!(told(24, Some(60)), "24 fps on average, variable, up to 60");
        assert_eq!(told(24, Some(1000)), "24 fps on average, variable");
        assert_eq!(told(30, Some(1_000_000)), "30 fps on average, variable");
        assert_eq!((told(240, Some(240)), told(24, None)), ("240 fps, constant".into(), "24 fps".into()));
    }

    #[test]
    fn numbers_are_formatted_briefly() {
        assert_eq!(
            (bytes(1), bytes(12_345), bytes(3_210_000_000)),
            ("1 byte".into(), "12.3 kB".into(), "3.21 GB".into())
        );
        assert_eq!((standard("smpte2084"), standard("gamma22")), ("PQ (SMPTE ST 2084)", "gamma22"));
        assert!(has_alpha("yuva444p10le") && has_alpha("gbrap") && !has_alpha("yuv420p"));
        assert_eq!((bit_rate(640_000), bit_rate(12_340_000)), ("640 kbit/s".into(), "12.3 Mbit/s".into()));
        assert_eq!((brief(23.976_023), brief(30.0), brief(59.94)), ("23.976".into(), "30".into(), "59.94".into()));
    }
}
