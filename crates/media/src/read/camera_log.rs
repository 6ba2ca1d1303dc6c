//! The camera's log that a file names: in the tags of several makers, or in the XML of Sony's cameras.

use std::ffi::CStr;

use histoscope_core::adjust::CameraLog;

/// Returns the camera's log that a file names; `None` if it names none, or one without a formula here. `tag` returns
/// the text of a metadata tag of the file, `xml` the XML document that Sony's cameras put into the file.
pub(crate) fn stated(tag: impl Fn(&CStr) -> Option<String>, xml: impl FnOnce() -> Option<String>) -> Option<CameraLog> {
    let panasonic = || {
        let document = tag(c"com.panasonic.Semi-Pro.metadata.xml")?;
        CameraLog::of_name(between(&document, "<CaptureGamma>", "<")?)
    };
    let recorder = || CameraLog::of_name(&tag(c"com.atomos.hdr.gamma")?);
    let arri = || CameraLog::of_name(&tag(c"com.arri.camera.ColorGammaSxS")?);
    let blackmagic = || {
        let is_log = tag(c"com.apple.proapps.customgamma")?.ends_with(".filmlog");
        let science = tag(c"com.blackmagic-design.camera.colorScience")?;
        (is_log && science.contains("Gen 5")).then_some(CameraLog::BlackmagicGen5)
    };
    panasonic().or_else(recorder).or_else(arri).or_else(blackmagic).or_else(|| sony(&xml()?))
}

/// Returns the log in the XML of Sony's cameras. S-Log3 with another gamut than S-Gamut3.Cine has no transform here.
fn sony(document: &str) -> Option<CameraLog> {
    let item = |name: &str| between(document, &format!("name=\"{name}\" value=\""), "\"");
    let is_cine = item("CaptureColorPrimaries") == Some("s-gamut3-cine");
    let is_log = matches!(item("CaptureGammaEquation"), Some("s-log3" | "s-log3-cine"));
    (is_cine && is_log).then_some(CameraLog::SLog3)
}

/// Returns the text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the log of a file with this tag.
    fn tagged(name: &CStr, text: &str) -> Option<CameraLog> {
        stated(|wanted| (wanted == name).then(|| text.to_owned()), || None)
    }

    #[test]
    fn the_log_is_in_the_tags_of_makers() {
        let xml = |gamma: &str| format!("<ClipMain><Gamma><CaptureGamma>{gamma}</CaptureGamma></Gamma></ClipMain>");
        let panasonic = |gamma| tagged(c"com.panasonic.Semi-Pro.metadata.xml", &xml(gamma));
        assert_eq!(
            ["V-Log", "V-LogL", "CINELIKE_D2"].map(panasonic),
            [Some(CameraLog::VLog), Some(CameraLog::VLog), None]
        );
        assert_eq!(tagged(c"com.panasonic.Semi-Pro.metadata.xml", "<CaptureGamma>V-Log"), None, "cut off");
        assert_eq!(tagged(c"com.atomos.hdr.gamma", "VLog"), Some(CameraLog::VLog));
        assert_eq!(tagged(c"com.arri.camera.ColorGammaSxS", "LOG-C"), Some(CameraLog::LogC3));
        assert_eq!(tagged(c"com.arri.camera.ColorGammaSxS", "REC-709"), None);
        let film = "com.blackmagic-design.productioncamera4k.filmlog";
        let blackmagic = |science: &str| {
            let tag = |name: &CStr| match name.to_bytes() {
                b"com.apple.proapps.customgamma" => Some(film.to_owned()),
                b"com.blackmagic-design.camera.colorScience" => Some(science.to_owned()),
                _ => None,
            };
            stated(tag, || None)
        };
        assert_eq!(blackmagic("Blackmagic Design Gen 5"), Some(CameraLog::BlackmagicGen5));
        assert_eq!(blackmagic("Blackmagic Design Gen 4"), None, "another curve");
        assert_eq!(tagged(c"comment", "V-Log"), None);
    }

    #[test]
    fn the_log_is_in_the_xml_of_sony() {
        let of = |gamma: &str, primaries: &str| {
            let item = |name: &str, value: &str| format!("<Item name=\"{name}\" value=\"{value}\"/>");
            let items = item("CaptureGammaEquation", gamma) + &item("CaptureColorPrimaries", primaries);
            stated(|_| None, || Some(format!("<Group name=\"CameraUnitMetadataSet\">{items}</Group>")))
        };
        assert_eq!(of("s-log3-cine", "s-gamut3-cine"), Some(CameraLog::SLog3));
        assert_eq!(of("s-log3", "s-gamut3"), None, "another gamut");
        assert_eq!(of("s-log2", "s-gamut"), None);
        assert_eq!(of("rec709", "rec709"), None);
        assert_eq!(stated(|_| None, || Some("<Item name=".to_owned())), None);
    }
}
