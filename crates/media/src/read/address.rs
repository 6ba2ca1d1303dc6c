//! Network addresses: resolving their hosts, and telling live sources from stored ones.

use std::net::ToSocketAddrs;
use std::path::Path;

use crate::device::device;
use crate::error::{MediaError, MediaFault, is_address};

/// Protocols whose sender sets the pace and never waits: data that is not read in time is lost.
const LIVE_SCHEMES: &[&str] =
    &["udp", "udplite", "rtp", "srtp", "rtsp", "rtsps", "srt", "rist", "rtmp", "rtmps", "rtmpt", "mmst", "tcp", "tls"];

/// How the bytes of a source are delivered, judging by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The bytes wait until they are read.
    Stored,
    /// The sender sets the pace.
    Live,
    /// Either: only a web server's response shows which.
    Undetermined,
}

/// Returns how the bytes of a source are delivered, judging by its name.
pub(crate) fn delivery(path: &Path) -> Delivery {
    let text = path.to_string_lossy();
    if device(&text).is_some() {
        return Delivery::Live;
    }
    if !is_address(&text) {
        return if is_session_description(path) { Delivery::Live } else { Delivery::Stored };
    }
    match scheme(&text).to_ascii_lowercase().as_str() {
        "http" | "https" => Delivery::Undetermined,
        scheme if LIVE_SCHEMES.contains(&scheme) => Delivery::Live,
        _ => Delivery::Stored,
    }
}

/// Returns `true` if the name of a source says that it is live: its sender sets the pace.
#[must_use]
pub fn is_live(path: &Path) -> bool {
    delivery(path) == Delivery::Live
}

/// Returns `true` if a source consists of files on this machine, all of whose data is there to be read; pipes and
/// devices deliver theirs over time.
#[must_use]
pub fn is_local(path: &Path) -> bool {
    let is_pipe = || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    delivery(path) == Delivery::Stored && !is_address(&path.to_string_lossy()) && path != "-" && !is_pipe()
}

/// Returns `true` if the path names an SDP file, which describes where to receive an RTP stream.
pub(crate) fn is_session_description(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sdp"))
}

fn scheme(text: &str) -> &str {
    text.split_once("://").map_or("", |(scheme, _)| scheme)
}

/// Returns the host and port of an address as written, without the user information before them.
fn place(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit_once('@').map_or(authority, |(_, place)| place))
}

/// Returns the port of an address if it is a number too large for a port.
fn impossible_port(text: &str) -> Option<&str> {
    let (_, port) = place(text)?.rsplit_once(':')?;
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && port.parse::<u16>().is_err()).then_some(port)
}

/// Returns the host of an address without user information and port; `None` if it names none, as in `udp://:5000`.
fn host(text: &str) -> Option<&str> {
    let place = place(text)?;
    let host = match place.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next()?,
        None => place.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// Checks that the port of a network address is valid and that its host resolves. FFmpeg distinguishes these failures
/// from others only in its log. Blocks until name resolution returns.
pub(crate) fn resolve(path: &Path) -> Result<(), MediaError> {
    let text = path.to_string_lossy();
    let knows_hosts = matches!(scheme(&text).to_ascii_lowercase().as_str(), "http" | "https" | "ftp") || is_live(path);
    if let Some(port) = impossible_port(&text).filter(|_| knows_hosts && device(&text).is_none()) {
        return Err(MediaFault::NoSuchPort { port: port.to_owned() }.of(path.to_owned()));
    }
    let is_remote = knows_hosts && device(&text).is_none() && !goes_through_proxy(&text);
    let Some(host) = host(&text).filter(|_| is_remote) else { return Ok(()) };
    // The port does not affect the lookup.
    match (host, 0).to_socket_addrs() {
        Ok(_) => Ok(()),
        Err(error) => {
            log::debug!("{host}: {error}");
            Err(MediaFault::Unresolved { host: host.to_owned() }.of(path.to_owned()))
        }
    }
}

/// Returns `true` if FFmpeg uses a proxy for this address. The proxy may resolve hosts that this machine cannot.
fn goes_through_proxy(text: &str) -> bool {
    let is_web = matches!(scheme(text).to_ascii_lowercase().as_str(), "http" | "https");
    is_web && std::env::var_os("http_proxy").is_some_and(|proxy| !proxy.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_local_and_pipes_and_addresses_are_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.mp4");
        std::fs::write(&file, "x").expect("the folder takes a file");
        let pattern = folder.path().join("a.%04d.png");
        assert!([file.as_path(), folder.path(), &pattern, Path::new("concat:a.ts|b.ts")].into_iter().all(is_local));
        for name in
            ["-", "http://host/a.mp4", "udp://127.0.0.1:1", "av://lavfi:testsrc", "a.sdp", "cache:http://host/a.ts"]
        {
            assert!(!is_local(Path::new(name)), "{name}");
        }
        #[cfg(unix)]
        assert!(!is_local(Path::new("/dev/null")), "a device");
    }

    #[test]
    fn live_sources_are_recognised_by_name() {
        let of = |text: &str| delivery(Path::new(text));
        for live in [
            "udp://127.0.0.1:5000",
            "UDP://@239.0.0.1:1234",
            "rtsp://a/b",
            "srt://a:1?mode=caller",
            "cam.sdp",
            "x/CAM.SDP",
            "av://x11grab::0.0",
        ] {
            assert_eq!(of(live), Delivery::Live, "{live}");
        }
        for stored in ["a.mp4", "sdp", "-", "file:///a.mp4", "ftp://host/a.mp4", "udp", "async:udp.ts"] {
            assert_eq!(of(stored), Delivery::Stored, "{stored}");
        }
        assert_eq!(of("https://host/a.ts"), Delivery::Undetermined);
    }

    #[test]
    fn host_excludes_user_and_port() {
        let cases = [
            ("udp://127.0.0.1:5000", Some("127.0.0.1")),
            ("udp://@239.0.0.1:1234?ttl=1", Some("239.0.0.1")),
            ("udp://:5000", None),
            ("rtsp://user:p@ss@camera.example/a:b", Some("camera.example")),
            ("srt://[::1]:9000?mode=caller", Some("::1")),
            ("http://host?x=@y", Some("host")),
        ];
        for (text, expected) in cases {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn impossible_ports_are_reported() {
        for text in
            ["udp://127.0.0.1:99999", "srt://[::1]:65536?mode=caller", "udp://:70000", "http://host:123456/a.ts"]
        {
            let error = resolve(Path::new(text)).expect_err("there is no such port");
            assert!(error.to_string().contains("from 1 to 65535"), "{error}");
        }
        for text in ["udp://127.0.0.1:65535", "udp://[::1]", "udp://127.0.0.1", "av://x11grab::99999", "a:99999.mp4"] {
            assert_eq!(resolve(Path::new(text)), Ok(()), "{text}");
        }
    }

    #[test]
    fn unknown_hosts_are_reported_and_ip_addresses_need_no_lookup() {
        // RFC 2606 guarantees that this domain never exists.
        let error = resolve(Path::new("udp://nobody.invalid:5000")).expect_err("there is no such host");
        assert!(error.to_string().contains("nobody.invalid"), "{error}");
        for known in ["av://nobody.invalid:x", "udp://127.0.0.1:5000", "udp://:5000", "rtsp://[::1]/a", "clip.mp4"] {
            assert_eq!(resolve(Path::new(known)), Ok(()), "{known}");
        }
    }
}
