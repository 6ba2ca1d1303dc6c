//! FFmpeg's messages: forwarded to the program's log, and searched for names that FFmpeg refused to read. Its error
//! codes do not reveal these: a playlist that names a forbidden file is "invalid data", just like a damaged one.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Once;

use ffmpeg_next::ffi;

// The bindings' type for the argument list differs between systems. On all of them it is passed as a pointer, and here
// it is only passed on.
mod by_pointer {
    use std::ffi::{c_char, c_int, c_void};
    pub(super) type Callback = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *mut c_void);
    unsafe extern "C" {
        pub(super) fn av_log_set_callback(callback: Callback);
        pub(super) fn av_log_format_line2(
            context: *mut c_void,
            level: c_int,
            format: *const c_char,
            arguments: *mut c_void,
            line: *mut c_char,
            line_size: c_int,
            print_prefix: *mut c_int,
        ) -> c_int;
    }
}

/// A name in a file that FFmpeg did not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Denied {
    /// A name that a file of this kind must not refer to, as far as FFmpeg reports it.
    Refused(String),
    /// A part of a playlist that cannot be read, or whose protocol playlists do not support.
    Unread(String),
    /// The key of a playlist's segments.
    Key(String),
}

thread_local! {
    static CAPTURED: RefCell<Captured> = const { RefCell::new(Captured::NOTHING) };
}

/// Information gathered from the messages on this thread, on which FFmpeg opens and reads.
struct Captured {
    /// The name being opened.
    opening: String,
    denied: Option<Denied>,
    /// Width and height of a picture that is too large for FFmpeg.
    oversize: Option<(u32, u32)>,
    /// The last warning.
    warning: String,
    /// FFmpeg's name for something that it does not implement.
    missing: Option<String>,
}

/// What FFmpeg says that it cannot decode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inability {
    /// Width and height of a picture that is too large.
    pub(crate) oversize: Option<(u32, u32)>,
    /// FFmpeg's name for something that it does not implement.
    pub(crate) missing: Option<String>,
}

/// Receives FFmpeg's messages from now on. Those of this level or more urgent ones are logged.
pub(super) fn listen(level: c_int) {
    static ONCE: Once = Once::new();
    // SAFETY: the callback matches the declaration and lives as long as the program; the level is a single integer in
    // the library.
    unsafe {
        ONCE.call_once(|| by_pointer::av_log_set_callback(log_callback));
        ffi::av_log_set_level(level);
    }
}

/// Takes the name that was denied on this thread since the last call.
pub(crate) fn take_denied() -> Option<Denied> {
    CAPTURED.with_borrow_mut(|heard| heard.denied.take())
}

/// Takes what FFmpeg has said on this thread since the last call that it cannot decode.
pub(crate) fn take_inability() -> Inability {
    CAPTURED.with_borrow_mut(|heard| Inability { oversize: heard.oversize.take(), missing: heard.missing.take() })
}

/// Beginnings of the format strings of messages that name what FFmpeg opens or refuses to open.
const RELEVANT_FORMATS: [&[u8]; 13] = [
    b"Opening '%s' for",
    b"HLS request for url",
    b"DASH request for url",
    b"Protocol '%s' not on whitelist",
    b"Unsafe file name",
    b"Filename extension of",
    b"URL %s is not in allowed",
    b"Skipped opening external track",
    b"Error when loading first segment",
    b"Impossible to open '",
    b"Picture size %ux%u",
    b"Unable to open key file",
    // This follows the warning that names what is not implemented.
    b" is not implemented.",
];

unsafe extern "C" fn log_callback(context: *mut c_void, level: c_int, format: *const c_char, arguments: *mut c_void) {
    if format.is_null() {
        return;
    }
    // SAFETY: FFmpeg's format strings are zero-terminated.
    let start = unsafe { CStr::from_ptr(format) }.to_bytes();
    let telling = RELEVANT_FORMATS.iter().any(|beginning| start.starts_with(beginning));
    let is_warning = level == ffi::AV_LOG_WARNING;
    // SAFETY: the function reads one integer in the library.
    let is_shown = level <= unsafe { ffi::av_log_get_level() };
    if !telling && !is_warning && !is_shown {
        return;
    }
    let mut line = [0 as c_char; 2048];
    let mut prefix = 0;
    // SAFETY: the context, the format and the arguments are FFmpeg's own; the line is as long as stated, and gets
    // zero-terminated.
    let text = unsafe {
        let length = line.len() as c_int;
        by_pointer::av_log_format_line2(context, level, format, arguments, line.as_mut_ptr(), length, &raw mut prefix);
        CStr::from_ptr(line.as_ptr()).to_string_lossy()
    };
    let text = text.trim_end();
    if telling || is_warning {
        let hear = |heard: &mut Captured| if telling { heard.note(text) } else { text.clone_into(&mut heard.warning) };
        // This does nothing if the thread is already ending.
        let _ = CAPTURED.try_with(|heard| heard.try_borrow_mut().map(|mut heard| hear(&mut heard)));
    }
    if is_shown {
        let level = if level <= ffi::AV_LOG_ERROR { log::Level::Debug } else { log::Level::Trace };
        log::log!(target: "ffmpeg", level, "{text}");
    }
}

impl Captured {
    const NOTHING: Self =
        Self { opening: String::new(), denied: None, oversize: None, warning: String::new(), missing: None };

    /// Evaluates a message that begins with one of [`RELEVANT_FORMATS`].
    fn note(&mut self, text: &str) {
        let quoted = || text.split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\'')).map_or("", |(name, _)| name);
        if let Some((_, size)) = text.split_once("Picture size ") {
            let numbers = size.split_once(' ').and_then(|(size, _)| size.split_once('x'));
            let size = numbers.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
            self.oversize = size.filter(|(width, height)| *width > 0 && *height > 0).or(self.oversize);
            return;
        }
        if text.starts_with(" is not implemented") {
            let warning = std::mem::take(&mut self.warning);
            self.missing.get_or_insert(warning);
            return;
        }
        if let Some(name) = text.strip_prefix("Unable to open key file ") {
            self.denied = Some(match self.denied.take() {
                Some(Denied::Refused(named)) => Denied::Key(named),
                // Newer versions add the reason.
                _ => Denied::Key(name.split(", ").next().unwrap_or_default().to_owned()),
            });
            return;
        }
        let denied = if ["Opening", "HLS", "DASH"].iter().any(|head| text.starts_with(head)) {
            quoted().clone_into(&mut self.opening);
            return;
        } else if text.starts_with("Protocol") {
            let protocol = text.split('\'').nth(1).unwrap_or_default();
            // No message announces a reference that consists of a bare protocol name.
            let is_announced = self.opening.starts_with(&format!("{protocol}:"));
            Denied::Refused(if is_announced { self.opening.clone() } else { format!("{protocol}:") })
        } else if let Some(name) = text.strip_prefix("Filename extension of '") {
            Denied::Refused(name.split_once("' is not a").map_or(name, |(name, _)| name).to_owned())
        } else if text.starts_with("URL") {
            Denied::Refused(text.split(' ').nth(1).unwrap_or_default().to_owned())
        } else if text.starts_with("Skipped") {
            // path='/folder/a.mov', dir='folder', filename='a.mov', …
            let path =
                text.split_once("path='").and_then(|(_, rest)| rest.split_once("', dir=")).map_or("", |(path, _)| path);
            Denied::Refused(path.to_owned())
        } else if text.starts_with("Error when") || text.starts_with("Impossible") {
            // An earlier refusal is the reason for this.
            if self.denied.is_some() {
                return;
            }
            Denied::Unread(quoted().to_owned())
        } else {
            Denied::Refused(quoted().to_owned())
        };
        self.denied.get_or_insert(denied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(lines: &[&str]) -> Option<Denied> {
        let mut heard = Captured::NOTHING;
        lines.iter().for_each(|line| heard.note(line));
        heard.denied
    }

    #[test]
    fn what_is_not_implemented_is_named_by_the_warning_before() {
        let mut heard = Captured { warning: "Tiles".to_owned(), ..Captured::NOTHING };
        heard.note(" is not implemented. Update your FFmpeg version");
        assert_eq!((heard.missing.as_deref(), &*heard.warning), (Some("Tiles"), ""));
    }

    #[test]
    fn refused_names_are_reported() {
        let refused = |name: &str| Some(Denied::Refused(name.to_owned()));
        let white = "Protocol 'http' not on whitelist 'file,crypto,data'!";
        let first = "Error when loading first segment 'http://host/a.ts'";
        assert_eq!(heard(&["Opening 'http://host/a.ts' for reading", white, first]), refused("http://host/a.ts"));
        assert_eq!(heard(&["Opening 'file:a.sdp' for reading", white]), refused("http:"));
        assert_eq!(heard(&["Unsafe file name '/etc/it's.ts'"]), refused("/etc/it's.ts"));
        let extension = "Filename extension of 'it's.key' is not a common multimedia extension, blocked for security \
                         reasons.\nIf you wish to override this adjust allowed_extensions, you can set it to 'ALL' to allow all";
        assert_eq!(heard(&[extension]), refused("it's.key"));
        let key = |name: &str| Some(Denied::Key(name.to_owned()));
        assert_eq!(heard(&[extension, "Unable to open key file it's.key", first]), key("it's.key"));
        assert_eq!(heard(&["Unable to open key file a.ts, No such file or directory"]), key("a.ts"));
        assert_eq!(heard(&["URL file:a.txt is not in allowed_segment_extensions"]), refused("file:a.txt"));
        assert_eq!(heard(&[first]), Some(Denied::Unread("http://host/a.ts".to_owned())));
        let track =
            "Skipped opening external track: stream 0, alias: path='/a/b.mov', dir='a', filename='b.mov', volume=''";
        assert_eq!(heard(&[track]), refused("/a/b.mov"));
        assert_eq!(heard(&["Opening 'file:a.ts' for reading"]), None);
    }
}
