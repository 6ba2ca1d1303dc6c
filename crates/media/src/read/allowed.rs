//! The files and protocols that each kind of source may read besides itself.
//!
//! Playlists (HLS, DASH), concat scripts, SDP files and MOV files refer to other files and addresses. Sending someone
//! such a file must not give the sender access to the recipient's other files, or make the recipient's machine contact
//! hosts of the sender's choice:
//!
//! - A file may read only files, and only those that FFmpeg considers safe: an HLS or DASH playlist may read files with
//!   a media extension, a concat script may read files in or below its own folder, and a MOV file may read none.
//! - A file whose name ends in `.sdp` is opened to receive the RTP stream that it describes, and may read that stream.
//!   Under any other name it is a file that refers to addresses, and may read none of them.
//! - An address may read only other addresses, never a file on this machine.
//! - A pipe or a device may read nothing else.
//! - Protocols that the user typed before the file name are allowed, as in `subfile,,…,,:a.ts`.

use std::ffi::{CStr, CString};

/// Protocols that give a file no access to the machine's other files or to other hosts.
const HARMLESS: &str = "crypto,data";

/// Network protocols, including those that wrap other network protocols. Protocols not listed here are local, or
/// allowed only if the user names them.
const NETWORK: &str = "http,https,httpproxy,tls,tcp,udp,udplite,rtp,srtp,sctp,ffrtmphttp,ffrtmpcrypt";

/// The kind of name that the user gave, which determines what the source may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceAccess<'a> {
    /// A file, or a pattern of file names.
    Files,
    /// Standard input.
    Pipe,
    /// A file that describes an RTP stream, according to its extension.
    Described,
    /// A network address.
    Network(&'a str),
    /// A camera, a screen or a generator.
    Device,
    /// Any other name with a protocol in front, such as `concat:a.ts|b.ts`.
    Named(&'a str),
}

impl SourceAccess<'_> {
    /// Returns the protocols for reading the source and whatever it refers to: FFmpeg's `protocol_whitelist`.
    pub(crate) fn protocols(self) -> CString {
        let list = match self {
            Self::Files => format!("file,{HARMLESS}"),
            Self::Pipe => format!("pipe,{HARMLESS}"),
            Self::Described => format!("file,rtp,srtp,udp,{HARMLESS}"),
            Self::Network(text) => format!("{NETWORK},{HARMLESS}{}", prefix_protocols(text)),
            Self::Device => HARMLESS.to_owned(),
            Self::Named(text) => format!("file,{HARMLESS}{}", prefix_protocols(text)),
        };
        CString::new(list).unwrap_or_default()
    }

    /// Options that repeat the defaults of all FFmpeg versions so far, in case they change: a concat script may name
    /// only files in its own folder, and a MOV file may open none.
    pub(crate) const OPTIONS: [(&'static CStr, &'static CStr); 3] =
        [(c"safe", c"1"), (c"enable_drefs", c"0"), (c"use_absolute_path", c"0")];
}

/// Returns the protocols in front of a name, each preceded by a comma: `,srt` for `srt://host:9000`, `,cache,http` for
/// `cache:http://host/a.ts`.
fn prefix_protocols(text: &str) -> String {
    let mut list = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(':') {
        // For example `subfile,,start,0,end,9,,:a.ts` or `crypto+http://host/a.ts`.
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

    fn list(reach: SourceAccess<'_>) -> Vec<String> {
        let text = reach.protocols().to_string_lossy().into_owned();
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn addresses_cannot_read_files_nor_files_addresses() {
        let local = ["file", "pipe", "fd", "subfile", "concat", "concatf", "unix", "cache", "async", "bluray", "tee"];
        for address in ["http://host/a.m3u8", "ftp://host/file:/etc/passwd", "tcp://host:80", "srt://host:9000?file:x"]
        {
            let list = list(SourceAccess::Network(address));
            assert!(local.iter().all(|name| !list.iter().any(|allowed| allowed == name)), "{address}: {list:?}");
            let scheme = address.split(':').next().expect("an address has a scheme");
            assert!(list.iter().any(|allowed| allowed == scheme), "{address}: {list:?}");
        }
        assert_eq!(list(SourceAccess::Files), ["file", "crypto", "data"]);
        assert_eq!(list(SourceAccess::Described), ["file", "rtp", "srtp", "udp", "crypto", "data"]);
        assert_eq!(list(SourceAccess::Device), ["crypto", "data"]);
        assert_eq!(list(SourceAccess::Pipe), ["pipe", "crypto", "data"]);
    }

    #[test]
    fn protocols_named_by_the_user_are_allowed() {
        for (text, protocols) in [
            ("srt://host:9000", ",srt"),
            ("cache:http://host:80/a.ts", ",cache,http"),
            ("subfile,,start,0,end,9,,:a.ts", ",subfile"),
            ("crypto+http://host/a.ts", ",crypto,http"),
            ("concat:a.ts|file:b.ts", ",concat"),
            ("clips/a.ts", ""),
        ] {
            assert_eq!(prefix_protocols(text), protocols, "{text}");
        }
    }
}
