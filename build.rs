//! Tells the code which FFmpeg it is built against, where a field exists in some versions only.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(ffmpeg_before_6)");
    // Set by ffmpeg-sys-next, from the headers that it found.
    if env::var("DEP_FFMPEG_FFMPEG_6_0").as_deref() != Ok("true") {
        println!("cargo::rustc-cfg=ffmpeg_before_6");
    }
}
