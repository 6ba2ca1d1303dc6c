//! Names of cameras, screens and generators.

/// A camera, a screen or a generator: FFmpeg's name for its kind, and its name within that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Device<'a> {
    /// `v4l2`, `x11grab`, …
    pub(super) kind: &'a str,
    /// `/dev/video0`, `:0.0`, …
    pub(super) name: &'a str,
}

/// Returns the device that a path names, either as `av://KIND:NAME`, as in mpv, or by the Linux name of a camera.
pub(super) fn device(text: &str) -> Option<Device<'_>> {
    if cfg!(target_os = "linux") && text.starts_with("/dev/video") {
        return Some(Device { kind: "v4l2", name: text });
    }
    let rest = text.strip_prefix("av://")?;
    let (kind, name) = rest.split_once(':').unwrap_or((rest, ""));
    Some(Device { kind, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_a_kind_and_a_name_and_no_host() {
        assert_eq!(device("av://x11grab::0.0+10,20"), Some(Device { kind: "x11grab", name: ":0.0+10,20" }));
        assert_eq!(device("av://v4l2:/dev/video0"), Some(Device { kind: "v4l2", name: "/dev/video0" }));
        assert_eq!(device("av://lavfi"), Some(Device { kind: "lavfi", name: "" }));
        assert_eq!(device("/dev/video2").is_some(), cfg!(target_os = "linux"));
        for other in ["video0", "/dev/zero", "udp://av:1", "x/dev/video0", "av:x"] {
            assert_eq!(device(other), None, "{other}");
        }
    }
}
