//! Addresses on a network: what their names lead to, and whether what comes from there is live.

use std::net::ToSocketAddrs;
use std::path::Path;

use super::device::device;
use super::error::{MediaError, is_address};

/// Protocols of senders that send at their own pace and wait for nobody: what was not taken in time is gone.
const LIVE_SCHEMES: &[&str] =
    &["udp", "udplite", "rtp", "srtp", "rtsp", "rtsps", "srt", "rist", "rtmp", "rtmps", "rtmpt", "mmst", "tcp", "tls"];

/// How the bytes of a source come, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// They wait until they are read.
    Stored,
    /// A sender gives the pace.
    Live,
    /// A web server may send either; its answer tells.
    Unsaid,
}

/// Returns how a source comes, as far as its name tells.
pub(super) fn delivery(path: &Path) -> Delivery {
    let text = path.to_string_lossy();
    if device(&text).is_some() {
        return Delivery::Live;
    }
    if !is_address(&text) {
        return if is_session_description(path) { Delivery::Live } else { Delivery::Stored };
    }
    match scheme(&text).to_ascii_lowercase().as_str() {
        "http" | "https" => Delivery::Unsaid,
        scheme if LIVE_SCHEMES.contains(&scheme) => Delivery::Live,
        _ => Delivery::Stored,
    }
}

/// Returns whether a path is a file that tells where an RTP stream comes from.
pub(super) fn is_session_description(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sdp"))
}

fn scheme(text: &str) -> &str {
    text.split_once("://").map_or("", |(scheme, _)| scheme)
}

/// Host and port of an address as they are written, without the user before them.
fn place(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit_once('@').map_or(authority, |(_, place)| place))
}

/// The port that an address names, where that is a number and none that a port can have.
fn impossible_port(text: &str) -> Option<&str> {
    let (_, port) = place(text)?.rsplit_once(':')?;
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && port.parse::<u16>().is_err()).then_some(port)
}

/// The host that an address names, without its port and without the user before it; nothing where it names none, as
/// `udp://:5000` does.
fn host(text: &str) -> Option<&str> {
    let place = place(text)?;
    let host = match place.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next()?,
        None => place.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// Finds out whether a network address can lead anywhere: its port, and whether its host has a name that does. FFmpeg tells that apart from other failures only in
/// its log. Blocks as long as the name service takes.
pub(super) fn resolve(path: &Path) -> Result<(), MediaError> {
    let text = path.to_string_lossy();
    let knows_hosts = matches!(scheme(&text).to_ascii_lowercase().as_str(), "http" | "https" | "ftp")
        || delivery(path) == Delivery::Live;
    if let Some(port) = impossible_port(&text).filter(|_| knows_hosts && device(&text).is_none()) {
        return Err(MediaError::NoSuchPort { path: path.to_owned(), port: port.to_owned() });
    }
    let is_remote = knows_hosts && device(&text).is_none() && !goes_through_proxy(&text);
    let Some(host) = host(&text).filter(|_| is_remote) else { return Ok(()) };
    // The port plays no part in it.
    match (host, 0).to_socket_addrs() {
        Ok(_) => Ok(()),
        Err(error) => {
            log::debug!("{host}: {error}");
            Err(MediaError::Unresolved { path: path.to_owned(), host: host.to_owned() })
        }
    }
}

/// Returns whether FFmpeg asks a proxy for this address, which then finds the host where this machine may not.
fn goes_through_proxy(text: &str) -> bool {
    let is_web = matches!(scheme(text).to_ascii_lowercase().as_str(), "http" | "https");
    is_web && std::env::var_os("http_proxy").is_some_and(|proxy| !proxy.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_live_is_told_by_its_name() {
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
        assert_eq!(of("https://host/a.ts"), Delivery::Unsaid);
    }

    #[test]
    fn hosts_stand_between_the_user_and_the_port() {
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
    fn a_port_that_cannot_be_is_told() {
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
    fn a_host_that_nobody_knows_is_told_and_an_address_needs_no_name_service() {
        // RFC 2606 keeps this domain from ever existing.
        let error = resolve(Path::new("udp://nobody.invalid:5000")).expect_err("there is no such host");
        assert!(error.to_string().contains("nobody.invalid"), "{error}");
        for known in ["av://nobody.invalid:x", "udp://127.0.0.1:5000", "udp://:5000", "rtsp://[::1]/a", "clip.mp4"] {
            assert_eq!(resolve(Path::new(known)), Ok(()), "{known}");
        }
    }
}
