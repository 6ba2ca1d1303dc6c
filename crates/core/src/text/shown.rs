//! Sanitizing of untrusted names and messages for display or storage: in a terminal, a title, a page, a log, or a list
//! of recent files.
//!
//! File names, addresses, and messages from drivers and FFmpeg may contain anything: escape sequences that move a
//! terminal's cursor or change its title, characters that reverse the reading direction so that `gpj.exe` reads as
//! `exe.jpg`, lines that look like our own messages, and, in an address, a password.

use std::borrow::Cow;
use std::path::Path;

/// Returns the text on one line, without credentials or invisible characters. Line ends and tabs become spaces; other
/// control characters, and those that change the reading direction, are escaped as in `\u{202e}`. The function is
/// idempotent.
#[must_use]
pub fn sanitized(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in without_credentials(text).chars() {
        match character {
            '\n' | '\r' | '\t' => plain.push(' '),
            hidden if is_hidden(hidden) => plain.extend(hidden.escape_unicode()),
            other => plain.push(other),
        }
    }
    plain
}

/// Returns a path or an address, sanitized for display.
#[must_use]
pub fn shown(path: &Path) -> String {
    sanitized(&path.to_string_lossy())
}

/// Returns the last component of a path or an address, sanitized for display.
#[must_use]
pub fn file_name(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    // In an address without a path, the last component is the host, which would include the password.
    let path = public(path);
    path.file_name().map_or_else(|| shown(&path), |name| sanitized(&name.to_string_lossy()))
}

/// Removes the user name and password from an address. Returns a path unchanged.
#[must_use]
pub fn public(path: &Path) -> Cow<'_, Path> {
    match path.to_str().map(without_credentials) {
        Some(Cow::Owned(text)) => Cow::Owned(text.into()),
        _ => Cow::Borrowed(path),
    }
}

/// Removes the user name and password from each address in the text: `rtsp://user:password@host/a` becomes
/// `rtsp://host/a`.
#[must_use]
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(scheme) = rest.find("://") {
        let (before, after) = rest.split_at(scheme + 3);
        // FFmpeg takes the host to end here, whatever else a password contains. In a message that has no path after the
        // address, this may remove too much, but never too little.
        let end = after.find(['/', '?', '#', '\n']).unwrap_or(after.len());
        // An `@` without a user name before it marks an address to listen on, such as `udp://@:5000` or
        // `rist://@:5000`.
        let host = after[..end].rfind('@').filter(|at| *at > 0).map_or(0, |at| at + 1);
        kept.push_str(before);
        rest = &after[host..];
    }
    if kept.len() + rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns `true` for a character that is invisible, or that changes the reading direction of others. Joiners are
/// allowed, because some scripts need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(sanitized("a\u{1b}]0;b\u{7}\u{202e}gpj.exe"), "a\\u{1b}]0;b\\u{7}\\u{202e}gpj.exe");
        assert_eq!(sanitized("\u{9b}31m\u{2028}\u{feff}"), "\\u{9b}31m\\u{2028}\\u{feff}");
        assert_eq!(sanitized("one\r\ntwo\tthree"), "one  two three");
        for name in ["Ünïcødé 日本 🎬.mp4", "می\u{200c}خواهم.mkv", "👩\u{200d}🚀", "C:\\clips\\a.mp4", "שלום"]
        {
            assert_eq!(sanitized(name), name);
        }
    }

    #[test]
    fn credentials_are_removed_from_addresses() {
        for (text, public) in [
            ("rtsp://user:secret@host:554/a.mp4", "rtsp://host:554/a.mp4"),
            ("http://secret@host", "http://host"),
            ("http://user:sec@ret@host/a@b?c=d@e", "http://host/a@b?c=d@e"),
            ("concat:http://u:secret@a/x|http://u:secret@b/y", "concat:http://a/x|http://b/y"),
            ("cannot open 'ftp://u:secret@host/x' (no)", "cannot open 'ftp://host/x' (no)"),
            ("http://host/a.mp4", "http://host/a.mp4"),
            ("rist://@127.0.0.1:9000", "rist://@127.0.0.1:9000"),
            ("rist://@user:secret@host:9000", "rist://host:9000"),
            ("clips/me@home.mp4", "clips/me@home.mp4"),
        ] {
            assert_eq!(without_credentials(text), public);
        }
        for (address, name) in [("http://user:secret@host", "host"), ("http://user:secret@host/a.mp4?t=1", "a.mp4?t=1")]
        {
            assert_eq!(file_name(Path::new(address)), name);
        }
        assert_eq!(file_name(Path::new("folder/a\u{1b}b.mp4")), "a\\u{1b}b.mp4");
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn plain_is_idempotent_for_any_text(text in any::<String>()) {
            let once = sanitized(&text);
            prop_assert!(!once.chars().any(is_hidden));
            prop_assert_eq!(&sanitized(&once), &once);
        }

        #[test]
        fn no_password_remains(user in "[a-z:@' ]{0,9}", rest in "[a-z@:/?# ]{0,9}") {
            let text = format!("http://{user}SECRET@host{rest}");
            prop_assert!(!without_credentials(&text).contains("SECRET"));
        }
    }
}
