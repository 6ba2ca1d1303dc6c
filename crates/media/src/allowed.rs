//! The files and protocols that a source may read besides itself, decided in one place for every kind of source.
//!
//! Playlists (HLS, DASH), concat scripts, SDP files and MOV files name other files and addresses. Whoever sends such a file to
//! somebody must not thereby read that person's other files, or have the machine speak to a host of the sender's choice:
//!
//! - A file reads files only, and of those what FFmpeg holds for safe: an HLS or DASH playlist files with the extension of a media
//!   file, a concat script files in its own folder and below it, a MOV file nothing.
//! - A file whose name ends in `.sdp` is opened to receive the RTP stream that it describes, and reads that. Under any other name it is a
//!   file that names addresses, and reads none.
//! - What comes from an address reads addresses only, never a file of this machine.
//! - What comes through a pipe reads nothing else.
//! - What a device gives reads nothing else.
//! - What the user names with their own words is theirs to say: the protocols before the file's name in `subfile,,…,,:a.ts`.

use std::ffi::{CStr, CString};

/// Protocols that no file can reach the machine's other files, or other hosts by.
const HARMLESS: &str = "crypto,data";

/// Protocols of networks, and those that carry others of them. What is not here is local, or one that only a user can name.
const NETWORK: &str = "http,https,httpproxy,tls,tcp,udp,udplite,rtp,srtp,sctp,ffrtmphttp,ffrtmpcrypt";

/// The name that the user gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach<'a> {
    /// A file, or a pattern of files.
    Files,
    /// The standard input.
    Pipe,
    /// A file that describes an RTP stream, as its extension says.
    Described,
    /// An address.
    Network(&'a str),
    /// A camera, a screen or a generator.
    Device,
    /// Something else with protocols before it: `concat:a.ts|b.ts`.
    Named(&'a str),
}

impl Reach<'_> {
    /// The protocols by which the source itself, and whatever it names, may be read: FFmpeg's `protocol_whitelist`.
    pub(super) fn protocols(self) -> CString {
        let list = match self {
            Self::Files => format!("file,{HARMLESS}"),
            Self::Pipe => format!("pipe,{HARMLESS}"),
            Self::Described => format!("file,rtp,srtp,udp,{HARMLESS}"),
            Self::Network(text) => format!("{NETWORK},{HARMLESS}{}", named(text)),
            Self::Device => HARMLESS.to_owned(),
            Self::Named(text) => format!("file,{HARMLESS}{}", named(text)),
        };
        CString::new(list).unwrap_or_default()
    }

    /// The defaults of all versions of FFmpeg so far, stated so that they stay: a concat script names files of its own folder,
    /// and a MOV file opens none.
    pub(super) const OPTIONS: [(&'static CStr, &'static CStr); 3] =
        [(c"safe", c"1"), (c"enable_drefs", c"0"), (c"use_absolute_path", c"0")];
}

/// The protocols that stand before a name, each with a comma before it: `,srt` of `srt://host:9000`, `,cache,http` of
/// `cache:http://host/a.ts`.
fn named(text: &str) -> String {
    let mut list = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(':') {
        // `subfile,,start,0,end,9,,:a.ts`; `crypto+http://host/a.ts`.
        let words = head.split_once(',').map_or(head, |(word, _)| word);
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric());
        if !words.split('+').all(is_word) {
            break;
        }
        words.split('+').for_each(|word| list += &format!(",{word}"));
        if tail.starts_with("//") {
            break;
        }
        rest = tail;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(reach: Reach<'_>) -> Vec<String> {
        let text = reach.protocols().to_string_lossy().into_owned();
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn no_address_reaches_a_file_and_no_file_an_address() {
        let local = ["file", "pipe", "fd", "subfile", "concat", "concatf", "unix", "cache", "async", "bluray", "tee"];
        for address in ["http://host/a.m3u8", "ftp://host/file:/etc/passwd", "tcp://host:80", "srt://host:9000?file:x"]
        {
            let list = list(Reach::Network(address));
            assert!(local.iter().all(|name| !list.iter().any(|allowed| allowed == name)), "{address}: {list:?}");
            let scheme = address.split(':').next().expect("an address has a scheme");
            assert!(list.iter().any(|allowed| allowed == scheme), "{address}: {list:?}");
        }
        assert_eq!(list(Reach::Files), ["file", "crypto", "data"]);
        assert_eq!(list(Reach::Described), ["file", "rtp", "srtp", "udp", "crypto", "data"]);
        assert_eq!(list(Reach::Device), ["crypto", "data"]);
        assert_eq!(list(Reach::Pipe), ["pipe", "crypto", "data"]);
    }

    #[test]
    fn the_users_own_protocols_are_allowed() {
        for (text, protocols) in [
            ("srt://host:9000", ",srt"),
            ("cache:http://host:80/a.ts", ",cache,http"),
            ("subfile,,start,0,end,9,,:a.ts", ",subfile"),
            ("crypto+http://host/a.ts", ",crypto,http"),
            ("concat:a.ts|file:b.ts", ",concat"),
            ("clips/a.ts", ""),
        ] {
            assert_eq!(named(text), protocols, "{text}");
        }
    }
}
