//! Names that Windows takes for devices.

use std::path::Path;

/// Returns `true` if Windows takes a path for one of its devices, whatever the folder and the extension: `CON`,
/// `clips\aux.mp4`, `com1.csv`. Source: Microsoft, *Naming Files, Paths, and Namespaces*.
#[must_use]
pub fn is_windows_device(path: &Path) -> bool {
    // On other systems a backslash is part of the name.
    let text = path.to_string_lossy();
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |kind| {
        stem.strip_prefix(kind)
            .is_some_and(|rest| matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
    };
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known_by_their_names_alone() {
        for name in
            ["CON", "con.mp4", r"C:\clips\Aux.tar.gz", "clips/nul", "com1.csv", "LPT9", "lpt².txt", "prn .png", "NUL:"]
        {
            assert!(is_windows_device(Path::new(name)), "{name}");
        }
        for name in ["a.con", "console.mp4", "com.mp4", "com10.mp4", "com0", r"con\a.mp4", "nul/a", "", "-", "lpt"] {
            assert!(!is_windows_device(Path::new(name)), "{name}");
        }
    }
}
