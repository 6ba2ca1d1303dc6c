//! Tells the code which FFmpeg it is built against, where a field or a function exists in some versions only.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Set by ffmpeg-sys-next, from the headers that it found: true where they are of that version or a newer one.
    for (version, before) in [
        ("6_0", "ffmpeg_before_6"),
        ("6_1", "ffmpeg_before_6_1"),
        ("7_0", "ffmpeg_before_7"),
        ("7_1", "ffmpeg_before_7_1"),
    ] {
        println!("cargo::rustc-check-cfg=cfg({before})");
        if env::var(format!("DEP_FFMPEG_FFMPEG_{version}")).as_deref() != Ok("true") {
            println!("cargo::rustc-cfg={before}");
        }
    }
}
