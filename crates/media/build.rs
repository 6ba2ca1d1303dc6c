//! Sets `cfg` flags for the FFmpeg version that the crate is built against, for fields and functions that only some
//! versions have.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Set by ffmpeg-sys-next from the headers that it found: true if they are of this version or newer.
    for (version, before) in [
        ("6_0", "ffmpeg_before_6"),
        ("6_1", "ffmpeg_before_6_1"),
        ("7_0", "ffmpeg_before_7"),
        ("7_1", "ffmpeg_before_7_1"),
        ("9_0", "ffmpeg_before_9"),
    ] {
        println!("cargo::rustc-check-cfg=cfg({before})");
        if env::var(format!("DEP_FFMPEG_FFMPEG_{version}")).as_deref() != Ok("true") {
            println!("cargo::rustc-cfg={before}");
        }
    }
}
